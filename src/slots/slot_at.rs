//! [`SlotAt`]: a slot that several threads access.

#![expect(unsafe_code, reason = "finds slots by their index")]

use super::array::{Slot, Slots};
use std::ptr::{self, NonNull};

/// The address of a slot. The caller knows which accesses are allowed.
pub(crate) struct SlotAt<V>(NonNull<Slot<V>>);

impl<V> SlotAt<V> {
    pub(crate) const STRIDE_BYTES: usize = Slots::<V>::STRIDE_BYTES;

    /// # Safety
    ///
    /// - Slots for values of this type begin at `start`, and there is memory for more than `index` of them.
    #[inline]
    pub(crate) unsafe fn new(start: *mut u8, index: usize) -> Self {
        // SAFETY: not null, since the caller guarantees that slots begin there.
        let start = unsafe { NonNull::new_unchecked(start.cast::<Slot<V>>()) };
        // SAFETY: the caller guarantees that there is memory for more than `index` slots.
        Self(unsafe { start.add(index) })
    }

    #[inline]
    pub(crate) const fn value(self) -> NonNull<V> {
        self.0.cast()
    }

    /// Returns the address of the [`State`](super::state::State), as a word.
    #[inline]
    pub(crate) const fn state(self) -> *mut u32 {
        // SAFETY: `new` guarantees that there is memory for the slot.
        unsafe { ptr::addr_of_mut!((*self.0.as_ptr()).state) }.cast()
    }
}

impl<V> Slots<V> {
    /// Returns the address of the first slot, for [`SlotAt::new`].
    pub(crate) const fn address(&self) -> *mut u8 {
        self.start().as_ptr().cast()
    }
}

copy!([V] SlotAt<V>);
