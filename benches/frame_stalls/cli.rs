//! The command line.

use clap::Parser;
use clap::builder::PossibleValuesParser;

use crate::containers;
use crate::plan::Plan;
use crate::scenario::Scenario;

/// Short, so that the memory that was touched before a run is still at hand at its end; see
/// `benches/README.md`. Long enough for a thread that works ahead.
const PERIOD_US: u64 = 3000;

const FRAME_60_HZ_US: u64 = 16_667;

/// Frame stalls: what growing an array, or a table, costs a game loop, container by container.
///
/// Without options: steady spawning and the churn of maps, by the containers that overviews show,
/// three times over, in under a minute.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench frame_stalls --")]
pub(crate) struct Options {
    /// All scenarios and all containers, pushes timed as often as frames, in about twenty minutes
    #[arg(long)]
    full: bool,

    /// A smoke run: all scenarios, 100 frames, one repetition, and of the containers those that
    /// overviews show
    #[arg(long, conflicts_with = "full")]
    quick: bool,

    /// Start a frame every US microseconds; back to back if 0
    #[arg(long, value_name = "US", default_value_t = PERIOD_US)]
    period_us: u64,

    /// The same as --period-us 0; no thread can work ahead of it
    #[arg(long, conflicts_with_all = ["paced", "period_us"])]
    fast: bool,

    /// The same as --period-us 16667, which is 60 Hz
    #[arg(long, conflicts_with = "period_us")]
    paced: bool,

    /// What happens in a frame [default: steady and churn; with --full, --quick or --only: all]
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = scenario_ids())]
    scenario: Vec<String>,

    /// Frames a run, but for table [default: 220; with --quick: 100]
    #[arg(long, value_name = "N", value_parser = positive)]
    frames: Option<usize>,

    /// Entities spawned in each frame (steady, many, beside); twice as many in level, half as many in
    /// workers, a twentieth in most frames of burst and five times as many in every twentieth
    #[arg(long, value_name = "N", default_value = "20000", value_parser = positive)]
    spawn: usize,

    /// Arrays that grow together; each spawns the same share of the entities (many)
    #[arg(long, value_name = "N", default_value = "16", value_parser = positive)]
    arrays: usize,

    /// Entities in the end; about a tenth of them are there before the first frame (churn)
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = positive)]
    population: usize,

    /// Entities removed in each frame; as many are spawned beside those that the population grows
    /// by (churn)
    #[arg(long, value_name = "N", default_value = "5000", value_parser = positive)]
    churn: usize,

    /// Entities that live at a time (ecs)
    #[arg(long, value_name = "N", default_value = "175000", value_parser = positive)]
    live: usize,

    /// Entities inserted in each frame; on average as many are removed (ecs)
    #[arg(long, value_name = "N", default_value = "3000", value_parser = positive)]
    born: usize,

    /// Rows in the end; there are as many frames as that takes (table) [default: 8000000; with --quick:
    /// 500000]
    #[arg(long, value_name = "N", value_parser = positive)]
    rows: Option<usize>,

    /// Rows inserted in each frame; as many are looked up (table)
    #[arg(long, value_name = "N", default_value = "2000", value_parser = positive)]
    batch: usize,

    /// How often each container is measured [default: 3; with --quick: 1]
    #[arg(long, value_name = "N", value_parser = positive)]
    repetitions: Option<usize>,

    /// Count frames over this budget too, beside those over 1 ms and 16.6 ms
    #[arg(long, value_name = "US")]
    budget_us: Option<u64>,

    /// Measure these containers only [default: those that overviews show; with --full: all]
    #[arg(long, value_name = "NAME", num_args = 1.., value_parser = container_ids())]
    only: Vec<String>,

    /// Print the summary as JSON instead of the table
    #[arg(long)]
    pub(crate) json: bool,
}

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let (frames, rows, repetitions) =
            if self.quick { (100, 500_000, 1) } else { (220, 8_000_000, 3) };
        let repetitions = self.repetitions.unwrap_or(repetitions);
        let everywhere = self.full || self.quick || !self.only.is_empty();
        Plan {
            frames: self.frames.unwrap_or(frames),
            spawn: self.spawn,
            arrays: self.arrays,
            population: self.population,
            churn: self.churn,
            live: self.live,
            born: self.born,
            rows: self.rows.unwrap_or(rows),
            batch: self.batch,
            repetitions,
            push_repetitions: if self.full { repetitions } else { 1 },
            period_us: match (self.fast, self.paced) {
                (true, _) => 0,
                (_, true) => FRAME_60_HZ_US,
                _ => self.period_us,
            },
            budget_us: self.budget_us,
            scenarios: Scenario::ALL
                .into_iter()
                .filter(|scenario| match self.scenario.as_slice() {
                    [] => everywhere || Scenario::FIRST.contains(scenario),
                    named => named.iter().any(|name| name == scenario.id()),
                })
                .collect(),
            containers: containers::all()
                .filter(|container| match self.only.as_slice() {
                    [] => container.headline || self.full,
                    named => named.iter().any(|name| name == container.id),
                })
                .collect(),
        }
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
