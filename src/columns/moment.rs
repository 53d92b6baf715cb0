//! [`in_columns`]: rows that are copied into columns for one pass.
//!
//! # Why this is sound
//!
//! The invariants of a [`Block`] are:
//!
//! - *memory*: it owns the memory of its columns, from `start` on, each of which is aligned and has room for `ROWS`
//!   values.
//! - *parts*: the values of the rows in `parts` are initialized, and only the block owns them. While it is filled, the first
//!   `rows.len()` rows are initialized; `finish` then counts them in `parts`.
//!
//! Before user code runs (a closure, a drop, a method of `Row`), `parts` is set to what must hold if that code panics:
//! these values are dropped with the block.

#![expect(unsafe_code, reason = "lays out columns in a block of the heap")]

use super::concat::MAX_COLUMNS;
use super::{Fields, Pad, Row};
use std::marker::PhantomData;
use std::mem::{self, MaybeUninit};
use std::num::NonZero;
use std::ops::Range;
use std::ptr::NonNull;

/// The rows of a block, so that a loop of vectors of up to 64 bytes leaves no remainder. Larger blocks gain nothing, and
/// slots of 200 bytes are no longer in the first-level cache when they are written.
const ROWS: usize = 64;

/// The size of a cache line on most processors, and of the largest vectors.
const LINE_BYTES: usize = 64;

