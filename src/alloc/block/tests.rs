//! Blocks when the system refuses memory, or grants less than requested.

#![expect(unsafe_code, reason = "uses the memory of blocks")]

use super::*;
use crate::os::{Call, fault::Fault};
use crate::region_cache::{release_all, tests::are_all};
use crate::reservation::{AddressSpace, can_move_onto, take_all_rooms};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::thread;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// The region cache and the counters belong to the process. No test may leave a block that is still counted.
struct Alone {
    _cache: region_cache::tests::Alone,
    before: (usize, usize),
}

fn alone() -> Alone {
    let cache = region_cache::tests::alone();
    Alone { _cache: cache, before: tally() }
}

impl Drop for Alone {
    fn drop(&mut self) {
        if !thread::panicking() {
            assert_eq!(tally(), self.before);
        }
    }
}

/// How many blocks are in use, and how many bytes of them are committed.
fn tally() -> (usize, usize) {
    let of_each = (0..region_cache::CLASSES).map(tally_of_class);
    of_each.fold((0, 0), |(blocks, bytes), (more, more_bytes)| (blocks + more, bytes + more_bytes))
}

fn kept_blocks() -> usize {
    region_cache::stats().kept_blocks
}

impl Block {
    fn bytes(&mut self) -> usize {
        self.header().bytes()
    }
}

fn layout(bytes: usize, align: usize) -> Layout {
    Layout::from_size_align(bytes, align).expect("small")
}

/// How many attempts a refused commit makes: one for a whole run, and one for the needed pages if they are fewer.
fn commits() -> usize {
    if page_size() < RUN_BYTES { 2 } else { 1 }
}

fn room(reserve_bytes: usize) -> BlockOptions {
    BlockOptions { reserve_bytes: Some(reserve_bytes), ..BlockOptions::DEFAULT }
}

/// A block whose bytes depend on their position.
struct Patterned {
    block: Block,
    bytes: usize,
}

impl Patterned {
    fn new(bytes: usize, align: usize, options: &BlockOptions) -> Option<Self> {
        let block = Block::new(layout(bytes, align), options, Contents::Any).ok()?;
        assert_eq!(block.start().addr().get() % align, 0);
        let mut patterned = Self { block, bytes };
        patterned.fill(0);
        Some(patterned)
    }

    fn memory(&mut self) -> &mut [u8] {
        // SAFETY: these bytes belong to the block, and were written by `fill` or are zero.
        unsafe { std::slice::from_raw_parts_mut(self.block.start().as_ptr(), self.bytes) }
    }

    fn fill(&mut self, from: usize) {
        let mut at = from;
        while at < self.bytes {
            let part = &pattern()[at % PERIOD_BYTES..];
            let bytes = part.len().min(self.bytes - at);
            // SAFETY: the block extends at least `bytes` from here.
            let to = unsafe { self.block.start().add(at) };
            // SAFETY: as above; the pattern does not overlap with the block.
            unsafe { to.as_ptr().copy_from_nonoverlapping(part.as_ptr(), bytes) };
            at += bytes;
        }
    }

    #[track_caller]
    fn check(&mut self, bytes: usize) {
        let mut parts = self.memory()[..bytes].chunks(PERIOD_BYTES);
        let wrong = parts.position(|part| *part != pattern()[..part.len()]);
        assert_eq!(wrong, None, "the number of a part");
    }

    #[track_caller]
    fn grow(&mut self, bytes: usize, contents: Contents) -> bool {
        let before = self.bytes;
        let options = &BlockOptions::DEFAULT;
        let grown = self.block.grow(before, layout(bytes, 1), options, contents);
        self.check(before);
        if grown {
            self.bytes = bytes;
            if contents == Contents::Zeroed {
                assert!(are_all(&self.memory()[before..], 0));
            }
            self.fill(before);
        }
        grown
    }
}

/// The length after which the pattern repeats. It differs in each page.
const PERIOD_BYTES: usize = 256 * 4096;

/// The pattern, written and compared as a whole, since loops over bytes take seconds without optimization.
#[expect(clippy::cast_possible_truncation, reason = "any byte will do")]
fn pattern() -> &'static [u8] {
    static PATTERN: OnceLock<Vec<u8>> = OnceLock::new();
    PATTERN.get_or_init(|| (0..PERIOD_BYTES).map(|at| (at / 4096 + at) as u8).collect())
}

#[test]
fn a_block_grows_and_shrinks_in_place() {
    let _alone = alone();
    let mut block = Patterned::new(MIB, 8, &room(64 * MIB)).expect("a MiB");
    let start = block.block.start();
    for bytes in [MIB + 1, 2 * MIB, 7 * MIB, 9 * MIB, 40 * MIB] {
        assert!(block.grow(bytes, Contents::Zeroed));
        assert_eq!(block.block.start(), start);
    }
    let usable = block.block.header().usable;
    block.block.shrink(layout(3 * MIB, 1));
    block.bytes = 3 * MIB;
    block.check(3 * MIB);
    assert!(block.block.header().usable < usable);
    assert!(block.grow(20 * MIB, Contents::Zeroed));
    assert_eq!(block.block.start(), start);
    block.block.free(Release::Keep);
}

