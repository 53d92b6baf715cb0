//! The source follows the layers of ARCHITECTURE.md, and its rules about unsafe code and size.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A row of the table in ARCHITECTURE.md: a module, and the modules that it may use.
struct Layer {
    module: String,
    /// `None` if it may use all modules.
    may_use: Option<Vec<String>>,
}

/// The modules that may use all others, without naming them.
const MAY_USE_ALL: [&str; 5] = ["saved", "par", "bytemuck", "macros", "lib"];

/// Modules without any unsafe code.
const SAFE: [&str; 8] =
    ["error", "page", "container", "key", "index", "table", "secondary", "dense"];

/// The files of these that may have unsafe code, and declare the module that does.
const BUT: [&str; 2] = ["index/tags.rs", "index/mod.rs"];

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn layers() -> Vec<Layer> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    parse_layers(&page).unwrap_or_else(|wrong| panic!("ARCHITECTURE.md: {wrong}"))
}

/// Reads the table of layers. Every cell must have the expected form, so that a misspelt name permits nothing.
fn parse_layers(page: &str) -> Result<Vec<Layer>, String> {
    const HEAD: [&str; 2] = ["| module | what it is | may use |", "|---|---|---|"];
    let mut lines = page.lines().skip_while(|line| *line != HEAD[0]);
    if [lines.next(), lines.next()] != HEAD.map(Some) {
        return Err(format!("no table `{}`", HEAD[0]));
    }
    let name = |cell: &str| {
        let name = cell.strip_prefix('`').and_then(|cell| cell.strip_suffix('`'));
        let name = name.filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
        name.map(str::to_owned).ok_or_else(|| format!("not a module in backticks: {cell}"))
    };
    let mut layers: Vec<Layer> = Vec::new();
    for row in lines.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [module, _, may_use] = cells[..] else { return Err(format!("not three cells: {row}")) };
        let module = name(module)?;
        let may_use = match may_use {
            "all" => None,
            "none" => Some(Vec::new()),
            names => Some(names.split(", ").map(name).collect::<Result<Vec<_>, _>>()?),
        };
        let is_above = |name: &String| layers.iter().any(|layer| layer.module == *name);
        if is_above(&module) {
            return Err(format!("two rows for {module}"));
        }
        if let Some(name) = may_use.iter().flatten().find(|name| !is_above(name)) {
            return Err(format!("{module} may use {name}, which no row above is for"));
        }
        layers.push(Layer { module, may_use });
    }
    Ok(layers)
}

/// Adds all Rust files in a folder.
pub(crate) fn visit(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
}

pub(crate) fn sources() -> Vec<(PathBuf, String)> {
    let root = root().join("src");
    let mut files = Vec::new();
    visit(&root, &mut files);
    let mut files: Vec<_> = files
        .into_iter()
        .map(|(path, text)| (path.strip_prefix(&root).unwrap().to_owned(), text))
        .collect();
    files.sort();
    assert!(files.len() > 20, "these are not the sources");
    files
}

/// The top-level module of a file, given its path below `src`.
fn module_of(path: &Path) -> &str {
    let first = path.iter().next().and_then(|first| first.to_str()).unwrap();
    first.strip_suffix(".rs").unwrap_or(first)
}

pub(crate) fn is_unit_tests(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs")
        || path.iter().any(|part| part == "tests")
}

