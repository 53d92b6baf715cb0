//! References from a secondary map's grow-only scope stay valid, and the scope replaces no value.

use crate::buffer::{Buffer, Call, Failure};
use crate::helpers::key;
use crate::ledger::{Ledger, leak, panic_message, with_panic_hook};
use static_assertions::assert_not_impl_any;
use stayput::{
    Bits32, Compact32, DefaultKey, Error, ErrorKind, GrowOnlySecondaryMap, Key, KeyData, Layout,
    SecondaryMap, new_key_type,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};

new_key_type! {
    struct Small: Bits32<6, 3, 2>;
}

assert_not_impl_any!(GrowOnlySecondaryMap<'static, DefaultKey, u8>: Send, Sync, Clone, Copy);

fn values_stay<K: Key, V: Copy + PartialEq + std::fmt::Debug>(make: fn(u32) -> V) {
    let count = 3000.min(<K::Layout as Layout>::MAX_INDEX);
    let mut map: SecondaryMap<K, V> = SecondaryMap::new();
    map.insert(key(7, 1), make(7));
    let scope = map.grow_only();
    let first = scope.get(key(7, 1)).expect("it is there");
    let mut held: BTreeMap<u32, &V> = BTreeMap::from([(7, first)]);
    for n in 0..count {
        let index = n.wrapping_mul(7919) % count;
        match scope.insert(key(index, 1), make(index)) {
            Ok(value) => assert!(held.insert(index, value).is_none()),
            Err(value) => assert!(value == make(index) && held.contains_key(&index)),
        }
    }
    assert_eq!(scope.len(), held.len());
    for (index, value) in &held {
        let key = key(*index, 1);
        assert_eq!(**value, make(*index));
        assert!(std::ptr::eq(&raw const scope[key], *value));
        assert!(scope.contains_key(key) && scope.get(key) == Some(*value));
    }
    let addresses: Vec<usize> =
        held.values().map(|value| std::ptr::from_ref::<V>(value).addr()).collect();
    assert_eq!(map.len(), addresses.len());
    assert!(map.values().map(|value| std::ptr::from_ref(value).addr()).eq(addresses));
}

#[test]
fn references_outlive_growth() {
    values_stay::<DefaultKey, u32>(|n| n);
    values_stay::<DefaultKey, [u64; 40]>(|n| [n.into(); 40]);
    values_stay::<DefaultKey, ()>(|_| ());
    values_stay::<Small, u8>(|n| n.to_le_bytes()[0]);
}

#[test]
fn values_change_through_any_reference() {
    let mut map = SecondaryMap::<DefaultKey, Cell<u32>>::new();
    let scope = map.grow_only();
    assert!(scope.is_empty());
    let inserted = scope.insert(key(1, 1), Cell::new(1)).unwrap();
    let found = scope.get(key(1, 1)).unwrap();
    found.set(2);
    inserted.set(inserted.get() + 1);
    assert_eq!((found.get(), inserted.get(), scope.is_empty()), (3, 3, false));
}

#[test]
fn existing_values_are_never_replaced() {
    let ledger = Ledger::new();
    let mut map = SecondaryMap::new();
    let scope = map.grow_only();
    let there = scope.insert(key::<DefaultKey>(3, 5), ledger.token(1)).expect("it is new");
    let refused = |key, kind| {
        let refused = scope.try_insert(key, ledger.token(2)).expect_err("it is to be refused");
        assert_eq!((refused.error.kind(), refused.value.value), (kind, 2));
        drop(refused);
        assert_eq!(scope.insert(key, ledger.token(3)).map_err(|token| token.value).err(), Some(3));
    };
    refused(key(3, 5), ErrorKind::Occupied);
    refused(key(3, 6), ErrorKind::Occupied);
    refused(key(3, 4), ErrorKind::StaleKey);
    refused(DefaultKey::null(), ErrorKind::StaleKey);
    assert_eq!((there.value, scope.len(), ledger.live()), (1, 1, 1));
    assert!(scope.get(key(3, 6)).is_none() && scope.get(key(3, 4)).is_none());
    drop(map);
    ledger.assert_all_dropped_but(0);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn far_keys_and_keys_past_the_maximum_are_refused() {
    let mut map: SecondaryMap<DefaultKey, [u8; 60]> = SecondaryMap::new();
    let near = (1 << 20) + 16;
    let scope = map.grow_only();
    let refused = scope.try_insert(key(near, 1), [0; 60]).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::FarIndex);
    assert_eq!(refused.error.limit(), Some(near.into()));
    assert!(panic_message(|| scope.insert(key(u32::MAX, 1), [0; 60])).contains("announced"));
    assert_eq!(map.capacity(), 0);
    map.set_capacity(near as usize + 1);
    assert!(map.grow_only().insert(key(near, 1), [0; 60]).is_ok());

    let mut small: SecondaryMap<DefaultKey, u8> = SecondaryMap::with_max_len(5);
    let refused = small.grow_only().try_insert(key(5, 1), 1).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
    let mut few: SecondaryMap<Small, u8> = SecondaryMap::new();
    assert!(few.grow_only().insert(key(63, 7), 1).is_ok());
}

/// As wide as keys get, with every bit of a word.
#[test]
fn the_largest_key_can_be_inserted() {
    let last: KeyData<Compact32> =
        KeyData::from_parts(Compact32::MAX_INDEX, Compact32::MAX_GENERATION, Compact32::MAX_TAG)
            .expect("it fits");
    new_key_type! { struct Compact: Compact32; }
    let mut map: SecondaryMap<Compact, u8> = SecondaryMap::new();
    let scope = map.grow_only();
    let value = scope.insert(last.into(), 9).expect("it is new");
    assert_eq!((scope.get(Compact::from(last.with_tag(0))), value), (Some(&9), &9));
}

type Numbers = GrowOnlySecondaryMap<'static, DefaultKey, u64>;

thread_local! {
    static SCOPE: Cell<Option<&'static Numbers>> = const { Cell::new(None) };
    static SEEN: RefCell<Vec<ErrorKind>> = const { RefCell::new(Vec::new()) };
}

/// Calls the scope again when it is dropped.
struct Back(u32);

impl Drop for Back {
    fn drop(&mut self) {
        let Some(scope) = SCOPE.get() else { return };
        assert!(scope.insert(key(self.0, 1), 77).is_ok());
    }
}

#[test]
fn a_backing_that_panics_leaves_the_scope_usable() {
    let buffer = Buffer::new(1 << 20, 4 << 10, 8);
    let log = buffer.log();
    let scope: &Numbers = leak(leak(SecondaryMap::builder().build_in(buffer)).grow_only());
    let first = scope.insert(key(0, 1), 1).expect("it is new");
    log.plan(Call::Commit, Failure::Panic, 0, 1);
    SCOPE.set(Some(scope));
    let run = || {
        let _back = Back(1);
        let _ = scope.insert(key(40_000, 1), 2);
    };
    assert!(panic::catch_unwind(AssertUnwindSafe(run)).is_err());
    SCOPE.set(None);
    assert_eq!((first, scope.len(), scope.get(key(1, 1))), (&1, 2, Some(&77)));
    // A backing that panicked is not called again, and each call reports that.
    let refused = scope.try_insert(key(40_000, 1), 3).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::System, 3));
    assert_eq!(scope.insert(key(2, 1), 4), Ok(&4));
}

