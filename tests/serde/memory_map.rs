//! Memory maps as JSON.

use serde_json::Value;
use stayput::{VmVec, memory_map};

#[test]
fn entries_have_a_field_for_each_number() {
    let mut array = VmVec::builder().name("as JSON").build();
    array.push(7_u64);
    let json = serde_json::to_value(memory_map()).expect("it has no maps with other keys");
    let entries = json["entries"].as_array().expect("a list");
    let entry = entries.iter().find(|entry| entry["name"] == "as JSON").expect("it has memory");
    assert_eq!(entry["kind"], "VmVec");
    assert_eq!(entry["element_type"], "u64");
    assert_eq!(entry["usable_bytes"], array.capacity() * 8);
    assert_eq!(entry["address"], array.as_ptr().addr());
    let location = entry["location"].as_str().unwrap_or("no debug assertions: memory_map.rs");
    assert!(location.contains("memory_map.rs"), "{location}");
    for number in ["id", "reserved_bytes", "growths", "late_growths", "on_demand_bytes"] {
        assert!(entry[number].is_u64(), "{number}: {entry}");
    }
    for number in ["committed_bytes", "resident_bytes", "huge_bytes", "spare_bytes"] {
        assert!(entry[number].is_u64() || entry[number] == Value::Null, "{number}: {entry}");
    }
    assert!(entry["resident_parts"].is_array());
}
