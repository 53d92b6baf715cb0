//! The containers under test.

mod arrays;
mod maps;

use crate::alloc::Allocator;
use crate::child::{Job, Outcome};
use crate::scenario::Scenario;

/// Whose container it is; the plots show each family in a panel of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Std,
    Peer,
    Stayput,
}

/// The pages that a container asks the system for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    Small,
    Huge,
}

/// A container with its settings, and how to measure it.
#[derive(Debug)]
pub(crate) struct Container {
    /// For the command line.
    pub(crate) id: &'static str,
    /// For people.
    pub(crate) name: &'static str,
    /// Where it is measured.
    pub(crate) scenario: Scenario,
    pub(crate) settings: &'static str,
    /// The packages whose versions the report names; none for std alone.
    pub(crate) packages: &'static [&'static str],
    pub(crate) family: Family,
    /// What no container that grows can beat; panels repeat it.
    pub(crate) limit: bool,
    /// One of the few that the stand-alone plots show.
    pub(crate) headline: bool,
    pub(crate) colour: (u8, u8, u8),
    pub(crate) allocator: Allocator,
    pub(crate) pages: Pages,
    pub(crate) run: fn(&Job) -> Outcome,
}

/// All of them, those of a scenario together and in the order of the report. The headline colours
/// are Okabe and Ito's, which colour-blind readers can tell apart; the others need only differ within
/// a family.
pub(crate) fn all() -> impl Iterator<Item = &'static Container> {
    arrays::ALL.iter().chain(maps::ALL)
}

/// The container of that id.
pub(crate) fn find(id: &str) -> Option<&'static Container> {
    all().find(|container| container.id == id)
}
