//! `Serialize` and `Deserialize` for arrays.

#[cfg(feature = "block-vec")]
use crate::block_vec::BlockVec;
use crate::error::Error;
use crate::vec::VmVec;
use ::serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use ::serde::{Deserialize, Serialize, Serializer};
use std::fmt;

trait Array {
    type Element;

    fn try_push(&mut self, element: Self::Element) -> Result<(), Error>;

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Self::Element>;

    fn truncate(&mut self, len: usize);
}

macro_rules! array {
    ($array:ident, |$this:ident| $iter_mut:expr) => {
        impl<T: Serialize> Serialize for $array<T> {
            /// Serializes the elements as a sequence, as a `Vec` is.
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self)
            }
        }

        impl<'de, T: Deserialize<'de>> Deserialize<'de> for $array<T> {
            /// Deserializes a sequence of elements.
            ///
            /// `deserialize_in_place` reads into an existing array, within its maximum and with the memory that it has:
            /// elements that are read replace the previous ones as long as there are any. After an error, the elements
            /// read before it are present, and so are previous elements that were not replaced.
            ///
            /// # Errors
            ///
            /// In addition to those of the format: if memory is refused, or if there are more elements than the maximum
            /// of the array that is read into.
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut array = Self::default();
                Self::deserialize_in_place(deserializer, &mut array)?;
                Ok(array)
            }

            fn deserialize_in_place<D: Deserializer<'de>>(
                deserializer: D,
                place: &mut Self,
            ) -> Result<(), D::Error> {
                deserializer.deserialize_seq(InPlace(place))
            }
        }

        impl<T> Array for $array<T> {
            type Element = T;

            fn try_push(&mut self, element: T) -> Result<(), Error> {
                self.try_push(element).map_err(|refused| refused.error)
            }

            fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
                let $this = self;
                $iter_mut
            }

            fn truncate(&mut self, len: usize) {
                self.truncate(len);
            }
        }
    };
}

array!(VmVec, |array| array.as_mut_slice().iter_mut());
#[cfg(feature = "block-vec")]
array!(BlockVec, |array| array.iter_mut());

struct InPlace<'a, A>(&'a mut A);

impl<'de, A: Array<Element: Deserialize<'de>>> Visitor<'de> for InPlace<'_, A> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a sequence")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut elements: S) -> Result<(), S::Error> {
        let (mut read, mut is_end) = (0, false);
        for element in self.0.iter_mut() {
            is_end = elements.next_element_seed(Over(element))?.is_none();
            if is_end {
                break;
            }
            read += 1;
        }
        if is_end {
            self.0.truncate(read);
            return Ok(());
        }
        // The size hint is not trusted, nor needed, because growth copies nothing.
        while let Some(element) = elements.next_element()? {
            self.0.try_push(element).map_err(S::Error::custom)?;
        }
        Ok(())
    }
}

struct Over<'v, T>(&'v mut T);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Over<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::deserialize_in_place(deserializer, self.0)
    }
}
