//! [`KeyOptions`]: options of containers that make keys.

#![forbid(unsafe_code)]

use super::holes::reuse::Reuse;
use crate::container::{Builder, OwnOptions};
use std::fmt;

/// The options of containers that make keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyOptions {
    /// `None` if it was not set.
    pub(crate) reuse: Option<Reuse>,
    pub(crate) type_id: Option<u32>,
}

impl OwnOptions for KeyOptions {
    const DEFAULT: Self = Self { reuse: None, type_id: None };

    fn show(self, shown: &mut fmt::DebugStruct<'_, '_>) {
        shown.field("reuse", &self.reuse.unwrap_or_default()).field("type_id", &self.type_id);
    }
}

impl<C> Builder<C, KeyOptions> {
    /// Sets which hole is filled first, and so which key is returned next; see [`Reuse`]. Defaults to
    /// [`Reuse::Recent`].
    ///
    /// For a `SharedSlotMap`, see [its keys](crate::SharedSlotMap#keys).
    pub const fn reuse(mut self, reuse: Reuse) -> Self {
        self.own.reuse = Some(reuse);
        self
    }

    /// Sets the type id, which distinguishes the keys of this map from those of other maps with the same key type.
    /// Defaults to none.
    ///
    /// It is a number from 0 to [`Layout::MAX_TAG`](crate::Layout::MAX_TAG), and at most 2^31 - 1.
    ///
    /// Each key that the map returns carries the type id as its tag, and [`KeyData::type_id`](crate::KeyData::type_id)
    /// returns it, to tell which map a key belongs to. A key with another tag, including one that the user has written,
    /// finds nothing in this map, whatever the method, and [`insert_at`](crate::SlotMap::insert_at) refuses it.
    /// `type_id(0)` is a type id like any other: keys with tag 0 belong to the map, and no others.
    ///
    /// Without a type id, the map returns keys with tag 0, and accepts keys with any tag.
    ///
    /// Clones have the type id of their original, and so has a map that `serde` reads, if it was written with one.
    /// [`clear`](crate::SlotMap::clear) and [`reset`](crate::SlotMap::reset) keep it. Secondary maps use only the index
    /// and generation of a key, and so does a join that iterates over one of them. To set the type id in the keys that
    /// they return, call [`set_type_id`](crate::SecondaryMap::set_type_id).
    ///
    /// A look-up takes one more comparison if keys have tag bits. Keys without tag bits can only have the type id 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{ErrorKind, Key, SlotMap, Tagged64, new_key_type};
    ///
    /// new_key_type! { struct AnyKey: Tagged64; }
    ///
    /// const UNIT: u32 = 1;
    /// const SOUND: u32 = 2;
    ///
    /// let mut units = SlotMap::builder().type_id(UNIT).build();
    /// let mut sounds = SlotMap::builder().type_id(SOUND).build();
    /// let archer: AnyKey = units.insert("archer");
    /// let bang: AnyKey = sounds.insert(44_100);
    ///
    /// let describe = |key: AnyKey| match key.type_id() {
    ///     UNIT => units.get(key).map(|name| format!("the unit {name}")),
    ///     SOUND => sounds.get(key).map(|rate| format!("a sound at {rate} Hz")),
    ///     _ => None,
    /// };
    /// assert_eq!(describe(archer).as_deref(), Some("the unit archer"));
    /// assert_eq!(describe(bang).as_deref(), Some("a sound at 44100 Hz"));
    /// assert_eq!((units.get(bang), sounds.get(archer)), (None, None));
    ///
    /// let refused = SlotMap::<AnyKey, u8>::builder().type_id(1 << 12).try_build();
    /// assert_eq!(refused.unwrap_err().kind(), ErrorKind::KeyBits);
    /// ```
    pub const fn type_id(mut self, type_id: u32) -> Self {
        self.own.type_id = Some(type_id);
        self
    }
}
