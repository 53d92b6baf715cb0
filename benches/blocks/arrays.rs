//! What is compared: arrays, each as its users would have it.

use bench_common::memory::{Entity, entity};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use stayput::{BlockVec, Blocks, VmVec};

use crate::peers::{Boxcar, OrxDoubling, OrxLinear, SegVec};

/// What is in an array: numbers.
pub(crate) trait Element: Copy + 'static {
    fn of(number: u64) -> Self;
    fn number(&self) -> u64;
}

impl Element for u64 {
    #[inline]
    fn of(number: u64) -> Self {
        number
    }

    #[inline]
    fn number(&self) -> u64 {
        *self
    }
}

impl Element for Entity {
    #[inline]
    fn of(number: u64) -> Self {
        entity(number)
    }

    #[inline]
    fn number(&self) -> u64 {
        self[0]
    }
}

/// What all can do, so that they run the same code.
pub(crate) trait Array<E: Element>: Extend<E> + Sized {
    fn new() -> Self;

    /// With room for so many, where that can be had.
    fn with_room(_: usize) -> Self {
        Self::new()
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Contender {
    /// std's
    Vec,
    /// stayput's array in one piece
    VmVec,
    /// stayput's in blocks of 16 KiB
    BlockVec,
    /// The same, each block twice the one before
    BlockVecDoubling,
    /// The crate boxcar
    Boxcar,
    /// The crate orx-split-vec, each piece twice the one before
    OrxDoubling,
    /// The same, in pieces of 4 MiB
    OrxLinear,
    /// The crate segvec
    SegVec,
}

impl Contender {
    pub(crate) const ALL: [Self; 8] = [
        Self::Vec,
        Self::VmVec,
        Self::BlockVec,
        Self::BlockVecDoubling,
        Self::Boxcar,
        Self::OrxDoubling,
        Self::OrxLinear,
        Self::SegVec,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Vec => "Vec",
            Self::VmVec => "VmVec",
            Self::BlockVec => "BlockVec",
            Self::BlockVecDoubling => "BlockVec, doubling",
            Self::Boxcar => "boxcar",
            Self::OrxDoubling => "orx-split-vec",
            Self::OrxLinear => "orx-split-vec, linear",
            Self::SegVec => "segvec",
        }
    }

    /// Does something with an array of this kind.
    pub(crate) fn make<E: Element, J: Job<E>>(self, job: J) -> J::Found {
        match self {
            Self::Vec => job.run::<Vec<E>>(),
            Self::VmVec => job.run::<VmVec<E>>(),
            Self::BlockVec => job.run::<BlockVec<E>>(),
            Self::BlockVecDoubling => job.run::<Doubling<E>>(),
            Self::Boxcar => job.run::<Boxcar<E>>(),
            Self::OrxDoubling => job.run::<OrxDoubling<E>>(),
            Self::OrxLinear => job.run::<OrxLinear<E>>(),
            Self::SegVec => job.run::<SegVec<E>>(),
        }
    }
}

/// What is done with an array, whichever it is.
pub(crate) trait Job<E: Element> {
    type Found;
    fn run<A: Array<E>>(self) -> Self::Found;
}

/// What arrays that are slices have by the same names.
macro_rules! slice {
    ($array:ident) => {
        impl<E: Element> Array<E> for $array<E> {
            fn new() -> Self {
                $array::new()
            }

            fn with_room(count: usize) -> Self {
                $array::with_capacity(count)
            }

            #[inline]
            fn push(&mut self, element: E) {
                self.push(element);
            }

            #[inline]
            fn at(&self, index: usize) -> &E {
                &self[index]
            }

            #[inline]
            fn each(&self) -> impl Iterator<Item = &E> {
                self.iter()
            }

            fn sum_of_slices(&self) -> Option<u64> {
                Some(sum_of_slice(self))
            }

            fn clear(&mut self) {
                self.clear();
            }
        }
    };
}
slice!(Vec);
slice!(VmVec);

impl<E: Element> Array<E> for BlockVec<E> {
    fn new() -> Self {
        Self::new()
    }

    fn with_room(count: usize) -> Self {
        Self::with_capacity(count)
    }

    #[inline]
    fn push(&mut self, element: E) {
        self.push(element);
    }

    #[inline]
    fn at(&self, index: usize) -> &E {
        &self[index]
    }

    #[inline]
    fn each(&self) -> impl Iterator<Item = &E> {
        self.iter()
    }

    fn sum_of_slices(&self) -> Option<u64> {
        Some(sum_of(self.blocks()))
    }

    fn clear(&mut self) {
        self.clear();
    }
}

/// From a block of 1 KiB on.
pub(crate) struct Doubling<E>(BlockVec<E>);

impl<E: Element> Array<E> for Doubling<E> {
    fn new() -> Self {
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
