//! [`Error`]: which limit refused, for how many bytes, and the way out.

#![forbid(unsafe_code)]

mod display;
#[cfg(test)]
mod tests;

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
    size: Size,
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

impl SizedBy {
    /// All `bytes` of addresses that a process can have.
    pub(crate) const fn addresses(bytes: usize) -> Self {
        Self::Limit(ErrorKind::AddressSpace, bytes as u64)
    }

    /// What sets the size of a reservation that is smaller since a larger one was refused: a limit of the process, or
    /// what is given otherwise.
    pub(crate) const fn refused(error: &Error, otherwise: Self) -> Self {
        match (error.kind, error.limit()) {
            (kind @ (ErrorKind::AddressLimit | ErrorKind::LockLimit), Some(limit)) => {
                Self::Limit(kind, limit)
            }
            _ => otherwise,
        }
    }
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

    /// The option that sets how many addresses are reserved.
    const fn option(self) -> &'static str {
        match self {
            Self::Arena => "max_bytes",
            _ => "max_len",
        }
    }

    /// The type whose builder has that option.
    const fn builder(self) -> &'static str {
        match self {
            Self::Index => "Table",
            _ => self.name(),
        }
    }
}

/// What sets the size that was asked for, or that was not enough. An option is named only if the caller has set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Size {
    /// A request of the caller's.
    Request,
    /// The option for the largest size.
    Option,
    /// The default reservation.
    Default,
    /// The memory of a backing.
    Backing,
}

/// What sets the size of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizedBy {
    /// An option that the caller has set.
    Option,
    /// The usual default.
    Default,
    /// A limit of the process, of which it is a share: its kind and its value.
    Limit(ErrorKind, u64),
    /// The memory of a backing.
    Backing,
}

/// The limit that was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No free range of addresses is that large. Where an array is full because its default reservation is a share of
    /// all addresses, [`Error::limit`] is how many bytes of them a process can have.
    AddressSpace,
    /// The process may not use that much address space (`RLIMIT_AS`).
    /// [`Error::limit`] is that limit in bytes.
    AddressLimit,
    /// The system will not promise that much memory: what is free, or may be committed, is less.
    ///
    /// Linux by default refuses only a single request for more than the machine's memory and swap, and ends a process when
    /// memory runs out later; control groups refuse no commit at all.
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
    ///
    /// If none was set, and a limit of the process made the default reservation smaller than usual, the error is of the
    /// kind of that limit: [`AddressLimit`](Self::AddressLimit), [`AddressSpace`](Self::AddressSpace), or
    /// [`LockLimit`](Self::LockLimit).
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
            size: Size::Request,
            has_limit: false,
            code: 0,
            bytes,
            limit: 0,
            index: None,
        }
    }

    /// The error of an array or an arena whose memory holds `most` elements or bytes, and that would need `bytes` in all
    /// for more.
    #[cold]
    pub(crate) const fn full(sized_by: SizedBy, bytes: usize, most: usize) -> Self {
        let (kind, limit, size) = match sized_by {
            SizedBy::Option => (ErrorKind::MaxLen, most as u64, Size::Option),
            SizedBy::Default => (ErrorKind::MaxLen, most as u64, Size::Default),
            SizedBy::Limit(kind, limit) => (kind, limit, Size::Default),
            SizedBy::Backing => (ErrorKind::MaxLen, most as u64, Size::Backing),
        };
        Self { size, ..Self::new(kind, bytes).with_limit(limit) }
    }

    /// Whether the array holds as many elements as it ever can.
    pub(crate) const fn is_full(&self) -> bool {
        matches!((self.kind, self.size), (ErrorKind::MaxLen, _) | (_, Size::Default))
    }

    /// Whether an option of the caller's set the size.
    #[cfg(feature = "file")]
    pub(crate) const fn is_of_option(&self) -> bool {
        matches!(self.size, Size::Option)
    }

    /// The same where an option of the caller's set the size.
    #[cold]
    pub(crate) const fn of_option(self) -> Self {
        Self { size: Size::Option, ..self }
    }

    /// The same for memory whose size was derived, not set by an option.
    #[cold]
    pub(crate) const fn of_request(self) -> Self {
        Self { size: Size::Request, ..self }
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
    /// For [`ErrorKind::AllocationLimit`], and where an array or an arena is full, what it would have taken in all;
    /// `usize::MAX` where the number cannot be expressed.
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

impl fmt::Debug for Error {
    /// The kind, the type that was refused, and the text of [`Display`](fmt::Display): `unwrap` and a `main` that returns
    /// the error print this.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind)
            .field("of", &self.holder)
            .field("message", &format_args!("\"{self}\""))
            .finish_non_exhaustive()
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

/// What a fallible call returns instead of its result.
pub(crate) trait Refusal {
    fn error(&self) -> Error;
}

impl Refusal for Error {
    #[inline]
    fn error(&self) -> Error {
        *self
    }
}

impl<V> Refusal for Refused<V> {
    #[inline]
    fn error(&self) -> Error {
        self.error
    }
}

/// [`give_up`], if there is an error. A value that was refused is dropped by the panic.
#[inline]
#[track_caller]
pub(crate) fn or_give_up<V, R: Refusal>(result: Result<V, R>) -> V {
    match result {
        Ok(value) => value,
        Err(refusal) => give_up(refusal.error()),
    }
}
