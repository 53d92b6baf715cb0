//! [`Arena`]: values of any type in contiguous memory, freed all at once.

#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod allocator;
mod boxed;
mod builder;
pub(crate) mod bump;
mod methods;
mod scope;
mod slice_builder;
mod stats;
#[cfg(test)]
mod tests;
mod values;

pub use boxed::{ArenaBox, Unsizing};
pub use builder::ArenaBuilder;
use builder::Options;
use bump::Bump;
use methods::{alloc_methods, scope_methods};
pub use scope::{Scope, ScopeGuard};
pub use stats::ArenaStats;

use crate::error::{Error, Refused, unwrap_or_panic};
use crate::growing::{Budget, GivenBack, GrowingReservation, Prefaulted};
use std::alloc::Layout;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Stores values of any type one after another in memory that never moves, and frees them all at once.
///
/// Storing a value takes a few instructions, whatever its type. The returned references stay valid until the
/// arena is [reset](Self::reset) or dropped, which needs a mutable borrow, or until the [scope](Self::scope) ends.
/// There are no chunks: addresses are reserved once, and memory is committed in place.
///
/// # Drop
///
/// Values in an arena are **not dropped**: whatever else they own leaks. Use [`alloc_box`](Self::alloc_box) for values
/// that must be dropped. A container that uses the arena as its allocator (`Vec<T, &Arena>`, with the features
/// `allocator-api2-02` and `allocator-api2-04`, or std's trait) drops its elements as usual.
///
/// # Memory
///
/// An arena made with [`new`](Self::new) reserves addresses when it stores its first value: as many bytes as the machine
/// has RAM, or fewer if there are very many other arenas or the system has fewer addresses. To choose the size, use
/// [`with_max_bytes`](Self::with_max_bytes) or [`builder`](Self::builder); [`max_bytes`](Self::max_bytes) is then an
/// exact limit, whatever the page size.
///
/// Only the last block can be freed individually, when it shrinks or when its container frees it. All other memory is
/// freed when the scope ends, or by [`reset`](Self::reset), which keeps it committed: filling it again takes no page
/// faults and no system calls. [`reset_keeping`](Self::reset_keeping) and [`trim_within`](Self::trim_within) return it
/// to the system.
///
/// # Errors
///
/// Each method that panics has a `try_` variant, which returns an [`Error`] instead, together with the value that could
/// not be stored.
///
/// # Moving from `bumpalo`
///
/// Change `use bumpalo::Bump` to `use stayput::Arena as Bump`. These methods have the same names: `alloc`,
/// `alloc_with`, `alloc_try_with`, `alloc_str`, `alloc_layout`, `alloc_slice_*`, their `try_` variants, `with_capacity`,
/// `set_allocation_limit`, `reset`, `allocated_bytes` and `chunk_capacity`, and the functions of `boxed::Box` in
/// [`ArenaBox`]. Differences:
///
/// | `bumpalo` 3.20 | here |
/// |---|---|
/// | chunks, each twice as large; `reset` keeps the last | one range of addresses, committed in place; `reset` keeps all of it, [`reset_keeping`](Self::reset_keeping) as much as you choose |
/// | `new` allocates nothing | neither does [`new`](Self::new), but the first value reserves addresses and commits 64 KiB, which takes system calls. Instead of creating an arena for a few values each time, [`reset`](Self::reset) one |
/// | memory from the global allocator | from the system, and returned by [`trim_within`](Self::trim_within), not only when the arena is dropped |
/// | `try_new` | [`new`](Self::new), which cannot fail |
/// | `AllocErr` | [`Error`], which names the limit |
/// | `try_alloc` drops the value | returns it, with the error |
/// | `try_alloc_try_with`: `AllocOrInitError` | nested results: the outer one is the arena's, the inner one the closure's |
/// | `alloc_slice_fill_iter`: an iterator that knows its length | any iterator, also as [`alloc_slice_from_iter`](Self::alloc_slice_from_iter) |
/// | `alloc_slice_try_fill_with`, `…_iter`: values before the error leak | they are dropped |
/// | `set_allocation_limit`: for chunks that are allocated later, rounded up to chunks | for every byte [used later](Self::set_allocation_limit) |
/// | `allocated_bytes_including_metadata` | [`stats`](Self::stats) |
/// | `iter_allocated_chunks`: values from last to first | [`used_memory`](Self::used_memory): from first to last, in one slice |
/// | `with_min_align` | none: values are aligned as their types require |
/// | trait objects by `from_raw(into_raw(x) as *mut dyn …)` | the same, or [`ArenaBox::unsize`] without `unsafe` |
/// | `Box::pin_in` | none, as [`ArenaBox`] explains: use `pin!` or std's `Box::pin` |
/// | `collections::Vec`, `String` | the `Vec` of `allocator-api2` or of std, in `&arena`, which grows in place while it is the last block. No `String`; [`alloc_fmt`](Self::alloc_fmt) replaces `format!(in &bump, …)` |
/// | `raw_checkpoint` of 3.21, and `unsafe` `reset_to_raw_checkpoint`, free what was stored in between | a [scope](Self::scope) or a [`guard`](Self::guard), without `unsafe` |
/// | `no_std` | needs std |
///
/// # Examples
///
/// ```
/// use stayput::Arena;
///
/// let mut frame = Arena::new();
/// for i in 0..3 {
///     let name = frame.alloc_fmt(format_args!("frame {i}"));
///     let sparks = frame.alloc_slice_fill_copy(1000, [0.0_f32; 4]);
///     sparks[0][0] = 1.0;
///     name.make_ascii_uppercase(); // references are mutable
///     assert!(name.starts_with("FRAME "));
///     frame.reset();
/// }
/// assert_eq!(frame.used_bytes(), 0);
/// ```
///
/// References do not outlive a reset,
///
/// ```compile_fail,E0502
/// let mut arena = stayput::Arena::new();
/// let one = arena.alloc(1);
/// arena.reset();
/// println!("{one}");
/// ```
///
/// nor the arena,
///
/// ```compile_fail,E0505
/// let arena = stayput::Arena::new();
/// let one = arena.alloc(1);
/// drop(arena);
/// println!("{one}");
/// ```
///
/// and only one thread can use it at a time:
///
/// ```compile_fail,E0277
/// let arena = stayput::Arena::new();
/// std::thread::scope(|threads| {
///     threads.spawn(|| *arena.alloc(1));
/// });
/// ```
pub struct Arena {
    pub(super) bump: Bump,
}

