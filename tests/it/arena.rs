//! `Arena`: stored values stay unchanged and in place until a reset, and memory use is as documented.

#![expect(unsafe_code, reason = "looks at memory by pointers")]

use crate::helpers::Boast;
use crate::ledger::{panic_file, panic_message};
use stayput::{
    Arena, Budget, CommitAhead, Error, ErrorKind, Growth, HugePages, Release, page_size,
};
use std::alloc::Layout;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("it is one")
}

static_assertions::assert_impl_all!(Arena: Send, Default, fmt::Debug);
static_assertions::assert_not_impl_any!(Arena: Sync, Clone);

#[test]
fn nothing_is_reserved_before_it_is_needed() {
    let arena = const { Arena::new() };
    arena.alloc(());
    arena.alloc_str("");
    arena.alloc_slice_from_iter([(); 1000]);
    arena.alloc_slice_uninit::<[u64; 0]>(usize::MAX);
    arena.alloc_layout(layout(0, 4096));
    assert_eq!(arena.alloc_slice_copy::<u64>(&[]).as_ptr().addr() % align_of::<u64>(), 0);
    let stats = arena.stats();
    assert_eq!((stats.used_bytes, stats.reserved_bytes, stats.committed_bytes), (0, 0, 0));
    assert_eq!(stats.resident_bytes, Some(0));
    arena.alloc(1_u8);
    assert!(arena.stats().reserved_bytes >= MIB);
}

#[test]
fn values_of_all_kinds_stay_unchanged() {
    let arena = Arena::new();
    let number = arena.alloc(7_u16);
    let pair = arena.alloc_with(|| (1_u8, 2_u64));
    let made = arena.alloc_try_with(|| "12".parse::<i32>()).unwrap();
    let copied = arena.alloc_slice_copy(&[1_u32, 2, 3]);
    let cloned = arena.alloc_slice_clone(&[Some("a"), None]);
    let squares = arena.alloc_slice_fill_with(4, |i| i * i);
    let same = arena.alloc_slice_fill_copy(3, 'x');
    let fives = arena.alloc_slice_fill_clone(2, &Some(5));
    let defaults = arena.alloc_slice_fill_default::<u64>(2);
    let text = arena.alloc_str("text");
    let formatted = arena.alloc_fmt(format_args!("{}-{:>4}", 1, 2));
    let literal = arena.alloc_fmt(format_args!("as it is"));
    let late = arena.alloc_uninit::<u64>().write(9);
    // All of them can be modified while all are alive.
    *number += 1;
    pair.1 += 1;
    *made += 1;
    copied[0] = 9;
    squares[3] += 1;
    same[1] = 'y';
    text.make_ascii_uppercase();
    assert_eq!((*number, *pair, *made, *late), (8, (1, 3), 13, 9));
    assert_eq!((&*copied, &*cloned), (&[9, 2, 3][..], &[Some("a"), None][..]));
    assert_eq!((&*squares, &*same), (&[0, 1, 4, 10][..], &['x', 'y', 'x'][..]));
    assert_eq!((&*fives, &*defaults), (&[Some(5); 2][..], &[0; 2][..]));
    assert_eq!((&*text, &*formatted, &*literal), ("TEXT", "1-   2", "as it is"));
}

#[test]
fn a_failed_closure_frees_its_room_unless_something_follows_it() {
    let arena = Arena::new();
    arena.alloc(1_u64);
    let used = arena.used_bytes();
    assert_eq!(arena.alloc_try_with(|| Err::<[u64; 100], _>("no")), Err("no"));
    assert_eq!(arena.used_bytes(), used);
    let mut kept = None;
    let failed = arena.alloc_try_with(|| {
        kept = Some(arena.alloc(5_u64));
        Err::<u64, _>("no")
    });
    assert_eq!((failed, arena.used_bytes()), (Err("no"), used + 16));
    arena.alloc(6_u64);
    assert_eq!(kept, Some(&mut 5));
    assert_eq!(arena.try_alloc_try_with(|| Err::<u64, _>("no")), Ok(Err("no")));
}

