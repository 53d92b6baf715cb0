//! Panics in user code of indices: the closures that look at slots, and `Hash`.

use super::{Row, cases, suite};
use crate::classes::kinds::{GridSlots, ListSlots, SetSlots, UniqueSlots};
use crate::ledger::{Ledger, Step};
use stayput::index::grid::Near;
use std::hash::{Hash, Hasher};

/// A number whose hash panics.
struct Value<'l>(&'l Ledger, u32);

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.step(Step::Call);
        self.1.hash(state);
    }
}

/// Whether a slot has the number: slots have theirs.
fn is_meant(ledger: &Ledger, number: u32) -> impl Fn(u32) -> bool {
    move |slot| {
        ledger.step(Step::Call);
        slot == number
    }
}

suite! {
    unique = Row::new("UniqueIndex")
        .at_each::<UniqueSlots>(Step::Call, cases![
            |ledger, (_, index)| {
                for number in 0..20 {
                    let put = index.insert(&Value(ledger, number), number, is_meant(ledger, number));
                    assert_eq!(put, None);
                }
                for number in 0..20 {
                    let is_meant = || is_meant(ledger, number);
                    assert_eq!(index.find(&Value(ledger, number), is_meant()), Some(number));
                    let put = index.try_insert(&Value(ledger, number), 90, is_meant());
                    assert_eq!(put, Ok(Some(number)));
                    assert_eq!(index.take(&Value(ledger, number), is_meant()), Some(number));
                }
            },
        ]);
    set = Row::new("SetIndex")
        .at_each::<SetSlots>(Step::Call, cases![
            |ledger, (_, index)| {
                for number in 0..20 {
                    let is_meant = |slot| is_meant(ledger, number % 3)(slot % 3);
                    index.insert(&Value(ledger, number % 3), number, is_meant);
                    assert!(index.try_insert(&Value(ledger, number % 3), number, is_meant).is_ok());
                }
                let is_meant = |slot| is_meant(ledger, 1)(slot % 3);
                assert_eq!(index.find(&Value(ledger, 1), is_meant).count(), 7);
                assert_eq!(index.count(&Value(ledger, 1), is_meant), 7);
            },
        ]);
    list = Row::new("ListIndex")
        .at_each::<ListSlots>(Step::Call, cases![
            |ledger, (_, index)| {
                for number in 0..20 {
                    let is_meant = |slot| is_meant(ledger, number % 3)(slot % 3);
                    index.insert(&Value(ledger, number % 3), number, is_meant);
                    assert!(index.try_insert(&Value(ledger, number % 3), number, is_meant).is_ok());
                }
                let is_meant = |slot| is_meant(ledger, 1)(slot % 3);
                assert_eq!(index.find(&Value(ledger, 1), is_meant).count(), 7);
                assert_eq!(index.count(&Value(ledger, 1), is_meant), 7);
            },
        ]);
    grid = Row::new("Grid")
        .at_each::<GridSlots>(Step::Call, cases![
            |ledger, (_, grid)| {
                (0..20_u8).for_each(|n| _ = grid.insert(n.into(), [n.into(), 0.0]));
                grid.for_each_pair(1.0, |_, _| ledger.step(Step::Call));
                let accept = |slot: u32, _: &[f32; 2]| is_meant(ledger, 1)(slot % 2);
                assert_eq!(grid.nearest_where([7.0, 0.0], 3, accept).len(), 3);
                let mut found: Vec<Near<2>> = Vec::new();
                grid.nearest_where_into([7.0, 0.0], 3, accept, &mut found);
                assert!(grid.try_nearest_where_into([7.0, 0.0], 3, accept, &mut found).is_ok());
            },
        ]);
    sorted = Row::new("SortedGrid")
        .at_each::<GridSlots>(Step::Call, cases![
            |ledger, (_, grid)| {
                (0..20_u8).for_each(|n| _ = grid.insert(n.into(), [n.into(), 0.0]));
                let sorted = grid.sorted();
                sorted.for_each_pair(1.0, |_, _| ledger.step(Step::Call));
                let accept = |slot: u32, _: &[f32; 2]| is_meant(ledger, 1)(slot % 2);
                assert_eq!(sorted.nearest_where([7.0, 0.0], 3, accept).len(), 3);
                let mut found: Vec<Near<2>> = Vec::new();
                sorted.nearest_where_into([7.0, 0.0], 3, accept, &mut found);
                assert!(sorted.try_nearest_where_into([7.0, 0.0], 3, accept, &mut found).is_ok());
            },
        ]);
}
