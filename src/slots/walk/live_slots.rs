//! [`LiveSlots`]: a walk over the slots that hold values, and gives each value once.
//!
//! # Why this is sound
//!
//! A walk borrows slots, and gives out what may be made of their values: [`SlotRef`]s, which tell whether there is a
//! value. Their requirements hold by one invariant, **Unvisited** of [`LiveSlots`]: the slots are borrowed, and those
//! that the walk has not visited are below their length. By **Once** and **Within** of the [`Cursor`], it returns only
//! such slots, and none twice, except those that were put back: the rest of a run or of a word, of which no slot had
//! been visited. Slots between those of a word are visited as well, which the cursor does not return: slots leave a
//! word from its ends only, so these were never in it.

#![expect(unsafe_code, reason = "reads slots by their address")]

use crate::slots::array::Slots;
use crate::slots::array::slot::{FromSlot, Slot, SlotRef};
use crate::slots::cursor::{Cursor, HoleBits, Word, low_half};
use crate::slots::state::State;
use std::marker::PhantomData;
use std::ops::Range;
use std::ptr::NonNull;
use std::{iter, mem};

/// What a walk gives for a slot that holds a value: index, generation, and the value or a reference to it.
pub(super) type Live<T> = (u32, u32, T);

/// Visits the slots that hold values, each once, and gives a `T` for each: `&V`, `&mut V`, or `V`.
///
/// # Invariants
///
/// - **Unvisited**: the slots at `start` are borrowed as long as this or a reference `T` can live, mutably if `T` is
///   not a shared reference. What is in `run`, in `word` and in `cursor` are slots below their length, without
///   repetition; and no `T` was given for them, except to a [`reborrow`](Self::reborrow) that has ended.
pub(crate) struct LiveSlots<'a, V, T> {
    start: NonNull<Slot<V>>,
    holes: HoleBits<'a>,
    /// The rest of a run that was taken from the cursor, from which nothing was taken since.
    run: Run<V, T>,
    /// What is left of a word that was taken from the cursor. If there is anything left, the run is empty.
    word: WordSlots<V, T>,
    cursor: Cursor,
}

/// Consecutive slots, as in **Unvisited**, and their addresses: from the first to the one past the last.
struct Run<V, T> {
    first: NonNull<Slot<V>>,
    end: NonNull<Slot<V>>,
    slots: Range<usize>,
    given: PhantomData<T>,
}

impl<V, T> Run<V, T> {
    /// # Safety
    ///
    /// - **Unvisited** holds for the slots, of those at `start`, and they are in nothing else. If there are none, both
    ///   ends of the range are at most the length.
    #[inline]
    const unsafe fn new(start: NonNull<Slot<V>>, slots: Range<usize>) -> Self {
        // SAFETY: both ends are at most the length, by the caller's guarantee, so this is a slot or one past the last:
        // all bytes before it are "in bounds of that allocation", the array's.
        let first = unsafe { start.add(slots.start) };
        // SAFETY: as above.
        let end = unsafe { start.add(slots.end) };
        Self { first, end, slots, given: PhantomData }
    }

    #[inline]
    fn next(&mut self) -> Option<(u32, SlotRef<V, T>)> {
        if self.first >= self.end {
            return None;
        }
        let (index, slot) = (self.slots.start, self.first);
        self.slots.start += 1;
        // SAFETY: the slot is before `end`, so it is in the array: all its bytes are "in bounds of that allocation".
        self.first = unsafe { slot.add(1) };
        // SAFETY: by **Unvisited** the slot is below the length and borrowed. It is in nothing else any more, so
        // nothing else gives it: **Borrowed** and **Access** hold.
        Some((low_half(index), unsafe { SlotRef::new(slot, 0) }))
    }

    /// Returns the slots. (By index, for loops that the compiler unrolls or vectorizes.)
    #[inline]
    fn into_slots(self) -> impl Iterator<Item = (u32, SlotRef<V, T>)> {
        let Self { first, slots, .. } = self;
        let start = slots.start;
        // SAFETY: as in `next`: `first` is the slot at `start`, so this is one of the run, and each is returned once.
        slots.map(move |index| (low_half(index), unsafe { SlotRef::new(first, index - start) }))
    }

