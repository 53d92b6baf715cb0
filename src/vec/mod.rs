//! [`VmVec`]: a vector whose elements never move; and its iterators, as std's `vec` module has them.

// # Why this is sound
//
// `len` elements from `start` on are initialised, and `len <= capacity`, for which `RawVec`
// answers: so many elements lie in committed memory at one address that never changes. Whatever
// runs user code (a closure, a clone, a drop, an iterator) first makes `len` say what holds
// should that code panic, or never return control.

// In the order in which the docs are to list their methods.
mod access;
mod memory;

mod any;

mod element;

mod bulk;
mod bytes;
mod extend;
mod zeroed;

mod builder;
mod compare;
mod convert;
mod drain;
mod extract_if;
mod grow_only;
mod into_iter;
pub(crate) mod lent;
mod sieve;
mod splice;
mod stats;
#[cfg(feature = "rayon")]
mod taken;
#[cfg(test)]
mod tests;

pub(crate) use any::AnyVec;
pub use builder::VecBuilder;
pub(crate) use bulk::check_range;
pub(crate) use compare::{as_slice_traits, equal_as_slices};
pub(crate) use convert::conversions;
pub use drain::Drain;
pub use extend::Rest;
pub use extract_if::ExtractIf;
pub use grow_only::GrowOnly;
pub use into_iter::IntoIter;
use sieve::Sieve;
pub use splice::Splice;
#[cfg(feature = "rayon")]
pub(crate) use taken::{SplitAt, Taken};

use crate::error::{Error, give_up, or_give_up};
use crate::raw_vec::RawVec;
use std::alloc::Layout;
use std::marker::PhantomData;
use std::mem;

/// A growable array whose elements never move.
///
/// `VmVec` reserves a large range of addresses once, and commits pages of it as it grows. So it
/// has all that std's [`Vec`] has, by the same names, and besides:
///
/// - Growing never copies and never allocates a second array. A push that needs memory makes one
///   call to the kernel, however large the array is.
/// - It is contiguous: it derefs to a slice.
/// - Pointers to elements stay good; the next section says how long.
///
/// # Addresses
///
/// The address of an element never changes by growth, by shrinking, by commit or decommit, or by
/// moving the `VmVec` itself. Only calls that reorder elements move them, as their names say:
/// [`insert`](Self::insert), [`remove`](Self::remove), [`swap_remove`](Self::swap_remove),
/// [`retain`](Self::retain), [`dedup`](Self::dedup), [`drain`](Self::drain),
/// [`splice`](Self::splice), [`extract_if`](Self::extract_if), and those of slices; and calls that
/// move elements into another array do: [`append`](Self::append), [`split_off`](Self::split_off),
/// and conversions.
///
/// Safe code that wants to hold references across pushes opens a
/// [grow-only scope](Self::grow_only).
///
/// # Memory
///
/// *Reserved* addresses cost nothing. *Committed* memory is charged by the system, which may
/// [refuse](crate::ErrorKind::Memory) it, but by default also promises more than it has, step by step;
/// [`capacity`](Self::capacity) counts in elements what is committed. Memory becomes *resident*
/// when it is touched for the first time, by a page fault, or ahead of time by
/// [`prefault`](Self::prefault).
///
/// [`new`](Self::new) reserves on the first push as much as the machine has memory, and less beside
/// very many others, or if the system has not so much to give. [`with_max_len`](Self::with_max_len) and
/// [`builder`](Self::builder) say how much; [`max_len`](Self::max_len) is then a promise: the
/// array refuses the element after it. Where there is [no virtual memory](crate#systems), `new` reserves 4 MiB, or 4 MiB
/// more than it needs at once.
///
/// The `VmVec` itself is five words. All else that it knows is in a small block, which it takes from
/// the program's allocator with the first memory, or where options were chosen.
///
/// Memory goes back by [`shrink_to_fit`](Self::shrink_to_fit) and on drop, never by itself, as in
/// `Vec`.
///
/// # Refusals
///
/// What can need memory has a twin that begins with `try_`, returns an [`Error`], and gives back
/// what could not be stored. The call without `try_` panics where the twin has an error; it does
/// not abort. Only what std allocates on the way still does where there is no heap left at all: an
/// `Rc`, an `Arc`, the box in an [`io::Error`](std::io::Error).
///
/// # What is not there
///
/// Nothing of `Vec`'s stable API, as of Rust 1.95, is missing but for these:
///
/// | what | why, and what to do instead |
/// |---|---|
/// | `from_raw_parts`, `into_raw_parts` | The memory is no allocation of Rust's allocator, and a pointer and two numbers do not tell what is reserved. [`leak`](Self::leak) and [`as_mut_ptr`](Self::as_mut_ptr) are there. |
/// | `AsRef<Vec<T>>`, `AsMut<Vec<T>>`, and arguments that are a `&mut Vec<T>` | For the same reason: [`into_vec`](Self::into_vec), and the conversions to `Vec`, `Box<[T]>`, `Rc<[T]>` and the like, copy once. For `Read::read_to_end` there is [`read_from`](VmVec::read_from), for `append` of a `Vec` [`append_vec`](Self::append_vec). |
/// | `From<VmVec<NonZero<u8>>> for CString` | By way of [`into_vec`](Self::into_vec). `CString::new` takes a `VmVec<u8>`. |
/// | `Write` for an `io::Cursor` over it | Only std may implement it. `Read`, `Seek` and `BufRead` are there for `Cursor<VmVec<u8>>`; to write in the middle, take a cursor over [`as_mut_slice`](Self::as_mut_slice). |
/// | `FromIterator` for `Cow<[T]>` out of it, `concat` and `join` into it | std has them make a `Vec`. Their input may be a `VmVec`: `[a, b].concat()`. |
/// | An `Error` as `TryReserveError` | Nobody but std can make one that says what was refused. An `Error` is an `io::Error` by `?`. |
/// | `push` in a constant | A constant cannot reserve. [`new`](Self::new) is `const`. |
/// | An allocator as parameter | The memory is no allocator's; see [`Backing`](crate::Backing). |
/// | Elements that borrow what is dropped together with the array | It needs an unstable feature of the drop check. |
///
/// There is no `try_` twin of `splice`, which works when it is dropped, and of traits such as
/// [`Extend`], [`From`] and [`FromIterator`], whose form is given; call
/// [`try_reserve`](Self::try_reserve) before, or [`try_extend`](Self::try_extend) and
/// [`try_clone`](Self::try_clone) instead.
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
pub struct VmVec<T> {
    raw: RawVec,
    len: usize,
    /// It owns elements: it drops them, is `Send` and `Sync` if they are, and is covariant.
    elements: PhantomData<T>,
}

