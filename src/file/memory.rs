//! Taking room in the file, and giving it back.

#![forbid(unsafe_code)]

use super::mode::{Mode, Mutable};
use super::vec::FileVec;
use crate::container::{prefault_methods, reserve_exact_methods, reserve_methods};
use crate::error::Error;
use crate::growing::{Amount, Budget, Prefaulted};
use bytemuck::Pod;

impl<T: Pod, M: Mode> FileVec<T, M> {
    reserve_methods! {
        &mut, "elements";
        /// Refused as well if the disk is full, or no file may be that large. Enters the kernel if there is not room already.
    }

    reserve_exact_methods!("elements");

    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        self.elements.make_room_for(additional, amount)
    }

    prefault_methods!(&mut, "elements");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.elements.try_prefault(additional)
    }

    /// Makes pages behind the last element resident in the idle time of a frame: see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.elements.prefault_ahead(budget)
    }
}

impl<T: Pod> FileVec<T, Mutable> {
    /// Gives room behind the last element back to the disk, where the file system can do so; if it refuses, the file
    /// keeps it. [Flushes](Self::flush) first, if elements are among it that were flushed.
    ///
    /// The file is as long as before, with a hole: others may be reading what they were told is there. To have a
    /// shorter one, make another.
    pub fn shrink_to_fit(&mut self) {
        // What stays costs only room.
        let _ = self.try_shrink_to_fit();
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses; nothing has changed then.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.settle()?;
        self.elements.try_shrink_to_fit()
    }
}
