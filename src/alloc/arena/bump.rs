//! [`Bump`]: where memory for the next allocation is, and how to get more.
//!
//! There is no value here and no drop, only layouts. Memory is handed out upward from `start`, so
//! that the last block can grow and shrink in place.
//!
//! # What holds between calls
//!
//! - Before there is memory, `top` and `end` are equal, and point to nothing.
//! - From then on `start <= top <= end`, all three point into the reservation, which never moves,
//!   or to its end, and all bytes before `end` are usable, and no more than the options allow, unless more
//!   was used before they did: then `end` is `top`, and goes back with it.
//! - Whoever was handed a block lies before `top`. What lies from `top` on is nobody's.
//! - What lies from `top` on, and from the addresses `written` and `foreign` on, reads as zero.
//!
//! `top` moves back only where the last block is given back ([`Bump::deallocate`],
//! [`Bump::shrink`]), and all at once by [`Bump::rewind`] and [`Bump::reset`], whose callers answer
//! for it that nobody has what lies there.
//!
//! # What comes back here
//!
//! `cold` is borrowed only within functions here that run no code of users, but for the program's
//! own allocator and the hook of a panic. What these take while memory is taken or given back lies
//! before `end`, where nothing is changed; should they need more, the borrow fails, and that panics.

#![expect(unsafe_code, reason = "moves pointers within memory that it owns")]

use super::builder::Options;
use crate::error::{Error, ErrorKind, Holder, SizedBy};
use crate::growing::{Amount, Budget, GivenBack, GrowingReservation, Prefaulted, Want};
use crate::poison::{poison, unpoison};
use crate::reservation::{default_reservation_bytes, page_size};
use crate::service::Release;
use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};
use std::slice;

/// The pointers of an arena, and its memory.
#[derive(Debug)]
pub(crate) struct Bump {
    top: Cell<NonNull<u8>>,
    end: Cell<NonNull<u8>>,
    /// Known to be zero from this address on, behind `top`. It is brought up to date only where
    /// `top` moves back.
    written: Cell<usize>,
    /// Others have left something before this address.
    foreign: Cell<usize>,
    cold: RefCell<Cold>,
}

/// What is looked at only where memory is taken or given back.
#[derive(Debug)]
struct Cold {
    options: Options,
    memory: Option<GrowingReservation>,
}

// SAFETY: `top` and `end` point into `memory`, which `self` owns, or nowhere. What was handed out
// is borrowed from `self`, so that nobody has any of it when `self` moves to another thread, but
// for those who vouch for blocks themselves.
unsafe impl Send for Bump {}

/// How far an arena was used at some time; see [`Bump::mark`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    used: usize,
}

impl Bump {
    pub(super) const fn new(options: Options) -> Self {
        Self {
            top: Cell::new(NonNull::dangling()),
            end: Cell::new(NonNull::dangling()),
            written: Cell::new(0),
            foreign: Cell::new(0),
            cold: RefCell::new(Cold { options, memory: None }),
        }
    }

    /// Memory of that layout, which may hold anything. Layouts of size zero need none.
    #[inline]
    pub(crate) fn try_allocate(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
        match self.take(layout) {
            Some(block) => Ok(block),
            None => self.try_allocate_more(layout),
        }
    }

    /// Memory that lies ready.
    #[inline]
    fn take(&self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() == 0 {
            return Some(nothing(layout));
        }
        let top = self.top.get();
        let behind = address_behind(top, layout);
        // Neither what is left nor what is needed is more than `isize::MAX`, so this wraps to more
        // than that if, and only if, more is needed.
        let left = self.end.get().addr().get().wrapping_sub(behind);
        if left > isize::MAX as usize {
            return None;
        }
        // SAFETY: `behind` lies no further than `end`, so this stays in the reservation or at its
        // end.
        let new_top = unsafe { top.add(behind - top.addr().get()) };
        self.top.set(new_top);
        // SAFETY: the block ends there, and starts at the old `top` or behind.
        let block = unsafe { new_top.sub(layout.size()) };
        unpoison(block.as_ptr(), layout.size());
        Some(block)
    }

