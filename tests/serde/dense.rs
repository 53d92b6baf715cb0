//! Dense maps keep their keys and the order of their rows; corrupted input is refused.

use crate::{Small, error_of, through};
use ::slotmap as theirs;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use stayput::saved::{FromSlotmap, from_slotmap};
use stayput::{DefaultKey, DenseSlotMap, Key, KeyData, Tagged64, new_key_type};
use std::cell::Cell;
use std::rc::Rc;
use theirs::Key as _;

type Map<V> = DenseSlotMap<Small, V>;

new_key_type! {
    struct Tagged: Tagged64;
}

/// A map with slots of all kinds and rows in their own order, and all keys that it ever had.
fn motley() -> (Map<String>, Vec<Small>) {
    let (mut map, keys) = crate::motley_of!(Map::with_key());
    map.sort_by(|a, b| b.cmp(a));
    (map, keys)
}

#[test]
fn a_map_survives_with_its_keys_and_the_order_of_its_rows() {
    let (map, keys) = motley();
    for mut read in through(&map) {
        assert_eq!(read.as_slices(), map.as_slices());
        assert_eq!(read, map);
        let (stats, was) = (read.stats(), map.stats());
        assert_eq!(
            (stats.live, stats.holes, stats.detached, stats.retired),
            (was.live, was.holes, was.detached, was.retired)
        );
        for key in &keys {
            assert_eq!((read.get(*key), read.row_of(*key)), (map.get(*key), map.row_of(*key)));
        }
        read.reattach(keys[5], "five".to_owned());
        assert_eq!((&*read[keys[5]], read.row_of(keys[5])), ("five", Some(5)));
        while let Ok(key) = read.try_insert("new".to_owned()) {
            assert!(!keys.contains(&key), "{key:?} came again");
            assert_eq!(read.row_of(key), Some(read.len() - 1));
        }
        assert_eq!(read.len(), 15);
        while !read.defragment_by(Ord::cmp, stayput::Budget::swaps(3)) {}
        assert!(read.as_slice().is_sorted());
    }
    for read in through(&Map::<u8>::with_key()) {
        assert!(read.is_empty());
    }
    let tagged: DenseSlotMap<Tagged, u32> = (0..2000).collect();
    for read in through(&tagged) {
        assert_eq!(read.as_slices(), tagged.as_slices());
    }
    let nothing: DenseSlotMap<DefaultKey, ()> = [(); 3].into();
    assert!(through(&nothing).iter().all(|read| *read == nothing));
}

#[test]
fn the_form_is_as_documented() {
    let (map, _) = motley();
    assert_eq!(
        serde_json::to_string(&map).unwrap(),
        "{\"table\":{\"floor\":0,\"slots\":[{\"live\":[1,4]},{\"hole\":1},{\"hole\":1},\"retired\",\
         {\"live\":[1,3]},{\"detached\":1},{\"live\":[1,2]},{\"live\":[1,1]},{\"hole\":1},\
         {\"live\":[1,0]}],\"next\":{\"highest\":2,\"floors\":[],\"reuse\":{\"recent\":\
         {\"stack\":[1,2],\"latest\":8,\"room\":128,\"near\":10}}}},\
         \"values\":[\"9\",\"7\",\"6\",\"4\",\"0\"]}"
    );
}

#[test]
fn corrupted_maps_are_refused_with_the_cause() {
    let map = |slots: &str, values: &str| {
        format!("{{\"table\":{{\"floor\":0,\"slots\":[{slots}]}},\"values\":[{values}]}}")
    };
    let live = |row: u64| format!("{{\"live\":[1,{row}]}}");
    let two = |a, b| format!("{},{}", live(a), live(b));
    for (text, part) in [
        (map(&two(0, 0), "1,2"), "slot 1 cannot have row 0"),
        (map(&two(1, 1), "1,2"), "slot 1 cannot have row 1"),
        (map(&two(0, 2), "1,2"), "slot 1 cannot have row 2"),
        (map(&two(0, u32::MAX.into()), "1,2"), "slot 1 cannot have row 4294967295"),
        (map(&two(0, 1 << 32), "1,2"), "u32"),
        (map(&two(0, 1), "1"), "1 values for 2 keys"),
        (map(&two(0, 1), "1,2,3"), "3 values for 2 keys"),
        (map("", "1"), "1 values for 0 keys"),
        (map(&live(0), "256"), "256"),
        (map("{\"live\":[4,0]}", "1"), "slot 0 cannot have generation 4"),
        ("{\"values\":[]}".to_owned(), "missing field `table`"),
        ("{\"table\":{\"floor\":0,\"slots\":[]}}".to_owned(), "missing field `values`"),
        // As a later version may write it.
        (map("", "").replace("\"values\"", "\"order\":1,\"values\""), "unknown field `order`"),
        ("[]".to_owned(), "length 0"),
    ] {
        let error = error_of::<Map<u8>>(&text);
        assert!(error.contains(part), "{text}: {error}");
    }
    let good = serde_json::from_str::<Map<u8>>(&map(&two(1, 0), "7,8")).unwrap();
    assert!(good.iter().map(|(key, n)| (key.index(), *n)).eq([(1, 7), (0, 8)]));
}

