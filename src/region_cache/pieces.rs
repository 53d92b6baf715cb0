//! The regions of the cache: putting, taking and releasing them.

use super::size_class::SizeClass;
use super::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use super::sync::thread;
use super::waiting::{are_any_waiting, release_waiting};
use super::{
    CLASSES, LentBytes, Region, SLOTS, Use, class_of, client, count, is_attended, most_bytes,
    note_kept, take_rooms, time_ms,
};
use crate::os;
use count::kept_bytes;
use std::ops::Range;
use std::time::Duration;

const ORDER: Ordering = Ordering::Relaxed;

static KEPT: [[SizeClass; CLASSES]; Use::COUNT] =
    [const { [const { SizeClass::new() }; CLASSES] }; Use::COUNT];

pub(super) fn classes_of(used: Use) -> &'static [SizeClass; CLASSES] {
    &KEPT[used as usize]
}

/// How many threads are releasing regions that they took out. The upper half of the bits tells the process, since the
/// child of a fork does not have these threads.
static RELEASING: AtomicUsize = AtomicUsize::new(0);
/// How many releases have ended.
static RELEASES_ENDED: AtomicUsize = AtomicUsize::new(0);

pub(super) fn kept_blocks() -> usize {
    KEPT.as_flattened().iter().map(SizeClass::count).sum()
}

/// Puts a region with at least one page into the cache, or returns it to be released. If the background thread runs, it
/// releases the region when it is old.
pub(crate) fn put(used: Use, region: Region) -> Option<Region> {
    let left = put_alone(used, region);
    if left.is_none() {
        note_kept();
    }
    left
}

fn put_alone(used: Use, mut region: Region) -> Option<Region> {
    #[cfg(test)]
    if super::tests::is_off(used) {
        return Some(region);
    }
    let bytes = region.bytes();
    let (most, time) = (most_bytes(), time_ms());
    if time == 0 || region.is_too_large(most) {
        return Some(region);
    }
    let now = os::now_ms();
    let is_attended = is_attended();
    let is_counted = count::put(bytes, most)
        || !is_attended && {
            release_old(now, time);
            count::put(bytes, most)
        };
    if !is_counted {
        return Some(region);
    }
    region.offer();
    let refused = put_into(&classes_of(used)[class_of(bytes)], region, now);
    if !is_attended {
        release_one_old(now, time);
    }
    if refused.is_some() {
        count::taken(bytes);
    }
    refused
}

/// Puts a region into a slot, or returns it if all are full.
#[inline]
pub(super) fn put_into(class: &SizeClass, region: Region, since: u32) -> Option<Region> {
    let bytes = region.bytes();
    class.bytes.fetch_add(bytes, ORDER);
    let place = class.put(region.pack(), since)?;
    class.bytes.fetch_sub(bytes, ORDER);
    // SAFETY: packed just now, and no slot holds it.
    Some(unsafe { Region::unpack(place) })
}

/// Removes a region from a slot, and returns it and when it was put there. It stays counted.
pub(super) fn take_out(class: &SizeClass, slot: usize) -> Option<(Region, u32)> {
    let (place, since) = class.take(slot)?;
    // SAFETY: packed by `put_into`, and this thread has taken it out of its slot.
    let region = unsafe { Region::unpack(place) };
    class.bytes.fetch_sub(region.bytes(), ORDER);
    Some((region, since))
}

/// Takes a region that suits a request for `need.start` bytes. Its bytes past `need.end` are lent, if the limit
/// permits; otherwise the second value is `None`.
///
/// The region comes from the smallest class that has one, beginning with that of the request, or from the next smaller
/// class.
pub(crate) fn take(
    used: Use,
    need: Range<usize>,
    suits: &mut dyn FnMut(&Region) -> bool,
) -> Option<(Region, Option<LentBytes>)> {
    #[cfg(test)]
    if super::tests::is_off(used) {
        return None;
    }
    if kept_bytes() == 0 {
        return None;
    }
    let (class, classes) = (class_of(need.start), classes_of(used));
    let (below, above) = classes.split_at(class);
    let mut classes = above.iter().chain(below.last());
    let region = loop {
        if let Some(region) = take_from(classes.next()?, suits) {
            break region;
        }
    };
    // In this order: lent bytes stay counted as cached until then, so other threads cannot exceed the limit meanwhile.
    let lent = LentBytes::of(region.bytes().saturating_sub(need.end), most_bytes());
    count::taken(region.bytes());
    Some((region, lent))
}

