//! Joins yield what a search in ordered maps of std yields, after any operations; and keep what they have yielded.

use crate::joins_op::{Aligned, Op, check, ends_of};
use crate::made;
use stayput::secondary::Column;
use stayput::{DefaultKey, Key, SecondaryMap, SlotMap};

/// The same for a column whose type is generic.
fn count<K: Key, C: Column<K>>(map: &SlotMap<K, u32>, column: C) -> usize {
    map.join(column).count()
}

#[test]
fn joins_yield_common_keys_after_any_operations() {
    made::run_with(40, 1..50, |(ends, count): (u128, u8), ops: &[Op]| {
        let ends = ends_of(ends, count);
        check::<u32, u32>(ops, &ends);
        check::<[u32; 9], ()>(ops, &ends);
        check::<(), Aligned>(ops, &ends);
    });
}

#[test]
fn items_of_a_join_stay_valid_when_it_advances() {
    let mut map: SlotMap<DefaultKey, u32> = (0..500).collect();
    let mut second: SecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, *n)).collect();
    let mut join = map.join_mut(&mut second);
    let kept: Vec<_> = join.by_ref().take(3).collect();
    let rest: u32 = join.map(|(_, a, b)| *a + *b).sum();
    for (_, a, b) in kept {
        std::mem::swap(a, b);
        *a += 1;
    }
    assert_eq!(rest, 500 * 499 - 6);
    assert_eq!(map.values().sum::<u32>(), 500 * 499 / 2 + 3);
    assert_eq!(count(&map, (&second, &mut second.clone())), 500);
    map.clear();
    second.clear();
    assert_eq!(count(&map, &second), 0);
}
