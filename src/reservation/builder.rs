//! [`ReservationBuilder`]: the options of a reservation.

#![forbid(unsafe_code)]

use super::stripes::{ColumnLayouts, Stripes, layouts};
use super::{HugePages, Reservation, unreleased};
use crate::error::{Error, ErrorKind};
use crate::os::{self, Mapping};
use crate::page::{PageBytes, PageSize};
use crate::register::{Label, Name, Place, Registration};

/// Options for a [`Reservation`]; see [`Reservation::builder`].
///
/// # Examples
///
/// ```
/// use stayput::{HugePages, Reservation};
///
/// # fn main() -> Result<(), stayput::Error> {
/// let range = Reservation::builder()
///     .bytes(1 << 32)
///     .align(1 << 20)
///     .huge_pages(HugePages::Never)
///     .reserve()?;
/// assert_eq!(range.as_ptr().addr() % (1 << 20), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use = "nothing is reserved before `reserve` is called"]
pub struct ReservationBuilder {
    bytes: usize,
    align: usize,
    huge_pages: HugePages,
    form: Form,
    /// The columns that the range is divided into.
    columns: Option<ColumnLayouts>,
    name: Name,
}

/// What is done in addition to reserving the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Advice about huge pages, an alignment that suits them, and a guard page after the end.
    Usual,
    /// `Usual`, but huge pages are not requested before [`Reservation::want_huge_pages`].
    AdvisedLater,
    /// `Usual`, but huge pages are not requested before [`Reservation::advise_up_to`] reaches them.
    AdvisedAsUsed,
    /// Nothing.
    Bare,
}

impl ReservationBuilder {
    pub(super) const USUAL: Self = Self {
        bytes: 0,
        align: 1,
        huge_pages: HugePages::Auto,
        form: Form::Usual,
        columns: None,
        name: Name::NONE,
    };

