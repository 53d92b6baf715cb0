//! [`GrowOnlyBlockVec`]: push through `&self` while references to earlier elements are alive.
//!
//! # Why this is sound
//!
//! As for the scope of a [`VmVec`](crate::VmVec): the scope holds the only mutable borrow of the array for `'v`, on one
//! thread. A reference `&'v T` that it returns stays valid if during `'v` the element (1) is not moved, (2) is not
//! dropped, and (3) is not accessed mutably:
//!
//! 1. Growing allocates blocks and moves none. The table of blocks may move, but no reference to it is returned.
//! 2. The scope removes nothing, and the array cannot be dropped or moved while it is borrowed.
//! 3. The scope makes no `&mut T` to any element, nor a slice of them. A push writes only past the last element, by raw
//!    pointer, where no reference points yet.
//!
//! The fields of the array are borrowed mutably one call at a time, by [`LendCell`]: code that runs while the array
//! takes memory (the program's allocator, a panic hook) and calls the scope again is refused. Nothing else here runs
//! user code: values are made before, and dropped after.

#![expect(unsafe_code, reason = "changes the array through a shared reference")]

use super::BlockVec;
use super::access::out_of_bounds;
use super::raw::Raw;
use crate::error::{Error, Refused};
use crate::vec::lend_cell::{Lend, LendCell, scope_methods};
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Index;
use std::slice;

/// A scope in which a [`BlockVec`] can only grow; created by [`BlockVec::grow_only`].
///
/// Its `push` takes `&self` and returns a reference that lives as long as the scope's borrow of the array, across any
/// number of later pushes. It costs the same as [`BlockVec::push`].
///
/// Elements can be neither removed nor modified in the scope (except through [`Cell`](std::cell::Cell) and the like),
/// and the scope stays on one thread.
///
/// While the array takes memory, other code of the program may run that has access to the scope: a global allocator, or
/// a panic hook called from it. If such code uses the scope, methods that begin with `try_` return an error
/// ([`Busy`](crate::ErrorKind::Busy)), and all others panic. The scope remains usable afterwards.
///
/// # Examples
///
/// ```
/// use stayput::BlockVec;
///
/// let mut words = BlockVec::new();
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
/// The array cannot be used while a reference is alive,
///
/// ```compile_fail,E0499
/// let mut numbers = stayput::BlockVec::from([1]);
/// let two = numbers.grow_only().push(2);
/// numbers.push(3); // would be fine without the next line
/// println!("{two}");
/// ```
///
/// nor can a reference outlive the array,
///
/// ```compile_fail,E0597
/// let two = {
///     let mut numbers = stayput::BlockVec::from([1]);
///     numbers.grow_only().push(2)
/// };
/// println!("{two}");
/// ```
///
/// elements cannot be accessed mutably,
///
/// ```compile_fail,E0594
/// let mut numbers = stayput::BlockVec::from([1]);
/// let mut scope = numbers.grow_only();
/// scope[0] = 2;
/// ```
///
/// the lifetime of elements cannot be shortened to push others,
///
/// ```compile_fail
/// fn shorten<'v, 's>(
///     scope: stayput::GrowOnlyBlockVec<'v, &'static str>,
/// ) -> stayput::GrowOnlyBlockVec<'v, &'s str> {
///     scope
/// }
/// ```
///
/// and the scope cannot be used by another thread, by reference or by value:
///
/// ```compile_fail,E0277
/// let mut numbers = stayput::BlockVec::from([1]);
/// let scope = numbers.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(|| scope.push(2));
///     threads.spawn(|| scope.push(3));
/// });
/// ```
///
/// ```compile_fail,E0277
/// let mut numbers = stayput::BlockVec::from([1]);
/// let scope = numbers.grow_only();
/// std::thread::scope(|threads| {
///     threads.spawn(move || { scope.push(2); });
/// });
/// ```
pub struct GrowOnlyBlockVec<'v, T> {
    /// Also keeps the scope on one thread.
    vec: LendCell<'v, BlockVec<T>>,
}

impl<T> Lend for BlockVec<T> {
    fn placeholder() -> Self {
        Self { raw: Raw::NOTHING }
    }

    #[inline]
    fn is_placeholder(&self) -> bool {
        self.raw.is_nothing()
    }
}

impl<'v, T> GrowOnlyBlockVec<'v, T> {
    #[inline]
    pub(super) fn new(vec: &'v mut BlockVec<T>) -> Self {
        Self { vec: LendCell::new(vec) }
    }

    scope_methods!(BlockVec);

