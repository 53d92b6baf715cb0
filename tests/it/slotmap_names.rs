//! Paths, generic parameters and calls of the crate `slotmap` work here. (`.ci/slotmap` runs that crate's own
//! examples.)

use crate::ledger::{Ledger, Step, values};
use stayput::{
    DefaultKey, DenseSlotMap, HopSlotMap, Key, SecondaryMap, SlotMap, SparseSecondaryMap, basic,
    dense, hop, secondary, sparse_secondary,
};
use std::hash::{BuildHasherDefault, DefaultHasher, RandomState};

#[test]
fn generic_parameters_can_be_named() {
    type Make = fn(DefaultKey) -> u32;
    type Keep = fn(DefaultKey, &mut u32) -> bool;
    let mut map = SlotMap::new();
    let first = map.insert_with_key::<Make>(|key| key.index());
    assert_eq!(map.try_insert_with_key::<_, ()>(|_| Err(())), Err(()));
    map.retain::<Keep>(|_, n| *n == 0);
    assert_eq!(map.get(first), Some(&0));

    let mut second = SecondaryMap::new();
    second
        .entry(first)
        .unwrap()
        .and_modify::<fn(&mut u32)>(|n| *n += 1)
        .or_insert_with::<fn() -> u32>(|| 5);
    second.retain::<Keep>(|_, n| *n == 5);
    assert_eq!(second[first], 5);

    let mut sparse = SparseSecondaryMap::new();
    sparse.insert(first, 6);
    sparse.retain::<Keep>(|_, n| *n == 5);
    assert!(sparse.is_empty());
}

#[test]
#[expect(unused_qualifications, reason = "the paths are what is tested")]
fn iterators_and_entries_have_the_paths_of_slotmap() {
    struct All<'a, K: Key> {
        basic: basic::Iter<'a, K, u32>,
        dense: dense::IterMut<'a, K, u32>,
        hop: hop::Keys<'a, K, u32>,
        secondary: secondary::Values<'a, K, u32>,
        sparse: sparse_secondary::ValuesMut<'a, K, u32>,
    }
    let mut slots = basic::SlotMap::new();
    let key = slots.insert(1);
    let (mut values, mut hops) = (dense::DenseSlotMap::new(), HopSlotMap::new());
    values.insert(2);
    hops.insert(3);
    let mut second = secondary::SecondaryMap::new();
    second.insert(key, 4);
    let mut sparse = sparse_secondary::SparseSecondaryMap::new();
    sparse.insert(key, 5);

    let all = All {
        basic: slots.iter(),
        dense: values.iter_mut(),
        hop: hops.keys(),
        secondary: second.values(),
        sparse: sparse.values_mut(),
    };
    let sum = all.basic.map(|(_, n)| n).sum::<u32>()
        + all.dense.map(|(_, n)| *n).sum::<u32>()
        + all.secondary.sum::<u32>()
        + all.sparse.map(|n| *n).sum::<u32>();
    assert_eq!((sum, all.hop.count()), (12, 1));

    let Some(secondary::Entry::Occupied(entry)) = second.entry(key) else { panic!("gone") };
    let entry: secondary::OccupiedEntry<'_, DefaultKey, u32> = entry;
    assert_eq!(entry.remove_entry(), (key, 4));
    sparse.clear();
    let Some(sparse_secondary::Entry::Vacant(entry)) = sparse.entry(key) else { panic!("there") };
    let entry: sparse_secondary::VacantEntry<'_, DefaultKey, u32> = entry;
    assert_eq!(*entry.insert(6), 6);
}

#[test]
fn aliases_make_maps_as_the_types_of_slotmap_do() {
    let mut dense: DenseSlotMap<DefaultKey, u32> = DenseSlotMap::with_capacity(10);
    let mut hop = HopSlotMap::<DefaultKey, _>::with_capacity_and_key(10);
    let (first, second) = (dense.insert(1), hop.insert_with_key(|key| key));
    assert_eq!((dense.remove(first), hop[second]), (Some(1), second));
}

#[test]
#[expect(unsafe_code, reason = "tests the unchecked look-ups")]
fn unchecked_look_ups_match_safe_ones() {
    let mut map = SlotMap::new();
    let keys: [DefaultKey; 3] = [1, 2, 3].map(|n| map.insert(n));
    let mut second: SecondaryMap<_, _> = keys.into_iter().zip(["a", "b", "c"]).collect();
    let mut sparse: SparseSecondaryMap<_, _> = keys.into_iter().zip(["a", "b", "c"]).collect();
    // SAFETY: all three were inserted, also below.
    assert_eq!(unsafe { second.get_unchecked(keys[1]) }, &"b");
    // SAFETY: as above.
    assert_eq!(unsafe { sparse.get_unchecked(keys[1]) }, &"b");
    // SAFETY: as above.
    *unsafe { second.get_unchecked_mut(keys[0]) } = "x";
    // SAFETY: as above.
    *unsafe { sparse.get_unchecked_mut(keys[0]) } = "x";
    // SAFETY: as above, and they are different.
    let [last, first] = unsafe { second.get_disjoint_unchecked_mut([keys[2], keys[0]]) };
    std::mem::swap(last, first);
    // SAFETY: as above.
    let [last, first] = unsafe { sparse.get_disjoint_unchecked_mut([keys[2], keys[0]]) };
    std::mem::swap(last, first);
    assert!(second.values().eq(&["c", "b", "x"]));
    assert_eq!(keys.map(|key| sparse[key]), ["c", "b", "x"]);
}