/// The text without comments, as far as single lines show.
pub(crate) fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The paths in code that begin with one of these names. A group in braces yields a path for each name in it.
fn paths<'c>(code: &'c str, first: &[&str]) -> Vec<Vec<&'c str>> {
    fn read<'c>(text: &'c str, path: &mut Vec<&'c str>, found: &mut Vec<Vec<&'c str>>) -> &'c str {
        if let Some(mut rest) = text.strip_prefix('{') {
            while !rest.trim_start().starts_with('}') {
                rest = read(rest.trim_start(), path, found);
                // Past a new name.
                rest = rest.trim_start_matches(|c| c != ',' && c != '}');
                rest = rest.strip_prefix(',').unwrap_or(rest);
            }
            return &rest.trim_start()[1..];
        }
        let (name, rest) = text.split_at(text.find(|c| !is_of_name(c)).unwrap_or(text.len()));
        path.push(name);
        let rest = match rest.strip_prefix("::") {
            Some(rest) if rest.starts_with(|c| is_of_name(c) || c == '{') => {
                read(rest, path, found)
            }
            _ => {
                found.push(path.clone());
                rest
            }
        };
        path.pop();
        rest
    }

    let mut found = Vec::new();
    for first in first {
        for (at, _) in code.match_indices(&format!("{first}::")) {
            // `$crate::` is for users of a macro.
            if !code[..at].ends_with(|c| is_of_name(c) || ":$".contains(c)) {
                read(&code[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

pub(crate) fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first name after each `crate::` in code.
fn used_modules(code: &str) -> Vec<String> {
    let paths = paths(code, &["crate"]);
    paths.iter().filter_map(|path| path.get(1)).map(|name| (*name).to_owned()).collect()
}

/// Returns the modules that a module uses without permission.
fn wrong_arrows(layers: &[Layer], module: &str, code: &str) -> Vec<String> {
    let Some(layer) = layers.iter().find(|layer| layer.module == module) else {
        return vec![format!("anything: ARCHITECTURE.md has no row for {module}")];
    };
    let Some(may_use) = &layer.may_use else { return Vec::new() };
    let mut used = used_modules(code);
    used.retain(|name| name != module && !may_use.contains(name));
    used
}

#[test]
fn modules_use_what_the_table_of_layers_names() {
    let layers = layers();
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources() {
        let module = module_of(&path);
        let used = used.entry(module.to_owned()).or_default();
        if is_unit_tests(&path) {
            continue;
        }
        let code = code(&text);
        let wrong = wrong_arrows(&layers, module, &code);
        assert!(wrong.is_empty(), "{} may not use {wrong:?}", path.display());
        used.extend(used_modules(&code));
    }
    let arrows: usize = used.values().map(BTreeSet::len).sum();
    assert!(arrows > 20, "the arrows are not seen");

    for Layer { module, may_use } in layers {
        let Some(used) = used.get(&module) else { panic!("no module for the row of {module}") };
        assert_eq!(may_use.is_none(), MAY_USE_ALL.contains(&&*module), "the row of {module}");
        let unused = may_use.into_iter().flatten().find(|name| !used.contains(name));
        assert_eq!(unused, None, "the row of {module} names a module that it does not use");
    }
}

#[test]
fn wrong_uses_of_modules_are_detected() {
    let layers = layers();
    let wrong_arrows = |module, code: &str| wrong_arrows(&layers, module, code);
    assert_eq!(wrong_arrows("os", "use crate::error::Error;\n"), [""; 0]);
    assert_eq!(wrong_arrows("os", "use crate::vec::VmVec;\n"), ["vec"]);
    assert_eq!(wrong_arrows("raw_vec", "let _ = crate::key::Key;"), ["key"]);
    let group = "use crate::{\n    error::{Error, ErrorKind},\n    vec::VmVec,\n};";
    assert_eq!(wrong_arrows("reservation", group), ["vec"]);
    assert_eq!(wrong_arrows("page", "pub(in crate::os) fn x() {}"), ["os"]);
    assert_eq!(wrong_arrows("poison", "use crate::os;"), ["os"]);
    // Also by the name that the crate exports.
    assert_eq!(wrong_arrows("raw_vec", "use crate::VmVec;"), ["VmVec"]);
    assert_eq!(wrong_arrows("vec", &code("//! [`Error`](crate::Error)\n")), [""; 0]);
    assert_eq!(wrong_arrows("news", ""), ["anything: ARCHITECTURE.md has no row for news"]);
}

#[test]
fn malformed_tables_of_layers_are_rejected() {
    let parse = |rows: &str| {
        let page = format!("a\n| module | what it is | may use |\n|---|---|---|\n{rows}\n\n| b |");
        parse_layers(&page).map(|layers| layers.len())
    };
    assert_eq!(parse("| `a` | x | none |\n| `b` | x | `a` |\n| `c` | x | all |"), Ok(3));
    assert_eq!(
        parse("| `b` | x | `a` |"),
        Err("b may use a, which no row above is for".to_owned())
    );
    assert_eq!(parse("| `a` | x | none |\n| `a` | x | all |"), Err("two rows for a".to_owned()));
    assert_eq!(parse("| `a` | x | a |"), Err("not a module in backticks: a".to_owned()));
    assert_eq!(parse("| `a` | none |"), Err("not three cells: | `a` | none |".to_owned()));
    assert!(parse_layers("| module | may use |").is_err());
}

/// The modules whose files have an order in ARCHITECTURE.md, with the names of the files in that order.
fn ordered_files() -> Vec<(String, Vec<String>)> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = page.lines().skip_while(|line| *line != "| module | files in order |").skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let names = |row: &str| row.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    rows.map(names).map(|mut names: Vec<_>| (names.remove(0), names)).collect()
}

/// The name of a file within its module, by its path below `src`: `b::c` for `a/b/c.rs`, and nothing for `a/mod.rs`.
fn file_name(path: &Path) -> String {
    let path = path.with_extension("");
    let names: Vec<_> = path.iter().skip(1).map(|name| name.to_str().unwrap()).collect();
    names.strip_suffix(&["mod"]).unwrap_or(&names).join("::")
}

/// The name within a module that a path in one of its files refers to; `None` if it is elsewhere.
fn name_within(module: &str, file: &str, mut path: &[&str]) -> Option<String> {
    let mut names: Vec<&str> = file.split("::").filter(|name| !name.is_empty()).collect();
    match path {
        ["crate", first, rest @ ..] if *first == module => (names, path) = (Vec::new(), rest),
        ["crate", ..] => return None,
        _ => {}
    }
    while let ["self" | "super", rest @ ..] = path {
        if path[0] == "super" {
            names.pop()?;
        }
        path = rest;
    }
    Some([&names, path].concat().join("::"))
}

/// Returns the uses of a later file by an earlier one. The files are given with their code.
///
/// If a file re-exports a name of another file, using it counts as using the other file.
fn arrows_back(module: &str, order: &[String], files: &[(String, String)]) -> Vec<String> {
    let mut exported = BTreeMap::new();
    let mut used = Vec::new();
    for (file, code) in files {
        let children = code.lines().filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'));
        let first: Vec<&str> = ["crate", "self", "super"].into_iter().chain(children).collect();
        for statement in code.split(';') {
            let is_export = |line: &str| line.starts_with("pub") && line.contains(" use ");
            let is_export = statement.lines().any(is_export);
            for path in paths(statement, &first) {
                let Some(name) = name_within(module, file, &path) else { continue };
                if is_export {
                    exported.insert(name_within(module, file, &path[path.len() - 1..]), name);
                } else {
                    used.push((file, name));
                }
            }
        }
    }

    let place_of = |name: &str| {
        let is_in = |file: &String| format!("{name}::").starts_with(&format!("{file}::"));
        let files = order.iter().enumerate().filter(|(_, file)| is_in(file));
        files.max_by_key(|(_, file)| file.len()).map(|(place, _)| place)
    };
    let arrows = used.into_iter().map(|(file, name)| {
        let name = exported.get(&Some(name.clone())).unwrap_or(&name).clone();
        (file, name)
    });
    let is_back = |(file, name): &(&String, String)| place_of(name) > place_of(file);
    arrows.filter(is_back).map(|(file, name)| format!("{file} -> {name}")).collect()
}

#[test]
fn files_only_use_earlier_files() {
    let orders = ordered_files();
    assert_eq!(orders.len(), 2, "the orders are not seen");
    for (module, order) in orders {
        let mut files = sources();
        files.retain(|(path, _)| module_of(path) == module && !is_unit_tests(path));
        let files: Vec<_> =
            files.iter().map(|(path, text)| (file_name(path), code(text))).collect();
        let names: BTreeSet<_> = files.iter().map(|(name, _)| &**name).collect();
        let ordered = order.iter().map(|name| &**name).chain([""]).collect();
        assert_eq!(names, ordered, "the files of {module}");
        assert_eq!(arrows_back(&module, &order, &files), [""; 0], "in {module}");
    }
}

#[test]
fn uses_of_later_files_are_detected() {
    let order = ["a", "b::c", "b", "d"].map(str::to_owned);
    let arrows = |file: &str, code: &str| {
        let root = (String::new(), "mod a;\nmod b;\nmod d;\npub use d::E;\n".to_owned());
        arrows_back("m", &order, &[root, (file.to_owned(), code.to_owned())])
    };
    assert_eq!(
        arrows("b", "mod c;\nuse self::c::{A, B};\nuse super::a;\nuse crate::n::d;"),
        [""; 0]
    );
    assert_eq!(arrows("b::c", "use super::super::a::A;\nfn f(a: crate::m::M) {}"), [""; 0]);
    assert_eq!(arrows("a", "use super::{b::{c::F, self}, M};"), ["a -> b::c::F", "a -> b::self"]);
    assert_eq!(arrows("b::c", "use super::X;"), ["b::c -> b::X"]);
    assert_eq!(arrows("b", "let x = crate::m::d::f();"), ["b -> d::f"]);
    assert_eq!(arrows("b", "use super::E;"), ["b -> d::E"]);
    assert_eq!(arrows("", "use d::E;\nmod d;"), [" -> d::E"]);
}

/// Returns the paths that a page names in backticks.
fn named_paths(page: &str) -> Vec<&str> {
    const ENDINGS: [&str; 5] = [".rs", ".md", ".toml", ".mjs", ".lock"];
    let is_path = |text: &&str| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
        text.chars().all(is_name)
            && (text.contains('/') || ENDINGS.iter().any(|ending| text.ends_with(ending)))
    };
    page.lines().flat_map(|line| line.split('`').skip(1).step_by(2)).filter(is_path).collect()
}

#[test]
fn pages_name_paths_that_exist() {
    // The package holds only a part of the repository.
    if !root().join(".ci").exists() {
        return;
    }
    for (page, least) in [("ARCHITECTURE.md", 30), ("CONTRIBUTING.md", 15)] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let paths = named_paths(&text);
        assert!(paths.len() >= least, "{page}: the paths are not seen");
        for path in paths {
            assert!(root().join(path).exists(), "{page}: {path} does not exist");
        }
    }
}

/// Returns the names of tests that a script selects or skips: words with many underscores, except for its own functions.
fn named_tests(script: &str) -> Vec<&str> {
    let words = script.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let is_name = |word: &str| word.matches('_').count() > 2 && !word.contains(char::is_uppercase);
    let is_own = |word: &str| script.contains(&format!("{word}() "));
    words.filter(|word| is_name(word) && !is_own(word)).collect()
}

#[test]
fn scripts_name_tests_that_exist() {
    // The package holds only a part of the repository.
    if !root().join(".ci").exists() {
        return;
    }
    let mut tests = sources();
    visit(&root().join("tests"), &mut tests);
    for (script, least) in [(".ci/cross", 10), (".ci/full", 2)] {
        let text = fs::read_to_string(root().join(script)).unwrap();
        let names = named_tests(&text);
        assert!(names.len() >= least, "{script}: the names are not seen");
        for name in names {
            let is_in = |line: &str| line.contains("fn ") && line.contains(name);
            let exists = tests.iter().any(|(_, text)| text.lines().any(is_in));
            assert!(exists, "{script}: no test is called {name}");
        }
    }
}

#[test]
fn names_of_tests_are_distinguished_from_other_words() {
    let script = "run_all_by_qemu() (\n--skip model:: --skip a_test_of_it A_B_C_D\nrun_all_by_qemu";
    assert_eq!(named_tests(script), ["a_test_of_it"]);
}

#[test]
fn paths_are_distinguished_from_other_code() {
    let page = "`src/a.rs` `a::b` and `Cargo.toml`,\n`.ci/run x` `--lib` `.ci/run` `VmVec`";
    assert_eq!(named_paths(page), ["src/a.rs", "Cargo.toml", ".ci/run"]);
}

/// Returns the numbers of lines with an unsafe block or implementation without a `// SAFETY:` before it.
fn undocumented_unsafe(text: &str) -> Vec<usize> {
    /// A statement may begin, and its comment end, some lines above.
    const NEAR: usize = 8;
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        if !code.contains("unsafe {") && !code.contains("unsafe impl") {
            continue;
        }
        let mut proven = false;
        for above in lines[i.saturating_sub(NEAR)..i].iter().rev() {
            let above = above.trim_start();
            if above.starts_with("// SAFETY:") {
                proven = true;
                break;
            }
            // The comment above belongs to another unsafe block.
            if !above.starts_with("//") && above.contains("unsafe {") {
                break;
            }
        }
        if !proven {
            found.push(i + 1);
        }
    }
    found
}

#[test]
fn every_unsafe_block_has_its_proof() {
    let (mut blocks, mut found) = (0, Vec::new());
    for (path, text) in sources() {
        let lines = undocumented_unsafe(&text);
        if !lines.is_empty() {
            found.push((path, lines));
        }
        blocks += code(&text).matches("unsafe {").count();
    }
    assert!(found.is_empty(), "{found:?}");
    assert!(blocks > 50, "the blocks are not seen");
}

#[test]
fn missing_proofs_are_detected() {
    let text = "// SAFETY: a\nlet x =\n    unsafe { f() };\nlet y = unsafe { g() };\n";
    assert_eq!(undocumented_unsafe(text), [4]);
    assert_eq!(undocumented_unsafe("unsafe impl Send for X {}\n"), [1]);
    assert_eq!(undocumented_unsafe("/// # Safety\nunsafe fn f() {}\n"), [0; 0]);
}

#[test]
fn modules_that_need_no_unsafe_code_forbid_it() {
    let mut forbidding = 0;
    for (path, text) in sources() {
        let file = path.to_string_lossy();
        let file = file.replace('\\', "/");
        // A file next to one that may have unsafe code forbids it itself.
        let is_root = !file.contains('/') || file.ends_with("mod.rs") || is_beside(&file);
        if SAFE.contains(&module_of(&path)) && is_root && !BUT.contains(&&*file) {
            assert!(text.contains("\n#![forbid(unsafe_code)]\n"), "{file}");
            forbidding += 1;
        }
    }
    assert!(forbidding >= 2);
}

/// Returns `true` if a file is in the folder of one that may have unsafe code.
fn is_beside(file: &str) -> bool {
    BUT.iter().any(|but| Path::new(but).parent() == Path::new(file).parent())
}

#[test]
fn files_are_short_and_finished() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines < 800 || is_unit_tests(&path), "{}: {lines} lines", path.display());
        let code = code(&text);
        for unfinished in ["todo!", "unimplemented!", "dbg!"] {
            assert!(!code.contains(unfinished), "{}: {unfinished}", path.display());
        }
        let has_header = text.starts_with("//!") || is_unit_tests(&path);
        assert!(has_header, "{}: says not what it is", path.display());
    }
}
