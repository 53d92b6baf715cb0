//! [`Model`]: an array, and the `Vec` that it is compared with.

use super::array::{Array, Common, Exclusive, Removed, assert_same_max_len};
use super::elements::{Element, Source};
use super::op::{Batch, Choice, Hint, Op, Partly, Span, VecOp};
use stayput::{Budget, Error, ErrorKind, Refused};
use std::mem;

/// An array, and a `Vec` with its expected elements.
pub(crate) struct Model<T: Element, A: Array<T>> {
    pub(super) config: A::Config,
    pub(super) vec: A,
    pub(super) std: Vec<T>,
    /// The addresses of elements, by index, which must not change.
    pub(super) places: Vec<usize>,
    /// Elements that were leaked on purpose.
    pub(super) leaked: usize,
    /// Whether an iterator or guard was leaked, so that capacity may be lost.
    pub(super) is_forgotten: bool,
    live_before: Option<usize>,
}

/// Calls the method that panics, or its `try_` twin.
macro_rules! either {
    ($tries:ident, $vec:ident.$plain:ident or $twin:ident($($arg:expr),*)) => {
        if $tries {
            $vec.$twin($($arg),*).map_err(Error::from)
        } else {
            $vec.$plain($($arg),*);
            Ok(())
        }
    };
}
pub(super) use either;

impl<T: Element, A: Array<T>> Model<T, A> {
    /// Runs the operations on a fresh array, and compares after each.
    pub(crate) fn run(config: A::Config, ops: &[Op<A::Own>]) {
        let mut model = Self {
            config,
            vec: A::fresh(config),
            std: Vec::new(),
            places: Vec::new(),
            leaked: 0,
            is_forgotten: false,
            live_before: T::live(),
        };
        model.check();
        for op in ops {
            match op {
                Op::Vec(op) => model.one(*op),
                Op::Own(op) => A::apply(&mut model, op),
            }
            model.check();
        }
        model.vec.finish(&model.std);
        model.one(VecOp::Clear);
        model.check();
    }

    fn check(&mut self) {
        let Self { vec, std, .. } = self;
        let len = std.len();
        assert_eq!((vec.len(), vec.is_empty()), (len, len == 0));
        assert!(*vec == *std, "contents differ: {vec:.200?} {std:.200?}");
        assert!(len <= vec.capacity() && vec.capacity() <= vec.max_len());
        if A::is_bounded(self.config) {
            assert_eq!(vec.max_len(), T::SPAN);
        }
        vec.check(std, &mut self.places);
        if let (Some(before), Some(now)) = (self.live_before, T::live()) {
            assert_eq!(now - before, 2 * len + self.leaked, "lost or doubled elements");
        }
    }

    /// Returns `true` if `additional` elements fit, or `None` if the array would exceed `T::SPAN`.
    pub(super) fn fits(&self, additional: usize) -> Option<bool> {
        let fits = self.std.len() + additional <= T::SPAN;
        (fits || A::is_bounded(self.config)).then_some(fits)
    }

    /// Checks the error of an array that is full.
    pub(super) fn refused(&self, error: Error, additional: usize) {
        assert_eq!(error.kind(), ErrorKind::MaxLen);
        assert_eq!(error.limit(), Some(T::SPAN as u64));
        assert_eq!(error.bytes(), (self.std.len() + additional) * size_of::<T>());
    }

    /// Grows by `additional` elements if they fit, or else checks that they are refused. The argument of `call` selects
    /// the method that returns an error.
    pub(super) fn grow(
        &mut self,
        additional: usize,
        call: impl FnOnce(&mut A::Inner, bool) -> Result<(), Error>,
        std: impl FnOnce(&mut Vec<T>),
    ) {
        let Some(fits) = self.fits(additional) else { return };
        let tries = !fits || (self.std.len() + additional) % 2 == 0;
        let result = call(&mut self.vec.exclusive(), tries);
        match result {
            Ok(()) => {
                assert!(fits, "beyond max_len");
                std(&mut self.std);
            }
            Err(error) => {
                assert!(!fits, "{error}");
                self.refused(error, additional);
            }
        }
    }

    /// Appends all elements if they fit, or else as many as fit.
    fn extend(&mut self, batch: Batch, hint: Hint) {
        if let Some(false) = self.fits(batch.count.of::<T>()) {
            let refused = self.vec.exclusive().try_extend(batch.source(hint)).expect_err("full");
            let mut source = batch.source(Hint::Exact);
            self.std.extend(source.by_ref().take(T::SPAN - self.std.len()));
            assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
            assert_eq!(self.vec.len(), T::SPAN);
            assert!(refused.value.eq(source));
        } else {
            self.vec.exclusive().extend(batch.source(hint));
            self.std.extend(batch.source(Hint::Exact));
            self.vec.exclusive().truncate(T::SPAN);
            self.std.truncate(T::SPAN);
        }
    }