/// Copies a part of each row into temporary columns, block by block, calls a function with the columns of each block,
/// and writes the parts back.
///
/// This is for one pass that computes with SIMD over rows that all other code needs whole: the elements of a
/// [`VmVec`](crate::VmVec), a slice or a [`BlockVec`](crate::BlockVec), or the values of a
/// [`SlotMap`](crate::SlotMap), which are packed for the pass. `rows` can be any iterator over mutable references, or
/// over tuples of them, such as that of a [`Table`](crate::Table) or of a
/// [join](crate::SlotMap::join_mut).
///
/// - `read` returns the part of a row that the pass needs: a tuple, or a struct with `#[derive(Row)]` that implements
///   [`Pad`].
/// - `step` computes with the columns of 64 rows, as mutable slices that begin at cache lines. In the last block, rows
///   after the last one hold [`Pad::PAD`], and are ignored afterwards, so that loops have no remainder.
/// - `write` stores a part in its row. It need not store all fields.
///
/// `par::par_in_columns` shares the rows among threads (feature `rayon`).
///
/// # When to use it
///
/// Copying takes about as long as 15 to 25 floating-point operations per row, so `step` must do more. For a slice, it
/// rarely pays: if the loop over its rows is simple enough for columns, the compiler often vectorises it as it is. The
/// [guide](crate::guide::columns#for-one-pass) has figures. Measure both.
///
/// Pass the columns on to a function with one parameter for each. The compiler then knows that they do not overlap, and
/// vectorises loops over many of them.
///
/// # Memory
///
/// A block for the parts of 64 rows is allocated, and another for the rows that `read` returned, and both are used until
/// the end. With references to rows, and up to six columns, they take 2.5 KiB for parts of 24 bytes; each column takes
/// up to 64 bytes more than its fields. For parts of up to 400 bytes they take less than 32 KiB.
///
/// # Panics
///
/// If a closure or the drop of a part panics. Each row is then as it was, or as `write` has left it; those of a block
/// are written after `step` has returned.
///
/// # Examples
///
/// ```
/// use stayput::VmVec;
/// use stayput::columns::in_columns;
///
/// struct Body {
///     name: String,
///     place: f32,
///     speed: f32,
/// }
///
/// fn advance(places: &mut [f32], speeds: &[f32]) {
///     for (place, speed) in places.iter_mut().zip(speeds) {
///         *place += 0.5 * *speed;
///     }
/// }
///
/// let mut bodies: VmVec<Body> = (0..1000)
///     .map(|n| Body { name: n.to_string(), place: 0.0, speed: n as f32 })
///     .collect();
/// in_columns(
///     &mut bodies,
///     |body| (body.place, body.speed),
///     |(places, speeds)| advance(places, speeds),
///     |body, (place, _)| body.place = place,
/// );
/// assert_eq!((bodies[10].name.as_str(), bodies[10].place), ("10", 5.0));
/// ```
pub fn in_columns<T, P: Row + Pad>(
    rows: impl IntoIterator<Item = T>,
    mut read: impl FnMut(&T) -> P,
    mut step: impl FnMut(P::SlicesMut<'_>),
    mut write: impl FnMut(T, P),
) {
    let mut block = Block::new();
    // The iterators of maps are faster by `for_each` than by `next`.
    rows.into_iter().for_each(|row| block.push(row, &mut read, &mut step, &mut write));
    block.finish(&mut step, &mut write);
}

/// A block of rows, and the columns that their parts are copied to.
pub(crate) struct Block<T, P: Row> {
    /// Its capacity is at least [`ROWS`].
    rows: Vec<T>,
    /// The rows of the columns that are initialized, if fields need a drop or while [`finish`](Self::finish) runs.
    parts: Range<usize>,
    /// The start of the first column.
    start: NonNull<u8>,
    /// Owns the memory of the columns, which is only accessed through `start`.
    _memory: Vec<MaybeUninit<u8>>,
    part: PhantomData<P>,
}

impl<T, P: Row> Block<T, P> {
    const ALIGN: usize = {
        let align = P::Fields::ROW.align();
        if align > LINE_BYTES { align } else { LINE_BYTES }
    };

    /// The offsets of the columns whose fields have a size, and that of their end. They are constants, so that the
    /// compiler keeps one address in a register instead of many.
    const OFFSETS: [usize; MAX_COLUMNS + 1] = {
        let columns = *P::Fields::COLUMNS;
        let mut offsets = [0; MAX_COLUMNS + 1];
        let mut number = 0;
        while number < columns.len() {
            // A line apart, so that they do not begin at the same offset in a page.
            let bytes = columns[number].size() * ROWS + LINE_BYTES;
            offsets[number + 1] = offsets[number] + bytes.next_multiple_of(Self::ALIGN);
            number += 1;
        }
        offsets
    };

    const BYTES: usize = Self::OFFSETS[P::Fields::COLUMNS.len()] + Self::ALIGN;

    // Not inlined, it takes longer than to write a row.
    #[inline(always)]
    fn starts(&self) -> <P::Fields as Fields>::Starts {
        let start = self.start;
        // SAFETY: `new` has allocated memory for all columns from `start` on (*memory*), and `OFFSETS` are within that.
        P::Fields::starts(|number| unsafe { start.add(Self::OFFSETS[number]) })
    }

    /// Writes the fields of a row, without dropping those that may be there.
    #[inline]
    fn put(&mut self, index: usize, fields: P::Fields) {
        assert!(index < ROWS, "a full block is finished first");
        // SAFETY: `index < ROWS` was asserted, so the columns have memory there (*memory*). If there was a row, it is
        // overwritten, so that is not used again.
        unsafe { P::Fields::write(fields, self.starts(), index) };
    }

    /// Drops the rows in `parts` from `from` on, where `parts` ends then.
    fn drop_parts(&mut self, from: usize) {
        let end = self.parts.end;
        assert!(self.parts.start <= from && from <= end, "the rows are not those of the block");
        self.parts.end = from;
        // SAFETY: these rows were in `parts`, so they are initialized (*parts*), and are not any more, so they are not
        // used again.
        unsafe { P::Fields::drop_rows(self.starts(), from, end - from) }
    }
}

impl<T, P: Row + Pad> Block<T, P> {
    /// Allocates an empty block.
    pub(crate) fn new() -> Self {
        let mut memory = Vec::with_capacity(Self::BYTES);
        let start = NonNull::from(memory.spare_capacity_mut()).cast::<u8>();
        // The allocation has `ALIGN` bytes more than the columns take.
        let aligned = |address: NonZero<usize>| address.get().next_multiple_of(Self::ALIGN);
        let start = start.map_addr(|address| NonZero::new(aligned(address)).unwrap_or(address));
        Self {
            rows: Vec::with_capacity(ROWS),
            parts: 0..0,
            start,
            _memory: memory,
            part: PhantomData,
        }
    }

    #[cfg(test)]
    pub(super) fn memory_bytes(&self) -> usize {
        Self::BYTES + self.rows.capacity() * size_of::<T>()
    }

    /// Adds a row, after a call of `read` with it. Calls [`finish`](Self::finish) first if the block is full.
    #[inline]
    pub(crate) fn push(
        &mut self,
        row: T,
        read: impl FnOnce(&T) -> P,
        step: &mut impl FnMut(P::SlicesMut<'_>),
        write: &mut impl FnMut(T, P),
    ) {
        if self.rows.len() == ROWS {
            self.finish(step, write);
        }
        let fields = read(&row).into_fields();
        let count = self.rows.len();
        self.put(count, fields);
        // Otherwise `finish` sets it, which saves a store for each row.
        if mem::needs_drop::<P::Fields>() {
            self.parts.end = count + 1;
        }
        self.rows.push(row);
    }

    /// Calls `step` with the columns and then `write` for each row, and empties the block.
    #[inline(never)]
    pub(crate) fn finish(
        &mut self,
        step: &mut impl FnMut(P::SlicesMut<'_>),
        write: &mut impl FnMut(T, P),
    ) {
        let (starts, count) = (self.starts(), self.rows.len());
        if count == 0 {
            return;
        }
        self.parts = 0..count;
        for index in count..ROWS {
            self.put(index, P::PAD.into_fields());
            self.parts.end = index + 1;
        }
        // SAFETY: all `ROWS` rows are initialized, by the loop above and `push`, and `&mut self` guarantees exclusive
        // access during the call.
        step(P::by_slices_mut(unsafe { P::Fields::slices_mut(starts, 0, ROWS) }));
        self.drop_parts(count);
        let rest = DropRest(self);
        for (index, row) in rest.0.rows.drain(..).enumerate() {
            rest.0.parts.start = index + 1;
            // SAFETY: there were as many parts as rows, so this one is initialized; it is not in `parts` any more, so
            // it is not used again.
            let fields = unsafe { P::Fields::read(starts, index) };
            write(row, P::from_fields(fields));
        }
    }
}

/// Drops the parts that are left if `write` panics: the iterator may catch that and add other rows.
struct DropRest<'b, T, P: Row>(&'b mut Block<T, P>);

impl<T, P: Row> Drop for DropRest<'_, T, P> {
    fn drop(&mut self) {
        let start = self.0.parts.start;
        self.0.drop_parts(start);
        self.0.parts = 0..0;
    }
}

impl<T, P: Row> Drop for Block<T, P> {
    fn drop(&mut self) {
        self.drop_parts(self.parts.start);
    }
}
