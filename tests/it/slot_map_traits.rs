//! Which traits the maps, their iterators and their keys implement, and which lifetimes can be shortened.

use crate::helpers::{Neither, SendOnly, SyncOnly, assert_like_elements};
use static_assertions::{assert_eq_size, assert_impl_all, assert_not_impl_any};
use stayput::slot_map::{
    Block, BlockMut, Blocks, BlocksMut, DisjointError, Drain, ExtractIf, IntoIter, IntoKeys,
    IntoValues, Iter, IterMut, Keys, VacantEntry, Values, ValuesMut,
};
use stayput::{
    Compact32, DefaultKey, GrowOnlyMap, Key, KeyData, Reuse, SlotMap, SlotMapBuilder, SlotMapStats,
    Tagged64, Weak, new_key_type,
};
use std::cell::UnsafeCell;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Debug;
use std::hash::Hash;
use std::iter::FusedIterator;
use std::ops::IndexMut;
use std::panic::{RefUnwindSafe, UnwindSafe};

type K = DefaultKey;
type MapOf<V> = SlotMap<K, V>;

assert_like_elements!(MapOf);
assert_impl_all!(SlotMap<K, u8>: UnwindSafe, RefUnwindSafe, Clone, Debug, Default);
assert_impl_all!(SlotMap<K, u8>: Eq, From<[u8; 3]>);
assert_not_impl_any!(SlotMap<K, f32>: Eq);
// Two lines of the cache: what insertion and removal look at, and a pointer to all else.
#[cfg(target_pointer_width = "64")]
assert_eq_size!(SlotMap<K, u8>, [u64; 16]);

