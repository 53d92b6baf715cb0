//! Elements that are aligned to more than a page.

use super::{Row, cases, suite};
use crate::helpers::key;
use stayput::columns::ErasedColumn;
use stayput::{
    Arena, ArenaBox, BlockVec, Columns, DefaultKey, DenseSlotMap, Groups, ListPool, Pad,
    Reservation, SecondaryLists, SecondaryMap, SharedSlotMap, SharedVec, SlotMap,
    SparseSecondaryMap, Table, VmVec, indices,
};
use std::fmt::Debug;
use std::thread;

/// A value with a large alignment.
trait Aligned: Copy + Debug + Eq + Send + Sync + 'static {
    fn of(number: u32) -> Self;

    fn number(&self) -> u32;
}

macro_rules! aligned {
    ($($name:ident: $align:literal;)+) => {$(
        #[repr(align($align))]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        struct $name(u32);

        impl Aligned for $name {
            fn of(number: u32) -> Self {
                Self(number)
            }

            fn number(&self) -> u32 {
                self.0
            }
        }

        impl Pad for $name {
            const PAD: Self = Self(u32::MAX);
        }
    )+};
}

aligned! {
    TwoPages: 8192;
    LargePage: 65536;
}

/// The number of elements.
const MANY: u32 = 40;

