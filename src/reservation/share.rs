//! [`Share`]: how many addresses a reservation without a size gets, so that some are always left.
//!
//! Arrays without a maximum, and blocks of allocators, which get room to grow, reserve a share of the addresses. All
//! such reservations are counted here. Reservations whose size the user set are neither counted nor limited.
//!
//! # Shares
//!
//! Of all addresses that the process can have,
//!
//! - **one half is shared by a ladder**: if there are *n* such arrays, the next gets as much as the machine has memory,
//!   but at most 1/(4 + *n*) of what is left of this half. So something is always left, and the share of the *n*-th
//!   array falls only with the square of *n*: with 47 bits of addresses, the thousandth array gets more than 1 GiB,
//!   even if the machine has 1 TiB of memory.
//! - **one quarter is given out by the MiB**: if the ladder has less left, an array gets [`FLOOR_BYTES`].
//! - **the last quarter** is for the rest of the process. An array takes only what it needs immediately from it, in
//!   units of [`LEAST_BYTES`], like an array of `malloc`.
//!
//! An array that immediately needs more than its share gets the share in addition.
//!
//! Blocks can be moved when they outgrow their room, so they get less: 1/1024 of what is left of the ladder's half
//! (1/16 on 32-bit systems), and all together at most a quarter of all addresses.
//!
//! A block with that much room has no neighbours nearby, and takes two page tables of its own, 8 KiB. Beyond
//! [`FAR_BLOCKS`] blocks, those that can be moved get the least room and share page tables.
//!
//! # How many addresses there are
//!
//! As many as the system has for a process. If it has few (32 bits) or allows few (`RLIMIT_AS`), it is asked how many
//! are in use by all parts of the process; those that are left, and those counted here, are all. A limit that is not
//! known shows up as a refusal. Then the largest range available is not searched for, since other parts of the process
//! will need it: an eighth of the refused size is taken to be all there is, and the ladder gives a part of that.
//!
//! In a process that locks all its mappings (`mlockall` with `MCL_FUTURE`), addresses count as locked memory
//! (`RLIMIT_MEMLOCK`). An array gets half of what may still be locked after a quarter of the limit is set aside for the
//! rest of the process.
//!
//! # Mappings
//!
//! Linux allows a process 65,530 mappings. An array takes two: its committed part, and the rest up to the committed
//! part of the next array. Once it is large enough for huge pages it takes two more, unless too few are left. Shares
//! are given until they take seven eighths of the mappings; the rest is for threads and everything else. Arrays whose
//! pages are decommitted here and there take more, which is not known here.
//!
//! Blocks made of parts of others take one more for each part, which is not counted: about an eighth of the mappings,
//! since parts have a least size, see [`fill`](crate::region_cache::fill).
//!
//! Blocks without room are one mapping with their neighbours, but one each if every second one is freed; and three each
//! if they are aligned to more than a page. So they are counted, and no more are made once five eighths are taken,
//! which leaves a quarter to arrays.
//!
//! # Threads and forks
//!
//! The counts are added to and subtracted from, and no other data depends on them, so they need
//! no ordering, and no lock that could be held at a fork. The child has the counts of its parent, and its mappings.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, SizedBy};
use crate::os::{self, leading_number};
use crate::page::PageBytes;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};

const ORDER: Ordering = Ordering::Relaxed;

/// What an array gets if the ladder has less left.
pub(crate) const FLOOR_BYTES: usize = 1 << 20;

/// The unit in which an array gets what it needs, if it gets no share.
pub(crate) const LEAST_BYTES: usize = 64 << 10;

/// The largest share on machines with more memory. Without virtual memory, where a reservation is a block of the
/// system's allocator (see [`os`]), a thousandth of 32 bits of addresses: hundreds of arrays leave half of them to the
/// program.
const LARGEST_BYTES: usize = match usize::BITS {
    _ if !os::IS_SUPPORTED => 4 << 20,
    64.. => 1 << 40,
    _ => 128 << 20,
};

