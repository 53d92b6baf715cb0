//! [`Backing`]: memory that the user supplies for an array.
//!
//! # Why this is sound
//!
//! [`Foreign`] is the only one that calls a backing which it holds, with `&mut self`, and asks
//! where its memory is once, before it is used. What it asks for is whole runs inside that,
//! committed by it before or not, as the contract says. What the backing must do in turn is its
//! implementor's promise.
//!
//! A call that unwinds leaves the backing marked, so that none is made again: neither the state of
//! its own fields nor that of the range it was about is relied on. Those who keep count of what is
//! committed take what is about to be decommitted off before the call.

#![expect(unsafe_code, reason = "calls what its users promise, and zeroes memory for them")]

use crate::error::{Error, ErrorKind, Refused};
use crate::heap::Room;
use std::any::TypeId;
use std::fmt;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

mod heap;
#[cfg(test)]
mod tests;

pub(crate) use heap::Block;

/// Memory that an array or a map lies in, in place of a [`Reservation`](crate::Reservation): a
/// region that is shared or locked, huge pages of a pool, a buffer of fixed size.
///
/// [`VecBuilder::build_in`](crate::VecBuilder::build_in),
/// [`SharedVecBuilder::build_in`](crate::SharedVecBuilder::build_in),
/// [`SlotMapBuilder::build_in`](crate::SlotMapBuilder::build_in) and
/// [`SecondaryMapBuilder::build_in`](crate::SecondaryMapBuilder::build_in) take one. The array has
/// it to itself, uses it from its front on, and drops it after its last element. Only growing and
/// giving memory back call it; all else is the same code as over a reservation.
///
/// Ranges are in bytes from [`start`](Self::start) on. Each begins at a multiple of
/// [`run_bytes`](Self::run_bytes), and ends at one or at the end of the memory; none is empty.
/// [`start`](Self::start), [`reserved_bytes`](Self::reserved_bytes) and
/// [`run_bytes`](Self::run_bytes) are asked once, when the array is made.
///
/// # What is not done there
///
/// - The [background thread](crate::service) does not work on it: with
///   [`CommitAhead`](crate::CommitAhead) nothing comes of it, and with
///   [`Release::Background`](crate::Release) it is dropped at once all the same.
///   [`prefault_ahead`](crate::VmVec::prefault_ahead) works, by [`prefault`](Self::prefault).
/// - [`HugePages`](crate::HugePages) are its own affair.
/// - What is made from the array (a clone, what [`split_off`](crate::VmVec::split_off) returns) has
///   a reservation of its own.
/// - What is resident is not known: `resident_bytes` in the statistics is `None`.
///
/// # Safety
///
/// From when it is given to an array until it is dropped or comes back, for ever if the array is
/// leaked, an implementation upholds that
///
/// - **it says the same whenever it is asked** where it starts, how many bytes there are, and in what
///   runs.
/// - **the memory is there, and the array's alone.** The `reserved_bytes` bytes from `start` on do
///   not wrap around the end of the address space, and the pointer may be used for all of them,
///   whatever is done to the value: it may be moved, sent to another thread, and its methods
///   called. So the memory is not inside the value, nor behind a `Box` or a reference in it that
///   claims it (hold a raw pointer). Nobody else writes to it, nor reads it in this process.
///   (Another process may read it, if it can cope with what it finds.)
/// - **what is committed may be used.** After `commit` returned `Ok`, the range may be read and
///   written, and is zero, whatever it held before.
/// - **what is committed stays**, and keeps what was written to it, until it is decommitted or
///   discarded, whatever other calls are made, refused, or unwind.
/// - **what is discarded is zero**, and stays committed.
/// - **a call that returns an error has changed nothing**: what was committed is, and holds what it
///   held (after `discard`, each aligned word of eight bytes that, or zero). What was not may be asked
///   for again.
/// - **other memory is left alone**: during a call other threads may read and write what is committed outside the
///   call's range, and during `prefault` what is inside, too (of a [`SharedVec`](crate::SharedVec)).
/// - **`prefault` changes nothing** that its range holds, which may be in use, whatever becomes of the
///   call.
/// - **a `discard` that unwinds** leaves its range committed, each such word as it was or zero. (Of the
///   range that a `commit` or `decommit` was about, nothing is relied on if it unwinds. Whatever
///   unwinds, the panic goes on to whoever called the array, and no method is called again. The array
///   keeps what it has; to grow or shrink any more is refused, as [`System`](ErrorKind::System).)
/// - **it does not use the array** that it is called by, in any way. (A grow-only scope of the array,
///   which safe code can come back to, refuses: see [`GrowOnly`](crate::GrowOnly).)
///
/// # Examples
///
/// A buffer of fixed size, which lives as long as the program:
///
/// ```
/// use std::ops::Range;
/// use std::ptr::NonNull;
/// use stayput::{Backing, Error, VmVec};
///
/// struct Fixed {
///     start: NonNull<u8>,
///     bytes: usize,
/// }
///
/// impl Fixed {
///     fn new(buffer: &'static mut [u64]) -> Self {
///         let bytes = size_of_val(buffer);
///         Self { start: NonNull::from(buffer).cast(), bytes }
///     }
/// }
///
/// // SAFETY: the buffer was borrowed for ever, so nobody else uses it.
/// unsafe impl Send for Fixed {}
/// // SAFETY: as above.
/// unsafe impl Sync for Fixed {}
///
/// // SAFETY: the bytes are there, and nobody else's, for ever. What is committed is zeroed before,
/// // and nothing else is done to it. Nothing is refused, and nothing can unwind.
/// unsafe impl Backing for Fixed {
///     fn start(&self) -> NonNull<u8> {
///         self.start
///     }
///
///     fn reserved_bytes(&self) -> usize {
///         self.bytes
///     }
///
///     unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
///         // SAFETY: the range lies inside, as the caller promises.
///         let first = unsafe { self.start.add(range.start) };
///         // SAFETY: as above, and nobody uses it.
///         unsafe { first.write_bytes(0, range.len()) };
///         Ok(())
///     }
///
///     unsafe fn decommit(&mut self, _range: Range<usize>) -> Result<(), Error> {
///         Ok(())
///     }
/// }
///
/// let buffer = Box::leak(vec![0_u64; 1000].into_boxed_slice());
/// let mut numbers: VmVec<u64> = VmVec::builder().build_in(Fixed::new(buffer));
/// numbers.extend(0..1000);
/// assert_eq!(numbers.max_len(), 1000);
/// assert!(numbers.try_push(1000).is_err());
/// ```
///
/// It cannot borrow what may go before the array does:
///
/// ```compile_fail,E0478
/// # use std::ops::Range;
/// # use std::ptr::NonNull;
/// # use stayput::{Backing, Error, VmVec};
/// struct Borrowed<'a>(&'a [std::sync::atomic::AtomicU8]);
///
/// unsafe impl<'a> Backing for Borrowed<'a> {
/// #   fn start(&self) -> NonNull<u8> { loop {} }
/// #   fn reserved_bytes(&self) -> usize { loop {} }
/// #   unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> { Ok(()) }
/// #   unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> { Ok(()) }
///     // ...
/// }
/// ```
pub unsafe trait Backing: Send + Sync + 'static {
    /// The first byte. An array refuses it if it is less aligned than its elements must be.
    fn start(&self) -> NonNull<u8>;

    /// How many bytes there are.
    fn reserved_bytes(&self) -> usize;

    /// Makes a range readable and writable, and zero.
    ///
    /// # Errors
    ///
    /// If there is not so much: then less is tried, down to what the array needs.
    ///
    /// # Safety
    ///
    /// - The range is as said [above](Backing), and lies inside the memory.
    /// - Nobody uses it, or counts on what it holds.
    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error>;

    /// Takes a range back. What it holds is gone.
    ///
    /// # Errors
    ///
    /// If it cannot be taken; the array keeps it then.
    ///
    /// # Safety
    ///
    /// - The range is as said [above](Backing), and lies inside the memory, committed.
    /// - Nobody uses it any more.
    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error>;

    /// Has a range that stays committed read as zero, and gives up what memory it takes, if it can.
    /// It writes zeroes, if an implementation does not know better.
    ///
    /// Only [`SlotMap::trim`](crate::SlotMap::trim) asks for it, between values that stay.
    ///
    /// # Errors
    ///
    /// If that cannot be done; each aligned word of eight bytes is what it was or zero then.
    ///
    /// # Safety
    ///
    /// - As for [`decommit`](Self::decommit).
    unsafe fn discard(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: inside the memory by the caller's promise.
        let first = unsafe { self.start().add(range.start) };
        // SAFETY: committed and not in use by the caller's promise.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    /// Makes a committed range resident, so that touching it takes no page fault. Nothing, if an
    /// implementation does not know better.
    ///
    /// # Errors
    ///
    /// If that cannot be done.
    ///
    /// # Safety
    ///
    /// - The range is as said [above](Backing), and lies inside the memory, committed. It may be in
    ///   use.
    unsafe fn prefault(&mut self, range: Range<usize>) -> Result<(), Error> {
        let _ = range;
        Ok(())
    }

    /// In what units memory is committed and taken back: a power of two, and at most a quarter of
    /// the address space. 64 KiB, if an implementation does not know better.
    fn run_bytes(&self) -> usize {
        64 << 10
    }
}

