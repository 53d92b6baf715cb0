//! The source keeps to the layers, and to what the design says about unsafe code and size.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules in the order of the design's table, and what each may use of those before it.
const LAYERS: [(&str, &[&str]); 27] = [
    ("error", &[]),
    ("heap", &["error"]),
    ("page", &[]),
    ("os", &["error", "page"]),
    ("reservation", &["os", "page", "error"]),
    ("backing", &["heap", "error"]),
    ("keeper", &["reservation", "os"]),
    ("service", &["keeper", "reservation", "backing", "os", "page", "heap", "error"]),
    ("growing", &["keeper", "reservation", "backing", "service", "os", "page", "heap", "error"]),
    ("raw_vec", &["growing", "keeper", "reservation", "backing", "service", "heap", "error"]),
    ("vec", &["raw_vec", "growing", "reservation", "backing", "service", "os", "page", "error"]),
    ("block_vec", &["vec", "growing", "reservation", "heap", "error"]),
    ("key", &[]),
    (
        "slot_map",
        &["vec", "key", "raw_vec", "growing", "reservation", "backing", "service", "heap", "error"],
    ),
    (
        "secondary",
        &["vec", "key", "slot_map", "raw_vec", "growing", "reservation", "backing", "error"],
    ),
    ("index", &["vec", "key", "slot_map", "raw_vec", "growing", "error"]),
    ("table", &["index", "vec", "key", "slot_map", "raw_vec", "growing", "error"]),
    ("columns", &["vec", "raw_vec", "growing", "reservation", "heap", "error"]),
    ("dense", &["columns", "vec", "key", "slot_map", "raw_vec", "growing", "heap", "error"]),
    (
        "shared",
        &[
            "vec",
            "key",
            "slot_map",
            "raw_vec",
            "growing",
            "reservation",
            "backing",
            "os",
            "heap",
            "error",
        ],
    ),
    ("alloc", &["growing", "keeper", "reservation", "service", "error"]),
    (
        "file",
        &[
            "table",
            "dense",
            "secondary",
            "slot_map",
            "vec",
            "key",
            "raw_vec",
            "growing",
            "reservation",
            "backing",
            "os",
            "heap",
            "error",
        ],
    ),
    // Other names for what is there, and look-ups that the caller vouches for.
    ("names", &["slot_map", "secondary"]),
    ("unchecked", &["key", "block_vec", "secondary", "dense"]),
    // Leaves, which may use anything: `leaf_or_root` lets them.
    ("saved", &[]),
    ("par", &[]),
    ("bytemuck", &[]),
];

/// Where everything is put together, and the leaves.
fn leaf_or_root(module: &str) -> bool {
    matches!(module, "lib" | "macros" | "saved" | "par" | "bytemuck")
}

/// What stands on nothing, and is used by whoever takes notes in it.
const ANYWHERE: &str = "poison";

/// Modules without any unsafe code.
const SAFE: [&str; 7] = ["error", "page", "key", "index", "table", "secondary", "dense"];

/// The one file of them that may have some, and the one that names it.
const BUT: [&str; 2] = ["index/tags.rs", "index/mod.rs"];

fn sources() -> Vec<(PathBuf, String)> {
    fn visit(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
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

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
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

/// The top module that a file, by its path below `src`, belongs to.
fn module_of(path: &Path) -> &str {
    let first = path.iter().next().and_then(|first| first.to_str()).unwrap();
    first.strip_suffix(".rs").unwrap_or(first)
}

fn is_unit_tests(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs")
        || path.iter().any(|part| part == "tests")
}

/// The text without comments, as far as lines tell.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// The first names after each `crate::` in code.
fn used_modules(code: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        // `$crate::` is for those who use a macro.
        if code[..at].ends_with('$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        let name = |text: &str| -> String {
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        let Some(group) = rest.strip_prefix('{') else {
            used.push(name(rest));
            continue;
        };
        let mut depth = 0_i32;
        let mut start = true;
        for (i, c) in group.char_indices() {
            if depth == 0 && start && (c.is_alphanumeric() || c == '_') {
                used.push(name(&group[i..]));
                start = false;
            }
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                _ => {}
            }
        }
    }
    used
}

/// What a module uses and may not.
fn wrong_arrows(module: &str, code: &str) -> Vec<String> {
    if leaf_or_root(module) {
        return Vec::new();
    }
    if module == ANYWHERE {
        return used_modules(code);
    }
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == module) else {
        return vec!["a module that the table of layers does not know".to_owned()];
    };
    let mut used = used_modules(code);
    used.retain(|name| name != module && name != ANYWHERE && !allowed.contains(&name.as_str()));
    used
}

