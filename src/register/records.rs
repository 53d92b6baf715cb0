//! The records of the register: a [`Registration`] owns the record of one reservation, and [`find_all`] reads them all.
//!
//! Arrays may be created and dropped in the child of a fork, inside a global allocator, and on threads that must not
//! block. The register therefore takes no lock and does not allocate: records consist of atomics, and live in chunks that
//! are obtained from the system and never released. A record whose owner was changing it in another thread during a fork
//! stays unreadable in the child, and is never freed there.
//!
//! # Soundness
//!
//! A record in use has one owner, its [`Registration`]. Other threads may read the record at any time, under a sequence
//! lock: through `&mut Registration`, the owner makes `version` even, writes, and makes it odd again. A reader keeps what
//! it read only if `version` was odd before and is unchanged afterwards. (Usually odd and even are the other way round.
//! Here, zeroed memory is a record without an owner.) A version returns after 2^31 changes on 32-bit systems, all of them
//! during one read.
//!
//! All fields are atomics, so a racing read is not a data race. A text is stored as a pointer and a length, and the version
//! check ensures that both come from the same write. A pointer is dereferenced only after that check, and refers to
//! `'static` data.
//!
//! The counters (`usable`, `growths`, `late_growths`, `on_demand_bytes`) are also stored through `&Registration`, without
//! changing `version`. They may be out of step with each other, and no unsafe code relies on them.

#![expect(unsafe_code, reason = "makes references from the pointers and lengths of records")]

use super::version::Version;
use crate::os::{self, Mapping};
use crate::page::PageBytes;
use std::panic::Location;
use std::ptr::{self, NonNull};
use std::slice;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::thread;

/// Stands for a count that does not apply.
pub(crate) const NO_COUNT: usize = usize::MAX;
/// The usable bytes of a container that was dropped while the background thread still has its memory.
const DROPPED: usize = usize::MAX - 1;

/// The kind of a reservation that is in the region cache, or that the background thread is to return.
pub(crate) const UNUSED: &str = "unused";

/// The name that the user gave to a container, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name(Option<&'static str>);

impl Name {
    pub(crate) const NONE: Self = Self(None);

    pub(crate) const fn new(name: &'static str) -> Self {
        Self(Some(name))
    }
}

/// The name of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TypeName(fn() -> &'static str);

impl TypeName {
    pub(crate) const fn of<T: ?Sized>() -> Self {
        Self(std::any::type_name::<T>)
    }
}

/// A location in the source of the program, if known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(Option<&'static Location<'static>>);

impl Place {
    pub(crate) const UNKNOWN: Self = Self(None);

    /// Returns the location of the call into this crate, with debug assertions. The functions on the way are
    /// `#[track_caller]` then; if one is not, the location lies inside the crate and counts as unknown.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) const fn caller() -> Self {
        if cfg!(debug_assertions) { Self(Some(Location::caller())) } else { Self::UNKNOWN }
    }

    /// Returns this location, or `other` if it is unknown.
    pub(crate) fn or(self, other: Self) -> Self {
        if self.outside().is_some() { self } else { other }
    }

    /// Returns the location if it lies outside this crate.
    fn outside(self) -> Option<&'static Location<'static>> {
        // The path separator depends on the system.
        let own_folder = &file!()[..file!().len() - "register/records.rs".len()];
        self.0.filter(|place| !place.file().starts_with(own_folder))
    }
}

/// What a reservation is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    pub(crate) kind: &'static str,
    pub(crate) name: Name,
    element: Option<TypeName>,
    place: Place,
    /// How many bytes are usable at first.
    usable: usize,
}

impl Label {
    /// A large block of an allocator.
    pub(crate) const BLOCK: Self = Self::of_kind("allocator");

    pub(crate) const fn new(kind: &'static str, place: Place) -> Self {
        Self { place, ..Self::of_kind(kind) }
    }

