//! The region cache: memory of dropped containers, kept resident for reuse.
//!
//! Each fresh page costs a page fault, and a program that allocates a buffer for every frame would take these faults in
//! every frame. So the memory of dropped arrays and maps, and of large blocks of [allocators](crate::alloc), goes to
//! the cache with its addresses and contents, and new containers look there first.
//! [`Release::Now`](crate::Release::Now) bypasses the cache. With [`CommitAhead::Auto`](crate::CommitAhead::Auto),
//! cached memory is ready ahead of the array, and the [background thread](crate::service) takes back in time what the
//! array does not use: such memory does not count as lent.
//!
//! # Limits
//!
//! [`set_most_bytes`] limits the sum of two numbers: the bytes that are cached, and the bytes that were lent, that is,
//! given to arrays and blocks in excess of what they requested. So a program has at most that much memory in addition
//! to its live data, with two exceptions: a block without lent bytes may be a quarter larger than requested, and an array
//! that the background thread serves keeps what it was given until the thread takes it back. The default is an eighth of
//! the machine's memory. On Linux, if the process or one of its control groups has a lower memory limit when the cache
//! is first used, the lowest such limit takes the place of the machine's memory.
//!
//! A region of more than 34 MiB is cached only if at least three quarters of it are resident, and if the cache then
//! holds no more memory than is available. Residency is not checked if an allocator has
//! [`Release::Background`](crate::Release::Background). If less than a sixteenth of the machine's memory is available,
//! the cache is emptied first. A cached region of that size is given whole only to
//!
//! - a request for at least four fifths of it,
//! - a block requested with more than 1 MiB, and with at least four fifths of what the region's last block was
//!   requested with, since it may grow like that one, if at most 34 MiB of the region are in excess, or
//! - an array with [`CommitAhead::Auto`](crate::CommitAhead::Auto).
//!
//! Memory is not cached if a request like its owner's first one could not get it:
//!
//! - that of an array without that option, if it has grown to more than 34 MiB and first requested less than four fifths
//!   of that, or if it first requested more than 1 MiB and has grown to more than twice as much;
//! - that of a block, if it was requested with at most 1 MiB and has grown to more than 34 MiB, or if it has grown by
//!   more than 34 MiB and was requested with less than four fifths; unless it is 128 MiB or more, and parts of it can be
//!   used;
//! - that of a block without room to grow;
//! - that of an array with [`CommitAhead::Bytes`](crate::CommitAhead::Bytes), of one without a maximum that got fewer
//!   addresses than usual, and of a [`GrowingReservation`](crate::GrowingReservation);
//! - that of [`Columns`](crate::Columns) whose rows take more than a page, or with
//!   [`HugePages::Always`](crate::HugePages::Always).
//!
//! Where addresses are scarce (32 bits, `RLIMIT_AS`), at most 1/16 of them are cached, and no region that reserves more.
//!
//! # Blocks made of parts
//!
//! Since Linux 6.17, a large block that is not zeroed, has room to grow, and suits no cached region is made of parts of
//! regions that were blocks: the end of a larger one, or several smaller ones. The same holds for memory that a block
//! grows into. Large means 4 MiB, or 1/8,192 of the machine's memory if that is more. Nothing is copied; moving 64 MiB of
//! huge pages takes 25 µs. Each part stays a mapping of its own. A process with locked memory does not use this.
//!
//! # When memory is returned
//!
//! Memory that is not reused for a second is returned to the system. Of a region of 8 MiB or more, this is one half at
//! first, half of the rest after each further second, and the rest once it is below 8 MiB, or after four seconds.
//! [`set_time`] changes the second. The [background thread](crate::service) returns memory, if it runs and there is more
//! than one processor. It does so earlier if less than a sixteenth of the machine's memory is available, or if threads of
//! the machine or of a control group waited for memory in a tenth of the last ten seconds (Linux's *pressure stall
//! information*). Dropping an array starts the thread if 32 MiB are then cached, unless
//! [`set_automatic`](crate::service::set_automatic) has disabled this; freeing a block of an allocator does not.
//!
//! Without the background thread, each thread that puts memory into the cache returns up to 4 MiB of an old region, at
//! most a few hundred times per second; if none does, the memory stays cached. With an allocator that has
//! [`Release::Background`](crate::Release::Background), only the background thread returns memory.
//!
//! [`trim`] empties the cache, and so does a failed request for memory: of an array, of a block of an allocator, or of a
//! small block of its parent. On Linux the kernel may take the huge pages of a large region whenever it needs memory
//! (`MADV_FREE`). Until then it counts them as the process's (as `LazyFree` in `/proc/self/smaps`).
//!
//! # Environment
//!
//! On Linux, Android and Windows, two environment variables replace the defaults, so that a program can be tuned without
//! building it again:
//!
//! | variable | value | replaces |
//! |---|---|---|
//! | `STAYPUT_KEEP_BYTES` | bytes, such as `268435456` | the limit of cached and lent bytes, for blocks, arrays and maps |
//! | `STAYPUT_KEEP_SECONDS` | seconds with or without a fraction, such as `2.5` | the second after which memory is returned |
//!
//! 0 disables the cache. [`set_most_bytes`] and [`set_time`] take precedence. Other text is ignored. Each variable is
//! read once, when the cache first needs it, without allocating: on Linux and Android from `/proc`, with the value that
//! it had when the process started.
//!
//! # Threads and forks
//!
//! The cache has no lock and allocates nothing, except when the thread is started. So it can be used before `main`, while
//! threads end, and in the child of a `fork`.
//!
//! # Examples
//!
//! ```
//! use stayput::region_cache;
//! use std::time::Duration;
//!
//! region_cache::set_most_bytes(256 << 20);
//! region_cache::set_time(Duration::from_secs(10));
//! assert!(region_cache::stats().kept_bytes <= 256 << 20);
//! region_cache::trim();
//!
//! // Disable the cache.
//! region_cache::set_most_bytes(0);
//! assert_eq!(region_cache::stats().kept_blocks, 0);
//! ```
// # Implementation
//
// Slots are searched by the size of the memory in them. The lowest slot that suits is taken, and the lowest empty one
// is filled. So a few slots are used again and again, and those above grow old.
//
// # Soundness
//
// A thread that puts memory here no longer uses it: its [`Region`] is moved into the memory itself, and a slot points
// to it. It is taken by exchanging the pointer for null, in which one thread succeeds; that thread reads the `Region`,
// and so owns the memory. The pointer is stored with release and exchanged with acquire ordering, so the thread sees
// what was written there.
//
// # Threads and forks
//
// Nothing locks or allocates. Only a thread whose request for memory was refused waits, briefly, for threads that
// release some. The child of a fork has what was cached. What another thread had taken out of its slot at that moment
// stays mapped and counted in the child, and is not used again.

