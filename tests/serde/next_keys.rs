//! A deserialized map creates the keys that the original would have created.

use crate::history::{Calls, Dice, History, ORDERS};
use crate::{Small, error_of, through};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use stayput::{
    DefaultKey, DenseSlotMap, Key, Reuse, SharedSlotMap, SlotMap, Table, Tagged64, indices,
    new_key_type,
};
use std::collections::HashSet;

new_key_type! {
    struct Tagged: Tagged64;
}

fn made<K: Key, V: Copy>(reuse: Reuse, seed: u64, value: V) -> (SlotMap<K, V>, History<K>) {
    let mut map = SlotMap::builder().reuse(reuse).build();
    let mut history = History::new(seed);
    history.go_on(&mut map, value, Calls::All, 120);
    (map, history)
}

fn keys_go_on_as_before<K: Key, V>(value: V, seeds: u64)
where
    V: Copy + Serialize + DeserializeOwned,
{
    for (seed, reuse) in (0..seeds).flat_map(|seed| ORDERS.map(|reuse| (seed, reuse))) {
        let (mut map, history) = made::<K, V>(reuse, seed, value);
        let reads = through(&map);
        let mut original = history.clone();
        original.go_on(&mut map, value, Calls::WithoutGivingBack, 120);
        for mut read in reads {
            let mut history = history.clone();
            history.go_on(&mut read, value, Calls::WithoutGivingBack, 120);
            assert!(history.made == original.made, "{reuse:?}, seed {seed}");
        }
    }
}

#[test]
fn a_round_trip_continues_with_the_same_keys_in_every_order() {
    keys_go_on_as_before::<DefaultKey, u32>(7, 8);
    keys_go_on_as_before::<DefaultKey, [u64; 30]>([7; 30], 4);
    keys_go_on_as_before::<Small, ()>((), 4);
    keys_go_on_as_before::<Tagged, u8>(7, 2);
}

