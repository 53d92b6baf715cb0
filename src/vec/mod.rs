//! [`VmVec`]: an array whose elements never move; and its iterators, as in std's `vec` module.

// # Why this is sound
//
// The invariants of a `VmVec`, to which the proofs in this module refer by these names:
//
// - *elements*: the first `len` elements are initialized, in the range of *capacity*, and only the array owns them.
// - *capacity*: `len <= capacity`. `RawVec` guarantees that `capacity` elements from `start` on, which is not null, are
//   in one range of committed memory, aligned, of at most `isize::MAX` bytes, that nothing else accesses. Its address
//   never changes once there is memory. (That of an array which is private to a container may change when the array
//   grows, see `Options::internal`: then the elements have moved. For an array made by `lent`, the caller guarantees
//   all of this.)
//
// Before user code runs (a closure, a clone, a drop, an iterator), `len` is set to what must hold if that code panics or
// never returns. `VmVec::place` computes addresses without a promise, so a proof is only needed where one is used.

// In the order in which the docs list their methods.
mod access;

mod any;

mod element;

mod bulk;
mod bytes;
mod extend;
mod zeroed;

mod memory;

mod builder;
mod compare;
mod convert;
mod drain;
mod drain_range;
mod extract_if;
mod grow_only;
mod into_iter;
pub(crate) mod lend_cell;
mod splice;
mod stats;
mod taken;
#[cfg(test)]
mod tests;

pub(crate) use any::AnyVec;
pub use builder::VecBuilder;
pub(crate) use bulk::check_range;
pub(crate) use compare::{as_slice_traits, equal_as_slices};
pub(crate) use convert::{conversions, from};
pub use drain::Drain;
use drain_range::DrainRange;
pub use extend::Rest;
pub use extract_if::ExtractIf;
pub use grow_only::GrowOnly;
pub use into_iter::IntoIter;
pub use splice::Splice;
#[cfg(feature = "rayon")]
pub(crate) use taken::SplitAt;
pub(crate) use taken::Taken;

use crate::error::{Error, handle_error, unwrap_or_panic};
use crate::raw_vec::{Element, RawVec};
use std::marker::PhantomData;
use std::mem;

/// A growable array whose elements never move.
///
/// `VmVec` reserves a large range of addresses once, and commits pages of it as it grows. It has the API of std's
/// [`Vec`], and in addition:
///
/// - Growing never copies and never allocates a second array. A push that needs memory makes a few system calls, usually
///   one, however large the array is.
/// - Pointers to elements stay valid, as the next section describes.
///
/// It is contiguous, and derefs to a slice.
///
/// # Addresses
///
/// The address of an element never changes when the array grows or shrinks, when memory is committed or decommitted, or
/// when the `VmVec` itself moves. Only methods that reorder elements move them: [`insert`](Self::insert),
/// [`remove`](Self::remove), [`swap_remove`](Self::swap_remove), [`retain`](Self::retain), [`dedup`](Self::dedup),
/// [`drain`](Self::drain), [`splice`](Self::splice), [`extract_if`](Self::extract_if), and those of slices; and methods
/// that move elements to another array: [`append`](Self::append), [`split_off`](Self::split_off) and conversions.
///
/// To hold references across pushes in safe code, open a [grow-only scope](Self::grow_only).
///
/// # Memory
///
/// *Reserved* addresses take no memory. *Committed* memory is charged by the system, which may
/// [refuse](crate::ErrorKind::Memory) it. (By default the system grants more than it has, if asked in small steps.)
/// [`capacity`](Self::capacity) is the number of elements that fit into committed memory. Memory becomes *resident*
/// when it is first touched, by a page fault, or earlier by [`prefault`](Self::prefault).
///
/// An array made with [`new`](Self::new) reserves addresses on its first push: as many bytes as the machine has RAM, or
/// fewer if there are very many other arrays or the system has fewer addresses. To choose the size, use
/// [`with_max_len`](Self::with_max_len) or [`builder`](Self::builder); [`max_len`](Self::max_len) is then an exact
/// limit. Without [virtual memory](crate::guide::the_web), the first push reserves 4 MiB; if
/// it needs more than that, 4 MiB in addition.
///
/// The `VmVec` itself takes five words. Everything else is in a small block of the program's allocator, which is
/// allocated together with the first memory, or earlier if options were set.
///
/// When the array is dropped, its memory is kept for other arrays for a while, and then returned to the system; see
/// [`Release`](crate::Release). [`shrink_to_fit`](Self::shrink_to_fit) returns unused memory.
///
/// # Errors
///
/// Each method that may need memory has a `try_` variant, with the exceptions below. Where the method panics, the variant
/// returns an [`Error`] and whatever could not be stored. Neither aborts, except where std allocates: in conversions to
/// an `Rc`, `Arc` or `CString`, and of an `Error` to an [`io::Error`](std::io::Error); and where elements come from a
/// parallel iterator that does not know its length. On systems other than Linux, `extend_zeroed` also aborts if another
/// process takes memory that is being cleared, and the system has none left.
///
/// # Differences from `Vec`
///
/// `VmVec` has the stable API of `Vec`, as of Rust 1.95, except for:
///
/// | `Vec` | reason, and what to use instead |
/// |---|---|
/// | `from_raw_parts`, `into_raw_parts` | The memory was not allocated by Rust's allocator, and a pointer and two numbers do not describe the reservation. Use [`leak`](Self::leak) or [`as_mut_ptr`](Self::as_mut_ptr). |
/// | `AsRef<Vec<T>>`, `AsMut<Vec<T>>`, and passing it as a `&mut Vec<T>` | The same reason. [`into_vec`](Self::into_vec) and the conversions to `Vec`, `Box<[T]>`, `Rc<[T]>` and the like copy once. Instead of `Read::read_to_end`, use [`read_from`](VmVec::read_from); to append a `Vec`, use [`append_vec`](Self::append_vec). |
/// | `Write` for an `io::Cursor` over it | Only std can implement it. `Cursor<VmVec<u8>>` has `Read`, `Seek` and `BufRead`; to write in the middle, use a cursor over [`as_mut_slice`](Self::as_mut_slice). |
/// | `FromIterator` for `Cow<[T]>`, and `concat` and `join` into it | In std these return a `Vec`. Their input may be a `VmVec`: `[a, b].concat()`. |
/// | An `Error` as `TryReserveError` | Only std can create one that says what was refused. `?` converts an `Error` to an `io::Error`. |
/// | `push` in a constant | A constant cannot reserve addresses. [`new`](Self::new) is `const`. |
/// | An allocator as a type parameter | The memory does not come from an allocator; see [`Backing`](crate::Backing). |
/// | Elements that borrow from values dropped together with the array | This needs an unstable feature of the drop check. |
///
/// `splice` has no `try_` variant, since it inserts when it is dropped, and neither have `push_mut`, `insert_mut`,
/// [`into_vec`](Self::into_vec), [`into_boxed_slice`](Self::into_boxed_slice), and trait methods such as those of
/// [`Extend`], [`From`] and [`FromIterator`]. Call [`try_reserve`](Self::try_reserve) first, or use
/// [`try_extend`](Self::try_extend) and [`try_clone`](Self::try_clone).
///
/// # Examples
///
/// ```
/// use stayput::VmVec;
///
/// let mut numbers = VmVec::new();
/// numbers.push(1);
/// let address = &raw const numbers[0];
/// numbers.extend(2..=100_000);
/// assert_eq!(&raw const numbers[0], address);
/// assert_eq!(numbers.iter().sum::<u64>(), 5_000_050_000);
/// ```
// Its invariants stand at the start of this file.
pub struct VmVec<T> {
    raw: RawVec,
    len: usize,
    /// Owns elements: drops them, is `Send` and `Sync` if they are, and is covariant.
    elements: PhantomData<T>,
}

