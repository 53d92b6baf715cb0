//! The values in the model of a `SlotMap`.

use std::fmt::Debug;
use std::rc::Rc;

/// A token that counts values, if they have a drop; without one, the map takes other paths.
pub(crate) trait Token: Clone {
    fn of(token: &Rc<()>) -> Self;
}

impl Token for Rc<()> {
    fn of(token: &Self) -> Self {
        Self::clone(token)
    }
}

impl Token for () {
    fn of(_: &Rc<()>) {}
}

/// A value with a number and a token, of a chosen size.
#[derive(Clone)]
pub(crate) struct Value<const PAD: usize, T> {
    pub(crate) id: u32,
    _token: T,
    _pad: [u8; PAD],
}

impl<const PAD: usize, T: Token> Value<PAD, T> {
    pub(crate) fn new(id: u32, token: &Rc<()>) -> Self {
        Self { id, _token: T::of(token), _pad: [id.to_le_bytes()[0]; PAD] }
    }
}

impl<const PAD: usize, T> PartialEq for Value<PAD, T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<const PAD: usize, T> Debug for Value<PAD, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.id)
    }
}

/// The expected result of a look-up, and its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) generation: u32,
    pub(crate) id: u32,
    pub(crate) address: usize,
}

/// Asserts that an iterator yields exactly these items, taken from the front and the back as the bits of a pattern say,
/// and that its length is right at each step.
pub(crate) fn walks<T, I>(mut iter: I, expected: &[T], pattern: u64)
where
    T: PartialEq + Copy + Debug,
    I: DoubleEndedIterator<Item = T> + ExactSizeIterator,
{
    let mut left = expected.iter().copied();
    let how = pattern >> 60;
    for step in 0..pattern >> 54 & 63 {
        assert_eq!((iter.len(), iter.size_hint()), (left.len(), left.size_hint()));
        if pattern >> step & 1 == 1 {
            assert_eq!(iter.next_back(), left.next_back());
        } else {
            assert_eq!(iter.next(), left.next());
        }
    }
    match how & 3 {
        0 => {
            let all = iter.fold(Vec::new(), |mut all, item| {
                all.push(item);
                all
            });
            assert_eq!(all, left.collect::<Vec<_>>());
        }
        1 => assert!(iter.rev().eq(left.rev())),
        2 => {
            for item in left {
                assert_eq!(iter.next(), Some(item));
            }
            assert_eq!(
                (iter.len(), iter.next(), iter.next_back(), iter.next()),
                (0, None, None, None)
            );
        }
        _ => drop(iter),
    }
}
