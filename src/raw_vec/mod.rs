//! [`RawVec`]: growth over a [`Reservation`], for elements of any layout.
//!
//! There is no `T` here, no length and no drop: the code compiles once, and no user code can run
//! in it. The typed front, `VmVec`, keeps the length and passes the layout of its elements to
//! every call, always the same one.
//!
//! # What holds between calls
//!
//! - `start` never changes once there is a reservation. Before that it dangles, aligned for an
//!   element.
//! - The first `committed` bytes of the reservation are committed, and were so ever since they
//!   were handed out. What lies behind them is not committed, so it will read as zero when it is.
//! - `capacity` elements fit into `committed` bytes, and `capacity <= max_len`.

mod policy;
#[cfg(test)]
mod tests;

pub use policy::Growth;
pub(crate) use policy::{Amount, Options};

use crate::error::{Error, ErrorKind};
use crate::page::PageBytes;
use crate::reservation::{Reservation, page_size};
use std::alloc::Layout;
use std::ops::Range;
use std::ptr::NonNull;

/// Memory for an array that grows in place.
#[derive(Debug)]
pub(crate) struct RawVec {
    start: NonNull<u8>,
    capacity: usize,
    committed: PageBytes,
    /// How far the next growth reaches at least; see [`policy`].
    step: policy::Step,
    options: Options,
    reservation: Option<Reservation>,
}

// `NonNull` takes these away, for it may be shared; this one is not.
#[expect(unsafe_code, reason = "vouches for the pointer")]
// SAFETY: `start` points into `reservation`, which `self` owns, or nowhere. The elements are the
// concern of the owner, who says by a `PhantomData` what they are.
unsafe impl Send for RawVec {}
#[expect(unsafe_code, reason = "vouches for the pointer")]
// SAFETY: `&self` gives nothing but copies of fields and of what the system says.
unsafe impl Sync for RawVec {}

impl RawVec {
    /// An array that reserves nothing until it grows.
    ///
    /// `dangling` is what `start` is to be until then: aligned for an element.
    pub(crate) const fn new(dangling: NonNull<u8>, element: Layout, options: Options) -> Self {
        Self {
            start: dangling,
            capacity: options.capacity(element, 0),
            committed: PageBytes::ZERO,
            step: policy::Step::FIRST,
            options,
            reservation: None,
        }
    }

    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    pub(crate) const fn options(&self) -> Options {
        self.options
    }

    /// How many bytes are committed; 0 for elements of size zero.
    pub(crate) const fn committed_bytes(&self) -> usize {
        self.committed.get()
    }

    pub(crate) const fn reserved_bytes(&self) -> usize {
        match &self.reservation {
            Some(reservation) => reservation.reserved_bytes(),
            None => 0,
        }
    }

    pub(crate) fn resident_bytes(&self) -> Result<usize, Error> {
        match &self.reservation {
            Some(reservation) => reservation.resident_bytes(),
            None => Ok(0),
        }
    }

    /// What the array can ever hold: as asked, or else as much as is, or would be, reserved.
    pub(crate) fn max_len(&self, element: Layout) -> usize {
        if let Some(max_len) = self.options.max_len {
            return max_len.min(self.options.bound);
        }
        let bytes = match &self.reservation {
            Some(reservation) => reservation.reserved_bytes(),
            None => policy::default_reservation_bytes(element.size()),
        };
        bytes.checked_div(element.size()).unwrap_or(usize::MAX).min(self.options.bound)
    }

    /// Makes the reservation, if there is none yet, with room for `len` elements.
    ///
    /// If the options name no maximum, its size is a guess, and is halved until the system gives
    /// it, down to what `len` elements need or [`policy::FLOOR_BYTES`].
    pub(crate) fn reserve_addresses(&mut self, element: Layout, len: usize) -> Result<(), Error> {
        if element.size() == 0 || self.reservation.is_some() {
            return Ok(());
        }
        let builder =
            Reservation::builder().align(element.align()).huge_pages(self.options.huge_pages);
        let reservation = if let Some(max_len) = self.options.max_len {
            builder.bytes(bytes_of(element, max_len)?).reserve()?
        } else {
            let least = bytes_of(element, len)?.max(policy::FLOOR_BYTES);
            let mut wished = policy::default_reservation_bytes(element.size())
                .min(element.size().saturating_mul(self.options.bound));
            loop {
                if wished <= least {
                    break builder.bytes(least).reserve()?;
                }
                if let Some(reservation) = builder.bytes(wished).reserve_if_possible() {
                    break reservation;
                }
                wished /= 2;
            }
        };
        self.start = reservation.start();
        self.reservation = Some(reservation);
        Ok(())
    }

