//! Lists in a pool: their keys, memory and limits.

use crate::ledger::Ledger;
use stayput::{
    Budget, DefaultKey, ErrorKind, Key, KeyData, ListPool, Plain64, SecondaryLists, SlotMap,
    new_key_type,
};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

new_key_type! {
    struct NodeKey;
}

#[test]
fn keys_of_removed_lists_find_nothing() {
    let mut pool: ListPool<u32, NodeKey> = ListPool::with_key();
    let first = pool.insert_list([1, 2]);
    assert!(pool.remove_list(first));
    let second = pool.insert_list([3]);
    assert_eq!(pool.get(first), None);
    assert!(pool.get_mut(first).is_none() && !pool.remove_list(first));
    assert_eq!(pool[second], [3]);
    pool.clear();
    assert!(pool.is_empty() && !pool.contains_key(second));
    let third = pool.insert_list([4]);
    assert_eq!((pool.get(second), &pool[third]), (None, &[4][..]));
}

#[test]
#[should_panic(expected = "key")]
fn a_stale_key_panics_as_an_index() {
    let mut pool = ListPool::new();
    let key = pool.insert_list([1]);
    pool.remove_list(key);
    let _ = &pool[key];
}

#[test]
fn what_a_list_leaves_is_reused() {
    let mut pool = ListPool::new();
    let lists: Vec<_> = (0..64).map(|n| pool.insert_list([n; 4])).collect();
    let before = pool.stats();
    assert_eq!((before.spare, before.unused), (0, 0));
    for list in &lists[8..16] {
        pool.remove_list(*list);
    }
    assert_eq!(pool.stats().unused, 32);
    // Eight places for lists of 4 elements were merged to one for a list of 32.
    let class = pool.size_classes().find(|class| class.free > 0).unwrap();
    assert_eq!((class.capacity, class.free), (32, 1));
    let large = pool.insert_list(0..32);
    assert_eq!((pool.stats().unused, pool[large].len()), (0, 32));
    assert!(pool[lists[7]].as_ptr() < pool[large].as_ptr());
    assert!(pool[large].as_ptr() < pool[lists[16]].as_ptr());
}

#[test]
fn a_list_without_elements_grows_after_all_places_are_gone() {
    let mut pool: ListPool<u32> = ListPool::new();
    let [four, three, none] = [4, 3, 0].map(|len| pool.insert_list(0..len));
    pool.remove_list(four);
    pool.compact();
    pool.remove_list(three);
    pool.shrink_to_fit();
    pool.get_mut(none).unwrap().push(1);
    assert_eq!(pool[none], [1]);
    let five = pool.insert_list([2; 5]);
    assert_eq!((&pool[none], &pool[five]), (&[1][..], &[2; 5][..]));
}

#[test]
fn the_maximum_is_what_lists_can_refer_to() {
    let pool: ListPool<u8> = ListPool::new();
    let zero_sized: ListPool<()> = [vec![()]].into_iter().collect();
    for stats in [pool.stats(), zero_sized.stats()] {
        assert!(u32::try_from(stats.max_len).is_ok() && stats.capacity <= stats.max_len);
    }
}

