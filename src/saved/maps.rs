//! `Serialize` and `Deserialize` for keys and maps.
//!
//! Input is not trusted: each slot is checked on its own, and nothing is allocated for slots that are announced but
//! missing.

use super::slotmap::SlotmapKey;
use crate::error::Error;
use crate::key::{Key, KeyData, Layout};
use crate::secondary::deferred::DeferredPairs;
use crate::secondary::{SecondaryMap, SparseSecondaryMap};
use crate::slot_map::SlotMap;
use crate::slot_map::parts::{BadPart, NextKeys, Part};
use ::serde::de::value::MapAccessDeserializer;
use ::serde::de::{self, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use ::serde::ser::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::BuildHasher;
use std::marker::PhantomData;

impl<L: Layout> Serialize for KeyData<L> {
    /// Serializes the [bits](KeyData::to_bits) of the key: an unsigned integer of its size.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u32::try_from(self.to_bits()) {
            Ok(bits) if L::BITS == 32 => serializer.serialize_u32(bits),
            _ => serializer.serialize_u64(self.to_bits()),
        }
    }
}

impl<'de, L: Layout> Deserialize<'de> for KeyData<L> {
    /// Deserializes the bits of a key. In formats that describe themselves, such as JSON, the form of `slotmap` is
    /// accepted as well: `{"idx":1,"version":1}` is the first key of the first slot.
    ///
    /// # Errors
    ///
    /// In addition to those of the format: if the bits, or the parts, are not those of a key.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = ReadKey(PhantomData);
        match (deserializer.is_human_readable(), L::BITS) {
            (true, _) => deserializer.deserialize_any(key),
            (false, 32) => deserializer.deserialize_u32(key),
            (false, _) => deserializer.deserialize_u64(key),
        }
    }
}

struct ReadKey<L>(PhantomData<fn() -> L>);

impl<'de, L: Layout> Visitor<'de> for ReadKey<L> {
    type Value = KeyData<L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the bits of a key, a u{} with a generation that is not 0", L::BITS)
    }

    fn visit_u64<E: de::Error>(self, bits: u64) -> Result<Self::Value, E> {
        let key = KeyData::from_bits(bits);
        key.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(bits), &self))
    }

    fn visit_i64<E: de::Error>(self, bits: i64) -> Result<Self::Value, E> {
        match u64::try_from(bits) {
            Ok(bits) => self.visit_u64(bits),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(bits), &self)),
        }
    }

    /// For formats whose map keys are strings.
    fn visit_str<E: de::Error>(self, bits: &str) -> Result<Self::Value, E> {
        match bits.parse() {
            Ok(bits) => self.visit_u64(bits),
            Err(_) => Err(E::invalid_value(Unexpected::Str(bits), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, parts: A) -> Result<Self::Value, A::Error> {
        SlotmapKey::deserialize(MapAccessDeserializer::new(parts))?.key()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "Slot", rename_all = "lowercase")]
pub(super) enum SavedSlot<V> {
    Live(u32, V),
    Hole(u32),
    Detached(u32),
    Retired,
    /// The type id of the map, which precedes all slots.
    Type(u32),
}

impl<V> SavedSlot<V> {
    fn of<W>(part: Part<W>, value_of: impl FnOnce(W) -> V) -> Self {
        match part {
            Part::Live(generation, value) => Self::Live(generation, value_of(value)),
            Part::Hole(generation) => Self::Hole(generation),
            Part::Detached(generation) => Self::Detached(generation),
            Part::Retired => Self::Retired,
        }
    }

    /// Returns the same slot with another value.
    #[cfg(feature = "list-pool")]
    pub(super) fn map<W>(self, f: impl FnOnce(V) -> W) -> SavedSlot<W> {
        match self {
            Self::Live(generation, value) => SavedSlot::Live(generation, f(value)),
            Self::Hole(generation) => SavedSlot::Hole(generation),
            Self::Detached(generation) => SavedSlot::Detached(generation),
            Self::Retired => SavedSlot::Retired,
            Self::Type(type_id) => SavedSlot::Type(type_id),
        }
    }

    /// Appends the slot to those of a map.
    pub(super) fn try_add_to<K: Key>(self, map: &mut SlotMap<K, V>) -> Result<(), BadPart> {
        map.try_push_part(match self {
            Self::Live(generation, value) => Part::Live(generation, value),
            Self::Hole(generation) => Part::Hole(generation),
            Self::Detached(generation) => Part::Detached(generation),
            Self::Retired => Part::Retired,
            Self::Type(type_id) => return map.try_set_type_id(type_id),
        })
    }
}

/// The serialized form of a map: `slots`, the generation above which slots past them start, and what else the next
/// keys depend on.
///
/// An unknown field was written by a later version, and may matter.
#[derive(Serialize, Deserialize)]
#[serde(rename = "SlotMap", deny_unknown_fields)]
pub(super) struct Map<S> {
    pub(super) floor: u32,
    pub(super) slots: S,
    #[serde(default)]
    pub(super) next: NextKeys,
}

/// The slots of a map, and what is serialized for a value.
pub(super) struct SavedSlots<'a, K: Key, V, F>(pub(super) &'a SlotMap<K, V>, pub(super) F);

impl<'a, K: Key, V, W: Serialize, F: Fn(&'a V) -> W> Serialize for SavedSlots<'a, K, V, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = self.0.try_parts().map_err(S::Error::custom)?;
        // As a field of the map, it would make formats without field names misread old files.
        let type_id = self.0.type_id().map(SavedSlot::Type);
        let slots = parts.map(|part| SavedSlot::of(part, &self.1));
        serializer.collect_seq(type_id.into_iter().chain(slots))
    }
}

