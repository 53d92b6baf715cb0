//! Rows in another order, by and by.
//!
//! One pass reads the keys of all rows, in runs whose rows are in order already, merges these runs two by two until
//! there is one, and then has each row swapped to its place. It works on keys, so whatever becomes of the map
//! meanwhile it stays right: keys that are gone are passed over, and values that came later are left where they are, to be
//! found by the next pass.

use super::{DenseSlotMap, Rows};
use crate::error::{Error, or_give_up};
use crate::growing::{Budget, Purse};
use crate::key::Key;
use crate::raw_vec::Options;
use crate::vec::VmVec;
use std::cmp::Ordering;
use std::mem;
use std::ops::Range;

/// So many comparisons count as a swap.
const COMPARISONS: u32 = 8;

/// How far rows were brought into an order.
pub(super) struct Order<K> {
    /// Whether anything may have changed since the last pass began, but by the pass.
    pub(super) is_touched: bool,
    /// Whether the last pass was ended.
    is_known: bool,
    stage: Stage,
    /// Run behind run, each of keys whose rows are in order; and where each ends.
    runs: Runs<K>,
    /// What two of them each were merged to.
    merged: Runs<K>,
}

struct Runs<K> {
    keys: VmVec<K>,
    ends: VmVec<usize>,
}

/// What a pass does next.
enum Stage {
    Begin,
    /// Read the key of that row.
    Read(usize),
    /// Merge what is left of two runs. `next` is the one behind them.
    Merge {
        left: Range<usize>,
        right: Range<usize>,
        next: usize,
    },
    /// Have the row of the key at `next` lie at `row`.
    Place {
        next: usize,
        row: usize,
    },
}

impl<K> Order<K> {
    pub(super) const NONE: Self = Self {
        is_touched: true,
        is_known: false,
        stage: Stage::Begin,
        runs: Runs::NONE,
        merged: Runs::NONE,
    };

    /// Has the next pass begin anew.
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

    /// Where the run of that number is; empty, if there is none.
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

    /// Ends the run that is under way.
    fn try_end(&mut self) -> Result<(), Error> {
        self.ends.try_push(self.keys.len()).map_err(|refused| refused.error)
    }

    /// Stage for the two runs from that number on, or none, if there is no such run.
    fn merge(&self, number: usize) -> Option<Stage> {
        (number < self.ends.len()).then(|| Stage::Merge {
            left: self.at(number),
            right: self.at(number + 1),
            next: number + 2,
        })
    }
}

/// A budget, of which comparisons take a part of what swaps do.
struct Pay {
    purse: Purse,
    bytes: usize,
    /// How many comparisons are paid for.
    left: u32,
}

