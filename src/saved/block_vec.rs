//! Reading and writing arrays in blocks.

use super::vec::{self, Array};
use crate::block_vec::BlockVec;
use crate::error::Error;
use ::serde::de::Deserializer;
use ::serde::{Deserialize, Serialize, Serializer};

impl<T: Serialize> Serialize for BlockVec<T> {
    /// As a sequence, as a `Vec` is.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
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
        vec::read(deserializer)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(
        deserializer: D,
        place: &mut Self,
    ) -> Result<(), D::Error> {
        vec::read_over(deserializer, place)
    }
}

impl<T> Array for BlockVec<T> {
    type Element = T;

    fn try_push(&mut self, element: T) -> Result<(), Error> {
        self.try_push(element).map_err(|refused| refused.error)
    }

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.iter_mut()
    }

    fn truncate(&mut self, len: usize) {
        self.truncate(len);
    }
}
