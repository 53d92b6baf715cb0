//! Rows in another order, all at once.

use super::{DenseSlotMap, Rows};
use crate::container::sort;
use crate::error::{Error, or_give_up};
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

/// Defines the sorting of values by references to two of them, which `$pair` gets from their rows.
macro_rules! sort_methods {
    ($value:ty, |$rows:ident, $a:ident, $b:ident| $pair:expr $(, $(#[$example:meta])+)?) => {
        /// Sorts the values by a comparison; those that are equal keep their order, and all keep their keys.
        ///
        /// They are compared where they lie, and then exchanged: O(n log n) comparisons, O(n)
        /// exchanges, and as many bytes of the program's allocator meanwhile as rows have indices. Should the comparison
        /// panic, no value has moved; if it is no order, the values come to be in any.
        ///
        /// To have it done by and by, see [`defragment_by`](Self::defragment_by).
        ///
        /// # Panics
        ///
        /// Where [`try_sort_by`](Self::try_sort_by) has an error; and maybe if the comparison is no order.
        $($(#[$example])+)?
        #[track_caller]
        pub fn sort_by(&mut self, compare: impl FnMut($value, $value) -> Ordering) {
            or_give_up(self.try_sort_by(compare));
        }

        /// [`sort_by`](Self::sort_by), or the error.
        ///
        /// # Errors
        ///
        /// If the allocator refuses an index a value ([`Memory`](crate::ErrorKind::Memory)). None has moved then.
        ///
        /// # Panics
        ///
        /// Maybe, if the comparison is no order.
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

    /// Sorts the values by what is made of each; see [`sort_by`](Self::sort_by).
    ///
    /// # Panics
    ///
    /// As for [`sort_by`](Self::sort_by).
    #[track_caller]
    pub fn sort_by_key<T: Ord>(&mut self, mut key: impl FnMut(&V) -> T) {
        self.sort_by(|a, b| key(a).cmp(&key(b)));
    }
}
