//! Type ids in keys: all keys of a map carry its type id, and keys with another find nothing.

use crate::buffer::Buffer;
use crate::slot_map::assert_finds_nothing;
use stayput::{
    Bits32, Bits64, Compact32, DefaultKey, ErrorKind, Key, KeyData, Layout, SecondaryMap, SlotMap,
    SparseSecondaryMap, Tagged64, new_key_type,
};
use std::panic::catch_unwind;

new_key_type! {
    struct Tagged: Tagged64;
    struct Compact: Compact32;
    /// With bits to spare on top.
    struct Loose: Bits64<10, 10, 1>;
    /// With the largest tag.
    struct Wide: Bits64<16, 16, 32>;
    struct Untagged: Bits32<16, 8>;
}

fn made<K: Key>(number: u32) -> SlotMap<K, String> {
    SlotMap::builder().type_id(number).build()
}

/// The numbers of the layout, or some of them; and tags that are not a number.
fn numbers<K: Key>() -> (Vec<u32>, Vec<u32>) {
    let most = K::Layout::MAX_TAG;
    let tags: Vec<u32> = [0, 1, 2, most / 2, most].into_iter().filter(|n| *n <= most).collect();
    (tags.iter().map(|tag| tag & !(1 << 31)).collect(), tags)
}

/// Calls every method that returns a key.
fn all_keys_carry<K: Key>(number: u32) {
    let carries = |key: K| assert_eq!((key.type_id(), key.tag()), (number, number), "{key:?}");
    let mut map = made::<K>(number);
    assert_eq!(map.type_id(), Some(number));
    let value = || "value".to_owned();

    let first = map.insert(value());
    carries(first);
    carries(map.try_insert(value()).unwrap());
    let seen = map.insert_with_key(|key| {
        carries(key);
        value()
    });
    carries(seen);
    let seen = map.try_insert_with_key(|key| {
        carries(key);
        Ok::<_, ()>(value())
    });
    carries(seen.unwrap());
    let mut many = Vec::new();
    map.insert_many([value(), value()], &mut many);
    map.extend([value(), value()]);
    many.into_iter().for_each(carries);
    let entry = map.vacant_entry();
    carries(entry.key());
    entry.insert(value());
    let scope = map.grow_only();
    let (key, text) = scope.insert(value());
    carries(key);
    assert_eq!((scope.get(key), scope.key_of(text)), (Some(text), Some(key)));
    carries(scope.key_of(text).unwrap());

    // A hole, which is filled again.
    map.remove(seen.unwrap());
    carries(map.insert(value()));

    carries(map.get_by_index(1).unwrap().0);
    carries(map.get_by_index_mut(1).unwrap().0);
    carries(map.key_of(&map[first]).unwrap());
    carries(map.upgrade_key(&map.downgrade(first).unwrap()).unwrap());
    let first = map.invalidate(first).unwrap();
    carries(first);

    map.iter().for_each(|(key, _)| carries(key));
    map.iter().rev().for_each(|(key, _)| carries(key));
    map.iter_mut().for_each(|(key, _)| carries(key));
    map.keys().for_each(carries);
    map.keys().rev().for_each(carries);
    for (key, _) in &map {
        carries(key);
    }
    for (key, _) in &mut map {
        carries(key);
    }
    map.blocks().flat_map(|block| block.iter()).for_each(|(key, _)| carries(key));
    map.blocks_mut().for_each(|mut block| block.iter_mut().for_each(|(key, _)| carries(key)));
    let beside: SecondaryMap<K, u8> = map.keys().map(|key| (key, 1)).collect();
    assert_eq!(map.join(&beside).map(|(key, ..)| carries(key)).count(), map.len());
    assert_eq!(map.join_mut(&beside).map(|(key, ..)| carries(key)).count(), map.len());
    for (key, ..) in map.join(&beside) {
        carries(key);
    }

    let clone = map.clone();
    assert_eq!((clone.type_id(), &clone), (Some(number), &map));
    clone.clone().into_keys().for_each(carries);
    let rest = clone.into_iter();
    rest.clone().for_each(|(key, _)| carries(key));
    rest.rev().for_each(|(key, _)| carries(key));

    map.retain(|key, _| {
        carries(key);
        key != first
    });
    map.compact(|old, new| {
        carries(old);
        carries(new);
    });
    let mut nth = 0;
    let taken = map.extract_if(|key, _| {
        carries(key);
        nth += 1;
        nth % 2 == 0
    });
    taken.for_each(|(key, _)| carries(key));
    let mut left = map.drain();
    carries(left.next().unwrap().0);
    left.rev().for_each(|(key, _)| carries(key));

    map.insert(value());
    map.clear();
    carries(map.insert(value()));
    map.reset();
    carries(map.insert(value()));
    assert_eq!(map.type_id(), Some(number));
}

#[test]
fn all_keys_of_a_map_carry_its_number() {
    fn in_all_maps<K: Key>() {
        numbers::<K>().0.into_iter().for_each(all_keys_carry::<K>);
    }
    in_all_maps::<Tagged>();
    in_all_maps::<Compact>();
    in_all_maps::<Loose>();
    in_all_maps::<Wide>();
    in_all_maps::<Untagged>();
    in_all_maps::<DefaultKey>();
}

