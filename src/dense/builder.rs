//! [`DenseSlotMapBuilder`]: options for a `DenseSlotMap`.

use super::rows::sealed::Plan;
use super::{DenseSlotMap, Rows};
use crate::error::{Error, or_give_up};
use crate::key::Key;
use crate::raw_vec::{Options, option_methods};
use crate::slot_map::{Reuse, SlotMapBuilder};
use crate::vec::VmVec;
use std::fmt;
use std::marker::PhantomData;

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
#[must_use = "nothing is made before `build` is called"]
pub struct DenseSlotMapBuilder<K, V, S = VmVec<V>> {
    options: Options,
    capacity: usize,
    reuse: Reuse,
    type_id: Option<u32>,
    key: PhantomData<fn() -> K>,
    values: PhantomData<fn() -> (V, S)>,
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMapBuilder<K, V, S> {
    pub(super) const fn new() -> Self {
        Self {
            options: Options::DEFAULT,
            capacity: 0,
            reuse: Reuse::Recent,
            type_id: None,
            key: PhantomData,
            values: PhantomData,
        }
    }

    /// The number of values that the map can ever have, keys that are used up among them; addresses for
    /// the values are reserved at once.
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

    /// Which slot of the table the next key is for. The most recent, if not said; see [`Reuse`].
    pub const fn reuse(mut self, reuse: Reuse) -> Self {
        self.reuse = reuse;
        self
    }

    /// A number in the keys of the map, which tells it from others that have keys of the same type. None, if not said;
    /// see [`SlotMapBuilder::type_id`].
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
    pub fn build(self) -> DenseSlotMap<K, V, S> {
        or_give_up(self.try_build())
    }

    /// Makes the map. Enters the kernel if a maximum or a capacity was asked for.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had; if keys cannot number so many
    /// ([`KeyBits`](crate::ErrorKind::KeyBits)), or a type number does not fit into them (the same); if the capacity is more than the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)).
    pub fn try_build(self) -> Result<DenseSlotMap<K, V, S>, Error> {
        self.parts().map_err(DenseSlotMap::<K, V, S>::explain)
    }

    fn parts(self) -> Result<DenseSlotMap<K, V, S>, Error> {
        let Self { options, capacity, reuse, type_id, .. } = self;
        let mut table =
            SlotMapBuilder::of_options(options.internal()).capacity(capacity).reuse(reuse);
        if let Some(type_id) = type_id {
            table = table.type_id(type_id);
        }
        let table = table.try_build()?;
        let keys = VmVec::try_with_options(options.internal(), capacity)?;
        Ok(DenseSlotMap::of(table, keys, S::try_made(Plan { options, capacity })?))
    }
}

impl<K, V, S> Clone for DenseSlotMapBuilder<K, V, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V, S> Copy for DenseSlotMapBuilder<K, V, S> {}

impl<K, V, S> fmt::Debug for DenseSlotMapBuilder<K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("DenseSlotMapBuilder");
        self.options
            .show(&mut shown)
            .field("capacity", &self.capacity)
            .field("reuse", &self.reuse)
            .field("type_id", &self.type_id)
            .finish()
    }
}
