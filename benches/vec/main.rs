//! `VmVec` against `Vec`, operation by operation.
//!
//! Two views of the same closures. The first is a table of ratios: `Vec` and `VmVec` take turns, so that a busy
//! machine slows both, and the median of the ratios of neighbouring turns is shown with its quartiles. The
//! second is criterion's, with times and plots. `--ratios` stops after the table, `--ratios TEXT` has only
//! operations whose names contain the text, `--quick` makes everything shorter.
//!
//! Both arrays are warm, except where they are created, and check their results by a sum. See
//! `benches/README.md`.

use bench_common::memory::{Element, Entity, Record};
use bench_common::spread::Spread;
use criterion::{Criterion, Throughput};
use stayput::{HugePages, VmVec};
use std::hint::black_box;
use std::ops::DerefMut;
use std::time::{Duration, Instant};

/// What both arrays can do, so that they run the same code.
trait Array<T: Copy + 'static>:
    DerefMut<Target = [T]> + Clone + Extend<T> + for<'a> Extend<&'a T> + Sized
{
    fn empty() -> Self;
    fn with_room(count: usize) -> Self;
    fn push(&mut self, value: T);
    fn pop(&mut self) -> Option<T>;
    fn clear(&mut self);
    fn append_slice(&mut self, from: &[T]);
    fn drain_each(&mut self, each: impl FnMut(T));
    fn drain_few(&mut self, at: usize) -> usize;
    fn swap_remove(&mut self, index: usize) -> T;
    fn retain(&mut self, keep: impl FnMut(&T) -> bool);
    fn dedup_by(&mut self, same: impl FnMut(&mut T, &mut T) -> bool);
}

macro_rules! array {
    ($array:ident) => {
        impl<T: Copy + 'static> Array<T> for $array<T> {
            fn empty() -> Self {
                $array::new()
            }
            fn with_room(count: usize) -> Self {
                $array::with_capacity(count)
            }
            #[inline]
            fn push(&mut self, value: T) {
                $array::push(self, value);
            }
            #[inline]
            fn pop(&mut self) -> Option<T> {
                $array::pop(self)
            }
            fn clear(&mut self) {
                $array::clear(self);
            }
            fn append_slice(&mut self, from: &[T]) {
                self.extend_from_slice(from);
            }
            fn drain_each(&mut self, each: impl FnMut(T)) {
                self.drain(..).for_each(each);
            }
            fn drain_few(&mut self, at: usize) -> usize {
                self.drain(at..at + 3).count()
            }
            #[inline]
            fn swap_remove(&mut self, index: usize) -> T {
                $array::swap_remove(self, index)
            }
            fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
                $array::retain(self, keep);
            }
            fn dedup_by(&mut self, same: impl FnMut(&mut T, &mut T) -> bool) {
                $array::dedup_by(self, same);
            }
        }
    };
}
array!(Vec);
array!(VmVec);

/// Never inlined, so that both arrays share one copy of the loop: its alignment alone makes a difference of up
/// to half its time.
#[inline(never)]
fn sum<T: Element>(elements: &[T]) -> u64 {
    elements.iter().map(T::number).fold(0, u64::wrapping_add)
}

/// Returns the sum of the values of the first `count` elements.
fn total(count: usize) -> u64 {
    (0..count as u64).sum()
}

/// Does an operation once, on an array that it keeps, and returns the time.
type Turn = Box<dyn FnMut() -> Duration>;

struct Operation {
    name: String,
    /// The target, at most.
    bound: f64,
    elements: usize,
    /// Creates the arrays: `Vec` first.
    make: Box<dyn Fn() -> [Turn; 2]>,
}

fn timed<R>(work: impl FnOnce() -> R) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// Returns the mean time of work that changes nothing, on `count` elements. Repeats it until it takes some
/// hundred times as long as reading the clock.
fn timed_often<R>(count: usize, work: impl Fn() -> R) -> Duration {
    let times = u32::try_from((1 << 16) / count).unwrap_or(1).max(1);
    timed(|| (0..times).for_each(|_| drop(black_box(work())))) / times
}

/// Returns an array of `count` elements in memory that was touched.
fn warm<A: Array<T>, T: Element>(count: usize) -> A {
    let mut array = A::with_room(count);
    array.extend((0..count as u64).map(T::of));
    array
}

