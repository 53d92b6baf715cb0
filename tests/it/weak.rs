//! Weak pointers find their own value or nothing, in whatever map they are upgraded.

use static_assertions::{assert_eq_size, assert_impl_all};
use stayput::{DefaultKey, Key, SlotMap, Weak, new_key_type, region_cache};
use std::cell::Cell;
use std::collections::{BTreeSet, HashSet};
use std::fmt::Debug;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::rc::Rc;
use std::{mem, panic, thread};

assert_eq_size!(Weak<DefaultKey, String>, Option<Weak<DefaultKey, String>>);
assert_eq_size!(Weak<DefaultKey, ()>, Option<Weak<DefaultKey, [u64; 100]>>);
assert_impl_all!(Weak<DefaultKey, Rc<Cell<u8>>>: Send, Sync, Copy, Unpin, Eq, Ord, Debug, std::hash::Hash);
assert_impl_all!(Weak<DefaultKey, *const u8>: Send, Sync, panic::UnwindSafe);

#[cfg(target_pointer_width = "64")]
assert_eq_size!(Weak<DefaultKey, String>, [u64; 2]);

type Map<V> = SlotMap<DefaultKey, V>;

/// A map with few addresses, which a later map is likely to get again.
fn small<V>() -> Map<V> {
    SlotMap::builder().max_len(2000).build()
}

/// Asserts that weak pointers to the values of one map find nothing in another.
#[track_caller]
fn assert_strange<V>(map: &mut Map<V>, weak: &[Weak<DefaultKey, V>]) {
    for one in weak {
        assert!(map.upgrade(one).is_none(), "{one:?}");
        assert!(map.upgrade_mut(one).is_none(), "{one:?}");
        assert_eq!(map.upgrade_key(one), None);
    }
}

/// Creates weak pointers to values of a type in all possible ways.
fn exercise<V: Clone + PartialEq + Debug>(make: fn(u32) -> V) {
    let mut map = small();
    let keys: Vec<_> = (0..1500).map(|n| map.insert(make(n))).collect();
    let weak: Vec<_> = keys.iter().map(|key| map.downgrade(*key).expect("it is there")).collect();
    for (n, (key, one)) in (0..).zip(keys.iter().zip(&weak)) {
        assert_eq!(map.upgrade(one), Some(&make(n)));
        assert!(std::ptr::eq(one.as_ptr(), &raw const map[*key]));
        assert_eq!(map.upgrade_key(one), Some(*key));
        assert_eq!(map.grow_only().downgrade(*key), Some(*one));
    }

    // Another map: empty, smaller, as large.
    let mut other = small();
    assert_strange(&mut other, &weak);
    other.insert(make(0));
    assert_strange(&mut other, &weak);
    other.extend((1..1500).map(make));
    assert_strange(&mut other, &weak);
    let theirs = other.downgrade(keys[0]).expect("it is there");
    assert_strange(&mut map, &[theirs]);
    assert_strange(&mut map.clone(), &weak);

    // A map that has moved itself, while its values stay.
    let mut boxed = Box::new(mem::take(&mut map));
    assert_strange(&mut map, &weak);
    assert!(weak.iter().all(|one| boxed.upgrade(one).is_some()));
    mem::swap(&mut map, &mut boxed);

    // Removed values, whose slots are reused, or whose memory was returned.
    for key in keys.iter().step_by(2) {
        map.remove(*key);
    }
    let (even, odd): (Vec<_>, Vec<_>) = (0..).zip(&weak).partition(|(n, _)| n % 2 == 0);
    let even: Vec<_> = even.into_iter().map(|(_, one)| *one).collect();
    assert_strange(&mut map, &even);
    map.extend((0..100).map(make));
    assert_strange(&mut map, &even);
    assert!(odd.iter().all(|(n, one)| map.upgrade(one) == Some(&make(*n))));
    let kept = odd[0].1;
    for (_, one) in &odd[1..] {
        let key = map.upgrade_key(one).expect("it is there");
        map.remove(key);
    }
    map.trim();
    assert_strange(&mut map, &weak[2..]);
    assert_eq!(map.upgrade(kept), Some(&make(1)));
    map.extend((0..1400).map(make));
    assert_strange(&mut map, &weak[2..]);
    let again = map.downgrade(map.upgrade_key(kept).expect("it is there"));
    assert_eq!(again.as_ref(), Some(kept));
    map.reset();
    map.extend((0..1500).map(make));
    assert!(keys.iter().all(|key| map.contains_key(*key)), "reset forgets keys");
    assert_strange(&mut map, &weak);
}

#[repr(align(128))]
#[derive(Clone, PartialEq, Debug)]
struct Lines(u32);

#[repr(align(256))]
#[derive(Clone, PartialEq, Debug)]
struct AlignedNothing;

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn weak_pointers_find_nothing_in_other_maps() {
    exercise(|n| n.to_le_bytes()[0]);
    exercise(|n| [n.to_le_bytes()[0]; 3]);
    exercise(|n| n);
    exercise(|n| [n; 3]);
    exercise(|n| [u64::from(n); 3]);
    exercise(|n| [u64::from(n); 7]);
    exercise(|n| [u64::from(n); 8]);
    exercise(|n| n.to_string());
    exercise(Lines);
    exercise(|_| ());
    exercise(|_| AlignedNothing);
}

