//! Ranges of slots without values, whose memory can be returned.

#![forbid(unsafe_code)]

use super::array::Slots;
use std::ops::Range;

impl<V> Slots<V> {
    /// Returns the next range of whole blocks without values, starting at a block's first slot, and where to continue.
    /// Unless `all`, it visits at most some megabytes of slots, and the range is at most as long.
    ///
    /// `is_dead` returns whether no slot of a block, given by its first slot, has a value.
    pub(crate) fn dead_stretch(
        &self,
        from: usize,
        all: bool,
        is_dead: impl Fn(usize) -> bool,
    ) -> (Range<usize>, usize) {
        let (size, len) = (Self::BLOCK_SLOTS, self.len());
        let most = if all { usize::MAX } else { self.piece_blocks() };
        let firsts = (from..).step_by(size).take_while(|first| first + size <= len).take(most);
        let Some(start) = firsts.clone().find(|&first| is_dead(first)) else {
            return (from..from, from.saturating_add(size.saturating_mul(most)).min(len));
        };
        let firsts = (start..).step_by(size).take_while(|first| first + size <= len).take(most);
        let end = start + firsts.take_while(|&first| is_dead(first)).count() * size;
        let is_cut = end - start == size.saturating_mul(most);
        (start..end, if is_cut { self.piece_end(start..end) / size * size } else { end })
    }

    /// Whether at least half of the memory of slots could be returned in small runs. O(n) in the slots.
    pub(crate) fn is_sparse(&self, slots: Range<usize>, is_dead: impl Fn(usize) -> bool) -> bool {
        let size = Self::BLOCK_SLOTS;
        let end = slots.end.min(self.len() / size * size);
        let (mut bytes, mut start) = (0, None);
        for first in (slots.start.next_multiple_of(size)..=end).step_by(size) {
            let is_dead = first + size <= end && is_dead(first);
            match start {
                None if is_dead => start = Some(first),
                Some(dead) if !is_dead => {
                    bytes += self.least_runs_bytes(dead..first);
                    start = None;
                }
                _ => {}
            }
        }
        bytes * 2 >= slots.len() * Self::STRIDE_BYTES
    }
}
