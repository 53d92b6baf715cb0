//! [`Ownership`]: which parts of a reservation belong to the array and which to the service, in one atomic word.
//!
//! An array and the service share a reservation, and neither waits for a lock to proceed. They agree on two marks,
//! counted in units from the start of the reservation:
//!
//! ```text
//! 0            taken          ready                         end
//! |  the array's |  made ready  |  the service's to work on  |
//! ```
//!
//! - Units below `taken` belong to the array. The service never changes access or contents there. Only
//!   [shared](Work::Shared) work that began earlier may still be in progress there.
//! - Units from `taken` to `ready` are committed and resident, and have no owner yet: the array
//!   [takes](Ownership::take) them.
//! - Past `ready` the service works, one piece of [`Work`] at a time.
//!
//! Only the array moves `taken`, so its methods need one caller at a time: one with exclusive access, or always the
//! same thread. If the array needs units that are not ready, it [claims](Ownership::claim) them instead of waiting,
//! unless work of the service is in progress that cannot be shared. Such work is done in short steps.
//!
//! Nothing here depends on the rest of the crate: `loom/` runs every interleaving of this file.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicUsize, Ordering};

/// The marks, and which side is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// How many units belong to the array.
    pub(crate) taken: usize,
    /// How many units are ready or taken: never less than `taken`.
    pub(crate) ready: usize,
    flags: usize,
}

/// A kind of work past `ready`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Makes pages accessible and resident, which is harmless to a thread that begins to use them meanwhile.
    Shared = 1,
    /// Takes pages away, or does something else during which no thread may use them.
    Exclusive = 2,
}

/// The call must wait, since the other side is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy;

/// The array is changing access past `taken`, or waits to: no work begins.
const OWNER: usize = 4;
/// The array is gone, and the side that works last ends the reservation. Set together with [`OWNER`].
const RETIRED: usize = 8;
const WORK: usize = Work::Shared as usize | Work::Exclusive as usize;

const FLAG_BITS: u32 = 4;
const MARK_BITS: u32 = (usize::BITS - FLAG_BITS) / 2;

impl Marks {
    /// The largest number of units that a mark can express.
    pub(crate) const MOST: usize = (1 << MARK_BITS) - 1;

    const fn unpack(word: usize) -> Self {
        Self {
            taken: word >> FLAG_BITS & Self::MOST,
            ready: word >> (FLAG_BITS + MARK_BITS) & Self::MOST,
            flags: word & ((1 << FLAG_BITS) - 1),
        }
    }

    const fn pack(self) -> usize {
        assert!(self.taken <= self.ready && self.ready <= Self::MOST);
        self.flags | self.taken << FLAG_BITS | self.ready << (FLAG_BITS + MARK_BITS)
    }

    const fn has(self, flags: usize) -> bool {
        self.flags & flags != 0
    }
}

/// The atomic word; see the [module](self).
#[derive(Debug)]
pub(crate) struct Ownership {
    word: AtomicUsize,
}

impl Ownership {
    /// Creates the word with `taken` units taken.
    ///
    /// # Panics
    ///
    /// If a number of units exceeds [`Marks::MOST`]. This applies to all methods below.
    pub(crate) fn new(taken: usize) -> Self {
        Self::with_ready(taken, taken)
    }

    /// Creates the word with `ready` units ready, of which `taken` are taken.
    pub(crate) fn with_ready(taken: usize, ready: usize) -> Self {
        Self { word: AtomicUsize::new(Marks { taken, ready, flags: 0 }.pack()) }
    }

    pub(crate) fn state(&self) -> Marks {
        Marks::unpack(self.word.load(Ordering::Acquire))
    }

