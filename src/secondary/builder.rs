//! Constructors, and [`SecondaryMapBuilder`]: the options of a `SecondaryMap`.

use super::{GappedSlots, SecondaryMap};
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn, constructors};
use crate::error::{Error, Refused};
use crate::key::Key;
use crate::raw_vec::Options;

/// Options for a [`SecondaryMap`]; see [`SecondaryMap::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, DefaultKey, SecondaryMap};
///
/// let map: SecondaryMap<DefaultKey, u64> = SecondaryMap::builder()
///     .max_len(1 << 20)
///     .capacity(1 << 10)
///     .commit_ahead(CommitAhead::Bytes(1 << 20))
///     .build();
/// assert_eq!(map.max_len(), 1 << 20);
/// ```
pub type SecondaryMapBuilder<K, V> = Builder<SecondaryMap<K, V>>;

impl<K: Key, V> SecondaryMap<K, V> {
    /// Creates an empty map. Nothing is reserved, and the kernel is not entered, until the first insertion.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SecondaryMap};
    ///
    /// let map: SecondaryMap<DefaultKey, u32> = SecondaryMap::new();
    /// assert!(map.is_empty());
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_slots(GappedSlots::new(Self::OPTIONS))
    }

    constructors! {
        /// Creates an empty map with memory committed for indices below `capacity`, none of which is
        /// [far](Self#far-indices).
        with_capacity, try_with_capacity, capacity;
        /// # Examples
        ///
        /// ```
        /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
        ///
        /// let players: SlotMap<DefaultKey, &str> = ["Ann", "Bob"].into();
        /// let mut health = SecondaryMap::with_capacity(players.slots_len());
        /// for key in players.keys() {
        ///     health.insert(key, 100); // takes no more memory
        /// }
        /// assert!(health.values().eq(&[100, 100]));
        /// ```
    }

    constructors! {
        /// Creates an empty map that can have at most `max_len` slots, and reserves their addresses now. Indices from
        /// `max_len` on are refused.
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// use stayput::{DefaultKey, SecondaryMap};
        ///
        /// let map: SecondaryMap<DefaultKey, u32> = SecondaryMap::with_max_len(1 << 20);
        /// assert_eq!(map.max_len(), 1 << 20);
        /// ```
    }

    /// Returns a builder for a map with options: maximum, capacity, growth, huge pages, background work.
    pub const fn builder() -> SecondaryMapBuilder<K, V> {
        SecondaryMapBuilder::new()
    }

    /// Creates a map over new slots, in which no index below `capacity` is far.
    fn announcing(capacity: usize, slots: GappedSlots<V>) -> Self {
        let mut map = Self::with_slots(slots);
        map.announced = capacity;
        map
    }

    fn checked_options(builder: &SecondaryMapBuilder<K, V>) -> Result<Options, Error> {
        let preferred = builder.options.max_len.unwrap_or(0).max(builder.capacity);
        Self::check_key_bits(preferred)?;
        Ok(Self::bounded(builder.options))
    }
}

impl<K: Key, V> Container for SecondaryMap<K, V> {
    const BUILDER: &'static str = "SecondaryMapBuilder";

    fn try_from_builder(builder: SecondaryMapBuilder<K, V>) -> Result<Self, Error> {
        let slots = GappedSlots::try_new(Self::checked_options(&builder)?, builder.capacity)?;
        Ok(Self::announcing(builder.capacity, slots))
    }
}

impl<K: Key, V> ContainerIn for SecondaryMap<K, V> {
    fn try_from_builder_in<B: Backing>(
        builder: SecondaryMapBuilder<K, V>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        let options = match Self::checked_options(&builder) {
            Ok(options) => options,
            Err(error) => return Err(Refused { error, value: backing }),
        };
        let slots = GappedSlots::try_new_in(backing, options, builder.capacity)?;
        Ok(Self::announcing(builder.capacity, slots))
    }
}
