//! The bench, and the sizes that it measures.

use std::fmt;

use bench_common::compare::{self, Bench, Container, Times};
use bench_common::numbers;
use bench_common::small::structures;
use serde::{Deserialize, Serialize};

use crate::containers;
use crate::operation::{CROWD, Operation};

/// The bench: stayput's slot maps, and those of other crates.
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

/// The number of slots, and the size of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) value_bytes: usize,
    pub(crate) slots: usize,
}

impl compare::Case for Case {
    /// With a column.
    fn bytes(self) -> usize {
        let is_crowd = Operation::Crowd.is_for(self.slots);
        let maps = if is_crowd { CROWD } else { structures(self.slots) };
        self.slots * maps * (2 * self.value_bytes + 64)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { value_bytes, slots } = *self;
        write!(f, "{} slots, values of {value_bytes} bytes", numbers::text(slots))
    }
}
