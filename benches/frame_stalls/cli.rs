//! The command line.

use std::env;

use clap::Parser;
use clap::builder::PossibleValuesParser;

use crate::containers::{self, Container};

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

    /// Frames a run
    #[arg(long, value_name = "N", default_value = "220", value_parser = positive)]
    frames: usize,

    /// Entities spawned in each frame
    #[arg(long, value_name = "N", default_value = "20000", value_parser = positive)]
    spawn: usize,

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
            repetitions: self.repetitions.unwrap_or(if self.quick { 1 } else { 3 }),
            paced: self.paced || !(self.fast || self.quick),
            budget_us: self.budget_us,
            containers: containers::ALL
                .iter()
                .filter(|container| {
                    self.only.is_empty() || self.only.iter().any(|id| id == container.id)
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
    pub(crate) repetitions: usize,
    pub(crate) paced: bool,
    pub(crate) budget_us: Option<u64>,
    pub(crate) containers: Vec<&'static Container>,
}

impl Plan {
    /// The command that does the same again.
    pub(crate) fn command(&self) -> String {
        let mut words = vec![
            "cargo bench --bench frame_stalls --".to_owned(),
            if self.paced { "--paced" } else { "--fast" }.to_owned(),
            format!("--frames {}", self.frames),
            format!("--spawn {}", self.spawn),
            format!("--repetitions {}", self.repetitions),
        ];
        words.extend(self.budget_us.map(|budget| format!("--budget-us {budget}")));
        if self.containers.len() < containers::ALL.len() {
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
    PossibleValuesParser::new(containers::ALL.iter().map(|container| container.id))
}
