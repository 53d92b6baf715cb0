//! `SharedVec` as an [`Array`]. The methods of `Vec` are called through `as_mut_vec`.

use super::array::{Array, assert_same_max_len, stays};
use super::elements::{Element, PageSized, ZeroSized};
use super::model::Model;
use super::op::{Batch, Config, Count, Hint, Index, Span};
use super::vm_vec::build;
use crate::buffer::Buffer;
use stayput::{Budget, CommitAhead, Error, ErrorKind, GivenBack, Growth, HugePages, Release};
use stayput::{SharedVec, VmVec};
use std::mem;
use std::ops::{DerefMut, Range};

arbitrary! {
    #[derive(Clone, Debug)]
    /// An operation of a `SharedVec` itself.
    pub(crate) enum Own {
        Push(u8),
        PushWith(u8),
        PushIfLen(Index, u8),
        PushIfNext(u8),
        ExtendFromSlice(Batch),
        Append(Batch),
        AppendVec(Batch),
        Extend(Batch, Hint),
        /// By `&mut`.
        ExtendAlone(Batch, Hint),
        Gather(Batch, Left),
        Get(Index),
        Slice(Span),
        SetAll(u8),
        Sort,
        /// Replaces the array by another.
        Replace(Batch),
        Forget,
        Reserve(Count),
        Prefault(Count),
        PrefaultAhead(u16),
        /// Converts to an array of one thread, and back.
        Convert(u8),
        Stats,
    }

    /// What happens to the elements gathered last.
    pub(crate) enum Left {
        Flush,
        FlushOften(u8),
        Drop,
    }
}

/// How elements can be copied.
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

pub(super) fn fresh<T>(config: Config, span: usize) -> SharedVec<T> {
    build!(SharedVec, T, config, span)
}

/// The most elements that are appended at once when many are refused.
const RUN: usize = 64;

impl<T: Held> Array<T> for SharedVec<T> {
    type Config = Config;
    type Own = Own;
    type Inner = VmVec<T>;

    const OWN: u32 = 80;
    const CLONES_OPTIONS: bool = false;

    fn fresh(config: Config) -> Self {
        fresh(config, T::SPAN)
    }

    fn is_bounded(config: Config) -> bool {
        config.names_maximum()
    }

    fn exclusive(&mut self) -> impl DerefMut<Target = VmVec<T>> {
        self.as_mut_vec()
    }

    fn shrink_to_fit_within(&mut self, budget: Budget) -> GivenBack {
        Array::shrink_to_fit_within(&mut *self.as_mut_vec(), budget)
    }

    fn check(&mut self, std: &[T], places: &mut Vec<usize>) {
        let len = std.len();
        assert!(self.as_slice() == std && self.iter().len() == len);
        assert_eq!((self.get(len), self.get(usize::MAX)), (None, None));
        assert_eq!(len.checked_sub(1).and_then(|last| self.get(last)), std.last());
        if !std.is_empty() {
            stays(places, 0, self.as_slice().as_ptr());
        }
    }

    fn apply(model: &mut Model<T, Self>, op: &Own) {
        match op {
            Own::Push(_) | Own::PushWith(_) | Own::PushIfLen(..) | Own::PushIfNext(_) => {
                model.push(op);
            }
            Own::ExtendFromSlice(_)
            | Own::Append(_)
            | Own::AppendVec(_)
            | Own::Extend(..)
            | Own::ExtendAlone(..) => model.append(op),
            Own::Gather(batch, left) => model.gather(*batch, *left),
            Own::Reserve(_) | Own::Prefault(_) | Own::PrefaultAhead(_) | Own::Stats => {
                model.memory(op);
            }
            _ => model.change(op),
        }
    }

    fn finish(&mut self, std: &[T]) {
        check_stats(self, std);
    }
}

