//! [`Columns`]: rows whose fields are each stored in a column of their own.

// # Why this is sound
//
// The invariants of `Columns`, to which the proofs in this module refer by these names:
//
// - *rows*: the first `len` values of each column are initialized, and only the columns own them.
// - *capacity*: `len <= capacity`. `RawVec` guarantees that `capacity` rows have committed memory in each column, in one
//   aligned range of at most `isize::MAX` bytes that overlaps with no other, at addresses that never change once there are
//   any. (That needs a reservation, which is divided into columns. So options of columns are never those of elements
//   that start in the heap, and columns are never in memory that the user supplies.) `starts` are these addresses, or
//   dangling before memory is reserved, when the capacity is 0 unless rows have size zero.
//
// A value belongs to a column as long as it lies below `len`. Before user code runs (a drop, a comparison, a closure, a
// method of `Row`), `len` is set to what must hold if that code panics or never returns.

// In the order in which the documentation lists their methods.
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
mod erased;
mod extract_if;
mod fields;
pub mod groups;
mod grow_only;
mod into_iter;
mod moment;
mod row;
#[cfg(test)]
mod tests;

pub use builder::ColumnsBuilder;
pub use concat::Concat;
pub use drain::Drain;
pub use erased::ErasedColumn;
pub use extract_if::ExtractIf;
pub use fields::{CloneFields, Fields};
#[doc(inline)]
pub use groups::{Groups, Pad};
pub use grow_only::GrowOnlyColumns;
pub use into_iter::IntoIter;
pub use iter::{Iter, IterMut};
#[cfg(feature = "rayon")]
pub(crate) use moment::Block;
pub use moment::in_columns;
pub use row::{Row, RowMut, RowRef};

use crate::container::stats;
use crate::raw_vec::RawVec;
use std::marker::PhantomData;
use std::mem;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// A growable structure of arrays: each field of a row is stored in a column of its own.
///
/// A loop over some fields of all rows then reads nothing else, and can be vectorised by the compiler. All columns lie
/// in one [reservation](crate::Reservation) and never move:
///
/// - Growth copies nothing. Neither growth nor moving the `Columns` themselves changes the address of a value; only
///   methods that reorder rows do ([`insert`](Self::insert), [`remove`](Self::remove),
///   [`swap_remove`](Self::swap_remove), [`swap`](Self::swap), [`retain`](Self::retain),
///   [`dedup_by_key`](Self::dedup_by_key), [`drain`](Self::drain), [`extract_if`](Self::extract_if),
///   [`sort_by`](Self::sort_by)), or that move them to other columns ([`append`](Self::append),
///   [`split_off`](Self::split_off)).
/// - All columns share one length and one capacity: a push takes one comparison, and one store per field. Memory is
///   committed for all columns or for none.
/// - All columns are available as [slices](Self::as_slices) at once, also [mutably](Self::as_mut_slices).
/// - Fields are not padded.
///
/// Columns begin at different offsets within a page, as far as alignments up to 4,096 allow, so that a loop that stores
/// to one column and loads from others is not slowed down by 4K aliasing.
///
/// Rows are tuples of one to twelve fields, or structs that implement [`Row`]. With the feature `derive`, it can be
/// derived for structs of up to 32 fields.
///
/// # When to use it
///
/// Use `Columns` if loops visit all rows and use some of their fields. Use a [`VmVec`](crate::VmVec) of structs if rows
/// are accessed one by one and most of their fields are used: in `Columns`, a row takes as many cache lines as it has
/// fields. [`in_columns`] copies structs into columns for a single pass. An [`ErasedColumn`] is one column of a type that
/// is only known at run time.
///
/// # Memory
///
/// Memory is managed as in a [`VmVec`](crate::VmVec), with the same options; those in bytes refer to whole rows. Each
/// column takes up to two pages more, some more addresses and, on Linux, four of the process's mappings: with very many
/// columns, the limit of mappings is reached first.
///
/// Huge pages ([`HugePages::Auto`](crate::HugePages::Auto)) are used once columns have 2 MiB each on average, and [8
/// MiB](crate::HugePages::AUTO_FROM_BYTES) together; with [`HugePages::Always`](crate::HugePages::Always), each column
/// uses one from the first row on.
///
/// # Differences from `VmVec`
///
/// Methods that may need memory have a `try_` variant, as those of a [`VmVec`](crate::VmVec), except
/// [`sort_by_key`](Self::sort_by_key), which needs an index for each row, and methods that return a reference to a row
/// that they store. Methods of slices are those
/// of the columns' [slices](Self::as_mut_slices). Not available are:
///
/// | not available | why, and what to use instead |
/// |---|---|
/// | `columns[index]` | Indexing must return a reference, but no row is stored as such: use [`get`](Self::get), or index the [slices](Self::as_slices). |
/// | methods of slices, such as `windows` | Use those of each column's slice. |
/// | `==` with a `Vec` or an array of rows | Rows are not stored as such: use `columns.into_iter().eq(rows)`, or compare columns. |
/// | `splice` | Use [`drain`](Self::drain) and [`append`](Self::append). |
/// | `dedup`, `dedup_by`, `resize`, `extend_from_slice`, `extend_from_within`, `append_vec`, `retain_mut` | Rows are not stored as such: use [`extend`](Extend::extend), and [`retain`](Self::retain), whose closure gets mutable references. |
/// | `into_vec`, `leak`, `spare_capacity_mut`, `set_len`, `index_of` | Each field has an array of its own. |
/// | `new` in a constant | The start of each array is computed. |
/// | `build_in`, caller-provided memory | See [`ColumnsBuilder`]. |
///
/// # Variance
///
/// `Columns<R>` is invariant in `R`, whereas `VmVec<T>` is covariant in `T`, because the fields of a row can be
/// different types for each `R`.
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
    rows: PhantomData<(R, R::Fields)>,
}

impl<R: Row + UnwindSafe> UnwindSafe for Columns<R> where R::Fields: UnwindSafe {}
impl<R: Row + RefUnwindSafe> RefUnwindSafe for Columns<R> where R::Fields: RefUnwindSafe {}

stats! {
    /// Statistics of [`Columns`], returned by [`Columns::stats`].
    ///
    /// Each column takes up to two more pages (or huge pages, if it uses them), and some more addresses that separate
    /// it from the column before it.
    ///
    /// # Examples
    ///
    /// ```
    /// let scores = stayput::Columns::from([("Ann", 7), ("Ben", 4)]);
    /// let stats = scores.stats();
    /// assert_eq!(stats.len, 2);
    /// assert!(stats.capacity <= stats.max_len);
    /// assert!(stats.committed_bytes <= stats.reserved_bytes);
    /// ```
    pub struct ColumnsStats of "Rows", in memory of "rows" {
        /// Rows.
        len,
    }
}

impl<R: Row> Drop for Columns<R> {
    fn drop(&mut self) {
        // If the drop of a value panics, the field `raw` still releases the memory.
        if mem::needs_drop::<R::Fields>() {
            self.truncate(0);
        }
    }
}

default_by!([R: Row] Columns<R>, new);
