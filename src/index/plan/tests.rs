//! Tests of both kinds of set index: plans, changes, refusals and panics.

use super::Plan;
use crate::error::{Error, ErrorKind};
use crate::index::memory::Arrays;
use crate::index::tests::{assert_alike, fresh, refuse_copies};
use crate::index::{ListIndex, SetIndex};
use crate::os::{Call, fault::Fault};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Hashes are values times the first number, masked by the second.
#[derive(Clone, Copy)]
struct Times(u64, u64);

const GOOD: Times = Times(0x9e37_79b9_7f4a_7c15, u64::MAX);
const EQUAL: Times = Times(0, 0);
const ONE_BUCKET: Times = Times(1 << 24, u64::MAX);
const FEW: Times = Times(1, 63);
const HASHERS: [Times; 3] = [GOOD, EQUAL, ONE_BUCKET];

struct Product {
    times: Times,
    hash: u64,
}

impl BuildHasher for Times {
    type Hasher = Product;

    fn build_hasher(&self) -> Product {
        Product { times: *self, hash: 0 }
    }
}

impl Hasher for Product {
    fn write(&mut self, _: &[u8]) {
        unreachable!("numbers alone are hashed")
    }

    fn write_u32(&mut self, number: u32) {
        self.hash = u64::from(number).wrapping_mul(self.times.0) & self.times.1;
    }

    fn finish(&self) -> u64 {
        self.hash
    }
}

