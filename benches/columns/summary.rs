//! The figures, and what they were measured on.

use bench_common::machine::{Contender, Machine};
use bench_common::spread::Spread;
use serde::Serialize;

use crate::aliasing;
use crate::cli::Plan;
use crate::containers::Kind;
use crate::operation::Operation;
use crate::run::{Measured, Results};

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) machine: Machine,
    command: String,
    containers: Vec<Contender>,
    pub(crate) cases: Vec<CaseSummary>,
    pub(crate) aliasing: Vec<aliasing::Row>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CaseSummary {
    pub(crate) rows: usize,
    /// Of those measured, in the order of the report.
    pub(crate) names: Vec<&'static str>,
    pub(crate) operations: Vec<OperationSummary>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OperationSummary {
    pub(crate) operation: Operation,
    /// In the order of the names; none where there is nothing that does it.
    pub(crate) figures: Vec<Option<Spread>>,
    pub(crate) best_peer: Option<&'static str>,
    /// The best peer's time over that of `Columns`, by rounds.
    pub(crate) best_peer_ratio: Option<Spread>,
}

impl Summary {
    pub(crate) fn new(plan: &Plan, results: &[Results], aliasing: Vec<aliasing::Row>) -> Self {
        let packages = plan.containers.iter().flat_map(|container| container.packages);
        let machine = Machine::with(env!("CARGO_PKG_NAME"), packages.copied());
        let containers = plan.containers.iter().map(|container| Contender {
            id: container.id,
            version: machine.versions_of(container.packages),
            settings: container.settings,
        });
        Self {
            command: plan.command.clone(),
            containers: containers.collect(),
            cases: results.iter().map(CaseSummary::new).collect(),
            aliasing,
            machine,
        }
    }
}

impl CaseSummary {
    fn new(results: &Results) -> Self {
        let operations = results.operations.iter();
        Self {
            rows: results.rows,
            names: results.measured.iter().map(|measured| measured.container.name).collect(),
            operations: operations.map(|&one| OperationSummary::new(results, one)).collect(),
        }
    }
}

impl OperationSummary {
    fn new(results: &Results, operation: Operation) -> Self {
        let spread = |measured: &Measured| {
            let rounds = measured.rounds.iter();
            let samples = rounds.flatten().filter(|sample| sample.operation == operation);
            let figures: Vec<f64> =
                samples.map(|sample| operation.figure(results.rows, sample.ns)).collect();
            (!figures.is_empty()).then(|| Spread::of(figures))
        };
        let of_kind = |kind| {
            let measured = results.measured.iter();
            measured.filter(move |measured| measured.container.kind == kind)
        };
        let best = of_kind(Kind::Peer)
            .filter_map(|peer| Some((peer, spread(peer)?.median)))
            .min_by(|(_, one), (_, other)| one.total_cmp(other))
            .map(|(peer, _)| peer);
        let ratio = of_kind(Kind::Columns).next().zip(best).and_then(|(own, best)| {
            let rounds = own.rounds.iter().zip(&best.rounds);
            let ratios: Vec<f64> = rounds
                .filter_map(|(own, best)| {
                    let time = |samples: &[_]| median_of(samples, operation);
                    Some(time(best)? / time(own)?)
                })
                .collect();
            (!ratios.is_empty()).then(|| Spread::of(ratios))
        });
        Self {
            operation,
            figures: results.measured.iter().map(spread).collect(),
            best_peer: best.map(|best| best.container.name),
            best_peer_ratio: ratio,
        }
    }
}

/// The time of an operation in a round: the median, where it was measured several times.
fn median_of(samples: &[crate::stage::Sample], operation: Operation) -> Option<f64> {
    let samples = samples.iter().filter(|sample| sample.operation == operation);
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
    let times: Vec<f64> = samples.map(|sample| sample.ns as f64).collect();
    (!times.is_empty()).then(|| Spread::of(times).median)
}
