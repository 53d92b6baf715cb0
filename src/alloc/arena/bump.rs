//! [`Bump`]: the untyped core of an arena, which hands out memory by layout.
//!
//! Memory is handed out upward from `start`, so that the last block can grow and shrink in place.
//!
//! # Invariants between calls
//!
//! - Before there is memory, `top` and `end` are equal and dangling.
//! - Afterwards `start <= top <= end`. All three point into the reservation, which never moves, or to its end. All
//!   bytes before `end` are usable and within the limits of the options. If more was used before a limit was set, `end`
//!   is `top`, and moves back with it.
//! - All blocks that are in use lie before `top`; nothing uses the memory from `top` on.
//! - Memory from `top` on, and from the addresses `written` and `cached_end` on, reads as zero.
//!
//! `top` moves back when the last block is freed or shrinks ([`Bump::shrink`]), and by
//! [`Bump::rewind`] and [`Bump::reset`], whose callers guarantee that the freed blocks are not used any more.
//!
//! # Re-entrancy
//!
//! `cold` is only borrowed in functions that run no user code except the program's own allocator and its panic hook.
//! While memory is committed or returned, these may take blocks before `end`, where nothing else changes. So `top` may
//! have moved after such a call. If they need more than that, they are refused ([`ErrorKind::Busy`]).

#![expect(unsafe_code, reason = "moves pointers within memory that it owns")]

use super::builder::Options;
use crate::alloc::{Change, Contents};
use crate::error::{Error, ErrorKind, Holder, SizedBy};
use crate::growing::{Amount, Budget, GivenBack, GrowingReservation, MemoryRequest, Prefaulted};
use crate::poison::{poison, unpoison};
use crate::register::Label;
use crate::reservation::{default_reservation_bytes, page_size};
use crate::service::{CommitAhead, Release};
use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::slice;

#[derive(Debug)]
pub(crate) struct Bump {
    top: Cell<*mut u8>,
    end: Cell<*mut u8>,
    /// Memory past `top` is known to be zero from this address on. Only updated where `top` moves back.
    written: Cell<usize>,
    /// Memory from this address on has no contents left by a previous owner.
    cached_end: Cell<usize>,
    cold: RefCell<Cold>,
}

/// Fields that are only used to commit or return memory.
#[derive(Debug)]
struct Cold {
    options: Options,
    memory: Option<GrowingReservation>,
}

// SAFETY: `top` and `end` are dangling or point into `memory`, which `self` owns; the other fields are `Send`
// themselves. Blocks that were handed out borrow from `self`, so none is in use when `self` moves to another thread,
// except blocks that unsafe code is responsible for.
unsafe impl Send for Bump {}

/// Where `top` was at some time; see [`Bump::mark`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// Dangling if there was no memory.
    top: *mut u8,
}

impl Mark {
    const START: Self = Self { top: DANGLING };
}

/// `top` and `end` without memory.
const DANGLING: *mut u8 = NonNull::dangling().as_ptr();

impl Bump {
    pub(super) const fn new(options: Options) -> Self {
        Self {
            top: Cell::new(DANGLING),
            end: Cell::new(DANGLING),
            written: Cell::new(0),
            cached_end: Cell::new(0),
            cold: RefCell::new(Cold { options, memory: None }),
        }
    }

    /// Allocates uninitialized memory for a layout. Layouts of size zero need none.
    #[inline]
    pub(crate) fn try_allocate(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
        match self.take(layout) {
            Some(block) => Ok(block),
            None => self.try_allocate_more(layout),
        }
    }

    /// Allocates from memory before `end`.
    #[inline]
    fn take(&self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() == 0 {
            return Some(nothing(layout));
        }
        let top = self.top.get();
        let end_of_block = address_past(top, layout);
        // Both the bytes left and those needed are at most `isize::MAX`, so this wraps to more than that exactly if
        // more is needed than is left.
        let left = self.end.get().addr().wrapping_sub(end_of_block);
        if left > isize::MAX as usize {
            return None;
        }
        let new_top = top.with_addr(end_of_block);
        self.top.set(new_top);
        // SAFETY: "must be non-null": the block ends at `new_top`, which is not past `end`, as checked, so nothing has
        // wrapped, and starts at the old `top` or after it, by `address_past`. That is not null: it is in the
        // reservation, by the invariants. (Without one, `end` is `top`, and the check fails.)
        let block = unsafe { NonNull::new_unchecked(new_top.wrapping_sub(layout.size())) };
        unpoison(block.as_ptr(), layout.size());
        Some(block)
    }

