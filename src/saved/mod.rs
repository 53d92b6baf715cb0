//! What the feature `serde` writes and reads.
//!
//! # The form
//!
//! | type | how it is written |
//! |---|---|
//! | a key, [`KeyData`](crate::KeyData) | its [bits](crate::KeyData::to_bits), an unsigned number of 64 bits, or of 32 for a layout of 32 |
//! | [`SlotMap`](crate::SlotMap) | a structure of three: `floor`, a number of 32 bits, the generation above which slots past the last one start; `slots`, a sequence of all slots in order, after the [type number](crate::SlotMapBuilder::type_id) if the map has one; and `next`, what the next keys depend on |
//! | [`SharedSlotMap`](crate::SharedSlotMap) | as the `SlotMap` that its owner has, by [`as_mut_map`](crate::SharedSlotMap::as_mut_map): that is what he writes; either reads it |
//! | a slot | a variant: `live` (0), a generation and the value; `hole` (1), the last generation that it had; `detached` (2), the generation of its key; `retired` (3), nothing |
//! | a type number | a variant more of a slot's, though it is none: `type` (4), and the number |
//! | `next` | a structure of three: `highest`, the highest generation of a removed value; `floors`, a sequence of pairs of a slot and a generation: slots past the last one, up to the one named, start above that generation, and all others above `floor`; and `reuse` |
//! | `reuse` | the [order](crate::Reuse) in which holes are filled, as a variant: `recent` (0), with `stack`, a sequence of holes of which the last is filled first, `latest`, the hole that is filled before them, if there is one, `room`, how many holes the stack holds at most, and `near`, below which slot a hole goes onto the stack; `lowest` (1); `rotating` (2), with `min_free` and `turn`, the slot at which the search for the next hole starts |
//! | [`DenseSlotMap`](crate::DenseSlotMap) | a structure of two: `table`, as a `SlotMap` that has for each key the number of its value's row; and `values`, a sequence of all values in the order of rows |
//! | [`Table`](crate::Table) | as the `SlotMap` of its rows; its indices are made anew when it is read |
//! | [`SecondaryMap`](crate::SecondaryMap) | a sequence of pairs of a key and a value, in the order of indices |
//! | [`SparseSecondaryMap`](crate::SparseSecondaryMap) | the same, in no order; each of the two reads what the other wrote |
//! | [`VmVec`](crate::VmVec) | a sequence of its elements, as a `Vec`; each of the two reads what the other wrote |
//! | [`SharedVec`](crate::SharedVec) | the same: its [prefix](crate::SharedVec#the-prefix) |
//! | [`BlockVec`](crate::BlockVec) | the same; each reads what the others wrote |
//! | [`Columns`](crate::Columns) | a sequence of their rows, as a `Vec` of these; so each of the three reads what the others wrote |
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
//! # What holds
//!
//! - A map that is read has the keys, the generations and the holes of the one that was written: a key that
//!   was saved beside it finds its value, and a key that found nothing finds nothing. Keys that were detached
//!   can be reattached.
//! - **A map that is read makes the keys that the original would have made**: the same calls return the same
//!   keys, in every [order](crate::Reuse). Two exceptions depend on how much memory is committed: which slots
//!   [`trim`](crate::SlotMap::trim) and [`shrink_to_fit`](crate::SlotMap::shrink_to_fit) give back, and when a
//!   map is full.
//! - A map with a type number has it again, and one that was written without has none.
//! - Options other than the order (a maximum, growth, huge pages) are not written. What is read has those
//!   of a new map or array, unless it is read into an existing one by `deserialize_in_place`, which
//!   arrays and `Columns` have.
//! - No input is trusted. Invalid input is an error and not a panic, as is memory that the system refuses.
//!   A length that is only announced allocates nothing. Vacant slots are not touched if they take more than
//!   4 MiB and there are more than 16 of them for each value: reading one takes four bytes, however large the
//!   values are. (Memory for all slots is committed, so a system that does not overcommit charges it.)
//! - Elements without a size and without bytes in the format, such as `()` in `postcard`, are read one by one, as
//!   std's `Vec` reads them: the time is linear in the length that the input announces. Check the length first
//!   where the input is not trusted.
//!
//! # What stays
//!
//! What a version writes, all later ones read, with the same key type; files of each version are kept
//! among the crate's tests for that. Versions may write new variants or fields, which older ones
//! refuse; they do so only with a new minor version (with a new patch after 1.0).
//!
//! The bits of a key are split as its [`Layout`](crate::Layout) says: with another layout they are
//! another key. To change it, read with the old type and make keys of the new one, by
//! [`KeyData::from_parts`](crate::KeyData::from_parts).
//!
//! # Rows
//!
//! A row of [`Columns`](crate::Columns) lies nowhere as one, so it is put together of clones to be written, as
//! [`Row::from_fields`](crate::Row::from_fields) does it: it and its fields are to be `Clone`. Where that is dear, as it
//! is for a `String`, or they are not, write the [slices](crate::Columns::as_slices), a sequence a column:
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
//! [`from_slotmap`] reads what maps and keys of that crate wrote.

#![forbid(unsafe_code)]

#[cfg(feature = "columns")]
mod columns;
mod dense;
mod maps;
#[cfg(feature = "shared")]
mod shared;
mod slotmap;
#[cfg(feature = "table")]
mod table;
mod vec;

pub use slotmap::{FromSlotmap, SlotmapForm, from_slotmap};
