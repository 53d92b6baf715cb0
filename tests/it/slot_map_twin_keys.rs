//! The part of the model about keys that are known before the value, come from other maps, or change, and about values
//! that are removed by predicate.

use super::*;
use crate::slot_map_op::Keyed;

impl<K: Key, const PAD: usize, T: Token> Model<K, PAD, T> {
    pub(super) fn keyed(&mut self, op: Keyed) {
        match op {
            Keyed::InsertAt(pick) => self.insert_at(self.key(pick)),
            Keyed::InsertAhead(n, by) => {
                let index = (u32::from(n) % Self::SPAN) & <K::Layout as Layout>::MAX_INDEX;
                let next = self.last.get(&index).copied().unwrap_or(0) + 1;
                self.insert_at(self.made_up(index, next + u32::from(by % 3)));
            }
            Keyed::VacantEntry(is_filled) if self.has_span(1) => self.vacant_entry(is_filled),
            Keyed::VacantEntry(_) => {}
            Keyed::Invalidate(pick) => self.invalidate(self.key(pick)),
            Keyed::Compact(bytes, panic_after) => self.compact(bytes, panic_after),
            Keyed::ExtractIf(choice, steps) => self.extract_if(choice, steps),
        }
    }

    fn vacant_entry(&mut self, is_filled: bool) {
        let value = self.value();
        let id = value.id;
        match self.map.try_vacant_entry() {
            Ok(entry) => {
                let key = entry.key();
                assert!(format!("{entry:?}").contains(&format!("{key:?}")));
                if is_filled {
                    let address = std::ptr::from_mut(entry.insert(value)).addr();
                    self.inserted(key, id, address);
                } else {
                    assert!(!self.map.contains_key(key));
                }
            }
            Err(error) => self.assert_full(error),
        }
    }

    /// The expected result of inserting a key: success, an error, or, if `None`, either.
    fn fate(&self, key: K) -> Option<Result<(), ErrorKind>> {
        if self.is_foreign(key) {
            return Some(Err(ErrorKind::TypeId));
        }
        let (index, generation) = (key.index(), key.generation());
        let there = self.live.get(&index).map(|held| held.generation);
        let there = there.or(self.detached.get(&index).copied());
        let last = self.last.get(&index).copied().unwrap_or(0);
        if key.is_null() || generation <= last && there != Some(generation) {
            return Some(Err(ErrorKind::StaleKey));
        }
        if there.is_some() {
            return Some(Err(ErrorKind::Occupied));
        }
        if self.gave_back && generation <= self.highest() {
            return None;
        }
        let need = (index as usize).saturating_add(1);
        let named = self.config.max_len.is_some() || self.config.backed.is_some();
        let stride = SlotMap::<K, Value<PAD, T>>::STRIDE_BYTES;
        let near = ((64 << 20) / stride + 16 * (self.live.len() + 1)).max(self.map.capacity());
        // On 32-bit systems.
        let overflows = need.saturating_mul(stride) > isize::MAX as usize;
        Some(match need {
            _ if named && need > self.map.max_len() && overflows => {
                Err(ErrorKind::CapacityOverflow)
            }
            _ if named && need > self.map.max_len() => Err(ErrorKind::MaxLen),
            _ if need > near => Err(ErrorKind::FarIndex),
            _ => Ok(()),
        })
    }

    fn insert_at(&mut self, key: K) {
        let (index, fate) = (key.index(), self.fate(key));
        if index >= Self::SPAN && !matches!(fate, Some(Err(_))) {
            return;
        }
        let value = self.value();
        let id = value.id;
        let result = self.map.try_insert_at(key, value);
        if let Err(refused) = &result {
            assert_eq!(refused.value.id, id);
        }
        let kind = result.map_err(|refused| refused.error.kind());
        assert!(fate.is_none_or(|fate| fate == kind), "{key:?}: {kind:?}, not {fate:?}");
        if kind.is_err() {
            return;
        }
        let generation = key.generation();
        if index >= self.len {
            self.holes.extend(self.len..index);
            self.len = index + 1;
        } else {
            assert!(self.holes.remove(&index));
        }
        self.last.insert(index, generation);
        self.hold(key.with_tag(self.minted()), id);
    }

