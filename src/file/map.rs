//! [`Map`]: a mapped file, and its [`Header`].
//!
//! # Why this is sound
//!
//! Nothing here makes a reference to memory that others may write, except to atomics. A header is read and written in
//! whole words, each of them atomic, so a concurrent reader in this process or another sees each word either old or
//! new. (In Rust's memory model, another mapping of the same file is different memory; its writes appear here as those
//! of a device would. The processor orders both alike.)
//!
//! If another program truncates the file, accessing the missing part ends the process by a signal (`SIGBUS`) or an
//! exception. That is not undefined behaviour, and no process can prevent it.

#![expect(unsafe_code, reason = "makes a reference to the header of a mapping")]

use super::header::{HEADER_BYTES, LIVE_AT};
use memmap2::{MmapOptions, MmapRaw};
use std::fs::File;
use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

const WORD_BYTES: usize = size_of::<usize>();

/// The words of a header.
pub(super) type Words = [AtomicUsize; HEADER_BYTES / WORD_BYTES];

/// The offset of the part of the length that fits into a word of this process. (If words are shorter, so are arrays.)
pub(super) const LEN_AT: usize = low_word(LIVE_AT);
/// The boot that the length belongs to, followed by a word that is nonzero after a failed flush.
pub(super) const BOOT_AT: usize = LIVE_AT + 64;
const FAILED_AT: usize = BOOT_AT + 16;
/// The most elements ever published, if there are fewer now.
pub(super) const MOST_AT: usize = LIVE_AT + 128;
/// The number of removals: it is even, and each removal adds 1 twice.
pub(super) const REMOVALS_AT: usize = LIVE_AT + 192;
/// The number of times that the file was opened for writing.
pub(super) const OPENINGS_AT: usize = LIVE_AT + 200;

/// Returns the offset of the low word of a 64-bit number.
pub(super) const fn low_word(at: usize) -> usize {
    if cfg!(target_endian = "big") { at + 8 - WORD_BYTES } else { at }
}

/// Returns the word at an offset.
#[inline]
pub(super) const fn word(words: &Words, at: usize) -> &AtomicUsize {
    assert!(at % WORD_BYTES == 0, "the offset is not that of a word");
    &words[at / WORD_BYTES]
}

/// A file mapped from its first byte and, except on some systems, far past its end.
#[derive(Debug)]
pub(super) struct Map {
    map: MmapRaw,
    is_writable: bool,
}

impl Map {
    /// Maps `bytes` of a file, whether or not it is that long; touches none of them.
    pub(super) fn new(file: &File, bytes: usize, is_writable: bool) -> io::Result<Self> {
        let mut options = MmapOptions::new();
        options.len(bytes);
        let map =
            if is_writable { options.map_raw(file) } else { options.map_raw_read_only(file) }?;
        Ok(Self { map, is_writable })
    }

    pub(super) fn raw(&self) -> &MmapRaw {
        &self.map
    }

    pub(super) fn bytes(&self) -> usize {
        self.map.len()
    }

    /// Returns the address of an offset within the mapping.
    #[inline]
    pub(super) fn at(&self, offset: usize) -> NonNull<u8> {
        assert!(offset <= self.bytes(), "the offset is past the mapping");
        NonNull::new(self.map.as_mut_ptr().wrapping_add(offset)).expect("nothing is mapped at 0")
    }

