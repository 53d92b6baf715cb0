//! Running what is planned, and the figures of its samples.

use std::time::{Duration, Instant};

use super::{Bench, Case, Container, Operation, Sample, Times, containers};
use crate::harness::{self, Result};
use crate::jobs::Job;
use crate::memory;
use crate::progress::Progress;
use crate::spread::Spread;

/// A case that is to be measured.
#[derive(Debug)]
pub struct Planned<B: Bench> {
    /// The size.
    pub case: B::Case,
    /// The number of rounds.
    pub repetitions: usize,
    /// The operations, in the order in which they are done.
    pub operations: Vec<B::Operation>,
    /// The structures.
    pub containers: Vec<&'static Container<B>>,
}

/// The samples of a case.
#[derive(Debug)]
pub struct Results<B: Bench> {
    /// The size.
    pub case: B::Case,
    /// By structure, in the order of the report.
    pub measured: Vec<Measured<B>>,
}

/// The samples of a structure.
#[derive(Debug)]
pub struct Measured<B: Bench> {
    /// The structure.
    pub container: &'static Container<B>,
    /// By round.
    pub rounds: Vec<Vec<Sample<B::Operation>>>,
}

impl<B: Bench> Planned<B> {
    /// Whether there is anything to measure.
    pub fn is_something(&self) -> bool {
        !self.operations.is_empty() && !self.containers.is_empty()
    }

    fn not_measured(&self) -> Results<B> {
        let none = |&container| Measured { container, rounds: Vec::new() };
        Results { case: self.case, measured: self.containers.iter().map(none).collect() }
    }
}

/// Measures all cases, interleaved: the structures of a case one after the other, and all of them again in the next round,
/// so that a machine that slows down slows all of them. Begins no further round of a case that has had one and would
/// not end within the time `enough`.
///
/// # Panics
///
/// Panics if the checksums of two structures differ.
pub fn measure<B: Bench>(
    cases: &[Planned<B>],
    enough: Option<Duration>,
) -> Result<Vec<Results<B>>> {
    let start = Instant::now();
    let steps = |planned: &Planned<B>| planned.repetitions * planned.containers.len();
    let mut progress = Progress::new(cases.iter().map(steps).sum());
    let mut all: Vec<Results<B>> = cases.iter().map(Planned::not_measured).collect();
    let mut took = vec![Duration::ZERO; cases.len()];
    let rounds = cases.iter().map(|planned| planned.repetitions).max().unwrap_or(0);
    for round in 0..rounds {
        for ((planned, results), took) in cases.iter().zip(&mut all).zip(&mut took) {
            let late = enough.is_some_and(|enough| start.elapsed() + *took > enough);
            let has_some = results.measured.iter().any(|one| !one.rounds.is_empty());
            if !harness::is_due(planned.repetitions, round, rounds) || late && has_some {
                continue;
            }
            let turn = Instant::now();
            for (place, Measured { container, rounds }) in results.measured.iter_mut().enumerate() {
                progress.begin(format!("{}, {}", planned.case, container.name));
                rounds.push(one_round(planned, container, place == 0 || !B::TOUCHES_ONCE)?);
            }
            *took = turn.elapsed();
        }
    }
    all.iter().for_each(check);
    Ok(all)
}

/// Measures all operations once: those on fresh memory in a process each, the others in one.
fn one_round<B: Bench>(
    planned: &Planned<B>,
    container: &Container<B>,
    touches: bool,
) -> Result<Vec<Sample<B::Operation>>> {
    let (fresh, others): (Vec<B::Operation>, Vec<B::Operation>) =
        planned.operations.iter().partition(|operation| operation.needs_new_process());
    let mut samples = Vec::new();
    let lives = fresh.chunks(1).chain([others.as_slice()]).filter(|life| !life.is_empty());
    for operations in lives {
        if touches {
            memory::touch(planned.case.bytes())?;
        }
        let found = container.life(planned.case, operations, Times::Usual).outcome();
        samples.extend(found.map_err(|error| format!("measuring {}: {error}", container.name))?);
    }
    Ok(samples)
}

