//! Keys and maps are the same after serialization and deserialization; corrupted input is an error.

include!("../common/arbitrary.rs");

mod arrays;
mod columns;
mod dense;
#[path = "../common/effort.rs"]
mod effort;
#[path = "../common/history.rs"]
mod history;
mod lists;
#[path = "../common/made.rs"]
mod made;
#[cfg(feature = "memory-map")]
mod memory_map;
mod next_keys;
mod saved;
mod shared;
mod slotmap;
mod table;

use ::serde::de::DeserializeOwned;
use ::serde::{Deserialize, Deserializer, Serialize};
use stayput::{
    Bits32, Compact32, DefaultKey, Key, KeyData, Layout, Plain64, SecondaryMap, SlotMap,
    SparseSecondaryMap, Tagged64, new_key_type, region_cache,
};
use std::collections::BTreeMap;

new_key_type! {
    struct Small: Bits32<4, 2>;
}

/// Serializes and deserializes in a human-readable format and in a binary one.
fn through<T: Serialize + DeserializeOwned>(value: &T) -> [T; 2] {
    let text = serde_json::to_string(value).unwrap();
    let bytes = postcard::to_stdvec(value).unwrap();
    [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&bytes).unwrap()]
}

fn error_of<T: DeserializeOwned>(text: &str) -> String {
    match serde_json::from_str::<T>(text) {
        Ok(_) => panic!("{text} was taken"),
        Err(error) => error.to_string(),
    }
}

fn keys_survive<L: Layout>() {
    let key = KeyData::<L>::from_parts(L::MAX_INDEX, L::MAX_GENERATION, 0).unwrap();
    for key in [key, key.with_tag(L::MAX_TAG), KeyData::null()] {
        assert_eq!(through(&key), [key; 2]);
        assert_eq!(
            through(&BTreeMap::from([(key, 7)])),
            [const { BTreeMap::new() }; 2].map(|mut map| {
                map.insert(key, 7);
                map
            },)
        );
    }
}

#[test]
fn keys_survive_in_every_layout_also_as_keys_of_maps() {
    keys_survive::<Plain64>();
    keys_survive::<Tagged64>();
    keys_survive::<Compact32>();
    keys_survive::<Bits32<4, 2>>();
}

#[test]
fn bits_that_are_not_a_key_are_refused() {
    for bits in [0_u64, 1 << 32, 1 << 31, (5 << 32) | (1 << 31)] {
        let error = error_of::<DefaultKey>(&bits.to_string());
        assert!(error.contains(&bits.to_string()) && error.contains("bits of a key"), "{error}");
    }
    assert!(error_of::<Small>("64").contains("bits of a key"));
    assert!(error_of::<Small>("4294967296").contains("u32"));
    assert!(error_of::<Small>("\"a\"").contains("u32"));
}

/// Gives an empty map slots of all kinds. Returns the map, and all keys that it ever had.
macro_rules! motley_of {
    ($map:expr) => {{
        let mut map = $map;
        let mut keys: Vec<crate::Small> = (0..10).map(|n| map.insert(n.to_string())).collect();
        // Slot 3 is exhausted.
        for _ in 1..3 {
            map.remove(keys[3]);
            let again = map.insert("3".to_owned());
            let before = std::mem::replace(&mut keys[3], again);
            keys.push(before);
        }
        map.remove(keys[3]);
        map.detach(keys[5]);
        for hole in [1, 2, 8] {
            map.remove(keys[hole]);
        }
        let stats = map.stats();
        assert_eq!((stats.live, stats.holes, stats.detached, stats.retired), (5, 3, 1, 1));
        (map, keys)
    }};
}
pub(crate) use motley_of;

fn motley() -> (SlotMap<Small, String>, Vec<Small>) {
    motley_of!(SlotMap::with_key())
}

#[test]
fn a_map_survives_with_its_keys_holes_and_order() {
    let (map, keys) = motley();
    for mut read in through(&map) {
        let (stats, was) = (read.stats(), map.stats());
        assert_eq!(
            (stats.live, stats.holes, stats.detached, stats.retired),
            (was.live, was.holes, was.detached, was.retired)
        );
        assert!(read.iter().eq(map.iter()));
        for key in &keys {
            assert_eq!(read.get(*key), map.get(*key), "{key:?}");
        }
        // The same keys are created, in the same order, and no earlier one.
        let mut clone = map.clone();
        let rest = |map: &mut SlotMap<Small, String>| -> Vec<Small> {
            std::iter::from_fn(|| map.try_insert(String::new()).ok()).collect()
        };
        let (clones, new) = (rest(&mut clone), rest(&mut read));
        assert_eq!(new, clones);
        assert!(new.iter().all(|key| !keys.contains(key)), "{new:?}");
        read.reattach(keys[5], "five".to_owned());
        assert_eq!(read[keys[5]], "five");
    }
}

