//! What an [`Error`] says: which limit refused, how many bytes, and what to do about it.

use super::{Error, ErrorKind, Holder, Size};
use std::fmt::{self, Display};

impl Error {
    /// The words for it, with names in braces for what [`show`](Self::show) writes there.
    //
    // As text, since a `write!` for each would add 2.5 KB of code to every program.
    const fn words(&self) -> &'static str {
        match (self.kind, self.holder) {
            (ErrorKind::MaxLen, _) => self.words_of_full(),
            (ErrorKind::AllocationLimit, _) => {
                "this Arena may use {limit bytes} at most, and {bytes} in all are asked for; raise or lift its \
                 allocation limit"
            }
            (ErrorKind::KeyBits, Holder::SecondaryMap) => {
                "this SecondaryMap takes no more slots: the index in its keys numbers {limit} slots at most; make it \
                 with a key type that has more bits of index"
            }
            (ErrorKind::KeyBits, Holder::TypeNumber) => {
                "the type number does not fit into the keys, whose tag holds {limit} at most; choose a smaller one, or \
                 make the map with a key type that has more bits of tag"
            }
            (ErrorKind::KeyBits, Holder::Index) => {
                "an index numbers {limit} slots, or sets of them, at most; make several"
            }
            (ErrorKind::KeyBits, _) => {
                "this {this} is full: the index in its keys numbers {limit} slots at most, retired ones among them; \
                 make it with a key type that has more bits of index, or of generation"
            }
            (ErrorKind::FarIndex, Holder::Index) => {
                "the slot is so far that this index would take {bytes} in all; only slots below {limit} are accepted \
                 without being reserved; number slots without large gaps, or call `reserve` first"
            }
            (ErrorKind::FarIndex, _) => {
                "the index in the key is so far that this {this} would take {bytes} in all; only those below {limit} \
                 are taken without being announced; if the key is right, call `reserve` or `set_capacity` before, or \
                 use a `SparseSecondaryMap`"
            }
            (ErrorKind::CapacityOverflow, _) if self.has_limit => {
                "capacity overflow: an array may have {limit} elements at most, also of such as have no size"
            }
            (ErrorKind::CapacityOverflow, _) => {
                "capacity overflow: {bytes} are more than the {most bytes} that an array may have"
            }
            (ErrorKind::OutOfBounds, _) => {
                "the range ends at byte {end}, or starts behind its end, in a reservation of {limit bytes}"
            }
            (ErrorKind::Alignment, _) => {
                "{limit} is no power of two, no multiple of the page, or more than the memory is aligned to; round \
                 ranges to `page_size()`, and align to 1, 2, 4, …"
            }
            (ErrorKind::Busy, Holder::SharedVec | Holder::SharedSlotMap) => {
                "this {this} is taking memory, and this call comes from a backing or an allocator that runs meanwhile, \
                 or from a fork of the process; call when that has returned, or in the process itself"
            }
            (ErrorKind::Busy, _) => {
                "the array, or the map, of this scope is taking memory, and this call comes from a backing, an \
                 allocator or a panic hook that runs meanwhile; use the scope when that call has returned"
            }
            (ErrorKind::StaleKey, Holder::Table) => {
                "no row of this Table has the key: the row was removed, or the key is null or of another table; check \
                 with `contains_key`, or insert the row"
            }
            (ErrorKind::StaleKey, _) => {
                "the key is null, or older than the one whose value is, or was, there; insert under a key that the \
                 map of these keys has now"
            }
            (ErrorKind::TypeId, _) => {
                "the type number of this map, {limit}, is not what the key has as its tag; insert it into the map that \
                 it is of"
            }
            (ErrorKind::Occupied, _) => {
                "the slot of the key holds a value, or is kept for a detached one; remove that, or change it in place"
            }
            (ErrorKind::Taken, _) if self.index.is_some() => {
                "the unique index `{index}` already has this value, for the row in slot {slot}; find that row, and \
                 change or remove it first"
            }
            (ErrorKind::Taken, _) => {
                "unique index {limit} already has this value, for the row in slot {slot}; find that row, and change or \
                 remove it first"
            }
            (ErrorKind::Generations, _) => {
                "the value has the last generation, {limit}, so its slot can have no other key; remove it and insert \
                 it again, or use a key type with more bits of generation"
            }
            _ if matches!(self.size, Size::Default) => self.words_of_share(),
            _ => self.words_of_refusal(),
        }
    }

    /// What the system, or a limit of the process, refused.
    const fn words_of_refusal(&self) -> &'static str {
        match self.kind {
            ErrorKind::AddressSpace => {
                "no free range of addresses holds {bytes}; {less} or drop other reservations"
            }
            ErrorKind::AddressLimit => {
                "reserving {bytes} passes this process' limit of address space, {limit bytes} \
                 (RLIMIT_AS); raise it (`ulimit -v`) or {less}"
            }
            ErrorKind::Memory => {
                "the system will not commit {bytes} more; free memory, add swap, or raise what it may promise \
                 (overcommit settings, the page file)"
            }
            ErrorKind::DataLimit => {
                "committing {bytes} passes this process' limit of writable memory, {limit bytes} (RLIMIT_DATA); raise \
                 it (`ulimit -d`) or use less"
            }
            ErrorKind::MappingLimit => {
                "changing {bytes} needs more mappings than the {limit} a process may have; raise `vm.max_map_count` \
                 or keep fewer separate ranges"
            }
            // Known on Linux alone, so these are Linux' words.
            ErrorKind::LockLimit if self.has_limit => {
                "locking (in a process that locks all it maps: reserving) {bytes} passes this process' limit of \
                 locked memory, {limit bytes} (RLIMIT_MEMLOCK, `ulimit -l`); raise it or lock less"
            }
            ErrorKind::LockLimit => {
                "locking (in a process that locks all it maps: reserving) {bytes} passes this process' limit of \
                 locked memory; raise it or lock less"
            }
            ErrorKind::Disk => {
                "the disk has no room for a file of {bytes}; free some, or put the file elsewhere"
            }
            ErrorKind::Quota => {
                "a file of {bytes} passes the quota of its owner; have it raised, or put the file elsewhere"
            }
            ErrorKind::FileLimit if self.has_limit => {
                "a file of {bytes} passes this process' limit, {limit bytes} (RLIMIT_FSIZE); raise it (`ulimit -f`)"
            }
            ErrorKind::FileLimit => {
                "no file of {bytes} can be where this one is; put it on another file system"
            }
            ErrorKind::Unsupported => {
                "this cannot be done on this system: it has no virtual memory that stayput can use, or cannot touch \
                 pages that others use; do without it, or make arrays and maps in memory of your own, by a `Backing` \
                 that can"
            }
            _ => "the system refused a request for {bytes}",
        }
    }

    /// Of what is full, and what to set to have it hold more.
    const fn words_of_full(&self) -> &'static str {
        match self.size {
            Size::Option | Size::Request => {
                "{full}its `{option}` is {holds}; make it with a larger one, by `{builder}::builder`"
            }
            Size::Default => {
                "{full}its default reservation holds {holds}; to reserve more, set `{option}` with `{builder}::builder`"
            }
            Size::Backing => {
                "{full}the memory that its `Backing` supplies holds {holds}; supply more"
            }
        }
    }

    /// Of a default reservation that a limit of the process made too small.
    const fn words_of_share(&self) -> &'static str {
        match self.kind {
            ErrorKind::AddressLimit => {
                "{full}it needs {bytes}, and its default reservation is a share of this process's limit of address \
                 space, {limit bytes} (RLIMIT_AS); raise it (`ulimit -v`), or set `{option}` with `{builder}::builder`"
            }
            ErrorKind::LockLimit => {
                "{full}it needs {bytes}, and its default reservation is a share of this process's limit of locked \
                 memory, {limit bytes} (RLIMIT_MEMLOCK), since the process locks all it maps; raise it \
                 (`ulimit -l`), or set `{option}` with `{builder}::builder`"
            }
            _ => {
                "{full}it needs {bytes}, and its default reservation is a share of the address space, {limit bytes}; \
                 drop other reservations, or set `{option}` with `{builder}::builder`"
            }
        }
    }

    /// Writes words, with what each name in braces stands for.
    fn show(&self, mut words: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        while let Some((text, rest)) = words.split_once('{') {
            f.write_str(text)?;
            let (name, rest) = rest.split_once('}').unwrap_or_default();
            words = rest;
            match name {
                "this" => f.write_str(self.holder.name()),
                "option" => f.write_str(self.holder.option()),
                "builder" => f.write_str(self.holder.builder()),
                "full" => self.show(self.words_of_holder(), f),
                "holds" => self.show(self.words_of_most(), f),
                "less" => self.show(self.words_of_less(), f),
                "limit" => self.limit.fmt(f),
                "limit bytes" => Bytes(self.limit).fmt(f),
                "bytes" => Bytes(self.bytes as u64).fmt(f),
                "most bytes" => Bytes(isize::MAX as u64).fmt(f),
                "end" => self.bytes.fmt(f),
                "slot" => self.slot().unwrap_or_default().fmt(f),
                "index" => f.write_str(self.index.copied().unwrap_or_default()),
                _ => {
                    debug_assert!(false, "no words for {name:?}");
                    Ok(())
                }
            }?;
        }
        f.write_str(words)
    }

    /// What is full.
    const fn words_of_holder(&self) -> &'static str {
        match self.holder {
            Holder::Index => "an index has no room for more: ",
            Holder::SecondaryMap => "this SecondaryMap takes no more slots: ",
            _ => "this {this} is full: ",
        }
    }

    /// How much what is full holds.
    const fn words_of_most(&self) -> &'static str {
        match (self.holder, self.size) {
            (Holder::Arena, _) => "{limit bytes}, and {bytes} in all are asked for",
            (_, Size::Option | Size::Request) => "{limit}",
            _ => "{limit} elements",
        }
    }

    /// How to ask for fewer addresses.
    const fn words_of_less(&self) -> &'static str {
        match self.size {
            Size::Option => "ask for less (a smaller `{option}`)",
            _ => "ask for less",
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.show(self.words(), f)?;
        match self.raw_os_error() {
            Some(code) => write!(f, " (os error {code})"),
            None => Ok(()),
        }
    }
}

/// A byte count, with the binary unit that suits it where it is large.
pub(super) struct Bytes(pub(super) u64);

impl Display for Bytes {
    #[inline(never)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        write!(f, "{} bytes", self.0)?;
        let Some(unit) = (self.0.max(1).ilog2() / 10).checked_sub(1) else {
            return Ok(());
        };
        // Not by a float, which 16 KiB of code would be in every program for.
        let tenths = ((self.0 >> (unit * 10)) * 10 + 512) / 1024;
        write!(f, " ({}.{} {})", tenths / 10, tenths % 10, UNITS[unit as usize])
    }
}
