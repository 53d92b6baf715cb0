//! [`Slot`], [`SlotRef`], and [`Writable`]: one slot, and the access that code has to it.
//!
//! # Why this is sound
//!
//! A slot says itself whether it holds a value. So code that makes a [`SlotRef`] or a [`Writable`] proves only which slot
//! it is and what else accesses it; what is then done with it needs no proof, except by [`take`] and [`revive`].
//!
//! References are made to a value or to nothing, never to a whole slot: a reference to a slot would access its value,
//! to which users may have a reference or a pointer.

#![expect(unsafe_code, reason = "accesses slots by their address")]

use crate::poison::{AtEnd, unpoison};
use crate::slots::state::{State, Vacant};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A value and its state, next to each other: most look-ups read one cache line.
///
/// The value comes first, so that a slot and its value have the same address. Bytes that are all zero are a vacant
/// slot.
///
/// # Invariants
///
/// - **Live**: below the length of its array, the state is initialized; and if it is live, so is the value.
#[repr(C)]
pub(crate) struct Slot<V> {
    value: MaybeUninit<V>,
    pub(in crate::slots) state: State,
}

/// What a [`SlotRef`] gives for a live slot: a reference to the value, or the value.
pub(crate) trait FromSlot<V> {
    /// # Safety
    ///
    /// - `slot` is that of a `SlotRef<V, Self>` that is not used any more, and is live.
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self;
}

impl<V> FromSlot<V> for &V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the slot is live, so by **Live** the value, which comes first, is initialized; by **Borrowed** and
        // **Access** it is valid for reads, and not written to, for the lifetime of the reference.
        unsafe { slot.cast().as_ref() }
    }
}

impl<V> FromSlot<V> for &mut V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the slot is live, so by **Live** the value, which comes first, is initialized; by **Borrowed** and
        // **Access** it is valid, and reached only through this reference, for the lifetime of that.
        unsafe { slot.cast().as_mut() }
    }
}

impl<V> FromSlot<V> for V {
    #[inline]
    unsafe fn from_slot(slot: NonNull<Slot<V>>) -> Self {
        // SAFETY: the slot is below the length by **Borrowed**, and live, by the caller's guarantee. By **Access** no
        // other code accesses its value, and no other thread its state.
        unsafe { take(slot.cast(), Vacant::EMPTY) }
    }
}

/// A slot of which one `T` may be made, if it is live: `&V`, `&mut V`, or `V`.
///
/// # Invariants
///
/// For as long as this exists, and as a reference that is made of it can live:
///
/// - **Borrowed**: the slot is below the length of an array that stays as it is. So it is in place, and **Live** holds.
/// - **Access**: no other code writes to it. If `T` is not a shared reference, no other code accesses its value, and no
///   other thread its state.
pub(in crate::slots) struct SlotRef<V, T> {
    slot: NonNull<Slot<V>>,
    given: PhantomData<T>,
}

impl<V, T> SlotRef<V, T> {
    /// # Safety
    ///
    /// - There are slots at `start`, more than `index`, and **Borrowed** and **Access** hold for the one at `index`.
    #[inline]
    pub(in crate::slots) unsafe fn new(start: NonNull<Slot<V>>, index: usize) -> Self {
        // SAFETY: `index` is below the length, by the caller's guarantee, so the result is "in bounds of the same
        // allocation", whose size fits into an `isize`.
        Self { slot: unsafe { start.add(index) }, given: PhantomData }
    }

    #[inline]
    pub(in crate::slots) fn state(&self) -> State {
        // SAFETY: by **Borrowed** and **Live** the state is initialized, and by **Access** no other code writes to it.
        unsafe { (*self.slot.as_ptr()).state }
    }

    /// Returns the address that the value has, or would have. It may be used as long as the array exists.
    #[inline]
    pub(in crate::slots) const fn pointer(&self) -> NonNull<V> {
        self.slot.cast()
    }
}

impl<V, T: FromSlot<V>> SlotRef<V, T> {
    /// Returns the value if it has this generation.
    #[inline]
    pub(in crate::slots) fn get(self, generation: u32) -> Option<T> {
        if self.state() != State::live(generation) {
            return None;
        }
        // SAFETY: the slot is live, as just seen.
        Some(unsafe { self.value() })
    }

    /// Returns the value and its generation, if there is one.
    #[inline]
    pub(in crate::slots) fn live(self) -> Option<(u32, T)> {
        let generation = self.state().live_generation()?;
        // SAFETY: the slot is live, as just seen.
        Some((generation, unsafe { self.value() }))
    }