    const fn of_kind(kind: &'static str) -> Self {
        Self { kind, name: Name::NONE, element: None, place: Place::UNKNOWN, usable: NO_COUNT }
    }

    /// Marks the reservation as filled from its start, with no usable bytes yet.
    pub(crate) const fn growing(self) -> Self {
        Self { usable: 0, ..self }
    }

    pub(crate) const fn named(self, name: Name) -> Self {
        Self { name, ..self }
    }

    pub(crate) const fn element(self, element: TypeName) -> Self {
        Self { element: Some(element), ..self }
    }
}

/// An optional `&'static str`, as two atomics.
#[derive(Debug)]
struct AtomicText {
    start: AtomicPtr<u8>,
    bytes: AtomicUsize,
}

impl AtomicText {
    const fn new() -> Self {
        Self { start: AtomicPtr::new(ptr::null_mut()), bytes: AtomicUsize::new(0) }
    }

    fn store(&self, text: Option<&'static str>) {
        let start = text.map_or(ptr::null_mut(), |text| text.as_ptr().cast_mut());
        self.start.store(start, Ordering::Relaxed);
        self.bytes.store(text.map_or(0, str::len), Ordering::Relaxed);
    }

    fn load(&self) -> (*const u8, usize) {
        (self.start.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed))
    }
}

/// Returns the text with this pointer and length, or `None` if the pointer is null.
///
/// # Safety
///
/// - One call of [`AtomicText::store`] wrote both, or none has written either.
unsafe fn text((start, bytes): (*const u8, usize)) -> Option<&'static str> {
    if start.is_null() {
        return None;
    }
    // SAFETY: the pointer is not null, so both are those of one `&'static str`, as the caller promises.
    let bytes = unsafe { slice::from_raw_parts(start, bytes) };
    // SAFETY: as above; the bytes of a `str` are UTF-8.
    Some(unsafe { std::str::from_utf8_unchecked(bytes) })
}

/// What is recorded about one reservation.
#[derive(Debug)]
struct Record {
    /// Odd if the fields are consistent; even while the owner writes, and without an owner.
    version: Version,
    /// The chunk that contains the record; null until it is first claimed.
    chunk: AtomicPtr<Chunk>,
    /// Identifies this use of the reservation.
    id: AtomicUsize,
    start: AtomicUsize,
    bytes: AtomicUsize,
    kind: AtomicText,
    name: AtomicText,
    element: AtomicText,
    location: AtomicPtr<Location<'static>>,
    usable: AtomicUsize,
    growths: AtomicUsize,
    late_growths: AtomicUsize,
    on_demand_bytes: AtomicUsize,
}

impl Record {
    const fn new() -> Self {
        Self {
            version: Version::new(),
            chunk: AtomicPtr::new(ptr::null_mut()),
            id: AtomicUsize::new(0),
            start: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            kind: AtomicText::new(),
            name: AtomicText::new(),
            element: AtomicText::new(),
            location: AtomicPtr::new(ptr::null_mut()),
            usable: AtomicUsize::new(0),
            growths: AtomicUsize::new(0),
            late_growths: AtomicUsize::new(0),
            on_demand_bytes: AtomicUsize::new(0),
        }
    }

    /// Calls `write` while `version` is even. Only the owner may call this.
    fn change(&self, write: impl FnOnce(&Self)) {
        self.version.change(|| write(self));
    }

    /// Returns a copy of the record, or `None` if it has no owner, or changes for long.
    fn read(&'static self) -> Option<Snapshot> {
        const TRIES: usize = 20;
        (0..TRIES).find_map(|_| {
            let read = self.try_read();
            if read.is_none() {
                thread::yield_now();
            }
            read
        })
    }

