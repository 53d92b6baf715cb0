//! Keys are well distributed in a hash table, whatever the hasher and the layout.

use stayput::{
    Bits32, Bits64, Compact32, Key, KeyData, Layout, Plain64, SlotMap, Tagged64, new_key_type,
};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hasher, RandomState};

/// Returns the number unchanged.
#[derive(Default)]
struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, _: &[u8]) {
        unreachable!("a key is a number");
    }

    fn write_u64(&mut self, number: u64) {
        assert_eq!(self.0, 0, "a key is one number");
        self.0 = number;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Checks the distribution of keys in the table that `hashbrown` creates for them. It selects a bucket by the lowest
/// bits of a hash, and compares the highest seven bits of a word.
#[track_caller]
fn spreads<K: Key>(keys: &[K], hasher: &impl BuildHasher, name: &str) {
    let buckets = (keys.len() * 8 / 7).next_power_of_two();
    let mut places: Vec<(u64, u64)> = Vec::with_capacity(keys.len());
    let mut of_tag = [0_usize; 128];
    for key in keys {
        let hash = hasher.hash_one(key);
        let tag = hash >> (usize::BITS - 7) & 127;
        places.push((hash & (buckets as u64 - 1), tag));
        of_tag[usize::try_from(tag).expect("it is small")] += 1;
    }
    places.sort_unstable();
    let used = places.chunk_by(|a, b| a.0 == b.0).count();
    let most_alike = places.chunk_by(|a, b| a == b).map(<[_]>::len).max().unwrap_or(0);
    let most_of_tag = of_tag.into_iter().max().unwrap_or(0);

    // The expected number of empty buckets if keys were distributed at random.
    #[expect(clippy::cast_precision_loss, reason = "they are some thousands")]
    let (thrown, free) = (keys.len() as f64, buckets as f64);
    let at_random = free * (1.0 - (-thrown / free).exp());
    #[expect(clippy::cast_precision_loss, reason = "they are some thousands")]
    let share = used as f64 / at_random;
    assert!(share > 0.7, "{name}: {used} buckets of {at_random:.0} are used");
    assert!(most_alike <= 5, "{name}: {most_alike} keys have one bucket and tag");
    let fair = keys.len() / of_tag.len() + 8;
    assert!(most_of_tag <= 4 * fair, "{name}: {most_of_tag} keys have one tag, of {fair}");
}

/// Under all hashers.
fn spread_well<K: Key>(keys: &[K], which: &str) {
    assert!(keys.len() > 500, "{which} are too few to tell");
    let name = |hasher| format!("{which} of {} by {hasher}", std::any::type_name::<K>());
    spreads(keys, &BuildHasherDefault::<Identity>::default(), &name("identity"));
    // The function of `fxhash`.
    spreads(keys, &BuildHasherDefault::<rustc_hash_1::FxHasher>::default(), &name("rustc-hash 1"));
    spreads(keys, &rustc_hash::FxBuildHasher, &name("rustc-hash 2"));
    spreads(keys, &fnv::FnvBuildHasher::default(), &name("fnv"));
    let fixed = ahash::RandomState::with_seeds(1, 2, 3, 4);
    spreads(keys, &fixed, &name("ahash"));
    spreads(keys, &foldhash::fast::FixedState::with_seed(1), &name("foldhash, fast"));
    spreads(keys, &foldhash::quality::FixedState::with_seed(1), &name("foldhash, quality"));
    spreads(keys, &BuildHasherDefault::<DefaultHasher>::default(), &name("std"));

    let identity = BuildHasherDefault::<Identity>::default();
    let mut hashes: Vec<u64> = keys.iter().map(|key| identity.hash_one(key)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), keys.len(), "{which} do not all have a hash of their own");
}

const MANY: u32 = 10_000;

/// The keys with these parts, as far as the layout supports them.
fn keys<K: Key>(parts: impl Iterator<Item = (u32, u32, u32)>) -> Vec<K> {
    let data = parts.map(|(index, generation, tag)| KeyData::from_parts(index, generation, tag));
    data.flatten().map(K::from).collect()
}

/// Various keys of a layout.
fn spread_well_in_all_ways<K: Key>() {
    let indices = K::Layout::MAX_INDEX;
    let generations = K::Layout::MAX_GENERATION;
    let tags = K::Layout::MAX_TAG;

    if indices >= 1000 {
        let mut map: SlotMap<K, u32> = SlotMap::with_key();
        map.extend(0..MANY.min(indices));
        spread_well(&map.keys().collect::<Vec<_>>(), "all keys of a map");
        let both = (0..MANY.min(indices)).map(|n| (n, n % generations + 1, 0));
        spread_well(&keys::<K>(both), "keys that differ in both");
    }
    for stride in [2, 16, 64, 4096, 1 << 16] {
        if indices / stride >= 1000 {
            let some = (0..MANY.min(indices / stride)).map(|n| (n * stride, 1, 0));
            spread_well(&keys::<K>(some), &format!("each of {stride} keys"));
        }
    }
    for stride in [1, 8, 1024] {
        if generations / stride >= 1000 {
            let late = (1..MANY.min(generations / stride)).map(|n| (1, n * stride, 0));
            spread_well(&keys::<K>(late), &format!("each of {stride} keys of one slot"));
        }
    }
    let few = indices.min(200);
    let reused = (0..few * generations.min(MANY / few)).map(|n| (n % few, n / few + 1, 0));
    spread_well(&keys::<K>(reused), "keys of some slots");
    if tags >= 1000 {
        let tagged = (0..MANY.min(tags)).map(|n| (1, 1, n));
        spread_well(&keys::<K>(tagged), "keys that differ in the tag");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn keys_spread_under_any_hasher_in_any_layout() {
    new_key_type! {
        struct Plain: Plain64;
        struct Tagged: Tagged64;
        struct Compact: Compact32;
        struct Short: Bits32<24, 8>;
        struct Even: Bits64<20, 20, 24>;
        struct Long: Bits64<1, 31, 32>;
    }
    spread_well_in_all_ways::<Plain>();
    spread_well_in_all_ways::<Tagged>();
    spread_well_in_all_ways::<Compact>();
    spread_well_in_all_ways::<Short>();
    spread_well_in_all_ways::<Even>();
    spread_well_in_all_ways::<Long>();
}

#[test]
fn a_key_has_the_hash_of_its_data() {
    new_key_type! { struct Tagged: Tagged64; }
    let hasher = RandomState::new();
    for (index, generation, tag) in [(0, 1, 0), (7, 3, 9), (u32::MAX, 5, 4095)] {
        let data = KeyData::from_parts(index, generation, tag).expect("it fits");
        assert_eq!(hasher.hash_one(Tagged::from(data)), hasher.hash_one(data));
        assert_ne!(hasher.hash_one(data), hasher.hash_one(data.with_tag(tag ^ 1)));
    }
}
