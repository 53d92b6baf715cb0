//! Incremental sorting.
//!
//! A pass reads the keys of all rows, in runs whose rows are in order already, merges the runs in pairs until one is
//! left, and then swaps each row to its place. It works on keys, so the map may change in any way between steps: keys
//! that were removed are skipped, and values inserted later stay where they are until the next pass.

use super::{DenseSlotMap, Rows};
use crate::error::{Error, unwrap_or_panic};
use crate::growing::{Budget, BudgetMeter};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::vec::VmVec;
use std::cmp::Ordering;
use std::mem;
use std::ops::Range;

/// How many comparisons count as one swap.
const COMPARISONS: u32 = 8;

/// The progress of sorting.
pub(super) struct SortProgress<K> {
    /// Whether anything other than the pass may have changed rows since the pass began.
    pub(super) is_touched: bool,
    /// Whether the last pass was completed.
    is_known: bool,
    stage: Stage,
    /// Runs of keys, one after another, and the end of each. The rows of a run are in order.
    runs: Runs<K>,
    /// Pairs of runs that were merged.
    merged: Runs<K>,
}

struct Runs<K> {
    keys: VmVec<K>,
    ends: VmVec<usize>,
}

/// The next step of a pass.
enum Stage {
    Begin,
    /// Reads the key of this row.
    Read(usize),
    /// Merges the rest of two runs. `next` is the run after them.
    Merge {
        left: Range<usize>,
        right: Range<usize>,
        next: usize,
    },
    /// Moves the row of the key at `next` to `row`.
    Place {
        next: usize,
        row: usize,
    },
}

impl<K> SortProgress<K> {
    pub(super) const NONE: Self = Self {
        is_touched: true,
        is_known: false,
        stage: Stage::Begin,
        runs: Runs::NONE,
        merged: Runs::NONE,
    };

    /// Makes the next pass start from the beginning.
    pub(super) fn forget(&mut self) {
        *self = Self::NONE;
    }
}

impl<K> Runs<K> {
    const NONE: Self = Self {
        keys: VmVec::with_options(&Options::INTERNAL),
        ends: VmVec::with_options(&Options::INTERNAL),
    };

    fn clear(&mut self) {
        self.keys.clear();
        self.ends.clear();
    }

    /// Returns the range of a run; empty if it does not exist.
    fn at(&self, number: usize) -> Range<usize> {
        let end = |number: usize| self.ends.get(number).copied();
        let start = number.checked_sub(1).map_or(Some(0), end);
        match start.zip(end(number)) {
            Some((start, end)) => start..end,
            None => 0..0,
        }
    }

    fn try_push(&mut self, key: K) -> Result<(), Error> {
        self.keys.try_push(key).map_err(|refused| refused.error)
    }

    fn try_end(&mut self) -> Result<(), Error> {
        self.ends.try_push(self.keys.len()).map_err(|refused| refused.error)
    }

    /// Returns the stage that merges two runs, the first of which is `number`; `None` if it does not exist.
    fn merge(&self, number: usize) -> Option<Stage> {
        (number < self.ends.len()).then(|| Stage::Merge {
            left: self.at(number),
            right: self.at(number + 1),
            next: number + 2,
        })
    }
}

/// A budget of swaps, which also pays for comparisons.
struct SwapMeter {
    meter: BudgetMeter,
    bytes: usize,
    /// How many comparisons are paid for.
    left: u32,
}

impl SwapMeter {
    fn swap(&mut self) -> bool {
        self.meter.pay_swap(self.bytes)
    }

    fn compare(&mut self) -> bool {
        if self.left == 0 {
            if !self.swap() {
                return false;
            }
            self.left = COMPARISONS;
        }
        self.left -= 1;
        true
    }
}

impl<K: Key, V, S: Rows<Value = V>> DenseSlotMap<K, V, S> {
    /// Makes the next [`defragment_by`](DenseSlotMap::defragment_by) start from the beginning, with a new comparison.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Budget, DefaultKey, DenseSlotMap};
    /// let mut map: DenseSlotMap<DefaultKey, u32> = [2, 1, 3].into();
    /// assert!(map.defragment_by(|a, b| a.cmp(b), Budget::UNLIMITED));
    /// assert_eq!(map.as_slice(), [1, 2, 3]);
    ///
    /// map.forget_order();
    /// assert!(map.defragment_by(|a, b| b.cmp(a), Budget::UNLIMITED));
    /// assert_eq!(map.as_slice(), [3, 2, 1]);
    /// ```
    pub fn forget_order(&mut self) {
        self.order.forget();
    }