#[test]
fn closures_and_iterators_may_store_in_the_arena_themselves() {
    struct Nested<'a>(&'a Arena, u32);
    impl fmt::Display for Nested<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self.1 {
                0 => f.write_str("."),
                depth => {
                    let inner = self.0.alloc_fmt(format_args!("{}", Nested(self.0, depth - 1)));
                    write!(f, "<{inner}{inner}>")
                }
            }
        }
    }

    let arena = Arena::new();
    let outer = arena.alloc_with(|| {
        let inner = arena.alloc_with(|| arena.alloc(1_u8));
        (2_u64, inner)
    });
    assert_eq!((outer.0, **outer.1), (2, 1));
    // Each box moves the growing slice away from the end of the arena; the iterator has no size hint.
    for count in [0, 1, 2, 5, 1000] {
        let boxes = arena.alloc_slice_from_iter(
            (0..count).filter(|_| true).map(|i| arena.alloc_str(&i.to_string())),
        );
        assert_eq!(boxes.len(), count);
        assert!(boxes.iter().enumerate().all(|(i, text)| **text == *i.to_string()));
    }
    let text = arena.alloc_fmt(format_args!("{}!", Nested(&arena, 3)));
    assert_eq!(text, "<<<..><..>><<..><..>>>!");
}

#[test]
fn slices_grow_in_place_and_keep_no_spare_room() {
    let arena = Arena::new();
    let first = std::ptr::from_ref(arena.alloc(1_u8)).addr();
    let slice = arena.alloc_slice_from_iter((0..100_000_u64).filter(|n| n % 3 == 0));
    assert_eq!(slice.as_ptr().addr(), first + align_of::<u64>());
    assert_eq!(arena.used_bytes(), align_of::<u64>() + size_of_val(slice));
    assert!(slice.iter().enumerate().all(|(i, n)| *n == 3 * i as u64));
}

#[test]
fn a_size_hint_is_only_a_hint() {
    let arena = Arena::with_max_bytes(64 * KIB);
    for hint in [0, 1, 1000, isize::MAX as usize, usize::MAX] {
        let used = arena.used_bytes();
        assert_eq!(arena.alloc_slice_from_iter(Boast(0..10, (hint, None))).len(), 10);
        assert_eq!(arena.used_bytes(), used + 40);
    }
}

#[test]
fn panics_in_user_code_drop_the_values_made_and_leave_the_arena_usable() {
    struct Cloned<F>(F);
    impl<F: Fn() -> Rc<()> + Copy> Clone for Cloned<F> {
        fn clone(&self) -> Self {
            drop((self.0)());
            Self(self.0)
        }
    }

    let arena = Arena::new();
    let counted = Rc::new(());
    let kept = arena.alloc(5_u64);
    let used = arena.used_bytes();
    let calls = Cell::new(0);
    let make = || {
        calls.set(calls.get() + 1);
        assert!(calls.get() % 10 != 0, "planned");
        counted.clone()
    };
    let caught = |work: &dyn Fn()| {
        calls.set(0);
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
        assert_eq!(Rc::strong_count(&counted), 1);
    };
    caught(&|| _ = arena.alloc_slice_fill_with(20, |_| make()));
    assert_eq!(arena.used_bytes(), used);
    caught(&|| _ = arena.alloc_slice_from_iter((0..20).map(|_| make())));
    assert_eq!(arena.used_bytes(), used);
    caught(&|| _ = arena.alloc_box_slice_from_iter((0..).map(|_| make())));
    assert_eq!(arena.used_bytes(), used);
    caught(&|| _ = arena.alloc_slice_fill_clone(20, &Cloned(&make)));
    assert_eq!(arena.used_bytes(), used);
    caught(&|| {
        arena.alloc_with(|| -> Rc<()> { panic!("planned") });
    });
    assert_eq!(arena.used_bytes(), used + size_of::<Rc<()>>(), "this room stays taken");
    assert_eq!((*kept, *arena.alloc(6)), (5, 6));
}

#[test]
fn a_panicking_drop_leaves_the_arena_usable() {
    struct Bad<'a>(&'a Cell<u32>);
    impl Drop for Bad<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() + 1);
            assert!(self.0.get() != 2, "planned");
        }
    }
    let (arena, drops) = (Arena::with_max_bytes(page_size()), Cell::new(0));
    let full = arena.max_bytes() / size_of::<Bad<'_>>();
    // It is refused, and dropping the values made before panics.
    let work = || _ = arena.try_alloc_slice_from_iter((0..=full).map(|_| Bad(&drops)));
    assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    assert_eq!(drops.get() as usize, full + 1, "each was dropped, once");
    let mut arena = arena;
    arena.reset();
    assert_eq!(*arena.alloc(1), 1);
}