#[test]
fn a_block_has_room_for_all_that_was_asked_for() {
    let _alone = alone();
    for align in [8, 2 * page_size()] {
        // The second one takes the memory of the first.
        for _ in 0..2 {
            let mut block = Patterned::new(MIB, align, &room(4 * MIB)).expect("a MiB");
            let start = block.block.start();
            assert!(block.grow(4 * MIB, Contents::Any));
            assert_eq!(block.block.start(), start);
            block.block.free(Release::Keep);
        }
    }
}

#[test]
fn committed_bytes_are_counted_also_after_a_move() {
    let alone = alone();
    let counted = || tally().1 - alone.before.1;
    let mut block = Patterned::new(MIB, 8, &room(4 * MIB)).expect("a MiB");
    assert_eq!((counted(), tally().0), (block.block.bytes(), alone.before.0 + 1));
    assert!(counted() >= MIB);
    // In place, and past its room, if the system can move it without copying.
    for bytes in [3 * MIB, 40 * MIB, 80 * MIB] {
        if block.grow(bytes, Contents::Any) {
            assert!(counted() >= bytes);
            assert_eq!(counted(), block.block.bytes());
        }
    }
    block.block.shrink(layout(MIB, 1));
    assert_eq!(counted(), block.block.bytes());
    block.block.free(Release::Keep);
    // Only a block that was not moved goes to the cache.
    release_all();

    let block = Block::new(layout(2 * MIB, 8), &room(64 * MIB), Contents::Any).expect("some MiB");
    block.free(Release::Keep);
    assert_eq!((kept_blocks(), counted()), (1, 0));
    assert!(region_cache::stats().kept_bytes >= 2 * MIB);
    let mut again = Block::new(layout(MIB, 8), &room(64 * MIB), Contents::Any).expect("a MiB");
    assert_eq!((kept_blocks(), region_cache::stats().kept_bytes, counted()), (0, 0, again.bytes()));
    again.free(Release::Keep);
}

#[test]
fn a_small_shrink_decommits_nothing_and_growing_again_zeroes() {
    let _alone = alone();
    let mut block = Patterned::new(MIB, 8, &room(64 * MIB)).expect("a MiB");
    let usable = block.block.header().usable;
    block.block.shrink(layout(MIB - 10 * KIB, 1));
    block.bytes = MIB - 10 * KIB;
    assert_eq!(block.block.header().usable, usable);
    assert!(block.grow(MIB, Contents::Zeroed));
    block.block.free(Release::Keep);
}

#[test]
fn a_block_that_outgrows_its_reservation_moves_or_stays_as_it_is() {
    let _alone = alone();
    for reserve_bytes in [0, 3 * MIB] {
        let (blocks, reserved) = counts();
        let mut block = Patterned::new(MIB, 8, &room(reserve_bytes)).expect("a MiB");
        for bytes in [2 * MIB, 5 * MIB, 33 * MIB, 34 * MIB] {
            let moved = block.grow(bytes, Contents::Zeroed);
            assert_eq!(moved, cfg!(target_os = "linux") || bytes < reserve_bytes, "{bytes}");
        }
        if cfg!(target_os = "linux") {
            block.block.shrink(layout(MIB, 1));
            block.bytes = MIB;
            assert!(block.grow(30 * MIB, Contents::Zeroed));
            assert!(block.grow(50 * MIB, Contents::Any));
        }
        block.block.free(Release::Now);
        assert_eq!(counts(), (blocks, reserved));
    }
}

#[test]
fn a_refused_move_changes_nothing() {
    let _alone = alone();
    let mut block = Patterned::new(MIB, 8, &room(3 * MIB)).expect("a MiB");
    let start = block.block.start();
    let fault = Fault::from_nth(Call::Move, 0);
    assert!(!block.grow(20 * MIB, Contents::Any));
    drop(fault);
    assert_eq!((block.block.start(), block.bytes), (start, MIB));
    assert!(block.grow(2 * MIB, Contents::Any));
    block.block.free(Release::Keep);
}

#[test]
fn blocks_aligned_to_more_than_a_page_do_not_move() {
    let _alone = alone();
    for align in [2 * page_size(), 2 * MIB] {
        let mut block = Patterned::new(MIB, align, &room(8 * MIB)).expect("a MiB");
        assert!(block.grow(2 * MIB, Contents::Zeroed));
        assert!(!block.grow(40 * MIB, Contents::Zeroed));
        block.block.free(Release::Keep);
    }
}

