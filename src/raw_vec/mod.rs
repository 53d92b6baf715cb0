//! [`RawVec`]: growth of an array over a [`GrowingReservation`], for elements of any layout.
//!
//! This code has no element type, no length and no drop, so it compiles once. The only user code that it runs is that
//! of a [`Backing`], which may unwind, so invariants hold before each such call. The typed front, `VmVec`, keeps the
//! length and passes the layout of its elements, always the same one, to every call.
//!
//! # Invariants between calls
//!
//! - `start` never changes once there is a reservation. Before that it dangles, aligned for an element, or points to a
//!   block of the heap if elements are [`Movable`](Addresses::Movable): then growth moves them, and all usable bytes
//!   keep their contents.
//! - `capacity` elements fit into the usable bytes, and `capacity <= max_len`.
//!
//! The handle holds what `push` reads; the rest is in [`Cold`], out of line.

mod cold;
mod element;
mod options;
#[cfg(test)]
mod tests;

pub(crate) use crate::growing::Amount;
pub(crate) use element::Element;
pub(crate) use options::Options;

use crate::backing::{AnyBacking, Backing};
use crate::error::{Error, ErrorKind, Refused, SizedBy};
use crate::growing::{
    Budget, BudgetMeter, GrowingReservation, MemoryRequest, Prefaulted, round_up,
};
use crate::heap::UninitBox;
use crate::poison::unpoison;
use crate::register::{Label, Place};
use crate::reservation::default_reservation_bytes;
use crate::service::CommitAhead;
use cold::{Cold, Own};
use options::Addresses;
use std::ops::Range;
use std::ptr::{self, NonNull};

/// Memory for an array that grows in place.
#[derive(Debug)]
pub(crate) struct RawVec {
    start: NonNull<u8>,
    capacity: usize,
    cold: Cold,
}

// `NonNull` is neither `Send` nor `Sync`, since it may be shared.
#[expect(unsafe_code, reason = "implements `Send` for the owned pointer")]
// SAFETY: `start` dangles, or points into memory that `self` owns or that is lent to it alone (`VmVec::lent`); the
// other fields are `Send` themselves. Whether the elements are `Send` is up to the owner, which has a `PhantomData` of
// them.
unsafe impl Send for RawVec {}
#[expect(unsafe_code, reason = "implements `Sync` for the owned pointer")]
// SAFETY: through `&self` only copies of `start` are available, not the memory; the other fields are `Sync` themselves.
// Whether the elements are `Sync` is up to the owner, as above.
unsafe impl Sync for RawVec {}

impl RawVec {
    /// Creates an array that reserves and allocates nothing until it grows.
    ///
    /// `start` is `dangling` until then, which must be aligned for an element.
    pub(crate) const fn new(
        dangling: NonNull<u8>,
        element: Element,
        options: &'static Options,
    ) -> Self {
        let capacity = options.capacity(element, 0);
        Self { start: dangling, capacity, cold: Cold::Defaults(options) }
    }

    /// Creates an array in memory that it does not own, and that has room for `capacity` elements. It does not grow.
    #[cfg(feature = "list-pool")]
    pub(crate) const fn lent(start: NonNull<u8>, capacity: usize) -> Self {
        Self { start, capacity, cold: Cold::Defaults(&Options::FULL) }
    }

    /// Creates such an array with options of its own, which are stored on the heap.
    #[inline(never)]
    pub(crate) fn try_new(
        dangling: NonNull<u8>,
        element: Element,
        options: Options,
    ) -> Result<Self, Error> {
        let capacity = options.capacity(element, 0);
        Ok(Self { start: dangling, capacity, cold: Cold::Own(Own::try_new(options)?) })
    }

    /// Creates an array with the options of `self`, which has reserved nothing.
    pub(crate) fn try_fresh(&self, dangling: NonNull<u8>, element: Element) -> Result<Self, Error> {
        match self.cold {
            Cold::Defaults(options) => Ok(Self::new(dangling, element, options)),
            Cold::Own(_) => Self::try_new(dangling, element, self.options()),
        }
    }

    /// Creates an array in memory that the user supplies.
    pub(crate) fn new_in<B: Backing>(
        backing: B,
        element: Element,
        options: Options,
    ) -> Result<Self, Refused<B>> {
        // Only elements in a block of the heap move.
        let options = Options { addresses: Addresses::Stable, ..options };
        let taken = Own::try_new(options).and_then(|own| Ok((own, UninitBox::try_new()?)));
        let (mut own, uninit) = match taken {
            Ok(taken) => taken,
            Err(error) => return Err(Refused { error, value: backing }),
        };
        let backing = AnyBacking::new(backing, element.align())?;
        let (start, capacity) = (backing.start(), options.capacity(element, 0));
        own.memory = Some(GrowingReservation::from_backing(backing, uninit, options.growth));
        Ok(Self { start, capacity, cold: Cold::Own(own) })
    }

