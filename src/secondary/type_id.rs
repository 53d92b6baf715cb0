//! The type id in the keys that secondary maps return.

use super::{SecondaryMap, SparseSecondaryMap, unwrap_or_panic};
use crate::error::Error;
use crate::key::Key;
use crate::slots::key_tag::Mint;

/// Defines the methods for a map that makes keys with its mint.
macro_rules! type_id {
    ($map:ident $(, $hasher:ident)?) => {
        impl<K: Key, V $(, $hasher)?> $map<K, V $(, $hasher)?> {
            /// Sets the [type id](crate::SlotMapBuilder::type_id) of the keys that this map returns by iteration and
            /// passes to closures.
            ///
            /// It must be that of the slot map whose keys this map uses, which finds no value by a key with another. A
            /// new map, including one that was collected or read by `serde`, returns keys with tag 0.
            ///
            /// Look-ups and insertions use only the index and generation of a key, and ignore the tag. So a key of
            /// another slot map may find the value that is stored for an equal index and generation.
            ///
            /// # Panics
            ///
            /// If the type id does not fit into the tag.
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
                unwrap_or_panic(self.try_set_type_id(type_id));
            }

            /// [`set_type_id`](Self::set_type_id), or the error.
            ///
            /// # Errors
            ///
            /// If the type id does not fit into the tag ([`KeyBits`](crate::ErrorKind::KeyBits)).
            pub fn try_set_type_id(&mut self, type_id: u32) -> Result<(), Error> {
                self.mint = Mint::try_new(type_id)?;
                Ok(())
            }
        }
    };
}

type_id!(SecondaryMap);
type_id!(SparseSecondaryMap, S);
