//! [`Error`]: which limit was hit, for how many bytes, and what to do.

#![forbid(unsafe_code)]

mod display;
#[cfg(test)]
mod tests;

#[cfg(feature = "memory-map")]
pub(crate) use display::Rounded;
use std::fmt;

/// An error from a request for memory or addresses, or from a container that cannot accept a value.
///
/// An error names the limit that was hit ([`kind`](Self::kind), [`limit`](Self::limit)), how many bytes were requested
/// ([`bytes`](Self::bytes)) and what the system answered ([`raw_os_error`](Self::raw_os_error)); its
/// [`Display`](fmt::Display) adds what to do. Creating, copying and printing one does not allocate.
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
    /// The system's error code; for [`ErrorKind::Taken`], the slot of the row that has the value.
    code: i32,
    bytes: usize,
    limit: u64,
    /// The name of the index of a table that refused, as a thin pointer to keep the error small.
    index: Option<&'static &'static str>,
}

/// What the request was for, as the message names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Holder {
    /// A reservation, or unspecified.
    Reservation,
    VmVec,
    SlotMap,
    SecondaryMap,
    Arena,
    Columns,
    #[cfg(feature = "columns")]
    ErasedColumn,
    DenseSlotMap,
    Table,
    SharedVec,
    BlockVec,
    SharedSlotMap,
    ListPool,
    SecondaryLists,
    Index,
    /// The type id that a map has in its keys.
    TypeId,
    #[cfg(feature = "file")]
    FileVec,
}

impl SizedBy {
    /// The share of all `bytes` of addresses that a process can have.
    pub(crate) const fn addresses(bytes: usize) -> Self {
        Self::Limit(ErrorKind::AddressSpace, bytes as u64)
    }

    /// What sets the size of a reservation that was made smaller since a larger one was refused: the limit of the
    /// process, or `otherwise`.
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
    /// Its name, as it follows "this" in a message.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Reservation => "reservation",
            Self::VmVec => "VmVec",
            Self::SlotMap => "SlotMap",
            Self::SecondaryMap => "SecondaryMap",
            Self::Arena => "Arena",
            Self::Columns => "Columns",
            #[cfg(feature = "columns")]
            Self::ErasedColumn => "ErasedColumn",
            Self::DenseSlotMap => "DenseSlotMap",
            Self::Table => "Table",
            Self::SharedVec => "SharedVec",
            Self::BlockVec => "BlockVec",
            Self::SharedSlotMap => "SharedSlotMap",
            Self::ListPool => "ListPool",
            Self::SecondaryLists => "SecondaryLists",
            Self::Index => "index",
            Self::TypeId => "type id",
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

/// What determined the size that was requested, or that did not suffice. An option is named only if the caller set it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Size {
    Request,
    /// The option for the maximum size.
    Option,
    Default,
    Backing,
}

/// What sets the size of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizedBy {
    Option,
    /// The usual default.
    Default,
    /// A share of a limit of the process: the limit's kind and value.
    Limit(ErrorKind, u64),
    Backing,
}

