//! [`Space`]: which elements' worth of a pool's memory is free.
//!
//! A buddy allocator: a *run* of class *c* is 2^*c* places that begin at a multiple of their number. The two halves of
//! a run are *buddies*. A free run whose buddy is free, too, is merged with it.
//!
//! # What holds between calls
//!
//! - Each place below `end` either belongs to exactly one free run or was handed out. No place from `end` on was.
//! - `free[c]` has a bit for each free run of class *c*, and `classes` a bit for each of them that is not empty. No two
//!   free runs are buddies.
//! - Each set in `free` covers the runs below `ready`, so freeing a run takes no memory.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests;

use crate::error::{Error, ErrorKind};
use crate::slots::holes::bitmap::Bitmap;
use std::ops::Range;

/// The number of classes: there are less than 2^32 places.
pub(super) const CLASSES: usize = u32::BITS as usize;

/// See the [module](self).
pub(super) struct Space {
    free: Vec<Bitmap>,
    classes: u32,
    end: u32,
    ready: u32,
    /// How many places below `end` are free.
    unused: u32,
}

impl Space {
    pub(super) const fn new() -> Self {
        Self { free: Vec::new(), classes: 0, end: 0, ready: 0, unused: 0 }
    }

    /// Returns the end of the places that were ever handed out, except for the last ones that are free again.
    pub(super) const fn end(&self) -> u32 {
        self.end
    }

    /// Returns how many places below the [end](Self::end) are free.
    pub(super) const fn unused(&self) -> u32 {
        self.unused
    }

    /// Whether the places below one can be handed out without memory.
    pub(super) const fn is_ready(&self, end: u32) -> bool {
        end <= self.ready
    }

    /// Returns how many free runs of a class there are.
    pub(super) fn free_runs(&self, class: u32) -> usize {
        self.free.get(class as usize).map_or(0, Bitmap::count)
    }

    /// Takes a run: the lowest free one of the class, or part of the lowest one of the next class that has any. Without
    /// those, `None`.
    #[inline]
    pub(super) fn take_free(&mut self, class: u32) -> Option<u32> {
        let larger = (self.classes >> class).trailing_zeros();
        let from = class + larger;
        let place = self.free.get(from as usize)?.first()?;
        self.remove(from, place);
        let start = place << from;
        // The second half of each larger run stays free.
        for below in class..from {
            self.insert(below, (start >> below) + 1);
        }
        self.unused -= 1 << class;
        Some(start)
    }

    /// Takes a run from the end on. `None` if more places must be [ready](Self::make_ready): up to
    /// [`end_with`](Self::end_with).
    #[inline]
    pub(super) fn take_from_end(&mut self, class: u32) -> Option<u32> {
        let start = self.end.checked_next_multiple_of(1 << class)?;
        let end = start.checked_add(1 << class).filter(|end| *end <= self.ready)?;
        let skipped = self.end..start;
        self.end = end;
        self.free(skipped);
        Some(start)
    }

    /// Returns the end of the next run that [`take_from_end`](Self::take_from_end) takes; `None` if there are too few
    /// places.
    pub(super) const fn end_with(&self, class: u32) -> Option<u32> {
        match self.end.checked_next_multiple_of(1 << class) {
            Some(start) => start.checked_add(1 << class),
            None => None,
        }
    }

    /// Takes places from the end on, if they are ready.
    pub(super) fn extend(&mut self, places: u32) -> Option<u32> {
        let start = self.end;
        self.end = start.checked_add(places).filter(|end| *end <= self.ready)?;
        Some(start)
    }

    /// Moves the end back to where it was, before places that were handed out since then.
    pub(super) fn retract(&mut self, end: u32) {
        debug_assert!(end <= self.end && self.end <= self.ready, "places that were not handed out");
        self.end = end;
    }

    /// Makes a run twice as large where it is, if the places after it are free. Those after the end must be ready.
    pub(super) fn widen(&mut self, start: u32, class: u32) -> bool {
        let (place, size) = (start >> class, 1_u32 << class);
        if place << class != start || place % 2 == 1 {
            return false;
        }
        if start + size == self.end {
            return self.extend(size).is_some();
        }
        let is_free = self.remove(class, place + 1);
        self.unused -= if is_free { size } else { 0 };
        is_free
    }

