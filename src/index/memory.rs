//! Taking memory, and giving it back, for all arrays that an index has.
//!
//! An index is several arrays of different lengths. Each kind says once which they are ([`Arrays`]), and what is done to
//! all of them is written here, once for all kinds.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, Holder};
use crate::growing::{Budget, GivenBack, Prefaulted};
use crate::raw_vec::Options;
use crate::slots::far_index::FarRule;
use crate::vec::{VecStats, VmVec};

/// What an index takes up, given by the `stats` of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexStats {
    /// Slots.
    pub len: usize,
    /// Bytes of address space.
    pub reserved_bytes: usize,
    /// Bytes that the system has promised.
    pub committed_bytes: usize,
    /// Of those, bytes that lie ready behind what is used.
    pub ahead_bytes: usize,
    /// How often growth needed more than lay ready, if it was to.
    pub late: usize,
    /// Bytes that are in memory now, if the system tells.
    pub resident_bytes: Option<usize>,
}

/// Those of arrays that an index has, if nobody chose others.
const OPTIONS: &Options = &Options { holder: Holder::Index, ..Options::INTERNAL };

/// An array of an index. It has reserved nothing yet.
pub(super) const fn array<T>() -> VmVec<T> {
    VmVec::with_options(OPTIONS)
}

/// A copy of an array, with the same options, and as much made ready as for one that is made with them.
pub(super) fn copy<T: Copy>(array: &VmVec<T>) -> Result<VmVec<T>, Error> {
    let options = array.options();
    if array.is_empty() && options.commit_ahead.is_on() {
        return VmVec::try_with_options(options, 0);
    }
    array.try_clone()
}

/// That the number of a slot, or of something else, is no less than this.
#[cold]
pub(super) fn too_many(limit: u32) -> Error {
    Error::new(ErrorKind::KeyBits, 0).with_limit(limit.into()).of(Holder::Index)
}

/// How long an array is for how many slots.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// For how many slots one element is, as a rule.
    pub(super) slots_each: usize,
    /// How many elements so many slots can take.
    pub(super) most: fn(usize) -> usize,
}

impl Share {
    /// An element for each slot.
    pub(super) const SLOTS: Self = Self { slots_each: 1, most: covering };
}

/// How long an array can be that [covers](cover) so many slots.
pub(super) fn covering(slots: usize) -> usize {
    slots.saturating_add(RUN)
}

/// An index, by its arrays.
pub trait Arrays {
    /// Shows each array, and its share.
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error>;

    /// Moves what is in use to the front of each array and truncates it, before the memory past it is returned.
    ///
    /// Linear in the lengths of the arrays; needs no memory.
    fn tidy(&mut self);

    /// What each takes up.
    fn each_stats(&self, visit: &mut impl FnMut(VecStats));
}

/// Implements [`Arrays`] for a type with parameters, by a field that does.
macro_rules! forward_arrays {
    ([$($parameters:tt)*] $index:ty, $field:ident) => {
        impl<$($parameters)*> $crate::index::memory::Arrays for $index {
            fn tidy(&mut self) {
                self.$field.tidy();
            }

            fn each_array(
                &mut self,
                visitor: &mut impl $crate::index::memory::ForArrays,
            ) -> Result<(), $crate::error::Error> {
                self.$field.each_array(visitor)
            }

            fn each_stats(&self, visit: &mut impl FnMut($crate::vec::VecStats)) {
                self.$field.each_stats(visit);
            }
        }
    };
}
pub(crate) use forward_arrays;

/// Something that is done to all arrays.
pub trait ForArrays {
    fn visit<T>(&mut self, array: &mut VmVec<T>, share: Share) -> Result<(), Error>;
}

/// Has arrays that hold nothing be made anew, with these options.
pub(crate) struct Remake(pub(crate) Options);

impl ForArrays for Remake {
    fn visit<T>(&mut self, array: &mut VmVec<T>, share: Share) -> Result<(), Error> {
        debug_assert!(array.is_empty(), "it has never been used");
        let max_len = self.0.max_len.map(share.most);
        let options = Options { max_len, holder: Holder::Index, ..self.0.internal() };
        *array = VmVec::try_with_options(options, 0)?;
        Ok(())
    }
}

