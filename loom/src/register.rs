//! The surroundings of `version.rs` of the register, and interleavings of an owner and a reader.

mod sync {
    pub(super) use crate::shared::atomic;
}

#[path = "../../src/register/version.rs"]
mod version;

use crate::{explore, made, spawn};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use version::Version;

/// A record of two numbers that are equal.
struct Record {
    version: Version,
    numbers: [AtomicUsize; 2],
}

impl Record {
    fn write(&self, number: usize) {
        self.version.change(|| {
            for field in &self.numbers {
                field.store(number, Ordering::Relaxed);
            }
        });
    }

    fn read(&self) -> Option<[usize; 2]> {
        self.version.read(|| [0, 1].map(|field| self.numbers[field].load(Ordering::Relaxed)))
    }
}

/// Creates a record that holds `number`.
fn record(number: usize) -> Arc<Record> {
    made(move || {
        let numbers = [0, 1].map(|_| AtomicUsize::new(0));
        let record = Arc::new(Record { version: Version::new(), numbers });
        assert_eq!(record.read(), None);
        record.write(number);
        record
    })
}

#[test]
fn a_record_that_is_read_was_written_by_one_change() {
    explore(None, || {
        let record = record(1);
        let other = Arc::clone(&record);
        let owner = spawn(move || other.write(2));
        for _ in 0..2 {
            if let Some([first, second]) = record.read() {
                assert_eq!(first, second);
            }
        }
        owner.join().unwrap();
        assert_eq!(record.read(), Some([2, 2]));
    });
}

#[test]
fn a_record_is_not_read_while_it_is_hidden() {
    explore(None, || {
        let record = record(1);
        let other = Arc::clone(&record);
        let owner = spawn(move || {
            other.version.hide();
            other.numbers[0].store(7, Ordering::Relaxed);
            other.write(2);
        });
        if let Some([first, second]) = record.read() {
            assert_eq!(first, second);
        }
        owner.join().unwrap();
        record.version.hide();
        assert_eq!(record.read(), None);
    });
}