/// Takes a region that suits. It stays counted.
#[inline]
fn take_from(class: &SizeClass, suits: &mut dyn FnMut(&Region) -> bool) -> Option<Region> {
    for slot in class.full() {
        let Some((region, since)) = take_out(class, slot) else { continue };
        if suits(&region) {
            return Some(region);
        }
        if let Some(region) = put_into(class, region, since) {
            // Other threads have filled all slots.
            release_taken(region);
        }
    }
    None
}

/// Releases the region in a slot, and returns whether there was one.
#[inline(never)]
fn release(class: &SizeClass, slot: usize) -> bool {
    take_out(class, slot).map(|(region, _)| release_taken(region)).is_some()
}

/// Releases a region that was taken out of its slot and is still counted. A thread that sees by the count that it is
/// gone also sees that a release is in progress, until it sees that the release has ended.
#[inline(never)]
pub(super) fn release_taken(region: Region) {
    releasing(|| {
        count::taken(region.bytes());
        drop(region);
        true
    });
}

/// Runs `release`, and records that a release is in progress, and that it has ended if `release` returns `true`, which
/// this returns.
pub(super) fn releasing(release: impl FnOnce() -> bool) -> bool {
    let process = process();
    let is_current = |word| word & !COUNT_MASK == process;
    // The closures never return `None`.
    let begin = |word| Some(if is_current(word) { word + 1 } else { process | 1 });
    let _ = RELEASING.fetch_update(ORDER, ORDER, begin);
    let has_released = release();
    if has_released {
        RELEASES_ENDED.fetch_add(1, Ordering::Release);
    }
    let end = |word| Some(if is_current(word) { word - 1 } else { word });
    let _ = RELEASING.fetch_update(Ordering::Release, ORDER, end);
    has_released
}

/// Whether a thread of this process is releasing a region.
pub(super) fn is_releasing() -> bool {
    let word = RELEASING.load(Ordering::Acquire);
    word & !COUNT_MASK == process() && word & COUNT_MASK > 0
}

const COUNT_MASK: usize = usize::MAX >> (usize::BITS / 2);

/// The lower half of the number of this process, in the upper half of the bits.
fn process() -> usize {
    os::process_id() << (usize::BITS / 2)
}

/// How many regions have been released: to be passed to [`release_unused`], read before the call that may be refused.
pub(crate) fn releases_ended() -> usize {
    RELEASES_ENDED.load(Ordering::Acquire)
}

/// Releases all regions that are cached or wait, and waits for those that other threads inspect or release. Returns
/// whether a release has ended since `ended` was read: then another try is worthwhile.
#[inline(never)]
pub(crate) fn release_unused(ended: usize) -> bool {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return false;
    }
    take_rooms();
    for tries in 0..MOST_TRIES {
        release_waiting();
        release_all();
        // What another thread has taken out of its slot is still counted, or its release is in progress.
        if kept_bytes() == 0 && !are_any_waiting() && !is_releasing() {
            break;
        }
        pause(tries);
    }
    releases_ended() != ended
}

/// Tries a refused call again, once regions that are not in use have been released, and then also memory ahead of
/// arrays. Returns whether `again` succeeded. `ended` was read before the first try, of which `bytes` bytes were refused.
pub(crate) fn reclaim(bytes: usize, ended: usize, again: &mut dyn FnMut() -> bool) -> bool {
    if release_unused(ended) && again() {
        return true;
    }
    // More than the machine has cannot be made available.
    let is_possible = bytes as u64 <= os::memory_bytes().unwrap_or(u64::MAX);
    is_possible && client().is_some_and(|client| (client.reclaim)(again))
}

/// How often to try, for about 20 ms in all. Other threads may cache regions all the time, or not exist in the child of
/// a fork.
const MOST_TRIES: u32 = 200;