/// The limit that was hit.
///
/// # Examples
///
/// ```
/// use stayput::{ErrorKind, VmVec};
///
/// /// Appends a line; if the log is full, starts it anew.
/// fn write(log: &mut VmVec<String>, line: &str) {
///     if let Err(refused) = log.try_push(line.to_string()) {
///         match refused.error.kind() {
///             ErrorKind::MaxLen => log.clear(),
///             _ => panic!("{}", refused.error),
///         }
///         log.push(refused.value);
///     }
/// }
///
/// let mut log = VmVec::with_max_len(2);
/// for line in ["one", "two", "three"] {
///     write(&mut log, line);
/// }
/// assert_eq!(log, ["three"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No free range of addresses is large enough. If an array is full because its default reservation is a share of
    /// all addresses, [`Error::limit`] is how many bytes of them a process can have.
    AddressSpace,
    /// The limit of the process on address space (`RLIMIT_AS`) would be exceeded. [`Error::limit`] is that limit in
    /// bytes.
    AddressLimit,
    /// The system refused to commit the memory: less is free, or may be committed.
    ///
    /// By default, Linux refuses only a single request that exceeds the machine's memory and swap, and kills a process
    /// when memory runs out later; control groups never refuse a commit.
    ///
    /// Memory ahead of its use is also refused if less than a sixteenth of the machine's memory would remain. Then
    /// [`Error::limit`] is how many bytes are available.
    Memory,
    /// The limit of the process on private writable memory (`RLIMIT_DATA`) would be exceeded. [`Error::limit`] is that
    /// limit in bytes.
    DataLimit,
    /// The process has as many mappings as it may have (`vm.max_map_count` on Linux). [`Error::limit`] is that count.
    MappingLimit,
    /// The limit of the process on locked memory (`RLIMIT_MEMLOCK`) would be exceeded. [`Error::limit`] is that limit
    /// in bytes. In a process that locks all future mappings (`mlockall` with `MCL_FUTURE`), reserved addresses count
    /// as well, so reservations are refused.
    LockLimit,
    /// The array or arena holds as much as its reservation was made for. [`Error::limit`] is its `max_len` in
    /// elements, or its `max_bytes`.
    ///
    /// If neither was set, and a limit of the process made the default reservation smaller than usual, the error has
    /// the kind of that limit: [`AddressLimit`](Self::AddressLimit), [`AddressSpace`](Self::AddressSpace), or
    /// [`LockLimit`](Self::LockLimit).
    MaxLen,
    /// The arena's [allocation limit](crate::Arena::set_allocation_limit) would be exceeded. [`Error::limit`] is that
    /// limit in bytes.
    AllocationLimit,
    /// Every slot of a map that the index in its keys can number is in use or retired: then [`Error::limit`] is that
    /// number of slots. Or a map's [type id](crate::SlotMapBuilder::type_id) does not fit into the tag of its
    /// keys: then [`Error::limit`] is the largest that does. Or a slot passed to an [index](crate::index) is past the last
    /// one that the index can have.
    KeyBits,
    /// The index of a key, or the slot passed to an [index](crate::index#far-slots), is so large for the number of
    /// values that it is likely forged. [`Error::limit`] is the lowest index that is refused.
    FarIndex,
    /// A key is null, or older than the key of the value in its slot; or, for a slot map that is to accept it, not
    /// later than the last key of its slot.
    StaleKey,
    /// A key carries another [type id](crate::SlotMapBuilder::type_id) than the map that is to accept it.
    /// [`Error::limit`] is the map's.
    TypeId,
    /// The slot of a key holds a value that must not be replaced, or is kept for a detached one.
    Occupied,
    /// The value is already present in a unique index: another row of the [`Table`](crate::Table) has it.
    /// [`Error::index_name`] is the name of the index, [`Error::slot`] the slot of the other row, and [`Error::limit`]
    /// the number of the index, counted from 0 in the order of declaration.
    Taken,
    /// A value has the last generation that keys can have, so its slot cannot have another key. [`Error::limit`] is
    /// that generation.
    Generations,
    /// The size exceeds `isize::MAX` bytes, the most that an array in Rust may have; or the number of zero-sized
    /// elements exceeds `usize::MAX`, or that of all elements of a [`ListPool`](crate::ListPool) exceeds 2^32 - 1, which
    /// is then [`Error::limit`].
    CapacityOverflow,
    /// A range does not lie inside the reservation, or ends before it starts. [`Error::limit`] is the size of the
    /// reservation in bytes.
    OutOfBounds,
    /// A range does not start and end on a page boundary, an alignment is not a power of two, or caller-provided
    /// memory does not have the alignment that elements need. [`Error::limit`] is the misaligned value, or the
    /// alignment.
    Alignment,
    /// A re-entrant call: a backing, a global allocator or a panic hook called a method of a grow-only scope, an
    /// [`Arena`](crate::Arena), a [`SharedVec`](crate::SharedVec) or a [`SharedSlotMap`](crate::SharedSlotMap) while
    /// another of its calls was taking memory.
    ///
    /// The last two also return this in the child of a `fork`, if another thread was taking memory at that time; and a
    /// `SharedSlotMap` after the guard of [`as_mut_map`](crate::SharedSlotMap::as_mut_map) was leaked, until that is
    /// called again.
    Busy,
    /// The disk, or whatever the array's file is stored on, is full.
    Disk,
    /// The quota of the file's owner would be exceeded.
    Quota,
    /// The file would be too large, for this process (`RLIMIT_FSIZE`; [`Error::limit`] is that limit in bytes), or for
    /// its file system.
    FileLimit,
    /// This system has no virtual memory that the crate can use, and the request, to lock memory or to report what is
    /// resident, needs it. (Arrays and maps work there, see [systems](crate::guide::the_web).)
    Unsupported,
    /// Any other refusal by the system; [`Error::raw_os_error`] returns its code.
    System,
}

