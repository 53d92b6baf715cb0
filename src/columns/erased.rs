//! [`ErasedColumn`]: a column whose element type is only known at run time.
//!
//! # Soundness
//!
//! The invariant of a column, *elements*: `len` is at most the capacity, for which `RawVec` has memory in one range of
//! at most `isize::MAX` bytes, aligned for an element; the first `len` elements, each of `layout.size()` bytes from the
//! start, are initialized, and only the column owns them. Before an element is dropped, `len` is reduced so that it is
//! correct even if the drop panics. Elements are only read, written and dropped as whole values of the type for which
//! the caller of [`ErasedColumn::new`] created the column.

#![expect(unsafe_code, reason = "moves and drops values of a type that it does not know")]

use crate::container::{reserve_exact_methods, reserve_methods, shrink_methods};
use crate::error::{Error, Holder, unwrap_or_panic};
use crate::growing::{Budget, GivenBack};
use crate::raw_vec::{Amount, Element, Options, RawVec};
use crate::vec::VecStats;
use std::alloc::Layout;
use std::fmt;
use std::marker::PhantomData;
use std::mem;
use std::ptr::{self, NonNull};
use std::slice;

/// The function that drops a value in place.
type DropFn = unsafe fn(*mut u8);

/// A growable array of values whose type is only known at run time, by its layout and the function that drops it.
///
/// This is for tables of an entity component system and the like, which have a column for each component type and are
/// created without naming the types. Elements are moved in and out through raw pointers, and nothing checks that they
/// have the right type. As in a [`VmVec`](crate::VmVec), growing never moves an element, unless the column [starts in the
/// heap](Self::starting_in_heap).
///
/// It is neither `Send` nor `Sync`, since its elements may be neither. A type that only stores elements which are can
/// implement the traits itself.
///
/// # Examples
///
/// ```
/// use stayput::columns::ErasedColumn;
/// use std::mem::ManuallyDrop;
///
/// let mut names = ErasedColumn::of::<String>();
/// for name in ["Ann", "Bob", "Cid"] {
///     let name = ManuallyDrop::new(name.to_string());
///     // SAFETY: a `String`, which is not used again.
///     unsafe { names.push((&raw const name).cast()) };
/// }
/// names.swap_remove(0);
/// // SAFETY: the elements are `String`s.
/// assert_eq!(unsafe { names.as_slice::<String>() }, ["Cid", "Bob"]);
/// ```
pub struct ErasedColumn {
    raw: RawVec,
    element: Element,
    len: usize,
    drop: Option<DropFn>,
    elements: PhantomData<*mut u8>,
}

impl ErasedColumn {
    const OPTIONS: &'static Options = &Options { holder: Holder::ErasedColumn, ..Options::DEFAULT };
    const IN_HEAP: &'static Options =
        &Options { holder: Holder::ErasedColumn, ..Options::INTERNAL };

    /// Creates an empty column for values of the given layout. `drop` drops such a value in place; if it is `None`,
    /// values are not dropped. Makes no system call and reserves no memory until an element is pushed or capacity is
    /// reserved.
    ///
    /// # Panics
    ///
    /// If the size of the layout is not a multiple of its alignment.
    ///
    /// # Safety
    ///
    /// - It must be sound to call `drop` once on each element of the column, at a time when the element is not borrowed.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    /// use std::alloc::Layout;
    /// use std::ptr;
    ///
    /// // SAFETY: numbers need no drop.
    /// let mut numbers = unsafe { ErasedColumn::new(Layout::new::<u32>(), None) };
    /// // SAFETY: the value has the layout of the column.
    /// unsafe { numbers.push(ptr::from_ref(&7_u32).cast()) };
    /// assert_eq!(numbers.len(), 1);
    /// ```
    #[must_use]
    #[track_caller]
    pub unsafe fn new(layout: Layout, drop: Option<DropFn>) -> Self {
        assert!(layout.size() % layout.align() == 0, "the size is not a multiple of the alignment");
        Self::with_element(Element::with_layout::<[u8]>(layout), drop)
    }