#[test]
fn the_last_list_grows_in_place() {
    let mut pool: ListPool<u32> = ListPool::builder().max_len(1 << 20).build();
    let list = pool.insert_list([0]);
    let address = pool[list].as_ptr();
    pool.get_mut(list).unwrap().extend(1..100_000);
    assert_eq!(pool[list].as_ptr(), address);
    assert!(pool[list].iter().copied().eq(0..100_000));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn compaction_puts_lists_in_order_and_returns_memory() {
    let mut pool = ListPool::new();
    let lists: Vec<_> = (0..1000).map(|_| pool.insert_list([])).collect();
    for n in 0..200_000_u32 {
        pool.get_mut(lists[n as usize * 7919 % 1000]).unwrap().push(n);
    }
    for list in &lists[..900] {
        pool.remove_list(*list);
    }
    let expected: Vec<Vec<u32>> = pool.values().map(<[u32]>::to_vec).collect();
    let before = pool.stats();
    for _ in 0..3 {
        pool.compact();
        let stats = pool.stats();
        assert_eq!((stats.spare, stats.lists, stats.elements), (0, 100, 20_000));
        let ranges: Vec<_> = pool.values().map(<[u32]>::as_ptr_range).collect();
        assert!(ranges.windows(2).all(|two| two[0].end == two[1].start), "without gaps");
        assert!(pool.values().eq(&expected));
        if before.resident_bytes.is_some() && !cfg!(no_vm) {
            assert!(
                stats.resident_bytes < before.resident_bytes.map(|bytes| bytes / 2),
                "{stats:?}"
            );
        }
    }
    // A list that grows leaves its exact place.
    pool.get_mut(lists[950]).unwrap().push(1);
    assert_eq!(pool[lists[950]].last(), Some(&1));
}

#[test]
fn a_compaction_can_be_spread_over_calls() {
    let mut pool: ListPool<u64> = (0..1000_u64).map(|n| 0..n % 50).collect();
    let keys: Vec<_> = pool.keys().collect();
    for key in keys.iter().step_by(3) {
        pool.remove_list(*key);
    }
    let expected: Vec<u64> = pool.values().flatten().copied().collect();
    let (mut calls, mut lists, mut bytes) = (0, 0, 0);
    loop {
        let done = pool.compact_within(Budget::bytes(4096)).unwrap();
        assert!(pool.values().flatten().eq(&expected));
        (calls, lists, bytes) = (calls + 1, lists + done.lists, bytes + done.bytes);
        if done.is_done {
            break;
        }
    }
    assert_eq!((lists, bytes), (pool.len(), expected.len() * 8));
    assert!(calls > 10, "{calls} calls");
}

#[test]
fn a_full_pool_returns_what_does_not_fit() {
    let mut pool: ListPool<String> = ListPool::builder().max_len(64).build();
    let max_len = pool.stats().max_len;
    let list = pool.insert_list([]);
    let all = (0..max_len * 2).map(|n| n.to_string());
    let refused = pool.get_mut(list).unwrap().try_extend(all).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
    assert!(refused.error.to_string().contains("this ListPool"), "{}", refused.error);
    let len = pool[list].len();
    assert!(len > 0 && refused.value.eq((len..max_len * 2).map(|n| n.to_string())));
    let refused = pool.get_mut(list).unwrap().try_insert(0, "more".to_owned()).unwrap_err();
    assert_eq!((refused.value.as_str(), pool[list].len()), ("more", len));
    pool.clear();
    let list = pool.insert_list(["again".to_owned()]);
    assert_eq!(pool[list], ["again"]);
}

#[test]
fn all_lists_have_a_most_length() {
    let mut pool: ListPool<()> = ListPool::new();
    let list = pool.insert_list([()]);
    for additional in [u32::MAX as usize, usize::MAX] {
        let refused = pool.get_mut(list).unwrap().try_reserve(additional).unwrap_err();
        assert_eq!(
            (refused.kind(), refused.limit()),
            (ErrorKind::CapacityOverflow, Some(u32::MAX.into()))
        );
        assert!(refused.to_string().contains("all lists of a ListPool"), "{refused}");
    }
    assert!(pool.try_reserve(u32::MAX as usize).is_err());
    assert_eq!(pool[list].len(), 1);
}

#[test]
fn clones_are_equal_and_independent() {
    let mut pool: ListPool<String> = [vec!["a"], vec![], vec!["b", "c"]]
        .map(|list| list.into_iter().map(str::to_owned))
        .into_iter()
        .collect();
    let clone = pool.clone();
    assert!(clone.iter().eq(pool.iter()));
    let key = pool.keys().next().unwrap();
    pool.get_mut(key).unwrap().clear();
    assert_eq!((pool[key].len(), clone[key].len()), (0, 1));
    assert_eq!(format!("{:?}", clone.values().collect::<Vec<_>>()), r#"[["a"], [], ["b", "c"]]"#);
}

#[test]
fn secondary_lists_follow_the_keys_of_a_map() {
    let ledger = Ledger::new();
    let mut map = SlotMap::new();
    let [a, b] = [map.insert('a'), map.insert('b')];
    let mut lists = SecondaryLists::new();
    lists.entry(b).extend(ledger.tokens(0..5));
    assert_eq!((lists.len(), lists.get(a).is_none(), lists[b].len()), (1, true, 5));

    // A newer key of the slot takes its place, and drops the elements.
    map.remove(b);
    let newer = map.insert('c');
    assert_eq!(newer.data().index(), b.data().index());
    lists.entry(newer).push(ledger.token(7));
    assert_eq!((lists.len(), lists.get(b).is_none(), ledger.live()), (1, true, 1));
    assert_eq!(lists.stats().unused, 4, "the places of the older list are used again");

    // An older key is refused, and changes nothing.
    assert_eq!(lists.try_entry(b).unwrap_err().kind(), ErrorKind::StaleKey);
    assert_eq!(lists.try_entry(DefaultKey::null()).unwrap_err().kind(), ErrorKind::StaleKey);
    let far = KeyData::from_parts(4_000_000_000, 1, 0).unwrap().into();
    let error = lists.try_entry(far).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::FarIndex);
    assert!(error.to_string().contains("this SecondaryLists would take"), "{error}");
    lists.set_capacity(1000);
    let announced = KeyData::from_parts(999, 1, 0).unwrap().into();
    lists.entry(announced).push(ledger.token(1));
    assert!(lists.remove_list(announced));
    assert_eq!((lists[newer][0].value, ledger.live()), (7, 1));

    lists.entry(a).extend(ledger.tokens(0..30));
    lists.compact();
    assert!(lists.keys().eq([a, newer]));
    assert!(lists.remove_list(newer) && !lists.remove_list(newer));
    lists.retain(|_, elements| elements.len() > 50);
    assert!(lists.is_empty());
    ledger.assert_all_dropped_but(0);
}

#[test]
fn a_refused_list_changes_nothing() {
    let mut pool: ListPool<u8> = ListPool::builder().max_len(1 << 16).build();
    let [a, b] = [pool.insert_list([1; 4]), pool.insert_list([2; 4])];
    let before = pool.stats();
    for additional in [1 << 16, 1 << 20] {
        assert_eq!(
            pool.get_mut(b).unwrap().try_reserve(additional).unwrap_err().kind(),
            ErrorKind::MaxLen
        );
        assert_eq!(pool.get_mut(b).unwrap().capacity(), 4);
        assert_eq!(pool.stats(), before);
    }
    assert_eq!((&pool[a], &pool[b]), (&[1; 4][..], &[2; 4][..]));
}

#[test]
fn a_list_can_fill_a_pool() {
    let mut pool: ListPool<u8> = ListPool::builder().max_len(1 << 16).build();
    let max_len = pool.stats().max_len;
    let list = pool.insert_list([0; 3]);
    let fitting = max_len - 3;
    pool.get_mut(list).unwrap().extend(vec![1; fitting]);
    assert_eq!(pool[list].len(), max_len);
    assert!(pool.get_mut(list).unwrap().try_push(1).is_err());
}

#[test]
fn a_compaction_that_is_refused_begins_anew() {
    let mut pool: ListPool<u8> = ListPool::builder().max_len(1 << 16).build();
    let quarter = pool.stats().max_len / 4;
    let lists: Vec<_> = (0..3).map(|n| pool.insert_list(vec![n; quarter])).collect();
    let refused = pool.compact_within(Budget::UNLIMITED);
    let refused = refused.map(|done| done.is_done);
    assert!(refused.as_ref().is_ok_and(|is_done| *is_done), "they are in order: {refused:?}");
    pool.get_mut(lists[0]).unwrap().truncate(quarter / 2);
    assert_eq!(pool.compact_within(Budget::UNLIMITED).unwrap_err().kind(), ErrorKind::MaxLen);
    assert!(pool.values().map(<[u8]>::len).eq([quarter / 2, quarter, quarter]));
    pool.remove_list(lists[1]);
    pool.compact();
    assert_eq!(pool.stats().spare, 0);
    assert_eq!((pool[lists[0]].len(), pool[lists[2]][quarter - 1]), (quarter / 2, 2));
}

#[test]
fn lists_that_are_in_order_stay_where_they_are() {
    let mut pool: ListPool<u32> = (0..100).map(|n| 0..n % 7).collect();
    pool.compact();
    let places: Vec<_> = pool.values().map(<[u32]>::as_ptr).collect();
    for _ in 0..3 {
        let done = pool.compact_within(Budget::UNLIMITED).unwrap();
        assert_eq!((done.lists, done.is_done), (0, true));
        assert!(pool.values().map(<[u32]>::as_ptr).eq(places.iter().copied()));
    }
}

#[test]
fn a_compaction_of_all_follows_one_that_was_begun() {
    let mut pool = ListPool::new();
    let lists: Vec<_> = (0..10).map(|_| pool.insert_list(0..20)).collect();
    pool.compact_within(Budget::bytes(200)).unwrap();
    pool.get_mut(lists[0]).unwrap().push(1);
    pool.compact();
    assert_eq!((pool.stats().spare, pool.stats().elements), (0, 201));
}

/// What was cleared is poisoned for `AddressSanitizer`.
#[test]
fn places_of_cleared_lists_are_used_again() {
    let mut pool = ListPool::new();
    let [long, short] = [pool.insert_list(0..64), pool.insert_list(0..4)];
    pool.insert_list(0..4);
    pool.get_mut(long).unwrap().clear();
    pool.remove_list(long);
    pool.get_mut(short).unwrap().push(5);
    assert_eq!(pool[short], [0, 1, 2, 3, 5]);
    pool.get_mut(short).unwrap().clear();
    pool.compact();
    assert_eq!(pool.stats().elements, 4);
}

#[test]
fn large_elements_take_no_room_for_more() {
    let mut pool = ListPool::new();
    let list = pool.insert_list([[0_u8; 2000]]);
    assert_eq!(pool.get_mut(list).unwrap().capacity(), 1);
    pool.get_mut(list).unwrap().push([1; 2000]);
    assert_eq!(pool.get_mut(list).unwrap().capacity(), 2);
}

#[test]
fn a_hint_that_is_too_high_takes_little_memory() {
    struct Liar;
    impl Iterator for Liar {
        type Item = [u64; 1 << 10];

        fn next(&mut self) -> Option<Self::Item> {
            None
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX, None)
        }
    }

    let mut pool: ListPool<[u64; 1 << 10]> = ListPool::new();
    let list =
        pool.insert_list((0..u32::MAX as usize).map_while(|n| (n < 3).then_some([7; 1 << 10])));
    assert!(pool[list].len() == 3 && pool.stats().committed_bytes < 8 << 20);
    pool.get_mut(list).unwrap().extend(Liar);
    assert!(pool[list].len() == 3 && pool.stats().committed_bytes < 8 << 20);
}

