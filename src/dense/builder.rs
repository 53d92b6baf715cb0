//! [`DenseSlotMapBuilder`]: options for a `DenseSlotMap`.

use super::rows::sealed::Plan;
use super::{DenseSlotMap, Rows};
use crate::container::{Builder, Container};
use crate::error::Error;
use crate::key::Key;
use crate::slot_map::SlotMap;
use crate::slots::key_options::KeyOptions;
use crate::vec::VmVec;

/// Options for a [`DenseSlotMap`]; see [`DenseSlotMap::builder`].
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
        Self::of_parts(builder).map_err(Self::explain)
    }
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    fn of_parts(builder: DenseSlotMapBuilder<K, V, S>) -> Result<Self, Error> {
        let Builder { options, capacity, .. } = builder;
        let table = builder.part::<SlotMap<K, u32>>(options.internal()).try_build()?;
        let keys = VmVec::try_with_options(options.internal(), capacity)?;
        Ok(Self::of(table, keys, S::try_made(Plan { options, capacity })?))
    }
}
