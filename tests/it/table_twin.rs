//! A `Table`, and a model of its contents.

use crate::table_op::{Config, Hashing, Key, Op, Raw, Spread, set_spread, user_code, with_panic};
use stayput::{Budget, CommitAhead, DefaultKey, ErrorKind, Table, indices};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

#[path = "table_twin_rows.rs"]
mod rows;

/// What an indexed part owns. The table modifies parts without a drop in place.
pub(crate) trait Own: Debug + 'static {
    fn new(n: u8) -> Self;
}

/// A leak checker detects missing drops.
impl Own for Box<u8> {
    fn new(n: u8) -> Self {
        Box::new(n)
    }
}

impl Own for () {
    fn new(_: u8) -> Self {}
}

/// The indexed part.
#[derive(Debug)]
pub(crate) struct Who<O> {
    name: Key,
    team: Key,
    rank: Key,
    at: [f32; 2],
    _own: O,
}

impl<O: Own> Who<O> {
    fn new(Raw { name, team, rank, x, y }: Raw) -> Self {
        let (name, team, rank) = (Key(name % 64), Key(team % 5), Key(rank % 20));
        Self {
            name,
            team,
            rank,
            at: [f32::from(x), f32::from(y)].map(coordinate),
            _own: O::new(name.0),
        }
    }
}

impl<O: Own> Clone for Who<O> {
    fn clone(&self) -> Self {
        user_code();
        Self { _own: O::new(self.name.0), ..*self }
    }
}

/// Coordinates of all sizes, on the borders of cells and between them, and NaN.
fn coordinate(raw: f32) -> f32 {
    match raw {
        -128.0 => f32::NAN,
        127.0 => f32::INFINITY,
        126.0 => 1e30,
        raw => raw * 0.25,
    }
}

indices! {
    struct By<O> for Who<O> {
        name: Unique<Key, Hashing> = |who| {
            user_code();
            who.name
        },
        team: Many<Key, Hashing> = |who| &who.team,
        rank: List<Key, Hashing> = |who| &who.rank,
        at: Grid<2, cell = 1.0> = |who| {
            user_code();
            who.at
        },
    }
}

type Row<O> = (Who<O>, u32);

/// A row of the model.
#[derive(Clone, Debug)]
struct Known {
    raw: Raw,
    at: [f32; 2],
    rest: u32,
}

impl Known {
    fn new(raw: Raw, rest: u32) -> Self {
        Self { raw, at: Who::<()>::new(raw).at, rest }
    }

    const fn name(&self) -> u8 {
        self.raw.name % 64
    }

    const fn team(&self) -> u8 {
        self.raw.team % 5
    }

    const fn rank(&self) -> u8 {
        self.raw.rank % 20
    }
}

pub(crate) struct Twin<O: Own> {
    table: Table<Row<O>, By<O>>,
    model: BTreeMap<DefaultKey, Known>,
    /// All keys that ever existed.
    keys: Vec<DefaultKey>,
    made: u32,
    max_len: Option<u8>,
}

impl<O: Own> Twin<O> {
    fn made(config: Config) -> Table<Row<O>, By<O>> {
        let mut builder = Table::builder();
        if let Some(max_len) = config.max_len {
            builder = builder.max_len(max_len.into());
        }
        if config.is_ahead {
            builder = builder.commit_ahead(CommitAhead::Auto);
        }
        builder.build()
    }

    pub(crate) fn run(config: Config, ops: &[Op]) {
        set_spread(config.spread);
        let (table, max_len) = (Self::made(config), config.max_len);
        let mut twin = Self { table, model: BTreeMap::new(), keys: vec![], made: 0, max_len };
        for op in ops {
            twin.step(*op);
        }
        twin.compare();
        set_spread(Spread::All);
    }

    fn key(&self, which: u16) -> DefaultKey {
        let keys = &self.keys;
        keys.get(usize::from(which) % keys.len().max(1)).copied().unwrap_or_default()
    }

    /// Returns `true` if another row has the name.
    fn is_taken(&self, name: u8, but: Option<DefaultKey>) -> bool {
        self.model.iter().any(|(key, known)| known.name() == name && Some(*key) != but)
    }

    /// Why another row with the name is refused, if it is.
    fn refusal(&self, name: u8) -> Option<ErrorKind> {
        if self.max_len.is_some_and(|max_len| self.model.len() == usize::from(max_len)) {
            return Some(ErrorKind::MaxLen);
        }
        self.is_taken(name, None).then_some(ErrorKind::Taken)
    }

    fn note(&mut self, key: DefaultKey, known: Known) {
        assert_eq!(self.refusal(known.name()), None);
        self.keys.push(key);
        assert!(self.model.insert(key, known).is_none());
    }

