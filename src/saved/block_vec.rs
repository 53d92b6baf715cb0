//! Reading and writing arrays in blocks.

use super::vec::Over;
use crate::block_vec::BlockVec;
use ::serde::de::{Deserializer, Error as _, SeqAccess, Visitor};
use ::serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

impl<T: Serialize> Serialize for BlockVec<T> {
    /// As a sequence, as a `Vec` is.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

/// Appends all elements of a sequence.
///
/// The hint at their number is not believed, and not needed: growing copies nothing.
fn append_all<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(
    vec: &mut BlockVec<T>,
    mut elements: A,
) -> Result<(), A::Error> {
    while let Some(element) = elements.next_element()? {
        vec.try_push(element).map_err(|refused| A::Error::custom(refused.error))?;
    }
    Ok(())
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for BlockVec<T> {
    /// `deserialize_in_place` reads into an array that is there, within its maximum and with the
    /// memory that it has: elements are read over elements as far as there are any. Where it fails, what
    /// was read before the fault is there, and what was not read over may be.
    ///
    /// # Errors
    ///
    /// Besides what the format finds wrong: if there are more elements than memory can be had for, or
    /// than an array that is read into may have.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Elements(PhantomData))
    }

    fn deserialize_in_place<D: Deserializer<'de>>(
        deserializer: D,
        place: &mut Self,
    ) -> Result<(), D::Error> {
        deserializer.deserialize_seq(InPlace(place))
    }
}

struct Elements<T>(PhantomData<fn() -> T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Elements<T> {
    type Value = BlockVec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        let mut vec = BlockVec::new();
        append_all(&mut vec, elements)?;
        Ok(vec)
    }
}

struct InPlace<'v, T>(&'v mut BlockVec<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for InPlace<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        for (read, element) in self.0.iter_mut().enumerate() {
            if elements.next_element_seed(Over(element))?.is_none() {
                self.0.truncate(read);
                return Ok(());
            }
        }
        append_all(self.0, elements)
    }
}
