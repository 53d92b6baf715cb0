//! Invalid input causes an `Error`, or the same panic as std's `Vec`, with the numbers in the message, and never an
//! abort.

#![expect(unsafe_code, reason = "an array of `usize::MAX` units is not made one by one")]

use crate::helpers::Boast;
use crate::ledger::{panic_file, panic_message};
use stayput::{
    Arena, Bits32, DefaultKey, Error, ErrorKind, Key, KeyData, Refused, Reservation, SecondaryMap,
    SlotMap, SparseSecondaryMap, VmVec, new_key_type,
};
use std::ops::Bound;
use std::panic::{self, AssertUnwindSafe};

const TOO_MANY: usize = isize::MAX as usize;

#[track_caller]
fn assert_overflow(error: Error) {
    assert_eq!(error.kind(), ErrorKind::CapacityOverflow, "{error}");
    assert!(error.bytes() > TOO_MANY, "{error}");
    assert_eq!(error.raw_os_error(), None);
    let text = error.to_string();
    assert!(text.contains(&error.bytes().to_string()), "{text}");
    assert!(text.contains("capacity overflow"), "{text}");
}

#[test]
fn huge_reservations_overflow() {
    let mut vec = VmVec::from([1_u64, 2]);
    assert_overflow(vec.try_reserve(usize::MAX).unwrap_err());
    assert_overflow(vec.try_reserve(usize::MAX - 1).unwrap_err());
    assert_overflow(vec.try_reserve(TOO_MANY).unwrap_err());
    assert_overflow(vec.try_reserve_exact(TOO_MANY / 4).unwrap_err());
    assert_overflow(vec.try_prefault(TOO_MANY).unwrap_err());
    assert_overflow(vec.try_resize_with(usize::MAX, || unreachable!()).unwrap_err());
    let refused = vec.try_resize(usize::MAX, 7).unwrap_err();
    assert_overflow(refused.error);
    assert_eq!(refused.value, 7);
    assert_eq!(vec, [1, 2]);
    vec.push(3);

    let mut bytes = VmVec::from([0_u8]);
    assert_overflow(bytes.try_reserve(usize::MAX).unwrap_err());
    assert_overflow(bytes.try_reserve(TOO_MANY).unwrap_err());
    assert_eq!(bytes, [0]);
}

/// Calls that are refused because they exceed `isize::MAX` bytes, and for other reasons.
#[track_caller]
fn refuses_by_the_byte<T>(make: impl Fn() -> VmVec<T>) {
    let most = TOO_MANY / size_of::<T>();
    let room = most - make().len();
    for (additional, overflows) in [
        (room - 1, false),
        (room, false),
        (room + 1, true),
        (usize::MAX - 1, true),
        (usize::MAX, true),
    ] {
        let errors = [
            make().try_reserve(additional).unwrap_err(),
            make().try_reserve_exact(additional).unwrap_err(),
            make().try_prefault(additional).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.kind() == ErrorKind::CapacityOverflow, overflows, "{error}");
        }
        let named = VmVec::<T>::builder().max_len(make().len() + additional.min(room)).try_build();
        assert_ne!(named.map(drop).unwrap_err().kind(), ErrorKind::CapacityOverflow);
    }
}

