//! [`ArenaBox`]: a value in an arena that is dropped.
//!
//! # Why there is no `pin`
//!
//! A pinned value may count on it that its memory is not used for anything else before it is
//! dropped. A box that is forgotten is never dropped, and the arena uses its memory again after a
//! reset. (Of std's boxes the memory is never used again then.)

#![expect(unsafe_code, reason = "owns a value by a pointer to it")]

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

/// A value in an [`Arena`](crate::Arena) that is dropped when the box is.
///
/// Made by [`alloc_box`](crate::Arena::alloc_box) and
/// [`alloc_box_slice_from_iter`](crate::Arena::alloc_box_slice_from_iter). It is std's `Box`, but
/// for that its memory is the arena's: a drop gives none back.
///
/// A forgotten box never drops its value; the arena takes the memory back regardless. So it cannot
/// pin a value that is not [`Unpin`]: a pinned value may count on being dropped before its memory is used
/// for something else. For those there are [`pin!`](std::pin::pin) and [`Box::pin`].
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
/// As a trait object, by [`unsize`](Self::unsize):
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
/// A box does not outlive the arena, nor what its value borrows:
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
/// and is no more of another thread than its value:
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
pub struct ArenaBox<'a, T: ?Sized + 'a> {
    value: NonNull<T>,
    /// It owns a value: drops it, is `Send` and `Sync` if it is, and is covariant.
    owned: PhantomData<T>,
    arena: PhantomData<&'a T>,
}

// SAFETY: the value is this box's alone, so whoever has the box has no more than the value, which
// may be sent. The arena is not reached through the box, not even when it is dropped.
unsafe impl<T: ?Sized + Send> Send for ArenaBox<'_, T> {}
// SAFETY: a shared box gives only a shared value.
unsafe impl<T: ?Sized + Sync> Sync for ArenaBox<'_, T> {}

impl<'a, T: ?Sized> ArenaBox<'a, T> {
    /// Takes over a value that nobody will drop but the box.
    #[inline]
    pub(super) fn new(value: &'a mut T) -> Self {
        Self { value: NonNull::from(value), owned: PhantomData, arena: PhantomData }
    }

    /// The box of a value that [`into_raw`](Self::into_raw) gave.
    ///
    /// # Safety
    ///
    /// - `value` is not null, and points to a value that lives in memory that stays good, and is
    ///   not used otherwise, for `'a`, as is that of a pointer from [`into_raw`](Self::into_raw) of
    ///   a box with that lifetime.
    /// - Nobody else uses the value, or drops it.
    #[inline]
    pub const unsafe fn from_raw(value: *mut T) -> Self {
        // SAFETY: not null by the caller's promise.
        let value = unsafe { NonNull::new_unchecked(value) };
        Self { value, owned: PhantomData, arena: PhantomData }
    }

    /// The pointer to the value, which is not dropped unless [`from_raw`](Self::from_raw) makes a
    /// box of it again.
    #[inline]
    pub fn into_raw(this: Self) -> *mut T {
        ManuallyDrop::new(this).value.as_ptr()
    }

    /// The value, which is never dropped, for as long as the arena is borrowed.
    #[inline]
    pub fn leak(this: Self) -> &'a mut T {
        // SAFETY: it was the box's alone, which is gone, and its memory stays good for `'a`.
        unsafe { &mut *Self::into_raw(this) }
    }
}

impl<'a, T: ?Sized> ArenaBox<'a, T> {
    /// The same value as a trait object, or an array as a slice: what `let object: Box<dyn Trait> = boxed`
    /// is with std's `Box`, whose coercion only std's types have.
    ///
    /// The second argument is always `|value| value`: there the compiler coerces. What it is to be is named by
    /// the type that is asked for, or as `ArenaBox::unsize::<dyn Trait>`. With a trait object that is to be
    /// another's, name that: `dyn Trait + Send`.
    ///
    /// Boxes of `dyn Fn` and `dyn FnMut` are called like functions; one of `dyn FnOnce` cannot be, for only
    /// std's `Box` can be called by value.
    ///
    /// O(1): the value stays where it is.
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
    /// No other value gets into the box:
    ///
    /// ```compile_fail
    /// use stayput::{Arena, ArenaBox};
    ///
    /// let arena = Arena::new();
    /// let pair = arena.alloc_box((String::new(), 1));
    /// let text: ArenaBox<String> = ArenaBox::unsize(pair, |pair| &mut pair.0);
    /// ```
    ///
    /// not even out of another call, for a closure that captures something is none that can be given:
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
    #[inline]
    pub fn unsize<U: ?Sized>(
        this: Self,
        coerce: for<'v> fn(&'v mut Unsizing<T>) -> &'v mut Unsizing<U>,
    ) -> ArenaBox<'a, U> {
        let value = Self::into_raw(this) as *mut Unsizing<T>;
        // SAFETY: the box owned a value, which is nobody's now, and `Unsizing` is laid out as it is.
        let value = coerce(unsafe { &mut *value });
        // SAFETY: it is the value that the box owned, all of it: see `Unsizing`.
        unsafe { ArenaBox::from_raw(ptr::from_mut(value) as *mut U) }
    }
}

