//! Compaction: moves all lists next to each other, in the order of their slots.

#![forbid(unsafe_code)]

use super::elements::{Elements, List};
use crate::error::Error;
use crate::growing::{Budget, BudgetMeter};
use std::ops::Range;

/// The progress of a compaction. The next call resumes at `slot`.
pub(super) enum Progress {
    /// The lists before the slot lie next to each other. The last of them ends at `end`, if there is any.
    Checking { slot: u32, end: Option<u32> },
    /// Each list moves once, to places that were free when this began: at the front if they suffice, and otherwise past
    /// the last list.
    Moving { slot: u32, to: Range<u32> },
    /// All lists have moved, or need not move. Free memory is being returned.
    Returning,
}

/// Slots visited per check of the budget.
const VISITS: u32 = 64;

/// What a call of [`compact_within`](super::ListPool::compact_within) has done.
///
/// # Examples
///
/// ```
/// use stayput::{Budget, ListPool};
///
/// let mut pool: ListPool<u32> = [0..10, 0..20].into_iter().collect();
/// let compacted = pool.compact_within(Budget::UNLIMITED)?;
/// assert_eq!(compacted.lists, 2);
/// assert_eq!(compacted.bytes, 120);
/// assert!(compacted.is_done);
/// # Ok::<(), stayput::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Compacted {
    /// The number of lists that the call moved. Empty ones count, too.
    pub lists: usize,
    /// The number of bytes copied.
    pub bytes: usize,
    /// `true` if the compaction is complete, and no call remains to be made.
    pub is_done: bool,
}

/// One call of `compact_within`.
pub(super) struct Compaction<'p, T> {
    progress: &'p mut Option<Progress>,
    elements: &'p mut Elements<T>,
    meter: BudgetMeter,
    done: Compacted,
}

impl<'p, T> Compaction<'p, T> {
    pub(super) fn new(
        progress: &'p mut Option<Progress>,
        elements: &'p mut Elements<T>,
        budget: Budget,
    ) -> Self {
        let done = Compacted { lists: 0, bytes: 0, is_done: false };
        progress.get_or_insert(Progress::Checking { slot: 0, end: None });
        Self { progress, elements, meter: BudgetMeter::new(budget), done }
    }

    /// Returns the slot of the next list; `None` if all were visited.
    pub(super) fn slot(&self, slots: usize) -> Option<u32> {
        match *self.progress.as_ref()? {
            Progress::Checking { slot, .. } | Progress::Moving { slot, .. } => {
                Some(slot).filter(|slot| (*slot as usize) < slots)
            }
            Progress::Returning => None,
        }
    }

    /// Visits the next slot, which may have a list. Returns `false` if the budget is used up.
    pub(super) fn step(&mut self, list: Option<&mut List>) -> Result<bool, Error> {
        match self.progress.as_mut() {
            Some(Progress::Checking { slot, end }) => {
                if *slot % VISITS == 0 && !self.meter.pay(VISITS as usize) {
                    return Ok(false);
                }
                let places = list.map(|list| (list.places(), list.capacity() == list.len()));
                match places.filter(|(places, is_full)| !is_full || !places.is_empty()) {
                    None => *slot += 1,
                    Some((places, true)) if end.is_none_or(|end| end == places.start) => {
                        (*slot, *end) = (*slot + 1, Some(places.end));
                    }
                    Some(_) => {
                        let to = self.elements.take_front();
                        *self.progress = Some(Progress::Moving { slot: 0, to });
                    }
                }
                Ok(true)
            }
            Some(Progress::Moving { slot, to }) => {
                let bytes = list.as_ref().map_or(0, |list| list.len() * size_of::<T>());
                // A list costs something even if its elements do not, and so do slots without one.
                let cost =
                    if list.is_some() { bytes + 1 } else { usize::from(*slot % VISITS == 0) };
                if cost > 0 && !self.meter.pay(cost) {
                    return Ok(false);
                }
                if let Some(list) = list {
                    if let Err(error) = self.elements.shift(list, to) {
                        // The next call begins anew.
                        self.elements.free_front(to.clone());
                        *self.progress = None;
                        return Err(error);
                    }
                    self.done.lists += 1;
                    self.done.bytes += bytes;
                }
                *slot += 1;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(super) const fn done(&self) -> Compacted {
        self.done
    }

    /// Returns memory after all lists were visited.
    pub(super) fn end(mut self) -> Result<Compacted, Error> {
        // Otherwise they were in order, and without gaps. There may be free memory around them all the same.
        if let Some(Progress::Moving { to, .. }) = self.progress.take() {
            self.elements.free_front(to);
        }
        let is_done = self.elements.shrink(&mut self.meter)?
            && self.elements.discard_front(&mut self.meter)?;
        if is_done {
            self.elements.tidy();
        } else {
            *self.progress = Some(Progress::Returning);
        }
        Ok(Compacted { is_done, ..self.done })
    }
}
