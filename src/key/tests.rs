use super::low_bits;
use super::{Bits32, Bits64, Compact32, KeyData, Layout, Plain64, Tagged64};
use proptest::prelude::*;
use std::collections::HashSet;

type Small = Bits32<6, 3>;
/// With unused bits at the top.
type Loose = Bits64<10, 10, 10>;

fn parts_survive<L: Layout>(index: u32, generation: u32, tag: u32) {
    let index = index & L::MAX_INDEX;
    let generation = (generation & L::MAX_GENERATION).max(1);
    let tag = tag & L::MAX_TAG;
    let key = KeyData::<L>::from_parts(index, generation, tag).unwrap();
    assert_eq!((key.index(), key.generation(), key.tag()), (index, generation, tag));
    assert!(!key.is_null());
    assert_eq!(KeyData::from_bits(key.to_bits()), Some(key));
    assert_eq!(KeyData::from_ffi(key.as_ffi()), key);
    let retagged = key.with_tag(L::MAX_TAG);
    assert_eq!((retagged.index(), retagged.generation()), (index, generation));
    assert_eq!(retagged.tag(), L::MAX_TAG);
    assert_eq!(retagged.with_tag(tag), key);
}

/// If a number is that of a key in `slotmap`'s form, checks that the key's form leads back to it.
fn ffi_survives<L: Layout>(number: u64) {
    let key = KeyData::<L>::from_ffi(number);
    assert_eq!(KeyData::from_ffi(key.as_ffi()), key);
    assert_ne!(key.as_ffi(), 0);
    let null = KeyData::<L>::null().with_tag(low_bits(number) & L::MAX_TAG);
    assert_eq!(KeyData::from_ffi(null.as_ffi()), null);
    let is_full = L::TAG_BITS > 0 && L::GENERATION_BITS + L::TAG_BITS >= 32;
    if !key.is_null() && !is_full && low_bits(number) != 0 {
        // An even version is read as the odd one after it.
        assert_eq!(key.as_ffi(), number | 1 << 32);
        assert_eq!(low_bits(number), key.index() + 1);
    }
}

/// If bits are those of a key, checks that the key has the same bits.
fn bits_survive<L: Layout>(bits: u64) {
    let Some(key) = KeyData::<L>::from_bits(bits) else { return };
    assert_eq!(key.to_bits(), bits);
    if key.is_null() {
        assert_eq!(key, KeyData::null().with_tag(key.tag()));
    } else {
        assert_eq!(
            KeyData::from_parts(key.index(), key.generation(), key.tag()),
            Some(key),
            "{key:?}"
        );
    }
}

proptest! {
    #[test]
    fn parts_and_bits_survive_in_every_layout(index: u32, generation: u32, tag: u32, bits: u64) {
        parts_survive::<Plain64>(index, generation, tag);
        parts_survive::<Tagged64>(index, generation, tag);
        parts_survive::<Compact32>(index, generation, tag);
        parts_survive::<Small>(index, generation, tag);
        parts_survive::<Loose>(index, generation, tag);
        parts_survive::<Bits64<1, 31, 32>>(index, generation, tag);
        for shift in [0, 32, 54] {
            bits_survive::<Plain64>(bits >> shift);
            bits_survive::<Tagged64>(bits >> shift);
            bits_survive::<Compact32>(bits >> shift);
            bits_survive::<Small>(bits >> shift);
            bits_survive::<Loose>(bits >> shift);
            ffi_survives::<Plain64>(bits >> shift);
            ffi_survives::<Tagged64>(bits >> shift);
            ffi_survives::<Compact32>(bits >> shift);
            ffi_survives::<Small>(bits >> shift);
            ffi_survives::<Loose>(bits >> shift);
            ffi_survives::<Bits64<1, 31, 32>>(bits >> shift);
        }
    }

    #[test]
    fn order_is_by_index_then_generation_then_tag(
        a in (0..64_u32, 1..8_u32, 0..4_u32),
        b in (0..64_u32, 1..8_u32, 0..4_u32),
    ) {
        let key = |(index, generation, tag)| {
            KeyData::<Bits32<6, 3, 2>>::from_parts(index, generation, tag).unwrap()
        };
        prop_assert_eq!(key(a).cmp(&key(b)), a.cmp(&b));
    }
}

#[test]
fn each_bit_pattern_of_a_small_layout_is_one_key_or_refused() {
    let keys: HashSet<_> = (0..1 << 12).filter_map(KeyData::<Small>::from_bits).collect();
    // 64 indices by 7 generations, and null.
    assert_eq!(keys.len(), 64 * 7 + 1);
    assert_eq!(keys.iter().filter(|key| key.is_null()).count(), 1);
}