    /// A key finds a value now for the first time.
    fn hold(&mut self, key: K, id: u32) {
        let (index, generation) = (key.index(), key.generation());
        assert_eq!(key.tag(), self.minted());
        assert_eq!(self.made.insert((index, generation), id), None, "{key:?} was made before");
        let address = self.address(key);
        self.live.insert(index, Held { generation, id, address });
        self.keys.push(key);
    }

    fn invalidate(&mut self, key: K) {
        let result = self.map.try_invalidate(key);
        match self.held(key) {
            None => assert_eq!(result, Ok(None)),
            Some(held) if held.generation == Self::LAST => {
                let error = result.expect_err("no generation is left");
                assert_eq!(error.kind(), ErrorKind::Generations);
                assert_eq!(error.limit(), Some(Self::LAST.into()));
            }
            Some(held) => {
                let new = result.expect("there are generations").expect("it is there");
                assert_eq!((new.index(), new.generation()), (key.index(), held.generation + 1));
                self.last.insert(new.index(), new.generation());
                self.hold(new, held.id);
                assert_eq!(self.live[&new.index()].address, held.address, "it moved");
            }
        }
    }

    /// The number of values that compacting moves to holes before them.
    fn moves(&self) -> usize {
        let pairs = self.holes.iter().zip(self.live.keys().rev());
        pairs.take_while(|(hole, last)| hole < last).count()
    }

    fn compact(&mut self, bytes: Option<u16>, panic_after: Option<Count>) {
        let expected = self.moves();
        let stride = SlotMap::<K, Value<PAD, T>>::STRIDE_BYTES;
        // The first move is always made, whatever it costs.
        let paid = bytes.map_or(usize::MAX, |bytes| {
            let bytes = usize::from(bytes);
            (bytes / stride).max(usize::from(bytes > 0))
        });
        let limit = panic_after.map_or(usize::MAX, |count| count.get() as usize);
        let mut moves = Vec::new();
        let run = || {
            let rekey = |old, new| {
                moves.push((old, new));
                if moves.len() > limit {
                    resume_unwind(Box::new(()));
                }
            };
            match bytes {
                None => {
                    self.map.compact(rekey);
                    true
                }
                Some(bytes) => self.map.compact_within(Budget::bytes(bytes.into()), rekey),
            }
        };
        let is_done = catch_unwind(AssertUnwindSafe(run)).ok();
        let made = expected.min(paid).min(limit.saturating_add(1));
        assert_eq!(moves.len(), made);
        assert_eq!(is_done, (made <= limit).then_some(made == expected), "{made} of {expected}");
        for (old, new) in moves {
            self.moved(old, new);
        }
    }

    fn moved(&mut self, old: K, new: K) {
        let (from, to) = (old.index(), new.index());
        let held = self.held(old).expect("it was there");
        assert_eq!(Some(&from), self.live.keys().next_back(), "not the last value");
        assert_eq!(Some(to), self.holes.pop_first(), "not into the first hole");
        let last = self.last.insert(to, new.generation()).unwrap_or(0);
        assert!(new.generation() > last && (self.gave_back || new.generation() == last + 1));
        self.removed(from);
        self.hold(new, held.id);
    }

    fn extract_if(&mut self, choice: Choice, steps: Count) {
        let named: Vec<_> = self.items().into_iter().filter(|item| choice.names(item.2)).collect();
        let mut taken = self.map.extract_if(|_, value| choice.names(value.id));
        let mut found = Vec::new();
        for _ in 0..steps.get() {
            assert!(taken.size_hint().1 >= Some(named.len() - found.len()));
            let item = taken.next();
            let item = item.map(|(key, value)| (key.index(), key.generation(), value.id));
            assert_eq!(item, named.get(found.len()).copied());
            found.extend(item);
        }
        for (index, ..) in found {
            self.removed(index);
        }
    }
}
