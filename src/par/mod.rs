//! Arrays and maps in parallel, by the crate `rayon`.
//!
//! Bring its traits in by `use rayon::prelude::*`. Then
//!
//! - a [`VmVec`](crate::VmVec) has what a `Vec` has there: it is collected into (`collect`,
//!   `par_extend`), drained (`par_drain`), given out by value (`into_par_iter`), and, as a slice,
//!   has `par_iter`, `par_iter_mut`, `par_chunks`, `par_sort` and so on;
//! - a [`SharedVec`](crate::SharedVec) has the same, and tasks append to one that is shared, by `par_extend` of
//!   `&SharedVec`;
//! - a [`BlockVec`](crate::BlockVec) is collected into, and has `par_iter`, `par_iter_mut` and `into_par_iter`, which
//!   know their length, and go through each block as through a slice;
//! - a map has `par_iter`, `par_iter_mut` and `into_par_iter`, and by itself `par_keys`, `par_values`
//!   and `par_values_mut`. A [`SlotMap`](crate::SlotMap) and a [`SecondaryMap`](crate::SecondaryMap) are shared
//!   out by blocks of 64 slots and come back in the order of addresses; a
//!   [`DenseSlotMap`](crate::DenseSlotMap), whose iterators know their length, is as a slice is;
//! - a [`SharedSlotMap`](crate::SharedSlotMap) has `par_iter`, while others put values in and take them out, and
//!   `into_par_iter`; all else its owner's `SlotMap` has;
//! - [`Columns`](crate::Columns) have `par_iter` and `par_iter_mut` over rows, and each column what a slice has.
//!
//! # Maps side by side
//!
//! `par_join` and `par_join_mut` give the values of keys that have one in all of several maps, those to be
//! changed of which are borrowed mutably; see [`Column`](crate::secondary::Column).
//!
//! ```
//! use rayon::prelude::*;
//! use stayput::{DefaultKey, SecondaryMap, SlotMap};
//!
//! let mut places: SlotMap<DefaultKey, f64> = (0..1000).map(f64::from).collect();
//! let mut speeds: SecondaryMap<_, f64> = places.keys().map(|key| (key, 1.0)).collect();
//! let drags: SecondaryMap<_, f64> = places.keys().map(|key| (key, 0.5)).collect();
//! places.par_join_mut((&mut speeds, &drags)).for_each(|(_, place, (speed, drag))| {
//!     *speed *= drag;
//!     *place += *speed;
//! });
//! assert_eq!(places.values().sum::<f64>(), 500_000.0);
//! ```
//!
//! Where there need not be a value, one is looked for; that may be done by all threads at once.
//!
//! ```
//! # use rayon::prelude::*;
//! # use stayput::{DefaultKey, SecondaryMap, SlotMap};
//! # let mut places: SlotMap<DefaultKey, f64> = (0..1000).map(f64::from).collect();
//! # let speeds: SecondaryMap<_, f64> = places.keys().map(|key| (key, 0.5)).collect();
//! places.par_iter_mut().for_each(|(key, place)| *place += speeds.get(key).unwrap_or(&0.0));
//! # assert_eq!(places.values().sum::<f64>(), 500_000.0);
//! ```
//!
//! # Panics
//!
//! Where a closure of the user's panics, rayon waits for the other tasks and goes on with the panic. All
//! arrays and maps are whole then: what is taken out by value is dropped, and what was to be put in is
//! not there. (In an array that is shared, what came before is there.)

#[cfg(feature = "block-vec")]
pub mod block_vec;
mod collect;
#[cfg(feature = "columns")]
pub mod columns;
mod dense;
mod indexed;
mod join;
mod maps;
#[cfg(feature = "shared")]
pub mod shared;
#[cfg(feature = "shared")]
pub mod shared_map;
pub mod sparse;
pub mod vec;

pub use dense::ParPairs;
pub use join::{ParJoin, ParJoinMut};
pub use maps::{ParIntoIter, ParIter, ParIterMut, ParKeys, ParValues, ParValuesMut};
