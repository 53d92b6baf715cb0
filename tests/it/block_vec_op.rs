//! Operations on a `BlockVec` and on std's `Vec` side by side: what the model test and the fuzz target
//! `block_vec_model` share.

use crate::elements::{Element, Source};
use stayput::{BlockVec, Blocks, Budget, Error, ErrorKind};
use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::mem;
use std::ops::Range;

/// A number of elements: mostly few, sometimes up to the most that a run may hold.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Count(u16);

impl Count {
    const FEW: u16 = 0xf000;

    fn of<T: Element>(self) -> usize {
        match self.0.checked_sub(Self::FEW) {
            None => usize::from(self.0 % 40),
            Some(part) => usize::from(part) * T::SPAN / usize::from(u16::MAX - Self::FEW),
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
    fn within(self, len: usize) -> usize {
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
    fn within(self, len: usize) -> Range<usize> {
        let (a, b) = (self.0.within(len), self.1.within(len));
        a.min(b)..a.max(b)
    }
}

/// Values, as many and from which seed on; and what their iterator says of their number.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Batch {
    count: Count,
    seed: u8,
    tells: bool,
}

impl Batch {
    fn source<T: Element>(self) -> Source<T> {
        let left = self.count.of::<T>();
        Source::new(self.seed, left, if self.tells { left } else { usize::MAX })
    }

    fn vec<T: Element>(self) -> Vec<T> {
        let left = self.count.of::<T>();
        Source::new(self.seed, left, left).collect()
    }
}

/// How an iterator ends, after so many steps from the front and the back.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Partly {
    front: Count,
    back: Count,
    forget: bool,
}

/// Names some of the elements.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) struct Choice(u8);

impl Choice {
    fn names(self, element: &impl Element) -> bool {
        (element.key() ^ self.0) % (self.0 % 5 + 1) != 0
    }
}

#[derive(Clone, Debug)]
#[cfg_attr(test, derive(proptest_derive::Arbitrary))]
#[cfg_attr(not(test), derive(arbitrary::Arbitrary))]
pub(crate) enum Op {
    Push(u8),
    PushMut(u8, u8),
    Pop,
    PopIf(Choice),
    Insert(Place, u8),
    InsertMut(Place, u8, u8),
    Remove(Place),
    SwapRemove(Place),
    Swap(Place, Place),
    Set(Place, u8),
    Truncate(Place),
    Clear,
    Resize(Count, u8),
    ResizeWith(Count, u8),
    Extend(Batch),
    ExtendFromSlice(Batch),
    ExtendFromWithin(Span),
    Append(Batch),
    AppendVec(Batch),
    SplitOff(Place, bool),
    Drain(Span, Partly),
    ExtractIf(Span, Choice, Partly),
    Retain(Choice),
    RetainMut(Choice),
    DedupBy(u8),
    DedupByKey(u8),
    Reserve(Count),
    ShrinkToFit,
    ShrinkTo(Count),
    /// So often, with so many bytes each time.
    ShrinkWithin(u8, u16),
    Clone,
    CloneFrom(Batch),
    IntoIter(Partly),
    Iter(Span, Partly, Place),
    IterMut(Span, Partly, u8),
    BlocksMut(u8),
    Search(u8),
    IndexOf(Place),
    Convert,
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
    /// In blocks of so many bytes; with a maximum.
    Fixed(u16, bool),
    Doubling(u16, bool),
}

impl Config {
    fn names_maximum(self) -> bool {
        matches!(self, Self::MaxLen | Self::Fixed(_, true) | Self::Doubling(_, true))
    }
}

/// The array, and the `Vec` that says what it should hold.
pub(crate) struct Model<T: Element> {
    config: Config,
    vec: BlockVec<T>,
    std: Vec<T>,
    /// Where elements lie, by their index, as far as their blocks were not given back since.
    places: Vec<usize>,
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
            places: Vec::new(),
            leaked: 0,
            live_before: T::live(),
        };
        model.check();
        for op in ops {
            model.apply(op);
            model.check();
        }
        model.vec.clear();
        model.std.clear();
        model.check();
        model.vec.shrink_to_fit();
        let stats = model.vec.stats();
        assert_eq!((stats.blocks, stats.block_bytes, stats.table_bytes), (0, 0, 0));
    }

    fn fresh(config: Config) -> BlockVec<T> {
        let builder = match config {
            Config::Default => return BlockVec::new(),
            Config::MaxLen => return BlockVec::with_max_len(T::SPAN),
            Config::Fixed(bytes, _) => {
                BlockVec::builder().blocks(Blocks::Fixed { bytes: bytes.into() })
            }
            Config::Doubling(bytes, _) => {
                BlockVec::builder().blocks(Blocks::Doubling { first_bytes: bytes.into() })
            }
        };
        if config.names_maximum() { builder.max_len(T::SPAN).build() } else { builder.build() }
    }

    fn check(&mut self) {
        let Self { vec, std, places, .. } = self;
        assert_eq!(vec.len(), std.len());
        assert!(*vec == *std, "contents differ: {vec:.200?} {std:.200?}");
        assert!(vec.len() <= vec.capacity() && vec.capacity() <= vec.max_len());
        assert_eq!(vec.is_empty(), std.is_empty());
        assert_eq!((vec.first(), vec.last()), (std.first(), std.last()));
        assert_eq!(vec.get(std.len()), None);
        if self.config.names_maximum() {
            assert_eq!(vec.max_len(), T::SPAN);
        }
        for (index, element) in vec.iter().take(5000).enumerate() {
            let at = (&raw const *element).addr();
            assert_eq!(at % align_of::<T>(), 0);
            match places.get(index) {
                Some(place) => assert_eq!(*place, at, "an element has moved"),
                None => places.push(at),
            }
        }
        if let (Some(before), Some(now)) = (self.live_before, T::live()) {
            assert_eq!(now - before, 2 * std.len() + self.leaked, "lost or doubled elements");
        }
    }

    /// Blocks were given back, or it is another array: what comes next may lie elsewhere.
    fn forget_places(&mut self) {
        self.places.truncate(self.vec.capacity().min(self.vec.len()));
    }

    /// Grows by `additional` elements if they fit, else checks the refusal.
    fn grow(
        &mut self,
        additional: usize,
        grow: impl FnOnce(&mut BlockVec<T>) -> Result<(), Error>,
        std: impl FnOnce(&mut Vec<T>),
    ) {
        if self.std.len() + additional <= T::SPAN {
            grow(&mut self.vec).expect("it fits");
            std(&mut self.std);
        } else if self.config.names_maximum() {
            let error = grow(&mut self.vec).expect_err("beyond max_len");
            assert_eq!(error.kind(), ErrorKind::MaxLen);
            assert_eq!(error.limit(), Some(T::SPAN as u64));
            assert_eq!(error.bytes(), (self.std.len() + additional) * size_of::<T>());
        }
    }

    fn replace(&mut self, by: BlockVec<T>) -> BlockVec<T> {
        self.places.clear();
        mem::replace(&mut self.vec, by)
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Push(_)
            | Op::PushMut(..)
            | Op::Pop
            | Op::PopIf(_)
            | Op::Insert(..)
            | Op::InsertMut(..)
            | Op::Remove(_)
            | Op::SwapRemove(_)
            | Op::Swap(..)
            | Op::Set(..)
            | Op::IndexOf(_)
            | Op::Search(_) => self.one(op),
            Op::Truncate(_)
            | Op::Clear
            | Op::Resize(..)
            | Op::ResizeWith(..)
            | Op::Extend(..)
            | Op::ExtendFromSlice(_)
            | Op::ExtendFromWithin(_)
            | Op::Append(_)
            | Op::AppendVec(_)
            | Op::GrowOnly(_) => self.many(op),
            Op::SplitOff(..)
            | Op::Clone
            | Op::CloneFrom(_)
            | Op::IntoIter(_)
            | Op::Convert
            | Op::Move => self.whole(op),
            Op::Drain(span, partly) => self.drain(*span, *partly),
            Op::ExtractIf(span, choice, partly) => self.extract_if(*span, *choice, *partly),
            Op::Iter(span, partly, place) => self.walk(*span, *partly, *place),
            Op::IterMut(span, partly, seed) => self.walk_and_change(*span, *partly, *seed),
            _ => self.in_place(op),
        }
    }

    /// One element.
    fn one(&mut self, op: &Op) {
        let len = self.std.len();
        let Self { vec, std, .. } = self;
        match *op {
            Op::Push(seed) => self.grow(
                1,
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
            Op::PushMut(seed, then) => {
                if len < T::SPAN {
                    let last = vec.push_mut(T::make(seed));
                    assert_eq!(*last, T::make(seed));
                    *last = T::make(then);
                    std.push(T::make(then));
                }
            }
            Op::Pop => assert_eq!(vec.pop(), std.pop()),
            Op::PopIf(choice) => {
                let expected = match std.last() {
                    Some(last) if choice.names(last) => std.pop(),
                    _ => None,
                };
                assert_eq!(vec.pop_if(|last| choice.names(last)), expected);
            }
            Op::Insert(place, seed) => {
                let index = place.within(len);
                let twin = |vec: &mut BlockVec<T>| Ok(vec.try_insert(index, T::make(seed))?);
                self.grow(1, twin, |std| std.insert(index, T::make(seed)));
            }
            Op::InsertMut(place, seed, then) => {
                if len < T::SPAN {
                    let index = place.within(len);
                    *vec.insert_mut(index, T::make(seed)) = T::make(then);
                    std.insert(index, T::make(then));
                }
            }
            Op::Search(seed) => {
                let value = T::make(seed);
                assert_eq!(vec.contains(&value), std.contains(&value));
                let point = |element: &T| element.key() < seed;
                if std.is_sorted_by_key(Element::key) {
                    assert_eq!(vec.partition_point(point), std.partition_point(point));
                    let found = vec.binary_search_by_key(&seed, Element::key);
                    let expected = std.binary_search_by_key(&seed, Element::key);
                    assert_eq!(found.is_ok(), expected.is_ok());
                    assert!(found.is_ok_and(|index| std[index].key() == seed) || found == expected);
                }
            }
            _ if len == 0 => {}
            Op::Remove(place) => {
                let index = place.within(len - 1);
                assert_eq!(vec.remove(index), std.remove(index));
            }
            Op::SwapRemove(place) => {
                let index = place.within(len - 1);
                assert_eq!(vec.swap_remove(index), std.swap_remove(index));
            }
            Op::Swap(a, b) => {
                let (a, b) = (a.within(len - 1), b.within(len - 1));
                vec.swap(a, b);
                std.swap(a, b);
            }
            Op::Set(place, seed) => {
                let index = place.within(len - 1);
                vec[index] = T::make(seed);
                std[index] = T::make(seed);
            }
            Op::IndexOf(place) => {
                let index = place.within(len - 1);
                let expected = (size_of::<T>() > 0).then_some(index);
                assert_eq!(vec.index_of(&vec[index]), expected);
                assert_eq!(vec.index_of(&std[index]), None);
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    /// Many elements at the end.
    fn many(&mut self, op: &Op) {
        let len = self.std.len();
        match *op {
            Op::Truncate(place) => {
                let len = place.within(len);
                self.vec.truncate(len);
                self.std.truncate(len);
            }
            Op::Clear => {
                self.vec.clear();
                self.std.clear();
            }
            Op::Resize(count, seed) => {
                let new_len = count.of::<T>();
                let twin = |vec: &mut BlockVec<T>| Ok(vec.try_resize(new_len, T::make(seed))?);
                self.grow(new_len.saturating_sub(len), twin, |std| {
                    std.resize(new_len, T::make(seed));
                });
            }
            Op::ResizeWith(count, seed) => {
                let new_len = count.of::<T>();
                let twin = |vec: &mut BlockVec<T>| {
                    let mut values = Source::new(seed, usize::MAX, 0);
                    vec.try_resize_with(new_len, || values.next().expect("endless"))
                };
                let mut values = Source::new(seed, usize::MAX, 0);
                self.grow(new_len.saturating_sub(len), twin, |std| {
                    std.resize_with(new_len, || values.next().expect("endless"));
                });
            }
            Op::Extend(batch) => {
                let fits = T::SPAN - len;
                if batch.count.of::<T>() <= fits || !self.config.names_maximum() {
                    self.vec.extend(batch.source());
                    self.std.extend(batch.vec());
                } else {
                    // As many as there is room for, and the others come back.
                    let refused = self.vec.try_extend(batch.source()).expect_err("too many");
                    assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
                    let mut all = batch.vec();
                    let rest: Vec<T> = all.drain(fits..).collect();
                    assert!(refused.value.eq(rest));
                    self.std.append(&mut all);
                }
                self.cut_to_span();
            }
            Op::ExtendFromSlice(batch) => {
                let values = batch.vec();
                self.grow(
                    values.len(),
                    |vec| vec.try_extend_from_slice(&values),
                    |std| std.extend_from_slice(&values),
                );
            }
            Op::ExtendFromWithin(span) => {
                let span = span.within(len);
                let twin = |vec: &mut BlockVec<T>| vec.try_extend_from_within(span.clone());
                self.grow(span.len(), twin, |std| std.extend_from_within(span.clone()));
            }
            Op::Append(batch) => {
                let mut other = Self::fresh(self.config);
                other.extend(batch.vec());
                let count = other.len();
                self.grow(count, |vec| vec.try_append(&mut other), |std| std.extend(batch.vec()));
                assert!(other.is_empty() || other == batch.vec::<T>());
            }
            Op::AppendVec(batch) => {
                let mut other = batch.vec();
                let count = other.len();
                self.grow(
                    count,
                    |vec| vec.try_append_vec(&mut other),
                    |std| {
                        std.extend(batch.vec());
                    },
                );
                assert!(other.is_empty() || other == batch.vec::<T>());
            }
            Op::GrowOnly(ref seeds) => {
                if len + 2 * seeds.len() > T::SPAN {
                    return;
                }
                let scope = self.vec.grow_only();
                let before = scope.iter();
                let kept: Vec<&T> = seeds.iter().map(|seed| scope.push(T::make(*seed))).collect();
                scope.extend(seeds.iter().map(|seed| T::make(*seed)));
                assert!(kept.iter().zip(seeds).all(|(kept, seed)| **kept == T::make(*seed)));
                assert!(before.eq(&self.std));
                self.std.extend(seeds.iter().map(|seed| T::make(*seed)));
                self.std.extend(seeds.iter().map(|seed| T::make(*seed)));
                assert!(scope.iter().eq(&self.std));
                assert_eq!(scope.get(len), self.std.get(len));
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    /// A run holds so many at most, where the array would take more.
    fn cut_to_span(&mut self) {
        self.vec.truncate(T::SPAN);
        self.std.truncate(T::SPAN);
    }

    /// The array is taken, or becomes another.
    fn whole(&mut self, op: &Op) {
        match *op {
            Op::SplitOff(place, keeps_rest) => {
                let at = place.within(self.std.len());
                let rest = self.vec.split_off(at);
                let std_rest = self.std.split_off(at);
                assert_eq!(rest, std_rest);
                assert_eq!(rest.max_len(), self.vec.max_len());
                if keeps_rest {
                    self.replace(rest);
                    self.std = std_rest;
                }
            }
            Op::Clone => {
                let clone = self.vec.clone();
                assert_eq!(clone.max_len(), self.vec.max_len());
                assert!(clone == self.vec && clone.cmp(&self.vec).is_eq());
                self.replace(clone);
            }
            Op::CloneFrom(batch) => {
                let source: BlockVec<T> = batch.vec().into();
                self.vec.clone_from(&source);
                self.std = batch.vec();
            }
            Op::IntoIter(partly) => {
                let fresh = Self::fresh(self.config);
                let mut iter = self.replace(fresh).into_iter();
                let mut std = mem::take(&mut self.std).into_iter();
                for _ in 0..partly.front.of::<T>() {
                    assert_eq!(iter.next(), std.next());
                }
                for _ in 0..partly.back.of::<T>() {
                    assert_eq!(iter.next_back(), std.next_back());
                }
                assert_eq!(iter.len(), std.len());
                assert!(iter.clone().eq(std.clone()));
                assert_eq!(format!("{iter:?}"), format!("{std:?}"));
                let rest: BlockVec<T> = iter.collect();
                let fresh = Self::fresh(self.config);
                self.replace(fresh);
                self.vec.extend(rest);
                self.std = std.collect();
            }
            Op::Convert => {
                let fresh = Self::fresh(self.config);
                let mut other = self.replace(fresh).into_vec();
                assert!(other == self.std);
                self.vec.append_vec(&mut other);
                let hasher = RandomState::new();
                let other: BlockVec<T> = self.std.as_slice().into();
                assert_eq!(hasher.hash_one(Keys(&other)), hasher.hash_one(Keys(&self.vec)));
            }
            Op::Move => {
                let vec = mem::take(&mut self.vec);
                self.vec = *Box::new(vec);
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }

    fn drain(&mut self, span: Span, partly: Partly) {
        let before = self.std.len();
        let span = span.within(before);
        let mut drain = self.vec.drain(span.clone());
        let mut std = self.std.drain(span.clone());
        for _ in 0..partly.front.of::<T>() {
            assert_eq!(drain.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>() {
            assert_eq!(drain.next_back(), std.next_back());
        }
        assert_eq!(drain.len(), std.len());
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
        assert!(self.vec == self.std[..cut], "a leaked iterator left other elements");
        self.std.truncate(cut);
        self.leaked += lost;
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

    /// Steps from both ends, and a leap, and then all that is left.
    fn walk(&mut self, span: Span, partly: Partly, place: Place) {
        let span = span.within(self.std.len());
        let mut iter = self.vec.range(span.clone());
        let mut std = self.std[span].iter();
        for _ in 0..partly.front.of::<T>().min(100) {
            assert_eq!(iter.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(100) {
            assert_eq!(iter.next_back(), std.next_back());
        }
        let leap = place.within(std.len() + 3);
        if partly.forget {
            assert_eq!(iter.nth(leap), std.nth(leap));
        } else {
            assert_eq!(iter.nth_back(leap), std.nth_back(leap));
        }
        assert_eq!(iter.len(), std.len());
        assert_eq!(iter.clone().count(), std.len());
        assert_eq!(iter.clone().last(), std.clone().last());
        let key = place.0.to_le_bytes()[0];
        let (mut a, mut b) = (iter.clone(), std.clone());
        assert_eq!(a.position(|x| x.key() == key), b.position(|x| x.key() == key));
        assert!(a.eq(b));
        let (mut a, mut b) = (iter.clone(), std.clone());
        assert_eq!(a.find(|x| x.key() > key), b.find(|x| x.key() > key));
        assert_eq!(a.any(|x| x.key() < key), b.any(|x| x.key() < key));
        assert_eq!(a.all(|x| x.key() > 3), b.all(|x| x.key() > 3));
        assert_eq!(a.find_map(|x| x.key().checked_sub(9)), b.find_map(|x| x.key().checked_sub(9)));
        assert!(a.rev().eq(b.rev()));
        let sum = |sum: u64, x: &T| sum.wrapping_mul(31).wrapping_add(x.key().into());
        assert_eq!(iter.clone().rfold(0, sum), std.clone().rfold(0, sum));
        assert_eq!(iter.fold(0, sum), std.fold(0, sum));
    }

    fn walk_and_change(&mut self, span: Span, partly: Partly, seed: u8) {
        let span = span.within(self.std.len());
        let mut iter = self.vec.range_mut(span.clone());
        let mut std = self.std[span].iter_mut();
        for _ in 0..partly.front.of::<T>().min(100) {
            assert_eq!(iter.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(100) {
            assert_eq!(iter.next_back(), std.next_back());
        }
        assert_eq!(iter.nth(3), std.nth(3));
        assert_eq!(format!("{iter:?}"), format!("{:?}", std.as_slice()));
        let change = |element: &mut T| *element = T::make(element.key().wrapping_add(seed));
        iter.for_each(change);
        std.for_each(change);
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
            Op::BlocksMut(seed) => {
                let len = vec.len();
                let all = vec.blocks();
                assert_eq!(all.len(), all.clone().count());
                assert_eq!(all.map(<[T]>::len).sum::<usize>(), len);
                assert!(
                    vec.blocks().rev().flat_map(|block| block.iter().rev()).eq(std.iter().rev())
                );
                let order = RefCell::new(0_usize);
                let change = |element: &mut T| {
                    let n = order.replace_with(|n| *n + 1);
                    *element =
                        T::make(element.key().wrapping_add(seed).wrapping_add(n.to_le_bytes()[0]));
                };
                vec.blocks_mut().for_each(|block| block.iter_mut().for_each(change));
                order.replace(0);
                std.iter_mut().for_each(change);
            }
            Op::Reserve(count) => {
                let count = count.of::<T>();
                let fits = std.len() + count <= T::SPAN;
                self.grow(count, |vec| vec.try_reserve(count), |_| ());
                assert!(!fits || self.vec.capacity() - self.vec.len() >= count);
            }
            Op::ShrinkToFit => {
                let before = vec.capacity();
                vec.shrink_to_fit();
                assert!(vec.capacity() <= before);
                self.forget_places();
            }
            Op::ShrinkTo(count) => {
                let (before, keep) = (vec.capacity(), count.of::<T>());
                vec.shrink_to(keep);
                assert!(vec.capacity() <= before && vec.capacity() >= keep.min(before));
                self.forget_places();
            }
            Op::ShrinkWithin(times, bytes) => {
                let before = vec.capacity();
                for _ in 0..times % 4 {
                    let given = vec.shrink_to_fit_within(Budget::bytes(bytes.into()));
                    assert!(given.is_done || given.bytes > 0 || bytes == 0);
                }
                assert!(vec.capacity() <= before);
                self.forget_places();
            }
            _ => unreachable!("{op:?} is not of this group"),
        }
    }
}

/// The elements' keys, to be hashed: not all elements can be.
struct Keys<'v, T>(&'v BlockVec<T>);

impl<T: Element> std::hash::Hash for Keys<'_, T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.iter().map(Element::key).collect::<BlockVec<u8>>().hash(state);
    }
}