    #[cold]
    #[inline(never)]
    fn try_allocate_more(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
        loop {
            self.try_make_room(layout)?;
            // Otherwise the program's allocator has taken the room.
            if let Some(block) = self.take(layout) {
                return Ok(block);
            }
        }
    }

    /// Makes room for a block of a layout whose size is not zero. On failure nothing has changed.
    pub(super) fn try_make_room(&self, layout: Layout) -> Result<(), Error> {
        if self.cold.try_borrow_mut().is_err() {
            return Err(Error::new(ErrorKind::Busy, layout.size()).of(Holder::Arena));
        }
        let had_addresses = self.look(|_| ()).is_some();
        if !had_addresses {
            self.try_reserve_unserved(layout)?;
        }
        let top = self.top.get();
        let needed = address_past(top, layout).wrapping_sub(top.addr());
        let made = self.make_usable(self.used_bytes().checked_add(needed));
        if made.is_ok() && !had_addresses {
            // Only now, since the first block was not to be made ready ahead.
            self.serve();
        } else if !had_addresses {
            // The reservation was sized for memory that was refused.
            self.top.set(DANGLING);
            self.end.set(DANGLING);
            self.cold.borrow_mut().memory = None;
        }
        made
    }

    /// Makes the first `need` bytes usable. `None` is a number that overflowed.
    fn make_usable(&self, need: Option<usize>) -> Result<(), Error> {
        let Some(need) = need.filter(|&need| isize::try_from(need).is_ok()) else {
            return Err(Error::new(ErrorKind::CapacityOverflow, need.unwrap_or(usize::MAX)));
        };
        let max_bytes = self.max_bytes();
        if need > max_bytes {
            let sized_by = match self.options().max_bytes {
                Some(_) => SizedBy::Option,
                None => self
                    .look(|memory| memory.sized_by(SizedBy::Backing))
                    .unwrap_or(SizedBy::Default),
            };
            return Err(Error::full(sized_by, need, max_bytes).of(Holder::Arena));
        }
        let mut cold = self.cold.borrow_mut();
        let allocation_limit = cold.options.allocation_limit;
        if let Some(limit) = allocation_limit.filter(|&limit| need > limit) {
            return Err(Error::new(ErrorKind::AllocationLimit, need).with_limit(limit as u64));
        }
        let Some(memory) = &mut cold.memory else { unreachable!("reserved before") };
        let most = max_bytes.min(allocation_limit.unwrap_or(usize::MAX));
        let grown = memory.grow(need, Amount::Within(most));
        self.set_end(memory, most);
        grown
    }

    pub(super) fn set_allocation_limit(&self, limit: Option<usize>) {
        let mut cold = self.cold.borrow_mut();
        cold.options.allocation_limit = limit;
        if cold.options.commit_ahead == CommitAhead::Large {
            let ahead = if limit.is_some() { CommitAhead::Off } else { CommitAhead::Large };
            cold.memory.iter_mut().for_each(|memory| memory.serve(ahead));
        }
        drop(cold);
        let limit = self.limit_bytes();
        if let Some(memory) = &self.cold.borrow().memory {
            self.set_end(memory, limit);
        }
    }

    pub(super) fn allocation_limit(&self) -> Option<usize> {
        self.options().allocation_limit
    }

    /// The number of bytes that can currently be in use.
    fn limit_bytes(&self) -> usize {
        self.max_bytes().min(self.allocation_limit().unwrap_or(usize::MAX))
    }

    /// Reserves addresses, if there are none yet, so that a block of the layout `first` can start the reservation.
    pub(super) fn try_reserve_addresses(&self, first: Layout) -> Result<(), Error> {
        if self.look(|_| ()).is_none() {
            self.try_reserve_unserved(first)?;
            self.serve();
        }
        Ok(())
    }

