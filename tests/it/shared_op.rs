//! Operations on a `SharedVec` and on std's `Vec` side by side, and of several threads on one `SharedVec`: what the
//! model test and the fuzz target `shared_model` share.

use crate::buffer::Buffer;
use crate::elements::{Element, PageSized, ZeroSized};
use crate::op::{Batch, Choice, Config, Count, Hint, Partly, Place, Span};
use stayput::{Budget, CommitAhead, Error, ErrorKind, Growth, HugePages, Release};
use stayput::{SharedVec, VmVec};
use std::mem;
use std::ops::Range;

#[derive(Clone, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) enum Op {
    Push(u8),
    PushWith(u8),
    PushIfLen(Place, u8),
    PushIfNext(u8),
    ExtendFromSlice(Batch),
    Append(Batch),
    AppendVec(Batch),
    Extend(Batch, Hint),
    /// By `&mut`.
    ExtendAlone(Batch, Hint),
    Gather(Batch, Left),
    Get(Place),
    Slice(Span),
    Set(Place, u8),
    SetAll(u8),
    Insert(Place, u8),
    Pop,
    Truncate(Place),
    Retain(Choice),
    Sort,
    /// Another array in the place of the one that is there.
    Replace(Batch),
    Forget,
    Drain(Span, Partly),
    Clear,
    ShrinkToFit,
    ShrinkTo(Count),
    Reserve(Count),
    Prefault(Count),
    PrefaultAhead(u16),
    /// To an array of one thread, and back.
    Convert(u8),
    IntoIter(Partly),
    Clone,
    Stats,
    Move,
}

/// What is done with what is gathered last.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) enum Left {
    Flush,
    FlushOften(u8),
    Drop,
}

/// What elements can be copied.
pub(crate) trait Held: Element {
    /// `None` if they cannot.
    fn try_extend_from_slice(
        _: &SharedVec<Self>,
        _: &[Self],
    ) -> Option<Result<Range<usize>, Error>> {
        None
    }
}

macro_rules! copied {
    ($($name:ty),*) => {
        $(impl Held for $name {
            fn try_extend_from_slice(
                vec: &SharedVec<Self>,
                slice: &[Self],
            ) -> Option<Result<Range<usize>, Error>> {
                Some(vec.try_extend_from_slice(slice))
            }
        })*
    };
}

copied!(u8, u64, [u8; 3]);
impl Held for String {}
impl Held for ZeroSized {}
impl Held for PageSized {}

fn fresh<T>(config: Config, span: usize) -> SharedVec<T> {
    let builder = SharedVec::builder();
    match config {
        Config::Default => SharedVec::new(),
        Config::MaxLen => SharedVec::with_max_len(span),
        Config::Fixed(step) => {
            let growth = Growth::Fixed { step_bytes: step.into() };
            builder.growth(growth).huge_pages(HugePages::Never).capacity(10).build()
        }
        Config::HugePages => builder.huge_pages(HugePages::Always).build(),
        Config::Served(window) => {
            let ahead = CommitAhead::Bytes(usize::from(window) * 10);
            builder.commit_ahead(ahead).release(Release::Background).build()
        }
        Config::ServedMaxLen => {
            let builder = builder.max_len(span).release(Release::Background);
            builder.commit_ahead(CommitAhead::Auto).build()
        }
        Config::Backed(run) => {
            let spare = usize::from(run / 11 % 2) * 100_000;
            let buffer =
                Buffer::new(span * size_of::<T>() + spare, 64 << (run % 11), align_of::<T>());
            builder.max_len(span).build_in(buffer)
        }
    }
}

/// The most that are appended as one where many are refused.
const RUN: usize = 64;

/// The array, and the `Vec` that says what it should hold.
pub(crate) struct Model<T: Held> {
    config: Config,
    vec: SharedVec<T>,
    std: Vec<T>,
    /// Where the elements lie, since there were any.
    base: Option<*const T>,
    /// Elements that were leaked on purpose.
    leaked: usize,
    /// It may not know of all of its memory.
    is_forgotten: bool,
    live_before: Option<usize>,
}

