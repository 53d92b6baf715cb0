//! Conversions of a `VmVec`, comparisons with other types, and reading and writing bytes.

use super::elements::Element;
use super::model::Model;
use super::op::{Batch, Span};
use stayput::{Error, ErrorKind, VmVec};
use std::borrow::{Borrow, Cow};
use std::collections::{BinaryHeap, VecDeque};
use std::ffi::CString;
use std::io::{self, IoSlice, Read, Write};
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;

arbitrary! {
    /// How bytes are written.
    pub(crate) enum Writing {
        Write,
        All,
        Vectored,
    }

    /// How a reader yields its bytes.
    pub(crate) struct Reading {
        most: u16,
        /// How many calls succeed between two that are interrupted; none is if that is 0.
        interrupt: u8,
        end: End,
    }

    /// What follows the last byte.
    pub(crate) enum End {
        Nothing,
        Error,
        Panic,
    }
}

/// A reader of bytes.
pub(crate) struct Reader<'b> {
    left: &'b [u8],
    calls: usize,
    how: Reading,
}

impl Read for Reader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls % (usize::from(self.how.interrupt) + 1) == 1 && self.how.interrupt > 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let count = usize::from(self.how.most).max(1).min(into.len());
        match (self.left.len(), self.how.end) {
            (0, End::Error) => Err(io::ErrorKind::BrokenPipe.into()),
            (0, End::Panic) => resume_unwind(Box::new(())),
            _ => self.left.read(&mut into[..count]),
        }
    }
}

/// The error of the array.
fn inner(error: io::Error) -> Error {
    *error.into_inner().expect("an error of the array").downcast().expect("an error of the array")
}

pub(super) fn try_write(vec: &mut VmVec<u8>, bytes: &[u8], how: Writing) -> Result<(), Error> {
    let (first, second) = bytes.split_at(bytes.len() / 3);
    let written = match how {
        Writing::Write => vec.write(bytes),
        Writing::All => vec.write_all(bytes).map(|()| bytes.len()),
        Writing::Vectored => vec.write_vectored(&[IoSlice::new(first), IoSlice::new(second)]),
    };
    assert!(vec.flush().is_ok());
    written.map(|count| assert_eq!(count, bytes.len())).map_err(inner)
}

/// Conversions between bytes and text.
pub(super) fn check_text(vec: &VmVec<u8>) {
    match (String::try_from(vec.clone()), String::from_utf8(vec.to_vec())) {
        (Ok(text), Ok(expected)) => {
            assert_eq!(text, expected);
            assert!(VmVec::<u8>::from(text.as_str()) == *vec && VmVec::<u8>::from(text) == *vec);
        }
        (Err(error), Err(expected)) => assert_eq!(error, expected),
        _ => panic!("one of them is text"),
    }
    let bytes: VmVec<NonZero<u8>> = vec.iter().filter_map(|byte| NonZero::new(*byte)).collect();
    let expected: Vec<u8> = bytes.iter().map(|byte| byte.get()).collect();
    let text = CString::from(bytes);
    assert_eq!(text.as_bytes(), expected);
    assert!(VmVec::<u8>::from(text) == expected);
}

impl<T: Element> Model<T, VmVec<T>> {
    pub(super) fn write(&mut self, batch: Batch, how: Writing) {
        let bytes = batch.vec::<T>();
        if self.fits(bytes.len()).is_some() {
            if let Some(result) = T::try_write(&mut self.vec, &bytes, how) {
                self.grow(bytes.len(), |_, _| result, |std| std.extend_from_slice(&bytes));
            }
        }
    }

