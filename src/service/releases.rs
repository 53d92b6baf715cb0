//! [`Releases`]: memory that waits to be released, in the order of arrival, or to be reused by another array.

#![forbid(unsafe_code)]

use super::{Handoff, MaybeServed};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long memory that another array may reuse waits for one: a few frames. An array that replaces another is mostly
/// created at once.
const WAIT: Duration = Duration::from_millis(50);

/// Memory that waits to be released, or is being released.
///
/// An entry stays until its memory has been released or [taken](Self::take). So all memory that is counted here is
/// mapped. A thread that waits until all memory [handed over](Self::handed_over) before has [ended](Self::have_ended)
/// finds that none of it waits any more, whichever thread released it.
#[derive(Debug, Default)]
pub(super) struct Releases {
    entries: VecDeque<PendingRelease>,
    /// How many entries, from the first on, have begun or were passed over because they have ended.
    begun: usize,
    /// How many entries there were before the first.
    gone: u64,
    bytes: usize,
}

/// See [`Releases`].
#[derive(Debug)]
pub(super) struct PendingRelease {
    /// `None` once the release has begun, or the memory was taken.
    memory: Option<MaybeServed>,
    bytes: usize,
    has_ended: bool,
    handoff: Option<Handoff>,
    since: Option<Instant>,
}

/// Memory for entries, to be allocated while no lock is held.
pub(super) type EntryBuffer = VecDeque<PendingRelease>;

/// A release that has begun: to be [ended](Releases::end) when the memory is gone.
#[derive(Debug)]
#[must_use]
pub(super) struct ReleaseToken {
    number: u64,
    pub(super) handoff: Option<Handoff>,
}

/// How many entries had been added up to some moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count(u64);

impl Releases {
    /// Returns `Ok` if another entry needs no allocation, otherwise the number of entries to allocate memory for.
    pub(super) fn has_room(&self) -> Result<(), usize> {
        if self.entries.len() < self.entries.capacity() {
            Ok(())
        } else {
            Err((self.entries.len() * 2).max(16))
        }
    }

    /// Moves the entries to `buffer` if that is larger, and leaves the old allocation there.
    pub(super) fn move_to(&mut self, buffer: &mut EntryBuffer) {
        if buffer.capacity() > self.entries.capacity() {
            buffer.append(&mut self.entries);
            std::mem::swap(buffer, &mut self.entries);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are entries, and all of them have begun.
    pub(super) fn have_all_begun(&self) -> bool {
        self.begun > 0 && self.begun == self.entries.len()
    }

    /// Adds memory at the end; another array may reuse it if there is a `handoff`. Does not allocate if there [is
    /// room](Self::has_room).
    pub(super) fn push(&mut self, memory: MaybeServed, bytes: usize, handoff: Option<Handoff>) {
        self.bytes += bytes;
        let since = handoff.map(|_| Instant::now());
        let memory = Some(memory);
        self.entries.push_back(PendingRelease { memory, bytes, has_ended: false, handoff, since });
    }

    /// Returns the first entry that has neither begun nor been [taken](Self::take).
    fn first(&mut self) -> Option<&mut PendingRelease> {
        while self.entries.get(self.begun)?.has_ended {
            self.begun += 1;
        }
        self.entries.get_mut(self.begun)
    }

    /// Returns how long the first entry that has not begun must still wait: not at all if more than `most` bytes wait.
    /// `None` if all entries have begun.
    pub(super) fn remaining_wait(&mut self, most: impl FnOnce() -> usize) -> Option<Duration> {
        let bytes = self.bytes;
        let since = self.first()?.since.filter(|_| bytes <= most());
        Some(since.map_or(Duration::ZERO, |since| WAIT.saturating_sub(since.elapsed())))
    }

    /// Begins the first entry that has not begun, and returns its memory and bytes.
    pub(super) fn begin(&mut self) -> Option<(ReleaseToken, MaybeServed, usize)> {
        let entry = self.first()?;
        let (memory, bytes, handoff) = (entry.memory.take()?, entry.bytes, entry.handoff);
        let token = ReleaseToken { number: self.gone + self.begun as u64, handoff };
        self.begun += 1;
        Some((token, memory, bytes))
    }

    /// Takes memory that another array may reuse and that suits, the most recent first. It is not released then.
    pub(super) fn take(
        &mut self,
        suits: &mut dyn FnMut(&MaybeServed, Handoff) -> bool,
    ) -> Option<(MaybeServed, Handoff)> {
        let suits = |entry: &PendingRelease| {
            entry
                .memory
                .as_ref()
                .zip(entry.handoff)
                .is_some_and(|(memory, handoff)| suits(memory, handoff))
        };
        let (mut suits, mut places) = (suits, (self.begun..self.entries.len()).rev());
        let place = places.find(|place| suits(&self.entries[*place]))?;
        let taken = self.entries[place].memory.take().zip(self.entries[place].handoff);
        self.end_at(place);
        taken
    }

    /// Ends a release whose memory is gone.
    pub(super) fn end(&mut self, ReleaseToken { number, .. }: ReleaseToken) {
        let place = usize::try_from(number - self.gone).expect("it stays until it has ended");
        self.end_at(place);
    }

    fn end_at(&mut self, place: usize) {
        self.entries[place].has_ended = true;
        self.bytes -= self.entries[place].bytes;
        while self.entries.front().is_some_and(|entry| entry.has_ended) {
            self.entries.pop_front();
            // An entry that was taken may not have been counted as begun.
            self.begun = self.begun.saturating_sub(1);
            self.gone += 1;
        }
    }

    /// Returns how many entries have been added until now.
    pub(super) fn handed_over(&self) -> Count {
        Count(self.gone + self.entries.len() as u64)
    }

    /// Whether all entries up to `count` are gone.
    pub(super) fn have_ended(&self, Count(count): Count) -> bool {
        self.gone >= count
    }
}