    /// Returns a copy of the record, or `None` if it has no owner or changed meanwhile.
    fn try_read(&'static self) -> Option<Snapshot> {
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let read = || {
            let texts = (self.kind.load(), self.name.load(), self.element.load());
            let location = self.location.load(Ordering::Relaxed);
            let id = count(&self.id);
            let range = (count(&self.start), count(&self.bytes));
            let counts = [&self.usable, &self.growths, &self.late_growths, &self.on_demand_bytes];
            (texts, location, id, range, counts.map(count))
        };
        let ((kind, name, element), location, id, (start, bytes), counts) =
            self.version.read(read)?;
        let [usable, growths, late_growths, on_demand_bytes] = counts;
        let is_dropped = usable == DROPPED;
        Some(Snapshot {
            record: self,
            id,
            start,
            bytes,
            // SAFETY: `version` was odd and did not change, so the same call of `store` wrote pointer and length.
            kind: unsafe { text(kind) }.filter(|_| !is_dropped).unwrap_or(UNUSED),
            // SAFETY: as above.
            name: unsafe { text(name) }.filter(|_| !is_dropped),
            // SAFETY: as above.
            element: unsafe { text(element) }.filter(|_| !is_dropped),
            // SAFETY: as above; the pointer is null or that of a `&'static Location`.
            location: unsafe { location.as_ref() },
            usable: if is_dropped { NO_COUNT } else { usable },
            growths,
            late_growths,
            on_demand_bytes,
        })
    }
}

/// A copy of the record of one reservation.
#[derive(Debug)]
pub(crate) struct Snapshot {
    record: &'static Record,
    pub(crate) id: usize,
    pub(crate) start: usize,
    pub(crate) bytes: usize,
    pub(crate) kind: &'static str,
    pub(crate) name: Option<&'static str>,
    pub(crate) element: Option<&'static str>,
    pub(crate) location: Option<&'static Location<'static>>,
    /// How many bytes are usable; [`NO_COUNT`] if the reservation is not used from its front.
    pub(crate) usable: usize,
    pub(crate) growths: usize,
    pub(crate) late_growths: usize,
    pub(crate) on_demand_bytes: usize,
}

impl Snapshot {
    /// Returns `true` if the record still describes the same use of the reservation. What was queried about its addresses
    /// in between then belongs to that use.
    pub(crate) fn is_still_there(&self) -> bool {
        let now = self.record.read();
        now.is_some_and(|now| now.id == self.id && now.start == self.start)
    }
}

const WORD_BITS: usize = usize::BITS as usize;
const WORDS: usize = 256 / WORD_BITS;

/// Records, and a bitmap of those that have an owner.
#[derive(Debug)]
struct Chunk {
    owned: [AtomicUsize; WORDS],
    next: AtomicPtr<Self>,
    records: [[Record; WORD_BITS]; WORDS],
}

static FIRST: Chunk = Chunk {
    owned: [const { AtomicUsize::new(0) }; WORDS],
    next: AtomicPtr::new(ptr::null_mut()),
    records: [const { [const { Record::new() }; WORD_BITS] }; WORDS],
};

/// The chunk in which a record was last claimed or freed; null stands for [`FIRST`].
static RECENT: AtomicPtr<Chunk> = AtomicPtr::new(ptr::null_mut());

