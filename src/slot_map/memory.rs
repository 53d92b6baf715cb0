//! Taking and returning memory.

use super::{Reuse, SlotMap};
use crate::container::{
    prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods, stats,
};
use crate::error::Error;
use crate::growing::{Amount, Budget, BudgetMeter, GivenBack, Prefaulted};
use crate::key::Key;
use crate::slots::array::{Slots, indices};
use crate::slots::cursor::WORD_SLOTS;
use crate::slots::key_bits::{explain, most_slots};
use crate::slots::state::State;
use crate::vec::VecStats;
use std::ops::Range;

stats! {
    /// What a [`SlotMap`] holds, and how much memory it takes; returned by [`SlotMap::stats`]. The list of recent
    /// holes, up to 64 KiB from the allocator, is not counted; nor are the generations of vacant slots of a map that was
    /// read, 4 bytes each, if most of its slots are vacant.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SlotMap};
    ///
    /// let mut map: SlotMap<DefaultKey, u32> = (0..10).collect();
    /// map.retain(|_, n| *n < 7);
    /// let stats = map.stats();
    /// assert_eq!((stats.live, stats.holes, stats.retired), (7, 3, 0));
    /// assert!(stats.committed_bytes <= stats.reserved_bytes);
    /// ```
    pub struct SlotMapStats of "Slots", in memory of "slots and holes" {
        /// Slots that hold values.
        live,
        /// Slots that later values can fill, including trimmed ones.
        holes,
        /// Slots that are kept for a [detached](SlotMap::detach) value.
        detached,
        /// Slots that are never used again, since they had the last generation that keys can have.
        retired,
        /// Holes whose memory was returned by [`SlotMap::trim`], or never used: [`SlotMap::insert_at`] skipped them, or
        /// they were read from stored data.
        trimmed,
    }
}

impl SlotMapStats {
    /// The memory alone, for a container that contains the map.
    pub(crate) const fn memory(self) -> VecStats {
        let Self { live: len, capacity, max_len, reserved_bytes, committed_bytes, .. } = self;
        let Self { ahead_bytes, late, resident_bytes, .. } = self;
        VecStats {
            len,
            capacity,
            max_len,
            reserved_bytes,
            committed_bytes,
            ahead_bytes,
            late,
            resident_bytes,
        }
    }
}

impl<K: Key, V> SlotMap<K, V> {
    reserve_methods! {
        &mut, "values";
        /// Holes count as room. Enters the kernel unless there is enough room already. No value moves.
    }

    reserve_exact_methods! {
        "values";
        /// # Examples
        ///
        /// ```
        /// # use stayput::SlotMap;
        /// let mut map: SlotMap<_, [u8; 1020]> = SlotMap::new();
        /// map.reserve_exact(1000);
        /// assert!(map.capacity() >= 1000);
        /// # map.insert([0; 1020]);
        /// ```
    }