pub(super) fn pause(tries: u32) {
    /// After this many tries, sleep: the threads that are waited for need the processor.
    const SHORT_TRIES: u32 = 32;
    if tries < SHORT_TRIES {
        thread::yield_now();
    } else {
        thread::sleep(Duration::from_micros(50));
    }
}

/// Releases regions of arrays without a maximum, to make addresses available for another. Returns whether there were
/// any.
pub(crate) fn release_arrays() -> bool {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return false;
    }
    let ended = releases_ended();
    release_waiting();
    if kept_bytes() > 0 {
        release_of(classes_of(Use::Array));
    }
    releases_ended() != ended
}

/// Releases all cached regions, and returns whether there were any.
pub(crate) fn release_all() -> bool {
    if kept_bytes() == 0 {
        return false;
    }
    release_of(KEPT.as_flattened())
}

#[inline(never)]
fn release_of(classes: &[SizeClass]) -> bool {
    let release_each = |class| (0..SLOTS).fold(false, |any, slot| release(class, slot) | any);
    classes.iter().fold(false, |any, class| release_each(class) | any)
}

#[inline(never)]
fn release_old(now: u32, time: u32) {
    for class in KEPT.as_flattened() {
        for slot in class.full() {
            if class.is_old(slot, now, time) {
                release(class, slot);
            }
        }
    }
}

/// Releases a part of one old region, at most once per tick of the clock.
fn release_one_old(now: u32, time: u32) {
    static LAST: AtomicU32 = AtomicU32::new(0);
    if LAST.load(ORDER) == now {
        return;
    }
    LAST.store(now, ORDER);
    if let Some(oldest) = oldest(now, time).filter(|oldest| oldest.left == 0) {
        oldest.release_part(time);
    }
}

/// Releases a part of an old region, and returns when to call this again: at once, or after a part of the time, so that
/// the thread does not wake for each region. `None` if nothing is cached.
pub(crate) fn release_aged() -> Option<Duration> {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return None;
    }
    let time = time_ms();
    let wait = |ms: u32| Some(Duration::from_millis(ms.into()));
    let Some(oldest) = oldest(os::now_ms(), time) else {
        // Another thread has taken it out of its slot; in the child of a fork perhaps for ever.
        return wait(time.clamp(1000, LONGEST_WAIT_MS)).filter(|_| kept_bytes() > 0);
    };
    if oldest.left == 0 {
        oldest.release_part(time);
        return wait(0);
    }
    wait(oldest.left.max(time / 4).min(LONGEST_WAIT_MS))
}

/// The longest wait, after which a new [`set_time`](super::set_time) takes effect, and the available memory is looked
/// at.
const LONGEST_WAIT_MS: u32 = 1000;

/// The region that was put first.
struct Oldest {
    /// The index of its class among all.
    number: usize,
    class: &'static SizeClass,
    slot: usize,
    /// How many milliseconds are left until it is old.
    left: u32,
}

/// Returns the region that was put first, or the first that is old.
#[inline(never)]
fn oldest(now: u32, time: u32) -> Option<Oldest> {
    let mut oldest: Option<Oldest> = None;
    for (number, class) in KEPT.as_flattened().iter().enumerate() {
        for slot in class.full() {
            let Some(left) = class.left(slot, now, time) else { continue };
            if oldest.as_ref().is_none_or(|oldest| left < oldest.left) {
                oldest = Some(Oldest { number, class, slot, left });
            }
            if left == 0 {
                return oldest;
            }
        }
    }
    oldest
}

impl Oldest {
    /// Releases a part at the end of the region, so that changes of mappings by other threads wait only for that. Once
    /// half of it is released, the rest is old after the same time again.
    fn release_part(&self, time: u32) {
        let Some((mut region, mut since)) = take_out(self.class, self.slot) else { return };
        if !release_end(&mut region) {
            return release_taken(region);
        }
        if region.is_halved() {
            since = since.wrapping_add(time);
        }
        let class = &KEPT[self.number / CLASSES][class_of(region.bytes())];
        if let Some(region) = put_into(class, region, since) {
            release_taken(region);
        }
    }
}

/// Releases the end of a region that was taken out of its slot. Returns whether that succeeded.
fn release_end(region: &mut Region) -> bool {
    releasing(|| {
        let released = region.release_end();
        count::taken(released);
        released > 0
    })
}
