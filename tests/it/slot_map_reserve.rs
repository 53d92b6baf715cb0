//! Memory can be reserved for as many values as can be inserted, and for no more.

use crate::made;
use crate::slot_map_op::{Once, Small, Tagged};
use stayput::{
    Bits32, ErrorKind, Key, Reuse, SecondaryMap, SlotMap, SparseSecondaryMap, new_key_type,
};

new_key_type! {
    /// 8 slots, each used 3 times.
    struct Few: Bits32<3, 2>;
}

/// With values so large that blocks are trimmed.
type Value = [u8; 1000];

arbitrary! {
    enum Op {
        Insert,
        Fill,
        Remove(u8),
        RemoveMany(u8),
        Detach(u8),
        Clear,
        Trim,
        Shrink,
        Reset,
    }
}

fn run<K: Key>(map: &mut SlotMap<K, Value>, op: Op) {
    let nth = |map: &SlotMap<K, Value>, n: u8| map.keys().nth(usize::from(n) % map.len().max(1));
    match op {
        Op::Insert => {
            let _ = map.try_insert([1; 1000]);
        }
        Op::Fill => {
            for _ in 0..70 {
                let _ = map.try_insert([2; 1000]);
            }
        }
        Op::Remove(n) => drop(nth(map, n).and_then(|key| map.remove(key))),
        Op::RemoveMany(n) => map.retain(|key, _| key.index() % 7 < u32::from(n) % 7),
        Op::Detach(n) => drop(nth(map, n).and_then(|key| map.detach(key))),
        Op::Clear => map.clear(),
        Op::Trim => map.trim(),
        Op::Shrink => map.shrink_to_fit(),
        Op::Reset => map.reset(),
    }
}

/// Reserves for `count` values by each method that does so. If that succeeds, that many fit without growing.
fn room<K: Key>(map: &SlotMap<K, Value>, count: usize) -> Result<(), ErrorKind> {
    let mut reserved = map.clone();
    let result = reserved.try_reserve(count).map_err(|error| error.kind());
    let mut exact = map.clone();
    assert_eq!(exact.try_reserve_exact(count).map_err(|error| error.kind()), result);
    assert!(exact.capacity() <= reserved.capacity());
    let prefaulted = map.clone().try_prefault(count).map_err(|error| error.kind());
    assert_eq!(
        (prefaulted, map.clone().grow_only().try_reserve(count).is_ok()),
        (result, result.is_ok())
    );
    for stats in [reserved.stats(), exact.stats()] {
        let used = stats.live + stats.detached + stats.retired;
        assert!(result.is_err() || stats.capacity - used >= count, "{count} in {stats:?}");
    }
    result
}

fn room_is_what_can_be_filled<K: Key>(cases: u32) {
    made::run_with(cases, 0..30, |(max_len, min_free): (Option<u8>, Option<u8>), ops: &[Op]| {
        let mut builder = SlotMap::<K, Value>::builder();
        if let Some(max_len) = max_len {
            let most = SlotMap::<K, Value>::with_key().max_len();
            builder = builder.max_len(usize::from(max_len % 20).min(most));
        }
        if let Some(min_free) = min_free {
            let min_free = if min_free < 200 { (min_free % 20).into() } else { usize::MAX };
            builder = builder.reuse(Reuse::Rotating { min_free });
        }
        let mut map = builder.build();
        for op in ops {
            run(&mut map, *op);
        }
        let mut filled = map.clone();
        let fit = (0..100).take_while(|_| filled.try_insert([3; 1000]).is_ok()).count();
        for count in [0, fit.min(1), fit / 2, fit.saturating_sub(1), fit] {
            assert_eq!(room(&map, count), Ok(()), "{count} of {fit}");
        }
        if fit < 100 {
            let kind = filled.try_insert([4; 1000]).unwrap_err().error.kind();
            assert_eq!(room(&map, fit + 1), Err(kind));
            assert!(room(&map, usize::MAX).is_err());
        }
    });
}

#[test]
fn reserving_matches_inserting_for_keys_used_once() {
    room_is_what_can_be_filled::<Once>(37);
}

#[test]
fn reserving_matches_inserting_for_few_slots_and_generations() {
    room_is_what_can_be_filled::<Few>(37);
}

#[test]
fn reserving_matches_inserting_for_trimmed_blocks() {
    room_is_what_can_be_filled::<Small>(37);
}

#[test]
fn reserving_matches_inserting_for_unused_slots() {
    room_is_what_can_be_filled::<Tagged>(15);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn reserving_exactly_ends_at_a_page() {
    let slots = 100_000;
    let mut map: SlotMap<Tagged, Value> = SlotMap::with_key();
    map.reserve_exact(slots);
    let page = stayput::page_size() / size_of::<Value>() + 1;
    assert!((slots..=slots + page).contains(&map.capacity()), "{}", map.capacity());
}

#[test]
fn constructors_take_the_requested_capacity_or_return_an_error() {
    assert_eq!(SlotMap::<_, u8>::try_with_max_len(100).map(|map| map.max_len()), Ok(100));
    assert!(SlotMap::<_, u8>::try_with_capacity(100).is_ok_and(|map| map.capacity() >= 100));
    let small = SlotMap::<Small, u8>::try_with_max_len_and_key(64);
    assert_eq!(small.map(|map| map.max_len()), Ok(64));
    for refused in [
        SlotMap::<Small, u8>::try_with_max_len_and_key(65).map(drop),
        SlotMap::<Small, u8>::try_with_capacity_and_key(65).map(drop),
        SecondaryMap::<Small, u8>::try_with_capacity(65).map(drop),
    ] {
        let error = refused.unwrap_err();
        assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(64)));
    }
    assert!(SecondaryMap::<Small, u8>::try_with_capacity(64).is_ok_and(|map| map.capacity() >= 64));
    let sparse = SparseSecondaryMap::<Small, u8>::try_with_capacity(100);
    assert!(sparse.is_ok_and(|map| map.capacity() >= 100));
    let refused = SparseSecondaryMap::<Small, [u8; 100]>::try_with_capacity(usize::MAX);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::CapacityOverflow);
}
