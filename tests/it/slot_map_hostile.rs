//! Keys whose code lies, panics or calls the map again: a wrong value may be found, but no invalid one, and none is
//! dropped twice or lost.

use crate::ledger::{Ledger, Token, leak};
use stayput::{Bits32, Budget, GrowOnlyMap, Key, KeyData, SlotMap};
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};

/// A value without heap memory, so that leak checkers ignore it if it is leaked.
type Mark = [u64; 3];

const MARK: u64 = 0x6d61_726b;

type Split = Bits32<16, 3>;
type Data = KeyData<Split>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Honest,
    /// Returns other data each time.
    Lies,
    /// Panics after that many calls.
    Panics(u32),
    /// Inserts into a grow-only map, and looks things up there.
    ComesBack,
}

thread_local! {
    static MOOD: Cell<Mood> = const { Cell::new(Mood::Honest) };
    static CHAOS: Cell<u64> = const { Cell::new(1) };
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static SCOPE: RefCell<Option<&'static GrowOnlyMap<'static, Hostile, Mark>>> =
        const { RefCell::new(None) };
}

fn chaos() -> u64 {
    CHAOS.with(|chaos| {
        let mut next = chaos.get();
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        chaos.set(next);
        next
    })
}

/// Any key: near the existing ones, far, or null.
fn any_data() -> Data {
    let dice = chaos();
    let (index, generation) = match dice % 4 {
        0 => (dice >> 8 & 0xfff, dice >> 32 & 7),
        _ => (dice >> 8 & 31, dice >> 32 & 3),
    };
    let part = |part| u32::try_from(part).expect("it is masked");
    Data::from_parts(part(index), part(generation), 0).unwrap_or_default()
}

/// The misbehaviour of a key's code. Returns the data to report instead.
fn misbehave(data: Data) -> Data {
    match MOOD.get() {
        Mood::Honest => data,
        Mood::Lies => any_data(),
        Mood::Panics(0) => {
            MOOD.set(Mood::Honest);
            // Without a message, of which there would be thousands.
            panic::resume_unwind(Box::new("planned"))
        }
        Mood::Panics(left) => {
            MOOD.set(Mood::Panics(left - 1));
            data
        }
        Mood::ComesBack => {
            come_back(data);
            data
        }
    }
}

