//! Methods that need exclusive access.

#![expect(unsafe_code, reason = "returns references to the array, and slices of it")]

use super::SharedVec;
use super::memory::Memory;
use super::places::Places;
use crate::vec::{self, VmVec};
use std::fmt;
use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop};
use std::ops::{Deref, DerefMut, RangeBounds};
use std::ptr::NonNull;
use std::slice;

/// The elements of a [`SharedVec`] as a [`VmVec`].
///
/// This struct is created by [`SharedVec::as_mut_vec`]. See its documentation for more.
///
/// If it is leaked, the elements leak, and the `SharedVec` is empty.
pub struct VecMut<'a, T> {
    places: &'a mut Places,
    memory: &'a mut Memory<T>,
}

impl<T> SharedVec<T> {
    /// Returns a guard that derefs to all elements as a [`VmVec`]. Every method of `VmVec` is available, and it can
    /// even be replaced. O(n) in the elements pushed since the last call: reads one byte for each.
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
        // If the lock was lost in a fork, its holder may have stopped anywhere. Memory is consistent all the same: an
        // array raises its capacity after the commit, and `places` learns of it after that.
        self.memory.replace_if_held(|| Memory::new(VmVec::new()));
        let (places, memory) = (&mut self.places, self.memory.get_mut());
        let len = if Self::IS_UNSIZED {
            let len = places.counted();
            // If the guard is leaked, the array is asked how many elements fit: it may have been replaced.
            places.restore(0, 0);
            len
        } else {
            places.withdraw()
        };
        // SAFETY: `len` places were published, so they hold elements and are within capacity; or counted, so they hold
        // elements without a size, no more than this array was asked for. They are not published any more, so only the
        // array has them.
        unsafe { memory.elements.set_len(len) };
        VecMut { places, memory }
    }

    /// Converts the elements into a [`VmVec`]. No element moves. Takes as long as [`as_mut_vec`](Self::as_mut_vec).
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

    /// Returns all elements as a mutable slice. Takes as long as [`as_mut_vec`](Self::as_mut_vec).
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        drop(self.as_mut_vec());
        let len = self.len();
        let first = self.memory.get_mut().elements.as_mut_ptr();
        // SAFETY: `len` elements are published, so they are initialized and within the array's capacity; `&mut self`
        // guarantees exclusive access.
        unsafe { slice::from_raw_parts_mut(first, len) }
    }

    /// Returns a mutable reference to the element at an index; `None` if there is none.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        self.as_mut_slice().get_mut(index)
    }

    /// Returns an iterator over all elements, as mutable references.
    pub fn iter_mut(&mut self) -> slice::IterMut<'_, T> {
        self.as_mut_slice().iter_mut()
    }

    /// Removes and drops all elements. The memory stays committed.
    pub fn clear(&mut self) {
        self.as_mut_vec().clear();
    }

    /// Removes a range of elements and returns them as an iterator. Later elements move down when it is dropped; see
    /// [`VmVec::drain`].
    ///
    /// # Panics
    ///
    /// If the range ends past the last element, or before it starts.
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
        let VecMut { places, memory } = &mut *ManuallyDrop::new(self.as_mut_vec());
        let mut end = RestoreOnDrop {
            places: NonNull::from(&mut **places),
            memory: NonNull::from(&mut **memory),
            borrow: PhantomData,
        };
        // SAFETY: the array is mutably borrowed for the lifetime of the iterator, by `end`, which does not use it before
        // it is dropped, after the iterator.
        let memory = unsafe { end.memory.as_mut() };
        Drain { drain: memory.elements.drain(range), _end: end }
    }

    /// Returns the memory after the last element to the system; see [`VmVec::shrink_to_fit`].
    ///
    /// # Examples
    ///
    /// ```
    /// let mut found = stayput::SharedVec::from(vec![1_u8; 4 << 20]);
    /// found.as_mut_vec().truncate(10);
    /// found.shrink_to_fit();
    /// assert!(found.len() == 10 && found.stats().committed_bytes < 1 << 20);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        self.shrink_to(0);
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but keeps memory for `min_capacity` elements, if there is that much.
    pub fn shrink_to(&mut self, min_capacity: usize) {
        let mut vec = self.as_mut_vec();
        vec.shrink_to(min_capacity);
        let keep = vec.len().max(min_capacity);
        vec.memory.shrink_flags(keep);
    }
}

