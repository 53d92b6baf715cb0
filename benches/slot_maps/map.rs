//! What a measurement needs of a map. It is compiled once for each implementation.

use crate::operation::Operation;
use crate::value::Value;

pub(crate) trait Map: Sized {
    type Value: Value;
    type Key: Copy;

    /// Operations that are not measured, since the map has nothing that does them.
    const LACKS: &'static [Operation] = &[];

    /// Whether an insertion takes the place of a removed value.
    const FILLS_HOLES: bool = true;

    /// A key for places in a list of keys that are to be overwritten.
    fn no_key() -> Self::Key;

    /// Without memory, or with as little as can be.
    fn empty() -> Self;

    /// With memory asked for, not touched, for that many values.
    fn with_room(slots: usize) -> Self;

    fn insert(&mut self, value: Self::Value) -> Self::Key;

    /// By a mutable reference, since one of the maps has a quick way only then.
    fn get(&mut self, key: Self::Key) -> Option<&Self::Value>;

    fn remove(&mut self, key: Self::Key) -> Option<Self::Value>;

    /// [`crate::value::sum`] over all values, by the map's quickest iterator.
    fn sum(&mut self) -> u64;

    fn clear(&mut self);

    /// The place that the key's value has among all places, where values have fixed places.
    fn place(key: Self::Key) -> Option<usize>;
}
