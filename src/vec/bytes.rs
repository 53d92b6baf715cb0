//! Writing bytes to an array, and reading bytes into one.

#![expect(unsafe_code, reason = "appends bytes, and zeroes for a reader to overwrite")]

use super::VmVec;
use std::io::{self, IoSlice, Read, Write};

impl VmVec<u8> {
    /// Appends all bytes of a reader, up to its end, and returns their number, as [`Read::read_to_end`] does for a
    /// `Vec`.
    ///
    /// Bytes are read in place, at most 32 KiB at a time, or the rest of [`capacity`](Self::capacity) if that is less;
    /// [`io::copy`], for which an array is a [`Write`], copies them once more, in parts of 8 KiB. Enters the kernel if
    /// the capacity is used up.
    ///
    /// # Errors
    ///
    /// Those of the reader, except for [`Interrupted`](io::ErrorKind::Interrupted), after which the read is retried;
    /// and one that wraps an [`Error`](crate::Error) if memory is refused. Bytes that were read before stay, also if
    /// the reader panics. If memory is refused, up to 32 more bytes may be lost, which were read to find out whether
    /// more memory is needed.
    ///
    /// # Panics
    ///
    /// If the reader claims to have read more bytes than were requested.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut bytes = stayput::VmVec::from("<");
    /// let mut reader = "from a file".as_bytes();
    /// assert_eq!(bytes.read_from(&mut reader)?, 11);
    /// assert_eq!(bytes, *b"<from a file");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read_from<R: Read + ?Sized>(&mut self, reader: &mut R) -> io::Result<usize> {
        let before = self.len;
        let mut filling = Filling { filled: before, vec: self };
        while filling.read_some(reader)? > 0 {}
        Ok(filling.filled - before)
    }
}

/// An array while a reader fills it. Past the bytes that were read, it may hold zeros for the next reads to overwrite;
/// they are truncated when this is dropped, also if the reader panics.
struct Filling<'v> {
    vec: &'v mut VmVec<u8>,
    /// The number of bytes that stay.
    filled: usize,
}

impl Filling<'_> {
    /// Small enough to be zeroed and read within a cache, large enough for a system call.
    const STEP_BYTES: usize = 32 << 10;

    /// Reads once, and returns the number of bytes; 0 at the end.
    fn read_some<R: Read + ?Sized>(&mut self, reader: &mut R) -> io::Result<usize> {
        let spare = self.vec.capacity() - self.vec.len;
        let count = if self.filled < self.vec.len {
            read_once(reader, &mut self.vec[self.filled..])?
        } else if spare > 0 {
            let step = spare.min(Self::STEP_BYTES);
            // SAFETY: all zero is a valid `u8`.
            unsafe { self.vec.try_extend_zeroed_unchecked(step) }?;
            read_once(reader, &mut self.vec[self.filled..])?
        } else {
            // The reader may be at its end, so nothing is committed yet.
            let mut few = [0; 32];
            let count = read_once(reader, &mut few)?;
            self.vec.write_all(&few[..count])?;
            count
        };
        self.filled += count;
        Ok(count)
    }
}

impl Drop for Filling<'_> {
    fn drop(&mut self) {
        self.vec.truncate(self.filled);
    }
}

/// Reads once, again if the reader was interrupted.
fn read_once<R: Read + ?Sized>(reader: &mut R, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(into) {
            Ok(count) => {
                assert!(count <= into.len(), "the reader read {count} bytes into {}", into.len());
                return Ok(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl Write for VmVec<u8> {
    /// Appends all bytes. If memory is refused, the error wraps an [`Error`](crate::Error).
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let count = parts.iter().try_fold(0_usize, |sum, part| sum.checked_add(part.len()));
        let count = count.unwrap_or(usize::MAX); // which is refused
        self.try_reserve(count)?;
        parts.iter().try_for_each(|part| self.write_all(part))?;
        Ok(count)
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.try_reserve(bytes.len())?;
        // SAFETY: `bytes.len()` more bytes were just reserved; they are `Copy`, so the originals stay valid; `bytes`
        // is a shared borrow, so it does not overlap the spare capacity of the mutably borrowed array.
        unsafe { self.append_from(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
