//! [`StrPool`]: many strings in one reservation.

#![expect(unsafe_code, reason = "reads strings from bytes that are known to be UTF-8")]

use super::{Compacted, List, ListMut, ListPool, ListPoolStats};
use crate::error::{Error, ErrorKind, Holder, unwrap_or_panic};
use crate::growing::{Budget, GivenBack};
use crate::key::{DefaultKey, Key};
use hashbrown::HashTable;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::Index;
use std::str;

/// A pool of immutable strings, stored in one reserved address range and identified by keys, with optional interning.
///
/// It replaces a `Vec<String>`, or a `String` in each value of a map. It is a [`ListPool`] of bytes: see there for keys and
/// memory. A string takes 16 bytes in addition to its text, which takes up to twice its length, and at least 4
/// bytes, until the pool is [compacted](Self::compact).
///
/// # Interning
///
/// A pool created with [`interning`](Self::interning) returns the existing key when an equal string is inserted. Two
/// strings are then equal exactly if their keys are. Interning takes 10 to 20 more bytes per string, and hashes each string
/// that is inserted.
///
/// # Examples
///
/// ```
/// use stayput::StrPool;
///
/// let mut names = StrPool::new();
/// let ann = names.insert("Ann");
/// assert_eq!(&names[ann], "Ann");
///
/// let mut words = StrPool::interning();
/// let [to, be, too] = ["to", "be", "to"].map(|word| words.insert(word));
/// assert_eq!(words.len(), 2);
/// assert_eq!(to, too);
/// assert_eq!(words.find("be"), Some(be));
/// ```
pub struct StrPool<K: Key = DefaultKey> {
    /// Each list is UTF-8, whatever keys do: nothing but whole strings is ever appended to one, nothing is removed
    /// except whole lists, and [`over`](Self::over) is passed lists that were made of strings.
    texts: ListPool<u8, K>,
    interned: Option<Interned<K>>,
}

/// The keys of all strings, by their hashes.
#[derive(Clone)]
struct Interned<K> {
    keys: HashTable<K>,
    hasher: RandomState,
}

impl StrPool {
    /// Creates an empty pool without interning, with keys of type [`DefaultKey`]. Reserves no memory until the first
    /// insertion.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_key()
    }

    /// Creates an empty interning pool, with keys of type [`DefaultKey`]: equal strings are stored once.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::StrPool::interning();
    /// assert_eq!(words.insert("again"), words.insert("again"));
    /// ```
    #[must_use]
    pub fn interning() -> Self {
        Self::interning_with_key()
    }
}

impl<K: Key> StrPool<K> {
    /// Creates an empty pool with a key type of your own; see [`new`](StrPool::new).
    #[must_use]
    pub const fn with_key() -> Self {
        Self::over(ListPool::with_key())
    }

    /// Creates a pool, without interning, of lists that are UTF-8.
    pub(crate) const fn over(texts: ListPool<u8, K>) -> Self {
        Self { texts, interned: None }
    }

    /// Creates an empty interning pool with a key type of your own; see [`interning`](StrPool::interning).
    #[must_use]
    pub fn interning_with_key() -> Self {
        let interned = Interned { keys: HashTable::new(), hasher: RandomState::new() };
        Self { interned: Some(interned), ..Self::with_key() }
    }

    /// Makes the pool intern strings from now on. Of equal strings that it has, [`find`](Self::find) and
    /// [`insert`](Self::insert) return the first in slot order, and do not find the others, even after the first is
    /// removed. O(n) in the bytes.
    ///
    /// # Panics
    ///
    /// If [`try_start_interning`](Self::try_start_interning) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words: stayput::StrPool = ["to", "be", "to"].into_iter().collect();
    /// words.start_interning();
    /// assert_eq!(words.len(), 3);
    /// let first = words.keys().next().unwrap();
    /// assert_eq!(words.insert("to"), first);
    /// ```
    #[track_caller]
    pub fn start_interning(&mut self) {
        unwrap_or_panic(self.try_start_interning());
    }

