//! Putting values in under keys that were made elsewhere.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, Holder, Refused, or_give_up};
use crate::key::{Key, Layout};
use crate::slot_map::SlotMap;
use crate::slots::array::Slots;
use crate::slots::far_index::FarRule;
use crate::slots::state::State;

impl<K: Key, V> SlotMap<K, V> {
    /// Puts a value in under a key that another map made, so that one map can be like another: a
    /// client's like the server's. Its key finds it here as there. O(1), but for the slots that are
    /// passed over, 1/64 of them; enters the kernel if committed memory is used up.
    ///
    /// A tag that the key has takes no part; but where this map has a
    /// [type number](crate::SlotMapBuilder::type_id), it must be that.
    ///
    /// # Which keys are taken
    ///
    /// Those which this map has not given out, and never will: the slot is free (it is a hole, or lies
    /// behind all others), and the generation is later than any that it has had here. So keys that this
    /// map made stay stale once they are, and the next value in the slot gets a later generation than
    /// this one. With the last generation that keys can have, the slot is retired when the value goes.
    ///
    /// Slots that are passed over become holes, and are filled by the next insertions, if those are
    /// not by keys of their own. Their memory is not touched.
    ///
    /// Of memory that was handed back by [`trim`](Self::trim) and the like, only the highest
    /// generation for each run of slots is kept, as if each had had it; so after that a map may refuse
    /// keys that it has not had. One that follows another does not call them, or holds what is
    /// refused elsewhere. (The same goes for a map that was [cleared](Self::clear) of values of its own
    /// before it took the first key of another.)
    ///
    /// # Far indices
    ///
    /// As for a [`SecondaryMap`](crate::SecondaryMap#far-indices), a key may be made up, and room up to
    /// its index take gigabytes. So an index is refused that is behind both what is
    /// committed (which [`reserve`](Self::reserve) and [`with_capacity`](SlotMap::with_capacity) ask
    /// for) and as many slots as take 64 MiB, and 16 more for each value, the new one with them.
    ///
    /// # Panics
    ///
    /// Where [`try_insert_at`](Self::try_insert_at) has an error.
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
    /// let bottle = server.insert("bottle"); // in the same slot
    /// client.insert_at(bottle, "bottle");
    /// assert_eq!((client.get(barrel), client[bottle]), (None, "bottle"));
    /// ```
    #[track_caller]
    pub fn insert_at(&mut self, key: K, value: V) {
        or_give_up(self.try_insert_at(key, value).map_err(Error::from));
    }

    /// [`insert_at`](Self::insert_at), or the error and the value.
    ///
    /// # Errors
    ///
    /// If the key's tag is not the map's type number, if it has one ([`TypeId`](ErrorKind::TypeId)); if the
    /// key is null, or not later than what was in its slot ([`StaleKey`](ErrorKind::StaleKey));
    /// if a value is there, of this key or an older one, or the slot is kept for a
    /// [detached](Self::detach) one ([`Occupied`](ErrorKind::Occupied)); if its index is
    /// [far](Self::insert_at) ([`FarIndex`](ErrorKind::FarIndex)), or not below `max_len`
    /// ([`MaxLen`](ErrorKind::MaxLen)); or if the system refuses memory. The map is unchanged then.
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
        if self.number.is_foreign(data.tag()) {
            let number = self.mint().tag().into();
            return Err(Refused {
                error: Error::new(ErrorKind::TypeId, 0).with_limit(number),
                value,
            });
        }
        self.settle();
        let reached = self.check_free(index, generation).and_then(|()| self.reach(index));
        if let Err(error) = reached {
            return Err(Refused { error, value });
        }
        // It is a hole now, or the slot right behind the last one that was reached.
        if self.holes.bitmap_mut().clear(index) && self.slots.state(index) == State::EMPTY {
            self.holes.untrim(1);
        }
        // Which generation a slot is to have next is said elsewhere, slot by slot.
        self.note_generation(<K::Layout as Layout>::MAX_GENERATION);
        self.slots.fill(index, generation, value);
        Ok(())
    }

    /// Whether no value is in a slot, nor kept for it, and it has not had this generation.
    fn check_free(&self, index: u32, generation: u32) -> Result<(), Error> {
        let is_within = (index as usize) < self.slots.len();
        let (last, is_free) = if is_within && !self.holes.bitmap().contains(index) {
            match self.vacant_generation(index) {
                // Retired.
                0 => (u32::MAX, false),
                // It may be the one that is there.
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

    /// Has a slot be below the length, if it is not; those between become holes. It is none itself
    /// then, and vacant.
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
        // Asked for again, where it was refused when the map grew.
        self.cover_holes()?;
        self.slots.extend_vacant(need - len)?;
        self.holes.bitmap_mut().set_range(len, index);
        self.holes.cold_mut().trimmed += index - len;
        Ok(())
    }

    /// Refuses so many slots, more than are committed, if the key that needs them is likely to be made
    /// up.
    fn check_near(&self, need: usize) -> Result<(), Error> {
        let rule = FarRule::new(Slots::<V>::STRIDE_BYTES, Holder::SlotMap);
        let max_len = self.slots.options().max_len;
        rule.check(need, self.len() + 1, self.slots.capacity(), max_len)
    }
}
