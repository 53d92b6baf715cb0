//! The structures under test, each with the settings that its users would choose.

use bench_common::contenders;
use cranelift_entity::{EntityList, ListPool as EntityPool, entity_impl};
use smallvec::SmallVec;
use stayput::{DefaultKey, ListPool};
use thin_vec::ThinVec;

use crate::graph::small;

/// What all structures can do, so that they run the same code.
pub(crate) trait Lists: Sized {
    /// What finds a list.
    type Id: Copy;

    /// Creates empty lists.
    fn of(nodes: usize) -> (Self, Vec<Self::Id>);

    /// Inserts edges, as fast as it can if these are all that there will be.
    fn fill(&mut self, edges: &[(Self::Id, u32)]) {
        for &(list, edge) in edges {
            self.push(list, edge);
        }
    }

    /// Whether lists can grow one by one.
    const GROWS: bool = true;

    fn push(&mut self, list: Self::Id, edge: u32);

    fn len(&self, list: Self::Id) -> usize;

    /// Returns the sum of the elements of a list.
    fn sum_of(&self, list: Self::Id) -> u64;

    /// Removes an element, in whose place the last one goes.
    fn swap_remove(&mut self, list: Self::Id, index: usize);

    /// Returns the sum of the elements of all lists, in the order of the nodes.
    fn sum(&self) -> u64;

    /// Returns unused memory, and puts lists in order if it can.
    fn compact(&mut self) {}
}

contenders! {
    Contender by Job;
    /// stayput's lists in one reservation
    ListPool: ListPool<u32>, "ListPool";
    /// std's arrays
    Vec: Vec<Vec<u32>>, "Vec<Vec>";
    /// The crate smallvec, with room for 4 elements in place
    SmallVec: Vec<SmallVec<[u32; 4]>>, "Vec<SmallVec>";
    /// The crate thin-vec
    ThinVec: Vec<ThinVec<u32>>, "Vec<ThinVec>";
    /// The lists of the crate cranelift-entity
    Cranelift: Cranelift, "cranelift ListPool";
    /// All edges in one array, ordered by nodes, and where each node's begin: the limit for walking
    Csr: Csr, "CSR";
}

/// Work that is done with each structure.
pub(crate) trait Job {
    type Outcome;
    fn run<L: Lists>(self) -> Self::Outcome;
}

#[inline]
fn sum<E: Copy + Into<u64>>(list: &[E]) -> u64 {
    list.iter().map(|edge| (*edge).into()).sum()
}

impl Lists for ListPool<u32> {
    type Id = DefaultKey;

    fn of(nodes: usize) -> (Self, Vec<DefaultKey>) {
        let mut pool = Self::new();
        let ids = (0..nodes).map(|_| pool.insert_list([])).collect();
        (pool, ids)
    }

    #[inline]
    fn push(&mut self, list: DefaultKey, edge: u32) {
        self.get_mut(list).expect("it is in the pool").push(edge);
    }

    #[inline]
    fn len(&self, list: DefaultKey) -> usize {
        self[list].len()
    }

    #[inline]
    fn sum_of(&self, list: DefaultKey) -> u64 {
        sum(&self[list])
    }

    #[inline]
    fn swap_remove(&mut self, list: DefaultKey, index: usize) {
        self.get_mut(list).expect("it is in the pool").swap_remove(index);
    }

    fn sum(&self) -> u64 {
        self.values().map(sum).sum()
    }

    fn compact(&mut self) {
        Self::compact(self);
    }
}

/// Implements the trait for an array of arrays.
macro_rules! arrays {
    ($list:ty) => {
        impl Lists for Vec<$list> {
            type Id = u32;

            fn of(nodes: usize) -> (Self, Vec<u32>) {
                (vec![<$list>::new(); nodes], (0..small(nodes)).collect())
            }

            #[inline]
            fn push(&mut self, list: u32, edge: u32) {
                self[list as usize].push(edge);
            }

            #[inline]
            fn len(&self, list: u32) -> usize {
                self[list as usize].len()
            }

            #[inline]
            fn sum_of(&self, list: u32) -> u64 {
                sum(&self[list as usize])
            }

            #[inline]
            fn swap_remove(&mut self, list: u32, index: usize) {
                self[list as usize].swap_remove(index);
            }

            fn sum(&self) -> u64 {
                self.iter().map(|list| sum(list)).sum()
            }

            fn compact(&mut self) {
                self.iter_mut().for_each(<$list>::shrink_to_fit);
            }
        }
    };
}

arrays!(Vec<u32>);
arrays!(SmallVec<[u32; 4]>);
arrays!(ThinVec<u32>);

/// An edge, as cranelift's lists require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(u32);
entity_impl!(Number);

/// Lists and their pool.
pub(crate) struct Cranelift {
    lists: Vec<EntityList<Number>>,
    pool: EntityPool<Number>,
}

impl From<Number> for u64 {
    fn from(Number(number): Number) -> Self {
        number.into()
    }
}

impl Lists for Cranelift {
    type Id = u32;

    fn of(nodes: usize) -> (Self, Vec<u32>) {
        let lists = vec![EntityList::new(); nodes];
        (Self { lists, pool: EntityPool::new() }, (0..small(nodes)).collect())
    }

    #[inline]
    fn push(&mut self, list: u32, edge: u32) {
        self.lists[list as usize].push(Number(edge), &mut self.pool);
    }

    #[inline]
    fn len(&self, list: u32) -> usize {
        self.lists[list as usize].len(&self.pool)
    }

    #[inline]
    fn sum_of(&self, list: u32) -> u64 {
        sum(self.lists[list as usize].as_slice(&self.pool))
    }

    #[inline]
    fn swap_remove(&mut self, list: u32, index: usize) {
        self.lists[list as usize].swap_remove(index, &mut self.pool);
    }

    fn sum(&self) -> u64 {
        self.lists.iter().map(|list| sum(list.as_slice(&self.pool))).sum()
    }
}

/// Compressed sparse rows.
pub(crate) struct Csr {
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl Csr {
    #[inline]
    fn list(&self, list: u32) -> &[u32] {
        let [start, end] = [0, 1].map(|next| self.starts[list as usize + next] as usize);
        &self.edges[start..end]
    }
}

impl Lists for Csr {
    type Id = u32;

    const GROWS: bool = false;

    fn of(nodes: usize) -> (Self, Vec<u32>) {
        (Self { starts: vec![0; nodes + 1], edges: vec![] }, (0..small(nodes)).collect())
    }

    fn fill(&mut self, edges: &[(u32, u32)]) {
        let Self { starts, edges: sorted } = self;
        for (node, _) in edges {
            starts[*node as usize + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut next = starts.clone();
        *sorted = vec![0; edges.len()];
        for &(node, edge) in edges {
            let next = &mut next[node as usize];
            sorted[*next as usize] = edge;
            *next += 1;
        }
    }

    fn push(&mut self, _: u32, _: u32) {
        unreachable!("it does not grow");
    }

    #[inline]
    fn len(&self, list: u32) -> usize {
        self.list(list).len()
    }

    #[inline]
    fn sum_of(&self, list: u32) -> u64 {
        sum(self.list(list))
    }

    fn swap_remove(&mut self, _: u32, _: usize) {
        unreachable!("it does not shrink");
    }

    fn sum(&self) -> u64 {
        let bounds = self.starts.windows(2);
        bounds.map(|bounds| sum(&self.edges[bounds[0] as usize..bounds[1] as usize])).sum()
    }
}
