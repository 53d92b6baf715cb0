//! Two maps side by side in parallel, both to be changed.

#![forbid(unsafe_code)]

use crate::key::Key;
use crate::secondary::SecondaryMap;
use crate::slot_map::SlotMap;
use crate::slot_map::iter::{Walk, WalkMut, key_of};
use rayon::iter::ParallelIterator;
use rayon::iter::plumbing::{Folder, UnindexedConsumer, UnindexedProducer, bridge_unindexed};
use std::fmt;
use std::marker::PhantomData;

/// The values that two maps have for the same keys, in parallel, both to be changed; made by
/// `par_join_mut`.
#[must_use = "iterators are lazy"]
pub struct ParJoinMut<'a, K: Key, V, W> {
    walks: Walks<'a, V, W>,
    key: PhantomData<fn() -> K>,
}

/// A part of both maps, of the same words.
struct Walks<'a, V, W> {
    one: WalkMut<'a, V>,
    other: WalkMut<'a, W>,
}

struct Producer<'a, K, V, W> {
    walks: Walks<'a, V, W>,
    key: PhantomData<fn() -> K>,
}

impl<'a, K: Key + Send, V: Send, W: Send> UnindexedProducer for Producer<'a, K, V, W> {
    type Item = (K, &'a mut V, &'a mut W);

    fn split(self) -> (Self, Option<Self>) {
        let Walks { one, other } = self.walks;
        let part = |one, other| Self { walks: Walks { one, other }, key: PhantomData };
        let Some(middle) = one.middle_word() else { return (part(one, other), None) };
        let (left, right) = one.split_at_word(middle);
        let (other_left, other_right) = other.split_at_word(middle);
        (part(left, other_left), Some(part(right, other_right)))
    }

    fn fold_with<F: Folder<Self::Item>>(self, mut folder: F) -> F {
        let Walks { mut one, mut other } = self.walks;
        let Some(mut second) = other.step() else { return folder };
        while !folder.full() {
            let Some((index, generation, value)) = one.step() else { break };
            while second.0 < index {
                let Some(next) = other.step() else { return folder };
                second = next;
            }
            if (second.0, second.1) != (index, generation) {
                continue;
            }
            folder = folder.consume((key_of(index, generation), value, second.2));
            let Some(next) = other.step() else { break };
            second = next;
        }
        folder
    }
}

impl<'a, K: Key + Send, V: Send, W: Send> ParallelIterator for ParJoinMut<'a, K, V, W> {
    type Item = (K, &'a mut V, &'a mut W);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        bridge_unindexed(Producer { walks: self.walks, key: PhantomData }, consumer)
    }
}

impl<K: Key, V, W> fmt::Debug for ParJoinMut<'_, K, V, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParJoinMut").finish_non_exhaustive()
    }
}

/// A map with `walk_mut`, beside a secondary map.
macro_rules! join {
    ($map:ident: $(#[$example:meta])*) => {
        impl<K: Key + Send, V: Send> $map<K, V> {
            /// The values of all keys that have one here and in `other`, in parallel, both to be changed;
            /// in the order of addresses. Linear in the slots of both. Needs the feature `rayon`.
            ///
            /// # Examples
            ///
            $(#[$example])*
            pub fn par_join_mut<'a, W: Send>(
                &'a mut self,
                other: &'a mut SecondaryMap<K, W>,
            ) -> ParJoinMut<'a, K, V, W> {
                let walks = Walks { one: self.walk_mut(), other: other.walk_mut() };
                ParJoinMut { walks, key: PhantomData }
            }
        }
    };
}

join! {
    SlotMap:
    /// ```
    /// use rayon::prelude::*;
    /// use stayput::{SecondaryMap, SlotMap};
    ///
    /// let (mut names, mut ages) = (SlotMap::new(), SecondaryMap::new());
    /// let [ann, ben] = ["Ann", "Ben"].map(|name| names.insert(name.to_owned()));
    /// ages.insert(ann, 30);
    /// names.par_join_mut(&mut ages).for_each(|(_, name, age)| {
    ///     *age += 1;
    ///     name.push_str(" (aged)");
    /// });
    /// assert_eq!((names[ann].as_str(), names[ben].as_str(), ages[ann]), ("Ann (aged)", "Ben", 31));
    /// ```
}

join! {
    SecondaryMap:
    /// ```
    /// # use rayon::prelude::*;
    /// # use stayput::{DefaultKey, SecondaryMap, SlotMap};
    /// let map: SlotMap<DefaultKey, u64> = (0..1000).collect();
    /// let mut one: SecondaryMap<_, u64> = map.iter().map(|(key, n)| (key, *n)).collect();
    /// let mut other = one.clone();
    /// one.par_join_mut(&mut other).for_each(|(_, a, b)| std::mem::swap(a, b));
    /// ```
}
