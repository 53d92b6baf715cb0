//! Tests that need refused blocks, or look at the table; the rest is in `tests/it`.

use super::fault::Refusing;
use super::layout::BlockLayout;
use super::*;
use crate::error::{Error, ErrorKind};

/// An array of several blocks whose capacity is used up.
fn full() -> BlockVec<String> {
    let mut vec = BlockVec::builder().blocks(Blocks::Fixed { bytes: 200 }).build();
    vec.push("first".to_owned());
    vec.resize(vec.capacity() * 3, "filler".to_owned());
    assert_eq!(vec.len(), vec.capacity());
    vec
}

fn addresses<T>(vec: &BlockVec<T>) -> Vec<*const T> {
    vec.iter().map(|element| &raw const *element).collect()
}

/// Calls `call` on a full array while only `blocks` more blocks are granted, and checks that nothing has changed.
fn refused_after<R>(blocks: usize, call: impl FnOnce(&mut BlockVec<String>) -> Result<R, Error>) {
    let mut vec = full();
    let before = (addresses(&vec), vec.capacity(), vec.stats().blocks);
    let refusing = Refusing::after(blocks);
    let error = call(&mut vec).err().expect("planned");
    drop(refusing);
    assert_eq!((addresses(&vec), vec.capacity(), vec.stats().blocks), before);
    assert_eq!(vec[0], "first");
    assert!(vec.iter().skip(1).all(|filler| filler == "filler"));
    vec.push("last".to_owned());
    assert_eq!(vec.last().map(String::as_str), Some("last"));
    assert_eq!(error.kind(), ErrorKind::Memory);
    assert!(error.bytes() > 0);
}

fn refused<R>(call: impl FnOnce(&mut BlockVec<String>) -> Result<R, Error>) {
    refused_after(0, call);
}