    pub(super) fn replace(&mut self, by: A) -> A {
        self.places.clear();
        mem::replace(&mut self.vec, by)
    }

    /// Memory was returned, so new elements may be at other addresses.
    fn shrunk(&mut self, before: usize) {
        assert!(self.is_forgotten || self.vec.capacity() <= before);
        self.vec.forget_places(&mut self.places);
    }

    /// Operations on one element, or others.
    fn one(&mut self, op: VecOp) {
        let len = self.std.len();
        let Self { vec, std, .. } = self;
        match op {
            VecOp::Push(seed) => self.grow(
                1,
                |vec, tries| {
                    if tries {
                        return vec.try_push(T::make(seed)).map_err(|refused| error(refused, seed));
                    }
                    vec.push(T::make(seed));
                    Ok(())
                },
                |std| std.push(T::make(seed)),
            ),
            VecOp::PushMut(seed, then) if len < T::SPAN => {
                let mut vec = vec.exclusive();
                let last = vec.push_mut(T::make(seed));
                assert_eq!(*last, T::make(seed));
                *last = T::make(then);
                std.push(T::make(then));
            }
            VecOp::Pop => assert_eq!(vec.exclusive().pop(), std.pop()),
            VecOp::PopIf(choice) => {
                let expected = match std.last() {
                    Some(last) if choice.names(last) => std.pop(),
                    _ => None,
                };
                assert_eq!(vec.exclusive().pop_if(|last| choice.names(last)), expected);
            }
            VecOp::Insert(place, seed) => {
                let index = place.within(len);
                self.grow(
                    1,
                    |vec, tries| {
                        if tries {
                            let result = vec.try_insert(index, T::make(seed));
                            return result.map_err(|refused| error(refused, seed));
                        }
                        vec.insert(index, T::make(seed));
                        Ok(())
                    },
                    |std| std.insert(index, T::make(seed)),
                );
            }
            VecOp::InsertMut(place, seed, then) if len < T::SPAN => {
                let index = place.within(len);
                let mut vec = vec.exclusive();
                let there = vec.insert_mut(index, T::make(seed));
                assert_eq!(*there, T::make(seed));
                *there = T::make(then);
                std.insert(index, T::make(then));
            }
            VecOp::Remove(place) if len > 0 => {
                let index = place.within(len - 1);
                assert_eq!(vec.exclusive().remove(index), std.remove(index));
            }
            VecOp::SwapRemove(place) if len > 0 => {
                let index = place.within(len - 1);
                assert_eq!(vec.exclusive().swap_remove(index), std.swap_remove(index));
            }
            VecOp::Set(place, seed) if len > 0 => {
                let index = place.within(len - 1);
                vec.exclusive()[index] = T::make(seed);
                std[index] = T::make(seed);
            }
            VecOp::IndexOf(place) if len > 0 => {
                let index = place.within(len - 1);
                let expected = (size_of::<T>() > 0).then_some(index);
                let vec = vec.exclusive();
                assert_eq!(vec.index_of(&vec[index]), expected);
                assert_eq!(vec.index_of(&std[index]), None);
            }
            _ => self.many(op),
        }
    }

