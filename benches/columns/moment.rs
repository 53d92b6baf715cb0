//! One pass over rows: by a loop over the rows, and by `in_columns`.

#![expect(clippy::many_single_char_names, reason = "the usual names of coordinates")]

use std::hint::black_box;
use std::time::Instant;

use bench_common::harness::Result;
use bench_common::jobs::{Rounds, rounds_of};
use bench_common::table::{Table, header, met, short};
use bench_common::{numbers::text, small};
use serde::Serialize;
use stayput::columns::in_columns;
use stayput::{DefaultKey, SlotMap, VmVec};

#[derive(Debug)]
pub(crate) struct Extent {
    pub(crate) rows: Vec<usize>,
    pub(crate) repetitions: usize,
}

pub(crate) const TITLE: &str =
    "in_columns: one pass over rows that need 24 bytes of each, ns a row";

/// The bound that the project has set itself for the time of a pass of 40 operations, over that of the loop over rows.
const MOST: f64 = 0.7;

const DT: f32 = 1.0 / 1024.0;

/// Position and velocity.
type Part = (f32, f32, f32, f32, f32, f32);

/// A row of 64 bytes with 10 words, and of 200 bytes with 44.
#[derive(Clone)]
struct Body<const WORDS: usize> {
    position: [f32; 3],
    velocity: [f32; 3],
    others: [u32; WORDS],
}

impl<const WORDS: usize> Body<WORDS> {
    #[expect(clippy::cast_precision_loss, reason = "they are below 1024")]
    fn of(number: u32) -> Self {
        let small = |factor: u32| (number.wrapping_mul(factor) % 1024) as f32 / 1024.0 + 1.0;
        Self {
            position: [3, 5, 7].map(small),
            velocity: [11, 13, 17].map(small),
            others: [number; WORDS],
        }
    }

    #[inline(always)]
    fn part(&self) -> Part {
        let ([x, y, z], [u, v, w]) = (self.position, self.velocity);
        (x, y, z, u, v, w)
    }

    #[inline(always)]
    fn set(&mut self, (x, y, z, u, v, w): Part) {
        self.position = [x, y, z];
        self.velocity = [u, v, w];
    }

    /// A number that depends on all fields.
    fn digest(&self) -> u64 {
        let words = self.position.iter().chain(&self.velocity).map(|value| value.to_bits());
        words.chain(self.others).fold(0, |sum: u64, word| sum.rotate_left(5) ^ u64::from(word))
    }
}

fn numbers(rows: usize) -> impl Iterator<Item = u32> {
    0..u32::try_from(rows).expect("rows are limited")
}

/// What a pass does with a row.
trait Pass {
    const NAME: &'static str;
    const MOST: Option<f64> = None;

    fn next(part: Part) -> Part;
}

/// A multiplication and an addition.
struct Two;

impl Pass for Two {
    const NAME: &'static str = "2 operations";

    #[inline(always)]
    fn next((x, y, z, u, v, w): Part) -> Part {
        (x + DT * u, y, z, u, v, w)
    }
}

/// 41 additions, subtractions and multiplications: a spring that stiffens, and a drag that grows with the speed.
struct Forty;

impl Pass for Forty {
    const NAME: &'static str = "41 operations";
    const MOST: Option<f64> = Some(MOST);

    #[inline(always)]
    fn next((x, y, z, u, v, w): Part) -> Part {
        let far = x * x + y * y + z * z;
        let pull = 0.01 * far * far - 0.1 * far - 1.0;
        let fast = u * u + v * v + w * w;
        let drag = 1.0 - DT * (0.1 + 0.01 * fast);
        let (a, b, c) = (pull * x + 0.5 * v, pull * y - 0.5 * u, pull * z);
        let (u, v, w) = ((u + DT * a) * drag, (v + DT * b) * drag, (w + DT * c) * drag);
        (x + DT * u, y + DT * v, z + DT * w, u, v, w)
    }
}

/// 37 operations, two of them square roots and one a division: gravity, and a drag that grows with the speed.
struct Roots;

impl Pass for Roots {
    const NAME: &'static str = "37 operations, 2 roots, 1 division";
    const MOST: Option<f64> = Some(MOST);

    #[inline(always)]
    fn next((x, y, z, u, v, w): Part) -> Part {
        let near = 1.0 / (x * x + y * y + z * z + 0.01).sqrt();
        let pull = -near * near * near;
        let drag = 1.0 - DT * 0.1 * (u * u + v * v + w * w).sqrt();
        let (a, b, c) = (pull * x, pull * y, pull * z);
        let (u, v, w) = ((u + DT * a) * drag, (v + DT * b) * drag, (w + DT * c) * drag);
        (x + DT * u, y + DT * v, z + DT * w, u, v, w)
    }
}

/// What the rows are in.
trait Bodies<const WORDS: usize> {
    const NAME: &'static str;

    fn of(rows: usize) -> Self;

    fn all(&mut self) -> impl Iterator<Item = &mut Body<WORDS>>;
}

impl<const WORDS: usize> Bodies<WORDS> for VmVec<Body<WORDS>> {
    const NAME: &'static str = "VmVec";

    fn of(rows: usize) -> Self {
        numbers(rows).map(Body::of).collect()
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Body<WORDS>> {
        self.iter_mut()
    }
}

impl<const WORDS: usize> Bodies<WORDS> for SlotMap<DefaultKey, Body<WORDS>> {
    const NAME: &'static str = "SlotMap, a quarter holes";

