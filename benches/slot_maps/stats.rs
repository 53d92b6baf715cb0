//! From samples to figures.

use bench_common::small::structures;
use serde::Serialize;

use crate::child::Outcome;
use crate::operation::Operation;
use crate::run::{Measured, Results};

/// Median and quartiles over the repetitions, per single operation.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Spread {
    pub(crate) ns_per_op_p25: f64,
    pub(crate) ns_per_op_p50: f64,
    pub(crate) ns_per_op_p75: f64,
    pub(crate) samples: usize,
}

/// Of one container and operation; `None` if the container lacks it.
pub(crate) fn spread(
    results: &Results,
    measured: &Measured,
    operation: Operation,
) -> Option<Spread> {
    let count = as_f64(operation.count(results.case.slots));
    let times = measured.lives.iter().flat_map(|life| &life.times);
    let of_operation = times.filter(|time| time.operation == operation);
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
    let mut samples: Vec<f64> = of_operation.map(|time| time.ns as f64 / count).collect();
    let [low, median, high] = quartiles(&mut samples)?;
    Some(Spread {
        ns_per_op_p25: low,
        ns_per_op_p50: median,
        ns_per_op_p75: high,
        samples: samples.len(),
    })
}

/// How many times longer it took than stayput, of the same round: the quartiles over the rounds.
pub(crate) fn ratio_by_round(
    stayput: &Measured,
    other: &Measured,
    operation: Operation,
) -> Option<[f64; 3]> {
    let rounds = stayput.lives.iter().zip(&other.lives);
    let ratios = rounds
        .filter_map(|(own, other)| Some(of_life(other, operation)? / of_life(own, operation)?));
    quartiles(&mut ratios.collect::<Vec<f64>>())
}

/// The time of an operation: the median, where it was done several times.
fn of_life(life: &Outcome, operation: Operation) -> Option<f64> {
    let times = life.times.iter().filter(|time| time.operation == operation);
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
    let mut times: Vec<f64> = times.map(|time| time.ns as f64).collect();
    Some(quartiles(&mut times)?[1])
}

/// The quartiles; between two values where they fall between two.
fn quartiles(values: &mut [f64]) -> Option<[f64; 3]> {
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    Some([1, 2, 3].map(|quarter| {
        let (below, above) = (values[last * quarter / 4], values[(last * quarter).div_ceil(4)]);
        let share = [0.0, 0.25, 0.5, 0.75][last * quarter % 4];
        below + (above - below) * share
    }))
}

/// Resident bytes of the full map for each of its values: the median over the repetitions.
pub(crate) fn resident_bytes_per_value(results: &Results, measured: &Measured) -> Option<f64> {
    let mut bytes: Vec<u64> =
        measured.lives.iter().filter_map(|life| life.resident_bytes).collect();
    bytes.sort_unstable();
    #[expect(clippy::cast_precision_loss, reason = "2^53 bytes are out of reach")]
    let median = *bytes.get(bytes.len() / 2)? as f64;
    let slots = results.case.slots;
    Some(median / as_f64(slots * structures(slots)))
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
