//! [`NextKeys`]: what a map needs when it is read, to continue with the same keys.

#![forbid(unsafe_code)]

use super::super::{Reuse, SlotMap};
use super::BadPart;
use crate::error::Error;
#[cfg(feature = "serde")]
use crate::heap::deserialize_vec;
#[cfg(feature = "file")]
use crate::heap::try_collect;
use crate::heap::try_reserve_exact;
use crate::key::{Key, Layout};
use crate::slots::array::Slots;
use crate::slots::holes::Hole;
use crate::slots::state::State;
use crate::slots::vacancy::Fresh;

/// What the next keys of a map depend on, in addition to its slots.
#[derive(Debug, Default)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct NextKeys {
    /// The highest generation of a value that was removed: after `clear`, all slots may start above it.
    highest: u32,
    /// The generations above which slots past the last one start, if they are not all the same: pairs of the end of a
    /// range of slots and its generation.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "deserialize_vec"))]
    floors: Vec<(u32, u32)>,
    reuse: ReuseState,
}

/// A [`Reuse`], and what the map remembers for it.
#[derive(Debug)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(rename = "Order", rename_all = "lowercase", deny_unknown_fields)
)]
enum ReuseState {
    Recent {
        /// The holes on the stack, the next one last.
        #[cfg_attr(feature = "serde", serde(deserialize_with = "deserialize_vec"))]
        stack: Vec<u32>,
        /// The hole that is filled before them.
        latest: Option<u32>,
        /// How many holes the stack has room for.
        room: u32,
        /// Slots that are freed below this one go onto the stack.
        near: u32,
    },
    Lowest,
    Rotating {
        min_free: u64,
        /// Where the search for the next hole starts.
        turn: u32,
    },
}

impl Default for ReuseState {
    fn default() -> Self {
        Self::Recent { stack: Vec::new(), latest: None, room: 0, near: 0 }
    }
}

impl ReuseState {
    fn reuse(&self) -> Reuse {
        match *self {
            Self::Recent { .. } => Reuse::Recent,
            Self::Lowest => Reuse::Lowest,
            Self::Rotating { min_free, .. } => {
                Reuse::Rotating { min_free: usize::try_from(min_free).unwrap_or(usize::MAX) }
            }
        }
    }
}

impl<K: Key, V> SlotMap<K, V> {
    /// For how many blocks past the last slot a floor is read: those of 4 GiB.
    const READ_BLOCKS: usize = 1 << 16;

    /// Returns the generation above which slots start that are past all blocks with a floor.
    pub(crate) fn tail_floor(&self) -> u32 {
        self.holes.cold().floors.parts().1
    }

    /// Returns what the next keys depend on, in addition to the slots and the [tail floor](Self::tail_floor).
    ///
    /// # Errors
    ///
    /// If the allocator refuses the memory for it.
    pub(crate) fn try_next_keys(&self) -> Result<NextKeys, Error> {
        let reuse = match self.holes.order() {
            Reuse::Recent => {
                let (front, latest, room, near) = self.holes.front_parts();
                let mut stack = Vec::new();
                try_reserve_exact(&mut stack, front.len())?;
                stack.extend(front.iter().copied().map(Hole::index));
                ReuseState::Recent {
                    stack,
                    latest: latest.map(Hole::index),
                    room: saturate(room),
                    // The number of slots means the same as any higher limit: when a map grows, all holes become near.
                    near: saturate(near.min(self.slots.len())),
                }
            }
            Reuse::Lowest => ReuseState::Lowest,
            Reuse::Rotating { min_free } => {
                ReuseState::Rotating { min_free: min_free as u64, turn: self.holes.turn() }
            }
        };
        Ok(NextKeys { highest: self.highest, floors: self.try_tail_floors()?, reuse })
    }

    fn try_tail_floors(&self) -> Result<Vec<(u32, u32)>, Error> {
        let (blocks, beyond) = self.holes.cold().floors.parts();
        let first = self.slots.len() / Slots::<V>::BLOCK_SLOTS;
        let tail = blocks.get(first..).unwrap_or(&[]);
        let named = tail.len() - tail.iter().rev().take_while(|floor| **floor == beyond).count();
        let mut floors = Vec::new();
        try_reserve_exact(&mut floors, tail[..named].chunk_by(PartialEq::eq).count())?;
        let mut end = first;
        for run in tail[..named].chunk_by(PartialEq::eq) {
            end += run.len();
            floors.push((saturate(end.saturating_mul(Slots::<V>::BLOCK_SLOTS)), run[0]));
        }
        Ok(floors)
    }

    /// Makes a map whose slots were just read continue with the same keys as the one that was written, in the order of
    /// that map or in another.
    pub(crate) fn try_set_next_keys(
        &mut self,
        floor: u32,
        next: &NextKeys,
        reuse: Option<Reuse>,
    ) -> Result<(), BadPart> {
        let NextKeys { highest, floors, reuse: order } = next;
        self.try_set_floors(floors, floor)?;
        self.note_generation(*highest);
        self.fresh = Fresh::NONE;
        let reuse = reuse.unwrap_or(order.reuse());
        self.holes.try_set_order(reuse).map_err(BadPart::Refused)?;
        match (order, reuse) {
            (ReuseState::Recent { stack, latest, room, near }, Reuse::Recent) => {
                let room = *room as usize;
                self.holes.try_reserve_in_front(room).map_err(BadPart::Refused)?;
                self.try_fill_front(stack, *latest)?;
                self.holes.set_near(*near as usize);
            }
            (ReuseState::Rotating { turn, .. }, Reuse::Rotating { .. }) => {
                self.holes.set_turn(*turn);
            }
            _ => {}
        }
        Ok(())
    }

