//! Operations on an `ErasedColumn` and a `Vec`, shared by the model test and the fuzz target `columns_model`.

#![expect(unsafe_code, reason = "moves values through pointers")]

use stayput::Budget;
use stayput::columns::ErasedColumn;
use std::fmt::Debug;
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::ptr::NonNull;

/// A value that is made from a number.
pub(crate) trait Value: Clone + PartialEq + Debug {
    fn make(n: u32) -> Self;
}

impl Value for u64 {
    fn make(n: u32) -> Self {
        n.into()
    }
}

/// Is dropped, and found to leak by sanitizers if it is not.
impl Value for String {
    fn make(n: u32) -> Self {
        n.to_string()
    }
}

impl Value for () {
    fn make(_: u32) -> Self {}
}

#[repr(align(256))]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Aligned(u32);

impl Value for Aligned {
    fn make(n: u32) -> Self {
        Self(n)
    }
}

arbitrary! {
    pub(crate) enum Op {
        Push(u32),
        PushSome(u32, u8),
        PushMany(u32, u16),
        SwapRemove(u16),
        /// Moves the value out.
        Take(u16),
        Get(u16),
        Change(u16, u32),
        Truncate(u16),
        Clear,
        Reserve(u16),
        ReserveExact(u16),
        Shrink,
        /// To some elements, with a budget in bytes.
        ShrinkTo(u16, u16),
        /// Drops the column, and creates another, which may start in the heap.
        Anew(bool),
        StartInHeap,
    }
}

pub(crate) struct Model<T: Value> {
    column: ErasedColumn,
    std: Vec<T>,
}

impl<T: Value> Model<T> {
    /// The maximum number of elements in a run.
    const MOST: usize = 20_000;

    fn made(in_heap: bool) -> ErasedColumn {
        let column = ErasedColumn::of::<T>();
        if in_heap { column.starting_in_heap() } else { column }
    }

    pub(crate) fn run(in_heap: bool, ops: &[Op]) {
        let mut model = Self { column: Self::made(in_heap), std: Vec::new() };
        for op in ops {
            model.apply(*op);
            model.check(*op);
        }
        model.check(Op::Clear);
    }

    fn check(&self, op: Op) {
        let Self { column, std } = self;
        assert_eq!((column.len(), column.is_empty()), (std.len(), std.is_empty()));
        assert!(column.len() <= column.capacity());
        let stats = column.stats();
        assert_eq!((stats.len, stats.capacity), (column.len(), column.capacity()));
        assert_eq!(column.as_ptr().addr() % align_of::<T>(), 0);
        let slice = self.slice();
        match op {
            Op::Push(_) | Op::Get(_) | Op::Reserve(_) => assert_eq!(slice.last(), std.last()),
            _ => assert!(slice == std),
        }
    }

    fn slice(&self) -> &[T] {
        // SAFETY: the elements are of this type.
        unsafe { self.column.as_slice::<T>() }
    }

    fn push(&mut self, n: u32) {
        if self.std.len() == Self::MOST {
            return;
        }
        let value = ManuallyDrop::new(T::make(n));
        // SAFETY: the elements are of this type, and the value is not used again.
        unsafe { self.column.try_push((&raw const value).cast()) }.expect("there is memory");
        self.std.push(T::make(n));
    }

    fn apply(&mut self, op: Op) {
        let (column, len) = (&mut self.column, self.std.len());
        let at = |place: u16| usize::from(place) % len.max(1);
        match op {
            Op::Push(n) => self.push(n),
            Op::PushSome(first, count) => {
                (0..u32::from(count % 40)).for_each(|n| self.push(first.wrapping_add(n)));
            }
            Op::PushMany(first, count) => {
                (0..u32::from(count % 5000)).for_each(|n| self.push(first.wrapping_add(n)));
            }
            Op::SwapRemove(place) if len > 0 => {
                column.swap_remove(at(place));
                self.std.swap_remove(at(place));
            }
            Op::Take(place) if len > 0 => {
                let mut value = MaybeUninit::<T>::uninit();
                // SAFETY: the elements are of this type, for one of which there is room.
                unsafe { column.swap_remove_to(at(place), value.as_mut_ptr().cast()) };
                // SAFETY: an element was moved there.
                let value = unsafe { value.assume_init() };
                assert_eq!(value, self.std.swap_remove(at(place)));
            }
            Op::Get(place) => {
                let at = usize::from(place);
                let expected =
                    self.std.get(at).map(|_| column.as_ptr().wrapping_add(at * size_of::<T>()));
                assert_eq!(column.get(at).map(NonNull::as_ptr), expected);
            }
            Op::Change(place, n) if len > 0 => {
                // SAFETY: the elements are of this type, and not borrowed.
                let elements = unsafe { column.as_mut_slice::<T>() };
                elements[at(place)] = T::make(n);
                self.std[at(place)] = T::make(n);
            }
            Op::SwapRemove(_) | Op::Take(_) | Op::Change(..) => assert_eq!(column.get(0), None),
            Op::Truncate(to) => {
                column.truncate(to.into());
                self.std.truncate(to.into());
            }
            Op::Clear => {
                column.clear();
                self.std.clear();
            }
            Op::Reserve(count) => {
                let count = usize::from(count) % Self::MOST;
                column.try_reserve(count).expect("there is memory");
                assert!(column.capacity() - len >= count);
            }
            Op::ReserveExact(count) => {
                let count = usize::from(count) % Self::MOST;
                column.try_reserve_exact(count).expect("there is memory");
                assert!(column.capacity() - len >= count);
            }
            Op::Shrink => column.try_shrink_to_fit().expect("there is memory"),
            Op::ShrinkTo(count, bytes) => {
                let kept = column.capacity().min(count.into());
                let budget = Budget::bytes(usize::from(bytes) << 4);
                let _ = column.shrink_to_within(count.into(), budget).expect("there is memory");
                assert!(column.capacity() >= kept);
            }
            Op::Anew(in_heap) => {
                *column = Self::made(in_heap);
                self.std.clear();
            }
            Op::StartInHeap => {
                let old = mem::replace(column, ErasedColumn::of::<T>());
                *column = old.starting_in_heap();
            }
        }
    }
}
