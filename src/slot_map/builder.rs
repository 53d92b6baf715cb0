//! Constructors, and [`SlotMapBuilder`]: the options of a `SlotMap`.

use super::SlotMap;
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn, constructors};
use crate::error::{Error, ErrorKind, Holder, Refused};
use crate::key::{DefaultKey, Key};
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::holes::Holes;
use crate::slots::key_bits::most_slots;
use crate::slots::key_options::KeyOptions;
use crate::slots::key_tag::MapTypeId;
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
pub type SlotMapBuilder<K, V> = Builder<SlotMap<K, V>, KeyOptions>;

impl<K: Key, V> Container<KeyOptions> for SlotMap<K, V> {
    const BUILDER: &'static str = "SlotMapBuilder";

    fn try_from_builder(builder: SlotMapBuilder<K, V>) -> Result<Self, Error> {
        let type_id = MapTypeId::try_new(builder.own.type_id)?;
        let slots = Slots::try_new(Self::checked_options(&builder)?, builder.capacity)?;
        let mut map = Self::with_slots(slots);
        map.type_id = type_id;
        map.take_holes(builder)?;
        Ok(map)
    }
}

impl<K: Key, V> ContainerIn<KeyOptions> for SlotMap<K, V> {
    fn try_from_builder_in<B: Backing>(
        builder: SlotMapBuilder<K, V>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        let checked = MapTypeId::try_new(builder.own.type_id)
            .and_then(|type_id| Ok((type_id, Self::checked_options(&builder)?)));
        let (type_id, options) = match checked {
            Ok(checked) => checked,
            Err(error) => return Err(Refused { error, value: backing }),
        };
        let mut map = Self::with_slots(Slots::try_new_in(backing, options, builder.capacity)?);
        map.type_id = type_id;
        match map.take_holes(builder) {
            Ok(()) => Ok(map),
            Err(error) => Err(Refused { error, value: map.into_backing() }),
        }
    }
}

impl<V> SlotMap<DefaultKey, V> {
    /// Creates an empty map with keys of type [`DefaultKey`]. Nothing is reserved, and the kernel is not entered, until
    /// the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = stayput::SlotMap::new();
    /// let key = map.insert(7);
    /// assert_eq!(map[key], 7);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_slots(Slots::new(Self::OPTIONS))
    }

    constructors! {
        /// Creates an empty map with memory committed for `capacity` values.
        with_capacity, try_with_capacity, capacity;
        /// # Examples
        ///
        /// ```
        /// let mut monsters = stayput::SlotMap::with_capacity(1000);
        /// let capacity = monsters.capacity();
        /// monsters.extend((0..1000).map(|n| format!("monster {n}")));
        /// assert_eq!(monsters.capacity(), capacity); // has not grown
        /// ```
    }

    constructors! {
        /// Creates an empty map that can have at most `max_len` slots, and reserves their addresses now.
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// let mut map = stayput::SlotMap::with_max_len(2);
        /// map.extend(["a", "b"]);
        /// assert!(map.try_insert("c").is_err());
        /// ```
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// Creates an empty map with keys of any type; see [`new`](SlotMap::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SlotMap, new_key_type};
    ///
    /// new_key_type! {
    ///     struct MonsterKey;
    ///     struct ItemKey;
    /// }
    ///
    /// let mut monsters: SlotMap<MonsterKey, &str> = SlotMap::with_key();
    /// let mut items: SlotMap<ItemKey, &str> = SlotMap::with_key();
    /// let orc = monsters.insert("orc");
    /// items.insert("sword");
    /// assert_eq!(monsters[orc], "orc"); // `items[orc]` does not compile
    /// ```
    #[must_use]
    pub const fn with_key() -> Self {
        Self::with_slots(Slots::new(Self::OPTIONS))
    }

    constructors! {
        /// Creates an empty map with memory committed for `capacity` values; see [`with_key`](Self::with_key).
        with_capacity_and_key, try_with_capacity_and_key, capacity;
        /// # Examples
        ///
        /// ```
        /// use stayput::{SlotMap, new_key_type};
        ///
        /// new_key_type! { struct SoundKey; }
        ///
        /// let sounds: SlotMap<SoundKey, String> = SlotMap::with_capacity_and_key(1000);
        /// assert!(sounds.capacity() >= 1000);
        /// ```
    }

    constructors! {
        /// Creates an empty map that can have at most `max_len` slots, including retired ones, and reserves their
        /// addresses now.
        with_max_len_and_key, try_with_max_len_and_key, max_len;
        /// # Examples
        ///
        /// ```
        /// use stayput::{SlotMap, new_key_type};
        ///
        /// new_key_type! { struct SoundKey; }
        ///
        /// let sounds: SlotMap<SoundKey, String> = SlotMap::with_max_len_and_key(1 << 16);
        /// assert_eq!(sounds.max_len(), 1 << 16);
        /// ```
    }

    /// Returns a builder for a map with options: maximum, capacity, growth, huge pages, background work, order of
    /// reuse, type id of the keys.
    pub const fn builder() -> SlotMapBuilder<K, V> {
        SlotMapBuilder::new()
    }

    fn take_holes(&mut self, builder: SlotMapBuilder<K, V>) -> Result<(), Error> {
        self.holes = Holes::try_in(builder.own.reuse.unwrap_or_default())?;
        self.cover_holes()
    }

    fn checked_options(builder: &SlotMapBuilder<K, V>) -> Result<Options, Error> {
        let bound = most_slots::<K>();
        let preferred = builder.options.max_len.unwrap_or(0).max(builder.capacity);
        if preferred > bound {
            let bytes = preferred.saturating_mul(Slots::<V>::STRIDE_BYTES);
            let error = Error::new(ErrorKind::KeyBits, bytes).with_limit(bound as u64);
            return Err(error.of(Holder::SlotMap));
        }
        Ok(Options { bound, holder: Holder::SlotMap, ..builder.options })
    }

    /// Returns the backing of a map that was just created in it.
    pub(crate) fn into_backing<B: Backing>(mut self) -> B {
        mem::replace(&mut self.slots, Slots::new(&Options::DEFAULT)).into_backing()
    }
}
