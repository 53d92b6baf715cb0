//! [`ArenaBuilder`]: options for an `Arena`.

use super::Arena;
use crate::error::{Error, unwrap_or_panic};
use crate::growing::{Growth, option_methods};
use crate::register::{Name, Place};
use crate::reservation::HugePages;
use crate::service::{CommitAhead, Release};

#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) max_bytes: Option<usize>,
    /// Set later, by `Arena::set_allocation_limit`.
    pub(super) allocation_limit: Option<usize>,
    pub(super) growth: Growth,
    pub(super) huge_pages: HugePages,
    pub(super) commit_ahead: CommitAhead,
    pub(super) release: Release,
    pub(super) name: Name,
    /// Where the arena was built.
    pub(super) place: Place,
}

impl Options {
    pub(super) const DEFAULT: Self = Self {
        max_bytes: None,
        allocation_limit: None,
        growth: Growth::Doubling,
        huge_pages: HugePages::Auto,
        commit_ahead: CommitAhead::Large,
        release: Release::Keep,
        name: Name::NONE,
        place: Place::UNKNOWN,
    };
}

/// Options for an [`Arena`]; see [`Arena::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{Arena, Growth, HugePages};
///
/// let frame = Arena::builder()
///     .max_bytes(64 << 20)
///     .capacity_bytes(1 << 20)
///     .growth(Growth::Fixed { step_bytes: 1 << 20 })
///     .huge_pages(HugePages::Never)
///     .build();
/// assert_eq!(frame.max_bytes(), 64 << 20);
/// assert!(frame.capacity_bytes() >= 1 << 20);
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct ArenaBuilder {
    options: Options,
    capacity_bytes: usize,
}

impl ArenaBuilder {
    pub(super) const fn new() -> Self {
        Self { options: Options::DEFAULT, capacity_bytes: 0 }
    }

    /// Sets the maximum number of bytes that can be in use at once. The addresses for them are reserved by
    /// [`build`](Self::build).
    ///
    /// Defaults to as much as the machine has memory, or less in a process with very many arenas; see [`Arena::new`].
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::builder().max_bytes(100).build();
    /// assert!(arena.try_alloc([0_u8; 101]).is_err());
    /// ```
    pub const fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.options.max_bytes = Some(max_bytes);
        self
    }

    /// Sets how many bytes of memory [`build`](Self::build) commits. Defaults to 0.
    ///
    /// # Examples
    ///
    /// ```
    /// let arena = stayput::Arena::builder().capacity_bytes(1 << 20).build();
    /// assert!(arena.capacity_bytes() >= 1 << 20);
    /// ```
    pub const fn capacity_bytes(mut self, capacity_bytes: usize) -> Self {
        self.capacity_bytes = capacity_bytes;
        self
    }

    option_methods!();

    /// Builds the arena.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> Arena {
        unwrap_or_panic(self.try_build())
    }

    /// Builds the arena, or returns the error. Enters the kernel if a maximum, a capacity or commit-ahead was
    /// requested.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory are refused; if the capacity exceeds the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); or if either exceeds `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_build(self) -> Result<Arena, Error> {
        let options = Options { place: Place::caller(), ..self.options };
        Arena::try_with_options(options, self.capacity_bytes)
    }
}

impl Default for ArenaBuilder {
    fn default() -> Self {
        Self::new()
    }
}
