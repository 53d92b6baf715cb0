//! User code that panics at any step of any call that runs it: nothing is dropped twice or lost, and the container
//! stays usable.

mod arrays;
mod lists;
mod maps;
mod others;

use crate::ledger::{Ledger, Step, Token};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A container of tokens.
trait TokenContainer: 'static {
    type Of<'l>;

    fn sample(ledger: &Ledger) -> Self::Of<'_>;

    fn tokens<'a, 'l>(it: &'a Self::Of<'l>) -> Vec<&'a Token<'l>>;

    /// Checks other invariants, given what the container held before, and that it is usable.
    fn use_it<'l>(ledger: &'l Ledger, it: &mut Self::Of<'l>, before: &Self::Of<'_>);
}

/// A test case: gets the container by reference or by value.
type Case<K> = for<'l> fn(&'l Ledger, &mut <K as TokenContainer>::Of<'l>);
type Taking<K> = for<'l> fn(&'l Ledger, <K as TokenContainer>::Of<'l>);

/// Repeats a case: first its first step of the kind panics, then its second, and so on until it completes.
fn at_each<K: TokenContainer>(step: Step) -> AtEach<K> {
    AtEach { step, of: PhantomData }
}

struct AtEach<K> {
    step: Step,
    of: PhantomData<K>,
}

impl<K: TokenContainer> AtEach<K> {
    #[track_caller]
    fn of(self, cases: &[Case<K>]) {
        for case in cases {
            run::<K>(self.step, &|ledger, it| case(ledger, it.as_mut().expect("it is there")));
        }
    }

    #[track_caller]
    fn of_taken(self, cases: &[Taking<K>]) {
        for case in cases {
            run::<K>(self.step, &|ledger, it| case(ledger, it.take().expect("it is there")));
        }
    }
}

#[track_caller]
fn run<K: TokenContainer>(step: Step, case: &dyn for<'l> Fn(&'l Ledger, &mut Option<K::Of<'l>>)) {
    for pass in 0..1000 {
        let (ledger, other) = (Ledger::new(), Ledger::new());
        let (mut it, before) = (Some(K::sample(&ledger)), K::sample(&other));
        ledger.set_fuse(step, pass);
        let result = catch_unwind(AssertUnwindSafe(|| case(&ledger, &mut it)));
        let panicked = ledger.clear_fuse();
        assert_eq!(result.is_err(), panicked, "at step {pass}");
        assert!(pass > 0 || panicked, "the case has no such step");
        if let Some(mut it) = it {
            check_tokens(&ledger, &K::tokens(&it));
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
fn check_tokens(ledger: &Ledger, tokens: &[&Token<'_>]) {
    assert!(tokens.iter().all(|token| ledger.is_live(token)), "it holds what was dropped");
    let mut ids: Vec<usize> = tokens.iter().map(|token| token.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), tokens.len(), "it holds one value twice: {tokens:?}");
    assert_eq!(ledger.live(), tokens.len(), "something was lost, not in {tokens:?}");
}

/// Yields tokens; each step may panic.
fn stepwise(ledger: &Ledger, count: u32) -> impl Iterator<Item = Token<'_>> {
    (100..100 + count).map(|value| {
        ledger.step(Step::Call);
        ledger.token(value)
    })
}

/// Returns `true` if the number of a token is odd.
fn odd(token: &Token<'_>) -> bool {
    token.value % 2 == 1
}

/// The same, in user code that may panic.
fn odd_by_step(ledger: &Ledger, token: &Token<'_>) -> bool {
    ledger.step(Step::Call);
    odd(token)
}

/// Implements [`TokenContainer`] by expressions.
macro_rules! kind {
    (
        $visible:vis $kind:ident<$l:lifetime> = $of:ty;
        sample: |$ledger:ident| $sample:expr;
        tokens: |$it:ident| $tokens:expr;
        use: |$by:ident, $used:ident| $use:expr;
    ) => {
        $visible struct $kind;

        impl TokenContainer for $kind {
            type Of<$l> = $of;

            fn sample($ledger: &Ledger) -> Self::Of<'_> {
                $sample
            }

            fn tokens<'a, $l>($it: &'a Self::Of<$l>) -> Vec<&'a Token<$l>> {
                $tokens
            }

            fn use_it<$l>($by: &$l Ledger, $used: &mut Self::Of<$l>, _: &Self::Of<'_>) {
                let _ = $use;
            }
        }
    };
}
use kind;
