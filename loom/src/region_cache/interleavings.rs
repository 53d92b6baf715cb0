//! Interleavings of threads that put, take and release regions.

use super::*;
use crate::{explore, made, os, spawn};
use pieces::{put, release_all, release_unused, releases_ended, take};
use waiting::{add, are_any_waiting, drain, release_waiting_piece, waiting_bytes};

/// Starts with an empty cache, all of which the main thread has accessed, and a limit.
fn begin(most: usize) {
    MOST_BYTES.set(usize::MAX);
    made(fill_and_empty);
    MOST_BYTES.set(most);
}

fn fill_and_empty() {
    os::set_clock_ms(1);
    for used in [Use::Block, Use::Array] {
        for bytes in [1, 1, 2, 2] {
            assert!(put(used, Region::new(bytes).0).is_none());
        }
    }
    drop(LentBytes::of(1, 8));
    have_wait(1);
    drain();
    assert!(release_all());
}

/// Caches a region of `bytes`.
fn keep(bytes: usize) -> Arc<Piece> {
    let (region, piece) = Region::new(bytes);
    assert!(put(Use::Block, region).is_none());
    piece
}

/// Caches a region of `bytes`, if there is room.
fn try_to_keep(bytes: usize) -> (Option<Region>, Arc<Piece>) {
    let (region, piece) = Region::new(bytes);
    (put(Use::Block, region), piece)
}

fn take_any(bytes: usize) -> Option<(Region, Option<LentBytes>)> {
    take(Use::Block, bytes..bytes, &mut |_| true)
}

/// Lets a region of `bytes` wait.
fn have_wait(bytes: usize) -> Arc<Piece> {
    let (region, piece) = Region::new(bytes);
    add(region);
    piece
}

/// Checks the invariants once the other threads have ended. `pieces` are all regions that may be cached. Those that
/// are, are counted and found. Afterwards the cache is empty, and each slot can be filled again.
#[track_caller]
fn settle(pieces: &[&Arc<Piece>], most: usize) {
    let kept = || pieces.iter().filter(|piece| piece.is_kept());
    let kept_bytes: usize = kept().map(|piece| piece.bytes).sum();
    assert_eq!(pieces::kept_blocks(), kept().count());
    assert_eq!(count::kept_bytes(), kept_bytes);
    assert!(kept_bytes + count::lent_bytes() <= most, "more than the limit");
    for _ in 0..kept().count() {
        assert!(take_any(2).or_else(|| take_any(1)).is_some(), "a cached region was not found");
    }
    assert!(take_any(2).is_none() && take_any(1).is_none());
    assert_eq!((pieces::kept_blocks(), count::kept_bytes(), count::lent_bytes()), (0, 0, 0));
    MOST_BYTES.set(usize::MAX);
    for bytes in [1, 1, 2, 2] {
        keep(bytes);
    }
    assert!(release_all());
    assert_eq!((pieces::kept_blocks(), count::kept_bytes()), (0, 0));
}

/// Runs two functions concurrently, and returns their results.
fn beside<A: 'static, B>(first: impl FnOnce() -> A + 'static, other: impl FnOnce() -> B) -> (A, B) {
    let thread = spawn(first);
    let other = other();
    (thread.join().unwrap(), other)
}

#[test]
fn a_region_has_one_owner_and_is_taken_as_a_whole() {
    explore(3, || {
        begin(4);
        let ((a, had_a), (b, had_b)) = beside(|| (keep(1), take_any(1)), || (keep(1), take_any(1)));
        // Each thread finds one, its own or the other's, unless the other thread has both.
        assert!(had_a.is_some() || had_b.is_some() || a.is_kept() || b.is_kept());
        drop((had_a, had_b));
        for piece in [&a, &b] {
            assert!(piece.is_kept() != piece.is_released(), "the region is lost");
        }
        settle(&[&a, &b], 4);
    });
}

#[test]
fn a_full_class_refuses_regions_without_losing_any() {
    explore(3, || {
        begin(8);
        let first = keep(1);
        let ((had_a, a), (had_b, b)) = beside(|| try_to_keep(1), || try_to_keep(1));
        assert!(had_a.is_none() != had_b.is_none(), "there was one slot");
        drop((had_a, had_b));
        settle(&[&first, &a, &b], 8);
    });
}

#[test]
fn regions_that_do_not_suit_are_put_back_or_released() {
    explore(3, || {
        begin(8);
        let pieces = [keep(1), keep(1)];
        let ((had, other), found) =
            beside(|| try_to_keep(1), || take(Use::Block, 1..1, &mut |_| false).is_some());
        assert!(!found);
        drop(had);
        for piece in pieces.iter().chain([&other]) {
            assert!(piece.is_kept() != piece.is_released(), "the region is lost");
        }
        settle(&[&pieces[0], &pieces[1], &other], 8);
    });
}

#[test]
fn cached_and_lent_bytes_stay_within_the_limit() {
    explore(3, || {
        begin(4);
        let kept = [keep(2), keep(2)];
        let ((had, other), (region, lent)) = beside(
            || try_to_keep(2),
            || take(Use::Block, 1..1, &mut |_| true).expect("there are two"),
        );
        // Half of a region is lent, so a whole one exceeds the limit.
        assert!(had.is_some() && lent.is_some());
        drop((had, region, lent));
        settle(&[&kept[0], &kept[1], &other], 4);
    });
}

