//! Methods that reserve and return memory, for all arrays of an index.
//!
//! Each kind of index lists its arrays once, through [`Arrays`]; operations on all of them are written here once.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, Holder};
use crate::growing::{Amount, Budget, GivenBack, Prefaulted};
use crate::raw_vec::Options;
use crate::slots::far_index::FarRule;
use crate::vec::{VecStats, VmVec};

/// Statistics of an index, returned by the method `stats` of each kind.
///
/// # Examples
///
/// ```
/// use stayput::index::Grid;
///
/// let mut grid = Grid::new(1.0);
/// for slot in 0..100 {
///     grid.insert(slot, [slot as f32, 0.0]);
/// }
/// let stats = grid.stats();
/// assert_eq!(stats.len, 100);
/// assert!(stats.ahead_bytes <= stats.committed_bytes);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexStats {
    /// Slots in the index.
    pub len: usize,
    /// Bytes of address space.
    pub reserved_bytes: usize,
    /// Bytes that the system has committed.
    pub committed_bytes: usize,
    /// Of those, bytes that are ready past the ones in use.
    pub ahead_bytes: usize,
    /// How many times growth outran commit-ahead.
    pub late: usize,
    /// Bytes that are resident now; `None` if the system does not report it.
    pub resident_bytes: Option<usize>,
}

/// The options of an index's arrays, unless a table sets others.
const OPTIONS: &Options = &Options { holder: Holder::Index, ..Options::INTERNAL };

/// Creates an array of an index, without reserving memory.
pub(super) const fn array<T>() -> VmVec<T> {
    VmVec::with_options(OPTIONS)
}

/// Returns a copy of an array with the same options, and with as much memory committed ahead as a new array gets.
pub(super) fn copy<T: Copy>(array: &VmVec<T>) -> Result<VmVec<T>, Error> {
    let options = array.options();
    if array.is_empty() && options.commit_ahead.is_on() {
        return VmVec::try_with_options(options, 0);
    }
    array.try_clone()
}

/// The error for a slot or another number that is `limit` or above.
#[cold]
pub(super) fn too_many(limit: u32) -> Error {
    Error::new(ErrorKind::KeyBits, 0).with_limit(limit.into()).of(Holder::Index)
}

/// The relation between the length of an array and the number of slots.
#[derive(Clone, Copy, Debug)]
pub struct SlotRatio {
    /// The typical number of slots per element.
    slots_each: usize,
    /// The most elements that a number of slots can take.
    most: fn(usize) -> usize,
    /// Whether elements are numbered by slots.
    is_by_slot: bool,
}

impl SlotRatio {
    /// One element per slot, numbered by slots.
    pub(super) const SLOTS: Self = Self { slots_each: 1, most: covering, is_by_slot: true };

    pub(super) const fn new(slots_each: usize, most: fn(usize) -> usize) -> Self {
        Self { slots_each, most, is_by_slot: false }
    }
}

/// Returns the greatest length of an array that [covers](cover) a number of slots.
pub(super) fn covering(slots: usize) -> usize {
    slots.saturating_add(RUN)
}

/// An index, seen as its arrays.
pub trait Arrays {
    /// Visits each array, together with its share.
    fn each_array(&mut self, visitor: &mut impl ForArrays) -> Result<(), Error>;

    /// Moves what is in use to the front of each array and truncates it, before the memory past it is returned.
    ///
    /// O(n) in the lengths of the arrays; needs no memory.
    fn tidy(&mut self);

    /// Returns the statistics of all arrays together.
    fn memory(&self) -> VecStats;
}

/// Implements [`Arrays`] for a type with parameters by one of its fields.
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

            fn memory(&self) -> $crate::vec::VecStats {
                self.$field.memory()
            }
        }
    };
}
pub(crate) use forward_arrays;

/// An operation on all arrays of an index.
pub trait ForArrays {
    fn visit<T>(&mut self, array: &mut VmVec<T>, share: SlotRatio) -> Result<(), Error>;
}

