//! Tests for each class of fault in published advisories about containers: one table of operations for each class.
//!
//! A row is a container with its cases: closures whose source names the methods that are called. `census` compares the
//! rows with the sources, so that a new container needs a row in each table or a reason, and a new method that runs user
//! code a case in `panics` or a reason. The table below counts the cases; a test checks it.
//!
#![doc = include_str!("table.md")]
#![cfg_attr(
    not(all(feature = "file", feature = "memory-map", feature = "serde")),
    allow(dead_code, reason = "the census needs all features")
)]

mod alignment;
mod brands;
#[cfg(all(feature = "file", feature = "serde"))]
mod bytes;
#[cfg(all(feature = "file", feature = "memory-map", feature = "serde"))]
mod census;
mod forgotten;
mod hints;
mod kinds;
mod numbers;
mod panics;
mod reentry;
mod refusal;
#[cfg(all(feature = "file", feature = "memory-map", feature = "serde"))]
mod threads;
mod variance;

use crate::ledger::{Ledger, Token};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A container of tokens, and how to check it.
pub(super) trait Kind: 'static {
    type Of<'l>;

    fn sample(ledger: &Ledger) -> Self::Of<'_>;

    fn tokens<'a, 'l>(it: &'a Self::Of<'l>) -> Vec<&'a Token<'l>>;

    /// Checks other invariants, given what the container held before, and that it is usable.
    fn use_it<'l>(ledger: &'l Ledger, it: &mut Self::Of<'l>, before: &Self::Of<'_>);
}

type Run = Box<dyn Fn()>;

/// The cases of a container, each with its text.
pub(super) struct Row {
    container: &'static str,
    cases: Vec<(&'static str, Run)>,
}

impl Row {
    fn new(container: &'static str) -> Self {
        Self { container, cases: Vec::new() }
    }

    /// Adds cases, each of which `run` runs.
    fn with<C: Copy + 'static>(
        mut self,
        cases: &[(&'static str, C)],
        run: impl Fn(C) + Copy + 'static,
    ) -> Self {
        for &(text, case) in cases {
            self.cases.push((text, Box::new(move || run(case))));
        }
        self
    }

    fn run(&self) {
        for (text, case) in &self.cases {
            if let Err(payload) = catch_unwind(AssertUnwindSafe(case)) {
                eprintln!("this was a case of {}: {text}", self.container);
                resume_unwind(payload);
            }
        }
    }
}

/// The row of a type that is checked as a whole.
fn of_type(text: &'static str) -> Row {
    let path = text.split('<').next().unwrap_or(text).trim();
    let name = path.rsplit([':', ' ']).next().unwrap_or(path);
    Row { container: name, cases: vec![(text, Box::new(|| ()))] }
}

/// Closures, each with its text.
macro_rules! cases {
    ($($case:expr),* $(,)?) => { &[$((stringify!($case), $case)),*] };
}
use cases;

/// Defines a test for each row of a table, with the attributes that the row has.
macro_rules! suite {
    ($($(#[$attribute:meta])* $name:ident = $row:expr;)+) => {
        pub(in crate::classes) fn rows() -> Vec<crate::classes::Row> {
            vec![$($name::row()),+]
        }

        $(mod $name {
            #[allow(clippy::wildcard_imports, reason = "an expression of the outer module")]
            use super::*;

            pub(super) fn row() -> crate::classes::Row {
                $row
            }

            #[test]
            $(#[$attribute])*
            fn holds() {
                row().run();
            }
        })+
    };
}
use suite;

/// Checks that a container holds distinct living tokens, and that there are `others` more.
#[track_caller]
fn check_tokens(ledger: &Ledger, tokens: &[&Token<'_>], others: usize) {
    assert!(tokens.iter().all(|token| ledger.is_live(token)), "it holds what was dropped");
    let mut ids: Vec<usize> = tokens.iter().map(|token| token.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), tokens.len(), "it holds one value twice: {tokens:?}");
    assert_eq!(ledger.live(), tokens.len() + others, "something was lost, not in {tokens:?}");
}

/// The numbers of the tokens that a container holds, in its order.
fn ids<K: Kind>(it: &K::Of<'_>) -> Vec<usize> {
    K::tokens(it).iter().map(|token| token.id).collect()
}

/// Returns `true` if the number of a token is odd.
fn odd(token: &Token<'_>) -> bool {
    token.value % 2 == 1
}
