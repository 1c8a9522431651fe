//! Outages in files.
//!
//! A CSV file has a header line with the columns `nodes`, `from_s`, `until_s` and perhaps `announced_s`, in any order; a JSONL file
//! (names that end in `.jsonl`) has an object with these fields in each line:
//!
//! ```text
//! nodes,from_s,until_s,announced_s
//! 0-15,3600,7200,
//! 3 8-9,86400,90000,80000
//! all,172800,201600,0
//! ```
//!
//! Nodes are numbers from 0 and ranges of them, or `all`. Times are seconds from the origin of the workload on (second 0 of its
//! log). What has an announcement is a window that policies plan around from then on, anything else a failure. Empty lines and those
//! that begin with `#` are left out.

use crate::{NodeSet, Outage, Window};
use dfrsim_model::SimTime;
use serde::Deserialize;
use std::io;
use std::path::Path;

/// The outages of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOutages {
    /// Those without an announcement, as they come.
    pub failures: Vec<Outage>,
    /// Those with one.
    pub windows: Vec<Window>,
}

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system says so.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line is not as it should be.
    #[error("line {line}: {reason}")]
    Line {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A line of either kind of file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    nodes: Nodes,
    from_s: Number,
    until_s: Number,
    #[serde(default)]
    announced_s: Option<Number>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Nodes {
    One(u32),
    Text(String),
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Number {
    Number(serde_json::Number),
    Text(String),
}

const COLUMNS: [&str; 4] = ["nodes", "from_s", "until_s", "announced_s"];

impl Number {
    fn time(self, field: &str) -> Result<SimTime, String> {
        let text = match self {
            Number::Number(number) => number.to_string(),
            Number::Text(text) => text,
        };
        text.trim().parse().map_err(|error| format!("{field}: {error}"))
    }
}

/// Reads the outages of a cluster of this many nodes.
///
/// # Errors
/// If the file cannot be read, or the first line that is not as it should be.
pub fn read(path: &Path, nodes: u32) -> Result<FileOutages, FileError> {
    let text = dfrsim_model::read_text(path)?;
    let is_json = path.extension().is_some_and(|extension| extension == "jsonl");
    parse(&text, is_json, nodes)
}

/// The outages of a text, which is JSONL or CSV.
///
/// # Errors
/// The first line that is not as it should be.
pub fn parse(text: &str, is_json: bool, nodes: u32) -> Result<FileOutages, FileError> {
    let mut outages = FileOutages::default();
    let mut columns: Option<Vec<&str>> = None;
    for (place, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fault = |reason: String| FileError::Line { line: place + 1, reason };
        if is_json {
            let line: Line = serde_json::from_str(line).map_err(|error| fault(error.to_string()))?;
            add(line, nodes, &mut outages).map_err(fault)?;
            continue;
        }
        let fields: Vec<&str> = line.split(',').map(|field| field.trim().trim_matches('"')).collect();
        let Some(columns) = &columns else {
            check_header(&fields).map_err(fault)?;
            columns = Some(fields);
            continue;
        };
        if fields.len() != columns.len() {
            return Err(fault(format!("{} fields where the header has {}", fields.len(), columns.len())));
        }
        let field = |name: &str| {
            let place = columns.iter().position(|column| *column == name);
            place.map(|place| fields[place].to_owned()).unwrap_or_default()
        };
        let announced = Some(field("announced_s")).filter(|text| !text.is_empty());
        let line = Line {
            nodes: Nodes::Text(field("nodes")),
            from_s: Number::Text(field("from_s")),
            until_s: Number::Text(field("until_s")),
            announced_s: announced.map(Number::Text),
        };
        add(line, nodes, &mut outages).map_err(fault)?;
    }
    Ok(outages)
}

fn check_header(fields: &[&str]) -> Result<(), String> {
    let expected = || format!("expected a header with the columns {}", COLUMNS.join(","));
    let known = fields.iter().all(|field| COLUMNS.contains(field));
    let whole = COLUMNS[..3].iter().all(|column| fields.iter().filter(|field| *field == column).count() == 1);
    if known && whole { Ok(()) } else { Err(expected()) }
}

fn add(line: Line, nodes: u32, outages: &mut FileOutages) -> Result<(), String> {
    let set: NodeSet = match line.nodes {
        Nodes::One(node) => node.to_string().parse(),
        Nodes::Text(text) => text.parse(),
    }
    .map_err(|error| format!("{error}"))?;
    let (from, until) = (line.from_s.time("from_s")?, line.until_s.time("until_s")?);
    if from >= until {
        return Err(format!("from_s is {from} and until_s is {until}: expected an outage that lasts"));
    }
    let announced = line.announced_s.map(|number| number.time("announced_s")).transpose()?;
    if let Some(announced) = announced.filter(|&announced| announced > from) {
        return Err(format!("announced_s is {announced}, which is after from_s, {from}"));
    }
    for span in set.spans(nodes) {
        if span.end() > u64::from(nodes) {
            return Err(format!("node {} does not exist, there are {nodes}", span.end() - 1));
        }
        let outage = Outage { from, until, nodes: span };
        match announced {
            Some(announced) => outages.windows.push(Window { announced, outage }),
            None => outages.failures.push(outage),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{FileError, parse};

    #[test]
    fn both_formats_say_the_same() {
        let csv = "# of May\nnodes,from_s,until_s,announced_s\n3 0-1,10,20.5,\nall,30,40,5\n";
        let json = "{\"nodes\":\"0-1,3\",\"from_s\":10,\"until_s\":20.5}\n\n\
                    {\"nodes\":\"all\",\"from_s\":30,\"until_s\":\"40\",\"announced_s\":5}\n";
        let outages = parse(csv, false, 8).unwrap();
        assert_eq!(parse(json, true, 8).unwrap(), outages);
        assert_eq!((outages.failures.len(), outages.windows.len()), (2, 1));
        assert_eq!(outages.failures[1].nodes.first, 3);
        assert_eq!(outages.windows[0].outage.nodes.nodes, 8);
        let one = parse("{\"nodes\":2,\"from_s\":1,\"until_s\":2}", true, 8).unwrap();
        assert_eq!(one.failures[0].nodes.first, 2);
        assert_eq!(parse("until_s,from_s,nodes\n4,3,7\n", false, 8).unwrap().failures.len(), 1);
    }

    #[test]
    fn a_wrong_line_is_named() {
        let header = "nodes,from_s,until_s,announced_s\n";
        for (text, line, message) in [
            ("nodes,from,to\n", 1, "expected a header"),
            (&format!("{header}0,1\n"), 2, "2 fields where the header has 4"),
            (&format!("{header}\n0,2,2,\n"), 3, "expected an outage that lasts"),
            (&format!("{header}9,1,2,\n"), 2, "node 9 does not exist, there are 8"),
            (&format!("{header}0,1,2,3\n"), 2, "after from_s"),
            (&format!("{header}x,1,2,\n"), 2, "`x` names no nodes"),
            (&format!("{header}0,soon,2,\n"), 2, "from_s: not a number of seconds"),
        ] {
            let error = parse(text, false, 8).unwrap_err();
            assert!(matches!(error, FileError::Line { line: found, .. } if found == line), "{error}");
            assert!(error.to_string().contains(message), "{error}");
        }
        assert!(parse("{\"nodes\":1,\"from_s\":1,\"until_s\":2,\"to\":3}", true, 8).is_err());
        assert!(parse("{\"nodes\":1,\"from_s\":-1,\"until_s\":2}", true, 8).is_err());
    }
}