    /// Whether all slots hold values.
    #[inline]
    fn are_live(&self) -> bool {
        let states = (0..self.slots.len()).map(|place| {
            // SAFETY: there are more slots than `place` from `first` on. By **Unvisited** they are below the length and
            // borrowed, and in nothing else, so no other code writes to them. No reference is made.
            unsafe { SlotRef::<V, &V>::new(self.first, place) }.state()
        });
        states.fold(State::live(0), State::and).is_live()
    }
}

/// Slots of one word, as in **Unvisited**.
struct WordSlots<V, T> {
    /// The first slot of the word, whether it is left or not.
    first: NonNull<Slot<V>>,
    word: Word,
    given: PhantomData<T>,
}

impl<V, T> WordSlots<V, T> {
    /// # Safety
    ///
    /// - **Unvisited** holds for the slots of the word, of those at `start`, and they are in nothing else. If none is
    ///   left, the word begins at 0 or below the length.
    #[inline]
    unsafe fn new(start: NonNull<Slot<V>>, word: Word) -> Self {
        // SAFETY: a slot of the word is left, and is not before the first one, so that is below the length; or none is
        // left, and the first one is, or this is `start`, both by the caller's guarantee. So all bytes before the first
        // one are "in bounds of that allocation", the array's.
        let first = unsafe { start.add(word.start() as usize) };
        Self { first, word, given: PhantomData }
    }

    #[inline]
    fn next(&mut self) -> Option<(u32, SlotRef<V, T>)> {
        let place = self.word.pop_place()?;
        // SAFETY: as in `Run::next`: the slot was left in the word, which begins at `first`, and is in it no more.
        let slot = unsafe { SlotRef::new(self.first, place) };
        Some((low_half(self.word.start() as usize + place), slot))
    }
}

/// Folds the values of slots.
#[inline]
fn fold_live<V, T: FromSlot<V>, B>(
    slots: impl Iterator<Item = (u32, SlotRef<V, T>)>,
    init: B,
    add: &mut impl FnMut(B, Live<T>) -> B,
) -> B {
    let mut sum = init;
    for (index, slot) in slots {
        if let Some((generation, value)) = slot.live() {
            sum = add(sum, (index, generation, value));
        }
    }
    sum
}

impl<'a, V> LiveSlots<'a, V, &'a V> {
    #[inline]
    pub(crate) fn new(slots: &'a Slots<V>, holes: HoleBits<'a>) -> Self {
        // SAFETY: the slots are borrowed for `'a`. The cursor, which is new, is made of their length.
        unsafe { Self::with_cursor(slots.start(), holes, Cursor::new(slots.len())) }
    }
}

impl<'a, V> LiveSlots<'a, V, &'a mut V> {
    #[inline]
    pub(crate) fn new(slots: &'a mut Slots<V>, holes: HoleBits<'a>) -> Self {
        // SAFETY: the slots are mutably borrowed for `'a`. The cursor, which is new, is made of their length.
        unsafe { Self::with_cursor(slots.start(), holes, Cursor::new(slots.len())) }
    }

    /// Returns the same walk, for the time of a borrow.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> LiveSlots<'_, V, &mut V> {
        self.put_back();
        // SAFETY: by **Unvisited** of `self`, which has all its slots in the cursor now. It is mutably borrowed, so it
        // gives none of them as long as the result or a reference that the result gives is used.
        unsafe { LiveSlots::with_cursor(self.start, self.holes, self.cursor.clone()) }
    }
}

impl<'a, V, T> LiveSlots<'a, V, T> {
    /// # Safety
    ///
    /// - **Unvisited** holds for the slots of the cursor, of those at `start`, and they are in nothing else.
    #[inline]
    pub(super) unsafe fn with_cursor(
        start: NonNull<Slot<V>>,
        holes: HoleBits<'a>,
        cursor: Cursor,
    ) -> Self {
        let run = Run { first: start, end: start, slots: 0..0, given: PhantomData };
        let word = WordSlots { first: start, word: Word::NONE, given: PhantomData };
        Self { start, holes, run, word, cursor: cursor.without_run() }
    }

