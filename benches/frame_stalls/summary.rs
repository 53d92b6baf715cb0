//! `summary.json`: the figures, and what they were measured on.

use bench_common::harness;
use bench_common::machine::Machine;
use serde::Serialize;

use crate::entity::Entity;
use crate::plan::Plan;
use crate::scenario::{Script, Subject};
use crate::stats::{Measured, Results, Row};

#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) machine: Machine,
    /// Does the same again.
    pub(crate) command: String,
    pub(crate) entity_bytes: usize,
    /// From the start of a frame to that of the next; 0 if they follow each other at once.
    pub(crate) period_us: u64,
    pub(crate) budget_us: Option<u64>,
    pub(crate) scenarios: Vec<ScenarioSummary>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ScenarioSummary {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    #[serde(skip)]
    pub(crate) subject: Subject,
    /// What is done, for people and by numbers.
    pub(crate) description: String,
    pub(crate) script: Script,
    pub(crate) containers: Vec<Row>,
}

impl Summary {
    pub(crate) fn new(plan: &Plan, results: &[Results]) -> Self {
        let packages = plan.containers.iter().flat_map(|container| container.packages);
        let machine = Machine::with(env!("CARGO_PKG_NAME"), packages.copied());
        let row = |measured: &Measured| {
            let version = machine.versions_of(measured.container.packages);
            Row::new(measured, version, plan.budget_us)
        };
        let scenarios = results
            .iter()
            .map(|results| {
                let script = plan.script(results.scenario);
                ScenarioSummary {
                    id: results.scenario.id(),
                    name: results.scenario.name(),
                    subject: results.scenario.subject(),
                    description: results.scenario.description(&script, plan.period_us),
                    script,
                    containers: results.measured.iter().map(row).collect(),
                }
            })
            .collect();
        Self {
            command: harness::command("frame_stalls"),
            entity_bytes: size_of::<Entity>(),
            period_us: plan.period_us,
            budget_us: plan.budget_us,
            scenarios,
            machine,
        }
    }
}
