//! The arrays under test: arrays to which threads append, each in its best form, and the limit with one thread.

use bench_common::contenders;
use elsa::sync::{FrozenVec, LockFreeFrozenVec};
use orx_concurrent_bag::ConcurrentBag;
use orx_concurrent_vec::ConcurrentVec;
use stayput::{CommitAhead, SharedVec, VmVec};

/// An element: a number, which determines all of its bytes.
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

/// 64 bytes, a cache line.
impl Element for [u64; 8] {
    fn of(number: u64) -> Self {
        [number; 8]
    }

    fn number(&self) -> u64 {
        self[5]
    }
}

/// The number of elements, and the sum of their numbers.
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

    /// Returns the totals of all numbers below a bound.
    pub(crate) fn below(bound: u64) -> Self {
        Self { count: bound, sum: (0..bound).sum() }
    }

    pub(crate) fn add(&mut self, number: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(number);
    }
}

contenders! {
    Contender by Job<E: Element>;
    /// stayput's array
    SharedVec: SharedVec<E>, "SharedVec";
    /// stayput's array, each thread's elements gathered by 64
    SharedVecGathered: Gathered<E>, "SharedVec, gathered";
    /// stayput's array, with slices of 64 appended
    SharedVecExtend: Extended<SharedVec<E>>, "SharedVec, extend_from_slice";
    /// stayput's array, with memory made ready in the background
    SharedVecAhead: Ahead<E>, "SharedVec, ahead";
    /// The crate boxcar
    Boxcar: boxcar::Vec<E>, "boxcar";
    /// The crate append-only-vec
    AppendOnlyVec: append_only_vec::AppendOnlyVec<E>, "append-only-vec";
    /// The crate orx-concurrent-bag
    OrxBag: ConcurrentBag<E>, "orx-concurrent-bag";
    /// The crate orx-concurrent-bag, 64 elements at a time
    OrxBagExtend: Extended<ConcurrentBag<E>>, "orx-concurrent-bag, extend";
    /// The crate orx-concurrent-vec
    OrxVec: ConcurrentVec<E>, "orx-concurrent-vec";
    /// elsa's `FrozenVec` of boxes
    Elsa: FrozenVec<Box<E>>, "elsa";
    /// elsa's `LockFreeFrozenVec`
    ElsaLockFree: LockFreeFrozenVec<E>, "elsa, LockFreeFrozenVec";
    /// scc's bag
    SccBag: scc::Bag<E>, "scc::Bag";
    /// A `Vec` in std's mutex
    Mutex: std::sync::Mutex<Vec<E>>, "Mutex<Vec>";
    /// A `Vec` in `parking_lot`'s mutex
    ParkingLot: parking_lot::Mutex<Vec<E>>, "parking_lot Mutex<Vec>";
    /// The crate virtual-buffer
    VirtualBuffer: virtual_buffer::concurrent::vec::Vec<E>, "virtual-buffer";
    /// stayput's array for one thread
    VmVec: Alone<VmVec<E>>, "VmVec";
    /// std's array
    Vec: Alone<Vec<E>>, "Vec";
}

impl Contender {
    /// Whether only one thread can push: the limits.
    pub(crate) const fn is_alone(self) -> bool {
        matches!(self, Self::VmVec | Self::Vec)
    }

    /// Whether that many threads can push in reasonable time: each push to an append-only-vec waits for all
    /// previous ones, for microseconds.
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

    /// Whether it can be cleared for another push of its elements: the array for threads, and what a program
    /// would use instead.
    pub(crate) const fn can_be_cleared(self) -> bool {
        use Contender::{Mutex, ParkingLot, SharedVec, Vec, VmVec};
        matches!(self, SharedVec | Mutex | ParkingLot | VmVec | Vec)
    }

    /// Whether elements have an index, and another contender does not already measure the same reads.
    pub(crate) const fn is_read(self) -> bool {
        !self.is_by_runs() && !matches!(self, Self::SharedVecAhead | Self::SccBag)
    }
}

/// Work that is done with each type of array.
pub(crate) trait Job<E: Element> {
    type Outcome;
    fn run<A: Array<E>>(self) -> Self::Outcome;
}

/// An array that threads append to.
pub(crate) trait Array<E: Element>: Send + Sync {
    /// Creates an empty array that can hold at least `most` elements.
    fn new(most: usize) -> Self;
    /// Returns a closure that pushes for one thread. Elements that it holds back are pushed when it is dropped.
    fn pusher(&self) -> impl FnMut(E);
    /// Returns the totals, after all pushes have ended.
    fn totals(&mut self) -> Totals;

