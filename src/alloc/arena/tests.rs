//! Tests that need refused calls or private items; the rest is in `tests/it`.

#![expect(unsafe_code, reason = "accesses memory of the arena")]

mod model;

use super::bump::Bump;
use super::*;
use crate::alloc::{Change, Contents};
use crate::error::ErrorKind;
use crate::os::{Call, fault::Fault};
use crate::region_cache::{self, tests::are_all};
use crate::reservation::{HugePages, page_size};
use std::rc::Rc;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

fn small_pages() -> Bump {
    Bump::new(Options { huge_pages: HugePages::Never, ..Options::DEFAULT })
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).expect("a valid layout")
}

fn bytes(block: NonNull<u8>, len: usize) -> &'static mut [u8] {
    // SAFETY: it was handed out, in at least that size, filled before, and is only used by the test.
    unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), len) }
}

#[test]
fn the_memory_of_an_arena_is_send() {
    static_assertions::assert_impl_all!(GrowingReservation: Send);
}

#[test]
fn a_refused_reservation_changes_nothing_and_can_be_tried_again() {
    let arena = Arena::new();
    let fault = Fault::from_nth(Call::Reserve, 0);
    let refused = arena.try_alloc(String::from("back")).unwrap_err();
    assert!(fault.failures() > 2, "smaller sizes were tried");
    assert_eq!(refused.value, "back");
    assert!(refused.error.raw_os_error().is_some());
    assert_eq!((arena.used_bytes(), arena.capacity_bytes()), (0, 0));
    drop(fault);
    assert_eq!(*arena.alloc(1), 1);
}

#[test]
fn if_the_default_reservation_is_refused_a_much_smaller_one_is_tried() {
    let (whole, less) = (Arena::new(), Arena::new());
    whole.alloc(1);
    let fault = Fault::nth(Call::Reserve, 0);
    less.alloc(1);
    assert_eq!(fault.failures(), 1);
    assert!(less.max_bytes() <= whole.max_bytes() / 16);
}

#[test]
fn a_named_maximum_is_reserved_whole_or_not_at_all() {
    let fault = Fault::nth(Call::Reserve, 0);
    assert!(Arena::try_with_max_bytes(MIB).is_err());
    assert_eq!(fault.failures(), 1);
}

#[test]
fn addresses_are_released_if_their_memory_is_refused() {
    let arena = Arena::new();
    let max_bytes = arena.max_bytes();
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(arena.try_alloc_layout(layout(MIB, 1)).is_err());
    assert!(arena.try_prefault(MIB).is_err());
    assert!(fault.failures() > 0);
    assert_eq!(arena.stats().reserved_bytes, 0);
    assert_eq!(arena.max_bytes(), max_bytes);
    drop(fault);
    arena.alloc(1);
}

#[test]
fn a_refused_commit_is_an_error_of_every_method_and_changes_nothing() {
    let arena = Arena { bump: small_pages() };
    arena.alloc(1_u8);
    arena.alloc_slice_uninit::<u8>(arena.capacity_bytes() - 1);
    let used = arena.used_bytes();
    let counted = Rc::new(());
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(arena.try_alloc(1).is_err());
    assert!(arena.try_alloc_with(|| -> i32 { unreachable!() }).is_err());
    assert!(arena.try_alloc_try_with(|| -> Result<i32, ()> { unreachable!() }).is_err());
    assert!(arena.try_alloc_slice_copy(&[1, 2]).is_err());
    assert!(arena.try_alloc_slice_clone(&[counted.clone(), counted.clone()]).is_err());
    assert!(arena.try_alloc_slice_fill_with(2, |i| -> usize { unreachable!("{i}") }).is_err());
    let make = |i| -> Result<usize, ()> { unreachable!("{i}") };
    assert!(arena.try_alloc_slice_try_fill_with(2, make).is_err());
    assert!(arena.try_alloc_slice_try_fill_iter([Ok::<_, ()>(counted.clone())]).is_err());
    assert!(arena.try_alloc_slice_fill_iter([counted.clone()]).is_err());
    assert!(arena.try_alloc_slice_fill_copy(2, 1).is_err());
    assert!(arena.try_alloc_slice_fill_clone(2, &counted).is_err());
    assert!(arena.try_alloc_slice_fill_default::<u64>(2).is_err());
    assert!(arena.try_alloc_slice_from_iter([counted.clone(), counted.clone()]).is_err());
    assert!(arena.try_alloc_str("text").is_err());
    assert!(arena.try_alloc_fmt(format_args!("{used}")).is_err());
    assert!(arena.try_alloc_layout_zeroed(layout(8, 8)).is_err());
    assert!(arena.try_alloc_uninit::<u64>().is_err());
    assert!(arena.try_alloc_slice_uninit::<u64>(3).is_err());
    let refused = arena.try_alloc_box(counted.clone()).unwrap_err();
    assert!(Rc::ptr_eq(&refused.value, &counted));
    drop(refused);
    assert!(arena.try_alloc_box_slice_from_iter([counted.clone()]).is_err());
    assert!(arena.try_prefault(1).is_err());
    assert!(fault.failures() >= 18);
    assert_eq!(Rc::strong_count(&counted), 1);
    assert_eq!((arena.used_bytes(), arena.capacity_bytes()), (used, used));
    drop(fault);
    assert_eq!(*arena.alloc(7), 7);
}

