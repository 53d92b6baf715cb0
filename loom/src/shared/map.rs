//! Interleavings of threads that insert into a map, look values up and remove them.
//!
//! `src/shared/map/tickets.rs` and `places.rs`, which hands out tickets, are compiled here with loom's atomics. Tickets
//! stand for slots of [`Map`], which checks that no two threads access one at once, and that no slot is read before it
//! is written.

use super::atomic::{AtomicU8, AtomicU32, Ordering};
use super::places::{Claim, Grown, Places, Refusal};
use super::tickets::{self, Ends, Removals, TicketMap, TicketSlot};
use crate::error::{Error, ErrorKind};
use crate::explore;
use loom::cell::UnsafeCell;
use loom::sync::{Arc, Mutex};
use loom::thread::JoinHandle;

/// The most slots in any model.
const MOST: usize = 4;

const LIVE: u32 = 1 << 31;

/// Index and generation.
type Key = (usize, u32);

/// The map itself.
struct Memory {
    /// Holes that are not listed yet, with their last generations.
    holes: Vec<Key>,
    listed: usize,
    /// The number of slots, including vacant ones at the end.
    slots: usize,
    /// How many slots have bits: none of the first holes at first, as if memory for them had been refused.
    covered: usize,
    most: usize,
    refusals: usize,
}

/// A map of numbers for several threads. Its first slots may be holes.
struct Map {
    places: Places,
    tickets: TicketMap,
    first_fresh: usize,
    memory: Mutex<Memory>,
    list: [UnsafeCell<Key>; MOST],
    ends: Ends,
    /// 0 if nothing was written.
    values: [UnsafeCell<usize>; MOST],
    states: Vec<AtomicU32>,
    removed: AtomicU8,
    /// Whether there is memory for a slot's bit in `removed`.
    has_bit: [UnsafeCell<bool>; MOST],
    removals: Removals,
}

// SAFETY: loom's cells check that no two threads access one at once.
unsafe impl Sync for Map {}
// SAFETY: as above.
unsafe impl Send for Map {}

impl Map {
    fn new(holes: usize, refusals: usize, most: usize) -> Arc<Self> {
        crate::made(move || Self::make(holes, refusals, most))
    }

    fn make(holes: usize, refusals: usize, most: usize) -> Arc<Self> {
        let mut map = Self {
            places: Places::new(0),
            tickets: TicketMap::new(),
            first_fresh: holes,
            memory: Mutex::new(Memory {
                holes: (0..holes).map(|index| (index, 5)).collect(),
                listed: 0,
                slots: holes,
                covered: 0,
                most,
                refusals,
            }),
            list: std::array::from_fn(|_| UnsafeCell::new((0, 0))),
            ends: Ends::new(),
            values: std::array::from_fn(|_| UnsafeCell::new(0)),
            // Memory past the slots may hold anything.
            states: (0..MOST)
                .map(|index| AtomicU32::new(if index < holes { 5 } else { LIVE | 1 }))
                .collect(),
            removed: AtomicU8::new(0),
            has_bit: std::array::from_fn(|_| UnsafeCell::new(false)),
            removals: Removals::new(),
        };
        map.tickets.begin(holes);
        map.ends.withdraw();
        assert_eq!(map.removals.take(), 0);
        // This thread creates all atomics.
        assert!(map.places.start().is_null() && !map.places.is_ahead(0));
        assert_eq!(map.places.published() + map.places.claimed() + map.tickets.end_of(0), holes);
        map.ends.publish(holes, 0);
        assert_eq!(map.removals.count(), 0);
        map.places.raise_committed(0);
        Arc::new(map)
    }

    /// Lists one hole at a time, then makes one slot vacant at a time.
    fn grow(&self, memory: &mut Memory, need: usize) -> Grown {
        let mut refused = None;
        let tickets = |memory: &Memory| memory.listed + memory.slots - self.first_fresh;
        while tickets(memory) < need && refused.is_none() {
            if let Some(hole) = memory.holes.pop() {
                self.list[memory.listed].with_mut(|entry| {
                    // SAFETY: loom checks that no other thread accesses the entry.
                    unsafe { *entry = hole };
                });
                memory.listed += 1;
            } else if memory.slots == memory.most {
                refused = Some(Error::new(ErrorKind::MaxLen, 0));
            } else if memory.refusals > 0 {
                memory.refusals -= 1;
                refused = Some(Error::new(ErrorKind::Memory, 0));
            } else {
                self.states[memory.slots].store(0, Ordering::Relaxed);
                if memory.covered == memory.slots {
                    self.cover(memory, memory.slots + 1);
                }
                memory.slots += 1;
            }
        }
        self.tickets.set_listed(memory.listed);
        self.ends.publish(memory.slots, memory.covered);
        Grown { committed: tickets(memory), refused }
    }

    fn cover(&self, memory: &mut Memory, end: usize) {
        for has_bit in &self.has_bit[memory.covered.min(end)..end] {
            has_bit.with_mut(|has_bit| {
                // SAFETY: loom checks that no other thread accesses it.
                unsafe { *has_bit = true };
            });
        }
        memory.covered = memory.covered.max(end);
    }