    /// Removes all elements, and keeps the memory.
    fn clear(&mut self) {
        unreachable!("it is not cleared by `Contender::can_be_cleared`")
    }

    /// Returns the number of an existing element.
    fn get(&self, index: usize) -> u64 {
        unreachable!("{index} is not read by `Contender::is_read`")
    }

    /// Returns the sum of the numbers of the first `first` elements, which exist.
    fn sum(&self, first: usize) -> u64 {
        unreachable!("{first} are not read by `Contender::is_read`")
    }

    /// Returns the bytes of memory that the system has promised, if the array knows.
    fn committed_bytes(&self) -> Option<usize> {
        None
    }
}

/// Returns the sum over the first `first` elements of an iterator.
pub(crate) fn sum_of<'e, E: Element>(elements: impl Iterator<Item = &'e E>, first: usize) -> u64 {
    elements.take(first).map(Element::number).sum()
}

/// Gathers elements into runs.
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

/// Implements methods of the trait by the array's own methods of the same name, or by its iterator.
macro_rules! own {
    ($($method:ident)+) => { $(own!(@ $method);)+ };
    (@ new) => {
        fn new(_: usize) -> Self {
            Self::new()
        }
    };
    (@ pusher) => {
        #[inline]
        fn pusher(&self) -> impl FnMut(E) {
            |element| {
                self.push(element);
            }
        }
    };
    (@ totals) => {
        fn totals(&mut self) -> Totals {
            Totals::of(self.iter())
        }
    };
    (@ get) => {
        #[inline]
        fn get(&self, index: usize) -> u64 {
            self.get(index).expect("the element exists").number()
        }
    };
    (@ sum) => {
        fn sum(&self, first: usize) -> u64 {
            sum_of(self.iter(), first)
        }
    };
}
pub(crate) use own;

impl<E: Element> Array<E> for SharedVec<E> {
    own!(new pusher totals get sum);

    fn clear(&mut self) {
        Self::clear(self);
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

/// An array to which runs are appended.
pub(crate) struct Extended<A>(A);

/// Appends a run at once.
pub(crate) trait Append<E> {
    fn append(&self, run: &[E]);
}

impl<E: Element> Append<E> for SharedVec<E> {
    #[inline]
    fn append(&self, run: &[E]) {
        self.extend_from_slice(run);
    }
}

impl<E: Element, A: Array<E> + Append<E>> Array<E> for Extended<A> {
    fn new(most: usize) -> Self {
        Self(A::new(most))
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        let mut runs = Runs::new(|run: &[E]| self.0.append(run));
        move |element| runs.push(element)
    }

    fn totals(&mut self) -> Totals {
        self.0.totals()
    }
}

pub(crate) struct Ahead<E>(SharedVec<E>);

impl<E: Element> Array<E> for Ahead<E> {
    fn new(_: usize) -> Self {
        Self(SharedVec::builder().commit_ahead(CommitAhead::Auto).build())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        self.0.pusher()
    }

    fn totals(&mut self) -> Totals {
        self.0.totals()
    }
}

/// An array for one thread, which locks it for as long as it pushes.
pub(crate) struct Alone<V>(std::sync::Mutex<V>);

macro_rules! alone {
    ($array:ident, $committed_bytes:expr) => {
        impl<E: Element> Array<E> for Alone<$array<E>> {
            fn new(_: usize) -> Self {
                Self($array::new().into())
            }

            #[inline]
            fn pusher(&self) -> impl FnMut(E) {
                let mut array = self.0.lock().expect("no thread panicked");
                move |element| array.push(element)
            }

            fn totals(&mut self) -> Totals {
                Totals::of(&*self.0.lock().expect("no thread panicked"))
            }

            fn clear(&mut self) {
                self.0.lock().expect("no thread panicked").clear();
            }

            fn sum(&self, first: usize) -> u64 {
                sum_of(self.0.lock().expect("no thread panicked").iter(), first)
            }

            fn committed_bytes(&self) -> Option<usize> {
                $committed_bytes(&self.0.lock().expect("no thread panicked"))
            }
        }
    };
}
alone!(VmVec, |array: &VmVec<E>| Some(array.stats().committed_bytes));
alone!(Vec, |_: &Vec<E>| None);
