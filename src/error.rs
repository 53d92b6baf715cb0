//! [`Error`]: which limit refused, for how many bytes, and the way out.

#![forbid(unsafe_code)]

use std::fmt;

/// Why memory, or an address range for it, could not be had.
///
/// An error names the limit that was hit ([`kind`](Self::kind), [`limit`](Self::limit)), how many
/// bytes were asked for ([`bytes`](Self::bytes)) and what the system answered
/// ([`raw_os_error`](Self::raw_os_error)); its [`Display`](fmt::Display) adds what to do about it.
/// Making, copying and printing one allocates nothing.
///
/// # Examples
///
/// ```
/// use stayput::{ErrorKind, VmVec};
///
/// let mut two = VmVec::with_max_len(2);
/// two.extend(["a", "b"]);
/// let refused = two.try_push("c").unwrap_err();
/// assert_eq!(refused.error.kind(), ErrorKind::MaxLen);
/// assert_eq!(refused.error.limit(), Some(2));
/// assert_eq!(refused.value, "c");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[must_use]
pub struct Error {
    kind: ErrorKind,
    holder: Holder,
    has_limit: bool,
    /// What the system answered; of [`ErrorKind::Taken`], the slot of the row that has the value.
    code: i32,
    bytes: usize,
    limit: u64,
    /// The index of a table that refused, by a thin pointer, so that an error is no larger.
    index: Option<&'static &'static str>,
}

/// Who could not have what was asked for, for the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    /// A reservation, or nobody says.
    Reservation,
    VmVec,
    SlotMap,
    SecondaryMap,
    Arena,
    Columns,
    DenseSlotMap,
    Table,
    SharedVec,
    BlockVec,
    SharedSlotMap,
    Index,
    /// That which a map has in its keys.
    TypeNumber,
    #[cfg(feature = "file")]
    FileVec,
}

impl Holder {
    /// Its name, after "this".
    const fn name(self) -> &'static str {
        match self {
            Self::Reservation => "reservation",
            Self::VmVec => "VmVec",
            Self::SlotMap => "SlotMap",
            Self::SecondaryMap => "SecondaryMap",
            Self::Arena => "Arena",
            Self::Columns => "Columns",
            Self::DenseSlotMap => "DenseSlotMap",
            Self::Table => "Table",
            Self::SharedVec => "SharedVec",
            Self::BlockVec => "BlockVec",
            Self::SharedSlotMap => "SharedSlotMap",
            Self::Index => "index",
            Self::TypeNumber => "type number",
            #[cfg(feature = "file")]
            Self::FileVec => "FileVec",
        }
    }

    /// How to ask for fewer addresses.
    const fn less(self) -> &'static str {
        match self {
            Self::Reservation => "ask for less",
            Self::Arena => "ask for less (a smaller `max_bytes`)",
            _ => "ask for less (a smaller `max_len`)",
        }
    }
}

