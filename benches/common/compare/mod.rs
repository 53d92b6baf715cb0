//! Comparing structures operation by operation. Each is measured in child processes of its own, so that page faults,
//! huge pages and the allocator's state belong to one structure alone.

mod count;
mod measure;
mod report;

use std::fmt::{Debug, Display};
use std::time::Duration;

use clap::builder::{EnumValueParser, PossibleValuesParser};
use clap::{Args, ValueEnum};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

pub use count::count;
pub use measure::{Measured, Planned, Ratio, Results, measure, smoke};
#[cfg(feature = "plot")]
pub use report::picture;
pub use report::{cells, machine, publish, summary};

use crate::harness::Result;
use crate::jobs::Job;

/// A bench that compares structures: its types and settings.
pub trait Bench: Debug + Sized + 'static {
    /// The name of the bench target.
    const NAME: &'static str;

    /// The structures, in the order of the report.
    const CONTAINERS: &'static [Container<Self>];

    /// Whether memory is touched once per turn of a case instead of before each process.
    const TOUCHES_ONCE: bool = false;

    /// How often an operation is done when callgrind counts it.
    const COUNTED: Times = Times::Once;

    /// The operations.
    type Operation: Operation;

    /// The sizes.
    type Case: Case;

    /// Returns the ratio to report for a figure and that of the best rival.
    fn ratio(own: f64, best: f64) -> f64 {
        best / own
    }
}

/// An operation that is measured.
pub trait Operation:
    ValueEnum + Copy + Debug + Eq + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// The operations that can be selected, in an order that leaves little to do between them.
    const LIFE: &'static [Self];

    /// Operations that are measured along with others, and cannot be selected. The report lists them last.
    const BESIDES: &'static [Self] = &[];

    /// The name in tables.
    fn name(self) -> &'static str;

    /// Returns the name, with the unit if it is not nanoseconds.
    fn title(self) -> String {
        self.name().to_owned()
    }

    /// Nanoseconds per unit of the figure; 1 if the figure is not a time.
    fn unit(self) -> f64 {
        1.0
    }

    /// How often a process measures it: several times if it leaves the structure much as it was.
    fn times_in_life(self) -> usize {
        1
    }

    /// Whether it needs memory that the process has not used before, and so a process of its own.
    fn needs_new_process(self) -> bool {
        false
    }

    /// Whether the figure is a longest time, which other programs can only lengthen.
    fn is_a_longest(self) -> bool {
        false
    }

    /// The name of its timed loop in the bench's module `stage`; `None` if callgrind cannot count it.
    fn function(self) -> Option<&'static str>;

    /// An operation with the same preparation and another loop, whose count is subtracted; for preparations
    /// that run the timed loop too.
    fn prepared_by(self) -> Option<Self> {
        None
    }

    /// All operations, in the order of the report.
    fn all() -> impl Iterator<Item = Self> {
        Self::value_variants().iter().chain(Self::BESIDES).copied()
    }
}

/// The size of what is measured.
pub trait Case:
    Copy + Debug + Display + PartialEq + Serialize + DeserializeOwned + 'static
{
    /// The most bytes that a structure and its measurement need at a time.
    fn bytes(self) -> usize;
}

/// The part of a structure in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The subject of the comparison.
    Own,
    /// The subject with other settings, or another structure of this crate.
    Variant,
    /// A structure of another crate.
    Peer,
    /// A structure of another crate that differs in what it does.
    OtherPeer,
    /// A lower bound. It is always measured, since some figures refer to it.
    Limit,
}

/// A structure with its settings, and how to create it.
#[derive(Debug)]
pub struct Container<B: Bench> {
    /// For the command line.
    pub id: &'static str,
    /// For tables.
    pub name: &'static str,
    settings: &'static str,
    /// The packages whose versions the summary names; none for std alone.
    packages: &'static [&'static str],
    /// Its part in the comparison.
    pub role: Role,
    /// The ids of the structures whose best figure its own is compared with.
    pub rivals: &'static [&'static str],
    is_for: fn(B::Case) -> bool,
    /// Creates the stage that measures the structure.
    pub stage: fn(B::Case) -> Box<dyn Stage<B::Operation>>,
}

impl<B: Bench> Container<B> {
    /// Creates a structure with its id, name and settings, measured in all cases and compared with none.
    pub const fn new(
        role: Role,
        packages: &'static [&'static str],
        [id, name, settings]: [&'static str; 3],
        stage: fn(B::Case) -> Box<dyn Stage<B::Operation>>,
    ) -> Self {
        Self { id, name, settings, packages, role, rivals: &[], is_for: |_| true, stage }
    }