#[test]
fn announced_values_take_no_memory_before_they_arrive() {
    // A floor, one slot with its row, and 2^63 values.
    let mut bytes = vec![0, 1, 0, 1, 0];
    bytes.extend([0xff; 8]);
    bytes.extend([0x7f, 3]);
    assert!(postcard::from_bytes::<DenseSlotMap<DefaultKey, [u64; 4]>>(&bytes).is_err());
    // Zero-sized values, without keys.
    let mut bytes = vec![0, 0];
    bytes.extend([0xff, 0xff, 0xff, 0x0f]);
    assert!(postcard::from_bytes::<DenseSlotMap<DefaultKey, ()>>(&bytes).is_err());
}

thread_local!(static LIVE: Rc<Cell<i32>> = Rc::default());

struct Counted;

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let n = u8::deserialize(deserializer)?;
        assert!(n < 9, "a value that panics");
        LIVE.with(|live| live.set(live.get() + 1));
        Ok(Self)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LIVE.with(|live| live.set(live.get() - 1));
    }
}

#[test]
fn values_already_read_are_dropped_if_later_input_is_wrong() {
    for values in ["[1,2]", "[1,2,3,4]", "[1,2,9]", "[1,2,[]]", "[1,2,3]"] {
        let text = format!(
            "{{\"table\":{{\"floor\":0,\"slots\":[{{\"live\":[1,1]}},{{\"live\":[1,0]}},\
             {{\"live\":[1,0]}}]}},\"values\":{values}}}"
        );
        let read = std::panic::catch_unwind(|| serde_json::from_str::<Map<Counted>>(&text).is_ok());
        assert!(!read.unwrap_or(false));
        assert_eq!(LIVE.with(|live| live.get()), 0, "{values}");
    }
}

fn read_theirs<T: DeserializeOwned>(map: &theirs::DenseSlotMap<theirs::DefaultKey, u32>) -> [T; 2] {
    let text = serde_json::to_string(map).unwrap();
    let bytes = postcard::to_stdvec(map).unwrap();
    [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&bytes).unwrap()]
}

#[test]
fn dense_maps_of_slotmap_are_read() {
    let mut map = theirs::DenseSlotMap::new();
    let keys: Vec<_> = (0..20).map(|n| map.insert(n)).collect();
    map.retain(|_, n| *n % 3 != 0);
    map.detach(keys[7]);
    let more = map.insert(100);
    let ours = |key: theirs::DefaultKey| -> DefaultKey {
        let bits = key.data().as_ffi();
        let half = |bits: u64| u32::try_from(bits & u64::from(u32::MAX)).unwrap();
        let (index, version) = (half(bits), half(bits >> 32));
        KeyData::from_parts(index - 1, version / 2 + 1, 0).unwrap().into()
    };
    for FromSlotmap(mut read) in read_theirs::<FromSlotmap<DenseSlotMap<DefaultKey, u32>>>(&map) {
        assert_eq!(read.len(), map.len());
        for key in keys.iter().chain([&more]) {
            assert_eq!(read.get(ours(*key)), map.get(*key));
        }
        // In the order of slots, since the order of rows is not written there.
        assert!(read.keys().map(|key| key.index()).is_sorted());
        let new: Vec<_> = (0..20).map(|n| read.insert(n)).collect();
        assert!(keys.iter().all(|key| !new.contains(&ours(*key))));
    }
    let broken = r#"[{"value":null,"version":0},{"value":7,"version":2}]"#;
    let mut text = serde_json::Deserializer::from_str(broken);
    assert!(from_slotmap::<DenseSlotMap<DefaultKey, u32>, _>(&mut text).is_err());
}
