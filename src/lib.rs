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
//! assert_eq!(particles.as_ptr(), first); // a `Vec` would have moved them
//! ```
//!
//! The [`guide`] explains each topic on a page of its own, with examples.
//!
//! # Which type to use
//!
//! | type | what it is |
//! |---|---|
//! | [`VmVec`] | `Vec`, growing in place; [`GrowOnly`] is a scope in which references stay usable while it grows (columns and maps have such scopes, too) |
//! | [`BlockVec`] | an array in blocks of the heap, on any target: for many small arrays, 32-bit targets, the web |
//! | [`Columns`], [`Groups`] | structures of arrays: one array per field, for all rows or for each group of rows |
//! | [`SlotMap`] | values looked up by key, in slots that never move; [`Weak`] points to a value that may be removed |
//! | [`DenseSlotMap`] | values looked up by key, in a packed array or in columns |
//! | [`SecondaryMap`], [`SparseSecondaryMap`] | additional data for the keys of a slot map, in a parallel array or a hash table |
//! | [`Table`], [`indices!`] | rows looked up by key and by field values |
//! | [`index`] | the same indices, for use with your own storage |
//! | [`ListPool`], [`SecondaryLists`] | many lists of varying length in one reservation, found by keys of their own, or by those of a slot map |
//! | [`StrPool`] | many strings in one reservation, with equal strings stored only once if you choose |
//! | [`SharedVec`], [`SharedSlotMap`] | an array and a slot map that many threads can add to while others read |
//! | [`FileVec`], [`Follow`] | an array in a file, and its readers in other processes (feature `file`) |
//! | [`Arena`], [`ArenaBox`] | values of any type, freed together or when a [`Scope`] ends; an `ArenaBox` also drops its value |
//! | [`alloc::GlobalVm`], [`alloc::VmAlloc`] | allocators for std and third-party containers, whose large blocks grow in place |
//! | [`Reservation`], [`GrowingReservation`] | the reserved address ranges themselves |
//! | [`Backing`] | the trait for placing arrays and maps in caller-provided memory; [`FileBacking`] places them in a file |
//!
//! Methods that may need memory have a `try_` variant that returns an error instead of panicking ([`VmVec`] names the
//! few exceptions). If a value did not
//! fit, the error is [`Refused`] and carries it; [`Error`] names the limit and the number of bytes requested.
//!
//! # Terms
//!
//! | term | meaning |
//! |---|---|
//! | reservation | a range of address space that a container owns; takes no memory |
//! | commit | make pages usable; the system charges them to the process |
//! | decommit | return the memory and its charge; the pages become inaccessible |
//! | resident | backed by physical memory; the first access to any other page takes a page fault |
//! | discard | return the memory but keep the pages accessible, reading as zero |
//! | prefault | make committed pages resident now, so that accessing them later takes no page fault |
//! | release | end a reservation |
//! | `len`, `capacity`, `max_len` | elements stored, elements that fit in committed memory, and elements the reservation can ever hold |
//! | `*_bytes` | a number of bytes |
//! | slot, hole | a place for a value in a slot map; a vacant slot that a later value can fill |
//! | generation | the number of times a slot was used; part of the key |
//! | retired slot | one that is never used again, because its generations are used up |
//! | huge page | a page of 2 MiB in place of 512 of 4 KiB, on Linux |
//! | region | the memory of one array or block, with its addresses |
//! | region cache | keeps regions of dropped containers for reuse; see [`region_cache`] |
//!
//! # Platforms
//!
//! Containers reserve virtual memory on Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos and Windows. On other
//! targets, such as WebAssembly, and under Miri, a reservation is a single block from the system allocator; the page
//! [`guide::the_web`] lists the differences.
//!
//! After `fork`, the child has a copy of every container at the same addresses and may use them and create others,
//! whatever other threads of the parent were doing. ([`SharedVec`] and [`FileVec`] state exceptions.) Memory locked by
//! [`Reservation::lock`] is not locked in the child, and the background thread does not exist there: containers that it
//! served then commit memory on their own.
//!
//! # Features
//!
//! On by default:
//!
//! | feature | adds |
//! |---|---|
//! | `alloc` | [`Arena`], [`alloc::GlobalVm`] and [`alloc::VmAlloc`] |
//! | `block-vec` | [`BlockVec`] |
//! | `columns` | [`Columns`] and [`Groups`], and [`DenseSlotMap`] with its values in columns |
//! | `list-pool` | [`ListPool`], [`SecondaryLists`] and [`StrPool`] |
//! | `shared` | [`SharedVec`] and [`SharedSlotMap`] |
//! | `slotmap-names` | the modules [`basic`], [`hop`] and [`sparse_secondary`], and [`HopSlotMap`] |
//! | `table` | [`Table`] and the module [`index`] |
//!
//! Without default features the crate has [`Reservation`], [`VmVec`], [`SlotMap`], [`DenseSlotMap`], [`SecondaryMap`]
//! and [`SparseSecondaryMap`], and compiles in less time.
//!
//! Off by default:
//!
//! - `allocator-api2-02`, `allocator-api2-04`: the trait `Allocator` of the crate `allocator-api2`, version 0.2 (which
//!   `hashbrown` uses) or 0.4, for `&Arena`, `&Scope` and `VmAlloc`. Enables `alloc`.
//! - `bytemuck`: zeroed elements without writing to them (`VmVec::extend_zeroed`, `VmVec::resize_zeroed`,
//!   `Arena::alloc_zeroed`, `Arena::alloc_slice_zeroed`), and conversions between keys and bytes (see [`new_key_type!`]).
//! - `derive`: `#[derive(Row)]` for structs stored in [`Columns`]. Enables `columns`.
//! - `file`: the module [`file`], and `save` and `load` of maps. Enables `table`.
//! - `memory-map`: [`memory_map()`], a list of all reservations and the memory that each uses, and `name` in the
//!   builders.
//! - `rayon`: parallel iterators; see the module [`par`].
//! - `serde`: `Serialize` and `Deserialize`; see the module [`saved`] for the format.
//!
//! All of them build with a stable compiler. The trait `Allocator` of std needs a nightly one, and
//! `RUSTFLAGS='--cfg stayput_nightly'`. It is an option rather than a feature because a feature that needs a nightly
//! compiler would break `--all-features`.

