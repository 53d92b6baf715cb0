//! [`Arena`]: values of any type, one behind another, freed all at once.

#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod allocator;
mod boxed;
mod builder;
pub(crate) mod bump;
mod filling;
mod methods;
mod scope;
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

use crate::error::{Error, Refused, or_give_up};
use crate::growing::{Budget, GivenBack, Prefaulted};
use std::alloc::Layout;
use std::fmt;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// Values of any type, one behind another in memory that never moves, and freed all at once.
///
/// Storing a value is an addition and a compare, whatever its type. The references that it returns
/// stay good until the arena is [reset](Self::reset) or dropped, which takes a mutable borrow, or
/// until the [scope](Self::scope) ends. There are no chunks: addresses are reserved once, and
/// memory behind those values is committed in place.
///
/// # Drop
///
/// Values in an arena are **not dropped**: what they own beside their own memory leaks. For those
/// that are to be dropped there is [`alloc_box`](Self::alloc_box). As an allocator of containers
/// (`Vec<T, &Arena>`, by the features `allocator-api2-02` and `allocator-api2-04`, or std's trait) it
/// leaves dropping to the container, of course.
///
/// # Memory
///
/// [`new`](Self::new) reserves at the first value as much as the machine has memory, and less beside
/// very many others, or if the system has not so much to give. [`with_max_bytes`](Self::with_max_bytes) and
/// [`builder`](Self::builder) say how much; [`max_bytes`](Self::max_bytes) is then a promise: no
/// more is ever used, whatever the page.
///
/// Only the last block can be given back by itself: when it shrinks, or when its container lets go
/// of it. All else is free again with the scope, or by [`reset`](Self::reset), which keeps the
/// memory committed: filling it again takes no page fault and no call.
/// [`reset_keeping`](Self::reset_keeping) and [`trim_within`](Self::trim_within) give it back.
///
/// # Refusals
///
/// Each method has a twin that begins with `try_` and returns an [`Error`], and gives back the
/// value that could not be stored. The other panics where the twin has an error.
///
/// # Moving from `bumpalo`
///
/// Change `use bumpalo::Bump` to `use stayput::Arena as Bump`: `alloc`, `alloc_with`, `alloc_try_with`,
/// `alloc_str`, `alloc_layout`, `alloc_slice_*`, their `try_` twins, `with_capacity`, `set_allocation_limit`
/// and `reset` are called as there. What is different:
///
/// | `bumpalo` 3.21 | here |
/// |---|---|
/// | chunks, each twice as large; `reset` keeps the last | one range of addresses, committed in place; `reset` keeps all, [`reset_keeping`](Self::reset_keeping) what you say |
/// | `new` allocates nothing | neither; the first value reserves addresses and commits 64 KiB: calls to the kernel, so not for an arena of a few values that is made anew each time. [`reset`](Self::reset) one instead |
/// | memory from the global allocator | from the system; and it goes back when it [is trimmed](Self::trim_within), not only with the arena |
/// | `try_new` | [`new`](Self::new), which cannot fail |
/// | `AllocErr` | [`Error`], which says which limit it was |
/// | `try_alloc` loses the value | it gives it back, beside an error that says which limit it was |
/// | `try_alloc_try_with`: `AllocOrInitError` | a result in a result: outside the arena's, inside the closure's |
/// | `alloc_slice_fill_iter`: an iterator that knows its length | any iterator, also as [`alloc_slice_from_iter`](Self::alloc_slice_from_iter) |
/// | `alloc_slice_try_fill_with`, `…_iter`: values before the error are leaked | they are dropped |
/// | `set_allocation_limit`: for chunks that are taken from then on, rounded up to chunks | for each byte that is [used from then on](Self::set_allocation_limit) |
/// | `allocated_bytes` | [`capacity_bytes`](Self::capacity_bytes); [`used_bytes`](Self::used_bytes) is what values take |
/// | `allocated_bytes_including_metadata` | [`stats`](Self::stats) |
/// | `chunk_capacity` | `capacity_bytes() - used_bytes()`: so much is stored without a call to the kernel |
/// | `iter_allocated_chunks`: values last to first | [`used_memory`](Self::used_memory): first to last, in one slice |
/// | `with_min_align` | none: values are aligned as their types ask |
/// | `boxed::Box::new_in(x, &bump)`, `from_iter_in` | [`alloc_box(x)`](Self::alloc_box), [`alloc_box_slice_from_iter`](Self::alloc_box_slice_from_iter) |
/// | trait objects by `from_raw(into_raw(x) as *mut dyn …)` | the same, or without `unsafe` by [`ArenaBox::unsize`] |
/// | `Box::pin_in` | none, for [a reason](ArenaBox): `pin!`, or std's `Box::pin` |
/// | `collections::Vec`, `String` | the `Vec` of `allocator-api2` or of std, in `&arena`: it grows in place while it is the last. No `String`; [`alloc_fmt`](Self::alloc_fmt) in place of `format!(in &bump, …)` |
/// | `raw_checkpoint`, and `unsafe` `reset_to_raw_checkpoint`, free what was stored in between | a [scope](Self::scope), or a [`guard`](Self::guard), without `unsafe` |
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
///     name.make_ascii_uppercase(); // all of them can be changed
///     assert!(name.starts_with("FRAME "));
///     frame.reset();
/// }
/// assert_eq!(frame.used_bytes(), 0);
/// ```
///
/// Nothing outlives a reset,
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
/// and one thread at a time has it:
///
/// ```compile_fail,E0277
/// let arena = stayput::Arena::new();
/// std::thread::scope(|threads| {
///     threads.spawn(|| *arena.alloc(1));
/// });
/// ```
pub struct Arena {
    bump: Bump,
}

