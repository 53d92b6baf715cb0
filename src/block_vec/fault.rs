//! Refuses blocks on purpose, as an allocator would, so that tests reach every error path.

use std::cell::Cell;
use std::marker::PhantomData;

thread_local! {
    /// How many blocks are granted before all are refused; `None` if all are granted.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// While it lives, this thread is granted a number of blocks, and refused all others.
#[must_use]
pub(super) struct Refusing {
    // The count belongs to the thread that set it.
    not_send: PhantomData<*const ()>,
}

impl Refusing {
    pub(super) fn after(blocks: usize) -> Self {
        assert!(LEFT.replace(Some(blocks)).is_none(), "one plan at a time");
        Self { not_send: PhantomData }
    }

    /// How many blocks are still granted.
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

pub(super) fn should_fail() -> bool {
    match LEFT.get() {
        None => false,
        Some(0) => true,
        Some(left) => {
            LEFT.set(Some(left - 1));
            false
        }
    }
}
