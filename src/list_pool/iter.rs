//! Iterators over all lists.

#![forbid(unsafe_code)]

use super::elements::{AllMut, Elements, List};
use crate::key::Key;
use crate::slot_map;
use std::fmt;
use std::iter::FusedIterator;

/// An iterator over the keys and elements of lists.
///
/// This struct is created by [`ListPool::iter`](super::ListPool::iter) and
/// [`SecondaryLists::iter`](super::SecondaryLists::iter).
pub struct Iter<'p, K: Key, T> {
    lists: slot_map::Iter<'p, K, List>,
    elements: &'p Elements<T>,
}

impl<'p, K: Key, T> Iter<'p, K, T> {
    pub(super) const fn new(lists: slot_map::Iter<'p, K, List>, elements: &'p Elements<T>) -> Self {
        Self { lists, elements }
    }
}

impl<'p, K: Key, T> Iterator for Iter<'p, K, T> {
    type Item = (K, &'p [T]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.lists.next().map(|(key, list)| (key, self.elements.get(list)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lists.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let elements = self.elements;
        self.lists.fold(init, |all, (key, list)| f(all, (key, elements.get(list))))
    }
}

impl<K: Key, T> Clone for Iter<'_, K, T> {
    fn clone(&self) -> Self {
        Self { lists: self.lists.clone(), elements: self.elements }
    }
}

impl<K: Key, T> ExactSizeIterator for Iter<'_, K, T> {}
impl<K: Key, T> FusedIterator for Iter<'_, K, T> {}

impl<K: Key, T: fmt::Debug> fmt::Debug for Iter<'_, K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}

/// An iterator over the keys and mutable slices of the elements of lists.
///
/// This struct is created by [`ListPool::iter_mut`](super::ListPool::iter_mut) and
/// [`SecondaryLists::iter_mut`](super::SecondaryLists::iter_mut).
pub struct IterMut<'p, K: Key, T> {
    lists: slot_map::IterMut<'p, K, List>,
    elements: AllMut<'p, T>,
}

impl<'p, K: Key, T> IterMut<'p, K, T> {
    pub(super) const fn new(
        lists: slot_map::IterMut<'p, K, List>,
        elements: AllMut<'p, T>,
    ) -> Self {
        Self { lists, elements }
    }
}

impl<'p, K: Key, T> Iterator for IterMut<'p, K, T> {
    type Item = (K, &'p mut [T]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.lists.next().map(|(key, list)| (key, self.elements.get(list)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.lists.size_hint()
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        let elements = self.elements;
        self.lists.fold(init, |all, (key, list)| f(all, (key, elements.get(list))))
    }
}

impl<K: Key, T> ExactSizeIterator for IterMut<'_, K, T> {}
impl<K: Key, T> FusedIterator for IterMut<'_, K, T> {}

impl<K: Key, T> fmt::Debug for IterMut<'_, K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IterMut").field("len", &self.len()).finish_non_exhaustive()
    }
}
