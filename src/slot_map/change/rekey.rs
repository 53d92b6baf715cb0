//! New keys for values that stay in the map, in place or moved towards the front.

#![forbid(unsafe_code)]

use crate::error::{Error, ErrorKind, unwrap_or_panic};
use crate::growing::{Budget, BudgetMeter};
use crate::key::{Key, Layout};
use crate::slot_map::SlotMap;
use crate::slots::array::Slots;
use crate::slots::cursor::Cursor;

impl<K: Key, V> SlotMap<K, V> {
    /// Replaces the key of a value and returns the new one; `None` if the key's value is not in the map.
    ///
    /// The value does not move. The old key, and weak pointers to the value, become stale. O(1).
    ///
    /// # Panics
    ///
    /// If [`try_invalidate`](Self::try_invalidate) returns an error.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::SlotMap;
    /// let mut doors = SlotMap::new();
    /// let key = doors.insert("cellar");
    /// let address = &raw const doors[key];
    /// let changed = doors.invalidate(key).unwrap(); // copies of the old key find nothing
    /// assert_eq!((doors.get(key), doors[changed]), (None, "cellar"));
    /// assert_eq!(&raw const doors[changed], address);
    /// assert_eq!(doors.invalidate(key), None);
    /// ```
    #[track_caller]
    pub fn invalidate(&mut self, key: K) -> Option<K> {
        unwrap_or_panic(self.try_invalidate(key))
    }

    /// [`invalidate`](Self::invalidate), or the error.
    ///
    /// # Errors
    ///
    /// [`Generations`](ErrorKind::Generations) if the value has the last generation that keys can have, so that no
    /// other key can find its slot. The value keeps its key. To give it another, [`remove`](Self::remove) it, which
    /// retires the slot, and [`insert`](Self::insert) it again.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Bits32, ErrorKind, SlotMap, new_key_type};
    ///
    /// new_key_type! { struct Brief: Bits32<16, 1>; } // slots are used once
    ///
    /// let mut map: SlotMap<Brief, u8> = SlotMap::with_key();
    /// let key = map.insert(7);
    /// assert_eq!(map.try_invalidate(key).unwrap_err().kind(), ErrorKind::Generations);
    /// assert_eq!(map[key], 7);
    /// ```
    pub fn try_invalidate(&mut self, key: K) -> Result<Option<K>, Error> {
        let (index, generation) = self.parts_of(key);
        if !self.slots.contains(index, generation) {
            return Ok(None);
        }
        let most = <K::Layout as Layout>::MAX_GENERATION;
        if generation == most {
            return Err(Error::new(ErrorKind::Generations, 0).with_limit(most.into()));
        }
        self.note_generation(generation);
        self.slots.renew(index, generation, generation + 1);
        Ok(Some(self.mint().key(index, generation + 1)))
    }

    /// Moves the last values into the first holes, until no hole is left between values, and passes the old and the new
    /// key of each moved value to `rekey`.
    ///
    /// **The addresses of these values change.** No other method moves a value that is in the map. Memory past the last
    /// value can then be returned by [`shrink_to_fit`](Self::shrink_to_fit).
    ///
    /// The last value always moves into the first hole, whatever order [`Reuse`](crate::Reuse) sets. Old keys of moved
    /// values, and weak pointers to them, become stale. [Detached](Self::detach) and retired slots stay as they are. A
    /// slot whose generations are exhausted is retired when its value moves.
    ///
    /// `rekey(old, new)` is called after each move: `old` is stale by then, and `new` finds the value. If it panics,
    /// that move is complete, and no other follows.
    ///
    /// Does not enter the kernel, but the pages of holes that were [trimmed](Self::trim) become resident again when
    /// values move there.
    ///
    /// # Time complexity
    ///
    /// O(n) in the values that move and in recent holes, plus 1/64 of the holes past the last value.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{DefaultKey, SecondaryMap, SlotMap};
    ///
    /// let mut map: SlotMap<DefaultKey, u32> = (0..6).collect();
    /// let mut names: SecondaryMap<_, String> =
    ///     map.iter().map(|(key, n)| (key, format!("number {n}"))).collect();
    /// map.retain(|_, n| *n % 2 == 1);
    /// map.compact(|old, new| {
    ///     if let Some(name) = names.remove(old) {
    ///         names.insert(new, name);
    ///     }
    /// });
    /// assert!(map.values().eq(&[5, 1, 3]));
    /// assert!(map.iter().all(|(key, n)| names[key] == format!("number {n}")));
    /// ```
    pub fn compact(&mut self, rekey: impl FnMut(K, K)) {
        self.compact_by(&mut BudgetMeter::unlimited(), rekey);
    }

    /// [`compact`](Self::compact) within a budget, so that the moves can be spread over frames. Returns `true` if it is
    /// done: no hole is left between values.
    ///
    /// A move counts as the bytes of one slot. Each call after the first visits the holes past the last value again, 64
    /// at a time.
    ///
    /// # Examples
    ///
    /// ```
    /// # use stayput::{Budget, DefaultKey, SlotMap};
    /// let mut map: SlotMap<DefaultKey, u32> = (0..1000).collect();
    /// map.retain(|_, n| *n % 2 == 0);
    /// let mut frames = 1;
    /// while !map.compact_within(Budget::bytes(800), |_, _| {}) {
    ///     frames += 1;
    /// }
    /// assert_eq!(frames, 3); // 250 moves of 8 bytes
    /// ```
    #[must_use = "it says whether it is done"]
    pub fn compact_within(&mut self, budget: Budget, rekey: impl FnMut(K, K)) -> bool {
        self.compact_by(&mut BudgetMeter::new(budget), rekey)
    }

    fn compact_by(&mut self, meter: &mut BudgetMeter, mut rekey: impl FnMut(K, K)) -> bool {
        self.settle();
        let mint = self.mint();
        // Moves do not disturb the cursor, which has read each word of the bitmap before it changes: a hole that is
        // filled lies before that word, or was a hole when the word was read.
        let mut candidates = self.candidates();
        loop {
            let Some((to, from)) = self.next_move(&mut candidates) else { return true };
            if !meter.pay(Slots::<V>::STRIDE_BYTES) {
                return false;
            }
            let (old, new) = self.move_value(from, to);
            // After the move, since converting a key may run user code, as the closure does.
            rekey(mint.key(from, old), mint.key(to, new));
        }
    }

    /// Returns the first hole, and the last slot past it that holds a value; `None` if one of them does not exist.
    fn next_move(&self, candidates: &mut Cursor) -> Option<(u32, u32)> {
        let hole = self.holes.bitmap().first()?;
        loop {
            let index = candidates.next_back(self.holes.words())?;
            if index < hole {
                return None;
            }
            if self.slots.state(index).is_live() {
                return Some((hole, index));
            }
        }
    }

    /// Moves a value into a hole, and returns its old and its new generation. Runs no user code.
    fn move_value(&mut self, from: u32, to: u32) -> (u32, u32) {
        let old = self.slots.state(from).generation();
        let new = self.last_generation(to) + 1;
        let value = self.remove_in_order(from, old).expect("the slot holds a value");
        // Under `Reuse::Rotating`, a move does not change where the next insertion looks for a hole.
        let turn = self.holes.turn();
        self.unmark_hole(to);
        self.slots.fill(to, new, value);
        self.holes.set_turn(turn);
        (old, new)
    }
}
