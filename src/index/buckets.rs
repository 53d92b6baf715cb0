//! [`Buckets`]: a hash table of slots that grows by one bucket at a time.
//!
//! Linear hashing (Litwin, 1980): an entry lies in the bucket that the lowest bits of its hash number, as many bits as
//! number all buckets. When there are too many entries, a bucket is added and *one* other, the next in turn, is split:
//! the entries whose next hash bit is set move to the new bucket. Growth never visits all entries; an insertion copies
//! about a dozen. Entries that do not fit in their bucket lie in overflow buckets chained to it.
//!
//! The hash of each slot is stored in an array, so splits and removals run no user code to hash or compare.

#![forbid(unsafe_code)]

use super::bucket::{Bucket, ENTRIES, NONE, tag};
use super::memory::{
    Arrays, ForArrays, SlotRatio, array, check_slot, copy, cover, too_many, uncover,
};
use crate::error::Error;
use crate::slots::prefetch::{is_near, prefetch_value};
use crate::vec::{VecStats, VmVec};
use std::mem;

/// A bucket is added above `MOST` entries per bucket, and removed below `LEAST`.
const MOST: usize = 7;
const LEAST: usize = 1;

/// The number of entries per overflow bucket, if hashes are well distributed.
const SPARE: usize = 64;

/// The hash of a slot that is not in the table. [`hash32`](super::hash32) never returns it.
pub(super) const ABSENT: u32 = u32::MAX;

/// A hash table of slots, each of which occurs at most once.
pub(super) struct Buckets {
    /// The first bucket of each chain. If it has a next bucket, it is full, and so are all later ones except the
    /// second.
    first: VmVec<Bucket>,
    /// Overflow buckets, including free ones, which form a chain of their own.
    more: VmVec<Bucket>,
    free: u32,
    /// Selects the hash bits that number the buckets.
    mask: usize,
    /// The hash of each slot, or [`ABSENT`].
    hashes: VmVec<u32>,
    len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BucketId {
    First(usize),
    More(u32),
}

impl Buckets {
    pub(super) const fn new() -> Self {
        Self { first: array(), more: array(), free: NONE, mask: 0, hashes: array(), len: 0 }
    }

    /// Returns a copy without reserved memory.
    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self {
            first: copy(&self.first)?,
            more: copy(&self.more)?,
            hashes: copy(&self.hashes)?,
            ..*self
        })
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of the bucket for a hash; 0 if there are no buckets.
    #[inline]
    const fn number(&self, hash: u32) -> usize {
        let number = hash as usize & self.mask;
        if number < self.first.len() { number } else { number & (self.mask >> 1) }
    }

    #[inline]
    fn at_mut(&mut self, place: BucketId) -> &mut Bucket {
        match place {
            BucketId::First(number) => &mut self.first[number],
            BucketId::More(number) => &mut self.more[number as usize],
        }
    }

    /// Returns the first slot with the hash that `is_meant` accepts.
    #[inline]
    pub(super) fn find(&self, hash: u32, mut is_meant: impl FnMut(u32) -> bool) -> Option<u32> {
        self.find_map(hash, |slot| is_meant(slot).then_some(slot))
    }

    /// Returns the first result of `look` for a slot with the hash.
    #[inline]
    pub(super) fn find_map<T>(
        &self,
        hash: u32,
        mut look: impl FnMut(u32) -> Option<T>,
    ) -> Option<T> {
        let mut bucket = self.first.get(self.number(hash))?;
        let mut found = None;
        loop {
            let has_found = |slot| {
                found = look(slot);
                found.is_some()
            };
            if bucket.find(tag(hash), has_found).is_some() {
                return found;
            }
            if bucket.next() == NONE {
                return None;
            }
            bucket = &self.more[bucket.next() as usize];
        }
    }

    /// Returns the entry of the set that a slot with the hash belongs to, or [`NONE`]. `other` returns a slot of the
    /// set of an entry, but not the slot to be placed, for which `is_meant` must not be called.
    #[inline]
    pub(super) fn look(
        &self,
        hash: u32,
        other: impl Fn(u32) -> Option<u32>,
        mut is_meant: impl FnMut(u32) -> bool,
    ) -> u32 {
        let mut alone = NONE;
        let found = self.find(hash, |head| {
            let Some(other) = other(head) else {
                // The slot is alone in its set, which serves as a new set if its hash matches.
                if self.hash_of(head) == Some(hash) {
                    alone = head;
                }
                return false;
            };
            is_meant(other)
        });
        found.unwrap_or(alone)
    }

