//! The bits of gaps against one of std's maps, and refused calls.

use super::*;
use crate::made;
use crate::os::Call;
use crate::os::fault::Fault;
use crate::slots::walk::Walk;
use std::collections::BTreeMap;
use std::mem;

arbitrary! {
    enum Op {
        Extend(u8),
        ExtendFar(u16),
        Push(u8),
        PushVacant,
        Fill(u16, u8),
        Put(u16, u8),
        Take(u16),
        TakeMany(u16, u16),
        Truncate(u16),
        Shrink,
        Reserve(u16),
        Owned,
    }
}

impl<V> GappedSlots<V> {
    /// Panics if a bit does not agree with its slot.
    fn check(&self) {
        assert!(self.gaps.len() >= words_of(self.slots.len()));
        for index in 0..u32::try_from(self.gaps.len() * WORD_SLOTS).unwrap() {
            let (word, bit) = place_of(index);
            let is_live = self.slots.state(index).is_live();
            assert_eq!(self.gaps[word] & bit == 0, is_live, "{index} of {}", self.slots.len());
        }
    }
}

/// For values that need no drop, since truncating leaks values.
fn run(ops: &[Op]) {
    let mut slots = GappedSlots::<u16>::new(&Options::DEFAULT);
    let mut std = BTreeMap::new();
    let at = |len: usize, which: u16| u32::from(which) % u32::try_from(len.max(1)).unwrap();
    for (op, n) in ops.iter().zip(0..) {
        let len = slots.len();
        match *op {
            Op::Extend(by) => slots.extend_vacant(usize::from(by) % 100).unwrap(),
            Op::ExtendFar(by) => slots.extend_vacant(usize::from(by) % 5000).unwrap(),
            Op::Push(generation) => {
                if slots.len() < slots.room() {
                    slots.push(u32::from(generation) + 1, n);
                    std.insert(u32::try_from(len).unwrap(), (u32::from(generation) + 1, n));
                }
            }
            Op::PushVacant => {
                if slots.len() < slots.room() {
                    slots.push_vacant();
                }
            }
            Op::Put(which, generation) => {
                let (index, generation) = (at(len + 1, which), u32::from(generation % 4));
                let expected = match std.get(&index) {
                    Some(&(there, value)) if there == generation => Ok(Some(value)),
                    None if generation > 0 && (index as usize) < len => Ok(None),
                    _ => Err(n),
                };
                assert_eq!(slots.put(index, generation, n), expected);
                if expected.is_ok() {
                    std.insert(index, (generation, n));
                }
            }
            Op::Fill(which, generation) => {
                let (index, generation) = (at(len, which), u32::from(generation) + 1);
                if len > 0 && !std.contains_key(&index) {
                    slots.fill(index, generation, n);
                    std.insert(index, (generation, n));
                }
            }
            Op::Take(which) => {
                let nth = usize::from(which) % std.len().max(1);
                if let Some((&index, &(generation, value))) = std.iter().nth(nth) {
                    assert_eq!(slots.take(index, generation + 1), None);
                    assert_eq!(slots.take(index, generation), Some(value));
                    std.remove(&index);
                }
            }
            Op::TakeMany(from, to) => {
                for index in at(len, from)..at(len, to) {
                    let taken = std.remove(&index);
                    let generation = taken.map_or(1, |taken| taken.0);
                    assert_eq!(slots.take(index, generation), taken.map(|taken| taken.1));
                }
            }
            Op::Truncate(which) => {
                slots.truncate(at(len, which) as usize);
                std.retain(|index, _| *index < at(len, which));
            }
            Op::Shrink => {
                slots.shrink(&mut BudgetMeter::unlimited()).unwrap();
                let last = std.last_key_value().map_or(0, |(index, _)| *index as usize + 1);
                assert_eq!(slots.len(), last);
            }
            Op::Reserve(additional) => slots.try_reserve(usize::from(additional) * 100).unwrap(),
            Op::Owned => {
                let there = std.iter().map(|(index, (generation, n))| (*index, *generation, *n));
                let walk =
                    mem::replace(&mut slots, GappedSlots::new(&Options::DEFAULT)).into_walk();
                let walked = walk.fold(Vec::new(), |mut all, item| {
                    all.push(item);
                    all
                });
                assert!(walked.into_iter().eq(there));
                std.clear();
            }
        }
        slots.check();
        let mut walk = slots.walk();
        let walked = std::iter::from_fn(|| walk.step().map(|(at, by, n)| (at, (by, *n))));
        assert!(walked.eq(std.iter().map(|(index, slot)| (*index, *slot))));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn bits_match_slots_after_any_operations() {
    made::run_with(60, 1..60, |(), ops: &[Op]| run(ops));
}

#[test]
#[cfg_attr(no_vm, ignore = "the bits are a heap block there")]
fn slots_without_memory_for_their_bits_are_not_added() {
    for call in [Call::Reserve, Call::Commit] {
        // The memory of the slots, then that of the bits.
        for pass in 0..2 {
            let mut slots = GappedSlots::<u64>::new(&Options::DEFAULT);
            let fault = Fault::from_nth(call, pass);
            // So many slots that their bits are not a heap block.
            assert!(slots.extend_vacant(1_000_000).is_err());
            assert!(fault.failures() > 0 && slots.room() == 0);
            drop(fault);
            assert_eq!(slots.len(), 0);
            slots.check();
            slots.extend_vacant(1_000_000).unwrap();
            slots.fill(77, 1, 7);
            slots.check();
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn pushing_with_room_makes_no_system_call() {
    let mut slots = GappedSlots::<u64>::new(&Options::DEFAULT);
    slots.try_reserve_exact(2_000_000).unwrap();
    let fault = Fault::from_nth(Call::Commit, 0);
    while slots.len() < slots.capacity() {
        let more = (slots.capacity() - slots.len()).min(100_000);
        slots.extend_vacant(more).unwrap();
    }
    assert_eq!(fault.failures(), 0);
    drop(fault);
    slots.check();
}
