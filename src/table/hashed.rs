//! [`Hashed`]: indices that find values by hash: [`Unique`], [`Many`] and [`List`].

use super::indices::{Extract, Index, Row, TryClone};
use crate::error::Error;
use crate::index::memory::{Arrays, forward_arrays};
use crate::index::{ListIndex, Plan, SetIndex, UniqueIndex, list, set};
use crate::key::Key;
use crate::slot_map::SlotMap;
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash, RandomState};
use std::marker::PhantomData;

/// An index that finds values by hash; the type behind [`Unique`], [`Many`] and [`List`].
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// indices! {
///     struct WordBy for &'static str {
///         word: Unique<str> = |word| *word,
///         length: Many<usize> = |word| word.len(),
///     }
/// }
///
/// let words: Table<&str, WordBy> = ["to", "be", "or", "not"].into();
/// // Both fields of `WordBy` are of this type.
/// assert!(words.find(|by| &by.word, "be").is_some());
/// assert_eq!(words.find_all(|by| &by.length, &2).count(), 3);
/// ```
pub struct Hashed<X, const FIELD: usize, I, P> {
    index: I,
    /// The planned place of a slot; `None` if the slot keeps its place.
    planned: Option<P>,
    of: PhantomData<fn() -> X>,
}

/// An index of values that at most one row has, declared in [`indices!`](crate::indices) as, for example,
/// `Unique<str>`.
///
/// It is searched by [`Table::find`](super::Table::find). Hashes are seeded randomly, unless a hasher is named after
/// the type of the values, as in `Unique<str, FxBuildHasher>`.
///
/// # Examples
///
/// ```
/// use stayput::{ErrorKind, Table, indices};
///
/// indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
///
/// let mut table: Table<(u32, char), By> = Table::new();
/// table.insert((7, 'a'));
/// assert_eq!(table.find(|by| &by.number, &7).unwrap().1, &(7, 'a'));
/// assert_eq!(table.try_insert((7, 'b')).unwrap_err().error.kind(), ErrorKind::Taken);
/// ```
pub type Unique<X, const FIELD: usize, S = RandomState> = Hashed<X, FIELD, UniqueIndex<S>, u32>;

/// An index of values that any number of rows may have, declared in [`indices!`](crate::indices) as, for example,
/// `Many<u32>` or `List<u32>`.
///
/// It is searched by [`Table::find_all`](super::Table::find_all).
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// indices! {
///     struct By for (char, u32) {
///         team: Many<char> = |row| &row.0,
///         room: List<u32> = |row| &row.1,
///     }
/// }
///
/// let players: Table<(char, u32), By> = [('a', 1), ('b', 1), ('a', 2)].into();
/// assert_eq!(players.find_all(|by| &by.team, &'a').count(), 2);
/// assert_eq!(players.find_all(|by| &by.room, &2).count(), 1);
/// ```
pub type Sets<X, const FIELD: usize, I> = Hashed<X, FIELD, I, Plan>;

/// Sets of slots in chunks of one cache line; see [`SetIndex`].
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// indices! { struct By for (char, u32) { team: Many<char> = |row| &row.0, } }
///
/// let mut scores: Table<(char, u32), By> = [('a', 10), ('b', 20), ('a', 30)].into();
/// let of_team = scores.find_all(|by| &by.team, &'a').map(|(_, row)| row.1);
/// assert_eq!(of_team.sum::<u32>(), 40);
/// assert_eq!(scores.remove_all(|by| &by.team, &'a'), 2);
/// ```
pub type Many<X, const FIELD: usize, S = RandomState> = Sets<X, FIELD, SetIndex<S>>;

/// Sets of slots as linked lists; see [`ListIndex`].
///
/// # Examples
///
/// ```
/// use stayput::{Table, indices};
///
/// indices! { struct By for (char, u32) { team: List<char> = |row| &row.0, } }
///
/// let mut scores: Table<(char, u32), By> = [('a', 10), ('b', 20), ('a', 30)].into();
/// let of_team = scores.find_all(|by| &by.team, &'a').map(|(_, row)| row.1);
/// assert_eq!(of_team.sum::<u32>(), 40);
/// assert_eq!(scores.remove_all(|by| &by.team, &'a'), 2);
/// ```
pub type List<X, const FIELD: usize, S = RandomState> = Sets<X, FIELD, ListIndex<S>>;

