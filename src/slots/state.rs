//! [`State`]: the word next to a value, which has its generation, and says whether the value is there.

#![forbid(unsafe_code)]

/// The state of a slot: live with a generation, or [`Vacant`].
///
/// One bit says which, and no vacant word has it set. So comparing a vacant slot with a key fails, whatever generation
/// the key has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct State(u32);

/// The state of a slot without a value: the last generation that the slot had, or 0.
///
/// 0, which fresh pages hold, is the state of a slot of which nothing is known here: it was never used, its memory was
/// returned to the system, or it is retired.
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

    /// The state that a value of this generation leaves when it is removed.
    #[inline]
    pub(crate) const fn vacant(generation: u32) -> Self {
        Self(generation & !LIVE)
    }

    #[inline]
    pub(crate) const fn is_live(self) -> bool {
        self.0 & LIVE != 0
    }

    /// Whether there is a value of a later generation.
    #[inline]
    pub(crate) const fn is_newer_than(self, generation: u32) -> bool {
        self.0 > Self::live(generation).0
    }

    /// Returns a state that is live if both are.
    #[inline]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns the generation of the value, or the last one that the slot had, or 0.
    #[inline]
    pub(crate) const fn generation(self) -> u32 {
        self.0 & !LIVE
    }

    /// Returns the word, for access by an atomic.
    #[inline]
    pub(crate) const fn to_bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

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
