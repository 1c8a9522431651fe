//! Outages in files.
//!
//! A CSV file has a header line with the columns `nodes`, `from_s`, `until_s` and optionally
//! `announced_s` and `drain`, in any order. A JSONL file (names that end in `.jsonl`) has an object with these
//! fields in each line:
//!
//! ```text
//! nodes,from_s,until_s,announced_s
//! 0-15,3600,7200,
//! 3 8-9,86400,90000,80000
//! all,172800,201600,0
//! ```
//!
//! Nodes are numbers from 0 and ranges of them, or `all`; where nodes have names, also names and
//! lists of names such as `n2` or `n[1-4],login`. Times are seconds from the origin of the
//! workload on (second 0 of its log). An outage with an announcement is a window that policies plan
//! around from the announcement on. With `drain` = `true`, nodes take no jobs, but those that run there
//! end as they would otherwise. Any other outage is a failure. Empty lines and those that begin
//! with `#` are ignored.

use crate::named::UnknownName;
use crate::platform::hosts::expand;
use crate::platform::{NodeSet, NodeSpan, Outage, Window};
use dfrsim_input::{Faults, Input, Located, Reader, read_text};
use std::path::Path;

/// Outages in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOutages {
    /// Failures (outages without an announcement), in file order.
    pub failures: Vec<Outage>,
    /// Windows (outages with an announcement), in file order.
    pub windows: Vec<Window>,
    /// Times in which nodes are drained, in file order.
    pub drains: Vec<Outage>,
}

const COLUMNS: [&str; 5] = ["nodes", "from_s", "until_s", "announced_s", "drain"];

/// Nodes of a cluster, as the lines of a file refer to them.
#[derive(Clone, Copy, Debug)]
pub struct ClusterNodes<'a> {
    /// Number of nodes.
    pub nodes: u32,
    /// Names of the nodes by number; empty if they have none.
    pub hosts: &'a [String],
    /// Names of the nodes that another variant of the cluster has. Those that this one lacks have no
    /// outages.
    pub of_variant: &'a [String],
}

/// Reads the outages of a cluster.
///
/// # Errors
///
/// Returns all errors if the file cannot be read or has invalid lines.
pub fn read(path: &Path, nodes: ClusterNodes<'_>) -> Result<FileOutages, Faults> {
    let is_json = path.extension().is_some_and(|extension| extension == "jsonl");
    parse(&path.display().to_string(), &read_text(path)?, is_json, nodes)
}

/// Parses outages in JSONL or CSV; `file` is the name in messages.
///
/// # Errors
///
/// Returns the errors of all invalid lines.
pub fn parse(file: &str, text: &str, is_json: bool, nodes: ClusterNodes<'_>) -> Result<FileOutages, Faults> {
    // Comments become empty lines, so that the other lines keep their numbers.
    let lines = text.lines().map(|line| if line.trim().starts_with('#') { "" } else { line.trim() });
    let text = lines.collect::<Vec<_>>().join("\n");
    let input = if is_json { Input::json_lines(file, &text)? } else { Input::csv(file, &text) };
    let mut reader = Reader::default();
    let mut outages = FileOutages::default();
    let is_header = |columns: &[String]| {
        let has = |name: &&str| columns.iter().any(|column| column == name);
        columns.iter().all(|column| COLUMNS.contains(&column.as_str())) && COLUMNS[..3].iter().all(has)
    };
    if !text.trim().is_empty() && input.columns().is_some_and(|columns| !is_header(columns)) {
        reader.fault(&input.root(), format!("expected a header with the columns {}", COLUMNS.join(",")));
        return reader.finish(None);
    }
    for at in reader.records(&input).into_iter().flatten() {
        outages.add(&mut reader, &at, nodes);
    }
    reader.finish(Some(outages))
}

