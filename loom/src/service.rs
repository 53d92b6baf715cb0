//! The surroundings of `ownership.rs` and `shared.rs`.

pub(crate) mod sync {
    pub(super) use loom::sync::{Mutex, MutexGuard, atomic};

    pub(crate) mod thread {
        pub(crate) use loom::thread::{Thread, current, yield_now};

        pub(crate) fn sleep(_: std::time::Duration) {
            yield_now();
        }
    }
}

#[path = "../../src/service/lock.rs"]
mod lock;
#[path = "../../src/service/ownership.rs"]
mod ownership;
#[path = "../../src/service/presence.rs"]
mod presence;
mod presence_interleavings;
#[path = "../../src/service/shared.rs"]
#[expect(dead_code, reason = "the service's registry is not modelled")]
mod shared;

pub(crate) use ownership::Work;
pub(crate) use shared::Shared;

use crate::reservation::{Pages, Reservation};
use std::sync::Arc;

/// As large as a step, so that few pages make several steps.
pub(crate) const UNIT_BYTES: usize = 512 << 10;

const LEAST_WINDOW_BYTES: usize = UNIT_BYTES;

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT_BYTES)
}

fn bytes(units: usize) -> usize {
    units * UNIT_BYTES
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum CommitAhead {
    Auto,
}

impl CommitAhead {
    fn follows_growth(self) -> bool {
        self == Self::Auto
    }

    fn first_least_bytes(self) -> usize {
        self.least_bytes()
    }

    fn least_bytes(self) -> usize {
        LEAST_WINDOW_BYTES
    }
}

/// No region cache is beside this model.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Use {}

unsafe fn release_later(memory: Reservation, _: std::ops::Range<usize>, _: Option<Use>) {
    memory.release();
}

#[derive(Debug)]
pub(crate) struct Service;

impl Service {
    fn is_of_another_process(&self) -> bool {
        false
    }

    fn is_pressed(&self) -> bool {
        false
    }

    fn note_late(&self) {}

    fn note_retiring(&self) {}

    fn note_retired(&self) {}

    fn note_available(&self, _: u64) {}
}

/// Creates the shared part of a reservation of which nothing is committed.
pub(crate) fn shared() -> (Shared, Arc<Pages>) {
    let (reservation, pages) = Reservation::new();
    (Shared::new(reservation, 0, CommitAhead::Auto, None, &Service), pages)
}

pub(crate) fn be_served_by(shared: &mut Shared, thread: sync::thread::Thread) {
    shared.be_served_by(thread);
}

pub(crate) fn request_work(shared: &Shared) {
    shared.request_work();
}

pub(crate) fn take_request(shared: &Shared) -> bool {
    shared.take_request()
}
