//! [`SharedView`]: what all threads read, and what changes only when memory is taken.

#![expect(unsafe_code, reason = "computes the addresses of slots and their words")]

use super::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use super::tickets::{Ends, TicketMap, TicketSlot};
use crate::key::Key;
use crate::slot_map::{Baseline, Extent};
use crate::slots::holes::Hole;
use crate::slots::key_tag::{MapTypeId, Mint};
use crate::slots::slot_at::SlotAt;
use std::ptr;

/// Where the slots are, and what is known of them.
///
/// Aligned so that it shares no cache line with other data, even on processors that fetch two lines of 64 bytes at a
/// time or that have lines of 128.
#[repr(align(128))]
pub(super) struct SharedView<K> {
    tickets: TicketMap,
    list: AtomicPtr<Hole>,
    slots: AtomicPtr<u8>,
    ends: Ends,
    /// One bit per slot, set before its value is removed.
    removed: AtomicPtr<AtomicU8>,
    capacity: AtomicUsize,
    /// Changed only through `&mut`.
    baseline: Baseline<K>,
}

impl<K: Key> SharedView<K> {
    pub(super) const fn new() -> Self {
        Self {
            tickets: TicketMap::new(),
            list: AtomicPtr::new(ptr::null_mut()),
            slots: AtomicPtr::new(ptr::null_mut()),
            ends: Ends::new(),
            removed: AtomicPtr::new(ptr::null_mut()),
            capacity: AtomicUsize::new(0),
            baseline: Baseline::NONE,
        }
    }

    /// Starts again, with what is known of the map.
    pub(super) fn begin(&mut self, baseline: Baseline<K>) {
        self.tickets.begin(baseline.first_fresh);
        self.baseline = baseline;
    }

    /// Hides all slots and values.
    pub(super) fn withdraw(&mut self) {
        self.ends.withdraw();
        *self.capacity.get_mut() = 0;
        self.baseline.len = 0;
    }

    /// Publishes where the memory is. The caller must hold the growth lock, and must not have made more tickets yet.
    pub(super) fn set_extent(&self, extent: &Extent) {
        self.list.store(extent.list, Ordering::Relaxed);
        self.slots.store(extent.slots, Ordering::Relaxed);
        self.removed.store(extent.removed.cast(), Ordering::Relaxed);
        self.tickets.set_listed(extent.listed);
        self.capacity.store(extent.capacity, Ordering::Relaxed);
        // A thread that sees these also sees the above, and slots that are vacant.
        self.ends.publish(extent.end, extent.removed_end);
    }

    #[inline]
    pub(super) fn mint(&self) -> Mint<K> {
        self.baseline.type_id.mint()
    }

    pub(super) const fn type_id(&self) -> MapTypeId<K> {
        self.baseline.type_id
    }

    /// Returns the number of values that the map had before it was shared.
    pub(super) const fn first_len(&self) -> usize {
        self.baseline.len
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    /// Returns the end of the slots that may hold values if `issued` tickets were issued.
    pub(super) fn end_of(&self, issued: usize) -> usize {
        self.tickets.end_of(issued).min(self.ends.slots())
    }

    /// Returns the slot that a ticket stands for, and the generation of the value that fills it.
    ///
    /// # Safety
    ///
    /// - The ticket has its slot, which the caller has seen by acquire.
    /// - The map that this [began](Self::begin) with is still shared.
    #[inline]
    pub(super) unsafe fn slot_of<V>(&self, ticket: usize) -> (u32, u32) {
        match self.tickets.slot_of(ticket) {
            TicketSlot::Listed(at) => {
                // SAFETY: the list has a hole at `at`, since the ticket has its slot. The caller has seen that by
                // acquire, and so the address of the list.
                let hole = unsafe { self.list.load(Ordering::Relaxed).add(at) };
                // SAFETY: written before the ticket had its slot, and not since.
                let hole = unsafe { hole.read() };
                (hole.index(), hole.generation())
            }
            TicketSlot::Fresh(index) => {
                // SAFETY: the caller guarantees that the map is still shared.
                let generation = unsafe { self.baseline.fresh_generation::<V>(index) };
                #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
                (index as u32, generation)
            }
        }
    }

    /// Returns a slot, or `None` if it may not be read.
    #[inline]
    pub(super) fn slot<V>(&self, index: u32) -> Option<SlotAt<V>> {
        let is_there = (index as usize) < self.ends.slots();
        // SAFETY: the slot lies below the end, so there is memory for it. The end was loaded by acquire.
        is_there.then(|| unsafe { self.slot_unchecked(index) })
    }

    /// Returns the slot that a ticket stands for.
    ///
    /// # Safety
    ///
    /// - There is memory for the slot, which the caller has seen by acquire.
    #[inline]
    pub(super) unsafe fn slot_unchecked<V>(&self, index: u32) -> SlotAt<V> {
        // SAFETY: slots begin at this address, and the caller guarantees that there is memory for this one.
        unsafe { SlotAt::new(self.slots.load(Ordering::Relaxed), index as usize) }
    }

    /// Returns the index of the slot at an address; `None` if no slot that may be read begins there.
    pub(super) fn index_at<V>(&self, address: usize) -> Option<u32> {
        let end = self.ends.slots();
        let distance = address.wrapping_sub(self.slots.load(Ordering::Relaxed).addr());
        let index = distance / SlotAt::<V>::STRIDE_BYTES;
        let is_ours = index < end && distance % SlotAt::<V>::STRIDE_BYTES == 0;
        u32::try_from(index).ok().filter(|_| is_ours)
    }

    /// Returns the byte, and the bit in it, that say that the value of a slot was removed; `None` if the slot has no
    /// such bit.
    #[inline]
    pub(super) fn removed(&self, index: u32) -> Option<(&AtomicU8, u8)> {
        if index as usize >= self.ends.removed() {
            return None;
        }
        // SAFETY: the slot lies below the end of those that have a bit, which was loaded by acquire.
        let bits = unsafe { self.removed.load(Ordering::Relaxed).add(index as usize / 8) };
        // SAFETY: the bits stay where they are, and are accessed only atomically while the map is shared.
        Some((unsafe { &*bits }, 1 << (index % 8)))
    }
}

/// Returns the state of a slot, as all threads access it.
///
/// # Safety
///
/// - For all of `'s`, the map is shared, and the slot [may be read](SharedView::slot) or belongs to a ticket.
#[inline]
pub(super) unsafe fn state_of<'s, V>(slot: SlotAt<V>) -> &'s AtomicU32 {
    // SAFETY: a state is an aligned word, and initialized, as those of all slots below the length are. While the map is
    // shared it is accessed only atomically, except that the thread that holds the growth lock reads, and does not
    // write, the states of holes that no thread fills.
    unsafe { AtomicU32::from_ptr(slot.state()) }
}
