//! Helpers for tests of several containers.

use stayput::{Key, KeyData};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::MutexGuard;

/// `Send` and not `Sync`.
pub(crate) type SendOnly = Cell<u8>;
/// `Sync` and not `Send`.
pub(crate) type SyncOnly = MutexGuard<'static, u8>;
pub(crate) type Neither = Rc<u8>;

/// Asserts that types are `Send` and `Sync` exactly if their contents are.
macro_rules! assert_like_elements {
    ($($name:ident),*) => {$(
        static_assertions::assert_impl_all!($name<u8>: Send, Sync, Unpin);
        static_assertions::assert_impl_all!($name<crate::helpers::SendOnly>: Send);
        static_assertions::assert_impl_all!($name<crate::helpers::SyncOnly>: Sync);
        static_assertions::assert_not_impl_any!($name<crate::helpers::SendOnly>: Sync);
        static_assertions::assert_not_impl_any!($name<crate::helpers::SyncOnly>: Send);
        static_assertions::assert_not_impl_any!($name<crate::helpers::Neither>: Send, Sync);
    )*};
}
pub(crate) use assert_like_elements;

/// Returns `true` if a type has a trait.
#[cfg(feature = "block-vec")]
macro_rules! has {
    ($type:ty: $trait:path) => {{
        #[allow(dead_code, reason = "used where the bound does not hold")]
        trait No {
            const HAS: bool = false;
        }
        impl<T: ?Sized> No for T {}
        struct Asked<T: ?Sized>(std::marker::PhantomData<T>);
        #[allow(dead_code, reason = "used where the bound holds")]
        impl<T: ?Sized + $trait> Asked<T> {
            const HAS: bool = true;
        }
        Asked::<$type>::HAS
    }};
}
#[cfg(feature = "block-vec")]
pub(crate) use has;

/// A key with an index and a generation, without a tag.
pub(crate) fn key<K: Key>(index: u32, generation: u32) -> K {
    KeyData::from_parts(index, generation, 0).expect("it fits").into()
}

/// An iterator with an arbitrary size hint.
pub(crate) struct Boast<I>(pub(crate) I, pub(crate) (usize, Option<usize>));

impl<I: Iterator> Iterator for Boast<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.1
    }
}
