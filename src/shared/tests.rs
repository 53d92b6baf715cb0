//! Tests with unfinished pushes and refused calls. All others are in `tests/it`.

use super::places::Grown;
use super::push::Claimed;
use super::*;
use crate::backing::Backing;
use crate::effort;
use crate::growing::Budget;
use crate::os::Call;
use crate::os::fault::Fault;
use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;

thread_local! {
    /// Whether this thread behaves as on processors that cannot touch pages while other threads use them.
    pub(super) static IS_PREFAULTING_EXCLUSIVE: Cell<bool> = const { Cell::new(false) };
}

/// Claims a place without filling it.
fn begin<T>(vec: &SharedVec<T>) -> Claimed<'_, T> {
    vec.claimed().unwrap()
}

#[test]
fn elements_after_a_gap_are_found_but_not_in_the_slice() {
    let mut vec = SharedVec::new();
    vec.push(String::from("first"));
    let gap = begin(&vec);
    let (third, text) = vec.push(String::from("third"));
    assert_eq!((gap.place(), third, text.as_str()), (1, 2, "third"));
    assert_eq!(vec.get(third), Some(text));
    assert_eq!((vec.get(gap.place()), vec.get(3), vec.len()), (None, None, 1));
    for n in 0..1000 {
        vec.push(n.to_string());
    }
    assert_eq!((vec.as_slice(), vec.iter().len()), (&["first".to_owned()][..], 1));
    assert_eq!(vec.get(1002).map(String::as_str), Some("999"));
    gap.put(String::from("second"));
    assert_eq!((vec.len(), vec[1].as_str(), vec[1002].as_str()), (1003, "second", "999"));
    assert_eq!(vec.as_mut_vec().len(), 1003);
}

#[test]
fn an_iterator_over_finished_elements_skips_the_others() {
    let vec = SharedVec::new();
    vec.extend_from_slice(&[0, 1, 2]);
    let [gap0, gap1] = [begin(&vec), begin(&vec)];
    vec.push(5);
    let last = begin(&vec);
    assert_eq!((gap0.place(), gap1.place(), last.place(), vec.len()), (3, 4, 6, 3));
    let found: Vec<_> = vec.iter_finished().collect();
    assert_eq!(found, [(0, &0), (1, &1), (2, &2), (5, &5)]);
    assert!(vec.iter_finished().rev().eq(found.into_iter().rev()));
    assert_eq!(vec.iter_finished().size_hint(), (0, Some(7)));

    // Elements that are finished in time are visited; elements pushed later are not.
    let mut iter = vec.iter_finished();
    assert_eq!((iter.nth(2), iter.next_back()), (Some((2, &2)), Some((5, &5))));
    gap1.put(4);
    last.put(6);
    vec.push(7);
    let rest = iter.clone();
    assert_eq!((iter.next(), iter.next(), iter.next()), (Some((4, &4)), None, None));
    assert_eq!(format!("{rest:?}"), "{4: 4}");
    assert_eq!((vec.iter_finished().count(), vec.len()), (7, 3));
    gap0.put(3);
    assert!(vec.iter_finished().map(|(_, element)| *element).eq(0..8));
}

#[test]
fn runs_before_and_after_a_gap_are_found_and_places_are_reused() {
    let mut vec = SharedVec::new();
    for round in 0..3 {
        let first = vec.extend_from_slice(&[round; 100]);
        let gap = begin(&vec);
        let second = vec.extend_from_slice(&[round + 1; 100]);
        assert_eq!((first, gap.place(), second), (0..100, 100, 101..201));
        assert_eq!(
            (vec.get(99), vec.get(100), vec.get(101)),
            (Some(&round), None, Some(&(round + 1)))
        );
        assert_eq!((vec.get(200), vec.get(201), vec.len()), (Some(&(round + 1)), None, 100));
        gap.put(7);
        assert_eq!((vec.len(), vec[100], vec[200]), (201, 7, round + 1));
        assert_eq!(vec.extend_from_slice(&[8; 10]), 201..211);
        assert_eq!((vec.len(), vec.get(210), vec.get(211)), (211, Some(&8), None));
        vec.clear();
        assert!((0..300).all(|place| vec.get(place).is_none()));
    }
}

