//! Tables, apart from what the model test compares.

use stayput::table::Grid;
use stayput::{DefaultKey, ErrorKind, Key, KeyData, SlotMap, Table, indices, new_key_type};
use std::cell::Cell;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};
use std::panic::{self, AssertUnwindSafe};
use std::sync::LazyLock;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Player {
    name: String,
    team: u32,
    at: [f32; 3],
}

indices! {
    /// Indices of every kind, with and without hashers.
    #[allow(dead_code, reason = "not every field is looked up")]
    pub(crate) struct PlayerBy for Player {
        pub(crate) name: Unique<str, BuildHasherDefault<DefaultHasher>> = |player| &player.name,
        /// Computed.
        initial: Many<Option<char>> = |player| player.name.chars().next(),
        team: List<u32> = |player| &player.team,
        at: Grid<3, cell = 1.0> = |player| player.at,
        both: Unique<(u32, String)> = |player| (player.team, player.name.clone()),
    }
}

type Players = Table<Player, PlayerBy>;

fn player(name: &str, team: u32) -> Player {
    Player { name: name.to_owned(), team, at: [0.0; 3] }
}

fn found((key, _): (DefaultKey, &Player)) -> DefaultKey {
    key
}

#[test]
fn rows_are_found_by_every_declared_index() {
    let mut players = Players::new();
    let [ann, bob, abe] =
        [("ann", 1), ("bob", 1), ("abe", 2)].map(|(name, team)| players.insert(player(name, team)));
    assert_eq!(players.find(|by| &by.name, "bob").map(found), Some(bob));
    assert_eq!(players.find(|by| &by.both, &(2, "abe".to_owned())).map(found), Some(abe));
    let mut starting_with_a: Vec<DefaultKey> =
        players.find_all(|by| &by.initial, &Some('a')).map(found).collect();
    starting_with_a.sort();
    assert_eq!(starting_with_a, [ann, abe]);
    assert_eq!(players.count(|by| &by.team, &1), 2);
    assert_eq!(players.within(|by| &by.at, [0.5; 3], 1.0).count(), 3);

    assert_eq!(players.remove(ann).unwrap().name, "ann");
    assert_eq!(players.remove(ann), None);
    assert_eq!(
        players.find_all(|by| &by.initial, &Some('a')).map(found).collect::<Vec<_>>(),
        [abe]
    );
}

#[test]
fn a_conflicting_row_is_returned_and_changes_nothing() {
    let mut players = Players::new();
    let bob = players.insert(player("bob", 1));
    let refused = players.try_insert(player("bob", 2)).unwrap_err();
    assert_eq!((refused.error.kind(), refused.error.limit()), (ErrorKind::Taken, Some(0)));
    assert_eq!(
        (refused.error.index_name(), refused.error.slot()),
        (Some("name"), Some(bob.index()))
    );
    assert_eq!(refused.error.raw_os_error(), None);
    let text = refused.error.to_string();
    assert!(text.contains("`name`") && text.contains("slot 0"), "{text}");
    assert_eq!(refused.value, player("bob", 2));

    let eve = players.insert(player("eve", 1));
    let error =
        players.try_modify(eve, |eve| (eve.team, eve.name) = (7, "bob".to_owned())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Taken);
    assert_eq!(players[eve], player("eve", 1));
    assert_eq!((players.count(|by| &by.team, &7), players.check()), (0, Ok(())));

    let refused = players.try_replace(eve, player("bob", 3)).unwrap_err();
    assert_eq!((refused.value.team, refused.error.kind()), (3, ErrorKind::Taken));
    // Its own value does not conflict.
    assert_eq!(players.replace(bob, player("bob", 4)), player("bob", 1));
    assert_eq!(players.try_modify(bob, |bob| bob.name.len()), Ok(Some(3)));
    assert_eq!(players.check(), Ok(()));

    // In another index than the first, and when rows are indexed again.
    indices! {
        struct Twice for (u32, u32) {
            one: Unique<u32> = |row| row.0,
            r#type: Unique<u32> = |row| row.1,
        }
    }
    let rows: SlotMap<DefaultKey, (u32, u32)> = [(1, 1), (2, 2), (3, 2)].into_iter().collect();
    let refused = Table::<_, Twice>::try_from_rows(rows).unwrap_err();
    assert_eq!((refused.error.index_name(), refused.error.slot()), (Some("r#type"), Some(1)));
    assert_eq!(refused.error.limit(), Some(1));
}

