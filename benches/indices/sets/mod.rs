//! Rows found by a number that several of them have.

pub(crate) mod peers;
pub(crate) mod stage;
pub(crate) mod stayput_indices;

use foldhash::fast::FixedState;
use stayput::VmVec;

use crate::operation::Operation;
pub(crate) use crate::stage::Target;

/// The hasher of all structures that accept one.
pub(crate) type Hasher = FixedState;

/// Defines a row of 64 bytes, a cache line, that belongs to a set.
macro_rules! member {
    ($(#[$derive:meta])* [$(#[$id:meta])*] [$(#[$set:meta])*]) => {
        $(#[$derive])*
        #[derive(Clone, Debug)]
        #[repr(C)]
        pub(crate) struct Member {
            $(#[$id])*
            pub(crate) id: u32,
            $(#[$set])*
            pub(crate) set: u32,
            rest: [u64; 6],
            /// The last field, which is read from each row.
            pub(crate) value: u64,
        }

        impl Member {
            /// Writes all fields.
            #[inline]
            pub(crate) fn new(id: u32, set: u32) -> Self {
                let rest = [u64::from(id), u64::from(set), 1, 2, 3, 4];
                Self { id, set, rest, value: $crate::sets::value(id) }
            }
        }
    };
}
pub(crate) use member;

member!([] []);

#[inline]
pub(crate) fn value(id: u32) -> u64 {
    u64::from(id).wrapping_mul(0x9E37_79B9) ^ 0x55
}

/// A structure that finds rows by their sets. Measurements are compiled once for each implementation.
pub(crate) trait Sets: Sized {
    /// Identifies a row to move or remove; `()` if its slot suffices.
    type Handle: Copy;

    /// Operations that are not measured; most structures do not find rows by id.
    const LACKS: &'static [Operation] = &[Operation::MixedMoves];

    /// Creates an empty structure with as little memory as possible.
    fn empty() -> Self;

    /// Stores the rows; only for structures that do not have their own.
    fn keep(&mut self, _rows: impl Iterator<Item = Member>) {}

    fn insert(&mut self, row: Member) -> Self::Handle;

    /// Returns the value of the row with that id.
    fn find(&self, _id: u32) -> Option<u64> {
        unreachable!("the operation is in LACKS")
    }

    /// Returns the sum of the values of a set's rows.
    fn sum(&self, set: u32) -> u64;

    fn count(&self, set: u32) -> usize;

    /// Moves a row to another set.
    fn shift(&mut self, row: Target<Self::Handle>, set: u32);

    /// Removes a row, and returns its value.
    fn remove(&mut self, row: Target<Self::Handle>) -> u64;
}

/// An index, which finds slots by sets, and reads rows that are stored elsewhere.
pub(crate) trait Index: Sized {
    fn empty() -> Self;

    fn insert(&mut self, set: u32, slot: u32, rows: &[Member]);

    fn for_each(&self, set: u32, rows: &[Member], each: impl FnMut(u32));

    fn count(&self, set: u32, rows: &[Member]) -> usize;

    /// Moves a slot from its row's set to another set.
    fn shift(&mut self, slot: u32, set: u32, rows: &[Member]);

    fn remove(&mut self, slot: u32, rows: &[Member]);
}

/// An index, with rows by slot.
pub(crate) struct Indexed<I> {
    index: I,
    rows: VmVec<Member>,
}

impl<I: Index> Sets for Indexed<I> {
    type Handle = ();

    fn empty() -> Self {
        Self { index: I::empty(), rows: VmVec::new() }
    }

    fn keep(&mut self, rows: impl Iterator<Item = Member>) {
        self.rows.extend(rows);
    }

    #[inline]
    fn insert(&mut self, row: Member) {
        self.index.insert(row.set, row.id, &self.rows);
    }

    #[inline]
    fn sum(&self, set: u32) -> u64 {
        let (rows, mut sum) = (self.rows.as_slice(), 0_u64);
        self.index.for_each(set, rows, |slot| sum = sum.wrapping_add(rows[slot as usize].value));
        sum
    }

    #[inline]
    fn count(&self, set: u32) -> usize {
        self.index.count(set, &self.rows)
    }

    #[inline]
    fn shift(&mut self, Target { slot, .. }: Target<()>, set: u32) {
        self.index.shift(slot, set, &self.rows);
        self.rows[slot as usize].set = set;
    }

    #[inline]
    fn remove(&mut self, Target { slot, .. }: Target<()>) -> u64 {
        self.index.remove(slot, &self.rows);
        self.rows[slot as usize].value
    }
}
