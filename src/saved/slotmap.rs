//! Reads what the crate `slotmap` wrote.
//!
//! Its slots are numbered from 1, after one that is never used, and have versions: odd while they hold a value, and one
//! more after it is removed.

use super::maps::Secondary;
use crate::dense::{DenseSlotMap, Rows};
use crate::key::{Key, KeyData, Layout};
use crate::secondary::{SecondaryMap, SparseSecondaryMap};
use crate::slot_map::SlotMap;
use crate::slot_map::parts::Part;
use ::serde::Deserialize;
use ::serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::hash::BuildHasher;
use std::marker::PhantomData;

/// Reads a key or a map that the crate `slotmap` wrote, in any format of serde.
///
/// Keys can be read, also in an `Option` or a `Vec`; the maps `SlotMap`, `HopSlotMap` and `DenseSlotMap`, as a
/// [`SlotMap`] or a [`DenseSlotMap`]; and secondary maps, as either kind of this crate. Inside other containers, use
/// the type [`FromSlotmap`].
///
/// Keys keep their meaning: a key finds what it found in `slotmap`, and one that was stale or detached finds nothing,
/// now and later. The slot numbered 1 gets index 0, and versions 1, 3, 5 become generations 1, 2, 3. The lowest hole is
/// filled first, in whichever order the values were removed.
///
/// # Errors
///
/// Those of the format; input that `slotmap` itself refuses; keys and slots whose index or generation exceeds this key
/// type; and the errors of deserializing the same kind of map from the [form of this crate](crate::saved).
///
/// # Examples
///
/// ```
/// use serde::Deserialize;
/// use stayput::{DefaultKey, SecondaryMap, SlotMap};
///
/// #[derive(Deserialize)]
/// struct World {
///     #[serde(deserialize_with = "stayput::saved::from_slotmap")]
///     names: SlotMap<DefaultKey, String>,
///     #[serde(deserialize_with = "stayput::saved::from_slotmap")]
///     ages: SecondaryMap<DefaultKey, u32>,
///     #[serde(deserialize_with = "stayput::saved::from_slotmap")]
///     hero: Option<DefaultKey>,
/// }
///
/// let world: World = serde_json::from_str(
///     r#"{
///         "names": [{"value": null, "version": 0}, {"value": "Ann", "version": 3}],
///         "ages": [{"value": null, "version": 0}, {"value": 30, "version": 3}],
///         "hero": {"idx": 1, "version": 3}
///     }"#,
/// )?;
/// let hero = world.hero.unwrap();
/// assert_eq!((world.names[hero].as_str(), world.ages[hero]), ("Ann", 30));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn from_slotmap<'de, T: SlotmapForm<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::read(deserializer)
}

/// A type that [`from_slotmap`] can read.
///
/// # Examples
///
/// ```
/// use stayput::saved::{SlotmapForm, from_slotmap};
/// use stayput::{DefaultKey, SlotMap};
///
/// /// Reads a container from a file that an earlier version of the program wrote with `slotmap`.
/// fn read_old<'de, T: SlotmapForm<'de>>(text: &'de str) -> serde_json::Result<T> {
///     from_slotmap(&mut serde_json::Deserializer::from_str(text))
/// }
///
/// let names: SlotMap<DefaultKey, String> =
///     read_old(r#"[{"value": null, "version": 0}, {"value": "Ann", "version": 3}]"#)?;
/// assert!(names.values().eq(["Ann"]));
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait SlotmapForm<'de>: Sized {
    /// Reads a value; see [`from_slotmap`].
    ///
    /// # Errors
    ///
    /// If the input is invalid, or does not fit into this type.
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// A wrapper that deserializes a key or a map that the crate `slotmap` wrote; see [`from_slotmap`].
///
/// # Examples
///
/// ```
/// use stayput::saved::FromSlotmap;
/// use stayput::{DefaultKey, Key};
///
/// let text = r#"[[{"idx":1,"version":1},"a"]]"#;
/// let pairs: Vec<(FromSlotmap<DefaultKey>, String)> = serde_json::from_str(text)?;
/// assert_eq!(pairs[0].0.0.index(), 0);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FromSlotmap<T>(pub T);

impl<'de, T: SlotmapForm<'de>> Deserialize<'de> for FromSlotmap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::read(deserializer).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(rename = "SerKey")]
pub(super) struct SlotmapKey {
    idx: u32,
    version: u32,
}

#[derive(Deserialize)]
#[serde(rename = "SerdeSlot")]
struct SlotmapSlot<V> {
    value: Option<V>,
    version: u32,
}

/// Returns the generation for an odd version.
const fn generation_of(version: u32) -> u32 {
    version / 2 + 1
}

impl<'de, K: Key> SlotmapForm<'de> for K {
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        SlotmapKey::deserialize(deserializer)?.key().map(Self::from)
    }
}

impl SlotmapKey {
    pub(super) fn key<L: Layout, E: Error>(self) -> Result<KeyData<L>, E> {
        let Self { idx, version } = self;
        if idx == u32::MAX {
            return Ok(KeyData::null());
        }
        let index = idx.checked_sub(1);
        let data = index.and_then(|index| KeyData::from_parts(index, generation_of(version), 0));
        data.ok_or_else(|| {
            E::custom(format_args!(
                "the `slotmap` key with index {idx} and version {version} is none of this key type"
            ))
        })
    }
}

impl<'de, T: SlotmapForm<'de>> SlotmapForm<'de> for Option<T> {
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Option::<FromSlotmap<T>>::deserialize(deserializer)?;
        Ok(read.map(|read| read.0))
    }
}