impl<T: Held> Model<T, SharedVec<T>> {
    /// Appends these elements by a method, or checks that they are refused.
    fn append_by(
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

    fn push(&mut self, op: &Own) {
        let len = self.std.len();
        let same = |element: &T, seed| assert_eq!(*element, T::make(seed));
        match *op {
            Own::Push(seed) => {
                self.append_by(vec![T::make(seed)], |vec| match vec.try_push(T::make(seed)) {
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
            Own::PushWith(seed) => self.append_by(vec![T::make(seed)], |vec| {
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
            Own::PushIfNext(seed) => {
                self.append_by(vec![T::make(seed)], |vec| {
                    match vec.push_if_len(len, T::make(seed)) {
                        Ok(pushed) => {
                            same(pushed, seed);
                            Ok(len..len + 1)
                        }
                        Err((error, value)) => {
                            same(&value, seed);
                            Err(error.expect("it is the next"))
                        }
                    }
                });
            }
            Own::PushIfLen(place, seed) => {
                // Not the next element.
                let place = place.within(len + 100);
                let place = if place == len { usize::MAX } else { place };
                let (error, value) = self.vec.push_if_len(place, T::make(seed)).unwrap_err();
                same(&value, seed);
                assert!(error.is_none() || place >= T::SPAN, "{error:?}");
            }
            _ => unreachable!("{op:?} is handled elsewhere"),
        }
    }

    fn append(&mut self, op: &Own) {
        match *op {
            Own::ExtendFromSlice(batch) => {
                let batch = batch.vec::<T>();
                if self.fits(batch.len()).is_some() {
                    if let Some(result) = T::try_extend_from_slice(&self.vec, &batch) {
                        self.append_by(batch, |_| result);
                    }
                }
            }
            Own::Append(batch) => {
                let mut other = VmVec::from(batch.vec::<T>());
                let capacity = other.capacity();
                self.append_by(batch.vec(), |vec| {
                    let result = vec.try_append(&mut other);
                    let left = if result.is_ok() { &[] } else { &batch.vec::<T>()[..] };
                    assert_eq!(other, *left);
                    result
                });
                assert_eq!(other.capacity(), capacity);
            }
            Own::AppendVec(batch) => {
                let mut other = batch.vec::<T>();
                self.append_by(batch.vec(), |vec| {
                    let result = vec.try_append_vec(&mut other);
                    let left = if result.is_ok() { &[] } else { &batch.vec::<T>()[..] };
                    assert_eq!(other, left);
                    result
                });
            }
            Own::Extend(batch, hint) => {
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
            Own::ExtendAlone(batch, hint) => {
                if self.fits(batch.count.of::<T>()) == Some(true) {
                    Extend::extend(&mut self.vec, batch.source(hint));
                    self.std.extend(batch.vec::<T>());
                }
            }
            _ => unreachable!("{op:?} is handled elsewhere"),
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

    fn change(&mut self, op: &Own) {
        let len = self.std.len();
        let Self { vec, std, .. } = self;
        match *op {
            Own::Get(place) => {
                let index = place.within(len + 2);
                assert_eq!(vec.get(index), std.get(index));
                assert_eq!(vec.get_mut(index), std.get_mut(index));
            }
            Own::Slice(span) => {
                let span = span.within(len);
                assert_eq!(vec[span.clone()], std[span]);
            }
            Own::SetAll(seed) => {
                vec.iter_mut().for_each(|element| *element = T::make(seed));
                std.fill_with(|| T::make(seed));
            }
            Own::Sort => {
                vec.as_mut_slice().sort();
                std.sort();
            }
            Own::Replace(batch) => {
                let by = fresh::<T>(self.config, T::SPAN).into_inner();
                let before = mem::replace(&mut *self.vec.as_mut_vec(), by);
                assert_eq!(before, self.std);
                self.places.clear();
                self.std.clear();
                self.append(&Own::AppendVec(batch));
            }
            Own::Forget if T::MAY_LEAK => {
                mem::forget(self.vec.as_mut_vec());
                self.cut_to_prefix(self.std.len());
                assert!(self.std.is_empty());
            }
            Own::Forget => {}
            Own::Convert(seed) => {
                let (capacity, max_len) = (self.vec.capacity(), self.vec.max_len());
                let mut inner = self.replace(SharedVec::new()).into_inner();
                assert_eq!(inner, self.std);
                assert!(inner.capacity() >= capacity);
                assert_same_max_len(inner.max_len().min(max_len), max_len);
                if seed % 2 == 0 && self.fits(1) == Some(true) {
                    inner.push(T::make(seed));
                    self.std.push(T::make(seed));
                }
                self.vec = inner.into();
            }
            _ => unreachable!("{op:?} is handled elsewhere"),
        }
    }

    /// Operations on memory.
    fn memory(&mut self, op: &Own) {
        let before = self.vec.capacity();
        match *op {
            Own::Reserve(count) | Own::Prefault(count) => {
                let count = count.of::<T>();
                let Some(fits) = self.fits(count) else { return };
                let vec = &self.vec;
                let result = if let Own::Reserve(_) = op {
                    vec.try_reserve(count)
                } else {
                    vec.try_prefault(count)
                };
                assert_eq!(result.is_ok(), fits);
                match result {
                    Ok(()) => assert!(self.vec.capacity() - self.std.len() >= count),
                    Err(error) => is_full(error, T::SPAN),
                }
            }
            Own::PrefaultAhead(bytes) => {
                let prefaulted = self.vec.prefault_ahead(Budget::bytes(bytes.into()));
                assert_eq!(prefaulted.refused, None);
            }
            _ => check_stats(&self.vec, &self.std),
        }
        assert!(self.vec.capacity() >= before);
    }
}

fn check_stats<T>(vec: &SharedVec<T>, std: &[T]) {
    let stats = vec.stats();
    assert_eq!((stats.len, stats.capacity), (std.len(), vec.capacity()));
    assert_same_max_len(stats.max_len, vec.max_len());
    assert!(stats.committed_bytes <= stats.reserved_bytes);
    assert!(stats.committed_bytes >= size_of_val(std));
}

/// Asserts that the array refused for the right reason.
pub(super) fn is_full(error: Error, span: usize) {
    assert_eq!((error.kind(), error.limit()), (ErrorKind::MaxLen, Some(span as u64)), "{error}");
}
