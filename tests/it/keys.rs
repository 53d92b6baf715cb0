//! Key types, as users declare them.

use stayput::{
    Bits64, Compact32, DefaultKey, Key, KeyData, Plain64, SlotMap, Tagged64, new_key_type,
};

#[test]
fn null_is_the_default_and_stays_null_with_a_tag() {
    new_key_type! { struct Tagged: Tagged64; }
    assert_eq!(DefaultKey::default(), DefaultKey::null());
    assert!(DefaultKey::null().is_null());
    let tagged = Tagged::null().with_tag(5);
    assert!(tagged.is_null());
    assert_eq!(Tagged::from_bits(tagged.to_bits()), Some(tagged));
    assert_eq!(DefaultKey::from_bits(0), None);
}

#[test]
fn null_works_in_a_const_in_every_layout() {
    new_key_type! {
        struct Tagged: Tagged64;
        struct Compact: Compact32;
        struct Loose: Bits64<10, 10, 10>;
    }
    const DATA: KeyData = KeyData::NULL;
    const DEFAULT: DefaultKey = DefaultKey::NULL;
    static TAGGED: Tagged = Tagged::NULL;
    const COMPACT: Compact = Compact::NULL;
    const LOOSE: Loose = Loose::NULL;
    assert_eq!((DEFAULT, DATA), (DefaultKey::null(), DefaultKey::null().data()));
    assert_eq!((TAGGED, COMPACT, LOOSE), (Key::null(), Key::null(), Key::null()));
    assert!(DEFAULT.is_null() && TAGGED.is_null() && COMPACT.is_null() && LOOSE.is_null());
    assert_eq!(Loose::from_bits(LOOSE.to_bits()), Some(LOOSE));
    assert_eq!((COMPACT.index(), LOOSE.index()), ((1 << 20) - 1, (1 << 10) - 1));
}

#[test]
fn the_default_of_key_data_needs_no_explicit_layout() {
    const NOTHING: KeyData = KeyData::default();
    assert!(KeyData::default().is_null());
    assert_eq!(NOTHING, KeyData::NULL);
    // The trait has one for each layout.
    let tagged = <KeyData<Tagged64> as Default>::default();
    assert_eq!(tagged, KeyData::NULL);
    assert_eq!(KeyData::<Tagged64>::default(), tagged);
}

/// As written in code that passes keys of any type to other languages.
#[test]
fn generic_code_converts_numbers_to_keys() {
    fn round_trip<K: Key>(key: K) -> K {
        K::from(KeyData::from_ffi(key.data().as_ffi()))
    }
    let mut map = SlotMap::new();
    let key = map.insert(1);
    assert_eq!(round_trip(key), key);
    let into: DefaultKey = KeyData::from_ffi(key.data().as_ffi()).into();
    assert_eq!(into, key);
}

/// The numbers of keys after the same calls, in this crate and in `slotmap`.
#[test]
fn numbers_for_other_languages_are_those_of_slotmap() {
    use slotmap::Key as _;

    let (mut ours, mut theirs) = (SlotMap::new(), slotmap::SlotMap::new());
    let (mut keys, mut random) = (Vec::new(), 1_u32);
    for n in 0..1000_u32 {
        random = random.wrapping_mul(0x9e37_79b9).rotate_left(7) ^ 5;
        // More holes than the map remembers would be filled in another order.
        if random % 2 == 0 && keys.len() < 100 || keys.is_empty() {
            keys.push((ours.insert(n), theirs.insert(n)));
        } else {
            let (our, their) = keys.swap_remove(random as usize / 2 % keys.len());
            assert_eq!(ours.remove(our), theirs.remove(their));
        }
        for (our, their) in &keys {
            let number = their.data().as_ffi();
            assert_eq!(our.data().as_ffi(), number);
            assert_eq!(KeyData::from_ffi(number), our.data());
        }
    }
    let null = slotmap::KeyData::default().as_ffi();
    assert_eq!(KeyData::<Plain64>::NULL.as_ffi(), null);
    assert!(KeyData::<Plain64>::from_ffi(null).is_null());
    // Values that C code uses for "no key" find nothing in either.
    let none = DefaultKey::from(KeyData::from_ffi(0));
    assert!(ours.get(none).is_none());
    assert!(theirs.get(slotmap::KeyData::from_ffi(0).into()).is_none());
}

#[test]
fn keys_are_as_small_as_their_words_with_a_niche() {
    new_key_type! { struct Compact: Compact32; }
    assert_eq!(size_of::<DefaultKey>(), 8);
    assert_eq!(size_of::<Option<DefaultKey>>(), 8);
    assert_eq!(size_of::<Compact>(), 4);
    assert_eq!(size_of::<Option<Compact>>(), 4);
}

#[test]
fn keys_display_as_their_data_is_debugged() {
    let mut map = SlotMap::new();
    let key: DefaultKey = map.insert(());
    assert_eq!(format!("{key} {} {:?}", key.data(), key.data()), "0v1 0v1 0v1");
    assert_eq!(DefaultKey::NULL.to_string(), "null");
}

/// The macro leaves these to the user.
#[test]
fn key_types_can_implement_display_themselves() {
    new_key_type! { struct Block; }
    impl std::fmt::Display for Block {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "block{}", self.index())
        }
    }
    let mut map = SlotMap::<Block, ()>::with_key();
    assert_eq!(map.insert(()).to_string(), "block0");
}

