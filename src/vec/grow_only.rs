//! [`GrowOnly`]: push through `&self` while references to earlier elements are alive.
//!
//! # Why this is sound
//!
//! The scope holds the only mutable borrow of the array for `'v`. During `'v` the array is therefore only reached by
//! the code in this file, from the one thread that has the scope, which is neither `Send` nor `Sync`. A reference
//! `&'v T` that it returns stays valid if during `'v` the element (1) is not moved, (2) is not dropped, and (3) is not
//! accessed mutably:
//!
//! 1. Growing never moves elements, which is the contract of the array. Nothing else here moves any. (Growth may move
//!    those of an array that is private to a container. Only `DenseSlotMap` opens a scope of such an array, for its
//!    keys, and it keeps none of the references that this scope returns.)
//! 2. The scope removes nothing, and the array cannot be dropped or moved while it is borrowed.
//! 3. The scope makes no `&mut T` to any element, nor a slice of them. A push writes only past the last element, by raw
//!    pointer, where no reference points yet.
//!
//! The fields of the array, which a push changes through `&self`, are borrowed mutably one call at a time, by
//! [`LendCell`]: code that runs while the array takes memory (a [`Backing`](crate::Backing), the program's allocator, a
//! panic hook) and calls the scope again is refused. Nothing else here runs user code: values are made before, and
//! dropped after. The drop of a refused value, or an iterator, may therefore push into the same scope.

#![expect(unsafe_code, reason = "changes the array through a shared reference")]

use super::VmVec;
use super::lend_cell::{Lend, LendCell, scope_methods};
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::raw_vec::Options;
use std::fmt;
use std::ops::Index;
use std::slice::{self, SliceIndex};

/// A scope in which a [`VmVec`] can only grow; created by [`VmVec::grow_only`].
///
/// Its `push` takes `&self` and returns a reference that lives as long as the scope's borrow of the array, across any
/// number of later pushes. It costs the same as [`VmVec::push`].
///
/// Elements can be neither removed nor modified in the scope (except through [`Cell`](std::cell::Cell) and the like),
/// and the scope stays on one thread.
///
/// While the array takes memory, other code of the program may run that has access to the scope: a
/// [`Backing`](crate::Backing), a global allocator, or a panic hook called from one of them. If such code uses the
/// scope, methods that begin with `try_` return an error ([`Busy`](crate::ErrorKind::Busy)), and all others panic. The
/// scope remains usable afterwards.
///
/// # Examples
///
/// ```
/// use stayput::VmVec;
///
/// let mut words = VmVec::new();
/// let scope = words.grow_only();
/// let mut longest = scope.push("a".to_string());
/// for n in 2..1000 {
///     let word = scope.push("a".repeat(n % 7)); // earlier references stay valid
///     if word.len() > longest.len() {
///         longest = word;
///     }
/// }
/// assert_eq!(longest, "aaaaaa");
/// ```
///
/// Elements can refer to each other in an array that is never dropped. (If the array were dropped, references into it
/// would dangle during the drop.)
///
/// ```
/// use stayput::{GrowOnly, VmVec};
///
/// struct Node {
///     name: &'static str,
///     parent: Option<&'static Node>,
/// }
///
/// let tree: GrowOnly<'static, Node> = Box::leak(Box::new(VmVec::new())).grow_only();
/// let root = tree.push(Node { name: "root", parent: None });
/// let leaf = tree.push(Node { name: "leaf", parent: Some(root) });
/// assert_eq!(leaf.parent.unwrap().name, "root");
/// ```
///
/// The array cannot be used while a reference is alive,
///
/// ```compile_fail,E0499
/// let mut numbers = stayput::VmVec::from([1]);
/// let two = numbers.grow_only().push(2);
/// numbers.push(3); // would be fine without the next line
/// println!("{two}");
/// ```
///
/// nor can a reference outlive the array,
///
/// ```compile_fail,E0597
/// let two = {
///     let mut numbers = stayput::VmVec::from([1]);
///     numbers.grow_only().push(2)
/// };
/// println!("{two}");
/// ```
///
/// elements cannot be accessed mutably,
///
/// ```compile_fail,E0594
/// let mut numbers = stayput::VmVec::from([1]);
/// let scope = numbers.grow_only();
/// let two = scope.push(2);
/// *two = 3;
/// ```
///
/// ```compile_fail,E0596
/// let mut numbers = stayput::VmVec::from([1]);
/// let scope = numbers.grow_only();
/// scope.as_slice()[0..1].sort();
/// ```
///
/// ```compile_fail,E0594
/// let mut numbers = stayput::VmVec::from([1]);
/// let mut scope = numbers.grow_only();
/// scope[0] = 2;
/// ```
///
/// the lifetime of elements cannot be shortened to push others,
///
/// ```compile_fail
/// fn shorten<'v, 's>(
///     scope: stayput::GrowOnly<'v, &'static str>,
/// ) -> stayput::GrowOnly<'v, &'s str> {
///     scope
/// }
/// ```
///
/// and the scope cannot be used by another thread, by reference or by value:
///
/// ```compile_fail,E0277
/// let mut numbers = stayput::VmVec::from([1]);
/// let scope = numbers.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(|| scope.push(2));
///     threads.spawn(|| scope.push(3));
/// });
/// ```
///
/// ```compile_fail,E0277
/// let mut numbers = stayput::VmVec::from([1]);
/// let scope = numbers.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(move || { scope.push(2); });
/// });
/// ```
pub struct GrowOnly<'v, T> {
    /// Also keeps the scope on one thread.
    vec: LendCell<'v, VmVec<T>>,
}

