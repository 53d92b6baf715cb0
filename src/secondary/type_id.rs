//! The type number in the keys that secondary maps give out.

use super::{SecondaryMap, SparseSecondaryMap, or_give_up};
use crate::error::Error;
use crate::key::Key;
use crate::slots::key_tag::Mint;

/// A map that gives out keys by its mint.
macro_rules! type_id {
    ($map:ident $(, $hasher:ident)?) => {
        impl<K: Key, V $(, $hasher)?> $map<K, V $(, $hasher)?> {
            /// Has the keys that this map gives out, by iteration and to closures, carry the
            /// [type number](crate::SlotMapBuilder::type_id) of the slot map that they are of, which finds
            /// nothing under others. A new map, also one that was collected or read by `serde`, gives
            /// out keys with tag 0.
            ///
            /// What is found under a key here, and which keys are taken, goes by index and generation
            /// all the same, whatever its tag. A key of another slot map may find what is
            /// here for the same index and generation.
            ///
            /// # Panics
            ///
            /// If the number does not fit into the tag.
            ///
            /// # Examples
            ///
            /// ```
            #[doc = concat!("use stayput::{", stringify!($map), ", SlotMap, Tagged64, new_key_type};")]
            ///
            /// new_key_type! { struct UnitKey: Tagged64; }
            ///
            /// let mut units = SlotMap::builder().type_id(3).build();
            #[doc = concat!("let mut hits: ", stringify!($map), "<UnitKey, u32> = ", stringify!($map), "::new();")]
            /// hits.set_type_id(3);
            /// let archer = units.insert("archer");
            /// hits.insert(archer, 7);
            /// hits.retain(|key, _| units.contains_key(key));
            /// assert!(hits.keys().eq([archer]));
            /// ```
            #[track_caller]
            pub fn set_type_id(&mut self, type_id: u32) {
                or_give_up(self.try_set_type_id(type_id));
            }

            /// [`set_type_id`](Self::set_type_id), or the error.
            ///
            /// # Errors
            ///
            /// If the number does not fit into the tag ([`KeyBits`](crate::ErrorKind::KeyBits)).
            pub fn try_set_type_id(&mut self, type_id: u32) -> Result<(), Error> {
                self.mint = Mint::try_new(type_id)?;
                Ok(())
            }
        }
    };
}

type_id!(SecondaryMap);
type_id!(SparseSecondaryMap, S);
