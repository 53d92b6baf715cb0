//! Moves memory to other addresses, by `mremap`.

use super::{Code, Mapping, Pages, UnusedPages, page_size, sys};
use crate::page::PageBytes;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether [`Mapping::move_if_possible`] can succeed.
pub(crate) const MOVES: bool = true;

/// Keeps the old addresses mapped. Since Linux 5.7; `libc` does not define it for all C libraries.
const MREMAP_DONTUNMAP: libc::c_int = 4;

/// # Safety
///
/// - The old pages are not used again, and their owner no longer owns them.
pub(super) unsafe fn move_pages(pages: Pages<'_>, new_bytes: usize) -> Result<NonNull<u8>, Code> {
    let (start, bytes) = pages.raw();
    // Without `MREMAP_FIXED`, which would unmap the new range before it checks whether the old one can be moved.
    // SAFETY: the pages are part of a mapping of this crate, and their old addresses are not used again, as the caller
    // promises. The kernel chooses a new range that is not in use.
    let at = unsafe { libc::mremap(start, bytes, new_bytes, libc::MREMAP_MAYMOVE) };
    if at == libc::MAP_FAILED {
        return Err(sys::last_code());
    }
    NonNull::new(at.cast()).ok_or(libc::ENOMEM)
}

/// Moves the memory of pages onto a mapping of the same size, and leaves fresh pages at the old addresses.
///
/// After an error, some of it may have been moved, and the new addresses may no longer be mapped. Whatever is there is
/// never released, since another thread may have mapped it. To lose addresses only once, [`moves_onto`] is `false` from
/// then on.
pub(super) fn move_onto(from: UnusedPages<'_>, to: Mapping) -> Result<Mapping, Code> {
    remap(from, to).inspect_err(|_| KNOWN.store(NO, Ordering::Relaxed))
}

fn remap(from: UnusedPages<'_>, to: Mapping) -> Result<Mapping, Code> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | MREMAP_DONTUNMAP;
    let ((start, bytes), (onto, room)) = (from.get().raw(), to.all().raw());
    assert_eq!(bytes, room, "as many pages");
    // SAFETY: both ranges are parts of mappings of this crate. No code uses what is in `from`, which stays mapped. `to`
    // is consumed unless the call succeeds, and nothing borrows it.
    let at = unsafe { libc::mremap(start, bytes, bytes, flags, onto) };
    if at == onto { Ok(to) } else { Err(sys::last_code()) }
}

const NO: usize = 1;
const YES: usize = 2;
static KNOWN: AtomicUsize = AtomicUsize::new(0);

/// Whether the kernel can move pages of several mappings onto others, as Linux 6.17 and later can. Older kernels unmap the
/// target, then fail.
pub(crate) fn moves_onto() -> bool {
    // Not under emulators (qemu's user mode), which pass the call on without tracking it.
    let is_known = || sys::knows_populate() && try_it().is_ok();
    match KNOWN.load(Ordering::Relaxed) {
        0 => {
            let found = if is_known() { YES } else { NO };
            // A move by another thread may have failed meanwhile.
            let before = KNOWN.compare_exchange(0, found, Ordering::Relaxed, Ordering::Relaxed);
            before.map_or_else(|known| known == YES, |_| found == YES)
        }
        known => known == YES,
    }
}

/// Moves two pages of separate mappings. If that is refused, the target addresses are not released: another thread may
/// use them.
fn try_it() -> Result<(), Code> {
    let one = PageBytes::one(page_size());
    let two = one.checked_add(one).expect("two pages");
    let four = two.checked_add(two).expect("four pages");
    let mut from = Mapping::reserve_if_possible(four).ok_or(libc::ENOMEM)?;
    let to = from.split_off(two);
    let is_ready = from.pages(0, one).commit().is_ok();
    let moved = remap(from.unused(), to);
    let _ = from.release();
    let _ = moved?.release();
    if is_ready { Ok(()) } else { Err(libc::ENOMEM) }
}