fn push<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let mut array: A = warm(count);
    Box::new(move || {
        array.clear();
        let time = timed(|| {
            for n in 0..count as u64 {
                array.push(T::of(black_box(n)));
            }
        });
        assert_eq!(sum(&array), total(count));
        time
    })
}

fn extend_slice<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let mut array: A = warm(count);
    let from: Vec<T> = warm(count);
    Box::new(move || {
        array.clear();
        let time = timed(|| array.append_slice(black_box(&from)));
        assert_eq!(sum(&array), sum(&from));
        time
    })
}

fn extend_iter<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let mut array: A = warm(count);
    Box::new(move || {
        array.clear();
        let time = timed(|| array.extend((0..black_box(count) as u64).map(T::of)));
        assert_eq!(sum(&array), total(count));
        time
    })
}

fn extend_refs<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let mut array: A = warm(count);
    let from: Vec<T> = warm(count);
    Box::new(move || {
        array.clear();
        let time = timed(|| array.extend(black_box(&from)));
        assert_eq!(sum(&array), sum(&from));
        time
    })
}

fn extend_copied<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let mut array: A = warm(count);
    let from: Vec<T> = warm(count);
    Box::new(move || {
        array.clear();
        let time = timed(|| array.extend(black_box(&from).iter().copied()));
        assert_eq!(sum(&array), sum(&from));
        time
    })
}

/// Into an empty array without memory, which is dropped.
fn collect<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let from: Vec<T> = warm(count);
    Box::new(move || {
        timed_often(count, || {
            let mut array = A::empty();
            array.extend(black_box(&from).iter().copied());
            assert_eq!(black_box(&array).len(), count);
        })
    })
}

/// Changes an array of which neighbours have equal numbers; checks how many elements are left.
fn changed<A: Array<T> + 'static, T: Element>(
    count: usize,
    left: usize,
    change: impl Fn(&mut A) + 'static,
) -> Turn {
    let mut array: A = warm(count);
    Box::new(move || {
        array.clear();
        array.extend((0..count as u64).map(|n| T::of(n / 2)));
        let time = timed(|| change(black_box(&mut array)));
        assert_eq!(array.len(), left);
        time
    })
}

fn dedup<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    changed(count, count / 2, |array: &mut A| array.dedup_by(|a, b| a.number() == b.number()))
}

/// Removes two of the first elements, so that all others move.
fn retain<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    changed(count, count - 2, |array: &mut A| array.retain(|element| element.number() != 1))
}

fn swap_remove<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    changed(count, count / 2, move |array: &mut A| {
        for index in 0..count / 2 {
            black_box(array.swap_remove(index));
        }
    })
}

/// Three elements at a time, with seven after them.
fn drain_few<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let times = (count - 10) / 3;
    changed(count, count - 3 * times, move |array: &mut A| {
        for _ in 0..times {
            black_box(array.drain_few(array.len() - 10));
        }
    })
}

fn iterate<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let array: A = warm(count);
    Box::new(move || timed_often(count, || sum(black_box(&array))))
}

fn random_read<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let array: A = warm(count);
    Box::new(move || {
        timed_often(count, || {
            let (mut index, mut sum) = (1_usize, 0_u64);
            for _ in 0..count {
                // A linear congruential step (Knuth's MMIX constants). Each read depends on the previous one,
                // so that reads do not overlap.
                index = index.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let element = &array[(index >> 20) % array.len()];
                sum = sum.wrapping_add(element.number());
                index ^= (element.number() & 1) as usize;
            }
            sum
        })
    })
}

fn clone<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let array: A = warm(count);
    Box::new(move || {
        let mut copy = None;
        let time = timed(|| copy = Some(array.clone()));
        assert_eq!(copy.map(|copy| sum(&copy)), Some(total(count)));
        time
    })
}

/// With capacity for all from the start; `Vec`'s memory is warm from the previous turn.
fn make_fill_drop<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    Box::new(move || {
        timed_often(count, || {
            let mut array = A::with_room(black_box(count));
            array.extend((0..count as u64).map(T::of));
            // The last element only, because a sum would take as long as the work.
            assert_eq!(black_box(&array).last().map(T::number), Some(count as u64 - 1));
        })
    })
}

/// As above, by pushing.
fn make_push_drop<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    Box::new(move || {
        timed_often(count, || {
            let mut array = A::with_room(black_box(count));
            for n in 0..count as u64 {
                array.push(T::of(black_box(n)));
            }
            assert_eq!(black_box(&array).last().map(T::number), Some(count as u64 - 1));
        })
    })
}

