//! Slot maps.

#[cfg_attr(not(fuzzing), expect(unreachable_pub, reason = "the fuzz target reaches it"))]
#[cfg_attr(not(any(test, fuzzing)), expect(dead_code, reason = "the slot map is to use it"))]
mod holes;

#[cfg(fuzzing)]
pub use holes::Bitmap;
