//! Elements may live shorter than those of a container where std's containers permit it.
//!
//! The types that must not permit it are in `variance.md`, whose code must not compile; the crate's doc tests run it.

use super::Row;

/// Each function only compiles if its type is covariant.
macro_rules! covariant {
    ($($name:ident: $type:ty;)+) => {
        pub(super) fn rows() -> Vec<Row> {
            vec![$(super::of_type(stringify!($type))),+]
        }

        $(
            #[allow(clippy::wildcard_imports, unused_qualifications, reason = "the table names all types")]
            #[allow(dead_code, reason = "it is enough that it compiles")]
            mod $name {
                use stayput::*;

                type Of<'x> = $type;

                fn shorter<'x>(long: Of<'static>, _: &'x ()) -> Of<'x> {
                    long
                }
            }
        )+
    };
}

covariant! {
    array: vec::VmVec<&'x u8>;
    array_shared: &'x vec::VmVec<&'x u8>;
    array_into_iter: vec::IntoIter<&'x u8>;
    array_drain: vec::Drain<'x, &'x u8>;
    array_builder: vec::VecBuilder<&'x u8>;
    blocks: block_vec::BlockVec<&'x u8>;
    blocks_into_iter: block_vec::IntoIter<&'x u8>;
    blocks_drain: block_vec::Drain<'x, &'x u8>;
    blocks_iter: block_vec::Iter<'x, &'x u8>;
    blocks_block_iter: block_vec::BlockIter<'x, &'x u8>;
    slots: slot_map::SlotMap<DefaultKey, &'x u8>;
    slots_into_iter: slot_map::IntoIter<DefaultKey, &'x u8>;
    slots_into_values: slot_map::IntoValues<DefaultKey, &'x u8>;
    slots_iter: slot_map::Iter<'x, DefaultKey, &'x u8>;
    slots_keys: slot_map::Keys<'x, DefaultKey, &'x u8>;
    slots_values: slot_map::Values<'x, DefaultKey, &'x u8>;
    slots_blocks: slot_map::Blocks<'x, DefaultKey, &'x u8>;
    slots_block: slot_map::Block<'x, DefaultKey, &'x u8>;
    slots_weak: slot_map::Weak<DefaultKey, &'x u8>;
    packed: dense::DenseSlotMap<DefaultKey, &'x u8>;
    secondary: secondary::SecondaryMap<DefaultKey, &'x u8>;
    sparse: secondary::SparseSecondaryMap<DefaultKey, &'x u8>;
    lists: list_pool::ListPool<&'x u8>;
    lists_beside: list_pool::SecondaryLists<DefaultKey, &'x u8>;
    lists_iter: list_pool::Iter<'x, DefaultKey, &'x u8>;
    arena_box: alloc::ArenaBox<'x, &'x u8>;
    refused: Refused<&'x u8>;
    locked: Locked<'x>;
}
