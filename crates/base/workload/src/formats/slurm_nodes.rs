//! The nodes that `slurm.conf` has, and which of them partitions have (<https://slurm.schedmd.com/slurm.conf.html>, `NodeName`,
//! `PartitionName`).
//!
//! ```
//! use dfrsim_workload::formats::slurm_nodes;
//! let text = "\
//! NodeName=DEFAULT RealMemory=48000 CPUs=12
//! NodeName=n[1-4] Feature=IB
//! NodeName=g1 Gres=gpu:a100:2
//! PartitionName=all Nodes=ALL
//! PartitionName=gpu Nodes=g1
//! ";
//! let kinds = slurm_nodes::read(text)?;
//! assert_eq!((kinds[0].nodes, kinds[0].cores, kinds[0].features.join(" ")), (4, 12, "IB".to_owned()));
//! assert_eq!(kinds[1].resources["gpu"], 2);
//! assert_eq!(kinds[1].features, ["partition-gpu"]);
//! # Ok::<(), dfrsim_workload::formats::slurm_conf::ConfError>(())
//! ```

use super::slurm_conf::ConfError;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that are alike, one after the other in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeKind {
    /// The name of the first one.
    pub name: String,
    /// How many there are.
    pub nodes: u32,
    /// The processors of each.
    pub cores: u32,
    /// Its memory in megabytes.
    pub memory_mb: u64,
    /// Its generic resources, by name without the type.
    pub resources: BTreeMap<String, u32>,
    /// Its features; and `partition-NAME` of the partitions that have it, if others have nodes that it has not.
    pub features: Vec<String>,
}

/// The most nodes of a file.
const MOST_NODES: usize = 1_000_000;

/// A name of Slurm's as that of a feature or resource of a platform, which has letters, digits, `-` and `_` only.
pub(super) fn word(name: &str) -> String {
    let is_known = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    name.chars().map(|letter| if is_known(letter) { letter } else { '_' }).collect()
}

/// The feature of the nodes of a partition.
pub(super) fn feature_of_partition(name: &str) -> String {
    word(&format!("partition-{name}"))
}

/// What a `NodeName` line says.
#[derive(Clone, Debug, Default)]
struct Line {
    cpus: Option<u32>,
    parts: [Option<u32>; 3],
    memory_mb: Option<u64>,
    gres: BTreeMap<String, u32>,
    features: Vec<String>,
}

impl Line {
    fn cores(&self) -> u32 {
        let product = self.parts.iter().map(|part| part.unwrap_or(1)).fold(1, u32::saturating_mul);
        self.cpus.unwrap_or(product).max(1)
    }
}

/// Reads the text of a file.
///
/// # Errors
/// The first line of nodes or partitions that cannot be read.
pub fn read(text: &str) -> Result<Vec<NodeKind>, ConfError> {
    let (mut default, mut nodes, mut partitions) = (Line::default(), Vec::new(), Vec::new());
    let mut line = String::new();
    for (number, text) in (1..).zip(text.lines()) {
        let text = text.split('#').next().unwrap_or_default();
        if let Some(text) = text.trim_end().strip_suffix('\\') {
            line.push_str(text);
            continue;
        }
        line.push_str(text);
        let whole = std::mem::take(&mut line);
        let fault = |parameter: &str, expected, found: &str| ConfError {
            line: number,
            parameter: parameter.to_owned(),
            expected,
            found: found.to_owned(),
        };
        let pairs: Vec<(String, &str)> = whole
            .split_whitespace()
            .map(|word| word.split_once('=').unwrap_or((word, "")))
            .map(|(name, value)| (name.to_ascii_lowercase(), value))
            .collect();
        match pairs.first() {
            Some((name, list)) if name == "nodename" => {
                let parsed = node_line(&pairs[1..], default.clone(), fault)?;
                if list.eq_ignore_ascii_case("DEFAULT") {
                    default = parsed;
                    continue;
                }
                let names = expand(list).filter(|names| names.len() + nodes.len() <= MOST_NODES);
                let names = names.ok_or_else(|| fault("NodeName", "names such as n[1-8,12]", list))?;
                nodes.extend(names.into_iter().map(|name| (name, parsed.clone())));
            }
            Some((name, partition)) if name == "partitionname" => {
                let list = pairs.iter().find(|(name, _)| name == "nodes").map(|(_, list)| *list);
                let names = match list {
                    None => continue,
                    Some(all) if all.eq_ignore_ascii_case("ALL") => None,
                    Some(list) => {
                        let names = expand(list).filter(|names| names.len() <= MOST_NODES);
                        let names = names.ok_or_else(|| fault("Nodes", "names such as n[1-8,12]", list))?;
                        Some(names.into_iter().collect::<BTreeSet<String>>())
                    }
                };
                partitions.push(((*partition).to_owned(), names));
            }
            _ => {}
        }
    }
    Ok(kinds(nodes, &partitions))
}

