//! Loom's atomics as values of statics, which have their first value again in each interleaving.

use loom::lazy_static::Lazy;
use loom::sync::atomic;
pub(crate) use loom::sync::atomic::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

pub(crate) type AtomicUsize = Static<atomic::AtomicUsize>;
pub(crate) type AtomicU32 = Static<atomic::AtomicU32>;
pub(crate) type AtomicPtr<T> = Static<atomic::AtomicPtr<T>>;

/// A value that is used only in statics. The first thread that accesses it creates it, and the other threads see it, so
/// the main thread must be the first.
pub(crate) struct Static<A>(Lazy<A>);

impl<A: 'static> Static<A> {
    pub(crate) const fn of(init: fn() -> A) -> Self {
        Self(Lazy { init, _p: PhantomData })
    }

    pub(crate) fn get(&'static self) -> &'static A {
        self.0.get()
    }
}

impl AtomicUsize {
    pub(crate) const fn new(first: usize) -> Self {
        assert!(first == 0);
        Self::of(|| atomic::AtomicUsize::new(0))
    }
}

impl AtomicU32 {
    pub(crate) const fn new(first: u32) -> Self {
        assert!(first == 0);
        Self::of(|| atomic::AtomicU32::new(0))
    }
}

impl<T: 'static> AtomicPtr<T> {
    pub(crate) const fn new(first: *mut T) -> Self {
        assert!(first.is_null());
        Self::of(|| atomic::AtomicPtr::new(std::ptr::null_mut()))
    }
}

impl<A: 'static> Deref for Static<A> {
    type Target = A;

    fn deref(&self) -> &A {
        let this: *const Self = self;
        // SAFETY: values of this type are only in statics, which are never dropped.
        unsafe { &*this }.0.get()
    }
}

impl<A> fmt::Debug for Static<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Static")
    }
}