#[test]
fn trimmed_slots_keep_their_generations() {
    let mut map: SlotMap<DefaultKey, [u64; 7]> = (0..10_000).map(|n| [n; 7]).collect();
    let keys: Vec<_> = map.keys().collect();
    keys[..9_999].iter().for_each(|key| _ = map.remove(*key));
    map.trim();
    assert!(map.stats().trimmed > 5_000);
    for mut read in through(&map) {
        assert_eq!(read.len(), 1);
        let new: Vec<_> = (0..9_999).map(|n| read.insert([n; 7])).collect();
        assert!(new.iter().zip(&keys).all(|(new, old)| new.index() == old.index() && new != old));
        assert!(keys[..9_999].iter().all(|key| !read.contains_key(*key)));
    }
}

#[test]
fn slots_removed_by_shrinking_keep_their_generations() {
    let mut map: SlotMap<DefaultKey, [u64; 7]> = (0..10_000).map(|n| [n; 7]).collect();
    let keys: Vec<_> = map.keys().collect();
    map.clear();
    map.trim();
    assert!(map.stats().holes < 5_000);
    for mut read in through(&map) {
        let new: Vec<_> = (0..10_000).map(|n| read.insert([n; 7])).collect();
        assert!(keys.iter().all(|key| !read.contains_key(*key)));
        assert!(new.iter().all(|key| read.contains_key(*key)));
    }
}

#[test]
fn skipped_slots_take_no_memory_when_they_are_read() {
    // In memory from the region cache they are written one by one.
    region_cache::set_most_bytes(0);
    let mut map: SlotMap<DefaultKey, [u64; 31]> = SlotMap::new();
    map.insert_at(KeyData::from_parts(200_000, 1, 0).unwrap().into(), [1; 31]);
    for read in through(&map) {
        let stats = read.stats();
        assert_eq!((stats.holes, stats.trimmed), (200_000, 200_000));
        assert!(stats.committed_bytes > 48 << 20);
        #[cfg(target_os = "linux")]
        assert!(stats.resident_bytes < Some(8 << 20), "{stats:?}");
    }
}

#[test]
fn the_form_is_as_documented() {
    let (map, _) = motley();
    let text = serde_json::to_string(&map).unwrap();
    assert_eq!(
        text,
        "{\"floor\":0,\"slots\":[{\"live\":[1,\"0\"]},{\"hole\":1},{\"hole\":1},\"retired\",\
         {\"live\":[1,\"4\"]},{\"detached\":1},{\"live\":[1,\"6\"]},{\"live\":[1,\"7\"]},\
         {\"hole\":1},{\"live\":[1,\"9\"]}],\"next\":{\"highest\":2,\"floors\":[],\"reuse\":\
         {\"recent\":{\"stack\":[1,2],\"latest\":8,\"room\":128,\"near\":10}}}}"
    );
}

#[test]
fn corrupted_maps_are_refused_with_the_cause() {
    type Map = SlotMap<Small, u8>;
    let slots = |slots: &str| format!("{{\"floor\":0,\"slots\":[{slots}]}}");
    for (text, part) in [
        (slots("{\"live\":[0,1]}"), "slot 0 cannot have generation 0"),
        (slots("\"retired\",{\"live\":[4,1]}"), "slot 1 cannot have generation 4"),
        (slots("{\"detached\":4}"), "from 1 to 3"),
        // A slot that had the last generation is retired.
        (slots("{\"hole\":3}"), "from 1 to 2"),
        (slots("{\"live\":[1,256]}"), "256"),
        (slots("{\"dead\":1}"), "unknown variant"),
        (slots("\"live\""), "tuple variant"),
        (slots(&["\"retired\""; 17].join(",")), "can index at most 16 slots"),
        ("{\"floor\":3,\"slots\":[]}".to_owned(), "above generation 3"),
        ("{\"floor\":0}".to_owned(), "missing field `slots`"),
        ("{\"slots\":[]}".to_owned(), "missing field `floor`"),
        // As a later version may write it.
        ("{\"floor\":0,\"slots\":[],\"order\":[]}".to_owned(), "unknown field `order`"),
        ("[]".to_owned(), "length 0"),
    ] {
        let error = error_of::<Map>(&text);
        assert!(error.contains(part), "{text}: {error}");
    }
    let full = slots(&["{\"live\":[3,1]}"; 16].join(","));
    assert_eq!(serde_json::from_str::<Map>(&full).unwrap().len(), 16);
}

