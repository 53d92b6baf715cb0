//! Arrays that never move.
//!
//! A large range of addresses is reserved up front, and pages of it are committed as the array
//! grows. Elements stay contiguous, a pointer to an element stays good for as long as the element
//! lives, and growing never copies.
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
//! Which type to take:
//!
//! | type | what it is |
//! |---|---|
//! | [`VmVec`] | std's `Vec`, in place: swap the name |
//! | [`GrowOnly`] | a scope of a `VmVec` in which references stay good while it grows |
//! | [`BlockVec`], [`GrowOnlyBlockVec`] | the same in blocks of the heap, on any system: many small arrays, 32 bits, the web |
//! | [`Columns`] | rows, each of whose fields lies in an array of its own |
//! | [`Groups`] | rows by the eight or so, each field of which is an array |
//! | [`SlotMap`] | values found by keys that are never mistaken, in slots that never move |
//! | [`GrowOnlyMap`], [`Weak`] | the same scope for a `SlotMap`; pointers to values that may be gone |
//! | [`DenseSlotMap`] | values found by such keys, side by side in an array, or in columns |
//! | [`Table`], [`indices!`] | rows found by such keys, and by what is in them |
//! | [`index`] | such indices alone, for storage of your own |
//! | [`SecondaryMap`] | more about what a slot map holds, by its keys, in an array beside it |
//! | [`SparseSecondaryMap`] | the same for values that few keys have, by hashing |
//! | [`secondary::Column`] | maps side by side: what `join` of a slot map or a secondary map takes |
//! | [`Arena`], [`Scope`] | values of any type one behind another, freed all at once or by scopes |
//! | [`ArenaBox`] | a value in an arena that is dropped |
//! | [`alloc::GlobalVm`] | a program's allocator, under which large `Vec`s of std grow in place |
//! | [`alloc::VmAlloc`] | the same for single containers, by the trait `Allocator` |
//! | [`Reservation`] | the range of addresses itself, for those who build their own |
//! | [`GrowingReservation`] | the same, used from its front on, as all of the above do |
//! | [`Backing`] | what to implement for an array or a map in memory of your own |
//! | [`SharedVec`] | an array to which many threads append, and which others read meanwhile |
//! | [`SharedSlotMap`] | a `SlotMap` into which many threads put values, which others look up meanwhile |
//! | `FileVec`, `Follow` | an array in a file, and readers of it in other processes (feature `file`) |
//! | `FileBacking` | memory in a file for any array or map |
//!
//! # No stalls
//!
//! Growing copies nothing, but each new page takes a page fault when it is first touched, and
//! unmapping a large array takes milliseconds. What to do about it:
//!
//! | call | what it does |
//! |---|---|
//! | [`CommitAhead`] | a background thread makes memory ready before it is used |
//! | [`VmVec::prefault_ahead`] | the same without a thread, in the idle time of a frame |
//! | [`VmVec::prefault`] | so much at once: for a loading screen |
//! | [`Release::Background`] | the background thread unmaps what was dropped |
//! | [`keeper`] | keeps what was dropped warm for the next who wants some, for a second |
//! | [`VmVec::shrink_to_fit_within`], [`SlotMap::trim_within`] | memory goes back by and by, within a [`Budget`] |
//!
//! [`service`] says what the thread does and promises. A program in which nobody asks for it has none.
//!
//! # Memory of your own
//!
//! Where the memory shall be another than the process' own (shared with other processes, locked,
//! from a pool, a buffer of fixed size), implement [`Backing`] and make arrays and maps there:
//! [`VecBuilder::build_in`], [`SlotMapBuilder::build_in`], [`SecondaryMapBuilder::build_in`]. Their
//! types stay what they are, and so does what is fast: only growing and shrinking call it.
//!
//! # Words
//!
//! | word | meaning |
//! |---|---|
//! | reservation | a range of address space, owned; costs no memory |
//! | commit, decommit | make pages usable and charged; hand memory *and* charge back, inaccessible again |
//! | discard | hand the memory back but keep the pages accessible, reading as zero |
//! | prefault | make committed pages resident now, so that touching them later takes no page fault |
//! | release | end a reservation |
//! | `len`, `capacity`, `max_len` | elements: initialised, committed, what the reservation can ever hold |
//! | `*_bytes` | anything that counts bytes |
//! | slot, hole | a place in a slot map; a vacant one with others behind it |
//! | generation | how often a slot was used; part of the key |
//! | retired | a slot that is never used again, because its generations are spent |
//!
//! # Systems
//!
//! Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos and Windows.
//!
//! With other targets, WebAssembly among them, and under Miri, there is no virtual memory to reserve. There a
//! reservation is a block of the system's allocator ([`std::alloc::System`]), taken at once, and all that this crate
//! promises of addresses and keys holds:
//!
//! - **Name what you need**: `max_len` is exact, and costs what it says, since it is taken from what all of the program
//!   can have (4 GiB in WebAssembly). Who names none is given 4 MiB, or 4 MiB more than he needs at once;
//!   beyond that there is an error of the kind [`MaxLen`](ErrorKind::MaxLen). Where the allocator has no such block, it
//!   is [`AddressSpace`](ErrorKind::AddressSpace), and who named no maximum is given less.
//! - Memory is written to, zeroes, when it is committed, and not before: in a browser it takes memory only then.
//! - What is given back (`shrink_to_fit`, `trim`) can be used again where it was, but it stays with the process until
//!   the array is dropped; and nobody is stopped who reads or writes there by a stray pointer.
//! - Nothing is made ready ahead: [`CommitAhead`] and [`Release::Background`] do nothing, `prefault` nothing that
//!   committing has not done, and `prefault_ahead` says that it made nothing resident. The [`keeper`] keeps nothing:
//!   what is dropped goes to the allocator, which does.
//! - To lock memory, and to tell what of it is resident, is refused with [`ErrorKind::Unsupported`]; so are files.
//! - [`alloc::GlobalVm`] and [`alloc::VmAlloc`] leave all blocks to their parent, so that a program can have
//!   them on all systems.
//! - A [`BlockVec`] takes its blocks from the program's allocator, and works as everywhere.
//! - [`Budget::time`] needs a clock, which `wasm32-unknown-unknown` has not.
//!
//! After `fork` the child has a copy of every array, at the same addresses, as of all private
//! memory, and may use them and make others, whatever other threads were doing to theirs meanwhile. Memory locked by [`Reservation::lock`] is not locked in the child, and the background
//! thread is not there: arrays that it served grow by themselves.
//!
//! # Features
//!
//! On by default:
//!
//! | feature | what it adds |
//! |---|---|
//! | `alloc` | [`Arena`], [`alloc::GlobalVm`] and [`alloc::VmAlloc`] |
//! | `block-vec` | [`BlockVec`] |
//! | `columns` | [`Columns`] and [`Groups`], and a [`DenseSlotMap`] of such rows |
//! | `shared` | [`SharedVec`] and [`SharedSlotMap`] |
//! | `slotmap-names` | the modules [`basic`], [`hop`] and [`sparse_secondary`], and [`HopSlotMap`] |
//! | `table` | [`Table`] and the module [`index`] |
//!
//! With `default-features = false` there are reservations, [`VmVec`], [`SlotMap`], [`DenseSlotMap`], [`SecondaryMap`]
//! and [`SparseSecondaryMap`], and the crate builds faster.
//!
//! Off by default:
//!
//! - `allocator-api2-02`, `allocator-api2-04`: the trait `Allocator` of the crate `allocator-api2`,
//!   in version 0.2 (which `hashbrown` has) or 0.4, for `&Arena`, `&Scope` and `VmAlloc`. Enable `alloc`.
//! - `bytemuck`: `VmVec::extend_zeroed` and `VmVec::resize_zeroed`, `Arena::alloc_zeroed` and
//!   `Arena::alloc_slice_zeroed`, for types that are valid when all zero; keys as bytes, and bytes as
//!   keys, see [`new_key_type!`].
//! - `derive`: `#[derive(Row)]`, for structs in [`Columns`]. Enables `columns`.
//! - `file`: `FileVec`, `Follow` and `FileBacking`, over the crate `memmap2`, and `SlotMap::save`; see `file`. Enables `table`.
//! - `rayon`: arrays, `Columns` and the maps in parallel; see `par`.
//! - `serde`: `Serialize` and `Deserialize` for keys, maps, tables, arrays and `Columns`; see `saved` for the form.
//!
//! All of them build with a stable compiler. The trait `Allocator` of std needs a nightly one, and is no
//! feature, since it would break `--all-features`: it is there, for the same types as the others, where
//! the compiler is given `--cfg stayput_nightly` (`RUSTFLAGS='--cfg stayput_nightly' cargo build`).
//!
//! ## Not features
//!
//! A feature is a dependency to follow for ever. These crates have none here, for what they need takes a
//! line or two outside:
//!
//! | crate | what to do instead |
//! |---|---|
//! | `arbitrary` | At the field: `#[arbitrary(with = \|u: &mut Unstructured<'_>\| u.arbitrary::<Vec<_>>().map(VmVec::from))]`, or `SlotMap::from_iter`. To have holes, let the fuzzer make operations, and remove by them. |
//! | `bevy_reflect` | `#[reflect(ignore)]` at the field, and reflect what is in it. Its traits change with each version of the engine, a few times a year. |
//! | `proptest` | `vec(any::<T>(), 0..100).prop_map(VmVec::from)`. |
//! | `rkyv` | The archived form of an array is that of its slice: an `ArchiveWith` of your own for the field, by `ArchivedVec::resolve_from_slice` and `serialize_from_slice`. That of a map would have to be a type of its own; archive its values and keys. |
//! | `zerocopy` | Its `FromZeros` is `bytemuck`'s `Zeroable`: derive that beside it for `extend_zeroed`. Elements as bytes, and bytes as elements, are a matter of slices, which both crates take. |
//!
//! # `AddressSanitizer`
//!
//! To `AddressSanitizer` all of a committed page is good, so it misses most stray pointers into memory of this crate. Built
//! with `--cfg stayput_asan`, containers tell it what nobody is to touch, and it stops whoever does by a report of
//! `use-after-poison`:
//!
//! ```sh
//! RUSTFLAGS='-Zsanitizer=address --cfg stayput_asan' cargo +nightly run --target x86_64-unknown-linux-gnu
//! ```
//!
//! | where | what |
//! |---|---|
//! | [`VmVec`], [`BlockVec`] | all behind the last element: what was popped, truncated or drained, and what was never used |
//! | [`SlotMap`], [`SecondaryMap`] | values of vacant slots, whether their page was discarded or not |
//! | [`SharedSlotMap`] | values of slots that nobody has filled yet, and in the owner's map of all that are vacant |
//! | [`Arena`] | what was given back, by `reset` or by the end of a scope, and what was not handed out yet |
//! | the [`keeper`] | what arrays, maps and blocks that were dropped have left there |
//! | reservations, without virtual memory | what is not committed. (Elsewhere no sanitizer is needed for that.) |
//!
//! - Who writes behind the length, as he may, asks for the address by [`VmVec::as_mut_ptr`] or
//!   [`VmVec::spare_capacity_mut`] after the last call that took elements out: these open all of the capacity, and it
//!   stays so while the array grows. (`as_mut_ptr` is no `const fn` then.)
//! - The sanitizer counts in eights of bytes, rounded in favour of who touches them: it sees no vacant slot whose
//!   value has less than eight.
//! - [`Columns`] and [`SharedVec`] are as they are without it.

