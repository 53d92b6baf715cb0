//! [`Memory`]: what the growth lock guards; and the methods that take memory.

#![expect(unsafe_code, reason = "sets the length of an array to 0")]

use super::lock::Guard;
use super::places::{Grown, Places};
use super::{SharedVec, busy, check_prefaulting_is_shared};
use crate::container::{prefault_methods, reserve_methods};
use crate::error::{Error, ErrorKind, Holder, unwrap_or_panic};
use crate::growing::{Amount, Budget, Prefaulted};
use crate::raw_vec::Options;
use crate::vec::{VecStats, VmVec};
use std::mem;

/// The memory of the elements and of their flags.
///
/// The length of `elements` is 0, whatever it holds: [`Places`](super::places::Places) has the number of elements.
pub(super) struct Memory<T> {
    pub(super) elements: VmVec<T>,
    /// The length is the number of places that have a flag.
    pub(super) flags: VmVec<u8>,
    pub(super) refused: Option<Error>,
}

/// The options of an array that was created without a builder.
pub(super) const OPTIONS: Options = Options { holder: Holder::SharedVec, ..Options::DEFAULT };

impl<T> Memory<T> {
    pub(super) const fn new(elements: VmVec<T>) -> Self {
        Self { elements, flags: VmVec::new(), refused: None }
    }

    /// Returns the number of places that have memory.
    pub(super) fn committed(&self) -> usize {
        if size_of::<T>() == 0 {
            self.elements.capacity()
        } else {
            self.elements.capacity().min(self.flags.len())
        }
    }

    /// Tells threads where elements and flags are.
    pub(super) fn show_to(&mut self, places: &Places) {
        let (start, flagged) = (self.elements.as_mut_ptr().cast(), self.flags.len());
        // SAFETY: `flagged` is the length of `flags`, whose pointer is not null. As long as the array is shared, flags
        // are only appended, to memory that does not move: `grow_flags` replaces `flags` only if there are none.
        // Methods that take `&mut self` withdraw `places` first. All others access flags atomically, as `AtomicU8`,
        // which "has the same size, alignment, and bit validity" as `u8`.
        unsafe { places.set_memory(start, self.flags.as_mut_ptr().cast(), flagged) };
    }

    pub(super) fn max_len(&self) -> usize {
        let elements = self.elements.max_len();
        if self.flags.is_empty() { elements } else { elements.min(self.flags.max_len()) }
    }

    /// Takes memory for `need` places, and for more by the growth policy.
    pub(super) fn grow(&mut self, need: usize) -> Grown {
        self.refused = self.try_grow(need).err();
        Grown { committed: self.committed(), refused: self.refused }
    }

    /// [`grow`](Self::grow) for a ticket. If it exceeds the maximum, tickets before it that do not may still be
    /// waiting, so this takes all the memory that is left.
    pub(super) fn grow_or_fill_up(&mut self, need: usize) -> Grown {
        let grown = self.grow(need);
        let (before, most) = (grown.committed, self.max_len());
        if before < most && grown.refused.is_some_and(|error| error.is_full()) {
            let _ = self.try_grow(most);
            self.refused = grown.refused;
        }
        Grown { committed: self.committed(), ..grown }
    }

    /// [`grow`](Self::grow), or the error. There may be more memory even after an error.
    pub(super) fn try_grow(&mut self, need: usize) -> Result<(), Error> {
        // Earlier refusals are over. If this unwinds, the reason is not known.
        self.refused = None;
        // An array that begins to be served is without memory for a moment. A child forked then could not use it.
        self.elements.stay_unserved();
        self.flags.stay_unserved();
        let grown = self.grow_elements(need).and_then(|()| self.grow_flags(need));
        grown.map_err(|error| error.of(Holder::SharedVec))
    }

    fn grow_elements(&mut self, need: usize) -> Result<(), Error> {
        // It has another length only if a `VecMut` was leaked.
        self.elements.forget_elements();
        self.elements.try_reserve(need)
    }

