//! The cost of arrays where a reservation is a block of the allocator. `cost.mjs` calls these functions, each
//! in an instance of its own; what they create is leaked.

use stayput::{BlockVec, Blocks, Reservation, VmVec};
use std::hint::black_box;
use std::mem::forget;

/// Creates `count` arrays with an element each.
fn make<A>(count: usize, array: impl Fn() -> A) {
    for _ in 0..count {
        forget(black_box(array()));
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn vecs(count: usize) {
    make(count, || Vec::from([1_u64]));
}

#[unsafe(no_mangle)]
pub extern "C" fn vm_vecs(count: usize) {
    make(count, || {
        let mut array = VmVec::new();
        array.push(1_u64);
        array
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn vm_vecs_with_max_len(count: usize, max_len: usize) {
    make(count, || {
        let mut array = VmVec::with_max_len(max_len);
        array.push(1_u64);
        array
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn block_vecs(count: usize) {
    make(count, || {
        let mut array = BlockVec::new();
        array.push(1_u64);
        array
    });
}

#[unsafe(no_mangle)]
pub extern "C" fn doubling_block_vecs(count: usize) {
    make(count, || {
        let mut array = BlockVec::builder().blocks(Blocks::Doubling { first_bytes: 64 }).build();
        array.push(1_u64);
        array
    });
}

/// Creates one array of `count` elements.
#[unsafe(no_mangle)]
pub extern "C" fn filled_vec(len: usize) {
    let mut array = Vec::new();
    (0..len as u64).for_each(|n| array.push(n));
    forget(black_box(array));
}

#[unsafe(no_mangle)]
pub extern "C" fn filled_vec_with_capacity(len: usize) {
    let mut array = Vec::with_capacity(len);
    (0..len as u64).for_each(|n| array.push(n));
    forget(black_box(array));
}

#[unsafe(no_mangle)]
pub extern "C" fn filled_vm_vec(len: usize) {
    let mut array = VmVec::with_max_len(len);
    (0..len as u64).for_each(|n| array.push(n));
    forget(black_box(array));
}

#[unsafe(no_mangle)]
pub extern "C" fn filled_block_vec(len: usize) {
    let mut array = BlockVec::new();
    (0..len as u64).for_each(|n| array.push(n));
    forget(black_box(array));
}

/// Reserves a range for [`commit`] and [`decommit`].
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: usize) -> *mut Reservation {
    Box::into_raw(Box::new(Reservation::new(bytes).expect("memory suffices")))
}

/// # Safety
///
/// - The range came from [`reserve`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn commit(range: *mut Reservation) {
    // SAFETY: the caller guarantees that the range exists and is not in use.
    let range = unsafe { &mut *range };
    range.commit(..).expect("commit succeeds");
}

/// # Safety
///
/// - As for [`commit`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn decommit(range: *mut Reservation) {
    // SAFETY: the caller guarantees that the range exists and is not in use.
    let range = unsafe { &mut *range };
    range.decommit(..).expect("decommit succeeds");
}
