//! Lists the reservations of the process and the memory that each uses.
//!
//! [`memory_map`](memory_map()) returns a snapshot of all reservations: those of containers, arenas and allocators, those
//! made by the user, and unused ones that are cached. Each container is listed with its [name](crate::Builder::name) and
//! the type of its elements. If `stayput` is compiled with debug assertions, it is also listed with the source location
//! that created it or, if that was not recorded, where it first needed memory. (In an optimised build, the setting
//! `debug-assertions = true` in `[profile.release.package.stayput]` has these recorded.)
//!
//! A [`MemoryMap`] implements `Display`, which prints a table, and with the feature `serde` also `Serialize`. The function
//! [`html_page`] renders several of them as a page that shows how memory use changed.
//!
//! # Reading a memory map
//!
//! - Much in `spare_bytes`: the container has more memory ready than it uses. Shrink it, or have less ready
//!   ([`CommitAhead`](crate::CommitAhead)).
//! - `late_growths` that rise: the background thread could not keep up. Reserve earlier, or call `prefault_ahead`.
//! - Much in `on_demand_bytes`: the container grows without [commit-ahead](crate::CommitAhead), and takes page faults where
//!   it is first written to.
//! - Much in unused reservations: lower the limit of the region cache, or [trim](crate::region_cache::trim) it.
//! - Much in `reserved_bytes` is harmless, unless addresses are limited: see [`VmVec::new`](crate::VmVec::new).
//!
//! # Cost
//!
//! Without the feature `memory-map`, nothing is recorded. With it, each reservation takes 136 more bytes, and each growth
//! of an array stores a few numbers. Operations that need no more memory, such as look-ups and pushes within the capacity,
//! are unaffected. Creating an array, pushing 100 numbers to it and dropping it takes 200 ns instead of 178 ns with memory
//! from the region cache. With fresh memory it takes 20 µs, with or without the feature. (The
//! [guide](crate::guide::figures) describes the machine.)
//!
//! Taking a memory map is slow: 9 µs per reservation, plus 15 ms per GiB of resident memory in small pages, which the
//! system has to count. While it counts the pages of one mapping, other threads cannot change mappings. Use memory maps
//! for diagnosis, not in every frame.
//!
//! # What is not listed
//!
//! - Blocks on the heap: some containers are on the heap while they are small, and a [`BlockVec`](crate::BlockVec) always
//!   is.
//! - Memory that the caller [supplied](crate::Builder::build_in), and files.
//! - The stack, the heap and the code of the program: the process takes more than the sum of what is listed.
//!
//! On targets without [virtual memory](crate::guide::the_web), reservations are listed, but their committed and resident
//! bytes are unknown.

#![forbid(unsafe_code)]

mod display;
mod page;
mod system;

pub use page::html_page;

use crate::os;
use crate::register::{self, NO_COUNT, Snapshot};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::cmp::Reverse;

/// A snapshot of the reservations of the process, returned by [`memory_map`](memory_map()).
///
/// # Examples
///
/// ```
/// let range = stayput::Reservation::new(1 << 30)?;
/// let map = stayput::memory_map();
/// let reserved: usize = map.entries.iter().map(|entry| entry.reserved_bytes).sum();
/// assert!(reserved >= 1 << 30);
/// # Ok::<(), stayput::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct MemoryMap {
    /// The reservations, in descending order of `reserved_bytes`.
    pub entries: Vec<Entry>,
}

/// A reservation in a [`MemoryMap`].
///
/// # Examples
///
/// ```
/// use stayput::{DefaultKey, SlotMap, memory_map};
///
/// let mut units: SlotMap<DefaultKey, &str> = SlotMap::builder().name("units").build();
/// units.insert("scout");
/// let map = memory_map();
/// let entry = map.entries.iter().find(|entry| entry.name == Some("units")).unwrap();
/// assert_eq!(entry.kind, "SlotMap");
/// println!("{:?} of {} bytes are resident", entry.resident_bytes, entry.reserved_bytes);
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Entry {
    /// Identifies this use of the reservation. The number is unique within the process and never reused, so it finds the
    /// same container in several memory maps.
    pub id: usize,
    /// The type of the container, `"Reservation"` if it has none, `"allocator"` for a large block of
    /// [`GlobalVm`](crate::alloc::GlobalVm) or [`VmAlloc`](crate::alloc::VmAlloc), or `"unused"`, see
    /// [`is_unused`](Self::is_unused). A container that consists of others is listed as those.
    pub kind: &'static str,
    /// The name given to the container, if any.
    pub name: Option<&'static str>,
    /// The type of the elements, if known.
    pub element_type: Option<&'static str>,
    /// The source location (`file:line:column`) where a builder created the container or, if that is not recorded, where
    /// the container first needed memory.
    ///
    /// `None` if `stayput` is compiled without debug assertions, or if memory was first needed in a method that does not
    /// record its caller.
    pub location: Option<String>,
    /// The address of the first byte.
    pub address: usize,
    /// The size of the address range. Reserved addresses alone take no memory.
    pub reserved_bytes: usize,
    /// The number of bytes that can be read and written. The system may count them as used. `None` if unknown.
    pub committed_bytes: Option<usize>,
    /// The number of bytes in physical memory. `None` if unknown.
    pub resident_bytes: Option<usize>,
    /// The number of resident bytes in huge pages. `None` if unknown, as on all systems but Linux.
    pub huge_bytes: Option<usize>,
    /// The number of bytes, from the start of the range, that the container can use without growing. `None` if the
    /// reservation is not filled from its start.
    pub usable_bytes: Option<usize>,
    /// The number of committed bytes that are not usable yet, including the end of the last page (of each column, if
    /// there are several). `None` if `usable_bytes` or `committed_bytes` is.
    pub spare_bytes: Option<usize>,
    /// The number of times the container requested more memory, since it has this reservation.
    pub growths: usize,
    /// The number of times growth outran [commit-ahead](crate::CommitAhead).
    pub late_growths: usize,
    /// The number of bytes that were committed only when the container needed them, in all growths together. The first
    /// access to each of their pages takes a page fault, unless they were [prefaulted](crate::VmVec::prefault).
    pub on_demand_bytes: usize,
    /// How much of the committed memory is resident: the percentage of each of up to 64 equal parts, in address order.
    /// Empty if unknown.
    pub resident_parts: Vec<u8>,
}

