//! Stores values, alone and in slices, in all ways there are.

use super::Model;
use super::frame::{Frame, Text, Values};
use super::items::{self, Counted, CountedNothing, Item, Line, Nothing, Page};
use super::place::{Place, Stored, on};
use super::room::Room;
use std::alloc::Layout;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::slice;

arbitrary! {
    /// The type of values.
    pub(crate) enum Kind {
        Byte,
        Word,
        ThreeBytes,
        Line,
        Page,
        Nothing,
        Counted,
        CountedNothing,
    }

    pub(crate) enum Way {
        Alloc,
        With,
        TryWith,
        Copy,
        Clone,
        FillWith,
        TryFillWith,
        FillCopy,
        FillClone,
        FillDefault,
        FromIter,
        FillIter,
        TryFillIter,
        Uninit,
        SliceUninit,
        Zeroed,
    }

    pub(crate) enum Stop {
        Never,
        /// User code returns an error, or else panics, after a number of calls.
        Fails(u8),
        Panics(u8),
    }

    /// What user code does.
    pub(crate) struct Course {
        /// It stores values in the same place.
        is_nested: bool,
        stop: Stop,
    }

    pub(crate) struct Store {
        pub(crate) kind: Kind,
        way: Way,
        len: u8,
        hint: u8,
        course: Course,
    }
}

impl Course {
    const PLAIN: Self = Self { is_nested: false, stop: Stop::Never };
}

/// User code returned an error.
pub(crate) struct Failed;

/// User code, while values are stored.
pub(crate) struct Code<'s, 'v> {
    place: Place<'s, 'v>,
    course: Course,
    calls: Cell<u8>,
    /// What it has stored.
    nested: RefCell<Vec<&'v mut u64>>,
}

impl<'s, 'v> Code<'s, 'v> {
    /// The number of the values that it stores.
    const NUMBER: u32 = 12_345;

    pub(crate) fn new(place: Place<'s, 'v>, course: Course) -> Self {
        Self { place, course, calls: Cell::new(0), nested: RefCell::new(Vec::new()) }
    }

    fn panics_after(&self) -> Option<u8> {
        match self.course.stop {
            Stop::Panics(after) => Some(after % 32),
            _ => None,
        }
    }

    fn call<T: Item>(&self, number: u32) -> Result<T, Failed> {
        items::user_code();
        let call = self.calls.replace(self.calls.get().wrapping_add(1));
        match self.course.stop {
            Stop::Fails(after) if call >= after % 32 => return Err(Failed),
            _ => {}
        }
        if self.course.is_nested {
            let nested = on!(self.place, store => store.try_alloc(u64::make(Self::NUMBER)));
            self.nested.borrow_mut().extend(nested);
        }
        Ok(T::make(number))
    }

    /// For calls that cannot fail.
    pub(crate) fn value<T: Item>(&self, number: u32) -> T {
        self.call(number).unwrap_or_else(|Failed| items::panic_as_planned())
    }

    /// Runs a closure that is passed this code. Returns `None` if the code panicked.
    pub(crate) fn run<R>(&self, run: impl FnOnce(&Self) -> R) -> Option<R> {
        items::with_panic(self.panics_after(), || run(self))
    }

    /// Whether nothing else was stored meanwhile.
    pub(crate) fn stored_nothing(&self) -> bool {
        self.nested.borrow().is_empty()
    }

    /// Keeps what it has stored.
    pub(crate) fn keep_nested(self, frame: &mut Frame<'v>) {
        let values = self.nested.into_inner();
        if !values.is_empty() {
            frame.keep(Values { all: values, first: Self::NUMBER, step: 0 });
        }
    }
}

/// Is formatted by user code.
struct Shown<'c, 's, 'v>(&'c Code<'s, 'v>, u8);

impl fmt::Display for Shown<'_, '_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in 0..self.1 % 20 {
            let part: u64 = self.0.value(part.into());
            write!(f, "{part}, ")?;
        }
        Ok(())
    }
}

impl Shown<'_, '_, '_> {
    fn expected(number: u8) -> String {
        let parts = (0..number % 20).map(|part| u64::make(part.into()).to_string());
        parts.flat_map(|part| [part, ", ".to_owned()]).collect()
    }
}

