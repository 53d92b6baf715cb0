//! What is compared: arrays, each as its users would have it.

use bench_common::contenders;
use bench_common::memory::Element;
use orx_split_vec::{Doubling as ByDoubling, Linear, SplitVec};
use stayput::{BlockVec, Blocks, VmVec};

/// What all can do, so that they run the same code.
pub(crate) trait Array<E: Element>: Extend<E> + Sized {
    fn empty() -> Self;

    /// With room for so many, where that can be had.
    fn with_room(_: usize) -> Self {
        Self::empty()
    }

    fn push(&mut self, element: E);

    fn at(&self, index: usize) -> &E;

    fn each(&self) -> impl Iterator<Item = &E>;

    /// The sum of all numbers, slice by slice; `None` of an array that gives no slices.
    fn sum_of_slices(&self) -> Option<u64> {
        None
    }

    fn clear(&mut self);
}

/// Never inlined, so that the loop over a slice is the same for all.
#[inline(never)]
pub(crate) fn sum_of_slice<E: Element>(elements: &[E]) -> u64 {
    elements.iter().map(E::number).fold(0, u64::wrapping_add)
}

pub(crate) fn sum_of<'e, E: Element>(slices: impl Iterator<Item = &'e [E]>) -> u64 {
    slices.map(sum_of_slice).fold(0, u64::wrapping_add)
}

contenders! {
    Contender by Job<E: Element>;
    /// std's
    Vec: Vec<E>, "Vec";
    /// stayput's array in one piece
    VmVec: VmVec<E>, "VmVec";
    /// stayput's in blocks of 16 KiB
    BlockVec: BlockVec<E>, "BlockVec";
    /// The same, each block twice the one before
    BlockVecDoubling: Doubling<E>, "BlockVec, doubling";
    /// The crate boxcar
    Boxcar: boxcar::Vec<E>, "boxcar";
    /// The crate orx-split-vec, each piece twice the one before
    OrxDoubling: SplitVec<E, ByDoubling>, "orx-split-vec";
    /// The same, in pieces of 4 MiB
    OrxLinear: SplitVec<E, Linear>, "orx-split-vec, linear";
    /// The crate segvec
    SegVec: segvec::SegVec<E>, "segvec";
}

/// What is done with an array, whichever it is.
pub(crate) trait Job<E: Element> {
    type Found;
    fn run<A: Array<E>>(self) -> Self::Found;
}

/// Methods of an array that do what its own of the same name does.
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

/// From a block of 1 KiB on.
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
