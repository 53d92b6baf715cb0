//! [`ArenaBox`]: a value in an arena that is dropped.
//!
//! # Why there is no `pin`
//!
//! Code may rely on the memory of a pinned value not being reused before the value is dropped. A forgotten box is never
//! dropped, but the arena reuses its memory after a reset. (The memory of a forgotten std `Box` is never reused.)

#![expect(unsafe_code, reason = "owns a value by a pointer to it")]

use super::Arena;
use super::bump::Bump;
use crate::error::{self, Refused};
use std::any::Any;
use std::borrow::{Borrow, BorrowMut};
use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::hash::{Hash, Hasher};
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::ptr::{self, NonNull};
use std::task::{Context, Poll};

/// A value in an [`Arena`] that is dropped with the box.
///
/// Made by [`alloc_box`](Arena::alloc_box) and [`alloc_box_slice_from_iter`](Arena::alloc_box_slice_from_iter). It works
/// like std's `Box`, except that its memory belongs to the arena and is not freed with it.
///
/// A forgotten box never drops its value, and the arena reuses the memory all the same. It therefore cannot pin values
/// that are not [`Unpin`]: those may rely on being dropped before their memory is reused. Use [`pin!`](std::pin::pin)
/// or [`Box::pin`] for them.
///
/// # Examples
///
/// ```
/// use stayput::Arena;
/// use std::rc::Rc;
///
/// let shared = Rc::new(5);
/// let arena = Arena::new();
/// let boxed = arena.alloc_box(shared.clone());
/// assert_eq!((**boxed, Rc::strong_count(&shared)), (5, 2));
/// drop(boxed);
/// assert_eq!(Rc::strong_count(&shared), 1);
/// ```
///
/// To make a trait object, use [`unsize`](Self::unsize):
///
/// ```
/// use stayput::{Arena, ArenaBox};
///
/// let arena = Arena::new();
/// let hello = arena.alloc_str("hello");
/// let hooks: [ArenaBox<dyn Fn(&str) -> String>; 2] = [
///     ArenaBox::unsize(arena.alloc_box(|name: &str| format!("{hello} {name}")), |hook| hook),
///     ArenaBox::unsize(arena.alloc_box(str::to_uppercase), |hook| hook),
/// ];
/// assert_eq!(hooks[0]("you"), "hello you");
/// assert_eq!(hooks[1]("you"), "YOU");
/// ```
///
/// A box does not outlive the arena or what its value borrows,
///
/// ```compile_fail,E0505
/// let arena = stayput::Arena::new();
/// let boxed = arena.alloc_box(1);
/// drop(arena);
/// drop(boxed);
/// ```
///
/// ```compile_fail,E0597
/// struct Loud<'a>(&'a str);
/// impl Drop for Loud<'_> {
///     fn drop(&mut self) {
///         println!("{}", self.0);
///     }
/// }
/// let arena = stayput::Arena::new();
/// let boxed;
/// {
///     let name = String::from("short");
///     boxed = arena.alloc_box(Loud(&name));
/// }
/// ```
///
/// and it is only `Send` if its value is:
///
/// ```compile_fail,E0277
/// let arena = stayput::Arena::new();
/// let boxed = arena.alloc_box(std::rc::Rc::new(1));
/// std::thread::scope(|threads| {
///     threads.spawn(move || drop(boxed));
/// });
/// ```
#[expect(
    explicit_outlives_requirements,
    reason = "by it, `ArenaBox<'a, dyn Trait>` in a signature means `dyn Trait + 'a`, as with `&'a dyn Trait`"
)]
// # Invariants
//
// - `value` points to a valid value in memory that stays valid for `'a`. For that time only this box uses the value, and
//   nothing else drops it, not even later: an arena drops no values.
pub struct ArenaBox<'a, T: ?Sized + 'a> {
    value: NonNull<T>,
    /// Owns a value: drops it, is `Send` and `Sync` if the value is, and is covariant.
    owned: PhantomData<T>,
    arena: PhantomData<&'a T>,
}

// SAFETY: only this box reaches the value, so sending the box sends no more than the value, which is `Send`. The arena
// is not reached through the box, not even by its drop.
unsafe impl<T: ?Sized + Send> Send for ArenaBox<'_, T> {}
// SAFETY: a shared box only gives access to a shared value.
unsafe impl<T: ?Sized + Sync> Sync for ArenaBox<'_, T> {}