/// The reciprocal of the first array's share of what is left.
const FIRST_PART: usize = 4;
/// The reciprocal of a block's share of what is left.
const BLOCK_PART: usize = if usize::BITS >= 64 { 1 << 10 } else { 1 << 4 };
/// The maximum number of blocks with room to grow. They take 32,768 mappings, so half are left. (40,000 blocks of 1
/// MiB, 8,192 of them with room, were seen to take 16,464.)
pub(crate) const MOST_BLOCKS: usize = 8192;

/// How many blocks may be far from each other: 2 MiB of page tables.
const FAR_BLOCKS: usize = 256;

/// The most mappings that a block takes, and that an array takes: before it is advised about huge pages, and in
/// addition afterwards.
const MAPPINGS_OF_BLOCK: u16 = 4;
const MAPPINGS: u16 = 2;
const MAPPINGS_ADVISED: u16 = 2;
/// The most mappings of a block without room to grow, and of one that is aligned to more than a page.
const MAPPINGS_BARE: u16 = 1;
const MAPPINGS_BARE_ALIGNED: u16 = 3;

/// How many bytes all shares take.
static TAKEN_BYTES: AtomicUsize = AtomicUsize::new(0);
/// How many mappings they take at most.
static TAKEN_MAPPINGS: AtomicUsize = AtomicUsize::new(0);
static ARRAYS: AtomicUsize = AtomicUsize::new(0);
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
/// How many of the bytes belong to blocks.
static BLOCK_BYTES: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressSpace {
    bytes: usize,
    /// What limits them.
    sized_by: SizedBy,
    /// How many bytes an array gets if addresses count as locked memory.
    lockable: Option<usize>,
    /// How many addresses are left, if that is known.
    left: Option<usize>,
    /// How many addresses seem to be left after a refusal.
    guess: Option<usize>,
}

/// What is available to share at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    all: usize,
    /// How many of them are in shares.
    taken: usize,
}

impl AddressSpace {
    /// A space of `bytes` addresses without other limits.
    const fn of(bytes: usize) -> Self {
        let sized_by = SizedBy::addresses(bytes);
        Self { bytes, sized_by, lockable: None, left: None, guess: None }
    }

    /// Asks the system. Does not allocate, and acquires no lock.
    #[inline(never)]
    pub(crate) fn now() -> Self {
        let all = Self::of(os::address_space_bytes());
        let Some((limit, used)) = os::address_limit() else { return all };
        let used = used.unwrap_or_else(|| TAKEN_BYTES.load(ORDER));
        let left = Some(limit.saturating_sub(used));
        let sized_by = if limit < all.bytes {
            SizedBy::Limit(ErrorKind::AddressLimit, limit as u64)
        } else {
            all.sized_by
        };
        Self { sized_by, left, ..all }
    }

    /// The space as it seems after `bytes` were refused with `error`.
    #[must_use]
    pub(crate) fn refusing(self, bytes: usize, error: &Error) -> Self {
        /// The reciprocal of the part of what was refused that seems to be left.
        const PART: usize = 8;
        let sized_by = SizedBy::refused(error, self.sized_by);
        let SizedBy::Limit(ErrorKind::LockLimit, limit) = sized_by else {
            return Self { sized_by, lockable: None, guess: Some(bytes / PART), ..self };
        };
        let left = limit.saturating_sub(os::locked_bytes().unwrap_or(0));
        let part = usize::try_from(lockable(limit, left)).unwrap_or(usize::MAX).min(bytes / 2);
        let lockable = Some(if part < LEAST_BYTES { 0 } else { part });
        Self { sized_by, lockable, ..self }
    }

    fn share(self, taken: usize) -> Share {
        if let Some(all) = self.guess {
            // Whatever has taken the others.
            return Share { all, taken: 0 };
        }
        let all = self.left.map_or(self.bytes, |left| left.saturating_add(taken).min(self.bytes));
        Share { all, taken }
    }