#[test]
fn repeated_round_trips_write_the_same_text() {
    for (seed, reuse) in (0..3).flat_map(|seed| ORDERS.map(|reuse| (seed, reuse))) {
        let (map, _) = made::<DefaultKey, u8>(reuse, seed, 7);
        let text = serde_json::to_string(&map).unwrap();
        for read in through(&map) {
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }
}

indices! {
    struct ByNumber for u32 {
        number: Many<u32> = |number| number,
    }
}

indices! {
    struct ByFirst for Page {
        first: Many<u8> = |page| &page.0[0],
    }
}

/// The keys of random insertions and removals.
macro_rules! keys {
    ($map:expr, $seed:expr, $insert:expr) => {{
        let (mut dice, mut keys, mut live) = (Dice::new($seed), Vec::new(), Vec::new());
        for n in 0..600_u32 {
            if dice.roll(2) == 0 {
                let key = $insert(&mut $map, n);
                keys.push(key);
                live.push(key);
            } else if !live.is_empty() {
                $map.remove(live.swap_remove(dice.roll(live.len())));
            }
        }
        keys
    }};
}

#[test]
fn containers_with_a_slot_map_continue_with_the_same_keys() {
    for reuse in ORDERS {
        let mut dense: DenseSlotMap<DefaultKey, u32> = DenseSlotMap::builder().reuse(reuse).build();
        keys!(dense, 1, DenseSlotMap::insert);
        for mut read in through(&dense) {
            let (read, was) = (keys!(read, 2, DenseSlotMap::insert), dense.clone());
            let mut dense = was;
            assert!(read == keys!(dense, 2, DenseSlotMap::insert), "{reuse:?}");
        }

        let mut table: Table<u32, ByNumber> = Table::builder().reuse(reuse).build();
        keys!(table, 1, Table::insert);
        let reads = through(&table);
        let keys = keys!(table, 2, Table::insert);
        for mut read in reads {
            assert!(keys == keys!(read, 2, Table::insert), "{reuse:?}");
        }

        let mut shared: SharedSlotMap<DefaultKey, u32> =
            SharedSlotMap::builder().reuse(reuse).build();
        let insert = |map: &mut SharedSlotMap<DefaultKey, u32>, n| map.insert(n).0;
        keys!(shared, 1, insert);
        let text = serde_json::to_string(&*shared.as_mut_map()).unwrap();
        let mut read: SharedSlotMap<DefaultKey, u32> = serde_json::from_str(&text).unwrap();
        assert!(keys!(shared, 2, insert) == keys!(read, 2, insert), "{reuse:?}");
    }
}

#[test]
fn a_map_with_few_values_left_continues_with_the_same_keys() {
    for len in [200, 1000, 5000, 20_000] {
        let mut map: SlotMap<DefaultKey, u32> = (0..len).collect();
        let keys: Vec<_> = map.keys().collect();
        // All over the map, in an order without runs.
        let order: Vec<_> = (0..keys.len()).map(|at| keys[at * 7919 % keys.len()]).collect();
        for parts in order.chunks(keys.len() / 5) {
            let go_on = |mut map: SlotMap<DefaultKey, u32>| -> Vec<_> {
                let removed = order.iter().filter_map(|key| map.remove(*key)).step_by(3);
                let values: Vec<_> = removed.collect();
                values.into_iter().map(|n| map.insert(n)).collect()
            };
            let made = go_on(map.clone());
            for read in through(&map) {
                assert!(go_on(read) == made, "{} of {len} values are left", map.len());
            }
            map.remove_many(parts.iter().copied());
        }
    }
}

#[test]
fn a_map_that_grows_while_it_is_shared_continues_with_the_same_keys() {
    // More slots are near than there are.
    let mut map: SlotMap<DefaultKey, u32> = (0..8190).collect();
    let keys: Vec<_> = map.keys().collect();
    map.remove_many(keys[..5000].iter().copied());
    map.extend(0..5000);
    let go_on = |map: SlotMap<DefaultKey, u32>| {
        let shared = SharedSlotMap::from(map);
        (0..1810).for_each(|n| _ = shared.insert(n));
        let mut map = shared.into_inner();
        let keys: Vec<_> = map.keys().collect();
        map.remove_many([8200].into_iter().chain(0..6000).chain([9000]).map(|at| keys[at]));
        [(); 10].map(|()| map.insert(7))
    };
    let made = go_on(map.clone());
    assert!(through(&map).map(go_on) == [made; 2]);
}

#[test]
fn text_without_the_next_keys_is_read() {
    let text = r#"{"floor":3,"slots":[{"live":[1,7]},{"hole":1},{"hole":5}]}"#;
    let mut map: SlotMap<DefaultKey, u8> = serde_json::from_str(text).unwrap();
    let keys = [(); 3].map(|()| map.insert(8));
    assert_eq!(keys.map(|key| (key.index(), key.generation())), [(1, 2), (2, 6), (3, 4)]);
}

#[test]
fn forged_next_keys_are_refused_with_the_cause() {
    type Map = SlotMap<Small, u8>;
    let map = |highest: u32, floors: &str, reuse: &str| {
        format!(
            r#"{{"floor":0,"slots":[{{"live":[1,1]}},{{"hole":1}},{{"hole":0}},"retired"],
            "next":{{"highest":{highest},"floors":{floors},"reuse":{reuse}}}}}"#
        )
    };
    let recent = |stack: &str, latest: &str| {
        let front = format!(r#""stack":{stack},"latest":{latest},"room":4,"near":4"#);
        map(1, "[]", &format!(r#"{{"recent":{{{front}}}}}"#))
    };
    for (text, part) in [
        (recent("[0]", "null"), "slot 0 cannot be filled next"),
        (recent("[3]", "null"), "slot 3 cannot be filled next"),
        (recent("[4]", "null"), "slot 4 cannot be filled next"),
        (recent("[1,1]", "null"), "slot 1 cannot be filled next"),
        (recent("[1]", "1"), "slot 1 cannot be filled next"),
        (recent("[4294967295]", "null"), "slot 4294967295 cannot be filled next"),
        (recent(&format!("{:?}", vec![1; 10_000]), "null"), "too many holes"),
        (map(1, "[[64,3]]", r#""lowest""#), "above generation 3"),
        (map(1, "[[64,1],[64,2]]", r#""lowest""#), "ranges of slots overlap"),
        (map(1, "[]", r#""highest""#), "unknown variant `highest`"),
        (map(1, "[]", r#"{"rotating":{"turn":1}}"#), "missing field `min_free`"),
    ] {
        let error = error_of::<Map>(&text);
        assert!(error.contains(part), "{text}: {error}");
    }
    for text in [
        recent("[1,2]", "null"),
        recent("[2]", "1"),
        map(u32::MAX, "[[5,2],[4294967295,1]]", r#""lowest""#),
        map(0, "[]", r#"{"rotating":{"min_free":18446744073709551615,"turn":4294967295}}"#),
    ] {
        let mut map: Map = serde_json::from_str(&text).unwrap();
        let made = map.keys().collect::<HashSet<_>>();
        let keys: Vec<_> = std::iter::from_fn(|| map.try_insert(0).ok()).collect();
        assert_eq!((keys.len(), map.len()), (14, 15), "{text}");
        assert!(keys.iter().all(|key| !made.contains(key)), "{text}");
        map.clear();
        assert!(keys.iter().all(|key| !map.contains_key(*key)), "{text}");
    }
}

/// 4 KiB that are serialized as one byte.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Page([u8; 4096]);

impl Serialize for Page {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.0[0])
    }
}

impl<'de> Deserialize<'de> for Page {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(|n| Self([n; 4096]))
    }
}

#[test]
fn vacant_slots_are_not_resident_and_keep_their_generations() {
    // Nothing but the slots themselves is to be resident.
    stayput::region_cache::set_most_bytes(0);
    stayput::service::set_automatic(false);
    let count = 40_000;
    let slot = |index: u32| (if index % 8 == 0 { "detached" } else { "hole" }, 1 + index % 3);
    let slots = |slot: &dyn Fn(u32) -> (&'static str, u32)| {
        let vacant = (0..count).map(|index| format!("{{{:?}:{}}},", slot(index).0, slot(index).1));
        format!(r#"{{"floor":0,"slots":[{}{{"live":[1,7]}}]}}"#, vacant.collect::<String>())
    };
    let map: SlotMap<DefaultKey, Page> = serde_json::from_str(&slots(&slot)).unwrap();
    let table: Table<Page, ByFirst> =
        serde_json::from_str(&slots(&|index| ("hole", slot(index).1))).unwrap();
    let stats = map.stats();
    assert_eq!((stats.live, stats.holes, stats.detached), (1, 35_000, 5_000));
    for resident in [stats.resident_bytes, table.stats().resident_bytes] {
        assert!(cfg!(not(target_os = "linux")) || resident < Some(8 << 20), "{resident:?}");
    }

    // Serialized again, trimmed, or cloned, it is the same map.
    assert!(serde_json::to_string(&map).unwrap().starts_with(slots(&slot).trim_end_matches('}')));
    let mut trimmed = map.clone();
    trimmed.trim();
    for mut map in [map.clone(), map, trimmed] {
        for index in (0..count).filter(|index| index % 8 > 0).take(500) {
            let key = map.insert(Page([0; 4096]));
            assert_eq!(key.index(), index);
            assert!(key.generation() > slot(index).1);
        }
        let detached = (0..count)
            .step_by(8)
            .map(|index| stayput::KeyData::from_parts(index, slot(index).1, 0).unwrap().into());
        for key in detached.take(500) {
            let key: DefaultKey = key;
            assert!(map.get(key).is_none());
            map.reattach(key, Page([1; 4096]));
            assert!(map.remove(key).is_some() && map.try_reattach(key, Page([2; 4096])).is_err());
        }
        assert_eq!(map.stats().live, 501);
    }
}

#[test]
fn a_hole_below_a_forged_floor_starts_above_it_after_every_round_trip() {
    let text = format!(
        r#"{{"floor":1,"slots":[{}{{"live":[1,7]}}],
        "next":{{"highest":3,"floors":[[65536,2]],"reuse":"lowest"}}}}"#,
        r#"{"hole":0},"#.repeat(10_000)
    );
    let mut map: SlotMap<DefaultKey, u8> = serde_json::from_str(&text).unwrap();
    for mut read in through(&map) {
        assert_eq!(serde_json::to_string(&read).unwrap(), serde_json::to_string(&map).unwrap());
        assert_eq!(read.insert(8).data().generation(), 2);
    }
    assert_eq!(map.insert(8).data().generation(), 2);
}

/// Mutated bytes are refused, or are a map in which each value has a key of its own.
#[test]
fn mutated_bytes_are_refused_or_a_map_with_correct_keys() {
    let mut dice = Dice::new(1);
    let mut read = 0;
    for round in 0..1500 {
        let (map, _) = made::<Small, u8>(ORDERS[round % 4], round as u64 / 100, 7);
        let mut bytes = postcard::to_stdvec(&map).unwrap();
        for _ in 0..=dice.roll(3) {
            let near_end = bytes.len().min(1 + dice.roll(60));
            let at = bytes.len() - 1 - dice.roll(near_end);
            bytes[at] = [0, 1, 2, 3, 15, 16, 127, 128, 255][dice.roll(9)];
        }
        let Ok(mut map) = postcard::from_bytes::<SlotMap<Small, u8>>(&bytes) else { continue };
        read += 1;
        let mut again: SlotMap<Small, u8> =
            postcard::from_bytes(&postcard::to_stdvec(&map).unwrap()).unwrap();
        let mut keys: HashSet<_> = map.keys().collect();
        assert_eq!(keys.len(), map.len());
        for _ in 0..40 {
            let key = map.try_insert(0).ok();
            assert_eq!(again.try_insert(0).ok(), key);
            let Some(key) = key else { break };
            assert!(keys.insert(key) && !key.is_null(), "{key:?} was made twice");
            if dice.roll(3) == 0 {
                assert!(map.remove(key) == Some(0) && again.remove(key) == Some(0));
            }
        }
        assert!(map.iter().eq(&again));
    }
    assert!((100..1400).contains(&read), "{read} were read");
}