    /// Returns the memory that the user has supplied, if it is a `B`. The array must be empty; it has no memory
    /// afterwards.
    pub(crate) fn take_backing<B: Backing>(&mut self, element: Element) -> Option<B> {
        let memory = self.cold.take_memory();
        self.update_capacity(element);
        memory?.into_any_backing()?.into_backing()
    }

    /// Leaks the memory, which is never released then. What is on the heap is freed.
    pub(crate) fn leak(&mut self) {
        if let Some(memory) = self.cold.take_memory() {
            memory.leak();
        }
        self.cold = Cold::Defaults(&Options::FULL);
        self.capacity = 0;
    }

    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(crate) const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the start of a column, if elements are divided into columns and there is memory.
    pub(crate) fn column_start(&self, number: usize) -> Option<NonNull<u8>> {
        self.cold.memory().map(|memory| memory.column_start(number))
    }

    pub(crate) const fn options(&self) -> Options {
        *self.cold.options()
    }

    /// Whether the options are [`Options::FULL`].
    #[inline]
    pub(crate) const fn is_full(&self) -> bool {
        self.cold.is_full()
    }

    /// Returns how many bytes are usable: 0 for elements of size zero.
    pub(crate) fn usable_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::usable_bytes)
    }

    /// Returns how many bytes are committed, including those ahead of use.
    pub(crate) fn committed_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::committed_bytes)
    }

    /// Returns how many bytes past the usable ones are ready.
    pub(crate) fn ahead_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::ahead_bytes)
    }

    /// Returns how many times growth needed more than was ready.
    pub(crate) fn late(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::late)
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::reserved_bytes)
    }

    pub(crate) fn resident_bytes(&self) -> Option<usize> {
        // A block of the heap counts as resident.
        let committed = Some(self.committed_bytes());
        self.settled().map_or(committed, GrowingReservation::resident_bytes)
    }

    /// Returns the memory, if elements no longer move.
    fn settled(&self) -> Option<&GrowingReservation> {
        let starts_in_heap = self.cold.options().starts_in_heap();
        self.cold.memory().filter(|memory| !starts_in_heap || memory.reservation().is_ok())
    }

    /// Returns the largest possible capacity: the maximum that the user set, or the number of elements in the default
    /// reservation; at most what fits into supplied memory.
    #[inline(never)]
    pub(crate) fn max_len(&self, element: Element) -> usize {
        let options = self.cold.options();
        let bytes = match self.settled() {
            Some(memory) => memory.reserved_bytes(),
            None if options.max_len.is_some() => return options.allowed(),
            None => default_reservation_bytes(element.size()),
        };
        options.capacity(element, bytes)
    }

    /// Returns how many of `additional` elements after the first `len` can be stored at most. If that depends on the
    /// system and they are few, it is not asked, and the answer is all of them.
    pub(crate) fn within_max_len(&self, element: Element, len: usize, additional: usize) -> usize {
        const FEW_BYTES: usize = 64 << 10;
        let is_by_system = self.settled().is_none() && self.cold.options().max_len.is_none();
        let bytes = len.saturating_add(additional).saturating_mul(element.size());
        if is_by_system && bytes <= FEW_BYTES {
            return additional;
        }
        additional.min(self.max_len(element) - len)
    }

    /// Makes the reservation for at least `len` elements, if there is none yet. Does nothing if elements start in the
    /// heap: then it is made when they move.
    ///
    /// Without a maximum in the options, its size is a share of the addresses, and at least what `len` elements need.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn reserve_addresses(&mut self, element: Element, len: usize) -> Result<(), Error> {
        let starts_in_heap = self.cold.options().starts_in_heap();
        if element.size() == 0 || self.cold.memory().is_some() || starts_in_heap {
            return Ok(());
        }
        let Own { options, memory } = self.cold.try_own()?;
        reserve(memory, options, element, len)?;
        self.start_at_memory();
        self.serve();
        Ok(())
    }

    /// Allocates larger memory with room for `need` elements, and moves the elements there.
    #[cfg_attr(debug_assertions, track_caller)]
    fn settle(&mut self, element: Element, need: usize, amount: Amount) -> Result<(), Error> {
        let bytes = bytes_of(element, need)?;
        let before = self.start;
        let Own { options, memory } = self.cold.try_own()?;
        let is_first = memory.is_none();
        let mut larger = None;
        let made = if is_first { memory } else { &mut larger };
        match options.make_block().filter(|_| bytes <= MOST_HEAP_BYTES) {
            Some(make_block) => *made = Some(make_block(options, element, bytes, amount)?),
            None => reserve(made, options, element, need)?,
        }
        if let Some(mut larger) = larger {
            larger.grow(bytes, amount)?;
            return self.install(larger);
        }
        // Before the call, so that the address is right if it unwinds.
        self.start_at_memory();
        let grown = self.cold.memory_mut().map_or(Ok(()), |memory| memory.grow(bytes, amount));
        if grown.is_err() {
            drop(self.cold.take_memory());
            self.start = before;
        } else {
            self.serve();
        }
        grown
    }

    /// Sets the address of the elements to that of the memory.
    fn start_at_memory(&mut self) {
        self.start = self.cold.memory().map_or(self.start, GrowingReservation::start);
    }

    /// Replaces the memory by a larger one, and moves the contents.
    #[expect(unsafe_code, reason = "copies bytes of one memory to another")]
    fn install(&mut self, memory: GrowingReservation) -> Result<(), Error> {
        let own = self.cold.try_own()?;
        if let Some(before) = &own.memory {
            let bytes = before.usable_bytes().min(memory.usable_bytes());
            unpoison(before.as_ptr(), bytes);
            // SAFETY: `bytes` bytes are usable in both, so valid for reads and writes. They are two owned memories, so
            // they do not overlap; `&mut self` guarantees exclusive access to the one, and the other is owned here.
            unsafe { ptr::copy_nonoverlapping(before.as_ptr(), memory.as_ptr(), bytes) };
        }
        self.start = memory.start();
        own.memory = Some(memory);
        self.serve();
        Ok(())
    }

    /// Makes the service stay ahead of the array, if the options say so.
    fn serve(&mut self) {
        if let Cold::Own(own) = &mut self.cold {
            let Own { options, memory } = &mut **own;
            if let Some(memory) = memory.as_mut().filter(|_| options.commit_ahead.is_on()) {
                memory.serve(options.commit_ahead);
            }
        }
    }

    /// Keeps the service from beginning to stay ahead of the array once it is [large](CommitAhead::Large).
    pub(crate) fn stay_unserved(&mut self) {
        if let Cold::Own(own) = &mut self.cold {
            if own.options.commit_ahead == CommitAhead::Large {
                own.options.commit_ahead = CommitAhead::Off;
                own.memory.iter_mut().for_each(GrowingReservation::stay_unserved);
            }
        }
    }

    /// Makes room for `additional` elements after the first `len`.
    ///
    /// Commits more than that by the growth policy, if possible. After an error nothing has changed.
    #[cold]
    #[inline(never)]
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn grow(
        &mut self,
        element: Element,
        len: usize,
        additional: usize,
        amount: Amount,
    ) -> Result<(), Error> {
        // First what no array of such elements can hold, then what this one cannot.
        let Options { bound, holder, .. } = *self.cold.options();
        if len.saturating_add(additional) > bound {
            let bytes = len.saturating_add(additional).saturating_mul(element.size());
            return Err(Error::full(SizedBy::Option, bytes, bound).of(holder));
        }
        let Some(need) = len.checked_add(additional) else {
            let error = Error::new(ErrorKind::CapacityOverflow, usize::MAX).of(holder);
            // The number of bytes is irrelevant for elements of size zero.
            let is_sized = element.size() > 0;
            return Err(if is_sized { error } else { error.with_limit(usize::MAX as u64) });
        };
        if need <= self.capacity {
            return Ok(());
        }
        let need_bytes = bytes_of(element, need).map_err(|error| error.of(holder))?;
        if element.size() == 0 || need > self.cold.options().allowed() {
            return Err(self.full(element, need));
        }
        let grown = if self.settled().is_none() {
            self.settle(element, need, amount)
        } else if need_bytes > self.reserved_bytes() {
            return Err(self.full(element, need));
        } else {
            let Some(memory) = self.cold.memory_mut() else {
                unreachable!("settled arrays have memory")
            };
            memory.grow(need_bytes, amount)
        };
        self.update_capacity(element);
        grown.map_err(|error| error.of(holder))
    }

    /// Returns memory past the first `len` elements to the system, within the budget and if it is enough to be worth a
    /// call. Returns whether there is nothing more to return.
    pub(crate) fn shrink(
        &mut self,
        element: Element,
        len: usize,
        meter: &mut BudgetMeter,
    ) -> Result<bool, Error> {
        let keep = len.min(self.capacity) * element.size();
        // Before the call, so that the capacity is right if it unwinds.
        self.capacity = len.min(self.capacity);
        let result = self.cold.memory_mut().map_or(Ok(true), |memory| memory.shrink(keep, meter));
        self.update_capacity(element);
        result
    }

    /// Returns how many bytes [`shrink`](Self::shrink) would leave committed. `None` if it would change nothing.
    pub(crate) fn shrinks_to_bytes(&self, element: Element, len: usize) -> Option<usize> {
        self.cold.memory()?.shrinks_to(len.min(self.capacity) * element.size())
    }

    /// Less is zeroed faster by writing than by committing its pages anew.
    pub(crate) const WORTH_CALLS_BYTES: usize = 64 << 10;

    /// Makes room for `additional` elements after the first `len`, like [`grow`](Self::grow), and returns the offset in
    /// bytes from which on that room is zero.
    ///
    /// If much of the room may have been written to, by this array or a previous one, its pages are decommitted and
    /// committed again, which does not touch them. If this fails half-way, the capacity is lower than before, but at
    /// least `len`.
    pub(crate) fn grow_zeroed(
        &mut self,
        element: Element,
        len: usize,
        additional: usize,
    ) -> Result<usize, Error> {
        let need = len.checked_add(additional).filter(|&need| need <= self.max_len(element));
        let fits = need.is_some();
        let unit = self.cold.memory().map_or(1, GrowingReservation::unit_bytes);
        let keep = round_up(len * element.size(), unit);
        let usable = self.usable_bytes();
        let written = usable.saturating_sub(keep);
        let warm = self.warm_bytes().saturating_sub(usable);
        let wanted = additional.saturating_mul(element.size());
        // If this is refused, the pages stay committed and may not be zero; the offset returned below accounts for
        // that.
        if fits && wanted.min(written) >= Self::WORTH_CALLS_BYTES {
            let _ = self.decommit_from(element, keep);
        } else if fits && wanted.min(warm) >= Self::WORTH_CALLS_BYTES {
            let _ = self.decommit_from(element, usable);
        }
        let (zero_from, is_first) = (self.zero_from(), self.cold.memory().is_none());
        self.grow(element, len, additional, Amount::AtLeast)?;
        if !is_first {
            // After a move, the memory may have been another array's.
            return Ok(zero_from.max(self.warm_bytes()));
        }
        // The memory may have been another array's.
        let warm = self.warm_bytes();
        let had = wanted.min(warm);
        let unit = self.cold.memory().map_or(1, GrowingReservation::unit_bytes);
        let is_given_back =
            had >= Self::WORTH_CALLS_BYTES && self.discard(0..round_up(had, unit)).is_ok();
        Ok(if is_given_back { 0 } else { warm })
    }

    /// Returns the offset from which bytes read as zero when they become usable.
    fn zero_from(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::zero_from)
    }

    /// Up to where memory may hold what other arrays have left.
    pub(crate) fn warm_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::warm_bytes)
    }

    /// Makes the pages of the elements from `from` to `to`, which are within capacity, resident.
    pub(crate) fn prefault(
        &mut self,
        element: Element,
        from: usize,
        to: usize,
    ) -> Result<(), Error> {
        let Some(memory) = self.cold.memory_mut() else { return Ok(()) };
        let unit = memory.unit_bytes();
        let from = from * element.size() / unit * unit;
        let to = round_up(to.min(self.capacity) * element.size(), unit).min(memory.usable_bytes());
        if from >= to {
            return Ok(());
        }
        memory.prefault(from..to)
    }

    /// Makes memory past the first `len` elements resident ahead of its use.
    pub(crate) fn prefault_ahead(
        &mut self,
        element: Element,
        len: usize,
        budget: Budget,
    ) -> Prefaulted {
        let reserved = self.reserve_addresses(element, len);
        let is_settled = self.settled().is_some();
        let Some(memory) = self.cold.memory_mut().filter(|_| is_settled && element.size() > 0)
        else {
            return Prefaulted { bytes: 0, ahead_bytes: 0, refused: reserved.err() };
        };
        let prefaulted = memory.prefault_ahead(len * element.size(), budget);
        self.update_capacity(element);
        prefaulted
    }

    /// Discards committed pages, which read as zero then. After an error each page holds what it held, or zeros.
    pub(crate) fn discard(&mut self, bytes: Range<usize>) -> Result<(), Error> {
        self.cold.memory_mut().map_or(Ok(()), |memory| memory.discard(bytes))
    }

    /// Returns the unit in which decommitting is worthwhile even if it splits huge pages.
    pub(crate) fn least_run_bytes(&self) -> usize {
        self.cold.memory().map_or(1, GrowingReservation::least_run_bytes)
    }

    /// Returns the unit in which memory at `offset` is best decommitted.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        self.cold.memory().map_or(1, |memory| memory.run_bytes(offset))
    }

    fn decommit_from(&mut self, element: Element, keep: usize) -> Result<(), Error> {
        // As in `shrink`.
        self.capacity = self.cold.options().capacity(element, keep);
        let give_back =
            |memory: &mut GrowingReservation| memory.give_back(keep, true, &mut |_| true);
        let result = self.cold.memory_mut().map(give_back).transpose();
        self.update_capacity(element);
        result.map(drop)
    }

    #[inline(never)]
    fn update_capacity(&mut self, element: Element) {
        self.capacity = self.cold.options().capacity(element, self.usable_bytes());
    }

    /// Sets the maximum, which must not be below the length. Does nothing once addresses are reserved.
    pub(crate) fn limit(&mut self, element: Element, max_len: usize) {
        if self.settled().is_some() {
            return;
        }
        if let Cold::Own(own) = &mut self.cold {
            own.options.max_len = Some(max_len);
        }
        self.update_capacity(element);
    }

    /// Changes the element type: `count` new elements take the place of one. The options must have no bound.
    pub(crate) fn regroup(&mut self, element: Element, count: usize) {
        // Default options have no maximum.
        if let Cold::Own(own) = &mut self.cold {
            let max_len = &mut own.options.max_len;
            *max_len = max_len.map(|max_len| max_len.saturating_mul(count));
        }
        self.update_capacity(element);
    }

    #[cold]
    fn full(&self, element: Element, need: usize) -> Error {
        let bytes = need.saturating_mul(element.size());
        let Options { max_len, supplied, holder, .. } = *self.cold.options();
        let most = self.max_len(element);
        let sized_by = match self.cold.memory() {
            // A backing may hold fewer.
            _ if max_len.is_some_and(|max_len| need > max_len && max_len <= most) => {
                SizedBy::Option
            }
            Some(memory) => memory.sized_by(supplied),
            None => SizedBy::Default,
        };
        Error::full(sized_by, bytes, most).of(holder)
    }
}

