//! Writing and reading a map slot by slot.

#![forbid(unsafe_code)]

mod next_keys;

pub(crate) use next_keys::NextKeys;

use super::SlotMap;
use crate::error::Error;
use crate::heap::try_reserve_exact;
use crate::key::{Key, Layout};
use crate::slots::array::{Slots, indices};
use crate::slots::holes::Hole;
use crate::slots::key_tag::MapTypeId;
use crate::slots::state::Vacant;
use crate::slots::vacancy::Fresh;
use std::fmt;

/// A slot, with its generation.
#[derive(Debug)]
pub(crate) enum Part<V> {
    Live(u32, V),
    Hole(u32),
    Detached(u32),
    Retired,
}

/// Why a map cannot be read.
pub(crate) enum BadPart {
    /// The system or the key type refuses it.
    Refused(Error),
    /// A slot of this kind cannot have this generation.
    Generation { index: usize, generation: u32, most: u32 },
    /// No slot past the last one can have had this generation.
    Floor { generation: u32, most: u32 },
    /// The type id comes after a slot, or after another type id.
    LateType,
    /// A slot that is to be filled next holds a value, is listed twice, or does not exist.
    NotAHole { index: u32 },
    /// More holes are listed than a map remembers, or ranges of slots are out of order.
    Order,
}

impl<K: Key, V> SlotMap<K, V> {
    /// Generations of vacant slots are written into the slots for up to this many bytes of vacant slots, plus
    /// [`WRITTEN_FOR_EACH_VALUE`](Self::WRITTEN_FOR_EACH_VALUE) slots per value. Others are kept aside, in four bytes
    /// each, so that a few bytes of input cannot make many pages resident.
    const WRITTEN_BYTES: usize = 4 << 20;
    const WRITTEN_FOR_EACH_VALUE: usize = 16;

    /// Returns all slots in order.
    ///
    /// # Errors
    ///
    /// If memory is refused for a list of the holes that are not in the bitmap.
    pub(crate) fn try_parts(&self) -> Result<impl Iterator<Item = Part<&V>>, Error> {
        let mut front = Vec::new();
        try_reserve_exact(&mut front, self.holes.front().count())?;
        front.extend(self.holes.front().map(Hole::index));
        front.sort_unstable();
        Ok(indices(0..self.slots.len()).map(move |index| self.part(index, &front)))
    }

    /// Returns a slot. `front` has the holes that are not in the bitmap, in ascending order.
    fn part(&self, index: u32, front: &[u32]) -> Part<&V> {
        if let Some((generation, value)) = self.slots.at_index(index) {
            return Part::Live(generation, value);
        }
        if self.holes.bitmap().contains(index) || front.binary_search(&index).is_ok() {
            return Part::Hole(self.last_generation(index));
        }
        match self.vacant_generation(index) {
            0 => Part::Retired,
            generation => Part::Detached(generation),
        }
    }

    /// Sets the type id of a map of which nothing else has been read yet.
    pub(crate) fn try_set_type_id(&mut self, type_id: u32) -> Result<(), BadPart> {
        if self.slots.len() > 0 || self.type_id().is_some() {
            return Err(BadPart::LateType);
        }
        self.type_id = MapTypeId::try_new(Some(type_id)).map_err(BadPart::Refused)?;
        Ok(())
    }

    /// Adds a slot past the last one.
    pub(crate) fn try_push_part(&mut self, part: Part<V>) -> Result<(), BadPart> {
        let most = <K::Layout as Layout>::MAX_GENERATION;
        let (generation, allowed) = match part {
            Part::Live(generation, _) | Part::Detached(generation) => (generation, 1..=most),
            // Generation 0 is that of a hole that has never held a value.
            Part::Hole(generation) => (generation, 0..=most - 1),
            Part::Retired => (1, 1..=most),
        };
        if !allowed.contains(&generation) {
            let most = *allowed.end();
            return Err(BadPart::Generation { index: self.slots.len(), generation, most });
        }
        // A live value has at most the generation after the highest that was removed.
        let is_gone = matches!(part, Part::Hole(_));
        self.note_generation(if is_gone { generation } else { generation - 1 });
        if self.fresh_slots_left() == 0 {
            self.grow(1).map_err(BadPart::Refused)?;
        }
        let Ok(index) = u32::try_from(self.slots.len()) else {
            unreachable!("keys have bits for all slots that there is room for")
        };
        self.fresh = Fresh::NONE;
        match part {
            Part::Live(generation, value) => {
                self.slots.push_within_capacity(generation, value);
            }
            Part::Hole(generation) => {
                let is_written = self.try_push_vacant(index, generation)?;
                self.holes.mark(index);
                self.holes.cold_mut().trimmed += usize::from(!is_written);
            }
            Part::Detached(generation) => {
                self.try_push_vacant(index, generation)?;
                self.detached += 1;
            }
            Part::Retired => {
                self.try_push_vacant(index, 0)?;
                self.holes.retire(index);
            }
        }
        Ok(())
    }

    /// Adds a vacant slot, and returns whether its generation was written into its memory.
    fn try_push_vacant(&mut self, index: u32, generation: u32) -> Result<bool, BadPart> {
        let vacant = self.slots.len() - self.len();
        let most = (Self::WRITTEN_BYTES / Slots::<V>::STRIDE_BYTES)
            .saturating_add(self.len().saturating_mul(Self::WRITTEN_FOR_EACH_VALUE));
        // A slot without a generation is empty as it is, so its memory is not touched.
        let is_written = generation > 0 && vacant < most;
        if generation > 0 && !is_written {
            let floors = &mut self.holes.cold_mut().floors;
            floors.try_set_read(index, generation).map_err(BadPart::Refused)?;
        }
        self.slots.extend_vacant(1).map_err(BadPart::Refused)?;
        if is_written {
            self.slots.set_vacant(index, Vacant::after(generation));
        }
        Ok(is_written)
    }
}

impl fmt::Display for BadPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::Generation { index, generation, most } => write!(
                f,
                "slot {index} cannot have generation {generation}: it is from 1 to {most} \
                 with this key type"
            ),
            Self::LateType => f.write_str("a type id comes once, before all slots"),
            Self::Floor { generation, most } => write!(
                f,
                "new slots cannot start above generation {generation}: it is {most} at most with \
                 this key type"
            ),
            Self::NotAHole { index } => {
                write!(
                    f,
                    "slot {index} cannot be filled next: it is not a hole, or is listed twice"
                )
            }
            Self::Order => f.write_str(
                "the order of the next keys is not one that a map can have: too many holes are \
                 listed, or ranges of slots overlap",
            ),
        }
    }
}
