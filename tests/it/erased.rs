//! Columns of values whose type is only known at run time.

#![expect(unsafe_code, reason = "moves values through pointers")]

use crate::ledger::{Ledger, Step, Token};
use crate::random;
use stayput::columns::ErasedColumn;
use stayput::{Budget, ErrorKind};
use std::alloc::Layout;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};

static_assertions::assert_not_impl_any!(ErasedColumn: Send, Sync);

/// Pushes a value of the column's type.
fn push<T>(column: &mut ErasedColumn, value: T) {
    let value = ManuallyDrop::new(value);
    // SAFETY: the tests push values of one type, which are not used again.
    unsafe { column.push((&raw const value).cast()) };
}

fn take<T>(column: &mut ErasedColumn, index: usize) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the tests take values of the type that they pushed.
    unsafe { column.swap_remove_to(index, value.as_mut_ptr().cast()) };
    // SAFETY: the value was moved there.
    unsafe { value.assume_init() }
}

/// Performs random operations on a column and a `Vec`.
fn agree<T: Clone + PartialEq + std::fmt::Debug>(make: fn(u32) -> T) {
    agree_from(ErasedColumn::of::<T>(), make);
    agree_from(ErasedColumn::of::<T>().starting_in_heap(), make);
}

fn agree_from<T: Clone + PartialEq + std::fmt::Debug>(
    mut column: ErasedColumn,
    make: fn(u32) -> T,
) {
    let mut random = random::Random(7);
    let mut model = Vec::new();
    for step in 0..20_000 {
        match random.below(20) {
            0 => {
                let keep = random.below(1 + model.len());
                column.truncate(keep);
                model.truncate(keep);
            }
            1 => column.shrink_to_fit(),
            2 if random.below(2) == 0 => {
                let kept = column.shrink_to_within(random.below(1000), Budget::bytes(1 << 16));
                kept.unwrap();
            }
            2 => column.reserve(random.below(1000)),
            3..=7 if !model.is_empty() => {
                let index = random.below(model.len());
                assert_eq!(take::<T>(&mut column, index), model.swap_remove(index));
            }
            8..=10 if !model.is_empty() => {
                let index = random.below(model.len());
                column.swap_remove(index);
                model.swap_remove(index);
            }
            _ => {
                push(&mut column, make(step));
                model.push(make(step));
            }
        }
        assert_eq!(column.len(), model.len());
        assert!(column.capacity() >= column.len());
        if step % 64 == 0 {
            // SAFETY: the column's type.
            assert_eq!(unsafe { column.as_slice::<T>() }, model);
        }
    }
}

#[test]
fn words_agree_with_vec() {
    agree::<u64>(u64::from);
}

#[test]
fn values_with_memory_of_their_own_agree_with_vec() {
    agree::<String>(|number| number.to_string());
}

#[test]
fn values_of_size_zero_agree_with_vec() {
    agree::<()>(|_| ());
}

#[repr(align(8192))]
#[derive(Clone, Debug, PartialEq)]
struct Aligned(u8);

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn over_aligned_values_agree_with_vec() {
    agree::<Aligned>(|number| Aligned(number.to_le_bytes()[0]));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn pointers_stay_valid_while_a_column_grows() {
    // SAFETY: numbers need no drop.
    let mut column = unsafe { ErasedColumn::new(Layout::new::<u32>(), None) };
    assert!(column.is_empty() && column.get(0).is_none());
    push(&mut column, 0_u32);
    let first = column.get(0).unwrap();
    for number in 1..1_000_000_u32 {
        push(&mut column, number);
    }
    assert_eq!((column.get(0), column.as_ptr()), (Some(first), first.as_ptr()));
    // SAFETY: the column's type, which is not borrowed otherwise.
    let numbers = unsafe { column.as_mut_slice::<u32>() };
    numbers[0] = 7;
    // SAFETY: there are as many elements.
    let last = unsafe { column.get_unchecked(999_999) };
    for (element, value) in [(first, 7), (last, 999_999)] {
        // SAFETY: an element of the column.
        assert_eq!(unsafe { element.cast::<u32>().read() }, value);
    }
    column.clear();
    assert!(column.shrink_to_fit_within(Budget::UNLIMITED).unwrap().is_done);
    assert_eq!(column.stats().len, 0);
}

#[test]
fn few_elements_are_in_the_heap_if_they_may_move() {
    let mut column = ErasedColumn::of::<u32>().starting_in_heap();
    column.reserve_exact(10);
    assert_eq!(column.capacity(), 64);
    push(&mut column, 1_u32);
    let few = column.get(0);
    // It keeps what it has.
    let mut column = column.starting_in_heap();
    assert_eq!((column.len(), column.get(0)), (1, few));
    while column.len() <= 100_000 {
        push(&mut column, 1_u32);
    }
    assert!(column.get(0) != few);
    let many = column.get(0);
    let mut column = column.starting_in_heap();
    column.clear();
    column.shrink_to_fit();
    assert!(column.capacity() < 1 << 16);
    push(&mut column, 2_u32);
    assert_eq!(column.get(0), many);
}

#[test]
fn memory_is_returned_down_to_a_capacity_within_a_budget() {
    let mut column = ErasedColumn::of::<u64>();
    column.reserve(1 << 20);
    let mut calls = 0;
    loop {
        let returned = column.shrink_to_within(1 << 18, Budget::bytes(1 << 20)).unwrap();
        assert!(column.capacity() >= 1 << 18);
        calls += 1;
        if returned.is_done {
            break;
        }
    }
    assert!(calls > 2 && column.capacity() < 1 << 19);
    push(&mut column, 7_u64);
    column.shrink_to_within(0, Budget::UNLIMITED).unwrap();
    assert!(column.capacity() < 1 << 18);
    assert_eq!(take::<u64>(&mut column, 0), 7);
}

#[test]
fn values_are_dropped_once_whatever_drops_panic() {
    for pass in 0..60 {
        let ledger = Ledger::new();
        let mut column = ErasedColumn::of::<Token<'_>>();
        ledger.tokens(0..20).for_each(|token| push(&mut column, token));
        ledger.set_fuse(Step::Drop, pass);
        let result = catch_unwind(AssertUnwindSafe(|| {
            column.swap_remove(3);
            column.swap_remove(column.len() - 1);
            column.truncate(12);
            drop(take::<Token<'_>>(&mut column, 0));
            column.clear();
        }));
        assert_eq!(result.is_err(), ledger.clear_fuse());
        assert_eq!(ledger.live(), column.len());
        drop(column);
        assert_eq!(ledger.live(), 0);
        if result.is_ok() {
            return;
        }
    }
    panic!("it never gets through");
}

#[test]
fn impossible_sizes_and_types_are_refused() {
    let error = ErasedColumn::of::<u64>().try_reserve(usize::MAX / 8).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    let odd = Layout::from_size_align(12, 8).unwrap();
    // SAFETY: nothing is pushed.
    assert!(catch_unwind(|| unsafe { ErasedColumn::new(odd, None) }).is_err());
    let column = ErasedColumn::of::<u64>();
    // SAFETY: there are no elements.
    let other = AssertUnwindSafe(|| unsafe { column.as_slice::<u32>() }.len());
    assert!(catch_unwind(other).is_err());
    let mut column = ErasedColumn::of::<u64>();
    assert!(catch_unwind(AssertUnwindSafe(|| column.swap_remove(0))).is_err());
}
