//! Lines of CSV that are parsed to owned records, sorted by a column, and written.

use std::io::Write as _;

use bench_common::harness::Result;
use bench_common::random::Random;
use csv::{Reader, StringRecord, Writer};

use crate::checksum::Checksum;

/// The column that is sorted by.
const KEY: usize = 1;

/// Returns lines of at least `bytes`, in no order.
pub(crate) fn lines(bytes: usize) -> Vec<u8> {
    let mut random = Random::new(2);
    let mut text = Vec::with_capacity(bytes + 1024);
    text.extend_from_slice(b"id,key,value,text\n");
    let mut number = 0;
    while text.len() < bytes {
        let (key, value) = (random.below(1 << 40), random.below(1_000_000));
        // A write to memory cannot fail.
        let _ = write!(text, "{number},k{key:012x},{value}.5,");
        for _ in 0..random.below(12) {
            let _ = write!(text, "word {:x} ", random.below(1 << 16));
        }
        text.push(b'\n');
        number += 1;
    }
    text
}

/// Returns the checksum of the sorted lines.
pub(crate) fn sort(text: &[u8]) -> Result<u64> {
    let mut reader = Reader::from_reader(text);
    let header = reader.headers()?.clone();
    let mut records = reader.records().collect::<csv::Result<Vec<StringRecord>>>()?;
    records.sort_by(|one, other| one[KEY].cmp(&other[KEY]));
    let mut checksum = Checksum::new();
    let mut writer = Writer::from_writer(&mut checksum);
    writer.write_record(&header)?;
    for record in &records {
        writer.write_record(record)?;
    }
    writer.flush()?;
    drop(writer);
    assert_eq!(checksum.bytes, text.len(), "parts of the lines were lost");
    Ok(checksum.hash())
}
