//! Slot maps that many threads use: inserting, looking up, also while one thread inserts, frames of all
//! operations, and removing.

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bench_common::harness::Result;
use bench_common::jobs::{self, Rounds, rounds};
use bench_common::random::Random;
use bench_common::spread::Spread;
use bench_common::table::{Table, header, table};
use bench_common::{contenders, cores, memory, numbers};
use clap::ValueEnum;
use concurrent_slotmap::SlotId;
use serde::{Deserialize, Serialize};
use stayput::{DefaultKey, SharedSlotMap};

use crate::arrays::Element;
use crate::cli::Plan;
use crate::meeting::{Round, meet, share};

/// In some of the maps, it fills a cache line together with its state.
impl Element for [u64; 7] {
    fn of(number: u64) -> Self {
        [number; 7]
    }

    fn number(&self) -> u64 {
        self[0]
    }
}

/// A map for several threads.
pub(crate) trait Map<V: Element>: Send + Sync {
    type Key: Copy + Send + Sync;

    /// Creates a map for at most `most` values.
    fn new(most: usize) -> Self;

    fn insert(&self, value: V) -> Self::Key;

    fn get(&self, key: Self::Key) -> Option<u64>;

    /// Removes a value, and returns whether it existed.
    fn remove(&self, key: Self::Key) -> bool;

    fn insert_all(&self, values: impl Iterator<Item = V>, keys: &mut Vec<Self::Key>) {
        keys.extend(values.map(|value| self.insert(value)));
    }

    /// The exclusive work of one thread between frames.
    fn end_frame(&mut self) {}
}

impl<V: Element> Map<V> for SharedSlotMap<DefaultKey, V> {
    type Key = DefaultKey;

    fn new(_: usize) -> Self {
        Self::with_key()
    }

    #[inline]
    fn insert(&self, value: V) -> DefaultKey {
        self.insert(value).0
    }

    #[inline]
    fn get(&self, key: DefaultKey) -> Option<u64> {
        self.get(key).map(V::number)
    }

    #[inline]
    fn remove(&self, key: DefaultKey) -> bool {
        self.remove(key).is_some()
    }

    fn end_frame(&mut self) {
        drop(self.as_mut_map());
    }
}

/// The map, with values inserted by `insert_many`.
struct Many<V>(SharedSlotMap<DefaultKey, V>);

impl<V: Element> Map<V> for Many<V> {
    type Key = DefaultKey;

    fn new(most: usize) -> Self {
        Self(Map::new(most))
    }

    #[inline]
    fn insert(&self, value: V) -> DefaultKey {
        self.0.insert(value).0
    }

    #[inline]
    fn get(&self, key: DefaultKey) -> Option<u64> {
        Map::get(&self.0, key)
    }

    #[inline]
    fn remove(&self, key: DefaultKey) -> bool {
        Map::remove(&self.0, key)
    }

    fn insert_all(&self, values: impl Iterator<Item = V>, keys: &mut Vec<DefaultKey>) {
        self.0.insert_many(values, keys);
    }

    fn end_frame(&mut self) {
        self.0.end_frame();
    }
}

/// Maps for one thread, in locks.
macro_rules! locked {
    ($($name:ident: $lock:ident<$map:ident> by $read:ident, $write:ident;)+) => {$(
        struct $name<V>(parking_lot::$lock<$map::SlotMap<$map::DefaultKey, V>>);

        impl<V: Element> Map<V> for $name<V> {
            type Key = $map::DefaultKey;

            fn new(_: usize) -> Self {
                Self(parking_lot::$lock::new($map::SlotMap::new()))
            }

            #[inline]
            fn insert(&self, value: V) -> Self::Key {
                self.0.$write().insert(value)
            }

            #[inline]
            fn get(&self, key: Self::Key) -> Option<u64> {
                self.0.$read().get(key).map(V::number)
            }

            #[inline]
            fn remove(&self, key: Self::Key) -> bool {
                self.0.$write().remove(key).is_some()
            }
        }
    )+};
}

