//! The wording of comments, documentation and messages, and the form of summaries.

use regex_lite::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Wording that is refused, each with what to write instead. Text in backticks is left out.
static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let lines = include_str!("words.txt").lines();
    let rules = lines.filter_map(|line| line.split_once('\t'));
    rules.map(|(rule, instead)| (Regex::new(rule).unwrap(), instead)).collect()
});

/// Folders and pages that are read, where the package has them.
const PLACES: [&str; 14] = [
    "src",
    "derive/src",
    "tests",
    "benches",
    "examples",
    "fuzz/fuzz_targets",
    "loom/src",
    "web/src",
    "docs",
    "README.md",
    "CHANGELOG.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SAFETY.md",
];

fn files() -> Vec<(PathBuf, String)> {
    fn visit(path: &Path, files: &mut Vec<(PathBuf, String)>) {
        if path.is_dir() {
            for entry in fs::read_dir(path).unwrap() {
                visit(&entry.unwrap().path(), files);
            }
        } else if path.extension().is_some_and(|ending| ending == "rs" || ending == "md") {
            files.push((path.to_owned(), fs::read_to_string(path).unwrap()));
        }
    }

    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for place in PLACES.map(|place| root.join(place)).iter().filter(|place| place.exists()) {
        visit(place, &mut files);
    }
    assert!(files.len() > 100, "these are not the sources");
    files
}

/// Returns the comment of a line of Rust, without its slashes.
fn comment(line: &str) -> Option<&str> {
    let (code, comment) = line.split_once("//")?;
    let is_comment =
        !code.contains('"') && (code.is_empty() || code.ends_with(char::is_whitespace));
    is_comment.then(|| comment.trim_start_matches(['/', '!']).trim_start())
}

/// Returns the prose of a file with the numbers of its lines: comments and strings of several words, or the text of a
/// page; neither has examples of code.
fn prose(path: &Path, text: &str) -> Vec<(usize, String)> {
    let is_page = path.extension().is_some_and(|ending| ending == "md");
    let mut is_code = false;
    let mut found = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let comment = if is_page { Some(line.trim_start()) } else { comment(line) };
        let Some(comment) = comment else {
            let strings = line.split('"').skip(1).step_by(2);
            found.extend(
                strings.filter(|text| text.contains(' ')).map(|text| (number, text.to_owned())),
            );
            continue;
        };
        if comment.starts_with("```") {
            is_code = !is_code;
        } else if !is_code {
            found.push((number, comment.to_owned()));
        }
    }
    let outside = |text: &str| text.split('`').step_by(2).collect::<Vec<_>>().join("`…`");
    found.iter().map(|(number, text)| (*number, outside(text))).collect()
}

fn refused(path: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, text) in prose(path, text) {
        for (rule, instead) in &*RULES {
            if let Some(words) = rule.find(&text) {
                found.push(format!(
                    "{}:{number}: `{}`, write {instead}",
                    path.display(),
                    words.as_str()
                ));
            }
        }
    }
    found
}

#[test]
fn wording_is_plain() {
    let found: Vec<String> = files().iter().flat_map(|(path, text)| refused(path, text)).collect();
    assert!(found.is_empty(), "{} places:\n{}", found.len(), found.join("\n"));
}

#[test]
fn no_file_has_both_sides_of_a_merge() {
    let is_marker = |line: &str| line.starts_with("<<<<<<<") || line.starts_with(">>>>>>>");
    for (path, text) in files() {
        assert!(!text.lines().any(is_marker), "{}", path.display());
    }
}

#[test]
fn wording_that_is_refused_is_seen() {
    let count = |name: &str, text: &str| refused(Path::new(name), &text.replace('_', "")).len();
    assert_eq!(count("a.rs", "// Goes b_y and by.\nlet x = 1; // `b_y and by`\n"), 1);
    assert_eq!(count("a.rs", "/// ```\n/// // b_y and by\n/// ```\n"), 0);
    assert_eq!(count("a.rs", "panic!(\"no_body has it\");\nlet x = \"a b\";\n"), 1);
    assert_eq!(count("a.md", "W_ho reads\n```\nno_body\n```\nthe same, b_ut for its size\n"), 2);
    assert!(RULES.len() > 15, "the rules are not seen");
}

/// Returns the lines at which a summary begins that has no capital at its begin, or no full stop at its end.
fn wrong_summaries(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut lines = text.lines().zip(1..).peekable();
    let mut is_continued = false;
    while let Some((line, number)) = lines.next() {
        let Some(first) = line.trim_start().strip_prefix("///") else {
            is_continued = line.contains("#[doc =") || line.ends_with([']', '+', ';']);
            continue;
        };
        let mut summary = first.trim().to_owned();
        let mut is_open = !summary.is_empty();
        while let Some(more) = lines.next_if(|(line, _)| line.trim_start().starts_with("///")) {
            let more = more.0.trim_start().trim_start_matches('/').trim();
            is_open &= !more.is_empty() && !more.starts_with(['-', '|', '#']);
            if is_open {
                summary = format!("{summary} {more}");
            }
        }
        // Names and links begin as what they name does. A macro may add an example to a summary.
        is_continued |=
            lines.peek().is_some_and(|(line, _)| line.trim_start().starts_with("#[doc ="));
        let begins = summary.starts_with(|c: char| !c.is_lowercase());
        let ends = [".", ":", ".)"].iter().any(|end| summary.ends_with(end))
            || summary.starts_with(['#', '`']);
        let is_sentence = begins && ends;
        if !(is_sentence || is_continued || summary.is_empty()) {
            found.push(number);
        }
    }
    found
}

#[test]
fn summaries_are_sentences() {
    let sources = super::tidy::sources();
    let found = sources.iter().map(|(path, text)| (path, wrong_summaries(text)));
    let found: Vec<_> = found.filter(|(_, lines)| !lines.is_empty()).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn summaries_that_are_none_are_seen() {
    let text = "/// Returns the\n/// length.\nfn a() {}\n/// the length.\nfn b() {}\n/// The length\n///\n/// More.\nfn c() {}\n";
    assert_eq!(wrong_summaries(text), [4, 6]);
}
