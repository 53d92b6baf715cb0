//! Containers of all kinds with all options, which are made, grown and shrunk at random.

#![cfg_attr(feature = "file", expect(clippy::large_enum_variant, reason = "there are few"))]

use crate::random::Random;
use crate::{KIB, MIB};
use stayput::{
    Arena, BlockVec, Budget, Columns, CommitAhead, DefaultKey, DenseSlotMap, Error, Growth,
    HugePages, ListPool, Release, SecondaryMap, SharedVec, SlotMap, SparseSecondaryMap, Table,
    VmVec, indices,
};
use std::time::Duration;

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

indices! {
    pub(crate) struct ByValue for u64 {
        value: Many<u64> = |value| value,
    }
}

pub(crate) enum Container {
    Vec(VmVec<u64>),
    Map(Box<(SlotMap<DefaultKey, u64>, SecondaryMap<DefaultKey, u64>)>),
    Sparse(SparseSecondaryMap<DefaultKey, u64>),
    Arena(Box<Arena>),
    Columns(Columns<(u64, u8, [u32; 3])>),
    Dense(Box<DenseSlotMap<DefaultKey, u64>>),
    Table(Box<Table<u64, ByValue>>),
    Shared(SharedVec<u64>),
    Blocks(BlockVec<u64>),
    Lists(Box<ListPool<u64>>),
    #[cfg(feature = "file")]
    File(Box<stayput::FileVec<u64>>),
}

impl Container {
    pub(crate) fn any(random: &mut Random) -> Result<Self, Error> {
        let chosen = Chosen::any(random);
        Ok(match random.below(16) {
            0..3 => Self::Vec(build!(VmVec::builder(), chosen, max_len, capacity, 1)?),
            3..6 => {
                let map = build!(SlotMap::builder(), chosen, max_len, capacity, 1)?;
                let second = build!(SecondaryMap::builder(), chosen, max_len, capacity, 1)?;
                Self::Map(Box::new((map, second)))
            }
            6 => Self::Sparse(SparseSecondaryMap::new()),
            7 => {
                let arena = build!(Arena::builder(), chosen, max_bytes, capacity_bytes, 8)?;
                Self::Arena(Box::new(arena))
            }
            8..10 => Self::Columns(build!(Columns::builder(), chosen, max_len, capacity, 1)?),
            10 => {
                let map = build!(DenseSlotMap::builder(), chosen, max_len, capacity, 1)?;
                Self::Dense(Box::new(map))
            }
            11 => Self::Table(Box::default()),
            12 => Self::Shared(build!(SharedVec::builder(), chosen, max_len, capacity, 1)?),
            13 => Self::Blocks(BlockVec::new()),
            14 => Self::Lists(Box::default()),
            #[cfg(feature = "file")]
            _ => {
                let builder = stayput::FileVec::builder().max_len(4 * MIB);
                let file =
                    builder.temporary_in(std::env::temp_dir()).map_err(|error| of_file(&error))?;
                Self::File(Box::new(file))
            }
            #[cfg(not(feature = "file"))]
            _ => Self::Vec(VmVec::new()),
        })
    }

