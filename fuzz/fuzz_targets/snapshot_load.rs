//! Loads any bytes as the file of a `SlotMap`. It is either loaded, used, saved and loaded again, or refused.
//!
//! In half of the runs the checksums are corrected, so that changed values are trusted.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stayput::{Key, SlotMap, new_key_type};
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

new_key_type! {
    /// A key type with few generations and few slots.
    struct SmallKey: stayput::Bits32<6, 3>;
}

type Map = SlotMap<SmallKey, u16>;

const HEADER: usize = 64;

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| std::env::temp_dir().join(format!("stayput-fuzz-map-{}", std::process::id())));

/// A valid file with slots of all kinds, to be corrupted.
static WHOLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut map = Map::with_key();
    let keys: Vec<SmallKey> = (0..20).map(|n| map.insert(n)).collect();
    for key in &keys[3..9] {
        map.remove(*key);
    }
    map.detach(keys[12]);
    for _ in 0..10 {
        let key = map.insert(0);
        map.remove(key);
    }
    map.save(&*FILE).unwrap();
    fs::read(&*FILE).unwrap()
});

/// Corrects the checksums, if there is one section.
fn seal(bytes: &mut [u8]) {
    let Some((head, _)) = bytes.split_at_mut_checked(HEADER) else { return };
    let (content, sum) = head.split_at_mut(HEADER - 8);
    sum.copy_from_slice(&u64::from(crc32fast::hash(content)).to_ne_bytes());
    let Some(end) = bytes.len().checked_sub(4).filter(|end| *end >= HEADER) else { return };
    let sum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_ne_bytes());
}

/// The values and their keys.
fn pairs(map: &Map) -> Vec<(SmallKey, u16)> {
    map.iter().map(|(key, value)| (key, *value)).collect()
}

fuzz_target!(|data: &[u8]| {
    let [how, data @ ..] = data else { return };
    let mut bytes = if how & 2 == 0 { WHOLE.clone() } else { data.to_vec() };
    if how & 2 == 0 {
        for change in data.chunks_exact(3) {
            let at = usize::from(change[0]) % bytes.len();
            bytes[at] = change[1];
            if change[2] > 250 {
                bytes.resize(HEADER + usize::from(change[1]), change[2]);
            }
        }
    }
    if how & 1 == 0 {
        seal(&mut bytes);
    }
    fs::write(&*FILE, &bytes).unwrap();
    let Ok(mut map) = Map::load(&*FILE) else { return };
    let before = pairs(&map);
    assert_eq!(before.len(), map.len());
    assert!(before.iter().all(|(key, value)| map.get(*key) == Some(value)));
    assert!(map.get(SmallKey::null()).is_none());
    map.save(&*FILE).unwrap();
    let mut again = Map::load(&*FILE).unwrap();
    assert_eq!(pairs(&again), before);
    // Both create the same keys.
    for _ in 0..100 {
        let [one, other] = [&mut map, &mut again].map(|map| map.try_insert(7).ok());
        assert_eq!(one, other);
        assert!(one.is_none_or(|key| before.iter().all(|(old, _)| *old != key)));
        if let (Some(one), Some(other)) = (one, other) {
            if one.data().to_bits() & 1 == 0 {
                map.remove(one);
                again.remove(other);
            }
        }
    }
    assert_eq!(map.len(), again.len());
});
