//! [`Reservation`]: an owned range of addresses.
//!
//! # Why this is sound
//!
//! A `Reservation` is the only owner of its range from `os::reserve` to `os::release`, and every
//! method reaches the system through [`Reservation::pages`], which proves that what it passes on
//! lies inside. No method reads or writes an element: the type hands out a raw pointer, and who
//! dereferences it answers for that. What the methods must not do is pull memory away from under
//! someone who was promised it: those that take access or contents away (`decommit`, `discard`)
//! need `&mut self`, so whoever holds `&Reservation` knows that what is committed stays so.

#![expect(unsafe_code, reason = "calls `os` with the range it owns")]

use crate::error::{Error, ErrorKind, SizedBy};
use crate::os::{self, Refusal};
use crate::page::PageBytes;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Bound, Range, RangeBounds};
use std::ptr::NonNull;

mod advice;
mod builder;
mod rooms;
mod share;
mod stripes;
#[cfg(test)]
mod tests;
mod unreleased;

#[cfg(feature = "file")]
pub(crate) use crate::os::mapping_refused;
pub(crate) use crate::os::{IS_SUPPORTED, MOVES as CAN_MOVE, address_space_bytes};
pub use builder::ReservationBuilder;
pub(crate) use rooms::take_all as take_all_rooms;
#[cfg(test)]
pub(crate) use share::FLOOR_BYTES;
pub(crate) use share::{
    Space, Taken, blocks, default_reservation_bytes, memory_bytes, usual_bytes,
    usual_reservation_bytes, whole_bytes,
};
pub(crate) use stripes::{ColumnLayouts, column_count, layouts};
use stripes::{Huge, Stripes};

/// Whether to ask the system for huge pages.
///
/// A huge page (2 MiB on x86-64) costs one page fault instead of 512, and one entry of the
/// processor's address cache: growing and random access get faster. It also takes all its memory
/// when its first byte is touched. Only Linux has them here, and only where
/// `/sys/kernel/mm/transparent_hugepage/enabled` is `madvise` or `always`; elsewhere all three
/// mean the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HugePages {
    /// From [`HugePages::AUTO_FROM_BYTES`] on, where they are sure to be filled; not for arrays of no stated
    /// maximum while they take seven eighths of the mappings that the process may have.
    #[default]
    Auto,
    /// From the first byte.
    Always,
    /// Not at all, even where the system gives them without being asked.
    Never,
}

impl HugePages {
    /// How far into a reservation [`HugePages::Auto`] leaves pages as they are: 8 MiB, so that
    /// huge pages can waste at most a quarter of what is used.
    pub const AUTO_FROM_BYTES: usize = 8 << 20;

    /// The size of the huge pages to ask for, if any. (With pages of 64 KiB there are huge pages of 512
    /// MiB: those would waste more than [`HugePages::Auto`] may.)
    fn page_bytes(self) -> Option<usize> {
        let most = match self {
            Self::Auto => Self::AUTO_FROM_BYTES / 4,
            Self::Always => usize::MAX,
            Self::Never => 0,
        };
        os::huge_page_bytes().filter(|huge| *huge <= most)
    }

    /// The offset from which huge pages are asked for, if they are.
    fn wanted_from(self) -> Option<usize> {
        match self {
            Self::Auto => Some(Self::AUTO_FROM_BYTES),
            Self::Always => Some(0),
            Self::Never => None,
        }
    }
}

/// The size of a page in bytes: the unit in which memory is committed and given back.
///
/// 4,096 on most systems, 16,384 or 65,536 on some. May enter the kernel the first time.
///
/// # Examples
///
/// ```
/// assert!(stayput::page_size().is_power_of_two());
/// ```
pub fn page_size() -> usize {
    os::page_size().get()
}

/// Whether so much waits to be released, since the system did not take it back, that nobody should make more of it.
pub(crate) fn is_much_unreleased() -> bool {
    const MUCH: usize = 256;
    unreleased::count() > MUCH
}

