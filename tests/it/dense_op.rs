//! Operations on a `DenseSlotMap`, shared by the model test and the fuzz target `dense_model`.

use crate::slot_map_op::{Make, Pick};
use stayput::dense::Rows;
use stayput::slot_map::DisjointError;
use stayput::{Budget, Columns, DenseSlotMap, ErrorKind, Key, VmVec};
use std::cmp::Ordering;
use std::ptr;
use std::rc::Rc;

arbitrary! {
    /// Selects some of the values, and possibly panics after a number of calls.
    pub(crate) struct Choice {
        which: u8,
        pub(crate) panics_after: Option<u8>,
    }
}

impl Choice {
    pub(crate) fn names(self, id: u32) -> bool {
        (id ^ u32::from(self.which)) % (u32::from(self.which) % 5 + 1) != 0
    }
}

arbitrary! {
    /// The budget of a call.
    pub(crate) enum Spend {
        Swaps(u8),
        Bytes(u16),
        All,
    }

    pub(crate) enum Op {
        Insert,
        InsertWithKey(Make),
        InsertMany(u8),
        /// Some hundred values.
        InsertMore(u8),
        /// In a scope in which the map only grows.
        GrowOnly(u8),
        /// If there is room for that many.
        Extend(u8),
        /// Another map.
        Collect(u8),
        Remove(Pick),
        RemoveMany([Pick; 4]),
        /// A number of rows, from one on.
        RemoveSpan(u16, u8),
        Churn(u8),
        Detach(Pick),
        Reattach(Pick),
        Retain(Choice),
        /// At most this many.
        ExtractIf(Choice, u8),
        /// At most this many, and leaks the iterator.
        Drain(u8, bool),
        Clear,
        Reset,
        /// In reverse order, possibly with a panic after a number of comparisons.
        Sort(Option<u16>),
        SortById,
        Defragment(Spend, Option<u8>),
        /// Until it is done, in steps of that many swaps.
        DefragmentAll(u8),
        /// Uses another order from now on.
        ForgetOrder(u8),
        /// Swaps two values in the slices.
        Exchange(u16, u16, Slices),
        Look(Pick),
        Change(Pick),
        /// The value in a slot, which may be that of a key.
        ByIndex(u8),
        ByIndexOf(Pick),
        Many([Pick; 4]),
        Disjoint([Pick; 3]),
        /// From the front and the back, as the bits say.
        Iterate(u64),
        IntoIter(u64),
        /// And continues with the clone.
        Clone(bool),
        Move,
        Shrink,
        ShrinkWithin(u16),
        Trim,
        TrimWithin(u16),
        Reserve(u8),
        ReserveExact(u8),
        Prefault(u8),
        PrefaultAhead(u16),
    }

    /// The method by which slices are borrowed.
    pub(crate) enum Slices {
        Slice,
        Values,
        All,
    }

    /// The options of the map.
    pub(crate) struct Config {
        pub(crate) max_len: Option<u8>,
        pub(crate) capacity: u8,
        pub(crate) reuse: u8,
        pub(crate) is_ahead: bool,
        pub(crate) release: u8,
    }
}

/// A value with a number, and a token that counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) id: u32,
    _token: Rc<()>,
}

/// The type of the map with such rows.
pub(crate) type Map<K, S> = DenseSlotMap<K, <S as Rows>::Value, S>;

/// The numbers of three values at once, or why they are refused.
pub(crate) type Disjoint = Result<[u32; 3], DisjointError>;

/// The keys that were inserted, and why no more.
pub(crate) type Grown<K> = (Vec<K>, Option<ErrorKind>);

