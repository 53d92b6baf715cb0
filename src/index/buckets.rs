//! [`Buckets`]: a hash table of numbers that grows by one bucket at a time.
//!
//! Linear hashing (Litwin, 1980): there is a number of buckets, and an entry is in that of its hash's lowest bits, as many
//! as number them. When there are many entries, one bucket more is made, and *one* other, the next in turn, is
//! split: those of its entries go to the new one whose next bit says so. So growing never goes over all, and copies a
//! dozen entries with an insertion. What a bucket has no room for is in others behind it.
//!
//! The hash of each slot is kept in an array beside the buckets: a split, or a removal, reads that, and asks nobody for a
//! hash or whether two are equal.

#![forbid(unsafe_code)]

use super::bucket::{Bucket, ENTRIES, NONE, tag};
use super::memory::{Arrays, ForArrays, Share, array, check_slot, copy, cover, too_many, uncover};
use crate::error::Error;
use crate::slots::prefetch::{ask_for, is_near};
use crate::vec::{VecStats, VmVec};
use std::mem;

/// With more entries a bucket, another is made; with fewer, the last goes.
const MOST: usize = 7;
const LEAST: usize = 1;

/// One in so many entries may need a bucket that overflows, where hashes are spread.
const SPARE: usize = 64;

/// Of a slot that is not in it. [`hash32`](super::hash32) makes no such hash.
pub(super) const ABSENT: u32 = u32::MAX;

/// What a hash table of slots holds. Each slot is in it once at most.
pub(super) struct Buckets {
    /// Where a chain begins. If there is another behind it, it is full, and so are all but that other.
    first: VmVec<Bucket>,
    /// What the first have no room for, and such as are free, which are chained.
    more: VmVec<Bucket>,
    free: u32,
    /// Of the bits of a hash that number the most of the first.
    mask: usize,
    /// Of each slot, or [`ABSENT`].
    hashes: VmVec<u32>,
    len: usize,
}

/// A bucket: one of the first, or one of those behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    First(usize),
    More(u32),
}

impl Buckets {
    pub(super) const fn new() -> Self {
        Self { first: array(), more: array(), free: NONE, mask: 0, hashes: array(), len: 0 }
    }

    /// A copy, in which no room is made for anything.
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

    /// In which bucket a hash is, of those that there are; 0, if there are none.
    #[inline]
    const fn number(&self, hash: u32) -> usize {
        let number = hash as usize & self.mask;
        if number < self.first.len() { number } else { number & (self.mask >> 1) }
    }

    #[inline]
    fn at_mut(&mut self, place: Place) -> &mut Bucket {
        match place {
            Place::First(number) => &mut self.first[number],
            Place::More(number) => &mut self.more[number as usize],
        }
    }

    /// The first slot of a hash that is meant.
    #[inline]
    pub(super) fn find(&self, hash: u32, mut is_meant: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut bucket = self.first.get(self.number(hash))?;
        loop {
            if let Some(at) = bucket.find(tag(hash), &mut is_meant) {
                return Some(bucket.slot(at));
            }
            if bucket.next() == NONE {
                return None;
            }
            bucket = &self.more[bucket.next() as usize];
        }
    }

    /// Refuses a slot that is no number for one, or far; see [`check_slot`].
    #[inline]
    pub(super) fn check_slot(&self, slot: u32) -> Result<(), Error> {
        check_slot(&self.hashes, slot, NONE, size_of::<u32>(), self.len)
    }

    /// Makes room for an entry of a slot, so that [`insert_reserved`](Self::insert_reserved) is refused nothing.
    ///
    /// # Errors
    ///
    /// If the system refuses memory, or the slot is `u32::MAX`; nothing has changed then that anybody could tell.
    #[inline]
    pub(super) fn reserve(&mut self, slot: u32) -> Result<(), Error> {
        // There are buckets if there are hashes. There may be no room in the one that it comes into.
        let has_more = self.free != NONE || self.more.len() < self.more.capacity();
        if (slot as usize) < self.hashes.len() && has_more {
            return Ok(());
        }
        self.reserve_after_all(slot)
    }