/// An owned range of addresses, which costs no memory until pages in it are committed.
///
/// The range never moves, whatever is done to it or to the `Reservation` itself, and is released
/// when the `Reservation` is dropped. A guard page that is never accessible follows it.
///
/// Ranges are byte offsets from [`as_ptr`](Self::as_ptr), and must be whole pages inside the
/// reservation; anything else is an [`Error`] of kind [`OutOfBounds`](ErrorKind::OutOfBounds) or
/// [`Alignment`](ErrorKind::Alignment).
///
/// Every method except the getters may enter the kernel.
///
/// Where there is [no virtual memory](crate::guide::the_web) it is a block of the allocator's: of its full size from the
/// beginning on, and nothing in it is inaccessible.
///
/// # Examples
///
/// ```
/// use stayput::{Reservation, page_size};
///
/// # fn main() -> Result<(), stayput::Error> {
/// let mut range = Reservation::new(1 << 30)?; // a GiB of addresses, no memory
/// range.commit(..4 * page_size())?;
///
/// let first = range.as_ptr();
/// // SAFETY: the first pages are committed, so they are readable, writable and zero; nobody
/// // else uses them.
/// unsafe {
///     assert_eq!(first.read(), 0);
///     first.write(7);
/// }
///
/// range.decommit(..4 * page_size())?; // memory and charge are back with the system
/// assert_eq!(range.committed_bytes()?, 0);
/// # Ok(())
/// # }
/// ```
pub struct Reservation {
    /// Where the usable range starts, aligned as asked.
    start: NonNull<u8>,
    /// The size of the usable range; of what rows have of it, where it is dealt out to columns.
    bytes: PageBytes,
    /// To which, if it is. Then its size never changes.
    columns: Option<ColumnLayouts>,
    /// What the system gave: the usable range, the slack that aligned it, and the guard.
    mapping_start: NonNull<u8>,
    mapping_bytes: PageBytes,
    huge_from: Option<usize>,
    huge_pages: HugePages,
    /// Whether the system has been told about huge pages.
    is_advised: bool,
    /// Where its size was guessed: what it counts for.
    taken: Option<Taken>,
    /// Where what is behind it is offered to others.
    offer: Option<u16>,
}

// SAFETY: a `Reservation` owns its range, and no part of it is tied to a thread.
unsafe impl Send for Reservation {}
// SAFETY: through `&self` only getters and calls to the system can be made; the system serialises
// those, and none of them takes access or contents away.
unsafe impl Sync for Reservation {}

/// Whole pages of a reservation: made by [`Reservation::pages`], which checks the range, and for
/// the whole of one. Where it is dealt out to columns, they are a [`Place`] in each.
#[derive(Clone, Copy)]
struct Pages<'r> {
    offset: usize,
    bytes: PageBytes,
    reservation: &'r Reservation,
}

/// Pages that lie side by side in a reservation: made by [`Pages::each`], and for the whole of one.
struct Place<'r> {
    /// Where what the system gave begins.
    of: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
    reservation: PhantomData<&'r Reservation>,
}