// A 64-bit kernel gives a 32-bit process half of its addresses once; see `tests/systems.rs`.
#[cfg(target_pointer_width = "64")]
#[test]
fn more_bytes_than_isize_max_and_no_fewer_are_an_overflow() {
    refuses_by_the_byte::<u8>(VmVec::new);
    refuses_by_the_byte(|| VmVec::from([1_u8, 2]));
    refuses_by_the_byte(|| VmVec::from([1_u64]));
    refuses_by_the_byte(|| VmVec::from([[1_u8; 3]; 5]));
    refuses_by_the_byte(|| {
        let mut named = VmVec::with_max_len(10);
        named.push(1_u16);
        named
    });
    refuses_by_the_byte(|| {
        VmVec::<u32>::builder().commit_ahead(stayput::CommitAhead::Auto).build()
    });
    assert_overflow(Reservation::new(TOO_MANY + 1).unwrap_err());
    assert_eq!(Reservation::new(TOO_MANY).unwrap_err().kind(), ErrorKind::AddressSpace);
    let aligned = Reservation::builder().bytes(1).align(1 << 63).reserve();
    assert_eq!(aligned.unwrap_err().kind(), ErrorKind::AddressSpace);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn maps_refuse_more_bytes_than_isize_max_as_arrays_do() {
    type Large = [u8; 1 << 31];
    const SLOT_BYTES: usize = size_of::<Large>() + 4;
    let kind = |result: Result<(), Error>| result.unwrap_err().kind();
    let most = TOO_MANY / SLOT_BYTES;
    for max_len in [None, Some(2)] {
        let slot_map = || {
            let builder = SlotMap::<DefaultKey, Large>::builder();
            max_len.map_or(builder, |max_len| builder.max_len(max_len)).build()
        };
        let secondary = || {
            let builder = SecondaryMap::<DefaultKey, Large>::builder();
            max_len.map_or(builder, |max_len| builder.max_len(max_len)).build()
        };
        let below = [kind(slot_map().try_reserve(most)), kind(secondary().try_reserve(most))];
        assert!(!below.contains(&ErrorKind::CapacityOverflow), "{below:?}");
        for count in [most + 1, 1 << 32] {
            assert_eq!(kind(slot_map().try_reserve(count)), ErrorKind::CapacityOverflow);
            assert_eq!(kind(secondary().try_reserve(count)), ErrorKind::CapacityOverflow);
            assert_eq!(kind(secondary().try_set_capacity(count)), ErrorKind::CapacityOverflow);
        }
        for count in [(1 << 32) + 1, usize::MAX] {
            assert_eq!(kind(slot_map().try_reserve(count)), ErrorKind::KeyBits);
            assert_eq!(kind(secondary().try_reserve(count)), ErrorKind::KeyBits);
        }
    }
}

#[test]
fn huge_capacities_and_maxima_overflow() {
    assert_overflow(VmVec::<u8>::try_with_capacity(TOO_MANY + 1).unwrap_err());
    assert_overflow(VmVec::<u8>::try_with_capacity(usize::MAX).unwrap_err());
    assert_overflow(VmVec::<u64>::try_with_capacity(TOO_MANY / 8 + 1).unwrap_err());
    assert_overflow(VmVec::<u64>::try_with_capacity(usize::MAX).unwrap_err());
    assert_overflow(VmVec::<u8>::try_with_max_len(usize::MAX).unwrap_err());
    assert_overflow(VmVec::<u64>::try_with_max_len(usize::MAX).unwrap_err());
    assert_overflow(VmVec::<[u8; 1 << 20]>::try_with_max_len(TOO_MANY).unwrap_err());
}

// A 64-bit kernel gives a 32-bit process half of its addresses once; see `tests/systems.rs`.
#[cfg(target_pointer_width = "64")]
#[test]
fn the_largest_sizes_are_refused_by_someone() {
    // Refused by the crate or by the system, depending on the page size, but never granted, and never an abort.
    for bytes in [TOO_MANY, TOO_MANY - 1, TOO_MANY - 4095, TOO_MANY - (4 << 20), TOO_MANY / 2 + 1] {
        let errors = [
            VmVec::<u8>::try_with_capacity(bytes).unwrap_err(),
            VmVec::<u8>::try_with_max_len(bytes).unwrap_err(),
            VmVec::<u8>::new().try_reserve(bytes).unwrap_err(),
            Reservation::new(bytes).unwrap_err(),
        ];
        for error in errors {
            let kind = error.kind();
            assert!(
                matches!(
                    kind,
                    ErrorKind::CapacityOverflow
                        | ErrorKind::AddressSpace
                        | ErrorKind::AddressLimit
                        | ErrorKind::Memory
                ),
                "{kind:?} for {bytes}: {error}"
            );
            assert!(error.bytes() >= bytes);
        }
    }
}

#[test]
fn zero_sized_elements_overflow_only_by_their_count() {
    let mut vec = VmVec::<()>::with_max_len(usize::MAX);
    assert_eq!((vec.max_len(), vec.capacity()), (usize::MAX, usize::MAX));
    // SAFETY: this is the capacity, and units need no initialization.
    unsafe { vec.set_len(usize::MAX) };
    assert_eq!(vec.len(), usize::MAX);
    let refused = vec.try_push(()).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::CapacityOverflow);
    assert_eq!(vec.try_reserve(usize::MAX).unwrap_err().kind(), ErrorKind::CapacityOverflow);
    assert_eq!(vec.try_reserve(0), Ok(()));
    assert_eq!(vec.pop(), Some(()));
    vec.push(());
    vec.truncate(3);
    assert_eq!(vec, [(); 3]);
    assert_eq!(VmVec::<()>::with_capacity(TOO_MANY).stats().reserved_bytes, 0);
}

