//! Memory that is refused at random.

#![expect(unsafe_code, reason = "passes on the memory of a reservation")]

use std::ops::Range;
use std::ptr::NonNull;

use bench_common::random::Random;
use stayput::{Backing, Error, Reservation};

/// Refuses three of four requests.
pub(crate) struct Refusing {
    memory: Reservation,
    random: Random,
}

impl Refusing {
    /// The system's error code.
    const OUT_OF_MEMORY: i32 = if cfg!(windows) { 8 } else { 12 };

    pub(crate) fn new(bytes: usize) -> Result<Self, Error> {
        Ok(Self { memory: Reservation::new(bytes)?, random: Random::new(1) })
    }
}

// SAFETY: the reservation is owned by this value, does not move, and keeps what is committed. A refused range
// is not touched. Ranges consist of whole runs, so of whole pages, which are zeroed when they are committed.
unsafe impl Backing for Refusing {
    fn start(&self) -> NonNull<u8> {
        NonNull::new(self.memory.as_ptr()).expect("a reservation is not null")
    }

    fn reserved_bytes(&self) -> usize {
        self.memory.reserved_bytes()
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        if self.random.below(4) > 0 {
            return Err(Error::from_raw_os_error(Self::OUT_OF_MEMORY, range.len()));
        }
        self.memory.commit(range.clone())?;
        // SAFETY: the caller guarantees that the range is inside the memory.
        let first = unsafe { self.memory.as_ptr().add(range.start) };
        // SAFETY: the range is committed, and the caller guarantees that it is unused.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        self.memory.decommit(range)
    }
}
