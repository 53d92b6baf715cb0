//! `max_len` is exact: no more elements fit, although memory is rounded up to pages.

use stayput::{
    BlockVec, Columns, DefaultKey, DenseSlotMap, Error, ErrorKind, Growth, HugePages, SecondaryMap,
    SharedSlotMap, SharedVec, SlotMap, SparseSecondaryMap, VmVec, page_size,
};

#[track_caller]
fn assert_full(error: Error, max_len: usize, bytes: usize) {
    assert_eq!(error.kind(), ErrorKind::MaxLen);
    assert_eq!(error.limit(), Some(max_len as u64));
    assert_eq!(error.bytes(), bytes);
    assert_eq!(error.raw_os_error(), None);
    let text = error.to_string();
    assert!(text.contains(&format!("`max_len` is {max_len};")), "{text}");
}

/// An array of exactly `max_len` pushed elements.
fn full(max_len: usize) -> VmVec<u32> {
    let mut vec = VmVec::with_max_len(max_len);
    for i in 0..max_len {
        vec.push(u32::try_from(i).unwrap());
    }
    vec
}

#[test]
fn an_element_past_the_maximum_is_refused_and_returned() {
    let page = page_size() / 4;
    for max_len in [0, 1, 2, page - 1, page, page + 1, 3 * page, 20_000, 65_536] {
        let mut vec = full(max_len);
        assert_eq!((vec.len(), vec.max_len(), vec.capacity()), (max_len, max_len, max_len));
        let refused = vec.try_push(77).unwrap_err();
        assert_full(refused.error, max_len, (max_len + 1) * 4);
        assert_eq!(refused.value, 77);
        assert_eq!(vec.len(), max_len);
        // Removing an element makes room for one.
        if vec.pop().is_some() {
            vec.push(1);
            assert!(vec.try_push(2).is_err());
        }
    }
}

#[test]
fn every_way_to_grow_respects_max_len() {
    let mut vec = full(5);
    assert_full(vec.try_insert(0, 9).unwrap_err().error, 5, 24);
    assert_full(vec.try_resize(7, 9).unwrap_err().error, 5, 28);
    assert_full(vec.try_resize_with(8, || unreachable!()).unwrap_err(), 5, 32);
    assert_full(vec.try_extend_from_slice(&[1, 2]).unwrap_err(), 5, 28);
    assert_full(vec.try_extend_from_within(1..3).unwrap_err(), 5, 28);
    assert_full(vec.try_append(&mut VmVec::from([1])).unwrap_err(), 5, 24);
    assert_full(vec.try_reserve(1).unwrap_err(), 5, 24);
    assert_full(vec.try_reserve_exact(2).unwrap_err(), 5, 28);
    assert_full(vec.try_prefault(1).unwrap_err(), 5, 24);
    assert_full(vec.grow_only().try_push(1).unwrap_err().error, 5, 24);
    assert_full(vec.grow_only().try_reserve(1).unwrap_err(), 5, 24);
    assert_eq!(vec, [0, 1, 2, 3, 4]);

    let mut vec = full(5);
    vec.truncate(3);
    let refused = vec.try_extend(10..20).unwrap_err();
    assert_full(refused.error, 5, 24);
    assert!(refused.value.eq(12..20));
    assert_eq!(vec, [0, 1, 2, 10, 11]);
    assert_eq!(vec.spare_capacity_mut().len(), 0);
}

#[cfg(feature = "bytemuck")]
#[test]
fn zeroed_elements_respect_max_len() {
    let mut vec = full(5);
    assert_full(vec.try_extend_zeroed(1).unwrap_err(), 5, 24);
    assert_full(vec.try_resize_zeroed(7).unwrap_err(), 5, 28);
    assert_eq!(vec, [0, 1, 2, 3, 4]);

    // Spare memory worth returning is kept if the request is refused.
    let mut vec = VmVec::<u64>::with_max_len(100_000);
    vec.resize(100_000, 7);
    vec.truncate(10);
    let capacity = vec.capacity();
    assert_full(vec.try_extend_zeroed(99_991).unwrap_err(), 100_000, 800_008);
    assert_eq!(vec.capacity(), capacity);
    vec.extend_zeroed(99_990);
    assert_eq!(vec.len(), 100_000);
    assert_eq!((vec[9], vec[10], vec[99_999]), (7, 0, 0));
}