    /// Makes room for `additional` elements behind the first `len`.
    ///
    /// Commits more than that, by the growth policy, if it can be had. On failure nothing has
    /// changed.
    #[cold]
    #[inline(never)]
    pub(crate) fn grow(
        &mut self,
        element: Layout,
        len: usize,
        additional: usize,
        amount: Amount,
    ) -> Result<(), Error> {
        let Some(need) = len.checked_add(additional) else {
            return Err(Error::new(ErrorKind::CapacityOverflow, usize::MAX));
        };
        if need <= self.capacity {
            return Ok(());
        }
        if element.size() == 0 || need > self.options.allowed() {
            return Err(self.full(element, need));
        }
        let need_bytes = bytes_of(element, need)?;
        let (before, had_addresses) = (self.start, self.reservation.is_some());
        self.reserve_addresses(element, need)?;
        if need_bytes > self.reserved_bytes() {
            return Err(self.full(element, need));
        }
        let committed = self.commit_to(element, need_bytes, amount);
        if committed.is_err() && !had_addresses {
            // Their number was chosen for what is not to be had.
            self.reservation = None;
            self.start = before;
        }
        committed
    }

    /// Commits at least the first `need_bytes`, which are within the reservation and more than
    /// are committed.
    fn commit_to(
        &mut self,
        element: Layout,
        need_bytes: usize,
        amount: Amount,
    ) -> Result<(), Error> {
        let Some(reservation) = &mut self.reservation else { unreachable!("reserved before") };
        let committed = self.committed.get();
        let needed = round_up(need_bytes, page_size());
        let mut target = needed;
        let mut refused = None;
        if amount == Amount::AtLeast {
            let wished = need_bytes.max(self.step.target(committed, self.options.growth));
            let run = reservation.run_bytes(wished);
            target = round_up(wished, run).min(reservation.reserved_bytes());
            // Near a limit less is to be had than wished for, but it is worth more than a page.
            while target > needed && !reservation.commit_if_possible(committed..target) {
                refused.get_or_insert(target);
                target = needed.max(committed + (target - committed) / 2 / run * run);
            }
            self.step.advance(target - committed, self.options.growth);
        }
        let mut result = Ok(());
        if target == needed {
            result = reservation.commit(committed..needed);
        }
        if result.is_err() {
            refused.get_or_insert(target);
            target = committed;
        }
        if let Some(refused) = refused {
            // A refused call may have committed the first of several mappings: hand that back, so
            // that what is behind `committed` is not charged, and reads as zero when it is. If
            // that is refused too it costs only the charge: nothing was written there.
            let _ = reservation.decommit(target..refused);
        }
        self.set_committed(element, target);
        result
    }

    /// Gives memory behind the first `len` elements back, as far as that is worth a call.
    ///
    /// Memory goes in whole runs, and only if two or more of them are spare: between that and the
    /// smallest step of growth there is room to go up and down without a call.
    pub(crate) fn shrink(&mut self, element: Layout, len: usize) -> Result<(), Error> {
        let Some(keep) = self.shrinks_to_bytes(element, len) else { return Ok(()) };
        self.step = policy::Step::FIRST;
        self.decommit_from(element, keep)
    }

    /// How many bytes [`shrink`](Self::shrink) would leave committed, if it would change that.
    pub(crate) fn shrinks_to_bytes(&self, element: Layout, len: usize) -> Option<usize> {
        let keep = len.min(self.capacity) * element.size();
        let run = self.reservation.as_ref()?.run_bytes(keep);
        let keep = round_up(keep, run);
        (self.committed.get().saturating_sub(keep) >= 2 * run).then_some(keep)
    }