#[test]
fn refusals_at_each_step_leave_nothing_behind() {
    let _alone = alone();
    let before = counts();
    for call in [Call::Reserve, Call::Commit] {
        let fault = Fault::from_nth(call, 0);
        assert!(Block::new(layout(MIB, 8), &BlockOptions::DEFAULT, Contents::Any).is_err());
        assert!(fault.failures() > 0);
        drop(fault);
        assert_eq!(counts(), before);
    }
    // Grants much less than requested, then only what is needed, then nothing.
    // The header takes another page.
    let (most, less) = (128 * MIB + page_size(), 2 * MIB + page_size());
    for (refused, room_bytes) in [(0, most), (1, less), (2, 0), (40, 0)] {
        let fault = Fault::plan(Call::Reserve, 0, refused);
        let block = Patterned::new(MIB, 8, &room(128 * MIB));
        drop(fault);
        assert_eq!(block.is_some(), refused < 40);
        assert_eq!(counts().1 - before.1, room_bytes);
        if let Some(mut block) = block {
            assert!(block.grow(MIB + 100, Contents::Zeroed));
            block.block.free(Release::Keep);
            release_all();
        }
        assert_eq!(counts(), before);
    }
    let mut block = Patterned::new(MIB, 8, &room(64 * MIB)).expect("a MiB");
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(!block.grow(3 * MIB, Contents::Any));
    drop(fault);
    // If a run is refused, the needed pages may still be granted, if they are fewer.
    let fault = Fault::plan(Call::Commit, 0, 1);
    assert_eq!(block.grow(3 * MIB + 1, Contents::Any), page_size() < RUN_BYTES);
    drop(fault);
    let fault = Fault::from_nth(Call::Decommit, 0);
    block.block.shrink(layout(MIB, 1));
    block.bytes = MIB;
    drop(fault);
    assert!(block.grow(4 * MIB, Contents::Zeroed));
    block.block.free(Release::Keep);
    release_all();
    assert_eq!(counts(), before);
}

#[test]
fn freed_blocks_are_cached_for_similar_requests() {
    let _alone = alone();
    let before = counts();
    let options = BlockOptions::DEFAULT;
    let first = Patterned::new(4 * MIB, 8, &room(64 * MIB)).expect("some MiB");
    let start = first.block.start();
    first.block.free(Release::Keep);
    // Requests that do not suit: less than half of the size (and more than a block that may be about to grow), another
    // alignment, other options, or too much.
    let never = BlockOptions { huge_pages: HugePages::Never, ..options };
    let other = [
        Block::new(layout(MIB + 512 * KIB, 8), &options, Contents::Zeroed),
        Block::new(layout(4 * MIB, 2 * page_size()), &options, Contents::Zeroed),
        Block::new(layout(4 * MIB, 8), &never, Contents::Zeroed),
        Block::new(layout(4 * MIB, 8), &room(128 * MIB), Contents::Zeroed),
        Block::new(layout(33 * MIB, 8), &options, Contents::Zeroed),
    ];
    for block in other.into_iter().flatten() {
        assert_ne!(block.start(), start);
        block.free(Release::Now);
    }
    let mut again = Patterned::new(3 * MIB, 16, &options).expect("some MiB");
    assert_eq!(again.block.start(), start);
    assert!(again.grow(10 * MIB, Contents::Zeroed), "old contents are overwritten");
    again.block.free(Release::Keep);
    let zeroed = Block::new(layout(7 * MIB, 8), &options, Contents::Zeroed).expect("some MiB");
    assert_eq!(zeroed.start(), start);
    let mut zeroed = Patterned { block: zeroed, bytes: 7 * MIB };
    assert!(are_all(zeroed.memory(), 0));
    zeroed.block.free(Release::Keep);
    // A large one is cleared if most of the region is resident, and else likely to be touched only in part.
    for (written, is_cleared) in [(12 * MIB, true), (MIB, false)] {
        release_all();
        let mut old = Block::new(layout(12 * MIB, 8), &options, Contents::Any).expect("some MiB");
        let start = old.start();
        // SAFETY: the block has 12 MiB.
        unsafe { start.write_bytes(7, written) };
        assert!(old.bytes() >= 12 * MIB);
        old.free(Release::Keep);
        let zeroed = Block::new(layout(12 * MIB, 8), &options, Contents::Zeroed).expect("some MiB");
        assert_eq!(zeroed.start() == start, is_cleared, "{written} bytes were written");
        let mut zeroed = Patterned { block: zeroed, bytes: 12 * MIB };
        assert!(are_all(zeroed.memory(), 0));
        zeroed.block.free(Release::Now);
    }
    release_all();
    assert_eq!(counts(), before);
}