#[test]
fn growing_that_is_refused_leaves_the_block_as_it_was() {
    let bump = small_pages();
    let old = layout(40 * KIB, 8);
    let block = bump.try_allocate_zeroed(old).unwrap();
    bytes(block, old.size()).fill(3);
    let used = bump.used_bytes();
    let fault = Fault::from_nth(Call::Commit, 0);
    // SAFETY: the block was handed out for that layout, and becomes larger.
    let grown =
        unsafe { bump.try_resize(block, old, layout(4 * MIB, 8), Change::Grow(Contents::Any)) };
    assert!(grown.is_err());
    // SAFETY: as above.
    let grown =
        unsafe { bump.try_resize(block, old, layout(4 * MIB, 8), Change::Grow(Contents::Zeroed)) };
    assert!(grown.is_err());
    bump.try_allocate(layout(1, 1)).unwrap();
    // SAFETY: as above. It is not the last block any more.
    let grown =
        unsafe { bump.try_resize(block, old, layout(4 * MIB, 8), Change::Grow(Contents::Any)) };
    assert!(grown.is_err());
    assert!(fault.failures() > 0);
    assert_eq!(bump.used_bytes(), used + 1);
    assert!(are_all(bytes(block, old.size()), 3));
}

#[test]
fn a_refused_decommit_keeps_the_memory_but_resets() {
    let mut arena = Arena { bump: small_pages() };
    arena.alloc_slice_fill_copy(MIB, 5_u8);
    let capacity = arena.capacity_bytes();
    let fault = Fault::from_nth(Call::Decommit, 0);
    assert!(arena.reset_keeping(0).is_err());
    assert!(fault.failures() > 0);
    assert_eq!((arena.used_bytes(), arena.capacity_bytes()), (0, capacity));
    drop(fault);
    let block = arena.alloc_layout_zeroed(layout(MIB, 1));
    assert!(are_all(bytes(block, MIB), 0));
    arena.reset_keeping(0).unwrap();
    assert_eq!(arena.capacity_bytes(), 0);
    let block = arena.alloc_layout_zeroed(layout(MIB, 1));
    assert!(are_all(bytes(block, MIB), 0));
}

#[test]
fn a_refusal_while_an_iterator_is_stored_drops_the_values_and_frees_their_room() {
    let arena = Arena { bump: small_pages() };
    arena.alloc(1_u8);
    let room = arena.capacity_bytes() - arena.used_bytes();
    let used = arena.used_bytes();
    let counted = Rc::new(());
    // The iterator has no useful size hint.
    let many = (0..room).filter(|_| true).map(|_| counted.clone());
    let fault = Fault::from_nth(Call::Commit, 0);
    assert!(arena.try_alloc_slice_from_iter(many).is_err());
    assert!(fault.failures() > 0);
    assert_eq!(Rc::strong_count(&counted), 1);
    assert!(arena.used_bytes() - used < align_of::<Rc<()>>());
}

#[test]
fn the_first_block_can_be_aligned_to_more_than_the_page() {
    for align in [2 * MIB, 2 * page_size(), page_size()] {
        let bump = small_pages();
        let block = bump.try_allocate(layout(1, align)).unwrap();
        assert_eq!(block.addr().get() % align, 0);
        assert_eq!(bump.used_bytes(), 1, "nothing was left out before it");
        let next = bump.try_allocate(layout(1, align)).unwrap();
        assert_eq!(next.addr().get() - block.addr().get(), align);
    }
}

#[test]
fn sizes_that_overflow_are_errors_and_change_nothing() {
    let bump = small_pages();
    let largest = isize::MAX as usize;
    let next_largest = layout(largest & !(MIB - 1), MIB);
    for layout in [layout(largest, 1), layout(largest - 7, 8), next_largest] {
        assert!(bump.try_allocate(layout).is_err());
        assert_eq!(bump.used_bytes(), 0);
    }
    bump.try_allocate(layout(1, 1)).unwrap();
    for layout in [layout(largest, 1), layout(largest - 7, 8)] {
        let error = bump.try_allocate(layout).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    }
    for layout in [layout(largest, 1), layout(largest - 7, 8), next_largest] {
        let error = bump.try_allocate(layout).unwrap_err();
        // By how little, and therefore which one, depends on the alignment.
        assert!(matches!(error.kind(), ErrorKind::MaxLen | ErrorKind::CapacityOverflow));
        assert!(bump.try_allocate_zeroed(layout).is_err());
    }
    let half = layout(1 << (usize::BITS - 2), 1 << (usize::BITS - 2));
    assert!(matches!(
        bump.try_allocate(half).unwrap_err().kind(),
        ErrorKind::MaxLen | ErrorKind::CapacityOverflow
    ));
    assert_eq!(bump.used_bytes(), 1);
}

#[test]
#[cfg_attr(no_vm, ignore = "the region cache is unused there")]
fn an_arena_in_a_cached_region_hands_out_zeroed_memory() {
    let _alone = region_cache::tests::alone();
    let mut vec = crate::VmVec::new();
    vec.resize(300_000, 0xa5_u8);
    let start = vec.as_ptr().addr();
    drop(vec);
    for round in 0..3 {
        let mut arena = Arena::new();
        let first = arena.alloc(1_u64);
        assert_eq!(std::ptr::from_ref(first).addr(), start);
        let layout = Layout::from_size_align(200_000, 16).unwrap();
        for _ in 0..5 {
            let block = arena.alloc_layout_zeroed(layout);
            // SAFETY: the block has that many bytes, which were zeroed.
            let bytes = unsafe { std::slice::from_raw_parts_mut(block.as_ptr(), layout.size()) };
            assert!(are_all(bytes, 0), "{round}");
            bytes.fill(7);
        }
        arena.reset();
        arena.trim_within(0, Budget::UNLIMITED).unwrap();
        let block = arena.alloc_layout_zeroed(layout);
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts(block.as_ptr(), layout.size()) };
        assert!(are_all(bytes, 0), "{round}");
        drop(arena);
        assert_eq!(region_cache::stats().kept_blocks, 1);
    }
}
