//! Tests that need refused calls; the rest is in `tests/it`.

mod twins;
mod warm;
mod warm_ahead;

use super::*;
use crate::error::ErrorKind;
use crate::os::Call;
use crate::os::fault::Fault;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// An array whose capacity is used up.
fn full() -> VmVec<String> {
    let mut vec = VmVec::new();
    vec.push("first".to_owned());
    vec.resize(vec.capacity(), "filler".to_owned());
    vec
}

/// Calls `call` on a full array with every commit refused, and checks that nothing has changed.
fn refused<R>(call: impl FnOnce(&mut VmVec<String>) -> Result<R, Error>) {
    let mut vec = full();
    let before = (vec.as_ptr(), vec.len(), vec.capacity());
    let fault = Fault::from_nth(Call::Commit, 0);
    let error = call(&mut vec).err().expect("planned");
    assert!(fault.failures() > 0);
    drop(fault);
    assert_eq!((vec.as_ptr(), vec.len(), vec.capacity()), before);
    assert_eq!(vec[0], "first");
    assert!(vec[1..].iter().all(|filler| filler == "filler"));
    vec.push("last".to_owned());
    assert_eq!(vec.last().map(String::as_str), Some("last"));
    assert!(error.raw_os_error().is_some());
    assert!(error.bytes() >= crate::page_size());
}