#![expect(unsafe_code, reason = "stores the description of memory in that memory")]

mod sync {
    //! What the submodules are built on. `loom/` replaces it.
    pub(super) use std::sync::atomic;
    pub(super) use std::thread;
}
mod count;
mod environment;
#[cfg(feature = "alloc")]
mod parts;
mod pieces;
mod size_class;
#[cfg(test)]
pub(crate) mod tests;
mod waiting;

pub(crate) use count::{LentBytes, kept_bytes};
#[cfg(feature = "alloc")]
pub(crate) use parts::fill;
pub(crate) use pieces::{
    put, reclaim, release_aged, release_all, release_arrays, release_unused, releases_ended, take,
};
pub(crate) use waiting::{are_any_waiting, drain, release_waiting_piece, wait, waiting_bytes};

use crate::os;
use crate::poison::{poison, unpoison};
use crate::reservation::{
    ColumnLayouts, IS_SUPPORTED, Reservation, layouts, page_size, take_all_rooms,
};
use std::alloc::Layout;
use std::ops::Range;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

const ORDER: Ordering = Ordering::Relaxed;

/// A region that was in use: its addresses, and pages that are committed and may hold anything.
///
/// # Invariants
///
/// - `pages` are whole pages of `memory`, and at least one. No code uses them. The first is committed, and so are the
///   others, unless the region only waits to be released.
/// - If `memory` has columns, `pages` begin at 0.
pub(crate) struct Region {
    memory: Reservation,
    pages: Range<usize>,
    /// How far `pages` reached when the last owner was requested. It may have grown since.
    asked: usize,
    /// How many halvings of the old region have begun; at most 3.
    halved: u8,
    /// Where `pages` will end once the current halving is done; at or past their end if none is in progress.
    keep: usize,
    /// The next region of a list, once this is packed.
    next: Option<NonNull<Self>>,
}