#[test]
fn a_capacity_beyond_max_len_is_refused() {
    let builder = VmVec::<u32>::builder().max_len(10);
    assert_full(builder.capacity(11).try_build().unwrap_err(), 10, 44);
    assert_full(builder.capacity(10_000).try_build().unwrap_err(), 10, 40_000);
    assert_eq!(builder.capacity(10).try_build().unwrap().capacity(), 10);
    assert_full(VmVec::<u32>::builder().max_len(0).capacity(1).try_build().unwrap_err(), 0, 4);
}

#[test]
fn zero_is_a_valid_max_len() {
    let mut none = VmVec::with_max_len(0);
    assert_eq!((none.max_len(), none.capacity(), none.len()), (0, 0, 0));
    none.extend::<[String; 0]>([]);
    none.reserve(0);
    none.prefault(0);
    none.shrink_to_fit();
    none.resize(0, String::new());
    let refused = none.try_push("a".to_owned()).unwrap_err();
    assert_eq!((refused.error.limit(), refused.value.as_str()), (Some(0), "a"));
    assert!(none.clone().is_empty() && none.split_off(0).is_empty());
    assert_eq!(none.into_iter().next(), None);
}

#[test]
fn clones_and_split_parts_keep_max_len() {
    let mut vec = full(5);
    let copies = [vec.clone(), vec.try_clone().unwrap(), vec.split_off(2)];
    for mut copy in copies {
        assert_eq!(copy.max_len(), 5);
        let missing = 5 - copy.len();
        copy.extend((0..9).take(missing));
        assert_full(copy.try_push(0).unwrap_err().error, 5, 24);
    }
    assert_eq!((vec.len(), vec.max_len()), (2, 5));

    // `clone_from` keeps the maximum of the target.
    let mut small = full(3);
    let four = VmVec::from([1, 2, 3, 4]);
    let refused =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| small.clone_from(&four)));
    assert!(refused.is_err());
    assert!(small.len() <= 3);
    small.clone_from(&VmVec::from([7, 8]));
    assert_eq!((small.len(), small.max_len()), (2, 3));

    let mut iter = full(3).into_iter();
    iter.next();
    let again: VmVec<u32> = iter.clone().collect();
    assert_eq!(again, [1, 2]);
}

