//! Constructors, and the options of a `DenseSlotMap`.

use super::rows::sealed::RowOptions;
use super::{DenseSlotMap, Rows};
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn, constructors};
use crate::error::{Error, Refused};
use crate::key::{DefaultKey, Key};
use crate::slot_map::SlotMap;
use crate::slots::key_options::KeyOptions;
use crate::vec::VmVec;

/// Options for a [`DenseSlotMap`]; created by [`DenseSlotMap::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, DefaultKey, DenseSlotMap};
///
/// let map: DenseSlotMap<DefaultKey, u64> = DenseSlotMap::builder()
///     .max_len(1 << 20)
///     .capacity(1 << 10)
///     .commit_ahead(CommitAhead::Auto)
///     .build();
/// assert_eq!(map.max_len(), 1 << 20);
/// ```
pub type DenseSlotMapBuilder<K, V, S = VmVec<V>> = Builder<DenseSlotMap<K, V, S>, KeyOptions>;

impl<K: Key, V, S: Rows<Value = V>> Container<KeyOptions> for DenseSlotMap<K, V, S> {
    const BUILDER: &'static str = "DenseSlotMapBuilder";

    fn try_from_builder(builder: DenseSlotMapBuilder<K, V, S>) -> Result<Self, Error> {
        let made = Self::keys_of(builder).and_then(|(table, keys)| {
            let Builder { options, capacity, .. } = builder;
            Ok(Self::of(table, keys, S::try_made(RowOptions { options, capacity })?))
        });
        made.map_err(Self::explain)
    }
}

impl<K: Key, V> ContainerIn<KeyOptions> for DenseSlotMap<K, V> {
    fn try_from_builder_in<B: Backing>(
        builder: DenseSlotMapBuilder<K, V>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        let refused = |error, value| Refused { error: Self::explain(error), value };
        let (table, keys) = match Self::keys_of(builder) {
            Ok(keys) => keys,
            Err(error) => return Err(refused(error, backing)),
        };
        match VmVec::try_new_in(backing, builder.options, builder.capacity) {
            Ok(rows) => Ok(Self::of(table, keys, rows)),
            Err(Refused { error, value }) => Err(refused(error, value)),
        }
    }
}

impl<V> DenseSlotMap<DefaultKey, V> {
    /// Creates an empty map with keys of type [`DefaultKey`]. Reserves nothing and does not enter the kernel until the
    /// first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = stayput::DenseSlotMap::new();
    /// let key = map.insert(7);
    /// assert_eq!(map[key], 7);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_key()
    }

    constructors! {
        /// Creates an empty map with memory committed for `capacity` values.
        with_capacity, try_with_capacity, capacity;
        /// # Examples
        ///
        /// ```
        /// let mut monsters = stayput::DenseSlotMap::with_capacity(1000);
        /// let capacity = monsters.capacity();
        /// monsters.extend((0..1000).map(|n| format!("monster {n}")));
        /// assert_eq!(monsters.capacity(), capacity); // has not grown
        /// ```
    }

    constructors! {
        /// Creates an empty map that can hold at most `max_len` values. Reserves addresses for them immediately. For
        /// keys of another type, see [`with_max_len_and_key`](Self::with_max_len_and_key).
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// let mut map = stayput::DenseSlotMap::with_max_len(2);
        /// map.extend(["a", "b"]);
        /// assert!(map.try_insert("c").is_err());
        /// ```
    }
}

impl<K: Key, V> DenseSlotMap<K, V> {
    /// Creates an empty map with keys of any type; see [`new`](DenseSlotMap::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DenseSlotMap, new_key_type};
    ///
    /// new_key_type! { struct SoundKey; }
    ///
    /// let mut sounds: DenseSlotMap<SoundKey, &str> = DenseSlotMap::with_key();
    /// let bang: SoundKey = sounds.insert("bang");
    /// assert_eq!(sounds[bang], "bang");
    /// ```
    #[must_use]
    pub const fn with_key() -> Self {
        Self::of(SlotMap::internal(), Self::KEYS, VmVec::new())
    }

    constructors! {
        /// Creates an empty map with memory committed for `capacity` values; see [`with_key`](Self::with_key).
        with_capacity_and_key, try_with_capacity_and_key, capacity;
        /// # Examples
        ///
        /// ```
        /// use stayput::{DenseSlotMap, new_key_type};
        ///
        /// new_key_type! { struct SoundKey; }
        ///
        /// let sounds: DenseSlotMap<SoundKey, String> = DenseSlotMap::with_capacity_and_key(1000);
        /// assert!(sounds.capacity() >= 1000);
        /// ```
    }

    constructors! {
        /// Creates an empty map that can hold at most `max_len` values; detached and retired keys count, too. Reserves
        /// the addresses immediately.
        with_max_len_and_key, try_with_max_len_and_key, max_len;
        /// # Examples
        ///
        /// ```
        /// use stayput::{DenseSlotMap, new_key_type};
        ///
        /// new_key_type! { struct SoundKey; }
        ///
        /// let sounds: DenseSlotMap<SoundKey, String> = DenseSlotMap::with_max_len_and_key(1 << 16);
        /// assert_eq!(sounds.max_len(), 1 << 16);
        /// ```
    }
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Returns the options for a new map: maximum, capacity, growth, huge pages, background work, reuse of keys.
    pub const fn builder() -> DenseSlotMapBuilder<K, V, S> {
        DenseSlotMapBuilder::new()
    }

    /// Creates the table and the keys of an empty map, which are never in caller-provided memory.
    fn keys_of(
        builder: DenseSlotMapBuilder<K, V, S>,
    ) -> Result<(SlotMap<K, u32>, VmVec<K>), Error> {
        let options = builder.options.internal();
        let table = builder.part::<SlotMap<K, u32>>(options).try_build()?;
        Ok((table, VmVec::try_with_options(options, builder.capacity)?))
    }
}
