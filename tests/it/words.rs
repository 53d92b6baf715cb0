//! The wording of comments, documentation and messages, and the form of summaries.

use regex_lite::Regex;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Wording that is refused, each with what to write instead. Text in backticks is left out.
const RULES: [(&str, &str); 20] = [
    // Code acts, not people: name the caller, the thread or the container.
    (r"\b(?:nobody|somebody|anybody|whoever|whosoever)\b", "the caller, the thread, the code"),
    (r"\b(?:he|his|him)\b", "the caller, the thread, the code"),
    (
        r"\b[Ww]ho (?:names?|writes?|reads?|asks?|has|have|wants?|needs?|releases?|takes?|removes?|serves?|will|would|does|do|made|makes|can|could|is|comes?)\b",
        "the caller, the thread, the code",
    ),
    (r"\b(?:for|to|by|of) who\b", "the caller, the thread, the code"),
    // One term for each thing, the one that std uses.
    (r"^(?:Has|Have) (?:[a-z]+)\b", "a verb for what the item does"),
    (r"\bby and by\b", "incrementally, gradually"),
    (r"\bof late\b", "recently"),
    (r"\b(?:to|can) be had\b|\bhad for\b", "available"),
    (r"\bto be changed\b", "mutable"),
    (
        r"\b(?:lies?|lay|stands?|is|are|slots?|values?|elements?|bytes?|those|pages?|one|other|all|memory|rows?) behind\b",
        "after, past, follow",
    ),
    (
        r"\bgo(?:es|ne|ing)? (?:over|through) (?:all|the|it|them|every|its|keys|values|elements|rows|slots)\b|\b(?:gone|went) through\b",
        "iterate over, visit",
    ),
    (
        r"\bgives? (?:(?:it|them|all|memory|that|what) )?up\b|\bgiven up\b",
        "panic, abandon, release, return",
    ),
    (r"\b[Tt]akes? (?:(?:a|the|all|one) )?(?:[a-z]+ )?out\b", "remove, pop, take"),
    // Exact where a number or a thing can be named.
    (
        r"\b(?:however|so) (?:many|much)\b|\bso far\b|\bfour thousand million\b",
        "the number: `len` elements",
    ),
    (r"\bthe same(?: with| of| for| to| in)\b", "the thing that is the same"),
    (r"(?:, |^)if not said\b|\bif nobody says\b|\bunless said\b", "defaults to"),
    // English of today, without figures of speech.
    (r"\bshall\b", "must, will"),
    (r"\bbut for\b|\bbesides\b|\bthere is not\b", "except for, also, no"),
    (
        r"\bsees to it\b|\btakes? notice\b|\bhas a hand\b|\btells? of\b|\banswers for\b|\bis told\b|\bmade up\b|\bbelongs nowhere\b|\bas one likes\b|\bif you like\b",
        "what happens, in plain words",
    ),
    (r"\bmoney\b|\bpurse\b|\bkeeper\b", "budget, budget meter, region cache"),
];

/// Folders and pages that are read, where the package has them.
const PLACES: [&str; 13] = [
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
    // It quotes what it refuses.
    files.retain(|(path, _)| !path.ends_with("tests/it/words.rs"));
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
    static COMPILED: LazyLock<[(Regex, &str); RULES.len()]> =
        LazyLock::new(|| RULES.map(|(rule, instead)| (Regex::new(rule).unwrap(), instead)));
    let mut found = Vec::new();
    for (number, text) in prose(path, text) {
        for (rule, instead) in &*COMPILED {
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
fn wording_that_is_refused_is_seen() {
    let count = |name: &str, text: &str| refused(Path::new(name), text).len();
    assert_eq!(count("a.rs", "// Memory goes back by and by.\nlet x = 1; // `by and by`\n"), 1);
    assert_eq!(count("a.rs", "/// ```\n/// // by and by\n/// ```\n"), 0);
    assert_eq!(count("a.rs", "panic!(\"nobody has it\");\nlet x = \"a b\";\n"), 1);
    assert_eq!(count("a.md", "Who reads it\n```\nnobody\n```\nthe same, but for its size\n"), 2);
}

/// Returns the lines at which a summary begins that has no capital at its begin, or no full stop at its end.
fn wrong_summaries(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut lines = text.lines().zip(1..).peekable();
    let mut is_continued = false;
    while let Some((line, number)) = lines.next() {
        let Some(first) = line.trim_start().strip_prefix("///") else {
            is_continued = line.trim_start().starts_with("#[doc =");
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
        // Names and links begin as what they name does.
        let begins = summary.starts_with(|c: char| c.is_uppercase() || "`[#".contains(c));
        let ends = summary.ends_with(['.', ':']) || summary.starts_with('#');
        if !summary.is_empty() && !is_continued && !(begins && ends) {
            found.push(number);
        }
    }
    found
}

#[test]
fn summaries_are_sentences() {
    for (path, text) in super::tidy::sources() {
        let found = wrong_summaries(&text);
        assert!(found.is_empty(), "{}: lines {found:?}", path.display());
    }
}

#[test]
fn summaries_that_are_none_are_seen() {
    let text = "/// Returns the\n/// length.\nfn a() {}\n/// the length.\nfn b() {}\n/// The length\n///\n/// More.\nfn c() {}\n";
    assert_eq!(wrong_summaries(text), [4, 6]);
}