impl<T: Held> Model<T> {
    /// Runs the operations on a fresh array, comparing after each.
    pub(crate) fn run(config: Config, ops: &[Op]) {
        let mut model = Self {
            config,
            vec: fresh(config, T::SPAN),
            std: Vec::new(),
            base: None,
            leaked: 0,
            is_forgotten: false,
            live_before: T::live(),
        };
        model.check();
        for op in ops {
            model.apply(op);
            model.check();
        }
        model.apply(&Op::Stats);
        model.apply(&Op::Clear);
        model.check();
    }

    fn check(&mut self) {
        let Self { vec, std, .. } = self;
        let len = std.len();
        assert_eq!((vec.len(), vec.is_empty()), (len, len == 0));
        assert!(vec.as_slice() == std.as_slice(), "contents differ: {vec:.200?} {std:.200?}");
        assert!(*vec == std[..] && vec.iter().len() == len);
        assert_eq!((vec.get(len), vec.get(usize::MAX)), (None, None));
        assert_eq!(len.checked_sub(1).and_then(|last| vec.get(last)), std.last());
        assert!(len <= vec.capacity() && vec.capacity() <= vec.max_len());
        if self.config.names_maximum() {
            assert_eq!(vec.max_len(), T::SPAN);
        }
        match self.base {
            _ if len == 0 => {}
            Some(base) => assert_eq!(vec.as_slice().as_ptr(), base, "the elements have moved"),
            None => self.base = Some(vec.as_slice().as_ptr()),
        }
        if let (Some(before), Some(now)) = (self.live_before, T::live()) {
            assert_eq!(now - before, 2 * len + self.leaked, "lost or doubled elements");
        }
    }

    /// Whether as many more fit, if they are to be tried.
    fn fits(&self, additional: usize) -> Option<bool> {
        let fits = self.std.len() + additional <= T::SPAN;
        (fits || self.config.names_maximum()).then_some(fits)
    }

    /// Appends these by the call, or checks that they are refused.
    fn grow(
        &mut self,
        new: Vec<T>,
        call: impl FnOnce(&SharedVec<T>) -> Result<Range<usize>, Error>,
    ) {
        let Some(fits) = self.fits(new.len()) else { return };
        let at = self.std.len();
        match call(&self.vec) {
            Ok(range) => {
                assert_eq!((fits, range), (true, at..at + new.len()));
                self.std.extend(new);
            }
            Err(error) => {
                assert!(!fits, "{error}");
                is_full(error, T::SPAN);
            }
        }
    }

