//! Operations on an `Arena`, its scopes and boxes, and a model of what they hold; shared by the model test and the fuzz
//! target `arena_model`.
//!
//! Values are held by references, as programs do, so scopes are nested calls here.

mod blocks;
mod boxes;
#[cfg(feature = "allocator-api2-02")]
mod containers;
mod frame;
mod items;
mod place;
mod room;
mod store;

use blocks::{Align, Size};
use boxes::{BoxOp, Boxed, Make};
#[cfg(feature = "allocator-api2-02")]
use containers::ContainerOp;
use frame::Frame;
use place::{Opens, Place};
use stayput::{Arena, Budget, CommitAhead, Growth, HugePages, Release, Scope};
use std::mem;
use store::{Course, Store};

arbitrary! {
    /// How the arena is made.
    pub(crate) enum Config {
        Default,
        MaxBytes(u32),
        Capacity(u16),
        Fixed(u16),
        Ahead,
    }

    /// What is done with an arena while it is shared.
    pub(crate) enum MemoryOp {
        Limit(u32),
        Unlimited,
        Trim(u16, u16),
        Prefault(u16),
        PrefaultAhead(u16),
        Stats,
    }

    /// What ends all references to an arena.
    pub(crate) enum FreeOp {
        Reset,
        ResetKeeping(u16),
        Read,
    }

    /// How a scope is opened.
    pub(crate) enum Open {
        Closure,
        Guard,
        /// Opened once, used twice.
        Twice,
        Forgotten,
    }

    pub(crate) enum ScopeOp {
        Open(Open),
        Close,
        /// Ends the scope by a panic.
        Panic,
    }

    pub(crate) enum Op {
        Store(Store),
        Text(u8),
        Format(u8, Course),
        Block(Size, Align, bool),
        Absurd(Align),
        Box(Make),
        ChangeBox(u8, BoxOp),
        Change(u8),
        #[cfg(feature = "allocator-api2-02")]
        Container(ContainerOp),
        Memory(MemoryOp),
        Free(FreeOp),
        Scope(ScopeOp),
    }
}

const KIB: usize = 1 << 10;

impl Config {
    fn build(self) -> Arena {
        match self {
            Self::Default => Arena::new(),
            Self::MaxBytes(max_bytes) => Arena::with_max_bytes(max_bytes as usize % (256 * KIB)),
            Self::Capacity(kib) => Arena::with_capacity(usize::from(kib % 1024) * KIB),
            Self::Fixed(kib) => Arena::builder()
                .growth(Growth::Fixed { step_bytes: (usize::from(kib % 256) + 1) * KIB })
                .huge_pages(HugePages::Never)
                .release(Release::Now)
                .build(),
            Self::Ahead => Arena::builder()
                .commit_ahead(CommitAhead::Auto)
                .release(Release::Background)
                .build(),
        }
    }
}

/// What is known of an arena, and the operations that remain.
pub(crate) struct Model<'o> {
    ops: &'o [Op],
    numbers: u32,
    /// How many counted values there should be.
    live: usize,
    /// The address of the arena's memory, if that is known.
    start: Option<usize>,
    max_bytes: usize,
    /// How many bytes may be in use.
    limit: usize,
    depth: u32,
}

impl<'o> Model<'o> {
    /// The most bytes in use at which more are stored.
    const MOST: usize = 24 << 20;
    const DEEPEST: u32 = 6;

    pub(crate) fn run(config: Config, ops: &'o [Op]) {
        items::forget_live();
        let mut arena = config.build();
        let max_bytes = arena.max_bytes();
        let (numbers, live, start, limit, depth) = (1, 0, None, max_bytes, 0);
        let mut model = Self { ops, numbers, live, start, max_bytes, limit, depth };
        while let Some(op) = model.in_arena(&arena) {
            match op {
                Op::Free(op) => model.free(&mut arena, op),
                Op::Scope(ScopeOp::Open(open)) => model.open(&mut arena, open, None),
                _ => {}
            }
        }
        drop(arena);
        assert_eq!(items::live(), model.live);
    }

