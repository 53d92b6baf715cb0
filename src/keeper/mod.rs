//! The keeper: released memory that is kept warm for the next who wants some.
//!
//! Fresh pages take a page fault each. A program that takes and gives back a buffer every frame would take
//! them every frame. So the memory of arrays and maps that are dropped, and of the large blocks of
//! [allocators](crate::alloc), goes to the keeper, with its addresses and whatever is in it, and who wants
//! some asks here first. ([`Release::Now`](crate::Release::Now) is for those who don't.) With
//! [`CommitAhead::Auto`](crate::CommitAhead::Auto) it lies ready ahead of them, and the
//! [background thread](crate::service) takes back in time what they don't use: it is not lent.
//!
//! # How much, and for how long
//!
//! What is kept, and what was lent to arrays and blocks beyond what they asked for, is at most as many bytes as
//! [`set_most_bytes`] says: 64 MiB, if nobody says; but no more than 1/32 of the machine's memory, and 1/16
//! of the addresses that the process may have when it is first asked for some. So a program has no more memory
//! than is live, and that. (But a block that is lent nothing may have a quarter beyond what it asked for.) Where
//! addresses are few (32 bits, `RLIMIT_AS`), nothing is kept that has more than a 16th of them reserved.
//!
//! What nobody took for a time goes back to the system, a second if [`set_time`] does not say otherwise: by
//! the [background thread](crate::service), if there is one and more than one processor; and by those who give
//! memory to the keeper, who release one old piece each, some hundred a second at most. (If there is no thread, and
//! nobody comes any more, what is kept stays.) All goes back at once when somebody is refused memory: an array, a
//! block of an allocator, or a small block of its parent; and by [`trim`].
//!
//! It has no lock and allocates nothing, so it may be used before `main`, while threads end, and in the child
//! of a `fork`.
//!
//! # Examples
//!
//! ```
//! use stayput::keeper;
//! use std::time::Duration;
//!
//! keeper::set_most_bytes(256 << 20);
//! keeper::set_time(Duration::from_secs(10));
//! assert!(keeper::stats().kept_bytes <= 256 << 20);
//! keeper::trim();
//!
//! // Nothing is kept from now on.
//! keeper::set_most_bytes(0);
//! assert_eq!(keeper::stats().kept_blocks, 0);
//! ```
//
// # How it is done
//
// A slot is looked for by the size of what is in it. The lowest that suits is taken, and the lowest that is
// empty is filled: so a few are used again and again, and those above grow old.
//
// # Why this is sound
//
// Who puts memory here ends its part in it: [`Warm`] is moved into the memory itself, and the slot points to
// it. It comes out by an exchange of the pointer for null, which one thread can do; that one reads the
// `Warm`, and so has the memory. The pointer is exchanged with acquire and put with release, so that it sees
// what was written there.
//
// # Threads and forks
//
// There is no lock, and nothing is allocated. Nobody waits but who was refused memory, a moment, for those who
// release some. The child of a fork has what was kept; what another thread had out of its slot just then stays
// mapped in the child, and counted, and is not used again.

#![expect(unsafe_code, reason = "keeps what it knows of memory in that memory")]

mod sync {
    //! What [`class`](super::class), [`count`](super::count) and [`pieces`](super::pieces) are made of; `loom/`
    //! has its own.
    pub(super) use std::sync::atomic;
    pub(super) use std::thread;
}
mod class;
mod count;
mod pieces;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use count::Lent;
pub(crate) use pieces::{
    age, make_room, make_room_to_reserve, put, release_all, releases_ended, take,
};

use crate::os;
use crate::poison::{poison, unpoison};
use crate::reservation::{IS_SUPPORTED, Reservation, take_all_rooms};
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

const ORDER: Ordering = Ordering::Relaxed;

/// Memory that somebody had: its addresses, and pages that are committed and hold anything.
pub(crate) struct Warm {
    pub(crate) memory: Reservation,
    pub(crate) pages: Range<usize>,
}

/// For whom memory is: what the others have is of no use to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Blocks of allocators, which have room to grow.
    Block,
    /// Arrays whose maximum nobody named.
    Array,
    /// Arrays with the addresses that they need at most.
    Exact,
}