/// What regions ask of the background thread. Known once a thread was asked for, so that a program that never does this
/// does not refer to the code of the thread.
pub(crate) struct Client {
    /// Whether the thread returns old regions until the process ends.
    pub(crate) is_attended: fn() -> bool,
    /// Learns that a region is cached now.
    pub(crate) note_kept: fn(),
    /// Waits briefly for the memory of an array that was dropped while the thread was at work for it, and is about to be
    /// cached.
    pub(crate) settle: fn(),
    /// Takes back memory ahead of arrays, and calls its argument for as long as there may be more to find. Returns
    /// whether that succeeded.
    pub(crate) reclaim: fn(&mut dyn FnMut() -> bool) -> bool,
}

/// Stored by release and loaded by acquire, as a pointer to anything is. No model of loom needs this, since it points to
/// a constant.
static CLIENT: AtomicPtr<Client> = AtomicPtr::new(ptr::null_mut());

pub(crate) fn set_client(client: &'static Client) {
    CLIENT.store(ptr::from_ref(client).cast_mut(), Ordering::Release);
}

fn client() -> Option<&'static Client> {
    // SAFETY: "null" or "convertible to a reference": all that is stored is a `&'static Client`, by `set_client`.
    unsafe { CLIENT.load(Ordering::Acquire).as_ref() }
}

/// Whether the background thread returns old regions, so that no other thread has to.
fn is_attended() -> bool {
    // Tests of the cache share the process with those of the thread.
    !cfg!(test) && client().is_some_and(|client| (client.is_attended)())
}

/// Waits briefly for a region that is about to be cached by the background thread.
pub(crate) fn settle() {
    if let Some(client) = client() {
        (client.settle)();
    }
}

fn note_kept() {
    if let Some(client) = client() {
        (client.note_kept)();
    }
}

/// The kind of container that a region suits. Regions are not exchanged between kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Blocks of allocators, which have room to grow.
    Block,
    /// Arrays without a maximum set by the user.
    Array,
    /// Arrays that reserve exactly what they need at most.
    Exact,
}

impl Use {
    const COUNT: usize = 3;
}

/// Class *n* holds regions of `LEAST_BYTES << n` bytes or more; the first and the last also hold all smaller and larger
/// ones.
pub(crate) const CLASSES: usize = if usize::BITS >= 64 { 21 } else { 15 };
pub(crate) const LEAST_BYTES: usize = 64 << 10;

/// The number of slots of a class: one for each bit of its hint.
const SLOTS: usize = usize::BITS as usize;

/// Larger regions are cached only if it is worth it: 32 MiB, and what precedes them up to the end of a huge page.
const LARGE_BYTES: usize = 34 << 20;

/// How much is returned to the system at once, so that other threads wait only for that.
const RELEASE_STEP_BYTES: usize = 4 << 20;

/// It is stored in the first page of the region.
const _: () = assert!(size_of::<Region>() <= 4096 && align_of::<Region>() <= 4096);

/// A request of at most this size may be the start of growth, and is lent more than twice of it.
const MOST_BEGINNING_BYTES: usize = 1 << 20;

/// Whether memory of `bytes` is not too large for a request for `need`, which takes `whole` bytes in runs. Of a large
/// region, a fifth may be in excess.
pub(crate) const fn is_fit(bytes: usize, need: usize, whole: usize) -> bool {
    if bytes > LARGE_BYTES {
        bytes - bytes / 5 <= need
    } else {
        bytes / 2 <= whole || need <= MOST_BEGINNING_BYTES
    }
}

/// The largest memory that is not too large for a request for `need`, whatever that takes in runs.
pub(crate) fn largest_fit(need: usize) -> usize {
    let small = if need <= MOST_BEGINNING_BYTES { LARGE_BYTES } else { need.saturating_mul(2) };
    small.min(LARGE_BYTES).max(need.saturating_add(need / 4))
}

