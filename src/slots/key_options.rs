//! [`KeyOptions`]: options of the containers that give out keys.

#![forbid(unsafe_code)]

use super::holes::reuse::Reuse;
use crate::container::{Builder, OwnOptions};
use std::fmt;

/// The options of containers that give out keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyOptions {
    /// `None` if none was named.
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
    /// Sets which hole to fill first, which is also which key is given out next. Defaults to [`Reuse::Recent`].
    ///
    /// For a `SharedSlotMap`, see [there](crate::SharedSlotMap#keys).
    pub const fn reuse(mut self, reuse: Reuse) -> Self {
        self.own.reuse = Some(reuse);
        self
    }

    /// Sets a number in the keys of the map, which tells it from others that have keys of the same type; from 0 to
    /// [`Layout::MAX_TAG`](crate::Layout::MAX_TAG), and at most 2^31 - 1. Defaults to none.
    ///
    /// Each key that the map gives out carries it as its tag, for
    /// [`KeyData::type_id`](crate::KeyData::type_id) to tell which map it is of; and a key with another
    /// tag finds nothing here, whatever is done with it. A tag that the user wrote is such, too: the tag belongs to
    /// the map then. ([`insert_at`](crate::SlotMap::insert_at) refuses such a key.) `type_id(0)` is a
    /// number like any other: keys without a tag are the map's, and no others.
    ///
    /// Without a number the map gives out keys with tag 0, and takes those with any tag.
    ///
    /// Clones have the number of their original, and so has what is read by `serde` of a map that was
    /// written. [`clear`](crate::SlotMap::clear) and [`reset`](crate::SlotMap::reset) leave it.
    /// Secondary maps go by index and generation alone, as does a join that goes over one of them; for the keys that they
    /// give out, tell them the number ([`set_type_id`](crate::SecondaryMap::set_type_id)).
    ///
    /// To look a key up costs one compare more where keys have bits of tag, and nothing where they have none;
    /// those can have the number 0 only.
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
