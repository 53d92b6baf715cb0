//! [`SharedView`]: what all threads read, and what changes only when memory is taken.

#![expect(unsafe_code, reason = "computes the addresses of slots and their words")]

use super::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use super::tickets::{Ends, TicketMap, TicketSlot, load_state};
use crate::key::Key;
use crate::slot_map::{Baseline, Extent};
use crate::slots::holes::Hole;
use crate::slots::key_tag::{MapTypeId, Mint};
use crate::slots::slot_at::SlotAt;
use crate::slots::state::State;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

/// Where the slots are, and what is known of them.
///
/// # Invariants
///
/// While the map is shared, `baseline` is what it [began](crate::slot_map::Sharing::begin) with, and what
/// [`set_extent`](Self::set_extent) stored is true: a thread that has read `Ends::slots` knows that slots for values
/// of `V`, with initialized states, lie below it from `slots` on; one that has read `Ends::removed`, that as many slots have
/// a bit from `removed` on; one that knows that a ticket has its slot, that it is in `list`, or in none. None of this
/// moves before the map ends to be shared, which takes `&mut` of it. Otherwise both are 0.
///
/// Aligned so that it shares no cache line with other data, even on processors that fetch two lines of 64 bytes at a
/// time or that have lines of 128.
#[repr(align(128))]
pub(super) struct SharedView<K, V> {
    tickets: TicketMap,
    list: AtomicPtr<Hole>,
    slots: AtomicPtr<u8>,
    ends: Ends,
    /// One bit per slot, set before its value is removed.
    removed: AtomicPtr<AtomicU8>,
    capacity: AtomicUsize,
    /// Changed only through `&mut`.
    baseline: Baseline<K>,
    values: PhantomData<fn() -> V>,
}

/// A slot below the end, or of a ticket, of a map that is shared for all of `'m`.
pub(super) struct SharedSlot<'m, V> {
    slot: SlotAt<V>,
    map: PhantomData<&'m V>,
}

copy!([V] SharedSlot<'_, V>);

/// A slot that was seen to be live, by acquire.
pub(super) struct LiveSlot<'m, V> {
    slot: SharedSlot<'m, V>,
    pub(super) index: u32,
    pub(super) generation: u32,
    pub(super) value: &'m V,
}

impl<K: Key, V> SharedView<K, V> {
    pub(super) const fn new() -> Self {
        Self {
            tickets: TicketMap::new(),
            list: AtomicPtr::new(ptr::null_mut()),
            slots: AtomicPtr::new(ptr::null_mut()),
            ends: Ends::new(),
            removed: AtomicPtr::new(ptr::null_mut()),
            capacity: AtomicUsize::new(0),
            baseline: Baseline::NONE,
            values: PhantomData,
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
    ///
    /// # Safety
    ///
    /// - `extent` is that of the map, as it is now. It is shared, or begins to be.
    pub(super) unsafe fn set_extent(&self, extent: &Extent) {
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
    pub(super) unsafe fn slot_of(&self, ticket: usize) -> (u32, u32) {
        match self.tickets.slot_of(ticket) {
            TicketSlot::Listed(at) => {
                let hole = self.list.load(Ordering::Relaxed).wrapping_add(at);
                // SAFETY: the ticket has its slot, which the caller has seen by acquire, and so that the list has a hole at
                // `at`, and its address. It was initialized before, and is not written to while the map is shared.
                let hole = unsafe { hole.read() };
                (hole.index(), hole.generation())
            }
            TicketSlot::Fresh(index) => {
                // SAFETY: `baseline` is that of the map, which is still shared, by the caller's guarantee.
                let generation = unsafe { self.baseline.fresh_generation::<V>(index) };
                #[expect(clippy::cast_possible_truncation, reason = "there are at most 2^32 slots")]
                (index as u32, generation)
            }
        }
    }

    /// Returns a slot, or `None` if it may not be read, as none may while the map is not shared.
    #[inline]
    pub(super) fn slot(&self, index: u32) -> Option<SharedSlot<'_, V>> {
        let is_there = (index as usize) < self.ends.slots();
        // SAFETY: the slot lies below the end, which was loaded by acquire. The end is not 0 then, so the map is
        // shared, and stays so while `self` is borrowed: see `withdraw`.
        is_there.then(|| unsafe { self.slot_unchecked(index) })
    }

    /// Returns the slot that a ticket stands for.
    ///
    /// # Safety
    ///
    /// - The slot lies below the end, or a ticket has it, which the caller has seen by acquire.
    /// - The map that this [began](Self::begin) with is still shared, and stays so for the lifetime of the result.
    #[inline]
    pub(super) unsafe fn slot_unchecked(&self, index: u32) -> SharedSlot<'_, V> {
        // SAFETY: slots begin at this address, which was stored before what the caller has seen, and there is memory
        // for this one, as for all below the end and those of tickets.
        let slot = unsafe { SlotAt::new(self.slots.load(Ordering::Relaxed), index as usize) };
        SharedSlot { slot, map: PhantomData }
    }

    /// Returns the index of the slot at an address; `None` if no slot that may be read begins there.
    pub(super) fn index_at(&self, address: usize) -> Option<u32> {
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
        let bits = self.removed.load(Ordering::Relaxed).wrapping_add(index as usize / 8);
        // SAFETY: the slot lies below `Ends::removed`, which loads by acquire, so its bit is in an initialized byte, which
        // stays where it is, and is accessed only atomically, while the map is shared.
        Some((unsafe { &*bits }, 1 << (index % 8)))
    }
}

impl<'m, V> SharedSlot<'m, V> {
    /// Returns the state, as all threads access it.
    #[inline]
    pub(super) fn state(self) -> &'m AtomicU32 {
        // SAFETY: by `slot_unchecked` the slot lies below the end, or a ticket has it, and the map is shared for `'m`.
        // So the state is an aligned word, initialized and in place, and accessed only atomically, except that the
        // thread that holds the growth lock reads, and does not write, the states of holes that no thread fills.
        unsafe { AtomicU32::from_ptr(self.slot.state()) }
    }

    /// Returns the address of the value.
    #[inline]
    pub(super) const fn place(self) -> NonNull<V> {
        self.slot.value()
    }

    /// Returns the slot with its value, if it is live.
    #[inline]
    pub(super) fn live(self, index: u32) -> Option<LiveSlot<'m, V>> {
        let generation = State::from_bits(load_state(self.state())).live_generation()?;
        // SAFETY: the slot was just seen to be live by acquire, so its value was written. While the map is shared, no
        // thread writes there, moves it or drops it.
        let value = unsafe { self.slot.value().as_ref() };
        Some(LiveSlot { slot: self, index, generation, value })
    }

    /// Returns the slot with its value, if it is live with this generation.
    #[inline]
    pub(super) fn live_with(self, index: u32, generation: u32) -> Option<LiveSlot<'m, V>> {
        if load_state(self.state()) != State::live(generation).to_bits() {
            return None;
        }
        // SAFETY: as in `live`.
        let value = unsafe { self.slot.value().as_ref() };
        Some(LiveSlot { slot: self, index, generation, value })
    }
}

impl<'m, V> LiveSlot<'m, V> {
    /// Returns the slot.
    #[inline]
    pub(super) const fn slot(&self) -> SharedSlot<'m, V> {
        self.slot
    }
}
