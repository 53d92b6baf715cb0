//! The loop of the background thread.

#![forbid(unsafe_code)]

use super::registry::{Job, Service};
use super::shared::{NotTaken, Shared};
use crate::os::{self, Priority};
use crate::region_cache;
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
    service.set_returns_old(!is_alone);
    os::lower_priority(if is_alone { Priority::Idle } else { Priority::Background });
    let mut steps = 1_usize;
    let mut late = service.late();
    // Whether the region cache was empty at the last look.
    let mut is_empty = false;
    loop {
        match service.next() {
            // An array that was late a moment ago is running and needs the processor.
            Job::Prefault(_) if is_alone && service.late() != late => {
                late = service.late();
                thread::sleep(PAUSE);
            }
            Job::Prefault(shared) => {
                match shared.step(&mut |_| true) {
                    Ok(true) => steps = steps.wrapping_add(1),
                    // What is cached is of less use.
                    Err(_) if region_cache::release_all() => {}
                    // An array that is working there asks again when it is done. What was refused is tried again when
                    // the array has grown by itself.
                    Ok(false) | Err(_) => service.rest(&shared),
                }
                if steps % STEPS_A_RELEASE == 0 {
                    region_cache::release_waiting_piece();
                }
            }
            Job::TakeBack(shared, most) => took_back(service, &shared, shared.take_back(most)),
            Job::TakeSurplusBack(shared) => {
                took_back(service, &shared, shared.take_surplus_back());
            }
            Job::Wait(_) if region_cache::release_waiting_piece() => {}
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
                    if !wait.is_zero() && region_cache::is_memory_short() {
                        region_cache::release_all();
                    }
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
