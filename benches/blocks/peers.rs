//! Other crates' arrays in pieces.

use bench_common::memory::Element;
use orx_split_vec::{Doubling, Growth, Linear, PinnedVec, SplitVec};

use crate::arrays::{Array, own, sum_of};

impl<E: Element> Array<E> for boxcar::Vec<E> {
    own!(empty with_room push at clear);

    #[inline]
    fn each(&self) -> impl Iterator<Item = &E> {
        self.iter().map(|(_, element)| element)
    }
}

/// How an array in pieces is made that grows so.
pub(crate) trait Grows: Growth + Sized {
    fn array<E: Element>() -> SplitVec<E, Self>;
}

impl Grows for Doubling {
    fn array<E: Element>() -> SplitVec<E, Self> {
        SplitVec::with_doubling_growth()
    }
}

impl Grows for Linear {
    /// Of pieces of 4 MiB, as in `frame_stalls`.
    fn array<E: Element>() -> SplitVec<E, Self> {
        SplitVec::with_linear_growth(((4 << 20) / size_of::<E>()).ilog2() as usize)
    }
}

impl<E: Element, G: Grows> Array<E> for SplitVec<E, G> {
    own!(at);

    fn empty() -> Self {
        G::array()
    }

    #[inline]
    fn push(&mut self, element: E) {
        PinnedVec::push(self, element);
    }

    #[inline]
    fn each(&self) -> impl Iterator<Item = &E> {
        self.into_iter()
    }

    fn sum_of_slices(&self) -> Option<u64> {
        Some(sum_of(PinnedVec::slices(self, ..)))
    }

    fn clear(&mut self) {
        PinnedVec::clear(self);
    }
}

impl<E: Element> Array<E> for segvec::SegVec<E> {
    own!(empty with_room push at each);

    fn clear(&mut self) {
        self.truncate(0);
    }
}