#[test]
fn arrows_between_modules_point_down() {
    let mut arrows = 0;
    for (path, text) in sources() {
        if is_unit_tests(&path) {
            continue;
        }
        let (module, code) = (module_of(&path), code(&text));
        let wrong = wrong_arrows(module, &code);
        assert!(wrong.is_empty(), "{} may not use {wrong:?}", path.display());
        arrows += used_modules(&code).len();
    }
    assert!(arrows > 20, "the arrows are not seen");
}

#[test]
fn wrong_arrows_are_seen() {
    assert_eq!(wrong_arrows("os", "use crate::error::Error;\n"), [""; 0]);
    assert_eq!(wrong_arrows("os", "use crate::vec::VmVec;\n"), ["vec"]);
    assert_eq!(wrong_arrows("raw_vec", "let _ = crate::key::Key;"), ["key"]);
    let group = "use crate::{\n    error::{Error, ErrorKind},\n    vec::VmVec,\n};";
    assert_eq!(wrong_arrows("reservation", group), ["vec"]);
    assert_eq!(wrong_arrows("page", "pub(in crate::os) fn x() {}"), ["os"]);
    // By the name that the crate gives it to others, too.
    assert_eq!(wrong_arrows("raw_vec", "use crate::VmVec;"), ["VmVec"]);
    assert_eq!(wrong_arrows("vec", &code("//! [`Error`](crate::Error)\n")), [""; 0]);
    assert_eq!(wrong_arrows("news", ""), ["a module that the table of layers does not know"]);
}

/// Numbers of lines with an unsafe block, or an unsafe implementation, that no `// SAFETY:`
/// stands before.
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
            // Another unsafe block has taken the comment above it.
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
    let mut blocks = 0;
    for (path, text) in sources() {
        let found = undocumented_unsafe(&text);
        assert!(found.is_empty(), "{}: lines {found:?}", path.display());
        blocks += code(&text).matches("unsafe {").count();
    }
    assert!(blocks > 50, "the blocks are not seen");
}

#[test]
fn missing_proofs_are_seen() {
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
        // What stands beside a file that may have some says so by itself.
        let is_root = !file.contains('/') || file.ends_with("mod.rs") || is_beside(&file);
        if SAFE.contains(&module_of(&path)) && is_root && !BUT.contains(&&*file) {
            assert!(text.contains("\n#![forbid(unsafe_code)]\n"), "{file}");
            forbidding += 1;
        }
    }
    assert!(forbidding >= 2);
}

/// Whether a file lies in the folder of one that may have unsafe code.
fn is_beside(file: &str) -> bool {
    BUT.iter().any(|but| Path::new(but).parent() == Path::new(file).parent())
}

#[test]
fn files_are_of_a_size_to_be_read_and_nothing_is_left_to_do() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines < 800 || is_unit_tests(&path), "{}: {lines} lines", path.display());
        let code = code(&text);
        for unfinished in ["todo!", "unimplemented!", "dbg!"] {
            assert!(!code.contains(unfinished), "{}: {unfinished}", path.display());
        }
        let told = text.starts_with("//!") || is_unit_tests(&path);
        assert!(told, "{}: says not what it is", path.display());
    }
}
