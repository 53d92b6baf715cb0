//! [`SlotAt`]: a slot that several threads come to.

#![expect(unsafe_code, reason = "finds slots by their index")]

use super::array::{Slot, Slots};
use std::ptr::{self, NonNull};

/// Where a slot lies. Who may touch what there, the caller knows.
pub(crate) struct SlotAt<V>(NonNull<Slot<V>>);

impl<V> SlotAt<V> {
    /// The distance between one and the next.
    pub(crate) const STRIDE_BYTES: usize = Slots::<V>::STRIDE_BYTES;

    /// # Safety
    ///
    /// - Slots for values of this type begin at `start`, and there is memory for more than `index` of them.
    #[inline]
    pub(crate) unsafe fn new(start: *mut u8, index: usize) -> Self {
        // SAFETY: not null, since slots begin there.
        let start = unsafe { NonNull::new_unchecked(start.cast::<Slot<V>>()) };
        // SAFETY: inside the same memory, by the caller's promise.
        Self(unsafe { start.add(index) })
    }

    /// Where its value lies, or is to lie.
    #[inline]
    pub(crate) const fn value(self) -> NonNull<V> {
        self.0.cast()
    }

    /// Where the word is that [`State`](super::state::State) has.
    #[inline]
    pub(crate) const fn state(self) -> *mut u32 {
        // SAFETY: there is memory for a slot.
        unsafe { ptr::addr_of_mut!((*self.0.as_ptr()).state) }.cast()
    }
}

impl<V> Slots<V> {
    /// The address of the first slot, of which a [`SlotAt`] can be made.
    pub(crate) const fn address(&self) -> *mut u8 {
        self.start().as_ptr().cast()
    }
}

impl<V> Clone for SlotAt<V> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for SlotAt<V> {}