    /// Like [`start_interning`](Self::start_interning), but returns an error instead of panicking. After an error nothing
    /// has changed.
    ///
    /// # Errors
    ///
    /// If the system refuses memory.
    pub fn try_start_interning(&mut self) -> Result<(), Error> {
        if self.interned.is_some() {
            return Ok(());
        }
        let texts = &self.texts;
        let (mut keys, hasher) = (HashTable::new(), RandomState::new());
        let bytes = 2 * texts.len() * size_of::<K>();
        let refused = |_| Error::new(ErrorKind::Memory, bytes);
        keys.try_reserve(texts.len(), |key| hash_of(texts, &hasher, *key)).map_err(refused)?;
        for (key, text) in texts {
            let hash = hasher.hash_one(text_of(text));
            if keys.find(hash, |other| texts[*other] == *text).is_none() {
                keys.insert_unique(hash, key, |key| hash_of(texts, &hasher, *key));
            }
        }
        self.interned = Some(Interned { keys, hasher });
        Ok(())
    }

    /// Returns an iterator over the keys, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// let names: stayput::StrPool = ["Ann", "Bob"].into_iter().collect();
    /// assert!(names.keys().map(|key| &names[key]).eq(["Ann", "Bob"]));
    /// ```
    pub fn keys(&self) -> impl ExactSizeIterator<Item = K> + Clone + use<'_, K> {
        self.iter().map(|(key, _)| key)
    }

    /// Returns the number of strings. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Returns `true` if there are no strings. O(1).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Inserts a string and returns its key. An interning pool returns the existing key if it has an equal string. O(n) in
    /// the length.
    ///
    /// # Panics
    ///
    /// If [`try_insert`](Self::try_insert) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut names = stayput::StrPool::new();
    /// let [a, b] = [names.insert("x"), names.insert("x")];
    /// assert!(a != b && names[a] == names[b]);
    /// ```
    #[track_caller]
    pub fn insert(&mut self, text: &str) -> K {
        unwrap_or_panic(self.try_insert(text))
    }

    /// Like [`insert`](Self::insert), but returns an error instead of panicking. After an error the pool is unchanged.
    ///
    /// # Errors
    ///
    /// If all indices of the key type are in use ([`KeyBits`](ErrorKind::KeyBits)), if the pool would have 2^32 bytes,
    /// counting unused memory ([`CapacityOverflow`](ErrorKind::CapacityOverflow)), if the maximum would be exceeded
    /// ([`MaxLen`](ErrorKind::MaxLen)), or if the system refuses memory.
    pub fn try_insert(&mut self, text: &str) -> Result<K, Error> {
        let Self { texts, interned } = self;
        let hash = interned.as_ref().map_or(0, |interned| interned.hasher.hash_one(text));
        if let Some(Interned { keys, hasher }) = interned {
            if let Some(key) = keys.find(hash, |key| texts[*key] == *text.as_bytes()) {
                return Ok(*key);
            }
            let bytes = 2 * keys.len() * size_of::<K>();
            let refused = |_| Error::new(ErrorKind::Memory, bytes);
            keys.try_reserve(1, |key| hash_of(texts, hasher, *key)).map_err(refused)?;
        }
        let ListPool { lists, elements, .. } = texts;
        // Its slot counts as used only once it is filled, after the text is stored.
        let entry = lists.try_vacant_entry().map_err(|error| error.of(Holder::ListPool))?;
        let key = entry.key();
        let mut list = List::EMPTY;
        ListMut(elements.open(&mut list)).try_extend_from_slice(text.as_bytes())?;
        entry.insert(list);
        if let Some(Interned { keys, hasher }) = interned {
            keys.insert_unique(hash, key, |key| hash_of(texts, hasher, *key));
        }
        Ok(key)
    }

    /// Returns the key of the string that equals `text`, or `None` if there is none, or the pool is not
    /// [interning](StrPool::interning). O(n) in the length.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<K> {
        let Interned { keys, hasher } = self.interned.as_ref()?;
        keys.find(hasher.hash_one(text), |key| self.texts[*key] == *text.as_bytes()).copied()
    }

    /// Returns `true` if there is a string with this key. O(1).
    pub fn contains_key(&self, key: K) -> bool {
        self.texts.contains_key(key)
    }

    /// Returns the string with this key, or `None` if the key is stale. O(1).
    #[inline]
    pub fn get(&self, key: K) -> Option<&str> {
        self.texts.get(key).map(text_of)
    }

    /// Removes a string. Returns `true` if there was one with this key. O(1); O(n) in its length in an interning pool.
    ///
    /// In an interning pool, the string is removed for every user of its key: uses are not counted.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::StrPool::interning();
    /// let word = words.insert("word");
    /// assert!(words.remove(word) && !words.remove(word));
    /// assert_eq!(words.find("word"), None);
    /// ```
    pub fn remove(&mut self, key: K) -> bool {
        let Some(Interned { keys, hasher }) = &mut self.interned else {
            return self.texts.remove_list(key);
        };
        let hash = self.texts.get(key).map(|text| hasher.hash_one(text_of(text)));
        // The tags of the keys may differ. Both have their string, so with one index they are of one string.
        let is_same = |other: &K| other.data().index() == key.data().index();
        let entry = hash.and_then(|hash| keys.find_entry(hash, is_same).ok());
        let was_there = self.texts.remove_list(key);
        if let Some(entry) = entry {
            entry.remove();
        }
        was_there
    }

    /// Removes all strings and keeps the memory. All keys become stale. O(n) in the strings.
    pub fn clear(&mut self) {
        self.texts.clear();
        if let Some(interned) = &mut self.interned {
            interned.keys.clear();
        }
    }

    /// Returns an iterator over the keys and strings, in slot order.
    ///
    /// # Examples
    ///
    /// ```
    /// let names: stayput::StrPool = ["Ann", "Bob"].into_iter().collect();
    /// assert!(names.iter().map(|(_, name)| name).eq(["Ann", "Bob"]));
    /// ```
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (K, &str)> + Clone + use<'_, K> {
        self.texts.iter().map(|(key, text)| (key, text_of(text)))
    }

    /// Moves all strings next to each other, in slot order, and returns freed memory to the system; see
    /// [`ListPool::compact`].
    pub fn compact(&mut self) {
        self.texts.compact();
    }

    /// Like [`compact`](Self::compact), but stops when the budget is used up; see [`ListPool::compact_within`].
    ///
    /// # Errors
    ///
    /// As for [`ListPool::compact_within`].
    pub fn compact_within(&mut self, budget: Budget) -> Result<Compacted, Error> {
        self.texts.compact_within(budget)
    }

    /// Returns memory past the last string to the system; see [`ListPool::shrink_to_fit`].
    pub fn shrink_to_fit(&mut self) {
        self.texts.shrink_to_fit();
    }

    /// Returns memory past the last string to the system within a budget; see [`ListPool::shrink_to_fit_within`].
    ///
    /// # Errors
    ///
    /// As for [`ListPool::try_shrink_to_fit`].
    pub fn shrink_to_fit_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        self.texts.shrink_to_fit_within(budget)
    }

    #[cfg(feature = "serde")]
    pub(crate) const fn texts(&self) -> &ListPool<u8, K> {
        &self.texts
    }

    /// Returns [statistics](ListPoolStats) of the strings and their memory, without what interning takes. O(n) in the
    /// strings.
    pub fn stats(&self) -> ListPoolStats {
        self.texts.stats()
    }
}

