use super::*;
#[cfg(not(no_vm))]
use crate::error::ErrorKind;
#[cfg(not(no_vm))]
use crate::os::Call;
#[cfg(not(no_vm))]
use crate::os::fault::Fault;

fn words(len: usize) -> Words {
    let mut words = Words::with_options(&Options::DEFAULT);
    words.try_resize(len, 7).unwrap();
    words
}

#[test]
fn a_few_take_no_addresses_and_all_are_what_they_were_when_more_come() {
    let mut words = words(512);
    assert_eq!(words.stats().reserved_bytes, 512 * 8);
    words.try_extend_zero_words(1).unwrap();
    assert_eq!(words.len(), 513);
    assert_eq!((words[0], words[511], words[512]), (7, 7, 0));
    #[cfg(not(no_vm))]
    assert!(words.stats().reserved_bytes > 4 << 20);
    words.truncate(2);
    words.try_resize(4, 9).unwrap();
    assert_eq!(*words, [7, 7, 9, 9]);
}

#[test]
fn none_behind_a_limit() {
    let limited = Options { max_len: Some(3), ..Options::DEFAULT };
    let mut words = Words::try_unreserved(limited).unwrap();
    words.try_extend_zero_words(3).unwrap();
    #[cfg(not(no_vm))]
    assert_eq!(words.try_reserve(1).unwrap_err().kind(), ErrorKind::MaxLen);
    assert_eq!(*words, [0; 3]);
}

#[test]
#[cfg(not(no_vm))]
fn where_an_array_is_refused_they_stay_in_the_heap() {
    let mut words = words(100);
    for call in [Call::Reserve, Call::Commit] {
        let fault = Fault::from_nth(call, 0);
        assert!(words.try_extend_zero_words(1000).is_err());
        assert!(fault.struck() > 0);
        drop(fault);
        assert_eq!(*words, [7; 100]);
        words.try_extend_zero_words(1).unwrap();
        words.truncate(100);
    }
    words.try_extend_zero_words(1000).unwrap();
    assert_eq!((words[99], words[100], words.len()), (7, 0, 1100));
}
