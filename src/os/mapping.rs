//! [`Mapping`]: an owned range of addresses, and [`Pages`] of it, to which the calls apply.
//!
//! # Soundness
//!
//! Owners of a [`Mapping`] may release it, as the owner of a `Box` may: code that reaches the memory does so through raw
//! pointers, and is responsible for that. [`Pages`] borrow their mapping, so it is not released meanwhile, and
//! [`Mapping::pages`] checks that they lie inside it. Calls that take access or contents away need [`UnusedPages`], for
//! which the caller promises that no code uses the memory.

use super::{
    Advice, Call, Code, MOVES, RELEASES_PARTS, Refusal, attempt, call_system, moves, moves_onto,
    page_size, sys,
};
use crate::error::Error;
use crate::page::PageBytes;
use std::marker::PhantomData;
use std::mem;
use std::ops::Range;
use std::ptr::NonNull;

/// An owned range of addresses. Dropping it releases nothing.
///
/// # Invariants
///
/// - The range is empty, or one that the system returned, or if [`RELEASES_PARTS`], also what is left of one, or several
///   adjacent ones. It begins at a page, except for [`NONE`](Self::NONE).
/// - It has not been released, and has no other owner.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    bytes: PageBytes,
}

impl Mapping {
    /// A mapping without pages, which need not be released.
    pub(crate) const NONE: Self = Self { start: NonNull::dangling(), bytes: PageBytes::ZERO };

    /// Reserves an inaccessible range of addresses, aligned to a page.
    pub(crate) fn reserve(bytes: PageBytes) -> Result<Self, Error> {
        let start = attempt(Call::Reserve, bytes.get(), || sys::reserve(bytes.get()))?;
        Ok(Self { start, bytes })
    }

    /// [`reserve`](Self::reserve) without the reason for a refusal.
    pub(crate) fn reserve_if_possible(bytes: PageBytes) -> Option<Self> {
        let start = call_system(Call::Reserve, || sys::reserve(bytes.get())).ok()?;
        Some(Self { start, bytes })
    }

    /// Returns the mapping with this start and size.
    ///
    /// # Safety
    ///
    /// - The invariants of [`Mapping`] hold. An owner that has it as a part of another mapping no longer uses that part,
    ///   and knows that it ends elsewhere.
    pub(crate) const unsafe fn from_raw(start: NonNull<u8>, bytes: PageBytes) -> Self {
        Self { start, bytes }
    }

    pub(crate) const fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub(crate) const fn bytes(&self) -> PageBytes {
        self.bytes
    }

    /// Returns the address of the first byte past the range.
    pub(crate) fn end(&self) -> usize {
        self.start.addr().get() + self.bytes.get()
    }

    /// Returns a pointer to the byte at `offset`, which is at most the size.
    #[inline]
    pub(crate) fn at(&self, offset: usize) -> NonNull<u8> {
        assert!(offset <= self.bytes.get(), "an offset past the mapping");
        // SAFETY: `offset` is at most the size of the range, as asserted above, which is at most `isize::MAX` bytes. "The
        // entire memory range" is in bounds: it is what one call of the system returned, or several that were
        // [joined](Self::absorb), between which the system makes no difference.
        unsafe { self.start.add(offset) }
    }