impl Chunk {
    /// Returns the chunk that `pointer` refers to, or `None` if it is null.
    fn at(pointer: &AtomicPtr<Self>) -> Option<&'static Self> {
        // SAFETY: every `AtomicPtr<Chunk>` in this module is null, or points to `FIRST` or to a chunk made by `more`, which
        // is never released. Acquire: pairs with the release store of the pointer, so its zeros are seen. (The owner of
        // a record has seen its chunk.)
        unsafe { pointer.load(Ordering::Acquire).as_ref() }
    }

    /// Claims a record that has no owner.
    fn claim(&'static self) -> Option<Registration> {
        for (word, owned) in self.owned.iter().enumerate() {
            let mut found = owned.load(Ordering::Relaxed);
            while found != usize::MAX {
                let bit = 1 << found.trailing_ones();
                // Acquire: pairs with the release in `end`, so the previous owner's accesses happened before.
                let before = owned.fetch_or(bit, Ordering::Acquire);
                if before & bit == 0 {
                    let record = &self.records[word][bit.trailing_zeros() as usize];
                    record.chunk.store(ptr::from_ref(self).cast_mut(), Ordering::Relaxed);
                    return Some(Registration(Some(NonNull::from(record))));
                }
                found = before;
            }
        }
        None
    }

    /// Returns the next chunk, creating it if there is none. `None` if the system refuses the memory. Committed memory is
    /// zero, and a chunk of zeros equals `FIRST`: no record has an owner.
    #[cold]
    fn more(&self) -> Option<&'static Self> {
        let bytes = PageBytes::ceil(size_of::<Self>(), os::page_size())?;
        let mapping = Mapping::reserve_if_possible(bytes)?;
        let made = mapping.start().cast::<Self>().as_ptr();
        let swapped = mapping.all().commit().ok().and_then(|()| {
            let (none, set) = (ptr::null_mut(), Ordering::AcqRel);
            self.next.compare_exchange(none, made, set, Ordering::Relaxed).ok()
        });
        if swapped.is_none() {
            // Never published, so no other thread can access it. If this is refused, it is leaked.
            let _ = mapping.release();
        }
        Self::at(&self.next)
    }
}

/// Owns the record of a reservation until [`end`](Self::end). Empty if the system refused the memory for it.
#[derive(Debug)]
pub(crate) struct Registration(
    // A raw pointer, not a reference: with a reference to atomics, containers would count as having interior mutability,
    // and Clippy would reject them as keys of maps (`mutable_key_type`).
    Option<NonNull<Record>>,
);

// SAFETY: the pointer refers to a `'static` `Record`, which consists of atomics.
unsafe impl Send for Registration {}
// SAFETY: as above.
unsafe impl Sync for Registration {}

impl Registration {
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn new(start: NonNull<u8>, bytes: usize, label: Label) -> Self {
        let recent = Chunk::at(&RECENT).and_then(Chunk::claim);
        let entry = recent.or_else(|| {
            let mut chunk = &FIRST;
            loop {
                if let Some(entry) = chunk.claim() {
                    RECENT.store(ptr::from_ref(chunk).cast_mut(), Ordering::Release);
                    return Some(entry);
                }
                chunk = Chunk::at(&chunk.next).or_else(|| chunk.more())?;
            }
        });
        let mut entry = entry.unwrap_or(Self::NONE);
        entry.write(label, |record| {
            record.start.store(start.addr().get(), Ordering::Relaxed);
            record.bytes.store(bytes, Ordering::Relaxed);
        });
        entry
    }

