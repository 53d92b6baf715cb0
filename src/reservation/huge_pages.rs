//! [`HugePages`]: whether to request huge pages.

#![forbid(unsafe_code)]

use crate::os;

/// Whether to request huge pages from the system.
///
/// A huge page (2 MiB on x86-64) takes one page fault instead of 512, and one entry of the processor's address cache,
/// so growth and random access are faster. All of its memory is allocated when its first byte is touched. Among the
/// supported systems only Linux has them, if `/sys/kernel/mm/transparent_hugepage/enabled` is `madvise` or `always`; on
/// other systems the options have no effect. (If it is `never`, memory is still committed in pieces of that size, and all
/// pages are small.)
///
/// That first touch takes about 0.1 ms, but several milliseconds if a hypervisor has to provide the memory. See
/// [the guide](crate::guide::no_stalls) for how to keep it out of a frame.
///
/// # Examples
///
/// ```
/// use stayput::{HugePages, VmVec};
///
/// // All of a grid is used at random: request huge pages from the start.
/// let mut grid = VmVec::builder().huge_pages(HugePages::Always).build();
/// grid.resize(100_000, 0_u64);
/// // Few of many values are used: a huge page for each would waste memory.
/// let sparse: VmVec<u64> = VmVec::builder().huge_pages(HugePages::Never).build();
/// assert_eq!((grid.len(), sparse.len()), (100_000, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HugePages {
    /// From [`HugePages::AUTO_FROM_BYTES`] on, where they are sure to be filled. Arrays without a maximum do without
    /// them while such arrays take seven eighths of the mappings that the process may have. The default.
    #[default]
    Auto,
    /// From the first byte on.
    Always,
    /// Never, even if the system uses them without a request.
    Never,
}

impl HugePages {
    /// The offset up to which [`HugePages::Auto`] uses small pages: 8 MiB, so that huge pages waste at most a quarter
    /// of the memory in use.
    pub const AUTO_FROM_BYTES: usize = 8 << 20;

    /// The size of the huge pages to request. `None` with pages of 64 KiB, whose huge pages of 512 MiB would waste more
    /// than [`HugePages::Auto`] may.
    pub(super) fn page_bytes(self) -> Option<usize> {
        let most = match self {
            Self::Auto => Self::AUTO_FROM_BYTES / 4,
            Self::Always => usize::MAX,
            Self::Never => 0,
        };
        os::huge_page_bytes().filter(|huge| *huge <= most)
    }

    /// The offset from which huge pages are requested.
    pub(super) fn wanted_from(self) -> Option<usize> {
        match self {
            Self::Auto => Some(Self::AUTO_FROM_BYTES),
            Self::Always => Some(0),
            Self::Never => None,
        }
    }
}
