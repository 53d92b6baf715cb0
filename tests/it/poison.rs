//! `AddressSanitizer` detects invalid accesses to reservations and blocks: each of these ends its process. (Only with
//! `--cfg stayput_asan`.)

#![expect(unsafe_code, reason = "accesses memory that must not be accessed")]

use crate::child::{argument, child, test_of};
use stayput::{
    Arena, BlockVec, DefaultKey, Release, Reservation, SecondaryMap, SharedSlotMap, SlotMap, VmVec,
    page_size,
};
use std::hint::black_box;
use std::ptr::NonNull;

/// Reads an address that must not be read, in a child that the sanitizer then stops.
fn read(at: *const u64) {
    eprintln!("reads");
    // SAFETY: this breaks the rules on purpose. The address was valid once, or is reserved.
    black_box(unsafe { at.read_volatile() });
}

/// Runs a test in a child process, which the sanitizer must stop for a given reason.
#[track_caller]
fn stopped_for<F: FnOnce()>(reason: &str, plant: F) {
    if argument().is_some() {
        return plant();
    }
    let name = test_of::<F>();
    let child = child(name, "child").output().expect("it runs again");
    let words = String::from_utf8_lossy(&child.stderr);
    let after = words.split_once("reads\n").map(|(_, after)| after);
    assert!(after.is_some_and(|after| after.contains(reason)), "{name}: {words}");
    assert!(!child.status.success(), "{name}: {words}");
}

#[track_caller]
fn stopped<F: FnOnce()>(plant: F) {
    stopped_for("AddressSanitizer: use-after-poison", plant);
}

/// The address of a value that is still alive.
fn good(value: &u64) -> *const u64 {
    assert_eq!(*black_box(value), 7);
    value
}

#[test]
fn an_element_that_was_popped() {
    stopped(|| {
        let mut vec = VmVec::from([5, 6, 7]);
        let last = good(&vec[2]);
        assert_eq!(vec.pop(), Some(7));
        read(last);
    });
}

#[test]
fn elements_that_were_cleared() {
    stopped(|| {
        let mut vec: VmVec<u64> = (0..1000).collect();
        let place = good(&vec[7]);
        vec.clear();
        vec.push(7);
        good(&vec[0]);
        read(place);
    });
}

#[test]
fn an_element_that_was_drained() {
    stopped(|| {
        let mut vec = VmVec::from([7, 6, 5, 7]);
        let last = good(&vec[3]);
        assert!(vec.drain(1..3).eq([6, 5]));
        assert_eq!(vec, [7, 7]);
        read(last);
    });
}

#[test]
fn memory_past_the_last_element() {
    stopped(|| {
        let vec = VmVec::from([5, 6, 7]);
        assert!(vec.capacity() > 3);
        read(good(&vec[2]).wrapping_add(1));
    });
}

#[test]
fn an_array_that_was_dropped_into_the_cache() {
    // Without virtual memory, the memory went back to the allocator.
    let reason = if cfg!(no_vm) { "heap-use-after-free" } else { "use-after-poison" };
    stopped_for(reason, || {
        let mut vec: VmVec<u64> = VmVec::builder().release(Release::Keep).build();
        vec.resize(1000, 7);
        let place = good(&vec[999]);
        drop(vec);
        read(place);
    });
}

#[test]
fn a_value_that_was_removed() {
    stopped(|| {
        let mut map: SlotMap<DefaultKey, u64> = SlotMap::new();
        let key = map.insert(7);
        let other = map.insert(7);
        let place = good(&map[key]);
        assert_eq!(map.remove(key), Some(7));
        good(&map[other]);
        read(place);
    });
}

#[test]
fn a_value_whose_page_was_discarded() {
    stopped(|| {
        let mut map: SlotMap<DefaultKey, u64> = SlotMap::new();
        let keys: Vec<_> = (0..100_000).map(|_| map.insert(7)).collect();
        let place = good(&map[keys[50_000]]);
        for key in &keys[1..99_999] {
            map.remove(*key);
        }
        map.trim();
        good(&map[keys[0]]);
        good(&map[keys[99_999]]);
        read(place);
    });
}