/// The map has two values, the second of `key`; `foreign` is the same key with another tag.
fn finds_nothing<K: Key>(map: &mut SlotMap<K, u32>, key: K, foreign: K) {
    assert_eq!((foreign.index(), foreign.generation()), (key.index(), key.generation()));
    assert_finds_nothing(map, foreign);

    // Without a value in the slot, none is returned.
    let refused = map.try_insert_at(foreign, 9).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::TypeId, 9));
    assert_eq!(refused.error.limit(), map.type_id().map(u64::from));
    let next = KeyData::from_parts(5, 1, foreign.tag()).unwrap();
    assert!(map.try_insert_at(next.into(), 9).is_err());
    assert_eq!(map.detach(key), Some(2));
    assert_eq!(map.try_reattach(foreign, 2), Err(2));
    map.reattach(key, 2);
    assert_eq!((map.len(), map.stats().holes, map[key]), (2, 0, 2));
}

#[test]
fn a_key_with_another_tag_finds_nothing_in_any_call() {
    fn in_all_maps<K: Key>() {
        let (numbers, tags) = numbers::<K>();
        for number in numbers {
            let mut map = SlotMap::<K, u32>::builder().type_id(number).build();
            let [_, key] = [1, 2].map(|n| map.insert(n));
            for tag in tags.iter().filter(|tag| **tag != number) {
                finds_nothing(&mut map, key, key.with_tag(*tag));
            }
        }
    }
    in_all_maps::<Tagged>();
    in_all_maps::<Compact>();
    in_all_maps::<Loose>();
    in_all_maps::<Wide>();
}

#[test]
fn keys_identify_their_map() {
    let mut maps: Vec<SlotMap<Tagged, u32>> =
        (0..100).map(|n| SlotMap::builder().type_id(n).build()).collect();
    let keys: Vec<Tagged> = (0..1000).map(|n| maps[n as usize * 7 % 100].insert(n)).collect();
    for (n, key) in (0..).zip(&keys) {
        assert_eq!(maps[key.type_id() as usize].get(*key), Some(&n));
        assert_eq!(key.data().type_id(), n * 7 % 100);
        assert_eq!(maps.iter().filter(|map| map.contains_key(*key)).count(), 1);
    }
}

fn does_not_fit<K: Key>(number: u32, most: u32) {
    let builder = SlotMap::<K, u8>::builder().type_id(number);
    let error = builder.try_build().map(drop).unwrap_err();
    assert_eq!((error.kind(), error.limit()), (ErrorKind::KeyBits, Some(most.into())));
    assert!(error.to_string().contains("type id does not fit"), "{error}");
    let refused = builder.try_build_in(Buffer::new(1 << 16, 4096, 64)).map(drop).unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::KeyBits);
    let panic = catch_unwind(|| builder.build()).map(drop).unwrap_err();
    let text = panic.downcast_ref::<String>().expect("it says why");
    assert!(text.contains(&format!("whose tag holds {most} at most")), "{text}");
    assert_eq!(builder.type_id(most).build().type_id(), Some(most));
    assert_eq!(
        builder.type_id(most).build_in(Buffer::new(1 << 16, 4096, 64)).type_id(),
        Some(most)
    );
}

#[test]
fn a_number_that_does_not_fit_is_refused() {
    does_not_fit::<Tagged>(1 << 12, (1 << 12) - 1);
    does_not_fit::<Tagged>(u32::MAX, (1 << 12) - 1);
    does_not_fit::<Compact>(4, 3);
    does_not_fit::<Loose>(2, 1);
    does_not_fit::<Wide>(1 << 31, (1 << 31) - 1);
    does_not_fit::<Wide>(u32::MAX, (1 << 31) - 1);
    does_not_fit::<Untagged>(1, 0);
    does_not_fit::<DefaultKey>(1, 0);
}

#[test]
fn maps_are_equal_if_their_keys_are_in_both_directions() {
    let of = |number: Option<u32>| {
        let mut map = match number {
            None => SlotMap::<Compact, u8>::with_key(),
            Some(number) => SlotMap::builder().type_id(number).build(),
        };
        map.insert(7);
        map
    };
    let maps = [None, Some(0), Some(1), Some(2)].map(of);
    for (i, one) in maps.iter().enumerate() {
        for (j, other) in maps.iter().enumerate() {
            assert_eq!(one == other, i == j || i + j == 1, "{i} {j}");
        }
    }
    let [mut one, .., mut other] = maps;
    one.clear();
    other.clear();
    assert_eq!(one, other);
}

