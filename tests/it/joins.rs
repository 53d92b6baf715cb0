//! Joins of maps: what they borrow, and how many maps they can have.

use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::secondary::{Join, JoinMut};
use stayput::{DefaultKey, Key, SecondaryMap, SlotMap};
use std::cell::Cell;

type Map = SlotMap<DefaultKey, u32>;
type Second = SecondaryMap<DefaultKey, u32>;

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
fn joins_are_send_and_sync_like_their_borrows() {
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
