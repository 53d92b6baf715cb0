use super::display::Bytes;
use super::*;

#[test]
fn display_names_the_limit_the_bytes_and_what_to_do() {
    let error = Error::new(ErrorKind::AddressLimit, 3 << 30).with_limit(1 << 40).with_code(12);
    let text = error.to_string();
    for part in ["3221225472 bytes (3.0 GiB)", "1.0 TiB", "RLIMIT_AS", "os error 12"] {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[test]
#[cfg(target_pointer_width = "64")]
fn an_error_is_four_words() {
    assert_eq!(size_of::<Error>(), 4 * size_of::<usize>());
}

#[test]
fn byte_counts_from_a_kibibyte_on_have_a_unit() {
    assert_eq!(Bytes(0).to_string(), "0 bytes");
    assert_eq!(Bytes(1023).to_string(), "1023 bytes");
    assert_eq!(Bytes(1024).to_string(), "1024 bytes (1.0 KiB)");
    assert_eq!(Bytes(3 << 29).to_string(), "1610612736 bytes (1.5 GiB)");
    assert_eq!(Bytes(2_000_000).to_string(), "2000000 bytes (1.9 MiB)");
    assert_eq!(Bytes(u64::MAX).to_string(), "18446744073709551615 bytes (16.0 EiB)");
}

#[test]
fn every_kind_has_a_message() {
    for kind in [
        ErrorKind::AddressSpace,
        ErrorKind::AddressLimit,
        ErrorKind::Memory,
        ErrorKind::DataLimit,
        ErrorKind::MappingLimit,
        ErrorKind::LockLimit,
        ErrorKind::MaxLen,
        ErrorKind::AllocationLimit,
        ErrorKind::KeyBits,
        ErrorKind::FarIndex,
        ErrorKind::StaleKey,
        ErrorKind::TypeId,
        ErrorKind::Occupied,
        ErrorKind::Taken,
        ErrorKind::Generations,
        ErrorKind::CapacityOverflow,
        ErrorKind::OutOfBounds,
        ErrorKind::Alignment,
        ErrorKind::Busy,
        ErrorKind::Disk,
        ErrorKind::Quota,
        ErrorKind::FileLimit,
        ErrorKind::Unsupported,
        ErrorKind::System,
    ] {
        for size in [Size::Request, Size::Option, Size::Default, Size::Backing] {
            for holder in [Holder::VmVec, Holder::SecondaryMap, Holder::Arena, Holder::Index] {
                let error = Error { holder, size, ..Error::new(kind, 4096) };
                assert!(error.to_string().len() > 20, "{kind:?}");
                let text = error.with_limit(4096).to_string();
                assert!(text.len() > 20 && !text.contains(['{', '}']), "{text:?}");
            }
        }
    }
}
