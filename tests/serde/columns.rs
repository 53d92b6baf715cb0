//! Columns.

use crate::{error_of, through};
use serde::{Deserialize, Serialize, Serializer};
use stayput::{Columns, Row, VmVec};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

type Line = (u8, String);

fn line(n: u8) -> Line {
    (n, n.to_string())
}

fn read_into(columns: &mut Columns<Line>, text: &str) -> Result<(), serde_json::Error> {
    Deserialize::deserialize_in_place(&mut serde_json::Deserializer::from_str(text), columns)
}

#[test]
fn columns_survive_and_have_the_form_of_an_array_of_rows() {
    let columns: Columns<Line> = (0..200).map(line).collect();
    assert_eq!(through(&columns), [columns.clone(), columns.clone()]);
    let rows: Vec<Line> = (0..200).map(line).collect();
    assert_eq!(serde_json::to_string(&columns).unwrap(), serde_json::to_string(&rows).unwrap());
    let bytes = postcard::to_stdvec(&columns).unwrap();
    assert_eq!(bytes, postcard::to_stdvec(&rows).unwrap());
    assert_eq!(postcard::from_bytes::<VmVec<Line>>(&bytes).unwrap(), rows);
    // Rows that borrow from the input.
    let borrowed: Columns<(u8, &str)> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(borrowed.get(7), Some((&7, &"7")));
    assert_eq!(postcard::to_stdvec(&borrowed).unwrap(), bytes);
    assert_eq!(through(&Columns::from([((), ()); 5])).map(|columns| columns.len()), [5, 5]);
    assert!(through(&Columns::<Line>::new()).iter().all(Columns::is_empty));
}

#[test]
fn corrupted_input_is_an_error() {
    assert!(error_of::<Columns<(u8, u8)>>("[[1,2],[3,256]]").contains("256"));
    assert!(error_of::<Columns<(u8, u8)>>("[[1]]").contains("tuple of size 2"));
    assert!(error_of::<Columns<(u8, u8)>>("{}").contains("a sequence"));
    assert!(error_of::<Columns<(u8, u8)>>("[[1,2]").contains("EOF"));
}

#[test]
fn announced_rows_take_no_memory_before_they_arrive() {
    // A length of 2^63 and one row.
    let mut bytes = vec![0x80; 9];
    bytes.extend([1, 3, 4]);
    let mut columns = Columns::<(u8, u8)>::new();
    let mut from = postcard::Deserializer::from_bytes(&bytes);
    assert!(Deserialize::deserialize_in_place(&mut from, &mut columns).is_err());
    assert_eq!(columns.get(0), Some((&3, &4)));
    assert!(columns.stats().committed_bytes <= 1 << 20);
}

#[test]
fn deserializing_in_place_keeps_the_columns_and_their_maximum() {
    let mut columns = Columns::with_max_len(3);
    columns.extend([line(1), line(2)]);
    let first = columns.as_slices().0.as_ptr();
    for text in [r#"[[5,"five"]]"#, "[]", r#"[[1,"a"],[2,"b"],[3,"c"]]"#, r#"[[4,"d"],[5,"e"]]"#] {
        read_into(&mut columns, text).unwrap();
        assert_eq!(serde_json::to_string(&columns).unwrap(), text);
        assert_eq!((columns.as_slices().0.as_ptr(), columns.max_len()), (first, 3));
    }
    let error =
        read_into(&mut columns, r#"[[0,""],[1,""],[2,""],[3,""]]"#).unwrap_err().to_string();
    assert!(error.contains("full"), "{error}");
    assert_eq!(columns.as_slices().0, [0, 1, 2]);
    assert!(read_into(&mut columns, r#"[[9,"nine"],[8]]"#).is_err());
    assert_eq!(columns.as_slices().0, [9, 1, 2]);
}

/// Serialized under another name than its field's; panics for one value.
#[derive(Clone, Serialize, Deserialize)]
struct Named {
    #[serde(rename = "Called", serialize_with = "written")]
    name: String,
    #[serde(skip)]
    seen: Cell<u8>,
}

// The signature that serde requires.
fn written<S: Serializer>(name: &String, serializer: S) -> Result<S::Ok, S::Error> {
    assert_ne!(name, "panics");
    serializer.serialize_str(name)
}

impl Row for Named {
    type Fields = (String, Cell<u8>);
    type Ref<'a> = &'a str;
    type Mut<'a> = &'a mut String;
    type Slices<'a> = &'a [String];
    type SlicesMut<'a> = &'a mut [String];

    fn into_fields(self) -> (String, Cell<u8>) {
        (self.name, self.seen)
    }

    fn from_fields((name, seen): (String, Cell<u8>)) -> Self {
        Self { name, seen }
    }

    fn by_ref<'a>((name, _): (&'a String, &'a Cell<u8>)) -> &'a str
    where
        Self: 'a,
    {
        name
    }

    fn by_mut<'a>((name, _): (&'a mut String, &'a mut Cell<u8>)) -> &'a mut String
    where
        Self: 'a,
    {
        name
    }

    fn by_slices<'a>((names, _): (&'a [String], &'a [Cell<u8>])) -> &'a [String]
    where
        Self: 'a,
    {
        names
    }

    fn by_slices_mut<'a>((names, _): (&'a mut [String], &'a mut [Cell<u8>])) -> &'a mut [String]
    where
        Self: 'a,
    {
        names
    }
}

#[test]
fn rows_are_written_by_their_own_serialize() {
    let text = r#"[{"Called":"a"},{"Called":"b"}]"#;
    let mut columns: Columns<Named> = serde_json::from_str(text).unwrap();
    assert_eq!(columns.as_slices(), ["a", "b"]);
    assert_eq!(serde_json::to_string(&columns).unwrap(), text);
    "panics".clone_into(columns.get_mut(1).unwrap());
    assert!(catch_unwind(AssertUnwindSafe(|| serde_json::to_string(&columns))).is_err());
    assert_eq!(columns.as_slices(), ["a", "panics"]);
}

#[cfg(feature = "derive")]
#[test]
fn derived_rows_need_no_other_traits_to_be_written() {
    #[derive(Row, Clone, Serialize, Deserialize)]
    #[serde(rename_all = "UPPERCASE")]
    struct Particle<T> {
        position: [T; 2],
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    }

    let text = r#"[{"POSITION":[1,2],"NAME":"a"},{"POSITION":[3,4]}]"#;
    let columns: Columns<Particle<u8>> = serde_json::from_str(text).unwrap();
    assert_eq!(columns.as_slices().position, [[1, 2], [3, 4]]);
    assert_eq!(serde_json::to_string(&columns).unwrap(), text);
}