/// Recreates empty arrays with the given options, for no more slots than keys have.
pub(crate) struct Remake {
    pub(crate) options: Options,
    pub(crate) most_slots: usize,
}

impl ForArrays for Remake {
    fn visit<T>(&mut self, array: &mut VmVec<T>, share: SlotRatio) -> Result<(), Error> {
        debug_assert!(array.is_empty(), "the array is in use");
        let (max_len, bound) =
            (self.options.max_len.map(share.most), (share.most)(self.most_slots));
        let options = Options { max_len, bound, holder: Holder::Index, ..self.options.internal() };
        *array = VmVec::try_with_options(options, 0)?;
        Ok(())
    }
}

/// Makes memory available for a number of additional slots.
pub(crate) struct MakeRoom {
    pub(crate) additional: usize,
    /// The number of slots that there are, with or without a row.
    pub(crate) slots_len: usize,
    pub(crate) means: Means,
}

pub(crate) enum Means {
    Reserve(Amount),
    Prefault,
}

impl ForArrays for MakeRoom {
    fn visit<T>(&mut self, array: &mut VmVec<T>, share: SlotRatio) -> Result<(), Error> {
        let mut elements = self.additional.div_ceil(share.slots_each);
        if share.is_by_slot && elements > 0 {
            // The array reaches up to the last slot with a row. The next rows may be in later ones.
            elements = elements.saturating_add(self.slots_len.saturating_sub(array.len()));
        }
        // Slots used before, and holes in an array, are reused, so no more than the maximum is needed.
        let (max_len, bound) = (array.options().max_len, array.options().bound);
        let most = max_len.map_or(bound, |max_len| max_len.min(bound));
        let elements = elements.min(most.saturating_sub(array.len()));
        match self.means {
            Means::Reserve(amount) => array.make_room_for(elements, amount),
            Means::Prefault => array.try_prefault(elements),
        }
    }
}

/// Makes memory resident before it is used.
pub(crate) struct PrefaultAhead {
    pub(crate) budget: Budget,
    pub(crate) done: Prefaulted,
}

impl ForArrays for PrefaultAhead {
    fn visit<T>(&mut self, array: &mut VmVec<T>, _: SlotRatio) -> Result<(), Error> {
        let left = self.budget.less(self.done.bytes);
        self.done = self.done.and(array.prefault_ahead(left));
        Ok(())
    }
}

/// Returns unused memory to the system.
pub(crate) struct GiveBack {
    pub(crate) budget: Budget,
    pub(crate) done: GivenBack,
}

impl ForArrays for GiveBack {
    fn visit<T>(&mut self, array: &mut VmVec<T>, _: SlotRatio) -> Result<(), Error> {
        let left = self.budget.less(self.done.bytes);
        self.done = self.done.and(array.shrink_to_fit_within(left)?);
        Ok(())
    }
}

pub(crate) fn prefault_ahead(index: &mut impl Arrays, budget: Budget) -> Prefaulted {
    let done = Prefaulted { bytes: 0, ahead_bytes: 0, refused: None };
    let mut ahead = PrefaultAhead { budget, done };
    match index.each_array(&mut ahead) {
        Ok(()) => ahead.done,
        Err(error) => Prefaulted { refused: Some(error), ..ahead.done },
    }
}

pub(crate) fn give_back(index: &mut impl Arrays, budget: Budget) -> Result<GivenBack, Error> {
    let mut give = GiveBack { budget, done: GivenBack { bytes: 0, is_done: true } };
    index.each_array(&mut give)?;
    Ok(give.done)
}

/// Checks a slot that code outside the crate passes: it must be below `limit` and not far.
///
/// `array` has an element for each slot, `slot_bytes` is what all such arrays of the index take per slot, and `len` is
/// the number of slots in the index. The slots of a table are bounded by its map and need no check.
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

/// How many elements are added at once, if memory allows.
const RUN: usize = 64;

