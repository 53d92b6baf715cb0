//! The graph: edges between random nodes, and the changes of a frame.

use bench_common::random::Random;

/// The average number of edges of a node.
pub(crate) const DEGREE: usize = 8;

/// Edges removed in a frame, and as many inserted.
pub(crate) const CHANGES: usize = 5000;

/// Returns a number of nodes or edges in 32 bits.
pub(crate) fn small(number: usize) -> u32 {
    u32::try_from(number).expect("graphs have less than 2^32 edges")
}

/// Returns the edges in the order of insertion: the node is random, and the element is the edge's number.
pub(crate) fn edges(nodes: usize) -> Vec<(u32, u32)> {
    let mut random = Random::new(1);
    (0..small(nodes * DEGREE)).map(|number| (small(random.below(nodes)), number)).collect()
}

/// A change of a frame: an edge of the first list, the one with this number modulo its length, is removed; and one is
/// inserted into the second.
pub(crate) struct Change<Id> {
    pub(crate) from: Id,
    pub(crate) nth: u32,
    pub(crate) to: Id,
}

/// Returns the changes of a frame, some fewer than [`CHANGES`] in a small graph.
pub(crate) fn changes<Id: Copy>(ids: &[Id], frame: usize) -> Vec<Change<Id>> {
    let mut random = Random::new(1000 + frame as u64);
    let change = || Change {
        from: ids[random.below(ids.len())],
        nth: small(random.below(1 << 16)),
        to: ids[random.below(ids.len())],
    };
    std::iter::repeat_with(change).take(CHANGES.min(ids.len() * DEGREE / 2)).collect()
}
