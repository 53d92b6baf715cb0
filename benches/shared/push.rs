//! Pushes by several threads, into arrays that are empty at first.

use std::error::Error;
use std::time::{Duration, Instant};

use bench_common::spread::Spread;
use bench_common::table::{Table, short, table, words};
use bench_common::{memory, numbers};
use serde::{Deserialize, Serialize};

use crate::arrays::{Array, Contender, Element, Job, Totals};
use crate::rounds::{rounds, share};
use crate::task::{Task, in_turns};

/// What is pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) threads: usize,
    pub(crate) element_bytes: usize,
    /// Elements of an array.
    pub(crate) total: usize,
    /// Arrays one after the other.
    pub(crate) arrays: usize,
}

/// What a child has found.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Pushed {
    push_ns: f64,
    /// With making the array and dropping it.
    life_ns: f64,
    lost: u64,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) contender: Contender,
    pub(crate) case: Case,
    pub(crate) push_ns: Spread,
    life_ns: Spread,
    /// In all repetitions.
    pub(crate) lost: u64,
}

pub(crate) fn push(contender: Contender, case: Case) -> Result<Pushed, Box<dyn Error>> {
    // What doubles and moves needs its double besides.
    memory::touch((4 * case.total * case.element_bytes).max(16 << 20))?;
    Ok(match case.element_bytes {
        8 => contender.make::<u64, _>(Filling { contender, case }),
        _ => contender.make::<[u64; 8], _>(Filling { contender, case }),
    })
}

struct Filling {
    contender: Contender,
    case: Case,
}

impl<E: Element> Job<E> for Filling {
    type Found = Pushed;

    fn run<A: Array<E>>(self) -> Pushed {
        let Case { threads, total, arrays, .. } = self.case;
        let all = Totals::below(total as u64);
        let (mut pushing, mut rest, mut lost) = (Duration::ZERO, Duration::ZERO, 0);
        let fill = |thread, array: &A| {
            let mut push = array.pusher();
            share(total, threads, thread).for_each(|number| push(E::of(number)));
        };
        rounds(
            threads,
            arrays,
            || A::new(total),
            fill,
            |mut round| {
                let totals = round.array.totals();
                lost += missing(self.contender, totals, all);
                let begun = Instant::now();
                drop(round.array);
                rest += round.made_in + begun.elapsed();
                pushing += round.worked_for;
            },
        );
        let per_push = |time: Duration| time.as_nanos() as f64 / (total * arrays) as f64;
        Pushed { push_ns: per_push(pushing), life_ns: per_push(pushing + rest), lost }
    }
}

/// How many elements are not there, which one of the peers is known for.
pub(crate) fn missing(contender: Contender, found: Totals, all: Totals) -> u64 {
    if contender != Contender::VirtualBuffer {
        assert_eq!(found, all, "{} has other elements than were pushed", contender.name());
    }
    all.count - found.count
}

/// All of them in turns.
pub(crate) fn measure(
    contenders: &[Contender],
    cases: &[Case],
    repetitions: usize,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let pairs: Vec<(Contender, Case)> = cases
        .iter()
        .flat_map(|case| contenders.iter().map(|contender| (*contender, *case)))
        .filter(|(contender, case)| contender.is_for(case.threads))
        .collect();
    let tasks = pairs.iter().map(|&(contender, case)| Task::Push { contender, case });
    let found: Vec<Vec<Pushed>> = in_turns(&tasks.collect::<Vec<_>>(), repetitions)?;
    let rows = pairs.into_iter().zip(found).map(|((contender, case), found)| Row {
        contender,
        case,
        push_ns: Spread::of(found.iter().map(|pushed| pushed.push_ns)),
        life_ns: Spread::of(found.iter().map(|pushed| pushed.life_ns)),
        lost: found.iter().map(|pushed| pushed.lost).sum(),
    });
    Ok(rows.collect())
}

/// A table of each size of elements and each total, a line for each contender.
pub(crate) fn show(rows: &[Row]) -> Vec<(String, Table)> {
    let mut kinds: Vec<(usize, usize, usize)> = Vec::new();
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

fn kind(row: &Row) -> (usize, usize, usize) {
    (row.case.element_bytes, row.case.total, row.case.arrays)
}

fn show_kind(rows: &[Row], wanted: (usize, usize, usize)) -> (String, Table) {
    let rows: Vec<&Row> = rows.iter().filter(|row| kind(row) == wanted).collect();
    let mut threads: Vec<usize> = rows.iter().map(|row| row.case.threads).collect();
    threads.sort_unstable();
    threads.dedup();
    let (bytes, total, arrays) = wanted;
    let are_many = arrays > 1;
    let mut header = words(["array"]);
    for threads in &threads {
        header.extend([format!("{}, ns", threads_text(*threads)), "range".to_owned()]);
        header.extend(are_many.then(|| "made and dropped".to_owned()));
    }
    header.push("lost".to_owned());
    let mut lines: Vec<Vec<String>> = Vec::new();
    for contender in Contender::ALL {
        let own: Vec<&&Row> = rows.iter().filter(|row| row.contender == contender).collect();
        if own.is_empty() {
            continue;
        }
        let mut line = vec![contender.name().to_owned()];
        for threads in &threads {
            match own.iter().find(|row| row.case.threads == *threads) {
                Some(row) => {
                    line.extend(row.push_ns.range());
                    line.extend(are_many.then(|| short(row.life_ns.median)));
                }
                None => line.extend(vec![String::new(); if are_many { 3 } else { 2 }]),
            }
        }
        line.push(own.iter().map(|row| row.lost).sum::<u64>().to_string());
        lines.push(line);
    }
    let total = numbers::text(total);
    let title = if are_many {
        format!("pushes of {bytes} bytes to {total} elements, {arrays} arrays one after the other")
    } else {
        format!("pushes of {bytes} bytes to {total} elements")
    };
    (title, table(1, header, lines))
}