#[test]
fn announced_slots_take_no_memory_before_they_arrive() {
    // A floor, a length of 2^63 and one slot.
    let mut bytes = vec![0];
    bytes.extend([0xff; 8]);
    bytes.extend([0x7f, 3]);
    let read = postcard::from_bytes::<SlotMap<DefaultKey, [u64; 4]>>(&bytes);
    assert!(read.is_err());
}

/// Panics after some elements were read.
#[derive(Debug)]
struct Bomb(Box<u8>);

impl<'de> Deserialize<'de> for Bomb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let n = u8::deserialize(deserializer)?;
        assert!(n < 3, "a value that panics");
        Ok(Self(Box::new(n)))
    }
}

#[test]
fn values_already_read_are_dropped_if_a_later_one_panics_or_is_corrupted() {
    type Map = SlotMap<Small, Bomb>;
    let slots = "{\"floor\":0,\"slots\":[{\"live\":[1,1]},{\"live\":[1,2]},{\"live\":[1,3]}]}";
    assert!(std::panic::catch_unwind(|| serde_json::from_str::<Map>(slots)).is_err());
    assert!(serde_json::from_str::<Map>(&slots.replace("[1,3]", "[9,2]")).is_err());
}

#[test]
fn secondary_maps_survive_and_read_each_other() {
    let mut map: SlotMap<Small, u8> = (0..6).collect();
    let keys: Vec<_> = map.keys().collect();
    map.remove(keys[2]);
    let again = map.insert(9);
    let dense: SecondaryMap<Small, String> =
        [keys[0], again, keys[5]].into_iter().map(|key| (key, format!("{key:?}"))).collect();
    let sparse: SparseSecondaryMap<Small, String> =
        dense.iter().map(|(key, text)| (key, text.clone())).collect();
    for read in through(&dense) {
        assert_eq!(read, dense);
        assert_eq!(read.get(keys[2]), None);
    }
    for read in through(&sparse) {
        assert_eq!(read, sparse);
    }
    let bytes = postcard::to_stdvec(&dense).unwrap();
    let other: SparseSecondaryMap<Small, String> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(other, sparse);
}

#[test]
fn corrupted_secondary_maps_are_refused_with_the_cause() {
    let bits =
        |index, generation| KeyData::<Plain64>::from_parts(index, generation, 0).unwrap().to_bits();
    let null = DefaultKey::null().to_bits();
    for (text, part) in [
        (format!("[[{null},1]]"), "the key is null"),
        (format!("[[{0},1],[{0},2]]", bits(1, 1)), "the slot of key 1v1 occurs twice"),
        (format!("[[{},1],[{},2]]", bits(1, 1), bits(1, 2)), "the slot of key 1v2 occurs twice"),
        (format!("[[{},1],[{},2]]", bits(1, 2), bits(1, 1)), "older than the one"),
        ("[[0,1]]".to_owned(), "bits of a key"),
        ("{}".to_owned(), "pairs of a key and a value"),
    ] {
        let error = error_of::<SecondaryMap<DefaultKey, u8>>(&text);
        assert!(error.contains(part), "{text}: {error}");
        let error = error_of::<SparseSecondaryMap<DefaultKey, u8>>(&text);
        assert!(error.contains(part), "{text}: {error}");
    }
    let far = format!("[[{},1]]", bits(u32::MAX - 1, 1));
    let error = error_of::<SecondaryMap<DefaultKey, [u8; 0]>>(&far.replace(",1]]", ",[]]]"));
    assert!(error.contains("without being announced"), "{error}");
    let read = serde_json::from_str::<SparseSecondaryMap<DefaultKey, u8>>(&far).unwrap();
    assert_eq!(read.len(), 1);
}

#[cfg(target_pointer_width = "64")]
fn key(index: u32, generation: u32) -> DefaultKey {
    KeyData::from_parts(index, generation, 0).unwrap().into()
}

