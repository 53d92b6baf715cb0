//! Arrays of other crates, each with the settings that its users would choose.

#![expect(unsafe_code, reason = "elements of orx's bag can only be read by unsafe methods")]

use elsa::sync::{FrozenVec, LockFreeFrozenVec};
use orx_concurrent_bag::ConcurrentBag;
use orx_concurrent_vec::ConcurrentVec;

use crate::arrays::{Append, Array, Element, Totals, own, sum_of};

impl<E: Element> Array<E> for boxcar::Vec<E> {
    own!(new pusher get);

    fn totals(&mut self) -> Totals {
        Totals::of(self.iter().map(|(_, element)| element))
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.iter().map(|(_, element)| element), first)
    }
}

impl<E: Element> Array<E> for append_only_vec::AppendOnlyVec<E> {
    own!(new pusher totals sum);

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self[index].number()
    }
}

impl<E: Element> Array<E> for ConcurrentBag<E> {
    own!(new pusher);

    /// Not by `iter` and `get`, which end at the elements of the last thread to finish: there may be others
    /// past them.
    fn totals(&mut self) -> Totals {
        Totals::of(self.iter_mut().map(|element| &*element))
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        // SAFETY: the element existed before the other thread began to push.
        unsafe { self.get(index) }.expect("the element exists").number()
    }

    fn sum(&self, first: usize) -> u64 {
        // SAFETY: the first elements existed before the other thread began to push, and no others are read.
        sum_of(unsafe { self.iter() }, first)
    }
}

impl<E: Element> Append<E> for ConcurrentBag<E> {
    #[inline]
    fn append(&self, run: &[E]) {
        self.extend(run.iter().copied());
    }
}

impl<E: Element> Array<E> for ConcurrentVec<E> {
    own!(new pusher);

    fn totals(&mut self) -> Totals {
        // SAFETY: elements are never changed.
        Totals::of(unsafe { self.iter_ref() })
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        // SAFETY: elements are never changed.
        unsafe { self.get_ref(index) }.expect("the element exists").number()
    }

    fn sum(&self, first: usize) -> u64 {
        // SAFETY: as above.
        sum_of(unsafe { self.iter_ref() }, first)
    }
}

/// Its elements must be pointers.
impl<E: Element> Array<E> for FrozenVec<Box<E>> {
    own!(new totals get sum);

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| self.push(Box::new(element))
    }
}

/// It returns copies.
impl<E: Element> Array<E> for LockFreeFrozenVec<E> {
    own!(new pusher get);

    fn totals(&mut self) -> Totals {
        let mut totals = Totals::default();
        for element in (0..self.len()).filter_map(|index| Self::get(self, index)) {
            totals.add(element.number());
        }
        totals
    }

    fn sum(&self, first: usize) -> u64 {
        (0..first).map(|index| Array::get(self, index)).sum()
    }
}

/// A bag is read by emptying it.
impl<E: Element> Array<E> for scc::Bag<E> {
    own!(new pusher);

    fn totals(&mut self) -> Totals {
        self.pop_all(Totals::default(), |mut totals, element| {
            totals.add(element.number());
            totals
        })
    }
}

/// It requires a maximum.
impl<E: Element> Array<E> for virtual_buffer::concurrent::vec::Vec<E> {
    own!(pusher totals get sum);

    fn new(most: usize) -> Self {
        Self::new(most)
    }
}

macro_rules! locked {
    ($mutex:ty $(, $expectation:literal)?) => {
        impl<E: Element> Array<E> for $mutex {
            fn new(_: usize) -> Self {
                Vec::new().into()
            }

            #[inline]
            fn pusher(&self) -> impl FnMut(E) {
                |element| self.lock()$(.expect($expectation))?.push(element)
            }

            fn totals(&mut self) -> Totals {
                Totals::of(&*self.lock()$(.expect($expectation))?)
            }

            fn clear(&mut self) {
                self.lock()$(.expect($expectation))?.clear();
            }

            #[inline]
            fn get(&self, index: usize) -> u64 {
                self.lock()$(.expect($expectation))?[index].number()
            }

            fn sum(&self, first: usize) -> u64 {
                sum_of(self.lock()$(.expect($expectation))?.iter(), first)
            }
        }
    };
}
locked!(std::sync::Mutex<Vec<E>>, "no thread panicked");
locked!(parking_lot::Mutex<Vec<E>>);
