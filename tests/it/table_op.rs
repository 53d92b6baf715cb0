//! Operations on a `Table`, shared by the model test and the fuzz target `table_model`.

use std::cell::Cell;
use std::hash::{BuildHasher, Hash, Hasher};
use std::panic::{self, AssertUnwindSafe};

arbitrary! {
    /// The contents of a row; few different values, so that many are equal.
    pub(crate) struct Raw {
        pub(crate) name: u8,
        pub(crate) team: u8,
        pub(crate) rank: u8,
        pub(crate) x: i8,
        pub(crate) y: i8,
    }

    pub(crate) enum Op {
        Insert(Raw),
        InsertSome(Raw, u8),
        InsertWithKey(Raw),
        /// All at once, up to the first refused row.
        InsertMany(Raw, u8),
        /// The row of a current or former key.
        Remove(u16),
        /// The row of a name.
        Take(u8),
        Replace(u16, Raw),
        Modify(u16, Raw),
        /// Both parts of the row.
        ModifyBoth(u16, Raw, u32),
        Move(u16, i8, i8),
        /// The following operations run with user code that panics after a number of calls.
        PanicInsert(u8, Raw),
        PanicReplace(u8, u16, Raw),
        PanicModify(u8, u16, Raw),
        PanicModifyBoth(u8, u16, Raw, u32),
        PanicTake(u8, u8),
        Find(u8),
        FindTeam(u8),
        FindRank(u8),
        Within(i8, i8, u8),
        InBox(i8, i8, u8, u8),
        Nearest(i8, i8, u8),
        /// Among rows whose name is not a multiple.
        NearestWhere(i8, i8, u8, u8),
        Pairs(u8),
        RemoveTeam(u8),
        RemoveRank(u8),
        RemoveMany([u16; 4]),
        /// Retains rows whose name is not a multiple.
        Retain(u8),
        /// Removes up to a number of rows whose rank is a multiple.
        ExtractIf(u8, u8),
        ShiftAll(i8),
        ShiftAllBoth(i8, u8),
        /// Ends at the first refused row.
        NameAll(u8),
        /// The following operations change what is not indexed.
        Rest(u16, u32),
        FindRest(u8, u32),
        DisjointRest([u16; 3], u32),
        ManyRest([u16; 4], u32),
        AllRest(u8, bool),
        Reindex,
        SetCell(u8),
        /// From its rows, possibly with another, which is refused if it has a name of theirs.
        Rebuild(Option<Raw>),
        Clear,
        /// At most this many rows, after which the iterator may be leaked.
        Drain(u8, bool),
        IntoIter,
        Trim,
        /// Reserves room, makes memory resident, or returns some.
        Memory(u8),
        /// The clone replaces the original, which is emptied.
        Clone,
        PanicClone(u8),
    }

    pub(crate) struct Config {
        pub(crate) spread: Spread,
        pub(crate) max_len: Option<u8>,
        pub(crate) is_ahead: bool,
    }

    /// How values are hashed: only these bits of the hash are kept.
    pub(crate) enum Spread {
        All,
        /// All in one bucket.
        OneBucket,
        /// All equal.
        None,
    }
}

thread_local! {
    static SPREAD: Cell<Spread> = const { Cell::new(Spread::All) };
    static PANICS_AFTER: Cell<Option<u8>> = const { Cell::new(None) };
}

pub(crate) fn set_spread(spread: Spread) {
    SPREAD.set(spread);
}

/// The panic payload of user code.
struct Panicked;

/// Runs a closure in which user code panics after a number of calls. Returns `true` if it did.
pub(crate) fn with_panic(after: u8, run: impl FnOnce()) -> bool {
    PANICS_AFTER.set(Some(after));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    PANICS_AFTER.set(None);
    match result {
        Ok(()) => false,
        Err(payload) if payload.is::<Panicked>() => true,
        Err(payload) => panic::resume_unwind(payload),
    }
}

/// Called by all user code.
pub(crate) fn user_code() {
    match PANICS_AFTER.get() {
        Some(0) => panic::resume_unwind(Box::new(Panicked)),
        Some(left) => PANICS_AFTER.set(Some(left - 1)),
        None => {}
    }
}

/// An indexed value, whose traits may panic.
#[derive(Clone, Copy, Debug, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub(crate) u8);

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        user_code();
        self.0 == other.0
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        user_code();
        state.write_u8(self.0);
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hashing;

pub(crate) struct Fold(u64);

impl BuildHasher for Hashing {
    type Hasher = Fold;

    fn build_hasher(&self) -> Fold {
        Fold(1)
    }
}

impl Hasher for Fold {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 =
                (self.0 ^ u64::from(*byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
    }

    fn finish(&self) -> u64 {
        match SPREAD.get() {
            Spread::All => self.0,
            Spread::OneBucket => self.0 << 24 & 0xffff_ffff,
            Spread::None => 7,
        }
    }
}