impl Use {
    const COUNT: usize = 3;
}

/// Of a power of two of bytes each, from [`LEAST_BYTES`] on; the smallest and the largest have all beyond.
const CLASSES: usize = 10;
const LEAST_BYTES: usize = 64 << 10;

/// How many slots a class has: one for each bit.
const SLOTS: usize = usize::BITS as usize;

/// More is not kept in one piece: 32 MiB, and what stands before them, to the end of a huge page.
const MOST_BYTES_EACH: usize = 34 << 20;

/// It is put into its first page.
const _: () = assert!(size_of::<Warm>() <= 4096 && align_of::<Warm>() <= 4096);

/// Who needs so much may be about to grow, and is lent more than twice of it.
const MOST_BEGINNING_BYTES: usize = 1 << 20;

/// Whether so many bytes are not too many for who needs `need`: `whole` of them, in runs.
pub(crate) const fn is_fit(bytes: usize, need: usize, whole: usize) -> bool {
    bytes / 2 <= whole || need <= MOST_BEGINNING_BYTES
}

impl Warm {
    fn bytes(&self) -> usize {
        self.pages.len()
    }

    /// Whether it is not kept where so many bytes are at most, in all.
    fn is_too_large(&self, most: usize) -> bool {
        self.bytes() > MOST_BYTES_EACH.min(most)
            || self.memory.reserved_bytes() > most_reserved_bytes_each()
    }

    /// Gives some at its end back, and returns how many bytes: none if there is little, or that is refused.
    fn release_end(&mut self) -> usize {
        const PART_BYTES: usize = 4 << 20;
        let end = self.pages.end;
        let keep = end.saturating_sub(1) / PART_BYTES * PART_BYTES;
        if keep <= self.pages.start || !self.memory.decommit_if_possible(keep..end) {
            return 0;
        }
        self.pages.end = keep;
        end - keep
    }

    /// The first of the pages, which is where it is put while it is kept.
    fn place(&self) -> NonNull<Self> {
        // SAFETY: the pages lie inside the reservation.
        unsafe { self.memory.start().add(self.pages.start) }.cast()
    }

    /// Puts it into its first page.
    fn pack(self) -> NonNull<Self> {
        let (place, bytes) = (self.place(), self.bytes());
        unpoison(place.as_ptr(), 1);
        // SAFETY: committed, nobody else's, and at a page boundary; a page has room for it, as asserted above.
        unsafe { place.write(self) };
        poison(
            place.as_ptr().cast::<u8>().wrapping_add(size_of::<Self>()),
            bytes - size_of::<Self>(),
        );
        place
    }

    /// # Safety
    ///
    /// - It was packed there, and nobody else unpacks it.
    unsafe fn unpack(place: NonNull<Self>) -> Self {
        // SAFETY: the caller's promise.
        let warm = unsafe { place.read() };
        unpoison(place.as_ptr().cast::<u8>(), warm.bytes());
        warm
    }
}

/// The class of what has so many bytes.
fn class_of(bytes: usize) -> usize {
    ((bytes / LEAST_BYTES).max(1).ilog2() as usize).min(CLASSES - 1)
}

/// Whether nothing is kept.
pub(crate) fn is_empty() -> bool {
    count::kept_bytes() == 0
}

/// Whether anything is kept for whom memory is for.
pub(crate) fn is_on(used: Use) -> bool {
    #[cfg(test)]
    if tests::is_off(used) {
        return false;
    }
    let _ = used;
    most_bytes() > 0 && time_ms() > 0
}

/// What is kept, given by [`stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeeperStats {
    /// Pieces of memory that are kept.
    pub kept_blocks: usize,
    /// Bytes that the system has promised for these.
    pub kept_bytes: usize,
    /// Bytes that arrays and blocks in use have got beyond what they asked for, since they were warm, and that
    /// they may yet grow into.
    pub lent_bytes: usize,
}