    /// Bytes that were read before an error stay.
    pub(super) fn read(&mut self, batch: Batch, how: Reading) {
        let bytes = batch.vec::<u8>();
        let Some(fits) = self.fits(bytes.len()) else { return };
        let before = self.std.len();
        let mut reader = Reader { left: &bytes, calls: 0, how };
        let run = || T::read_from(&mut self.vec, &mut reader);
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(None) => return,
            Ok(Some(Ok(count))) => {
                assert!(fits && matches!(how.end, End::Nothing));
                assert_eq!(count, bytes.len());
            }
            Ok(Some(Err(error))) if fits => {
                assert!(matches!(how.end, End::Error));
                assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
            }
            Ok(Some(Err(error))) => {
                assert_eq!(inner(error).kind(), ErrorKind::MaxLen);
                // As many as the reader is asked for without memory.
                assert!(self.vec.len() + 32 >= T::SPAN);
            }
            Err(_) => assert!(fits && matches!(how.end, End::Panic)),
        }
        let read = self.vec.len() - before;
        assert!(!fits || read == bytes.len());
        let read = bytes[..read].iter().map(|byte| T::make(*byte));
        self.std.extend(read);
    }

    #[expect(clippy::op_ref, clippy::cmp_owned, reason = "compares by each implementation")]
    pub(super) fn compare(&self, batch: Batch, span: Span) {
        let (vec, std, mut other) = (&self.vec, &self.std[..], batch.vec::<T>());
        let same = VmVec::from(other.clone());
        assert_eq!(*vec == same, *std == other[..]);
        assert_eq!(
            (vec.cmp(&same), vec.partial_cmp(&same)),
            (std.cmp(&other), std.partial_cmp(&other))
        );
        assert_eq!(vec.partial_cmp(&other), std.partial_cmp(&other));
        assert_eq!(other.partial_cmp(vec), other[..].partial_cmp(std));
        let is_equal = *std == other[..];
        assert_eq!([*vec == other, other == *vec], [is_equal; 2]);
        assert_eq!([*vec == other[..], other[..] == *vec], [is_equal; 2]);
        assert_eq!([*vec == &other[..], &other[..] == *vec], [is_equal; 2]);
        assert_eq!([*vec == &mut other[..], &mut other[..] == *vec], [is_equal; 2]);
        assert_eq!(
            [VecDeque::from(other.clone()) == *vec, Cow::<[T]>::from(&other[..]) == *vec],
            [is_equal; 2]
        );
        if let Ok(array) = <[T; 2]>::try_from(other) {
            assert_eq!([*vec == array, *vec == &array], [is_equal; 2]);
        }
        let slices: [&[T]; 2] = [vec.as_ref(), vec.borrow()];
        assert!(slices == [std; 2]);
        let span = span.within(std.len());
        assert!(vec[span.clone()] == std[span.clone()] && vec[span.start..] == std[span.start..]);
        assert_eq!(format!("{:?}", &vec[span.clone()]), format!("{:?}", &std[span]));
    }

    #[expect(clippy::cmp_owned, reason = "what is made is compared")]
    pub(super) fn convert_to(&self, how: u8) {
        let (vec, std) = (&self.vec, &self.std);
        match how % 8 {
            0 => assert!(*Box::<[T]>::from(vec.clone()) == std[..]),
            1 => assert!(*Rc::<[T]>::from(vec.clone()) == std[..]),
            2 => assert!(*Arc::<[T]>::from(vec.clone()) == std[..]),
            3 => assert!(VecDeque::from(vec.clone()) == *std),
            4 => {
                let mut sorted = std.clone();
                sorted.sort();
                assert!(BinaryHeap::from(vec.clone()).into_sorted_vec() == sorted);
            }
            5 => {
                assert!(Cow::<[T]>::from(vec)[..] == std[..]);
                assert!(Cow::<[T]>::from(vec.clone())[..] == std[..]);
                T::check_text(vec);
            }
            6 => {
                self.convert_to_array::<0>();
                self.convert_to_array::<1>();
                self.convert_to_array::<3>();
            }
            _ => {
                let pairs = std.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]);
                let mut flat = pairs.collect::<VmVec<[T; 2]>>().into_flattened();
                assert!(flat == std[..std.len() / 2 * 2]);
                flat.push(T::make(7));
                assert!(flat[..std.len() / 2 * 2] == std[..std.len() / 2 * 2]);
                let mut none = std.iter().map(|_| []).collect::<VmVec<[T; 0]>>().into_flattened();
                none.push(T::make(7));
                assert!(none == [T::make(7)]);
            }
        }
    }

    fn convert_to_array<const N: usize>(&self) {
        let (vec, std) = (&self.vec, &self.std);
        match <[T; N]>::try_from(vec.clone()) {
            Ok(array) => assert!(array[..] == std[..]),
            Err(same) => assert!(std.len() != N && same == *std),
        }
        match Box::<[T; N]>::try_from(vec.clone()) {
            Ok(array) => assert!(array[..] == std[..]),
            Err(same) => assert!(std.len() != N && same == *std),
        }
    }
}

#[expect(clippy::cmp_owned, reason = "what is made is compared")]
pub(super) fn convert_from<T: Element>(batch: Batch, how: u8) {
    let mut all = batch.vec::<T>();
    let vec: VmVec<T> = match how % 8 {
        0 => all.clone().into(),
        1 => all.as_slice().into(),
        2 => all.as_mut_slice().into(),
        3 => all.clone().into_boxed_slice().into(),
        4 => VecDeque::from(all.clone()).into(),
        5 => Cow::Borrowed(&all[..]).into(),
        6 => Cow::Owned::<[T]>(all.clone()).into(),
        _ => {
            let mut array = [T::make(1), T::make(2), T::make(3)];
            assert!(VmVec::<T>::from(&array) == array && VmVec::<T>::from(&mut array) == array);
            let mut vec: VmVec<T> = BinaryHeap::from(all.clone()).into();
            vec.sort();
            all.sort();
            assert!(VmVec::<T>::from(array.clone()) == array);
            vec
        }
    };
    assert!(vec == all);
}