impl<T> Drop for SharedVec<T> {
    fn drop(&mut self) {
        let len = self.len();
        let elements = &mut self.memory.get_mut().elements;
        // SAFETY: `len` elements are published, or counted, so they are initialized, and within capacity. The array, which
        // is a field, drops them.
        unsafe { elements.set_len(len) };
    }
}

impl<T> Deref for VecMut<'_, T> {
    type Target = VmVec<T>;

    fn deref(&self) -> &VmVec<T> {
        &self.memory.elements
    }
}

impl<T> DerefMut for VecMut<'_, T> {
    fn deref_mut(&mut self) -> &mut VmVec<T> {
        &mut self.memory.elements
    }
}

impl<T> Drop for VecMut<'_, T> {
    fn drop(&mut self) {
        let Self { places, memory } = self;
        let len = memory.elements.len();
        // From now on the elements are in `places`.
        memory.elements.forget_elements();
        if size_of::<T>() == 0 {
            places.restore(len, memory.elements.capacity());
            return;
        }
        if memory.flags.options().bound != memory.elements.max_len() {
            // The array was replaced, and may have another maximum. No flag is set.
            memory.flags = VmVec::new();
        }
        memory.show_to(places);
        // Elements may have no flags yet: those of published elements are never read.
        places.restore(len, memory.committed().max(len));
    }
}

debug_items!([T: fmt::Debug] VecMut<'_, T>, debug_list, |vec| vec.iter());

/// An iterator that removes a range of elements of a [`SharedVec`].
///
/// This struct is created by [`SharedVec::drain`]. See its documentation for more.
///
/// If it is leaked, all elements leak, and the `SharedVec` is empty.
pub struct Drain<'a, T> {
    /// Dropped before `_end`.
    drain: vec::Drain<'a, T>,
    _end: RestoreOnDrop<'a, T>,
}

/// A [`VecMut`], as pointers. `drain` points into the same memory: a reference in an argument is protected until the
/// function returns, and would be invalid once `drain` was used.
struct RestoreOnDrop<'a, T> {
    places: NonNull<Places>,
    memory: NonNull<Memory<T>>,
    borrow: PhantomData<&'a mut SharedVec<T>>,
}

// SAFETY: it stands for a `&mut SharedVec<T>`, which is `Send` if `T` is.
unsafe impl<T: Send> Send for RestoreOnDrop<'_, T> {}
// SAFETY: `&RestoreOnDrop` gives access to nothing.
unsafe impl<T: Sync> Sync for RestoreOnDrop<'_, T> {}

impl<T> Drop for RestoreOnDrop<'_, T> {
    fn drop(&mut self) {
        // SAFETY: made from a `&'a mut Places`, which is used only through this pointer.
        let places = unsafe { self.places.as_mut() };
        // SAFETY: made from a `&'a mut Memory<T>`, which only the iterator over its elements has used, too. That is the
        // field before this one of a `Drain`, so it was dropped, or never made.
        let memory = unsafe { self.memory.as_mut() };
        drop(VecMut { places, memory });
    }
}

impl<T> Drain<'_, T> {
    /// Returns the remaining elements as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self.drain.as_slice()
    }

    /// Takes all remaining elements at once.
    #[cfg(feature = "rayon")]
    pub(crate) fn take_rest(&mut self) -> vec::Taken<'_, T> {
        self.drain.take_rest()
    }
}

exact_iterator! {
    [T] Drain<'_, T> => T: |iter| iter.drain.len(), iter.drain.next(), iter.drain.next_back()
}

debug_as!([T: fmt::Debug] Drain<'_, T>, "Drain", |iter| iter.as_slice());
