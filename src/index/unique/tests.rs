//! Tests of copies of an index, which run no user code.

use super::*;
use crate::index::tests::{assert_alike, fresh, refuse_copies};
use std::cell::Cell;
use std::hash::Hasher;

/// Hashes are masked by these bits.
#[derive(Clone, Copy)]
struct Bits(u64);

const GOOD: Bits = Bits(u64::MAX);
const FEW: Bits = Bits(7);
const NONE: Bits = Bits(0);

struct Product(Bits, u64);

impl BuildHasher for Bits {
    type Hasher = Product;

    fn build_hasher(&self) -> Product {
        Product(*self, 0)
    }
}

impl Hasher for Product {
    fn write(&mut self, _: &[u8]) {
        unreachable!("numbers alone are hashed")
    }

    fn write_u32(&mut self, number: u32) {
        self.1 = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15) & self.0.0;
    }

    fn finish(&self) -> u64 {
        self.1
    }
}

/// The value of a slot is its number.
fn insert<S: BuildHasher>(index: &mut UniqueIndex<S>, slot: u32) {
    assert_eq!(index.insert(&slot, slot, |other| other == slot), None);
}

/// Asserts that the index holds, of the slots below `count`, those that `is_in` accepts, and no others.
#[track_caller]
fn check<S: BuildHasher>(index: &UniqueIndex<S>, count: u32, is_in: impl Fn(u32) -> bool) {
    index.buckets.check();
    for slot in 0..count {
        let expected = is_in(slot).then_some(slot);
        assert_eq!(index.find(&slot, |other| other == slot), expected);
        assert_eq!(index.contains(slot), is_in(slot));
    }
    assert_eq!(index.len(), (0..count).filter(|slot| is_in(*slot)).count());
}

/// Inserts `count` slots and removes each third, so that buckets and overflow buckets are in use and free.
fn some_of(hasher: Bits, count: u32) -> UniqueIndex<Bits> {
    let mut index = UniqueIndex::with_hasher(hasher);
    (0..count).for_each(|slot| insert(&mut index, slot));
    (0..count).step_by(3).for_each(|slot| assert!(index.remove(slot)));
    index
}

#[test]
fn a_slot_is_taken_by_its_value() {
    for (hasher, count) in [(GOOD, 3000), (FEW, 300), (NONE, 100)] {
        let mut index = some_of(hasher, count);
        for slot in 0..count {
            let taken = (slot % 3 != 0).then_some(slot);
            assert_eq!(index.take(&slot, |other| other == slot), taken);
            assert_eq!(index.take(&slot, |other| other == slot), None);
            if slot % 1000 == 0 {
                check(&index, count, |other| other > slot && other % 3 != 0);
            }
        }
        assert!(index.is_empty());
    }
}

#[test]
fn a_slot_is_removed_by_its_hash_or_another() {
    for hasher in [GOOD, FEW, NONE] {
        let mut index = some_of(hasher, 200);
        for slot in 0..200 {
            let hash = index.hash(&slot);
            index.remove_hashed(hash ^ (slot & 1), slot);
            assert!(!index.contains(slot));
        }
        check(&index, 200, |_| false);
    }
}

#[test]
fn a_copy_is_equal_and_independent() {
    for (hasher, count) in [(GOOD, 0), (GOOD, 1), (GOOD, 5000), (FEW, 500), (NONE, 200)] {
        let mut index = some_of(hasher, count);
        let mut copy = index.clone();
        check(&copy, count, |slot| slot % 3 != 0);

        (0..count).step_by(3).for_each(|slot| insert(&mut copy, slot));
        (1..count).step_by(3).for_each(|slot| assert!(index.remove(slot)));
        check(&copy, count, |_| true);
        check(&index, count, |slot| slot % 3 == 2);

        let mut copy = index.clone();
        index.clear();
        check(&index, count, |_| false);
        check(&copy, count, |slot| slot % 3 == 2);
        drop(index);
        (0..count).for_each(|slot| assert_eq!(copy.remove(slot), slot % 3 == 2));
        (0..count).for_each(|slot| insert(&mut copy, slot));
        copy.shrink_to_fit();
        check(&copy, count, |_| true);
    }
}

#[test]
fn a_copy_of_an_emptied_index_is_empty() {
    let mut index = some_of(GOOD, 3000);
    for tidy in [UniqueIndex::clear, UniqueIndex::shrink_to_fit] {
        tidy(&mut index);
        let mut copy = index.clone();
        check(&copy, 3000, |_| false);
        (0..3000).for_each(|slot| insert(&mut copy, slot));
        check(&copy, 3000, |_| true);
        check(&index, 3000, |_| false);
    }
}

#[test]
fn a_refused_copy_leaves_nothing() {
    let mut index = fresh(UniqueIndex::with_hasher(FEW), None);
    (0..900).for_each(|slot| insert(&mut index, slot));
    refuse_copies(&mut index, UniqueIndex::try_clone, |index| check(index, 901, |slot| slot < 900));
}

#[test]
fn a_copy_has_the_same_options() {
    let mut index = fresh(UniqueIndex::with_hasher(GOOD), Some(400));
    for slot in 0..300 {
        if slot == 1 || slot == 150 {
            assert_alike(index.clone(), &mut index);
        }
        insert(&mut index, slot);
    }
    assert_alike(index.clone(), &mut index);
}

/// Counts its copies, and panics at the third.
struct Counts<'c>(&'c Cell<u32>);

impl Clone for Counts<'_> {
    fn clone(&self) -> Self {
        self.0.set(self.0.get() + 1);
        assert!(self.0.get() < 3, "the third");
        Self(self.0)
    }
}

impl BuildHasher for Counts<'_> {
    type Hasher = Product;

    fn build_hasher(&self) -> Product {
        GOOD.build_hasher()
    }
}

#[test]
fn a_hasher_is_cloned_once_and_may_panic() {
    let copies = Cell::new(0);
    let mut index = UniqueIndex::with_hasher(Counts(&copies));
    (0..40).for_each(|slot| insert(&mut index, slot));
    let copy = index.clone().clone();
    assert_eq!(copies.get(), 2);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| index.try_clone()));
    assert!(panic.is_err());
    check(&index, 40, |_| true);
    check(&copy, 40, |_| true);
}
