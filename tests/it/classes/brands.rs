//! Keys that are stale, null, forged or another map's: they find nothing, and change nothing.
//!
//! Secondary maps ignore tags, see `type_id.rs`.

use super::kinds::{
    Beside, DenseRows, Indexed, Pool, Secondary, SharedMap, Sparse, dense::Sample as Dense,
    list_key, slot_map::Sample as Slots,
};
use super::{Kind, Row, cases, check_tokens, ids, suite};
use crate::helpers::key;
use crate::ledger::Ledger;
use crate::slot_map_op::SmallTagged;
use stayput::{DefaultKey, DenseSlotMap, Key, SharedSlotMap, SlotMap, StrPool, Weak};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A call with a key that the container does not have.
type Strange<K, Q> = for<'l> fn(&'l Ledger, &mut <K as Kind>::Of<'l>, Q);

/// A container with keys.
trait Keyed: Kind {
    type Key: Key;

    /// Makes keys of which the container has none any more, or never had.
    fn strange<'l>(ledger: &'l Ledger, it: &mut Self::Of<'l>) -> Vec<Self::Key>;
}

/// Null, the next generation of the first slot, its first one, and far slots.
fn forged<K: Key>(first: K) -> Vec<K> {
    let generation = first.generation();
    let others = [generation + 1, generation.saturating_sub(1), 1, 7];
    let others = others.into_iter().filter(|other| *other != generation && (1..8).contains(other));
    let mut keys: Vec<K> = others.map(|other| key(first.index(), other)).collect();
    keys.extend([K::null(), key(62, 1), key(63, 7)]);
    keys
}

macro_rules! keyed {
    ($($kind:ty, $key:ty, |$ledger:ident, $it:ident| $strange:expr;)+) => {$(
        impl Keyed for $kind {
            type Key = $key;

            fn strange<'l>($ledger: &'l Ledger, $it: &mut Self::Of<'l>) -> Vec<$key> {
                $strange
            }
        }
    )+};
}

/// Forged keys, and those of values that were removed.
macro_rules! of_map {
    ($ledger:ident, $map:ident, $value:expr) => {{
        let keys: Vec<_> = $map.keys().collect();
        let mut strange = forged(keys[0]);
        strange.retain(|key| !$map.contains_key(*key));
        strange.extend([keys[1], keys[3]]);
        let _ = ($map.remove(keys[1]), $map.remove(keys[3]));
        // In the slot of one of them.
        $map.insert($value);
        strange
    }};
}

keyed! {
    Slots, crate::slot_map_op::Small, |ledger, map| of_map!(ledger, map, ledger.token(40));
    Dense, crate::slot_map_op::Small, |ledger, map| of_map!(ledger, map, ledger.token(40));
    DenseRows, crate::slot_map_op::Small, |ledger, map| {
        of_map!(ledger, map, super::kinds::row_of(ledger, 40))
    };
    SharedMap, DefaultKey, |ledger, map| {
        let strange = of_map!(ledger, map, ledger.token(40));
        // Values that were removed are kept until no other thread can refer to them.
        drop(map.as_mut_map());
        strange
    };
    Indexed, DefaultKey, |ledger, table| of_map!(ledger, table, (ledger.token(40), ledger.token(0)));
    Secondary, DefaultKey, |_ledger, _map| vec![key(3, 1), DefaultKey::null()];
    Sparse, DefaultKey, |_ledger, _map| vec![key(3, 1), DefaultKey::null()];
    Pool, DefaultKey, |_ledger, pool| {
        let first = list_key(pool, 0);
        assert!(pool.remove_list(first));
        vec![first, DefaultKey::null(), key(60, 1)]
    };
    Beside, DefaultKey, |_ledger, _lists| vec![key(1, 1), DefaultKey::null()];
}

