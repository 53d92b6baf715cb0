//! Arrays in files: [`FileVec`], and [`Follow`] for readers in other processes. Containers in files: [`Snapshot`], and
//! `save` and `load` of slot maps and secondary maps.
//!
//! A `FileVec` maps its file once, far past its end, and grows into that range: nothing is remapped, and elements do
//! not move. (It is a [reservation](crate::Reservation) backed by a file in place of memory.)
//!
//! # Which length counts
//!
//! The header of an array in a file has two lengths:
//!
//! - The **live** length is written after each push, by one store to memory. It describes the contents of the file as
//!   the kernel sees them, so it counts as long as the system stays up, even after the process was killed.
//! - The **durable** length is written by [`flush`](FileVec::flush), once the elements are on the disk, as a record
//!   with a sequence number and a checksum. Two places for records are used in turns, so one of them is always whole.
//!   It counts after the system went down: the system writes pages of a file in any order, so the live length may have
//!   reached the disk before the elements did.
//!
//! Next to the live length, the header names the boot of the system that it belongs to. A writer that opens the file
//! trusts the live length if that is the boot it runs in; otherwise it continues from the durable length. A reader
//! ([`Follow`]) trusts it in the same case, and also if a writer has the file open or has opened it since the reader
//! did: such a writer runs in the same boot as the reader, whichever boot it names.
//!
//! After a failed `flush`, the live length does not count for any of them until a writer opens the file again.
//!
//! The boot is identified on Linux, macOS, FreeBSD, OpenBSD and Windows. If it cannot be read at the moment, for
//! example because too many files are open, opening the file fails. Four cases need care:
//!
//! - **Containers** that mask the boot id (`/proc/sys/kernel/random/boot_id`) appear to run in another boot. If a
//!   writer in one is killed, a writer in another continues from the durable length, and so does a reader: call
//!   `flush`. On Linux, a running writer is recognized nevertheless, by a lock that it holds; on other systems, once
//!   the file is opened for writing again.
//! - **Other systems**, and Linux without `/proc`, do not identify the boot: the durable length always counts for a
//!   writer.
//! - On **macOS and the BSDs**, the boot is identified by its time, which changes when the clock is set.
//! - On **Windows**, it is identified for each user, until that user logs off. A process of another user, or of the same
//!   one after logging on again, appears to run in another boot.
//!
//! # After a failure
//!
//! | event | what `open` finds |
//! |---|---|
//! | the process was killed while it created the file | [`Empty`](FileErrorKind::Empty); `open_or_create` creates the array |
//! | it was killed later, at any point | the live length; an element that was being pushed is either present or not; the file may be longer than its elements, until it is closed |
//! | the system went down before the first `flush` | no file, an empty file, or one that is [`NotStayput`](FileErrorKind::NotStayput), [damaged](FileErrorKind::Header), or without elements; if [`create`](FileVec::create) emptied an array, that array, whole, as long as the truncation is not on the disk |
//! | it went down later, or was shut down | the elements of the last `flush`, or of the one in progress; [`lost_len`](FileVec::lost_len) counts the rest |
//! | the disk did not accept a write, and `flush` failed | the elements of the last successful `flush`; [`lost_len`](FileVec::lost_len) counts the rest (see below) |
//! | likewise, and flushed elements were changed afterwards | the same elements, each part of which (as large as the disk writes at once) is old or new. An [append-only](AppendOnly) file has none such. |
//! | the disk was removed, or the file copied, during writes, and the system stayed up | the live length: elements that were not flushed may be zero, which no checksum detects |
//! | the disk was full | all elements: space is [allocated](Space::Allocated) before it is needed, and opening a file takes none; but writes to parts of the file that have no space of their own when it is opened (holes of a sparse copy, blocks shared with a reflink copy or a snapshot) end the process by a signal |
//! | the disk cannot be read, or was removed | an error; in a process that has the file open, access to elements or to the length that is not in memory ends the process by a signal, and other calls return an error |
//! | another program truncated the file | [`Short`](FileErrorKind::Short), or [`Length`](FileErrorKind::Length) if elements are missing; in a process that has the file open, likewise |
//! | another program changed the header | an error, or another length within the file |
//!
//! When the disk does not accept a write, the system reports the error once and from then on treats its cached pages as
//! written. A failed `flush` therefore marks the file: the live length no longer counts, for readers as well, and the
//! array cannot be flushed again. The next [`open`](FileVec::open) goes back to the last durable record and writes all
//! elements that it counts again; if that fails, so does `open`. The mark is lost only if the disk does not accept it
//! either (or the file system became read-only) and the cached header is then dropped, as by a remount. In that case
//! `open` trusts the live length that the system last wrote in the background.
//!
//! The disk must keep what it reports as written, and must write 88 bytes within one block either as a whole or so that
//! the checksum detects it. Elements have no checksum.
//!
//! # The format of arrays
//!
//! Version 1. Numbers are in the byte order of the machine that created the file. A checksum is a CRC-32 (the one of
//! zlib, PNG and IEEE 802.3: reflected polynomial `0xEDB88320`, initial value and final XOR `0xFFFFFFFF`), stored as a
//! number of 8 bytes.
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `stayput\x1a` |
//! | 8 | 4 | version: 1 |
//! | 12 | 4 | `0x01020304`, which identifies the byte order |
//! | 16 | 8 | size of an element in bytes |
//! | 24 | 8 | alignment of an element in bytes |
//! | 32 | 8 | the [tag](FileVecBuilder::tag) |
//! | 40 | 8 | 1 if the file is [append-only](AppendOnly), otherwise 0 |
//! | 48 | 8 | offset of the first element: 65536 |
//! | 56 | 8 | checksum of bytes 0 to 55 |
//! | 4096 | 8 | live length in elements |
//! | 4160 | 16 | boot that the live length belongs to: on Linux the boot id as a 128-bit number; zero if the system does not identify its boot, and after a failed `flush` |
//! | 4176 | 8 | 0, or 1 after a failed `flush`: the live length does not count |
//! | 4224 | 8 | the most elements that readers may have seen, if there are fewer now |
//! | 4288 | 8 | count of [removals](Follow::removals): odd during one |
//! | 4296 | 8 | number of times that the file was opened for writing |
//! | 8192 | 88 | record with an even sequence number |
//! | 12288 | 88 | record with an odd sequence number |
//! | 65536 | | the elements, as they are in memory |
//!
//! A record has a sequence number (8 bytes at offset 0), the durable length in elements (8 bytes at 8), the [user's
//! bytes](FileVec::user_bytes) (64 bytes at 16), and the checksum of its first 80 bytes (8 bytes at 80). It counts if
//! the checksum is right, the sequence number is less than 2<sup>62</sup>, and it lies in the place for that number. If
//! both do, the one with the greater number counts. All other bytes of the header are zero, and reserved.
//!
//! The writer flushes the elements and the name of the file before it writes a record. If it then cannot flush the
//! record, it overwrites all 88 bytes with zeros, and the previous record counts. The last record of a file that is
//! opened may not be on the disk, because a process was killed before it flushed it. The writer therefore flushes the
//! header before it writes its first record, and already when it opens the file if either record counts more elements
//! than there are. If the last one does, it then flushes the elements that there are, and writes a record of them.
//!
//! While the file is created, it starts with `stayput\0` in place of the first 8 bytes. A file of up to 65536 bytes
//! that are all zero is unfinished, too.
//!
//! A reader loads 4288, then the length, copies elements, and loads 4288 again. If that has changed, copies may be
//! torn. The writer stores the length after elements that it adds. When it removes elements, it makes 4288 odd, stores
//! the length, and makes 4288 even, adding 1 each time, before it overwrites what lies past the length. A writer that
//! opens the file does the same if it continues from fewer elements than readers may have seen, or if it finds 4288 odd:
//! a killed writer has left it so. It then makes 4288 odd before it stores a record, and even after it has stored the
//! length. It stores 4160, 4176 and 4296 last, in this order. On Linux it takes its lock, which readers look for, before
//! it stores 4296. A new file starts with a random even number at 4288 that is not zero. (Early versions counted each
//! removal once, and from 0. To readers, any change is one.)
//!
//! A file can be opened on a machine with larger pages, but not with the other byte order.
//!
//! # The format of snapshots
//!
//! Version 1, with the same byte order and CRC-32. [`SlotMap::save`](crate::SlotMap::save) and the others write one
//! part; a [`Snapshot`] contains any number of them. Each part starts with a header of 64 bytes:
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `stayslot`: a slot map; `staysecd`: a secondary map; `stayvect`: an array |
//! | 8 | 4 | version: 1 |
//! | 12 | 4 | `0x01020304` |
//! | 16 | 8 | size of a value in bytes |
//! | 24 | 8 | layout of keys, a byte each, from the highest: bits in total, of the index, of the generation, of the tag; 0 for arrays |
//! | 32 | 4 | 1 if there is a type id |
//! | 36 | 4 | the [type id](crate::SlotMapBuilder::type_id) |
//! | 40 | 4 | slot maps: the generation above which slots past the last one start |
//! | 44 | 4 | alignment of a value in bytes |
//! | 48 | 8 | the number of slots, pairs or elements |
//! | 56 | 8 | checksum of bytes 0 to 55 |
//!
//! In a slot map, the next keys follow: the number of words (4 bytes), then the words (4 bytes each):
//!
//! - The highest generation of a removed value.
//! - The number of floors, and two words for each: the end of a range of slots past the last one, and the generation
//!   above which they start. Ranges are in ascending order. The floor in the header is that of all slots past them.
//! - The order of [reuse](crate::SlotMapBuilder::reuse): 0, 1 or 2.
//!   - 0 is [`Recent`](crate::Reuse::Recent). It is followed by four words and the stack: how many holes fit onto the
//!     stack; the slot below which freed slots go onto the stack; 1 if there is a hole that is filled before the stack,
//!     otherwise 0; its slot, or 0; then the slots on the stack, the next one last.
//!   - 1 is [`Lowest`](crate::Reuse::Lowest). Nothing follows it.
//!   - 2 is [`Rotating`](crate::Reuse::Rotating). It is followed by three words: the low and the high half of
//!     `min_free`, and the slot where the search for the next hole starts.
//!
//! Sections follow. Each ends with a CRC-32 (4 bytes) of everything in the part before it, including the header and the
//! next keys, but not the checksums of sections. An empty slot map has one section, which has only the checksum; other
//! empty containers have none.
//!
//! - **Slot maps**: a byte for each slot (0: with a value; 1: vacant; 2: detached; 3: retired), then 4 bytes of
//!   generation for each slot, then the values of the slots that have one.
//! - **Secondary maps**: 4 bytes of slot index for each value, 4 bytes of generation for each, then the values.
//! - **Arrays**: the elements.
//!
//! With values of `n` bytes, a section has 2<sup>20</sup> / (`n` + 5) slots or pairs, or 2<sup>20</sup> / `n` elements,
//! rounded down, but at least one; the last section has the rest. A dense map is written as the slot map of row numbers
//! (4 bytes each) and the array of its values, a table as the slot map of its rows.
//!
//! A `Snapshot` has a header, its parts without gaps, and a directory:
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 8 | `staysnap` |
//! | 8 | 4 | version: 1 |
//! | 12 | 4 | `0x01020304` |
//! | 16 | 8 | offset of the directory |
//! | 24 | 8 | offset of its end, where the file ends |
//! | 32 | 4 | CRC-32 of the directory |
//! | 56 | 8 | checksum of bytes 0 to 55 |
//! | 64 | | the parts |
//!
//! A directory entry has the offsets of the part's start (8 bytes) and end (8 bytes), the CRC-32 of the part without the
//! checksums of its sections (4 bytes), the length of its name in bytes (4 bytes), and the name in UTF-8.
//!
//! # Operating systems
//!
//! | | |
//! |---|---|
//! | Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos | files are mapped past their end |
//! | Windows | an open file is sparse and has its maximum length; it is truncated when it is closed, or opened again |
//! | others | not supported: [`Unsupported`](FileErrorKind::Unsupported) |
//!
//! All of this holds on one machine: network file systems differ in locks, and in when others see what was written.

// In the order in which the documentation lists their methods.
mod open;

mod vec;

mod change;
mod memory;

mod backing;
mod builder;
mod error;
mod file_set;
mod follow;
mod grow_only;
mod header;
mod live;
mod locked;
mod map;
mod mapped_file;
mod mode;
mod snapshot;
mod system;
mod temporary;
// Files are not supported without virtual memory.
#[cfg(all(test, not(no_vm)))]
mod tests;

pub use backing::{FileBacking, Space};
pub use builder::FileVecBuilder;
pub use error::{FileError, FileErrorKind};
pub use follow::{Follow, FollowIter, Removed};
pub use grow_only::GrowOnlyFile;
pub use locked::Lock;
pub use mode::{AppendOnly, Mode, Mutable};
pub use snapshot::{Saved, Snapshot, SnapshotBuilder};
pub use vec::{Advice, FileVec, FileVecStats};
