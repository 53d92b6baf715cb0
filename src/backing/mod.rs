//! [`Backing`]: caller-provided memory for an array.
//!
//! # Why this is sound
//!
//! Only [`AnyBacking`] calls the backing that it holds, with `&mut self`. It asks for the address and size of the
//! memory once, before it uses them. It only passes whole runs inside the memory, committed or not as the contract
//! requires. What the backing must do is guaranteed by its implementor.
//!
//! A call that unwinds leaves the backing marked, and no other call is made: neither the state of its fields nor that
//! of the call's range is relied on. Code that keeps track of committed memory subtracts a range before it is
//! decommitted.

#![expect(unsafe_code, reason = "calls unsafe methods of backings, and zeroes memory for them")]

use crate::error::{Error, ErrorKind, Refused};
use crate::heap::UninitBox;
use std::any::TypeId;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

mod heap;
#[cfg(test)]
mod tests;

pub(crate) use heap::Block;

/// Caller-provided memory for an array or a map, in place of a [`Reservation`](crate::Reservation): a shared or locked
/// region, huge pages from a pool, or a buffer of fixed size.
///
/// Pass it to [`VecBuilder::build_in`](crate::VecBuilder::build_in),
/// [`SharedVecBuilder::build_in`](crate::SharedVecBuilder::build_in),
/// [`SlotMapBuilder::build_in`](crate::SlotMapBuilder::build_in) or the same method of other maps. The array has
/// exclusive use of the memory, fills it from the start, and drops the backing after its last element. It only calls
/// the backing to grow and to return memory; all other code is the same as with a reservation.
///
/// Ranges are in bytes from [`start`](Self::start) on. Each begins at a multiple of [`run_bytes`](Self::run_bytes),
/// ends at such a multiple or at the end of the memory, and is not empty. [`start`](Self::start),
/// [`reserved_bytes`](Self::reserved_bytes) and [`run_bytes`](Self::run_bytes) are called once, when the array is
/// built.
///
/// # Differences from a reservation
///
/// - The [background thread](crate::service) does not work on this memory: [`CommitAhead`](crate::CommitAhead) has no
///   effect, and with [`Release::Background`](crate::Release) the backing is dropped immediately.
///   [`prefault_ahead`](crate::VmVec::prefault_ahead) works, by [`prefault`](Self::prefault).
/// - The backing decides about huge pages; the option [`HugePages`](crate::HugePages) has no effect.
/// - Arrays made from the array (a clone, or what [`split_off`](crate::VmVec::split_off) returns) have reservations of
///   their own.
/// - It is not known which pages are resident: `resident_bytes` in the statistics is `None`.
///
/// # Safety
///
/// From the moment it is passed to an array until it is dropped or returned (forever, if the array is leaked), an
/// implementation must guarantee:
///
/// - **Constant answers.** `start`, `reserved_bytes` and `run_bytes` always return the same values.
/// - **Exclusive memory.** The `reserved_bytes` bytes from `start` on do not wrap around the end of the address space,
///   and the pointer is valid for all of them, even if the value is moved, sent to another thread, or its methods are
///   called. The memory is therefore not inside the value, nor behind a `Box` or a reference in it, which would assert
///   uniqueness (hold a raw pointer instead). Nothing else in this process reads or writes it. (Another process may
///   read it, if it can handle whatever it finds.)
/// - **Committed memory is usable.** After `commit` returned `Ok`, the range is readable and writable, and zero,
///   whatever it held before.
/// - **Committed memory stays committed** and keeps its contents until it is decommitted or discarded, whatever other
///   calls are made, refused, or unwind.
/// - **Discarded memory is zero**, and stays committed.
/// - **A call that returns an error has changed nothing**: memory that was committed still is, with the same contents.
///   (After `decommit` and `discard`, each aligned word of eight bytes is unchanged or zero.) Memory that was not
///   committed may be requested again.
/// - **Other memory is not touched**: during a call, other threads may read and write committed memory outside the
///   call's range, and during `prefault` also inside it (in a [`SharedVec`](crate::SharedVec)).
/// - **`prefault` does not change** the contents of its range, which may be in use, even if the call fails.
/// - **A `discard` that unwinds** leaves its range committed, with each such word unchanged or zero. (Nothing is
///   assumed about the range of a `commit` or `decommit` that unwinds. The panic always continues to the caller of the
///   array, and no method of the backing is called again. The array keeps its contents, and refuses to grow or shrink
///   with [`System`](ErrorKind::System).)
/// - **It does not use the array** that calls it, in any way. (A grow-only scope of the array, which safe code can
///   reach, refuses: see [`GrowOnly`](crate::GrowOnly).)
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
/// // SAFETY: the buffer was borrowed forever, so nothing else uses it.
/// unsafe impl Send for Fixed {}
/// // SAFETY: as above.
/// unsafe impl Sync for Fixed {}
///
/// // SAFETY: the bytes exist forever, and nothing else uses them. `commit` zeroes them, and no other
/// // method changes them. No call returns an error or unwinds.
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
///         // SAFETY: the range lies inside, by the caller's guarantee.
///         let first = unsafe { self.start.add(range.start) };
///         // SAFETY: as above, and nothing uses it.
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
/// A backing cannot borrow anything that may be dropped before the array:
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory that a container can use",
    label = "does not implement `Backing`",
    note = "implement the unsafe trait `stayput::Backing` for the type, or use `stayput::FileBacking` (feature `file`)",
    note = "to use memory of the system, call `build` instead of `build_in`"
)]
pub unsafe trait Backing: Send + Sync + 'static {
    /// Returns a pointer to the first byte. An array refuses a backing whose alignment is less than its elements
    /// require.
    fn start(&self) -> NonNull<u8>;

    /// Returns the size of the memory in bytes.
    fn reserved_bytes(&self) -> usize;

    /// Makes a range readable, writable and zero.
    ///
    /// # Errors
    ///
    /// If that much memory is not available. The array then requests less, down to what it needs.
    ///
    /// # Safety
    ///
    /// - The range is as described [above](Backing), and lies inside the memory.
    /// - Nothing uses it or relies on its contents.
    unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error>;

    /// Takes a range back. Its contents are lost.
    ///
    /// # Errors
    ///
    /// If the range cannot be taken back. The array then keeps it. Each aligned word of eight bytes is unchanged or zero.
    ///
    /// # Safety
    ///
    /// - The range is as described [above](Backing), lies inside the memory, and is committed.
    /// - Nothing uses it any more.
    unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error>;

    /// Makes a range read as zero and, if possible, releases its physical memory. The range stays committed. The
    /// default implementation writes zeros.
    ///
    /// Only the `trim` methods of maps call this, for gaps between values.
    ///
    /// # Errors
    ///
    /// If the range cannot be discarded. Each aligned word of eight bytes is then unchanged or zero.
    ///
    /// # Safety
    ///
    /// - As for [`decommit`](Self::decommit).
    unsafe fn discard(&mut self, range: Range<usize>) -> Result<(), Error> {
        let first = self.start().as_ptr().wrapping_add(range.start);
        // SAFETY: the range lies inside the memory, is committed and not in use, by the caller's guarantee.
        unsafe { first.write_bytes(0, range.len()) };
        Ok(())
    }

    /// Makes a committed range resident, so that touching it takes no page faults. The default implementation does
    /// nothing.
    ///
    /// # Errors
    ///
    /// If the range cannot be made resident.
    ///
    /// # Safety
    ///
    /// - The range is as described [above](Backing), lies inside the memory, and is committed. It may be in use.
    unsafe fn prefault(&mut self, range: Range<usize>) -> Result<(), Error> {
        let _ = range;
        Ok(())
    }

    /// Returns the unit in which memory is committed and taken back: a power of two, at most a quarter of the address
    /// space. Defaults to 64 KiB.
    fn run_bytes(&self) -> usize {
        64 << 10
    }
}

