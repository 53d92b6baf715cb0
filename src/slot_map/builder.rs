//! [`SlotMapBuilder`]: options for a `SlotMap`.

use super::SlotMap;
use crate::backing::Backing;
use crate::container::{Builder, Container, ContainerIn};
use crate::error::{Error, ErrorKind, Holder, Refused};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::slots::array::Slots;
use crate::slots::holes::Holes;
use crate::slots::key_bits::most_slots;
use crate::slots::key_options::KeyOptions;
use crate::slots::key_tag::TypeNumber;
use std::mem;

/// Options for a [`SlotMap`]; see [`SlotMap::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{DefaultKey, HugePages, Reuse, SlotMap};
///
/// let map: SlotMap<DefaultKey, u64> = SlotMap::builder()
///     .max_len(1 << 20)
///     .capacity(1 << 10)
///     .huge_pages(HugePages::Never)
///     .reuse(Reuse::Rotating { min_free: 1024 })
///     .build();
/// assert_eq!(map.max_len(), 1 << 20);
/// ```
pub type SlotMapBuilder<K, V> = Builder<SlotMap<K, V>, KeyOptions>;

impl<K: Key, V> Container<KeyOptions> for SlotMap<K, V> {
    const BUILDER: &'static str = "SlotMapBuilder";

    fn try_from_builder(builder: SlotMapBuilder<K, V>) -> Result<Self, Error> {
        let number = TypeNumber::try_new(builder.own.type_id)?;
        let slots = Slots::try_new(Self::checked_options(&builder)?, builder.capacity)?;
        let mut map = Self::with_slots(slots);
        map.number = number;
        map.take_holes(builder)?;
        Ok(map)
    }
}

impl<K: Key, V> ContainerIn<KeyOptions> for SlotMap<K, V> {
    fn try_from_builder_in<B: Backing>(
        builder: SlotMapBuilder<K, V>,
        backing: B,
    ) -> Result<Self, Refused<B>> {
        let checked = TypeNumber::try_new(builder.own.type_id)
            .and_then(|number| Ok((number, Self::checked_options(&builder)?)));
        let (number, options) = match checked {
            Ok(checked) => checked,
            Err(error) => return Err(Refused { error, value: backing }),
        };
        let mut map = Self::with_slots(Slots::try_new_in(backing, options, builder.capacity)?);
        map.number = number;
        match map.take_holes(builder) {
            Ok(()) => Ok(map),
            Err(error) => Err(Refused { error, value: map.into_backing() }),
        }
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// Options: maximum, capacity, growth, huge pages, what is done in the background, which hole to
    /// fill first, a type number for the keys.
    pub const fn builder() -> SlotMapBuilder<K, V> {
        SlotMapBuilder::new()
    }

    /// Makes the holes of a map that was just made.
    fn take_holes(&mut self, builder: SlotMapBuilder<K, V>) -> Result<(), Error> {
        self.holes = Holes::try_in(builder.own.reuse.unwrap_or_default())?;
        self.cover_holes()
    }

    /// The options, for no more slots than keys can number.
    fn checked_options(builder: &SlotMapBuilder<K, V>) -> Result<Options, Error> {
        let bound = most_slots::<K>();
        let wished = builder.options.max_len.unwrap_or(0).max(builder.capacity);
        if wished > bound {
            let bytes = wished.saturating_mul(Slots::<V>::STRIDE_BYTES);
            let error = Error::new(ErrorKind::KeyBits, bytes).with_limit(bound as u64);
            return Err(error.of(Holder::SlotMap));
        }
        Ok(Options { bound, holder: Holder::SlotMap, ..builder.options })
    }

    /// The backing, from a map that was just made in it.
    pub(crate) fn into_backing<B: Backing>(mut self) -> B {
        mem::replace(&mut self.slots, Slots::new(&Options::DEFAULT)).into_backing()
    }
}
