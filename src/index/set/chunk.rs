//! [`Small`] and [`Large`]: some of the slots of a value, side by side.

use crate::index::bucket::NONE;

/// How many slots a chunk has room for.
pub(super) const SMALL: usize = 3;
pub(super) const LARGE: usize = 14;

/// The bits of a link: a number, or all of them, for none. The two above hold half of a length.
const LINK: u32 = (1 << 30) - 1;

/// Which chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    Small(u32),
    Large(u32),
}

impl Number {
    /// As one number among those of both kinds, which has no holes.
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

/// What a [`Pool`](super::pool::Pool) holds.
pub(super) trait Chunk: Copy {
    /// How many can be numbered.
    const MOST: u32;

    /// One that is free, before another.
    fn free(next: u32) -> Self;

    /// Which one is behind it, of one that is free.
    fn next_free(&self) -> u32;

    /// Whether it is free: no other has no members.
    fn is_free(&self) -> bool;
}

/// A set of up to three.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(super) struct Small {
    /// From the front on, then [`NONE`].
    members: [u32; SMALL],
    len: u32,
}

/// A set, or part of one: a line of the processor's cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Large {
    /// The one behind it, and the upper bits of the length.
    next: u32,
    /// The one before it, and the lower bits of the length.
    prev: u32,
    /// From the front on, then [`NONE`].
    members: [u32; LARGE],
}

const _: () = assert!(size_of::<Small>() == 16 && size_of::<Large>() == 64);

impl Small {
    /// With these slots, which fit.
    pub(super) fn of(members: &[u32]) -> Self {
        let mut chunk = Self { members: [NONE; SMALL], len: 0 };
        for member in members {
            chunk.push(*member);
        }
        chunk
    }

    #[inline]
    pub(super) const fn is_full(&self) -> bool {
        self.len as usize == SMALL
    }

    /// One that is in it, as long as it is not empty.
    #[inline]
    pub(super) const fn first(&self) -> u32 {
        self.members[0]
    }

    #[inline]
    pub(super) fn members(&self) -> &[u32] {
        &self.members[..self.len as usize]
    }

    /// Puts a slot in, for which there is room.
    #[inline]
    pub(super) const fn push(&mut self, slot: u32) {
        self.members[self.len as usize] = slot;
        self.len += 1;
    }

    /// Takes a slot out that is in it; how many are left.
    #[inline]
    pub(super) fn take(&mut self, slot: u32) -> u32 {
        self.len -= 1;
        replace_by_last(&mut self.members, slot, self.len);
        self.len
    }
}

impl Large {
    /// With these slots, which fit, before another.
    pub(super) fn of(members: &[u32], next: Option<u32>) -> Self {
        let mut chunk = Self { next: LINK, prev: LINK, members: [NONE; LARGE] };
        chunk.set_next(next);
        for member in members {
            chunk.push(*member);
        }
        chunk
    }

    #[inline]
    pub(super) const fn len(&self) -> u32 {
        (self.next & !LINK) >> 28 | self.prev >> 30
    }

    #[inline]
    const fn set_len(&mut self, len: u32) {
        self.next = self.next & LINK | (len << 28) & !LINK;
        self.prev = self.prev & LINK | len << 30;
    }

    #[inline]
    pub(super) const fn is_full(&self) -> bool {
        self.len() as usize == LARGE
    }

    /// One that is in it, as long as it is not empty.
    #[inline]
    pub(super) const fn first(&self) -> u32 {
        self.members[0]
    }

    #[inline]
    pub(super) fn members(&self) -> &[u32] {
        &self.members[..self.len() as usize]
    }

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

    /// Puts a slot in, for which there is room.
    #[inline]
    pub(super) const fn push(&mut self, slot: u32) {
        let len = self.len();
        self.members[len as usize] = slot;
        self.set_len(len + 1);
    }

    /// Takes a slot out that is in it; how many are left.
    #[inline]
    pub(super) fn take(&mut self, slot: u32) -> u32 {
        let len = self.len() - 1;
        replace_by_last(&mut self.members, slot, len);
        self.set_len(len);
        len
    }
}

#[inline]
const fn linked(word: u32) -> Option<u32> {
    match word & LINK {
        LINK => None,
        number => Some(number),
    }
}

/// Puts the last member where one is.
#[inline]
fn replace_by_last<const N: usize>(members: &mut [u32; N], slot: u32, last: u32) {
    // All are looked at, since that takes no branch and goes by four at once. One is it, and gives its place.
    let mut at = 0;
    for (place, member) in (0_u32..).zip(&*members) {
        at |= if *member == slot { place } else { 0 };
    }
    members[at as usize] = members[last as usize];
    members[last as usize] = NONE;
}

impl Chunk for Small {
    // So that no number is that of none.
    const MOST: u32 = (1 << 31) - 1;

    fn free(next: u32) -> Self {
        Self { members: [next, NONE, NONE], len: 0 }
    }

    fn next_free(&self) -> u32 {
        self.members[0]
    }

    fn is_free(&self) -> bool {
        self.len == 0
    }
}

impl Chunk for Large {
    const MOST: u32 = LINK;

    fn free(next: u32) -> Self {
        let mut chunk = Self::of(&[], None);
        chunk.members[0] = next;
        chunk
    }

    fn next_free(&self) -> u32 {
        self.members[0]
    }

    fn is_free(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_chunk_keeps_its_length_and_links_apart() {
        let mut chunk = Large::of(&[], Some(5));
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
    fn the_last_member_takes_the_place_of_one_that_goes() {
        let mut chunk = Large::of(&[7, 8, 9, 10], None);
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
    fn numbers_of_both_kinds_have_ids_of_their_own() {
        for id in [0, 1, 2, 7, u32::MAX - 1, u32::MAX] {
            assert_eq!(Number::from_id(id).id(), id);
        }
        assert!(Number::Small(Small::MOST - 1).id() < NONE);
        assert!(Number::Large(Large::MOST - 1).id() < NONE);
        assert_ne!(Number::Small(3), Number::from_id(Number::Large(3).id()));
    }
}
