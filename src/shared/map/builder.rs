//! [`SharedSlotMapBuilder`]: options for a `SharedSlotMap`.

#![forbid(unsafe_code)]

use super::SharedSlotMap;
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn};
use crate::error::{Error, Holder, Refused};
use crate::key::Key;
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
