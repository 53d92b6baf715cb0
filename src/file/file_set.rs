//! [`FileSet`]: a set of files that a process shares with its forked children.
//!
//! A lock of std that another thread holds at a fork is never released in the child, and what it guards may be half
//! changed. The lock here therefore names the process whose thread holds it, and a child takes over a lock that its
//! parent held; and the set is a list that changes by one store at a time, so it is intact wherever the fork
//! interrupted that thread.

#![expect(unsafe_code, reason = "links entries by pointers")]

use crate::os;
use std::iter;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// Identifies a file while it is open.
pub(super) type FileId = (u64, u64);

#[derive(Debug)]
pub(super) struct FileSet {
    /// 0, or one more than the number of forks of the process whose thread holds the lock.
    holder: AtomicUsize,
    first: Link,
}

/// The rest of the list. Invariant *link*: the pointer is null, or that of an entry that `insert` made from a box. Only the
/// holder of the lock reads, changes or drops entries; they are dropped after they were unlinked.
#[derive(Debug)]
struct Link(AtomicPtr<Entry>);

#[derive(Debug)]
struct Entry {
    file: FileId,
    next: Link,
}

struct Guard<'s>(&'s FileSet);

impl FileSet {
    pub(super) const fn new() -> Self {
        Self { holder: AtomicUsize::new(0), first: Link(AtomicPtr::new(ptr::null_mut())) }
    }

    /// Waits only for threads of this process, which hold the lock for as long as it takes to walk the list.
    fn lock(&self) -> Guard<'_> {
        /// Waits after these leave the processor to the holder.
        const SHORT_TRIES: u32 = 32;
        let this_process = os::forks().wrapping_add(1).max(1);
        let mut tries = 0_u32;
        loop {
            let holder = self.holder.load(Ordering::Relaxed);
            let (order, failing) = (Ordering::Acquire, Ordering::Relaxed);
            let is_free = holder != this_process;
            if is_free && self.holder.compare_exchange(holder, this_process, order, failing).is_ok()
            {
                return Guard(self);
            }
            if tries < SHORT_TRIES {
                thread::yield_now();
            } else {
                thread::sleep(Duration::from_micros(50));
            }
            tries = tries.saturating_add(1);
        }
    }

    /// Adds a file. Returns `false` if it is in the set already.
    pub(super) fn insert(&self, file: FileId) -> bool {
        let mut new = Box::new(Entry { file, next: Link(AtomicPtr::new(ptr::null_mut())) });
        let list = self.lock();
        let (_, found) = list.find(file);
        if found.is_some() {
            return false;
        }
        *new.next.0.get_mut() = self.first.0.load(Ordering::Relaxed);
        self.first.0.store(Box::into_raw(new), Ordering::Release);
        true
    }

    pub(super) fn remove(&self, file: FileId) {
        let list = self.lock();
        let (link, found) = list.find(file);
        let Some(entry) = found else { return };
        let next = entry.next.0.load(Ordering::Relaxed);
        let entry = link.0.swap(next, Ordering::Release);
        drop(list);
        // SAFETY: `insert` made it from a box (*link*), which is taken back once, since it was just unlinked under the
        // lock. References to entries borrow a guard, so they have ended with it.
        drop(unsafe { Box::from_raw(entry) });
    }
}

impl Guard<'_> {
    /// Returns the links of the list, each with the entry that it points to. The last points to none.
    fn links(&self) -> impl Iterator<Item = (&Link, Option<&Entry>)> {
        let mut next = Some(&self.0.first);
        iter::from_fn(move || {
            let link = next?;
            // SAFETY: null, or an entry made from a box (*link*), which is aligned and initialized. It is neither dropped
            // nor changed, except for its atomic link, while `self` is borrowed, which holds the lock of this list.
            let entry = unsafe { link.0.load(Ordering::Acquire).as_ref() };
            next = entry.map(|entry| &entry.next);
            Some((link, entry))
        })
    }

    /// Returns the link to the entry of a file, and the entry; or the last link, and `None`.
    fn find(&self, file: FileId) -> (&Link, Option<&Entry>) {
        let found = self.links().find(|(_, entry)| entry.is_none_or(|entry| entry.file == file));
        found.expect("the last link points to no entry")
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.holder.store(0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    impl FileSet {
        fn len(&self) -> usize {
            self.lock().links().count() - 1
        }
    }

    #[test]
    fn a_file_is_added_once_and_removed() {
        let files = FileSet::new();
        for file in 0..5 {
            assert!(files.insert((1, file)) && !files.insert((1, file)) && files.insert((2, file)));
        }
        for (file, left) in [(2, 9), (2, 9), (0, 8), (4, 7), (3, 6), (1, 5), (9, 5)] {
            files.remove((1, file));
            assert_eq!(files.len(), left);
        }
        assert!(files.insert((1, 4)) && !files.insert((2, 0)));
        (0..5).for_each(|file| [1, 2].into_iter().for_each(|device| files.remove((device, file))));
        assert_eq!(files.len(), 0);
    }

    #[test]
    fn the_lock_is_held_until_its_guard_is_dropped() {
        let files = FileSet::new();
        let guard = files.lock();
        assert_ne!(files.holder.load(Ordering::Relaxed), 0);
        drop(guard);
        assert_eq!(files.holder.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_lock_held_by_another_process_is_taken_over() {
        let files = FileSet::new();
        assert!(files.insert((1, 1)));
        files.holder.store(os::forks().wrapping_add(2), Ordering::Relaxed);
        assert!(!files.insert((1, 1)) && files.insert((1, 2)));
        files.remove((1, 1));
        files.remove((1, 2));
        assert_eq!((files.len(), files.holder.load(Ordering::Relaxed)), (0, 0));
    }

    #[test]
    fn exactly_one_of_racing_threads_adds_a_file() {
        const THREADS: usize = 4;
        const FILES: u64 = if cfg!(miri) { 10 } else { 1000 };
        let (files, barrier) = (&FileSet::new(), &Barrier::new(THREADS));
        let added: Vec<Vec<u64>> = thread::scope(|scope| {
            let add = || {
                barrier.wait();
                let added = (0..FILES).filter(|file| files.insert((1, file % 100))).collect();
                barrier.wait();
                added
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(add)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let mut added: Vec<_> = added.into_iter().flatten().map(|file| file % 100).collect();
        added.sort_unstable();
        assert!(added.iter().copied().eq(0..FILES.min(100)));
        thread::scope(|scope| {
            for n in 0..THREADS as u64 {
                scope.spawn(move || (n..100).step_by(THREADS).for_each(|n| files.remove((1, n))));
            }
        });
        assert_eq!(files.len(), 0);
    }
}
