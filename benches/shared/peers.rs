//! Arrays of others, each with the settings that its users would choose.

#![expect(unsafe_code, reason = "orx's bag has elements read by unsafe methods only")]

use elsa::sync::{FrozenVec, LockFreeFrozenVec};
use orx_concurrent_bag::ConcurrentBag;
use orx_concurrent_vec::ConcurrentVec;

use crate::arrays::{Array, Element, Runs, Totals, sum_of};

pub(crate) struct Boxcar<E>(boxcar::Vec<E>);

impl<E: Element> Array<E> for Boxcar<E> {
    fn new(_: usize) -> Self {
        Self(boxcar::Vec::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.0.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        Totals::of(self.0.iter().map(|(_, element)| element))
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.0.get(index).expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.iter().map(|(_, element)| element), first)
    }
}

pub(crate) struct AppendOnlyVec<E>(append_only_vec::AppendOnlyVec<E>);

impl<E: Element> Array<E> for AppendOnlyVec<E> {
    fn new(_: usize) -> Self {
        Self(append_only_vec::AppendOnlyVec::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.0.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        Totals::of(self.0.iter())
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.0[index].number()
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.iter(), first)
    }
}

pub(crate) struct OrxBag<E: Element>(ConcurrentBag<E>);

impl<E: Element> Array<E> for OrxBag<E> {
    fn new(_: usize) -> Self {
        Self(ConcurrentBag::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.0.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        bag_totals(&mut self.0)
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        // SAFETY: it was there before somebody began to push.
        unsafe { self.0.get(index) }.expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        // SAFETY: those were there before somebody began to push, and no others are looked at.
        sum_of(unsafe { self.0.iter() }, first)
    }
}

/// Not by `iter` and `get`, which end where the last thread to finish had its elements: others may lie behind.
fn bag_totals<E: Element>(bag: &mut ConcurrentBag<E>) -> Totals {
    Totals::of(bag.iter_mut().map(|element| &*element))
}

pub(crate) struct OrxBagExtend<E: Element>(ConcurrentBag<E>);

impl<E: Element> Array<E> for OrxBagExtend<E> {
    fn new(_: usize) -> Self {
        Self(ConcurrentBag::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        let mut runs = Runs::new(|run: &[E]| {
            self.0.extend(run.iter().copied());
        });
        move |element| runs.push(element)
    }

    fn totals(&mut self) -> Totals {
        bag_totals(&mut self.0)
    }
}

pub(crate) struct OrxVec<E: Element>(ConcurrentVec<E>);

impl<E: Element> Array<E> for OrxVec<E> {
    fn new(_: usize) -> Self {
        Self(ConcurrentVec::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.0.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        // SAFETY: elements are never changed.
        Totals::of(unsafe { self.0.iter_ref() })
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        // SAFETY: elements are never changed.
        unsafe { self.0.get_ref(index) }.expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        // SAFETY: as above.
        sum_of(unsafe { self.0.iter_ref() }, first)
    }
}

/// It holds what points elsewhere only.
pub(crate) struct Elsa<E>(FrozenVec<Box<E>>);

impl<E: Element> Array<E> for Elsa<E> {
    fn new(_: usize) -> Self {
        Self(FrozenVec::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| self.0.push(Box::new(element))
    }

    fn totals(&mut self) -> Totals {
        Totals::of(self.0.iter())
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.0.get(index).expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.iter(), first)
    }
}

/// It gives copies out.
pub(crate) struct ElsaLockFree<E: Element>(LockFreeFrozenVec<E>);

impl<E: Element> Array<E> for ElsaLockFree<E> {
    fn new(_: usize) -> Self {
        Self(LockFreeFrozenVec::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.0.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        let mut totals = Totals::default();
        for element in (0..self.0.len()).filter_map(|index| self.0.get(index)) {
            totals.add(element.number());
        }
        totals
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.0.get(index).expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        (0..first).map(|index| Array::get(self, index)).sum()
    }
}

/// A bag is emptied to see what is in it.
pub(crate) struct SccBag<E>(scc::Bag<E>);

impl<E: Element> Array<E> for SccBag<E> {
    fn new(_: usize) -> Self {
        Self(scc::Bag::new())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| self.0.push(element)
    }

    fn totals(&mut self) -> Totals {
        self.0.pop_all(Totals::default(), |mut totals, element| {
            totals.add(element.number());
            totals
        })
    }
}

pub(crate) struct Mutex<E>(std::sync::Mutex<Vec<E>>);

impl<E: Element> Array<E> for Mutex<E> {
    fn new(_: usize) -> Self {
        Self(Vec::new().into())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| self.0.lock().expect("nobody panicked").push(element)
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&*self.0.lock().expect("nobody panicked"))
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.0.lock().expect("nobody panicked")[index].number()
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.lock().expect("nobody panicked").iter(), first)
    }
}

pub(crate) struct ParkingLot<E>(parking_lot::Mutex<Vec<E>>);

impl<E: Element> Array<E> for ParkingLot<E> {
    fn new(_: usize) -> Self {
        Self(Vec::new().into())
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| self.0.lock().push(element)
    }

    fn totals(&mut self) -> Totals {
        Totals::of(&*self.0.lock())
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.0.lock()[index].number()
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.lock().iter(), first)
    }
}

/// It has to be told a maximum.
pub(crate) struct VirtualBuffer<E>(virtual_buffer::concurrent::vec::Vec<E>);

impl<E: Element> Array<E> for VirtualBuffer<E> {
    fn new(most: usize) -> Self {
        Self(virtual_buffer::concurrent::vec::Vec::new(most))
    }

    #[inline]
    fn pusher(&self) -> impl FnMut(E) {
        |element| {
            self.0.push(element);
        }
    }

    fn totals(&mut self) -> Totals {
        Totals::of(self.0.iter())
    }

    #[inline]
    fn get(&self, index: usize) -> u64 {
        self.0.get(index).expect("it is there").number()
    }

    fn sum(&self, first: usize) -> u64 {
        sum_of(self.0.iter(), first)
    }
}
