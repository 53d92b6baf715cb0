//! What all stages share.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bench_common::compare;

use crate::operation::Operation;

pub(crate) type Sample = compare::Sample<Operation>;

/// A stage of any structure.
pub(crate) type Stage = Box<dyn compare::Stage<Operation>>;

/// A row to change, with everything that can identify it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<H> {
    pub(crate) slot: u32,
    pub(crate) handle: H,
}

/// All timed work goes through this function, and nothing else does, so that callgrind can count it by its
/// name. Never inlined for the same reason.
#[inline(never)]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = black_box(work());
    (start.elapsed(), done)
}

/// Converts to 32 bits, which all numbers fit into.
pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("rows are limited")
}
