//! [`VmVec`]: a vector whose elements never move.
//!
//! # Why this is sound
//!
//! `len` elements from `start` on are initialised, and `len <= capacity`, for which `RawVec`
//! answers: so many elements lie in committed memory at one address that never changes. Whatever
//! runs user code (a closure, a clone, a drop, an iterator) first makes `len` say what holds
//! should that code panic, or never return control.

#![expect(unsafe_code, reason = "keeps track of which elements are initialised")]

mod builder;
mod bulk;
mod compare;
mod convert;
mod drain;
mod extend;
mod extract_if;
mod grow_only;
mod into_iter;
mod sieve;
mod splice;
#[cfg(test)]
mod tests;
#[cfg(feature = "bytemuck")]
mod zeroed;

pub use builder::VecBuilder;
pub use drain::Drain;
pub use extend::Rest;
pub use extract_if::ExtractIf;
pub use grow_only::GrowOnly;
pub use into_iter::IntoIter;
use sieve::Sieve;
pub use splice::Splice;

use crate::error::{Error, Refused};
use crate::raw_vec::{Amount, Options, RawVec};
use std::alloc::Layout;
use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::ptr::{self, NonNull};
use std::slice;

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
/// *Reserved* addresses cost nothing. *Committed* memory is promised by the system;
/// [`capacity`](Self::capacity) counts in elements what is committed. Memory becomes *resident*
/// when it is touched for the first time, by a page fault, or ahead of time by
/// [`prefault`](Self::prefault).
///
/// [`new`](Self::new) reserves on the first push as much as the machine has memory, and less if
/// the system has not so much to give. [`with_max_len`](Self::with_max_len) and
/// [`builder`](Self::builder) say how much; [`max_len`](Self::max_len) is then a promise: the
/// array refuses the element after it.
///
/// Memory goes back by [`shrink_to_fit`](Self::shrink_to_fit) and on drop, never by itself, as in
/// `Vec`.
///
/// # Refusals
///
/// What can need memory has a twin that begins with `try_`, returns an [`Error`], and gives back
/// what could not be stored. The call without `try_` panics where the twin has an error; it does
/// not abort.
///
/// # What is not there
///
/// Nothing of `Vec`'s stable API is missing but for these:
///
/// - `from_raw_parts`, `into_raw_parts`: the memory is no allocation of Rust's allocator, and a
///   pointer and two numbers do not tell what is reserved. [`leak`](Self::leak) and
///   [`as_mut_ptr`](Self::as_mut_ptr) are there.
/// - Conversions to `Vec`, `Box<[T]>`, `Rc<[T]>` and the like exist and copy, for the same reason;
///   so there is no `AsRef<Vec<T>>`, and a `CString` is made by way of a `Vec`.
/// - `const` push: a constant cannot reserve.
/// - A drop check that lets elements borrow what is dropped together with the array needs an
///   unstable feature.
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
    /// Bytes that the system has promised.
    pub committed_bytes: usize,
    /// Bytes that are in memory now, if the system tells.
    pub resident_bytes: Option<usize>,
}

/// Ends an infallible call whose fallible twin has an error.
#[cold]
#[inline(never)]
#[track_caller]
fn give_up(error: Error) -> ! {
    panic!("stayput: {error}")
}

/// [`give_up`], if there is an error.
#[inline]
#[track_caller]
fn or_give_up<V>(result: Result<V, Error>) -> V {
    match result {
        Ok(value) => value,
        Err(error) => give_up(error),
    }
}

impl<T> VmVec<T> {
    const ELEMENT: Layout = Layout::new::<T>();

