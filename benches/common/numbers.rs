//! Large round numbers.

/// Parses `64K` as 65,536, and `8M` as 8,388,608.
pub fn parse(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes() {
        [.., b'k' | b'K'] => (&text[..text.len() - 1], 10),
        [.., b'm' | b'M'] => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|error| format!("{error}"))?;
    number.checked_mul(1 << shift).ok_or_else(|| "is too large".into())
}

/// Parses a number from `least` to 256M, which leaves room for further numbers in 32 bits.
pub fn within(text: &str, least: usize) -> Result<usize, String> {
    match parse(text)? {
        number if (least..=1 << 28).contains(&number) => Ok(number),
        _ => Err(format!("must be from {least} to 256M")),
    }
}

/// Formats a whole number with commas: `20,000`.
pub fn grouped(number: impl ToString + Copy) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number as `64 K` or `8 M`, if it is a multiple of these.
pub fn text(count: usize) -> String {
    match count {
        _ if count % (1 << 20) == 0 => format!("{} M", count >> 20),
        _ if count % (1 << 10) == 0 => format!("{} K", count >> 10),
        _ => count.to_string(),
    }
}