    fn insert(&mut self, raw: Raw) {
        self.made += 1;
        let row = (Who::new(raw), self.made);
        let known = Known::new(raw, self.made);
        match self.table.try_insert(row) {
            Ok(key) => self.note(key, known),
            Err(refused) => {
                let kind = refused.error.kind();
                assert_eq!(Some(kind), self.refusal(known.name()));
                assert!(kind != ErrorKind::Taken || refused.error.limit() == Some(0));
                assert_eq!(refused.value.1, self.made);
            }
        }
    }

    fn replace(&mut self, key: DefaultKey, raw: Raw) {
        self.made += 1;
        let known = Known::new(raw, self.made);
        let result = self.table.try_replace(key, (Who::new(raw), self.made));
        match (result, self.model.get(&key).cloned()) {
            (Ok(old), Some(was)) => {
                assert_eq!(old.1, was.rest);
                assert!(!self.is_taken(known.name(), Some(key)));
                self.model.insert(key, known);
            }
            (Err(refused), Some(_)) => {
                assert_eq!(refused.error.kind(), ErrorKind::Taken);
                assert!(self.is_taken(known.name(), Some(key)));
            }
            (Err(refused), None) => assert_eq!(refused.error.kind(), ErrorKind::StaleKey),
            (Ok(_), None) => panic!("the model has no such row"),
        }
    }

    fn modify(&mut self, key: DefaultKey, raw: Raw) {
        let result = self.table.try_modify(key, |who| *who = Who::new(raw));
        let is_taken = self.is_taken(raw.name % 64, Some(key));
        match (result, self.model.get_mut(&key)) {
            (Ok(Some(())), Some(known)) => {
                assert!(!is_taken);
                *known = Known::new(raw, known.rest);
            }
            (Err(error), Some(_)) => {
                assert_eq!((error.kind(), is_taken), (ErrorKind::Taken, true));
            }
            (Ok(None), None) => {}
            (result, known) => panic!("{result:?} for {known:?}"),
        }
    }

    fn take(&mut self, name: u8) {
        let taken = self.table.take(|by| &by.name, &Key(name));
        let known = self.keys_where(|known| known.name() == name).pop_first();
        assert_eq!(taken.as_ref().map(|(key, _)| *key), known);
        if let Some((key, (_, rest))) = taken {
            assert_eq!(self.model.remove(&key).map(|known| known.rest), Some(rest));
        }
    }

    fn step(&mut self, op: Op) {
        match op {
            Op::Insert(raw) => self.insert(raw),
            Op::InsertSome(raw, count) => {
                for number in 0..count % 32 {
                    let raw = Raw { name: raw.name.wrapping_add(number), ..raw };
                    self.insert(raw);
                }
            }
            Op::Remove(which) => {
                let key = self.key(which);
                let (row, known) = (self.table.remove(key), self.model.remove(&key));
                assert_eq!(row.map(|row| row.1), known.map(|known| known.rest));
            }
            Op::Take(name) => self.take(name % 64),
            Op::Replace(which, raw) => self.replace(self.key(which), raw),
            Op::Modify(which, raw) => self.modify(self.key(which), raw),
            Op::Move(which, x, y) => {
                let key = self.key(which);
                if let Some(known) = self.model.get(&key) {
                    let raw = Raw { x, y, ..known.raw };
                    self.modify(key, raw);
                }
            }
            Op::PanicInsert(after, raw) => self.panicking(after, |twin| twin.insert(raw)),
            Op::PanicReplace(after, which, raw) => {
                self.panicking(after, |twin| twin.replace(twin.key(which), raw));
            }
            Op::PanicModify(after, which, raw) => {
                self.panicking(after, |twin| twin.modify(twin.key(which), raw));
            }
            Op::PanicModifyBoth(after, which, raw, new) => {
                let key = self.key(which);
                if self.panics(after, |twin| twin.modify_both(key, raw, new)) {
                    // A change to what is not indexed may stay.
                    let is_new = self.table.get(key).is_some_and(|row| row.1 == new);
                    if let Some(known) = self.model.get_mut(&key).filter(|_| is_new) {
                        known.rest = new;
                    }
                    self.compare();
                }
            }
            Op::PanicTake(after, name) => {
                self.panicking(after, |twin| twin.take(name % 64));
            }
            Op::InsertWithKey(raw) => self.insert_with_key(raw),
            Op::InsertMany(raw, count) => self.insert_many(raw, count % 16),
            Op::ModifyBoth(which, raw, rest) => self.modify_both(self.key(which), raw, rest),
            Op::Find(_)
            | Op::FindTeam(_)
            | Op::FindRank(_)
            | Op::Within(..)
            | Op::InBox(..)
            | Op::Nearest(..)
            | Op::NearestWhere(..)
            | Op::Pairs(_) => self.look(op),
            _ => self.change_many(op),
        }
    }

