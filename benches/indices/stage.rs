//! What all stages have in common: a structure brought into the state that an operation needs, and then
//! timed.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use stayput::{HugePages, VmVec};

use crate::operation::Operation;

/// A stage of any structure. Each call is a whole operation, so that going through a table of
/// functions does not show.
pub(crate) trait Perform {
    /// Whether the structure can do it.
    fn can(&self, operation: Operation) -> bool;

    /// Does what has to be done before the operation, and times it.
    fn perform(&mut self, operation: Operation) -> Vec<Sample>;
}

/// A measurement.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) operation: Operation,
    /// Nanoseconds, or bytes, of each.
    pub(crate) value: f64,
    /// How often it was done.
    pub(crate) count: usize,
    /// What was read, or found: the same for all structures.
    pub(crate) checksum: u64,
}

impl Sample {
    /// Of what took so long in all.
    pub(crate) fn new(operation: Operation, time: Duration, count: usize, checksum: u64) -> Self {
        let value = nanoseconds(time) / as_f64(count.max(1));
        Self { operation, value, count, checksum }
    }

    /// Of what became resident for so many rows; `None` where the system doesn't tell.
    pub(crate) fn bytes(before: Option<u64>, after: Option<u64>, rows: usize) -> Option<Self> {
        let bytes = usize::try_from(after?.saturating_sub(before?)).ok()?;
        let value = as_f64(bytes) / as_f64(rows);
        Some(Self { operation: Operation::Bytes, value, count: rows, checksum: 0 })
    }
}

#[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn as_f64(count: usize) -> f64 {
    count as f64
}

/// All that is measured goes through here, and nothing else does: what is counted is what is executed by it.
/// Never inlined, so that it has a name.
#[inline(never)]
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let done = black_box(work());
    (start.elapsed(), done)
}

/// Something for each row, in huge pages, so that what the measurement itself remembers takes little of the
/// processor's memory of addresses.
pub(crate) type List<T> = VmVec<T>;

/// A list with every page touched.
pub(crate) fn list<T>(values: impl IntoIterator<Item = T>) -> List<T> {
    let mut list = List::builder().huge_pages(HugePages::Always).build();
    list.extend(values);
    list
}

/// A number of 32 bits, which all are.
pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("no more rows are asked for")
}
