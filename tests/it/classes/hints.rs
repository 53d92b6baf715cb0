//! Iterators whose size hints are wrong: what they yield is stored all the same, or nothing is lost if the hint is too
//! large. None is asked for more once it has ended.

use super::kinds::{By, Halves, blocks, lane};
use super::{Row, cases, suite};
use crate::helpers::{Boast, key};
use crate::ledger::{Ledger, Token};
use crate::slot_map_op::Small;
use stayput::{
    Arena, ArenaBox, BlockVec, Columns, DefaultKey, DenseSlotMap, Groups, ListPool, SecondaryLists,
    SecondaryMap, SharedSlotMap, SharedVec, SlotMap, SparseSecondaryMap, StrPool, Table, VmVec,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec;

type Hint = (usize, Option<usize>);

/// Of an iterator with ten items.
const HINTS: [Hint; 14] = [
    (10, Some(10)),
    (0, None),
    (0, Some(0)),
    (1, Some(1)),
    (3, Some(9)),
    (9, Some(9)),
    (11, Some(11)),
    (1000, None),
    (20, Some(5)),
    (0, Some(usize::MAX)),
    (isize::MAX as usize, None),
    (usize::MAX - 1, None),
    (usize::MAX, None),
    (usize::MAX, Some(usize::MAX)),
];

/// Ten tokens with the values from 100. May panic when asked how many they are, and panics when asked for more after its
/// end, where other iterators begin again or wait.
struct Ten<'l> {
    tokens: Boast<vec::IntoIter<Token<'l>>>,
    panics: bool,
    has_ended: bool,
}

impl<'l> Iterator for Ten<'l> {
    type Item = Token<'l>;

    fn next(&mut self) -> Option<Token<'l>> {
        assert!(!self.has_ended, "asked for more after its end");
        let token = self.tokens.next();
        self.has_ended = token.is_none();
        token
    }

    fn size_hint(&self) -> Hint {
        assert!(!self.panics, "no hint");
        self.tokens.size_hint()
    }
}

impl ExactSizeIterator for Ten<'_> {
    fn len(&self) -> usize {
        self.tokens.size_hint().0
    }
}

/// Stores the tokens in a container, and returns the values that are in it.
type Storing = for<'l> fn(&'l Ledger, Ten<'l>) -> Vec<u32>;