#[test]
fn a_list_whose_elements_panic_is_not_inserted() {
    let mut pool = ListPool::new();
    let elements = (0..10).inspect(|n| assert!(*n < 5, "as planned"));
    let inserted = catch_unwind(AssertUnwindSafe(|| pool.insert_list(elements)));
    assert!(inserted.is_err() && pool.is_empty());
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn memory_of_many_lists_can_be_returned() {
    let mut pool: ListPool<u32> = (0..200_000).map(|n| [n; 2]).collect();
    let before = pool.stats();
    let keys: Vec<_> = pool.keys().collect();
    for key in &keys[10..] {
        pool.remove_list(*key);
    }
    pool.compact();
    pool.shrink_to_fit();
    let after = pool.stats();
    assert_eq!((pool.len(), after.lists), (10, 10));
    if !cfg!(no_vm) && after.resident_bytes.is_some() {
        assert!(after.resident_bytes < before.resident_bytes.map(|bytes| bytes / 4), "{after:?}");
    }
    // Lists move to the front now, and the rest is not even committed.
    pool.get_mut(keys[3]).unwrap().push(3);
    pool.compact();
    let last = pool.stats();
    assert!(cfg!(no_vm) || last.committed_bytes < before.committed_bytes / 4, "{last:?}");
}

#[test]
fn lists_with_handles_are_removed_once() {
    let mut pool = ListPool::new();
    let [a, b] = [pool.insert_owned([1, 2]), pool.insert_owned([3])];
    assert_eq!((&pool[a.key()], pool.stats().handles, pool.len()), (&[1, 2][..], 2, 2));
    assert!(pool.remove_owned(a));
    let key = b.leak();
    assert_eq!((&pool[key], pool.stats().handles, pool.len()), (&[3][..], 1, 1));

    let c = pool.insert_owned([4]);
    pool.clear();
    assert!(!pool.remove_owned(c), "its list is gone");
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "ListPool::remove_owned")]
fn a_handle_that_is_dropped_panics() {
    let mut pool = ListPool::new();
    drop(pool.insert_owned([1]));
}

