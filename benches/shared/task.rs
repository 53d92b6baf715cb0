//! What children do: each contender in each repetition has a process of its own.

use std::{panic, process};

use bench_common::delegate;
use bench_common::harness;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::arrays::Contender;
use crate::{held, lost, maps, push, read, worst};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    Push { contender: Contender, case: push::Case },
    Worst { contender: Contender, threads: usize, total: usize },
    Read { contender: Contender, count: usize, ms: u64 },
    Held { contender: Contender, count: usize },
    Lost { contender: Contender, limit: lost::Limit, count: usize },
    Maps { contender: maps::MapContender, case: maps::MapCase },
}

impl Task {
    fn text(&self) -> String {
        match self {
            Self::Push { contender, case } => {
                format!("pushes of {} bytes, {}", case.element_bytes, contender.name())
            }
            Self::Worst { contender, .. } => format!("longest pushes, {}", contender.name()),
            Self::Read { contender, .. } => format!("reads, {}", contender.name()),
            Self::Held { contender, .. } => format!("memory, {}", contender.name()),
            Self::Lost { contender, .. } => format!("what is lost, {}", contender.name()),
            Self::Maps { contender, .. } => format!("maps, {}", contender.name()),
        }
    }
}

pub(crate) fn run(task: &Task) -> harness::Result {
    // Others would wait for a thread that is gone.
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::exit(101);
    }));
    match *task {
        Task::Push { contender, case } => delegate::answer(&push::push(contender, case)?)?,
        Task::Worst { contender, threads, total } => {
            delegate::answer(&worst::push(contender, threads, total)?)?;
        }
        Task::Read { contender, count, ms } => {
            delegate::answer(&read::read(contender, count, ms)?)?;
        }
        Task::Held { contender, count } => delegate::answer(&held::held(contender, count))?,
        Task::Lost { contender, limit, count } => {
            delegate::answer(&lost::lose(contender, limit, count)?)?;
        }
        Task::Maps { contender, case } => delegate::answer(&maps::find(contender, case)?)?,
    }
    Ok(())
}

/// What children find that do each of the tasks in turns.
pub(crate) fn in_turns<R: DeserializeOwned>(
    tasks: &[Task],
    repetitions: usize,
) -> harness::Result<Vec<Vec<R>>> {
    let run = |task: &Task| delegate::outcome(delegate::command(task)?);
    harness::in_turns(tasks, |_| repetitions, Task::text, run)
}
