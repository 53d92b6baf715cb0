//! Interleavings of threads that append to one array and read it.

use super::Array;
use super::places::Places;
use crate::error::ErrorKind;
use crate::explore;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread::JoinHandle;

fn spawn<R: 'static>(array: &Arc<Array>, run: impl FnOnce(&Array) -> R + 'static) -> JoinHandle<R> {
    let array = Arc::clone(array);
    crate::spawn(move || run(&array))
}

/// Checks that all stored numbers are in the array once, without gaps, and where the calls said.
fn is_whole(array: &Array, stored: &[(Result<usize, ErrorKind>, usize)]) {
    let mut right: Vec<_> =
        stored.iter().filter_map(|(place, number)| Some((place.ok()?, *number))).collect();
    right.sort_unstable();
    let numbers: Vec<_> = array.prefix().into_iter().enumerate().collect();
    assert_eq!(numbers, right);
}

#[test]
fn pushes_that_need_memory_lose_nothing_and_leave_no_gap() {
    explore(None, || {
        let array = Array::new(0, 0, 2, 0);
        let other = spawn(&array, |array| array.push(1));
        let mine = array.push(2);
        assert_eq!(array.get(mine.unwrap()), Some(2));
        let theirs = other.join().unwrap();
        is_whole(&array, &[(theirs, 1), (mine, 2)]);
    });
}

#[test]
fn readers_see_whole_elements_during_a_push() {
    // Also while the first memory is allocated.
    for committed in [0, 1] {
        explore(None, move || {
            let array = Array::new(committed, 0, 2, 0);
            let other = spawn(&array, |array| {
                let place = array.push(1);
                array.places.note(0);
                place.unwrap()
            });
            let before = array.prefix();
            let second = array.get(1);
            let now = array.prefix();
            assert!(now.starts_with(&before) && second.is_none());
            assert_eq!(other.join().unwrap(), 0);
            assert_eq!(array.prefix(), [1]);
        });
    }
}

#[test]
fn readers_see_elements_of_two_pushes_past_a_gap() {
    explore(Some(3), || {
        let array = Array::new(2, 0, 2, 0);
        let push = |number| {
            spawn(&array, move |array: &Array| {
                array.push(number).unwrap();
                array.places.note(0);
            })
        };
        let (first, second) = (push(1), push(2));
        let seen = [array.get(0), array.get(1)];
        let prefix = array.prefix();
        for (place, number) in
            seen.into_iter().enumerate().filter_map(|(at, seen)| Some((at, seen?)))
        {
            assert!((1..3).contains(&number));
            assert!(prefix.get(place).is_none_or(|later| *later == number));
        }
        first.join().unwrap();
        second.join().unwrap();
        let mut all = array.prefix();
        all.sort_unstable();
        assert_eq!(all, [1, 2]);
    });
}

#[test]
fn the_array_stays_usable_after_refusals() {
    for (committed, refusals) in [(0, 1), (1, 1), (0, 2), (1, 2)] {
        explore(None, move || {
            let array = Array::new(committed, refusals, 4, 0);
            let other = spawn(&array, |array| array.push(1));
            let mine = array.push(2);
            let theirs = other.join().unwrap();
            is_whole(&array, &[(theirs, 1), (mine, 2)]);
            let refused = [mine, theirs].iter().filter(|place| place.is_err()).count();
            assert!(refused >= usize::from(refusals + committed > 1));
            // No further refusals.
            array.memory.lock().unwrap().refusals = 0;
            let last = array.push(3);
            assert!(last.is_ok());
            is_whole(&array, &[(theirs, 1), (mine, 2), (last, 3)]);
        });
    }
}

#[test]
fn three_refused_threads_return_all_tickets() {
    explore(Some(2), || {
        let array = Array::new(1, 1, 4, 0);
        let first = spawn(&array, |array| array.push(1));
        let second = spawn(&array, |array| array.push(2));
        let mine = array.push(3);
        let all = [(first.join().unwrap(), 1), (second.join().unwrap(), 2), (mine, 3)];
        is_whole(&array, &all);
        let stored = all.iter().filter(|(place, _)| place.is_ok()).count();
        assert!(stored > 0);
        assert_eq!(array.push(4), Ok(stored));
    });
}

#[test]
fn places_that_come_with_a_refusal_are_used_once() {
    explore(Some(2), || {
        let array = Array::new(1, 2, 5, 1);
        array.memory.lock().unwrap().commits_anyway = true;
        let first = spawn(&array, |array| array.push(1));
        let second = spawn(&array, |array| array.push(2));
        let mine = array.push(3);
        let last = array.push(4);
        let all = [(first.join().unwrap(), 1), (second.join().unwrap(), 2), (mine, 3), (last, 4)];
        is_whole(&array, &all);
        assert!(all.iter().all(|(place, _)| place.is_ok()));
    });
}

