//! What needs sight of the private parts.

use super::*;
use std::panic::AssertUnwindSafe;

/// Two bytes' worth of nothing.
#[derive(Debug)]
struct Small(u8);

// SAFETY: no array is made in it.
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

/// Another that is laid out the same.
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
fn it_comes_back_as_what_it_was_and_as_nothing_else() {
    let foreign = Foreign::new(Small(7), 8).unwrap();
    assert_eq!(foreign.into_backing::<Small>().unwrap().0, 7);
    assert!(Foreign::new(Small(7), 1).unwrap().into_backing::<Other>().is_none());
    assert_eq!(Foreign::new(Small(9), 16).unwrap_err().value.0, 9);
}

#[test]
fn nothing_and_parts_of_runs_are_not_asked_for() {
    let mut foreign = Foreign::new(Small(7), 8).unwrap();
    foreign.commit(64..64).unwrap();
    for range in [0..63, 1..64, 0..1 << 11] {
        let call = std::panic::catch_unwind(AssertUnwindSafe(|| foreign.commit(range)));
        assert!(call.is_err());
    }
    assert_eq!((foreign.whole_runs(65), foreign.whole_runs(1000)), (128, 1 << 10));
    assert!(format!("{foreign:?}").contains("1024"));
}

#[test]
fn nothing_is_called_after_a_panic() {
    let mut foreign = Foreign::new(Small(7), 8).unwrap();
    let call = std::panic::catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: it does nothing but panic.
        unsafe { foreign.decommit(0..64) }
    }));
    assert!(call.is_err());
    let error = foreign.commit(0..128).unwrap_err();
    assert_eq!((error.kind(), error.bytes()), (ErrorKind::System, 128));
}
