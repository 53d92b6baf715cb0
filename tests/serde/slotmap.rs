//! Reads what the crate `slotmap` wrote.

use crate::{Small, made};
use ::slotmap as theirs;
use serde::{Deserialize, Serialize};
use stayput::saved::{FromSlotmap, SlotmapForm, from_slotmap};
use stayput::{DefaultKey, Key as _, SecondaryMap, SlotMap, SparseSecondaryMap};
use theirs::Key as _;

#[derive(Serialize)]
struct Theirs<M: Serialize> {
    map: M,
    second: theirs::SecondaryMap<theirs::DefaultKey, u32>,
    sparse: theirs::SecondaryMap<theirs::DefaultKey, char>,
    alive: Vec<theirs::DefaultKey>,
    dead: Vec<theirs::DefaultKey>,
    null: Option<theirs::DefaultKey>,
    none: Option<theirs::DefaultKey>,
}

#[derive(Deserialize)]
struct Ours {
    #[serde(deserialize_with = "from_slotmap")]
    map: SlotMap<DefaultKey, String>,
    #[serde(deserialize_with = "from_slotmap")]
    second: SecondaryMap<DefaultKey, u32>,
    #[serde(deserialize_with = "from_slotmap")]
    sparse: SparseSecondaryMap<DefaultKey, char>,
    #[serde(deserialize_with = "from_slotmap")]
    alive: Vec<DefaultKey>,
    #[serde(deserialize_with = "from_slotmap")]
    dead: Vec<DefaultKey>,
    #[serde(deserialize_with = "from_slotmap")]
    null: Option<DefaultKey>,
    #[serde(deserialize_with = "from_slotmap")]
    none: Option<DefaultKey>,
}

arbitrary! {
    enum Step {
        Insert,
        InsertAnother,
        Remove(u16),
        Detach(u16),
    }
}

/// A map of `slotmap`, and the same map deserialized here, in a human-readable format and in a binary one.
macro_rules! play {
    ($map:ident, $steps:expr) => {{
        let mut map = theirs::$map::<theirs::DefaultKey, String>::new();
        let (mut alive, mut dead) = (Vec::new(), Vec::new());
        let (mut second, mut sparse) =
            (theirs::SecondaryMap::new(), theirs::SecondaryMap::new());
        for (n, step) in (0_u32..).zip($steps) {
            match step {
                Step::Insert | Step::InsertAnother => {
                    let key = map.insert(n.to_string());
                    alive.push(key);
                    if n % 3 == 0 {
                        second.insert(key, n);
                    }
                    if n % 7 == 0 {
                        sparse.insert(key, 'x');
                    }
                }
                Step::Remove(which) if !alive.is_empty() => {
                    let key = alive.swap_remove(usize::from(*which) % alive.len());
                    map.remove(key);
                    dead.push(key);
                }
                Step::Detach(which) if !alive.is_empty() => {
                    let key = alive.swap_remove(usize::from(*which) % alive.len());
                    play!(@detach $map, map, key);
                    dead.push(key);
                }
                _ => {}
            }
        }
        let theirs = Theirs {
            map, second, sparse, alive, dead, null: Some(theirs::DefaultKey::null()), none: None,
        };
        let text = serde_json::to_string(&theirs).unwrap();
        let bytes = postcard::to_stdvec(&theirs).unwrap();
        for ours in [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&bytes).unwrap()] {
            let Theirs { map, second, sparse, alive, dead, .. } = &theirs;
            assert_same(ours, map.len(), |n| {
                let key = alive[n];
                (&map[key], second.get(key), sparse.get(key))
            }, alive.len(), |n| (second.get(dead[n]), sparse.get(dead[n])));
        }
    }};
    (@detach SlotMap, $map:ident, $key:ident) => { $map.detach($key) };
    (@detach DenseSlotMap, $map:ident, $key:ident) => { $map.detach($key) };
    (@detach HopSlotMap, $map:ident, $key:ident) => { $map.remove($key) };
}

type Found<'a> = (Option<&'a u32>, Option<&'a char>);

/// Keys find what they found, and new keys differ from all old ones.
fn assert_same<'a>(
    mut ours: Ours,
    len: usize,
    alive: impl Fn(usize) -> (&'a String, Option<&'a u32>, Option<&'a char>),
    count: usize,
    dead: impl Fn(usize) -> Found<'a>,
) {
    assert_eq!((ours.map.len(), ours.alive.len()), (len, count));
    for (n, key) in ours.alive.iter().enumerate() {
        let found = (&ours.map[*key], ours.second.get(*key), ours.sparse.get(*key));
        assert_eq!(found, alive(n));
    }
    for (n, key) in ours.dead.iter().enumerate() {
        assert_eq!(ours.map.get(*key), None);
        assert_eq!((ours.second.get(*key), ours.sparse.get(*key)), dead(n));
    }
    assert_eq!((ours.null, ours.none), (Some(DefaultKey::null()), None));
    for _ in 0..100 {
        let new = ours.map.insert(String::new());
        assert!(!ours.dead.contains(&new) && !ours.alive.contains(&new), "{new:?}");
    }
}

