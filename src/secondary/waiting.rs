//! [`Waiting`]: values that come together with others, and have far indices until those are there.

use super::SecondaryMap;
use crate::error::{Error, ErrorKind};
use crate::key::Key;
use std::collections::HashSet;
use std::mem;

/// Pairs on their way into a map, by whoever puts in many: those that cannot be put in at once.
///
/// An index is far or not by how many values there are in all, of which those that wait are some:
/// one for each slot, since no more will be there, however many come. As long as any wait, so does
/// whatever is for a slot behind the last, so pairs for one slot are put in in the order in which
/// they come.
pub(crate) struct Waiting<K, V> {
    /// So many bytes are taken however few values there are.
    near_bytes: usize,
    /// Indices below this need not wait.
    near: usize,
    pairs: Vec<(K, V)>,
    /// How many slots each of them needs, if there are any: one number for each slot.
    needs: Option<HashSet<usize>>,
    /// How many they need in all.
    need: usize,
}

impl<K: Key, V> Waiting<K, V> {
    pub(crate) const fn new(near_bytes: usize) -> Self {
        Self { near_bytes, near: 0, pairs: Vec::new(), needs: None, need: 0 }
    }

    /// Whether a pair is to be put in at once, be it that it is refused.
    #[inline]
    pub(crate) fn is_to_pass(&mut self, map: &SecondaryMap<K, V>, key: K) -> bool {
        let need = need(key);
        need <= self.near || self.is_near(map, need)
    }

    #[cold]
    #[inline(never)]
    fn is_near(&mut self, map: &SecondaryMap<K, V>, need: usize) -> bool {
        if !self.pairs.is_empty() {
            return false;
        }
        self.near = map.near(self.near_bytes, map.len() + 1);
        // What can never be there need not wait for it.
        need <= self.near || need > map.max_len()
    }

    /// Has a pair wait, and returns those that are to be put in now, for which room was made.
    #[cold]
    #[inline(never)]
    pub(crate) fn wait(
        &mut self,
        map: &mut SecondaryMap<K, V>,
        key: K,
        value: V,
    ) -> Result<Vec<(K, V)>, Error> {
        let need = need(key);
        let needs = self.needs.get_or_insert_default();
        if self.pairs.try_reserve(1).is_err() || needs.try_reserve(1).is_err() {
            let bytes = (self.pairs.len() + 1).saturating_mul(size_of::<(K, V)>());
            return Err(Error::new(ErrorKind::Memory, bytes));
        }
        self.pairs.push((key, value));
        needs.insert(need);
        self.need = self.need.max(need);
        self.near = map.slots.len();
        if self.need > self.near_with_waiting(map) { Ok(Vec::new()) } else { self.take(map) }
    }

    /// The pairs that still wait, if they are no longer far.
    pub(crate) fn finish(mut self, map: &mut SecondaryMap<K, V>) -> Result<Vec<(K, V)>, Error> {
        let near = self.near_with_waiting(map);
        if self.need > near {
            return Err(SecondaryMap::<K, V>::FAR.error(self.need, near));
        }
        self.take(map)
    }

    fn near_with_waiting(&self, map: &SecondaryMap<K, V>) -> usize {
        let waiting = self.needs.as_ref().map_or(0, HashSet::len);
        map.near(self.near_bytes, map.len() + waiting)
    }

    fn take(&mut self, map: &mut SecondaryMap<K, V>) -> Result<Vec<(K, V)>, Error> {
        map.reach(mem::take(&mut self.need))?;
        self.near = map.slots.len();
        self.needs = None;
        Ok(mem::take(&mut self.pairs))
    }
}

/// How many slots there must be for a key: none, if it is null.
#[inline]
fn need<K: Key>(key: K) -> usize {
    let data = key.data();
    if data.generation() == 0 { 0 } else { (data.index() as usize).saturating_add(1) }
}

impl<K: Key, V> SecondaryMap<K, V> {
    /// Below which index none is far, where there are so many values.
    pub(super) fn near(&self, near_bytes: usize, values: usize) -> usize {
        Self::FAR.near(near_bytes, values, self.announced.max(self.slots.len()))
    }
}
