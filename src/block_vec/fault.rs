//! Refuses blocks on purpose, as an allocator would, so that tests see every path of failure.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    /// How many blocks are to be had still, if not all.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// While it lives, this thread has so many blocks more, and no other.
#[must_use]
pub(super) struct Refusing {
    // The plan belongs to the thread that made it.
    not_send: PhantomData<*const ()>,
}

impl Refusing {
    pub(super) fn after(blocks: usize) -> Self {
        assert!(LEFT.replace(Some(blocks)).is_none(), "one plan at a time");
        Self { not_send: PhantomData }
    }

    /// How many are still to be had.
    #[cfg(all(not(no_vm), target_pointer_width = "64"))]
    pub(super) fn left() -> usize {
        LEFT.get().expect("a plan")
    }
}

impl Drop for Refusing {
    fn drop(&mut self) {
        LEFT.set(None);
    }
}

/// Whether this block is to be refused.
pub(super) fn strikes() -> bool {
    match LEFT.get() {
        None => false,
        Some(0) => true,
        Some(left) => {
            LEFT.set(Some(left - 1));
            false
        }
    }
}
