//! [`Buckets`]: a hash table of numbers that grows by one bucket at a time.
//!
//! Linear hashing (Litwin, 1980): there is a number of buckets, and an entry is in that of its hash's lowest bits, as many
//! as number them. When there are many entries, one bucket more is made, and *one* other, the next in turn, is
//! split: those of its entries go to the new one whose next bit says so. So growing never goes over all, and copies a
//! dozen entries with an insertion. What a bucket has no room for is in others behind it.
//!
//! The hash of each slot is kept in an array beside the buckets: a split, or a removal, reads that, and asks nobody for a
//! hash or whether two are equal.

use super::bucket::{Bucket, ENTRIES, NONE, tag};
use super::memory::{Arrays, ForArrays};
use crate::error::{Error, ErrorKind};
use crate::vec::{VecStats, VmVec};

/// With more entries a bucket, another is made; with fewer, the last goes.
const MOST: usize = 7;
const LEAST: usize = 3;

/// One in so many entries may need a bucket that overflows, where hashes are spread.
const SPARE: usize = 64;

/// What a hash table of slots holds. Each slot is in it once at most.
pub(super) struct Buckets {
    first: VmVec<Bucket>,
    /// What the first have no room for, and such as are free, which are chained.
    more: VmVec<Bucket>,
    free: u32,
    /// Of each slot that is in it.
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
        Self { first: VmVec::new(), more: VmVec::new(), free: NONE, hashes: VmVec::new(), len: 0 }
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// In which bucket a hash is, of those that there are.
    #[inline]
    fn number(&self, hash: u32) -> usize {
        let buckets = self.first.len();
        let mask = buckets.next_power_of_two() - 1;
        let number = hash as usize & mask;
        if number < buckets { number } else { number & (mask >> 1) }
    }

    #[inline]
    fn at(&self, place: Place) -> &Bucket {
        match place {
            Place::First(number) => &self.first[number],
            Place::More(number) => &self.more[number as usize],
        }
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
        if self.first.is_empty() {
            return None;
        }
        let mut bucket = &self.first[self.number(hash)];
        loop {
            for at in bucket.matches(tag(hash)) {
                let slot = bucket.slot(at);
                // What was free may look like a tag of 1.
                if slot != NONE && is_meant(slot) {
                    return Some(slot);
                }
            }
            if bucket.next == NONE {
                return None;
            }
            bucket = &self.more[bucket.next as usize];
        }
    }

    /// Makes room for an entry of a slot, so that [`insert_reserved`](Self::insert_reserved) is refused nothing.
    ///
    /// # Errors
    ///
    /// If the system refuses memory, or the slot is `u32::MAX`; nothing has changed then that anybody could tell.
    pub(super) fn reserve(&mut self, slot: u32) -> Result<(), Error> {
        if slot == NONE {
            return Err(Error::new(ErrorKind::KeyBits, 0).with_limit(NONE.into()));
        }
        if self.first.is_empty() {
            self.first.try_push(Bucket::EMPTY).map_err(|refused| refused.error)?;
        }
        if self.free == NONE {
            // There may be no room in the bucket.
            self.more.try_reserve(1)?;
        }
        let hashes = slot as usize + 1;
        if hashes > self.hashes.len() {
            self.hashes.try_resize(hashes, 0)?;
        }
        Ok(())
    }

    /// Puts a slot in that is not in it, for which there is room.
    pub(super) fn insert_reserved(&mut self, hash: u32, slot: u32) {
        self.hashes[slot as usize] = hash;
        self.put(Place::First(self.number(hash)), (tag(hash), slot));
        self.len += 1;
        if self.len > self.first.len() * MOST {
            self.split();
        }
    }

    /// Puts another slot, for which there is room, where one is; whether that was in it.
    pub(super) fn replace_reserved(&mut self, old: u32, new: u32) -> bool {
        let Some(&hash) = self.hashes.get(old as usize) else { return false };
        let Some((place, at)) = self.place_of(hash, old) else { return false };
        self.hashes[new as usize] = hash;
        self.at_mut(place).set(at, (tag(hash), new));
        true
    }

    /// The hash of a slot that is in it.
    pub(super) fn hash_of(&self, slot: u32) -> Option<u32> {
        self.hashes.get(slot as usize).copied()
    }

    /// Puts an entry behind those of a chain, for which there is room.
    fn put(&mut self, first: Place, entry: (u8, u32)) {
        let last = self.last(first);
        let len = self.at(last).len();
        if len < ENTRIES {
            return self.at_mut(last).set(len, entry);
        }
        let number = self.take_free();
        self.at_mut(last).next = number;
        self.at_mut(Place::More(number)).set(0, entry);
    }

    fn last(&self, first: Place) -> Place {
        let mut last = first;
        loop {
            match self.at(last).next {
                NONE => return last,
                next => last = Place::More(next),
            }
        }
    }

    /// An empty bucket, for which there is room.
    fn take_free(&mut self) -> u32 {
        match self.free {
            NONE => {
                self.more.push(Bucket::EMPTY);
                u32::try_from(self.more.len() - 1).unwrap_or(NONE)
            }
            free => {
                let bucket = &mut self.more[free as usize];
                self.free = bucket.next;
                *bucket = Bucket::EMPTY;
                free
            }
        }
    }

