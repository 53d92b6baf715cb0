//! What the background thread does.

#![forbid(unsafe_code)]

use super::registry::{Job, Service};
use super::releases::Begun;
use super::shared::{Kept, Shared};
use super::{KEPT_BYTES, Legacy, Memory, RELEASE_BYTES, decommit_behind};
use crate::keeper;
use crate::os::{self, Priority};
use crate::reservation::Reservation;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// After so many steps a release goes on although there are more: memory that nobody uses is not kept
/// for long, however fast arrays grow.
const STEPS_A_RELEASE: usize = 16;

/// When nothing is kept, it is looked once more after this, if not before, and then it is to be told.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Of work on the only processor, while arrays that are late need it themselves.
const PAUSE: Duration = Duration::from_millis(1);

/// Works until nobody needs it any more.
pub(super) fn run(service: &'static Service) {
    // Where there is one processor, time slices would be taken from those who are to be spared them.
    let is_alone = thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
    os::lower_priority(if is_alone { Priority::Idle } else { Priority::Background });
    let mut releasing: Option<Releasing> = None;
    let mut steps = 1_usize;
    let mut late = service.late();
    // Whether nothing was kept when it last looked.
    let mut is_empty = false;
    loop {
        match service.next(releasing.is_some()) {
            // Whoever was late a moment ago has the processor, and shall keep it.
            Job::Prefault(_) if is_alone && service.late() != late => {
                late = service.late();
                thread::sleep(PAUSE);
            }
            Job::Prefault(shared) => {
                match shared.step(&mut |_| true) {
                    Ok(true) => steps = steps.wrapping_add(1),
                    // An array that is at work there asks again when it is done. What was refused is
                    // tried again when the array has grown by itself.
                    Ok(false) | Err(_) => service.rest(&shared),
                }
                if steps % STEPS_A_RELEASE == 0 {
                    releasing = releasing.and_then(|releasing| releasing.go_on(service));
                }
            }
            Job::TakeBack(shared) => took_back(service, &shared, shared.take_back()),
            Job::TakeSurplusBack(shared) => {
                took_back(service, &shared, shared.take_surplus_back());
            }
            Job::Release(begun, memory, bytes) => {
                releasing = Some(Releasing::new(begun, memory, bytes));
            }
            Job::Wait(_) if releasing.is_some() => {
                releasing = releasing.and_then(|releasing| releasing.go_on(service));
            }
            // Whoever is at work has the processor: he would wait for mappings that are changed while he is.
            Job::Wait(most) if is_alone => service.sleep(most),
            Job::Wait(most) => match keeper::age() {
                None if is_empty => {
                    is_empty = false;
                    service.sleep_until_kept(most);
                }
                // Once with a time, so that who has some for each frame does not wake it in each.
                None => {
                    is_empty = true;
                    let again = keeper::time().min(LOOK_AGAIN);
                    service.sleep(most.into_iter().chain([again]).min());
                }
                Some(wait) => {
                    is_empty = false;
                    service.sleep(most.into_iter().chain([wait]).min());
                }
            },
            Job::End => return,
        }
    }
}

fn took_back(service: &Service, shared: &Arc<Shared>, taken: Result<usize, Kept>) {
    match taken {
        Ok(1..) => {}
        Err(Kept::Busy) => service.postpone(shared),
        Ok(0) | Err(Kept::Refused) => service.give_up(shared),
    }
}

/// Memory that is being released, a piece at a time: to unmap much at once would keep all others
/// from changing mappings for as long as it takes.
pub(super) struct Releasing {
    reservation: Option<Reservation>,
    /// What may be committed yet.
    left: usize,
    /// What was so at first, and how much of it is resident.
    committed: usize,
    touched: usize,
    begun: Begun,
    /// For whom the first of it is kept.
    legacy: Option<Legacy>,
}

impl Releasing {
    pub(super) fn new(begun: Begun, memory: Memory, bytes: usize) -> Self {
        let touched = memory.touched_bytes(bytes);
        let (reservation, committed) = memory.into_reservation(bytes).unzip();
        let (left, legacy) = (committed.unwrap_or(0), begun.legacy);
        Self { reservation, left, committed: left, touched, begun, legacy }
    }

    /// Has nothing of it be kept.
    pub(super) fn keeping_nothing(self) -> Self {
        Self { legacy: None, ..self }
    }

    /// Releases a piece, and returns the rest, if there is any. The last of it goes to who keeps it, if anybody
    /// does.
    pub(super) fn go_on(mut self, service: &Service) -> Option<Self> {
        if service.is_pressed() {
            self.legacy = None;
        }
        if let Some(reservation) = &mut self.reservation {
            let least = if self.legacy.is_some() { KEPT_BYTES } else { RELEASE_BYTES };
            if self.left > least {
                let unit = RELEASE_BYTES;
                let start = (self.left - 1) / unit * unit;
                // If it is refused, it will all go at once.
                if reservation.abandon(start..self.left) {
                    self.left = start;
                    return Some(self);
                }
            }
        }
        let keep = self.left.min(self.touched);
        if let Some(legacy) = self.legacy.take().filter(|_| 0 < keep && keep <= KEPT_BYTES) {
            let committed = self.committed;
            // What has gone was charged until now.
            self.reservation = self.reservation.and_then(|mut reservation| {
                if decommit_behind(&mut reservation, keep, committed) {
                    (legacy.keep)(reservation, keep)
                } else {
                    Some(reservation)
                }
            });
            if self.reservation.is_some() {
                return Some(self);
            }
        }
        drop(self.reservation);
        service.end_release(self.begun);
        None
    }
}
