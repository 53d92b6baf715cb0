//! The game loops, and how they are timed.

use std::hint::black_box;
use std::ops::Range;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::child::{Job, Outcome, Pass};
use crate::containers::Spawner;
use crate::entity::{self, Entity};
use crate::usage;

/// What happens in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Scenario {
    /// The same number of entities is spawned in every frame, and none is removed.
    SteadySpawn,
}

impl Scenario {
    pub(crate) const ALL: &[Self] = &[Self::SteadySpawn];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SteadySpawn => "steady spawn",
        }
    }
}

/// A frame at 60 Hz.
pub(crate) const FRAME: Duration = Duration::from_nanos(16_666_667);

/// Runs one job on one fresh container.
pub(crate) fn measure<S: Spawner>(job: &Job, mut container: S) -> Outcome {
    let mut outcome = match (job.scenario, job.pass) {
        (Scenario::SteadySpawn, Pass::Frames) => steady_frames(job, &mut container),
        (Scenario::SteadySpawn, Pass::Pushes) => steady_pushes(job, &mut container),
    };
    outcome.peak_rss_bytes = usage::peak_rss_bytes();
    let expected = entity::expected_sum(job.total() as u64);
    assert_eq!(container.sum(), expected, "{} lost or changed entities", job.container);
    outcome
}

/// Times whole frames. Only the spawning is inside the clock: preparing, pacing and counting page
/// faults happen between frames.
fn steady_frames<S: Spawner>(job: &Job, container: &mut S) -> Outcome {
    let mut frame_ns = resident_samples(job.frames);
    let mut idle_ns_max = 0;
    let mut page_faults = usage::page_faults().map(|_| 0);
    let mut pace = Pace::new(job.paced);

    for indices in frames(job) {
        let idle = Instant::now();
        container.prepare(job.spawn);
        idle_ns_max = idle_ns_max.max(nanoseconds(idle.elapsed()));
        pace.wait();

        let faults_before = usage::page_faults();
        let start = Instant::now();
        spawn(container, black_box(indices));
        frame_ns.push(nanoseconds(start.elapsed()));
        if let (Some(total), Some(before), Some(after)) =
            (&mut page_faults, faults_before, usage::page_faults())
        {
            *total += after - before;
        }
    }
    Outcome { frame_ns, idle_ns_max, page_faults, ..Outcome::default() }
}

/// Never inlined, so that every container's loop is compiled in the same surroundings.
#[inline(never)]
fn spawn<S: Spawner>(container: &mut S, indices: Range<u64>) {
    for index in indices {
        container.push(Entity::spawn(index));
    }
}

/// Times every push by itself, from one reading of the clock to the next. That takes longer than
/// the push, so frame times come from the other pass.
fn steady_pushes<S: Spawner>(job: &Job, container: &mut S) -> Outcome {
    let mut worst = Duration::ZERO;
    for indices in frames(job) {
        container.prepare(job.spawn);
        worst = worst.max(worst_push(container, black_box(indices)));
    }
    Outcome { worst_push_ns: nanoseconds(worst), ..Outcome::default() }
}

#[inline(never)]
fn worst_push<S: Spawner>(container: &mut S, indices: Range<u64>) -> Duration {
    let mut worst = Duration::ZERO;
    let mut before = Instant::now();
    for index in indices {
        container.push(Entity::spawn(index));
        let after = Instant::now();
        worst = worst.max(after - before);
        before = after;
    }
    worst
}

/// The indices that each frame spawns.
fn frames(job: &Job) -> impl Iterator<Item = Range<u64>> {
    let spawn = job.spawn as u64;
    (0..job.frames as u64).map(move |frame| frame * spawn..(frame + 1) * spawn)
}

/// Room for the samples, its pages touched, so that noting a sample takes no page fault.
fn resident_samples(count: usize) -> Vec<u64> {
    let mut samples = vec![u64::MAX; count];
    black_box(&mut samples).clear();
    samples
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Starts frames at 60 Hz, or at once.
struct Pace {
    next: Option<Instant>,
}

impl Pace {
    fn new(paced: bool) -> Self {
        Self { next: paced.then(|| Instant::now() + FRAME) }
    }

    /// A frame that is late starts at once, and those after it keep their distance from it, as in
    /// a game that drops frames instead of catching up.
    fn wait(&mut self) {
        if let Some(next) = &mut self.next {
            thread::sleep(next.saturating_duration_since(Instant::now()));
            *next = Instant::now().max(*next) + FRAME;
        }
    }
}