    /// Continues with a clone, and empties the original.
    fn become_copy(&mut self) {
        let copy = self.table.clone();
        self.table.clear();
        self.table = copy;
    }

    /// A change that panics has no effect, so the model skips it, unless it panics after the last user code.
    fn panicking(&mut self, after: u8, change: impl FnOnce(&mut Self)) {
        if self.panics(after, change) {
            self.compare();
        }
    }

    /// Returns `true` if the change panics.
    fn panics(&mut self, after: u8, change: impl FnOnce(&mut Self)) -> bool {
        let (before, made) = (self.model.clone(), self.made);
        let panicked = with_panic(after % 24, || change(self));
        if panicked {
            (self.model, self.made) = (before, made);
        }
        panicked
    }

    fn memory(&mut self, count: u8) {
        let budget = Budget::bytes(usize::from(count) << 8);
        match count % 8 {
            0 => self.table.try_shrink_to_fit().unwrap(),
            1 => drop(self.table.shrink_to_fit_within(budget).unwrap()),
            2 => drop(self.table.trim_within(budget).unwrap()),
            3 => assert_eq!(self.table.prefault_ahead(budget).refused, None),
            _ => {
                let done = match count % 8 {
                    4 => self.table.try_prefault(count.into()),
                    5 => self.table.try_reserve_exact(count.into()),
                    _ => self.table.try_reserve(count.into()),
                };
                let room = self.max_len.map(|max_len| usize::from(max_len) - self.model.len());
                assert_eq!(done.is_ok(), room.is_none_or(|room| usize::from(count) <= room));
            }
        }
        assert_eq!(self.table.stats().live, self.model.len());
    }

    fn change_many(&mut self, op: Op) {
        match op {
            Op::RemoveTeam(team) => {
                let count = self.table.remove_all(|by| &by.team, &Key(team % 5));
                let before = self.model.len();
                self.model.retain(|_, known| known.team() != team % 5);
                assert_eq!(count, before - self.model.len());
            }
            Op::RemoveRank(rank) => {
                let count = self.table.remove_all(|by| &by.rank, &Key(rank % 20));
                let before = self.model.len();
                self.model.retain(|_, known| known.rank() != rank % 20);
                assert_eq!(count, before - self.model.len());
            }
            Op::Retain(of) => {
                let of = of % 7 + 2;
                self.table.retain(|_, row| row.0.name.0 % of != 0);
                self.model.retain(|_, known| known.name() % of != 0);
            }
            Op::ShiftAll(by) => {
                self.table.for_each_mut(|_, who| who.at[0] += f32::from(by));
                self.model.values_mut().for_each(|known| known.at[0] += f32::from(by));
            }
            Op::NameAll(name) => {
                let name = Key(name % 64);
                let done = self.table.try_for_each_mut(|_, who| who.name = name);
                let mut refused = false;
                // In the order of slots, which is the order of keys by their index.
                for key in self.by_slot() {
                    refused |= self.is_taken(name.0, Some(key));
                    if !refused {
                        self.model.get_mut(&key).unwrap().raw.name = name.0;
                    }
                }
                assert_eq!(done.is_err(), refused);
            }
            Op::Reindex => self.table.reindex(),
            Op::Clear => {
                self.table.clear();
                self.model.clear();
            }
            Op::Trim => self.table.trim(),
            Op::Memory(count) => self.memory(count),
            Op::Clone => {
                self.become_copy();
                self.compare();
            }
            Op::PanicClone(after) => self.panicking(after, Self::become_copy),
            _ => self.change_rest(op),
        }
    }

    fn keys_where(&self, is_meant: impl Fn(&Known) -> bool) -> BTreeSet<DefaultKey> {
        self.model.iter().filter(|(_, known)| is_meant(known)).map(|(key, _)| *key).collect()
    }