locked! {
    StayputRwLock: RwLock<stayput> by read, write;
    SlotmapMutex: Mutex<slotmap> by lock, lock;
    SlotmapRwLock: RwLock<slotmap> by read, write;
}

impl<V: Element> Map<V> for sharded_slab::Slab<V> {
    type Key = usize;

    fn new(_: usize) -> Self {
        Self::new()
    }

    #[inline]
    fn insert(&self, value: V) -> usize {
        self.insert(value).expect("the map has room")
    }

    #[inline]
    fn get(&self, key: usize) -> Option<u64> {
        self.get(key).map(|value| value.number())
    }

    #[inline]
    fn remove(&self, key: usize) -> bool {
        self.remove(key)
    }
}

/// With a guard for each call.
impl<V: Element> Map<V> for concurrent_slotmap::SlotMap<SlotId, V> {
    type Key = SlotId;

    /// With spare capacity, because growing to exactly the maximum may fail (0.2.0-alpha.1).
    fn new(most: usize) -> Self {
        Self::new(u32::try_from(2 * most + (1 << 20)).expect("at most 2^32 slots"))
    }

    #[inline]
    fn insert(&self, value: V) -> Self::Key {
        self.insert(value, &self.pin())
    }

    #[inline]
    fn get(&self, key: Self::Key) -> Option<u64> {
        self.get(key, &self.pin()).map(V::number)
    }

    #[inline]
    fn remove(&self, key: Self::Key) -> bool {
        self.remove(key, &self.pin()).is_some()
    }
}

contenders! {
    MapContender by Job<V: Element>;
    /// stayput's map for threads
    SharedSlotMap: SharedSlotMap<DefaultKey, V>, "SharedSlotMap";
    /// stayput's map for threads, by `insert_many`
    Many: Many<V>, "SharedSlotMap, insert_many";
    /// stayput's map for one thread, in a lock
    StayputRwLock: StayputRwLock<V>, "RwLock<stayput::SlotMap>";
    /// slotmap's map, in a lock
    SlotmapMutex: SlotmapMutex<V>, "Mutex<slotmap>";
    /// slotmap's map, in a lock that readers share
    SlotmapRwLock: SlotmapRwLock<V>, "RwLock<slotmap>";
    /// The crate concurrent-slotmap
    ConcurrentSlotmap: concurrent_slotmap::SlotMap<SlotId, V>, "concurrent-slotmap";
    /// The crate sharded-slab
    ShardedSlab: sharded_slab::Slab<V>, "sharded-slab";
}

/// Work that is done with each type of map.
pub(crate) trait Job<V: Element> {
    type Outcome;
    fn run<M: Map<V>>(self) -> Self::Outcome;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MapCase {
    pub(crate) threads: usize,
    pub(crate) value_bytes: usize,
    pub(crate) total: usize,
    /// Look-ups of each thread, and calls of all threads in frames.
    pub(crate) calls: usize,
}

/// The results of a child, in nanoseconds: look-ups by the time of one thread, all else by wall time over all
/// calls.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct MapOutcome {
    insert: f64,
    get: f64,
    /// While one thread inserts without pause, and the others look up.
    beside: Option<f64>,
    mixed: f64,
    remove: f64,
}

/// The job of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Using {
    contender: MapContender,
    case: MapCase,
}

impl jobs::Job for Using {
    type Outcome = MapOutcome;

    fn run(&self) -> Result<MapOutcome> {
        let Self { contender, case } = *self;
        memory::touch((8 * case.total * (case.value_bytes + 16)).max(64 << 20))?;
        Ok(match case.value_bytes {
            8 => contender.make::<u64, _>(*self),
            _ => contender.make::<[u64; 7], _>(*self),
        })
    }
}

/// The number of calls after which all threads meet, and one has the map to itself.
const FRAME: usize = 100_000;

impl<V: Element> Job<V> for Using {
    type Outcome = MapOutcome;

