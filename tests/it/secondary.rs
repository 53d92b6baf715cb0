//! Secondary maps: the model test, user code that panics, far indices, limits.

use crate::helpers::key;
use crate::ledger::{Ledger, Token, panic_message};
use crate::made;
use crate::secondary_op::{Config, Model, Op};
use crate::slot_map_op::{Compact, Plain, SmallTagged, Tagged};
use stayput::secondary::Entry;
use stayput::{DefaultKey, ErrorKind, Key, SecondaryMap, SparseSecondaryMap, new_key_type};

/// Runs random operations, and reports the shortest list that fails.
fn agrees_with_the_model<K: Key, const PAD: usize>(cases: u32) {
    made::run_with(cases, 1..60, |config: Config, ops: &[Op]| {
        Model::<K, PAD>::run(config, ops);
    });
}

#[test]
fn plain_keys_agree_with_the_model() {
    agrees_with_the_model::<Plain, 0>(20);
}

#[test]
#[cfg(target_pointer_width = "64")]
fn plain_keys_agree_with_the_model_where_indices_are_soon_far() {
    if stayput::VmVec::<u8>::new().max_len() < 1 << 33 {
        eprintln!("skipped: the default reservation ends before indices are far");
        return;
    }
    // Without optimizations, many copies of a value are on the stack, which twice as large ones would overflow.
    agrees_with_the_model::<Plain, 8_184>(10);
}

#[test]
fn tagged_keys_agree_with_the_model() {
    agrees_with_the_model::<Tagged, 44>(20);
}

#[test]
fn compact_keys_agree_with_the_model() {
    agrees_with_the_model::<Compact, 4>(20);
}

