//! How much of a range is resident, by samples if it is large.

#![forbid(unsafe_code)]

use super::{Reservation, column_count};
use crate::os;
use std::convert::Infallible;
use std::ops::Range;

impl Reservation {
    /// Returns how many bytes of a range are resident; 0 if that is unknown.
    pub(crate) fn resident_within(&self, range: Range<usize>) -> usize {
        let Ok(pages) = self.pages(range) else { return 0 };
        let bytes = pages.bytes.get();
        let mut sum = 0;
        let Ok(()) = pages.each_used(|place| {
            sum += os::resident_bytes_within(place.start(), place.bytes()).unwrap_or(0);
            Ok::<_, Infallible>(())
        });
        // In columns, pages can be more than the bytes in them.
        sum.min(bytes)
    }

    /// Whether three quarters of the range or more are resident, by samples: to ask for all pages of 1 GiB takes
    /// milliseconds. Makes at most 16 system calls, or one for each column of less than 1 MiB. `false` if that is unknown.
    pub(crate) fn is_dense(&self, range: Range<usize>) -> bool {
        const SAMPLES: usize = 16;
        const SAMPLE_BYTES: usize = 64 << 10;
        let bytes = range.len();
        let (resident, asked) = if bytes < SAMPLES * SAMPLE_BYTES {
            (self.resident_within(range), bytes)
        } else {
            let step = bytes / SAMPLES / SAMPLE_BYTES * SAMPLE_BYTES;
            let first = range.start + step / 2 / SAMPLE_BYTES * SAMPLE_BYTES;
            let samples = (0..SAMPLES).map(|number| {
                let start = first + number * step;
                self.resident_of_one(start..start + SAMPLE_BYTES, number)
            });
            samples.fold((0, 0), |sum, sample| (sum.0 + sample.0, sum.1 + sample.1))
        };
        asked > 0 && resident >= asked / 4 * 3
    }

    /// Returns how many bytes of a range are resident, and how many were asked for: in columns, those of one column.
    fn resident_of_one(&self, range: Range<usize>, number: usize) -> (usize, usize) {
        let Ok(pages) = self.pages(range) else { return (0, 0) };
        let mut before = number % usize::from(column_count(self.columns).max(1));
        let (mut resident, mut asked) = (0, 0);
        let Ok(()) = pages.each_used(|place| {
            if before == 0 {
                asked = place.bytes().get();
                resident = os::resident_bytes_within(place.start(), place.bytes()).unwrap_or(0);
            }
            before = before.wrapping_sub(1);
            Ok::<_, Infallible>(())
        });
        (resident, asked)
    }
}
