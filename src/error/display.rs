//! What an [`Error`] says: which limit refused, how many bytes, and what to do about it.

use super::{Error, ErrorKind, Holder, Size};
use std::fmt;

impl Error {
    /// What the system, or a limit of the process, refused.
    fn show_refusal(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = Bytes(self.bytes as u64);
        let limit = self.limit;
        let less = Less(self);
        match self.kind {
            _ if self.size == Size::Default => self.show_share(f),
            ErrorKind::AddressSpace => write!(
                f,
                "no free range of addresses holds {bytes}; {less} or drop other reservations"
            ),
            ErrorKind::AddressLimit => write!(
                f,
                "reserving {bytes} passes this process' limit of address space, {} \
                 (RLIMIT_AS); raise it (`ulimit -v`) or {less}",
                Bytes(limit)
            ),
            ErrorKind::Memory => write!(
                f,
                "the system will not commit {bytes} more; free memory, add swap, or raise what \
                 it may promise (overcommit settings, the page file)"
            ),
            ErrorKind::DataLimit => write!(
                f,
                "committing {bytes} passes this process' limit of writable memory, {} \
                 (RLIMIT_DATA); raise it (`ulimit -d`) or use less",
                Bytes(limit)
            ),
            ErrorKind::MappingLimit => write!(
                f,
                "changing {bytes} needs more mappings than the {limit} a process may have; \
                 raise `vm.max_map_count` or keep fewer separate ranges"
            ),
            ErrorKind::LockLimit => {
                f.write_str("locking (in a process that locks all it maps: reserving) ")?;
                write!(f, "{bytes} passes this process' limit of locked memory")?;
                if self.has_limit {
                    // Known on Linux alone, so these are Linux' words.
                    write!(f, ", {} (RLIMIT_MEMLOCK, `ulimit -l`)", Bytes(limit))?;
                }
                f.write_str("; raise it or lock less")
            }
            ErrorKind::Disk => write!(
                f,
                "the disk has no room for a file of {bytes}; free some, or put the file elsewhere"
            ),
            ErrorKind::Quota => write!(
                f,
                "a file of {bytes} passes the quota of its owner; have it raised, or put the file elsewhere"
            ),
            ErrorKind::FileLimit if self.has_limit => write!(
                f,
                "a file of {bytes} passes this process' limit, {} (RLIMIT_FSIZE); raise it (`ulimit -f`)",
                Bytes(limit)
            ),
            ErrorKind::FileLimit => write!(
                f,
                "no file of {bytes} can be where this one is; put it on another file system"
            ),
            ErrorKind::Unsupported => {
                f.write_str(
                    "this cannot be done on this system: it has no virtual memory that stayput can use, or cannot \
                     touch pages that others use; do without it, or make arrays and maps in memory of your own, by \
                     a `Backing` that can",
                )
            }
            _ => write!(f, "the system refused a request for {bytes}"),
        }
    }

    /// What is full.
    fn show_holder(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.holder {
            Holder::Index => f.write_str("an index has no room for more: "),
            Holder::SecondaryMap => f.write_str("this SecondaryMap takes no more slots: "),
            holder => write!(f, "this {} is full: ", holder.name()),
        }
    }