/// The limit that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No free range of addresses is that large.
    AddressSpace,
    /// The process may not use that much address space (`RLIMIT_AS`).
    /// [`Error::limit`] is that limit in bytes.
    AddressLimit,
    /// The system will not promise that much memory: what is free, or may be committed, is less.
    Memory,
    /// The process may not have that much private writable memory (`RLIMIT_DATA`).
    /// [`Error::limit`] is that limit in bytes.
    DataLimit,
    /// The process has as many mappings as it may have (`vm.max_map_count` on Linux).
    /// [`Error::limit`] is that count.
    MappingLimit,
    /// The process may not lock that much memory (`RLIMIT_MEMLOCK`).
    /// [`Error::limit`] is that limit in bytes. In a process that locks all that it will map
    /// (`mlockall` with `MCL_FUTURE`), reserved addresses count too, and it refuses reservations.
    LockLimit,
    /// The array, or the arena, holds all that its reservation was made for.
    /// [`Error::limit`] is its `max_len` in elements, or its `max_bytes`.
    MaxLen,
    /// The arena's [allocation limit](crate::Arena::set_allocation_limit) allows no more.
    /// [`Error::limit`] is that limit in bytes.
    AllocationLimit,
    /// A map holds as many slots as the index in its keys can number, or such of them as are left
    /// are retired. [`Error::limit`] is how many slots that is. Or its
    /// [type number](crate::SlotMapBuilder::type_id) does not fit into their tag;
    /// then [`Error::limit`] is the largest that does.
    KeyBits,
    /// The index in a key, or the slot given to an [index](crate::index#far-slots), is so large for the number of values
    /// that it is likely to be forged. [`Error::limit`] is the first index that would be refused.
    FarIndex,
    /// A key is null, or older than the one whose value is there; or not later than the last one of its
    /// slot, where a slot map is to take it.
    StaleKey,
    /// A key carries another [type number](crate::SlotMapBuilder::type_id) than that of the map that is to
    /// take it, which is [`Error::limit`].
    TypeId,
    /// The slot of a key holds a value that is not to be replaced, or is kept for a detached one.
    Occupied,
    /// Another row of a [`Table`](crate::Table) has the value that a row is to have, in an index of values that no two
    /// may have. [`Error::index_name`] is the name of the index, [`Error::slot`] the slot of the other row, and
    /// [`Error::limit`] the number of the index, from 0 on, in the order in which they are declared.
    Taken,
    /// A value has the last generation that keys can have, so there is no other key for its slot.
    /// [`Error::limit`] is that generation.
    Generations,
    /// The size in bytes is more than `isize::MAX`, which no array in Rust may have; or the number
    /// of elements without a size is more than `usize::MAX`. [`Error::limit`] is the latter number,
    /// if that was passed.
    CapacityOverflow,
    /// A range does not lie inside the reservation, or ends before it starts.
    /// [`Error::limit`] is the size of the reservation in bytes.
    OutOfBounds,
    /// A range does not start and end on a page boundary, an alignment is no power of two, or
    /// memory that was supplied has not the alignment that elements need. [`Error::limit`] is what
    /// was asked to be aligned, or the alignment.
    Alignment,
    /// A call of the scope of an array or a map came out of another of its calls, while that takes
    /// memory: from a backing, a global allocator, or the hook of a panic. Or so did one of a
    /// [`SharedVec`](crate::SharedVec).
    Busy,
    /// The disk, or whatever else the file of an array lies on, is full.
    Disk,
    /// The user may not have so much there (a quota).
    Quota,
    /// No file may be that large: for this process (`RLIMIT_FSIZE`; [`Error::limit`] is that limit in bytes), or
    /// where it lies.
    FileLimit,
    /// This system has no virtual memory that the crate knows how to use, and what was asked for cannot be done
    /// without: to lock memory, or to tell what is resident. (Arrays and maps can be made there, see
    /// [systems](crate#systems).)
    Unsupported,
    /// Any other refusal; [`Error::raw_os_error`] says which.
    System,
}

impl Error {
    /// An error of kind [`System`](ErrorKind::System): what the system answered (`errno`,
    /// `GetLastError`; 0 if there is no such number), and for how many bytes.
    ///
    /// For those who supply memory themselves, as a [`Backing`](crate::Backing).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Error, ErrorKind};
    ///
    /// let error = Error::from_raw_os_error(12, 4096);
    /// assert_eq!(error.kind(), ErrorKind::System);
    /// assert_eq!((error.raw_os_error(), error.bytes()), (Some(12), 4096));
    /// ```
    #[cold]
    pub const fn from_raw_os_error(code: i32, bytes: usize) -> Self {
        Self::new(ErrorKind::System, bytes).with_code(code)
    }

    /// An error that is ours: no system call was refused.
    #[cold]
    pub(crate) const fn new(kind: ErrorKind, bytes: usize) -> Self {
        Self {
            kind,
            holder: Holder::Reservation,
            has_limit: false,
            code: 0,
            bytes,
            limit: 0,
            index: None,
        }
    }

    /// The same for somebody else, unless it is about a type number, or an index of a table.
    #[cold]
    pub(crate) const fn of(self, holder: Holder) -> Self {
        match (self.holder, holder) {
            (Holder::TypeNumber, _) | (Holder::Index, Holder::Table) => self,
            _ => Self { holder, ..self },
        }
    }

    /// The same of another kind, with the limit of that kind.
    #[cold]
    pub(crate) const fn into_kind(self, kind: ErrorKind, limit: u64) -> Self {
        Self { kind, has_limit: true, limit, ..self }
    }

    /// What the system answered, by its own number.
    #[cold]
    pub(crate) const fn with_code(self, code: i32) -> Self {
        Self { code, ..self }
    }