/// A backing of any type.
pub(crate) struct AnyBacking(Box<Inner<dyn Backing>>);

struct Inner<B: ?Sized> {
    /// What the backing returned when it was asked.
    start: Start,
    bytes: usize,
    run: usize,
    /// The type of the backing.
    kind: TypeId,
    /// `true` while a call runs, and forever after one has unwound.
    is_called: bool,
    backing: B,
}

struct Start(NonNull<u8>);

// SAFETY: this is only an address; code that uses the memory is responsible for access to it.
unsafe impl Send for Start {}
// SAFETY: as above.
unsafe impl Sync for Start {}

impl AnyBacking {
    /// Larger runs cannot be doubled.
    const LARGEST_RUN_BYTES: usize = 1 << (usize::BITS - 2);

    /// Takes a backing, if its alignment is at least `align`, its size and runs are valid, and there is heap memory to
    /// keep it in.
    pub(crate) fn new<B: Backing>(backing: B, align: usize) -> Result<Self, Refused<B>> {
        let (start, bytes, run) = (backing.start(), backing.reserved_bytes(), backing.run_bytes());
        let uninit = if isize::try_from(bytes).is_err() {
            Err(Error::new(ErrorKind::CapacityOverflow, bytes))
        } else if !run.is_power_of_two() || run > Self::LARGEST_RUN_BYTES {
            Err(Error::new(ErrorKind::Alignment, bytes).with_limit(run as u64))
        } else if start.addr().get() % align != 0 {
            Err(Error::new(ErrorKind::Alignment, bytes).with_limit(align as u64))
        } else {
            UninitBox::try_new()
        };
        match uninit {
            Ok(uninit) => Ok(Self(uninit.fill(Inner {
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

    /// Returns the backing if it is a `B`.
    pub(crate) fn into_backing<B: Backing>(self) -> Option<B> {
        if self.0.kind != TypeId::of::<B>() {
            return None;
        }
        let inner = Box::into_raw(self.0).cast::<Inner<B>>();
        // SAFETY: the box was created for a `B`, as compared above, and `into_raw` just released it.
        let inner = unsafe { Box::from_raw(inner) };
        Some(inner.backing)
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

    /// Rounds the end of a range up to whole runs.
    pub(crate) fn whole_runs(&self, end: usize) -> usize {
        end.next_multiple_of(self.0.run).min(self.0.bytes)
    }

    /// # Safety
    ///
    /// - The range is not committed.
    pub(crate) unsafe fn commit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: `call` passes a range "as described above", inside the memory. It is not committed, as the caller
        // promises, and arrays use only what is.
        self.call(range, |backing, range| unsafe { backing.commit(range) })
    }

    /// # Safety
    ///
    /// - The range is committed, and is not used any more, whatever this returns.
    pub(crate) unsafe fn decommit(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: `call` passes a range "as described above", inside the memory; the rest is the caller's guarantee.
        self.call(range, |backing, range| unsafe { backing.decommit(range) })
    }

    /// # Safety
    ///
    /// - The range is committed, and nothing uses it or relies on its contents.
    pub(crate) unsafe fn discard(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: as in `decommit`, whose conditions are the same.
        self.call(range, |backing, range| unsafe { backing.discard(range) })
    }

    /// # Safety
    ///
    /// - The range is committed.
    pub(crate) unsafe fn prefault(&mut self, range: Range<usize>) -> Result<(), Error> {
        // SAFETY: `call` passes a range "as described above", inside the memory. It is committed, as the caller
        // promises.
        self.call(range, |backing, range| unsafe { backing.prefault(range) })
    }

    /// Makes a call for a range of whole runs inside the memory, as [`Backing`] describes, unless an earlier call has
    /// unwound. Does nothing for an empty range.
    fn call(
        &mut self,
        range: Range<usize>,
        call: impl FnOnce(&mut dyn Backing, Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let inner = &mut *self.0;
        let is_whole = |end: usize| end % inner.run == 0 || end == inner.bytes;
        assert!(range.end <= inner.bytes, "the range exceeds the memory of the backing");
        assert!(is_whole(range.start) && is_whole(range.end), "the range is not whole runs");
        if range.is_empty() {
            return Ok(());
        }
        if inner.is_called {
            return Err(Error::new(ErrorKind::System, range.len()));
        }
        inner.is_called = true;
        let result = call(&mut inner.backing, range);
        inner.is_called = false;
        result
    }
}

// A backing that unwound is not called again: see `is_called`.
impl UnwindSafe for AnyBacking {}
impl RefUnwindSafe for AnyBacking {}

debug_fields! {
    [] AnyBacking, "AnyBacking", |memory|
    start: memory.start(), reserved_bytes: memory.reserved_bytes()
}