    /// An empty array. Reserves nothing and does not enter the kernel until the first push.
    ///
    /// Then it reserves as many addresses as the machine has memory, rounded up to a power of two
    /// (at most 1 TiB; 128 MiB on 32-bit systems; an eighth of `RLIMIT_AS`, where that is set). If
    /// the system has not so much to give it asks for half, and so on down to 1 MiB or what is
    /// needed. The environment variable
    /// `STAYPUT_RESERVE_BYTES` sets another number to begin with, for runs under tools that have
    /// little address space, such as valgrind.
    ///
    /// # Examples
    ///
    /// ```
    /// let empty: stayput::VmVec<u64> = stayput::VmVec::new();
    /// assert_eq!(empty.stats().reserved_bytes, 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_options(Options::DEFAULT)
    }

    const fn with_options(options: Options) -> Self {
        let dangling = NonNull::<T>::dangling().cast();
        Self { raw: RawVec::new(dangling, Self::ELEMENT, options), len: 0, elements: PhantomData }
    }

    /// An empty array with memory committed for `capacity` elements. 0 is as [`new`](Self::new).
    ///
    /// # Panics
    ///
    /// If the addresses or the memory cannot be had.
    #[must_use]
    #[track_caller]
    pub fn with_capacity(capacity: usize) -> Self {
        or_give_up(Self::try_with_capacity(capacity))
    }

    /// [`with_capacity`](Self::with_capacity), or the error.
    ///
    /// # Errors
    ///
    /// If the addresses or the memory cannot be had.
    pub fn try_with_capacity(capacity: usize) -> Result<Self, Error> {
        Self::builder().capacity(capacity).try_build()
    }

    /// An empty array that can hold `max_len` elements and no more. Reserves the addresses now.
    ///
    /// # Panics
    ///
    /// If the addresses cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut pair = stayput::VmVec::with_max_len(2);
    /// pair.extend([1, 2]);
    /// assert!(pair.try_push(3).is_err());
    /// ```
    #[must_use]
    #[track_caller]
    pub fn with_max_len(max_len: usize) -> Self {
        or_give_up(Self::try_with_max_len(max_len))
    }

    /// [`with_max_len`](Self::with_max_len), or the error.
    ///
    /// # Errors
    ///
    /// If the addresses cannot be had.
    pub fn try_with_max_len(max_len: usize) -> Result<Self, Error> {
        Self::builder().max_len(max_len).try_build()
    }

    /// Options: maximum, capacity, growth, huge pages.
    pub const fn builder() -> VecBuilder<T> {
        VecBuilder::new()
    }

    /// The number of elements. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number of elements that fit into committed memory. O(1).
    ///
    /// `usize::MAX` for elements of size zero, or what was named as the maximum.
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// The number of elements that the array can ever hold. O(1).
    ///
    /// Before the first push of an array whose maximum was not named, what would be reserved by
    /// default.
    pub fn max_len(&self) -> usize {
        self.raw.max_len(Self::ELEMENT)
    }

    /// What the array holds and takes up.
    ///
    /// Asks the system which pages are resident, linear in the committed pages: for looking, not
    /// for a hot path.
    ///
    /// # Examples
    ///
    /// ```
    /// let bytes = stayput::VmVec::<u8>::with_max_len(1 << 30);
    /// let stats = bytes.stats();
    /// assert_eq!((stats.reserved_bytes, stats.committed_bytes), (1 << 30, 0));
    /// ```
    pub fn stats(&self) -> VecStats {
        VecStats {
            len: self.len,
            capacity: self.capacity(),
            max_len: self.max_len(),
            reserved_bytes: self.raw.reserved_bytes(),
            committed_bytes: self.raw.committed_bytes(),
            resident_bytes: self.raw.resident_bytes().ok(),
        }
    }

    /// All elements as a slice. O(1).
    #[inline]
    pub const fn as_slice(&self) -> &[T] {
        // SAFETY: `len` elements from `start` on are initialised, and `&self` keeps them so.
        unsafe { slice::from_raw_parts(self.as_ptr(), self.len) }
    }

    /// All elements as a slice, to be changed. O(1).
    #[inline]
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `len` elements from `start` on are initialised; `&mut self` keeps others away.
        unsafe { slice::from_raw_parts_mut(self.as_mut_ptr(), self.len) }
    }

    /// The address of the first element; dangling, but aligned, if nothing was ever pushed.
    ///
    /// Once something was, it never changes, and is good for `capacity` elements. Taking it makes
    /// no reference to an element.
    #[inline]
    pub const fn as_ptr(&self) -> *const T {
        self.raw.start().as_ptr().cast::<T>().cast_const()
    }

    /// The address of the first element, to be written by; see [`as_ptr`](Self::as_ptr).
    #[inline]
    pub const fn as_mut_ptr(&mut self) -> *mut T {
        self.raw.start().as_ptr().cast()
    }

    /// Says that there are `new_len` elements.
    ///
    /// # Safety
    ///
    /// - `new_len` is at most [`capacity`](Self::capacity).
    /// - The elements below `new_len` are initialised.
    #[inline]
    pub unsafe fn set_len(&mut self, new_len: usize) {
        debug_assert!(new_len <= self.capacity(), "set_len({new_len}) beyond capacity");
        self.len = new_len;
    }

    /// The index of an element of this array, from a reference to it. O(1).
    ///
    /// `None` if the reference is to something else, or if elements have size zero, since then all
    /// have one address.
    ///
    /// # Examples
    ///
    /// ```
    /// let words = stayput::VmVec::from(["to", "be"]);
    /// let be = &words[1];
    /// assert_eq!(words.index_of(be), Some(1));
    /// assert_eq!(words.index_of(&"be"), None);
    /// ```
    pub fn index_of(&self, element: &T) -> Option<usize> {
        let offset = ptr::from_ref(element).addr().checked_sub(self.as_ptr().addr())?;
        let index = offset.checked_div(size_of::<T>())?;
        (index < self.len && offset % size_of::<T>() == 0).then_some(index)
    }

    /// Opens a scope in which the array can only grow, so that references to elements stay good
    /// across pushes.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut log = stayput::VmVec::new();
    /// let scope = log.grow_only();
    /// let first: &String = scope.push("first".to_string());
    /// let second = scope.push(format!("after {first}")); // `first` is still good
    /// assert_eq!((first.as_str(), second.as_str()), ("first", "after first"));
    /// ```
    #[inline]
    pub fn grow_only(&mut self) -> GrowOnly<'_, T> {
        GrowOnly::new(self)
    }
}

