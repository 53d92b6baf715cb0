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

/// What happens in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
pub(crate) enum Scenario {
    /// The same number of entities is spawned in every frame, and none is removed.
    Steady,
    /// Most frames spawn few entities, and some spawn many.
    Burst,
    /// Many arrays grow in every frame.
    Many,
    /// As in the steady one, while a second thread allocates and frees.
    Beside,
    /// An array grows large and is dropped, and the next level begins.
    Level,
    /// Some entities of many are removed in every frame and some more are spawned.
    Churn,
    /// All entities are updated, with a column beside them; some come and some go.
    Ecs,
    /// Rows are inserted in every frame and looked up by what is in them, and none is removed.
    Table,
    /// Threads append to an array, and each frame reads what is new, and some of the rest.
    Workers,
}

impl Scenario {
    /// Those that are measured unless others are asked for.
    pub(crate) const FIRST: [Self; 2] = [Self::Steady, Self::Churn];

    /// Its id, for the command line and for names of files, its name for people, and what its containers are.
    const fn facts(self) -> (&'static str, &'static str, Subject) {
        match self {
            Self::Steady => ("steady", "steady spawn", Subject::Arrays),
            Self::Burst => ("burst", "bursts", Subject::Arrays),
            Self::Many => ("many", "many arrays", Subject::Arrays),
            Self::Beside => ("beside", "beside an allocating thread", Subject::Arrays),
            Self::Level => ("level", "level change", Subject::Arrays),
            Self::Churn => ("churn", "churn", Subject::Maps),
            Self::Ecs => ("ecs", "ECS loop", Subject::Maps),
            Self::Table => ("table", "a table grows", Subject::Tables),
            Self::Workers => ("workers", "workers append while the frame reads", Subject::Shared),
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
}

/// What is filled in a scenario.
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
            Self::Shared => "Arrays that threads share",
        }
    }
}
