//! [`Table`]: where the blocks of an array are.
//!
//! A small table is a `Vec`, which costs less than a reservation and is copied when it grows. A table of more than
//! [`MOST_IN_HEAP`] entries is a `VmVec`, if one can be reserved, so growing takes no longer for an array of a million
//! blocks.

#![forbid(unsafe_code)]

use crate::error::Error;
use crate::heap;
use crate::reservation::default_reservation_bytes;
use crate::vec::VmVec;

/// The most entries in the heap while a reservation is available: copying them takes less than a page fault.
const MOST_IN_HEAP: usize = 512;

/// Enough for small arrays, in one of the heap's smallest usual blocks.
const FIRST: usize = 4;

/// The address that element 0 would have if all elements before a piece directly preceded it.
pub(super) type Origin = *mut u8;

/// The entries, one for each piece.
#[derive(Debug)]
pub(super) struct Table {
    /// The entries, unless they are in `far`.
    near: Vec<Origin>,
    far: Option<Box<VmVec<Origin>>>,
}

impl Table {
    pub(super) const EMPTY: Self = Self { near: Vec::new(), far: None };

    #[inline]
    pub(super) fn as_ptr(&self) -> *const Origin {
        self.far.as_ref().map_or(self.near.as_ptr(), |far| far.as_ptr())
    }

    pub(super) fn len(&self) -> usize {
        self.far.as_ref().map_or(self.near.len(), |far| far.len())
    }

    /// Reserves `additional` more entries, for pieces of `piece_bytes`. The table may move, even on an error.
    pub(super) fn try_reserve(
        &mut self,
        additional: usize,
        piece_bytes: usize,
    ) -> Result<(), Error> {
        let len = self.len();
        let Some(need) = len.checked_add(additional) else {
            return heap::try_reserve_exact(&mut self.near, additional);
        };
        if let Some(far) = &mut self.far {
            if far.try_reserve(additional).is_ok() {
                return Ok(());
            }
            // The array outgrew the estimate that the reservation was made for.
            let mut near = Vec::new();
            heap::try_reserve_exact(&mut near, need.max(2 * len))?;
            near.extend_from_slice(far);
            *self = Self { near, far: None };
            return Ok(());
        }
        if need <= self.near.capacity() {
            return Ok(());
        }
        if !cfg!(no_vm) && need > MOST_IN_HEAP {
            if let Some(mut far) = far(need, piece_bytes) {
                far.append_vec(&mut self.near);
                *self = Self { near: Vec::new(), far: Some(far) };
                return Ok(());
            }
        }
        let more = additional.max(len).max(FIRST);
        heap::try_reserve_exact(&mut self.near, more)
    }

    /// Appends the `additional` entries of one block, which were reserved.
    pub(super) fn extend(&mut self, origin: Origin, additional: usize) {
        let len = self.len() + additional;
        match &mut self.far {
            None => self.near.resize(len, origin),
            Some(far) => far.resize(len, origin),
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        match &mut self.far {
            None => self.near.truncate(len),
            Some(far) => far.truncate(len),
        }
    }

    /// Returns memory that no entry needs, as far as that is possible in place.
    pub(super) fn shrink_to_fit(&mut self) {
        if self.len() == 0 {
            *self = Self::EMPTY;
        } else if let Some(far) = &mut self.far {
            far.shrink_to_fit();
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let far = self.far.as_ref().map_or(0, |far| far.stats().committed_bytes);
        far + self.near.capacity() * size_of::<Origin>()
    }
}

/// Reserves addresses for as many entries as there are pieces in the machine's memory, and commits `need` of them.
/// Returns `None` if either is refused.
fn far(need: usize, piece_bytes: usize) -> Option<Box<VmVec<Origin>>> {
    let most = default_reservation_bytes(0) / piece_bytes.max(1);
    // Twice as many, since elements can also be swapped out.
    let most = most.max(need).saturating_mul(2);
    let mut far = VmVec::try_with_max_len(most).ok()?;
    far.try_reserve(need).ok()?;
    heap::try_boxed(far).ok()
}
