//! The engine of all maps: values in slots that never move, and which slots hold some. No map is known here.

// # Who answers for what
//
// `array` keeps the values, and answers for memory safety alone: it takes any index and any
// generation. `holes` knows which slots may be filled again. `vacancy` decides which slot and which
// generation come next; for the promise about keys a map answers, and a mistake there, or here, could
// resolve a wrong key, or lose a value, but not reach one that is not there.

pub(crate) mod any_slots;
pub(crate) mod array;
pub(crate) mod cursor;
pub(crate) mod disjoint;
pub(crate) mod far_index;
pub(crate) mod gapped_slots;
pub(crate) mod growing_slots;
pub(crate) mod holes;
pub(crate) mod key_bits;
pub(crate) mod key_tag;
pub(crate) mod prefetch;
pub(crate) mod slot_at;
pub(crate) mod state;
pub(crate) mod vacancy;
pub(crate) mod walk;
