//! The arrays under test, each with the settings that its users would choose.

use bench_common::contenders;
use bench_common::memory::Element;
use orx_split_vec::{Doubling as ByDoubling, Linear, SplitVec};
use stayput::{BlockVec, Blocks, VmVec};

/// What all arrays can do, so that they run the same code.
pub(crate) trait Array<E: Element>: Extend<E> + Sized {
    fn empty() -> Self;

    /// Creates an array with capacity for that many elements, where the type has such a constructor.
    fn with_room(_: usize) -> Self {
        Self::empty()
    }

    fn push(&mut self, element: E);

    fn at(&self, index: usize) -> &E;

    fn each(&self) -> impl Iterator<Item = &E>;

    /// Returns the sum of all numbers, slice by slice; `None` if the array has no slices.
    fn sum_of_slices(&self) -> Option<u64> {
        None
    }

    fn clear(&mut self);
}

/// Never inlined, so that all arrays share one copy of the loop over a slice.
#[inline(never)]
pub(crate) fn sum_of_slice<E: Element>(elements: &[E]) -> u64 {
    elements.iter().map(E::number).fold(0, u64::wrapping_add)
}

pub(crate) fn sum_of<'e, E: Element>(slices: impl Iterator<Item = &'e [E]>) -> u64 {
    slices.map(sum_of_slice).fold(0, u64::wrapping_add)
}

contenders! {
    Contender by Job<E: Element>;
    /// std's array
    Vec: Vec<E>, "Vec";
    /// stayput's array in one piece
    VmVec: VmVec<E>, "VmVec";
    /// stayput's array in blocks of 16 KiB
    BlockVec: BlockVec<E>, "BlockVec";
    /// stayput's array, each block twice the one before
    BlockVecDoubling: Doubling<E>, "BlockVec, doubling";
    /// The crate boxcar
    Boxcar: boxcar::Vec<E>, "boxcar";
    /// The crate orx-split-vec, each piece twice the one before
    OrxDoubling: SplitVec<E, ByDoubling>, "orx-split-vec";
    /// The crate orx-split-vec, in pieces of 4 MiB
    OrxLinear: SplitVec<E, Linear>, "orx-split-vec, linear";
    /// The crate segvec
    SegVec: segvec::SegVec<E>, "segvec";
}

/// Work that is done with each type of array.
pub(crate) trait Job<E: Element> {
    type Outcome;
    fn run<A: Array<E>>(self) -> Self::Outcome;
}

/// Implements methods of the trait by the array's own methods of the same name.
macro_rules! own {
    ($($method:ident)+) => { $(own!(@ $method);)+ };
    (@ push) => {
        #[inline]
        fn push(&mut self, element: E) {
            Self::push(self, element);
        }
    };
    (@ at) => {
        #[inline]
        fn at(&self, index: usize) -> &E {
            &self[index]
        }
    };
    (@ each) => {
        #[inline]
        fn each(&self) -> impl Iterator<Item = &E> {
            self.iter()
        }
    };
    (@ $method:ident) => { bench_common::own!(@ $method); };
}
pub(crate) use own;

impl<E: Element> Array<E> for Vec<E> {
    own!(empty with_room push at each clear);

    fn sum_of_slices(&self) -> Option<u64> {
        Some(sum_of_slice(self))
    }
}

impl<E: Element> Array<E> for VmVec<E> {
    own!(empty with_room push at each clear);

    fn sum_of_slices(&self) -> Option<u64> {
        Some(sum_of_slice(self))
    }
}

impl<E: Element> Array<E> for BlockVec<E> {
    own!(empty with_room push at each clear);

    fn sum_of_slices(&self) -> Option<u64> {
        Some(sum_of(self.blocks()))
    }
}

/// Its first block has 1 KiB.
pub(crate) struct Doubling<E>(BlockVec<E>);

impl<E: Element> Array<E> for Doubling<E> {
    fn empty() -> Self {
        Self::with_room(0)
    }

    fn with_room(count: usize) -> Self {
        let blocks = Blocks::Doubling { first_bytes: 1 << 10 };
        Self(BlockVec::builder().blocks(blocks).capacity(count).build())
    }

    #[inline]
    fn push(&mut self, element: E) {
        self.0.push(element);
    }

    #[inline]
    fn at(&self, index: usize) -> &E {
        &self.0[index]
    }

    #[inline]
    fn each(&self) -> impl Iterator<Item = &E> {
        self.0.iter()
    }

    fn sum_of_slices(&self) -> Option<u64> {
        Some(sum_of(self.0.blocks()))
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl<E> Extend<E> for Doubling<E> {
    fn extend<I: IntoIterator<Item = E>>(&mut self, elements: I) {
        self.0.extend(elements);
    }
}