// Without the feature that a link leads to, it leads to the list of features.
#![doc = ""]
#![cfg_attr(feature = "file", doc = "[`file`]: mod@file")]
#![cfg_attr(not(feature = "file"), doc = "[`file`]: #features")]
#![cfg_attr(not(feature = "file"), doc = "[`FileVec`]: #features")]
#![cfg_attr(not(feature = "file"), doc = "[`Follow`]: #features")]
#![cfg_attr(not(feature = "file"), doc = "[`FileBacking`]: #features")]
#![cfg_attr(not(feature = "memory-map"), doc = "[`memory_map()`]: #features")]
#![cfg_attr(not(feature = "rayon"), doc = "[`par`]: #features")]
#![cfg_attr(not(feature = "serde"), doc = "[`saved`]: #features")]
#![cfg_attr(
    not(all_containers),
    allow(
        dead_code,
        unused_imports,
        reason = "some of what containers share is unused unless all are enabled"
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(stayput_nightly, feature(allocator_api))]

// First, since its macros are for those below.
#[macro_use]
mod impls;
#[cfg(test)]
include!("../tests/common/arbitrary.rs");

// rustdoc lists the methods of a type in the order of the modules that have them, so what adds to a type comes after the
// type.
#[cfg(feature = "alloc")]
pub mod alloc;
mod backing;
#[cfg(feature = "block-vec")]
pub mod block_vec;
#[cfg(feature = "columns")]
pub mod columns;
mod container;
pub mod dense;
mod error;
#[cfg(any(doc, doctest))]
pub mod guide;
mod heap;
#[cfg(feature = "table")]
pub mod index;
mod key;
#[cfg(feature = "list-pool")]
pub mod list_pool;
mod macros;
#[cfg(feature = "memory-map")]
pub mod memory_map;
#[cfg(feature = "slotmap-names")]
mod names;
mod os;
mod page;
mod poison;
mod raw_vec;
pub mod region_cache;
mod register;
mod reservation;
pub mod service;
#[cfg(feature = "shared")]
pub mod shared;
pub mod slot_map;
mod slots;
#[cfg(feature = "table")]
pub mod table;
pub mod vec;

