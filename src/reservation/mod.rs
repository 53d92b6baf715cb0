//! [`Reservation`]: an owned range of addresses.
//!
//! # Soundness
//!
//! A `Reservation` owns a [`Mapping`] from the beginning to the end. Each method reaches the system through
//! [`Reservation::pages`], which checks that the pages lie inside the range. No method reads or writes memory: the type
//! hands out a raw pointer, and code that dereferences it is responsible for that. Methods that take access or contents
//! away (`decommit`, `discard`) need `&mut self` or are unsafe: with a `&Reservation`, safe code cannot take away what other
//! code uses.

#![expect(unsafe_code, reason = "has `os` take pages away that no code uses")]

use crate::error::{Error, ErrorKind, SizedBy};
use crate::os::{self, Mapping, Refusal, UnusedPages};
use crate::page::PageBytes;
use crate::register::Registration;
use std::mem;
use std::ops::{Bound, Range, RangeBounds};
use std::ptr::NonNull;

mod sync {
    //! The atomics of the submodules. `loom/` has its own.
    pub(super) use std::sync::atomic;
}

mod advice;
mod builder;
mod huge_pages;
mod label;
mod locked;
mod moving;
mod range_slot;
mod resident;
mod rooms;
mod share;
mod stripes;
#[cfg(test)]
mod tests;
mod unreleased;

#[cfg(feature = "file")]
pub(crate) use crate::os::mapping_refused;
pub(crate) use crate::os::{
    IS_SUPPORTED, MOVES as CAN_MOVE, address_space_bytes, moves_onto as can_move_onto,
};
pub use builder::ReservationBuilder;
pub use huge_pages::HugePages;
pub use locked::Locked;
pub(crate) use rooms::take_all as take_all_rooms;
#[cfg(test)]
pub(crate) use share::FLOOR_BYTES;
pub(crate) use share::{
    AddressSpace, CountedShare, blocks, default_reservation_bytes, memory_bytes, usual_bytes,
    usual_reservation_bytes, whole_bytes,
};
pub(crate) use stripes::{ColumnLayouts, column_count, layouts};
use stripes::{Huge, Stripes};

/// Returns the size of a page in bytes, the unit in which memory is committed and decommitted.
///
/// It is 4,096 on most systems, and 16,384 or 65,536 on some. The first call may make a system call.
///
/// # Examples
///
/// ```
/// assert!(stayput::page_size().is_power_of_two());
/// ```
pub fn page_size() -> usize {
    os::page_size().get()
}

/// Whether the system has refused the release of more ranges than should be waiting.
pub(crate) fn is_much_unreleased() -> bool {
    const MUCH: usize = 256;
    unreleased::count() > MUCH
}

/// An owned range of addresses, which takes no memory until pages in it are committed.
///
/// The range never moves, and is released when the `Reservation` is dropped. A guard page that is never accessible
/// follows it.
///
/// Methods take ranges of byte offsets from [`as_ptr`](Self::as_ptr), which must be whole pages inside the reservation.
/// Otherwise they return an [`Error`] of kind [`OutOfBounds`](ErrorKind::OutOfBounds) or
/// [`Alignment`](ErrorKind::Alignment).
///
/// All methods except the getters may make system calls.
///
/// Without [virtual memory](crate::guide::the_web), a reservation is a block of the system's allocator: of its full
/// size from the beginning, and all of it is accessible.
///
/// # Examples
///
/// ```
/// use stayput::{Reservation, page_size};
///
/// # fn main() -> Result<(), stayput::Error> {
/// let mut range = Reservation::new(1 << 30)?; // 1 GiB of addresses, no memory
/// range.commit(..4 * page_size())?;
///
/// let first = range.as_ptr();
/// // SAFETY: the first pages are committed, so they are readable, writable and zero; no other code
/// // uses them.
/// unsafe {
///     assert_eq!(first.read(), 0);
///     first.write(7);
/// }
///
/// range.decommit(..4 * page_size())?; // returns the memory and its charge
/// assert_eq!(range.committed_bytes()?, 0);
/// # Ok(())
/// # }
/// ```
pub struct Reservation {
    /// Where the usable range starts, aligned as requested.
    start: NonNull<u8>,
    /// The size of the usable range; with columns, the number of bytes of rows.
    bytes: PageBytes,
    /// The columns that the range is divided into. Then its size never changes.
    columns: Option<ColumnLayouts>,
    /// The usable range, the padding that aligns it, and the guard page. While room is offered, other threads may take a
    /// part, so code reaches it through `owned`.
    mapping: Mapping,
    huge_from: Option<usize>,
    huge_pages: HugePages,
    /// Whether the system has been advised about huge pages.
    is_advised: bool,
    /// What the range counts for if its size is a share of the addresses.
    taken: Option<CountedShare>,
    /// The slot in which the room at its end is offered to other threads.
    offer: Option<u16>,
    registration: Registration,
}

