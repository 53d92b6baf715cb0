//! What the public API promises.
