//! Calls whose latency is measured while another thread is at work.

#![expect(unsafe_code, reason = "touches pages of a reservation")]

use std::hint::{black_box, spin_loop};
use std::time::{Duration, Instant};

use bench_common::memory::{Entity, entity, resident};
use bench_common::spread::nanoseconds;
use serde::Serialize;
use stayput::{Error, HugePages, Reservation, VmVec, page_size};

use crate::samples::Run;

/// What is done again and again, and timed each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Call {
    /// The first touch of a page that is committed.
    Touch,
    /// A commit of 64 KiB, behind the one before.
    Commit,
    /// 64 pushes of 64 bytes into memory that is warm: no call, and so what the machine adds.
    Push,
}

/// How many are timed in a run at most: so much memory is there for them.
const MOST: usize = 1 << 14;

/// Between the end of a call and the next. A thread that did nothing but calls would have the lock
/// much of the time, and hinder the other more than growing arrays do.
const GAP: Duration = Duration::from_micros(20);

const COMMIT_BYTES: usize = 64 << 10;

impl Call {
    pub(crate) const ALL: [Self; 3] = [Self::Touch, Self::Commit, Self::Push];

    /// With memory of its own.
    pub(crate) fn caller(self) -> Result<Caller, Error> {
        let call: Box<dyn FnMut(usize) -> Result<(), Error> + Send> = match self {
            Self::Touch => {
                let page = page_size();
                let memory = reserve(MOST * page)?;
                memory.commit(..)?;
                Box::new(move |n| {
                    // SAFETY: `n` is less than `MOST`, and so many pages are reserved.
                    let first = unsafe { memory.as_ptr().add(n * page) };
                    // SAFETY: all is committed, and nobody else has it.
                    unsafe { first.write_volatile(1) };
                    Ok(())
                })
            }
            Self::Commit => {
                let memory = reserve(MOST * COMMIT_BYTES)?;
                Box::new(move |n| memory.commit(n * COMMIT_BYTES..(n + 1) * COMMIT_BYTES))
            }
            Self::Push => {
                const PUSHES: u64 = 64;
                let mut array: VmVec<Entity> = (0..PUSHES).map(entity).collect();
                Box::new(move |_| {
                    array.clear();
                    for n in 0..PUSHES {
                        array.push(entity(black_box(n)));
                    }
                    black_box(array.as_slice());
                    Ok(())
                })
            }
        };
        Ok(Caller { call, samples: resident(MOST, u64::MAX) })
    }
}

fn reserve(bytes: usize) -> Result<Reservation, Error> {
    Reservation::builder().bytes(bytes).huge_pages(HugePages::Never).reserve()
}

/// Makes calls of one kind.
pub(crate) struct Caller {
    /// Is told how many there were before.
    call: Box<dyn FnMut(usize) -> Result<(), Error> + Send>,
    samples: Vec<u64>,
}

impl Caller {
    /// Makes calls while `goes_on`, and there is memory for them.
    pub(crate) fn run(mut self, goes_on: impl Fn() -> bool) -> Result<Run, Error> {
        for n in 0..MOST {
            if !goes_on() {
                break;
            }
            let start = Instant::now();
            (self.call)(n)?;
            let end = Instant::now();
            self.samples.push(nanoseconds(end - start));
            // Not asleep: waking up would be in the time of the next.
            while end.elapsed() < GAP {
                spin_loop();
            }
        }
        Ok(Run::of(&mut self.samples))
    }

    /// Makes calls for so long.
    pub(crate) fn run_for(self, time: Duration) -> Result<Run, Error> {
        let start = Instant::now();
        self.run(|| start.elapsed() < time)
    }
}
