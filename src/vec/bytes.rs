//! Bytes that are written to an array, or read into one.

#![expect(unsafe_code, reason = "appends bytes, and zeroes for a reader to overwrite")]

use super::VmVec;
use std::io::{self, IoSlice, Read, Write};

impl VmVec<u8> {
    /// Appends all that a reader gives, up to its end, and returns how many bytes those are; as
    /// [`Read::read_to_end`] does for a `Vec`.
    ///
    /// What is read goes into its place at once, 32 KiB at a time at most, or all that is left of
    /// [`capacity`](Self::capacity) where that is less; [`io::copy`], for which an array is a [`Write`],
    /// copies once more, in parts of 8 KiB. Enters the kernel if capacity is used up.
    ///
    /// # Errors
    ///
    /// Those of the reader, but for [`Interrupted`](io::ErrorKind::Interrupted), after which it is asked
    /// again; and an [`Error`](crate::Error) inside, where memory cannot be had. What was read before stays,
    /// and so it does should the reader panic. Where memory is refused, up to 32 more bytes may be
    /// lost, which were read to learn whether more is needed.
    ///
    /// # Panics
    ///
    /// If the reader says that it read more than it was asked for.
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

/// An array while a reader fills it: behind what was read, it may hold zeroes for the next reads. They
/// are cut off when this ends, also should the reader panic.
struct Filling<'v> {
    vec: &'v mut VmVec<u8>,
    /// The bytes that are to stay.
    filled: usize,
}

impl Filling<'_> {
    /// Few enough to be zeroed, and read, within a cache; many for a call to the kernel.
    const STEP_BYTES: usize = 32 << 10;

    /// Reads once, and says how much it was; 0 at the end.
    fn read_some<R: Read + ?Sized>(&mut self, reader: &mut R) -> io::Result<usize> {
        let spare = self.vec.capacity() - self.vec.len;
        let count = if self.filled < self.vec.len {
            read_once(reader, &mut self.vec[self.filled..])?
        } else if spare > 0 {
            let step = spare.min(Self::STEP_BYTES);
            // SAFETY: 0 is a byte.
            unsafe { self.vec.try_extend_zeroed_unchecked(step) }?;
            read_once(reader, &mut self.vec[self.filled..])?
        } else {
            // The reader may be at its end, and then nothing is to be committed.
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

/// Has the reader read once, again if it was interrupted.
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
    /// Appends all bytes. The error, if memory cannot be had, is an [`Error`](crate::Error)
    /// inside.
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        let count = parts.iter().map(|part| part.len()).sum();
        self.try_reserve(count)?;
        parts.iter().try_for_each(|part| self.write_all(part))?;
        Ok(count)
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.try_reserve(bytes.len())?;
        // SAFETY: room for as many was made; bytes are `Copy`, so they may be used where they were,
        // and what is borrowed is not the spare room of what is borrowed mutably.
        unsafe { self.append_from(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
