//! What is compared: arrays that threads append to, each in its best form, and the limit with one thread.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use stayput::{CommitAhead, SharedVec, VmVec};

use crate::peers::{
    AppendOnlyVec, Boxcar, Elsa, ElsaLockFree, Mutex, OrxBag, OrxBagExtend, OrxVec, ParkingLot,
    SccBag, VirtualBuffer,
};

/// What is pushed: numbers, told by all of its bytes.
pub(crate) trait Element: Copy + Send + Sync + 'static {
    fn of(number: u64) -> Self;
    fn number(&self) -> u64;
}

impl Element for u64 {
    fn of(number: u64) -> Self {
        number
    }

    fn number(&self) -> u64 {
        *self
    }
}

/// A cache line.
impl Element for [u64; 8] {
    fn of(number: u64) -> Self {
        [number; 8]
    }

    fn number(&self) -> u64 {
        self[5]
    }
}

/// How many elements are there, and the sum of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) count: u64,
    pub(crate) sum: u64,
}

impl Totals {
    pub(crate) fn of<'e, E: Element>(elements: impl IntoIterator<Item = &'e E>) -> Self {
        let mut totals = Self::default();
        for element in elements {
            totals.add(element.number());
        }
        totals
    }

    /// Of all numbers below a bound.
    pub(crate) fn below(bound: u64) -> Self {
        Self { count: bound, sum: (0..bound).sum() }
    }

    pub(crate) fn add(&mut self, number: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(number);
    }
}

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Contender {
    /// stayput's array
    SharedVec,
    /// The same, each thread's elements gathered by 64
    SharedVecGathered,
    /// The same, with slices of 64 appended
    SharedVecExtend,
    /// The same, with memory made ready in the background
    SharedVecAhead,
    /// The crate boxcar
    Boxcar,
    /// The crate append-only-vec
    AppendOnlyVec,
    /// The crate orx-concurrent-bag
    OrxBag,
    /// The same, 64 elements at a time
    OrxBagExtend,
    /// The crate orx-concurrent-vec
    OrxVec,
    /// elsa's `FrozenVec` of boxes
    Elsa,
    /// elsa's `LockFreeFrozenVec`
    ElsaLockFree,
    /// scc's bag
    SccBag,
    /// A `Vec` in std's mutex
    Mutex,
    /// A `Vec` in `parking_lot`'s mutex
    ParkingLot,
    /// The crate virtual-buffer
    VirtualBuffer,
    /// stayput's array for one thread
    VmVec,
    /// std's
    Vec,
}

impl Contender {
    pub(crate) const ALL: [Self; 17] = [
        Self::SharedVec,
        Self::SharedVecGathered,
        Self::SharedVecExtend,
        Self::SharedVecAhead,
        Self::Boxcar,
        Self::AppendOnlyVec,
        Self::OrxBag,
        Self::OrxBagExtend,
        Self::OrxVec,
        Self::Elsa,
        Self::ElsaLockFree,
        Self::SccBag,
        Self::Mutex,
        Self::ParkingLot,
        Self::VirtualBuffer,
        Self::VmVec,
        Self::Vec,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SharedVec => "SharedVec",
            Self::SharedVecGathered => "SharedVec, gathered",
            Self::SharedVecExtend => "SharedVec, extend_from_slice",
            Self::SharedVecAhead => "SharedVec, ahead",
            Self::Boxcar => "boxcar",
            Self::AppendOnlyVec => "append-only-vec",
            Self::OrxBag => "orx-concurrent-bag",
            Self::OrxBagExtend => "orx-concurrent-bag, extend",
            Self::OrxVec => "orx-concurrent-vec",
            Self::Elsa => "elsa",
            Self::ElsaLockFree => "elsa, LockFreeFrozenVec",
            Self::SccBag => "scc::Bag",
            Self::Mutex => "Mutex<Vec>",
            Self::ParkingLot => "parking_lot Mutex<Vec>",
            Self::VirtualBuffer => "virtual-buffer",
            Self::VmVec => "VmVec",
            Self::Vec => "Vec",
        }
    }

    /// Whether no more than one thread can push, which are the limits.
    pub(crate) const fn is_alone(self) -> bool {
        matches!(self, Self::VmVec | Self::Vec)
    }

    /// Whether so many threads can push, and it takes no ages: each push to an append-only-vec waits for all before it,
    /// for microseconds.
    pub(crate) const fn is_for(self, threads: usize) -> bool {
        threads == 1 || !matches!(self, Self::VmVec | Self::Vec | Self::AppendOnlyVec)
    }

    pub(crate) const fn is_stayput(self) -> bool {
        use Contender::{SharedVec, SharedVecAhead, SharedVecExtend, SharedVecGathered, VmVec};
        matches!(self, SharedVec | SharedVecGathered | SharedVecExtend | SharedVecAhead | VmVec)
    }

    /// Whether 64 elements are appended at a time.
    pub(crate) const fn is_by_runs(self) -> bool {
        matches!(self, Self::SharedVecGathered | Self::SharedVecExtend | Self::OrxBagExtend)
    }

    /// Whether elements have an index, and it is another way to read than one that is there already.
    pub(crate) const fn is_read(self) -> bool {
        !self.is_by_runs() && !matches!(self, Self::SharedVecAhead | Self::SccBag)
    }

    /// Does something with an array of this kind.
    pub(crate) fn make<E: Element, J: Job<E>>(self, job: J) -> J::Found {
        match self {
            Self::SharedVec => job.run::<SharedVec<E>>(),
            Self::SharedVecGathered => job.run::<Gathered<E>>(),
            Self::SharedVecExtend => job.run::<Extended<E>>(),
            Self::SharedVecAhead => job.run::<Ahead<E>>(),
            Self::Boxcar => job.run::<Boxcar<E>>(),
            Self::AppendOnlyVec => job.run::<AppendOnlyVec<E>>(),
            Self::OrxBag => job.run::<OrxBag<E>>(),
            Self::OrxBagExtend => job.run::<OrxBagExtend<E>>(),
            Self::OrxVec => job.run::<OrxVec<E>>(),
            Self::Elsa => job.run::<Elsa<E>>(),
            Self::ElsaLockFree => job.run::<ElsaLockFree<E>>(),
            Self::SccBag => job.run::<SccBag<E>>(),
            Self::Mutex => job.run::<Mutex<E>>(),
            Self::ParkingLot => job.run::<ParkingLot<E>>(),
            Self::VirtualBuffer => job.run::<VirtualBuffer<E>>(),
            Self::VmVec => job.run::<Alone<VmVec<E>>>(),
            Self::Vec => job.run::<Alone<Vec<E>>>(),
        }
    }
}