impl<'de, T: SlotmapForm<'de>> SlotmapForm<'de> for Vec<T> {
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Vec::<FromSlotmap<T>>::deserialize(deserializer)?;
        Ok(read.into_iter().map(|read| read.0).collect())
    }
}

/// The slots of a map, after the first, which no key refers to.
struct SlotmapSlots<V, A> {
    slots: A,
    value: PhantomData<fn() -> V>,
}

impl<'de, V: Deserialize<'de>, A: SeqAccess<'de>> SlotmapSlots<V, A> {
    fn new(slots: A) -> Result<Self, A::Error> {
        let mut slots = Self { slots, value: PhantomData };
        match slots.next()? {
            Some(SlotmapSlot { value: None, .. }) => Ok(slots),
            _ => Err(A::Error::custom("the first slot of a `slotmap` map must be empty")),
        }
    }

    fn next(&mut self) -> Result<Option<SlotmapSlot<V>>, A::Error> {
        let slot = self.slots.next_element::<SlotmapSlot<V>>()?;
        match &slot {
            Some(slot) if slot.value.is_some() != (slot.version % 2 == 1) => {
                Err(A::Error::custom(format_args!(
                    "a slot of `slotmap` holds a value exactly if its version is odd, which {} {}",
                    slot.version,
                    if slot.value.is_some() { "is not" } else { "is" }
                )))
            }
            _ => Ok(slot),
        }
    }
}

/// Converts a slot; `take` converts its value.
fn part_of<L: Layout, V, T, E>(
    slot: SlotmapSlot<V>,
    take: impl FnOnce(V) -> Result<T, E>,
) -> Result<Part<T>, E> {
    Ok(match (slot.value, slot.version / 2) {
        (Some(value), _) => Part::Live(generation_of(slot.version), take(value)?),
        // A version that has wrapped around, or the last that keys here can have.
        (None, generation) if generation == 0 || generation == L::MAX_GENERATION => Part::Retired,
        (None, generation) => Part::Hole(generation),
    })
}

impl<'de, K: Key, V: Deserialize<'de>> SlotmapForm<'de> for SlotMap<K, V> {
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadMap(PhantomData))
    }
}

struct ReadMap<K, V>(PhantomData<fn() -> (K, V)>);

impl<'de, K: Key, V: Deserialize<'de>> Visitor<'de> for ReadMap<K, V> {
    type Value = SlotMap<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slots of a map of the crate `slotmap`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, slots: A) -> Result<Self::Value, A::Error> {
        let mut map = SlotMap::with_key();
        let mut slots = SlotmapSlots::new(slots)?;
        while let Some(slot) = slots.next()? {
            let part = part_of::<K::Layout, _, _, A::Error>(slot, Ok)?;
            map.try_push_part(part).map_err(A::Error::custom)?;
        }
        Ok(map)
    }
}

impl<'de, K, V, S> SlotmapForm<'de> for DenseSlotMap<K, V, S>
where
    K: Key,
    V: Deserialize<'de>,
    S: Rows<Value = V>,
{
    /// Values are in the order of slots.
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadDense(PhantomData))
    }
}

struct ReadDense<K, S>(PhantomData<fn() -> (K, S)>);

impl<'de, K: Key, S: Rows<Value: Deserialize<'de>>> Visitor<'de> for ReadDense<K, S> {
    type Value = DenseSlotMap<K, S::Value, S>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slots of a map of the crate `slotmap`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, slots: A) -> Result<Self::Value, A::Error> {
        let (mut table, mut rows) = (SlotMap::internal(), S::default());
        let mut slots = SlotmapSlots::new(slots)?;
        while let Some(slot) = slots.next()? {
            let part = part_of::<K::Layout, _, _, A::Error>(slot, |value| {
                let row = u32::try_from(rows.count()).map_err(A::Error::custom)?;
                rows.try_push(value).map_err(|refused| A::Error::custom(refused.error))?;
                Ok(row)
            })?;
            table.try_push_part(part).map_err(A::Error::custom)?;
        }
        DenseSlotMap::try_from_parts(table, rows).map_err(A::Error::custom)
    }
}

impl<'de, K: Key, V: Deserialize<'de>> SlotmapForm<'de> for SecondaryMap<K, V> {
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadSecondary(PhantomData))
    }
}

impl<'de, K, V, H> SlotmapForm<'de> for SparseSecondaryMap<K, V, H>
where
    K: Key,
    V: Deserialize<'de>,
    H: BuildHasher + Default,
{
    fn read<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(ReadSecondary(PhantomData))
    }
}

struct ReadSecondary<P, M>(PhantomData<fn() -> (P, M)>);

impl<'de, K, V, M> Visitor<'de> for ReadSecondary<(K, V), M>
where
    K: Key,
    V: Deserialize<'de>,
    M: Secondary<K, V>,
{
    type Value = M;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the slots of a secondary map of the crate `slotmap`")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, slots: A) -> Result<M, A::Error> {
        let mut slots = SlotmapSlots::new(slots)?;
        let mut index = 0;
        let mut map = M::default();
        map.fill(|| {
            while let Some(slot) = slots.next()? {
                let data = KeyData::from_parts(index, generation_of(slot.version), 0);
                let here = index;
                index = index.saturating_add(1);
                if let Some(value) = slot.value {
                    let data = data.ok_or_else(|| {
                        A::Error::custom(format_args!(
                            "slot {here} of a `slotmap` map has version {}, which no key of this type has",
                            slot.version
                        ))
                    })?;
                    return Ok(Some((K::from(data), value)));
                }
            }
            Ok(None)
        })?;
        Ok(map)
    }
}