    /// Continues a pass, and starts others if needed. Returns `true` if all rows are in order.
    pub(super) fn try_defragment(
        &mut self,
        mut compare: impl FnMut(&S, usize, usize) -> Ordering,
        budget: Budget,
    ) -> Result<bool, Error> {
        let bytes = S::BYTES + size_of::<K>();
        let mut meter = SwapMeter { meter: BudgetMeter::new(budget), bytes, left: 0 };
        loop {
            let is_paid = match self.order.stage {
                Stage::Begin => {
                    if self.order.is_known && !self.order.is_touched {
                        return Ok(true);
                    }
                    (self.order.is_touched, self.order.is_known) = (false, false);
                    self.order.stage = Stage::Read(0);
                    true
                }
                Stage::Read(row) => self.read(row, &mut compare, &mut meter)?,
                Stage::Merge { .. } => self.merge(&mut compare, &mut meter)?,
                Stage::Place { next, row } => self.place(next, row, &mut meter),
            };
            if !is_paid {
                return Ok(false);
            }
        }
    }

    /// Reads keys, starting at a row. Returns `true` to go on.
    fn read(
        &mut self,
        first: usize,
        compare: &mut impl FnMut(&S, usize, usize) -> Ordering,
        meter: &mut SwapMeter,
    ) -> Result<bool, Error> {
        let Self { keys, rows, order, .. } = self;
        for row in first..keys.len() {
            if !meter.compare() {
                return Ok(false);
            }
            if row > 0 && compare(rows, row - 1, row) == Ordering::Greater {
                order.runs.try_end()?;
            }
            order.runs.try_push(keys[row])?;
            order.stage = Stage::Read(row + 1);
        }
        order.runs.try_end()?;
        let is_one = order.runs.ends.len() == 1;
        order.stage = order.runs.merge(0).filter(|_| !is_one).unwrap_or(Stage::Begin);
        if is_one {
            self.end_pass();
        }
        Ok(true)
    }

    /// Merges the current runs. Returns `true` to go on.
    fn merge(
        &mut self,
        compare: &mut impl FnMut(&S, usize, usize) -> Ordering,
        meter: &mut SwapMeter,
    ) -> Result<bool, Error> {
        let Self { table, rows, order, .. } = self;
        let SortProgress { stage: Stage::Merge { left, right, next }, runs, merged, .. } = order
        else {
            return Ok(true);
        };
        let row = |at: usize| table.get(runs.keys[at]).map(|row| *row as usize);
        while left.start < left.end || right.start < right.end {
            if !meter.compare() {
                return Ok(false);
            }
            let from = match (left.start < left.end, right.start < right.end) {
                (true, false) => &mut *left,
                (false, _) => &mut *right,
                // A removed key goes first, and is left out.
                (true, true) => match (row(left.start), row(right.start)) {
                    (Some(a), Some(b)) if compare(rows, b, a) == Ordering::Less => &mut *right,
                    (Some(_), None) => &mut *right,
                    _ => &mut *left,
                },
            };
            if row(from.start).is_some() {
                merged.try_push(runs.keys[from.start])?;
            }
            from.start += 1;
        }
        merged.try_end()?;
        let next_stage = runs.merge(*next);
        order.stage = next_stage.unwrap_or_else(|| {
            mem::swap(runs, merged);
            merged.clear();
            match runs.ends.len() {
                0 | 1 => Stage::Place { next: 0, row: 0 },
                _ => runs.merge(0).unwrap_or(Stage::Begin),
            }
        });
        Ok(true)
    }

