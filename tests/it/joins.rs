//! Maps side by side: whatever they hold, a join gives what looking each key up would.

use crate::effort;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::proptest;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::secondary::{Join, JoinMut};
use stayput::{DefaultKey, Key, KeyData, SecondaryMap, SlotMap};
use std::cell::Cell;

type Map = SlotMap<DefaultKey, u32>;
type Second = SecondaryMap<DefaultKey, u32>;

fn key(index: u32, generation: u32) -> DefaultKey {
    KeyData::from_parts(index, generation, 0).expect("it fits").into()
}

/// Slots used up to a few times each, with values that tell which.
fn main_map(len: usize, removed: &[u16]) -> Map {
    let mut map = Map::new();
    let mut keys: Vec<_> = (0..len).map(|_| map.insert(0)).collect();
    for (at, again) in removed.iter().map(|by| (usize::from(*by) % len.max(1), by % 3)) {
        if keys.get(at).and_then(|key| map.remove(*key)).is_some() && again > 0 {
            let new = map.insert(0);
            keys[new.index() as usize] = new;
        }
    }
    map.iter_mut().for_each(|(key, value)| *value = key.index() * 8 + key.generation());
    map
}

fn second_map(slots: &[(u16, u8)], len: usize) -> Second {
    let index = |index: u16| u32::from(index) % u32::try_from(len + 40).unwrap();
    slots.iter().map(|&(at, by)| (key(index(at), u32::from(by % 3) + 1), u32::from(by))).collect()
}

fn check(map: &mut Map, one: &mut Second, other: &mut Second) {
    let keys: Vec<_> = map.keys().collect();
    let both = |one: &Second| -> Vec<_> {
        let pairs = keys.iter().map(|key| (*key, map[*key], one.get(*key).copied()));
        pairs.filter_map(|(key, a, b)| Some((key, a, b?))).collect()
    };
    let expected = both(one);
    let all: Vec<_> =
        expected.iter().filter_map(|&(key, a, b)| Some((key, a, (b, *other.get(key)?)))).collect();

    let shared = |(key, a, b): (DefaultKey, &u32, &u32)| (key, *a, *b);
    assert!(map.join(&*one).map(shared).eq(expected.iter().copied()));
    assert!(map.join(&*one).rev().map(shared).eq(expected.iter().rev().copied()));
    let folded = map.join(&*one).fold(Vec::new(), |mut all, item| {
        all.push(shared(item));
        all
    });
    assert_eq!(folded, expected);
    // From both ends, and a copy of what is left.
    let mut ends = map.join(&*one);
    let first = ends.next().map(shared);
    let last = ends.next_back().map(shared);
    assert_eq!(first, expected.first().copied());
    let middle = expected.get(1..(expected.len().max(1) - 1).max(1)).unwrap_or_default();
    assert!(ends.clone().map(shared).eq(middle.iter().copied()));
    assert!(ends.size_hint().1 >= Some(middle.len()));
    assert_eq!(ends.map(shared).chain(last).count(), expected.len().saturating_sub(1));
    // Either way round, and a map of the same kind.
    assert!(one.join(&*map).map(shared).map(|(key, b, a)| (key, a, b)).eq(expected));
    assert_eq!(one.join(&*one).map(|(_, a, b)| a == b).filter(|same| *same).count(), one.len());

    // Each value is changed once, whoever has it.
    for (_, a, (b, c)) in map.join_mut((&mut *one, &mut *other)) {
        (*a, *b, *c) = (*a + 100_000, *b + 200_000, *c + 300_000);
    }
    for (_, a, (b, c)) in map.join((&mut *one, &*other)).rev() {
        *b += a + c;
    }
    let found: Vec<_> = all.iter().map(|(key, ..)| (map[*key], one[*key], other[*key])).collect();
    let wanted = all.iter().map(|(_, a, (b, c))| {
        (a + 100_000, b + 200_000 + (a + 100_000 + c + 300_000), c + 300_000)
    });
    assert!(found.into_iter().eq(wanted));
    let untouched = map.values().filter(|value| **value < 100_000).count();
    assert_eq!(untouched, map.len() - all.len());
}

#[test]
fn joins_give_what_looking_up_gives() {
    proptest!(effort::cases(100), |(
        len in 0_usize..400,
        removed in vec(any::<u16>(), 0..300),
        one in vec(any::<(u16, u8)>(), 0..400),
        other in vec(any::<(u16, u8)>(), 0..400),
    )| {
        let (mut one, mut other) = (second_map(&one, len), second_map(&other, len));
        check(&mut main_map(len, &removed), &mut one, &mut other);
    });
}

#[test]
fn references_to_all_values_may_live_at_once() {
    let mut map: Map = (0..200).collect();
    let mut names: SecondaryMap<_, String> =
        map.keys().step_by(2).map(|key| (key, key.index().to_string())).collect();
    let mut ages: Second = map.keys().skip(50).map(|key| (key, 1)).collect();
    let mut held: Vec<_> = map.join_mut((&mut names, &mut ages)).collect();
    assert_eq!(held.len(), 75);
    for (_, a, (b, c)) in &mut held {
        b.push('!');
        **c += **a;
    }
    for (key, a, (b, c)) in held {
        assert_eq!((b.as_str(), *c), (format!("{}!", key.index()).as_str(), *a + 1));
    }
}

#[test]
fn a_column_may_have_up_to_four_maps() {
    let map: Map = (0..10).collect();
    let mut seconds: [Second; 4] =
        [1, 2, 3, 4].map(|step| map.keys().step_by(step).map(|key| (key, key.index())).collect());
    let [a, b, c, d] = &mut seconds;
    let mut join = map.join((&*a, &mut *b, &*c, &mut *d));
    assert_eq!(join.size_hint(), (0, Some(3)));
    let (zero, _, (_, b0, _, d0)) = join.next().expect("all have it");
    (*b0, *d0) = (5, 6);
    assert_eq!(format!("{join:?}"), "Join { most: 2, .. }");
    assert!(join.next().is_none() && join.next().is_none() && join.next_back().is_none());
    assert_eq!((b[zero], d[zero]), (5, 6));
    assert_eq!(map.join((&*a, &*b, &*c)).map(|(key, ..)| key.index()).collect::<Vec<_>>(), [0, 6]);
}

#[test]
fn joins_are_as_free_as_what_they_borrow() {
    type Shared<'a, V> = Join<'a, DefaultKey, u8, &'a SecondaryMap<DefaultKey, V>>;
    type Mutable<'a, V> = JoinMut<'a, DefaultKey, u8, &'a mut SecondaryMap<DefaultKey, V>>;
    assert_impl_all!(Shared<'_, u8>: Send, Sync, Clone);
    assert_impl_all!(Mutable<'_, u8>: Send, Sync);
    assert_impl_all!(Mutable<'_, Cell<u8>>: Send);
    assert_not_impl_any!(Mutable<'_, u8>: Clone);
    assert_not_impl_any!(Mutable<'_, Cell<u8>>: Sync);
    assert_not_impl_any!(Shared<'_, Cell<u8>>: Send, Sync);
    assert_not_impl_any!(Mutable<'_, std::rc::Rc<u8>>: Send, Sync);
    assert_not_impl_any!(Join<'_, DefaultKey, u8, &mut Second>: Clone);
}
