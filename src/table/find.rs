//! Rows by what is in them.

use super::indices::{Extract, Index, Indices, Row, Rows, Visit};
use super::rows::RowsOf;
use super::{Table, Unique};
use crate::error::Error;
use crate::key::Key;
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

impl<R: Row<X::Part>, X: Indices, K: Key> Table<R, X, K> {
    /// The row that has a value, and its key, by an index. O(1), where hashes are spread.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    /// let mut table: Table<(u32, char), By> = Table::new();
    /// let key = table.insert((7, 'a'));
    /// assert_eq!(table.find(|by| &by.number, &7), Some((key, &(7, 'a'))));
    /// assert_eq!(table.find(|by| &by.number, &8), None);
    /// ```
    #[inline]
    pub fn find<'t, Q, const FIELD: usize, S>(
        &'t self,
        index: impl FnOnce(&'t X) -> &'t Unique<X, FIELD, S>,
        value: &Q,
    ) -> Option<(K, &'t R)>
    where
        X: Extract<FIELD, Row = X::Part>,
        <X as Extract<FIELD>>::Key: Borrow<Q> + Hash + Eq,
        Q: Hash + Eq + ?Sized,
        S: BuildHasher + 't,
    {
        let slot = index(&self.by).slot_of(value, RowsOf(&self.rows))?;
        self.rows.get_by_index(slot)
    }

    /// Whether each index finds each row by what is in it. Linear in the rows.
    ///
    /// # Errors
    ///
    /// The key of the first row that one does not find; see [wrong values](Self#wrong-values).
    pub fn check(&self) -> Result<(), K> {
        let rows = RowsOf(&self.rows);
        for (key, row) in &self.rows {
            let slot = key.data().index();
            let mut finds = Finds { slot, part: row.part(), rows, all: true };
            let found = self.by.each(&mut finds);
            debug_assert!(found.is_ok(), "it cannot fail");
            if !finds.all {
                return Err(key);
            }
        }
        Ok(())
    }
}

struct Finds<'p, P, S> {
    slot: u32,
    part: &'p P,
    rows: S,
    all: bool,
}

impl<P, S: Rows<P>> Visit<P> for Finds<'_, P, S> {
    fn visit<I: Index<P>>(&mut self, index: &I) -> Result<(), Error> {
        self.all &= index.finds(self.slot, self.part, self.rows);
        Ok(())
    }
}