/// Performs all operations of these cases in this process.
///
/// # Panics
///
/// Panics if the checksums of two structures differ.
pub fn smoke<B: Bench>(
    cases: impl IntoIterator<Item = B::Case>,
    has_it: impl Fn(B::Case, B::Operation) -> bool,
) -> Vec<Results<B>> {
    let of_case = |case| {
        let operations = || B::Operation::LIFE.iter().copied().filter(|&one| has_it(case, one));
        let measured = containers(case).map(|container: &'static Container<B>| Measured {
            container,
            rounds: vec![container.live(case, operations(), Times::Usual)],
        });
        Results { case, measured: measured.collect() }
    };
    let all: Vec<Results<B>> = cases.into_iter().map(of_case).collect();
    all.iter().for_each(check);
    all
}

/// Checks that all structures did the same work.
fn check<B: Bench>(Results { case, measured }: &Results<B>) {
    for operation in B::Operation::all() {
        let found = measured.iter().flat_map(|Measured { container, rounds }| {
            rounds.iter().map(move |round| {
                // Later results may depend on what was done before.
                let samples = round.iter().filter(|sample| sample.operation == operation);
                (container.name, samples.map(|sample| sample.checksum).collect::<Vec<u64>>())
            })
        });
        let found = found.filter(|(_, checksums)| !checksums.is_empty());
        harness::check_same(format_args!("{}, {case}", operation.name()), found);
    }
}

impl<B: Bench> Measured<B> {
    /// Returns the spread of an operation over all samples, in its unit.
    pub fn spread(&self, operation: B::Operation) -> Option<Spread> {
        spread(self.rounds.iter().flatten(), operation)
    }

    /// Returns the spread of the ratios of the medians of each round.
    fn ratio_to(&self, best: &Self, operation: B::Operation) -> Option<Spread> {
        let median = |round: &[_]| Some(spread(round, operation)?.median);
        let rounds = self.rounds.iter().zip(&best.rounds);
        Spread::of_some(
            rounds.filter_map(|(own, best)| Some(B::ratio(median(own)?, median(best)?))),
        )
    }
}

fn spread<'s, O: Operation>(
    samples: impl IntoIterator<Item = &'s Sample<O>>,
    operation: O,
) -> Option<Spread> {
    let samples = samples.into_iter().filter(|sample| sample.operation == operation);
    Spread::of_some(samples.map(|sample| sample.value / operation.unit()))
}

/// The ratios of a structure and its best rival, by rounds.
#[derive(Debug)]
pub struct Ratio {
    /// The id of the best rival.
    pub best: &'static str,
    /// The name of the best rival.
    pub best_name: &'static str,
    /// The spread over the rounds.
    pub spread: Spread,
}

impl<B: Bench> Results<B> {
    /// Iterates over the operations that were measured, in the order of the report.
    pub fn operations(&self) -> impl Iterator<Item = B::Operation> {
        let has_it = |one: &B::Operation| self.measured.iter().any(|by| by.spread(*one).is_some());
        B::Operation::all().filter(has_it)
    }

    /// Returns the samples of the structure with this id.
    pub fn by(&self, id: &str) -> Option<&Measured<B>> {
        self.measured.iter().find(|one| one.container.id == id)
    }

    /// Returns the structure with the lowest median among some, and its spread.
    pub fn best(
        &self,
        operation: B::Operation,
        is_one: impl Fn(&Container<B>) -> bool,
    ) -> Option<(&Measured<B>, Spread)> {
        let some = self.measured.iter().filter(|one| is_one(one.container));
        some.filter_map(|one| Some((one, one.spread(operation)?)))
            .min_by(|(_, one), (_, other)| one.median.total_cmp(&other.median))
    }

    /// Returns the ratios of a structure and the best of these rivals.
    pub fn ratio(
        &self,
        own: &Measured<B>,
        rivals: &[&str],
        operation: B::Operation,
    ) -> Option<Ratio> {
        let (best, _) = self.best(operation, |one| rivals.contains(&one.id))?;
        let spread = own.ratio_to(best, operation)?;
        Some(Ratio { best: best.container.id, best_name: best.container.name, spread })
    }
}
