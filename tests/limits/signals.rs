//! Signals that interrupt the thread every few microseconds while containers grow, shrink and are dropped.

use crate::MIB;
use crate::effort::wait_until;
use crate::linux::{assert_counts, in_child};
use crate::process::{interrupted, open_files, statm};
use stayput::{
    Arena, Budget, Columns, CommitAhead, DefaultKey, HugePages, Release, SecondaryMap, SharedVec,
    SlotMap, VmVec, alloc, service,
};

const COUNT: usize = 100_000;
const LEN: u64 = COUNT as u64;

fn use_containers(ahead: CommitAhead, huge_pages: HugePages, release: Release) {
    let builder = VmVec::<u64>::builder().commit_ahead(ahead).huge_pages(huge_pages);
    let mut vec = builder.release(release).build();
    vec.prefault(MIB);
    vec.extend(0..LEN);
    vec.prefault_ahead(Budget::UNLIMITED);
    vec.extend(LEN..2 * LEN);
    assert_counts(&vec, 2 * COUNT);
    vec.truncate(COUNT / 2);
    vec.shrink_to_fit();
    let mut map: SlotMap<DefaultKey, u64> =
        SlotMap::builder().commit_ahead(ahead).huge_pages(huge_pages).release(release).build();
    let keys: Vec<_> = (0..LEN).map(|n| map.insert(n)).collect();
    let second: SecondaryMap<DefaultKey, u64> = keys.iter().copied().zip(0..).collect();
    map.retain(|_, value| *value % 64 == 0);
    map.trim();
    assert!(map.iter().all(|(key, value)| second[key] == *value));
    let columns: Columns<(u64, u8)> = (0..LEN).map(|n| (n, 7)).collect();
    assert_eq!(columns.len() as u64, LEN);
    let shared = SharedVec::new();
    (0..LEN).for_each(|n| _ = shared.push(n));
    assert_eq!(shared.len() as u64, LEN);
    let mut arena = Arena::builder().commit_ahead(ahead).build();
    for n in 0..2000 {
        assert!(arena.alloc_slice_fill_copy(64, n).iter().all(|word| *word == n));
    }
    arena.reset();
}

#[test]
fn containers_are_used_while_signals_interrupt_each_call() {
    in_child(|| {
        let all = || {
            use_containers(CommitAhead::Off, HugePages::Never, Release::Now);
            use_containers(CommitAhead::Auto, HugePages::Always, Release::Background);
            use_containers(CommitAhead::Auto, HugePages::Auto, Release::default());
            service::drain();
            alloc::trim();
        };
        interrupted(all);
        // The background thread may be releasing a part at this moment, or opening the files that it keeps, and a
        // sanitizer adds to its own memory in some of the rounds.
        wait_until("a round leaves nothing behind", || {
            let (total, data, files) = (statm(0), statm(5), open_files());
            interrupted(all);
            let is_as_before = statm(0) < total + 8 * MIB && statm(5) < data + 8 * MIB;
            is_as_before && open_files() == files
        });
    });
}