#[test]
fn tiny_keys_agree_with_the_model() {
    agrees_with_the_model::<SmallTagged, 0>(20);
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_far_index_commits_nothing_and_the_error_says_what_to_do() {
    let mut map: SecondaryMap<DefaultKey, [u64; 7]> = SecondaryMap::new();
    let far = key(u32::MAX, 1);
    for values in 0..2 {
        let before = map.stats();
        let refused = map.try_insert(far, [1; 7]).unwrap_err();
        assert_eq!(refused.value, [1; 7]);
        assert_eq!(refused.error.kind(), ErrorKind::FarIndex);
        assert_eq!(refused.error.bytes(), 64 << 32);
        assert_eq!(refused.error.limit(), Some((1 << 20) + 16 * (values + 1)));
        let text = refused.error.to_string();
        for part in ["256.0 GiB", "reserve", "set_capacity", "SparseSecondaryMap"] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        assert_eq!(map.try_entry(far).unwrap_err().kind(), ErrorKind::FarIndex);
        for message in [
            panic_message(|| map.insert(far, [1; 7])),
            panic_message(|| map.entry(far).is_some()),
            panic_message(|| map.extend([(far, [1; 7])])),
        ] {
            assert!(message.contains("set_capacity"), "{message}");
        }
        assert_eq!(map.stats(), before);
        assert_eq!(map.get(far), None);
        assert_eq!(map.remove(far), None);
        assert_eq!(map.stats(), before);
        map.insert(key(0, 1), [0; 7]);
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_limit_of_far_indices_is_exact_and_follows_announcements() {
    // 64 MiB are 1024 slots.
    type Large = [u8; (64 << 10) - 4];
    // With an explicit maximum, since the default may be less.
    let mut map: SecondaryMap<DefaultKey, Box<u8>> = SecondaryMap::with_max_len(1 << 24);
    let mut large: SecondaryMap<DefaultKey, Large> = SecondaryMap::with_max_len(1 << 14);
    let refused = large.try_entry(key(1024 + 16, 1)).unwrap_err();
    assert_eq!(refused.limit(), Some(1024 + 16));
    assert!(large.try_entry(key(1024 + 15, 1)).is_ok());
    // A place without a value does not count.
    assert_eq!(large.try_entry(key(1024 + 16, 1)).unwrap_err().limit(), Some(1024 + 16));
    large.set_capacity(5000);
    assert!(large.capacity() >= 5000);
    for index in [5000, 16_383, u32::MAX - 16_384] {
        let error = large.try_entry(key(5000, 1)).unwrap_err();
        assert_eq!((error.kind(), error.limit()), (ErrorKind::FarIndex, Some(5000)), "{index}");
    }
    assert!(large.try_entry(key(4999, 1)).is_ok());
    large.reserve(1000);
    assert_eq!(large.try_entry(key(6000, 1)).unwrap_err().limit(), Some(6000));
    let built: SecondaryMap<DefaultKey, Large> =
        SecondaryMap::builder().max_len(1 << 14).capacity(2000).build();
    assert_eq!(built.clone().try_entry(key(2000, 1)).unwrap_err().limit(), Some(1024 + 16));
    let mut built = built;
    assert_eq!(built.try_entry(key(2000, 1)).unwrap_err().limit(), Some(2000));
    built.shrink_to_fit();
    assert_eq!(built.try_entry(key(2000, 1)).unwrap_err().limit(), Some(1024 + 16));

    // Announced indices are near, in any order.
    map.set_capacity(12_000_000);
    let capacity = map.capacity();
    for index in [9_000_000, 11_999_999, 0] {
        assert_eq!(map.insert(key(index, 1), Box::new(7)), None);
        assert_eq!(map.capacity(), capacity);
    }
    assert_eq!(map.len(), 3);
    #[cfg(target_os = "linux")]
    assert!(map.stats().resident_bytes < Some(8 << 20));
}

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn very_large_values_are_committed_one_by_one() {
    let mut map: SecondaryMap<DefaultKey, [[u8; 1 << 20]; 65]> = SecondaryMap::with_max_len(64);
    assert!(map.try_entry(key(1, 1)).is_ok());
    let error = map.try_entry(key(16, 1)).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::FarIndex, Some(16)));
    assert_eq!(map.try_entry(key(64, 1)).unwrap_err().kind(), ErrorKind::MaxLen);
}

/// A slot takes 16 KiB, so 4096 are near.
type Wide = [u32; 4095];

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn far_keys_do_not_raise_the_limit_of_far_indices() {
    let mut map: SecondaryMap<DefaultKey, Wide> = SecondaryMap::with_max_len(1 << 18);
    let mut taken = 0;
    for _ in 0..2 {
        // Each as far as possible.
        for doubling in (0..18).rev() {
            let index = (1 << doubling) - 1;
            taken += u32::from(map.try_insert(key(index, 1), [1; 4095]).is_ok());
        }
        let limit = map.try_entry(key(u32::MAX >> 14, 1)).map_or_else(|e| e.limit(), |_| None);
        assert!(limit <= Some(4096 + 16 * 20), "{limit:?}");
        // Memory committed ahead announces nothing.
        map.prefault_ahead(stayput::Budget::bytes(1 << 20));
    }
    assert_eq!(taken, 2 * 13);
    let stats = map.stats();
    assert!(stats.slots == 4096 && stats.committed_bytes <= 128 << 20, "{stats:?}");
}

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn keys_of_a_large_map_may_be_inserted_together_in_any_order() {
    const SLOTS: u32 = 12_000;
    let empty = || SecondaryMap::<DefaultKey, Wide>::with_max_len(1 << 20);
    // A value in every eighth slot, the highest first.
    let pairs = || (0..SLOTS).step_by(8).rev().map(|index| (key(index, 2), [index; 4095]));
    let holds_all = |map: &SecondaryMap<DefaultKey, Wide>| {
        map.len() == SLOTS as usize / 8
            && map.iter().rev().eq(pairs()
                .map(|(key, _)| key)
                .zip(pairs().map(|(_, value)| value).collect::<Vec<_>>().iter()))
    };
    let mut map = empty();
    // One by one, the first is far.
    let (first, value) = pairs().next().expect("there are some");
    assert_eq!(map.try_insert(first, value).unwrap_err().error.kind(), ErrorKind::FarIndex);
    assert!(panic_message(|| map.insert(first, value)).contains("set_capacity"));
    map.extend(pairs());
    assert!(holds_all(&map));

    // Once announced, each can be inserted alone.
    let mut map = empty();
    map.set_capacity(SLOTS as usize);
    pairs().for_each(|(key, value)| assert!(map.insert(key, value).is_none()));
    assert!(holds_all(&map));

    // Alternately from both ends, by reference, and from an iterator without a known length.
    let mut map = empty();
    let values: Vec<_> = pairs().filter(|(key, _)| key.index() > 0).collect();
    let (high, low) = values.split_at(values.len() / 2);
    let by_turns = high.iter().zip(low.iter().rev()).flat_map(|(high, low)| [high, low]);
    map.extend(by_turns.map(|(key, value)| (*key, value)));
    map.extend(pairs());
    assert!(holds_all(&map));
}

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn waiting_values_are_inserted_in_order_and_dropped_if_they_stay_far() {
    let ledger = Ledger::new();
    let mut map: SecondaryMap<DefaultKey, (Token<'_>, Wide)> = SecondaryMap::with_max_len(1 << 20);
    let value = |n| (ledger.token(n), [0; 4095]);
    // The older key is too late, the same one occurs twice, and null is never inserted.
    let pair = |(index, generation, n)| (key(index, generation), value(n));
    let mut pairs: Vec<_> =
        [(4200, 2, 1), (4200, 1, 2), (4300, 1, 3), (4300, 1, 4), (3, 1, 5)].map(pair).into();
    pairs.push((DefaultKey::null(), value(6)));
    pairs.extend((4301..4320).map(|index| pair((index, 7, index))));
    map.extend(pairs);
    assert_eq!(map.len(), 3 + 19);
    let at = |index, generation| map.get(key(index, generation)).map(|value| value.0.value);
    assert_eq!(
        [at(4200, 2), at(4200, 1), at(4300, 1), at(3, 1)],
        [Some(1), None, Some(4), Some(5)]
    );
    assert_eq!(map.stats().slots, 4320);

    // Near pairs were inserted before a far one was refused.
    let pairs = [(9, 1, 7), (100_000, 1, 8), (10, 1, 9), (100_001, 1, 10)].map(pair);
    let before = map.stats().committed_bytes;
    assert!(panic_message(|| map.extend(pairs)).contains("SparseSecondaryMap"));
    assert_eq!((map.len(), map.stats().committed_bytes), (24, before));
    drop(map);
    ledger.assert_all_dropped_but(0);
}

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn values_for_one_slot_count_once_when_inserted_together() {
    let mut map: SecondaryMap<DefaultKey, Wide> = SecondaryMap::with_max_len(1 << 18);
    let value = |n| [n; 4095];
    // The same key, newer ones and older ones: only one of them can remain.
    for generations in [[7; 20], std::array::from_fn(|n| [1, 2, 3][n % 3]), [9; 20]] {
        let pairs = generations.map(|generation| key(4096 + 16 * 20 - 1, generation));
        let pairs = pairs.into_iter().chain(pairs.into_iter().rev());
        let message = panic_message(|| map.extend(pairs.map(|key| (key, value(1)))));
        assert!(message.contains("only indices below 4112 are accepted"), "{message}");
        assert_eq!((map.stats().slots, map.len()), (0, 0));
    }
    // With another key it is near, and the last value of the newest key remains.
    let last = 4096 + 16 * 2 - 1;
    let pairs = [(last, 3), (last, 4), (last, 3), (last, 4), (last, 2), (last - 1, 1)];
    let keys = pairs.map(|(index, generation)| key(index, generation));
    map.extend(keys.into_iter().zip([1, 2, 3, 4, 5, 6].map(value)));
    assert_eq!((map.stats().slots, map.len()), (last as usize + 1, 2));
    assert_eq!((map[keys[3]], map[keys[5]]), (value(4), value(6)));
    // The last one is just near once all others are counted, whether it occurs again after them or not.
    let last = 4096 + 16 * 3 - 1;
    for indices in [&[2, last, 0][..], &[2, last, 0, last]] {
        let mut map: SecondaryMap<DefaultKey, Wide> = SecondaryMap::with_max_len(last as usize + 1);
        map.extend(indices.iter().zip(1..).map(|(index, n)| (key(*index, 1), value(n))));
        assert_eq!((map.stats().slots, map.len()), (last as usize + 1, 3));
        assert_eq!(map[key(last, 1)][0] as usize, if indices.len() > 3 { 4 } else { 2 });
    }
}

#[test]
fn entries_of_consecutive_keys_are_filled_or_stay_vacant() {
    let mut map: SecondaryMap<DefaultKey, u32> = SecondaryMap::new();
    for n in 0..1000 {
        match map.entry(key(n, 1)).expect("it is neither null nor stale") {
            Entry::Vacant(entry) if n % 3 > 0 => assert_eq!(*entry.insert(n), n),
            entry => assert!(matches!(entry, Entry::Vacant(_))),
        }
        assert_eq!(map.len(), (n - n / 3) as usize);
    }
    assert!(map.values().copied().eq((0..1000).filter(|n| n % 3 > 0)));
    map.extend((0..1000).map(|n| (key(n, 1), n)));
    assert!(map.values().copied().eq(0..1000));
}

#[test]
fn max_len_and_the_bits_of_keys_are_limits() {
    new_key_type! { struct Small: stayput::Bits32<6, 20, 6>; }
    let mut map: SecondaryMap<DefaultKey, u32> = SecondaryMap::with_max_len(100);
    assert_eq!(map.max_len(), 100);
    assert_eq!(map.insert(key(99, 1), 1), None);
    // Sizes far beyond `isize::MAX` overflow, whatever the maximum; on 32-bit systems they exist.
    let last = if usize::BITS > 32 { u32::MAX } else { 200_000_000 };
    for index in [100, 40_000_000, last] {
        let error = map.try_insert(key(index, 1), 2).unwrap_err().error;
        assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(100)));
    }
    assert_eq!(map.try_set_capacity(101).unwrap_err().kind(), ErrorKind::MaxLen);
    assert_eq!(map.try_reserve(1).unwrap_err().kind(), ErrorKind::MaxLen);
    assert!(map.try_set_capacity(100).is_ok());
    // Pairs that are inserted together are refused for the same reason.
    let mut few: SecondaryMap<DefaultKey, Wide> = SecondaryMap::with_max_len(5000);
    let message = panic_message(|| few.extend(Some((key(5000, 1), [0; 4095]))));
    assert!(message.contains("max_len") && few.is_empty(), "{message}");
    // Slots that exist count to the capacity.
    let mut half: SecondaryMap<DefaultKey, u32> = SecondaryMap::with_max_len(2_000_000);
    half.insert(key(999_999, 1), 1);
    assert!(half.capacity() < 2_000_000);
    half.set_capacity(2_000_000);
    assert_eq!(half.capacity(), 2_000_000);

    let mut small: SecondaryMap<Small, u32> = SecondaryMap::new();
    assert_eq!(small.max_len(), 64);
    small.insert(key(63, 1), 1);
    for error in [
        small.try_set_capacity(65).unwrap_err(),
        small.try_reserve(1).unwrap_err(),
        small.try_reserve(usize::MAX).unwrap_err(),
        SecondaryMap::<Small, u32>::try_with_max_len(65).unwrap_err(),
    ] {
        assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(64)));
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "Miri stops the program when its own memory does not suffice")]
fn refusals_by_the_allocator_are_errors() {
    let mut map: SparseSecondaryMap<DefaultKey, [u8; 100]> = SparseSecondaryMap::with_capacity(5);
    assert!(map.capacity() >= 5);
    map.insert(key(u32::MAX, 1), [1; 100]);
    let error = map.try_reserve(usize::MAX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    let error = map.try_reserve(usize::MAX / 1000).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(error.bytes() > usize::MAX / 1000);
    assert!(panic_message(|| map.reserve(usize::MAX / 1000)).contains("memory"));
    assert_eq!(map.iter().next(), Some((key(u32::MAX, 1), &[1; 100])));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn shrinking_ends_after_the_last_value() {
    let mut map: SecondaryMap<DefaultKey, u64> =
        (0..100_000).map(|n| (key(n, 7), u64::from(n))).collect();
    map.retain(|key, _| key.index() < 10);
    map.shrink_to_fit();
    let stats = map.stats();
    assert_eq!((stats.live, stats.slots), (10, 10));
    assert!(stats.committed_bytes <= 256 << 10);
    let mut sparse: SparseSecondaryMap<DefaultKey, u64> = SparseSecondaryMap::with_capacity(1000);
    sparse.extend(map.iter().map(|(key, n)| (key, *n)));
    sparse.shrink_to_fit();
    assert!((10..100).contains(&sparse.capacity()) && sparse.len() == 10);
    // Slots committed again are empty, whatever they held before.
    map.insert(key(99_999, 1), 1);
    assert_eq!(map.len(), 11);
    assert_eq!(map.iter().count(), 11);
    assert_eq!(map.get(key(50, 7)), None);
    map.clear();
    map.shrink_to_fit();
    assert_eq!(map.stats().slots, 0);
}

#[test]
fn a_missing_key_panics_with_its_name() {
    let dense: SecondaryMap<DefaultKey, u8> = SecondaryMap::new();
    let sparse: SparseSecondaryMap<DefaultKey, u8> = SparseSecondaryMap::new();
    assert!(panic_message(|| dense[key(4, 2)]).contains("4v2"));
    assert!(panic_message(|| sparse[DefaultKey::null()]).contains("null"));
}

#[test]
fn everything_can_be_printed() {
    let mut dense = SecondaryMap::from_iter([(key::<DefaultKey>(3, 2), "a")]);
    let mut sparse: SparseSecondaryMap<_, _> =
        [(key::<DefaultKey>(3, 2), "a")].into_iter().collect();
    let text = format!("{:?}", (&dense, &sparse));
    assert_eq!(text, format!("({{{0:?}: \"a\"}}, {{{0:?}: \"a\"}})", key::<DefaultKey>(3, 2)));
    let texts = [
        format!("{:?}", dense.entry(key(3, 2))),
        format!("{:?}", sparse.entry(key(3, 2))),
        format!("{:?}", dense.entry(key(3, 4))),
        format!("{:?}", sparse.entry(key(3, 4))),
        format!("{:?}", sparse.entry(key(5, 4))),
        format!("{:?} {:?} {:?}", sparse.iter(), sparse.keys(), sparse.values()),
        format!("{:?} {:?}", sparse.drain(), dense.drain()),
    ];
    for text in texts {
        assert!(text.contains("key") || text.contains("left: 1"), "{text}");
    }
}

#[test]
fn the_maps_are_send_sync_and_covariant() {
    use static_assertions::{assert_impl_all, assert_not_impl_any};
    use std::rc::Rc;
    assert_impl_all!(SecondaryMap<DefaultKey, u8>: Send, Sync, Unpin);
    assert_impl_all!(SparseSecondaryMap<DefaultKey, u8>: Send, Sync, Unpin);
    assert_not_impl_any!(SecondaryMap<DefaultKey, Rc<u8>>: Send, Sync);
    assert_not_impl_any!(SparseSecondaryMap<DefaultKey, Rc<u8>>: Send, Sync);

    fn shorter<'a>(
        dense: SecondaryMap<DefaultKey, &'static str>,
        sparse: SparseSecondaryMap<DefaultKey, &'static str>,
    ) -> (SecondaryMap<DefaultKey, &'a str>, SparseSecondaryMap<DefaultKey, &'a str>) {
        (dense, sparse)
    }
    let _ = shorter(SecondaryMap::new(), SparseSecondaryMap::new());
}