    /// Checks that a slot number is in range and not far; see [`check_slot`].
    #[inline]
    pub(super) fn check_slot(&self, slot: u32) -> Result<(), Error> {
        check_slot(&self.hashes, slot, NONE, size_of::<u32>(), self.len)
    }

    /// Reserves memory for an entry of a slot, so that [`insert_reserved`](Self::insert_reserved) cannot fail.
    ///
    /// # Errors
    ///
    /// If memory is refused, or the slot is `u32::MAX`. Nothing observable has changed then.
    #[inline]
    pub(super) fn reserve(&mut self, slot: u32) -> Result<(), Error> {
        // There are buckets if there are hashes. The bucket of the entry may be full, so an overflow bucket must be
        // available.
        let has_more = self.free != NONE || self.more.len() < self.more.capacity();
        if (slot as usize) < self.hashes.len() && has_more {
            return Ok(());
        }
        self.reserve_slow(slot)
    }

    #[cold]
    #[inline(never)]
    fn reserve_slow(&mut self, slot: u32) -> Result<(), Error> {
        if slot == NONE {
            return Err(too_many(NONE));
        }
        if self.first.is_empty() {
            self.first.try_push(Bucket::EMPTY).map_err(|refused| refused.error)?;
        }
        if self.free == NONE {
            self.more.try_reserve(1)?;
        }
        cover(&mut self.hashes, slot, ABSENT)
    }

    /// Inserts a slot that is not in the table. Memory must have been reserved.
    #[inline]
    pub(super) fn insert_reserved(&mut self, hash: u32, slot: u32) {
        self.hashes[slot as usize] = hash;
        self.put(self.number(hash), (tag(hash), slot));
        self.len += 1;
        if self.len > self.first.len() * MOST {
            self.split();
        }
    }

    /// Replaces a slot by another with the same hash. Memory for it must have been reserved. Returns `true` if the old
    /// slot was in the table.
    pub(super) fn replace_reserved(&mut self, old: u32, new: u32) -> bool {
        let Some(hash) = self.hash_of(old) else { return false };
        let Some((place, at)) = self.place_of(self.number(hash), tag(hash), |other| other == old)
        else {
            return false;
        };
        self.hashes[old as usize] = ABSENT;
        self.hashes[new as usize] = hash;
        self.at_mut(place).set(at, (tag(hash), new));
        true
    }

    #[inline]
    pub(super) fn hash_of(&self, slot: u32) -> Option<u32> {
        self.hashes.get(slot as usize).copied().filter(|hash| *hash != ABSENT)
    }

    #[inline]
    pub(super) fn contains(&self, slot: u32) -> bool {
        self.hash_of(slot).is_some()
    }

