//! Many arrays on many threads, each with contents that follow from its number, for one second or
//! `STAYPUT_STRESS_SECONDS`.

#![expect(unsafe_code, reason = "has raw memory too")]

use super::{Bytes, KIB, MIB, alone, effort};
use crate::random::Random;
use stayput::{
    Budget, CommitAhead, DefaultKey, HugePages, Key, KeyData, Release, Reservation, SecondaryMap,
    SlotMap, VmVec, service,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const THREADS: u64 = 8;
const ARRAYS: usize = 64;
/// The maximum length of an array.
const MOST_BYTES: usize = 3 * MIB;

impl Random {
    /// Mostly small numbers, below a maximum.
    fn size(&mut self, most: usize) -> usize {
        let most = most >> self.below(12);
        self.below(most + 1)
    }

    fn ahead(&mut self) -> CommitAhead {
        let windows = [1, 100 * KIB, 300 * KIB, MIB];
        match self.below(6) {
            0 => CommitAhead::Off,
            1 => CommitAhead::Auto,
            n => CommitAhead::Bytes(windows[n - 2]),
        }
    }

    fn release(&mut self) -> Release {
        if self.below(3) == 0 { Release::Now } else { Release::Background }
    }

    fn huge_pages(&mut self) -> HugePages {
        [HugePages::Never, HugePages::Auto, HugePages::Always][self.below(3)]
    }

    fn budget(&mut self) -> Budget {
        match self.below(3) {
            0 => Budget::bytes(self.size(MIB)),
            1 => Budget::time(Duration::from_micros(self.below(200) as u64)),
            _ => Budget::UNLIMITED,
        }
    }
}

/// The value of element `i` of array `id`.
fn element(id: u64, i: usize) -> u64 {
    (id << 40 ^ i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn key(index: usize) -> DefaultKey {
    let index = u32::try_from(index).expect("few");
    KeyData::from_parts(index, 1, 0).expect("it is a key").into()
}

enum Container {
    Vec(VmVec<u64>),
    Map(Box<SlotMap<DefaultKey, u64>>),
    /// Every `n`th slot is filled.
    Second(Box<SecondaryMap<DefaultKey, u64>>, usize),
    Raw(stayput::GrowingReservation),
}

struct Array {
    id: u64,
    kind: Container,
}

impl Array {
    fn new(random: &mut Random, id: u64) -> Self {
        let (ahead, release, huge) = (random.ahead(), random.release(), random.huge_pages());
        let most = MOST_BYTES / 8;
        let kind = match random.below(4) {
            0 => {
                let builder = VmVec::builder().max_len(most).huge_pages(huge);
                Container::Vec(builder.commit_ahead(ahead).release(release).build())
            }
            1 => {
                let builder = SlotMap::builder().max_len(most / 2).huge_pages(huge);
                Container::Map(Box::new(builder.commit_ahead(ahead).release(release).build()))
            }
            2 => {
                let builder = SecondaryMap::builder().max_len(most / 2).huge_pages(huge);
                let map = builder.commit_ahead(ahead).release(release).build();
                Container::Second(Box::new(map), random.below(50) + 1)
            }
            _ => {
                let memory = Reservation::builder().bytes(MOST_BYTES).huge_pages(huge).reserve();
                let memory = memory.expect("there are addresses").growing();
                Container::Raw(memory.commit_ahead(ahead).release(release))
            }
        };
        Self { id, kind }
    }

    fn grow(&mut self, random: &mut Random) {
        let id = self.id;
        match &mut self.kind {
            Container::Vec(vec) => {
                let len = vec.len();
                let more = random.size(vec.max_len() - len);
                vec.extend((len..len + more).map(|i| element(id, i)));
            }
            Container::Map(map) => {
                let more = random.size(map.max_len() - map.len()) / 4;
                for _ in 0..more {
                    let key = map.insert(0);
                    map[key] = element(id, key.index() as usize);
                }
            }
            Container::Second(map, step) => {
                let end = random.size(map.max_len());
                for i in (0..end).step_by(*step) {
                    map.insert(key(i), element(id, i));
                }
            }
            Container::Raw(memory) => {
                let before = memory.usable_bytes();
                let usable = memory.grow_to(random.size(MOST_BYTES)).expect("there is memory");
                for i in before / 8..usable / 8 {
                    let word = word(memory, i);
                    // SAFETY: the memory is usable, and only this thread uses it.
                    assert_eq!(unsafe { word.read() }, 0, "it is not fresh");
                    // SAFETY: as above.
                    unsafe { word.write(element(id, i)) };
                }
            }
        }
    }

    fn shrink(&mut self, random: &mut Random) {
        let (budget, is_trim) = (random.budget(), random.below(2) == 0);
        match &mut self.kind {
            Container::Vec(vec) => {
                vec.truncate(random.size(vec.len()));
                vec.shrink_to_fit_within(budget).expect("it is ours");
            }
            Container::Map(map) => {
                let keep = random.size(map.len());
                map.retain(|key, _| {
                    key.index() as usize % 1000 < 10 || (key.index() as usize) < keep
                });
                if is_trim {
                    map.trim_within(budget).expect("it is ours");
                } else {
                    map.shrink_to_fit_within(budget).expect("it is ours");
                }
            }
            Container::Second(map, step) => {
                let keep = random.size(map.capacity());
                map.retain(|key, _| (key.index() as usize) < keep);
                map.shrink_to_fit_within(budget).expect("it is ours");
                if map.is_empty() {
                    *step = random.below(50) + 1;
                }
            }
            Container::Raw(memory) => {
                memory.shrink_to(random.size(MOST_BYTES), budget).expect("it is ours");
            }
        }
    }

    fn prefault_ahead(&mut self, random: &mut Random) {
        let budget = random.budget();
        let refused = match &mut self.kind {
            Container::Vec(vec) => vec.prefault_ahead(budget),
            Container::Map(map) => map.prefault_ahead(budget),
            Container::Second(map, _) => map.prefault_ahead(budget),
            // Without the service this would commit memory and write to it.
            Container::Raw(_) => return,
        };
        assert_eq!(refused.refused, None);
    }

    fn check(&self) {
        let id = self.id;
        match &self.kind {
            Container::Vec(vec) => {
                assert!(vec.iter().enumerate().all(|(i, word)| *word == element(id, i)));
            }
            Container::Map(map) => {
                let is =
                    |(key, word): (DefaultKey, &u64)| *word == element(id, key.index() as usize);
                assert!(map.iter().all(is));
                assert_eq!(map.iter().count(), map.len());
            }
            Container::Second(map, step) => {
                // Slots between those that were filled are vacant, though they were never touched.
                let is = |(key, word): (DefaultKey, &u64)| {
                    let i = key.index() as usize;
                    i % step == 0 && *word == element(id, i)
                };
                assert!(map.iter().all(is));
                assert_eq!(map.iter().count(), map.len());
            }
            Container::Raw(memory) => {
                for i in 0..memory.usable_bytes() / 8 {
                    // SAFETY: the memory is usable, and nothing writes to it.
                    let found = unsafe { word(memory, i).read() };
                    assert_eq!(found, element(id, i));
                }
            }
        }
    }
}

#[expect(clippy::cast_ptr_alignment, reason = "a reservation is aligned to the page")]
fn word(memory: &stayput::GrowingReservation, i: usize) -> *mut u64 {
    memory.as_ptr().cast::<u64>().wrapping_add(i)
}

/// The work of one thread: arrays move between the threads through a pool.
fn work(seed: u64, until: Instant, pool: &Mutex<Vec<Array>>, next: &AtomicUsize) -> usize {
    let mut random = Random(seed);
    let mut rounds = 0;
    while Instant::now() < until {
        let mut array = {
            let mut pool = pool.lock().expect("nothing panics under it");
            let n = random.below(pool.len());
            pool.swap_remove(n)
        };
        for _ in 0..random.below(6) {
            match random.below(10) {
                0..5 => array.grow(&mut random),
                5..8 => array.shrink(&mut random),
                _ => array.prefault_ahead(&mut random),
            }
        }
        array.check();
        if random.below(4) == 0 {
            let id = next.fetch_add(1, Ordering::Relaxed) as u64;
            drop(std::mem::replace(&mut array, Array::new(&mut random, id)));
        }
        pool.lock().expect("nothing panics under it").push(array);
        rounds += 1;
    }
    rounds
}

/// Requests more than there is, so that all memory committed ahead is taken back, and checks that.
fn disturb(until: Instant) {
    // Emulators use memory for reserved addresses.
    let may_reserve = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    let hungry = may_reserve.then_some(1_u64 << 44).and_then(|bytes| usize::try_from(bytes).ok());
    let mut hungry = hungry.and_then(|bytes| Some(Reservation::new(bytes).ok()?.growing()));
    while Instant::now() < until {
        if let Some(hungry) = &mut hungry {
            // If the system grants even that, there is nothing to check.
            let _ = hungry.grow_to(hungry.reserved_bytes());
            let _ = hungry.shrink_to(0, Budget::UNLIMITED);
        }
        let stats = service::stats();
        // A map counts twice: for its slots, and for the bits of its holes.
        assert!(stats.arrays <= 2 * ARRAYS + 8, "{stats:?}");
        thread::sleep(Duration::from_millis(3));
        service::drain();
    }
}

#[test]
fn stress_arrays_keep_their_contents_on_all_threads() {
    let _alone = alone();
    let until = Instant::now() + effort::stress_duration();
    let mut random = Random(1);
    let pool = (0..ARRAYS as u64).map(|id| Array::new(&mut random, id)).collect();
    let (pool, next) = (Mutex::new(pool), AtomicUsize::new(ARRAYS));
    let rounds: usize = thread::scope(|scope| {
        let (pool, next) = (&pool, &next);
        let workers: Vec<_> = (0..THREADS)
            .map(|seed| scope.spawn(move || work(seed + 100, until, pool, next)))
            .collect();
        scope.spawn(move || disturb(until));
        workers.into_iter().map(|worker| worker.join().expect("it went well")).sum()
    });
    assert!(rounds > 0);
    let pool = pool.into_inner().expect("nothing panics under it");
    assert_eq!(pool.len(), ARRAYS);
    pool.iter().for_each(Array::check);
    drop(pool);
    service::drain();
    let stats = service::stats();
    assert_eq!((stats.arrays, stats.waiting_bytes), (0, 0));
}

/// The work of threads with small, short-lived arrays, so that the service constantly starts and ends, registers and
/// unregisters.
#[test]
fn stress_arrays_are_created_and_dropped_as_fast_as_possible() {
    let _alone = alone();
    let until = Instant::now() + effort::stress_duration();
    thread::scope(|scope| {
        for seed in 0..THREADS {
            scope.spawn(move || {
                let mut random = Random(seed);
                let mut arrays = Vec::new();
                while Instant::now() < until {
                    let builder = VmVec::builder().huge_pages(HugePages::Never);
                    let builder = builder.commit_ahead(random.ahead()).release(random.release());
                    // Few addresses each, since some systems have few.
                    let mut vec = Bytes(builder.max_len(4 * MIB / Bytes::EACH).build());
                    vec.resize(random.size(2 * MIB), 7);
                    arrays.push(vec);
                    if arrays.len() > 6 {
                        let vec = arrays.swap_remove(random.below(6));
                        assert!(vec.holds(7));
                    }
                }
            });
        }
    });
    service::drain();
    assert_eq!(service::stats().arrays, 0);
}
