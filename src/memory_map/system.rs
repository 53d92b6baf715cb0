//! Queries the memory usage of address ranges from the system.

#![forbid(unsafe_code)]

use crate::os;
use crate::page::PageBytes;
use crate::register::Snapshot;
use std::ops::Range;
use std::ptr::{self, NonNull};

/// The memory usage of a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    pub(super) committed: Option<usize>,
    pub(super) resident: Option<usize>,
    pub(super) huge: Option<usize>,
    /// The resident percentage of each equal part of the committed bytes.
    pub(super) parts: Vec<u8>,
}

/// A committed part of a range, and what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Committed {
    range: Range<usize>,
    resident: Option<usize>,
    huge: Option<usize>,
}

const IS_HUGE_KNOWN: bool = cfg!(linux_kernel);

/// Returns the memory usage of each reservation. `found` must be sorted by address, without overlaps.
pub(super) fn usages(found: &[Snapshot]) -> Vec<Usage> {
    let ranges: Vec<Range<usize>> =
        found.iter().map(|found| found.start..found.start + found.bytes).collect();
    debug_assert!(ranges.is_sorted_by(|one, next| one.end <= next.start));
    let all = committed(&ranges);
    all.into_iter().map(|committed| committed.map_or_else(Usage::default, usage_of)).collect()
}

/// Returns the committed parts of each range, in the order of `ranges`; `None` for a range if they are unknown.
fn committed(ranges: &[Range<usize>]) -> Vec<Option<Vec<Committed>>> {
    #[cfg(linux_kernel)]
    if let Some(all) = smaps::read(ranges) {
        return all.into_iter().map(Some).collect();
    }
    #[cfg(not(any(linux_kernel, no_vm)))]
    let of_range = |range: &Range<usize>| {
        let mut parts = Vec::new();
        let visit = |range| parts.push(Committed { range, resident: None, huge: None });
        os::visit_accessible(range.clone(), visit).then_some(parts)
    };
    #[cfg(any(linux_kernel, no_vm))]
    let of_range = |_: &Range<usize>| None;
    ranges.iter().map(of_range).collect()
}

fn usage_of(mut committed: Vec<Committed>) -> Usage {
    for part in &mut committed {
        if part.resident.is_none() {
            part.resident = resident_within(part.range.clone());
        }
        // Of a mapping that several ranges share, each part is said to have all huge pages.
        part.huge = part.huge.map(|huge| huge.min(part.resident.unwrap_or(huge)));
    }
    let bytes = committed.iter().map(|part| part.range.len()).sum();
    let resident = committed.iter().map(|part| part.resident).sum::<Option<usize>>();
    Usage {
        committed: Some(bytes),
        resident,
        huge: if IS_HUGE_KNOWN { committed.iter().map(|part| part.huge).sum() } else { None },
        parts: resident.map_or_else(Vec::new, |resident| percents(&committed, bytes, resident)),
    }
}

/// Returns the resident percentage of each equal part of `bytes` committed bytes.
fn percents(committed: &[Committed], bytes: usize, resident: usize) -> Vec<u8> {
    const MOST: usize = 64;
    let page = os::page_size().get();
    let count = (bytes / page).min(MOST);
    if resident == 0 || resident >= bytes {
        return vec![if resident == 0 { 0 } else { 100 }; count];
    }
    let part_bytes = (bytes / page).div_ceil(count) * page;
    let mut percents = Vec::new();
    let (mut left, mut sum) = (part_bytes, 0);
    for Range { mut start, end } in committed.iter().map(|part| part.range.clone()) {
        while start < end {
            let bytes = left.min(end - start);
            sum += resident_within(start..start + bytes).unwrap_or(0);
            start += bytes;
            left -= bytes;
            if left == 0 {
                percents.push(percent(sum, part_bytes));
                (left, sum) = (part_bytes, 0);
            }
        }
    }
    if left < part_bytes {
        percents.push(percent(sum, part_bytes - left));
    }
    percents
}

fn percent(part: usize, whole: usize) -> u8 {
    let percent = (part as u64 * 100).div_ceil(whole as u64).min(100);
    u8::try_from(percent).expect("at most 100")
}

fn resident_within(range: Range<usize>) -> Option<usize> {
    let start = NonNull::new(ptr::without_provenance_mut(range.start))?;
    os::resident_bytes_within(start, PageBytes::exact(range.len(), os::page_size())?)
}

/// Reads `/proc/self/smaps`, which lists all mappings and their memory usage.
#[cfg(linux_kernel)]
mod smaps {
    use super::Committed;
    use crate::os::ListedMapping;
    use std::fs::File;
    use std::io::{self, BufRead, BufReader};
    use std::ops::Range;
    use std::str;

