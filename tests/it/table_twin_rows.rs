//! The part of the model about rows with their keys, what is not indexed, and whole tables.

use super::*;
use crate::slot_map_op::at_fault;
use std::mem;

impl<O: Own> Twin<O> {
    pub(super) fn insert_with_key(&mut self, raw: Raw) {
        self.made += 1;
        let mut shown = None;
        let result = self.table.try_insert_with_key(|key| {
            shown = Some(key);
            (Who::new(raw), self.made)
        });
        let known = Known::new(raw, self.made);
        match result {
            Ok(key) => {
                assert_eq!(shown, Some(key));
                self.note(key, known);
            }
            Err(refused) => {
                assert_eq!(Some(refused.error.kind()), self.refusal(known.name()));
                assert_eq!(refused.value.map(|row| row.1), shown.map(|_| self.made));
            }
        }
    }

    pub(super) fn insert_many(&mut self, raw: Raw, count: u8) {
        let raws: Vec<Raw> =
            (0..count).map(|n| Raw { name: raw.name.wrapping_add(n), ..raw }).collect();
        let numbers = self.made + 1..;
        self.made += u32::from(count);
        let values = raws.iter().map(|raw| Who::new(*raw)).zip(numbers.clone());
        let mut keys = Vec::new();
        let refused = self.table.try_insert_many(values, &mut keys).map_err(|refused| {
            let left: Vec<u32> = refused.value.map(|(_, rest)| rest).collect();
            (refused.error.kind(), left)
        });
        for ((key, raw), rest) in keys.iter().zip(&raws).zip(numbers) {
            self.note(*key, Known::new(*raw, rest));
        }
        match refused {
            Ok(()) => assert_eq!(keys.len(), raws.len()),
            Err((kind, left)) => {
                assert_eq!(Some(kind), self.refusal(raws[keys.len()].name % 64));
                assert_eq!((left.len() + keys.len(), left.last()), (raws.len(), Some(&self.made)));
            }
        }
    }

    pub(super) fn modify_both(&mut self, key: DefaultKey, raw: Raw, new: u32) {
        let result = self.table.try_modify_both(key, |who, rest| {
            *who = Who::new(raw);
            mem::replace(rest, new)
        });
        let is_taken = self.is_taken(raw.name % 64, Some(key));
        match (result, self.model.get_mut(&key)) {
            (Ok(Some(old)), Some(known)) => {
                assert!(!is_taken && old == known.rest);
                *known = Known::new(raw, new);
            }
            (Err(error), Some(known)) => {
                assert_eq!((error.kind(), is_taken), (ErrorKind::Taken, true));
                known.rest = new;
            }
            (Ok(None), None) => {}
            (result, known) => panic!("{result:?} for {known:?}"),
        }
    }

    /// All keys, in the order of slots.
    pub(super) fn by_slot(&self) -> Vec<DefaultKey> {
        let mut keys: Vec<DefaultKey> = self.model.keys().copied().collect();
        keys.sort_by_key(stayput::Key::index);
        keys
    }

    pub(super) fn change_rest(&mut self, op: Op) {
        match op {
            Op::Rest(which, rest) => {
                let key = self.key(which);
                let mine = self.table.get_mut(key).map(|(_, rest)| rest);
                let known = self.model.get_mut(&key);
                assert_eq!(mine.is_some(), known.is_some());
                if let Some((mine, known)) = mine.zip(known) {
                    (*mine, known.rest) = (rest, rest);
                }
            }
            Op::FindRest(name, new) => {
                let found = self.table.find_mut(|by| &by.name, &Key(name % 64));
                let found = found.map(|(key, (who, rest))| {
                    assert_eq!(who.name.0, name % 64);
                    (key, mem::replace(rest, new))
                });
                let key = self.keys_where(|known| known.name() == name % 64).pop_first();
                let known = key.and_then(|key| self.model.get_mut(&key));
                let old = known.map(|known| mem::replace(&mut known.rest, new));
                assert_eq!(found, key.zip(old));
            }
            Op::DisjointRest(which, new) => {
                let keys = which.map(|which| self.key(which));
                let rests = keys.map(|key| self.model.get(&key).map(|known| known.rest));
                let fault = at_fault(&keys, &rests);
                let found = self.table.try_get_disjoint_mut(keys);
                assert_eq!(found.as_ref().err(), fault.as_ref());
                if let Ok(rows) = found {
                    assert_eq!(rows.map(|(_, rest)| Some(mem::replace(rest, new))), rests);
                    for key in keys {
                        self.model.get_mut(&key).expect("it was found").rest = new;
                    }
                }
                assert_eq!(self.table.get_disjoint_mut(keys).is_none(), fault.is_some());
            }
            Op::ManyRest(which, new) => {
                let keys = which.map(|which| self.key(which));
                let mut found = Vec::new();
                self.table.get_many_mut(keys, |key, row| {
                    found.push((key, row.map(|(_, rest)| mem::replace(rest, new))));
                });
                for (key, found) in keys.into_iter().zip(found) {
                    let known = self.model.get_mut(&key);
                    let old = known.map(|known| mem::replace(&mut known.rest, new));
                    assert_eq!(found, (key, old));
                }
            }
            Op::AllRest(by, with_keys) => {
                let by = u32::from(by);
                let change = |known: &mut u32| *known = known.wrapping_add(by);
                if with_keys {
                    let keys = self.table.iter_mut().map(|(key, (_, rest))| {
                        change(rest);
                        key
                    });
                    let keys: Vec<_> = keys.collect();
                    assert_eq!(keys, self.by_slot());
                } else {
                    self.table.values_mut().for_each(|(_, rest)| change(rest));
                }
                self.model.values_mut().for_each(|known| change(&mut known.rest));
            }
            Op::ShiftAllBoth(by, more) => {
                self.table.for_each_both_mut(|_, who, rest| {
                    who.at[0] += f32::from(by);
                    *rest = rest.wrapping_add(more.into());
                });
                for known in self.model.values_mut() {
                    known.at[0] += f32::from(by);
                    known.rest = known.rest.wrapping_add(more.into());
                }
            }
            _ => self.change_whole(op),
        }
    }

