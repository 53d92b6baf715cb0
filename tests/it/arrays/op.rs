//! Operations on arrays, and the values that they take.

use super::elements::{Element, Source};
use std::ops::Range;

arbitrary! {
    /// A number of elements: mostly few, sometimes up to the maximum of a run.
    pub(crate) struct Count(u16);
}

impl Count {
    const FEW: u16 = 0xf400;

    pub(crate) fn of<T: Element>(self) -> usize {
        self.up_to(T::SPAN)
    }

    pub(crate) fn up_to(self, span: usize) -> usize {
        match self.0.checked_sub(Self::FEW) {
            None => usize::from(self.0 % 24),
            Some(part) => usize::from(part) * span / usize::from(u16::MAX - Self::FEW),
        }
    }
}

arbitrary! {
    /// An index; beyond the end it wraps around.
    pub(crate) struct Index(pub(crate) u16);
}

impl Index {
    /// At most `len`.
    pub(crate) fn within(self, len: usize) -> usize {
        // Large arrays are accessed near both ends, where mistakes are likely.
        let index = usize::from(self.0) % (len + 1);
        if self.0 & 1 == 0 { index } else { len - index }
    }
}

arbitrary! {
    pub(crate) struct Span(Index, Index);
}

impl Span {
    pub(crate) fn within(self, len: usize) -> Range<usize> {
        let (a, b) = (self.0.within(len), self.1.within(len));
        a.min(b)..a.max(b)
    }
}

arbitrary! {
    /// How an iterator's size hint is wrong.
    pub(crate) enum Hint {
        Exact,
        Unknown,
        Half,
        TooMany,
        Absurd,
    }

    /// A number of values, and their seed.
    pub(crate) struct Batch {
        pub(crate) count: Count,
        seed: u8,
    }
}

impl Batch {
    pub(crate) fn source<T: Element>(self, hint: Hint) -> Source<T> {
        let left = self.count.of::<T>();
        let lower = match hint {
            Hint::Exact => left,
            Hint::Unknown => 0,
            Hint::Half => left / 2,
            Hint::TooMany => left + 1000,
            Hint::Absurd => usize::MAX,
        };
        Source::new(self.seed, left, lower)
    }

    pub(crate) fn vec<T: Element>(self) -> Vec<T> {
        self.source(Hint::Exact).collect()
    }
}

arbitrary! {
    /// The steps an iterator takes from the front and the back, and whether it is leaked then.
    pub(crate) struct Partly {
        pub(crate) front: Count,
        pub(crate) back: Count,
        pub(crate) forget: bool,
    }

    /// Selects some of the elements.
    pub(crate) struct Choice(u8);
}

impl Choice {
    pub(crate) fn names(self, element: &impl Element) -> bool {
        (element.key() ^ self.0) % (self.0 % 5 + 1) != 0
    }
}
arbitrary! {
    /// An operation of `Vec` that all arrays have.
    pub(crate) enum VecOp {
        Push(u8),
        PushMut(u8, u8),
        Pop,
        PopIf(Choice),
        Insert(Index, u8),
        InsertMut(Index, u8, u8),
        Remove(Index),
        SwapRemove(Index),
        Set(Index, u8),
        IndexOf(Index),
        Truncate(Index),
        Clear,
        Resize(Count, u8),
        ResizeWith(Count, u8),
        Extend(Batch, Hint),
        ExtendFiltered(Batch, Choice),
        ExtendFromSlice(Batch),
        ExtendFromWithin(Span),
        Append(Batch),
        AppendVec(Batch),
        SplitOff(Index, bool),
        Drain(Span, Partly),
        ExtractIf(Span, Choice, Partly),
        Retain(Choice),
        RetainMut(Choice),
        Dedup,
        DedupBy(u8),
        DedupByKey(u8),
        Reserve(Count),
        ReserveExact(Count),
        ShrinkToFit,
        ShrinkTo(Count),
        /// With a number of steps, and a budget in bytes for each.
        ShrinkWithin(u8, u16),
        Clone,
        CloneFrom(Batch),
        IntoIter(Partly),
        Move,
    }

    #[derive(Clone, Debug)]
    /// An operation of `Vec`, or one that only this array has.
    pub(crate) enum Op<E> {
        Vec(VecOp),
        Own(E),
    }

    /// The options of a `VmVec` or `SharedVec`.
    pub(crate) enum Config {
        Default,
        MaxLen,
        Fixed(u16),
        HugePages,
        /// With commit-ahead and background release.
        Served(u16),
        ServedMaxLen,
        /// In caller-provided memory, in runs of 64 bytes to 64 KiB: as much as needed, or more.
        Backed(u8),
    }
}

impl Config {
    pub(crate) fn names_maximum(self) -> bool {
        matches!(self, Self::MaxLen | Self::ServedMaxLen | Self::Backed(_))
    }
}