impl<'r> Pages<'r> {
    /// What is done to them, where they lie; in one place after the other, until it is refused in one.
    #[inline]
    fn each<E>(self, mut act: impl FnMut(&Place<'r>) -> Result<(), E>) -> Result<(), E> {
        match self.reservation.columns {
            None => act(&self.place(self.offset, self.bytes)),
            Some(_) => self.each_in_columns(self.reservation.stripes(), &mut act),
        }
    }

    /// The same, but in columns of pages of the usual size only those that the bytes come to: what is in memory,
    /// or is to be, is not all of a huge page that was committed for them.
    #[inline]
    fn each_used<E>(self, mut act: impl FnMut(&Place<'r>) -> Result<(), E>) -> Result<(), E> {
        if self.reservation.columns.is_none() {
            return act(&self.place(self.offset, self.bytes));
        }
        let stripes = self.reservation.stripes().map(Stripes::without_huge);
        self.each_in_columns(stripes, &mut act)
    }

    #[cold]
    #[inline(never)]
    fn each_in_columns<E>(
        self,
        stripes: Option<Stripes>,
        act: &mut dyn FnMut(&Place<'r>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = self.offset..self.offset + self.bytes.get();
        stripes.into_iter().flat_map(|stripes| stripes.places(bytes.clone())).try_for_each(
            |place| {
                let bytes = PageBytes::exact(place.len(), os::page_size()).expect("whole pages");
                act(&self.place(place.start, bytes))
            },
        )
    }

    /// So many bytes from an offset on, which are inside the reservation.
    fn place(self, offset: usize, bytes: PageBytes) -> Place<'r> {
        debug_assert!(offset + bytes.get() <= self.reservation.span().get());
        // SAFETY: inside the range that begins at `start`, or one past its end.
        let start = unsafe { self.reservation.start.add(offset) };
        Place { of: self.reservation.mapping_start, start, bytes, reservation: PhantomData }
    }

    #[inline(never)]
    fn commit(self) -> Result<(), Refusal> {
        self.each(Place::commit)
    }
}

impl Place<'_> {
    fn commit(&self) -> Result<(), Refusal> {
        // SAFETY: the pages lie inside a reservation, which is borrowed.
        unsafe { os::commit(self.of, self.start, self.bytes) }
    }

    fn prefault(&self) -> Result<(), Refusal> {
        // SAFETY: the pages lie inside a reservation, which is borrowed. `Reservation::prefault` asks
        // of those who write by raw pointers what `os` asks, and callers in this crate keep to it.
        unsafe { os::prefault(self.start, self.bytes) }
    }
}

impl Reservation {
    /// Reserves `bytes` of addresses, rounded up to whole pages.
    ///
    /// # Errors
    ///
    /// [`AddressSpace`](ErrorKind::AddressSpace), [`AddressLimit`](ErrorKind::AddressLimit) or
    /// [`MappingLimit`](ErrorKind::MappingLimit) if the system has no such range to give,
    /// [`CapacityOverflow`](ErrorKind::CapacityOverflow) for more than `isize::MAX` bytes.
    pub fn new(bytes: usize) -> Result<Self, Error> {
        Self::builder().bytes(bytes).reserve()
    }

    /// Options: size, alignment, huge pages.
    pub const fn builder() -> ReservationBuilder {
        ReservationBuilder::USUAL
    }

    /// The first byte of the range.
    ///
    /// The pointer stays good for as long as the `Reservation` lives, and may be used for any
    /// byte that is committed. Never null, and aligned to the page and to what was asked for.
    pub const fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// The first byte of the range, for those who want to keep the proof that it is not null.
    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// The size of the range in bytes.
    pub const fn reserved_bytes(&self) -> usize {
        self.bytes.get()
    }

    /// How many bytes are committed, as the system tells it.
    ///
    /// This asks the system for every mapping of the process: for looking, not for a hot path.
    ///
    /// # Errors
    ///
    /// [`System`](ErrorKind::System) if the system does not tell (no `/proc`, for example).
    pub fn committed_bytes(&self) -> Result<usize, Error> {
        // SAFETY: all of the range that `self` owns.
        unsafe { os::committed_bytes(self.mapping_start, self.start, self.span()) }
    }

    /// How many bytes are in memory now, as the system tells it.
    ///
    /// Linear in the committed pages: for looking, not for a hot path.
    ///
    /// # Errors
    ///
    /// As for [`committed_bytes`](Self::committed_bytes).
    pub fn resident_bytes(&self) -> Result<usize, Error> {
        // SAFETY: all of the range that `self` owns.
        unsafe { os::resident_bytes(self.mapping_start, self.start, self.span()) }
    }

