//! The structures under test, each with the settings that its users would choose for a large one.

use std::fmt;

use bench_common::compare::{self, Bench, Container, Role};
use bench_common::numbers;
use serde::{Deserialize, Serialize};
use soa_rs::Soa;
use stayput::{Groups, Row, VmVec};

use crate::operation::Operation;
use crate::rows::Rows;
use crate::stage::Stage;
use crate::stayput_rows::{self, AS_IT_COMES, HUGE, Held, SMALL};
use crate::{peers, peers::with_soa_derive, peers::with_soa_rs};

/// Structures of arrays, and arrays of structs.
#[derive(Debug)]
pub(crate) struct Structures;

impl Bench for Structures {
    const NAME: &'static str = "columns";
    const CONTAINERS: &'static [Container<Self>] = ALL;
    type Operation = Operation;
    type Case = Case;
}

/// So many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case(pub(crate) usize);

impl compare::Case for Case {
    /// The last copy of one that grows has half of it in the old place.
    fn bytes(self) -> usize {
        2 * ROW_BYTES * self.0
    }
}

const ROW_BYTES: usize = 72;

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows of {ROW_BYTES} bytes", numbers::text(self.0))
    }
}

type Structs<const P: usize> = Held<stayput_rows::Particle, P>;
type Tuples = Held<<stayput_rows::Particle as Row>::Fields, AS_IT_COMES>;

const fn of<R: Rows + 'static>(
    role: Role,
    packages: &'static [&'static str],
    names: [&'static str; 3],
) -> Container<Structures> {
    Container::new(role, packages, names, |Case(rows)| Box::new(Stage::<R>::new(rows)))
}

/// In the order of the report.
const ALL: &[Container<Structures>] = &[
    of::<Structs<AS_IT_COMES>>(
        Role::Own,
        &["stayput"],
        ["columns", "Columns", "Columns of a struct, by derive(Row)"],
    )
    .against(PEERS),
    of::<Tuples>(
        Role::Variant,
        &["stayput"],
        ["columns-tuple", "Columns of tuples", "Columns of a tuple"],
    ),
    of::<Structs<SMALL>>(
        Role::Variant,
        &["stayput"],
        ["columns-small", "Columns, small pages", "Columns of a struct, HugePages::Never"],
    ),
    of::<Structs<HUGE>>(
        Role::Variant,
        &["stayput"],
        ["columns-huge", "Columns, huge pages", "Columns of a struct, HugePages::Always"],
    ),
    of::<Groups<stayput_rows::Particle, 8>>(
        Role::Variant,
        &["stayput"],
        ["groups-8", "Groups of 8", "Groups of a struct, 8 rows a record"],
    ),
    of::<Groups<stayput_rows::Particle, 16>>(
        Role::Variant,
        &["stayput"],
        ["groups-16", "Groups of 16", "Groups of a struct, 16 rows a record"],
    ),
    of::<with_soa_derive::ParticleVec>(
        Role::Peer,
        &["soa_derive"],
        ["soa_derive", "soa_derive", "the Vec for each field that derive(StructOfArray) makes"],
    ),
    of::<Soa<with_soa_rs::Particle>>(
        Role::Peer,
        &["soa-rs"],
        ["soa-rs", "soa-rs", "Soa of a struct, by derive(Soars); it has no sort"],
    ),
    of::<Vec<peers::Particle>>(Role::OtherPeer, &[], ["vec", "Vec", "Vec of a struct"]),
    of::<VmVec<peers::Particle>>(
        Role::OtherPeer,
        &["stayput"],
        ["vm-vec", "VmVec", "VmVec of a struct"],
    ),
];

/// Structures of arrays of other crates.
const PEERS: &[&str] = &["soa_derive", "soa-rs"];