/// Creates a map of `B` at the address of a former map of `A`, as often as the system allows.
fn at_the_same_address<A: Clone, B: Clone>(a: A, b: B, check: fn(&Weak<DefaultKey, A>, &Map<B>)) {
    let mut met = 0;
    for _ in 0..200 {
        let mut first = small();
        let keys: Vec<_> = (0..10).map(|_| first.insert(a.clone())).collect();
        let weak: Vec<_> = keys.iter().map(|key| first.downgrade(*key).expect("it is")).collect();
        let address = weak[0].as_ptr().addr();
        drop(first);
        // Otherwise the cache keeps the address for a map of the same size.
        region_cache::trim();
        let mut second = small();
        for _ in 0..10 {
            second.insert(b.clone());
        }
        let start = second.values().next().map(|value| std::ptr::from_ref(value).addr());
        met += u32::from(start == Some(address));
        for one in &weak {
            check(one, &second);
        }
    }
    // Other tests use addresses at the same time.
    assert!(met > 0 || !cfg!(target_os = "linux"), "the system never gave the same addresses");
}

#[test]
fn they_find_nothing_in_a_map_at_the_address_of_one_that_is_gone() {
    at_the_same_address(String::from("first"), String::from("second"), |weak, map| {
        assert_eq!(map.upgrade(weak), None);
        assert_eq!(map.upgrade_key(weak), None);
    });
    at_the_same_address(7_u8, 8, |weak, map| assert_eq!(map.upgrade(weak), None));
    at_the_same_address([7_u64; 7], [8; 7], |weak, map| assert_eq!(map.upgrade(weak), None));
    at_the_same_address((), (), |weak, map| assert_eq!(map.upgrade(weak), None));
}

#[test]
fn each_generation_has_its_own_weak_pointer() {
    let mut map = Map::new();
    let mut all = Vec::new();
    for n in 0..50_usize {
        let key = map.insert(n);
        let weak = map.downgrade(key).expect("it is there");
        assert_eq!(map.upgrade(&weak), Some(&n));
        *map.upgrade_mut(&weak).expect("it is there") += 100;
        assert_eq!(map[key], n + 100);
        all.push(weak);
        assert!(all[..n].iter().all(|weak| map.upgrade(weak).is_none()));
        map.remove(key);
        assert_eq!((map.upgrade(&weak), map.downgrade(key)), (None, None));
    }
    assert!(all.iter().all(|weak| weak.as_ptr() == all[0].as_ptr()));
    let is_sorted = all.is_sorted_by(|one, next| one < next);
    assert!(is_sorted, "those of one slot are in the order of generations");
    let hash = BuildHasherDefault::<DefaultHasher>::default();
    assert_eq!(all.iter().map(|weak| hash.hash_one(weak)).collect::<HashSet<_>>().len(), 50);
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), 50);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 50);
}

#[test]
fn tags_do_not_affect_weak_pointers() {
    new_key_type! { struct Tagged: stayput::Tagged64; }
    let mut map: SlotMap<Tagged, u8> = SlotMap::with_key();
    let key = map.insert(1);
    let weak = map.downgrade(key.with_tag(7)).expect("it is there");
    assert_eq!(map.downgrade(key), Some(weak));
    assert_eq!(map.upgrade_key(&weak), Some(key));
}

#[test]
fn weak_pointers_are_send_even_if_their_values_are_not() {
    let mut map: Map<Rc<str>> = Map::new();
    let key = map.insert(Rc::from("here"));
    let weak = map.downgrade(key).expect("it is there");
    let back = thread::spawn(move || weak).join().expect("it ran");
    assert_eq!(map.upgrade(&back).map(|text| &**text), Some("here"));
}

#[test]
fn concurrent_downgrades_return_equal_pointers() {
    for _ in 0..50 {
        let map: Map<u32> = (0..4).collect();
        let key = map.keys().next().expect("it is there");
        let made: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| map.downgrade(key))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it ran")).collect()
        });
        assert!(made.iter().all(|weak| weak.is_some() && *weak == made[0]));
        assert!(made.iter().flatten().all(|weak| map.upgrade(weak) == Some(&0)));
    }
}

#[test]
fn debug_output_shows_the_address_and_the_generation() {
    let mut map = Map::new();
    let key = map.insert(1);
    let weak = map.downgrade(key).expect("it is there");
    let text = format!("{weak:?}");
    assert!(text.contains("v1") && text.contains(&format!("{:?}", weak.as_ptr())), "{text}");
}

#[test]
fn a_null_weak_pointer_finds_nothing_in_any_map() {
    let nothing: Weak<DefaultKey, u32> = Weak::new();
    assert_eq!(nothing, Weak::default());
    assert_strange(&mut Map::new(), &[nothing]);
    // The first map of a process that creates pointers, or any other.
    for _ in 0..3 {
        let mut map: Map<u32> = (0..100).collect();
        let weak: Vec<_> = map.keys().filter_map(|key| map.downgrade(key)).collect();
        assert!(!weak.contains(&nothing) && weak.len() == 100);
        assert_strange(&mut map, &[nothing]);
        assert_eq!(nothing.upgrade_mut(&mut map), None);
        map.clear();
        assert_strange(&mut map, &[nothing]);
    }
    // Where an address may be that of any slot.
    let mut map: Map<()> = [(); 5].into_iter().collect();
    assert!(map.keys().all(|key| map.downgrade(key).is_some()));
    assert_strange(&mut map, &[Weak::new()]);
}

#[test]
fn both_ways_to_upgrade_agree() {
    let mut map = Map::new();
    let key = map.insert(7);
    let weak = map.downgrade(key).expect("it is there");
    *weak.upgrade_mut(&mut map).expect("it is there") += 1;
    assert_eq!((weak.upgrade(&map), map.upgrade(&weak)), (Some(&8), Some(&8)));
    map.remove(key);
    assert_eq!(weak.upgrade(&map), None);
    assert_eq!(weak.upgrade_mut(&mut map), None);
}
