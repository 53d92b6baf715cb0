//! The game loops, and how they are timed.

pub(crate) mod churn;
pub(crate) mod steady;

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::child::{Job, Outcome, Pass};
use crate::usage;

/// What happens in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Scenario {
    /// The same number of entities is spawned in every frame, and none is removed.
    SteadySpawn,
    /// Some entities of many are removed in every frame and some more are spawned.
    Churn,
}

impl Scenario {
    pub(crate) const ALL: [Self; 2] = [Self::SteadySpawn, Self::Churn];

    /// For the command line and for names of files.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::SteadySpawn => "steady",
            Self::Churn => "churn",
        }
    }

    /// For people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SteadySpawn => "steady spawn",
            Self::Churn => "churn",
        }
    }
}

/// A frame at 60 Hz.
pub(crate) const FRAME: Duration = Duration::from_nanos(16_666_667);

/// A loop around one fresh container.
trait Game {
    /// What the loop itself does between two frames. Outside every clock.
    fn set_up(&mut self);

    /// What the container does in the idle time before a frame.
    fn prepare(&mut self);

    fn frame(&mut self);

    /// [`frame`](Self::frame), each push timed by itself, from one reading of the clock to the next.
    fn worst_push(&mut self) -> Duration;
}

/// Runs one job. One run can't time frames and pushes both: reading the clock takes longer than a
/// push.
fn play(job: &Job, game: &mut impl Game) -> Outcome {
    let outcome = match job.pass {
        Pass::Frames => frames(job, game),
        Pass::Pushes => pushes(job, game),
    };
    Outcome { peak_rss_bytes: usage::peak_rss_bytes(), ..outcome }
}

/// Times whole frames. Preparing, pacing and counting page faults happen between them.
fn frames(job: &Job, game: &mut impl Game) -> Outcome {
    let mut frame_ns = resident(job.frames, u64::MAX);
    let mut idle_ns_max = 0;
    let mut page_faults = usage::page_faults().map(|_| 0);
    let mut pace = Pace::new(job.paced);

    for _ in 0..job.frames {
        game.set_up();
        let idle = Instant::now();
        game.prepare();
        idle_ns_max = idle_ns_max.max(nanoseconds(idle.elapsed()));
        pace.wait();

        let faults_before = usage::page_faults();
        let start = Instant::now();
        game.frame();
        frame_ns.push(nanoseconds(start.elapsed()));
        if let (Some(total), Some(before), Some(after)) =
            (&mut page_faults, faults_before, usage::page_faults())
        {
            *total += after - before;
        }
    }
    Outcome { frame_ns, idle_ns_max, page_faults, ..Outcome::default() }
}

fn pushes(job: &Job, game: &mut impl Game) -> Outcome {
    let mut worst = Duration::ZERO;
    for _ in 0..job.frames {
        game.set_up();
        game.prepare();
        worst = worst.max(game.worst_push());
    }
    Outcome { worst_push_ns: nanoseconds(worst), ..Outcome::default() }
}

/// Room for so many, its pages touched, so that adding one takes no page fault.
fn resident<T: Copy>(count: usize, filler: T) -> Vec<T> {
    // Of zeroes a vector could be made without touching pages.
    let mut values = vec![black_box(filler); count];
    black_box(&mut values).clear();
    values
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
