//! Tests of groups against a `Vec` of the rows.

use super::*;
use crate::error::ErrorKind;
use crate::growing::Budget;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[test]
fn groups_match_a_vec_and_lanes_past_the_rows_are_padding() {
    let mut groups: Groups<(u32, u8), 8> = Groups::new();
    let mut model = Vec::new();
    for step in 0..200_u32 {
        match step % 7 {
            3 => assert_eq!(groups.pop(), model.pop()),
            5 => {
                let at = step as usize % model.len();
                assert_eq!(groups.swap_remove(at), model.swap_remove(at));
            }
            _ => {
                let row = (step, 7);
                groups.push(row);
                model.push(row);
            }
        }
        assert!(groups.iter().map(|(a, b)| (*a, *b)).eq(model.iter().copied()));
        assert_eq!(groups.as_slice().len(), model.len().div_ceil(8));
        let all = groups.as_slice().iter().flat_map(|(a, b)| a.iter().zip(b));
        assert!(all.skip(model.len()).all(|pair| pair == (&0, &0)));
    }
    for len in [1000, 61, 40, 33, 32, 1, 0] {
        groups.truncate(len);
        model.truncate(len);
        assert!(groups.iter().map(|(a, b)| (*a, *b)).eq(model.iter().copied()), "{len}");
        assert_eq!(groups.as_slice().len(), model.len().div_ceil(8));
    }
    assert_eq!((groups.pop(), groups.get(0)), (None, None));
}

#[test]
fn each_row_is_dropped_once() {
    struct Counted<'c>(Option<&'c Cell<usize>>);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.inspect(|count| count.set(count.get() + 1));
        }
    }

    impl Pad for Counted<'_> {
        const PAD: Self = Self(None);
    }

    let count = Cell::new(0);
    let mut groups: Groups<(Counted<'_>, u8), 4> = Groups::new();
    groups.extend((0..11).map(|n| (Counted(Some(&count)), n)));
    drop(groups.swap_remove(3));
    assert_eq!((groups.len(), count.get()), (10, 1));
    groups.truncate(6);
    assert_eq!(count.get(), 5);
    drop(groups);
    assert_eq!(count.get(), 11);
}

#[test]
fn a_refused_row_comes_back() {
    let mut groups: Groups<(u32,), 4> = Groups::over(VmVec::with_max_len(1));
    groups.extend([(1,), (2,), (3,), (4,)]);
    assert_eq!(groups.try_push((5,)).unwrap_err().value, (5,));
    assert_eq!(groups.len(), 4);
}

#[test]
fn iterators_yield_the_rows_from_both_ends() {
    for count in 0..10_u32 {
        let mut groups: Groups<(u32, u8), 4> = (0..count).map(|n| (n, 1)).collect();
        // Values written past the last row do not belong to any row.
        if let Some(last) = groups.as_mut_slice().last_mut() {
            last.1[(count as usize + 3) % 4 + 1..].fill(9);
        }
        for (number, one) in &mut groups {
            *number += u32::from(*one);
        }
        let rows: Vec<_> = groups.iter().map(|(a, b)| (*a, *b)).collect();
        assert!(rows.iter().copied().eq((1..=count).map(|n| (n, 1))));
        assert!(groups.iter().rev().map(|(a, _)| *a).eq((1..=count).rev()));
        assert!(groups.iter_mut().rev().map(|(a, _)| *a).eq((1..=count).rev()));
        assert!(groups.clone().into_iter().eq(rows.iter().copied()));
        assert!(groups.clone().into_iter().rev().eq(rows.iter().copied().rev()));

        let (mut iter, mut all) = (groups.iter_mut(), rows.into_iter());
        while iter.len() > 0 {
            assert_eq!(iter.next().map(|(a, b)| (*a, *b)), all.next());
            assert_eq!(iter.next_back().map(|(a, b)| (*a, *b)), all.next_back());
        }
        assert!(iter.next().is_none() && iter.next_back().is_none());
    }
}