    /// Appends an element and returns a reference to it, or returns the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::BlockVec;
    ///
    /// let mut names = BlockVec::with_max_len(1);
    /// let scope = names.grow_only();
    /// let ann = scope.try_push("Ann".to_string())?;
    /// let refused = scope.try_push("Ben".to_string()).unwrap_err();
    /// assert_eq!((ann.as_str(), refused.value.as_str()), ("Ann", "Ben"));
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[inline]
    pub fn try_push(&self, value: T) -> Result<&'v T, Refused<T>> {
        // Room is made before, since the value is dropped if an allocator unwinds, and that runs user code.
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value });
        }
        // SAFETY: this moves a value and counts it, and does not panic: the array seen has room, so it is not the
        // placeholder.
        let place = unsafe { self.vec.lend_seen(|vec| vec.raw.push_within(value)) };
        // SAFETY: the element is initialized, and neither moves nor changes for `'v`: see above.
        Ok(unsafe { &*place })
    }

    #[inline]
    fn make_room_for_one(&self) -> Result<(), Error> {
        // The placeholder, which is seen while the array is lent, is full.
        // SAFETY: this only compares numbers.
        let has_room = unsafe { self.vec.lend_seen(|vec| vec.raw.has_room()) };
        if has_room { Ok(()) } else { self.grow_by_one() }
    }

    #[cold]
    #[inline(never)]
    fn grow_by_one(&self) -> Result<(), Error> {
        self.vec.lend(|vec| vec.raw.grow_by_one())?
    }

    /// See [`BlockVec::max_len`].
    #[track_caller]
    pub fn max_len(&self) -> usize {
        // SAFETY: this only reads a number.
        unsafe { self.vec.look(BlockVec::max_len) }
    }

    /// Returns a reference to the element at `index`, or `None` if it is out of bounds. O(1).
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> Option<&'v T> {
        // SAFETY: this only reads numbers and an address.
        let found = unsafe { self.vec.look(|vec| vec.get(index).map(|found| &raw const *found)) };
        // SAFETY: the element is initialized, and neither moves nor changes for `'v`: see above.
        found.map(|found| unsafe { &*found })
    }

    /// Returns the contiguous elements from `index` on, up to `end`, which must be within the length and not less.
    #[track_caller]
    fn run(&self, index: usize, end: usize) -> &'v [T] {
        // SAFETY: this only reads numbers and an address. It does not panic: `index <= end`, and `end` was the length
        // when the iterator was created that calls this, and the array never becomes shorter.
        let run = unsafe { self.vec.look(|vec| &raw const *vec.raw.run(index, end)) };
        // SAFETY: the elements are initialized, and neither move nor change for `'v`: see above.
        unsafe { &*run }
    }

    /// Returns an iterator over the current elements. Elements that are pushed later are not included.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut tasks = stayput::BlockVec::from(["walk", "read"]);
    /// let scope = tasks.grow_only();
    /// for task in scope.iter() {
    ///     if *task == "walk" {
    ///         scope.push("rest");
    ///     }
    /// }
    /// assert_eq!(tasks, ["walk", "read", "rest"]);
    /// ```
    #[track_caller]
    pub fn iter(&self) -> GrowOnlyIter<'_, 'v, T> {
        GrowOnlyIter { scope: self, run: [].iter(), next: 0, end: self.len() }
    }
}

impl<T> Index<usize> for GrowOnlyBlockVec<'_, T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: usize) -> &T {
        match self.get(index) {
            Some(element) => element,
            None => out_of_bounds(index, self.len()),
        }
    }
}

iterate_by_ref!(['v, T] GrowOnlyBlockVec<'v, T>: &'v T => GrowOnlyIter<'a, 'v, T>);

debug_items!([T: fmt::Debug] GrowOnlyBlockVec<'_, T>, debug_list, |scope| scope);

/// An iterator over the elements that a scope had when the iterator was created.
///
/// This struct is created by [`GrowOnlyBlockVec::iter`]. See its documentation for more.
///
/// # Panics
///
/// If it is used while the array takes memory, like other methods of the scope.
pub struct GrowOnlyIter<'s, 'v, T> {
    scope: &'s GrowOnlyBlockVec<'v, T>,
    /// Elements of a block that precede `next`.
    run: slice::Iter<'v, T>,
    next: usize,
    end: usize,
}

impl<T> GrowOnlyIter<'_, '_, T> {
    /// Loads the next run, after the last one ended. Returns `false` if there is none.
    #[cold]
    #[inline(never)]
    fn step(&mut self) -> bool {
        self.run = self.scope.run(self.next, self.end).iter();
        self.next += self.run.len();
        self.run.len() > 0
    }
}

impl<'v, T> Iterator for GrowOnlyIter<'_, 'v, T> {
    type Item = &'v T;

    #[inline]
    fn next(&mut self) -> Option<&'v T> {
        if self.run.len() == 0 && !self.step() {
            return None;
        }
        self.run.next()
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.run.len() + (self.end - self.next);
        (count, Some(count))
    }
}

impl<T> ExactSizeIterator for GrowOnlyIter<'_, '_, T> {}
impl<T> FusedIterator for GrowOnlyIter<'_, '_, T> {}

clone_fields!([T] GrowOnlyIter<'_, '_, T>: scope, run, next, end);

debug_items!([T: fmt::Debug] GrowOnlyIter<'_, '_, T>, debug_list, |items| items.clone());
