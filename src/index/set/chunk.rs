//! [`Small`] and [`Large`]: chunks, which hold some of the slots of a value.

use crate::index::bucket::NONE;

/// The number of slots that fit.
pub(super) const SMALL: usize = 3;
pub(super) const LARGE: usize = 14;

/// The bits of a link: a chunk number, or all bits set for none. The two bits above hold half of the length.
const LINK: u32 = (1 << 30) - 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkId {
    Small(u32),
    Large(u32),
}

impl ChunkId {
    /// Returns a number that is unique among chunks of both kinds.
    #[inline]
    pub(super) const fn id(self) -> u32 {
        match self {
            Self::Small(number) => number * 2,
            Self::Large(number) => number * 2 + 1,
        }
    }

    #[inline]
    pub(super) const fn from_id(id: u32) -> Self {
        if id % 2 == 0 { Self::Small(id / 2) } else { Self::Large(id / 2) }
    }
}

/// A chunk, as stored in a [`Pool`](super::pool::Pool).
pub(super) trait Chunk: Copy {
    /// How many chunks can be numbered.
    const MOST: u32;
    const EMPTY: Self;

    fn len(&self) -> u32;

    fn set_len(&mut self, len: u32);

    /// The slots, at the front, followed by [`NONE`].
    fn places(&self) -> &[u32];

    fn places_mut(&mut self) -> &mut [u32];

    /// Creates a chunk of the given slots, which must fit.
    fn of(members: &[u32]) -> Self {
        let mut chunk = Self::EMPTY;
        for member in members {
            chunk.push(*member);
        }
        chunk
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.len() as usize == self.places().len()
    }

    /// Returns the first slot of a chunk that is not empty.
    #[inline]
    fn first(&self) -> u32 {
        self.places()[0]
    }

    #[inline]
    fn members(&self) -> &[u32] {
        &self.places()[..self.len() as usize]
    }

    /// Adds a slot to a chunk that is not full.
    #[inline]
    fn push(&mut self, slot: u32) {
        let len = self.len();
        self.places_mut()[len as usize] = slot;
        self.set_len(len + 1);
    }

    /// Removes a slot that is in the chunk. Returns the number of slots left.
    #[inline]
    fn take(&mut self, slot: u32) -> u32 {
        let last = self.len() - 1;
        let places = self.places_mut();
        // All places are compared, because that needs no branch and is vectorised by four.
        let mut at = 0;
        for (place, member) in (0_u32..).zip(&*places) {
            at |= if *member == slot { place } else { 0 };
        }
        places[at as usize] = places[last as usize];
        places[last as usize] = NONE;
        self.set_len(last);
        last
    }

    /// Creates a free chunk that precedes another.
    fn free(next: u32) -> Self {
        let mut chunk = Self::EMPTY;
        chunk.places_mut()[0] = next;
        chunk
    }

    /// Returns the chunk after a free one.
    fn next_free(&self) -> u32 {
        self.first()
    }

    /// Returns `true` if the chunk is free: only free chunks have no slots.
    fn is_free(&self) -> bool {
        self.len() == 0
    }
}

/// A set of up to three slots.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct Small {
    /// At the front, followed by [`NONE`].
    members: [u32; SMALL],
    len: u32,
}

/// A set, or part of one, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Large {
    /// The next chunk, and the upper bits of the length.
    next: u32,
    /// The previous chunk, and the lower bits of the length.
    prev: u32,
    /// At the front, followed by [`NONE`].
    members: [u32; LARGE],
}

const _: () = assert!(size_of::<Small>() == 16 && size_of::<Large>() == 64);

impl Chunk for Small {
    // So that no id is [`NONE`].
    const MOST: u32 = (1 << 31) - 1;
    const EMPTY: Self = Self { members: [NONE; SMALL], len: 0 };

    #[inline]
    fn len(&self) -> u32 {
        self.len
    }

    #[inline]
    fn set_len(&mut self, len: u32) {
        self.len = len;
    }

    #[inline]
    fn places(&self) -> &[u32] {
        &self.members
    }

    #[inline]
    fn places_mut(&mut self) -> &mut [u32] {
        &mut self.members
    }
}

impl Chunk for Large {
    const MOST: u32 = LINK;
    const EMPTY: Self = Self { next: LINK, prev: LINK, members: [NONE; LARGE] };

    #[inline]
    fn len(&self) -> u32 {
        (self.next & !LINK) >> 28 | self.prev >> 30
    }

    #[inline]
    fn set_len(&mut self, len: u32) {
        self.next = self.next & LINK | (len << 28) & !LINK;
        self.prev = self.prev & LINK | len << 30;
    }

    #[inline]
    fn places(&self) -> &[u32] {
        &self.members
    }

    #[inline]
    fn places_mut(&mut self) -> &mut [u32] {
        &mut self.members
    }
}

impl Large {
    #[inline]
    pub(super) const fn next(&self) -> Option<u32> {
        linked(self.next)
    }

    #[inline]
    pub(super) const fn prev(&self) -> Option<u32> {
        linked(self.prev)
    }

    #[inline]
    pub(super) fn set_next(&mut self, next: Option<u32>) {
        self.next = self.next & !LINK | next.unwrap_or(LINK);
    }

    #[inline]
    pub(super) fn set_prev(&mut self, prev: Option<u32>) {
        self.prev = self.prev & !LINK | prev.unwrap_or(LINK);
    }
}

#[inline]
const fn linked(word: u32) -> Option<u32> {
    match word & LINK {
        LINK => None,
        number => Some(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_and_links_of_a_large_chunk_are_independent() {
        let mut chunk = Large::EMPTY;
        chunk.set_next(Some(5));
        for len in 0..14 {
            assert_eq!((chunk.len(), chunk.is_full()), (len, false));
            assert_eq!((chunk.next(), chunk.prev()), (Some(5), None));
            chunk.push(len * 10);
        }
        assert!(chunk.is_full());
        chunk.set_next(None);
        chunk.set_prev(Some(LINK - 1));
        for len in (0..14).rev() {
            assert_eq!(chunk.take(if len == 13 { 0 } else { (len + 1) * 10 }), len);
            assert_eq!((chunk.next(), chunk.prev()), (None, Some(LINK - 1)));
            assert_eq!(chunk.members().len(), len as usize);
        }
        chunk.set_next(Some(0));
        assert_eq!((chunk.next(), chunk.prev(), chunk.len()), (Some(0), Some(LINK - 1), 0));
    }

    #[test]
    fn the_last_member_replaces_a_removed_one() {
        let mut chunk = Large::of(&[7, 8, 9, 10]);
        assert_eq!(chunk.take(8), 3);
        assert_eq!(chunk.members(), [7, 10, 9]);
        assert_eq!(chunk.take(9), 2);
        assert_eq!(chunk.members(), [7, 10]);
        let mut chunk = Small::of(&[7, 8, 9]);
        assert!(chunk.is_full());
        assert_eq!((chunk.take(7), chunk.take(9)), (2, 1));
        assert_eq!(chunk.members(), [8]);
    }

    #[test]
    fn ids_of_both_kinds_of_chunk_are_distinct() {
        for id in [0, 1, 2, 7, u32::MAX - 1, u32::MAX] {
            assert_eq!(ChunkId::from_id(id).id(), id);
        }
        assert!(ChunkId::Small(Small::MOST - 1).id() < NONE);
        assert!(ChunkId::Large(Large::MOST - 1).id() < NONE);
        assert_ne!(ChunkId::Small(3), ChunkId::from_id(ChunkId::Large(3).id()));
    }
}
