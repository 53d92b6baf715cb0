//! [`Supplied`]: memory that the user supplies.

#![expect(unsafe_code, reason = "supplies memory")]

use stayput::{Backing, Error, Reservation};
use std::ops::Range;
use std::ptr::NonNull;

/// A reservation, with something that is done before each commit.
pub(crate) struct Supplied {
    pub(crate) memory: Reservation,
    pub(crate) before_commit: fn(),
}

impl Supplied {
    pub(crate) fn new(bytes: usize, before_commit: fn()) -> Self {
        Self { memory: Reservation::new(bytes).expect("addresses"), before_commit }
    }
}

// SAFETY: the reservation is its own, and does what is said of each call.
unsafe impl Backing for Supplied {
    fn start(&self) -> NonNull<u8> {
        NonNull::new(self.memory.as_ptr()).expect("it is somewhere")
    }

    fn reserved_bytes(&self) -> usize {
        self.memory.reserved_bytes()
    }

    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        (self.before_commit)();
        self.memory.commit(range)
    }

    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        self.memory.decommit(range)
    }
}
