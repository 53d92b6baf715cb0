//! What is compared, and how large.

use std::fmt;

use bench_common::compare::{self, Bench, Container, Times};
use bench_common::numbers;
use bench_common::small::structures;
use serde::{Deserialize, Serialize};

use crate::containers;
use crate::operation::Operation;

/// Slot maps: `stayput`'s against those of other crates.
#[derive(Debug)]
pub(crate) struct SlotMaps;

impl Bench for SlotMaps {
    const NAME: &'static str = "slot_maps";
    const CONTAINERS: &'static [Container<Self>] = containers::ALL;
    const TOUCHES_ONCE: bool = true;
    const COUNTED: Times = Times::Usual;
    type Operation = Operation;
    type Case = Case;
}

/// A map's size, and that of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) value_bytes: usize,
    pub(crate) slots: usize,
}

impl compare::Case for Case {
    /// With a column beside it.
    fn bytes(self) -> usize {
        self.slots * structures(self.slots) * (2 * self.value_bytes + 64)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value_bytes, slots } = *self;
        write!(f, "{} slots, values of {value_bytes} bytes", numbers::text(slots))
    }
}
