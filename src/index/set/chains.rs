//! [`Chains`]: sets of slots from which any slot can be removed, whatever its set.
//!
//! A set of up to three slots is a small chunk, a larger one a chain of large chunks. The hash table stores the *head*
//! of each set: its first chunk, by [id](ChunkId::id). Slots are added to the head; when it is full, a new chunk is put
//! before it and becomes the head. Each slot stores the id of its chunk. Every operation therefore touches one or two
//! chunks, however large the set.

use super::chunk::{Chunk, ChunkId, Large, Small};
use super::iter::Slots;
use super::pool::Pool;
use crate::error::Error;
use crate::index::bucket::NONE;
use crate::index::buckets::Buckets;
use crate::index::memory::{
    Arrays, ForArrays, SlotRatio, array, check_slot, copy, cover, covering, too_many, uncover,
};
use crate::index::plan::{Moved, Plan};
use crate::vec::{VecStats, VmVec};

/// A chunk with this many slots or fewer is merged with a neighbour, if both together have at most [`TOGETHER`]. Only
/// then are its neighbours read, which takes two cache lines.
const FEW: u32 = 7;
/// One less than fits, so that the next insertion does not undo a merge.
const TOGETHER: u32 = 13;
/// A set with this many slots or fewer returns to a small chunk, which has room for one more.
const BACK: u32 = 2;

/// The slots per chunk on which memory estimates are based.
const SMALL_SLOTS: usize = 3;
const LARGE_SLOTS: usize = 10;

/// How many chunks may be reserved, or in use while slots move from one to another.
const SPARE: usize = 4;

pub(super) struct Chains {
    buckets: Buckets,
    small: Pool<Small>,
    large: Pool<Large>,
    /// The id of the chunk of each slot, or [`NONE`].
    back: VmVec<u32>,
    len: usize,
    moved: Moved,
}

impl Chains {
    pub(super) const fn new() -> Self {
        Self {
            buckets: Buckets::new(),
            small: Pool::new(),
            large: Pool::new(),
            back: array(),
            len: 0,
            moved: Moved::NOTHING,
        }
    }

    /// Returns a copy without a plan.
    pub(super) fn try_clone(&self) -> Result<Self, Error> {
        Ok(Self {
            buckets: self.buckets.try_clone()?,
            small: self.small.try_clone()?,
            large: self.large.try_clone()?,
            back: copy(&self.back)?,
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

    /// Returns the id of the chunk that a slot is in, or [`NONE`].
    #[inline]
    fn id_of(&self, slot: u32) -> u32 {
        self.back.get(slot as usize).copied().unwrap_or(NONE)
    }

    #[inline]
    pub(super) fn contains(&self, slot: u32) -> bool {
        self.id_of(slot) != NONE
    }

    /// Returns all slots of a set, starting at one of its chunks.
    #[inline]
    fn slots_from(&self, id: u32) -> Slots<'_> {
        match ChunkId::from_id(id) {
            ChunkId::Small(number) => Slots::of_small(self.small[number].members()),
            ChunkId::Large(number) => Slots::of_large(self.large.as_slice(), number),
        }
    }

    #[inline]
    fn first(&self, id: u32) -> u32 {
        match ChunkId::from_id(id) {
            ChunkId::Small(number) => self.small[number].first(),
            ChunkId::Large(number) => self.large[number].first(),
        }
    }

    /// Returns the slots of the set with the hash that `is_meant` accepts.
    #[inline]
    pub(super) fn find(&self, hash: u32, mut is_meant: impl FnMut(u32) -> bool) -> Slots<'_> {
        let found = self.buckets.find_map(hash, |id| {
            let slots = self.slots_from(id);
            slots.first().is_some_and(&mut is_meant).then_some(slots)
        });
        found.unwrap_or_else(|| Slots::of_small(&[]))
    }

    pub(super) fn same(&self, slot: u32) -> Slots<'_> {
        match self.id_of(slot) {
            NONE => Slots::of_small(&[]),
            id => self.slots_from(id),
        }
    }

    /// Plans where a slot goes. `is_meant` is not called for the slot itself.
    #[inline]
    pub(super) fn look(&self, hash: u32, slot: u32, is_meant: impl FnMut(u32) -> bool) -> Plan {
        let head = self.buckets.look(hash, |id| self.other(id, slot), is_meant);
        Plan { hash, head, is_there: self.id_of(slot) == head }
    }

