//! [`SecondaryMapBuilder`]: options for a `SecondaryMap`.

use super::{GappedSlots, SecondaryMap, give_up};
use crate::backing::Backing;
use crate::error::{Error, Refused};
use crate::key::Key;
use crate::raw_vec::{Options, option_methods};
use std::fmt;
use std::marker::PhantomData;

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
#[must_use = "nothing is made before `build` is called"]
pub struct SecondaryMapBuilder<K, V> {
    options: Options,
    capacity: usize,
    map: PhantomData<fn() -> (K, V)>,
}

impl<K: Key, V> SecondaryMapBuilder<K, V> {
    pub(super) const fn new() -> Self {
        Self { options: Options::DEFAULT, capacity: 0, map: PhantomData }
    }

    /// Indices from this on are refused; addresses for those below are reserved at once.
    ///
    /// If it is not said, as much is reserved as the machine has memory, or keys can number, but each of
    /// very many maps has less; see [`VmVec::new`](crate::VmVec::new).
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.options.max_len = Some(max_len);
        self
    }

    /// For indices below which to commit memory at once; and so announces them, see
    /// [far indices](SecondaryMap#far-indices). None, if not said.
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    option_methods!();

    /// Makes the map.
    ///
    /// # Panics
    ///
    /// Where [`try_build`](Self::try_build) has an error.
    #[track_caller]
    pub fn build(self) -> SecondaryMap<K, V> {
        match self.try_build() {
            Ok(map) => map,
            Err(error) => give_up(error),
        }
    }

    /// Makes the map. Enters the kernel if a maximum or a capacity was asked for, or memory is to be
    /// made ready ahead.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had; if keys cannot number so many slots
    /// ([`KeyBits`](crate::ErrorKind::KeyBits)); if the capacity is more than the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)).
    pub fn try_build(self) -> Result<SecondaryMap<K, V>, Error> {
        let slots = GappedSlots::try_new(self.checked_options()?, self.capacity)?;
        Ok(self.over(slots))
    }

    /// Makes the map in memory that is supplied; it has the slots that fit there, or the maximum if
    /// that is less. See [`Backing`] for what else is different.
    ///
    /// Values lie there with their generations; what the map knows of gaps, a bit a slot, is kept
    /// elsewhere.
    ///
    /// # Panics
    ///
    /// Where [`try_build_in`](Self::try_build_in) has an error.
    #[track_caller]
    pub fn build_in(self, backing: impl Backing) -> SecondaryMap<K, V> {
        match self.try_build_in(backing) {
            Ok(map) => map,
            Err(refused) => give_up(refused.error),
        }
    }

    /// [`build_in`](Self::build_in), or the error and the backing. Calls the backing to commit
    /// memory if a capacity was asked for.
    ///
    /// # Errors
    ///
    /// As for [`VecBuilder::try_build_in`](crate::VecBuilder::try_build_in); and if keys cannot
    /// number so many slots ([`KeyBits`](crate::ErrorKind::KeyBits)).
    pub fn try_build_in<B: Backing>(self, backing: B) -> Result<SecondaryMap<K, V>, Refused<B>> {
        match self.checked_options() {
            Ok(options) => {
                let slots = GappedSlots::try_new_in(backing, options, self.capacity)?;
                Ok(self.over(slots))
            }
            Err(error) => Err(Refused { error, value: backing }),
        }
    }

    /// The map over slots that were made as asked.
    fn over(self, slots: GappedSlots<V>) -> SecondaryMap<K, V> {
        let mut map = SecondaryMap::with_slots(slots);
        map.announced = self.capacity;
        map
    }

    /// The options, for no more slots than keys can number.
    fn checked_options(&self) -> Result<Options, Error> {
        let wished = self.options.max_len.unwrap_or(0).max(self.capacity);
        SecondaryMap::<K, V>::check_key_bits(wished)?;
        Ok(SecondaryMap::<K, V>::bounded(self.options))
    }
}

impl<K, V> Clone for SecondaryMapBuilder<K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for SecondaryMapBuilder<K, V> {}

impl<K, V> fmt::Debug for SecondaryMapBuilder<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SecondaryMapBuilder");
        self.options.show(&mut shown).field("capacity", &self.capacity).finish()
    }
}