trait Sets: Arrays + Sized {
    fn make(hasher: Times) -> Self;
    fn copy(&self) -> Result<Self, Error>;
    fn len(&self) -> usize;
    fn sets(&self) -> usize;
    fn contains(&self, slot: u32) -> bool;
    fn find(&self, value: u32, is_meant: impl FnMut(u32) -> bool) -> Vec<u32>;
    fn count(&self, value: u32, is_meant: impl FnMut(u32) -> bool) -> usize;
    fn same(&self, slot: u32) -> Vec<u32>;
    fn put(
        &mut self,
        value: u32,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Result<(), Error>;
    fn remove(&mut self, slot: u32) -> bool;
    fn clear(&mut self);
    fn plan(
        &mut self,
        value: u32,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Result<Plan, Error>;
    fn is_same(&self, slot: u32, plan: &Plan) -> bool;
    fn commit(&mut self, slot: u32, plan: Plan);
    fn check(&self);
}

macro_rules! sets {
    ($index:ident) => {
        impl Sets for $index<Times> {
            fn make(hasher: Times) -> Self {
                Self::with_hasher(hasher)
            }

            fn copy(&self) -> Result<Self, Error> {
                self.try_clone()
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn sets(&self) -> usize {
                self.sets()
            }

            fn contains(&self, slot: u32) -> bool {
                self.contains(slot)
            }

            fn find(&self, value: u32, is_meant: impl FnMut(u32) -> bool) -> Vec<u32> {
                self.find(&value, is_meant).collect()
            }

            fn count(&self, value: u32, is_meant: impl FnMut(u32) -> bool) -> usize {
                self.count(&value, is_meant)
            }

            fn same(&self, slot: u32) -> Vec<u32> {
                self.same(slot).collect()
            }

            fn put(
                &mut self,
                value: u32,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Result<(), Error> {
                self.try_insert(&value, slot, is_meant)
            }

            fn remove(&mut self, slot: u32) -> bool {
                self.remove(slot)
            }

            fn clear(&mut self) {
                self.clear();
            }

            fn plan(
                &mut self,
                value: u32,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Result<Plan, Error> {
                self.plan(&value, slot, is_meant)
            }

            fn is_same(&self, slot: u32, plan: &Plan) -> bool {
                self.is_same(slot, plan)
            }

            fn commit(&mut self, slot: u32, plan: Plan) {
                self.commit(slot, plan);
            }

            fn check(&self) {
                self.check();
            }
        }
    };
}

sets!(SetIndex);
sets!(ListIndex);

/// An index, and the value of each slot in it as a model.
struct Pair<I> {
    index: I,
    values: Vec<Option<u32>>,
}

impl<I: Sets> Pair<I> {
    fn new(hasher: Times) -> Self {
        Self { index: I::make(hasher), values: vec![None; 600] }
    }

    fn put(&mut self, value: u32, slot: u32) -> Result<(), Error> {
        let values = &self.values;
        self.index.put(value, slot, |other| {
            assert_ne!(other, slot, "asked about itself");
            values[other as usize] == Some(value)
        })?;
        self.values[slot as usize] = Some(value);
        Ok(())
    }

    fn plan(&mut self, value: u32, slot: u32) -> Result<Plan, Error> {
        let values = &self.values;
        self.index.plan(value, slot, |other| values[other as usize] == Some(value))
    }

    fn commit(&mut self, value: u32, slot: u32, plan: Plan) {
        self.index.commit(slot, plan);
        self.values[slot as usize] = Some(value);
    }

    fn remove(&mut self, slot: u32) {
        let value = self.values[slot as usize].take();
        assert_eq!(self.index.remove(slot), value.is_some());
    }

    fn copy(&self) -> Self {
        Self { index: self.index.copy().unwrap(), values: self.values.clone() }
    }

    /// Inserts and moves slots, and removes as many.
    fn come_and_go(&mut self, values: u32, steps: u32) {
        let mut state = steps;
        for _ in 0..steps {
            let slot = random(&mut state, 600);
            if random(&mut state, 8) < 5 {
                self.put(random(&mut state, values), slot).unwrap();
            } else {
                self.remove(slot);
            }
        }
    }

    /// Asserts that the index agrees with the model.
    fn check(&self) {
        self.index.check();
        let mut sets: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (slot, value) in (0..).zip(&self.values) {
            assert_eq!(self.index.contains(slot), value.is_some());
            if let Some(value) = value {
                sets.entry(*value).or_default().insert(slot);
            }
        }
        assert_eq!(self.index.sets(), sets.len());
        assert_eq!(self.index.len(), sets.values().map(BTreeSet::len).sum::<usize>());
        for (value, set) in &sets {
            let is_meant = |slot: u32| self.values[slot as usize] == Some(*value);
            assert_set(&self.index.find(*value, is_meant), set);
            assert_eq!(self.index.count(*value, is_meant), set.len());
            for slot in set.iter().take(1).chain(set.iter().skip(1).step_by(5)) {
                assert_set(&self.index.same(*slot), set);
            }
        }
    }
}

#[track_caller]
fn assert_set(found: &[u32], set: &BTreeSet<u32>) {
    assert_eq!(found.len(), set.len());
    assert!(found.iter().all(|slot| set.contains(slot)));
}

fn random(state: &mut u32, below: u32) -> u32 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*state >> 8) % below
}

macro_rules! of_both {
    ($($test:ident)*) => {
        mod sets {
            $(#[test]
            #[cfg_attr(miri, ignore = "takes minutes, and has no unsafe code")]
            fn $test() {
                super::$test::<super::SetIndex<super::Times>>();
            })*
        }

        mod lists {
            $(#[test]
            #[cfg_attr(miri, ignore = "takes minutes, and has no unsafe code")]
            fn $test() {
                super::$test::<super::ListIndex<super::Times>>();
            })*
        }
    };
}

of_both! {
    sets_of_all_sizes_grow_and_shrink
    slots_are_inserted_removed_and_moved
    is_meant_is_not_called_for_the_slot_itself
    a_slot_alone_in_its_set_joins_the_set_of_its_new_value
    a_plan_stays_valid_after_its_slot_is_removed
    a_planned_change_is_never_refused
    whatever_is_refused_changes_nothing
    slots_that_cannot_be_numbered_are_refused
    inconsistent_values_lose_no_slot
    a_panic_changes_nothing
    a_copy_is_equal_and_independent
    a_refused_copy_leaves_nothing
    a_copy_has_the_same_options
}

fn sets_of_all_sizes_grow_and_shrink<I: Sets>() {
    let mut state = 1;
    for size in (1..20).chain([30, 47, 64, 99]) {
        let mut pair = Pair::<I>::new(GOOD);
        let mut slots: Vec<u32> = (0..size).collect();
        for slot in &slots {
            pair.put(7, *slot).unwrap();
            pair.check();
        }
        while !slots.is_empty() {
            let at = random(&mut state, u32::try_from(slots.len()).unwrap());
            pair.remove(slots.swap_remove(at as usize));
            pair.check();
        }
        assert_eq!(pair.index.sets(), 0);
    }
}

fn slots_are_inserted_removed_and_moved<I: Sets>() {
    for hasher in HASHERS {
        // Many small sets, then few large ones.
        for values in [200, 30, 3] {
            let (mut pair, mut state) = (Pair::<I>::new(hasher), values);
            for step in 0..6_000_u32 {
                let slot = random(&mut state, 600);
                // Phases of growth and of shrinking alternate.
                if random(&mut state, 8) < if step / 1500 % 2 == 0 { 6 } else { 2 } {
                    pair.put(random(&mut state, values), slot).unwrap();
                } else {
                    pair.remove(slot);
                }
                if step % 150 == 0 {
                    pair.check();
                }
            }
            pair.check();
            pair.index.clear();
            pair.values.fill(None);
            pair.check();
            pair.put(1, 599).unwrap();
            pair.check();
        }
    }
}

fn is_meant_is_not_called_for_the_slot_itself<I: Sets>() {
    for (hasher, size) in HASHERS.into_iter().flat_map(|hasher| [1, 2, 16].map(|n| (hasher, n))) {
        let mut pair = Pair::<I>::new(hasher);
        for slot in 0..size {
            pair.put(0, slot).unwrap();
        }
        for slot in [0, 1] {
            // To another value, which the slot has already, and back; and to the value it is at.
            for value in [1, 1, 0, 0] {
                pair.values[slot] = Some(value);
                pair.put(value, u32::try_from(slot).unwrap()).unwrap();
                pair.check();
            }
        }
    }
}

fn a_slot_alone_in_its_set_joins_the_set_of_its_new_value<I: Sets>() {
    for hasher in HASHERS {
        let mut pair = Pair::<I>::new(hasher);
        pair.put(0, 5).unwrap();
        pair.put(1, 6).unwrap();
        pair.put(1, 5).unwrap();
        pair.check();
        assert_eq!(pair.index.sets(), 1);
    }
}

fn a_plan_stays_valid_after_its_slot_is_removed<I: Sets>() {
    for hasher in HASHERS {
        let mut state = 3;
        for sizes in [[1, 1], [1, 3], [2, 4], [3, 14], [4, 15], [5, 28], [40, 1], [29, 30]] {
            let mut pair = Pair::<I>::new(hasher);
            for (value, size) in (0..).zip(sizes) {
                (0..size).for_each(|n| pair.put(value, value * 100 + n).unwrap());
            }
            for _ in 0..80 {
                let from = random(&mut state, 2);
                let slot = from * 100 + random(&mut state, sizes[from as usize]);
                let (old, value) = (pair.values[slot as usize], random(&mut state, 3));
                let plan = pair.plan(value, slot).unwrap();
                let is_same = pair.index.is_same(slot, &plan);
                if old == Some(value) {
                    assert!(is_same);
                } else if is_same {
                    // If all hashes are equal, its own set serves as a new one.
                    assert_eq!(pair.index.same(slot), [slot]);
                }
                pair.check();
                if random(&mut state, 2) == 0 {
                    pair.remove(slot);
                    assert!(!pair.index.is_same(slot, &plan));
                }
                pair.commit(value, slot, plan);
                pair.check();
                if random(&mut state, 4) == 0 {
                    pair.remove(slot);
                }
            }
        }
    }
}

fn a_planned_change_is_never_refused<I: Sets>() {
    const SLOTS: u32 = 30_000;
    let mut refusals = 0;
    // As many values. Either the arrays of one kind are used up first, or those of another.
    for (hasher, values, begin) in
        [(GOOD, SLOTS, 100), (GOOD, 20, 100), (FEW, SLOTS * 8, 12_000), (GOOD, SLOTS / 5, 100)]
    {
        let (mut pair, mut state) = (Pair::<I>::new(hasher), values);
        pair.values.resize(SLOTS as usize, None);
        pair.put(0, SLOTS - 1).unwrap();
        for slot in 0..begin {
            pair.put(slot % values, slot).unwrap();
        }
        // From here on, no more memory is available.
        let _fault = Fault::from_nth(Call::Commit, 0);
        let enough = refusals + 300;
        for step in 0..30_000_u32 {
            let (slot, value) = (random(&mut state, SLOTS), random(&mut state, values));
            if random(&mut state, 8) < if step < 20_000 { 6 } else { 2 } {
                match pair.plan(value, slot) {
                    Ok(plan) => {
                        if step % 2 == 0 {
                            pair.remove(slot);
                        }
                        pair.commit(value, slot, plan);
                    }
                    Err(_) => refusals += 1,
                }
            } else {
                pair.remove(slot);
            }
            if refusals == enough {
                // Finding the reason takes long.
                break;
            }
        }
        pair.index.check();
    }
    assert!(refusals > 0);
}

/// Enough for several pages of each array.
const MANY: u32 = 20_000;

fn whatever_is_refused_changes_nothing<I: Sets>() {
    // Sets that become large, and as many sets as slots.
    for (call, values) in [(Call::Commit, 3_000), (Call::Commit, MANY), (Call::Reserve, 100)] {
        // An insertion may manage without the call; it may do so for a number of insertions, or until the next is
        // refused.
        for rest in [3, 0] {
            let mut pair = Pair::<I>::new(GOOD);
            pair.values.resize(MANY as usize, None);
            let (mut failed, mut resting) = (0, 0);
            // To one set, and on to another.
            for (slot, by) in (0..MANY).flat_map(|slot| [(slot, 7), (slot, 1)]) {
                let value = slot * by % values;
                let (len, sets) = (pair.index.len(), pair.index.sets());
                for nth in 0.. {
                    let fault = (resting == 0).then(|| Fault::nth(call, nth));
                    let result = pair.put(value, slot);
                    let has_failed = fault.is_some_and(|fault| fault.failures() > 0);
                    failed += usize::from(has_failed);
                    if result.is_ok() {
                        resting = if has_failed { rest } else { resting.max(1) - 1 };
                        break;
                    }
                    assert!(has_failed);
                    assert_eq!((pair.index.len(), pair.index.sets()), (len, sets));
                    pair.check();
                }
            }
            assert!(failed > 2, "nothing was asked for");
            pair.check();
        }
    }
}

fn slots_that_cannot_be_numbered_are_refused<I: Sets>() {
    let mut pair = Pair::<I>::new(GOOD);
    pair.put(0, 3).unwrap();
    let error = pair.index.put(0, u32::MAX, |_| true).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::KeyBits);
    assert!(!pair.index.contains(u32::MAX) && !pair.index.remove(u32::MAX));
    assert_eq!(pair.index.same(u32::MAX), []);
    pair.check();
}

#[test]
fn lists_refuse_slots_of_32_bits() {
    let mut pair = Pair::<ListIndex<Times>>::new(GOOD);
    let error = pair.index.put(0, 1 << 31, |_| true).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(1 << 31)));
    pair.check();
}