/// What is kept now.
///
/// Looks at some two thousand places, and does not enter the kernel. While other threads come to the keeper
/// the numbers may be of different moments.
pub fn stats() -> KeeperStats {
    let (kept_bytes, lent_bytes) = (count::kept_bytes(), count::lent_bytes());
    KeeperStats { kept_blocks: pieces::kept_blocks(), kept_bytes, lent_bytes }
}

/// Gives all that is kept back to the system; and, where the addresses of the process are limited (32 bits,
/// `RLIMIT_AS`), the room that large blocks of [allocators](crate::alloc) have to grow into, as is done when somebody
/// is refused memory. (Nobody tells this crate when a thread is refused its stack.)
///
/// Enters the kernel once for each piece. (What other threads put, or look at, at that moment may stay.)
pub fn trim() {
    take_rooms();
    release_all();
}

/// Where addresses are limited, takes the room that blocks have to grow into. The limit is looked at anew, also by
/// who keeps something next.
fn take_rooms() {
    pieces::releasing(|| {
        let has_taken = os::address_limit().is_some() && take_all_rooms();
        if has_taken {
            MOST_RESERVED_BYTES_EACH.store(UNSAID, ORDER);
        }
        has_taken
    });
}

/// What nobody has said yet.
const UNSAID: usize = usize::MAX;

static MOST_BYTES: AtomicUsize = AtomicUsize::new(UNSAID);
static MOST_RESERVED_BYTES_EACH: AtomicUsize = AtomicUsize::new(UNSAID);
static TIME_MS: AtomicU32 = AtomicU32::new(1000);

/// How many bytes are kept and lent at most. None where there is no virtual memory: what is released there goes to the
/// allocator, which keeps it as it is, for others too.
#[inline(never)]
fn most_bytes() -> usize {
    const USUAL_BYTES: usize = 64 << 20;
    if !IS_SUPPORTED {
        return 0;
    }
    said_or(&MOST_BYTES, || {
        let memory = os::memory_bytes().and_then(|bytes| usize::try_from(bytes / 32).ok());
        let addresses = os::address_limit().map(|(limit, _)| limit / 16);
        [memory, addresses].into_iter().flatten().fold(USUAL_BYTES, usize::min)
    })
}

/// How many addresses one piece may have: where there are few, all else in the process wants them, which does
/// not ask here.
#[inline(never)]
fn most_reserved_bytes_each() -> usize {
    said_or(&MOST_RESERVED_BYTES_EACH, || {
        os::address_limit().map_or(UNSAID - 1, |(limit, _)| limit / 16)
    })
}

/// What was said, or else what is found, which is said then; unless somebody has said so meanwhile.
fn said_or(said: &AtomicUsize, find: impl FnOnce() -> usize) -> usize {
    match said.load(ORDER) {
        UNSAID => {
            let found = find();
            said.compare_exchange(UNSAID, found, ORDER, ORDER).err().unwrap_or(found)
        }
        said => said,
    }
}

/// Says how many bytes are to be kept at most, from now on, with those that are lent: none by 0.
///
/// If more are kept now, all are given back, which enters the kernel once for each piece. (What other threads
/// put, or look at, at that moment may stay.) No single piece of more than 34 MiB is kept, whatever is said.
pub fn set_most_bytes(most: usize) {
    MOST_BYTES.store(most.min(UNSAID - 1), ORDER);
    if count::kept_bytes() > most {
        release_all();
    }
}

/// How long memory is kept that nobody takes.
pub(crate) fn time() -> Duration {
    Duration::from_millis(time_ms().into())
}

fn time_ms() -> u32 {
    TIME_MS.load(ORDER)
}

/// Says how long memory is to be kept that nobody takes, from now on: in whole milliseconds, a week at most. (The
/// background thread learns of it within five seconds.) For
/// no time, nothing is kept, and what is kept is given back, as by [`trim`], which enters the kernel.
pub fn set_time(time: Duration) {
    const MOST_MS: u32 = 7 * 24 * 60 * 60 * 1000;
    let ms = u32::try_from(time.as_millis()).unwrap_or(MOST_MS).min(MOST_MS);
    TIME_MS.store(ms, ORDER);
    if ms == 0 {
        release_all();
    }
}
