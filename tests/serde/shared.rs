//! Arrays that many threads append to.

use crate::through;
use serde::{Serialize, Serializer};
use stayput::{DefaultKey, SharedSlotMap, SharedVec, SlotMap};
use std::sync::OnceLock;
use std::thread;

#[test]
fn threads_can_append_to_a_deserialized_array() {
    let vec = SharedVec::new();
    let append = |vec: &SharedVec<String>, count| {
        thread::scope(|threads| {
            for worker in 0..3 {
                threads.spawn(move || vec.extend((0..count).map(|n| format!("{worker} {n}"))));
            }
        });
    };
    append(&vec, 400);
    let [read, other] = through(&vec);
    assert_eq!((&vec, vec.len()), (&other, 1200));
    append(&read, 100);
    assert_eq!((&read[..1200], read.len()), (vec.as_slice(), 1500));
}

#[test]
fn elements_pushed_during_serialization_are_left_out() {
    /// Appends another element to the array that contains it.
    struct Growing;

    static VEC: OnceLock<SharedVec<Growing>> = OnceLock::new();

    impl Serialize for Growing {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            VEC.get().unwrap().push(Growing);
            serializer.serialize_u8(7)
        }
    }

    let vec = VEC.get_or_init(|| [(); 3].map(|()| Growing).into());
    assert_eq!(serde_json::to_string(vec).unwrap(), "[7,7,7]");
    assert_eq!(postcard::to_stdvec(vec).unwrap(), [6, 7, 7, 7, 7, 7, 7]);
    assert_eq!(vec.len(), 12);
}

#[test]
fn threads_can_use_the_keys_of_a_deserialized_map() {
    let mut map: SharedSlotMap<DefaultKey, _> = SharedSlotMap::new();
    let keys: Vec<_> = (0..300).map(|n| map.insert(n.to_string()).0).collect();
    keys.iter().step_by(3).for_each(|key| _ = map.remove(*key));
    let text = serde_json::to_string(&*map.as_mut_map()).unwrap();
    let read: SharedSlotMap<DefaultKey, String> = serde_json::from_str(&text).unwrap();
    assert_eq!(read.len(), 200);
    let (map, keys) = (&map, &keys);
    let new: Vec<_> = thread::scope(|threads| {
        let insert = || (0..100).map(|n| read.insert(n.to_string()).0).collect::<Vec<_>>();
        let workers = [(); 3].map(|()| threads.spawn(insert));
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(keys.iter().all(|key| read.get(*key) == map.get(*key)));
    assert!(new.iter().all(|key| !keys.contains(key)));
    let written = serde_json::to_string(&read.into_inner()).unwrap();
    let again: SlotMap<DefaultKey, String> = serde_json::from_str(&written).unwrap();
    assert_eq!(again.len(), 500);
    assert!(serde_json::from_str::<SharedSlotMap<DefaultKey, String>>("[]").is_err());
}
