//! Arrays of others, each with the settings that its users would choose.

#![expect(unsafe_code, reason = "orx's bag has elements read by unsafe methods only")]

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

    /// Not by `iter` and `get`, which end where the last thread to finish had its elements: others may lie behind.
    fn totals(&mut self) -> Totals {
        Totals::of(self.iter_mut().map(|element| &*element))
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        // SAFETY: it was there before somebody began to push.
        unsafe { self.get(index) }.expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        // SAFETY: those were there before somebody began to push, and no others are looked at.
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
        unsafe { self.get_ref(index) }.expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        // SAFETY: as above.
        sum_of(unsafe { self.iter_ref() }, first)
    }
}

/// It holds what points elsewhere only.
impl<E: Element> Array<E> for FrozenVec<Box<E>> {
    own!(new totals get sum);

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| self.push(Box::new(element))
    }
}

/// It gives copies out.
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

/// A bag is emptied to see what is in it.
impl<E: Element> Array<E> for scc::Bag<E> {
    own!(new pusher);

    fn totals(&mut self) -> Totals {
        self.pop_all(Totals::default(), |mut totals, element| {
            totals.add(element.number());
            totals
        })
    }
}

/// It has to be told a maximum.
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
locked!(std::sync::Mutex<Vec<E>>, "nobody panicked");
locked!(parking_lot::Mutex<Vec<E>>);