    /// Returns the header. The file must be long enough.
    #[inline]
    pub(super) fn header(&self) -> Header<'_> {
        assert!(self.bytes() >= HEADER_BYTES, "the header is not mapped");
        let words = self.at(0).cast::<Words>();
        // SAFETY: a reference must be aligned, and to a valid value in mapped memory: mappings start at a page, any
        // bytes are `Words`, and these are mapped, as just asserted, for as long as `self` is borrowed. All code in
        // this process accesses them as atomics, which may change while they are borrowed.
        Header { words: unsafe { words.as_ref() } }
    }

    /// Writes whole words of the header.
    pub(super) fn write(&self, at: usize, bytes: &[u8]) {
        assert!(self.is_writable, "readers do not write to the file");
        assert!(bytes.len() % WORD_BYTES == 0, "only whole words can be written");
        let header = self.header();
        for (i, chunk) in bytes.chunks_exact(WORD_BYTES).enumerate() {
            let word = usize::from_ne_bytes(chunk.try_into().expect("the chunk is a word"));
            header.word(at + i * WORD_BYTES).store(word, Ordering::Release);
        }
    }

    /// Returns the words of the header, for writing.
    pub(super) fn words(&self) -> &Words {
        assert!(self.is_writable, "as in `write`");
        self.header().words
    }
}

/// The header of a mapped file.
#[derive(Clone, Copy)]
pub(super) struct Header<'m> {
    words: &'m Words,
}

impl<'m> Header<'m> {
    #[inline]
    fn word(self, at: usize) -> &'m AtomicUsize {
        word(self.words, at)
    }

    /// Reads a word. What was written before it is visible.
    #[inline]
    fn load(self, at: usize) -> usize {
        // Of memory that cannot be written to, std permits relaxed loads only.
        let word = self.word(at).load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        word
    }

    /// Reads whole words. What was written before them is visible.
    #[inline]
    pub(super) fn read<const N: usize>(self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        for (i, chunk) in bytes.chunks_exact_mut(WORD_BYTES).enumerate() {
            let word = self.load(at + i * WORD_BYTES);
            chunk.copy_from_slice(&word.to_ne_bytes());
        }
        bytes
    }

    /// Returns the length, as far as it fits into a word of this process. What was written before it is visible.
    #[inline]
    pub(super) fn live_len(self) -> usize {
        self.load(LEN_AT)
    }

    /// Returns all 64 bits of the length.
    pub(super) fn whole_live_len(self) -> u64 {
        u64::from_ne_bytes(self.read(LIVE_AT))
    }

    /// Returns a lower bound of the most elements ever published.
    pub(super) fn most(self) -> u64 {
        u64::from_ne_bytes(self.read(MOST_AT))
    }

    /// Returns a number that each removal changes. If it is the same before and after elements are copied, none of them
    /// was overwritten meanwhile: the caller needs an acquire fence between the copy and the second call. It is odd from
    /// before a shorter length is published until after that, or until the next writer opens the file.
    #[inline]
    pub(super) fn removals(self) -> usize {
        self.load(low_word(REMOVALS_AT))
    }

    /// Returns the number of times that the file was opened for writing. The live length of that writer is visible.
    pub(super) fn openings(self) -> usize {
        self.load(low_word(OPENINGS_AT))
    }

    /// Returns `true` if a flush has failed and the file was not opened for writing since. The live length does not
    /// count then.
    #[inline]
    pub(super) fn has_failed(self) -> bool {
        self.read::<8>(FAILED_AT) != [0; 8]
    }

    /// Returns `true` if the length belongs to a boot. Once it does, that holds for as long as the boot lasts.
    #[inline]
    pub(super) fn is_of_boot(self, boot: [u8; 16]) -> bool {
        self.read(BOOT_AT) == boot
    }
}

/// Makes the number of removals odd, before a shorter length is published. A writer that is killed before it is even
/// again leaves it odd to the next one.
pub(super) fn begin_removal(removals: &AtomicUsize) {
    removals.store(removals.load(Ordering::Relaxed) | 1, Ordering::Release);
}

/// Makes the number of removals even, after the shorter length was published and before elements past it are
/// overwritten.
pub(super) fn end_removal(removals: &AtomicUsize) {
    let count = (removals.load(Ordering::Relaxed) | 1).wrapping_add(1);
    removals.store(count, Ordering::Release);
    // A reader that sees part of a later element, and then passes an acquire fence, also sees the count.
    fence(Ordering::Release);
}
