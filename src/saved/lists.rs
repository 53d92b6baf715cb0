//! `Serialize` and `Deserialize` for pools of lists and of strings.

use super::maps::{Map, SavedSlot, SavedSlots};
use crate::heap::deserialize_vec;
use crate::key::Key;
use crate::list_pool::{List, ListPool, SecondaryLists, StrPool};
use crate::secondary::SecondaryMap;
use ::serde::de::{Error as _, SeqAccess, Visitor};
use ::serde::ser::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;
use std::str;

impl<T: Serialize, K: Key> Serialize for ListPool<T, K> {
    /// Serializes the pool as a [`SlotMap`](crate::SlotMap) whose values are sequences: each of `ListPool<T, K>` and
    /// `SlotMap<K, Vec<T>>` deserializes what the other has written.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (lists, elements) = self.parts();
        let next = lists.try_next_keys().map_err(S::Error::custom)?;
        let slots = SavedSlots(lists, |list| elements.get(list));
        Map { floor: lists.tail_floor(), slots, next }.serialize(serializer)
    }
}

/// A pool that is read from slots with values of type `L`.
struct Read<T, K: Key, L>(ListPool<T, K>, PhantomData<L>);

impl<'de, T, K: Key, L: Deserialize<'de> + Into<Vec<T>>> Deserialize<'de> for Read<T, K, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pool = deserializer.deserialize_seq(ReadLists::<T, K, L>(PhantomData))?;
        Ok(Self(pool, PhantomData))
    }
}

struct ReadLists<T, K, L>(PhantomData<(T, K, L)>);

impl<'de, T, K: Key, L: Deserialize<'de> + Into<Vec<T>>> Visitor<'de> for ReadLists<T, K, L> {
    type Value = ListPool<T, K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slots of a pool of lists")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut slots: A) -> Result<Self::Value, A::Error> {
        let mut pool = ListPool::with_key();
        while let Some(slot) = slots.next_element::<SavedSlot<L>>()? {
            let mut elements = None;
            let slot = slot.map(|list| {
                elements = Some(list);
                List::EMPTY
            });
            let (lists, _) = pool.parts_mut();
            let index = lists.slot_count();
            slot.try_add_to(lists).map_err(A::Error::custom)?;
            // Now, so that they are dropped if the next slot is refused.
            if let Some(elements) = elements {
                pool.try_fill(index, elements.into()).map_err(A::Error::custom)?;
            }
        }
        Ok(pool)
    }
}

impl<'de, T: Deserialize<'de>, K: Key> Deserialize<'de> for ListPool<T, K> {
    /// Deserializes what [`serialize`](Serialize::serialize) writes.
    ///
    /// # Errors
    ///
    /// As for a [`SlotMap`](crate::SlotMap) of `Vec`s.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::<T, K, Elements<T>, D>(deserializer)
    }
}

/// The elements of a list that was read.
struct Elements<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Elements<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_vec(deserializer).map(Self)
    }
}

impl<T> From<Elements<T>> for Vec<T> {
    fn from(Elements(elements): Elements<T>) -> Self {
        elements
    }
}

fn read<'de, T, K: Key, L, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<ListPool<T, K>, D::Error>
where
    L: Deserialize<'de> + Into<Vec<T>>,
{
    let Map { floor, slots: Read(mut pool, _), next } =
        Map::<Read<T, K, L>>::deserialize(deserializer)?;
    pool.parts_mut().0.try_set_next_keys(floor, &next, None).map_err(D::Error::custom)?;
    Ok(pool)
}

impl<K: Key> Serialize for StrPool<K> {
    /// Serializes the pool as a [`SlotMap`](crate::SlotMap) of strings: each of `StrPool<K>` and `SlotMap<K, String>`
    /// deserializes what the other has written.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (lists, texts) = self.texts().parts();
        let next = lists.try_next_keys().map_err(S::Error::custom)?;
        let text = |list| str::from_utf8(texts.get(list)).expect("the lists of the pool are UTF-8");
        let slots = SavedSlots(lists, text);
        Map { floor: lists.tail_floor(), slots, next }.serialize(serializer)
    }
}

impl<'de, K: Key> Deserialize<'de> for StrPool<K> {
    /// Deserializes what [`serialize`](Serialize::serialize) writes. The pool does not intern strings:
    /// [`start_interning`](StrPool::start_interning) makes it do so.
    ///
    /// # Errors
    ///
    /// As for a [`SlotMap`](crate::SlotMap) of `String`s.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read::<u8, K, String, D>(deserializer).map(Self::over)
    }
}

impl<K: Key + Serialize, T: Serialize> Serialize for SecondaryLists<K, T> {
    /// Serializes the lists as a [`SecondaryMap`] whose values are sequences: each of `SecondaryLists<K, T>` and
    /// `SecondaryMap<K, Vec<T>>` deserializes what the other has written.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de, K: Key + Deserialize<'de>, T: Deserialize<'de>> Deserialize<'de>
    for SecondaryLists<K, T>
{
    /// Deserializes what [`serialize`](Serialize::serialize) writes.
    ///
    /// # Errors
    ///
    /// As for a [`SecondaryMap`] of `Vec`s.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As a map first, which decides which indices are far once all keys are known.
        let read = SecondaryMap::<K, Elements<T>>::deserialize(deserializer)?;
        let mut lists = Self::new();
        lists.try_set_capacity(read.slots_len()).map_err(D::Error::custom)?;
        for (key, Elements(elements)) in read {
            let mut list = lists.try_entry(key).map_err(D::Error::custom)?;
            list.try_extend(elements).map_err(|refused| D::Error::custom(refused.error))?;
        }
        Ok(lists)
    }
}
