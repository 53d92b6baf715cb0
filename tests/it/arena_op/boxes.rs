//! Boxes in arenas.

use super::Model;
use super::frame::{Frame, Values};
use super::items::{Counted, CountedNothing, Item};
use super::place::{Place, on};
use super::room::Room;
use super::store::{Code, Course, Hinted};
use stayput::ArenaBox;
use std::alloc::Layout;
use std::any::Any;
use std::borrow::{Borrow, BorrowMut};
use std::{mem, ptr, slice};

arbitrary! {
    /// How a box is made.
    pub(crate) enum Make {
        One,
        Two,
        Many(u8, u8, Course),
        Nothings(u8, u8, Course),
        /// Of numbers, of which some are taken.
        Iterator(u8, u8),
    }

    /// What is done with a box.
    pub(crate) enum BoxOp {
        Drop,
        Change,
        Leak,
        IntoInner,
        /// Takes it apart, and makes it again.
        Raw,
        /// Into a box of another type.
        Convert(bool),
        /// Swaps it with another.
        Swap(u8),
        /// Swaps the values.
        SwapValues(u8),
        Compare(u8),
    }
}

/// A value with a number.
pub(crate) trait Numbered {
    fn number(&self) -> &Counted;
}

impl Numbered for Counted {
    fn number(&self) -> &Counted {
        self
    }
}

