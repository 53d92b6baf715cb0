//! Simulated losses of power: what the disk may hold at any moment of a run.
//!
//! Images of the file are taken after each operation, and whenever a part was made durable. After a loss, each sector
//! holds what it held at some time since it was last made durable, and the file has the length of some time since then;
//! sectors past that length may hold zeros, too.

use super::{BOOT, Folder};
use crate::file::header::HEADER_BYTES;
use crate::file::{AppendOnly, FileError, FileErrorKind, FileVec, Mode, Mutable, system};
use crate::made;
use arbitrary::Unstructured;
use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

const SECTOR: usize = 512;

/// The unit in which the disk writes the header, because it may tear a record.
const PIECE: usize = 64;

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
    /// The number of syncs that succeed before one is refused.
    static REFUSED: Cell<Option<usize>> = const { Cell::new(None) };
    /// The number of writes to headers that succeed before one is refused.
    static REFUSED_WRITE: Cell<Option<usize>> = const { Cell::new(None) };
    /// What the refused sync does before it fails.
    static BEFORE: Cell<Option<Box<dyn FnOnce()>>> = const { Cell::new(None) };
    /// What was rewritten last.
    pub(in crate::file) static REWRITTEN: Cell<Option<Range<u64>>> = const { Cell::new(None) };
    /// The number of syncs that succeed before the process is killed.
    static KILLED: Cell<Option<usize>> = const { Cell::new(None) };
    /// The number of calls that are refused of those that return space or take it again.
    static REFUSED_RETURNS: Cell<usize> = const { Cell::new(0) };
    /// Whether the next growth finds the disk full.
    static IS_FULL: Cell<bool> = const { Cell::new(false) };
    /// Whether the process is killed in the next removal.
    static KILLED_IN_REMOVAL: Cell<bool> = const { Cell::new(false) };
}

/// Makes one sync fail after `count` that succeed.
pub(in crate::file) fn refuse(count: usize) {
    REFUSED.set(Some(count));
}

/// Makes one write to a header fail after `count` that succeed. Returns whether one did in a call.
pub(in crate::file) fn refuse_write(count: usize, call: impl FnOnce()) -> bool {
    REFUSED_WRITE.set(Some(count));
    call();
    REFUSED_WRITE.take().is_none()
}

/// Called before each write to a header.
pub(in crate::file) fn may_write() -> io::Result<()> {
    match REFUSED_WRITE.take() {
        Some(0) => Err(io::Error::other("the disk refuses")),
        count => {
            REFUSED_WRITE.set(count.map(|count| count - 1));
            Ok(())
        }
    }
}

/// Makes the next sync fail after a call.
pub(in crate::file) fn refuse_after(call: impl FnOnce() + 'static) {
    BEFORE.set(Some(Box::new(call)));
    refuse(0);
}

/// Returns how many times a call syncs.
pub(in crate::file) fn syncs(call: impl FnOnce()) -> usize {
    const MANY: usize = 1000;
    refuse(MANY);
    call();
    MANY - REFUSED.take().expect("none was refused")
}

/// Makes a call in a process that is killed after `count` syncs. Returns whether it was.
pub(in crate::file) fn kill_at_sync(count: usize, call: impl FnOnce()) -> bool {
    KILLED.set(Some(count));
    let is_killed = catch_unwind(AssertUnwindSafe(call)).is_err();
    KILLED.set(None);
    is_killed
}

/// Makes a call in a process that is killed in a removal, once the shorter length is published.
pub(in crate::file) fn kill_in_removal(call: impl FnOnce()) {
    KILLED_IN_REMOVAL.set(true);
    assert!(catch_unwind(AssertUnwindSafe(call)).is_err());
}

/// Called in each removal, once the shorter length is published.
pub(in crate::file) fn may_end_removal() {
    if KILLED_IN_REMOVAL.take() {
        resume_unwind(Box::new(()));
    }
}

/// Makes the next return of space fail, and so the next calls, which take it again.
pub(in crate::file) fn refuse_returns(count: usize) {
    REFUSED_RETURNS.set(count);
}

/// Called before space is returned, or taken again. A refused call has returned half of it.
pub(in crate::file) fn may_return(file: &File, range: &Range<u64>) -> io::Result<()> {
    let Some(left) = REFUSED_RETURNS.get().checked_sub(1) else { return Ok(()) };
    REFUSED_RETURNS.set(left);
    system::punch(file, range.start..range.start + (range.end - range.start) / 2)?;
    Err(io::Error::other("the disk refuses"))
}

/// Lets the next growth find the disk full.
pub(in crate::file) fn refuse_growth() {
    IS_FULL.set(true);
}

/// Called before space is taken.
pub(in crate::file) fn may_take() -> io::Result<()> {
    if IS_FULL.take() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
}

