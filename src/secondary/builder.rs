//! [`SecondaryMapBuilder`]: options for a `SecondaryMap`.

use super::{GappedSlots, SecondaryMap};
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn};
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