impl FileOutages {
    fn add(&mut self, reader: &mut Reader, at: &Located<'_>, nodes: ClusterNodes<'_>) -> Option<()> {
        let line = reader.object(at, &COLUMNS)?;
        let spans = reader.field(&line, "nodes").and_then(|at| spans(reader, &at, nodes));
        let [from, until] =
            ["from_s", "until_s"].map(|name| reader.field(&line, name).and_then(|at| reader.from_text(&at)));
        let announced = line.get("announced_s").filter(|at| !at.is_null());
        let announced = announced.map_or(Some(None), |at| reader.from_text(&at).map(Some));
        let drain = line.get("drain").filter(|at| !at.is_null());
        let drain = drain.map_or(Some(false), |at| reader.boolean(&at));
        let (spans, from, until, announced, is_drain) = (spans?, from?, until?, announced?, drain?);
        if from >= until {
            let lasts = "expected from_s before until_s";
            reader.fault(at, format!("from_s is {from} and until_s is {until}: {lasts}"));
        }
        if let Some(announced) = announced.filter(|&announced| announced > from) {
            reader.fault(at, format!("announced_s is {announced}, expected at most from_s, {from}"));
        }
        if announced.is_some() && is_drain {
            reader.fault(at, "drain is true and announced_s is given: expected at most one of them");
        }
        let outages = spans.into_iter().map(|nodes| Outage { from, until, nodes });
        match announced {
            Some(announced) => self.windows.extend(outages.map(|outage| Window { announced, outage })),
            None if is_drain => self.drains.extend(outages),
            None => self.failures.extend(outages),
        }
        Some(())
    }
}

fn spans(reader: &mut Reader, at: &Located<'_>, cluster: ClusterNodes<'_>) -> Option<Vec<NodeSpan>> {
    let text = at.text().map_or_else(|| at.found(), str::to_owned);
    let ClusterNodes { nodes, hosts, .. } = cluster;
    let set: NodeSet = match text.parse() {
        Ok(set) => set,
        Err(error) if hosts.is_empty() => {
            reader.fault(at, error);
            return None;
        }
        Err(_) => named_nodes(reader, at, &text, cluster)?,
    };
    let spans = set.spans(nodes);
    match spans.iter().find(|span| span.end() > u64::from(nodes)) {
        Some(span) => {
            reader
                .fault(at, format!("node {} does not exist; the cluster has {nodes} nodes", span.end() - 1));
            None
        }
        None => Some(spans),
    }
}

/// Returns the nodes of a list of names.
fn named_nodes(
    reader: &mut Reader,
    at: &Located<'_>,
    text: &str,
    cluster: ClusterNodes<'_>,
) -> Option<NodeSet> {
    let ClusterNodes { hosts, of_variant, .. } = cluster;
    let Some(names) = expand(&text.replace([' ', '+'], ",")) else {
        reader
            .fault(at, format!("`{text}` names no nodes; expected `all`, numbers, or names such as n[1-4]"));
        return None;
    };
    let mut spans = Vec::new();
    for name in names {
        match hosts.iter().position(|host| *host == name) {
            Some(number) => spans.push(NodeSpan { first: number as u32, nodes: 1 }),
            None if of_variant.contains(&name) => {}
            None => {
                let unknown = UnknownName::new("node", &name, hosts.iter().map(String::as_str));
                reader.fault(at, unknown);
                return None;
            }
        }
    }
    Some(NodeSet::of(spans))
}

#[cfg(test)]
mod tests {
    use super::{ClusterNodes, FileOutages, parse};
    use dfrsim_input::Faults;

    fn read(text: &str, is_json: bool) -> Result<FileOutages, Faults> {
        parse("down", text, is_json, ClusterNodes { nodes: 8, hosts: &[], of_variant: &[] })
    }

    #[test]
    fn nodes_may_have_names() {
        let (hosts, of_variant) = (["k1", "n1", "n2"].map(str::to_owned), ["n9".to_owned()]);
        let read = |nodes: &str| {
            let text = format!("nodes,from_s,until_s\n\"{nodes}\",1,2\n");
            let found = parse(
                "down",
                &text,
                false,
                ClusterNodes { nodes: 3, hosts: &hosts, of_variant: &of_variant },
            );
            found
                .map(|all| all.failures.iter().map(|it| (it.nodes.first, it.nodes.nodes)).collect::<Vec<_>>())
        };
        assert_eq!(read("n2").unwrap(), [(2, 1)]);
        assert_eq!(read("n[1-2],k1").unwrap(), [(0, 3)]);
        assert_eq!(read("1-2").unwrap(), [(1, 2)]);
        assert_eq!((read("n9,n2").unwrap(), read("n9").unwrap()), (vec![(2, 1)], vec![]));
        let error = read("n3").unwrap_err().to_string();
        assert!(error.contains("unknown node `n3`"), "{error}");
    }