/// Memory.
impl<T> VmVec<T> {
    /// Makes room for `additional` more elements, and maybe some ahead, by the growth policy.
    ///
    /// Enters the kernel if there is not room already. O(1) in the length: nothing is moved.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[inline]
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_give_up(self.try_reserve(additional));
    }

    /// [`reserve`](Self::reserve), or the error.
    ///
    /// # Errors
    ///
    /// If the maximum would be passed ([`MaxLen`](crate::ErrorKind::MaxLen)), the size is absurd
    /// ([`CapacityOverflow`](crate::ErrorKind::CapacityOverflow)), or the system refuses. The
    /// array is unchanged then.
    #[inline]
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), Error> {
        if additional <= self.capacity() - self.len {
            return Ok(());
        }
        self.raw.grow(Self::ELEMENT, self.len, additional, Amount::AtLeast)
    }

    /// Makes room for `additional` more elements, to the page.
    ///
    /// # Panics
    ///
    /// Where [`try_reserve`](Self::try_reserve) has an error.
    #[inline]
    #[track_caller]
    pub fn reserve_exact(&mut self, additional: usize) {
        or_give_up(self.try_reserve_exact(additional));
    }

    /// [`reserve_exact`](Self::reserve_exact), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_reserve_exact(&mut self, additional: usize) -> Result<(), Error> {
        if additional <= self.capacity() - self.len {
            return Ok(());
        }
        self.raw.grow(Self::ELEMENT, self.len, additional, Amount::Exact)
    }

    /// Makes room for `additional` more elements, and makes its pages resident now, so that
    /// filling it takes no page fault.
    ///
    /// Enters the kernel; linear in the pages: about 0.5 ms a MiB.
    ///
    /// # Panics
    ///
    /// Where [`try_prefault`](Self::try_prefault) has an error.
    #[track_caller]
    pub fn prefault(&mut self, additional: usize) {
        or_give_up(self.try_prefault(additional));
    }

    /// [`prefault`](Self::prefault), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    pub fn try_prefault(&mut self, additional: usize) -> Result<(), Error> {
        self.try_reserve(additional)?;
        self.raw.prefault(Self::ELEMENT, self.len, self.len + additional)
    }

    /// Gives memory behind the last element back to the system: it is neither resident nor
    /// charged to the process any more.
    ///
    /// Memory goes back in whole runs of 64 KiB (2 MiB where huge pages are asked for), and only
    /// if two or more are spare, so calling this often costs little. The reservation stays, and
    /// no element moves. If the system refuses, the memory stays.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bytes = stayput::VmVec::from(vec![1_u8; 4 << 20]);
    /// bytes.truncate(10);
    /// bytes.shrink_to_fit();
    /// assert!(bytes.stats().committed_bytes < 128 << 10);
    /// ```
    pub fn shrink_to_fit(&mut self) {
        // The one refusal is that of a process at its limit of mappings; it costs only memory.
        let _ = self.try_shrink_to(0);
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), but keeps room for `min_capacity` elements, if
    /// there is so much.
    pub fn shrink_to(&mut self, min_capacity: usize) {
        // As above.
        let _ = self.try_shrink_to(min_capacity);
    }

    /// [`shrink_to_fit`](Self::shrink_to_fit), or the error.
    ///
    /// # Errors
    ///
    /// If the system refuses ([`MappingLimit`](crate::ErrorKind::MappingLimit)); nothing has
    /// changed then.
    pub fn try_shrink_to_fit(&mut self) -> Result<(), Error> {
        self.try_shrink_to(0)
    }

    /// [`shrink_to`](Self::shrink_to), or the error.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    pub fn try_shrink_to(&mut self, min_capacity: usize) -> Result<(), Error> {
        self.raw.shrink(Self::ELEMENT, self.len.max(min_capacity))
    }

    /// The room behind the last element, within capacity.
    ///
    /// After writing to it, [`set_len`](Self::set_len) says that it holds elements.
    #[inline]
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<T>] {
        let spare = self.capacity() - self.len;
        // SAFETY: `len` is within capacity.
        let first = unsafe { self.as_mut_ptr().add(self.len) };
        // SAFETY: `spare` more elements are within capacity, and need not be initialised.
        unsafe { slice::from_raw_parts_mut(first.cast(), spare) }
    }

    /// Gives up the array for a slice that lives as long as the elements may. The memory, and the
    /// reservation, are never released.
    #[inline]
    pub fn leak<'a>(self) -> &'a mut [T]
    where
        T: 'a,
    {
        let mut vec = ManuallyDrop::new(self);
        // SAFETY: `len` elements are initialised; the array is never dropped and nobody else has
        // it, so they stay so, and are the slice's alone.
        unsafe { slice::from_raw_parts_mut(vec.as_mut_ptr(), vec.len) }
    }
}