/// A kind of set: [`SetIndex`] or [`ListIndex`].
///
/// # Examples
///
/// A function for fields declared as [`Many`] or as [`List`]:
///
/// ```
/// use stayput::table::{Kind, Sets};
/// use stayput::{Table, indices};
///
/// indices! {
///     struct By for (char, u32) {
///         team: Many<char> = |row| &row.0,
///         room: List<u32> = |row| &row.1,
///     }
/// }
///
/// fn describe<X, const FIELD: usize, I: Kind>(_: &Sets<X, FIELD, I>) -> &'static str {
///     std::any::type_name::<I>().split('<').next().unwrap()
/// }
///
/// let by = By::default();
/// assert!(describe(&by.team).ends_with("SetIndex"));
/// assert!(describe(&by.room).ends_with("ListIndex"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an index of sets",
    note = "`stayput::indices!` declares indices with several rows per value as `Many<T>` or `List<T>`"
)]
pub trait Kind: sealed::Kind {}

impl<I: sealed::Kind> Kind for I {}

pub(super) mod sealed {
    use super::Hash;

    pub trait Kind {
        type Slots<'s>: Iterator<Item = u32>
        where
            Self: 's;

        fn count<Q: Hash + ?Sized>(&self, value: &Q, is_meant: impl FnMut(u32) -> bool) -> usize;

        fn find<Q: Hash + ?Sized>(
            &self,
            value: &Q,
            is_meant: impl FnMut(u32) -> bool,
        ) -> Self::Slots<'_>;
    }
}

/// Implements [`Index`] for an index that finds values by hash. The closures plan, commit, remove by hash, and find.
macro_rules! hashed {
    (
        $index:ident, $plan:ty, $shown:literal,
        |$plans:ident, $value:ident, $slot:ident, $is_meant:ident| $planned:expr,
        |$commits:ident, $at:ident, $to:ident| $commit:expr,
        |$removes:ident, $gone:ident, $hash:ident| $remove:expr,
        |$finds:ident, $part:ident, $there:ident, $is_it:ident| $is_found:expr $(,)?
    ) => {
        impl<X, const FIELD: usize, S: BuildHasher> Index<X::Row>
            for Hashed<X, FIELD, $index<S>, $plan>
        where
            X: Extract<FIELD, Key: Hash + Eq>,
        {
            #[inline]
            fn plan<K: Key, R: Row<X::Row>>(
                &mut self,
                slot: u32,
                new: &X::Row,
                old: Option<&X::Row>,
                rows: &SlotMap<K, R>,
            ) -> Result<(), Error> {
                self.planned = None;
                if old.is_some_and(|old| self.is_unchanged(slot, new, old)) {
                    return Ok(());
                }
                self.plan_value(slot, X::extract(new).borrow(), rows)
            }

            #[inline]
            fn is_unchanged(&self, slot: u32, new: &X::Row, old: &X::Row) -> bool {
                X::extract(old).borrow() == X::extract(new).borrow() && self.index.contains(slot)
            }

            #[inline]
            fn commit(&mut self, slot: u32) {
                if let Some($to) = self.planned.take() {
                    let ($commits, $at) = (&mut self.index, slot);
                    $commit;
                }
            }

            #[inline]
            fn remove(&mut self, slot: u32) {
                self.index.remove(slot);
            }

            #[inline]
            fn remove_found(&mut self, slot: u32, field: usize, hash: u32) {
                if field == FIELD {
                    let ($removes, $gone, $hash) = (&mut self.index, slot, hash);
                    $remove;
                } else {
                    self.index.remove(slot);
                }
            }

            fn clear(&mut self) {
                self.index.clear();
            }

            fn finds<K: Key, R: Row<X::Row>>(
                &self,
                slot: u32,
                part: &X::Row,
                rows: &SlotMap<K, R>,
            ) -> bool {
                let value = X::extract(part);
                let value = value.borrow();
                let $is_it = |slot| Self::has(slot, value, rows);
                let ($finds, $part, $there) = (&self.index, value, slot);
                $is_found
            }
        }

        impl<X, const FIELD: usize, S: BuildHasher> Hashed<X, FIELD, $index<S>, $plan>
        where
            X: Extract<FIELD, Key: Hash + Eq>,
        {
            /// Plans to list a slot by a value. Not inlined, so that the check whether this is needed is.
            #[inline(never)]
            fn plan_value<K: Key, R: Row<X::Row>>(
                &mut self,
                slot: u32,
                value: &X::Key,
                rows: &SlotMap<K, R>,
            ) -> Result<(), Error> {
                let $is_meant = |other| Self::has(other, value, rows);
                let ($plans, $value, $slot) = (&mut self.index, value, slot);
                self.planned = Some($planned);
                Ok(())
            }
        }

        impl<X, const FIELD: usize, S: Clone> TryClone for Hashed<X, FIELD, $index<S>, $plan> {
            fn try_clone(&self) -> Result<Self, Error> {
                Ok(Self { index: self.index.try_clone()?, planned: None, of: PhantomData })
            }
        }

        debug_as! {
            [X, const FIELD: usize, S] Hashed<X, FIELD, $index<S>, $plan>, $shown, |this| this.index
        }
    };
}

