//! [`Ground`]: what all threads look at, and what changes when memory is taken.

#![expect(unsafe_code, reason = "finds slots, and the words beside them, by their numbers")]

use super::deal::{Deal, Dealt};
use super::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use crate::key::Key;
use crate::slot_map::{Baseline, Extent};
use crate::slots::holes::Hole;
use crate::slots::key_tag::{Mint, TypeNumber};
use crate::slots::slot_at::SlotAt;
use std::ptr;

/// Where slots are, and what is known of them.
///
/// Alone where processors fetch two lines of 64 bytes at a time, and on those whose lines have 128.
#[repr(align(128))]
pub(super) struct Ground<K> {
    deal: Deal,
    list: AtomicPtr<Hole>,
    slots: AtomicPtr<u8>,
    /// So many slots may be looked at.
    end: AtomicUsize,
    /// A bit for each slot, set before its value is taken out.
    removed: AtomicPtr<AtomicU8>,
    /// So many slots have one.
    removed_end: AtomicUsize,
    capacity: AtomicUsize,
    /// Changed by who has it alone.
    baseline: Baseline<K>,
}

impl<K: Key> Ground<K> {
    /// Nothing can be seen.
    pub(super) const fn new() -> Self {
        Self {
            deal: Deal::new(),
            list: AtomicPtr::new(ptr::null_mut()),
            slots: AtomicPtr::new(ptr::null_mut()),
            end: AtomicUsize::new(0),
            removed: AtomicPtr::new(ptr::null_mut()),
            removed_end: AtomicUsize::new(0),
            capacity: AtomicUsize::new(0),
            baseline: Baseline::NONE,
        }
    }

    /// Begins anew.
    pub(super) fn begin(&mut self, baseline: Baseline<K>) {
        self.deal.begin(baseline.first_fresh);
        self.baseline = baseline;
    }

    /// Has nothing be seen.
    pub(super) fn withdraw(&mut self) {
        *self.end.get_mut() = 0;
        *self.removed_end.get_mut() = 0;
        *self.capacity.get_mut() = 0;
        self.baseline.len = 0;
    }

    /// Says where all is. By who has the lock, before there are more tickets.
    pub(super) fn set_extent(&self, extent: &Extent) {
        self.list.store(extent.list, Ordering::Relaxed);
        self.slots.store(extent.slots, Ordering::Relaxed);
        self.removed.store(extent.removed.cast(), Ordering::Relaxed);
        self.deal.set_listed(extent.listed);
        self.capacity.store(extent.capacity, Ordering::Relaxed);
        // Whoever sees these sees the above, and slots that are vacant.
        self.removed_end.store(extent.removed_end, Ordering::Release);
        self.end.store(extent.end, Ordering::Release);
    }

    #[inline]
    pub(super) fn mint(&self) -> Mint<K> {
        self.baseline.number.mint()
    }

    pub(super) const fn number(&self) -> TypeNumber<K> {
        self.baseline.number
    }

    /// How many values there were when it began.
    pub(super) const fn first_len(&self) -> usize {
        self.baseline.len
    }

    pub(super) fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    /// How far slots may hold values, if so many tickets were dealt out.
    pub(super) fn end_of(&self, dealt: usize) -> usize {
        self.deal.end_of(dealt).min(self.end.load(Ordering::Acquire))
    }

    /// The slot, and the generation, of what comes in by a ticket.
    ///
    /// # Safety
    ///
    /// - The ticket has its slot, and the caller knows by acquire; and what it [began](Self::begin) with is shared yet.
    #[inline]
    pub(super) unsafe fn dealt<V>(&self, ticket: usize) -> (u32, u32) {
        match self.deal.slot_of(ticket) {
            Dealt::Listed(at) => {
                // SAFETY: so many are in the list, which the ticket's slot is known of by.
                let hole = unsafe { self.list.load(Ordering::Relaxed).add(at) };
                // SAFETY: written before the ticket had its slot, and not since.
                let hole = unsafe { hole.read() };
                (hole.index(), hole.generation())
            }
            Dealt::Fresh(index) => {
                // SAFETY: the caller's promise.
                let generation = unsafe { self.baseline.fresh_generation::<V>(index) };
                #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
                (index as u32, generation)
            }
        }
    }

    /// A slot that may be looked at.
    #[inline]
    pub(super) fn slot<V>(&self, index: u32) -> Option<SlotAt<V>> {
        let is_there = (index as usize) < self.end.load(Ordering::Acquire);
        // SAFETY: there are more slots, which is known by acquire.
        is_there.then(|| unsafe { self.dealt_slot(index) })
    }

    /// A slot that a ticket stands for.
    ///
    /// # Safety
    ///
    /// - There is memory for it, and the caller knows by acquire.
    #[inline]
    pub(super) unsafe fn dealt_slot<V>(&self, index: u32) -> SlotAt<V> {
        // SAFETY: slots begin there, and there is memory for this one, by the caller's promise.
        unsafe { SlotAt::new(self.slots.load(Ordering::Relaxed), index as usize) }
    }

    /// The number of the slot at an address, if one that may be looked at is just there.
    pub(super) fn index_at<V>(&self, address: usize) -> Option<u32> {
        let end = self.end.load(Ordering::Acquire);
        let distance = address.wrapping_sub(self.slots.load(Ordering::Relaxed).addr());
        let index = distance / SlotAt::<V>::STRIDE_BYTES;
        let is_ours = index < end && distance % SlotAt::<V>::STRIDE_BYTES == 0;
        u32::try_from(index).ok().filter(|_| is_ours)
    }

    /// The byte, and the bit in it, that say that a slot's value was taken out; if there is one for it.
    #[inline]
    pub(super) fn removed(&self, index: u32) -> Option<(&AtomicU8, u8)> {
        if index as usize >= self.removed_end.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: so many have a bit, which is known by acquire.
        let bits = unsafe { self.removed.load(Ordering::Relaxed).add(index as usize / 8) };
        // SAFETY: they stay where they are, and nothing but atomic accesses is made while it is shared.
        Some((unsafe { &*bits }, 1 << (index % 8)))
    }
}

/// The state of a slot, as all threads see it.
///
/// # Safety
///
/// - The slot [may be looked at](Ground::slot), or belongs to a ticket, while `'s` lasts, through which it is shared.
#[inline]
pub(super) unsafe fn state_of<'s, V>(slot: SlotAt<V>) -> &'s AtomicU32 {
    // SAFETY: a state is a word that is aligned, and initialised, as slots below the length are. While it is shared
    // nothing but atomic accesses is made to it; but for those by who has the lock, to holes that nobody fills, and they
    // read only.
    unsafe { AtomicU32::from_ptr(slot.state()) }
}
