//! Sorting in one call.

use super::{DenseSlotMap, Rows};
use crate::container::sort;
use crate::error::{Error, unwrap_or_panic};
use crate::key::Key;
use std::cmp::Ordering;

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Sorts the rows by a comparison of two of them.
    pub(super) fn try_sort_rows(
        &mut self,
        mut compare: impl FnMut(&S, usize, usize) -> Ordering,
    ) -> Result<(), Error> {
        let order =
            sort::try_order(self.len(), |a, b| compare(&self.rows, a, b)).map_err(Self::explain)?;
        self.order.forget();
        sort::put_in(order, |a, b| {
            self.keys.swap(a, b);
            self.rows.swap(a, b);
        });
        for row in 0..self.len() {
            self.note(self.keys[row], u32::try_from(row).unwrap_or(u32::MAX));
        }
        Ok(())
    }
}

/// Defines the sorting of values. `$pair` returns references to the values of two rows.
macro_rules! sort_methods {
    ($value:ty, |$rows:ident, $a:ident, $b:ident| $pair:expr $(, $(#[$example:meta])+)?) => {
        /// Sorts the values with a comparison function. The sort is stable, and all values keep their keys.
        ///
        /// Values are compared in place and then swapped: O(n log n) comparisons and O(n) swaps. Allocates an index per
        /// value from the global allocator meanwhile. If the comparison panics, no value has moved; if it is not a
        /// total order, the resulting order is unspecified.
        ///
        /// To sort incrementally, see [`defragment_by`](Self::defragment_by).
        ///
        /// # Panics
        ///
        /// If [`try_sort_by`](Self::try_sort_by) returns an error. May panic if the comparison is not a total order.
        $($(#[$example])+)?
        #[track_caller]
        pub fn sort_by(&mut self, compare: impl FnMut($value, $value) -> Ordering) {
            unwrap_or_panic(self.try_sort_by(compare));
        }

        /// Sorts the values as [`sort_by`](Self::sort_by) does, or returns the error.
        ///
        /// # Panics
        ///
        /// May panic if the comparison is not a total order.
        ///
        /// # Errors
        ///
        /// If the allocator refuses memory for an index per value ([`Memory`](crate::ErrorKind::Memory)). No value has
        /// moved then.
        pub fn try_sort_by(
            &mut self,
            mut compare: impl FnMut($value, $value) -> Ordering,
        ) -> Result<(), Error> {
            self.try_sort_rows(|$rows, $a, $b| match $pair {
                Some((a, b)) => compare(a, b),
                None => Ordering::Equal,
            })
        }
    };
}
pub(super) use sort_methods;

impl<K: Key, V> DenseSlotMap<K, V> {
    sort_methods! {
        &V, |rows, a, b| Some((&rows[a], &rows[b])),
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::DenseSlotMap;
        /// let mut map = DenseSlotMap::new();
        /// let [three, one, two] = [3, 1, 2].map(|n| map.insert(n));
        /// map.sort_by(|a, b| a.cmp(b));
        /// assert_eq!(map.as_slice(), [1, 2, 3]);
        /// assert_eq!((map[one], map[two], map[three]), (1, 2, 3));
        /// ```
    }

    /// Sorts the values by a key. The sort is stable; see [`sort_by`](Self::sort_by).
    ///
    /// # Panics
    ///
    /// As for [`sort_by`](Self::sort_by).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut words = DenseSlotMap::new();
    /// let [three, one] = ["three", "one"].map(|word| words.insert(word));
    /// words.sort_by_key(|word| word.len());
    /// assert_eq!(words.as_slice(), ["one", "three"]);
    /// assert_eq!((words[three], words[one]), ("three", "one"));
    /// ```
    #[track_caller]
    pub fn sort_by_key<T: Ord>(&mut self, mut key: impl FnMut(&V) -> T) {
        self.sort_by(|a, b| key(a).cmp(&key(b)));
    }
}
