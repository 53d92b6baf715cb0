//! Reading and writing arrays to which many threads append.

use crate::shared::SharedVec;
use crate::vec::VmVec;
use ::serde::de::Deserializer;
use ::serde::{Deserialize, Serialize, Serializer};

impl<T: Serialize> Serialize for SharedVec<T> {
    /// The [prefix](SharedVec#the-prefix) as a sequence, as a `Vec` is. Others may append meanwhile.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for SharedVec<T> {
    /// As a [`VmVec`], also by `deserialize_in_place`.
    ///
    /// # Errors
    ///
    /// As for a `VmVec`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        VmVec::deserialize(deserializer).map(Self::from)
    }

    fn deserialize_in_place<D: Deserializer<'de>>(
        deserializer: D,
        place: &mut Self,
    ) -> Result<(), D::Error> {
        VmVec::deserialize_in_place(deserializer, &mut place.as_mut_vec())
    }
}