/// What is done with an array, whichever it is.
pub(crate) trait Job<E: Element> {
    type Found;
    fn run<A: Array<E>>(self) -> Self::Found;
}

/// An array that threads append to.
pub(crate) trait Array<E: Element>: Send + Sync {
    /// An empty one, which need not hold more than so many.
    fn new(most: usize) -> Self;
    /// Pushes for one thread; what it holds back is pushed when it is dropped.
    fn pusher(&self) -> impl FnMut(E);
    /// When nobody pushes any more.
    fn totals(&mut self) -> Totals;

    /// The number of an element that is there.
    fn get(&self, index: usize) -> u64 {
        unreachable!("{index} is not read by `Contender::is_read`")
    }

    /// The sum of the numbers of so many first elements, which are there.
    fn sum(&self, first: usize) -> u64 {
        unreachable!("{first} are not read by `Contender::is_read`")
    }

    /// Bytes of memory that the system has promised, where the array knows.
    fn committed_bytes(&self) -> Option<usize> {
        None
    }
}

/// Of all elements that an iterator gives, but for those behind the first ones.
pub(crate) fn sum_of<'e, E: Element>(elements: impl Iterator<Item = &'e E>, first: usize) -> u64 {
    elements.take(first).map(Element::number).sum()
}

/// Gathers elements, for what is appended by runs.
pub(crate) struct Runs<E, F: FnMut(&[E])> {
    run: Vec<E>,
    append: F,
}

impl<E, F: FnMut(&[E])> Runs<E, F> {
    const MOST: usize = 64;

    pub(crate) fn new(append: F) -> Self {
        Self { run: Vec::with_capacity(Self::MOST), append }
    }

    #[inline]
    pub(crate) fn push(&mut self, element: E) {
        self.run.push(element);
        if self.run.len() == Self::MOST {
            (self.append)(&self.run);
            self.run.clear();
        }
    }
}

impl<E, F: FnMut(&[E])> Drop for Runs<E, F> {
    fn drop(&mut self) {
        (self.append)(&self.run);
    }
}

impl<E: Element> Array<E> for SharedVec<E> {
    fn new(_: usize) -> Self {
        Self::new()
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&*self)
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.get(index).expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.iter(), first)
    }

    fn committed_bytes(&self) -> Option<usize> {
        Some(self.stats().committed_bytes)
    }
}

pub(crate) struct Gathered<E>(SharedVec<E>);

impl<E: Element> Array<E> for Gathered<E> {
    fn new(_: usize) -> Self {
        Self(SharedVec::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        let mut gather = self.0.gather();
        move |element| gather.push(element)
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&self.0)
    }
}

pub(crate) struct Extended<E>(SharedVec<E>);

impl<E: Element> Array<E> for Extended<E> {
    fn new(_: usize) -> Self {
        Self(SharedVec::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        let mut runs = Runs::new(|run: &[E]| {
            self.0.extend_from_slice(run);
        });
        move |element| runs.push(element)
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&self.0)
    }
}

pub(crate) struct Ahead<E>(SharedVec<E>);

impl<E: Element> Array<E> for Ahead<E> {
    fn new(_: usize) -> Self {
        Self(SharedVec::builder().commit_ahead(CommitAhead::Auto).build())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.0.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&self.0)
    }
}

/// An array for one thread, which has it for as long as it pushes.
pub(crate) struct Alone<V>(std::sync::Mutex<V>);

impl<E: Element> Array<E> for Alone<VmVec<E>> {
    fn new(_: usize) -> Self {
        Self(VmVec::new().into())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        let mut array = self.0.lock().expect("nobody panicked");
        move |element| array.push(element)
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&*self.0.lock().expect("nobody panicked"))
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.lock().expect("nobody panicked").iter(), first)
    }

    fn committed_bytes(&self) -> Option<usize> {
        Some(self.0.lock().expect("nobody panicked").stats().committed_bytes)
    }
}

impl<E: Element> Array<E> for Alone<Vec<E>> {
    fn new(_: usize) -> Self {
        Self(Vec::new().into())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        let mut array = self.0.lock().expect("nobody panicked");
        move |element| array.push(element)
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&*self.0.lock().expect("nobody panicked"))
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.lock().expect("nobody panicked").iter(), first)
    }
}