impl Error {
    /// Creates an error of kind [`System`](ErrorKind::System) from the system's error code (`errno`, `GetLastError`; 0
    /// if there is none) and the number of bytes requested.
    ///
    /// For implementations of [`Backing`](crate::Backing).
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

    /// Creates an error of the crate's own: no system call was refused.
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

    /// Creates the error of a full array or arena, whose memory holds `most` elements or bytes, and which would need
    /// `bytes` in all to hold more.
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

    /// Returns `true` if the array holds as many elements as it ever can.
    pub(crate) const fn is_full(&self) -> bool {
        matches!((self.kind, self.size), (ErrorKind::MaxLen, _) | (_, Size::Default))
    }

    /// Returns `true` if an option that the caller set determined the size.
    #[cfg(feature = "file")]
    pub(crate) const fn is_of_option(&self) -> bool {
        matches!(self.size, Size::Option)
    }

    /// Marks the size as set by an option of the caller.
    #[cold]
    pub(crate) const fn of_option(self) -> Self {
        Self { size: Size::Option, ..self }
    }

    /// Marks the size as derived, not set by an option.
    #[cold]
    pub(crate) const fn of_request(self) -> Self {
        Self { size: Size::Request, ..self }
    }

    /// Attributes the error to `holder`, unless it is about a type id or an index of a table.
    #[cold]
    pub(crate) const fn of(self, holder: Holder) -> Self {
        match (self.holder, holder) {
            (Holder::TypeId, _) | (Holder::Index, Holder::Table) => self,
            _ => Self { holder, ..self },
        }
    }

    /// Changes the kind, and sets the limit to that of the new kind.
    #[cold]
    pub(crate) const fn into_kind(self, kind: ErrorKind, limit: u64) -> Self {
        Self { kind, has_limit: true, limit, ..self }
    }

    /// Sets the system's error code.
    #[cold]
    pub(crate) const fn with_code(self, code: i32) -> Self {
        Self { code, ..self }
    }

    /// Sets the value of the limit, in the unit of the kind.
    #[cold]
    pub(crate) const fn with_limit(self, limit: u64) -> Self {
        Self { has_limit: true, limit, ..self }
    }

    /// Creates the error for a value that the row in `slot` already has, in the index of that number.
    #[cold]
    pub(crate) const fn taken(index: usize, slot: u32) -> Self {
        let error = Self::new(ErrorKind::Taken, 0).with_limit(index as u64);
        error.with_code(i32::from_ne_bytes(slot.to_ne_bytes()))
    }