impl<K: Key, V: Serialize> Serialize for SlotMap<K, V> {
    /// Serializes the map as a structure of three fields, which the [module](crate::saved) describes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let next = self.try_next_keys().map_err(S::Error::custom)?;
        Map { floor: self.tail_floor(), slots: SavedSlots(self, |value| value), next }
            .serialize(serializer)
    }
}

struct Read<K: Key, V>(SlotMap<K, V>);

impl<'de, K: Key, V: Deserialize<'de>> Deserialize<'de> for Read<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadSlots(PhantomData)).map(Self)
    }
}

struct ReadSlots<K, V>(PhantomData<fn() -> (K, V)>);

impl<'de, K: Key, V: Deserialize<'de>> Visitor<'de> for ReadSlots<K, V> {
    type Value = SlotMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slots of a map")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut slots: A) -> Result<Self::Value, A::Error> {
        // The size hint is not trusted.
        let mut map = SlotMap::with_key();
        while let Some(slot) = slots.next_element::<SavedSlot<V>>()? {
            slot.try_add_to(&mut map).map_err(A::Error::custom)?;
        }
        Ok(map)
    }
}

impl<'de, K: Key, V: Deserialize<'de>> Deserialize<'de> for SlotMap<K, V> {
    /// Deserializes the structure that [`serialize`](Serialize::serialize) writes.
    ///
    /// # Errors
    ///
    /// In addition to those of the format: if a slot has an impossible generation, if there are more slots than keys
    /// can number, if memory is refused, or if a type id does not fit into keys.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Map { floor, slots: Read(mut map), next } =
            Map::<Read<K, V>>::deserialize(deserializer)?;
        map.try_set_next_keys(floor, &next, None).map_err(D::Error::custom)?;
        Ok(map)
    }
}

/// A map into which values are inserted under keys made elsewhere.
pub(super) trait Secondary<K: Key, V>: Default {
    fn size(&self) -> usize;

    fn try_put(&mut self, key: K, value: V) -> Result<(), Error>;

    /// Inserts all pairs that `next` returns.
    fn fill<E: de::Error>(
        &mut self,
        next: impl FnMut() -> Result<Option<(K, V)>, E>,
    ) -> Result<(), E>;

