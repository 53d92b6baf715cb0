//! Inserts values under keys that another map made.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, Holder, Refused, unwrap_or_panic};
use crate::key::{Key, Layout};
use crate::slot_map::SlotMap;
use crate::slots::array::Slots;
use crate::slots::far_index::FarRule;
use crate::slots::state::State;

impl<K: Key, V> SlotMap<K, V> {
    /// Inserts a value under a key that another map made, so that one map can mirror another, as a client's map mirrors
    /// the server's. The key finds the value here as it does there.
    ///
    /// If this map has a [type id](crate::SlotMapBuilder::type_id), the tag of the key must be equal to it. Otherwise
    /// the tag is ignored.
    ///
    /// # Which keys are accepted
    ///
    /// A key is accepted if this map has not returned it and never will: its slot is free (a hole, or past the last
    /// slot), and its generation is later than any that the slot has had here. So keys that this map made stay stale,
    /// and the next value in the slot gets a later generation than this one. If the key has the last generation that
    /// keys can have, the slot is retired when the value is removed.
    ///
    /// Slots that are skipped become holes. The next insertions without a key of their own fill them. The memory of
    /// these slots is not touched, unless it was used before [`reset`](Self::reset) or [`clear`](Self::clear), or comes
    /// from the [region cache](crate::region_cache).
    ///
    /// For memory that was returned by [`trim`](Self::trim) and similar methods, the map remembers only the highest
    /// generation in each run of slots, as if each of them had had it. It may then refuse keys that it has not had. A
    /// map that mirrors another should either not call these methods, or keep the values of refused keys elsewhere.
    /// This also applies to a map that was [cleared](Self::clear) of values of its own before it accepted the first key
    /// of another map.
    ///
    /// # Far indices
    ///
    /// As in a [`SecondaryMap`](crate::SecondaryMap#far-indices), a key may be forged, and room up to its index may
    /// take gigabytes. An index is refused if it is past what is committed (see [`reserve`](Self::reserve) and
    /// [`with_capacity`](SlotMap::with_capacity)) and also past as many slots as take 64 MiB, plus 16 for each value,
    /// including the new one.
    ///
    /// # Panics
    ///
    /// If [`try_insert_at`](Self::try_insert_at) returns an error.
    ///
    /// # Time complexity
    ///
    /// O(1), plus 1/64 of the slots that are skipped, or all of them where there were slots before
    /// [`reset`](Self::reset) or [`clear`](Self::clear), or where memory comes from the region cache. A refused call may
    /// search the recent holes. Enters the kernel if committed memory is used up, or if slots that are skipped take 4 MiB
    /// or more of used memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SlotMap};
    ///
    /// let mut server = SlotMap::new();
    /// let mut client = SlotMap::new();
    /// let crate_key = server.insert("crate");
    /// let barrel = server.insert("barrel");
    ///
    /// // Messages may come in any order.
    /// client.insert_at(barrel, "barrel");
    /// client.insert_at(crate_key, "crate");
    /// assert_eq!(client, server);
    ///
    /// server.remove(barrel);
    /// client.remove(barrel);
    /// let bottle = server.insert("bottle"); // reuses the slot
    /// client.insert_at(bottle, "bottle");
    /// assert_eq!((client.get(barrel), client[bottle]), (None, "bottle"));
    /// ```
    #[track_caller]
    pub fn insert_at(&mut self, key: K, value: V) {
        unwrap_or_panic(self.try_insert_at(key, value).map_err(Error::from));
    }

