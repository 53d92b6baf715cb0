//! [`Share`]: how many addresses those are given who do not say how many, so that some are always left.
//!
//! Addresses are reserved by guess for arrays whose maximum nobody named, and for blocks of allocators,
//! which get room to grow. All such reservations are counted here. Those of which the user named the size
//! are the user's word: they are neither counted nor bounded.
//!
//! # The ladder
//!
//! Of all addresses that the process can have,
//!
//! - **half go by a ladder**: where there are n such arrays, the next is given as much as the machine has
//!   memory, but at most 1/(4 + n) of what is left of the half. So there is always something left of it,
//!   and the part of the nth falls by the square of n, no faster: with 47 bits of addresses the
//!   thousandth has room for more than a GiB, even where the machine has a TiB of memory.
//! - **a quarter goes by the MiB**: when the ladder has less to give, an array is given [`FLOOR_BYTES`].
//! - **the last quarter** is for all else in the process. An array takes no more of it than it needs at
//!   once, in units of [`LEAST_BYTES`], as one of malloc's would.
//!
//! An array that needs more at once than it would be given has that much to grow into besides.
//!
//! Blocks can be moved when they outgrow their room, so that they are given less: 1/1024 of what is left of
//! the ladder's half (1/16 on 32-bit systems), and all together at most a quarter of all addresses.
//!
//! So much room takes two page tables of its own for each block, 8 KiB, since no other lies near it. Where there
//! are [`FAR_BLOCKS`] already, the next lie near each other, if they can be moved: they are given no more than the least
//! that is room, and their page tables are shared.
//!
//! # What all addresses are
//!
//! As many as the system has for a process. Where it has few (32 bits) or grants few (`RLIMIT_AS`), it is
//! asked how many of them are left, by whomever they are used; what is left, and what is counted here, are
//! all. A limit that is not known shows by a refusal. Then it is not searched for the largest range that
//! can be had, which others will need: an eighth of what was refused is taken to be all there is, and the
//! ladder gives a part of that.
//!
//! In a process that locks all it maps (`mlockall` with `MCL_FUTURE`), addresses count as locked memory
//! (`RLIMIT_MEMLOCK`). An array is given half of what may still be locked beyond a quarter of the limit; that quarter is
//! left to everything else in the process.
//!
//! # Mappings
//!
//! Linux grants a process 65,530 of them. An array takes two: what is committed and what is not, up to where the
//! next one is committed. Once it is large enough for huge pages it takes two more, and is given none if there are
//! too few mappings left. No more are made by guess than may take seven eighths of them: the rest is for threads,
//! and all else. (Arrays whose pages are given back here and there take more, and are not known here.)
//!
//! Blocks without room are one mapping with their neighbours, but as many as there are where every second one is
//! freed; and three each, where they are aligned to more than a page. So they are counted, and there are none
//! more once five eighths are taken: they leave a quarter to arrays.
//!
//! # Threads and forks
//!
//! Numbers that are added to, and nothing that is read by one of them is written by another: there is no
//! order to keep, and no lock that could be held where a process forks. The child has the counts of its
//! parent, and its mappings.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, SizedBy};
use crate::os::{self, leading_number};
use crate::page::PageBytes;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};

const ORDER: Ordering = Ordering::Relaxed;

/// What an array is given where the ladder has less to give.
pub(crate) const FLOOR_BYTES: usize = 1 << 20;

/// In what units an array is given what it needs, where there is no more for it.
pub(crate) const LEAST_BYTES: usize = 64 << 10;

/// The most that is reserved by guess, however much memory there is. Where a reservation is a block of the allocator's
/// (see [`os`]), a thousandth of what 32 bits of addresses can have: some hundreds of arrays leave the half of them to
/// the program.
const LARGEST_BYTES: usize = match usize::BITS {
    _ if !os::IS_SUPPORTED => 4 << 20,
    64.. => 1 << 40,
    _ => 128 << 20,
};

/// The part of what is left that the first array may have.
const FIRST_PART: usize = 4;
/// The part of what is left that a block may have.
const BLOCK_PART: usize = if usize::BITS >= 64 { 1 << 10 } else { 1 << 4 };
/// At most so many blocks have room to grow: 32,768 mappings, so that half are left to others. (16,464 were
/// seen for 40,000 blocks of a MiB, 8,192 of them with room.)
pub(crate) const MOST_BLOCKS: usize = 8192;