    /// Frees places that were handed out, which need not be a single run.
    #[inline]
    pub(super) fn free(&mut self, places: Range<u32>) {
        let Range { mut start, end } = places;
        let len = end - start;
        if len.is_power_of_two() && start & (len - 1) == 0 {
            return self.free_run(start, len.trailing_zeros());
        }
        while start < end {
            // The largest run that begins here and fits.
            let class = start.trailing_zeros().min((end - start).ilog2());
            self.free_run(start, class);
            start += 1 << class;
        }
    }

    fn free_run(&mut self, start: u32, mut class: u32) {
        let mut place = start >> class;
        self.unused += 1 << class;
        while self.remove(class, place ^ 1) {
            place >>= 1;
            class += 1;
        }
        self.insert(class, place);
    }

    /// Takes places that are all free, wherever they are below the end.
    pub(super) fn take_range(&mut self, places: Range<u32>) {
        let mut from = places.start;
        while from < places.end {
            let (class, run) = self.run_at(from).expect("the place is free");
            self.remove(class, run.start >> class);
            self.unused -= 1 << class;
            let end = places.end.min(run.end);
            // The rest of the run stays free.
            self.free(run.start..from);
            self.free(end..run.end);
            from = end;
        }
    }

    /// Returns the end of the free places at the front.
    pub(super) fn free_front(&self) -> u32 {
        let mut end = 0;
        while let Some((_, run)) = self.run_at(end) {
            end = run.end;
        }
        end
    }

    /// Moves the end before the last places if they are free. Returns the end.
    pub(super) fn trim(&mut self) -> u32 {
        while let Some((class, run)) = self.end.checked_sub(1).and_then(|last| self.run_at(last)) {
            self.remove(class, run.start >> class);
            self.unused -= 1 << class;
            self.end = run.start;
        }
        self.end
    }

    /// Makes the sets anew, so that memory for runs that were merged is returned: that which the sets of short runs took
    /// while lists were freed one by one. Without memory for that, they stay as they are.
    pub(super) fn tidy(&mut self) {
        for (class, set) in self.free.iter_mut().enumerate() {
            let mut tidy = Bitmap::new();
            if tidy.cover((self.ready >> class) as usize).is_ok() {
                let mut next = set.first();
                while let Some(place) = next {
                    tidy.set(place);
                    next = set.first_at_or_after(place + 1);
                }
                *set = tidy;
            }
        }
    }

    /// Frees all places.
    pub(super) fn clear(&mut self) {
        for set in &mut self.free {
            set.clear_all();
        }
        (self.classes, self.end, self.unused) = (0, 0, 0);
    }

    /// Returns the free run that has a place, and its class.
    fn run_at(&self, at: u32) -> Option<(u32, Range<u32>)> {
        let mut sets = (0..).zip(&self.free);
        let class = sets.find(|(class, set)| set.contains(at >> class))?.0;
        let start = at >> class << class;
        Some((class, start..start + (1 << class)))
    }

    /// Says that there is memory for the places below `ready`, and takes what the sets need in order to cover them.
    ///
    /// # Errors
    ///
    /// If the allocator refuses. No more places are ready then.
    pub(super) fn make_ready(&mut self, ready: u32) -> Result<(), Error> {
        if ready <= self.ready {
            return Ok(());
        }
        let classes = ready.ilog2() as usize + 1;
        let refused = |_| Error::new(ErrorKind::Memory, CLASSES * size_of::<Bitmap>());
        self.free.try_reserve(classes.saturating_sub(self.free.len())).map_err(refused)?;
        while self.free.len() < classes {
            self.free.push(Bitmap::new());
        }
        for (class, set) in self.free.iter_mut().enumerate() {
            set.cover((ready >> class) as usize)?;
        }
        self.ready = ready;
        Ok(())
    }

    /// Forgets that there is memory for the places from `ready` on, which are past the end.
    pub(super) fn unready(&mut self, ready: u32) {
        self.ready = self.ready.min(ready);
        for (class, set) in self.free.iter_mut().enumerate() {
            set.uncover((self.ready >> class) as usize);
        }
    }

    #[inline]
    fn insert(&mut self, class: u32, place: u32) {
        let is_covered = self.free[class as usize].set(place);
        debug_assert!(is_covered, "the sets cover all places");
        self.classes |= 1 << class;
    }

    #[inline]
    fn remove(&mut self, class: u32, place: u32) -> bool {
        let Some(set) = self.free.get_mut(class as usize) else { return false };
        let was_there = set.clear(place);
        if set.count() == 0 {
            self.classes &= !(1 << class);
        }
        was_there
    }
}