    fn give_free(&mut self, number: u32) {
        self.more[number as usize] = Bucket::before(self.free);
        self.free = number;
    }

    /// Takes a slot out; whether it was in it.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        let Some(&hash) = self.hashes.get(slot as usize) else { return false };
        let Some((place, at)) = self.place_of(hash, slot) else { return false };
        let first = Place::First(self.number(hash));
        let entry = self.take_last(first);
        // It may be the one itself, which is gone then.
        if entry.1 != slot {
            self.at_mut(place).set(at, entry);
        }
        self.len -= 1;
        if self.len < self.first.len() * LEAST {
            self.merge();
        }
        true
    }

    /// Where a slot of that hash is, if it is in it.
    fn place_of(&self, hash: u32, slot: u32) -> Option<(Place, usize)> {
        if self.first.is_empty() {
            return None;
        }
        let mut place = Place::First(self.number(hash));
        loop {
            let bucket = self.at(place);
            if let Some(at) = bucket.matches(tag(hash)).find(|&at| bucket.slot(at) == slot) {
                return Some((place, at));
            }
            match bucket.next {
                NONE => return None,
                next => place = Place::More(next),
            }
        }
    }

    /// Takes the last entry of a chain out, which is not empty.
    fn take_last(&mut self, first: Place) -> (u8, u32) {
        let (mut before, mut last) = (None, first);
        while self.at(last).next != NONE {
            (before, last) = (Some(last), Place::More(self.at(last).next));
        }
        let at = self.at(last).len() - 1;
        let entry = self.at(last).entry(at);
        self.at_mut(last).clear(at);
        if let (0, Some(before), Place::More(number)) = (at, before, last) {
            self.at_mut(before).next = NONE;
            self.give_free(number);
        }
        entry
    }

    /// Makes a bucket more, and splits the one whose turn it is; not, if there is no memory.
    fn split(&mut self) {
        let number = self.first.len();
        let bit = number.next_power_of_two() / if number.is_power_of_two() { 1 } else { 2 };
        let victim = number - bit;
        // As many as the victim has may be needed for a moment.
        let chain = self.chain_len(victim);
        if self.more.try_reserve(chain).is_err() || self.first.try_push(Bucket::EMPTY).is_err() {
            return;
        }
        let mut place = Place::First(victim);
        let mut bucket = *self.at(place);
        *self.at_mut(place) = Bucket::EMPTY;
        loop {
            for at in 0..bucket.len() {
                let entry = bucket.entry(at);
                let goes = self.hashes[entry.1 as usize] as usize & bit != 0;
                self.put(Place::First(if goes { number } else { victim }), entry);
            }
            if let Place::More(number) = place {
                self.give_free(number);
            }
            if bucket.next == NONE {
                return;
            }
            place = Place::More(bucket.next);
            bucket = *self.at(place);
        }
    }

    /// How many buckets there are behind one of the first.
    fn chain_len(&self, number: usize) -> usize {
        let (mut next, mut count) = (self.first[number].next, 0);
        while next != NONE {
            next = self.more[next as usize].next;
            count += 1;
        }
        count
    }

    /// Puts what the last bucket has into the one that it was split from; not, if there is no memory.
    fn merge(&mut self) {
        let number = self.first.len() - 1;
        let chain = self.chain_len(number);
        // One stays beside those that may be needed: it may be promised to an insertion.
        if number == 0 || self.more.try_reserve(chain + 2).is_err() {
            return;
        }
        let Some(mut bucket) = self.first.pop() else { return };
        let bit = (number + 1).next_power_of_two() / 2;
        let to = Place::First(number - bit);
        loop {
            let next = bucket.next;
            for at in 0..bucket.len() {
                self.put(to, bucket.entry(at));
            }
            if next == NONE {
                return;
            }
            bucket = self.more[next as usize];
            self.give_free(next);
        }
    }

    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.more.clear();
        self.hashes.clear();
        self.free = NONE;
        self.len = 0;
    }

    /// Whether each entry is where its hash says, and nothing is lost.
    #[cfg(test)]
    pub(super) fn check(&self) {
        let mut found = 0;
        for number in 0..self.first.len() {
            let mut place = Place::First(number);
            loop {
                let bucket = self.at(place);
                for at in 0..bucket.len() {
                    let (tag_there, slot) = bucket.entry(at);
                    let hash = self.hashes[slot as usize];
                    assert_eq!((tag_there, self.number(hash)), (tag(hash), number));
                    found += 1;
                }
                match bucket.next {
                    NONE => break,
                    next => place = Place::More(next),
                }
            }
        }
        assert_eq!(found, self.len);
    }
}

impl Arrays for Buckets {
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        visitor.visit(&mut self.first, MOST)?;
        visitor.visit(&mut self.more, SPARE)?;
        visitor.visit(&mut self.hashes, 1)
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
                    assert!(buckets.remove(slot));
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
