//! Tests of the public API, one file per subject.

#![cfg_attr(stayput_nightly, feature(allocator_api))]
#![cfg_attr(
    not(all_containers),
    allow(dead_code, reason = "the code that uses the helpers depends on features")
)]

include!("../common/arbitrary.rs");

mod address;
#[cfg(feature = "alloc")]
mod arena;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod arena_alloc;
#[cfg(feature = "alloc")]
mod arena_box;
#[cfg(feature = "alloc")]
mod arena_model;
#[cfg(feature = "alloc")]
mod arena_op;
#[cfg(feature = "alloc")]
mod arena_scope;
#[cfg(all_containers)]
mod array_models;
#[cfg(all_containers)]
mod arrays;
mod backing;
#[cfg(feature = "allocator-api2-02")]
mod block_adapted;
#[cfg(feature = "alloc")]
mod block_model;
#[cfg(feature = "alloc")]
mod block_op;
#[cfg(feature = "block-vec")]
mod block_vec;
#[cfg(all(feature = "block-vec", feature = "rayon"))]
mod block_vec_rayon;
mod budget;
mod buffer;
#[cfg(all_containers)]
mod by_value;
#[cfg(stayput_asan)]
#[path = "../common/child.rs"]
mod child;
#[cfg(all_containers)]
mod classes;
#[cfg(feature = "columns")]
mod columns;
#[cfg(feature = "columns")]
mod columns_model;
#[cfg(feature = "columns")]
mod columns_op;
#[cfg(feature = "columns")]
mod columns_record;
#[cfg(feature = "columns")]
mod dense;
#[cfg(feature = "columns")]
mod dense_model;
#[cfg(feature = "columns")]
mod dense_op;
#[cfg(all(feature = "columns", feature = "rayon"))]
mod dense_rayon;
#[cfg(feature = "columns")]
mod dense_twin;
mod drops;
#[path = "../common/effort.rs"]
mod effort;
#[cfg(feature = "columns")]
mod erased;
#[cfg(feature = "columns")]
mod erased_op;
#[cfg(feature = "alloc")]
mod errors;
#[cfg(not(miri))]
mod examples;
#[cfg(all(all_containers, not(miri)))]
mod family;
#[cfg(feature = "table")]
mod grid_model;
#[cfg(feature = "table")]
mod grid_op;
#[cfg(feature = "columns")]
mod groups_op;
mod grow_only;
mod helpers;
#[cfg(feature = "table")]
mod indices;
mod joins;
mod joins_model;
mod joins_op;
#[cfg(feature = "rayon")]
mod joins_rayon;
mod key_hash;
mod keys;
mod layouts;
mod ledger;
#[cfg(feature = "list-pool")]
mod lists;
#[cfg(feature = "list-pool")]
mod lists_model;
#[cfg(feature = "list-pool")]
mod lists_op;
#[cfg(feature = "list-pool")]
mod lists_pool;
#[cfg(all(feature = "list-pool", feature = "rayon"))]
mod lists_rayon;
#[path = "../common/made.rs"]
mod made;
mod many;
#[cfg(all_containers)]
mod max_len;
// Committed and resident memory is only reported for virtual memory.
#[cfg(all(target_os = "linux", target_pointer_width = "64", not(no_vm)))]
mod memory;
#[cfg(all(all_containers, feature = "memory-map"))]
mod memory_map;
#[cfg(all_containers)]
mod moment;
#[cfg(all(all_containers, stayput_asan))]
mod poison;
#[cfg(feature = "alloc")]
mod program_alloc;
#[path = "../common/random.rs"]
mod random;
mod read_from;
mod reservation;
mod safety;
mod secondary;
mod secondary_grow_only;
mod secondary_hostile;
mod secondary_op;
mod secondary_reset;
#[cfg(all(feature = "alloc", feature = "columns"))]
mod service;
#[cfg(feature = "table")]
mod sets_model;
#[cfg(feature = "table")]
mod sets_op;
#[cfg(feature = "shared")]
mod shared;
#[cfg(feature = "shared")]
mod shared_hostile;
#[cfg(all_containers)]
mod shared_model;
#[cfg(all(feature = "rayon", feature = "shared"))]
mod shared_rayon;
#[cfg(feature = "shared")]
mod shared_slot_map;
#[cfg(feature = "shared")]
mod shared_slot_map_model;
#[cfg(feature = "shared")]
mod shared_slot_map_op;
#[cfg(all(feature = "rayon", feature = "shared"))]
mod shared_slot_map_rayon;
#[cfg(feature = "shared")]
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
#[cfg(feature = "slotmap-names")]
mod slotmap_names;
#[cfg(feature = "list-pool")]
mod strs;
#[cfg(feature = "list-pool")]
mod strs_model;
#[cfg(feature = "list-pool")]
mod strs_op;
#[cfg(feature = "table")]
mod table;
#[cfg(feature = "table")]
mod table_full;
#[cfg(feature = "table")]
mod table_hostile;
#[cfg(feature = "table")]
mod table_model;
#[cfg(feature = "table")]
mod table_op;
#[cfg(feature = "table")]
mod table_twin;
#[cfg(not(miri))]
mod tidy;
#[cfg(feature = "block-vec")]
mod traits;
mod type_id;
#[cfg(feature = "rayon")]
mod vec_rayon;
#[cfg(any(feature = "allocator-api2-02", feature = "allocator-api2-04", stayput_nightly))]
mod vm_alloc;
mod weak;
#[cfg(all(all_containers, not(miri)))]
mod words;
