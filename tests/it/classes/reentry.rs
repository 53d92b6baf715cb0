//! User code that calls the container again through a shared reference: closures, iterators, `Clone`, `Drop` and
//! `Display`.
//!
//! Containers without a row are borrowed mutably by all calls that run user code. Backings and keys that call again are
//! in `grow_only.rs`, `shared_hostile.rs` and `slot_map_hostile.rs`.

use super::{Row, cases, suite};
use crate::ledger::leak;
use stayput::{
    Arena, BlockVec, DefaultKey, GrowOnly, GrowOnlyBlockVec, Scope, SharedSlotMap, SharedVec, VmVec,
};
use std::cell::{Cell, RefCell};
use std::fmt;

/// An operation that calls a closure as user code, a few times.
type Operation<S> = fn(&S, &mut dyn FnMut());
/// Calls of the container from the closure.
type Again<S> = fn(&S);

/// What all elements are made of.
const MARK: u64 = 0x6d61_726b;

/// A container that is shared, its calls, and a check of all elements.
struct Shared<S: 'static> {
    make: fn() -> &'static S,
    again: &'static [Again<S>],
    len: fn(&S) -> usize,
    check: fn(&S) -> bool,
}

impl Row {
    fn reentered<S>(self, of: &'static Shared<S>, cases: &[(&'static str, Operation<S>)]) -> Self {
        self.with(cases, |case: Operation<S>| {
            for again in of.again {
                let shared = (of.make)();
                let before = (of.len)(shared);
                let mut calls = 0;
                case(shared, &mut || {
                    // A closure that is given a place is called again while others take it, so this must end.
                    if calls < 3 {
                        again(shared);
                    }
                    calls += 1;
                });
                assert!(calls > 0, "no user code ran");
                assert!((of.len)(shared) >= before);
                assert!((of.check)(shared), "an element is not what was stored");
            }
        })
    }
}

/// Yields marks, and calls the closure before each.
fn steps(call: &mut dyn FnMut(), count: usize) -> impl Iterator<Item = u64> {
    (0..count).map(|_| {
        call();
        MARK
    })
}

/// Calls a closure when it is dropped.
struct OnDrop<'c>(&'c mut dyn FnMut());

impl Drop for OnDrop<'_> {
    fn drop(&mut self) {
        (self.0)();
    }
}

static ARRAY: Shared<GrowOnly<'static, u64>> = Shared {
    make: || leak(leak(VmVec::from([MARK; 3])).grow_only()),
    again: &[
        |scope| assert_eq!(*scope.push(MARK), MARK),
        |scope| scope.extend([MARK; 1000]),
        |scope| scope.reserve(100_000),
        |scope| assert!(scope.iter().all(|mark| *mark == MARK) && scope[0] == MARK),
        |scope| assert!(scope.try_reserve(usize::MAX).is_err()),
    ],
    len: |scope| scope.len(),
    check: |scope| scope.iter().all(|mark| *mark == MARK),
};

static BLOCKS: Shared<GrowOnlyBlockVec<'static, u64>> = Shared {
    make: || leak(leak(BlockVec::from([MARK; 3])).grow_only()),
    again: &[
        |scope| assert_eq!(*scope.push(MARK), MARK),
        |scope| scope.extend([MARK; 1000]),
        |scope| scope.reserve(100_000),
        |scope| assert!(scope.iter().all(|mark| *mark == MARK) && scope[0] == MARK),
        |scope| assert!(scope.try_reserve(usize::MAX).is_err()),
    ],
    len: |scope| scope.len(),
    check: |scope| scope.iter().all(|mark| *mark == MARK),
};

static SHARED_VEC: Shared<SharedVec<u64>> = Shared {
    make: || leak(SharedVec::from([MARK; 3])),
    again: &[
        |vec| assert_eq!(*vec.push(MARK).1, MARK),
        |vec| vec.extend([MARK; 1000]),
        |vec| _ = vec.extend_from_slice(&[MARK; 70]),
        |vec| _ = vec.append_vec(&mut vec![MARK; 70]),
        |vec| _ = vec.push_with(|_| MARK),
        |vec| vec.gather().extend([MARK; 70]),
        |vec| vec.reserve(100_000),
        |vec| assert!(vec.iter_finished().all(|(_, mark)| *mark == MARK)),
        |vec| assert!(vec.try_reserve(usize::MAX).is_err() && vec.try_stats().is_ok()),
    ],
    len: |vec| vec.len(),
    check: |vec| vec.iter().all(|mark| *mark == MARK),
};

static SHARED_MAP: Shared<SharedSlotMap<DefaultKey, u64>> = Shared {
    make: || leak([MARK; 3].into_iter().collect()),
    again: &[
        |map| assert_eq!(*map.insert(MARK).1, MARK),
        |map| map.insert_many([MARK; 1000], &mut Vec::new()),
        |map| _ = map.insert_with_key(|_| MARK),
        |map| {
            let key = map.insert(MARK).0;
            assert_eq!(map.remove(key), Some(&MARK));
            assert_eq!(map.get(key), None);
        },
        |map| map.reserve(10_000),
        |map| assert!(map.iter().all(|(key, mark)| *mark == MARK && map.contains_key(key))),
    ],
    len: |map| map.len(),
    check: |map| map.values().all(|mark| *mark == MARK),
};