    /// Grows until refused.
    pub(crate) fn grow(&mut self, random: &mut Random, id: u64) -> Result<(), Error> {
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
            Self::Columns(columns) => (0..more / 4)
                .try_for_each(|_| columns.try_push((id, 7, [1, 2, 3])))
                .map_err(|refused| refused.error),
            Self::Dense(map) => {
                (0..more / 4).try_for_each(|_| map.try_insert(id).map(drop).map_err(Error::from))
            }
            Self::Table(table) => {
                (0..more / 16).try_for_each(|_| table.try_insert(id).map(drop).map_err(Error::from))
            }
            Self::Shared(vec) => (0..more)
                .try_for_each(|_| vec.try_push(id).map(drop))
                .map_err(|refused| refused.error),
            Self::Blocks(vec) => (0..more).try_for_each(|_| vec.try_push(id).map_err(Error::from)),
            Self::Lists(lists) => (0..more / 64).try_for_each(|n| {
                let key = lists.try_insert_empty()?;
                let mut list = lists.get_mut(key).expect("it was just made");
                list.try_extend_from_slice(&[id; 40][..n % 40])
            }),
            #[cfg(feature = "file")]
            Self::File(vec) => {
                let len = vec.len() as u64;
                vec.try_extend((len..len + more as u64).map(|n| id ^ n))
                    .map_err(|refused| refused.error)
            }
        }
    }

    pub(crate) fn shrink(&mut self, random: &mut Random) -> Result<(), Error> {
        match self {
            Self::Vec(vec) => {
                vec.truncate(random.count());
                vec.shrink_to_fit_within(random.budget()).map(drop)
            }
            Self::Map(maps) => {
                let (map, second) = &mut **maps;
                let mut is_kept = some(random);
                map.retain(|_, _| is_kept());
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
            Self::Columns(columns) => {
                columns.truncate(random.count());
                columns.shrink_to_fit();
                Ok(())
            }
            Self::Dense(map) => {
                let mut is_kept = some(random);
                map.retain(|_, _| is_kept());
                map.trim();
                Ok(())
            }
            Self::Table(table) => {
                let mut is_kept = some(random);
                table.retain(|_, _| is_kept());
                table.try_trim()
            }
            Self::Shared(vec) => {
                vec.clear();
                vec.shrink_to_fit();
                Ok(())
            }
            Self::Blocks(vec) => {
                vec.truncate(random.count());
                vec.shrink_to_fit();
                Ok(())
            }
            Self::Lists(lists) => {
                let mut is_kept = some(random);
                lists.retain(|_, _| is_kept());
                lists.shrink_to_fit();
                Ok(())
            }
            #[cfg(feature = "file")]
            Self::File(vec) => {
                vec.truncate(random.count());
                if random.below(8) == 0 {
                    vec.flush().map_err(|error| of_file(&error))?;
                }
                vec.try_shrink_to_fit()
            }
        }
    }

    pub(crate) fn check(&self, id: u64) {
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
            Self::Columns(columns) => {
                assert!(columns.iter().all(|(word, _, parts)| *word == id && parts[2] == 3));
            }
            Self::Dense(map) => assert!(map.values().all(|word| *word == id)),
            Self::Table(table) => assert!(table.values().all(|word| *word == id)),
            Self::Shared(vec) => assert!(vec.iter().all(|word| *word == id)),
            Self::Blocks(vec) => assert!(vec.iter().all(|word| *word == id)),
            Self::Lists(lists) => {
                assert!(lists.iter().all(|(_, list)| list.iter().all(|word| *word == id)));
            }
            #[cfg(feature = "file")]
            Self::File(vec) => assert!(vec.iter().zip(0..).all(|(word, n)| *word == id ^ n)),
        }
    }
}

/// Returns a function that keeps none, or one to three of four.
fn some(random: &mut Random) -> impl FnMut() -> bool + use<> {
    let (share, mut n) = (random.below(4), 0);
    move || {
        n += 1;
        n % 4 < share
    }
}

/// The refusal in an error of a file.
#[cfg(feature = "file")]
fn of_file(error: &stayput::file::FileError) -> Error {
    error.refused().unwrap_or_else(|| panic!("{error}"))
}

/// Containers of one thread, with numbers.
#[derive(Default)]
pub(crate) struct Containers {
    pub(crate) all: Vec<(u64, Container)>,
    made: u64,
}

impl Containers {
    /// Makes, grows, shrinks or drops one.
    pub(crate) fn step(&mut self, random: &mut Random, seed: u64) -> Result<(), Error> {
        let all = &mut self.all;
        let any = (!all.is_empty()).then(|| random.below(all.len().max(1)));
        match (random.below(10), any) {
            (0..3, _) if all.len() < 8 => {
                self.made += 1;
                all.push((seed << 32 | self.made, Container::any(random)?));
            }
            (0..6, Some(n)) => {
                let (id, container) = &mut all[n];
                container.grow(random, *id)?;
            }
            (6..8, Some(n)) => all[n].1.shrink(random)?,
            (_, Some(n)) => {
                let (id, container) = all.swap_remove(n);
                container.check(id);
            }
            (_, None) => {}
        }
        Ok(())
    }
}
