//! Keys to the rows that have them.

pub(crate) mod peers;
pub(crate) mod stage;
pub(crate) mod stayput_indices;

use foldhash::fast::FixedState;
use stayput::VmVec;

use crate::operation::Operation;
pub(crate) use crate::stage::Target;

/// The hasher of all.
pub(crate) type Hasher = FixedState;

/// 64 bytes, a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Row {
    pub(crate) key: u64,
    /// The key of another row.
    pub(crate) next: u64,
    rest: [u64; 5],
    /// What is read of it: its last field.
    pub(crate) value: u64,
}

impl Row {
    /// The row of that number, which leads to another. Written whole.
    #[inline]
    pub(crate) fn new(number: u64, next: u64) -> Self {
        let key = key(number);
        let rest = [number, key, next, !number, !key];
        Self { key, next: self::key(next), rest, value: value(number) }
    }
}

/// Numbers from here on are no rows'.
pub(crate) const OTHERS: u64 = 1 << 40;

/// The key of a number: another for each, and as good as random. (`SplitMix64`)
#[inline]
pub(crate) fn key(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

#[inline]
pub(crate) fn value(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9) ^ 0x55
}

/// What a measurement needs of a structure that finds rows by their keys. It is compiled once for each.
pub(crate) trait Unique: Sized {
    /// By what a row is changed; nothing, where its slot or its key will do.
    type Handle: Copy;

    /// Operations that are not measured.
    const LACKS: &'static [Operation] = &[];

    /// With no row, and as little memory as can be.
    fn empty() -> Self;

    /// Has memory ready for so many rows. For those that are measured with it.
    fn warm(&mut self, _rows: usize) {}

    /// Has the rows, by their slots, that are to be found. For those that don't have rows themselves.
    fn keep(&mut self, _rows: impl Iterator<Item = Row>) {}

    /// No other row has its key.
    fn insert(&mut self, slot: u32, row: Row) -> Self::Handle;

    fn find(&self, key: u64) -> Option<&Row>;

    /// Takes a row out, and gives its value.
    fn remove(&mut self, key: u64) -> Option<u64>;

    /// Gives a row another key; whether it did.
    fn rekey(&mut self, row: Target<Self::Handle>, old: u64, new: u64) -> bool;

    fn clear(&mut self);
}

/// What finds slots by keys, and leaves rows to others.
pub(crate) trait Index: Sized {
    fn empty() -> Self;

    /// No other row has its key.
    fn insert(&mut self, key: u64, slot: u32, rows: &[Row]);

    fn find(&self, key: u64, rows: &[Row]) -> Option<u32>;

    fn remove(&mut self, key: u64, rows: &[Row]) -> Option<u32>;

    /// Takes out a slot that is known; whether it was there.
    fn unlink(&mut self, key: u64, slot: u32) -> bool;

    fn clear(&mut self);
}

/// An index, with rows by their slots.
pub(crate) struct Indexed<I> {
    index: I,
    rows: VmVec<Row>,
}

impl<I: Index> Unique for Indexed<I> {
    type Handle = ();

    fn empty() -> Self {
        Self { index: I::empty(), rows: VmVec::new() }
    }

    fn keep(&mut self, rows: impl Iterator<Item = Row>) {
        self.rows.extend(rows);
    }

    #[inline]
    fn insert(&mut self, slot: u32, row: Row) {
        self.index.insert(row.key, slot, &self.rows);
    }

    #[inline]
    fn find(&self, key: u64) -> Option<&Row> {
        let slot = self.index.find(key, &self.rows)?;
        self.rows.get(slot as usize)
    }

    #[inline]
    fn remove(&mut self, key: u64) -> Option<u64> {
        let slot = self.index.remove(key, &self.rows)?;
        Some(self.rows[slot as usize].value)
    }

    #[inline]
    fn rekey(&mut self, Target { slot, .. }: Target<()>, old: u64, new: u64) -> bool {
        let was_there = self.index.unlink(old, slot);
        self.rows[slot as usize].key = new;
        self.index.insert(new, slot, &self.rows);
        was_there
    }

    fn clear(&mut self) {
        self.index.clear();
    }
}
