//! Interleavings of threads that append to one array and read it while memory is allocated or refused, and of threads
//! that insert into a [map] and remove values.
//!
//! `src/shared/places.rs` is compiled here with loom's atomics. It hands out places of [`Array`], which checks that no
//! two threads access one at once, and that no place is read before it is written.

mod sync {
    pub(super) use super::atomic;
}
pub(crate) mod atomic;
mod interleavings;
mod map;
#[path = "../../../src/shared/places.rs"]
#[expect(dead_code, reason = "memory is not modelled")]
mod places;
#[path = "../../../src/shared/map/tickets.rs"]
mod tickets;

/// Each is one more access for a thread that adds them up.
const REMOVAL_COUNTS: usize = 2;

use crate::error::{Error, ErrorKind};
use atomic::AtomicU8;
use loom::cell::UnsafeCell;
use loom::sync::Mutex;
use places::{Claim, Grown, Places, Refusal};

/// The most places in any model.
const MOST: usize = 5;

/// Stands for the system.
struct Memory {
    committed: usize,
    /// How many of the next calls are refused.
    refusals: usize,
    /// Whether a refused call commits what is needed, and was refused something else.
    commits_anyway: bool,
    most: usize,
    /// How much more than needed a call commits.
    ahead: usize,
}

impl Memory {
    fn grow(&mut self, need: usize) -> Grown {
        let error = if need > self.most {
            // As in the crate: what is possible is committed.
            self.committed = self.most;
            Some(Error::new(ErrorKind::MaxLen, 0))
        } else {
            let is_refused = self.refusals > 0;
            self.refusals -= usize::from(is_refused);
            if !is_refused || self.commits_anyway {
                self.committed = self.committed.max((need + self.ahead).min(self.most));
            }
            is_refused.then(|| Error::new(ErrorKind::Memory, 0))
        };
        Grown { committed: self.committed, refused: error }
    }
}

/// An array of numbers for several threads.
pub(super) struct Array {
    places: Places,
    memory: Mutex<Memory>,
    /// 0 if nothing was written.
    elements: [UnsafeCell<usize>; MOST],
    /// Whether a place has memory. Written, under the lock, when that is committed.
    has_memory: [UnsafeCell<bool>; MOST],
    flags: Box<[AtomicU8]>,
    /// The flags before there is memory. No thread may read them, so all are set.
    no_flags: Box<[AtomicU8]>,
}

// SAFETY: loom's cells check that no two threads access one at once.
unsafe impl Sync for Array {}
// SAFETY: as above.
unsafe impl Send for Array {}

impl Array {
    fn new(committed: usize, refusals: usize, most: usize, ahead: usize) -> loom::sync::Arc<Self> {
        crate::made(move || Self::make(committed, refusals, most, ahead))
    }

    fn make(committed: usize, refusals: usize, most: usize, ahead: usize) -> loom::sync::Arc<Self> {
        let memory = Memory { committed: 0, refusals: 0, commits_anyway: false, most, ahead };
        let array = Self {
            places: Places::new(0),
            memory: Mutex::new(memory),
            elements: std::array::from_fn(|_| UnsafeCell::new(0)),
            has_memory: std::array::from_fn(|_| UnsafeCell::new(false)),
            flags: (0..MOST).map(|_| AtomicU8::new(0)).collect(),
            no_flags: (0..MOST).map(|_| AtomicU8::new(1)).collect(),
        };
        // This thread creates all atomics.
        assert_eq!(array.places.published() + array.places.claimed(), 0);
        assert!(!array.places.note(0) && array.places.start().is_null());
        assert!(matches!(array.places.claim(), Claim::Next(1)));
        // SAFETY: no flags are said to be there.
        unsafe {
            array.places.set_memory(std::ptr::null_mut(), array.no_flags.as_ptr().cast_mut(), 0)
        };
        let mut memory = array.memory.lock().unwrap();
        if committed > 0 {
            array.grow(&mut memory, committed - ahead);
        }
        array.places.raise_committed(memory.committed);
        memory.refusals = refusals;
        drop(memory);
        loom::sync::Arc::new(array)
    }

