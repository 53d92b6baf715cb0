//! [`Array`]: the operations that the model needs.

use super::elements::{Element, Source};
use super::model::Model;
use stayput::{
    BlockVec, Budget, Error, GivenBack, Refused, SharedVec, VmVec, block_vec, shared, vec,
};
use std::fmt::Debug;
use std::ops::{DerefMut, IndexMut, Range};

/// An iterator that removes elements from an array.
pub(crate) trait Removed<T>:
    DoubleEndedIterator<Item = T> + ExactSizeIterator + Debug
{
    /// Returns the remaining elements, or `None` if they are not contiguous.
    fn rest(&mut self) -> Option<&[T]> {
        None
    }
}

impl<T: Element> Removed<T> for block_vec::Drain<'_, T> {}
impl<T: Element> Removed<T> for block_vec::IntoIter<T> {}

impl<T: Element> Removed<T> for vec::Drain<'_, T> {
    fn rest(&mut self) -> Option<&[T]> {
        Some(self.as_slice())
    }
}

impl<T: Element> Removed<T> for shared::Drain<'_, T> {
    fn rest(&mut self) -> Option<&[T]> {
        Some(self.as_slice())
    }
}

impl<T: Element> Removed<T> for vec::IntoIter<T> {
    fn rest(&mut self) -> Option<&[T]> {
        let range = self.as_slice().as_ptr_range();
        let rest = self.as_mut_slice();
        assert_eq!(rest.as_ptr_range(), range);
        Some(rest)
    }
}