    /// Makes flags for all elements that have memory, of which `need` are required.
    fn grow_flags(&mut self, need: usize) -> Result<(), Error> {
        let missing = self.elements.capacity().saturating_sub(self.flags.len());
        if missing == 0 {
            return Ok(());
        }
        if self.flags.is_empty() {
            // Without `max_len`, fewer addresses may be reserved for flags.
            let (bound, options) = (self.elements.max_len(), self.elements.options());
            let max_len = options.max_len.map(|named| named.min(bound));
            let flags = VmVec::try_unreserved(Options { max_len, bound, ..options })?;
            // An assignment would drop the old array first. A child forked in between would find it freed.
            drop(mem::replace(&mut self.flags, flags));
        }
        if self.flags.try_extend_by_zeros(missing).is_err() {
            // Memory for all of them was refused. Those that are required may fit.
            self.flags.try_extend_by_zeros(need.saturating_sub(self.flags.len()))?;
        }
        Ok(())
    }

    /// Makes the pages of places resident, which must have memory.
    pub(super) fn prefault(&mut self, from: usize, to: usize) -> Result<(), Error> {
        self.elements.prefault_within(from, to)?;
        self.flags.prefault_within(from, to)
    }

    /// Makes memory after the first `used` places resident.
    pub(super) fn prefault_ahead(&mut self, used: usize, budget: Budget) -> Prefaulted {
        let elements = self.elements.prefault_ahead_past(used, budget);
        if size_of::<T>() == 0 {
            return elements;
        }
        // A refusal repeats when the memory is needed.
        let _ = self.grow_flags(0);
        if self.flags.is_empty() {
            return elements;
        }
        // After a refusal there are fewer flags.
        let used = used.min(self.flags.len());
        let flags = self.flags.prefault_ahead_past(used, budget.less(elements.bytes));
        let _ = self.flags.try_extend_by_zeros(0);
        elements.and(flags)
    }

    /// Returns the memory of flags after the first `keep`, none of which is set.
    pub(super) fn shrink_flags(&mut self, keep: usize) {
        self.flags.truncate(keep);
        self.flags.shrink_to_fit();
        // Restores a flag for each element that has memory. This needs no memory, so it cannot be refused.
        let _ = self.flags.try_extend_by_zeros(0);
    }
}