fn node_line(
    pairs: &[(String, &str)],
    mut line: Line,
    fault: impl Fn(&str, &'static str, &str) -> ConfError,
) -> Result<Line, ConfError> {
    for (name, value) in pairs {
        let number = || value.parse::<u32>().map_err(|_| fault(name, "a whole number", value));
        match name.as_str() {
            "cpus" | "procs" => line.cpus = Some(number()?),
            "sockets" => line.parts[0] = Some(number()?),
            "corespersocket" => line.parts[1] = Some(number()?),
            "threadspercore" => line.parts[2] = Some(number()?),
            "realmemory" => line.memory_mb = Some(number()?.into()),
            "feature" | "features" => line.features = value.split(',').map(word).collect(),
            "gres" => {
                line.gres.clear();
                for part in value.split(',').filter(|part| !part.is_empty()) {
                    // `gpu:a100:4(S:0-1)`, `gpu:4`, `gpu`.
                    let part = part.split('(').next().unwrap_or_default();
                    let kind = word(part.split(':').next().unwrap_or_default());
                    let count = part.rsplit(':').next().and_then(|count| count.parse().ok()).unwrap_or(1);
                    let sum = line.gres.entry(kind).or_insert(0_u32);
                    *sum = sum.saturating_add(count);
                }
            }
            _ => {}
        }
    }
    Ok(line)
}

/// Joins nodes that are alike and follow each other.
fn kinds(nodes: Vec<(String, Line)>, partitions: &[(String, Option<BTreeSet<String>>)]) -> Vec<NodeKind> {
    let all = nodes.len();
    let mut kinds: Vec<NodeKind> = Vec::new();
    for (name, line) in nodes {
        let narrow = partitions.iter().filter(|(_, names)| {
            names.as_ref().is_some_and(|names| names.len() < all && names.contains(&name))
        });
        let of_partitions = narrow.map(|(partition, _)| feature_of_partition(partition));
        let kind = NodeKind {
            cores: line.cores(),
            memory_mb: line.memory_mb.unwrap_or(1).max(1),
            features: line.features.iter().cloned().chain(of_partitions).collect(),
            resources: line.gres,
            nodes: 1,
            name,
        };
        match kinds.last_mut() {
            Some(last)
                if NodeKind { name: last.name.clone(), nodes: last.nodes, ..kind.clone() } == *last =>
            {
                last.nodes += 1;
            }
            _ => kinds.push(kind),
        }
    }
    kinds
}

/// The names of a list such as `n[1-3,07],login`; `None` if it is none, or of too many.
fn expand(list: &str) -> Option<Vec<String>> {
    let (mut names, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                names.extend(expand_one(&list[begin..at])?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    (depth == 0 && !names.is_empty()).then_some(names)
}

/// The names of `n[1-3,07]`, of which the ranges may be followed by more.
fn expand_one(pattern: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = pattern.split_once('[') else {
        return (!pattern.is_empty()).then(|| vec![pattern.to_owned()]);
    };
    let (ranges, after) = rest.split_once(']')?;
    let after = if after.is_empty() { vec![String::new()] } else { expand_one(after)? };
    let mut names = Vec::new();
    for range in ranges.split(',') {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (from.parse::<usize>().ok()?, to.parse::<usize>().ok()?);
        if first > last || (last - first).checked_mul(after.len())? > MOST_NODES {
            return None;
        }
        for number in first..=last {
            names.extend(
                after.iter().map(|after| format!("{before}{number:0width$}{after}", width = from.len())),
            );
        }
    }
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_expanded() {
        let expand = |list| expand(list).map(|names| names.join(" "));
        assert_eq!(expand("n[1-3,07],login").as_deref(), Some("n1 n2 n3 n07 login"));
        assert_eq!(expand("r[1-2]n[08-10]").as_deref(), Some("r1n08 r1n09 r1n10 r2n08 r2n09 r2n10"));
        for wrong in ["", "n[1-", "n[2-1]", "n[a]", "n[1-99999999]"] {
            assert_eq!(expand(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn neighbours_that_are_alike_are_one_kind() {
        let text = "\
NodeName=DEFAULT RealMemory=48000 Sockets=2 CoresPerSocket=6
NodeName=n[1-4] Feature=IB,CPU-N
NodeName=g[1-2] Gres=gpu:tesla:2,gpu:k80:1(S:0) ThreadsPerCore=2
PartitionName=normal Nodes=n[1-4],\\
g[1-2]
PartitionName=debug Nodes=n[1-2]
";
        let found: Vec<_> = read(text).unwrap();
        let of = |name: &str, nodes, cores, gpus: Option<u32>, features: &[&str]| NodeKind {
            name: name.to_owned(),
            nodes,
            cores,
            memory_mb: 48_000,
            resources: gpus.map(|gpus| ("gpu".to_owned(), gpus)).into_iter().collect(),
            features: features.iter().map(|&name| name.to_owned()).collect(),
        };
        let expected = [
            of("n1", 2, 12, None, &["IB", "CPU-N", "partition-debug"]),
            of("n3", 2, 12, None, &["IB", "CPU-N"]),
            of("g1", 2, 24, Some(3), &[]),
        ];
        assert_eq!(found, expected);
        let error = read("\nNodeName=n[1- CPUs=2").unwrap_err().to_string();
        assert_eq!(error, "line 2: NodeName: expected names such as n[1-8,12], found `n[1-`");
    }
}