    /// Operations at the end, or others.
    fn many(&mut self, op: VecOp) {
        let len = self.std.len();
        match op {
            VecOp::Truncate(place) => {
                // Also past the end, which does nothing.
                let to = place.within(len + 2);
                self.vec.exclusive().truncate(to);
                self.std.truncate(to);
            }
            VecOp::Clear => {
                let capacity = self.vec.capacity();
                drop(self.vec.exclusive());
                assert!(self.is_forgotten || self.vec.capacity() == capacity);
                self.vec.clear();
                self.std.clear();
                self.is_forgotten = false;
            }
            VecOp::Resize(count, seed) => {
                let to = count.of::<T>();
                self.grow(
                    to.saturating_sub(len),
                    |vec, tries| either!(tries, vec.resize or try_resize(to, T::make(seed))),
                    |std| std.resize(to, T::make(seed)),
                );
            }
            VecOp::ResizeWith(count, seed) => {
                let to = count.of::<T>();
                let values = || {
                    let mut source = Source::new(seed, usize::MAX, 0);
                    move || source.next().expect("endless")
                };
                self.grow(
                    to.saturating_sub(len),
                    |vec, tries| either!(tries, vec.resize_with or try_resize_with(to, values())),
                    |std| std.resize_with(to, values()),
                );
            }
            VecOp::Extend(batch, hint) => self.extend(batch, hint),
            VecOp::ExtendFiltered(batch, choice) => {
                if let Some(true) = self.fits(batch.count.of::<T>()) {
                    let named = |element: &T| choice.names(element);
                    self.vec.exclusive().extend(batch.source(Hint::Exact).filter(named));
                    self.std.extend(batch.source(Hint::Exact).filter(named));
                }
            }
            VecOp::ExtendFromSlice(batch) => {
                let all = batch.vec::<T>();
                self.grow(
                    all.len(),
                    |vec, tries| {
                        either!(tries, vec.extend_from_slice or try_extend_from_slice(&all))
                    },
                    |std| std.extend_from_slice(&all),
                );
            }
            VecOp::ExtendFromWithin(span) => {
                let span = span.within(len);
                let range = || span.clone();
                self.grow(
                    span.len(),
                    |vec, tries| {
                        either!(tries, vec.extend_from_within or try_extend_from_within(range()))
                    },
                    |std| std.extend_from_within(range()),
                );
            }
            VecOp::Append(batch) => {
                let mut other = mem::take(&mut *A::fresh(self.config).exclusive());
                other.extend(batch.vec());
                let (count, capacity) = (other.len(), other.capacity());
                self.grow(
                    count,
                    |vec, tries| either!(tries, vec.append or try_append(&mut other)),
                    |std| std.extend(batch.vec::<T>()),
                );
                assert!(other == if self.std.len() > len { vec![] } else { batch.vec() });
                assert_eq!(other.capacity(), capacity);
            }
            VecOp::AppendVec(batch) => {
                let mut other = batch.vec::<T>();
                self.grow(
                    other.len(),
                    |vec, tries| either!(tries, vec.append_vec or try_append_vec(&mut other)),
                    |std| std.extend(batch.vec::<T>()),
                );
                assert!(other == if self.std.len() > len { vec![] } else { batch.vec() });
            }
            _ => self.whole(op),
        }
    }

    /// Operations that create another array or move elements out, or others.
    fn whole(&mut self, op: VecOp) {
        match op {
            VecOp::SplitOff(place, keeps_rest) => {
                let at = place.within(self.std.len());
                let rest = self.vec.exclusive().split_off(at);
                let std_rest = self.std.split_off(at);
                assert_eq!(rest, std_rest);
                assert_same_max_len(rest.max_len(), self.vec.max_len());
                if keeps_rest {
                    self.replace(rest.into());
                    self.std = std_rest;
                }
            }
            VecOp::Clone => {
                let clone = self.vec.clone();
                assert!(clone == self.vec && clone.cmp(&self.vec).is_eq());
                if A::CLONES_OPTIONS || !A::is_bounded(self.config) {
                    self.replace(clone);
                }
            }
            VecOp::CloneFrom(batch) => {
                if A::CLONES_OPTIONS || !A::is_bounded(self.config) {
                    self.vec.clone_from(&batch.vec().into());
                    self.std = batch.vec();
                }
                if !A::CLONES_OPTIONS {
                    self.places.clear();
                }
            }
            VecOp::Drain(span, partly) => self.drain(span, partly),
            VecOp::ExtractIf(span, choice, partly) => self.extract_if(span, choice, partly),
            VecOp::IntoIter(partly) => self.iterate(partly),
            // The array moves, its elements do not.
            VecOp::Move => self.vec = *Box::new(mem::take(&mut self.vec)),
            _ => self.in_place(op),
        }
    }

    fn drain(&mut self, span: Span, partly: Partly) {
        let before = self.std.len();
        let span = span.within(before);
        let mut drain = self.vec.drain(span.clone());
        let mut std = self.std.drain(span);
        let taken = take_both(&mut drain, &mut std, partly);
        assert!(drain.rest().is_none_or(|rest| rest == std.as_slice()));
        if partly.forget && T::MAY_LEAK {
            mem::forget(drain);
            drop(std);
            self.cut_to_prefix(before - taken);
        }
    }

    /// Checks that an array of `live` elements whose iterator was leaked has a prefix of them.
    pub(super) fn cut_to_prefix(&mut self, live: usize) {
        self.std.truncate(self.vec.len());
        assert!(self.vec == self.std, "a leaked iterator left other elements");
        self.leaked += live - self.std.len();
        self.is_forgotten = true;
    }

    fn extract_if(&mut self, span: Span, choice: Choice, partly: Partly) {
        let before = self.std.len();
        let span = span.within(before);
        let steps = partly.front.of::<T>();
        let named = |element: &mut T| {
            let named = choice.names(element);
            *element = T::make(element.key().wrapping_mul(3));
            named
        };
        let mut vec = self.vec.exclusive();
        let mut extract = vec.extract_if(span.clone(), named);
        let taken: Vec<T> = extract.by_ref().take(steps).collect();
        let forgets = partly.forget && T::MAY_LEAK;
        if forgets {
            mem::forget(extract);
        } else {
            drop(extract);
        }
        drop(vec);

        let mut std_taken = Vec::new();
        for (i, mut element) in self.std.split_off(span.start).into_iter().enumerate() {
            if i < span.len() && std_taken.len() < steps && named(&mut element) {
                std_taken.push(element);
            } else {
                self.std.push(element);
            }
        }
        assert_eq!(taken, std_taken);
        if forgets {
            self.cut_to_prefix(before - taken.len());
        }
    }