/// A backing, whichever it is.
pub(crate) struct Foreign(Box<Held<dyn Backing>>);

struct Held<B: ?Sized> {
    /// What the backing said when it was asked.
    start: Start,
    bytes: usize,
    run: usize,
    /// What `B` was.
    kind: TypeId,
    /// Whether a call has begun and not returned: for good, if it has unwound.
    is_called: bool,
    backing: B,
}

/// Where the memory begins.
struct Start(NonNull<u8>);

// SAFETY: a number that says where memory is; who uses that answers for it.
unsafe impl Send for Start {}
// SAFETY: as above.
unsafe impl Sync for Start {}

impl Foreign {
    /// Larger runs could not be doubled.
    const LARGEST_RUN_BYTES: usize = 1 << (usize::BITS - 2);

    /// Takes a backing for elements of an alignment, if it has that, and if there is heap to keep it in.
    pub(crate) fn new<B: Backing>(backing: B, align: usize) -> Result<Self, Refused<B>> {
        let (start, bytes, run) = (backing.start(), backing.reserved_bytes(), backing.run_bytes());
        let room = if isize::try_from(bytes).is_err() {
            Err(Error::new(ErrorKind::CapacityOverflow, bytes))
        } else if !run.is_power_of_two() || run > Self::LARGEST_RUN_BYTES {
            Err(Error::new(ErrorKind::Alignment, bytes).with_limit(run as u64))
        } else if start.addr().get() % align != 0 {
            Err(Error::new(ErrorKind::Alignment, bytes).with_limit(align as u64))
        } else {
            Room::try_new()
        };
        match room {
            Ok(room) => Ok(Self(room.fill(Held {
                start: Start(start),
                bytes,
                run,
                kind: TypeId::of::<B>(),
                is_called: false,
                backing,
            }))),
            Err(error) => Err(Refused { error, value: backing }),
        }
    }

