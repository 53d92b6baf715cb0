//! Growable arrays that never move, and slot maps, tables, arenas and allocators built on them.
//!
//! Each array reserves a large range of addresses and commits memory as it grows. Elements stay contiguous, pointers to
//! them stay valid, and growth never copies.
//!
//! ```
//! use stayput::VmVec;
//!
//! let mut particles = VmVec::new();
//! particles.push([0.0_f32; 4]);
//! let first = particles.as_ptr();
//!
//! particles.extend((0..1_000_000).map(|i| [i as f32; 4]));
//! assert_eq!(particles.as_ptr(), first); // a `Vec` would have moved some twenty times
//! ```
//!
//! The [`guide`] explains each topic on a page of its own, with examples.
//!
//! # Which type to use
//!
//! | type | what it is |
//! |---|---|
//! | [`VmVec`] | `Vec`, growing in place; [`GrowOnly`] is a scope in which references stay usable while it grows |
//! | [`BlockVec`] | an array in fixed blocks of the heap, on any target: many small arrays, 32-bit targets, the web |
//! | [`Columns`], [`Groups`] | structures of arrays: one array per field, or one per field and group of rows |
//! | [`SlotMap`] | values found by keys, in slots that never move; [`Weak`] points to a value that may be removed |
//! | [`DenseSlotMap`] | values found by keys, in a packed array or in columns |
//! | [`SecondaryMap`], [`SparseSecondaryMap`] | additional data for the keys of a slot map, in a parallel array or a hash table |
//! | [`Table`], [`indices!`] | rows found by keys and by their contents |
//! | [`index`] | such indices alone, for storage of your own |
//! | [`SharedVec`], [`SharedSlotMap`] | an array and a slot map that many threads add to while others read |
//! | `FileVec`, `Follow` | an array in a file, and its readers in other processes (feature `file`) |
//! | [`Arena`], [`ArenaBox`] | values of any type that are freed together or by [`Scope`], and those that are dropped |
//! | [`alloc::GlobalVm`], [`alloc::VmAlloc`] | allocators for std and third-party containers, whose large blocks grow in place |
//! | [`Reservation`], [`GrowingReservation`] | the range of addresses itself |
//! | [`Backing`] | the trait to place containers in caller-provided memory; `FileBacking` places them in a file |
//!
//! Every method that may need memory has a twin beginning with `try_` that returns an [`Error`] instead of panicking.
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | reservation | a range of address space that a container owns; takes no memory |
//! | commit, decommit | make pages usable and charged; return both memory and charge, and make the pages inaccessible |
//! | discard | return the memory but keep the pages accessible, reading as zero |
//! | prefault | make committed pages resident now, so that accessing them later takes no page fault |
//! | release | end a reservation |
//! | `len`, `capacity`, `max_len` | numbers of elements: initialised, committed, and the most the reservation can hold |
//! | `*_bytes` | a number of bytes |
//! | slot, hole | a place for a value in a slot map; a vacant slot before the last occupied one |
//! | generation | the number of times a slot was used; part of the key |
//! | retired | said of a slot that is never used again because its generations are used up |
//!
//! # Platforms
//!
//! Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos and Windows have virtual memory that can be reserved. On other
//! targets, WebAssembly among them, and under Miri, a reservation is one block of the system allocator; the page
//! [`guide::the_web`] lists the differences.
//!
//! After `fork`, the child has a copy of every container at the same addresses and may use them and create others,
//! whatever other threads of the parent were doing. Memory locked by [`Reservation::lock`] is not locked in the child,
//! and the background thread does not exist there: containers that it served grow by themselves.
//!
//! # Features
//!
//! - `allocator-api2-02`, `allocator-api2-04`: the trait `Allocator` of the crate `allocator-api2`, version 0.2 (which
//!   `hashbrown` uses) or 0.4, for `&Arena`, `&Scope` and `VmAlloc`.
//! - `bytemuck`: zeroed elements without writing to them (`VmVec::extend_zeroed`, `VmVec::resize_zeroed`,
//!   `Arena::alloc_zeroed`, `Arena::alloc_slice_zeroed`), and conversions between keys and bytes (see [`new_key_type!`]).
//! - `derive`: `#[derive(Row)]` for structs stored in [`Columns`].
//! - `file`: the module `file`, and `SlotMap::save` and `load`.
//! - `rayon`: parallel iterators; see the module `par`.
//! - `serde`: `Serialize` and `Deserialize`; see the module `saved` for the format.
//!
//! All of them build with a stable compiler. The trait `Allocator` of std needs a nightly one, and
//! `RUSTFLAGS='--cfg stayput_nightly'`. It is not a feature because it would break `--all-features`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(stayput_nightly, feature(allocator_api))]

