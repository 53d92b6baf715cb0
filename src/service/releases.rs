//! [`Releases`]: memory that waits to be released, in the order in which it was handed over, or for an array
//! that can use it.

#![forbid(unsafe_code)]

use super::{Legacy, Memory};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long memory that another array may have waits for it: some frames. Arrays that are made in place of
/// others are mostly made at once.
const WAIT: Duration = Duration::from_millis(50);

/// Memory that waits to be released, and that is being released.
///
/// An entry stays until its memory is gone. So whatever is counted here is mapped, and whoever waits
/// until all that was handed over [before](Self::handed_over) has [ended](Self::have_ended) finds
/// that it is not, whoever released it.
#[derive(Debug, Default)]
pub(super) struct Releases {
    entries: VecDeque<Entry>,
    /// How many of them have begun, from the first on.
    begun: usize,
    /// How many there were before the first.
    gone: u64,
    bytes: usize,
}

/// See [`Releases`].
#[derive(Debug)]
pub(super) struct Entry {
    /// Until the release begins.
    memory: Option<Memory>,
    bytes: usize,
    has_ended: bool,
    legacy: Option<Legacy>,
    since: Option<Instant>,
}

/// Room for entries, to be allocated where no lock is held.
pub(super) type Room = VecDeque<Entry>;

/// A release that has begun: to be [ended](Releases::end) when the memory is gone.
#[derive(Debug)]
#[must_use]
pub(super) struct Begun {
    number: u64,
    pub(super) legacy: Option<Legacy>,
}

/// How many releases there were up to some moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count(u64);

impl Releases {
    /// Whether another entry needs no allocation; or else how many there should be room for.
    pub(super) fn has_room(&self) -> Result<(), usize> {
        if self.entries.len() < self.entries.capacity() {
            Ok(())
        } else {
            Err((self.entries.len() * 2).max(16))
        }
    }

    /// Moves over to larger room, and leaves the old behind.
    pub(super) fn move_to(&mut self, room: &mut Room) {
        if room.capacity() > self.entries.capacity() {
            room.append(&mut self.entries);
            std::mem::swap(room, &mut self.entries);
        }
    }

    /// Bytes that wait, or are being released.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are some, and all of them have begun.
    pub(super) fn have_all_begun(&self) -> bool {
        self.begun > 0 && self.begun == self.entries.len()
    }

    /// Puts memory at the end; with a legacy, another array may have it. It does not allocate where there
    /// [is room](Self::has_room).
    pub(super) fn push(&mut self, memory: Memory, bytes: usize, legacy: Option<Legacy>) {
        self.bytes += bytes;
        let since = legacy.map(|_| Instant::now());
        let memory = Some(memory);
        self.entries.push_back(Entry { memory, bytes, has_ended: false, legacy, since });
    }

    /// The first that has neither begun nor been [taken](Self::take).
    fn first(&mut self) -> Option<&mut Entry> {
        while self.entries.get(self.begun)?.has_ended {
            self.begun += 1;
        }
        self.entries.get_mut(self.begun)
    }

    /// How long the first is to wait yet, of those that have not begun, if no more than `most` bytes wait;
    /// none if there is none.
    pub(super) fn wait_left(&mut self, most: impl FnOnce() -> usize) -> Option<Duration> {
        let bytes = self.bytes;
        let since = self.first()?.since.filter(|_| bytes <= most());
        Some(since.map_or(Duration::ZERO, |since| WAIT.saturating_sub(since.elapsed())))
    }

    /// Takes the first that has not begun, with its bytes.
    pub(super) fn begin(&mut self) -> Option<(Begun, Memory, usize)> {
        let entry = self.first()?;
        let (memory, bytes, legacy) = (entry.memory.take()?, entry.bytes, entry.legacy);
        let begun = Begun { number: self.gone + self.begun as u64, legacy };
        self.begun += 1;
        Some((begun, memory, bytes))
    }

    /// Takes memory that another array may have and that suits, the last that was handed over; it is not
    /// released then.
    pub(super) fn take(
        &mut self,
        suits: &mut dyn FnMut(&Memory, Legacy) -> bool,
    ) -> Option<(Memory, Legacy)> {
        let suits = |entry: &Entry| {
            entry
                .memory
                .as_ref()
                .zip(entry.legacy)
                .is_some_and(|(memory, legacy)| suits(memory, legacy))
        };
        let (mut suits, mut places) = (suits, (self.begun..self.entries.len()).rev());
        let place = places.find(|place| suits(&self.entries[*place]))?;
        let taken = self.entries[place].memory.take().zip(self.entries[place].legacy);
        self.end_at(place);
        taken
    }

    /// Counts a release whose memory is gone.
    pub(super) fn end(&mut self, Begun { number, .. }: Begun) {
        let place = usize::try_from(number - self.gone).expect("it stays until it has ended");
        self.end_at(place);
    }

    fn end_at(&mut self, place: usize) {
        self.entries[place].has_ended = true;
        self.bytes -= self.entries[place].bytes;
        while self.entries.front().is_some_and(|entry| entry.has_ended) {
            self.entries.pop_front();
            // What was taken has not begun.
            self.begun = self.begun.saturating_sub(1);
            self.gone += 1;
        }
    }

    /// All that were handed over until now.
    pub(super) fn handed_over(&self) -> Count {
        Count(self.gone + self.entries.len() as u64)
    }

    /// Whether all these are gone.
    pub(super) fn have_ended(&self, Count(count): Count) -> bool {
        self.gone >= count
    }
}
