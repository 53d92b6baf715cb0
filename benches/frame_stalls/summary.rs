//! `summary.json`: the figures, and what they were measured on.

use serde::Serialize;

use crate::cli::Plan;
use crate::containers;
use crate::entity::Entity;
use crate::machine::Machine;
use crate::stats::{Measured, Results, Row};

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) machine: Machine,
    /// Does the same again.
    pub(crate) command: String,
    pub(crate) frames: usize,
    pub(crate) spawn_per_frame: usize,
    pub(crate) entity_bytes: usize,
    pub(crate) paced: bool,
    pub(crate) budget_us: Option<u64>,
    pub(crate) scenarios: Vec<ScenarioSummary>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ScenarioSummary {
    pub(crate) name: &'static str,
    pub(crate) containers: Vec<Row>,
}

impl Summary {
    pub(crate) fn new(plan: &Plan, results: &[Results]) -> Self {
        let packages = containers::ALL.iter().flat_map(|container| container.packages);
        let machine = Machine::with(packages.copied());
        let row = |measured: &Measured| {
            let version = machine.versions_of(measured.container.packages);
            Row::new(measured, version, plan.budget_us)
        };
        let scenarios = results
            .iter()
            .map(|results| ScenarioSummary {
                name: results.scenario.name(),
                containers: results.measured.iter().map(row).collect(),
            })
            .collect();
        Self {
            command: plan.command(),
            frames: plan.frames,
            spawn_per_frame: plan.spawn,
            entity_bytes: size_of::<Entity>(),
            paced: plan.paced,
            budget_us: plan.budget_us,
            scenarios,
            machine,
        }
    }

    /// What was done, in a sentence.
    pub(crate) fn description(&self) -> String {
        format!(
            "{} frames{}, each spawning {} entities of {} bytes: {} MiB in the end.",
            self.frames,
            if self.paced { " at 60 Hz" } else { ", back to back" },
            self.spawn_per_frame,
            self.entity_bytes,
            (self.frames * self.spawn_per_frame * self.entity_bytes) >> 20,
        )
    }
}
