//! [`ReservationBuilder`]: what can be said of a reservation before it is made.

#![expect(unsafe_code, reason = "finds where in a mapping a range begins")]

use super::stripes::{ColumnLayouts, Stripes, layouts};
use super::{HugePages, Reservation, unreleased};
use crate::error::{Error, ErrorKind};
use crate::os;
use crate::page::{PageBytes, PageSize};
use std::ptr::NonNull;

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
    /// To which columns it is dealt out.
    columns: Option<ColumnLayouts>,
}

/// What is made beside the range itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Advice about huge pages, an alignment that suits them, a guard page behind the end.
    Usual,
    /// The same, but huge pages are not asked for before [`Reservation::want_huge_pages`].
    AdvisedLater,
    /// The same, but huge pages are not asked for before [`Reservation::advise_up_to`] reaches them.
    AdvisedAsUsed,
    /// Nothing.
    Bare,
}

impl ReservationBuilder {
    pub(super) const USUAL: Self =
        Self { bytes: 0, align: 1, huge_pages: HugePages::Auto, form: Form::Usual, columns: None };

    /// How many bytes to reserve; rounded up to whole pages. None, if not said.
    pub const fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// To what to align the start of the range: a power of two. Less than a page means a page.
    pub const fn align(mut self, align: usize) -> Self {
        self.align = align;
        self
    }

    /// Whether to ask for huge pages. A reservation that is to have them is aligned to one.
    pub const fn huge_pages(mut self, huge_pages: HugePages) -> Self {
        self.huge_pages = huge_pages;
        self
    }

    /// Has [`HugePages::Auto`] not ask for any before [`Reservation::want_huge_pages`].
    pub(crate) const fn advised_later(mut self) -> Self {
        self.form = Form::AdvisedLater;
        self
    }

    /// Has huge pages not be asked for before [`Reservation::advise_up_to`] reaches where they are wanted.
    pub(crate) const fn advised_as_used(mut self) -> Self {
        self.form = Form::AdvisedAsUsed;
        self
    }

    /// The range and nothing else: no guard page, no alignment but the one asked for, and no advice,
    /// so that such ranges side by side can be one mapping to the system.
    pub(crate) const fn bare(mut self) -> Self {
        self.form = Form::Bare;
        self
    }

    /// Has the bytes be those of rows, and dealt out to columns, none of which is without bytes. See
    /// [`Stripes`].
    pub(crate) const fn columns(mut self, columns: Option<ColumnLayouts>) -> Self {
        self.columns = columns;
        self
    }

    /// Reserves the range.
    ///
    /// # Errors
    ///
    /// As for [`Reservation::new`], and [`Alignment`](ErrorKind::Alignment) if the alignment is
    /// no power of two.
    pub fn reserve(self) -> Result<Reservation, Error> {
        let plan = self.plan()?;
        unreleased::release_kept();
        Ok(plan.at(os::reserve(plan.mapping_bytes)?))
    }

    /// [`reserve`](Self::reserve), for those who will ask for less where it is refused.
    #[inline(never)]
    pub(crate) fn reserve_if_possible(self) -> Option<Reservation> {
        let plan = self.plan().ok()?;
        unreleased::release_kept();
        Some(plan.at(os::reserve_if_possible(plan.mapping_bytes)?))
    }

    /// The same, of what waits to be released, since the system did not take it back: it may be somewhat larger
    /// than was said. It is committed, and zero.
    pub(crate) fn reuse_if_possible(self) -> Option<Reservation> {
        let plan = self.plan().ok()?;
        let (start, mapping_bytes) = unreleased::take(plan.mapping_bytes)?;
        let mut reservation = Plan { mapping_bytes, ..plan }.at(start);
        // If that is refused, it waits again.
        reservation.discard(..).is_ok().then_some(reservation)
    }

    fn plan(self) -> Result<Plan, Error> {
        if !self.align.is_power_of_two() {
            return Err(Error::new(ErrorKind::Alignment, self.bytes).with_limit(self.align as u64));
        }
        let page = os::page_size();
        if isize::try_from(self.bytes).is_err() {
            return Err(Error::new(ErrorKind::CapacityOverflow, self.bytes));
        }
        // Whole pages, a guard page and what aligns them may be more than there can be.
        let too_much = |bytes| Error::new(ErrorKind::AddressSpace, bytes);
        let bytes = PageBytes::ceil(self.bytes, page).ok_or_else(|| too_much(self.bytes))?;

        let huge = self.huge_pages.page_bytes().filter(|_| self.form != Form::Bare);
        // Each column has its own, of which the last is in part of no use: together as much as there is, at most, and
        // less the more there is.
        let columns = self.columns.map_or(1, |columns| layouts(columns).len());
        let of_all = |from: usize| (from / 4).checked_mul(columns.max(4));
        let wanted_from = self.huge_pages.wanted_from().and_then(of_all);
        let huge_from = wanted_from.filter(|&from| huge.is_some() && bytes.get() > from);
        let huge_align = huge.filter(|_| huge_from.is_some()).unwrap_or(1);
        let align = self.align.max(huge_align).max(page.get());

        let span = match self.columns {
            // Huge pages are no matter for this.
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
        Ok(Plan { bytes, columns, align, mapping_bytes, huge_from, huge_pages, advised_to })
    }

    /// What to ask the system for: room to align the start, and a guard page behind the end.
    fn mapping_bytes(self, bytes: PageBytes, align: usize, page: PageSize) -> Option<PageBytes> {
        // Both are powers of two, and `align` is the larger: whole pages.
        let slack = PageBytes::exact(align - page.get(), page)?;
        let guard = match self.form {
            Form::Bare => PageBytes::ZERO,
            Form::Usual | Form::AdvisedLater | Form::AdvisedAsUsed => PageBytes::one(page),
        };
        bytes.checked_add(slack)?.checked_add(guard)
    }
}

/// What a builder will make of a mapping. Only [`ReservationBuilder::plan`] makes one.
#[derive(Clone, Copy)]
struct Plan {
    bytes: PageBytes,
    columns: Option<ColumnLayouts>,
    align: usize,
    mapping_bytes: PageBytes,
    huge_from: Option<usize>,
    huge_pages: HugePages,
    /// Huge pages are asked for at once if they are wanted before this.
    advised_to: usize,
}

impl Plan {
    /// The reservation that owns the mapping at `mapping_start`, of `mapping_bytes`.
    fn at(self, mapping_start: NonNull<u8>) -> Reservation {
        let Self { bytes, columns, align, mapping_bytes, huge_from, huge_pages, advised_to } = self;
        let to_aligned = mapping_start.addr().get().wrapping_neg() & (align - 1);
        // SAFETY: `mapping_start` is at a page boundary, so it takes at most `align` less a page
        // to align it, and the mapping is that much larger than `bytes` and the guard.
        let start = unsafe { mapping_start.add(to_aligned) };
        let mut reservation = Reservation {
            start,
            bytes,
            columns,
            mapping_start,
            mapping_bytes,
            huge_from,
            huge_pages,
            is_advised: false,
            taken: None,
            offer: None,
        };
        reservation.advise_up_to(advised_to);
        reservation
    }
}

impl Default for ReservationBuilder {
    fn default() -> Self {
        Self::USUAL
    }
}
