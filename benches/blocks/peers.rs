//! Other crates' arrays in pieces.

use orx_split_vec::{Growth, PinnedVec, SplitVec};

use crate::arrays::{Array, Element, sum_of};

pub(crate) struct Boxcar<E>(boxcar::Vec<E>);

impl<E: Element> Array<E> for Boxcar<E> {
    fn new() -> Self {
        Self(boxcar::Vec::new())
    }

    fn with_room(count: usize) -> Self {
        Self(boxcar::Vec::with_capacity(count))
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
        self.0.iter().map(|(_, element)| element)
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

impl<E> Extend<E> for Boxcar<E> {
    fn extend<I: IntoIterator<Item = E>>(&mut self, elements: I) {
        self.0.extend(elements);
    }
}

/// By its growth.
macro_rules! orx {
    ($array:ident, $growth:ident, $new:expr) => {
        pub(crate) struct $array<E>(SplitVec<E, orx_split_vec::$growth>);

        impl<E: Element> Array<E> for $array<E> {
            fn new() -> Self {
                Self($new)
            }

            #[inline]
            fn push(&mut self, element: E) {
                PinnedVec::push(&mut self.0, element);
            }

            #[inline]
            fn at(&self, index: usize) -> &E {
                &self.0[index]
            }

            #[inline]
            fn each(&self) -> impl Iterator<Item = &E> {
                (&self.0).into_iter()
            }

            fn sum_of_slices(&self) -> Option<u64> {
                Some(sum_of(slices(&self.0)))
            }

            fn clear(&mut self) {
                PinnedVec::clear(&mut self.0);
            }
        }

        impl<E> Extend<E> for $array<E> {
            fn extend<I: IntoIterator<Item = E>>(&mut self, elements: I) {
                self.0.extend(elements);
            }
        }
    };
}
orx!(OrxDoubling, Doubling, SplitVec::with_doubling_growth());
orx!(OrxLinear, Linear, SplitVec::with_linear_growth(exponent::<E>()));

/// Of pieces of 4 MiB, as in `frame_stalls`.
fn exponent<E>() -> usize {
    ((4 << 20) / size_of::<E>()).ilog2() as usize
}

fn slices<E, G: Growth>(array: &SplitVec<E, G>) -> impl Iterator<Item = &[E]> {
    PinnedVec::slices(array, ..)
}

pub(crate) struct SegVec<E>(segvec::SegVec<E>);

impl<E: Element> Array<E> for SegVec<E> {
    fn new() -> Self {
        Self(segvec::SegVec::new())
    }

    fn with_room(count: usize) -> Self {
        Self(segvec::SegVec::with_capacity(count))
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

    fn clear(&mut self) {
        self.0.truncate(0);
    }
}

impl<E> Extend<E> for SegVec<E> {
    fn extend<I: IntoIterator<Item = E>>(&mut self, elements: I) {
        self.0.extend(elements);
    }
}
