//! The messages of an [`Error`]: which limit refused, how many bytes, and what to do.

use super::{Error, ErrorKind, Holder, Size};
use std::fmt::{self, Display};

impl Error {
    /// The message, with names in braces that [`show`](Self::show) replaces.
    //
    // As text, since a `write!` for each would add 2.5 KB of code to every program.
    const fn message(&self) -> &'static str {
        match (self.kind, self.holder) {
            (ErrorKind::MaxLen, _) => self.full_message(),
            (ErrorKind::AllocationLimit, _) => {
                "the allocation limit of this Arena is {limit bytes}, and {bytes} in all would be in use; raise or \
                 lift the limit"
            }
            (ErrorKind::KeyBits, Holder::SecondaryMap | Holder::SecondaryLists) => {
                "this {this} cannot hold more slots: its keys can index at most {limit} slots; use a key type \
                 with more bits of index"
            }
            (ErrorKind::KeyBits, Holder::TypeId) => {
                "the type id does not fit into the keys, whose tag holds {limit} at most; choose a smaller one, or \
                 use a key type with more bits of tag"
            }
            (ErrorKind::KeyBits, Holder::Index) => {
                "an index can number at most {limit} slots, or sets of them; use several indices"
            }
            (ErrorKind::KeyBits, _) => {
                "this {this} is full: its keys can index at most {limit} slots, including retired slots; use a key \
                 type with more bits of index or generation"
            }
            (ErrorKind::FarIndex, _) => self.far_message(),
            (ErrorKind::CapacityOverflow, Holder::ListPool | Holder::SecondaryLists)
                if self.has_limit =>
            {
                "capacity overflow: all lists of a {this} can hold at most {limit} elements together; use several of \
                 them, or a VmVec for a long list"
            }
            (ErrorKind::CapacityOverflow, _) if self.has_limit => {
                "capacity overflow: an array can hold at most {limit} elements, even if they have size zero"
            }
            (ErrorKind::CapacityOverflow, _) => {
                "capacity overflow: {bytes} exceed the {most bytes} that an array can hold"
            }
            (ErrorKind::OutOfBounds, _) => {
                "the range ends at byte {end}, or starts after its end, in a reservation of {limit bytes}"
            }
            (ErrorKind::Alignment, _) => {
                "{limit} is not a power of two, not a multiple of the page size, or more than the alignment of the \
                 memory; round ranges to `page_size()`, and align to 1, 2, 4, …"
            }
            (ErrorKind::Busy, Holder::SharedVec | Holder::SharedSlotMap) => {
                "re-entrant call while this {this} was taking memory, from a backing or an allocator, or in a fork of \
                 the process; retry after that call has returned, or in the process itself"
            }
            (ErrorKind::Busy, Holder::Arena) => {
                "re-entrant call while this {this} was taking memory, from an allocator or a panic hook; retry after \
                 that call has returned"
            }
            (ErrorKind::Busy, _) => {
                "re-entrant call while the array or map of this scope was taking memory, from a backing, an allocator \
                 or a panic hook; use the scope after that call has returned"
            }
            (ErrorKind::StaleKey, Holder::Table) => {
                "no row of this Table has the key: the row was removed, or the key is null or of another table; check \
                 with `contains_key`, or insert the row"
            }
            (ErrorKind::StaleKey, _) => {
                "the key is null, or older than the one whose value is or was in its slot; use a key that the slot map \
                 contains now"
            }
            (ErrorKind::TypeId, _) => {
                "the tag of the key is not the type id of this map, {limit}; insert the value into the map that \
                 the key belongs to"
            }
            (ErrorKind::Occupied, _) => {
                "the slot of the key holds a value, or is kept for a detached one; remove that value, or change it in \
                 place"
            }
            (ErrorKind::Taken, _) if self.index.is_some() => {
                "the unique index `{index}` already has this value, for the row in slot {slot}; change or remove that \
                 row first"
            }
            (ErrorKind::Taken, _) => {
                "unique index {limit} already has this value, for the row in slot {slot}; change or remove that row \
                 first"
            }
            (ErrorKind::Generations, _) => {
                "the value has the last generation, {limit}, so its slot cannot have another key; remove the value and \
                 insert it again, or use a key type with more bits of generation"
            }
            _ if matches!(self.size, Size::Default) => self.share_message(),
            _ => self.refusal_message(),
        }
    }

    /// Messages about refusals by the system or by a limit of the process.
    const fn refusal_message(&self) -> &'static str {
        match self.kind {
            ErrorKind::AddressSpace => {
                "no free range of addresses has {bytes}; {less} or drop other reservations"
            }
            ErrorKind::AddressLimit => {
                "reserving {bytes} exceeds this process's limit on address space, {limit bytes} (RLIMIT_AS); raise it \
                 (`ulimit -v`) or {less}"
            }
            ErrorKind::Memory if self.has_limit => {
                "committing {bytes} before they are needed would leave less than a sixteenth of the machine's memory: \
                 {limit bytes} are available; free memory or prefault less"
            }
            ErrorKind::Memory => {
                "the system refuses to commit {bytes} more; free memory, add swap, or raise the commit limit \
                 (overcommit settings, the page file)"
            }
            ErrorKind::DataLimit => {
                "committing {bytes} exceeds this process's limit on writable memory, {limit bytes} (RLIMIT_DATA); \
                 raise it (`ulimit -d`) or use less"
            }
            ErrorKind::MappingLimit => {
                "changing {bytes} needs more mappings than the {limit} that a process may have; raise \
                 `vm.max_map_count` or keep fewer separate ranges"
            }
            // The limit is only known on Linux, so the message names Linux's.
            ErrorKind::LockLimit if self.has_limit => {
                "locking {bytes}, or reserving them in a process that locks all mappings, exceeds this process's limit \
                 on locked memory, {limit bytes} (RLIMIT_MEMLOCK, `ulimit -l`); raise it or lock less"
            }
            ErrorKind::LockLimit => {
                "locking {bytes}, or reserving them in a process that locks all mappings, exceeds this process's limit \
                 on locked memory; raise it or lock less"
            }
            ErrorKind::Disk => {
                "the disk has no room for a file of {bytes}; free some, or put the file elsewhere"
            }
            ErrorKind::Quota => {
                "a file of {bytes} exceeds the quota of its owner; raise the quota, or put the file elsewhere"
            }
            ErrorKind::FileLimit if self.has_limit => {
                "a file of {bytes} exceeds this process's limit, {limit bytes} (RLIMIT_FSIZE); raise it (`ulimit -f`)"
            }
            ErrorKind::FileLimit => {
                "the file system does not support files of {bytes}; put the file on another one"
            }
            ErrorKind::Unsupported => {
                "not supported on this system: it has no virtual memory that stayput can use, or cannot touch pages \
                 that are in use; do without it, or build containers in memory of your own, with a `Backing` that \
                 supports it"
            }
            _ => "the system refused a request for {bytes}",
        }
    }

    const fn far_message(&self) -> &'static str {
        match self.holder {
            Holder::Index => {
                "the slot number is so large that this index would take {bytes} in all; only slots below {limit} are \
                 accepted without being reserved; number slots without large gaps, or call `reserve` first"
            }
            Holder::SlotMap => {
                "the index in the key is so large that this {this} would take {bytes} in all; only indices below \
                 {limit} are accepted; if the key is valid, `reserve` room up to its index, or build the map with a \
                 `capacity` above it"
            }
            Holder::SecondaryLists => {
                "the index in the key is so large that this {this} would take {bytes} in all; only indices below \
                 {limit} are accepted without being announced; if the key is valid, call `set_capacity` first"
            }
            _ => {
                "the index in the key is so large that this {this} would take {bytes} in all; only indices below \
                 {limit} are accepted without being announced; if the key is valid, call `reserve` or `set_capacity` \
                 first, or use a `SparseSecondaryMap`"
            }
        }
    }

    /// Messages about full containers, and which option lets them hold more.
    const fn full_message(&self) -> &'static str {
        match self.size {
            Size::Option | Size::Request => {
                "{full}its `{option}` is {holds}; set a larger one with `{builder}::builder`"
            }
            Size::Default => {
                "{full}its default reservation holds {holds}; to reserve more, set `{option}` with `{builder}::builder`"
            }
            Size::Backing => "{full}the memory of its `Backing` holds {holds}; provide more",
        }
    }

    /// Messages about a default reservation that a limit of the process made too small.
    const fn share_message(&self) -> &'static str {
        match self.kind {
            ErrorKind::AddressLimit => {
                "{full}it needs {bytes}, and its default reservation is a share of this process's limit on address \
                 space, {limit bytes} (RLIMIT_AS); raise it (`ulimit -v`), or set `{option}` with `{builder}::builder`"
            }
            ErrorKind::LockLimit => {
                "{full}it needs {bytes}, and its default reservation is a share of this process's limit on locked \
                 memory, {limit bytes} (RLIMIT_MEMLOCK), since the process locks all mappings; raise it \
                 (`ulimit -l`), or set `{option}` with `{builder}::builder`"
            }
            _ => {
                "{full}it needs {bytes}, and its default reservation is a share of the address space, {limit bytes}; \
                 drop other reservations, or set `{option}` with `{builder}::builder`"
            }
        }
    }

    /// Writes a message, replacing each name in braces.
    fn show(&self, mut message: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        while let Some((text, rest)) = message.split_once('{') {
            f.write_str(text)?;
            let (name, rest) = rest.split_once('}').unwrap_or_default();
            message = rest;
            match name {
                "this" => f.write_str(self.holder.name()),
                "option" => f.write_str(self.holder.option()),
                "builder" => f.write_str(self.holder.builder()),
                "full" => self.show(self.holder_message(), f),
                "holds" => self.show(self.capacity_message(), f),
                "less" => self.show(self.smaller_request_message(), f),
                "limit" => self.limit.fmt(f),
                "limit bytes" => Bytes(self.limit).fmt(f),
                "bytes" => Bytes(self.bytes as u64).fmt(f),
                "most bytes" => Bytes(isize::MAX as u64).fmt(f),
                "end" => self.bytes.fmt(f),
                "slot" => self.slot().unwrap_or_default().fmt(f),
                "index" => f.write_str(self.index.copied().unwrap_or_default()),
                _ => {
                    debug_assert!(false, "no text for {name:?}");
                    Ok(())
                }
            }?;
        }
        f.write_str(message)
    }

    const fn holder_message(&self) -> &'static str {
        match self.holder {
            Holder::Index => "an index is full: ",
            Holder::SecondaryMap => "this SecondaryMap cannot hold more slots: ",
            _ => "this {this} is full: ",
        }
    }

    const fn capacity_message(&self) -> &'static str {
        match (self.holder, self.size) {
            (Holder::Arena, _) => "{limit bytes}, and {bytes} in all would be in use",
            (_, Size::Option | Size::Request) => "{limit}",
            _ => "{limit} elements",
        }
    }

    /// How to request fewer addresses.
    const fn smaller_request_message(&self) -> &'static str {
        match self.size {
            Size::Option => "request less (a smaller `{option}`)",
            _ => "request less",
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(self.message(), f)?;
        match self.raw_os_error() {
            Some(code) => write!(f, " (os error {code})"),
            None => Ok(()),
        }
    }
}

/// A byte count, with a binary unit if it is large.
pub(super) struct Bytes(pub(super) u64);

impl Display for Bytes {
    #[inline(never)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)?;
        if self.0 >= 1024 { write!(f, " ({})", Rounded(self.0)) } else { Ok(()) }
    }
}

/// A byte count in a binary unit, rounded to a tenth.
pub(crate) struct Rounded(pub(crate) u64);

impl Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let Some(unit) = (self.0.max(1).ilog2() / 10).checked_sub(1) else {
            return write!(f, "{} B", self.0);
        };
        // With integers, since formatting floats would add 16 KiB of code to every program.
        let tenths = ((self.0 >> (unit * 10)) * 10 + 512) / 1024;
        write!(f, "{}.{} {}", tenths / 10, tenths % 10, UNITS[unit as usize])
    }
}
