//! The address contract: growing, shrinking and moving the array never move an element.

#![expect(unsafe_code, reason = "reads through pointers that are said to stay good")]

use stayput::{Growth, HugePages, VmVec, page_size};
use std::mem;

/// An array, and the addresses of its elements when they were pushed.
struct Watched {
    vec: VmVec<u64>,
    first: *const u64,
}

impl Watched {
    fn new(mut vec: VmVec<u64>) -> Self {
        vec.push(0);
        let first = vec.as_ptr();
        Self { vec, first }
    }

    #[track_caller]
    fn check(&self) {
        assert_eq!(self.vec.as_ptr(), self.first);
        for i in [0, self.vec.len() / 2, self.vec.len() - 1] {
            let there = self.first.wrapping_add(i);
            assert_eq!(&raw const self.vec[i], there);
            // SAFETY: the contract says that element `i` is there; nothing borrows it mutably.
            assert_eq!(unsafe { *there }, i as u64);
            assert_eq!(self.vec.index_of(&self.vec[i]), Some(i));
        }
    }
}

fn watch_growth(vec: VmVec<u64>) {
    let mut watched = Watched::new(vec);
    for i in 1..300_000 {
        watched.vec.push(i);
        if i.is_power_of_two() {
            watched.check();
        }
    }
    watched.check();
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn growth_moves_nothing_under_any_policy() {
    watch_growth(VmVec::new());
    watch_growth(VmVec::with_capacity(1000));
    watch_growth(VmVec::with_max_len(300_000));
    let builder = VmVec::builder();
    watch_growth(builder.growth(Growth::Fixed { step_bytes: 1 }).build());
    watch_growth(builder.huge_pages(HugePages::Always).build());
    watch_growth(builder.huge_pages(HugePages::Never).build());
}

#[test]
fn moving_the_array_itself_moves_no_element() {
    let watched = Watched::new(VmVec::new());
    let mut boxed = Box::new(watched);
    boxed.vec.extend(1..100);
    boxed.check();
    let mut other = VmVec::from([9]);
    let other_first = other.as_ptr();
    mem::swap(&mut boxed.vec, &mut other);
    assert_eq!((boxed.vec.as_ptr(), other.as_ptr()), (other_first, boxed.first));
    boxed.vec = mem::take(&mut other);
    boxed.check();
    assert!(other.is_empty());

    let mut many: Vec<Watched> = (0..8).map(|_| Watched::new(VmVec::new())).collect();
    many.reverse();
    for watched in &mut many {
        watched.vec.extend(1..10);
        watched.check();
    }

    let Watched { vec, first } = *boxed;
    let at = first.addr();
    let vec = std::thread::spawn(move || {
        assert_eq!(vec.as_ptr().addr(), at);
        vec
    });
    let iter = vec.join().expect("it holds").into_iter();
    assert_eq!(iter.as_slice().as_ptr(), first);
}

#[test]
fn leaking_an_array_moves_nothing() {
    let mut vec = VmVec::with_max_len(10);
    vec.extend([1, 2, 3]);
    let first = vec.as_ptr();
    let leaked: &'static mut [i32] = vec.leak();
    assert_eq!(leaked.as_ptr(), first);
    leaked[2] = 4;
    assert_eq!(leaked, [1, 2, 4]);
    let none: &mut [String] = VmVec::new().leak();
    assert!(none.is_empty());
}

#[test]
fn regrouping_moves_nothing() {
    let groups: VmVec<[u32; 4]> = (0..10).map(|n| [n; 4]).collect();
    let first = groups.as_ptr().cast::<u32>();
    let mut flat = groups.into_flattened();
    assert_eq!(flat.as_ptr(), first);
    flat.push(10);
    flat.extend(0..100_000);
    assert_eq!(flat.as_ptr(), first);
    assert_eq!(flat[38..42], [9, 9, 10, 0]);
}

#[test]
fn pointers_stay_valid_while_the_array_grows() {
    let mut vec = VmVec::new();
    let mut pointers = Vec::new();
    for i in 0..50_000_u64 {
        vec.push(i);
        pointers.push(vec.as_mut_ptr().wrapping_add(vec.len() - 1));
    }
    for (i, pointer) in pointers.iter().enumerate() {
        // SAFETY: the element is where it was pushed, and nothing borrows it.
        assert_eq!(unsafe { pointer.read() }, i as u64);
    }
}

#[test]
fn spare_capacity_becomes_elements_in_place() {
    let mut vec = VmVec::from([1_u32]);
    vec.reserve(3);
    let spare = vec.spare_capacity_mut();
    let first_spare = spare.as_ptr().addr();
    for (i, place) in spare[..3].iter_mut().enumerate() {
        place.write(10 + u32::try_from(i).unwrap());
    }
    // SAFETY: three more elements are within capacity, and were just written.
    unsafe { vec.set_len(4) };
    assert_eq!(vec, [1, 10, 11, 12]);
    assert_eq!((&raw const vec[1]).addr(), first_spare);
}

#[test]
fn index_of_finds_only_the_array_s_own_elements() {
    let mut vec: VmVec<u64> = (0..10_000).collect();
    assert!((0..10_000).all(|i| vec.index_of(&vec[i]) == Some(i)));
    let elsewhere = 5;
    assert_eq!(vec.index_of(&elsewhere), None);
    let other: VmVec<u64> = (0..10).collect();
    assert!(other.iter().all(|element| vec.index_of(element).is_none()));

    // One past the end is committed, but not an element.
    vec.truncate(100);
    // SAFETY: the address is within capacity, and was an element before.
    let past = unsafe { &*vec.as_ptr().wrapping_add(100) };
    assert_eq!(vec.index_of(past), None);

    // A reference into the middle of an element is not a reference to an element.
    let pairs = VmVec::from([[1_u8, 2], [3, 4], [5, 6]]);
    let between = pairs.as_ptr().cast::<u8>().wrapping_add(1).cast::<[u8; 2]>();
    // SAFETY: two bytes inside the array, which are valid in any state.
    let between = unsafe { &*between };
    assert_eq!(pairs.index_of(between), None);
    assert_eq!(pairs.index_of(&pairs[1]), Some(1));

    let units = VmVec::from([(), ()]);
    assert_eq!(units.index_of(&units[1]), None);
    assert_eq!(VmVec::<u8>::new().index_of(&0), None);
}

#[test]
fn an_empty_array_has_an_aligned_address() {
    #[repr(align(256))]
    struct Aligned;
    assert!(VmVec::<u64>::new().as_ptr().is_aligned());
    assert!(VmVec::<Aligned>::new().as_ptr().is_aligned());
    assert!(VmVec::<u64>::new().as_slice().is_empty());
    assert_eq!(VmVec::<u64>::with_max_len(1).as_ptr().addr() % page_size(), 0);
}
