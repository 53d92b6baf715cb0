//! Rows that are found by what is in them.
//!
//! A [`Table`] is a [`SlotMap`] of rows with indices declared on it, which it keeps right by itself.

#![forbid(unsafe_code)]

mod builder;
mod change;
mod drain;
mod find;
mod found;
mod grid;
mod hashed;
mod indices;
mod insert;
mod macros;
mod memory;
mod rows;
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

use crate::container::{capacity_constructors, max_len_constructors};
use crate::key::{DefaultKey, Key};
use crate::slot_map::SlotMap;

/// Rows in the slots of a [`SlotMap`], found by their keys and by what is in them.
///
/// What they are found by, [`indices!`](crate::indices) declares. The table keeps these indices right: a row that is in it never leaves it as
/// `&mut`, but is changed by [`modify`](Self::modify), [`replace`](Self::replace) and
/// [`for_each_mut`](Self::for_each_mut), which put it where it belongs.
///
/// Rows stay at their addresses. Growing copies nothing: rows and indices lie in memory that is reserved up front, and a
/// hash table here grows by one bucket of a dozen entries with an insertion, never all of it at once.
///
/// # All or nothing
///
/// Each change first runs what it needs of the user's code and asks for the memory, and then does what cannot fail. So one that is refused,
/// or panics, has changed nothing, in any index. (What goes over many rows has changed those before the one that was refused;
/// a [`reindex`](Self::reindex) that is refused or panics is to be done again; and what
/// [`modify_both`](Self::modify_both) did to the half of a row that is not indexed stays.) Such are a change that gives a row the value that another has in a
/// [`Unique`] index, which is refused as one for which there is no memory is: with an [`Error`](crate::Error), of the kind
/// [`Taken`](crate::ErrorKind::Taken), by the `try_` twin of each call, and a panic by the other.
///
/// # Rows of two
///
/// Where rows are pairs `(I, M)`, and indices are declared for `I`, then `M` is free to be changed in place:
/// [`get_mut`](Self::get_mut) and [`iter_mut`](Self::iter_mut) return `(&I, &mut M)`, and
/// [`modify_both`](Self::modify_both) and [`for_each_both_mut`](Self::for_each_both_mut) change both halves. Only `I` needs
/// `Clone` for that, since only the indexed half is changed in a copy.
///
/// # Grids
///
/// A grid needs the size of its cells, `Grid<2, cell = 4.0>`: about the radius of the most frequent search, see
/// [`index::Grid`](crate::index::Grid#cells). [`set_cell`](Self::set_cell) changes it.
///
/// # What is not there
///
/// An index for ranges of values, as a tree is. Where few rows change, keep a `BTreeMap` from values to keys beside the
/// table; where all do, sort their keys when they are needed.
///
/// # Complexity
///
/// To find, insert, change and remove is O(1) for each index, where hashes are spread and cells of a grid hold few points.
/// Insertion enters the kernel when committed memory is used up.
///
/// # Memory
///
/// Rows lie in a reservation and never move. An index is several arrays. Each starts in the program's allocator and moves
/// to a reservation of its own once it takes more than 64 KiB.
///
/// # Wrong values
///
/// A `Hash` or `Eq` that changes its answers, or a value that changes in a row by itself (in a `Cell`), has rows not
/// be found by that value, or found by another: the row itself, and those that it shared the value with, since one of a set stands
/// for all. No row is lost by it: it is taken out of an index by its slot, and nobody is asked what it
/// holds. The same holds of a row in a [copy](Self::clone) of a table, if its `Clone` gives another value.
/// [`check`](Self::check) tells, and [`reindex`](Self::reindex) mends it.
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

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// Without rows. Reserves nothing until the first.
    #[must_use]
    pub fn new() -> Self {
        Self::builder().build()
    }

    capacity_constructors!("table" of "rows");

    max_len_constructors! {
        "table" of "rows", "Reserves the addresses of rows now.";
        /// # Examples
        ///
        /// ```
        /// use stayput::{Table, indices};
        /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
        ///
        /// let mut table: Table<(u32, char), By> = Table::with_max_len(1);
        /// table.insert((1, 'a'));
        /// assert_eq!(table.try_insert((2, 'b')).unwrap_err().value, (2, 'b'));
        /// ```
    }

    /// Options for a table, its rows and its indices.
    pub fn builder() -> TableBuilder<R, X, K> {
        TableBuilder::new()
    }
}
