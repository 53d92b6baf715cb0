//! Loom's atomics in constants: created on first access, which the main thread must make.

use loom::sync::atomic;
pub(crate) use loom::sync::atomic::{AtomicU8, AtomicU32, Ordering, fence};
use std::cell::OnceCell;
use std::fmt;
use std::ops::Deref;

pub(crate) type AtomicBool = Late<bool, atomic::AtomicBool>;
pub(crate) type AtomicUsize = Late<usize, atomic::AtomicUsize>;
pub(crate) type AtomicPtr<T> = Late<*mut T, atomic::AtomicPtr<T>>;

pub(crate) struct Late<V, A> {
    first: V,
    made: OnceCell<A>,
}

// SAFETY: all threads of a model run on one thread, which loom schedules.
unsafe impl<V, A> Sync for Late<V, A> {}
// SAFETY: as above.
unsafe impl<V, A> Send for Late<V, A> {}

impl<V, A> Late<V, A> {
    pub(crate) const fn new(first: V) -> Self {
        Self { first, made: OnceCell::new() }
    }
}

impl<V, A> fmt::Debug for Late<V, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Late")
    }
}

impl<V: Copy, A: From<V>> Deref for Late<V, A> {
    type Target = A;

    fn deref(&self) -> &A {
        self.made.get_or_init(|| A::from(self.first))
    }
}

impl Default for AtomicUsize {
    fn default() -> Self {
        Self::new(0)
    }
}

impl AtomicUsize {
    pub(crate) fn into_inner(self) -> usize {
        self.made.into_inner().map_or(self.first, atomic::AtomicUsize::into_inner)
    }
}
