//! The serialized forms of the feature `serde`.
//!
//! # Forms
//!
//! | type | form |
//! |---|---|
//! | a key, [`KeyData`](crate::KeyData) | its [bits](crate::KeyData::to_bits), an unsigned number of 64 bits, or of 32 for a layout of 32 bits |
//! | [`SlotMap`](crate::SlotMap) | a structure of three fields: `floor`, a number of 32 bits, the generation above which slots past the last one start; `slots`, a sequence of all slots in order, after the [type id](crate::SlotMapBuilder::type_id) if the map has one; and `next`, what the next keys depend on |
//! | [`SharedSlotMap`](crate::SharedSlotMap) | as a `SlotMap`: its owner serializes the one that [`as_mut_map`](crate::SharedSlotMap::as_mut_map) returns; both types deserialize it |
//! | a slot | a variant: `live` (0), its generation and value; `hole` (1), the generation of its last value; `detached` (2), the generation of its key; `retired` (3), without data |
//! | a type id | a fifth variant in the sequence of slots: `type` (4), with the number |
//! | `next` | a structure of three fields: `highest`, the highest generation of a removed value; `floors`, a sequence of pairs of a slot and a generation: slots past the last one and before the named one start above that generation, and all later ones above `floor`; and `reuse` |
//! | `reuse` | the [order](crate::Reuse) in which holes are filled, as a variant: `recent` (0), with `stack`, a sequence of holes of which the last is filled first, `latest`, the hole that is filled before them, if there is one, `room`, how many holes the stack can hold, and `near`, the slot below which a hole goes onto the stack; `lowest` (1); `rotating` (2), with `min_free` and `turn`, the slot at which the search for the next hole starts |
//! | [`DenseSlotMap`](crate::DenseSlotMap) | a structure of two fields: `table`, as a `SlotMap` of the row of each key's value; and `values`, a sequence of all values in row order |
//! | [`Table`](crate::Table) | as the `SlotMap` of its rows; deserializing rebuilds the indices |
//! | [`SecondaryMap`](crate::SecondaryMap) | a sequence of key–value pairs, in the order of indices |
//! | [`SparseSecondaryMap`](crate::SparseSecondaryMap) | likewise, in no particular order; each of the two types reads the other's form |
//! | [`VmVec`](crate::VmVec) | a sequence of its elements, as a `Vec`; each of the two types reads the other's form |
//! | [`SharedVec`](crate::SharedVec) | likewise, of its [prefix](crate::SharedVec#the-prefix) |
//! | [`BlockVec`](crate::BlockVec) | likewise; each of these types reads the others' form |
//! | [`ListPool`](crate::ListPool) | as a `SlotMap` of sequences; reads what a `SlotMap<K, Vec<T>>` wrote, and the other way round |
//! | [`StrPool`](crate::StrPool) | as a `SlotMap` of strings; reads what a `SlotMap<K, String>` wrote, and the other way round |
//! | [`SecondaryLists`](crate::SecondaryLists) | as a `SecondaryMap` of sequences; reads what a `SecondaryMap<K, Vec<T>>` wrote, and the other way round |
//! | [`Columns`](crate::Columns) | a sequence of rows, as a `Vec` or `VmVec` of them; each of the three types reads the others' form |
//!
//! In JSON, a map of two values with a hole between them is
//!
//! ```
//! # use stayput::{DefaultKey, Reuse, SlotMap};
//! let text = r#"{"floor":0,"slots":[{"live":[1,"a"]},{"hole":1},{"live":[1,"c"]}],
//!     "next":{"highest":1,"floors":[],"reuse":"lowest"}}"#;
//! let map: SlotMap<DefaultKey, String> = serde_json::from_str(text)?;
//! assert!(map.values().eq(["a", "c"]));
//! let written: String = text.split_whitespace().collect();
//! assert_eq!(serde_json::to_string(&map)?, written);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! In formats with field names, `next` may be missing: the map then has the default order, and the lowest hole is
//! filled first.
//!
//! # Guarantees
//!
//! - A map that is read has the keys, generations and holes of the one that was written: a stored key finds its value,
//!   and a stale key finds nothing. Detached keys can be reattached.
//! - **A map that is read creates the keys that the original would have created**: the same calls return the same keys,
//!   in every [order](crate::Reuse). Two exceptions depend on how much memory is committed: which slots
//!   [`trim`](crate::SlotMap::trim) and [`shrink_to_fit`](crate::SlotMap::shrink_to_fit) return to the system, and when
//!   a map is full. A third: slots whose memory is returned by these methods, before or after, may continue with another
//!   generation. (Of neither map does it repeat one.)
//! - The type id is written and read, if the map has one.
//! - Options other than the order (a maximum, growth, huge pages) are not written. The result has those of a new map or
//!   array, unless it is read into an existing one by `deserialize_in_place`, which arrays and `Columns` implement.
//! - Input is not trusted. Invalid input is an error, not a panic, as is memory that the system refuses. An announced
//!   length allocates nothing by itself. Vacant slots are not touched if they take more than 4 MiB and there are more
//!   than 16 of them for each value: reading one takes four bytes, however large the values are. (Memory for all slots
//!   is committed, so a system that does not overcommit charges it.)
//! - Elements that take no bytes in memory or in the format, such as `()` in `postcard`, are read one by one, as std's
//!   `Vec` reads them: the time is linear in the length that the input announces. Check the length first if the input
//!   is not trusted.
//!
//! # Compatibility
//!
//! Later versions read what earlier ones wrote, with the same key type; tests of the crate check this with files of
//! each version. Versions may write new variants or fields, which older ones refuse; they do so only with a new minor
//! version.
//!
//! The bits of a key are split as its [`Layout`](crate::Layout) says: with another layout they are another key. To
//! change the layout, read with the old type and create keys of the new one with
//! [`KeyData::from_parts`](crate::KeyData::from_parts).
//!
//! # Rows of columns
//!
//! A row of [`Columns`](crate::Columns) is not stored as such, so serializing assembles it from clones of its fields,
//! with [`Row::from_fields`](crate::Row::from_fields): the row and its fields must be `Clone`. If clones are expensive,
//! as those of a `String`, or not available, serialize the [slices](crate::Columns::as_slices), as one sequence per
//! column:
//!
//! ```
//! # use stayput::Columns;
//! let columns = Columns::from([(1, "one".to_owned()), (2, "two".to_owned())]);
//! assert_eq!(serde_json::to_string(&columns)?, r#"[[1,"one"],[2,"two"]]"#);
//! let by_columns = serde_json::to_string(&columns.as_slices())?;
//! assert_eq!(by_columns, r#"[[1,2],["one","two"]]"#);
//!
//! let (numbers, names): (Vec<u32>, Vec<String>) = serde_json::from_str(&by_columns)?;
//! let columns: Columns<(u32, String)> = numbers.into_iter().zip(names).collect();
//! assert_eq!(columns.get(1), Some((&2, &"two".to_owned())));
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # Files of the crate `slotmap`
//!
//! [`from_slotmap`] reads maps and keys that `slotmap` wrote.

#![forbid(unsafe_code)]

#[cfg(feature = "columns")]
mod columns;
mod dense;
#[cfg(feature = "list-pool")]
mod lists;
mod maps;
#[cfg(feature = "shared")]
mod shared;
mod slotmap;
#[cfg(feature = "table")]
mod table;
mod vec;

pub use slotmap::{FromSlotmap, SlotmapForm, from_slotmap};