enum Value<'v> {
    One(ArenaBox<'v, Counted>),
    Two(ArenaBox<'v, [Counted; 2]>),
    Many(ArenaBox<'v, [Counted]>),
    Any(ArenaBox<'v, dyn Any>),
    Object(ArenaBox<'v, dyn Numbered + 'v>),
    Nothings(ArenaBox<'v, [CountedNothing]>),
}

/// A box of values that were made from the numbers from `first` on.
pub(crate) struct Boxed<'v> {
    value: Value<'v>,
    first: u32,
}

impl Boxed<'_> {
    /// The number of values.
    pub(crate) fn count(&self) -> usize {
        match &self.value {
            Value::One(_) | Value::Any(_) | Value::Object(_) => 1,
            Value::Two(two) => two.len(),
            Value::Many(many) => many.len(),
            Value::Nothings(many) => many.len(),
        }
    }

    fn values(&self) -> &[Counted] {
        match &self.value {
            Value::One(one) => slice::from_ref(&**one),
            Value::Two(two) => &**two,
            Value::Many(many) => many.as_ref(),
            Value::Any(any) => {
                slice::from_ref(any.downcast_ref::<Counted>().expect("it was made so"))
            }
            Value::Object(object) => slice::from_ref(object.number()),
            Value::Nothings(_) => &[],
        }
    }

    pub(crate) fn check(&self) {
        for (value, number) in self.values().iter().zip(self.first..) {
            assert!(value.is(number), "{value:?} instead of {number}");
        }
    }

    fn change(&mut self, number: u32) {
        let values: &mut [Counted] = match &mut self.value {
            Value::One(one) => slice::from_mut(one.as_mut()),
            Value::Two(two) => two.as_mut(),
            Value::Many(many) => BorrowMut::<[Counted]>::borrow_mut(many),
            _ => return,
        };
        values.iter_mut().zip(number..).for_each(|(value, number)| *value = Counted::make(number));
        self.first = number;
    }

    fn convert(self, to_any: bool) -> Self {
        let Self { value, first } = self;
        let value = match value {
            Value::One(one) if to_any => Value::Any(ArenaBox::unsize(one, |one| one)),
            Value::One(one) => Value::Object(ArenaBox::unsize(one, |one| one)),
            Value::Any(any) => {
                let any = any.downcast::<u32>().expect_err("it is of another type");
                let one = any.downcast::<Counted>();
                Value::One(one.unwrap_or_else(|_| unreachable!("it was made so")))
            }
            Value::Two(two) => Value::Many(two.into()),
            Value::Many(many) => match many.try_into() {
                Ok(two) => Value::Two(two),
                Err(many) => Value::Many(many),
            },
            other => other,
        };
        Self { value, first }
    }

    #[expect(unsafe_code, reason = "takes boxes apart")]
    fn raw(self) -> Self {
        let value = match self.value {
            Value::Many(many) => {
                let raw = ArenaBox::into_raw(many);
                // SAFETY: the pointer comes from `into_raw`, and is not used again.
                Value::Many(unsafe { ArenaBox::from_raw(raw) })
            }
            Value::One(one) => {
                let raw: *mut Counted = ArenaBox::into_raw(one);
                let raw: *mut dyn Any = raw;
                // SAFETY: as above.
                Value::Any(unsafe { ArenaBox::from_raw(raw) })
            }
            other => other,
        };
        Self { value, ..self }
    }
}

/// Boxes are compared, and shown, as their values.
fn compare(one: &Boxed<'_>, other: &Boxed<'_>) {
    let (Value::One(a), Value::One(b)) = (&one.value, &other.value) else { return };
    let (left, right) = (&**a, Borrow::<Counted>::borrow(b));
    assert_eq!((a == b, a.cmp(b)), (left == right, left.cmp(right)));
    assert_eq!(a.partial_cmp(b), left.partial_cmp(right));
    assert_eq!(format!("{a:?}"), format!("{left:?}"));
    assert_eq!(format!("{:p}", *b), format!("{:p}", ptr::from_ref(right)));
}

/// Keeps the values of a box, which are never dropped.
fn leak(frame: &mut Frame<'_>, nth: usize) {
    let Boxed { value, first } = frame.boxes.swap_remove(nth);
    let values = match value {
        Value::One(one) => vec![ArenaBox::leak(one)],
        Value::Two(two) => ArenaBox::leak(two).iter_mut().collect(),
        Value::Many(many) => ArenaBox::leak(many).iter_mut().collect(),
        value => return frame.boxes.push(Boxed { value, first }),
    };
    frame.keep(Values { all: values, first, step: 1 });
}

impl Model<'_> {
    /// The most boxes of an arena or a scope.
    const MOST_BOXES: usize = 24;

    pub(crate) fn make_box<'v>(&mut self, place: Place<'_, 'v>, frame: &mut Frame<'v>, make: Make) {
        if frame.boxes.len() == Self::MOST_BOXES {
            self.live -= frame.boxes.swap_remove(0).count();
        }
        let first = self.number();
        match make {
            Make::One => {
                let value = Counted::make(first);
                self.box_one(place, frame, value, first, Value::One, |value| value.is(first));
            }
            Make::Two => {
                let value = [first, first + 1].map(Counted::make);
                self.box_one(place, frame, value, first, Value::Two, |two| two[1].is(first + 1));
            }
            Make::Many(len, hint, course) => {
                self.box_slice(place, frame, (len, hint, course), Value::Many);
            }
            Make::Nothings(len, hint, course) => {
                self.box_slice(place, frame, (len, hint, course), Value::Nothings);
            }
            Make::Iterator(len, taken) => {
                let mut numbers = 0..u32::from(len);
                let Ok(mut boxed) = on!(place, s => s.try_alloc_box(numbers.clone())) else {
                    return;
                };
                assert_eq!(boxed.next(), numbers.next());
                assert_eq!(boxed.nth(taken.into()), numbers.nth(taken.into()));
                assert_eq!(boxed.next_back(), numbers.next_back());
                assert_eq!((boxed.size_hint(), boxed.len()), (numbers.size_hint(), numbers.len()));
                assert!(boxed.eq(numbers));
            }
        }
    }

    fn box_one<'v, T: 'static>(
        &mut self,
        place: Place<'_, 'v>,
        frame: &mut Frame<'v>,
        value: T,
        first: u32,
        into: impl FnOnce(ArenaBox<'v, T>) -> Value<'v>,
        is_whole: impl FnOnce(&T) -> bool,
    ) {
        let room = Room::before(self, place, Layout::new::<T>());
        let made = match place {
            Place::Arena(arena) if room.is_sure(self) && first % 2 == 0 => {
                Ok(ArenaBox::new_in(value, arena))
            }
            _ if room.is_sure(self) => Ok(on!(place, s => s.alloc_box(value))),
            _ => on!(place, s => s.try_alloc_box(value)),
        };
        match made {
            Ok(made) => {
                room.stored(self, place, Some(ptr::from_ref(&*made).addr()), true);
                let boxed = Boxed { value: into(made), first };
                self.live += boxed.count();
                frame.boxes.push(boxed);
            }
            Err(refused) => {
                assert!(is_whole(&refused.value), "the value is returned");
                room.refused(self, place, &refused.error, true);
            }
        }
    }

    fn box_slice<'v, T: Item>(
        &mut self,
        place: Place<'_, 'v>,
        frame: &mut Frame<'v>,
        (len, hint, course): (u8, u8, Course),
        into: impl FnOnce(ArenaBox<'v, [T]>) -> Value<'v>,
    ) {
        let (first, len) = (self.number(), len % 40);
        let layout = Layout::array::<T>(len.into()).expect("it is small");
        let room = Room::before(self, place, layout);
        let code = Code::new(place, course);
        let made = code.run(|code| {
            let numbers = (0..len).map(|i| code.value::<T>(first + u32::from(i)));
            on!(place, s => s.try_alloc_box_slice_from_iter(Hinted::new(numbers, hint)))
        });
        let is_alone = code.stored_nothing();
        code.keep_nested(frame);
        match made {
            Some(Ok(made)) => {
                assert_eq!(made.len(), usize::from(len));
                room.stored(self, place, Some(made.as_ptr().addr()), is_alone);
                self.live += made.len();
                frame.boxes.push(Boxed { value: into(made), first });
            }
            Some(Err(error)) => room.refused(self, place, &error, is_alone),
            None => room.freed(place, is_alone),
        }
    }

    pub(crate) fn change_box(&mut self, frame: &mut Frame<'_>, pick: u8, op: BoxOp) {
        let Some(nth) = usize::from(pick).checked_rem(frame.boxes.len()) else { return };
        let other = |pick: u8| usize::from(pick) % frame.boxes.len();
        match op {
            BoxOp::Drop => {
                let boxed = frame.boxes.swap_remove(nth);
                self.live -= boxed.count();
            }
            BoxOp::Change => {
                let number = self.number();
                frame.boxes[nth].change(number);
            }
            BoxOp::Leak => leak(frame, nth),
            BoxOp::IntoInner => {
                let Boxed { value, first } = frame.boxes.swap_remove(nth);
                match value {
                    Value::One(one) => {
                        assert!(ArenaBox::into_inner(one).is(first));
                        self.live -= 1;
                    }
                    Value::Two(two) => {
                        let [one, other] = ArenaBox::into_inner(two);
                        assert!(one.is(first) && other.is(first + 1));
                        self.live -= 2;
                    }
                    value => frame.boxes.push(Boxed { value, first }),
                }
            }
            BoxOp::Raw => {
                let boxed = frame.boxes.swap_remove(nth);
                frame.boxes.push(boxed.raw());
            }
            BoxOp::Convert(to_any) => {
                let boxed = frame.boxes.swap_remove(nth);
                frame.boxes.push(boxed.convert(to_any));
            }
            BoxOp::Swap(pick) => {
                let other = other(pick);
                frame.boxes.swap(nth, other);
            }
            BoxOp::SwapValues(pick) => {
                let mut one = frame.boxes.swap_remove(nth);
                if let Some(nth) = usize::from(pick).checked_rem(frame.boxes.len()) {
                    let other = &mut frame.boxes[nth];
                    if let (Value::One(a), Value::One(b)) = (&mut one.value, &mut other.value) {
                        mem::swap(&mut **a, &mut **b);
                        mem::swap(&mut one.first, &mut other.first);
                    }
                }
                frame.boxes.push(one);
            }
            BoxOp::Compare(pick) => compare(&frame.boxes[nth], &frame.boxes[other(pick)]),
        }
    }
}