#[test]
#[should_panic(expected = "the unique index `name` already has this value")]
fn a_conflict_panics_in_the_infallible_form() {
    let mut players = Players::new();
    players.insert(player("bob", 1));
    players.insert(player("bob", 2));
}

#[test]
fn a_closure_that_panics_leaves_the_row_as_it_was() {
    let mut players = Players::new();
    let bob = players.insert(player("bob", 1));
    let change = panic::catch_unwind(AssertUnwindSafe(|| {
        players.modify(bob, |bob| {
            bob.name.push('o');
            panic!("in the middle");
        })
    }));
    assert!(change.is_err());
    assert_eq!(
        players.find(|by| &by.name, "bob").map(|(_, row)| row.clone()),
        Some(player("bob", 1))
    );
}

#[test]
fn the_second_half_of_a_row_can_be_modified_freely() {
    /// No `Clone`.
    struct Rest(Vec<u32>);

    let mut table: Table<(Player, Rest), PlayerBy> = Table::new();
    let keys = ["a", "b", "c"].map(|name| table.insert((player(name, 0), Rest(vec![]))));
    for (_, (player, rest)) in table.iter_mut() {
        rest.0.push(player.team);
    }
    table.get_mut(keys[1]).unwrap().1.0.push(7);
    table.modify(keys[1], |player| player.team = 1);
    assert_eq!(table[keys[1]].1.0, [0, 7]);
    assert_eq!(table.find(|by| &by.name, "b").unwrap().1.1.0, [0, 7]);
    assert_eq!(table.count(|by| &by.team, &0), 2);
}

#[test]
fn values_that_changed_through_cells_are_detected_and_repaired() {
    struct Odd(Cell<u32>);
    indices! {
        struct OddBy for Odd {
            number: Unique<u32> = |odd| odd.0.get(),
            also: Many<u32> = |odd| odd.0.get(),
        }
    }

    let mut table: Table<Odd, OddBy> = Table::new();
    let keys: Vec<DefaultKey> =
        (0..100).map(|number| table.insert(Odd(Cell::new(number)))).collect();
    table[keys[40]].0.set(1000);
    assert_eq!(table.check(), Err(keys[40]));
    assert!(table.find(|by| &by.number, &1000).is_none());
    table.reindex();
    assert_eq!(table.find(|by| &by.number, &1000).unwrap().0, keys[40]);
    assert_eq!(table.check(), Ok(()));

    // Of two rows with the same value, one is left out until it gets another value.
    table[keys[50]].0.set(7);
    assert_eq!(table.try_reindex().unwrap_err().kind(), ErrorKind::Taken);
    assert_eq!(table.count(|by| &by.also, &7), 2);
    assert_eq!(table.len(), 100);
    table[keys[50]].0.set(2000);
    table.reindex();
    assert_eq!(table.check(), Ok(()));
    for key in keys {
        table[key].0.set(0);
        assert!(table.remove(key).is_some());
    }
    assert!(table.is_empty());
    assert_eq!(table.check(), Ok(()));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_table_has_the_options_of_its_map_and_returns_memory() {
    new_key_type! { struct Key; }
    indices! { struct By for u64 { it: Unique<u64> = |row| row, } }
    let mut table: Table<u64, By, Key> = Table::builder().max_len(100_000).capacity(100).build();
    assert_eq!(table.stats().max_len, 100_000);
    assert!(table.stats().capacity >= 100);
    table.extend(0..100_000);
    let refused = table.try_insert(500_000).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value), (ErrorKind::MaxLen, 500_000));
    assert!(refused.error.to_string().contains("Table"));
    assert!(table.find(|by| &by.it, &500_000).is_none());
    table.remove(table.keys().next().unwrap());
    assert_eq!((table.len(), table.slots_len()), (99_999, 100_000));
    table.insert(0);

    let full = table.stats();
    table.clear();
    table.shrink_to_fit();
    let empty = table.stats();
    assert!(empty.committed_bytes < full.committed_bytes, "{empty:?} {full:?}");
    assert_eq!((empty.live, full.live), (0, 100_000));
    table.prefault(100);
    table.reserve_exact(5000);
    assert!(table.rows().capacity() >= 5000);
    assert!(table.try_reserve_exact(100_001).is_err());
    table.extend(0..10);
    assert_eq!(table.into_rows().len(), 10);
}

