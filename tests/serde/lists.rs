//! Pools of lists.

use crate::{error_of, through};
use serde::{Deserialize, Deserializer};
use stayput::{DefaultKey, ListPool, SlotMap};
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
