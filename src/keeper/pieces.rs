//! What is kept, piece by piece: put, taken, released.

use super::class::Class;
use super::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use super::sync::thread;
use super::{CLASSES, Lent, SLOTS, Use, Warm, class_of, count, most_bytes, take_rooms, time_ms};
use crate::os;
use count::kept_bytes;
use std::ops::Range;
use std::time::Duration;

const ORDER: Ordering = Ordering::Relaxed;

static KEPT: [[Class; CLASSES]; Use::COUNT] =
    [const { [const { Class::new() }; CLASSES] }; Use::COUNT];

pub(super) fn classes_of(used: Use) -> &'static [Class; CLASSES] {
    &KEPT[used as usize]
}

/// How many threads are releasing what they took out of its slot, and how many pieces were released.
static RELEASING: AtomicUsize = AtomicUsize::new(0);
static RELEASES_ENDED: AtomicUsize = AtomicUsize::new(0);

/// How many pieces are kept.
pub(super) fn kept_blocks() -> usize {
    KEPT.as_flattened().iter().map(Class::count).sum()
}

/// Keeps memory, whose pages are not empty; or gives it back to be released.
pub(crate) fn put(used: Use, warm: Warm) -> Option<Warm> {
    #[cfg(test)]
    if super::tests::is_off(used) {
        return Some(warm);
    }
    let bytes = warm.bytes();
    let (most, time) = (most_bytes(), time_ms());
    if warm.is_too_large(most) || time == 0 {
        return Some(warm);
    }
    let now = os::now_ms();
    let is_counted = count::put(bytes, most) || {
        release_old(now, time);
        count::put(bytes, most)
    };
    if !is_counted {
        return Some(warm);
    }
    let refused = classes_of(used)[class_of(bytes)].put(warm.pack(), now);
    release_one_old(now, time);
    refused.map(|place| {
        count::taken(bytes);
        // SAFETY: packed above, and no slot has it.
        unsafe { Warm::unpack(place) }
    })
}

/// Takes memory that suits, and holds anything, for who needs as much as `need` begins with; what is beyond its
/// end is lent, if so much may be.
///
/// It is the smallest class that has some, from that of what is needed on, or else the one below.
pub(crate) fn take(
    used: Use,
    need: Range<usize>,
    suits: &mut dyn FnMut(&Warm) -> bool,
) -> Option<(Warm, Option<Lent>)> {
    #[cfg(test)]
    if super::tests::is_off(used) {
        return None;
    }
    if kept_bytes() == 0 {
        return None;
    }
    let (class, classes) = (class_of(need.start), classes_of(used));
    let below = class.checked_sub(1);
    let mut places = (class..CLASSES).chain(below);
    let warm = places.find_map(|class| take_from(&classes[class], suits))?;
    // In this order: what is lent was kept, so others find no room for more meanwhile.
    let lent = Lent::of(warm.bytes().saturating_sub(need.end), most_bytes());
    count::taken(warm.bytes());
    Some((warm, lent))
}

/// Takes memory that suits, which is still counted.
fn take_from(class: &Class, suits: &mut dyn FnMut(&Warm) -> bool) -> Option<Warm> {
    for slot in class.full() {
        let Some((place, since)) = class.take(slot) else { continue };
        // SAFETY: packed by `put`, and taken out of its slot just now.
        let warm = unsafe { Warm::unpack(place) };
        if suits(&warm) {
            return Some(warm);
        }
        if let Some(place) = class.put(warm.pack(), since) {
            // Others were quicker.
            // SAFETY: packed just now, and no slot has it.
            release_taken(unsafe { Warm::unpack(place) });
        }
    }
    None
}

/// Releases what is in a slot, if there is anything.
#[inline(never)]
fn release(class: &Class, slot: usize) -> bool {
    let Some((place, _)) = class.take(slot) else { return false };
    // SAFETY: packed by `put`, and taken out of its slot just now.
    release_taken(unsafe { Warm::unpack(place) });
    true
}

/// Releases what was taken out of its slot, and is still counted. Who sees by the count that it is gone sees
/// before that somebody is releasing, and before he sees that nobody is, that it has ended.
#[inline(never)]
fn release_taken(warm: Warm) {
    releasing(|| {
        count::taken(warm.bytes());
        drop(warm);
        true
    });
}

/// Has others know that somebody is releasing; and that something was released, if that is so.
pub(super) fn releasing(release: impl FnOnce() -> bool) {
    RELEASING.fetch_add(1, ORDER);
    if release() {
        RELEASES_ENDED.fetch_add(1, ORDER);
    }
    RELEASING.fetch_sub(1, Ordering::Release);
}

