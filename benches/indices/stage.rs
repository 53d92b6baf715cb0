//! What all stages have in common.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_common::compare;

use crate::operation::Operation;

pub(crate) type Sample = compare::Sample<Operation>;

/// A stage of any structure.
pub(crate) type Stage = Box<dyn compare::Stage<Operation>>;

/// A row that is to be changed, by all that it is known by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<H> {
    pub(crate) slot: u32,
    pub(crate) handle: H,
}

/// All that is measured goes through here, and nothing else does: what is counted is what is executed by it.
/// Never inlined, so that it has a name.
#[inline(never)]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = black_box(work());
    (start.elapsed(), done)
}

/// A number of 32 bits, which all are.
pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("no more rows are asked for")
}
