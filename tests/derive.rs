//! `#[derive(Row)]`: the structs that it generates, and columns of them.

// Generated code must not cause warnings here, and names everything by its full path.
#![deny(warnings, missing_docs, missing_debug_implementations, rust_2018_idioms, unused)]
#![deny(clippy::pedantic)]

use static_assertions::{assert_impl_all, assert_not_impl_any};
use stayput::columns::in_columns;
use stayput::{Columns, Groups, Pad, Row};
use std::cell::Cell;
use std::fmt::Debug;
use std::hash::{BuildHasher, Hash, RandomState};
use std::iter;
use std::marker::PhantomData;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

#[derive(Row, Clone, Debug, PartialEq)]
struct Particle {
    position: [f32; 3],
    age: u32,
    name: String,
}

fn particle(age: u32) -> Particle {
    Particle { position: [0.0; 3], age, name: age.to_string() }
}

#[test]
fn rows_are_returned_unchanged() {
    let mut particles = Columns::<Particle>::new();
    for age in 0..100 {
        particles.push(particle(age));
    }
    assert_eq!(particles.len(), 100);
    for age in (0..100).rev() {
        assert_eq!(particles.pop(), Some(particle(age)));
    }
    assert_eq!(particles.pop(), None);
}

#[test]
fn columns_are_cloned_and_compared_by_their_fields() {
    let mut particles: Columns<Particle> = (0..10).map(particle).collect();
    let mut clone = particles.clone();
    assert!(clone == particles);
    clone.insert(2, particle(7));
    assert!(clone > particles);
    assert!(clone.drain(1..=2).map(|row| row.age).eq([1, 7]));
    assert_eq!(particles.remove(1), particle(1));
    assert!(clone == particles);
}

#[test]
fn references_have_the_names_of_the_fields() {
    let mut particles: Columns<Particle> = (0..3).map(particle).collect();
    let ParticleMut { position, age, name } = particles.get_mut(1).unwrap();
    position[2] = 4.0;
    *age = 70;
    name.push('!');

    let seen: ParticleRef<'_> = particles.get(1).unwrap();
    assert_eq!((seen.position, *seen.age, seen.name.as_str()), (&[0.0, 0.0, 4.0], 70, "1!"));
    assert!(particles.get(3).is_none());
    assert!(particles.get_mut(3).is_none());
}

#[test]
fn slices_have_the_names_of_the_fields() {
    let mut particles: Columns<Particle> = (0..3).map(particle).collect();
    let ParticleSlicesMut { position, age, name } = particles.as_mut_slices();
    for age in age {
        *age += 1;
    }
    name[0] = "first".to_owned();
    position[2] = [1.0; 3];

    let ParticleSlices { position, age, name } = particles.as_slices();
    assert_eq!(age, [1, 2, 3]);
    assert_eq!(name, ["first", "1", "2"]);
    assert_eq!(position, [[0.0; 3], [0.0; 3], [1.0; 3]]);
}

#[test]
fn iterators_yield_the_structs() {
    let mut particles: Columns<Particle> = (0..3).map(particle).collect();
    for ParticleMut { age, .. } in particles.iter_mut().skip(1) {
        *age *= 2;
    }
    let ages: Vec<u32> = particles.iter().map(|row| *row.age).collect();
    assert_eq!(ages, [0, 2, 4]);
}

#[derive(Row, Debug, PartialEq)]
struct Pair(u8, String);

#[test]
fn tuple_structs_have_tuple_companions() {
    let mut pairs = Columns::<Pair>::new();
    pairs.push(Pair(1, "one".to_owned()));
    pairs.push(Pair(2, "two".to_owned()));
    let PairMut(number, _) = pairs.get_mut(0).unwrap();
    *number = 9;
    let PairSlicesMut(_, names) = pairs.as_mut_slices();
    names[1].push('!');
    let PairRef(number, name) = pairs.get(0).unwrap();
    assert_eq!((*number, name.as_str()), (9, "one"));
    let PairSlices(numbers, names) = pairs.as_slices();
    assert_eq!((numbers, names), (&[9, 2][..], &["one".to_owned(), "two!".to_owned()][..]));
    assert_eq!(pairs.pop(), Some(Pair(2, "two!".to_owned())));
}

/// Implements neither `Debug` nor `Clone`.
struct Opaque(u8);