    /// Adds an entry to a chain. Memory must have been reserved.
    #[inline]
    fn put(&mut self, number: usize, entry: (u8, u32)) {
        let first = &mut self.first[number];
        let len = first.len();
        if len < ENTRIES {
            first.set(len, entry);
        } else {
            self.put_overflow(number, entry);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_overflow(&mut self, number: usize, entry: (u8, u32)) {
        let next = self.first[number].next();
        if let Some(bucket) = self.more.get_mut(next as usize) {
            let len = bucket.len();
            if len < ENTRIES {
                return bucket.set(len, entry);
            }
        }
        let fresh = self.take_free();
        let bucket = &mut self.more[fresh as usize];
        *bucket = Bucket::before(next);
        bucket.set(0, entry);
        self.first[number].set_next(fresh);
    }

    /// Returns a free overflow bucket. Memory must have been reserved.
    fn take_free(&mut self) -> u32 {
        if let Some(bucket) = self.more.get(self.free as usize) {
            return mem::replace(&mut self.free, bucket.next());
        }
        self.more.push(Bucket::EMPTY);
        u32::try_from(self.more.len() - 1).unwrap_or(NONE)
    }

    fn give_free(&mut self, number: u32) {
        self.more[number as usize] = Bucket::before(self.free);
        self.free = number;
    }

    /// Removes a slot. Returns `true` if it was in the table.
    #[inline]
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        let Some(hash) = self.hash_of(slot) else { return false };
        let number = self.number(hash);
        let Some((place, at)) = self.place_of(number, tag(hash), |other| other == slot) else {
            return false;
        };
        self.take(number, place, at, slot);
        true
    }

    /// Removes the first slot with the hash that `is_meant` accepts.
    #[inline]
    pub(super) fn remove_found(
        &mut self,
        hash: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Option<u32> {
        let number = self.number(hash);
        let (place, at) = self.place_of(number, tag(hash), is_meant)?;
        let slot = self.at_mut(place).slot(at);
        self.take(number, place, at, slot);
        Some(slot)
    }

    /// Removes a slot; faster if the hash is the one it was inserted with.
    #[inline]
    pub(super) fn remove_hashed(&mut self, hash: u32, slot: u32) {
        if self.remove_found(hash, |other| other == slot).is_none() {
            self.remove(slot);
        }
    }

    #[inline]
    fn take(&mut self, number: usize, place: BucketId, at: usize, slot: u32) {
        let last = self.take_last(number);
        // The last entry may be the removed one.
        if let Some(entry) = last.filter(|last| last.1 != slot) {
            self.at_mut(place).set(at, entry);
        }
        self.hashes[slot as usize] = ABSENT;
        self.len -= 1;
        if self.len < self.first.len() * LEAST {
            self.merge();
        }
    }

    #[inline]
    fn take_last(&mut self, number: usize) -> Option<(u8, u32)> {
        let first = &mut self.first[number];
        if first.next() == NONE { first.pop() } else { self.take_last_overflow(number) }
    }

    #[cold]
    #[inline(never)]
    fn take_last_overflow(&mut self, number: usize) -> Option<(u8, u32)> {
        let next = self.first[number].next();
        let bucket = &mut self.more[next as usize];
        let entry = bucket.pop();
        if bucket.len() == 0 {
            self.first[number].set_next(bucket.next());
            self.give_free(next);
        }
        entry
    }

    /// Returns the place of the first slot in a chain that `is_meant` accepts.
    #[inline]
    fn place_of(
        &self,
        number: usize,
        tag: u8,
        mut is_meant: impl FnMut(u32) -> bool,
    ) -> Option<(BucketId, usize)> {
        let mut place = BucketId::First(number);
        let mut bucket = self.first.get(number)?;
        loop {
            if let Some(at) = bucket.find(tag, &mut is_meant) {
                return Some((place, at));
            }
            if bucket.next() == NONE {
                return None;
            }
            place = BucketId::More(bucket.next());
            bucket = &self.more[bucket.next() as usize];
        }
    }

    /// Adds a bucket and splits the next one in turn, unless memory is refused.
    #[inline(never)]
    fn split(&mut self) {
        let number = self.first.len();
        if self.first.try_push(Bucket::EMPTY).is_err() {
            return;
        }
        self.mask = self.first.len().next_power_of_two() - 1;
        let bit = 1 << number.ilog2();
        let victim = number - bit;
        let bucket = mem::replace(&mut self.first[victim], Bucket::EMPTY);
        let [mut stays, mut goes] = [Bucket::EMPTY; 2];
        let mut counts = [0, 0];
        for at in 0..bucket.len() {
            let (tag, slot) = bucket.entry(at);
            let is_going = self.hashes[slot as usize] as usize & bit != 0;
            // Branchless, because the direction is unpredictable: each entry is written to both halves, and later
            // overwritten in the wrong one.
            stays.set(counts[0], (tag, slot));
            goes.set(counts[1], (tag, slot));
            counts[0] += usize::from(!is_going);
            counts[1] += usize::from(is_going);
        }
        // The entries of a half may be followed by one of the other half.
        for (half, count) in [(&mut stays, counts[0]), (&mut goes, counts[1])] {
            if count < bucket.len() {
                half.clear(count);
            }
        }
        self.first[victim] = stays;
        self.first[number] = goes;
        if bucket.next() != NONE {
            self.split_overflow(bucket.next(), victim, bit);
        }
        self.prefetch_hashes(victim + 1);
    }

    /// Distributes the overflow entries of a split bucket.
    ///
    /// Needs no memory: full buckets and one partly full bucket occupy no more overflow buckets when divided into two
    /// chains.
    #[cold]
    #[inline(never)]
    fn split_overflow(&mut self, mut next: u32, victim: usize, bit: usize) {
        while next != NONE {
            let bucket = self.more[next as usize];
            self.give_free(next);
            for at in 0..bucket.len() {
                let entry = bucket.entry(at);
                let is_going = self.hashes[entry.1 as usize] as usize & bit != 0;
                self.put(if is_going { victim + bit } else { victim }, entry);
            }
            next = bucket.next();
        }
    }

    /// Prefetches the hashes that the next split reads.
    #[inline]
    fn prefetch_hashes(&self, number: usize) {
        if is_near(self.hashes.len() * size_of::<u32>()) {
            return;
        }
        if let Some(bucket) = self.first.get(number) {
            for at in 0..ENTRIES {
                let slot = bucket.slot(at) as usize;
                let hash = self.hashes.get(slot).unwrap_or(&self.hashes[0]);
                prefetch_value(hash);
            }
        }
    }

    /// Merges the last bucket into the one it was split from, unless memory is refused.
    #[cold]
    #[inline(never)]
    fn merge(&mut self) {
        // Apart from the buckets that its own chain frees, one may be needed, and one may be reserved for an insertion.
        if self.first.len() < 2 || self.more.try_reserve(2).is_err() {
            return;
        }
        let Some(mut bucket) = self.first.pop() else { return };
        let number = self.first.len();
        self.mask = number.next_power_of_two() - 1;
        let to = number - (1 << number.ilog2());
        loop {
            for at in 0..bucket.len() {
                self.put(to, bucket.entry(at));
            }
            let next = bucket.next();
            if next == NONE {
                return;
            }
            bucket = self.more[next as usize];
            self.give_free(next);
        }
    }

    /// Moves overflow buckets from the end of `more` to free places, and truncates it.
    fn pack(&mut self) {
        let used = self.more.iter().filter(|bucket| bucket.len() > 0).count();
        let mut free = 0;
        for number in 0..self.first.len() {
            let mut place = BucketId::First(number);
            loop {
                let mut next = self.at_mut(place).next();
                if next == NONE {
                    break;
                }
                if next as usize >= used {
                    while self.more[free as usize].len() > 0 {
                        free += 1;
                    }
                    self.more[free as usize] = self.more[next as usize];
                    self.at_mut(place).set_next(free);
                    next = free;
                }
                place = BucketId::More(next);
            }
        }
        self.more.truncate(used);
        self.free = NONE;
    }

    /// Does what [`tidy`](Arrays::tidy) does, but keeps memory for entries of all slots below `end`; no entry is past
    /// it.
    pub(super) fn tidy_below(&mut self, end: usize) {
        self.hashes.truncate(end);
        if self.len == 0 {
            self.first.clear();
            self.more.clear();
            self.hashes.clear();
            (self.free, self.mask) = (NONE, 0);
        }
        while self.first.len() > self.len.div_ceil(MOST) {
            let before = self.first.len();
            self.merge();
            if self.first.len() == before {
                break;
            }
        }
        self.pack();
    }

    /// Removes all entries. Memory stays committed, and as many buckets stay as there were entries, so that refilling
    /// the table splits few buckets and repeated clearing takes no longer than filling.
    pub(super) fn clear(&mut self) {
        self.first.truncate(self.len.max(1));
        self.first.fill(Bucket::EMPTY);
        self.mask = self.first.len().next_power_of_two() - 1;
        self.more.clear();
        self.hashes.clear();
        self.free = NONE;
        self.len = 0;
    }

    /// Visits the arrays of a table whose entries are not numbered by slots; `hashes` is the share of the hashes.
    pub(super) fn each_array_of(
        &mut self,
        visitor: &mut impl ForArrays,
        hashes: SlotRatio,
    ) -> Result<(), Error> {
        // A bucket is added when there are more than `MOST` entries per bucket.
        visitor.visit(&mut self.first, SlotRatio::new(MOST, |slots| slots / MOST + 2))?;
        // Each overflow bucket follows a full one; a few more are reserved, or in use during a merge.
        let most = |slots| slots / ENTRIES + 4;
        visitor.visit(&mut self.more, SlotRatio::new(SPARE, most))?;
        visitor.visit(&mut self.hashes, hashes)
    }

    /// Asserts that each entry lies in the bucket of its hash, and that the counts are right.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let mut found = 0;
        for number in 0..self.first.len() {
            let (mut bucket, mut depth) = (&self.first[number], 0);
            loop {
                for at in 0..bucket.len() {
                    let (tag_there, slot) = bucket.entry(at);
                    let hash = self.hash_of(slot).unwrap();
                    assert_eq!((tag_there, self.number(hash)), (tag(hash), number));
                    found += 1;
                }
                assert!((bucket.len()..ENTRIES).all(|at| bucket.slot(at) == NONE));
                if depth == 1 {
                    assert!(bucket.len() > 0, "an empty overflow bucket was not freed");
                } else {
                    assert!(bucket.len() == ENTRIES || bucket.next() == NONE && depth == 0);
                }
                if bucket.next() == NONE {
                    break;
                }
                (bucket, depth) = (&self.more[bucket.next() as usize], depth + 1);
            }
        }
        assert_eq!(found, self.len);
        assert_eq!(self.hashes.iter().filter(|hash| **hash != ABSENT).count(), self.len);
    }
}

impl Arrays for Buckets {
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        self.each_array_of(visitor, SlotRatio::SLOTS)
    }

