//! [`Builder`]: options for a container.

use crate::backing::Backing;
use crate::error::{Error, Refused, or_give_up};
use crate::growing::option_methods;
use crate::raw_vec::Options;
use std::fmt;
use std::marker::PhantomData;

/// Options for a container, which its `builder` method returns; see [`VmVec::builder`](crate::VmVec::builder).
///
/// Each kind of container has a name for its builder: [`VecBuilder`](crate::VecBuilder),
/// [`SlotMapBuilder`](crate::SlotMapBuilder) and so on. `O` are the options that only some containers have. Setters are
/// `const`, so a program can keep the options it uses in a constant:
///
/// ```
/// use stayput::{CommitAhead, VecBuilder, VmVec};
///
/// const SAMPLES: VecBuilder<f32> =
///     VmVec::builder().max_len(1 << 24).commit_ahead(CommitAhead::Auto);
/// assert_eq!(SAMPLES.build().max_len(), 1 << 24);
/// ```
#[must_use = "nothing is made before `build` is called"]
pub struct Builder<C, O = ()> {
    pub(crate) options: Options,
    pub(crate) capacity: usize,
    /// Options that not every container has.
    pub(crate) own: O,
    container: PhantomData<fn() -> C>,
}

/// A container that a [`Builder`] with the options `O` makes.
pub trait Container<O = ()>: Sized {
    /// The name of the builder.
    const BUILDER: &'static str;
    /// What holds where nothing is chosen.
    const DEFAULTS: Options = Options::DEFAULT;

    fn try_from_builder(builder: Builder<Self, O>) -> Result<Self, Error>;
}

/// The same for a container in memory that is supplied.
pub trait ContainerIn<O = ()>: Container<O> {
    fn try_from_builder_in<B: Backing>(
        builder: Builder<Self, O>,
        backing: B,
    ) -> Result<Self, Refused<B>>;
}

/// Options that not every container has.
pub trait OwnOptions: Copy {
    const DEFAULT: Self;

    /// Shows them as fields of a builder.
    fn show(self, shown: &mut fmt::DebugStruct<'_, '_>);
}

impl OwnOptions for () {
    const DEFAULT: Self = ();

    fn show(self, _: &mut fmt::DebugStruct<'_, '_>) {}
}

impl<C, O: OwnOptions> Builder<C, O> {
    /// The same for a part of the container, whose memory is taken as `options` say.
    pub(crate) const fn part<P>(self, options: Options) -> Builder<P, O> {
        Builder { options, capacity: self.capacity, own: self.own, container: PhantomData }
    }

    /// Sets how many elements, rows or slots there can ever be. Addresses for them are reserved at once.
    ///
    /// In a map, slots that are retired and keys that are used up count. A [`SecondaryMap`](crate::SecondaryMap) refuses
    /// indices from `max_len` on.
    ///
    /// Without a maximum, as much is reserved as the machine has memory, or as keys can number, but each of very many
    /// containers has less; see [`VmVec::new`](crate::VmVec::new). Where there is [no virtual memory](crate#systems) that
    /// is little, so name a maximum there.
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.options.max_len = Some(max_len);
        self
    }

    /// Sets for how many elements, rows or slots to commit memory at once. Defaults to 0.
    ///
    /// Without [`max_len`](Self::max_len), enough addresses are reserved for them, even if that is more than the default. A
    /// [`SecondaryMap`](crate::SecondaryMap) counts indices, which are thereby
    /// [announced](crate::SecondaryMap#far-indices).
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    option_methods!();
}

impl<C: Container<O>, O: OwnOptions> Builder<C, O> {
    pub(crate) const fn new() -> Self {
        Self { options: C::DEFAULTS, capacity: 0, own: O::DEFAULT, container: PhantomData }
    }

    /// Makes the container.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> C {
        or_give_up(self.try_build())
    }

    /// Makes the container. Enters the kernel if a maximum, a capacity or memory ahead of use was asked for.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had; if the capacity is more than the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); if either has more than `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); for a map, if its keys cannot index all the slots, or
    /// the type number does not fit into them ([`KeyBits`](crate::ErrorKind::KeyBits)).
    pub fn try_build(self) -> Result<C, Error> {
        C::try_from_builder(self)
    }
}

impl<C: ContainerIn<O>, O: OwnOptions> Builder<C, O> {
    /// Makes the container in memory that is supplied; it holds what fits there, or the maximum if that is less. See
    /// [`Backing`] for what else is different. Containers that are made of several arrays cannot be made so.
    ///
    /// The values of a map lie there with their generations; what it knows of holes and gaps, a bit a slot and a little for
    /// recent ones, is kept elsewhere, as are the flags of a [`SharedVec`](crate::SharedVec).
    ///
    /// A container that threads share calls the backing with its lock held: a thread that needs more memory waits for that
    /// call. So the backing must not wait for such a thread; a call that comes back to the container itself is refused.
    ///
    /// # Panics
    ///
    /// If [`try_build_in`](Self::try_build_in) returns an error.
    #[track_caller]
    pub fn build_in(self, backing: impl Backing) -> C {
        or_give_up(self.try_build_in(backing))
    }

    /// [`build_in`](Self::build_in), or the error and the backing. Calls the backing to commit memory if a capacity was
    /// asked for.
    ///
    /// # Errors
    ///
    /// If the memory is less aligned than the elements must be, or its runs are no power of two
    /// ([`Alignment`](crate::ErrorKind::Alignment)); if it has more than `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); if the capacity does not fit there or is more than the
    /// maximum ([`MaxLen`](crate::ErrorKind::MaxLen)); if the backing refuses; if the allocator refuses the small blocks
    /// that a container also takes ([`Memory`](crate::ErrorKind::Memory)); for a map, as for
    /// [`try_build`](Self::try_build), too. None of the backing's memory is committed then, unless it refused to take
    /// that back.
    pub fn try_build_in<B: Backing>(self, backing: B) -> Result<C, Refused<B>> {
        C::try_from_builder_in(self, backing)
    }
}

impl<C, O: Copy> Clone for Builder<C, O> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C, O: Copy> Copy for Builder<C, O> {}

impl<C: Container<O>, O: OwnOptions> fmt::Debug for Builder<C, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(C::BUILDER);
        self.options.show(&mut shown).field("capacity", &self.capacity);
        self.own.show(&mut shown);
        shown.finish()
    }
}