    /// Makes room for `additional` elements behind the first `len`, as [`grow`](Self::grow) does,
    /// and returns the offset in bytes from which on that room is known to be zero.
    ///
    /// Where there is much room that may have been written to, its pages are given back and
    /// committed anew, which touches none of them. If that is refused half-way there is less
    /// capacity than before, but never less than `len`.
    pub(crate) fn grow_zeroed(
        &mut self,
        element: Layout,
        len: usize,
        additional: usize,
    ) -> Result<usize, Error> {
        /// Less is zeroed faster by writing.
        const WORTH_CALLS_BYTES: usize = 64 << 10;
        let need = len.checked_add(additional).filter(|&need| need <= self.max_len(element));
        let fits = need.is_some();
        if fits && additional.saturating_mul(element.size()) >= WORTH_CALLS_BYTES {
            let keep = round_up(len * element.size(), page_size());
            // If it is refused, the pages stay committed, and are known to be zero no more than
            // before: the offset returned below says so.
            let _ = self.decommit_from(element, keep);
        }
        let zero_from = self.committed.get();
        self.grow(element, len, additional, Amount::AtLeast)?;
        Ok(zero_from)
    }

    /// Makes the pages of the elements from `from` to `to` resident; they are within capacity.
    pub(crate) fn prefault(&self, element: Layout, from: usize, to: usize) -> Result<(), Error> {
        let Some(reservation) = &self.reservation else { return Ok(()) };
        let page = page_size();
        let from = from * element.size() / page * page;
        let to = round_up(to.min(self.capacity) * element.size(), page);
        if from >= to {
            return Ok(());
        }
        reservation.prefault(from..to)
    }

    /// Hands the memory of committed pages back; they read as zero then. On an error they hold
    /// what they held, or zeroes.
    pub(crate) fn discard(&mut self, bytes: Range<usize>) -> Result<(), Error> {
        let Some(reservation) = &mut self.reservation else { return Ok(()) };
        let discarded = reservation.discard(bytes.clone());
        if discarded.is_err() && reservation.commit(bytes).is_err() {
            // Windows takes pages away before it gives fresh ones, and another process may have
            // taken the memory in between. There is no going on without pages that are counted
            // as committed. Elsewhere they were never taken away, and this commit is no change.
            std::process::abort();
        }
        discarded
    }

    /// In what units memory at `offset` is best given back.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        self.reservation.as_ref().map_or(1, |reservation| reservation.run_bytes(offset))
    }

    fn decommit_from(&mut self, element: Layout, keep: usize) -> Result<(), Error> {
        let committed = self.committed.get();
        let Some(reservation) = self.reservation.as_mut().filter(|_| keep < committed) else {
            return Ok(());
        };
        reservation.decommit(keep..committed)?;
        self.set_committed(element, keep);
        Ok(())
    }

    fn set_committed(&mut self, element: Layout, bytes: usize) {
        let page = crate::os::page_size();
        self.committed = PageBytes::exact(bytes, page).expect("commits are whole pages");
        self.capacity = self.options.capacity(element, bytes);
    }

    /// From here on the elements are such that `count` of them make up one of those before.
    pub(crate) fn regroup(&mut self, element: Layout, count: usize) {
        self.options.max_len = self.options.max_len.map(|max_len| max_len.saturating_mul(count));
        if self.options.bound < usize::MAX {
            self.options.bound = self.options.bound.saturating_mul(count);
        }
        self.capacity = self.options.capacity(element, self.committed.get());
    }

    #[cold]
    fn full(&self, element: Layout, need: usize) -> Error {
        let bytes = need.saturating_mul(element.size());
        Error::new(ErrorKind::MaxLen, bytes).with_limit(self.max_len(element) as u64)
    }
}

/// The size of `len` elements.
fn bytes_of(element: Layout, len: usize) -> Result<usize, Error> {
    let bytes = element.size().checked_mul(len);
    match bytes.filter(|bytes| isize::try_from(*bytes).is_ok()) {
        Some(bytes) => Ok(bytes),
        None => Err(Error::new(ErrorKind::CapacityOverflow, bytes.unwrap_or(usize::MAX))),
    }
}

/// `bytes`, which is at most `isize::MAX`, rounded up to a multiple of a power of two that is
/// less.
fn round_up(bytes: usize, unit: usize) -> usize {
    debug_assert!(unit.is_power_of_two() && isize::try_from(bytes).is_ok());
    (bytes + (unit - 1)) & !(unit - 1)
}