    /// How many bytes are in memory now; none, if the system does not tell.
    pub(crate) fn resident_within(&self, range: Range<usize>) -> usize {
        let Ok(pages) = self.pages(range) else { return 0 };
        let bytes = pages.bytes.get();
        let mut sum = 0;
        let Ok(()) = pages.each_used(|place| {
            sum += os::resident_bytes_within(place.start, place.bytes).unwrap_or(0);
            Ok::<_, Infallible>(())
        });
        // The pages of columns are more than the bytes that lie there.
        sum.min(bytes)
    }

    /// Makes pages readable and writable, and has the system promise memory for them.
    ///
    /// Pages that were not committed read as zero. Pages that were keep what they hold. Memory is
    /// taken only when a page is first touched, a page fault each, or by
    /// [`prefault`](Self::prefault).
    ///
    /// # Errors
    ///
    /// [`Memory`](ErrorKind::Memory), [`DataLimit`](ErrorKind::DataLimit) or
    /// [`MappingLimit`](ErrorKind::MappingLimit) if the system refuses. The pages hold what they
    /// held then; where some of the range was committed before, more of it may be now.
    pub fn commit(&self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        Ok(self.pages(range)?.commit()?)
    }

    /// To which columns it is dealt out, if it is.
    pub(crate) const fn columns(&self) -> Option<ColumnLayouts> {
        self.columns
    }

    /// Where a column starts, if it is dealt out to columns.
    pub(crate) fn column_start(&self, number: usize) -> NonNull<u8> {
        let offset = self.stripes().map_or(0, |stripes| stripes.start(number));
        // SAFETY: a column starts within the range.
        unsafe { self.start.add(offset) }
    }

    fn stripes(&self) -> Option<Stripes> {
        let huge = self.huge_from.zip(self.huge_pages.page_bytes());
        let huge = huge.map(|(from, bytes)| Huge { from, bytes });
        let stripes = Stripes::new(self.columns?, self.bytes, os::page_size(), huge);
        Some(stripes.expect("there were addresses for them"))
    }

    /// How many bytes of addresses it has for use.
    fn span(&self) -> PageBytes {
        self.stripes().map_or(self.bytes, Stripes::span)
    }

    /// Hands the memory of pages back to the system, and the promise of it; what they held is
    /// gone, and touching them is an access violation until they are committed again. They are no longer
    /// [locked](Self::lock) then; after `mlockall` with `MCL_FUTURE` the system locks them again when they are
    /// committed.
    ///
    /// # Errors
    ///
    /// [`MappingLimit`](ErrorKind::MappingLimit) if the process has too many separate ranges;
    /// nothing has changed then.
    pub fn decommit(&mut self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        // SAFETY: `&mut self` says that nobody shares the range. Whoever uses memory in it does so by
        // a raw pointer and answers for it.
        unsafe { self.decommit_unused(range) }
    }

