//! Tests that need private items.

use super::*;
use std::panic::AssertUnwindSafe;

/// A backing without memory, whose `commit` is never reached.
#[derive(Debug)]
struct Small(u8);

// SAFETY: no array is built in it.
unsafe impl Backing for Small {
    fn start(&self) -> NonNull<u8> {
        #[repr(align(8))]
        struct Aligned;
        NonNull::<Aligned>::dangling().cast()
    }

    fn reserved_bytes(&self) -> usize {
        1 << 10
    }

    unsafe fn commit(&mut self, _: Range<usize>) -> Result<(), Error> {
        unreachable!()
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        panic!("{range:?}");
    }

    fn run_bytes(&self) -> usize {
        64
    }
}

/// Another type with the same layout.
struct Other(Small);

// SAFETY: as above.
unsafe impl Backing for Other {
    fn start(&self) -> NonNull<u8> {
        self.0.start()
    }

    fn reserved_bytes(&self) -> usize {
        1 << 10
    }

    unsafe fn commit(&mut self, _: Range<usize>) -> Result<(), Error> {
        unreachable!()
    }

    unsafe fn decommit(&mut self, _: Range<usize>) -> Result<(), Error> {
        unreachable!()
    }
}

#[test]
fn a_backing_is_returned_only_as_its_own_type() {
    let backing = AnyBacking::new(Small(7), 8).unwrap();
    assert_eq!(backing.into_backing::<Small>().unwrap().0, 7);
    assert!(AnyBacking::new(Small(7), 1).unwrap().into_backing::<Other>().is_none());
    assert_eq!(AnyBacking::new(Small(9), 16).unwrap_err().value.0, 9);
}

#[test]
fn empty_and_partial_runs_are_not_requested() {
    let mut backing = AnyBacking::new(Small(7), 8).unwrap();
    // SAFETY: nothing is committed.
    let mut commit = |range| unsafe { backing.commit(range) };
    commit(64..64).unwrap();
    for range in [0..63, 1..64, 0..1 << 11] {
        let call = std::panic::catch_unwind(AssertUnwindSafe(|| commit(range)));
        assert!(call.is_err());
    }
    assert_eq!((backing.whole_runs(65), backing.whole_runs(1000)), (128, 1 << 10));
    assert!(format!("{backing:?}").contains("1024"));
}

#[test]
fn a_backing_is_not_called_after_a_panic() {
    let mut backing = AnyBacking::new(Small(7), 8).unwrap();
    let call = std::panic::catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the call only panics.
        unsafe { backing.decommit(0..64) }
    }));
    assert!(call.is_err());
    // SAFETY: nothing is committed.
    let error = unsafe { backing.commit(0..128) }.unwrap_err();
    assert_eq!((error.kind(), error.bytes()), (ErrorKind::System, 128));
}
