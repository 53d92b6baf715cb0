//! Lists of a pool, visited by several threads.

use rayon::iter::ParallelIterator;
use stayput::{DefaultKey, ListPool};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Lists of up to 20 strings, with holes between them.
fn pool() -> ListPool<String> {
    let mut pool: ListPool<String> =
        (0..2000).map(|n| (0..n % 20).map(move |at| format!("{n}.{at}"))).collect();
    let keys: Vec<DefaultKey> = pool.keys().collect();
    for key in keys.iter().step_by(3) {
        pool.remove_list(*key);
    }
    pool
}

#[test]
fn each_list_is_visited_once() {
    let mut pool = pool();
    let expected: Vec<(DefaultKey, Vec<String>)> =
        pool.iter().map(|(key, list)| (key, list.to_vec())).collect();
    let visited: Vec<(DefaultKey, Vec<String>)> =
        pool.par_iter().map(|(key, list)| (key, list.to_vec())).collect();
    assert_eq!(visited, expected);

    for compacted in [false, true] {
        if compacted {
            pool.compact();
        }
        pool.par_iter_mut().for_each(|(_, list)| {
            for text in list {
                text.push('!');
            }
        });
    }
    assert!(pool.iter().zip(&expected).all(|((key, list), (other, texts))| {
        key == *other && list.iter().zip(texts).all(|(text, before)| *text == format!("{before}!!"))
    }));
}

#[test]
fn a_panic_leaves_all_lists_as_they_are_then() {
    let mut pool = pool();
    let total: usize = pool.values().map(<[String]>::len).sum();
    let result = catch_unwind(AssertUnwindSafe(|| {
        pool.par_iter_mut().for_each(|(_, list)| {
            list.reverse();
            assert!(list.len() != 19, "as planned");
        });
    }));
    assert!(result.is_err());
    assert_eq!(pool.values().flatten().filter(|text| text.contains('.')).count(), total);
}