#[test]
fn mutable_references_into_one_record_coexist() {
    let row = |n: u8| (Some(n.to_string()), n);
    let mut groups: Groups<(Option<String>, u8), 4> = (0..6).map(row).collect();
    let mut all: Vec<_> = groups.iter_mut().collect();
    all.reverse();
    for (text, _) in &mut all {
        text.as_mut().unwrap().push('!');
    }
    assert_eq!(groups.get(5), Some((&Some("5!".to_owned()), &5)));
    let mut taken = groups.into_iter();
    assert_eq!(taken.nth(1), Some((Some("1!".to_owned()), 1)));
    assert_eq!((taken.next_back(), taken.len()), (Some((Some("5!".to_owned()), 5)), 3));
}

#[test]
fn equality_of_groups_ignores_padding() {
    let groups: Groups<(f32,), 4> = [(1.0,), (2.0,)].into_iter().collect();
    let mut other = groups.clone();
    other.as_mut_slice()[0].0[2] = f32::NAN;
    assert_eq!(groups, other);
    other.push((3.0,));
    assert_ne!(groups, other);
    assert_eq!(other.get(2), Some((&3.0,)));
    other.pop();
    *other.get_mut(1).unwrap().0 = f32::NAN;
    assert_ne!(other, other.clone());
}

#[test]
fn memory_is_counted_in_rows() {
    let mut groups: Groups<([u64; 4], u64), 8> = Groups::new();
    groups.push(([1; 4], 1));
    assert_eq!(groups.records_for(7), 0);
    assert_eq!((groups.records_for(8), groups.records_for(15), groups.records_for(16)), (1, 1, 2));
    groups.reserve_exact(1000);
    assert!((1001..10_000).contains(&groups.capacity()), "{}", groups.capacity());
    groups.reserve(100_000);
    groups.prefault(200_000);
    let capacity = groups.capacity();
    assert!(capacity > 200_000);
    groups.shrink_to(100_000);
    assert!((100_000..capacity).contains(&groups.capacity()), "{}", groups.capacity());
    assert!(groups.shrink_to_fit_within(Budget::UNLIMITED).unwrap().is_done);
    assert!(groups.capacity() < 10_000);
    assert_eq!(groups.get(0), Some((&[1; 4], &1)));
    for error in [groups.try_reserve(usize::MAX), groups.try_prefault(usize::MAX)] {
        assert_eq!(error.unwrap_err().kind(), ErrorKind::CapacityOverflow);
    }
    let mut two: Groups<(u8,), 4> = Groups::over(VmVec::with_max_len(2));
    assert_eq!(two.try_reserve(9).unwrap_err().kind(), ErrorKind::MaxLen);
    two.try_reserve(8).unwrap();
}

#[test]
fn rows_that_take_no_memory_are_refused_before_they_cannot_be_counted() {
    const RECORDS: usize = usize::MAX / 8;
    let mut groups: Groups<((),), 8> = Groups::new();
    groups.records = VmVec::from([([(); 8],); RECORDS]);
    groups.len = RECORDS * 8;
    let refused = groups.try_push(((),)).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::CapacityOverflow);
    assert_eq!(groups.pop(), Some(((),)));
    groups.push(((),));
    assert_eq!(
        (groups.len(), groups.capacity(), groups.max_len()),
        (RECORDS * 8, RECORDS * 8, RECORDS * 8)
    );
    let mut groups: Groups<((),), 8> = Groups::new();
    groups.push(((),));
    assert_eq!(groups.try_reserve(usize::MAX).unwrap_err().kind(), ErrorKind::CapacityOverflow);
    groups.try_reserve(RECORDS * 8 - 1).unwrap();
    assert!(Groups::<((),), 8>::try_with_capacity(usize::MAX).is_err());
}

thread_local!(static IS_ARMED: Cell<bool> = const { Cell::new(false) });

/// Panics at the first drop of a pad when it is armed.
struct Armed(bool);

impl Pad for Armed {
    const PAD: Self = Self(true);
}

impl Drop for Armed {
    fn drop(&mut self) {
        assert!(!self.0 || !IS_ARMED.replace(false), "a drop that panics");
    }
}

#[test]
fn a_padding_value_whose_drop_panics_loses_no_row() {
    let mut groups: Groups<(u32, Armed), 4> = (0..5).map(|n| (n, Armed(false))).collect();
    IS_ARMED.set(true);
    let removed = catch_unwind(AssertUnwindSafe(|| groups.swap_remove(1).0));
    assert!(removed.is_err() && !IS_ARMED.get());
    assert!(groups.iter().map(|(number, _)| *number).eq([0, 4, 2, 3]));
}
