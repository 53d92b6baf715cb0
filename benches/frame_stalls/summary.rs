//! `summary.json`: the figures, and what they were measured on.

use serde::Serialize;

use crate::cli::{Extent, Plan};
use crate::entity::Entity;
use crate::machine::Machine;
use crate::stats::{Measured, Results, Row};

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) machine: Machine,
    /// Does the same again.
    pub(crate) command: String,
    pub(crate) frames: usize,
    pub(crate) entity_bytes: usize,
    pub(crate) paced: bool,
    pub(crate) budget_us: Option<u64>,
    pub(crate) scenarios: Vec<ScenarioSummary>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ScenarioSummary {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    /// What is done, in a sentence.
    pub(crate) description: String,
    pub(crate) entities_at_start: usize,
    pub(crate) spawn_per_frame: usize,
    pub(crate) remove_per_frame: usize,
    pub(crate) containers: Vec<Row>,
}

impl Summary {
    pub(crate) fn new(plan: &Plan, results: &[Results]) -> Self {
        let packages = plan.containers.iter().flat_map(|container| container.packages);
        let machine = Machine::with(packages.copied());
        let row = |measured: &Measured| {
            let version = machine.versions_of(measured.container.packages);
            Row::new(measured, version, plan.budget_us)
        };
        let scenarios = results
            .iter()
            .map(|results| {
                let extent = plan.extent(results.scenario);
                ScenarioSummary {
                    id: results.scenario.id(),
                    name: results.scenario.name(),
                    description: description(plan, extent),
                    entities_at_start: extent.start,
                    spawn_per_frame: extent.spawn,
                    remove_per_frame: extent.remove,
                    containers: results.measured.iter().map(row).collect(),
                }
            })
            .collect();
        Self {
            command: plan.command(),
            frames: plan.frames,
            entity_bytes: size_of::<Entity>(),
            paced: plan.paced,
            budget_us: plan.budget_us,
            scenarios,
            machine,
        }
    }
}

fn description(plan: &Plan, extent: Extent) -> String {
    let Extent { frames, start, spawn, remove } = extent;
    let pace = if plan.paced { " at 60 Hz" } else { ", back to back" };
    let bytes = size_of::<Entity>();
    let most = start + frames * (spawn - remove);
    let mebibytes = (most * bytes) >> 20;
    if remove == 0 {
        return format!(
            "{frames} frames{pace}, each spawning {spawn} entities of {bytes} bytes: {mebibytes} MiB \
             in the end."
        );
    }
    format!(
        "{frames} frames{pace}, each removing {remove} of {start} and more entities of {bytes} bytes \
         at random and spawning {spawn}: {most} entities and {mebibytes} MiB in the end."
    )
}
