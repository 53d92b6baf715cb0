//! Taking memory, and giving it back.

use super::{Reuse, SlotMap};
use crate::container::{
    prefault_methods, reserve_exact_methods, reserve_methods, shrink_methods, stats,
};
use crate::error::Error;
use crate::growing::{Amount, Budget, GivenBack, Prefaulted, Purse};
use crate::key::Key;
use crate::slots::array::{Slots, indices};
use crate::slots::cursor::WORD_SLOTS;
use crate::slots::key_bits::{explain, most_slots};
use crate::slots::state::State;
use crate::vec::VecStats;
use std::ops::Range;

stats! {
    /// What a [`SlotMap`] holds and takes up, given by [`SlotMap::stats`]. (Recent holes take up to 128 KiB of the
    /// allocator's memory, which is not counted.)
    pub struct SlotMapStats of "Slots", in memory of "slots and holes" {
        /// Slots with values.
        live,
        /// Slots between them that will be filled again, trimmed ones included.
        holes,
        /// Slots that are kept for a [detached](SlotMap::detach) value.
        detached,
        /// Slots that are used up: they had the last generation that keys can have.
        retired,
        /// Holes whose memory was returned by [`SlotMap::trim`] or never used, since
        /// [`SlotMap::insert_at`] skipped them or since they were read.
        trimmed,
    }
}

impl SlotMapStats {
    /// What the memory takes up, for a container that the map is a part of.
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
        /// Holes count as room. Enters the kernel if there is not room already. Nothing is moved.
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