/// What a [`VmVec`] holds and takes up, given by [`VmVec::stats`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct VecStats {
    /// Elements.
    pub len: usize,
    /// Elements that fit into committed memory.
    pub capacity: usize,
    /// Elements that fit into the reservation.
    pub max_len: usize,
    /// Bytes of address space.
    pub reserved_bytes: usize,
    /// Bytes that the system has promised; also those ahead of `capacity` that the
    /// [service](crate::service) has asked for, or others have left ([`keeper`](crate::keeper)).
    pub committed_bytes: usize,
    /// Of those, bytes that lie ready behind `capacity`.
    pub ahead_bytes: usize,
    /// How often growth needed more than lay ready, if it was to.
    pub late: usize,
    /// Bytes that are in memory now, if the system tells.
    pub resident_bytes: Option<usize>,
}

impl VecStats {
    pub(crate) fn of(raw: &RawVec, element: Layout, len: usize) -> Self {
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
        // Should the drop of an element panic, `raw`, which is a field, still releases the memory.
        if mem::needs_drop::<T>() {
            self.truncate(0);
        }
    }
}

default_by!([T] VmVec<T>, new);

impl<T: Clone> Clone for VmVec<T> {
    /// A copy with the same options, and elements at other addresses.
    ///
    /// # Panics
    ///
    /// Where [`try_clone`](VmVec::try_clone) has an error.
    #[track_caller]
    fn clone(&self) -> Self {
        or_give_up(self.try_clone())
    }

    /// Becomes a copy of `source`, with the memory and the options that `self` has.
    #[track_caller]
    fn clone_from(&mut self, source: &Self) {
        self.truncate(source.len);
        let (overwrite, append) = source.split_at(self.len);
        self.clone_from_slice(overwrite);
        self.extend_from_slice(append);
    }
}

impl<T: Clone> VmVec<T> {
    /// A copy with the same options, or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_clone(&self) -> Result<Self, Error> {
        let mut clone = self.try_fresh()?;
        clone.try_reserve_exact(self.len)?;
        clone.try_extend_from_slice(self)?;
        Ok(clone)
    }
}