    fn of(rows: usize) -> Self {
        let mut map: Self = numbers(rows + rows / 3).map(Body::of).collect();
        let keys: Vec<DefaultKey> = map.keys().step_by(4).take(map.len() - rows).collect();
        for key in keys {
            map.remove(key);
        }
        map
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Body<WORDS>> {
        self.values_mut()
    }
}

// The timed loops. Never inlined, so that all are compiled in the same surroundings.

#[inline(never)]
fn plain<P: Pass, B: Bodies<WORDS>, const WORDS: usize>(bodies: &mut B) {
    for body in bodies.all() {
        body.set(P::next(body.part()));
    }
}

#[inline(never)]
fn columns<P: Pass, B: Bodies<WORDS>, const WORDS: usize>(bodies: &mut B) {
    in_columns(
        bodies.all(),
        |body| body.part(),
        |(x, y, z, u, v, w)| step::<P>(x, y, z, u, v, w),
        Body::set,
    );
}

#[inline(never)]
fn step<P: Pass>(
    x: &mut [f32],
    y: &mut [f32],
    z: &mut [f32],
    u: &mut [f32],
    v: &mut [f32],
    w: &mut [f32],
) {
    // Slices of a known common length, so that the compiler omits bounds checks.
    let len = x.len();
    let (y, z, u) = (&mut y[..len], &mut z[..len], &mut u[..len]);
    let (v, w) = (&mut v[..len], &mut w[..len]);
    for i in 0..len {
        (x[i], y[i], z[i], u[i], v[i], w[i]) = P::next((x[i], y[i], z[i], u[i], v[i], w[i]));
    }
}

/// The results, in ns a row.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Outcome {
    plain: f64,
    in_columns: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Case {
    rows: usize,
    row_bytes: usize,
    container: &'static str,
    pass: &'static str,
    most: Option<f64>,
    #[serde(skip)]
    measure: fn(usize) -> Outcome,
}

pub(crate) type Row = Rounds<Case, Outcome>;

/// Times both loops on the same rows, one after the other, and checks that they store the same.
fn measure_once<P: Pass, B: Bodies<WORDS>, const WORDS: usize>(rows: usize) -> Outcome {
    let passes = small::structures(rows);
    let both = [plain::<P, B, WORDS> as fn(&mut B), columns::<P, B, WORDS>].map(|pass| {
        let mut bodies = B::of(rows);
        pass(&mut bodies);
        let start = Instant::now();
        for _ in 0..passes {
            pass(black_box(&mut bodies));
        }
        let time = start.elapsed();
        let state = |sum: u64, body: &mut Body<WORDS>| sum.rotate_left(1) ^ body.digest();
        #[expect(clippy::cast_precision_loss, reason = "2^53 are out of reach")]
        let count = (rows * passes) as f64;
        (time.as_secs_f64() * 1e9 / count, bodies.all().fold(0, state))
    });
    assert_eq!(both[0].1, both[1].1, "the loops store different numbers");
    Outcome { plain: both[0].0, in_columns: both[1].0 }
}

fn case<P: Pass, B: Bodies<WORDS>, const WORDS: usize>(rows: usize) -> Case {
    Case {
        rows,
        row_bytes: size_of::<Body<WORDS>>(),
        container: B::NAME,
        pass: P::NAME,
        most: P::MOST,
        measure: measure_once::<P, B, WORDS>,
    }
}

fn cases<B: Bodies<WORDS>, const WORDS: usize>(rows: usize) -> [Case; 3] {
    [case::<Two, B, WORDS>(rows), case::<Forty, B, WORDS>(rows), case::<Roots, B, WORDS>(rows)]
}

/// Measures all cases, interleaved: each repetition visits all of them before the next begins, in new memory.
pub(crate) fn measure(extent: &Extent) -> Result<Vec<Row>> {
    let all = extent.rows.iter().flat_map(|&rows| {
        [
            cases::<VmVec<Body<10>>, 10>(rows),
            cases::<VmVec<Body<44>>, 44>(rows),
            cases::<SlotMap<DefaultKey, Body<10>>, 10>(rows),
            cases::<SlotMap<DefaultKey, Body<44>>, 44>(rows),
        ]
    });
    let name = |case: &Case| format!("{}, {}", case.container, case.pass);
    rounds_of(all.flatten(), extent.repetitions, name, |case| Ok((case.measure)(case.rows)))
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let header = header(
        "rows | bytes | in a | pass | loop over rows | range | in_columns | range | \
         in_columns / loop | quartiles | at most | met",
    );
    let cells = |row: &Row| {
        let Case { rows, row_bytes, container, pass, most, .. } = row.of;
        let ratio = row.spread(|found| found.in_columns / found.plain);
        let mut cells = vec![text(rows), row_bytes.to_string()];
        cells.extend([container, pass].map(str::to_owned));
        cells.extend(row.spread(|found| found.plain).range());
        cells.extend(row.spread(|found| found.in_columns).range());
        cells.push(short(ratio.median));
        cells.push(format!("{}–{}", short(ratio.p25), short(ratio.p75)));
        if let Some(most) = most {
            cells.extend(met(ratio.median, most));
        }
        cells
    };
    bench_common::table::table(4, header, rows.iter().map(cells).collect())
}
