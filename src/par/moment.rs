//! [`par_in_columns`]: rows that several threads copy into columns for one pass.

#![forbid(unsafe_code)]

use crate::columns::{Block, Pad, Row};
use rayon::iter::plumbing::{Consumer, Folder, Reducer, UnindexedConsumer};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::marker::PhantomData;

/// [`in_columns`](crate::columns::in_columns) in parallel: each task copies its rows to columns of its own.
///
/// The rows are those of any parallel iterator: of a slice or a [`BlockVec`](crate::BlockVec), of the values of a map,
/// without the holes, or of a [join](crate::par#joins). A task allocates one block; to set how many rows it has at
/// least, use `with_min_len`.
///
/// # Panics
///
/// As for [`in_columns`](crate::columns::in_columns). Rows that other tasks have written stay written.
///
/// # Examples
///
/// ```
/// use stayput::par::par_in_columns;
/// use stayput::{DefaultKey, SlotMap};
///
/// let mut bodies: SlotMap<DefaultKey, (String, f32, f32)> =
///     (0..1000_u16).map(|n| (n.to_string(), 0.0, n.into())).collect();
/// par_in_columns(
///     bodies.par_values_mut(),
///     |(_, place, speed)| (*place, *speed),
///     |(places, speeds)| places.iter_mut().zip(speeds).for_each(|(place, by)| *place += *by),
///     |body, (place, _)| body.1 = place,
/// );
/// assert!(bodies.values().all(|(name, place, _)| *name == place.to_string()));
/// ```
pub fn par_in_columns<T: Send, P: Row + Pad>(
    rows: impl IntoParallelIterator<Item = T>,
    read: impl Fn(&T) -> P + Sync,
    step: impl Fn(P::SlicesMut<'_>) + Sync,
    write: impl Fn(T, P) + Sync,
) {
    let pass = Pass { read: &read, step: &step, write: &write, part: PhantomData };
    rows.into_par_iter().drive_unindexed(pass);
}

/// The closures of a pass.
struct Pass<'f, P, R, S, W> {
    read: &'f R,
    step: &'f S,
    write: &'f W,
    part: PhantomData<fn() -> P>,
}

copy!([P, R, S, W] Pass<'_, P, R, S, W>);

/// Tasks have no results.
struct Nothing;

impl Reducer<()> for Nothing {
    fn reduce(self, (): (), (): ()) {}
}

/// A task, with the rows that it has not written yet.
// Its methods pass closures of their own: Rust 1.85 takes `&S` for `FnMut` only if `P` is `'static`.
struct Task<'f, T, P: Row, R, S, W> {
    pass: Pass<'f, P, R, S, W>,
    // Boxed, since `consume` moves the task for each row.
    block: Box<Block<T, P>>,
}

impl<'f, T: Send, P: Row + Pad, R, S, W> Consumer<T> for Pass<'f, P, R, S, W>
where
    R: Fn(&T) -> P + Sync,
    S: Fn(P::SlicesMut<'_>) + Sync,
    W: Fn(T, P) + Sync,
{
    type Folder = Task<'f, T, P, R, S, W>;
    type Reducer = Nothing;
    type Result = ();

    fn split_at(self, _: usize) -> (Self, Self, Nothing) {
        (self, self, Nothing)
    }

    fn into_folder(self) -> Self::Folder {
        Task { pass: self, block: Box::new(Block::new()) }
    }

    fn full(&self) -> bool {
        false
    }
}

impl<T: Send, P: Row + Pad, R, S, W> UnindexedConsumer<T> for Pass<'_, P, R, S, W>
where
    R: Fn(&T) -> P + Sync,
    S: Fn(P::SlicesMut<'_>) + Sync,
    W: Fn(T, P) + Sync,
{
    fn split_off_left(&self) -> Self {
        *self
    }

    fn to_reducer(&self) -> Nothing {
        Nothing
    }
}

impl<T, P: Row + Pad, R, S, W> Folder<T> for Task<'_, T, P, R, S, W>
where
    R: Fn(&T) -> P,
    S: Fn(P::SlicesMut<'_>),
    W: Fn(T, P),
{
    type Result = ();

    #[inline]
    fn consume(mut self, row: T) -> Self {
        let Pass { read, step, mut write, .. } = self.pass;
        let mut step = |columns: P::SlicesMut<'_>| step(columns);
        self.block.push(row, read, &mut step, &mut write);
        self
    }

    fn consume_iter<I: IntoIterator<Item = T>>(mut self, rows: I) -> Self {
        let Pass { read, step, mut write, .. } = self.pass;
        let mut step = |columns: P::SlicesMut<'_>| step(columns);
        rows.into_iter().for_each(|row| self.block.push(row, read, &mut step, &mut write));
        self
    }

    fn complete(mut self) {
        let Pass { step, mut write, .. } = self.pass;
        let mut step = |columns: P::SlicesMut<'_>| step(columns);
        self.block.finish(&mut step, &mut write);
    }

    fn full(&self) -> bool {
        false
    }
}