    /// Returns a slot of a set other than `slot`, if there is one.
    #[inline]
    fn other(&self, head: u32, slot: u32) -> Option<u32> {
        let first = self.first(head);
        if first == slot { self.second(head) } else { Some(first) }
    }

    /// Returns a slot of a set other than the first, if there is one.
    #[inline(never)]
    fn second(&self, head: u32) -> Option<u32> {
        self.slots_from(head).nth(1)
    }

    /// Checks that a slot number is in range and not far; see [`check_slot`].
    #[inline]
    pub(super) fn check_slot(&self, slot: u32) -> Result<(), Error> {
        check_slot(&self.back, slot, NONE, size_of::<u32>(), self.len)
    }

    /// Reserves all memory that [`commit`](Self::commit) may need, even if the slot is removed in between.
    ///
    /// # Errors
    ///
    /// If memory is refused, or the slot, sets or chunks exceed what can be numbered. Nothing observable has changed
    /// then.
    #[inline]
    pub(super) fn try_reserve(&mut self, slot: u32, plan: Plan) -> Result<(), Error> {
        if slot == NONE {
            return Err(too_many(NONE));
        }
        cover(&mut self.back, slot, NONE)?;
        // A set may be created, or end with the slot and be created again.
        if !plan.has_set() || plan.is_there {
            let small = self.small.try_reserve_one()?;
            self.buckets.reserve(ChunkId::Small(small).id())?;
        }
        // If the slot's removal frees the head, a full chunk may become the head, and the freed one is reused.
        if plan.has_set() && self.is_full(plan.head) {
            let large = self.large.try_reserve_one()?;
            self.buckets.reserve(ChunkId::Large(large).id())?;
        }
        self.moved = Moved::NOTHING;
        Ok(())
    }

    #[inline]
    fn is_full(&self, id: u32) -> bool {
        match ChunkId::from_id(id) {
            ChunkId::Small(number) => self.small[number].is_full(),
            ChunkId::Large(number) => self.large[number].is_full(),
        }
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
        let number = match self.moved.follow(plan.head) {
            NONE => self.begin(plan.hash, slot),
            head => self.add(ChunkId::from_id(head), slot),
        };
        self.back[slot as usize] = number.id();
        self.len += 1;
    }

    /// Creates a set of one slot. Returns its chunk.
    fn begin(&mut self, hash: u32, slot: u32) -> ChunkId {
        let number = ChunkId::Small(self.small.put(Small::of(&[slot])));
        self.buckets.insert_reserved(hash, number.id());
        number
    }

    /// Adds a slot to the set with the given head. Returns the slot's chunk.
    fn add(&mut self, head: ChunkId, slot: u32) -> ChunkId {
        match head {
            ChunkId::Small(number) => {
                let chunk = &mut self.small[number];
                if !chunk.is_full() {
                    chunk.push(slot);
                    return head;
                }
                self.grow(number, slot)
            }
            ChunkId::Large(number) => {
                let chunk = &mut self.large[number];
                if !chunk.is_full() {
                    chunk.push(slot);
                    return head;
                }
                self.prepend(number, slot)
            }
        }
    }

    /// Moves the slots of a small chunk, and one more, to a large chunk. Returns the latter.
    #[inline(never)]
    fn grow(&mut self, number: u32, slot: u32) -> ChunkId {
        let mut chunk = Large::of(self.small[number].members());
        chunk.push(slot);
        let grown = ChunkId::Large(self.large.put(chunk));
        note(&mut self.back, chunk.members(), grown.id());
        self.small.give_free(number);
        self.buckets.replace_reserved(ChunkId::Small(number).id(), grown.id());
        grown
    }

    /// Puts a chunk of one slot before another, as the new head of the set. Returns the new chunk.
    #[inline(never)]
    fn prepend(&mut self, number: u32, slot: u32) -> ChunkId {
        let mut chunk = Large::of(&[slot]);
        chunk.set_next(Some(number));
        let first = self.large.put(chunk);
        self.large[number].set_prev(Some(first));
        let (old, new) = (ChunkId::Large(number), ChunkId::Large(first));
        self.buckets.replace_reserved(old.id(), new.id());
        new
    }