/// A value while [`ArenaBox::unsize`] makes a trait object, or a slice, of it. Nothing can be done with
/// it but to coerce a reference to it.
//
// Why that is so: nobody outside gets one but as the argument of a function that captures nothing and is
// given a reference of a lifetime that it cannot choose, or name outside. It cannot be read or written,
// moved out, or made, and has no fields to be borrowed. So what such a function returns, if it returns, is its
// argument, and all of it. A closure could capture the reference of another call, whose value would then be
// dropped twice.
#[repr(transparent)]
pub struct Unsizing<T: ?Sized>(T);

debug_as!([T: ?Sized] Unsizing<T>, "Unsizing");

impl<T> ArenaBox<'_, T> {
    /// The value, moved out of the arena.
    #[inline]
    pub fn into_inner(this: Self) -> T {
        // SAFETY: the box owns a value, and does not drop it.
        unsafe { Self::into_raw(this).read() }
    }
}

impl<T: ?Sized> Drop for ArenaBox<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the box owns a value, and ends here.
        unsafe { self.value.drop_in_place() };
    }
}

impl<T: ?Sized> Deref for ArenaBox<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the box owns a value.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized> DerefMut for ArenaBox<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the box owns a value, and is borrowed mutably.
        unsafe { self.value.as_mut() }
    }
}

/// The address of the value has nothing to do with that of the box.
impl<T: ?Sized> Unpin for ArenaBox<'_, T> {}

impl<'a, T, const N: usize> From<ArenaBox<'a, [T; N]>> for ArenaBox<'a, [T]> {
    /// The same values, as a slice.
    #[inline]
    fn from(array: ArenaBox<'a, [T; N]>) -> Self {
        let array = ArenaBox::into_raw(array);
        // SAFETY: the pointer was just a box's, and the box is gone.
        unsafe { ArenaBox::from_raw(array as *mut [T]) }
    }
}

/// The same values, as an array, if there are so many; if not, the slice.
impl<'a, T, const N: usize> TryFrom<ArenaBox<'a, [T]>> for ArenaBox<'a, [T; N]> {
    type Error = ArenaBox<'a, [T]>;

    #[inline]
    fn try_from(slice: ArenaBox<'a, [T]>) -> Result<Self, ArenaBox<'a, [T]>> {
        if slice.len() != N {
            return Err(slice);
        }
        let slice = ArenaBox::into_raw(slice);
        // SAFETY: the pointer was just a box's, and the box is gone. So many values lie there.
        Ok(unsafe { ArenaBox::from_raw(slice.cast::<[T; N]>()) })
    }
}

/// No values, and no memory.
impl<T> Default for ArenaBox<'_, [T]> {
    #[inline]
    fn default() -> Self {
        Self::new(&mut [])
    }
}

/// No text, and no memory.
impl Default for ArenaBox<'_, str> {
    #[inline]
    fn default() -> Self {
        Self::new(Default::default())
    }
}

/// Implements `downcast` for boxes of `dyn Any`, alone and with what else it may be.
macro_rules! downcast {
    ($($any:ty),+ $(,)?) => { $(
        impl<'a> ArenaBox<'a, $any> {
            /// The value by its type, if that is `T`; if not, the box.
            ///
            /// # Errors
            ///
            /// The box, if the value is of another type.
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
                let value = Self::into_raw(self);
                // SAFETY: the pointer was just a box's, and the box is gone. The value is a `T`.
                Ok(unsafe { ArenaBox::from_raw(value.cast::<T>()) })
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