#[test]
fn the_cell_size_of_a_grid_can_be_changed() {
    indices! { struct By for [f32; 2] { at: Grid<2, cell = 1.0> = |row| *row, } }
    let by = By { at: Grid::with_cell(100.0) };
    let mut table: Table<[f32; 2], By> = Table::builder().build_with(by);
    table.extend([[0.0, 0.0], [150.0, 0.0], [0.0, 90.0]]);
    assert_eq!(table.within(|by| &by.at, [0.0, 0.0], 100.0).count(), 2);
    let nearest = table.nearest(|by| &by.at, [140.0, 1.0], 2).map(|(_, at)| at[0]);
    assert_eq!(nearest.collect::<Vec<_>>(), [150.0, 0.0]);
    assert_eq!(table.in_box(|by| &by.at, [0.0, 0.0], [150.0, 0.0]).count(), 2);
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Generic<'a, T, const N: usize> {
    name: &'a str,
    value: T,
    at: [f32; N],
}

impl<T: Clone, const N: usize> Generic<'_, T, N> {
    fn value(&self) -> T {
        self.value.clone()
    }

    fn name(&self) -> &str {
        self.name
    }
}

indices! {
    /// Bounds in each form.
    #[allow(dead_code, reason = "not every field is looked up")]
    pub(crate) struct GenericBy<'a, T: Into<Option<Vec<u8>>>, const N: usize> for Generic<'a, T, N>
    where
        T: Clone + Hash + Eq,
        for<'l> &'l T: PartialEq<&'l T>,
    {
        /// By a method.
        pub(crate) name: Unique<str> = Generic::name,
        value: Many<T, BuildHasherDefault<DefaultHasher>> = Generic::<'_, T, N>::value,
        closure: List<u32> = |row| row.at[0].to_bits(),
        borrowed: Unique<&'a str> = |row| &row.name,
    }
}

indices! { struct ByItself<T: Hash> for T where T: Eq { it: Unique<T> = |row| &*row } }
indices! { struct Plain for str2::Text { len: Many<usize> = str2::len, text: Unique<str> = str2::text } }

mod str2 {
    pub(super) type Text = &'static str;

    pub(super) fn len(text: &Text) -> usize {
        text.len()
    }

    pub(super) fn text(text: &Text) -> Text {
        text
    }
}

#[test]
fn indices_may_be_generic_and_name_functions() {
    let name = "one".to_owned();
    let row = |name, value: &[u8]| Generic { name, value: value.to_vec(), at: [1.5] };
    let mut table: Table<_, GenericBy<'_, Vec<u8>, 1>> = Table::new();
    let one = table.insert(row(&name, b"x"));
    let two = table.insert(row("two", b"x"));
    assert_eq!(table.find(|by| &by.name, "one").unwrap().0, one);
    assert_eq!(table.find(|by| &by.borrowed, "two").unwrap().0, two);
    assert_eq!(table.count(|by| &by.value, &b"x"[..]), 2);
    assert_eq!(table.count(|by| &by.closure, &1.5_f32.to_bits()), 2);
    assert_eq!(table.try_insert(row("two", b"y")).unwrap_err().error.kind(), ErrorKind::Taken);
    let clone = table.clone();
    table.remove(one);
    assert_eq!((clone.check(), table.check(), clone.len()), (Ok(()), Ok(()), 2));
    assert!(format!("{:?}", GenericBy::<'_, Vec<u8>, 1>::default()).starts_with("GenericBy"));

    let mut numbers: Table<u32, ByItself<u32>> = (0..10).collect();
    assert!(numbers.take(|by| &by.it, &7).is_some());
    assert!(numbers.find(|by| &by.it, &7).is_none());

    let texts: Table<_, Plain> = ["a", "bc", "de"].into_iter().collect();
    assert_eq!(texts.count(|by| &by.len, &2), 2);
    assert!(texts.find(|by| &by.text, "bc").is_some());
    assert!(format!("{:?}", Plain::default()).starts_with("Plain { len: "));
}

#[test]
fn rows_whose_drop_panics_leave_map_and_indices_consistent() {
    struct Bomb(u32);
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert!(![3, 41, 60].contains(&self.0), "boom");
        }
    }
    indices! { struct By for Bomb { number: Unique<u32> = |bomb| bomb.0, also: Many<u32> = |bomb| bomb.0 % 2, } }

    let mut table: Table<Bomb, By> = (0..100).map(Bomb).collect();
    let retain = panic::catch_unwind(AssertUnwindSafe(|| table.retain(|_, bomb| bomb.0 % 5 == 0)));
    assert!(retain.is_err());
    assert_eq!(table.check(), Ok(()));
    let bombs = table.values().map(|bomb| bomb.0).collect::<Vec<_>>();
    assert_eq!(bombs[..3], [0, 4, 5], "it stopped at the first that panicked");
    assert_eq!(table.count(|by| &by.also, &0) + table.count(|by| &by.also, &1), bombs.len());

    let remove = panic::catch_unwind(AssertUnwindSafe(|| table.remove_all(|by| &by.also, &1)));
    assert!(remove.is_err());
    assert_eq!(table.check(), Ok(()));
    let clear = panic::catch_unwind(AssertUnwindSafe(|| table.clear()));
    assert!(clear.is_err());
    assert_eq!(table.check(), Ok(()));
    table.into_iter().for_each(|(_, bomb)| std::mem::forget(bomb));
}