/// For so many more slots.
pub(crate) enum Room {
    Reserve(usize),
    Prefault(usize),
}

impl ForArrays for Room {
    fn visit<T>(&mut self, array: &mut VmVec<T>, share: Share) -> Result<(), Error> {
        let (Self::Reserve(slots) | Self::Prefault(slots)) = *self;
        let elements = slots.div_ceil(share.slots_each);
        // Slots that were used before, and holes in an array, are used again: so the most that there can be is enough.
        let left = array.options().max_len.map(|max_len| max_len.saturating_sub(array.len()));
        let elements = left.map_or(elements, |left| left.min(elements));
        match self {
            Self::Reserve(_) => array.try_reserve(elements),
            Self::Prefault(_) => array.try_prefault(elements),
        }
    }
}

/// Before it is used.
pub(crate) struct Ahead {
    pub(crate) budget: Budget,
    pub(crate) done: Prefaulted,
}

impl ForArrays for Ahead {
    fn visit<T>(&mut self, array: &mut VmVec<T>, _: Share) -> Result<(), Error> {
        let left = self.budget.less(self.done.bytes);
        self.done = self.done.and(array.prefault_ahead(left));
        Ok(())
    }
}

/// What is not used.
pub(crate) struct GiveBack {
    pub(crate) budget: Budget,
    pub(crate) done: GivenBack,
}

impl ForArrays for GiveBack {
    fn visit<T>(&mut self, array: &mut VmVec<T>, _: Share) -> Result<(), Error> {
        let left = self.budget.less(self.done.bytes);
        self.done = self.done.and(array.shrink_to_fit_within(left)?);
        Ok(())
    }
}

/// Makes memory of an index resident before it is used.
pub(crate) fn prefault_ahead(index: &mut impl Arrays, budget: Budget) -> Prefaulted {
    let done = Prefaulted { bytes: 0, ahead_bytes: 0, refused: None };
    let mut ahead = Ahead { budget, done };
    match index.each_array(&mut ahead) {
        Ok(()) => ahead.done,
        Err(error) => Prefaulted { refused: Some(error), ..ahead.done },
    }
}

/// Gives back what an index does not use.
pub(crate) fn give_back(index: &mut impl Arrays, budget: Budget) -> Result<GivenBack, Error> {
    let mut give = GiveBack { budget, done: GivenBack { bytes: 0, is_done: true } };
    index.each_array(&mut give)?;
    Ok(give.done)
}

/// Refuses a slot that callers outside the crate may not name: one that is too large for a number, or far.
///
/// `array` has an element for each slot, `slot_bytes` is what all such arrays of the index take for one, and `len` is
/// how many slots are in the index. The slots of a table are bounded by those of its map, and need no check.
///
/// # Errors
///
/// [`KeyBits`](ErrorKind::KeyBits) or [`FarIndex`](ErrorKind::FarIndex).
#[inline]
pub(super) fn check_slot<T>(
    array: &VmVec<T>,
    slot: u32,
    limit: u32,
    slot_bytes: usize,
    len: usize,
) -> Result<(), Error> {
    if (slot as usize) < array.len() {
        return Ok(());
    }
    if slot >= limit {
        return Err(too_many(limit));
    }
    let rule = FarRule::new(slot_bytes, Holder::Index);
    rule.check(slot as usize + 1, len + 1, array.capacity(), array.options().max_len)
}

/// So many elements are made at once, if there is memory.
const RUN: usize = 64;

/// Has an array have an element for a slot.
///
/// # Errors
///
/// If the system refuses memory; nothing has changed then.
#[inline]
pub(super) fn cover<T: Clone>(array: &mut VmVec<T>, slot: u32, absent: T) -> Result<(), Error> {
    if (slot as usize) < array.len() { Ok(()) } else { lengthen(array, slot, absent) }
}

/// Truncates an array with an element for each slot after the last slot in use.
pub(super) fn uncover<T>(array: &mut VmVec<T>, is_used: impl FnMut(&T) -> bool) {
    let last = array.iter().rposition(is_used);
    array.truncate(last.map_or(0, |last| last + 1));
}

