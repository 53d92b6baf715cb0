//! The public contract, a file a subject.

#![cfg_attr(stayput_nightly, feature(allocator_api))]

mod address;
mod arena;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod arena_alloc;
mod arena_box;
mod arena_scope;
mod array_models;
mod arrays;
mod backing;
#[cfg(feature = "allocator-api2-02")]
mod block_adapted;
mod block_model;
mod block_op;
mod block_vec;
#[cfg(feature = "rayon")]
mod block_vec_rayon;
mod budget;
mod buffer;
mod by_value;
#[cfg(stayput_asan)]
#[path = "../common/child.rs"]
mod child;
mod columns;
mod columns_model;
mod columns_op;
mod dense;
mod dense_model;
mod dense_op;
#[cfg(feature = "rayon")]
mod dense_rayon;
mod dense_twin;
mod drops;
#[path = "../common/effort.rs"]
mod effort;
mod errors;
mod family;
mod grid_model;
mod grid_op;
mod grow_only;
mod helpers;
mod indices;
mod joins;
mod joins_model;
#[cfg(feature = "rayon")]
mod joins_rayon;
mod key_hash;
mod keys;
mod layouts;
mod ledger;
#[path = "../common/made.rs"]
mod made;
mod many;
mod max_len;
// What the system has promised, and what is resident, is told of virtual memory alone.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(no_vm)))]
mod memory;
mod panics;
#[cfg(stayput_asan)]
mod poison;
mod read_from;
mod reservation;
mod secondary;
mod secondary_grow_only;
mod secondary_hostile;
mod secondary_op;
mod secondary_reset;
mod service;
mod sets_model;
mod sets_op;
mod shared;
mod shared_hostile;
mod shared_model;
#[cfg(feature = "rayon")]
mod shared_rayon;
mod shared_slot_map;
mod shared_slot_map_model;
mod shared_slot_map_op;
#[cfg(feature = "rayon")]
mod shared_slot_map_rayon;
mod shared_slot_map_twin;
mod slot_map;
mod slot_map_edges;
mod slot_map_floors;
mod slot_map_hostile;
mod slot_map_memory;
mod slot_map_model;
mod slot_map_op;
mod slot_map_place;
#[cfg(feature = "rayon")]
mod slot_map_rayon;
mod slot_map_rekey;
mod slot_map_reserve;
mod slot_map_traits;
mod slot_map_twin;
mod slot_map_value;
mod slotmap_names;
mod table;
mod table_full;
mod table_hostile;
mod table_model;
mod table_op;
mod table_twin;
mod tidy;
mod traits;
mod type_id;
#[cfg(feature = "rayon")]
mod vec_rayon;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod vm_alloc;
mod weak;