/// Calls all methods of a dense map, and records the results: values, their order, and which keys find them.
macro_rules! dense_program {
    ($name:ident) => {{
        use ::$name::{DefaultKey, DenseSlotMap, Key, dense};
        let mut log: Vec<String> = Vec::new();
        let mut map = DenseSlotMap::<DefaultKey, String>::new();
        let keyed: DenseSlotMap<DefaultKey, u8> = DenseSlotMap::with_key();
        let other: DenseSlotMap<DefaultKey, u8> = DenseSlotMap::with_capacity_and_key(5);
        let third: DenseSlotMap<_, u8> = DenseSlotMap::with_capacity(5);
        assert!(keyed.is_empty() && other.capacity() >= 5 && third.len() == 0);
        assert!(DenseSlotMap::<DefaultKey, u8>::default().is_empty());
        map.reserve(10);
        assert!(map.try_reserve(20).is_ok() && map.capacity() >= 20);

        let mut keys: Vec<DefaultKey> = (0..10).map(|n| map.insert(n.to_string())).collect();
        keys.push(map.insert_with_key(|key| format!("made {}", key.is_null())));
        keys.push(map.try_insert_with_key(|_| Ok::<_, ()>("tried".to_owned())).unwrap());
        log.push(format!("{:?}", map.try_insert_with_key(|_| Err("failed"))));
        let all = |map: &DenseSlotMap<DefaultKey, String>, log: &mut Vec<String>| {
            log.push(format!("{} {:?}", map.len(), map.values_as_slice()));
            let rows: Vec<Option<usize>> = keys
                .iter()
                .map(|key| map.keys_as_slice().iter().position(|other| other == key))
                .collect();
            log.push(format!("{rows:?}"));
            log.push(format!("{:?}", keys.iter().map(|key| map.get(*key)).collect::<Vec<_>>()));
            assert!(map.keys().eq(map.keys_as_slice().iter().copied()));
            assert!(map.iter().all(|(key, value)| &map[key] == value && map.contains_key(key)));
            assert_eq!(map.as_slices().1, map.values_as_slice());
        };
        all(&map, &mut log);
        log.push(format!("{:?} {:?}", map.remove(keys[2]), map.remove(keys[2])));
        log.push(format!("{:?} {:?}", map.detach(keys[4]), map.detach(keys[2])));
        all(&map, &mut log);
        map.reattach(keys[4], "back".to_owned());
        map.retain(|key, value| {
            value.push('!');
            key != keys[5] && value != "7!"
        });
        all(&map, &mut log);
        map[keys[0]].push('?');
        map.get_mut(keys[1]).unwrap().push('?');
        log.push(format!("{:?}", map.get_disjoint_mut([keys[1], keys[0]])));
        log.push(format!("{:?}", map.get_disjoint_mut([keys[1], keys[1]])));
        log.push(format!("{:?}", map.get_disjoint_mut([keys[1], keys[2]])));
        // SAFETY: both exist, and are different.
        let [last, first] = unsafe { map.get_disjoint_unchecked_mut([keys[8], keys[0]]) };
        std::mem::swap(last, first);
        // SAFETY: it exists.
        unsafe { map.get_unchecked_mut(keys[9]) }.push('u');
        // SAFETY: it exists.
        log.push(unsafe { map.get_unchecked(keys[9]) }.clone());
        map.iter_mut().for_each(|(_, value)| value.push('a'));
        map.values_mut().for_each(|value| value.push('b'));
        map.values_as_mut_slice().reverse();
        map.as_mut_slices().1.swap(0, 1);
        (&mut map).into_iter().for_each(|(_, value)| value.push('c'));
        all(&map, &mut log);
        log.push(format!("{:?}", map.values().len() + map.iter().len() + map.values_mut().len()));
        let copy = map.clone();
        let mut drained: dense::Drain<'_, _, _> = map.drain();
        log.push(format!("{:?} {:?}", drained.size_hint(), drained.next().map(|pair| pair.1)));
        drop(drained);
        all(&map, &mut log);
        all(&copy, &mut log);
        map.clone_from(&copy);
        all(&map, &mut log);
        map.clear();
        map.insert("new".to_owned());
        all(&map, &mut log);
        log.push(format!("{:?}", (&copy).into_iter().map(|(_, value)| value).collect::<Vec<_>>()));
        let owned: dense::IntoIter<_, _> = copy.into_iter();
        log.push(format!("{:?}", owned.map(|(_, value)| value).collect::<Vec<_>>()));
        log
    }};
}

