//! [`Links`]: sets of slots, each a circular doubly linked list, a ring.
//!
//! One slot of each ring is its *head*, which the hash table stores.

use super::Slots;
use crate::error::Error;
use crate::index::bucket::NONE;
use crate::index::buckets::Buckets;
use crate::index::memory::{
    Arrays, ForArrays, SlotRatio, array, check_slot, copy, cover, too_many, uncover,
};
use crate::index::plan::{Moved, Plan};
use crate::vec::{VecStats, VmVec};

/// A flag in `prev`: the slot is the head of its ring.
const HEAD: u32 = 1 << 31;

pub(super) struct Links {
    buckets: Buckets,
    /// The next slot in the ring of each slot, or [`NONE`] if it is in no ring.
    next: VmVec<u32>,
    /// The previous slot in the ring of each slot, and the flag [`HEAD`].
    prev: VmVec<u32>,
    len: usize,
    moved: Moved,
}

impl Links {
    pub(super) const fn new() -> Self {
        Self {
            buckets: Buckets::new(),
            next: array(),
            prev: array(),
            len: 0,
            moved: Moved::NOTHING,
        }
    }

    /// Returns a copy without a plan.
    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self {
            buckets: self.buckets.try_clone()?,
            next: copy(&self.next)?,
            prev: copy(&self.prev)?,
            len: self.len,
            moved: Moved::NOTHING,
        })
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) const fn sets(&self) -> usize {
        self.buckets.len()
    }

    /// Returns the next slot in a ring: the slot itself if it is alone, [`NONE`] if it is in no ring.
    #[inline]
    fn next_of(&self, slot: u32) -> u32 {
        self.next.get(slot as usize).copied().unwrap_or(NONE)
    }

    #[inline]
    pub(super) fn contains(&self, slot: u32) -> bool {
        self.next_of(slot) != NONE
    }

    /// Returns the slots of the set with the hash that `is_meant` accepts.
    #[inline]
    pub(super) fn find(&self, hash: u32, is_meant: impl FnMut(u32) -> bool) -> Slots<'_> {
        Slots::new(&self.next, self.buckets.find(hash, is_meant).unwrap_or(NONE))
    }

    pub(super) fn same(&self, slot: u32) -> Slots<'_> {
        Slots::new(&self.next, if self.contains(slot) { slot } else { NONE })
    }

    /// Plans where a slot goes. `is_meant` is not called for the slot itself.
    #[inline]
    pub(super) fn look(&self, hash: u32, slot: u32, is_meant: impl FnMut(u32) -> bool) -> Plan {
        let other = |head| {
            if head != slot {
                return Some(head);
            }
            Some(self.next_of(head)).filter(|other| *other != slot)
        };
        let head = self.buckets.look(hash, other, is_meant);
        Plan { hash, head, is_there: head == slot }
    }

    /// Checks that a slot number is in range and not far; see [`check_slot`].
    #[inline]
    pub(super) fn check_slot(&self, slot: u32) -> Result<(), Error> {
        // For the next slot, the previous slot and the hash.
        check_slot(&self.next, slot, HEAD, 3 * size_of::<u32>(), self.len)
    }

    /// Reserves all memory that [`commit`](Self::commit) may need, even if the slot is removed in between.
    ///
    /// # Errors
    ///
    /// If memory is refused, or the slot is 2^31 or above. Nothing observable has changed then.
    #[inline]
    pub(super) fn try_reserve(&mut self, slot: u32, _: Plan) -> Result<(), Error> {
        if slot >= HEAD {
            return Err(too_many(HEAD));
        }
        cover(&mut self.prev, slot, NONE)?;
        cover(&mut self.next, slot, NONE)?;
        self.buckets.reserve(slot)?;
        self.moved = Moved::NOTHING;
        Ok(())
    }

    /// Returns `true` if a slot is already in its planned set.
    #[inline]
    pub(super) fn is_same(&self, slot: u32, plan: Plan) -> bool {
        plan.is_there && self.contains(slot)
    }

    /// Moves a slot from its set, if any, to the planned one. Memory must have been reserved.
    pub(super) fn commit(&mut self, slot: u32, plan: Plan) {
        if self.is_same(slot, plan) {
            return;
        }
        self.remove(slot);
        let at = slot as usize;
        self.len += 1;
        match self.moved.follow(plan.head) {
            NONE => {
                (self.next[at], self.prev[at]) = (slot, slot | HEAD);
                self.buckets.insert_reserved(plan.hash, slot);
            }
            head => {
                let next = self.next[head as usize];
                (self.next[at], self.prev[at]) = (next, head);
                self.next[head as usize] = slot;
                self.set_prev(next, slot);
            }
        }
    }

    #[inline]
    fn set_prev(&mut self, slot: u32, prev: u32) {
        let word = &mut self.prev[slot as usize];
        *word = *word & HEAD | prev;
    }

    /// Removes a slot from its set. Returns `true` if it was in one.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        let next = self.next_of(slot);
        if next == NONE {
            return false;
        }
        self.next[slot as usize] = NONE;
        self.len -= 1;
        let word = self.prev[slot as usize];
        if next == slot {
            self.buckets.remove(slot);
            self.moved = Moved::away(slot);
            return true;
        }
        let prev = word & !HEAD;
        self.next[prev as usize] = next;
        self.set_prev(next, prev);
        if word & HEAD != 0 {
            self.prev[next as usize] |= HEAD;
            self.buckets.replace_reserved(slot, next);
            self.moved = Moved::to(slot, next);
        }
        true
    }

    pub(super) fn clear(&mut self) {
        self.buckets.clear();
        self.next.clear();
        self.prev.clear();
        self.len = 0;
        self.moved = Moved::NOTHING;
    }
}

#[cfg(any(test, fuzzing))]
impl Links {
    /// Asserts that all links, heads and counts are right.
    pub(super) fn check(&self) {
        #[cfg(test)]
        self.buckets.check();
        let (mut slots, mut heads, mut reached) = (0, 0, 0);
        for (slot, &next) in (0..).zip(&self.next) {
            if next == NONE {
                continue;
            }
            slots += 1;
            assert_eq!(self.prev[next as usize] & !HEAD, slot);
            if self.prev[slot as usize] & HEAD == 0 {
                continue;
            }
            heads += 1;
            let hash = self.buckets.hash_of(slot).unwrap();
            assert_eq!(self.buckets.find(hash, |other| other == slot), Some(slot));
            // Each ring has one head, so none is found on the way around.
            let mut at = slot;
            loop {
                at = self.next[at as usize];
                reached += 1;
                if at == slot {
                    break;
                }
                assert_eq!(self.prev[at as usize] & HEAD, 0);
            }
        }
        assert_eq!((slots, reached, heads), (self.len, self.len, self.sets()));
    }
}

impl Arrays for Links {
    fn tidy(&mut self) {
        uncover(&mut self.next, |next| *next != NONE);
        self.prev.truncate(self.next.len());
        self.moved = Moved::NOTHING;
        // Any slot may become the head of its ring and then needs an entry.
        self.buckets.tidy_below(self.next.len());
    }

    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        self.buckets.each_array(visitor)?;
        visitor.visit(&mut self.next, SlotRatio::SLOTS)?;
        visitor.visit(&mut self.prev, SlotRatio::SLOTS)
    }

    fn memory(&self) -> VecStats {
        self.buckets.memory() + self.next.stats() + self.prev.stats()
    }
}
