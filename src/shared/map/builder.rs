//! [`SharedSlotMapBuilder`]: options for a `SharedSlotMap`.

#![forbid(unsafe_code)]

use super::SharedSlotMap;
use crate::backing::Backing;
use crate::error::{Error, Holder, Refused, give_up, or_give_up};
use crate::key::Key;
use crate::raw_vec::{Options, option_methods};
use crate::slot_map::{Reuse, SlotMapBuilder};
use std::fmt;
use std::marker::PhantomData;

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
#[must_use = "nothing is made before `build` is called"]
pub struct SharedSlotMapBuilder<K, V> {
    options: Options,
    capacity: usize,
    reuse: Reuse,
    type_id: Option<u32>,
    map: PhantomData<fn() -> (K, V)>,
}

impl<K: Key, V> SharedSlotMapBuilder<K, V> {
    pub(super) const fn new() -> Self {
        Self {
            options: Options::DEFAULT,
            capacity: 0,
            reuse: Reuse::Recent,
            type_id: None,
            map: PhantomData,
        }
    }

    /// The number of slots that the map can ever have, retired ones among them; addresses for them are reserved at once.
    ///
    /// If it is not said, as for a [`SlotMap`](SlotMapBuilder::max_len).
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

    /// Which hole to fill first. The most recent, if not said. See [there](SharedSlotMap#keys).
    pub const fn reuse(mut self, reuse: Reuse) -> Self {
        self.reuse = reuse;
        self
    }

    /// A number in the keys of the map, which tells it from others that have keys of the same type; see
    /// [`SlotMapBuilder::type_id`]. None, if not said.
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
    pub fn build(self) -> SharedSlotMap<K, V> {
        or_give_up(self.try_build())
    }

    /// Makes the map. Enters the kernel if a maximum or a capacity was asked for.
    ///
    /// # Errors
    ///
    /// As for [`SlotMapBuilder::try_build`].
    pub fn try_build(self) -> Result<SharedSlotMap<K, V>, Error> {
        let map = self.of_map().try_build().map_err(|error| error.of(Holder::SharedSlotMap))?;
        let shared = SharedSlotMap::from(map);
        shared.try_reserve(self.capacity)?;
        Ok(shared)
    }

    /// Makes the map in memory that is supplied; it has the slots that fit there, or the maximum if that is less. See
    /// [`Backing`] for what else is different, and [`SlotMapBuilder::build_in`] for what is kept elsewhere.
    ///
    /// Its methods are called with the map's lock held: a thread that needs more memory for the map waits for them. So they
    /// must not wait for such a thread; a call that comes back to the map itself is refused.
    ///
    /// # Panics
    ///
    /// Where [`try_build_in`](Self::try_build_in) has an error.
    #[track_caller]
    pub fn build_in(self, backing: impl Backing) -> SharedSlotMap<K, V> {
        match self.try_build_in(backing) {
            Ok(map) => map,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`build_in`](Self::build_in), or the error and the backing. Calls the backing to commit memory if a capacity was
    /// asked for.
    ///
    /// # Errors
    ///
    /// As for [`SlotMapBuilder::try_build_in`].
    pub fn try_build_in<B: Backing>(self, backing: B) -> Result<SharedSlotMap<K, V>, Refused<B>> {
        let of = |error: Error| error.of(Holder::SharedSlotMap);
        let map = self.of_map().try_build_in(backing);
        let map = map.map_err(|Refused { error, value }| Refused { error: of(error), value })?;
        let shared = SharedSlotMap::from(map);
        match shared.try_reserve(self.capacity) {
            Ok(()) => Ok(shared),
            Err(error) => Err(Refused { error, value: shared.into_inner().into_backing() }),
        }
    }

    const fn of_map(&self) -> SlotMapBuilder<K, V> {
        let Self { options, capacity, reuse, type_id, .. } = *self;
        let map = SlotMapBuilder::of_options(options).capacity(capacity).reuse(reuse);
        match type_id {
            Some(type_id) => map.type_id(type_id),
            None => map,
        }
    }
}

impl<K, V> Clone for SharedSlotMapBuilder<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for SharedSlotMapBuilder<K, V> {}

impl<K, V> fmt::Debug for SharedSlotMapBuilder<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SharedSlotMapBuilder");
        self.options
            .show(&mut shown)
            .field("capacity", &self.capacity)
            .field("reuse", &self.reuse)
            .field("type_id", &self.type_id)
            .finish()
    }
}