#[test]
fn rows_left_in_a_forgotten_drain_stay_and_are_found() {
    let mut players: Players = ["a", "b", "c"].map(|name| player(name, 1)).into();
    let mut drain = players.drain();
    assert_eq!((drain.len(), drain.next().unwrap().1.name), (3, "a".to_owned()));
    std::mem::forget(drain);
    assert_eq!((players.len(), players.check()), (2, Ok(())));
    assert!(players.find(|by| &by.name, "a").is_none());
    assert!(players.try_insert(player("b", 1)).is_err());
    drop(players.drain());
    assert!(players.is_empty());
    assert_eq!(players.find_all(|by| &by.team, &1).count(), 0);
    players.insert(player("b", 1));
    assert_eq!(players.extract_if(|_, player| player.team == 1).count(), 1);
    assert!(players.find(|by| &by.name, "b").is_none());
}

#[test]
fn a_row_left_out_of_an_index_is_added_when_it_changes() {
    struct Odd(Cell<u32>);
    impl Clone for Odd {
        fn clone(&self) -> Self {
            Self(self.0.clone())
        }
    }
    indices! { struct OddBy for Odd { number: Unique<u32> = |odd| odd.0.get(), } }
    let mut table: Table<Odd, OddBy> = [1, 2].map(|number| Odd(Cell::new(number))).into();
    let keys: Vec<DefaultKey> = table.keys().collect();
    table[keys[1]].0.set(1);
    assert!(table.try_reindex().is_err());
    table.remove(keys[0]);
    assert!(table.find(|by| &by.number, &1).is_none());
    table.modify(keys[1], |_| ());
    assert_eq!(table.find(|by| &by.number, &1).unwrap().0, keys[1]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn removed_rows_take_no_memory_in_indices() {
    indices! { struct By for u64 { it: Unique<u64> = |row| row, } }
    let mut table: Table<u64, By> = (0..100_000).collect();
    let full = table.stats().committed_bytes;
    let keys: Vec<DefaultKey> = table.keys().collect();
    for key in &keys[50_000..] {
        table.remove(*key);
    }
    for row in 100..50_000 {
        assert!(table.take(|by| &by.it, &row).is_some());
    }
    table.trim();
    let left = table.stats().committed_bytes;
    assert!(left < full / 6, "{left} of {full}");
    assert_eq!(table.find(|by| &by.it, &99).map(|(key, _)| key), Some(keys[99]));
    assert!(table.find(|by| &by.it, &100).is_none());
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn repeated_clearing_returns_the_buckets_of_a_large_table() {
    indices! { struct By for u64 { it: Unique<u64> = |row| row, set: Many<u64> = |row| row / 3, } }
    let mut table: Table<u64, By> = (0..200_000).collect();
    let full = table.stats().committed_bytes;
    for _ in 0..3 {
        table.clear();
        table.extend(0..10);
        assert_eq!(table.check(), Ok(()));
    }
    table.trim();
    assert!(table.stats().committed_bytes < full / 2, "{} {full}", table.stats().committed_bytes);
    assert_eq!(table.find(|by| &by.it, &9).map(|(_, row)| *row), Some(9));
    while !table.trim_within(stayput::Budget::bytes(1 << 16)).unwrap().is_done {}
}

#[test]
fn a_clone_has_the_same_rows_and_is_independent() {
    let mut players = Players::new();
    assert_eq!(players.clone(), players);
    let row = |number: u16| Player {
        at: [number.into(), 0.0, 0.0],
        ..player(&number.to_string(), u32::from(number % 7))
    };
    let keys: Vec<DefaultKey> = (0..400).map(|number| players.insert(row(number))).collect();
    for key in keys.iter().step_by(3) {
        players.remove(*key);
    }
    let count = players.len();
    let mut copy = players.clone();
    assert_eq!((&copy, copy.check()), (&players, Ok(())));
    assert!(!std::ptr::eq(&raw const copy[keys[1]], &raw const players[keys[1]]));
    assert_eq!(copy.find(|by| &by.name, "7").map(found), Some(keys[7]));
    assert_eq!(copy.within(|by| &by.at, [10.0, 0.0, 0.0], 0.5).map(found).next(), Some(keys[10]));

    // Stale keys stay stale, and the next keys are the same, until the two tables differ.
    assert!(keys.iter().step_by(3).all(|key| !copy.contains_key(*key)));
    let next = copy.insert(player("next", 1));
    assert_eq!(players.insert(player("next", 1)), next);
    assert!(copy.try_insert(player("7", 1)).is_err());
    copy.modify(keys[7], |row| row.name.push('!'));
    assert_eq!(copy.remove(keys[10]), players.get(keys[10]).cloned());
    assert_eq!((players.check(), copy.check()), (Ok(()), Ok(())));
    assert_eq!(players.find(|by| &by.name, "7").map(found), Some(keys[7]));
    assert_eq!(players.within(|by| &by.at, [10.0, 0.0, 0.0], 0.5).count(), 1);
    players.clear();
    drop(players);
    assert_eq!((copy.len(), copy.check()), (count, Ok(())));
    assert_eq!(copy.find(|by| &by.name, "7!").map(found), Some(keys[7]));
    assert_eq!(copy.remove_all(|by| &by.team, &0) + copy.len(), count);
    assert_eq!(copy.clone(), copy);
}

#[test]
fn a_clone_has_the_same_options_and_cells() {
    indices! {
        struct By for [f32; 2] {
            one: Grid<2, cell = 1.0> = |row| *row,
            other: Grid<2, cell = 1.0> = |row| row.map(|x| -x),
        }
    }
    let by = By { one: Grid::with_cell(100.0), other: Grid::default() };
    let mut table: Table<[f32; 2], By> = Table::builder().max_len(3).build_with(by);
    table.set_cell(|by| &by.other, 7.0);
    let assert_alike = |table: &Table<[f32; 2], By>, copy: &Table<[f32; 2], By>| {
        assert_eq!(copy.stats().max_len, 3);
        assert_eq!(copy.stats().reserved_bytes, table.stats().reserved_bytes);
    };
    assert_alike(&table, &table.clone());
    table.extend([[0.0, 0.0], [150.0, 0.0], [0.0, 90.0]]);
    let mut copy = table.clone();
    assert_alike(&table, &copy);
    assert_eq!(copy.within(|by| &by.one, [0.0, 0.0], 100.0).count(), 2);
    assert_eq!(copy.within(|by| &by.other, [0.0, 0.0], 100.0).count(), 2);
    let refused = copy.try_insert([1.0, 1.0]).unwrap_err();
    assert_eq!((refused.error.kind(), refused.error.limit()), (ErrorKind::MaxLen, Some(3)));
    copy.clear();
    copy.extend([[0.0; 2]; 3]);
    assert!(copy.try_insert([1.0, 1.0]).is_err());
    assert_eq!((copy.check(), table.check()), (Ok(()), Ok(())));
}

#[test]
fn a_panicking_clone_of_a_row_leaves_the_table_unchanged() {
    use std::rc::Rc;

    struct Bomb(u32, Rc<Cell<u32>>);
    impl Clone for Bomb {
        fn clone(&self) -> Self {
            let left = self.1.get().checked_sub(1).expect("boom");
            self.1.set(left);
            Self(self.0, Rc::clone(&self.1))
        }
    }
    indices! { struct By for Bomb { number: Unique<u32> = |bomb| bomb.0, also: Many<u32> = |bomb| bomb.0 % 2, } }

    let fuse = Rc::new(Cell::new(0));
    let table: Table<Bomb, By> = (0..100).map(|number| Bomb(number, Rc::clone(&fuse))).collect();
    for left in [0, 1, 50, 99] {
        fuse.set(left);
        let copy = panic::catch_unwind(AssertUnwindSafe(|| table.clone()));
        assert!(copy.is_err());
        assert_eq!((Rc::strong_count(&fuse), table.check()), (101, Ok(())));
    }
    fuse.set(100);
    let copy = table.clone();
    assert_eq!((Rc::strong_count(&fuse), copy.check()), (201, Ok(())));
}

#[test]
fn clones_that_differ_from_their_rows_are_detected_and_repaired() {
    struct Odd(u32);
    impl Clone for Odd {
        fn clone(&self) -> Self {
            Self(if self.0 == 3 { 1000 } else { self.0 })
        }
    }
    indices! { struct By for Odd { number: Unique<u32> = |odd| odd.0, also: Many<u32> = |odd| odd.0 / 2, } }

    let table: Table<Odd, By> = (0..10).map(Odd).collect();
    let mut copy = table.clone();
    assert_eq!(table.check(), Ok(()));
    let odd = table.find(|by| &by.number, &3).unwrap().0;
    assert_eq!((copy.check(), copy[odd].0), (Err(odd), 1000));
    // 1000 is found only if its hash resembles that of 3.
    assert!(copy.find(|by| &by.number, &3).is_none());
    assert!(copy.find_all(|by| &by.also, &1).any(|(key, _)| key == odd));
    copy.reindex();
    assert_eq!(copy.check(), Ok(()));
    assert_eq!(copy.find(|by| &by.number, &1000).unwrap().0, odd);
}

#[test]
fn a_hasher_need_not_be_clone_without_a_clone_of_the_table() {
    #[derive(Default)]
    struct Own(DefaultHasher);
    impl BuildHasher for Own {
        type Hasher = DefaultHasher;

        fn build_hasher(&self) -> DefaultHasher {
            self.0.clone()
        }
    }
    indices! {
        struct By for u64 {
            it: Unique<u64, Own> = |row| row,
            many: Many<u64, Own> = |row| row % 3,
            list: List<u64> = |row| row % 5,
        }
    }
    let table: Table<u64, By> = (0..30).collect();
    assert_eq!(table.find(|by| &by.it, &7).map(|(_, row)| *row), Some(7));
    assert_eq!(table.count(|by| &by.many, &0), 10);
    assert_eq!(table.count(|by| &by.list, &0), 6);
}

#[test]
fn a_key_without_a_row_is_refused_with_the_message_of_a_table() {
    let mut players = Players::new();
    let bob = players.insert(player("bob", 1));
    players.remove(bob);
    let refused = players.try_replace(bob, player("eve", 1)).unwrap_err();
    assert_eq!((refused.error.kind(), refused.value.team), (ErrorKind::StaleKey, 1));
    let text = refused.error.to_string();
    assert!(text.contains("no row of this Table has the key"), "{text}");
}

#[test]
fn grids_have_cells_of_the_declared_size() {
    const WIDE: f32 = 40.0;
    indices! {
        struct By for [f32; 2] {
            one: Grid<2, cell = WIDE> = |row| *row,
            other: Grid<2, cell = { WIDE / 8.0 }> = |row| *row,
        }
    }
    let by = format!("{:?}", By::default());
    assert!(by.contains("cell: 40.0") && by.contains("cell: 5.0"), "{by}");
}

#[test]
fn nearest_searches_return_only_accepted_rows() {
    let mut players = Players::new();
    for (at, team) in (0_u8..).zip([0, 1, 2].into_iter().cycle().take(90)) {
        players.insert(Player { at: [f32::from(at), 0.0, 0.0], ..player(&at.to_string(), team) });
    }
    let near = |team: u32| {
        let found = players.nearest_where(
            |by| &by.at,
            [40.2, 0.0, 0.0],
            2,
            |key, player| {
                assert_eq!(&players[key], player);
                player.team == team
            },
        );
        found.map(|(_, player)| player.at[0]).collect::<Vec<_>>()
    };
    assert_eq!(
        [near(0), near(1), near(2), near(3)],
        [vec![39.0, 42.0], vec![40.0, 43.0], vec![41.0, 38.0], vec![]]
    );
}

indices! {
    struct Paired for (u32, f32) {
        number: Unique<u32> = |row| row.0,
        tens: Many<u32> = |row| row.0 / 10,
        at: Grid<2, cell = 1.0> = |row| [row.1, 0.0],
    }
}

#[test]
fn both_halves_of_a_row_are_changed_together() {
    let mut table: Table<((u32, f32), Vec<u32>), Paired> = Table::new();
    let keys = [1, 2, 30].map(|number| table.insert(((number, 0.0), vec![number])));
    let old = table.modify_both(keys[0], |row, rest| {
        (row.0, row.1) = (17, 5.0);
        rest.push(row.0);
        rest[0]
    });
    assert_eq!((old, &table[keys[0]]), (Some(1), &((17, 5.0), vec![1, 17])));
    assert_eq!(table.count(|by| &by.tens, &1), 1);
    assert_eq!(table.within(|by| &by.at, [5.0, 0.0], 0.5).count(), 1);

    // Refusals and panics leave the indexed half unchanged.
    let error = table.try_modify_both(keys[1], |row, rest| {
        (row.0, row.1) = (30, 9.0);
        rest.push(9);
    });
    assert_eq!(error.unwrap_err().slot(), Some(keys[2].index()));
    assert_eq!(table[keys[1]], ((2, 0.0), vec![2, 9]));
    let panicked = panic::catch_unwind(AssertUnwindSafe(|| {
        table.modify_both(keys[1], |row, rest| {
            row.0 = 99;
            rest.clear();
            panic::resume_unwind(Box::new(()));
        })
    }));
    assert!(panicked.is_err());
    assert_eq!((&table[keys[1]], table.check()), (&((2, 0.0), vec![]), Ok(())));

    table.for_each_both_mut(|key, row, rest| {
        assert!(keys.contains(&key));
        (row.0, row.1) = (row.0 + 100, row.1 + 1.0);
        rest.insert(0, row.0);
    });
    let rows: Vec<_> = table.values().map(|(row, rest)| (row.0, rest[0])).collect();
    assert_eq!((rows, table.check()), (vec![(117, 117), (102, 102), (130, 130)], Ok(())));
    // Up to the first refused one: the second gets the number of the third.
    let refused = table.try_for_each_both_mut(|_, row, rest| {
        row.0 += 28;
        rest.clear();
    });
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Taken);
    let rows: Vec<_> = table.values().map(|(row, rest)| (row.0, rest.len())).collect();
    assert_eq!((rows, table.check()), (vec![(145, 0), (102, 0), (130, 2)], Ok(())));
    assert_eq!(table.remove(keys[0]).map(|(row, _)| row.0), Some(145));
    assert_eq!(table.modify_both(keys[0], |_, _| ()), None);
}

/// All names that the macro uses are shadowed here, or not in scope.
mod shadowed {
    #![no_implicit_prelude]
    #![allow(dead_code, non_camel_case_types, non_upper_case_globals, reason = "only names matter")]

    pub(super) struct Row<'stayput>(pub(super) u8, &'stayput ::core::primitive::str);

    impl<'stayput> Row<'stayput> {
        pub(super) fn new(number: u8, name: &'stayput ::core::primitive::str) -> Self {
            Self(number, name)
        }
    }

    pub(super) trait Number {
        fn number(&self) -> u8;
    }

    impl Number for Row<'_> {
        fn number(&self) -> u8 {
            self.0
        }
    }

    struct f32;
    struct str;
    struct Default;
    struct Result;
    struct Ok;
    static row: () = ();
    static f: () = ();
    static visitor: () = ();

    ::stayput::indices! {
        pub(super) struct By<'stayput> for Row<'stayput> {
            pub(super) number: Unique<u8> = <Row<'_> as Number>::number,
            name: Many<::core::primitive::str> = |r| r.1,
            at: Grid<2, cell = 1.0> = |r| [::core::convert::From::from(r.0), 0.0],
        }
    }
}

