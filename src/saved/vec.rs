//! Reading and writing arrays.

use crate::block_vec::BlockVec;
use crate::error::Error;
use crate::vec::VmVec;
use ::serde::de::{DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use ::serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// An array that can be read.
trait Array: Default {
    type Element;

    fn try_push(&mut self, element: Self::Element) -> Result<(), Error>;

    fn iter_mut(&mut self) -> impl Iterator<Item = &mut Self::Element>;

    fn truncate(&mut self, len: usize);
}

/// Reading and writing an array.
macro_rules! array {
    ($array:ident, |$this:ident| $iter_mut:expr) => {
        impl<T: Serialize> Serialize for $array<T> {
            /// As a sequence, as a `Vec` is.
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_seq(self)
            }
        }

        impl<'de, T: Deserialize<'de>> Deserialize<'de> for $array<T> {
            /// `deserialize_in_place` reads into an array that is there, within its maximum and with the
            /// memory that it has: elements are read over elements as far as there are any. Where it fails, what
            /// was read before the fault is there, and what was not read over may be.
            ///
            /// # Errors
            ///
            /// Besides what the format finds wrong: if there are more elements than memory can be had for, or
            /// than an array that is read into may have.
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer)
            }

            fn deserialize_in_place<D: Deserializer<'de>>(
                deserializer: D,
                place: &mut Self,
            ) -> Result<(), D::Error> {
                read_over(deserializer, place)
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
array!(BlockVec, |array| array.iter_mut());

/// Reads a sequence into an array of its own.
fn read<'de, A, D>(deserializer: D) -> Result<A, D::Error>
where
    A: Array<Element: Deserialize<'de>>,
    D: Deserializer<'de>,
{
    let mut array = A::default();
    read_over(deserializer, &mut array)?;
    Ok(array)
}

/// Reads a sequence over the elements of an array as far as there are any, and then behind them.
fn read_over<'de, A, D>(deserializer: D, array: &mut A) -> Result<(), D::Error>
where
    A: Array<Element: Deserialize<'de>>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(InPlace(array))
}

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
        // The hint at their number is not believed, and not needed: growing copies nothing.
        while let Some(element) = elements.next_element()? {
            self.0.try_push(element).map_err(S::Error::custom)?;
        }
        Ok(())
    }
}

/// Reads over an element.
struct Over<'v, T>(&'v mut T);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Over<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        T::deserialize_in_place(deserializer, self.0)
    }
}
