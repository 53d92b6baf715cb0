//! Arrays with commit-ahead and background release behave like other arrays.

use crate::helpers::key;
use crate::ledger::{Ledger, Step, Token, panic_message};
use stayput::{
    Arena, Budget, Columns, CommitAhead, DefaultKey, ErrorKind, Growth, HugePages, Key, Release,
    SecondaryMap, SlotMap, VecBuilder, VmVec, service,
};
use std::cell::Cell;
use std::time::Duration;
use std::{mem, thread};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

const KINDS: [CommitAhead; 5] = [
    CommitAhead::Off,
    CommitAhead::Auto,
    CommitAhead::Bytes(1),
    CommitAhead::Bytes(200 * KIB),
    CommitAhead::Bytes(64 * MIB),
];

/// Addresses for some megabytes.
fn builder<T>(ahead: CommitAhead) -> VecBuilder<T> {
    let each = size_of::<T>().max(1);
    VmVec::builder().max_len(8 * MIB / each).commit_ahead(ahead).release(Release::Background)
}

/// An element that owns more than a megabyte of memory.
fn large<T>(ahead: CommitAhead, first: T) -> VmVec<T> {
    let mut vec = builder(ahead).capacity(2 * MIB / size_of::<T>()).build();
    vec.push(first);
    vec
}

/// Even where not a single row is committed.
#[test]
#[cfg_attr(no_vm, ignore = "rows are too large for default reservations")]
fn columns_of_huge_rows_are_released() {
    let builder = || Columns::builder().max_len(4).release(Release::Background);
    for ahead in [CommitAhead::Off, CommitAhead::Auto, CommitAhead::Bytes(2 * MIB)] {
        let columns: Columns<([[u8; MIB]; 6], u8)> = builder().commit_ahead(ahead).build();
        thread::sleep(Duration::from_millis(20));
        drop(columns);
    }
    let mut columns: Columns<([[u8; MIB]; 6], u8)> = builder().capacity(1).build();
    let _ = columns.shrink_to_fit_within(Budget::bytes(3 * MIB));
    drop(columns);
    let columns: Columns<([[u8; MIB]; 6], u8)> = builder().capacity(1).build();
    drop(columns);
    service::drain();
}

#[test]
fn elements_are_dropped_before_drop_returns() {
    for ahead in KINDS {
        let ledger = Ledger::new();
        let mut vec = builder(ahead).capacity(MIB / 8).build();
        vec.extend(ledger.tokens(0..1000));
        drop(vec);
        ledger.assert_all_dropped_but(0);
        assert!(ledger.take_order().is_sorted());

        let builder = SlotMap::<DefaultKey, Token<'_>>::builder().max_len(100_000);
        let mut map = builder.commit_ahead(ahead).release(Release::Background).build();
        let keys: Vec<_> = ledger.tokens(0..1000).map(|token| map.insert(token)).collect();
        map.reserve(50_000);
        let builder = SecondaryMap::builder().max_len(100_000).commit_ahead(ahead);
        let mut second = builder.release(Release::Background).capacity(90_000).build();
        second.extend(keys.into_iter().zip(ledger.tokens(0..1000)));
        drop(map);
        ledger.assert_all_dropped_but(1000);
        drop(second);
        ledger.assert_all_dropped_but(0);
    }
    service::drain();
}

#[test]
fn after_a_panicking_drop_the_rest_is_dropped_and_the_memory_released() {
    for ahead in KINDS {
        let ledger = Ledger::new();
        let mut vec = builder(ahead).capacity(MIB / 8).build();
        vec.extend(ledger.tokens(0..100));
        ledger.set_fuse(Step::Drop, 50);
        panic_message(|| drop(vec));
        assert!(ledger.clear_fuse());
        ledger.assert_all_dropped_but(0);
        service::drain();
    }
}