impl Region {
    /// # Safety
    ///
    /// - The invariants of [`Region`] hold.
    pub(crate) const unsafe fn new(memory: Reservation, pages: Range<usize>) -> Self {
        let asked = pages.end;
        Self { memory, pages, asked, halved: 0, keep: usize::MAX, next: None }
    }

    /// Records how much the last owner was requested with, if it has grown since.
    #[cfg(feature = "alloc")]
    pub(crate) const fn asked(mut self, asked: usize) -> Self {
        self.asked = asked;
        self
    }

    /// Whether the region suits a request for `need`, which takes `whole` bytes in runs: it is not too large, or grew from
    /// a request like this one, and may lend what is in excess.
    #[cfg(feature = "alloc")]
    pub(crate) fn is_fit(&self, need: usize, whole: usize) -> bool {
        let end = self.pages.end;
        is_fit(end, need, whole)
            || self.grew_from(need) && count::may_lend(end.saturating_sub(need), most_bytes())
    }

    /// Whether the region grew from a request that was at most a quarter larger than one for `need`, which may grow like
    /// that one. No more is in excess than is cached without a look: a block that does not grow keeps it.
    #[cfg(feature = "alloc")]
    const fn grew_from(&self, need: usize) -> bool {
        need > MOST_BEGINNING_BYTES
            && self.asked - self.asked / 5 <= need
            && self.pages.end.saturating_sub(need) <= LARGE_BYTES
    }

    /// Whether the region suits a request like that of its last owner, or has 128 MiB or more, to be taken in
    /// [parts]. Others would mostly stay unused. Smaller ones would accumulate: each owner that grows starts with some
    /// MiB of fresh memory.
    #[cfg(feature = "alloc")]
    pub(crate) fn is_fit_again(&self) -> bool {
        const MANY_BYTES: usize = 128 << 20;
        let (asked, bytes) = (self.asked, self.bytes());
        is_fit(self.pages.end, asked, asked)
            || self.grew_from(asked)
            || bytes >= MANY_BYTES && parts::are_taken_of(bytes)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.pages.len()
    }

    pub(crate) const fn memory(&self) -> &Reservation {
        &self.memory
    }

    pub(crate) const fn pages(&self) -> &Range<usize> {
        &self.pages
    }

    #[inline]
    pub(crate) fn into_parts(self) -> (Reservation, Range<usize>) {
        (self.memory, self.pages)
    }

    /// Whether the region is not cached if `most` is the limit for all.
    fn is_too_large(&self, most: usize) -> bool {
        let bytes = self.bytes();
        bytes > most
            || self.memory.reserved_bytes() > most_reserved_bytes_each()
            || bytes > LARGE_BYTES && !(has_room(bytes) && self.is_worth_it())
    }

    /// Whether a large region saves enough page faults. If the background thread soon returns what is not reused, this is
    /// not looked at: a region that is not resident takes no memory, and the look takes longer than all else.
    fn is_worth_it(&self) -> bool {
        is_attended() || self.is_dense()
    }

    pub(crate) fn is_dense(&self) -> bool {
        self.memory.is_dense(self.pages.clone())
    }

    /// Decommits up to 4 MiB at the end of an old region: of its upper half, or of all if it is smaller than 8 MiB or old
    /// for the fourth time. Returns the bytes: 0 if only the first 4 MiB are left, or if the system refuses.
    fn release_end(&mut self) -> usize {
        const MOST_HALVED: u8 = 3;
        let Range { start, end } = self.pages;
        if self.keep >= end {
            let half = start + self.bytes() / 2 / RELEASE_STEP_BYTES * RELEASE_STEP_BYTES;
            self.keep = if self.halved == MOST_HALVED { start } else { half };
            self.halved = MOST_HALVED.min(self.halved + 1);
        }
        self.lose_end(self.keep, Reservation::decommit_if_possible)
    }

    /// Whether the current halving is done.
    const fn is_halved(&self) -> bool {
        self.keep == self.pages.end
    }

    /// Decommits a part at the end of a region that is not used again, and returns its size: 0 if the region is small, or
    /// that is refused.
    fn abandon_end(&mut self) -> usize {
        self.lose_end(self.pages.start, Reservation::abandon)
    }

