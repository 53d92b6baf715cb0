//! Compares the tables with the sources: a public type, or a method that runs user code, has a row or a reason.

use super::{
    Row, alignment, brands, bytes, forgotten, hints, numbers, panics, reentry, refusal, threads,
    variance,
};
use crate::family::read_methods;
use crate::tidy::{code, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// All types that have elements, or memory for those of others.
const CONTAINERS: &str = "VmVec GrowOnly BlockVec GrowOnlyBlockVec Columns GrowOnlyColumns Groups ErasedColumn \
    SlotMap GrowOnlyMap DenseSlotMap GrowOnlyDenseMap SecondaryMap SparseSecondaryMap GrowOnlySecondaryMap Table \
    UniqueIndex SetIndex ListIndex Grid SortedGrid ListPool SecondaryLists StrPool SharedVec SharedSlotMap Arena \
    Scope ArenaBox VmAlloc GlobalVm FileVec GrowOnlyFile Follow FileBacking Snapshot Reservation GrowingReservation";

/// The other types: why they have no rows of their own but in `threads`, and their names.
const OTHERS: &[(&str, &str)] = &[
    (
        "iterators and guards, in the rows of the container that makes them",
        "IntoIter IntoKeys IntoValues Iter IterMut Keys Values ValuesMut Drain ExtractIf Splice BlockIter BlockIterMut \
        GrowOnlyIter IterFinished Gather VecMut MapMut VacantEntry OccupiedEntry Entry ListMut ListHandle ScopeGuard \
        Found FollowIter Slots Locked Weak Unsizing",
    ),
    (
        "iterators of rayon, in the tests of parallel iterators",
        "ParIter ParIterMut ParIntoIter ParDrain ParPairs",
    ),
    (
        "options",
        "BlockVecBuilder Blocks FileVecBuilder Space Lock Advice Mutable AppendOnly Reuse Growth Budget HugePages \
        ReservationBuilder ArenaBuilder CommitAhead Release SnapshotBuilder Builder Global",
    ),
    (
        "figures and errors",
        "FileVecStats FileError FileErrorKind Error ErrorKind Refused MemoryMap BlockVecStats Compacted ListClass \
        DisjointError Prefaulted GivenBack ArenaStats AllocStats SizeClassStats ServiceStats RegionCacheStats \
        IndexStats VecStats Near Removed",
    ),
    ("keys and parts of rows", "KeyData Bits32 Bits64 Concat Hashed FromSlotmap"),
    (
        "cannot be named by users",
        "Source Sink FileProblem Options SlotLookup KeyOptions Bitmap RowOptions SlotRatio Plan Start",
    ),
];

/// Why a class has no case for containers.
type Reasons = &'static [(&'static str, &'static str)];

struct Class {
    name: &'static str,
    rows: fn() -> Vec<Row>,
    without: Reasons,
}

const NO_DROP: &str = "elements are plain data, which runs no code";
const NUMBERS_ONLY: &str = "holds numbers of slots, which have no drop";
const MEMORY: &str = "holds no elements";
const MUTABLE: &str = "calls that run user code borrow it mutably";
const FILES: &str = "in `tests/files`";
const ALLOCATORS: &str = "in `tests/allocator` and `vm_alloc.rs`";

const CLASSES: &[Class] = &[
    Class {
        name: "panics",
        rows: panics::rows,
        without: &[
            (NO_DROP, "StrPool FileVec GrowOnlyFile Follow FileBacking Snapshot"),
            (MEMORY, "Reservation GrowingReservation VmAlloc GlobalVm"),
        ],
    },
    Class {
        name: "hints",
        rows: hints::rows,
        without: &[
            (
                "takes no iterators",
                "ErasedColumn GrowOnlyColumns GrowOnlyMap GrowOnlyDenseMap GrowOnlySecondaryMap UniqueIndex SetIndex \
                ListIndex Grid SortedGrid VmAlloc GlobalVm GrowOnlyFile Follow FileBacking Snapshot Reservation \
                GrowingReservation",
            ),
            (FILES, "FileVec"),
        ],
    },
    Class {
        name: "reentry",
        rows: reentry::rows,
        without: &[
            (
                MUTABLE,
                "VmVec BlockVec Columns Groups ErasedColumn SlotMap DenseSlotMap SecondaryMap SparseSecondaryMap Table \
                UniqueIndex SetIndex ListIndex Grid ListPool SecondaryLists StrPool FileVec",
            ),
            (
                "calls run no user code; keys that call again are in `slot_map_hostile.rs`",
                "GrowOnlyColumns GrowOnlyMap GrowOnlyDenseMap GrowOnlySecondaryMap GrowOnlyFile",
            ),
            (
                "shared references only read",
                "SortedGrid Follow Snapshot FileBacking Reservation GrowingReservation",
            ),
            ("allocators run none of a container's code", "VmAlloc GlobalVm"),
        ],
    },
    Class {
        name: "forgotten",
        rows: forgotten::rows,
        without: &[
            (NUMBERS_ONLY, "UniqueIndex SetIndex ListIndex Grid SortedGrid"),
            (NO_DROP, "ErasedColumn StrPool FileVec GrowOnlyFile Follow FileBacking Snapshot"),
            (MEMORY, "VmAlloc GlobalVm Reservation GrowingReservation"),
        ],
    },
    Class {
        name: "numbers",
        rows: numbers::rows,
        without: &[
            (FILES, "FileVec GrowOnlyFile Follow FileBacking Snapshot"),
            (ALLOCATORS, "VmAlloc GlobalVm"),
            ("as in those of `Arena`, by the same macro", "Scope ArenaBox"),
        ],
    },
    Class { name: "threads", rows: threads::rows, without: &[] },
    Class {
        name: "variance",
        rows: variance::rows,
        without: &[
            (
                "no lifetime of elements",
                "ErasedColumn UniqueIndex SetIndex ListIndex Grid SortedGrid StrPool Arena VmAlloc GlobalVm FileVec \
                GrowOnlyFile Follow FileBacking Snapshot Reservation GrowingReservation",
            ),
            (
                "invariant, in `variance.md`",
                "GrowOnly GrowOnlyBlockVec GrowOnlyColumns GrowOnlyMap GrowOnlyDenseMap GrowOnlySecondaryMap SharedVec \
                SharedSlotMap",
            ),
            ("invariant, since rows are types of the user's", "Columns Groups Table"),
            ("its lifetime is a brand: doc tests of `Scope`", "Scope"),
        ],
    },
    Class {
        name: "brands",
        rows: brands::rows,
        without: &[
            (
                "has no keys",
                "VmVec GrowOnly BlockVec GrowOnlyBlockVec Columns GrowOnlyColumns Groups ErasedColumn UniqueIndex \
                SetIndex ListIndex Grid SortedGrid SharedVec VmAlloc GlobalVm FileVec GrowOnlyFile Follow FileBacking \
                Snapshot Reservation GrowingReservation",
            ),
            ("by lifetimes: doc tests of `Scope` and `ArenaBox`", "Arena Scope ArenaBox"),
        ],
    },
    Class {
        name: "alignment",
        rows: alignment::rows,
        without: &[
            (NUMBERS_ONLY, "UniqueIndex SetIndex ListIndex Grid SortedGrid"),
            ("bytes", "StrPool"),
            (ALLOCATORS, "VmAlloc GlobalVm"),
            (FILES, "FileVec GrowOnlyFile Follow FileBacking Snapshot"),
        ],
    },
    Class {
        name: "refusal",
        rows: refusal::rows,
        without: &[
            ("its memory is the global allocator's", "SparseSecondaryMap SortedGrid"),
            ("in `erased.rs`", "ErasedColumn"),
            ("has its value already", "ArenaBox"),
            (FILES, "FileVec GrowOnlyFile Follow FileBacking Snapshot"),
            ("in `tests/limits`", "VmAlloc GlobalVm Reservation GrowingReservation"),
        ],
    },
    Class {
        name: "bytes",
        rows: bytes::rows,
        without: &[(
            "is not made from bytes",
            "GrowOnly GrowOnlyBlockVec GrowOnlyColumns Groups ErasedColumn GrowOnlyMap GrowOnlyDenseMap \
            GrowOnlySecondaryMap UniqueIndex SetIndex ListIndex Grid SortedGrid Arena Scope ArenaBox VmAlloc GlobalVm \
            FileBacking Reservation GrowingReservation",
        )],
    },
];

/// Methods with user code that need no case in `panics`.
const NO_CASES: &[(&str, &str)] = &[
    ("makes the value as `or_insert_with` does", "Entry::or_default"),
    ("its elements are plain data: in `tests/files`", "FileVec::try_extend"),
    ("only its hasher is the user's", "SparseSecondaryMap::load SparseSecondaryMap::save"),
];

/// Types whose methods are in the rows of a container.
const IN_ROWS_OF: &[(&str, &str)] =
    &[("ListMut", "ListPool"), ("Entry", "SecondaryMap"), ("Gather", "SharedVec")];

fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
}

