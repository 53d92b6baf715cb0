//! Tests of chunks.

use super::SetIndex;
use crate::os::{Call, fault::Fault};

/// The value of a slot is its number divided by a thousand.
fn index_of(sizes: &[u32]) -> SetIndex {
    let mut index = SetIndex::new();
    for (value, size) in (0..).zip(sizes) {
        for n in 0..*size {
            insert(&mut index, value * 1000 + n);
        }
    }
    index
}

fn insert(index: &mut SetIndex, slot: u32) {
    index.insert(&(slot / 1000), slot, |other| other / 1000 == slot / 1000);
}

#[test]
fn a_set_grows_to_a_chain_of_large_chunks_and_shrinks_back() {
    let mut index = index_of(&[]);
    let mut seen = Vec::new();
    for slot in 0..30 {
        insert(&mut index, slot);
        index.chains.check();
        seen.push(index.chains.used());
    }
    assert_eq!(seen[..3], [[1, 0]; 3]);
    assert_eq!(seen[3..14], [[0, 1]; 11]);
    assert_eq!(seen[14..28], [[0, 2]; 14]);
    assert_eq!(seen[28..], [[0, 3]; 2]);
    for slot in 0..30 {
        assert!(index.remove(slot));
        index.chains.check();
        seen[slot as usize] = index.chains.used();
    }
    // Not at once, to avoid thrashing.
    assert_eq!(seen[26..], [[0, 1], [1, 0], [1, 0], [0, 0]]);
    assert!(seen.is_sorted_by_key(|used| std::cmp::Reverse(used[1])));
}

#[test]
fn alternating_removal_and_insertion_moves_no_chunk() {
    for size in [4, 15, 29] {
        let mut index = index_of(&[size]);
        let used = index.chains.used();
        for _ in 0..3 {
            index.remove(size - 1);
            index.chains.check();
            insert(&mut index, size - 1);
            assert_eq!(index.chains.used(), used);
        }
    }
}

#[test]
fn a_shrunken_set_takes_at_most_twice_the_chunks_it_needs() {
    let mut state = 1_u64;
    for size in [100, 300, 999] {
        let mut index = index_of(&[size]);
        let mut slots: Vec<u32> = (0..size).collect();
        while !slots.is_empty() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (state >> 33) as usize % slots.len();
            assert!(index.remove(slots.swap_remove(at)));
            if slots.len() == size as usize / 10 {
                index.chains.check();
                let needed = slots.len().div_ceil(14);
                let [small, large] = index.chains.used();
                assert!(small == 0 && large <= 2 * needed + 1, "{large} for {needed}");
            }
        }
        assert_eq!(index.chains.used(), [0, 0]);
    }
}

#[test]
fn freed_chunks_are_reused() {
    let mut index = index_of(&[3, 20, 500]);
    let before = [index.chains.used(), index.chains.stored()];
    for _ in 0..3 {
        for slot in (0..3).chain(1000..1020).chain(2000..2500) {
            index.remove(slot);
        }
        assert!(index.is_empty());
        for slot in (0..3).chain(1000..1020).chain(2000..2500) {
            insert(&mut index, slot);
        }
        index.chains.check();
        assert_eq!([index.chains.used(), index.chains.stored()][0], before[0]);
    }
    // All three sets began small, and one small chunk may be kept reserved.
    assert!(index.chains.stored()[0] <= 4 && index.chains.stored()[1] == before[1][1]);
}

#[test]
fn a_set_stays_large_without_memory_for_a_small_chunk() {
    let mut index = index_of(&[4]);
    // Makes the arrays that have an element per slot long enough.
    insert(&mut index, 2000);
    assert!(index.remove(2000));
    // As many small chunks as memory allows.
    let mut slot = 1000;
    let fault = Fault::from_nth(Call::Commit, 0);
    while index.try_insert(&slot, slot, |_| false).is_ok() {
        slot += 1;
    }
    for slot in 0..3 {
        assert!(index.remove(slot));
        index.chains.check();
        assert_eq!(index.same(3).count(), 3 - slot as usize);
    }
    // If the slot were removed now, putting it back would need a small chunk.
    assert!(index.plan(&0, 3, |_| true).is_err());
    assert!(index.remove(3));
    index.chains.check();
    drop(fault);
    assert_eq!(index.len(), slot as usize - 1000);
}

#[test]
fn chunks_together_are_all_slots() {
    for size in [0, 1, 3, 4, 14, 15, 100] {
        let mut index = index_of(&[1, size]);
        (0..size / 2).for_each(|n| assert!(index.remove(1000 + n)));
        let hash = super::hash32(&index.hasher, &1_u32);
        let found = index.chains.find(hash, |slot| slot / 1000 == 1);
        let mut chunks = found.clone();
        let lens = std::iter::from_fn(|| chunks.next_chunk()).map(<[u32]>::len);
        assert!(lens.into_iter().all(|len| (1..=14).contains(&len)));
        let mut slots: Vec<u32> = found.collect();
        slots.sort_unstable();
        assert!(slots.into_iter().eq(1000 + size / 2..1000 + size));
    }
}

#[test]
fn all_iterator_methods_yield_the_same_slots() {
    for size in [1, 3, 4, 14, 15, 100] {
        let index = index_of(&[size]);
        for first in [0, size / 2, size - 1] {
            let slots = index.same(first);
            let all: Vec<u32> = slots.clone().collect();
            assert_eq!(slots.clone().fold(0, |count, _| count + 1), size);
            assert_eq!(slots.clone().count(), size as usize);
            let mut one_by_one = slots.clone();
            for (at, slot) in all.iter().enumerate() {
                let (least, most) = one_by_one.size_hint();
                assert!(least <= all.len() - at && most.is_none_or(|most| most >= all.len() - at));
                assert_eq!(one_by_one.clone().count(), all.len() - at);
                assert!(one_by_one.clone().eq(all[at..].iter().copied()));
                assert_eq!(one_by_one.next(), Some(*slot));
            }
            assert_eq!((one_by_one.next(), one_by_one.next()), (None, None));
            assert_eq!(one_by_one.size_hint(), (0, Some(0)));
            assert_eq!(format!("{slots:?}"), format!("{all:?}"));
        }
    }
}