// First, since their macros are for those below.
#[macro_use]
mod impls;
#[macro_use]
mod maps;

pub mod alloc;
mod backing;
pub mod block_vec;
#[cfg(feature = "bytemuck")]
mod bytemuck;
pub mod columns;
mod container;
pub mod dense;

#[cfg(test)]
#[path = "../tests/common/effort.rs"]
mod effort;
mod error;
#[cfg(feature = "file")]
pub mod file;
mod growing;
#[cfg(any(doc, doctest))]
pub mod guide;
mod heap;
pub mod index;
pub mod keeper;
mod key;
mod macros;
#[cfg(test)]
#[path = "../tests/common/made.rs"]
mod made;
mod names;
mod os;
mod page;
mod poison;
mod raw_vec;
mod reservation;
pub mod secondary;
pub mod service;
pub mod shared;
pub mod slot_map;
mod slots;
pub mod table;
mod unchecked;
pub mod vec;

// Behind the others, so that what they add to types stands last in the docs.
#[cfg(feature = "rayon")]
pub mod par;
#[cfg(feature = "serde")]
pub mod saved;

#[doc(inline)]
pub use alloc::{Arena, ArenaBox, ArenaBuilder, ArenaStats, Scope, ScopeGuard};
pub use backing::Backing;
#[doc(inline)]
pub use block_vec::{BlockVec, BlockVecBuilder, BlockVecStats, Blocks, GrowOnlyBlockVec};
#[doc(inline)]
pub use columns::{Columns, ColumnsBuilder, ColumnsStats, Groups, Pad, Row, RowMut, RowRef};
pub use container::Builder;
#[doc(inline)]
pub use dense::{DenseSlotMap, DenseSlotMapBuilder, DenseSlotMapStats};
pub use error::{Error, ErrorKind, Refused};
#[cfg(feature = "file")]
#[doc(inline)]
pub use file::{FileBacking, FileVec, Follow};
pub use growing::{Budget, GivenBack, GrowingReservation, Growth, Prefaulted};
pub use key::{Bits32, Bits64, Compact32, DefaultKey, Key, KeyData, Layout, Plain64, Tagged64};
#[doc(no_inline)]
pub use names::hop::HopSlotMap;
pub use names::{basic, hop, sparse_secondary};
pub use reservation::{HugePages, Locked, Reservation, ReservationBuilder, page_size};
#[doc(inline)]
pub use secondary::{
    GrowOnlySecondaryMap, SecondaryMap, SecondaryMapBuilder, SecondaryMapStats, SparseSecondaryMap,
};
#[doc(inline)]
pub use service::{CommitAhead, Release};
#[doc(inline)]
pub use shared::{SharedSlotMap, SharedSlotMapBuilder, SharedVec, SharedVecBuilder};
#[doc(inline)]
pub use slot_map::{GrowOnlyMap, Reuse, SlotMap, SlotMapBuilder, SlotMapStats, Weak};
#[cfg(fuzzing)]
#[doc(hidden)]
pub use slots::holes::bitmap::Bitmap;
#[cfg(feature = "derive")]
#[doc(inline)]
pub use stayput_derive::Row;
#[doc(inline)]
pub use table::{Table, TableBuilder, TableStats};
#[doc(inline)]
pub use vec::{GrowOnly, VecBuilder, VecStats, VmVec};

/// For what [`new_key_type!`] expands to.
#[cfg(feature = "bytemuck")]
#[doc(hidden)]
pub use ::bytemuck as __bytemuck;

/// For what [`new_key_type!`] expands to.
#[cfg(feature = "serde")]
#[doc(hidden)]
pub use ::serde as __serde;

/// The code in the README runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