/// The number of cases of each container in a class.
fn counts(class: &Class) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for row in (class.rows)() {
        for container in row.container.split(", ") {
            *counts.entry(container).or_default() += row.cases.len();
        }
    }
    counts
}

#[test]
fn public_types_are_containers_or_have_a_reason_not_to_be() {
    let known: BTreeSet<&str> =
        names(CONTAINERS).chain(OTHERS.iter().flat_map(|(_, others)| names(others))).collect();
    let mut missing = Vec::new();
    let types: BTreeSet<String> = threads::types()
        .into_iter()
        .map(|text| super::of_type(text).container.to_owned())
        .collect();
    let mut seen = 0;
    for (path, text) in sources() {
        for line in code(&text).lines() {
            let Some(rest) = line.trim_start().strip_prefix("pub ") else { continue };
            let mut words = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
            let is_type =
                words.next().is_some_and(|word| ["struct", "enum", "union"].contains(&word));
            let name = words.next().unwrap_or_default();
            if !is_type
                || name.is_empty()
                || name.starts_with('$')
                || path.iter().any(|part| part == "tests")
            {
                continue;
            }
            seen += 1;
            let is_stats = name.ends_with("Stats") || name == "DefaultKey";
            if !known.contains(name) && !is_stats {
                missing.push(format!("{name} in {}", path.display()));
            }
            let is_hidden = [OTHERS[1], OTHERS[5]]
                .iter()
                .any(|(_, others)| names(others).any(|other| other == name));
            if !types.contains(name) && !is_hidden && name != "Builder" {
                missing.push(format!("{name} in {}: not in `threads`", path.display()));
            }
        }
    }
    assert!(seen > 100, "the types are not seen");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn each_class_has_cases_of_each_container_or_one_reason() {
    let mut wrong = Vec::new();
    for class in CLASSES {
        let counts = counts(class);
        for container in names(CONTAINERS) {
            let reasons = class
                .without
                .iter()
                .filter(|(_, without)| names(without).any(|name| name == container));
            let (reasons, has) = (reasons.count(), counts.contains_key(container));
            if reasons != usize::from(!has) {
                wrong.push(format!("{}: {container} has {reasons} reasons", class.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn methods_that_run_user_code_have_a_case_or_a_reason() {
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for row in panics::rows() {
        for (text, _) in row.cases {
            let text = text.split_whitespace().collect::<String>();
            texts.entry(row.container).or_default().push_str(&text);
        }
    }
    let mut missing = Vec::new();
    let (mut seen, mut used) = (0, BTreeSet::new());
    for (of, methods) in methods_of_all() {
        let container = IN_ROWS_OF
            .iter()
            .find(|(name, _)| *name == of)
            .map_or(&*of, |(_, container)| container);
        if !names(CONTAINERS).any(|name| name == container) {
            continue;
        }
        for name in methods {
            seen += 1;
            let has_case = texts.get(container).is_some_and(|texts| {
                [".", "::"].iter().any(|before| {
                    ["(", "::<"]
                        .iter()
                        .any(|after| texts.contains(&format!("{before}{name}{after}")))
                })
            });
            let full = format!("{of}::{name}");
            let reason =
                NO_CASES.iter().position(|(_, methods)| names(methods).any(|other| other == full));
            match (has_case, reason) {
                (true, None) => {}
                (false, Some(_)) => _ = used.insert(full),
                _ => missing.push(format!(
                    "{full}: has a case: {has_case}, has a reason: {}",
                    reason.is_some()
                )),
            }
        }
    }
    let reasons = NO_CASES.iter().flat_map(|(_, methods)| names(methods));
    missing.extend(
        reasons.filter(|name| !used.contains(*name)).map(|name| format!("{name}: no such method")),
    );
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 100, "the methods are not seen");
}

/// The methods that run user code, of each type.
fn methods_of_all() -> Vec<(String, BTreeSet<String>)> {
    let mut all: Vec<(String, BTreeSet<String>)> = read_methods()
        .into_iter()
        .map(|(of, methods)| {
            (
                of,
                methods
                    .into_iter()
                    .filter(|method| method.runs_user_code)
                    .map(|method| method.name)
                    .collect(),
            )
        })
        .collect();
    // Those of arenas are in the arguments of a macro: `fn name, try_name [generics] (parameters)`.
    let (_, arena) = sources()
        .into_iter()
        .find(|(path, _)| path.ends_with("arena/methods.rs"))
        .expect("it is there");
    let arena = code(&arena);
    let twins = arena.split(" fn ").skip(1).filter_map(|twin| {
        let (names, rest) = twin.split_once('[')?;
        let (head, _) = rest.split_once('{')?;
        let takes_code = ["FnMut", "FnOnce", "IntoIterator", "Clone", "Default"]
            .iter()
            .any(|word| head.contains(word));
        let names = names.split(',').map(|name| name.trim().to_owned());
        (takes_code && head.len() < 300).then(|| names.collect::<Vec<_>>())
    });
    let twins: BTreeSet<String> = twins
        .flatten()
        .filter(|name| name.contains("alloc_") && !name.contains(['<', '(']))
        .collect();
    assert!(twins.len() >= 18, "{twins:?}");
    all.push(("Arena".to_owned(), twins.clone()));
    all.push(("Scope".to_owned(), twins));
    all
}

/// The number of cases of each class and container, as a table.
fn table() -> String {
    let mut table = String::from("| container |");
    for class in CLASSES {
        write!(table, " {} |", class.name).expect("it is text");
    }
    table.push_str("\n|---|");
    table.push_str(&"--:|".repeat(CLASSES.len()));
    table.push('\n');
    let counts: Vec<_> = CLASSES.iter().map(counts).collect();
    for container in names(CONTAINERS) {
        write!(table, "| {container} |").expect("it is text");
        for counts in &counts {
            match counts.get(container) {
                Some(count) => write!(table, " {count} |"),
                None => write!(table, " |"),
            }
            .expect("it is text");
        }
        table.push('\n');
    }
    table
}

#[test]
fn the_table_in_the_docs_is_as_computed() {
    let table = table();
    println!("{table}");
    let docs = include_str!("table.md").replace('\r', "");
    assert!(docs.trim_end().ends_with(table.trim_end()), "table.md should end with:\n{table}");
}
