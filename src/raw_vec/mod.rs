//! [`RawVec`]: growth over a [`GrowingReservation`], for elements of any layout.
//!
//! There is no `T` here, no length and no drop: the code compiles once, and no user code can run
//! in it but that of a [`Backing`], which may unwind, so nothing is counted on before it returns.
//! The typed front, `VmVec`, keeps the length and passes the layout of its elements to every call,
//! always the same one.
//!
//! # What holds between calls
//!
//! - `start` never changes once there is a reservation. Before that it dangles, aligned for an
//!   element, or is that of a block of the heap if elements are [`Movable`](Addresses::Movable): then growth moves
//!   them, and all usable bytes keep what they hold.
//! - `capacity` elements fit into the bytes of the memory that are usable, and `capacity <= max_len`.
//!
//! What a push looks at is in the handle; all else is behind a pointer, see [`Cold`].

mod cold;
mod options;
#[cfg(test)]
mod tests;

pub(crate) use crate::growing::Amount;
pub(crate) use options::Options;

use crate::backing::{Backing, Foreign};
use crate::error::{Error, ErrorKind, Refused, SizedBy};
use crate::growing::{Budget, GrowingReservation, Prefaulted, Purse, Want, round_up};
use crate::heap::Room;
use crate::poison::unpoison;
use crate::reservation::default_reservation_bytes;
use cold::{Cold, Own};
use options::Addresses;
use std::alloc::Layout;
use std::ops::Range;
use std::ptr::{self, NonNull};

/// Memory for an array that grows in place.
#[derive(Debug)]
pub(crate) struct RawVec {
    start: NonNull<u8>,
    capacity: usize,
    cold: Cold,
}

// `NonNull` takes these away, for it may be shared; this one is not.
#[expect(unsafe_code, reason = "vouches for the pointer")]
// SAFETY: `start` points into memory that `self` owns, or nowhere. The elements are the
// concern of the owner, who says by a `PhantomData` what they are.
unsafe impl Send for RawVec {}
#[expect(unsafe_code, reason = "vouches for the pointer")]
// SAFETY: `&self` gives nothing but copies of fields and of what the system says.
unsafe impl Sync for RawVec {}

impl RawVec {
    /// An array that reserves, and allocates, nothing until it grows.
    ///
    /// `dangling` is what `start` is to be until then: aligned for an element.
    pub(crate) const fn new(
        dangling: NonNull<u8>,
        element: Layout,
        options: &'static Options,
    ) -> Self {
        let capacity = options.capacity(element, 0);
        Self { start: dangling, capacity, cold: Cold::Defaults(options) }
    }

    /// The same with options that somebody chose; they are kept on the heap.
    #[inline(never)]
    pub(crate) fn try_new(
        dangling: NonNull<u8>,
        element: Layout,
        options: Options,
    ) -> Result<Self, Error> {
        let capacity = options.capacity(element, 0);
        Ok(Self { start: dangling, capacity, cold: Cold::Own(Own::try_new(options)?) })
    }

    /// An array that has reserved nothing, with the same options.
    pub(crate) fn try_fresh(&self, dangling: NonNull<u8>, element: Layout) -> Result<Self, Error> {
        match self.cold {
            Cold::Defaults(options) => Ok(Self::new(dangling, element, options)),
            Cold::Own(_) => Self::try_new(dangling, element, self.options()),
        }
    }

    /// An array in memory of the user's.
    pub(crate) fn new_in<B: Backing>(
        backing: B,
        element: Layout,
        options: Options,
    ) -> Result<Self, Refused<B>> {
        // Only what lies in a block of the heap moves.
        let options = Options { addresses: Addresses::Stable, ..options };
        let taken = Own::try_new(options).and_then(|own| Ok((own, Room::try_new()?)));
        let (mut own, room) = match taken {
            Ok(taken) => taken,
            Err(error) => return Err(Refused { error, value: backing }),
        };
        let foreign = Foreign::new(backing, element.align())?;
        let (start, capacity) = (foreign.start(), options.capacity(element, 0));
        own.memory = Some(GrowingReservation::over_foreign(foreign, room, options.growth));
        Ok(Self { start, capacity, cold: Cold::Own(own) })
    }

    /// The user's memory, if it is a `B`, from an array that was just made in it. Nothing is left
    /// here then, so the array may not hold anything.
    pub(crate) fn take_backing<B: Backing>(&mut self, element: Layout) -> Option<B> {
        let memory = self.cold.take_memory();
        self.update_capacity(element);
        memory?.into_foreign()?.into_backing()
    }

