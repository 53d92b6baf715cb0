//! `VmVec::read_from` has the same result as `Read::read_to_end`, whatever the reader does.

use proptest::prelude::*;
use stayput::{Error, ErrorKind, VmVec};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a reader does in one call.
#[derive(Clone, Debug)]
enum Step {
    /// Reads that many bytes, or as many as were requested if that is less.
    Give(usize),
    Interrupt,
    Fail,
    Panic,
}

/// Yields 0, 1, 2, … in its steps, then ends.
struct Steps {
    left: std::vec::IntoIter<Step>,
    next: u8,
    given: usize,
}

impl Steps {
    fn new(steps: Vec<Step>) -> Self {
        Self { left: steps.into_iter(), next: 0, given: 0 }
    }
}

impl Read for Steps {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.left.next() {
            None => Ok(0),
            Some(Step::Give(count)) => {
                let count = count.clamp(1, into.len());
                for byte in &mut into[..count] {
                    assert_eq!(*byte, 0, "the reader sees what is not its own");
                    *byte = self.next;
                    self.next = self.next.wrapping_add(1);
                }
                self.given += count;
                Ok(count)
            }
            Some(Step::Interrupt) => Err(io::ErrorKind::Interrupted.into()),
            Some(Step::Fail) => {
                into.fill(0xff);
                Err(io::ErrorKind::BrokenPipe.into())
            }
            Some(Step::Panic) => {
                into.fill(0xff);
                panic!("a reader that panics")
            }
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => (1..100_usize).prop_map(Step::Give),
        10 => (30_000..40_000_usize).prop_map(Step::Give),
        2 => Just(Step::Give(usize::MAX)),
        2 => Just(Step::Interrupt),
        1 => Just(Step::Fail),
        1 => Just(Step::Panic),
    ]
}

proptest! {
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn bytes_already_read_stay_however_reading_ends(
        steps in prop::collection::vec(step(), 0..20),
        before in 0..70_000_usize,
        spoilt in 0..200_000_usize,
    ) {
        let mut vec = VmVec::new();
        // Memory that was used before.
        vec.resize(spoilt, 7);
        vec.truncate(before);
        vec.resize(before, 9);
        let mut reader = Steps::new(steps);
        let end = catch_unwind(AssertUnwindSafe(|| vec.read_from(&mut reader)));
        prop_assert!(vec[..before].iter().all(|byte| *byte == 9 || *byte == 7));
        prop_assert_eq!(vec.len() - before, reader.given);
        let expected = (0..reader.given).map(|n| n.to_le_bytes()[0]);
        prop_assert!(vec[before..].iter().copied().eq(expected));
        if let Ok(Ok(count)) = end {
            prop_assert_eq!(count, reader.given);
        }
    }
}

#[test]
fn an_array_that_is_just_full_is_read_to_the_end() {
    let mut vec = VmVec::with_max_len(100_000);
    let text = vec![5; 100_000];
    assert_eq!(vec.read_from(&mut &text[..]).unwrap(), 100_000);
    assert_eq!(vec, text);
    assert_eq!(vec.read_from(&mut io::empty()).unwrap(), 0);

    let mut reader = &[1; 40][..];
    let error = vec.read_from(&mut reader).unwrap_err();
    let inner = error.into_inner().and_then(|inner| inner.downcast::<Error>().ok());
    assert_eq!(inner.map(|error| error.kind()), Some(ErrorKind::MaxLen));
    assert_eq!((vec.len(), reader.len()), (100_000, 8));
}

#[test]
fn a_reader_without_end_is_read_to_the_maximum() {
    let mut vec = VmVec::with_max_len(70_001);
    assert!(vec.read_from(&mut io::repeat(3)).is_err());
    assert_eq!(vec, vec![3; 70_001]);
    let dynamic: &mut dyn Read = &mut io::empty();
    assert_eq!(vec.read_from(dynamic).unwrap(), 0);
}

#[test]
fn a_reader_with_wrong_counts_is_not_trusted() {
    struct Liar;

    impl Read for Liar {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            Ok(into.len() + 1)
        }
    }

    for mut vec in [VmVec::new(), VmVec::from("abc"), VmVec::with_max_len(0)] {
        let before = vec.clone();
        assert!(catch_unwind(AssertUnwindSafe(|| vec.read_from(&mut Liar))).is_err());
        assert_eq!(vec, before);
    }
}
