//! Memory that is refused at random.

#![expect(unsafe_code, reason = "hands memory of a reservation on")]

use std::ops::Range;
use std::ptr::NonNull;

use bench_common::random::Random;
use stayput::{Backing, Error, Reservation};

/// Refuses three times out of four.
pub(crate) struct Refusing {
    memory: Reservation,
    random: Random,
}

impl Refusing {
    /// The system's code for it.
    const OUT_OF_MEMORY: i32 = if cfg!(windows) { 8 } else { 12 };

    pub(crate) fn new(bytes: usize) -> Result<Self, Error> {
        Ok(Self { memory: Reservation::new(bytes)?, random: Random::new(1) })
    }
}

// SAFETY: the reservation is this one's alone, stays where it is, and keeps what is committed. What is refused was not
// touched. Ranges are of whole runs, so of whole pages; they are zeroed when they are committed.
unsafe impl Backing for Refusing {
    fn start(&self) -> NonNull<u8> {
        NonNull::new(self.memory.as_ptr()).expect("memory is somewhere")
    }

    fn reserved_bytes(&self) -> usize {
        self.memory.reserved_bytes()
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        if self.random.below(4) > 0 {
            return Err(Error::from_raw_os_error(Self::OUT_OF_MEMORY, range.len()));
        }
        self.memory.commit(range.clone())?;
        // SAFETY: inside the memory, by the caller's promise.
        let first = unsafe { self.memory.as_ptr().add(range.start) };
        // SAFETY: committed, and nobody uses it, by the caller's promise.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        self.memory.decommit(range)
    }
}
