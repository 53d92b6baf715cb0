//! The part of the model about looking at values, about whole maps, and about memory.

use super::*;
use std::hash::{BuildHasher, RandomState};

impl<K: Key, const PAD: usize, T: Token> Model<K, PAD, T> {
    pub(super) fn whole(&mut self, op: &Op) {
        match *op {
            Op::Clone(go_on) => {
                let clone = self.map.clone();
                assert_eq!(clone.len(), self.map.len());
                assert_eq!(clone, self.map);
                // With few addresses, each map gets fewer than the one before by default.
                if usize::BITS > 32 {
                    assert_eq!(clone.max_len(), self.map.max_len());
                }
                if go_on {
                    self.map = clone;
                    self.map_number += 1;
                    for (index, held) in &mut self.live {
                        let (_, value) = self.map.get_by_index(*index).expect("it was cloned");
                        held.address = std::ptr::from_ref(value).addr();
                    }
                } else {
                    assert!(self.weak.iter().all(|to| clone.upgrade(&to.weak).is_none()));
                }
            }
            Op::IntoIter(pattern) => {
                let expected = self.items();
                let items = self.map.clone().into_iter();
                let items = items.map(|(key, value)| (key.index(), key.generation(), value.id));
                walks(items, &expected, pattern);
                let keys: Vec<_> = self.map.clone().into_keys().collect();
                assert!(keys.iter().map(Key::index).eq(self.live.keys().copied()));
                let values: Vec<u32> = expected.iter().map(|(_, _, id)| *id).collect();
                walks(self.map.clone().into_values().map(|value| value.id), &values, !pattern);
            }
            Op::Collect(count) => {
                // No more than fit with the smallest keys.
                let values: Vec<_> = (0..count.get() % 8).map(|_| self.value()).collect();
                let ids: Vec<u32> = values.iter().map(|value| value.id).collect();
                let map: SlotMap<K, _> = values.into_iter().collect();
                assert!(map.values().map(|value| value.id).eq(ids));
            }
            Op::Move => {
                let mut boxed = Box::new(mem::take(&mut self.map));
                mem::swap(&mut self.map, &mut boxed);
            }
            _ => {}
        }
    }

    pub(super) fn memory(&mut self, op: &Op) {
        match *op {
            Op::Trim | Op::TrimWithin(..) | Op::ShrinkToFit => {
                self.gave_back |= !self.holes.is_empty();
                match *op {
                    Op::Trim => self.map.try_trim().expect("there is memory"),
                    Op::TrimWithin(bytes, is_trim) => {
                        // Of few slots.
                        let budget = Budget::bytes((bytes % 300_000) as usize);
                        let given = if is_trim {
                            self.map.trim_within(budget)
                        } else {
                            self.map.shrink_to_fit_within(budget)
                        };
                        assert!(given.is_ok());
                    }
                    _ => self.map.try_shrink_to_fit().expect("there is memory"),
                }
                // Of the holes after the last value, those whose memory was returned are removed.
                let left = self.map.stats().holes;
                while self.holes.len() > left {
                    assert!(self.len > 0, "there are no more slots");
                    assert!(self.holes.remove(&(self.len - 1)), "only the last holes are removed");
                    self.len -= 1;
                }
            }
            Op::PrefaultAhead(bytes) => {
                let before = self.map.capacity();
                let budget = Budget::bytes(bytes.into());
                assert_eq!(self.map.prefault_ahead(budget).refused, None);
                assert!(self.map.capacity() >= before);
            }
            Op::Reserve(count) | Op::ReserveExact(count) | Op::Prefault(count) => {
                let count = count.get() as usize;
                let kept = self.config.rotate.map_or(0, Count::get) as usize;
                let need = |holes| count.saturating_sub(holes) + self.len as usize;
                // Reserved holes are filled if no other slots are left.
                let (least, requested) =
                    (need(self.holes.len()), need(self.holes.len().saturating_sub(kept)));
                let result = match op {
                    Op::Reserve(_) => self.map.try_reserve(count),
                    Op::ReserveExact(_) => self.map.try_reserve_exact(count),
                    _ => self.map.try_prefault(count),
                };
                assert_eq!(result.is_ok(), least <= self.map.max_len());
                let made = if requested <= self.map.max_len() { requested } else { least };
                assert!(result.is_err() || self.map.capacity() >= made);
            }
            _ => {}
        }
    }

    pub(super) fn look(&mut self, op: &Op) {
        match *op {
            Op::Look(pick) => {
                let key = self.key(pick);
                let id = self.held(key).map(|held| held.id);
                assert_eq!(self.map.contains_key(key), id.is_some());
                assert_eq!(self.map.get(key).map(|value| value.id), id);
                assert_eq!(self.map.get_mut(key).map(|value| value.id), id);
                assert_eq!(self.map.downgrade(key).is_some(), id.is_some());
                let found = self.map.grow_only().get(key).map(|value| value.id);
                assert_eq!(found, id);
                let found = self.map.get_by_index_mut(key.index()).map(|(_, value)| value.id);
                assert_eq!(found, self.live.get(&key.index()).map(|held| held.id));
                if let Some(id) = id {
                    self.map[key].id = id;
                    assert_eq!(self.map.key_of(&self.map[key].clone()), None);
                }
            }
            Op::Many(picks) => {
                let picked = picks.map(|pick| self.key(pick));
                let keys: Vec<K> = picked.iter().chain(&self.keys).copied().collect();
                let ids = keys.iter().map(|key| (*key, self.held(*key).map(|held| held.id)));
                let ids: Vec<_> = ids.collect();
                let mut found = Vec::new();
                let mut note = |key, value: Option<&Value<PAD, T>>| {
                    found.push((key, value.map(|value| value.id)));
                };
                self.map.get_many(keys.iter().copied(), &mut note);
                self.map.get_many_mut(keys, |key, value| note(key, value.map(|value| &*value)));
                let (first, second) = found.split_at(ids.len());
                assert!(first == ids && second == ids);
            }
            Op::Disjoint(picks) => {
                let keys = picks.map(|pick| self.key(pick));
                self.disjoint([keys[0], keys[1]]);
                self.disjoint(keys);
            }
            Op::Iterate(pattern) => self.iterate(pattern),
            Op::Blocks => self.blocks(),
            Op::Downgrade(pick) => self.downgrade(self.key(pick)),
            _ => {}
        }
    }