#[test]
fn a_refused_push_returns_the_value() {
    refused(|vec| {
        let refused = vec.try_push("new".to_owned()).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
}

#[test]
fn a_refused_insert_returns_the_value_and_moves_nothing() {
    refused(|vec| {
        let refused = vec.try_insert(0, "new".to_owned()).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
}

#[test]
fn a_refused_resize_returns_the_value() {
    refused(|vec| {
        let refused = vec.try_resize(vec.len() + 5, "new".to_owned()).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
}

#[test]
fn a_refused_extend_returns_the_remaining_values_in_order() {
    refused(|vec| {
        let refused = vec.try_extend(["a", "b"].map(str::to_owned)).unwrap_err();
        assert!(refused.value.eq(["a", "b"]));
        Err::<(), _>(refused.error)
    });
}

#[test]
fn every_other_refused_call_changes_nothing() {
    refused(|vec| vec.try_reserve(1));
    refused(|vec| vec.try_reserve_exact(1));
    refused(|vec| vec.try_prefault(1));
    refused(|vec| vec.try_resize_with(vec.len() + 1, || unreachable!("room comes first")));
    refused(|vec| vec.try_extend_from_slice(&["new".to_owned()]));
    refused(|vec| vec.try_extend_from_within(..1));
    refused(|vec| vec.try_split_off(1));
    refused(|vec| vec.try_clone());
    refused(|vec| vec.grow_only().try_reserve(1));
    refused(|vec| Ok(vec.grow_only().try_push("new".to_owned()).map(drop)?));
}

#[test]
fn a_refused_append_changes_neither_array() {
    let (mut vec, mut other) = (full(), VmVec::from(["new".to_owned()]));
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(vec.try_append(&mut other).is_err());
    drop(fault);
    assert_eq!(other, ["new"]);
    vec.append(&mut other);
    assert_eq!(vec.last().map(String::as_str), Some("new"));
    assert!(other.is_empty());
}

#[test]
fn infallible_calls_panic_with_the_message_of_the_error() {
    let mut vec = full();
    let fault = Fault::from_nth(Call::Commit, 0);
    let panic = catch_unwind(AssertUnwindSafe(|| vec.push("new".to_owned()))).unwrap_err();
    drop(fault);
    let text = panic.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("stayput: ") && text.contains("bytes"), "{text}");
    assert_eq!(vec[0], "first");
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn each_commit_of_a_growing_array_may_be_refused() {
    for nth in 0..12 {
        let mut vec = VmVec::new();
        let fault = Fault::nth(Call::Commit, nth);
        // The larger step is refused, but the needed page is not: every push succeeds.
        vec.extend(0..1_000_000_u64);
        assert!(fault.failures() <= 1);
        drop(fault);
        assert!(vec.iter().copied().eq(0..1_000_000));
    }
}

#[test]
fn an_array_whose_addresses_are_refused_stays_empty_and_usable() {
    let mut vec = VmVec::new();
    let fault = Fault::from_nth(Call::Reserve, 0);
    let refused = vec.try_push(1).unwrap_err();
    assert_eq!(refused.value, 1);
    assert_eq!(refused.error.kind(), ErrorKind::AddressSpace);
    assert!(VmVec::<u8>::try_with_max_len(100).is_err());
    assert!(VmVec::<u8>::try_with_capacity(100).is_err());
    drop(fault);
    vec.push(2);
    assert_eq!(vec, [2]);
}

#[test]
fn a_refused_decommit_keeps_the_memory_and_the_elements() {
    let mut vec = full();
    vec.extend_from_within(..);
    vec.truncate(1);
    let before = vec.capacity();
    let fault = Fault::from_nth(Call::Decommit, 0);
    assert!(vec.try_shrink_to_fit().is_err());
    vec.shrink_to_fit();
    assert_eq!(fault.failures(), 2);
    drop(fault);
    assert_eq!((vec.capacity(), vec[0].as_str()), (before, "first"));
    vec.shrink_to_fit();
    assert!(vec.capacity() < before);
}

#[test]
fn a_refused_splice_keeps_the_elements_after_the_range() {
    let mut vec = full();
    let (len, last) = (vec.len(), vec.len() - 1);
    vec[last] = "last".to_owned();
    let fault = Fault::from_nth(Call::Commit, 0);
    let splice = catch_unwind(AssertUnwindSafe(|| {
        vec.splice(1..3, (0..9).map(|n| n.to_string()));
    }));
    assert!(splice.is_err());
    drop(fault);
    // Two of the nine elements fit in the gap.
    assert_eq!(vec.len(), len);
    assert_eq!(vec[..3], ["first", "0", "1"]);
    assert_eq!(vec[last], "last");
}

#[test]
fn a_splice_dropped_by_a_panic_does_not_panic_again() {
    let mut vec = VmVec::with_max_len(3);
    vec.extend([1, 2, 3]);
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let _splice = vec.splice(1..2, [7, 8, 9]);
        panic!("of the user");
    }));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"of the user"));
    assert_eq!(vec, [1, 7, 3]);
}

#[test]
fn a_splice_inserts_as_many_elements_as_fit() {
    let mut vec = VmVec::with_max_len(10);
    vec.extend([1_u8, 2, 3]);
    let mut taken = 0;
    let splice = catch_unwind(AssertUnwindSafe(|| {
        vec.splice(
            1..2,
            std::iter::from_fn(|| {
                taken += 1;
                Some(0)
            }),
        );
    }));
    assert!(splice.is_err());
    // Eight elements fit, and the ninth found no room.
    assert_eq!(taken, 9);
    assert_eq!(vec, [1, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_wrong_size_hint_reserves_no_addresses() {
    struct Lying(u8);

    impl Iterator for Lying {
        type Item = u8;
        fn next(&mut self) -> Option<u8> {
            self.0 = self.0.checked_sub(1)?;
            Some(self.0)
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX, None)
        }
    }

    let mut plain = VmVec::new();
    plain.push(0_u8);
    let mut vec: VmVec<u8> = Lying(3).collect();
    assert_eq!(vec, [2, 1, 0]);
    assert!(vec.stats().reserved_bytes <= plain.stats().reserved_bytes);
    vec.splice(1..2, Lying(4));
    assert_eq!(vec, [2, 3, 2, 1, 0, 0]);
}

#[test]
fn sums_of_stats_add_all_figures_and_never_overflow() {
    let one = VmVec::from([1_u64; 100]).stats();
    let two = one + one;
    assert_eq!((two.len, two.reserved_bytes), (200, 2 * one.reserved_bytes));
    assert_eq!(two.committed_bytes, 2 * one.committed_bytes);
    assert_eq!(two.resident_bytes, one.resident_bytes.map(|bytes| 2 * bytes));
    assert_eq!([one, one].into_iter().sum::<VecStats>(), two);

    let none: VecStats = [].into_iter().sum();
    assert_eq!((none + one, none.resident_bytes), (one, Some(0)));
    let unknown = VecStats { resident_bytes: None, ..one };
    assert_eq!((one + unknown).resident_bytes, None);
    // Elements of size zero have no maximum.
    let unsized_ones = VmVec::from([(); 3]).stats();
    assert_eq!((unsized_ones + one).max_len, usize::MAX);
}