    /// Lets the background thread commit ahead, if the options request it.
    fn serve(&self) {
        let mut cold = self.cold.borrow_mut();
        let Options { commit_ahead, .. } = cold.options;
        if let Some(memory) = cold.memory.as_mut().filter(|_| commit_ahead.is_on()) {
            memory.serve(commit_ahead);
        }
    }

    /// Makes the reservation; the caller then calls [`serve`](Self::serve).
    fn try_reserve_unserved(&self, first: Layout) -> Result<(), Error> {
        let mut cold = self.cold.borrow_mut();
        let Options { max_bytes, growth, huge_pages, commit_ahead, .. } = cold.options;
        let is_limited = cold.options.allocation_limit.is_some();
        // Lent memory and memory ahead would count against the limit.
        let release = match cold.options.release {
            Release::Keep if is_limited => Release::Now,
            release => release,
        };
        let commit_ahead = match commit_ahead {
            CommitAhead::Large if is_limited => CommitAhead::Off,
            commit_ahead => commit_ahead,
        };
        let request = MemoryRequest {
            columns: None,
            exact_bytes: max_bytes,
            need_bytes: first.size(),
            most_bytes: usize::MAX,
            align: first.align(),
            huge_pages,
            growth,
            commit_ahead,
            release,
            starts_small: false,
            label: Label::new(Holder::Arena.name(), cold.options.place)
                .growing()
                .named(cold.options.name),
        };
        GrowingReservation::reserve(&mut cold.memory, &request)
            .map_err(|error| error.of(Holder::Arena))?;
        let Some(memory) = &cold.memory else { unreachable!("reserved above") };
        self.top.set(memory.as_ptr());
        self.end.set(memory.as_ptr());
        self.written.set(0);
        self.cached_end.set(memory.start().addr().get() + memory.warm_bytes());
        Ok(())
    }

    /// Sets `end` to the end of the usable bytes, which is never before `top`, or to the limit if that is less, but not
    /// before `top`.
    fn set_end(&self, memory: &GrowingReservation, limit: usize) {
        let usable = memory.usable_bytes().min(limit);
        let end = memory.as_ptr().wrapping_add(usable);
        self.end.set(end.max(self.top.get()));
        Self::poison_from(self.top.get(), self.end.get());
    }

    /// Poisons memory until it is handed out.
    #[inline]
    fn poison_from(from: *mut u8, to: *mut u8) {
        poison(from, to.addr() - from.addr());
    }

    /// Allocates zeroed memory for a layout. Memory that is fresh from the system is not written to.
    #[inline]
    pub(crate) fn try_allocate_zeroed(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
        let block = self.try_allocate(layout)?;
        let dirty = self.dirty_bytes(block.addr().get(), layout.size());
        // SAFETY: "valid for writes" of `dirty` bytes, which are at most the size of the block that was just handed out.
        // (The rest is zero already, by the invariants.)
        unsafe { block.write_bytes(0, dirty) };
        Ok(block)
    }

    /// Of `bytes` that were just handed out, returns how many from the first one on may not be zero.
    #[inline]
    fn dirty_bytes(&self, address: usize, bytes: usize) -> usize {
        let unknown = self.written.get().max(self.cached_end.get());
        unknown.saturating_sub(address).min(bytes)
    }

    /// Frees the memory of a block past the first `kept` bytes if the block is the last. The end of another block stays in
    /// use until the arena frees everything.
    ///
    /// # Safety
    ///
    /// - `block` was handed out by this arena with this `size`, and only the caller uses it. It is not used past `kept` bytes
    ///   any more, which are at most its size.
    #[inline]
    pub(in crate::alloc) unsafe fn shrink(&self, block: NonNull<u8>, size: usize, kept: usize) {
        debug_assert!(kept <= size);
        if size > 0 && self.is_last(block, size) {
            self.move_back(self.top.get().wrapping_sub(size - kept));
        } else {
            poison(block.as_ptr().wrapping_add(kept), size - kept);
        }
    }

