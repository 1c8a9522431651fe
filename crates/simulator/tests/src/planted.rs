//! Files that are right, small enough to follow by hand, and faults planted in them (`*.txt`).
//!
//! A file begins with its records. Then come cases, with an empty line before each: changes, and what is found after them.
//!
//! | line | what it does |
//! |---|---|
//! | `# text` | says why |
//! | `policy NAME` | judges by a policy, under its name; `-` judges by none; before the first case, for all cases |
//! | `8: from => to` | replaces the first such text in a line, from 1 |
//! | `: from => to` | the same in the first line that has it |
//! | `+8 record`, `-8`, `>8 9` | inserts a line, deletes one, moves one |
//! | `ok` | there is no fault |
//! | `= fault`, `1 fault` | the first fault, the only fault |
//! | `~ part` | some fault has this part |
//! | `n 3` | there are three faults |

use dfrsim_audit::AuditError;
use std::path::Path;

/// Audits a text by the rules of the policy of this name, if it has one.
pub type Judge = fn(&str, &str) -> Result<(), AuditError>;

/// Returns the records of a file, before any fault is planted.
///
/// # Panics
/// If the file cannot be read.
pub fn records(folder: &Path, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join(name).with_extension("txt")).unwrap();
    text.lines().filter(|line| line.starts_with('{')).map(str::to_owned).collect()
}

/// Joins records to a text.
pub fn text_of(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

/// Faults in full; none if there are none.
fn faults(result: Result<(), AuditError>) -> (Vec<String>, usize) {
    match result {
        Ok(()) => (Vec::new(), 0),
        Err(AuditError::Faults(faults)) => {
            (faults.shown().iter().map(ToString::to_string).collect(), faults.count() as usize)
        }
        Err(error) => (vec![error.to_string()], 1),
    }
}

/// A whole number, and what comes after it and a separator.
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

/// Checks a case; what is found if it is not what the case says.
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

/// Checks all cases of the files of a folder, and returns how many they are.
///
/// # Panics
/// If an audit finds anything else than a case expects.
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