    #[cold]
    #[inline(never)]
    fn try_allocate_more(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
        self.try_make_room(layout)?;
        Ok(self.take(layout).unwrap_or_else(|| unreachable!("there is room")))
    }

    /// Makes room for a block of that layout, which is not nothing. On failure nothing has changed.
    pub(super) fn try_make_room(&self, layout: Layout) -> Result<(), Error> {
        let had_addresses = self.look(|_| ()).is_some();
        if !had_addresses {
            self.try_reserve_unserved(layout)?;
        }
        let top = self.top.get();
        let needed = address_behind(top, layout).wrapping_sub(top.addr().get());
        let made = self.make_usable(self.used_bytes().checked_add(needed));
        if made.is_ok() && !had_addresses {
            // Only now: nothing was to be ready for the first.
            self.serve();
        } else if !had_addresses {
            // Their number was chosen for what is not to be had.
            self.top.set(NonNull::dangling());
            self.end.set(NonNull::dangling());
            self.cold.borrow_mut().memory = None;
        }
        made
    }

    /// Makes the first `need` bytes usable; `None` is what cannot be expressed.
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

    /// Sets or lifts the limit of what is used. What is used already stays.
    pub(super) fn set_allocation_limit(&self, limit: Option<usize>) {
        self.cold.borrow_mut().options.allocation_limit = limit;
        let limit = self.limit_bytes();
        if let Some(memory) = &self.cold.borrow().memory {
            self.set_end(memory, limit);
        }
    }

    pub(super) fn allocation_limit(&self) -> Option<usize> {
        self.options().allocation_limit
    }

    /// What can be used at once as things are.
    fn limit_bytes(&self) -> usize {
        self.max_bytes().min(self.allocation_limit().unwrap_or(usize::MAX))
    }

    /// Makes the reservation, if there is none yet, such that a block of that layout can start it.
    pub(super) fn try_reserve_addresses(&self, first: Layout) -> Result<(), Error> {
        if self.look(|_| ()).is_none() {
            self.try_reserve_unserved(first)?;
            self.serve();
        }
        Ok(())
    }

    /// Has somebody make memory ready ahead of it, if the options say so.
    fn serve(&self) {
        let mut cold = self.cold.borrow_mut();
        let Options { commit_ahead, service, .. } = cold.options;
        if let Some(memory) = cold.memory.as_mut().filter(|_| commit_ahead.is_on()) {
            (service.serve)(memory, commit_ahead);
        }
    }

    /// Makes the reservation, for who will [`serve`](Self::serve) it.
    fn try_reserve_unserved(&self, first: Layout) -> Result<(), Error> {
        let mut cold = self.cold.borrow_mut();
        let Options { max_bytes, growth, huge_pages, commit_ahead, service, .. } = cold.options;
        let release = match cold.options.release {
            // What is lent counts, too.
            Release::Keep if cold.options.allocation_limit.is_some() => Release::Now,
            release => release,
        };
        let want = Want {
            columns: None,
            exact_bytes: max_bytes,
            need_bytes: first.size(),
            most_bytes: usize::MAX,
            align: first.align(),
            huge_pages,
            growth,
            commit_ahead,
            release,
            service,
        };
        let memory = GrowingReservation::reserve(&want).map_err(|error| error.of(Holder::Arena))?;
        self.top.set(memory.start());
        self.end.set(memory.start());
        self.written.set(0);
        self.foreign.set(memory.start().addr().get() + memory.warm_bytes());
        cold.memory = Some(memory);
        Ok(())
    }

    /// Sets `end` by what is usable, which never ends before `top`, and by the limit, or to `top` where more
    /// than that is used.
    fn set_end(&self, memory: &GrowingReservation, limit: usize) {
        let usable = memory.usable_bytes().min(limit);
        // SAFETY: so many bytes lie in the reservation.
        let end = unsafe { memory.start().add(usable) };
        self.end.set(end.max(self.top.get()));
        Self::poison_from(self.top.get(), self.end.get());
    }

    /// Nobody is to touch what lies there until it is handed out.
    #[inline]
    fn poison_from(from: NonNull<u8>, to: NonNull<u8>) {
        poison(from.as_ptr(), to.addr().get() - from.addr().get());
    }