#[cfg(target_pointer_width = "64")]
#[test]
#[cfg_attr(no_vm, ignore = "no system gives a number there")]
fn two_to_the_fifty_bytes_are_refused_with_their_number() {
    const ASKED: usize = 1 << 50;
    let mut vec = VmVec::from([1_u64]);
    let errors = [
        (VmVec::<u8>::try_with_max_len(ASKED).unwrap_err(), "1.0 PiB"),
        (VmVec::<u64>::try_with_capacity(ASKED / 8).unwrap_err(), "1.0 PiB"),
        (Reservation::new(ASKED).unwrap_err(), "1.0 PiB"),
    ];
    for (error, size) in errors {
        // The kernel of some systems has more than 2^47 addresses, but no machine has 2^50.
        assert!(matches!(error.kind(), ErrorKind::AddressSpace | ErrorKind::AddressLimit));
        // The request to the system is slightly larger, because of guard pages and alignment.
        assert!((ASKED..ASKED + (4 << 20)).contains(&error.bytes()), "{error}");
        let text = error.to_string();
        assert!(text.contains(size) && text.contains(&error.bytes().to_string()), "{text}");
        assert!(text.contains("request less"), "{text}");
        assert!(error.raw_os_error().is_some_and(|code| text.contains(&code.to_string())));
    }
    // An array that has a reservation is full instead.
    let error = vec.try_reserve(ASKED / 8).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MaxLen);
    assert_eq!(error.bytes(), ASKED + 8);
    assert_eq!(error.limit(), Some(vec.max_len() as u64));
    assert_eq!(vec, [1]);
}

#[test]
fn infallible_calls_panic_with_the_message_of_their_twin() {
    let mut full = VmVec::with_max_len(2);
    full.extend([1_u16, 2]);
    let words = full.try_push(3).unwrap_err().to_string();
    assert!(words.contains("this VmVec is full: its `max_len` is 2;"), "{words}");
    let expected = format!("stayput: {words}");
    assert_eq!(panic_message(|| full.push(3)), expected);
    assert_eq!(panic_message(|| full.insert(0, 3)), expected);
    assert_eq!(panic_message(|| *full.push_mut(3)), expected);
    assert_eq!(panic_message(|| *full.insert_mut(1, 3)), expected);
    assert_eq!(panic_message(|| full.resize(3, 3)), expected);
    assert_eq!(panic_message(|| full.resize_with(3, || 3)), expected);
    assert_eq!(panic_message(|| full.extend([3])), expected);
    assert_eq!(panic_message(|| full.extend_from_slice(&[3])), expected);
    assert_eq!(panic_message(|| full.extend_from_within(1..)), expected);
    assert_eq!(panic_message(|| full.append(&mut VmVec::from([3]))), expected);
    assert_eq!(panic_message(|| full.reserve(1)), expected);
    assert_eq!(panic_message(|| full.reserve_exact(1)), expected);
    assert_eq!(panic_message(|| full.prefault(1)), expected);
    assert_eq!(panic_message(|| drop(full.splice(..1, [3, 4]))), expected);
    assert_eq!(panic_message(|| *full.grow_only().push(3)), expected);
    assert_eq!(panic_message(|| full.grow_only().extend([3])), expected);
    assert_eq!(panic_message(|| full.grow_only().reserve(1)), expected);
    assert_eq!(full.len(), 2);

    let words = VmVec::<u64>::try_with_capacity(usize::MAX).unwrap_err().to_string();
    let message = panic_message(|| VmVec::<u64>::with_capacity(usize::MAX));
    assert_eq!(message, format!("stayput: {words}"));
    let message = panic_message(|| VmVec::<u64>::with_max_len(usize::MAX));
    assert_eq!(message, format!("stayput: {words}"));
    let message = panic_message(|| VmVec::<u64>::builder().capacity(usize::MAX).build());
    assert_eq!(message, format!("stayput: {words}"));
}

