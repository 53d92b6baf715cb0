//! Page size, locks and mappings on Linux. Elsewhere the crate `region` has them; here it would only add build time.

use super::limits::{TEXT_BYTES, open, read};
use super::{Code, check, last_code};
use std::iter;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(in crate::os) fn page_bytes() -> usize {
    /// 0: not asked yet. Threads that race here store the same answer.
    static BYTES: AtomicUsize = AtomicUsize::new(0);
    match BYTES.load(Ordering::Relaxed) {
        0 => {
            // SAFETY: `sysconf` reads no memory of ours.
            let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            // It is never refused.
            let bytes = usize::try_from(bytes).unwrap_or(4096);
            BYTES.store(bytes, Ordering::Relaxed);
            bytes
        }
        bytes => bytes,
    }
}

pub(in crate::os) fn lock(start: NonNull<u8>, bytes: usize) -> Result<(), Code> {
    // SAFETY: `mlock` changes nothing in memory.
    check(unsafe { libc::mlock(start.as_ptr().cast(), bytes) })
}

/// # Safety
///
/// As for [`super::super::unlock`].
pub(in crate::os) unsafe fn unlock(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller promises that the range is ours, so no other lock is undone. The one refusal to expect is
    // that the pages are not locked.
    let _ = unsafe { libc::munlock(start.as_ptr().cast(), bytes) };
}

/// The parts of a range that can be read and written; the first and last may reach beyond it.
///
/// # Safety
///
/// - None to keep: any range may be asked for.
pub(in crate::os) unsafe fn accessible(
    _: NonNull<u8>,
    start: NonNull<u8>,
    bytes: usize,
) -> Result<impl Iterator<Item = Result<Range<usize>, Code>>, Code> {
    let first = start.addr().get();
    let end = first + bytes;
    let file = open(c"/proc/self/maps").ok_or_else(last_code)?;
    let mut list = List { file, text: [0; TEXT_BYTES], unread: 0..0 };
    // The list is in the order of addresses.
    let parts = iter::from_fn(move || list.next().transpose())
        .skip_while(move |part| part.as_ref().is_ok_and(|part| part.addresses.end <= first))
        .take_while(move |part| part.as_ref().map_or(true, |part| part.addresses.start < end))
        .filter(|part| part.as_ref().map_or(true, |part| part.is_accessible));
    Ok(parts.map(|part| part.map(|part| part.addresses)))
}

/// A line of the list of mappings.
#[derive(Debug, PartialEq, Eq)]
struct Mapping {
    addresses: Range<usize>,
    is_accessible: bool,
}

/// `/proc/self/maps`, read in pieces.
struct List {
    file: OwnedFd,
    text: [u8; TEXT_BYTES],
    unread: Range<usize>,
}

impl List {
    fn next(&mut self) -> Result<Option<Mapping>, Code> {
        /// The longest that a line's addresses and access are.
        const BEGIN_BYTES: usize = 2 * 16 + 6;
        let mut begin = [0; BEGIN_BYTES];
        let mut length = 0;
        while let Some(byte) = self.next_byte()? {
            if byte == b'\n' {
                // Not the system's answer, so it has no code.
                return Mapping::parse(&begin[..length.min(BEGIN_BYTES)]).map(Some).ok_or(0);
            }
            if let Some(place) = begin.get_mut(length) {
                *place = byte;
            }
            length += 1;
        }
        Ok(None)
    }

    fn next_byte(&mut self) -> Result<Option<u8>, Code> {
        if self.unread.is_empty() {
            let text = read(&self.file, &mut self.text).ok_or_else(last_code)?;
            self.unread = 0..text.len();
        }
        Ok(self.unread.next().map(|at| self.text[at]))
    }
}

impl Mapping {
    /// Reads the begin of a line such as `7f0000000000-7f0000021000 rw-p`.
    fn parse(begin: &[u8]) -> Option<Self> {
        let mut words = begin.split(|byte| *byte == b' ' || *byte == b'-');
        let mut address =
            || usize::from_str_radix(std::str::from_utf8(words.next()?).ok()?, 16).ok();
        let addresses = address()?..address()?;
        Some(Self { addresses, is_accessible: words.next()?.starts_with(b"rw") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_the_kernel_writes_them() {
        let parse = |line: &str| Mapping::parse(line.as_bytes());
        let mapping = |addresses, is_accessible| Some(Mapping { addresses, is_accessible });
        assert_eq!(parse("00400000-00409000 r-xs 0"), mapping(0x40_0000..0x40_9000, false));
        assert_eq!(parse("7f00-8f00 rw-p"), mapping(0x7f00..0x8f00, true));
        assert_eq!(parse("7f00-8f00 ---p"), mapping(0x7f00..0x8f00, false));
        for wrong in ["", "7f00", "7f00-8f00", "7f00 -8f00 rw-p", "x-8f00 rw-p"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