    /// Takes the share of an array that immediately needs `need` bytes, and at most `most` in all. The share is 0 bytes
    /// if only the addresses that it needs are left.
    ///
    /// # Errors
    ///
    /// [`MappingLimit`](ErrorKind::MappingLimit) if there are too many mappings already.
    pub(crate) fn take_for_array(
        self,
        need: usize,
        most: usize,
        columns: u8,
    ) -> Result<CountedShare, Error> {
        let usual = usual_bytes();
        // Each column has its own.
        let mappings = u16::from(columns) * MAPPINGS;
        take_mappings(mappings, ALL_EIGHTHS)
            .map_err(|limit| Error::new(ErrorKind::MappingLimit, need).with_limit(limit as u64))?;
        let arrays = ARRAYS.fetch_add(1, ORDER);
        let mut bytes = 0;
        // The closure never returns `None`.
        let _ = TAKEN_BYTES.fetch_update(ORDER, ORDER, |taken| {
            let share = || self.share(taken).of_array(arrays, usual);
            bytes = self.lockable.unwrap_or_else(share).min(most);
            Some(taken.wrapping_add(bytes))
        });
        let limit = Some(self.sized_by).filter(|_| bytes < usual.min(most));
        Ok(CountedShare {
            bytes,
            mappings,
            kind: ShareKind::Array,
            limit: limit.and_then(LimitKib::of),
        })
    }

    /// Takes room for a block: `requested` bytes if possible, otherwise its share by the ladder, or `near` bytes if
    /// there are many other blocks. `None` if less than `least` is available.
    pub(crate) fn take_for_block(
        self,
        requested: Option<usize>,
        least: usize,
        near: Option<usize>,
    ) -> Option<CountedShare> {
        let counted = |blocks| (blocks < MOST_BLOCKS).then_some(blocks + 1);
        let others = BLOCKS.fetch_update(ORDER, ORDER, counted).ok()?;
        let near = near.filter(|_| others >= FAR_BLOCKS);
        let bytes = take_mappings(MAPPINGS_OF_BLOCK, ALL_EIGHTHS).ok().and_then(|()| {
            let bytes = self.take_block_bytes(requested, least, near);
            if bytes.is_none() {
                TAKEN_MAPPINGS.fetch_sub(MAPPINGS_OF_BLOCK.into(), ORDER);
            }
            bytes
        });
        if bytes.is_none() {
            BLOCKS.fetch_sub(1, ORDER);
        }
        Some(CountedShare::new(bytes?, MAPPINGS_OF_BLOCK, ShareKind::Block))
    }

    /// Counts a block that has exactly the addresses that it needs. `None` if there are too many mappings already.
    pub(crate) fn take_for_bare_block(align: usize) -> Option<CountedShare> {
        let is_aligned = align > os::page_size().get();
        let mappings = if is_aligned { MAPPINGS_BARE_ALIGNED } else { MAPPINGS_BARE };
        take_mappings(mappings, BARE_EIGHTHS).ok()?;
        Some(CountedShare::new(0, mappings, ShareKind::Bare))
    }

    /// Counts the bytes of a block: first among those of all blocks, which limits their sum, then among all shares,
    /// which leaves the ladder to arrays.
    fn take_block_bytes(
        self,
        requested: Option<usize>,
        least: usize,
        near: Option<usize>,
    ) -> Option<usize> {
        let memory = memory_bytes();
        let mut preferred = 0;
        let of_blocks = |blocks_bytes| {
            let (most, usual) = self.share(TAKEN_BYTES.load(ORDER)).of_block(blocks_bytes, memory);
            let usual = near.map_or(usual, |near| near.min(usual));
            preferred = requested.unwrap_or(usual).min(most);
            (preferred >= least).then_some(blocks_bytes + preferred)
        };
        BLOCK_BYTES.fetch_update(ORDER, ORDER, of_blocks).ok()?;
        let mut bytes = 0;
        let of_all = |taken| {
            bytes = preferred.min(self.share(taken).ladder());
            (bytes >= least).then_some(taken + bytes)
        };
        let has_taken = TAKEN_BYTES.fetch_update(ORDER, ORDER, of_all).is_ok();
        let bytes = if has_taken { bytes } else { 0 };
        BLOCK_BYTES.fetch_sub(preferred - bytes, ORDER);
        has_taken.then_some(bytes)
    }
}

