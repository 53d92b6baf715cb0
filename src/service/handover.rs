//! [`Handover`]: who may do what with which part of a reservation, in one atomic word.
//!
//! An array and the service share a reservation, and neither ever waits for a lock to go on. What
//! they agree on is two marks, counted in units from the start of the reservation:
//!
//! ```text
//! 0            taken          ready                         end
//! |  the array's |  made ready  |  the service's to work on  |
//! ```
//!
//! - Below `taken` is the array's. The service never changes access or contents there; all that may
//!   still run there is [shared](Work::Shared) work that began before.
//! - From `taken` to `ready` pages are committed and resident, and nobody's: the array
//!   [takes](Handover::take) them.
//! - Behind `ready` the service works, one piece of [`Work`] at a time.
//!
//! Only the array moves `taken`, so there is one owner who calls its methods, by exclusive access
//! or from one thread. When it needs what is not ready it [claims](Handover::claim) that instead of
//! waiting, unless the service is doing what cannot be shared; that comes in short steps.
//!
//! Nothing here depends on the rest of the crate: `loom/` runs every interleaving of it.

#![forbid(unsafe_code)]

use super::sync::atomic::{AtomicUsize, Ordering};

/// The marks, and who is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Units that are the array's.
    pub(crate) taken: usize,
    /// Units that are ready to be taken, and those that were: never less than `taken`.
    pub(crate) ready: usize,
    flags: usize,
}

/// What is done behind `ready`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Making pages accessible and resident: harmless to whoever begins to use them meanwhile.
    Shared = 1,
    /// Taking pages away, or what else is not: nobody else may use them.
    Alone = 2,
}

/// Whoever wants to begin must wait: the other side is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy;

/// The array changes access behind `taken`. Nobody begins anything.
const OWNER: usize = 4;
const WORK: usize = Work::Shared as usize | Work::Alone as usize;

const FLAG_BITS: u32 = 4;
const MARK_BITS: u32 = (usize::BITS - FLAG_BITS) / 2;

impl State {
    /// The largest number of units that can be expressed.
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

/// The word; see the [module](self).
#[derive(Debug)]
pub(crate) struct Handover {
    word: AtomicUsize,
}

impl Handover {
    /// With so many units taken.
    ///
    /// # Panics
    ///
    /// If they are more than [`State::MOST`]; so it is for all below.
    pub(crate) fn new(taken: usize) -> Self {
        Self::with_ready(taken, taken)
    }

    /// With so many units ready, and so many of them taken.
    pub(crate) fn with_ready(taken: usize, ready: usize) -> Self {
        Self { word: AtomicUsize::new(State { taken, ready, flags: 0 }.pack()) }
    }

    pub(crate) fn state(&self) -> State {
        State::unpack(self.word.load(Ordering::Acquire))
    }

    /// Changes the state if `change` has another one; returns the new one.
    ///
    /// Acquire and release, so that whoever sees a mark also sees what was done to the pages
    /// before it was set.
    fn update(&self, mut change: impl FnMut(State) -> Option<State>) -> Option<State> {
        let mut word = self.word.load(Ordering::Acquire);
        loop {
            let new = change(State::unpack(word))?;
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

    // The array's part.

    /// Takes units up to `need` at least, and up to `wish` as far as they are ready. Nothing if
    /// those needed are not.
    pub(crate) fn take(&self, need: usize, wish: usize) -> Option<State> {
        self.update(|state| {
            let taken = wish.min(state.ready).max(need).max(state.taken);
            (need <= state.ready).then_some(State { taken, ..state })
        })
    }

    /// Takes units up to `end`, ready or not, to commit them, and returns what was before. Until
    /// [`disown`](Self::disown) or [`unclaim`](Self::unclaim) nobody begins anything. Shared work may
    /// be under way, and may end meanwhile.
    ///
    /// If it cannot be yet, it is to be called until it can: nobody begins anything new before.
    pub(crate) fn claim(&self, end: usize) -> Result<State, Busy> {
        let mut before = None;
        self.update(|state| {
            let flags = state.flags | OWNER;
            if state.has(Work::Alone as usize) {
                before = None;
                return Some(State { flags, ..state });
            }
            before = Some(state);
            Some(State { taken: end.max(state.taken), ready: end.max(state.ready), flags })
        });
        before.ok_or(Busy)
    }

    /// Undoes [`claim`](Self::claim), with the marks that were before.
    pub(crate) fn unclaim(&self, before: State) {
        self.update(|state| {
            let State { taken, ready, .. } = before;
            Some(State { taken, ready, flags: state.flags & !OWNER })
        });
    }

    /// Ends what [`claim`](Self::claim) or [`lock`](Self::lock) began, and leaves the marks as they
    /// are.
    pub(crate) fn disown(&self) {
        self.update(|state| Some(State { flags: state.flags & !OWNER, ..state }));
    }

    /// Keeps others from beginning anything behind `taken`, and says whether nobody is at work
    /// there any more. Until [`unlock`](Self::unlock); may be called again until it is so.
    pub(crate) fn lock(&self) -> Result<(), Busy> {
        let locked = self.update(|state| Some(State { flags: state.flags | OWNER, ..state }));
        if locked.is_some_and(|state| state.has(WORK)) { Err(Busy) } else { Ok(()) }
    }

    /// Ends what [`lock`](Self::lock) began, with so many units taken and none ready behind them.
    pub(crate) fn unlock(&self, taken: usize) {
        self.update(|state| Some(State { taken, ready: taken, flags: state.flags & !OWNER }));
    }

    /// Begins anew, for another array, after [`lock`](Self::lock), whoever is at work yet: nothing is taken, and
    /// so many units are ready, of those that were. To who is at work it is as if the array had never taken
    /// any: he stays behind all that was ready when he began.
    pub(crate) fn restart(&self, most: usize) {
        self.update(|state| {
            let ready = state.ready.min(most);
            Some(State { taken: 0, ready, flags: state.flags & !OWNER })
        });
    }

    /// Forgets work that nobody will end: the process is a child that was forked during it.
    pub(crate) fn abandon_work(&self) {
        self.update(|state| Some(State { flags: state.flags & !WORK, ..state }));
    }

    // The service's part.

    /// Whether the array is at work behind `taken`, or wants to be.
    pub(crate) fn is_owned(&self) -> bool {
        self.state().has(OWNER)
    }

    /// Begins work behind `ready`, unless anybody is at work.
    pub(crate) fn begin(&self, work: Work) -> Result<State, Busy> {
        let begun = self
            .update(|state| (state.flags == 0).then_some(State { flags: work as usize, ..state }));
        begun.ok_or(Busy)
    }

    /// Begins to take away what lies behind `keep` units, or behind `taken`, if that is more.
    pub(crate) fn begin_taking_back(&self, keep: usize) -> Result<State, Busy> {
        let begun = self.update(|state| {
            let ready = state.ready.min(keep.max(state.taken));
            let flags = Work::Alone as usize;
            (state.flags == 0).then_some(State { ready, flags, ..state })
        });
        begun.ok_or(Busy)
    }

    /// Ends the work, with units up to `ready` made so.
    pub(crate) fn finish(&self, work: Work, ready: usize) {
        self.update(|state| {
            let flags = state.flags & !(work as usize);
            Some(State { ready: state.ready.max(ready), flags, ..state })
        });
    }
}