    /// Creates an empty column for values of a type.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let column = ErasedColumn::of::<String>();
    /// assert_eq!(column.layout(), std::alloc::Layout::new::<String>());
    /// ```
    #[must_use]
    pub fn of<T>() -> Self {
        /// # Safety
        ///
        /// - As for [`ptr::drop_in_place`].
        unsafe fn drop<T>(value: *mut u8) {
            // SAFETY: the caller guarantees what `drop_in_place` requires.
            unsafe { value.cast::<T>().drop_in_place() }
        }
        Self::with_element(
            Element::of::<T>(),
            mem::needs_drop::<T>().then_some(drop::<T> as DropFn),
        )
    }

    fn with_element(element: Element, drop: Option<DropFn>) -> Self {
        let dangling = NonNull::new(ptr::without_provenance_mut(element.align()));
        let dangling = dangling.expect("alignments are not 0");
        let raw = RawVec::new(dangling, element, Self::OPTIONS);
        Self { raw, element, len: 0, drop, elements: PhantomData }
    }

    /// Stores the elements in a heap block, which takes no mappings, until they take more than 64 KiB; then moves them to
    /// a reservation. Has no effect if the column already has memory.
    ///
    /// This is for programs with thousands of columns, most of them with few elements: a reservation takes at least a
    /// page and two mappings, and by default Linux allows a process 65,530 mappings.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut flags = ErasedColumn::of::<bool>().starting_in_heap();
    /// flags.reserve(100);
    /// assert!(flags.capacity() < 4096); // less than a page
    /// ```
    #[must_use]
    pub fn starting_in_heap(mut self) -> Self {
        if self.capacity() == 0 && self.raw.reserved_bytes() == 0 {
            self.raw = RawVec::new(self.raw.start(), self.element, Self::IN_HEAP);
        }
        self
    }

    /// Returns the layout of an element.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// assert_eq!(ErasedColumn::of::<[u16; 3]>().layout().size(), 6);
    /// ```
    pub const fn layout(&self) -> Layout {
        self.element.layout()
    }

    /// Returns the number of elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// // SAFETY: a `u8`.
    /// unsafe { column.push(&5) };
    /// assert_eq!(column.len(), 1);
    /// ```
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there are no elements.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// assert!(ErasedColumn::of::<u8>().is_empty());
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns how many elements fit into committed memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u64>();
    /// column.reserve(100);
    /// assert!(column.capacity() >= 100);
    /// ```
    pub const fn capacity(&self) -> usize {
        self.raw.capacity()
    }

    /// Returns a pointer to the first element. After the first push or reservation the pointer no longer changes, unless
    /// the column [starts in the heap](Self::starting_in_heap).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// column.reserve(1);
    /// let start = column.as_ptr();
    /// for byte in 0..=255 {
    ///     // SAFETY: a `u8`.
    ///     unsafe { column.push(&byte) };
    /// }
    /// assert_eq!(column.as_ptr(), start);
    /// // SAFETY: there are 256 elements.
    /// assert_eq!(unsafe { start.add(255).read() }, 255);
    /// ```
    pub const fn as_ptr(&self) -> *mut u8 {
        self.raw.start().as_ptr()
    }

    /// Moves a value to the end. O(1); enters the kernel if the capacity is used up.
    ///
    /// # Panics
    ///
    /// If [`try_push`](Self::try_push) returns an error.
    ///
    /// # Safety
    ///
    /// - As for [`try_push`](Self::try_push).
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ptr;
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u32>();
    /// // SAFETY: a `u32`, which needs no drop.
    /// unsafe { column.push(ptr::from_ref(&7_u32).cast()) };
    /// // SAFETY: the elements are `u32`s.
    /// assert_eq!(unsafe { column.as_slice::<u32>() }, [7]);
    /// ```
    #[inline]
    #[track_caller]
    pub unsafe fn push(&mut self, value: *const u8) {
        // SAFETY: the caller guarantees what `try_push` requires.
        unwrap_or_panic(unsafe { self.try_push(value) });
    }

