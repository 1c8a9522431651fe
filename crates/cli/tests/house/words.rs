//! Tests of the first words of doc comments: noun phrases for types and values, and third-person
//! verbs for functions.
//!
//! `words/first_words.txt` lists words that may not begin a summary, because such summaries are
//! unclear. `words/verbs.txt` lists the verbs that may begin the summary of a function.

use crate::sources::{crates, sources};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

/// Doc comment, with the kind of the item that it describes.
struct Doc {
    place: String,
    first_word: String,
    is_of_function: bool,
}

/// Returns the doc comments of a file, without those of its tests.
fn docs(path: &str, text: &str) -> Vec<Doc> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let is_doc =
        |line: &str| line.strip_prefix("///").is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    let mut docs = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let begin = at;
        while at < lines.len() && is_doc(lines[at]) {
            at += 1;
        }
        if begin == at {
            at += 1;
            continue;
        }
        let words = lines[begin..at].iter().flat_map(|line| line.trim_start_matches('/').split_whitespace());
        let Some(first) = words.map(|word| word.trim_matches(['`', '*', '[', ',', ':'])).next() else {
            continue;
        };
        let item = lines[at..].iter().find(|line| !line.starts_with("#["));
        docs.push(Doc {
            place: format!("{path}:{}: {}", begin + 1, lines[begin]),
            first_word: first.to_owned(),
            is_of_function: item.is_some_and(|item| is_function(item)),
        });
    }
    docs
}

/// Returns whether a line of code begins a function.
fn is_function(line: &str) -> bool {
    let visibility = line.strip_prefix("pub").map(|rest| rest.trim_start_matches(|c| c != ' '));
    let words = visibility.unwrap_or(line).split_whitespace();
    words.take_while(|word| ["const", "async", "unsafe", "fn"].contains(word)).any(|word| word == "fn")
}

fn all_docs() -> Vec<Doc> {
    let files = sources(&crates()).into_iter().filter(|path| {
        path.components().any(|part| part.as_os_str() == "src")
            && !path.components().any(|part| part.as_os_str() == "tests")
    });
    files.flat_map(|path| docs(&path.display().to_string(), &fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn few_summaries_begin_with_a_pronoun_or_preposition() {
    let words: BTreeSet<&str> = include_str!("words/first_words.txt").lines().collect();
    let docs = all_docs();
    let found: Vec<&Doc> = docs.iter().filter(|doc| words.contains(doc.first_word.as_str())).collect();
    let share = 100.0 * found.len() as f64 / docs.len() as f64;
    let list = found.iter().fold(String::new(), |mut list, doc| {
        _ = writeln!(list, "{}", doc.place);
        list
    });
    assert!(docs.len() > 8_000, "{} doc comments were read", docs.len());
    assert!(share <= 1.0, "{share:.1} % of the summaries; say what it is or does:\n{list}");
}

#[test]
fn summaries_of_functions_begin_with_a_verb() {
    let verbs: BTreeSet<&str> = include_str!("words/verbs.txt").lines().collect();
    let docs: Vec<Doc> = all_docs().into_iter().filter(|doc| doc.is_of_function).collect();
    let others: Vec<&Doc> = docs.iter().filter(|doc| !verbs.contains(doc.first_word.as_str())).collect();
    let share = 100.0 * (docs.len() - others.len()) as f64 / docs.len() as f64;
    let list = others.iter().fold(String::new(), |mut list, doc| {
        _ = writeln!(list, "{}", doc.place);
        list
    });
    assert!(docs.len() > 3_000, "{} functions have doc comments", docs.len());
    assert!(share >= 90.0, "{share:.1} %; a verb that is not yet in words/verbs.txt may be added:\n{list}");
}

#[test]
fn beginnings_are_read() {
    let text =
        "/// Returns it.\n#[must_use]\npub(crate) const fn a() {}\n/// `None` if so.\nb: u8,\n//// no doc\n";
    let found = docs("a.rs", text);
    let found: Vec<_> = found.iter().map(|doc| (doc.first_word.as_str(), doc.is_of_function)).collect();
    assert_eq!(found, [("Returns", true), ("None", false)]);
}
