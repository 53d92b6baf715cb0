//! Which slot and which generation the next value gets.

#![forbid(unsafe_code)]

use super::SlotMap;
use crate::error::Error;
use crate::key::Key;
use crate::slots::array::Slots;
use crate::slots::holes::Hole;
use crate::slots::key_bits::most_slots;
use crate::slots::state::State;
use crate::slots::vacancy::{Fresh, Vacancies, Vacancy, VacancySource};

impl<K: Key, V> SlotMap<K, V> {
    pub(super) fn vacancies(&mut self) -> Vacancies<'_> {
        let Self { slots, holes, fresh, .. } = self;
        Vacancies { slots: slots.any(), holes, fresh, most_slots: most_slots::<K>() }
    }

    /// Finds a slot for the next value, or makes one available. Changes nothing but what is committed.
    #[inline]
    pub(crate) fn vacancy(&mut self) -> Result<Vacancy, Error> {
        match self.vacancy_at_hand() {
            Some(vacancy) => Ok(vacancy),
            None => self.vacancy_slow(),
        }
    }

    /// Returns the [`vacancy`](Self::vacancy) if one is available at once. Runs no user code.
    #[inline]
    pub(super) fn vacancy_at_hand(&self) -> Option<Vacancy> {
        match self.holes.first() {
            Some(hole) => Some(Vacancy::next(hole)),
            None => (self.slots.len() < self.fresh.end).then(|| self.fresh_vacancy()),
        }
    }

    /// Returns the first fresh slot.
    #[inline]
    pub(super) fn fresh_vacancy(&self) -> Vacancy {
        self.fresh.first(self.slots.len())
    }

    #[cold]
    #[inline(never)]
    fn vacancy_slow(&mut self) -> Result<Vacancy, Error> {
        self.vacancies().vacancy_slow()
    }

    /// Makes a hole in front or a fresh slot available for a value that is about to be inserted.
    #[cold]
    #[inline(never)]
    pub(super) fn bring_vacancy(&mut self) -> Result<(), Error> {
        self.vacancies().bring_vacancy()
    }

    /// Fills a vacancy. The map must not have changed since it was found. Runs no user code.
    #[inline]
    pub(crate) fn occupy(&mut self, vacancy: Vacancy, value: V) {
        let Vacancy { index, generation, source } = vacancy;
        if let VacancySource::Fresh = source {
            self.slots.push_within_capacity(generation, value);
            return;
        }
        if let VacancySource::Stack = source {
            self.holes.pop();
        } else {
            self.unmark_hole(index);
        }
        self.slots.fill(index, generation, value);
    }

    /// Unmarks a hole that is not in front and is about to be filled.
    #[cold]
    #[inline(never)]
    pub(super) fn unmark_hole(&mut self, index: u32) {
        self.vacancies().unmark_hole(index);
    }

    /// Marks all holes in the bitmap, so that none is in front, and makes the next insertion search again.
    ///
    /// O(n) in the holes in front. Each of them was put there once.
    pub(super) fn settle(&mut self) {
        self.fresh = Fresh::NONE;
        self.holes.settle(self.slots.states());
    }

    /// Returns the number of holes in front whose memory was returned, so that their state reads as empty.
    pub(super) fn trimmed_in_front(&self) -> usize {
        let is_empty = |hole: &Hole| self.slots.state(hole.index()) == State::EMPTY;
        self.holes.front().filter(is_empty).count()
    }

    /// Takes memory for `additional` more slots, and for their bits in the bitmap.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, additional: usize) -> Result<(), Error> {
        self.vacancies().grow(additional)
    }

    /// Ensures that each slot in committed memory can become a hole without taking memory.
    pub(super) fn cover_holes(&mut self) -> Result<(), Error> {
        self.vacancies().cover_holes()
    }

    /// Returns how many slots can be added: those that are committed, and can become holes.
    pub(super) fn fresh_slots_left(&self) -> usize {
        self.slots.capacity().min(self.holes.bitmap().covered()) - self.slots.len()
    }

    /// Returns the last generation that a hole had, or a higher one.
    #[inline]
    pub(super) fn last_generation(&self, index: u32) -> u32 {
        let block = index as usize / Slots::<V>::BLOCK_SLOTS;
        match self.slots.state(index).generation() {
            0 => self.holes.cold().floors.of_hole(index, block),
            generation => generation,
        }
    }

    /// Returns the last generation that a vacant slot had; 0 if none is recorded.
    #[inline]
    pub(super) fn vacant_generation(&self, index: u32) -> u32 {
        match self.slots.state(index).generation() {
            0 => self.holes.cold().floors.read_of(index),
            generation => generation,
        }
    }
}
