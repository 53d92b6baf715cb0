//! Where a block should be stored, and whether it should fit.

use super::Model;
use super::place::Place;
use stayput::{Error, ErrorKind, page_size};
use std::alloc::Layout;

/// What was known before a block was stored.
pub(crate) struct Room {
    used: usize,
    layout: Layout,
    start: Option<usize>,
}

impl Room {
    pub(crate) fn before(model: &Model<'_>, place: Place<'_, '_>, layout: Layout) -> Self {
        Self { used: place.used_bytes(), layout, start: model.start }
    }

    /// How many bytes are in use after a block of this size, if that is known.
    fn used_after(&self, size: usize) -> Option<usize> {
        let (align, is_first) = (self.layout.align(), self.used == 0);
        let start = match self.start {
            Some(start) => start,
            // The start of the memory is the start of a page.
            None if is_first && align <= page_size() => 0,
            None => return None,
        };
        let top = (start + self.used).checked_next_multiple_of(align)?;
        Some(top.checked_add(size)? - start)
    }

    /// How many bytes are in use with the block.
    fn needed(&self) -> Option<usize> {
        match self.layout.size() {
            0 => Some(self.used),
            size => self.used_after(size),
        }
    }

    /// Whether the block will certainly fit.
    pub(crate) fn is_sure(&self, model: &Model<'_>) -> bool {
        self.needed().is_some_and(|needed| needed <= model.limit)
    }

    /// The block is stored at this address, as the last one if it is alone.
    pub(crate) fn stored(
        &self,
        model: &mut Model<'_>,
        place: Place<'_, '_>,
        at: Option<usize>,
        is_alone: bool,
    ) {
        let (size, used) = (self.layout.size(), place.used_bytes());
        let Some(at) = at.filter(|_| size > 0) else {
            return self.freed(place, is_alone);
        };
        assert_eq!(at % self.layout.align(), 0, "{:?}", self.layout);
        if is_alone {
            let start = *model.start.get_or_insert(at + size - used);
            assert_eq!(at + size, start + used);
            assert!(self.needed().is_none_or(|needed| needed == used));
            assert!(used <= model.limit);
        }
        if let Some(start) = model.start {
            assert!(at >= start + self.used && at + size <= start + used);
        }
    }

    /// The block was refused, and nothing else was stored if it is alone.
    pub(crate) fn refused(
        &self,
        model: &Model<'_>,
        place: Place<'_, '_>,
        error: &Error,
        is_alone: bool,
    ) {
        let kind = error.kind();
        match kind {
            ErrorKind::MaxLen | ErrorKind::AllocationLimit | ErrorKind::CapacityOverflow => {}
            // The reservation is made for the first block.
            ErrorKind::AddressSpace => assert!(self.start.is_none(), "{error}"),
            _ => panic!("{error}"),
        }
        if is_alone {
            assert!(self.needed().is_none_or(|needed| needed > model.limit), "{error}");
        }
        self.freed(place, is_alone);
    }

    /// The block is not in use any more, but padding before it may be.
    pub(crate) fn freed(&self, place: Place<'_, '_>, is_alone: bool) {
        let used = place.used_bytes();
        assert!(used >= self.used);
        if is_alone {
            let padded = self.used_after(0);
            assert!(used == self.used || padded.is_none_or(|padded| used == padded));
        }
    }

    /// The block is in use, without a value.
    pub(crate) fn left(&self, place: Place<'_, '_>) {
        let used = place.used_bytes();
        match self.needed() {
            Some(needed) => assert_eq!(used, needed),
            None => assert!(used >= self.used + self.layout.size()),
        }
    }
}