#[test]
fn only_refused_values_are_dropped() {
    let counted = Rc::new(());
    let mut arena = Arena::with_max_bytes(1000);
    arena.alloc(counted.clone());
    arena.reset();
    assert_eq!(Rc::strong_count(&counted), 2);
    drop(arena);
    assert_eq!(Rc::strong_count(&counted), 2);
    // So that the leak checker does not report it. SAFETY: the count is one that the arena held.
    unsafe { Rc::decrement_strong_count(Rc::as_ptr(&counted)) };
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_reset_keeps_the_memory_and_reuses_it() {
    let mut arena = Arena::builder().huge_pages(HugePages::Never).build();
    let mut addresses = Vec::new();
    for round in 0..3_u8 {
        let all = arena.alloc_slice_fill_copy(8 * MIB, round);
        addresses.push(all.as_ptr().addr());
        let capacity = arena.capacity_bytes();
        arena.reset();
        assert_eq!((arena.used_bytes(), arena.capacity_bytes()), (0, capacity));
        assert_eq!(arena.stats().high_water_bytes, 8 * MIB);
    }
    assert_eq!(addresses[0], addresses[1]);
    assert_eq!(addresses[0], addresses[2]);
    arena.reset_keeping(MIB).unwrap();
    assert!(arena.capacity_bytes() >= MIB && arena.capacity_bytes() < 2 * MIB);
    assert!(arena.stats().high_water_bytes < 2 * MIB);
    arena.reset_keeping(0).unwrap();
    assert_eq!(arena.capacity_bytes(), 0);
    assert_eq!(*arena.alloc(1), 1);
}

#[test]
fn trimming_works_in_steps_and_keeps_used_memory() {
    let mut arena = Arena::builder().huge_pages(HugePages::Never).build();
    arena.alloc_slice_fill_copy(8 * MIB, 1_u8);
    arena.reset();
    let used = arena.alloc_slice_fill_copy(MIB, 2_u8);
    assert!(!arena.trim_within(0, Budget::bytes(0)).unwrap().is_done);
    let mut calls = 0;
    while !arena.trim_within(2 * MIB, Budget::bytes(MIB)).unwrap().is_done {
        calls += 1;
    }
    assert!(calls >= 5 && arena.capacity_bytes() >= 2 * MIB);
    assert!(arena.trim_within(0, Budget::UNLIMITED).unwrap().is_done);
    assert!(arena.capacity_bytes() < 2 * MIB);
    assert!(used.iter().all(|&byte| byte == 2));
    assert!(Arena::new().trim_within(0, Budget::UNLIMITED).unwrap().is_done);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn zeroed_memory_is_zero_whatever_it_held_before() {
    let mut arena = Arena::with_max_bytes(4 * MIB);
    for round in 0..20_usize {
        let dirty = arena.alloc_slice_fill_copy(round * 50 * KIB + 1, 0xff_u8);
        assert!(dirty.iter().all(|&byte| byte == 0xff));
        arena.reset();
        arena.alloc_slice_uninit::<u8>(round * 7);
        for (size, align) in [(1, 1), (100, 64), (200 * KIB, 8), (MIB, 4096)] {
            let block = arena.alloc_layout_zeroed(layout(size, align));
            assert_eq!(block.addr().get() % align, 0);
            // SAFETY: the block was handed out in that size, zeroed, and nothing else uses it.
            let block = unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), size) };
            assert!(block.iter().all(|&byte| byte == 0), "round {round}, {size}");
            block.fill(1);
        }
        arena.reset();
    }
}

#[cfg(feature = "bytemuck")]
#[test]
fn zeroed_values_are_zero_and_fresh_ones_take_no_memory() {
    let mut arena = Arena::builder().huge_pages(HugePages::Never).build();
    let large = arena.alloc_slice_zeroed::<u64>(2 * MIB);
    assert_eq!((large[0], large[2 * MIB - 1]), (0, 0));
    // The tolerance covers the pages around both, and those that the system adds to touched ones.
    if let Some(resident) = arena.stats().resident_bytes {
        assert!(resident <= 4 * MIB, "{resident}");
    }
    arena.reset();
    arena.alloc_slice_fill_copy(1000, 7_u8);
    arena.reset();
    assert_eq!(*arena.alloc_zeroed::<[u64; 32]>(), [0; 32]);
    assert_eq!(arena.try_alloc_slice_zeroed::<u16>(3).unwrap(), [0; 3]);
    assert_eq!(arena.try_alloc_zeroed::<u16>(), Ok(&mut 0));
}