/// One element.
impl<T> VmVec<T> {
    /// Appends an element. O(1), no copy; enters the kernel if capacity is used up.
    ///
    /// # Panics
    ///
    /// If the array holds `max_len` elements, or the system refuses memory.
    #[inline]
    #[track_caller]
    pub fn push(&mut self, value: T) {
        // Read once: growing does not change it, which the compiler cannot see.
        let len = self.len;
        if len == self.capacity() {
            self.grow_by_one_or_give_up();
        }
        // SAFETY: there is room for one more behind the `len` elements.
        unsafe { self.write_end(len, value) }
    }

    /// [`push`](Self::push), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    #[inline]
    pub fn try_push(&mut self, value: T) -> Result<(), Refused<T>> {
        let len = self.len;
        if len == self.capacity() {
            if let Err(error) = self.grow_by_one() {
                return Err(Refused { error, value });
            }
        }
        // SAFETY: there is room for one more behind the `len` elements.
        unsafe { self.write_end(len, value) }
        Ok(())
    }

    /// [`push`](Self::push), and a reference to the element where it now lies.
    ///
    /// # Panics
    ///
    /// As for [`push`](Self::push).
    #[inline]
    #[track_caller]
    #[must_use = "if you don't need a reference to the element, use `push`"]
    pub fn push_mut(&mut self, value: T) -> &mut T {
        self.push(value);
        let last = self.len - 1;
        // SAFETY: within the length.
        let last = unsafe { self.as_mut_ptr().add(last) };
        // SAFETY: just initialised; borrowed from `&mut self`.
        unsafe { &mut *last }
    }

    #[cold]
    #[inline(never)]
    fn grow_by_one(&mut self) -> Result<(), Error> {
        self.raw.grow(Self::ELEMENT, self.len, 1, Amount::AtLeast)
    }

    #[cold]
    #[inline(never)]
    #[track_caller]
    fn grow_by_one_or_give_up(&mut self) {
        or_give_up(self.grow_by_one());
    }

    /// Puts an element behind the last one.
    ///
    /// # Safety
    ///
    /// - `len` is the length, and below the capacity.
    #[inline]
    unsafe fn write_end(&mut self, len: usize, value: T) {
        debug_assert!(len == self.len && len < self.capacity());
        // SAFETY: below capacity, by the caller's promise.
        let end = unsafe { self.as_mut_ptr().add(len) };
        // SAFETY: committed, aligned, and behind the last element.
        unsafe { end.write(value) };
        self.len = len + 1;
    }