#[test]
fn messages_name_the_type_and_one_unit() {
    new_key_type! { struct Tiny: Bits32<2, 2>; }
    let key = |index| KeyData::from_parts(index, 1, 0).unwrap();

    let mut vec = VmVec::with_max_len(1);
    vec.push(1);
    let mut map = SlotMap::<DefaultKey, u8>::builder().max_len(1).build();
    map.insert(1);
    let tiny: SlotMap<Tiny, u8> = (0..4).collect();
    let mut second = SecondaryMap::<DefaultKey, u8>::with_max_len(1);
    let mut sparse = SparseSecondaryMap::<DefaultKey, u8>::new();
    let arena = Arena::builder().max_bytes(4096).build();
    let units = VmVec::<()>::with_max_len(3);

    for (error, words) in [
        (
            vec.try_push(2).unwrap_err().error,
            "this VmVec is full: its `max_len` is 1; set a larger one with `VmVec::builder`",
        ),
        (
            units.clone().try_reserve(4).unwrap_err(),
            "this VmVec is full: its `max_len` is 3; set a larger one with `VmVec::builder`",
        ),
        (
            map.try_insert(2).unwrap_err().error,
            "this SlotMap is full: its `max_len` is 1; set a larger one with `SlotMap::builder`",
        ),
        (
            tiny.clone().try_insert(2).unwrap_err().error,
            "this SlotMap is full: its keys can index at most 4 slots, including retired slots; use a \
             key type with more bits of index or generation",
        ),
        (
            SlotMap::<Tiny, u8>::builder().capacity(5).try_build().unwrap_err(),
            "this SlotMap is full: its keys can index at most 4 slots, including retired slots; use a \
             key type with more bits of index or generation",
        ),
        (
            second.try_insert(key(1).into(), 2).unwrap_err().error,
            "this SecondaryMap cannot hold more slots: its `max_len` is 1; set a larger one with \
             `SecondaryMap::builder`",
        ),
        (
            SecondaryMap::<Tiny, u8>::try_with_max_len(5).unwrap_err(),
            "this SecondaryMap cannot hold more slots: its keys can index at most 4 slots; use a key \
             type with more bits of index",
        ),
        (
            sparse.try_insert(DefaultKey::null(), 2).unwrap_err().error,
            "the key is null, or older than the one whose value is or was in its slot; use a key that \
             the slot map contains now",
        ),
        (
            arena.try_alloc([0_u8; 5000]).unwrap_err().error,
            "this Arena is full: its `max_bytes` is 4096 bytes (4.0 KiB), and 5000 bytes (4.9 KiB) \
             in all would be in use; set a larger one with `Arena::builder`",
        ),
    ] {
        assert_eq!(error.to_string(), words);
    }
}

