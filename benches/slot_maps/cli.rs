//! The command line.

use std::time::Duration;

use bench_common::harness::{self, Common};
use bench_common::numbers;
use clap::Parser;
use clap::builder::PossibleValuesParser;

use crate::child::Case;
use crate::containers::{self, Container, Kind, VALUE_BYTES};
use crate::operation::Operation;

/// Slot maps: stayput's against those of other crates, operation by operation.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench slot_maps --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under two minutes")))]
#[command(mut_arg("repetitions", |arg| arg.help("How often each map is measured [default: by the number of slots]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Slots a map, 64K for 65,536 [default: 1K 64K 180K 1M 8M]
    #[arg(long, value_name = "N", num_args = 1.., value_delimiter = ',', value_parser = slots)]
    slots: Vec<usize>,

    /// Bytes a value [default: 4 56 64; 56 of 8M slots]
    #[arg(
        long, value_name = "BYTES", num_args = 1.., value_delimiter = ',',
        value_parser = value_bytes()
    )]
    values: Vec<String>,

    /// Measure these operations only
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    operations: Vec<Operation>,

    /// Measure these maps only
    #[arg(
        long, value_name = "NAME", num_args = 1.., value_delimiter = ',',
        value_parser = container_ids()
    )]
    only: Vec<String>,

    /// Count instructions and cache lines by valgrind, instead of measuring time; some hundred times
    /// as slow
    #[arg(long, conflicts_with_all = ["json", "criterion", "repetitions"])]
    pub(crate) count: bool,

    /// Measure what is of the dense maps alone: their longest insertion, and how an order comes by and by
    #[arg(long, conflicts_with_all = ["json", "criterion", "count"])]
    pub(crate) apart: bool,

    /// Then have criterion measure the same again, each operation by itself
    #[arg(long)]
    criterion: bool,

    /// Have criterion measure only what has this in its name
    #[arg(long, value_name = "TEXT", requires = "criterion")]
    filter: Option<String>,
}

/// What is to be measured, every choice made.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<PlannedCase>,
    pub(crate) containers: Vec<&'static Container>,
    pub(crate) criterion: Option<Criterion>,
    /// Whether to look how far values lie apart, which is no operation.
    pub(crate) with_ranges: bool,
    /// When this has passed, what was measured at least once will do.
    pub(crate) enough: Option<Duration>,
    /// Does the same again.
    pub(crate) command: String,
}

#[derive(Debug)]
pub(crate) struct PlannedCase {
    pub(crate) case: Case,
    pub(crate) repetitions: usize,
    /// In the order in which they are done.
    pub(crate) operations: Vec<Operation>,
}

#[derive(Debug)]
pub(crate) struct Criterion {
    pub(crate) filter: Option<String>,
}

/// The smallest is what a map of monsters or textures has, 180 K a large scene.
const SLOTS: [usize; 5] = [1 << 10, 1 << 16, 180 << 10, 1 << 20, LARGEST];
const LARGEST: usize = 1 << 23;

/// Of the largest map, unless more is asked for: its lives take as long as all others together.
const LARGEST_VALUE_BYTES: usize = 56;

/// From which on no turn begins that would not have ended when a look should.
const QUICK_ENOUGH: Duration = Duration::from_secs(108);

/// What the project's bars are about, and the everyday sizes.
const QUICK: [Case; 5] = [
    Case { value_bytes: 56, slots: 1 << 10 },
    Case { value_bytes: 56, slots: 1 << 16 },
    Case { value_bytes: 56, slots: 180 << 10 },
    Case { value_bytes: 56, slots: LARGEST },
    Case { value_bytes: 4, slots: LARGEST },
];

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        Plan {
            cases: self.cases().into_iter().map(|case| self.planned(case)).collect(),
            containers: containers::ALL.iter().filter(|one| self.wants(one)).collect(),
            criterion: self.criterion.then(|| Criterion { filter: self.filter.clone() }),
            with_ranges: self.operations.is_empty(),
            enough: self.common.quick.then_some(QUICK_ENOUGH),
            command: harness::command("slot_maps"),
        }
    }

    fn cases(&self) -> Vec<Case> {
        if self.common.quick && self.slots.is_empty() && self.values.is_empty() {
            return QUICK.into();
        }
        let slots = if self.slots.is_empty() { &SLOTS[..] } else { &self.slots };
        let values: Vec<usize> = if self.values.is_empty() {
            VALUE_BYTES.into()
        } else {
            self.values.iter().filter_map(|bytes| bytes.parse().ok()).collect()
        };
        let of_slots = |&slots| values.iter().map(move |&value_bytes| Case { value_bytes, slots });
        let all = slots.iter().flat_map(of_slots);
        let is_default = self.slots.is_empty() && self.values.is_empty();
        let wanted = |case: &Case| case.slots < LARGEST || case.value_bytes == LARGEST_VALUE_BYTES;
        all.filter(|case| !is_default || wanted(case)).collect()
    }

    fn planned(&self, case: Case) -> PlannedCase {
        let repetitions = match (case.slots, self.common.quick) {
            (..0x2_0000, false) => 31,
            (..0x4_0000, _) => 15,
            (..0x40_0000, false) => 7,
            (..0x40_0000, true) => 5,
            (_, _) => 3,
        };
        let short = self.common.quick && case.slots >= 0x40_0000;
        let wanted = |operation: Operation| {
            if self.operations.is_empty() {
                !(short && operation.takes_long())
            } else {
                self.operations.contains(&operation)
            }
        };
        PlannedCase {
            case,
            repetitions: self.common.repetitions(repetitions, repetitions),
            operations: Operation::LIFE.iter().copied().filter(|&one| wanted(one)).collect(),
        }
    }

    /// The limit costs little and is what some figures are about, so it is always there.
    fn wants(&self, container: &Container) -> bool {
        self.only.is_empty()
            || container.kind == Kind::Limit
            || self.only.iter().any(|id| id == container.id)
    }
}

fn slots(text: &str) -> Result<usize, String> {
    match numbers::parse(text)? {
        // Tenths of them must be some, and each has a number of 32 bits, often used anew.
        slots if (100..=1 << 28).contains(&slots) => Ok(slots),
        _ => Err("must be from 100 to 256M".into()),
    }
}

fn value_bytes() -> PossibleValuesParser {
    PossibleValuesParser::new(["4", "56", "64"])
}

fn container_ids() -> PossibleValuesParser {
    PossibleValuesParser::new(containers::ALL.iter().map(|container| container.id))
}
