//! Construction and access.

#![expect(unsafe_code, reason = "makes slices of initialized elements")]

use super::{VecBuilder, VecStats, VmVec};
use crate::backing::Backing;
use crate::container::constructors;
use crate::error::{Error, Refused};
use crate::poison;
use crate::raw_vec::{Element, Options, RawVec};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

impl<T> VmVec<T> {
    pub(super) const ELEMENT: Element = Element::of::<T>();

    /// Creates an empty array. Reserves and allocates nothing until the first push.
    ///
    /// The first push reserves as many addresses as the machine has memory, rounded up to a power of two (at most 1
    /// TiB, or 128 MiB on 32-bit systems), or the array's share of the process's addresses if that is less. A process
    /// can therefore have thousands of such arrays, and always has addresses left for other uses:
    ///
    /// - With n other arrays, maps and arenas that have no explicit maximum, an array gets at most 1/(4 + n) of what is
    ///   left of half of all addresses. With 47-bit addresses (64 TiB), a thousand arrays have room for more than 1 GiB
    ///   each on any machine, and for 32 GiB each if the machine has 32 GiB of memory. Under `RLIMIT_AS`, the first
    ///   gets an eighth of the limit.
    /// - If that share is less than 1 MiB, an array gets 1 MiB, while a quarter of all addresses is left.
    /// - After that, or if the system refuses more, an array gets only what it needs at once, in units of 64 KiB. That
    ///   much is reserved in any case.
    ///
    /// The array refuses to grow past its reservation, with [`MaxLen`](crate::ErrorKind::MaxLen). If it must become
    /// large while there are many others, set a [`max_len`](crate::VecBuilder::max_len), which is not limited by these
    /// rules. On Linux, arrays are refused with [`MappingLimit`](crate::ErrorKind::MappingLimit) once they could take
    /// seven eighths of the mappings that a process may have, so that some are left for threads and other uses. That is
    /// about 28,000 arrays if `vm.max_map_count` is 65,530, and half as many if all have huge pages.
    ///
    /// For tools with little address space, such as valgrind, the environment variable `STAYPUT_RESERVE_BYTES` replaces
    /// the size of the machine's memory in these rules.
    ///
    /// # Examples
    ///
    /// ```
    /// let empty: stayput::VmVec<u64> = stayput::VmVec::new();
    /// assert_eq!(empty.stats().reserved_bytes, 0);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self::with_options(&Options::DEFAULT)
    }

    /// The value of `start` while nothing is reserved.
    const DANGLING: NonNull<u8> = NonNull::<T>::dangling().cast();

    const fn over(raw: RawVec) -> Self {
        Self { raw, len: 0, elements: PhantomData }
    }

    /// Creates an empty array with shared options. Reserves and allocates nothing.
    pub(crate) const fn with_options(options: &'static Options) -> Self {
        Self::over(RawVec::new(Self::DANGLING, Self::ELEMENT, options))
    }

    /// Creates an empty array with options of its own. Reserves nothing.
    pub(crate) fn try_unreserved(options: Options) -> Result<Self, Error> {
        RawVec::try_new(Self::DANGLING, Self::ELEMENT, options).map(Self::over)
    }

    /// Creates an empty array with the same options. Reserves nothing.
    pub(crate) fn try_fresh(&self) -> Result<Self, Error> {
        self.raw.try_fresh(Self::DANGLING, Self::ELEMENT).map(Self::over)
    }

    /// Creates an empty array. Reserves the addresses if the options have a maximum or commit-ahead.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn try_with_options(options: Options, capacity: usize) -> Result<Self, Error> {
        let mut vec = Self::try_unreserved(options)?;
        // Commits before the background thread serves the array: the thread has nothing to be ahead of yet.
        vec.try_reserve_exact(capacity)?;
        if options.max_len.is_some() || options.commit_ahead.is_on() {
            vec.raw.reserve_addresses(Self::ELEMENT, 0)?;
        }
        Ok(vec)
    }

    /// Creates an empty array in caller-provided memory, and commits `capacity` elements of it.
    pub(crate) fn try_new_in<B: Backing>(
        backing: B,
        options: Options,
        capacity: usize,
    ) -> Result<Self, Refused<B>> {
        let mut vec = Self::over(RawVec::new_in(backing, Self::ELEMENT, options)?);
        match vec.try_reserve_exact(capacity) {
            Ok(()) => Ok(vec),
            Err(error) => Err(Refused { error, value: vec.into_backing() }),
        }
    }

    /// Returns the backing of an array that was just created in it.
    ///
    /// # Panics
    ///
    /// If the backing is not a `B`.
    pub(crate) fn into_backing<B: Backing>(mut self) -> B {
        self.truncate(0);
        self.raw.take_backing(Self::ELEMENT).expect("the array was made in a backing of this type")
    }

    /// Creates an array in memory of another container. It does not grow.
    ///
    /// # Safety
    ///
    /// - `start` is not null, aligned, and valid for reads and writes of `capacity` elements while the array is used. Nothing
    ///   else accesses them.
    /// - The first `len` elements are initialized, and `len <= capacity`.
    /// - The array is not dropped, and no method is called that returns its memory, makes more resident, or sets its
    ///   maximum: each would set its capacity to 0.
    #[cfg(feature = "list-pool")]
    #[inline]
    pub(crate) unsafe fn lent(start: *mut T, capacity: usize, len: usize) -> Self {
        // SAFETY: `start` is "non-null", by the caller's guarantee.
        let start = unsafe { NonNull::new_unchecked(start) };
        Self { raw: RawVec::lent(start.cast(), capacity), len, elements: PhantomData }
    }

    pub(crate) const fn options(&self) -> Options {
        self.raw.options()
    }

    /// Returns `true` if the options are [`Options::FULL`], so that the array never holds anything.
    #[inline]
    pub(crate) const fn is_full_for_good(&self) -> bool {
        self.raw.is_full()
    }

    /// Returns [`as_ptr`](Self::as_ptr) as a `NonNull`.
    #[inline]
    pub(crate) const fn start(&self) -> NonNull<T> {
        self.raw.start().cast()
    }

    constructors! {
        /// Returns an empty array with memory committed for `capacity` elements.
        with_capacity, try_with_capacity, capacity;
        /// # Examples
        ///
        /// ```
        /// let mut samples = stayput::VmVec::with_capacity(1000);
        /// assert!(samples.capacity() >= 1000);
        /// samples.extend(0..1_000_000); // may still grow
        /// assert_eq!(samples.len(), 1_000_000);
        /// ```
    }

    constructors! {
        /// Returns an empty array that can hold at most `max_len` elements, and reserves the addresses for them.
        with_max_len, try_with_max_len, max_len;
        /// # Examples
        ///
        /// ```
        /// let mut pair = stayput::VmVec::with_max_len(2);
        /// pair.extend([1, 2]);
        /// assert!(pair.try_push(3).is_err());
        /// ```
    }

    /// Returns a builder with the options of an array: maximum, capacity, growth, huge pages, work in the background.
    pub const fn builder() -> VecBuilder<T> {
        VecBuilder::new()
    }

    /// Returns the number of elements. O(1).
    #[inline]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no elements. O(1).
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of elements that fit into committed memory. O(1).
    ///
    /// For elements of size zero, this is [`max_len`](Self::max_len).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bytes = stayput::VmVec::<u8>::with_max_len(1 << 30);
    /// assert_eq!(bytes.capacity(), 0);
    /// bytes.push(1);
    /// assert!(bytes.capacity() < bytes.max_len());
    /// ```
    #[inline]
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// Returns the maximum number of elements. O(1).
    ///
    /// Before the first push of an array without an explicit maximum, this is what would be reserved by default.
    pub fn max_len(&self) -> usize {
        self.raw.max_len(Self::ELEMENT)
    }

    /// Returns statistics about the array.
    ///
    /// Asks the system which pages are resident, which takes time linear in the committed pages, and on Linux also in the
    /// mappings of the process. Do not call it in a hot path.
    ///
    /// # Examples
    ///
    /// ```
    /// let bytes = stayput::VmVec::<u8>::with_max_len(1 << 30);
    /// let stats = bytes.stats();
    /// assert_eq!((stats.reserved_bytes, stats.committed_bytes), (1 << 30, 0));
    /// ```
    pub fn stats(&self) -> VecStats {
        VecStats::of(&self.raw, Self::ELEMENT, self.len)
    }

    /// Returns all elements as a slice. O(1).
    #[inline]
    pub const fn as_slice(&self) -> &[T] {
        // SAFETY: `len` elements are initialized, in one aligned range (*elements*, *capacity*), and not mutated during
        // the borrow of `self`.
        unsafe { slice::from_raw_parts(self.as_ptr(), self.len) }
    }

    /// Returns all elements as a mutable slice. O(1).
    #[inline]
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: `len` elements are initialized, in one aligned range (*elements*, *capacity*), and not accessed
        // otherwise during the mutable borrow of `self`.
        unsafe { slice::from_raw_parts_mut(self.place(0), self.len) }
    }

    /// Returns a pointer to the first element, or a dangling, aligned one if nothing was ever pushed.
    ///
    /// After the first push it never changes, and is valid for `capacity` elements. This method makes no reference to
    /// an element.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::VmVec::from(["to"]);
    /// let start = words.as_ptr();
    /// words.extend(["be"; 10_000]);
    /// assert_eq!(words.as_ptr(), start);
    /// ```
    #[inline]
    pub const fn as_ptr(&self) -> *const T {
        self.raw.start().as_ptr().cast::<T>().cast_const()
    }

    /// Returns a mutable pointer to the first element; see [`as_ptr`](Self::as_ptr).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut words = stayput::VmVec::from(["to", "be"]);
    /// let start = words.as_mut_ptr();
    /// words.extend(["or"; 10_000]);
    /// // SAFETY: the first element exists, has not moved, and is not borrowed.
    /// unsafe { *start = "not to" };
    /// assert_eq!(words[..3], ["not to", "be", "or"]);
    /// ```
    #[inline]
    #[cfg(not(stayput_asan))]
    pub const fn as_mut_ptr(&mut self) -> *mut T {
        self.place(0)
    }

    /// Returns a mutable pointer to the first element; see [`as_ptr`](Self::as_ptr). The caller may write past the
    /// length, so all capacity is unpoisoned, which cannot be done in a constant.
    #[inline]
    #[cfg(stayput_asan)]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        poison::unpoison_run(self.place(self.len), self.capacity() - self.len);
        self.place(0)
    }

    /// The address of an element, or of a place in the capacity, which must be [opened](Self::open) before it is
    /// written. Any other index yields a pointer that must not be used.
    #[inline]
    pub(super) const fn place(&self, index: usize) -> *mut T {
        self.start().as_ptr().wrapping_add(index)
    }

    /// Unpoisons the next `count` elements, which must be within capacity, before they are written.
    #[inline]
    pub(super) fn open(&mut self, count: usize) {
        poison::unpoison(self.place(self.len), count);
    }

    /// Poisons the elements past the length that were below `old_len`.
    #[inline]
    pub(super) fn close(&mut self, old_len: usize) {
        poison::poison(self.place(self.len), old_len.saturating_sub(self.len));
    }

    /// Poisons new capacity, after it was `before`, unless the caller has [unpoisoned](Self::as_mut_ptr) all of it.
    #[inline]
    pub(super) fn close_new(&mut self, before: usize) {
        if before == self.len || poison::is_poisoned(self.place(self.len)) {
            poison::poison(self.place(before), self.capacity().saturating_sub(before));
        }
    }

    /// Sets the length to `new_len`.
    ///
    /// # Safety
    ///
    /// - `new_len` is at most [`capacity`](Self::capacity).
    /// - The elements below `new_len` are initialized.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut text = stayput::VmVec::<u8>::with_capacity(5);
    /// // SAFETY: the source has five bytes, and there is capacity for them.
    /// unsafe { text.as_mut_ptr().copy_from_nonoverlapping(b"hello".as_ptr(), 5) };
    /// // SAFETY: these five are within capacity, and were just initialized.
    /// unsafe { text.set_len(5) };
    /// assert_eq!(text, *b"hello");
    /// ```
    #[inline]
    pub unsafe fn set_len(&mut self, new_len: usize) {
        debug_assert!(new_len <= self.capacity(), "set_len({new_len}) beyond capacity");
        if new_len < self.len {
            // A caller that moves elements out by pointer may write others there.
            self.as_mut_ptr();
        }
        self.open(new_len.saturating_sub(self.len));
        self.len = new_len;
    }

    /// Sets the length to 0 without dropping the elements: the caller moves them out, or they leak.
    #[inline]
    pub(crate) fn forget_elements(&mut self) {
        if self.len > 0 {
            // As in `set_len`.
            self.as_mut_ptr();
            self.len = 0;
        }
    }

    /// Returns the index of an element of this array, given a reference to it. O(1).
    ///
    /// Returns `None` if the reference points elsewhere, or if elements have size zero and therefore no distinct
    /// addresses.
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
}
