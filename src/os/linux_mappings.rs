//! The list of the process's mappings, `/proc/self/maps`.
//!
//! It is read as bytes: the names of mapped files may be any. (The crate `region` reads it as text, and so refuses all of
//! it while a file is mapped whose name is not UTF-8.)

#![forbid(unsafe_code)]

use super::Code;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::str;

/// The first line of a mapping.
pub(crate) struct ListedMapping {
    pub(crate) range: Range<usize>,
    /// Whether it is readable and writable.
    pub(crate) is_accessible: bool,
}

impl ListedMapping {
    /// Returns what a line of `/proc/self/maps` or `/proc/self/smaps` says. `None` if it is none that a mapping begins
    /// with.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.split(|byte| *byte == b' ');
        let (start, end) = str::from_utf8(words.next()?).ok()?.split_once('-')?;
        let hex = |digits| usize::from_str_radix(digits, 16).ok();
        let range = hex(start)?..hex(end)?;
        Some(Self { range, is_accessible: words.next()?.starts_with(b"rw") })
    }
}

/// Returns the parts of a range that are readable and writable. The first and the last may extend beyond the range.
pub(super) fn accessible(within: Range<usize>) -> Result<Vec<Range<usize>>, Code> {
    let maps = File::open("/proc/self/maps").map(BufReader::new);
    let parts = maps.and_then(|maps| accessible_in(maps, within));
    parts.map_err(|error| error.raw_os_error().unwrap_or(0))
}

fn accessible_in(mut maps: impl BufRead, within: Range<usize>) -> io::Result<Vec<Range<usize>>> {
    let mut parts = Vec::new();
    // The end of the mappings that were listed. One that grew while the file was read may be listed twice.
    let mut listed = 0;
    let mut line = Vec::new();
    while listed < within.end && maps.read_until(b'\n', &mut line)? > 0 {
        if let Some(ListedMapping { range, is_accessible }) = ListedMapping::parse(&line) {
            let start = range.start.max(listed);
            if is_accessible && start < range.end.min(within.end) && range.end > within.start {
                parts.push(start..range.end);
            }
            listed = listed.max(range.end);
        }
        line.clear();
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accessible_parts_are_listed_once_whatever_files_are_called() {
        const MAPS: &[u8] = b"\
1000-2000 rw-p 00000000 00:00 0
3000-5000 rw-p 00000000 00:00 0 /tmp/\xFF\xFE
3000-6000 rw-p 00000000 00:00 0 [heap]
6000-7000 ---p 00000000 00:00 0
7000-8000 r--p 00000000 00:00 0 /tmp/a b
8000-a000 rw-s 00000000 08:01 7
b000-c000 rw-p 00000000 00:00 0
";
        let parts = accessible_in(MAPS, 0x2000..0xb000).expect("it reads from memory");
        assert_eq!(parts, [0x3000..0x5000, 0x5000..0x6000, 0x8000..0xa000]);
        let parts = accessible_in(MAPS, 0x9000..0x9001).expect("it reads from memory");
        assert!(parts.iter().eq([&(0x8000..0xa000)]));
        assert!(ListedMapping::parse(b"Rss:   4 kB\n").is_none());
    }
}