/// Declares a trait of methods that the types already have, and implements it with them.
macro_rules! methods {
    ($(#[$doc:meta])* $trait:ident for $arrays:tt $($method:tt)*) => {
        $(#[$doc])*
        pub(crate) trait $trait<T: Element> {
            $(methods!(@declare $method);)*
        }
        methods!(@each $trait $arrays ($($method)*));
    };
    (@each $trait:ident ($($array:ident)*) $methods:tt) => {
        $(methods!(@implement $trait $array $methods);)*
    };
    (@implement $trait:ident $array:ident ($($method:tt)*)) => {
        impl<T: Element> $trait<T> for $array<T> {
            $(methods!(@define $array $method);)*
        }
    };
    (@declare ($($method:tt)*)) => { $($method)*; };
    (@define $array:ident
        (fn $name:ident(&mut $me:ident $(, $arg:ident: $of:ty)*) $(-> $result:ty)?)
    ) => {
        fn $name(&mut $me $(, $arg: $of)*) $(-> $result)? {
            $array::$name($me $(, $arg)*)
        }
    };
    (@define $array:ident
        (fn $name:ident(&$me:ident $(, $arg:ident: $of:ty)*) $(-> $result:ty)?)
    ) => {
        fn $name(&$me $(, $arg: $of)*) $(-> $result)? {
            $array::$name($me $(, $arg)*)
        }
    };
}

methods! {
    /// Methods of `VmVec` and `BlockVec`.
    Exclusive for (VmVec BlockVec)
    (fn push(&mut self, value: T))
    (fn try_push(&mut self, value: T) -> Result<(), Refused<T>>)
    (fn push_mut(&mut self, value: T) -> &mut T)
    (fn pop(&mut self) -> Option<T>)
    (fn pop_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T>)
    (fn insert(&mut self, index: usize, value: T))
    (fn try_insert(&mut self, index: usize, value: T) -> Result<(), Refused<T>>)
    (fn insert_mut(&mut self, index: usize, value: T) -> &mut T)
    (fn remove(&mut self, index: usize) -> T)
    (fn swap_remove(&mut self, index: usize) -> T)
    (fn index_of(&self, element: &T) -> Option<usize>)
    (fn truncate(&mut self, len: usize))
    (fn resize(&mut self, new_len: usize, value: T))
    (fn try_resize(&mut self, new_len: usize, value: T) -> Result<(), Refused<T>>)
    (fn resize_with(&mut self, new_len: usize, make: impl FnMut() -> T))
    (fn try_resize_with(&mut self, new_len: usize, make: impl FnMut() -> T) -> Result<(), Error>)
    (fn try_extend(&mut self, iter: Source<T>) -> Result<(), Refused<vec::Rest<Source<T>>>>)
    (fn extend_from_slice(&mut self, other: &[T]))
    (fn try_extend_from_slice(&mut self, other: &[T]) -> Result<(), Error>)
    (fn extend_from_within(&mut self, range: Range<usize>))
    (fn try_extend_from_within(&mut self, range: Range<usize>) -> Result<(), Error>)
    (fn append(&mut self, other: &mut Self))
    (fn try_append(&mut self, other: &mut Self) -> Result<(), Error>)
    (fn append_vec(&mut self, other: &mut Vec<T>))
    (fn try_append_vec(&mut self, other: &mut Vec<T>) -> Result<(), Error>)
    (fn split_off(&mut self, at: usize) -> Self)
    (fn extract_if(
        &mut self,
        range: Range<usize>,
        predicate: impl FnMut(&mut T) -> bool
    ) -> impl Iterator<Item = T>)
    (fn retain(&mut self, keep: impl FnMut(&T) -> bool))
    (fn retain_mut(&mut self, keep: impl FnMut(&mut T) -> bool))
    (fn dedup(&mut self))
    (fn dedup_by(&mut self, same: impl FnMut(&mut T, &mut T) -> bool))
    (fn dedup_by_key(&mut self, key: impl FnMut(&mut T) -> u8))
    (fn reserve(&mut self, additional: usize))
    (fn try_reserve(&mut self, additional: usize) -> Result<(), Error>)
    (fn reserve_exact(&mut self, additional: usize))
    (fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error>)
}

methods! {
    /// Methods of all arrays.
    Common for (VmVec BlockVec SharedVec)
    (fn len(&self) -> usize)
    (fn is_empty(&self) -> bool)
    (fn capacity(&self) -> usize)
    (fn max_len(&self) -> usize)
    (fn clear(&mut self))
    (fn drain(&mut self, range: Range<usize>) -> impl Removed<T>)
    (fn shrink_to_fit(&mut self))
    (fn shrink_to(&mut self, min_capacity: usize))
}

/// An array that the model compares with a `Vec`.
pub(crate) trait Array<T: Element>:
    Common<T>
    + Default
    + Debug
    + Clone
    + Ord
    + PartialEq<Vec<T>>
    + Extend<T>
    + FromIterator<T>
    + IntoIterator<Item = T, IntoIter: Removed<T> + Clone>
    + From<Vec<T>>
    + From<Self::Inner>
{
    type Config: Copy;

    /// Operations that only this array has.
    type Own: Debug;

    /// How often one of those is run, per 40 operations of `Vec`.
    const OWN: u32;

    /// Whether clones have the options of the original.
    const CLONES_OPTIONS: bool = true;

    /// The type with the methods that need exclusive access.
    type Inner: Exclusive<T>
        + Default
        + PartialEq<Vec<T>>
        + PartialEq
        + Debug
        + Common<T>
        + Extend<T>
        + IndexMut<usize, Output = T>;

    fn fresh(config: Self::Config) -> Self;

    /// Whether the maximum length is `T::SPAN`.
    fn is_bounded(config: Self::Config) -> bool;

    fn exclusive(&mut self) -> impl DerefMut<Target = Self::Inner>;

    fn shrink_to_fit_within(&mut self, budget: Budget) -> GivenBack;

    /// Checks what is specific to this array, and that elements are at the addresses in `places`, to which new ones are
    /// added.
    fn check(&mut self, std: &[T], places: &mut Vec<usize>);

    /// Memory was returned, so later elements may be at other addresses.
    fn forget_places(&self, _: &mut Vec<usize>) {}

    fn apply(model: &mut Model<T, Self>, op: &Self::Own);

    /// Checks the array at the end of a run.
    fn finish(&mut self, std: &[T]);
}

/// Asserts that two maxima are equal. On 32-bit systems, the default is a share of the remaining addresses, and other
/// tests reserve and release some at the same time.
#[track_caller]
pub(super) fn assert_same_max_len(one: usize, other: usize) {
    assert!(one == other || cfg!(target_pointer_width = "32"), "{one}, {other}");
}

/// Checks that the element at `index` is at the address where it was before.
pub(super) fn stays<T>(places: &mut Vec<usize>, index: usize, at: *const T) {
    match places.get(index) {
        Some(place) => assert_eq!(*place, at.addr(), "an element has moved"),
        None => places.push(at.addr()),
    }
}