    /// # Safety
    ///
    /// - The slot is live.
    #[inline]
    pub(in crate::slots) unsafe fn value(self) -> T {
        debug_assert!(self.state().is_live(), "the slot holds no value");
        // SAFETY: the slot is live, by the caller's guarantee, and `self` ends here.
        unsafe { T::from_slot(self.slot) }
    }
}

impl<'a, V> SlotRef<V, &'a mut V> {
    /// Returns the slot, to write to it: **Exclusive** follows from **Borrowed** and **Access**. (If it is live, the old
    /// value leaks.)
    #[inline]
    pub(in crate::slots) const fn writable(self) -> Writable<'a, V> {
        Writable { slot: self.slot, array: PhantomData }
    }
}

/// A slot that may be written to, also if it is past the length.
///
/// # Invariants
///
/// - **Exclusive**: for all of `'a`, the slot is within the capacity of an array, no other code accesses its value, and no
///   other thread its state.
pub(in crate::slots) struct Writable<'a, V> {
    slot: NonNull<Slot<V>>,
    array: PhantomData<&'a mut Slot<V>>,
}

impl<'a, V> Writable<'a, V> {
    /// # Safety
    ///
    /// - There is memory for slots at `start`, more than `index`, and **Exclusive** holds for the one at `index`.
    #[inline]
    pub(in crate::slots) unsafe fn new(start: NonNull<Slot<V>>, index: usize) -> Self {
        // SAFETY: `index` is below the capacity, by the caller's guarantee, so the result is "in bounds of the same
        // allocation", whose size fits into an `isize`.
        let slot = unsafe { start.add(index) };
        unpoison(slot.as_ptr(), 1);
        Self { slot, array: PhantomData }
    }

    /// Writes a value and makes the slot live.
    #[inline]
    pub(in crate::slots) fn write(self, generation: u32, value: V) -> &'a mut V {
        unpoison(self.slot.as_ptr(), 1);
        // SAFETY: by **Exclusive** the memory is valid, and reached only through this reference for `'a`: the state,
        // which is written below, is past the value, which comes first. `MaybeUninit` needs no initialization.
        let place: &'a mut MaybeUninit<V> = unsafe { self.slot.cast().as_mut() };
        let value = place.write(value);
        // SAFETY: by **Exclusive** the state is valid for writes. The value was written above, so **Live** holds.
        unsafe { (*self.slot.as_ptr()).state = State::live(generation) };
        value
    }

    /// Makes the slot vacant.
    #[inline]
    pub(in crate::slots) fn vacate(self, state: Vacant) {
        // SAFETY: by **Exclusive** the state is valid for writes. A vacant slot needs no value for **Live**.
        unsafe { (*self.slot.as_ptr()).state = state.into() };
    }
}

/// Moves the value of a live slot out, and makes the slot vacant.
///
/// # Safety
///
/// - It is the [`pointer`](SlotRef::pointer) of a slot that is below the length of an array, and live.
/// - No other code accesses its value, and no other thread its state, meanwhile.
#[inline]
pub(in crate::slots) unsafe fn take<V>(value: NonNull<V>, left: Vacant) -> V {
    let slot = value.cast::<Slot<V>>();
    // SAFETY: the slot is in an array, and no other thread accesses its state, both by the caller's guarantee.
    unsafe { (*slot.as_ptr()).state = left.into() };
    // Only the value: the state may still be read.
    let _gone = AtEnd::of(value.as_ptr());
    // SAFETY: the slot was live, by the caller's guarantee, so by **Live** the value is initialized. It is not live any
    // more, so the value is not read again.
    unsafe { value.read() }
}

/// Makes live a slot whose value is still in place.
///
/// # Safety
///
/// - It is the [`pointer`](SlotRef::pointer) of a slot below the length of an array. The slot is live, or it was live
///   and its value was neither moved out nor dropped.
/// - No other code accesses its value, and no other thread its state, meanwhile.
#[inline]
pub(in crate::slots) unsafe fn revive<V>(value: NonNull<V>, generation: u32) {
    let slot = value.cast::<Slot<V>>();
    unpoison(slot.as_ptr(), 1);
    // SAFETY: the slot is in an array, and no other thread accesses its state, both by the caller's guarantee. Its value is
    // still initialized, so **Live** holds.
    unsafe { (*slot.as_ptr()).state = State::live(generation) };
}
