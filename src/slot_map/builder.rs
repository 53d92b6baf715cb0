//! [`SlotMapBuilder`]: options for a `SlotMap`.

use super::{Reuse, SlotMap};
use crate::backing::Backing;
use crate::error::{Error, ErrorKind, Holder, Refused, give_up};
use crate::key::Key;
use crate::raw_vec::{Options, option_methods};
use crate::slots::array::Slots;
use crate::slots::holes::Holes;
use crate::slots::key_bits::most_slots;
use crate::slots::key_tag::TypeNumber;
use std::fmt;
use std::marker::PhantomData;
use std::mem;

/// Options for a [`SlotMap`]; see [`SlotMap::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{DefaultKey, HugePages, Reuse, SlotMap};
///
/// let map: SlotMap<DefaultKey, u64> = SlotMap::builder()
///     .max_len(1 << 20)
///     .capacity(1 << 10)
///     .huge_pages(HugePages::Never)
///     .reuse(Reuse::Rotating { min_free: 1024 })
///     .build();
/// assert_eq!(map.max_len(), 1 << 20);
/// ```
#[must_use = "nothing is made before `build` is called"]
pub struct SlotMapBuilder<K, V> {
    options: Options,
    capacity: usize,
    /// `None` if none was named.
    reuse: Option<Reuse>,
    type_id: Option<u32>,
    map: PhantomData<fn() -> (K, V)>,
}

impl<K: Key, V> SlotMapBuilder<K, V> {
    pub(super) const fn new() -> Self {
        Self {
            options: Options::DEFAULT,
            capacity: 0,
            reuse: None,
            type_id: None,
            map: PhantomData,
        }
    }

    /// With options that were said of another map, whose table this is to be.
    pub(crate) const fn of_options(options: Options) -> Self {
        Self { options, ..Self::new() }
    }

