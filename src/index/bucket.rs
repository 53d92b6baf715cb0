//! [`Bucket`]: twelve entries in a line of the processor's cache.

/// How many entries a bucket has room for.
pub(super) const ENTRIES: usize = 12;

/// A tag that no entry has.
const FREE: u8 = 0;

/// The end of a chain, and a place without an entry.
pub(super) const NONE: u32 = u32::MAX;

/// Entries of one hash, or of several, from the front on without gaps: the number of a slot, and eight bits of its
/// hash.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Bucket {
    tags: [u8; ENTRIES],
    /// The number of the one behind it, among those that overflow.
    pub(super) next: u32,
    slots: [u32; ENTRIES],
}

const _: () = assert!(size_of::<Bucket>() == 64);

/// Which of the twelve entries: the upper bit of each byte that is one.
#[derive(Debug)]
pub(super) struct Matches(u128);

impl Bucket {
    pub(super) const EMPTY: Self = Self::before(NONE);

    /// Without entries, before another.
    pub(super) const fn before(next: u32) -> Self {
        Self { tags: [FREE; ENTRIES], next, slots: [NONE; ENTRIES] }
    }

    /// Entries whose tag is that, and perhaps others: it is for who looks closer.
    #[inline]
    pub(super) fn matches(&self, tag: u8) -> Matches {
        const LOW: u128 = 0x0101_0101_0101_0101_0101_0101;
        const HIGH: u128 = LOW << 7;
        // A byte is zero where the tags are the same. Taking 1 from each borrows from the next one only behind such.
        let differs = self.word() ^ (LOW * u128::from(tag));
        Matches(differs.wrapping_sub(LOW) & !differs & HIGH)
    }

    #[inline]
    fn word(&self) -> u128 {
        let mut bytes = [0; 16];
        bytes[..ENTRIES].copy_from_slice(&self.tags);
        u128::from_le_bytes(bytes)
    }

    /// How many entries there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        // The first that is free is one for sure.
        self.matches(FREE).next().unwrap_or(ENTRIES)
    }

    #[inline]
    pub(super) const fn slot(&self, at: usize) -> u32 {
        self.slots[at]
    }

    #[inline]
    pub(super) const fn entry(&self, at: usize) -> (u8, u32) {
        (self.tags[at], self.slots[at])
    }

    #[inline]
    pub(super) const fn set(&mut self, at: usize, (tag, slot): (u8, u32)) {
        self.tags[at] = tag;
        self.slots[at] = slot;
    }

    #[inline]
    pub(super) const fn clear(&mut self, at: usize) {
        self.set(at, (FREE, NONE));
    }
}

impl Iterator for Matches {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (bit < u128::BITS).then_some(bit as usize / 8)
    }
}

/// Of a hash: its highest bits, but none that says free.
#[inline]
pub(super) const fn tag(hash: u32) -> u8 {
    let [.., high] = hash.to_le_bytes();
    if high == FREE { 1 } else { high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_by_their_tags() {
        let mut bucket = Bucket::EMPTY;
        assert_eq!((bucket.len(), bucket.matches(7).next()), (0, None));
        for (at, tag) in [7, 1, 255, 7, 128, 6, 7, 8, 9, 10, 11, 7].into_iter().enumerate() {
            bucket.set(at, (tag, 100));
            assert_eq!(bucket.len(), at + 1);
        }
        let found = |tag: u8| -> Vec<usize> {
            bucket.matches(tag).filter(|&at| bucket.entry(at).0 == tag).collect()
        };
        assert_eq!((found(7), found(255), found(128)), (vec![0, 3, 6, 11], vec![2], vec![4]));
        assert_eq!(found(2), []);
    }

    #[test]
    fn no_hash_has_the_tag_of_what_is_free() {
        assert_eq!([0, 1 << 24, u32::MAX, 0x00ff_ffff].map(tag), [1, 1, 255, 1]);
    }
}