    /// [`decommit`](Self::decommit), where others share the reservation.
    ///
    /// # Safety
    ///
    /// - Nobody uses the pages, or counts on it that they are committed.
    pub(crate) unsafe fn decommit_unused(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Result<(), Error> {
        let pages = self.pages(range)?;
        // SAFETY: the caller's promise is the same.
        Ok(unsafe { self.decommit_pages(pages) }?)
    }

    /// [`decommit`](Self::decommit), for those who need no reason where it is refused. Whether it was
    /// not.
    pub(crate) fn decommit_if_possible(&mut self, range: Range<usize>) -> bool {
        // SAFETY: as for `decommit`.
        self.pages(range).is_ok_and(|pages| unsafe { self.decommit_pages(pages) }.is_ok())
    }

    /// # Safety
    ///
    /// - As for [`decommit_unused`](Self::decommit_unused).
    unsafe fn decommit_pages(&self, pages: Pages<'_>) -> Result<(), Refusal> {
        let mut is_first = true;
        pages.each(|place| {
            // SAFETY: `place` lies inside the range that `self` owns, and is not used by the caller's
            // promise.
            let decommitted = unsafe { os::decommit(place.of, place.start, place.bytes) };
            if mem::take(&mut is_first) {
                return decommitted;
            }
            // Once some are gone there is no way back. What is refused then stays charged, but not in memory.
            if decommitted.is_err() {
                // SAFETY: the same; so it is still committed. If that is refused too, it stays there.
                let _ = unsafe { os::discard(place.start, place.bytes) };
            }
            Ok(())
        })?;
        self.advise_again(pages);
        Ok(())
    }

    /// Gives up the addresses behind the first `keep` bytes, if the system can release a part.
    pub(crate) fn give_up_behind(&mut self, keep: usize) {
        // What is behind the end of rows is not the end of each column.
        let (Ok(pages), None) = (self.pages(keep..), self.columns) else { return };
        let start = pages.place(keep, pages.bytes).start;
        let to_mapping_end = self.mapping_end() - start.addr().get();
        let behind = PageBytes::exact(to_mapping_end, os::page_size()).expect("whole pages");
        if behind == PageBytes::ZERO || !os::RELEASES_PARTS {
            return;
        }
        // SAFETY: the end of the mapping, which is not used: whoever has memory there has borrowed `self`,
        // or answers for it.
        if unsafe { os::release(start, behind) } {
            self.bytes = PageBytes::exact(keep, os::page_size()).expect("checked by `pages`");
            self.mapping_bytes =
                self.mapping_bytes.checked_sub(behind).expect("a part of the mapping");
        }
    }

    /// Has it counted among those whose size was guessed, until it is released.
    pub(crate) fn count_as(&mut self, mut taken: Taken) {
        taken.settle(self.span(), column_count(self.columns));
        self.taken = Some(taken);
    }

    /// Whether it was given room to grow by guess, and has it yet.
    pub(crate) fn has_room(&self) -> bool {
        self.taken.as_ref().is_some_and(Taken::has_room)
    }

    /// What sets its size.
    pub(crate) fn sized_by(&self) -> SizedBy {
        self.taken.as_ref().map_or(SizedBy::Option, Taken::sized_by)
    }

    /// Has it counted among them no more.
    pub(crate) fn uncount(&mut self) {
        self.taken = None;
    }

    fn mapping_end(&self) -> usize {
        self.mapping_start.addr().get() + self.mapping_bytes.get()
    }

    /// Hands the memory of committed pages back to the system, and keeps them accessible: what
    /// they held is gone, and they read as zero. Locked pages stay locked.
    ///
    /// Pages that are not committed are committed first.
    ///
    /// # Errors
    ///
    /// As for [`commit`](Self::commit). On Windows, which can only take pages away and commit
    /// fresh ones, the pages are inaccessible if the second step is refused.
    pub fn discard(&mut self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        // SAFETY: as for `decommit`.
        unsafe { self.discard_unused(range) }
    }

    /// [`discard`](Self::discard), where others share the reservation.
    ///
    /// # Safety
    ///
    /// - Nobody uses the pages, or counts on it that they keep what they hold.
    pub(crate) unsafe fn discard_unused(
        &self,
        range: impl RangeBounds<usize>,
    ) -> Result<(), Error> {
        let pages = self.pages(range)?;
        Ok(pages.each(|place| {
            place.commit()?;
            // SAFETY: `place` lies inside the range that `self` owns, was just committed, and is not used
            // by the caller's promise.
            unsafe { os::discard(place.start, place.bytes) }
        })?)
    }

    /// Hands the memory of pages back, before the whole is released. What they hold then, and
    /// whether they are accessible, is not said. Whether the system did it.
    pub(crate) fn abandon(&mut self, range: Range<usize>) -> bool {
        // SAFETY: as for `decommit`.
        let abandon = |place: &Place<'_>| unsafe { os::abandon(place.start, place.bytes) };
        self.pages(range).is_ok_and(|pages| pages.each(abandon).is_ok())
    }

    /// Commits pages where they are not, and makes all of them resident now, so that touching
    /// them later takes no page fault. What they hold stays.
    ///
    /// Linear in the pages: about 0.5 ms a MiB in small pages, 0.15 in huge ones, measured on the
    /// machine that the README names.
    ///
    /// Where the system has no call for it (Linux before 5.14, other systems), each page is
    /// touched. On processors other than x86 and ARM64 that is an atomic addition of zero, so
    /// there whoever writes to the range by [`as_ptr`](Self::as_ptr) must not do so on another
    /// thread meanwhile.
    ///
    /// # Errors
    ///
    /// As for [`commit`](Self::commit). Pages that were made resident before stay so.
    pub fn prefault(&self, range: impl RangeBounds<usize>) -> Result<(), Error> {
        let pages = self.pages(range)?;
        pages.commit()?;
        Ok(pages.each_used(Place::prefault)?)
    }

    /// [`prefault`](Self::prefault) for pages that are committed: changes no mapping.
    pub(crate) fn prefault_committed(&self, range: Range<usize>) -> Result<(), Error> {
        Ok(self.pages(range)?.each_used(Place::prefault)?)
    }

    /// The same in a way that others hardly notice.
    ///
    /// # Safety
    ///
    /// - The pages are committed, and stay so meanwhile.
    /// - Unless [`os::TOUCHING_IS_SHARED`], nobody else uses them meanwhile.
    pub(crate) unsafe fn touch_committed(&self, range: Range<usize>) -> Result<(), Error> {
        self.pages(range)?.each_used(|place| {
            // SAFETY: inside the range that `self` owns; the rest is the caller's promise.
            unsafe { os::touch(place.start, place.bytes) }
        })
    }

    /// Commits pages where they are not, and keeps them in memory, so that they are never paged
    /// out, until the guard is dropped. What they hold stays.
    ///
    /// Locks do not nest: the first guard to be dropped unlocks its pages.
    ///
    /// # Errors
    ///
    /// As for [`commit`](Self::commit), and [`LockLimit`](ErrorKind::LockLimit) if the process
    /// may not lock that much.
    pub fn lock(&self, range: impl RangeBounds<usize>) -> Result<Locked<'_>, Error> {
        debug_assert!(self.columns.is_none(), "nobody is given one with columns");
        let pages = self.pages(range)?;
        pages.commit()?;
        let Place { start, bytes, reservation, .. } = pages.place(pages.offset, pages.bytes);
        os::lock(start, bytes)?;
        Ok(Locked { start, bytes, reservation })
    }