#[test]
fn a_value_beside_another_map_that_was_removed() {
    stopped(|| {
        let mut map: SlotMap<DefaultKey, ()> = SlotMap::new();
        let key = map.insert(());
        let mut beside = SecondaryMap::new();
        beside.insert(key, 7);
        let place = good(&beside[key]);
        assert_eq!(beside.remove(key), Some(7));
        read(place);
    });
}

#[test]
fn a_slot_reserved_for_another_thread_s_run() {
    stopped(|| {
        let map: SharedSlotMap<DefaultKey, u64> = SharedSlotMap::new();
        let (_, value) = map.insert(7);
        let slot = 2 * size_of::<u64>();
        read(good(value).wrapping_byte_add(slot));
    });
}

#[test]
fn an_element_that_was_popped_of_a_block() {
    stopped(|| {
        let mut blocks: BlockVec<u64> = (0..1000).collect();
        blocks.push(7);
        let last = good(&blocks[1000]);
        assert_eq!(blocks.pop(), Some(7));
        read(last);
    });
}

#[test]
fn memory_past_the_last_element_in_a_block() {
    stopped(|| {
        let mut blocks = BlockVec::new();
        blocks.push(7);
        assert!(blocks.capacity() > 1);
        read(good(&blocks[0]).wrapping_add(1));
    });
}

#[test]
fn a_value_in_an_arena_that_was_reset() {
    stopped(|| {
        let mut arena = Arena::new();
        let place = good(arena.alloc(7));
        arena.reset();
        read(place);
    });
}

#[test]
fn arena_memory_that_was_not_handed_out() {
    stopped(|| {
        let arena = Arena::new();
        read(good(arena.alloc(7)).wrapping_add(1));
    });
}

#[test]
fn memory_that_is_reserved_and_not_committed() {
    // With virtual memory, the processor stops it.
    let reason = if cfg!(no_vm) { "use-after-poison" } else { "SEGV" };
    stopped_for(reason, || {
        let mut memory = Reservation::new(16 * page_size()).expect("there are addresses");
        memory.commit(0..2 * page_size()).expect("there is memory");
        let first = memory.as_ptr().cast::<u64>();
        // SAFETY: the memory is committed, and nothing else uses it.
        unsafe { first.write(7) };
        // SAFETY: the byte was just written.
        good(unsafe { &*first });
        memory.decommit(0..page_size()).expect("it goes back");
        read(first);
    });
}

#[test]
fn spare_capacity_may_be_written() {
    let mut vec = VmVec::from([1_u64, 2, 3]);
    vec.clear();
    vec.spare_capacity_mut()[2].write(7);
    assert!(vec.capacity() > 8);
    let first = vec.as_mut_ptr();
    let more = 2 * vec.capacity();
    // The spare capacity stays accessible while the array grows.
    vec.reserve(more);
    for index in 0..more {
        // SAFETY: the index is within capacity.
        let place = unsafe { first.add(index) };
        // SAFETY: the place is committed, and past the last element.
        unsafe { place.write(7) };
    }
    // SAFETY: `more` elements were just written.
    unsafe { vec.set_len(more) };
    assert!(vec.iter().all(|element| *element == 7));

    // Also elements smaller than the sanitizer's granularity.
    let mut bytes = VmVec::from(*b"nothing");
    for len in (0..7).rev() {
        bytes.truncate(len);
        bytes.push(b'!');
        assert_eq!(bytes.pop(), Some(b'!'));
    }
    let first = bytes.as_mut_ptr();
    // SAFETY: the place is within capacity, and past the last element.
    unsafe { first.write(b'?') };
    // SAFETY: the byte was just written.
    unsafe { bytes.set_len(1) };
    assert_eq!(bytes, b"?");
}

#[test]
fn released_memory_is_usable_by_the_next_owner() {
    let bytes = 64 * page_size();
    for _ in 0..100 {
        let mut vec: VmVec<u8> = VmVec::builder().max_len(bytes).release(Release::Now).build();
        vec.resize(bytes, 7);
        vec.truncate(9);
        drop(vec);
        // Usually at the same address.
        let memory = Reservation::new(bytes).expect("there are addresses");
        memory.commit(..).expect("there is memory");
        let first = NonNull::new(memory.as_ptr()).expect("it is somewhere");
        // SAFETY: the memory is committed, and nothing else uses it.
        unsafe { first.write_bytes(7, bytes) };
    }
}