impl Arena {
    /// An empty arena. Nothing is reserved before the first value.
    ///
    /// It then reserves as much as the machine has memory, or its part of the addresses that the process
    /// has, as [`VmVec::new`](crate::VmVec::new) does.
    #[must_use]
    pub const fn new() -> Self {
        Self { bump: Bump::new(Options::DEFAULT) }
    }

    /// An empty arena that never uses more than `max_bytes`, with addresses for them.
    ///
    /// Enters the kernel.
    ///
    /// # Panics
    ///
    /// Where [`try_with_max_bytes`](Self::try_with_max_bytes) has an error.
    #[must_use]
    #[track_caller]
    pub fn with_max_bytes(max_bytes: usize) -> Self {
        or_give_up(Self::try_with_max_bytes(max_bytes))
    }

    /// [`with_max_bytes`](Self::with_max_bytes), or the error.
    ///
    /// # Errors
    ///
    /// If the addresses cannot be had.
    pub fn try_with_max_bytes(max_bytes: usize) -> Result<Self, Error> {
        Self::builder().max_bytes(max_bytes).try_build()
    }

    /// An empty arena with so many bytes committed, for the first values: storing them does not enter the
    /// kernel but for page faults, which [`prefault`](Self::prefault) takes before.
    ///
    /// Enters the kernel, unless there are none.
    ///
    /// # Panics
    ///
    /// Where [`try_with_capacity`](Self::try_with_capacity) has an error.
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
        or_give_up(Self::try_with_capacity(capacity_bytes))
    }

    /// [`with_capacity`](Self::with_capacity), or the error.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had, or the size is absurd
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)).
    pub fn try_with_capacity(capacity_bytes: usize) -> Result<Self, Error> {
        Self::builder().capacity_bytes(capacity_bytes).try_build()
    }

    /// Options for an arena.
    pub const fn builder() -> ArenaBuilder {
        ArenaBuilder::new()
    }

    fn try_with_options(options: Options, capacity_bytes: usize) -> Result<Self, Error> {
        let arena = Self { bump: Bump::new(options) };
        // Its capacity first: addresses are reserved for it, and nothing is ahead of what it is not yet.
        arena.bump.try_commit(capacity_bytes)?;
        if options.max_bytes.is_some() || options.commit_ahead.is_on() {
            arena.bump.try_reserve_addresses(Layout::new::<u8>())?;
        }
        Ok(arena)
    }

    alloc_methods!('_);
    scope_methods!();

    /// Makes all memory of the arena free again. It stays committed, for the next values.
    ///
    /// O(1), and does not enter the kernel. No value is dropped.
    #[inline]
    pub fn reset(&mut self) {
        self.bump.reset();
    }

    /// [`reset`](Self::reset), and gives committed memory behind the first `keep_bytes` back to the
    /// system, in whole runs, if two or more of them are spare, as
    /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does.
    ///
    /// Enters the kernel if there are.
    ///
    /// # Errors
    ///
    /// If the system refuses to take memory back
    /// ([`MappingLimit`](crate::ErrorKind::MappingLimit)). The arena is reset then too.
    pub fn reset_keeping(&mut self, keep_bytes: usize) -> Result<(), Error> {
        self.reset();
        self.trim_within(keep_bytes, Budget::UNLIMITED).map(drop)
    }

    /// Gives committed memory back that lies behind all that is used and behind the first
    /// `keep_bytes`, but no more of it than a budget allows, so that it can be spread over frames:
    /// call it again until it [is done](GivenBack::is_done).
    ///
    /// # Errors
    ///
    /// As for [`reset_keeping`](Self::reset_keeping). What was given back before is.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena, Budget};
    ///
    /// let mut level = Arena::new();
    /// level.alloc_slice_fill_copy(4 << 20, 1_u8);
    /// level.reset();
    /// // In each frame a MiB of it:
    /// while !level.trim_within(0, Budget::bytes(1 << 20))?.is_done {}
    /// assert_eq!(level.capacity_bytes(), 0);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn trim_within(&self, keep_bytes: usize, budget: Budget) -> Result<GivenBack, Error> {
        self.bump.trim(keep_bytes, budget)
    }

    /// Makes room for `bytes` more, and makes its pages resident now, so that filling it takes no
    /// page fault.
    ///
    /// Enters the kernel; linear in the pages: about 0.5 ms a MiB, 0.15 in huge pages.
    ///
    /// # Panics
    ///
    /// Where [`try_prefault`](Self::try_prefault) has an error.
    #[track_caller]
    pub fn prefault(&self, bytes: usize) {
        or_give_up(self.try_prefault(bytes));
    }

    /// [`prefault`](Self::prefault), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_alloc_layout`](Self::try_alloc_layout).
    pub fn try_prefault(&self, bytes: usize) -> Result<(), Error> {
        self.bump.try_prefault(bytes)
    }

    /// Makes memory behind what is used resident ahead of its use: twice as much as the busiest
    /// sixtieth of a second of late has used, as far as the budget goes. For the idle time of a
    /// frame; see [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    ///
    /// Enters the kernel once for each 64 KiB, or huge page.
    pub fn prefault_ahead(&self, budget: Budget) -> Prefaulted {
        self.bump.prefault_ahead(budget)
    }

    /// How many bytes can be used before more memory is committed, with those that are.
    pub fn capacity_bytes(&self) -> usize {
        self.bump.capacity_bytes()
    }

    /// How many bytes can ever be used at once: as was asked for, or else as much as is, or will
    /// be, reserved.
    pub fn max_bytes(&self) -> usize {
        self.bump.max_bytes()
    }

    /// How many bytes may be used at most, if that [was set](Self::set_allocation_limit).
    pub fn allocation_limit(&self) -> Option<usize> {
        self.bump.allocation_limit()
    }

    /// Sets how many bytes may be used at once from now on, or with `None` that there is no limit but
    /// [`max_bytes`](Self::max_bytes).
    ///
    /// What is used already stays, also if it is more; then there is room for nothing else. The growth
    /// policy, and [`prefault_ahead`](Self::prefault_ahead), commit nothing behind the limit. (What is committed
    /// there already, or by the [background thread](crate::CommitAhead), stays.)
    ///
    /// O(1), and does not enter the kernel.
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

    /// What is used, from the first value on, with what lies between values to align them.
    ///
    /// Values lie in the order in which they were stored, but for slices that had to move while they
    /// grew. O(1).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut arena = stayput::Arena::new();
    /// arena.alloc_str("one");
    /// arena.alloc_str("two");
    /// let bytes = arena.used_memory().iter();
    /// // SAFETY: text alone was stored, which leaves nothing out.
    /// let text: Vec<u8> = bytes.map(|byte| unsafe { byte.assume_init() }).collect();
    /// assert_eq!(text, b"onetwo");
    /// ```
    pub fn used_memory(&mut self) -> &[MaybeUninit<u8>] {
        self.bump.used_memory()
    }

    /// Whether an address lies in what is used. O(1).
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

impl Default for Arena {
    /// An empty arena; see [`Arena::new`].
    fn default() -> Self {
        Self::new()
    }
}