    /// Adds the name of the index that the limit numbers, if the error is about one.
    #[cold]
    pub(crate) fn with_name_of(self, indices: &'static [&'static str]) -> Self {
        if self.slot().is_none() {
            return self;
        }
        let number = usize::try_from(self.limit).unwrap_or(usize::MAX);
        Self { index: indices.get(number), ..self }
    }

    /// Returns which limit was hit.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{ErrorKind, VmVec};
    ///
    /// let mut two = VmVec::<u64>::with_max_len(2);
    /// assert_eq!(two.try_reserve(3).unwrap_err().kind(), ErrorKind::MaxLen);
    /// assert_eq!(two.try_reserve(usize::MAX).unwrap_err().kind(), ErrorKind::CapacityOverflow);
    /// ```
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns how many bytes were requested.
    ///
    /// For [`ErrorKind::AllocationLimit`], and if an array or an arena is full, this is what it would have taken in
    /// all; `usize::MAX` if the number cannot be expressed.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut two = stayput::VmVec::<u64>::with_max_len(2);
    /// assert_eq!(two.try_reserve(3).unwrap_err().bytes(), 24);
    /// ```
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the value of the limit, in the unit that its [`ErrorKind`] names; `None` if it is not known.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut two = stayput::VmVec::<u64>::with_max_len(2);
    /// assert_eq!(two.try_reserve(3).unwrap_err().limit(), Some(2));
    /// ```
    pub const fn limit(&self) -> Option<u64> {
        if self.has_limit { Some(self.limit) } else { None }
    }

    /// Returns the name of the index of a [`Table`](crate::Table) that refused a row, as [`indices!`](crate::indices)
    /// declares it; `None` for any kind other than [`Taken`](ErrorKind::Taken).
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

    /// Returns the slot of the row that has the value already; `None` for any kind other than
    /// [`Taken`](ErrorKind::Taken). [`SlotMap::get_by_index`](crate::SlotMap::get_by_index) finds the row.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Table, indices};
    /// # indices! { struct By for (u32, char) { number: Unique<u32> = |row| &row.0, } }
    ///
    /// let mut table: Table<(u32, char), By> = [(7, 'a')].into();
    /// let error = table.try_insert((7, 'b')).unwrap_err().error;
    /// let taken = error.slot().and_then(|slot| table.rows().get_by_index(slot));
    /// assert_eq!(taken.map(|(_, row)| row.1), Some('a'));
    /// ```
    pub const fn slot(&self) -> Option<u32> {
        match self.kind {
            ErrorKind::Taken => Some(u32::from_ne_bytes(self.code.to_ne_bytes())),
            _ => None,
        }
    }

    /// Returns the system's error code (`errno`, `GetLastError`); `None` if no system call was refused.
    ///
    /// # Examples
    ///
    /// ```
    /// use stayput::{Error, VmVec};
    ///
    /// let full = VmVec::<u64>::with_max_len(2).try_reserve(3).unwrap_err();
    /// assert_eq!(full.raw_os_error(), None);
    /// assert_eq!(Error::from_raw_os_error(12, 4096).raw_os_error(), Some(12));
    /// ```
    pub const fn raw_os_error(&self) -> Option<i32> {
        if self.code == 0 || matches!(self.kind, ErrorKind::Taken) { None } else { Some(self.code) }
    }
}

impl fmt::Debug for Error {
    /// Formats the kind, the type that was refused, and the text of [`Display`](fmt::Display), as `unwrap` and a
    /// `main` that returns the error print it.
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
    /// Creates an [`io::Error`](std::io::Error) that contains this error: `get_ref` and `into_inner` return it.
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
///     into.try_push(text)?; // `?` converts `Refused` to `Error`, and drops the text
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

/// Out of line, so that builds without optimisation have the result only once on the stack.
#[cold]
#[inline(never)]
pub(crate) fn refused<T, V>(error: Error, value: V) -> Result<T, Refused<V>> {
    Err(Refused { error, value })
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

/// Panics with the error of the fallible counterpart of a method.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn handle_error(error: Error) -> ! {
    panic!("stayput: {error}")
}

/// The error type of a fallible method.
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

/// Returns the value, or panics by [`handle_error`]. A refused value is dropped by the panic.
#[inline]
#[track_caller]
pub(crate) fn unwrap_or_panic<V, R: Refusal>(result: Result<V, R>) -> V {
    match result {
        Ok(value) => value,
        Err(refusal) => handle_error(refusal.error()),
    }
}