    /// The value of the limit that was hit, in the unit of the kind.
    #[cold]
    pub(crate) const fn with_limit(self, limit: u64) -> Self {
        Self { has_limit: true, limit, ..self }
    }

    /// An error about a value that the row in a slot has, by the index of that number.
    #[cold]
    pub(crate) const fn taken(index: usize, slot: u32) -> Self {
        let error = Self::new(ErrorKind::Taken, 0).with_limit(index as u64);
        error.with_code(i32::from_ne_bytes(slot.to_ne_bytes()))
    }

    /// The same with the name of the index that its limit numbers, if it is about one.
    #[cold]
    pub(crate) fn with_name_of(self, indices: &'static [&'static str]) -> Self {
        if self.slot().is_none() {
            return self;
        }
        let number = usize::try_from(self.limit).unwrap_or(usize::MAX);
        Self { index: indices.get(number), ..self }
    }

    /// Which limit was hit.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// How many bytes were asked for, at once.
    ///
    /// For [`ErrorKind::MaxLen`] and [`ErrorKind::AllocationLimit`], what the array, or the arena, would
    /// have taken in all; `usize::MAX`
    /// where the number cannot be expressed.
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The value of the limit, where it is known; its unit is said at the [`ErrorKind`].
    pub const fn limit(&self) -> Option<u64> {
        if self.has_limit { Some(self.limit) } else { None }
    }

    /// Returns the name of the index of a [`Table`](crate::Table) that a row was refused by, as
    /// [`indices!`](crate::indices) declares it; `None` for any kind but [`Taken`](ErrorKind::Taken).
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    ///
    /// let mut table: Table<(u32, char), By> = [(7, 'a')].into();
    /// let error = table.try_insert((7, 'b')).unwrap_err().error;
    /// assert_eq!(error.index_name(), Some("number"));
    /// let (_, other) = table.rows().get_by_index(error.slot().unwrap()).unwrap();
    /// assert_eq!(other, &(7, 'a'));
    /// ```
    pub fn index_name(&self) -> Option<&'static str> {
        self.index.copied()
    }

    /// Returns the slot of the row that has the value another row was to have; `None` for any kind but
    /// [`Taken`](ErrorKind::Taken). [`SlotMap::get_by_index`](crate::SlotMap::get_by_index) finds the row.
    pub const fn slot(&self) -> Option<u32> {
        match self.kind {
            ErrorKind::Taken => Some(u32::from_ne_bytes(self.code.to_ne_bytes())),
            _ => None,
        }
    }

    /// What the system answered (`errno`, `GetLastError`), where it was asked.
    pub const fn raw_os_error(&self) -> Option<i32> {
        if self.code == 0 || matches!(self.kind, ErrorKind::Taken) { None } else { Some(self.code) }
    }
}

#[expect(clippy::missing_fields_in_debug, reason = "`code` is shown as `raw_os_error`")]
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind)
            .field("raw_os_error", &self.raw_os_error())
            .field("bytes", &self.bytes)
            .field("limit", &self.limit())
            .field("of", &self.holder)
            .finish()
    }
}