    /// Converts the array into an iterator, whose rest becomes the array or is dropped.
    fn iterate(&mut self, partly: Partly) {
        let mut iter = self.replace(A::fresh(self.config)).into_iter();
        let mut std = mem::take(&mut self.std).into_iter();
        take_both(&mut iter, &mut std, partly);
        assert!(iter.rest().is_none_or(|rest| rest == std.as_slice()));
        assert!(iter.clone().eq(std.clone()));
        assert_eq!(format!("{iter:?}"), format!("{std:?}"));
        if partly.forget {
            self.vec.extend(iter.collect::<A>());
            self.std = std.collect();
        }
    }

    /// Operations on all elements, and on memory.
    fn in_place(&mut self, op: VecOp) {
        let Self { vec, std, .. } = self;
        let before = vec.capacity();
        match op {
            VecOp::Retain(choice) => {
                vec.exclusive().retain(|element| choice.names(element));
                std.retain(|element| choice.names(element));
            }
            VecOp::RetainMut(choice) => {
                let change = |element: &mut T| {
                    *element = T::make(element.key().wrapping_add(1));
                    choice.names(element)
                };
                vec.exclusive().retain_mut(change);
                std.retain_mut(change);
            }
            VecOp::Dedup => {
                vec.exclusive().dedup();
                std.dedup();
            }
            VecOp::DedupBy(mask) => {
                // Not symmetric, so that the order of the arguments matters.
                let same = |a: &mut T, b: &mut T| a.key() & mask <= b.key() & mask;
                vec.exclusive().dedup_by(same);
                std.dedup_by(same);
            }
            VecOp::DedupByKey(mask) => {
                vec.exclusive().dedup_by_key(|element| element.key() & mask);
                std.dedup_by_key(|element| element.key() & mask);
            }
            VecOp::Reserve(count) | VecOp::ReserveExact(count) => {
                let (is_exact, count) = (matches!(op, VecOp::ReserveExact(_)), count.of::<T>());
                let reserve = |vec: &mut A::Inner, tries| {
                    let result = if is_exact {
                        either!(tries, vec.reserve_exact or try_reserve_exact(count))
                    } else {
                        either!(tries, vec.reserve or try_reserve(count))
                    };
                    assert!(result.is_err() || vec.capacity() - vec.len() >= count);
                    result
                };
                self.grow(count, reserve, |_| ());
            }
            VecOp::ShrinkToFit => {
                vec.shrink_to_fit();
                self.shrunk(before);
            }
            VecOp::ShrinkTo(count) => {
                let keep = count.of::<T>();
                vec.shrink_to(keep);
                assert!(vec.capacity() >= keep.min(before));
                self.shrunk(before);
            }
            VecOp::ShrinkWithin(times, bytes) => {
                for _ in 0..times % 4 {
                    let given = vec.shrink_to_fit_within(Budget::bytes(bytes.into()));
                    assert!(given.is_done || given.bytes > 0 || bytes == 0);
                }
                self.shrunk(before);
            }
            // The array is empty, or full.
            VecOp::PushMut(..)
            | VecOp::InsertMut(..)
            | VecOp::Remove(_)
            | VecOp::SwapRemove(_)
            | VecOp::Set(..)
            | VecOp::IndexOf(_) => {}
            _ => unreachable!("{op:?} is handled above"),
        }
    }
}

/// Returns the error, after checking that the value was returned with it.
fn error<T: Element>(Refused { error, value }: Refused<T>, seed: u8) -> Error {
    assert_eq!(value, T::make(seed));
    error
}

/// Takes elements from both ends of both iterators, and returns how many.
pub(super) fn take_both<T: Element>(
    iter: &mut (impl DoubleEndedIterator<Item = T> + ExactSizeIterator),
    std: &mut (impl DoubleEndedIterator<Item = T> + ExactSizeIterator),
    partly: Partly,
) -> usize {
    let before = std.len();
    for _ in 0..partly.front.of::<T>() {
        assert_eq!(iter.next(), std.next());
    }
    for _ in 0..partly.back.of::<T>() {
        assert_eq!(iter.next_back(), std.next_back());
    }
    assert_eq!((iter.len(), iter.size_hint()), (std.len(), std.size_hint()));
    before - std.len()
}