#[cold]
#[inline(never)]
fn lengthen<T: Clone>(array: &mut VmVec<T>, slot: u32, absent: T) -> Result<(), Error> {
    let needed = slot as usize + 1;
    let usual = needed.checked_next_multiple_of(RUN).unwrap_or(needed).min(u32::MAX as usize);
    match array.try_resize(usual, absent.clone()) {
        Ok(()) => Ok(()),
        Err(_) => array.try_resize(needed, absent).map_err(|refused| refused.error),
    }
}

/// What the arrays of an index with so many slots take up.
pub(crate) fn stats_of(index: &impl Arrays, len: usize) -> IndexStats {
    let mut all = IndexStats { len, resident_bytes: Some(0), ..IndexStats::default() };
    index.each_stats(&mut |array| {
        all.reserved_bytes += array.reserved_bytes;
        all.committed_bytes += array.committed_bytes;
        all.ahead_bytes += array.ahead_bytes;
        all.late += array.late;
        all.resident_bytes =
            all.resident_bytes.zip(array.resident_bytes).map(|(all, array)| all + array);
    });
    all
}

/// The methods that all kinds have in common: each is [`Arrays`], has a `len`, and this within an `impl` of its own.
macro_rules! memory_methods {
    () => {
        $crate::container::reserve_methods! {
            &mut, "slots";
            /// The numbers of the slots are to be the next ones. Makes room as far as can be foreseen: hashes that are not
            /// spread, and sets of one or two, take more when they come.
            ///
            /// Enters the kernel if there is not room already. Nothing is moved.
        }

        fn make_room_for(
            &mut self,
            additional: usize,
            _: $crate::growing::Amount,
        ) -> Result<(), $crate::error::Error> {
            use $crate::index::memory::{Arrays as _, Room};
            self.each_array(&mut Room::Reserve(additional))
        }

        $crate::container::prefault_methods!(&mut, "slots");

        fn prefault_room(&mut self, additional: usize) -> Result<(), $crate::error::Error> {
            use $crate::index::memory::{Arrays as _, Room};
            self.each_array(&mut Room::Prefault(additional))
        }

        /// Makes memory behind what is used resident ahead of its use, for the idle time of a frame; see
        /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
        pub fn prefault_ahead(&mut self, budget: $crate::Budget) -> $crate::Prefaulted {
            $crate::index::memory::prefault_ahead(self, budget)
        }

        /// Moves entries together, and returns the memory past them to the system, as
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. If the system refuses, the memory stays.
        ///
        /// What remains is proportional to the number of slots in the index, plus what it keeps for each slot up to the
        /// highest one.
        ///
        /// # Time complexity
        ///
        /// Linear in the memory that the index had in use at its largest.
        pub fn shrink_to_fit(&mut self) {
            // The one refusal is that of a process at its limit of mappings; it costs only memory.
            let _ = self.try_shrink_to_fit();
        }

        /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
        ///
        /// # Errors
        ///
        /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)); no slot has changed then.
        pub fn try_shrink_to_fit(&mut self) -> Result<(), $crate::error::Error> {
            use $crate::index::memory::Arrays as _;
            self.tidy();
            self.shrink_to_fit_within($crate::Budget::UNLIMITED).map(drop)
        }

        /// Gives memory behind what is used back to the system, as [`shrink_to_fit`](Self::shrink_to_fit) does, but puts
        /// nothing together, and no more than a budget allows, so that it can be spread over frames: call it again until it
        /// [is done](crate::GivenBack::is_done).
        ///
        /// # Errors
        ///
        /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). What was given back before is.
        pub fn shrink_to_fit_within(
            &mut self,
            budget: $crate::Budget,
        ) -> Result<$crate::GivenBack, $crate::error::Error> {
            $crate::index::memory::give_back(self, budget)
        }

        /// What the index holds and takes up.
        ///
        /// Asks the system which pages are resident, linear in the committed pages: for looking, not for a hot path.
        pub fn stats(&self) -> $crate::index::IndexStats {
            $crate::index::memory::stats_of(self, self.len())
        }
    };
}
pub(crate) use memory_methods;