#[test]
fn indices_can_be_declared_where_names_are_shadowed() {
    let mut rows: Table<shadowed::Row<'_>, shadowed::By<'_>> = Table::new();
    let key = rows.insert(shadowed::Row::new(7, "seven"));
    assert_eq!(rows.find(|by| &by.number, &7).map(|(key, _)| key), Some(key));
    let refused = rows.try_insert(shadowed::Row::new(7, "again")).map_err(|refused| refused.error);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Taken);
}

#[test]
fn many_rows_are_inserted_up_to_a_refused_one_and_removed_by_keys() {
    let mut players = Players::new();
    let mut keys = Vec::new();
    let names = ["ann", "bob", "ann", "eve"];
    let refused =
        players.try_insert_many(names.map(|name| player(name, 1)), &mut keys).unwrap_err();
    assert_eq!((refused.error.kind(), keys.len(), players.len()), (ErrorKind::Taken, 2, 2));
    assert!(refused.value.map(|row| row.name).eq(["ann", "eve"]));
    players.insert_many([player("eve", 2)], &mut keys);
    assert!(keys.iter().map(|key| &*players[*key].name).eq(["ann", "bob", "eve"]));

    assert_eq!(players.remove_many([keys[0], DefaultKey::null(), keys[0], keys[2]]), 2);
    assert!(players.keys().eq([keys[1]]));
    assert!(players.find(|by| &by.name, "eve").is_none() && players.check().is_ok());
    assert_eq!(players.count(|by| &by.team, &1), 1);
}

