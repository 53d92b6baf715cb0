//! Which types are `Send` and `Sync`, for elements that are both, one of them, or neither.

use super::Row;
use crate::helpers::{Neither, SendOnly, SyncOnly, has};

/// How a type depends on its elements: (is `Send`, is `Sync`) of both.
type Rule = fn((bool, bool)) -> (bool, bool);

/// Owns its elements, or borrows them mutably.
const OWN: Rule = |it| it;
/// Borrows its elements.
const SHARED: Rule = |(_, sync)| (sync, sync);
/// Lets several threads take references to elements that other threads have stored.
const STORE: Rule = |(send, sync)| (send, send && sync);
/// Borrows such a store.
const STORED: Rule = |(send, sync)| (send && sync, send && sync);
/// Borrows its elements mutably, and gives no access to them by a shared reference.
const SENT: Rule = |(send, _)| (send, send);
const ALWAYS: Rule = |_| (true, true);
const SEND: Rule = |_| (true, false);
const NEVER: Rule = |_| (false, false);

/// All types, with elements `T`. Iterators with a predicate have one that is both.
macro_rules! table {
    ($with:ident!) => {
        $with! {
            vec::VmVec<T>: OWN;
            vec::IntoIter<T>: OWN;
            vec::Drain<'static, T>: OWN;
            vec::ExtractIf<'static, T, Chosen<T>>: OWN;
            vec::Splice<'static, vec::IntoIter<T>>: OWN;
            vec::GrowOnly<'static, T>: NEVER;
            vec::VecBuilder<T>: ALWAYS;
            vec::VecStats: ALWAYS;

            block_vec::BlockVec<T>: OWN;
            block_vec::IntoIter<T>: OWN;
            block_vec::Drain<'static, T>: OWN;
            block_vec::ExtractIf<'static, T, Chosen<T>>: OWN;
            block_vec::Iter<'static, T>: SHARED;
            block_vec::IterMut<'static, T>: OWN;
            block_vec::BlockIter<'static, T>: SHARED;
            block_vec::BlockIterMut<'static, T>: OWN;
            block_vec::GrowOnlyBlockVec<'static, T>: NEVER;
            block_vec::GrowOnlyIter<'static, 'static, T>: NEVER;
            block_vec::BlockVecBuilder<T>: ALWAYS;
            block_vec::BlockVecStats: ALWAYS;
            block_vec::Blocks: ALWAYS;

            columns::Columns<(T, u8)>: OWN;
            columns::IntoIter<(T, u8)>: OWN;
            columns::Drain<'static, (T, u8)>: OWN;
            columns::ExtractIf<'static, (T, u8), fn()>: OWN;
            columns::Iter<'static, (T, u8)>: SHARED;
            columns::IterMut<'static, (T, u8)>: OWN;
            columns::GrowOnlyColumns<'static, (T, u8)>: NEVER;
            columns::ColumnsBuilder<(T, u8)>: ALWAYS;
            columns::ColumnsStats: ALWAYS;
            columns::Concat<(T,), (u8,)>: OWN;
            columns::ErasedColumn: NEVER;
            columns::Groups<(Padded<T>, u8), 4>: OWN;
            columns::groups::IntoIter<(Padded<T>, u8), 4>: OWN;
            columns::groups::Iter<'static, (Padded<T>, u8), 4>: SHARED;
            columns::groups::IterMut<'static, (Padded<T>, u8), 4>: OWN;

            slot_map::SlotMap<DefaultKey, T>: OWN;
            slot_map::IntoIter<DefaultKey, T>: OWN;
            slot_map::IntoKeys<DefaultKey, T>: OWN;
            slot_map::IntoValues<DefaultKey, T>: OWN;
            slot_map::Drain<'static, DefaultKey, T>: OWN;
            slot_map::ExtractIf<'static, DefaultKey, T, fn()>: OWN;
            slot_map::Iter<'static, DefaultKey, T>: SHARED;
            slot_map::IterMut<'static, DefaultKey, T>: OWN;
            slot_map::Keys<'static, DefaultKey, T>: SHARED;
            slot_map::Values<'static, DefaultKey, T>: SHARED;
            slot_map::ValuesMut<'static, DefaultKey, T>: OWN;
            slot_map::Blocks<'static, DefaultKey, T>: SHARED;
            slot_map::BlocksMut<'static, DefaultKey, T>: OWN;
            slot_map::Block<'static, DefaultKey, T>: SHARED;
            slot_map::BlockMut<'static, DefaultKey, T>: OWN;
            slot_map::VacantEntry<'static, DefaultKey, T>: OWN;
            slot_map::GrowOnlyMap<'static, DefaultKey, T>: NEVER;
            slot_map::Weak<DefaultKey, T>: ALWAYS;
            slot_map::SlotMapBuilder<DefaultKey, T>: ALWAYS;
            slot_map::SlotMapStats: ALWAYS;
            slot_map::DisjointError: ALWAYS;
            slot_map::Reuse: ALWAYS;

            dense::DenseSlotMap<DefaultKey, T>: OWN;
            dense::DenseSlotMap<DefaultKey, (T, u8), Columns<(T, u8)>>: OWN;
            dense::IntoIter<DefaultKey, T>: OWN;
            dense::IntoKeys<DefaultKey, T>: ALWAYS;
            dense::IntoValues<DefaultKey, T>: OWN;
            dense::Drain<'static, DefaultKey, T>: OWN;
            dense::ExtractIf<'static, DefaultKey, T, fn()>: OWN;
            dense::Iter<'static, DefaultKey, T>: SHARED;
            dense::IterMut<'static, DefaultKey, T>: OWN;
            dense::Keys<'static, DefaultKey, T>: ALWAYS;
            dense::Values<'static, DefaultKey, T>: SHARED;
            dense::ValuesMut<'static, DefaultKey, T>: OWN;
            dense::GrowOnlyDenseMap<'static, DefaultKey, T>: NEVER;
            dense::DenseSlotMapBuilder<DefaultKey, T>: ALWAYS;
            dense::DenseSlotMapStats: ALWAYS;

            secondary::SecondaryMap<DefaultKey, T>: OWN;
            secondary::Drain<'static, DefaultKey, T>: OWN;
            secondary::ExtractIf<'static, DefaultKey, T, fn()>: OWN;
            secondary::Entry<'static, DefaultKey, T>: OWN;
            secondary::OccupiedEntry<'static, DefaultKey, T>: OWN;
            secondary::VacantEntry<'static, DefaultKey, T>: OWN;
            secondary::Join<'static, DefaultKey, T, &'static SecondaryMap<DefaultKey, T>>: SHARED;
            secondary::Join<'static, DefaultKey, u8, &'static mut SecondaryMap<DefaultKey, T>>: OWN;
            secondary::JoinMut<'static, DefaultKey, T, &'static mut SecondaryMap<DefaultKey, T>>: OWN;
            secondary::GrowOnlySecondaryMap<'static, DefaultKey, T>: NEVER;
            secondary::SecondaryMapBuilder<DefaultKey, T>: ALWAYS;
            secondary::SecondaryMapStats: ALWAYS;
            secondary::SparseSecondaryMap<DefaultKey, T>: OWN;
            secondary::SparseSecondaryMap<DefaultKey, u8, T>: OWN;
            secondary::sparse::IntoIter<DefaultKey, T>: OWN;
            secondary::sparse::IntoKeys<DefaultKey, T>: OWN;
            secondary::sparse::IntoValues<DefaultKey, T>: OWN;
            secondary::sparse::Drain<'static, DefaultKey, T>: OWN;
            secondary::sparse::Iter<'static, DefaultKey, T>: SHARED;
            secondary::sparse::IterMut<'static, DefaultKey, T>: OWN;
            secondary::sparse::Keys<'static, DefaultKey, T>: SHARED;
            secondary::sparse::Values<'static, DefaultKey, T>: SHARED;
            secondary::sparse::ValuesMut<'static, DefaultKey, T>: OWN;

            table::Table<(u32, T), By<T>>: OWN;
            table::Drain<'static, (u32, T), By<T>, DefaultKey>: OWN;
            table::ExtractIf<'static, (u32, T), By<T>, DefaultKey, fn()>: OWN;
            table::Found<'static, DefaultKey, (u32, T), std::ops::Range<u32>>: SHARED;
            table::Grid<By<T>, 0, 2, 0>: ALWAYS;
            table::Hashed<By<T>, 0, index::UniqueIndex, u8>: ALWAYS;
            table::TableBuilder<(u32, T), By<T>, DefaultKey>: ALWAYS;
            table::TableStats: ALWAYS;

            index::UniqueIndex<T>: OWN;
            index::SetIndex<T>: OWN;
            index::ListIndex<T>: OWN;
            index::Grid<2>: ALWAYS;
            index::SortedGrid<2>: ALWAYS;
            index::IndexStats: ALWAYS;
            index::set::Slots<'static>: ALWAYS;
            index::list::Slots<'static>: ALWAYS;
            index::grid::Near<2>: ALWAYS;
            index::grid::Within<'static, 2>: ALWAYS;
            index::grid::InBox<'static, 2>: ALWAYS;
            index::grid::SortedWithin<'static, 2>: ALWAYS;
            index::grid::SortedInBox<'static, 2>: ALWAYS;

            list_pool::ListPool<T>: OWN;
            list_pool::SecondaryLists<DefaultKey, T>: OWN;
            list_pool::StrPool: ALWAYS;
            list_pool::ListMut<'static, T>: OWN;
            list_pool::Iter<'static, DefaultKey, T>: SHARED;
            list_pool::IterMut<'static, DefaultKey, T>: SENT;
            list_pool::ListHandle: ALWAYS;
            list_pool::ListPoolBuilder<T, DefaultKey>: ALWAYS;
            list_pool::SecondaryListsBuilder<DefaultKey, T>: ALWAYS;
            list_pool::StrPoolBuilder<DefaultKey>: ALWAYS;
            list_pool::ListPoolStats: ALWAYS;
            list_pool::ListClass: ALWAYS;
            list_pool::Compacted: ALWAYS;

            shared::SharedVec<T>: STORE;
            shared::VecMut<'static, T>: OWN;
            shared::Drain<'static, T>: OWN;
            shared::Gather<'static, T>: STORED;
            shared::IterFinished<'static, T>: STORED;
            shared::SharedVecBuilder<T>: ALWAYS;
            shared::SharedSlotMap<DefaultKey, T>: STORE;
            shared::map::MapMut<'static, DefaultKey, T>: OWN;
            shared::map::Iter<'static, DefaultKey, T>: STORED;
            shared::map::Keys<'static, DefaultKey, T>: STORED;
            shared::map::Values<'static, DefaultKey, T>: STORED;
            shared::SharedSlotMapBuilder<DefaultKey, T>: ALWAYS;

            alloc::Arena: SEND;
            alloc::Scope<'static>: NEVER;
            alloc::ScopeGuard<'static>: NEVER;
            alloc::ArenaBox<'static, T>: OWN;
            alloc::Unsizing<T>: OWN;
            alloc::ArenaBuilder: ALWAYS;
            alloc::ArenaStats: ALWAYS;
            alloc::VmAlloc<T>: OWN;
            alloc::GlobalVm<T>: OWN;
            alloc::Global: ALWAYS;
            alloc::AllocStats: ALWAYS;
            alloc::SizeClassStats: ALWAYS;

            file::FileVec<u64>: ALWAYS;
            file::FileVecBuilder<u64>: ALWAYS;
            file::FileVecStats: ALWAYS;
            file::GrowOnlyFile<'static, u64>: NEVER;
            file::Follow<u64>: ALWAYS;
            file::FollowIter<'static, u64>: ALWAYS;
            file::Removed: ALWAYS;
            file::FileBacking: ALWAYS;
            file::FileError: ALWAYS;
            file::FileErrorKind: ALWAYS;
            file::Snapshot: ALWAYS;
            file::SnapshotBuilder<'static>: NEVER;
            file::Mutable: ALWAYS;
            file::AppendOnly: ALWAYS;
            file::Space: ALWAYS;
            file::Lock: ALWAYS;
            file::Advice: ALWAYS;

            memory_map::MemoryMap: ALWAYS;
            memory_map::Entry: ALWAYS;
            region_cache::RegionCacheStats: ALWAYS;
            saved::FromSlotmap<T>: OWN;
            service::CommitAhead: ALWAYS;
            service::Release: ALWAYS;
            service::ServiceStats: ALWAYS;
            Budget: ALWAYS;
            DefaultKey: ALWAYS;
            KeyData: ALWAYS;
            Bits32<8, 8>: ALWAYS;
            Bits64<32, 32>: ALWAYS;
            Error: ALWAYS;
            ErrorKind: ALWAYS;
            Refused<T>: OWN;
            GivenBack: ALWAYS;
            Growth: ALWAYS;
            GrowingReservation: ALWAYS;
            HugePages: ALWAYS;
            Locked<'static>: ALWAYS;
            Prefaulted: ALWAYS;
            Reservation: ALWAYS;
            ReservationBuilder: ALWAYS;
        }
    };
}