fn pop<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let mut array: A = warm(count);
    Box::new(move || {
        array.clear();
        array.extend((0..count as u64).map(T::of));
        timed(|| {
            let mut sum = 0_u64;
            while let Some(element) = array.pop() {
                sum = sum.wrapping_add(element.number());
            }
            assert_eq!(sum, total(count));
        })
    })
}

fn drain<A: Array<T> + 'static, T: Element>(count: usize) -> Turn {
    let mut array: A = warm(count);
    Box::new(move || {
        array.clear();
        array.extend((0..count as u64).map(T::of));
        timed(|| {
            let mut sum = 0_u64;
            array.drain_each(|element| sum = sum.wrapping_add(element.number()));
            assert_eq!(sum, total(count));
        })
    })
}

/// Grows from empty to `count` elements in new memory; the array is dropped outside the clock.
fn grow<A: Array<T> + 'static, T: Element>(count: usize, make: fn() -> A) -> Turn {
    Box::new(move || {
        let mut array = make();
        let time = timed(|| {
            for n in 0..count as u64 {
                array.push(T::of(black_box(n)));
            }
        });
        assert_eq!(array.last().map(T::number), Some(count as u64 - 1));
        time
    })
}

/// Pushes through a shared reference, to compare with pushes through the array itself.
fn push_grow_only(count: usize) -> Turn {
    let mut array: VmVec<Entity> = warm(count);
    Box::new(move || {
        array.clear();
        let scope = array.grow_only();
        let time = timed(|| {
            for n in 0..count as u64 {
                scope.push(Entity::of(black_box(n)));
            }
        });
        assert_eq!(sum(&array), total(count));
        time
    })
}

fn huge(huge_pages: HugePages) -> VmVec<Entity> {
    VmVec::builder().huge_pages(huge_pages).build()
}

fn operations() -> Vec<Operation> {
    let mut all = Vec::new();
    /// Measures an operation on both arrays, for elements of both sizes, in and out of cache.
    macro_rules! both {
        ($operation:ident, $bound:expr, $small_kib:expr) => {
            both!($operation, $bound, $small_kib, $bound);
        };
        ($operation:ident, $bound:expr, $small_kib:expr, $large_bound:expr) => {
            let small = concat!($small_kib, " KiB");
            both!($operation, $bound, "u64", u64, small, $small_kib << 10);
            both!($operation, $bound, "64-byte", Entity, small, $small_kib << 10);
            both!($operation, $large_bound, "u64", u64, "64 MiB", 64 << 20);
            both!($operation, $large_bound, "64-byte", Entity, "64 MiB", 64 << 20);
        };
        ($operation:ident, $bound:expr, $name:expr, $element:ty, $size:expr, $bytes:expr) => {
            let count = $bytes / size_of::<$element>();
            all.push(Operation {
                name: format!("{} {}, {}", stringify!($operation), $name, $size),
                bound: $bound,
                elements: count,
                make: Box::new(move || {
                    [$operation::<Vec<$element>, _>(count), $operation::<VmVec<$element>, _>(count)]
                }),
            });
        };
    }
    both!(push, 1.05, 64);
    both!(extend_slice, 1.02, 64);
    both!(extend_iter, 1.02, 64);
    both!(extend_refs, 1.05, 64);
    both!(extend_copied, 1.05, 64);
    both!(extend_copied, 1.05, "200-byte", Record, "64 KiB", 64 << 10);
    both!(dedup, 1.05, 64);
    both!(retain, 1.05, 64);
    both!(swap_remove, 1.05, 64);
    both!(drain_few, 1.05, 64);
    // Within the first cache: beyond it, physical pages decide, not the code.
    both!(iterate, 1.02, 16);
    both!(random_read, 1.02, 16);
    both!(clone, 1.3, 64, f64::INFINITY);
    both!(pop, f64::INFINITY, 64);
    both!(drain, f64::INFINITY, 64);
    for (size, bytes, bound) in [
        ("1 KiB", 1 << 10, 3.0),
        ("4 KiB", 4 << 10, 3.0),
        ("64 KiB", 64 << 10, 1.3),
        ("1 MiB", 1 << 20, 1.3),
    ] {
        both!(make_fill_drop, bound, "64-byte", Entity, size, bytes);
    }
    for (size, count) in [("100 elements", 100), ("1 K", 1 << 10), ("64 K", 64 << 10)] {
        both!(make_push_drop, 1.05, "u64", u64, size, 8 * count);
        both!(make_push_drop, 1.05, "64-byte", Entity, size, 64 * count);
    }
    both!(collect, 1.2, "u8", u8, "1,000 elements", 1000);
    both!(collect, 1.2, "u64", u64, "100 elements", 800);
    both!(collect, 1.2, "64-byte", Entity, "100 elements", 6400);
    both!(collect, 1.2, "64-byte", Entity, "64 KiB", 64 << 10);
    all.push(Operation {
        name: "push, grow-only against push, 64 KiB".into(),
        bound: 1.02,
        elements: 1 << 10,
        make: Box::new(|| [push::<VmVec<Entity>, _>(1 << 10), push_grow_only(1 << 10)]),
    });
    let grown = (512 << 20) / size_of::<Entity>();
    let mut growth = |name: &str, bound, vm_vec: fn() -> VmVec<Entity>| {
        all.push(Operation {
            name: format!("grow to 512 MiB, {name}"),
            bound,
            elements: grown,
            make: Box::new(move || [grow(grown, Vec::<Entity>::empty), grow(grown, vm_vec)]),
        });
    };
    growth("small pages", 1.0, || huge(HugePages::Never));
    growth("auto", 0.8, VmVec::empty);
    growth("huge pages", 0.8, || huge(HugePages::Always));
    all
}

