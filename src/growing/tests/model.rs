//! A model of a growing reservation under refused calls: usable bytes keep their contents, and bytes that become usable
//! are zero.

use super::{KIB, Storage, fill, growing, holds, system_committed};
use crate::growing::cached::CacheRequest;
use crate::growing::{Amount, Budget, GrowingReservation, Growth, round_up};
use crate::made;
use crate::os::{Call, fault::Fault};
use crate::region_cache::{self, Use, tests::alone};
use crate::reservation::{HugePages, page_size};
use crate::service::CommitAhead;

arbitrary! {
    enum Op {
        Grow(u16),
        GrowExactly(u16),
        Shrink(u16),
        /// The second number is the budget.
        ShrinkWithin(u16, u16),
        PrefaultAhead(u16, u16),
        Discard(u8, u8),
        /// One step of the service.
        Step,
        /// All steps of the service.
        Work,
        /// What the service does once the array has stopped growing.
        Rest,
    }

    /// The calls that are refused during an operation.
    enum Refused {
        Nothing,
        NothingToo,
        Commits(u8, u8),
        Decommits(u8, u8),
        Discards(u8),
        Prefaults(u8),
    }

    enum Ahead {
        Off,
        Auto,
        One,
        Unit,
        More,
        All,
    }
}

struct Model {
    memory: GrowingReservation,
    /// How many bytes from the start have been written.
    filled: usize,
}

/// Not a multiple of the unit, on systems with pages of 4 KiB.
const BYTES: usize = (2 << 20) + 68 * KIB;

impl Model {
    fn run(ahead: Ahead, ops: &[(Op, Refused)]) {
        let ahead = match ahead {
            Ahead::Off => CommitAhead::Off,
            Ahead::Auto => CommitAhead::Auto,
            Ahead::One => CommitAhead::Bytes(1),
            Ahead::Unit => CommitAhead::Bytes(128 * KIB),
            Ahead::More => CommitAhead::Bytes(700 * KIB),
            Ahead::All => CommitAhead::Bytes(usize::MAX),
        };
        Self { memory: growing(BYTES, ahead), filled: 0 }.run_all(ops);
    }

    /// Runs in memory that another array had, with `need` bytes needed immediately.
    fn run_warm(left: u16, need: u16, ops: &[(Op, Refused)]) {
        let (used, huge_pages) = (Use::Exact, HugePages::Never);
        let reserved_bytes = round_up(BYTES, page_size());
        let cache_request = |need_bytes| CacheRequest {
            used,
            reserved_bytes,
            need_bytes,
            align: 1,
            huge_pages,
            columns: None,
            is_any_fit: false,
        };
        // A failed run may have left regions in the cache.
        region_cache::trim();
        let left = round_up(Self::at(left).max(1), page_size());
        let mut another = growing(BYTES, CommitAhead::Off).kept_for(Some(cache_request(1)));
        another.grow(left, Amount::Exact).unwrap();
        fill(&another, 0..left, 9);
        let start = another.as_ptr();
        drop(another);
        assert_eq!(region_cache::stats().kept_bytes, left);
        let need = Self::at(need).min(left);
        let mut memory = None;
        GrowingReservation::from_cache(&mut memory, cache_request(need), Growth::default());
        let memory = memory.expect("the cached region suits");
        assert_eq!((memory.as_ptr(), memory.usable_bytes(), memory.warm_bytes()), (start, 0, left));
        assert_eq!(memory.ahead_bytes(), left);
        let mut model = Self { memory, filled: 0 };
        model.run_all(ops);
        let committed = model.memory.committed_bytes();
        drop(model);
        // What no request like this one would get is not cached.
        let kept = if committed <= region_cache::largest_fit(need) { committed } else { 0 };
        let stats = region_cache::stats();
        assert_eq!((stats.kept_bytes, stats.lent_bytes), (kept, 0));
        region_cache::trim();
    }

    fn run_all(&mut self, ops: &[(Op, Refused)]) {
        let model = self;
        for (op, refused) in ops {
            // Committing usable pages changes nothing, and is never refused.
            let refused = match (op, refused) {
                (Op::Discard(..), Refused::Commits(..)) => Refused::Nothing,
                _ => *refused,
            };
            let fault = match refused {
                Refused::Nothing | Refused::NothingToo => None,
                Refused::Commits(pass, few) => Some((Call::Commit, pass % 3, few % 6)),
                Refused::Decommits(pass, few) => Some((Call::Decommit, pass % 4, few % 3)),
                Refused::Discards(pass) => Some((Call::Discard, pass % 2, 1)),
                Refused::Prefaults(pass) => Some((Call::Prefault, pass % 6, 2)),
            };
            let fault = fault.map(|(call, pass, few)| Fault::plan(call, pass.into(), few.into()));
            let is_refused = model.apply(*op);
            let failures = fault.map_or(0, |fault| fault.failures());
            assert!(!is_refused || failures > 0, "{op:?} was refused without a fault");
            model.check();
        }
    }