    /// Removes a slot from its set. Returns `true` if it was in one.
    pub(super) fn remove(&mut self, slot: u32) -> bool {
        let id = self.id_of(slot);
        if id == NONE {
            return false;
        }
        self.back[slot as usize] = NONE;
        self.len -= 1;
        match ChunkId::from_id(id) {
            ChunkId::Small(number) => {
                if self.small[number].take(slot) == 0 {
                    self.small.give_free(number);
                    self.end(id);
                }
            }
            ChunkId::Large(number) => {
                let len = self.large[number].take(slot);
                if len <= FEW {
                    self.tidy(number, len);
                }
            }
        }
        true
    }

    /// Removes the hash table entry of a set that is now empty.
    fn end(&mut self, head: u32) {
        self.buckets.remove(head);
        self.moved = Moved::away(head);
    }

    /// Makes another chunk the head of a set. Memory for its id must have been reserved.
    fn set_head(&mut self, head: ChunkId, other: ChunkId) {
        self.buckets.replace_reserved(head.id(), other.id());
        self.moved = Moved::to(head.id(), other.id());
    }

    /// Merges a large chunk that has only `len` slots left with a neighbour, moves its slots to a small chunk, or frees
    /// it.
    #[inline(never)]
    fn tidy(&mut self, number: u32, len: u32) {
        let chunk = &self.large[number];
        let (prev, next) = (chunk.prev(), chunk.next());
        if len == 0 {
            return self.unlink(number);
        }
        if prev.is_none() && next.is_none() {
            if len <= BACK {
                self.shrink(number);
            }
            return;
        }
        for other in [next, prev].into_iter().flatten() {
            let others = self.large[other].len();
            if others + len > TOGETHER {
                continue;
            }
            // The smaller chunk moves, because each moved slot's id must be updated.
            let (from, to) = if len <= others { (number, other) } else { (other, number) };
            return self.merge(from, to);
        }
    }

    /// Moves all slots of a chunk to another chunk of the same set, where they fit.
    fn merge(&mut self, from: u32, to: u32) {
        let chunk = self.large[from];
        for member in chunk.members() {
            self.large[to].push(*member);
            self.back[*member as usize] = ChunkId::Large(to).id();
        }
        self.unlink(from);
    }

    /// Removes an empty chunk from its chain.
    fn unlink(&mut self, number: u32) {
        let chunk = &self.large[number];
        let (prev, next) = (chunk.prev(), chunk.next());
        self.large.give_free(number);
        if let Some(next) = next {
            self.large[next].set_prev(prev);
        }
        match (prev, next) {
            (Some(prev), _) => self.large[prev].set_next(next),
            (None, Some(next)) => self.set_head(ChunkId::Large(number), ChunkId::Large(next)),
            (None, None) => self.end(ChunkId::Large(number).id()),
        }
    }

    /// Moves a set of one large chunk to a small one, unless memory is refused.
    fn shrink(&mut self, number: u32) {
        // One of the two may be reserved for a plan.
        let Ok(last) = self.small.try_reserve_two() else { return };
        if self.buckets.reserve(ChunkId::Small(last).id()).is_err() {
            return;
        }
        let chunk = Small::of(self.large[number].members());
        let small = ChunkId::Small(self.small.put(chunk));
        note(&mut self.back, chunk.members(), small.id());
        self.large.give_free(number);
        self.set_head(ChunkId::Large(number), small);
    }

    pub(super) fn clear(&mut self) {
        self.buckets.clear();
        self.small.clear();
        self.large.clear();
        self.back.clear();
        self.len = 0;
        self.moved = Moved::NOTHING;
    }
}