#[test]
fn the_maximum_is_exact_whatever_the_page_size() {
    for max_bytes in [0, 1, 100, page_size() - 1, page_size(), page_size() + 1, 300_001] {
        let mut arena = Arena::with_max_bytes(max_bytes);
        assert_eq!(arena.max_bytes(), max_bytes);
        for _ in 0..2 {
            while arena.used_bytes() + size_of::<usize>() <= max_bytes {
                arena.alloc(1_usize);
            }
            while arena.try_alloc(1_u8).is_ok() {}
            assert_eq!((arena.used_bytes(), arena.capacity_bytes()), (max_bytes, max_bytes));
            let error = arena.try_alloc(1_u8).unwrap_err().error;
            assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(max_bytes as u64)));
            assert_eq!(error.bytes(), max_bytes + 1);
            arena.alloc(());
            arena.reset();
        }
        let error = arena.try_alloc_slice_uninit::<u8>(max_bytes + 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::MaxLen);
        assert_eq!(arena.alloc_slice_fill_copy(max_bytes, 1_u8).len(), max_bytes);
    }
}

#[test]
fn sizes_that_overflow_are_errors() {
    let arena = Arena::with_max_bytes(1000);
    for len in [usize::MAX, isize::MAX as usize / 8 + 1] {
        let overflow = |result: Result<usize, Error>| {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
            assert!(error.bytes() > isize::MAX as usize);
        };
        overflow(arena.try_alloc_slice_uninit::<u64>(len).map(|s| s.len()));
        overflow(arena.try_alloc_slice_fill_copy(len, 1_u64).map(|s| s.len()));
        overflow(arena.try_alloc_slice_fill_with(len, |_| 1_u64).map(|s| s.len()));
    }
    let overflow = |result: Result<(), Error>| {
        assert_eq!(result.unwrap_err().kind(), ErrorKind::CapacityOverflow);
    };
    overflow(arena.try_prefault(usize::MAX));
    overflow(Arena::try_with_max_bytes(usize::MAX).map(drop));
    overflow(Arena::builder().capacity_bytes(usize::MAX).try_build().map(drop));
    let builder = Arena::builder().max_bytes(10).capacity_bytes(11);
    assert_eq!(builder.try_build().unwrap_err().kind(), ErrorKind::MaxLen);
    assert_eq!(arena.used_bytes(), 0);
}

#[test]
fn refusals_panic_with_the_twin_s_message_and_the_caller_s_line() {
    let mut full = Arena::with_max_bytes(0);
    let words = full.try_alloc(1_u8).unwrap_err().to_string();
    assert!(words.contains("max_bytes"), "{words}");
    assert_eq!(panic_message(|| *full.alloc(1_u8)), format!("stayput: {words}"));
    let calls: [fn(&mut Arena); 18] = [
        |arena| _ = arena.alloc(1),
        |arena| _ = arena.alloc_with(|| 1),
        |arena| assert!(arena.alloc_try_with(|| Ok::<_, ()>(1)).is_ok()),
        |arena| _ = arena.alloc_slice_copy(&[1]),
        |arena| _ = arena.alloc_slice_clone(&[1]),
        |arena| _ = arena.alloc_slice_fill_with(1, |i| i),
        |arena| _ = arena.alloc_slice_fill_copy(1, 1),
        |arena| _ = arena.alloc_slice_fill_clone(1, &1),
        |arena| _ = arena.alloc_slice_fill_default::<u8>(1),
        |arena| _ = arena.alloc_slice_from_iter([1]),
        |arena| _ = arena.alloc_str("1"),
        |arena| _ = arena.alloc_fmt(format_args!("1")),
        |arena| _ = arena.alloc_layout(Layout::new::<u8>()),
        |arena| _ = arena.alloc_layout_zeroed(Layout::new::<u8>()),
        |arena| _ = arena.alloc_uninit::<u8>().write(1),
        |arena| _ = arena.alloc_box(1),
        |arena| _ = arena.alloc_box_slice_from_iter([1]),
        |arena| arena.prefault(1),
    ];
    for (i, call) in calls.into_iter().enumerate() {
        let file = panic_file(|| call(&mut full));
        assert!(file.ends_with("arena.rs"), "call {i} blames {file}");
    }
}

