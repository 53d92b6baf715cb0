//! Appending single elements.

#![expect(unsafe_code, reason = "writes to places that were claimed")]

use super::SharedVec;
use crate::error::{Error, Refused, or_give_up};

impl<T> SharedVec<T> {
    /// Appends an element, and returns its index and where it lies for good. O(1), no copy; no lock, and no wait, unless
    /// memory has to be taken, for which it enters the kernel. (Of two threads that push at the very same time one
    /// pauses for a microsecond or so when it has pushed, by which both are faster.)
    ///
    /// # Panics
    ///
    /// If the array holds `max_len` elements, or the system refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&self, value: T) -> (usize, &T) {
        or_give_up(self.try_push(value))
    }

    /// [`push`](Self::push), or the error and the element.
    ///
    /// # Errors
    ///
    /// If the array holds `max_len` elements ([`MaxLen`](crate::ErrorKind::MaxLen)); if the system refuses memory, to this
    /// thread or to another at the same time; [`Busy`](crate::ErrorKind::Busy) if the call comes out of one that takes memory
    /// for this array (from a backing).
    #[inline]
    pub fn try_push(&self, value: T) -> Result<(usize, &T), Refused<T>> {
        match self.claim_one() {
            // SAFETY: just claimed.
            Ok(place) => Ok((place, unsafe { self.put(place, value) })),
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Appends what `make` makes of the index it will have.
    ///
    /// `make` is called before the place is taken, and again with another index where another thread was faster; no
    /// lock is held meanwhile, and if it panics nothing is left behind. (If it takes long, others may be faster again and
    /// again; and if it always pushes to this array itself, this goes on until the array is full.)
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    ///
    /// # Examples
    ///
    /// ```
    /// struct Node { own: usize, parent: usize }
    ///
    /// let nodes = stayput::SharedVec::new();
    /// let (root, _) = nodes.push_with(|own| Node { own, parent: own });
    /// let (_, leaf) = nodes.push_with(|own| Node { own, parent: root });
    /// assert_eq!((leaf.own, leaf.parent), (1, 0));
    /// ```
    #[track_caller]
    pub fn push_with(&self, make: impl FnMut(usize) -> T) -> (usize, &T) {
        or_give_up(self.try_push_with(make))
    }

    /// [`push_with`](Self::push_with), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_push`](Self::try_push).
    pub fn try_push_with(
        &self,
        mut make: impl FnMut(usize) -> T,
    ) -> Result<(usize, &T), Refused<T>> {
        loop {
            let next = self.places.claimed();
            let value = make(next);
            match self.claim_exactly(next) {
                // SAFETY: just claimed.
                Ok(true) => return Ok((next, unsafe { self.put(next, value) })),
                Ok(false) => {}
                Err(error) => return Err(Refused { error, value }),
            }
        }
    }

    /// Appends an element if that comes to be number `len`: if there are so many, and no other thread is about to append
    /// one. Else it comes back.
    ///
    /// # Errors
    ///
    /// The element comes back, with no error where there are more elements, or fewer; else as for
    /// [`try_push`](Self::try_push).
    ///
    /// # Examples
    ///
    /// ```
    /// let letters = stayput::SharedVec::from(['a', 'b']);
    /// assert_eq!(letters.push_if_len(2, 'c'), Ok(&'c'));
    /// assert_eq!(letters.push_if_len(2, 'd'), Err((None, 'd')));
    /// ```
    pub fn push_if_len(&self, len: usize, value: T) -> Result<&T, (Option<Error>, T)> {
        match self.claim_exactly(len) {
            // SAFETY: just claimed.
            Ok(true) => Ok(unsafe { self.put(len, value) }),
            Ok(false) => Err((None, value)),
            Err(error) => Err((Some(error), value)),
        }
    }
}