    fn change_whole(&mut self, op: Op) {
        match op {
            Op::RemoveMany(which) => {
                let keys = which.map(|which| self.key(which));
                let before = self.model.len();
                let removed = self.table.remove_many(keys);
                for key in keys {
                    self.model.remove(&key);
                }
                assert_eq!(removed, before - self.model.len());
            }
            Op::ExtractIf(of, most) => {
                let of = of % 7 + 1;
                let is_meant = |rank: u8| rank % of == 0;
                let found = self.table.extract_if(|_, row| is_meant(row.0.rank.0));
                let found: Vec<_> =
                    found.take(most.into()).map(|(key, row)| (key, row.1)).collect();
                let keys = self.by_slot().into_iter();
                let keys = keys.filter(|key| is_meant(self.model[key].rank())).take(most.into());
                let keys: Vec<_> = keys.collect();
                let removed = keys
                    .into_iter()
                    .map(|key| (key, self.model.remove(&key).expect("it is there").rest));
                assert_eq!(removed.collect::<Vec<_>>(), found);
            }
            Op::SetCell(size) => self.table.set_cell(|by| &by.at, 0.5 + f32::from(size % 32) * 0.5),
            Op::Rebuild(raw) => self.rebuild(raw),
            Op::Drain(most, forget) => {
                let mut rest = self.by_slot().into_iter();
                let mut drain = self.table.drain();
                for _ in 0..most {
                    assert_eq!(drain.len(), self.model.len());
                    let expected = rest
                        .next()
                        .and_then(|key| self.model.remove(&key).map(|known| (key, known.rest)));
                    assert_eq!(drain.next().map(|(key, row)| (key, row.1)), expected);
                }
                if forget {
                    mem::forget(drain);
                } else {
                    drop(drain);
                    self.model.clear();
                }
                self.compare();
            }
            Op::IntoIter => {
                let clone = self.table.clone();
                let rows = clone.into_iter().map(|(key, row)| (key, row.1));
                let known = |key| (key, self.model[&key].rest);
                assert!(rows.eq(self.by_slot().into_iter().map(known)));
                assert!(self.table.keys().eq(self.by_slot()));
                let rests = self.by_slot().into_iter().map(|key| self.model[&key].rest);
                assert!(self.table.values().map(|row| row.1).eq(rests));
            }
            _ => unreachable!("it is done elsewhere"),
        }
    }

    fn rebuild(&mut self, raw: Option<Raw>) {
        let mut rows = mem::take(&mut self.table).into_rows();
        let raw = raw.filter(|raw| self.refusal(raw.name % 64) != Some(ErrorKind::MaxLen));
        let added = raw.map(|raw| {
            self.made += 1;
            (rows.insert((Who::new(raw), self.made)), Known::new(raw, self.made))
        });
        let refused = added.as_ref().and_then(|(_, known)| self.refusal(known.name()));
        match (Table::try_from_rows(rows), added) {
            (Ok(table), added) => {
                assert_eq!(refused, None);
                self.table = table;
                if let Some((key, known)) = added {
                    self.note(key, known);
                }
            }
            (Err(no), added) => {
                assert_eq!(Some(no.error.kind()), refused);
                let mut rows = no.value;
                let (key, known) = added.expect("it is refused");
                assert_eq!(rows.remove(key).map(|row| row.1), Some(known.rest));
                self.keys.push(key);
                let table = Table::try_from_rows(rows);
                self.table = table.unwrap_or_else(|no| panic!("{}", no.error));
            }
        }
        self.compare();
    }
}
