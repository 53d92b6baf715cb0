//! What each of the threads does, by chance.

use std::hint::black_box;
use std::sync::mpsc::{Receiver, SyncSender};

use bench_common::random::Random;
use stayput::alloc::Arena;
use stayput::{SlotMap, VmVec};

use crate::short_lived::pattern::Pattern;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Of which a round does one.
const PATTERNS: [Pattern; 10] = [
    Pattern::Push { bytes: MIB, threads: 1 },
    Pattern::Push { bytes: 4 * MIB, threads: 1 },
    Pattern::Push { bytes: 16 * MIB, threads: 1 },
    Pattern::Read { bytes: MIB },
    Pattern::Read { bytes: 4 * MIB },
    Pattern::Collect { bytes: MIB },
    Pattern::Frame { buffers: 8, bytes: 300 * KIB },
    Pattern::Frame { buffers: 8, bytes: MIB },
    Pattern::Resize { small: 200 * KIB, large: 300 * KIB },
    Pattern::OnePage { bytes: 24 * MIB },
];

/// Numbers, all the same, which another thread frees.
type Block = Vec<u64>;

pub(super) struct Worker {
    chance: Random,
    rounds: u64,
    next: SyncSender<Block>,
    blocks: Receiver<Block>,
}

impl Worker {
    pub(super) fn new(seed: u64, next: SyncSender<Block>, blocks: Receiver<Block>) -> Self {
        Self { chance: Random::new(seed), rounds: 0, next, blocks }
    }

    pub(super) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Takes memory in one way, and frees it, but for what the next thread frees.
    pub(super) fn round(&mut self) {
        self.rounds += 1;
        match self.chance.below(PATTERNS.len() + 5) {
            0 => self.pass_on(),
            1 => self.vec(),
            2 => self.map(),
            3 => self.arena(),
            4 => self.small(),
            pattern => {
                let mut work = PATTERNS[pattern - 5].work();
                (0..4).for_each(|n| work(self.rounds + n));
            }
        }
    }

    fn pass_on(&mut self) {
        for block in self.blocks.try_iter() {
            assert!(block.iter().all(|number| *number == block[0]), "what was written is gone");
        }
        let words = (16 + self.chance.below(1500)) * KIB / size_of::<u64>();
        // If the next is behind, it is freed here.
        let _ = self.next.try_send(vec![self.rounds; words]);
    }

    fn vec(&mut self) {
        let count = 1 + self.chance.below(500_000) as u64;
        let mut numbers = VmVec::new();
        (0..count).for_each(|n| numbers.push(n));
        assert_eq!(black_box(&numbers).iter().sum::<u64>(), count * (count - 1) / 2);
    }

    fn map(&mut self) {
        let count = 1 + self.chance.below(50_000) as u64;
        let mut map: SlotMap<stayput::DefaultKey, u64> = SlotMap::new();
        let keys: Vec<_> = (0..count).map(|n| map.insert(n)).collect();
        for key in keys.iter().step_by(2) {
            assert!(map.remove(*key).is_some(), "it was there");
        }
        for n in 0..count / 4 {
            map.insert(n);
        }
        assert_eq!(map.len() as u64, count / 2 + count / 4);
    }

    fn arena(&mut self) {
        let count = 1 + self.chance.below(200_000) as u64;
        let arena = Arena::new();
        let first = arena.alloc(count);
        for n in 0..count {
            black_box(arena.alloc(n));
        }
        assert_eq!(*first, count, "what was written is gone");
    }

    fn small(&mut self) {
        let bytes = |n: usize| 8 << (n % 12);
        let mut blocks: Vec<Vec<u8>> = (0..500).map(|n| vec![1; bytes(n)]).collect();
        while !blocks.is_empty() {
            let at = self.chance.below(blocks.len());
            drop(black_box(blocks.swap_remove(at)));
        }
    }
}