// With 32 bits, no block of that size is cached: it would keep too many addresses.
#[cfg(target_pointer_width = "64")]
#[test]
fn large_blocks_are_cached_if_most_of_them_was_written() {
    let _alone = alone();
    let (before, options) = (counts(), room(256 * MIB));
    for (written, is_cached) in [(50 * MIB, true), (10 * MIB, false)] {
        let block = Block::new(layout(50 * MIB, 8), &options, Contents::Any).expect("some MiB");
        let start = block.start();
        // SAFETY: the block has 50 MiB.
        unsafe { start.write_bytes(7, written) };
        // What is not cached is released in the background.
        block.free(Release::Background);
        service::drain();
        assert_eq!(kept_blocks(), usize::from(is_cached), "{written} bytes were written");
        if !is_cached {
            continue;
        }
        // Too large for less than four fifths.
        let half = Block::new(layout(25 * MIB, 8), &options, Contents::Any).expect("some MiB");
        assert_eq!(kept_blocks(), 1);
        half.free(Release::Now);
        let again = Block::new(layout(45 * MIB, 8), &options, Contents::Any).expect("some MiB");
        assert_eq!((again.start(), kept_blocks()), (start, 0));
        again.free(Release::Now);
    }
    assert_eq!(counts(), before);
}

#[test]
fn a_region_suits_a_block_that_may_grow_like_the_last_one_there() {
    let _alone = alone();
    let (before, options) = (counts(), BlockOptions::DEFAULT);
    let mut first = Patterned::new(4 * MIB, 8, &room(128 * MIB)).expect("some MiB");
    let start = first.block.start();
    assert!(first.grow(20 * MIB, Contents::Any));
    first.block.free(Release::Keep);
    let less = Patterned::new(3 * MIB, 8, &options).expect("some MiB");
    assert_eq!(kept_blocks(), 1, "less than four fifths of what the first was requested with");
    less.block.free(Release::Now);
    for _ in 0..3 {
        let mut like = Patterned::new(4 * MIB, 8, &options).expect("some MiB");
        assert_eq!((like.block.start(), kept_blocks()), (start, 0));
        assert!(region_cache::stats().lent_bytes >= 16 * MIB);
        assert!(like.grow(18 * MIB, Contents::Zeroed));
        like.block.free(Release::Keep);
    }
    // One that does not grow does not show that the next will.
    let like = Patterned::new(4 * MIB, 8, &options).expect("some MiB");
    assert_eq!(like.block.start(), start);
    like.block.free(Release::Keep);
    let like = Patterned::new(4 * MIB, 8, &options).expect("some MiB");
    assert_eq!((like.block.start() == start, kept_blocks()), (false, 1));
    like.block.free(Release::Now);
    release_all();
    assert_eq!(counts(), before);
}

#[test]
fn a_block_that_may_grow_gets_no_region_whose_rest_may_not_be_lent() {
    let _alone = alone();
    let (before, options) = (counts(), BlockOptions::DEFAULT);
    region_cache::set_most_bytes(24 * MIB);
    let mut first = Patterned::new(4 * MIB, 8, &room(128 * MIB)).expect("some MiB");
    let start = first.block.start();
    assert!(first.grow(23 * MIB, Contents::Any));
    first.block.free(Release::Keep);
    // 19 of 24 MiB are more than three quarters. The region stays as it is.
    let like = Block::new(layout(4 * MIB, 8), &options, Contents::Zeroed).expect("some MiB");
    assert!(like.start() != start && kept_blocks() == 1);
    assert!(region_cache::stats().kept_bytes >= 23 * MIB);
    like.free(Release::Now);
    release_all();
    assert_eq!(counts(), before);
}

#[test]
fn what_no_block_like_the_last_would_get_is_not_cached() {
    let _alone = alone();
    for (bytes, grown, is_cached) in [
        (512 * KIB, 30 * MIB, true),
        (512 * KIB, 40 * MIB, false),
        (2 * MIB, 30 * MIB, true),
        (2 * MIB, 40 * MIB, false),
    ] {
        let mut block = Patterned::new(bytes, 8, &room(128 * MIB)).expect("some MiB");
        assert!(block.grow(grown, Contents::Any));
        block.block.free(Release::Keep);
        assert_eq!(kept_blocks(), usize::from(is_cached), "from {bytes} to {grown} bytes");
        release_all();
    }
}

/// A cached region of 26 MiB that was written, and how much is cached.
fn cached_region() -> usize {
    let block = Patterned::new(24 * MIB, 8, &room(128 * MIB)).expect("some MiB");
    block.block.free(Release::Keep);
    assert_eq!(kept_blocks(), 1);
    region_cache::stats().kept_bytes
}

