//! Operations on indices of sets and a model of them, shared by the model test and the fuzz target `sets_model`.

use stayput::Error;
use stayput::index::{ListIndex, SetIndex};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Slots are below this, and so are the values of small ranges.
const SLOTS: u16 = 500;

arbitrary! {
    pub(crate) enum Op {
        /// A slot with a value, present or not.
        Insert(u16, u16),
        /// A number of slots, from one on, with one value.
        InsertMany(u16, u8, u16),
        /// One slot for each value, from a value on.
        InsertEach(u16, u8, u16),
        /// User code panics after a number of calls.
        InsertAndPanic(u16, u16, u8),
        Remove(u16),
        RemoveMany(u16, u8),
        /// Removes all slots of a value except every `n`th.
        RemoveMost(u16, u8),
        /// Moves all slots of a set to another value.
        MoveAll(u16, u16),
        Look(u16),
        Shrink,
        Clear,
    }

    pub(crate) enum Spread {
        Good,
        Equal,
        OneBucket,
        /// Hashes of one byte.
        Few,
    }

    /// How values are hashed, how many there are, and whether they are consistent.
    pub(crate) struct Config {
        spread: Spread,
        values: u8,
        seed: u16,
    }
}

/// Makes hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spreads(Spread);

#[derive(Debug)]
pub(crate) struct Hashing {
    spread: Spread,
    hash: u64,
}

impl BuildHasher for Spreads {
    type Hasher = Hashing;

    fn build_hasher(&self) -> Hashing {
        Hashing { spread: self.0, hash: 0 }
    }
}

impl Hasher for Hashing {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = self.hash.wrapping_add(u64::from(*byte) + 1).wrapping_mul(0x100_0193);
        }
    }

    fn finish(&self) -> u64 {
        match self.spread {
            Spread::Good => self.hash.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            Spread::Equal => 7,
            Spread::OneBucket => self.hash << 32 >> 8 & 0xff00_0000,
            Spread::Few => self.hash & 0xff,
        }
    }
}

/// The methods of both indices.
pub(crate) trait Sets {
    fn make(hasher: Spreads) -> Self;
    fn len(&self) -> usize;
    fn sets(&self) -> usize;
    fn contains(&self, slot: u32) -> bool;
    fn find(&self, value: &Value<'_>, is_meant: impl FnMut(u32) -> bool) -> Vec<u32>;
    fn count(&self, value: &Value<'_>, is_meant: impl FnMut(u32) -> bool) -> usize;
    fn same(&self, slot: u32) -> Vec<u32>;
    fn put(
        &mut self,
        value: &Value<'_>,
        slot: u32,
        is_meant: impl FnMut(u32) -> bool,
    ) -> Result<(), Error>;
    fn remove(&mut self, slot: u32) -> bool;
    fn shrink_to_fit(&mut self);
    fn clear(&mut self);
    fn check(&self);
}

macro_rules! sets {
    ($($index:ident)*) => {
        $(impl Sets for $index<Spreads> {
            fn make(hasher: Spreads) -> Self {
                Self::with_hasher(hasher)
            }

            fn len(&self) -> usize {
                assert_eq!(self.is_empty(), self.len() == 0);
                self.len()
            }

            fn sets(&self) -> usize {
                self.sets()
            }

            fn contains(&self, slot: u32) -> bool {
                self.contains(slot)
            }

            fn find(&self, value: &Value<'_>, is_meant: impl FnMut(u32) -> bool) -> Vec<u32> {
                self.find(value, is_meant).collect()
            }

            fn count(&self, value: &Value<'_>, is_meant: impl FnMut(u32) -> bool) -> usize {
                self.count(value, is_meant)
            }

            fn same(&self, slot: u32) -> Vec<u32> {
                self.same(slot).collect()
            }

            fn put(
                &mut self,
                value: &Value<'_>,
                slot: u32,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Result<(), Error> {
                self.try_insert(value, slot, is_meant)
            }

            fn remove(&mut self, slot: u32) -> bool {
                self.remove(slot)
            }

            fn shrink_to_fit(&mut self) {
                self.shrink_to_fit();
            }

            fn clear(&mut self) {
                self.clear();
            }

            fn check(&self) {
                #[cfg(fuzzing)]
                self.check();
            }
        })*
    };
}

sets!(SetIndex ListIndex);

/// A value that is hashed and compared, until it panics.
#[derive(Debug)]
pub(crate) struct Value<'m> {
    number: u16,
    user: &'m User,
}

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.user.answer(self.number).hash(state);
    }
}

/// How user code behaves.
#[derive(Debug)]
struct User {
    /// For inconsistent values, what they return.
    random: Cell<Option<u32>>,
    panics_after: Cell<Option<u8>>,
}

impl User {
    fn answer(&self, right: u16) -> u16 {
        match self.panics_after.get() {
            Some(0) => resume_unwind(Box::new("as planned")),
            Some(left) => self.panics_after.set(Some(left - 1)),
            None => {}
        }
        let Some(random) = self.random.get() else { return right };
        let next = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.random.set(Some(next));
        if next >> 30 == 0 { right ^ 1 } else { right }
    }
}

pub(crate) struct Model<I> {
    index: I,
    /// The value of each slot.
    values: HashMap<u32, u16>,
    /// The slots of each value.
    sets: HashMap<u16, BTreeSet<u32>>,
    user: User,
    config: Config,
}

