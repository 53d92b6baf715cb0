//! Threads that append to one `SharedVec`.

use super::array::assert_same_max_len;
use super::op::{Batch, Config};
use super::shared_vec::{Left, Own, fresh, is_full};
use stayput::{Budget, Error, SharedVec, VmVec};
use std::ops::Range;

/// An element that holds the number of its thread, and its own within the thread.
pub(crate) trait Tagged: std::fmt::Debug + Send + Sync {
    const SPAN: usize;

    fn make(worker: usize, n: usize) -> Self;

    fn tag(&self) -> (usize, usize);
}

impl Tagged for u64 {
    const SPAN: usize = 40_000;

    fn make(worker: usize, n: usize) -> Self {
        (worker as u64) << 32 | n as u64
    }

    fn tag(&self) -> (usize, usize) {
        let half = |n: u64| usize::try_from(n).expect("32 bits");
        (half(self >> 32), half(self & u64::from(u32::MAX)))
    }
}

impl Tagged for String {
    const SPAN: usize = 4_000;

    fn make(worker: usize, n: usize) -> Self {
        format!("{worker} {n}")
    }

    fn tag(&self) -> (usize, usize) {
        let (worker, n) = self.split_once(' ').expect("made above");
        (worker.parse().expect("made above"), n.parse().expect("made above"))
    }
}

/// As large as a page.
#[derive(Debug)]
#[repr(align(4096))]
pub(crate) struct Page(u64);

impl Tagged for Page {
    const SPAN: usize = 120;

    fn make(worker: usize, n: usize) -> Self {
        Self(Tagged::make(worker, n))
    }

    fn tag(&self) -> (usize, usize) {
        assert_eq!(std::ptr::from_ref(self).addr() % 4096, 0);
        self.0.tag()
    }
}

/// One of several threads that append to the same array.
struct Worker<'s, T> {
    vec: &'s SharedVec<T>,
    names_maximum: bool,
    number: usize,
    /// How many elements it has made.
    made: usize,
    /// The elements that it has appended, with their indices if they are known.
    stored: Vec<(usize, Option<usize>)>,
    /// Elements that may have been appended or not.
    dropped: Vec<usize>,
    seen: usize,
}

/// Runs each list of operations in its own thread, on one array, and checks the array when all are done. (Operations
/// that need exclusive access are skipped.)
pub(crate) fn run_together<T: Tagged>(config: Config, lists: &[Vec<Own>]) {
    let vec = fresh::<T>(config, T::SPAN);
    let workers: Vec<Worker<'_, T>> = std::thread::scope(|scope| {
        let begin = |number| {
            let (vec, ops) = (&vec, &lists[number]);
            scope.spawn(move || {
                let mut worker = Worker::new(vec, config, number);
                for op in ops {
                    worker.apply(op);
                    worker.look();
                }
                worker
            })
        };
        let threads: Vec<_> = (0..lists.len()).map(begin).collect();
        threads.into_iter().map(|thread| thread.join().expect("it has found nothing")).collect()
    });

    let tags: Vec<_> = vec.iter().map(Tagged::tag).collect();
    assert!(vec.get(tags.len()).is_none() && tags.len() <= vec.capacity());
    assert!(!config.names_maximum() || tags.len() <= T::SPAN && vec.max_len() == T::SPAN);
    let stored: usize = workers.iter().map(|worker| worker.stored.len()).sum();
    let dropped: usize = workers.iter().map(|worker| worker.dropped.len()).sum();
    assert!((stored..=stored + dropped).contains(&tags.len()));
    for worker in workers {
        let own: Vec<_> =
            tags.iter().filter(|tag| tag.0 == worker.number).map(|tag| tag.1).collect();
        assert!(own.is_sorted_by(|a, b| a < b), "not in the order of their thread");
        assert!(worker.stored.iter().all(|(n, _)| own.binary_search(n).is_ok()));
        let is_stored = |n: &usize| worker.stored.binary_search_by_key(n, |(n, _)| *n).is_ok();
        assert!(own.iter().all(|n| is_stored(n) || worker.dropped.contains(n)));
        for (n, index) in &worker.stored {
            assert!(index.is_none_or(|index| tags[index] == (worker.number, *n)));
        }
    }
    let inner = vec.into_inner();
    assert!(inner.iter().map(Tagged::tag).eq(tags));
}

impl<'s, T: Tagged> Worker<'s, T> {
    fn new(vec: &'s SharedVec<T>, config: Config, number: usize) -> Self {
        let (stored, dropped) = (Vec::new(), Vec::new());
        let names_maximum = config.names_maximum();
        Self { vec, names_maximum, number, made: 0, stored, dropped, seen: 0 }
    }

    /// The numbers of the next elements, if they are to be appended.
    fn next(&mut self, count: usize) -> Option<Range<usize>> {
        if self.made + count > T::SPAN && !self.names_maximum {
            return None;
        }
        let first = self.made;
        self.made += count;
        Some(first..first + count)
    }

    fn make(&self, numbers: Range<usize>) -> Vec<T> {
        numbers.map(|n| T::make(self.number, n)).collect()
    }

    fn record(&mut self, numbers: Range<usize>, indices: Range<usize>) {
        assert_eq!(numbers.len(), indices.len());
        self.stored.extend(numbers.zip(indices.map(Some)));
    }