// SAFETY: a `Reservation` owns its range, and no part of it is tied to a thread.
unsafe impl Send for Reservation {}
// SAFETY: through `&self` only getters and system calls are available. The system serialises these calls, and those that
// take access or contents away are unsafe: their callers promise that no code uses the pages. The fields change only
// through `&mut self`, and what `registration` points to consists of atomics.
unsafe impl Sync for Reservation {}

/// Whole pages of a reservation, made by [`Reservation::pages`], which checks the range, and by `Reservation::whole`.
/// With columns they are [`os::Pages`] in each.
#[derive(Clone, Copy)]
struct Pages<'r> {
    offset: usize,
    bytes: PageBytes,
    reservation: &'r Reservation,
}

impl<'r> Pages<'r> {
    /// Calls `act` for each contiguous part, until it returns an error.
    #[inline]
    fn each<E>(self, mut act: impl FnMut(os::Pages<'r>) -> Result<(), E>) -> Result<(), E> {
        match self.reservation.columns {
            None => act(self.contiguous(self.offset, self.bytes)),
            Some(_) => self.each_in_columns(self.reservation.stripes(), &mut act),
        }
    }

    /// Like [`each`](Self::each), but in columns only the usual pages that the bytes reach, without the rest of a huge
    /// page that was committed for them: those are the pages that are or will be resident. The first of them can lie in
    /// a huge page that was committed for the bytes before.
    #[inline]
    fn each_used<E>(self, mut act: impl FnMut(os::Pages<'r>) -> Result<(), E>) -> Result<(), E> {
        if self.reservation.columns.is_none() {
            return act(self.contiguous(self.offset, self.bytes));
        }
        let stripes = self.reservation.stripes().map(Stripes::without_huge);
        self.each_in_columns(stripes, &mut act)
    }

    #[cold]
    #[inline(never)]
    fn each_in_columns<E>(
        self,
        stripes: Option<Stripes>,
        act: &mut dyn FnMut(os::Pages<'r>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = self.offset..self.offset + self.bytes.get();
        stripes.into_iter().flat_map(|stripes| stripes.places(bytes.clone())).try_for_each(
            |place| {
                let bytes = PageBytes::exact(place.len(), os::page_size()).expect("whole pages");
                act(self.contiguous(place.start, bytes))
            },
        )
    }

    /// Returns the `bytes` bytes from `offset` on.
    fn contiguous(self, offset: usize, bytes: PageBytes) -> os::Pages<'r> {
        self.reservation.owned().pages(self.reservation.front_bytes() + offset, bytes)
    }

    #[inline(never)]
    fn commit(self) -> Result<(), Refusal> {
        self.each(os::Pages::commit)
    }

    /// Returns the pages as ones that no code uses.
    ///
    /// # Safety
    ///
    /// - The conditions of [`os::Pages::unused`].
    const unsafe fn unused(self) -> Unused<'r> {
        Unused(self)
    }
}

/// [`Pages`] that no code uses, made by [`Pages::unused`].
struct Unused<'r>(Pages<'r>);

impl<'r> Unused<'r> {
    fn each(
        &self,
        mut act: impl FnMut(UnusedPages<'r>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        // SAFETY: `place` is a part of the pages, and those are unused, as the maker of `self` has promised.
        self.0.each(|place| act(unsafe { place.unused() }))
    }

    fn decommit(&self) -> Result<(), Refusal> {
        let mut is_first = true;
        self.each(|place| {
            let decommitted = place.decommit();
            if mem::take(&mut is_first) {
                return decommitted;
            }
            // The first place is decommitted, which cannot be undone. If a later one is refused, it stays charged, but
            // not resident. If this is refused, too, it keeps its memory.
            if decommitted.is_err() {
                let _ = place.discard();
            }
            Ok(())
        })?;
        self.0.reservation.advise_again(self.0);
        self.0.reservation.show_name_again(self.0);
        Ok(())
    }

    fn discard(&self) -> Result<(), Refusal> {
        self.0.commit()?;
        self.each(UnusedPages::discard)
    }
}

impl Reservation {
    /// Reserves `bytes` bytes of addresses, rounded up to whole pages.
    ///
    /// # Errors
    ///
    /// [`AddressSpace`](ErrorKind::AddressSpace), [`AddressLimit`](ErrorKind::AddressLimit) or
    /// [`MappingLimit`](ErrorKind::MappingLimit) if the system has no such range,
    /// [`CapacityOverflow`](ErrorKind::CapacityOverflow) for more than `isize::MAX` bytes.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn new(bytes: usize) -> Result<Self, Error> {
        Self::builder().bytes(bytes).reserve()
    }

