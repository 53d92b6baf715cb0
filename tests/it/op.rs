//! Operations on a `VmVec` and on std's `Vec` side by side: what the model test and the fuzz
//! target `vec_model` share.

use crate::buffer::Buffer;
use crate::elements::{Element, Source};
use stayput::{Budget, CommitAhead, Error, ErrorKind, Growth, HugePages, Release, VmVec};
use std::cell::RefCell;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A number of elements: mostly few, sometimes up to the most that a run may hold.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Count(u16);

impl Count {
    const FEW: u16 = 0xf400;

    pub(crate) fn of<T: Element>(self) -> usize {
        self.up_to(T::SPAN)
    }

    pub(crate) fn up_to(self, span: usize) -> usize {
        match self.0.checked_sub(Self::FEW) {
            None => usize::from(self.0 % 24),
            Some(part) => usize::from(part) * span / usize::from(u16::MAX - Self::FEW),
        }
    }
}

/// An index; beyond the end it wraps around.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Place(u16);

impl Place {
    /// At most `len`.
    pub(crate) fn within(self, len: usize) -> usize {
        // Large arrays are reached near both ends, which is where mistakes are.
        let index = usize::from(self.0) % (len + 1);
        if self.0 & 1 == 0 { index } else { len - index }
    }
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Span(Place, Place);

impl Span {
    pub(crate) fn within(self, len: usize) -> Range<usize> {
        let (a, b) = (self.0.within(len), self.1.within(len));
        a.min(b)..a.max(b)
    }
}

/// What an iterator says about how many it will give.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) enum Hint {
    Exact,
    Unknown,
    Half,
    TooMany,
    Absurd,
}

/// Values, as many and from which seed on.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Batch {
    pub(crate) count: Count,
    seed: u8,
}

impl Batch {
    pub(crate) fn source<T: Element>(self, hint: Hint) -> Source<T> {
        let left = self.count.of::<T>();
        let lower = match hint {
            Hint::Exact => left,
            Hint::Unknown => 0,
            Hint::Half => left / 2,
            Hint::TooMany => left + 1000,
            Hint::Absurd => usize::MAX,
        };
        Source::new(self.seed, left, lower)
    }

    pub(crate) fn vec<T: Element>(self) -> Vec<T> {
        self.source(Hint::Exact).collect()
    }
}

/// How an iterator that borrows the array ends, after so many steps from the front and the back.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Partly {
    pub(crate) front: Count,
    pub(crate) back: Count,
    pub(crate) forget: bool,
}

/// Names some of the elements.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Choice(u8);

impl Choice {
    pub(crate) fn names(self, element: &impl Element) -> bool {
        (element.key() ^ self.0) % (self.0 % 5 + 1) != 0
    }
}

#[derive(Clone, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) enum Op {
    Push(u8),
    TryPush(u8),
    PushMut(u8, u8),
    Pop,
    PopIf(Choice),
    Insert(Place, u8),
    InsertMut(Place, u8, u8),
    Remove(Place),
    SwapRemove(Place),
    Set(Place, u8),
    Truncate(Place),
    Clear,
    Resize(Count, u8),
    ResizeWith(Count, u8),
    ResizeZeroed(Count),
    Extend(Batch, Hint),
    ExtendFiltered(Batch, Choice),
    ExtendFromSlice(Batch),
    ExtendFromWithin(Span),
    ExtendZeroed(Count),
    Append(Batch),
    AppendVec(Batch),
    SplitOff(Place, bool),
    Drain(Span, Partly),
    Splice(Span, Batch, Hint, Partly),
    ExtractIf(Span, Choice, Partly),
    Retain(Choice),
    RetainMut(Choice),
    Dedup,
    DedupBy(u8),
    DedupByKey(u8),
    Reserve(Count),
    ReserveExact(Count),
    ShrinkToFit,
    ShrinkTo(Count),
    /// So often, with so many bytes each time.
    ShrinkWithin(u8, u16),
    Prefault(Count),
    PrefaultAhead(u16),
    Clone,
    CloneFrom(Batch),
    IntoIter(Partly),
    Convert(Batch),
    Leak,
    IndexOf(Place),
    Sort,
    Reverse,
    Move,
    GrowOnly(Vec<u8>),
}

