//! [`Locked`]: keeps pages locked in memory.

#![expect(unsafe_code, reason = "unlocks pages of the reservation that it borrows")]

use super::Reservation;
use crate::os;
use crate::page::PageBytes;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// A guard that keeps pages locked in memory, returned by [`Reservation::lock`].
///
/// Forgetting it is safe: the pages stay locked until they are decommitted or the reservation is released.
///
/// # Examples
///
/// ```
/// use stayput::{Reservation, page_size};
///
/// let memory = Reservation::new(page_size())?;
/// match memory.lock(..) {
///     Ok(locked) => {
///         // A secret in `memory` is not written to swap here.
///         assert_eq!(locked.bytes(), page_size());
///         drop(locked); // may be written to swap from here on
///     }
///     Err(error) => eprintln!("cannot protect the secret: {error}"),
/// }
/// # Ok::<(), stayput::Error>(())
/// ```
#[must_use = "the pages are unlocked when this is dropped"]
pub struct Locked<'r> {
    pub(super) start: NonNull<u8>,
    pub(super) bytes: PageBytes,
    pub(super) reservation: PhantomData<&'r Reservation>,
}

// SAFETY: unlocking is a system call, which any thread can make.
unsafe impl Send for Locked<'_> {}
// SAFETY: `&Locked` gives access to a number only.
unsafe impl Sync for Locked<'_> {}

impl Locked<'_> {
    /// Returns how many bytes [`lock`](Reservation::lock) has locked.
    pub const fn bytes(&self) -> usize {
        self.bytes.get()
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // SAFETY: the pages lie in the reservation that `self` borrows.
        unsafe { os::unlock(self.start, self.bytes) }
    }
}

debug_fields!([] Locked<'_>, "Locked", |pages| bytes: pages.bytes());
