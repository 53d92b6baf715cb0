//! The engine of all maps: slots that never move, some of which hold values. It does not depend on any map.

// Memory safety depends on `array`, which stores the values and accepts any index and any generation, and on `walk` and
// `cursor`, which iterate over the values and visit no slot twice, whatever the bits of holes say. `holes` records
// which slots later values can fill, and `vacancy` decides which slot and which generation come next. A mistake in
// these two or in a map could lose a value, or resolve a key to the wrong one, but never reach memory that holds no
// value. (The grow-only scope of a slot map and a shared slot map rely on one thing more: that a hole is not live.)

pub(crate) mod any_slots;
pub(crate) mod array;
mod cloned;
pub(crate) mod cursor;
mod dead;
pub(crate) mod disjoint;
pub(crate) mod far_index;
pub(crate) mod gapped_slots;
pub(crate) mod growing_slots;
pub(crate) mod holes;
pub(crate) mod key_bits;
pub(crate) mod key_options;
pub(crate) mod key_tag;
pub(crate) mod prefetch;
pub(crate) mod slot_at;
pub(crate) mod state;
pub(crate) mod vacancy;
pub(crate) mod walk;
pub(crate) mod words;