/// How much an array gets if `limit` bytes may be locked and `left` are left: half of those past a quarter of the
/// limit. From that quarter an array takes only what it needs immediately.
const fn lockable(limit: u64, left: u64) -> u64 {
    left.saturating_sub(limit / 4) / 2
}

impl Share {
    /// How many bytes are left of the half that is shared by the ladder.
    fn ladder(self) -> usize {
        self.all.saturating_sub(self.taken).saturating_sub(self.all / 2)
    }

    /// The share of an array beside `arrays` others.
    fn of_array(self, arrays: usize, usual: usize) -> usize {
        let part = (self.ladder() / arrays.saturating_add(FIRST_PART)).min(usual);
        let is_floor_left = self.all / 4 + FLOOR_BYTES <= self.all.saturating_sub(self.taken);
        match part {
            FLOOR_BYTES.. => part,
            _ if is_floor_left => FLOOR_BYTES,
            _ => 0,
        }
    }

    /// The most that a block gets if all blocks have `blocks_bytes`, and its share by default.
    fn of_block(self, blocks_bytes: usize, memory: usize) -> (usize, usize) {
        let most = self.ladder().min((self.all / 4).saturating_sub(blocks_bytes));
        (most, (most / BLOCK_PART).min(memory))
    }
}

/// The share of a reservation, which is counted for as long as this lives.
#[derive(Debug)]
pub(crate) struct CountedShare {
    bytes: usize,
    mappings: u16,
    kind: ShareKind,
    /// The limit of the process that sets the size, if there is one.
    limit: Option<LimitKib>,
}

/// A limit of the process: its kind, and its value in KiB, where 0 stands for all addresses. Small, since every
/// reservation has one.
#[derive(Clone, Copy, Debug)]
#[repr(Rust, packed)]
struct LimitKib(ErrorKind, u32);

