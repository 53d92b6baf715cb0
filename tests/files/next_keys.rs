//! A map that was loaded makes the keys that the one that was saved would have made.

use crate::Folder;
use crate::history::{Calls, History, ORDERS};
use stayput::{DefaultKey, Key, Reuse, SlotMap};

type Map = SlotMap<DefaultKey, u32>;

#[test]
fn a_loaded_map_goes_on_with_the_same_keys_in_every_order() {
    let folder = Folder::new();
    for (seed, reuse) in (0..4).flat_map(|seed| ORDERS.map(|reuse| (seed, reuse))) {
        let mut map = Map::builder().reuse(reuse).build();
        let mut history = History::new(seed);
        history.go_on(&mut map, 7, Calls::All, 120);
        map.save(folder.file()).unwrap();
        // Options that name no order, or this one, leave it.
        let loaded = [Map::load(folder.file()), Map::builder().reuse(reuse).load(folder.file())];
        let mut original = history.clone();
        original.go_on(&mut map, 7, Calls::WithoutGivingBack, 120);
        for loaded in loaded {
            let mut history = history.clone();
            history.go_on(&mut loaded.unwrap(), 7, Calls::WithoutGivingBack, 120);
            assert!(history.made == original.made, "{reuse:?}, seed {seed}");
        }
    }
}

#[test]
fn an_order_named_by_the_reader_replaces_the_saved_one() {
    let folder = Folder::new();
    let mut map: Map = (0..100).collect();
    let keys: Vec<_> = map.keys().collect();
    map.remove_many([70, 30, 50].map(|index| keys[index]));
    map.save(folder.file()).unwrap();
    let mut map = Map::builder().reuse(Reuse::Lowest).load(folder.file()).unwrap();
    assert_eq!([(); 3].map(|()| map.insert(7).index()), [30, 50, 70]);
}