/// An iterator with an arbitrary size hint.
pub(crate) struct Hinted<I>(I, usize);

impl<I: ExactSizeIterator> Hinted<I> {
    pub(crate) fn new(values: I, hint: u8) -> Self {
        let len = values.len();
        let lower = match hint % 6 {
            0 | 1 => len,
            2 => 0,
            3 => len / 2,
            4 => len + usize::from(hint),
            _ => usize::MAX,
        };
        Self(values, lower)
    }
}

impl<I: Iterator> Iterator for Hinted<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.1, None)
    }
}

type References<'v, T> = Stored<Result<Vec<&'v mut T>, Failed>>;

impl Store {
    /// How many values, in how many bytes.
    fn len<T: Item>(self) -> usize {
        match self.way {
            Way::Alloc | Way::With | Way::TryWith | Way::Uninit => 1,
            _ if size_of::<T>() > 1000 => usize::from(self.len % 4),
            _ => usize::from(self.len % 40),
        }
    }

    fn hinted<I: ExactSizeIterator>(self, values: I) -> Hinted<I> {
        Hinted::new(values, self.hint)
    }

    /// Whether all values are the same.
    fn is_filled(self) -> bool {
        matches!(self.way, Way::FillCopy | Way::FillClone | Way::FillDefault | Way::Zeroed)
    }

    /// Stores values, made from the numbers from `first` on.
    fn store<'v, T: Item>(
        self,
        place: Place<'_, 'v>,
        first: u32,
        code: &Code<'_, 'v>,
        is_sure: bool,
    ) -> References<'v, T> {
        let len = self.len::<T>();
        let numbers = first..first + u32::try_from(len).expect("there are few");
        let number = |i: usize| first + u32::try_from(i).expect("there are few");
        let calls = numbers.clone().map(|n| code.call::<T>(n));
        let values = numbers.clone().map(|n| code.value::<T>(n));
        let made = || numbers.clone().map(T::make).collect::<Vec<T>>();
        let slice = match self.way {
            Way::Alloc if is_sure => Ok(slice::from_mut(on!(place, s => s.alloc(T::make(first))))),
            Way::Alloc => on!(place, s => s.try_alloc(T::make(first)))
                .map(slice::from_mut)
                .map_err(|refused| {
                    assert!(refused.value.is(first), "the value is returned");
                    refused.error
                }),
            Way::With => {
                on!(place, s => s.try_alloc_with(|| code.value(first))).map(slice::from_mut)
            }
            Way::TryWith => {
                let value = on!(place, s => s.try_alloc_try_with(|| code.call(first)))?;
                return Ok(value.map(|value| vec![value]));
            }
            Way::Copy => T::copy(place, &made())
                .unwrap_or_else(|| on!(place, s => s.try_alloc_slice_clone(&made()))),
            Way::Clone => on!(place, s => s.try_alloc_slice_clone(&made())),
            Way::FillWith => {
                on!(place, s => s.try_alloc_slice_fill_with(len, |i| code.value(number(i))))
            }
            Way::TryFillWith => {
                let call = |i| code.call(number(i));
                let slice = on!(place, s => s.try_alloc_slice_try_fill_with(len, call))?;
                return Ok(slice.map(|slice| slice.iter_mut().collect()));
            }
            Way::FillCopy => {
                let value = T::make(first);
                T::fill(place, len, &value)
                    .unwrap_or_else(|| on!(place, s => s.try_alloc_slice_fill_clone(len, &value)))
            }
            Way::FillClone => {
                on!(place, s => s.try_alloc_slice_fill_clone(len, &T::make(first)))
            }
            Way::FillDefault => on!(place, s => s.try_alloc_slice_fill_default(len)),
            Way::FromIter => on!(place, s => s.try_alloc_slice_from_iter(self.hinted(values))),
            Way::FillIter => on!(place, s => s.try_alloc_slice_fill_iter(self.hinted(values))),
            Way::TryFillIter => {
                let calls = self.hinted(calls);
                let slice = on!(place, s => s.try_alloc_slice_try_fill_iter(calls))?;
                return Ok(slice.map(|slice| slice.iter_mut().collect()));
            }
            Way::Uninit => {
                let place = on!(place, s => s.try_alloc_uninit())?;
                Ok(slice::from_mut(place.write(T::make(first))))
            }
            Way::SliceUninit => {
                let places = on!(place, s => s.try_alloc_slice_uninit(len))?;
                let places = places.iter_mut().zip(numbers);
                return Ok(Ok(places.map(|(place, n)| place.write(T::make(n))).collect()));
            }
            Way::Zeroed => T::zeroed(place, len)
                .unwrap_or_else(|| on!(place, s => s.try_alloc_slice_fill_default(len))),
        };
        Ok(Ok(slice?.iter_mut().collect()))
    }
}

