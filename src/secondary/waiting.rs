//! [`Waiting`]: values that come together with others, and have far indices until those are there.

use super::SecondaryMap;
use crate::error::{Error, ErrorKind, Holder};
use crate::key::Key;
use crate::slot_map::slots::Slots;
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
            return Err(SecondaryMap::<K, V>::far(self.need, near));
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
        Self::near_of(&self.slots, near_bytes, values, self.announced)
    }

    /// The same, of what a map consists of.
    pub(super) fn near_of(
        slots: &Slots<V>,
        near_bytes: usize,
        values: usize,
        announced: usize,
    ) -> usize {
        let more = values.saturating_mul(Self::SLOTS_A_VALUE);
        let near = Self::near_slots(near_bytes).saturating_add(more);
        near.max(announced).max(slots.len())
    }

    /// Below which none is far, if there are no values.
    pub(super) const fn near_slots(near_bytes: usize) -> usize {
        near_bytes / Slots::<V>::STRIDE_BYTES
    }

    /// What is said where so many slots are needed.
    #[cold]
    pub(super) fn far(need: usize, near: usize) -> Error {
        let bytes = need.saturating_mul(Slots::<V>::STRIDE_BYTES);
        Error::new(ErrorKind::FarIndex, bytes).with_limit(near as u64).of(Holder::SecondaryMap)
    }
}