#[test]
fn blocks_are_made_of_parts_of_cached_regions() {
    let _alone = alone();
    let (before, options) = (counts(), room(128 * MIB));
    let kept_bytes = || region_cache::stats().kept_bytes;
    let cached = cached_region();
    if !can_move_onto() {
        return assert!(release_all());
    }
    // Less than half of the region, which stays where it is with the rest of its memory.
    let new = |bytes| Block::new(layout(bytes, 8), &options, Contents::Any).expect("some MiB");
    let mut part = Patterned { block: new(10 * MIB), bytes: 10 * MIB };
    assert!(is_resident(&mut part.block, 0..10 * MIB), "before it is touched");
    part.fill(0);
    let left = kept_bytes();
    assert!(kept_blocks() == 1 && left < cached - 10 * MIB && left > 8 * MIB, "{left}");
    // A zeroed block may be touched only here and there.
    let zeroed = Block::new(layout(40 * MIB, 8), &options, Contents::Zeroed).expect("some MiB");
    let mut zeroed = Patterned { block: zeroed, bytes: 40 * MIB };
    assert!(are_all(zeroed.memory(), 0) && kept_bytes() == left);
    zeroed.block.free(Release::Now);
    // It grows by the rest.
    assert!(part.grow(16 * MIB, Contents::Any));
    assert!(is_resident(&mut part.block, 12 * MIB..16 * MIB));
    assert!(kept_bytes() < left);
    part.check(16 * MIB);
    // A new one is made of several.
    let other = Patterned::new(9 * MIB, 8, &options).expect("some MiB");
    for block in [part, other] {
        block.block.free(Release::Keep);
    }
    let (blocks, cached) = (kept_blocks(), kept_bytes());
    let mut whole = Patterned { block: new(23 * MIB), bytes: 23 * MIB };
    assert!(blocks > 1 && kept_bytes() < cached - 20 * MIB, "{blocks} {cached}");
    assert!(is_resident(&mut whole.block, 0..16 * MIB));
    whole.fill(0);
    whole.check(23 * MIB);
    whole.block.free(Release::Now);
    release_all();
    assert_eq!(counts(), before);
}

#[test]
fn a_part_that_cannot_be_moved_is_not_needed() {
    let _alone = alone();
    let (before, options) = (counts(), room(128 * MIB));
    for pass in [0, 1] {
        // Grown, and made anew.
        for is_new in [false, true] {
            let mut block = Patterned::new(6 * MIB, 8, &options).expect("some MiB");
            let cached = cached_region();
            // The second is one after which the addresses may not be reserved any more.
            let fault = Fault::nth(Call::Move, pass);
            if is_new {
                block.block.free(Release::Now);
                block = Patterned::new(10 * MIB, 8, &options).expect("some MiB");
            } else {
                assert!(block.grow(10 * MIB, Contents::Any) || !cfg!(target_os = "linux"));
            }
            let has_failed = fault.failures() > 0;
            drop(fault);
            assert_eq!(has_failed, can_move_onto());
            let kept = region_cache::stats().kept_bytes;
            assert!(kept <= cached && (kept == cached) == (pass == 0 || !has_failed), "{kept}");
            block.check(block.bytes);
            block.block.free(Release::Now);
            release_all();
            assert_eq!(counts(), before);
        }
    }
}

#[test]
fn a_block_whose_second_part_is_lost_ends_there() {
    let _alone = alone();
    let (before, options) = (counts(), room(128 * MIB));
    let mut block = Patterned::new(6 * MIB, 8, &options).expect("some MiB");
    let cached = [(); 2].map(|()| Patterned::new(9 * MIB, 8, &options).expect("some MiB"));
    for cached in cached {
        cached.block.free(Release::Keep);
    }
    // Two calls for each part.
    let fault = Fault::nth(Call::Move, 3);
    let grown = block.grow(30 * MIB, Contents::Any);
    assert_eq!(fault.failures(), usize::from(can_move_onto()));
    drop(fault);
    // It has no room any more, and is copied by its owner if it cannot be moved.
    assert!(grown || can_move_onto());
    for bytes in [block.bytes + MIB, block.bytes + 2 * MIB] {
        let _ = block.grow(bytes, Contents::Zeroed);
    }
    block.block.shrink(layout(5 * MIB, 8));
    block.bytes = 5 * MIB;
    block.check(5 * MIB);
    block.block.free(Release::Keep);
    release_all();
    assert_eq!(counts(), before);
}

#[test]
fn parts_are_not_taken_for_zero_after_a_refused_commit() {
    let _alone = alone();
    let options = room(128 * MIB);
    let is_zero = |block: &Block, range: Range<usize>| {
        // SAFETY: the block has these bytes.
        let bytes = unsafe { std::slice::from_raw_parts(block.start().as_ptr(), range.end) };
        are_all(&bytes[range], 0)
    };
    // All commits, only that of a whole run, and none.
    for refused in [usize::MAX, 1, 0] {
        for is_new in [false, true] {
            let mut block = Patterned::new(6 * MIB, 8, &options).expect("some MiB").block;
            cached_region();
            // Of a new one, less than half of the region, which does not suit.
            let end = if is_new { 12 * MIB } else { 16 * MIB } - 100 * KIB;
            let fault = Fault::plan(Call::Commit, 0, refused);
            let grown = if is_new {
                let new = Block::new(layout(end, 8), &options, Contents::Any);
                new.map(|new| std::mem::replace(&mut block, new).free(Release::Now)).is_ok()
            } else {
                block.grow(6 * MIB, layout(end, 1), &options, Contents::Any)
            };
            drop(fault);
            assert!(grown || refused > 0);
            let end = if grown { end } else { 6 * MIB };
            // Through the cache, too.
            if refused == usize::MAX && is_new {
                block.free(Release::Keep);
                let zeroed = Block::new(layout(end, 8), &options, Contents::Zeroed);
                block = zeroed.expect("some MiB");
                assert!(is_zero(&block, 0..end));
            }
            assert!(block.grow(end, layout(20 * MIB, 1), &options, Contents::Zeroed));
            assert!(is_zero(&block, end..20 * MIB), "{refused} {is_new}");
            block.free(Release::Now);
            release_all();
        }
    }
}

