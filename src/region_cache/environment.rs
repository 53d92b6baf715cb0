//! Limits of the cache that the environment sets.

#![forbid(unsafe_code)]

use super::MOST_MS;
use crate::os::{leading_number, variable_at_start};

/// More digits than any number below 2^64, a point, and more digits than milliseconds have.
const TEXT_BYTES: usize = 32;

/// The value of `STAYPUT_KEEP_BYTES`, if that is a number.
pub(super) fn keep_bytes() -> Option<usize> {
    parse_bytes(variable_at_start(c"STAYPUT_KEEP_BYTES", &mut [0; TEXT_BYTES])?)
}

/// The value of `STAYPUT_KEEP_SECONDS` in milliseconds, if that is a decimal number.
pub(super) fn keep_ms() -> Option<u32> {
    parse_ms(variable_at_start(c"STAYPUT_KEEP_SECONDS", &mut [0; TEXT_BYTES])?)
}

fn parse_bytes(text: &[u8]) -> Option<usize> {
    let (bytes, rest) = leading_number(text)?;
    rest.is_empty().then(|| usize::try_from(bytes).unwrap_or(usize::MAX))
}

fn parse_ms(text: &[u8]) -> Option<u32> {
    let (seconds, rest) = leading_number(text)?;
    let fraction = match rest {
        [] => rest,
        [b'.', digits @ ..] if leading_number(digits)?.1.is_empty() => digits,
        _ => return None,
    };
    let digit = |at| u64::from(fraction.get(at).map_or(0, |digit| digit - b'0'));
    let ms = (0..3).fold(seconds, |ms, at| ms.saturating_mul(10).saturating_add(digit(at)));
    Some(u32::try_from(ms).unwrap_or(MOST_MS).min(MOST_MS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_a_whole_number() {
        let parse = |text: &str| parse_bytes(text.as_bytes());
        assert_eq!([parse("0"), parse("67108864")], [Some(0), Some(64 << 20)]);
        #[cfg(target_pointer_width = "32")]
        assert_eq!(parse("4294967296"), Some(usize::MAX));
        for text in ["", "-1", "64M", "1.5", " 1", "1 ", "18446744073709551616"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn seconds_are_a_decimal_number_and_cut_to_milliseconds() {
        let parse = |text: &str| parse_ms(text.as_bytes());
        let (week, most) = (7 * 24 * 60 * 60, u64::MAX.to_string());
        for (text, ms) in [
            ("0", 0),
            ("10", 10_000),
            ("2.5", 2500),
            ("0.05", 50),
            ("0.0019", 1),
            ("0.000", 0),
            (&format!("{week}.5"), week * 1000),
            (&most, week * 1000),
        ] {
            assert_eq!(parse(text), Some(ms), "{text}");
        }
        for text in ["", ".5", "5.", "1.5s", "-1", "1,5", "1e3", " 1", "0.5.1"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