type Named = fn(K, &mut u8) -> bool;
assert_impl_all!(ExtractIf<'static, K, u8, Named>: FusedIterator, Send, Sync, Debug);
assert_not_impl_any!(ExtractIf<'static, K, Neither, fn(K, &mut Neither) -> bool>: Send, Sync);
assert_impl_all!(VacantEntry<'static, K, u8>: Send, Sync, Debug);
assert_not_impl_any!(VacantEntry<'static, K, Neither>: Send, Sync, Clone);
assert_impl_all!(DisjointError: std::error::Error, Copy, Eq, Hash, Send, Sync);
assert_impl_all!(Weak<K, Neither>: Default, Send, Sync);

assert_impl_all!(SlotMap<K, u8>: FromIterator<u8>, Extend<u8>, IndexMut<K>, IntoIterator);
assert_not_impl_any!(SlotMap<K, SyncOnly>: Clone);
assert_not_impl_any!(SlotMap<K, *const u8>: Send, Sync);
assert_not_impl_any!(SlotMap<K, UnsafeCell<u8>>: RefUnwindSafe);
assert_not_impl_any!(SlotMap<K, &'static mut u8>: UnwindSafe);
assert_not_impl_any!(SlotMap<K, u8>: Copy);

assert_not_impl_any!(GrowOnlyMap<'static, K, u8>: Send, Sync, Clone, Copy);
assert_impl_all!(SlotMapBuilder<K, Neither>: Send, Sync, Copy, Debug);
assert_impl_all!(SlotMapStats: Send, Sync, Copy, Eq, Debug);
assert_impl_all!(Reuse: Send, Sync, Copy, Eq, Hash, Debug, Default);

/// Asserts the traits of an iterator by shared reference.
macro_rules! assert_shared {
    ($($name:ident),*) => {$(
        assert_impl_all!($name<'static, K, u8>: Send, Sync, Unpin, Clone, Debug);
        assert_impl_all!($name<'static, K, SyncOnly>: Send, Sync);
        assert_not_impl_any!($name<'static, K, SendOnly>: Send, Sync);
        assert_not_impl_any!($name<'static, K, Neither>: Send, Sync);
    )*};
}
assert_shared!(Iter, Keys, Values, Blocks, Block);

/// Asserts the traits of an iterator by mutable reference.
macro_rules! assert_mutable {
    ($($name:ident),*) => {$(
        assert_impl_all!($name<'static, K, u8>: Send, Sync, Unpin, Debug);
        assert_impl_all!($name<'static, K, SendOnly>: Send);
        assert_impl_all!($name<'static, K, SyncOnly>: Sync);
        assert_not_impl_any!($name<'static, K, SendOnly>: Sync);
        assert_not_impl_any!($name<'static, K, SyncOnly>: Send);
        assert_not_impl_any!($name<'static, K, Neither>: Send, Sync);
        assert_not_impl_any!($name<'static, K, u8>: Clone, Copy);
    )*};
}
assert_mutable!(IterMut, ValuesMut, BlocksMut, BlockMut, Drain);

/// Asserts the traits of an iterator that owns the values.
macro_rules! assert_owning {
    ($($name:ident),*) => {$(
        assert_impl_all!($name<K, u8>: Send, Sync, Unpin, Debug);
        assert_impl_all!($name<K, SendOnly>: Send);
        assert_impl_all!($name<K, SyncOnly>: Sync);
        assert_not_impl_any!($name<K, SendOnly>: Sync);
        assert_not_impl_any!($name<K, SyncOnly>: Send);
        assert_not_impl_any!($name<K, Neither>: Send, Sync);
    )*};
}
assert_owning!(IntoIter, IntoKeys, IntoValues);

macro_rules! assert_exact {
    ($($name:ty),*) => {$(
        assert_impl_all!($name: DoubleEndedIterator, ExactSizeIterator, FusedIterator);
    )*};
}
assert_exact!(Iter<'static, K, u8>, IterMut<'static, K, u8>, Keys<'static, K, u8>);
assert_exact!(Values<'static, K, u8>, ValuesMut<'static, K, u8>, Drain<'static, K, u8>);
assert_exact!(IntoIter<K, u8>, IntoKeys<K, u8>, IntoValues<K, u8>);

new_key_type! {
    struct Compact: Compact32;
    pub(crate) struct Tagged: Tagged64;
}

assert_impl_all!(DefaultKey: Key, Send, Sync, Unpin, Copy, Ord, Hash, Debug, Default);
assert_impl_all!(KeyData<Compact32>: Send, Sync, Unpin, Copy, Ord, Hash, Debug, Default);
assert_impl_all!(Compact: Key, From<KeyData<Compact32>>, UnwindSafe, RefUnwindSafe);
assert_eq_size!(Option<Compact>, u32);
assert_eq_size!(Option<Tagged>, u64);
assert_eq_size!(Option<KeyData>, u64);

#[test]
fn maps_can_hold_references_with_shorter_lifetimes() {
    let text = String::from("here");
    let mut map = SlotMap::new();
    let key = map.insert(text.as_str());
    let scope = map.grow_only();
    let (_, there) = scope.insert(&text[1..]);
    assert_eq!((*there, map[key]), ("ere", "here"));
}

#[test]
fn maps_and_keys_have_the_same_order() {
    let mut map: SlotMap<K, u32> = (0..300).collect();
    map.retain(|_, value| *value % 3 > 0);
    map.extend(0..50);
    let keys: Vec<_> = map.keys().collect();
    assert!(keys.is_sorted());
    let sorted: BTreeSet<_> = keys.iter().rev().copied().collect();
    assert!(sorted.iter().eq(&keys));
    let table: HashMap<_, _> = map.iter().collect();
    assert!(keys.iter().all(|key| *table[key] == map[*key]));
    assert!(keys.iter().zip(map.values()).all(|(key, value)| map.key_of(value) == Some(*key)));
}

#[test]
fn a_builder_prints_its_options() {
    let builder = SlotMap::<DefaultKey, u8>::builder().reuse(Reuse::Lowest).type_id(0);
    let text = format!("{builder:?}");
    assert!(text.contains("reuse: Lowest") && text.contains("type_id: Some(0)"), "{text}");
}

#[test]
fn a_hand_written_key_type_works_like_any_other() {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct ByHand(KeyData<Tagged64>);

    impl From<KeyData<Tagged64>> for ByHand {
        fn from(data: KeyData<Tagged64>) -> Self {
            Self(data)
        }
    }

    impl Key for ByHand {
        type Layout = Tagged64;

        fn data(&self) -> KeyData<Tagged64> {
            self.0
        }
    }

    let mut map: SlotMap<ByHand, u8> = SlotMap::with_key();
    let key = map.insert(7);
    let same = ByHand::from_bits(key.with_tag(9).to_bits()).expect("it is a key's");
    assert_eq!((map[same], same.tag(), same == key), (7, 9, false));
    assert_eq!(map.remove(same), Some(7));
    assert!(!map.contains_key(key) && ByHand::null().is_null());
}

#[test]
fn maps_with_equal_keys_and_values_are_equal_whatever_their_history() {
    let map: SlotMap<K, u32> = [1, 2, 3].into();
    let mut other = map.clone();
    let last = other.insert(4);
    assert_ne!(map, other);
    assert_ne!(other, map);
    other.remove(last);
    assert_eq!(map, other);
    assert_eq!(other, map);

    let [first, second] = [0, 1].map(|n| map.keys().nth(n).expect("there are three"));
    other[second] = 9;
    assert_ne!(map, other);
    other[second] = 2;
    assert_eq!(map, other);
    // The same value in the same slot, under another key.
    let mut other = map.clone();
    other.remove(first);
    assert_ne!(map, other);
    other.insert(1);
    assert!(other.values().eq(map.values()));
    assert_ne!(map, other);

    let never: SlotMap<K, f32> = [f32::NAN].into();
    assert_ne!(never, never.clone());
    assert_eq!(SlotMap::<K, f32>::from([]), SlotMap::new());
}
