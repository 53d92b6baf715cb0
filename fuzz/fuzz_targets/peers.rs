//! Runs the same operations on containers here and on those that they replace: every result must be equal.
//!
//! `SlotMap`, `DenseSlotMap` and `SecondaryMap` are compared with those of `slotmap`, `VmVec` with `Vec`, and
//! `UniqueIndex` with a `HashMap` of `hashbrown`.

#![no_main]

use hashbrown::HashMap;
use libfuzzer_sys::fuzz_target;
use rest::{Few, Rest};
use slotmap::SecondaryMap as PeerSecondary;
use stayput::index::UniqueIndex;
use stayput::{DefaultKey, SecondaryMap, VmVec};

include!("../../tests/common/arbitrary.rs");
#[path = "../rest.rs"]
mod rest;

arbitrary! {
    enum MapOp {
        Insert(u16),
        InsertMany(u8),
        Remove(u16),
        Get(u16),
        Replace(u16, u16),
        Disjoint(u16, u16),
        /// Keeps values that are not multiples.
        Retain(u8),
        Drain,
        Clear,
        Clone,
        SecondaryInsert(u16, u16),
        SecondaryRemove(u16),
        SecondaryEntry(u16, u16),
        SecondaryRetain(u8),
    }

    #[derive(Clone, Debug)]
    enum VecOp {
        Push(u16),
        Pop,
        Insert(u16, u16),
        Remove(u16),
        SwapRemove(u16),
        Truncate(u16),
        Resize(u16, u16),
        Extend(Few<u16>),
        ExtendFromWithin(u16, u16),
        Drain(u16, u16),
        Splice(u16, u16, Few<u16>),
        SplitOff(u16),
        Retain(u8),
        DedupByKey(u8),
        ExtractIf(u16, u16, u8),
        Rotate(u16),
        Sort,
        Clear,
    }

    enum IndexOp {
        Insert(u8, u16),
        Remove(u16),
        Find(u8),
        Take(u8),
        Clear,
        Clone,
    }

    #[derive(Clone, Debug)]
    enum Input {
        Maps(Rest<MapOp>),
        DenseMaps(Rest<MapOp>),
        Vec(Rest<VecOp>),
        Index(Rest<IndexOp>),
    }
}

/// One of the keys that were ever created.
fn pick<K: Copy>(keys: &[K], number: u16) -> Option<K> {
    keys.get(usize::from(number) % keys.len().max(1)).copied()
}

fn sorted(values: impl Iterator<Item = u16>) -> Vec<u16> {
    let mut values: Vec<_> = values.collect();
    values.sort_unstable();
    values
}