#[test]
fn code_that_runs_while_the_map_takes_memory_finds_the_scope_busy() {
    fn hook(_: &panic::PanicHookInfo<'_>) {
        let scope = SCOPE.get().expect("set");
        // One for an existing, vacant slot; one for another.
        for index in [1, 50_000] {
            let error = scope.try_insert(key(index, 1), 9).map_err(Error::from).err();
            SEEN.with_borrow_mut(|seen| seen.extend(error.map(|error| error.kind())));
        }
    }

    let buffer = Buffer::new(1 << 20, 4 << 10, 8);
    let log = buffer.log();
    let scope: &Numbers = leak(leak(SecondaryMap::builder().build_in(buffer)).grow_only());
    let first = scope.insert(key(2, 1), 1).expect("it is new");
    SCOPE.set(Some(scope));
    log.plan(Call::Commit, Failure::Panic, 0, 1);
    let message =
        with_panic_hook(hook, || panic_message(|| scope.insert(key(40_000, 1), 2).is_ok()));
    SCOPE.set(None);
    assert!(message.contains("as planned"), "{message}");
    assert_eq!(SEEN.take(), [ErrorKind::Busy; 2]);
    assert_eq!(scope.insert(key(1, 1), 5), Ok(&5));
    assert_eq!((first, scope.len()), (&1, 2));
}

/// A key that inserts into the scope when its data is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Meddling(KeyData);

thread_local! {
    static MEDDLED: Cell<Option<&'static GrowOnlySecondaryMap<'static, Meddling, u64>>> =
        const { Cell::new(None) };
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

impl From<KeyData> for Meddling {
    fn from(data: KeyData) -> Self {
        Self(data)
    }
}

impl Key for Meddling {
    type Layout = stayput::Plain64;

    fn data(&self) -> KeyData {
        if let Some(scope) = MEDDLED.get().filter(|_| DEPTH.get() < 2) {
            DEPTH.set(DEPTH.get() + 1);
            let next = KeyData::from_parts(self.0.index() * 2 + 1, 1, 0).expect("it fits");
            let _ = scope.insert(Meddling(next), 2000);
            DEPTH.set(DEPTH.get() - 1);
        }
        self.0
    }
}

#[test]
fn key_code_may_call_the_scope_again() {
    let map: &'static mut SecondaryMap<Meddling, u64> = leak(SecondaryMap::new());
    let scope: &'static GrowOnlySecondaryMap<'_, _, _> = leak(map.grow_only());
    MEDDLED.set(Some(scope));
    let mut held = Vec::new();
    for n in 0..200 {
        if let Ok(value) = scope.insert(Meddling(key::<DefaultKey>(n, 1).data()), n.into()) {
            held.push((n, value));
        }
        assert!(scope.contains_key(Meddling(key::<DefaultKey>(n, 1).data())));
    }
    MEDDLED.set(None);
    assert!(held.iter().all(|(n, value)| u64::from(*n) == **value));
    assert!(held.len() > 50 && scope.len() > held.len());
}
