//! A document of JSON that is parsed to a `Value`, and written again.

use bench_common::harness::Result;
use bench_common::random::Random;
use serde_json::Value;

use crate::checksum::Checksum;

/// Returns a document of at least `bytes`: an array of records with numbers, texts, lists and a nested object.
pub(crate) fn document(bytes: usize) -> Vec<u8> {
    use std::io::Write as _;

    let mut random = Random::new(1);
    let mut text = Vec::with_capacity(bytes + 1024);
    let mut number = 0;
    text.push(b'[');
    while text.len() < bytes {
        if number > 0 {
            text.push(b',');
        }
        let [x, y, price] = [0; 3].map(|_: i32| random.below(1_000_000));
        let user = random.below(50_000);
        // A write to memory cannot fail.
        let _ = write!(
            text,
            r#"{{"id":{number},"user":{{"name":"user {user}","active":{}}},"at":[{x}.25,-{y}.5],"price":{price},"note":null,"tags":["#,
            user % 3 == 0
        );
        for tag in 0..random.below(6) {
            let comma = if tag > 0 { "," } else { "" };
            let _ = write!(text, r#"{comma}"tag {}""#, random.below(1000));
        }
        text.extend_from_slice(b"]}");
        number += 1;
    }
    text.push(b']');
    text
}

/// Returns the checksum of the document as it is written.
pub(crate) fn read_and_write(text: &[u8]) -> Result<u64> {
    let value: Value = serde_json::from_slice(text)?;
    let written = serde_json::to_vec(&value)?;
    // The keys of a `Value` are sorted, so only the length is the same.
    assert_eq!(written.len(), text.len(), "parts of the document were lost");
    Ok(Checksum::of(&written))
}
