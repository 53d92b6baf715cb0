//! A program's allocator that itself uses an arena, while that takes memory, or asks for statistics.

#![expect(unsafe_code, reason = "sets a variable, and reads a block")]

use crate::linux::in_child;
use crate::{KIB, MIB};
use stayput::{Arena, Budget, CommitAhead, VmVec, service};
use std::alloc::Layout;
use std::cell::Cell;
use std::env;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

thread_local! {
    /// Where small blocks come from now.
    static ARENA: Cell<Option<&'static Arena>> = const { Cell::new(None) };
    /// How many bytes the allocator takes from that arena before its next block.
    static FIRST: Cell<usize> = const { Cell::new(0) };
    /// How often the allocator has asked the service what it does; `None` if it does not ask.
    static ASKED: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The addresses of all such blocks, and how many there are.
static START: AtomicUsize = AtomicUsize::new(usize::MAX);
static END: AtomicUsize = AtomicUsize::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Returns a block of the arena that takes memory on this thread, if there is one.
pub(crate) fn take(layout: Layout) -> Option<NonNull<u8>> {
    // Not for its own allocations.
    if let Ok(Some(asked)) = ASKED.try_with(Cell::take) {
        let _ = service::stats();
        ASKED.set(Some(asked + 1));
    }
    let arena = ARENA.try_with(Cell::take).ok()??;
    if let Ok(first @ 1..) = FIRST.try_with(Cell::take) {
        let layout = Layout::array::<u8>(first).unwrap();
        arena.try_alloc_layout(layout).expect("the memory is there");
    }
    let block = if layout.size() <= KIB { arena.try_alloc_layout(layout).ok() } else { None };
    ARENA.set(Some(arena));
    let start = block?.cast::<u8>();
    START.fetch_min(start.addr().get(), Ordering::Relaxed);
    END.fetch_max(start.addr().get() + layout.size(), Ordering::Relaxed);
    COUNT.fetch_add(1, Ordering::Relaxed);
    Some(start)
}

/// Whether a block may be one of these. Such blocks are not freed.
pub(crate) fn has(block: *mut u8) -> bool {
    (START.load(Ordering::Relaxed)..END.load(Ordering::Relaxed)).contains(&block.addr())
}

/// Creates an arena for as long as the program runs. It stays reachable, as the leak sanitizer demands.
fn leaked_arena() -> &'static Arena {
    static REACHABLE: AtomicPtr<Arena> = AtomicPtr::new(ptr::null_mut());
    let arena: &'static Arena = Box::leak(Box::default());
    REACHABLE.store(ptr::from_ref(arena).cast_mut(), Ordering::Relaxed);
    arena
}

#[test]
fn a_growing_slice_overlaps_no_block_taken_meanwhile() {
    in_child(|| {
        let arena = leaked_arena();
        ARENA.set(Some(arena));
        let slice = arena.alloc_slice_from_iter((0..16 * MIB / 8).filter(|n| *n < usize::MAX));
        ARENA.set(None);
        let bytes = slice.as_ptr_range();
        let (start, end) = (START.load(Ordering::Relaxed), END.load(Ordering::Relaxed));
        println!(
            "{} blocks at {start:x}..{end:x}, the slice at {bytes:?}",
            COUNT.load(Ordering::Relaxed)
        );
        assert!(end <= bytes.start.addr() || bytes.end.addr() <= start);
        assert!(slice.iter().copied().eq(0..16 * MIB / 8));
    });
}

#[test]
fn an_allocator_may_ask_what_the_service_does_while_that_starts() {
    in_child(|| {
        ASKED.set(Some(0));
        let vec = VmVec::<u8>::builder().commit_ahead(CommitAhead::Auto).build();
        let asked = ASKED.take();
        assert!(asked > Some(0) && service::stats().arrays == 1);
        drop(vec);
    });
}

#[test]
fn memory_taken_while_an_empty_arena_trims_stays() {
    in_child(|| {
        // The text is copied into a block when the variable is first read.
        // SAFETY: there is one thread.
        unsafe { env::set_var("STAYPUT_RESERVE_BYTES", (64 * MIB).to_string()) };
        let arena = leaked_arena();
        ARENA.set(Some(arena));
        FIRST.set(4 * MIB);
        let trimmed = arena.trim_within(0, Budget::UNLIMITED);
        ARENA.set(None);
        assert!(trimmed.is_ok_and(|trimmed| trimmed.is_done));
        assert!(COUNT.load(Ordering::Relaxed) > 0 && arena.used_bytes() > 4 * MIB);
        let start = START.load(Ordering::Relaxed) as *const u8;
        // SAFETY: a block of the arena, which lives as long as the program. The allocator's user has written to it.
        let first = unsafe { start.read_volatile() };
        assert!(first.is_ascii_digit(), "{first}");
    });
}