    /// Inserts a pair, or returns an error if its slot has a value.
    fn put_new<E: de::Error>(&mut self, (key, value): (K, V)) -> Result<(), E> {
        let before = self.size();
        self.try_put(key, value).map_err(E::custom)?;
        if self.size() > before {
            return Ok(());
        }
        Err(E::custom(format_args!("the slot of key {:?} occurs twice", key.data())))
    }
}

impl<K: Key, V> Secondary<K, V> for SecondaryMap<K, V> {
    fn size(&self) -> usize {
        self.len()
    }

    fn try_put(&mut self, key: K, value: V) -> Result<(), Error> {
        self.try_insert(key, value)?;
        Ok(())
    }

    fn fill<E: de::Error>(
        &mut self,
        mut next: impl FnMut() -> Result<Option<(K, V)>, E>,
    ) -> Result<(), E> {
        let mut waiting = DeferredPairs::new(Self::NEAR_READ_BYTES);
        while let Some((key, value)) = next()? {
            if waiting.must_insert_now(self, key) {
                self.put_new((key, value))?;
            } else {
                let pairs = waiting.wait(self, key, value).map_err(E::custom)?;
                pairs.into_iter().try_for_each(|pair| self.put_new(pair))?;
            }
        }
        let pairs = waiting.finish(self).map_err(E::custom)?;
        pairs.into_iter().try_for_each(|pair| self.put_new(pair))
    }
}

impl<K: Key, V, S: BuildHasher + Default> Secondary<K, V> for SparseSecondaryMap<K, V, S> {
    fn size(&self) -> usize {
        self.len()
    }

    fn try_put(&mut self, key: K, value: V) -> Result<(), Error> {
        self.try_insert(key, value)?;
        Ok(())
    }

    fn fill<E: de::Error>(
        &mut self,
        mut next: impl FnMut() -> Result<Option<(K, V)>, E>,
    ) -> Result<(), E> {
        while let Some(pair) = next()? {
            self.put_new(pair)?;
        }
        Ok(())
    }
}

struct ReadPairs<P, M>(PhantomData<fn() -> (P, M)>);

impl<'de, K, V, M> Visitor<'de> for ReadPairs<(K, V), M>
where
    K: Key + Deserialize<'de>,
    V: Deserialize<'de>,
    M: Secondary<K, V>,
{
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("pairs of a key and a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut pairs: A) -> Result<M, A::Error> {
        // The size hint is not trusted.
        let mut map = M::default();
        map.fill(|| pairs.next_element())?;
        Ok(map)
    }
}

impl<K: Key + Serialize, V: Serialize> Serialize for SecondaryMap<K, V> {
    /// Serializes the map as a sequence of key–value pairs, in the order of indices.
    ///
    /// If the highest index is [far](SecondaryMap#far-indices) for the number of values, deserializing the map fails:
    /// if the slots up to it take more than 4 MiB plus the memory of 16 slots per value. A [`SparseSecondaryMap`],
    /// which deserializes the same form, accepts it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, K: Key + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for SecondaryMap<K, V> {
    /// Deserializes a sequence of key–value pairs.
    ///
    /// # Errors
    ///
    /// In addition to those of the format: those of [`try_insert`](SecondaryMap::try_insert), and if a slot occurs
    /// twice. Whether an index is far depends on the total number of values, in any order, so `n` values take at most 4
    /// MiB plus the memory of `16 * n` slots, and as much again ahead of them.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadPairs(PhantomData))
    }
}

impl<K: Key + Serialize, V: Serialize, H> Serialize for SparseSecondaryMap<K, V, H> {
    /// Serializes the map as a sequence of key–value pairs, in no particular order.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, K, V, H> Deserialize<'de> for SparseSecondaryMap<K, V, H>
where
    K: Key + Deserialize<'de>,
    V: Deserialize<'de>,
    H: BuildHasher + Default,
{
    /// Deserializes a sequence of key–value pairs.
    ///
    /// # Errors
    ///
    /// As for [`SecondaryMap`], except that no index is far.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadPairs(PhantomData))
    }
}
