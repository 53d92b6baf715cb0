//! The surroundings of `size_class.rs`, `count.rs`, `pieces.rs` and `waiting.rs` of the region cache: two classes of two slots, and
//! [regions](Region) that record their owner.

mod sync {
    pub(super) use crate::service::sync::thread;
    pub(super) use crate::statics as atomic;
}

#[path = "../../../src/region_cache/count.rs"]
mod count;
mod interleavings;
#[path = "../../../src/region_cache/pieces.rs"]
#[expect(dead_code, reason = "some functions are not modelled")]
mod pieces;
#[path = "../../../src/region_cache/size_class.rs"]
mod size_class;
#[path = "../../../src/region_cache/waiting.rs"]
#[expect(dead_code, reason = "some functions are not modelled")]
mod waiting;

use count::LentBytes;
use loom::cell::UnsafeCell;
use loom::sync::atomic::AtomicUsize;
use std::cell::Cell;
use std::mem;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const CLASSES: usize = 2;
const SLOTS: usize = 2;

/// One class for a single byte, the other for more.
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
    // The threads of a model all run on this one.
    static MOST_BYTES: Cell<usize> = const { Cell::new(0) };
}

fn most_bytes() -> usize {
    MOST_BYTES.get()
}

/// The background thread is absent.
const fn note_kept() {}

struct Client {
    reclaim: fn(&mut dyn FnMut() -> bool) -> bool,
}

const fn client() -> Option<&'static Client> {
    None
}

/// Blocks have no room here.
const fn take_rooms() {}

/// The background thread is absent.
const fn is_attended() -> bool {
    false
}

const fn time_ms() -> u32 {
    10
}

/// Functions that the crate's unit tests provide.
mod tests {
    pub(super) fn is_off(_: super::Use) -> bool {
        false
    }

    pub(super) fn is_anothers() -> bool {
        false
    }
}

/// A region. Access to it by two threads at once is a race, which loom reports. The flags stand for the system's
/// records, so calls of several threads do not race: they are std's atomics, which loom does not see.
struct Piece {
    bytes: usize,
    contents: UnsafeCell<usize>,
    /// The next region of a list.
    next: UnsafeCell<Option<NonNull<Region>>>,
    is_kept: AtomicBool,
    is_released: AtomicBool,
    /// So that other threads can run before and after each call.
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

    /// Replaces the contents, which only the owner may do.
    fn write(&self, bytes: usize) -> usize {
        assert!(!self.is_released.load(Ordering::Relaxed), "access to a released region");
        // SAFETY: loom reports concurrent access.
        self.contents.with_mut(|contents| mem::replace(unsafe { &mut *contents }, bytes))
    }
}

/// The owner of a region, which is released when this is dropped.
struct Region {
    piece: Option<Arc<Piece>>,
    bytes: usize,
}

impl Region {
    fn new(bytes: usize) -> (Self, Arc<Piece>) {
        let piece = Arc::new(Piece {
            bytes,
            contents: UnsafeCell::new(0),
            next: UnsafeCell::new(None),
            is_kept: AtomicBool::new(false),
            is_released: AtomicBool::new(false),
            calls: AtomicUsize::new(0),
        });
        (Self { piece: Some(Arc::clone(&piece)), bytes }, piece)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    /// A region is released as a whole.
    fn release_end(&mut self) -> usize {
        0
    }

    fn is_halved(&self) -> bool {
        false
    }

    /// A region of two bytes is abandoned in two steps.
    fn abandon_end(&mut self) -> usize {
        let piece = self.bytes - 1;
        self.bytes -= piece;
        piece
    }

    fn offer(&mut self) {}

    fn is_too_large(&self, most: usize) -> bool {
        self.bytes > most
    }

    /// Returns the piece of a packed region.
    fn piece<'a>(place: NonNull<Self>) -> &'a Piece {
        // SAFETY: `pack` made the pointer, and the region is not unpacked meanwhile.
        unsafe { place.cast::<Piece>().as_ref() }
    }

    unsafe fn next(place: NonNull<Self>) -> Option<NonNull<Self>> {
        // SAFETY: loom reports concurrent access.
        Self::piece(place).next.with(|next| unsafe { *next })
    }

    unsafe fn link(place: NonNull<Self>, to: Option<NonNull<Self>>) {
        // SAFETY: loom reports concurrent access.
        Self::piece(place).next.with_mut(|next| unsafe { *next = to });
    }

    fn pack(mut self) -> NonNull<Self> {
        let piece = self.piece.take().expect("it owns its piece until it is dropped");
        piece.write(self.bytes);
        assert!(!piece.is_kept.swap(true, Ordering::Relaxed), "two threads owned the region");
        NonNull::new(Arc::into_raw(piece).cast_mut().cast()).expect("an `Arc` is not null")
    }

    unsafe fn unpack(place: NonNull<Self>) -> Self {
        // SAFETY: `pack` made the pointer, and the caller promises to unpack it only once.
        let piece = unsafe { Arc::from_raw(place.as_ptr().cast_const().cast::<Piece>()) };
        assert!(piece.is_kept.swap(false, Ordering::Relaxed), "two threads took the region");
        let bytes = piece.write(0);
        assert!(0 < bytes && bytes <= piece.bytes, "the contents have changed");
        Self { piece: Some(piece), bytes }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        let Some(piece) = &self.piece else { return };
        piece.calls.fetch_add(1, Ordering::Relaxed);
        piece.write(0);
        assert!(!piece.is_kept(), "a cached region is released");
        piece.is_released.store(true, Ordering::Relaxed);
        piece.calls.fetch_add(1, Ordering::Relaxed);
    }
}