    #[cold]
    #[inline(never)]
    fn reserve_after_all(&mut self, slot: u32) -> Result<(), Error> {
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

    /// Puts a slot in that is not in it, for which there is room.
    #[inline]
    pub(super) fn insert_reserved(&mut self, hash: u32, slot: u32) {
        self.hashes[slot as usize] = hash;
        self.put(self.number(hash), (tag(hash), slot));
        self.len += 1;
        if self.len > self.first.len() * MOST {
            self.split();
        }
    }

    /// Puts another slot, for which there is room, where one is; whether that was in it.
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

    /// The hash of a slot that is in it.
    #[inline]
    pub(super) fn hash_of(&self, slot: u32) -> Option<u32> {
        self.hashes.get(slot as usize).copied().filter(|hash| *hash != ABSENT)
    }

    #[inline]
    pub(super) fn contains(&self, slot: u32) -> bool {
        self.hash_of(slot).is_some()
    }

    /// Puts an entry into a chain, for which there is room.
    #[inline]
    fn put(&mut self, number: usize, entry: (u8, u32)) {
        let first = &mut self.first[number];
        let len = first.len();
        if len < ENTRIES {
            first.set(len, entry);
        } else {
            self.put_behind(number, entry);
        }
    }

    #[cold]
    #[inline(never)]
    fn put_behind(&mut self, number: usize, entry: (u8, u32)) {
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

    /// A bucket, for which there is room.
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

    /// Takes a slot out; whether it was in it.
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

    /// Takes the first slot of a hash out that is meant.
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

    /// Takes a slot out, which is sooner found if that is its hash.
    #[inline]
    pub(super) fn remove_hashed(&mut self, hash: u32, slot: u32) {
        if self.remove_found(hash, |other| other == slot).is_none() {
            self.remove(slot);
        }
    }

    /// Takes out what is at a place of a chain.
    #[inline]
    fn take(&mut self, number: usize, place: Place, at: usize, slot: u32) {
        let last = self.take_last(number);
        // It may be the one itself, which is gone then.
        if let Some(entry) = last.filter(|last| last.1 != slot) {
            self.at_mut(place).set(at, entry);
        }
        self.hashes[slot as usize] = ABSENT;
        self.len -= 1;
        if self.len < self.first.len() * LEAST {
            self.merge();
        }
    }

    /// Takes the last entry of a chain out.
    #[inline]
    fn take_last(&mut self, number: usize) -> Option<(u8, u32)> {
        let first = &mut self.first[number];
        if first.next() == NONE { first.pop() } else { self.take_last_behind(number) }
    }

    #[cold]
    #[inline(never)]
    fn take_last_behind(&mut self, number: usize) -> Option<(u8, u32)> {
        let next = self.first[number].next();
        let bucket = &mut self.more[next as usize];
        let entry = bucket.pop();
        if bucket.len() == 0 {
            self.first[number].set_next(bucket.next());
            self.give_free(next);
        }
        entry
    }

    /// Where in a chain the first slot is that is meant.
    #[inline]
    fn place_of(
        &self,
        number: usize,
        tag: u8,
        mut is_meant: impl FnMut(u32) -> bool,
    ) -> Option<(Place, usize)> {
        let mut place = Place::First(number);
        let mut bucket = self.first.get(number)?;
        loop {
            if let Some(at) = bucket.find(tag, &mut is_meant) {
                return Some((place, at));
            }
            if bucket.next() == NONE {
                return None;
            }
            place = Place::More(bucket.next());
            bucket = &self.more[bucket.next() as usize];
        }
    }

    /// Makes a bucket more, and splits the one whose turn it is; not, if there is no memory.
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
            // Which it is nobody can foresee: so no branch, and what is written too much is written over.
            stays.set(counts[0], (tag, slot));
            goes.set(counts[1], (tag, slot));
            counts[0] += usize::from(!is_going);
            counts[1] += usize::from(is_going);
        }
        // One of them has an entry behind its own that is not its own.
        for (half, count) in [(&mut stays, counts[0]), (&mut goes, counts[1])] {
            if count < bucket.len() {
                half.clear(count);
            }
        }
        self.first[victim] = stays;
        self.first[number] = goes;
        if bucket.next() != NONE {
            self.split_behind(bucket.next(), victim, bit);
        }
        self.ask_for_hashes(victim + 1);
    }

