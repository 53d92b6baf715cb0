//! Blocks made of parts of cached regions.
//!
//! A request that no cached region suits gets addresses of its own, and the memory of other regions moves there: the
//! end of a larger one, or several smaller ones. To move 64 MiB of huge pages takes 25 µs, and to touch fresh ones 10 ms
//! or more (measured on the first machine of the figures in the guide). So cached sizes need not match requests.
//!
//! Each part stays a mapping of its own to the system. Parts begin at a multiple of the [unit], at both places, so regions
//! and blocks take about one mapping for each unit of memory at most; a few more if blocks shrink and grow.

#![forbid(unsafe_code)]

use super::pieces::{classes_of, put_into, release_taken, take_out};
use super::size_class::SizeClass;
use super::{Region, Use, class_of, count, kept_bytes};
use crate::os;
use crate::reservation::{Reservation, can_move_onto};
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

const LEAST_UNIT_BYTES: usize = 4 << 20;

fn unit() -> usize {
    static UNIT: AtomicUsize = AtomicUsize::new(0);
    os::once(&UNIT, || unit_for(os::memory_bytes().unwrap_or(0)))
}

/// The granularity of parts: 4 MiB, or 1/8,192 of the machine's memory if that is more, rounded up to a power of two; at
/// most 1 GiB.
fn unit_for(memory_bytes: u64) -> usize {
    const MOST_PARTS: u64 = 8192;
    const MOST_UNIT_BYTES: usize = 1 << 30;
    let part = usize::try_from(memory_bytes / MOST_PARTS).unwrap_or(MOST_UNIT_BYTES);
    part.clamp(LEAST_UNIT_BYTES, MOST_UNIT_BYTES).next_power_of_two()
}

/// Whether memory of `bytes` may give parts, or be made of them.
///
/// Nothing is moved if the process has locked memory, or if that is unknown: Linux (6.18) would keep counting it at the
/// old addresses.
pub(super) fn are_taken_of(bytes: usize) -> bool {
    bytes >= unit() && can_move_onto() && os::locked_bytes() == Some(0)
}

/// Replaces committed pages of a block, which no code uses, by memory of cached regions, from the first multiple of
/// `unit` on. Pages for which there is none stay. If a move fails, the reservation ends there.
pub(crate) fn fill(memory: &mut Reservation, pages: Range<usize>) {
    #[cfg(test)]
    if super::tests::is_off(Use::Block) {
        return;
    }
    if kept_bytes() < LEAST_UNIT_BYTES || !are_taken_of(pages.len()) {
        return;
    }
    let unit = unit();
    let Some(start) = pages.start.checked_next_multiple_of(unit) else { return };
    let mut left = start..pages.end;
    if left.len() < unit {
        return;
    }
    // Classes from that of the request up, then smaller ones, the largest first.
    let classes = &classes_of(Use::Block)[class_of(unit)..];
    let (below, above) = classes.split_at(class_of(left.len()) - class_of(unit));
    for class in above.iter().chain(below.iter().rev()) {
        for slot in class.full() {
            left.start += take_part(class, slot, memory, left.clone(), unit);
            if left.is_empty() {
                return;
            }
        }
    }
}

/// Moves a part of the region in a slot to the start of `to`, puts back what precedes it, and decommits what follows.
/// Returns how many bytes were moved.
fn take_part(
    class: &SizeClass,
    slot: usize,
    memory: &mut Reservation,
    to: Range<usize>,
    unit: usize,
) -> usize {
    let Some((mut region, since)) = take_out(class, slot) else { return 0 };
    let part = part_of(&region.pages, to.len(), unit);
    let to = to.start..to.start + part.len();
    let has_moved = memory.receive(to, &mut region.memory, part.start);
    let is_left = !has_moved || part.start > region.pages.start && region.lose_from(part.start);
    let class = &classes_of(Use::Block)[class_of(region.bytes())];
    let refused = if is_left { put_into(class, region, since) } else { Some(region) };
    if let Some(region) = refused {
        release_taken(region);
    }
    if has_moved { part.len() } else { 0 }
}

impl Region {
    /// Decommits the pages from `end` on, and returns whether that succeeded.
    fn lose_from(&mut self, end: usize) -> bool {
        let pages = end..self.pages.end;
        let is_lost = self.memory.decommit_if_possible(pages.clone());
        if is_lost {
            count::taken(pages.len());
            self.pages.end = end;
            self.asked = self.asked.min(end);
        }
        is_lost
    }
}

/// Returns the part of a region's pages to move for `need` bytes. It starts at a multiple of `unit`; if it is shorter than
/// `need`, its length is one, too.
fn part_of(pages: &Range<usize>, need: usize, unit: usize) -> Range<usize> {
    let first = pages.start.next_multiple_of(unit);
    let all = pages.end.saturating_sub(first);
    if all < need {
        return first..first + all / unit * unit;
    }
    let start = (pages.end - need) / unit * unit;
    start..start + need
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_at_units_and_are_whole_units_if_less_than_needed() {
        for (pages, need, expected) in [
            (0..26, 10, 16..26),
            (0..26, 9, 16..25),
            (0..26, 12, 12..24),
            (0..26, 26, 0..26),
            (0..26, 27, 0..24),
            (0..24, 99, 0..24),
            (0..3, 4, 0..0),
            (0..3, 2, 0..2),
            (2..26, 22, 4..26),
            (2..26, 23, 4..24),
            (2..26, 24, 4..24),
            (2..3, 9, 4..4),
        ] {
            assert_eq!(part_of(&pages, need, 4), expected, "{pages:?} {need}");
        }
        for (gib, mib) in [(0, 4), (32, 4), (33, 8), (64, 8), (100, 16)] {
            assert_eq!(unit_for(gib << 30), mib << 20);
        }
        assert_eq!(unit_for(u64::MAX), 1 << 30);
    }
}