    /// Gives the memory up, which is never released then. What is on the heap is freed.
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

    /// Where a column starts, if elements are dealt out to columns and there is memory.
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

    /// How many bytes are usable; 0 for elements of size zero.
    pub(crate) fn usable_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::usable_bytes)
    }

    /// How many bytes are committed, ahead of use too.
    pub(crate) fn committed_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::committed_bytes)
    }

    /// How many bytes lie ready for use, behind those that are usable.
    pub(crate) fn ahead_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::ahead_bytes)
    }

    /// How often growth needed more than lay ready.
    pub(crate) fn late(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::late)
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::reserved_bytes)
    }

    pub(crate) fn resident_bytes(&self) -> Option<usize> {
        // A block of the heap is as good as resident.
        let committed = Some(self.committed_bytes());
        self.settled().map_or(committed, GrowingReservation::resident_bytes)
    }

    /// The memory, if elements stay where they are.
    fn settled(&self) -> Option<&GrowingReservation> {
        let starts_in_heap = self.cold.options().starts_in_heap();
        self.cold.memory().filter(|memory| !starts_in_heap || memory.reservation().is_ok())
    }

    /// What the array can ever hold: as asked, or else as much as would be reserved; and not more
    /// than there is, where that is supplied.
    #[inline(never)]
    pub(crate) fn max_len(&self, element: Layout) -> usize {
        let options = self.cold.options();
        let bytes = match self.settled() {
            Some(memory) => memory.reserved_bytes(),
            None if options.max_len.is_some() => return options.allowed(),
            None => default_reservation_bytes(element.size()),
        };
        options.capacity(element, bytes)
    }

    /// Makes the reservation, if there is none yet, with room for `len` elements. Does nothing if elements start in the
    /// heap: their reservation is made when they move.
    ///
    /// If the options name no maximum, its size is a guess: what there is to be given, and what so many
    /// elements need.
    pub(crate) fn reserve_addresses(&mut self, element: Layout, len: usize) -> Result<(), Error> {
        let starts_in_heap = self.cold.options().starts_in_heap();
        if element.size() == 0 || self.cold.memory().is_some() || starts_in_heap {
            return Ok(());
        }
        let reserved = reserve(&self.cold.try_own()?.options, element, len)?;
        self.install(reserved)
    }

    /// Makes room for `need` elements in other memory, and moves them there.
    fn settle(&mut self, element: Layout, need: usize, amount: Amount) -> Result<(), Error> {
        let options = &self.cold.try_own()?.options;
        let bytes = bytes_of(element, need)?;
        let mut memory = match options.make_block().filter(|_| bytes <= MOST_HEAP_BYTES) {
            Some(make_block) => make_block(options, element, bytes, amount)?,
            None => reserve(options, element, need)?,
        };
        memory.grow(bytes, amount)?;
        self.install(memory)
    }

    /// Replaces the memory, if there is any, by a larger one, and moves its contents.
    #[expect(unsafe_code, reason = "copies bytes of one memory to another")]
    fn install(&mut self, memory: GrowingReservation) -> Result<(), Error> {
        let own = self.cold.try_own()?;
        if let Some(before) = &own.memory {
            let bytes = before.usable_bytes().min(memory.usable_bytes());
            unpoison(before.as_ptr(), bytes);
            // SAFETY: `bytes` bytes are usable in both, which do not overlap; `&mut self` guarantees exclusive access
            // to the one, and the other is owned here.
            unsafe { ptr::copy_nonoverlapping(before.as_ptr(), memory.as_ptr(), bytes) };
        }
        self.start = memory.start();
        own.memory = Some(memory);
        self.serve();
        Ok(())
    }

    /// Has somebody make memory ready ahead of it, if the options say so.
    fn serve(&mut self) {
        if let Cold::Own(own) = &mut self.cold {
            let Own { options, memory } = &mut **own;
            if let Some(memory) = memory.as_mut().filter(|_| options.commit_ahead.is_on()) {
                (options.service.serve)(memory, options.commit_ahead);
            }
        }
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
        // First what can be for no such elements, then what cannot be here.
        let Options { bound, holder, .. } = *self.cold.options();
        if len.saturating_add(additional) > bound {
            let bytes = len.saturating_add(additional).saturating_mul(element.size());
            return Err(Error::full(SizedBy::Option, bytes, bound).of(holder));
        }
        let Some(need) = len.checked_add(additional) else {
            let error = Error::new(ErrorKind::CapacityOverflow, usize::MAX);
            // Bytes are no matter where there are none.
            let is_sized = element.size() > 0;
            return Err(if is_sized { error } else { error.with_limit(usize::MAX as u64) });
        };
        if need <= self.capacity {
            return Ok(());
        }
        let need_bytes = bytes_of(element, need)?;
        if element.size() == 0 || need > self.cold.options().allowed() {
            return Err(self.full(element, need));
        }
        let grown = if self.settled().is_none() {
            self.settle(element, need, amount)
        } else if need_bytes > self.reserved_bytes() {
            return Err(self.full(element, need));
        } else {
            let Some(memory) = self.cold.memory_mut() else { unreachable!("it is settled") };
            memory.grow(need_bytes, amount)
        };
        self.update_capacity(element);
        grown
    }

    /// Gives memory behind the first `len` elements back, as far as that is worth a call and there is
    /// money. Whether there is nothing more to give back.
    pub(crate) fn shrink(
        &mut self,
        element: Layout,
        len: usize,
        purse: &mut Purse,
    ) -> Result<bool, Error> {
        let keep = len.min(self.capacity) * element.size();
        // Should the call unwind, nobody counts on more.
        self.capacity = len.min(self.capacity);
        let result = self.cold.memory_mut().map_or(Ok(true), |memory| memory.shrink(keep, purse));
        self.update_capacity(element);
        result
    }

    /// How many bytes [`shrink`](Self::shrink) would leave committed, if it would change that.
    pub(crate) fn shrinks_to_bytes(&self, element: Layout, len: usize) -> Option<usize> {
        self.cold.memory()?.shrinks_to(len.min(self.capacity) * element.size())
    }

    /// Makes room for `additional` elements behind the first `len`, as [`grow`](Self::grow) does,
    /// and returns the offset in bytes from which on that room is known to be zero.
    ///
    /// Where there is much room that may have been written to, here or by others, its pages are given
    /// back and committed anew, which touches none of them. If that is refused half-way there is less
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
        let unit = self.cold.memory().map_or(1, GrowingReservation::unit_bytes);
        let keep = round_up(len * element.size(), unit);
        let usable = self.usable_bytes();
        let written = usable.saturating_sub(keep);
        let warm = self.warm_bytes().saturating_sub(usable);
        let wanted = additional.saturating_mul(element.size());
        // If it is refused, the pages stay committed, and are known to be zero no more than before: the
        // offset returned below says so.
        if fits && wanted.min(written) >= WORTH_CALLS_BYTES {
            let _ = self.decommit_from(element, keep);
        } else if fits && wanted.min(warm) >= WORTH_CALLS_BYTES {
            let _ = self.decommit_from(element, usable);
        }
        let (zero_from, is_first) = (self.zero_from(), self.cold.memory().is_none());
        self.grow(element, len, additional, Amount::AtLeast)?;
        if !is_first {
            // After a move, the memory may be such as another array had before.
            return Ok(zero_from.max(self.warm_bytes()));
        }
        // Others may have had what there is now.
        let warm = self.warm_bytes();
        let had = wanted.min(warm);
        let unit = self.cold.memory().map_or(1, GrowingReservation::unit_bytes);
        let is_given_back =
            had >= WORTH_CALLS_BYTES && self.discard(0..round_up(had, unit)).is_ok();
        Ok(if is_given_back { 0 } else { warm })
    }

    /// From where on memory that comes to be usable reads as zero.
    fn zero_from(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::zero_from)
    }

    /// Up to where memory may hold what others have left, wherever nothing was written since.
    pub(crate) fn warm_bytes(&self) -> usize {
        self.cold.memory().map_or(0, GrowingReservation::warm_bytes)
    }

    /// Makes the pages of the elements from `from` to `to` resident; they are within capacity.
    pub(crate) fn prefault(
        &mut self,
        element: Layout,
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

    /// Makes memory behind the first `len` elements resident ahead of their use.
    pub(crate) fn prefault_ahead(
        &mut self,
        element: Layout,
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

    /// Hands the memory of committed pages back; they read as zero then. On an error they hold
    /// what they held, or zeroes.
    pub(crate) fn discard(&mut self, bytes: Range<usize>) -> Result<(), Error> {
        self.cold.memory_mut().map_or(Ok(()), |memory| memory.discard(bytes))
    }

    /// In what units memory is worth giving back where that splits huge pages.
    pub(crate) fn least_run_bytes(&self) -> usize {
        self.cold.memory().map_or(1, GrowingReservation::least_run_bytes)
    }

    /// In what units memory at `offset` is best given back.
    pub(crate) fn run_bytes(&self, offset: usize) -> usize {
        self.cold.memory().map_or(1, |memory| memory.run_bytes(offset))
    }

    fn decommit_from(&mut self, element: Layout, keep: usize) -> Result<(), Error> {
        // As in `shrink`.
        self.capacity = self.cold.options().capacity(element, keep);
        let give_back =
            |memory: &mut GrowingReservation| memory.give_back(keep, true, &mut |_| true);
        let result = self.cold.memory_mut().map(give_back).transpose();
        self.update_capacity(element);
        result.map(drop)
    }

    #[inline(never)]
    fn update_capacity(&mut self, element: Layout) {
        self.capacity = self.cold.options().capacity(element, self.usable_bytes());
    }

    /// Sets the maximum, which is no less than the length. Does nothing after addresses were reserved.
    pub(crate) fn limit(&mut self, element: Layout, max_len: usize) {
        if self.settled().is_some() {
            return;
        }
        if let Cold::Own(own) = &mut self.cold {
            own.options.max_len = Some(max_len);
        }
        self.update_capacity(element);
    }

    /// From here on the elements are such that `count` of them make up one of those before.
    pub(crate) fn regroup(&mut self, element: Layout, count: usize) {
        // Those that nobody chose name no number.
        if let Cold::Own(own) = &mut self.cold {
            let Options { max_len, bound, .. } = &mut own.options;
            *max_len = max_len.map(|max_len| max_len.saturating_mul(count));
            if *bound < usize::MAX {
                *bound = bound.saturating_mul(count);
            }
        }
        self.update_capacity(element);
    }

    #[cold]
    fn full(&self, element: Layout, need: usize) -> Error {
        let bytes = need.saturating_mul(element.size());
        let Options { max_len, supplied, holder, .. } = *self.cold.options();
        let sized_by = match self.cold.memory() {
            _ if max_len.is_some_and(|max_len| need > max_len) => SizedBy::Option,
            Some(memory) => memory.sized_by(supplied),
            None => SizedBy::Default,
        };
        Error::full(sized_by, bytes, self.max_len(element)).of(holder)
    }
}

/// How many bytes of [`Movable`](Addresses::Movable) elements are in the heap at most: copying them takes less time
/// than some page faults.
const MOST_HEAP_BYTES: usize = 64 << 10;

/// A block of the heap for `bytes` bytes, rounded up to a power of two unless an exact amount is wanted.
fn block(
    options: &Options,
    element: Layout,
    bytes: usize,
    amount: Amount,
) -> Result<GrowingReservation, Error> {
    /// As many as small arrays need.
    const FIRST_BYTES: usize = 256;
    let by_policy = if amount == Amount::Exact { 0 } else { bytes.next_power_of_two() };
    let most = options.allowed().saturating_mul(element.size());
    let wished = by_policy.max(FIRST_BYTES).min(most).max(bytes);
    GrowingReservation::in_heap(wished, element.align()).map_err(|error| error.of(options.holder))
}

/// A reservation for at least `len` elements; its size is as the options say.
fn reserve(options: &Options, element: Layout, len: usize) -> Result<GrowingReservation, Error> {
    let Options { huge_pages, growth, commit_ahead, release, columns, service, holder, .. } =
        *options;
    let want = Want {
        exact_bytes: options.max_len.map(|max_len| bytes_of(element, max_len)).transpose()?,
        need_bytes: bytes_of(element, len.max(1))?,
        most_bytes: element.size().saturating_mul(options.bound),
        align: element.align(),
        columns,
        huge_pages,
        growth,
        commit_ahead,
        release,
        service,
    };
    GrowingReservation::reserve(&want).map_err(|error| error.of(holder))
}

/// The size of `len` elements.
fn bytes_of(element: Layout, len: usize) -> Result<usize, Error> {
    let bytes = element.size().checked_mul(len);
    match bytes.filter(|bytes| isize::try_from(*bytes).is_ok()) {
        Some(bytes) => Ok(bytes),
        None => Err(Error::new(ErrorKind::CapacityOverflow, bytes.unwrap_or(usize::MAX))),
    }
}
