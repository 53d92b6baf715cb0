//! What was seen, in a sentence a scenario.

use crate::containers;
use crate::plots::time;
use crate::scenario::Subject;
use crate::stats::{Row, micros};
use crate::summary::{ScenarioSummary, Summary};

/// What the project has set itself: how many times as long as the worst frame of another a
/// container's may be, or has to be.
struct Bound {
    id: &'static str,
    other: &'static str,
    times: Times,
}

#[derive(Clone, Copy)]
enum Times {
    AtMost(f64),
    AtLeast(f64),
}

const BOUNDS: [Bound; 4] = [
    Bound { id: "block-vec", other: "vmvec-small", times: Times::AtMost(1.0) },
    Bound { id: "table-ahead", other: "table-warm", times: Times::AtMost(1.5) },
    Bound { id: "shared-ahead", other: "shared-warm", times: Times::AtMost(1.5) },
    Bound { id: "mutex-vec-mimalloc", other: "shared-ahead", times: Times::AtLeast(10.0) },
];

/// By their names, of the scenarios in which several of the containers were measured that overviews show.
pub(crate) fn all(summary: &Summary) -> impl Iterator<Item = (&'static str, String)> {
    let verdict =
        |scenario: &ScenarioSummary| Some((scenario.name, sentence(scenario, summary.budget_us)?));
    summary.scenarios.iter().filter_map(verdict)
}

/// Names how many frames were late, and the worst, of each; or what frames took, where they are made of
/// steps or are a table's, and take what they take without growth, too.
fn sentence(scenario: &ScenarioSummary, budget_us: Option<u64>) -> Option<String> {
    let shown = scenario.containers.iter().filter_map(|row| {
        containers::find(row.id).filter(|container| container.headline).map(|one| (row, one.limit))
    });
    let (limits, others): (Vec<_>, Vec<_>) = shown.partition(|(_, limit)| *limit);
    if limits.len() + others.len() < 2 {
        return None;
    }
    let late = |row: &Row| match row.over_budget.unwrap_or(row.over_1ms) {
        0 => "none".to_owned(),
        frames => frames.to_string(),
    };
    let takes_its_time = |row: &Row| row.steps.is_some() || scenario.subject == Subject::Tables;
    let budget = time(budget_us.map_or(1000.0, |us| micros(us * 1000)));
    let mut parts = Vec::new();
    for (row, is_limit) in others.into_iter().chain(limits) {
        let name = if is_limit { "the limit, warm memory," } else { row.name };
        let (late, worst) = (late(row), time(row.worst_us));
        if takes_its_time(row) && row.over_budget.is_none() {
            let mean = time(row.mean_us);
            parts.push(match parts.len() {
                0 => format!("{name} took a mean of {mean} a frame (worst {worst})"),
                _ => format!("{name} {mean} ({worst})"),
            });
            continue;
        }
        parts.push(match parts.len() {
            // What the figures are is said with the first.
            0 => format!(
                "{name} was late (over {budget}) in {late} of {} frames (worst {worst})",
                scenario.script.frames
            ),
            _ => format!("{name} in {late} ({worst})"),
        });
    }
    let bounds = BOUNDS.iter().filter_map(|bound| bounded(scenario, bound));
    Some(parts.join("; ") + "." + &bounds.collect::<String>())
}

/// Whether the bound is kept; `None` where not both were measured.
fn bounded(scenario: &ScenarioSummary, bound: &Bound) -> Option<String> {
    let row = |id| scenario.containers.iter().find(|row| row.id == id);
    let (row, other) = (row(bound.id)?, row(bound.other)?);
    let ratio = row.worst_us / other.worst_us;
    let kept = match bound.times {
        Times::AtMost(most) if ratio <= most => format!("within the bound of {most}"),
        Times::AtMost(most) => format!("above the bound of {most}"),
        Times::AtLeast(least) if ratio >= least => format!("at least {least}, as it should be"),
        Times::AtLeast(least) => format!("below {least}, which it should be"),
    };
    let decimals = if ratio < 10.0 { 2 } else { 0 };
    Some(format!(
        " The worst frame of {} is {ratio:.decimals$} times that of {}: {kept}.",
        row.name, other.name
    ))
}