    /// Returns the pages at `offset`, all of which must be inside the range.
    pub(crate) fn pages(&self, offset: usize, bytes: PageBytes) -> Pages<'_> {
        let rest = self.bytes.get().checked_sub(offset);
        let is_inside = rest.is_some_and(|rest| bytes.get() <= rest);
        assert!(is_inside && offset & (page_size().get() - 1) == 0, "pages past the mapping");
        Pages { mapping_start: self.start, start: self.at(offset), bytes, mapping: PhantomData }
    }

    /// Returns all pages.
    pub(crate) const fn all(&self) -> Pages<'_> {
        let Self { start, bytes } = *self;
        Pages { mapping_start: start, start, bytes, mapping: PhantomData }
    }

    /// Returns all pages of an exclusive mapping as unused ones.
    pub(crate) fn unused(&mut self) -> UnusedPages<'_> {
        // As for `release`: code that reaches the memory does so through raw pointers, and is responsible for that.
        UnusedPages(self.all())
    }

    /// Splits the range at `offset`, and returns the part from there on.
    #[expect(clippy::assertions_on_constants, reason = "it depends on the system")]
    pub(crate) fn split_off(&mut self, offset: PageBytes) -> Self {
        assert!(RELEASES_PARTS, "the system has only whole reservations");
        let start = self.at(offset.get());
        let bytes = self.bytes.checked_sub(offset).expect("`at` has compared them");
        self.bytes = offset;
        Self { start, bytes }
    }

    /// Adds an adjacent range, or returns it if it is not adjacent, or if the system has only whole reservations.
    pub(crate) fn absorb(&mut self, other: Self) -> Result<(), Self> {
        if !RELEASES_PARTS {
            return Err(other);
        }
        let start = if self.end() == other.start.addr().get() {
            self.start
        } else if other.end() == self.start.addr().get() {
            other.start
        } else {
            return Err(other);
        };
        let Some(bytes) = self.bytes.checked_add(other.bytes) else { return Err(other) };
        *self = Self { start, bytes };
        Ok(())
    }

    /// Releases the range, or returns it if the system refuses. The reason is not determined, since it would be of no
    /// use.
    pub(crate) fn release(self) -> Result<(), Self> {
        match call_system(Call::Release, || Ok(())) {
            Ok(()) => sys::release(self),
            Err(_) => Err(self),
        }
    }

    /// Moves pages, without copying, to a range of `new_bytes` at an address that the system chooses, all of it
    /// committed: bytes past the moved ones are zero, and bytes that do not fit are lost. `self` becomes that range, and
    /// what preceded and followed the pages is returned.
    ///
    /// Not every system can do this, and none can for pages with different attributes. After a failure nothing has
    /// changed.
    pub(crate) fn move_if_possible(
        &mut self,
        offset: PageBytes,
        bytes: PageBytes,
        new_bytes: PageBytes,
    ) -> Option<[Self; 2]> {
        if !MOVES || bytes == PageBytes::ZERO || new_bytes == PageBytes::ZERO {
            return None;
        }
        let pages = self.pages(offset.get(), bytes);
        let from = pages.start;
        // SAFETY: "the old pages are not used again": `&mut self` excludes `Pages` of them, and below they are cut out, so
        // that "their owner no longer owns them".
        let moved =
            call_system(Call::Move, || unsafe { moves::move_pages(pages, new_bytes.get()) });
        let moved = Self { start: moved.ok()?, bytes: new_bytes };
        // If the memory has stayed in place, the hole is what it has grown over.
        let gone = if moved.start == from { bytes.max(new_bytes) } else { bytes };
        let gone_to = offset.checked_add(gone).expect("inside the addresses").min(self.bytes);
        let after = self.split_off(gone_to);
        let _hole = self.split_off(offset);
        Some([mem::replace(self, moved), after])
    }

    /// Replaces the range, which is not empty, by the memory of as many pages, without copying. Those stay committed, and
    /// read as zero.
    ///
    /// Returns the range unchanged if the system cannot do this. If the move fails, returns `None`: another part of the
    /// process may use the range.
    pub(crate) fn filled_from(self, pages: UnusedPages<'_>) -> Result<Self, Option<Self>> {
        if !moves_onto() || call_system(Call::Move, || Ok(())).is_err() {
            return Err(Some(self));
        }
        call_system(Call::Move, || moves::move_onto(pages, self)).map_err(|_| None)
    }
}

