//! However a map forgets the generations of its slots (cleared, trimmed, shrunk, copied, saved), it returns no key
//! twice.

use crate::made;
use stayput::slot_map::Reuse;
use stayput::{
    Bits64, Budget, CommitAhead, DefaultKey, HugePages, Key, SlotMap, Tagged64, new_key_type,
};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

new_key_type! {
    /// Just enough generations for `clear` to raise one generation for all slots.
    struct Many: Bits64<20, 21>;
    /// Just too few.
    struct Tagged: Tagged64;
    struct Seven: Bits64<16, 3>;
}

/// 64 of them are a block, the unit that is returned.
type Large = [[u32; 15]; 17];

fn large(number: u32) -> Large {
    [[number; 15]; 17]
}

arbitrary! {
    enum Op {
        Insert(u16),
        Remove(u16),
        /// Every `n`th slot of a run.
        RemoveRun(u16, u16, u8),
        /// All but the first `n`.
        Cut(u16),
        Detach(u16),
        /// Into a slot past the last one, or among the others.
        InsertAt(u16, u8),
        Invalidate(u16),
        Clear,
        ClearOften(u8),
        Trim,
        TrimWithin(u32),
        Shrink,
        ShrinkWithin(u32),
        CompactWithin(u32),
        Clone,
        #[cfg(feature = "serde")]
        Save,
    }
}

/// Key types that can be saved, if the feature is on.
#[cfg(feature = "serde")]
trait Saved: Key + serde::Serialize + serde::de::DeserializeOwned {}
#[cfg(feature = "serde")]
impl<K: Key + serde::Serialize + serde::de::DeserializeOwned> Saved for K {}
#[cfg(not(feature = "serde"))]
trait Saved: Key {}
#[cfg(not(feature = "serde"))]
impl<K: Key> Saved for K {}

struct World<K: Saved> {
    map: SlotMap<K, Large>,
    values: BTreeMap<K, u32>,
    made: HashSet<K>,
    next: u32,
}

impl<K: Saved> World<K> {
    fn note(&mut self, key: K, number: u32) {
        assert!(self.made.insert(key), "{key:?} was there before");
        assert_eq!(self.values.insert(key, number), None);
    }

    fn pick(&self, which: u16) -> Option<K> {
        self.values.keys().nth(usize::from(which) % self.values.len().max(1)).copied()
    }

    fn remove(&mut self, keys: &[K]) {
        for key in keys {
            let number = self.values.remove(key).expect("it was picked");
            assert_eq!(self.map.remove(*key), Some(large(number)));
        }
    }

    fn clear(&mut self) {
        self.map.clear();
        self.values.clear();
    }

    fn insert(&mut self, count: u16) {
        for _ in 0..count {
            self.next += 1;
            // With few generations, no slots are left at some point.
            let Ok(key) = self.map.try_insert(large(self.next)) else { return };
            self.note(key, self.next);
        }
    }