#[cfg(target_pointer_width = "64")]
#[test]
fn messages_name_the_bytes_a_far_index_would_take() {
    let mut map = SecondaryMap::<DefaultKey, u8>::new();
    let far = KeyData::from_parts(u32::MAX, 1, 0).unwrap().into();
    let near = (64 << 20) / 8 + 16;
    assert_eq!(
        map.try_insert(far, 2).unwrap_err().to_string(),
        format!(
            "the index in the key is so large that this SecondaryMap would take 34359738368 bytes \
             (32.0 GiB) in all; only indices below {near} are accepted without being announced; if \
             the key is valid, call `reserve` or `set_capacity` first, or use a `SparseSecondaryMap`"
        )
    );
}

#[cfg(target_pointer_width = "64")]
#[test]
fn messages_name_the_option_to_reduce() {
    const ASKED: usize = 1 << 50;
    for (error, way) in [
        (VmVec::<u8>::try_with_max_len(ASKED).unwrap_err(), "request less (a smaller `max_len`)"),
        (
            Arena::builder().max_bytes(ASKED).try_build().unwrap_err(),
            "request less (a smaller `max_bytes`)",
        ),
        (Reservation::new(ASKED).unwrap_err(), "request less"),
    ] {
        let words = error.to_string();
        let (_, after) = words.split_once(way).expect(&words);
        assert!(!after.starts_with(" (a"), "{words}");
    }
}

