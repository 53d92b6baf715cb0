//! Numbers to all rows that have them.

pub(crate) mod peers;
pub(crate) mod stage;
pub(crate) mod stayput_indices;

use foldhash::fast::FixedState;
use stayput::VmVec;

pub(crate) use crate::stage::Target;

/// The hasher of all that can be told.
pub(crate) type Hasher = FixedState;

/// A row of 64 bytes, a cache line, that is in a set.
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
            /// What is read of it: its last field.
            pub(crate) value: u64,
        }

        impl Member {
            /// Written whole.
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

/// What a measurement needs of a structure that finds rows by their sets. It is compiled once for each.
pub(crate) trait Sets: Sized {
    /// By what a row is moved and removed; nothing, where its slot will do.
    type Handle: Copy;

    /// With no row, and as little memory as can be.
    fn empty() -> Self;

    /// Has the rows that are to be found. For those that don't have rows themselves.
    fn keep(&mut self, _rows: impl Iterator<Item = Member>) {}

    fn insert(&mut self, row: Member) -> Self::Handle;

    /// What the values of all rows of a set come to.
    fn sum(&self, set: u32) -> u64;

    fn count(&self, set: u32) -> usize;

    /// Puts a row into another set.
    fn shift(&mut self, row: Target<Self::Handle>, set: u32);

    /// Takes a row out, and gives its value.
    fn remove(&mut self, row: Target<Self::Handle>) -> u64;
}

/// What finds slots by sets, and leaves rows to others.
pub(crate) trait Index: Sized {
    fn empty() -> Self;

    fn insert(&mut self, set: u32, slot: u32, rows: &[Member]);

    fn for_each(&self, set: u32, rows: &[Member], each: impl FnMut(u32));

    fn count(&self, set: u32, rows: &[Member]) -> usize;

    /// Puts a slot into another set than that of its row.
    fn shift(&mut self, slot: u32, set: u32, rows: &[Member]);

    fn remove(&mut self, slot: u32, rows: &[Member]);
}

/// An index, with rows by their slots.
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
