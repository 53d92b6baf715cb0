//! Element types for the model: plain, with a drop, zero-sized, over-aligned, of odd size.

use super::bytes::{Reader, Writing, check_text, try_write};
use stayput::{Error, VmVec};
use std::cell::Cell;
use std::fmt::Debug;
use std::io;
use std::marker::PhantomData;

pub(crate) trait Element: Clone + Ord + Debug + 'static {
    /// The maximum number of elements in a run: enough for several commits.
    const SPAN: usize;

    /// Whether elements may be leaked: not if a leak checker would report them.
    const MAY_LEAK: bool = true;

    fn make(seed: u8) -> Self;

    /// Returns the seed, or 0 if the type does not store it.
    fn key(&self) -> u8;

    /// The number of elements on this thread, if they are counted.
    fn live() -> Option<usize> {
        None
    }

    /// `None` if the type does not support it.
    fn try_extend_zeroed(_: &mut VmVec<Self>, _: usize) -> Option<Result<(), Error>> {
        None
    }

    /// `None` if the type does not support it.
    fn try_resize_zeroed(_: &mut VmVec<Self>, _: usize) -> Option<Result<(), Error>> {
        None
    }

    /// `None` if the type does not support it.
    fn try_write(_: &mut VmVec<Self>, _: &[Self], _: Writing) -> Option<Result<(), Error>> {
        None
    }

    /// `None` if the type does not support it.
    fn read_from(_: &mut VmVec<Self>, _: &mut Reader<'_>) -> Option<io::Result<usize>> {
        None
    }

    /// Checks conversions to text, if there are any.
    fn check_text(_: &VmVec<Self>) {}
}

/// Yields values, with a size hint that may be wrong.
pub(crate) struct Source<T> {
    seed: u8,
    given: usize,
    left: usize,
    lower: usize,
    values: PhantomData<fn() -> T>,
}

impl<T> Source<T> {
    pub(crate) fn new(seed: u8, left: usize, lower: usize) -> Self {
        Self { seed, given: 0, left, lower, values: PhantomData }
    }
}

impl<T: Element> Iterator for Source<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        self.lower = self.lower.saturating_sub(1);
        // Runs of three, so that there are adjacent duplicates.
        let step = (self.given / 3).to_le_bytes()[0];
        self.given += 1;
        Some(T::make(self.seed.wrapping_add(step)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.lower, None)
    }
}

impl Element for u8 {
    const SPAN: usize = 150_000;

    fn make(seed: u8) -> Self {
        seed
    }

    fn key(&self) -> u8 {
        *self
    }

    fn try_write(vec: &mut VmVec<u8>, bytes: &[u8], how: Writing) -> Option<Result<(), Error>> {
        Some(try_write(vec, bytes, how))
    }

    fn read_from(vec: &mut VmVec<u8>, reader: &mut Reader<'_>) -> Option<io::Result<usize>> {
        Some(vec.read_from(reader))
    }

    fn check_text(vec: &VmVec<u8>) {
        check_text(vec);
    }
}

impl Element for u64 {
    const SPAN: usize = 40_000;

    fn make(seed: u8) -> Self {
        u64::from(seed) * 0x0101_0101_0101_0101
    }

    fn key(&self) -> u8 {
        self.to_le_bytes()[0]
    }

    #[cfg(feature = "bytemuck")]
    fn try_extend_zeroed(vec: &mut VmVec<Self>, count: usize) -> Option<Result<(), Error>> {
        Some(vec.try_extend_zeroed(count))
    }

    #[cfg(feature = "bytemuck")]
    fn try_resize_zeroed(vec: &mut VmVec<Self>, len: usize) -> Option<Result<(), Error>> {
        Some(vec.try_resize_zeroed(len))
    }
}

impl Element for [u8; 3] {
    const SPAN: usize = 50_000;

    fn make(seed: u8) -> Self {
        [seed, !seed, 7]
    }

    fn key(&self) -> u8 {
        self[0]
    }
}

/// Owns heap memory.
impl Element for String {
    const SPAN: usize = 4_000;
    const MAY_LEAK: bool = false;

    fn make(seed: u8) -> Self {
        format!("text {seed}")
    }

    fn key(&self) -> u8 {
        self["text ".len()..].parse().expect("made above")
    }
}

thread_local! {
    static ZERO_SIZED: Cell<usize> = const { Cell::new(0) };
    static PAGES: Cell<usize> = const { Cell::new(0) };
}

fn count_up(live: &Cell<usize>) {
    live.set(live.get() + 1);
}

fn count_down(live: &Cell<usize>) {
    live.set(live.get().checked_sub(1).expect("dropped more than were made"));
}

/// Of size zero, and counted.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ZeroSized(());

impl Element for ZeroSized {
    const SPAN: usize = 3_000;

    fn make(_: u8) -> Self {
        ZERO_SIZED.with(count_up);
        Self(())
    }

    fn key(&self) -> u8 {
        0
    }

    fn live() -> Option<usize> {
        Some(ZERO_SIZED.get())
    }
}

impl Clone for ZeroSized {
    fn clone(&self) -> Self {
        Self::make(0)
    }
}

impl Drop for ZeroSized {
    fn drop(&mut self) {
        ZERO_SIZED.with(count_down);
    }
}

/// As large and as aligned as a page, and counted.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(align(4096))]
pub(crate) struct PageSized(u8);

impl Element for PageSized {
    const SPAN: usize = 120;

    fn make(seed: u8) -> Self {
        PAGES.with(count_up);
        Self(seed)
    }

    fn key(&self) -> u8 {
        assert_eq!(std::ptr::from_ref(self).addr() % 4096, 0);
        self.0
    }

    fn live() -> Option<usize> {
        Some(PAGES.get())
    }
}

impl Clone for PageSized {
    fn clone(&self) -> Self {
        Self::make(self.0)
    }
}

impl Drop for PageSized {
    fn drop(&mut self) {
        PAGES.with(count_down);
    }
}