impl LimitKib {
    fn of(sized_by: SizedBy) -> Option<Self> {
        match sized_by {
            SizedBy::Limit(ErrorKind::AddressSpace, _) => Some(Self(ErrorKind::AddressSpace, 0)),
            SizedBy::Limit(kind, bytes) => {
                Some(Self(kind, u32::try_from(bytes >> 10).unwrap_or(u32::MAX)))
            }
            SizedBy::Option | SizedBy::Default | SizedBy::Backing => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ShareKind {
    Array,
    Block,
    /// A block without room to grow.
    Bare,
}

impl CountedShare {
    const fn new(bytes: usize, mappings: u16, kind: ShareKind) -> Self {
        Self { bytes, mappings, kind, limit: None }
    }

    /// How many bytes may be reserved.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn sized_by(&self) -> SizedBy {
        match self.limit {
            None => SizedBy::Default,
            Some(LimitKib(_, 0)) => SizedBy::addresses(os::address_space_bytes()),
            Some(LimitKib(kind, kib)) => SizedBy::Limit(kind, u64::from(kib) << 10),
        }
    }

    /// Whether the share includes room to grow.
    pub(super) fn has_room(&self) -> bool {
        self.kind != ShareKind::Bare
    }

    /// Counts what was reserved in place of what may be.
    pub(super) fn settle(&mut self, reserved: PageBytes, columns: u8) {
        match self.kind {
            ShareKind::Array => self.count(reserved.get(), u16::from(columns) * MAPPINGS),
            ShareKind::Block => self.count(reserved.get(), MAPPINGS_OF_BLOCK),
            ShareKind::Bare => {}
        }
    }

    /// Counts the mappings that advice about huge pages adds to an array, and returns whether the process may have
    /// them.
    pub(super) fn take_advised(&mut self) -> bool {
        // Each column has its own.
        let columns = self.mappings / MAPPINGS;
        let more = columns * MAPPINGS_ADVISED;
        let has_taken = take_mappings(more, ALL_EIGHTHS).is_ok();
        if has_taken {
            self.mappings += more;
        }
        has_taken
    }

    /// Counts a block as one mapping without room.
    pub(super) fn lose_room(&mut self) {
        self.count(0, MAPPINGS_BARE);
        self.end();
        self.kind = ShareKind::Bare;
    }

    /// Like [`lose_room`](Self::lose_room), if another thread has already [taken](room_is_taken) `taken` bytes of the
    /// room.
    pub(super) fn lose_taken_room(&mut self, taken: usize) {
        TAKEN_BYTES.fetch_add(taken, ORDER);
        BLOCK_BYTES.fetch_add(taken, ORDER);
        self.lose_room();
    }

    /// Counts one array or block less.
    fn end(&self) {
        let number = match self.kind {
            ShareKind::Array => &ARRAYS,
            ShareKind::Block => &BLOCKS,
            ShareKind::Bare => return,
        };
        number.fetch_sub(1, ORDER);
    }

    /// Changes the counts. The differences wrap, but the sums do not.
    #[inline(never)]
    fn count(&mut self, bytes: usize, mappings: u16) {
        let more = bytes.wrapping_sub(self.bytes);
        TAKEN_BYTES.fetch_add(more, ORDER);
        if self.kind == ShareKind::Block {
            BLOCK_BYTES.fetch_add(more, ORDER);
        }
        let before = mem::replace(&mut self.mappings, mappings);
        TAKEN_MAPPINGS.fetch_add(usize::from(mappings).wrapping_sub(before.into()), ORDER);
        self.bytes = bytes;
    }
}

impl Drop for CountedShare {
    #[inline(never)]
    fn drop(&mut self) {
        self.count(0, 0);
        self.end();
    }
}

/// Subtracts room that was taken from a block, which does not know of it yet.
pub(super) fn room_is_taken(bytes: usize) {
    TAKEN_BYTES.fetch_sub(bytes, ORDER);
    BLOCK_BYTES.fetch_sub(bytes, ORDER);
}

/// Returns how many blocks have room to grow, and how many bytes of addresses they take.
pub(crate) fn blocks() -> (usize, usize) {
    (BLOCKS.load(ORDER), BLOCK_BYTES.load(ORDER))
}

/// Returns the size of the reservation that an array would get now, for elements of `element_bytes`.
pub(crate) fn default_reservation_bytes(element_bytes: usize) -> usize {
    let share = AddressSpace::now().share(TAKEN_BYTES.load(ORDER));
    let part = share.of_array(ARRAYS.load(ORDER), usual_bytes());
    whole_bytes(element_bytes, part)
}

/// Returns the size of the reservation of an array that immediately needs `need` bytes, and at most `most` in all, if
/// addresses are not scarce.
pub(crate) fn usual_reservation_bytes(need: usize, most: usize) -> usize {
    whole_bytes(need, usual_bytes().min(most))
}

/// Returns the size of the reservation of an array that immediately needs `need` bytes and gets the share `part`.
pub(crate) fn whole_bytes(need: usize, part: usize) -> usize {
    const MOST_BYTES: usize = isize::MAX as usize;
    // The sum is limited to what is possible, unless `need` itself exceeds it.
    let bytes =
        if need <= part { part } else { need.saturating_add(part).min(need.max(MOST_BYTES)) };
    let unit = LEAST_BYTES.max(os::page_size().get());
    // What cannot be rounded cannot be reserved either.
    // `unit` is a power of two.
    let whole = bytes.max(1).checked_add(unit - 1).map(|end| end & !(unit - 1));
    whole.filter(|whole| *whole <= MOST_BYTES).unwrap_or(bytes)
}

/// The share of the first array: as much as the machine has memory, which no array can outgrow, or what the environment
/// sets.
pub(crate) fn usual_bytes() -> usize {
    static USUAL: AtomicUsize = AtomicUsize::new(0);
    os::once(&USUAL, || {
        // Std acquires a read lock on the environment. It only waits for a thread that changes the environment. In the
        // child of a fork such a thread may have been lost, but changing the environment in a program with several
        // threads is not permitted.
        let named = std::env::var_os("STAYPUT_RESERVE_BYTES");
        let number = named.as_ref().and_then(|text| leading_number(text.as_encoded_bytes()));
        let named = number.filter(|(_, rest)| rest.is_empty());
        let named = named.and_then(|(number, _)| usize::try_from(number).ok());
        let usual = named.unwrap_or_else(|| match memory_bytes() {
            usize::MAX => LARGEST_BYTES,
            memory => memory.min(LARGEST_BYTES),
        });
        usual.max(FLOOR_BYTES)
    })
}

/// The machine's memory, rounded up to a power of two; `usize::MAX` if it is unknown.
pub(crate) fn memory_bytes() -> usize {
    static MEMORY: AtomicUsize = AtomicUsize::new(0);
    os::once(&MEMORY, || {
        let memory = os::memory_bytes().and_then(u64::checked_next_power_of_two);
        memory.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
    })
}

/// How many eighths of the mappings may be taken: by all, and when a block without room is made.
const ALL_EIGHTHS: usize = 7;
const BARE_EIGHTHS: usize = 5;

/// Returns `eighths` eighths of `limit`, rounded up.
const fn part_of_mappings(limit: usize, eighths: usize) -> usize {
    limit - limit / 8 * (8 - eighths)
}

/// Counts `mappings` more, or returns the limit.
fn take_mappings(mappings: u16, eighths: usize) -> Result<(), usize> {
    /// 0 if unknown. Threads that race here store the same value.
    static LIMIT: AtomicUsize = AtomicUsize::new(0);
    let take = |limit: usize| {
        let count = |taken| {
            let more = taken + usize::from(mappings);
            (more <= part_of_mappings(limit, eighths)).then_some(more)
        };
        TAKEN_MAPPINGS.fetch_update(ORDER, ORDER, count)
    };
    let known = LIMIT.load(ORDER);
    if known != 0 && take(known).is_ok() {
        return Ok(());
    }
    // The limit may have been raised.
    let limit = os::mapping_limit().unwrap_or(usize::MAX);
    LIMIT.store(limit, ORDER);
    take(limit).map(drop).map_err(|_| limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: usize = 1 << 20;
    const GIB: usize = 1 << 30;
    #[cfg(target_pointer_width = "64")]
    const TIB: usize = 1 << 40;

    /// The sizes that `count` arrays get, one after the other, if each needs `need` bytes.
    fn parts(space: AddressSpace, usual: usize, need: usize, count: usize) -> (Vec<usize>, Share) {
        let mut share = space.share(0);
        let mut parts = Vec::new();
        for arrays in 0..count {
            let bytes = whole_bytes(need, share.of_array(arrays, usual));
            // What is left is measured, or all that is not counted.
            let left = space.left.map(|left| left.saturating_sub(share.taken + bytes));
            share = AddressSpace { left, ..space }.share(share.taken + bytes);
            parts.push(bytes);
        }
        (parts, share)
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_thousand_arrays_get_one_gib_each_on_machines_of_any_size() {
        let space = AddressSpace::of(128 * TIB);
        for memory in [16 * GIB, 32 * GIB, 256 * GIB, TIB] {
            let (parts, share) = parts(space, memory, 8, 30_000);
            assert_eq!(parts[0], memory);
            assert!(parts[..1000].iter().all(|part| *part >= GIB), "{memory}: {}", parts[999]);
            assert!(parts[10_000..].iter().all(|part| *part >= MIB));
            assert!(parts[9_999] >= 8 * MIB, "{memory}: {}", parts[9_999]);
            assert!(parts.is_sorted_by(|a, b| a + LEAST_BYTES >= *b));
            assert!(share.taken <= 64 * TIB);
        }
    }

    #[test]
    fn under_a_limit_a_quarter_is_left_and_small_arrays_still_get_memory() {
        let space = AddressSpace {
            left: Some(2 * GIB - 64 * MIB),
            ..AddressSpace::of(1 << (usize::BITS - 17).max(31))
        };
        let (parts, share) = parts(space, GIB, 8, 12_000);
        assert!((200 * MIB..256 * MIB).contains(&parts[0]), "{}", parts[0]);
        assert!(parts[..500].iter().all(|part| *part >= FLOOR_BYTES));
        assert_eq!(*parts.last().unwrap(), whole_bytes(8, 0));
        let small = parts.iter().filter(|part| **part == whole_bytes(8, 0)).count();
        let rest = share.taken - small * whole_bytes(8, 0);
        assert!(rest <= 2 * GIB / 4 * 3, "{rest}");
    }

    #[test]
    fn on_32_bits_the_first_array_gets_the_largest_share_and_many_fit() {
        let four_gib = usize::try_from(4 * (GIB as u64)).unwrap_or(usize::MAX);
        for all in [2 * GIB - 1, 3 * GIB, four_gib] {
            let space = AddressSpace::of(all);
            let (parts, share) = parts(space, 128 * MIB, 8, 500);
            assert_eq!(parts[0], 128 * MIB);
            assert!(parts.iter().all(|part| *part >= FLOOR_BYTES), "{all}");
            assert!(share.taken <= all / 4 * 3, "{all}");
        }
    }

    #[test]
    fn an_array_that_needs_more_gets_its_share_in_addition() {
        assert_eq!(whole_bytes(8, 0), LEAST_BYTES.max(os::page_size().get()));
        assert_eq!(whole_bytes(8, MIB), MIB);
        assert_eq!(whole_bytes(MIB, MIB), MIB);
        assert_eq!(whole_bytes(3 * MIB, MIB), 4 * MIB);
        assert!(whole_bytes(usize::MAX, MIB) == usize::MAX);
        let most = usize::MAX / 2;
        assert_eq!([most, most + 1].map(|need| whole_bytes(need, 0)), [most, most + 1]);
        assert_eq!(whole_bytes(most - MIB / 2, MIB), most);
    }

    #[test]
    #[cfg_attr(no_vm, ignore = "shares are small there")]
    fn few_sizes_are_tried_after_a_refusal() {
        let refused = Error::new(ErrorKind::AddressSpace, GIB);
        let mut space = AddressSpace::of(usize::MAX / 2);
        let mut tries = 0;
        loop {
            let part = space.share(0).of_array(0, LARGEST_BYTES);
            if part == 0 {
                break;
            }
            let next = space.refusing(part, &refused);
            assert!(next.share(0).all <= part / 8);
            (space, tries) = (next, tries + 1);
        }
        assert!((2..=6).contains(&tries), "{tries}");
        // Even if the rest of the process has everything, an array gets something.
        assert!(
            space.refusing(GIB, &refused).share(usize::MAX / 2).of_array(3, LARGEST_BYTES) >= MIB
        );
    }

    #[test]
    fn blocks_get_a_quarter_at_most_and_leave_the_ladder_to_arrays() {
        let all = usize::MAX / 2;
        let (most, usual) = Share { all, taken: 0 }.of_block(0, usize::MAX);
        assert_eq!((most, usual), (all / 4, all / 4 / BLOCK_PART));
        let mut taken = 0;
        for _ in 0..100_000 {
            taken += Share { all, taken }.of_block(taken, usize::MAX).1;
        }
        assert!(taken <= all / 4);
        assert!(Share { all, taken }.of_array(0, LARGEST_BYTES) >= LARGEST_BYTES / 4);
        assert_eq!(Share { all, taken: usize::MAX }.of_block(0, usize::MAX), (0, 0));
        assert_eq!(Share { all, taken: usize::MAX }.of_array(0, usize::MAX), 0);
    }

    #[test]
    fn half_of_what_may_be_locked_past_a_quarter_is_for_one_array() {
        assert_eq!([100, 64, 20, 16, 0].map(|left| lockable(64, left)), [42, 24, 2, 0, 0]);
    }

    #[test]
    fn what_may_be_locked_is_known_after_a_refusal() {
        let limit = |bytes| Error::new(ErrorKind::LockLimit, GIB).with_limit(bytes);
        let lockable =
            |bytes, limited| AddressSpace::of(GIB).refusing(bytes, &limit(limited)).lockable;
        // At most half of what was refused, and nothing rather than very little.
        assert_eq!(lockable(GIB, u64::MAX), Some(GIB / 2));
        assert_eq!(lockable(2 * LEAST_BYTES, u64::MAX), Some(LEAST_BYTES));
        assert_eq!(lockable(2 * LEAST_BYTES - 2, u64::MAX), Some(0));
        assert_eq!(lockable(GIB, 4096), Some(0));
    }

    #[test]
    fn blocks_are_near_each_other_only_if_there_are_many() {
        let is_far = || {
            let share = AddressSpace::of(usize::MAX / 2).take_for_block(None, 1, Some(LEAST_BYTES));
            share.is_some_and(|share| share.bytes() > LEAST_BYTES)
        };
        // Another test may have many.
        assert!((0..100).any(|_| is_far()) || BLOCKS.load(ORDER) >= FAR_BLOCKS);
    }

    #[test]
    fn a_share_keeps_the_limit_that_set_its_size_in_kib() {
        let kept = |sized_by| {
            let limit = LimitKib::of(sized_by);
            CountedShare { limit, ..CountedShare::new(0, 0, ShareKind::Bare) }.sized_by()
        };
        let limit = |bytes| SizedBy::Limit(ErrorKind::AddressLimit, bytes);
        assert_eq!(kept(limit(5 << 30)), limit(5 << 30));
        assert_eq!(kept(limit(1025)), limit(1024));
        assert_eq!(kept(limit(u64::MAX)), limit(u64::from(u32::MAX) << 10));
        assert_eq!([kept(SizedBy::Default), kept(SizedBy::Option)], [SizedBy::Default; 2]);
    }

    #[test]
    fn each_column_of_an_array_has_mappings_of_its_own() {
        let page = PageBytes::one(os::page_size());
        for columns in [1, 3] {
            let share = AddressSpace::of(usize::MAX / 2).take_for_array(8, MIB, columns);
            let mut share = share.expect("few mappings");
            let each = |mappings| u16::from(columns) * mappings;
            assert_eq!((share.bytes, share.mappings), (MIB, each(MAPPINGS)));
            assert!(share.take_advised());
            assert_eq!(share.mappings, each(MAPPINGS + MAPPINGS_ADVISED));
            share.settle(page, columns);
            assert_eq!((share.bytes, share.mappings), (page.get(), each(MAPPINGS)));
        }
        // Nothing is counted after a refusal.
        let few = os::mapping_limit().filter(|limit| u16::try_from(*limit).is_ok());
        assert_eq!(few.and_then(|_| take_mappings(u16::MAX, ALL_EIGHTHS).err()), few);
    }

    #[test]
    fn blocks_without_room_leave_three_eighths_of_the_mappings() {
        let part = |eighths| part_of_mappings(65_530, eighths);
        assert_eq!([part(ALL_EIGHTHS), part(BARE_EIGHTHS)], [57_339, 40_957]);
    }

    #[test]
    fn a_block_without_room_counts_the_mappings_beside_it_if_it_is_aligned() {
        let page = os::page_size().get();
        let mappings = [1, page, 2 * page]
            .map(|align| AddressSpace::take_for_bare_block(align).expect("few mappings").mappings);
        assert_eq!(mappings, [MAPPINGS_BARE, MAPPINGS_BARE, MAPPINGS_BARE_ALIGNED]);
    }
}