fn inconsistent_values_lose_no_slot<I: Sets>() {
    for hasher in HASHERS {
        let (mut index, state) = (I::make(hasher), Cell::new(7));
        let next = |below| {
            let mut now = state.get();
            let number = random(&mut now, below);
            state.set(now);
            number
        };
        let mut there = BTreeSet::new();
        for step in 0..5_000 {
            let slot = next(400);
            match next(5) {
                0 | 1 => {
                    index.put(next(50), slot, |_| next(2) == 0).unwrap();
                    there.insert(slot);
                }
                2 => {
                    let plan = index.plan(next(50), slot, |_| next(2) == 0).unwrap();
                    if next(2) == 0 {
                        assert_eq!(index.remove(slot), there.contains(&slot));
                    }
                    index.commit(slot, plan);
                    there.insert(slot);
                }
                3 => assert_eq!(index.remove(slot), there.remove(&slot)),
                _ => drop(index.find(next(50), |_| next(2) == 0)),
            }
            if step % 100 == 0 {
                index.check();
                assert_eq!(index.len(), there.len());
                assert!(there.iter().all(|slot| index.same(*slot).contains(slot)));
            }
        }
        for slot in there {
            assert!(index.remove(slot));
        }
        index.check();
        assert_eq!((index.len(), index.sets()), (0, 0));
    }
}