/// Methods that both kinds of maps have, with different signatures.
pub(crate) trait Stored: Rows + Sized {
    fn make(id: u32, token: &Rc<()>) -> Self::Value;
    fn id(value: &Self::Value) -> u32;
    fn seen(row: Self::Ref<'_>) -> u32;
    fn seen_mut(row: Self::Mut<'_>) -> u32;
    fn change(row: Self::Mut<'_>, id: u32);
    fn exchange(rows: Self::SlicesMut<'_>, a: usize, b: usize);
    fn ids(rows: Self::Slices<'_>) -> Vec<u32>;
    fn retain<K: Key>(map: &mut Map<K, Self>, keep: impl FnMut(K, u32) -> bool);
    /// Removes the first values selected by a predicate, if the map has such a method.
    fn extract<K: Key>(
        map: &mut Map<K, Self>,
        names: impl FnMut(K, u32) -> bool,
        most: usize,
    ) -> Option<Vec<(K, Self::Value)>>;
    fn sort<K: Key>(map: &mut Map<K, Self>, compare: impl FnMut(u32, u32) -> Ordering);
    fn defragment<K: Key>(
        map: &mut Map<K, Self>,
        compare: impl FnMut(u32, u32) -> Ordering,
        budget: Budget,
    ) -> bool;
    fn many_mut<K: Key>(map: &mut Map<K, Self>, keys: &[K]) -> Vec<Option<u32>>;
    /// Asserts that looking up several keys at once, if the map has such a method, has this result.
    fn check_disjoint<K: Key>(map: &mut Map<K, Self>, keys: [K; 3], expected: Disjoint);
    /// Returns an equal clone.
    fn duplicate<K: Key>(map: &Map<K, Self>) -> Map<K, Self>;
    /// Inserts values in a scope, if the map has one, while references to others are kept.
    fn grow_only<K: Key>(
        _: &mut Map<K, Self>,
        _: Vec<Self::Value>,
        _: &[(K, u32)],
    ) -> Option<Grown<K>> {
        None
    }
    /// Returns `false` if the map has no such method.
    fn sort_by_id<K: Key>(_: &mut Map<K, Self>) -> bool {
        false
    }
    /// Asserts that the map finds a key by its value, and a value by its key, if it has such methods.
    fn check_found<K: Key>(_: &mut Map<K, Self>, _: K, _: Option<u32>) {}
}

impl Stored for VmVec<Value> {
    fn make(id: u32, token: &Rc<()>) -> Value {
        Value { id, _token: Rc::clone(token) }
    }

    fn id(value: &Value) -> u32 {
        value.id
    }

    fn seen(row: &Value) -> u32 {
        row.id
    }

    fn seen_mut(row: &mut Value) -> u32 {
        row.id
    }

    fn change(row: &mut Value, id: u32) {
        row.id = id;
    }

    fn exchange(rows: &mut [Value], a: usize, b: usize) {
        rows.swap(a, b);
    }

    fn ids(rows: &[Value]) -> Vec<u32> {
        rows.iter().map(|value| value.id).collect()
    }

    fn retain<K: Key>(map: &mut Map<K, Self>, mut keep: impl FnMut(K, u32) -> bool) {
        map.retain(|key, value| keep(key, value.id));
    }

    fn extract<K: Key>(
        map: &mut Map<K, Self>,
        mut names: impl FnMut(K, u32) -> bool,
        most: usize,
    ) -> Option<Vec<(K, Value)>> {
        let taken = map.extract_if(|key, value| names(key, value.id)).take(most);
        Some(taken.collect())
    }

    fn sort<K: Key>(map: &mut Map<K, Self>, mut compare: impl FnMut(u32, u32) -> Ordering) {
        map.sort_by(|a, b| compare(a.id, b.id));
    }

    fn defragment<K: Key>(
        map: &mut Map<K, Self>,
        mut compare: impl FnMut(u32, u32) -> Ordering,
        budget: Budget,
    ) -> bool {
        map.defragment_by(|a, b| compare(a.id, b.id), budget)
    }

    fn many_mut<K: Key>(map: &mut Map<K, Self>, keys: &[K]) -> Vec<Option<u32>> {
        let mut found = Vec::new();
        map.get_many_mut(keys.iter().copied(), |_, value| found.push(value.map(|value| value.id)));
        found
    }

    fn check_disjoint<K: Key>(map: &mut Map<K, Self>, keys: [K; 3], expected: Disjoint) {
        let found = map.try_get_disjoint_mut(keys);
        assert_eq!(found.map(|values| values.map(|value| value.id)), expected);
        let found = map.get_disjoint_mut(keys);
        assert_eq!(found.map(|values| values.map(|value| value.id)), expected.ok());
    }

    fn duplicate<K: Key>(map: &Map<K, Self>) -> Map<K, Self> {
        let clone = map.clone();
        assert!(clone == *map && map.try_clone().expect("there is memory") == clone);
        clone
    }

    fn grow_only<K: Key>(
        map: &mut Map<K, Self>,
        values: Vec<Value>,
        known: &[(K, u32)],
    ) -> Option<Grown<K>> {
        let scope = map.grow_only();
        let mut kept: Vec<(K, u32, &Value)> = Vec::new();
        kept.extend(
            known.iter().map(|(key, id)| (*key, *id, scope.get(*key).expect("it is there"))),
        );
        let (mut keys, mut refused) = (Vec::new(), None);
        for value in values {
            let id = value.id;
            match scope.try_insert(value) {
                Ok((key, value)) => {
                    assert!(scope.contains_key(key) && ptr::eq(&raw const scope[key], value));
                    kept.push((key, id, value));
                    keys.push(key);
                }
                Err(no) => {
                    assert_eq!(no.value.id, id);
                    refused = Some(no.error.kind());
                    break;
                }
            }
            assert_eq!((scope.len(), scope.is_empty()), (kept.len(), false));
        }
        assert!(scope.try_reserve(0).is_ok());
        for (key, id, value) in kept {
            assert_eq!(value.id, id);
            assert!(scope.get(key).is_some_and(|found| ptr::eq(found, value)));
        }
        Some((keys, refused))
    }

    fn sort_by_id<K: Key>(map: &mut Map<K, Self>) -> bool {
        map.sort_by_key(|value| value.id);
        true
    }

    fn check_found<K: Key>(map: &mut Map<K, Self>, key: K, id: Option<u32>) {
        let Some(id) = id else { return };
        let value = &map[key];
        assert_eq!(
            map.key_of(value).map(|found| (found.index(), found.tag())),
            Some((key.index(), 0))
        );
        assert_eq!((map.key_of(&value.clone()), map[key].id), (None, id));
        map[key].id = id;
    }
}

/// A row in which each field is made from the number.
pub(crate) type Record = (u8, Value, [u16; 3]);

fn low(id: u32) -> u8 {
    id.to_le_bytes()[0]
}

fn check(byte: u8, id: u32, shorts: [u16; 3]) -> u32 {
    assert_eq!((byte, shorts), (low(id), [low(id).into(); 3]));
    id
}

impl Stored for Columns<Record> {
    fn make(id: u32, token: &Rc<()>) -> Record {
        (low(id), Value { id, _token: Rc::clone(token) }, [low(id).into(); 3])
    }

    fn id((byte, value, shorts): &Record) -> u32 {
        check(*byte, value.id, *shorts)
    }

    fn seen((byte, value, shorts): (&u8, &Value, &[u16; 3])) -> u32 {
        check(*byte, value.id, *shorts)
    }

    fn seen_mut((byte, value, shorts): (&mut u8, &mut Value, &mut [u16; 3])) -> u32 {
        check(*byte, value.id, *shorts)
    }

    fn change((byte, value, shorts): (&mut u8, &mut Value, &mut [u16; 3]), id: u32) {
        (*byte, value.id, *shorts) = (low(id), id, [low(id).into(); 3]);
    }

    fn exchange((bytes, values, shorts): Self::SlicesMut<'_>, a: usize, b: usize) {
        bytes.swap(a, b);
        values.swap(a, b);
        shorts.swap(a, b);
    }

    fn ids((bytes, values, shorts): Self::Slices<'_>) -> Vec<u32> {
        assert_eq!((bytes.len(), shorts.len()), (values.len(), values.len()));
        let rows = bytes.iter().zip(values).zip(shorts);
        rows.map(|((byte, value), shorts)| check(*byte, value.id, *shorts)).collect()
    }

    fn retain<K: Key>(map: &mut Map<K, Self>, mut keep: impl FnMut(K, u32) -> bool) {
        map.retain(|key, row| keep(key, Self::seen_mut(row)));
    }

    fn extract<K: Key>(
        _: &mut Map<K, Self>,
        _: impl FnMut(K, u32) -> bool,
        _: usize,
    ) -> Option<Vec<(K, Record)>> {
        None
    }

    fn sort<K: Key>(map: &mut Map<K, Self>, mut compare: impl FnMut(u32, u32) -> Ordering) {
        map.sort_by(|a, b| compare(Self::seen(a), Self::seen(b)));
    }

    fn defragment<K: Key>(
        map: &mut Map<K, Self>,
        mut compare: impl FnMut(u32, u32) -> Ordering,
        budget: Budget,
    ) -> bool {
        map.defragment_by(|a, b| compare(Self::seen(a), Self::seen(b)), budget)
    }

    fn many_mut<K: Key>(map: &mut Map<K, Self>, keys: &[K]) -> Vec<Option<u32>> {
        let mut found = Vec::new();
        map.get_many_mut(keys.iter().copied(), |_, row| found.push(row.map(Self::seen_mut)));
        found
    }

    fn check_disjoint<K: Key>(_: &mut Map<K, Self>, _: [K; 3], _: Disjoint) {}

    fn duplicate<K: Key>(map: &Map<K, Self>) -> Map<K, Self> {
        map.clone()
    }
}