#[inline]
fn text_of(text: &[u8]) -> &str {
    // SAFETY: all callers in this file pass a list of the field `texts`, which is UTF-8; see there.
    unsafe { str::from_utf8_unchecked(text) }
}

fn hash_of<K: Key>(texts: &ListPool<u8, K>, hasher: &RandomState, key: K) -> u64 {
    hasher.hash_one(text_of(&texts[key]))
}

impl<K: Key> Index<K> for StrPool<K> {
    type Output = str;

    /// Returns a string.
    ///
    /// # Panics
    ///
    /// If the key is stale.
    #[inline]
    #[track_caller]
    fn index(&self, key: K) -> &str {
        text_of(&self.texts[key])
    }
}

impl<K: Key> Default for StrPool<K> {
    fn default() -> Self {
        Self::with_key()
    }
}

impl<K: Key> Clone for StrPool<K> {
    fn clone(&self) -> Self {
        Self { texts: self.texts.clone(), interned: self.interned.clone() }
    }
}

impl<K: Key> fmt::Debug for StrPool<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<'t> FromIterator<&'t str> for StrPool {
    fn from_iter<I: IntoIterator<Item = &'t str>>(texts: I) -> Self {
        let mut pool = Self::new();
        pool.extend(texts);
        pool
    }
}

impl<'t, K: Key> Extend<&'t str> for StrPool<K> {
    fn extend<I: IntoIterator<Item = &'t str>>(&mut self, texts: I) {
        for text in texts {
            self.insert(text);
        }
    }
}