impl Model<'_> {
    pub(crate) fn store<'v>(&mut self, place: Place<'_, 'v>, frame: &mut Frame<'v>, store: Store) {
        match store.kind {
            Kind::Byte => self.store_as::<u8>(place, frame, store),
            Kind::Word => self.store_as::<u64>(place, frame, store),
            Kind::ThreeBytes => self.store_as::<[u8; 3]>(place, frame, store),
            Kind::Line => self.store_as::<Line>(place, frame, store),
            Kind::Page => self.store_as::<Page>(place, frame, store),
            Kind::Nothing => self.store_as::<Nothing>(place, frame, store),
            Kind::Counted => self.store_as::<Counted>(place, frame, store),
            Kind::CountedNothing => self.store_as::<CountedNothing>(place, frame, store),
        }
    }

    fn store_as<'v, T: Item>(&mut self, place: Place<'_, 'v>, frame: &mut Frame<'v>, store: Store) {
        let len = store.len::<T>();
        let layout = Layout::array::<T>(len).expect("it is small");
        let room = Room::before(self, place, layout);
        let is_default = matches!(store.way, Way::FillDefault | Way::Zeroed);
        let first = if is_default { 0 } else { self.number() };
        let code = Code::new(place, store.course);
        let stored = code.run(|code| store.store::<T>(place, first, code, room.is_sure(self)));
        let is_alone = code.stored_nothing();
        code.keep_nested(frame);
        match stored {
            Some(Ok(Ok(values))) => {
                assert_eq!(values.len(), len);
                let at = values.first().map(|value| std::ptr::from_ref(&**value).addr());
                room.stored(self, place, at, is_alone);
                if T::IS_COUNTED {
                    self.live += len;
                }
                let step = u32::from(!store.is_filled());
                frame.keep(Values { all: values, first, step });
            }
            Some(Err(error)) => room.refused(self, place, &error, is_alone),
            // The room for a value stays in use if the code that should make it panics.
            None if matches!(store.way, Way::With) && is_alone => room.left(place),
            Some(Ok(Err(Failed))) | None => room.freed(place, is_alone),
        }
    }

    /// Stores text, formatted by user code if there is a course for it.
    pub(crate) fn text<'v>(
        &mut self,
        place: Place<'_, 'v>,
        frame: &mut Frame<'v>,
        number: u8,
        course: Option<Course>,
    ) {
        let expected = match course {
            None => "aé日🦀".repeat(usize::from(number % 50)),
            Some(_) if number == 0 => "as it is".to_owned(),
            Some(_) => Shown::expected(number),
        };
        let room = Room::before(self, place, Layout::for_value(&*expected));
        let code = Code::new(place, course.unwrap_or(Course::PLAIN));
        let text = code.run(|code| match course {
            None => on!(place, s => s.try_alloc_str(&expected)),
            Some(_) if number == 0 => on!(place, s => s.try_alloc_fmt(format_args!("as it is"))),
            Some(_) => {
                let shown = Shown(code, number);
                on!(place, s => s.try_alloc_fmt(format_args!("{shown}")))
            }
        });
        let is_alone = code.stored_nothing();
        code.keep_nested(frame);
        match text {
            Some(Ok(text)) => {
                room.stored(self, place, Some(text.as_ptr().addr()), is_alone);
                frame.keep(Text { text, expected });
            }
            Some(Err(error)) => room.refused(self, place, &error, is_alone),
            None => room.freed(place, is_alone),
        }
    }
}
