//! The guide: one page for each topic.
//!
//! | page | topic |
//! |---|---|
//! | [`no_stalls`] | memory committed and released outside the frame |
//! | [`slot_maps`] | keys, holes, and which map to use |
//! | [`tables`] | rows found by their contents |
//! | [`columns`] | structures of arrays |
//! | [`lists`] | many lists of varying length in one pool |
//! | [`files`] | arrays and maps in files |
//! | [`threads`] | containers that many threads add to |
//! | [`allocators`] | large blocks that grow in place, under existing containers |
//! | [`buffers`] | a buffer type that is generic over its allocator |
//! | [`arenas`] | values that are freed together |
//! | [`many_small_arrays`] | address space and mappings, and how thousands of arrays share them |
//! | [`memory_map`] | a list of all reservations and the memory that each uses (feature `memory-map`) |
//! | [`the_web`] | targets without virtual memory |
//! | [`sanitizers`] | `AddressSanitizer` and Miri |
//! | [`from_vec`], [`from_slotmap`], [`from_bumpalo`], [`from_soa_derive`] | moving existing code |
//! | [`how_it_works`] | from a push to the system calls behind it |
//! | [`figures`] | what was measured, on which machine, and where this crate loses |

// Without the feature that a link leads to, it leads to the list of features.
#![doc = ""]
#![cfg_attr(not(feature = "file"), doc = "[`files`]: crate#features")]
#![cfg_attr(not(feature = "list-pool"), doc = "[`lists`]: crate#features")]
#![cfg_attr(feature = "memory-map", doc = "[`memory_map`]: mod@super::memory_map")]
#![cfg_attr(not(feature = "memory-map"), doc = "[`memory_map`]: crate#features")]

#[doc = include_str!("no_stalls.md")]
pub mod no_stalls {}

#[doc = include_str!("slot_maps.md")]
pub mod slot_maps {}

#[doc = include_str!("tables.md")]
pub mod tables {}

#[doc = include_str!("columns.md")]
pub mod columns {}

#[cfg(feature = "list-pool")]
#[cfg_attr(docsrs, doc(auto_cfg = false))]
#[doc = include_str!("lists.md")]
pub mod lists {}

#[cfg(feature = "file")]
#[cfg_attr(docsrs, doc(auto_cfg = false))]
#[doc = include_str!("files.md")]
pub mod files {}

#[doc = include_str!("threads.md")]
#[doc = ""]
#[cfg_attr(feature = "rayon", doc = "[`par`]: super::par")]
#[cfg_attr(not(feature = "rayon"), doc = "[`par`]: crate#features")]
pub mod threads {}

#[doc = include_str!("allocators.md")]
pub mod allocators {}

#[doc = include_str!("buffers.md")]
pub mod buffers {}

#[doc = include_str!("arenas.md")]
pub mod arenas {}

#[doc = include_str!("many_small_arrays.md")]
pub mod many_small_arrays {}

#[doc = include_str!("the_web.md")]
pub mod the_web {}

#[doc = include_str!("sanitizers.md")]
pub mod sanitizers {}

#[doc = include_str!("from_vec.md")]
pub mod from_vec {}

#[doc = include_str!("from_slotmap.md")]
pub mod from_slotmap {}

#[doc = include_str!("from_bumpalo.md")]
pub mod from_bumpalo {}

#[doc = include_str!("from_soa_derive.md")]
pub mod from_soa_derive {}

#[doc = include_str!("how_it_works.md")]
pub mod how_it_works {}

#[doc = include_str!("figures.md")]
pub mod figures {}
