//! `summary.json`: the figures, and what they were measured on.

use bench_common::machine::Machine;
use bench_common::numbers;
use serde::Serialize;

use crate::child::{Case, Outcome};
use crate::cli::Plan;
use crate::containers::{Container, Kind};
use crate::operation::Operation;
use crate::run::Results;
use crate::stats::{self, Spread};
use crate::{bars, containers};

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) machine: Machine,
    pub(crate) command: String,
    pub(crate) containers: Vec<ContainerSummary>,
    pub(crate) cases: Vec<CaseSummary>,
    pub(crate) live_ranges: Vec<LiveRange>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ContainerSummary {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) settings: &'static str,
    pub(crate) generations: bool,
    pub(crate) values_move: bool,
}

#[derive(Debug, Serialize)]
pub(crate) struct CaseSummary {
    #[serde(flatten)]
    pub(crate) case: Case,
    pub(crate) operations: Vec<OperationSummary>,
    pub(crate) memory: Vec<Memory>,
    pub(crate) resident_bytes_per_value_max: Option<f64>,
    /// The bandwidth of full iteration over that of walking a slice.
    pub(crate) walk_bandwidth: Option<f64>,
    pub(crate) walk_bandwidth_min: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct OperationSummary {
    pub(crate) operation: Operation,
    pub(crate) name: &'static str,
    /// How often it is done in a sample.
    pub(crate) count: usize,
    pub(crate) figures: Vec<Figure>,
    /// The quickest of those that keep values in their places.
    pub(crate) best_peer: Option<&'static str>,
    /// Its time over that of stayput.
    pub(crate) best_peer_ratio: Option<f64>,
    /// The same of the quickest that moves values.
    pub(crate) moving_peer_ratio: Option<f64>,
    /// The quickest of those that stayput is weighed against.
    pub(crate) rival: Option<Rival>,
    /// The same of the maps that move values: the quickest, of other crates, over that of stayput.
    pub(crate) moving_rival: Option<Rival>,
    pub(crate) ratio_min: Option<f64>,
    pub(crate) holds: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Rival {
    pub(crate) id: &'static str,
    /// Its time over that of stayput, by rounds.
    pub(crate) ratio_p25: f64,
    pub(crate) ratio_p50: f64,
    pub(crate) ratio_p75: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) id: &'static str,
    #[serde(flatten)]
    pub(crate) spread: Spread,
}

#[derive(Debug, Serialize)]
pub(crate) struct Memory {
    pub(crate) id: &'static str,
    pub(crate) resident_bytes_per_value: f64,
}

/// The highest place in use over the number of values.
#[derive(Debug, Serialize)]
pub(crate) struct LiveRange {
    pub(crate) id: &'static str,
    /// After every value was exchanged several times, half of the places being holes.
    pub(crate) churned: f64,
    /// When those are filled again.
    pub(crate) refilled: f64,
}

impl Summary {
    pub(crate) fn new(
        plan: &Plan,
        results: &[Results],
        ranges: &[(&'static Container, Outcome)],
    ) -> Self {
        let packages = plan.containers.iter().flat_map(|container| container.packages);
        let machine = Machine::with(env!("CARGO_PKG_NAME"), packages.copied());
        let containers = plan.containers.iter().map(|container| ContainerSummary {
            id: container.id,
            name: container.name,
            version: machine.versions_of(container.packages),
            settings: container.settings,
            generations: container.generations,
            values_move: matches!(container.kind, Kind::MovingPeer | Kind::StayputMoving),
        });
        let live_ranges = ranges.iter().filter_map(|(container, outcome)| {
            Some(LiveRange {
                id: container.id,
                churned: outcome.live_range_churned?,
                refilled: outcome.live_range_refilled?,
            })
        });
        Self {
            command: plan.command.clone(),
            containers: containers.collect(),
            cases: results.iter().map(CaseSummary::new).collect(),
            live_ranges: live_ranges.collect(),
            machine,
        }
    }
}

impl CaseSummary {
    fn new(results: &Results) -> Self {
        let case = results.case;
        let operations: Vec<OperationSummary> = Operation::ALL
            .iter()
            .map(|&operation| OperationSummary::new(results, operation))
            .collect();
        let memory = results.measured.iter().filter_map(|measured| {
            let resident_bytes_per_value = stats::resident_bytes_per_value(results, measured)?;
            Some(Memory { id: measured.container.id, resident_bytes_per_value })
        });
        let walk = operations.iter().find(|one| one.operation == Operation::Iterate);
        Self {
            case,
            memory: memory.collect(),
            resident_bytes_per_value_max: bars::resident_bytes_per_value(case),
            walk_bandwidth: walk.and_then(|walk| walk_bandwidth(case, walk)),
            walk_bandwidth_min: bars::walk_bandwidth(case),
            operations,
        }
    }

    pub(crate) fn title(&self) -> String {
        let Case { value_bytes, slots } = self.case;
        format!("{} slots, values of {value_bytes} bytes", numbers::text(slots))
    }
}

/// Bytes walked over in the time: of the map its slots, each a value and a generation.
fn walk_bandwidth(case: Case, walk: &OperationSummary) -> Option<f64> {
    let align = if case.value_bytes % 8 == 0 { 8 } else { 4 };
    let slot_bytes = (case.value_bytes + 4).next_multiple_of(align);
    let per_byte = |kind, bytes: usize| {
        let bytes = f64::from(u32::try_from(bytes).ok()?);
        Some(walk.of_kind(kind).next()?.spread.ns_per_op_p50 / bytes)
    };
    Some(per_byte(Kind::Limit, case.value_bytes)? / per_byte(Kind::Stayput, slot_bytes)?)
}

impl OperationSummary {
    fn new(results: &Results, operation: Operation) -> Self {
        let figures = results.measured.iter().filter_map(|measured| {
            let spread = stats::spread(results, measured, operation)?;
            Some(Figure { id: measured.container.id, spread })
        });
        let mut summary = Self {
            operation,
            name: operation.name(),
            count: operation.count(results.case.slots),
            figures: figures.collect(),
            best_peer: None,
            best_peer_ratio: None,
            moving_peer_ratio: None,
            rival: None,
            moving_rival: None,
            ratio_min: bars::of(results.case, operation),
            holds: None,
        };
        let best = summary.best(Kind::Peer);
        let best_peer_ratio = best.and_then(|best| summary.ratio(best));
        let moving_peer_ratio = summary.best(Kind::MovingPeer).and_then(|best| summary.ratio(best));
        summary.best_peer = best.map(|best| best.id);
        summary.best_peer_ratio = best_peer_ratio;
        summary.moving_peer_ratio = moving_peer_ratio;
        let is_rival = |figure: &&Figure| containers::RIVALS.contains(&figure.id);
        let rival = quickest(summary.figures.iter().filter(is_rival));
        summary.rival = summary.against(rival, Kind::Stayput, results);
        let moving = summary.best(Kind::MovingPeer);
        summary.moving_rival = summary.against(moving, Kind::StayputMoving, results);
        let moving = moving_peer_ratio.filter(|_| bars::is_for_moving_peers_too(operation));
        summary.holds = best_peer_ratio
            .zip(summary.ratio_min)
            .map(|(ratio, min)| ratio.min(moving.unwrap_or(f64::INFINITY)) >= min);
        summary
    }

    fn best(&self, kind: Kind) -> Option<&Figure> {
        quickest(self.of_kind(kind))
    }

    /// That one against the first of a kind.
    fn against(&self, best: Option<&Figure>, own: Kind, results: &Results) -> Option<Rival> {
        let (best, own) = (best?, self.of_kind(own).next()?);
        let measured = |id| results.measured.iter().find(|one| one.container.id == id);
        let [ratio_p25, ratio_p50, ratio_p75] =
            stats::ratio_by_round(measured(own.id)?, measured(best.id)?, self.operation)?;
        Some(Rival { id: best.id, ratio_p25, ratio_p50, ratio_p75 })
    }

    /// Its time over that of stayput.
    fn ratio(&self, figure: &Figure) -> Option<f64> {
        let own = self.of_kind(Kind::Stayput).next()?;
        Some(figure.spread.ns_per_op_p50 / own.spread.ns_per_op_p50)
    }

    pub(crate) fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Figure> {
        self.figures.iter().filter(move |figure| {
            containers::find(figure.id).is_some_and(|container| container.kind == kind)
        })
    }
}

fn quickest<'a>(figures: impl Iterator<Item = &'a Figure>) -> Option<&'a Figure> {
    figures.min_by(|a, b| f64::total_cmp(&a.spread.ns_per_op_p50, &b.spread.ns_per_op_p50))
}