fn a_panic_changes_nothing<I: Sets>() {
    let mut pair = Pair::<I>::new(EQUAL);
    for slot in 0..40 {
        pair.put(slot % 3, slot).unwrap();
    }
    for after in 0..3 {
        for slot in [0, 1, 39, 40] {
            let mut left = after;
            let is_meant = |_| {
                assert!(left > 0, "as planned");
                left -= 1;
                false
            };
            let index = &mut pair.index;
            assert!(catch_unwind(AssertUnwindSafe(|| index.put(1, slot, is_meant))).is_err());
            pair.check();
        }
    }
}

fn a_copy_is_equal_and_independent<I: Sets>() {
    for hasher in HASHERS {
        for (values, steps) in [(1, 0), (300, 700), (30, 2000), (2, 2000)] {
            let mut pair = Pair::<I>::new(hasher);
            pair.come_and_go(values, steps);
            let mut copy = pair.copy();
            copy.check();

            // Each changes on its own, until it is empty.
            copy.come_and_go(values, 700);
            pair.check();
            pair.come_and_go(values, 900);
            copy.check();
            let again = copy.copy();
            (0..600).for_each(|slot| copy.remove(slot));
            copy.check();
            copy.copy().check();
            pair.index.clear();
            pair.values.fill(None);
            pair.copy().check();
            drop((pair, copy));
            again.check();
        }
    }
}

