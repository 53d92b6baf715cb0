//! Strings in a pool.

use crate::random;
use stayput::{DefaultKey, StrPool};
use std::collections::BTreeMap;

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
#[cfg_attr(miri, ignore = "takes minutes")]
fn strings_agree_with_a_map_of_them() {
    let mut random = random::Random(3);
    for interning in [false, true] {
        let mut pool = if interning { StrPool::interning() } else { StrPool::new() };
        let mut model: BTreeMap<DefaultKey, String> = BTreeMap::new();
        for step in 0..5000 {
            match random.below(10) {
                0..=5 => {
                    let text = "äbc€".repeat(random.below(4)) + &random.below(300).to_string();
                    let known = model.iter().find(|(_, other)| **other == text);
                    let known = known.map(|(key, _)| *key).filter(|_| interning);
                    let key = pool.insert(&text);
                    assert!(known.is_none_or(|known| known == key));
                    model.insert(key, text);
                }
                6..=7 if !model.is_empty() => {
                    let nth = random.below(model.len());
                    let key = *model.keys().nth(nth).expect("there are more");
                    assert!(pool.remove(key) && !pool.remove(key));
                    model.remove(&key);
                }
                8 if step % 7 == 0 => pool.compact(),
                9 if step % 11 == 0 => pool = pool.clone(),
                9 if step % 1000 == 1 => {
                    pool.clear();
                    model.clear();
                }
                _ => pool.shrink_to_fit(),
            }
            assert_eq!(pool.len(), model.len());
        }
        assert!(model.iter().all(|(key, text)| pool[*key] == **text));
        assert!(pool.iter().all(|(key, text)| model[&key] == text));
        if interning {
            assert!(model.iter().all(|(key, text)| pool.find(text) == Some(*key)));
        }
    }
}