    fn next_if(&mut self, is_wanted: impl FnOnce(&Op) -> bool) -> Option<Op> {
        let (op, rest) = self.ops.split_first().filter(|(op, _)| is_wanted(op))?;
        self.ops = rest;
        Some(*op)
    }

    fn next(&mut self) -> Option<Op> {
        self.next_if(|_| true)
    }

    /// Numbers for the next values.
    fn number(&mut self) -> u32 {
        self.numbers += 101;
        self.numbers
    }

    /// Runs operations on an arena up to one that ends all references to what it holds.
    fn in_arena(&mut self, arena: &Arena) -> Option<Op> {
        let (mut frame, place) = (Frame::default(), Place::Arena(arena));
        let last = loop {
            let Some(op) = self.next() else { break None };
            match op {
                Op::Free(_) | Op::Scope(ScopeOp::Open(_)) => break Some(op),
                Op::Scope(_) => {}
                #[cfg(feature = "allocator-api2-02")]
                Op::Container(op) => self.contain(arena, place, &mut frame, op),
                op => self.apply(place, &mut frame, op),
            }
            self.check(place, &frame);
        };
        self.end(frame);
        last
    }

    /// Runs operations in a scope up to its end. It is given a box of an outer scope.
    fn in_scope<'v>(&mut self, scope: &mut Scope<'v>, mut given: Option<Boxed<'_>>) {
        let mut frame = Frame::<'v>::default();
        while let Some(op) = self.next() {
            match op {
                Op::Free(_) => {}
                Op::Scope(ScopeOp::Close) => break,
                Op::Scope(ScopeOp::Panic) => {
                    self.live -= frame.in_boxes() + given.as_ref().map_or(0, Boxed::count);
                    items::panic_as_planned();
                }
                Op::Scope(ScopeOp::Open(open)) => {
                    if self.depth < Self::DEEPEST {
                        let given = frame.boxes.pop();
                        self.open(scope, open, given);
                    }
                }
                #[cfg(feature = "allocator-api2-02")]
                Op::Container(op) => {
                    self.contain(&*scope, Place::Scope(scope), &mut frame, op);
                }
                op => {
                    if let Op::ChangeBox(_, BoxOp::Drop) = op {
                        self.live -= given.take().as_ref().map_or(0, Boxed::count);
                    }
                    self.apply(Place::Scope(scope), &mut frame, op);
                }
            }
            given.iter().for_each(Boxed::check);
            self.check(Place::Scope(scope), &frame);
        }
        self.live -= given.take().as_ref().map_or(0, Boxed::count);
        self.end(frame);
    }

    /// Runs operations in a new scope.
    fn open(&mut self, outer: &mut impl Opens, open: Open, given: Option<Boxed<'_>>) {
        let used = outer.used();
        self.depth += 1;
        let ended = items::with_panic(None, || match open {
            Open::Closure => outer.in_scope(|scope| self.in_scope(scope, given)),
            Open::Guard => {
                let mut guard = outer.opened();
                self.in_scope(&mut guard.scope(), given);
            }
            Open::Twice => {
                let mut guard = outer.opened();
                self.in_scope(&mut guard.scope(), given);
                self.in_scope(&mut guard.scope(), None);
            }
            Open::Forgotten => {
                let mut guard = outer.opened();
                self.in_scope(&mut guard.scope(), given);
                mem::forget(guard);
            }
        });
        self.depth -= 1;
        assert_eq!(items::live(), self.live);
        match open {
            Open::Forgotten if ended.is_some() => assert!(outer.used() >= used),
            _ => assert_eq!(outer.used(), used),
        }
    }

    /// Runs an operation for which a shared reference to the arena or the scope is enough.
    fn apply<'v>(&mut self, place: Place<'_, 'v>, frame: &mut Frame<'v>, op: Op) {
        let has_room = place.used_bytes() < Self::MOST;
        match op {
            Op::Store(store) if has_room => self.store(place, frame, store),
            Op::Text(number) if has_room => self.text(place, frame, number, None),
            Op::Format(number, course) if has_room => self.text(place, frame, number, Some(course)),
            Op::Block(size, align, zeroed) if has_room => {
                self.block(place, frame, blocks::layout(size, align), zeroed);
            }
            Op::Absurd(align) => self.absurd(place, align),
            Op::Box(make) if has_room => self.make_box(place, frame, make),
            Op::ChangeBox(pick, op) => self.change_box(frame, pick, op),
            Op::Change(pick) => {
                let number = self.number();
                frame.change(pick, number);
            }
            Op::Memory(op) => {
                if let Place::Arena(arena) = place {
                    self.memory(arena, op);
                }
            }
            _ => {}
        }
    }

    fn memory(&mut self, arena: &Arena, op: MemoryOp) {
        let used = arena.used_bytes();
        match op {
            MemoryOp::Limit(limit) => {
                let limit = limit as usize % (512 * KIB);
                arena.set_allocation_limit(Some(limit));
                assert_eq!(arena.allocation_limit(), Some(limit));
                self.limit = self.max_bytes.min(limit);
                assert!(arena.capacity_bytes() <= self.limit.max(used));
            }
            MemoryOp::Unlimited => {
                arena.set_allocation_limit(None);
                self.limit = self.max_bytes;
            }
            MemoryOp::Trim(keep, bytes) => {
                let keep = usize::from(keep) * 16;
                let given = arena.trim_within(keep, Budget::bytes(usize::from(bytes) * 64));
                given.expect("the system takes memory back");
            }
            MemoryOp::Prefault(kib) => {
                let bytes = usize::from(kib % 512) * KIB;
                let is_refused = arena.try_prefault(bytes).is_err();
                assert_eq!(is_refused, bytes > 0 && used + bytes > self.limit);
                let is_ready = arena.capacity_bytes() >= used + bytes;
                assert!(is_refused || is_ready);
            }
            MemoryOp::PrefaultAhead(bytes) => {
                arena.prefault_ahead(Budget::bytes(usize::from(bytes) * 16));
            }
            MemoryOp::Stats => {
                let stats = arena.stats();
                let capacity = arena.capacity_bytes();
                assert_eq!((stats.used_bytes, stats.capacity_bytes), (used, capacity));
                assert!(stats.high_water_bytes >= used && stats.committed_bytes >= capacity);
                assert!(stats.reserved_bytes >= stats.committed_bytes);
                assert_eq!(arena.chunk_capacity(), arena.allocated_bytes() - used);
            }
        }
        assert_eq!(arena.used_bytes(), used);
    }

    fn free(&mut self, arena: &mut Arena, op: FreeOp) {
        match op {
            FreeOp::Reset => arena.reset(),
            FreeOp::ResetKeeping(keep) => {
                let keep = usize::from(keep) * 16;
                arena.reset_keeping(keep).expect("the system takes memory back");
            }
            FreeOp::Read => {
                let used = arena.used_bytes();
                let memory = arena.used_memory();
                assert_eq!(memory.len(), used);
                if let Some(start) = self.start {
                    assert_eq!(memory.as_ptr().addr(), start);
                }
                return;
            }
        }
        assert_eq!((arena.used_bytes(), items::live()), (0, self.live));
    }

    fn check(&self, place: Place<'_, '_>, frame: &Frame<'_>) {
        frame.check();
        assert_eq!(items::live(), self.live);
        if let Place::Arena(arena) = place {
            let (used, capacity) = (arena.used_bytes(), arena.capacity_bytes());
            assert!(used <= capacity && capacity <= self.limit.max(used));
            for range in frame.ranges() {
                let at = std::ptr::without_provenance::<u8>;
                assert!(arena.contains(at(range.start)) && arena.contains(at(range.end - 1)));
            }
        }
    }

    /// Boxes drop what they hold.
    fn end(&mut self, frame: Frame<'_>) {
        self.live -= frame.in_boxes();
        drop(frame);
        assert_eq!(items::live(), self.live);
    }
}
