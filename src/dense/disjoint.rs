//! Mutable references to several values at once.

use super::DenseSlotMap;
use crate::key::Key;
use crate::slot_map::DisjointError;
use std::{array, mem};

impl<K: Key, V> DenseSlotMap<K, V> {
    /// Returns mutable references to the values of `N` keys; `None` if a key is not in the map, or occurs twice. O(N
    /// log N).
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// let mut map = DenseSlotMap::new();
    /// let (a, b) = (map.insert(1), map.insert(2));
    /// if let Some([b, a]) = map.get_disjoint_mut([b, a]) {
    ///     std::mem::swap(a, b);
    /// }
    /// assert_eq!((map[a], map[b]), (2, 1));
    /// assert_eq!(map.get_disjoint_mut([a, a]), None);
    /// ```
    pub fn get_disjoint_mut<const N: usize>(&mut self, keys: [K; N]) -> Option<[&mut V; N]> {
        self.try_get_disjoint_mut(keys).ok()
    }

    /// Returns mutable references to the values of `N` keys, or which of the keys is not in the map, or occurs twice.
    /// O(N log N).
    ///
    /// # Errors
    ///
    /// If a key has no value in the map, or occurs twice; see [`DisjointError`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::DenseSlotMap;
    /// # use stayput::slot_map::DisjointError;
    /// let mut map = DenseSlotMap::new();
    /// let [a, b] = [1, 2].map(|n| map.insert(n));
    /// assert_eq!(map.try_get_disjoint_mut([b, a]), Ok([&mut 2, &mut 1]));
    /// map.remove(b);
    /// assert_eq!(map.try_get_disjoint_mut([a, b]), Err(DisjointError::Missing { at: 1 }));
    /// ```
    pub fn try_get_disjoint_mut<const N: usize>(
        &mut self,
        keys: [K; N],
    ) -> Result<[&mut V; N], DisjointError> {
        let named = keys.map(|key| self.table.parts_of(key));
        let rows = keys.map(|key| self.row_of(key));
        let mut order: [usize; N] = array::from_fn(|at| at);
        order.sort_unstable_by_key(|&at| rows[at]);
        let is_same = |two: &[usize]| rows[two[0]] == rows[two[1]];
        if rows.contains(&None) || order.windows(2).any(is_same) {
            let is_wrong = |at: &usize| rows[*at].is_none() || rows[..*at].contains(&rows[*at]);
            return Err(DisjointError::at(&named, (0..N).find(is_wrong).unwrap_or(0)));
        }
        self.order.is_touched = true;
        let mut found = [const { None }; N];
        // The slice is split from the front, row by row in ascending order.
        let (mut rest, mut cut) = (self.rows.as_mut_slice(), 0);
        for at in order {
            let offset = rows[at].map_or(0, |row| row - cut);
            let others = mem::take(&mut rest).get_mut(offset..).unwrap_or_default();
            if let Some((value, others)) = others.split_first_mut() {
                (found[at], rest) = (Some(value), others);
            }
            cut += offset + 1;
        }
        Ok(found.map(|value| value.unwrap_or_else(|| unreachable!("the row exists"))))
    }
}