#[test]
fn maps_with_different_numbers_join_nothing() {
    let (mut one, mut same, mut other) = (made::<Tagged>(1), made::<Tagged>(1), made::<Tagged>(2));
    let mut any: SlotMap<Tagged, u8> = SlotMap::with_key();
    let text = || "text".to_owned();
    let key = one.insert(text());
    same.insert(text());
    other.insert(text());
    any.insert(7);
    assert_eq!(one.join(&same).count(), 1);
    assert_eq!(one.join(&any).map(|(key, ..)| key).next(), Some(key));
    assert_eq!(one.join(&other).count(), 0);
    assert_eq!(one.join_mut(&mut other).count(), 0);
    assert_eq!(one.join((&same, &mut other)).count(), 0);
    assert_eq!(any.join(&one).count(), 0);
}

#[test]
fn secondary_maps_compare_index_and_generation() {
    let mut map = made::<Tagged>(9);
    let key = map.insert("one".to_owned());
    let beside = SecondaryMap::from_iter([(key, 1)]);
    let sparse: SparseSecondaryMap<_, _> = [(key, 1)].into_iter().collect();
    for tag in [0, 9, 10] {
        assert_eq!(beside.get(key.with_tag(tag)), Some(&1));
        assert_eq!(sparse.get(key.with_tag(tag)), Some(&1));
    }
    assert_eq!(beside.join(&map).count(), 1);
}

/// Calls every method of a secondary map that returns a key.
macro_rules! secondary {
    ($test:ident, $map:ident) => {
        #[test]
        fn $test() {
            let mut map = made::<Compact>(3);
            map.extend(["one", "two", "three"].map(str::to_owned));
            let carries = |key: Compact| assert!(key.tag() == 3 && map.contains_key(key));
            let mut beside: $map<Compact, u8> = map.keys().map(|key| (key, 1)).collect();
            assert!(beside.keys().all(|key| key.tag() == 0));
            assert_eq!(beside.try_set_type_id(4).unwrap_err().kind(), ErrorKind::KeyBits);
            beside.set_type_id(3);

            beside.iter().for_each(|(key, _)| carries(key));
            beside.iter_mut().for_each(|(key, _)| carries(key));
            beside.keys().for_each(carries);
            for (key, _) in &beside {
                carries(key);
            }
            beside.clone().into_iter().for_each(|(key, _)| carries(key));
            beside.clone().into_keys().for_each(carries);
            beside.try_clone().unwrap().keys().for_each(carries);
            beside.clone().drain().for_each(|(key, _)| carries(key));
            let mut left = beside.clone();
            left.extract_if(|key, _| map.contains_key(key)).for_each(|(key, _)| carries(key));
            assert!(left.is_empty());
            beside.retain(|key, _| map.contains_key(key));
            assert_eq!(beside.len(), 3);
            for (key, value) in &beside {
                assert_eq!(beside.get(key.with_tag(1)), Some(value));
            }
        }
    };
}

secondary!(keys_that_a_secondary_map_gives_out_carry_what_it_was_told, SecondaryMap);
secondary!(keys_that_a_sparse_map_gives_out_carry_what_it_was_told, SparseSecondaryMap);

#[test]
fn a_join_over_a_secondary_map_yields_the_inserted_keys() {
    let mut map = made::<Tagged>(5);
    let key = map.insert("one".to_owned());
    let mut beside = SecondaryMap::from_iter([(key, 1)]);
    assert_eq!(beside.join(&map).map(|(key, ..)| key.tag()).next(), Some(0));
    beside.set_type_id(5);
    assert_eq!(beside.join(&map).map(|(key, ..)| key).next(), Some(key));
    assert_eq!(beside.join_mut(&mut map).map(|(key, ..)| key).next_back(), Some(key));
}

#[cfg(feature = "rayon")]
#[test]
fn keys_that_rayon_yields_carry_the_number() {
    use rayon::prelude::*;

    let mut map: SlotMap<Compact, u32> = SlotMap::builder().type_id(3).build();
    map.extend(0..1000);
    let beside: SecondaryMap<Compact, u32> = map.iter().map(|(key, n)| (key, *n)).collect();
    let carries = |key: Compact| assert_eq!(key.tag(), 3);
    map.par_keys().for_each(carries);
    map.par_iter().for_each(|(key, _)| carries(key));
    map.par_iter_mut().for_each(|(key, _)| carries(key));
    assert_eq!(map.par_join(&beside).map(|(key, ..)| carries(key)).count(), 1000);
    assert_eq!(map.par_join_mut(&beside).map(|(key, ..)| carries(key)).count(), 1000);
    let mut beside = beside;
    beside.set_type_id(3);
    beside.par_iter().for_each(|(key, _)| carries(key));
    beside.par_iter_mut().for_each(|(key, _)| carries(key));
    beside.par_keys().for_each(carries);
    beside.into_par_iter().for_each(|(key, _)| carries(key));
    let mut sparse: SparseSecondaryMap<Compact, u32> =
        map.iter().map(|(key, n)| (key, *n)).collect();
    sparse.set_type_id(3);
    sparse.par_iter().for_each(|(key, _)| carries(key));
    sparse.par_iter_mut().for_each(|(key, _)| carries(key));
    sparse.par_keys().for_each(carries);
    sparse.into_par_iter().for_each(|(key, _)| carries(key));
    map.into_par_iter().for_each(|(key, _)| carries(key));
}
