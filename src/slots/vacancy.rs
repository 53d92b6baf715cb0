//! Which slot the next value goes into, and with which generation.

#![forbid(unsafe_code)]

use super::any_slots::AnySlots;
use super::cursor::WORD_SLOTS;
use super::holes::reuse::Reuse;
use super::holes::{Hole, Holes};
use super::key_bits::explain;
use super::key_tag::Mint;
use super::state::State;
use crate::error::Error;
use crate::key::Key;

/// How many holes are moved to the front at once; the last word may add up to 63 more.
const AT_ONCE: usize = 32;

/// In a map of large values, only the holes in this many bytes of slots are moved.
const AT_ONCE_BYTES: usize = 16 << 10;

/// The slot that is filled next.
#[derive(Clone, Copy)]
pub(crate) struct Vacancy {
    pub(crate) index: u32,
    pub(crate) generation: u32,
    pub(crate) source: VacancySource,
}

/// Where a vacancy was found.
#[derive(Clone, Copy)]
pub(crate) enum VacancySource {
    /// Past the last slot.
    Fresh,
    /// On the stack in front of the other holes.
    Stack,
    /// In the bitmap.
    Bitmap,
}

impl Vacancy {
    #[inline]
    pub(crate) const fn next(hole: Hole) -> Self {
        Self { index: hole.index(), generation: hole.generation(), source: VacancySource::Stack }
    }

    #[inline]
    pub(crate) fn key<K: Key>(self, mint: Mint<K>) -> K {
        mint.key(self.index, self.generation)
    }
}

/// The next slots past the last one, which are used if no hole is. All have one generation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh {
    /// Where these slots end, in committed memory. There are none if this is not above the length.
    pub(crate) end: usize,
    generation: u32,
}

impl Fresh {
    pub(crate) const NONE: Self = Self { end: 0, generation: 0 };

    /// Returns the first of them, in a map with `len` slots.
    #[inline]
    pub(crate) fn first(self, len: usize) -> Vacancy {
        #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
        let index = len as u32;
        Vacancy { index, generation: self.generation, source: VacancySource::Fresh }
    }
}

/// The vacant slots of a map, from which the one for the next value is chosen.
#[derive(Debug)]
pub(crate) struct Vacancies<'m> {
    pub(crate) slots: AnySlots<'m>,
    pub(crate) holes: &'m mut Holes,
    pub(crate) fresh: &'m mut Fresh,
    /// See [`most_slots`](super::key_bits::most_slots).
    pub(crate) most_slots: usize,
}