#[test]
#[expect(unsafe_code, reason = "calls what is unchecked")]
fn a_dense_map_behaves_like_that_of_slotmap() {
    assert_eq!(dense_program!(stayput), dense_program!(slotmap));
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "the key has no value here")]
#[expect(unsafe_code, reason = "tests what the unchecked look-ups check after all")]
fn unchecked_look_ups_tell_of_broken_promises_where_assertions_are_on() {
    let second = SecondaryMap::<DefaultKey, u32>::new();
    // SAFETY: the caller's guarantee is broken on purpose, which is detected before the reference is used.
    unsafe { second.get_unchecked(DefaultKey::null()) };
}

#[test]
fn sparse_maps_with_hashers_of_their_own_seeds_are_equal() {
    let mut map = SlotMap::new();
    let keys: Vec<DefaultKey> = (0..100).map(|n| map.insert(n)).collect();
    let pairs = || keys.iter().map(|key| (*key, key.index()));
    // Each has its own `RandomState`.
    let [a, mut b]: [SparseSecondaryMap<_, _, RandomState>; 2] =
        [(); 2].map(|()| pairs().collect());
    assert_eq!(a, b);
    b.remove(keys[50]);
    assert_ne!(a, b);
    b.insert(keys[50], 7);
    assert_ne!(a, b);
}

#[test]
fn a_default_hasher_can_be_named() {
    type Hasher = BuildHasherDefault<DefaultHasher>;
    let mut map = SlotMap::new();
    let key: DefaultKey = map.insert(());
    let mut sparse: SparseSecondaryMap<_, u32, Hasher> = SparseSecondaryMap::default();
    sparse.extend([(key, 1)]);
    assert_eq!(format!("{sparse:?}"), "{DefaultKey(0v1): 1}");
    assert_eq!(sparse.clone(), sparse);
}

#[test]
fn maps_and_iterators_have_the_auto_traits_of_those_of_slotmap() {
    use std::panic::{RefUnwindSafe, UnwindSafe};
    fn check<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}
    check::<SlotMap<DefaultKey, String>>();
    check::<SecondaryMap<DefaultKey, String>>();
    check::<SparseSecondaryMap<DefaultKey, String>>();
    check::<DenseSlotMap<DefaultKey, String>>();
    check::<dense::Iter<'_, DefaultKey, String>>();
    check::<dense::IntoIter<DefaultKey, String>>();
    check::<basic::Iter<'_, DefaultKey, String>>();
    check::<basic::IntoIter<DefaultKey, String>>();
    check::<sparse_secondary::Values<'_, DefaultKey, String>>();
}

#[test]
fn consuming_iterators_of_maps_clone_their_remaining_items() {
    let ledger = Ledger::new();
    let mut map: SlotMap<DefaultKey, _> = ledger.tokens(0..200).collect();
    let second: SecondaryMap<_, _> = map.keys().zip(0..200_u32).collect();
    map.retain(|_, token| token.value % 3 != 0);

    let mut all = map.into_iter();
    for _ in 0..40 {
        drop((all.next(), all.next_back()));
    }
    let clone = all.clone();
    assert_eq!(clone.len(), all.len());
    assert_eq!(ledger.live(), 2 * all.len());
    let (left, copies): (Vec<_>, Vec<_>) = (all.collect(), clone.collect());
    assert!(
        left.iter()
            .map(|(key, token)| (key, token.value))
            .eq(copies.iter().map(|(key, token)| (key, token.value)))
    );
    assert_eq!(left[0].1.value, 61);

    // A clone that is not iterated over drops what it holds.
    drop(second.into_iter().clone());
    drop((left, copies));
    ledger.assert_all_dropped_but(0);
}

#[test]
fn a_panic_in_the_clone_of_an_iterator_loses_nothing() {
    let ledger = Ledger::new();
    let mut all = ledger.tokens(0..10).collect::<SlotMap<DefaultKey, _>>().into_iter();
    drop(all.next());
    ledger.set_fuse(Step::Clone, 5);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| all.clone()));
    assert!(panic.is_err());
    assert_eq!((ledger.live(), all.len()), (9, 9));
    let tokens: Vec<_> = all.map(|(_, token)| token).collect();
    assert_eq!(values(&tokens), (1..10).collect::<Vec<_>>());
    drop(tokens);
    ledger.assert_all_dropped_but(0);
}