/// How many pieces have been released: for [`make_room`], before what may be refused is tried.
pub(crate) fn releases_ended() -> usize {
    RELEASES_ENDED.load(ORDER)
}

/// Releases all that is kept, for somebody who was refused when so many releases had ended, also what others
/// are looking at or are releasing just now; whether more have ended since: then it is worth another try.
#[inline(never)]
pub(crate) fn make_room(ended: usize) -> bool {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return false;
    }
    take_rooms();
    for tries in 0..MOST_TRIES {
        release_all();
        // What another has out of its slot is counted, or he is releasing.
        if kept_bytes() == 0 && RELEASING.load(Ordering::Acquire) == 0 {
            break;
        }
        pause(tries);
    }
    releases_ended() != ended
}

/// How often it is tried: for some 20 ms. Others may keep some all the time, and in the child of a fork they may
/// be those who do not exist there.
const MOST_TRIES: u32 = 200;

fn pause(tries: u32) {
    /// Longer waits leave the processor to those who are waited for.
    const SHORT_TRIES: u32 = 32;
    if tries < SHORT_TRIES {
        thread::yield_now();
    } else {
        thread::sleep(Duration::from_micros(50));
    }
}

/// Releases what is kept of arrays whose size was guessed, so that there are more addresses for another; whether
/// there was anything.
pub(crate) fn make_room_to_reserve() -> bool {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return false;
    }
    kept_bytes() > 0 && release_of(classes_of(Use::Array))
}

/// Releases all that is kept; whether there was anything.
pub(crate) fn release_all() -> bool {
    if kept_bytes() == 0 {
        return false;
    }
    release_of(KEPT.as_flattened())
}

#[inline(never)]
fn release_of(classes: &[Class]) -> bool {
    let release_each = |class| (0..SLOTS).fold(false, |any, slot| release(class, slot) | any);
    classes.iter().fold(false, |any, class| release_each(class) | any)
}

/// Releases all that is old.
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

/// Releases one piece that is old, for who gives one; at each tick of the clock once.
fn release_one_old(now: u32, time: u32) {
    static LAST: AtomicU32 = AtomicU32::new(0);
    if LAST.load(ORDER) == now {
        return;
    }
    LAST.store(now, ORDER);
    if let Some(Oldest { class, slot, left: 0, .. }) = oldest(now, time) {
        release(class, slot);
    }
}

/// Releases a part of what is old, for who has nothing else to do, and returns when to come again, if anything is
/// kept: at once, or after a part of the time at least, so that he is not woken for each piece.
pub(crate) fn age() -> Option<Duration> {
    #[cfg(test)]
    if super::tests::is_anothers() {
        return None;
    }
    let time = time_ms();
    let wait = |ms: u32| Some(Duration::from_millis(ms.into()));
    let Some(oldest) = oldest(os::now_ms(), time) else {
        // Somebody is looking at it; in the child of a fork perhaps for ever.
        return wait(time.clamp(1000, LONGEST_WAIT_MS)).filter(|_| kept_bytes() > 0);
    };
    if oldest.left == 0 {
        oldest.release_part();
        return wait(0);
    }
    wait(oldest.left.max(time / 4).min(LONGEST_WAIT_MS))
}

/// Who waits for what is old to be so looks again after this: another time may have been said.
const LONGEST_WAIT_MS: u32 = 5000;

/// What has been here longest.
struct Oldest {
    /// The number of its class among all.
    number: usize,
    class: &'static Class,
    slot: usize,
    /// How many milliseconds it is until that is old.
    left: u32,
}

/// What has been here longest; the first of those that are old.
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
    /// Releases some of it, from its end: who changes mappings waits for no more.
    fn release_part(&self) {
        let Some((place, since)) = self.class.take(self.slot) else { return };
        // SAFETY: packed by `put`, and taken out of its slot just now.
        let mut warm = unsafe { Warm::unpack(place) };
        if !release_end(&mut warm) {
            return release_taken(warm);
        }
        let class = &KEPT[self.number / CLASSES][class_of(warm.bytes())];
        if let Some(place) = class.put(warm.pack(), since) {
            // SAFETY: packed just now, and no slot has it.
            release_taken(unsafe { Warm::unpack(place) });
        }
    }
}

/// Releases the end of what was taken out of its slot; whether it has one, and that could be.
fn release_end(warm: &mut Warm) -> bool {
    let mut released = 0;
    releasing(|| {
        released = warm.release_end();
        count::taken(released);
        released > 0
    });
    released > 0
}