mod growing;
pub mod secondary;
mod unchecked;

// Optional features.
#[cfg(feature = "bytemuck")]
mod bytemuck;
#[cfg(feature = "file")]
pub mod file;
#[cfg(feature = "rayon")]
pub mod par;
#[cfg(feature = "serde")]
pub mod saved;

#[cfg(test)]
#[path = "../tests/common/effort.rs"]
mod effort;
#[cfg(test)]
#[path = "../tests/common/made.rs"]
mod made;
#[cfg(all(test, feature = "list-pool"))]
#[path = "../tests/common/random.rs"]
mod random;

#[cfg(feature = "alloc")]
#[doc(inline)]
pub use alloc::{Arena, ArenaBox, ArenaBuilder, ArenaStats, Scope, ScopeGuard};
pub use backing::Backing;
#[cfg(feature = "block-vec")]
#[doc(inline)]
pub use block_vec::{BlockVec, BlockVecBuilder, BlockVecStats, Blocks, GrowOnlyBlockVec};
#[cfg(feature = "columns")]
#[doc(inline)]
pub use columns::{
    Columns, ColumnsBuilder, ColumnsStats, Groups, GrowOnlyColumns, Pad, Row, RowMut, RowRef,
};
pub use container::Builder;
#[doc(inline)]
pub use dense::{DenseSlotMap, DenseSlotMapBuilder, DenseSlotMapStats, GrowOnlyDenseMap};
pub use error::{Error, ErrorKind, Refused};
#[cfg(feature = "file")]
#[doc(inline)]
pub use file::{FileBacking, FileVec, Follow};
pub use growing::{Budget, GivenBack, GrowingReservation, Growth, Prefaulted};
#[cfg(feature = "slotmap-names")]
#[doc(no_inline)]
pub use hop::HopSlotMap;
pub use key::{Bits32, Bits64, Compact32, DefaultKey, Key, KeyData, Layout, Plain64, Tagged64};
#[cfg(feature = "list-pool")]
#[doc(inline)]
pub use list_pool::{
    ListPool, ListPoolBuilder, ListPoolStats, SecondaryLists, SecondaryListsBuilder, StrPool,
    StrPoolBuilder,
};
#[cfg(feature = "memory-map")]
#[doc(inline)]
pub use memory_map::{MemoryMap, memory_map};
#[cfg(feature = "slotmap-names")]
pub use names::{basic, hop, sparse_secondary};
pub use reservation::{HugePages, Locked, Reservation, ReservationBuilder, page_size};
#[doc(inline)]
pub use secondary::{
    GrowOnlySecondaryMap, SecondaryMap, SecondaryMapBuilder, SecondaryMapStats, SparseSecondaryMap,
};
#[doc(inline)]
pub use service::{CommitAhead, Release};
#[cfg(feature = "shared")]
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
#[cfg(feature = "table")]
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
#[cfg(all(doctest, all_containers))]
#[doc = include_str!("../README.md")]
struct Readme;

/// The types of which elements may not live shorter.
#[cfg(all(doctest, all_containers))]
#[doc = include_str!("../tests/it/classes/variance.md")]
struct Variance;
