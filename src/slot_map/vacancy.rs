//! Which slot the next value goes into, and with which generation.

#![forbid(unsafe_code)]

use super::SlotMap;
use crate::error::Error;
use crate::key::Key;
use crate::slots::array::Slots;
use crate::slots::holes::Hole;
use crate::slots::key_bits::most_slots;
use crate::slots::state::State;
use crate::slots::vacancy::{Fresh, Source, Vacancies, Vacancy};

impl<K: Key, V> SlotMap<K, V> {
    pub(super) fn vacancies(&mut self) -> Vacancies<'_> {
        let Self { slots, holes, fresh, .. } = self;
        Vacancies { slots: slots.any(), holes, fresh, most_slots: most_slots::<K>() }
    }

    /// Finds, or makes, room for a value. Nothing has changed by it but what is committed.
    #[inline]
    pub(crate) fn vacancy(&mut self) -> Result<Vacancy, Error> {
        match self.vacancy_at_hand() {
            Some(vacancy) => Ok(vacancy),
            None => self.vacancy_after_all(),
        }
    }

    /// The [`vacancy`](Self::vacancy), if nothing has to be done for it. Runs no user code.
    #[inline]
    pub(super) fn vacancy_at_hand(&self) -> Option<Vacancy> {
        match self.holes.first() {
            Some(hole) => Some(Vacancy::next(hole)),
            None => (self.slots.len() < self.fresh.end).then(|| self.vacancy_behind()),
        }
    }

    /// The first of the fresh slots.
    #[inline]
    pub(super) fn vacancy_behind(&self) -> Vacancy {
        self.fresh.first(self.slots.len())
    }

    #[cold]
    #[inline(never)]
    fn vacancy_after_all(&mut self) -> Result<Vacancy, Error> {
        self.vacancies().vacancy_after_all()
    }

    /// Has a hole be in front, or slots be fresh, for a value that comes now.
    #[cold]
    #[inline(never)]
    pub(super) fn bring_vacancy(&mut self) -> Result<(), Error> {
        self.vacancies().bring_vacancy()
    }

    /// The key of what a vacancy is filled with.
    #[inline]
    pub(crate) fn key_of_vacancy(&self, vacancy: Vacancy) -> K {
        vacancy.key(self.mint())
    }

    /// Fills a vacancy that was found, since when the map has not changed. Runs no user code.
    #[inline]
    pub(crate) fn occupy(&mut self, vacancy: Vacancy, value: V) {
        let Vacancy { index, generation, source } = vacancy;
        if let Source::Fresh = source {
            return self.slots.push_within_capacity(generation, value);
        }
        if let Source::Stack = source {
            self.holes.pop();
        } else {
            self.unmark_hole(index);
        }
        self.slots.fill(index, generation, value);
    }

    /// Takes note that a hole that is not in front is about to be filled.
    #[cold]
    #[inline(never)]
    pub(super) fn unmark_hole(&mut self, index: u32) {
        self.vacancies().unmark_hole(index);
    }

    /// Marks all holes, so that none is in front; and has the next insertion look at everything anew.
    ///
    /// Linear in the holes that are in front, each of which has been put there once.
    pub(super) fn settle(&mut self) {
        self.fresh = Fresh::NONE;
        self.holes.settle(self.slots.states());
    }

    /// How many holes in front read as empty, since their memory was handed back.
    pub(super) fn trimmed_in_front(&self) -> usize {
        let is_empty = |hole: &Hole| self.slots.state(hole.index()) == State::EMPTY;
        self.holes.front().filter(is_empty).count()
    }

    /// Makes room for `additional` more slots, and that they can become holes.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, additional: usize) -> Result<(), Error> {
        self.vacancies().grow(additional)
    }

    /// Sees to it that each slot in committed memory can become a hole without a call for memory.
    pub(super) fn cover_holes(&mut self) -> Result<(), Error> {
        self.vacancies().cover_holes()
    }

    /// How many slots there may be behind the last one: committed, and such as can become holes.
    pub(super) fn room_behind(&self) -> usize {
        self.slots.capacity().min(self.holes.bitmap().covered()) - self.slots.len()
    }

    /// The last generation that a hole had, or one above.
    #[inline]
    pub(super) fn last_generation(&self, index: u32) -> u32 {
        match self.vacant_generation(index) {
            0 => self.floor(index as usize),
            generation => generation,
        }
    }

    /// The last generation that a vacant slot had, or 0 if none is recorded.
    #[inline]
    pub(super) fn vacant_generation(&self, index: u32) -> u32 {
        match self.slots.state(index).generation() {
            0 => self.holes.cold().floors.read_of(index),
            generation => generation,
        }
    }

    /// The generation above which a slot starts that has no record of its own.
    #[inline]
    fn floor(&self, index: usize) -> u32 {
        self.holes.cold().floors.of_block(index / Slots::<V>::BLOCK_SLOTS)
    }
}