/// Lengthens an array so that it has an element for a slot.
///
/// # Errors
///
/// If memory is refused. Nothing has changed then.
#[inline]
pub(super) fn cover<T: Clone>(array: &mut VmVec<T>, slot: u32, absent: T) -> Result<(), Error> {
    if (slot as usize) < array.len() { Ok(()) } else { lengthen(array, slot, absent) }
}

/// Truncates an array after the last slot in use.
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

pub(super) fn stats_of(index: &impl Arrays, len: usize) -> IndexStats {
    let memory = index.memory();
    IndexStats {
        len,
        reserved_bytes: memory.reserved_bytes,
        committed_bytes: memory.committed_bytes,
        ahead_bytes: memory.ahead_bytes,
        late: memory.late,
        resident_bytes: memory.resident_bytes,
    }
}

/// Defines the memory methods of an index that implements [`Arrays`] and has a `len`, within its `impl`.
macro_rules! memory_methods {
    () => {
        $crate::container::reserve_methods! {
            &mut, "slots";
            /// The slots inserted next must be the lowest unused numbers. Poorly distributed hashes, and sets of one or
            /// two slots, take more memory later.
            ///
            /// Enters the kernel unless enough is reserved already. Nothing is moved.
        }

        fn make_room_for(
            &mut self,
            additional: usize,
            amount: $crate::growing::Amount,
        ) -> Result<(), $crate::error::Error> {
            use $crate::index::memory::{Arrays as _, MakeRoom, Means};
            let means = Means::Reserve(amount);
            self.each_array(&mut MakeRoom { additional, slots_len: 0, means })
        }

        $crate::container::prefault_methods!(&mut, "slots");

        fn prefault_room(&mut self, additional: usize) -> Result<(), $crate::error::Error> {
            use $crate::index::memory::{Arrays as _, MakeRoom, Means};
            let means = Means::Prefault;
            self.each_array(&mut MakeRoom { additional, slots_len: 0, means })
        }

        /// Makes committed memory past the elements in use resident before it is used, in the idle time of a frame; see
        /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
        pub fn prefault_ahead(&mut self, budget: $crate::Budget) -> $crate::Prefaulted {
            $crate::index::memory::prefault_ahead(self, budget)
        }

        /// Compacts the index, and returns unused memory to the system as
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit) does. If the system refuses, the memory stays
        /// committed.
        ///
        /// The memory that remains is proportional to the number of slots in the index, plus what it keeps for each
        /// slot up to the highest.
        ///
        /// # Time complexity
        ///
        /// O(n) in the memory that the index used at its largest.
        pub fn shrink_to_fit(&mut self) {
            // An error, as at the process's limit of mappings, leaves memory committed and has no other effect.
            let _ = self.try_shrink_to_fit();
        }

        /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, or returns the error.
        ///
        /// # Errors
        ///
        /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)). No slot has changed then.
        pub fn try_shrink_to_fit(&mut self) -> Result<(), $crate::error::Error> {
            use $crate::index::memory::Arrays as _;
            self.tidy();
            self.shrink_to_fit_within($crate::Budget::UNLIMITED).map(drop)
        }

        /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, but without compacting, and no further than a
        /// [budget](crate::Budget) allows, to spread the work over frames: call it again until it [is
        /// done](crate::GivenBack::is_done).
        ///
        /// # Errors
        ///
        /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit). Memory returned by then stays returned.
        pub fn shrink_to_fit_within(
            &mut self,
            budget: $crate::Budget,
        ) -> Result<$crate::GivenBack, $crate::error::Error> {
            $crate::index::memory::give_back(self, budget)
        }

        /// Returns statistics of the index's contents and memory.
        ///
        /// Asks the system which pages are resident, in time linear in the committed pages. Meant for monitoring, not
        /// for hot paths.
        pub fn stats(&self) -> $crate::index::IndexStats {
            $crate::index::memory::stats_of(self, self.len())
        }
    };
}
pub(crate) use memory_methods;