    /// Sets how many bytes to reserve, rounded up to whole pages. Defaults to 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Reservation, page_size};
    ///
    /// let range = Reservation::builder().bytes(1).reserve()?;
    /// assert_eq!(range.reserved_bytes(), page_size());
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the alignment of the range, a power of two. It is at least a page.
    ///
    /// # Examples
    ///
    /// ```
    /// let range = stayput::Reservation::builder().bytes(1 << 20).align(1 << 20).reserve()?;
    /// assert_eq!(range.as_ptr().addr() % (1 << 20), 0);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub const fn align(mut self, align: usize) -> Self {
        self.align = align;
        self
    }

    /// Sets whether to request huge pages, as [`HugePages`] describes. A reservation that has them is aligned to one.
    /// Defaults to [`HugePages::Auto`].
    pub const fn huge_pages(mut self, huge_pages: HugePages) -> Self {
        self.huge_pages = huge_pages;
        self
    }

    /// Sets the name shown by [`memory_map`](crate::memory_map()) and, on Linux, in the list of mappings of the process. See
    /// [`Builder::name`](crate::Builder::name) for details.
    ///
    /// # Examples
    ///
    /// ```
    /// let range = stayput::Reservation::builder().bytes(1 << 30).name("textures").reserve()?;
    /// let map = stayput::memory_map();
    /// let entry = map.entries.iter().find(|entry| entry.name == Some("textures")).unwrap();
    /// assert_eq!(entry.address, range.as_ptr().addr());
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[cfg(feature = "memory-map")]
    pub const fn name(mut self, name: &'static str) -> Self {
        self.name = Name::new(name);
        self
    }

    /// Does not request huge pages with [`HugePages::Auto`] before [`Reservation::want_huge_pages`].
    pub(crate) const fn advised_later(mut self) -> Self {
        self.form = Form::AdvisedLater;
        self
    }

    /// Does not request huge pages before [`Reservation::advise_up_to`] reaches where they are wanted.
    pub(crate) const fn advised_as_used(mut self) -> Self {
        self.form = Form::AdvisedAsUsed;
        self
    }

    /// Reserves only the range: without guard page, advice, or padding beyond the requested alignment, so that adjacent
    /// ranges can be one mapping.
    pub(crate) const fn bare(mut self) -> Self {
        self.form = Form::Bare;
        self
    }

    /// Counts the bytes in rows, which are divided into columns, none of them empty. See [`Stripes`].
    pub(crate) const fn columns(mut self, columns: Option<ColumnLayouts>) -> Self {
        self.columns = columns;
        self
    }

    /// Reserves the range.
    ///
    /// # Errors
    ///
    /// The errors of [`Reservation::new`], and [`Alignment`](ErrorKind::Alignment) if the alignment is not a power of
    /// two.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{ErrorKind, Reservation};
    ///
    /// let range = Reservation::builder().bytes(1 << 30).reserve()?;
    /// assert_eq!(range.reserved_bytes(), 1 << 30);
    /// let error = Reservation::builder().bytes(usize::MAX).reserve().unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::CapacityOverflow);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn reserve(self) -> Result<Reservation, Error> {
        let plan = self.plan()?;
        unreleased::release_kept();
        Ok(plan.at(Mapping::reserve(plan.mapping_bytes)?, self.label()))
    }

    /// [`reserve`](Self::reserve) without the reason for a refusal.
    #[inline(never)]
    pub(crate) fn reserve_if_possible(self) -> Option<Reservation> {
        let plan = self.plan().ok()?;
        unreleased::release_kept();
        Some(plan.at(Mapping::reserve_if_possible(plan.mapping_bytes)?, self.label()))
    }

    /// Takes a range whose release was refused, if there is one that suits. It may be somewhat larger than requested.
    /// It is committed and zero.
    pub(crate) fn reuse_if_possible(self) -> Option<Reservation> {
        let plan = self.plan().ok()?;
        let mut reservation = plan.at(unreleased::take(plan.mapping_bytes)?, self.label());
        // It may have that of the previous owner.
        reservation.show_name();
        // If this is refused, the range waits to be released again.
        reservation.discard(..).is_ok().then_some(reservation)
    }

    /// What the register says, unless the owner sets another label.
    #[cfg_attr(debug_assertions, track_caller)]
    fn label(self) -> Label {
        Label::new("Reservation", Place::caller()).named(self.name)
    }

    fn plan(self) -> Result<MappingPlan, Error> {
        if !self.align.is_power_of_two() {
            return Err(Error::new(ErrorKind::Alignment, self.bytes).with_limit(self.align as u64));
        }
        let page = os::page_size();
        if isize::try_from(self.bytes).is_err() {
            return Err(Error::new(ErrorKind::CapacityOverflow, self.bytes));
        }
        // Whole pages, guard page and padding may exceed the addresses.
        let too_much = |bytes| Error::new(ErrorKind::AddressSpace, bytes);
        let bytes = PageBytes::ceil(self.bytes, page).ok_or_else(|| too_much(self.bytes))?;

        let huge = self.huge_pages.page_bytes().filter(|_| self.form != Form::Bare);
        // Each column has huge pages of its own, the last of which is partly unused. Together they may waste as much as
        // a single array, and relatively less the larger it is.
        let columns = self.columns.map_or(1, |columns| layouts(columns).len());
        let of_all = |from: usize| (from / 4).checked_mul(columns.max(4));
        let wanted_from = self.huge_pages.wanted_from().and_then(of_all);
        let huge_from = wanted_from.filter(|&from| huge.is_some() && bytes.get() > from);
        let huge_align = huge.filter(|_| huge_from.is_some()).unwrap_or(1);
        let align = self.align.max(huge_align).max(page.get());

        let span = match self.columns {
            // Huge pages do not affect the span.
            Some(columns) => {
                let stripes = Stripes::new(columns, bytes, page, None);
                stripes.ok_or_else(|| too_much(self.bytes))?.span()
            }
            None => bytes,
        };
        let mapping_bytes = self
            .mapping_bytes(span, align, page)
            .ok_or_else(|| too_much(self.bytes.saturating_add(align)))?;
        let waits = self.form == Form::AdvisedLater && self.huge_pages == HugePages::Auto;
        let huge_from = huge_from.filter(|_| !waits);
        let Self { columns, huge_pages, .. } = self;
        let advised_to = if self.form == Form::AdvisedAsUsed { 1 } else { usize::MAX };
        Ok(MappingPlan { bytes, columns, align, mapping_bytes, huge_from, huge_pages, advised_to })
    }

    /// The size of the mapping, with padding to align the start, and a guard page after the end.
    fn mapping_bytes(self, bytes: PageBytes, align: usize, page: PageSize) -> Option<PageBytes> {
        // `align` and the page size are powers of two, and `align` is not smaller, so this is whole pages.
        let slack = PageBytes::exact(align - page.get(), page)?;
        let guard = match self.form {
            Form::Bare => PageBytes::ZERO,
            Form::Usual | Form::AdvisedLater | Form::AdvisedAsUsed => PageBytes::one(page),
        };
        bytes.checked_add(slack)?.checked_add(guard)
    }
}

/// How to turn a mapping into a reservation. Made only by [`ReservationBuilder::plan`].
#[derive(Clone, Copy)]
struct MappingPlan {
    bytes: PageBytes,
    columns: Option<ColumnLayouts>,
    align: usize,
    mapping_bytes: PageBytes,
    huge_from: Option<usize>,
    huge_pages: HugePages,
    /// Huge pages are requested immediately if they are wanted before this offset.
    advised_to: usize,
}

impl MappingPlan {
    /// Returns the reservation that owns a mapping of `mapping_bytes` or more.
    fn at(self, mapping: Mapping, label: Label) -> Reservation {
        let Self { bytes, columns, align, huge_from, huge_pages, advised_to, .. } = self;
        // The mapping begins at a page, so this takes at most `align` minus one page, by which it is larger than `bytes`
        // and the guard page.
        let to_aligned = mapping.start().addr().get().wrapping_neg() & (align - 1);
        let mut reservation = Reservation {
            start: mapping.at(to_aligned),
            bytes,
            columns,
            mapping,
            huge_from,
            huge_pages,
            is_advised: false,
            taken: None,
            offer: None,
            registration: Registration::NONE,
        };
        reservation.registration =
            Registration::new(reservation.start, reservation.span().get(), label);
        if reservation.registration.name().is_some() {
            reservation.show_name();
        }
        reservation.advise_up_to(advised_to);
        reservation
    }
}

impl Default for ReservationBuilder {
    fn default() -> Self {
        Self::USUAL
    }
}
