//! [`GrowOnlyBlockVec`]: push through `&self`, while references to earlier elements live.
//!
//! # Why this is sound
//!
//! As in the scope of a [`VmVec`](crate::VmVec): the scope holds the one mutable borrow of the array for `'v`, on one
//! thread. A reference that it gives out, `&'v T`, stays good if during `'v` the element (1) is not moved, (2) is not
//! dropped, and (3) is not reached mutably:
//!
//! 1. Growing takes blocks and moves none. What may move is the table of blocks, to which no reference is given out.
//! 2. There is no removal here. The array itself cannot be dropped, or taken away, while it is borrowed.
//! 3. No `&mut T` and no slice of them is made here, of any element. Pushing writes only behind the last element, by raw
//!    pointer, where no reference points yet.
//!
//! The array's own fields are borrowed mutably one at a time, for which [`Lent`] answers: whatever runs while the array
//! takes memory (the program's allocator, the hook of a panic) and comes back to the scope is refused. All else here runs
//! no code of users: values are made before, and dropped after.

#![expect(unsafe_code, reason = "changes the array through a shared reference")]

use super::BlockVec;
use super::access::out_of_bounds;
use super::raw::Raw;
use crate::error::{Error, Refused};
use crate::vec::lent::{Lend, Lent, scope_methods};
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Index;
use std::slice;

/// A scope in which a [`BlockVec`] can only grow, made by [`BlockVec::grow_only`].
///
/// Its `push` takes `&self` and returns a reference that lives as long as the scope's borrow of
/// the array: across any number of further pushes. It costs what [`BlockVec::push`] costs.
///
/// Elements can neither be removed nor changed inside the scope (use [`Cell`](std::cell::Cell) and
/// the like for what must change), and it stays on one thread.
///
/// While the array takes memory, code of the program may run that has the scope too: a global allocator, or the hook of a
/// panic in it. To use the scope there is refused: calls that begin with `try_` have an error
/// ([`Busy`](crate::ErrorKind::Busy)), all others panic. Before and after, it is as ever.
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
///     let word = scope.push("a".repeat(n % 7)); // earlier references stay good
///     if word.len() > longest.len() {
///         longest = word;
///     }
/// }
/// assert_eq!(longest, "aaaaaa");
/// ```
///
/// References end with the borrow: the array cannot be used while one lives,
///
/// ```compile_fail,E0499
/// let mut numbers = stayput::BlockVec::from([1]);
/// let two = numbers.grow_only().push(2);
/// numbers.push(3); // would be fine without the next line
/// println!("{two}");
/// ```
///
/// nor outlive the array,
///
/// ```compile_fail,E0597
/// let two = {
///     let mut numbers = stayput::BlockVec::from([1]);
///     numbers.grow_only().push(2)
/// };
/// println!("{two}");
/// ```
///
/// nothing that is shared can be reached mutably,
///
/// ```compile_fail,E0594
/// let mut numbers = stayput::BlockVec::from([1]);
/// let mut scope = numbers.grow_only();
/// scope[0] = 2;
/// ```
///
/// no element can be pushed that does not live as long as the array's elements must,
///
/// ```compile_fail
/// fn shorten<'v, 's>(
///     scope: stayput::GrowOnlyBlockVec<'v, &'static str>,
/// ) -> stayput::GrowOnlyBlockVec<'v, &'s str> {
///     scope
/// }
/// ```
///
/// and no other thread can have the scope, by reference or by value:
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
    /// It keeps the scope on one thread, too.
    vec: Lent<'v, BlockVec<T>>,
}

impl<T> Lend for BlockVec<T> {
    fn in_place() -> Self {
        Self { raw: Raw::NOTHING }
    }

    #[inline]
    fn is_in_place(&self) -> bool {
        self.raw.is_nothing()
    }
}

impl<'v, T> GrowOnlyBlockVec<'v, T> {
    #[inline]
    pub(super) fn new(vec: &'v mut BlockVec<T>) -> Self {
        Self { vec: Lent::new(vec) }
    }

    scope_methods!(BlockVec);

    /// [`push`](Self::push), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_push(&self, value: T) -> Result<&'v T, Refused<T>> {
        // Apart from storing it: where an allocator unwinds, the value is dropped, and that is user code.
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value });
        }
        // SAFETY: it moves a value, and counts it. What is seen has room, so it is the array, and nothing panics.
        let place = unsafe { self.vec.lend_seen(|vec| vec.raw.push_within(value)) };
        // SAFETY: initialised, and it stays where and what it is for `'v`: see above.
        Ok(unsafe { place.as_ref() })
    }

    #[inline]
    fn make_room_for_one(&self) -> Result<(), Error> {
        // What is in the array's place while that is lent is full.
        // SAFETY: it compares numbers.
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
        // SAFETY: it reads a number.
        unsafe { self.vec.look(BlockVec::max_len) }
    }

    /// The element at an index; `None` if it is out of bounds. O(1).
    #[inline]
    #[track_caller]
    pub fn get(&self, index: usize) -> Option<&'v T> {
        // SAFETY: it reads numbers and an address.
        let found = unsafe { self.vec.look(|vec| vec.get(index).map(|found| &raw const *found)) };
        // SAFETY: initialised, and it stays where and what it is for `'v`: see above.
        found.map(|found| unsafe { &*found })
    }

    /// The elements from `index` on, up to `end`, that lie side by side; both are within the length.
    #[track_caller]
    fn run(&self, index: usize, end: usize) -> &'v [T] {
        // SAFETY: it reads numbers and an address; the array has not got shorter since it was longer than that.
        let run = unsafe { self.vec.look(|vec| &raw const *vec.raw.run(index, end)) };
        // SAFETY: initialised, and they stay where and what they are for `'v`: see above.
        unsafe { &*run }
    }

    /// The elements there are now; those pushed later do not come.
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

impl<'s, 'v, T> IntoIterator for &'s GrowOnlyBlockVec<'v, T> {
    type Item = &'v T;
    type IntoIter = GrowOnlyIter<'s, 'v, T>;

    /// As [`GrowOnlyBlockVec::iter`].
    fn into_iter(self) -> GrowOnlyIter<'s, 'v, T> {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for GrowOnlyBlockVec<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

/// The elements that a scope had when this was made, by [`GrowOnlyBlockVec::iter`].
///
/// # Panics
///
/// As other calls of the scope do: where it is used while the array takes memory.
pub struct GrowOnlyIter<'s, 'v, T> {
    scope: &'s GrowOnlyBlockVec<'v, T>,
    /// Elements of a block, in front of `next`.
    run: slice::Iter<'v, T>,
    next: usize,
    end: usize,
}

impl<T> GrowOnlyIter<'_, '_, T> {
    /// Has the next elements be in `run`, where there are none any more. Whether there are some.
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

impl<T> Clone for GrowOnlyIter<'_, '_, T> {
    fn clone(&self) -> Self {
        Self { run: self.run.clone(), ..*self }
    }
}

impl<T: fmt::Debug> fmt::Debug for GrowOnlyIter<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