fn ratios(operations: &[Operation], budget: Duration) {
    println!("VmVec / Vec, time: median [quartiles] of neighbouring turns");
    for Operation { name, bound, elements, make } in operations {
        let [mut vec, mut vm_vec] = make();
        let (mut ratios, mut times) = (Vec::new(), Vec::new());
        let start = Instant::now();
        while ratios.len() < 9 || start.elapsed() < budget && ratios.len() < 2001 {
            // The physical pages of an array decide how well it fits the caches, so make new arrays.
            if ratios.len() % 50 == 49 {
                [vec, vm_vec] = make();
            }
            // Which array goes first changes with every turn.
            let (a, b) = if ratios.len() % 2 == 0 {
                let a = vec();
                (a, vm_vec())
            } else {
                let b = vm_vec();
                (vec(), b)
            };
            ratios.push(b.as_secs_f64() / a.as_secs_f64());
            times.push(b.as_secs_f64() * 1e9);
        }
        let count = ratios.len();
        let Spread { p25, median, p75, .. } = Spread::of(ratios);
        #[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
        let ns = Spread::of(times).median / *elements as f64;
        let verdict = if !bound.is_finite() {
            String::new()
        } else if median <= *bound {
            format!("<= {bound:.2}")
        } else {
            format!("ABOVE {bound:.2}")
        };
        println!(
            "{name:42} {median:6.3} [{p25:6.3} {p75:6.3}] {ns:8.2} ns an element, \
             {count:4} turns  {verdict}"
        );
    }
}

fn main() {
    let has = |flag: &str| std::env::args().any(|arg| arg == flag);
    if has("--test") {
        return; // `cargo test --benches`: nothing to measure
    }
    let quick = has("--quick");
    let mut operations = operations();
    let after_ratios = std::env::args().skip_while(|arg| arg != "--ratios").nth(1);
    if let Some(text) = after_ratios.filter(|arg| !arg.starts_with('-')) {
        operations.retain(|one| one.name.contains(&text));
    }
    ratios(&operations, Duration::from_millis(if quick { 100 } else { 2000 }));
    if has("--ratios") {
        return;
    }
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    for Operation { name, elements, make, .. } in &operations {
        let [mut vec, mut vm_vec] = make();
        let mut group = criterion.benchmark_group(name.as_str());
        group.throughput(Throughput::Elements(*elements as u64));
        if quick {
            group.warm_up_time(Duration::from_millis(50));
            group.measurement_time(Duration::from_millis(200));
        }
        group.bench_function("Vec", |b| b.iter_custom(|n| (0..n).map(|_| vec()).sum()));
        group.bench_function("VmVec", |b| b.iter_custom(|n| (0..n).map(|_| vm_vec()).sum()));
        group.finish();
    }
    criterion.final_summary();
}
