//! [`LendCell`]: a mutable borrow behind a shared one, for grow-only scopes.
//!
//! # Why this is sound
//!
//! The owner is mutably borrowed for `'a`, and a `&mut` to it is only made here, one at a time. While the owner is
//! lent, a placeholder takes its place; the owner is put back when the call ends, also by a panic. User code may
//! therefore run during the call and re-enter: it does not reach the owner. [`LendCell::lend_briefly`] and
//! [`LendCell::lend_seen`] use no placeholder; their callers guarantee that no code runs that could re-enter.
//!
//! Calls that must not mistake the placeholder for the owner check first whether the owner is lent. Calls for which the
//! placeholder merely looks full, and which then grow through a call that checks, need not. This saves a comparison in
//! hot calls.

#![expect(unsafe_code, reason = "makes a mutable reference out of a shared one")]

use crate::error::{Error, ErrorKind, handle_error};
use std::cell::Cell;
use std::marker::PhantomData;
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;

/// A type that can be lent, because it has a placeholder.
pub(crate) trait Lend {
    /// Creates the placeholder that is seen while the owner is lent: it is empty, and has no room.
    fn placeholder() -> Self;

    /// Returns `true` if this is a placeholder.
    fn is_placeholder(&self) -> bool;
}

/// A mutable borrow of an `A`, lent to one call at a time, on one thread.
pub(crate) struct LendCell<'a, A> {
    /// The owner, or the placeholder while the owner is lent.
    seen: Cell<NonNull<A>>,
    borrow: PhantomData<&'a mut A>,
}

impl<'a, A: Lend> LendCell<'a, A> {
    #[inline]
    pub(crate) fn new(owner: &'a mut A) -> Self {
        Self { seen: Cell::new(NonNull::from(owner)), borrow: PhantomData }
    }

    /// Lends the owner to `change`, in which any code may run: a backing, an allocator, a panic hook.
    ///
    /// # Errors
    ///
    /// If the owner is already lent ([`Busy`](ErrorKind::Busy)).
    pub(crate) fn lend<R>(&self, change: impl FnOnce(&mut A) -> R) -> Result<R, Error> {
        /// Puts the owner back.
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
        let mut placeholder = A::placeholder();
        // Dropped before the placeholder, so the placeholder is not seen when it is dropped.
        let mut back = Back { to: &self.seen, owner: self.seen.get() };
        self.seen.set(NonNull::from(&mut placeholder));
        // SAFETY: the owner is mutably borrowed for `'a`, which outlives `self`, and is not lent, as checked above; nor
        // by `lend_seen`, during which no code runs that could call this, by its callers' guarantee. Until the owner is
        // back, other calls see the placeholder.
        Ok(change(unsafe { back.owner.as_mut() }))
    }

    #[inline]
    fn is_lent(&self) -> bool {
        let seen = self.seen.get();
        // SAFETY: it is the owner or the placeholder, valid for as long as it is seen. Nothing else refers to it
        // mutably: the callers of `lend_seen` guarantee that no code runs during it that could call this.
        // `is_placeholder` reads only.
        unsafe { seen.as_ref() }.is_placeholder()
    }

    /// Lends the owner to a short `change`, at the cost of a comparison. Returns `None` if it is already lent.
    ///
    /// # Safety
    ///
    /// - `change` runs no user code: no method of a user's type, no backing, and nothing that allocates or panics.
    #[inline]
    pub(crate) unsafe fn lend_briefly<R>(&self, change: impl FnOnce(&mut A) -> R) -> Option<R> {
        if self.is_lent() {
            return None;
        }
        // SAFETY: the caller guarantees that `change` runs no user code, which is what `lend_seen` requires.
        Some(unsafe { self.lend_seen(change) })
    }

    /// Lends the owner to `read`. Panics if it is already lent.
    ///
    /// # Safety
    ///
    /// - As for [`lend_briefly`](Self::lend_briefly).
    #[inline]
    #[track_caller]
    pub(crate) unsafe fn look<R>(&self, read: impl FnOnce(&A) -> R) -> R {
        // SAFETY: the caller guarantees that `read` runs no user code, which is what `lend_briefly` requires.
        unsafe { self.lend_briefly(|owner| read(owner)) }.unwrap_or_else(|| busy())
    }