impl<I: Sets> Model<I> {
    /// With consistent values.
    pub(crate) fn run(config: Config, ops: &[Op]) {
        let mut model = Self::new(config, None);
        for op in ops {
            model.step(*op);
            model.index.check();
            assert_eq!(model.index.len(), model.values.len());
            assert_eq!(model.index.sets(), model.sets.len());
        }
        for number in 0..SLOTS {
            model.look(number);
        }
    }

    /// With inconsistent values: no slot is lost.
    pub(crate) fn run_wrong(config: Config, ops: &[Op]) {
        let mut model = Self::new(config, Some(config.seed.into()));
        for op in ops {
            model.step(*op);
            model.index.check();
            assert_eq!(model.index.len(), model.values.len());
        }
        for slot in 0..SLOTS.into() {
            let is_there = model.values.contains_key(&slot);
            assert_eq!(model.index.contains(slot), is_there);
            assert_eq!(model.index.same(slot).contains(&slot), is_there);
            assert_eq!(model.index.remove(slot), is_there);
        }
        model.index.check();
        assert_eq!((model.index.len(), model.index.sets()), (0, 0));
    }

    fn new(config: Config, random: Option<u32>) -> Self {
        Self {
            index: I::make(Spreads(config.spread)),
            values: HashMap::new(),
            sets: HashMap::new(),
            user: User { random: Cell::new(random), panics_after: Cell::new(None) },
            config,
        }
    }

    fn step(&mut self, op: Op) {
        let slots =
            |from: u16, count: u8| (0..u16::from(count)).map(move |n| from.wrapping_add(n) % SLOTS);
        match op {
            Op::Insert(slot, number) => self.put(slot, number),
            Op::InsertMany(from, count, number) => {
                slots(from, count).for_each(|slot| self.put(slot, number));
            }
            Op::InsertEach(from, count, number) => {
                slots(from, count).for_each(|slot| self.put(slot, number.wrapping_add(slot)));
            }
            Op::InsertAndPanic(slot, number, after) => self.put_and_panic(slot, number, after),
            Op::Remove(slot) => self.remove(u32::from(slot % SLOTS)),
            Op::RemoveMany(from, count) => {
                slots(from, count).for_each(|slot| self.remove(slot.into()));
            }
            Op::RemoveMost(number, stay) => {
                let set = self.sets.get(&self.number(number)).cloned().unwrap_or_default();
                for (at, slot) in set.into_iter().enumerate() {
                    if at % (usize::from(stay) + 1) != 0 {
                        self.remove(slot);
                    }
                }
            }
            Op::MoveAll(slot, number) => {
                for slot in self.index.same(u32::from(slot % SLOTS)) {
                    self.put(u16::try_from(slot).expect("slots are few"), number);
                }
            }
            Op::Look(number) => self.look(number),
            Op::Shrink => self.index.shrink_to_fit(),
            Op::Clear => {
                self.index.clear();
                self.values.clear();
                self.sets.clear();
            }
        }
    }

    /// One of the present slots.
    fn number(&self, number: u16) -> u16 {
        number % (u16::from(self.config.values) + 1)
    }

    fn put(&mut self, slot: u16, number: u16) {
        let (slot, number) = (u32::from(slot % SLOTS), self.number(number));
        let (values, user) = (&self.values, &self.user);
        let is_meant = |other| {
            assert_ne!(other, slot, "it was asked about the slot itself");
            user.answer(values[&other]) == number
        };
        self.index.put(&Value { number, user }, slot, is_meant).expect("there is memory");
        self.forget(slot);
        self.values.insert(slot, number);
        self.sets.entry(number).or_default().insert(slot);
    }

    fn put_and_panic(&mut self, slot: u16, number: u16, after: u8) {
        self.user.panics_after.set(Some(after % 4));
        let done = catch_unwind(AssertUnwindSafe(|| self.put(slot, number)));
        self.user.panics_after.set(None);
        if let Err(panic) = done {
            assert_eq!(panic.downcast_ref(), Some(&"as planned"));
        }
    }

    fn remove(&mut self, slot: u32) {
        assert_eq!(self.index.remove(slot), self.values.contains_key(&slot));
        self.forget(slot);
    }

    fn forget(&mut self, slot: u32) {
        if let Some(old) = self.values.remove(&slot) {
            let set = self.sets.get_mut(&old).expect("it was inserted");
            set.remove(&slot);
            if set.is_empty() {
                self.sets.remove(&old);
            }
        }
    }

    fn look(&self, number: u16) {
        let number = self.number(number);
        let value = Value { number, user: &self.user };
        let is_meant = |slot| self.user.answer(self.values[&slot]) == number;
        let found = self.index.find(&value, is_meant);
        let count = self.index.count(&value, is_meant);
        if self.user.random.get().is_some() {
            return;
        }
        let expected = self.sets.get(&number).cloned().unwrap_or_default();
        assert_eq!((found.len(), count), (expected.len(), expected.len()));
        assert_eq!(found.iter().copied().collect::<BTreeSet<_>>(), expected);
        for slot in [found.first(), found.last()].into_iter().flatten() {
            let same = self.index.same(*slot);
            assert_eq!(same.len(), expected.len());
            assert_eq!(same.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }
}
