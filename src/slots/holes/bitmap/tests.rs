//! The bitmap against one of std's sets, and refused calls.

mod op;

use super::*;
use crate::error::ErrorKind;
use crate::made;
use crate::os::Call;
use crate::os::fault::Fault;
use op::{Model, Op};

/// Indices next to the edges of words of each level.
const EDGES: [u32; 14] =
    [0, 1, 62, 63, 64, 65, 4095, 4096, 4097, 262_143, 262_144, 16_777_215, 16_777_216, 40_000_000];

fn covering(len: usize) -> Bitmap {
    let mut bitmap = Bitmap::new();
    bitmap.cover(len).unwrap();
    bitmap
}

fn take_first(bitmap: &mut Bitmap) -> Option<u32> {
    let first = bitmap.first()?;
    assert!(bitmap.clear(first));
    Some(first)
}

fn indices(bitmap: &Bitmap) -> Vec<u32> {
    let first = bitmap.first_at_or_after(0);
    std::iter::successors(first, |last| bitmap.first_at_or_after(last + 1)).collect()
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn after_any_operations_it_holds_what_a_set_holds() {
    made::run_with(50, 1..80, |(), ops: &[Op]| {
        Model::run(ops);
    });
}

#[test]
fn a_new_bitmap_takes_no_memory_and_answers_calls() {
    static NEW: Bitmap = Bitmap::new();
    assert_eq!((NEW.covered(), NEW.count()), (0, 0));
    assert_eq!((NEW.first(), NEW.last(), NEW.first_at_or_after(7)), (None, None, None));
    assert!(!NEW.contains(0));
    assert_eq!(NEW.words(), []);
    assert_eq!(NEW.words.stats().reserved_bytes, 0);
    NEW.check();

    let mut new = Bitmap::new();
    assert!(!new.clear(u32::MAX));
    assert_eq!(new.first(), None);
    new.clear_range(0, usize::MAX);
    new.clear_all();
    new.uncover(0);
    new.check();
    assert_eq!(new.try_clone(0, 1 << 27).unwrap().words.stats().reserved_bytes, 0);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn indices_at_the_edges_of_words_of_all_levels_are_distinct() {
    let mut bitmap = covering(40_000_001);
    for edge in EDGES.into_iter().rev() {
        assert!(bitmap.set(edge));
        assert_eq!(bitmap.first(), Some(edge));
        bitmap.check();
    }
    assert_eq!(indices(&bitmap), EDGES);
    assert_eq!(bitmap.last(), Some(40_000_000));
    let mut clone = bitmap.try_clone(0, 1 << 27).unwrap();
    clone.check();
    for edge in EDGES {
        assert_eq!(take_first(&mut bitmap), Some(edge));
        bitmap.check();
    }
    assert_eq!(indices(&clone), EDGES);
    for edge in EDGES.into_iter().rev() {
        assert_eq!(clone.last(), Some(edge));
        assert!(clone.clear(edge));
        assert!(!clone.clear(edge));
        clone.check();
    }
}

#[test]
fn levels_are_added_and_removed_with_coverage() {
    let mut bitmap = Bitmap::new();
    for (len, levels) in [(1, 0), (4096, 0), (4097, 1), (262_144, 1), (262_145, 2)] {
        bitmap.cover(len).unwrap();
        bitmap.clear(0);
        assert!(bitmap.set(0));
        bitmap.check();
        let used = bitmap.summaries.iter().filter(|level| !level.is_empty()).count();
        assert_eq!(used, levels, "of {len}");
    }
    bitmap.uncover(64);
    bitmap.check();
    assert_eq!(bitmap.covered(), 64);
    bitmap.clear(0);
    bitmap.uncover(0);
    bitmap.check();
    bitmap.cover(5000).unwrap();
    bitmap.check();
    assert_eq!(bitmap.count(), 0);
}

#[test]
fn full_words_are_known_when_levels_are_added_and_removed() {
    for len in [64, 65, 4096, 4097, 4160, 8192, 262_144, 262_145] {
        let mut bitmap = covering(len);
        bitmap.set_range(0, len);
        bitmap.check();
        for covered in [0, len, 4097, 600_000] {
            let mut clone = bitmap.try_clone(covered, 600_000).unwrap();
            clone.check();
            clone.clear_range(len / 2, len);
            clone.uncover(len / 2);
            clone.check();
            clone.cover(len).unwrap();
            clone.check();
        }
        bitmap.cover(600_000).unwrap();
        bitmap.check();
        bitmap.repair();
        bitmap.check();
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn the_highest_level_that_indices_need_is_used() {
    let len = (1 << 30) + 65;
    let mut bitmap = covering(len);
    assert_eq!(summary_lens(1 << 26), [1 << 20, 1 << 14, 1 << 8, 4]);
    let far = [0, (1 << 30) - 1, 1 << 30, (1 << 30) + 64];
    for index in far {
        assert!(bitmap.set(index));
    }
    assert_eq!(indices(&bitmap), far);
    assert_eq!(bitmap.last(), Some(far[3]));
    assert_eq!(take_first(&mut bitmap), Some(0));
    assert_eq!(bitmap.first(), Some(far[1]));
    bitmap.clear_range(0, 1 << 30);
    assert_eq!(indices(&bitmap), far[2..]);
    bitmap.clear_all();
    assert_eq!((bitmap.first(), bitmap.last(), bitmap.count()), (None, None, 0));
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
#[cfg(target_os = "linux")]
fn covering_and_cloning_touch_only_words_with_bits() {
    let mut bitmap = covering(1 << 29);
    assert!(bitmap.set(1 << 28));
    let clone = bitmap.try_clone(1 << 29, 1 << 29).unwrap();
    assert!(clone.contains(1 << 28));
    bitmap.clear_all();
    for bitmap in [bitmap, clone] {
        // 64 MiB, since the system may have put a huge page under a bit.
        let resident = bitmap.words.stats().resident_bytes.unwrap();
        assert!(resident <= 2 << 20, "{resident} bytes");
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn memory_is_returned_when_less_is_covered() {
    let mut bitmap = covering(1 << 23);
    assert!((0..1 << 23).all(|index| bitmap.set(index)));
    assert_eq!(bitmap.count(), 1 << 23);
    bitmap.clear_range(100, 1 << 23);
    bitmap.uncover(100);
    bitmap.check();
    assert!(bitmap.words.stats().committed_bytes <= 128 << 10);
    assert_eq!((bitmap.count(), bitmap.last()), (100, Some(99)));
}

#[test]
fn an_index_that_is_not_covered_cannot_be_set() {
    assert!(!covering(64).set(64));
}

#[test]
fn a_maximum_is_kept_and_no_more_is_reserved() {
    let mut bitmap = Bitmap::new();
    bitmap.limit(1 << 20);
    bitmap.cover(1 << 20).unwrap();
    let reserved = bitmap.words.stats().reserved_bytes;
    assert!((1 << 17..1 << 22).contains(&reserved), "{reserved}");
    let error = bitmap.cover((1 << 20) + 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::MaxLen);
    bitmap.check();
    assert_eq!(bitmap.try_clone(1 << 20, 1 << 20).unwrap().words.stats().max_len, 1 << 14);
    // Also if there are so few that they are not in a reservation.
    let mut few = Bitmap::new();
    few.limit(1000);
    few.cover(1000).unwrap();
    assert_eq!(few.cover(2000).unwrap_err().kind(), ErrorKind::MaxLen);
    assert_eq!(few.covered(), 1024);
    few.check();
}

/// Refuses all calls of one kind, and checks that this leaves no trace.
fn refused(call: Call, mut bitmap: Bitmap, len: usize) {
    let before = (indices(&bitmap), bitmap.covered());
    let fault = Fault::from_nth(call, 0);
    assert!(bitmap.cover(len).is_err());
    assert!(fault.failures() > 0);
    drop(fault);
    bitmap.check();
    assert_eq!((indices(&bitmap), bitmap.covered()), before);
    bitmap.cover(len).unwrap();
    bitmap.check();
    assert_eq!(indices(&bitmap), before.0);
    assert!(bitmap.covered() >= len);
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn refused_memory_changes_nothing() {
    // So many that the words are not a heap block.
    refused(Call::Reserve, Bitmap::new(), 1 << 20);
    refused(Call::Commit, Bitmap::new(), 1 << 20);
    refused(Call::Reserve, covering(4096), 1 << 20);
    for len in [1_u32, 64, 4096, 262_144] {
        let mut bitmap = covering(len as usize);
        assert!((len / 2..len).all(|index| bitmap.set(index)));
        refused(Call::Commit, bitmap, 1 << 26);
    }
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn a_refused_clone_leaves_the_original() {
    let mut bitmap = covering(1 << 20);
    assert!(bitmap.set(1 << 19));
    for call in [Call::Reserve, Call::Commit] {
        let fault = Fault::from_nth(call, 0);
        assert!(bitmap.try_clone(0, 1 << 27).is_err());
        drop(fault);
    }
    assert_eq!(indices(&bitmap), [1 << 19]);
    bitmap.check();
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn a_refused_decommit_costs_only_memory() {
    let mut bitmap = covering(1 << 26);
    assert!(bitmap.set(3));
    let fault = Fault::from_nth(Call::Decommit, 0);
    bitmap.uncover(64);
    assert!(fault.failures() > 0);
    bitmap.cover(1 << 26).unwrap();
    drop(fault);
    bitmap.check();
    assert_eq!(indices(&bitmap), [3]);
}