/// So many blocks may lie far from each other: 2 MiB of page tables.
const FAR_BLOCKS: usize = 256;

/// The most mappings that a block takes, and those of an array: before it is advised about huge pages, and more
/// afterwards.
const MAPPINGS_OF_BLOCK: u16 = 4;
const MAPPINGS: u16 = 2;
const MAPPINGS_ADVISED: u16 = 2;
/// The same of a block without room to grow, and of one that is aligned to more than a page.
const MAPPINGS_BARE: u16 = 1;
const MAPPINGS_BARE_ALIGNED: u16 = 3;

/// Bytes of all that are reserved by guess.
static TAKEN_BYTES: AtomicUsize = AtomicUsize::new(0);
/// How many mappings they take, at most.
static TAKEN_MAPPINGS: AtomicUsize = AtomicUsize::new(0);
static ARRAYS: AtomicUsize = AtomicUsize::new(0);
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
/// Of the bytes, those of blocks.
static BLOCK_BYTES: AtomicUsize = AtomicUsize::new(0);

/// The addresses of the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Space {
    bytes: usize,
    /// What limits them.
    sized_by: SizedBy,
    /// What an array is given, where addresses count as locked memory.
    lockable: Option<usize>,
    /// How many of them are left, where that is known.
    left: Option<usize>,
    /// How many seem to be left, where more were refused.
    guess: Option<usize>,
}

/// What there is to share, at some moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Share {
    all: usize,
    /// Of them all, those that are reserved by guess.
    taken: usize,
}

impl Space {
    /// So many addresses, if nothing else limits them.
    const fn of(bytes: usize) -> Self {
        let sized_by = SizedBy::addresses(bytes);
        Self { bytes, sized_by, lockable: None, left: None, guess: None }
    }

    /// Asks the system. Does not allocate, and takes no lock.
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