#![cfg_attr(
    not(all_containers),
    allow(
        dead_code,
        unused_imports,
        reason = "some of what containers share, whichever are enabled"
    )
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(stayput_nightly, feature(allocator_api))]

// First, since their macros are for those below.
#[macro_use]
mod impls;
#[macro_use]
mod maps;

#[cfg(feature = "alloc")]
pub mod alloc;
mod backing;
#[cfg(feature = "block-vec")]
pub mod block_vec;
#[cfg(feature = "bytemuck")]
mod bytemuck;
#[cfg(feature = "columns")]
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
mod heap;
#[cfg(feature = "table")]
pub mod index;
pub mod keeper;
mod key;
mod macros;
#[cfg(test)]
#[path = "../tests/common/made.rs"]
mod made;
#[cfg(feature = "slotmap-names")]
mod names;
mod os;
mod page;
mod poison;
mod raw_vec;
mod reservation;
pub mod secondary;
pub mod service;
#[cfg(feature = "shared")]
pub mod shared;
pub mod slot_map;
mod slots;
#[cfg(feature = "table")]
pub mod table;
mod unchecked;
pub mod vec;

// Behind the others, so that what they add to types stands last in the docs.
#[cfg(feature = "rayon")]
pub mod par;
#[cfg(feature = "serde")]
pub mod saved;

#[cfg(feature = "alloc")]
#[doc(inline)]
pub use alloc::{Arena, ArenaBox, ArenaBuilder, ArenaStats, Scope, ScopeGuard};
pub use backing::Backing;
#[cfg(feature = "block-vec")]
#[doc(inline)]
pub use block_vec::{BlockVec, BlockVecBuilder, BlockVecStats, Blocks, GrowOnlyBlockVec};
#[cfg(feature = "columns")]
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
#[cfg(feature = "slotmap-names")]
#[doc(no_inline)]
pub use names::hop::HopSlotMap;
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
