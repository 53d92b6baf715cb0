//! The loop of frames, and how it is timed.

use std::ops::Range;
use std::time::{Duration, Instant};

use bench_common::memory::resident;
use bench_common::spread::nanoseconds;
use bench_common::usage::{self, Resident};

use super::pace::Pace;
use crate::child::{Job, Outcome, Pass};

/// A loop around fresh containers.
pub(super) trait Game {
    /// What the loop itself does between two frames. Outside every clock.
    fn set_up(&mut self);

    /// What is done for the containers in the idle time before a frame; tells whether anything is.
    fn prepare(&mut self) -> bool;

    fn frame(&mut self);

    /// [`frame`](Self::frame), each push timed by itself, from one reading of the clock to the next.
    fn longest_push(&mut self) -> Duration;

    /// How often a thread that works ahead was late, so far; `None` where there is none.
    fn late(&self) -> Option<u64>;
}

/// Runs one job. One run can't time frames and pushes both: reading the clock takes longer than a
/// push.
pub(super) fn play(job: &Job, game: &mut impl Game) -> Outcome {
    let outcome = match job.pass {
        Pass::Frames => frames(job, game),
        Pass::Pushes => pushes(job, game),
    };
    Outcome { peak_rss_bytes: usage::peak_rss_bytes(), late: game.late(), ..outcome }
}

/// Times whole frames. Preparing, pacing, and looking at page faults and memory happen between them.
fn frames(job: &Job, game: &mut impl Game) -> Outcome {
    let count = job.script.frames;
    let mut frame_ns = resident(count, u64::MAX);
    let mut resident_bytes = resident(count, u64::MAX);
    let mut idle_ns_max = None;
    let mut page_faults = usage::page_faults().map(|_| 0);
    let memory = Resident::open();
    let mut pace = Pace::new(job.period());

    for _ in 0..count {
        game.set_up();
        let idle = Instant::now();
        if game.prepare() {
            idle_ns_max = idle_ns_max.max(Some(nanoseconds(idle.elapsed())));
        }
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
        resident_bytes.extend(memory.as_ref().and_then(Resident::bytes));
    }
    Outcome { frame_ns, resident_bytes, idle_ns_max, page_faults, ..Outcome::default() }
}

fn pushes(job: &Job, game: &mut impl Game) -> Outcome {
    let mut longest = Duration::ZERO;
    let mut pace = Pace::new(job.period());
    for _ in 0..job.script.frames {
        game.set_up();
        game.prepare();
        pace.wait();
        longest = longest.max(game.longest_push());
    }
    Outcome { worst_push_ns: nanoseconds(longest), ..Outcome::default() }
}

/// Does that with every index, and tells how long the longest took, from one reading of the clock to
/// the next.
#[inline]
pub(super) fn longest(indices: Range<u64>, mut each: impl FnMut(u64)) -> Duration {
    let mut longest = Duration::ZERO;
    let mut before = Instant::now();
    for index in indices {
        each(index);
        let after = Instant::now();
        longest = longest.max(after - before);
        before = after;
    }
    longest
}
