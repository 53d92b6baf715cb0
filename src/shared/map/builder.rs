//! Constructors, and [`SharedSlotMapBuilder`]: the options of a `SharedSlotMap`.

#![forbid(unsafe_code)]

use super::SharedSlotMap;
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn, constructors};
use crate::error::{Error, Holder, Refused};
use crate::key::{DefaultKey, Key};
use crate::slot_map::SlotMap;
use crate::slots::key_options::KeyOptions;

/// Options for a [`SharedSlotMap`]; see [`SharedSlotMap::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, DefaultKey, SharedSlotMap};
///
/// let map: SharedSlotMap<DefaultKey, u64> = SharedSlotMap::builder()
///     .max_len(1 << 20)
///     .capacity(1 << 10)
///     .commit_ahead(CommitAhead::Auto)
///     .build();
/// assert_eq!(map.max_len(), 1 << 20);
/// ```
pub type SharedSlotMapBuilder<K, V> = Builder<SharedSlotMap<K, V>, KeyOptions>;

impl<V> SharedSlotMap<DefaultKey, V> {
    /// Creates an empty map with keys of type [`DefaultKey`]. Nothing is reserved or allocated, and the kernel is not
    /// entered, until the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SharedSlotMap};
    ///
    /// static NAMES: SharedSlotMap<DefaultKey, String> = SharedSlotMap::new();
    ///
    /// let (key, _) = NAMES.insert("Ada".to_string());
    /// assert_eq!(NAMES[key], "Ada");
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_key()
    }

    constructors! {
        /// Creates an empty map with memory committed for `capacity` values.
        ///
        /// Insertion takes more memory before the last of their slots is filled, so that threads rarely wait for it.
        with_capacity, try_with_capacity, capacity
    }

    constructors! {
        /// Creates an empty map that can have at most `max_len` slots, and reserves their addresses now. For keys of
        /// another type, see [`with_max_len_and_key`](Self::with_max_len_and_key).
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// let map = stayput::SharedSlotMap::with_max_len(1);
        /// map.insert('a');
        /// assert_eq!(map.try_insert('b').unwrap_err().value, 'b');
        /// ```
    }
}

impl<K: Key, V> SharedSlotMap<K, V> {
    /// Creates an empty map with keys of any type; see [`new`](SharedSlotMap::new).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{SharedSlotMap, new_key_type};
    ///
    /// new_key_type! { struct JobKey; }
    ///
    /// static JOBS: SharedSlotMap<JobKey, String> = SharedSlotMap::with_key();
    ///
    /// let (key, _) = JOBS.insert("sort".to_string());
    /// assert_eq!(JOBS[key], "sort");
    /// ```
    #[must_use]
    pub const fn with_key() -> Self {
        Self::empty()
    }

    constructors! {
        /// Creates an empty map with memory committed for `capacity` values; see [`with_key`](Self::with_key).
        with_capacity_and_key, try_with_capacity_and_key, capacity
    }

    constructors! {
        /// Creates an empty map that can have at most `max_len` slots, including retired ones, and reserves their
        /// addresses now.
        with_max_len_and_key, try_with_max_len_and_key, max_len
    }

    /// Returns a builder for a map with options: maximum, capacity, growth, huge pages, background work, order of
    /// reuse, type id of the keys.
    pub const fn builder() -> SharedSlotMapBuilder<K, V> {
        SharedSlotMapBuilder::new()
    }
}

impl<K: Key, V> Container<KeyOptions> for SharedSlotMap<K, V> {
    const BUILDER: &'static str = "SharedSlotMapBuilder";

    fn try_from_builder(builder: SharedSlotMapBuilder<K, V>) -> Result<Self, Error> {
        let map = builder.part::<SlotMap<K, V>>(builder.options).try_build();
        let shared = Self::from(map.map_err(|error| error.of(Holder::SharedSlotMap))?);
        shared.try_reserve(builder.capacity)?;
        Ok(shared)
    }
}

impl<K: Key, V> ContainerIn<KeyOptions> for SharedSlotMap<K, V> {
    fn try_from_builder_in<B: Backing>(
        builder: SharedSlotMapBuilder<K, V>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        let map = builder.part::<SlotMap<K, V>>(builder.options).try_build_in(backing);
        let shared = Self::from(map.map_err(|Refused { error, value }| Refused {
            error: error.of(Holder::SharedSlotMap),
            value,
        })?);
        match shared.try_reserve(builder.capacity) {
            Ok(()) => Ok(shared),
            Err(error) => Err(Refused { error, value: shared.into_inner().into_backing() }),
        }
    }
}
