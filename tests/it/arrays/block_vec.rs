//! `BlockVec` as an [`Array`].

use super::array::{Array, stays};
use super::elements::Element;
use super::model::Model;
use super::op::{Index, Partly, Span};
use stayput::{BlockVec, Blocks, Budget, GivenBack};
use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::ops::DerefMut;

arbitrary! {
    #[derive(Clone, Debug)]
    /// An operation that `Vec` or `VmVec` does not have, or has for slices.
    pub(crate) enum Own {
        Swap(Index, Index),
        Iter(Span, Partly, Index),
        IterMut(Span, Partly, u8),
        BlocksMut(u8),
        Search(u8),
        Convert,
        GrowOnly(Vec<u8>),
    }

    /// The options of the array.
    pub(crate) enum Config {
        Default,
        MaxLen,
        /// The size of blocks in bytes, and whether there is a maximum.
        Fixed(u16, bool),
        Doubling(u16, bool),
    }
}

impl<T: Element> Array<T> for BlockVec<T> {
    type Config = Config;
    type Own = Own;
    type Inner = Self;

    const OWN: u32 = 8;

    fn fresh(config: Config) -> Self {
        let builder = BlockVec::builder();
        let builder = match config {
            Config::Default => return BlockVec::new(),
            Config::MaxLen => return BlockVec::with_max_len(T::SPAN),
            Config::Fixed(bytes, _) => builder.blocks(Blocks::Fixed { bytes: bytes.into() }),
            Config::Doubling(bytes, _) => {
                builder.blocks(Blocks::Doubling { first_bytes: bytes.into() })
            }
        };
        if Self::is_bounded(config) { builder.max_len(T::SPAN).build() } else { builder.build() }
    }

    fn is_bounded(config: Config) -> bool {
        matches!(config, Config::MaxLen | Config::Fixed(_, true) | Config::Doubling(_, true))
    }

    fn exclusive(&mut self) -> impl DerefMut<Target = Self> {
        self
    }

    fn shrink_to_fit_within(&mut self, budget: Budget) -> GivenBack {
        self.shrink_to_fit_within(budget)
    }

    fn check(&mut self, std: &[T], places: &mut Vec<usize>) {
        assert_eq!((self.first(), self.last()), (std.first(), std.last()));
        assert_eq!((self.get(std.len()), self.get(usize::MAX)), (None, None));
        for (index, element) in self.iter().take(5000).enumerate() {
            let at = &raw const *element;
            assert_eq!(at.addr() % align_of::<T>(), 0);
            stays(places, index, at);
        }
    }

    fn forget_places(&self, places: &mut Vec<usize>) {
        places.truncate(self.len());
    }

    fn apply(model: &mut Model<T, Self>, op: &Own) {
        let Model { vec, std, .. } = model;
        let len = std.len();
        match *op {
            Own::Swap(a, b) if len > 0 => {
                let (a, b) = (a.within(len - 1), b.within(len - 1));
                vec.swap(a, b);
                std.swap(a, b);
            }
            Own::Swap(..) => {}
            Own::Iter(span, partly, place) => model.walk(span, partly, place),
            Own::IterMut(span, partly, seed) => model.walk_and_change(span, partly, seed),
            Own::BlocksMut(seed) => model.change_blocks(seed),
            Own::Search(seed) => {
                let value = T::make(seed);
                assert_eq!(vec.contains(&value), std.contains(&value));
                let point = |element: &T| element.key() < seed;
                if std.is_sorted_by_key(Element::key) {
                    assert_eq!(vec.partition_point(point), std.partition_point(point));
                    let found = vec.binary_search_by_key(&seed, Element::key);
                    let expected = std.binary_search_by_key(&seed, Element::key);
                    assert_eq!(found.is_ok(), expected.is_ok());
                    assert!(found.is_ok_and(|index| std[index].key() == seed) || found == expected);
                }
            }
            Own::Convert => {
                let mut other = model.replace(Self::fresh(model.config)).into_vec();
                assert!(other == model.std);
                model.vec.append_vec(&mut other);
                let hasher = RandomState::new();
                let other: BlockVec<T> = model.std.as_slice().into();
                assert_eq!(hasher.hash_one(Keys(&other)), hasher.hash_one(Keys(&model.vec)));
            }
            Own::GrowOnly(ref seeds) => {
                if len + 2 * seeds.len() > T::SPAN {
                    return;
                }
                let scope = vec.grow_only();
                let before = scope.iter();
                let kept: Vec<&T> = seeds.iter().map(|seed| scope.push(T::make(*seed))).collect();
                scope.extend(seeds.iter().map(|seed| T::make(*seed)));
                assert!(kept.iter().zip(seeds).all(|(kept, seed)| **kept == T::make(*seed)));
                assert!(before.eq(&*std));
                std.extend(seeds.iter().map(|seed| T::make(*seed)));
                std.extend(seeds.iter().map(|seed| T::make(*seed)));
                assert!(scope.iter().eq(&*std));
                assert_eq!(scope.get(len), std.get(len));
            }
        }
    }