#[test]
fn elements_after_a_permanent_gap_are_neither_dropped_nor_visible() {
    struct Counted<'c>(&'c AtomicUsize);
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    // As in the child of a fork.
    let counts = AtomicUsize::new(0);
    let mut vec = SharedVec::new();
    for place in 0..10 {
        if place == 5 {
            begin(&vec);
        } else {
            vec.push(Counted(&counts));
        }
    }
    assert_eq!((vec.as_mut_slice().len(), vec.len()), (5, 5));
    for _ in 0..3 {
        vec.push(Counted(&counts));
    }
    assert_eq!((vec.len(), vec.claimed_and_void()), (8, 8));
    drop(vec);
    assert_eq!(counts.load(Ordering::Relaxed), 8);
}

impl<T> SharedVec<T> {
    fn claimed_and_void(&self) -> usize {
        self.places.claimed()
    }
}

#[test]
fn a_refused_push_returns_the_value_and_the_next_push_gets_its_place() {
    for (call, pass) in
        [(Call::Reserve, 0), (Call::Reserve, 1), (Call::Commit, 0), (Call::Commit, 1)]
    {
        let vec = SharedVec::<[u64; 100]>::with_max_len(10_000);
        let fault = if call == Call::Reserve {
            // Addresses for the elements are reserved already.
            Fault::from_nth(call, 0)
        } else {
            Fault::from_nth(call, pass)
        };
        let refused = vec.try_push([1; 100]).unwrap_err();
        assert_eq!(refused.value, [1; 100]);
        assert!(refused.error.raw_os_error().is_some());
        assert!(fault.failures() > 0);
        drop(fault);
        assert_eq!((vec.len(), vec.claimed_and_void()), (0, 0));
        for n in 0..1000 {
            assert_eq!(vec.push([n; 100]).0 as u64, n);
        }
        assert!(vec.iter().enumerate().all(|(at, found)| *found == [at as u64; 100]));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn refusals_at_each_step_of_growth_lose_nothing() {
    let mut pass = 0;
    loop {
        let vec = SharedVec::<u64>::new();
        let fault = Fault::nth(Call::Commit, pass);
        let mut refused = 0;
        for n in 0..400_000 {
            if let Err(error) = vec.try_push(n) {
                assert_eq!(error.value, n);
                refused += 1;
                assert_eq!(vec.push(n).0 as u64, n, "the next one has the place");
            }
        }
        let failures = fault.failures();
        drop(fault);
        assert!(refused <= failures);
        assert!(vec.iter().copied().eq(0..400_000));
        if failures == 0 {
            break;
        }
        pass += 1;
    }
    assert!(pass > 5, "{pass} steps");
}

#[test]
fn refused_bulk_calls_leave_their_elements_in_place() {
    let vec = SharedVec::<u32>::new();
    vec.push(0);
    let many = vec![7; vec.capacity()];
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(vec.try_extend_from_slice(&many).is_err());
    let mut moved = many.clone();
    assert!(vec.try_append_vec(&mut moved).is_err());
    assert_eq!(moved, many);
    assert!(vec.try_reserve(many.len()).is_err() && vec.try_prefault(many.len()).is_err());
    // There is room for a few.
    assert_eq!(vec.try_extend_from_slice(&[1, 2]).unwrap(), 1..3);
    drop(fault);
    assert_eq!(vec.append_vec(&mut moved), 3..3 + many.len());
    assert!(moved.is_empty());
}

#[test]
fn a_run_is_64_elements_but_at_most_16_kib() {
    let most = [
        gather::most_of_run::<()>(),
        gather::most_of_run::<u8>(),
        gather::most_of_run::<[u8; 256]>(),
        gather::most_of_run::<[u8; 1024]>(),
        gather::most_of_run::<[u8; (16 << 10) + 1]>(),
    ];
    assert_eq!(most, [64, 64, 64, 16, 1]);
    let vec = SharedVec::new();
    let mut gather = vec.gather();
    assert!(gather.is_empty());
    gather.extend([1, 2, 3]);
    assert_eq!((gather.len(), gather.is_empty(), vec.len()), (3, false, 0));
}

#[test]
fn prefaulting_begins_at_the_first_place_that_is_free() {
    if !os::PREFAULTING_IS_SHARED {
        return;
    }
    let vec = SharedVec::<u64>::with_max_len(100_000);
    let fault = Fault::from_nth(Call::Prefault, 0);
    assert!(vec.try_prefault(10_000).is_err() && fault.failures() > 0);
    drop(fault);
    assert_eq!((vec.len(), vec.try_prefault(10_000)), (0, Ok(())));
}

#[test]
fn a_ticket_past_the_maximum_leaves_memory_to_those_below_it() {
    let vec = SharedVec::<u64>::with_max_len(10_000);
    vec.push(0);
    let first = vec.capacity();
    let most = vec.max_len();
    // As if other threads had them and did not have the growth lock yet.
    let tickets: Vec<_> = (1..most).map(|_| vec.places.claim()).collect();
    assert!(vec.try_push(1).is_err_and(|refused| refused.error.is_full()));
    assert_eq!((vec.capacity(), vec.claimed_and_void()), (most, most));
    for (claim, at) in tickets.iter().zip(1..) {
        assert_eq!(matches!(claim, Claim::Ticket(_)), at >= first);
        assert_eq!(vec.claim_slowly(claim), Ok(Some(at)));
    }
}

#[test]
fn a_ticket_takes_no_more_memory_than_the_policy_says() {
    let vec = SharedVec::<u64>::with_max_len(1 << 20);
    vec.push(0);
    let first = vec.capacity();
    // As if other threads had the other places.
    for _ in 1..first {
        assert!(matches!(vec.places.claim(), Claim::Place(_)));
    }
    assert_eq!(vec.push(1).0, first);
    assert!((first + 1..1 << 19).contains(&vec.capacity()));
}

#[test]
fn shared_pages_are_not_touched_on_processors_where_that_is_a_race() {
    let vec = SharedVec::from([1_u8]);
    let map = SharedSlotMap::new();
    map.insert(1_u8);
    IS_PREFAULTING_EXCLUSIVE.set(true);
    let refused = [
        vec.try_prefault(1000).err(),
        vec.prefault_ahead(Budget::UNLIMITED).refused,
        map.try_prefault(1000).err(),
        map.prefault_ahead(Budget::UNLIMITED).refused,
    ];
    IS_PREFAULTING_EXCLUSIVE.set(false);
    assert_eq!(
        refused.map(|error| error.map(|error| error.kind())),
        [Some(ErrorKind::Unsupported); 4]
    );
    // They made room nevertheless.
    assert!(vec.capacity() > 1000 && map.capacity() > 1000);
    if os::PREFAULTING_IS_SHARED {
        vec.prefault(1000);
        map.prefault(1000);
    }
}

/// Stores `count` numbers from each of several threads, while some commits are refused to each; returns the numbers
/// that were stored, with where.
pub(super) fn store_together<P: Send>(
    pass: usize,
    count: u64,
    store: impl Fn(u64) -> Option<P> + Sync,
) -> Vec<(P, u64)> {
    const THREADS: u64 = 4;
    let barrier = Barrier::new(usize::try_from(THREADS).unwrap());
    let (store, barrier) = (&store, &barrier);
    thread::scope(|scope| {
        let begin = |worker: u64| {
            scope.spawn(move || {
                // Refuses commits of this thread.
                let _fault = Fault::plan(Call::Commit, pass % 3, 5);
                barrier.wait();
                let numbers = (0..count).map(|n| worker << 32 | n);
                numbers.filter_map(|n| Some((store(n)?, n))).collect::<Vec<_>>()
            })
        };
        let workers: Vec<_> = (0..THREADS).map(begin).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

#[test]
fn refusals_in_several_threads_lose_nothing() {
    for pass in 0..effort::few(20) {
        let vec = SharedVec::<u64>::builder().max_len(1 << 20).build();
        let stored =
            store_together(pass, effort::few(20_000) as u64, |n| Some(vec.try_push(n).ok()?.0));
        assert_eq!((vec.len(), vec.claimed_and_void()), (stored.len(), stored.len()));
        assert!(stored.iter().all(|(place, n)| vec[*place] == *n));
        assert_eq!(stored.iter().map(|(place, _)| place).collect::<HashSet<_>>().len(), vec.len());
        // The array has opened again.
        assert_eq!(vec.push(1).0, stored.len());
    }
}

#[test]
fn tickets_never_returned_keep_the_array_closed_until_exclusive_access() {
    let mut vec = SharedVec::<u64>::new();
    vec.push(0);
    let first = vec.capacity();
    let fault = Fault::from_nth(Call::Commit, 0);
    while vec.len() < first {
        vec.push(1);
    }
    // As in the child of a fork, if another thread of the parent had the ticket.
    assert!(matches!(vec.places.claim(), Claim::Ticket(ticket) if ticket == first));
    let why = vec.try_push(1).unwrap_err().error;
    drop(fault);
    for _ in 0..3 {
        let refused = vec.try_push(7).unwrap_err();
        assert_eq!((refused.value, refused.error), (7, why));
        assert!(vec.try_extend_from_slice(&[1, 2]).is_err());
        assert_eq!(vec.try_reserve(1), Err(why));
    }
    assert_eq!((vec.len(), vec.get(first - 1), vec.get(first)), (first, Some(&1), None));
    vec.as_mut_vec().reverse();
    assert_eq!((vec.push(7), vec.len()), ((first, &7), first + 1));
}

#[test]
fn memory_is_taken_ahead_of_need() {
    let vec = SharedVec::<u64>::new();
    vec.push(0);
    let first = vec.capacity();
    let near = first - first / 4;
    while vec.len() < near + places::RUN {
        vec.push(1);
    }
    assert!(vec.capacity() > first, "{} of {first}", vec.len());
    // A refusal while growing ahead is reported to no caller.
    let vec = SharedVec::<u64>::new();
    vec.push(0);
    let fault = Fault::from_nth(Call::Commit, 0);
    while vec.len() < first {
        vec.push(1);
    }
    assert!(fault.failures() > 0 && vec.try_push(1).is_err());
}

#[test]
fn memory_taken_while_a_reentrant_push_closed_the_array_does_not_count() {
    let places = Places::new(0);
    let flags: Vec<_> = (0..200).map(|_| std::sync::atomic::AtomicU8::new(0)).collect();
    // SAFETY: the flags live as long as `places`.
    unsafe { places.set_memory(ptr::null_mut(), flags.as_ptr().cast_mut(), flags.len()) };
    places.raise_committed(2);
    assert!(matches!(places.claim(), Claim::Place(0)));
    // A call asks for several places without memory, while other threads take the last place and a ticket.
    let grown = places.claim_locked(&Claim::Next(5), &mut |need| {
        assert_eq!(need, 6);
        assert!(matches!(places.claim(), Claim::Place(1)));
        assert!(matches!(places.claim(), Claim::Ticket(2)));
        let again = places.claim();
        assert!(matches!(again, Claim::Ticket(3)) && places.claim_again(&again).is_none());
        Grown { committed: 100, refused: None }
    });
    assert!(matches!(grown, Err(Refusal::Closed)));
    assert_eq!((places.committed(), places.claimed()), (2, 3));
    assert!(matches!(places.claim(), Claim::Next(1)));
    let mut more = |_| Grown { committed: 100, refused: None };
    let theirs = places.claim_locked(&Claim::Ticket(2), &mut more);
    assert!(matches!(theirs, Err(Refusal::Closed)) && places.claimed() == 2);
    assert!(matches!(places.claim_locked(&Claim::Next(5), &mut more), Ok(Some(2))));
    assert!(matches!(places.claim(), Claim::Place(7)));
    // A ticket whose place has got memory meanwhile is good, also without the growth lock.
    while !matches!(places.claim(), Claim::Ticket(100)) {}
    assert_eq!(places.claim_again(&Claim::Ticket(99)), Some(99));
    assert_eq!(places.claim_again(&Claim::Ticket(100)), None);
}

#[test]
fn a_ticket_whose_place_comes_with_a_refusal_is_not_returned() {
    let places = Places::new(0);
    places.raise_committed(1);
    assert!(matches!(places.claim(), Claim::Place(0)));
    let tickets = [places.claim(), places.claim()];
    // The memory that the place needs is there, and more was refused.
    let mut grow = |_| Grown { committed: 4, refused: Some(Error::new(ErrorKind::Memory, 8)) };
    let claimed = tickets.each_ref().map(|ticket| places.claim_locked(ticket, &mut grow));
    assert!(matches!(claimed, [Ok(Some(1)), Ok(Some(2))]));
    assert!(matches!(places.claim_locked(&Claim::Exactly(3), &mut grow), Ok(Some(3))));
    // Too little for several places, of which none is claimed.
    assert!(matches!(places.claim_locked(&Claim::Next(2), &mut grow), Err(Refusal::Memory(_))));
    assert_eq!((places.claimed(), places.committed()), (4, 4));
}

#[test]
fn a_lock_without_a_holder_makes_no_tickets() {
    let places = Places::new(0);
    places.raise_committed(1);
    places.abandon(&Claim::Next(2));
    assert!(matches!(places.claim(), Claim::Place(0)));
    places.abandon(&places.claim());
    assert!(matches!(places.claim(), Claim::Next(1)) && places.claimed() == 2);
}

#[test]
fn a_ticket_is_returned_if_taking_memory_unwinds() {
    let places = Places::new(0);
    places.raise_committed(1);
    assert!(matches!(places.claim(), Claim::Place(0)));
    let ticket = places.claim();
    assert!(matches!(ticket, Claim::Ticket(1)));
    let unwinding = std::panic::AssertUnwindSafe(|| {
        places.claim_locked(&ticket, &mut |_| panic!("as planned")).map_err(drop)
    });
    assert!(std::panic::catch_unwind(unwinding).is_err());
    assert_eq!((places.claimed(), places.committed()), (1, 1));
    places.raise_committed(2);
    assert!(matches!(places.claim(), Claim::Place(1)));
}

#[test]
fn a_cleared_array_needs_no_lock_for_the_next_push() {
    let mut vec = SharedVec::from([1, 2]);
    vec.push(3);
    vec.clear();
    assert!(matches!(vec.places.claim(), Claim::Place(0)));
}

#[test]
fn a_lock_whose_holder_is_gone_is_replaced_on_exclusive_access() {
    let vec = &mut SharedVec::new();
    vec.push(String::from("first"));
    thread::scope(|scope| _ = scope.spawn(|| std::mem::forget(vec.memory.lock().ok())));
    assert!(vec.memory.try_lock().is_none());
    vec.push(String::from("second"));
    assert_eq!(vec.as_mut_vec().len(), 2);
    vec.reserve(10_000);
    vec.extend((0..10_000).map(|n| n.to_string()));
    assert_eq!((vec.len(), vec.stats().len, vec[10_001].as_str()), (10_002, 10_002, "9999"));

    let mut unsized_vec = SharedVec::new();
    unsized_vec.push(());
    thread::scope(|scope| _ = scope.spawn(|| std::mem::forget(unsized_vec.memory.lock().ok())));
    unsized_vec.clear();
    assert_eq!((unsized_vec.stats().len, unsized_vec.max_len()), (0, usize::MAX));
}

#[test]
fn a_lock_without_a_holder_leaves_a_ticket_with_memory_its_place() {
    let places = Places::new(0);
    places.raise_committed(1);
    assert!(matches!(places.claim(), Claim::Place(0)));
    let ticket = places.claim();
    // As if the holder had gone between raising the number and letting threads see it.
    places.raise_committed(3);
    assert_eq!(places.abandon(&ticket), Some(1));
    assert!(matches!(places.claim(), Claim::Place(2)));
}

#[test]
fn room_is_not_promised_if_a_reentrant_push_closed_the_array_meanwhile() {
    static VEC: OnceLock<SharedVec<u64>> = OnceLock::new();
    static IS_ARMED: AtomicBool = AtomicBool::new(false);

    struct Reentrant(NonNull<u64>);
    // SAFETY: a pointer to memory that only the array uses.
    unsafe impl Send for Reentrant {}
    // SAFETY: as above.
    unsafe impl Sync for Reentrant {}

    // SAFETY: the 65,536 numbers exist forever, and only the array uses them. They are zero at first, and keep their
    // contents: `decommit` is not called, since the array neither shrinks nor is dropped. `commit` uses the places of the
    // array, but no memory of it.
    unsafe impl Backing for Reentrant {
        fn start(&self) -> NonNull<u8> {
            self.0.cast()
        }

        fn reserved_bytes(&self) -> usize {
            8 << 16
        }

        unsafe fn commit(&mut self, _: Range<usize>) -> Result<(), Error> {
            if IS_ARMED.load(Ordering::Relaxed) {
                let places = &VEC.get().unwrap().places;
                // Another thread needs memory, and so does a call of this thread, which gets none.
                assert!(matches!(places.claim(), Claim::Ticket(_)));
                assert!(places.claim_again(&places.claim()).is_none());
            }
            Ok(())
        }

        unsafe fn decommit(&mut self, _: Range<usize>) -> Result<(), Error> {
            unreachable!()
        }
    }

    let memory = NonNull::from(Box::leak(vec![0_u64; 1 << 16].into_boxed_slice())).cast();
    let vec = VEC.get_or_init(|| VmVec::builder().build_in(Reentrant(memory)).into());
    vec.push(1);
    while vec.places.claimed() < vec.capacity() {
        assert!(matches!(vec.places.claim(), Claim::Place(_)));
    }
    IS_ARMED.store(true, Ordering::Relaxed);
    assert_eq!(vec.try_reserve(1).map_err(|error| error.kind()), Err(ErrorKind::Busy));
    assert_eq!(vec.try_push(3).map_err(|refused| refused.value), Err(3));
}

#[test]
fn a_refused_reservation_does_not_end_taking_memory_ahead() {
    let vec = SharedVec::<u64>::new();
    vec.push(0);
    let first = vec.capacity();
    assert!(vec.try_reserve(usize::MAX).is_err() && vec.capacity() == first);
    while vec.len() < first - places::RUN / 2 {
        vec.push(1);
    }
    assert!(vec.capacity() > first, "{} of {first}", vec.len());
}

#[test]
fn elements_without_a_size_have_no_flags() {
    let vec = SharedVec::<()>::with_max_len(1 << 30);
    vec.push(());
    let done = vec.prefault_ahead(Budget::UNLIMITED);
    assert_eq!((done.bytes, vec.stats().committed_bytes), (0, 0));
}

#[test]
fn a_gatherer_has_room_for_the_element_that_is_refused_with_a_run() {
    let vec = SharedVec::<u64>::with_max_len(1);
    vec.push(0);
    let mut gather = vec.gather();
    (0..places::RUN as u64).for_each(|n| gather.push(n));
    assert_eq!(gather.try_push(64).map_err(|refused| refused.value), Err(64));
    let rest = gather.into_rest();
    assert!(rest.len() == places::RUN && rest.capacity() > rest.len());
}