    /// What the reservation of an array, or of an arena, holds.
    fn show_full(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, holder, .. } = *self;
        let limit = self.limit;
        let (option, builder) = (holder.option(), holder.builder());
        self.show_holder(f)?;
        match size {
            Size::Option | Size::Request => write!(f, "its `{option}` is ")?,
            Size::Default => f.write_str("its default reservation holds ")?,
            Size::Backing => f.write_str("the memory that its `Backing` supplies holds ")?,
        }
        match (holder, size) {
            (Holder::Arena, _) => {
                let bytes = Bytes(self.bytes as u64);
                write!(f, "{}, and {bytes} in all are asked for", Bytes(limit))?;
            }
            (_, Size::Option | Size::Request) => write!(f, "{limit}")?,
            _ => write!(f, "{limit} elements")?,
        }
        match size {
            Size::Option | Size::Request => {
                write!(f, "; make it with a larger one, by `{builder}::builder`")
            }
            Size::Default => {
                write!(f, "; to reserve more, set `{option}` with `{builder}::builder`")
            }
            Size::Backing => f.write_str("; supply more"),
        }
    }

    /// A default reservation that a limit of the process made too small.
    fn show_share(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bytes, limit) = (Bytes(self.bytes as u64), Bytes(self.limit));
        let (option, builder) = (self.holder.option(), self.holder.builder());
        self.show_holder(f)?;
        write!(f, "it needs {bytes}, and its default reservation is a share of ")?;
        match self.kind {
            ErrorKind::AddressLimit => write!(
                f,
                "this process's limit of address space, {limit} (RLIMIT_AS); raise it (`ulimit -v`)"
            ),
            ErrorKind::LockLimit => write!(
                f,
                "this process's limit of locked memory, {limit} (RLIMIT_MEMLOCK), since the process locks all it maps; \
                 raise it (`ulimit -l`)"
            ),
            _ => write!(f, "the address space, {limit}; drop other reservations"),
        }?;
        write!(f, ", or set `{option}` with `{builder}::builder`")
    }

    /// What a key, or a row, does not go together with.
    fn show_clash(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.limit;
        match self.kind {
            ErrorKind::StaleKey if self.holder == Holder::Table => f.write_str(
                "no row of this Table has the key: the row was removed, or the key is null or of another \
                 table; check with `contains_key`, or insert the row",
            ),
            ErrorKind::StaleKey => f.write_str(
                "the key is null, or older than the one whose value is, or was, there; insert under \
                 a key that the map of these keys has now",
            ),
            ErrorKind::TypeId => write!(
                f,
                "the type number of this map, {limit}, is not what the key has as its tag; insert it \
                 into the map that it is of"
            ),
            ErrorKind::Occupied => f.write_str(
                "the slot of the key holds a value, or is kept for a detached one; remove that, or \
                 change it in place",
            ),
            ErrorKind::Taken => {
                match self.index {
                    Some(name) => write!(f, "the unique index `{name}`")?,
                    None => write!(f, "unique index {limit}")?,
                }
                let slot = self.slot().unwrap_or_default();
                write!(
                    f,
                    " already has this value, for the row in slot {slot}; find that row, and change or remove it first"
                )
            }
            _ => write!(
                f,
                "the value has the last generation, {limit}, so its slot can have no other key; \
                 remove it and insert it again, or use a key type with more bits of generation"
            ),
        }
    }

    /// What does not fit into what was made, or does not fit together.
    fn show_misfit(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = Bytes(self.bytes as u64);
        let limit = self.limit;
        let this = self.holder.name();
        match (self.kind, self.holder) {
            (ErrorKind::AllocationLimit, _) => write!(
                f,
                "this Arena may use {} at most, and {bytes} in all are asked for; raise or lift its \
                 allocation limit",
                Bytes(limit)
            ),
            (ErrorKind::MaxLen, _) => self.show_full(f),
            (ErrorKind::KeyBits, Holder::SecondaryMap) => write!(
                f,
                "this SecondaryMap takes no more slots: the index in its keys numbers {limit} slots \
                 at most; make it with a key type that has more bits of index"
            ),
            (ErrorKind::KeyBits, Holder::TypeNumber) => write!(
                f,
                "the type number does not fit into the keys, whose tag holds {limit} at most; choose a \
                 smaller one, or make the map with a key type that has more bits of tag"
            ),
            (ErrorKind::KeyBits, Holder::Index) => write!(
                f,
                "an index numbers {limit} slots, or sets of them, at most; make several"
            ),
            (ErrorKind::KeyBits, _) => write!(
                f,
                "this {this} is full: the index in its keys numbers {limit} slots at most, retired \
                 ones among them; make it with a key type that has more bits of index, or of \
                 generation"
            ),
            (ErrorKind::FarIndex, Holder::Index) => write!(
                f,
                "the slot is so far that this index would take {bytes} in all; only slots below {limit} \
                 are accepted without being reserved; number slots without large gaps, or call `reserve` first"
            ),
            (ErrorKind::FarIndex, _) => write!(
                f,
                "the index in the key is so far that this {this} would take {bytes} in all; only \
                 those below {limit} are taken without being announced; if the key is right, call \
                 `reserve` or `set_capacity` before, or use a `SparseSecondaryMap`"
            ),
            (ErrorKind::CapacityOverflow, _) if self.has_limit => write!(
                f,
                "capacity overflow: an array may have {limit} elements at most, also of such as \
                 have no size"
            ),
            (ErrorKind::CapacityOverflow, _) => write!(
                f,
                "capacity overflow: {bytes} are more than the {} that an array may have",
                Bytes(isize::MAX as u64)
            ),
            (ErrorKind::OutOfBounds, _) => write!(
                f,
                "the range ends at byte {}, or starts behind its end, in a reservation of {}",
                self.bytes,
                Bytes(limit)
            ),
            (ErrorKind::Alignment, _) => write!(
                f,
                "{limit} is no power of two, no multiple of the page, or more than the memory is \
                 aligned to; round ranges to `page_size()`, and align to 1, 2, 4, …"
            ),
            (ErrorKind::Busy, Holder::SharedVec | Holder::SharedSlotMap) => write!(
                f,
                "this {} is taking memory, and this call comes from a backing or an allocator that runs \
                 meanwhile, or from a fork of the process; call when that has returned, or in the process itself",
                self.holder.name()
            ),
            _ => f.write_str(
                "the array, or the map, of this scope is taking memory, and this call comes from a \
                 backing, an allocator or a panic hook that runs meanwhile; use the scope when that \
                 call has returned",
            ),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::StaleKey
            | ErrorKind::TypeId
            | ErrorKind::Occupied
            | ErrorKind::Taken
            | ErrorKind::Generations => self.show_clash(f),
            ErrorKind::MaxLen
            | ErrorKind::AllocationLimit
            | ErrorKind::KeyBits
            | ErrorKind::FarIndex
            | ErrorKind::CapacityOverflow
            | ErrorKind::OutOfBounds
            | ErrorKind::Alignment
            | ErrorKind::Busy => self.show_misfit(f),
            ErrorKind::AddressSpace
            | ErrorKind::AddressLimit
            | ErrorKind::Memory
            | ErrorKind::DataLimit
            | ErrorKind::MappingLimit
            | ErrorKind::LockLimit
            | ErrorKind::Disk
            | ErrorKind::Quota
            | ErrorKind::FileLimit
            | ErrorKind::Unsupported
            | ErrorKind::System => self.show_refusal(f),
        }?;
        match self.raw_os_error() {
            Some(code) => write!(f, " (os error {code})"),
            None => Ok(()),
        }
    }
}

/// How to ask for fewer addresses.
struct Less<'e>(&'e Error);

impl fmt::Display for Less<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ask for less")?;
        match self.0.size {
            Size::Option => write!(f, " (a smaller `{}`)", self.0.holder.option()),
            _ => Ok(()),
        }
    }
}

/// A byte count, with the binary unit that suits it where it is large.
pub(super) struct Bytes(pub(super) u64);

impl fmt::Display for Bytes {
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
