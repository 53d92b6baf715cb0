//! Arrays, maps and arenas with all options, created, grown and dropped on many threads, with limits that change,
//! forks, and threads that read statistics and return memory: for `STAYPUT_STRESS_SECONDS` seconds, or one. Every
//! refusal is an [`Error`], and in the end nothing is left.

#![expect(unsafe_code, reason = "sets up the allocator")]

use crate::effort;
use crate::linux::{beside, forked, in_child, limit_softly, statm, under_sanitizer};
use crate::random::Random;
use crate::{KIB, MIB};
use stayput::{
    Arena, Budget, CommitAhead, DefaultKey, Error, ErrorKind, Growth, HugePages, Release,
    SecondaryMap, SlotMap, SparseSecondaryMap, VmVec, alloc, service,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const THREADS: usize = 8;

impl Random {
    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    /// Returns a number that is mostly small.
    fn count(&mut self) -> usize {
        let most = MIB >> self.below(14);
        self.below(most + 1)
    }

    fn budget(&mut self) -> Budget {
        let time = Duration::from_micros(self.below(200) as u64);
        self.one_of(&[Budget::UNLIMITED, Budget::bytes(256 * KIB), Budget::time(time)])
    }
}

/// The options of an array.
#[derive(Clone, Copy)]
struct Chosen {
    /// `None`: the default.
    max_len: Option<usize>,
    capacity: usize,
    growth: Growth,
    huge_pages: HugePages,
    ahead: CommitAhead,
    release: Release,
}

impl Chosen {
    fn any(random: &mut Random) -> Self {
        let max_len = random.one_of(&[None, Some(1000), Some(100_000), Some(MIB)]);
        let capacity = random.one_of(&[0, 0, 10, 50_000]);
        Self {
            max_len,
            capacity: capacity.min(max_len.unwrap_or(capacity)),
            growth: random.one_of(&[Growth::Doubling, Growth::Fixed { step_bytes: 100 * KIB }]),
            huge_pages: random.one_of(&[HugePages::Auto, HugePages::Never, HugePages::Always]),
            ahead: random.one_of(&[
                CommitAhead::Off,
                CommitAhead::Off,
                CommitAhead::Auto,
                CommitAhead::Bytes(300 * KIB),
            ]),
            release: random.one_of(&[Release::Now, Release::Background]),
        }
    }
}

/// Builds with the options: all builders have the same methods.
macro_rules! build {
    ($builder:expr, $chosen:expr, $max:ident, $capacity:ident, $size:expr) => {{
        let chosen = $chosen;
        let mut builder = $builder
            .growth(chosen.growth)
            .huge_pages(chosen.huge_pages)
            .commit_ahead(chosen.ahead)
            .release(chosen.release);
        if let Some(max_len) = chosen.max_len {
            builder = builder.$max(max_len * $size);
        }
        builder.$capacity(chosen.capacity * $size).try_build()
    }};
}

enum Container {
    Vec(VmVec<u64>),
    Map(Box<(SlotMap<DefaultKey, u64>, SecondaryMap<DefaultKey, u64>)>),
    Sparse(SparseSecondaryMap<DefaultKey, u64>),
    Arena(Box<Arena>),
}

impl Container {
    fn any(random: &mut Random) -> Result<Self, Error> {
        let chosen = Chosen::any(random);
        Ok(match random.below(8) {
            0..3 => Self::Vec(build!(VmVec::builder(), chosen, max_len, capacity, 1)?),
            3..6 => {
                let map = build!(SlotMap::builder(), chosen, max_len, capacity, 1)?;
                let second = build!(SecondaryMap::builder(), chosen, max_len, capacity, 1)?;
                Self::Map(Box::new((map, second)))
            }
            6 => Self::Sparse(SparseSecondaryMap::new()),
            _ => {
                let arena = build!(Arena::builder(), chosen, max_bytes, capacity_bytes, 8)?;
                Self::Arena(Box::new(arena))
            }
        })
    }

    /// Grows until refused.
    fn grow(&mut self, random: &mut Random, id: u64) -> Result<(), Error> {
        let more = random.count();
        match self {
            Self::Vec(vec) => {
                if random.below(3) == 0 {
                    vec.try_reserve(more)?;
                }
                for _ in 0..more {
                    vec.try_push(id ^ vec.len() as u64)?;
                }
                // A refusal never exceeds what was requested.
                vec.prefault_ahead(random.budget()).refused.map_or(Ok(()), Err)
            }
            Self::Map(maps) => {
                let (map, second) = &mut **maps;
                for _ in 0..more / 4 {
                    let key = map.try_insert(id)?;
                    second.try_insert(key, id)?;
                }
                map.prefault_ahead(random.budget()).refused.map_or(Ok(()), Err)
            }
            Self::Sparse(map) => {
                let mut keys = SlotMap::<DefaultKey, ()>::new();
                for _ in 0..more % 1000 {
                    map.try_insert(keys.try_insert(())?, id)?;
                }
                Ok(())
            }
            Self::Arena(arena) => {
                for n in 0..more / 16 {
                    let words = arena.try_alloc_slice_fill_copy(n % 32, id)?;
                    assert!(words.iter().all(|word| *word == id));
                }
                Ok(())
            }
        }
    }

    fn shrink(&mut self, random: &mut Random) -> Result<(), Error> {
        match self {
            Self::Vec(vec) => {
                vec.truncate(random.count());
                vec.shrink_to_fit_within(random.budget()).map(drop)
            }
            Self::Map(maps) => {
                let (map, second) = &mut **maps;
                let share = random.below(4) as u64;
                let mut n = 0;
                map.retain(|_, _| {
                    n += 1;
                    n % 4 < share
                });
                second.retain(|key, _| map.contains_key(key));
                map.trim_within(random.budget())?;
                second.shrink_to_fit_within(random.budget()).map(drop)
            }
            Self::Sparse(map) => {
                map.clear();
                Ok(())
            }
            Self::Arena(arena) => {
                arena.reset();
                Ok(())
            }
        }
    }

    fn check(&self, id: u64) {
        match self {
            Self::Vec(vec) => assert!(vec.iter().zip(0..).all(|(word, n)| *word == id ^ n)),
            Self::Map(maps) => {
                let (map, second) = &**maps;
                assert!(map.values().chain(second.values()).all(|word| *word == id));
                // One may have been refused what the other has.
                assert!(second.keys().all(|key| map.contains_key(key)));
                assert!(map.len() - second.len() <= map.len().min(64));
            }
            Self::Sparse(map) => assert!(map.values().all(|word| *word == id)),
            Self::Arena(arena) => assert!(arena.used_bytes() <= arena.stats().committed_bytes),
        }
    }
}

/// Asserts that the error names a limit, and how much was requested.
fn check_refusal(error: Error) {
    let kinds = [
        ErrorKind::AddressLimit,
        ErrorKind::AddressSpace,
        ErrorKind::DataLimit,
        ErrorKind::Memory,
        ErrorKind::MaxLen,
    ];
    assert!(kinds.contains(&error.kind()), "{error}");
    assert!(error.bytes() > 0 || error.kind() == ErrorKind::MaxLen, "{error}");
}

fn work(seed: u64, until: Instant, refusals: &AtomicUsize) {
    let mut random = Random(seed);
    let mut kinds: Vec<(u64, Container)> = Vec::with_capacity(8);
    let mut id = seed << 32;
    while Instant::now() < until {
        let result = match random.below(10) {
            0..3 if kinds.len() < 8 => {
                id += 1;
                Container::any(&mut random).map(|kind| kinds.push((id, kind)))
            }
            0..6 if !kinds.is_empty() => {
                let n = random.below(kinds.len());
                let (id, kind) = &mut kinds[n];
                kind.grow(&mut random, *id)
            }
            6..8 if !kinds.is_empty() => {
                let n = random.below(kinds.len());
                kinds[n].1.shrink(&mut random)
            }
            _ if !kinds.is_empty() => {
                let n = random.below(kinds.len());
                let (id, kind) = kinds.swap_remove(n);
                kind.check(id);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(error) = result {
            check_refusal(error);
            refusals.fetch_add(1, Ordering::Relaxed);
        }
        for (id, kind) in &kinds {
            kind.check(*id);
        }
    }
}

/// Reads statistics, returns memory, and sets tight limits from time to time.
fn disturb(until: Instant) {
    let mut random = Random(99);
    while Instant::now() < until {
        service::stats();
        alloc::trim();
        if !under_sanitizer("memory") {
            let some = random.below(24) * MIB;
            match random.below(4) {
                0 => limit_softly(libc::RLIMIT_DATA, Some(statm(5) + some)),
                1 => limit_softly(libc::RLIMIT_AS, Some(statm(0) + some)),
                _ => {
                    limit_softly(libc::RLIMIT_DATA, None);
                    limit_softly(libc::RLIMIT_AS, None);
                }
            }
        }
        thread::sleep(Duration::from_millis(3));
        if random.below(10) == 0 {
            service::drain();
        }
    }
    limit_softly(libc::RLIMIT_DATA, None);
    limit_softly(libc::RLIMIT_AS, None);
}

/// Checks what a child does that was forked at any moment.
fn live_on() {
    limit_softly(libc::RLIMIT_DATA, None);
    limit_softly(libc::RLIMIT_AS, None);
    service::stats();
    service::drain();
    let mut random = Random(7);
    for _ in 0..4 {
        let mut kind = Container::any(&mut random).expect("no limit is set");
        for _ in 0..4 {
            if let Err(error) = kind.grow(&mut random, 7).and_then(|()| kind.shrink(&mut random)) {
                assert_eq!(error.kind(), ErrorKind::MaxLen);
            }
        }
        kind.check(7);
    }
    service::drain();
    assert_eq!(service::stats().waiting_bytes, 0);
}

/// Makes the allocator keep what it will need, so that tests are not refused memory as arrays are: one heap for all
/// threads, which never shrinks.
fn settle_the_allocator() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in
        [(libc::M_ARENA_MAX, 1), (libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_MMAP_MAX, 0)]
    {
        // SAFETY: it takes two numbers.
        assert_eq!(unsafe { libc::mallopt(parameter, value) }, 1);
    }
    drop(std::hint::black_box(vec![1_u8; 128 * MIB]));
}

#[test]
fn nothing_is_left_of_all_that_came_and_went() {
    in_child(|| {
        // A sanitizer has an allocator of its own, which retains freed memory for a while.
        let is_sanitized = under_sanitizer("the allocator");
        if !is_sanitized {
            settle_the_allocator();
        }
        let run = |seconds: Duration| {
            let until = Instant::now() + seconds;
            let refusals = AtomicUsize::new(0);
            let work = |n: usize, is_done: &dyn Fn() -> bool| {
                if n > 0 {
                    return work(n as u64, until, &refusals);
                }
                while !is_done() && !under_sanitizer("a fork") {
                    forked(live_on);
                    thread::sleep(Duration::from_millis(20));
                }
            };
            // No limit is set before all threads have started.
            beside(1 + THREADS, work, || disturb(until));
            service::drain();
            alloc::trim();
            let stats = service::stats();
            assert_eq!((stats.arrays, stats.waiting_bytes, stats.ahead_bytes), (0, 0, 0));
            refusals.into_inner()
        };
        // Permanent allocations exist after a while: cached stacks of threads, tables of files.
        run(Duration::from_millis(300));
        let (addresses, writable) = (statm(0), statm(5));
        let refusals = run(effort::stress_duration());
        if is_sanitized {
            return;
        }
        assert!(refusals > 0, "there was nothing to be refused");
        assert!(statm(0) < addresses + 64 * MIB, "{} MiB stay", (statm(0) - addresses) / MIB);
        assert!(statm(5) < writable + 64 * MIB, "{} MiB stay", (statm(5) - writable) / MIB);
    });
}
