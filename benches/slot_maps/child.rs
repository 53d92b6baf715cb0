//! One process a measurement, so that page faults, huge pages and the allocator's state belong to
//! one map alone.

use std::error::Error;

use bench_common::delegate;
use bench_common::small::structures;
use bench_common::spread::nanoseconds;
use bench_common::usage::resident_bytes;
use serde::{Deserialize, Serialize};
use stayput::{HugePages, VmVec};

use crate::apart;
use crate::containers::{self, Container};
use crate::operation::Operation;

/// A map's size, and that of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) value_bytes: usize,
    pub(crate) slots: usize,
}

/// What a child is for.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// Touch that many bytes, and end. Under a hypervisor that takes free memory back, the first
    /// touch of a page after a pause costs several times as much as the kernel's own work. Done
    /// before each turn, this has the first map start with the memory at hand that the others find.
    Touch(usize),
    /// The operations, one after the other.
    Life { container: String, case: Case, operations: Vec<Operation> },
    /// How far values lie apart after much churn.
    Range { container: String, case: Case },
    /// What is measured of few maps.
    Apart(apart::Part),
}

/// What a child found. Each task fills in its part.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) times: Vec<Time>,
    /// What the full map has made resident; of small ones, all together.
    pub(crate) resident_bytes: Option<u64>,
    pub(crate) live_range_churned: Option<f64>,
    pub(crate) live_range_refilled: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Time {
    pub(crate) operation: Operation,
    pub(crate) ns: u64,
}

/// How often each value is exchanged for another before the range is looked at.
const TURNOVERS: usize = 16;

/// Does the task and writes what was found to standard output.
pub(crate) fn perform(task: &Task) -> Result<(), Box<dyn Error>> {
    let outcome = match task {
        Task::Touch(bytes) => {
            let mut memory = VmVec::<u8>::builder().huge_pages(HugePages::Always).build();
            memory.prefault(*bytes);
            Outcome::default()
        }
        Task::Life { container, case, operations } => live(find(container)?, *case, operations),
        Task::Range { container, case } => range(find(container)?, *case),
        Task::Apart(part) => return apart::perform(*part),
    };
    Ok(delegate::answer(&outcome)?)
}

fn find(id: &str) -> Result<&'static Container, Box<dyn Error>> {
    containers::find(id).ok_or_else(|| format!("no container {id}").into())
}

fn live(container: &Container, case: Case, operations: &[Operation]) -> Outcome {
    let mut stage = (container.stage)(case.value_bytes, case.slots);
    let mut outcome = Outcome::default();
    for &operation in operations {
        if !stage.can(operation) {
            continue;
        }
        let before = (operation == Operation::Insert).then(resident_bytes).flatten();
        for _ in 0..operation.times_in_life() {
            let ns = nanoseconds(stage.perform(operation));
            outcome.times.push(Time { operation, ns });
        }
        if let Some((before, after)) = before.zip(before.and_then(|_| resident_bytes())) {
            outcome.resident_bytes = Some(after.saturating_sub(before));
        }
    }
    outcome
}

fn range(container: &Container, case: Case) -> Outcome {
    let mut stage = (container.stage)(case.value_bytes, case.slots);
    let needed = [Operation::ChurnHalfHoles, Operation::Refill];
    if !needed.iter().all(|&operation| stage.can(operation)) {
        return Outcome::default();
    }
    for _ in 0..TURNOVERS {
        stage.perform(Operation::ChurnHalfHoles);
    }
    let live_range_churned = stage.live_range();
    stage.perform(Operation::Refill);
    Outcome { live_range_churned, live_range_refilled: stage.live_range(), ..Outcome::default() }
}

/// Has a new process touch as much memory as the largest map of the case can need, a column beside it.
pub(crate) fn touch(case: Case) -> Result<(), Box<dyn Error>> {
    let slots = case.slots * structures(case.slots);
    run(&Task::Touch(slots * (2 * case.value_bytes + 64))).map(drop)
}

/// Has a new process go through the operations.
pub(crate) fn life(
    container: &Container,
    case: Case,
    operations: &[Operation],
) -> Result<Outcome, Box<dyn Error>> {
    let operations = operations.into();
    run(&Task::Life { container: container.id.to_owned(), case, operations })
        .map_err(|error| format!("measuring {}: {error}", container.name).into())
}

/// Has a new process churn a map and look how far its values lie apart.
pub(crate) fn live_range(container: &Container, case: Case) -> Result<Outcome, Box<dyn Error>> {
    run(&Task::Range { container: container.id.to_owned(), case })
        .map_err(|error| format!("churning {}: {error}", container.name).into())
}

fn run(task: &Task) -> Result<Outcome, Box<dyn Error>> {
    delegate::outcome(delegate::command(task)?)
}