    fn try_fill_front(&mut self, stack: &[u32], latest: Option<u32>) -> Result<(), BadPart> {
        let (_, _, room, _) = self.holes.front_parts();
        if stack.len() > room {
            return Err(BadPart::Order);
        }
        for index in stack {
            let hole = self.try_take_hole(*index)?;
            self.holes.put_in_front(hole);
        }
        if let Some(index) = latest {
            let hole = self.try_take_hole(index)?;
            if hole.is_none() {
                return Err(BadPart::NotAHole { index });
            }
            self.holes.set_latest(hole);
        }
        Ok(())
    }

    /// Removes a hole from the bitmap.
    fn try_take_hole(&mut self, index: u32) -> Result<Hole, BadPart> {
        if !self.holes.bitmap().contains(index) {
            return Err(BadPart::NotAHole { index });
        }
        self.holes.bitmap_mut().clear(index);
        if self.slots.state(index) == State::EMPTY {
            self.holes.untrim(1);
            self.holes.cold_mut().trimmed_in_front += 1;
        }
        Ok(Hole::after(index, self.last_generation(index)))
    }

    /// Sets the generations above which slots past the last one start.
    fn try_set_floors(&mut self, floors: &[(u32, u32)], beyond: u32) -> Result<(), BadPart> {
        // A slot that had the last generation is retired, so it is never past the last one.
        let most = <K::Layout as Layout>::MAX_GENERATION - 1;
        let highest = floors.iter().map(|(_, floor)| *floor).fold(beyond, u32::max);
        if highest > most {
            return Err(BadPart::Floor { generation: highest, most });
        }
        if !floors.is_sorted_by(|(end, _), (next, _)| end < next) {
            return Err(BadPart::Order);
        }
        let (size, len) = (Slots::<V>::BLOCK_SLOTS, self.slots.len());
        let end = floors.last().map_or(0, |(end, _)| *end as usize).div_ceil(size);
        let (mut blocks, mut from) = (Vec::new(), len);
        // A few bytes of input must not demand an arbitrary number of blocks: past this many, all blocks get the
        // highest floor.
        let is_short = end.saturating_sub(len / size) <= Self::READ_BLOCKS;
        if !floors.is_empty() && is_short {
            try_reserve_exact(&mut blocks, end).map_err(BadPart::Refused)?;
            // Raises the floor of each block to that of the slots past all blocks, which only a forged map violates.
            blocks.resize(end, beyond);
            for &(end, floor) in floors {
                let slots = from.min(end as usize)..end as usize;
                let named = &mut blocks[slots.start / size..slots.end.div_ceil(size)];
                for block in named {
                    *block = floor.max(*block);
                }
                from = slots.end.max(from);
            }
        }
        let beyond = if is_short { beyond } else { highest };
        let cold = self.holes.try_cold_mut().map_err(BadPart::Refused)?;
        cold.floors.set_blocks(blocks, beyond);
        self.note_generation(highest);
        Ok(())
    }
}

fn saturate(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Conversions to words and back, for files.
#[cfg(feature = "file")]
impl NextKeys {
    const RECENT: u32 = 0;
    const LOWEST: u32 = 1;
    const ROTATING: u32 = 2;

    /// Returns the highest generation, the number of floors, the floors, and the order with what it needs.
    pub(crate) fn try_to_words(&self) -> Result<Vec<u32>, Error> {
        let stack =
            if let ReuseState::Recent { stack, .. } = &self.reuse { stack.len() } else { 0 };
        let mut words = Vec::new();
        try_reserve_exact(&mut words, 7 + 2 * self.floors.len() + stack)?;
        words.extend([self.highest, saturate(self.floors.len())]);
        words.extend(self.floors.iter().flat_map(|(end, floor)| [*end, *floor]));
        match &self.reuse {
            ReuseState::Recent { stack, latest, room, near } => {
                let has_latest = latest.is_some().into();
                words.extend([Self::RECENT, *room, *near, has_latest, latest.unwrap_or(0)]);
                words.extend(stack);
            }
            ReuseState::Lowest => words.push(Self::LOWEST),
            ReuseState::Rotating { min_free, turn } => {
                let [low, high] = [*min_free, *min_free >> 32].map(|half| {
                    u32::try_from(half & u64::from(u32::MAX)).expect("it is half of a number")
                });
                words.extend([Self::ROTATING, low, high, *turn]);
            }
        }
        Ok(words)
    }

    /// Reads words of this form; `None` if they have another.
    ///
    /// # Errors
    ///
    /// If the allocator refuses the memory for it.
    pub(crate) fn try_of_words(words: &[u32]) -> Result<Option<Self>, Error> {
        let [highest, floors, rest @ ..] = words else { return Ok(None) };
        let count = (*floors as usize).saturating_mul(2);
        let Some((floors, order)) = rest.split_at_checked(count) else { return Ok(None) };
        let floors = try_collect(floors.chunks_exact(2).map(|floor| (floor[0], floor[1])))?;
        let reuse = match *order {
            [Self::RECENT, room, near, has_latest @ 0..=1, latest, ref stack @ ..] => {
                let latest = (has_latest == 1).then_some(latest);
                ReuseState::Recent {
                    stack: try_collect(stack.iter().copied())?,
                    latest,
                    room,
                    near,
                }
            }
            [Self::LOWEST] => ReuseState::Lowest,
            [Self::ROTATING, low, high, turn] => {
                ReuseState::Rotating { min_free: u64::from(high) << 32 | u64::from(low), turn }
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { highest: *highest, floors, reuse }))
    }
}