    fn run<M: Map<V>>(self) -> MapOutcome {
        let MapCase { threads, total, calls, .. } = self.case;
        let most = 2 * total + 2 * calls + BESIDE;
        let (mut map, keys, insert) = insert::<V, M>(threads, total, most);
        let mut all: Vec<M::Key> = keys.into_iter().flatten().collect();
        let sum: u64 = all.iter().map(|key| map.get(*key).expect("the value exists")).sum();
        assert_eq!(sum, (0..total as u64).sum::<u64>(), "a key found another value");
        shuffle(&mut all);
        let get = on_threads(threads, |_| look_up(&map, &all, calls));
        let get = get.into_iter().sum::<f64>() / threads as f64;
        let beside = (threads > 1).then(|| look_up_beside(&map, &all, threads, calls));
        map.end_frame();
        let mixed = frames(&mut map, &mut all, threads, calls);
        shuffle(&mut all);
        let removing = wall(threads, |thread| {
            let own = share(all.len(), threads, thread);
            own.map(|at| usize::from(map.remove(all[index(at)]))).sum::<usize>()
        });
        assert_eq!(removing.1.into_iter().sum::<usize>(), all.len(), "a value was missing");
        let remove = per(removing.0, all.len());
        MapOutcome { insert, get, beside, mixed, remove }
    }
}

fn index(number: u64) -> usize {
    usize::try_from(number).expect("the number is an index")
}

fn per(time: Duration, calls: usize) -> f64 {
    time.as_nanos() as f64 / calls.max(1) as f64
}

/// Inserts into an empty map. Keys are stored in memory that was touched before.
fn insert<V: Element, M: Map<V>>(
    threads: usize,
    total: usize,
    most: usize,
) -> (M, Vec<Vec<M::Key>>, f64) {
    let mut ended = None;
    let work = |thread: usize, map: &M| {
        let own = share(total, threads, thread);
        let mut keys = Vec::with_capacity(index(own.end - own.start));
        map.insert_all(own.map(V::of), &mut keys);
        keys
    };
    meet(
        threads,
        1,
        || M::new(most),
        work,
        |round: Round<M, Vec<M::Key>>| {
            ended = Some((round.array, round.found, per(round.worked_for, total)));
        },
    );
    ended.expect("one round has ended")
}

/// Runs `work` on threads that begin together, each on a processor of its own if there are enough, and returns
/// their results.
fn on_threads<R: Send>(threads: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    wall(threads, work).1
}

/// As [`on_threads`], and returns the time from the start of the first thread to the end of the last.
fn wall<R: Send>(threads: usize, work: impl Fn(usize) -> R + Sync) -> (Duration, Vec<R>) {
    let mut ended = None;
    meet(
        threads,
        1,
        || (),
        |thread, ()| work(thread),
        |round: Round<(), R>| {
            ended = Some((round.worked_for, round.found));
        },
    );
    ended.expect("one round has ended")
}

fn shuffle<T>(all: &mut [T]) {
    let mut random = Random::new(7);
    for at in (1..all.len()).rev() {
        all.swap(at, random.below(at + 1));
    }
}

fn look_up<V: Element, M: Map<V>>(map: &M, all: &[M::Key], calls: usize) -> f64 {
    let begun = Instant::now();
    let found = all.iter().cycle().take(calls).filter_map(|key| map.get(*key));
    let (count, sum) =
        found.fold((0, 0_u64), |(count, sum), number| (count + 1, sum.wrapping_add(number)));
    black_box(sum);
    assert_eq!(count, calls, "a value was missing");
    per(begun.elapsed(), calls)
}

/// The most insertions meanwhile.
const BESIDE: usize = 20_000_000;