/// With what options the array is made.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) enum Config {
    Default,
    MaxLen,
    Fixed(u16),
    HugePages,
    /// With memory ahead, and released in the background.
    Served(u16),
    ServedMaxLen,
    /// In memory that is supplied, in runs of 64 bytes to 64 KiB: as much as is needed, or more.
    Backed(u8),
}

impl Config {
    pub(crate) fn names_maximum(self) -> bool {
        matches!(self, Self::MaxLen | Self::ServedMaxLen | Self::Backed(_))
    }
}

/// Whether as many elements more are within what a run may hold.
enum Room {
    Fits,
    /// No, and the array must refuse them.
    Refused,
    /// No, and the array would take them.
    Skip,
}

/// The array, and the `Vec` that says what it should hold.
pub(crate) struct Model<T: Element> {
    config: Config,
    vec: VmVec<T>,
    std: Vec<T>,
    /// Where the elements lie, since there were any.
    base: Option<*const T>,
    /// Elements that were leaked on purpose.
    leaked: usize,
    live_before: Option<usize>,
}

impl<T: Element> Model<T> {
    /// Runs the operations on a fresh array, comparing after each.
    pub(crate) fn run(config: Config, ops: &[Op]) {
        let mut model = Self {
            config,
            vec: Self::fresh(config),
            std: Vec::new(),
            base: None,
            leaked: 0,
            live_before: T::live(),
        };
        model.check();
        for op in ops {
            model.apply(op);
            model.check();
        }
        let stats = model.vec.stats();
        assert!(stats.committed_bytes <= stats.reserved_bytes);
        assert!(stats.committed_bytes >= model.std.len() * size_of::<T>());
        model.vec.clear();
        model.std.clear();
        model.check();
    }

    fn fresh(config: Config) -> VmVec<T> {
        let builder = VmVec::builder();
        match config {
            Config::Default => VmVec::new(),
            Config::MaxLen => VmVec::with_max_len(T::SPAN),
            Config::Fixed(step) => {
                let growth = Growth::Fixed { step_bytes: step.into() };
                builder.growth(growth).huge_pages(HugePages::Never).build()
            }
            Config::HugePages => builder.huge_pages(HugePages::Always).build(),
            Config::Served(window) => {
                let ahead = CommitAhead::Bytes(usize::from(window) * 10);
                builder.commit_ahead(ahead).release(Release::Background).build()
            }
            Config::ServedMaxLen => {
                let builder = builder.max_len(T::SPAN).release(Release::Background);
                builder.commit_ahead(CommitAhead::Auto).build()
            }
            Config::Backed(run) => {
                let spare = usize::from(run / 11 % 2) * 100_000;
                let bytes = T::SPAN * size_of::<T>() + spare;
                let buffer = Buffer::new(bytes, 64 << (run % 11), align_of::<T>());
                builder.max_len(T::SPAN).build_in(buffer)
            }
        }
    }

    fn check(&mut self) {
        let Self { vec, std, .. } = self;
        assert_eq!(vec.len(), std.len());
        assert!(vec.as_slice() == std.as_slice(), "contents differ: {vec:.200?} {std:.200?}");
        assert!(vec.len() <= vec.capacity() && vec.capacity() <= vec.max_len());
        assert_eq!(vec.spare_capacity_mut().len(), vec.capacity() - std.len());
        if self.config.names_maximum() {
            assert_eq!(vec.max_len(), T::SPAN);
        }
        if let Some(base) = self.base {
            assert_eq!(vec.as_ptr(), base, "the elements have moved");
        } else if vec.capacity() > 0 {
            self.base = Some(vec.as_ptr());
        }
        if let (Some(before), Some(now)) = (self.live_before, T::live()) {
            assert_eq!(now - before, 2 * std.len() + self.leaked, "lost or doubled elements");
        }
    }