/// Each call stores a value in new memory of the arena, and no other code gets the reference.
impl Bump {
    #[inline]
    #[track_caller]
    pub(super) fn alloc_box<T>(&self, value: T) -> ArenaBox<'_, T> {
        ArenaBox::owner_of(self.alloc(value))
    }

    #[inline]
    pub(super) fn try_alloc_box<T>(&self, value: T) -> Result<ArenaBox<'_, T>, Refused<T>> {
        self.try_alloc(value).map(ArenaBox::owner_of)
    }

    #[inline]
    pub(super) fn try_alloc_box_slice_from_iter<T>(
        &self,
        values: impl IntoIterator<Item = T>,
    ) -> Result<ArenaBox<'_, [T]>, error::Error> {
        self.try_alloc_slice_from_iter(values).map(ArenaBox::owner_of)
    }
}

impl<'a, T: ?Sized> ArenaBox<'a, T> {
    /// Names the fields that have no contents. The callers, which are all in this file, see to the invariants.
    #[inline]
    fn owner_of(value: &'a mut T) -> Self {
        Self { value: NonNull::from(value), owned: PhantomData, arena: PhantomData }
    }

    /// Creates a box from a pointer that [`into_raw`](Self::into_raw) returned.
    ///
    /// # Safety
    ///
    /// - `value` is not null and points to a valid value, in memory that stays valid and is not used otherwise for
    ///   `'a`. This holds for a pointer from [`into_raw`](Self::into_raw) of a box with that lifetime.
    /// - Nothing else uses or drops the value.
    #[inline]
    pub const unsafe fn from_raw(value: *mut T) -> Self {
        // SAFETY: "must be non-null", which the caller promises. The other promises are the invariants.
        let value = unsafe { NonNull::new_unchecked(value) };
        Self { value, owned: PhantomData, arena: PhantomData }
    }

    /// Returns the pointer to the value, which is not dropped unless [`from_raw`](Self::from_raw) makes a box of it
    /// again.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let raw: *mut String = ArenaBox::into_raw(arena.alloc_box("Ann".to_string()));
    /// // SAFETY: the pointer comes from `into_raw`, and is not used again.
    /// let name = unsafe { ArenaBox::from_raw(raw) };
    /// assert_eq!(*name, "Ann");
    /// ```
    #[inline]
    pub fn into_raw(this: Self) -> *mut T {
        ManuallyDrop::new(this).value.as_ptr()
    }

    /// Returns the value for as long as the arena is borrowed. It is never dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let numbers: &mut [u32; 3] = ArenaBox::leak(arena.alloc_box([1, 2, 3]));
    /// numbers[0] = 7;
    /// assert_eq!(*numbers, [7, 2, 3]);
    /// ```
    #[inline]
    pub fn leak(this: Self) -> &'a mut T {
        // SAFETY: "valid" and "aligned" for `'a`, and not used by anything else: by the invariants, and the box is consumed.
        unsafe { &mut *Self::into_raw(this) }
    }
}

impl<'a, T: ?Sized> ArenaBox<'a, T> {
    /// Converts the value to a trait object, or an array to a slice. With std's `Box`, this is the coercion
    /// `let object: Box<dyn Trait> = boxed`, which only std's types support.
    ///
    /// The second argument is always `|value| value`, in which the compiler coerces the reference. The target is given
    /// by the expected type, or as in `ArenaBox::unsize::<dyn Trait>`. If the trait object must be sent to other
    /// threads, name that too: `dyn Trait + Send`.
    ///
    /// Boxes of `dyn Fn` and `dyn FnMut` can be called like functions. One of `dyn FnOnce` cannot, because only std's
    /// `Box` can be called by value.
    ///
    /// O(1): the value does not move.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::fmt::Display;
    /// use stayput::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let mut list: Vec<ArenaBox<dyn Display>> = Vec::new();
    /// list.push(ArenaBox::unsize(arena.alloc_box(5), |value| value));
    /// list.push(ArenaBox::unsize(arena.alloc_box("text"), |value| value));
    /// assert_eq!(format!("{} {}", list[0], list[1]), "5 text");
    ///
    /// let mut calls = 0;
    /// let count = arena.alloc_box(|n: u32| calls += n);
    /// let mut count = ArenaBox::unsize::<dyn FnMut(u32)>(count, |count| count);
    /// count(2);
    /// count(3);
    /// drop(count);
    /// assert_eq!(calls, 5);
    ///
    /// let slice: ArenaBox<[_]> = ArenaBox::unsize(arena.alloc_box([1, 2, 3]), |array| array);
    /// assert_eq!(slice.len(), 3);
    /// ```
    ///
    /// Another value cannot get into the box,
    ///
    /// ```compile_fail
    /// use stayput::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let pair = arena.alloc_box((String::new(), 1));
    /// let text: ArenaBox<String> = ArenaBox::unsize(pair, |pair| &mut pair.0);
    /// ```
    ///
    /// not even from another call, because the second argument must not capture anything:
    ///
    /// ```compile_fail,E0308
    /// use std::any::Any;
    /// use stayput::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let captured = 1;
    /// let any: ArenaBox<dyn Any> = ArenaBox::unsize(arena.alloc_box(2), |value| {
    ///     drop(captured);
    ///     value
    /// });
    /// ```
    ///
    /// # Panics
    ///
    /// If `coerce` panics. The value leaks then.
    #[inline]
    pub fn unsize<U: ?Sized>(
        this: Self,
        coerce: for<'v> fn(&'v mut Unsizing<T>) -> &'v mut Unsizing<U>,
    ) -> ArenaBox<'a, U> {
        let value = ptr::from_mut(Self::leak(this)) as *mut Unsizing<T>;
        // SAFETY: `Unsizing` has the layout of its field, and the pointer is that of a reference for `'a`, which ends here.
        let value: &'a mut Unsizing<T> = unsafe { &mut *value };
        // The whole value that the box owned, see `Unsizing`.
        ArenaBox::owner_of(&mut coerce(value).0)
    }
}

