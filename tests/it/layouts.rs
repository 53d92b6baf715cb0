//! Elements of every size and alignment.

use stayput::{HugePages, Reservation, VmVec, page_size};
use std::fmt::Debug;

/// Runs various operations with elements made from numbers, and checks all elements.
fn exercise<T: Clone + PartialEq + Debug>(count: usize, make: fn(usize) -> T) {
    let mut vec = VmVec::new();
    for i in 0..count {
        vec.push(make(i));
        assert!(vec.as_ptr().is_aligned());
    }
    let base = vec.as_ptr();
    assert!((0..count).all(|i| vec[i] == make(i)));

    vec.insert(1, make(count));
    assert!(vec.remove(1) == make(count));
    assert!(vec.swap_remove(0) == make(0));
    vec.extend_from_within(..2);
    vec.truncate(count);
    let rest = vec.split_off(count / 2);
    assert!(rest.as_ptr().is_aligned());
    vec.extend(rest);
    drop(vec.drain(1..3));
    vec.splice(1..1, [make(7), make(8)]);
    vec.retain(|element| *element != make(7));
    vec.dedup();
    vec.resize(count, make(9));
    vec.shrink_to_fit();
    assert!(vec[count - 1] == make(9));
    assert_eq!(vec.as_ptr(), base);

    let clone = vec.clone();
    assert!(clone.as_ptr().is_aligned());
    assert!(clone == vec);
    let std: Vec<T> = vec.into();
    assert!(std == clone);
    assert!(clone.into_iter().rev().eq(std.into_iter().rev()));
}

#[repr(align(4096))]
#[derive(Clone, PartialEq, Debug)]
struct Page(usize);

#[repr(align(2097152))]
#[derive(Clone, PartialEq, Debug)]
struct HugePage(usize);

#[repr(align(64))]
#[derive(Clone, PartialEq, Debug)]
struct Line(u8);

#[repr(align(4096))]
#[derive(Clone, PartialEq, Debug)]
struct AlignedNothing;

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn elements_of_odd_sizes() {
    exercise(40_000, |i| i.to_le_bytes()[0]);
    exercise(40_000, |i| [i.to_le_bytes()[0]; 3]);
    exercise(5_000, |i| [i.to_le_bytes()[0]; 67]);
    exercise(5_000, |i| (i, [i; 6]));
    exercise(300, |i| [i.to_le_bytes()[0]; 4097]);
}

/// Runs a closure whose stack frames hold several large elements in a debug build.
fn on_a_large_stack(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 << 20).spawn(run).unwrap();
    if let Err(payload) = thread.join() {
        std::panic::resume_unwind(payload);
    }
}

#[test]
#[expect(clippy::large_stack_arrays, reason = "large elements are what it is about")]
#[cfg_attr(miri, ignore = "takes minutes")]
fn elements_of_a_mebibyte() {
    on_a_large_stack(|| {
        exercise(6, |i| [i.to_le_bytes()[0]; 1 << 20]);
        let mut vec = VmVec::<[u8; 1 << 20]>::with_max_len(9);
        for i in 0..9 {
            vec.push([i; 1 << 20]);
        }
        assert!(vec.try_push([9; 1 << 20]).is_err());
        assert!(vec.iter().zip(0..).all(|(element, i)| *element == [i; 1 << 20]));
        assert_eq!(vec.swap_remove(3)[77], 3);
        assert_eq!(vec.stats().reserved_bytes, 9 << 20);
    });
}

#[test]
fn elements_aligned_to_a_line_a_page_and_more() {
    exercise(3_000, |i| Line(i.to_le_bytes()[0]));
    exercise(100, Page);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn elements_aligned_to_two_mebibytes() {
    on_a_large_stack(|| {
        exercise(5, HugePage);
        let mut vec = VmVec::<HugePage>::with_max_len(4);
        assert_eq!(vec.as_ptr().addr() % (2 << 20), 0);
        vec.resize_with(3, || HugePage(7));
        vec[1].0 = 8;
        assert_eq!(vec.index_of(&vec[2]), Some(2));
        vec.swap(0, 1);
        vec.truncate(2);
        vec.shrink_to_fit();
        assert!(vec.iter().map(|element| element.0).eq([8, 7]));
        assert_eq!(vec.stats().reserved_bytes, 8 << 20);
    });
}

#[test]
fn elements_of_size_zero() {
    exercise(1_000, |_| ());
    exercise(1_000, |_| [0_u64; 0]);
    exercise(1_000, |_| AlignedNothing);
    let mut vec = VmVec::new();
    vec.resize(1 << 16, AlignedNothing);
    assert_eq!(vec.capacity(), usize::MAX);
    assert_eq!(vec.max_len(), usize::MAX);
    assert!(vec.iter().all(|element| std::ptr::from_ref(element).is_aligned()));
    vec.shrink_to_fit();
    vec.prefault(5);
    let stats = vec.stats();
    assert_eq!((stats.reserved_bytes, stats.committed_bytes), (0, 0));
    assert_eq!(stats.resident_bytes, Some(0));
    assert_eq!(vec.spare_capacity_mut().len(), usize::MAX - (1 << 16));
}

#[test]
fn empty_arrays_flatten_to_empty_arrays() {
    let empty: VmVec<[u64; 0]> = (0..10).map(|_| []).collect();
    let mut flat = empty.into_flattened();
    assert!(flat.is_empty());
    flat.push(1);
    assert_eq!(flat, [1]);

    let units: VmVec<[(); 3]> = (0..4).map(|_| [(); 3]).collect();
    assert_eq!(units.into_flattened().len(), 12);

    let threes = VmVec::from([[1, 2, 3], [4, 5, 6]]);
    assert_eq!(threes.into_flattened(), [1, 2, 3, 4, 5, 6]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn huge_pages_are_aligned_and_hold_the_same_elements() {
    for huge_pages in [HugePages::Always, HugePages::Auto, HugePages::Never] {
        let mut vec = VmVec::builder().max_len(5 << 20).huge_pages(huge_pages).build();
        vec.extend((0..5 << 20).map(|i: u32| i.to_le_bytes()[1]));
        assert_eq!((vec[0x1234], vec[0x4_7654]), (0x12, 0x76));
        vec.truncate(3 << 20);
        vec.shrink_to_fit();
        vec.resize(4 << 20, 9);
        assert_eq!((vec[0x1234], vec[(3 << 20) - 1], vec[3 << 20]), (0x12, 0xff, 9));
        assert!(vec[3 << 20..].iter().all(|byte| *byte == 9));
    }
}

#[test]
fn reservations_have_the_requested_alignment() {
    for shift in 0..30 {
        let align = 1_usize << shift;
        let range = Reservation::builder().bytes(1).align(align).reserve().unwrap();
        assert_eq!(range.as_ptr().addr() % align.max(page_size()), 0);
        assert_eq!(range.reserved_bytes(), page_size());
        range.commit(..).unwrap();
    }
}
