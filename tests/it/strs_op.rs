//! Operations on a `StrPool` and a model of it, shared by the model test and the fuzz target `strs_model`.

use stayput::{
    Bits32, Budget, CommitAhead, ErrorKind, Key, KeyData, Layout, StrPool, new_key_type,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;

new_key_type! {
    /// 64 slots, each used 7 times.
    pub(crate) struct Small: Bits32<6, 3>;
}

arbitrary! {
    /// How the pool is made.
    pub(crate) enum Config {
        Default,
        Interning,
        Capacity(u16),
        MaxLen(u16),
        Ahead,
    }

    /// Texts are numbers, strings of the pool are picked by numbers.
    pub(crate) enum Op {
        Insert(u16),
        InsertMany(u16, u8),
        /// A text that is in the pool.
        InsertAgain(u16),
        Extend([u16; 3]),
        Remove(u16),
        /// Every `n`th string.
        RemoveSome(u8),
        RemoveStale(u16),
        RemoveForged(u8, u8),
        Find(u16),
        StartInterning,
        Compact,
        CompactWithin(u16),
        Shrink,
        ShrinkWithin(u16),
        Clear,
        /// The clone takes the place of the original, which is cleared.
        Clone,
        /// A pool of the same strings takes its place, interning or not.
        Copy(bool),
    }
}

/// One of about 50 short texts, or a long one.
fn text(number: u16) -> String {
    const PARTS: [&str; 7] = ["a", "b", "ab", "é", "日本", "🦀", "to be"];
    let number = usize::from(number);
    let times = number / 7 % 7;
    PARTS[number % 7].repeat(if number % 50 == 49 { 100 * times } else { times })
}

/// A pool and what it should hold.
pub(crate) struct Model<K: Key> {
    pool: StrPool<K>,
    /// By the index of the key.
    texts: BTreeMap<u32, (K, String)>,
    /// The key of each text that is found, if the pool is interning.
    found: Option<HashMap<String, K>>,
    /// All keys that the pool has returned.
    made: HashSet<K>,
    stale: Vec<K>,
    is_limited: bool,
}

impl<K: Key> Model<K> {
    const HAS_FEW_KEYS: bool = K::Layout::MAX_INDEX < 1000;
    /// The most bytes in a run.
    const MOST: usize = 100_000;

    pub(crate) fn run(config: Config, ops: &[Op]) {
        let pool = match config {
            Config::Default => StrPool::with_key(),
            Config::Interning => StrPool::interning_with_key(),
            Config::Capacity(capacity) => StrPool::builder().capacity(capacity.into()).build(),
            Config::MaxLen(max_len) => StrPool::builder().max_len(max_len.into()).build(),
            Config::Ahead => StrPool::builder().commit_ahead(CommitAhead::Auto).build(),
        };
        let mut model = Self {
            pool,
            texts: BTreeMap::new(),
            found: matches!(config, Config::Interning).then(HashMap::new),
            made: HashSet::new(),
            stale: Vec::new(),
            is_limited: matches!(config, Config::MaxLen(_)),
        };
        for op in ops {
            model.apply(*op);
            model.check();
        }
        model.check_all();
    }

    fn pick(&self, pick: u16) -> Option<(K, &str)> {
        let nth = usize::from(pick).checked_rem(self.texts.len())?;
        self.texts.values().nth(nth).map(|(key, text)| (*key, &**text))
    }

    fn bytes(&self) -> usize {
        self.texts.values().map(|(_, text)| text.len()).sum()
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Insert(number) => self.insert(text(number)),
            Op::InsertMany(first, count) => {
                for number in 0..u16::from(count % 32) {
                    self.insert(text(first.wrapping_add(number)));
                }
            }
            Op::InsertAgain(pick) => {
                if let Some((_, text)) = self.pick(pick) {
                    self.insert(text.to_owned());
                }
            }
            Op::Extend(numbers) => self.extend(numbers.map(text)),
            Op::Remove(pick) => {
                if let Some((key, _)) = self.pick(pick) {
                    self.remove(key);
                }
            }
            Op::RemoveSome(step) => {
                let keys = self.texts.values().map(|(key, _)| *key);
                let keys: Vec<K> = keys.step_by(usize::from(step % 8) + 1).collect();
                for key in keys {
                    self.remove(key);
                }
            }
            Op::RemoveStale(pick) => {
                let Some(nth) = usize::from(pick).checked_rem(self.stale.len()) else { return };
                self.finds_nothing(self.stale[nth]);
            }
            Op::RemoveForged(index, generation) => {
                let (index, generation) = (u32::from(index % 64), u32::from(generation % 7) + 1);
                let key: K = KeyData::from_parts(index, generation, 0).expect("it fits").into();
                match self.texts.get(&index) {
                    Some((there, _)) if *there == key => self.remove(key),
                    _ => self.finds_nothing(key),
                }
            }
            Op::Find(number) => {
                let text = text(number);
                let key = self.found.as_ref().and_then(|found| found.get(&text));
                assert_eq!(self.pool.find(&text), key.copied());
            }
            Op::StartInterning => {
                self.pool.start_interning();
                if self.found.is_none() {
                    // The first of equal ones is found.
                    let found = self.texts.values().rev().map(|(key, text)| (text.clone(), *key));
                    self.found = Some(found.collect());
                }
            }
            Op::Compact => {
                self.pool.compact();
                assert!(self.is_limited || self.pool.stats().spare == 0);
            }
            Op::CompactWithin(bytes) => {
                let compacted = self.pool.compact_within(Budget::bytes(bytes.into()));
                assert!(self.is_limited || compacted.is_ok());
            }
            Op::Shrink => self.pool.shrink_to_fit(),
            Op::ShrinkWithin(bytes) => {
                assert!(self.pool.shrink_to_fit_within(Budget::bytes(bytes.into())).is_ok());
            }
            Op::Clear => {
                self.pool.clear();
                self.stale.extend(self.texts.values().map(|(key, _)| *key));
                self.texts.clear();
                self.found.iter_mut().for_each(HashMap::clear);
            }
            Op::Clone => {
                let clone = self.pool.clone();
                self.pool.clear();
                self.pool = clone;
                self.is_limited = false;
            }
            Op::Copy(is_interning) => self.copy(is_interning),
        }
    }

    fn insert(&mut self, text: String) {
        if self.bytes() + text.len() > Self::MOST {
            return;
        }
        let known = self.found.as_ref().and_then(|found| found.get(&text)).copied();
        match self.pool.try_insert(&text) {
            Ok(key) if known.is_some() => assert_eq!(Some(key), known),
            Ok(key) => self.note(key, text),
            Err(error) => {
                assert!(known.is_none(), "it is in the pool");
                match error.kind() {
                    ErrorKind::KeyBits => assert!(Self::HAS_FEW_KEYS),
                    kind => assert!(self.is_limited && kind == ErrorKind::MaxLen, "{error}"),
                }
            }
        }
    }

    fn note(&mut self, key: K, text: String) {
        assert!(self.made.insert(key), "{key:?} is not new");
        if let Some(found) = &mut self.found {
            assert_eq!(found.insert(text.clone(), key), None, "it was not found");
        }
        let in_slot = self.texts.insert(key.index(), (key, text));
        assert_eq!(in_slot, None, "the slot is in use");
    }

    fn extend(&mut self, texts: [String; 3]) {
        if self.is_limited || Self::HAS_FEW_KEYS || self.bytes() > Self::MOST {
            return;
        }
        self.pool.extend(texts.iter().map(|text| &**text));
        let new = self.pool.iter().filter(|(key, _)| !self.made.contains(key));
        let mut new: Vec<(K, String)> = new.map(|(key, text)| (key, text.to_owned())).collect();
        new.sort_by(|(_, one), (_, other)| one.cmp(other));
        let mut expected = Vec::from(texts);
        expected.sort();
        if let Some(found) = &self.found {
            expected.dedup();
            expected.retain(|text| !found.contains_key(text));
        }
        assert!(new.iter().map(|(_, text)| text).eq(&expected));
        for (key, text) in new {
            self.note(key, text);
        }
    }

    fn remove(&mut self, key: K) {
        assert!(self.pool.remove(key));
        let (_, text) = self.texts.remove(&key.index()).expect("it was picked");
        if let Some(found) = &mut self.found {
            if found.get(&text) == Some(&key) {
                found.remove(&text);
            }
        }
        self.stale.push(key);
    }

    fn finds_nothing(&mut self, key: K) {
        assert!(!self.pool.contains_key(key) && self.pool.get(key).is_none());
        assert!(!self.pool.remove(key));
    }

    fn copy(&mut self, is_interning: bool) {
        let mut copy =
            if is_interning { StrPool::interning_with_key() } else { StrPool::with_key() };
        copy.extend(self.pool.iter().map(|(_, text)| text));
        self.pool = copy;
        self.found = is_interning.then(HashMap::new);
        self.is_limited = false;
        self.made.clear();
        self.stale.clear();
        let keys: Vec<K> = self.pool.keys().collect();
        let mut keys = keys.into_iter();
        for (_, (_, text)) in mem::take(&mut self.texts) {
            if self.found.as_ref().is_none_or(|found| !found.contains_key(&text)) {
                let key = keys.next().expect("each text that is new has a key");
                self.note(key, text);
            }
        }
    }

    fn check(&self) {
        assert_eq!(self.pool.len(), self.texts.len());
        assert_eq!(self.pool.is_empty(), self.texts.is_empty());
        let expected = || self.texts.values().map(|(key, text)| (*key, &**text));
        assert!(self.pool.iter().eq(expected()));
        assert!(self.pool.keys().eq(expected().map(|(key, _)| key)));
    }

    /// Looks every string up by its key, and its key by the text. Statistics are compared here, too: they take long.
    fn check_all(&self) {
        for (key, text) in self.texts.values() {
            assert!(self.pool.contains_key(*key));
            assert_eq!((self.pool.get(*key), &self.pool[*key]), (Some(&**text), &**text));
            let found = self.found.as_ref().and_then(|found| found.get(text));
            assert_eq!(self.pool.find(text), found.copied());
        }
        let stats = self.pool.stats();
        assert_eq!((stats.lists, stats.elements), (self.texts.len(), self.bytes()));
        assert!(stats.elements + stats.spare + stats.unused <= stats.capacity);
    }
}