indices! { struct ById for u64 { id: Unique<u64> = |id| id, } }

#[test]
fn the_second_halves_of_many_rows_can_be_modified_at_once() {
    use stayput::slot_map::DisjointError;

    let mut table: Table<(u64, u32), ById> = (0..100).map(|n| (n, 0)).collect();
    let keys: Vec<DefaultKey> = table.keys().collect();
    let Ok([(a, x), (b, y)]) = table.try_get_disjoint_mut([keys[3], keys[1]]) else {
        panic!("they are two")
    };
    (*x, *y) = (30, 10);
    assert_eq!((*a, *b), (3, 1));
    assert_eq!((table[keys[3]].1, table[keys[1]].1), (30, 10));
    table.remove(keys[2]);
    let error = table.try_get_disjoint_mut([keys[1], keys[2]]).unwrap_err();
    assert_eq!(error, DisjointError::Missing { at: 1 });
    assert!(table.get_disjoint_mut([keys[1], keys[1]]).is_none());

    let mut seen = Vec::new();
    table.get_many_mut(keys.iter().copied().take(4), |key, row| {
        seen.push(row.map(|(id, count)| (*id, std::mem::replace(count, key.index()))));
    });
    assert_eq!(seen, [Some((0, 0)), Some((1, 10)), None, Some((3, 30))]);
    assert_eq!((table[keys[3]], table.check()), ((3, 3), Ok(())));
}

