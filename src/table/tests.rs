//! Tests of tables whose memory is refused.

use crate::error::{Error, ErrorKind};
use crate::growing::Growth;
use crate::key::DefaultKey;
use crate::os::Call;
use crate::os::fault::Fault;
use crate::service::Release;
use crate::table::Table;
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
struct Thing {
    name: u64,
    kind: u64,
    at: [f32; 2],
}

crate::indices! {
    struct By for Thing {
        name: Unique<u64> = |thing| thing.name,
        kind: Many<u64> = |thing| thing.kind,
        also: List<u64> = |thing| thing.kind,
        at: Grid<2, cell = 1.0> = |thing| thing.at,
    }
}

fn thing(number: u16) -> Thing {
    let name = u64::from(number);
    Thing { name, kind: name % 17, at: [f32::from(number), 0.0] }
}

/// Checks that rows `0..count` are found in every index.
fn check(table: &Table<Thing, By>, count: u16) {
    assert_eq!(table.check(), Ok(()));
    assert_eq!(table.len(), usize::from(count));
    for number in 0..count {
        let (_, found) = table.find(|by| &by.name, &u64::from(number)).unwrap();
        assert_eq!(found, &thing(number));
        assert_eq!(table.within(|by| &by.at, found.at, 0.5).count(), 1);
    }
    let kinds: usize = (0..17).map(|kind| table.find_all(|by| &by.kind, &kind).count()).sum();
    let also: usize = (0..17).map(|kind| table.count(|by| &by.also, &kind)).sum();
    assert_eq!((kinds, also), (usize::from(count), usize::from(count)));
}

/// Asserts that an error reports refused memory. Where the process has a data limit, the error may name that instead,
/// depending on what else the process uses.
fn assert_of_memory(error: Error) {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let data = limits.lines().find_map(|line| line.strip_prefix("Max data size"));
    let is_limited = data.is_some_and(|data| !data.trim_start().starts_with("unlimited"));
    match error.kind() {
        ErrorKind::DataLimit if is_limited => assert!(error.limit().is_some(), "{error:?}"),
        kind => assert_eq!(kind, ErrorKind::Memory, "{error:?}"),
    }
}

#[test]
fn an_insertion_that_is_refused_memory_at_any_step_changes_nothing() {
    for pass in 0..14 {
        // In steps of one page, so that each array is refused one at some pass.
        let mut table: Table<Thing, By> =
            Table::builder().max_len(1 << 14).growth(Growth::Fixed { step_bytes: 0 }).build();
        let fault = Fault::from_nth(Call::Commit, pass);
        let mut count = 0;
        let refused = loop {
            match table.try_insert(thing(count)) {
                Ok(_) => count += 1,
                Err(refused) => break refused,
            }
            if count > 3_000 {
                return;
            }
        };
        assert_of_memory(refused.error);
        assert_eq!(refused.value, thing(count));
        check(&table, count);
        drop(fault);
        table.insert(thing(count));
        check(&table, count + 1);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_change_without_memory_leaves_the_row_unchanged() {
    for pass in 0..6 {
        let mut table: Table<Thing, By> =
            Table::builder().growth(Growth::Fixed { step_bytes: 0 }).build();
        let keys: Vec<DefaultKey> = (0..2000).map(|number| table.insert(thing(number))).collect();
        let fault = Fault::from_nth(Call::Commit, pass);
        let mut changed = 0;
        for (number, key) in keys.iter().enumerate() {
            // Each row then has a kind of its own, which takes chunks and buckets.
            let before = table[*key].clone();
            match table.try_modify(*key, |thing| thing.kind = 1_000_000 + number as u64) {
                Ok(_) => changed += 1,
                Err(error) => {
                    assert_of_memory(error);
                    assert_eq!(table[*key], before);
                }
            }
        }
        assert_eq!(table.check(), Ok(()));
        assert_eq!(table.values().filter(|thing| thing.kind >= 1_000_000).count(), changed);
        drop(fault);
        for key in keys {
            assert!(table.remove(key).is_some());
        }
        assert_eq!(table.check(), Ok(()));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_copy_refused_memory_at_any_step_leaves_nothing() {
    type Held = (Thing, Rc<()>);
    let held = Rc::new(());
    let mut table: Table<Held, By> = Table::builder().release(Release::Now).build();
    let keys: Vec<DefaultKey> =
        (0..2000).map(|number| table.insert((thing(number), Rc::clone(&held)))).collect();
    keys.iter().step_by(3).for_each(|key| drop(table.remove(*key)));
    let count = Rc::strong_count(&held);
    for call in [Call::Reserve, Call::Commit] {
        for pass in 0.. {
            let fault = Fault::from_nth(call, pass);
            let copy = table.try_clone();
            let failures = fault.failures();
            drop(fault);
            assert_eq!(table.check(), Ok(()));
            let Ok(copy) = copy else {
                assert_eq!(Rc::strong_count(&held), count);
                continue;
            };
            assert_eq!((failures, copy.check()), (0, Ok(())));
            assert!(copy.iter().eq(table.iter()));
            assert_eq!(Rc::strong_count(&held), 2 * count - 1);
            // The rows, and the arrays of four indices, some of which are empty.
            assert!(pass > 10, "{pass}");
            break;
        }
    }
}

#[test]
fn clone_panics_if_try_clone_is_refused() {
    let mut table: Table<Thing, By> = Table::builder().release(Release::Now).build();
    table.extend((0..2000).map(thing));
    let fault = Fault::from_nth(Call::Reserve, 0);
    assert!(format!("{:?}", table.try_clone().unwrap_err()).contains("Index"));
    let copy = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| table.clone()));
    assert!(copy.unwrap_err().downcast_ref::<String>().unwrap().starts_with("stayput: "));
    drop(fault);
    check(&table.clone(), 2000);
}

/// A table of rows that take too much memory to be in the cache, so that they are prefetched.
#[test]
#[expect(clippy::large_stack_arrays, reason = "so that few rows are many bytes")]
fn all_rows_are_found_in_a_large_table() {
    #[derive(Clone)]
    struct Large {
        kind: u32,
        _rest: [u8; 1 << 16],
    }
    crate::indices! {
        struct ByKind for Large {
            many: Many<u32> = |large| large.kind,
            list: List<u32> = |large| large.kind,
        }
    }
    // One row of kind 1, fifteen of kind 2, and so on.
    let sizes: [usize; 6] = [0, 1, 15, 16, 17, 40];
    let mut table: Table<Large, ByKind> = Table::new();
    for (kind, size) in (0..).zip(sizes) {
        for _ in 0..size {
            table.insert(Large { kind, _rest: [0; 1 << 16] });
        }
    }
    for (kind, size) in (0..).zip(sizes) {
        let found = table.find_all(|by| &by.many, &kind);
        assert!(found.clone().all(|(_, row)| row.kind == kind));
        let keys: std::collections::HashSet<DefaultKey> =
            found.clone().map(|(key, _)| key).collect();
        assert_eq!(keys.len(), size);
        for taken in [0, 1, 16, 20] {
            let mut found = found.clone();
            let before = found.by_ref().take(taken).count();
            assert!(found.size_hint().1.is_none_or(|most| most >= size - before));
            assert_eq!(before + found.clone().fold(0, |count, _| count + 1), size);
            assert_eq!(before + found.by_ref().take(size).map(|_| 1).sum::<usize>(), size);
            assert!(found.next().is_none() && found.next().is_none());
        }
        let mut listed = table.find_all(|by| &by.list, &kind);
        assert_eq!(listed.by_ref().filter(|(_, row)| row.kind == kind).count(), size);
    }
}
