//! `Serialize` and `Deserialize` for pools of lists.

use super::maps::{Map, SavedSlot, SavedSlots};
use crate::key::Key;
use crate::list_pool::{List, ListPool};
use ::serde::de::{Error as _, SeqAccess, Visitor};
use ::serde::ser::Error as _;
use ::serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

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

struct Read<T, K: Key>(ListPool<T, K>);

impl<'de, T: Deserialize<'de>, K: Key> Deserialize<'de> for Read<T, K> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadLists(PhantomData)).map(Self)
    }
}

struct ReadLists<T, K>(PhantomData<fn() -> (T, K)>);

impl<'de, T: Deserialize<'de>, K: Key> Visitor<'de> for ReadLists<T, K> {
    type Value = ListPool<T, K>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slots of a pool of lists")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut slots: A) -> Result<Self::Value, A::Error> {
        let mut pool = ListPool::with_key();
        while let Some(slot) = slots.next_element::<SavedSlot<Vec<T>>>()? {
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
                pool.try_fill(index, elements).map_err(A::Error::custom)?;
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
        let Map { floor, slots: Read(mut pool), next } =
            Map::<Read<T, K>>::deserialize(deserializer)?;
        pool.parts_mut().0.try_set_next_keys(floor, &next, None).map_err(D::Error::custom)?;
        Ok(pool)
    }
}