    #[test]
    fn both_formats_say_the_same() {
        let csv = "# of May\nnodes,from_s,until_s,announced_s\n3 0-1,10,20.5,\nall,30,40,5\n";
        let json = "{\"nodes\":\"0-1,3\",\"from_s\":10,\"until_s\":20.5,\"announced_s\":null}\n\n\
                    {\"nodes\":\"all\",\"from_s\":30,\"until_s\":\"40\",\"announced_s\":5}\n";
        let outages = read(csv, false).unwrap();
        assert_eq!(read(json, true).unwrap(), outages);
        assert_eq!((outages.failures.len(), outages.windows.len()), (2, 1));
        assert_eq!(outages.failures[1].nodes.first, 3);
        assert_eq!(outages.windows[0].outage.nodes.nodes, 8);
        let one = read("{\"nodes\":2,\"from_s\":1,\"until_s\":2}", true).unwrap();
        assert_eq!(one.failures[0].nodes.first, 2);
        assert_eq!(read("until_s,from_s,nodes\n4,3,7\n", false).unwrap().failures.len(), 1);
        let drained = read("nodes,from_s,until_s,drain\n1,1,2,true\n2,1,2,false\n", false).unwrap();
        assert_eq!((drained.drains.len(), drained.drains[0].nodes.first), (1, 1));
        assert_eq!(drained.failures[0].nodes.first, 2);
        assert_eq!(
            read("{\"nodes\":1,\"from_s\":1,\"until_s\":2,\"drain\":true}", true).unwrap().drains,
            drained.drains
        );
        assert_eq!(read(" # none\n \n", false), Ok(FileOutages::default()));
    }

    #[test]
    fn a_wrong_line_is_named() {
        let header = "nodes,from_s,until_s,announced_s\n";
        for (text, line, message) in [
            ("nodes,from,to\n", 1, "expected a header"),
            ("# of May\nnodes,from,to\n", 2, "expected a header"),
            ("nodes,from_s,until_s,until_s\n", 1, "two columns are named `until_s`"),
            (&format!("{header}0,1\n"), 2, "2 fields"),
            (&format!("{header}\n0,2,2,\n"), 3, "expected from_s before until_s"),
            ("nodes,from_s,until_s,drain\n0,1,2,maybe\n", 2, "`maybe` is not true or false"),
            (
                "nodes,from_s,until_s,announced_s,drain\n0,1,2,0,true\n",
                2,
                "drain is true and announced_s is given: expected at most one of them",
            ),
            (&format!("{header}9,1,2,\n"), 2, "node 9 does not exist; the cluster has 8 nodes"),
            (&format!("{header}0,1,2,3\n"), 2, "announced_s is 3, expected at most from_s, 1"),
            (&format!("{header}x,1,2,\n"), 2, "invalid nodes `x`; expected `all`"),
            (
                &format!("{header}0,soon,2,\n"),
                2,
                "from_s: expected a number of seconds such as 90 or 0.5, found `soon`",
            ),
        ] {
            let faults = read(text, false).unwrap_err();
            assert_eq!((faults.0.len(), faults.0[0].line), (1, Some(line)), "{faults}");
            assert!(faults.to_string().contains(message), "{faults}");
        }
        assert!(read("{\"nodes\":1,\"from_s\":1,\"until_s\":2,\"to\":3}", true).is_err());
        assert!(read("{\"nodes\":1,\"from_s\":-1,\"until_s\":2}", true).is_err());
    }

    #[test]
    fn all_wrong_lines_are_named() {
        let lines = |text: &str, is_json| -> Vec<usize> {
            read(text, is_json).unwrap_err().0.into_iter().map(|fault| fault.line.unwrap()).collect()
        };
        assert_eq!(lines("nodes,from_s,until_s\nx,1,2\n# fine\n1,1,2\n9,1,soon\n", false), [2, 5, 5]);
        assert_eq!(lines("{\"nodes\":1}\n\n{\"nodes\":1,\"from_s\":3,\"until_s\":2}\n", true), [1, 1, 3]);
        assert_eq!(lines("{\n{\"nodes\":1,\"from_s\":1,\"until_s\":2}\n1 2\n", true), [1, 3]);
    }
}
