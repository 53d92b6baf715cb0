//! [`GrowOnly`]: push through `&self`, while references to earlier elements live.
//!
//! # Why this is sound
//!
//! The scope holds the one mutable borrow of the array for `'v`, so for as long as `'v` lasts the
//! array is reached only by what this file does, from the one thread that has the scope (it is
//! neither `Send` nor `Sync`). A reference that it gives out, `&'v T`, stays good if during `'v`
//! the element (1) is not moved, (2) is not dropped, and (3) is not reached mutably:
//!
//! 1. Growing never moves elements: that is the contract of the array. Nothing else here moves
//!    any.
//! 2. There is no removal here. The array itself cannot be dropped, or taken away, while it is
//!    borrowed.
//! 3. No `&mut T` and no slice of them is made here, of any element. Pushing writes only behind
//!    the last element, by raw pointer, where no reference points yet.
//!
//! What remains is the array's own fields, which pushing changes through `&self`. They are
//! borrowed mutably one at a time, for which [`Lent`] answers: whatever runs while the array takes
//! memory (a [`Backing`](crate::Backing), the program's allocator, the hook of a panic) and comes
//! back to the scope is refused. All else here runs no code of users: values are made before, and
//! dropped after. So the drop of a refused value, or an iterator, may push into the same scope again.

#![expect(unsafe_code, reason = "changes the array through a shared reference")]

use super::VmVec;
use super::lent::{Lend, Lent, scope_methods};
use crate::error::{Error, Refused, or_give_up};
use crate::raw_vec::Options;
use std::fmt;
use std::ops::Index;
use std::slice::{self, SliceIndex};

/// A scope in which a [`VmVec`] can only grow, made by [`VmVec::grow_only`].
///
/// Its `push` takes `&self` and returns a reference that lives as long as the scope's borrow of
/// the array: across any number of further pushes. It costs what [`VmVec::push`] costs.
///
/// Elements can neither be removed nor changed inside the scope (use [`Cell`](std::cell::Cell) and
/// the like for what must change), and it stays on one thread.
///
/// While the array takes memory, code of the program may run that has the scope too: a
/// [`Backing`](crate::Backing), a global allocator, the hook of a panic in one of them. To use the
/// scope there is refused: calls that begin with `try_` have an error
/// ([`Busy`](crate::ErrorKind::Busy)), all others panic. Before and after, it is as ever.
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
///     let word = scope.push("a".repeat(n % 7)); // earlier references stay good
///     if word.len() > longest.len() {
///         longest = word;
///     }
/// }
/// assert_eq!(longest, "aaaaaa");
/// ```
///
/// Elements that refer to each other, in an array that is never dropped (one that is cannot hold
/// references into itself, since they would dangle while it drops):
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
/// References end with the borrow: the array cannot be used while one lives,
///
/// ```compile_fail,E0499
/// let mut numbers = stayput::VmVec::from([1]);
/// let two = numbers.grow_only().push(2);
/// numbers.push(3); // would be fine without the next line
/// println!("{two}");
/// ```
///
/// nor outlive the array,
///
/// ```compile_fail,E0597
/// let two = {
///     let mut numbers = stayput::VmVec::from([1]);
///     numbers.grow_only().push(2)
/// };
/// println!("{two}");
/// ```
///
/// nothing that is shared can be reached mutably,
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
/// no element can be pushed that does not live as long as the array's elements must,
///
/// ```compile_fail
/// fn shorten<'v, 's>(
///     scope: stayput::GrowOnly<'v, &'static str>,
/// ) -> stayput::GrowOnly<'v, &'s str> {
///     scope
/// }
/// ```
///
/// and no other thread can have the scope, by reference or by value:
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
    /// It keeps the scope on one thread, too.
    vec: Lent<'v, VmVec<T>>,
}

impl<T> Lend for VmVec<T> {
    fn in_place() -> Self {
        Self::with_options(&Options::FULL)
    }

    #[inline]
    fn is_in_place(&self) -> bool {
        self.is_full_for_good()
    }
}

impl<'v, T> GrowOnly<'v, T> {
    #[inline]
    pub(super) fn new(vec: &'v mut VmVec<T>) -> Self {
        Self { vec: Lent::new(vec) }
    }

    scope_methods!(VmVec);

    /// [`push`](Self::push), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_push(&self, value: T) -> Result<&'v T, Refused<T>> {
        // Apart from storing it: where a backing unwinds, the value is dropped, and that is user code.
        if let Err(error) = self.make_room_for_one() {
            return Err(Refused { error, value });
        }
        let store = |vec: &mut VmVec<T>| {
            // SAFETY: there is room for one more behind the `len` elements.
            unsafe { vec.write_end(vec.len, value) };
            // SAFETY: there is a last element now.
            let last = unsafe { vec.as_ptr().add(vec.len - 1) };
            // SAFETY: initialised, and it stays where and what it is for `'v`: see above.
            unsafe { &*last }
        };
        // SAFETY: it moves a value, and counts it. What is seen has room, so it is the array.
        Ok(unsafe { self.vec.lend_seen(store) })
    }

    #[inline]
    fn make_room_for_one(&self) -> Result<(), Error> {
        // What is in the array's place while that is lent is full.
        // SAFETY: it compares numbers.
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
        // The system may be asked, by strings that are allocated.
        or_give_up(self.vec.lend(|vec| vec.max_len()))
    }

    /// All elements there are now. The slice does not grow with the array. O(1).
    #[inline]
    #[track_caller]
    pub fn as_slice(&self) -> &'v [T] {
        // SAFETY: it reads an address and a number.
        let (first, len) = unsafe { self.vec.look(|vec| (vec.as_ptr(), vec.len)) };
        // SAFETY: `len` elements are initialised, and stay where and what they are for `'v`.
        unsafe { slice::from_raw_parts(first, len) }
    }

    /// The element, or the slice of elements, at an index; `None` if it is out of bounds.
    #[inline]
    #[track_caller]
    pub fn get<I: SliceIndex<[T]>>(&self, index: I) -> Option<&'v I::Output> {
        self.as_slice().get(index)
    }

    /// The elements there are now; those pushed later do not come.
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

impl<'v, T> IntoIterator for &GrowOnly<'v, T> {
    type Item = &'v T;
    type IntoIter = slice::Iter<'v, T>;

    /// As [`GrowOnly::iter`].
    fn into_iter(self) -> slice::Iter<'v, T> {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for GrowOnly<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}