/// A value while [`ArenaBox::unsize`] converts it. It only serves to coerce a reference to it.
///
/// # Examples
///
/// ```
/// use stayput::alloc::Unsizing;
/// use stayput::{Arena, ArenaBox};
///
/// fn as_slice(array: &mut Unsizing<[u8; 3]>) -> &mut Unsizing<[u8]> {
///     array
/// }
///
/// let arena = Arena::new();
/// let bytes: ArenaBox<[u8]> = ArenaBox::unsize(arena.alloc_box([1, 2, 3]), as_slice);
/// assert_eq!(*bytes, [1, 2, 3]);
/// ```
// Why nothing else is possible: user code only gets one as the argument of a function that captures nothing, by a
// reference whose lifetime it can neither choose nor name elsewhere. It cannot read, write, move or make one, nor
// borrow a field. So if the function returns, it returns its whole argument. A closure could capture the reference of
// another call, whose value would then be dropped twice.
#[repr(transparent)]
pub struct Unsizing<T: ?Sized>(T);

debug_as!([T: ?Sized] Unsizing<T>, "Unsizing");

impl<'a, T> ArenaBox<'a, T> {
    /// Equivalent to [`Arena::alloc_box`], under the name that `bumpalo` uses.
    ///
    /// # Panics
    ///
    /// If [`Arena::try_alloc_box`] returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena as Bump, ArenaBox as Box};
    ///
    /// let bump = Bump::new();
    /// let name: Box<String> = Box::new_in("Ann".to_string(), &bump);
    /// assert_eq!(*name, "Ann");
    /// ```
    #[inline]
    #[track_caller]
    pub fn new_in(value: T, arena: &'a Arena) -> Self {
        arena.alloc_box(value)
    }

    /// Moves the value out of the arena.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let name: String = ArenaBox::into_inner(arena.alloc_box("Ann".to_string()));
    /// drop(arena);
    /// assert_eq!(name, "Ann");
    /// ```
    #[inline]
    pub fn into_inner(this: Self) -> T {
        // SAFETY: a reference is valid for reads of an initialized value. The box owned the value, and after `leak` nothing
        // else uses or drops it.
        unsafe { ptr::read(Self::leak(this)) }
    }
}

impl<'a, T> ArenaBox<'a, [T]> {
    /// Equivalent to [`Arena::alloc_box_slice_from_iter`], under the name that `bumpalo` uses.
    ///
    /// # Panics
    ///
    /// If [`Arena::try_alloc_box_slice_from_iter`] returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Arena as Bump, ArenaBox as Box};
    ///
    /// let bump = Bump::new();
    /// let names: Box<[String]> = Box::from_iter_in(["Ann", "Ben"].map(String::from), &bump);
    /// assert_eq!(names[1], "Ben");
    /// ```
    #[inline]
    #[track_caller]
    pub fn from_iter_in(values: impl IntoIterator<Item = T>, arena: &'a Arena) -> Self {
        arena.alloc_box_slice_from_iter(values)
    }
}

impl<T: ?Sized> Drop for ArenaBox<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: "valid for dropping": the value is valid and owned by the box, which is not used again.
        unsafe { self.value.drop_in_place() };
    }
}