hashed! {
    UniqueIndex, u32, "Unique",
    |index, value, slot, has_it| {
        let hash = index.hash(value);
        if let Some(other) = index.find_hashed(hash, |other| other != slot && has_it(other)) {
            return Err(Error::taken(FIELD, other));
        }
        index.try_reserve_slot(slot)?;
        hash
    },
    |index, slot, hash| index.put_reserved(hash, slot),
    |index, slot, hash| index.remove_hashed(hash, slot),
    |index, value, slot, has_it| index.find(value, has_it) == Some(slot),
}

macro_rules! kind {
    ($index:ident, $slots:ty) => {
        hashed! {
            $index, Plan, "Sets",
            |index, value, slot, has_it| index.plan(value, slot, has_it)?,
            |index, slot, plan| index.commit(slot, plan),
            |index, slot, _hash| index.remove(slot),
            |index, value, slot, has_it| index.find(value, has_it).any(|found| found == slot),
        }

        impl<S: BuildHasher> sealed::Kind for $index<S> {
            type Slots<'s>
                = $slots
            where
                S: 's;

            #[inline]
            fn count<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> usize {
                Self::count(self, value, is_meant)
            }

            #[inline]
            fn find<Q: Hash + ?Sized>(
                &self,
                value: &Q,
                is_meant: impl FnMut(u32) -> bool,
            ) -> Self::Slots<'_> {
                Self::find(self, value, is_meant)
            }
        }
    };
}

kind!(SetIndex, set::Slots<'s>);
kind!(ListIndex, list::Slots<'s>);

impl<X, const FIELD: usize, I: Default, P> Default for Hashed<X, FIELD, I, P> {
    fn default() -> Self {
        Self { index: I::default(), planned: None, of: PhantomData }
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, I, P> Hashed<X, FIELD, I, P>
where
    X::Key: Hash + Eq,
{
    #[inline]
    fn has<Q, K, R>(slot: u32, value: &Q, rows: &SlotMap<K, R>) -> bool
    where
        X::Key: Borrow<Q>,
        Q: Eq + ?Sized,
        K: Key,
        R: Row<X::Row>,
    {
        let part = rows.in_slot(slot).map(R::part);
        part.is_some_and(|part| X::extract(part).borrow().borrow() == value)
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, S: BuildHasher> Unique<X, FIELD, S>
where
    X::Key: Hash + Eq,
{
    #[inline]
    pub(super) fn slot_of<Q, K, R>(&self, value: &Q, rows: &SlotMap<K, R>) -> Option<(u32, u32)>
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        K: Key,
        R: Row<X::Row>,
    {
        let hash = self.index.hash(value);
        let slot = self.index.find_hashed(hash, |slot| Self::has(slot, value, rows))?;
        Some((slot, hash))
    }
}

impl<X: Extract<FIELD>, const FIELD: usize, I: Kind> Sets<X, FIELD, I>
where
    X::Key: Hash + Eq,
{
    #[inline]
    pub(super) fn slots_of<Q, K, R>(&self, value: &Q, rows: &SlotMap<K, R>) -> I::Slots<'_>
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        K: Key,
        R: Row<X::Row>,
    {
        self.index.find(value, |slot| Self::has(slot, value, rows))
    }

    #[inline]
    pub(super) fn count<Q, K, R>(&self, value: &Q, rows: &SlotMap<K, R>) -> usize
    where
        X::Key: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        K: Key,
        R: Row<X::Row>,
    {
        self.index.count(value, |slot| Self::has(slot, value, rows))
    }
}

forward_arrays!([X, const FIELD: usize, I: Arrays, P] Hashed<X, FIELD, I, P>, index);
