//! What stands around `class.rs`, `count.rs` and `pieces.rs` of the keeper: two classes of two slots, and
//! [memory](Warm) in which it is seen who has it.

mod sync {
    pub(super) use super::statics as atomic;
    pub(super) use crate::service::sync::thread;
}

#[path = "../../../src/keeper/class.rs"]
mod class;
#[path = "../../../src/keeper/count.rs"]
mod count;
mod interleavings;
#[path = "../../../src/keeper/pieces.rs"]
#[expect(dead_code, reason = "what is kept of arrays alone is released as all is")]
mod pieces;
mod statics;

use count::Lent;
use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicUsize;
use std::cell::Cell;
use std::mem;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const CLASSES: usize = 2;
const SLOTS: usize = 2;

/// Of one byte, and of more.
fn class_of(bytes: usize) -> usize {
    usize::from(bytes > 1)
}

#[derive(Clone, Copy, Debug)]
enum Use {
    Block,
    Array,
}

impl Use {
    const COUNT: usize = 2;
}

thread_local! {
    // All threads of a model are this one.
    static MOST_BYTES: Cell<usize> = const { Cell::new(0) };
}

fn most_bytes() -> usize {
    MOST_BYTES.get()
}

/// Blocks have no room here.
const fn take_rooms() {}

const fn time_ms() -> u32 {
    10
}

/// What the unit tests of the crate ask for.
mod tests {
    pub(super) fn is_off(_: super::Use) -> bool {
        false
    }

    pub(super) fn is_anothers() -> bool {
        false
    }
}

/// A piece of memory. What the system knows is no race, however many call it: that is std's, of which loom sees
/// nothing. What is in the piece is one if two threads are there.
struct Piece {
    bytes: usize,
    contents: UnsafeCell<usize>,
    is_kept: AtomicBool,
    is_released: AtomicBool,
    /// So that others come in between around every call.
    calls: AtomicUsize,
}

impl Piece {
    fn is_released(&self) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.is_released.load(Ordering::Relaxed)
    }

    fn is_kept(&self) -> bool {
        self.is_kept.load(Ordering::Relaxed)
    }

    /// What its owner alone may do.
    fn write(&self, bytes: usize) -> usize {
        assert!(!self.is_released.load(Ordering::Relaxed), "an access violation");
        // SAFETY: loom tells if anybody else is here.
        self.contents.with_mut(|contents| mem::replace(unsafe { &mut *contents }, bytes))
    }
}

/// Who has a piece, which is released when this is dropped.
struct Warm {
    piece: Option<Arc<Piece>>,
    bytes: usize,
}

impl Warm {
    fn new(bytes: usize) -> (Self, Arc<Piece>) {
        let piece = Arc::new(Piece {
            bytes,
            contents: UnsafeCell::new(0),
            is_kept: AtomicBool::new(false),
            is_released: AtomicBool::new(false),
            calls: AtomicUsize::new(0),
        });
        (Self { piece: Some(Arc::clone(&piece)), bytes }, piece)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    /// All of it is released at once.
    fn release_end(&mut self) -> usize {
        0
    }

    fn is_too_large(&self, most: usize) -> bool {
        self.bytes > most
    }

    fn pack(mut self) -> NonNull<Self> {
        let piece = self.piece.take().expect("it has one until it is dropped");
        piece.write(self.bytes);
        assert!(!piece.is_kept.swap(true, Ordering::Relaxed), "two had it");
        NonNull::new(Arc::into_raw(piece).cast_mut().cast()).expect("it is somewhere")
    }

    unsafe fn unpack(place: NonNull<Self>) -> Self {
        // SAFETY: the caller's promise.
        let piece = unsafe { Arc::from_raw(place.as_ptr().cast_const().cast::<Piece>()) };
        assert!(piece.is_kept.swap(false, Ordering::Relaxed), "two took it");
        let bytes = piece.write(0);
        assert_eq!(bytes, piece.bytes, "not what was put into it");
        Self { piece: Some(piece), bytes }
    }
}

impl Drop for Warm {
    fn drop(&mut self) {
        let Some(piece) = &self.piece else { return };
        piece.calls.fetch_add(1, Ordering::Relaxed);
        piece.write(0);
        assert!(!piece.is_kept(), "somebody finds it");
        piece.is_released.store(true, Ordering::Relaxed);
        piece.calls.fetch_add(1, Ordering::Relaxed);
    }
}