    /// Makes room for so many values more, holes counted.
    pub(crate) fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        let (wished, needed) =
            (self.beyond_holes(additional), additional.saturating_sub(self.holes.count()));
        let room = self.room_behind();
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
        match grow(wished) {
            // Insertion fills the holes that it would keep where there are no other slots.
            Err(_) if needed < wished => grow(needed),
            reserved => reserved,
        }
    }

    prefault_methods! {
        &mut, "values";
        /// Holes come first, and those that were [trimmed](Self::trim) take their page faults.
    }

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        let spare = self.slots.capacity() - self.slots.len();
        self.slots.try_prefault(self.beyond_holes(additional).min(spare))
    }

    /// Makes memory behind the last slot resident ahead of its use, for the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        let prefaulted = self.slots.prefault_ahead(budget);
        match self.cover_holes() {
            Ok(()) => prefaulted,
            // Slots that cannot become holes are no capacity.
            Err(error) => Prefaulted { refused: Some(error), ..prefaulted },
        }
    }

    /// The slots it takes to put in `additional` values, after holes that will be filled first.
    fn beyond_holes(&self, additional: usize) -> usize {
        let kept = match self.holes.order() {
            Reuse::Recent | Reuse::Lowest => 0,
            Reuse::Rotating { min_free } => min_free,
        };
        additional.saturating_sub(self.holes.count().saturating_sub(kept))
    }

    shrink_methods! {
        /// Gives the memory behind the last value back to the system, as
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. No value moves; keys stay
        /// stale. If the system refuses, the memory stays. Linear in the slots given up.
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        budget.spend(|purse| self.shrink(purse))
    }

    fn shrink(&mut self, purse: &mut Purse) -> Result<bool, Error> {
        /// Of memory that slots are given up in at once.
        const PIECE_BYTES: usize = 4 << 20;
        self.settle();
        let most = if purse.is_unlimited() {
            usize::MAX
        } else {
            (PIECE_BYTES / Slots::<V>::STRIDE_BYTES).max(1)
        };
        // First what lies behind the last slot, then slots by and by.
        let mut is_done = self.slots.shrink(purse)?;
        while is_done {
            let tail = self.tail(most);
            if tail.is_empty() {
                break;
            }
            is_done = purse.pay(tail.len().saturating_mul(Slots::<V>::STRIDE_BYTES));
            if is_done {
                self.give_up(tail)?;
                self.slots.shrink(&mut Purse::unlimited())?;
            }
        }
        self.holes.uncover(self.slots.capacity());
        Ok(is_done)
    }

    /// Gives all memory without values in it back to the system, wherever it lies: that of the
    /// tail is neither resident nor charged to the process any more, that in the middle is not
    /// resident.
    ///
    /// Memory is given back in runs of 64 KiB. A huge page (2 MiB) that still holds values is kept whole unless at least
    /// half of it consists of such runs without values: then it is split. A few values per huge page therefore cost
    /// little memory, but one per 64 KiB keeps all of it. Where the kernel assembles huge pages in the background
    /// (`khugepaged`), it fills up the split ones again within minutes; use
    /// [`HugePages::Never`](crate::HugePages::Never) for a map that stays sparse. No value moves.
    ///
    /// Keys stay stale: for each run the highest generation in it is kept, and slots that come
    /// back start above it. If the system refuses, the memory stays.
    ///
    /// Linear in the slots, and enters the kernel for each stretch of runs: for a level's end, not
    /// for each frame. To split huge pages takes about 0.3 ms per MiB that is given back, and filling them again takes
    /// a page fault for each small page.
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
        // As for `shrink_to_fit`.
        let _ = self.try_trim();
    }

    /// [`trim`](Self::trim), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). What was handed back before is.
    pub fn try_trim(&mut self) -> Result<(), Error> {
        self.holes.set_trim_from(0);
        self.trim_within(Budget::UNLIMITED)?;
        let Self { slots, holes, .. } = self;
        if let Some(cold) = holes.some_cold_mut() {
            cold.floors.retain_read(|index| slots.state(index) == State::EMPTY);
        }
        Ok(())
    }

    /// [`trim`](Self::trim), but no more of it than a budget allows, so that it can be spread over
    /// frames: call it again until it [is done](GivenBack::is_done). It goes on where the last call
    /// ended; what comes free before that in the meantime waits for the next round.
    ///
    /// To look at slots counts as a 64th of handing them back.
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
        let mut purse = Purse::new(budget);
        let mut is_done = self.shrink(&mut purse)?;
        let mut bytes = purse.spent();
        while is_done && self.holes.cold().trim_from < self.slots.len() {
            let (dead, seen) = self.dead_stretch(self.holes.cold().trim_from, purse.is_unlimited());
            let dead_bytes = dead.len() * Slots::<V>::STRIDE_BYTES;
            let seen_bytes = (seen - self.holes.cold().trim_from) * Slots::<V>::STRIDE_BYTES;
            is_done = purse.pay(dead_bytes + seen_bytes / 64 + 1);
            if is_done {
                self.holes.set_trim_from(seen);
                bytes += self.try_discard(dead)?;
            }
        }
        if is_done {
            self.holes.set_trim_from(0);
        }
        Ok(GivenBack { bytes, is_done })
    }

    /// What the map holds and takes up.
    ///
    /// Asks the system which pages are resident, linear in the committed pages: for looking, not
    /// for a hot path.
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

    /// The last slots, `most` of them, behind the last value whose memory can go back: not those
    /// beside it, for a slot that comes back starts above the floor of its block, which is more than
    /// it has had.
    fn tail(&self, most: usize) -> Range<usize> {
        let len = self.slots.len();
        let used = self.candidates().next_back(self.holes.words());
        let used = used.map_or(0, |index| index as usize + 1);
        match self.slots.shrinks_to(used) {
            Some(kept) => kept.clamp(used, len).max(len.saturating_sub(most))..len,
            None => len..len,
        }
    }

    /// Forgets the last slots, which are all holes.
    fn give_up(&mut self, tail: Range<usize>) -> Result<(), Error> {
        let Range { start: keep, end: len } = tail;
        let size = Slots::<V>::BLOCK_SLOTS;
        self.holes.cold_mut().floors.try_reserve(len.div_ceil(size))?;
        for index in indices(keep..len) {
            let generation = self.last_generation(index);
            self.holes.cold_mut().floors.raise_block(index as usize / size, generation);
        }
        // All of these are holes, so an empty state means that its memory was handed back.
        let is_trimmed = |index: &u32| self.slots.state(*index) == State::EMPTY;
        let trimmed = indices(keep..len).filter(is_trimmed).count();
        self.holes.untrim(trimmed);
        self.holes.bitmap_mut().clear_range(keep, len);
        self.holes.cold_mut().floors.forget_read_from(keep);
        self.slots.truncate(keep);
        Ok(())
    }

    /// The next stretch of whole blocks without values, from a block's first slot on, and where to go
    /// on looking. Not `all` are some megabytes only, of slots that are looked at or of the stretch.
    fn dead_stretch(&self, from: usize, all: bool) -> (Range<usize>, usize) {
        let size = Slots::<V>::BLOCK_SLOTS;
        let len = self.slots.len();
        let most = if all { usize::MAX } else { self.slots.piece_blocks() };
        let firsts = (from..).step_by(size).take_while(|first| first + size <= len).take(most);
        let Some(start) = firsts.clone().find(|&first| self.is_dead(first)) else {
            return (from..from, from.saturating_add(size.saturating_mul(most)).min(len));
        };
        let firsts = (start..).step_by(size).take_while(|first| first + size <= len).take(most);
        let end = start + firsts.take_while(|&first| self.is_dead(first)).count() * size;
        let is_cut = end - start == size.saturating_mul(most);
        (start..end, if is_cut { self.slots.piece_end(start..end) / size * size } else { end })
    }

    /// Whether all slots of a block are holes, or retired.
    fn is_dead(&self, first: usize) -> bool {
        let is_retired =
            |index| !self.slots.state(index).is_live() && self.vacant_generation(index) == 0;
        (first..first + Slots::<V>::BLOCK_SLOTS).step_by(WORD_SLOTS).all(|first| {
            // A word that is not there has no holes.
            let holes = self.holes.words().get(first / WORD_SLOTS).copied().unwrap_or(0);
            holes == u64::MAX
                || self.holes.cold().retired > 0
                    && indices(first..first + WORD_SLOTS)
                        .all(|index| holes >> (index % 64) & 1 == 1 || is_retired(index))
        })
    }

    /// Whether half of the memory of slots or more could be handed back in small runs. Linear in the slots.
    fn is_sparse(&self, slots: Range<usize>) -> bool {
        let size = Slots::<V>::BLOCK_SLOTS;
        let end = slots.end.min(self.slots.len() / size * size);
        let (mut bytes, mut start) = (0, None);
        for first in (slots.start.next_multiple_of(size)..=end).step_by(size) {
            let is_dead = first + size <= end && self.is_dead(first);
            match start {
                None if is_dead => start = Some(first),
                Some(dead) if !is_dead => {
                    bytes += self.slots.least_runs_bytes(dead..first);
                    start = None;
                }
                _ => {}
            }
        }
        bytes * 2 >= slots.len() * Slots::<V>::STRIDE_BYTES
    }

    /// Hands back what it can of slots that are all holes or retired, and returns how many bytes.
    fn try_discard(&mut self, slots: Range<usize>) -> Result<usize, Error> {
        let discard = self.slots.discardable(slots, |page| self.is_sparse(page));
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
        // Even if nothing was left to clear: there may be values of retired slots, and to look at it
        // has brought pages of zeroes back.
        let discarded = trimming.map.slots.discard(&discard);
        trimming.is_done = discarded.is_ok();
        drop(trimming);
        discarded.map(|()| discard.bytes())
    }
}

/// Slots whose memory is handed back; counted when this is dropped, also if a backing unwinds.
struct Trimming<'m, K: Key, V> {
    map: &'m mut SlotMap<K, V>,
    slots: Range<usize>,
    /// How many of them did not read as empty before.
    held: usize,
    is_done: bool,
}

impl<K: Key, V> Drop for Trimming<'_, K, V> {
    fn drop(&mut self) {
        let Self { map, slots, held, is_done } = self;
        let mut cleared = *held;
        if !*is_done {
            // Some may be gone all the same.
            let is_left = |index: &u32| map.slots.state(*index) != State::EMPTY;
            cleared -= indices(slots.clone()).filter(is_left).count();
        }
        map.holes.cold_mut().trimmed += cleared;
    }
}
