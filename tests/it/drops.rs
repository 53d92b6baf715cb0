//! Each element is dropped exactly once, when it is removed, and never when it only moves.

use crate::ledger::{Ledger, Token, values};
use stayput::{Refused, VmVec, vm_vec};
use std::mem;

/// Ten tokens, with the values and numbers 0 to 9.
fn ten(ledger: &Ledger) -> VmVec<Token<'_>> {
    let vec: VmVec<_> = ledger.tokens(0..10).collect();
    assert_eq!(ledger.live(), 10);
    vec
}

/// Runs a closure with ten tokens, all of which must be dropped at the end, except `leaked` ones.
fn with_ten(leaked: usize, run: impl for<'l> FnOnce(&'l Ledger, VmVec<Token<'l>>)) {
    let ledger = Ledger::new();
    run(&ledger, ten(&ledger));
    ledger.assert_all_dropped_but(leaked);
}

#[test]
fn dropping_the_array_drops_each_once_in_order() {
    with_ten(0, |ledger, vec| {
        drop(vec);
        assert_eq!(ledger.take_order(), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });
}

#[test]
fn truncate_and_clear_drop_elements_in_order() {
    with_ten(0, |ledger, mut vec| {
        vec.truncate(12);
        vec.truncate(10);
        assert!(ledger.take_order().is_empty());
        vec.truncate(7);
        assert_eq!(ledger.take_order(), [7, 8, 9]);
        vec.clear();
        assert_eq!(ledger.take_order(), [0, 1, 2, 3, 4, 5, 6]);
        vec.clear();
        assert!(ledger.take_order().is_empty());
    });
}

#[test]
fn removed_elements_are_dropped_by_the_caller() {
    with_ten(0, |ledger, mut vec| {
        let taken = [vec.pop().unwrap(), vec.remove(0), vec.swap_remove(3)];
        let no = vec.pop_if(|_| false);
        assert!(no.is_none());
        let last = vec.pop_if(|last| last.value == 7).unwrap();
        assert!(ledger.take_order().is_empty());
        assert_eq!(values(&taken), [9, 0, 4]);
        assert_eq!(values(&vec), [1, 2, 3, 8, 5, 6]);
        drop(last);
        drop(taken);
        assert_eq!(ledger.take_order(), [7, 9, 0, 4]);
    });
}

#[test]
fn moving_the_array_and_its_elements_drops_nothing() {
    with_ten(0, |ledger, vec| {
        let mut boxed = Box::new(vec);
        let mut rest = boxed.split_off(4);
        let mut other = VmVec::new();
        other.append(&mut rest);
        other.append(&mut boxed);
        other.insert(3, ledger.token(10));
        other.reserve(100_000);
        other.shrink_to_fit();
        let mut std = other.into_vec();
        let mut again = VmVec::new();
        again.append_vec(&mut std);
        let boxed: Box<[_]> = again.into_boxed_slice();
        let again = VmVec::from(boxed);
        let deque: std::collections::VecDeque<_> = again.into();
        let mut again = VmVec::from(deque);
        again.reverse();
        assert!(ledger.take_order().is_empty());
        assert_eq!(values(&again), [3, 2, 1, 0, 9, 8, 7, 10, 6, 5, 4]);
    });
}

#[test]
fn arrays_and_literals_move_their_elements_in_and_out() {
    with_ten(0, |ledger, vec| {
        let array: [Token<'_>; 10] = vec.try_into().unwrap();
        let vec = VmVec::from(array);
        let vec = <[Token<'_>; 3]>::try_from(vec).unwrap_err();
        let array: Box<[Token<'_>; 10]> = vec.try_into().unwrap();
        assert!(ledger.take_order().is_empty());
        drop(array);
        assert_eq!(ledger.take_order().len(), 10);
        drop(vm_vec![ledger.token(0), ledger.token(1)]);
        drop(vm_vec![ledger.token(0); 3]);
        drop(vm_vec![ledger.token(0); 0]);
        assert_eq!(ledger.made(), 10 + 2 + 3 + 1);
    });
}

#[test]
fn retain_and_dedup_drop_removed_elements() {
    with_ten(0, |ledger, mut vec| {
        vec.retain(|token| token.value % 3 != 0);
        assert_eq!(ledger.take_order(), [0, 3, 6, 9]);
        vec.retain_mut(|token| {
            token.value /= 2;
            token.value != 4
        });
        assert_eq!(ledger.take_order(), [8]);
        assert_eq!(values(&vec), [0, 1, 2, 2, 3]);
        vec.dedup();
        assert_eq!(ledger.take_order(), [5]);
        vec.dedup_by_key(|token| token.value / 2);
        assert_eq!(ledger.take_order(), [2, 7]);
        vec.dedup_by(|_, _| true);
        assert_eq!(values(&vec), [0]);
    });
}

#[test]
fn drain_drops_elements_not_yielded() {
    with_ten(0, |ledger, mut vec| {
        let mut drain = vec.drain(2..7);
        let (first, last) = (drain.next().unwrap(), drain.next_back().unwrap());
        assert!(ledger.take_order().is_empty());
        drop(drain);
        assert_eq!(ledger.take_order(), [3, 4, 5]);
        assert_eq!((first.value, last.value), (2, 6));
        assert_eq!(values(&vec), [0, 1, 7, 8, 9]);
    });
}

#[test]
fn splice_drops_removed_elements_and_keeps_inserted_ones() {
    for count in 0..12 {
        with_ten(0, |ledger, mut vec| {
            let mut splice = vec.splice(2..7, ledger.tokens(100..100 + count));
            let first = splice.next().unwrap();
            drop(splice);
            assert_eq!(ledger.take_order(), [3, 4, 5, 6]);
            assert_eq!(first.value, 2);
            assert_eq!(vec.len(), 5 + count as usize);
            assert!(vec.iter().all(|token| ledger.is_live(token)));
        });
    }
}

#[test]
fn extract_if_yields_removed_elements_and_keeps_the_rest() {
    with_ten(0, |ledger, mut vec| {
        let mut extract = vec.extract_if(1..9, |token| token.value % 2 == 0);
        let taken = [extract.next().unwrap(), extract.next().unwrap()];
        drop(extract);
        assert!(ledger.take_order().is_empty());
        assert_eq!(values(&taken), [2, 4]);
        assert_eq!(values(&vec), [0, 1, 3, 5, 6, 7, 8, 9]);
    });
}

#[test]
fn into_iter_drops_elements_not_yielded() {
    with_ten(0, |ledger, vec| {
        let mut iter = vec.into_iter();
        let (first, last) = (iter.next().unwrap(), iter.next_back().unwrap());
        iter.as_mut_slice()[0].value = 77;
        assert!(ledger.take_order().is_empty());
        drop(iter);
        assert_eq!(ledger.take_order(), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((first.value, last.value), (0, 9));
    });
}

#[test]
fn counting_and_skipping_drop_elements() {
    with_ten(0, |ledger, vec| {
        assert_eq!(vec.into_iter().count(), 10);
        assert_eq!(ledger.take_order().len(), 10);
    });
    with_ten(0, |ledger, vec| {
        let mut iter = vec.into_iter();
        assert_eq!(iter.nth(3).unwrap().value, 3);
        assert_eq!(ledger.take_order(), [0, 1, 2, 3]);
        assert_eq!(iter.nth_back(1).unwrap().value, 8);
    });
}

#[test]
fn resizing_clones_one_less_than_it_adds() {
    with_ten(0, |ledger, mut vec| {
        vec.resize(13, ledger.token(50));
        assert_eq!(ledger.made(), 13);
        assert!(ledger.take_order().is_empty());
        vec.resize(8, ledger.token(60));
        assert_eq!(ledger.take_order(), [8, 9, 11, 12, 10, 13]);
        vec.resize(8, ledger.token(60));
        assert_eq!(ledger.take_order(), [14]);
        vec.resize_with(9, || ledger.token(70));
        vec.resize_with(4, || unreachable!());
        assert_eq!(ledger.take_order(), [4, 5, 6, 7, 15]);
    });
}

#[test]
fn clones_are_dropped_independently() {
    with_ten(0, |ledger, mut vec| {
        let clone = vec.clone();
        vec.extend_from_within(8..);
        vec.extend_from_slice(&clone[..1]);
        assert_eq!(ledger.live(), 23);
        drop(clone);
        assert_eq!(ledger.live(), 13);
        let iter = vec.into_iter();
        let again = iter.clone();
        assert_eq!(ledger.live(), 26);
        assert_eq!(values(again.as_slice()), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 9, 0]);
    });
}

#[test]
fn clone_from_drops_only_excess_and_overwritten_elements() {
    with_ten(0, |ledger, mut vec| {
        let three: VmVec<_> = ledger.tokens(20..23).collect();
        vec.clone_from(&three);
        assert_eq!(values(&vec), [20, 21, 22]);
        assert_eq!(ledger.live(), 6);
        let mut short: VmVec<_> = ledger.tokens(30..31).collect();
        short.clone_from(&three);
        assert_eq!(values(&short), [20, 21, 22]);
        assert_eq!(ledger.live(), 9);
    });
}

#[test]
fn refused_values_are_returned_once() {
    let ledger = Ledger::new();
    let mut vec = VmVec::with_max_len(3);
    vec.extend(ledger.tokens(0..3));
    let Refused { value, .. } = vec.try_push(ledger.token(3)).unwrap_err();
    let Refused { value, .. } = vec.try_insert(0, value).unwrap_err();
    assert_eq!((value.id, ledger.live()), (3, 4));
    let Refused { value, .. } = vec.try_resize(5, value).unwrap_err();
    assert_eq!((value.id, ledger.live()), (3, 4));
    drop(value);

    let mut other: VmVec<_> = ledger.tokens(4..6).collect();
    assert!(vec.try_append(&mut other).is_err());
    assert!(vec.try_extend_from_slice(&other).is_err());
    assert!(vec.try_extend_from_within(..).is_err());
    assert_eq!((ledger.made(), ledger.live()), (6, 5));

    let rest = vec.try_extend(other).unwrap_err().value;
    assert_eq!(ledger.live(), 5);
    assert_eq!(rest.map(|token| token.value).collect::<Vec<_>>(), [4, 5]);
    drop(vec);
    ledger.assert_all_dropped_but(0);
}

#[test]
fn forgotten_iterators_leak_and_never_drop_twice() {
    with_ten(9, |ledger, mut vec| {
        let mut drain = vec.drain(..);
        drain.next();
        mem::forget(drain);
        assert!(vec.is_empty());
        assert_eq!(ledger.live(), 9);
    });
    // Two elements were yielded; all others from index 2 on leak.
    with_ten(6, |_, mut vec| {
        let mut drain = vec.drain(2..8);
        drop((drain.next(), drain.next_back()));
        mem::forget(drain);
        assert_eq!(values(&vec), [0, 1]);
        vec.extend(Vec::new());
    });
    with_ten(7, |ledger, mut vec| {
        let mut splice = vec.splice(2..5, ledger.tokens(20..30));
        drop(splice.next());
        mem::forget(splice);
        assert_eq!(values(&vec), [0, 1]);
        // They overwrite the places of leaked elements.
        vec.extend(ledger.tokens(30..40));
        assert_eq!(vec.len(), 12);
    });
    with_ten(9, |_, mut vec| {
        let mut extract = vec.extract_if(.., |token| token.value == 3);
        drop(extract.next());
        mem::forget(extract);
        assert!(vec.is_empty());
    });
    with_ten(8, |_, vec| {
        let mut iter = vec.into_iter();
        drop((iter.next(), iter.next_back()));
        mem::forget(iter);
    });
    with_ten(10, |_, vec| assert_eq!(vec.leak().len(), 10));
}

#[test]
fn a_scope_drops_nothing() {
    with_ten(0, |ledger, mut vec| {
        let scope = vec.grow_only();
        scope.extend(ledger.tokens(10..20));
        let last = scope.push(ledger.token(20));
        assert_eq!(last.value, 20);
        assert!(ledger.take_order().is_empty());
        assert_eq!(vec.len(), 21);
    });
}

#[test]
fn zero_sized_elements_are_dropped_once_each() {
    use std::cell::Cell;
    thread_local!(static DROPS: Cell<usize> = const { Cell::new(0) });
    struct Nothing;
    impl Drop for Nothing {
        fn drop(&mut self) {
            DROPS.set(DROPS.get() + 1);
        }
    }

    let mut vec = VmVec::new();
    vec.resize_with(100, || Nothing);
    drop(vec.pop());
    vec.truncate(90);
    assert_eq!(DROPS.get(), 10);
    vec.drain(10..20).next();
    assert_eq!(DROPS.get(), 20);
    let mut n = 0;
    vec.retain(|_| {
        n += 1;
        n % 2 == 0
    });
    assert_eq!((DROPS.get(), vec.len()), (60, 40));
    let mut iter = vec.into_iter();
    iter.nth(4);
    assert_eq!(DROPS.get(), 65);
    drop(iter);
    assert_eq!(DROPS.get(), 100);
}