/// Called before each sync.
pub(in crate::file) fn may_sync() -> io::Result<()> {
    let is_refused = REFUSED.get() == Some(0);
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run {
            run.see(0..0);
            run.is_stale |= is_refused;
        }
    });
    match KILLED.take() {
        // Unlike a panic, this prints nothing.
        Some(0) => resume_unwind(Box::new(())),
        count => KILLED.set(count.map(|count| count - 1)),
    }
    match REFUSED.get() {
        Some(0) => {
            REFUSED.set(None);
            BEFORE.take().into_iter().for_each(|call| call());
            Err(io::Error::other("the disk refuses"))
        }
        count => {
            REFUSED.set(count.map(|count| count - 1));
            Ok(())
        }
    }
}

/// What was observed of a file.
struct Run {
    path: PathBuf,
    seen: Vec<Seen>,
    /// For each operation, the numbers of elements that may be durable while it runs.
    flushed: Vec<Vec<usize>>,
    /// Whether the system treats pages as written that the disk refused.
    is_stale: bool,
    /// Whether zero elements were pushed.
    has_zeros: bool,
}

struct Seen {
    image: Vec<u8>,
    /// The part that was made durable, together with the length of the file.
    durable: Range<usize>,
    /// The operation during which it was.
    op: usize,
}

impl Run {
    fn see(&mut self, durable: Range<usize>) {
        let image = fs::read(&self.path).unwrap();
        self.seen.push(Seen { image, durable, op: self.flushed.len() - 1 });
    }

    fn may_be_flushed(&mut self, len: usize) {
        self.flushed.last_mut().unwrap().push(len);
    }
}

/// Called when the system has made a part durable.
pub(in crate::file) fn is_durable(part: Range<usize>) {
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run {
            run.see(if run.is_stale { 0..0 } else { part });
        }
    });
}

/// Called after all elements were rewritten. Until then the system does not retry what the disk refused.
pub(in crate::file) fn is_rewritten(part: Range<u64>) {
    REWRITTEN.set(Some(part));
    RUN.with_borrow_mut(|run| run.iter_mut().for_each(|run| run.is_stale = false));
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Push(usize),
    Truncate(usize),
    Shrink,
    Zeroed(usize),
    Flush,
    /// A flush that fails after this number of syncs, and opening the file again.
    Refused(usize),
    /// A flush during which the process is killed after this number of syncs, and opening the file in another process.
    Killed(usize),
    Reopen,
}

impl Op {
    fn removes(&self) -> bool {
        matches!(self, Self::Truncate(_) | Self::Shrink | Self::Zeroed(_))
    }

    /// Some operations are more frequent than others.
    fn made(bytes: &mut Unstructured<'_>) -> arbitrary::Result<Self> {
        Ok(match bytes.int_in_range(0..=16)? {
            0..4 => Self::Push(bytes.int_in_range(1..=2999)?),
            4..7 => Self::Flush,
            7..9 => Self::Refused(bytes.int_in_range(0..=4)?),
            9..11 => Self::Killed(bytes.int_in_range(0..=3)?),
            11 => Self::Reopen,
            12..14 => Self::Truncate(bytes.int_in_range(0..=3999)?),
            14 => Self::Shrink,
            _ => Self::Zeroed(bytes.int_in_range(1..=1999)?),
        })
    }
}

fn try_open<M: Mode>(path: &Path) -> Result<FileVec<u32, M>, FileError> {
    // On some systems an open file has its maximum length.
    // SAFETY: the file lies in a folder of this test.
    unsafe { FileVec::builder().max_len(60_000).open_or_create(path) }
}

fn open<M: Mode>(path: &Path) -> FileVec<u32, M> {
    try_open(path).unwrap()
}

fn flush_refused<M: Mode>(
    mut vec: FileVec<u32, M>,
    count: usize,
    mut remove: impl FnMut(&mut FileVec<u32, M>, &Op),
) -> FileVec<u32, M> {
    let (path, len, flushed) = (vec.path().unwrap().to_owned(), vec.len(), vec.flushed_len());
    RUN.with_borrow_mut(|run| run.as_mut().unwrap().may_be_flushed(len));
    refuse(count);
    if vec.flush().is_err() {
        assert_eq!(vec.flush().unwrap_err().kind(), FileErrorKind::Failed);
        if !M::IS_APPEND_ONLY {
            // The record whose sync failed may be on the disk, so elements that it counts must stay.
            remove(&mut vec, &Op::Truncate(len / 2));
            remove(&mut vec, &Op::Shrink);
        }
        let live = vec.len();
        drop(vec);
        // The failing sync may be one of these.
        vec = try_open(&path).or_else(|_| try_open(&path)).unwrap();
        assert_eq!((vec.len(), vec.flushed_len()), (flushed, flushed));
        assert_eq!(vec.lost_len(), live.saturating_sub(flushed));
    }
    REFUSED.set(None);
    vec
}