#[test]
fn sizes_near_the_largest_are_refused() {
    let _alone = alone();
    let some = [(); 2].map(|()| Block::new(layout(MIB, 8), &room(16 * MIB), Contents::Any));
    for block in some {
        block.expect("a MiB").free(Release::Keep);
    }
    for (bytes, align) in [
        (isize::MAX as usize, 1),
        (isize::MAX as usize - 4095, 4096),
        (MIB, 1 << (usize::BITS - 2)),
    ] {
        for contents in [Contents::Any, Contents::Zeroed] {
            let block = Block::new(layout(bytes, align), &BlockOptions::DEFAULT, contents);
            assert!(block.is_err(), "{bytes} aligned to {align}");
        }
    }
    let mut block = Patterned::new(MIB, 1, &room(16 * MIB)).expect("a MiB");
    assert!(!block.grow(isize::MAX as usize, Contents::Zeroed));
    // Cached memory is not spent on a request that fails anyway.
    assert_eq!(kept_blocks(), usize::from(cfg!(target_pointer_width = "64")));
    block.block.free(Release::Keep);
}

#[test]
fn a_block_that_nearly_fills_its_reservation_is_cached() {
    let _alone = alone();
    let block = Block::new(layout(16 * MIB, 8), &room(17 * MIB), Contents::Any).expect("some MiB");
    let start = block.start();
    block.free(Release::Keep);
    let again = Block::new(layout(16 * MIB, 8), &room(17 * MIB), Contents::Any).expect("some MiB");
    assert_eq!(again.start(), start);
    again.free(Release::Now);
}

#[test]
fn small_blocks_are_lent_spare_memory_within_bounds() {
    let _alone = alone();
    let free = |bytes| {
        let block = Block::new(layout(bytes, 8), &room(64 * MIB), Contents::Any);
        block.expect("some MiB").free(Release::Keep);
    };
    free(16 * MIB);
    let mut small = Patterned::new(256 * KIB, 8, &BlockOptions::DEFAULT).expect("some KiB");
    assert!(small.block.bytes() >= 16 * MIB);
    assert_eq!(kept_blocks(), 0);
    // It grows into the lent memory until none is left.
    let usable = small.block.header().usable;
    let lent = |small: &mut Patterned| format!("{:?}", small.block.header().lent);
    assert_eq!(lent(&mut small), format!("LentBytes({})", usable - HEADER_BYTES - 256 * KIB));
    assert!(small.grow(8 * MIB, Contents::Zeroed));
    assert_eq!(lent(&mut small), format!("LentBytes({})", usable - HEADER_BYTES - 8 * MIB));
    assert!(small.grow(20 * MIB, Contents::Zeroed));
    assert_eq!(lent(&mut small), "LentBytes(0)");
    small.block.free(Release::Keep);

    // Memory that cannot be lent is returned.
    region_cache::set_most_bytes(22 * MIB);
    let mut small = Patterned::new(256 * KIB, 8, &BlockOptions::DEFAULT).expect("some KiB");
    // With huge pages, too: at most a quarter more.
    assert!(small.block.bytes() <= 320 * KIB, "{}", small.block.bytes());
    assert_eq!(region_cache::stats().lent_bytes, 0);
    small.block.free(Release::Keep);
}

#[test]
fn lent_memory_stays_counted_if_growing_is_refused() {
    let _alone = alone();
    let block = Patterned::new(16 * MIB, 8, &room(64 * MIB)).expect("some MiB");
    block.block.free(Release::Keep);
    let mut small = Patterned::new(256 * KIB, 8, &BlockOptions::DEFAULT).expect("some KiB");
    let lent = region_cache::stats().lent_bytes;
    assert!(lent > 15 * MIB);
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(!small.grow(20 * MIB, Contents::Any));
    assert!(!small.grow(isize::MAX as usize, Contents::Any));
    drop(fault);
    assert_eq!(region_cache::stats().lent_bytes, lent);
    assert!(small.grow(20 * MIB, Contents::Zeroed));
    assert_eq!(region_cache::stats().lent_bytes, 0);
    small.block.free(Release::Keep);
}

