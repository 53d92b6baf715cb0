//! Parallel joins of maps, compared with the same models; and which joins can be sent to other threads.

use crate::joins_op::{Op, Value, World};
use crate::made;
use rayon::prelude::*;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::par::{ParJoin, ParJoinMut};
use stayput::{DefaultKey, Key, KeyData, Plain64, SecondaryMap, SlotMap};
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn check<V: Value, W: Value>(ops: &[Op]) {
    let mut world = World::<V, W>::after(ops);
    let (pairs, triples) = (world.expected_of_first(), world.expected());
    let World { map, seconds: [one, other], .. } = &mut world;
    let pair = |(key, a, b): (DefaultKey, &V, &W)| (key, a.number(), b.number());

    // In the smallest possible tasks.
    let found: Vec<_> = map.par_join(&*one).map(pair).collect();
    assert_eq!(found, pairs);
    let found: Vec<_> =
        one.par_join(&*map).map(|(key, b, a)| (key, a.number(), b.number())).collect();
    assert_eq!(found, pairs);
    let nested = map.par_join((&*map, (&*one, &*other)));
    let nested = nested.map(|(key, a, (_, (b, c)))| (key, a.number(), b.number(), c.number()));
    assert_eq!(nested.collect::<Vec<_>>(), triples);

    // All references of all threads are alive at once.
    let mut held: Vec<_> = map.par_join_mut((&mut *one, &mut *other)).collect();
    let numbers = held.iter().map(|(key, a, (b, c))| (*key, a.number(), b.number(), c.number()));
    assert!(numbers.eq(triples.iter().copied()));
    held.par_iter_mut().for_each(|(_, a, (b, c))| {
        (**a, **b, **c) = (V::of(7), W::of(8), W::of(9));
    });
    assert_eq!(other.par_join_mut((&mut *map, &*one)).count(), triples.len());
    let changed = map.join((&*one, &*other)).filter(|(_, a, (b, c))| {
        (a.number(), b.number(), c.number())
            == (V::of(7).number(), W::of(8).number(), W::of(9).number())
    });
    assert_eq!(changed.count(), triples.len());
}

#[test]
fn everything_is_yielded_once_after_any_operations() {
    made::run_with(15, 1..50, |(), ops: &[Op]| {
        check::<u32, u32>(ops);
        check::<[u32; 9], ()>(ops);
    });
}

#[test]
fn a_panic_in_one_task_leaves_all_maps() {
    let mut map: SlotMap<DefaultKey, String> = (0..5000).map(|n| n.to_string()).collect();
    let mut second: SecondaryMap<_, String> =
        map.iter().map(|(key, text)| (key, text.clone())).collect();
    let run = AssertUnwindSafe(|| {
        map.par_join_mut(&mut second).for_each(|(_, a, b)| {
            assert_ne!(a, "4321", "planned");
            std::mem::swap(a, b);
            b.push('!');
        });
    });
    assert!(catch_unwind(run).is_err());
    assert_eq!(map.join(&second).count(), 5000);
    let is_whole = |(key, a, b): (DefaultKey, &String, &String)| {
        a == &key.index().to_string() && b.trim_end_matches('!') == a
    };
    assert!(map.join(&second).all(is_whole));
}

#[test]
fn tasks_may_join_the_same_maps() {
    let map: SlotMap<DefaultKey, u32> = (0..300).collect();
    let mut second: SecondaryMap<_, u32> = map.iter().map(|(key, n)| (key, *n)).collect();
    let third = second.clone();
    let count = AtomicUsize::new(0);
    map.par_join((&mut second, &map)).for_each(|(key, n, (m, _))| {
        *m += map
            .par_join((&third, &map))
            .filter(|(other, ..)| *other <= key)
            .map(|_| 1)
            .sum::<u32>();
        count.fetch_add(1, Relaxed);
        assert_eq!(*m, 2 * n + 1);
    });
    assert_eq!(count.into_inner(), 300);
}

/// A key that is not `Send`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Homely(KeyData, PhantomData<Rc<()>>);

impl From<KeyData> for Homely {
    fn from(data: KeyData) -> Self {
        Self(data, PhantomData)
    }
}

impl Key for Homely {
    type Layout = Plain64;

    fn data(&self) -> KeyData {
        self.0
    }
}

#[test]
fn joins_are_sent_only_if_their_parts_can_be() {
    type Second<V> = SecondaryMap<DefaultKey, V>;
    type Shared<'a, V, C> = ParJoin<'a, DefaultKey, V, C>;
    type Mutable<'a, V, C> = ParJoinMut<'a, DefaultKey, V, C>;
    type Guard = MutexGuard<'static, u8>;

    // By `&mut` if `Send`, by `&` if `Sync`.
    assert_impl_all!(Shared<'_, Guard, &Second<Guard>>: ParallelIterator, Clone);
    assert_impl_all!(Shared<'_, u8, (&Second<Guard>, &mut Second<Cell<u8>>)>: ParallelIterator);
    assert_impl_all!(Mutable<'_, Cell<u8>, &mut Second<Cell<u8>>>: ParallelIterator);

    assert_not_impl_any!(Shared<'_, Cell<u8>, &Second<u8>>: ParallelIterator, Send);
    assert_not_impl_any!(Shared<'_, u8, &Second<Cell<u8>>>: ParallelIterator, Send);
    assert_not_impl_any!(Shared<'_, u8, &mut Second<Guard>>: ParallelIterator, Send, Clone);
    assert_not_impl_any!(Shared<'_, u8, (&Second<u8>, &Second<Rc<u8>>)>: ParallelIterator, Send);
    assert_not_impl_any!(Shared<'_, u8, (&Second<u8>, (&Second<u8>, &mut Second<Rc<u8>>))>: ParallelIterator, Send, Clone);
    assert_not_impl_any!(Mutable<'_, Guard, &Second<u8>>: ParallelIterator, Send);
    assert_not_impl_any!(Mutable<'_, u8, &mut Second<Guard>>: ParallelIterator, Send);
    assert_not_impl_any!(Mutable<'_, u8, &Second<Cell<u8>>>: ParallelIterator, Send);
    assert_not_impl_any!(Mutable<'_, u8, &SlotMap<DefaultKey, Cell<u8>>>: ParallelIterator, Send);
    assert_not_impl_any!(Mutable<'_, u8, &Second<u8>>: Clone);
    assert_not_impl_any!(ParJoin<'_, Homely, u8, &SecondaryMap<Homely, u8>>: ParallelIterator);
    assert_not_impl_any!(ParJoinMut<'_, Homely, u8, &SecondaryMap<Homely, u8>>: ParallelIterator);
}
