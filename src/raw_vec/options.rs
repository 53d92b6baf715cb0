//! [`Options`]: the options of an array.

#![forbid(unsafe_code)]

use super::Element;
use crate::error::{Error, Holder, SizedBy};
use crate::growing::{Amount, GrowingReservation, Growth};
use crate::register::{Name, Place};
use crate::reservation::{ColumnLayouts, HugePages};
use crate::service::{CommitAhead, Release};
use std::fmt::DebugStruct;

/// Whether elements keep their addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Addresses {
    /// They never move.
    Stable,
    /// Growth moves elements while they are few. They start in a block of the heap, which takes no mappings, and move
    /// to a reservation once they take more than 64 KiB.
    ///
    /// The block is allocated by this function, so that programs without such arrays do not link it.
    Movable(MakeBlock),
}

/// Allocates a block of the heap for at least this many bytes of such elements, or exactly as many if the amount is
/// exact.
type MakeBlock = fn(&Options, Element, usize, Amount) -> Result<GrowingReservation, Error>;

/// The options of an array.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(crate) max_len: Option<usize>,
    /// The largest number of elements that the container can number, whatever `max_len` is.
    pub(crate) bound: usize,
    pub(crate) growth: Growth,
    pub(crate) huge_pages: HugePages,
    pub(crate) commit_ahead: CommitAhead,
    pub(crate) release: Release,
    pub(crate) addresses: Addresses,
    /// The columns that the elements, which are rows then, are divided into.
    pub(crate) columns: Option<ColumnLayouts>,
    /// Whether commit-ahead has little memory ready before any is used: in containers of many arrays.
    pub(crate) starts_small: bool,
    /// The container that errors name.
    pub(crate) holder: Holder,
    /// What sets the size of supplied memory.
    pub(crate) supplied: SizedBy,
    /// The name that the user gave the container.
    pub(crate) name: Name,
    /// Where the container was built.
    pub(crate) place: Place,
}

impl Options {
    pub(crate) const DEFAULT: Self = Self {
        max_len: None,
        bound: usize::MAX,
        growth: Growth::Doubling,
        huge_pages: HugePages::Auto,
        commit_ahead: CommitAhead::Large,
        release: Release::Keep,
        addresses: Addresses::Stable,
        columns: None,
        starts_small: false,
        holder: Holder::VmVec,
        supplied: SizedBy::Backing,
        name: Name::NONE,
        place: Place::UNKNOWN,
    };

    /// The defaults of an array that is private to a container.
    pub(crate) const INTERNAL: Self = Self::DEFAULT.internal();

    /// The options of an array of bits, in words. It grows far too slowly for the background thread: by a page for every
    /// 32,768 elements.
    pub(crate) const BITS: Self = Self::INTERNAL.unserved();

    /// Returns these options for an array that the background thread does not serve.
    pub(crate) const fn unserved(self) -> Self {
        Self { commit_ahead: CommitAhead::Off, ..self }
    }

    /// Returns these options for an array that is private to a container.
    pub(crate) const fn internal(self) -> Self {
        Self { addresses: Addresses::Movable(super::block), ..self }
    }

    /// The options of an array that never holds anything. Users cannot choose them.
    pub(crate) const FULL: Self = Self { bound: 0, ..Self::DEFAULT };

    /// Whether these are [`FULL`](Self::FULL).
    #[inline]
    pub(crate) const fn is_full(&self) -> bool {
        self.bound == 0
    }

    /// The function that allocates the block of the heap in which elements start. `None` with commit-ahead, unless that
    /// starts small.
    pub(super) fn make_block(&self) -> Option<MakeBlock> {
        match self.addresses {
            Addresses::Movable(make) if !self.commit_ahead.is_on() || self.starts_small => {
                Some(make)
            }
            Addresses::Movable(_) | Addresses::Stable => None,
        }
    }

    /// Whether elements start in the heap.
    pub(super) fn starts_in_heap(&self) -> bool {
        self.make_block().is_some()
    }

    /// The maximum number of elements, whatever memory there is.
    pub(super) const fn allowed(&self) -> usize {
        match self.max_len {
            Some(max_len) if max_len < self.bound => max_len,
            _ => self.bound,
        }
    }

    /// The number of elements that are allowed and fit into `bytes`.
    pub(super) const fn capacity(&self, element: Element, bytes: usize) -> usize {
        let fit = match bytes.checked_div(element.size()) {
            Some(fit) => fit,
            None => usize::MAX,
        };
        if fit < self.allowed() { fit } else { self.allowed() }
    }
}

impl Options {
    /// Adds the options as fields of a builder.
    pub(crate) fn show<'a, 'b, 'f>(
        &self,
        shown: &'f mut DebugStruct<'a, 'b>,
    ) -> &'f mut DebugStruct<'a, 'b> {
        shown
            .field("max_len", &self.max_len)
            .field("growth", &self.growth)
            .field("huge_pages", &self.huge_pages)
            .field("commit_ahead", &self.commit_ahead)
            .field("release", &self.release)
    }
}
