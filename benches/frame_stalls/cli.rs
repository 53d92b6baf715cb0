//! The command line.

use bench_common::harness::{Common, wanted};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser};

use crate::child::Host;
use crate::containers;
use crate::plan::{Plan, Sizes};
use crate::scenario::Scenario;

/// Short, so that memory touched before a run is still at hand at its end (see `benches/README.md`), and long
/// enough for a thread that works ahead.
const PERIOD_US: u64 = 3000;

const FRAME_60_HZ_US: u64 = 16_667;

/// Frame stalls: what growing an array, or a table, costs a game loop, container by container
///
/// Without options: steady spawning and the churn of maps, with the containers of the overview, three
/// repetitions, in under a minute.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench frame_stalls --")]
#[command(mut_arg("quick", |arg| arg.conflicts_with("full").help("A smoke run: all scenarios, 100 frames, one repetition, and the containers of the overview")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: 3; with --quick: 1]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// All scenarios and all containers, pushes timed as often as frames, in about twenty minutes
    #[arg(long)]
    full: bool,

    #[command(flatten)]
    pace: Pace,

    /// Make the host take memory back before each run: touch up to 16 GiB, free it, and wait 20 seconds. Pushes are not
    /// timed
    #[arg(long, conflicts_with_all = ["again", "readme"])]
    cold_host: bool,

    /// The work of a frame [default: steady and churn; with --full, --quick or --only: all]
    #[arg(long, value_name = "NAME", num_args = 1..)]
    scenario: Vec<Scenario>,

    /// Frames of a run, except for table [default: 220; with --quick: 100]
    #[arg(long, value_name = "N", value_parser = positive)]
    frames: Option<usize>,

    /// Rows in the end, which determine the number of frames (table) [default: 8000000; with --quick: 500000]
    #[arg(long, value_name = "N", value_parser = positive)]
    rows: Option<usize>,

    #[command(flatten)]
    sizes: Sizes,

    /// Frames that take longer are late [default: 1000; in ecs and table: 16600]
    #[arg(long, value_name = "US")]
    budget_us: Option<u64>,

    #[command(flatten)]
    pub(crate) output: Output,

    /// Measure only these containers [default: those of the overview; with --full: all]
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = container_ids())]
    only: Vec<String>,
}

/// When frames start.
#[derive(Debug, Args)]
struct Pace {
    /// Start a frame every US microseconds; back to back if 0
    #[arg(long, value_name = "US", default_value_t = PERIOD_US)]
    period_us: u64,

    /// Short for --period-us 0; no thread can work ahead then
    #[arg(long, conflicts_with_all = ["paced", "period_us"])]
    fast: bool,

    /// Short for --period-us 16667, which is 60 Hz
    #[arg(long, conflicts_with = "period_us")]
    paced: bool,
}

impl Pace {
    /// The time from the start of a frame to the start of the next; zero if they run back to back.
    fn us(&self) -> u64 {
        match (self.fast, self.paced) {
            (true, _) => 0,
            (_, true) => FRAME_60_HZ_US,
            _ => self.period_us,
        }
    }
}

/// What is written, and from which results.
#[derive(Debug, Args)]
pub(crate) struct Output {
    /// Write the report of the last run's results again, without measuring
    #[arg(long, conflicts_with_all = ["full", "quick", "only", "scenario"])]
    pub(crate) again: bool,

    /// Also write the run's picture and its table of worst frames into README.md and docs
    #[arg(long, conflicts_with = "quick")]
    pub(crate) readme: bool,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let (frames, rows) = self.common.of((220, 8_000_000), (100, 500_000));
        let repetitions = self.common.repetitions(3, 1);
        let everywhere = self.full || self.common.quick || !self.only.is_empty();
        Plan {
            frames: self.frames.unwrap_or(frames),
            sizes: self.sizes.clone(),
            rows: self.rows.unwrap_or(rows),
            repetitions,
            push_repetitions: match () {
                () if self.full => repetitions,
                // They would not be of a cold host, or take another minute each.
                () if self.cold_host => 0,
                () => 1,
            },
            period_us: self.pace.us(),
            budget_us: self.budget_us,
            host: if self.cold_host { Host::Cold } else { Host::Warm },
            scenarios: match self.scenario.as_slice() {
                [] if !everywhere => Scenario::FIRST.into(),
                named => wanted(named),
            },
            containers: containers::all()
                .filter(|container| match self.only.as_slice() {
                    [] => container.headline || self.full,
                    named => named.iter().any(|name| name == container.id),
                })
                .collect(),
        }
    }
}

pub(crate) fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(error) => Err(format!("{error}")),
    }
}

fn container_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(containers::all().map(|container| container.id))
}