    /// Replaces the state with what `change` returns, and returns that; `None` if `change` returned `None`.
    ///
    /// Acquires and releases: a thread that sees a mark also sees what was done to the pages before it was set.
    fn update(&self, mut change: impl FnMut(Marks) -> Option<Marks>) -> Option<Marks> {
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let new = change(Marks::unpack(word))?;
            match self.word.compare_exchange_weak(
                word,
                new.pack(),
                Ordering::AcqRel,
                Ordering::Acquire,
            ) {
                Ok(_) => return Some(new),
                Err(now) => word = now,
            }
        }
    }

    // Methods for the array.

    /// Takes units up to `need`, and up to `desired` as far as they are ready. `None`, and none is taken, if not all up
    /// to `need` are ready.
    pub(crate) fn take(&self, need: usize, desired: usize) -> Option<Marks> {
        self.update(|state| {
            let taken = desired.min(state.ready).max(need).max(state.taken);
            (need <= state.ready).then_some(Marks { taken, ..state })
        })
    }

    /// Takes units up to `end`, ready or not, in order to commit them, and returns the state before. No work begins
    /// until [`disown`](Self::disown) or [`unclaim`](Self::unclaim). [Shared](Work::Shared) work may be in progress,
    /// and may end meanwhile.
    ///
    /// After [`Busy`], call this again until it succeeds: from the first call on, no new work begins.
    pub(crate) fn claim(&self, end: usize) -> Result<Marks, Busy> {
        let mut before = None;
        self.update(|state| {
            let flags = state.flags | OWNER;
            if state.has(Work::Exclusive as usize) {
                before = None;
                return Some(Marks { flags, ..state });
            }
            before = Some(state);
            Some(Marks { taken: end.max(state.taken), ready: end.max(state.ready), flags })
        });
        before.ok_or(Busy)
    }

    /// Undoes [`claim`](Self::claim) by restoring the marks of `before`.
    pub(crate) fn unclaim(&self, before: Marks) {
        self.update(|state| {
            let Marks { taken, ready, .. } = before;
            Some(Marks { taken, ready, flags: state.flags & !OWNER })
        });
    }

    /// Ends a [`claim`](Self::claim) or a [`lock`](Self::lock) and leaves the marks as they are.
    pub(crate) fn disown(&self) {
        self.update(|state| Some(Marks { flags: state.flags & !OWNER, ..state }));
    }

    /// Keeps work past `taken` from beginning until [`unlock`](Self::unlock). [`Busy`] if work is still in progress:
    /// call this again until it succeeds.
    pub(crate) fn lock(&self) -> Result<(), Busy> {
        let locked = self.update(|state| Some(Marks { flags: state.flags | OWNER, ..state }));
        if locked.is_some_and(|state| state.has(WORK)) { Err(Busy) } else { Ok(()) }
    }

    /// Ends a [`lock`](Self::lock), with units past `end` neither taken nor ready any more.
    pub(crate) fn unlock(&self, end: usize) {
        self.update(|state| {
            let (taken, ready) = (state.taken.min(end), state.ready.min(end));
            Some(Marks { taken, ready, flags: state.flags & !OWNER })
        });
    }

    /// Records that the array is gone: no work begins any more. Returns whether none is in progress. If some is, the
    /// call of [`finish`](Self::finish) that ends it returns `true`.
    pub(crate) fn retire(&self) -> bool {
        let flags = OWNER | RETIRED;
        let retired = self.update(|state| Some(Marks { flags: state.flags | flags, ..state }));
        retired.is_some_and(|state| !state.has(WORK))
    }

    pub(crate) fn has_retired(&self) -> bool {
        self.state().has(RETIRED)
    }

    /// Discards work that no thread will end: this process is a child that was forked while it was in progress.
    pub(crate) fn abandon_work(&self) {
        self.update(|state| Some(Marks { flags: state.flags & !WORK, ..state }));
    }

    // Methods for the service.

    /// Whether the array is at work past `taken`, or waits to be.
    pub(crate) fn is_owned(&self) -> bool {
        self.state().has(OWNER)
    }

    /// Begins work past `ready`, unless either side is at work.
    pub(crate) fn begin(&self, work: Work) -> Result<Marks, Busy> {
        let begun = self
            .update(|state| (state.flags == 0).then_some(Marks { flags: work as usize, ..state }));
        begun.ok_or(Busy)
    }

    /// Begins to take away the units past `keep`, or past `taken` if that is more.
    pub(crate) fn begin_taking_back(&self, keep: usize) -> Result<Marks, Busy> {
        let begun = self.update(|state| {
            let ready = state.ready.min(keep.max(state.taken));
            let flags = Work::Exclusive as usize;
            (state.flags == 0).then_some(Marks { ready, flags, ..state })
        });
        begun.ok_or(Busy)
    }

    /// Ends work that made units up to `ready` ready. Returns whether the array has [retired](Self::retire) meanwhile.
    pub(crate) fn finish(&self, work: Work, ready: usize) -> bool {
        let finished = self.update(|state| {
            let flags = state.flags & !(work as usize);
            Some(Marks { ready: state.ready.max(ready), flags, ..state })
        });
        finished.is_some_and(|state| state.has(RETIRED))
    }
}
