//! Pushes by several threads, into arrays that are empty at first.

use std::cell::Cell;
use std::time::{Duration, Instant};

use bench_common::harness::Result;
use bench_common::jobs::{self, Rounds, rounds};
use bench_common::table::{Table, short, table, words};
use bench_common::{memory, numbers};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::cli::Plan;
use crate::meeting::{meet, share};

/// A size, and how it is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) threads: usize,
    pub(crate) element_bytes: usize,
    /// Elements of an array.
    pub(crate) total: usize,
    /// Arrays one after the other.
    pub(crate) arrays: usize,
    /// Whether they are one that is cleared, and not new ones.
    pub(crate) is_reused: bool,
}

/// The results of a child.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Pushed {
    pub(crate) push_ns: f64,
    /// Includes creating and dropping the array.
    life_ns: f64,
    lost: u64,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Filling {
    pub(crate) contender: Contender,
    pub(crate) case: Case,
}

impl jobs::Job for Filling {
    type Outcome = Pushed;

    fn run(&self) -> Result<Pushed> {
        let Self { contender, case } = *self;
        // An array that doubles and moves needs twice its size in addition.
        memory::touch((4 * case.total * case.element_bytes).max(16 << 20))?;
        Ok(match case.element_bytes {
            8 => contender.make::<u64, _>(*self),
            _ => contender.make::<[u64; 8], _>(*self),
        })
    }
}

impl<E: Element> Job<E> for Filling {
    type Outcome = Pushed;

    fn run<A: Array<E>>(self) -> Pushed {
        let Case { threads, total, arrays, is_reused, .. } = self.case;
        let all = Totals::below(total as u64);
        let (mut pushing, mut rest, mut lost) = (Duration::ZERO, Duration::ZERO, 0);
        let fill = |thread, array: &A| {
            let mut push = array.pusher();
            share(total, threads, thread).for_each(|number| push(E::of(number)));
        };
        // A filled one for the first round.
        let cleared = Cell::new(is_reused.then(|| {
            let mut array = A::new(total);
            fill(0, &array);
            array.clear();
            array
        }));
        meet(
            threads,
            arrays,
            || cleared.take().unwrap_or_else(|| A::new(total)),
            fill,
            |mut round| {
                let totals = round.array.totals();
                lost += missing(self.contender, totals, all);
                let begun = Instant::now();
                if is_reused {
                    round.array.clear();
                    cleared.set(Some(round.array));
                } else {
                    drop(round.array);
                }
                rest += round.made_in + begun.elapsed();
                pushing += round.worked_for;
            },
        );
        let per_push = |time: Duration| time.as_nanos() as f64 / (total * arrays) as f64;
        Pushed { push_ns: per_push(pushing), life_ns: per_push(pushing + rest), lost }
    }
}

/// Returns how many elements are missing; panics unless the peer is known for losses.
pub(crate) fn missing(contender: Contender, found: Totals, all: Totals) -> u64 {
    if contender != Contender::VirtualBuffer {
        assert_eq!(found, all, "{} has other elements than were pushed", contender.name());
    }
    all.count - found.count
}

/// Measures all arrays, interleaved.
pub(crate) fn measure(plan: &Plan) -> Result<Vec<Rounds<Filling>>> {
    let all = plan.cases.iter().flat_map(|&case| {
        plan.contenders.iter().map(move |&contender| Filling { contender, case })
    });
    let all = all.filter(|Filling { contender, case }| {
        contender.is_for(case.threads) && (!case.is_reused || contender.can_be_cleared())
    });
    rounds(all, plan.repetitions, |Filling { contender, case }| {
        format!("pushes of {} bytes, {}", case.element_bytes, contender.name())
    })
}

/// Returns a table for each size of elements and each total, with a row for each contender.
pub(crate) fn show(rows: &Vec<Rounds<Filling>>) -> Vec<(String, Table)> {
    let mut kinds: Vec<Kind> = Vec::new();
    for row in rows {
        let kind = kind(row);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.into_iter().map(|wanted| show_kind(rows, wanted)).collect()
}

pub(crate) fn threads_text(threads: usize) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

/// Bytes of an element, elements, arrays, and whether they are reused.
type Kind = (usize, usize, usize, bool);

fn kind(row: &Rounds<Filling>) -> Kind {
    let Case { element_bytes, total, arrays, is_reused, .. } = row.of.case;
    (element_bytes, total, arrays, is_reused)
}

fn show_kind(rows: &[Rounds<Filling>], wanted: Kind) -> (String, Table) {
    let rows: Vec<&Rounds<Filling>> = rows.iter().filter(|row| kind(row) == wanted).collect();
    let mut threads: Vec<usize> = rows.iter().map(|row| row.of.case.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let (bytes, total, arrays, is_reused) = wanted;
    let are_many = arrays > 1 && !is_reused;
    let mut header = words(["array"]);
    for threads in &threads {
        header.extend([format!("{}, ns", threads_text(*threads)), "range".to_owned()]);
        header.extend(are_many.then(|| "with make and drop".to_owned()));
    }
    header.push("lost".to_owned());
    let mut lines: Vec<Vec<String>> = Vec::new();
    for &contender in Contender::value_variants() {
        let own = || rows.iter().filter(|row| row.of.contender == contender);
        if own().next().is_none() {
            continue;
        }
        let mut line = vec![contender.name().to_owned()];
        for threads in &threads {
            match own().find(|row| row.of.case.threads == *threads) {
                Some(row) => {
                    line.extend(row.spread(|pushed| pushed.push_ns).range());
                    let whole = row.spread(|pushed| pushed.life_ns);
                    line.extend(are_many.then(|| short(whole.median)));
                }
                None => line.extend(vec![String::new(); if are_many { 3 } else { 2 }]),
            }
        }
        let found = own().flat_map(|row| &row.found);
        line.push(found.map(|pushed| pushed.lost).sum::<u64>().to_string());
        lines.push(line);
    }
    let total = numbers::text(total);
    let title = if is_reused {
        format!("pushes of {bytes} bytes to {total} elements, of an array that is cleared")
    } else if are_many {
        format!("pushes of {bytes} bytes to {total} elements, {arrays} arrays one after the other")
    } else {
        format!("pushes of {bytes} bytes to {total} elements")
    };
    (title, table(1, header, lines))
}
