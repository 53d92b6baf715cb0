//! Tables keep their keys, and find the same rows; conflicting rows are refused.

use crate::{error_of, through};
use stayput::{DefaultKey, SlotMap, Table, indices};

type Row = (String, u32);

indices! {
    struct By for Row {
        name: Unique<str> = |row| &row.0,
        team: Many<u32> = |row| &row.1,
    }
}

#[test]
fn a_table_survives_with_its_keys_and_indices() {
    let mut table: Table<Row, By> = Table::new();
    let keys: Vec<DefaultKey> = (0..20_u32).map(|n| table.insert((n.to_string(), n % 3))).collect();
    table.remove(keys[7]);
    for read in through(&table) {
        assert!(read.iter().eq(table.iter()));
        assert_eq!(read.check(), Ok(()));
        assert_eq!(read.find(|by| &by.name, "12"), Some((keys[12], &("12".to_owned(), 0))));
        assert_eq!(read.count(|by| &by.team, &1), 6);
    }
}

#[test]
fn conflicting_rows_are_refused() {
    let rows: SlotMap<DefaultKey, Row> =
        ["a", "b", "a"].into_iter().map(|name| (name.to_owned(), 1)).collect();
    let text = serde_json::to_string(&rows).unwrap();
    let error = error_of::<Table<Row, By>>(&text);
    assert!(error.contains("already has this value, for the row in slot 0"), "{error}");
    let refused = Table::<Row, By>::try_from_rows(rows).unwrap_err();
    assert_eq!(refused.value.len(), 3);
}
