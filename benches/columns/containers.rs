//! The structures under test, each with the settings that its users would choose for a large one.

use soa_rs::Soa;
use stayput::{Groups, Row, VmVec};

use crate::stage::{Perform, Stage};
use crate::stayput_rows::{self, AsItComes, Held, Huge, Small};
use crate::{peers, peers::with_soa_derive, peers::with_soa_rs};

/// What a structure is to the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// As they come: what the ratios are about.
    Columns,
    /// The same with other rows or settings.
    Variant,
    /// A structure of arrays of another crate.
    Peer,
    /// An array of structs.
    Structs,
}

/// A structure with its settings, and how to make it.
#[derive(Debug)]
pub(crate) struct Container {
    /// For the command line.
    pub(crate) id: &'static str,
    /// For people.
    pub(crate) name: &'static str,
    pub(crate) settings: &'static str,
    /// The packages whose versions the summary names; none for std alone.
    pub(crate) packages: &'static [&'static str],
    pub(crate) kind: Kind,
    /// For so many rows.
    pub(crate) stage: fn(usize) -> Box<dyn Perform>,
}

/// The container of that id.
pub(crate) fn find(id: &str) -> Option<&'static Container> {
    ALL.iter().find(|container| container.id == id)
}

type Structs<P> = Held<stayput_rows::Particle, P>;
type Tuples<P> = Held<<stayput_rows::Particle as Row>::Fields, P>;

/// In the order of the report.
pub(crate) const ALL: &[Container] = &[
    Container {
        id: "columns",
        name: "Columns",
        settings: "Columns of a struct, by derive(Row)",
        packages: &["stayput"],
        kind: Kind::Columns,
        stage: |rows| Box::new(Stage::<Structs<AsItComes>>::new(rows)),
    },
    Container {
        id: "columns-tuple",
        name: "Columns of tuples",
        settings: "Columns of a tuple",
        packages: &["stayput"],
        kind: Kind::Variant,
        stage: |rows| Box::new(Stage::<Tuples<AsItComes>>::new(rows)),
    },
    Container {
        id: "columns-small",
        name: "Columns, small pages",
        settings: "Columns of a struct, HugePages::Never",
        packages: &["stayput"],
        kind: Kind::Variant,
        stage: |rows| Box::new(Stage::<Structs<Small>>::new(rows)),
    },
    Container {
        id: "columns-huge",
        name: "Columns, huge pages",
        settings: "Columns of a struct, HugePages::Always",
        packages: &["stayput"],
        kind: Kind::Variant,
        stage: |rows| Box::new(Stage::<Structs<Huge>>::new(rows)),
    },
    Container {
        id: "groups-8",
        name: "Groups of 8",
        settings: "Groups of a struct, 8 rows a record",
        packages: &["stayput"],
        kind: Kind::Variant,
        stage: |rows| Box::new(Stage::<Groups<stayput_rows::Particle, 8>>::new(rows)),
    },
    Container {
        id: "groups-16",
        name: "Groups of 16",
        settings: "Groups of a struct, 16 rows a record",
        packages: &["stayput"],
        kind: Kind::Variant,
        stage: |rows| Box::new(Stage::<Groups<stayput_rows::Particle, 16>>::new(rows)),
    },
    Container {
        id: "soa_derive",
        name: "soa_derive",
        settings: "the Vec for each field that derive(StructOfArray) makes",
        packages: &["soa_derive"],
        kind: Kind::Peer,
        stage: |rows| Box::new(Stage::<with_soa_derive::ParticleVec>::new(rows)),
    },
    Container {
        id: "soa-rs",
        name: "soa-rs",
        settings: "Soa of a struct, by derive(Soars); it has no sort",
        packages: &["soa-rs"],
        kind: Kind::Peer,
        stage: |rows| Box::new(Stage::<Soa<with_soa_rs::Particle>>::new(rows)),
    },
    Container {
        id: "vec",
        name: "Vec",
        settings: "Vec of a struct",
        packages: &[],
        kind: Kind::Structs,
        stage: |rows| Box::new(Stage::<Vec<peers::Particle>>::new(rows)),
    },
    Container {
        id: "vm-vec",
        name: "VmVec",
        settings: "VmVec of a struct",
        packages: &["stayput"],
        kind: Kind::Structs,
        stage: |rows| Box::new(Stage::<VmVec<peers::Particle>>::new(rows)),
    },
];