/// Returns a snapshot of the reservations of the process.
///
/// Reservations that other threads create or drop during the call may or may not be listed. The values are not read at a
/// single instant: for an array that grows meanwhile, they may not add up.
///
/// Allocates memory, makes system calls for each reservation that has committed memory, and on Linux reads a file in
/// `/proc`. See the [module documentation](mod@crate::memory_map) for its cost.
///
/// # Examples
///
/// ```
/// use stayput::VmVec;
///
/// let mut particles = VmVec::builder().name("particles").build();
/// particles.extend((0..100_000).map(|n| [n as f32; 4]));
///
/// let map = stayput::memory_map();
/// let entry = map.entries.iter().find(|entry| entry.name == Some("particles")).unwrap();
/// assert!(entry.usable_bytes.unwrap() >= 1_600_000);
/// println!("{map}");
/// ```
#[must_use]
pub fn memory_map() -> MemoryMap {
    let mut found = Vec::new();
    register::find_all(|reservation| found.push(reservation));
    found.sort_unstable_by_key(|reservation| reservation.start);
    // A block of an allocator may have lost its end to another thread, and learns of it later.
    for at in 1..found.len() {
        let most = found[at].start - found[at - 1].start;
        found[at - 1].bytes = found[at - 1].bytes.min(most);
    }
    let usages = system::usages(&found);
    let there = found.iter().zip(usages).filter(|(found, _)| found.is_still_there());
    let mut entries: Vec<Entry> = there.map(|(found, used)| Entry::new(found, used)).collect();
    entries.sort_by_key(|entry| {
        (Reverse(entry.reserved_bytes), Reverse(entry.resident_bytes), entry.id)
    });
    MemoryMap { entries }
}

impl Entry {
    fn new(found: &Snapshot, usage: system::Usage) -> Self {
        let usable_bytes = (found.usable != NO_COUNT).then_some(found.usable);
        let spare = |committed: usize| Some(committed.saturating_sub(usable_bytes?));
        Self {
            id: found.id,
            kind: found.kind,
            name: found.name,
            element_type: found.element.map(value_type),
            location: found.location.map(ToString::to_string),
            address: found.start,
            reserved_bytes: found.bytes,
            committed_bytes: usage.committed,
            resident_bytes: usage.resident,
            huge_bytes: usage.huge,
            usable_bytes,
            spare_bytes: usage.committed.and_then(spare),
            growths: found.growths,
            late_growths: found.late_growths,
            on_demand_bytes: found.on_demand_bytes,
            resident_parts: usage.parts,
        }
    }

    /// Returns how many page faults growing has caused at most: one for each page of `on_demand_bytes`, when it is first
    /// accessed. With huge pages they are fewer.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut array = stayput::VmVec::builder().name("on demand").build();
    /// array.push(1_u64);
    /// let map = stayput::memory_map();
    /// let entry = map.entries.iter().find(|entry| entry.name == Some("on demand")).unwrap();
    /// assert_eq!(entry.most_page_faults(), entry.on_demand_bytes / stayput::page_size());
    /// ```
    #[must_use]
    pub fn most_page_faults(&self) -> usize {
        self.on_demand_bytes.div_ceil(os::page_size().get())
    }

    /// Returns `true` if nothing uses the reservation: its container was dropped, and its memory is in the
    /// [region cache](crate::region_cache) or waits for the [background thread](crate::service) to return it.
    ///
    /// # Examples
    ///
    /// ```
    /// let array = stayput::VmVec::from([1, 2, 3]);
    /// let start = array.as_ptr().addr();
    /// let map = stayput::memory_map();
    /// let mut entries = map.entries.iter().filter(|entry| entry.address == start);
    /// assert!(entries.all(|entry| !entry.is_unused()));
    /// ```
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.kind == register::UNUSED
    }
}

/// Returns the type of the values, if the elements are the slots of a map.
fn value_type(element: &'static str) -> &'static str {
    let slot = element.strip_prefix("stayput::slots::array::slot::Slot<");
    slot.and_then(|rest| rest.strip_suffix('>')).unwrap_or(element)
}