impl Error {
    /// What the system, or a limit of the process, refused.
    fn show_refusal(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = Bytes(self.bytes as u64);
        let limit = self.limit;
        let less = self.holder.less();
        match self.kind {
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
                 it may promise (overcommit and control-group limits, the page file)"
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
            (ErrorKind::MaxLen, Holder::Arena) => write!(
                f,
                "this Arena is full: its `max_bytes` is {}, and {bytes} in all are asked for; make \
                 it with a larger one, by `Arena::builder`",
                Bytes(limit)
            ),
            (ErrorKind::MaxLen, Holder::SecondaryMap) => write!(
                f,
                "this SecondaryMap takes no more slots: its `max_len` is {limit}; make it with a \
                 larger one, by `SecondaryMap::builder`"
            ),
            (ErrorKind::AllocationLimit, _) => write!(
                f,
                "this Arena may use {} at most, and {bytes} in all are asked for; raise or lift its \
                 allocation limit",
                Bytes(limit)
            ),
            (ErrorKind::MaxLen, Holder::Index) => write!(
                f,
                "an index has no room for more: there were addresses for {limit} elements in one of its \
                 arrays when it was first used; drop other reservations before, or name the `max_len` of \
                 its table, by `Table::builder`"
            ),
            (ErrorKind::MaxLen, _) => write!(
                f,
                "this {this} is full: its `max_len` is {limit}; make it with a larger one, by \
                 `{this}::builder`"
            ),
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
            (ErrorKind::Busy, Holder::SharedVec) => f.write_str(
                "this SharedVec is taking memory, and this call comes from a backing or an allocator that runs \
                 meanwhile, or from a fork of the process; call when that has returned, or in the process itself",
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

impl std::error::Error for Error {}

impl From<Error> for std::io::Error {
    /// An [`io::Error`](std::io::Error) with this one as its source.
    fn from(error: Error) -> Self {
        Self::new(std::io::ErrorKind::OutOfMemory, error)
    }
}

/// An error, and the value that could not be stored because of it.
///
/// # Examples
///
/// ```
/// use stayput::{Error, VmVec};
///
/// fn store(into: &mut VmVec<String>, text: String) -> Result<(), Error> {
///     into.try_push(text)?; // the text is dropped on failure; `.value` would give it back
///     Ok(())
/// }
/// # store(&mut VmVec::new(), "a".into()).unwrap();
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Refused<V> {
    /// Why it could not be stored.
    pub error: Error,
    /// What could not be stored.
    pub value: V,
}

impl<V> fmt::Debug for Refused<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<V> fmt::Display for Refused<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<V> std::error::Error for Refused<V> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<V> From<Refused<V>> for Error {
    fn from(refused: Refused<V>) -> Self {
        refused.error
    }
}

/// Ends an infallible call whose fallible twin has an error.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn give_up(error: Error) -> ! {
    panic!("stayput: {error}")
}

/// [`give_up`], if there is an error.
#[inline]
#[track_caller]
pub(crate) fn or_give_up<V>(result: Result<V, Error>) -> V {
    match result {
        Ok(value) => value,
        Err(error) => give_up(error),
    }
}

/// A byte count, with the binary unit that suits it where it is large.
struct Bytes(u64);

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_the_limit_the_bytes_and_the_way_out() {
        let error = Error::new(ErrorKind::AddressLimit, 3 << 30).with_limit(1 << 40).with_code(12);
        let text = error.to_string();
        for part in ["3221225472 bytes (3.0 GiB)", "1.0 TiB", "RLIMIT_AS", "os error 12"] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn an_error_is_four_words() {
        assert_eq!(size_of::<Error>(), 4 * size_of::<usize>());
    }

    #[test]
    fn byte_counts_carry_a_unit_from_a_kibibyte_on() {
        assert_eq!(Bytes(0).to_string(), "0 bytes");
        assert_eq!(Bytes(1023).to_string(), "1023 bytes");
        assert_eq!(Bytes(1024).to_string(), "1024 bytes (1.0 KiB)");
        assert_eq!(Bytes(3 << 29).to_string(), "1610612736 bytes (1.5 GiB)");
        assert_eq!(Bytes(2_000_000).to_string(), "2000000 bytes (1.9 MiB)");
        assert_eq!(Bytes(u64::MAX).to_string(), "18446744073709551615 bytes (16.0 EiB)");
    }

    #[test]
    fn every_kind_has_words() {
        for kind in [
            ErrorKind::AddressSpace,
            ErrorKind::AddressLimit,
            ErrorKind::Memory,
            ErrorKind::DataLimit,
            ErrorKind::MappingLimit,
            ErrorKind::LockLimit,
            ErrorKind::MaxLen,
            ErrorKind::AllocationLimit,
            ErrorKind::KeyBits,
            ErrorKind::FarIndex,
            ErrorKind::StaleKey,
            ErrorKind::TypeId,
            ErrorKind::Occupied,
            ErrorKind::Taken,
            ErrorKind::Generations,
            ErrorKind::CapacityOverflow,
            ErrorKind::OutOfBounds,
            ErrorKind::Alignment,
            ErrorKind::Busy,
            ErrorKind::Disk,
            ErrorKind::Quota,
            ErrorKind::FileLimit,
            ErrorKind::Unsupported,
            ErrorKind::System,
        ] {
            assert!(Error::new(kind, 4096).to_string().len() > 20, "{kind:?}");
        }
    }
}
