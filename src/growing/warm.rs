//! [`Warmth`]: memory that another array had before.

#![forbid(unsafe_code)]

use super::options::Want;
use super::{GrowingReservation, Growth, Memory, Way, round_up};
use crate::keeper::{self, Lent, Use, Warm};
use crate::reservation::{
    ColumnLayouts, HugePages, Reservation, layouts, page_size, usual_reservation_bytes,
};
use crate::service::{self, CommitAhead, Legacy, Release};
use std::alloc::Layout;

/// What a reservation has of the one before it.
#[derive(Debug)]
pub(super) struct Warmth {
    /// Pages up to here hold anything. They were committed from the beginning on, and are so yet, but where the
    /// service has taken them back.
    pub(super) bytes: usize,
    /// Those of them that are not usable yet, where there is no service to take them back.
    lent: Lent,
    /// To whom it goes.
    pub(super) used: Use,
}

/// What an array wants of the keeper.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) used: Use,
    /// No fewer, and no more.
    pub(super) reserved_bytes: usize,
    /// What is needed at once.
    pub(super) need_bytes: usize,
    pub(super) align: usize,
    pub(super) huge_pages: HugePages,
    pub(super) columns: Option<ColumnLayouts>,
}

/// In what steps arrays commit at least.
const RUN_BYTES: usize = 64 << 10;

impl Warmth {
    fn none(used: Use) -> Self {
        Self { bytes: 0, lent: Lent::NONE, used }
    }

    /// What another array has left that was served.
    pub(super) fn left(bytes: usize, used: Use) -> Self {
        Self { bytes, lent: Lent::NONE, used }
    }

    /// The service has what is not used yet, and takes it back in time.
    pub(super) fn is_served(&mut self) {
        self.lent.reduce_to(0);
    }

    /// So many bytes are usable now.
    pub(super) fn used_to(&mut self, usable: usize) {
        self.lent.reduce_to(self.bytes.saturating_sub(usable));
    }

    /// What is behind `end` went back to the system; so many bytes are usable.
    pub(super) fn end_at(&mut self, end: usize, usable: usize) {
        self.bytes = self.bytes.min(end);
        self.used_to(usable);
    }
}

impl Wish {
    /// What it is for who wants that, if he wants anything of the keeper.
    pub(super) fn of(want: &Want) -> Option<Self> {
        let Want { align, huge_pages, columns, .. } = *want;
        let is_kept = match want.commit_ahead {
            CommitAhead::Auto => want.release != Release::Now,
            // Who says how much is to be ready has no more.
            CommitAhead::Bytes(1..) => false,
            CommitAhead::Off | CommitAhead::Bytes(_) => want.release == Release::Keep,
        };
        // What the keeper writes to its first page is to lie in the first row. And it counts the bytes of rows:
        // where each column has huge pages from the first row on, that is far too few.
        let is_not_kept = |columns: ColumnLayouts| {
            row_bytes(columns) > page_size() || huge_pages == HugePages::Always
        };
        if !is_kept || columns.is_some_and(is_not_kept) {
            return None;
        }
        let need_bytes = want.need_bytes.max(1);
        let (used, reserved_bytes) = match want.exact_bytes {
            Some(exact) => (Use::Exact, exact.checked_next_multiple_of(page_size())?),
            None => (Use::Array, usual_reservation_bytes(need_bytes, want.most_bytes)),
        };
        Some(Self { used, reserved_bytes, need_bytes, align, huge_pages, columns })
    }

    /// Whether memory suits of which the first `bytes` hold anything.
    pub(super) fn suits(&self, memory: &Reservation, bytes: usize) -> bool {
        memory.reserved_bytes() == self.reserved_bytes
            && memory.start().addr().get() % self.align == 0
            && memory.huge_pages() == self.huge_pages
            && memory.columns() == self.columns
            && {
                // It reaches to there, so it can be rounded.
                let need = self.need_bytes.min(self.reserved_bytes);
                keeper::is_fit(bytes, need, round_up(need, memory.run_bytes(need)))
            }
    }
}

impl GrowingReservation {
    /// Memory that another array had, if some is kept that suits. Nothing of it is usable yet.
    pub(super) fn warm(wish: Wish, growth: Growth) -> Option<Self> {
        // As much as whole runs would be committed in any case.
        let whole = round_up(wish.need_bytes, page_size().max(RUN_BYTES));
        let suits = &mut |warm: &Warm| wish.suits(&warm.memory, warm.pages.end);
        let (warm, lent) = keeper::take(wish.used, wish.need_bytes..whole, suits)?;
        let Warm { mut memory, pages } = warm;
        let mut bytes = pages.end;
        let lent = lent.unwrap_or_else(|| {
            if whole < bytes && memory.decommit_if_possible(whole..bytes) {
                bytes = whole;
            }
            Lent::NONE
        });
        let mut warm = Self::alone(memory, growth, Release::Keep, Way::NONE);
        warm.warmth = Some(Warmth { bytes, lent, used: wish.used });
        Some(warm)
    }

    /// Has memory go to the keeper when this is dropped, if it is as large as was wished for.
    pub(super) fn kept_for(mut self, wish: Option<Wish>) -> Self {
        let reserved_bytes = self.reserved_bytes();
        let used = wish.filter(|wish| wish.reserved_bytes == reserved_bytes).map(|wish| wish.used);
        self.warmth = used.map(Warmth::none);
        self
    }

    /// Gives the memory to the keeper, if it is for that, and wanted there.
    pub(super) fn keep(&mut self) {
        let Some(Warmth { used, .. }) = self.warmth else { return };
        let committed = self.zero_from();
        let ended = match self.memory.take() {
            Some(Memory::Alone(memory)) => Some((memory, committed)),
            Some(Memory::Elsewhere(memory)) => memory.end(),
            None => None,
        };
        let Some((memory, committed)) = ended.filter(|(_, committed)| *committed > 0) else {
            return;
        };
        // First, so that there is room for it.
        self.warmth = None;
        drop::<Option<Warm>>(service::keep(used, Warm { memory, pages: 0..committed }));
    }

    /// What the next array may have of it, when this is gone.
    pub(super) fn legacy(&self) -> Option<Legacy> {
        let is_kept = self.warmth.as_ref().is_some_and(|warmth| keeper::is_on(warmth.used));
        is_kept.then(|| Legacy { written: self.zero_from(), keep: keep_left })
    }
}

fn row_bytes(columns: ColumnLayouts) -> usize {
    layouts(columns).iter().map(Layout::size).sum()
}

/// Gives memory to the keeper of which so many bytes are committed, if it is wanted there.
fn keep_left(memory: Reservation, committed: usize) -> Option<Reservation> {
    let used = if memory.has_room() { Use::Array } else { Use::Exact };
    service::keep(used, Warm { memory, pages: 0..committed }).map(|warm| warm.memory)
}