#[test]
fn blocks_of_large_alignment_are_cached_for_similar_requests() {
    let _alone = alone();
    let options = room(16 * MIB);
    let block = Patterned::new(256 * KIB, 2 * MIB, &options).expect("some KiB");
    let start = block.block.start();
    block.block.free(Release::Keep);
    let again = Patterned::new(300 * KIB, 2 * MIB, &options).expect("some KiB");
    assert_eq!(again.block.start(), start);
    again.block.free(Release::Keep);
}

#[test]
fn a_block_larger_than_the_cached_region_commits_the_rest() {
    let _alone = alone();
    let first = Patterned::new(3 * MIB, 8, &room(64 * MIB)).expect("some MiB");
    let start = first.block.start();
    first.block.free(Release::Keep);
    let block = Block::new(layout(5 * MIB, 8), &room(64 * MIB), Contents::Zeroed);
    let mut block = Patterned { block: block.expect("some MiB"), bytes: 5 * MIB };
    assert_eq!(block.block.start(), start);
    assert!(are_all(block.memory(), 0));
    block.block.free(Release::Keep);
    // If committing the rest is refused, other memory is used.
    let fault = Fault::plan(Call::Commit, 0, commits());
    let block = Patterned::new(7 * MIB, 8, &room(64 * MIB)).expect("some MiB");
    assert_eq!(fault.failures(), commits());
    drop(fault);
    block.block.free(Release::Keep);
}

#[test]
fn cached_and_waiting_regions_are_released_when_a_request_is_refused() {
    let keep = || {
        let block = Block::new(layout(4 * MIB, 8), &room(64 * MIB), Contents::Any);
        block.expect("some MiB").free(Release::Keep);
    };
    let _alone = alone();
    // Otherwise the runs of a larger block would be huge pages.
    let never = BlockOptions { huge_pages: HugePages::Never, ..room(256 * MIB) };
    for call in [Call::Reserve, Call::Commit] {
        keep();
        // All requests of the first attempt, none of which uses the cached region.
        let fault = Fault::plan(call, 0, if call == Call::Reserve { 3 } else { commits() });
        let block = Patterned::new(20 * MIB, 8, &never);
        drop(fault);
        block.expect("memory was released").block.free(Release::Now);
        assert!(!release_all());
    }
    keep();
    let mut block = Patterned::new(20 * MIB, 8, &never).expect("some MiB");
    let fault = Fault::plan(Call::Commit, 0, commits());
    assert!(block.grow(30 * MIB, Contents::Zeroed));
    drop(fault);
    block.block.free(Release::Now);
    assert!(!release_all());
}

#[test]
fn concurrent_threads_stay_within_the_share_of_blocks() {
    const THREADS: usize = 8;
    let _alone = alone();
    let all = address_space_bytes();
    let before = counts();
    let barrier = &Barrier::new(THREADS);
    let take = || {
        barrier.wait();
        let taken = AddressSpace::now().take_for_block(Some(usize::MAX / 4), 1, None);
        barrier.wait();
        let bytes = counts().1;
        barrier.wait();
        drop(taken);
        bytes
    };
    for _ in 0..1000 {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(take)).collect();
            for thread in threads {
                let bytes = thread.join().expect("it does not panic");
                assert!(bytes <= all / 4, "{bytes} of {all}");
            }
        });
        assert_eq!(counts(), before);
    }
}

/// On 32-bit systems only part of the room is offered.
#[test]
#[cfg(target_pointer_width = "64")]
fn a_block_whose_room_was_taken_keeps_its_memory_and_works_without_room() {
    let _alone = alone();
    let before = counts();
    for align in [8, 2 * page_size(), 2 * MIB] {
        let mut blocks: Vec<_> =
            (0..4).map(|_| Patterned::new(MIB, align, &room(64 * MIB)).expect("a MiB")).collect();
        let starts: Vec<_> = blocks.iter().map(|block| block.block.start()).collect();
        assert_eq!(take_all_rooms(), crate::os::RELEASES_PARTS);
        assert!(!take_all_rooms());
        if !crate::os::RELEASES_PARTS {
            return blocks.into_iter().for_each(|block| block.block.free(Release::Now));
        }
        // In addition to the used bytes, and those that are not counted immediately.
        assert!(counts().1 - before.1 < 4 * 8 * MIB, "{:?}", counts());
        // A block that grows is moved, or takes back the free addresses after it, if possible.
        let can_grow = cfg!(target_os = "linux") && align == 8;
        assert_eq!(blocks[0].grow(3 * MIB, Contents::Zeroed), can_grow);
        let starts_now: Vec<_> = blocks.iter().map(|block| block.block.start()).collect();
        assert_eq!(starts_now[1..], starts[1..]);
        blocks[1].block.shrink(layout(256 * KIB, 1));
        blocks[1].bytes = 256 * KIB;
        // The pages are committed up to the end of a run.
        assert!(blocks[2].grow(MIB + 100, Contents::Zeroed) || page_size() > 4 * KIB || align > 8);
        for mut block in blocks {
            block.check(block.bytes);
            // Without room, it does not go to the cache.
            block.block.free(Release::Keep);
        }
        assert_eq!((kept_blocks(), counts()), (0, before));
    }
}