impl<T: ?Sized> Deref for ArenaBox<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: "convertible to a reference": the value is valid and only used through the box, which is borrowed.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for ArenaBox<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: "convertible to a reference": the value is valid and only used through the box, which is borrowed mutably.
        unsafe { self.value.as_mut() }
    }
}

/// Moving the box does not move the value.
impl<T: ?Sized> Unpin for ArenaBox<'_, T> {}

impl<'a, T, const N: usize> From<ArenaBox<'a, [T; N]>> for ArenaBox<'a, [T]> {
    /// Returns the same values as a slice.
    #[inline]
    fn from(array: ArenaBox<'a, [T; N]>) -> Self {
        ArenaBox::unsize(array, |array| array)
    }
}

/// Returns the same values as an array if there are exactly `N` of them, or else the slice.
impl<'a, T, const N: usize> TryFrom<ArenaBox<'a, [T]>> for ArenaBox<'a, [T; N]> {
    type Error = ArenaBox<'a, [T]>;

    #[inline]
    fn try_from(slice: ArenaBox<'a, [T]>) -> Result<Self, ArenaBox<'a, [T]>> {
        if slice.len() != N {
            return Err(slice);
        }
        let array = ArenaBox::leak(slice).try_into();
        Ok(ArenaBox::owner_of(array.unwrap_or_else(|_| unreachable!("it has `N` values"))))
    }
}

/// An empty slice, which needs no memory.
impl<T> Default for ArenaBox<'_, [T]> {
    #[inline]
    fn default() -> Self {
        Self::owner_of(&mut [])
    }
}

/// An empty string, which needs no memory.
impl Default for ArenaBox<'_, str> {
    #[inline]
    fn default() -> Self {
        Self::owner_of(Default::default())
    }
}

/// Implements `downcast` for boxes of `dyn Any`, with and without `Send` and `Sync`.
macro_rules! downcast {
    ($($any:ty),+ $(,)?) => { $(
        impl<'a> ArenaBox<'a, $any> {
            /// Downcasts the box to the type `T`.
            ///
            /// # Errors
            ///
            /// Returns the box if the value is not a `T`.
            ///
            /// # Examples
            ///
            /// ```
            /// use std::any::Any;
            /// use stayput::{Arena, ArenaBox};
            ///
            /// let arena = Arena::new();
            #[doc = concat!("let any: ArenaBox<", stringify!($any), "> =")]
            ///     ArenaBox::unsize(arena.alloc_box(5), |value| value);
            /// let any = any.downcast::<&str>().unwrap_err();
            /// assert_eq!(*any.downcast::<i32>().unwrap(), 5);
            /// ```
            #[inline]
            pub fn downcast<T: Any>(self) -> Result<ArenaBox<'a, T>, Self> {
                if !self.is::<T>() {
                    return Err(self);
                }
                let value = Self::leak(self).downcast_mut();
                Ok(ArenaBox::owner_of(value.unwrap_or_else(|| unreachable!("it is a `T`"))))
            }
        }
    )+ };
}
downcast!(dyn Any, dyn Any + Send, dyn Any + Send + Sync);

impl<T: ?Sized + fmt::Debug> fmt::Debug for ArenaBox<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for ArenaBox<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> fmt::Pointer for ArenaBox<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Pointer::fmt(&self.value, f)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for ArenaBox<'_, T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for ArenaBox<'_, T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for ArenaBox<'_, T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for ArenaBox<'_, T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for ArenaBox<'_, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized> AsRef<T> for ArenaBox<'_, T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> AsMut<T> for ArenaBox<'_, T> {
    fn as_mut(&mut self) -> &mut T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for ArenaBox<'_, T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized> BorrowMut<T> for ArenaBox<'_, T> {
    fn borrow_mut(&mut self) -> &mut T {
        self
    }
}

impl<I: ?Sized + Iterator> Iterator for ArenaBox<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        (**self).next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (**self).size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<I::Item> {
        (**self).nth(n)
    }
}

impl<I: ?Sized + DoubleEndedIterator> DoubleEndedIterator for ArenaBox<'_, I> {
    fn next_back(&mut self) -> Option<I::Item> {
        (**self).next_back()
    }
}

impl<I: ?Sized + ExactSizeIterator> ExactSizeIterator for ArenaBox<'_, I> {}

impl<I: ?Sized + FusedIterator> FusedIterator for ArenaBox<'_, I> {}

impl<F: ?Sized + Future + Unpin> Future for ArenaBox<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        Pin::new(&mut **self).poll(context)
    }
}

impl<E: ?Sized + Error> Error for ArenaBox<'_, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}