    /// Takes what comes next from the cursor, once nothing is left of the run and the word. Returns `false` if there is
    /// nothing.
    ///
    /// If many holes have no bit, that is a word of only the slots that have values: a processor does not predict which
    /// slots of a run have none.
    #[inline]
    fn read_on(&mut self) -> bool {
        let start = self.start;
        // SAFETY: by **Unvisited** the slots of the cursor, of which this is a word, are borrowed and below the length.
        let is_more = self.cursor.read_on_by(self.holes, |word| unsafe { only_live(start, word) });
        if is_more {
            self.run = self.take_run();
            self.word = self.take_word();
        }
        is_more
    }

    #[inline]
    fn take_run(&mut self) -> Run<V, T> {
        // SAFETY: by **Unvisited** of the cursor, which has the slots no more. By **Within** the range ends at the
        // length or before.
        unsafe { Run::new(self.start, self.cursor.take_run()) }
    }

    #[inline]
    fn take_word(&mut self) -> WordSlots<V, T> {
        let word = self.cursor.take_word();
        self.prefetch_ahead(word);
        // SAFETY: by **Unvisited** of the cursor, which has the slots no more. By **Within** the word was made of a
        // slot below the length, or is `NONE`, which begins at 0.
        unsafe { WordSlots::new(self.start, word) }
    }

    /// Returns what is left of the run or the word to the cursor.
    #[inline]
    fn put_back(&mut self) {
        self.run.first = self.run.end;
        self.cursor.put_back(mem::take(&mut self.run.slots), self.word.word.take());
    }

    /// Prefetches slots of a later word, if they are large enough for that to help.
    #[inline]
    fn prefetch_ahead(&self, word: Word) {
        if word.left() != 0 {
            Slots::prefetch_word_ahead(self.start, word.start() as usize, self.holes);
        }
    }

    /// Splits off the slots of the next word that has any to visit.
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<Self> {
        self.put_back();
        loop {
            let word = self.cursor.next_word(self.holes)?;
            if word.left() != 0 {
                let cursor = Cursor::of_word(word);
                // SAFETY: by **Unvisited** of the cursor, which has the slots of the word no more.
                return Some(unsafe { Self::with_cursor(self.start, self.holes, cursor) });
            }
        }
    }

    #[inline]
    pub(crate) const fn block_start(&self) -> u32 {
        self.cursor.word().start()
    }

    #[inline]
    pub(crate) fn block_ptr(&self) -> *mut V {
        // `wrapping_add`, since this is also callable when no block was reached.
        self.start.as_ptr().wrapping_add(self.block_start() as usize).cast()
    }

    /// Returns which slots of a block hold values; if `all_live`, those are all that are not holes.
    #[inline]
    pub(crate) fn block_mask(&self, all_live: bool) -> u64 {
        let word = self.cursor.word();
        // SAFETY: by **Unvisited** the slots of the cursor, of which this is a word, are borrowed and below the length.
        if all_live { word.left() } else { unsafe { only_live(self.start, word) } }
    }

    /// Splits what is left in two halves, if there is enough.
    #[cfg(feature = "rayon")]
    pub(super) fn split(mut self) -> (Self, Option<Self>) {
        self.put_back();
        let (left, right) = self.cursor.split();
        // SAFETY: by **Unvisited** of the cursor, which ends here, and whose parts by **Once** have no slot in common.
        let part = |cursor| unsafe { Self::with_cursor(self.start, self.holes, cursor) };
        (part(left), right.map(part))
    }
}