#[test]
#[cfg(target_pointer_width = "64")]
fn far_keys_of_other_maps_take_no_memory_however_they_are_ordered() {
    // Each is up to twice as far as the one before; from 64 MiB to 32 GiB.
    let pairs: Vec<(DefaultKey, u64)> = (22..32).map(|n| (key((1 << n) - 2, 1), 0)).collect();
    let bytes = postcard::to_stdvec(&pairs).unwrap();
    assert!(bytes.len() < 100);
    assert!(postcard::from_bytes::<SecondaryMap<DefaultKey, u64>>(&bytes).is_err());
    let text = serde_json::to_string(&pairs).unwrap();
    let error = error_of::<SecondaryMap<DefaultKey, u64>>(&text);
    assert!(error.contains("without being announced"), "{error}");
    let sparse: SparseSecondaryMap<DefaultKey, u64> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(sparse.len(), 10);

    // Each is as far as possible, in steps that commit the most ahead. (Not in cached memory, of which more may be
    // available than requested.)
    region_cache::set_most_bytes(0);
    let near = |values: usize| (4 << 20) / 16 + 16 * values;
    let mut indices: Vec<usize> = (12..18).map(|n| (1 << n) + 1).collect();
    indices.extend((indices.len() + 1..100).map(|n| near(n) - 1));
    let pairs: Vec<(DefaultKey, u64)> =
        indices.iter().map(|index| (key(u32::try_from(*index).unwrap(), 1), 7)).collect();
    for read in through_pairs(&pairs) {
        let stats = read.stats();
        assert_eq!((stats.live, stats.slots), (99, near(99)));
        // And what is committed at once for the bits of gaps.
        assert!(stats.committed_bytes <= 2 * 16 * near(99) + (64 << 10), "{stats:?}");
        assert!(read.into_iter().eq(pairs.iter().copied()));
    }
    let mut further = pairs.clone();
    further.push((key(u32::try_from(near(100)).unwrap(), 1), 7));
    let error =
        error_of::<SecondaryMap<DefaultKey, u64>>(&serde_json::to_string(&further).unwrap());
    assert!(error.contains(&near(100).to_string()), "{error}");
}

