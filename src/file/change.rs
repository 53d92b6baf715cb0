//! Methods that change or remove elements, in mutable mode.

#![forbid(unsafe_code)]

use super::mode::Mutable;
use super::vec::FileVec;
use crate::error::{Error, unwrap_or_panic};
use bytemuck::Pod;
use std::ops::DerefMut;

impl<T: Pod> FileVec<T, Mutable> {
    /// Returns the elements as a mutable slice. The system writes changes to the disk eventually;
    /// [`flush`](Self::flush) writes them now.
    #[inline]
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        self.elements.as_mut_slice()
    }

    /// Publishes to readers that only `len` elements are left, before the others are removed.
    fn remove_to(&mut self, len: usize) {
        self.mapped().note_most(self.len());
        self.live.publish_removal(len);
    }

    /// Removes the last element and returns it; `None` if the array is empty.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let last = self.len().checked_sub(1)?;
        self.remove_to(last);
        self.elements.pop()
    }

    /// Shortens the array to `len` elements. Has no effect if the array is not longer than that.
    ///
    /// The file keeps the space; see [`shrink_to_fit`](Self::shrink_to_fit).
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.remove_to(len);
            self.elements.truncate(len);
        }
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Removes an element and returns it. The last element takes its place.
    ///
    /// If the process is killed meanwhile, the last element may be in both places, or only in part at `index`.
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut monsters: FileVec<u32> = FileVec::temporary_in(std::env::temp_dir())?;
    /// monsters.extend([11, 12, 13]);
    /// assert_eq!(monsters.swap_remove(0), 11);
    /// assert_eq!(*monsters, [13, 12]);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        self.mapped().note_most(self.len());
        // If this panics, nothing has changed.
        let removed = self.elements.swap_remove(index);
        self.live.publish_removal(self.len());
        removed
    }

    /// Changes the length to `new_len`: appends copies of a value, or removes elements from the end.
    ///
    /// # Panics
    ///
    /// If [`try_resize`](Self::try_resize) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut health: FileVec<u8> = FileVec::temporary_in(std::env::temp_dir())?;
    /// health.resize(3, 100);
    /// health[0] = 40;
    /// health.resize(2, 100);
    /// assert_eq!(*health, [40, 100]);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[track_caller]
    pub fn resize(&mut self, new_len: usize, value: T) {
        unwrap_or_panic(self.try_resize(new_len, value));
    }

    /// Resizes as [`resize`](Self::resize) does, or returns the error; then nothing has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_resize(&mut self, new_len: usize, value: T) -> Result<(), Error> {
        self.truncate(new_len);
        self.change(|elements| elements.try_resize(new_len, value)).map_err(|refused| refused.error)
    }

    /// Changes the length to `new_len`: appends elements whose bytes are all zero, or removes some. See
    /// [`extend_zeroed`](Self::extend_zeroed).
    ///
    /// # Panics
    ///
    /// If [`try_resize_zeroed`](Self::try_resize_zeroed) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut votes: FileVec<u32> = FileVec::temporary_in(std::env::temp_dir())?;
    /// votes.resize_zeroed(3);
    /// votes[1] += 1;
    /// assert_eq!(*votes, [0, 1, 0]);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    #[track_caller]
    pub fn resize_zeroed(&mut self, new_len: usize) {
        unwrap_or_panic(self.try_resize_zeroed(new_len));
    }

    /// Resizes as [`resize_zeroed`](Self::resize_zeroed) does, or returns the error; then no element has changed.
    ///
    /// # Errors
    ///
    /// As for [`try_extend_zeroed`](Self::try_extend_zeroed).
    pub fn try_resize_zeroed(&mut self, new_len: usize) -> Result<(), Error> {
        if let Some(additional) = new_len.checked_sub(self.len()) {
            return self.try_extend_zeroed(additional);
        }
        self.truncate(new_len);
        Ok(())
    }
}

impl<T: Pod> DerefMut for FileVec<T, Mutable> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}

impl<T: Pod> AsMut<[T]> for FileVec<T, Mutable> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<'a, T: Pod> IntoIterator for &'a mut FileVec<T, Mutable> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
