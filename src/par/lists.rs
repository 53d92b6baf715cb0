//! Parallel iterators over pools of lists.

#![forbid(unsafe_code)]

use crate::key::Key;
use crate::list_pool::ListPool;
use rayon::iter::{IntoParallelRefIterator, IntoParallelRefMutIterator, ParallelIterator};

impl<T, K: Key> ListPool<T, K> {
    /// Returns a parallel iterator over the keys and elements of all lists, in slot order (feature `rayon`).
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::ListPool;
    ///
    /// let pool: ListPool<u32> = (0..1000).map(|n| 0..n % 10).collect();
    /// let sum: u32 = pool.par_iter().map(|(_, elements)| elements.iter().sum::<u32>()).sum();
    /// assert_eq!(sum, pool.values().flatten().sum());
    /// ```
    pub fn par_iter(&self) -> impl ParallelIterator<Item = (K, &[T])> + use<'_, T, K>
    where
        T: Sync,
        K: Send,
    {
        let (lists, elements) = self.parts();
        lists.par_iter().map(|(key, list)| (key, elements.get(list)))
    }

    /// Returns a parallel iterator over the keys and mutable slices of the elements of all lists, in slot order (feature
    /// `rayon`).
    ///
    /// # Examples
    ///
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::ListPool;
    ///
    /// let mut pool: ListPool<u32> = (0..1000).map(|n| (0..n % 10).rev()).collect();
    /// pool.par_iter_mut().for_each(|(_, elements)| elements.sort());
    /// assert!(pool.values().all(|elements| elements.is_sorted()));
    /// ```
    pub fn par_iter_mut(&mut self) -> impl ParallelIterator<Item = (K, &mut [T])> + use<'_, T, K>
    where
        T: Send,
        K: Send,
    {
        let (lists, elements) = self.parts_mut();
        let elements = elements.all_mut();
        lists.par_iter_mut().map(move |(key, list)| (key, elements.get(list)))
    }
}
