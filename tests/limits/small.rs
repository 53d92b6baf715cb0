//! Very many small arrays and maps: what each takes of the mappings that a process may have.

use crate::MIB;
use crate::linux::{in_child_limiting, mappings};
use stayput::{
    Columns, DefaultKey, DenseSlotMap, HugePages, SecondaryMap, SlotMap, Table, VmVec, indices,
    region_cache,
};

type Pair = (u32, u64);

struct Unit {
    number: u64,
    team: u32,
    at: [f32; 2],
}

indices! {
    struct UnitBy for Unit {
        number: Unique<u64> = |unit| &unit.number,
        team: Many<u32> = |unit| &unit.team,
        at: Grid<2, cell = 1.0> = |unit| unit.at,
    }
}

/// Asserts that one more takes at most `most_each` mappings, and that 300 take no more each.
#[track_caller]
fn assert_mappings<T>(most_each: usize, make: impl Fn() -> T) {
    const COUNT: usize = 300;
    // Otherwise the background thread may release cached memory meanwhile, and end.
    region_cache::trim();
    // What is made only once.
    let mut all = vec![make()];
    all.reserve(COUNT);
    let before = mappings();
    let taken = || mappings().saturating_sub(before);
    all.push(make());
    let taken_by_one = taken();
    assert!(taken_by_one <= most_each, "{taken_by_one} for one");
    all.extend((1..COUNT).map(|_| make()));
    let taken = taken();
    // A large block of the program's allocator may be one of its own.
    assert!(taken <= COUNT * most_each + 8, "{taken} for {COUNT}");
}

#[test]
fn a_small_array_takes_two_mappings() {
    in_child_limiting("the number of mappings", || {
        for huge_pages in [HugePages::Auto, HugePages::Always, HugePages::Never] {
            assert_mappings(2, || {
                let mut array = VmVec::builder().huge_pages(huge_pages).build();
                array.extend(0..4);
                array
            });
        }
        assert_mappings(2, || VmVec::from(vec![1_u8; MIB]));
        assert_mappings(2 * 2, || (0..4).map(|n| (n, n.into())).collect::<Columns<Pair>>());
        assert_mappings(2, || (0..4).collect::<SlotMap<DefaultKey, _>>());
        let keys: SlotMap<DefaultKey, ()> = [(); 4].into_iter().collect();
        assert_mappings(2, || keys.keys().zip(0..).collect::<SecondaryMap<_, _>>());
    });
}

#[test]
fn what_keeps_account_of_a_small_map_takes_no_mappings() {
    in_child_limiting("the number of mappings", || {
        assert_mappings(2, || {
            let mut units: Table<Unit, UnitBy> = Table::new();
            units.extend((0..10).map(|number| Unit { number, team: 1, at: [1.0, 2.0] }));
            units
        });
        assert_mappings(2, || (0..1000).map(|n| n * 3).collect::<DenseSlotMap<DefaultKey, _>>());
        assert_mappings(2 * 2, || {
            let mut pairs = DenseSlotMap::<DefaultKey, Pair, Columns<Pair>>::default();
            pairs.extend((0..10).map(|n| (n, 7)));
            pairs
        });
    });
}

#[test]
fn an_array_that_outgrows_small_pages_takes_four_mappings_and_returns_them() {
    in_child_limiting("the number of mappings", || {
        let before = mappings();
        let mut arrays: Vec<_> = (0..300).map(|_| VmVec::from([7_u8; 4])).collect();
        let small = mappings() - before;
        for array in arrays.iter_mut().step_by(10) {
            array.reserve(2 * HugePages::AUTO_FROM_BYTES);
            array.extend_from_slice(&[7; 1000]);
        }
        let taken = mappings() - before;
        assert!(taken <= small + 30 * 2, "{taken} after {small}");
        assert!(arrays.iter().flatten().all(|byte| *byte == 7));
        for array in arrays.iter_mut().step_by(10) {
            array.shrink_to_fit();
            array.reserve(2 * HugePages::AUTO_FROM_BYTES);
        }
        assert!(mappings() - before <= taken);
        drop(arrays);
        region_cache::trim();
        assert!(mappings() <= before + 8);
    });
}
