//! [`Columns`]: rows whose fields lie each in a column of their own, and never move.

// # Why this is sound
//
// The first `len` values of each column are initialised, and `len <= capacity`, for which `RawVec`
// answers: the rows that fit into its bytes have committed memory in each column, at addresses that
// never change once there are any. `starts` are those, or dangle where there is no memory, which then
// is for no row that has a size.
//
// A value is in a column from when `len` says so until it says otherwise. Whatever runs user code (a
// drop, a comparison, a closure, the methods of `Row`) first makes `len` say what holds should that
// code panic, or never return control.

// In the order in which the docs list their methods.
mod access;
mod element;

mod bulk;
mod iter;
mod memory;
mod order;
mod traits;

mod builder;
mod clone;
mod compare;
mod concat;
mod drain;
mod extract_if;
mod fields;
pub mod groups;
mod grow_only;
mod into_iter;
mod row;
#[cfg(test)]
mod tests;

pub use builder::ColumnsBuilder;
pub use concat::Concat;
pub use drain::Drain;
pub use extract_if::ExtractIf;
pub use fields::{CloneFields, Fields};
#[doc(inline)]
pub use groups::{Groups, Pad};
pub use grow_only::GrowOnlyColumns;
pub use into_iter::IntoIter;
pub use iter::{Iter, IterMut};
pub use row::{Row, RowMut, RowRef};

use crate::container::stats;
use crate::raw_vec::RawVec;
use std::marker::PhantomData;
use std::mem;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// A growable structure of arrays: rows, each of whose fields lies in a column of its own.
///
/// A loop over some fields of all rows then reads these and nothing else, and can be done several at a
/// time by the compiler. All columns lie in one [reservation](crate::Reservation), and never move:
///
/// - Growing copies nothing, and the address of a value never changes by it, nor by moving the `Columns`
///   themselves. Only calls that reorder rows move values ([`insert`](Self::insert),
///   [`remove`](Self::remove), [`swap_remove`](Self::swap_remove), [`swap`](Self::swap),
///   [`retain`](Self::retain), [`dedup_by_key`](Self::dedup_by_key), [`drain`](Self::drain),
///   [`extract_if`](Self::extract_if), [`sort_by`](Self::sort_by)), or that move them into others ([`append`](Self::append),
///   [`split_off`](Self::split_off)).
/// - There is one length, and one capacity, for all columns: a push is one compare, and a store for each
///   field. Memory for all of them is committed together, or for none.
/// - Columns are [slices](Self::as_slices), all at once, also [to be changed](Self::as_mut_slices).
/// - Fields are as large as they are: nothing is padded.
///
/// Columns begin at different offsets in a page, as far as alignments up to 4,096 allow, so that a loop which
/// stores to one and loads from the others is not slowed by addresses that look alike.
///
/// Rows are tuples of one to twelve fields, or structs that implement [`Row`], which is derived with the
/// feature `derive` for structs of up to 32 fields.
///
/// # Which to take
///
/// Columns for work that goes over all rows and uses some fields of each; a [`VmVec`](crate::VmVec) of
/// structs where rows are looked up one by one and most of each is used: a row takes as many cache lines
/// as it has fields.
///
/// # Memory
///
/// As for a [`VmVec`](crate::VmVec), whose options it has too. What is counted in bytes is counted in
/// rows, one behind another; each column takes up to two pages more, some addresses besides, and on Linux four
/// of the process' mappings: where very many columns are to be had, these are what they are refused for.
///
/// Huge pages ([`HugePages::Auto`](crate::HugePages::Auto)) begin where columns have 2 MiB each, in the mean, and
/// [8 MiB](crate::HugePages::AUTO_FROM_BYTES) together; with
/// [`HugePages::Always`](crate::HugePages::Always) each column has one from the first row on.
///
/// # What is not there
///
/// What can need memory has a twin that begins with `try_`, as in a [`VmVec`](crate::VmVec). Of the calls of that,
/// those for slices and single elements are the columns' own, by [slices](Self::as_mut_slices); and these are missing:
///
/// | what | why, and what to do instead |
/// |---|---|
/// | `columns[index]` | It is to give a reference, and a row does not lie anywhere as one: [`get`](Self::get), or index the [slices](Self::as_slices). |
/// | calls of slices, such as `windows` | Those of each column's slice. |
/// | `==` with a `Vec` or an array of rows | Rows are not together to be compared: `columns.into_iter().eq(rows)`, or column by column. |
/// | `splice` | [`drain`](Self::drain), [`append`](Self::append). |
/// | `build_in`, memory of the user's | See [`ColumnsBuilder`]. |
///
/// # Variance
///
/// `Columns<R>` are invariant in `R`, where a `VmVec<T>` is covariant in `T`: what fields a row has may be another
/// for each.
///
/// # Examples
///
/// ```
/// use stayput::Columns;
///
/// let mut bodies: Columns<(f32, f32)> = Columns::new(); // position, speed
/// bodies.extend((0..1000).map(|n| (n as f32, 1.5)));
///
/// let (positions, speeds) = bodies.as_mut_slices();
/// for (position, speed) in positions.iter_mut().zip(speeds) {
///     *position += *speed;
/// }
/// assert_eq!(bodies.get(10), Some((&11.5, &1.5)));
/// ```
pub struct Columns<R: Row> {
    raw: RawVec,
    len: usize,
    starts: <R::Fields as Fields>::Starts,
    /// It owns rows.
    rows: PhantomData<R>,
}

#[expect(unsafe_code, reason = "vouches for the pointers")]
// SAFETY: the pointers are to memory that `self` owns, and to values of the fields, which are `Send`, as are
// rows, which are made of them.
unsafe impl<R: Row + Send> Send for Columns<R> where R::Fields: Send {}
#[expect(unsafe_code, reason = "vouches for the pointers")]
// SAFETY: the same; `&self` gives no more than `&` of fields, and copies of numbers.
unsafe impl<R: Row + Sync> Sync for Columns<R> where R::Fields: Sync {}

impl<R: Row + UnwindSafe> UnwindSafe for Columns<R> where R::Fields: UnwindSafe {}
impl<R: Row + RefUnwindSafe> RefUnwindSafe for Columns<R> where R::Fields: RefUnwindSafe {}

stats! {
    /// What [`Columns`] hold and take up, given by [`Columns::stats`].
    ///
    /// Each column takes up to two pages more, or huge ones, if it has such; and some addresses besides, by which it is
    /// apart from the one before it.
    pub struct ColumnsStats of "Rows", in memory of "rows" {
        /// Rows.
        len,
    }
}

impl<R: Row> Drop for Columns<R> {
    fn drop(&mut self) {
        // Should the drop of a value panic, `raw`, which is a field, still releases the memory.
        if mem::needs_drop::<R::Fields>() {
            self.truncate(0);
        }
    }
}

default_by!([R: Row] Columns<R>, new);
