//! Parallel iterators for arrays and maps (feature `rayon`).
//!
//! After `use rayon::prelude::*`,
//!
//! - a [`VmVec`](crate::VmVec) has what a `Vec` has there: `collect` and `par_extend` fill it, `par_drain` and
//!   `into_par_iter` move elements out of it, and as a slice it has `par_iter`, `par_iter_mut`, `par_chunks`,
//!   `par_sort` and so on;
//! - a [`SharedVec`](crate::SharedVec) has `collect`, `par_extend`, `par_drain`, `par_iter`, `par_iter_mut` and
//!   `into_par_iter`, and the others by `as_slice` and `as_mut_slice`; and `par_extend` of `&SharedVec` appends from
//!   all tasks while others read;
//! - a [`BlockVec`](crate::BlockVec) has `collect`, `par_extend`, `par_iter`, `par_iter_mut` and `into_par_iter`, which
//!   know their length and iterate over each block as a slice;
//! - a map has `par_iter`, `par_iter_mut` and `into_par_iter`, and the methods `par_keys`, `par_values` and
//!   `par_values_mut`. A [`SlotMap`](crate::SlotMap) or [`SecondaryMap`](crate::SecondaryMap) is split into blocks of
//!   64 slots, and items keep the order of addresses; a [`DenseSlotMap`](crate::DenseSlotMap) is split like a slice,
//!   and its iterators know their length;
//! - a [`SharedSlotMap`](crate::SharedSlotMap) has `par_iter`, during which other threads may insert and remove values,
//!   and `into_par_iter`; other methods are those of its owner's `SlotMap`;
//! - a [`ListPool`](crate::ListPool) has methods `par_iter` and `par_iter_mut` over its lists;
//! - [`Columns`](crate::Columns) have `par_iter` and `par_iter_mut` over rows, and each column has the methods of a
//!   slice; [`par_in_columns`] copies the rows of any parallel iterator into columns for one pass.
//!
//! # Joins
//!
//! `par_join` and `par_join_mut` iterate over several maps in step by key: they yield the values of keys that all of
//! the maps have, mutably if a map is borrowed mutably; see [`Column`](crate::secondary::Column).
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
//! For values that need not exist, look them up; all threads can do that at once.
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
//! If a closure panics, rayon waits for the other tasks and then resumes the panic. All arrays and maps are valid then:
//! values that were moved out are dropped, and elements to be appended are not present. (In a shared array, elements
//! appended before are present.)

#[cfg(feature = "block-vec")]
pub mod block_vec;
mod collect;
#[cfg(feature = "columns")]
pub mod columns;
mod dense;
mod indexed;
mod join;
#[cfg(feature = "list-pool")]
mod lists;
mod maps;
#[cfg(feature = "columns")]
mod moment;
#[cfg(feature = "shared")]
pub mod shared;
#[cfg(feature = "shared")]
pub mod shared_map;
pub mod sparse;
pub mod vec;

pub use dense::ParPairs;
pub use join::{ParJoin, ParJoinMut};
pub use maps::{ParIntoIter, ParIter, ParIterMut, ParKeys, ParValues, ParValuesMut};
#[cfg(feature = "columns")]
pub use moment::par_in_columns;