#[test]
fn text_that_cannot_be_formatted_panics_as_in_std() {
    struct Mute;
    impl fmt::Display for Mute {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("something")?;
            Err(fmt::Error)
        }
    }
    let arena = Arena::new();
    let message = panic_message(|| arena.alloc_fmt(format_args!("{Mute}")).len());
    assert!(message.contains("formatting trait implementation returned an error"), "{message}");
    assert_eq!(arena.used_bytes(), 0);
}

#[test]
fn an_arena_with_leaked_values_can_be_sent() {
    let arena = Arena::new();
    arena.alloc_str("here");
    let used = arena.used_bytes();
    let arena = std::thread::spawn(move || {
        arena.alloc_str("there");
        arena
    });
    assert_eq!(arena.join().unwrap().used_bytes(), used + 5);
}

#[test]
fn memory_is_made_ready_before_it_is_used() {
    for ahead in [CommitAhead::Off, CommitAhead::Auto] {
        let arena = Arena::builder()
            .max_bytes(32 * MIB)
            .capacity_bytes(MIB)
            .growth(Growth::Fixed { step_bytes: MIB })
            .huge_pages(HugePages::Never)
            .commit_ahead(ahead)
            .release(Release::Background)
            .build();
        assert!(arena.capacity_bytes() >= MIB);
        arena.alloc_slice_fill_copy(100, 1_u8);
        arena.prefault(4 * MIB);
        assert!(arena.capacity_bytes() >= 4 * MIB + 100);
        if let Some(resident) = arena.stats().resident_bytes {
            assert!(resident >= 4 * MIB);
        }
        let mut frames = 0;
        while frames < 20 {
            frames += 1;
            arena.alloc_slice_fill_copy(100 * KIB, frames);
            assert_eq!(arena.prefault_ahead(Budget::UNLIMITED).refused, None);
        }
        assert!(arena.used_bytes() >= 2000 * KIB);
    }
    assert_eq!(Arena::new().prefault_ahead(Budget::bytes(0)).refused, None);
}

#[test]
fn used_memory_is_contained() {
    let mut arena = Arena::new();
    let (outside, nothing) = (5, std::ptr::null::<u8>());
    assert!(!arena.contains(&raw const outside) && !arena.contains(nothing));
    let block = arena.alloc([1_u64; 4]).as_mut_ptr();
    assert!(arena.contains(block) && arena.contains(block.wrapping_add(3)));
    assert!(!arena.contains(block.wrapping_add(4)) && !arena.contains(&raw const outside));
    arena.reset();
    assert!(!arena.contains(block));
    assert!(format!("{arena:?}").contains("used_bytes: 0"));
}

#[test]
fn a_capacity_is_committed_at_once() {
    let arena = Arena::with_capacity(3 * MIB);
    assert!(arena.capacity_bytes() >= 3 * MIB);
    let committed = arena.stats().committed_bytes;
    arena.alloc_slice_fill_copy(3 * MIB, 1_u8);
    assert_eq!(arena.stats().committed_bytes, committed);
    assert_eq!(Arena::with_capacity(0).stats().reserved_bytes, 0);
    let error = Arena::try_with_capacity(usize::MAX).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
}

#[test]
fn an_allocation_limit_is_kept_exactly_and_can_change() {
    for arena in [Arena::new(), Arena::with_max_bytes(64 * MIB)] {
        assert_eq!(arena.allocation_limit(), None);
        arena.set_allocation_limit(Some(5 * MIB + 3));
        assert_eq!(arena.allocation_limit(), Some(5 * MIB + 3));
        let error = arena.try_alloc_slice_fill_copy(5 * MIB + 4, 0_u8).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AllocationLimit);
        assert_eq!((error.limit(), error.bytes()), (Some(5 * MIB as u64 + 3), 5 * MIB + 4));
        assert!(error.to_string().contains("allocation limit"));
        while arena.try_alloc([1_u8; 1000]).is_ok() {}
        while arena.try_alloc(1_u8).is_ok() {}
        assert_eq!(arena.used_bytes(), 5 * MIB + 3);
        assert!(arena.stats().committed_bytes <= 5 * MIB + page_size());
        // Before addresses are reserved, this is the default, which depends on what others leave.
        let max_bytes = arena.max_bytes();
        arena.alloc(());

        arena.set_allocation_limit(Some(100));
        assert_eq!((arena.used_bytes(), arena.capacity_bytes()), (5 * MIB + 3, 5 * MIB + 3));
        let refused = arena.try_alloc(String::from("back")).unwrap_err();
        assert_eq!((refused.error.limit(), refused.value.as_str()), (Some(100), "back"));
        arena.set_allocation_limit(None);
        arena.alloc_slice_fill_copy(MIB, 1_u8);
        assert_eq!(arena.max_bytes(), max_bytes);
    }
}