impl<V, T: FromSlot<V>> LiveSlots<'_, V, T> {
    /// If slots are no larger than this, the states of all slots of a word are read first, so that the code for the
    /// values needs no branch, and may handle several at a time. (Larger slots would be fetched twice, without
    /// benefit.)
    const SMALL_BYTES: usize = 16;

    #[expect(clippy::inline_always, reason = "out of line, a full map takes three times the code")]
    #[inline(always)]
    pub(super) fn step_on(&mut self) -> Option<Live<T>> {
        loop {
            while let Some((index, slot)) = self.run.next() {
                if let Some((generation, value)) = slot.live() {
                    return Some((index, generation, value));
                }
                cold();
            }
            while let Some((index, slot)) = self.word.next() {
                if let Some((generation, value)) = slot.live() {
                    return Some((index, generation, value));
                }
            }
            if !self.read_on() {
                return None;
            }
        }
    }

    #[inline]
    pub(super) fn step_on_back(&mut self) -> Option<Live<T>> {
        self.put_back();
        loop {
            let index = self.cursor.next_back(self.holes)?;
            // SAFETY: by **Unvisited** the slot is below the length and borrowed. The cursor has it no more, so nothing
            // else gives it: **Borrowed** and **Access** hold.
            let slot: SlotRef<V, T> = unsafe { SlotRef::new(self.start, index as usize) };
            if let Some((generation, value)) = slot.live() {
                return Some((index, generation, value));
            }
        }
    }

    /// Folds all values that are left.
    #[inline]
    pub(super) fn fold_all<B>(mut self, init: B, mut add: impl FnMut(B, Live<T>) -> B) -> B {
        if Slots::<V>::STRIDE_BYTES > Self::SMALL_BYTES {
            return self.fold_each(init, add);
        }
        self.put_back();
        let mut sum = init;
        while let Some(word) = self.cursor.next_word(self.holes) {
            let Some(slots) = word.as_run() else {
                self.prefetch_ahead(word);
                // SAFETY: as in `take_word`.
                let mut slots = unsafe { WordSlots::new(self.start, word) };
                sum = fold_live(iter::from_fn(|| slots.next()), sum, &mut add);
                continue;
            };
            let is_whole = slots.len() == word.left().count_ones() as usize;
            // SAFETY: by **Unvisited** of the cursor, which has the slots of the word no more. The range goes from the
            // first of them to the last; those between were never in the word, so nothing else has visited them or
            // will. If none is left, it is `0..0`.
            let run = unsafe { Run::<V, T>::new(self.start, slots) };
            if is_whole && run.are_live() {
                for (index, slot) in run.into_slots() {
                    let generation = slot.state().generation();
                    // SAFETY: the slot is live, as `are_live` has seen. By **Access** no other code has written to it
                    // since.
                    sum = add(sum, (index, generation, unsafe { slot.value() }));
                }
            } else {
                sum = fold_live(run.into_slots(), sum, &mut add);
            }
        }
        sum
    }

    /// [`fold_all`](Self::fold_all), for an `add` that branches at each value in any case.
    #[inline]
    pub(super) fn fold_each<B>(mut self, init: B, mut add: impl FnMut(B, Live<T>) -> B) -> B {
        self.put_back();
        let mut sum = init;
        loop {
            sum = fold_live(self.take_run().into_slots(), sum, &mut add);
            let mut word = self.take_word();
            sum = fold_live(iter::from_fn(|| word.next()), sum, &mut add);
            // All slots of a run are visited, since the compiler often makes do without a branch for each.
            if !self.cursor.read_on(self.holes) {
                return sum;
            }
        }
    }
}

impl<'a, V> Clone for LiveSlots<'a, V, &'a V> {
    fn clone(&self) -> Self {
        let Self { start, holes, .. } = *self;
        let run = Run { slots: self.run.slots.clone(), ..self.run };
        let word = WordSlots { ..self.word };
        Self { start, holes, run, word, cursor: self.cursor.clone() }
    }
}

// SAFETY: it gives `T`s and reads states. A walk that gives `V`s also writes states, each of a slot that no other part
// of the walk has.
unsafe impl<V, T: Send> Send for LiveSlots<'_, V, T> {}
// SAFETY: `&LiveSlots` gives access to states, which nothing writes while the walk is borrowed, and to no value, except
// that a walk of shared references can be cloned, which gives `T`s.
unsafe impl<V, T: Sync> Sync for LiveSlots<'_, V, T> {}

/// Returns a bit for each slot of a word that has a value. Out of line, as the reading is.
///
/// # Safety
///
/// - `start` is the first of the slots, which are borrowed, and those that are left in the word are below their length.
#[cold]
#[inline(never)]
unsafe fn only_live<V>(start: NonNull<Slot<V>>, word: Word) -> u64 {
    word.only(|index| {
        // SAFETY: this slot or a later one of the word is left, so it is below the length, and borrowed, both by the
        // caller's guarantee: **Borrowed** and **Access** hold for a reference that is not made.
        unsafe { SlotRef::<V, &V>::new(start, index) }.state().is_live()
    })
}

/// Tells the compiler that holes in a run are rare: otherwise each value of a full map takes another jump.
#[cold]
#[inline]
const fn cold() {}
