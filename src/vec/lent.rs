//! [`Lent`]: a mutable borrow that is kept behind a shared one, as a grow-only scope keeps it.
//!
//! # Why this is sound
//!
//! Of the owner, which is borrowed mutably for `'a`, a `&mut` is made only here, and no two at a
//! time. While somebody is lent the owner, what is seen here is something in its place; the owner
//! is back when the call ends, by a panic too. So code of users may run then, and
//! come back here: it does not reach the owner. [`Lent::lend_briefly`] and [`Lent::lend_seen`] change
//! nothing here, and have their callers promise that no code runs that could come back.
//!
//! Whoever must not take the one for the other looks first whether it is lent. What is only full, and so
//! sends them to where they look, they need not look at: that is what spares the hot calls a compare.

#![expect(unsafe_code, reason = "makes a mutable reference out of a shared one")]

use crate::error::{Error, ErrorKind, give_up};
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;

/// What can be lent: it has something to be in its place.
pub(crate) trait Lend {
    /// What is seen while it is lent: it holds nothing, and is full for good.
    fn in_place() -> Self;

    /// Whether this is such a one.
    fn is_in_place(&self) -> bool;
}

/// A mutable borrow of an `A`, lent to one at a time. It stays on one thread.
pub(crate) struct Lent<'a, A> {
    /// The owner, or what is in its place while it is lent.
    seen: Cell<NonNull<A>>,
    borrow: PhantomData<&'a mut A>,
}

impl<'a, A: Lend> Lent<'a, A> {
    #[inline]
    pub(crate) fn new(owner: &'a mut A) -> Self {
        Self { seen: Cell::new(NonNull::from(owner)), borrow: PhantomData }
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
            to: &'l Cell<NonNull<A>>,
            owner: NonNull<A>,
        }

        impl<A> Drop for Back<'_, A> {
            fn drop(&mut self) {
                self.to.set(self.owner);
            }
        }

        if self.is_lent() {
            return Err(refusal());
        }
        let mut in_place = A::in_place();
        // Dropped before what is in its place, which is seen no more then.
        let mut back = Back { to: &self.seen, owner: self.seen.get() };
        self.seen.set(NonNull::from(&mut in_place));
        // SAFETY: the owner is borrowed for `'a`, which outlives `self`, and is lent to nobody. Until it
        // is back, others see what is in its place.
        Ok(change(unsafe { back.owner.as_mut() }))
    }

    #[inline]
    fn is_lent(&self) -> bool {
        let seen = self.seen.get();
        // SAFETY: as in `lend_seen`; it reads a number.
        unsafe { seen.as_ref() }.is_in_place()
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
        if self.is_lent() {
            return None;
        }
        // SAFETY: the caller's promise is the same.
        Some(unsafe { self.lend_seen(change) })
    }

    /// The same, which panics if it is lent already.
    ///
    /// # Safety
    ///
    /// - As for [`lend_briefly`](Self::lend_briefly).
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn look<R>(&self, read: impl FnOnce(&A) -> R) -> R {
        // SAFETY: the caller's promise is the same.
        unsafe { self.lend_briefly(|owner| read(owner)) }.unwrap_or_else(|| busy())
    }

    /// The same with what is seen, which is not the owner while that is lent. It costs nothing.
    ///
    /// # Safety
    ///
    /// - As for [`lend_briefly`](Self::lend_briefly).
    #[inline]
    pub(crate) unsafe fn lend_seen<R>(&self, change: impl FnOnce(&mut A) -> R) -> R {
        let mut seen = self.seen.get();
        // SAFETY: the owner, as in `lend`, lent to nobody; or what is in its place, which lives as long as
        // it is seen, and is used only through here. And `change` does not come back here, by the
        // caller's promise.
        change(unsafe { seen.as_mut() })
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

/// The methods that scopes of arrays have in common: each has a `vec` that is lent, `try_push`, and this within an `impl`
/// of its own.
macro_rules! scope_methods {
    ($Vec:ident) => {
        /// Appends an element and returns where it lies for good. O(1), no copy; takes memory if capacity is used up, as
        #[doc = concat!("[`", stringify!($Vec), "::push`] does.")]
        ///
        /// # Panics
        ///
        /// If [`try_push`](Self::try_push) returns an error.
        #[inline]
        #[track_caller]
        pub fn push(&self, value: T) -> &'v T {
            $crate::error::or_give_up(self.try_push(value))
        }

        /// Appends all that the iterator gives, which may itself push into the scope.
        ///
        /// # Panics
        ///
        /// As for [`push`](Self::push); what was stored before stays.
        #[track_caller]
        pub fn extend(&self, iter: impl IntoIterator<Item = T>) {
            iter.into_iter().for_each(|value| {
                self.push(value);
            });
        }

        #[doc = concat!("Makes room for `additional` more elements; see [`", stringify!($Vec), "::reserve`].")]
        ///
        /// # Panics
        ///
        /// If [`try_reserve`](Self::try_reserve) returns an error.
        #[track_caller]
        pub fn reserve(&self, additional: usize) {
            $crate::error::or_give_up(self.try_reserve(additional));
        }

        /// [`reserve`](Self::reserve), or the error.
        ///
        /// # Errors
        ///
        #[doc = concat!("As for [`", stringify!($Vec), "::try_reserve`];")]
        /// [`Busy`](crate::ErrorKind::Busy) while the array takes memory.
        pub fn try_reserve(&self, additional: usize) -> Result<(), $crate::error::Error> {
            self.vec.lend(|vec| vec.try_reserve(additional))?
        }

        /// The number of elements. O(1).
        #[inline]
        #[track_caller]
        pub fn len(&self) -> usize {
            // SAFETY: it reads a number.
            unsafe { self.vec.look(|vec| vec.len()) }
        }

        /// Whether there are no elements. O(1).
        #[inline]
        #[track_caller]
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        #[doc = concat!("See [`", stringify!($Vec), "::capacity`].")]
        #[inline]
        #[track_caller]
        pub fn capacity(&self) -> usize {
            // SAFETY: it reads a number.
            unsafe { self.vec.look(|vec| vec.capacity()) }
        }

        #[doc = concat!("See [`", stringify!($Vec), "::index_of`].")]
        #[track_caller]
        pub fn index_of(&self, element: &T) -> Option<usize> {
            // SAFETY: it compares addresses.
            unsafe { self.vec.look(|vec| vec.index_of(element)) }
        }
    };
}
pub(crate) use scope_methods;