#[test]
fn rooms_can_be_taken_while_blocks_grow_shrink_and_are_freed() {
    const THREADS: usize = 3;
    const ROUNDS: usize = if cfg!(miri) { 3 } else { 60 };
    let _alone = alone();
    let before = counts();
    let left = &AtomicUsize::new(THREADS);
    let work = |thread: usize| {
        for round in 0..ROUNDS {
            let mut block = Patterned::new(256 * KIB, 8, &room(64 * MIB)).expect("some KiB");
            for step in 0..4 {
                let bytes = block.bytes + (thread + round + step) % 5 * 100 * KIB + 1;
                if block.grow(bytes, Contents::Zeroed) {
                    thread::yield_now();
                }
                if step == 2 {
                    block.block.shrink(layout(256 * KIB, 1));
                    block.bytes = 256 * KIB;
                }
            }
            block.check(block.bytes);
            block.block.free(Release::Keep);
        }
        left.fetch_sub(1, Ordering::Relaxed);
    };
    thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || work(thread));
        }
        while left.load(Ordering::Relaxed) > 0 {
            take_all_rooms();
            thread::yield_now();
        }
    });
    release_all();
    assert_eq!(counts(), before);
}

#[test]
fn blocks_are_counted_in_the_class_of_their_committed_bytes() {
    let _alone = alone();
    let classes = || {
        let each = (0..region_cache::CLASSES).map(|class| (class, tally_of_class(class)));
        each.filter(|(_, (blocks, _))| *blocks > 0).collect::<Vec<_>>()
    };
    let before = classes();
    assert!(before.is_empty(), "no other test has blocks: {before:?}");
    let class_of = region_cache::class_of;
    let mut block = Patterned::new(MIB, 8, &room(64 * MIB)).expect("a MiB");
    assert_eq!(classes(), [(class_of(MIB), (1, block.block.bytes()))]);
    assert!(block.grow(5 * MIB, Contents::Any));
    assert_eq!(classes(), [(class_of(4 * MIB), (1, block.block.bytes()))]);
    let bytes = block.block.bytes();
    block.block.free(Release::Keep);
    assert_eq!(classes(), []);
    let kept = region_cache::kept_of_class;
    assert_eq!(kept(class_of(4 * MIB)), (1, bytes));
    // It is inspected, does not suit, and is put back.
    let options = room(128 * MIB);
    let other = Block::new(layout(5 * MIB, 8), &options, Contents::Zeroed).expect("some MiB");
    assert_eq!(kept(class_of(4 * MIB)), (1, bytes));
    other.free(Release::Now);
    release_all();
    assert!((0..region_cache::CLASSES).all(|class| kept(class) == (0, 0)));
}

/// Whether a part of a block is resident, if that is known.
fn is_resident(block: &mut Block, range: Range<usize>) -> bool {
    let header = block.header();
    let pages = header.offset + range.start..header.offset + range.end;
    let pages = pages.start / page_size() * page_size()..round_up(pages.end, page_size());
    header.memory.withdraw();
    let resident = header.memory.resident_within(pages.clone());
    header.memory.offer_past(header.usable);
    resident == pages.len()
}

#[test]
#[cfg_attr(target_os = "openbsd", ignore = "it does not tell what is resident")]
fn the_first_bytes_of_fresh_memory_are_resident() {
    let _alone = alone();
    let never = BlockOptions { huge_pages: HugePages::Never, ..room(64 * MIB) };
    for contents in [Contents::Any, Contents::Zeroed] {
        let mut block = Block::new(layout(4 * MIB, 8), &never, contents).expect("some MiB");
        assert!(!is_resident(&mut block, MIB..2 * MIB));
        block.free(Release::Now);
        for prefault_bytes in [3 * MIB, usize::MAX] {
            let options = BlockOptions { prefault_bytes, ..never };
            let mut block = Block::new(layout(4 * MIB, 8), &options, contents).expect("some MiB");
            let most = prefault_bytes.min(4 * MIB);
            assert!(is_resident(&mut block, 0..most));
            assert_eq!(is_resident(&mut block, most..4 * MIB), prefault_bytes == usize::MAX);
            // What is added is fresh, too.
            assert!(block.grow(4 * MIB, layout(9 * MIB, 8), &options, contents));
            assert_eq!(is_resident(&mut block, 4 * MIB..9 * MIB), prefault_bytes == usize::MAX);
            block.free(Release::Now);
        }
    }
    // If it is refused, the pages take page faults.
    let options = BlockOptions { prefault_bytes: usize::MAX, ..never };
    let fault = Fault::from_nth(Call::Prefault, 0);
    let mut block = Block::new(layout(4 * MIB, 8), &options, Contents::Any).expect("some MiB");
    assert!(fault.failures() > 0);
    drop(fault);
    assert!(!is_resident(&mut block, 0..4 * MIB));
    block.free(Release::Now);
}