    /// Puts what was behind a bucket that is split where it belongs.
    ///
    /// It needs no memory: so many full buckets, and one that is not, have no more behind them when they are in two chains.
    #[cold]
    #[inline(never)]
    fn split_behind(&mut self, mut next: u32, victim: usize, bit: usize) {
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

    /// Asks for what the next split will read.
    #[inline]
    fn ask_for_hashes(&self, number: usize) {
        if is_near(self.hashes.len() * size_of::<u32>()) {
            return;
        }
        if let Some(bucket) = self.first.get(number) {
            for at in 0..ENTRIES {
                let slot = bucket.slot(at) as usize;
                let hash = self.hashes.get(slot).unwrap_or(&self.hashes[0]);
                ask_for(hash);
            }
        }
    }

    /// Puts what the last bucket has into the one that it was split from; not, if there is no memory.
    #[cold]
    #[inline(never)]
    fn merge(&mut self) {
        // Beside those that its own chain gives, one may be needed, and one may be promised to an insertion.
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

    /// Moves overflow buckets from the end of `more` to the free ones, and truncates it.
    fn pack(&mut self) {
        let used = self.more.iter().filter(|bucket| bucket.len() > 0).count();
        let mut free = 0;
        for number in 0..self.first.len() {
            let mut place = Place::First(number);
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
                place = Place::More(next);
            }
        }
        self.more.truncate(used);
        self.free = NONE;
    }

    /// [`tidy`](Arrays::tidy), but keeps room for entries of all slots below `end`; no entry is past it.
    pub(super) fn tidy_below(&mut self, end: usize) {
        self.hashes.truncate(end);
        if self.len == 0 {
            self.first.clear();
            self.more.clear();
            self.hashes.clear();
            (self.free, self.mask) = (NONE, 0);
        }
        while self.first.len() > 1 && self.len <= (self.first.len() - 1) * MOST {
            let before = self.first.len();
            self.merge();
            if self.first.len() == before {
                break;
            }
        }
        self.pack();
    }

    /// The memory stays, and as many buckets as there were entries, up to those that there are: so the next that come have
    /// none made, and to clear it again and again takes as long as to fill it.
    pub(super) fn clear(&mut self) {
        self.first.truncate(self.len.max(1));
        self.first.fill(Bucket::EMPTY);
        self.mask = self.first.len().next_power_of_two() - 1;
        self.more.clear();
        self.hashes.clear();
        self.free = NONE;
        self.len = 0;
    }

    /// Shows each array, where what is put in is numbered otherwise than by slots, so that the hashes have that share.
    pub(super) fn each_array_of(
        &mut self,
        visitor: &mut impl ForArrays,
        hashes: Share,
    ) -> Result<(), Error> {
        // One of them is split when there are more.
        visitor
            .visit(&mut self.first, Share { slots_each: MOST, most: |slots| slots / MOST + 2 })?;
        // Behind one that is full; and some are reserved, or in use while two are put together.
        let most = |slots| slots / ENTRIES + 4;
        visitor.visit(&mut self.more, Share { slots_each: SPARE, most })?;
        visitor.visit(&mut self.hashes, hashes)
    }

    /// Whether each entry is where its hash says, and nothing is lost.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let mut found = 0;
        for number in 0..self.first.len() {
            let (mut bucket, mut behind) = (&self.first[number], 0);
            loop {
                for at in 0..bucket.len() {
                    let (tag_there, slot) = bucket.entry(at);
                    let hash = self.hash_of(slot).unwrap();
                    assert_eq!((tag_there, self.number(hash)), (tag(hash), number));
                    found += 1;
                }
                assert!((bucket.len()..ENTRIES).all(|at| bucket.slot(at) == NONE));
                if behind == 1 {
                    assert!(bucket.len() > 0, "an empty one is free");
                } else {
                    assert!(bucket.len() == ENTRIES || bucket.next() == NONE && behind == 0);
                }
                if bucket.next() == NONE {
                    break;
                }
                (bucket, behind) = (&self.more[bucket.next() as usize], behind + 1);
            }
        }
        assert_eq!(found, self.len);
        assert_eq!(self.hashes.iter().filter(|hash| **hash != ABSENT).count(), self.len);
    }
}

impl Arrays for Buckets {
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        self.each_array_of(visitor, Share::SLOTS)
    }

    fn tidy(&mut self) {
        uncover(&mut self.hashes, |hash| *hash != ABSENT);
        self.tidy_below(self.hashes.len());
    }

    fn each_stats(&self, visit: &mut impl FnMut(VecStats)) {
        visit(self.first.stats());
        visit(self.more.stats());
        visit(self.hashes.stats());
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
            // More come for some time, then more go.
            match model.entry(slot) {
                Entry::Occupied(known) if step / 2000 % 2 == 1 || random % 7 == 0 => {
                    match random >> 8 & 3 {
                        0 => assert!(buckets.remove(slot)),
                        1 => {
                            let found = buckets.remove_found(*known.get(), |other| other == slot);
                            assert_eq!(found, Some(slot));
                        }
                        // The hash may be wrong.
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
    fn what_is_put_in_is_found_until_it_is_taken_out() {
        agree(|slot| slot.wrapping_mul(0x9e37_79b9), 12_000);
    }

    #[test]
    fn hashes_that_are_all_equal_or_of_one_bucket_lose_nothing() {
        agree(|_| 7, 6_000);
        agree(|slot| slot << 24, 6_000);
        agree(|slot| slot & 1, 6_000);
    }
}