    fn claim_slowly(&self, claim: &Claim) -> Result<usize, ErrorKind> {
        let mut memory = self.memory.lock().unwrap();
        let claimed = self.places.claim_locked(claim, &mut |need| self.grow(&mut memory, need));
        claimed.map(Option::unwrap).map_err(|refusal| match refusal {
            Refusal::Memory(error) => error.kind(),
            Refusal::Closed => ErrorKind::Busy,
        })
    }

    fn grow_ahead(&self) {
        if let Ok(mut memory) = self.memory.try_lock() {
            let now = self.grow(&mut memory, 0).committed;
            let grown = self.grow(&mut memory, now + 1);
            self.places.raise_committed(grown.committed);
        }
    }

    fn key_of(&self, ticket: usize) -> Key {
        match self.tickets.slot_of(ticket) {
            TicketSlot::Listed(at) => {
                // SAFETY: loom checks that no other thread writes to the entry.
                let (index, last) = self.list[at].with(|entry| unsafe { *entry });
                (index, last + 1)
            }
            TicketSlot::Fresh(index) => (index, 1),
        }
    }

    /// Inserts a number, not 0.
    fn insert(&self, number: usize) -> Result<Key, ErrorKind> {
        let ticket = match self.places.claim() {
            Claim::Place(ticket) => ticket,
            claim => self.claim_slowly(&claim)?,
        };
        Ok(self.fill(ticket, number))
    }

    fn insert_two(&self, number: usize) -> Result<[Key; 2], ErrorKind> {
        let first = match self.places.claim_many(2) {
            Claim::Place(ticket) => ticket,
            claim => self.claim_slowly(&claim)?,
        };
        Ok([self.fill(first, number), self.fill(first + 1, number + 1)])
    }

    fn fill(&self, ticket: usize, number: usize) -> Key {
        let (index, generation) = self.key_of(ticket);
        self.values[index].with_mut(|value| {
            // SAFETY: loom checks that no other thread accesses the value.
            let value = unsafe { &mut *value };
            assert_eq!(*value, 0, "two threads got the same slot");
            *value = number;
        });
        tickets::publish(&self.states[index], LIVE | generation);
        (index, generation)
    }

    fn read(&self, index: usize) -> usize {
        // SAFETY: loom checks that no other thread writes to the value.
        let number = self.values[index].with(|value| unsafe { *value });
        assert_ne!(number, 0, "a slot was read before it was written");
        number
    }

    fn is_live(&self, (index, generation): Key) -> bool {
        index < self.ends.slots() && tickets::load_state(&self.states[index]) == LIVE | generation
    }

    fn get(&self, key: Key) -> Option<usize> {
        self.is_live(key).then(|| self.read(key.0))
    }

    fn remove(&self, key: Key) -> Option<usize> {
        let (index, generation) = key;
        let states = (LIVE | generation, generation);
        if !self.is_live(key) {
            return None;
        }
        while index >= self.ends.removed() {
            let mut memory = self.memory.lock().unwrap();
            self.cover(&mut memory, index + 1);
            self.ends.publish(memory.slots, memory.covered);
        }
        self.has_bit[index].with(|has_bit| {
            // SAFETY: loom checks that no other thread writes to it.
            assert!(unsafe { *has_bit }, "a slot has no bit");
        });
        let is_mine = tickets::vacate(&self.states[index], states, &self.removed, 1 << index);
        if is_mine {
            self.removals.note(index);
        }
        is_mine.then(|| self.read(index))
    }

    /// Returns the live values, and the removed ones that the owner must drop.
    fn owned(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut live, mut removed) = (Vec::new(), Vec::new());
        let bits = self.removed.load(Ordering::Relaxed);
        let end = self.tickets.end_of(self.places.claimed());
        for index in 0..end {
            if tickets::load_state(&self.states[index]) & LIVE != 0 {
                live.push(self.read(index));
                assert_eq!(bits >> index & 1, 0);
            } else if bits >> index & 1 == 1 {
                removed.push(self.read(index));
            }
        }
        live.sort_unstable();
        removed.sort_unstable();
        (live, removed)
    }
}

fn spawn<R: 'static>(map: &Arc<Map>, run: impl FnOnce(&Map) -> R + 'static) -> JoinHandle<R> {
    let map = Arc::clone(map);
    crate::spawn(move || run(&map))
}

#[test]
fn concurrent_insertions_get_separate_slots_and_fill_holes_first() {
    for holes in 0..=2 {
        explore(None, move || {
            let map = Map::new(holes, 0, 3);
            let other = spawn(&map, |map| map.insert(1).unwrap());
            let mine = map.insert(2).unwrap();
            assert_eq!(map.get(mine), Some(2));
            let theirs = other.join().unwrap();
            assert_eq!(map.get(theirs), Some(1));
            let filled = [mine, theirs].iter().filter(|key| key.0 < holes).count();
            assert_eq!((filled, map.owned()), (holes, (vec![1, 2], vec![])));
        });
    }
}