#[test]
fn a_limit_below_the_used_bytes_applies_once_they_are_freed() {
    let ways: [fn(&mut Arena); 3] = [
        Arena::reset,
        |arena| arena.reset_keeping(usize::MAX).unwrap(),
        |arena| {
            arena.reset();
            arena.scope(|scope| *scope.alloc(1_u8));
        },
    ];
    for free in ways {
        let mut arena = Arena::new();
        arena.alloc_slice_fill_copy(1000, 0_u8);
        arena.set_allocation_limit(Some(500));
        assert_eq!(arena.capacity_bytes(), 1000);
        free(&mut arena);
        assert_eq!(arena.capacity_bytes(), 500);
        let refused = arena.try_alloc([0_u8; 501]).unwrap_err();
        assert_eq!(refused.error.kind(), ErrorKind::AllocationLimit);
        arena.alloc([0_u8; 500]);
        arena.set_allocation_limit(None);
        arena.alloc([0_u8; 500]);
    }

    // The closure sets the limit, so that its own room is what exceeds it.
    let arena = Arena::new();
    let failed: Result<&mut [u8; 1000], ()> = arena.alloc_try_with(|| {
        arena.set_allocation_limit(Some(500));
        Err(())
    });
    assert!(failed.is_err());
    assert_eq!((arena.used_bytes(), arena.capacity_bytes()), (0, 500));
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is made ready there")]
fn nothing_is_committed_past_a_limit_whatever_the_growth_steps() {
    for step_bytes in [1 << 20, 40 << 20, 1 << 30] {
        let arena = Arena::builder().growth(Growth::Fixed { step_bytes }).build();
        let limit = 64 * MIB + 1;
        arena.set_allocation_limit(Some(limit));
        for bytes in [1, 31 * MIB, 33 * MIB] {
            arena.alloc_slice_uninit::<u8>(bytes);
            assert!(arena.stats().committed_bytes <= limit.next_multiple_of(page_size()));
        }
    }

    let arena = Arena::new();
    arena.set_allocation_limit(Some(MIB + 1));
    arena.alloc_slice_fill_copy(900_000, 1_u8);
    let prefaulted = arena.prefault_ahead(Budget::UNLIMITED);
    assert!(prefaulted.refused.is_none() && prefaulted.ahead_bytes > 0);
    assert_eq!(arena.capacity_bytes(), MIB + 1);
    assert_eq!(arena.stats().committed_bytes, (MIB + 1).next_multiple_of(page_size()));
    assert_eq!(arena.prefault_ahead(Budget::UNLIMITED).bytes, 0);
    arena.set_allocation_limit(Some(0));
    assert_eq!(arena.prefault_ahead(Budget::UNLIMITED).bytes, 0);
}

#[test]
fn a_limit_above_the_maximum_changes_nothing() {
    let arena = Arena::with_max_bytes(1000);
    arena.set_allocation_limit(Some(MIB));
    arena.alloc([0_u8; 1000]);
    assert_eq!(arena.try_alloc(1_u8).unwrap_err().error.kind(), ErrorKind::MaxLen);
}

#[test]
fn values_before_an_error_are_dropped_and_their_room_is_free() {
    /// One more value that is not dropped.
    struct Counted<'c>(&'c Cell<usize>);

    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.set(self.0.get() - 1);
        }
    }

    let not_dropped = Cell::new(0);
    let count = || not_dropped.get();
    let counted = || {
        not_dropped.set(not_dropped.get() + 1);
        Counted(&not_dropped)
    };
    let arena = Arena::new();
    arena.alloc(1_usize);
    let used = arena.used_bytes();
    let give = |i| if i < 3 { Ok(counted()) } else { Err(i) };
    assert_eq!(arena.alloc_slice_try_fill_with(5, give).err(), Some(3));
    assert_eq!((count(), arena.used_bytes()), (0, used));
    assert_eq!(arena.alloc_slice_try_fill_iter((0..5).map(give)).err(), Some(3));
    assert_eq!((count(), arena.used_bytes()), (0, used));
    assert_eq!(arena.alloc_slice_try_fill_with(3, give).ok().unwrap().len(), 3);
    assert_eq!(arena.alloc_slice_try_fill_iter((0..3).map(give)).ok().unwrap().len(), 3);
    assert_eq!(arena.alloc_slice_fill_iter((0..3).map(give)).len(), 3);
    assert_eq!(count(), 9);
}

