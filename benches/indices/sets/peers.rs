//! Structures of other crates that find rows by sets.

use hashbrown::HashMap;

use super::{Hasher, Index, Member, Sets, Target};

/// The usual solution.
pub(crate) type Vecs = HashMap<u32, Vec<u32>, Hasher>;

impl Index for Vecs {
    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, set: u32, slot: u32, _: &[Member]) {
        self.entry(set).or_default().push(slot);
    }

    #[inline]
    fn for_each(&self, set: u32, _: &[Member], each: impl FnMut(u32)) {
        self.get(&set).into_iter().flatten().copied().for_each(each);
    }

    #[inline]
    fn count(&self, set: u32, _: &[Member]) -> usize {
        self.get(&set).map_or(0, Vec::len)
    }

    #[inline]
    fn shift(&mut self, slot: u32, set: u32, rows: &[Member]) {
        Index::remove(self, slot, rows);
        self.entry(set).or_default().push(slot);
    }

    #[inline]
    fn remove(&mut self, slot: u32, rows: &[Member]) {
        let slots = self.get_mut(&rows[slot as usize].set);
        let place =
            slots.and_then(|slots| Some((slots.iter().position(|&one| one == slot)?, slots)));
        if let Some((at, slots)) = place {
            slots.swap_remove(at);
        }
    }
}

#[expect(dead_code, reason = "it has more methods than are measured")]
pub(crate) mod multi_index {
    use multi_index_map::MultiIndexMap;

    // Only a unique field can select a single row to change, so the id is unique.
    crate::sets::member!(
        #[derive(MultiIndexMap)]
        [#[multi_index(hashed_unique)]]
        [#[multi_index(hashed_non_unique)]]
    );
}

impl Sets for multi_index::MultiIndexMemberMap {
    type Handle = ();

    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, row: Member) {
        self.insert(multi_index::Member::new(row.id, row.set));
    }

    #[inline]
    fn sum(&self, set: u32) -> u64 {
        self.get_by_set(&set).iter().map(|row| row.value).fold(0, u64::wrapping_add)
    }

    #[inline]
    fn count(&self, set: u32) -> usize {
        self.get_by_set(&set).len()
    }

    #[inline]
    fn shift(&mut self, row: Target<()>, set: u32) {
        self.modify_by_id(&row.slot, |row| row.set = set);
    }

    #[inline]
    fn remove(&mut self, row: Target<()>) -> u64 {
        self.remove_by_id(&row.slot).map_or(0, |row| row.value)
    }
}