#[derive(Row)]
struct Generic<'x: 'y, 'y, T, I: Iterator = std::vec::IntoIter<u8>, const N: usize = 2>
where
    T: PartialEq<T>,
    I::Item: Send,
{
    borrowed: &'x [T],
    text: &'y str,
    other: &'x str,
    item: I::Item,
    array: [T; N],
    none: PhantomData<I>,
}

#[test]
fn generics_keep_their_bounds() {
    let text = String::from("text");
    let borrowed = vec![1, 2, 3];
    let mut rows = Columns::<Generic<'_, '_, i32>>::new();
    rows.push(Generic {
        borrowed: &borrowed,
        text: &text,
        other: "other",
        item: 7,
        array: [4, 5],
        none: PhantomData,
    });
    *rows.get_mut(0).unwrap().item += 1;
    let row: GenericRef<'_, '_, '_, i32> = rows.get(0).unwrap();
    assert_eq!((*row.borrowed, *row.text, *row.other), (&borrowed[..], "text", "other"));
    assert_eq!((*row.item, row.array, row.none), (8, &[4, 5], &PhantomData));
    assert!(format!("{row:?}").starts_with("GenericRef { borrowed: [1, 2, 3], text: \"text\", "));
    let slices: GenericSlices<'_, '_, '_, i32> = rows.as_slices();
    assert_eq!(slices.array, [[4, 5]]);
    let slices: GenericSlicesMut<'_, '_, '_, i32> = rows.as_mut_slices();
    slices.array[0][1] = 6;
    let last = rows.pop().unwrap();
    assert_eq!(last.array, [4, 6]);
}

#[derive(Row, Debug, PartialEq)]
struct Bytes<const N: usize> {
    bytes: [u8; N],
}

#[test]
fn const_generics_are_supported() {
    let mut rows = Columns::<Bytes<5>>::new();
    rows.push(Bytes { bytes: *b"12345" });
    let BytesSlices::<'_, 5> { bytes } = rows.as_slices();
    assert_eq!(bytes, [*b"12345"]);
    assert_eq!(rows.pop(), Some(Bytes { bytes: *b"12345" }));
}

#[derive(Row)]
#[row(reference = "Seen", mutable = "Changed")]
#[row(slices = "AllSeen", slices_mut = "AllChanged")]
struct Renamed {
    value: i64,
}

#[test]
fn other_names_can_be_set() {
    let mut rows: Columns<Renamed> = [1, 2].map(|value| Renamed { value }).into_iter().collect();
    let Changed { value } = rows.get_mut(0).unwrap();
    *value = 5;
    let AllChanged { value } = rows.as_mut_slices();
    value[1] = 6;
    let Seen { value } = rows.get(0).unwrap();
    assert_eq!(*value, 5);
    let AllSeen { value } = rows.as_slices();
    assert_eq!(value, [5, 6]);
}

#[derive(Row, Debug, Default, PartialEq)]
struct Twelve {
    a: u8,
    b: u16,
    c: u32,
    d: u64,
    e: u128,
    f: i8,
    g: i16,
    h: i32,
    i: i64,
    j: i128,
    k: (),
    l: Option<Box<Self>>,
}

#[test]
fn twelve_fields_are_columns_and_may_contain_the_row_type() {
    let mut rows = Columns::<Twelve>::new();
    rows.push(Twelve { c: 3, j: 10, l: Some(Box::default()), ..Twelve::default() });
    let TwelveSlices { a, b, c, d, e, f, g, h, i, j, k, l } = rows.as_slices();
    assert_eq!((a, b, c, d, e, f), (&[0][..], &[0][..], &[3][..], &[0][..], &[0][..], &[0][..]));
    assert_eq!((g, h, i, j, k), (&[0][..], &[0][..], &[0][..], &[10][..], &[()][..]));
    assert_eq!(l, [Some(Box::new(Twelve::default()))]);
    assert_eq!(rows.pop().unwrap().c, 3);
}

/// A struct with a constant and with bounds, which its companions have as well.
#[derive(Clone, Copy, Row)]
struct Own
where
    Self: Sized,
{
    array: [u8; Self::COUNT],
}

impl Own {
    const COUNT: usize = 3;
}

#[test]
fn the_row_may_be_called_self() {
    let rows: Columns<Own> = [Own { array: [1; 3] }; 2].into_iter().collect();
    assert_eq!(rows.as_slices().array, [[1; Own::COUNT]; 2]);
}