    fn room(&self, additional: usize) -> Room {
        match self.config {
            _ if self.std.len() + additional <= T::SPAN => Room::Fits,
            _ if self.config.names_maximum() => Room::Refused,
            _ => Room::Skip,
        }
    }

    /// The array refused: for the right reason, and it is as it was (which `check` sees).
    fn refused(&self, error: Error, additional: usize) {
        assert_eq!(error.kind(), ErrorKind::MaxLen);
        assert_eq!(error.limit(), Some(T::SPAN as u64));
        assert_eq!(error.bytes(), (self.std.len() + additional) * size_of::<T>());
    }

    /// Grows by `additional` elements by the call if they fit, else checks the refusal of its twin.
    fn grow(
        &mut self,
        additional: usize,
        call: impl FnOnce(&mut VmVec<T>),
        twin: impl FnOnce(&mut VmVec<T>) -> Result<(), Error>,
        std: impl FnOnce(&mut Vec<T>),
    ) {
        match self.room(additional) {
            Room::Fits => {
                // Both forms are to be seen.
                if additional % 2 == 0 {
                    call(&mut self.vec);
                } else {
                    twin(&mut self.vec).expect("it fits");
                }
                std(&mut self.std);
            }
            Room::Refused => {
                let error = twin(&mut self.vec).expect_err("beyond max_len");
                self.refused(error, additional);
            }
            Room::Skip => {}
        }
    }

