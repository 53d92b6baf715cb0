//! [`Table`]: where the blocks of an array are.
//!
//! A small table is in the heap, which costs less than addresses of its own: it is copied when it grows. One of more than
//! [`MOST_IN_HEAP`] entries is where an array grows without a copy, if that can be had: so growing costs no more
//! where there are a million blocks.

#![forbid(unsafe_code)]

use crate::error::Error;
use crate::heap;
use crate::reservation::default_reservation_bytes;
use crate::vec::VmVec;

/// How many entries are in the heap at most, where there is anything else: they are copied in less than the time of a
/// page fault.
const MOST_IN_HEAP: usize = 512;

/// As many as small arrays need, in the smallest of the usual blocks of the heap.
const FIRST: usize = 4;

/// Where element 0 would lie if the elements in front of those of a piece lay in front of them.
pub(super) type Origin = *mut u8;

/// The entries, one a piece.
#[derive(Debug)]
pub(super) struct Table {
    /// The entries, if they are not far.
    near: Vec<Origin>,
    far: Option<Box<VmVec<Origin>>>,
}

impl Table {
    pub(super) const EMPTY: Self = Self { near: Vec::new(), far: None };

    pub(super) fn as_ptr(&self) -> *const Origin {
        self.far.as_ref().map_or(self.near.as_ptr(), |far| far.as_ptr())
    }

    pub(super) fn len(&self) -> usize {
        self.far.as_ref().map_or(self.near.len(), |far| far.len())
    }

    /// Makes room for so many entries more, of pieces of so many bytes. The table may move, also where that is refused.
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
            // More than the machine has memory for, it was thought.
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

    /// Adds as many entries, of one block, as were reserved.
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

    /// Gives memory back that no entry needs, as far as that can be done where it is.
    pub(super) fn shrink_to_fit(&mut self) {
        if self.len() == 0 {
            *self = Self::EMPTY;
        } else if let Some(far) = &mut self.far {
            far.shrink_to_fit();
        }
    }

    /// The memory that it takes up.
    pub(super) fn bytes(&self) -> usize {
        let far = self.far.as_ref().map_or(0, |far| far.stats().committed_bytes);
        far + self.near.capacity() * size_of::<Origin>()
    }
}

/// Addresses for as many entries as there are pieces in all of the machine's memory, with memory for as many as are
/// needed. `None` if they cannot be had.
fn far(need: usize, piece_bytes: usize) -> Option<Box<VmVec<Origin>>> {
    let most = default_reservation_bytes(0) / piece_bytes.max(1);
    // What is swapped out counts too.
    let most = most.max(need).saturating_mul(2);
    let mut far = VmVec::try_with_max_len(most).ok()?;
    far.try_reserve(need).ok()?;
    heap::try_boxed(far).ok()
}