fn look_up_beside<V: Element, M: Map<V>>(
    map: &M,
    all: &[M::Key],
    threads: usize,
    calls: usize,
) -> f64 {
    let is_over = AtomicBool::new(false);
    let left = AtomicU64::new(threads as u64 - 1);
    let processors = cores::allowed();
    thread::scope(|scope| {
        let (is_over, left, processors) = (&is_over, &left, &processors);
        let readers: Vec<_> = (1..threads)
            .map(|thread| {
                scope.spawn(move || {
                    cores::settle(thread, threads, processors);
                    let took = look_up(map, all, calls);
                    if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                        is_over.store(true, Ordering::Release);
                    }
                    took
                })
            })
            .collect();
        cores::settle(0, threads, processors);
        let mut keys = Vec::with_capacity(64);
        let mut inserted = 0;
        while !is_over.load(Ordering::Acquire) && inserted < BESIDE {
            map.insert_all((0..64).map(V::of), &mut keys);
            keys.clear();
            inserted += 64;
        }
        let count = readers.len() as f64;
        readers.into_iter().map(|reader| reader.join().expect("no thread panicked")).sum::<f64>()
            / count
    })
}

/// Of 20 calls, 18 look up, one removes and one inserts.
fn frames<V: Element, M: Map<V>>(
    map: &mut M,
    all: &mut Vec<M::Key>,
    threads: usize,
    calls: usize,
) -> f64 {
    let own = |thread| {
        let Range { start, end } = share(all.len(), threads, thread);
        all[index(start)..index(end)].to_vec()
    };
    let mut shares: Vec<Vec<M::Key>> = (0..threads).map(own).collect();
    let mut took = Duration::ZERO;
    let mut done = 0;
    for frame in 0..calls.div_ceil(FRAME) {
        let each = FRAME.min(calls - frame * FRAME) / threads / 20;
        let given: Vec<parking_lot::Mutex<Vec<M::Key>>> =
            shares.drain(..).map(parking_lot::Mutex::new).collect();
        let (time, found) = wall(threads, |thread| {
            let mut keys = std::mem::take(&mut *given[thread].lock());
            let mut random = Random::new((frame * threads + thread) as u64 + 1);
            let mut count = 0;
            for number in 0..each {
                for _ in 0..18 {
                    let key = keys[random.below(keys.len())];
                    count += usize::from(map.get(key).is_some());
                }
                let at = random.below(keys.len());
                assert!(map.remove(keys[at]), "a value was missing");
                keys[at] = map.insert(V::of(number as u64));
            }
            assert_eq!(count, 18 * each, "a value was missing");
            keys
        });
        let begun = Instant::now();
        map.end_frame();
        took += time + begun.elapsed();
        done += each * 20 * threads;
        shares = found;
    }
    *all = shares.into_iter().flatten().collect();
    per(took, done)
}

/// Measures all maps, interleaved.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Using>>> {
    let of_case = |&case: &MapCase| {
        let contenders = MapContender::value_variants().iter();
        contenders.map(move |&contender| Using { contender, case })
    };
    let name = |job: &Using| format!("maps, {}", job.contender.name());
    rounds(plan.maps.iter().flat_map(of_case), plan.repetitions, name)
}

/// Returns a table for each case, with a row for each map.
pub(crate) fn show(rows: &Vec<Rounds<Using>>) -> Vec<(String, Table)> {
    let mut cases: Vec<MapCase> = rows.iter().map(|row| row.of.case).collect();
    cases.dedup();
    let of_case = |case: MapCase| {
        let header = header(
            "map | insert, ns | range | get, ns | range | get beside, ns | range | mixed, ns | \
             range | remove, ns | range",
        );
        let cells = rows.iter().filter(|row| row.of.case == case).map(|row| {
            [
                [row.of.contender.name().to_owned()].as_slice(),
                &row.spread(|found| found.insert).range(),
                &row.spread(|found| found.get).range(),
                &Spread::range_of_some(row.spread_of_some(|found| found.beside)),
                &row.spread(|found| found.mixed).range(),
                &row.spread(|found| found.remove).range(),
            ]
            .concat()
        });
        let MapCase { threads, value_bytes, total, .. } = case;
        let (total, threads) = (numbers::text(total), crate::push::threads_text(threads));
        let title = format!("slot maps of {total} values of {value_bytes} bytes, {threads}");
        (title, table(1, header, cells.collect()))
    };
    cases.into_iter().map(of_case).collect()
}