#[test]
fn flattening_converts_max_len_to_elements() {
    let mut pairs = VmVec::<[u8; 2]>::with_max_len(3);
    pairs.extend([[1, 2], [3, 4]]);
    let mut flat = pairs.into_flattened();
    assert_eq!((flat.max_len(), flat.capacity()), (6, 6));
    flat.extend([5, 6]);
    assert_full(flat.try_push(7).unwrap_err().error, 6, 7);
    assert_eq!(flat, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn max_len_bounds_zero_sized_elements() {
    let mut units = VmVec::with_max_len(3);
    assert_eq!((units.max_len(), units.capacity()), (3, 3));
    units.extend([(), (), ()]);
    assert_full(units.try_push(()).unwrap_err().error, 3, 0);
    assert_full(units.try_resize(5, ()).unwrap_err().error, 3, 0);
    assert_full(units.try_reserve(1).unwrap_err(), 3, 0);
    assert_eq!(units.len(), 3);
    assert_eq!(units.clone().max_len(), 3);
}

#[test]
fn no_growth_policy_exceeds_max_len() {
    let page = page_size();
    for huge_pages in [HugePages::Auto, HugePages::Always, HugePages::Never] {
        for growth in [
            Growth::Doubling,
            Growth::Fixed { step_bytes: 0 },
            Growth::Fixed { step_bytes: 1 << 20 },
            Growth::Fixed { step_bytes: usize::MAX },
        ] {
            let max_len = 3 * page + 1;
            let builder = VmVec::builder().max_len(max_len).growth(growth).huge_pages(huge_pages);
            let mut vec: VmVec<u8> = builder.build();
            let base = vec.as_ptr();
            for i in 0..max_len {
                vec.push(i.to_le_bytes()[0]);
                assert!(vec.capacity() <= max_len);
            }
            assert_full(vec.try_push(0).unwrap_err().error, max_len, max_len + 1);
            assert_eq!(vec.as_ptr(), base);
            assert_eq!(vec.stats().reserved_bytes, 4 * page);
            assert_eq!(vec.stats().committed_bytes, 4 * page);
        }
    }
}

#[test]
fn without_max_len_the_reservation_is_the_maximum() {
    let mut vec = VmVec::<u64>::new();
    let before = vec.max_len();
    assert!(before > 0);
    vec.push(1);
    let max_len = vec.max_len();
    // With 32 bits both are a share of the addresses that are left, and other tests take and release some meanwhile.
    assert!(max_len <= before || cfg!(target_pointer_width = "32"), "{max_len}, {before} before");
    assert_eq!(vec.stats().reserved_bytes / 8, max_len);
    let error = vec.try_reserve(max_len).unwrap_err();
    assert_eq!(error.bytes(), (max_len + 1) * 8);
    assert_eq!(vec, [1]);
    if cfg!(target_pointer_width = "32") && error.kind() == ErrorKind::AddressSpace {
        // Other tests used many addresses, so the array's share of the rest is less than the default.
        assert_eq!(error.limit(), Some(u32::MAX.into()));
        return;
    }
    assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(max_len as u64)));
    let words = format!(
        "this VmVec is full: its default reservation holds {max_len} elements; to reserve more, \
         set `max_len` with `VmVec::builder`"
    );
    assert_eq!(error.to_string(), words);
}

/// Asserts that capacity for more elements than `usize` can count is refused; there are some already.
macro_rules! assert_bounded {
    ($container:expr) => {{
        #[allow(unused_mut, reason = "some take room by a shared reference")]
        let mut container = $container;
        for additional in [usize::MAX, usize::MAX - 1] {
            let refused = [container.try_reserve(additional), container.try_prefault(additional)];
            assert!(refused.iter().all(Result::is_err), "{}: {refused:?}", stringify!($container));
        }
    }};
}

#[test]
fn more_zero_sized_elements_than_can_be_counted_are_refused() {
    const NONE: [(); 3] = [(); 3];
    let keys = SlotMap::<DefaultKey, ()>::from_iter(NONE);
    let pairs = || keys.keys().map(|key| (key, ()));
    assert_bounded!(VmVec::from(NONE));
    assert_bounded!(Columns::from([((), ()); 3]));
    assert_bounded!(SlotMap::<DefaultKey, ()>::from_iter(NONE));
    assert_bounded!(DenseSlotMap::<DefaultKey, ()>::from_iter(NONE));
    assert_bounded!(pairs().collect::<SecondaryMap<_, _>>());
    assert_bounded!(SharedVec::from(NONE));
    assert_bounded!(SharedSlotMap::<DefaultKey, ()>::from_iter(NONE));
    let mut blocks = BlockVec::from(NONE);
    let mut sparse: SparseSecondaryMap<_, _> = pairs().collect();
    assert!(blocks.try_reserve(usize::MAX).is_err() && sparse.try_reserve(usize::MAX).is_err());
}

#[test]
fn a_shared_array_names_the_maximum_of_zero_sized_elements() {
    let vec = SharedVec::from([(); 3]);
    let error = vec.try_reserve(usize::MAX).unwrap_err();
    let of_vec = VmVec::from([(); 3]).try_reserve(usize::MAX).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (of_vec.kind(), of_vec.limit()));
    assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    vec.reserve(usize::MAX - 3);
    let bounded = SharedVec::<()>::with_max_len(10);
    bounded.extend([(); 4]);
    bounded.reserve(6);
    let error = bounded.try_reserve(7).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(10)));
    assert!(error.to_string().contains("its `max_len` is 10;"), "{error}");
}
