//! [`SlotAt`]: a slot that several threads access.

#![expect(unsafe_code, reason = "finds slots by their index")]

use super::array::Slots;
use super::array::slot::Slot;
use std::ptr::NonNull;

/// The address of a slot. The caller knows which accesses are allowed.
pub(crate) struct SlotAt<V>(NonNull<Slot<V>>);

impl<V> SlotAt<V> {
    pub(crate) const STRIDE_BYTES: usize = Slots::<V>::STRIDE_BYTES;

    /// # Safety
    ///
    /// - Slots for values of this type begin at `start`, and there is memory for more than `index` of them.
    #[inline]
    pub(crate) unsafe fn new(start: *mut u8, index: usize) -> Self {
        let slot = start.cast::<Slot<V>>().wrapping_add(index);
        // SAFETY: not null, since there is memory for a slot, by the caller's guarantee.
        Self(unsafe { NonNull::new_unchecked(slot) })
    }

    #[inline]
    pub(crate) const fn value(self) -> NonNull<V> {
        self.0.cast()
    }

    /// Returns the address of the [`State`](super::state::State), as a word.
    #[inline]
    pub(crate) const fn state(self) -> *mut u32 {
        self.0.as_ptr().wrapping_byte_add(Slots::<V>::STATE_OFFSET).cast()
    }
}

impl<V> Slots<V> {
    /// Returns the address of the first slot, for [`SlotAt::new`].
    pub(crate) const fn address(&self) -> *mut u8 {
        self.start().as_ptr().cast()
    }
}

copy!([V] SlotAt<V>);
