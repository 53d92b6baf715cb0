//! [`Releases`]: memory that waits to be released, in the order in which it was handed over.

#![forbid(unsafe_code)]

use super::Memory;
use std::collections::VecDeque;

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
}

/// Room for entries, to be allocated where no lock is held.
pub(super) type Room = VecDeque<Entry>;

/// A release that has begun: to be [ended](Releases::end) when the memory is gone.
#[derive(Debug)]
#[must_use]
pub(super) struct Begun(u64);

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

    /// Puts memory at the end. It does not allocate where there [is room](Self::has_room).
    pub(super) fn push(&mut self, memory: Memory, bytes: usize) {
        self.bytes += bytes;
        self.entries.push_back(Entry { memory: Some(memory), bytes, has_ended: false });
    }

    /// Takes the first that has not begun, with its bytes.
    pub(super) fn begin(&mut self) -> Option<(Begun, Memory, usize)> {
        let entry = self.entries.get_mut(self.begun)?;
        let memory = entry.memory.take()?;
        let begun = Begun(self.gone + self.begun as u64);
        self.begun += 1;
        Some((begun, memory, entry.bytes))
    }

    /// Counts a release whose memory is gone.
    pub(super) fn end(&mut self, Begun(number): Begun) {
        let place = usize::try_from(number - self.gone).expect("it stays until it has ended");
        self.entries[place].has_ended = true;
        self.bytes -= self.entries[place].bytes;
        while self.entries.front().is_some_and(|entry| entry.has_ended) {
            self.entries.pop_front();
            self.begun -= 1;
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
