//! The loop of the background thread.

#![forbid(unsafe_code)]

use super::registry::{Job, Service};
use super::releases::ReleaseToken;
use super::shared::{NotTaken, Shared};
use super::{Handoff, KEPT_BYTES, MaybeServed, RELEASE_BYTES, decommit_past};
use crate::os::{self, Priority};
use crate::region_cache;
use crate::reservation::Reservation;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// After this many steps a release continues even if there are more steps to do, so that unused memory is returned soon
/// while arrays grow fast.
const STEPS_A_RELEASE: usize = 16;

/// How long the thread sleeps at most, the first time that nothing is cached. The second time it sleeps until it is
/// woken.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// How long the thread pauses on a single processor while arrays that are late need that.
const PAUSE: Duration = Duration::from_millis(1);

/// Works until the service has nothing left to do.
pub(super) fn run(service: &'static Service) {
    // On a single processor, time slices would be taken from the program.
    let is_alone = thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
    os::lower_priority(if is_alone { Priority::Idle } else { Priority::Background });
    let mut releasing: Option<Releasing> = None;
    let mut steps = 1_usize;
    let mut late = service.late();
    // Whether the region cache was empty at the last look.
    let mut is_empty = false;
    loop {
        match service.next(releasing.is_some()) {
            // An array that was late a moment ago is running and needs the processor.
            Job::Prefault(_) if is_alone && service.late() != late => {
                late = service.late();
                thread::sleep(PAUSE);
            }
            Job::Prefault(shared) => {
                match shared.step(&mut |_| true) {
                    Ok(true) => steps = steps.wrapping_add(1),
                    // An array that is working there asks again when it is done. What was refused is tried again when
                    // the array has grown by itself.
                    Ok(false) | Err(_) => service.rest(&shared),
                }
                if steps % STEPS_A_RELEASE == 0 {
                    releasing = releasing.and_then(|releasing| releasing.release_piece(service));
                }
            }
            Job::TakeBack(shared, most) => took_back(service, &shared, shared.take_back(most)),
            Job::TakeSurplusBack(shared) => {
                took_back(service, &shared, shared.take_surplus_back());
            }
            Job::Release(token, memory, bytes) => {
                releasing = Some(Releasing::new(token, memory, bytes));
            }
            Job::Wait(_) if releasing.is_some() => {
                releasing = releasing.and_then(|releasing| releasing.release_piece(service));
            }
            // Cached regions are not released: on a single processor the program would wait for the change of mappings.
            Job::Wait(most) if is_alone => service.sleep(most),
            Job::Wait(most) => match region_cache::release_aged() {
                None if is_empty => {
                    is_empty = false;
                    service.sleep_until_kept(most);
                }
                // With a timeout the first time, so that a program that caches something in each frame does not wake
                // the thread in each.
                None => {
                    is_empty = true;
                    let again = region_cache::time().min(LOOK_AGAIN);
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

fn took_back(service: &Service, shared: &Arc<Shared>, taken: Result<usize, NotTaken>) {
    match taken {
        Ok(1..) => {}
        Err(NotTaken::Busy) => service.postpone(shared),
        Ok(0) | Err(NotTaken::Refused) => service.stop_taking_back(shared),
    }
}

/// Memory that is being released, one piece at a time. Unmapping much at once would block all other threads from
/// changing mappings for as long.
pub(super) struct Releasing {
    reservation: Option<Reservation>,
    /// How many bytes may still be committed.
    left: usize,
    /// How many were at first, and how many of those are resident.
    committed: usize,
    touched: usize,
    token: ReleaseToken,
    /// Caches the first part of it, if there is one.
    handoff: Option<Handoff>,
}

impl Releasing {
    pub(super) fn new(token: ReleaseToken, memory: MaybeServed, bytes: usize) -> Self {
        let touched = memory.touched_bytes(bytes);
        let (reservation, committed) = memory.into_reservation(bytes).unzip();
        let (left, handoff) = (committed.unwrap_or(0), token.handoff);
        Self { reservation, left, committed: left, touched, token, handoff }
    }

    /// Releases all of it, without caching a part.
    pub(super) fn keeping_nothing(self) -> Self {
        Self { handoff: None, ..self }
    }

    /// Releases a piece, and returns the rest if there is any. The last piece is cached if there is a `handoff`.
    pub(super) fn release_piece(mut self, service: &Service) -> Option<Self> {
        if service.is_pressed() {
            self.handoff = None;
        }
        if let Some(reservation) = &mut self.reservation {
            let least = if self.handoff.is_some() { KEPT_BYTES } else { RELEASE_BYTES };
            if self.left > least {
                let unit = RELEASE_BYTES;
                let start = (self.left - 1) / unit * unit;
                // If this is refused, all of it is released at once.
                if reservation.abandon(start..self.left) {
                    self.left = start;
                    return Some(self);
                }
            }
        }
        let keep = self.left.min(self.touched);
        if let Some(handoff) = self.handoff.take().filter(|_| 0 < keep && keep <= KEPT_BYTES) {
            let committed = self.committed;
            // What was decommitted or abandoned was charged until now.
            self.reservation = self.reservation.and_then(|mut reservation| {
                if decommit_past(&mut reservation, keep, committed) {
                    (handoff.keep)(reservation, keep)
                } else {
                    Some(reservation)
                }
            });
            if self.reservation.is_some() {
                return Some(self);
            }
        }
        drop(self.reservation);
        service.end_release(self.token);
        None
    }
}
