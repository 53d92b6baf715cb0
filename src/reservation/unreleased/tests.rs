use super::*;
use crate::os::Call;
use crate::os::fault::Fault;

fn range() -> Mapping {
    Mapping::reserve(PageBytes::one(os::page_size())).unwrap()
}

fn address(range: &Mapping) -> usize {
    range.start().addr().get()
}

#[test]
fn a_slot_returns_its_ranges_in_reverse_order() {
    let slot = RangeSlot::empty();
    assert!(slot.take(Ok).is_none());
    slot.put_before(range()).unwrap_err().release().unwrap();
    let ranges = [(); 3].map(|()| range());
    let addresses = ranges.each_ref().map(address);
    let [first, second, third] = ranges;
    slot.put(first).unwrap();
    let second = slot.put(second).unwrap_err();
    slot.put_before(second).unwrap();
    let fault = Fault::nth(Call::Commit, 0);
    let third = slot.put_before(third).unwrap_err();
    drop(fault);
    slot.put_before(third).unwrap();
    for expected in addresses.into_iter().rev() {
        // What is refused stays.
        assert!(slot.take(Err::<(), _>).is_none());
        let taken = slot.take(|range| {
            // Meanwhile the slot is busy.
            assert!(slot.take(Ok).is_none());
            let other = slot.put(self::range()).unwrap_err();
            slot.put_before(other).unwrap_err().release().unwrap();
            Ok(range)
        });
        let taken = taken.unwrap();
        assert_eq!((address(&taken), taken.bytes().get()), (expected, os::page_size().get()));
        taken.release().unwrap();
    }
    assert!(slot.take(Ok).is_none());
    slot.put(range()).unwrap();
    slot.take(Ok).unwrap().release().unwrap();
}