    /// The number of slots that the map can ever have, retired ones among them; addresses for
    /// them are reserved at once.
    ///
    /// If it is not said, as much is reserved as the machine has memory, or keys can number, but each of
    /// very many maps has less; see [`VmVec::new`](crate::VmVec::new).
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.options.max_len = Some(max_len);
        self
    }

    /// For how many values to commit memory at once. None, if not said.
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    option_methods!();

    /// Which hole to fill first. The most recent, if not said.
    pub const fn reuse(mut self, reuse: Reuse) -> Self {
        self.reuse = Some(reuse);
        self
    }

    /// The order that was named, if one was.
    #[cfg(feature = "file")]
    pub(crate) const fn wanted_reuse(&self) -> Option<Reuse> {
        self.reuse
    }

    /// A number in the keys of the map, which tells it from others that have keys of the same type; from 0 to
    /// [`Layout::MAX_TAG`](crate::Layout::MAX_TAG), and at most 2^31 - 1. None, if not said.
    ///
    /// Each key that the map gives out carries it as its tag, for
    /// [`KeyData::type_id`](crate::KeyData::type_id) to tell which map it is of; and a key with another
    /// tag finds nothing here, whatever is done with it. A tag that the user wrote is such, too: the tag belongs to
    /// the map then. ([`insert_at`](SlotMap::insert_at) refuses such a key.) `type_id(0)` is a
    /// number like any other: keys without a tag are the map's, and no others.
    ///
    /// Without a number the map gives out keys with tag 0, and takes those with any tag.
    ///
    /// Clones have the number of their original, and so has what is read by `serde` of a map that was
    /// written. [`clear`](SlotMap::clear) and [`reset`](SlotMap::reset) leave it.
    /// Secondary maps go by index and generation alone, as does a join that goes over one of them; for the keys that they give out, tell them the
    /// number ([`set_type_id`](crate::SecondaryMap::set_type_id)).
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
        self.type_id = Some(type_id);
        self
    }

    /// Makes the map.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) has an error.
    #[track_caller]
    pub fn build(self) -> SlotMap<K, V> {
        match self.try_build() {
            Ok(map) => map,
            Err(error) => give_up(error),
        }
    }

    /// Makes the map. Enters the kernel if a maximum or a capacity was asked for.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had; if keys cannot number so many slots, or the type
    /// number does not fit into them ([`KeyBits`](ErrorKind::KeyBits)); if the capacity is more than the
    /// maximum ([`MaxLen`](ErrorKind::MaxLen)).
    pub fn try_build(self) -> Result<SlotMap<K, V>, Error> {
        let number = TypeNumber::try_new(self.type_id)?;
        let slots = Slots::try_new(self.checked_options()?, self.capacity)?;
        let mut map = SlotMap::with_slots(slots);
        map.number = number;
        map.holes = Holes::try_in(self.reuse.unwrap_or_default())?;
        map.cover_holes()?;
        Ok(map)
    }

    /// Makes the map in memory that is supplied; it has the slots that fit there, or the maximum if
    /// that is less. See [`Backing`] for what else is different.
    ///
    /// Values lie there with their generations; what the map knows of holes, a bit a slot and a little for
    /// recent ones, is kept elsewhere.
    ///
    /// # Panics
    ///
    /// Where [`try_build_in`](Self::try_build_in) has an error.
    #[track_caller]
    pub fn build_in(self, backing: impl Backing) -> SlotMap<K, V> {
        match self.try_build_in(backing) {
            Ok(map) => map,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`build_in`](Self::build_in), or the error and the backing. Calls the backing to commit
    /// memory if a capacity was asked for.
    ///
    /// # Errors
    ///
    /// As for [`VecBuilder::try_build_in`](crate::VecBuilder::try_build_in), and
    /// [`try_build`](Self::try_build) for what is kept elsewhere.
    pub fn try_build_in<B: Backing>(self, backing: B) -> Result<SlotMap<K, V>, Refused<B>> {
        let checked = TypeNumber::try_new(self.type_id)
            .and_then(|number| Ok((number, self.checked_options()?)));
        let (number, options) = match checked {
            Ok(checked) => checked,
            Err(error) => return Err(Refused { error, value: backing }),
        };
        let slots = Slots::try_new_in(backing, options, self.capacity)?;
        let mut map = SlotMap::with_slots(slots);
        map.number = number;
        let covered = Holes::try_in(self.reuse.unwrap_or_default()).and_then(|holes| {
            map.holes = holes;
            map.cover_holes()
        });
        match covered {
            Ok(()) => Ok(map),
            Err(error) => Err(Refused { error, value: map.into_backing() }),
        }
    }

    /// The options, for no more slots than keys can number.
    fn checked_options(&self) -> Result<Options, Error> {
        let bound = most_slots::<K>();
        let wished = self.options.max_len.unwrap_or(0).max(self.capacity);
        if wished > bound {
            let bytes = wished.saturating_mul(Slots::<V>::STRIDE_BYTES);
            let error = Error::new(ErrorKind::KeyBits, bytes).with_limit(bound as u64);
            return Err(error.of(Holder::SlotMap));
        }
        Ok(Options { bound, holder: Holder::SlotMap, ..self.options })
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// Options: maximum, capacity, growth, huge pages, what is done in the background, which hole to
    /// fill first, a type number for the keys.
    pub const fn builder() -> SlotMapBuilder<K, V> {
        SlotMapBuilder::new()
    }

    /// The backing, from a map that was just made in it.
    pub(crate) fn into_backing<B: Backing>(mut self) -> B {
        mem::replace(&mut self.slots, Slots::new(&Options::DEFAULT)).into_backing()
    }
}

impl<K, V> Clone for SlotMapBuilder<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for SlotMapBuilder<K, V> {}

impl<K, V> fmt::Debug for SlotMapBuilder<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SlotMapBuilder");
        self.options
            .show(&mut shown)
            .field("capacity", &self.capacity)
            .field("reuse", &self.reuse.unwrap_or_default())
            .field("type_id", &self.type_id)
            .finish()
    }
}
