//! User code that panics at any step of any call that runs it: nothing is dropped twice or lost, and the container
//! stays usable.

mod arenas;
mod arrays;
mod indices;
mod lists;
mod maps;
mod others;
mod tables;

use super::kinds::{Record, row_of};
use super::{Kind, Row, cases, check_tokens, ids, odd, suite};
use crate::ledger::{Ledger, Step, Token};
use std::panic::{AssertUnwindSafe, catch_unwind};

pub(super) fn rows() -> Vec<Row> {
    let tables = [
        arenas::rows(),
        arrays::rows(),
        indices::rows(),
        lists::rows(),
        maps::rows(),
        others::rows(),
        tables::rows(),
    ];
    tables.into_iter().flatten().collect()
}

/// A case gets the container by reference or by value.
type Case<K> = for<'l> fn(&'l Ledger, &mut <K as Kind>::Of<'l>);
type Taking<K> = for<'l> fn(&'l Ledger, <K as Kind>::Of<'l>);

impl Row {
    /// Adds cases that are repeated: first the first step of the kind panics, then the second, and so on until the
    /// case completes.
    fn at_each<K: Kind>(self, step: Step, cases: &[(&'static str, Case<K>)]) -> Self {
        self.with(cases, move |case: Case<K>| {
            run::<K>(step, &|ledger, it| case(ledger, it.as_mut().expect("it is there")));
        })
    }

    fn taken<K: Kind>(self, step: Step, cases: &[(&'static str, Taking<K>)]) -> Self {
        self.with(cases, move |case: Taking<K>| {
            run::<K>(step, &|ledger, it| case(ledger, it.take().expect("it is there")));
        })
    }

    /// Adds cases that panic by themselves, and must leave the container unchanged.
    fn refused<K: Kind>(self, cases: &[(&'static str, Case<K>)]) -> Self {
        self.with(cases, refused::<K>)
    }
}

#[track_caller]
fn run<K: Kind>(step: Step, case: &dyn for<'l> Fn(&'l Ledger, &mut Option<K::Of<'l>>)) {
    for pass in 0..1000 {
        let (ledger, other) = (Ledger::new(), Ledger::new());
        let (mut it, before) = (Some(K::sample(&ledger)), K::sample(&other));
        ledger.set_fuse(step, pass);
        let result = catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut it)));
        let panicked = ledger.clear_fuse();
        assert_eq!(result.is_err(), panicked, "at step {pass}");
        assert!(pass > 0 || panicked, "the case has no such step");
        if let Some(mut it) = it {
            check_tokens(&ledger, &K::tokens(&it), 0);
            K::use_it(&ledger, &mut it, &before);
        }
        // Nothing else may own tokens: the container and the values of the case were dropped.
        ledger.assert_all_dropped_but(0);
        if !panicked {
            return;
        }
    }
    panic!("the case never gets through");
}

#[track_caller]
fn refused<K: Kind>(case: Case<K>) {
    let ledger = Ledger::new();
    let mut it = K::sample(&ledger);
    let before = ids::<K>(&it);
    assert!(catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut it))).is_err());
    assert_eq!(ids::<K>(&it), before);
    check_tokens(&ledger, &K::tokens(&it), 0);
    K::use_it(&ledger, &mut it, &K::sample(&Ledger::new()));
    drop(it);
    ledger.assert_all_dropped_but(0);
}

/// Yields tokens; each step may panic.
fn stepwise(ledger: &Ledger, count: u32) -> impl Iterator<Item = Token<'_>> {
    (100..100 + count).map(|value| {
        ledger.step(Step::Call);
        ledger.token(value)
    })
}

/// Yields rows; each step may panic.
fn row_steps(ledger: &Ledger, count: u32) -> impl Iterator<Item = Record> {
    stepwise(ledger, count).map(|token| row_of(ledger, token.value))
}

/// Returns `true` if the number of a token is odd, in user code that may panic.
fn odd_by_step(ledger: &Ledger, token: &Token<'_>) -> bool {
    ledger.step(Step::Call);
    odd(token)
}