/// Flushes in a process that is killed meanwhile, and opens the file again. Also returns whether it was flushed.
fn flush_killed<M: Mode>(mut vec: FileVec<u32, M>, count: usize) -> (FileVec<u32, M>, bool) {
    let (path, len) = (vec.path().unwrap().to_owned(), vec.len());
    RUN.with_borrow_mut(|run| run.as_mut().unwrap().may_be_flushed(len));
    let is_flushed = !kill_at_sync(count, || vec.flush().unwrap());
    if !is_flushed {
        let left = fs::read(&path).unwrap();
        drop(vec);
        fs::write(&path, left).unwrap();
        vec = open(&path);
        assert_eq!(vec.len(), len);
    }
    (vec, is_flushed)
}

/// Returns a number unique to each index, never zero.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap() * 2 + 1
}

fn push<M: Mode>(vec: &mut FileVec<u32, M>, count: usize) {
    vec.extend((vec.len()..).take(count).map(number));
}

/// Runs the operations, and observes the file after each.
fn run<M: Mode>(path: &Path, ops: &[Op], mut remove: impl FnMut(&mut FileVec<u32, M>, &Op)) -> Run {
    let run = Run {
        path: path.to_owned(),
        seen: Vec::new(),
        flushed: vec![vec![0]],
        is_stale: false,
        has_zeros: ops.iter().any(|op| matches!(op, Op::Zeroed(_))),
    };
    RUN.set(Some(run));
    let mut vec = open::<M>(path);
    // The numbers of elements that count if the last record is not durable, because a process was killed.
    let mut before_kill = Vec::new();
    for op in ops {
        let flushed = vec.flushed_len();
        let mut is_flushed = false;
        match op {
            Op::Push(count) => push(&mut vec, *count),
            Op::Flush => {
                vec.flush().unwrap();
                is_flushed = true;
            }
            Op::Refused(count) => {
                vec = flush_refused(vec, *count, &mut remove);
                is_flushed = true;
            }
            Op::Killed(count) => {
                before_kill.push(flushed);
                (vec, is_flushed) = flush_killed(vec, *count);
            }
            Op::Reopen => {
                drop(vec);
                vec = open(path);
            }
            _ => remove(&mut vec, op),
        }
        if is_flushed || (flushed != vec.flushed_len() && !matches!(op, Op::Killed(_))) {
            before_kill.clear();
        }
        let flushed = vec.flushed_len();
        RUN.with_borrow_mut(|run| {
            let run = run.as_mut().unwrap();
            run.may_be_flushed(flushed);
            run.flushed.push([&[flushed], before_kill.as_slice()].concat());
            run.see(0..0);
        });
    }
    drop(vec);
    RUN.take().unwrap()
}

/// Returns what the disk may hold at a moment after one of those observed; `choose` selects among the possibilities.
fn image(seen: &[Seen], moment: usize, mut choose: impl FnMut(usize) -> usize) -> Vec<u8> {
    // Before the first there was no file.
    let none = [Vec::new()];
    let mut version = |is_durable: &dyn Fn(&Range<usize>) -> bool| {
        let base = seen[..=moment].iter().rposition(|seen| is_durable(&seen.durable));
        let later = &seen[base.unwrap_or(0)..seen.len().min(moment + 2)];
        let before = &none[..usize::from(base.is_none())];
        let chosen = choose(before.len() + later.len());
        chosen.checked_sub(before.len()).map_or(&none[0], |chosen| &later[chosen].image)
    };
    let mut image = vec![0; version(&|durable| !durable.is_empty()).len()];
    let mut at = 0;
    while at < image.len() {
        let sector = if at < HEADER_BYTES { PIECE } else { SECTOR };
        let version = version(&|durable| durable.contains(&at));
        let end = version.len().min(image.len()).min(at + sector);
        if at < end {
            image[at..end].copy_from_slice(&version[at..end]);
        }
        at += sector;
    }
    if image.len() >= BOOT.end {
        image[BOOT].iter_mut().for_each(|byte| *byte = !*byte);
    }
    image
}

