//! `BlockVec`, apart from what the model test covers.

use crate::helpers::{Boast, Neither, SendOnly, assert_like_elements};
use crate::ledger::{Ledger, Token, panic_file, panic_message};
use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::block_vec::{
    BlockIter, BlockIterMut, Drain, ExtractIf, GrowOnlyIter, IntoIter, Iter, IterMut,
};
use stayput::{
    BlockVec, BlockVecBuilder, BlockVecStats, Blocks, ErrorKind, GrowOnlyBlockVec, VmVec,
};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Debug;
use std::hash::Hash;
use std::iter::FusedIterator;
use std::ops::IndexMut;
use std::panic::{RefUnwindSafe, UnwindSafe};

type Named = fn(&mut u8) -> bool;
type IterMutOf<T> = IterMut<'static, T>;
type DrainOf<T> = Drain<'static, T>;

assert_like_elements!(BlockVec, IntoIter, IterMutOf, DrainOf);
assert_impl_all!(BlockVec<u8>: UnwindSafe, RefUnwindSafe, Clone, Debug, Default);
assert_impl_all!(BlockVec<u8>: Eq, Ord, Hash, FromIterator<u8>, Extend<u8>, Extend<&'static u8>, IndexMut<usize>);
assert_impl_all!(BlockVec<u8>: From<Vec<u8>>, From<[u8; 3]>, From<&'static [u8]>, From<VmVec<u8>>);
assert_impl_all!(Iter<'static, u8>: Clone, DoubleEndedIterator, ExactSizeIterator, FusedIterator, Send, Sync, Debug);
assert_impl_all!(IterMut<'static, u8>: DoubleEndedIterator, ExactSizeIterator, FusedIterator, Debug);
assert_not_impl_any!(Iter<'static, SendOnly>: Send, Sync);
assert_impl_all!(BlockIter<'static, u8>: Clone, DoubleEndedIterator, ExactSizeIterator, FusedIterator, Send, Sync, Debug);
assert_impl_all!(BlockIterMut<'static, u8>: DoubleEndedIterator, ExactSizeIterator, FusedIterator, Send, Sync, Debug);
assert_impl_all!(IntoIter<u8>: Clone, Default, DoubleEndedIterator, ExactSizeIterator, FusedIterator, Send, Sync, Debug);
assert_impl_all!(Drain<'static, u8>: DoubleEndedIterator, ExactSizeIterator, FusedIterator, Send, Sync, Debug);
assert_impl_all!(ExtractIf<'static, u8, Named>: Iterator, Send, Sync, Debug);
assert_not_impl_any!(ExtractIf<'static, Neither, Named>: Send, Sync);
assert_impl_all!(GrowOnlyBlockVec<'static, u8>: Debug, RefUnwindSafe);
assert_not_impl_any!(GrowOnlyBlockVec<'static, u8>: Send, Sync);
assert_impl_all!(GrowOnlyIter<'static, 'static, u8>: Clone, ExactSizeIterator, FusedIterator, Debug);
assert_not_impl_any!(GrowOnlyIter<'static, 'static, u8>: Send, Sync);
assert_impl_all!(BlockVecBuilder<Neither>: Send, Sync, Copy, Debug);
assert_impl_all!(BlockVecStats: Send, Sync, Copy, Eq, Debug);
assert_impl_all!(Blocks: Send, Sync, Copy, Eq, Hash, Debug, Default);

/// An array with blocks of that size.
fn fixed<T>(bytes: usize) -> BlockVec<T> {
    BlockVec::builder().blocks(Blocks::Fixed { bytes }).build()
}

#[test]
fn max_len_is_exact_and_named_in_the_error() {
    for blocks in
        [Blocks::default(), Blocks::Fixed { bytes: 40 }, Blocks::Doubling { first_bytes: 40 }]
    {
        for max_len in [0, 1, 5, 6, 1000, 5000] {
            let mut vec = BlockVec::builder().max_len(max_len).blocks(blocks).build();
            vec.extend(0..max_len as u64);
            assert_eq!((vec.len(), vec.capacity(), vec.max_len()), (max_len, max_len, max_len));
            let refused = vec.try_push(7).unwrap_err();
            assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, 7));
            assert_eq!(refused.error.limit(), Some(max_len as u64));
            assert_eq!(refused.error.bytes(), 8 * (max_len + 1));
            let text = refused.error.to_string();
            assert!(
                text.contains("this BlockVec is full") && text.contains("`BlockVec::builder`"),
                "{text}"
            );
            assert!(vec.try_reserve(1).is_err() && vec.try_insert(0, 7).is_err());
            // No block has room for elements past the maximum.
            assert_eq!(vec.stats().block_bytes, 8 * max_len);
            assert!(vec.iter().copied().eq(0..max_len as u64));
        }
    }
}

#[test]
fn impossible_sizes_are_refused() {
    let kind = |result: Result<(), stayput::Error>| result.unwrap_err().kind();
    let mut vec = BlockVec::from([1_u64]);
    assert_eq!(kind(vec.try_reserve(usize::MAX)), ErrorKind::CapacityOverflow);
    assert_eq!(kind(vec.try_reserve(usize::MAX / 8)), ErrorKind::CapacityOverflow);
    let max_len = BlockVec::<u64>::try_with_max_len(usize::MAX / 2).map(drop);
    assert_eq!(kind(max_len), ErrorKind::CapacityOverflow);
    let mut pair = BlockVec::<u64>::with_max_len(2);
    assert_eq!(kind(pair.try_reserve(3)), ErrorKind::MaxLen);
    let capacity = BlockVec::<u64>::builder().max_len(2).capacity(3).try_build().map(drop);
    assert_eq!(kind(capacity), ErrorKind::MaxLen);
    // One block of all addresses. On 32-bit systems it is a quarter of them, which is available. Miri stops the program
    // when its own memory does not suffice.
    if cfg!(all(target_pointer_width = "64", not(miri))) {
        let mut vec = fixed::<u8>(usize::MAX);
        assert_eq!(kind(vec.try_push(1).map_err(Into::into)), ErrorKind::Memory);
    }
    let mut nothing = BlockVec::from([(), ()]);
    let overflow = nothing.try_reserve(usize::MAX).unwrap_err();
    assert_eq!(overflow.kind(), ErrorKind::CapacityOverflow);
    assert_eq!(overflow.limit(), Some(usize::MAX as u64));
}

#[test]
fn elements_of_size_zero_take_no_memory() {
    let mut vec = BlockVec::new();
    vec.resize(1_000_000, ());
    assert_eq!((vec.len(), vec.capacity(), vec.blocks().len()), (1_000_000, usize::MAX, 1));
    let stats = vec.stats();
    assert_eq!((stats.blocks, stats.block_bytes, stats.table_bytes), (0, 0, 0));
    vec.shrink_to_fit();
    assert_eq!((vec.remove(7), vec.drain(..10).count(), vec.len()), ((), 10, 999_989));
    assert_eq!(vec.iter().count() + vec.into_iter().count(), 2 * 999_989);
    let mut few = BlockVec::with_max_len(3);
    few.extend([(); 3]);
    assert_eq!(few.try_push(()).unwrap_err().error.limit(), Some(3));
}

#[test]
fn elements_are_aligned_and_large_ones_have_a_block_each() {
    #[repr(align(4096))]
    #[derive(Clone)]
    struct Aligned(u8);
    let vec: BlockVec<Aligned> = (0..50).map(Aligned).collect();
    assert!(vec.iter().all(|element| (&raw const *element).addr() % 4096 == 0));
    assert!(vec.iter().zip(0..).all(|(element, n)| element.0 == n));
    assert_eq!(vec.stats().blocks, 13);

    let mut huge = fixed(4096);
    for n in 0..20 {
        huge.push([n; 12_000]);
    }
    assert_eq!(huge.stats().blocks, 20);
    huge.insert(3, [99_u8; 12_000]);
    assert_eq!(huge.remove(3)[5], 99);
    assert!(huge.iter().zip(0..).all(|(element, n)| *element == [n; 12_000]));
}

#[test]
fn blocks_have_the_requested_size() {
    let lens = |blocks| {
        let mut vec = BlockVec::builder().blocks(blocks).build();
        vec.extend(0..700_u32);
        vec.blocks().map(<[u32]>::len).collect::<Vec<_>>()
    };
    assert_eq!(lens(Blocks::Fixed { bytes: 1024 }), [256, 256, 188]);
    // A block holds a power of two of elements.
    assert_eq!(lens(Blocks::Fixed { bytes: 2047 }), [256, 256, 188]);
    assert_eq!(lens(Blocks::Doubling { first_bytes: 400 }), [64, 128, 256, 252]);
    assert_eq!(lens(Blocks::Fixed { bytes: 0 }), [1; 700]);
    assert_eq!(lens(Blocks::Doubling { first_bytes: 0 })[..5], [1, 2, 4, 8, 16]);
}

#[test]
fn memory_is_returned_block_by_block() {
    let mut vec = fixed::<u64>(800);
    vec.extend(0..1000);
    let first = &raw const vec[0];
    assert_eq!(vec.stats().blocks, 16);
    vec.truncate(65);
    assert_eq!(vec.stats().blocks, 16);
    vec.shrink_to(300);
    assert_eq!((vec.stats().blocks, vec.capacity()), (5, 320));
    vec.shrink_to_fit();
    assert_eq!((vec.stats().blocks, vec.capacity()), (2, 128));
    assert_eq!(&raw const vec[0], first);
    vec.clear();
    vec.shrink_to_fit();
    assert_eq!((vec.stats().blocks, vec.stats().table_bytes), (0, 0));
    vec.push(1);
    assert_eq!(vec, [1]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn ten_thousand_small_arrays_take_little_more_than_their_elements() {
    let blocks = Blocks::Doubling { first_bytes: 128 };
    let builder = BlockVec::builder().blocks(blocks);
    let mut arrays: Vec<BlockVec<u64>> = (0..10_000).map(|_| builder.build()).collect();
    for n in 0..100 {
        for array in &mut arrays {
            array.push(n);
        }
    }
    assert!(arrays.iter().all(|array| array.iter().copied().eq(0..100)));
    let bytes = |stats: BlockVecStats| stats.block_bytes + stats.table_bytes;
    // Of 800 bytes each.
    assert!(arrays.iter().all(|array| bytes(array.stats()) <= 2100));
}

#[test]
fn comparison_and_debug_output_match_vec() {
    let std: Vec<u32> = (0..300).collect();
    let (mut a, mut b) = (fixed(64), fixed(1 << 10));
    a.extend(&std);
    b.extend(&std);
    assert_eq!(a, b);
    assert_eq!(a, std);
    assert_eq!(std, a);
    assert_eq!(a, std[..]);
    assert_eq!(a, &std[..]);
    assert_eq!(std[..], a);
    assert_eq!(a, *<&[u32; 300]>::try_from(&std[..]).unwrap());
    assert_eq!(a, VecDeque::from(std.clone()));
    assert_eq!(format!("{a:?}"), format!("{std:?}"));
    assert_eq!(format!("{:?}", a.range(2..4)), "[2, 3]");
    assert_eq!(format!("{:?}", a.blocks().next().unwrap()), format!("{:?}", &std[..16]));
    assert!(HashSet::from([a.clone()]).contains(&b));
    b[299] = 7;
    assert_ne!(a, b);
    assert!(a > b && BTreeSet::from([a.clone(), b.clone()]).len() == 2);
    b.pop();
    assert_ne!(a, b);
    assert!(a > b);
    assert_ne!(a, std[1..]);
    assert_eq!(a.into_vec(), std);
}

#[test]
fn conversion_to_a_vm_vec_and_back_preserves_equality() {
    let mut vec = fixed(64);
    vec.extend((0..300).map(|n| n.to_string()));
    let vm = VmVec::from(vec.clone());
    assert_eq!(vm, vec);
    assert_eq!(vec, vm);
    assert_ne!(vec, VmVec::from(["0".to_owned()]));
    assert_eq!(BlockVec::from(vm), vec);
}

#[test]
fn the_ends_of_an_iterator_meet_in_one_block() {
    let vec: BlockVec<u32> = (0..10).collect();
    let mut iter = vec.iter();
    for n in 0..5 {
        assert_eq!((iter.next(), iter.next_back()), (Some(&n), Some(&(9 - n))));
    }
    assert_eq!((iter.next(), iter.next_back(), iter.next()), (None, None, None));
    let mut leaps = vec.iter();
    assert_eq!((leaps.nth(3), leaps.nth_back(3), leaps.nth(2)), (Some(&3), Some(&6), None));
    assert_eq!((leaps.next(), leaps.next_back()), (None, None));
}

#[test]
fn panics_name_the_cause_and_the_caller() {
    let mut vec = BlockVec::from([1, 2, 3]);
    assert_eq!(panic_message(|| vec[3]), "index out of bounds: the len is 3 but the index is 3");
    assert_eq!(
        panic_message(|| vec[5] = 1),
        "index out of bounds: the len is 3 but the index is 5"
    );
    assert!(panic_message(|| vec.insert(4, 1)).contains("insertion index (is 4)"));
    assert!(panic_message(|| vec.remove(3)).contains("removal index (is 3)"));
    assert!(panic_message(|| vec.swap(0, 3)).contains("the index is 3"));
    assert!(panic_message(|| vec.range(2..5).count()).contains("range end index 5"));
    assert!(panic_message(|| vec.drain(5..).count()).contains("range start index 5"));
    assert!(panic_message(|| vec.split_off(4)).contains("`at` split index (is 4)"));
    let mut full = BlockVec::with_max_len(1);
    full.push(1);
    assert!(panic_message(|| full.push(2)).starts_with("stayput: this BlockVec is full"));
    for file in [
        panic_file(|| vec[3]),
        panic_file(|| full.push(2)),
        panic_file(|| full.reserve(2)),
        panic_file(|| full.extend([2])),
        panic_file(|| vec.remove(3)),
    ] {
        assert!(file.ends_with("block_vec.rs") && file.contains("tests"), "{file}");
    }
    assert_eq!((vec.len(), full.len()), (3, 1));
}

#[test]
fn a_wrong_size_hint_is_never_trusted() {
    let mut vec = fixed(64);
    vec.extend(Boast(0..100, (usize::MAX, Some(3))));
    assert!(vec.into_iter().eq(0..100));
}

#[test]
fn elements_are_dropped_in_their_order() {
    let ledger = Ledger::new();
    let mut vec = fixed(4 * size_of::<Token<'_>>());
    vec.extend(ledger.tokens(0..20));
    vec.truncate(11);
    assert!(ledger.take_order().into_iter().eq(11..20));
    drop(vec);
    assert!(ledger.take_order().into_iter().eq(0..11));
}

#[test]
fn prefaulting_adds_capacity_and_changes_no_element() {
    let mut large = fixed::<[u8; 5000]>(4096);
    large.push([7; 5000]);
    large.prefault(3);
    let capacity = large.capacity();
    assert!(capacity >= 4);
    (0..3).for_each(|n| large.push([n; 5000]));
    assert_eq!((large.len(), large.capacity(), large[0][4999], large[3][0]), (4, capacity, 7, 2));

    let mut small = fixed::<u16>(512);
    small.extend(0..300);
    for additional in [0, 1, 211, 212, 213, 5000] {
        small.prefault(additional);
        assert!(small.capacity() >= 300 + additional && small.iter().copied().eq(0..300));
    }
    let mut few = BlockVec::with_max_len(3);
    few.push('a');
    assert_eq!(few.try_prefault(3).unwrap_err().kind(), ErrorKind::MaxLen);
    few.prefault(2);
    assert_eq!((few.len(), few.capacity()), (1, 3));
    let mut none = BlockVec::<()>::new();
    none.prefault(1000);
    assert!(none.is_empty());
    assert_eq!(*BlockVec::from([1, 2, 3]).into_boxed_slice(), [1, 2, 3]);
}