/// Declares a function that runs operations on two slot maps and their secondary maps. Their types have no trait in common.
macro_rules! compare_maps {
    ($name:ident, $map:ty, $peer:ty) => {
        fn $name(ops: &[MapOp]) {
            let mut map = <$map>::new();
            let mut peer = <$peer>::new();
            let mut second = SecondaryMap::<DefaultKey, u16>::new();
            let mut peer_second = PeerSecondary::<slotmap::DefaultKey, u16>::new();
            let mut keys = Vec::new();
            for &op in ops {
                let len = map.len();
                match op {
                    MapOp::Insert(value) => keys.push((map.insert(value), peer.insert(value))),
                    MapOp::InsertMany(count) => {
                        keys.extend((0..count.into()).map(|n| (map.insert(n), peer.insert(n))));
                    }
                    MapOp::Remove(number) => {
                        let Some((key, peer_key)) = pick(&keys, number) else { continue };
                        assert_eq!(map.remove(key), peer.remove(peer_key));
                    }
                    MapOp::Get(number) => {
                        let Some((key, peer_key)) = pick(&keys, number) else { continue };
                        assert_eq!(map.get(key), peer.get(peer_key));
                        assert_eq!(map.contains_key(key), peer.contains_key(peer_key));
                        assert_eq!(second.get(key), peer_second.get(peer_key));
                    }
                    MapOp::Replace(number, value) => {
                        let Some((key, peer_key)) = pick(&keys, number) else { continue };
                        let old = map.get_mut(key).map(|place| std::mem::replace(place, value));
                        let peer_old =
                            peer.get_mut(peer_key).map(|place| std::mem::replace(place, value));
                        assert_eq!(old, peer_old);
                    }
                    MapOp::Disjoint(first, other) => {
                        let (Some((a, peer_a)), Some((b, peer_b))) =
                            (pick(&keys, first), pick(&keys, other))
                        else {
                            continue;
                        };
                        let found =
                            map.get_disjoint_mut([a, b]).map(|found| found.map(|value| *value));
                        let peer_found = peer
                            .get_disjoint_mut([peer_a, peer_b])
                            .map(|found| found.map(|value| *value));
                        assert_eq!(found, peer_found);
                    }
                    MapOp::Retain(of) => {
                        let keep = |value: u16| of == 0 || value % u16::from(of) != 0;
                        map.retain(|_, value| keep(*value));
                        peer.retain(|_, value| keep(*value));
                    }
                    MapOp::Drain => {
                        let drained = sorted(map.drain().map(|(_, value)| value));
                        assert_eq!(drained, sorted(peer.drain().map(|(_, value)| value)));
                    }
                    MapOp::Clear => {
                        map.clear();
                        peer.clear();
                    }
                    MapOp::Clone => {
                        map = map.clone();
                        peer = peer.clone();
                        second = second.clone();
                        peer_second = peer_second.clone();
                    }
                    MapOp::SecondaryInsert(number, value) => {
                        let Some((key, peer_key)) = pick(&keys, number) else { continue };
                        if map.contains_key(key) {
                            assert_eq!(
                                second.insert(key, value),
                                peer_second.insert(peer_key, value)
                            );
                        }
                    }
                    MapOp::SecondaryRemove(number) => {
                        let Some((key, peer_key)) = pick(&keys, number) else { continue };
                        assert_eq!(second.remove(key), peer_second.remove(peer_key));
                    }
                    MapOp::SecondaryEntry(number, value) => {
                        let Some((key, peer_key)) = pick(&keys, number) else { continue };
                        if !map.contains_key(key) {
                            continue;
                        }
                        let found = second.entry(key).map(|entry| *entry.or_insert(value));
                        let peer_found =
                            peer_second.entry(peer_key).map(|entry| *entry.or_insert(value));
                        assert_eq!(found, peer_found);
                    }
                    MapOp::SecondaryRetain(of) => {
                        let keep = |value: u16| of == 0 || value % u16::from(of) != 0;
                        second.retain(|_, value| keep(*value));
                        peer_second.retain(|_, value| keep(*value));
                    }
                }
                // Maps take their free slots in different orders, and so replace the values of other removed keys.
                if map.len() < len {
                    second.retain(|key, _| map.contains_key(key));
                    peer_second.retain(|key, _| peer.contains_key(key));
                }
                assert_eq!((map.len(), second.len()), (peer.len(), peer_second.len()));
            }
            for &(key, peer_key) in &keys {
                assert_eq!(map.get(key), peer.get(peer_key));
                assert_eq!(second.get(key), peer_second.get(peer_key));
            }
            assert_eq!(sorted(map.values().copied()), sorted(peer.values().copied()));
            assert_eq!(sorted(second.values().copied()), sorted(peer_second.values().copied()));
        }
    };
}

compare_maps!(maps, stayput::SlotMap<DefaultKey, u16>, slotmap::SlotMap<slotmap::DefaultKey, u16>);
compare_maps!(dense_maps, stayput::DenseSlotMap<DefaultKey, u16>, slotmap::DenseSlotMap<slotmap::DefaultKey, u16>);

/// A range within a length.
fn range(len: usize, start: u16, count: u16) -> std::ops::Range<usize> {
    let start = usize::from(start) % (len + 1);
    start..start + usize::from(count) % (len - start + 1)
}