    /// Lends whatever is seen, which is the placeholder while the owner is lent. This costs nothing.
    ///
    /// # Safety
    ///
    /// - As for [`lend_briefly`](Self::lend_briefly).
    #[inline]
    pub(crate) unsafe fn lend_seen<R>(&self, change: impl FnOnce(&mut A) -> R) -> R {
        let mut seen = self.seen.get();
        // SAFETY: it is the owner, as in `lend`, and not lent; or the placeholder, which lives as long as it is seen,
        // and is only used through here. `change` does not re-enter, by the caller's guarantee.
        change(unsafe { seen.as_mut() })
    }
}

// A panic puts the owner back, in whatever state `change` leaves it.
impl<A: RefUnwindSafe> RefUnwindSafe for LendCell<'_, A> {}

fn refusal() -> Error {
    Error::new(ErrorKind::Busy, 0)
}

/// Panics where a caller cannot return the error that the owner is already lent.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn busy() -> ! {
    handle_error(refusal())
}

/// Defines the methods that grow-only scopes of arrays have in common. The scope has a field `vec: LendCell` and a
/// method `try_push`.
macro_rules! scope_methods {
    ($Vec:ident) => {
        /// Appends an element and returns a reference to it, which stays valid across later pushes. O(1), without a
        /// copy; grows if the capacity is used up, as
        #[doc = concat!("[`", stringify!($Vec), "::push`] does.")]
        ///
        /// # Panics
        ///
        /// If [`try_push`](Self::try_push) returns an error.
        #[inline]
        #[track_caller]
        pub fn push(&self, value: T) -> &'v T {
            $crate::error::unwrap_or_panic(self.try_push(value))
        }

        /// Appends the elements of an iterator, which may itself push into the scope.
        ///
        /// # Panics
        ///
        /// As for [`push`](Self::push); elements that were stored before stay.
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut numbers = stayput::", stringify!($Vec), "::from([1, 2]);")]
        /// let scope = numbers.grow_only();
        /// let one = &scope[0];
        /// scope.extend([3, 4]);
        /// scope.extend(scope.iter().map(|n| n * 10));
        /// assert_eq!((*one, scope.len(), scope[7]), (1, 8, 40));
        /// ```
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
        ///
        /// # Examples
        ///
        /// ```
        #[doc = concat!("let mut log = stayput::", stringify!($Vec), "::new();")]
        /// let scope = log.grow_only();
        /// let start = scope.push("start");
        /// scope.reserve(1000); // `start` stays valid
        /// assert!(scope.capacity() >= 1001);
        /// assert_eq!(*start, "start");
        /// ```
        #[track_caller]
        pub fn reserve(&self, additional: usize) {
            $crate::error::unwrap_or_panic(self.try_reserve(additional));
        }

        /// Like [`reserve`](Self::reserve), but returns an error instead of panicking.
        ///
        /// # Errors
        ///
        #[doc = concat!("As for [`", stringify!($Vec), "::try_reserve`];")]
        /// [`Busy`](crate::ErrorKind::Busy) while the array grows.
        pub fn try_reserve(&self, additional: usize) -> Result<(), $crate::error::Error> {
            self.vec.lend(|vec| vec.try_reserve(additional))?
        }

        /// Returns the number of elements. O(1).
        #[inline]
        #[track_caller]
        pub fn len(&self) -> usize {
            // SAFETY: the closure reads a number, so it runs no user code, neither allocates nor panics.
            unsafe { self.vec.look(|vec| vec.len()) }
        }

        /// Returns `true` if there are no elements. O(1).
        #[inline]
        #[track_caller]
        pub fn is_empty(&self) -> bool {
            self.len() == 0
        }

        #[doc = concat!("See [`", stringify!($Vec), "::capacity`].")]
        #[inline]
        #[track_caller]
        pub fn capacity(&self) -> usize {
            // SAFETY: the closure reads a number, so it runs no user code, neither allocates nor panics.
            unsafe { self.vec.look(|vec| vec.capacity()) }
        }

        #[doc = concat!("See [`", stringify!($Vec), "::index_of`].")]
        #[track_caller]
        pub fn index_of(&self, element: &T) -> Option<usize> {
            // SAFETY: `index_of` of either array compares the element's address with those of its memory: it runs no user
            // code and does not allocate. It divides by no size of zero, so it does not panic.
            unsafe { self.vec.look(|vec| vec.index_of(element)) }
        }
    };
}
pub(crate) use scope_methods;
