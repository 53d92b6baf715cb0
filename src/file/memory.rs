//! Methods that allocate and return space in the file.

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
        /// Also fails if the disk is full, or the file would be too large. Enters the kernel if the capacity does not
        /// suffice.
    }

    reserve_exact_methods!("elements");

    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        self.elements.make_room_for(additional, amount)
    }

    prefault_methods!(&mut, "elements");

    fn prefault_room(&mut self, additional: usize) -> Result<(), Error> {
        self.elements.try_prefault(additional)
    }

    /// Makes pages past the last element resident in the idle time of a frame; see
    /// [`VmVec::prefault_ahead`](crate::VmVec::prefault_ahead).
    pub fn prefault_ahead(&mut self, budget: Budget) -> Prefaulted {
        self.elements.prefault_ahead(budget)
    }
}

impl<T: Pod> FileVec<T, Mutable> {
    /// Returns the space past the last element to the disk, if the file system supports that; otherwise the file keeps
    /// it. [Flushes](Self::flush) first if that space contains elements that were flushed.
    ///
    /// The length of the file stays, with a hole at its end, because readers may be reading elements that were
    /// published. To have a shorter file, create another.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::FileVec;
    ///
    /// let mut samples: FileVec<u64> = FileVec::temporary_in(std::env::temp_dir())?;
    /// samples.extend(0..100_000);
    /// samples.truncate(10);
    /// samples.shrink_to_fit(); // returns the space of the others to the disk
    /// assert_eq!(samples.len(), 10);
    /// # Ok::<(), stayput::file::FileError>(())
    /// ```
    pub fn shrink_to_fit(&mut self) {
        // An error leaves the space allocated. If it is that of the flush, the next flush returns one, too.
        let _ = self.try_shrink_to_fit();
    }

    /// Shrinks as [`shrink_to_fit`](Self::shrink_to_fit) does, or returns the error.
    ///
    /// # Errors
    ///
    /// If the system refuses: the space stays allocated then, or what was returned of it no longer counts as capacity.
    /// Also if [`flush`](Self::flush) fails, with the same effects.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.settle()?;
        self.elements.try_shrink_to_fit()
    }
}
