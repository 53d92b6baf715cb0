//! The word beside a value: its generation, and whether it is there.

#![forbid(unsafe_code)]

/// The state of a slot: live with a generation, or [`Vacant`].
///
/// One bit says which, and no vacant word has it, so whatever generation a key carries, comparing
/// it with a vacant slot fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct State(u32);

/// The state of a slot without a value: the last generation that was in it, or 0.
///
/// 0, which fresh pages hold, is a slot of which nothing is known here: never used, or handed back
/// to the system, or retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Vacant(u32);

const LIVE: u32 = 1 << 31;

impl State {
    pub(crate) const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) const fn live(generation: u32) -> Self {
        Self(generation | LIVE)
    }

    /// The one that a value of a generation leaves.
    #[inline]
    pub(crate) const fn vacant(generation: u32) -> Self {
        Self(generation & !LIVE)
    }

    #[inline]
    pub(crate) const fn is_live(self) -> bool {
        self.0 & LIVE != 0
    }

    /// Live if both are.
    #[inline]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The generation of the value, or the last one that was here, or 0.
    #[inline]
    pub(crate) const fn generation(self) -> u32 {
        self.0 & !LIVE
    }

    /// The word, for those who come to it by an atomic.
    #[inline]
    pub(crate) const fn to_bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The generation of the value, if there is one.
    #[inline]
    pub(crate) const fn live_generation(self) -> Option<u32> {
        if self.is_live() { Some(self.generation()) } else { None }
    }
}

impl Vacant {
    pub(crate) const EMPTY: Self = Self(0);

    #[inline]
    pub(crate) const fn after(generation: u32) -> Self {
        Self(generation & !LIVE)
    }
}

impl From<Vacant> for State {
    #[inline]
    fn from(vacant: Vacant) -> Self {
        Self(vacant.0)
    }
}
