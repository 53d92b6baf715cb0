//! `BlockVec` in parallel.

use crate::ledger::panic_message;
use rayon::prelude::*;
use stayput::{BlockVec, Blocks};
use std::sync::Arc;

fn numbers() -> BlockVec<u64> {
    let mut vec = BlockVec::builder().blocks(Blocks::Fixed { bytes: 256 }).build();
    vec.extend(0..10_000);
    vec
}

#[test]
fn elements_come_in_order_from_all_threads() {
    let vec = numbers();
    assert_eq!(vec.par_iter().len(), 10_000);
    assert_eq!(vec.par_iter().sum::<u64>(), 49_995_000);
    let doubled: Vec<u64> = vec.par_iter().map(|n| n * 2).collect();
    assert!(doubled.into_iter().eq((0..10_000).map(|n| n * 2)));
    assert_eq!(vec.par_iter().position_any(|n| *n == 777), Some(777));
    assert!(vec.par_iter().zip(vec.par_iter().rev()).all(|(a, b)| a + b == 9999));
    assert!(vec.par_iter().with_min_len(3).enumerate().all(|(index, n)| index as u64 == *n));
    assert_eq!(BlockVec::<u64>::new().par_iter().count(), 0);
    assert_eq!(BlockVec::from([(); 1000]).par_iter().count(), 1000);
}

#[test]
fn all_threads_can_modify_elements() {
    let mut vec = numbers();
    vec.par_iter_mut().for_each(|n| *n *= 3);
    assert!(vec.iter().copied().eq((0..10_000).map(|n| n * 3)));
    vec.par_iter_mut()
        .skip(5000)
        .chunks(7)
        .for_each(|chunk| chunk.into_iter().for_each(|n| *n = 0));
    assert_eq!(vec.iter().filter(|n| **n == 0).count(), 5001);
}

#[test]
fn elements_are_collected_and_moved_out_and_none_is_lost() {
    let counted = Arc::new(());
    let mut vec: BlockVec<(u64, Arc<()>)> =
        (0..5000_u64).into_par_iter().map(|n| (n, Arc::clone(&counted))).collect();
    vec.par_extend(
        (5000..6000_u64).into_par_iter().filter(|_| true).map(|n| (n, Arc::clone(&counted))),
    );
    assert!(vec.iter().map(|(n, _)| *n).eq(0..6000));
    assert_eq!(Arc::strong_count(&counted), 6001);
    let found = vec.clone().into_par_iter().find_first(|(n, _)| *n == 2500);
    assert_eq!(found.unwrap().0, 2500);
    assert_eq!(Arc::strong_count(&counted), 6001);
    panic_message(|| vec.into_par_iter().for_each(|(n, _)| assert_ne!(n, 3000)));
    assert_eq!(Arc::strong_count(&counted), 1);
}