    /// What was said about huge pages.
    pub(crate) const fn huge_pages(&self) -> HugePages {
        self.huge_pages
    }

    /// Makes it a range of `new_bytes`, all committed, without copying: the memory of the first
    /// `used` bytes, which are committed, moves to a place that the system finds, or as much of it as
    /// there is to be. Whether it did; if not, nothing has changed.
    ///
    /// There is no guard page behind it then, it is aligned to a page, and counted as a block without room.
    ///
    /// # Safety
    ///
    /// - Nothing uses memory of the range by its old address again, if it did.
    pub(crate) unsafe fn move_if_possible(&mut self, used: usize, new_bytes: usize) -> bool {
        let Ok(pages) = self.pages(..used) else { return false };
        let page = os::page_size();
        let Some(new_bytes) = PageBytes::ceil(new_bytes, page) else { return false };
        if pages.bytes == PageBytes::ZERO || new_bytes == PageBytes::ZERO || self.columns.is_some()
        {
            return false;
        }
        let old_bytes = pages.bytes;
        let pages = pages.place(0, old_bytes);
        // SAFETY: `pages` lies inside the range that `self` owns, and is committed and not used by its
        // old address by the caller's promise.
        let moved = unsafe { os::move_if_possible(pages.start, old_bytes, new_bytes) };
        let Some(moved) = moved else { return false };

        // What is left of the old mapping lies before and behind a hole, which is not ours any more.
        let before = self.start.addr().get() - self.mapping_start.addr().get();
        let before = PageBytes::exact(before, page).expect("both are page boundaries");
        if before != PageBytes::ZERO {
            // SAFETY: the side before the hole.
            unsafe { unreleased::release(self.mapping_start, before) };
        }
        // If it has stayed where it was, then the hole is what it has grown over.
        let gone = if moved == self.start { old_bytes.max(new_bytes) } else { old_bytes };
        let gone_to = before.checked_add(gone).expect("inside the addresses");
        if let Some(behind) = self.mapping_bytes.checked_sub(gone_to) {
            // SAFETY: inside the mapping, which is larger than `gone_to`.
            let start = unsafe { self.mapping_start.add(gone_to.get()) };
            if behind != PageBytes::ZERO {
                // SAFETY: the side behind the hole.
                unsafe { unreleased::release(start, behind) };
            }
        }
        (self.start, self.bytes) = (moved, new_bytes);
        (self.mapping_start, self.mapping_bytes) = (moved, new_bytes);
        if let Some(taken) = &mut self.taken {
            taken.lose_room();
        }
        true
    }