/// Makes calls that are allowed in a grow-only scope, from inside a call of it.
fn come_back(data: Data) {
    let scope = SCOPE.with_borrow(|scope| *scope);
    let Some(scope) = scope.filter(|_| DEPTH.get() < 2) else { return };
    DEPTH.set(DEPTH.get() + 1);
    let (key, value) = scope.insert([MARK, data.to_bits(), 7]);
    assert!(scope.get(Hostile(data)).is_none_or(|found| found[0] == MARK));
    scope.reserve(5_000 % (scope.len() + 1));
    assert!(scope.contains_key(key) && scope.key_of(value) == Some(key));
    assert!(scope.downgrade(key).is_some());
    assert_eq!(&scope[key], value);
    DEPTH.set(DEPTH.get() - 1);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Hostile(Data);

impl From<Data> for Hostile {
    fn from(data: Data) -> Self {
        Self(misbehave(data))
    }
}

impl Key for Hostile {
    type Layout = Split;

    fn data(&self) -> Data {
        misbehave(self.0)
    }

    fn index(&self) -> u32 {
        u32::MAX
    }

    fn generation(&self) -> u32 {
        u32::MAX
    }

    fn is_null(&self) -> bool {
        false
    }
}

type Map<'l> = SlotMap<Hostile, Token<'l>>;

/// A random call of the map, with any keys.
fn step<'l>(ledger: &'l Ledger, map: &mut Map<'l>) {
    let key = |_: &Map<'_>| Hostile(any_data());
    let (a, b, c) = (key(map), key(map), key(map));
    let check =
        |token: Option<&Token<'_>>| assert!(token.is_none_or(|token| ledger.is_live(token)));
    match chaos() % 32 {
        0..6 => drop(map.insert(ledger.token(1))),
        6 => drop(map.insert_with_key(|_| ledger.token(2))),
        7 => drop(map.try_insert_with_key(|_| Err(ledger.token(3)))),
        8 => map.insert_many(ledger.tokens(0..5), &mut Vec::new()),
        9..12 => drop(map.remove(a)),
        12 => drop(map.remove_many([a, b, c, a])),
        13 => drop(map.detach(a)),
        14 => drop(map.try_reattach(a, ledger.token(4))),
        15 => check(map.get(a)),
        16 => {
            if let Some(all) = map.get_disjoint_mut([a, b, c]) {
                let ids = all.map(|token| token.id);
                assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
            }
        }
        17 => {
            let limit = chaos() % 8;
            map.retain(|_, token| ledger.is_live(token) && chaos() % 8 >= limit);
        }
        18 => drop(map.drain().take(3).count()),
        19 => {
            let weak = map.downgrade(a);
            check(weak.and_then(|weak| map.upgrade(&weak)));
            check(weak.and_then(|weak| map.upgrade(&weak)));
            assert!(map.values().all(|token| map.key_of(token).is_some()));
        }
        20 => {
            let scope = map.grow_only();
            let (_, token) = scope.insert(ledger.token(5));
            let found = scope.get(a);
            scope.insert(ledger.token(6));
            check(found);
            check(Some(token));
        }
        21 => {
            map.iter().for_each(|(_, token)| check(Some(token)));
            map.iter_mut().rev().for_each(|(_, token)| check(Some(token)));
            assert_eq!(map.keys().count(), map.len());
            map.blocks().for_each(|block| block.iter().for_each(|(_, token)| check(Some(token))));
        }
        24..26 => {
            // Whatever slot the key names, and whether the map accepts it or not.
            drop(map.try_insert_at(a, ledger.token(7)));
        }
        26 => drop(map.try_invalidate(a)),
        27 => {
            let entry = map.vacant_entry();
            let _ = entry.key();
            check(Some(entry.insert(ledger.token(8))));
        }
        28 => map.compact(|_, _| {}),
        29 => drop(map.compact_within(Budget::bytes(50), |_, _| {})),
        30 => {
            let limit = chaos() % 8;
            let taken = map.extract_if(|_, token| ledger.is_live(token) && chaos() % 8 < limit);
            drop(taken.take(3).collect::<Vec<_>>());
        }
        31 => {
            if let Ok(all) = map.try_get_disjoint_mut([a, b, c]) {
                assert!(all.into_iter().all(|token| ledger.is_live(token)));
            }
        }
        22 => {
            let clone = map.clone();
            assert_eq!(clone.len(), map.len());
            assert_eq!(clone.into_iter().count(), map.len());
        }
        _ => match chaos() % 4 {
            0 => map.trim(),
            1 => map.shrink_to_fit(),
            2 => map.reset(),
            _ => map.clear(),
        },
    }
}

/// Makes many calls in one mood, each of which may panic.
fn run(mood: fn() -> Mood) {
    for round in 1..=40_u64 {
        CHAOS.set(round.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let ledger = Ledger::new();
        let mut map = Map::with_key();
        for _ in 0..200 {
            MOOD.set(mood());
            // Only keys panic, or insertions when no slot is left.
            drop(panic::catch_unwind(AssertUnwindSafe(|| step(&ledger, &mut map))));
            MOOD.set(Mood::Honest);
            assert_eq!(ledger.live(), map.len(), "lost or dropped twice");
            assert!(map.values().all(|token| ledger.is_live(token)));
            assert_eq!(map.values().count(), map.len());
        }
        drop(map);
        ledger.assert_all_dropped_but(0);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn keys_with_inconsistent_data_reach_only_values() {
    run(|| Mood::Lies);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn panicking_keys_leave_the_map_usable() {
    run(|| Mood::Panics(u32::try_from(chaos() % 12).expect("it is small")));
}

#[test]
fn key_code_may_call_a_grow_only_scope_again() {
    let map: &'static mut SlotMap<Hostile, Mark> = leak(SlotMap::with_key());
    map.extend((0..40).map(|n| [MARK, n, n]));
    map.retain(|_, value| value[1] % 3 == 0);
    let scope: &'static GrowOnlyMap<'_, _, _> = leak(map.grow_only());
    SCOPE.set(Some(scope));

    let mut kept: Vec<(Mark, &Mark)> = Vec::new();
    MOOD.set(Mood::ComesBack);
    for n in 0..30 {
        let (key, value) = scope.insert([MARK, n, n]);
        kept.push(([MARK, n, n], value));
        assert_eq!(scope.get(key), Some(value));
        assert_eq!(&scope[key], value);
        assert!(scope.downgrade(key).is_some());
        assert!(scope.key_of(value).is_some());
        assert!(scope.contains_key(key));
    }
    MOOD.set(Mood::Honest);
    SCOPE.set(None);
    assert!(kept.iter().all(|(expected, value)| expected == *value));
    assert!(scope.len() > 1000, "nothing came back");
}
