//! Constructors, and [`SecondaryMapBuilder`]: options for a `SecondaryMap`.

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
    /// An empty map. Reserves nothing and does not enter the kernel until the first insertion.
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
        /// Returns an empty map with memory committed for indices below `capacity`, which are thereby
        /// [announced](Self#far-indices).
        with_capacity, try_with_capacity, capacity
    }

    constructors! {
        /// Returns an empty map that can hold `max_len` slots and no more. Refuses indices from `max_len` on.
        /// Reserves the addresses now.
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

    /// Options: maximum, capacity, growth, huge pages, what is done in the background.
    pub const fn builder() -> SecondaryMapBuilder<K, V> {
        SecondaryMapBuilder::new()
    }

    /// The map over slots that were made as asked.
    fn announcing(capacity: usize, slots: GappedSlots<V>) -> Self {
        let mut map = Self::with_slots(slots);
        map.announced = capacity;
        map
    }

    /// The options, for no more slots than keys can number.
    fn checked_options(builder: &SecondaryMapBuilder<K, V>) -> Result<Options, Error> {
        let wished = builder.options.max_len.unwrap_or(0).max(builder.capacity);
        Self::check_key_bits(wished)?;
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
