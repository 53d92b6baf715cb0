//! [`Options`]: what the user chose for an array.

#![forbid(unsafe_code)]

use crate::error::{Error, Holder, SizedBy};
use crate::growing::{Amount, GrowingReservation, Growth, Way};
use crate::reservation::{ColumnLayouts, HugePages};
use crate::service::{CommitAhead, Release};
use std::alloc::Layout;
use std::fmt::DebugStruct;

/// Whether elements keep their addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Addresses {
    /// They never move.
    Stable,
    /// Growth moves them while they are few. They start in a block of the heap, which takes no mappings, and move to
    /// a reservation once they take more than 64 KiB.
    ///
    /// It is made by this function, so that programs without such arrays refer to none of what blocks need.
    Movable(MakeBlock),
}

/// Makes a block of the heap for so many bytes of such elements, or more, if the amount is not exact.
type MakeBlock = fn(&Options, Layout, usize, Amount) -> Result<GrowingReservation, Error>;

/// What the user chose for an array.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(crate) max_len: Option<usize>,
    /// More elements than this are never held, whoever asks: what numbers them counts no further.
    pub(crate) bound: usize,
    pub(crate) growth: Growth,
    pub(crate) huge_pages: HugePages,
    pub(crate) commit_ahead: CommitAhead,
    pub(crate) release: Release,
    pub(crate) addresses: Addresses,
    /// To which columns its elements, which are rows then, are dealt out.
    pub(crate) columns: Option<ColumnLayouts>,
    /// To who does either.
    pub(crate) service: &'static Way,
    /// Who is to be named where something is refused.
    pub(crate) holder: Holder,
    /// What sets the size of memory that is supplied.
    pub(crate) supplied: SizedBy,
}

impl Options {
    pub(crate) const DEFAULT: Self = Self {
        max_len: None,
        bound: usize::MAX,
        growth: Growth::Doubling,
        huge_pages: HugePages::Auto,
        commit_ahead: CommitAhead::Off,
        release: Release::Keep,
        addresses: Addresses::Stable,
        columns: None,
        service: Way::NONE,
        holder: Holder::VmVec,
        supplied: SizedBy::Backing,
    };

    /// The defaults of an array that is private to a container.
    pub(crate) const INTERNAL: Self = Self::DEFAULT.internal();

    /// The same options, for an array that is private to a container.
    pub(crate) const fn internal(self) -> Self {
        Self { addresses: Addresses::Movable(super::block), ..self }
    }

    /// Those of one that never holds anything, which no user can choose.
    pub(crate) const FULL: Self = Self { bound: 0, ..Self::DEFAULT };

    /// Whether they are [those](Self::FULL).
    #[inline]
    pub(crate) const fn is_full(&self) -> bool {
        self.bound == 0
    }

    /// What makes the block of the heap that elements are in while they are few. With commit-ahead they are not.
    pub(super) fn make_block(&self) -> Option<MakeBlock> {
        match self.addresses {
            Addresses::Movable(make) if !self.commit_ahead.is_on() => Some(make),
            Addresses::Movable(_) | Addresses::Stable => None,
        }
    }

    /// Whether elements are in the heap while they are few.
    pub(super) fn starts_in_heap(&self) -> bool {
        self.make_block().is_some()
    }

    /// The elements that are allowed, wherever memory may end.
    pub(super) const fn allowed(&self) -> usize {
        match self.max_len {
            Some(max_len) if max_len < self.bound => max_len,
            _ => self.bound,
        }
    }

    /// The elements that fit into `bytes` of memory, and that are allowed.
    pub(super) const fn capacity(&self, element: Layout, bytes: usize) -> usize {
        let fit = match bytes.checked_div(element.size()) {
            Some(fit) => fit,
            None => usize::MAX,
        };
        if fit < self.allowed() { fit } else { self.allowed() }
    }
}

impl Options {
    /// Shows them as fields of a builder.
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
