//! The command line.

use std::time::Duration;

use bench_common::compare::{Choice, Planned};
use bench_common::harness::Common;
use bench_common::numbers;
use clap::Parser;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::case::{Case, SlotMaps};
use crate::containers::VALUE_BYTES;
use crate::operation::Operation;

/// Slot maps: stayput's against those of other crates, operation by operation
#[derive(Debug, Parser)]
#[command(bin_name = "cargo bench --bench slot_maps --")]
#[command(mut_arg("quick", |arg| arg.help("Fewer cases and repetitions, in under two minutes")))]
#[command(mut_arg("repetitions", |arg| arg.help("Number of repetitions [default: by the number of slots]")))]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Slots a map, 64K for 65,536 [default: 16 100 1K 64K 180K 1M 8M]
    // A tenth of the slots must be at least one, and values have 32-bit numbers that are often replaced.
    #[arg(
        long, value_name = "N", num_args = 1.., value_delimiter = ',',
        value_parser = |text: &str| numbers::within(text, 16)
    )]
    slots: Vec<usize>,

    /// Bytes a value [default: 4 56 64; 56 of 8M slots]
    #[arg(
        long, value_name = "BYTES", num_args = 1.., value_delimiter = ',',
        value_parser = PossibleValuesParser::new(["4", "56", "64"]).try_map(|bytes| bytes.parse::<usize>())
    )]
    values: Vec<usize>,

    #[command(flatten)]
    choice: Choice<SlotMaps>,

    /// Count instructions and cache lines by Valgrind instead of measuring time; about a hundred times slower
    #[arg(long, conflicts_with_all = ["json", "criterion", "repetitions"])]
    pub(crate) count: bool,

    /// Measure only the dense maps: their longest insertion, and incremental sorting
    #[arg(long, conflicts_with_all = ["json", "criterion", "count"])]
    pub(crate) apart: bool,

    /// Then measure each operation by itself with criterion
    #[arg(long)]
    pub(crate) criterion: bool,

    /// With criterion, measure only operations whose names contain this
    #[arg(long, value_name = "TEXT", requires = "criterion")]
    pub(crate) filter: Option<String>,
}

/// The selected measurements.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) cases: Vec<Planned<SlotMaps>>,
    /// Measures how far values are spread, unless operations are named.
    pub(crate) ranges: Vec<Planned<SlotMaps>>,
    /// The time after which one measurement of each case suffices.
    pub(crate) enough: Option<Duration>,
}

/// The smallest are for maps in many objects, 1 K is typical for monsters or textures, 180 K for a large scene.
const SLOTS: [usize; 7] = [16, 100, 1 << 10, 1 << 16, 180 << 10, 1 << 20, LARGEST];
const LARGEST: usize = 1 << 23;

/// The default for the largest map, which takes as long as all others together.
const LARGEST_VALUE_BYTES: usize = 56;

/// No turn begins that would not end within this time.
const QUICK_ENOUGH: Duration = Duration::from_secs(108);

/// The sizes that have targets, and everyday sizes.
const QUICK: [Case; 6] = [
    Case { value_bytes: 56, slots: 16 },
    Case { value_bytes: 56, slots: 1 << 10 },
    Case { value_bytes: 56, slots: 1 << 16 },
    Case { value_bytes: 56, slots: 180 << 10 },
    Case { value_bytes: 56, slots: LARGEST },
    Case { value_bytes: 4, slots: LARGEST },
];

/// The spread of values after churn does not depend on the size, so a small map suffices.
const RANGE_CASE: Case = Case { value_bytes: 56, slots: 1 << 16 };

impl Options {
    pub(crate) fn plan(&self) -> Plan {
        let mut ranges = self.choice.of(RANGE_CASE, 1, |_| false);
        ranges.operations.extend(self.choice.operations.is_empty().then_some(Operation::Churned));
        Plan {
            cases: self.cases().into_iter().map(|case| self.planned(case)).collect(),
            ranges: [ranges].into_iter().filter(Planned::is_something).collect(),
            enough: self.common.quick.then_some(QUICK_ENOUGH),
        }
    }

    fn cases(&self) -> Vec<Case> {
        let is_default = self.slots.is_empty() && self.values.is_empty();
        if self.common.quick && is_default {
            return QUICK.into();
        }
        let slots = if self.slots.is_empty() { &SLOTS[..] } else { &self.slots };
        let values = if self.values.is_empty() { &VALUE_BYTES[..] } else { &self.values };
        let of_slots = |&slots| values.iter().map(move |&value_bytes| Case { value_bytes, slots });
        let all = slots.iter().flat_map(of_slots);
        let wanted = |case: &Case| case.slots < LARGEST || case.value_bytes == LARGEST_VALUE_BYTES;
        all.filter(|case| !is_default || wanted(case)).collect()
    }

    fn planned(&self, case: Case) -> Planned<SlotMaps> {
        let repetitions = match (case.slots, self.common.quick) {
            (..0x2_0000, false) => 31,
            (..0x4_0000, _) => 15,
            (..0x40_0000, false) => 7,
            (..0x40_0000, true) => 5,
            (_, _) => 3,
        };
        let repetitions = self.common.repetitions(repetitions, repetitions);
        let short = self.common.quick && case.slots >= 0x40_0000;
        let leaves_out_long = short && self.choice.operations.is_empty();
        self.choice.of(case, repetitions, |one| {
            one.is_for(case.slots) && !(leaves_out_long && one.takes_long())
        })
    }
}
