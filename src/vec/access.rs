//! Making an array, and looking at it.

#![expect(unsafe_code, reason = "makes slices of what is initialised")]

use super::{VecBuilder, VecStats, VmVec};
use crate::backing::Backing;
use crate::container::{capacity_constructors, max_len_constructors};
use crate::error::{Error, Refused};
use crate::poison;
use crate::raw_vec::{Options, RawVec};
use std::alloc::Layout;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

impl<T> VmVec<T> {
    pub(super) const ELEMENT: Layout = Layout::new::<T>();

    /// An empty array. Reserves and allocates nothing, and does not enter the kernel, until the first
    /// push.
    ///
    /// Then it reserves as many addresses as the machine has memory, rounded up to a power of two
    /// (at most 1 TiB; 128 MiB on 32-bit systems), or its part of those that the process has, if that
    /// is less. So a process may have thousands of such arrays, and always has addresses left for
    /// others:
    ///
    /// - Beside n arrays, maps and arenas whose maximum nobody named, one is given at most 1/(4 + n) of
    ///   what is left of half of all addresses: with 47 bits of them (64 TiB), a thousand have room for
    ///   more than a GiB each on any machine, 32 GiB each where it has 32 GiB of memory. Under
    ///   `RLIMIT_AS` the first has an eighth of that.
    /// - Where that comes to less than 1 MiB, one is given 1 MiB, as long as a quarter of all addresses is
    ///   left;
    /// - and then, or where the system refuses more, what it needs at once, in units of 64 KiB. What it
    ///   needs is reserved in any case.
    ///
    /// It refuses to grow beyond what it has reserved, with [`MaxLen`](crate::ErrorKind::MaxLen): those
    /// that will be large beside many others name a [`max_len`](crate::VecBuilder::max_len), which is not
    /// bounded so. On Linux, more of them than may take seven eighths of the mappings that the process may
    /// have are refused with [`MappingLimit`](crate::ErrorKind::MappingLimit): that is some 14,000, where
    /// `vm.max_map_count` is 65,530. The rest is for threads and all else.
    ///
    /// The environment variable `STAYPUT_RESERVE_BYTES` sets another number than the machine's memory,
    /// for runs under tools that have little address space, such as valgrind.
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

    /// What `start` is where nothing is reserved.
    const DANGLING: NonNull<u8> = NonNull::<T>::dangling().cast();

    const fn over(raw: RawVec) -> Self {
        Self { raw, len: 0, elements: PhantomData }
    }

    /// An empty array for which nobody chose anything. Reserves and allocates nothing.
    pub(crate) const fn with_options(options: &'static Options) -> Self {
        Self::over(RawVec::new(Self::DANGLING, Self::ELEMENT, options))
    }

    /// An empty array with options that somebody chose; nothing is reserved.
    pub(crate) fn try_unreserved(options: Options) -> Result<Self, Error> {
        RawVec::try_new(Self::DANGLING, Self::ELEMENT, options).map(Self::over)
    }

    /// An empty array with the same options; nothing is reserved.
    pub(crate) fn try_fresh(&self) -> Result<Self, Error> {
        self.raw.try_fresh(Self::DANGLING, Self::ELEMENT).map(Self::over)
    }

    /// An empty array; the addresses are reserved, if the options name a maximum.
    pub(crate) fn try_with_options(options: Options, capacity: usize) -> Result<Self, Error> {
        let mut vec = Self::try_unreserved(options)?;
        // Its capacity first: addresses are reserved for it, and nothing is ahead of what it is not yet.
        vec.try_reserve_exact(capacity)?;
        if options.max_len.is_some() || options.commit_ahead.is_on() {
            vec.raw.reserve_addresses(Self::ELEMENT, 0)?;
        }
        Ok(vec)
    }

    /// An empty array in memory of the user's, with so much of it committed.
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

    /// The backing, from an array that was just made in it.
    ///
    /// # Panics
    ///
    /// If it is no `B`.
    pub(crate) fn into_backing<B: Backing>(mut self) -> B {
        self.truncate(0);
        self.raw.take_backing(Self::ELEMENT).expect("the array was made in a backing of this type")
    }

    pub(crate) const fn options(&self) -> Options {
        self.raw.options()
    }

    /// Whether it never holds anything, for its options are [`Options::FULL`].
    #[inline]
    pub(crate) const fn is_full_for_good(&self) -> bool {
        self.raw.is_full()
    }

    /// [`as_ptr`](Self::as_ptr), known not to be null.
    #[inline]
    pub(crate) const fn start(&self) -> NonNull<T> {
        self.raw.start().cast()
    }

    capacity_constructors!("array" of "elements");

    max_len_constructors! {
        "array" of "elements", "Reserves the addresses now.";
        /// # Examples
        ///
        /// ```
        /// let mut pair = stayput::VmVec::with_max_len(2);
        /// pair.extend([1, 2]);
        /// assert!(pair.try_push(3).is_err());
        /// ```
    }

    /// Options: maximum, capacity, growth, huge pages, what is done in the background.
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
        VecStats::of(&self.raw, Self::ELEMENT, self.len)
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
        unsafe { slice::from_raw_parts_mut(self.first(), self.len) }
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
    #[cfg(not(stayput_asan))]
    pub const fn as_mut_ptr(&mut self) -> *mut T {
        self.first()
    }

    /// The address of the first element, to be written by; see [`as_ptr`](Self::as_ptr). Who has it may write behind the
    /// length, so the sanitizer is told, which is no matter for a constant.
    #[inline]
    #[cfg(stayput_asan)]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        poison::unpoison_run(self.behind(self.len), self.capacity() - self.len);
        self.first()
    }

    /// [`as_mut_ptr`](Self::as_mut_ptr), for elements, and for what was [opened](Self::open).
    #[inline]
    pub(super) const fn first(&mut self) -> *mut T {
        self.start().as_ptr()
    }

    /// The address behind the first so many elements.
    #[inline]
    const fn behind(&self, len: usize) -> *const T {
        self.as_ptr().wrapping_add(len)
    }

    /// Elements are about to be put into the next `count` places, which are within capacity.
    #[inline]
    pub(super) fn open(&mut self, count: usize) {
        poison::unpoison(self.behind(self.len), count);
    }

    /// What was below `old_len` and is behind the length is gone: nobody is to touch it.
    #[inline]
    pub(super) fn close(&mut self, old_len: usize) {
        poison::poison(self.behind(self.len), old_len.saturating_sub(self.len));
    }

    /// The capacity was `before`. Nobody is to touch what there is more of it, unless he has it that all is
    /// [open](Self::as_mut_ptr).
    #[inline]
    pub(super) fn close_new(&mut self, before: usize) {
        if before == self.len || poison::is_poisoned(self.behind(self.len)) {
            poison::poison(self.behind(before), self.capacity().saturating_sub(before));
        }
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
        if new_len < self.len {
            // Who takes elements out by their addresses may put others there.
            self.as_mut_ptr();
        }
        self.open(new_len.saturating_sub(self.len));
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
}
