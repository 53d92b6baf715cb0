//! The containers under test.

mod arrays;
mod churn_maps;
mod finders;
mod maps;
mod shared;
mod sharers;
mod spawners;
mod tables;
mod worlds;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::allocator::Allocator;
use crate::child::{Job, Outcome};
use crate::scenario::Scenario;

/// Whether the system's allocator is glibc's, which containers on it have in their names.
pub(crate) const GLIBC: bool = cfg!(all(target_os = "linux", target_env = "gnu"));

/// The origin of a container; the plots show each family in a panel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Std,
    Peer,
    Stayput,
}

/// The pages that a container asks the system for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pages {
    Small,
    Huge,
}

/// A container with its settings, and how to measure it.
#[derive(Debug)]
pub(crate) struct Container {
    /// For the command line.
    pub(crate) id: &'static str,
    /// For tables.
    pub(crate) name: &'static str,
    /// The scenarios in which it is measured.
    pub(crate) scenarios: &'static [Scenario],
    pub(crate) settings: &'static str,
    /// The packages whose versions the report names; none for std alone.
    pub(crate) packages: &'static [&'static str],
    pub(crate) family: Family,
    /// Whether no growing container can beat it; every panel repeats it.
    pub(crate) limit: bool,
    /// Whether the overview shows it.
    pub(crate) headline: bool,
    pub(crate) colour: (u8, u8, u8),
    pub(crate) allocator: Allocator,
    pub(crate) pages: Pages,
    pub(crate) run: fn(&Job) -> Outcome,
}

/// The lists of containers state what sets each apart; everything else has a default.
impl Container {
    const fn new(
        family: Family,
        packages: &'static [&'static str],
        [id, name, settings]: [&'static str; 3],
        run: fn(&Job) -> Outcome,
    ) -> Self {
        Self {
            id,
            name,
            scenarios: &[],
            settings,
            packages,
            family,
            limit: false,
            headline: false,
            colour: (0, 0, 0),
            allocator: Allocator::System,
            pages: Pages::Small,
            run,
        }
    }

    const fn std(
        packages: &'static [&'static str],
        names: [&'static str; 3],
        run: fn(&Job) -> Outcome,
    ) -> Self {
        Self::new(Family::Std, packages, names, run)
    }

    const fn peer(
        packages: &'static [&'static str],
        names: [&'static str; 3],
        run: fn(&Job) -> Outcome,
    ) -> Self {
        Self::new(Family::Peer, packages, names, run)
    }

    const fn stayput(names: [&'static str; 3], run: fn(&Job) -> Outcome) -> Self {
        Self { pages: Pages::Huge, ..Self::new(Family::Stayput, &["stayput"], names, run) }
    }

    const fn small_pages(self) -> Self {
        Self { pages: Pages::Small, ..self }
    }

    /// Runs under mimalloc, which asks for huge pages.
    const fn on_mimalloc(self) -> Self {
        Self { allocator: Allocator::Mimalloc, pages: Pages::Huge, ..self }
    }

    /// Runs under `GlobalVm`: a container of std's, on memory of this crate's.
    const fn on_global_vm(self) -> Self {
        Self { allocator: Allocator::VmSystem, ..self }
    }

    /// Sets the scenarios, and the colour in plots.
    const fn shown(self, scenarios: &'static [Scenario], colour: u32) -> Self {
        let [_, red, green, blue] = colour.to_be_bytes();
        Self { scenarios, colour: (red, green, blue), ..self }
    }

    const fn headline(self, scenarios: &'static [Scenario], colour: u32) -> Self {
        Self { headline: true, ..self.shown(scenarios, colour) }
    }

    const fn limit(self, scenarios: &'static [Scenario], colour: u32) -> Self {
        Self { limit: true, ..self.headline(scenarios, colour) }
    }
}

/// Iterates over all containers, those of a scenario together and in the order of the report. The headline
/// colours are Okabe and Ito's, which colour-blind readers can tell apart; other colours differ only within a
/// family.
pub(crate) fn all() -> impl Iterator<Item = &'static Container> {
    arrays::ALL.iter().chain(maps::ALL).chain(tables::ALL).chain(shared::ALL)
}

/// Stored as the id.
impl Serialize for Container {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id)
    }
}

impl<'de> Deserialize<'de> for &'static Container {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        find(&String::deserialize(deserializer)?)
            .ok_or_else(|| D::Error::custom("no such container"))
    }
}

/// Returns the container with that id.
pub(crate) fn find(id: &str) -> Option<&'static Container> {
    all().find(|container| container.id == id)
}
