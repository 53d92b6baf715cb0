//! Runs the WebAssembly tests natively, in a crate built without virtual memory.

#![cfg(stayput_no_vm)]

use std::sync::{Mutex, PoisonError};

/// The tests count allocations of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

macro_rules! tests {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
                stayput_web::$name();
            }
        )*
    };
}

tests! {
    large_blocks_are_the_parents
    arrays_end_where_they_were_told_to
    memory_that_comes_back_is_zero
    arrays_and_maps_are_made_in_memory_of_ones_own
    a_key_finds_its_value_or_none
    a_map_holds_a_million_entities
    what_is_refused_at_the_end_of_memory_is_an_error_and_nothing_is_lost
    arrays_agree_with_vec
    slot_maps_agree_with_maps_of_std
    secondary_maps_agree_with_maps_of_std
}