    /// What it seems to be where `bytes` were refused, with this error.
    #[must_use]
    pub(crate) fn refusing(self, bytes: usize, error: &Error) -> Self {
        /// The part of what was refused that is taken to be left.
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

    /// What an array is given now that needs `need` bytes at once, `most` bytes at most. Nothing, if there
    /// are only the addresses that it needs.
    ///
    /// # Errors
    ///
    /// [`MappingLimit`](ErrorKind::MappingLimit), if there are too many already.
    pub(crate) fn take_for_array(
        self,
        need: usize,
        most: usize,
        columns: u8,
    ) -> Result<Taken, Error> {
        let usual = usual_bytes();
        // Each column has its own.
        let mappings = u16::from(columns) * MAPPINGS;
        take_mappings(mappings, ALL_EIGHTHS)
            .map_err(|limit| Error::new(ErrorKind::MappingLimit, need).with_limit(limit as u64))?;
        let arrays = ARRAYS.fetch_add(1, ORDER);
        let mut bytes = 0;
        // It is never refused.
        let _ = TAKEN_BYTES.fetch_update(ORDER, ORDER, |taken| {
            let share = || self.share(taken).of_array(arrays, usual);
            bytes = self.lockable.unwrap_or_else(share).min(most);
            Some(taken.wrapping_add(bytes))
        });
        let limit = Some(self.sized_by).filter(|_| bytes < usual.min(most));
        Ok(Taken { bytes, mappings, kind: Kind::Array, limit: limit.and_then(LimitKib::of) })
    }

    /// Room for a block to grow into: as much as was said, if there is so much, or else by the ladder; or `near`, if
    /// that is said, beside many others. None, if there is less than `least`.
    pub(crate) fn take_for_block(
        self,
        said: Option<usize>,
        least: usize,
        near: Option<usize>,
    ) -> Option<Taken> {
        let counted = |blocks| (blocks < MOST_BLOCKS).then_some(blocks + 1);
        let others = BLOCKS.fetch_update(ORDER, ORDER, counted).ok()?;
        let near = near.filter(|_| others >= FAR_BLOCKS);
        let bytes = take_mappings(MAPPINGS_OF_BLOCK, ALL_EIGHTHS).ok().and_then(|()| {
            let bytes = self.take_block_bytes(said, least, near);
            if bytes.is_none() {
                TAKEN_MAPPINGS.fetch_sub(MAPPINGS_OF_BLOCK.into(), ORDER);
            }
            bytes
        });
        if bytes.is_none() {
            BLOCKS.fetch_sub(1, ORDER);
        }
        Some(Taken::new(bytes?, MAPPINGS_OF_BLOCK, Kind::Block))
    }

    /// Counts a block that has just the addresses that it needs. None, if there are too many already.
    pub(crate) fn take_for_bare_block(align: usize) -> Option<Taken> {
        let is_aligned = align > os::page_size().get();
        let mappings = if is_aligned { MAPPINGS_BARE_ALIGNED } else { MAPPINGS_BARE };
        take_mappings(mappings, BARE_EIGHTHS).ok()?;
        Some(Taken::new(0, mappings, Kind::Bare))
    }

    /// Counts the bytes of a block: first among those of blocks, so that all together have no more than
    /// their part, then among all, so that they leave the ladder to arrays.
    fn take_block_bytes(
        self,
        said: Option<usize>,
        least: usize,
        near: Option<usize>,
    ) -> Option<usize> {
        let memory = memory_bytes();
        let mut wished = 0;
        let of_blocks = |blocks_bytes| {
            let (most, usual) = self.share(TAKEN_BYTES.load(ORDER)).of_block(blocks_bytes, memory);
            let usual = near.map_or(usual, |near| near.min(usual));
            wished = said.unwrap_or(usual).min(most);
            (wished >= least).then_some(blocks_bytes + wished)
        };
        BLOCK_BYTES.fetch_update(ORDER, ORDER, of_blocks).ok()?;
        let mut bytes = 0;
        let of_all = |taken| {
            bytes = wished.min(self.share(taken).ladder());
            (bytes >= least).then_some(taken + bytes)
        };
        let has_taken = TAKEN_BYTES.fetch_update(ORDER, ORDER, of_all).is_ok();
        let bytes = if has_taken { bytes } else { 0 };
        BLOCK_BYTES.fetch_sub(wished - bytes, ORDER);
        has_taken.then_some(bytes)
    }
}

/// What an array is given where `limit` bytes may be locked and some are left: half of those beyond a quarter of the limit.
/// Of that quarter an array takes no more than it needs at once.
const fn lockable(limit: u64, left: u64) -> u64 {
    left.saturating_sub(limit / 4) / 2
}

impl Share {
    /// What is left of the half that goes by the ladder.
    fn ladder(self) -> usize {
        self.all.saturating_sub(self.taken).saturating_sub(self.all / 2)
    }

    /// What an array is given beside so many.
    fn of_array(self, arrays: usize, usual: usize) -> usize {
        let part = (self.ladder() / arrays.saturating_add(FIRST_PART)).min(usual);
        let is_floor_left = self.all / 4 + FLOOR_BYTES <= self.all.saturating_sub(self.taken);
        match part {
            FLOOR_BYTES.. => part,
            _ if is_floor_left => FLOOR_BYTES,
            _ => 0,
        }
    }

