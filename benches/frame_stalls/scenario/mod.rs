//! The game loops, and how they are timed.

pub(crate) mod churn;
mod description;
pub(crate) mod ecs;
mod handling;
mod neighbour;
mod pace;
mod play;
mod script;
pub(crate) mod spawn;
pub(crate) mod table;
pub(crate) mod workers;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

pub(crate) use handling::Handling;
pub(crate) use script::{Burst, Script};

pub(crate) const MILLISECOND_US: u64 = 1000;
pub(crate) const BUDGET_60_HZ_US: u64 = 16_600;

/// The work of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub(crate) enum Scenario {
    /// Spawns the same number of entities in every frame, and removes none
    Steady,
    /// Spawns few entities in most frames, and many in some
    Burst,
    /// Spawns in many arrays in every frame
    Many,
    /// As steady, while a second thread allocates and frees
    Beside,
    /// An array grows large and is dropped, and the next level begins
    Level,
    /// Removes some of many entities in every frame, and spawns more
    Churn,
    /// Updates all entities, with a column; inserts and removes some
    Ecs,
    /// Inserts rows in every frame and looks them up by key, and removes none
    Table,
    /// Threads append to an array; each frame reads the new entities, and some of the others
    Workers,
}

impl Scenario {
    /// The scenarios that are measured by default.
    pub(crate) const FIRST: [Self; 2] = [Self::Steady, Self::Churn];

    /// Its id, for the command line and for file names, its name, and the kind of its containers.
    const fn facts(self) -> (&'static str, &'static str, Subject) {
        match self {
            Self::Steady => ("steady", "Steady spawn", Subject::Arrays),
            Self::Burst => ("burst", "Bursts", Subject::Arrays),
            Self::Many => ("many", "Many arrays", Subject::Arrays),
            Self::Beside => ("beside", "Beside an allocating thread", Subject::Arrays),
            Self::Level => ("level", "Level change", Subject::Arrays),
            Self::Churn => ("churn", "Churn", Subject::Maps),
            Self::Ecs => ("ecs", "ECS loop", Subject::Maps),
            Self::Table => ("table", "Growing table", Subject::Tables),
            Self::Workers => ("workers", "Appending threads", Subject::Shared),
        }
    }

    pub(crate) const fn id(self) -> &'static str {
        self.facts().0
    }

    pub(crate) const fn name(self) -> &'static str {
        self.facts().1
    }

    pub(crate) const fn subject(self) -> Subject {
        self.facts().2
    }

    /// The time after which a frame is late: in frames that take a millisecond without growth, one at 60 Hz.
    pub(crate) const fn budget_us(self) -> u64 {
        match self {
            Self::Ecs | Self::Table => BUDGET_60_HZ_US,
            _ => MILLISECOND_US,
        }
    }
}

/// The kind of container that a scenario fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    Arrays,
    Maps,
    Tables,
    /// Arrays to which several threads append.
    Shared,
}

impl Subject {
    pub(crate) const ALL: [Self; 4] = [Self::Arrays, Self::Maps, Self::Tables, Self::Shared];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Arrays => "Arrays",
            Self::Maps => "Slot maps",
            Self::Tables => "Tables",
            Self::Shared => "Shared arrays",
        }
    }
}