impl<T> Lend for VmVec<T> {
    fn placeholder() -> Self {
        Self::with_options(&Options::FULL)
    }

    #[inline]
    fn is_placeholder(&self) -> bool {
        self.is_full_for_good()
    }
}

impl<'v, T> GrowOnly<'v, T> {
    #[inline]
    pub(super) fn new(vec: &'v mut VmVec<T>) -> Self {
        Self { vec: LendCell::new(vec) }
    }

    scope_methods!(VmVec);

    /// Appends an element and returns a reference to it, or returns the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::VmVec;
    ///
    /// let mut names = VmVec::with_max_len(1);
    /// let scope = names.grow_only();
    /// let ann = scope.try_push("Ann".to_string())?;
    /// let refused = scope.try_push("Ben".to_string()).unwrap_err();
    /// assert_eq!((ann.as_str(), refused.value.as_str()), ("Ann", "Ben"));
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[inline]
    pub fn try_push(&self, value: T) -> Result<&'v T, Refused<T>> {
        // Room is made before, since the value is dropped if a backing unwinds, and that runs user code.
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value });
        }
        let store = |vec: &mut VmVec<T>| {
            let len = vec.len;
            // SAFETY: `make_room_for_one` has made the capacity exceed the length, and nothing ran since.
            unsafe { vec.write_end(len, value) };
            // SAFETY: the element was just initialized, and is neither moved, dropped nor accessed mutably during `'v`:
            // (1) to (3) of this module.
            unsafe { &*vec.place(len) }
        };
        // SAFETY: `store` moves a value and counts it, so it runs no user code, neither allocates nor panics. The array
        // seen has room, so it is not the placeholder.
        Ok(unsafe { self.vec.lend_seen(store) })
    }

    #[inline]
    fn make_room_for_one(&self) -> Result<(), Error> {
        // The placeholder, which is seen while the array is lent, is full.
        // SAFETY: the closure compares two numbers, so it runs no user code, neither allocates nor panics.
        let has_room = unsafe { self.vec.lend_seen(|vec| vec.len < vec.capacity()) };
        if has_room { Ok(()) } else { self.grow_by_one() }
    }

    #[cold]
    #[inline(never)]
    fn grow_by_one(&self) -> Result<(), Error> {
        self.vec.lend(VmVec::grow_by_one)?
    }

    /// See [`VmVec::max_len`].
    #[track_caller]
    pub fn max_len(&self) -> usize {
        // Not `look`, since this may ask the system, which allocates strings.
        unwrap_or_panic(self.vec.lend(|vec| vec.max_len()))
    }

    /// Returns all current elements as a slice, which does not grow with the array. O(1).
    #[inline]
    #[track_caller]
    pub fn as_slice(&self) -> &'v [T] {
        // SAFETY: the closure copies an address and a number, so it runs no user code, neither allocates nor panics.
        let (first, len) = unsafe { self.vec.look(|vec| (vec.as_ptr(), vec.len)) };
        // SAFETY: `len` elements are initialized, in one aligned range (*elements* and *capacity* of the array), and
        // are neither moved, dropped nor accessed mutably during `'v`: (1) to (3) of this module.
        unsafe { slice::from_raw_parts(first, len) }
    }

    /// Returns a reference to the element or slice at `index`, or `None` if it is out of bounds.
    #[inline]
    #[track_caller]
    pub fn get<I: SliceIndex<[T]>>(&self, index: I) -> Option<&'v I::Output> {
        self.as_slice().get(index)
    }

    /// Returns an iterator over the current elements. Elements that are pushed later are not included.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut tasks = stayput::VmVec::from(["walk", "read"]);
    /// let scope = tasks.grow_only();
    /// for task in scope.iter() {
    ///     if *task == "walk" {
    ///         scope.push("rest");
    ///     }
    /// }
    /// assert_eq!(*scope.as_slice(), ["walk", "read", "rest"]);
    /// ```
    #[track_caller]
    pub fn iter(&self) -> slice::Iter<'v, T> {
        self.as_slice().iter()
    }
}

impl<T, I: SliceIndex<[T]>> Index<I> for GrowOnly<'_, T> {
    type Output = I::Output;

    #[inline]
    #[track_caller]
    fn index(&self, index: I) -> &I::Output {
        &self.as_slice()[index]
    }
}

iterate_by_ref!(['v, T] GrowOnly<'v, T>: &'v T => slice::Iter<'v, T>);

debug_items!([T: fmt::Debug] GrowOnly<'_, T>, debug_list, |scope| scope);
