//! Files of earlier versions stay readable forever.
//!
//! Each version has a folder in `tests/saved`, with a [`World`] in a human-readable format and in a binary one. A
//! folder never changes once its version is released. To create that of a new version, run
//! `STAYPUT_WRITE_SAVED=1 cargo test --features serde --test serde saved`.

use crate::{Small, motley};
use serde::{Deserialize, Serialize};
use stayput::{
    Columns, Compact32, DefaultKey, Key, KeyData, SecondaryMap, SlotMap, SparseSecondaryMap,
    Tagged64, VmVec,
};
use std::path::PathBuf;
use std::{env, fs};

/// The versions, named like their folders.
const VERSIONS: &[&str] = &["0.1"];

/// One of everything.
#[derive(Debug, Serialize, Deserialize)]
struct World {
    keys: Vec<DefaultKey>,
    null: DefaultKey,
    tagged: KeyData<Tagged64>,
    compact: KeyData<Compact32>,
    motley: SlotMap<Small, String>,
    trimmed: SlotMap<DefaultKey, u8>,
    second: SecondaryMap<Small, u32>,
    sparse: SparseSecondaryMap<DefaultKey, Option<char>>,
    vec: VmVec<(u8, String)>,
    columns: Columns<(u8, String)>,
}

fn world() -> World {
    let (motley, keys) = motley();
    let second = [(keys[0], 10), (keys[9], 19)].into_iter().collect();
    // The slots after the only one were released, and had at most three generations.
    let trimmed = serde_json::from_str(r#"{"floor":3,"slots":[{"live":[5,7]}]}"#).unwrap();
    let key = |index, generation| KeyData::from_parts(index, generation, 0).unwrap().into();
    World {
        keys: vec![key(0, 5), key(1, 3), key(1 << 20, 9), key(u32::MAX, (1 << 31) - 1)],
        null: DefaultKey::null(),
        tagged: KeyData::from_parts(5, 6, 7).unwrap(),
        compact: KeyData::from_parts(8, 9, 3).unwrap(),
        motley,
        trimmed,
        second,
        // Only one, since they have no order.
        sparse: [(key(1 << 30, 5), Some('ß'))].into_iter().collect(),
        vec: VmVec::from([(1, "one".to_owned()), (2, "two".to_owned())]),
        columns: Columns::from([(3, "three".to_owned()), (4, "four".to_owned())]),
    }
}

fn folder(version: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "saved", version].iter().collect()
}

fn assert_is_the_world(mut read: World) {
    let made = world();
    assert_eq!(read.keys, made.keys);
    assert_eq!((read.null, read.tagged, read.compact), (made.null, made.tagged, made.compact));
    assert!(read.motley.iter().eq(made.motley.iter()));
    let (stats, was) = (read.motley.stats(), made.motley.stats());
    assert_eq!(
        (stats.holes, stats.detached, stats.retired),
        (was.holes, was.detached, was.retired)
    );
    let (_, keys) = motley();
    assert!(keys.iter().all(|key| read.motley.get(*key) == made.motley.get(*key)));
    read.motley.reattach(keys[5], "five".to_owned());

    assert_eq!(read.trimmed.get(read.keys[0]), Some(&7));
    let new = read.trimmed.insert(8);
    assert_eq!((new.index(), new.generation()), (1, 4));

    assert_eq!((read.second, read.sparse, read.vec), (made.second, made.sparse, made.vec));
    assert_eq!(read.columns, made.columns);
}

#[test]
fn files_of_all_versions_are_read() {
    for version in VERSIONS {
        let folder = folder(version);
        let text = fs::read_to_string(folder.join("world.json")).unwrap();
        assert_is_the_world(serde_json::from_str(&text).unwrap());
        let bytes = fs::read(folder.join("world.postcard")).unwrap();
        assert_is_the_world(postcard::from_bytes(&bytes).unwrap());
    }
}

#[test]
fn files_of_this_version_are_written_like_the_stored_ones() {
    let version = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
    let folder = folder(version);
    let mut text = serde_json::to_string_pretty(&world()).unwrap();
    text.push('\n');
    let bytes = postcard::to_stdvec(&world()).unwrap();
    if env::var_os("STAYPUT_WRITE_SAVED").is_some() {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("world.json"), &text).unwrap();
        fs::write(folder.join("world.postcard"), &bytes).unwrap();
    }
    assert_eq!(fs::read_to_string(folder.join("world.json")).unwrap().replace("\r\n", "\n"), text);
    assert_eq!(fs::read(folder.join("world.postcard")).unwrap(), bytes);
}