#[test]
fn all_places_up_to_the_maximum_are_filled() {
    for ahead in [0, 1] {
        explore(Some(3), move || {
            let array = Array::new(ahead, 0, 2, ahead);
            let first = spawn(&array, |array| array.push(1));
            let second = spawn(&array, |array| array.push(2));
            let mine = array.push(3);
            let all = [(first.join().unwrap(), 1), (second.join().unwrap(), 2), (mine, 3)];
            is_whole(&array, &all);
            let refused = all.iter().filter_map(|(place, _)| place.err());
            assert!(refused.eq([ErrorKind::MaxLen]), "{all:?}");
        });
    }
}

#[test]
fn elements_of_one_call_are_contiguous() {
    for (committed, refusals, ahead) in [(1, 0, 0), (1, 1, 0), (0, 0, 4)] {
        explore(None, move || {
            let array = Array::new(committed, refusals, 5, ahead);
            let other = spawn(&array, |array| array.push_two(1));
            let mine = array.push(5);
            let theirs = other.join().unwrap();
            let second = theirs.map(|place| place + 1);
            is_whole(&array, &[(theirs, 1), (second, 2), (mine, 5)]);
            array.memory.lock().unwrap().refusals = 0;
            let last = array.push_two(7);
            assert!(last.is_ok());
        });
    }
}

#[test]
fn a_claim_of_an_exact_place_gets_that_or_nothing() {
    for refusals in [0, 1] {
        explore(None, move || {
            let array = Array::new(0, refusals, 4, 0);
            let other = spawn(&array, |array| array.push_exactly(0, 1));
            let mine = array.push(2);
            let theirs = other
                .join()
                .unwrap()
                .and_then(|is_taken| is_taken.then_some(0).ok_or(ErrorKind::Busy));
            is_whole(&array, &[(theirs, 1), (mine, 2)]);
            assert!(refusals > 0 || mine.is_ok());
        });
    }
}

#[test]
fn growing_ahead_does_not_revive_void_tickets() {
    for refusals in [0, 1, 2] {
        explore(Some(3), move || {
            let array = Array::new(1, refusals, 4, 0);
            let first = spawn(&array, |array| array.push(1));
            let second = spawn(&array, |array| {
                array.grow_ahead();
                array.push(2)
            });
            let mine = array.push(3);
            let all = [(first.join().unwrap(), 1), (second.join().unwrap(), 2), (mine, 3)];
            is_whole(&array, &all);
            array.memory.lock().unwrap().refusals = 0;
            let stored = all.iter().filter(|(place, _)| place.is_ok()).count();
            assert_eq!(array.push(4), Ok(stored));
        });
    }
}

/// The ticket of the refused push is returned before there is memory for its place.
#[test]
fn places_that_are_claimed_later_are_not_among_those_that_were_issued() {
    explore(None, || {
        let array = Array::new(1, 0, 4, 0);
        assert_eq!(array.push(1), Ok(0));
        array.memory.lock().unwrap().refusals = 1;
        let other = spawn(&array, |array| {
            let refused = array.push(2);
            array.grow_ahead();
            refused
        });
        let issued = array.places.issued();
        let mine = array.push(3);
        assert!(issued > 0 && mine.is_ok_and(|place| place >= issued) || mine.is_err());
        let theirs = other.join().unwrap();
        is_whole(&array, &[(Ok(0), 1), (theirs, 2), (mine, 3)]);
    });
}

#[test]
fn elements_published_by_the_hint_are_seen_with_all_before_them() {
    explore(Some(3), || {
        let array = Array::new(4, 0, 4, 0);
        let first = spawn(&array, |array| array.push_two(1));
        let second = spawn(&array, |array| {
            let place = array.push_two(3).unwrap();
            array.places.note(place + 1);
            place
        });
        let before = array.prefix();
        let seen: Vec<_> = (0..4).map(|place| array.get(place)).collect();
        let now = array.prefix();
        assert!(now.starts_with(&before));
        for (place, number) in now.iter().enumerate() {
            assert!(seen[place].is_none_or(|seen| seen == *number));
        }
        let first = first.join().unwrap().unwrap();
        let second = second.join().unwrap();
        assert_eq!(array.get(first + 1), Some(2));
        assert_eq!(array.get(second + 1), Some(4));
        assert_eq!(array.prefix().len(), 4);
    });
}

/// Elements without a size are only counted.
#[test]
fn a_thread_that_sees_a_number_sees_what_was_done_before_it_was_counted() {
    for is_exact in [false, true] {
        explore(None, move || {
            let places = Arc::new(Places::new(3));
            let done = Arc::new(UnsafeCell::new(0));
            assert_eq!(places.counted(), 0);
            let other = crate::spawn({
                let (places, done) = (Arc::clone(&places), Arc::clone(&done));
                move || {
                    // SAFETY: loom checks that no other thread accesses it.
                    done.with_mut(|done| unsafe { *done = 1 });
                    assert!(if is_exact {
                        places.count_up_exactly(0)
                    } else {
                        places.count_up(1, 3) == Some(0)
                    });
                }
            });
            if places.counted() > 0 {
                // SAFETY: loom checks that no other thread writes to it.
                assert_eq!(done.with(|done| unsafe { *done }), 1);
            }
            other.join().unwrap();
        });
    }
}