    /// [`commit`](Self::commit), for those who will ask for less where it is refused. Whether it
    /// was not.
    #[inline(never)]
    pub(crate) fn commit_if_possible(&self, range: Range<usize>) -> bool {
        self.pages(range).is_ok_and(|pages| pages.commit().is_ok())
    }

    /// The one range check: every method that takes a range goes through here.
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
        debug_assert!(self.offer.is_none(), "others may have a part");
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

    /// All of it.
    const fn whole(&self) -> Pages<'_> {
        Pages { offset: 0, bytes: self.bytes, reservation: self }
    }

    #[cold]
    fn out_of_bounds(&self, end: usize) -> Error {
        Error::new(ErrorKind::OutOfBounds, end).with_limit(self.bytes.get() as u64)
    }

    /// An end of memory to be committed, rounded up to whole [runs](Self::run_bytes).
    pub(crate) fn whole_runs(&self, end: usize) -> usize {
        end.next_multiple_of(self.run_bytes(end)).min(self.bytes.get())
    }

    /// In what units memory at `offset` is best committed and given back: whole huge pages where
    /// they are asked for, since changing a part of one splits it.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        match (self.huge_from, os::huge_page_bytes()) {
            (Some(from), Some(huge)) if offset >= from => huge,
            _ => Self::least_run_bytes(),
        }
    }

    /// In what units memory is best given back where there are no huge pages, or where they are split.
    pub(crate) fn least_run_bytes() -> usize {
        /// Smaller runs cost more calls than they save memory: giving back single pages costs
        /// three times as much a page as runs of this size.
        const RUN_BYTES: usize = 64 << 10;
        RUN_BYTES.max(os::page_size().get())
    }
}

impl Drop for Reservation {
    #[inline(never)]
    fn drop(&mut self) {
        self.withdraw();
        // SAFETY: exactly what the system gave, and others have not taken, and `self`, the only owner, ends here.
        unsafe { unreleased::release(self.mapping_start, self.mapping_bytes) }
    }
}

debug_fields! {
    [] Reservation, "Reservation", |range|
    start: range.start, reserved_bytes: range.bytes.get(), huge_pages: range.huge_pages
}

/// Pages that are kept in memory, made by [`Reservation::lock`].
///
/// Forgetting it is safe: the pages stay locked until they are decommitted or the reservation is released.
#[must_use = "the pages are unlocked when this is dropped"]
pub struct Locked<'r> {
    start: NonNull<u8>,
    bytes: PageBytes,
    reservation: PhantomData<&'r Reservation>,
}

// SAFETY: unlocking is a call to the system, the same from every thread.
unsafe impl Send for Locked<'_> {}
// SAFETY: nothing but a count can be had through `&Locked`.
unsafe impl Sync for Locked<'_> {}

impl Locked<'_> {
    /// How many bytes are locked.
    pub const fn bytes(&self) -> usize {
        self.bytes.get()
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: the pages lie in the reservation that `self` borrows.
        unsafe { os::unlock(self.start, self.bytes) }
    }
}

debug_fields!([] Locked<'_>, "Locked", |pages| bytes: pages.bytes());