    /// Commits memory, and sets where it is.
    fn grow(&self, memory: &mut Memory, need: usize) -> Grown {
        let before = memory.committed;
        let grown = memory.grow(need);
        for has_memory in &self.has_memory[before..memory.committed] {
            has_memory.with_mut(|has_memory| {
                // SAFETY: loom checks that no other thread accesses the flag.
                unsafe { *has_memory = true };
            });
        }
        if memory.committed > 0 {
            let flags = self.flags.as_ptr().cast_mut();
            // SAFETY: there are at least as many flags, as long as the array exists.
            unsafe { self.places.set_memory(std::ptr::null_mut(), flags, memory.committed) };
        }
        grown
    }

    /// Claims under the lock.
    fn claim_slowly(&self, claim: &Claim) -> Result<Option<usize>, ErrorKind> {
        let mut memory = self.memory.lock().unwrap();
        let claimed = self.places.claim_locked(claim, &mut |need| self.grow(&mut memory, need));
        claimed.map_err(|refusal| match refusal {
            Refusal::Memory(error) => error.kind(),
            Refusal::Closed => ErrorKind::Busy,
        })
    }

    fn write(&self, place: usize, number: usize) {
        self.has_memory[place].with(|has_memory| {
            // SAFETY: loom checks that no other thread is committing the place.
            assert!(unsafe { *has_memory }, "a place has no memory");
        });
        self.elements[place].with_mut(|element| {
            // SAFETY: loom checks that no other thread accesses the element.
            let element = unsafe { &mut *element };
            assert_eq!(*element, 0, "two threads got the same place");
            *element = number;
        });
    }

    fn put(&self, place: usize, number: usize) {
        self.write(place, number);
        // SAFETY: written just now.
        unsafe { self.places.publish(place) };
    }

    /// Appends a number, not 0, and returns its place.
    fn push(&self, number: usize) -> Result<usize, ErrorKind> {
        let place = match self.places.claim() {
            Claim::Place(place) => place,
            claim => self.claim_slowly(&claim)?.unwrap(),
        };
        self.put(place, number);
        Ok(place)
    }

    /// Appends two consecutive numbers, and returns the place of the first.
    fn push_two(&self, number: usize) -> Result<usize, ErrorKind> {
        let first = match self.places.claim_many(2) {
            Claim::Place(place) => place,
            claim => self.claim_slowly(&claim)?.unwrap(),
        };
        self.write(first, number);
        self.write(first + 1, number + 1);
        // SAFETY: written just now.
        unsafe { self.places.publish_many(first..first + 2) };
        Ok(first)
    }

    /// Appends a number if its place is `place`, and returns whether it did.
    fn push_exactly(&self, place: usize, number: usize) -> Result<bool, ErrorKind> {
        let is_taken = match self.places.claim_exactly(place) {
            Ok(is_taken) => is_taken,
            Err(claim) => self.claim_slowly(&claim)?.is_some(),
        };
        if is_taken {
            self.put(place, number);
        }
        Ok(is_taken)
    }

    /// Commits memory for one more place before it is needed.
    fn grow_ahead(&self) {
        if let Ok(mut memory) = self.memory.try_lock() {
            let need = memory.committed + 1;
            self.grow(&mut memory, need);
            self.places.raise_committed(memory.committed);
        }
    }

    fn read(&self, place: usize) -> usize {
        self.elements[place].with(|element| {
            // SAFETY: loom checks that no other thread writes to the element.
            unsafe { *element }
        })
    }

    /// Returns all elements that are published without a gap.
    fn prefix(&self) -> Vec<usize> {
        let numbers: Vec<_> = (0..self.places.published()).map(|place| self.read(place)).collect();
        assert!(!numbers.contains(&0), "a place was read before it was written: {numbers:?}");
        numbers
    }

    fn get(&self, place: usize) -> Option<usize> {
        self.places.is_published(place).then(|| self.read(place))
    }
}
