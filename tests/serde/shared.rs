//! Arrays to which many threads append.

use crate::{error_of, through};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stayput::{DefaultKey, SharedSlotMap, SharedVec, SlotMap, VmVec};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::thread;

fn read_into<'de, T: Deserialize<'de>>(
    vec: &mut SharedVec<T>,
    text: &'de str,
) -> Result<(), serde_json::Error> {
    Deserialize::deserialize_in_place(&mut serde_json::Deserializer::from_str(text), vec)
}

#[test]
fn an_array_survives_and_is_a_vec_to_others() {
    let vec = SharedVec::new();
    thread::scope(|threads| {
        for worker in 0..3 {
            let vec = &vec;
            threads.spawn(move || vec.extend((0..400).map(|n| format!("{worker} {n}"))));
        }
    });
    let std = vec.as_slice().to_vec();
    assert_eq!(std.len(), 1200);
    assert_eq!(through(&vec), [vec.clone(), vec.clone()]);
    assert_eq!(serde_json::to_string(&vec).unwrap(), serde_json::to_string(&std).unwrap());
    let bytes = postcard::to_stdvec(&vec).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(&std).unwrap());
    assert_eq!(postcard::from_bytes::<VmVec<&str>>(&bytes).unwrap(), std);
    assert_eq!(through(&SharedVec::from([(); 5])), [[(); 5], [(); 5]]);
    assert!(through(&SharedVec::<u8>::new()).iter().all(SharedVec::is_empty));
    // What was read is appended to by threads.
    let [read, _] = through(&vec);
    thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| (0..100).for_each(|n| _ = read.push(n.to_string())));
        }
    });
    assert_eq!((&read[..1200], read.len()), (vec.as_slice(), 1500));
}

#[test]
fn what_is_pushed_while_it_is_written_is_not_in_it() {
    /// Appends another to the array in which it is.
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
fn what_is_broken_is_an_error() {
    assert!(error_of::<SharedVec<u8>>("[1,256]").contains("256"));
    assert!(error_of::<SharedVec<u8>>("{}").contains("a sequence"));
    assert!(error_of::<SharedVec<u8>>("[1").contains("EOF"));
}

#[test]
fn announced_elements_take_no_memory_before_they_are_there() {
    // A length of 2^63 and one element.
    let mut bytes = vec![0x80; 9];
    bytes.extend([1, 3]);
    assert!(postcard::from_bytes::<SharedVec<[u64; 4]>>(&bytes).is_err());
    let mut vec = SharedVec::<u8>::new();
    let mut from = postcard::Deserializer::from_bytes(&bytes);
    assert!(Deserialize::deserialize_in_place(&mut from, &mut vec).is_err());
    assert_eq!(vec, [3]);
    assert!(vec.stats().reserved_bytes > 0 && vec.stats().committed_bytes <= 1 << 20);
}

#[test]
fn what_is_read_in_place_keeps_the_array_and_its_maximum() {
    let mut vec = SharedVec::with_max_len(4);
    vec.extend(["a", "b", "c"].map(String::from));
    let (first, buffer) = (vec.as_slice().as_ptr(), vec[0].as_ptr());
    for text in [r#"["x","y"]"#, "[]", r#"["1","2","3","4"]"#] {
        read_into(&mut vec, text).unwrap();
        assert_eq!(serde_json::to_string(&vec).unwrap(), text);
        assert_eq!((vec.get(vec.len()), vec.max_len()), (None, 4));
        if !vec.is_empty() {
            assert_eq!(vec.as_slice().as_ptr(), first);
        }
        if text.contains('x') {
            assert_eq!(vec[0].as_ptr(), buffer, "a string is read over the one before");
        }
    }
    let error = read_into(&mut vec, r#"["5","6","7","8","9"]"#).unwrap_err().to_string();
    assert!(error.contains("this SharedVec is full"), "{error}");
    assert_eq!(vec, ["5", "6", "7", "8"]);
    assert!(vec.try_push(String::new()).is_err());
    assert!(read_into(&mut vec, r#"["10",11]"#).is_err());
    assert_eq!((vec.len(), vec[0].as_str(), vec[3].as_str()), (4, "10", "8"));
}

/// Panics after some were read.
#[derive(Debug)]
struct Bomb(Box<u8>);

impl<'de> Deserialize<'de> for Bomb {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let n = u8::deserialize(deserializer)?;
        assert!(n < 3, "an element that panics");
        Ok(Self(Box::new(n)))
    }
}

#[test]
fn elements_are_whole_when_one_panics() {
    assert!(catch_unwind(|| serde_json::from_str::<SharedVec<Bomb>>("[1,2,3]")).is_err());
    let mut vec: SharedVec<Bomb> = [7, 8].map(|n| Bomb(Box::new(n))).into();
    assert!(catch_unwind(AssertUnwindSafe(|| read_into(&mut vec, "[1,3]"))).is_err());
    assert_eq!((vec.len(), *vec[0].0, *vec[1].0), (2, 1, 8));
    assert!(catch_unwind(AssertUnwindSafe(|| read_into(&mut vec, "[0,1,2,3]"))).is_err());
    assert_eq!((vec.len(), *vec[2].0), (3, 2));
    let (index, pushed) = vec.push(Bomb(Box::new(9)));
    assert_eq!((index, *pushed.0), (3, 9));
}

#[test]
fn a_map_that_was_read_has_its_keys_for_threads() {
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