#[derive(Row)]
struct Marked {
    marker: (),
    other: PhantomData<Opaque>,
    value: u8,
}

#[test]
fn zero_sized_fields_are_columns() {
    let mut rows = Columns::<Marked>::new();
    for value in 0..3 {
        rows.push(Marked { marker: (), other: PhantomData, value });
    }
    let MarkedSlices { marker, other, value } = rows.as_slices();
    assert_eq!((marker, other.len(), value), (&[(); 3][..], 3, &[0, 1, 2][..]));
    let MarkedMut { marker: (), other, value } = rows.get_mut(2).unwrap();
    assert_eq!((*other, *value), (PhantomData, 2));
}

/// Rows that are visible elsewhere.
pub mod visible {
    use stayput::Row;

    /// A row of a module.
    #[derive(Debug, Row)]
    pub struct Body {
        /// Meters per second.
        pub speed: f32,
        /// For this file.
        pub(super) inner: u8,
        hidden: u16,
    }

    impl Body {
        /// Without speed.
        #[must_use]
        pub fn new(hidden: u16) -> Self {
            Self { speed: 0.0, inner: 1, hidden }
        }
    }

    impl BodyRef<'_> {
        /// A private field.
        #[must_use]
        pub fn hidden(self) -> u16 {
            *self.hidden
        }
    }

    /// Another.
    #[derive(Debug, Row)]
    pub struct Tuple(pub u8, u16);
}

#[test]
fn fields_are_as_visible_as_in_the_row() {
    let mut bodies = Columns::<visible::Body>::new();
    bodies.push(visible::Body::new(7));
    *bodies.get_mut(0).unwrap().speed = 2.0;
    bodies.as_mut_slices().inner[0] = 3;
    let body: visible::BodyRef<'_> = bodies.get(0).unwrap();
    assert_eq!((body.hidden(), *body.inner), (7, 3));
    assert_eq!(format!("{body:?}"), "BodyRef { speed: 2.0, inner: 3, hidden: 7 }");
}

#[test]
fn all_four_structs_implement_debug() {
    let mut pairs: Columns<Pair> = [Pair(1, "one".to_owned())].into_iter().collect();
    assert_eq!(format!("{:?}", pairs.get(0).unwrap()), "PairRef(1, \"one\")");
    assert_eq!(format!("{:?}", pairs.get_mut(0).unwrap()), "PairMut(1, \"one\")");
    assert_eq!(format!("{:?}", pairs.as_slices()), "PairSlices([1], [\"one\"])");
    assert_eq!(format!("{:?}", pairs.as_mut_slices()), "PairSlicesMut([1], [\"one\"])");
}

#[derive(Row)]
struct Holds<T> {
    held: T,
}

/// Also with the bound of `Debug`.
#[derive(Row)]
struct BoundedParam<T: Debug>(T, T);

#[test]
fn bounds_of_the_row_do_not_prevent_debug() {
    let rows: Columns<BoundedParam<u8>> = [BoundedParam(1, 2)].into_iter().collect();
    assert_eq!(format!("{:?}", rows.as_slices()), "BoundedParamSlices([1], [2])");
}

#[test]
fn structs_declared_in_functions_can_be_rows() {
    #[derive(Row)]
    struct Old {
        #[deprecated]
        old: u8,
    }

    #[expect(deprecated, reason = "it is old")]
    let rows: Columns<Old> = [Old { old: 1 }].into_iter().collect();
    assert_eq!(rows.as_slices().old, [1]);
}