    /// Returns the committed parts of each range, or `None` if the file cannot be read.
    pub(super) fn read(ranges: &[Range<usize>]) -> Option<Vec<Vec<Committed>>> {
        let file = File::open("/proc/self/smaps").ok()?;
        parse(BufReader::new(file), ranges).ok()
    }

    pub(super) fn parse(
        mut file: impl BufRead,
        ranges: &[Range<usize>],
    ) -> io::Result<Vec<Vec<Committed>>> {
        let mut all = vec![Vec::new(); ranges.len()];
        // The current mapping, and the ranges it overlaps.
        let (mut mapping, mut current) = (0..0, 0..0);
        // The end of the mappings that were listed.
        let mut listed = 0;
        // Bytes, since the names of mapped files may be any.
        let mut line = Vec::new();
        while file.read_until(b'\n', &mut line)? > 0 {
            match ListedMapping::parse(&line) {
                Some(next) if next.is_accessible => {
                    // A mapping that grew while the file was read may be listed twice.
                    let fresh = next.range.start.max(listed)..next.range.end;
                    listed = listed.max(fresh.end);
                    mapping = next.range;
                    let first = ranges.partition_point(|range| range.end <= fresh.start);
                    let end = ranges.partition_point(|range| range.start < fresh.end);
                    current = if fresh.is_empty() { 0..0 } else { first..end.max(first) };
                    let parts = &mut all[current.clone()];
                    for (range, parts) in ranges[current.clone()].iter().zip(parts) {
                        let range = range.start.max(fresh.start)..range.end.min(fresh.end);
                        parts.push(Committed { range, resident: None, huge: None });
                    }
                }
                Some(_) => current = 0..0,
                None if current.is_empty() => {}
                None => {
                    let resident = bytes(&line, "Rss:");
                    let huge = bytes(&line, "AnonHugePages:");
                    let current = all[current.clone()].iter_mut();
                    for part in current.filter_map(|parts| parts.last_mut()) {
                        // If the mapping extends past the range, the file does not say how many of its pages are
                        // inside.
                        let is_whole = part.range == mapping;
                        part.resident = part.resident.or(resident.filter(|_| is_whole));
                        part.huge = part.huge.or(huge.map(|huge| huge.min(part.range.len())));
                    }
                }
            }
            line.clear();
        }
        Ok(all)
    }

    /// Returns the value of the field `name` in bytes; the file has KiB.
    fn bytes(line: &[u8], name: &str) -> Option<usize> {
        let number = str::from_utf8(line.strip_prefix(name.as_bytes())?).ok()?;
        number.trim().strip_suffix(" kB")?.parse::<usize>().ok()?.checked_mul(1024)
    }
}

#[cfg(all(test, linux_kernel))]
mod tests {
    use super::*;

    const MAPS: &[u8] = b"\
70000000-70010000 rw-p 00000000 00:00 0 [anon:sparks]
Size:                 64 kB
Rss:                  12 kB
AnonHugePages:         0 kB
VmFlags: rd wr mr mw me ac
70010000-70200000 ---p 00000000 00:00 0 /tmp/\xff
Size:               1984 kB
Rss:                   8 kB
70200000-70800000 rw-p 00000000 00:00 0
Rss:                4096 kB
AnonHugePages:      2048 kB
70200000-70900000 rw-p 00000000 00:00 0
Rss:                5120 kB
70200000-70300000 rw-p 00000000 00:00 0
";

    #[test]
    fn accessible_parts_are_assigned_to_the_ranges_they_are_in() {
        const START: usize = 0x7000_0000;
        const MIB: usize = 1 << 20;
        let ranges = [START - MIB..START, START..START + 3 * MIB, START + 4 * MIB..START + 9 * MIB];
        let all = smaps::parse(MAPS, &ranges).expect("it reads from memory");
        let part = |range: Range<usize>, resident, huge| {
            let range = START + range.start..START + range.end;
            Committed { range, resident, huge }
        };
        assert_eq!(all[0], []);
        assert_eq!(
            all[1],
            [
                part(0..64 << 10, Some(12 << 10), Some(0)),
                // Extends past the range.
                part(2 * MIB..3 * MIB, None, Some(MIB)),
            ]
        );
        // Listed again, after the mapping had grown.
        assert_eq!(
            all[2],
            [part(4 * MIB..8 * MIB, None, Some(2 * MIB)), part(8 * MIB..9 * MIB, None, None)]
        );
    }

    #[test]
    fn percentages_are_of_equal_parts() {
        assert_eq!((percent(0, 7), percent(1, 1000), percent(7, 7)), (0, 1, 100));
        let page = os::page_size().get();
        let committed = |bytes| Committed { range: 0..bytes, resident: None, huge: None };
        assert_eq!(percents(&[committed(3 * page)], 3 * page, 0), [0; 3]);
        assert_eq!(percents(&[committed(640 * page)], 640 * page, 640 * page), [100; 64]);
        assert_eq!(percents(&[], 0, 0), []);
    }
}