/// An arena, and a slice that was stored first.
struct Filled(Arena, Cell<&'static [u64]>);

impl Filled {
    /// Checks what was just stored.
    fn store(&self, slice: &mut [u64]) {
        assert_eq!(*self.1.get(), [MARK; 3]);
        assert!(!slice.is_empty() && slice.iter().all(|mark| *mark == MARK));
        slice.reverse();
    }
}

static ARENA: Shared<Filled> = Shared {
    make: || {
        let filled: &'static Filled = leak(Filled(Arena::new(), Cell::new(&[])));
        filled.1.set(filled.0.alloc_slice_fill_copy(3, MARK));
        filled
    },
    again: &[
        |arena| _ = arena.0.alloc(MARK),
        |arena| arena.store(arena.0.alloc_slice_fill_copy(100_000, MARK)),
        |arena| arena.store(arena.0.alloc_slice_from_iter([MARK; 70])),
        |arena| assert_eq!(*arena.0.alloc_box(MARK), MARK),
        |arena| assert_eq!(arena.0.alloc_fmt(format_args!("{MARK}")), "1835102827"),
        |arena| arena.0.prefault(100_000),
    ],
    len: |arena| arena.0.used_bytes(),
    check: |arena| *arena.1.get() == [MARK; 3],
};

/// Calls a closure when it is written.
struct Text<'c>(RefCell<&'c mut dyn FnMut()>);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0.borrow_mut())();
        write!(f, "{MARK}")?;
        (self.0.borrow_mut())();
        write!(f, "{MARK}")
    }
}

/// Within a scope of a new arena.
fn scoped(call: &mut dyn FnMut(), work: impl FnOnce(&mut Scope<'_>, &mut dyn FnMut())) {
    Arena::new().scope(|scope| work(scope, call));
}

suite! {
    array_scope = Row::new("GrowOnly").reentered(&ARRAY, cases![
        |scope, call| scope.extend(steps(call, 30)),
    ]);

    blocks_scope = Row::new("GrowOnlyBlockVec").reentered(&BLOCKS, cases![
        |scope, call| scope.extend(steps(call, 30)),
    ]);

    shared = Row::new("SharedVec").reentered(&SHARED_VEC, cases![
        |vec, call| vec.extend(steps(call, 30)),
        |vec, call| assert!(vec.try_extend(steps(call, 30)).is_ok()),
        |vec, call| _ = vec.push_with(|_| steps(call, 1).next().expect("one")),
        |vec, call| assert!(vec.try_push_with(|_| steps(call, 1).next().expect("one")).is_ok()),
        |vec, call| vec.gather().extend(steps(call, 30)),
    ]);

    shared_map = Row::new("SharedSlotMap").reentered(&SHARED_MAP, cases![
        |map, call| map.insert_many(steps(call, 30), &mut Vec::new()),
        |map, call| assert!(map.try_insert_many(steps(call, 30), &mut Vec::new()).is_ok()),
        |map, call| _ = map.insert_with_key(|_| steps(call, 1).next().expect("one")),
        |map, call| assert!(map.try_insert_with(|_| steps(call, 1).next().expect("one")).is_ok()),
        |map, call| {
            assert!(map.try_insert_with_key(|_| steps(call, 1).next().ok_or(())).is_ok());
        },
    ]);

    arena = Row::new("Arena, ArenaBox").reentered(&ARENA, cases![
        |arena, call| arena.store(arena.0.alloc_slice_from_iter(steps(call, 30))),
        |arena, call| arena.store(arena.0.alloc_slice_fill_iter(steps(call, 30))),
        |arena, call| {
            let slice = arena.0.alloc_slice_try_fill_iter(steps(call, 30).map(Ok::<_, ()>));
            arena.store(slice.expect("no error"));
        },
        |arena, call| {
            let slice = arena.0.alloc_slice_try_fill_iter(steps(call, 30).map(|_| Err::<u64, _>(())));
            assert!(slice.is_err());
        },
        |arena, call| {
            arena.store(arena.0.alloc_slice_fill_with(30, |_| steps(call, 1).next().expect("one")));
        },
        |arena, call| {
            let slice = arena.0.alloc_slice_try_fill_with(30, |_| steps(call, 1).next().ok_or(()));
            arena.store(slice.expect("no error"));
        },
        |arena, call| assert_eq!(*arena.0.alloc_with(|| steps(call, 1).next()), Some(MARK)),
        |arena, call| {
            assert!(arena.0.alloc_try_with(|| steps(call, 1).next().map_or(Ok(()), Err)).is_err());
        },
        |arena, call| drop(arena.0.alloc_box_slice_from_iter(steps(call, 30))),
        |arena, call| drop(arena.0.alloc_box(OnDrop(call))),
        |arena, call| {
            let text = Text(RefCell::new(call));
            assert_eq!(arena.0.alloc_fmt(format_args!("{text}")), "18351028271835102827");
        },
    ]);

    scope = Row::new("Scope").reentered(&ARENA, cases![
        |_, call| scoped(call, |scope, call| {
            let kept = scope.alloc_slice_from_iter(steps(call, 9).inspect(|_| {
                scope.alloc_slice_fill_copy(100, MARK);
            }));
            assert_eq!(*kept, [MARK; 9]);
        }),
    ]);
}
