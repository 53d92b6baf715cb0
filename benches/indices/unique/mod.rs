//! Rows found by unique keys.

pub(crate) mod peers;
pub(crate) mod stage;
pub(crate) mod stayput_indices;

use foldhash::fast::FixedState;
use stayput::VmVec;

use crate::operation::Operation;
pub(crate) use crate::stage::Target;

/// The hasher of all structures.
pub(crate) type Hasher = FixedState;

/// 64 bytes, a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Row {
    pub(crate) key: u64,
    /// The key of another row.
    pub(crate) next: u64,
    rest: [u64; 5],
    /// The last field, which is read from each row.
    pub(crate) value: u64,
}

impl Row {
    /// Changes the row, and returns its new value.
    #[inline]
    pub(crate) fn change(&mut self, mask: u64) -> u64 {
        self.value ^= mask;
        self.value
    }

    /// Returns the row with that number, which leads to another row. Writes all fields.
    #[inline]
    pub(crate) fn new(number: u64, next: u64) -> Self {
        let key = key(number);
        let rest = [number, key, next, !number, !key];
        Self { key, next: self::key(next), rest, value: value(number) }
    }
}

/// Numbers from here on belong to no row.
pub(crate) const OTHERS: u64 = 1 << 40;

/// Returns the key of a number: distinct, and as good as random (`SplitMix64`).
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

/// A structure that finds rows by key. Measurements are compiled once for each implementation.
pub(crate) trait Unique: Sized {
    /// Identifies a row to change; `()` if its slot or its key suffices.
    type Handle: Copy;

    /// Operations that are not measured.
    const LACKS: &'static [Operation] = &[];

    /// Creates an empty structure with as little memory as possible.
    fn empty() -> Self;

    /// Makes memory ready for that many rows; only for contenders that are measured warm.
    fn warm(&mut self, _rows: usize) {}

    /// Stores the rows by slot; only for structures that do not have their own.
    fn keep(&mut self, _rows: impl Iterator<Item = Row>) {}

    /// Inserts a row whose key no other row has.
    fn insert(&mut self, slot: u32, row: Row) -> Self::Handle;

    fn find(&self, key: u64) -> Option<&Row>;

    /// Removes a row, and returns its value.
    fn remove(&mut self, key: u64) -> Option<u64>;

    /// Replaces a row's key, and returns whether it succeeded.
    fn rekey(&mut self, row: Target<Self::Handle>, old: u64, new: u64) -> bool;

    /// Changes a row except for its key, by `mask`, and returns its new value.
    fn modify(&mut self, _row: Target<Self::Handle>, _key: u64, _mask: u64) -> Option<u64> {
        unreachable!("the operation is in LACKS")
    }

    fn clear(&mut self);
}

/// An index, which finds slots by key, and reads rows that are stored elsewhere.
pub(crate) trait Index: Sized {
    fn empty() -> Self;

    /// Inserts a slot whose row's key no other row has.
    fn insert(&mut self, key: u64, slot: u32, rows: &[Row]);

    fn find(&self, key: u64, rows: &[Row]) -> Option<u32>;

    fn remove(&mut self, key: u64, rows: &[Row]) -> Option<u32>;

    /// Removes a known slot, and returns whether it existed.
    fn unlink(&mut self, key: u64, slot: u32) -> bool;

    fn clear(&mut self);
}

/// An index, with rows by slot.
pub(crate) struct Indexed<I> {
    index: I,
    rows: VmVec<Row>,
}

impl<I: Index> Unique for Indexed<I> {
    type Handle = ();

    /// The rows are not its own.
    const LACKS: &'static [Operation] = &[Operation::Modify];

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