    fn lose_end(
        &mut self,
        least: usize,
        lose: impl FnOnce(&mut Reservation, Range<usize>) -> bool,
    ) -> usize {
        let end = self.pages.end;
        let keep = (end.saturating_sub(1) / RELEASE_STEP_BYTES * RELEASE_STEP_BYTES).max(least);
        if keep <= self.pages.start || !lose(&mut self.memory, keep..end) {
            return 0;
        }
        self.pages.end = keep;
        end - keep
    }

    /// The first page, where this is stored while the region is cached.
    fn place(&self) -> NonNull<Self> {
        self.memory.at(self.pages.start).cast()
    }

    /// If the region is large, permits the system to take its memory away when there is little.
    fn offer(&mut self) {
        let Range { start, end } = self.pages;
        if self.bytes() > LARGE_BYTES {
            // Not the first page, in which this is stored.
            self.memory.offer_huge_pages(start + 1..end);
        }
    }

    /// Moves this into the first page of the region.
    #[inline]
    fn pack(mut self) -> NonNull<Self> {
        self.memory.set_unused();
        let (place, bytes) = (self.place(), self.bytes());
        unpoison(place.as_ptr(), 1);
        assert!(self.can_wait(), "a first row of more than a page");
        // SAFETY: "valid for writes": by the invariants, the first page is committed, and no code uses it. With
        // columns, `pages` count bytes of rows from the first row on, and the first page of them contains that row, as
        // just asserted, so the first page of the first column, where `place` is, is committed. "Aligned": `place` is
        // the start of a page. A `Region` fits into one and needs no greater alignment, which is asserted when the
        // crate is compiled.
        unsafe { place.write(self) };
        poison(
            place.as_ptr().cast::<u8>().wrapping_add(size_of::<Self>()),
            bytes - size_of::<Self>(),
        );
        place
    }

    /// Moves the value out of the first page of its region.
    ///
    /// # Safety
    ///
    /// - It was packed there, and is unpacked only once.
    unsafe fn unpack(place: NonNull<Self>) -> Self {
        // SAFETY: "initialized": `pack` wrote the value there, and no code uses the page of a packed region. It is not read
        // again, as the caller promises, so there is one owner.
        let region = unsafe { place.read() };
        unpoison(place.as_ptr().cast::<u8>(), region.bytes());
        region
    }
}

/// Whether the first page of memory with these columns, where its [region](Region) is stored, lies in the first row.
pub(crate) fn has_page_in_first_row(columns: ColumnLayouts) -> bool {
    layouts(columns).iter().map(Layout::size).sum::<usize>() <= page_size()
}

/// Packed regions form lists.
impl Region {
    /// Whether this can be packed. (What is cached always can, see the requests of arrays.)
    pub(crate) fn can_wait(&self) -> bool {
        self.memory.columns().is_none_or(has_page_in_first_row)
    }

    /// # Safety
    ///
    /// - A region is packed there, and no other thread knows of it.
    unsafe fn next(place: NonNull<Self>) -> Option<NonNull<Self>> {
        // SAFETY: `pack` wrote a value there, and no other thread accesses it, as the caller promises.
        unsafe { (*place.as_ptr()).next }
    }

    /// # Safety
    ///
    /// - As for [`next`](Self::next).
    unsafe fn link(place: NonNull<Self>, next: Option<NonNull<Self>>) {
        // SAFETY: `pack` wrote a value there, and no other thread accesses it, as the caller promises.
        unsafe { (*place.as_ptr()).next = next }
    }
}

/// Returns how many regions of a class that were blocks are cached, and how many bytes of them are committed.
#[cfg(feature = "alloc")]
pub(crate) fn kept_of_class(class: usize) -> (usize, usize) {
    let class = &pieces::classes_of(Use::Block)[class];
    (class.count(), class.bytes.load(ORDER))
}

/// Returns the class of regions of `bytes`.
pub(crate) fn class_of(bytes: usize) -> usize {
    ((bytes / LEAST_BYTES).max(1).ilog2() as usize).min(CLASSES - 1)
}

pub(crate) fn is_empty() -> bool {
    kept_bytes() == 0
}