    /// Returns a builder, which sets size, alignment and huge pages.
    pub const fn builder() -> ReservationBuilder {
        ReservationBuilder::USUAL
    }

    /// Returns the first byte of the range.
    ///
    /// The pointer is valid for each committed byte, for as long as the `Reservation` lives. It is never null, and
    /// aligned to a page and as requested.
    pub const fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The first byte of the range, as a non-null pointer.
    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Returns the size of the range in bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// assert_eq!(Reservation::new(1 << 30)?.reserved_bytes(), 1 << 30);
    /// assert_eq!(Reservation::new(1)?.reserved_bytes(), page_size());
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub const fn reserved_bytes(&self) -> usize {
        self.bytes.get()
    }

    /// Returns how many bytes are committed according to the system.
    ///
    /// This reads the list of all mappings of the process: for diagnostics, not for hot paths.
    ///
    /// # Errors
    ///
    /// [`System`](ErrorKind::System) if the system does not provide the number, for example without `/proc`.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// let range = Reservation::new(1 << 30)?;
    /// range.commit(..4 * page_size())?;
    /// assert_eq!(range.committed_bytes()?, 4 * page_size());
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn committed_bytes(&self) -> Result<usize, Error> {
        self.owned().pages(self.front_bytes(), self.span()).committed_bytes()
    }

    /// Returns how many bytes are resident according to the system.
    ///
    /// Linear in the committed pages: for diagnostics, not for hot paths.
    ///
    /// # Errors
    ///
    /// As for [`committed_bytes`](Self::committed_bytes).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// let range = Reservation::new(1 << 30)?;
    /// range.prefault(..4 * page_size())?;
    /// if let Ok(bytes) = range.resident_bytes() {
    ///     assert!(bytes >= 4 * page_size());
    /// }
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn resident_bytes(&self) -> Result<usize, Error> {
        self.owned().pages(self.front_bytes(), self.span()).resident_bytes()
    }

