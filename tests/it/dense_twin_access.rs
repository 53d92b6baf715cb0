//! The part of the model about access to values, and about memory.

use super::*;
use crate::dense_op::Slices;
use crate::slot_map_op::at_fault;
use crate::slot_map_value::walks;

impl<K: Key, S: Stored> Model<K, S> {
    pub(super) fn look(&mut self, op: Op) {
        match op {
            Op::Exchange(a, b, slices) => {
                if let Some(last) = self.order.len().checked_sub(1) {
                    let [a, b] = [a, b].map(|row| usize::from(row) % (last + 1));
                    let rows = match slices {
                        Slices::Slice => self.map.as_mut_slice(),
                        Slices::Values => self.map.values_as_mut_slice(),
                        Slices::All => {
                            assert_eq!(self.map.as_slices().0, self.order);
                            let (keys, rows) = self.map.as_mut_slices();
                            assert_eq!(keys, self.order);
                            rows
                        }
                    };
                    S::exchange(rows, a, b);
                    let [first, second] = [a, b].map(|row| self.ids[&self.order[row]]);
                    self.ids.insert(self.order[a], second);
                    self.ids.insert(self.order[b], first);
                }
                self.touch();
            }
            Op::Look(pick) => {
                let key = self.pick(pick);
                let id = self.id_of(key);
                assert_eq!(self.map.get(key).map(S::seen), id);
                assert_eq!(self.map.contains_key(key), id.is_some());
                let row = self.order.iter().position(|other| *other == Self::plain(key));
                assert_eq!(self.map.row_of(key), row);
                S::check_found(&mut self.map, key, id);
                self.touch();
            }
            Op::ByIndex(index) => self.change_by_index(index.into()),
            Op::ByIndexOf(pick) => self.change_by_index(self.pick(pick).index()),
            Op::Change(pick) => {
                let key = self.pick(pick);
                self.next_id += 1;
                let id = self.next_id;
                if let Some(row) = self.map.get_mut(key) {
                    S::change(row, id);
                    assert!(self.ids.insert(Self::plain(key), id).is_some());
                } else {
                    assert_eq!(self.id_of(key), None);
                }
                self.touch();
            }
            Op::Many(picks) => {
                let keys = picks.map(|pick| self.pick(pick));
                let expected = keys.map(|key| self.id_of(key));
                let mut found = Vec::new();
                self.map.get_many(keys, |_, row| found.push(row.map(S::seen)));
                assert_eq!(found, expected);
                assert_eq!(S::many_mut(&mut self.map, &keys), expected);
                self.touch();
            }
            Op::Disjoint(picks) => {
                let keys = picks.map(|pick| self.pick(pick));
                let ids = keys.map(|key| self.id_of(key));
                let found = || ids.map(|id| id.expect("none is missing"));
                let expected = at_fault(&keys, &ids).map_or_else(|| Ok(found()), Err);
                S::check_disjoint(&mut self.map, keys, expected);
                self.touch();
            }
            _ => self.go_over(op),
        }
    }

    fn change_by_index(&mut self, index: u32) {
        let key = self.order.iter().find(|key| key.index() == index).copied();
        let expected = key.map(|key| (key, self.ids[&key]));
        let found = self.map.get_by_index(index).map(|(key, row)| (key, S::seen(row)));
        assert_eq!(found, expected);
        self.next_id += 1;
        let id = self.next_id;
        let changed = self.map.get_by_index_mut(index).map(|(key, row)| {
            S::change(row, id);
            key
        });
        assert_eq!(changed, key);
        self.ids.extend(changed.map(|key| (key, id)));
        self.touch();
    }

    /// The expected rows.
    pub(super) fn pairs(&self) -> Vec<(K, u32)> {
        self.order.iter().map(|key| (*key, self.ids[key])).collect()
    }

    fn go_over(&mut self, op: Op) {
        match op {
            Op::Iterate(pattern) => {
                let pairs = self.pairs();
                let seen = |(key, row)| (key, S::seen(row));
                walks(self.map.iter().map(seen), &pairs, pattern);
                walks(
                    self.map.iter_mut().map(|(key, row)| (key, S::seen_mut(row))),
                    &pairs,
                    pattern,
                );
                walks(self.map.keys(), &self.order, pattern);
                let ids: Vec<u32> = pairs.into_iter().map(|(_, id)| id).collect();
                walks(self.map.values().map(S::seen), &ids, pattern);
                walks(self.map.values_mut().map(S::seen_mut), &ids, pattern);
                self.touch();
            }
            Op::IntoIter(pattern) => {
                let pairs = self.pairs();
                let clone = S::duplicate(&self.map);
                walks(clone.into_iter().map(|(key, value)| (key, S::id(&value))), &pairs, pattern);
                let clone = S::duplicate(&self.map);
                let ids: Vec<u32> = pairs.into_iter().map(|(_, id)| id).collect();
                walks(clone.into_values().map(|value| S::id(&value)), &ids, pattern);
                let clone = S::duplicate(&self.map);
                walks(clone.into_keys(), &self.order, pattern);
            }
            Op::Clone(is_kept) => {
                let clone = S::duplicate(&self.map);
                if is_kept {
                    self.map = clone;
                    self.pass = Pass::None;
                }
            }
            Op::Move => {
                let map = mem::replace(&mut self.map, Self::fresh(self.config));
                self.map = *Box::new(map);
            }
            _ => self.take_memory(op),
        }
    }

    fn take_memory(&mut self, op: Op) {
        match op {
            Op::Shrink => self.map.try_shrink_to_fit().unwrap(),
            Op::ShrinkWithin(bytes) => {
                let _ = self.map.shrink_to_fit_within(Budget::bytes(bytes.into())).unwrap();
            }
            Op::PrefaultAhead(bytes) => {
                let done = self.map.prefault_ahead(Budget::bytes(bytes.into()));
                assert!(done.refused.is_none());
            }
            Op::Trim => self.map.try_trim().unwrap(),
            Op::TrimWithin(bytes) => {
                let _ = self.map.trim_within(Budget::bytes(bytes.into())).unwrap();
            }
            Op::ReserveExact(count) => {
                if let Err(error) = self.map.try_reserve_exact(count.into()) {
                    self.check_near_full(error.kind(), count);
                }
            }
            Op::Reserve(count) => match self.map.try_reserve(count.into()) {
                Ok(()) => assert!(self.map.capacity() >= self.order.len() + usize::from(count)),
                Err(error) => self.check_near_full(error.kind(), count),
            },
            Op::Prefault(count) => {
                if let Err(error) = self.map.try_prefault(count.into()) {
                    self.check_near_full(error.kind(), count);
                }
            }
            _ => unreachable!("done elsewhere"),
        }
    }

    fn check_near_full(&self, kind: ErrorKind, count: u8) {
        let stats = self.map.stats();
        assert!(matches!(kind, ErrorKind::MaxLen | ErrorKind::KeyBits), "{kind:?}");
        let used = stats.live + stats.detached + stats.retired;
        assert!(used + usize::from(count) > stats.max_len, "{count} for {stats:?}");
    }
}
