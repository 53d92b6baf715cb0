//! `Serialize` and `Deserialize` for columns.

use crate::columns::{CloneFields, Columns, Row};
use ::serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use ::serde::{Deserialize, Serialize, Serializer};
use std::fmt;

impl<R: Row + Clone + Serialize> Serialize for Columns<R>
where
    R::Fields: CloneFields,
{
    /// Serializes the rows as a sequence, as a `Vec` of them.
    ///
    /// Each row is serialized by its own implementation, so that it can be deserialized by it; its fields are cloned
    /// for that. See [`saved`](crate::saved) for how to serialize columns without clones.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter_clones())
    }
}

impl<'de, R: Row + Deserialize<'de>> Deserialize<'de> for Columns<R> {
    /// Deserializes a sequence of rows.
    ///
    /// `deserialize_in_place` reads into existing columns, within their maximum and with the memory that they have:
    /// rows that are read replace the previous ones as long as there are any. After an error, the rows read before it
    /// are there, and so are previous rows that were not replaced.
    ///
    /// # Errors
    ///
    /// In addition to those of the format: if memory for the rows is refused, or if there are more of them than the
    /// maximum of the columns that are read into.
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
        // As for an array, the size hint is not trusted.
        while let Some(row) = rows.next_element()? {
            self.0.try_push(row).map_err(|refused| A::Error::custom(refused.error))?;
        }
        Ok(())
    }
}