#[cfg(any(test, fuzzing))]
impl Chains {
    /// Asserts that each slot is in its chunk, and that all links and counts are right.
    pub(super) fn check(&self) {
        #[cfg(test)]
        self.buckets.check();
        let (mut slots, mut heads, mut used) = (0, 0, [0; 2]);
        for (slot, &id) in (0..).zip(&self.back) {
            if id == NONE {
                continue;
            }
            slots += 1;
            let members = self.members(id);
            assert_eq!(members.iter().filter(|member| **member == slot).count(), 1);
            // Each chunk is checked once, at its first slot.
            if members[0] != slot {
                continue;
            }
            assert!(members.iter().all(|member| self.id_of(*member) == id));
            let is_head = match ChunkId::from_id(id) {
                ChunkId::Small(_) => {
                    used[0] += 1;
                    true
                }
                ChunkId::Large(number) => {
                    used[1] += 1;
                    self.check_links(number);
                    self.large[number].prev().is_none()
                }
            };
            if is_head {
                heads += 1;
                let hash = self.buckets.hash_of(id).unwrap();
                assert_eq!(self.buckets.find(hash, |other| other == id), Some(id));
            }
        }
        assert_eq!((slots, heads), (self.len, self.sets()));
        assert_eq!(used, self.used());
    }

    fn members(&self, id: u32) -> &[u32] {
        match ChunkId::from_id(id) {
            ChunkId::Small(number) => self.small[number].members(),
            ChunkId::Large(number) => self.large[number].members(),
        }
    }

    fn check_links(&self, number: u32) {
        let chunk = &self.large[number];
        if let Some(next) = chunk.next() {
            assert_eq!(self.large[next].prev(), Some(number));
            assert!(chunk.len() + self.large[next].len() > FEW + 1);
        }
        if let Some(prev) = chunk.prev() {
            assert_eq!(self.large[prev].next(), Some(number));
        }
    }

    /// Returns the number of small and large chunks in use.
    pub(super) fn used(&self) -> [usize; 2] {
        [self.small.used(), self.large.used()]
    }

    /// Returns the number of small and large chunks, including free ones.
    #[cfg(test)]
    pub(super) const fn stored(&self) -> [usize; 2] {
        [self.small.as_slice().len(), self.large.as_slice().len()]
    }
}

/// Stores the id of a chunk for its slots.
fn note(back: &mut [u32], members: &[u32], id: u32) {
    for member in members {
        back[*member as usize] = id;
    }
}

/// Returns the greatest number of small chunks, if each of a number of slots is a set of its own.
fn most_small(slots: usize) -> usize {
    slots.saturating_add(SPARE)
}

impl Arrays for Chains {
    fn tidy(&mut self) {
        let Self { buckets, small, large, back, moved, .. } = self;
        small.pack(|chunks, from, to| {
            let (from, id) = (ChunkId::Small(from).id(), ChunkId::Small(to).id());
            note(back, chunks[to as usize].members(), id);
            buckets.replace_reserved(from, id);
        });
        large.pack(|chunks, from, to| {
            let (from, id) = (ChunkId::Large(from).id(), ChunkId::Large(to).id());
            let chunk = &chunks[to as usize];
            note(back, chunk.members(), id);
            let (prev, next) = (chunk.prev(), chunk.next());
            if let Some(next) = next {
                chunks[next as usize].set_prev(Some(to));
            }
            match prev {
                Some(prev) => chunks[prev as usize].set_next(Some(to)),
                None => _ = buckets.replace_reserved(from, id),
            }
        });
        uncover(back, |id| *id != NONE);
        *moved = Moved::NOTHING;
        // Any large chunk may become the head of its chain and then needs an entry.
        buckets.tidy_below(small.as_slice().len().max(large.as_slice().len()) * 2);
    }

    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error> {
        // By ids, which alternate between the two kinds of chunk.
        let ids = |slots| covering(most_small(slots)).saturating_mul(2);
        self.buckets.each_array_of(visitor, SlotRatio::new(1, ids))?;
        let small = SlotRatio::new(SMALL_SLOTS, most_small);
        visitor.visit(self.small.chunks_mut(), small)?;
        // Two neighbours have more than eight slots, and a single chunk has more than fit in a small one.
        let most = |slots: usize| slots / 3 + SPARE;
        visitor.visit(self.large.chunks_mut(), SlotRatio::new(LARGE_SLOTS, most))?;
        visitor.visit(&mut self.back, SlotRatio::SLOTS)
    }

    fn memory(&self) -> VecStats {
        let chunks = self.small.chunks().stats() + self.large.chunks().stats();
        self.buckets.memory() + chunks + self.back.stats()
    }
}