    fn look(&self, op: Op) {
        /// None of them twice.
        fn all<'r, R: 'r>(
            found: impl Iterator<Item = (DefaultKey, &'r R)>,
        ) -> BTreeSet<DefaultKey> {
            let mut keys = BTreeSet::new();
            found.for_each(|(key, _)| assert!(keys.insert(key), "{key:?} twice"));
            keys
        }
        match op {
            Op::Find(name) => {
                let name = name % 64;
                let found = self.table.find(|by| &by.name, &Key(name)).map(|(key, _)| key);
                assert_eq!(
                    found.into_iter().collect::<BTreeSet<_>>(),
                    self.keys_where(|known| known.name() == name)
                );
            }
            Op::FindTeam(team) => {
                let team = team % 5;
                let meant = self.keys_where(|known| known.team() == team);
                assert_eq!(self.table.count(|by| &by.team, &Key(team)), meant.len());
                assert_eq!(all(self.table.find_all(|by| &by.team, &Key(team))), meant);
            }
            Op::FindRank(rank) => {
                let rank = rank % 20;
                let meant = self.keys_where(|known| known.rank() == rank);
                assert_eq!(self.table.count(|by| &by.rank, &Key(rank)), meant.len());
                assert_eq!(all(self.table.find_all(|by| &by.rank, &Key(rank))), meant);
            }
            Op::Within(x, y, radius) => {
                let (at, radius) =
                    ([x, y].map(|raw| f32::from(raw) * 0.25), f32::from(radius) * 0.25);
                let meant = self.keys_where(|known| distance(known.at, at) <= radius * radius);
                assert_eq!(all(self.table.within(|by| &by.at, at, radius)), meant);
            }
            Op::InBox(x, y, width, height) => {
                let min = [x, y].map(|raw| f32::from(raw) * 0.25);
                let max = [min[0] + f32::from(width) * 0.25, min[1] + f32::from(height) * 0.25];
                let meant = self.keys_where(|known| {
                    (0..2).all(|axis| min[axis] <= known.at[axis] && known.at[axis] <= max[axis])
                });
                assert_eq!(all(self.table.in_box(|by| &by.at, min, max)), meant);
            }
            Op::Nearest(x, y, most) => self.nearest([x, y], most, |_| true),
            Op::NearestWhere(x, y, most, of) => {
                self.nearest([x, y], most, |name| name % (of % 5 + 2) != 0);
            }
            Op::Pairs(radius) => self.pairs(f32::from(radius % 64) * 0.25),
            _ => unreachable!("it is done elsewhere"),
        }
    }

    fn nearest(&self, at: [i8; 2], most: u8, is_meant: impl Fn(u8) -> bool) {
        let (at, most) = (at.map(|raw| f32::from(raw) * 0.25), usize::from(most % 40));
        let mut meant: Vec<f32> = self
            .model
            .values()
            .filter(|known| is_meant(known.name()))
            .map(|known| distance(known.at, at))
            .filter(|distance| !distance.is_nan())
            .collect();
        meant.sort_by(f32::total_cmp);
        meant.truncate(most);
        let accept = |_, (who, _): &Row<O>| is_meant(who.name.0);
        let found: Vec<f32> = self
            .table
            .nearest_where(|by| &by.at, at, most, accept)
            .map(|(_, row)| distance(row.0.at, at))
            .collect();
        assert_eq!(found, meant);
        if self.model.values().all(|known| is_meant(known.name())) {
            let all = self.table.nearest(|by| &by.at, at, most);
            assert!(all.map(|(_, row)| distance(row.0.at, at)).eq(meant));
        }
    }

    fn pairs(&self, radius: f32) {
        let mut found = BTreeSet::new();
        self.table.for_each_pair(
            |by| &by.at,
            radius,
            |(one, _), (other, _)| {
                assert!(found.insert((one.min(other), one.max(other))), "twice");
            },
        );
        let mut meant = BTreeSet::new();
        for (one, a) in &self.model {
            for (other, b) in self.model.range(*one..).skip(1) {
                let [x, y] = [a.at[0] - b.at[0], a.at[1] - b.at[1]];
                if x * x + y * y <= radius * radius {
                    meant.insert((*one, *other));
                }
            }
        }
        assert_eq!(found, meant);
    }

    fn compare(&self) {
        assert_eq!(self.table.check(), Ok(()));
        assert_eq!(
            (self.table.len(), self.table.rows().len()),
            (self.model.len(), self.model.len())
        );
        assert_eq!(self.table.is_empty(), self.model.is_empty());
        for (key, row) in &self.table {
            let known = &self.model[&key];
            assert_eq!(
                (row.0.name.0, row.0.team.0, row.0.rank.0, row.1),
                (known.name(), known.team(), known.rank(), known.rest)
            );
            assert_eq!(row.0.at.map(f32::to_bits), known.at.map(f32::to_bits));
        }
        for team in 0..5 {
            self.look(Op::FindTeam(team));
        }
        for rank in 0..20 {
            self.look(Op::FindRank(rank));
        }
        for name in 0..64 {
            self.look(Op::Find(name));
        }
    }
}

fn distance(a: [f32; 2], b: [f32; 2]) -> f32 {
    let [x, y] = [a[0] - b[0], a[1] - b[1]];
    x * x + y * y
}