#[test]
fn runs_and_single_values_share_holes_and_slots() {
    explore(None, || {
        let map = Map::new(1, 0, 4);
        let other = spawn(&map, |map| map.insert_two(1).unwrap());
        let mine = map.insert(3).unwrap();
        let theirs = other.join().unwrap();
        let all = [theirs[0], theirs[1], mine].map(|key| map.get(key));
        assert_eq!((all, map.owned().0), ([Some(1), Some(2), Some(3)], vec![1, 2, 3]));
    });
}

#[test]
fn lookups_during_an_insertion_see_whole_values_of_their_key() {
    for holes in 0..=1 {
        explore(None, move || {
            let map = Map::new(holes, 0, 2);
            let other = spawn(&map, |map| {
                let key = map.insert(1).unwrap();
                map.grow_ahead();
                key
            });
            let keys = [(0, 1), (0, 6), (1, 1)];
            let before = keys.map(|key| map.get(key));
            let now = keys.map(|key| map.get(key));
            for (before, now) in before.iter().zip(now) {
                assert!(before.is_none_or(|before| before == 1 && now == Some(1)));
            }
            assert!(now[2].is_none());
            let key = other.join().unwrap();
            assert_eq!((map.get(key), key.0), (Some(1), 0));
        });
    }
}

#[test]
fn one_of_two_removals_succeeds_and_earlier_lookups_stay_valid() {
    explore(None, || {
        let map = Map::new(1, 0, 2);
        let key = map.insert(1).unwrap();
        let other = spawn(&map, move |map| map.remove(key));
        let seen = map.is_live(key);
        let mine = map.remove(key);
        assert!(map.get(key).is_none());
        if seen {
            assert_eq!(map.read(key.0), 1);
        }
        let theirs = other.join().unwrap();
        assert_eq!([mine, theirs].iter().flatten().collect::<Vec<_>>(), [&1]);
        assert_eq!(map.owned(), (vec![], vec![1]));
    });
}

#[test]
fn removed_values_keep_their_slots_during_insertions() {
    explore(Some(2), || {
        let map = Map::new(1, 0, 3);
        let first = spawn(&map, |map| {
            let key = map.insert(1).unwrap();
            assert!(map.remove(key).is_none_or(|number| number == 1));
            map.insert(2).unwrap()
        });
        // Removes one or the other of them.
        let second = spawn(&map, |map| [map.remove((0, 6)), map.remove((1, 1))]);
        let mine = map.insert(3).unwrap();
        let theirs = first.join().unwrap();
        let removed = second.join().unwrap();
        let (mut live, gone) = map.owned();
        assert_ne!(mine.0, theirs.0);
        assert!(gone.contains(&1) && removed.iter().flatten().all(|number| gone.contains(number)));
        live.extend(gone);
        live.sort_unstable();
        assert_eq!(live, [1, 2, 3]);
    });
}

#[test]
fn refusals_lose_nothing() {
    for (holes, refusals) in [(0, 1), (1, 1), (1, 2)] {
        explore(None, move || {
            let map = Map::new(holes, refusals, 3);
            let other = spawn(&map, |map| map.insert(1));
            let mine = map.insert(2);
            let theirs = other.join().unwrap();
            let stored: Vec<_> =
                [(theirs, 1), (mine, 2)].into_iter().filter(|(key, _)| key.is_ok()).collect();
            assert!(stored.iter().all(|(key, number)| map.get(key.unwrap()) == Some(*number)));
            map.memory.lock().unwrap().refusals = 0;
            let last = map.insert(3).unwrap();
            assert_eq!((map.get(last), map.owned().0.len()), (Some(3), stored.len() + 1));
        });
    }
}

#[test]
fn tickets_made_ahead_have_separate_slots() {
    explore(Some(3), || {
        let map = Map::new(2, 0, 4);
        let first = spawn(&map, |map| map.insert(1).unwrap());
        let second = spawn(&map, |map| {
            map.grow_ahead();
            map.insert(2).unwrap()
        });
        let mine = map.insert(3).unwrap();
        let keys = [first.join().unwrap(), second.join().unwrap(), mine];
        assert_eq!(keys.map(|key| map.get(key)), [Some(1), Some(2), Some(3)]);
    });
}

#[test]
fn a_thread_that_counts_a_removal_counts_the_insertion_too() {
    explore(None, || {
        let map = Map::new(0, 0, 2);
        let other = spawn(&map, |map| {
            let key = map.insert(1).unwrap();
            assert_eq!(map.remove(key), Some(1));
        });
        // In this order, as in the crate.
        let removed = map.removals.count();
        assert!(removed <= map.places.issued());
        other.join().unwrap();
    });
}

/// As for a value that is made for its key.
#[test]
fn a_thread_that_sees_the_memory_of_the_next_ticket_sees_its_slot() {
    for holes in 0..=1 {
        explore(None, move || {
            let map = Map::new(holes, 0, 2);
            let other = spawn(&map, Map::grow_ahead);
            let next = map.places.claimed();
            let key = (next < map.places.committed()).then(|| map.key_of(next));
            let inserted = map.insert(1).unwrap();
            assert!(key.is_none_or(|key| key == inserted));
            other.join().unwrap();
        });
    }
}