/// The current contents of the region cache, returned by [`stats`].
///
/// # Examples
///
/// ```
/// use stayput::{VmVec, region_cache};
///
/// drop(VmVec::from(vec![0_u8; 1 << 20]));
/// let before = region_cache::stats();
/// println!("{} KiB in {} regions are cached", before.kept_bytes >> 10, before.kept_blocks);
///
/// region_cache::trim();
/// let after = region_cache::stats();
/// assert_eq!((after.kept_bytes, after.kept_blocks), (0, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegionCacheStats {
    /// The number of cached regions.
    pub kept_blocks: usize,
    /// The number of their committed bytes.
    pub kept_bytes: usize,
    /// The number of bytes that arrays and blocks in use have received in excess of their requests, because they were
    /// resident, and may still grow into.
    pub lent_bytes: usize,
}

/// Returns the current contents of the cache.
///
/// Looks at about four thousand slots, without a system call. If other threads use the cache meanwhile, the numbers may
/// be from different moments.
pub fn stats() -> RegionCacheStats {
    let (kept_bytes, lent_bytes) = (kept_bytes(), count::lent_bytes());
    RegionCacheStats { kept_blocks: pieces::kept_blocks(), kept_bytes, lent_bytes }
}

/// Returns all cached memory to the system, and memory that the [background thread](crate::service) is to release. If
/// the addresses of the process are limited (32 bits, `RLIMIT_AS`), this also returns the room that large blocks of
/// [allocators](crate::alloc) have to grow into. The crate does all of this when a request for memory fails; but it
/// does not learn when the stack of a thread cannot be allocated.
///
/// Makes one system call for each region, which take 60 ms for each GiB that is resident, or 3 ms with huge pages.
/// Regions that other threads put or inspect meanwhile may stay.
///
/// # Examples
///
/// ```
/// use stayput::{VmVec, region_cache};
///
/// drop(VmVec::from(vec![0_u8; 1 << 20]));
/// region_cache::trim(); // before a phase that takes memory by other means
/// assert_eq!(region_cache::stats().kept_bytes, 0);
/// ```
pub fn trim() {
    take_rooms();
    waiting::release_waiting();
    release_all();
}

/// If addresses are limited, takes the room that blocks have to grow into, and has the limit read again on the next
/// use.
fn take_rooms() {
    let _ = pieces::releasing(|| {
        let has_taken = os::address_limit().is_some() && take_all_rooms();
        if has_taken {
            MOST_RESERVED_BYTES_EACH.store(UNSET, ORDER);
        }
        has_taken
    });
}

/// Stands for a limit that is not known yet.
const UNSET: usize = usize::MAX;
/// The largest limit, which no number of bytes exceeds.
const UNLIMITED: usize = UNSET - 1;

static MOST_BYTES: AtomicUsize = AtomicUsize::new(UNSET);
static MOST_RESERVED_BYTES_EACH: AtomicUsize = AtomicUsize::new(UNSET);
static TIME_MS: AtomicU32 = AtomicU32::new(UNSET_MS);
const UNSET_MS: u32 = u32::MAX;
/// A week.
const MOST_MS: u32 = 7 * 24 * 60 * 60 * 1000;

/// Returns how many bytes may be cached and lent. 0 without virtual memory, where released memory goes to the system's
/// allocator.
#[inline(never)]
fn most_bytes() -> usize {
    /// If the machine's memory is unknown.
    const USUAL_BYTES: usize = 64 << 20;
    /// The reciprocal of the share of the memory.
    const SHARE: u64 = 8;
    static DEFAULT: AtomicUsize = AtomicUsize::new(UNSET);
    if !IS_SUPPORTED {
        return 0;
    }
    let set = MOST_BYTES.load(ORDER);
    if set != UNSET {
        return set;
    }
    get_or_init(&DEFAULT, || {
        if let Some(named) = environment::keep_bytes() {
            return named.min(UNLIMITED);
        }
        let memory = os::usable_memory_bytes();
        let memory = memory.and_then(|bytes| usize::try_from(bytes / SHARE).ok());
        let addresses = os::address_limit().map_or(UNLIMITED, |(limit, _)| limit / 16);
        memory.unwrap_or(USUAL_BYTES).min(addresses)
    })
}

/// The reciprocal of the share of the memory that is little.
const LITTLE: u64 = 16;