    /// Returns `true` if a block, whose size must not be zero, ends at `top`.
    #[inline]
    pub(super) fn is_last(&self, block: NonNull<u8>, bytes: usize) -> bool {
        // Does not overflow: a block never reaches the end of the address space.
        block.addr().get() + bytes == self.top.get().addr()
    }

    /// Moves `top` back, and records that the memory in between was in use.
    #[inline]
    fn move_back(&self, to: *mut u8) {
        let top = self.top.get();
        debug_assert!(to <= top);
        self.written.set(self.written.get().max(top.addr()));
        self.top.set(to);
        Self::poison_from(to, top);
        if top == self.end.get() {
            self.keep_limit();
        }
    }

    /// Sets `end` to the limit, if it is past that because more was in use when the limit was set.
    #[cold]
    #[inline(never)]
    fn keep_limit(&self) {
        // Code that has borrowed it sets `end` afterwards.
        let Ok(cold) = self.cold.try_borrow() else { return };
        if let (Some(memory), Some(_)) = (&cold.memory, cold.options.allocation_limit) {
            self.set_end(memory, self.limit_bytes());
        }
    }

    /// Makes a block larger or smaller, and preserves its contents up to the smaller size. On failure nothing has changed.
    ///
    /// This is done in place, except that a block moves if it is to be aligned to more, or grows and is not the last. If
    /// the last block shrinks, the rest is free again.
    ///
    /// # Safety
    ///
    /// - `block` was handed out by this arena for the layout `old`, and only the caller uses it: after success only
    ///   through the pointer that this returns, and not past the new size.
    /// - The size of `new` is not less than that of `old` if the block is to grow, and not more if it is to shrink.
    #[inline]
    pub(in crate::alloc) unsafe fn try_resize(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
        change: Change,
    ) -> Result<NonNull<u8>, Error> {
        let kept = match change {
            Change::Grow(_) => old.size(),
            Change::Shrink if is_aligned(block, new) => {
                // SAFETY: the caller promises that the block was handed out with that size, is its own, and is not used
                // past the new size any more, which is not larger.
                unsafe { self.shrink(block, old.size(), new.size()) };
                return Ok(block);
            }
            Change::Shrink => new.size(),
        };
        debug_assert_eq!(kept, old.size().min(new.size()));
        // SAFETY: the caller promises the first condition, and that the old size, or the new one if the block is to
        // shrink, is the smaller: `kept`.
        let resized = unsafe { self.try_extend_or_move(block, kept, new) };
        if let (Ok(block), Change::Grow(Contents::Zeroed)) = (&resized, change) {
            let added = block.as_ptr().wrapping_add(kept);
            let dirty = self.dirty_bytes(added.addr(), new.size() - kept);
            // SAFETY: "valid for writes" of `dirty` bytes: these follow the old size, and end within the new size, which the
            // block has. (The rest is zero already, by the invariants.)
            unsafe { added.write_bytes(0, dirty) };
        }
        resized
    }

    /// Extends a block if it is the last and aligned to `new`, or else moves it, with its first `kept` bytes.
    ///
    /// # Safety
    ///
    /// - `block` was handed out by this arena, and only the caller uses it.
    /// - `kept` is the smaller one of its size and the size of `new`.
    #[inline]
    unsafe fn try_extend_or_move(
        &self,
        block: NonNull<u8>,
        kept: usize,
        new: Layout,
    ) -> Result<NonNull<u8>, Error> {
        // The end of a block that is to become smaller is not at `kept`, so such a block is not extended.
        if kept > 0 && self.is_last(block, kept) && is_aligned(block, new) {
            let more = new.size() - kept;
            if more == 0 {
                return Ok(block);
            }
            let rest = self.try_extend(more)?;
            // Otherwise the program's allocator has taken what followed the block, while memory was committed.
            if rest.addr().get() == block.addr().get() + kept {
                // With the provenance of the reservation, since `block` may be valid for the old size only.
                return Ok(rest.with_addr(block.addr()));
            }
            // SAFETY: it was just handed out with that size, and nothing uses it.
            unsafe { self.shrink(rest, more, 0) };
        }
        let moved = self.try_allocate(new)?;
        // SAFETY: "valid for reads" and "for writes" of `kept` bytes: neither block is smaller, by the caller's
        // promise, and the new one was just handed out. "Not overlap": it starts at the old `top` or after it, and the
        // other lies before.
        unsafe { moved.copy_from_nonoverlapping(block, kept) };
        Ok(moved)
    }

