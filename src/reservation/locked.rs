//! [`Locked`]: keeps pages locked in memory.

#![forbid(unsafe_code)]

#[cfg(doc)]
use super::Reservation;
use crate::os::Pages;

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
    pub(super) pages: Pages<'r>,
}

impl Locked<'_> {
    /// Returns how many bytes [`lock`](Reservation::lock) has locked.
    pub const fn bytes(&self) -> usize {
        self.pages.bytes().get()
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.pages.unlock();
    }
}

debug_fields!([] Locked<'_>, "Locked", |pages| bytes: pages.bytes());