    /// The most that a block is given where all have so many bytes, and what it is given if nobody says
    /// more.
    fn of_block(self, blocks_bytes: usize, memory: usize) -> (usize, usize) {
        let most = self.ladder().min((self.all / 4).saturating_sub(blocks_bytes));
        (most, (most / BLOCK_PART).min(memory))
    }
}

/// A reservation that is counted here, for as long as this lives.
#[derive(Debug)]
pub(crate) struct Taken {
    bytes: usize,
    mappings: u16,
    kind: Kind,
    /// The limit of the process that sets its size, if one does.
    limit: Option<LimitKib>,
}

/// A limit of the process: its kind and its value in KiB, which is zero for all addresses there are. Small, since every
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
enum Kind {
    Array,
    Block,
    /// A block without room to grow.
    Bare,
}

impl Taken {
    const fn new(bytes: usize, mappings: u16, kind: Kind) -> Self {
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

    /// Whether it was given room to grow.
    pub(super) fn has_room(&self) -> bool {
        self.kind != Kind::Bare
    }

    /// Counts what was reserved, in place of what may be.
    pub(super) fn settle(&mut self, reserved: PageBytes, columns: u8) {
        match self.kind {
            Kind::Array => self.count(reserved.get(), u16::from(columns) * MAPPINGS),
            Kind::Block => self.count(reserved.get(), MAPPINGS_OF_BLOCK),
            Kind::Bare => {}
        }
    }

    /// Counts the mappings that an array takes once it is advised about huge pages, if the process may have them.
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

    /// Counts a block as one that has no room any more, and is one mapping.
    pub(super) fn lose_room(&mut self) {
        self.count(0, MAPPINGS_BARE);
        self.end();
        self.kind = Kind::Bare;
    }

    /// The same, where others have [taken](room_is_taken) so much of the room already.
    pub(super) fn lose_taken_room(&mut self, taken: usize) {
        TAKEN_BYTES.fetch_add(taken, ORDER);
        BLOCK_BYTES.fetch_add(taken, ORDER);
        self.lose_room();
    }

    /// Counts one less of its kind.
    fn end(&self) {
        let number = match self.kind {
            Kind::Array => &ARRAYS,
            Kind::Block => &BLOCKS,
            Kind::Bare => return,
        };
        number.fetch_sub(1, ORDER);
    }

    /// Changes the counts. Sums wrap only where they are part of another that does not.
    #[inline(never)]
    fn count(&mut self, bytes: usize, mappings: u16) {
        let more = bytes.wrapping_sub(self.bytes);
        TAKEN_BYTES.fetch_add(more, ORDER);
        if self.kind == Kind::Block {
            BLOCK_BYTES.fetch_add(more, ORDER);
        }
        let before = mem::replace(&mut self.mappings, mappings);
        TAKEN_MAPPINGS.fetch_add(usize::from(mappings).wrapping_sub(before.into()), ORDER);
        self.bytes = bytes;
    }
}

impl Drop for Taken {
    #[inline(never)]
    fn drop(&mut self) {
        self.count(0, 0);
        self.end();
    }
}

/// Counts that so much of a block's room was taken from it: it does not know of it yet.
pub(super) fn room_is_taken(bytes: usize) {
    TAKEN_BYTES.fetch_sub(bytes, ORDER);
    BLOCK_BYTES.fetch_sub(bytes, ORDER);
}

/// How many blocks have room to grow, and how many bytes of addresses they take.
pub(crate) fn blocks() -> (usize, usize) {
    (BLOCKS.load(ORDER), BLOCK_BYTES.load(ORDER))
}

/// How much an array would be given now whose elements have so many bytes.
pub(crate) fn default_reservation_bytes(element_bytes: usize) -> usize {
    let share = Space::now().share(TAKEN_BYTES.load(ORDER));
    let part = share.of_array(ARRAYS.load(ORDER), usual_bytes());
    whole_bytes(element_bytes, part)
}

/// How much an array is given that needs `need` bytes at once, `most` bytes at most, as long as there are enough
/// addresses.
pub(crate) fn usual_reservation_bytes(need: usize, most: usize) -> usize {
    whole_bytes(need, usual_bytes().min(most))
}

/// How much to reserve for who needs `need` bytes at once and is given `part`.
pub(crate) fn whole_bytes(need: usize, part: usize) -> usize {
    const MOST_BYTES: usize = isize::MAX as usize;
    // What is too much because of what is given besides is not too much of what is needed.
    let bytes =
        if need <= part { part } else { need.saturating_add(part).min(need.max(MOST_BYTES)) };
    let unit = LEAST_BYTES.max(os::page_size().get());
    // What cannot be rounded cannot be had either.
    let whole = bytes.max(1).checked_next_multiple_of(unit);
    whole.filter(|whole| *whole <= MOST_BYTES).unwrap_or(bytes)
}

/// What the first array is given: as much as the machine has memory, for none can outgrow that, or what the
/// environment says.
pub(crate) fn usual_bytes() -> usize {
    static USUAL: AtomicUsize = AtomicUsize::new(0);
    os::once(&USUAL, || {
        // Std locks it, for reading. That waits for nobody but who changes it, and in the child of a fork
        // there is nobody who was just doing so: a program with several threads may not.
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

/// The machine's memory, rounded up to a power of two; `usize::MAX` where it is not known.
pub(crate) fn memory_bytes() -> usize {
    static MEMORY: AtomicUsize = AtomicUsize::new(0);
    os::once(&MEMORY, || {
        let told = os::memory_bytes().and_then(u64::checked_next_power_of_two);
        told.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
    })
}

/// Of the mappings that there may be, how many eighths may be taken: by all, and where blocks without room come.
const ALL_EIGHTHS: usize = 7;
const BARE_EIGHTHS: usize = 5;

/// Counts so many mappings more, or tells how many there may be.
fn take_mappings(mappings: u16, eighths: usize) -> Result<(), usize> {
    /// 0: not asked yet. Threads that race here store the same answer.
    static LIMIT: AtomicUsize = AtomicUsize::new(0);
    let take = |limit: usize| {
        let count = |taken| {
            let more = taken + usize::from(mappings);
            (more <= limit - limit / 8 * (8 - eighths)).then_some(more)
        };
        TAKEN_MAPPINGS.fetch_update(ORDER, ORDER, count)
    };
    let known = LIMIT.load(ORDER);
    if known != 0 && take(known).is_ok() {
        return Ok(());
    }
    // It may have been raised since.
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

    /// What so many arrays are given that each need `need` bytes, one after the other.
    fn parts(space: Space, usual: usize, need: usize, count: usize) -> (Vec<usize>, Share) {
        let mut share = space.share(0);
        let mut parts = Vec::new();
        for arrays in 0..count {
            let bytes = whole_bytes(need, share.of_array(arrays, usual));
            // What is left is measured, or all that is not counted.
            let left = space.left.map(|left| left.saturating_sub(share.taken + bytes));
            share = Space { left, ..space }.share(share.taken + bytes);
            parts.push(bytes);
        }
        (parts, share)
    }

    #[cfg(target_pointer_width = "64")]
    #[test]
    fn a_thousand_arrays_have_a_gib_each_however_much_memory_there_is() {
        let space = Space::of(128 * TIB);
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
    fn under_a_limit_a_quarter_is_left_to_others_and_small_arrays_go_on() {
        let space =
            Space { left: Some(2 * GIB - 64 * MIB), ..Space::of(1 << (usize::BITS - 17).max(31)) };
        let (parts, share) = parts(space, GIB, 8, 12_000);
        assert!((200 * MIB..256 * MIB).contains(&parts[0]), "{}", parts[0]);
        assert!(parts[..500].iter().all(|part| *part >= FLOOR_BYTES));
        assert_eq!(*parts.last().unwrap(), whole_bytes(8, 0));
        let small = parts.iter().filter(|part| **part == whole_bytes(8, 0)).count();
        let rest = share.taken - small * whole_bytes(8, 0);
        assert!(rest <= 2 * GIB / 4 * 3, "{rest}");
    }

    #[test]
    fn on_32_bits_the_first_have_the_most_there_is_and_many_fit() {
        let four_gib = usize::try_from(4 * (GIB as u64)).unwrap_or(usize::MAX);
        for all in [2 * GIB - 1, 3 * GIB, four_gib] {
            let space = Space::of(all);
            let (parts, share) = parts(space, 128 * MIB, 8, 500);
            assert_eq!(parts[0], 128 * MIB);
            assert!(parts.iter().all(|part| *part >= FLOOR_BYTES), "{all}");
            assert!(share.taken <= all / 4 * 3, "{all}");
        }
    }

    #[test]
    fn what_is_needed_at_once_is_had_with_room_besides() {
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
    #[cfg_attr(no_vm, ignore = "little is reserved by guess there")]
    fn what_was_refused_is_not_searched_for_the_last_that_there_is() {
        let refused = Error::new(ErrorKind::AddressSpace, GIB);
        let mut space = Space::of(usize::MAX / 2);
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
        // Where the others have all, there is something nevertheless.
        assert!(
            space.refusing(GIB, &refused).share(usize::MAX / 2).of_array(3, LARGEST_BYTES) >= MIB
        );
    }

    #[test]
    fn blocks_have_a_quarter_at_most_and_leave_the_ladder_to_arrays() {
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
}