/// For each type: its text, whether it is `Send` and `Sync`, and how it should depend on its elements.
type Found = Vec<(&'static str, (bool, bool), Rule)>;

macro_rules! found {
    ($($type:ty: $rule:ident;)+) => {
        pub(super) fn found() -> Found {
            vec![$((stringify!($type), (has!($type: Send), has!($type: Sync)), $rule as Rule)),+]
        }
    };
}

macro_rules! texts {
    ($($type:ty: $rule:ident;)+) => { [$(stringify!($type)),+] };
}

/// The types of the table, as text.
pub(super) fn types() -> Vec<&'static str> {
    table!(texts!).to_vec()
}

/// The table for each kind of elements.
macro_rules! for_elements {
    ($($module:ident: $element:ty = $has:expr;)+) => {
        $(mod $module {
            use super::*;
            #[allow(clippy::wildcard_imports, reason = "the table names all types")]
            use stayput::*;

            type T = $element;
            type Chosen<T> = fn(&mut T) -> bool;

            pub(super) struct Padded<T>(#[allow(dead_code, reason = "only its traits count")] Option<T>);

            impl<T> Pad for Padded<T> {
                const PAD: Self = Self(None);
            }

            indices! { pub(super) struct By<T> for (u32, T) { pub(super) number: Unique<u32> = |row| row.0, } }

            table!(found!);
        })+

        fn all() -> Vec<((bool, bool), Found)> {
            vec![$(($has, $module::found())),+]
        }
    };
}

for_elements! {
    both: u8 = (true, true);
    send_only: SendOnly = (true, false);
    sync_only: SyncOnly = (false, true);
    neither: Neither = (false, false);
}

#[test]
fn types_are_sent_and_shared_as_their_elements_permit() {
    let mut wrong = Vec::new();
    for (elements, found) in all() {
        assert_eq!(found.len(), types().len());
        for (text, has, rule) in found {
            if has != rule(elements) {
                let expected = rule(elements);
                wrong
                    .push(format!("{text}, elements {elements:?}: {has:?}, expected {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "(Send, Sync):\n{}", wrong.join("\n"));
}

pub(super) fn rows() -> Vec<Row> {
    types().into_iter().map(super::of_type).collect()
}