    pub(super) fn downgrade(&mut self, key: K) {
        assert!(self.map.upgrade(&Weak::new()).is_none());
        let weak = self.map.downgrade(key);
        assert_eq!(weak.is_some(), self.held(key).is_some());
        let Some(weak) = weak else { return };
        let held = self.held(key);
        let id = held.map(|held| held.id);
        assert_eq!(weak.upgrade(&self.map).map(|value| value.id), id);
        assert_eq!(weak.upgrade_mut(&mut self.map).map(|value| value.id), id);
        assert_eq!(held.map(|held| held.address), Some(weak.as_ptr().addr()));
        let data = key.with_tag(self.minted()).data();
        let hasher = RandomState::new();
        for to in &self.weak {
            let is_same = to.map_number == self.map_number && to.data == data;
            assert_eq!(weak == to.weak, is_same);
            assert_eq!(weak.cmp(&to.weak).is_eq(), is_same);
            assert_eq!(hasher.hash_one(weak) == hasher.hash_one(to.weak), is_same);
        }
        self.weak.push(WeakTo { weak, data, map_number: self.map_number });
    }

    fn disjoint<const N: usize>(&mut self, keys: [K; N]) {
        let held: Option<Vec<u32>> = keys.iter().map(|key| Some(self.held(*key)?.id)).collect();
        let indices: BTreeSet<u32> = keys.iter().map(Key::index).collect();
        let expected = held.filter(|_| indices.len() == N);
        let found = self.map.get_disjoint_mut(keys).map(|values| values.map(|value| value.id));
        assert_eq!(found.map(Vec::from).as_ref(), expected.as_ref());
        let result = self.map.try_get_disjoint_mut(keys).map(|values| values.map(|value| value.id));
        assert_eq!(result.err(), at_fault(&keys, &keys.map(|key| self.held(key))));
        assert_eq!(result.ok().map(Vec::from), expected);
    }

    fn iterate(&mut self, pattern: u64) {
        let expected = self.items();
        let keys: Vec<_> = expected.iter().map(|(index, by, _)| (*index, *by)).collect();
        let ids: Vec<_> = expected.iter().map(|(_, _, id)| *id).collect();
        let map = &mut self.map;
        let parts = |key: K| (key.index(), key.generation());
        let item = |key: K, id| (key.index(), key.generation(), id);
        walks(map.iter().map(|(key, value)| item(key, value.id)), &expected, pattern);
        walks(map.iter_mut().map(|(key, value)| item(key, value.id)), &expected, pattern);
        walks(map.keys().map(parts), &keys, pattern.rotate_left(7));
        walks(map.values().map(|value| value.id), &ids, pattern.rotate_left(14));
        walks(map.values_mut().map(|value| value.id), &ids, pattern.rotate_left(21));
        let mut halfway = map.iter();
        halfway.by_ref().take(3).for_each(drop);
        let rest = halfway.clone().map(|(key, _)| parts(key));
        assert!(rest.eq(keys.iter().skip(3).copied()));
        assert_eq!(halfway.count(), keys.len().saturating_sub(3));
    }

    fn blocks(&mut self) {
        let expected = self.items();
        let stride = SlotMap::<K, Value<PAD, T>>::STRIDE_BYTES;
        let (mut found, mut next) = (Vec::new(), 0);
        for block in self.map.blocks() {
            assert!(block.first_index() % 64 == 0 && block.first_index() >= next);
            next = block.first_index() + 64;
            assert_ne!(block.mask(), 0);
            let mut mask = 0;
            assert_eq!(block.iter().len(), block.mask().count_ones() as usize);
            for (key, value) in &block {
                let slot = key.index() - block.first_index();
                mask |= 1 << slot;
                let address = block.as_ptr().addr() + slot as usize * stride;
                assert_eq!(address, std::ptr::from_ref(value).addr());
                found.push((key.index(), key.generation(), value.id));
            }
            assert_eq!(mask, block.mask());
        }
        assert_eq!(found, expected);
        found.clear();
        for mut block in self.map.blocks_mut() {
            let (mask, first) = (block.mask(), block.first_index());
            let items = block.iter_mut().rev().collect::<Vec<_>>();
            assert!(items.iter().all(|(key, _)| mask >> (key.index() - first) & 1 == 1));
            let items = items.iter().rev();
            found.extend(items.map(|(key, value)| (key.index(), key.generation(), value.id)));
        }
        assert_eq!(found, expected);
    }
}
