//! [`Table`]: a [`SlotMap`] of rows that maintains indices over them.

#![forbid(unsafe_code)]

// In the order in which the documentation lists their methods.
mod builder;

mod rows;

mod find;
mod insert;

mod change;
mod drain;
mod memory;

mod found;
mod grid;
mod hashed;
mod indices;
mod macros;
#[cfg(test)]
mod tests;
mod traits;

pub use builder::TableBuilder;
pub use drain::{Drain, ExtractIf};
pub use found::Found;
pub use grid::Grid;
#[doc(hidden)]
pub use grid::cell_bits;
pub use hashed::{Hashed, Kind, List, Many, Sets, Unique};
pub use indices::{Extract, Index, Indices, Row, TryClone, Visit, VisitMut};
pub use memory::TableStats;

use crate::key::{DefaultKey, Key};
use crate::slot_map::SlotMap;

/// A slot map of rows that can also be looked up by field values.
///
/// [`indices!`](crate::indices) declares the values by which rows are found. The table keeps the indices up to date, so
/// it never returns `&mut` to indexed data: [`modify`](Self::modify), [`replace`](Self::replace) and
/// [`for_each_mut`](Self::for_each_mut) change rows and their index entries together.
///
/// Rows stay at their addresses, and growth copies no row: rows lie in reserved memory, and the hash tables of indices
/// grow by one bucket of a dozen entries at a time, never all at once.
///
/// # All or nothing
///
/// A change first runs all user code and makes all allocations that it needs, and then takes effect in steps that
/// cannot fail. A change that is refused or panics therefore leaves the rows and all indices as they were. Exceptions:
/// a method that changes many rows keeps the changes made before the failure; a [`reindex`](Self::reindex) that fails
/// must be repeated; changes that [`modify_both`](Self::modify_both) made to the part that is not indexed stay; and a
/// panic in the drop of what was replaced comes after the change.
///
/// A change is refused if memory is, or if it gives a row a value that another row has in a [`Unique`] index. The
/// `try_` methods then return an [`Error`](crate::Error), in the second case of the kind
/// [`Taken`](crate::ErrorKind::Taken); the others panic.
///
/// # Rows that are pairs
///
/// If rows are pairs `(I, M)` and the indices are declared for `I`, then `M` can be changed in place:
/// [`get_mut`](Self::get_mut) and [`iter_mut`](Self::iter_mut) return `(&I, &mut M)`, and
/// [`modify_both`](Self::modify_both) and [`for_each_both_mut`](Self::for_each_both_mut) change both parts. Only `I`
/// must be `Clone` for that, since a change is made to a copy of the indexed part.
///
/// # Grids
///
/// A grid is declared with the size of its cells, as in `Grid<2, cell = 4.0>`. Choose about the radius of the most
/// frequent search; see [`index::Grid`](crate::index::Grid#cells). [`set_cell`](Self::set_cell) changes the size.
///
/// # Ranges
///
/// Tables have no ordered index. If few rows change, keep a `BTreeMap` from values to keys alongside the table; if most
/// do, sort the keys when they are needed.
///
/// # Panics
///
/// Look-ups panic if their closure returns an index of another table.
///
/// # Time complexity
///
/// Finding, inserting, changing and removing a row is O(1) per index, if hashes are well distributed and the cells of a
/// grid hold few points. An insertion enters the kernel when committed memory is used up.
///
/// # Memory
///
/// Rows lie in a reservation. An index consists of several arrays, each of which starts in the global allocator and
/// moves to a reservation of its own when it exceeds 64 KiB.
///
/// # Inconsistent values
///
/// If the `Hash` or `Eq` of a value is inconsistent, or a value changes inside a row (through a `Cell`), look-ups by
/// value may miss rows or find wrong ones: that row, and all rows that had the same value, since one row is compared on
/// behalf of its set. No row is lost, because rows are removed from an index by slot, without reading their values. The
/// same can happen in a [clone](Self::clone) of a table, and after [`modify`](Self::modify), if the `Clone` of a row gives
/// it another value. [`check`](Self::check) detects such rows, and [`reindex`](Self::reindex) repairs the indices.
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// #[derive(Clone)]
/// struct Player {
///     name: String,
///     team: u32,
/// }
///
/// indices! {
///     struct PlayerBy for Player {
///         name: Unique<str> = |player| &player.name,
///     }
/// }
///
/// let mut players: Table<Player, PlayerBy> = Table::new();
/// let bob = players.insert(Player { name: "bob".to_owned(), team: 1 });
/// players.insert(Player { name: "eve".to_owned(), team: 2 });
///
/// let (key, player) = players.find(|by| &by.name, "bob").unwrap();
/// assert_eq!((key, player.team), (bob, 1));
///
/// players.modify(bob, |player| player.name = "rob".to_owned());
/// assert!(players.find(|by| &by.name, "bob").is_none());
/// assert!(players.try_modify(bob, |player| player.name = "eve".to_owned()).is_err());
/// assert_eq!(players[bob].name, "rob");
/// ```
pub struct Table<R, X, K: Key = DefaultKey> {
    rows: SlotMap<K, R>,
    by: X,
}