/// Whether little memory is available to the process. `false` if that is unknown.
pub(crate) fn is_memory_short() -> bool {
    let known = os::available_bytes().zip(os::memory_bytes());
    os::group_memory().is_little() || known.is_some_and(|(available, all)| available < all / LITTLE)
}

/// Whether the cache may keep `bytes` more: at least as much must be available as is cached then. If little is
/// available, all cached memory is returned.
fn has_room(bytes: usize) -> bool {
    /// The reciprocal of the share that the system may keep for itself.
    const RESERVE: u64 = 64;
    let kept = || kept_bytes().saturating_add(bytes) as u64;
    let (Some(all), group) = (os::memory_bytes(), os::group_memory()) else { return true };
    let is_free = |free: u64| free >= kept().max(all / LITTLE) + all / RESERVE;
    // Then it does not matter how much more the system can make available, which takes longer to find out.
    let free = os::free_bytes().filter(|free| is_free(*free));
    let Some(available) = free.or_else(os::available_bytes) else { return true };
    if available < all / LITTLE || group.is_little() {
        release_all();
    }
    kept() <= available.min(group.available)
}

/// Returns how many addresses one region may have. If they are scarce, other parts of the process need them.
#[inline(never)]
fn most_reserved_bytes_each() -> usize {
    get_or_init(&MOST_RESERVED_BYTES_EACH, || {
        os::address_limit().map_or(UNLIMITED, |(limit, _)| limit / 16)
    })
}

/// Returns the stored value, or stores what `find` returns, unless another thread stores one meanwhile.
fn get_or_init(stored: &AtomicUsize, find: impl FnOnce() -> usize) -> usize {
    match stored.load(ORDER) {
        UNSET => {
            let found = find();
            stored.compare_exchange(UNSET, found, ORDER, ORDER).err().unwrap_or(found)
        }
        stored => stored,
    }
}

/// Sets the limit for the sum of cached and lent bytes. 0 disables the cache.
///
/// If more than that is cached now, all of it is returned to the system, with one system call for each region. Regions
/// that other threads put or inspect meanwhile may stay.
///
/// # Examples
///
/// ```
/// use stayput::{VmVec, region_cache};
///
/// region_cache::set_most_bytes(256 << 20);
/// drop(VmVec::from(vec![0_u8; 1 << 20])); // cached
/// region_cache::set_most_bytes(0);
/// assert_eq!(region_cache::stats().kept_bytes, 0);
/// ```
pub fn set_most_bytes(most: usize) {
    MOST_BYTES.store(most.min(UNLIMITED), ORDER);
    if kept_bytes().saturating_add(count::lent_bytes()) > most {
        release_all();
    }
}

/// How long memory stays cached if it is not reused, before the first half of it is released.
pub(crate) fn time() -> Duration {
    Duration::from_millis(time_ms().into())
}

fn time_ms() -> u32 {
    match TIME_MS.load(ORDER) {
        UNSET_MS => init_time_ms(),
        set => set,
    }
}

#[cold]
fn init_time_ms() -> u32 {
    const USUAL_MS: u32 = 1000;
    let ms = environment::keep_ms().unwrap_or(USUAL_MS);
    TIME_MS.compare_exchange(UNSET_MS, ms, ORDER, ORDER).err().unwrap_or(ms)
}

/// Sets how long memory stays cached if it is not reused, in whole milliseconds and at most a week: a region of less than
/// 8 MiB this long, and half of a larger one, of which the last part stays up to four times as long. The background thread
/// notices a change within a second. With [`Duration::ZERO`] nothing is cached, and all cached memory is
/// returned as by [`trim`].
///
/// # Examples
///
/// ```
/// use stayput::region_cache;
/// use std::time::Duration;
///
/// // A level is reloaded every few seconds: keep its memory meanwhile.
/// region_cache::set_time(Duration::from_secs(10));
/// // Cache nothing.
/// region_cache::set_time(Duration::ZERO);
/// assert_eq!(region_cache::stats().kept_bytes, 0);
/// ```
pub fn set_time(time: Duration) {
    let ms = u32::try_from(time.as_millis()).unwrap_or(MOST_MS).min(MOST_MS);
    TIME_MS.store(ms, ORDER);
    if ms == 0 {
        release_all();
    }
}
