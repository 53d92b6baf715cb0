//! A memory map as text.

#![forbid(unsafe_code)]

use super::{Entry, MemoryMap};
use crate::error::Rounded;
use std::fmt::{self, Display};

/// Totals over the entries of a map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Totals {
    pub(super) count: usize,
    pub(super) reserved: usize,
    pub(super) committed: usize,
    pub(super) resident: usize,
    pub(super) huge: usize,
    /// The number of unused reservations.
    pub(super) unused: usize,
    /// The resident bytes of unused reservations.
    pub(super) unused_resident: usize,
}

impl Totals {
    pub(super) fn of(map: &MemoryMap) -> Self {
        let mut totals = Self::default();
        for entry in &map.entries {
            let resident = entry.resident_bytes.unwrap_or(0);
            totals.count += 1;
            totals.reserved += entry.reserved_bytes;
            totals.committed += entry.committed_bytes.unwrap_or(0);
            totals.resident += resident;
            totals.huge += entry.huge_bytes.unwrap_or(0);
            if entry.is_unused() {
                totals.unused += 1;
                totals.unused_resident += resident;
            }
        }
        totals
    }
}

/// A byte count, or a dash.
pub(super) fn size(bytes: Option<usize>) -> String {
    bytes.map_or_else(|| "-".into(), |bytes| Rounded(bytes as u64).to_string())
}

/// Describes an entry without its name: the type of the container, and that of the elements without module paths.
pub(super) fn kind(entry: &Entry) -> String {
    match entry.element_type {
        Some(element) => format!("{} of {}", entry.kind, without_paths(element)),
        None => entry.kind.into(),
    }
}

/// Removes module paths from a type name.
fn without_paths(type_name: &str) -> String {
    let mut short = String::new();
    let mut rest = type_name.chars().peekable();
    while let Some(char) = rest.next() {
        if char == ':' && rest.next_if_eq(&':').is_some() {
            let is_part = |char: &char| char.is_alphanumeric() || *char == '_';
            let kept = short.trim_end_matches(|char| is_part(&char)).len();
            short.truncate(kept);
        } else {
            short.push(char);
        }
    }
    short
}

/// Formats the map as a table with one line per reservation, largest first, followed by the totals.
///
/// # Examples
///
/// ```
/// let array = stayput::VmVec::from([1, 2, 3]);
/// let text = stayput::memory_map().to_string();
/// assert!(text.contains("VmVec of i32"));
/// ```
impl Display for MemoryMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = ["reserved", "committed", "resident", "huge", "spare"];
        for column in columns {
            write!(f, "{column:>11}")?;
        }
        writeln!(f, "  late  reservation")?;
        for entry in &self.entries {
            let sizes = [
                Some(entry.reserved_bytes),
                entry.committed_bytes,
                entry.resident_bytes,
                entry.huge_bytes,
                entry.spare_bytes,
            ];
            for bytes in sizes {
                write!(f, "{:>11}", size(bytes))?;
            }
            write!(f, "{:>6}  ", entry.late_growths)?;
            if let Some(name) = entry.name {
                write!(f, "{name}: ")?;
            }
            write!(f, "{}", kind(entry))?;
            match &entry.location {
                Some(location) => writeln!(f, ", {location}")?,
                None => writeln!(f)?,
            }
        }
        let totals = Totals::of(self);
        let size = |bytes: usize| Rounded(bytes as u64);
        write!(
            f,
            "{} reservations: {} reserved, {} committed, {} resident ({} in huge pages); {} unused ({} resident)",
            totals.count,
            size(totals.reserved),
            size(totals.committed),
            size(totals.resident),
            size(totals.huge),
            totals.unused,
            size(totals.unused_resident),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn types_are_named_without_their_modules() {
        for (long, short) in [
            ("u8", "u8"),
            ("core::option::Option<alloc::string::String>", "Option<String>"),
            ("[(f32, a_b::C1); 4]", "[(f32, C1); 4]"),
            ("&dyn core::fmt::Debug", "&dyn Debug"),
            ("a::b<c::D>::e::F", "b<D>F"),
        ] {
            assert_eq!(without_paths(long), short);
        }
    }
}