#[test]
fn an_index_of_another_table_is_refused() {
    indices! { struct ByTeam for (u32, u64) { team: Many<u32> = |row| &row.0, } }
    static OTHER: LazyLock<Table<(u32, u64), ByTeam>> =
        LazyLock::new(|| (0..200).map(|n| (7, n)).collect());
    let mut foreign = None;
    let select = |by: &'static ByTeam| {
        foreign = Some(&by.team);
        &by.team
    };
    assert_eq!(OTHER.find_all(select, &7).count(), 200);
    let foreign = foreign.unwrap();

    let rows = |n| (if n % 50 == 3 { 1000 } else { 7 }, n);
    let mut table: Table<(u32, u64), ByTeam> = (0..200).map(rows).collect();
    let panics = |call: &mut dyn FnMut()| {
        let panic = panic::catch_unwind(AssertUnwindSafe(call)).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"the closure returned an index of another table"));
    };
    panics(&mut || _ = table.find_all(|_| foreign, &7).count());
    panics(&mut || _ = table.count(|_| foreign, &7));
    panics(&mut || _ = table.remove_all(|_| foreign, &7));
    assert_eq!((table.len(), table.check()), (200, Ok(())));
    assert_eq!(table.remove_all(|by| &by.team, &7), 196);
}

/// A key whose conversion panics once after `IS_BROKEN` was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Fragile(DefaultKey);

