//! The header of a file.
//!
//! [The module](super) documents the format. Each part has a block of 4 KiB of its own, so that a disk that writes one
//! of them only in part does not damage the others.

#![forbid(unsafe_code)]

use super::error::{FileError, FileErrorKind};
use super::map::Header;
use super::system;
use crate::error::Error;
use crate::reservation::page_size;
use std::fs::File;
use std::io;
use std::path::Path;

/// Where the elements start: at a multiple of the largest page size, so that files can move between machines.
pub(super) const HEADER_BYTES: usize = 64 << 10;

const MAGIC: [u8; 8] = *b"stayput\x1a";
/// The magic of a file that is being created. It holds nothing yet.
pub(super) const UNFINISHED: [u8; 8] = *b"stayput\0";
const VERSION: u32 = 1;
const ORDER: u32 = 0x0102_0304;
/// The length of the start of a header, which ends with its checksum.
pub(super) const BEGIN_BYTES: usize = 64;

/// Where the live length and related numbers lie.
pub(super) const LIVE_AT: usize = 4096;
const RECORDS_AT: [usize; 2] = [8192, 12288];

pub(super) const USER_BYTES: usize = 64;

/// The properties of a file that never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileIdentity {
    pub(super) element_bytes: usize,
    pub(super) align: usize,
    pub(super) tag: u64,
    pub(super) is_append_only: bool,
}

/// The reason that a file cannot be used, before its path is known.
#[derive(Debug)]
pub enum FileProblem {
    /// What is wrong with the file, and the number found and the one expected, if it is about numbers.
    Not(FileErrorKind, Option<(u64, u64)>),
    System(io::Error),
    Refused(Error),
}

impl FileProblem {
    /// Converts it to an error that names the file.
    pub(super) fn at(self, path: Option<&Path>) -> FileError {
        match self {
            Self::Not(kind, None) => FileError::new(kind, path),
            Self::Not(kind, Some((found, right))) => {
                FileError::new(kind, path).with_numbers(found, right)
            }
            Self::System(error) => FileError::of_io(error, path),
            Self::Refused(error) => FileError::of_error(error, path),
        }
    }
}

impl From<FileErrorKind> for FileProblem {
    fn from(kind: FileErrorKind) -> Self {
        Self::Not(kind, None)
    }
}

impl From<io::Error> for FileProblem {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<Error> for FileProblem {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl FileIdentity {
    pub(super) fn to_bytes(self) -> [u8; BEGIN_BYTES] {
        let mut bytes = begin(MAGIC, VERSION);
        bytes[16..24].copy_from_slice(&(self.element_bytes as u64).to_ne_bytes());
        bytes[24..32].copy_from_slice(&(self.align as u64).to_ne_bytes());
        bytes[32..40].copy_from_slice(&self.tag.to_ne_bytes());
        bytes[40..48].copy_from_slice(&u64::from(self.is_append_only).to_ne_bytes());
        bytes[48..56].copy_from_slice(&(HEADER_BYTES as u64).to_ne_bytes());
        seal(&mut bytes);
        bytes
    }

    /// Checks that a file has these elements and this tag. Returns whether it is append-only, which is not compared.
    pub(super) fn check(self, header: Header<'_>) -> Result<bool, FileProblem> {
        let bytes = header.read(0);
        check_begin(&bytes, MAGIC, VERSION)?;
        let number = |at| number(&bytes, at);
        if number(48) != HEADER_BYTES as u64 {
            return Err(FileErrorKind::Header.into());
        }
        let elements = [(number(16), self.element_bytes as u64), (number(24), self.align as u64)];
        if let Some(differ) = elements.into_iter().find(|(found, right)| found != right) {
            return Err(FileProblem::Not(FileErrorKind::Element, Some(differ)));
        }
        if number(32) != self.tag {
            return Err(FileProblem::Not(FileErrorKind::Tag, Some((number(32), self.tag))));
        }
        Ok(number(40) != 0)
    }
}

/// What a flush makes durable together. After a crash of the system, the last whole record counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) sequence: u64,
    pub(super) len: u64,
    pub(super) user: [u8; USER_BYTES],
}

impl Record {
    pub(super) const BYTES: usize = 88;

    pub(super) const NONE: Self = Self { sequence: 0, len: 0, user: [0; USER_BYTES] };

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[0..8].copy_from_slice(&self.sequence.to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.len.to_ne_bytes());
        bytes[16..80].copy_from_slice(&self.user);
        seal(&mut bytes);
        bytes
    }

    /// The bound of sequence numbers, which no number of flushes reaches.
    const MOST: u64 = 1 << 62;

    /// Reads the record in one of the two places; `None` if it is not whole, or belongs in the other place.
    fn read(header: Header<'_>, place: usize) -> Option<Self> {
        let bytes: [u8; Self::BYTES] = header.read(RECORDS_AT[place]);
        let (sequence, len) = (number(&bytes, 0), number(&bytes, 8));
        let record = Self { sequence, len, user: part(&bytes, 16) };
        let is_here = record.place() == place && record.sequence < Self::MOST;
        (is_sealed(&bytes) && is_here).then_some(record)
    }