    /// [`insert_at`](Self::insert_at), or the error and the value; then the map is unchanged.
    ///
    /// # Errors
    ///
    /// - [`TypeId`](ErrorKind::TypeId) if the map has a type id and the key has another tag.
    /// - [`StaleKey`](ErrorKind::StaleKey) if the key is null, or not later than what was in its slot.
    /// - [`Occupied`](ErrorKind::Occupied) if the slot holds a value, of this key or an older one, or is kept for a
    ///   [detached](Self::detach) value.
    /// - [`FarIndex`](ErrorKind::FarIndex) if the index is [far](Self::insert_at).
    /// - [`MaxLen`](ErrorKind::MaxLen) if the index is not below `max_len`.
    /// - Another error if the system refuses memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, ErrorKind, KeyData, SlotMap};
    ///
    /// let mut map = SlotMap::new();
    /// let old = map.insert("a");
    /// let refused = map.try_insert_at(old, "b").unwrap_err();
    /// assert_eq!((refused.error.kind(), refused.value), (ErrorKind::Occupied, "b"));
    /// map.remove(old);
    /// let refused = map.try_insert_at(old, "b").unwrap_err();
    /// assert_eq!(refused.error.kind(), ErrorKind::StaleKey);
    ///
    /// let forged: DefaultKey = KeyData::from_parts(4_000_000_000, 1, 0).unwrap().into();
    /// let refused = map.try_insert_at(forged, "c").unwrap_err();
    /// assert_eq!(refused.error.kind(), ErrorKind::FarIndex);
    /// ```
    pub fn try_insert_at(&mut self, key: K, value: V) -> Result<(), Refused<V>> {
        let data = key.data();
        let (index, generation) = (data.index(), data.generation());
        if self.type_id.is_foreign(data.tag()) {
            let number = self.mint().tag().into();
            return Err(Refused {
                error: Error::new(ErrorKind::TypeId, 0).with_limit(number),
                value,
            });
        }
        let reached = self.check_free(index, generation).and_then(|()| self.reach(index));
        if let Err(error) = reached {
            return Err(Refused { error, value });
        }
        // Only now, since a refused call must not change which keys come next.
        self.settle();
        // The slot is a hole, or `reach` has just added it as the last one.
        if self.holes.bitmap_mut().clear(index) && self.slots.state(index) == State::EMPTY {
            self.holes.untrim(1);
        }
        // The other map chooses the generations, so `clear` must keep that of each slot.
        self.note_generation(<K::Layout as Layout>::MAX_GENERATION);
        self.slots.fill(index, generation, value);
        Ok(())
    }

    /// Returns an error if a slot holds a value, is kept for one, or has had this generation.
    fn check_free(&self, index: u32, generation: u32) -> Result<(), Error> {
        let is_within = (index as usize) < self.slots.len();
        let (last, is_free) = if is_within && !self.holes.contains(index) {
            match self.vacant_generation(index) {
                // Retired.
                0 => (u32::MAX, false),
                // The key of the value in the slot is not stale.
                there => (there.saturating_sub(1), false),
            }
        } else {
            (self.last_generation(index), true)
        };
        match (generation > last, is_free) {
            (false, _) => Err(Error::new(ErrorKind::StaleKey, 0)),
            (true, false) => Err(Error::new(ErrorKind::Occupied, 0)),
            (true, true) => Ok(()),
        }
    }

    /// Extends the slots up to `index`, if it is not below the length. The slots before it become holes. The one at
    /// `index` does not, and is vacant.
    fn reach(&mut self, index: u32) -> Result<(), Error> {
        let (len, index) = (self.slots.len(), index as usize);
        if index < len {
            return Ok(());
        }
        let need = index.saturating_add(1);
        if need > self.slots.capacity() {
            self.check_near(need)?;
            self.grow(need - len)?;
        }
        // Tried again, in case memory was refused when the map grew.
        self.cover_holes()?;
        self.slots.extend_vacant(need - len)?;
        self.holes.bitmap_mut().set_range(len, index);
        self.holes.cold_mut().trimmed += index - len;
        Ok(())
    }

    /// Returns an error if the key that needs `need` slots, more than are committed, is likely to be forged.
    fn check_near(&self, need: usize) -> Result<(), Error> {
        let rule = FarRule::new(Slots::<V>::STRIDE_BYTES, Holder::SlotMap);
        let max_len = self.slots.options().max_len;
        rule.check(need, self.len() + 1, self.slots.capacity(), max_len)
    }
}
