//! Random histories of slot maps, the same ones for the same seed.

use stayput::{Key, KeyData, Layout, Reuse, SlotMap};

/// Every kind of [`Reuse`].
pub(crate) const ORDERS: [Reuse; 4] = [
    Reuse::Recent,
    Reuse::Lowest,
    Reuse::Rotating { min_free: 0 },
    Reuse::Rotating { min_free: 40 },
];

/// A random number generator that yields the same numbers on every system.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % sides
    }
}

/// What happens to a map in a history.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    /// All calls that change keys.
    All,
    /// All but `trim` and `shrink_to_fit`, whose effect depends on how much memory is committed.
    WithoutGivingBack,
}

/// The keys that the map has given out in a history.
#[derive(Clone)]
pub(crate) struct History<K> {
    dice: Dice,
    live: Vec<K>,
    detached: Vec<K>,
    /// All keys in the order in which they were made.
    pub(crate) made: Vec<K>,
}

impl<K: Key> History<K> {
    pub(crate) fn new(seed: u64) -> Self {
        let (live, detached, made) = (Vec::new(), Vec::new(), Vec::new());
        Self { dice: Dice::new(seed), live, detached, made }
    }

    fn take(&mut self) -> Option<K> {
        let count = self.live.len();
        (count > 0).then(|| self.live.swap_remove(self.dice.roll(count)))
    }

    fn insert<V: Copy>(&mut self, map: &mut SlotMap<K, V>, value: V, most: usize) {
        for _ in 0..=self.dice.roll(most) {
            let Ok(key) = map.try_insert(value) else { return };
            self.made.push(key);
            self.live.push(key);
        }
    }

    fn remove<V>(&mut self, map: &mut SlotMap<K, V>, most: usize) {
        for _ in 0..=self.dice.roll(most) {
            self.take().map(|key| map.remove(key));
        }
    }

    /// Makes `count` random calls.
    pub(crate) fn go_on<V: Copy>(
        &mut self,
        map: &mut SlotMap<K, V>,
        value: V,
        calls: Calls,
        count: usize,
    ) {
        for _ in 0..count {
            match self.dice.roll(40) {
                0..12 => self.insert(map, value, 4),
                12..22 => self.remove(map, 4),
                22..24 => self.insert(map, value, 300),
                24..26 => self.remove(map, 300),
                26 => {
                    let (share, dice) = (1 + self.dice.roll(4), &mut self.dice);
                    map.retain(|_, _| dice.roll(share) > 0);
                    self.live.retain(|key| map.contains_key(*key));
                }
                27 if self.dice.roll(4) == 0 => {
                    map.clear();
                    self.live.clear();
                }
                28 => {
                    if let Some(key) = self.take() {
                        map.detach(key);
                        self.detached.push(key);
                    }
                }
                29 => {
                    if let Some(key) = self.detached.pop() {
                        map.reattach(key, value);
                        self.live.push(key);
                    }
                }
                30 => {
                    if let Some(key) = self.take() {
                        let key = map.try_invalidate(key).ok().flatten().unwrap_or(key);
                        self.made.push(key);
                        self.live.push(key);
                    }
                }
                31 if self.dice.roll(8) == 0 => self.insert_at(map, value),
                32 if self.dice.roll(4) == 0 => {
                    let (live, made) = (&mut self.live, &mut self.made);
                    map.compact(|old, new| {
                        live.retain(|key| *key != old);
                        live.push(new);
                        made.push(new);
                    });
                }
                33 if calls == Calls::All => map.shrink_to_fit(),
                34 if calls == Calls::All => map.trim(),
                _ => {}
            }
        }
    }

    fn insert_at<V>(&mut self, map: &mut SlotMap<K, V>, value: V) {
        let [index, generation] =
            [1200, 9].map(|sides| u32::try_from(self.dice.roll(sides)).unwrap());
        let index = index & <K::Layout as Layout>::MAX_INDEX;
        let Some(data) = KeyData::from_parts(index, generation + 1, 0) else { return };
        if map.try_insert_at(data.into(), value).is_ok() {
            self.made.push(data.into());
            self.live.push(data.into());
        }
    }
}
