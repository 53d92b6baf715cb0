//! Reading and writing columns.

use crate::columns::{CloneFields, Columns, Row};
use ::serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use ::serde::{Deserialize, Serialize, Serializer};
use std::fmt;

impl<R: Row + Clone + Serialize> Serialize for Columns<R>
where
    R::Fields: CloneFields,
{
    /// As a sequence of rows, as a `Vec` of them is.
    ///
    /// Each is written as the row is, by what it implements, so that it can be read as it is; for that its
    /// fields are cloned. See [`saved`](crate::saved) for how to write columns without clones.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter_clones())
    }
}

impl<'de, R: Row + Deserialize<'de>> Deserialize<'de> for Columns<R> {
    /// `deserialize_in_place` reads into columns that are there, within their maximum and with the memory that
    /// they have: rows that are read take the places of those before, as far as there are any. Where it fails,
    /// what was read before the fault is there, and so are rows in whose place nothing was read.
    ///
    /// # Errors
    ///
    /// Besides what the format finds wrong: if there are more rows than memory can be had for, or than columns that
    /// are read into may have.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut columns = Self::new();
        Self::deserialize_in_place(deserializer, &mut columns)?;
        Ok(columns)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(
        deserializer: D,
        place: &mut Self,
    ) -> Result<(), D::Error> {
        deserializer.deserialize_seq(InPlace(place))
    }
}

struct InPlace<'c, R: Row>(&'c mut Columns<R>);

impl<'de, R: Row + Deserialize<'de>> Visitor<'de> for InPlace<'_, R> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        for index in 0..self.0.len() {
            let Some(row) = rows.next_element()? else {
                self.0.truncate(index);
                return Ok(());
            };
            drop(self.0.replace(index, row));
        }
        // As for an array, the hint at their number is not believed.
        while let Some(row) = rows.next_element()? {
            self.0.try_push(row).map_err(|refused| A::Error::custom(refused.error))?;
        }
        Ok(())
    }
}