    /// Asserts that the array refused for the right reason, and returned these elements.
    fn refused<'r>(&self, error: Error, numbers: Range<usize>, left: impl Iterator<Item = &'r T>)
    where
        T: 'r,
    {
        assert!(self.names_maximum, "{error}");
        is_full(error, T::SPAN);
        assert!(left.map(Tagged::tag).eq(numbers.map(|n| (self.number, n))));
    }

    /// Asserts that the array has not become shorter, and holds what was appended.
    fn look(&mut self) {
        let len = self.vec.len();
        assert!(len >= self.seen && self.vec.as_slice().len() >= len);
        self.seen = len;
        for (n, index) in self.stored.iter().rev().take(3) {
            if let Some(index) = *index {
                let found = self.vec.get(index).map(Tagged::tag);
                assert_eq!(found, Some((self.number, *n)));
            }
        }
    }

    fn apply(&mut self, op: &Own) {
        let vec = self.vec;
        match *op {
            Own::Push(_) | Own::PushWith(_) | Own::PushIfNext(_) | Own::PushIfLen(..) => {
                self.one(op);
            }
            Own::ExtendFromSlice(batch) | Own::AppendVec(batch) => {
                let Some(numbers) = self.next(batch.count.up_to(T::SPAN)) else { return };
                let mut run = self.make(numbers.clone());
                match vec.try_append_vec(&mut run) {
                    Ok(range) => self.record(numbers, range),
                    Err(error) => self.refused(error, numbers, run.iter()),
                }
            }
            Own::Append(batch) => {
                let Some(numbers) = self.next(batch.count.up_to(T::SPAN)) else { return };
                let mut run = VmVec::from(self.make(numbers.clone()));
                match vec.try_append(&mut run) {
                    Ok(range) => self.record(numbers, range),
                    Err(error) => self.refused(error, numbers, run.iter()),
                }
            }
            Own::Extend(batch, _) | Own::ExtendAlone(batch, _) => {
                let Some(mut numbers) = self.next(batch.count.up_to(T::SPAN)) else { return };
                if let Err(refused) = vec.try_extend(self.make(numbers.clone())) {
                    let rest: Vec<_> = refused.value.collect();
                    let stored = numbers.end - rest.len();
                    self.refused(refused.error, stored..numbers.end, rest.iter());
                    numbers.end = stored;
                }
                self.stored.extend(numbers.map(|n| (n, None)));
            }
            Own::Gather(batch, left) => self.gather(batch, left),
            Own::Get(place) => {
                if let Some(found) = vec.get(place.within(vec.len() + 100)) {
                    assert!(found.tag().0 < 16);
                }
            }
            Own::Slice(span) => {
                let slice = vec.as_slice();
                assert!(slice[span.within(slice.len())].iter().all(|found| found.tag().0 < 16));
            }
            Own::Reserve(count) | Own::Prefault(count) => {
                let count = count.up_to(T::SPAN);
                let result = if let Own::Reserve(_) = op {
                    vec.try_reserve(count)
                } else {
                    vec.try_prefault(count)
                };
                if let Err(error) = result {
                    self.refused(error, 0..0, [].iter());
                }
            }
            Own::PrefaultAhead(bytes) => {
                assert_eq!(vec.prefault_ahead(Budget::bytes(bytes.into())).refused, None);
            }
            Own::Stats => {
                let stats = vec.stats();
                assert!(stats.len >= self.seen && stats.committed_bytes <= stats.reserved_bytes);
                assert_same_max_len(stats.max_len, vec.max_len());
            }
            _ => {}
        }
    }

    fn one(&mut self, op: &Own) {
        let Some(numbers) = self.next(1) else { return };
        let make = || T::make(self.number, numbers.start);
        let pushed = match *op {
            Own::Push(_) => {
                self.vec.try_push(make()).map_err(|refused| (Some(refused.error), refused.value))
            }
            Own::PushWith(_) => {
                let mut shown = None;
                let pushed = self.vec.try_push_with(|index| {
                    shown = Some(index);
                    make()
                });
                assert!(pushed.as_ref().map_or(true, |(index, _)| shown == Some(*index)));
                pushed.map_err(|refused| (Some(refused.error), refused.value))
            }
            _ => {
                let mut len = self.vec.len();
                if let Own::PushIfLen(place, _) = *op {
                    len = place.within(len + 2);
                }
                self.vec.push_if_len(len, make()).map(|pushed| (len, pushed))
            }
        };
        match pushed {
            Ok((index, pushed)) => {
                assert_eq!(pushed.tag(), (self.number, numbers.start));
                self.record(numbers, index..index + 1);
            }
            Err((Some(error), value)) => self.refused(error, numbers, [value].iter()),
            Err((None, value)) => assert_eq!(value.tag(), (self.number, numbers.start)),
        }
    }

    fn gather(&mut self, batch: Batch, left: Left) {
        let Some(numbers) = self.next(batch.count.up_to(T::SPAN)) else { return };
        let mut gather = self.vec.gather();
        let mut given = numbers.start;
        for value in self.make(numbers.clone()) {
            if let Err(refused) = gather.try_push(value) {
                self.refused(refused.error, given..given + 1, [refused.value].iter());
                break;
            }
            given += 1;
        }
        if !matches!(left, Left::Drop) {
            let first = given - gather.as_slice().len();
            match gather.try_flush() {
                Ok(range) => {
                    self.stored.extend((numbers.start..first).map(|n| (n, None)));
                    return self.record(first..given, range);
                }
                Err(error) => self.refused(error, first..given, gather.as_slice().iter()),
            }
        }
        let first = given - gather.as_slice().len();
        self.stored.extend((numbers.start..first).map(|n| (n, None)));
        self.dropped.extend(first..given);
    }
}
