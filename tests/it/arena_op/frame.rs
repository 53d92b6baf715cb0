//! What an arena or a scope holds, and what that should be.

use super::boxes::Boxed;
use super::items::Item;
use std::ops::Range;
use std::ptr;

/// Values with known contents.
pub(crate) trait Held {
    fn check(&self);
    /// Replaces the contents by others.
    fn change(&mut self, number: u32);
    /// Their addresses.
    fn range(&self) -> Range<usize>;
}

/// Values that are next to each other, unless they were stored by user code, each made from a number `step` higher.
pub(crate) struct Values<'v, T> {
    pub(crate) all: Vec<&'v mut T>,
    pub(crate) first: u32,
    pub(crate) step: u32,
}

impl<T> Values<'_, T> {
    fn numbers(&self) -> impl Iterator<Item = u32> + use<T> {
        let (first, step) = (self.first, self.step);
        (0..).map(move |i| first.wrapping_add(i * step))
    }
}

impl<T: Item> Held for Values<'_, T> {
    fn check(&self) {
        for (value, number) in self.all.iter().zip(self.numbers()) {
            assert!(value.is(number), "{value:?} instead of {number}");
            assert_eq!(ptr::from_ref::<T>(value).addr() % align_of::<T>(), 0);
        }
    }

    fn change(&mut self, number: u32) {
        self.first = number;
        for (value, number) in self.all.iter_mut().zip((0..).map(|i| number + i * self.step)) {
            **value = T::make(number);
        }
    }

    fn range(&self) -> Range<usize> {
        let [first, last] = [self.all.first(), self.all.last()]
            .map(|value| value.map_or(0, |value| ptr::from_ref::<T>(value).addr()));
        first..last + if self.all.is_empty() { 0 } else { size_of::<T>() }
    }
}

pub(crate) struct Text<'v> {
    pub(crate) text: &'v mut str,
    pub(crate) expected: String,
}

impl Held for Text<'_> {
    fn check(&self) {
        assert_eq!(*self.text, *self.expected);
    }

    fn change(&mut self, _: u32) {
        self.text.make_ascii_uppercase();
        self.expected.make_ascii_uppercase();
    }

    fn range(&self) -> Range<usize> {
        let range = self.text.as_bytes().as_ptr_range();
        range.start.addr()..range.end.addr()
    }
}

/// What was stored in an arena or a scope.
#[derive(Default)]
pub(crate) struct Frame<'v> {
    held: Vec<Box<dyn Held + 'v>>,
    pub(crate) boxes: Vec<Boxed<'v>>,
}

impl<'v> Frame<'v> {
    /// The most values that are checked.
    const MOST: usize = 48;

    pub(crate) fn keep(&mut self, held: impl Held + 'v) {
        if self.held.len() == Self::MOST {
            self.held.swap_remove(0);
        }
        self.held.push(Box::new(held));
    }

    pub(crate) fn change(&mut self, pick: u8, number: u32) {
        let len = self.held.len().max(1);
        if let Some(held) = self.held.get_mut(usize::from(pick) % len) {
            held.change(number);
        }
    }

    /// The number of counted values in boxes.
    pub(crate) fn in_boxes(&self) -> usize {
        self.boxes.iter().map(Boxed::count).sum()
    }

    pub(crate) fn check(&self) {
        self.held.iter().for_each(|held| held.check());
        self.boxes.iter().for_each(Boxed::check);
    }

    /// The addresses of values, without those that take no memory.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.held.iter().map(|held| held.range()).filter(|range| !range.is_empty())
    }
}