/// Statistics of a [`VmVec`], returned by [`VmVec::stats`].
///
/// # Examples
///
/// ```
/// use stayput::{VecStats, VmVec};
///
/// fn usage(stats: VecStats) -> String {
///     let VecStats { len, max_len, .. } = stats;
///     format!("{len} of {max_len} elements, in {} KiB", stats.committed_bytes >> 10)
/// }
///
/// let mut log = VmVec::with_max_len(1 << 20);
/// assert_eq!(usage(log.stats()), "0 of 1048576 elements, in 0 KiB");
/// log.push("start");
/// assert!(usage(log.stats()).starts_with("1 of 1048576 elements"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VecStats {
    /// The number of elements.
    pub len: usize,
    /// The number of elements that fit into committed memory.
    pub capacity: usize,
    /// The number of elements that fit into the reservation.
    pub max_len: usize,
    /// Reserved bytes of address space.
    pub reserved_bytes: usize,
    /// Committed bytes, including those past `capacity` that the [background thread](crate::service) committed ahead or
    /// that the region cache provided.
    pub committed_bytes: usize,
    /// Bytes past `capacity` that are ready, so that growth into them takes no page fault.
    pub ahead_bytes: usize,
    /// How many times growth outran commit-ahead.
    pub late: usize,
    /// Bytes resident in memory; `None` if the system does not report them.
    pub resident_bytes: Option<usize>,
}

impl VecStats {
    pub(crate) fn of(raw: &RawVec, element: Element, len: usize) -> Self {
        Self {
            len,
            capacity: raw.capacity(),
            max_len: raw.max_len(element),
            reserved_bytes: raw.reserved_bytes(),
            committed_bytes: raw.committed_bytes(),
            ahead_bytes: raw.ahead_bytes(),
            late: raw.late(),
            resident_bytes: raw.resident_bytes(),
        }
    }
}

impl<T> Drop for VmVec<T> {
    fn drop(&mut self) {
        // If the drop of an element panics, the field `raw` still releases the memory.
        if mem::needs_drop::<T>() {
            self.truncate(0);
        }
    }
}

default_by!([T] VmVec<T>, new);

impl<T: Clone> Clone for VmVec<T> {
    /// Returns a copy with the same options, and elements at other addresses.
    ///
    /// # Panics
    ///
    /// If [`try_clone`](VmVec::try_clone) returns an error.
    #[track_caller]
    fn clone(&self) -> Self {
        unwrap_or_panic(self.try_clone())
    }

    /// Overwrites the elements with clones of those of `source`, keeping the memory and the options of `self`.
    #[track_caller]
    fn clone_from(&mut self, source: &Self) {
        self.truncate(source.len);
        let (overwrite, append) = source.split_at(self.len);
        self.clone_from_slice(overwrite);
        self.extend_from_slice(append);
    }
}

impl<T: Clone> VmVec<T> {
    /// Returns a copy with the same options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut draft = stayput::VmVec::from(["to", "be"]);
    /// let saved = draft.try_clone()?;
    /// draft.push("or");
    /// assert_eq!(saved, ["to", "be"]);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = self.try_fresh()?;
        clone.try_reserve_exact(self.len)?;
        clone.try_extend_from_slice(self)?;
        Ok(clone)
    }
}