#[test]
fn maps_and_keys_go_together_as_before() {
    made::run_with(64, 0..60, |(), steps: &[Step]| {
        play!(SlotMap, steps);
        play!(DenseSlotMap, steps);
        #[expect(deprecated, reason = "its files may be there")]
        {
            play!(HopSlotMap, steps);
        }
    });
}

fn error_of<T: for<'de> SlotmapForm<'de>>(text: &str) -> String {
    crate::error_of::<FromSlotmap<T>>(text)
}

#[test]
fn invalid_keys_are_refused_and_even_versions_accepted_as_in_slotmap() {
    let key = |idx: u64, version: u64| format!("{{\"idx\":{idx},\"version\":{version}}}");
    for (idx, version) in [(0, 1), (1, u64::from(u32::MAX))] {
        let error = error_of::<DefaultKey>(&key(idx, version));
        assert!(error.contains(&format!("index {idx} and version {version}")), "{error}");
    }
    let error = error_of::<Small>(&key(17, 1));
    assert!(error.contains("index 17"), "{error}");
    assert!(error_of::<Small>(&key(1, 7)).contains("version 7"));
    let FromSlotmap(small) = serde_json::from_str::<FromSlotmap<Small>>(&key(16, 5)).unwrap();
    assert_eq!((small.index(), small.generation()), (15, 3));
    // As in `slotmap`, where the lowest bit is set.
    for version in [4, 5] {
        let read: FromSlotmap<DefaultKey> = serde_json::from_str(&key(1, version)).unwrap();
        assert_eq!(read.0.generation(), 3);
    }
    // The null key can have any version.
    let null: FromSlotmap<DefaultKey> = serde_json::from_str(&key(u64::from(u32::MAX), 9)).unwrap();
    assert!(null.0.is_null());
}

#[test]
fn keys_of_slotmap_in_text_need_no_conversion() {
    let mut map = theirs::SlotMap::new();
    let first = map.insert('a');
    map.remove(first);
    let keys = [map.insert('b'), map.insert('c'), theirs::DefaultKey::default()];
    let text = serde_json::to_string(&keys).unwrap();
    let read: [DefaultKey; 3] = serde_json::from_str(&text).unwrap();
    assert_eq!(read.map(|key| key.data().as_ffi()), keys.map(|key| key.data().as_ffi()));
    let through_value: [DefaultKey; 3] =
        serde_json::from_value(serde_json::to_value(keys).unwrap()).unwrap();
    assert_eq!(through_value, read);
    for (text, part) in [
        (r#"{"idx":17,"version":1}"#, "none of this key type"),
        (r#"{"idx":0,"version":1}"#, "none of this key type"),
        (r#"{"idx":1}"#, "missing field `version`"),
        ("-1", "the bits of a key"),
        ("[1]", "the bits of a key"),
    ] {
        let error = serde_json::from_str::<Small>(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn corrupted_maps_are_refused() {
    let slot = |value: &str, version: u32| format!("{{\"value\":{value},\"version\":{version}}}");
    let map = |slots: &[String]| format!("[{}]", slots.join(","));
    let first = slot("null", 0);
    for (text, part) in [
        ("[]".to_owned(), "the first slot"),
        (map(&[slot("5", 1)]), "the first slot"),
        (map(&[first.clone(), slot("5", 2)]), "2 is not"),
        (map(&[first.clone(), slot("null", 3)]), "3 is"),
        (map(&[first.clone(), slot("256", 1)]), "256"),
        ("{}".to_owned(), "slotmap"),
    ] {
        for error in [
            error_of::<SlotMap<Small, u8>>(&text),
            error_of::<SecondaryMap<Small, u8>>(&text),
            error_of::<SparseSecondaryMap<Small, u8>>(&text),
        ] {
            assert!(error.contains(part), "{text}: {error}");
        }
    }
    let late = map(&[first.clone(), slot("5", 7)]);
    assert!(error_of::<SlotMap<Small, u8>>(&late).contains("generation 4"));
    assert!(error_of::<SecondaryMap<Small, u8>>(&late).contains("version 7"));
    let far = map(&[&[first][..], &vec![slot("5", 1); 17]].concat());
    assert!(error_of::<SlotMap<Small, u8>>(&far).contains("at most 16 slots"));
    assert!(error_of::<SecondaryMap<Small, u8>>(&far).contains("slot 16"));
}

#[test]
fn exhausted_slots_are_not_reused() {
    // The second had the last generation of a small key, the third one more than that.
    let text =
        r#"[{"value":null,"version":0},{"value":null,"version":6},{"value":null,"version":0}]"#;
    let FromSlotmap(map) = serde_json::from_str::<FromSlotmap<SlotMap<Small, u8>>>(text).unwrap();
    assert_eq!((map.stats().retired, map.stats().holes), (2, 0));
}