    fn finish(&mut self, _: &[T]) {
        self.clear();
        self.shrink_to_fit();
        let stats = self.stats();
        assert_eq!((stats.blocks, stats.block_bytes, stats.table_bytes), (0, 0, 0));
    }
}

impl<T: Element> Model<T, BlockVec<T>> {
    /// Steps from both ends, a skip, and then the rest.
    fn walk(&mut self, span: Span, partly: Partly, place: Index) {
        let span = span.within(self.std.len());
        let mut iter = self.vec.range(span.clone());
        let mut std = self.std[span].iter();
        for _ in 0..partly.front.of::<T>().min(100) {
            assert_eq!(iter.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(100) {
            assert_eq!(iter.next_back(), std.next_back());
        }
        let leap = place.within(std.len() + 3);
        if partly.forget {
            assert_eq!(iter.nth(leap), std.nth(leap));
        } else {
            assert_eq!(iter.nth_back(leap), std.nth_back(leap));
        }
        assert_eq!(iter.len(), std.len());
        assert_eq!(iter.clone().count(), std.len());
        assert_eq!(iter.clone().last(), std.clone().last());
        let key = place.0.to_le_bytes()[0];
        let (mut a, mut b) = (iter.clone(), std.clone());
        assert_eq!(a.position(|x| x.key() == key), b.position(|x| x.key() == key));
        assert!(a.eq(b));
        let (mut a, mut b) = (iter.clone(), std.clone());
        assert_eq!(a.find(|x| x.key() > key), b.find(|x| x.key() > key));
        assert_eq!(a.any(|x| x.key() < key), b.any(|x| x.key() < key));
        assert_eq!(a.all(|x| x.key() > 3), b.all(|x| x.key() > 3));
        assert_eq!(a.find_map(|x| x.key().checked_sub(9)), b.find_map(|x| x.key().checked_sub(9)));
        assert!(a.rev().eq(b.rev()));
        let sum = |sum: u64, x: &T| sum.wrapping_mul(31).wrapping_add(x.key().into());
        assert_eq!(iter.clone().rfold(0, sum), std.clone().rfold(0, sum));
        assert_eq!(iter.fold(0, sum), std.fold(0, sum));
    }

    fn walk_and_change(&mut self, span: Span, partly: Partly, seed: u8) {
        let span = span.within(self.std.len());
        let mut iter = self.vec.range_mut(span.clone());
        let mut std = self.std[span].iter_mut();
        for _ in 0..partly.front.of::<T>().min(100) {
            assert_eq!(iter.next(), std.next());
        }
        for _ in 0..partly.back.of::<T>().min(100) {
            assert_eq!(iter.next_back(), std.next_back());
        }
        assert_eq!(iter.nth(3), std.nth(3));
        assert_eq!(format!("{iter:?}"), format!("{:?}", std.as_slice()));
        let change = |element: &mut T| *element = T::make(element.key().wrapping_add(seed));
        iter.for_each(change);
        std.for_each(change);
    }

    fn change_blocks(&mut self, seed: u8) {
        let Self { vec, std, .. } = self;
        let len = vec.len();
        let all = vec.blocks();
        assert_eq!(all.len(), all.clone().count());
        assert_eq!(all.map(<[T]>::len).sum::<usize>(), len);
        assert!(vec.blocks().rev().flat_map(|block| block.iter().rev()).eq(std.iter().rev()));
        let order = RefCell::new(0_usize);
        let change = |element: &mut T| {
            let n = order.replace_with(|n| *n + 1);
            *element = T::make(element.key().wrapping_add(seed).wrapping_add(n.to_le_bytes()[0]));
        };
        vec.blocks_mut().for_each(|block| block.iter_mut().for_each(change));
        order.replace(0);
        std.iter_mut().for_each(change);
    }
}

/// The keys of elements, for hashing, since not all elements are `Hash`.
struct Keys<'v, T>(&'v BlockVec<T>);

impl<T: Element> std::hash::Hash for Keys<'_, T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.iter().map(Element::key).collect::<BlockVec<u8>>().hash(state);
    }
}
