//! `summary.json`: the figures, and the machine and versions that they were measured with.

use bench_common::machine::Machine;
use serde::Serialize;

use crate::entity::Entity;
use crate::scenario::{Script, Subject};
use crate::stats::{Measured, Results, Row, Run};

#[derive(Debug, Serialize)]
pub(crate) struct Summary<'a> {
    pub(crate) machine: &'a Machine,
    pub(crate) command: &'a str,
    pub(crate) entity_bytes: usize,
    pub(crate) period_us: u64,
    pub(crate) scenarios: Vec<ScenarioSummary<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct ScenarioSummary<'a> {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    #[serde(skip)]
    pub(crate) subject: Subject,
    /// The work of a frame, in words and in numbers.
    pub(crate) description: String,
    pub(crate) script: &'a Script,
    /// The time after which a frame is late.
    pub(crate) budget_us: u64,
    pub(crate) containers: Vec<Row>,
}

impl<'a> Summary<'a> {
    pub(crate) fn new(run: &'a Run) -> Self {
        let Run { machine, command, period_us, budget_us, results } = run;
        let scenario = |Results { scenario, script, measured }: &'a Results| {
            let budget_us = budget_us.unwrap_or(scenario.budget_us());
            let row = |measured: &Measured| {
                Row::new(measured, machine.versions_of(measured.container.packages), budget_us)
            };
            ScenarioSummary {
                id: scenario.id(),
                name: scenario.name(),
                subject: scenario.subject(),
                description: scenario.description(script, *period_us),
                script,
                budget_us,
                containers: measured.iter().map(row).collect(),
            }
        };
        let scenarios = results.iter().map(scenario).collect();
        let entity_bytes = size_of::<Entity>();
        Self { machine, command, entity_bytes, period_us: *period_us, scenarios }
    }
}

impl ScenarioSummary<'_> {
    pub(crate) fn row(&self, id: &str) -> Option<&Row> {
        self.containers.iter().find(|row| row.id == id)
    }
}