    fn record(&self) -> Option<&'static Record> {
        // SAFETY: `Chunk::claim` made the pointer from a `&'static Record`.
        self.0.map(|record| unsafe { record.as_ref() })
    }

    /// Starts a new use of the reservation, with a new number.
    fn write(&mut self, label: Label, more: impl FnOnce(&Record)) {
        static NEXT: AtomicUsize = AtomicUsize::new(1);
        let Some(record) = self.record() else { return };
        record.change(|record| {
            // What is unused after a container has the number of that, with another first bit.
            let id = match label.kind {
                UNUSED => record.id.load(Ordering::Relaxed) ^ !(usize::MAX >> 1),
                _ => NEXT.fetch_add(1, Ordering::Relaxed),
            };
            record.id.store(id, Ordering::Relaxed);
            record.kind.store(Some(label.kind));
            record.name.store(label.name.0);
            record.element.store(label.element.map(|TypeName(name)| name()));
            let location = label.place.outside().map_or(ptr::null(), ptr::from_ref);
            record.location.store(location.cast_mut(), Ordering::Relaxed);
            record.usable.store(label.usable, Ordering::Relaxed);
            for count in [&record.growths, &record.late_growths, &record.on_demand_bytes] {
                count.store(0, Ordering::Relaxed);
            }
            more(record);
        });
    }

    /// Sets the label of memory that nothing uses any more, unless it has it.
    pub(crate) fn set_unused(&mut self) {
        // SAFETY: as for `name`.
        let kind = self.record().and_then(|record| unsafe { text(record.kind.load()) });
        if kind != Some(UNUSED) {
            self.set_label(Label::of_kind(UNUSED));
        }
    }

    /// Records that the container was dropped. Its memory is labelled by its next owner.
    pub(crate) fn note_dropped(&self) {
        self.set_usable(DROPPED);
    }

    /// Keeps others from reading the record until [`set_range`](Self::set_range) is called.
    pub(crate) fn hide(&mut self) {
        if let Some(record) = self.record() {
            record.version.hide();
        }
    }

    /// Records that the reservation has moved or shrunk, or is what it was.
    pub(crate) fn set_range(&mut self, start: NonNull<u8>, bytes: usize) {
        let Some(record) = self.record() else { return };
        record.change(|record| {
            record.start.store(start.addr().get(), Ordering::Relaxed);
            record.bytes.store(bytes, Ordering::Relaxed);
        });
    }

    /// Records a new label: what the reservation is used for from now on.
    pub(crate) fn set_label(&mut self, label: Label) {
        self.write(label, |_| {});
    }

    /// Returns the name, if any.
    pub(crate) fn name(&self) -> Option<&'static str> {
        // SAFETY: `name` is written only through `&mut self`, so pointer and length come from the same store.
        unsafe { text(self.record()?.name.load()) }
    }

    /// Counts a growth to `usable` bytes, of which `on_demand` were committed for it. `late` is the number of all late
    /// growths.
    pub(crate) fn note_growth(&self, usable: usize, late: usize, on_demand: usize) {
        let Some(record) = self.record() else { return };
        record.usable.store(usable, Ordering::Relaxed);
        record.late_growths.store(late, Ordering::Relaxed);
        // Only the owner writes to the record, so no addition is lost.
        for (sum, more) in [(&record.growths, 1), (&record.on_demand_bytes, on_demand)] {
            sum.store(sum.load(Ordering::Relaxed).wrapping_add(more), Ordering::Relaxed);
        }
    }

    /// Records how many bytes from the front are usable.
    pub(crate) fn set_usable(&self, usable: usize) {
        if let Some(record) = self.record() {
            record.usable.store(usable, Ordering::Relaxed);
        }
    }

    /// Removes the reservation from the register.
    pub(crate) fn end(&mut self) {
        self.hide();
        let Some(record) = self.record() else { return };
        self.0 = None;
        let Some(chunk) = Chunk::at(&record.chunk) else { return };
        let offset = ptr::from_ref(record).addr() - chunk.records.as_ptr().addr();
        let index = offset / size_of::<Record>();
        // Release: pairs with the acquire in `claim`, so the next owner writes after this.
        chunk.owned[index / WORD_BITS].fetch_and(!(1 << (index % WORD_BITS)), Ordering::Release);
        RECENT.store(ptr::from_ref(chunk).cast_mut(), Ordering::Release);
    }
}

