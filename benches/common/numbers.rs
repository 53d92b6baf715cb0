//! Large round numbers, as people write them.

/// `64K` for 65,536, `8M` for 8,388,608.
pub fn parse(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes() {
        [.., b'k' | b'K'] => (&text[..text.len() - 1], 10),
        [.., b'm' | b'M'] => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|error| format!("{error}"))?;
    number.checked_mul(1 << shift).ok_or_else(|| "is too large a number".into())
}

/// The same, of what each has a number of 32 bits and more besides, and of which there are some at least.
pub fn within(text: &str, least: usize) -> Result<usize, String> {
    match parse(text)? {
        number if (least..=1 << 28).contains(&number) => Ok(number),
        _ => Err(format!("must be from {least} to 256M")),
    }
}

/// `64 K`, `8 M`: where it is a round number of them.
pub fn text(count: usize) -> String {
    match count {
        _ if count % (1 << 20) == 0 => format!("{} M", count >> 20),
        _ if count % (1 << 10) == 0 => format!("{} K", count >> 10),
        _ => count.to_string(),
    }
}