fn vecs(ops: Vec<VecOp>) {
    let mut array = VmVec::<Box<u16>>::new();
    let mut peer = Vec::<Box<u16>>::new();
    let boxed = |values: Vec<u16>| values.into_iter().map(Box::new).collect::<Vec<_>>();
    for op in ops {
        let len = peer.len();
        let within = |at: u16| usize::from(at) % len.max(1);
        match op {
            VecOp::Push(value) => {
                array.push(Box::new(value));
                peer.push(Box::new(value));
            }
            VecOp::Pop => assert_eq!(array.pop(), peer.pop()),
            VecOp::Insert(at, value) => {
                let at = usize::from(at) % (len + 1);
                array.insert(at, Box::new(value));
                peer.insert(at, Box::new(value));
            }
            VecOp::Remove(at) if len > 0 => {
                assert_eq!(array.remove(within(at)), peer.remove(within(at)));
            }
            VecOp::SwapRemove(at) if len > 0 => {
                assert_eq!(array.swap_remove(within(at)), peer.swap_remove(within(at)));
            }
            VecOp::Remove(_) | VecOp::SwapRemove(_) => {}
            VecOp::Truncate(to) => {
                array.truncate(to.into());
                peer.truncate(to.into());
            }
            VecOp::Resize(to, value) => {
                array.resize(usize::from(to) % 2048, Box::new(value));
                peer.resize(usize::from(to) % 2048, Box::new(value));
            }
            VecOp::Extend(Few(values)) => {
                array.extend(boxed(values.clone()));
                peer.extend(boxed(values));
            }
            VecOp::ExtendFromWithin(start, count) => {
                let range = range(len, start, count % 1024);
                array.extend_from_within(range.clone());
                peer.extend_from_within(range);
            }
            VecOp::Drain(start, count) => {
                let range = range(len, start, count);
                assert!(array.drain(range.clone()).eq(peer.drain(range)));
            }
            VecOp::Splice(start, count, Few(values)) => {
                let range = range(len, start, count);
                let taken = array.splice(range.clone(), boxed(values.clone())).collect::<Vec<_>>();
                assert_eq!(taken, peer.splice(range, boxed(values)).collect::<Vec<_>>());
            }
            VecOp::SplitOff(at) => {
                let at = usize::from(at) % (len + 1);
                assert_eq!(array.split_off(at)[..], peer.split_off(at)[..]);
            }
            VecOp::Retain(of) => {
                let keep = |value: &Box<u16>| of == 0 || **value % u16::from(of) != 0;
                array.retain(keep);
                peer.retain(keep);
            }
            VecOp::DedupByKey(of) => {
                array.dedup_by_key(|value| **value / (u16::from(of) + 1));
                peer.dedup_by_key(|value| **value / (u16::from(of) + 1));
            }
            VecOp::ExtractIf(start, count, of) => {
                let range = range(len, start, count);
                let take = |value: &mut Box<u16>| of != 0 && **value % u16::from(of) == 0;
                let taken = array.extract_if(range.clone(), take).collect::<Vec<_>>();
                assert_eq!(taken, peer.extract_if(range, take).collect::<Vec<_>>());
            }
            VecOp::Rotate(by) => {
                let by = usize::from(by) % (len + 1);
                array.rotate_left(by);
                peer.rotate_left(by);
            }
            VecOp::Sort => {
                array.sort();
                peer.sort();
            }
            VecOp::Clear => {
                array.clear();
                peer.clear();
            }
        }
        // The whole, so that the operation that went wrong is the last one.
        assert_eq!(array[..], peer[..]);
    }
    assert!(array.into_iter().rev().eq(peer.into_iter().rev()));
}

fn indices(ops: &[IndexOp]) {
    let mut index = UniqueIndex::new();
    // From key to slot.
    let mut peer = HashMap::<u8, u32>::new();
    let mut keys = [None::<u8>; 300];
    for &op in ops {
        let key_of = |keys: &[Option<u8>; 300], key| {
            let keys = *keys;
            move |slot: u32| keys[slot as usize] == Some(key)
        };
        match op {
            // A slot has one key.
            IndexOp::Insert(key, slot) => {
                let slot = slot % 300;
                if keys[usize::from(slot)].is_some() {
                    continue;
                }
                let present = index.insert(&key, slot.into(), key_of(&keys, key));
                assert_eq!(present, peer.get(&key).copied());
                if present.is_none() {
                    peer.insert(key, slot.into());
                    keys[usize::from(slot)] = Some(key);
                }
            }
            IndexOp::Remove(slot) => {
                let slot = slot % 300;
                let key = keys[usize::from(slot)].take();
                assert_eq!(index.remove(slot.into()), key.is_some());
                assert_eq!(key.and_then(|key| peer.remove(&key)), key.map(|_| slot.into()));
            }
            IndexOp::Find(key) => {
                assert_eq!(index.find(&key, key_of(&keys, key)), peer.get(&key).copied());
            }
            IndexOp::Take(key) => {
                let taken = index.take(&key, key_of(&keys, key));
                assert_eq!(taken, peer.remove(&key));
                if let Some(slot) = taken {
                    keys[slot as usize] = None;
                }
            }
            IndexOp::Clear => {
                index.clear();
                peer.clear();
                keys = [None; 300];
            }
            IndexOp::Clone => index = index.clone(),
        }
        assert_eq!(index.len(), peer.len());
    }
    for (&key, &slot) in &peer {
        assert_eq!(index.find(&key, |slot| keys[slot as usize] == Some(key)), Some(slot));
    }
}

fuzz_target!(|input: Input| match input {
    Input::Maps(ops) => maps(&ops.0),
    Input::DenseMaps(ops) => dense_maps(&ops.0),
    Input::Vec(ops) => vecs(ops.0),
    Input::Index(ops) => indices(&ops.0),
});