impl<T> SharedVec<T> {
    /// Returns the number of elements that committed memory has room for, with their flags. O(1). After
    /// [converting](Self#impl-From%3CVmVec%3CT%3E%3E-for-SharedVec%3CT%3E) a `VmVec`, this is the length until the
    /// first push, which makes the flags.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.places.committed()
    }

    /// Returns the maximum number of elements; see [`VmVec::max_len`]. Waits for a thread that takes memory.
    ///
    /// # Panics
    ///
    /// If [`try_max_len`](Self::try_max_len) returns an error.
    #[track_caller]
    pub fn max_len(&self) -> usize {
        unwrap_or_panic(self.try_max_len())
    }

    /// [`max_len`](Self::max_len), or the error.
    ///
    /// # Errors
    ///
    /// [`Busy`](crate::ErrorKind::Busy) as for [`try_reserve`](Self::try_reserve).
    pub fn try_max_len(&self) -> Result<usize, Error> {
        Ok(self.memory.lock().map_err(|_| busy())?.max_len())
    }

    /// Returns the length of [the prefix](Self#the-prefix), and how much memory the array takes, including its flags;
    /// see [`VmVec::stats`]. Waits for a thread that takes memory.
    ///
    /// # Panics
    ///
    /// If [`try_stats`](Self::try_stats) returns an error.
    #[track_caller]
    pub fn stats(&self) -> VecStats {
        unwrap_or_panic(self.try_stats())
    }

    /// [`stats`](Self::stats), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_max_len`](Self::try_max_len).
    pub fn try_stats(&self) -> Result<VecStats, Error> {
        let memory = self.memory.lock().map_err(|_| busy())?;
        let (both, max_len) = (memory.elements.stats() + memory.flags.stats(), memory.max_len());
        drop(memory);
        Ok(VecStats { len: self.len(), capacity: self.capacity(), max_len, ..both })
    }

    reserve_methods! {
        &, "elements";
        /// `additional` is counted from what all threads have pushed until now. The sum must not exceed `usize::MAX`,
        /// even if elements have size zero. Enters the kernel unless there is enough room already. Other threads may
        /// fill the room first.
    }

    fn make_room_for(&self, additional: usize, _: Amount) -> Result<(), Error> {
        self.room_for(additional).map(drop)
    }

    /// [`try_reserve`](Self::try_reserve), with the growth lock still held; also returns the first place that the
    /// memory is for.
    fn room_for(&self, additional: usize) -> Result<(Guard<'_, Memory<T>>, usize), Error> {
        if Self::IS_UNSIZED {
            self.most_counted()?;
        }
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        let memory = &mut *guard;
        // Elements of a converted `VmVec` may have no flags, and after a leaked `VecMut` there may be memory that
        // `places` does not count.
        let (before, known) = (memory.committed(), self.places.committed());
        let first = self.places.claimed().min(known);
        let need = first.checked_add(additional);
        if need.is_none_or(|need| need > before.min(known)) {
            if Self::IS_UNSIZED {
                let error = match need {
                    Some(_) => self.full(),
                    // As of a `VmVec`.
                    None => Error::new(ErrorKind::CapacityOverflow, usize::MAX)
                        .with_limit(usize::MAX as u64)
                        .of(Holder::SharedVec),
                };
                return Err(error);
            }
            if self.places.is_closed() {
                return Err(memory.refused.unwrap_or_else(busy));
            }
            let grown = memory.try_grow(need.unwrap_or(usize::MAX));
            self.publish_extent(memory, before);
            self.places.raise_committed(memory.committed());
            grown?;
            // A call of this thread out of `try_grow` may have closed the array.
            if self.places.is_closed() {
                return Err(busy());
            }
        }
        Ok((guard, first))
    }

    prefault_methods! {
        &, "elements";
        /// Threads that need more memory meanwhile wait; others can push. On processors that cannot touch pages in use,
        /// which are all except x86 and 64-bit ARM, this makes room and then fails with
        /// [`Unsupported`](crate::ErrorKind::Unsupported).
    }

    fn prefault_room(&self, additional: usize) -> Result<(), Error> {
        let (mut memory, first) = self.room_for(additional)?;
        if Self::IS_UNSIZED {
            return Ok(());
        }
        check_prefaulting_is_shared(Holder::SharedVec)?;
        memory.prefault(first, first + additional)
    }

    /// Makes memory after the last element resident ahead of its use; see [`VmVec::prefault_ahead`], and
    /// [`prefault`](Self::prefault) for processors on which it fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Budget, SharedVec};
    /// use std::time::Duration;
    ///
    /// let events = SharedVec::new();
    /// for frame in 0..3 {
    ///     events.extend((0..1000).map(|n| [frame, n]));
    ///     // The frame is done early: use the remaining time, while other threads append.
    ///     let done = events.prefault_ahead(Budget::time(Duration::from_millis(1)));
    ///     println!("{done:?}");
    /// }
    /// ```
    pub fn prefault_ahead(&self, budget: Budget) -> Prefaulted {
        self.try_prefault_ahead(budget).unwrap_or_else(Prefaulted::refused)
    }

    fn try_prefault_ahead(&self, budget: Budget) -> Result<Prefaulted, Error> {
        check_prefaulting_is_shared(Holder::SharedVec)?;
        let mut guard = self.memory.lock().map_err(|_| busy())?;
        let memory = &mut *guard;
        let before = memory.committed();
        let used = self.places.issued();
        let done = memory.prefault_ahead(used, budget);
        if !Self::IS_UNSIZED {
            self.publish_extent(memory, before);
            self.places.raise_committed(memory.committed());
        }
        Ok(done)
    }
}
