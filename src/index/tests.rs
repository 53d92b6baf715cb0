//! Helpers for tests of copies of indices of every kind, and tests of what all kinds share.

#![forbid(unsafe_code)]

use super::memory::{Arrays, ForArrays, Remake, SlotRatio, array, copy};
use super::{ABSENT, Grid, ListIndex, SetIndex, UniqueIndex, hash32};
use crate::error::Error;
use crate::os::{Call, fault::Fault};
use crate::raw_vec::Options;
use crate::service::{CommitAhead, Release};
use crate::vec::VmVec;
use std::hash::{BuildHasher, Hasher};

/// Makes the arrays of an empty index take all memory from the system, which can be made to refuse it.
pub(super) fn fresh<I: Arrays>(mut index: I, max_len: Option<usize>) -> I {
    let options = Options { max_len, release: Release::Now, ..Options::DEFAULT };
    index.each_array(&mut Remake { options, most_slots: usize::MAX }).unwrap();
    index
}

/// The length and the maximum length of each array of an index.
#[derive(Default)]
struct Sizes(Vec<[usize; 2]>);

impl ForArrays for Sizes {
    fn visit<T>(&mut self, array: &mut VmVec<T>, _: SlotRatio) -> Result<(), Error> {
        self.0.push([array.len(), array.max_len()]);
        Ok(())
    }
}

fn sizes(index: &mut impl Arrays) -> Vec<[usize; 2]> {
    let mut sizes = Sizes::default();
    index.each_array(&mut sizes).unwrap();
    sizes.0
}

/// Asserts that the arrays of a copy have the lengths and maximum lengths of the original's.
pub(super) fn assert_alike<I: Arrays>(mut copy: I, index: &mut I) {
    assert_eq!(sizes(&mut copy), sizes(index));
}

/// Copies an index while all system calls fail except for the first few, which become more until the copy succeeds.
/// `check` is called with the original each time, and then with the copy.
pub(super) fn refuse_copies<I: Arrays>(
    index: &mut I,
    try_clone: impl Fn(&I) -> Result<I, Error>,
    check: impl Fn(&I),
) {
    for call in [Call::Reserve, Call::Commit] {
        for pass in 0.. {
            let fault = Fault::from_nth(call, pass);
            let copy = try_clone(index);
            let failures = fault.failures();
            drop(fault);
            check(index);
            match copy {
                Ok(copy) => {
                    assert_eq!(failures, 0);
                    // Each array that is not empty makes at least one call.
                    let arrays = sizes(index).iter().filter(|[len, _]| *len > 0).count();
                    assert!(pass >= arrays, "{pass} for {arrays}");
                    check(&copy);
                    break;
                }
                // An error of a commit does not name the container.
                Err(_) if call == Call::Commit => {}
                Err(error) => assert!(format!("{error:?}").contains("Index"), "{error:?}"),
            }
            assert!(pass < 50);
        }
    }
}

#[test]
fn a_copied_array_has_the_options_and_reserves_addresses_as_a_new_one() {
    let usual = array::<u64>().options();
    let with_max_len = Options { max_len: Some(700), ..usual };
    let ahead = Options { commit_ahead: CommitAhead::Auto, release: Release::Background, ..usual };
    for (options, is_reserved) in [(usual, false), (with_max_len, false), (ahead, true)] {
        for len in [0, 600] {
            let mut array = VmVec::try_with_options(options, 0).unwrap();
            array.extend(0..len);
            let copy = copy(&array).unwrap();
            assert_eq!(copy, array);
            assert_eq!(format!("{:?}", copy.options()), format!("{options:?}"));
            assert_eq!(copy.stats().reserved_bytes > 0, is_reserved || len > 0);
        }
    }
}

#[test]
fn a_maximum_of_slots_bounds_each_array() {
    const SLOTS: usize = 1000;
    for sizes in [
        sizes(&mut fresh(UniqueIndex::new(), Some(SLOTS))),
        sizes(&mut fresh(SetIndex::new(), Some(SLOTS))),
        sizes(&mut fresh(ListIndex::new(), Some(SLOTS))),
        sizes(&mut fresh(Grid::<2>::new(1.0), Some(SLOTS))),
    ] {
        // Some arrays have an element for several slots, and one has two for a slot.
        for [len, max_len] in &sizes {
            assert!(*len == 0 && (SLOTS / 20..SLOTS * 5 / 2).contains(max_len), "{sizes:?}");
        }
    }
    // A grid has a bucket for each slot.
    let sizes = sizes(&mut fresh(Grid::<2>::new(1.0), Some(SLOTS)));
    assert!(sizes.iter().all(|[_, max_len]| *max_len >= SLOTS), "{sizes:?}");
}

/// Hashes are the numbers themselves.
struct Same(u64);

impl BuildHasher for Same {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self(0)
    }
}

impl Hasher for Same {
    fn write(&mut self, _: &[u8]) {
        unreachable!("numbers alone are hashed")
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[test]
fn the_stored_hash_depends_on_both_halves_and_marks_no_free_slot() {
    let hash = |number: u64| hash32(&Same(0), &number);
    for shift in [0, 32] {
        for other in [0, 0xFFFF_FFFF, 0xFFFF_FFFF << 32, u64::MAX] {
            let hashes = [1_u64, 2, 3].map(|number| hash(other ^ number << shift));
            assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2] && hashes[0] != hashes[2]);
        }
    }
    assert_eq!([0xFFFF_FFFF, 0xFFFF_FFFE].map(hash), [ABSENT - 1; 2]);
}

#[test]
fn iterators_of_lists_bound_their_length() {
    let mut index = ListIndex::new();
    (0..10).for_each(|slot| index.insert(&(slot % 2), slot, |other| other % 2 == slot % 2));
    let mut slots = index.same(4);
    for left in (0..=5).rev() {
        let (least, most) = slots.size_hint();
        assert!(least == usize::from(left > 0) && most.is_some_and(|most| most >= left));
        assert_eq!((slots.clone().count(), slots.next().is_some()), (left, left > 0));
    }
    assert_eq!(slots.size_hint(), (0, Some(0)));
}