    /// Makes pages readable and writable, and reserves memory for them in the system's accounting.
    ///
    /// Pages that were not committed read as zero; the others keep their contents. Memory is allocated only when a page
    /// is first touched, with a page fault for each, or by [`prefault`](Self::prefault).
    ///
    /// # Errors
    ///
    /// [`Memory`](ErrorKind::Memory), [`DataLimit`](ErrorKind::DataLimit) or [`MappingLimit`](ErrorKind::MappingLimit)
    /// if the system refuses. The contents of the pages are unchanged, but some of the range may be committed now: the
    /// system takes its parts one by one if some were committed before, or have [huge pages](HugePages).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// let range = Reservation::new(1 << 30)?;
    /// range.commit(..page_size())?;
    /// // SAFETY: the page is committed, and not shared.
    /// unsafe { range.as_ptr().write(7) };
    /// range.commit(..2 * page_size())?;
    /// // SAFETY: as above.
    /// assert_eq!(unsafe { range.as_ptr().read() }, 7);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn commit(&self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        Ok(self.pages(range)?.commit()?)
    }

    /// The columns that the range is divided into.
    pub(crate) const fn columns(&self) -> Option<ColumnLayouts> {
        self.columns
    }

    /// Returns the start of a column; without columns, the start of the range.
    pub(crate) fn column_start(&self, number: usize) -> NonNull<u8> {
        self.at(self.stripes().map_or(0, |stripes| stripes.start(number)))
    }

    /// Returns a pointer to the byte at `offset`, which is at most the size of the range.
    #[inline]
    pub(crate) fn at(&self, offset: usize) -> NonNull<u8> {
        self.mapping.at(self.front_bytes() + offset)
    }

    fn stripes(&self) -> Option<Stripes> {
        let huge = self.huge_from.zip(self.huge_pages.page_bytes());
        let huge = huge.map(|(from, bytes)| Huge { from, bytes });
        let stripes = Stripes::new(self.columns?, self.bytes, os::page_size(), huge);
        Some(stripes.expect("the builder has checked that they fit"))
    }

    /// The size of the usable range in bytes.
    fn span(&self) -> PageBytes {
        self.stripes().map_or(self.bytes, Stripes::span)
    }

    /// Returns the memory of pages to the system, with its charge. The contents are lost, and the pages must not be
    /// accessed until they are committed again. They are no longer [locked](Self::lock); after `mlockall` with
    /// `MCL_FUTURE` the system locks them again when they are committed.
    ///
    /// # Errors
    ///
    /// [`MappingLimit`](ErrorKind::MappingLimit) if the process has too many separate mappings. Nothing has changed
    /// then.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// let mut range = Reservation::new(1 << 30)?;
    /// range.commit(..4 * page_size())?;
    /// range.decommit(page_size()..4 * page_size())?;
    /// assert_eq!(range.committed_bytes()?, page_size());
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn decommit(&mut self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        Ok(self.unused(range)?.decommit()?)
    }

    /// [`decommit`](Self::decommit) for a shared reservation.
    ///
    /// # Safety
    ///
    /// - The pages are not in use, and no code relies on their contents or on their being committed.
    pub(crate) unsafe fn decommit_unused(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Result<(), Error> {
        let pages = self.pages(range)?;
        // SAFETY: the pages are not in use, and afterwards no code relies on their contents or on their being committed, as
        // the caller promises.
        Ok(unsafe { pages.unused() }.decommit()?)
    }

    /// [`decommit`](Self::decommit) without the reason for a refusal. Returns whether it succeeded.
    pub(crate) fn decommit_if_possible(&mut self, range: Range<usize>) -> bool {
        self.unused(range).is_ok_and(|pages| pages.decommit().is_ok())
    }

    /// Counts the reservation as one whose size is a share of the addresses, until it is released.
    pub(crate) fn count_as(&mut self, mut taken: CountedShare) {
        taken.settle(self.span(), column_count(self.columns));
        self.taken = Some(taken);
    }

    /// Whether the reservation has room to grow that is a share of the addresses.
    pub(crate) fn has_room(&self) -> bool {
        self.taken.as_ref().is_some_and(CountedShare::has_room)
    }

    /// What sets the size of the range.
    pub(crate) fn sized_by(&self) -> SizedBy {
        self.taken.as_ref().map_or(SizedBy::Option, CountedShare::sized_by)
    }

    /// Returns the memory of pages to the system and keeps them accessible: their contents are lost, and they read as
    /// zero. On Linux, locked pages stay locked.
    ///
    /// Pages that are not committed are committed first.
    ///
    /// # Errors
    ///
    /// The errors of [`commit`](Self::commit). On systems other than Linux the pages are decommitted and fresh ones
    /// committed, so there the pages are inaccessible if the second step is refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// let mut range = Reservation::new(page_size())?;
    /// range.commit(..)?;
    /// // SAFETY: the page is committed, and not shared.
    /// unsafe { range.as_ptr().write(7) };
    /// range.discard(..)?;
    /// // SAFETY: as above.
    /// assert_eq!(unsafe { range.as_ptr().read() }, 0);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn discard(&mut self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        Ok(self.unused(range)?.discard()?)
    }

    /// [`discard`](Self::discard) for a shared reservation.
    ///
    /// # Safety
    ///
    /// - The pages are not in use, and their contents are not needed.
    pub(crate) unsafe fn discard_unused(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Result<(), Error> {
        let pages = self.pages(range)?;
        // SAFETY: the pages are not in use, and no code relies on what is in them, as the caller promises. They stay
        // committed, unless the system refuses.
        Ok(unsafe { pages.unused() }.discard()?)
    }

    /// Returns the memory of pages before the reservation is dropped. Their contents are lost, and they may be
    /// inaccessible. Returns whether the system did it.
    pub(crate) fn abandon(&mut self, range: Range<usize>) -> bool {
        self.unused(range).is_ok_and(|pages| pages.each(UnusedPages::abandon).is_ok())
    }

    /// Commits pages that are not committed, and makes all of them resident, so that touching them later takes no page
    /// faults. The contents are unchanged.
    ///
    /// Takes about 0.35 ms per MiB in small pages, and 0.1 ms in huge ones, measured on the first machine of
    /// [the figures](crate::guide::figures).
    ///
    /// If the system has no call for this (Linux before 5.14, other systems), each page is touched. On processors other
    /// than x86 and ARM64 that is an atomic addition of zero; there no other thread may read or write the range through
    /// [`as_ptr`](Self::as_ptr) meanwhile, except atomically.
    ///
    /// # Errors
    ///
    /// The errors of [`commit`](Self::commit). Pages that have been made resident before the error stay resident.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::Reservation;
    ///
    /// let range = Reservation::new(1 << 30)?;
    /// range.prefault(..1 << 20)?; // while a level loads
    /// // SAFETY: these pages are committed, and not shared.
    /// unsafe { range.as_ptr().add(500_000).write(7) }; // takes no page fault
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn prefault(&self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        let pages = self.pages(range)?;
        pages.commit()?;
        // SAFETY: "committed": the pages were just committed, and decommitting them takes `&mut self`, or a promise
        // that no code relies on it. (With columns, the places can begin before these pages, see `each_used`. Such
        // reservations are not public, and the crate calls this for none of them.) Where it matters, "no other thread
        // accesses them non-atomically": this method requires that of code that uses `as_ptr`.
        Ok(pages.each_used(|place| unsafe { place.prefault() })?)
    }

    /// [`prefault`](Self::prefault) for committed pages, without changes of mappings.
    ///
    /// # Safety
    ///
    /// - The pages are committed, and with columns all that precede them; they stay committed meanwhile.
    /// - Unless [`os::PREFAULTING_IS_SHARED`], no other thread uses them meanwhile.
    pub(crate) unsafe fn prefault_committed(&self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: the caller makes the same two promises, also of what was committed before the pages, where a place
        // can begin in columns (see `each_used`).
        Ok(self.pages(range)?.each_used(|place| unsafe { place.prefault() })?)
    }

    /// [`prefault_committed`](Self::prefault_committed) by touching the pages, which does not block other threads.
    ///
    /// # Safety
    ///
    /// - The pages are committed, and with columns all that precede them; they stay committed meanwhile.
    /// - Unless [`os::TOUCHING_IS_SHARED`], no other code uses them meanwhile.
    pub(crate) unsafe fn touch_committed(&self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: as for `prefault_committed`.
        Ok(self.pages(range)?.each_used(|place| unsafe { place.touch() })?)
    }

    /// Commits pages that are not committed, and locks all of them in memory until the guard is dropped. The contents
    /// are unchanged.
    ///
    /// Locks do not nest: the first guard to be dropped unlocks its pages.
    ///
    /// # Errors
    ///
    /// The errors of [`commit`](Self::commit), and [`LockLimit`](ErrorKind::LockLimit) if the process may not lock that
    /// much.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// let samples = Reservation::new(page_size())?;
    /// match samples.lock(..) {
    ///     Ok(locked) => assert_eq!(locked.bytes(), page_size()),
    ///     Err(error) => eprintln!("the audio thread may take page faults: {error}"),
    /// }
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn lock(&self, range: impl RangeBounds<usize>) -> Result<Locked<'_>, Error> {
        debug_assert!(self.columns.is_none(), "reservations with columns are private");
        let pages = self.pages(range)?;
        pages.commit()?;
        let pages = pages.contiguous(pages.offset, pages.bytes);
        pages.lock()?;
        Ok(Locked { pages })
    }

    /// The option for huge pages.
    pub(crate) const fn huge_pages(&self) -> HugePages {
        self.huge_pages
    }

    /// Turns the range into one of `new_bytes` bytes, all committed, without copying: the memory of the first `used`
    /// bytes, which are committed, moves to a range that the system chooses, or as much of it as fits. Returns whether
    /// it did; if not, nothing has changed.
    ///
    /// The new range has no guard page, is aligned to a page, and counts as a block without room.
    ///
    /// # Safety
    ///
    /// - Memory of the range is not accessed through its old address again.
    pub(crate) unsafe fn move_if_possible(&mut self, used: usize, new_bytes: usize) -> bool {
        let Ok(bytes) = self.pages(..used).map(|pages| pages.bytes) else { return false };
        let page = os::page_size();
        let Some(new_bytes) = PageBytes::ceil(new_bytes, page) else { return false };
        if self.columns.is_some() {
            return false;
        }
        assert!(self.offer.is_none(), "other threads may own a part");
        let front = PageBytes::exact(self.front_bytes(), page).expect("both are page boundaries");
        self.registration.hide();
        let left = self.mapping.move_if_possible(front, bytes, new_bytes);
        let has_moved = left.is_some();
        if let Some(left) = left {
            left.into_iter().for_each(unreleased::release);
            (self.start, self.bytes) = (self.mapping.start(), new_bytes);
            if let Some(taken) = &mut self.taken {
                taken.lose_room();
            }
        }
        self.registration.set_range(self.start, self.bytes.get());
        has_moved
    }

    /// [`commit`](Self::commit) without the reason for a refusal. Returns whether it succeeded.
    #[inline(never)]
    pub(crate) fn commit_if_possible(&self, range: Range<usize>) -> bool {
        self.pages(range).is_ok_and(|pages| pages.commit().is_ok())
    }

    /// The only range check: every method that takes a range calls this.
    fn pages(&self, range: impl RangeBounds<usize>) -> Result<Pages<'_>, Error> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => {
                before.checked_add(1).ok_or_else(|| self.out_of_bounds(before))?
            }
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => {
                last.checked_add(1).ok_or_else(|| self.out_of_bounds(last))?
            }
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.bytes.get(),
        };
        self.pages_between(start, end)
    }

    #[inline(never)]
    fn pages_between(&self, start: usize, end: usize) -> Result<Pages<'_>, Error> {
        let total = self.bytes.get();
        if start > total || end < start || end - start > total - start {
            return Err(self.out_of_bounds(end));
        }
        let page = os::page_size();
        let whole = |bytes: usize| {
            PageBytes::exact(bytes, page).ok_or_else(|| {
                Error::new(ErrorKind::Alignment, end - start).with_limit(bytes as u64)
            })
        };
        let (offset, end) = (whole(start)?, whole(end)?);
        let bytes = end.checked_sub(offset).expect("compared above");
        Ok(Pages { offset: offset.get(), bytes, reservation: self })
    }

    /// The mapping, of which other threads take no part.
    #[inline]
    fn owned(&self) -> &Mapping {
        assert!(self.offer.is_none(), "other threads may take a part");
        &self.mapping
    }

    /// The size of the padding before the range.
    #[inline]
    fn front_bytes(&self) -> usize {
        self.start.addr().get() - self.mapping.start().addr().get()
    }

    /// Returns pages of an exclusive reservation.
    fn unused(&mut self, range: impl RangeBounds<usize>) -> Result<Unused<'_>, Error> {
        let pages = self.pages(range)?;
        // SAFETY: `&mut self` is borrowed for as long as the result lives, so no other code of this crate accesses the
        // pages. Code that does so through the raw pointer, then or later, is responsible for that.
        Ok(unsafe { pages.unused() })
    }

    /// All pages.
    const fn whole(&self) -> Pages<'_> {
        Pages { offset: 0, bytes: self.bytes, reservation: self }
    }

    #[cold]
    fn out_of_bounds(&self, end: usize) -> Error {
        Error::new(ErrorKind::OutOfBounds, end).with_limit(self.bytes.get() as u64)
    }

    /// Rounds an end of memory to be committed up to whole [runs](Self::run_bytes).
    pub(crate) fn whole_runs(&self, end: usize) -> usize {
        // A power of two: without a division, which takes as long as the rest of a growth.
        let run = self.run_bytes(end);
        ((end + (run - 1)) & !(run - 1)).min(self.bytes.get())
    }

    /// The unit in which memory at `offset` is best committed and decommitted: whole huge pages where those are
    /// requested, since changing a part of one splits it.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        match (self.huge_from, os::huge_page_bytes()) {
            (Some(from), Some(huge)) if offset >= from => huge,
            _ => Self::least_run_bytes(),
        }
    }

    /// The unit in which decommitting is worthwhile without huge pages, or if they are split.
    pub(crate) fn least_run_bytes() -> usize {
        /// Smaller runs save little memory for many calls: decommitting single pages takes three times as long per
        /// page.
        const RUN_BYTES: usize = 64 << 10;
        RUN_BYTES.max(os::page_size().get())
    }
}

impl Drop for Reservation {
    #[inline(never)]
    fn drop(&mut self) {
        self.withdraw();
        self.registration.end();
        unreleased::release(mem::replace(&mut self.mapping, Mapping::NONE));
    }
}

debug_fields! {
    [] Reservation, "Reservation", |range|
    start: range.start, reserved_bytes: range.bytes.get(), huge_pages: range.huge_pages
}