#[test]
fn elements_may_drop_arrays_and_call_the_service_when_dropped() {
    thread_local!(static DROPS: Cell<usize> = const { Cell::new(0) });

    struct Nested(usize, Option<VmVec<Nested>>);

    impl Drop for Nested {
        fn drop(&mut self) {
            DROPS.set(DROPS.get() + 1);
            drop(self.1.take());
            let _ = service::stats();
            if self.0 % 2 == 0 {
                service::drain();
            }
        }
    }

    for ahead in KINDS {
        DROPS.set(0);
        let mut inner: Option<VmVec<Nested>> = None;
        for depth in 0..6 {
            let mut outer = large(ahead, Nested(depth, inner));
            outer.push(Nested(depth, None));
            inner = Some(outer);
        }
        drop(inner);
        assert_eq!(DROPS.get(), 12);
        service::drain();
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn forgotten_and_leaked_arrays_stay_as_they_are() {
    let mut slices = Vec::new();
    for ahead in KINDS {
        mem::forget(large(ahead, 7_u64));
        let mut vec = builder(ahead).build();
        vec.extend(0..10_000_u64);
        slices.push(vec.leak());
    }
    // The thread continues to serve others.
    for ahead in KINDS {
        let mut vec: VmVec<u64> = builder(ahead).build();
        vec.extend(0..100_000);
        assert!(vec.iter().copied().eq(0..100_000));
    }
    service::drain();
    for slice in slices {
        assert!(slice.iter().copied().eq(0..10_000));
        slice.fill(1);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn arrays_are_used_and_dropped_by_any_thread() {
    for ahead in KINDS {
        let mut vec: VmVec<u64> = builder(ahead).build();
        vec.extend(0..50_000);
        let start = vec.as_ptr().addr();
        let vec = thread::spawn(move || {
            vec.extend(50_000..400_000);
            vec.truncate(100_000);
            vec.shrink_to_fit();
            vec.extend(100_000..300_000);
            vec
        });
        let vec = vec.join().expect("it went well");
        assert_eq!(vec.as_ptr().addr(), start);
        assert!(vec.iter().copied().eq(0..300_000));
        thread::spawn(move || drop(vec)).join().expect("it went well");
        let made_there = thread::spawn(move || large(ahead, 1_u64)).join().expect("it went well");
        assert_eq!(made_there, [1]);
    }
    service::drain();
}

/// Returns `true` if it is served: without the thread, prefaulted memory belongs to the array at once.
fn is_served(vec: &mut VmVec<u64>) -> bool {
    let prefaulted = vec.prefault_ahead(Budget::UNLIMITED);
    assert_eq!(prefaulted.refused, None);
    // Others that are refused memory may take memory ahead back.
    (0..1000).any(|_| {
        vec.prefault_ahead(Budget::UNLIMITED);
        vec.stats().ahead_bytes > 0
    })
}

#[test]
#[cfg_attr(no_vm, ignore = "no thread makes memory ready there")]
fn clones_and_split_parts_have_the_same_options() {
    for ahead in KINDS {
        let mut vec: VmVec<u64> = builder(ahead).build();
        vec.extend(0..1000);
        let mut clone = vec.clone();
        let mut rest = vec.split_off(500);
        for vec in [&mut vec, &mut clone, &mut rest] {
            assert_eq!(vec.max_len(), MIB);
            assert_eq!(is_served(vec), ahead != CommitAhead::Off, "{ahead:?}");
        }
        assert!(vec.iter().chain(&rest).eq(&clone));
        clone.clone_from(&rest);
        assert_eq!(clone, rest);
    }
}

#[test]
fn iterators_over_such_arrays_may_end_anywhere() {
    for ahead in KINDS {
        let ledger = Ledger::new();
        let fill = || {
            let mut vec = builder(ahead).capacity(MIB / 8).build();
            vec.extend(ledger.tokens(0..100));
            vec
        };
        let mut iter = fill().into_iter();
        assert_eq!(iter.next().map(|token| token.value), Some(0));
        assert_eq!(iter.next_back().map(|token| token.value), Some(99));
        drop(iter);
        let mut vec = fill();
        drop(vec.drain(10..90));
        vec.extend(ledger.tokens(100..200));
        vec.splice(5..15, ledger.tokens(0..100)).take(3).for_each(drop);
        vec.retain(|token| token.value % 2 == 0);
        let boxed = vec.into_boxed_slice();
        assert!(boxed.iter().all(|token| token.value % 2 == 0));
        drop(boxed);
        ledger.assert_all_dropped_but(0);
    }
    service::drain();
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn references_stay_good_in_a_scope_while_memory_is_made_ready() {
    for ahead in KINDS {
        let mut vec: VmVec<u64> = builder(ahead).build();
        let scope = vec.grow_only();
        let all: Vec<&u64> = (0..MIB as u64).map(|n| scope.push(n)).collect();
        assert!(all.iter().zip(0..).all(|(there, n)| **there == n));
        assert_eq!(scope.try_push(0).unwrap_err().error.kind(), ErrorKind::MaxLen);
        assert_eq!(all.len(), vec.len());

        let mut map: SlotMap<DefaultKey, u64> = SlotMap::builder().commit_ahead(ahead).build();
        let scope = map.grow_only();
        let all: Vec<_> = (0..100_000).map(|n| scope.insert(n)).collect();
        assert!(all.iter().zip(0..).all(|((key, there), n)| **there == n && scope[*key] == n));
    }
}

/// Fills an array to its exact maximum, whatever is ready ahead.
fn fills_exactly<T: Clone + PartialEq>(max_len: usize, element: &T) {
    for ahead in KINDS {
        for growth in [Growth::Doubling, Growth::Fixed { step_bytes: 1 }] {
            let builder = VmVec::builder().max_len(max_len).commit_ahead(ahead).growth(growth);
            let mut vec: VmVec<T> = builder.release(Release::Background).build();
            let start = vec.as_ptr();
            assert_eq!(start.addr() % align_of::<T>(), 0);
            for len in 1..=max_len {
                vec.push(element.clone());
                assert!(vec.capacity() >= len && vec.capacity() <= max_len);
            }
            let refused = vec.try_push(element.clone()).unwrap_err().error;
            assert_eq!(
                (refused.kind(), refused.limit()),
                (ErrorKind::MaxLen, Some(max_len as u64))
            );
            assert!(vec.len() == max_len && vec.iter().all(|there| there == element));
            let stats = vec.stats();
            assert!(stats.committed_bytes <= stats.reserved_bytes);
            vec.truncate(1);
            vec.shrink_to_fit();
            vec.resize(max_len, element.clone());
            assert_eq!((vec.as_ptr(), vec.len()), (start, max_len));
        }
    }
}

#[test]
#[expect(clippy::large_stack_arrays, reason = "some elements are large")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_maximum_is_exact_for_all_elements() {
    #[derive(Clone, PartialEq)]
    #[repr(align(65_536))]
    struct Aligned(u8);

    #[derive(Clone, PartialEq)]
    #[repr(align(131_072))]
    struct Huge([u8; 3]);

    // Large elements by value need much stack.
    let run = thread::Builder::new().stack_size(64 * MIB).spawn(|| {
        fills_exactly(1, &7_u8);
        fills_exactly(70_001, &7_u8);
        fills_exactly(20_000, &[1_u8, 2, 3]);
        fills_exactly(5_000, &"text".to_owned());
        fills_exactly(5, &Aligned(1));
        fills_exactly(3, &Huge([1, 2, 3]));
        fills_exactly(3, &[9_u8; 300_000]);
    });
    assert!(run.expect("there is a stack").join().is_ok());
}

#[test]
fn elements_of_size_zero_have_no_memory_ahead() {
    for ahead in KINDS {
        let mut units: VmVec<()> =
            VmVec::builder().commit_ahead(ahead).release(Release::Background).build();
        units.extend([(); 1000]);
        let stats = units.stats();
        assert_eq!((stats.reserved_bytes, stats.committed_bytes, stats.ahead_bytes), (0, 0, 0));
        assert_eq!(units.prefault_ahead(Budget::UNLIMITED).bytes, 0);
        assert!(units.shrink_to_fit_within(Budget::bytes(1)).is_ok_and(|given| given.is_done));
        let mut few: VmVec<()> = VmVec::builder().max_len(3).commit_ahead(ahead).build();
        few.extend([(), (), ()]);
        assert_eq!(few.try_push(()).unwrap_err().error.kind(), ErrorKind::MaxLen);
        let map: SlotMap<DefaultKey, ()> =
            SlotMap::builder().max_len(1000).commit_ahead(ahead).build();
        assert_eq!(map.max_len(), 1000);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_default_reservation_has_memory_ahead_too() {
    for ahead in KINDS {
        let mut vec: VmVec<u64> =
            VmVec::builder().commit_ahead(ahead).release(Release::Background).build();
        vec.extend(0..300_000);
        assert!(vec.iter().copied().eq(0..300_000));
        assert_eq!(vec.max_len(), vec.stats().reserved_bytes / 8);
    }
    service::drain();
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_initial_capacity_does_not_count_as_late() {
    for ahead in KINDS {
        for max_len in [None, Some(MIB)] {
            let (vec, map, arena) = (VmVec::builder(), SlotMap::builder(), Arena::builder());
            let (vec, map, arena) = match max_len {
                Some(most) => (vec.max_len(most), map.max_len(most), arena.max_bytes(8 * most)),
                None => (vec, map, arena),
            };
            let vec: VmVec<u64> = vec.capacity(MIB / 2).commit_ahead(ahead).build();
            assert_eq!(vec.stats().late, 0, "{ahead:?}");
            assert!(vec.capacity() >= MIB / 2);
            let map: SlotMap<DefaultKey, u64> = map.capacity(MIB / 2).commit_ahead(ahead).build();
            assert_eq!(map.stats().late, 0, "{ahead:?}");
            let arena = arena.capacity_bytes(MIB).commit_ahead(ahead).build();
            assert_eq!(arena.stats().late, 0, "{ahead:?}");
            // Nor is a clone.
            let mut numbers = vec;
            numbers.extend(0..1000);
            assert_eq!(numbers.clone().stats().late, 0, "{ahead:?}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn returned_slots_are_vacant_when_committed_again() {
    for ahead in KINDS {
        let builder = SecondaryMap::builder().max_len(400_000).huge_pages(HugePages::Never);
        let mut map: SecondaryMap<DefaultKey, u64> = builder.commit_ahead(ahead).build();
        for round in 0..4 {
            map.extend((0..200_000).map(|index| (key(index, 1), u64::MAX)));
            map.retain(|key, _| key.index() < 10);
            if round % 2 == 0 {
                map.shrink_to_fit();
            } else {
                while !map.shrink_to_fit_within(Budget::bytes(MIB)).expect("it is ours").is_done {}
            }
            assert!(map.capacity() < 50_000);
            map.prefault_ahead(Budget::UNLIMITED);
            // One far past the end, so that all slots in between are marked vacant.
            map.insert(key(399_000, 1), 1);
            assert_eq!((map.len(), map.iter().count()), (11, 11), "{ahead:?}");
            map.remove(key(399_000, 1));
        }
    }
}

#[cfg(feature = "bytemuck")]
#[test]
fn zeroed_elements_are_zero_in_memory_committed_ahead() {
    for ahead in KINDS {
        let mut vec: VmVec<u64> = builder(ahead).build();
        for len in [10, 20_000, 300_000, 7] {
            vec.resize(MIB, u64::MAX);
            vec.truncate(len);
            if len > 10_000 {
                vec.shrink_to_fit();
            }
            vec.prefault_ahead(Budget::bytes(MIB));
            vec.extend_zeroed(MIB - len);
            assert!(vec[..len].iter().all(|word| *word == u64::MAX), "{ahead:?}");
            assert!(vec[len..].iter().all(|word| *word == 0), "{ahead:?}");
            vec.resize_zeroed(1);
        }
    }
}
