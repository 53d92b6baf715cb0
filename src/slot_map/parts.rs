//! A map slot by slot, as it is written out and read in again.

#![forbid(unsafe_code)]

use super::SlotMap;
use super::floors::Floors;
use super::holes::Hole;
use super::mint::TypeNumber;
use super::slots::{Slots, indices};
use super::state::{State, Vacant};
use super::vacancy::Fresh;
use crate::error::Error;
use crate::heap::try_reserve_exact;
use crate::key::{Key, Layout};
use std::fmt;

/// What a slot is, and with which generation.
#[derive(Debug)]
pub(crate) enum Part<V> {
    Live(u32, V),
    Hole(u32),
    Detached(u32),
    Retired,
}

/// Why a part cannot be the next slot of a map.
pub(crate) enum BadPart {
    /// The system, or the key type, refuses it.
    Refused(Error),
    /// No slot like this can have this generation.
    Generation { index: usize, generation: u32, most: u32 },
    /// No slot behind the last one can have had this generation.
    Floor { generation: u32, most: u32 },
    /// The type number is not the first that is there.
    LateType,
}

impl<K: Key, V> SlotMap<K, V> {
    /// All slots in order.
    ///
    /// # Errors
    ///
    /// If there is no heap left for a list of the holes that have no mark.
    pub(crate) fn try_parts(&self) -> Result<impl Iterator<Item = Part<&V>>, Error> {
        let mut front = Vec::new();
        try_reserve_exact(&mut front, self.holes.front().count())?;
        front.extend(self.holes.front().map(Hole::index));
        front.sort_unstable();
        Ok(indices(0..self.slots.len()).map(move |index| self.part(index, &front)))
    }

    /// What a slot is; `front` has the holes that have no mark, in order.
    fn part(&self, index: u32, front: &[u32]) -> Part<&V> {
        if let Some((generation, value)) = self.slots.at_index(index) {
            return Part::Live(generation, value);
        }
        if self.holes.bitmap().contains(index) || front.binary_search(&index).is_ok() {
            return Part::Hole(self.last_generation(index));
        }
        match self.slots.state(index).generation() {
            0 => Part::Retired,
            generation => Part::Detached(generation),
        }
    }

    /// The generation above which slots behind the last one start.
    pub(crate) fn tail_floor(&self) -> u32 {
        self.holes.apart().floors.highest_from(self.slots.len() / Slots::<V>::BLOCK_SLOTS)
    }

    /// Has new slots start above a generation, in a map that was just read.
    pub(crate) fn try_set_tail_floor(&mut self, generation: u32) -> Result<(), BadPart> {
        // Slots that had the last generation are retired, so none that is given up had it.
        let most = <K::Layout as Layout>::MAX_GENERATION - 1;
        if generation > most {
            return Err(BadPart::Floor { generation, most });
        }
        // Each slot that was read has a record of its own, but for holes that have had no generation:
        // there the floor of their block was none, and is so again.
        let blocks = if generation > 0 && self.holes.apart().trimmed > 0 {
            self.blocks_of_unused()
        } else {
            0
        };
        let floors = Floors::try_behind(blocks, generation).map_err(BadPart::Refused)?;
        self.holes.try_apart_mut().map_err(BadPart::Refused)?.floors = floors;
        self.note_generation(generation);
        self.fresh = Fresh::NONE;
        Ok(())
    }

    /// How many blocks there are up to the last with a hole that has had no generation, in a map that
    /// was just read: all that are whole, and the one behind them if such a hole is in it.
    fn blocks_of_unused(&self) -> usize {
        let len = self.slots.len();
        let whole = len / Slots::<V>::BLOCK_SLOTS;
        let is_unused =
            |index| self.holes.bitmap().contains(index) && self.slots.state(index) == State::EMPTY;
        let is_last_one = indices(whole * Slots::<V>::BLOCK_SLOTS..len).any(is_unused);
        whole + usize::from(is_last_one)
    }

    /// Has a map, of which nothing else was read, have a type number.
    pub(crate) fn try_set_type_id(&mut self, number: u32) -> Result<(), BadPart> {
        if self.slots.len() > 0 || self.type_id().is_some() {
            return Err(BadPart::LateType);
        }
        self.number = TypeNumber::try_new(Some(number)).map_err(BadPart::Refused)?;
        Ok(())
    }

    /// Adds a slot behind the last one.
    pub(crate) fn try_push_part(&mut self, part: Part<V>) -> Result<(), BadPart> {
        let most = <K::Layout as Layout>::MAX_GENERATION;
        let (generation, allowed) = match part {
            Part::Live(generation, _) | Part::Detached(generation) => (generation, 1..=most),
            // One that was passed over has had none.
            Part::Hole(generation) => (generation, 0..=most - 1),
            Part::Retired => (1, 1..=most),
        };
        if !allowed.contains(&generation) {
            let most = *allowed.end();
            return Err(BadPart::Generation { index: self.slots.len(), generation, most });
        }
        // What is there is one more than what went before it, at most.
        let is_gone = matches!(part, Part::Hole(_));
        self.note_generation(if is_gone { generation } else { generation - 1 });
        if self.room_behind() == 0 {
            self.grow(1).map_err(BadPart::Refused)?;
        }
        let Ok(index) = u32::try_from(self.slots.len()) else {
            unreachable!("there is room for no more slots than keys can number")
        };
        if let Part::Live(generation, value) = part {
            self.slots.push_within_capacity(generation, value);
            return Ok(());
        }
        self.slots.extend_vacant(1).map_err(BadPart::Refused)?;
        match part {
            Part::Hole(generation) => {
                // What reads as empty is so already, untouched.
                if generation > 0 {
                    self.slots.set_vacant(index, Vacant::after(generation));
                }
                self.fresh = Fresh::NONE;
                self.holes.mark(index);
                self.holes.apart_mut().trimmed +=
                    usize::from(generation == 0 && self.holes.bitmap().contains(index));
            }
            Part::Detached(generation) => {
                self.slots.set_vacant(index, Vacant::after(generation));
                self.detached += 1;
            }
            Part::Retired => self.holes.apart_mut().retired += 1,
            Part::Live(..) => unreachable!("pushed above"),
        }
        Ok(())
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
            Self::LateType => f.write_str("a type number comes once, before all slots"),
            Self::Floor { generation, most } => write!(
                f,
                "new slots cannot start above generation {generation}: it is {most} at most with \
                 this key type"
            ),
        }
    }
}