/// A plan made for an index does not carry over to its copy.
#[test]
fn a_copy_has_no_plan() {
    fn agree<I: Sets>() {
        for (value, slot) in [(0, 50), (1, 0), (0, 0), (7, 99)] {
            let mut pair = Pair::<I>::new(EQUAL);
            (0..60).for_each(|slot| pair.put(slot % 4, slot).unwrap());
            let plan = pair.plan(value, slot).unwrap();
            pair.remove(slot);
            let mut copy = pair.copy();
            pair.commit(value, slot, plan);
            pair.check();
            copy.check();
            copy.put(value, slot).unwrap();
            copy.check();
        }
    }
    agree::<SetIndex<Times>>();
    agree::<ListIndex<Times>>();
}

fn a_refused_copy_leaves_nothing<I: Sets>() {
    let mut index = fresh(I::make(FEW), None);
    // Sets of two sizes.
    let value = |slot: u32| if slot < 500 { slot / 2 } else { slot % 3 };
    for slot in 0..1000 {
        index.put(value(slot), slot, |other| value(other) == value(slot)).unwrap();
    }
    refuse_copies(&mut index, I::copy, |index| {
        index.check();
        assert_eq!((index.len(), index.sets()), (1000, 250));
        assert!((0..1000).all(|slot| index.same(slot).contains(&slot)));
        assert_eq!(index.find(2, |slot| value(slot) == 2).len(), 169);
    });
}

fn a_copy_has_the_same_options<I: Sets>() {
    let mut index = fresh(I::make(GOOD), Some(400));
    for slot in 0..300 {
        if slot == 1 || slot == 150 {
            assert_alike(index.copy().unwrap(), &mut index);
        }
        index.put(slot % 90, slot, |other| other % 90 == slot % 90).unwrap();
    }
    // An array that held something and is now empty.
    index.clear();
    assert_alike(index.copy().unwrap(), &mut index);
}