impl Vacancies<'_> {
    #[inline(never)]
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn vacancy_slow(&mut self) -> Result<Vacancy, Error> {
        if let Some(hole) = self.hole_slow() {
            return Ok(hole);
        }
        if self.fresh_slots_left() == 0 {
            if let Err(error) = self.grow(1) {
                // Filling a hole that was to be kept is better than an error.
                return self.vacancy_marked().ok_or(error);
            }
        }
        let len = self.slots.array.len();
        let (floor, end) = self.floor_from(len);
        *self.fresh = Fresh { end: end.min(len + self.fresh_slots_left()), generation: floor + 1 };
        // In a map that is full, every slot is near.
        self.holes.set_near(usize::MAX);
        Ok(self.fresh.first(len))
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn bring_vacancy(&mut self) -> Result<(), Error> {
        let vacancy = self.vacancy_slow()?;
        self.put_in_front(vacancy);
        Ok(())
    }

    fn put_in_front(&mut self, Vacancy { index, generation, source }: Vacancy) {
        if let VacancySource::Bitmap = source {
            self.unmark_hole(index);
            self.holes.put_in_front(Hole::after(index, generation - 1));
        }
    }

    /// Moves a hole to the front if one may be filled, and returns whether one may.
    pub(crate) fn bring_hole(&mut self) -> bool {
        let hole = self.hole_slow();
        hole.map(|hole| self.put_in_front(hole)).is_some()
    }

    /// Returns the hole that is filled next.
    fn hole_slow(&mut self) -> Option<Vacancy> {
        match self.holes.order() {
            Reuse::Recent => {
                self.bring_holes();
                self.holes.first().map(Vacancy::next)
            }
            Reuse::Rotating { min_free } if self.holes.count() <= min_free => None,
            Reuse::Lowest | Reuse::Rotating { .. } => self.vacancy_marked(),
        }
    }

    /// Returns the first hole that is not in front.
    fn vacancy_marked(&self) -> Option<Vacancy> {
        let index = self.holes.first_marked()?;
        let generation = self.last_generation(index) + 1;
        Some(Vacancy { index, generation, source: VacancySource::Bitmap })
    }

    /// Moves the lowest holes to the front, which has none.
    fn bring_holes(&mut self) {
        if self.holes.count() == 0 {
            return;
        }
        let others = self.slots.array.len() - self.holes.count();
        self.holes.set_near(Holes::near_of(others));
        self.holes.cold_mut().trimmed_in_front = 0;
        // A small number, so that few trimmed pages are touched long before they are filled. It does not depend on how
        // many were trimmed, since the order of keys must not depend on it.
        let most = (AT_ONCE_BYTES / self.slots.array.stride_bytes()).clamp(1, AT_ONCE);
        let mut indices = [0; AT_ONCE + WORD_SLOTS];
        let mut count = 0;
        while count < most {
            let Some(first) = self.holes.first_marked() else { break };
            let at_once = if most < AT_ONCE { most - count } else { WORD_SLOTS };
            let mut bits = self.holes.bitmap_mut().take_word(first, at_once);
            while bits != 0 {
                indices[count] = first - first % 64 + bits.trailing_zeros();
                bits &= bits - 1;
                count += 1;
            }
        }
        // One right after the other, so that their cache lines are fetched at the same time.
        let (states, holes) = (self.slots.states(), &mut *self.holes);
        for index in indices[..count].iter().rev() {
            self.slots.prefetch_hole(*index);
            let last = match states.at(*index).generation() {
                0 => {
                    holes.untrim(1);
                    let cold = holes.cold_mut();
                    cold.trimmed_in_front += 1;
                    cold.floors.of_hole(*index, self.slots.block_of(*index as usize))
                }
                generation => generation,
            };
            holes.put_in_front(Hole::after(*index, last));
        }
    }

    pub(crate) fn unmark_hole(&mut self, index: u32) {
        if self.slots.state(index) == State::EMPTY {
            self.holes.untrim(1);
        }
        self.holes.bitmap_mut().clear(index);
        self.holes.set_turn(index.wrapping_add(1));
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn grow(&mut self, additional: usize) -> Result<(), Error> {
        let most = self.most_slots;
        self.slots.array.try_reserve(additional).map_err(|error| explain(error, most))?;
        self.cover_holes()
    }

    #[inline(never)]
    pub(crate) fn cover_holes(&mut self) -> Result<(), Error> {
        let (capacity, max_len, holder) =
            (self.slots.array.capacity(), self.slots.array.max_len(), self.slots.array.holder());
        self.holes.cover(capacity, max_len).map_err(|error| error.of(holder))
    }

    /// Returns how many slots can be added: those that are committed, and that the bitmap covers in case they become
    /// holes.
    fn fresh_slots_left(&self) -> usize {
        self.slots.array.capacity().min(self.holes.bitmap().covered()) - self.slots.array.len()
    }

    /// Returns the last generation that a hole had, or a higher one.
    fn last_generation(&self, index: u32) -> u32 {
        match self.slots.state(index).generation() {
            0 => self.holes.cold().floors.of_hole(index, self.slots.block_of(index as usize)),
            generation => generation,
        }
    }

    /// Returns the generation above which a slot past the last one starts, and the end of the slots that have it in
    /// common.
    fn floor_from(&self, index: usize) -> (u32, usize) {
        let (block, floors) = (self.slots.block_of(index), &self.holes.cold().floors);
        let end = if floors.is_beyond(block) {
            usize::MAX
        } else {
            (block + 1).saturating_mul(self.slots.block_slots())
        };
        (floors.of_block(block), end)
    }
}
