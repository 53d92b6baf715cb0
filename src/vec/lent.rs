//! [`Lent`]: a mutable borrow that is kept behind a shared one, as a grow-only scope keeps it.
//!
//! # Why this is sound
//!
//! Of the owner, which is borrowed mutably for `'a`, a `&mut` is made only here, and no two at a
//! time. For whoever is lent the owner has the only pointer to it: meanwhile there is none here, and
//! it comes back when the call ends, by a panic too. So code of users may run then, and come back
//! here: it finds nothing. [`Lent::lend_briefly`] leaves the pointer where it is, and has its callers
//! promise that no code runs that could come back.

#![expect(unsafe_code, reason = "makes a mutable reference out of a shared one")]

use crate::error::{Error, ErrorKind, give_up};
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;

/// A mutable borrow of an `A`, lent to one at a time. It stays on one thread.
pub(crate) struct Lent<'a, A> {
    /// None while it is lent.
    owner: Cell<Option<NonNull<A>>>,
    borrow: PhantomData<&'a mut A>,
}

impl<'a, A> Lent<'a, A> {
    #[inline]
    pub(crate) fn new(owner: &'a mut A) -> Self {
        Self { owner: Cell::new(Some(NonNull::from(owner))), borrow: PhantomData }
    }

    /// Has `change` change the owner. Any code may run: a backing, an allocator, the hook of a
    /// panic.
    ///
    /// # Errors
    ///
    /// If it is lent already ([`Busy`](ErrorKind::Busy)).
    pub(crate) fn lend<R>(&self, change: impl FnOnce(&mut A) -> R) -> Result<R, Error> {
        /// Brings it back.
        struct Back<'l, A> {
            to: &'l Cell<Option<NonNull<A>>>,
            owner: NonNull<A>,
        }

        impl<A> Drop for Back<'_, A> {
            fn drop(&mut self) {
                self.to.set(Some(self.owner));
            }
        }

        let Some(owner) = self.owner.take() else { return Err(refusal()) };
        let mut back = Back { to: &self.owner, owner };
        // SAFETY: the owner is borrowed for `'a`, which outlives `self`, and the one pointer to it
        // was just taken from where others look for it.
        Ok(change(unsafe { back.owner.as_mut() }))
    }

    /// [`lend`](Self::lend), for what takes no time: it costs a compare. `None` if it is lent
    /// already.
    ///
    /// # Safety
    ///
    /// - `change` runs no code of users: none of their types, no backing, nothing that allocates
    ///   or panics.
    #[inline]
    pub(crate) unsafe fn lend_briefly<R>(&self, change: impl FnOnce(&mut A) -> R) -> Option<R> {
        let mut owner = self.owner.get()?;
        // SAFETY: as in `lend`; it is lent to nobody, and `change` does not come back here, by the
        // caller's promise.
        Some(change(unsafe { owner.as_mut() }))
    }
}

// A panic brings the owner back, in whatever state it leaves it.
impl<A: RefUnwindSafe> RefUnwindSafe for Lent<'_, A> {}

fn refusal() -> Error {
    Error::new(ErrorKind::Busy, 0)
}

/// Says that it is lent already, to whoever cannot have the error.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn busy() -> ! {
    give_up(refusal())
}
