//! [`Builder`]: options for a container.

use crate::backing::Backing;
use crate::error::{Error, Refused, unwrap_or_panic};
use crate::growing::option_methods;
use crate::raw_vec::Options;
use crate::register::Place;
use std::fmt;
use std::marker::PhantomData;

/// Options for a container, returned by its `builder` method; see [`VmVec::builder`](crate::VmVec::builder).
///
/// Each kind of container has an alias for its builder: [`VecBuilder`](crate::VecBuilder),
/// [`SlotMapBuilder`](crate::SlotMapBuilder) and so on. `O` holds options that only some containers have. Setters are
/// `const`, so a program can keep its options in a constant.
///
/// # Examples
///
/// ```
/// use stayput::{CommitAhead, VecBuilder, VmVec};
///
/// const SAMPLES: VecBuilder<f32> =
///     VmVec::builder().max_len(1 << 24).commit_ahead(CommitAhead::Auto);
/// assert_eq!(SAMPLES.build().max_len(), 1 << 24);
/// ```
#[must_use = "a builder does nothing until `build` is called"]
pub struct Builder<C, O = ()> {
    pub(crate) options: Options,
    pub(crate) capacity: usize,
    /// Options that not every container has.
    pub(crate) own: O,
    container: PhantomData<fn() -> C>,
}

/// A container that a [`Builder`] with the options `O` builds.
pub trait Container<O = ()>: Sized {
    const BUILDER: &'static str;
    const DEFAULTS: Options = Options::DEFAULT;
    /// Whether commit-ahead has little memory ready before any is used.
    const STARTS_SMALL: bool = false;

    fn try_from_builder(builder: Builder<Self, O>) -> Result<Self, Error>;
}

/// A container that can also be built in caller-provided memory.
pub trait ContainerIn<O = ()>: Container<O> {
    fn try_from_builder_in<B: Backing>(
        builder: Builder<Self, O>,
        backing: B,
    ) -> Result<Self, Refused<B>>;
}

/// Options that not every container has.
pub trait OwnOptions: Copy {
    const DEFAULT: Self;

    /// Adds the options to the `Debug` output of a builder.
    fn show(self, shown: &mut fmt::DebugStruct<'_, '_>);
}

impl OwnOptions for () {
    const DEFAULT: Self = ();

    fn show(self, _: &mut fmt::DebugStruct<'_, '_>) {}
}

impl<C, O: OwnOptions> Builder<C, O> {
    /// Returns the same builder for a part of the container, whose memory is reserved as `options` say.
    pub(crate) const fn part<P>(self, options: Options) -> Builder<P, O> {
        Builder { options, capacity: self.capacity, own: self.own, container: PhantomData }
    }

    /// Sets the maximum number of elements, rows or slots, and reserves the addresses for them when the container is
    /// built.
    ///
    /// In a map, retired slots and exhausted keys count. A [`SecondaryMap`](crate::SecondaryMap) refuses indices from
    /// `max_len` on.
    ///
    /// Defaults to as much as the machine has memory, or as many as keys can index, and less if there are very many
    /// containers; see [`VmVec::new`](crate::VmVec::new). Without [virtual memory](crate::guide::the_web) the default
    /// is small, so set a maximum there.
    pub const fn max_len(mut self, max_len: usize) -> Self {
        self.options.max_len = Some(max_len);
        self
    }

    /// Sets how many elements, rows or slots to commit memory for when the container is built. Defaults to 0.
    ///
    /// Without [`max_len`](Self::max_len), enough addresses for these are reserved, even if they exceed the default.
    /// For a [`SecondaryMap`](crate::SecondaryMap) this is a number of indices, and
    /// [announces](crate::SecondaryMap#far-indices) them.
    pub const fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    option_methods!();
}

impl<C: Container<O>, O: OwnOptions> Builder<C, O> {
    pub(crate) const fn new() -> Self {
        let options = Options { starts_small: C::STARTS_SMALL, ..C::DEFAULTS };
        Self { options, capacity: 0, own: O::DEFAULT, container: PhantomData }
    }

    /// Records where the container is built.
    const fn made_by(mut self, place: Place) -> Self {
        self.options.place = place;
        self
    }

    /// Builds the container.
    ///
    /// # Panics
    ///
    /// If [`try_build`](Self::try_build) returns an error.
    #[track_caller]
    pub fn build(self) -> C {
        unwrap_or_panic(self.try_build())
    }

    /// Builds the container, or returns the error. Makes system calls if a maximum, a capacity or commit-ahead was
    /// requested.
    ///
    /// # Errors
    ///
    /// If the system refuses the addresses or the memory; if the capacity exceeds the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); if either exceeds `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); and for a map, if its keys cannot index all slots or
    /// the type id does not fit into them ([`KeyBits`](crate::ErrorKind::KeyBits)).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn try_build(self) -> Result<C, Error> {
        C::try_from_builder(self.made_by(Place::caller()))
    }
}

impl<C: ContainerIn<O>, O: OwnOptions> Builder<C, O> {
    /// Builds the container in caller-provided memory. It holds as much as fits there, or the maximum if that is less.
    /// See [`Backing`] for other differences. [`Columns`](crate::ColumnsBuilder) do not support this.
    ///
    /// The backing holds the values of a map, and their generations. Everything else is allocated elsewhere: the record
    /// of holes and gaps in a map (one bit per slot, and a little for recent holes), the flags of a
    /// [`SharedVec`](crate::SharedVec), the indices of a [`Table`](crate::Table), and all parts of a
    /// [`DenseSlotMap`](crate::DenseSlotMap) except the values.
    ///
    /// A container that threads share calls the backing while it holds its lock, and other threads that need more
    /// memory wait for that call. The backing must therefore not wait for such a thread. A call from the backing to the
    /// container itself is refused.
    ///
    /// # Panics
    ///
    /// If [`try_build_in`](Self::try_build_in) returns an error.
    #[track_caller]
    pub fn build_in(self, backing: impl Backing) -> C {
        unwrap_or_panic(self.try_build_in(backing))
    }

    /// Builds the container in a [`Backing`] like [`build_in`](Self::build_in), or returns the error and the backing.
    /// Calls the backing to commit memory if a capacity was requested.
    ///
    /// # Errors
    ///
    /// If the alignment of the memory is less than that of the elements, or its run size is not a power of two
    /// ([`Alignment`](crate::ErrorKind::Alignment)); if it or the capacity exceeds `isize::MAX` bytes
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)); if the capacity does not fit or exceeds the maximum
    /// ([`MaxLen`](crate::ErrorKind::MaxLen)); if the backing refuses; if the allocator refuses the small blocks that a
    /// container also needs ([`Memory`](crate::ErrorKind::Memory)); and for a map, also as for
    /// [`try_build`](Self::try_build). After an error, no memory of the backing is committed, unless the backing
    /// refused to decommit it.
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