    /// Makes room for `additional` more values, counting holes.
    pub(crate) fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        let (preferred, needed) =
            (self.beyond_holes(additional), additional.saturating_sub(self.holes.count()));
        let room = self.fresh_slots_left();
        let reserve = match amount {
            Amount::Exact => Slots::try_reserve_exact,
            _ => Slots::<V>::try_reserve,
        };
        let mut grow = |slots| {
            if slots <= room {
                return Ok(());
            }
            reserve(&mut self.slots, slots).map_err(|error| explain(error, most_slots::<K>()))?;
            self.cover_holes()
        };
        match grow(preferred) {
            // If no slots can be added, insertion also fills the holes that it would otherwise keep.
            Err(_) if needed < preferred => grow(needed),
            reserved => reserved,
        }
    }

    prefault_methods! {
        &mut, "values";
        /// Holes are filled first, and those that were [trimmed](Self::trim) still take page faults.
    }

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        let spare = self.slots.capacity() - self.slots.len();
        self.slots.try_prefault(self.beyond_holes(additional).min(spare))
    }

    /// Makes memory after the last slot resident ahead of its use, in the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let prefaulted = self.slots.prefault_ahead(budget);
        match self.cover_holes() {
            Ok(()) => prefaulted,
            // A slot that cannot become a hole is not part of the capacity.
            Err(error) => Prefaulted { refused: Some(error), ..prefaulted },
        }
    }

    /// Returns how many slots `additional` values take after all holes that can be filled.
    fn beyond_holes(&self, additional: usize) -> usize {
        let kept = match self.holes.order() {
            Reuse::Recent | Reuse::Lowest => 0,
            Reuse::Rotating { min_free } => min_free,
        };
        additional.saturating_sub(self.holes.count().saturating_sub(kept))
    }

    shrink_methods! {
        /// Returns the memory after the last value to the system, as
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. No value moves, and stale keys stay stale. If
        /// the system refuses, the memory stays committed. O(n) in the slots that are released.
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{DefaultKey, SlotMap};
        /// let mut map: SlotMap<DefaultKey, u64> = (0..100_000).collect();
        /// let before = map.capacity();
        /// map.retain(|_, n| *n < 10);
        /// map.shrink_to_fit();
        /// assert!(map.capacity() < before);
        /// assert_eq!(map.len(), 10);
        /// ```
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|meter| self.shrink(meter))
    }

    fn shrink(&mut self, meter: &mut BudgetMeter) -> Result<bool, Error> {
        /// How much memory of slots is released in one step.
        const PIECE_BYTES: usize = 4 << 20;
        self.settle();
        let most = if meter.is_unlimited() {
            usize::MAX
        } else {
            (PIECE_BYTES / Slots::<V>::STRIDE_BYTES).max(1)
        };
        // Memory after the last slot first, then slots, step by step.
        let mut is_done = self.slots.shrink(meter)?;
        while is_done {
            let tail = self.tail(most);
            if tail.is_empty() {
                break;
            }
            is_done = meter.pay(tail.len().saturating_mul(Slots::<V>::STRIDE_BYTES));
            if is_done {
                self.remove_tail(tail)?;
                self.slots.shrink(&mut BudgetMeter::unlimited())?;
            }
        }
        self.holes.uncover(self.slots.capacity());
        Ok(is_done)
    }

    /// Returns all memory without values to the system, wherever it is. Memory after the last value is neither resident
    /// nor committed afterwards; other memory is committed, but not resident. No value moves.
    ///
    /// Memory is returned in runs of 64 KiB. A huge page (2 MiB) that still holds values is split only if at least half
    /// of it consists of such runs without values, and otherwise stays as it is. So a few values per huge page keep
    /// little memory, but one value per 64 KiB keeps all of it. If the kernel assembles huge pages in the background
    /// (`khugepaged`), it fills split ones again within minutes; use [`HugePages::Never`](crate::HugePages::Never) for
    /// a map that stays sparse.
    ///
    /// Stale keys stay stale: the map remembers the highest generation in each run, and its slots restart above that.
    /// If the system refuses, the memory stays.
    ///
    /// # Time complexity
    ///
    /// O(n) in the slots, and one system call for each contiguous range of such runs. Call it at the end of a level,
    /// not in each frame. Splitting huge pages takes about 0.3 ms per MiB that is returned, and filling them again
    /// takes a page fault for each small page.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{DefaultKey, SlotMap};
    /// let mut map: SlotMap<DefaultKey, [u64; 8]> = (0..100_000).map(|n| [n; 8]).collect();
    /// let keys: Vec<_> = map.keys().collect();
    /// map.retain(|_, value| value[0] > 90_000);
    /// map.trim();
    /// # #[cfg(target_os = "linux")]
    /// assert!(map.stats().resident_bytes < Some(2 << 20));
    ///
    /// let new = map.insert([0; 8]);
    /// assert_eq!(map.get(keys[0]), None);
    /// assert!(map.contains_key(new));
    /// ```
    pub fn trim(&mut self) {
        // As for `shrink_to_fit`, an error has no other effect.
        let _ = self.try_trim();
    }

    /// [`trim`](Self::trim), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). Memory that was returned before the error stays returned.
    pub fn try_trim(&mut self) -> Result<(), Error> {
        self.holes.set_trim_from(0);
        self.trim_within(Budget::UNLIMITED)?;
        let Self { slots, holes, .. } = self;
        if let Some(cold) = holes.some_cold_mut() {
            cold.floors.retain_read(|index| slots.state(index) == State::EMPTY);
        }
        Ok(())
    }

    /// Trims as [`trim`](Self::trim) does, but no further than a budget allows, to spread the work over frames: call it
    /// again until it [is done](GivenBack::is_done). It continues where the last call ended, and after an error with
    /// what was refused. Values that are removed before that place meanwhile wait for the next round.
    ///
    /// Visiting a slot counts as 1/64 of its bytes.
    ///
    /// # Errors
    ///
    /// As for [`try_trim`](Self::try_trim).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Budget, DefaultKey, SlotMap};
    /// let mut map: SlotMap<DefaultKey, [u64; 8]> = (0..100_000).map(|n| [n; 8]).collect();
    /// map.retain(|_, value| value[0] > 90_000);
    /// let mut frames = 0;
    /// while !map.trim_within(Budget::bytes(1 << 20))?.is_done {
    ///     frames += 1;
    /// }
    /// assert!(frames > 2);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn trim_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        let mut meter = BudgetMeter::new(budget);
        let mut is_done = self.shrink(&mut meter)?;
        let mut bytes = meter.spent();
        while is_done && self.holes.cold().trim_from < self.slots.len() {
            let (from, all) = (self.holes.cold().trim_from, meter.is_unlimited());
            let (dead, seen) = self.slots.dead_stretch(from, all, |first| self.is_dead(first));
            let dead_bytes = dead.len() * Slots::<V>::STRIDE_BYTES;
            let seen_bytes = (seen - from) * Slots::<V>::STRIDE_BYTES;
            is_done = meter.pay(dead_bytes + seen_bytes / 64 + 1);
            if is_done {
                bytes += self.try_discard(dead)?;
                // A piece that was refused comes again in the next call.
                self.holes.set_trim_from(seen);
            }
        }
        if is_done {
            self.holes.set_trim_from(0);
        }
        Ok(GivenBack { bytes, is_done })
    }

    /// Returns what the map holds and how much memory it takes.
    ///
    /// Asks the system which pages are resident, in O(n) of the committed pages: for diagnostics, not for a hot path.
    pub fn stats(&self) -> SlotMapStats {
        let (slots, holes) = (self.slots.stats(), self.holes.stats());
        let VecStats { capacity, max_len, ahead_bytes, late, .. } = slots;
        SlotMapStats {
            live: self.len(),
            holes: self.holes.count(),
            detached: self.detached,
            retired: self.holes.cold().retired,
            trimmed: self.holes.cold().trimmed + self.trimmed_in_front(),
            ..SlotMapStats::of(VecStats { capacity, max_len, ahead_bytes, late, ..slots + holes })
        }
    }

    /// Returns the last slots, at most `most`, that come after the last value and whose memory can be returned. Slots
    /// that share memory with a value are not included: when such a slot came back, it would start above the floor of
    /// its block, which is more than it has had.
    fn tail(&self, most: usize) -> Range<usize> {
        let len = self.slots.len();
        let used = self.candidates().next_back(self.holes.words());
        let used = used.map_or(0, |index| index as usize + 1);
        match self.slots.shrinks_to(used) {
            Some(kept) => kept.clamp(used, len).max(len.saturating_sub(most))..len,
            None => len..len,
        }
    }

    /// Removes the last slots, which are all holes.
    fn remove_tail(&mut self, tail: Range<usize>) -> Result<(), Error> {
        let Range { start: keep, end: len } = tail;
        let size = Slots::<V>::BLOCK_SLOTS;
        self.holes.cold_mut().floors.try_reserve(len.div_ceil(size))?;
        for index in indices(keep..len) {
            let generation = self.last_generation(index);
            self.holes.cold_mut().floors.raise_block(index as usize / size, generation);
        }
        // All of these are holes, so an empty state means that the memory was returned.
        let is_trimmed = |index: &u32| self.slots.state(*index) == State::EMPTY;
        let trimmed = indices(keep..len).filter(is_trimmed).count();
        self.holes.untrim(trimmed);
        self.holes.bitmap_mut().clear_range(keep, len);
        self.holes.cold_mut().floors.forget_read_from(keep);
        self.slots.truncate(keep);
        Ok(())
    }

    /// Whether all slots of a block are holes or retired.
    fn is_dead(&self, first: usize) -> bool {
        let is_retired =
            |index| !self.slots.state(index).is_live() && self.vacant_generation(index) == 0;
        (first..first + Slots::<V>::BLOCK_SLOTS).step_by(WORD_SLOTS).all(|first| {
            // Words that the bitmap does not have contain no holes.
            let holes = self.holes.bitmap().words().get(first / WORD_SLOTS).copied().unwrap_or(0);
            holes == u64::MAX
                || self.holes.cold().retired > 0
                    && indices(first..first + WORD_SLOTS)
                        .all(|index| holes >> (index % 64) & 1 == 1 || is_retired(index))
        })
    }

    /// Returns memory of slots that are all holes or retired, and returns how many bytes.
    fn try_discard(&mut self, slots: Range<usize>) -> Result<usize, Error> {
        let is_sparse = |page| self.slots.is_sparse(page, |first| self.is_dead(first));
        let discard = self.slots.discardable(slots, is_sparse);
        let Some(discard) = discard else { return Ok(0) };
        let size = Slots::<V>::BLOCK_SLOTS;
        self.holes.cold_mut().floors.try_reserve(discard.cleared().end.div_ceil(size))?;
        let mut held = 0;
        for index in indices(discard.cleared()) {
            let generation = self.vacant_generation(index);
            held += usize::from(self.slots.state(index) != State::EMPTY);
            if generation > 0 {
                let floors = &mut self.holes.cold_mut().floors;
                floors.raise_block(index as usize / size, generation);
                floors.forget_read(index);
            }
        }
        let mut trimming = Trimming { map: self, slots: discard.cleared(), held, is_done: false };
        // Done even if no state was left to clear: retired slots may hold data, and reading the states has made pages
        // of zeros resident.
        let discarded = trimming.map.slots.discard(&discard);
        trimming.is_done = discarded.is_ok();
        drop(trimming);
        discarded.map(|()| discard.bytes())
    }
}

/// Slots whose memory is being returned. They are counted when this is dropped, even if a backing unwinds.
struct Trimming<'m, K: Key, V> {
    map: &'m mut SlotMap<K, V>,
    slots: Range<usize>,
    /// How many of them had a state before.
    held: usize,
    is_done: bool,
}

impl<K: Key, V> Drop for Trimming<'_, K, V> {
    fn drop(&mut self) {
        let Self { map, slots, held, is_done } = self;
        let mut cleared = *held;
        if !*is_done {
            // Some memory may have been returned nevertheless.
            let is_left = |index: &u32| map.slots.state(*index) != State::EMPTY;
            cleared -= indices(slots.clone()).filter(is_left).count();
        }
        map.holes.cold_mut().trimmed += cleared;
    }
}
