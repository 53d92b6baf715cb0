//! What the feature `serde` writes and reads.
//!
//! # The form
//!
//! | type | how it is written |
//! |---|---|
//! | a key, [`KeyData`](crate::KeyData) | its [bits](crate::KeyData::to_bits), an unsigned number of 64 bits, or of 32 for a layout of 32 |
//! | [`SlotMap`](crate::SlotMap) | a structure of two: `floor`, a number of 32 bits, the generation above which slots behind the last one start; and `slots`, a sequence of all slots in their order, behind the [type number](crate::SlotMapBuilder::type_id) if the map has one |
//! | [`SharedSlotMap`](crate::SharedSlotMap) | as the `SlotMap` that its owner has, by [`as_mut_map`](crate::SharedSlotMap::as_mut_map): that is what he writes; either reads it |
//! | a slot | a variant: `live` (0), a generation and the value; `hole` (1), the last generation that it had; `detached` (2), the generation of its key; `retired` (3), nothing |
//! | a type number | a variant more of a slot's, though it is none: `type` (4), and the number |
//! | [`DenseSlotMap`](crate::DenseSlotMap) | a structure of two: `table`, as a `SlotMap` that has for each key the number of its value's row; and `values`, a sequence of all values in the order of rows |
//! | [`Table`](crate::Table) | as the `SlotMap` of its rows; its indices are made anew when it is read |
//! | [`SecondaryMap`](crate::SecondaryMap) | a sequence of pairs of a key and a value, in the order of indices |
//! | [`SparseSecondaryMap`](crate::SparseSecondaryMap) | the same, in no order; each of the two reads what the other wrote |
//! | [`VmVec`](crate::VmVec) | a sequence of its elements, as a `Vec`; each of the two reads what the other wrote |
//! | [`SharedVec`](crate::SharedVec) | the same: its [prefix](crate::SharedVec#the-prefix) |
//! | [`BlockVec`](crate::BlockVec) | the same; each reads what the others wrote |
//! | [`Columns`](crate::Columns) | a sequence of their rows, as a `Vec` of these; so each of the three reads what the others wrote |
//!
//! So in JSON a map of two values with a hole between them is
//!
//! ```
//! # use stayput::{DefaultKey, SlotMap};
//! let text = r#"{"floor":0,"slots":[{"live":[1,"a"]},{"hole":1},{"live":[1,"c"]}]}"#;
//! let map: SlotMap<DefaultKey, String> = serde_json::from_str(text)?;
//! assert!(map.values().eq(["a", "c"]));
//! assert_eq!(serde_json::to_string(&map)?, text);
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! # What holds
//!
//! - A map that is read has the keys, the generations and the holes of the one that was written, in
//!   their order: a key that was saved beside it finds its value, and a key that found nothing finds
//!   nothing. Keys that were detached can be reattached. Which hole came last is not written: the lowest
//!   is filled first.
//! - A map with a type number has it again, and one that was written without has none.
//! - Options (a maximum, growth, which hole is filled first) are not written. What is read has those
//!   of a new map or array, unless it is read into one that is there, by `deserialize_in_place`, which
//!   arrays and `Columns` have.
//! - What is read is believed in nothing. What cannot be is an error and not a panic, and so is memory
//!   that cannot be had; lengths that are only announced take none.
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

mod block_vec;
mod columns;
mod dense;
mod maps;
mod shared;
mod slotmap;
mod table;
mod vec;

pub use slotmap::{FromSlotmap, SlotmapForm, from_slotmap};