#[test]
fn threads_can_change_different_lists() {
    let mut pool: ListPool<String> =
        (0..100).map(|n| (0..n % 5).map(|at: u32| at.to_string())).collect();
    let mut lists: Vec<&mut [String]> = pool.values_mut().collect();
    // Joined one by one: `ThreadSanitizer` does not see how a scope waits, which is in std's code.
    thread::scope(|scope| {
        let reverse = |some: &mut [&mut [String]]| some.iter_mut().for_each(|list| list.reverse());
        let threads = lists.chunks_mut(30).map(|some| scope.spawn(move || reverse(some)));
        for thread in threads.collect::<Vec<_>>() {
            thread.join().expect("it does not panic");
        }
    });
    thread::scope(|scope| {
        let mut list = pool.keys().last().and_then(|key| pool.get_mut(key)).expect("it is there");
        let thread = scope.spawn(move || list.push("last".to_owned()));
        thread.join().expect("it does not panic");
    });
    assert_eq!(pool.values().last().map(|list| list.join(" ")), Some("3 2 1 0 last".to_owned()));
}

#[test]
fn a_refusal_leaves_the_end_of_a_pool_to_others() {
    let mut pool: ListPool<u8> = ListPool::builder().max_len(1 << 16).build();
    let max_len = pool.stats().max_len;
    let [a, b] = [pool.insert_list([1; 4]), pool.insert_list([])];
    let before = pool.stats();
    assert!(pool.get_mut(a).unwrap().try_reserve(max_len).is_err());
    assert_eq!((pool.stats().unused, pool.stats().elements), (before.unused, before.elements));
    // More than any run but the whole, and less than what is left.
    pool.get_mut(b).unwrap().extend_from_slice(&vec![2; max_len - 1000]);

    let mut pool: ListPool<u8> = ListPool::builder().max_len(50_000).build();
    let max_len = pool.stats().max_len;
    let list = pool.insert_list([1; 4]);
    pool.get_mut(list).unwrap().reserve(max_len - 4);
    assert_eq!(pool.get_mut(list).unwrap().capacity(), max_len);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn compaction_returns_memory_around_lists_that_are_packed() {
    let mut pool: ListPool<u64> = ListPool::builder().max_len(1 << 22).build();
    let small = pool.insert_list([1; 4]);
    let large = pool.insert_list(0..1 << 20);
    pool.remove_list(large);
    assert!(pool.stats().committed_bytes >= 8 << 20);
    pool.compact();
    assert!(pool.stats().committed_bytes <= 2 << 20 && pool[small] == [1; 4]);
    pool.remove_list(small);
    let large = pool.insert_list(0..1 << 20);
    pool.remove_list(large);
    pool.compact();
    assert!(pool.stats().committed_bytes <= 2 << 20);
}

thread_local! {
    /// After how many uses a key panics, once.
    static USES: Cell<Option<u32>> = const { Cell::new(None) };
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Brittle(KeyData);

impl Brittle {
    fn used() {
        if let Some(left) = USES.get() {
            USES.set(left.checked_sub(1));
            assert!(left > 0, "as planned");
        }
    }
}

impl From<KeyData> for Brittle {
    fn from(data: KeyData) -> Self {
        Self::used();
        Self(data)
    }
}

impl Key for Brittle {
    type Layout = Plain64;

    fn data(&self) -> KeyData {
        Self::used();
        self.0
    }
}

#[test]
fn a_key_that_panics_takes_no_list_of_an_older_one() {
    for uses in 0..8 {
        let ledger = Ledger::new();
        let [older, newer] = [1, 2].map(|generation| KeyData::from_parts(0, 2 * generation - 1, 0));
        let [older, newer] = [older, newer].map(|data| Brittle(data.unwrap()));
        let mut lists = SecondaryLists::<Brittle, _>::new();
        lists.entry(older).extend(ledger.tokens(0..5));
        USES.set(Some(uses));
        let run = catch_unwind(AssertUnwindSafe(|| lists.entry(newer).len()));
        USES.set(None);
        assert!(matches!(run, Ok(0) | Err(_)));
        // The list of the older key, or its elements have been dropped.
        let left = if lists.contains_key(newer) { 0 } else { lists[older].len() };
        assert!(left == ledger.live() && (left == 5 || lists.contains_key(newer)), "{uses}");
    }
}
