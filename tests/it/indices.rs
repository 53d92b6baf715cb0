//! Indices over a caller's own storage: which slots they accept, what shrinking leaves, and filtered searches.

use stayput::index::{Grid, ListIndex, SetIndex, UniqueIndex};
use stayput::{Error, ErrorKind};

/// Asserts that a slot is refused as far by an index of one slot that takes `slot_bytes` for each.
fn assert_far(error: Error, slot: u32, slot_bytes: usize) {
    let near = (64 << 20) / slot_bytes + 2 * 16;
    let bytes = (slot as usize + 1) * slot_bytes;
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
fn the_last_number_names_no_slot() {
    let kinds = [
        UniqueIndex::new().try_insert(&'a', u32::MAX, |_| false).unwrap_err(),
        SetIndex::new().try_insert(&'a', u32::MAX, |_| false).unwrap_err(),
        ListIndex::new().try_insert(&'a', u32::MAX, |_| false).unwrap_err(),
        Grid::new(1.0).try_insert(u32::MAX, [0.0; 3]).unwrap_err(),
    ];
    assert_eq!(kinds.map(|error| error.kind()), [ErrorKind::KeyBits; 4]);
}

#[test]
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
