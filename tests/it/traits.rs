//! The traits of `Vec`, with the same behaviour.

use crate::helpers::{Neither, SendOnly, SyncOnly, assert_like_elements, has};
use static_assertions::{assert_eq_size, assert_impl_all, assert_not_impl_any};
use stayput::vec::{Drain, IntoIter, Splice};
use stayput::{
    BlockVec, Error, ErrorKind, GrowOnly, Refused, Reservation, VecBuilder, VecStats, VmVec,
    block_vec, vm_vec,
};
use std::borrow::{Borrow, BorrowMut, Cow};
use std::cell::UnsafeCell;
use std::collections::hash_map::{DefaultHasher, HashMap};
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::ffi::CString;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::io::{self, IoSlice, Read, Write};
use std::iter::FusedIterator;
use std::mem::MaybeUninit;
use std::num::NonZero;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync::Arc;

assert_like_elements!(VmVec, IntoIter, DrainOf);
assert_impl_all!(VmVec<u8>: UnwindSafe, RefUnwindSafe);
assert_not_impl_any!(VmVec<*const u8>: Send, Sync);
assert_not_impl_any!(VmVec<UnsafeCell<u8>>: RefUnwindSafe);
assert_not_impl_any!(VmVec<&'static mut u8>: UnwindSafe);
assert_not_impl_any!(VmVec<u8>: Copy);

assert_impl_all!(IntoIter<u8>: UnwindSafe, RefUnwindSafe, Clone, Default);
assert_impl_all!(IntoIter<u8>: DoubleEndedIterator, ExactSizeIterator, FusedIterator);
assert_impl_all!(Drain<'static, u8>: DoubleEndedIterator, ExactSizeIterator, FusedIterator);
assert_impl_all!(Splice<'static, IntoIter<u8>>: Send, Sync, DoubleEndedIterator, ExactSizeIterator);

assert_not_impl_any!(GrowOnly<'static, u8>: Send, Sync, Clone, Copy);

assert_impl_all!(Reservation: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe);
assert_impl_all!(Error: Send, Sync, Copy, Eq, Hash, std::error::Error);
assert_impl_all!(ErrorKind: Send, Sync, Copy, Eq, Hash, Debug);
assert_impl_all!(Refused<Neither>: std::error::Error);
assert_impl_all!(VecBuilder<Neither>: Send, Sync, Copy, Debug);
assert_impl_all!(VecStats: Send, Sync, Copy, Eq, Debug);

assert_eq_size!(VmVec<u8>, VmVec<[String; 100]>);
// The fields that a push needs, and two words for everything else.
assert_eq_size!(VmVec<u8>, [usize; 5]);
assert_eq_size!(GrowOnly<'static, u8>, usize);
// With a niche, so that options cost nothing.
assert_eq_size!(VmVec<u8>, Option<VmVec<u8>>);
assert_eq_size!(Reservation, Option<Reservation>);

/// Asserts that `VmVec`, `BlockVec` and their iterators have the same traits as those of std.
macro_rules! assert_as_std {
    ($($element:ty),*) => {$(
        assert_as_std!(VmVec, std::vec::Vec, $element: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe, Clone);
        assert_as_std!(VmVec, std::vec::Vec, $element: Hash, Debug, PartialEq, Eq, PartialOrd, Ord);
        assert_as_std!(IntoIter, std::vec::IntoIter, $element: Send, Sync, Unpin, Clone, Debug);
        assert_as_std!(IntoIter, std::vec::IntoIter, $element: UnwindSafe, RefUnwindSafe);
        assert_as_std!(DrainOf, self::StdDrainOf, $element: Send, Sync, Unpin, Debug);
        assert_as_std!(DrainOf, self::StdDrainOf, $element: UnwindSafe, RefUnwindSafe);
        assert_as_std!(BlockVec, std::vec::Vec, $element: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe, Clone);
        assert_as_std!(BlockVec, std::vec::Vec, $element: Hash, Debug, PartialEq, Eq, PartialOrd, Ord);
        assert_as_std!(BlockIntoIter, std::vec::IntoIter, $element: Send, Sync, Unpin, Clone, Debug);
        assert_as_std!(BlockIntoIter, std::vec::IntoIter, $element: UnwindSafe, RefUnwindSafe);
        assert_as_std!(BlockDrain, self::StdDrainOf, $element: Send, Sync, Unpin);
        assert_as_std!(BlockDrain, self::StdDrainOf, $element: UnwindSafe, RefUnwindSafe);
        assert_as_std!(BlockIter, self::StdIter, $element: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe);
        assert_as_std!(BlockIterMut, self::StdIterMut, $element: Send, Sync, Unpin, UnwindSafe, RefUnwindSafe);
    )*};
    ($ours:ident, $std:path, $element:ty: $($trait:path),*) => {$(
        {
            use $std as Std;
            assert_eq!(
                has!($ours<$element>: $trait),
                has!(Std<$element>: $trait),
                "{}<{}>: {}", stringify!($ours), stringify!($element), stringify!($trait)
            );
        }
    )*};
}

type DrainOf<T> = Drain<'static, T>;
type StdDrainOf<T> = std::vec::Drain<'static, T>;
type BlockIntoIter<T> = block_vec::IntoIter<T>;
type BlockDrain<T> = block_vec::Drain<'static, T>;
type BlockIter<T> = block_vec::Iter<'static, T>;
type BlockIterMut<T> = block_vec::IterMut<'static, T>;
type StdIter<T> = std::slice::Iter<'static, T>;
type StdIterMut<T> = std::slice::IterMut<'static, T>;

#[test]
fn traits_have_the_same_bounds_as_in_std() {
    assert_as_std!(
        u8,
        SendOnly,
        SyncOnly,
        Neither,
        UnsafeCell<u8>,
        &'static UnsafeCell<u8>,
        &'static mut u8,
        *const u8,
        std::marker::PhantomPinned,
        Box<dyn Debug>
    );
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn equality_is_defined_with_the_same_types_as_for_vec() {
    let vec = VmVec::from([1, 2, 3]);
    let (std, array, mut other) = (vec![1, 2, 3], [1, 2, 3], [1, 2, 3]);
    let deque = VecDeque::from(array);
    assert_eq!(vec, vec.clone());
    assert_eq!(vec, std);
    assert_eq!(std, vec);
    assert_eq!(vec, array);
    assert_eq!(vec, &array);
    assert_eq!(vec, array[..]);
    assert_eq!(array[..], vec);
    assert_eq!(vec, &array[..]);
    assert_eq!(&array[..], vec);
    assert_eq!(vec, &mut other[..]);
    assert_eq!(&mut other[..], vec);
    assert_eq!(Cow::Borrowed(&array[..]), vec);
    assert_eq!(Cow::<[i32]>::Owned(std.clone()), vec);
    assert_eq!(deque, vec);

    for different in [vec![1, 2], vec![1, 2, 4], vec![1, 2, 3, 4], vec![]] {
        assert_ne!(vec, different);
        assert_ne!(different, vec);
        assert_ne!(VecDeque::from(different.clone()), vec);
        assert_ne!(Cow::Owned(different), vec);
    }
    // Elements of different types.
    let words = VmVec::from(["a".to_owned(), "b".to_owned()]);
    assert_eq!(words, ["a", "b"]);
    assert_eq!(words, VmVec::from(["a", "b"]));
    // Elements that do not equal themselves.
    assert_ne!(VmVec::from([f64::NAN]), VmVec::from([f64::NAN]));
}

#[test]
fn order_and_hash_are_those_of_slices() {
    let lists = [vec![], vec![1], vec![1, 2], vec![1, 3], vec![2]];
    for a in &lists {
        for b in &lists {
            let (left, right) = (VmVec::from(&a[..]), VmVec::from(&b[..]));
            assert_eq!(left.cmp(&right), a.cmp(b));
            assert_eq!(left.partial_cmp(&right), a.partial_cmp(b));
            assert_eq!(left < right, a < b);
        }
        assert_eq!(hash(&VmVec::from(&a[..])), hash(a));
        assert_eq!(hash(&VmVec::from(&a[..])), hash(&a[..]));
    }
    let (less, more) = (VmVec::from([1, 2]), vec![1, 3]);
    let equal = VmVec::from([1, 3]);
    assert!(less < more && equal >= more);
    assert_eq!(more.partial_cmp(&less), Some(std::cmp::Ordering::Greater));
    let nan = VmVec::from([f64::NAN]);
    assert_eq!(nan.partial_cmp(&vec![f64::NAN]), None);
    assert_eq!(nan.partial_cmp(&nan), None);

    let mut names = HashMap::new();
    names.insert(VmVec::from([1, 2]), "one, two");
    assert_eq!(names.get(&[1, 2][..]), Some(&"one, two"));
    assert_eq!(names.get(&[2][..]), None);
    let set = BTreeSet::from([VmVec::from([2]), VmVec::from([1, 5])]);
    assert!(set.contains(&[2][..]));
    assert_eq!(set.first().map(VmVec::len), Some(2));
}

#[test]
fn arrays_borrow_as_slices() {
    fn slice<T: AsRef<[i32]> + Borrow<[i32]>>(of: &T) -> (&[i32], &[i32]) {
        (of.as_ref(), of.borrow())
    }
    fn change<T: AsMut<[i32]> + BorrowMut<[i32]>>(of: &mut T) {
        of.as_mut()[0] = 7;
        of.borrow_mut()[1] = 8;
    }
    let mut vec = VmVec::from([1, 2, 3]);
    assert_eq!(slice(&vec), (&[1, 2, 3][..], &[1, 2, 3][..]));
    change(&mut vec);
    let itself: &mut VmVec<i32> = vec.as_mut();
    itself.push(4);
    let itself: &VmVec<i32> = vec.as_ref();
    assert_eq!(*itself, [7, 8, 3, 4]);

    assert_eq!((vec[1], &vec[..2], &vec[2..=2]), (8, &[7, 8][..], &[3][..]));
    vec[1] = 5;
    vec[2..].fill(0);
    assert_eq!(vec, [7, 5, 0, 0]);
    assert_eq!((vec.first(), vec.last(), vec.get(9)), (Some(&7), Some(&0), None));
    vec.sort_unstable();
    assert_eq!(vec.binary_search(&5), Ok(2));
    assert_eq!(vec.as_mut_slice().len(), vec.as_slice().len());
    for element in &mut vec {
        *element += 1;
    }
    assert_eq!((&vec).into_iter().sum::<i32>(), 16);
}

#[test]
fn debug_output_is_a_list() {
    let vec = VmVec::from(["a", "b"]);
    assert_eq!(format!("{vec:?}"), r#"["a", "b"]"#);
    assert_eq!(format!("{vec:#?}"), format!("{:#?}", ["a", "b"]));
    let mut iter = vec.clone().into_iter();
    iter.next();
    assert_eq!(format!("{iter:?}"), r#"IntoIter(["b"])"#);
    let mut vec = vec;
    assert_eq!(format!("{:?}", vec.drain(1..)), r#"Drain(["b"])"#);
    assert!(format!("{:?}", vec.splice(.., ["c"])).contains("Drain"));
    assert!(format!("{:?}", vec.extract_if(.., |_| false)).contains("left: 1"));
    assert!(format!("{:?}", vec.stats()).contains("committed_bytes"));
    assert!(format!("{:?}", VmVec::<Neither>::builder().max_len(77)).contains("77"));
}

#[test]
fn the_default_is_empty() {
    const EMPTY: VmVec<String> = VmVec::new();
    static KEPT: VmVec<String> = VmVec::new();
    assert!(VmVec::<Neither>::default().is_empty());
    assert_eq!(IntoIter::<Neither>::default().len(), 0);
    assert_eq!(vm_vec![0_u8; 0], VmVec::new());
    assert_eq!((EMPTY.len(), KEPT.len()), (0, 0));
}

/// The conversions of both kinds of arrays.
macro_rules! conversions {
    ($($array:ident in $module:ident;)+) => {
        $(mod $module {
            use super::*;

            #[test]
            fn arrays_convert_from_the_same_types_as_vec() {
                let expected = $array::from([1_u8, 2, 3]);
                let mut array = [1, 2, 3];
                assert_eq!($array::from(vec![1, 2, 3]), expected);
                assert_eq!($array::from(&[1, 2, 3]), expected);
                assert_eq!($array::from(&mut array), expected);
                assert_eq!($array::from(&mut array[..]), expected);
                assert_eq!($array::from(&array[..]), expected);
                assert_eq!($array::from(Box::<[u8]>::from(array)), expected);
                let mut deque = VecDeque::from([2, 3]);
                deque.push_front(1);
                assert_eq!($array::from(deque), expected);
                assert_eq!($array::from(BinaryHeap::from([1])), [1]);
                assert_eq!($array::from(Cow::Borrowed(&array[..])), expected);
                assert_eq!($array::from(Cow::<[u8]>::Owned(vec![1, 2, 3])), expected);
                assert_eq!($array::from("abc"), *b"abc");
                assert_eq!($array::from("abc".to_owned()), *b"abc");
                assert_eq!($array::from(CString::new("abc").unwrap()), *b"abc");
                assert_eq!(array.into_iter().collect::<$array<u8>>(), expected);
                assert_eq!($array::from_iter([1, 2, 3]), expected);
                assert_eq!($array::<String>::from([]), [""; 0]);
            }

            #[test]
            fn arrays_convert_to_the_same_types_as_vec() {
                let make = || $array::from([3_u8, 1, 2]);
                assert_eq!(Vec::from(make()), [3, 1, 2]);
                assert_eq!(make().into_vec(), [3, 1, 2]);
                assert_eq!(*Box::<[u8]>::from(make()), [3, 1, 2]);
                assert_eq!(*Rc::<[u8]>::from(make()), [3, 1, 2]);
                assert_eq!(*Arc::<[u8]>::from(make()), [3, 1, 2]);
                assert_eq!(VecDeque::from(make()), [3, 1, 2]);
                assert_eq!(BinaryHeap::from(make()).into_sorted_vec(), [1, 2, 3]);
                assert!(matches!(Cow::from(make()), Cow::Owned(vec) if vec == [3, 1, 2]));

                assert_eq!(<[u8; 3]>::try_from(make()), Ok([3, 1, 2]));
                assert_eq!(<[u8; 2]>::try_from(make()), Err(make()));
                assert_eq!(<[u8; 4]>::try_from(make()), Err(make()));
                assert_eq!(Box::<[u8; 3]>::try_from(make()), Ok(Box::new([3, 1, 2])));
                assert_eq!(Box::<[u8; 0]>::try_from(make()), Err(make()));
                assert_eq!(<[String; 0]>::try_from($array::new()), Ok([]));

                let bytes = [b'a', b'b'].map(|byte| NonZero::new(byte).unwrap());
                assert_eq!(CString::from($array::from(bytes)).as_bytes(), b"ab");
                assert_eq!(String::try_from($array::from("smörgås")).unwrap(), "smörgås");
                let broken = String::try_from($array::from([0x61, 0xff])).unwrap_err();
                assert_eq!(broken.into_bytes(), [0x61, 0xff]);
            }
        })+
    };
}

conversions! {
    VmVec in vm_vec_converts;
    BlockVec in block_vec_converts;
}

#[test]
fn arrays_convert_to_cow_and_the_macro_creates_them() {
    let vec = vm_vec![3, 1, 2];
    assert!(matches!(Cow::from(&vec), Cow::Borrowed([3, 1, 2])));
    assert_eq!(*vec.into_boxed_slice(), [3, 1, 2]);
    assert_eq!(vm_vec![String::from("a"); 3], ["a"; 3]);
}

#[test]
fn extend_takes_values_and_references() {
    let mut vec = VmVec::new();
    vec.extend([1, 2]);
    vec.extend(&[3, 4]);
    vec.extend(VmVec::from([5]));
    vec.extend(&VmVec::from([6]));
    vec.extend(Some(7));
    vec.extend(std::iter::empty::<&i32>());
    let itself = vec.clone();
    vec.extend(itself.iter().rev());
    assert_eq!(vec, [1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1]);
    assert_eq!(vec.iter().copied().unzip_evens(), ([2, 4, 6, 6, 4, 2].into(), 32));

    // An iterator that continues after its end is not called again.
    let mut turn = 0;
    let flicker = std::iter::from_fn(|| {
        turn += 1;
        (turn % 3 != 0).then_some(turn)
    });
    assert_eq!(flicker.collect::<VmVec<_>>(), [1, 2]);
}

/// Collects into arrays through `Extend` alone.
trait UnzipEvens: Iterator<Item = i32> + Sized {
    fn unzip_evens(self) -> (VmVec<i32>, i32) {
        let (evens, odds): (VmVec<i32>, VmVec<i32>) = self.partition(|n| n % 2 == 0);
        (evens, odds.into_iter().sum::<i32>())
    }
}

impl<I: Iterator<Item = i32>> UnzipEvens for I {}

#[test]
fn write_appends_bytes() {
    let mut bytes = VmVec::from("<");
    write!(bytes, "{:03}", 7).unwrap();
    assert_eq!(bytes.write(b"ab").unwrap(), 2);
    bytes.write_all(&"c".repeat(100_000).into_bytes()).unwrap();
    bytes.flush().unwrap();
    let mut slices = [IoSlice::new(b"de"), IoSlice::new(b"f")];
    let mut rest = &mut slices[..];
    while !rest.is_empty() {
        let written = bytes.write_vectored(rest).unwrap();
        IoSlice::advance_slices(&mut rest, written);
    }
    assert_eq!(bytes.len(), 1 + 3 + 2 + 100_000 + 3);
    assert!(bytes.starts_with(b"<007abccc") && bytes.ends_with(b"cdef"));
    assert_eq!(io::copy(&mut &b"ghi"[..], &mut bytes).unwrap(), 3);
    assert!(bytes.ends_with(b"defghi"));

    let mut full = VmVec::with_max_len(4);
    full.write_all(b"abc").unwrap();
    let error = full.write_all(b"de").unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
    let inner = error.into_inner().and_then(|inner| inner.downcast::<Error>().ok());
    assert_eq!(inner.map(|error| error.kind()), Some(ErrorKind::MaxLen));
    assert_eq!(full, *b"abc");
    assert_eq!(full.write(b"d").unwrap(), 1);
    assert!(full.write(b"e").is_err());
}

/// Methods named twice take the same arguments.
#[test]
fn the_methods_of_vec_exist_with_the_same_arguments() {
    macro_rules! both {
        ($($method:ident: $type:ty),* $(,)?) => {$({
            type Array<T> = Vec<T>;
            let _: $type = Array::<u8>::$method;
            {
                type Array<T> = VmVec<T>;
                let _: $type = Array::<u8>::$method;
            }
        })*};
    }

    both! {
        new: fn() -> Array<u8>,
        with_capacity: fn(usize) -> Array<u8>,
        capacity: fn(&Array<u8>) -> usize,
        reserve: fn(&mut Array<u8>, usize),
        reserve_exact: fn(&mut Array<u8>, usize),
        shrink_to_fit: fn(&mut Array<u8>),
        shrink_to: fn(&mut Array<u8>, usize),
        into_boxed_slice: fn(Array<u8>) -> Box<[u8]>,
        truncate: fn(&mut Array<u8>, usize),
        as_slice: fn(&Array<u8>) -> &[u8],
        as_mut_slice: fn(&mut Array<u8>) -> &mut [u8],
        as_ptr: fn(&Array<u8>) -> *const u8,
        as_mut_ptr: fn(&mut Array<u8>) -> *mut u8,
        set_len: unsafe fn(&mut Array<u8>, usize),
        swap_remove: fn(&mut Array<u8>, usize) -> u8,
        insert: fn(&mut Array<u8>, usize, u8),
        remove: fn(&mut Array<u8>, usize) -> u8,
        dedup: fn(&mut Array<u8>),
        push: fn(&mut Array<u8>, u8),
        pop: fn(&mut Array<u8>) -> Option<u8>,
        append: fn(&mut Array<u8>, &mut Array<u8>),
        clear: fn(&mut Array<u8>),
        len: fn(&Array<u8>) -> usize,
        is_empty: fn(&Array<u8>) -> bool,
        split_off: fn(&mut Array<u8>, usize) -> Array<u8>,
        leak: fn(Array<u8>) -> &'static mut [u8],
        spare_capacity_mut: fn(&mut Array<u8>) -> &mut [MaybeUninit<u8>],
        resize: fn(&mut Array<u8>, usize, u8),
        extend_from_slice: fn(&mut Array<u8>, &[u8]),
    }
    // By calling them, since they are generic, newer than the oldest compiler, or return another type.
    let mut vec = VmVec::from([1, 2, 2, 3]);
    vec.try_reserve(1).and_then(|()| vec.try_reserve_exact(1)).unwrap();
    vec.retain(|_| true);
    vec.retain_mut(|_| true);
    vec.dedup_by(|a, b| a == b);
    vec.dedup_by_key(|n| *n);
    assert_eq!(vec.pop_if(|n| *n > 2), Some(3));
    *vec.push_mut(5) += 1;
    *vec.insert_mut(0, 0) += 1;
    vec.resize_with(5, Default::default);
    vec.extend_from_within(..1);
    assert!(vec.extract_if(.., |n| *n == 0).eq([0]));
    assert!(vec.splice(..2, [7]).eq([1, 1]));
    assert!(vec.drain(1..).eq([2, 6, 1]));
    assert_eq!(VmVec::from([[7]]).into_flattened(), vec);
}

#[test]
fn functions_that_take_slices_or_bytes_take_arrays() {
    let parts = [VmVec::from([1, 2]), VmVec::new(), VmVec::from([3])];
    assert_eq!(parts.concat(), [1, 2, 3]);
    assert_eq!(parts.join(&0), [1, 2, 0, 0, 3]);
    assert_eq!(CString::new(VmVec::from("abc")).unwrap().as_bytes(), b"abc");
    let mut cursor = io::Cursor::new(VmVec::from("abcd"));
    cursor.set_position(2);
    let mut rest = String::new();
    cursor.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "cd");
}

#[test]
fn iterators_know_their_remaining_items() {
    let mut iter = VmVec::from([1, 2, 3, 4]).into_iter();
    assert_eq!((iter.next(), iter.next_back()), (Some(1), Some(4)));
    assert_eq!((iter.len(), iter.as_slice(), iter.as_ref()), (2, &[2, 3][..], &[2, 3][..]));
    iter.as_mut_slice()[0] = 9;
    assert_eq!(iter.clone().collect::<Vec<_>>(), [9, 3]);
    assert_eq!(
        (iter.next(), iter.next(), iter.next(), iter.next_back()),
        (Some(9), Some(3), None, None)
    );
    assert_eq!((iter.len(), iter.next()), (0, None));

    let mut vec = VmVec::from([1, 2, 3, 4, 5]);
    let mut drain = vec.drain(1..4);
    assert_eq!(
        (drain.len(), drain.as_slice(), drain.as_ref()),
        (3, &[2, 3, 4][..], &[2, 3, 4][..])
    );
    assert_eq!((drain.next_back(), drain.size_hint()), (Some(4), (2, Some(2))));
    drop(drain);
    assert_eq!(vec, [1, 5]);
    let extract = vec.extract_if(.., |_| true);
    assert_eq!(extract.size_hint(), (0, Some(2)));
}

#[test]
#[cfg(target_pointer_width = "32")]
fn parts_that_cannot_be_counted_are_refused_as_a_whole() {
    let part = vec![1_u8; 1 << 20];
    let parts = vec![IoSlice::new(&part); 1 << 12];
    let mut bytes: VmVec<u8> = VmVec::from([7]);
    assert!(bytes.write_vectored(&parts).is_err() && bytes == [7]);
}
