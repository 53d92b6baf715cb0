//! What is to be measured, every choice made.

use crate::containers::{self, Container};
use crate::scenario::{Burst, Scenario, Script};

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) frames: usize,
    pub(crate) spawn: usize,
    pub(crate) arrays: usize,
    pub(crate) population: usize,
    pub(crate) churn: usize,
    pub(crate) live: usize,
    pub(crate) born: usize,
    pub(crate) rows: usize,
    pub(crate) batch: usize,
    pub(crate) repetitions: usize,
    /// Those that time pushes too, at most as many.
    pub(crate) push_repetitions: usize,
    pub(crate) period_us: u64,
    pub(crate) budget_us: Option<u64>,
    pub(crate) scenarios: Vec<Scenario>,
    pub(crate) containers: Vec<&'static Container>,
}

impl Plan {
    /// What is done in the scenario's frames.
    pub(crate) fn script(&self, scenario: Scenario) -> Script {
        let steady = Script::steady(self.frames, self.spawn);
        match scenario {
            Scenario::Steady => steady,
            Scenario::Burst => Script {
                spawn_per_frame: self.spawn.div_ceil(20),
                burst: Some(Burst { every: 20.min(self.frames), spawn: self.spawn * 5 }),
                ..steady
            },
            Scenario::Many => Script { containers: self.arrays, ..steady },
            Scenario::Beside => Script { neighbour: true, ..steady },
            // Four changes, so that they show in the 99th percentile of 220 frames too.
            Scenario::Level => Script {
                spawn_per_frame: self.spawn * 2,
                frames_per_level: Some(self.frames.div_ceil(5)),
                ..steady
            },
            Scenario::Churn => {
                let growth = self.population / 10 * 9 / self.frames;
                let start = self.population - growth * self.frames;
                let remove = self.churn.min(start);
                Script {
                    entities_at_start: start,
                    spawn_per_frame: remove + growth,
                    remove_per_frame: remove,
                    ..steady
                }
            }
            Scenario::Ecs => {
                // Half of the longest life is the mean; an entity is gone by the end of its last frame.
                let longest_life = u16::try_from(self.live * 2 / self.born + 1).unwrap_or(u16::MAX);
                Script {
                    entities_at_start: self.born * usize::from(longest_life - 1) / 2,
                    spawn_per_frame: self.born,
                    remove_per_frame: self.born,
                    longest_life,
                    ..steady
                }
            }
            Scenario::Table => {
                let batch = self.batch.min(self.rows);
                Script::steady(self.rows / batch, batch)
            }
            // Little enough that all threads together leave most of two cores idle.
            Scenario::Workers => {
                let spawn_per_frame = self.spawn.div_ceil(2);
                Script {
                    spawn_per_frame,
                    workers: 2,
                    looked_at_per_frame: spawn_per_frame.div_ceil(5),
                    ..steady
                }
            }
        }
    }

    /// Those that have containers to be measured.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = Scenario> {
        let wanted = |&scenario: &Scenario| self.of(scenario).next().is_some();
        self.scenarios.iter().copied().filter(wanted)
    }

    /// The containers of a scenario.
    pub(crate) fn of(&self, scenario: Scenario) -> impl Iterator<Item = &'static Container> {
        let measured = move |container: &&Container| container.scenarios.contains(&scenario);
        self.containers.iter().copied().filter(measured)
    }

    /// The command that does the same again.
    pub(crate) fn command(&self) -> String {
        let mut words = vec![
            "cargo bench --bench frame_stalls --".to_owned(),
            format!("--period-us {}", self.period_us),
            format!("--frames {}", self.frames),
            format!("--spawn {}", self.spawn),
            format!("--arrays {}", self.arrays),
            format!("--population {}", self.population),
            format!("--churn {}", self.churn),
            format!("--live {}", self.live),
            format!("--born {}", self.born),
            format!("--rows {}", self.rows),
            format!("--batch {}", self.batch),
            format!("--repetitions {}", self.repetitions),
        ];
        if self.push_repetitions > 1 || self.containers.len() == containers::all().count() {
            words.push("--full".to_owned());
        }
        words.extend(self.budget_us.map(|budget| format!("--budget-us {budget}")));
        if self.scenarios.len() < Scenario::ALL.len() {
            words.push("--scenario".to_owned());
            words.extend(self.scenarios.iter().map(|scenario| scenario.id().to_owned()));
        }
        if self.containers.len() < containers::all().count() {
            words.push("--only".to_owned());
            words.extend(self.containers.iter().map(|container| container.id.to_owned()));
        }
        words.join(" ")
    }
}
