//! Random operations, made by `arbitrary` (as for fuzz targets) from numbers that proptest chooses and shrinks. A
//! proptest strategy for each kind of operation would take longer to compile than everything else.

#![allow(dead_code, reason = "no test binary uses all of it")]

use crate::effort;
use arbitrary::{Arbitrary, Result, Unstructured};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::test_runner::TestRunner;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// The most bytes that an operation needs.
type Words = [u32; 16];

/// The operations made from the words, for the output of a failed test.
type Show = Rc<dyn Fn(Words, &mut fmt::Formatter<'_>) -> fmt::Result>;

struct Made {
    words: Words,
    show: Show,
}

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.show)(self.words, f)
    }
}

fn from_words<T>(words: Words, make: impl Fn(&mut Unstructured<'_>) -> Result<T>) -> T {
    let bytes = words.map(u32::to_le_bytes);
    make(&mut Unstructured::new(bytes.as_flattened())).expect("what is missing is taken for zero")
}

fn words_shown(show: Show) -> impl Strategy<Value = Made> {
    any::<Words>().prop_map(move |words| Made { words, show: show.clone() })
}

/// Not generic, so it is compiled once.
fn run(cases: u32, shows: [Show; 2], len: Range<usize>, test: &dyn Fn(Words, &[Made])) {
    let [config, op] = shows.map(words_shown);
    let mut runner = TestRunner::new(effort::cases(cases));
    let run = runner.run(&(config, vec(op, len)), |(config, ops)| {
        test(config.words, &ops);
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}\n{runner}");
    }
}

/// Runs a test that many times, times the effort, each with a configuration and a list of operations.
pub(crate) fn run_with<C, T>(cases: u32, len: Range<usize>, test: impl Fn(C, &[T]))
where
    C: for<'a> Arbitrary<'a> + fmt::Debug,
    T: for<'a> Arbitrary<'a> + fmt::Debug + 'static,
{
    run_with_made(cases, len, |bytes| T::arbitrary(bytes), test);
}

/// The same, with a function that makes the operations, so that some can be more frequent than others.
pub(crate) fn run_with_made<C, T>(
    cases: u32,
    len: Range<usize>,
    make: fn(&mut Unstructured<'_>) -> Result<T>,
    test: impl Fn(C, &[T]),
) where
    C: for<'a> Arbitrary<'a> + fmt::Debug,
    T: fmt::Debug + 'static,
{
    let config = |words| from_words(words, |bytes| C::arbitrary(bytes));
    let shows: [Show; 2] = [
        Rc::new(move |words, f| fmt::Debug::fmt(&config(words), f)),
        Rc::new(move |words, f| fmt::Debug::fmt(&from_words(words, make), f)),
    ];
    run(cases, shows, len, &|words, made| {
        let ops: Vec<_> = made.iter().map(|made| from_words(made.words, make)).collect();
        test(config(words), &ops);
    });
}

/// A single operation as a strategy, to be combined with others.
pub(crate) fn made<T: for<'a> Arbitrary<'a> + fmt::Debug>() -> impl Strategy<Value = T> {
    any::<Words>().prop_map(|words| from_words(words, |bytes| T::arbitrary(bytes)))
}