    fn run(&mut self, op: Op) {
        match op {
            Op::Insert(count) => self.insert(count % 500),
            Op::Remove(which) => {
                let key = self.pick(which);
                self.remove(key.as_slice());
            }
            Op::RemoveRun(from, len, step) => {
                let first = u32::from(from) % 2000;
                let run = first..first + u32::from(len) % 700;
                let keys = self.values.keys().filter(|key| run.contains(&key.index()));
                let keys: Vec<_> = keys.copied().step_by(usize::from(step % 3) + 1).collect();
                self.remove(&keys);
            }
            Op::Cut(len) => {
                let len = u32::from(len) % 1000;
                self.map.retain(|key, _| key.index() < len);
                self.values.retain(|key, _| key.index() < len);
            }
            Op::Detach(which) => {
                if let Some(key) = self.pick(which) {
                    let number = self.values.remove(&key).expect("it was picked");
                    assert_eq!(self.map.detach(key), Some(large(number)));
                }
            }
            Op::InsertAt(index, generation) => {
                let (index, generation) = (u32::from(index) % 2000, u32::from(generation % 9) + 1);
                let data = stayput::KeyData::from_parts(index, generation, 0);
                if let Some(key) = data.map(K::from) {
                    self.next += 1;
                    if self.map.try_insert_at(key, large(self.next)).is_ok() {
                        self.note(key, self.next);
                    }
                }
            }
            Op::Invalidate(which) => {
                if let Some(old) = self.pick(which) {
                    if let Ok(new) = self.map.try_invalidate(old) {
                        let number = self.values.remove(&old).expect("it was picked");
                        self.note(new.expect("it is there"), number);
                    }
                }
            }
            Op::Clear => self.clear(),
            Op::ClearOften(count) => {
                for _ in 0..count {
                    self.insert(2);
                    self.clear();
                }
            }
            Op::Trim => self.map.trim(),
            Op::TrimWithin(spend) => {
                self.map.trim_within(budget(spend)).expect("it goes");
                self.check();
            }
            Op::Shrink => self.map.shrink_to_fit(),
            Op::ShrinkWithin(spend) => {
                self.map.shrink_to_fit_within(budget(spend)).expect("it goes");
                self.check();
            }
            Op::CompactWithin(bytes) => {
                let mut moves = Vec::new();
                let budget = Budget::bytes(bytes as usize % (1 << 18));
                let _ = self.map.compact_within(budget, |old, new| moves.push((old, new)));
                for (old, new) in moves {
                    let number = self.values.remove(&old).expect("what moves is there");
                    self.note(new, number);
                }
            }
            Op::Clone => self.map = self.map.clone(),
            #[cfg(feature = "serde")]
            Op::Save => {
                let bytes = postcard::to_stdvec(&self.map).expect("it is written");
                self.map = postcard::from_bytes(&bytes).expect("it is read");
            }
        }
    }

    fn check(&self) {
        let values = self.values.iter().map(|(key, n)| (*key, large(*n)));
        assert!(self.map.iter().map(|(key, value)| (key, *value)).eq(values));
        assert_eq!(self.map.len(), self.values.len());
        assert!(
            self.made
                .iter()
                .all(|key| { self.map.contains_key(*key) == self.values.contains_key(key) })
        );
    }
}

/// A time, a budget for the first piece only, or more.
fn budget(spend: u32) -> Budget {
    match spend % 4 {
        0 => Budget::time(Duration::from_micros(300)),
        1 => Budget::bytes(1),
        _ => Budget::bytes(spend as usize % (4 << 20)),
    }
}

arbitrary! {
    struct Config {
        /// Returns `true` if keys of other maps are inserted, after which slots are not forgotten at once.
        is_placed: bool,
        ahead: Option<u8>,
        huge_pages: u8,
    }
}

fn run<K: Saved>(config: Config, ops: &[Op], reuse: Reuse) {
    let ahead = match config.ahead {
        None => CommitAhead::Off,
        Some(0..100) => CommitAhead::Auto,
        Some(many) => CommitAhead::Bytes(usize::from(many) << 12),
    };
    let huge_pages = [HugePages::Never, HugePages::Auto, HugePages::Always];
    let huge_pages = huge_pages[usize::from(config.huge_pages % 3)];
    let builder = SlotMap::builder().reuse(reuse).commit_ahead(ahead).huge_pages(huge_pages);
    let map = builder.build();
    let mut world = World::<K> { map, values: BTreeMap::new(), made: HashSet::new(), next: 0 };
    for op in ops {
        world.run(*op);
    }
    world.check();
    world.run(Op::Trim);
    world.insert(1000);
    world.check();
}

#[test]
fn no_key_is_returned_twice() {
    made::run_with(10, 1..40, |config: Config, ops: &[Op]| {
        let is_ours =
            |op: &&Op| config.is_placed || !matches!(op, Op::InsertAt(..) | Op::Detach(_));
        let ops: Vec<_> = ops.iter().filter(is_ours).copied().collect();
        for reuse in [Reuse::Recent, Reuse::Lowest, Reuse::Rotating { min_free: 10 }] {
            run::<DefaultKey>(config, &ops, reuse);
        }
        run::<Many>(config, &ops, Reuse::Recent);
        run::<Tagged>(config, &ops, Reuse::Recent);
        run::<Seven>(config, &ops, Reuse::Recent);
    });
}
