//! [`Bucket`]: twelve entries in one cache line.

#![forbid(unsafe_code)]

use super::tags;

pub(super) const ENTRIES: usize = 12;

/// The tag of a free place.
const FREE: u8 = 0;

/// The end of a chain; also the slot of a free place.
pub(super) const NONE: u32 = u32::MAX;

/// Entries at the front, without gaps: a slot number and eight bits of its hash, the tag. The hashes may differ.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Bucket {
    /// The tags of the first eight entries; `upper` has the others.
    lower: [u8; LOWER],
    upper: [u8; ENTRIES - LOWER],
    /// The number of the next bucket in the chain, an overflow bucket.
    next: u32,
    slots: [u32; ENTRIES],
}

const LOWER: usize = size_of::<u64>();

const _: () = assert!(size_of::<Bucket>() == 64);

impl Bucket {
    pub(super) const EMPTY: Self = Self::before(NONE);

    /// Returns an empty bucket that precedes another in its chain.
    pub(super) const fn before(next: u32) -> Self {
        let (lower, upper) = ([FREE; LOWER], [FREE; ENTRIES - LOWER]);
        Self { lower, upper, next, slots: [NONE; ENTRIES] }
    }

    #[inline]
    pub(super) const fn next(&self) -> u32 {
        self.next
    }

    #[inline]
    pub(super) const fn set_next(&mut self, next: u32) {
        self.next = next;
    }

    #[inline]
    const fn words(&self) -> (u64, u32) {
        (u64::from_le_bytes(self.lower), u32::from_le_bytes(self.upper))
    }

    /// Returns the first place with the tag whose slot `is_meant` accepts.
    ///
    /// `is_meant` may also be called for entries with another tag, but not for free places.
    #[inline]
    pub(super) fn find(&self, tag: u8, mut is_meant: impl FnMut(u32) -> bool) -> Option<usize> {
        let (lower, upper) = self.words();
        let mut left = tags::equal(lower, upper, tag);
        while left != 0 {
            let at = left.trailing_zeros() as usize;
            if is_meant(self.slots[at]) {
                return Some(at);
            }
            left &= left - 1;
        }
        None
    }

    #[inline]
    pub(super) const fn len(&self) -> usize {
        let (lower, upper) = self.words();
        // Tags are not zero, so this finds the last one. No branch, because whether `upper` holds tags is
        // unpredictable.
        ENTRIES - lower.leading_zeros() as usize / 8 - upper.leading_zeros() as usize / 8
    }

    #[inline]
    pub(super) const fn slot(&self, at: usize) -> u32 {
        self.slots[at]
    }

    #[inline]
    pub(super) const fn entry(&self, at: usize) -> (u8, u32) {
        let tag = if at < LOWER { self.lower[at] } else { self.upper[at - LOWER] };
        (tag, self.slots[at])
    }

    #[inline]
    pub(super) const fn set(&mut self, at: usize, (tag, slot): (u8, u32)) {
        self.slots[at] = slot;
        if at < LOWER {
            self.lower[at] = tag;
        } else {
            self.upper[at - LOWER] = tag;
        }
    }

    #[inline]
    pub(super) const fn clear(&mut self, at: usize) {
        self.set(at, (FREE, NONE));
    }

    #[inline]
    pub(super) const fn pop(&mut self) -> Option<(u8, u32)> {
        let Some(last) = self.len().checked_sub(1) else { return None };
        let entry = self.entry(last);
        self.clear(last);
        Some(entry)
    }
}

/// Returns the tag of a hash: its highest bits, except for `FREE` and the number that differs from it only in the
/// lowest bit, which [`tags::equal`] may take for `FREE`.
#[inline]
pub(super) const fn tag(hash: u32) -> u8 {
    const LEAST: u8 = 2;
    let [.., high] = hash.to_le_bytes();
    if high < LEAST { LEAST } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_tags() {
        let mut bucket = Bucket::EMPTY;
        assert_eq!((bucket.len(), bucket.find(7, |_| true)), (0, None));
        for (at, tag) in [7, 2, 255, 7, 128, 6, 7, 8, 9, 10, 11, 7_u8].into_iter().enumerate() {
            bucket.set(at, (tag, u32::try_from(at).unwrap()));
            assert_eq!(bucket.len(), at + 1);
        }
        let found = |tag: u8| {
            let mut found = Vec::new();
            let meant = bucket.find(tag, |slot| {
                found.push(slot as usize);
                false
            });
            assert_eq!(meant, None);
            found.retain(|&at| bucket.entry(at).0 == tag);
            found
        };
        assert_eq!((found(7), found(255), found(128)), (vec![0, 3, 6, 11], vec![2], vec![4]));
        assert_eq!(found(3), []);
        assert_eq!(bucket.find(7, |slot| slot > 6), Some(11));
    }

    #[test]
    fn no_hash_has_the_tag_of_a_free_place() {
        assert_eq!([0, 1 << 24, 2 << 24, u32::MAX, 0x00ff_ffff].map(tag), [2, 2, 2, 255, 2]);
    }
}