#[test]
fn used_memory_can_be_read() {
    let mut arena = Arena::new();
    assert!(arena.used_memory().is_empty());
    arena.alloc_slice_copy(&[1_u32, 2, 3]);
    let first = arena.alloc_slice_copy(&[4_u32, 5]).as_ptr();
    let memory = arena.used_memory();
    // SAFETY: only words were stored, without padding.
    let words = unsafe { memory.align_to::<u32>().1 };
    assert_eq!(words, [1, 2, 3, 4, 5]);
    assert_eq!(&raw const words[3], first);
}

/// Also compiles with `bumpalo::Bump` and `bumpalo::boxed::Box`.
#[test]
fn code_for_bumpalo_only_needs_another_import() {
    use stayput::{Arena as Bump, ArenaBox as Box};
    let mut bump = Bump::try_with_capacity(1000).unwrap();
    assert_eq!(bump.alloc(1), &mut 1);
    assert_eq!(bump.alloc_with(|| 2), &mut 2);
    assert_eq!(bump.alloc_try_with(|| Ok::<_, ()>(3)), Ok(&mut 3));
    assert_eq!(bump.alloc_str("text"), "text");
    assert_eq!(bump.alloc_slice_copy(&[1, 2]), [1, 2]);
    assert_eq!(bump.alloc_slice_clone(&[Some("a")]), [Some("a")]);
    assert_eq!(bump.alloc_slice_fill_with(2, |i| i), [0, 1]);
    assert_eq!(bump.alloc_slice_try_fill_with(2, Ok::<_, ()>).unwrap(), [0, 1]);
    assert_eq!(bump.alloc_slice_fill_copy(2, 7), [7, 7]);
    assert_eq!(bump.alloc_slice_fill_clone(1, &Some("b")), [Some("b")]);
    assert_eq!(bump.alloc_slice_fill_iter([1, 2]), [1, 2]);
    assert_eq!(bump.alloc_slice_try_fill_iter([Ok::<_, ()>(1)]).unwrap(), [1]);
    assert_eq!(bump.alloc_slice_fill_default::<u8>(2), [0, 0]);
    bump.alloc_layout(layout(8, 8));
    assert!(bump.try_alloc(1).is_ok() && bump.try_alloc_with(|| 1).is_ok());
    assert!(bump.try_alloc_str("").is_ok() && bump.try_alloc_slice_fill_iter([1]).is_ok());
    assert!(bump.try_alloc_slice_copy(&[1]).is_ok() && bump.try_alloc_layout(layout(1, 1)).is_ok());
    bump.set_allocation_limit(Some(0));
    assert_eq!(bump.allocation_limit(), Some(0));
    bump.set_allocation_limit(None);
    let boxed = Box::new_in(String::from("boxed"), &bump);
    assert_eq!(Box::into_inner(boxed), "boxed");
    assert_eq!(*Box::from_iter_in(1..=3, &bump), [1, 2, 3]);
    assert!(bump.allocated_bytes() > bump.chunk_capacity());
    bump.reset();
    assert!(bump.allocated_bytes() >= 1000 && bump.chunk_capacity() >= 1000);
}

#[test]
fn what_is_not_used_of_the_allocated_bytes_is_the_chunk_capacity() {
    let mut arena = Arena::new();
    assert_eq!((arena.allocated_bytes(), arena.chunk_capacity()), (0, 0));
    for len in [1, 100, 100_000] {
        arena.alloc_slice_fill_copy(len, 1_u8);
        assert_eq!(arena.allocated_bytes() - arena.chunk_capacity(), arena.used_bytes());
    }
    arena.set_allocation_limit(Some(1));
    assert_eq!(arena.chunk_capacity(), 0);
    arena.reset();
    assert_eq!((arena.allocated_bytes(), arena.chunk_capacity()), (1, 1));
}