impl Row {
    fn hints(self, cases: &[(&'static str, Storing)]) -> Self {
        self.with(cases, |case: Storing| {
            for hint in HINTS {
                let ledger = Ledger::new();
                let tokens: Vec<_> = ledger.tokens(100..110).collect();
                let ten = Ten {
                    tokens: Boast(tokens.into_iter(), hint),
                    panics: false,
                    has_ended: false,
                };
                match catch_unwind(AssertUnwindSafe(|| case(&ledger, ten))) {
                    Ok(values) => {
                        assert!(values.iter().copied().eq(100..110), "{hint:?}: {values:?}");
                    }
                    // There is not enough memory.
                    Err(_) => assert!(hint.0 > 1000, "{hint:?}"),
                }
                ledger.assert_all_dropped_but(0);
            }
            let ledger = Ledger::new();
            let tokens: Vec<_> = ledger.tokens(100..110).collect();
            let ten = Ten {
                tokens: Boast(tokens.into_iter(), (10, None)),
                panics: true,
                has_ended: false,
            };
            let _ = catch_unwind(AssertUnwindSafe(|| case(&ledger, ten)));
            ledger.assert_all_dropped_but(0);
        })
    }
}

fn values<'t, 'l: 't>(tokens: impl IntoIterator<Item = &'t Token<'l>>) -> Vec<u32> {
    tokens.into_iter().map(|token| token.value).collect()
}

/// Rows of the numbers of tokens.
fn records(ten: Ten<'_>) -> impl Iterator<Item = (u32, u8)> {
    ten.map(|token| (token.value, 7))
}

fn numbers(ten: Ten<'_>) -> impl Iterator<Item = u32> {
    ten.map(|token| token.value)
}

macro_rules! array {
    ($array:ident, $new:expr) => {
        Row::new(stringify!($array)).hints(cases![
            |_, ten| values(&ten.collect::<$array<_>>()),
            |_, ten| {
                let mut vec: $array<_> = $new;
                vec.extend(ten);
                values(&vec)
            },
            |_, ten| {
                let mut vec: $array<_> = $new;
                assert!(vec.try_extend(ten).is_ok());
                values(&vec)
            },
            // Exactly full.
            |_, ten| {
                let mut vec = $array::with_max_len(10);
                vec.extend(ten);
                values(&vec)
            },
        ])
    };
}

macro_rules! map {
    ($map:ident) => {
        Row::new(stringify!($map)).hints(cases![
            |_, ten| values(ten.collect::<$map<Small, _>>().values()),
            |_, ten| {
                let mut map = $map::<Small, _>::with_key();
                map.extend(ten);
                values(map.values())
            },
            |_, ten| {
                let mut map = $map::<Small, _>::with_key();
                let mut keys = Vec::new();
                map.insert_many(ten, &mut keys);
                assert_eq!(keys.len(), map.len());
                values(map.values())
            },
            |_, ten| {
                let mut map = $map::<Small, _>::with_key();
                assert!(map.try_insert_many(ten, &mut Vec::new()).is_ok());
                values(map.values())
            },
            |_, ten| {
                let mut map: $map<Small, u32> = (0..10).collect();
                let keys: Vec<_> = map.keys().collect();
                let keys = ten.map(|token| keys[token.value as usize - 100]);
                let mut found = Vec::new();
                map.get_many(keys, |_, value| found.extend(value.map(|value| value + 100)));
                map.get_many_mut([], |_, _| ());
                found
            },
            |_, ten| {
                let mut map: $map<Small, u32> = (0..10).collect();
                let keys: Vec<_> = map.keys().collect();
                let keys = ten.map(|token| keys[token.value as usize - 100]);
                let mut found = Vec::new();
                map.get_many_mut(keys, |_, value| found.extend(value.map(|value| *value + 100)));
                found
            },
            |_, ten| {
                let mut map: $map<Small, u32> = (0..11).collect();
                let keys: Vec<_> = map.keys().collect();
                let keys = ten.map(|token| keys[token.value as usize - 100]);
                assert_eq!(map.remove_many(keys), 10);
                (100..110).collect()
            },
        ])
    };
}

macro_rules! secondary {
    ($map:ident) => {
        Row::new(stringify!($map)).hints(cases![
            |_, ten| {
                let pairs = ten.map(|token| (key(token.value, 1), token));
                let mut found = values(pairs.collect::<$map<DefaultKey, _>>().values());
                found.sort_unstable();
                found
            },
            |_, ten| {
                let mut map = $map::<DefaultKey, _>::new();
                map.extend(ten.map(|token| (key(token.value, 1), token)));
                let mut found = values(map.values());
                found.sort_unstable();
                found
            },
        ])
    };
}

suite! {
    array = array!(VmVec, VmVec::new())
        .hints(cases![
            |ledger, ten| {
                let mut vec: VmVec<_> = ledger.tokens(0..6).collect();
                drop(vec.splice(2..4, ten));
                values(&vec[2..12])
            },
            |ledger, ten| {
                let mut vec: VmVec<_> = ledger.tokens(0..6).collect();
                drop(vec.splice(6.., ten));
                values(&vec[6..])
            },
            |ledger, ten| {
                let mut vec: VmVec<_> = ledger.tokens(0..30).collect();
                drop(vec.splice(2..25, ten));
                values(&vec[2..12])
            },
        ]);

    array_scope = Row::new("GrowOnly")
        .hints(cases![|_, ten| {
            let mut vec = VmVec::new();
            vec.grow_only().extend(ten);
            values(&vec)
        }]);

    blocks = array!(BlockVec, blocks());

    blocks_scope = Row::new("GrowOnlyBlockVec")
        .hints(cases![|_, ten| {
            let mut vec = blocks();
            vec.grow_only().extend(ten);
            values(&vec)
        }]);

    columns = Row::new("Columns")
        .hints(cases![
            |_, ten| records(ten).collect::<Columns<_>>().as_slices().0.to_vec(),
            |_, ten| {
                let mut columns = Columns::new();
                columns.extend(records(ten));
                columns.as_slices().0.to_vec()
            },
            |_, ten| {
                let mut columns = Columns::new();
                assert!(columns.try_extend(records(ten)).is_ok());
                columns.as_slices().0.to_vec()
            },
        ]);

    groups = Row::new("Groups")
        .hints(cases![
            |_, ten| {
                let groups: Groups<_, 4> = records(ten).collect();
                groups.iter().map(|(number, _)| *number).collect()
            },
            |_, ten| {
                let mut groups: Groups<_, 4> = Groups::new();
                groups.extend(ten.map(lane));
                (0..10).filter_map(|at| Some(groups.get(at)?.0.0.as_ref()?.value)).collect()
            },
        ]);

    slots = map!(SlotMap);

    packed = map!(DenseSlotMap)
        .hints(cases![|_, ten| {
            let map: DenseSlotMap<Small, (u32, u8), Columns<_>> = records(ten).collect();
            map.as_slice().0.to_vec()
        }]);

    secondary = secondary!(SecondaryMap);

    sparse = secondary!(SparseSecondaryMap);

    table = Row::new("Table")
        .hints(cases![
            |ledger, ten| {
                let rows = ten.map(|token| (token, ledger.token(1)));
                values(rows.collect::<Table<Halves<'_>, By<'_>>>().values().map(|row| &row.0))
            },
            |ledger, ten| {
                let mut table = Table::<Halves<'_>, By<'_>>::new();
                table.extend(ten.map(|token| (token, ledger.token(1))));
                values(table.values().map(|row| &row.0))
            },
            |ledger, ten| {
                let mut table = Table::<Halves<'_>, By<'_>>::new();
                let rows = ten.map(|token| (token, ledger.token(1)));
                table.insert_many(rows, &mut Vec::new());
                values(table.values().map(|row| &row.0))
            },
            |ledger, ten| {
                let mut table = Table::<Halves<'_>, By<'_>>::new();
                let rows = ten.map(|token| (token, ledger.token(1)));
                assert!(table.try_insert_many(rows, &mut Vec::new()).is_ok());
                values(table.values().map(|row| &row.0))
            },
            |ledger, ten| {
                let mut table = Table::<Halves<'_>, By<'_>>::new();
                let keys: Vec<_> = ledger.tokens(0..10).map(|token| table.insert((token, ledger.token(1)))).collect();
                let mut found = Vec::new();
                let keys = ten.map(|token| keys[token.value as usize - 100]);
                table.get_many_mut(keys, |_, row| found.extend(row.map(|row| row.0.value + 100)));
                found
            },
            |ledger, ten| {
                let mut table = Table::<Halves<'_>, By<'_>>::new();
                let keys: Vec<_> = ledger.tokens(0..10).map(|token| table.insert((token, ledger.token(1)))).collect();
                assert_eq!(table.remove_many(ten.map(|token| keys[token.value as usize - 100])), 10);
                (100..110).collect()
            },
        ]);

    lists = Row::new("ListPool")
        .hints(cases![
            |_, ten| {
                let mut pool = ListPool::new();
                let key = pool.insert_list(ten);
                values(&pool[key])
            },
            |_, ten| {
                let mut pool = ListPool::new();
                let key = pool.insert_owned(ten).leak();
                values(&pool[key])
            },
            |_, ten| {
                let mut pool = ListPool::new();
                let key = pool.insert_list([]);
                pool.get_mut(key).expect("it is there").extend(ten);
                values(&pool[key])
            },
            |_, ten| {
                let mut pool = ListPool::new();
                let key = pool.insert_list([]);
                assert!(pool.get_mut(key).expect("it is there").try_extend(ten).is_ok());
                values(&pool[key])
            },
            |_, ten| {
                let pool: ListPool<_> = ten.map(|token| [token]).collect();
                values(pool.values().flatten())
            },
        ]);

    lists_beside = Row::new("SecondaryLists")
        .hints(cases![|_, ten| {
            let mut lists = SecondaryLists::<DefaultKey, _>::new();
            lists.entry(key(3, 1)).extend(ten);
            values(&lists[key(3, 1)])
        }]);

    strs = Row::new("StrPool")
        .hints(cases![|_, ten| {
            let texts: Vec<_> = (100..110).map(|n| n.to_string()).collect();
            let pool: StrPool = ten.map(|token| &*texts[token.value as usize - 100]).collect();
            pool.iter().map(|(_, text)| text.parse().expect("a number")).collect()
        }]);

    shared = Row::new("SharedVec")
        .hints(cases![
            |_, ten| values(&ten.collect::<SharedVec<_>>()),
            |_, ten| {
                let vec = SharedVec::new();
                vec.extend(ten);
                values(&vec)
            },
            |_, ten| {
                let vec = SharedVec::new();
                assert!(vec.try_extend(ten).is_ok());
                values(&vec)
            },
            |_, ten| {
                let vec = SharedVec::new();
                vec.gather().extend(ten);
                values(&vec)
            },
        ]);

    shared_map = Row::new("SharedSlotMap")
        .hints(cases![
            |_, ten| values(ten.collect::<SharedSlotMap<DefaultKey, _>>().values()),
            |_, ten| {
                let mut map = SharedSlotMap::new();
                map.extend(ten);
                values(map.values())
            },
            |_, ten| {
                let map = SharedSlotMap::new();
                map.insert_many(ten, &mut Vec::new());
                values(map.values())
            },
            |_, ten| {
                let map = SharedSlotMap::new();
                assert!(map.try_insert_many(ten, &mut Vec::new()).is_ok());
                values(map.values())
            },
        ]);

    arena = Row::new("Arena")
        .hints(cases![
            |_, ten| Arena::new().alloc_slice_from_iter(numbers(ten)).to_vec(),
            |_, ten| Arena::new().try_alloc_slice_from_iter(numbers(ten)).expect("there is memory").to_vec(),
            |_, ten| Arena::new().alloc_slice_fill_iter(numbers(ten)).to_vec(),
            |_, ten| Arena::new().try_alloc_slice_fill_iter(numbers(ten)).expect("there is memory").to_vec(),
            |_, ten| {
                let arena = Arena::new();
                arena.alloc_slice_try_fill_iter(numbers(ten).map(Ok::<_, ()>)).expect("no error").to_vec()
            },
            |_, ten| {
                let arena = Arena::new();
                let slice = arena.try_alloc_slice_try_fill_iter(numbers(ten).map(Ok::<_, ()>));
                slice.expect("there is memory").expect("no error").to_vec()
            },
            |_, ten| values(&*Arena::new().alloc_box_slice_from_iter(ten)),
            |_, ten| values(&*Arena::new().try_alloc_box_slice_from_iter(ten).expect("there is memory")),
        ]);

    scope = Row::new("Scope")
        .hints(cases![
            |_, ten| Arena::new().scope(|scope| scope.alloc_slice_from_iter(numbers(ten)).to_vec()),
            |_, ten| Arena::new().scope(|scope| values(&*scope.alloc_box_slice_from_iter(ten))),
        ]);

    arena_box = Row::new("ArenaBox")
        .hints(cases![|_, ten| values(&*ArenaBox::from_iter_in(ten, &Arena::new()))]);
}