    /// Memory of that layout, all of it zero. Where it is fresh from the system nothing is written.
    #[inline]
    pub(crate) fn try_allocate_zeroed(&self, layout: Layout) -> Result<NonNull<u8>, Error> {
        let block = self.try_allocate(layout)?;
        // SAFETY: it was just handed out, in that size.
        unsafe { self.clear(block, layout.size()) };
        Ok(block)
    }

    /// Makes bytes zero that were just handed out.
    ///
    /// # Safety
    ///
    /// - `block` is valid for writes of `bytes`, or there are none.
    /// - Nothing was written there since it was handed out.
    unsafe fn clear(&self, block: NonNull<u8>, bytes: usize) {
        let unknown = self.written.get().max(self.foreign.get());
        let unknown = unknown.saturating_sub(block.addr().get()).min(bytes);
        // SAFETY: no more than the block, by the caller's promise. Behind that it is zero.
        unsafe { block.write_bytes(0, unknown) };
    }

    /// Takes the last block back. Others stay taken: their memory is free again with the arena's.
    ///
    /// # Safety
    ///
    /// - `block` was handed out here by that layout, and nobody uses it any more.
    #[inline]
    pub(crate) unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 && self.is_last(block, layout.size()) {
            // SAFETY: the last block is `size` bytes, right before `top`.
            let start = unsafe { self.top.get().sub(layout.size()) };
            self.move_back(start);
        } else {
            poison(block.as_ptr(), layout.size());
        }
    }

    /// Whether the block of so many bytes, which is not nothing, ends where free memory starts.
    #[inline]
    pub(super) fn is_last(&self, block: NonNull<u8>, bytes: usize) -> bool {
        // Blocks that are handed out end before the end of the address space.
        block.addr().get() + bytes == self.top.get().addr().get()
    }

    /// Takes note that what lies between was in use.
    #[inline]
    fn move_back(&self, to: NonNull<u8>) {
        let top = self.top.get();
        debug_assert!(to <= top);
        self.written.set(self.written.get().max(top.addr().get()));
        self.top.set(to);
        Self::poison_from(to, top);
        if top == self.end.get() {
            self.keep_limit();
        }
    }

    /// Sets `end` by the limit, behind which it lies only where more was used before there was one.
    #[cold]
    #[inline(never)]
    fn keep_limit(&self) {
        // Who has it borrowed sets `end` afterwards.
        let Ok(cold) = self.cold.try_borrow() else { return };
        if let (Some(memory), Some(_)) = (&cold.memory, cold.options.allocation_limit) {
            self.set_end(memory, self.limit_bytes());
        }
    }

    /// Makes a block larger: in place if it is the last, otherwise by a copy.
    ///
    /// On failure nothing has changed.
    ///
    /// # Safety
    ///
    /// - `block` was handed out here by the `old` layout, and only the caller uses it.
    /// - `new` is not smaller than `old`.
    #[inline]
    pub(crate) unsafe fn try_grow(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, Error> {
        debug_assert!(new.size() >= old.size());
        if old.size() > 0 && self.is_last(block, old.size()) && is_aligned(block, new) {
            let more = new.size() - old.size();
            // SAFETY: the last block is that many bytes, right before `top`.
            let block = unsafe { self.top.get().sub(old.size()) };
            self.try_extend(more)?;
            return Ok(block);
        }
        let grown = self.try_allocate(new)?;
        // SAFETY: the old block is readable by the caller's promise; the new one is no smaller, and
        // is nobody else's.
        unsafe { ptr::copy_nonoverlapping(block.as_ptr(), grown.as_ptr(), old.size()) };
        Ok(grown)
    }

    /// Hands out `bytes` more, right behind what was handed out last.
    #[inline]
    fn try_extend(&self, bytes: usize) -> Result<(), Error> {
        // At no more than `isize::MAX` the layout is right: the caller has one of that size.
        match Layout::from_size_align(bytes, 1) {
            Ok(more) => self.try_allocate(more).map(drop),
            Err(_) => Err(Error::new(ErrorKind::CapacityOverflow, bytes)),
        }
    }

    #[cfg(any(
        test,
        feature = "allocator-api2-02",
        feature = "allocator-api2-04",
        stayput_nightly
    ))]
    /// [`try_grow`](Self::try_grow), where all behind the old size is zero.
    ///
    /// # Safety
    ///
    /// - As for [`try_grow`](Self::try_grow).
    pub(crate) unsafe fn try_grow_zeroed(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, Error> {
        // SAFETY: the caller's promise is the one that is asked for.
        let grown = unsafe { self.try_grow(block, old, new) }?;
        // SAFETY: the block has the new size.
        let added = unsafe { grown.add(old.size()) };
        // SAFETY: so many bytes are behind the old size, and were just handed out.
        unsafe { self.clear(added, new.size() - old.size()) };
        Ok(grown)
    }

    /// Makes a block smaller, in place but for the rare one that is to be aligned to more. What it
    /// no longer needs is free again if it is the last.
    ///
    /// On failure nothing has changed.
    ///
    /// # Safety
    ///
    /// - `block` was handed out here by the `old` layout, and only the caller uses it.
    /// - `new` is not larger than `old`.
    #[inline]
    pub(crate) unsafe fn try_shrink(
        &self,
        block: NonNull<u8>,
        old: Layout,
        new: Layout,
    ) -> Result<NonNull<u8>, Error> {
        debug_assert!(new.size() <= old.size());
        if !is_aligned(block, new) {
            let moved = self.try_allocate(new)?;
            // SAFETY: the old block is readable by the caller's promise, and no smaller; the new
            // one is nobody else's.
            unsafe { ptr::copy_nonoverlapping(block.as_ptr(), moved.as_ptr(), new.size()) };
            return Ok(moved);
        }
        if old.size() > 0 && self.is_last(block, old.size()) {
            // SAFETY: no more than the last block, right before `top`.
            let end = unsafe { self.top.get().sub(old.size() - new.size()) };
            self.move_back(end);
        }
        Ok(block)
    }

    /// How far the arena is used now.
    pub(super) fn mark(&self) -> Mark {
        Mark { used: self.used_bytes() }
    }

    /// Makes all free again that was handed out since the mark was made.
    ///
    /// # Safety
    ///
    /// - Nobody uses what was handed out since.
    pub(super) unsafe fn rewind(&self, mark: Mark) {
        let used = self.used_bytes();
        debug_assert!(mark.used <= used);
        if let Some(back) = used.checked_sub(mark.used).filter(|&back| back > 0) {
            // SAFETY: no more than is used, so it does not pass `start`.
            let to = unsafe { self.top.get().sub(back) };
            self.move_back(to);
        }
    }

    /// Makes all free again.
    pub(super) fn reset(&mut self) {
        // SAFETY: whoever was handed a block has borrowed `self`, or vouches that it is not used
        // after a reset.
        unsafe { self.rewind(Mark { used: 0 }) };
    }

    /// Gives committed memory back that lies behind what is used and behind the first `keep` bytes,
    /// as far as the budget goes.
    pub(super) fn trim(&self, keep: usize, budget: Budget) -> Result<GivenBack, Error> {
        let used = self.used_bytes();
        let limit = self.limit_bytes();
        let mut cold = self.cold.borrow_mut();
        let Some(memory) = &mut cold.memory else {
            return Ok(GivenBack { bytes: 0, is_done: true });
        };
        // Nobody takes what is being given back.
        self.end.set(self.top.get());
        let given = memory.shrink_to(keep.max(used), budget);
        self.set_end(memory, limit);
        // What is committed again is fresh.
        let start = memory.start().addr().get();
        self.written.set(self.written.get().min(start + memory.zero_from()));
        self.foreign.set(start + memory.warm_bytes());
        given
    }

    /// Makes `bytes` behind what is used usable and resident.
    pub(super) fn try_prefault(&self, bytes: usize) -> Result<(), Error> {
        self.try_commit(bytes)?;
        let used = self.used_bytes();
        let mut cold = self.cold.borrow_mut();
        let Some(memory) = &mut cold.memory else { return Ok(()) };
        // The page that is in use in part was touched, or will be next. It is left out, since
        // others may be writing to it.
        let from = used.next_multiple_of(page_size());
        let to = (used + bytes).next_multiple_of(page_size()).min(memory.usable_bytes());
        if from < to { memory.prefault(from..to) } else { Ok(()) }
    }

    /// Makes memory resident ahead of its use.
    pub(super) fn prefault_ahead(&self, budget: Budget) -> Prefaulted {
        let reserved = self.try_reserve_addresses(Layout::new::<u8>());
        // As above: no page that is in use in part.
        let used = self.used_bytes().next_multiple_of(page_size());
        let limit = self.limit_bytes();
        let mut cold = self.cold.borrow_mut();
        let Some(memory) = &mut cold.memory else {
            return Prefaulted { bytes: 0, ahead_bytes: 0, refused: reserved.err() };
        };
        let prefaulted = memory.prefault_ahead_within(used, limit, budget);
        self.set_end(memory, limit);
        prefaulted
    }

    /// Makes room for `bytes` more.
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

    /// What `look` sees in the memory, if there is any.
    pub(super) fn look<R>(&self, look: fn(&GrowingReservation) -> R) -> Option<R> {
        self.cold.borrow().memory.as_ref().map(look)
    }

    /// Bytes handed out, with those that aligned them.
    pub(super) fn used_bytes(&self) -> usize {
        self.look(GrowingReservation::start)
            .map_or(0, |start| self.top.get().addr().get() - start.addr().get())
    }

    /// All that was handed out.
    pub(super) fn used_memory(&mut self) -> &[MaybeUninit<u8>] {
        let start = self.look(GrowingReservation::start).unwrap_or(NonNull::dangling());
        // Also what lies between blocks, and those that were given back.
        unpoison(start.as_ptr(), self.used_bytes());
        // SAFETY: so many bytes lie there, committed, or there are none; they may be of any value, or none.
        // Whoever was handed a block has borrowed `self`, which is borrowed mutably, or vouches for it.
        unsafe { slice::from_raw_parts(start.cast().as_ptr(), self.used_bytes()) }
    }

    /// Bytes that can be handed out before more memory is taken, with those that are.
    pub(super) fn capacity_bytes(&self) -> usize {
        self.look(GrowingReservation::start)
            .map_or(0, |start| self.end.get().addr().get() - start.addr().get())
    }

    /// The most bytes that were in use, as far as their memory was not given back since.
    pub(super) fn high_water_bytes(&self) -> usize {
        self.look(GrowingReservation::start).map_or(0, |start| {
            self.written.get().max(self.top.get().addr().get()) - start.addr().get()
        })
    }

    /// What can ever be used at once: as asked, or else as much as is, or would be, reserved.
    pub(super) fn max_bytes(&self) -> usize {
        self.options().max_bytes.unwrap_or_else(|| {
            self.look(GrowingReservation::reserved_bytes)
                .unwrap_or_else(|| default_reservation_bytes(0))
        })
    }

    /// Whether an address lies in what is used.
    pub(super) fn contains(&self, address: usize) -> bool {
        self.look(GrowingReservation::start).is_some_and(|start| {
            (start.addr().get()..self.top.get().addr().get()).contains(&address)
        })
    }
}

/// The address at which a block of that layout ends that starts at `top` or, to be aligned, behind.
/// It may wrap. From `top` it is `isize::MAX` bytes at most, which is what layouts are limited to:
/// their size, rounded up to the alignment, is no more, and aligning the start takes less than
/// that.
#[inline]
fn address_behind(top: NonNull<u8>, layout: Layout) -> usize {
    let (top, size, mask) = (top.addr().get(), layout.size(), layout.align() - 1);
    if size & mask == 0 {
        // As below, but one step less from one end to the next: those steps are what it takes to
        // store small values one after the other. All types have such a size.
        top.wrapping_add(mask + size) & !mask
    } else {
        (top.wrapping_add(mask) & !mask).wrapping_add(size)
    }
}

#[inline]
fn is_aligned(block: NonNull<u8>, layout: Layout) -> bool {
    block.addr().get() & (layout.align() - 1) == 0
}

/// A block of no bytes.
#[inline]
pub(in crate::alloc) fn nothing(layout: Layout) -> NonNull<u8> {
    // SAFETY: alignments are not zero.
    let align = unsafe { std::num::NonZero::new_unchecked(layout.align()) };
    NonNull::<u8>::dangling().with_addr(align)
}