    /// Sets the ids of the rivals.
    #[must_use]
    pub const fn against(self, rivals: &'static [&'static str]) -> Self {
        Self { rivals, ..self }
    }

    /// Restricts the cases in which it is measured.
    #[must_use]
    pub const fn only_for(self, is_for: fn(B::Case) -> bool) -> Self {
        Self { is_for, ..self }
    }

    /// The job of a child that performs the operations.
    fn life(&self, case: B::Case, operations: &[B::Operation], times: Times) -> Life<B> {
        Life { container: self.id.to_owned(), case, operations: operations.into(), times }
    }

    /// Performs the operations in this process.
    fn live(
        &self,
        case: B::Case,
        operations: impl IntoIterator<Item = B::Operation>,
        times: Times,
    ) -> Vec<Sample<B::Operation>> {
        let mut stage = (self.stage)(case);
        let mut samples = Vec::new();
        for operation in operations {
            let times = match times {
                _ if !stage.can(operation) => 0,
                Times::Usual => operation.times_in_life(),
                Times::Once => 1,
            };
            samples.extend((0..times).flat_map(|_| stage.perform(operation)));
        }
        samples
    }
}

/// Brings a structure into the state that an operation needs, and times the operation. Each call is a whole
/// operation, so that the cost of dynamic dispatch does not matter.
pub trait Stage<O> {
    /// Whether the structure has the operation.
    fn can(&self, operation: O) -> bool;

    /// Prepares the structure and times the operation.
    fn perform(&mut self, operation: O) -> Vec<Sample<O>>;
}

/// A measurement.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Sample<O> {
    /// The operation.
    pub operation: O,
    /// Nanoseconds, or bytes, for each of `count`.
    pub value: f64,
    /// How often the operation was done.
    pub count: usize,
    /// A checksum of what was read or found, which must be equal for all structures.
    pub checksum: u64,
}

impl<O> Sample<O> {
    /// A sample of an operation that was done `count` times in `time`.
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
    pub fn new(operation: O, time: Duration, count: usize, checksum: u64) -> Self {
        let value = time.as_nanos() as f64 / count.max(1) as f64;
        Self { operation, value, count, checksum }
    }

    /// Returns the time of all `count` operations together.
    #[expect(clippy::cast_precision_loss, reason = "2^53 ns are a hundred days")]
    pub fn time(&self) -> Duration {
        Duration::from_secs_f64(self.value * self.count as f64 / 1e9)
    }

    /// A sample of the resident memory that `count` elements added; `None` if the system does not report it.
    #[expect(clippy::cast_precision_loss, reason = "no memory comes near 2^53 bytes")]
    pub fn bytes(
        operation: O,
        before: Option<u64>,
        after: Option<u64>,
        count: usize,
    ) -> Option<Self> {
        let value = after?.saturating_sub(before?) as f64 / count as f64;
        Some(Self { operation, value, count, checksum: 0 })
    }
}

/// How often a child performs each operation.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Times {
    /// [`Operation::times_in_life`].
    Usual,
    /// Once.
    Once,
}

/// The job of a child: operations of one structure, one after the other.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Life<B: Bench> {
    container: String,
    case: B::Case,
    operations: Vec<B::Operation>,
    times: Times,
}

impl<B: Bench> Job for Life<B> {
    type Outcome = Vec<Sample<B::Operation>>;

    fn run(&self) -> Result<Self::Outcome> {
        let Self { container: id, case, operations, times } = self;
        let container = B::CONTAINERS.iter().find(|container| container.id == id);
        let container = container.ok_or_else(|| format!("no container {id}"))?;
        Ok(container.live(*case, operations.iter().copied(), *times))
    }
}

/// The options that select structures and operations.
#[derive(Debug, Args)]
pub struct Choice<B: Bench> {
    /// Measure only these operations
    #[arg(
        long, value_name = "NAME", num_args = 1.., value_delimiter = ',',
        value_parser = EnumValueParser::<B::Operation>::new()
    )]
    pub operations: Vec<B::Operation>,

    /// Measure only these structures
    #[arg(
        long, value_name = "NAME", num_args = 1.., value_delimiter = ',',
        value_parser = PossibleValuesParser::new(B::CONTAINERS.iter().map(|one| one.id))
    )]
    only: Vec<String>,
}

impl<B: Bench> Choice<B> {
    /// Whether an operation is selected.
    pub fn wants(&self, operation: B::Operation) -> bool {
        self.operations.is_empty() || self.operations.contains(&operation)
    }

    /// Plans a case: the selected ones of the operations that it has.
    pub fn of(
        &self,
        case: B::Case,
        repetitions: usize,
        has_operation: impl Fn(B::Operation) -> bool,
    ) -> Planned<B> {
        let is_wanted = |one: &&Container<B>| {
            self.only.is_empty()
                || one.role == Role::Limit
                || self.only.iter().any(|id| id == one.id)
        };
        let operations = B::Operation::LIFE.iter().copied();
        Planned {
            case,
            repetitions,
            operations: operations.filter(|&one| has_operation(one) && self.wants(one)).collect(),
            containers: containers(case).filter(is_wanted).collect(),
        }
    }
}

/// The structures that are measured in a case.
fn containers<B: Bench>(case: B::Case) -> impl Iterator<Item = &'static Container<B>> {
    B::CONTAINERS.iter().filter(move |one| (one.is_for)(case))
}
