//! The command line.

use std::env;

use clap::Parser;
use clap::builder::PossibleValuesParser;

use crate::containers::{self, Container};
use crate::scenario::Scenario;

/// Frame stalls: what growing an array costs a game loop, container by container.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench frame_stalls --")]
pub(crate) struct Options {
    /// A look in under 30 seconds: not paced, and one repetition
    #[arg(long)]
    quick: bool,

    /// Run frames back to back instead of at 60 Hz
    #[arg(long, conflicts_with = "paced")]
    fast: bool,

    /// Start frames at 60 Hz (the default, except with --quick)
    #[arg(long)]
    paced: bool,

    /// What happens in a frame [default: all]
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = scenario_ids())]
    scenario: Vec<String>,

    /// Frames a run
    #[arg(long, value_name = "N", default_value = "220", value_parser = positive)]
    frames: usize,

    /// Entities spawned in each frame (steady)
    #[arg(long, value_name = "N", default_value = "20000", value_parser = positive)]
    spawn: usize,

    /// Entities in the end; about a tenth of them are there before the first frame (churn)
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = positive)]
    population: usize,

    /// Entities removed in each frame; as many are spawned beside those that the population grows
    /// by (churn)
    #[arg(long, value_name = "N", default_value = "5000", value_parser = positive)]
    churn: usize,

    /// How often each container is measured [default: 3; with --quick: 1]
    #[arg(long, value_name = "N", value_parser = positive)]
    repetitions: Option<usize>,

    /// Count frames over this budget too, beside those over 1 ms and 16.6 ms
    #[arg(long, value_name = "US")]
    budget_us: Option<u64>,

    /// Measure these containers only
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = container_ids())]
    only: Vec<String>,

    /// Print the summary as JSON instead of the table
    #[arg(long)]
    pub(crate) json: bool,
}

impl Options {
    /// From the command line, less the flag that cargo adds.
    pub(crate) fn from_args() -> Self {
        Self::parse_from(env::args_os().filter(|arg| arg != "--bench"))
    }

    pub(crate) fn plan(&self) -> Plan {
        Plan {
            frames: self.frames,
            spawn: self.spawn,
            population: self.population,
            churn: self.churn,
            repetitions: self.repetitions.unwrap_or(if self.quick { 1 } else { 3 }),
            paced: self.paced || !(self.fast || self.quick),
            budget_us: self.budget_us,
            containers: containers::all()
                .filter(|container| {
                    named(&self.only, container.id)
                        && named(&self.scenario, container.scenario.id())
                })
                .collect(),
        }
    }
}

/// What is to be measured, every choice made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) frames: usize,
    pub(crate) spawn: usize,
    pub(crate) population: usize,
    pub(crate) churn: usize,
    pub(crate) repetitions: usize,
    pub(crate) paced: bool,
    pub(crate) budget_us: Option<u64>,
    pub(crate) containers: Vec<&'static Container>,
}

/// What a scenario does in how many frames.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) frames: usize,
    /// Entities there before the first frame.
    pub(crate) start: usize,
    /// Entities that each frame spawns and removes.
    pub(crate) spawn: usize,
    pub(crate) remove: usize,
}

impl Plan {
    pub(crate) fn extent(&self, scenario: Scenario) -> Extent {
        let frames = self.frames;
        match scenario {
            Scenario::SteadySpawn => Extent { frames, start: 0, spawn: self.spawn, remove: 0 },
            Scenario::Churn => {
                let growth = self.population / 10 * 9 / frames;
                let start = self.population - growth * frames;
                let remove = self.churn.min(start);
                Extent { frames, start, spawn: remove + growth, remove }
            }
        }
    }

    /// Those that have containers to be measured.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = Scenario> {
        let wanted = |&scenario: &Scenario| self.of(scenario).next().is_some();
        Scenario::ALL.into_iter().filter(wanted)
    }

    /// The containers of a scenario.
    pub(crate) fn of(&self, scenario: Scenario) -> impl Iterator<Item = &'static Container> {
        self.containers.iter().copied().filter(move |container| container.scenario == scenario)
    }

    /// The command that does the same again.
    pub(crate) fn command(&self) -> String {
        let mut words = vec![
            "cargo bench --bench frame_stalls --".to_owned(),
            if self.paced { "--paced" } else { "--fast" }.to_owned(),
            format!("--frames {}", self.frames),
            format!("--spawn {}", self.spawn),
            format!("--population {}", self.population),
            format!("--churn {}", self.churn),
            format!("--repetitions {}", self.repetitions),
        ];
        words.extend(self.budget_us.map(|budget| format!("--budget-us {budget}")));
        if self.containers.len() < containers::all().count() {
            words.push("--only".to_owned());
            words.extend(self.containers.iter().map(|container| container.id.to_owned()));
        }
        words.join(" ")
    }
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(error) => Err(format!("{error}")),
    }
}

fn container_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(containers::all().map(|container| container.id))
}

fn scenario_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(Scenario::ALL.map(Scenario::id))
}

/// Whether it is among those named; all are if none is.
fn named(names: &[String], id: &str) -> bool {
    names.is_empty() || names.iter().any(|name| name == id)
}
