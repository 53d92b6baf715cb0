//! An array with 64 GiB reserved, of which little is committed and less is resident.
//!
//!     cargo run --release --example big_array

use stayput::{VecStats, VmVec};

type Record = [u64; 8];

fn show(when: &str, stats: VecStats) {
    let kib = |bytes: usize| bytes >> 10;
    println!(
        "{when:28} {:>10} records | KiB: {:>8} reserved {:>7} committed {:>7} resident",
        stats.len,
        kib(stats.reserved_bytes),
        kib(stats.committed_bytes),
        stats.resident_bytes.map_or("?".into(), |bytes| kib(bytes).to_string()),
    );
}

fn main() -> Result<(), stayput::Error> {
    // Addresses cost no memory: this works on a machine with far less than 64 GiB.
    let reserved_bytes: usize = if usize::BITS == 64 { 64 << 30 } else { 256 << 20 };
    let mut records = VmVec::<Record>::try_with_max_len(reserved_bytes / size_of::<Record>())?;
    show("reserved", records.stats());

    records.try_push([0; 8])?;
    let first = records.as_ptr();
    show("one record pushed", records.stats());

    records.extend((1..1_000_000).map(|n| [n; 8]));
    assert_eq!(records.as_ptr(), first, "an element moved");
    show("a million pushed", records.stats());

    records.try_prefault(1_000_000)?;
    show("room for a million prefaulted", records.stats());

    records.truncate(10);
    show("truncated to ten", records.stats());

    records.shrink_to_fit();
    show("shrunk to fit", records.stats());
    assert_eq!(records[9], [9; 8]);

    // A request that cannot be served returns an error that names the limit, and leaves the array as it was.
    let refused = records.try_reserve(records.max_len()).unwrap_err();
    println!("\nmore than fits: {refused}");
    assert_eq!(records.len(), 10);
    Ok(())
}