impl Row {
    /// Adds functions, which have large values on their stacks.
    fn aligned(self, cases: &[(&'static str, fn())]) -> Self {
        self.with(cases, |case: fn()| {
            let run = thread::Builder::new().stack_size(256 << 20).spawn(case);
            run.expect("there is a thread").join().expect("it holds");
        })
    }
}

fn made<T: Aligned>() -> impl Iterator<Item = T> {
    (0..MANY).map(T::of)
}

/// Checks that elements have their numbers and are aligned.
#[track_caller]
fn check<'t, T: Aligned>(all: impl IntoIterator<Item = &'t T>) {
    let mut count = 0;
    for (element, number) in all.into_iter().zip(0..) {
        assert!(std::ptr::from_ref(element).is_aligned(), "{element:p}");
        assert_eq!(element.number(), number);
        count += 1;
    }
    assert_eq!(count, MANY);
}

macro_rules! arrays {
    ($($name:ident, $array:ident;)+) => {$(
        fn $name<T: Aligned>() {
            let mut vec = $array::new();
            made::<T>().for_each(|element| vec.push(element));
            check(&vec);
            vec.insert(3, T::of(99));
            assert_eq!(vec.remove(3), T::of(99));
            vec.extend_from_within(..7);
            vec.truncate(MANY as usize);
            let tail = vec.split_off(9);
            vec.shrink_to_fit();
            vec.extend(tail);
            check(&vec);
            check(&vec.clone());
            check(&vec.clone().into_iter().collect::<$array<_>>());
            let scope = vec.grow_only();
            assert!(std::ptr::from_ref(scope.push(T::of(1))).is_aligned());
        }
    )+};
}

arrays! {
    vm_vec, VmVec;
    block_vec, BlockVec;
}

fn columns<T: Aligned>() {
    let mut columns: Columns<(u8, T, [u8; 3])> =
        made().map(|element| (1, element, [0; 3])).collect();
    check(columns.as_slices().1);
    columns.remove(3);
    columns.insert(3, (1, T::of(3), [0; 3]));
    check(columns.as_slices().1);
    columns.shrink_to_fit();
    check(columns.clone().as_slices().1);
    let scope = columns.grow_only();
    assert!(std::ptr::from_ref(scope.push((1, T::of(1), [0; 3])).1).is_aligned());
}

fn groups<T: Aligned + Pad>() {
    let groups: Groups<(u8, T), 4> = made().map(|element| (1, element)).collect();
    check(groups.iter().map(|(_, element)| element));
}

fn erased<T: Aligned>() {
    let mut column = ErasedColumn::of::<T>();
    column.reserve(3);
    assert!(column.as_ptr().cast::<T>().is_aligned());
}

macro_rules! maps {
    ($($name:ident, $map:ident;)+) => {$(
        fn $name<T: Aligned>() {
            let mut map: $map<DefaultKey, T> = made().collect();
            check(map.values());
            let last = map.keys().next_back().expect("it is there");
            map.remove(last);
            map.insert(T::of(MANY - 1));
            map.trim();
            check(map.values());
            check(map.clone().values());
            let scope = map.grow_only();
            assert!(std::ptr::from_ref(scope.insert(T::of(1)).1).is_aligned());
        }
    )+};
}

maps! {
    slot_map, SlotMap;
    dense, DenseSlotMap;
}

fn secondary<T: Aligned>() {
    let pairs = || (0..).map(|n| key(n, 1)).zip(made::<T>());
    let map: SecondaryMap<DefaultKey, T> = pairs().collect();
    check(map.values());
    check(map.clone().values());
    let mut empty = SecondaryMap::<DefaultKey, T>::new();
    empty.set_capacity(9);
    let scope = empty.grow_only();
    let stored = scope.insert(key(4, 1), T::of(4)).expect("it is vacant");
    assert!(std::ptr::from_ref(stored).is_aligned());
    let sparse: SparseSecondaryMap<DefaultKey, T> = pairs().collect();
    let mut values: Vec<_> = sparse.values().collect();
    values.sort_by_key(|value| value.number());
    check(values);
}

indices! {
    struct ByNumber<T: Aligned> for T { number: Unique<u32> = |row| row.number(), }
}

fn table<T: Aligned>() {
    let table: Table<T, ByNumber<T>> = made().collect();
    check(table.values());
    assert!(table.find(|by| &by.number, &7).is_some());
}

fn lists<T: Aligned>() {
    let mut pool = ListPool::new();
    let key = pool.insert_list(made::<T>());
    pool.insert_list(made::<T>());
    check(&pool[key]);
    pool.compact();
    pool.get_mut(key).expect("it is there").push(T::of(MANY));
    check(&pool[key][..MANY as usize]);
    let mut lists = SecondaryLists::<DefaultKey, T>::new();
    lists.entry(crate::helpers::key(3, 1)).extend(made());
    check(&lists[crate::helpers::key(3, 1)]);
}

fn shared<T: Aligned>() {
    let vec: SharedVec<T> = made().collect();
    check(&vec);
    assert!(std::ptr::from_ref(vec.push(T::of(1)).1).is_aligned());
    let map: SharedSlotMap<DefaultKey, T> = made().collect();
    check(map.values());
    assert!(std::ptr::from_ref(map.insert(T::of(1)).1).is_aligned());
}

fn arena<T: Aligned>() {
    let mut arena = Arena::new();
    arena.alloc(1_u8);
    assert!(std::ptr::from_ref(arena.alloc(T::of(1))).is_aligned());
    check(arena.alloc_slice_from_iter(made::<T>()).iter());
    arena.alloc(1_u8);
    check(arena.alloc_box_slice_from_iter(made::<T>()).iter());
    check(ArenaBox::from_iter_in(made::<T>(), &arena).iter());
    arena.scope(|scope| {
        scope.alloc(1_u8);
        check(scope.alloc_slice_from_iter(made::<T>()).iter());
    });
}

fn reservation<T: Aligned>() {
    let memory = Reservation::builder().bytes(1 << 17).align(align_of::<T>()).reserve();
    let memory = memory.expect("there are addresses");
    assert!(memory.as_ptr().cast::<T>().is_aligned());
    let mut growing = memory.growing();
    growing.grow_to(1).expect("there is memory");
    assert!(growing.as_ptr().cast::<T>().is_aligned());
}

suite! {
    of_vm_vec = Row::new("VmVec, GrowOnly").aligned(cases![|| vm_vec::<TwoPages>(), || vm_vec::<LargePage>()]);
    of_block_vec = Row::new("BlockVec, GrowOnlyBlockVec").aligned(cases![|| block_vec::<TwoPages>(), || block_vec::<LargePage>()]);
    of_columns = Row::new("Columns, GrowOnlyColumns").aligned(cases![|| columns::<TwoPages>(), || columns::<LargePage>()]);
    of_groups = Row::new("Groups").aligned(cases![|| groups::<TwoPages>(), || groups::<LargePage>()]);
    of_erased = Row::new("ErasedColumn").aligned(cases![|| erased::<TwoPages>(), || erased::<LargePage>()]);
    of_slot_map = Row::new("SlotMap, GrowOnlyMap").aligned(cases![|| slot_map::<TwoPages>(), || slot_map::<LargePage>()]);
    of_dense = Row::new("DenseSlotMap, GrowOnlyDenseMap").aligned(cases![|| dense::<TwoPages>(), || dense::<LargePage>()]);
    of_secondary = Row::new("SecondaryMap, SparseSecondaryMap, GrowOnlySecondaryMap").aligned(cases![|| secondary::<TwoPages>(), || secondary::<LargePage>()]);
    of_table = Row::new("Table").aligned(cases![|| table::<TwoPages>(), || table::<LargePage>()]);
    of_lists = Row::new("ListPool, SecondaryLists").aligned(cases![|| lists::<TwoPages>(), || lists::<LargePage>()]);
    of_shared = Row::new("SharedVec, SharedSlotMap").aligned(cases![|| shared::<TwoPages>(), || shared::<LargePage>()]);
    of_arena = Row::new("Arena, Scope, ArenaBox").aligned(cases![|| arena::<TwoPages>(), || arena::<LargePage>()]);
    of_reservation = Row::new("Reservation, GrowingReservation")
        .aligned(cases![|| reservation::<TwoPages>(), || reservation::<LargePage>()]);
}