assert_impl_all!(HoldsRef<'static, Opaque>: Copy, Send, Sync);
assert_impl_all!(HoldsSlices<'static, Opaque>: Copy, Send, Sync);
assert_not_impl_any!(HoldsMut<'static, u8>: Clone);
assert_not_impl_any!(HoldsSlicesMut<'static, u8>: Clone);
assert_impl_all!(HoldsRef<'static, u8>: Debug);
assert_impl_all!(HoldsMut<'static, u8>: Debug);
assert_impl_all!(HoldsSlices<'static, u8>: Debug);
assert_impl_all!(HoldsSlicesMut<'static, u8>: Debug);
assert_not_impl_any!(HoldsRef<'static, Opaque>: Debug);
assert_not_impl_any!(HoldsSlicesMut<'static, Opaque>: Debug);

/// A field whose type does not implement `Debug`, so the structs do not either.
#[derive(Row)]
struct Plain {
    opaque: Opaque,
}

assert_impl_all!(PlainRef<'static>: Copy);
assert_not_impl_any!(PlainRef<'static>: Debug);

#[test]
fn fields_without_debug_are_allowed() {
    let rows: Columns<Plain> = [Plain { opaque: Opaque(3) }].into_iter().collect();
    assert_eq!(rows.as_slices().opaque[0].0, 3);
    let rows: Columns<Holds<Opaque>> = [Holds { held: Opaque(4) }].into_iter().collect();
    let (row, same) = (rows.get(0).unwrap(), rows.get(0).unwrap());
    assert_eq!((row.held.0, same.held.0), (4, 4));
}

/// Where names are shadowed, and structs have names like those that the macro generates.
#[expect(
    non_camel_case_types,
    non_upper_case_globals,
    clippy::upper_case_acronyms,
    dead_code,
    reason = "names that might be taken for others"
)]
mod shadowed {
    struct Option;
    struct Result;
    struct Clone;
    struct Copy;
    struct Debug;
    struct Fields;
    struct FIELD;
    struct T;
    struct usize;
    const fields: u8 = 1;
    static f: u8 = 2;
    mod core {}
    mod std {}
    mod stayput {}

    #[derive(::stayput::Row)]
    pub(super) struct r#type<'row, 'a, Row> {
        pub(super) r#fn: u8,
        pub(super) fields: &'a u8,
        pub(super) f: &'row Row,
    }
}

#[test]
fn shadowed_names_do_not_affect_the_macro() {
    let mut rows = Columns::<shadowed::r#type<'_, '_, u8>>::new();
    rows.push(shadowed::r#type { r#fn: 1, fields: &2, f: &3 });
    let row: shadowed::typeRef<'_, '_, '_, u8> = rows.get(0).unwrap();
    assert_eq!(format!("{row:?}"), "typeRef { fn: 1, fields: 2, f: 3 }");
}

/// A struct generated by a macro, whose types are token groups.
macro_rules! row_of {
    ($name:ident, $field:ident: $type:ty) => {
        #[derive(Row)]
        struct $name {
            $field: $type,
            other: Option<Box<Self>>,
        }
    };
}

row_of!(Made, value: u8);

#[test]
fn structs_declared_by_macros_can_be_rows() {
    let rows: Columns<Made> = [Made { value: 1, other: None }].into_iter().collect();
    let MadeRef { value, other } = rows.get(0).unwrap();
    assert_eq!((*value, other.is_none()), (1, true));
}

#[derive(Row)]
struct Functions<'x> {
    plain: fn(u8),
    unsafe_one: Option<unsafe extern "C" fn(&u8)>,
    any: for<'l> fn(&'l u8),
    array: [fn(); 2],
    reference: &'x dyn Fn(u8),
    nested: fn(fn(u8)),
    last: fn(),
}

#[test]
fn fields_may_be_functions_without_a_return_type() {
    let mut rows = Columns::<Functions<'_>>::new();
    rows.push(Functions {
        plain: drop,
        unsafe_one: None,
        any: |_| (),
        array: [|| (); 2],
        reference: &drop,
        nested: |f| f(1),
        last: || (),
    });
    let row = rows.get(0).unwrap();
    (row.last)();
    (row.nested)(*row.plain);
    (row.any)(&1);
    assert_eq!((row.unsafe_one.is_none(), row.array.len()), (true, 2));
    (row.reference)(1);
}

/// The crate under another name.
mod other_name {
    pub(super) mod inner {
        pub(crate) use ::stayput as arrays;
    }
    mod stayput {}

    #[derive(super::Row)]
    #[row(crate = "inner::arrays", reference = "Seen")]
    pub(super) struct Renamed(pub(super) u8);
}

#[test]
fn the_crate_may_have_another_name() {
    let rows: Columns<other_name::Renamed> = [other_name::Renamed(3)].into_iter().collect();
    let other_name::Seen(three) = rows.get(0).unwrap();
    assert_eq!(*three, 3);
}

/// Hidden items need no documentation, which `missing_docs` would require.
pub mod hidden {
    use stayput::Row;

    /// A row.
    #[derive(Debug, Row)]
    pub struct Shown {
        #[doc(alias = "shown", hidden)]
        pub field: u8,
        #[allow(missing_docs, reason = "stays at the field of the row")]
        hidden: u8,
    }

    impl Shown {
        /// Its fields.
        #[must_use]
        pub fn new(field: u8) -> Self {
            Self { field, hidden: field }
        }
    }

    #[doc(hidden)]
    #[derive(Debug, Row)]
    pub struct Hidden {
        pub field: u8,
    }
}

#[test]
fn hidden_fields_are_hidden_in_all_structs() {
    let rows: Columns<hidden::Shown> = [hidden::Shown::new(2)].into_iter().collect();
    assert_eq!(*rows.get(0).unwrap().field, 2);
    let rows: Columns<hidden::Hidden> = [hidden::Hidden { field: 1 }].into_iter().collect();
    assert_eq!(*rows.get(0).unwrap().field, 1);
}

fn hash(value: &impl Hash) -> u64 {
    thread_local!(static STATE: RandomState = RandomState::new());
    STATE.with(|state| state.hash_one(value))
}

/// A struct with the given fields, all of one type.
macro_rules! wide {
    ($name:ident: $type:ty { $($field:ident)* }) => {
        #[derive(Row, Clone, Debug, PartialEq)]
        struct $name {
            $($field: $type,)*
        }

        impl $name {
            fn of(mut next: impl FnMut() -> $type) -> Self {
                Self { $($field: next(),)* }
            }
        }
    };
}

wide!(Thirteen: u64 { a b c d e f g h i j k l m });
wide!(TwentyFive: Text { a b c d e f g h i j k l m n o p q r s t u v w x y });
wide!(ThirtyTwo: Text {
    a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff
});

type Text = Rc<str>;

/// Rows of numbers that continue from field to field, and the last of them.
fn counting<R>(make: impl Fn(&mut dyn FnMut() -> Text) -> R) -> impl Iterator<Item = R> {
    let mut count = 0;
    iter::repeat_with(move || {
        make(&mut || {
            count += 1;
            count.to_string().into()
        })
    })
}

#[test]
fn thirty_two_fields_are_columns_in_the_order_of_the_fields() {
    let rows: Vec<_> = counting(|next| ThirtyTwo::of(next)).take(100).collect();
    let mut columns: Columns<_> = rows.iter().cloned().collect();
    assert_eq!(columns.stats().len, 100);
    let row = columns.get(1).unwrap();
    assert_eq!((&**row.a, &**row.l, &**row.m, &**row.ff), ("33", "44", "45", "64"));
    let ThirtyTwoSlicesMut { x, y, .. } = columns.as_mut_slices();
    assert_eq!((&*x[2], &*y[2]), ("88", "89"));
    mem::swap(&mut x[2], &mut y[2]);
    let ThirtyTwoMut { x, y, .. } = columns.get_mut(2).unwrap();
    mem::swap(x, y);
    let ThirtyTwoSlices { ff, .. } = columns.as_slices();
    assert_eq!((&*ff[0], &*ff[99]), ("32", "3200"));
    assert!(format!("{:?}", columns.get(0)).ends_with("ee: \"31\", ff: \"32\" })"));
    assert_eq!(columns.swap_remove(0), rows[0]);
    assert_eq!(columns.remove(0), rows[99]);
    assert!(columns.into_iter().eq(rows[1..99].iter().cloned()));
}

#[test]
fn more_than_twelve_fields_are_compared_cloned_and_sorted_like_fewer() {
    let mut next = 0..;
    let mut columns: Columns<Thirteen> =
        iter::repeat_with(|| Thirteen::of(|| next.next().unwrap())).take(50).collect();
    let mut clone = columns.clone();
    assert!(columns == clone && hash(&columns) == hash(&clone));
    *clone.get_mut(49).unwrap().m += 1;
    assert!(columns != clone && columns < clone);
    columns.sort_by(|one, other| other.m.cmp(one.m));
    let ThirteenSlices { a, m, .. } = columns.as_slices();
    assert!(a.iter().zip(m).all(|(a, m)| a + 12 == *m) && m.is_sorted_by(|one, next| one > next));
    columns.clone_from(&clone);
    assert!(columns == clone);
}

impl Pad for Thirteen {
    const PAD: Self =
        Self { a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0, h: 0, i: 0, j: 0, k: 0, l: 0, m: 0 };
}

#[test]
fn groups_have_rows_of_more_than_twelve_fields() {
    let mut next = 0..;
    let mut groups: Groups<Thirteen, 4> =
        iter::repeat_with(|| Thirteen::of(|| next.next().unwrap())).take(6).collect();
    groups.iter_mut().rev().for_each(|row| *row.m += 100);
    assert_eq!(groups.get(5).map(|row| (*row.a, *row.m)), Some((65, 177)));
    let ((a, ..), (m,)) = &groups.as_slice()[1];
    assert_eq!((a, m), (&[52, 65, 0, 0], &[164, 177, 0, 0]));
    assert_eq!(groups.clone().into_iter().map(|row| row.m).nth(1), Some(125));
    assert_eq!(groups.swap_remove(0).a, 0);
}

#[test]
fn all_fields_are_dropped_and_a_refused_row_is_returned() {
    let text: Text = "shared".into();
    let row = || TwentyFive::of(|| Rc::clone(&text));
    let mut columns = Columns::<TwentyFive>::with_max_len(3);
    columns.extend([row(), row(), row()]);
    assert_eq!(columns.try_push(row()).unwrap_err().value, row());
    let clone = columns.clone();
    assert_eq!(Rc::strong_count(&text), 1 + 6 * 25);
    drop(clone);
    columns.truncate(1);
    assert_eq!(Rc::strong_count(&text), 1 + 25);
    drop(columns);
    assert_eq!(Rc::strong_count(&text), 1);
}

/// A value that panics when the one with a given number is cloned or dropped.
struct Fused<'c> {
    live: &'c Cell<usize>,
    fuse: &'c Cell<usize>,
}

impl<'c> Fused<'c> {
    fn new(live: &'c Cell<usize>, fuse: &'c Cell<usize>) -> Self {
        live.set(live.get() + 1);
        Self { live, fuse }
    }

    fn burn(&self) {
        if let Some(left) = self.fuse.get().checked_sub(1) {
            self.fuse.set(left);
            assert!(left > 0 || std::thread::panicking(), "as planned");
        }
    }
}

impl Clone for Fused<'_> {
    fn clone(&self) -> Self {
        self.burn();
        Self::new(self.live, self.fuse)
    }
}

impl Drop for Fused<'_> {
    fn drop(&mut self) {
        self.live.set(self.live.get() - 1);
        self.burn();
    }
}

#[derive(Row, Clone)]
#[rustfmt::skip]
struct Panicking<'c>(
    Fused<'c>, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, Fused<'c>,
    Fused<'c>, u8, u8, u8, u8, u8, u8, u8, u8, u8, u8, Fused<'c>,
    Fused<'c>,
);

#[test]
fn a_panic_in_any_field_drops_all_others_once() {
    let (live, fuse) = (Cell::new(0), Cell::new(0));
    let new = || Fused::new(&live, &fuse);
    let row = || {
        #[rustfmt::skip]
        let row = Panicking(
            new(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new(), new(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new(), new(),
        );
        row
    };
    for step in 1..=10 {
        let columns: Columns<_> = [row(), row()].into_iter().collect();
        fuse.set(step);
        assert!(catch_unwind(AssertUnwindSafe(|| columns.clone())).is_err(), "{step}");
        assert_eq!(live.get(), 10, "after the clone that panics at {step}");
        fuse.set(step);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(columns))).is_err(), "{step}");
        assert_eq!(live.get(), 0, "after the drop that panics at {step}");
    }
}

#[test]
fn a_struct_can_be_the_part_of_a_row_that_one_pass_needs() {
    #[derive(Row)]
    struct Motion {
        place: f32,
        speed: f32,
        name: Option<String>,
    }

    impl Pad for Motion {
        const PAD: Self = Self { place: 0.0, speed: 0.0, name: None };
    }

    let mut particles: Vec<Particle> = (0..200).map(particle).collect();
    in_columns(
        &mut particles,
        |row| Motion { place: row.position[0], speed: 1.0, name: Some(row.name.clone()) },
        |MotionSlicesMut { place, speed, name }| {
            assert!(place.len() == 64 && name.iter().flatten().all(|name| !name.is_empty()));
            place.iter_mut().zip(speed).for_each(|(place, speed)| *place += *speed);
        },
        |row, Motion { place, name, .. }| {
            row.position[0] = place;
            row.name = name.expect("it is not padding") + "!";
        },
    );
    assert!(particles.iter().all(|row| {
        row.position[0].to_bits() == 1_f32.to_bits() && row.name == format!("{}!", row.age)
    }));
}