    /// Moves rows to their places, starting at one. Returns `true` to go on.
    fn place(&mut self, first: usize, first_row: usize, meter: &mut SwapMeter) -> bool {
        let mut row = first_row;
        for next in first..self.order.runs.keys.len() {
            self.order.stage = Stage::Place { next, row };
            // Rows were removed, and the remaining ones have been placed.
            if row >= self.len() {
                break;
            }
            let from = self.row_of(self.order.runs.keys[next]);
            let is_moved = from.is_some_and(|from| from != row);
            let is_paid = if is_moved { meter.swap() } else { meter.compare() };
            if !is_paid {
                return false;
            }
            let Some(from) = from else { continue };
            if is_moved {
                self.swap_rows(row, from);
            }
            row += 1;
        }
        self.end_pass();
        true
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        self.keys.swap(a, b);
        self.rows.swap(a, b);
        for row in [a, b] {
            self.note(self.keys[row], u32::try_from(row).unwrap_or(u32::MAX));
        }
    }

    fn end_pass(&mut self) {
        let is_touched = self.order.is_touched;
        self.order.forget();
        (self.order.is_touched, self.order.is_known) = (is_touched, true);
    }
}

/// Defines the incremental sorting of values. `$pair` returns references to the values of two rows.
macro_rules! defragment_methods {
    ($value:ty, |$rows:ident, $a:ident, $b:ident| $pair:expr $(, $(#[$example:meta])+)?) => {
        /// Sorts the values as [`sort_by`](Self::sort_by) does, but no further than a budget allows, to spread the work
        /// over frames. Returns `true` if nothing has changed since the values were found to be in order.
        ///
        /// Between calls the map can be changed in any way, and all keys stay valid. If it is not changed, the result
        /// is that of `sort_by`; otherwise another pass follows for values that were inserted, removed or borrowed
        /// mutably. O(1) if the map is in order and has not been changed since.
        ///
        /// Each call must pass the same comparison; before changing it, call [`forget_order`](Self::forget_order). Use
        /// it to store values together that are used together, by sorting them by position, by kind, or by what they
        /// refer to.
        ///
        /// # Budget
        ///
        /// A budget is in swaps ([`Budget::swaps`]), where 8 comparisons count as one; in time; or in bytes, where a
        /// swap counts the size of a value and its key. Sorting n values takes n / 8 swaps for each pass over them, at
        /// most ⌈log₂ n⌉ + 1 passes, and n more: 3,600 frames of 1,000 swaps for a million values in random order. It
        /// stops before a comparison or a swap that exceeds the budget.
        ///
        /// # Memory
        ///
        /// Up to 32 bytes per value while sorting, in reservations of its own.
        ///
        /// # Panics
        ///
        /// If [`try_defragment_by`](Self::try_defragment_by) returns an error. If the comparison panics, the map is as
        /// it was before that comparison, and the next call continues there. If it is not a total order, the resulting
        /// order is unspecified.
        $($(#[$example])+)?
        #[must_use = "the result tells whether sorting is finished"]
        #[track_caller]
        pub fn defragment_by(
            &mut self,
            compare: impl FnMut($value, $value) -> Ordering,
            budget: Budget,
        ) -> bool {
            unwrap_or_panic(self.try_defragment_by(compare, budget))
        }

        /// Sorts as [`defragment_by`](Self::defragment_by) does, or returns the error.
        ///
        /// # Errors
        ///
        /// If memory for the runs is refused. The map is as it was before that step, and the next call continues there.
        pub fn try_defragment_by(
            &mut self,
            mut compare: impl FnMut($value, $value) -> Ordering,
            budget: Budget,
        ) -> Result<bool, Error> {
            self.try_defragment(
                |$rows, $a, $b| match $pair {
                    Some((a, b)) => compare(a, b),
                    None => Ordering::Equal,
                },
                budget,
            )
        }
    };
}
pub(super) use defragment_methods;

impl<K: Key, V> DenseSlotMap<K, V> {
    defragment_methods! {
        &V, |rows, a, b| Some((&rows[a], &rows[b])),
        ///
        /// # Examples
        ///
        /// ```
        /// # use stayput::{Budget, DefaultKey, DenseSlotMap};
        /// let mut map: DenseSlotMap<DefaultKey, u32> = (0..1000).rev().collect();
        /// let mut frames = 1;
        /// while !map.defragment_by(|a, b| a.cmp(b), Budget::swaps(200)) {
        ///     frames += 1;
        /// }
        /// assert!(map.as_slice().is_sorted());
        /// assert!(frames <= 12);
        /// ```
    }
}