impl Row {
    fn strange<K: Keyed>(self, cases: &[(&'static str, Strange<K, K::Key>)]) -> Self {
        self.with(cases, |case: Strange<K, K::Key>| {
            let ledger = Ledger::new();
            let count = K::strange(&ledger, &mut K::sample(&ledger)).len();
            for nth in 0..count {
                let ledger = Ledger::new();
                let mut it = K::sample(&ledger);
                let strange = K::strange(&ledger, &mut it)[nth];
                let before = ids::<K>(&it);
                // Calls that cannot return nothing panic.
                let _ = catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut it, strange)));
                assert_eq!(ids::<K>(&it), before, "{strange:?}");
                check_tokens(&ledger, &K::tokens(&it), 0);
                drop(it);
                ledger.assert_all_dropped_but(0);
            }
        })
    }

    /// Adds checks that keys or pointers of one container find nothing in another.
    fn others(self, cases: &[(&'static str, fn())]) -> Self {
        self.with(cases, |case: fn()| case())
    }
}

/// What all maps do with such keys. A failed assertion would look like the panic of a refusal, so results are counted.
macro_rules! lookups {
    ($row:expr, $kind:ty) => {
        $row.strange::<$kind>(cases![
            |ledger, map, key| nothing(ledger, map.get(key).is_none() && !map.contains_key(key)),
            |ledger, map, key| nothing(ledger, map.remove(key).is_none()),
        ])
    };
    ($row:expr, $kind:ty, mut) => {
        lookups!($row, $kind).strange::<$kind>(cases![
            |ledger, map, key| nothing(ledger, map.get_mut(key).is_none()),
            |ledger, map, key| nothing(
                ledger,
                catch_unwind(AssertUnwindSafe(|| map[key].value)).is_err()
            ),
            |ledger, map, key| nothing(ledger, map.get_disjoint_mut([key]).is_none()),
            |ledger, map, key| nothing(ledger, map.try_get_disjoint_mut([key]).is_err()),
        ])
    };
}

/// Loses a token if something was found, which the driver notices.
fn nothing(ledger: &Ledger, found_nothing: bool) {
    if !found_nothing {
        std::mem::forget(ledger.token(0));
    }
}

/// The keys of a map with another type id.
macro_rules! type_ids {
    ($map:ident) => {
        || {
            let mut one = $map::<SmallTagged, u32>::builder().type_id(1).build();
            let mut two = $map::<SmallTagged, u32>::builder().type_id(2).build();
            let keys = [one.insert(1), two.insert(2)];
            assert!(one.get(keys[1]).is_none() && two.get(keys[0]).is_none());
            assert!(!one.contains_key(keys[1]) && one.remove(keys[1]).is_none());
            assert_eq!((one.len(), one.get(keys[0]).copied()), (1, Some(1)));
        }
    };
}

suite! {
    slots = lookups!(Row::new("SlotMap"), Slots, mut)
        .strange::<Slots>(cases![
            |ledger, map, key| nothing(ledger, map.detach(key).is_none()),
            |ledger, map, key| nothing(ledger, map.invalidate(key).is_none()),
            |ledger, map, key| nothing(ledger, map.remove_many([key, key]) == 0),
            |ledger, map, key| map.reattach(key, ledger.token(50)),
            |ledger, map, key| nothing(ledger, map.try_reattach(key, ledger.token(50)).is_err()),
            |ledger, map, key| nothing(ledger, map.downgrade(key).is_none()),
            |ledger, map, key| map.get_many([key], |_, value| nothing(ledger, value.is_none())),
            |ledger, map, key| map.get_many_mut([key], |_, value| nothing(ledger, value.is_none())),
        ])
        .others(cases![type_ids!(SlotMap)]);

    slots_scope = Row::new("GrowOnlyMap")
        .strange::<Slots>(cases![|ledger, map, key| {
            let scope = map.grow_only();
            nothing(ledger, scope.get(key).is_none() && !scope.contains_key(key));
            nothing(ledger, scope.downgrade(key).is_none());
        }]);

    packed = lookups!(lookups!(Row::new("DenseSlotMap"), Dense, mut), DenseRows)
        .strange::<Dense>(cases![
            |ledger, map, key| nothing(ledger, map.detach(key).is_none()),
            |ledger, map, key| nothing(ledger, map.remove_many([key, key]) == 0),
            |ledger, map, key| nothing(ledger, map.try_reattach(key, ledger.token(50)).is_err()),
            |ledger, map, key| nothing(ledger, map.row_of(key).is_none()),
            |ledger, map, key| map.get_many([key], |_, value| nothing(ledger, value.is_none())),
        ])
        .others(cases![type_ids!(DenseSlotMap)]);

    packed_scope = Row::new("GrowOnlyDenseMap")
        .strange::<Dense>(cases![|ledger, map, key| {
            let scope = map.grow_only();
            nothing(ledger, scope.get(key).is_none() && !scope.contains_key(key));
        }]);

    secondary = lookups!(Row::new("SecondaryMap"), Secondary, mut)
        .strange::<Secondary>(cases![
            |ledger, map, key| drop(map.insert(key, ledger.token(50))),
            |ledger, map, key| nothing(ledger, map.try_insert(key, ledger.token(50)).is_err()),
            |ledger, map, key| nothing(ledger, map.entry(key).is_none()),
            |ledger, map, key| nothing(ledger, map.try_entry(key).is_err()),
            |ledger, map, key| map.extend([(key, ledger.token(50))]),
        ]);

    secondary_scope = Row::new("GrowOnlySecondaryMap")
        .strange::<Secondary>(cases![|ledger, map, key| {
            let scope = map.grow_only();
            nothing(ledger, scope.get(key).is_none() && !scope.contains_key(key));
            nothing(ledger, scope.insert(key, ledger.token(50)).is_err());
        }]);

    sparse = lookups!(Row::new("SparseSecondaryMap"), Sparse, mut)
        .strange::<Sparse>(cases![
            |ledger, map, key| drop(map.insert(key, ledger.token(50))),
            |ledger, map, key| nothing(ledger, map.try_insert(key, ledger.token(50)).is_err()),
            |ledger, map, key| nothing(ledger, map.entry(key).is_none()),
            |ledger, map, key| map.extend([(key, ledger.token(50))]),
        ]);

    table = lookups!(Row::new("Table"), Indexed)
        .strange::<Indexed>(cases![
            |ledger, table, key| nothing(ledger, table.get_mut(key).is_none()),
            |ledger, table, key| nothing(ledger, table.modify(key, |_| ()).is_none()),
            |ledger, table, key| nothing(ledger, table.modify_both(key, |_, _| ()).is_none()),
            |ledger, table, key| drop(table.replace(key, (ledger.token(50), ledger.token(0)))),
            |ledger, table, key| nothing(ledger, table.remove_many([key, key]) == 0),
            |ledger, table, key| nothing(ledger, table.get_disjoint_mut([key]).is_none()),
        ]);

    shared = lookups!(Row::new("SharedSlotMap"), SharedMap)
        .strange::<SharedMap>(cases![
            |ledger, map, key| nothing(ledger, map.get_mut(key).is_none()),
            |ledger, map, key| nothing(ledger, matches!(map.try_remove(key), Ok(None))),
        ])
        .others(cases![|| {
            let one = SharedSlotMap::<SmallTagged, u32>::builder().type_id(1).build();
            let two = SharedSlotMap::<SmallTagged, u32>::builder().type_id(2).build();
            let key = two.insert(2).0;
            one.insert(1);
            assert!(one.get(key).is_none() && one.remove(key).is_none() && one.len() == 1);
        }]);

    lists = Row::new("ListPool")
        .strange::<Pool>(cases![
            |ledger, pool, key| nothing(ledger, pool.get(key).is_none() && pool.get_mut(key).is_none()),
            |ledger, pool, key| nothing(ledger, !pool.remove_list(key)),
        ]);

    lists_beside = Row::new("SecondaryLists")
        .strange::<Beside>(cases![
            |ledger, lists, key| nothing(ledger, lists.get(key).is_none() && lists.get_mut(key).is_none()),
            |ledger, lists, key| nothing(ledger, !lists.remove_list(key)),
            |ledger, lists, key| lists.entry(key).push(ledger.token(50)),
            |ledger, lists, key| nothing(ledger, lists.try_entry(key).is_err()),
        ]);

    strs = Row::new("StrPool").others(cases![|| {
        let mut pool = StrPool::new();
        let key = pool.insert("a");
        pool.insert("b");
        assert!(pool.remove(key) && !pool.remove(key));
        pool.insert("c");
        assert!(pool.get(key).is_none() && !pool.contains_key(key) && pool.get(DefaultKey::null()).is_none());
    }]);

    weak = Row::new("SlotMap").others(cases![|| {
        let mut map: SlotMap<DefaultKey, u32> = (0..9).collect();
        let mut other = map.clone();
        let keys: Vec<_> = map.keys().collect();
        let weak: Weak<_, _> = map.downgrade(keys[3]).expect("it is there");
        assert!(other.upgrade(&weak).is_none() && weak.upgrade_mut(&mut other).is_none());
        map.remove(keys[3]);
        map.insert(7);
        assert!(map.upgrade(&weak).is_none() && map.upgrade_key(&weak).is_none());
        assert!(map.upgrade(&Weak::new()).is_none());
    }]);
}