    fn at(part: u16) -> usize {
        let bytes = BYTES as u64 * u64::from(part) / u64::from(u16::MAX);
        usize::try_from(bytes).expect("at most `BYTES`")
    }

    /// Applies `op`, and returns whether it was refused.
    fn apply(&mut self, op: Op) -> bool {
        let memory = &mut self.memory;
        match op {
            Op::Grow(part) | Op::GrowExactly(part) => {
                let is_exact = matches!(op, Op::GrowExactly(_));
                let amount = if is_exact { Amount::Exact } else { Amount::AtLeast };
                let (before, need) = (memory.usable_bytes(), Self::at(part));
                let result = memory.grow(need, amount);
                let usable = memory.usable_bytes();
                match result {
                    Ok(()) => assert!(usable >= need.max(before)),
                    Err(_) => assert_eq!(usable, before),
                }
                result.is_err()
            }
            Op::Shrink(part) => memory.shrink_to(Self::at(part), Budget::UNLIMITED).is_err(),
            Op::ShrinkWithin(part, bytes) => {
                let keep = Self::at(part);
                let kept = memory.usable_bytes().min(keep);
                let before = memory.committed_bytes();
                let result = memory.shrink_to(keep, Budget::bytes(Self::at(bytes)));
                assert!(memory.usable_bytes() >= kept);
                if let Ok(given) = result {
                    assert_eq!(memory.committed_bytes().min(before), memory.committed_bytes());
                    assert!(given.bytes > 0 || given.is_done || bytes == 0);
                }
                result.is_err()
            }
            Op::PrefaultAhead(part, bytes) => {
                let used = Self::at(part).min(memory.usable_bytes());
                memory.prefault_ahead(used, Budget::bytes(Self::at(bytes))).refused.is_some()
            }
            Op::Discard(from, to) => {
                // 64 KiB are whole pages on every system.
                let runs = memory.usable_bytes() / (64 * KIB);
                let (from, to) = (usize::from(from) % (runs + 1), usize::from(to) % (runs + 1));
                let range = from.min(to) * 64 * KIB..from.max(to) * 64 * KIB;
                let is_refused = memory.discard(range.clone()).is_err();
                if !is_refused {
                    assert!(holds(memory, range.clone(), 0));
                }
                let end = memory.usable_bytes().min(self.filled).min(range.end);
                fill(memory, range.start.min(end)..end, 7);
                is_refused
            }
            Op::Step | Op::Work | Op::Rest => {
                if let Storage::Reserved(_) = memory.memory() {
                    return false;
                }
                let served = memory.served();
                let mut steps = 0..1;
                match op {
                    Op::Work => served.work().is_err(),
                    Op::Rest => served.rest().is_err(),
                    _ => served.shared().prefault(&mut |_| steps.next().is_some()).is_err(),
                }
            }
        }
    }

    fn check(&mut self) {
        let Self { memory, filled } = self;
        let usable = memory.usable_bytes();
        assert!(usable <= memory.reserved_bytes());
        assert!(usable + memory.ahead_bytes() <= memory.committed_bytes());
        assert!(memory.committed_bytes() <= system_committed(memory));
        *filled = usable.min(*filled);
        assert!(holds(memory, 0..*filled, 7), "written bytes were lost");
        // In whole pages: `fill` writes to their ends.
        let fresh = memory.warm_bytes().max(*filled).min(usable);
        assert!(holds(memory, fresh..usable, 0), "memory that was returned is not zero");
        if memory.cached_prefix.is_some() {
            let beyond_use = memory.warm_bytes().saturating_sub(usable);
            assert!(region_cache::stats().lent_bytes <= beyond_use);
        }
        fill(memory, *filled..usable, 7);
        *filled = usable;
    }
}

#[test]
fn bytes_agree_with_the_model_under_refused_calls() {
    made::run_with(75, 1..40, |ahead: Ahead, ops: &[(Op, Refused)]| {
        Model::run(ahead, ops);
    });
}

#[test]
#[cfg_attr(no_vm, ignore = "nothing is cached there")]
fn cached_bytes_agree_with_the_model_under_refused_calls() {
    let _alone = alone();
    made::run_with(40, 1..40, |(left, need): (u16, u16), ops: &[(Op, Refused)]| {
        Model::run_warm(left, need, ops);
    });
}
