//! Appending single elements.

#![expect(unsafe_code, reason = "writes to claimed places")]

use super::SharedVec;
use crate::error::{Error, Refused, unwrap_or_panic};
use std::hint;

impl<T> SharedVec<T> {
    /// Appends an element, and returns its index and a reference to it. The element never moves. O(1).
    ///
    /// Takes no lock and does not wait, unless the array needs memory; then it enters the kernel. (If two threads push
    /// at the same moment, one of them pauses for about a microsecond after its push, which makes both faster.)
    ///
    /// # Panics
    ///
    /// If the array holds `max_len` elements, or the system refuses memory.
    ///
    /// # Examples
    ///
    /// ```
    /// let words = stayput::SharedVec::new();
    /// let (index, first) = words.push("stay".to_string());
    /// words.push("put".to_string());
    /// assert_eq!((index, first.as_str()), (0, "stay")); // the reference is still valid
    /// ```
    #[inline]
    #[track_caller]
    pub fn push(&self, value: T) -> (usize, &T) {
        unwrap_or_panic(self.try_push(value))
    }

    /// [`push`](Self::push), or the error and the element.
    ///
    /// # Errors
    ///
    /// If the array holds `max_len` elements ([`MaxLen`](crate::ErrorKind::MaxLen)); if the system refuses memory, to
    /// this thread or to another at the same time; or for a re-entrant call, from a backing that is supplying memory to
    /// this array ([`Busy`](crate::ErrorKind::Busy)).
    #[inline]
    pub fn try_push(&self, value: T) -> Result<(usize, &T), Refused<T>> {
        match self.claimed() {
            Ok(claimed) => Ok((claimed.place(), claimed.put(value))),
            Err(error) => Err(Refused { error, value }),
        }
    }

    /// Appends the element that `make` returns for the index it will have.
    ///
    /// `make` is called before the place is claimed, and again with another index if another thread is faster. No lock
    /// is held meanwhile, and if `make` panics, the array is unchanged. If `make` takes long, other threads may be
    /// faster repeatedly. If it always pushes to this array itself, this continues until the array is full.
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
        unwrap_or_panic(self.try_push_with(make))
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
                Ok(true) => return Ok((next, Claimed { vec: self, place: next }.put(value))),
                Ok(false) => {}
                Err(error) => return Err(Refused { error, value }),
            }
        }
    }

    /// Appends an element if its index is `len`: if the array has `len` elements and no other thread is about to append
    /// one.
    ///
    /// # Errors
    ///
    /// Returns the element if the array has more or fewer elements, with `None`; otherwise with an error as for
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
            Ok(true) => Ok(Claimed { vec: self, place: len }.put(value)),
            Ok(false) => Err((None, value)),
            Err(error) => Err((Some(error), value)),
        }
    }
}

/// A place that this thread has just claimed, by [`SharedVec::claim_one`] or [`SharedVec::claim_exactly`].
///
/// So it has memory and, unless elements have no size, a flag; it holds no element, and no other thread accesses it.
pub(super) struct Claimed<'s, T> {
    vec: &'s SharedVec<T>,
    place: usize,
}

impl<'s, T> Claimed<'s, T> {
    #[inline]
    pub(super) const fn place(&self) -> usize {
        self.place
    }

    /// Writes an element and publishes it.
    #[inline]
    pub(super) fn put(self, value: T) -> &'s T {
        let Self { vec, place } = self;
        let to = vec.at(place);
        // SAFETY: the place was claimed, so it is aligned memory, "valid for writes", that no other thread accesses.
        unsafe { to.write(value) };
        if !SharedVec::<T>::IS_UNSIZED {
            // SAFETY: the place was claimed, so it has a flag.
            let may_be_crowded = unsafe { vec.places.may_be_crowded(place) };
            // SAFETY: claimed, and written above. (An element of size zero was published when it was counted.)
            if unsafe { vec.places.publish(place) } {
                vec.note(place);
            }
            if may_be_crowded {
                vec.yield_once(place);
            }
        }
        // SAFETY: written above, so initialized and aligned, and no thread writes there again while `vec` is borrowed.
        unsafe { &*to }
    }
}

impl<T> SharedVec<T> {
    /// Claims a place.
    #[inline]
    pub(super) fn claimed(&self) -> Result<Claimed<'_, T>, Error> {
        self.claim_one().map(|place| Claimed { vec: self, place })
    }

    /// Pauses if another thread seems to push at the same time, to let it go first.
    ///
    /// Otherwise the two would exchange cache lines at each push: those of `tail`, the elements and the flags. Two
    /// threads that only push 8 bytes take 20 ns a push without this, 9 ns with it, 24 ns with a quarter of the pause,
    /// and 18 to 45 ns if both pause.
    #[cold]
    #[inline(never)]
    fn yield_once(&self, place: usize) {
        const PAUSES: usize = 64;
        if self.places.is_to_yield(place) {
            (0..PAUSES).for_each(|_| hint::spin_loop());
        }
    }
}
