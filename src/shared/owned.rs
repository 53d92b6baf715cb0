//! What is to be had where nobody else has the array.

#![expect(unsafe_code, reason = "hands out the array of elements, and makes slices of it")]

use super::SharedVec;
use super::memory::Memory;
use crate::vec::{self, VmVec};
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ops::{Deref, DerefMut, RangeBounds};
use std::ptr::NonNull;
use std::slice;

/// The elements of a [`SharedVec`] as a [`VmVec`], made by [`SharedVec::as_mut_vec`].
///
/// If it is forgotten, the elements leak, and the `SharedVec` is empty.
pub struct VecMut<'a, T> {
    /// Not looked at before the drop.
    shared: NonNull<SharedVec<T>>,
    /// A part of it.
    elements: NonNull<VmVec<T>>,
    borrow: PhantomData<&'a mut SharedVec<T>>,
}

// SAFETY: it is a `&mut SharedVec<T>`, and a part of that.
unsafe impl<T: Send> Send for VecMut<'_, T> {}
// SAFETY: by `&VecMut` there is but a `&VmVec<T>` to be had.
unsafe impl<T: Sync> Sync for VecMut<'_, T> {}

impl<T> SharedVec<T> {
    /// All elements as a [`VmVec`], with all that can be done to one: even to put another in its place.
    ///
    /// Linear in what was pushed since this was last called, a byte an element.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::SharedVec::from(["b", "c", "a"]);
    /// words.as_mut_vec().sort_unstable();
    /// words.as_mut_vec().retain(|word| *word != "b");
    /// words.push("d");
    /// assert_eq!(words, ["a", "c", "d"]);
    /// ```
    pub fn as_mut_vec(&mut self) -> VecMut<'_, T> {
        let mut shared = NonNull::from(self);
        // SAFETY: just borrowed, mutably.
        let elements = NonNull::from(unsafe { shared.as_mut() }.withdraw());
        VecMut { shared, elements, borrow: PhantomData }
    }

    /// The elements, of which it says itself now how many there are; for `self` there are none.
    fn withdraw(&mut self) -> &mut VmVec<T> {
        // Memory is consistent wherever a fork stopped the holder of a lost lock: an array raises its capacity after the
        // commit, and `places` is told after that.
        self.memory.renew(|| Memory::new(VmVec::new()));
        let len = if Self::IS_UNSIZED {
            let (len, most) = (self.places.counted(), self.places.committed());
            self.places.restore(0, most);
            len
        } else {
            self.places.withdraw()
        };
        let elements = &mut self.memory.get_mut().elements;
        // SAFETY: so many places are published, so elements lie there. Nobody else is there any more.
        unsafe { elements.set_len(len) };
        elements
    }

    /// Takes the elements back.
    fn restore(&mut self) {
        let memory = self.memory.get_mut();
        let (now, len) = (memory.elements.as_mut_ptr(), memory.elements.len());
        // SAFETY: there may be fewer in any array; they are in `places` from now on.
        unsafe { memory.elements.set_len(0) };
        if Self::IS_UNSIZED {
            self.places.restore(len, memory.elements.capacity());
            return;
        }
        if memory.flags.options().bound != memory.elements.max_len() {
            // It is another array, which may become larger. No flag is set.
            memory.flags = VmVec::new();
        }
        self.places.set_memory(now.cast(), memory.flags.as_mut_ptr().cast());
        // Where there are no flags yet, those of elements that are here already are never looked at.
        self.places.restore(len, memory.committed().max(len));
    }

    /// The elements as a [`VmVec`]. O(1) in memory: nothing moves. As [`as_mut_vec`](Self::as_mut_vec).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SharedVec, VmVec};
    ///
    /// let shared: SharedVec<u32> = VmVec::from([1, 2]).into();
    /// let (_, address) = shared.push(3);
    /// let address = std::ptr::from_ref(address);
    /// let vec = shared.into_inner();
    /// assert_eq!((vec.len(), &raw const vec[2]), (3, address));
    /// ```
    #[must_use]
    pub fn into_inner(mut self) -> VmVec<T> {
        mem::take(&mut *self.as_mut_vec())
    }

    /// All elements as a slice, to be changed. As [`as_mut_vec`](Self::as_mut_vec).
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        drop(self.as_mut_vec());
        let len = self.len();
        let first = self.memory.get_mut().elements.as_mut_ptr();
        // SAFETY: so many are published, and `&mut self` keeps others away.
        unsafe { slice::from_raw_parts_mut(first, len) }
    }

    /// The element at an index, to be changed; `None` if there is none.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.as_mut_slice().get_mut(index)
    }

    /// All elements, to be changed.
    pub fn iter_mut(&mut self) -> slice::IterMut<'_, T> {
        self.as_mut_slice().iter_mut()
    }

    /// Takes all elements out, and drops them. The memory stays, for those that are pushed next.
    pub fn clear(&mut self) {
        self.as_mut_vec().clear();
    }

    /// Takes a range of elements out; those behind it move down when the iterator is dropped. See [`VmVec::drain`].
    ///
    /// # Panics
    ///
    /// If the range ends behind the last element, or before it starts.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut jobs = stayput::SharedVec::from([1, 2, 3, 4]);
    /// assert!(jobs.drain(1..3).eq([2, 3]));
    /// jobs.push(5);
    /// assert_eq!(jobs, [1, 4, 5]);
    /// ```
    #[track_caller]
    pub fn drain(&mut self, range: impl RangeBounds<usize>) -> Drain<'_, T> {
        let mut vec = self.as_mut_vec();
        // SAFETY: borrowed for as long as `vec`, which is not looked at before the iterator is dropped.
        let elements = unsafe { vec.elements.as_mut() };
        Drain { drain: elements.drain(range), _vec: vec }
    }

    /// Gives memory behind the last element back to the system; see [`VmVec::shrink_to_fit`].
    pub fn shrink_to_fit(&mut self) {
        self.shrink_to(0);
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but keeps room for `min_capacity` elements, if there is so much.
    pub fn shrink_to(&mut self, min_capacity: usize) {
        let mut vec = self.as_mut_vec();
        vec.shrink_to(min_capacity);
        let keep = vec.len().max(min_capacity);
        // SAFETY: borrowed mutably for as long as `vec`, whose `elements` are not used any more.
        let memory = unsafe { vec.shared.as_mut() }.memory.get_mut();
        memory.shrink_flags(keep);
    }
}

