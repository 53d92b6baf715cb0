//! [`Splice`]: takes a range of elements out and puts others in its place.

#![expect(unsafe_code, reason = "fills the gap that a drain leaves")]

use super::{Drain, VmVec, give_up};
use crate::raw_vec::Amount;
use std::iter::FusedIterator;
use std::ptr;

/// An iterator that takes a range of elements out of a [`VmVec`] and, when it is dropped, puts
/// others in its place; made by [`VmVec::splice`].
///
/// If it is forgotten instead, the array ends where the range began, and the rest leaks.
#[derive(Debug)]
pub struct Splice<'v, I: Iterator> {
    drain: Drain<'v, I::Item>,
    replace_with: I,
}

impl<'v, I: Iterator> Splice<'v, I> {
    pub(super) fn new(drain: Drain<'v, I::Item>, replace_with: I) -> Self {
        Self { drain, replace_with }
    }
}

impl<I: Iterator> Iterator for Splice<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.drain.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.drain.size_hint()
    }
}

impl<I: Iterator> DoubleEndedIterator for Splice<'_, I> {
    fn next_back(&mut self) -> Option<I::Item> {
        self.drain.next_back()
    }
}

impl<I: Iterator> ExactSizeIterator for Splice<'_, I> {}
impl<I: Iterator> FusedIterator for Splice<'_, I> {}

impl<I: Iterator> Drop for Splice<'_, I> {
    fn drop(&mut self) {
        self.drain.drop_rest();
        // Whatever panics from here on, the drain then closes what is left of the gap.
        if !fill_gap(&mut self.drain, &mut self.replace_with) {
            return;
        }
        if self.drain.tail == self.drain.old_len {
            // Nothing stays behind the range, so the drain has nothing to move: append.
            self.drain.vec.extend(&mut self.replace_with);
            return;
        }
        // How many are left is not known before they are counted; their number decides how far
        // the elements behind the range must move, once.
        let rest: Vec<I::Item> = self.replace_with.by_ref().collect();
        if !rest.is_empty() {
            widen_gap(&mut self.drain, rest.len());
            let filled = fill_gap(&mut self.drain, &mut rest.into_iter());
            debug_assert!(filled, "the gap is as wide as what fills it");
        }
    }
}

/// Puts elements into the gap, as long as there are any. Whether it is full.
fn fill_gap<T>(drain: &mut Drain<'_, T>, replace_with: &mut impl Iterator<Item = T>) -> bool {
    while drain.vec.len < drain.tail {
        let Some(value) = replace_with.next() else { return false };
        let len = drain.vec.len;
        // SAFETY: below `tail`, which is within capacity.
        let place = unsafe { drain.vec.as_mut_ptr().add(len) };
        // SAFETY: the elements from `len` to `tail` are given out or dropped.
        unsafe { place.write(value) };
        drain.vec.len += 1;
    }
    true
}

/// Moves the elements behind the gap up by `additional`, or panics before it has moved any.
fn widen_gap<T>(drain: &mut Drain<'_, T>, additional: usize) {
    let Drain { vec, tail, old_len, .. } = drain;
    if additional > vec.raw.capacity() - *old_len {
        let grown = vec.raw.grow(VmVec::<T>::ELEMENT, *old_len, additional, Amount::AtLeast);
        if let Err(error) = grown {
            give_up(error);
        }
    }
    // SAFETY: within the old length.
    let from = unsafe { vec.as_mut_ptr().add(*tail) };
    // SAFETY: within capacity, which is `old_len + additional` at least.
    let to = unsafe { from.add(additional) };
    // SAFETY: `old_len - tail` initialised elements, which stay within capacity. They may overlap.
    unsafe { ptr::copy(from, to, *old_len - *tail) };
    *tail += additional;
    *old_len += additional;
}