    /// Moves a value to the end. On error, the value stays where it is.
    ///
    /// # Errors
    ///
    /// As for [`try_reserve`](Self::try_reserve).
    ///
    /// # Safety
    ///
    /// - `value` points to a value of the column's type, outside of the column's memory. If this succeeds, the caller does
    ///   not use or drop it again.
    /// - Everything that the value borrows outlives its stay in the column.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ptr;
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u32>();
    /// // SAFETY: a `u32`, which needs no drop.
    /// unsafe { column.try_push(ptr::from_ref(&7_u32).cast())? };
    /// assert_eq!(column.len(), 1);
    /// # Ok::<(), stayput::Error>(())
    /// ```
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub unsafe fn try_push(&mut self, value: *const u8) -> Result<(), Error> {
        self.make_room_for(1, Amount::AtLeast)?;
        // SAFETY: the caller guarantees that `value` points to a value of this size, outside of the column's memory,
        // where the place is valid for writes, since the capacity now exceeds `len`. Bytes are aligned anywhere.
        unsafe { ptr::copy_nonoverlapping(value, self.place(self.len), self.element.size()) };
        self.len += 1;
        Ok(())
    }

    /// Returns a pointer to an element, or `None` if the index is out of bounds.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// // SAFETY: a `u8`.
    /// unsafe { column.push(&5) };
    /// let first = column.get(0).unwrap();
    /// // SAFETY: a pointer to an element.
    /// assert_eq!(unsafe { first.read() }, 5);
    /// assert!(column.get(1).is_none());
    /// ```
    #[inline]
    pub fn get(&self, index: usize) -> Option<NonNull<u8>> {
        // SAFETY: the index was compared with the length.
        (index < self.len).then(|| unsafe { self.get_unchecked(index) })
    }

    /// Returns a pointer to an element.
    ///
    /// # Safety
    ///
    /// - The index is less than the length.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// // SAFETY: a `u8`.
    /// unsafe { column.push(&5) };
    /// // SAFETY: there is one element, a `u8`.
    /// assert_eq!(unsafe { column.get_unchecked(0).read() }, 5);
    /// ```
    #[inline]
    pub unsafe fn get_unchecked(&self, index: usize) -> NonNull<u8> {
        debug_assert!(index < self.len);
        // SAFETY: the caller guarantees that there is an element at this index, so the offset stays within the memory
        // (*elements*), and neither it nor the address overflows.
        unsafe { self.raw.start().add(index * self.element.size()) }
    }

    /// The address of an element, or of a place in the capacity. Any other index yields a pointer that must not be used.
    #[inline]
    const fn place(&self, index: usize) -> *mut u8 {
        self.as_ptr().wrapping_add(index.wrapping_mul(self.element.size()))
    }

    /// Swaps an element with the last one, and then drops it. O(1).
    ///
    /// # Panics
    ///
    /// If the index is out of bounds, or if the drop panics. In the second case, the element is removed all the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// for byte in [1, 2, 3] {
    ///     // SAFETY: a `u8`.
    ///     unsafe { column.push(&byte) };
    /// }
    /// column.swap_remove(0);
    /// // SAFETY: the elements are `u8`s.
    /// assert_eq!(unsafe { column.as_slice::<u8>() }, [3, 2]);
    /// ```
    #[track_caller]
    pub fn swap_remove(&mut self, index: usize) {
        let (removed, last) = self.with_last(index);
        // Before the drop, so that nothing is out of order if that panics.
        self.len -= 1;
        if removed != last {
            // SAFETY: two elements within the memory (*elements*), which do not overlap, since they are different.
            // Bytes are aligned anywhere.
            unsafe { ptr::swap_nonoverlapping(removed, last, self.element.size()) };
        }
        if let Some(drop) = self.drop {
            // SAFETY: the creator of the column guarantees that `drop` may be called once on each element. This one is
            // past the length now, so it is neither dropped nor used again; `&mut self` excludes borrows through the
            // column.
            unsafe { drop(last) };
        }
    }

    /// Moves an element to `to`, and fills its place with the last one. O(1).
    ///
    /// # Panics
    ///
    /// If the index is out of bounds.
    ///
    /// # Safety
    ///
    /// - `to` is valid for writes of a value, and not inside the column.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// // SAFETY: a `u8`.
    /// unsafe { column.push(&5) };
    /// let mut moved = 0_u8;
    /// // SAFETY: there is room for a `u8`, outside of the column.
    /// unsafe { column.swap_remove_to(0, &mut moved) };
    /// assert_eq!((moved, column.len()), (5, 0));
    /// ```
    #[track_caller]
    pub unsafe fn swap_remove_to(&mut self, index: usize, to: *mut u8) {
        let (removed, last) = self.with_last(index);
        let size = self.element.size();
        self.len -= 1;
        // SAFETY: an element (*elements*), which is moved out; the caller guarantees that `to` is valid for writes of
        // it, and outside of the column.
        unsafe { ptr::copy_nonoverlapping(removed, to, size) };
        if removed != last {
            // SAFETY: two elements (*elements*), which do not overlap, since they are different. The first was moved
            // out, and the last is past the length now.
            unsafe { ptr::copy_nonoverlapping(last, removed, size) };
        }
    }