    fn replace(&mut self, by: VmVec<T>) -> VmVec<T> {
        self.base = None;
        mem::replace(&mut self.vec, by)
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Push(_)
            | Op::TryPush(_)
            | Op::PushMut(..)
            | Op::Pop
            | Op::PopIf(_)
            | Op::Insert(..)
            | Op::InsertMut(..)
            | Op::Remove(_)
            | Op::SwapRemove(_)
            | Op::Set(..)
            | Op::IndexOf(_) => self.one(op),
            Op::Truncate(_)
            | Op::Clear
            | Op::Resize(..)
            | Op::ResizeWith(..)
            | Op::ResizeZeroed(_)
            | Op::Extend(..)
            | Op::ExtendFiltered(..)
            | Op::ExtendFromSlice(_)
            | Op::ExtendFromWithin(_)
            | Op::ExtendZeroed(_)
            | Op::Append(_)
            | Op::AppendVec(_)
            | Op::GrowOnly(_) => self.many(op),
            Op::SplitOff(..)
            | Op::Clone
            | Op::CloneFrom(_)
            | Op::IntoIter(_)
            | Op::Convert(_)
            | Op::Leak
            | Op::Move => self.whole(op),
            Op::Drain(span, partly) => self.drain(*span, *partly),
            Op::Splice(span, batch, hint, partly) => self.splice(*span, *batch, *hint, *partly),
            Op::ExtractIf(span, choice, partly) => self.extract_if(*span, *choice, *partly),
            _ => self.in_place(op),
        }
    }

    /// One element.
    fn one(&mut self, op: &Op) {
        let len = self.std.len();
        match *op {
            Op::Push(seed) => self.grow(
                1,
                |_| unreachable!("1 is odd"),
                |vec| {
                    if vec.len() < T::SPAN {
                        vec.push(T::make(seed));
                        return Ok(());
                    }
                    let refused = vec.try_push(T::make(seed)).expect_err("full");
                    assert_eq!(refused.value, T::make(seed));
                    Err(refused.error)
                },
                |std| std.push(T::make(seed)),
            ),
            Op::TryPush(seed) => self.grow(
                1,
                |_| unreachable!("1 is odd"),
                |vec| Ok(vec.try_push(T::make(seed))?),
                |std| std.push(T::make(seed)),
            ),
            Op::PushMut(seed, then) => {
                if let Room::Fits = self.room(1) {
                    let last = self.vec.push_mut(T::make(seed));
                    assert_eq!(*last, T::make(seed));
                    *last = T::make(then);
                    self.std.push(T::make(then));
                }
            }
            Op::Pop => assert_eq!(self.vec.pop(), self.std.pop()),
            Op::PopIf(choice) => {
                let expected = match self.std.last() {
                    Some(last) if choice.names(last) => self.std.pop(),
                    _ => None,
                };
                assert_eq!(self.vec.pop_if(|last| choice.names(last)), expected);
            }
            Op::Insert(place, seed) => {
                let index = place.within(len);
                self.grow(
                    1,
                    |_| unreachable!("1 is odd"),
                    |vec| {
                        vec.try_insert(index, T::make(seed)).map_err(|refused| {
                            assert_eq!(refused.value, T::make(seed));
                            refused.error
                        })
                    },
                    |std| std.insert(index, T::make(seed)),
                );
            }
            Op::InsertMut(place, seed, then) => {
                if let Room::Fits = self.room(1) {
                    let index = place.within(len);
                    let there = self.vec.insert_mut(index, T::make(seed));
                    assert_eq!(*there, T::make(seed));
                    *there = T::make(then);
                    self.std.insert(index, T::make(then));
                }
            }
            Op::Remove(place) if len > 0 => {
                let index = place.within(len - 1);
                assert_eq!(self.vec.remove(index), self.std.remove(index));
            }
            Op::SwapRemove(place) if len > 0 => {
                let index = place.within(len - 1);
                assert_eq!(self.vec.swap_remove(index), self.std.swap_remove(index));
            }
            Op::Set(place, seed) if len > 0 => {
                let index = place.within(len - 1);
                self.vec[index] = T::make(seed);
                self.std[index] = T::make(seed);
            }
            Op::IndexOf(place) if len > 0 => {
                let index = place.within(len - 1);
                let expected = (size_of::<T>() > 0).then_some(index);
                assert_eq!(self.vec.index_of(&self.vec[index]), expected);
                assert_eq!(self.vec.index_of(&self.std[index]), None);
            }
            _ => {}
        }
    }

    /// Many at the end.
    fn many(&mut self, op: &Op) {
        let len = self.std.len();
        match op {
            Op::Truncate(place) => {
                // Also beyond the end, where it does nothing.
                let to = place.within(len + 2);
                self.vec.truncate(to);
                self.std.truncate(to);
            }
            Op::Clear => {
                self.vec.clear();
                self.std.clear();
            }
            Op::Resize(count, seed) => {
                let to = count.of::<T>();
                self.vec.resize(to, T::make(*seed));
                self.std.resize(to, T::make(*seed));
            }
            Op::ResizeWith(count, seed) => {
                let to = count.of::<T>();
                let mut batch = Source::<T>::new(*seed, usize::MAX, 0);
                let mut same = Source::<T>::new(*seed, usize::MAX, 0);
                self.vec.resize_with(to, || batch.next().expect("endless"));
                self.std.resize_with(to, || same.next().expect("endless"));
            }
            Op::ResizeZeroed(count) => {
                let to = count.of::<T>();
                if let Some(result) = T::try_resize_zeroed(&mut self.vec, to) {
                    result.expect("it fits");
                    self.std.resize(to, T::make(0));
                }
            }
            Op::ExtendZeroed(count) => {
                let count = count.of::<T>();
                let result = match self.room(count) {
                    Room::Skip => None,
                    _ => T::try_extend_zeroed(&mut self.vec, count),
                };
                match result {
                    None => {}
                    Some(Ok(())) => self.std.resize(len + count, T::make(0)),
                    Some(Err(error)) => self.refused(error, count),
                }
            }
            Op::Extend(batch, hint) => self.extend(*batch, *hint),
            Op::ExtendFiltered(batch, choice) => {
                if let Room::Fits = self.room(batch.count.of::<T>()) {
                    let named = |element: &T| choice.names(element);
                    self.vec.extend(batch.source(Hint::Exact).filter(named));
                    self.std.extend(batch.source(Hint::Exact).filter(named));
                }
            }
            Op::ExtendFromSlice(batch) => {
                let batch = batch.vec::<T>();
                self.grow(
                    batch.len(),
                    |vec| vec.extend_from_slice(&batch),
                    |vec| vec.try_extend_from_slice(&batch),
                    |std| std.extend_from_slice(&batch),
                );
            }
            Op::ExtendFromWithin(span) => {
                let span = span.within(len);
                self.grow(
                    span.len(),
                    |vec| vec.extend_from_within(span.clone()),
                    |vec| vec.try_extend_from_within(span.clone()),
                    |std| std.extend_from_within(span.clone()),
                );
            }
            Op::Append(batch) => {
                let mut other = VmVec::from(batch.vec::<T>());
                let (count, capacity) = (other.len(), other.capacity());
                let fits = matches!(self.room(count), Room::Fits);
                let other_cell = RefCell::new(&mut other);
                self.grow(
                    count,
                    |vec| vec.append(&mut other_cell.borrow_mut()),
                    |vec| vec.try_append(&mut other_cell.borrow_mut()),
                    |std| std.extend(batch.vec::<T>()),
                );
                assert_eq!(other.len(), if fits { 0 } else { count });
                assert_eq!(other.capacity(), capacity);
            }
            Op::AppendVec(batch) => {
                let mut other = batch.vec::<T>();
                let count = other.len();
                let fits = matches!(self.room(count), Room::Fits);
                let other_cell = RefCell::new(&mut other);
                self.grow(
                    count,
                    |vec| vec.append_vec(&mut other_cell.borrow_mut()),
                    |vec| vec.try_append_vec(&mut other_cell.borrow_mut()),
                    |std| std.extend(batch.vec::<T>()),
                );
                assert_eq!(other.len(), if fits { 0 } else { count });
            }
            Op::GrowOnly(seeds) => self.grow_only(seeds),
            _ => {}
        }
    }

    fn extend(&mut self, batch: Batch, hint: Hint) {
        let count = batch.count.of::<T>();
        let before = self.std.len();
        match self.room(count) {
            Room::Fits => {
                self.vec.extend(batch.source(hint));
                self.std.extend(batch.source(Hint::Exact));
            }
            Room::Refused => {
                let refused = self.vec.try_extend(batch.source(hint)).expect_err("full");
                // What fitted is there; the rest comes back.
                let mut source = batch.source(Hint::Exact);
                self.std.extend(source.by_ref().take(T::SPAN - before));
                assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
                assert_eq!(self.vec.len(), T::SPAN);
                assert!(refused.value.eq(source));
            }
            Room::Skip => {}
        }
    }

    fn grow_only(&mut self, seeds: &[u8]) {
        let before = self.std.len();
        let scope = self.vec.grow_only();
        let mut kept: Vec<&T> = scope.iter().collect();
        for seed in seeds {
            match scope.try_push(T::make(*seed)) {
                Ok(element) => {
                    kept.push(element);
                    self.std.push(T::make(*seed));
                }
                Err(refused) => {
                    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
                    assert_eq!(refused.value, T::make(*seed));
                    assert_eq!(scope.len(), T::SPAN);
                }
            }
        }
        assert!(kept.iter().copied().eq(&self.std));
        assert_eq!(scope.as_slice(), &self.std[..]);
        assert_eq!(scope.get(before), self.std.get(before));
    }

    /// The array as a whole becomes another.
    fn whole(&mut self, op: &Op) {
        match op {
            Op::SplitOff(place, take_rest) => {
                let at = place.within(self.std.len());
                let rest = self.vec.split_off(at);
                let std_rest = self.std.split_off(at);
                assert_eq!(rest, std_rest);
                if *take_rest {
                    self.replace(rest);
                    self.std = std_rest;
                }
            }
            Op::Clone => {
                let clone = self.vec.clone();
                assert_eq!(clone, self.vec);
                self.replace(clone);
            }
            Op::CloneFrom(batch) => {
                let other = VmVec::from(batch.vec::<T>());
                self.vec.clone_from(&other);
                self.std.clone_from(&batch.vec());
            }
            Op::IntoIter(partly) => self.iterate(*partly),
            Op::Convert(batch) => {
                let vec: VmVec<T> = batch.source(Hint::Exact).collect();
                let boxed = self.replace(vec).into_boxed_slice();
                assert_eq!(boxed[..], self.std[..]);
                self.std = batch.vec();
                if self.config.names_maximum() {
                    // The options are gone with the conversion.
                    let elements = self.replace(Self::fresh(self.config));
                    self.vec.extend(Vec::from(elements));
                }
            }
            Op::Leak if T::MAY_LEAK && leak_allowed() => {
                let leaked = self.vec.clone().leak();
                assert_eq!(leaked, &self.std[..]);
                self.leaked += leaked.len();
            }
            Op::Move => {
                // The array itself moves; its elements must not.
                let boxed = Box::new(mem::take(&mut self.vec));
                self.vec = *boxed;
            }
            _ => {}
        }
    }

    fn iterate(&mut self, partly: Partly) {
        let fresh = Self::fresh(self.config);
        let mut iter = self.replace(fresh).into_iter();
        let mut std = mem::take(&mut self.std).into_iter();
        for _ in 0..partly.front.of::<T>().min(1000) {
            assert_eq!(iter.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(1000) {
            assert_eq!(iter.next_back(), std.next_back());
        }
        assert_eq!(iter.size_hint(), std.size_hint());
        assert_eq!(iter.as_slice(), std.as_slice());
        assert_eq!(iter.as_mut_slice(), std.as_slice());
        // Never forgotten here: what the array has on the heap would be lost too.
        assert!(iter.clone().eq(std));
    }

    fn drain(&mut self, span: Span, partly: Partly) {
        let before = self.std.len();
        let span = span.within(before);
        let mut drain = self.vec.drain(span.clone());
        let mut std = self.std.drain(span.clone());
        for _ in 0..partly.front.of::<T>().min(1000) {
            assert_eq!(drain.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(1000) {
            assert_eq!(drain.next_back(), std.next_back());
        }
        assert_eq!(drain.len(), std.len());
        assert_eq!(drain.as_slice(), std.as_slice());
        if partly.forget && T::MAY_LEAK {
            let left = drain.len();
            mem::forget(drain);
            drop(std);
            self.cut_to_prefix(left + (before - span.end));
        }
    }

    /// An iterator was forgotten: what the array holds is a part of what it held, from the
    /// start on, and `lost` elements that were not given out are never dropped.
    fn cut_to_prefix(&mut self, lost: usize) {
        let cut = self.vec.len();
        let prefix = &self.std[..cut];
        assert!(self.vec == *prefix, "a leaked iterator left other elements");
        self.std.truncate(cut);
        self.leaked += lost;
    }

    fn splice(&mut self, span: Span, batch: Batch, hint: Hint, partly: Partly) {
        let before = self.std.len();
        let span = span.within(before);
        // There is no twin that could be refused.
        if before - span.len() + batch.count.of::<T>() > T::SPAN {
            return;
        }
        let mut splice = self.vec.splice(span.clone(), batch.source(hint));
        let mut std = self.std.splice(span.clone(), batch.vec::<T>());
        for _ in 0..partly.front.of::<T>().min(1000) {
            assert_eq!(splice.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(1000) {
            assert_eq!(splice.next_back(), std.next_back());
        }
        assert_eq!(splice.len(), std.len());
        if partly.forget && T::MAY_LEAK {
            let left = splice.len();
            mem::forget(splice);
            drop(std);
            self.cut_to_prefix(left + (before - span.end));
        }
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
        let mut extract = self.vec.extract_if(span.clone(), named);
        let taken: Vec<T> = extract.by_ref().take(steps).collect();

        let mut std_taken = Vec::new();
        for (i, mut element) in self.std.split_off(span.start).into_iter().enumerate() {
            if i < span.len() && std_taken.len() < steps && named(&mut element) {
                std_taken.push(element);
            } else {
                self.std.push(element);
            }
        }
        assert_eq!(taken, std_taken);
        if partly.forget && T::MAY_LEAK {
            mem::forget(extract);
            let lost = before - taken.len() - self.vec.len();
            self.cut_to_prefix(lost);
        }
    }

    /// What looks at all elements, and what only concerns memory.
    fn in_place(&mut self, op: &Op) {
        let Self { vec, std, .. } = self;
        match *op {
            Op::Retain(choice) => {
                vec.retain(|element| choice.names(element));
                std.retain(|element| choice.names(element));
            }
            Op::RetainMut(choice) => {
                let change = |element: &mut T| {
                    *element = T::make(element.key().wrapping_add(1));
                    choice.names(element)
                };
                vec.retain_mut(change);
                std.retain_mut(change);
            }
            Op::Dedup => {
                vec.dedup();
                std.dedup();
            }
            Op::DedupBy(mask) => {
                let same = |a: &mut T, b: &mut T| {
                    // Not symmetric, so that the order of the arguments counts.
                    a.key() & mask <= b.key() & mask
                };
                vec.dedup_by(same);
                std.dedup_by(same);
            }
            Op::DedupByKey(mask) => {
                vec.dedup_by_key(|element| element.key() & mask);
                std.dedup_by_key(|element| element.key() & mask);
            }
            Op::Reserve(count) | Op::ReserveExact(count) => self.reserve(op, count.of::<T>()),
            Op::ShrinkToFit => {
                let before = vec.capacity();
                vec.shrink_to_fit();
                assert!(vec.capacity() <= before);
            }
            Op::ShrinkTo(count) => {
                let (before, keep) = (vec.capacity(), count.of::<T>());
                vec.shrink_to(keep);
                assert!(vec.capacity() <= before && vec.capacity() >= keep.min(before));
            }
            Op::ShrinkWithin(times, bytes) => {
                let before = vec.capacity();
                let budget = Budget::bytes(bytes.into());
                for _ in 0..times % 4 {
                    let given = vec.shrink_to_fit_within(budget).expect("it is ours");
                    assert!(given.is_done || given.bytes > 0 || bytes == 0);
                }
                assert!(vec.capacity() <= before);
            }
            Op::PrefaultAhead(bytes) => {
                let before = vec.capacity();
                let prefaulted = vec.prefault_ahead(Budget::bytes(bytes.into()));
                assert_eq!(prefaulted.refused, None);
                assert!(vec.capacity() >= before);
            }
            Op::Prefault(count) => {
                let count = count.of::<T>();
                self.grow(count, |vec| vec.prefault(count), |vec| vec.try_prefault(count), |_| ());
            }
            Op::Sort => {
                vec.sort();
                std.sort();
            }
            Op::Reverse => {
                vec.reverse();
                std.reverse();
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    fn reserve(&mut self, op: &Op, count: usize) {
        let fits = matches!(self.room(count), Room::Fits);
        if let Op::Reserve(_) = op {
            self.grow(count, |vec| vec.reserve(count), |vec| vec.try_reserve(count), |_| ());
        } else {
            let twin = |vec: &mut VmVec<T>| vec.try_reserve_exact(count);
            self.grow(count, |vec| vec.reserve_exact(count), twin, |_| ());
        }
        assert!(!fits || self.vec.capacity() - self.vec.len() >= count);
    }
}

/// Whether one more reservation may be leaked: a process has room for only so many.
fn leak_allowed() -> bool {
    const MOST: usize = 8;
    static LEAKS: AtomicUsize = AtomicUsize::new(0);
    LEAKS.fetch_add(1, Ordering::Relaxed) < MOST
}