/// Loses power at many moments, and checks what is left.
fn lose<M: Mode>(folder: &Folder, run: &Run, random: &mut impl FnMut(usize) -> usize) {
    let path = folder.file().with_extension("after");
    let seen = &run.seen;
    for moment in 0..seen.len() {
        let allowed = &run.flushed[seen[moment].op];
        for _ in 0..4 {
            fs::write(&path, image(seen, moment, &mut *random)).unwrap();
            // SAFETY: as in `open`.
            match unsafe { FileVec::<u32, M>::builder().max_len(60_000).open(&path) } {
                Ok(vec) => {
                    assert!(allowed.contains(&vec.len()), "{} of {allowed:?}", vec.len());
                    for (i, element) in vec.iter().enumerate() {
                        // Zeros are elements if some were pushed.
                        let is_zero = run.has_zeros && *element == 0;
                        assert!(*element == number(i) || is_zero, "{element} at {i}");
                    }
                }
                Err(error) => {
                    let nothing = [
                        FileErrorKind::Empty,
                        FileErrorKind::Short,
                        FileErrorKind::NotStayput,
                        FileErrorKind::Header,
                    ];
                    assert!(nothing.contains(&error.kind()), "{error}");
                    assert!(allowed.contains(&0), "{error}, and {allowed:?} were flushed");
                }
            }
        }
    }
}

/// Runs the operations once, and loses power at many moments of the run.
fn lose_in_run<M: Mode>(ops: &[Op], seed: u64, remove: fn(&mut FileVec<u32, M>, &Op)) {
    let folder = Folder::new();
    let run = run::<M>(&folder.file(), ops, remove);
    let mut state = seed | 1;
    lose::<M>(&folder, &run, &mut |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap() % below
    });
}

fn remove(vec: &mut FileVec<u32, Mutable>, op: &Op) {
    match op {
        Op::Truncate(len) => vec.truncate(*len),
        Op::Shrink => vec.shrink_to_fit(),
        Op::Zeroed(count) => vec.extend_zeroed(*count),
        op => unreachable!("{op:?} is done"),
    }
}

#[test]
fn a_loss_of_power_leaves_what_was_flushed() {
    made::run_with_made(12, 1..12, Op::made, |seed: u64, ops| {
        let ops: Vec<_> = ops.iter().filter(|op| !op.removes()).copied().collect();
        lose_in_run::<AppendOnly>(&ops, seed, |_, op| unreachable!("{op:?} removes"));
    });
}

#[test]
fn a_loss_of_power_leaves_what_was_flushed_also_after_removals() {
    made::run_with_made(12, 1..12, Op::made, |seed: u64, ops| {
        lose_in_run::<Mutable>(ops, seed, remove);
    });
}

#[test]
fn a_kill_during_a_flush_and_then_a_loss_of_power_leave_what_was_flushed() {
    // The record is written and its sync does not begin, for a smaller and for a greater length.
    let less = [Op::Push(3000), Op::Flush, Op::Truncate(10), Op::Killed(1), Op::Push(1)];
    let more =
        [Op::Push(9), Op::Flush, Op::Push(9), Op::Flush, Op::Push(9), Op::Killed(1), Op::Flush];
    for seed in 0..8 {
        for ops in [less.as_slice(), more.as_slice()] {
            lose_in_run::<Mutable>(ops, seed << 32 | 0x9e37_79b9, remove);
        }
    }
}

#[test]
fn elements_are_durable_before_a_record_of_an_opening_counts_them() {
    // Fewer than were flushed, so opening writes a record.
    for pushed in [10, 49] {
        let folder = Folder::new();
        let path = folder.file();
        let mut vec = open::<Mutable>(&path);
        push(&mut vec, 100);
        vec.flush().unwrap();
        vec.truncate(50);
        // Not what was flushed at these indices.
        vec.extend(vec![0; pushed]);
        drop(vec);
        let run = Run {
            path: path.clone(),
            seen: vec![],
            flushed: vec![vec![]],
            is_stale: false,
            has_zeros: true,
        };
        RUN.set(Some(run));
        let vec = open::<Mutable>(&path);
        let seen = RUN.take().unwrap().seen;
        assert_eq!(vec.flushed_len(), 50 + pushed);
        let elements = HEADER_BYTES..HEADER_BYTES + 4 * vec.len();
        let is_durable =
            |seen: &Seen| seen.durable.start <= elements.start && elements.end <= seen.durable.end;
        let durable = seen.iter().position(is_durable).expect("the elements were synced");
        // The place of records with even numbers, of which this is the second.
        assert!(seen[..=durable].iter().all(|seen| seen.image[8192..8200] == [0; 8]));
        assert!(seen.iter().any(|seen| seen.image[8192..8200] == 2_u64.to_ne_bytes()));
    }
}

#[test]
fn unflushed_elements_can_be_lost() {
    // Otherwise the other tests prove nothing.
    let folder = Folder::new();
    let seen =
        run::<AppendOnly>(&folder.file(), &[Op::Push(1000), Op::Flush, Op::Push(1000)], |_, _| {
            unreachable!("nothing is removed")
        })
        .seen;
    let last = seen.len() - 1;
    let oldest = image(&seen, last, |_| 0);
    let newest = image(&seen, last, |below| below - 1);
    assert_ne!(oldest, newest);
    fs::write(folder.file(), newest).unwrap();
    assert_eq!(open::<AppendOnly>(&folder.file()).len(), 1000);
}
