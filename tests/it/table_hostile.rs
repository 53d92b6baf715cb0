//! Tables of values whose traits return anything: whatever is found, no row is lost.

use stayput::{DefaultKey, ErrorKind, Table, indices};
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

thread_local! {
    static RANDOM: Cell<u64> = const { Cell::new(1) };
}

fn random() -> u32 {
    let next = RANDOM.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    RANDOM.set(next);
    u32::try_from(next >> 33).unwrap()
}

/// Equal at random, with another hash each time.
#[derive(Clone, Debug)]
pub(crate) struct Liar;

impl PartialEq for Liar {
    fn eq(&self, _: &Self) -> bool {
        random() % 3 == 0
    }
}

impl Eq for Liar {}

impl Hash for Liar {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u32(random() % 5);
    }
}

indices! {
    struct LiarBy for (Liar, Box<u32>) {
        unique: Unique<Liar> = |row| &row.0,
        many: Many<Liar> = |row| &row.0,
        list: List<Liar> = |row| &row.0,
        /// At another place each time.
        at: Grid<2, cell = 1.0> = |_row| [random(), random()].map(|random| f32::from(random.to_le_bytes()[0])),
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn values_with_inconsistent_traits_lose_no_row() {
    let mut table: Table<(Liar, Box<u32>), LiarBy> = Table::new();
    let mut keys: Vec<DefaultKey> = Vec::new();
    for step in 0..4000_u32 {
        let key = keys.get(random() as usize % keys.len().max(1)).copied().unwrap_or_default();
        match random() % 10 {
            0..5 => match table.try_insert((Liar, Box::new(step))) {
                Ok(key) => keys.push(key),
                Err(refused) => {
                    assert_eq!((refused.error.kind(), *refused.value.1), (ErrorKind::Taken, step));
                }
            },
            5 => {
                assert_eq!(table.remove(key).is_some(), !keys.is_empty());
                keys.retain(|other| *other != key);
            }
            6 => {
                if let Ok(changed) = table.try_modify(key, |row| *row.1 += 1) {
                    assert_eq!(changed.is_some(), !keys.is_empty());
                }
            }
            7 => {
                let found = table
                    .find_all(|by| &by.many, &Liar)
                    .chain(table.find_all(|by| &by.list, &Liar));
                assert!(found.map(|(key, _)| key).all(|key| keys.contains(&key)));
                let found = table.within(|by| &by.at, [100.0, 100.0], 50.0);
                assert!(found.map(|(key, _)| key).all(|key| keys.contains(&key)));
            }
            8 => {
                if let Some((key, _)) = table.find(|by| &by.unique, &Liar) {
                    assert!(keys.contains(&key));
                }
                if let Some((key, _)) = table.take(|by| &by.unique, &Liar) {
                    let before = keys.len();
                    keys.retain(|other| *other != key);
                    assert_eq!(keys.len(), before - 1);
                }
                let _ = table.check();
            }
            _ => {
                if step % 100 == 0 {
                    table.remove_all(|by| &by.many, &Liar);
                    keys.retain(|key| table.contains_key(*key));
                }
                let _ = table.try_reindex();
            }
        }
        assert_eq!(table.len(), keys.len());
    }
    assert!(keys.iter().all(|key| table.contains_key(*key)));
    for key in keys {
        assert!(table.remove(key).is_some());
    }
    assert!(table.is_empty());
    assert_eq!(table.within(|by| &by.at, [0.0, 0.0], f32::INFINITY).count(), 0);
}

thread_local! {
    /// How many more times user code is called before it panics.
    static CALLS: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn call() {
    CALLS.set(CALLS.get() - 1);
    if CALLS.get() == 0 {
        resume_unwind(Box::new(()));
    }
}

/// A number without a destructor, which panics when it is used.
#[derive(Debug)]
struct Fragile(u32);

impl Clone for Fragile {
    fn clone(&self) -> Self {
        call();
        Self(self.0)
    }
}

impl PartialEq for Fragile {
    fn eq(&self, other: &Self) -> bool {
        call();
        self.0 == other.0
    }
}

impl Eq for Fragile {}

impl Hash for Fragile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        call();
        self.0.hash(state);
    }
}

#[derive(Clone, Debug)]
struct Parts(Fragile, Fragile, f32, u32);

indices! {
    struct FragileBy for Parts {
        unique: Unique<Fragile> = |row| { call(); &row.0 },
        many: Many<Fragile> = |row| &row.1,
        list: List<Fragile> = |row| &row.1,
        at: Grid<2, cell = 1.0> = |row| { call(); [row.2, 0.0] },
    }
}

#[test]
fn whatever_panics_during_a_change_leaves_the_row_and_the_indices_as_they_were() {
    let numbers = |Parts(a, b, c, d): &Parts| (a.0, b.0, *c, *d);
    let changes: [fn(&mut Parts); 5] = [
        |row| row.3 = 9,
        |row| row.0.0 = 9,
        |row| row.1.0 = 1,
        |row| row.2 = 9.0,
        // Refused.
        |row| (row.0.0, row.1.0, row.2, row.3) = (1, 1, 9.0, 9),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut panics = 0;
        loop {
            CALLS.set(usize::MAX);
            let mut table: Table<Parts, FragileBy> = Table::new();
            let row = |n| Parts(Fragile(n), Fragile(n % 2), 1.0, n);
            let keys = [0, 1, 2].map(|n| table.insert(row(n)));
            CALLS.set(panics + 1);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                table.try_modify(keys[2], |row| {
                    change(row);
                    call();
                })
            }));
            CALLS.set(usize::MAX);
            assert_eq!(table.check(), Ok(()), "change {number}, {panics} calls");
            let mut expected = row(2);
            if let Ok(Ok(_)) = outcome {
                change(&mut expected);
            }
            assert_eq!(
                numbers(&table[keys[2]]),
                numbers(&expected),
                "change {number}, {panics} calls"
            );
            match outcome {
                Err(_) => panics += 1,
                Ok(result) => break assert_eq!(result.is_err(), number == 4),
            }
        }
        assert!(panics > 4, "{panics}");
    }
}