#[test]
fn two_threads_that_put_at_once_stay_within_the_limit() {
    explore(2, || {
        begin(4);
        let kept = [keep(2), keep(2)];
        let others = [0; 2].map(|_| spawn(|| try_to_keep(1)));
        let (region, lent) = take(Use::Block, 1..1, &mut |_| true).expect("there are two");
        let [(had_a, a), (had_b, b)] = others.map(|thread| thread.join().unwrap());
        assert!(lent.is_some() && (had_a.is_some() || had_b.is_some()));
        assert!(count::kept_bytes() + count::lent_bytes() <= 4, "more than the limit");
        drop((had_a, had_b, region, lent));
        settle(&[&kept[0], &kept[1], &a, &b], 4);
    });
}

#[test]
fn a_time_is_that_of_a_thread_that_put_a_region() {
    explore(3, || {
        begin(8);
        let class = &pieces::classes_of(Use::Block)[0];
        let put = |since| class.put(Region::new(1).0.pack(), since).is_none();
        let check = |slot| {
            let Some((place, since)) = class.take(slot) else { return };
            assert!([5, 7].contains(&since), "{since}");
            // SAFETY: packed by `put`, and this thread has taken it out of its slot.
            drop(unsafe { Region::unpack(place) });
        };
        let thread = spawn(move || assert!(put(5)));
        assert!(put(7));
        check(0);
        check(1);
        thread.join().unwrap();
        check(0);
        check(1);
        assert_eq!(class.full().count(), 0);
    });
}

#[test]
fn earlier_regions_are_all_released_during_a_put() {
    explore(3, || {
        begin(8);
        let (kept, larger) = (keep(1), keep(2));
        let (other, _) = beside(|| keep(1), release_all);
        assert!(kept.is_released() && larger.is_released());
        settle(&[&other], 8);
    });
}

#[test]
fn earlier_regions_are_all_released_while_lent_bytes_are_returned() {
    explore(3, || {
        begin(8);
        let _ = keep(2);
        let (_warm, lent) = take(Use::Block, 1..1, &mut |_| true).expect("there is one");
        let kept = keep(1);
        assert!(count::lent_bytes() > 0);
        let _ = beside(|| drop(lent), release_all);
        assert!(kept.is_released());
        settle(&[], 8);
    });
}

#[test]
fn earlier_regions_are_all_released_during_a_take() {
    explore(3, || {
        begin(8);
        let taken = keep(2);
        // Of another kind, since a region that a thread has out of its slot may stay.
        let (region, kept) = Region::new(1);
        assert!(put(Use::Array, region).is_none());
        let (found, _) = beside(|| take(Use::Block, 1..1, &mut |_| true), release_all);
        assert!(kept.is_released() && taken.is_released() == found.is_none());
        drop(found);
        settle(&[], 8);
    });
}

#[test]
fn a_refused_thread_notices_releases_of_other_threads() {
    type Others = fn();
    let others: [Others; 3] = [
        || {
            release_all();
        },
        // A region that is too old.
        || {
            os::set_clock_ms(50);
            drop(try_to_keep(2));
        },
        // A region that does not suit and finds no empty slot, as if other threads had filled it.
        || {
            let fill = || (try_to_keep(1), try_to_keep(1));
            let found = take(Use::Block, 1..1, &mut |_| fill().0.0.is_some_and(|_| false));
            assert!(found.is_none());
        },
    ];
    for others in others {
        explore(3, move || {
            begin(8);
            let kept = keep(1);
            let is_refused = Arc::clone(&kept);
            let _ = beside(others, move || {
                let ended = releases_ended();
                if !is_refused.is_released() {
                    let is_worth_it = release_unused(ended);
                    assert!(is_refused.is_released() && is_worth_it);
                }
            });
            release_all();
        });
    }
}

#[test]
fn old_regions_are_released_once() {
    explore(3, || {
        begin(8);
        let old = [keep(1), keep(2)];
        os::set_clock_ms(50);
        let ((_, a), (taken, b)) = beside(|| try_to_keep(1), || (take_any(2), try_to_keep(1).1));
        drop(taken);
        settle(&[&old[0], &old[1], &a, &b], 8);
    });
}

#[test]
fn three_threads_put_take_and_release() {
    explore(2, || {
        begin(8);
        let first = keep(1);
        let giver = spawn(|| keep(1));
        let taker = spawn(|| drop(take_any(1)));
        release_all();
        let other = giver.join().unwrap();
        taker.join().unwrap();
        assert!(first.is_released());
        assert!(other.is_kept() != other.is_released(), "the region is lost");
        settle(&[&other], 8);
    });
}

#[test]
fn waiting_regions_are_released_once_by_threads_that_add_and_release() {
    explore(3, || {
        begin(8);
        let first = [have_wait(1), have_wait(2)];
        let ((other, _), _) =
            beside(|| (have_wait(1), release_waiting_piece()), || release_waiting_piece());
        drain();
        for piece in first.iter().chain([&other]) {
            assert!(piece.is_released());
        }
        assert_eq!((waiting_bytes(), are_any_waiting()), (0, false));
        settle(&[], 8);
    });
}

#[test]
fn a_thread_that_drains_waits_for_releases_in_progress() {
    explore(5, || {
        begin(8);
        let piece = have_wait(2);
        let releases = || (release_waiting_piece(), release_waiting_piece());
        let _ = beside(releases, move || {
            drain();
            assert!(piece.is_released());
        });
        settle(&[], 8);
    });
}