    fn tidy(&mut self) {
        uncover(&mut self.hashes, |hash| *hash != ABSENT);
        self.tidy_below(self.hashes.len());
    }

    fn memory(&self) -> VecStats {
        self.first.stats() + self.more.stats() + self.hashes.stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::collections::hash_map::Entry;

    fn agree(hash_of: impl Fn(u32) -> u32, steps: u32) {
        let mut buckets = Buckets::new();
        let mut model = HashMap::new();
        let mut random = 1_u32;
        for step in 0..steps {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let slot = (random >> 16) % 600;
            // Phases of growth and of shrinking alternate.
            match model.entry(slot) {
                Entry::Occupied(known) if step / 2000 % 2 == 1 || random % 7 == 0 => {
                    match random >> 8 & 3 {
                        0 => assert!(buckets.remove(slot)),
                        1 => {
                            let found = buckets.remove_found(*known.get(), |other| other == slot);
                            assert_eq!(found, Some(slot));
                        }
                        // The hash passed may be wrong.
                        wrong => buckets.remove_hashed(known.get() ^ (wrong & 1), slot),
                    }
                    known.remove();
                }
                Entry::Vacant(unknown) if step / 2000 % 2 == 0 || random % 5 == 0 => {
                    assert!(!buckets.remove(slot));
                    buckets.reserve(slot).unwrap();
                    buckets.insert_reserved(hash_of(slot), slot);
                    unknown.insert(hash_of(slot));
                }
                _ => {}
            }
            if step % 97 == 0 {
                buckets.check();
                assert_eq!(buckets.len(), model.len());
                for slot in 0..600 {
                    let found = buckets.find(hash_of(slot), |other| other == slot);
                    assert_eq!(found, model.get(&slot).map(|_| slot));
                }
            }
        }
        buckets.clear();
        assert_eq!(buckets.find(hash_of(1), |_| true), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn inserted_slots_are_found_until_removed() {
        agree(|slot| slot.wrapping_mul(0x9e37_79b9), 12_000);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn colliding_hashes_lose_no_entry() {
        agree(|_| 7, 6_000);
        agree(|slot| slot << 24, 6_000);
        agree(|slot| slot & 1, 6_000);
    }

    #[test]
    fn unused_overflow_buckets_are_returned() {
        let hash = |slot: u32| if slot < 300 { 7 } else { 8 };
        let mut buckets = Buckets::new();
        for slot in 0..600 {
            buckets.reserve(slot).unwrap();
            buckets.insert_reserved(hash(slot), slot);
        }
        assert!(buckets.more.len() >= 2 * (300 / ENTRIES - 1));
        // Those of the second hash remain, and come after the others.
        (10..300).for_each(|slot| assert!(buckets.remove(slot)));
        buckets.tidy();
        buckets.check();
        assert!(buckets.more.len() <= 300 / ENTRIES + 1, "{}", buckets.more.len());
        for slot in 0..600 {
            let is_left = !(10..300).contains(&slot);
            assert_eq!(buckets.find(hash(slot), |other| other == slot).is_some(), is_left);
        }
        (300..600).for_each(|slot| assert!(buckets.remove(slot)));
        buckets.tidy();
        buckets.check();
        assert_eq!((buckets.more.len(), buckets.len()), (0, 10));
    }

    #[test]
    fn shrinking_merges_buckets_until_they_are_full() {
        let hash = |slot: u32| slot.wrapping_mul(0x9e37_79b9);
        for left in [7 * 14, 7 * 14 + 1, 1] {
            let mut buckets = Buckets::new();
            for slot in 0..600 {
                buckets.reserve(slot).unwrap();
                buckets.insert_reserved(hash(slot), slot);
            }
            (left..600).for_each(|slot| assert!(buckets.remove(slot)));
            let count = usize::try_from(left).unwrap().div_ceil(MOST);
            assert!(left == 1 || buckets.first.len() > 5 * count);
            buckets.tidy();
            buckets.check();
            assert_eq!(buckets.first.len(), count);
            for slot in 0..600 {
                let found = buckets.find(hash(slot), |other| other == slot);
                assert_eq!(found.is_some(), slot < left);
            }
        }
    }
}
