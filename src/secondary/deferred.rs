//! [`DeferredPairs`]: pairs of a bulk insertion whose indices are far until the other pairs are counted.

use super::SecondaryMap;
use crate::error::{Error, ErrorKind};
use crate::key::Key;
use std::collections::HashSet;
use std::mem;

/// The pairs of a bulk insertion that cannot be inserted at once.
///
/// Whether an index is far depends on the number of values, to which the waiting pairs count: one for each slot, since
/// a slot holds one value. As long as any pair waits, so does every pair for a slot past the last one. So pairs for one
/// slot are inserted in the order in which they arrive.
pub(crate) struct DeferredPairs<K, V> {
    /// This many bytes of slots are near, whatever the number of values.
    near_bytes: usize,
    /// Indices below this need not wait.
    near: usize,
    pairs: Vec<(K, V)>,
    /// The numbers of slots that waiting pairs need, each once; `None` if no pair waits.
    needs: Option<HashSet<usize>>,
    /// The highest of those numbers, or 0.
    need: usize,
}

impl<K: Key, V> DeferredPairs<K, V> {
    pub(crate) const fn new(near_bytes: usize) -> Self {
        Self { near_bytes, near: 0, pairs: Vec::new(), needs: None, need: 0 }
    }

    /// Whether a pair is to be inserted at once, even if that is refused.
    #[inline]
    pub(crate) fn must_insert_now(&mut self, map: &SecondaryMap<K, V>, key: K) -> bool {
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
        // What exceeds the maximum is refused in any case, so it need not wait.
        need <= self.near || need > map.max_len()
    }

    /// Adds a pair to those that wait. Returns those that are to be inserted now, for which memory has been reserved.
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

    /// Returns the pairs that still wait, or the error if they are still far.
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

/// Returns how many slots a map needs for a key; 0 if the key is null.
#[inline]
fn need<K: Key>(key: K) -> usize {
    let data = key.data();
    if data.generation() == 0 { 0 } else { (data.index() as usize).saturating_add(1) }
}

impl<K: Key, V> SecondaryMap<K, V> {
    /// Returns the first index that is far if there are `values` values.
    pub(super) fn near(&self, near_bytes: usize, values: usize) -> usize {
        Self::FAR.near(near_bytes, values, self.announced.max(self.slots.len()))
    }
}
