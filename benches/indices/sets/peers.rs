//! Structures of other crates that find rows by sets.

use hashbrown::HashMap;
use slotmap::{DefaultKey, SlotMap};

use super::{Hasher, Index, Member, Sets, Target};
use crate::operation::Operation;

/// The usual solution.
pub(crate) type Vecs = Lists<u32>;

type Lists<T> = HashMap<u32, Vec<T>, Hasher>;

/// Removes a member from its set's list.
#[inline]
fn take<T: PartialEq>(lists: &mut Lists<T>, set: u32, member: &T) {
    let list = lists.get_mut(&set);
    if let Some((at, list)) =
        list.and_then(|list| Some((list.iter().position(|one| one == member)?, list)))
    {
        list.swap_remove(at);
    }
}

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
        take(self, rows[slot as usize].set, &slot);
    }
}

/// A table by hand: a slot map, and lists of its keys.
#[derive(Default)]
pub(crate) struct ByHand {
    rows: SlotMap<DefaultKey, Member>,
    by_set: Lists<DefaultKey>,
}

impl Sets for ByHand {
    type Handle = DefaultKey;

    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, row: Member) -> DefaultKey {
        let set = row.set;
        let handle = self.rows.insert(row);
        self.by_set.entry(set).or_default().push(handle);
        handle
    }

    #[inline]
    fn sum(&self, set: u32) -> u64 {
        let handles = self.by_set.get(&set).into_iter().flatten();
        handles.map(|&handle| self.rows[handle].value).fold(0, u64::wrapping_add)
    }

    #[inline]
    fn count(&self, set: u32) -> usize {
        self.by_set.get(&set).map_or(0, Vec::len)
    }

    #[inline]
    fn shift(&mut self, Target { handle, .. }: Target<DefaultKey>, set: u32) {
        let Some(row) = self.rows.get_mut(handle) else { return };
        take(&mut self.by_set, row.set, &handle);
        row.set = set;
        self.by_set.entry(set).or_default().push(handle);
    }

    #[inline]
    fn remove(&mut self, Target { handle, .. }: Target<DefaultKey>) -> u64 {
        let Some(row) = self.rows.remove(handle) else { return 0 };
        take(&mut self.by_set, row.set, &handle);
        row.value
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

    const LACKS: &'static [Operation] = &[];

    fn empty() -> Self {
        Self::default()
    }

    #[inline]
    fn insert(&mut self, row: Member) {
        self.insert(multi_index::Member::new(row.id, row.set));
    }

    #[inline]
    fn find(&self, id: u32) -> Option<u64> {
        self.get_by_id(&id).map(|row| row.value)
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