impl Pay {
    fn swap(&mut self) -> bool {
        self.purse.pay_swap(self.bytes)
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
    /// Has the next [`defragment_by`](DenseSlotMap::defragment_by) begin anew, by another comparison.
    pub fn forget_order(&mut self) {
        self.order.forget();
    }

    /// Goes on with a pass, or with others, by a comparison of two rows; whether all are in order.
    pub(super) fn try_defragment(
        &mut self,
        mut compare: impl FnMut(&S, usize, usize) -> Ordering,
        budget: Budget,
    ) -> Result<bool, Error> {
        let bytes = S::BYTES + size_of::<K>();
        let mut pay = Pay { purse: Purse::new(budget), bytes, left: 0 };
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
                Stage::Read(row) => self.read(row, &mut compare, &mut pay)?,
                Stage::Merge { .. } => self.merge(&mut compare, &mut pay)?,
                Stage::Place { next, row } => self.place(next, row, &mut pay),
            };
            if !is_paid {
                return Ok(false);
            }
        }
    }

    /// Reads keys from a row on; whether to go on.
    fn read(
        &mut self,
        first: usize,
        compare: &mut impl FnMut(&S, usize, usize) -> Ordering,
        pay: &mut Pay,
    ) -> Result<bool, Error> {
        let Self { keys, rows, order, .. } = self;
        for row in first..keys.len() {
            if !pay.compare() {
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

    /// Merges the runs that are under way; whether to go on.
    fn merge(
        &mut self,
        compare: &mut impl FnMut(&S, usize, usize) -> Ordering,
        pay: &mut Pay,
    ) -> Result<bool, Error> {
        let Self { table, rows, order, .. } = self;
        let Order { stage: Stage::Merge { left, right, next }, runs, merged, .. } = order else {
            return Ok(true);
        };
        let row = |at: usize| table.get(runs.keys[at]).map(|row| *row as usize);
        while left.start < left.end || right.start < right.end {
            if !pay.compare() {
                return Ok(false);
            }
            let from = match (left.start < left.end, right.start < right.end) {
                (true, false) => &mut *left,
                (false, _) => &mut *right,
                // One that is gone goes first, and is left out when it is its turn.
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
        let behind = runs.merge(*next);
        order.stage = behind.unwrap_or_else(|| {
            mem::swap(runs, merged);
            merged.clear();
            match runs.ends.len() {
                0 | 1 => Stage::Place { next: 0, row: 0 },
                _ => runs.merge(0).unwrap_or(Stage::Begin),
            }
        });
        Ok(true)
    }

    /// Has rows lie where they belong, from one on; whether to go on.
    fn place(&mut self, first: usize, first_row: usize, pay: &mut Pay) -> bool {
        let mut row = first_row;
        for next in first..self.order.runs.keys.len() {
            self.order.stage = Stage::Place { next, row };
            // Fewer than were placed are left: there are others to be placed.
            if row >= self.len() {
                break;
            }
            let from = self.row_of(self.order.runs.keys[next]);
            let is_moved = from.is_some_and(|from| from != row);
            let is_paid = if is_moved { pay.swap() } else { pay.compare() };
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

/// Defines the incremental sorting of values by references to two of them, which `$pair` gets from their rows.
macro_rules! defragment_methods {
    ($value:ty, |$rows:ident, $a:ident, $b:ident| $pair:expr $(, $(#[$example:meta])+)?) => {
        /// Sorts the values by a comparison, as [`sort_by`](Self::sort_by) does, but no more of it than a budget allows,
        /// so that it can be spread over frames. Whether it is done: nothing has changed since the values were found to
        /// be in order.
        ///
        /// The map can be changed between calls in any way, and all keys are good all the while. If it was not, the
        /// result is that of `sort_by`; else another pass follows for what came, went, or was
        /// borrowed to be changed meanwhile. On a map that is in order and was not touched since it is O(1).
        ///
        /// Each call is to have the same comparison; if it is another from now on, see
        /// [`forget_order`](Self::forget_order). What it is for: values that are used together lie
        /// together, as sorted by place, by kind, or by what they refer to.
        ///
        /// # Budget
        ///
        /// By [`Budget::swaps`], of which 8 comparisons take one; or time; or bytes, as many for a swap as a value and its
        /// key have. For n values it takes n / 8 swaps for each time that they are gone through, ⌈log₂ n⌉ + 1 times at most, and
        /// n more: 3,600 frames of 1,000 for a million values in no order. It stops before a comparison or a swap that
        /// there is no budget for.
        ///
        /// # Memory
        ///
        /// Up to 32 bytes a value while it is under way, in reservations of its own.
        ///
        /// # Panics
        ///
        /// Where [`try_defragment_by`](Self::try_defragment_by) has an error. Should the comparison panic, the map is as
        /// it was before that, and the next call goes on there. If it is no order, values come to be in any.
        $($(#[$example])+)?
        #[must_use = "it says whether it is done"]
        #[track_caller]
        pub fn defragment_by(
            &mut self,
            compare: impl FnMut($value, $value) -> Ordering,
            budget: Budget,
        ) -> bool {
            or_give_up(self.try_defragment_by(compare, budget))
        }

        /// [`defragment_by`](Self::defragment_by), or the error.
        ///
        /// # Errors
        ///
        /// If there is no memory for what is to be known meanwhile. The map is as it was before that, and the next call
        /// goes on there.
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