    /// Returns pointers to an element and to the last one.
    #[track_caller]
    fn with_last(&self, index: usize) -> (*mut u8, *mut u8) {
        let len = self.len;
        assert!(index < len, "index {index} out of bounds for {len} elements");
        (self.place(index), self.place(len - 1))
    }

    /// Drops all elements from `len` on, in order. Has no effect if there are no more than `len`.
    ///
    /// # Panics
    ///
    /// If the drop of an element panics. The others are dropped all the same.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// for byte in [1, 2, 3] {
    ///     // SAFETY: a `u8`.
    ///     unsafe { column.push(&byte) };
    /// }
    /// column.truncate(1);
    /// assert_eq!(column.len(), 1);
    /// ```
    pub fn truncate(&mut self, len: usize) {
        let end = self.len;
        if len >= end {
            return;
        }
        // Before drops, which may panic.
        self.len = len;
        let Some(drop) = self.drop else { return };
        // These elements are past the length now, so nothing else uses them.
        let next = self.place(len);
        drop_each(Rest { next, left: end - len, size: self.element.size(), drop });
    }

    /// Drops all elements and keeps the memory.
    ///
    /// # Panics
    ///
    /// As for [`truncate`](Self::truncate).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// // SAFETY: a `u8`.
    /// unsafe { column.push(&5) };
    /// column.clear();
    /// assert!(column.is_empty());
    /// ```
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Sets the number of elements, without dropping or initializing any.
    ///
    /// # Safety
    ///
    /// - `len` is at most the capacity. The first `len` elements are initialized with values of the column's type,
    ///   which the caller does not use or drop otherwise.
    /// - Everything that the values borrow outlives their stay in the column.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u16>();
    /// column.reserve(3);
    /// // SAFETY: there is capacity for them, and they are initialized before they count.
    /// unsafe {
    ///     column.as_ptr().cast::<[u16; 3]>().write([1, 2, 3]);
    ///     column.set_len(3);
    /// }
    /// // SAFETY: the elements are `u16`s.
    /// assert_eq!(unsafe { column.as_slice::<u16>() }, [1, 2, 3]);
    /// ```
    pub unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len <= self.capacity());
        self.len = len;
    }

    /// Returns the elements as a slice.
    ///
    /// # Panics
    ///
    /// If the layout of `T` is not that of the column.
    ///
    /// # Safety
    ///
    /// - The elements are of type `T`. While the slice is in use, they are not mutated, except inside an
    ///   [`UnsafeCell`](std::cell::UnsafeCell), and no mutable reference to any of them exists.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ptr;
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<char>();
    /// // SAFETY: a `char`, which needs no drop.
    /// unsafe { column.push(ptr::from_ref(&'a').cast()) };
    /// // SAFETY: the elements are `char`s.
    /// assert_eq!(unsafe { column.as_slice::<char>() }, ['a']);
    /// ```
    #[track_caller]
    pub unsafe fn as_slice<T>(&self) -> &[T] {
        self.assert_layout::<T>();
        // SAFETY: the first `len` elements are initialized, in one range of at most `isize::MAX` bytes (*elements*),
        // which is aligned for `T`, as asserted above, and starts at an address that is not null, as that of a
        // `NonNull`. The caller guarantees that they are of type `T`, and not mutated while the slice is in use.
        unsafe { slice::from_raw_parts(self.as_ptr().cast(), self.len) }
    }

    /// Returns the elements as a mutable slice.
    ///
    /// # Panics
    ///
    /// If the layout of `T` is not that of the column.
    ///
    /// # Safety
    ///
    /// - The elements are of type `T`, and while the slice is in use, they are accessed only through it.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u8>();
    /// // SAFETY: a `u8`.
    /// unsafe { column.push(&5) };
    /// // SAFETY: the elements are `u8`s, and not borrowed otherwise.
    /// unsafe { column.as_mut_slice::<u8>() }.fill(6);
    /// // SAFETY: as before.
    /// assert_eq!(unsafe { column.as_slice::<u8>() }, [6]);
    /// ```
    #[track_caller]
    pub unsafe fn as_mut_slice<T>(&mut self) -> &mut [T] {
        self.assert_layout::<T>();
        // SAFETY: as for `as_slice`; the caller guarantees that the elements are of type `T`, and accessed only through
        // the slice while it is in use.
        unsafe { slice::from_raw_parts_mut(self.as_ptr().cast(), self.len) }
    }

    #[track_caller]
    fn assert_layout<T>(&self) {
        assert!(self.layout() == Layout::new::<T>(), "the layout is not that of the column");
    }

    reserve_methods! {
        &mut, "elements";
        /// Makes system calls if the capacity does not suffice.
    }

    reserve_exact_methods! { "elements" }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    fn make_room_for(&mut self, additional: usize, amount: Amount) -> Result<(), Error> {
        if additional <= self.capacity() - self.len {
            return Ok(());
        }
        self.raw.grow(self.element, self.len, additional, amount)
    }

    shrink_methods! {
        /// Returns memory past the last element to the system; see
        /// [`VmVec::shrink_to_fit`](crate::VmVec::shrink_to_fit).
    }

    fn shrink_within(&mut self, budget: Budget) -> Result<GivenBack, Error> {
        self.shrink_to_within(0, budget)
    }

    /// Like [`shrink_to_fit_within`](Self::shrink_to_fit_within), but keeps capacity for at least `min_capacity`
    /// elements, if that much is committed.
    ///
    /// # Errors
    ///
    /// As for [`try_shrink_to_fit`](Self::try_shrink_to_fit).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::Budget;
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut numbers = ErasedColumn::of::<u64>();
    /// numbers.reserve(1_000_000);
    /// numbers.shrink_to_within(100_000, Budget::UNLIMITED)?;
    /// assert!((100_000..200_000).contains(&numbers.capacity()));
    /// # Ok::<(), stayput::Error>(())
    /// ```
    pub fn shrink_to_within(
        &mut self,
        min_capacity: usize,
        budget: Budget,
    ) -> Result<GivenBack, Error> {
        let keep = self.len.max(min_capacity);
        budget.spend(|meter| self.raw.shrink(self.element, keep, meter))
    }

    /// Returns statistics of the memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::columns::ErasedColumn;
    ///
    /// let mut column = ErasedColumn::of::<u64>();
    /// column.reserve(1000);
    /// assert!(column.stats().committed_bytes >= 8000);
    /// ```
    pub fn stats(&self) -> VecStats {
        VecStats::of(&self.raw, self.element, self.len)
    }
}

