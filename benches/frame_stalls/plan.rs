//! The selected measurements.

use clap::Args;

use crate::child::Host;
use crate::cli::positive;
use crate::containers::Container;
use crate::scenario::{Burst, Scenario, Script};

/// The size of everything.
#[derive(Clone, Debug, Args)]
pub(crate) struct Sizes {
    /// Entities spawned in each frame (steady, many, beside); twice as many in level, half as many in workers,
    /// a twentieth in most frames of burst and five times as many in every twentieth
    #[arg(long, value_name = "N", default_value = "20000", value_parser = positive)]
    spawn: usize,

    /// Arrays that grow together; each spawns the same share of the entities (many)
    #[arg(long, value_name = "N", default_value = "16", value_parser = positive)]
    arrays: usize,

    /// Entities in the end; about a tenth of them exist before the first frame (churn)
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = positive)]
    population: usize,

    /// Entities removed in each frame; as many are spawned, plus those that the population grows by (churn)
    #[arg(long, value_name = "N", default_value = "5000", value_parser = positive)]
    churn: usize,

    /// Entities that are alive at a time (ecs)
    #[arg(long, value_name = "N", default_value = "175000", value_parser = positive)]
    live: usize,

    /// Entities inserted in each frame; on average as many are removed (ecs)
    #[arg(long, value_name = "N", default_value = "3000", value_parser = positive)]
    born: usize,

    /// Rows inserted in each frame; as many are looked up (table)
    #[arg(long, value_name = "N", default_value = "2000", value_parser = positive)]
    batch: usize,
}

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) frames: usize,
    pub(crate) sizes: Sizes,
    pub(crate) rows: usize,
    pub(crate) repetitions: usize,
    /// The number of repetitions that also time pushes, at most `repetitions`.
    pub(crate) push_repetitions: usize,
    pub(crate) period_us: u64,
    pub(crate) budget_us: Option<u64>,
    pub(crate) host: Host,
    pub(crate) scenarios: Vec<Scenario>,
    pub(crate) containers: Vec<&'static Container>,
}

impl Plan {
    /// Returns the script of a scenario's frames.
    pub(crate) fn script(&self, scenario: Scenario) -> Script {
        let sizes = &self.sizes;
        let steady = Script::steady(self.frames, sizes.spawn);
        match scenario {
            Scenario::Steady => steady,
            Scenario::Burst => Script {
                spawn_per_frame: sizes.spawn.div_ceil(20),
                burst: Some(Burst { every: 20.min(self.frames), spawn: sizes.spawn * 5 }),
                ..steady
            },
            Scenario::Many => Script { containers: sizes.arrays, ..steady },
            Scenario::Beside => Script { neighbour: true, ..steady },
            // Four changes, so that they affect the 99th percentile of 220 frames too.
            Scenario::Level => Script {
                spawn_per_frame: sizes.spawn * 2,
                frames_per_level: Some(self.frames.div_ceil(5)),
                ..steady
            },
            Scenario::Churn => {
                let growth = sizes.population / 10 * 9 / self.frames;
                let start = sizes.population - growth * self.frames;
                let remove = sizes.churn.min(start);
                Script {
                    entities_at_start: start,
                    spawn_per_frame: remove + growth,
                    remove_per_frame: remove,
                    ..steady
                }
            }
            Scenario::Ecs => {
                // The mean life is half of the longest; an entity is gone by the end of its last frame.
                let longest_life =
                    u16::try_from(sizes.live * 2 / sizes.born + 1).unwrap_or(u16::MAX);
                Script {
                    entities_at_start: sizes.born * usize::from(longest_life - 1) / 2,
                    spawn_per_frame: sizes.born,
                    remove_per_frame: sizes.born,
                    longest_life,
                    ..steady
                }
            }
            Scenario::Table => {
                let batch = sizes.batch.min(self.rows);
                Script::steady(self.rows / batch, batch)
            }
            // Few enough that all threads together leave most of two cores idle.
            Scenario::Workers => {
                let spawn_per_frame = sizes.spawn.div_ceil(2);
                Script {
                    spawn_per_frame,
                    workers: 2,
                    looked_at_per_frame: spawn_per_frame.div_ceil(5),
                    ..steady
                }
            }
        }
    }

    /// Iterates over the scenarios that have containers to be measured.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = Scenario> {
        let wanted = |&scenario: &Scenario| self.of(scenario).next().is_some();
        self.scenarios.iter().copied().filter(wanted)
    }

    /// Iterates over the containers of a scenario.
    pub(crate) fn of(&self, scenario: Scenario) -> impl Iterator<Item = &'static Container> {
        let measured = move |container: &&Container| container.scenarios.contains(&scenario);
        self.containers.iter().copied().filter(measured)
    }
}