impl Arena {
    /// Creates an empty arena. Nothing is reserved before the first value is stored.
    ///
    /// The arena then reserves as much as the machine has memory, or its share of the process's addresses, as
    /// [`VmVec::new`](crate::VmVec::new) does.
    #[must_use]
    pub const fn new() -> Self {
        Self { bump: Bump::new(Options::DEFAULT) }
    }

    /// Creates an empty arena that never uses more than `max_bytes`, and reserves the addresses for them.
    ///
    /// # Panics
    ///
    /// If [`try_with_max_bytes`](Self::try_with_max_bytes) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::with_max_bytes(100);
    /// arena.alloc([0_u8; 100]);
    /// assert!(arena.try_alloc(0_u8).is_err());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_max_bytes(max_bytes: usize) -> Self {
        unwrap_or_panic(Self::try_with_max_bytes(max_bytes))
    }

    /// Like [`with_max_bytes`](Self::with_max_bytes), but returns an error instead of panicking.
    ///
    /// # Errors
    ///
    /// If the system refuses the addresses.
    pub fn try_with_max_bytes(max_bytes: usize) -> Result<Self, Error> {
        Self::builder().max_bytes(max_bytes).try_build()
    }

    /// Creates an empty arena with `capacity_bytes` of committed memory. Storing values there makes no system calls,
    /// but takes page faults unless [`prefault`](Self::prefault) takes them in advance.
    ///
    /// # Panics
    ///
    /// If [`try_with_capacity`](Self::try_with_capacity) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::with_capacity(1 << 20);
    /// assert!(arena.capacity_bytes() >= 1 << 20);
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity_bytes: usize) -> Self {
        unwrap_or_panic(Self::try_with_capacity(capacity_bytes))
    }

    /// Like [`with_capacity`](Self::with_capacity), but returns an error instead of panicking.
    ///
    /// # Errors
    ///
    /// If the system refuses the addresses or the memory, or the capacity exceeds `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)).
    pub fn try_with_capacity(capacity_bytes: usize) -> Result<Self, Error> {
        Self::builder().capacity_bytes(capacity_bytes).try_build()
    }

    /// Returns a builder with the options of an arena.
    pub const fn builder() -> ArenaBuilder {
        ArenaBuilder::new()
    }

    fn try_with_options(options: Options, capacity_bytes: usize) -> Result<Self, Error> {
        let arena = Self { bump: Bump::new(options) };
        // Commits before the background thread serves the arena: the thread has nothing to be ahead of yet.
        arena.bump.try_commit(capacity_bytes)?;
        if options.max_bytes.is_some() || options.commit_ahead.is_on() {
            arena.bump.try_reserve_addresses(Layout::new::<u8>())?;
        }
        Ok(arena)
    }

    alloc_methods!('_);
    scope_methods!(of_arena);

    /// Frees all memory of the arena, in O(1) and without a system call. The memory stays committed, for the next
    /// values. No value is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut frame = stayput::Arena::new();
    /// for n in 0..3_u32 {
    ///     frame.alloc_slice_fill_copy(1000, n);
    ///     frame.reset();
    /// }
    /// assert_eq!(frame.used_bytes(), 0);
    /// assert!(frame.capacity_bytes() >= 4000); // stays committed
    /// ```
    #[inline]
    pub fn reset(&mut self) {
        self.bump.reset();
    }

    /// Resets the arena, and returns committed memory past the first `keep_bytes` to the system, in whole runs. If
    /// fewer than two runs are spare, the memory stays, as for [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit).
    ///
    /// # Errors
    ///
    /// If the system refuses to take memory back ([`MappingLimit`](crate::ErrorKind::MappingLimit)). The arena is reset
    /// all the same.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut level = stayput::Arena::new();
    /// level.alloc_slice_fill_copy(4 << 20, 1_u8);
    /// level.reset_keeping(1 << 20)?;
    /// assert!(level.capacity_bytes() < 2 << 20);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn reset_keeping(&mut self, keep_bytes: usize) -> Result<(), Error> {
        self.reset();
        self.trim_within(keep_bytes, Budget::UNLIMITED).map(drop)
    }

    /// Returns committed memory to the system that is past both the used bytes and the first `keep_bytes`, within a
    /// budget, so that the work can be spread over frames. Call it again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`reset_keeping`](Self::reset_keeping). Memory that was already returned stays returned.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena, Budget};
    ///
    /// let mut level = Arena::new();
    /// level.alloc_slice_fill_copy(4 << 20, 1_u8);
    /// level.reset();
    /// // One MiB of it in each frame:
    /// while !level.trim_within(0, Budget::bytes(1 << 20))?.is_done {}
    /// assert_eq!(level.capacity_bytes(), 0);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn trim_within(&self, keep_bytes: usize, budget: Budget) -> Result<GivenBack, Error> {
        self.bump.trim(keep_bytes, budget)
    }

    /// Commits memory for `bytes` more and makes its pages resident, so that filling it takes no page faults.
    ///
    /// Takes about 0.35 ms per MiB, or 0.1 ms with huge pages.
    ///
    /// # Panics
    ///
    /// If [`try_prefault`](Self::try_prefault) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::new();
    /// arena.prefault(1 << 20); // while a level loads
    /// let samples = arena.alloc_slice_fill_copy(1 << 18, 0.0_f32); // takes no page faults
    /// assert_eq!(size_of_val(samples), 1 << 20);
    /// ```
    #[track_caller]
    pub fn prefault(&self, bytes: usize) {
        unwrap_or_panic(self.try_prefault(bytes));
    }

    /// Like [`prefault`](Self::prefault), but returns an error instead of panicking.
    ///
    /// # Errors
    ///
    /// As for [`try_alloc_layout`](Self::try_alloc_layout).
    pub fn try_prefault(&self, bytes: usize) -> Result<(), Error> {
        self.bump.try_prefault(bytes)
    }

    /// Makes memory past the used bytes resident before it is needed, within a budget: twice as much as was used in the
    /// busiest recent sixtieth of a second. Call it in the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    ///
    /// Makes up to two system calls per 64 KiB or per huge page.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena, Budget};
    /// use std::time::Duration;
    ///
    /// let mut frame = Arena::new();
    /// for n in 0..3 {
    ///     frame.alloc_slice_fill_copy(1000 * n, 0_u64);
    ///     // The frame is done early: use the remaining time.
    ///     let done = frame.prefault_ahead(Budget::time(Duration::from_millis(1)));
    ///     assert!(done.refused.is_none());
    ///     frame.reset();
    /// }
    /// ```
    pub fn prefault_ahead(&self, budget: Budget) -> Prefaulted {
        self.bump.prefault_ahead(budget)
    }

    /// Returns how many bytes can be in use before more memory is committed, including those in use.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::with_capacity(1 << 20);
    /// arena.alloc([0_u8; 1000]);
    /// let without_system_call = arena.capacity_bytes() - arena.used_bytes();
    /// assert!(without_system_call >= (1 << 20) - 1000);
    /// ```
    pub fn capacity_bytes(&self) -> usize {
        self.bump.capacity_bytes()
    }

    /// Equivalent to [`capacity_bytes`](Self::capacity_bytes), under the name that `bumpalo` uses. Values take
    /// [`used_bytes`](Self::used_bytes) of them.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = stayput::Arena::new();
    /// arena.alloc_slice_fill_copy(10_000, 0_u8);
    /// arena.reset();
    /// assert!(arena.allocated_bytes() >= 10_000); // stays committed
    /// ```
    pub fn allocated_bytes(&self) -> usize {
        self.capacity_bytes()
    }

    /// Returns how many more bytes can be used before more memory is committed, under the name that `bumpalo` uses.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::with_capacity(1 << 20);
    /// arena.alloc([0_u8; 1000]);
    /// assert!(arena.chunk_capacity() >= (1 << 20) - 1000);
    /// assert_eq!(arena.allocated_bytes() - arena.chunk_capacity(), arena.used_bytes());
    /// ```
    pub fn chunk_capacity(&self) -> usize {
        self.capacity_bytes() - self.used_bytes()
    }

    /// Returns the maximum number of bytes that can be in use at once: the requested maximum, or else the size of the
    /// current or future reservation.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(stayput::Arena::with_max_bytes(100).max_bytes(), 100);
    /// ```
    pub fn max_bytes(&self) -> usize {
        self.bump.max_bytes()
    }

    /// Returns statistics about the arena.
    ///
    /// Asks the system which pages are resident, which takes time linear in the committed pages, and on Linux also in the
    /// mappings of the process. Do not call it in a hot path.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::with_max_bytes(1 << 20);
    /// arena.alloc([1_u8; 100]);
    /// let stats = arena.stats();
    /// assert_eq!((stats.used_bytes, stats.reserved_bytes), (100, 1 << 20));
    /// ```
    pub fn stats(&self) -> ArenaStats {
        let look = |look| self.bump.look(look).unwrap_or(0);
        let resident = self.bump.look(GrowingReservation::resident_bytes);
        ArenaStats {
            used_bytes: self.used_bytes(),
            high_water_bytes: self.bump.high_water_bytes(),
            capacity_bytes: self.capacity_bytes(),
            max_bytes: self.max_bytes(),
            reserved_bytes: look(GrowingReservation::reserved_bytes),
            committed_bytes: look(GrowingReservation::committed_bytes),
            ahead_bytes: look(GrowingReservation::ahead_bytes),
            late: look(GrowingReservation::late),
            resident_bytes: resident.unwrap_or(Some(0)),
        }
    }

    /// Returns the limit [set](Self::set_allocation_limit) on the used bytes, if any.
    pub fn allocation_limit(&self) -> Option<usize> {
        self.bump.allocation_limit()
    }

    /// Limits how many bytes may be in use at once from now on; `None` leaves [`max_bytes`](Self::max_bytes) as the
    /// only limit. O(1).
    ///
    /// If more bytes are already in use, they stay, and nothing else can be stored until enough of them are freed. The
    /// growth policy and [`prefault_ahead`](Self::prefault_ahead) commit no memory past the limit. Memory that was
    /// committed there before, or by the [background thread](crate::CommitAhead), stays committed. If the
    /// limit is set before the first value, an arena with [`Release::Keep`](crate::Release::Keep) takes no memory from
    /// the [region cache](crate::region_cache), and leaves none there.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena, ErrorKind};
    ///
    /// let arena = Arena::new();
    /// arena.set_allocation_limit(Some(1000));
    /// arena.alloc([0_u8; 900]);
    /// let refused = arena.try_alloc([0_u8; 101]).unwrap_err();
    /// assert_eq!(refused.error.kind(), ErrorKind::AllocationLimit);
    /// arena.set_allocation_limit(None);
    /// arena.alloc([0_u8; 101]);
    /// ```
    pub fn set_allocation_limit(&self, limit: Option<usize>) {
        self.bump.set_allocation_limit(limit);
    }

    /// Returns the used memory, from the first value on, including alignment padding. O(1).
    ///
    /// Values are in the order in which they were stored, except for slices that moved while they grew.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = stayput::Arena::new();
    /// arena.alloc_str("one");
    /// arena.alloc_str("two");
    /// let bytes = arena.used_memory().iter();
    /// // SAFETY: only text was stored, which needs no padding.
    /// let text: Vec<u8> = bytes.map(|byte| unsafe { byte.assume_init() }).collect();
    /// assert_eq!(text, b"onetwo");
    /// ```
    pub fn used_memory(&mut self) -> &[MaybeUninit<u8>] {
        self.bump.used_memory()
    }

    /// Returns `true` if an address lies in the used memory. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::new();
    /// let text = arena.alloc_str("here");
    /// assert!(arena.contains(text.as_ptr()));
    /// assert!(!arena.contains("there".as_ptr()));
    /// ```
    pub fn contains<T: ?Sized>(&self, pointer: *const T) -> bool {
        self.bump.contains(pointer.cast::<u8>().addr())
    }
}

default_by!([] Arena, new);