/// Whole pages of a mapping, which is not released for `'m`.
///
/// # Invariants
///
/// - `mapping_start` is the start of a [`Mapping`] that is borrowed for `'m`.
/// - `start` is aligned to a page, unless there are no pages, and the `bytes` from there on lie inside the mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pages<'m> {
    #[cfg_attr(not(no_vm), expect(dead_code, reason = "the system does not need it"))]
    mapping_start: NonNull<u8>,
    start: NonNull<u8>,
    bytes: PageBytes,
    mapping: PhantomData<&'m Mapping>,
}

// SAFETY: a range of addresses, which is not tied to a thread. All calls may be made by any thread, and those that take
// access or contents away need `UnusedPages`, whose maker promises that no code uses the memory.
unsafe impl Send for Pages<'_> {}
// SAFETY: as above; `Pages` is `Copy`, so a reference gives what the value does.
unsafe impl Sync for Pages<'_> {}

impl<'m> Pages<'m> {
    /// The start of the mapping, by which some systems find it.
    #[cfg(no_vm)]
    pub(super) const fn mapping_start(self) -> NonNull<u8> {
        self.mapping_start
    }

    pub(crate) const fn start(self) -> NonNull<u8> {
        self.start
    }

    pub(crate) const fn bytes(self) -> PageBytes {
        self.bytes
    }

    /// The address and the size, as the calls of the system take them.
    #[cfg(not(no_vm))]
    pub(super) const fn raw(self) -> (*mut std::ffi::c_void, usize) {
        (self.start.as_ptr().cast(), self.bytes.get())
    }

    /// Returns the addresses of the pages.
    pub(super) fn addresses(self) -> Range<usize> {
        let start = self.start.addr().get();
        start..start + self.bytes.get()
    }

    /// Makes a call, unless there are no pages.
    fn call(self, call: Call, make: impl FnOnce(Self) -> Result<(), Code>) -> Result<(), Refusal> {
        let bytes = self.bytes.get();
        if bytes == 0 {
            return Ok(());
        }
        call_system(call, || make(self)).map_err(|code| Refusal { call, bytes, code })
    }

    /// Makes pages readable and writable, and reserves memory for them in the system's accounting.
    ///
    /// After a failure the contents are unchanged, and some of the pages may have become accessible.
    pub(crate) fn commit(self) -> Result<(), Refusal> {
        self.call(Call::Commit, sys::commit)
    }