#[cfg(feature = "bytemuck")]
#[test]
fn refused_zeroed_elements_panic_with_the_message_of_the_twin() {
    let mut full = VmVec::<u16>::with_max_len(2);
    full.extend_zeroed(2);
    let words = full.try_extend_zeroed(1).unwrap_err().to_string();
    let expected = format!("stayput: {words}");
    assert_eq!(panic_message(|| full.extend_zeroed(1)), expected);
    assert_eq!(panic_message(|| full.resize_zeroed(3)), expected);
    let error = full.try_extend_zeroed(usize::MAX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    assert_overflow(VmVec::<u16>::new().try_extend_zeroed(TOO_MANY).unwrap_err());
    assert_eq!(full, [0, 0]);
}

#[test]
fn an_index_out_of_bounds_panics_as_in_vec() {
    let mut vec = VmVec::from([1, 2]);
    let mut std = vec![1, 2];
    let message = panic_message(|| vec.insert(5, 0));
    assert_eq!(message, "insertion index (is 5) should be <= len (is 2)");
    assert_eq!(message, panic_message(|| std.insert(5, 0)));
    assert_eq!(message, panic_message(|| vec.try_insert(5, 0)));
    assert_eq!(message, panic_message(|| *vec.insert_mut(5, 0)));

    let message = panic_message(|| vec.remove(2));
    assert_eq!(message, "removal index (is 2) should be < len (is 2)");
    assert_eq!(message, panic_message(|| std.remove(2)));

    let message = panic_message(|| vec.swap_remove(3));
    assert_eq!(message, "swap_remove index (is 3) should be < len (is 2)");
    assert_eq!(message, panic_message(|| std.swap_remove(3)));

    let message = panic_message(|| vec.split_off(4));
    assert_eq!(message, "`at` split index (is 4) should be <= len (is 2)");
    assert_eq!(message, panic_message(|| std.split_off(4)));
    assert_eq!(message, panic_message(|| vec.try_split_off(4)));

    assert_eq!(panic_message(|| vec[2]), panic_message(|| std[2]));
    assert_eq!(panic_message(|| vec[1..3].len()), panic_message(|| std[1..3].len()));
    assert_eq!(vec, std);
}

/// Bounds of every kind, within and beyond a vector of 5.
fn bounds() -> impl Iterator<Item = Bound<usize>> {
    let numbers = [0, 1, 3, 4, 5, 6, 7, usize::MAX - 1, usize::MAX];
    let bounds = numbers.into_iter().flat_map(|n| [Bound::Included(n), Bound::Excluded(n)]);
    bounds.chain([Bound::Unbounded])
}

/// The panic message of a call, if it panics.
fn words<R>(call: impl FnOnce() -> R) -> Option<String> {
    let call = AssertUnwindSafe(|| drop(call()));
    panic::catch_unwind(call).err().map(|payload| {
        let words = payload.downcast_ref::<String>().cloned();
        words.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string)).expect("words")
    })
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_range_out_of_bounds_panics_as_in_vec() {
    let closed = words(|| vec![0].drain(..=1).count());
    if closed.as_deref() != Some("range end index 1 out of range for slice of length 1") {
        eprintln!("skipped: this std has other words");
        return;
    }
    let all = || bounds().flat_map(|start| bounds().map(move |end| (start, end)));
    let mut refused = 0;
    for range in all() {
        let (mut vec, mut std) = (VmVec::from([1, 2, 3, 4, 5]), vec![1, 2, 3, 4, 5]);
        let expected = words(|| drop(std.drain(range)));
        refused += usize::from(expected.is_some());
        let of_both = [
            words(|| drop(vec.clone().drain(range))),
            words(|| drop(vec.clone().splice(range, [0]))),
            words(|| drop(vec.clone().extract_if(range, |_| true))),
            words(|| vec.clone().extend_from_within(range)),
            words(|| vec.clone().try_extend_from_within(range)),
            words(|| vec.clone().copy_within(range, 0)),
        ];
        assert!(of_both.iter().all(|words| *words == expected), "{range:?}: {of_both:?}");
        if expected.is_none() {
            drop(vec.drain(range));
        }
        assert_eq!(vec, std, "{range:?}");
    }
    assert!(refused > 200, "{refused}");
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "they are to be refused")]
fn a_range_out_of_bounds_panics_with_the_caller_s_numbers() {
    let mut vec = VmVec::from([1, 2, 3, 4, 5]);
    let open = panic_message(|| vec.drain(2..8).count());
    assert_eq!(open, "range end index 8 out of range for slice of length 5");
    let closed = panic_message(|| vec.drain(5..=5).count());
    assert_eq!(closed, "range end index 5 out of range for slice of length 5");
    let closed = panic_message(|| vec.drain(..=usize::MAX).count());
    assert_eq!(
        closed,
        format!("range end index {} out of range for slice of length 5", usize::MAX)
    );
    let from = panic_message(|| vec.drain(7..).count());
    assert_eq!(from, "range start index 7 out of range for slice of length 5");
    let inverted = panic_message(|| vec.drain(4..2).count());
    assert_eq!(inverted, "slice index starts at 4 but ends at 2");
    assert_eq!(vec, [1, 2, 3, 4, 5]);
}

#[test]
fn an_index_of_any_size_panics_as_in_vec() {
    for index in [0, 1, 4, 5, 6, 7, usize::MAX] {
        let vec = || VmVec::from([1, 2, 3, 4, 5]);
        let std = || vec![1, 2, 3, 4, 5];
        let pairs = [
            (words(|| vec().insert(index, 0)), words(|| std().insert(index, 0))),
            (words(|| vec().remove(index)), words(|| std().remove(index))),
            (words(|| vec().swap_remove(index)), words(|| std().swap_remove(index))),
            (words(|| vec().split_off(index)), words(|| std().split_off(index))),
            (words(|| vec().truncate(index)), words(|| std().truncate(index))),
            (words(|| vec().swap(index, 0)), words(|| std().swap(index, 0))),
            (words(|| vec()[index]), words(|| std()[index])),
            (words(|| vec().split_at(index).0.len()), words(|| std().split_at(index).0.len())),
            (words(|| vec().copy_within(..3, index)), words(|| std().copy_within(..3, index))),
        ];
        assert!(pairs.iter().all(|(ours, theirs)| ours == theirs), "{index}: {pairs:?}");
    }
}