/// Values that are to be dropped: from `next` on, `left` elements of a column whose drop is `drop`, which are initialized,
/// and which nothing else uses.
struct Rest {
    next: *mut u8,
    left: usize,
    size: usize,
    drop: DropFn,
}

impl Rest {
    /// Drops the values in order, up to and including the first whose drop panics.
    fn run(&mut self) {
        while self.left > 0 {
            let value = self.next;
            self.left -= 1;
            self.next = value.wrapping_add(self.size);
            // SAFETY: the creator of the column guarantees that `drop` may be called once on each element. This one was
            // left until now, so it is neither dropped nor used again.
            unsafe { (self.drop)(value) };
        }
    }
}

impl Drop for Rest {
    fn drop(&mut self) {
        self.run();
    }
}

/// Drops values, and the rest if one panics; a second panic aborts, as in std.
fn drop_each(mut rest: Rest) {
    rest.run();
}

impl Drop for ErasedColumn {
    fn drop(&mut self) {
        // If this panics, the field `raw` still releases the memory.
        self.truncate(0);
    }
}

impl fmt::Debug for ErasedColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (layout, len) = (self.layout(), self.len);
        f.debug_struct("ErasedColumn")
            .field("layout", &layout)
            .field("len", &len)
            .finish_non_exhaustive()
    }
}
