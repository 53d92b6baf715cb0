//! Strings in a pool.

use crate::ledger::panic_message;
use stayput::{
    Bits32, DefaultKey, ErrorKind, Key, KeyData, Plain64, StrPool, Tagged64, new_key_type,
};
use std::cell::Cell;

#[test]
fn equal_strings_are_stored_once_if_asked() {
    let mut words = StrPool::interning();
    let text = "to be or not to be";
    let keys: Vec<DefaultKey> = text.split(' ').map(|word| words.insert(word)).collect();
    assert_eq!((words.len(), keys[0], keys[1]), (4, keys[4], keys[5]));
    let read: Vec<&str> = keys.iter().map(|key| &words[*key]).collect();
    assert_eq!(read.join(" "), text);

    assert!(words.remove(keys[0]) && !words.remove(keys[4]));
    assert_eq!((words.find("to"), words.get(keys[0])), (None, None));
    let again = words.insert("to");
    assert!(again != keys[0] && words.find("to") == Some(again));
    words.clear();
    assert!(words.is_empty() && words.find("be").is_none() && !words.contains_key(again));
}

#[test]
fn a_string_is_forgotten_whatever_the_tag_of_its_key() {
    new_key_type! { struct Tagged: Tagged64; }
    let mut words: StrPool<Tagged> = StrPool::interning_with_key();
    let word = words.insert("word");
    assert_eq!(words.get(word.with_tag(3)), Some("word"));
    assert!(words.remove(word.with_tag(3)) && !words.remove(word));
    assert_eq!(words.find("word"), None);
    let again = words.insert("word");
    assert_eq!((words.find("word"), words.len()), (Some(again), 1));
}

thread_local! {
    /// Whether the next conversion to a key panics.
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Panicking(KeyData);

impl From<KeyData> for Panicking {
    fn from(data: KeyData) -> Self {
        assert!(!PANICS.replace(false), "as planned");
        Self(data)
    }
}

impl Key for Panicking {
    type Layout = Plain64;

    fn data(&self) -> KeyData {
        self.0
    }
}

#[test]
fn a_conversion_to_a_key_that_panics_stores_nothing() {
    let mut words = StrPool::<Panicking>::with_key();
    for _ in 0..100 {
        PANICS.set(true);
        panic_message(|| words.insert(&"long ".repeat(1000)));
    }
    assert_eq!((words.len(), words.stats().elements), (0, 0));
    assert!(words.stats().unused + words.stats().spare < 10_000);
}

#[test]
fn every_string_has_a_key_of_its_own_otherwise() {
    let mut names: StrPool = ["", "é", "", "日本"].into_iter().collect();
    assert!(names.iter().map(|(_, name)| name).eq(["", "é", "", "日本"]));
    assert_eq!((names.find("é"), names.stats().elements), (None, 2 + 6));
    let key = names.iter().nth(3).unwrap().0;
    names.compact();
    assert_eq!((&names[key], names.stats().spare), ("日本", 0));
    assert_eq!(format!("{:?}", names.get(key)), r#"Some("日本")"#);
}

#[test]
fn a_pool_that_begins_to_intern_finds_the_first_of_equal_strings() {
    let mut pool: StrPool = StrPool::builder().max_len(1 << 20).build();
    pool.extend(["b", "a", "b", "", "a"]);
    let keys: Vec<DefaultKey> = pool.keys().collect();
    pool.start_interning();
    pool.start_interning();
    assert!(pool.keys().eq(keys.iter().copied()));
    assert_eq!((pool.find("a"), pool.find("b")), (Some(keys[1]), Some(keys[0])));
    assert_eq!(pool.insert(""), keys[3]);
    // The second "a" is not the one that is found, and is removed alone.
    assert!(pool.remove(keys[4]));
    assert_eq!(pool.insert("a"), keys[1]);
    assert!(pool.remove(keys[1]));
    assert_eq!(pool.find("a"), None);
    assert_eq!(pool.len(), 3);
    assert_eq!(pool.stats().max_len, 1 << 20);
}

#[test]
fn a_refused_string_uses_no_key() {
    new_key_type! {
        /// Two slots, each used once.
        struct Once: Bits32<1, 1>;
    }
    for interning in [false, true] {
        let mut pool: StrPool<Once> = StrPool::builder().max_len(10).build();
        if interning {
            pool.start_interning();
        }
        let long = "long".repeat(pool.stats().max_len);
        for _ in 0..3 {
            assert_eq!(pool.try_insert(&long).unwrap_err().kind(), ErrorKind::MaxLen);
        }
        assert_eq!((pool.len(), pool.find(&long)), (0, None));
        let [one, other] = ["1", "2"].map(|text| pool.insert(text));
        assert_eq!((&pool[one], &pool[other]), ("1", "2"));
        assert_eq!(pool.try_insert(&long).unwrap_err().kind(), ErrorKind::KeyBits);
    }
}