/// A map of these pairs, in this order, in a human-readable format and in a binary one.
#[cfg(target_pointer_width = "64")]
fn through_pairs(pairs: &[(DefaultKey, u64)]) -> [SecondaryMap<DefaultKey, u64>; 2] {
    let text = serde_json::to_string(pairs).unwrap();
    let bytes = postcard::to_stdvec(pairs).unwrap();
    [serde_json::from_str(&text).unwrap(), postcard::from_bytes(&bytes).unwrap()]
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_map_with_far_values_is_read_again_if_a_sixteenth_of_it_is_full() {
    // 4 MiB are this many slots, and the rest is 16 slots per value.
    let first = 262_144;
    let count = 20_000;
    let tail = first + 15 * count..first + 16 * count;
    let map: SecondaryMap<DefaultKey, u64> =
        tail.clone().map(|index| (key(index, 3), u64::from(index))).collect();
    for read in through(&map) {
        assert_eq!(read, map);
    }
    let pairs: Vec<_> = map.iter().map(|(key, value)| (key, *value)).collect();
    let reversed: Vec<_> = pairs.iter().rev().copied().collect();
    for read in through_pairs(&reversed) {
        assert_eq!(read, map);
    }
    let mut twice = pairs.clone();
    twice.insert(count as usize / 2, pairs[5]);
    let error = error_of::<SecondaryMap<DefaultKey, u64>>(&serde_json::to_string(&twice).unwrap());
    assert!(error.contains(&format!("key {}v3 occurs twice", tail.start + 5)), "{error}");

    // One less is not enough, so the other map takes it.
    let few = &pairs[1..];
    let text = serde_json::to_string(few).unwrap();
    let error = error_of::<SecondaryMap<DefaultKey, u64>>(&text);
    assert!(error.contains("SparseSecondaryMap"), "{error}");
    let sparse: SparseSecondaryMap<DefaultKey, u64> = serde_json::from_str(&text).unwrap();
    assert_eq!(sparse.len(), few.len());
}

#[test]
fn a_deserialized_map_accepts_keys_of_its_original_after_both_are_cleared() {
    let mut map: SlotMap<DefaultKey, u32> = (0..100).collect();
    map.remove(key(3, 1));
    map.insert(3);
    for mut read in through(&map) {
        let mut map = map.clone();
        map.clear();
        read.clear();
        for n in 0..200 {
            read.insert_at(map.insert(n), n);
        }
        assert_eq!(read, map);
    }
}

#[test]
fn retired_slots_stay_retired_after_a_clear() {
    // Without the generation of the slot, as it was written once.
    let text = r#"{"floor":0,"slots":["retired",{"live":[1,7]}]}"#;
    let mut map: SlotMap<DefaultKey, u8> = serde_json::from_str(text).unwrap();
    map.clear();
    assert_eq!([map.insert(1), map.insert(2)].map(|key| key.data().index()), [1, 2]);
    assert_eq!(map.stats().retired, 1);
}

#[test]
fn skipped_slots_survive_as_holes() {
    let mut map: SlotMap<DefaultKey, u32> = SlotMap::new();
    let key = |index, generation| KeyData::from_parts(index, generation, 0).unwrap().into();
    map.insert_at(key(3, 4), 3);
    map.insert_at(key(1, 2), 1);
    for mut read in through(&map) {
        assert_eq!(read, map);
        let (stats, was) = (read.stats(), map.stats());
        assert_eq!((stats.live, stats.holes, stats.trimmed), (2, 2, 2));
        assert_eq!((was.live, was.holes, was.trimmed), (2, 2, 2));
        assert_eq!(
            [read.insert(0), read.insert(2), read.insert(4)],
            [key(0, 1), key(2, 1), key(4, 1)]
        );
        assert_eq!(read.stats().trimmed, 0);
        assert!(read.values().copied().eq(0..5));
    }
}

#[test]
fn skipped_slots_have_had_no_generation_when_others_were_removed() {
    let key = |index, generation| KeyData::from_parts(index, generation, 0).unwrap().into();
    // The first map has more than one block, the second less.
    for last in [6_000, 3] {
        let mut map: SlotMap<DefaultKey, u64> = SlotMap::new();
        map.insert_at(key(last, 1), 0);
        let used: DefaultKey = key(100_000, 9);
        map.insert_at(used, 9);
        map.remove(used);
        map.shrink_to_fit();
        assert!(map.stats().holes < 90_000);
        for mut read in through(&map) {
            let mut map = map.clone();
            assert!(map.try_insert_at(key(1, 2), 1).is_ok());
            assert!(read.try_insert_at(key(1, 2), 1).is_ok());
            // The same keys are created next, also in slots that `shrink_to_fit` removed.
            for _ in map.len()..=100_000 {
                assert_eq!(read.insert(7), map.insert(7));
            }
            let last = read.keys().next_back().unwrap();
            assert_eq!((last.index(), last.generation()), (used.index(), 10));
        }
    }
}

#[test]
fn a_map_keeps_its_type_number() {
    new_key_type! { struct Compact: Compact32; }
    let mut map: SlotMap<Compact, String> = SlotMap::builder().type_id(2).build();
    let [a, b] = ["a", "b"].map(|text| map.insert(text.to_owned()));
    map.remove(a);
    let text = serde_json::to_string(&map).unwrap();
    let slots = r#"{"floor":0,"slots":[{"type":2},{"hole":1},{"live":[1,"b"]}],"#;
    assert!(text.starts_with(slots), "{text}");
    for mut read in through(&map) {
        assert_eq!((read.type_id(), &read), (Some(2), &map));
        assert_eq!((read.get(b), read.get(b.with_tag(0))), (Some(&"b".to_owned()), None));
        assert_eq!(read.insert("c".to_owned()).type_id(), 2);
    }
    let mut empty: SlotMap<DefaultKey, u8> = SlotMap::builder().type_id(0).build();
    for read in through(&empty) {
        assert_eq!(read.type_id(), Some(0));
    }
    empty = SlotMap::new();
    for read in through(&empty) {
        assert_eq!(read.type_id(), None);
    }

    // Written before there were type ids, or by a map without one.
    let read: SlotMap<Compact, String> =
        serde_json::from_str(&text.replace(r#"{"type":2},"#, "")).unwrap();
    assert_eq!(read.type_id(), None);
    assert_eq!((read.get(b), read.get(b.with_tag(0))), (Some(&"b".to_owned()), read.get(b)));
}

#[test]
fn invalid_type_numbers_are_refused_with_the_cause() {
    new_key_type! { struct Compact: Compact32; }
    for (slots, part) in [
        (r#"{"type":4}"#, "type id does not fit"),
        (r#"{"type":2},{"type":2}"#, "comes once, before all slots"),
        (r#""retired",{"type":2}"#, "comes once, before all slots"),
        (r#"{"type":-2}"#, "-2"),
    ] {
        let text = format!("{{\"floor\":0,\"slots\":[{slots}]}}");
        let error = error_of::<SlotMap<Compact, u8>>(&text);
        assert!(error.contains(part), "{text}: {error}");
    }
    assert!(
        error_of::<SlotMap<DefaultKey, u8>>(r#"{"floor":0,"slots":[{"type":1}]}"#).contains("fit")
    );
}
