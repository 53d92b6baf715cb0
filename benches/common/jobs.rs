//! Jobs of child processes, which run this program: the job is an argument, and the results are the output.

use std::any::type_name;
use std::process::{self, Command, Stdio};
use std::{env, io, panic};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::harness::{self, Result};
use crate::spread::Spread;

/// The first argument of a child, before the kind of its job and the job.
const CHILD: &str = "--bench-child";

/// The job of a child process.
pub trait Job: Serialize + DeserializeOwned {
    /// What the child reports.
    type Outcome: Serialize + DeserializeOwned;

    /// Does the job; called in the child.
    fn run(&self) -> Result<Self::Outcome>;

    /// Sets up the child before it is started.
    fn set_up(&self, _child: &mut Command) {}

    /// Returns the command that starts the child.
    fn command(&self) -> Result<Command> {
        let mut command = Command::new(env::current_exe()?);
        command.args([CHILD, type_name::<Self>()]).arg(serde_json::to_string(self)?);
        command.stderr(Stdio::inherit());
        self.set_up(&mut command);
        Ok(command)
    }

    /// Runs a child to its end and returns its results.
    fn outcome(&self) -> Result<Self::Outcome> {
        let output = self.command()?.output()?;
        if !output.status.success() {
            return Err(format!("the child process failed: {}", output.status).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

/// If this process is a child with a job of type `J`, does the job, writes the results to standard output, and
/// returns `true`.
pub fn perform<J: Job>() -> Result<bool> {
    let arguments: Vec<String> = env::args().skip(2).collect();
    let [kind, job] = arguments.as_slice() else { return Ok(false) };
    if kind != type_name::<J>() {
        return Ok(false);
    }
    // Other threads may wait for the one that panicked, so exit.
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        report(info);
        process::exit(101);
    }));
    let job: J = serde_json::from_str(job)?;
    serde_json::to_writer(io::stdout(), &job.run()?)?;
    Ok(true)
}

/// If this process is a child, does its job, which is of one of these kinds, and returns `true`.
pub(crate) fn perform_any(kinds: &[fn() -> Result<bool>]) -> Result<bool> {
    if env::args().nth(1).is_none_or(|first| first != CHILD) {
        return Ok(false);
    }
    for perform in kinds {
        if perform()? {
            return Ok(true);
        }
    }
    Err("unknown kind of job".into())
}

/// The results of each round.
#[derive(Clone, Debug, Serialize)]
pub struct Rounds<K, F = <K as Job>::Outcome> {
    /// What was measured; the job, if children measured it.
    pub of: K,
    /// Round by round.
    pub found: Vec<F>,
}

impl<K, F> Rounds<K, F> {
    /// Returns the spread of a figure over the rounds.
    pub fn spread(&self, figure: impl Fn(&F) -> f64) -> Spread {
        Spread::of(self.found.iter().map(figure))
    }

    /// Returns the spread of a figure; `None` if a round lacks it.
    pub fn spread_of_some(&self, figure: impl Fn(&F) -> Option<f64>) -> Option<Spread> {
        let figures: Option<Vec<f64>> = self.found.iter().map(figure).collect();
        figures.map(Spread::of)
    }
}

/// Runs all jobs in children, interleaved.
pub fn rounds<J: Job>(
    jobs: impl IntoIterator<Item = J>,
    repetitions: usize,
    name: impl Fn(&J) -> String,
) -> Result<Vec<Rounds<J>>> {
    rounds_of(jobs, repetitions, name, J::outcome)
}

/// Measures all keys, interleaved.
pub fn rounds_of<K, F>(
    all: impl IntoIterator<Item = K>,
    repetitions: usize,
    name: impl Fn(&K) -> String,
    measure: impl FnMut(&K) -> Result<F>,
) -> Result<Vec<Rounds<K, F>>> {
    let all: Vec<K> = all.into_iter().collect();
    let found = harness::in_turns(&all, |_| repetitions, name, measure)?;
    Ok(all.into_iter().zip(found).map(|(of, found)| Rounds { of, found }).collect())
}
