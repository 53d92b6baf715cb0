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

use serde::{Deserialize, Serialize};

pub(crate) use handling::Handling;
pub(crate) use script::{Burst, Script};

/// What happens in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    pub(crate) const ALL: [Self; 9] = [
        Self::Steady,
        Self::Burst,
        Self::Many,
        Self::Beside,
        Self::Level,
        Self::Churn,
        Self::Ecs,
        Self::Table,
        Self::Workers,
    ];

    /// Those that are measured unless others are asked for.
    pub(crate) const FIRST: [Self; 2] = [Self::Steady, Self::Churn];

    /// For the command line and for names of files.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Burst => "burst",
            Self::Many => "many",
            Self::Beside => "beside",
            Self::Level => "level",
            Self::Churn => "churn",
            Self::Ecs => "ecs",
            Self::Table => "table",
            Self::Workers => "workers",
        }
    }

    /// For people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Steady => "steady spawn",
            Self::Burst => "bursts",
            Self::Many => "many arrays",
            Self::Beside => "beside an allocating thread",
            Self::Level => "level change",
            Self::Churn => "churn",
            Self::Ecs => "ECS loop",
            Self::Table => "a table grows",
            Self::Workers => "workers append while the frame reads",
        }
    }

    /// What its containers are.
    pub(crate) fn subject(self) -> Subject {
        match self {
            Self::Steady | Self::Burst | Self::Many | Self::Beside | Self::Level => Subject::Arrays,
            Self::Churn | Self::Ecs => Subject::Maps,
            Self::Table => Subject::Tables,
            Self::Workers => Subject::Shared,
        }
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
