//! What changes or removes elements, where that may be.

#![forbid(unsafe_code)]

use super::mode::Mutable;
use super::vec::FileVec;
use crate::error::{Error, or_give_up};
use bytemuck::Pod;
use std::ops::DerefMut;

impl<T: Pod> FileVec<T, Mutable> {
    /// The elements, to be changed. What is changed is written to the disk by and by, or by
    /// [`flush`](Self::flush).
    #[inline]
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        self.elements.as_mut_slice()
    }

    /// Has a call remove elements, so that `len` are left; those who follow are told before.
    fn remove_to(&mut self, len: usize) {
        self.held().note_most(self.len());
        self.live.publish_removal(len);
    }

    /// Takes the last element away.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let last = self.len().checked_sub(1)?;
        self.remove_to(last);
        self.elements.pop()
    }

    /// Keeps the first `len` elements. Nothing, if there are no more.
    ///
    /// The file has room for them still: see [`shrink_to_fit`](Self::shrink_to_fit).
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

    /// Takes an element away, and puts the last one in its place.
    ///
    /// A process that is ended in the midst of it leaves the last one in both places, or half of it in the first.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        self.held().note_most(self.len());
        // Should it panic, nothing has changed.
        let removed = self.elements.swap_remove(index);
        self.live.publish_removal(self.len());
        removed
    }

    /// Makes the length `new_len`, by copies of a value, or by removing elements.
    ///
    /// # Panics
    ///
    /// Where [`try_resize`](Self::try_resize) has an error.
    #[track_caller]
    pub fn resize(&mut self, new_len: usize, value: T) {
        or_give_up(self.try_resize(new_len, value));
    }

    /// [`resize`](Self::resize), or the error; nothing has changed then.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_resize(&mut self, new_len: usize, value: T) -> Result<(), Error> {
        if new_len < self.len() {
            self.truncate(new_len);
            return Ok(());
        }
        self.change(|elements| elements.try_resize(new_len, value)).map_err(|refused| refused.error)
    }

    /// Makes the length `new_len`, by elements that are all zero, or by removing some. See
    /// [`extend_zeroed`](Self::extend_zeroed).
    ///
    /// # Panics
    ///
    /// Where [`try_resize_zeroed`](Self::try_resize_zeroed) has an error.
    #[track_caller]
    pub fn resize_zeroed(&mut self, new_len: usize) {
        or_give_up(self.try_resize_zeroed(new_len));
    }

    /// [`resize_zeroed`](Self::resize_zeroed), or the error; no element has changed then.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
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