/// How many bytes of [`Movable`](Addresses::Movable) elements are in the heap at most: copying that many takes less
/// time than a few page faults.
const MOST_HEAP_BYTES: usize = 64 << 10;

/// Allocates a block of the heap for `bytes` bytes, rounded up to a power of two unless the amount is exact.
fn block(
    options: &Options,
    element: Element,
    bytes: usize,
    amount: Amount,
) -> Result<GrowingReservation, Error> {
    /// What small arrays need.
    const FIRST_BYTES: usize = 256;
    let by_policy = if amount == Amount::Exact { 0 } else { bytes.next_power_of_two() };
    let most = options.allowed().saturating_mul(element.size());
    let preferred = by_policy.max(FIRST_BYTES).min(most).max(bytes);
    GrowingReservation::in_heap(preferred, element.align())
        .map_err(|error| error.of(options.holder))
}

/// Makes a reservation for at least `len` elements, with the size that the options determine, in `slot`, which must be
/// empty.
#[cfg_attr(debug_assertions, track_caller)]
fn reserve(
    slot: &mut Option<GrowingReservation>,
    options: &Options,
    element: Element,
    len: usize,
) -> Result<(), Error> {
    let Options {
        huge_pages, growth, commit_ahead, release, columns, starts_small, holder, ..
    } = *options;
    let request = MemoryRequest {
        exact_bytes: options.max_len.map(|max_len| bytes_of(element, max_len)).transpose()?,
        need_bytes: bytes_of(element, len.max(1))?,
        most_bytes: element.size().saturating_mul(options.bound),
        align: element.align(),
        columns,
        huge_pages,
        growth,
        commit_ahead,
        release,
        starts_small,
        label: Label::new(holder.name(), options.place.or(Place::caller()))
            .growing()
            .named(options.name)
            .element(element.type_name),
    };
    GrowingReservation::reserve(slot, &request).map_err(|error| error.of(holder))
}

/// Returns the size of `len` elements.
fn bytes_of(element: Element, len: usize) -> Result<usize, Error> {
    let bytes = element.size().checked_mul(len);
    match bytes.filter(|bytes| isize::try_from(*bytes).is_ok()) {
        Some(bytes) => Ok(bytes),
        None => Err(Error::new(ErrorKind::CapacityOverflow, bytes.unwrap_or(usize::MAX))),
    }
}
