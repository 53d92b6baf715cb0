//! Pools of lists.

use crate::{error_of, through};
use serde::{Deserialize, Deserializer};
use stayput::{DefaultKey, ListPool, SecondaryLists, SecondaryMap, SlotMap, StrPool};
use std::sync::atomic::{AtomicIsize, Ordering};

#[test]
fn lists_keep_their_keys() {
    let mut pool: ListPool<String> =
        (0..20).map(|n| (0..n % 6).map(move |at| format!("{n}.{at}"))).collect();
    let keys: Vec<DefaultKey> = pool.keys().collect();
    for key in keys.iter().step_by(3) {
        pool.remove_list(*key);
    }
    for mut read in through(&pool) {
        assert!(read.iter().eq(pool.iter()));
        assert_eq!(read.get(keys[3]), None);
        let mut original = pool.clone();
        for _ in 0..10 {
            assert_eq!(read.insert_list([]), original.insert_list([]));
        }
    }
}

#[test]
fn lists_have_the_form_of_a_map_of_arrays() {
    let pool: ListPool<u32> = [vec![1, 2], vec![], vec![3]].into_iter().collect();
    let text = serde_json::to_string(&pool).unwrap();
    let map: SlotMap<DefaultKey, Vec<u32>> = serde_json::from_str(&text).unwrap();
    assert!(map.iter().map(|(key, list)| (key, &list[..])).eq(&pool));
    assert_eq!(serde_json::to_string(&map).unwrap(), text);
    let bytes = postcard::to_stdvec(&map).unwrap();
    assert!(postcard::from_bytes::<ListPool<u32>>(&bytes).unwrap().iter().eq(&pool));
}

#[test]
fn strings_have_the_form_of_a_map_of_strings() {
    let mut pool: StrPool = ["one", "", "zwölf", "one"].into_iter().collect();
    let removed = pool.insert("gone");
    pool.remove(removed);
    let text = serde_json::to_string(&pool).unwrap();
    let map: SlotMap<DefaultKey, String> = serde_json::from_str(&text).unwrap();
    assert!(map.iter().map(|(key, text)| (key, &text[..])).eq(pool.iter()));
    assert_eq!(serde_json::to_string(&map).unwrap(), text);
    for mut read in through(&pool) {
        assert!(read.iter().eq(pool.iter()));
        assert_eq!(read.find("one"), None);
        assert_eq!(read.insert("next"), pool.clone().insert("next"));
        read.start_interning();
        assert_eq!(read.find("one"), pool.keys().next());
    }
    let not_utf8 = postcard::to_stdvec(&[[0xFF_u8; 2]].into_iter().collect::<ListPool<u8>>());
    assert!(postcard::from_bytes::<StrPool>(&not_utf8.unwrap()).is_err());
}

#[test]
fn lists_of_keys_have_the_form_of_a_secondary_map_of_arrays() {
    let mut nodes: SlotMap<DefaultKey, u32> = (0..100).collect();
    let mut lists: SecondaryLists<DefaultKey, u32> = SecondaryLists::new();
    let mut map = SecondaryMap::new();
    for (key, node) in &nodes {
        if node % 3 != 0 {
            lists.entry(key).extend(0..node % 7);
            map.insert(key, (0..node % 7).collect::<Vec<u32>>());
        }
    }
    nodes.clear();
    let text = serde_json::to_string(&lists).unwrap();
    assert_eq!(text, serde_json::to_string(&map).unwrap());
    for read in through(&lists) {
        assert!(read.iter().eq(lists.iter()));
    }
    assert_eq!(serde_json::from_str::<SecondaryMap<DefaultKey, Vec<u32>>>(&text).unwrap(), map);
    let twice = format!("[{0},{0}]", &text[1..=text.find("],[").unwrap()]);
    let error = error_of::<SecondaryLists<DefaultKey, u32>>(&twice);
    assert!(error.contains("twice"), "{error}");
}

/// The highest index decides, whatever the order, as for a `SecondaryMap`.
#[test]
fn far_keys_of_lists_are_accepted_with_many_lists_and_refused_with_few() {
    let nodes: SlotMap<DefaultKey, ()> = (0..3_000_000).map(|_| ()).collect();
    let keys: Vec<DefaultKey> = nodes.keys().collect();
    let every = |step: usize| {
        let mut lists = SecondaryLists::new();
        lists.set_capacity(keys.len());
        for key in keys.iter().step_by(step) {
            lists.entry(*key).push(1_u8);
        }
        postcard::to_stdvec(&lists).unwrap()
    };
    let read = |bytes: &[u8]| postcard::from_bytes::<SecondaryLists<DefaultKey, u8>>(bytes);
    let near = read(&every(10)).unwrap();
    assert_eq!(near.len(), 300_000);
    assert!(read(&every(2_999_999)).is_err());
}

#[test]
fn invalid_lists_are_refused() {
    let text = |slots: &str| format!(r#"{{"floor":0,"slots":[{slots}]}}"#);
    let error = error_of::<ListPool<u32>>(&text(r#"{"live":[0,[1,2]]}"#));
    assert!(error.contains("generation"), "{error}");
    let error = error_of::<ListPool<u32>>(&text(r#"{"live":[1,[1,"two"]]}"#));
    assert!(error.contains("invalid type"), "{error}");
    let error = error_of::<ListPool<u32>>(r#"{"floor":0,"lists":[]}"#);
    assert!(error.contains("unknown field"), "{error}");
}

#[test]
fn elements_are_dropped_if_a_later_slot_is_refused() {
    static LIVE: AtomicIsize = AtomicIsize::new(0);

    struct Counted;

    impl<'de> Deserialize<'de> for Counted {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            u32::deserialize(deserializer)?;
            LIVE.fetch_add(1, Ordering::Relaxed);
            Ok(Self)
        }
    }

    impl Drop for Counted {
        fn drop(&mut self) {
            LIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }

    for generation in [0, 1] {
        let text = format!(
            r#"{{"floor":0,"slots":[{{"live":[1,[1,2,3]]}},{{"live":[{generation},[4]]}},{{"live":[0,[5]]}}]}}"#
        );
        assert!(serde_json::from_str::<ListPool<Counted>>(&text).is_err());
        assert_eq!(LIVE.load(Ordering::Relaxed), 0);
    }
}