    /// Hands out the `bytes` after the last block.
    #[inline]
    fn try_extend(&self, bytes: usize) -> Result<NonNull<u8>, Error> {
        // This fails for more than `isize::MAX` bytes only, and the caller's layout is not larger than that.
        match Layout::from_size_align(bytes, 1) {
            Ok(more) => self.try_allocate(more),
            Err(_) => Err(Error::new(ErrorKind::CapacityOverflow, bytes)),
        }
    }

    /// Records up to where memory is used.
    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark { top: self.top.get() }
    }

    /// Frees all blocks that were handed out since the mark was made.
    ///
    /// # Safety
    ///
    /// - The mark is [`Mark::START`], or this arena has made it.
    /// - None of these blocks is used any more.
    #[inline]
    pub(super) unsafe fn rewind(&self, mark: Mark) {
        // Once there is memory, it stays until the arena is dropped, so other marks point into it.
        let to = if mark.top == Mark::START.top { self.start() } else { mark.top };
        debug_assert!(to <= self.top.get());
        if to < self.top.get() {
            self.move_back(to);
        }
    }

    /// The start of the memory; dangling if there is none.
    #[cold]
    #[inline(never)]
    fn start(&self) -> *mut u8 {
        self.look(GrowingReservation::as_ptr).unwrap_or(DANGLING)
    }

    pub(super) fn reset(&mut self) {
        // SAFETY: the mark is `START`. No block is used any more: it either borrows from `self`, which is borrowed
        // mutably here, or belongs to unsafe code, for which it stays valid only "as long as a reference returned by
        // another method would" (`alloc_layout`).
        unsafe { self.rewind(Mark::START) };
    }

    /// Returns committed memory to the system that is past both the used bytes and the first `keep` bytes, within the
    /// budget.
    pub(super) fn trim(&self, keep: usize, budget: Budget) -> Result<GivenBack, Error> {
        let limit = self.limit_bytes();
        // Read last: before that, the program's allocator may have taken a block, even the first.
        let used = self.used_bytes();
        let mut cold = self.cold.borrow_mut();
        let Some(memory) = &mut cold.memory else {
            return Ok(GivenBack { bytes: 0, is_done: true });
        };
        // No block may be handed out from memory that is being returned.
        self.end.set(self.top.get());
        let given = memory.shrink_to(keep.max(used), budget);
        self.set_end(memory, limit);
        // Memory that is committed again will be fresh.
        let start = memory.start().addr().get();
        self.written.set(self.written.get().min(start + memory.zero_from()));
        self.cached_end.set(start + memory.warm_bytes());
        given
    }

    /// Makes the `bytes` past the used ones usable and resident.
    pub(super) fn try_prefault(&self, bytes: usize) -> Result<(), Error> {
        self.try_commit(bytes)?;
        let used = self.used_bytes();
        let mut cold = self.cold.borrow_mut();
        let Some(memory) = &mut cold.memory else { return Ok(()) };
        // Leaves out the page that is partly used: it is or soon will be touched, and other threads may be writing to
        // it.
        let from = used.next_multiple_of(page_size());
        let to = (used + bytes).next_multiple_of(page_size()).min(memory.usable_bytes());
        if from < to { memory.prefault(from..to) } else { Ok(()) }
    }

    pub(super) fn prefault_ahead(&self, budget: Budget) -> Prefaulted {
        let reserved = self.try_reserve_addresses(Layout::new::<u8>());
        let limit = self.limit_bytes();
        // Leaves out the page that is partly used, as above. Read last, as in `trim`.
        let used = self.used_bytes().next_multiple_of(page_size());
        let mut cold = self.cold.borrow_mut();
        let Some(memory) = &mut cold.memory else {
            return Prefaulted { bytes: 0, ahead_bytes: 0, refused: reserved.err() };
        };
        let prefaulted = memory.prefault_ahead_within(used, limit, budget);
        let is_served = memory.is_external();
        self.set_end(memory, limit);
        // From now on the thread does not begin to serve it, nor when a limit is removed.
        if cold.options.commit_ahead == CommitAhead::Large && !is_served {
            cold.options.commit_ahead = CommitAhead::Off;
        }
        prefaulted
    }

    pub(super) fn try_commit(&self, bytes: usize) -> Result<(), Error> {
        match Layout::from_size_align(bytes, 1) {
            Ok(room) if bytes > 0 => self.try_make_room(room),
            Ok(_) => Ok(()),
            Err(_) => Err(Error::new(ErrorKind::CapacityOverflow, bytes)),
        }
    }

    fn options(&self) -> Options {
        self.cold.borrow().options
    }

    /// Calls `look` with the memory, if there is any.
    pub(super) fn look<R>(&self, look: fn(&GrowingReservation) -> R) -> Option<R> {
        self.cold.borrow().memory.as_ref().map(look)
    }

    /// The number of bytes handed out, including alignment padding.
    pub(super) fn used_bytes(&self) -> usize {
        self.look(GrowingReservation::start)
            .map_or(0, |start| self.top.get().addr() - start.addr().get())
    }

    pub(super) fn used_memory(&mut self) -> &[MaybeUninit<u8>] {
        let start = self.start();
        // This includes padding and freed blocks.
        unpoison(start, self.used_bytes());
        // SAFETY: "valid for reads" and "within a single allocation": these bytes lie in the reservation, before `top`,
        // or there are none, and then the pointer need only be "non-null" and "aligned". `MaybeUninit` needs no
        // initialization. "Not mutated": a block either borrows from `self`, which is borrowed mutably as long as the
        // result lives, or belongs to unsafe code that is responsible for it.
        unsafe { slice::from_raw_parts(start.cast(), self.used_bytes()) }
    }

    /// The number of bytes that can be in use before more memory is committed.
    pub(super) fn capacity_bytes(&self) -> usize {
        self.look(GrowingReservation::start)
            .map_or(0, |start| self.end.get().addr() - start.addr().get())
    }

    /// The largest number of bytes that were in use, not counting memory that was returned since.
    pub(super) fn high_water_bytes(&self) -> usize {
        self.look(GrowingReservation::start)
            .map_or(0, |start| self.written.get().max(self.top.get().addr()) - start.addr().get())
    }

    /// The maximum number of bytes in use: as requested, or the size of the current or future reservation.
    pub(super) fn max_bytes(&self) -> usize {
        self.options().max_bytes.unwrap_or_else(|| {
            self.look(GrowingReservation::reserved_bytes)
                .unwrap_or_else(|| default_reservation_bytes(0))
        })
    }

    /// Returns `true` if an address lies in the used memory.
    pub(super) fn contains(&self, address: usize) -> bool {
        self.look(GrowingReservation::start)
            .is_some_and(|start| (start.addr().get()..self.top.get().addr()).contains(&address))
    }
}

/// Returns the end of a block of this layout that starts at the first aligned address from `top` on.
///
/// The result may wrap. Counted from `top` it is at most `isize::MAX`: layouts guarantee that the size, rounded up to
/// the alignment, does not exceed that, and aligning the start adds less than the alignment.
#[inline]
fn address_past(top: *mut u8, layout: Layout) -> usize {
    let (top, size, mask) = (top.addr(), layout.size(), layout.align() - 1);
    if size & mask == 0 {
        // Equivalent to the other branch, with a shorter chain of dependent steps from one block to the next, which
        // bounds the speed of storing small values. The sizes of all types are such multiples.
        top.wrapping_add(mask + size) & !mask
    } else {
        (top.wrapping_add(mask) & !mask).wrapping_add(size)
    }
}

#[inline]
fn is_aligned(block: NonNull<u8>, layout: Layout) -> bool {
    block.addr().get() & (layout.align() - 1) == 0
}

/// Returns a dangling pointer for a block of size zero.
#[inline]
pub(in crate::alloc) fn nothing(layout: Layout) -> NonNull<u8> {
    // An alignment is not zero, so the other pointer is never used.
    NonNull::new(ptr::without_provenance_mut(layout.align())).unwrap_or(NonNull::dangling())
}