thread_local! {
    static IS_BROKEN: Cell<bool> = const { Cell::new(false) };
}

impl From<KeyData> for Fragile {
    fn from(data: KeyData) -> Self {
        assert!(!IS_BROKEN.replace(false), "told to panic");
        Self(data.into())
    }
}

impl Key for Fragile {
    type Layout = stayput::Plain64;

    fn data(&self) -> KeyData {
        self.0.data()
    }
}

#[test]
fn a_key_that_panics_leaves_a_drain_with_as_many_rows_as_it_says() {
    let mut table: Table<u64, ById, Fragile> = (0..5).collect();
    let mut drain = table.drain();
    IS_BROKEN.set(true);
    assert!(panic::catch_unwind(AssertUnwindSafe(|| drain.next())).is_err());
    assert_eq!(drain.len(), 5);
    assert_eq!(drain.map(|(_, id)| id).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert!(table.is_empty() && table.check().is_ok());
}

#[test]
fn a_table_built_with_indices_of_another_begins_empty() {
    use stayput::table::TryClone;

    indices! { struct Named for u32 { id: Unique<u32> = |row| row, } }
    let table: Table<u32, Named> = (0..100).collect();
    let mut copy = None;
    table.find(
        |by| {
            copy = by.try_clone().ok();
            &by.id
        },
        &0,
    );
    let mut other: Table<u32, Named> = Table::builder().build_with(copy.unwrap());
    assert!(other.is_empty() && other.find(|by| &by.id, &7).is_none());
    for row in 0..1000 {
        other.insert(row);
    }
    assert!(other.find(|by| &by.id, &999).is_some());
}