    fn replace(&mut self, by: SharedVec<T>) -> SharedVec<T> {
        self.base = None;
        mem::replace(&mut self.vec, by)
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Push(_) | Op::PushWith(_) | Op::PushIfLen(..) | Op::PushIfNext(_) => self.one(op),
            Op::ExtendFromSlice(_)
            | Op::Append(_)
            | Op::AppendVec(_)
            | Op::Extend(..)
            | Op::ExtendAlone(..)
            | Op::Gather(..) => self.many(op),
            Op::Get(_)
            | Op::Slice(_)
            | Op::Set(..)
            | Op::SetAll(_)
            | Op::Insert(..)
            | Op::Pop
            | Op::Truncate(_)
            | Op::Retain(_)
            | Op::Sort
            | Op::Clear => self.in_place(op),
            Op::Drain(span, partly) => self.drain(*span, *partly),
            Op::Replace(_)
            | Op::Forget
            | Op::Convert(_)
            | Op::IntoIter(_)
            | Op::Clone
            | Op::Move => self.whole(op),
            _ => self.memory(op),
        }
    }

    fn one(&mut self, op: &Op) {
        let len = self.std.len();
        let same = |element: &T, seed| assert_eq!(*element, T::make(seed));
        match *op {
            Op::Push(seed) => {
                self.grow(vec![T::make(seed)], |vec| match vec.try_push(T::make(seed)) {
                    Ok((index, pushed)) => {
                        same(pushed, seed);
                        Ok(index..index + 1)
                    }
                    Err(refused) => {
                        same(&refused.value, seed);
                        Err(refused.error)
                    }
                });
            }
            Op::PushWith(seed) => self.grow(vec![T::make(seed)], |vec| {
                let make = |index| {
                    assert_eq!(index, len);
                    T::make(seed)
                };
                match vec.try_push_with(make) {
                    Ok((index, pushed)) => {
                        same(pushed, seed);
                        Ok(index..index + 1)
                    }
                    Err(refused) => {
                        same(&refused.value, seed);
                        Err(refused.error)
                    }
                }
            }),
            Op::PushIfNext(seed) => {
                self.grow(vec![T::make(seed)], |vec| match vec.push_if_len(len, T::make(seed)) {
                    Ok(pushed) => {
                        same(pushed, seed);
                        Ok(len..len + 1)
                    }
                    Err((error, value)) => {
                        same(&value, seed);
                        Err(error.expect("it is the next"))
                    }
                });
            }
            Op::PushIfLen(place, seed) => {
                // Not the next one.
                let place = place.within(len + 100);
                let place = if place == len { usize::MAX } else { place };
                let (error, value) = self.vec.push_if_len(place, T::make(seed)).unwrap_err();
                same(&value, seed);
                assert!(error.is_none() || place >= T::SPAN, "{error:?}");
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    fn many(&mut self, op: &Op) {
        match *op {
            Op::ExtendFromSlice(batch) => {
                let batch = batch.vec::<T>();
                if self.fits(batch.len()).is_some() {
                    if let Some(result) = T::try_extend_from_slice(&self.vec, &batch) {
                        self.grow(batch, |_| result);
                    }
                }
            }
            Op::Append(batch) => {
                let mut other = VmVec::from(batch.vec::<T>());
                let capacity = other.capacity();
                self.grow(batch.vec(), |vec| {
                    let result = vec.try_append(&mut other);
                    let left = if result.is_ok() { &[] } else { &batch.vec::<T>()[..] };
                    assert_eq!(other, *left);
                    result
                });
                assert_eq!(other.capacity(), capacity);
            }
            Op::AppendVec(batch) => {
                let mut other = batch.vec::<T>();
                self.grow(batch.vec(), |vec| {
                    let result = vec.try_append_vec(&mut other);
                    let left = if result.is_ok() { &[] } else { &batch.vec::<T>()[..] };
                    assert_eq!(other, left);
                    result
                });
            }
            Op::Extend(batch, hint) => {
                let before = self.std.len();
                let Some(fits) = self.fits(batch.count.of::<T>()) else { return };
                let result = self.vec.try_extend(batch.source(hint));
                let mut source = batch.source::<T>(Hint::Exact);
                self.std.extend(source.by_ref().take(self.vec.len() - before));
                match result {
                    Ok(()) => assert!(fits && source.next().is_none()),
                    Err(refused) => {
                        assert!(!fits && T::SPAN - self.std.len() < RUN);
                        is_full(refused.error, T::SPAN);
                        assert!(refused.value.eq(source));
                    }
                }
            }
            Op::ExtendAlone(batch, hint) => {
                if self.fits(batch.count.of::<T>()) == Some(true) {
                    Extend::extend(&mut self.vec, batch.source(hint));
                    self.std.extend(batch.vec::<T>());
                }
            }
            Op::Gather(batch, left) => self.gather(batch, left),
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    fn gather(&mut self, batch: Batch, left: Left) {
        let Some(fits) = self.fits(batch.count.of::<T>()) else { return };
        let before = self.std.len();
        let mut gather = self.vec.gather();
        let mut given = 0;
        for (n, value) in batch.source(Hint::Exact).enumerate() {
            if matches!(left, Left::FlushOften(step) if n % (usize::from(step) + 1) == 0) {
                let gathered = gather.as_slice().len();
                match gather.try_flush() {
                    Ok(range) => assert_eq!(range, before + n - gathered..before + n),
                    Err(error) => {
                        is_full(error, T::SPAN);
                        assert_eq!(gather.as_slice().len(), gathered);
                    }
                }
            }
            if let Err(refused) = gather.try_push(value) {
                is_full(refused.error, T::SPAN);
                assert_eq!(Some(refused.value), batch.source(Hint::Exact).nth(n));
                assert!(!fits && gather.as_slice().len() <= RUN);
                break;
            }
            given += 1;
            assert_eq!(self.vec.len() + gather.as_slice().len(), before + given);
        }
        match left {
            Left::Drop => drop(gather),
            _ => assert_eq!(gather.try_flush().is_ok(), before + given <= T::SPAN),
        }
        let stored = self.vec.len() - before;
        assert!(if fits { stored == given } else { T::SPAN - self.vec.len() < RUN });
        self.std.extend(batch.source(Hint::Exact).take(stored));
    }

    fn in_place(&mut self, op: &Op) {
        let len = self.std.len();
        let Self { vec, std, .. } = self;
        match *op {
            Op::Get(place) => {
                let index = place.within(len + 2);
                assert_eq!(vec.get(index), std.get(index));
                assert_eq!(vec.get_mut(index), std.get_mut(index));
            }
            Op::Slice(span) => {
                let span = span.within(len);
                assert_eq!(vec[span.clone()], std[span]);
            }
            Op::Set(place, seed) => {
                let index = place.within(len);
                if let Some(element) = vec.get_mut(index) {
                    *element = T::make(seed);
                    std[index] = T::make(seed);
                }
            }
            Op::SetAll(seed) => {
                vec.iter_mut().for_each(|element| *element = T::make(seed));
                std.fill_with(|| T::make(seed));
            }
            Op::Insert(place, seed) => {
                let index = place.within(len);
                match self.fits(1) {
                    Some(true) => {
                        self.vec.as_mut_vec().insert(index, T::make(seed));
                        self.std.insert(index, T::make(seed));
                    }
                    Some(false) => {
                        let refused = self.vec.as_mut_vec().try_insert(index, T::make(seed));
                        is_full(refused.unwrap_err().error, T::SPAN);
                    }
                    None => {}
                }
            }
            Op::Pop => assert_eq!(vec.as_mut_vec().pop(), std.pop()),
            Op::Truncate(place) => {
                let to = place.within(len + 2);
                vec.as_mut_vec().truncate(to);
                std.truncate(to);
            }
            Op::Retain(choice) => {
                vec.as_mut_vec().retain(|element| choice.names(element));
                std.retain(|element| choice.names(element));
            }
            Op::Sort => {
                vec.as_mut_slice().sort();
                std.sort();
            }
            Op::Clear => {
                let capacity = vec.capacity();
                drop(vec.as_mut_vec());
                assert!(self.is_forgotten || vec.capacity() == capacity);
                vec.clear();
                std.clear();
                self.is_forgotten = false;
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    fn drain(&mut self, span: Span, partly: Partly) {
        let before = self.std.len();
        let span = span.within(before);
        let mut drain = self.vec.drain(span.clone());
        let mut std = self.std.drain(span);
        for _ in 0..partly.front.of::<T>().min(1000) {
            assert_eq!(drain.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(1000) {
            assert_eq!(drain.next_back(), std.next_back());
        }
        assert_eq!(drain.size_hint(), std.size_hint());
        assert_eq!(drain.as_slice(), std.as_slice());
        let taken = std.len();
        drop(std);
        if partly.forget && T::MAY_LEAK {
            mem::forget(drain);
            self.leaked += self.std.len() + taken;
            self.is_forgotten = true;
            self.std.clear();
        }
    }

    /// The array as a whole becomes another.
    fn whole(&mut self, op: &Op) {
        match *op {
            Op::Replace(batch) => {
                let by = fresh::<T>(self.config, T::SPAN).into_inner();
                let before = mem::replace(&mut *self.vec.as_mut_vec(), by);
                assert_eq!(before, self.std);
                self.base = None;
                self.std.clear();
                self.many(&Op::AppendVec(batch));
            }
            Op::Forget if T::MAY_LEAK => {
                mem::forget(self.vec.as_mut_vec());
                self.leaked += self.std.len();
                self.is_forgotten = true;
                self.std.clear();
            }
            Op::Convert(seed) => {
                let (capacity, max_len) = (self.vec.capacity(), self.vec.max_len());
                let mut inner = self.replace(SharedVec::new()).into_inner();
                assert_eq!(inner, self.std);
                assert!(inner.capacity() >= capacity && inner.max_len() >= max_len);
                if seed % 2 == 0 && self.fits(1) == Some(true) {
                    inner.push(T::make(seed));
                    self.std.push(T::make(seed));
                }
                self.vec = inner.into();
            }
            Op::IntoIter(partly) => {
                let mut iter = self.replace(fresh(self.config, T::SPAN)).into_iter();
                let mut std = mem::take(&mut self.std).into_iter();
                for _ in 0..partly.front.of::<T>().min(1000) {
                    assert_eq!(iter.next(), std.next());
                }
                assert!(iter.eq(std));
            }
            Op::Clone => {
                let clone = self.vec.clone();
                assert_eq!(clone, self.vec);
                if !self.config.names_maximum() {
                    self.replace(clone);
                }
            }
            Op::Move => {
                // The array itself moves; its elements must not.
                let boxed = Box::new(mem::take(&mut self.vec));
                self.vec = *boxed;
            }
            _ => {}
        }
    }

    /// What only concerns memory.
    fn memory(&mut self, op: &Op) {
        let before = self.vec.capacity();
        match *op {
            Op::ShrinkToFit => self.vec.shrink_to_fit(),
            Op::ShrinkTo(count) => {
                self.vec.shrink_to(count.of::<T>());
                assert!(self.vec.capacity() >= count.of::<T>().min(before));
            }
            Op::Reserve(count) | Op::Prefault(count) => {
                let count = count.of::<T>();
                let Some(fits) = self.fits(count) else { return };
                let result = if let Op::Reserve(_) = op {
                    self.vec.try_reserve(count)
                } else {
                    self.vec.try_prefault(count)
                };
                assert_eq!(result.is_ok(), fits);
                match result {
                    Ok(()) => assert!(self.vec.capacity() - self.std.len() >= count),
                    Err(error) => is_full(error, T::SPAN),
                }
                assert!(self.vec.capacity() >= before);
            }
            Op::PrefaultAhead(bytes) => {
                let prefaulted = self.vec.prefault_ahead(Budget::bytes(bytes.into()));
                assert_eq!(prefaulted.refused, None);
                assert!(self.vec.capacity() >= before);
            }
            Op::Stats => {
                let stats = self.vec.stats();
                assert_eq!((stats.len, stats.capacity), (self.std.len(), self.vec.capacity()));
                assert_eq!(stats.max_len, self.vec.max_len());
                assert!(stats.committed_bytes <= stats.reserved_bytes);
                assert!(stats.committed_bytes >= self.std.len() * size_of::<T>());
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }
}

/// The array refused for the right reason.
fn is_full(error: Error, span: usize) {
    assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(span as u64)), "{error}");
}

/// Elements that know who made them, and which of his they are.
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
    /// Those of them that it has appended, and where, if it was told.
    stored: Vec<(usize, Option<usize>)>,
    /// Those that may have been appended or not.
    dropped: Vec<usize>,
    seen: usize,
}

/// Runs each list of operations in a thread of its own, on one array, which is looked at when all are done. (Those for
/// which a thread has to have it alone are left out.)
pub(crate) fn run_together<T: Tagged>(config: Config, lists: &[Vec<Op>]) {
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

    /// The numbers of the next elements, if they are to be tried.
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

    fn told(&mut self, numbers: Range<usize>, indices: Range<usize>) {
        assert_eq!(numbers.len(), indices.len());
        self.stored.extend(numbers.zip(indices.map(Some)));
    }

    /// The array refused for the right reason, and these are as they were.
    fn refused<'r>(&self, error: Error, numbers: Range<usize>, left: impl Iterator<Item = &'r T>)
    where
        T: 'r,
    {
        assert!(self.names_maximum, "{error}");
        is_full(error, T::SPAN);
        assert!(left.map(Tagged::tag).eq(numbers.map(|n| (self.number, n))));
    }

    /// The array has not become shorter, and holds what it was told to.
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

    fn apply(&mut self, op: &Op) {
        let vec = self.vec;
        match *op {
            Op::Push(_) | Op::PushWith(_) | Op::PushIfNext(_) | Op::PushIfLen(..) => self.one(op),
            Op::ExtendFromSlice(batch) | Op::AppendVec(batch) => {
                let Some(numbers) = self.next(batch.count.up_to(T::SPAN)) else { return };
                let mut run = self.make(numbers.clone());
                match vec.try_append_vec(&mut run) {
                    Ok(range) => self.told(numbers, range),
                    Err(error) => self.refused(error, numbers, run.iter()),
                }
            }
            Op::Append(batch) => {
                let Some(numbers) = self.next(batch.count.up_to(T::SPAN)) else { return };
                let mut run = VmVec::from(self.make(numbers.clone()));
                match vec.try_append(&mut run) {
                    Ok(range) => self.told(numbers, range),
                    Err(error) => self.refused(error, numbers, run.iter()),
                }
            }
            Op::Extend(batch, _) | Op::ExtendAlone(batch, _) => {
                let Some(mut numbers) = self.next(batch.count.up_to(T::SPAN)) else { return };
                if let Err(refused) = vec.try_extend(self.make(numbers.clone())) {
                    let rest: Vec<_> = refused.value.collect();
                    let stored = numbers.end - rest.len();
                    self.refused(refused.error, stored..numbers.end, rest.iter());
                    numbers.end = stored;
                }
                self.stored.extend(numbers.map(|n| (n, None)));
            }
            Op::Gather(batch, left) => self.gather(batch, left),
            Op::Get(place) => {
                if let Some(found) = vec.get(place.within(vec.len() + 100)) {
                    assert!(found.tag().0 < 16);
                }
            }
            Op::Slice(span) => {
                let slice = vec.as_slice();
                assert!(slice[span.within(slice.len())].iter().all(|found| found.tag().0 < 16));
            }
            Op::Reserve(count) | Op::Prefault(count) => {
                let count = count.up_to(T::SPAN);
                let result = if let Op::Reserve(_) = op {
                    vec.try_reserve(count)
                } else {
                    vec.try_prefault(count)
                };
                if let Err(error) = result {
                    self.refused(error, 0..0, [].iter());
                }
            }
            Op::PrefaultAhead(bytes) => {
                assert_eq!(vec.prefault_ahead(Budget::bytes(bytes.into())).refused, None);
            }
            Op::Stats => {
                let stats = vec.stats();
                assert!(stats.len >= self.seen && stats.committed_bytes <= stats.reserved_bytes);
                assert_eq!(stats.max_len, vec.max_len());
            }
            _ => {}
        }
    }

    fn one(&mut self, op: &Op) {
        let Some(numbers) = self.next(1) else { return };
        let make = || T::make(self.number, numbers.start);
        let pushed = match *op {
            Op::Push(_) => {
                self.vec.try_push(make()).map_err(|refused| (Some(refused.error), refused.value))
            }
            Op::PushWith(_) => {
                let pushed = self.vec.try_push_with(|_| make());
                pushed.map_err(|refused| (Some(refused.error), refused.value))
            }
            _ => {
                let mut len = self.vec.len();
                if let Op::PushIfLen(place, _) = *op {
                    len = place.within(len + 2);
                }
                self.vec.push_if_len(len, make()).map(|pushed| (len, pushed))
            }
        };
        match pushed {
            Ok((index, pushed)) => {
                assert_eq!(pushed.tag(), (self.number, numbers.start));
                self.told(numbers, index..index + 1);
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
                    return self.told(first..given, range);
                }
                Err(error) => self.refused(error, first..given, gather.as_slice().iter()),
            }
        }
        let first = given - gather.as_slice().len();
        self.stored.extend((numbers.start..first).map(|n| (n, None)));
        self.dropped.extend(first..given);
    }
}