#[test]
fn slotmaps_form_has_the_slot_in_the_lower_half_and_the_version_above() {
    fn key<L: Layout>(index: u32, generation: u32, tag: u32) -> KeyData<L> {
        KeyData::from_parts(index, generation, tag).unwrap()
    }
    assert_eq!(key::<Plain64>(0, 1, 0).as_ffi(), 0x1_0000_0001);
    assert_eq!(key::<Plain64>(5, 3, 0).as_ffi(), 0x5_0000_0006);
    assert_eq!(key::<Plain64>(5, (1 << 31) - 1, 0).as_ffi(), 0xffff_fffd_0000_0006);
    // Slots that `slotmap` does not have: it numbers them like null, or not at all.
    assert_eq!(key::<Plain64>(u32::MAX - 1, 1, 0).as_ffi(), 0x3_ffff_ffff);
    assert_eq!(key::<Plain64>(u32::MAX, 1, 0).as_ffi(), 0x3_0000_0000);
    assert_eq!(key::<Tagged64>(5, 2, 0).as_ffi(), 0x3_0000_0006);
    assert_eq!(key::<Tagged64>(5, 2, 0x7ff).as_ffi(), 0xffe0_0003_0000_0006);
    assert_eq!(key::<Tagged64>(5, 2, 0x800).as_ffi(), 0x2_0000_0006);
    assert_eq!(key::<Compact32>(5, 2, 3).as_ffi(), 0x1803_0000_0006);
    assert_eq!(KeyData::<Plain64>::null().as_ffi(), 0x1_ffff_ffff);
    assert_eq!(KeyData::<Small>::null().as_ffi(), 0x1_ffff_ffff);
    // Not keys: a slot, a version and a tag that do not fit, and slot 0 of `slotmap`.
    for number in [0x1_0000_0041, 0xf_0000_0005, 1 << 63 | 5, 1 << 32, 0] {
        assert!(KeyData::<Small>::from_ffi(number).is_null(), "{number:#x}");
    }
    assert!(KeyData::<Plain64>::from_ffi(u64::MAX << 32 | 1).is_null());
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn keys_of_small_layouts_have_distinct_numbers_and_0_is_null() {
    fn numbers<L: Layout>() {
        let ends = |most: u32| (0..=most.min(40)).chain(most.saturating_sub(40)..=most);
        let mut keys: HashSet<_> = (0..1 << 12).filter_map(KeyData::<L>::from_bits).collect();
        for (index, generation) in
            ends(L::MAX_INDEX).flat_map(|index| ends(L::MAX_GENERATION).map(move |n| (index, n)))
        {
            let tags = ends(L::MAX_TAG).step_by(7).chain([L::MAX_TAG / 2, L::MAX_TAG / 2 + 1]);
            keys.extend(tags.filter_map(|tag| KeyData::from_parts(index, generation, tag)));
        }
        keys.extend([0, L::MAX_TAG].map(|tag| KeyData::NULL.with_tag(tag)));
        let numbers: HashSet<_> = keys.iter().map(|key| key.as_ffi()).collect();
        assert_eq!(numbers.len(), keys.len());
        assert!(!numbers.contains(&0) && KeyData::<L>::from_ffi(0) == KeyData::null());
        assert!(keys.iter().all(|key| KeyData::from_ffi(key.as_ffi()) == *key));
    }
    numbers::<Small>();
    numbers::<Bits32<3, 1>>();
    numbers::<Bits32<5, 3, 4>>();
    numbers::<Bits64<1, 31, 32>>();
    numbers::<Bits64<2, 30, 32>>();
    numbers::<Bits64<32, 3, 29>>();
    numbers::<Tagged64>();
    numbers::<Plain64>();
}

#[test]
fn small_numbers_in_slotmaps_form_are_the_first_keys_of_slots() {
    fn first_keys<L: Layout>() {
        for index in 0..=L::MAX_INDEX.min(1000) {
            let key = KeyData::<L>::from_ffi(u64::from(index) + 1);
            assert_eq!(Some(key), KeyData::from_parts(index, 1, 0));
        }
    }
    first_keys::<Plain64>();
    first_keys::<Compact32>();
    first_keys::<Small>();
    first_keys::<Loose>();
    first_keys::<Bits32<3, 1>>();
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    assert_eq!(KeyData::<Small>::from_parts(64, 1, 0), None);
    assert_eq!(KeyData::<Small>::from_parts(0, 8, 0), None);
    assert_eq!(KeyData::<Small>::from_parts(0, 0, 0), None);
    assert_eq!(KeyData::<Small>::from_parts(0, 1, 1), None);
    // A slot stores 31 bits of generation, whatever the key has.
    assert_eq!(KeyData::<Plain64>::from_parts(0, 1 << 31, 0), None);
    assert_eq!(KeyData::<Plain64>::from_bits(1 << 31), None);
    assert!(KeyData::<Plain64>::from_parts(u32::MAX, (1 << 31) - 1, 0).is_some());
}

#[test]
#[should_panic(expected = "the tag 4 does not fit into 2 bits")]
fn a_tag_that_does_not_fit_panics() {
    let _ = KeyData::<Compact32>::null().with_tag(4);
}

#[test]
fn debug_shows_index_generation_and_tag() {
    let key = KeyData::<Tagged64>::from_parts(3, 2, 0).unwrap();
    assert_eq!(
        format!("{key:?} {:?} {:?}", key.with_tag(9), KeyData::<Tagged64>::null()),
        "3v2 3v2#9 null"
    );
}