impl<T> Drop for SharedVec<T> {
    fn drop(&mut self) {
        let len = self.len();
        // SAFETY: so many are published, so elements lie there. The array, which is a field, drops them.
        unsafe { self.memory.get_mut().elements.set_len(len) };
    }
}

impl<T> Deref for VecMut<'_, T> {
    type Target = VmVec<T>;

    fn deref(&self) -> &VmVec<T> {
        // SAFETY: borrowed for as long as `self`.
        unsafe { self.elements.as_ref() }
    }
}

impl<T> DerefMut for VecMut<'_, T> {
    fn deref_mut(&mut self) -> &mut VmVec<T> {
        // SAFETY: as above.
        unsafe { self.elements.as_mut() }
    }
}

impl<T> Drop for VecMut<'_, T> {
    fn drop(&mut self) {
        // SAFETY: borrowed mutably for as long as `self`; nobody uses `elements` any more.
        unsafe { self.shared.as_mut() }.restore();
    }
}

impl<T: fmt::Debug> fmt::Debug for VecMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// An iterator that takes a range of elements out of a [`SharedVec`], made by [`SharedVec::drain`].
///
/// If it is forgotten, all elements leak, and the `SharedVec` is empty.
pub struct Drain<'a, T> {
    /// Dropped before `_vec`. It must hold a pointer to the elements' array and no reference: a reference in an
    /// argument is protected until the function returns, and dropping `_vec` makes another one to the same memory.
    drain: vec::Drain<'a, T>,
    _vec: VecMut<'a, T>,
}

impl<T> Drain<'_, T> {
    /// The elements that are still to come.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.drain.as_slice()
    }

    /// All that is still to be given out, at once.
    #[cfg(feature = "rayon")]
    pub(crate) fn take_rest(&mut self) -> vec::Taken<'_, T> {
        self.drain.take_rest()
    }
}

exact_iterator! {
    [T] Drain<'_, T> => T: |iter| iter.drain.len(), iter.drain.next(), iter.drain.next_back()
}

debug_as!([T: fmt::Debug] Drain<'_, T>, "Drain", |iter| iter.as_slice());