    /// Returns the last whole record. One of the two always is: they are written in turns, each after the one before is
    /// durable.
    ///
    /// A writer may write several during this call. It therefore repeats until both are whole and consecutive, or the
    /// same one is found twice. The number of tries is bounded, since there may be none.
    pub(super) fn last(header: Header<'_>) -> Option<Self> {
        const TRIES: usize = 1000;
        let later = |a: Option<Self>, b: Option<Self>| match (a, b) {
            (Some(a), Some(b)) if a.sequence > b.sequence => Some(a),
            (a, b) => b.or(a),
        };
        let (mut last, mut before) = (None, None);
        for _ in 0..TRIES {
            let [first, second] = [0, 1].map(|place| Self::read(header, place));
            let found = later(first, second);
            last = later(last, found);
            let both = first.zip(second);
            if both.is_some_and(|(a, b)| a.sequence.abs_diff(b.sequence) == 1)
                || (found.is_some() && found == before)
            {
                break;
            }
            before = found;
        }
        last
    }

    /// Returns the record in the other place, if it is whole.
    pub(super) fn other(&self, header: Header<'_>) -> Option<Self> {
        Self::read(header, 1 - self.place())
    }

    /// Returns `true` if sequence numbers may run out. No writer ever reaches this.
    pub(super) const fn is_too_late(&self) -> bool {
        self.sequence >= Self::MOST / 2
    }

    pub(super) const fn next(self, len: usize, user: [u8; USER_BYTES]) -> Self {
        Self { sequence: self.sequence + 1, len: len as u64, user }
    }

    /// Returns the offset in the file at which the record is written, over the one before the last.
    pub(super) fn at(&self) -> usize {
        RECORDS_AT[self.place()]
    }

    /// Returns which of the two places it belongs in.
    fn place(&self) -> usize {
        usize::from(self.sequence % 2 == 1)
    }
}

/// The number of bytes at the start of the file that are not always zero.
pub(super) const USED_BYTES: usize = RECORDS_AT[1] + 4096;

/// Returns the number of bytes at the start of the file that are written when it is created or opened, so that later
/// stores to these pages take no disk space.
pub(super) fn written_bytes() -> usize {
    USED_BYTES.max(page_size()).min(HEADER_BYTES)
}

/// Returns `true` if a file starts with the magic.
pub(super) fn is_stayput(file: &File) -> io::Result<bool> {
    let mut bytes = [0; MAGIC.len()];
    system::read_at(file, &mut bytes, 0)?;
    Ok(bytes == MAGIC)
}

/// Returns `true` if the creation of a file was interrupted: it is empty, starts with the magic for that, or is all zeros
/// because the system crashed before its pages were written.
pub(super) fn is_unfinished(file: &File, long: u64) -> io::Result<bool> {
    let mut bytes = [0; 4096];
    let mut at = 0;
    loop {
        let count = usize::try_from(long - at).unwrap_or(bytes.len()).min(bytes.len());
        let bytes = &mut bytes[..count];
        system::read_at(file, bytes, at)?;
        if at == 0 && bytes.starts_with(&UNFINISHED) {
            return Ok(true);
        }
        if long > HEADER_BYTES as u64 || bytes.iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        at += count as u64;
        if at == long {
            return Ok(true);
        }
    }
}

/// Extends an empty file to the length of a header and marks it as unfinished.
pub(super) fn make(file: &File, take: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    system::write_in_place(file);
    take()?;
    system::write_zeros(file, 0..written_bytes() as u64)?;
    system::write_at(file, &UNFINISHED, 0)
}

pub(super) fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes[at..at + N].try_into().expect("the range has `N` bytes")
}

pub(super) fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(part(bytes, at))
}

pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(part(bytes, at))
}

/// Returns the start of a header: the magic, the version, and the byte order.
pub(super) fn begin(magic: [u8; 8], version: u32) -> [u8; BEGIN_BYTES] {
    let mut bytes = [0; BEGIN_BYTES];
    bytes[..8].copy_from_slice(&magic);
    bytes[8..12].copy_from_slice(&version.to_ne_bytes());
    bytes[12..16].copy_from_slice(&ORDER.to_ne_bytes());
    bytes
}

/// Checks what [`begin`] writes, and the checksum.
pub(super) fn check_begin(
    bytes: &[u8; BEGIN_BYTES],
    magic: [u8; 8],
    version: u32,
) -> Result<(), FileProblem> {
    let (found, order) = (word(bytes, 8), word(bytes, 12));
    if bytes[..8] != magic {
        return Err(FileErrorKind::NotStayput.into());
    }
    if order == ORDER.swap_bytes() {
        return Err(FileErrorKind::ByteOrder.into());
    }
    if found != version {
        return Err(FileProblem::Not(FileErrorKind::Version, Some((found.into(), version.into()))));
    }
    if !is_sealed(bytes) || order != ORDER {
        return Err(FileErrorKind::Header.into());
    }
    Ok(())
}

/// Writes the checksum of all other bytes to the last eight.
pub(super) fn seal(bytes: &mut [u8]) {
    let (content, sum) = bytes.split_at_mut(bytes.len() - 8);
    sum.copy_from_slice(&u64::from(crc32fast::hash(content)).to_ne_bytes());
}

fn is_sealed(bytes: &[u8]) -> bool {
    let (content, sum) = bytes.split_at(bytes.len() - 8);
    sum == u64::from(crc32fast::hash(content)).to_ne_bytes()
}
