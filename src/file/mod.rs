//! Arrays in files: [`FileVec`], and [`Follow`] for readers in other processes.
//!
//! The file is mapped once, far behind its end, and grows into that: nothing is mapped anew, and nothing moves. (The
//! idea is that of a [reservation](crate::Reservation), with the file in memory's place.)
//!
//! A slot map is [saved](crate::SlotMap::save) and [loaded](crate::SlotMap::load), with all of its keys.
//!
//! # The file
//!
//! 64 KiB of header, and then the elements, as they are in memory. So it can be opened on a machine with larger
//! pages, but not on one with the other order of bytes. The header says what the elements are, and twice how many:
//!
//! - **live**: written after each push, by one store to memory, which is all that a push costs here. It stands for what
//!   the kernel has of the file, so it is good as long as the system stays up, whatever becomes of the process, and is
//!   what [`Follow`] reads. Beside it stands of which start of the system it is.
//! - **durable**: written by [`flush`](FileVec::flush), when what it counts is on the disk, with a number and a
//!   checksum, in one of two places in turns. So one is always whole. After the system went down it is what is good:
//!   pages of a file are written to the disk in any order, and the live length may be there before the elements are.
//!
//! Which start it was is known on Linux, macOS, FreeBSD, OpenBSD and Windows. Where it is not (or not told:
//! `/proc` is not there), the durable length is what is good whenever the file is opened.
//!
//! # What can be left
//!
//! | what happened | what `open` finds |
//! |---|---|
//! | the process was ended while the file was made | [`Empty`](FileErrorKind::Empty), and `open_or_create` makes it |
//! | it was ended later, anywhere | the live length; what was being pushed is there or not; the file may be longer than its elements, for which there is room then |
//! | the system went down before the first `flush` | nothing, an empty file, or one that is [`NotStayput`](FileErrorKind::NotStayput), [damaged](FileErrorKind::Header), or without elements |
//! | it went down later | what was there at the last `flush`, or at the one that was going on |
//! | the same, and what was flushed had been changed since | the same elements, each part of which (as large as the disk writes at once) is old or new. An [append-only](AppendOnly) file has none such. |
//! | the disk was taken away, or the file copied, while it was written, and the system stayed up | the live length: elements that were not flushed may be zero, and no checksum tells |
//! | the disk was full | all: room is [taken](Space::Allocated) before it is needed; but for what is written to holes of a file that had some when it was opened (a sparse copy): that ends the process by a signal |
//! | somebody cut the file | [`Short`](FileErrorKind::Short), or [`Length`](FileErrorKind::Length) if elements are gone |
//! | somebody changed the header | an error, or another length within the file |
//!
//! It relies on the disk: that what it says it has written is there, and that it writes 88 bytes within one block
//! as a whole or such that the checksum tells. What happens to other bytes of elements no checksum sees.
//!
//! # Systems
//!
//! | | |
//! |---|---|
//! | Linux, Android, macOS, iOS, FreeBSD, OpenBSD, illumos | mapped behind its end |
//! | Windows | the file is sparse, and as long as it can ever be while it is open; it is cut when it is closed, or opened again |
//! | others | refused: [`Unsupported`](FileErrorKind::Unsupported) |
//!
//! A file system over a network has its own ideas of when others see what was written, and of locks: all of this
//! holds on one machine.

mod backing;
mod builder;
mod change;
mod error;
mod follow;
mod grow_only;
mod header;
mod held;
mod live;
mod locked;
mod map;
mod mode;
mod snapshot;
mod system;
mod temporary;
// Files are refused where there is no virtual memory.
#[cfg(all(test, not(no_vm)))]
mod tests;
mod vec;

pub use backing::{FileBacking, Space};
pub use builder::FileVecBuilder;
pub use error::{FileError, FileErrorKind};
pub use follow::{Follow, FollowIter, Removed};
pub use grow_only::GrowOnlyFile;
pub use locked::Lock;
pub use mode::{AppendOnly, Mode, Mutable};
pub use snapshot::{Saved, Snapshot, SnapshotBuilder};
pub use vec::{Advice, FileVec, FileVecStats};
