//! The values that are stored: of several sizes and alignments, counted or not; and user code, which can panic.

use super::place::{Place, Stored, on};
use std::cell::Cell;
use std::fmt::Debug;
use std::hash::Hash;
use std::panic::{self, AssertUnwindSafe};

thread_local! {
    /// How many counted values there are.
    static LIVE: Cell<usize> = const { Cell::new(0) };
    static PANICS_AFTER: Cell<Option<u8>> = const { Cell::new(None) };
}

pub(crate) fn live() -> usize {
    LIVE.get()
}

/// Values in the arenas of earlier runs were never dropped.
pub(crate) fn forget_live() {
    LIVE.set(0);
}

/// The panic payload of user code.
struct Planned;

pub(crate) fn panic_as_planned() -> ! {
    panic::resume_unwind(Box::new(Planned))
}

/// Called by user code.
pub(crate) fn user_code() {
    match PANICS_AFTER.get() {
        Some(0) => panic_as_planned(),
        Some(left) => PANICS_AFTER.set(Some(left - 1)),
        None => {}
    }
}

/// Runs a closure in which user code panics after a number of calls, if there is one. Returns `None` if it did.
pub(crate) fn with_panic<R>(after: Option<u8>, run: impl FnOnce() -> R) -> Option<R> {
    PANICS_AFTER.set(after);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    PANICS_AFTER.set(None);
    match result {
        Ok(result) => Some(result),
        Err(payload) if payload.is::<Planned>() => None,
        Err(payload) => panic::resume_unwind(payload),
    }
}

/// A value that is made from a number; the default one from 0.
pub(crate) trait Item: Clone + Default + Ord + Hash + Debug + 'static {
    const IS_COUNTED: bool = false;

    fn make(number: u32) -> Self;

    fn is(&self, number: u32) -> bool {
        *self == Self::make(number)
    }

    /// Stores a copy of a slice. `None` if the type cannot be copied.
    fn copy<'v>(_: Place<'_, 'v>, _: &[Self]) -> Option<Stored<&'v mut [Self]>> {
        None
    }

    /// Stores copies of a value. `None` if the type cannot be copied.
    fn fill<'v>(_: Place<'_, 'v>, _: usize, _: &Self) -> Option<Stored<&'v mut [Self]>> {
        None
    }

    /// Stores values of zeros. `None` if the type does not support it.
    fn zeroed<'v>(_: Place<'_, 'v>, _: usize) -> Option<Stored<&'v mut [Self]>> {
        None
    }
}

macro_rules! copied {
    () => {
        fn copy<'v>(place: Place<'_, 'v>, values: &[Self]) -> Option<Stored<&'v mut [Self]>> {
            Some(on!(place, store => store.try_alloc_slice_copy(values)))
        }

        fn fill<'v>(
            place: Place<'_, 'v>,
            len: usize,
            value: &Self,
        ) -> Option<Stored<&'v mut [Self]>> {
            Some(on!(place, store => store.try_alloc_slice_fill_copy(len, *value)))
        }
    };
}

macro_rules! zeroed {
    () => {
        #[cfg(feature = "bytemuck")]
        fn zeroed<'v>(place: Place<'_, 'v>, len: usize) -> Option<Stored<&'v mut [Self]>> {
            if len == 1 {
                let value = on!(place, store => store.try_alloc_zeroed());
                return Some(value.map(std::slice::from_mut));
            }
            Some(on!(place, store => store.try_alloc_slice_zeroed(len)))
        }
    };
}

impl Item for u8 {
    fn make(number: u32) -> Self {
        number.to_le_bytes()[0]
    }

    copied!();
    zeroed!();
}

impl Item for u64 {
    fn make(number: u32) -> Self {
        u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    copied!();
    zeroed!();
}

impl Item for [u8; 3] {
    fn make(number: u32) -> Self {
        let [a, b, c, _] = number.to_le_bytes();
        [a, b, c]
    }

    copied!();
    zeroed!();
}

/// Aligned to a cache line.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(align(64))]
pub(crate) struct Line(u32);

impl Item for Line {
    fn make(number: u32) -> Self {
        Self(number)
    }

    copied!();
}

/// Aligned to 16 KiB, which is more than a page of most systems.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(C, align(16384))]
pub(crate) struct Page {
    first: u32,
    between: [[u64; 32]; 32],
    last: u32,
}

impl Default for Page {
    fn default() -> Self {
        Self::make(0)
    }
}

impl Item for Page {
    fn make(number: u32) -> Self {
        Self { first: number, between: [[0; 32]; 32], last: !number }
    }

    fn is(&self, number: u32) -> bool {
        (self.first, self.last) == (number, !number)
    }

    copied!();
}

/// Of size zero, and aligned to two pages of 4 KiB.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(align(8192))]
pub(crate) struct Nothing;

impl Item for Nothing {
    fn make(_: u32) -> Self {
        Self
    }

    copied!();
}

/// Counted. Cloning it, and making a default one, is user code.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Counted(u32);

impl Item for Counted {
    const IS_COUNTED: bool = true;

    fn make(number: u32) -> Self {
        LIVE.set(LIVE.get() + 1);
        Self(number)
    }

    fn is(&self, number: u32) -> bool {
        self.0 == number
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        user_code();
        Self::make(self.0)
    }
}

impl Default for Counted {
    fn default() -> Self {
        user_code();
        Self::make(0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LIVE.set(LIVE.get().checked_sub(1).expect("dropped more than were made"));
    }
}

/// Counted, and of size zero.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct CountedNothing(());

impl Item for CountedNothing {
    const IS_COUNTED: bool = true;

    fn make(_: u32) -> Self {
        LIVE.set(LIVE.get() + 1);
        Self(())
    }

    fn is(&self, _: u32) -> bool {
        true
    }
}

impl Clone for CountedNothing {
    fn clone(&self) -> Self {
        user_code();
        Self::make(0)
    }
}

impl Default for CountedNothing {
    fn default() -> Self {
        user_code();
        Self::make(0)
    }
}

impl Drop for CountedNothing {
    fn drop(&mut self) {
        LIVE.set(LIVE.get().checked_sub(1).expect("dropped more than were made"));
    }
}