    /// The backing, if it is a `B`.
    pub(crate) fn into_backing<B: Backing>(self) -> Option<B> {
        if self.0.kind != TypeId::of::<B>() {
            return None;
        }
        let held = Box::into_raw(self.0).cast::<Held<B>>();
        // SAFETY: it was made of a `B`, in a box, which was given up just now.
        let held = unsafe { Box::from_raw(held) };
        Some(held.backing)
    }

    pub(crate) fn start(&self) -> NonNull<u8> {
        self.0.start.0
    }

    pub(crate) fn reserved_bytes(&self) -> usize {
        self.0.bytes
    }

    pub(crate) fn run_bytes(&self) -> usize {
        self.0.run
    }

    /// An end of memory, rounded up to whole runs.
    pub(crate) fn whole_runs(&self, end: usize) -> usize {
        end.next_multiple_of(self.0.run).min(self.0.bytes)
    }

    /// Commits memory that is not.
    pub(crate) fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: as `call` promises. It is not committed, so nobody uses it.
        self.call(range, |backing, range| unsafe { backing.commit(range) })
    }

    /// # Safety
    ///
    /// - The range is committed, and nobody uses it any more, whatever this returns.
    pub(crate) unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: as `call` promises; the rest is the caller's promise.
        self.call(range, |backing, range| unsafe { backing.decommit(range) })
    }

    /// # Safety
    ///
    /// - The range is committed, and nobody counts on it that it holds what it holds.
    pub(crate) unsafe fn discard(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: as `call` promises; the rest is the caller's promise.
        self.call(range, |backing, range| unsafe { backing.discard(range) })
    }

    /// # Safety
    ///
    /// - The range is committed.
    pub(crate) unsafe fn prefault(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: as `call` promises; the rest is the caller's promise.
        self.call(range, |backing, range| unsafe { backing.prefault(range) })
    }

    /// Makes a call about whole runs inside the memory, unless one has unwound before. Nothing is
    /// to be done about none.
    fn call(
        &mut self,
        range: Range<usize>,
        call: impl FnOnce(&mut dyn Backing, Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let held = &mut *self.0;
        let is_whole = |end: usize| end % held.run == 0 || end == held.bytes;
        assert!(range.end <= held.bytes, "memory behind the end");
        assert!(is_whole(range.start) && is_whole(range.end), "a part of a run");
        if range.is_empty() {
            return Ok(());
        }
        if held.is_called {
            return Err(Error::new(ErrorKind::System, range.len()));
        }
        held.is_called = true;
        let result = call(&mut held.backing, range);
        held.is_called = false;
        result
    }
}

// What a panic leaves behind in a backing is not called again: see `is_called`.
impl UnwindSafe for Foreign {}
impl RefUnwindSafe for Foreign {}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Foreign")
            .field("start", &self.start())
            .field("reserved_bytes", &self.reserved_bytes())
            .finish_non_exhaustive()
    }
}
