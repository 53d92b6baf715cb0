//! The figures, and what they were measured on.

use bench_common::machine::{Contender, Machine};
use bench_common::plot::Shade;
use bench_common::spread::Spread;
use serde::Serialize;

use crate::bounds::{self, Bound};
use crate::case::Case;
use crate::cli::Plan;
use crate::containers::Container;
use crate::operation::Operation;
use crate::run::{Measured, Results};
use crate::stage::Sample;

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) machine: Machine,
    command: String,
    containers: Vec<Contender>,
    pub(crate) cases: Vec<CaseSummary>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CaseSummary {
    #[serde(flatten)]
    pub(crate) case: Case,
    pub(crate) title: String,
    /// Of those measured, in the order of the report.
    pub(crate) structures: Vec<Structure>,
    pub(crate) operations: Vec<OperationSummary>,
    pub(crate) bounds: Vec<Held>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Structure {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    #[serde(skip)]
    pub(crate) shade: Shade,
}

#[derive(Debug, Serialize)]
pub(crate) struct OperationSummary {
    pub(crate) operation: Operation,
    pub(crate) title: String,
    /// In the order of the structures; none where there is nothing that does it.
    pub(crate) figures: Vec<Option<Spread>>,
    /// Likewise, against the best of those that each is weighed against.
    pub(crate) ratios: Vec<Option<Ratio>>,
}

/// Its own figure over that of the best of others, by rounds.
#[derive(Debug, Serialize)]
pub(crate) struct Ratio {
    pub(crate) best: &'static str,
    pub(crate) best_name: &'static str,
    #[serde(flatten)]
    pub(crate) spread: Spread,
}

/// A bound, and what it is about.
#[derive(Debug, Serialize)]
pub(crate) struct Held {
    pub(crate) operation: Operation,
    pub(crate) own: &'static str,
    /// What the bound is about: the figure, or its ratio to that of the best of others.
    pub(crate) value: f64,
    pub(crate) best: Option<&'static str>,
    pub(crate) most: f64,
    pub(crate) holds: bool,
}

impl Summary {
    pub(crate) fn new(plan: &Plan, results: &[Results]) -> Self {
        let mut containers: Vec<&Container> = Vec::new();
        for measured in results.iter().flat_map(|results| &results.measured) {
            if !containers.iter().any(|one| one.id == measured.container.id) {
                containers.push(measured.container);
            }
        }
        let packages = containers.iter().flat_map(|container| container.packages);
        let machine = Machine::with(env!("CARGO_PKG_NAME"), packages.copied());
        let containers = containers.iter().map(|container| Contender {
            id: container.id,
            version: machine.versions_of(container.packages),
            settings: container.settings,
        });
        Self {
            command: plan.command.clone(),
            containers: containers.collect(),
            cases: results.iter().map(CaseSummary::new).collect(),
            machine,
        }
    }
}

impl CaseSummary {
    fn new(results: &Results) -> Self {
        let Results { case, measured } = results;
        let structure = |one: &Measured| {
            let &Container { id, name, shade, .. } = one.container;
            Structure { id, name, shade }
        };
        let operations = Operation::of(case.group).iter();
        let operations = operations.map(|&one| OperationSummary::new(measured, one));
        let bounds = bounds::ALL.iter().filter(|bound| bound.is_for(*case));
        Self {
            case: *case,
            title: case.to_string(),
            structures: measured.iter().map(structure).collect(),
            operations: operations.filter(OperationSummary::is_something).collect(),
            bounds: bounds.filter_map(|bound| held(bound, measured)).collect(),
        }
    }
}

impl OperationSummary {
    fn new(measured: &[Measured], operation: Operation) -> Self {
        Self {
            operation,
            title: operation.title(),
            figures: measured.iter().map(|one| spread(one, operation)).collect(),
            ratios: measured
                .iter()
                .map(|one| ratio(one, one.container.rivals, measured, operation))
                .collect(),
        }
    }

    fn is_something(&self) -> bool {
        self.figures.iter().any(Option::is_some)
    }
}

fn held(bound: &Bound, measured: &[Measured]) -> Option<Held> {
    let &Bound { operation, own, rivals, most, .. } = bound;
    let one = measured.iter().find(|one| one.container.id == own)?;
    let (value, best) = if rivals.is_empty() {
        (spread(one, operation)?.median, None)
    } else {
        let ratio = ratio(one, rivals, measured, operation)?;
        (ratio.spread.median, Some(ratio.best_name))
    };
    let own = one.container.name;
    Some(Held { operation, own, value, best, most, holds: value <= most })
}

/// Of all samples, in the operation's unit.
fn spread(measured: &Measured, operation: Operation) -> Option<Spread> {
    let samples = measured.rounds.iter().flatten();
    some_spread(figures(samples, operation))
}

fn ratio(
    own: &Measured,
    rivals: &[&str],
    measured: &[Measured],
    operation: Operation,
) -> Option<Ratio> {
    let best = measured
        .iter()
        .filter(|one| rivals.contains(&one.container.id))
        .filter_map(|rival| Some((rival, spread(rival, operation)?.median)))
        .min_by(|(_, one), (_, other)| one.total_cmp(other))
        .map(|(rival, _)| rival)?;
    let rounds = own.rounds.iter().zip(&best.rounds);
    let median = |round: &[Sample]| Some(some_spread(figures(round, operation))?.median);
    let ratios = rounds.filter_map(|(own, best)| Some(median(own)? / median(best)?));
    let spread = some_spread(ratios.collect())?;
    Some(Ratio { best: best.container.id, best_name: best.container.name, spread })
}

fn figures<'s>(samples: impl IntoIterator<Item = &'s Sample>, operation: Operation) -> Vec<f64> {
    let samples = samples.into_iter().filter(|sample| sample.operation == operation);
    samples.map(|sample| sample.value / operation.unit()).collect()
}

fn some_spread(figures: Vec<f64>) -> Option<Spread> {
    (!figures.is_empty()).then(|| Spread::of(figures))
}
