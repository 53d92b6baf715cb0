//! Indices over a caller's own storage: which slots they accept, what shrinking leaves, and filtered searches.

#[cfg(not(no_vm))]
use stayput::Budget;
use stayput::index::{Grid, ListIndex, SetIndex, UniqueIndex};
use stayput::{Error, ErrorKind};

/// Asserts that an index with one slot, taking `slot_bytes` per slot, refuses a far slot.
fn assert_far(error: Error, slot: u32, slot_bytes: usize) {
    let near = (64 << 20) / slot_bytes + 2 * 16;
    let bytes = (slot as usize + 1).saturating_mul(slot_bytes);
    assert_eq!((error.kind(), error.limit()), (ErrorKind::FarIndex, Some(near as u64)), "{slot}");
    assert_eq!(error.bytes(), bytes);
    assert!(error.to_string().contains("`reserve`"), "{error}");
}

#[test]
fn far_slots_are_refused_and_nothing_changes() {
    for far in [20_000_000, 200_000_000, (1 << 31) - 1, u32::MAX - 1] {
        let mut unique = UniqueIndex::new();
        assert_eq!(unique.insert(&'a', 7, |_| false), None);
        let before = unique.stats();
        assert_far(unique.try_insert(&'b', far, |_| false).unwrap_err(), far, 4);
        assert_eq!(unique.try_insert(&'a', far, |slot| slot == 7), Ok(Some(7)));
        assert_eq!(unique.find(&'a', |slot| slot == 7), Some(7));
        assert_eq!((unique.stats(), unique.contains(far)), (before, false));

        let mut sets = SetIndex::new();
        sets.insert(&'a', 7, |_| false);
        let before = sets.stats();
        for value in ['a', 'b'] {
            assert_far(sets.try_insert(&value, far, |_| value == 'a').unwrap_err(), far, 4);
        }
        assert!(sets.find(&'a', |_| true).eq([7]));
        assert_eq!((sets.stats(), sets.contains(far)), (before, false));

        let mut grid = Grid::new(1.0);
        grid.insert(7, [0.0, 1.0]);
        let before = grid.stats();
        assert_far(grid.try_insert(far, [0.0, 0.0]).unwrap_err(), far, 16);
        assert_eq!((grid.stats(), grid.contains(far)), (before, false));
        let mut sorted = grid.sorted();
        grid.sort_into(&mut sorted);
        assert_eq!((sorted.len(), grid.position(7)), (1, Some([0.0, 1.0])));

        let mut lists = ListIndex::new();
        lists.insert(&'a', 7, |_| false);
        let before = lists.stats();
        let error = lists.try_insert(&'b', far, |_| false).unwrap_err();
        if far < 1 << 31 {
            assert_far(error, far, 12);
        } else {
            assert_eq!(error.kind(), ErrorKind::KeyBits);
        }
        assert!(lists.find(&'a', |_| true).eq([7]));
        assert_eq!((lists.stats(), lists.contains(far)), (before, false));
    }
}