    /// Returns the pages as ones that no code uses.
    ///
    /// # Safety
    ///
    /// - For as long as the result and its copies are used, no other code accesses the pages, and afterwards none relies
    ///   on their contents, or on their being committed.
    pub(crate) const unsafe fn unused(self) -> UnusedPages<'m> {
        UnusedPages(self)
    }

    /// Makes committed pages resident, so that touching them takes no page fault. The contents are unchanged.
    ///
    /// # Safety
    ///
    /// - The pages are committed, and stay so meanwhile.
    /// - Unless [`PREFAULTING_IS_SHARED`](super::PREFAULTING_IS_SHARED), no other thread accesses them non-atomically
    ///   meanwhile.
    pub(crate) unsafe fn prefault(self) -> Result<(), Refusal> {
        // SAFETY: the call has the same two conditions.
        self.call(Call::Prefault, |pages| unsafe { sys::prefault(pages) })
    }

    /// [`prefault`](Self::prefault) by a page fault for each page. It takes somewhat longer, but holds no lock for longer
    /// than one page fault.
    ///
    /// # Safety
    ///
    /// - The pages are committed, and stay so meanwhile.
    /// - Unless [`TOUCHING_IS_SHARED`](super::TOUCHING_IS_SHARED), no other thread accesses them non-atomically meanwhile.
    pub(crate) unsafe fn touch(self) -> Result<(), Refusal> {
        self.call(Call::Prefault, |pages| {
            // SAFETY: the call has the same two conditions.
            unsafe { super::touch::pages(pages, sys::page_bytes()) };
            Ok(())
        })
    }

    /// Tells the system about the use of the pages. The system may ignore it, and only speed depends on it, so a refusal
    /// is ignored.
    pub(crate) fn advise(self, advice: Advice) {
        if self.bytes != PageBytes::ZERO {
            sys::advise(self, advice);
        }
    }

    /// Sets the name that the system shows with pages in its list of mappings, if it can. `None` removes it.
    pub(crate) fn set_name(self, name: Option<&str>) {
        sys::name_pages(self, name);
    }

    /// Locks committed pages in memory until they are unlocked or released.
    pub(crate) fn lock(self) -> Result<(), Refusal> {
        self.call(Call::Lock, sys::lock)
    }

    /// Undoes [`lock`](Self::lock). Pages that are not locked are no error, since locks do not nest.
    pub(crate) fn unlock(self) {
        if self.bytes != PageBytes::ZERO {
            // The one refusal to expect is that the pages are not locked.
            let _ = sys::unlock(self);
        }
    }

    /// Returns how many bytes are committed.
    pub(crate) fn committed_bytes(self) -> Result<usize, Error> {
        let mut sum = 0;
        self.for_each_committed(|_, part| {
            sum += part.get();
            Ok(())
        })?;
        Ok(sum)
    }

    /// Returns how many bytes are resident.
    pub(crate) fn resident_bytes(self) -> Result<usize, Error> {
        let mut sum = 0;
        // A reservation may have billions of pages, of which only committed ones can be resident.
        self.for_each_committed(|start, part| {
            sum += attempt(Call::Query, part.get(), || sys::resident_bytes(start, part.get()))?;
            Ok(())
        })?;
        Ok(sum)
    }

    /// Calls `visit` with each committed part, in address order.
    fn for_each_committed(
        self,
        mut visit: impl FnMut(NonNull<u8>, PageBytes) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (bytes, Range { start: first, end }) = (self.bytes.get(), self.addresses());
        if bytes == 0 {
            return Ok(());
        }
        let mut parts = attempt(Call::Query, bytes, || sys::accessible(self))?;
        while let Some(part) = attempt(Call::Query, bytes, || parts.next().transpose())? {
            let part_start = part.start.max(first);
            let part_end = part.end.min(end);
            let Some(length) = part_end.checked_sub(part_start) else { continue };
            let length = PageBytes::exact(length, page_size()).expect("mappings are whole pages");
            let address = self.start.map_addr(|_| {
                // At least `first`, the address of a `NonNull`.
                part_start.try_into().expect("above null")
            });
            visit(address, length)?;
        }
        Ok(())
    }
}

/// Pages that no code uses, made by [`Pages::unused`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnusedPages<'m>(Pages<'m>);

impl UnusedPages<'_> {
    /// Returns the pages.
    pub(super) const fn get(&self) -> Pages<'_> {
        self.0
    }

    fn call(self, call: Call, make: impl FnOnce(Self) -> Result<(), Code>) -> Result<(), Refusal> {
        self.0.call(call, |_| make(self))
    }

    /// Returns the memory and its charge; the pages become inaccessible.
    ///
    /// After a failure the contents are unchanged.
    pub(crate) fn decommit(self) -> Result<(), Refusal> {
        self.call(Call::Decommit, sys::decommit)
    }

    /// Returns the memory of committed pages and keeps them accessible. They read as zero.
    ///
    /// After a failure the contents are unchanged; but a system that discards by decommitting leaves the range
    /// inaccessible if it refuses to commit again.
    pub(crate) fn discard(self) -> Result<(), Refusal> {
        self.call(Call::Discard, sys::discard)
    }

    /// Returns the memory of pages whose reservation is about to be released, in the way that blocks other threads least.
    /// The pages may be inaccessible.
    pub(crate) fn abandon(self) -> Result<(), Refusal> {
        self.call(Call::Discard, sys::abandon)
    }

    /// Permits the system to take pages away when there is little memory, until they are written to again. They read as
    /// zero then. A refusal is ignored, since only speed depends on it.
    pub(crate) fn offer(self) {
        if self.0.bytes != PageBytes::ZERO {
            sys::offer(self);
        }
    }
}