#[test]
fn the_macro_expands_where_names_are_shadowed() {
    #![expect(dead_code, reason = "the names are what is tested")]

    trait Serialize {}
    trait Deserialize {}
    trait NoUninit {}
    trait Key {}
    trait From {}
    struct Result;
    struct KeyData;

    new_key_type! {
        struct A;
        pub(super) struct B: Bits64<20, 20, 20>;
        #[doc = "Attributes pass through."]
        #[must_use]
        pub(crate) struct C;
        /// As do several.
        /// Lines of them.
        pub struct D;
    }
    assert_eq!(A::default(), A::default());
}

/// Also with the feature `bytemuck`, whose traits are unsafe to implement.
#[forbid(unsafe_code)]
mod without_unsafe_code {
    use stayput::{Compact32, Key, SlotMap, new_key_type};

    new_key_type! { struct Careful; struct Short: Compact32; }

    #[test]
    fn key_types_can_be_declared_where_unsafe_code_is_forbidden() {
        let mut map = SlotMap::<Careful, Short>::with_key();
        let key = map.insert(Short::NULL);
        assert!(map[key].is_null());
    }
}

#[test]
fn one_call_can_declare_a_hundred_key_types() {
    new_key_type! {
        struct K00; struct K01; struct K02; struct K03; struct K04; struct K05; struct K06;
        struct K07; struct K08; struct K09; struct K10; struct K11; struct K12; struct K13;
        struct K14; struct K15; struct K16; struct K17; struct K18; struct K19; struct K20;
        struct K21; struct K22; struct K23; struct K24; struct K25; struct K26; struct K27;
        struct K28; struct K29; struct K30; struct K31; struct K32; struct K33; struct K34;
        struct K35; struct K36; struct K37; struct K38; struct K39; struct K40; struct K41;
        struct K42; struct K43; struct K44; struct K45; struct K46; struct K47; struct K48;
        struct K49; struct K50; struct K51; struct K52; struct K53; struct K54; struct K55;
        struct K56; struct K57; struct K58; struct K59; struct K60; struct K61; struct K62;
        struct K63; struct K64; struct K65; struct K66; struct K67; struct K68; struct K69;
        struct K70; struct K71; struct K72; struct K73; struct K74; struct K75; struct K76;
        struct K77; struct K78; struct K79; struct K80; struct K81; struct K82; struct K83;
        struct K84; struct K85; struct K86; struct K87; struct K88; struct K89; struct K90;
        struct K91; struct K92; struct K93; struct K94; struct K95; struct K96; struct K97;
        struct K98; struct K99;
    }
    assert!(K99::default().is_null());
}

#[cfg(feature = "bytemuck")]
mod bytes {
    use bytemuck::checked::{self, CheckedCastError};
    use proptest::prelude::*;
    use stayput::{
        Bits32, Bits64, Compact32, DefaultKey, Key, KeyData, Layout, Plain64, SlotMap, Tagged64,
        VmVec, new_key_type,
    };

    new_key_type! {
        struct Compact: Compact32;
        struct Plain;
    }

    #[test]
    fn keys_convert_to_bytes_and_back() {
        let mut map = SlotMap::<Plain, u32>::with_key();
        let keys: Vec<Plain> = (0..10).map(|n| map.insert(n)).collect();
        let bytes: &[u8] = bytemuck::cast_slice(&keys);
        assert_eq!(bytes.len(), 80);
        assert_eq!(bytes[..8], keys[0].to_bits().to_ne_bytes());
        assert_eq!(checked::cast_slice::<u8, Plain>(bytes), keys);
        let key: DefaultKey = checked::cast(keys[3]);
        assert_eq!(key.data(), keys[3].data());
    }

    #[test]
    fn invalid_words_are_refused_as_keys() {
        fn refused<T>() -> Result<T, CheckedCastError> {
            Err(CheckedCastError::InvalidBitPattern)
        }
        assert_eq!(checked::try_cast::<u64, Plain>(0), refused());
        // A generation that no slot has, and generation 0.
        assert_eq!(checked::try_cast::<u64, DefaultKey>(1 << 31), refused());
        assert_eq!(checked::try_cast::<u32, Compact>(3), refused());
        let null = Compact::NULL;
        assert_eq!(checked::try_cast::<Compact, Compact>(null), Ok(null));
    }

    #[test]
    fn zeros_are_not_keys() {
        let nothing: Option<Compact> = bytemuck::Zeroable::zeroed();
        assert_eq!(nothing, None);
        let mut parents: VmVec<Option<Plain>> = VmVec::new();
        parents.extend_zeroed(1000);
        assert!(parents.iter().all(Option::is_none));
    }

    fn is_as_from_bits<L: Layout>(bits: u64) {
        let bytes = bits.to_ne_bytes();
        let word = match size_of::<KeyData<L>>() {
            8 => &bytes[..],
            _ if cfg!(target_endian = "big") => &bytes[4..],
            _ => &bytes[..4],
        };
        let read = checked::try_pod_read_unaligned::<KeyData<L>>(word).ok();
        let bits = if word.len() == 8 { bits } else { bits & 0xffff_ffff };
        assert_eq!(read, KeyData::from_bits(bits));
    }

    proptest! {
        #[test]
        fn bytes_are_valid_keys_exactly_if_their_bits_are(bits: u64, shift in 0..64_u32) {
            is_as_from_bits::<Plain64>(bits >> shift);
            is_as_from_bits::<Tagged64>(bits >> shift);
            is_as_from_bits::<Compact32>(bits >> shift);
            is_as_from_bits::<Bits32<6, 3>>(bits >> shift);
            is_as_from_bits::<Bits64<10, 10, 10>>(bits >> shift);
        }
    }
}