#[test]
fn a_panic_names_the_line_of_the_caller() {
    let mut full = VmVec::with_max_len(1);
    full.push(1);
    let calls: [fn(&mut VmVec<i32>); 16] = [
        |vec| vec.push(2),
        |vec| vec.insert(0, 2),
        |vec| vec.insert(3, 2),
        |vec| assert_eq!(vec.remove(3), 0),
        |vec| assert_eq!(vec.swap_remove(3), 0),
        |vec| vec.resize(2, 2),
        |vec| vec.resize_with(2, || 2),
        |vec| vec.extend([2]),
        |vec| vec.extend(&[2]),
        |vec| vec.extend_from_slice(&[2]),
        |vec| vec.extend_from_within(..),
        |vec| vec.reserve(2),
        |vec| vec.prefault(2),
        |vec| drop(vec.drain(4..)),
        |vec| drop(vec.split_off(2)),
        |vec| assert_eq!(*vec.grow_only().push(2), 2),
    ];
    for (i, call) in calls.into_iter().enumerate() {
        let file = panic_file(|| call(&mut full));
        assert!(file.ends_with("errors.rs"), "call {i} blames {file}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_size_hint_is_only_a_hint() {
    // Sizes that no machine has, and that no array can have.
    for hint in [TOO_MANY / 64, TOO_MANY, usize::MAX] {
        let mut vec: VmVec<u32> = Boast(0..3, (hint, None)).collect();
        vec.extend(Boast(3..5, (hint, None)));
        vec.grow_only().extend(Boast(5..6, (hint, None)));
        assert_eq!(vec, [0, 1, 2, 3, 4, 5]);
        assert!(vec.splice(1..2, Boast(7..10, (hint, None))).eq([1]));
        assert_eq!(vec, [0, 7, 8, 9, 2, 3, 4, 5]);
        vec.splice(7.., Boast(0..2, (hint, None)));
        assert_eq!(vec, [0, 7, 8, 9, 2, 3, 4, 0, 1]);
    }
}

#[test]
fn errors_convert_to_std_error_types() {
    struct Mute;

    let mut full = VmVec::with_max_len(0);
    let refused = full.try_push("text").unwrap_err();
    assert_eq!(refused.value, "text");
    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
    assert!(format!("{refused:?}").contains("MaxLen"));

    let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(refused);
    assert!(boxed.source().is_some_and(<dyn std::error::Error>::is::<Error>));

    let error: Error = full.try_push("text").unwrap_err().into();
    let io = std::io::Error::from(error);
    assert_eq!(io.kind(), std::io::ErrorKind::OutOfMemory);
    let inner = io.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    assert_eq!(inner, Some(&error));

    // The value need not implement `Debug`.
    let refused = Refused { error, value: Mute };
    assert_eq!(refused.to_string(), error.to_string());
}

#[test]
fn too_many_elements_without_a_size_are_counted_in_elements() {
    let error = VmVec::from([()]).try_reserve(usize::MAX).unwrap_err();
    assert_eq!(
        (error.kind(), error.limit()),
        (ErrorKind::CapacityOverflow, Some(usize::MAX as u64))
    );
    let text = error.to_string();
    assert!(text.contains(&format!("{} elements", usize::MAX)) && !text.contains("byte"), "{text}");
    let error = VmVec::from([1_u8]).try_reserve(usize::MAX).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::CapacityOverflow, None));
    assert!(error.to_string().contains("bytes"), "{error}");
}

#[test]
fn debug_shows_the_kind_and_the_message() {
    let refused = VmVec::<u8>::with_max_len(0).try_push(1).unwrap_err();
    let error = format!("Error {{ kind: MaxLen, of: VmVec, message: \"{}\", .. }}", refused.error);
    assert_eq!(format!("{:?}", refused.error), error);
    let main: Box<dyn std::error::Error> = Box::new(refused);
    assert_eq!(format!("{main:?}"), format!("Refused {{ error: {error}, .. }}"));
    assert!(main.to_string().contains("VmVec::builder"), "{main}");
}