    /// Takes the last element out. O(1).
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: within the old length.
        let last = unsafe { self.as_ptr().add(self.len) };
        // SAFETY: it was initialised, and is behind the length now, so nobody reads it again.
        Some(unsafe { last.read() })
    }

    /// Takes the last element out if the predicate says so.
    pub fn pop_if(&mut self, predicate: impl FnOnce(&mut T) -> bool) -> Option<T> {
        let last = self.last_mut()?;
        if predicate(last) { self.pop() } else { None }
    }

    /// Inserts an element at `index`, moving those behind it up by one. O(n - index).
    ///
    /// # Panics
    ///
    /// If `index` is beyond the length, the array is full, or the system refuses memory.
    #[track_caller]
    pub fn insert(&mut self, index: usize, value: T) {
        if let Err(refused) = self.try_insert(index, value) {
            give_up(refused.error);
        }
    }

    /// [`insert`](Self::insert), or the error and the element.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Panics
    ///
    /// If `index` is beyond the length.
    #[track_caller]
    pub fn try_insert(&mut self, index: usize, value: T) -> Result<(), Refused<T>> {
        let len = self.len;
        assert!(index <= len, "insertion index (is {index}) should be <= len (is {len})");
        if let Err(error) = self.try_reserve(1) {
            return Err(Refused { error, value });
        }
        // SAFETY: within the length.
        let place = unsafe { self.as_mut_ptr().add(index) };
        // SAFETY: there is room for one more, so this is within capacity.
        let above = unsafe { place.add(1) };
        // SAFETY: `len - index` elements, which stay within capacity. They may overlap.
        unsafe { ptr::copy(place, above, len - index) };
        // SAFETY: what was there has moved up.
        unsafe { place.write(value) };
        self.len += 1;
        Ok(())
    }

    /// [`insert`](Self::insert), and a reference to the element where it now lies.
    ///
    /// # Panics
    ///
    /// As for [`insert`](Self::insert).
    #[track_caller]
    #[must_use = "if you don't need a reference to the element, use `insert`"]
    pub fn insert_mut(&mut self, index: usize, value: T) -> &mut T {
        self.insert(index, value);
        &mut self[index]
    }

    /// Takes the element at `index` out, moving those behind it down by one. O(n - index).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    #[track_caller]
    pub fn remove(&mut self, index: usize) -> T {
        let len = self.len;
        assert!(index < len, "removal index (is {index}) should be < len (is {len})");
        // SAFETY: within the length.
        let place = unsafe { self.as_mut_ptr().add(index) };
        // SAFETY: initialised; overwritten or cut off below before anyone reads it again.
        let value = unsafe { place.read() };
        // SAFETY: at most one past the last element.
        let above = unsafe { place.add(1) };
        // SAFETY: `len - index - 1` elements are behind `place`. They may overlap.
        unsafe { ptr::copy(above, place, len - index - 1) };
        self.len -= 1;
        value
    }

    /// Takes the element at `index` out, and puts the last one in its place. O(1).
    ///
    /// # Panics
    ///
    /// If `index` is not below the length.
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) -> T {
        let len = self.len;
        assert!(index < len, "swap_remove index (is {index}) should be < len (is {len})");
        let last = len - 1;
        self.as_mut_slice().swap(index, last);
        self.len = last;
        // SAFETY: within the old length.
        let taken = unsafe { self.as_ptr().add(last) };
        // SAFETY: it was initialised, and is behind the length now, so nobody reads it again.
        unsafe { taken.read() }
    }

    /// Drops the elements from `len` on. The memory stays. O(number dropped).
    pub fn truncate(&mut self, len: usize) {
        let Some(count) = self.len.checked_sub(len) else { return };
        // Before user code runs: should a drop panic, nothing is dropped twice.
        self.len = len;
        // SAFETY: within the old length.
        let first = unsafe { self.as_mut_ptr().add(len) };
        // SAFETY: `count` initialised elements, behind the length, so nobody reaches them again.
        unsafe { ptr::slice_from_raw_parts_mut(first, count).drop_in_place() };
    }

    /// Drops all elements. The memory stays. O(n).
    #[inline]
    pub fn clear(&mut self) {
        self.truncate(0);
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

impl<T> Default for VmVec<T> {
    /// An empty array; see [`VmVec::new`].
    fn default() -> Self {
        Self::new()
    }
}

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
        let mut clone = Self::with_options(self.raw.options());
        clone.try_reserve_exact(self.len)?;
        clone.try_extend_from_slice(self)?;
        Ok(clone)
    }
}