/// Calls `visit` for each reservation of the process. One that is created or dropped meanwhile may or may not be visited.
pub(crate) fn find_all(mut visit: impl FnMut(Snapshot)) {
    let mut chunk = Some(&FIRST);
    while let Some(Chunk { owned, next, records }) = chunk {
        for (owned, records) in owned.iter().zip(records) {
            let mut left = owned.load(Ordering::Relaxed);
            while left != 0 {
                if let Some(found) = records[left.trailing_zeros() as usize].read() {
                    visit(found);
                }
                left &= left - 1;
            }
        }
        chunk = Chunk::at(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::sync::atomic::AtomicBool;

    const AT: NonNull<u8> = NonNull::dangling();

    /// Stops the other threads, even if this one panics.
    struct EndOnDrop<'a>(&'a AtomicBool);

    impl Drop for EndOnDrop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    fn numbers_of(kind: &str) -> Vec<usize> {
        let mut numbers = Vec::new();
        find_all(|found| {
            if found.kind == kind {
                numbers.push(found.id);
            }
        });
        numbers
    }

    #[test]
    fn each_reservation_is_found_once_however_many_there_are() {
        let label = Label::of_kind("of this test");
        let mut entries: Vec<Registration> =
            (0..1000).map(|_| Registration::new(AT, 1, label)).collect();
        let numbers = numbers_of("of this test");
        assert_eq!(numbers.len(), 1000);
        assert_eq!(numbers.iter().collect::<HashSet<_>>().len(), 1000);
        for entry in entries.iter_mut().step_by(2) {
            entry.end();
            entry.end();
        }
        assert_eq!(numbers_of("of this test").len(), 500);
        let more: Vec<Registration> = (0..700).map(|_| Registration::new(AT, 1, label)).collect();
        assert_eq!(numbers_of("of this test").len(), 1200);
        more.into_iter().chain(entries).for_each(|mut entry| entry.end());
        assert!(numbers_of("of this test").is_empty());
    }

    #[test]
    fn what_was_found_is_no_longer_there_once_it_has_another_use_or_has_ended() {
        let mut entry = Registration::new(AT, 1, Label::of_kind("first use"));
        let find = || {
            let mut all = Vec::new();
            find_all(|found| all.extend((found.kind.ends_with(" use")).then_some(found)));
            all.pop()
        };
        let first = find().expect("it is in the register");
        assert!(first.is_still_there());
        entry.note_growth(7, 0, 7);
        assert!(first.is_still_there());
        assert_eq!(find().expect("as above").usable, 7);
        entry.set_label(Label::of_kind("second use"));
        assert!(!first.is_still_there());
        let second = find().expect("as above");
        assert_eq!((second.kind, second.usable), ("second use", NO_COUNT));
        entry.end();
        assert!(!second.is_still_there());
        assert!(find().is_none());
    }

    #[test]
    fn a_record_that_changes_while_it_is_read_is_not_returned() {
        const TRIES: usize = if cfg!(miri) { 200 } else { 100_000 };
        static RECORD: Record = Record::new();
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let _end = EndOnDrop(&ended);
            scope.spawn(|| {
                let mut number = 0;
                while !ended.load(Ordering::Relaxed) {
                    RECORD.change(|record| {
                        record.start.store(number, Ordering::Relaxed);
                        record.growths.store(number, Ordering::Relaxed);
                    });
                    number += 1;
                }
            });
            for read in (0..TRIES).filter_map(|_| RECORD.try_read()) {
                assert_eq!(read.start, read.growths);
            }
        });
    }

    /// A text of one label is never read with the length of another.
    #[test]
    fn what_is_read_was_written_together() {
        const ROUNDS: usize = if cfg!(miri) { 200 } else { 20_000 };
        const USES: [(&str, &str); 3] = [
            ("one of these", "a"),
            ("another of these", "bb bb"),
            ("the last of these", "ccc ccc ccc"),
        ];
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let _end = EndOnDrop(&ended);
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut turn = 0;
                    while !ended.load(Ordering::Relaxed) {
                        let (kind, name) = USES[turn % USES.len()];
                        let label = Label::of_kind(kind).named(Name::new(name));
                        let mut entry = Registration::new(AT, turn, label);
                        for (kind, name) in USES {
                            entry.set_label(Label::of_kind(kind).named(Name::new(name)));
                        }
                        entry.end();
                        turn += 1;
                    }
                });
            }
            for _ in 0..ROUNDS {
                find_all(|found| {
                    if let Some((_, name)) = USES.iter().find(|(kind, _)| *kind == found.kind) {
                        assert_eq!(found.name, Some(*name));
                    }
                });
            }
        });
    }
}
