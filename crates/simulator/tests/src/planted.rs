//! Correct files, small enough to follow by hand, and violations that are injected into them
//! (`*.txt`).
//!
//! A file begins with its records. After them come cases, each preceded by an empty line: changes,
//! and the expected result.
//!
//! | line | meaning |
//! |---|---|
//! | `# text` | explanation |
//! | `policy NAME` | audits by the rules of a policy, under its name; `-` uses no policy; before the first case, it applies to all cases |
//! | `8: from => to` | replaces the first such text in a line, counted from 1 |
//! | `: from => to` | replaces it in the first line that contains it |
//! | `+8 record`, `-8`, `>8 9` | inserts a line, deletes one, moves one |
//! | `ok` | there is no violation |
//! | `= fault`, `1 fault` | the first violation, the only violation |
//! | `~ part` | some violation contains this text |
//! | `n 3` | there are three violations |

use dfrsim_audit::AuditError;
use std::path::Path;

/// Function that audits a text by the rules of the policy of this name, if there is one.
pub type Judge = fn(&str, &str) -> Result<(), AuditError>;

/// Returns the records of a file, before any violation is injected.
///
/// # Panics
/// If the file cannot be read.
pub fn records(folder: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(name).with_extension("txt")).unwrap();
    text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect()
}

/// Joins records into a text.
pub fn text_of(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

/// Returns the texts and the number of all violations; none if the result is `Ok`.
fn faults(result: Result<(), AuditError>) -> (Vec<String>, usize) {
    match result {
        Ok(()) => (Vec::new(), 0),
        Err(AuditError::Faults(faults)) => {
            (faults.shown().iter().map(ToString::to_string).collect(), faults.count() as usize)
        }
        Err(error) => (vec![error.to_string()], 1),
    }
}

/// Splits off a leading number and a separator; returns the number and the rest.
fn numbered(line: &str, separator: char) -> Option<(usize, &str)> {
    let (number, rest) = line.split_once(separator).unwrap_or((line, ""));
    Some((number.parse().ok()?, rest))
}

/// Applies a change to the lines.
fn change(lines: &mut Vec<String>, change: &str) -> Option<()> {
    match change.split_at_checked(1)? {
        ("+", rest) => {
            let (line, text) = numbered(rest, ' ')?;
            lines.insert(line - 1, text.to_owned());
        }
        ("-", line) => _ = lines.remove(line.parse::<usize>().ok()? - 1),
        (">", rest) => {
            let (line, to) = numbered(rest, ' ')?;
            let moved = lines.remove(line - 1);
            lines.insert(to.parse::<usize>().ok()? - 1, moved);
        }
        _ => {
            let (place, edit) = change.split_once(": ")?;
            let (from, to) = edit.split_once(" =>")?;
            let line = match place {
                "" => lines.iter().position(|line| line.contains(from))?,
                line => line.parse::<usize>().ok()? - 1,
            };
            lines[line].contains(from).then_some(())?;
            lines[line] = lines[line].replacen(from, to.strip_prefix(' ').unwrap_or(to), 1);
        }
    }
    Some(())
}

/// Checks a case; returns the violations found if they differ from the expected ones.
fn check(case: &str, records: &[String], default: &str, judge: Judge) -> Result<(), String> {
    let mut lines = records.to_vec();
    let (mut policy, mut expected) = (default, Vec::new());
    for line in case.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(' ').unwrap_or((line, "")) {
            ("policy", name) => {
                policy = name;
                if name != "-" {
                    let named = |name: &str| format!("\"policy\":\"{name}\"");
                    lines[0] = lines[0].replacen(&named(default), &named(name), 1);
                }
            }
            ("ok", _) => expected.push(("n", "0")),
            (kind @ ("=" | "1" | "~" | "n"), what) => expected.push((kind, what)),
            _ => change(&mut lines, line).ok_or_else(|| format!("`{line}` is no change"))?,
        }
    }
    let text = text_of(&lines);
    let (found, count) = faults(judge(&text, policy));
    let is_met = |(kind, what): &(&str, &str)| match *kind {
        "n" => *what == count.to_string(),
        "~" => found.iter().any(|fault| fault.contains(what)),
        "=" => found.first().is_some_and(|fault| fault == what),
        _ => count == 1 && found[0] == *what,
    };
    let is_right = !expected.is_empty() && expected.iter().all(is_met);
    is_right.then_some(()).ok_or_else(|| format!("{found:#?}"))
}

/// Checks all cases of the files of a folder, and returns their number.
///
/// # Panics
/// If an audit differs from the expectation of a case.
pub fn check_all(folder: &Path, judge: Judge) -> usize {
    let (mut all, mut wrong) = (0, Vec::new());
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        let (head, cases) = text.split_once("\n\n").unwrap();
        let policy = head.lines().find_map(|line| line.strip_prefix("policy ")).unwrap_or("-");
        for case in cases.split("\n\n") {
            all += 1;
            if let Err(found) = check(case.trim_end(), &records(folder, name), policy, judge) {
                wrong.push(format!("{name}:\n{case}\nfound: {found}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    all
}