#[test]
fn a_refused_push_returns_the_value() {
    refused(|vec| {
        let refused = vec.try_push("new".to_owned()).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
}

#[test]
fn a_refused_insert_returns_the_value_and_moves_nothing() {
    refused(|vec| {
        let refused = vec.try_insert(0, "new".to_owned()).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
}

#[test]
fn a_refused_resize_returns_the_value() {
    refused(|vec| {
        let refused = vec.try_resize(vec.len() + 5, "new".to_owned()).unwrap_err();
        assert_eq!(refused.value, "new");
        Err::<(), _>(refused.error)
    });
}

#[test]
fn a_refused_extend_returns_the_remaining_values_in_order() {
    refused(|vec| {
        let refused = vec.try_extend(["a", "b"].map(str::to_owned)).unwrap_err();
        assert!(refused.value.eq(["a", "b"]));
        Err::<(), _>(refused.error)
    });
}

#[test]
fn every_other_refused_call_changes_nothing() {
    refused(|vec| vec.try_reserve(1));
    refused(|vec| vec.try_reserve_exact(1));
    refused(|vec| vec.try_resize_with(vec.len() + 1, || unreachable!("room comes first")));
    refused(|vec| vec.try_extend_from_slice(&["new".to_owned()]));
    refused(|vec| vec.try_extend_from_within(..1));
    refused(|vec| vec.try_split_off(1));
    refused(|vec| vec.try_clone());
    refused(|vec| vec.try_append_vec(&mut vec!["new".to_owned()]));
    refused(|vec| vec.grow_only().try_reserve(1));
    refused(|vec| Ok(vec.grow_only().try_push("new".to_owned()).map(drop)?));
}

#[test]
fn if_a_block_is_refused_the_ones_before_it_are_deallocated() {
    for blocks in 0..5 {
        refused_after(blocks, |vec| vec.try_reserve(5 * vec.len()));
        // For the blocks of the other array.
        refused_after(blocks.min(2), |vec| vec.try_clone());
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn each_block_of_a_growing_array_may_be_refused() {
    for blocks in [Blocks::Fixed { bytes: 64 }, Blocks::Doubling { first_bytes: 64 }] {
        for nth in 0..10 {
            let mut vec = BlockVec::builder().blocks(blocks).build();
            let refusing = Refusing::after(nth);
            let mut values = 0..10_000_u64;
            let refused = vec.try_extend(&mut values).expect_err("not enough");
            drop(refusing);
            assert_eq!(vec.stats().blocks, nth);
            assert_eq!(vec.len(), vec.capacity());
            vec.extend(refused.value);
            vec.extend(values);
            assert!(vec.iter().copied().eq(0..10_000));
        }
        // Enough entries for the table to move to a reservation.
        let vec: BlockVec<u64> = (0..100_000).collect();
        assert!(vec.into_iter().eq(0..100_000));
    }
}

#[test]
fn an_array_whose_first_block_is_refused_stays_empty_and_usable() {
    let mut vec = BlockVec::new();
    let refusing = Refusing::after(0);
    assert_eq!(vec.try_push(1).unwrap_err().value, 1);
    assert!(BlockVec::<u8>::try_with_capacity(100).is_err());
    assert!(BlockVec::<u8>::try_with_max_len(100).is_ok());
    drop(refusing);
    vec.push(2);
    assert_eq!(vec, [2]);
}

/// Only systems that report how much memory there is.
#[cfg(all(not(no_vm), target_pointer_width = "64"))]
#[test]
fn more_memory_than_the_machine_has_is_refused_before_a_block_is_allocated() {
    for blocks in [Blocks::default(), Blocks::Doubling { first_bytes: 64 }] {
        let mut vec = BlockVec::builder().blocks(blocks).build();
        vec.push(1_u8);
        let capacity = vec.capacity();
        let refusing = Refusing::after(50);
        let error = vec.try_reserve(isize::MAX as usize - 1).unwrap_err();
        assert_eq!((error.kind(), Refusing::left()), (ErrorKind::Memory, 50));
        assert_eq!(error.bytes(), isize::MAX as usize - capacity);
        assert!(vec.try_resize(isize::MAX as usize, 2).is_err());
        assert!(BlockVec::<u64>::try_with_capacity(isize::MAX as usize / 8).is_err());
        assert_eq!((Refusing::left(), vec.capacity(), vec.len()), (50, capacity, 1));
        drop(refusing);
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn elements_stay_where_they_are_when_the_table_moves() {
    for blocks in [Blocks::Fixed { bytes: 8 }, Blocks::Doubling { first_bytes: 8 }] {
        let mut vec = BlockVec::builder().blocks(blocks).build();
        let mut kept = Vec::new();
        for n in 0..40_000_u64 {
            vec.push(n);
            kept.push(&raw const vec[vec.len() - 1]);
        }
        assert!(vec.iter().copied().eq(0..40_000));
        assert_eq!(addresses(&vec), kept);
        // Shrinks, and grows again.
        for len in [20_000, 600, 500, 5, 0] {
            vec.truncate(len);
            vec.shrink_to_fit();
            assert!(vec.capacity() <= len * 2);
            assert_eq!(addresses(&vec), kept[..len]);
            vec.extend(len as u64..700);
            assert!(vec.iter().copied().eq(0..vec.len() as u64));
            vec.truncate(len);
        }
    }
}

#[test]
fn blocks_follow_each_other_without_a_gap() {
    for blocks in [Blocks::Fixed { bytes: 100 }, Blocks::Doubling { first_bytes: 100 }] {
        for element_bytes in [1, 3, 8, 100, 1000] {
            let layout = BlockLayout::new(blocks, element_bytes);
            let mut next = 0;
            for nth in 0..10 {
                let (from, to) = layout.block(next);
                assert_eq!(from, next);
                assert_eq!(layout.block(to - 1), (from, to));
                // At least one element, and no more than fit.
                let fixed = to - from == 1 || (to - from) * element_bytes <= 100;
                let doubled = nth == 0 || to - from == from + layout.block(0).1;
                assert!(if matches!(blocks, Blocks::Fixed { .. }) { fixed } else { doubled });
                assert_eq!(layout.pieces(to - from) + layout.piece(from), layout.piece(to));
                next = to;
            }
        }
    }
    let largest = BlockLayout::new(Blocks::Fixed { bytes: usize::MAX }, 1);
    assert_eq!(largest.block(usize::MAX - 1).1, usize::MAX);
}

#[test]
fn a_refused_first_block_leaves_no_table() {
    let mut vec = BlockVec::<u64>::new();
    let refusing = Refusing::after(0);
    assert!(vec.try_reserve(1).is_err());
    drop(refusing);
    assert_eq!((vec.capacity(), vec.stats().table_bytes), (0, 0));
}