#[test]
fn the_largest_number_is_not_a_slot() {
    let kinds = [
        UniqueIndex::new().try_insert(&'a', u32::MAX, |_| false).unwrap_err(),
        SetIndex::new().try_insert(&'a', u32::MAX, |_| false).unwrap_err(),
        ListIndex::new().try_insert(&'a', u32::MAX, |_| false).unwrap_err(),
        Grid::new(1.0).try_insert(u32::MAX, [0.0; 3]).unwrap_err(),
    ];
    assert_eq!(kinds.map(|error| error.kind()), [ErrorKind::KeyBits; 4]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn reserved_slots_are_accepted() {
    let slot = (64 << 20) / 16 + 16;
    let mut grid = Grid::new(1.0);
    assert_eq!(grid.try_insert(slot, [0.0; 2]).unwrap_err().kind(), ErrorKind::FarIndex);
    grid.reserve(slot as usize + 1);
    assert_eq!(grid.insert(slot, [0.0; 2]), None);
    assert_eq!(grid.within([0.0; 2], 1.0).next(), Some((slot, [0.0; 2])));
    assert!(grid.remove(slot));
    grid.shrink_to_fit();
    assert_eq!(grid.try_insert(slot, [0.0; 2]).unwrap_err().kind(), ErrorKind::FarIndex);
}

/// The interface that the indices of values share.
trait Values: Default {
    fn put(&mut self, value: u32, slot: u32, same: impl Fn(u32) -> bool);
    fn take(&mut self, slot: u32) -> bool;
    fn found(&self, value: u32, same: impl Fn(u32) -> bool) -> Vec<u32>;
    fn shrink(&mut self);
    fn committed(&self) -> usize;
}

macro_rules! values {
    ($index:ident, $put:expr) => {
        impl Values for $index {
            fn put(&mut self, value: u32, slot: u32, same: impl Fn(u32) -> bool) {
                $put(self.insert(&value, slot, same));
            }

            fn take(&mut self, slot: u32) -> bool {
                self.remove(slot)
            }

            fn found(&self, value: u32, same: impl Fn(u32) -> bool) -> Vec<u32> {
                self.find(&value, same).into_iter().collect()
            }

            fn shrink(&mut self) {
                self.shrink_to_fit();
            }

            fn committed(&self) -> usize {
                self.stats().committed_bytes
            }
        }
    };
}

values!(UniqueIndex, |other| assert_eq!(other, None));
values!(SetIndex, |()| ());
values!(ListIndex, |()| ());

/// Inserts slots, `of_a_value` of which in a row have the same value.
fn put_all(index: &mut impl Values, slots: impl Iterator<Item = u32>, of_a_value: u32) {
    for slot in slots {
        let value = slot / of_a_value;
        index.put(value, slot, |other| other / of_a_value == value);
    }
}

/// Which slots are left: the first ones, one of a hundred, or every other.
const LEFT: [fn(&u32) -> bool; 3] =
    [|slot| *slot < 400, |slot| slot % 100 == 7, |slot| slot % 2 == 0];

/// Removes some of `count` slots, shrinks, and inserts them again.
fn assert_shrinks_to_what_is_left<I: Values>(
    count: u32,
    of_a_value: u32,
    arrays: usize,
    which: &[fn(&u32) -> bool],
) {
    // Each array keeps one spare run of pages, so that small changes of size make no system call.
    let spare = arrays << 16;
    for is_kept in which {
        let (mut index, mut left) = (I::default(), I::default());
        put_all(&mut index, 0..count, of_a_value);
        for slot in (0..count).filter(|slot| !is_kept(slot)) {
            assert!(index.take(slot));
        }
        index.shrink();
        put_all(&mut left, (0..count).filter(is_kept), of_a_value);
        // It may have started in memory of a previous array.
        left.shrink();
        // Arrays that were never large are still on the heap, where they take less than a run of pages.
        let in_runs = left.committed().next_multiple_of(1 << 16);
        let (committed, needed) = (index.committed(), in_runs.max(spare));
        assert!(committed <= needed + spare, "{committed} for {needed}, of {of_a_value}");
        for is_refilled in [false, true] {
            for value in (0..count / of_a_value).step_by(3) {
                let mut found = index.found(value, |slot| slot / of_a_value == value);
                found.sort_unstable();
                let slots = value * of_a_value..(value + 1) * of_a_value;
                assert!(found.into_iter().eq(slots.filter(|slot| is_refilled || is_kept(slot))));
            }
            if !is_refilled {
                put_all(&mut index, (0..count).filter(|slot| !is_kept(slot)), of_a_value);
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn unique_indices_shrink_to_their_remaining_entries() {
    assert_shrinks_to_what_is_left::<UniqueIndex>(70_000, 1, 3, &LEFT);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn sets_shrink_to_their_remaining_entries() {
    assert_shrinks_to_what_is_left::<SetIndex>(40_000, 1, 6, &LEFT[..2]);
    assert_shrinks_to_what_is_left::<SetIndex>(20_000, 40, 6, &LEFT[..2]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn lists_shrink_to_their_remaining_entries() {
    assert_shrinks_to_what_is_left::<ListIndex>(80_000, 1, 5, &LEFT[..2]);
}

#[test]
#[cfg(not(no_vm))]
fn memory_past_the_slots_is_prefaulted_ahead() {
    let mut grid = Grid::new(1.0);
    for slot in 0..20_000 {
        assert_eq!(grid.insert(slot, [0.0; 2]), None);
    }
    let done = grid.prefault_ahead(Budget::UNLIMITED);
    assert!(done.ahead_bytes > 0 && done.refused.is_none(), "{done:?}");
    assert!(grid.stats().committed_bytes >= 20_000 * 16 + done.ahead_bytes);
}

#[test]
fn nearest_searches_return_only_accepted_points() {
    let mut grid = Grid::new(3.0);
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(state.to_le_bytes()[3]) / 4.0
    };
    let points: Vec<[f32; 2]> = (0..400).map(|_| [random(), random()]).collect();
    for (slot, point) in (0..).zip(&points) {
        grid.insert(slot, *point);
    }
    let sorted = grid.sorted();
    for of in [1, 2, 7, 100, 500] {
        let center = [random(), random()];
        let is_accepted = |slot: u32| slot % of == of - 1;
        let distance = |slot: u32| {
            let [x, y] = points[slot as usize];
            (x - center[0]) * (x - center[0]) + (y - center[1]) * (y - center[1])
        };
        let mut expected: Vec<u32> = (0..400).filter(|slot| is_accepted(*slot)).collect();
        expected.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(a.cmp(b)));
        expected.truncate(5);
        let mut asked = [0; 400];
        let mut accept = |slot: u32, position: &[f32; 2]| {
            assert_eq!(position.map(f32::to_bits), points[slot as usize].map(f32::to_bits));
            asked[slot as usize] += 1;
            is_accepted(slot)
        };
        let found = grid.nearest_where(center, 5, &mut accept);
        let found_sorted = sorted.nearest_where(center, 5, |slot, _| is_accepted(slot));
        assert_eq!(found, found_sorted);
        assert!(found.iter().map(|near| near.slot).eq(expected));
        assert!(asked.iter().all(|times| *times <= 2));
    }
}
