//! Nodes of `slurm.conf` and `gres.conf`, and the nodes of each partition.

use super::ConfError;
use super::lines::{ConfLine, Location, values};
use super::names::{MOST_NODES, expand_hosts, feature_of_partition, feature_of_reservation, identifier};
use super::reservations::NodeReservation;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// A generic resource: its name, its type if given, and its number of units per node.
type Gres = (String, Option<String>, u32);

/// A group of identical nodes that are consecutive in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeKind {
    /// Name of the first node.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Processors per node.
    pub cores: u32,
    /// Memory per node in megabytes.
    pub memory_mb: u64,
    /// Generic resources per node: the total by name (`gpu`), and the units of each type
    /// (`gpu_a100`).
    pub resources: BTreeMap<String, u32>,
    /// Features, including `partition-NAME` of the partitions that have these nodes but not all
    /// others, and `reservation-NAME`.
    pub features: Vec<String>,
}

/// Attributes from a `NodeName` line.
#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    cpus: Option<u32>,
    topology: [Option<u32>; 3],
    memory_mb: Option<u64>,
    gres: Vec<Gres>,
    features: Vec<String>,
    /// Nodes of lower weight are allocated first; Slurm's default is 1.
    weight: Option<u32>,
    /// True for a node of state `FUTURE`, which does not exist yet.
    is_future: bool,
}

impl Node {
    fn cores(&self) -> u32 {
        let product = self.topology.iter().map(|part| part.unwrap_or(1)).fold(1, u32::saturating_mul);
        self.cpus.unwrap_or(product).max(1)
    }

    fn resources(&self) -> BTreeMap<String, u32> {
        let mut resources = BTreeMap::new();
        for (name, of_type, count) in &self.gres {
            let typed = of_type.as_ref().map(|of_type| identifier(&format!("{name}_{of_type}")));
            for resource in [Some(identifier(name)), typed].into_iter().flatten() {
                let sum = resources.entry(resource).or_insert(0_u32);
                *sum = sum.saturating_add(*count);
            }
        }
        resources.retain(|_, count| *count > 0);
        resources
    }
}

/// The nodes of a site, and the nodes of each partition; `None` for a partition with all nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<(String, Node)>,
    partitions: Vec<(String, Option<FxHashSet<String>>)>,
    /// Features of reservations with the names of their nodes.
    reserved: Vec<(String, FxHashSet<String>)>,
    /// Node parameters that are not simulated.
    pub(super) ignored: Vec<String>,
}

/// Parses the lines of nodes and partitions, and those of a `gres.conf`.
pub(super) fn read(lines: &[ConfLine], gres: &[ConfLine]) -> Result<Nodes, ConfError> {
    let (mut default, mut all) = (Node::default(), Nodes::default());
    let mut default_nodes = None;
    for ConfLine { at, pairs } in lines {
        let (name, list) = &pairs[0];
        if name.eq_ignore_ascii_case("NodeName") {
            let node = all.parse_node(&pairs[1..], default.clone(), at)?;
            if list.eq_ignore_ascii_case("DEFAULT") {
                default = node;
                continue;
            }
            let names = expand_hosts(list, at)?;
            if names.len() + all.nodes.len() > MOST_NODES {
                return Err(at.error(format!("expected at most {MOST_NODES} nodes")));
            }
            all.nodes.extend(names.into_iter().map(|name| (name, node.clone())));
        } else if name.eq_ignore_ascii_case("PartitionName") {
            let given = values(pairs.iter(), "Nodes").next().or(default_nodes);
            if list.eq_ignore_ascii_case("DEFAULT") {
                default_nodes = given;
                continue;
            }
            let given = given.filter(|list| !list.eq_ignore_ascii_case("ALL"));
            let at = at.for_parameter(format!("PartitionName={list} Nodes"));
            let nodes = given.map(|given| expand_hosts(given, &at)).transpose()?;
            all.partitions.push((list.clone(), nodes.map(FxHashSet::from_iter)));
        }
    }
    let mut seen = FxHashSet::default();
    if let Some((twice, _)) = all.nodes.iter().find(|(name, _)| !seen.insert(name.as_str())) {
        let at = lines.iter().rev().find(|line| line.pairs[0].0.eq_ignore_ascii_case("NodeName"));
        let fault = at.map(|line| line.at.error(format!("node {twice} is defined twice")));
        return fault.map_or(Ok(Nodes::default()), Err);
    }
    all.add_gres(gres)?;
    all.ignored.sort_unstable();
    all.nodes.retain(|(_, node)| !node.is_future);
    Ok(all)
}

impl Nodes {
    fn parse_node(
        &mut self,
        pairs: &[(String, String)],
        mut node: Node,
        at: &Location,
    ) -> Result<Node, ConfError> {
        for (name, value) in pairs {
            let at = at.for_parameter(format!("NodeName {name}"));
            match name.to_ascii_lowercase().as_str() {
                "cpus" | "procs" => node.cpus = Some(at.number(value)?),
                "sockets" => node.topology[0] = Some(at.number(value)?),
                "corespersocket" => node.topology[1] = Some(at.number(value)?),
                "threadspercore" => node.topology[2] = Some(at.number(value)?),
                "weight" => node.weight = Some(at.number(value)?),
                "realmemory" => node.memory_mb = Some(at.number(value)?.into()),
                "feature" | "features" => {
                    node.features =
                        value.split(',').filter(|name| !name.is_empty()).map(identifier).collect();
                }
                "gres" => {
                    node.gres.clear();
                    for part in value.split(',').filter(|part| !part.is_empty()) {
                        node.gres.push(parse_gres(part, &at)?);
                    }
                }
                "state" => node.is_future = value.to_ascii_uppercase().starts_with("FUTURE"),
                // Network addresses and local details of a node do not affect scheduling.
                "nodehostname" | "nodeaddr" | "port" | "bcastaddr" | "reason" | "tmpdisk" => {}
                _ => self.ignored.push(format!("NodeName {name}")),
            }
        }
        Ok(node)
    }

    /// Adds the types and counts of `gres.conf` to resources for which `slurm.conf` gives no type.
    fn add_gres(&mut self, lines: &[ConfLine]) -> Result<(), ConfError> {
        let mut said: FxHashMap<(Option<String>, String), Vec<Gres>> = FxHashMap::default();
        for ConfLine { at, pairs } in lines {
            let get = |key| values(pairs.iter(), key).next();
            let Some(name) = get("Name") else {
                self.ignored.extend(pairs.iter().map(|(name, _)| format!("gres.conf {name}")));
                continue;
            };
            let at_file = at.for_parameter("File");
            let files = get("File").map(|list| expand_hosts(list, &at_file)).transpose()?;
            let count = match get("Count") {
                Some(count) => at.for_parameter("Count").number(count)?,
                None => files.map_or(1, |files| u32::try_from(files.len()).unwrap_or(u32::MAX)),
            };
            let nodes: Vec<Option<String>> = match get("NodeName") {
                Some(list) => {
                    expand_hosts(list, &at.for_parameter("NodeName"))?.into_iter().map(Some).collect()
                }
                None => vec![None],
            };
            for node in nodes {
                if let Some(name) = node.as_ref().filter(|name| !self.nodes.iter().any(|it| it.0 == **name)) {
                    let choices = &mut self.nodes.iter().map(|(name, _)| name.as_str());
                    return Err(at.for_parameter("NodeName").error(super::unknown("node", name, choices)));
                }
                let parts = said.entry((node, name.to_owned())).or_default();
                parts.push((name.to_owned(), get("Type").map(str::to_owned), count));
            }
        }
        for (node_name, node) in &mut self.nodes {
            let is_untyped = |gres: &Gres| gres.1.is_none();
            let untyped: FxHashSet<String> =
                node.gres.iter().filter(|it| is_untyped(it)).map(|it| it.0.clone()).collect();
            for name in untyped {
                let of_node = said.get(&(Some(node_name.clone()), name.clone()));
                let Some(parts) = of_node.or_else(|| said.get(&(None, name.clone()))) else { continue };
                node.gres.retain(|it| it.0 != name || !is_untyped(it));
                node.gres.extend_from_slice(parts);
            }
        }
        Ok(())
    }

    /// Adds the features of reservations to their nodes.
    ///
    /// # Errors
    ///
    /// A reservation has a node that does not exist.
    pub(super) fn add_reservations<'a>(
        &mut self,
        all: impl Iterator<Item = &'a NodeReservation>,
    ) -> Result<(), ConfError> {
        let known: FxHashSet<&str> = self.nodes.iter().map(|(node, _)| node.as_str()).collect();
        for reserved in all {
            if let Some(name) = reserved.nodes.iter().filter(|name| !known.contains(name.as_str())).min() {
                let choices = &mut self.nodes.iter().map(|(node, _)| node.as_str());
                return Err(reserved.at.for_parameter("Nodes").error(super::unknown("node", name, choices)));
            }
            let nodes = reserved.nodes.iter().cloned().collect();
            self.reserved.push((feature_of_reservation(&reserved.name), nodes));
        }
        Ok(())
    }

    /// Iterates over the names of partitions and nodes, for messages.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.partitions.iter().map(|(name, _)| name.as_str()).chain(self.nodes.iter().map(|it| it.0.as_str()))
    }

    /// Adds copies of the last node of a partition, or of the node of this name, or removes the last
    /// nodes of a partition. Returns `None`, without a change, if there is no such partition or
    /// node, or if no node would remain.
    pub(super) fn change(&mut self, of: &str, more: i64) -> Option<()> {
        let is_of_partition = |name: &str| {
            let partition = self.partitions.iter().find(|(partition, _)| partition == of)?;
            Some(partition.1.as_ref().is_none_or(|nodes| nodes.contains(name)))
        };
        let is_meant = |name: &str| is_of_partition(name).unwrap_or(name == of);
        let last = self.nodes.iter().rposition(|(name, _)| is_meant(name))?;
        let (name, node) = self.nodes[last].clone();
        if more < 0 {
            let gone = usize::try_from(-more).ok()?;
            let meant = self.nodes.iter().filter(|(name, _)| is_meant(name)).count();
            let mut kept = meant.checked_sub(gone).filter(|kept| *kept > 0)?;
            self.nodes.retain(|(name, _)| {
                let is_meant = is_meant(name);
                let stays = !is_meant || kept > 0;
                kept -= usize::from(is_meant && stays);
                stays
            });
            return Some(());
        }
        let added = (1..=usize::try_from(more).ok().filter(|more| *more <= MOST_NODES)?)
            .map(|number| format!("{name}+{number}"))
            .collect::<Vec<_>>();
        for nodes in self.partitions.iter_mut().filter_map(|(_, nodes)| nodes.as_mut()) {
            if nodes.contains(&name) {
                nodes.extend(added.iter().cloned());
            }
        }
        let copies: Vec<_> = added.into_iter().map(|name| (name, node.clone())).collect();
        self.nodes.splice(last + 1..=last, copies);
        Some(())
    }

    /// Groups the usable nodes (those of any partition) by kind, lowest weight first, as jobs get
    /// the first free nodes. With `asked`, other features are omitted.
    pub(super) fn kinds(&self, asked: Option<&FxHashSet<String>>) -> Vec<NodeKind> {
        let usable = |name: &str| {
            let has = |(_, nodes): &(String, Option<FxHashSet<String>>)| {
                nodes.as_ref().is_none_or(|nodes| nodes.contains(name))
            };
            self.partitions.is_empty() || self.partitions.iter().any(has)
        };
        let mut nodes: Vec<&(String, Node)> = self.nodes.iter().filter(|(name, _)| usable(name)).collect();
        nodes.sort_by_key(|(_, node)| node.weight.unwrap_or(1));
        let narrow: Vec<(&String, &FxHashSet<String>)> = self
            .partitions
            .iter()
            .filter_map(|(partition, names)| Some((partition, names.as_ref()?)))
            .filter(|(_, names)| nodes.iter().any(|(name, _)| !names.contains(name)))
            .collect();
        let mut kinds: Vec<NodeKind> = Vec::new();
        for (name, node) in nodes {
            let of_partitions = narrow
                .iter()
                .filter(|(_, names)| names.contains(name))
                .map(|(partition, _)| feature_of_partition(partition));
            let features = node.features.iter().cloned().chain(of_partitions);
            let reserved = self.reserved.iter().filter(|(_, names)| names.contains(name));
            let reserved = reserved.map(|(feature, _)| feature.clone());
            let kind = NodeKind {
                cores: node.cores(),
                memory_mb: node.memory_mb.unwrap_or(1).max(1),
                features: features
                    .filter(|name| asked.is_none_or(|asked| asked.contains(name)))
                    .chain(reserved)
                    .collect(),
                resources: node.resources(),
                nodes: 1,
                name: identifier(name),
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
}

/// Parses a generic resource: `gpu:a100:4(S:0-1)`, `gpu:4`, `gpu:a100` or `gpu`.
fn parse_gres(text: &str, at: &Location) -> Result<Gres, ConfError> {
    let part = text.split('(').next().unwrap_or_default();
    let words: Vec<&str> = part.split(':').filter(|word| *word != "no_consume").collect();
    let count = |word: &str| {
        let (digits, factor) = match word.strip_suffix(['K', 'k']) {
            Some(digits) => (digits, 1024),
            None => (word, 1),
        };
        digits.parse::<u32>().ok()?.checked_mul(factor)
    };
    let of = |name: &str, of_type: Option<&str>, count| (name.to_owned(), of_type.map(str::to_owned), count);
    match words[..] {
        [name] if !name.is_empty() => Ok(of(name, None, 1)),
        [name, last] => {
            Ok(count(last).map_or_else(|| of(name, Some(last), 1), |count| of(name, None, count)))
        }
        [name, of_type, last] if count(last).is_some() => {
            Ok(of(name, Some(of_type), count(last).unwrap_or(1)))
        }
        _ => Err(at.unexpected(text, "a generic resource such as gpu:4 or gpu:a100:4")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::parse_lines;
    use super::*;

    const TEXT: &str = "\
NodeName=DEFAULT RealMemory=48000 Sockets=2 CoresPerSocket=6
NodeName=n[1-4] Feature=IB,CPU-N
NodeName=g[1-2] Gres=gpu:tesla:2,gpu:k80:1(S:0) ThreadsPerCore=2 Weight=5
NodeName=later[1-9] State=FUTURE
NodeName=login
PartitionName=normal Nodes=n[1-4],\\
g[1-2]
PartitionName=debug Nodes=n[1-2]
";

    fn of(name: &str, nodes: u32, cores: u32, gpus: &[(&str, u32)], features: &[&str]) -> NodeKind {
        NodeKind {
            name: name.to_owned(),
            nodes,
            cores,
            memory_mb: 48_000,
            resources: gpus.iter().map(|&(name, count)| (name.to_owned(), count)).collect(),
            features: features.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    /// The login node is in no partition, and `FUTURE` nodes do not exist yet.
    #[test]
    fn neighbours_that_are_alike_are_one_kind() {
        let nodes = read(&parse_lines(TEXT, "slurm.conf"), &[]).unwrap();
        let gpus = [("gpu", 3), ("gpu_k80", 1), ("gpu_tesla", 2)];
        let expected = [
            of("n1", 2, 12, &[], &["IB", "CPU-N", "partition-debug"]),
            of("n3", 2, 12, &[], &["IB", "CPU-N"]),
            of("g1", 2, 24, &gpus, &[]),
        ];
        assert_eq!(nodes.kinds(None), expected);
        assert_eq!(nodes.ignored, [""; 0]);
        let lighter = read(&parse_lines(&TEXT.replace("Weight=5", "Weight=0"), "slurm.conf"), &[]).unwrap();
        assert_eq!(lighter.kinds(None), [expected[2].clone(), expected[0].clone(), expected[1].clone()]);
        let asked = FxHashSet::from_iter(["CPU-N".to_owned()]);
        let kinds = nodes.kinds(Some(&asked));
        assert_eq!(kinds, [of("n1", 4, 12, &[], &["CPU-N"]), of("g1", 2, 24, &gpus, &[])]);
    }

    #[test]
    fn partitions_grow_and_shrink() {
        let nodes = read(&parse_lines(TEXT, "slurm.conf"), &[]).unwrap();
        let changed = |of: &str, more| {
            let mut nodes = nodes.clone();
            nodes.change(of, more)?;
            Some(nodes.kinds(None).iter().map(|kind| kind.nodes).collect::<Vec<_>>())
        };
        assert_eq!(changed("debug", 3), Some(vec![5, 2, 2]));
        assert_eq!(changed("g1", 2), Some(vec![2, 2, 4]));
        assert_eq!(changed("normal", -3), Some(vec![2, 1]));
        assert_eq!((changed("debug", -2), changed("none", 1)), (None, None));
    }

    #[test]
    fn types_and_numbers_are_those_of_gres_conf_where_nodes_do_not_say_them() {
        let conf = parse_lines(
            "NodeName=g[1-3] Gres=gpu:4\nNodeName=h1 Gres=gpu:v100:2\nNodeName=k1 Gres=gpu\n",
            "slurm.conf",
        );
        let gres = "\
AutoDetect=off
NodeName=g[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3]
Name=gpu Type=k80 Count=3
";
        let nodes = read(&conf, &parse_lines(gres, "gres.conf")).unwrap();
        let found: Vec<_> = nodes.kinds(None).into_iter().map(|kind| (kind.nodes, kind.resources)).collect();
        let of = |typed: &str, count| {
            [("gpu".to_owned(), count), (typed.to_owned(), count)].into_iter().collect::<BTreeMap<_, _>>()
        };
        assert_eq!(
            found,
            [(2, of("gpu_a100", 4)), (1, of("gpu_k80", 3)), (1, of("gpu_v100", 2)), (1, of("gpu_k80", 3))]
        );
        let error = |text: &str| read(&conf, &parse_lines(text, "gres.conf")).unwrap_err().to_string();
        assert_eq!(
            error("NodeName=g[1-5] Name=gpu"),
            "gres.conf: line 1: NodeName: unknown node `g4`; expected g1, g2, g3, h1 or k1"
        );
        assert_eq!(
            error("\nName=gpu Count=x"),
            "gres.conf: line 2: Count: expected a whole number, found `x`"
        );
    }

    #[test]
    fn what_cannot_be_read_has_its_place() {
        for (text, message) in [
            (
                "\nNodeName=n[1- CPUs=2",
                "line 2: NodeName: expected host names such as n[1-8,12], found `n[1-`",
            ),
            ("NodeName=n1 CPUs=x", "line 1: NodeName CPUs: expected a whole number, found `x`"),
            (
                "NodeName=n1 Gres=gpu:a:b:2",
                "line 1: NodeName Gres: expected a generic resource such as gpu:4 or gpu:a100:4, found `gpu:a:b:2`",
            ),
            ("NodeName=n[1-3]\nNodeName=n2", "line 2: NodeName: node n2 is defined twice"),
            (
                "PartitionName=p Nodes=n[",
                "line 1: PartitionName=p Nodes: expected host names such as n[1-8,12], found `n[`",
            ),
        ] {
            assert_eq!(read(&parse_lines(text, "x"), &[]).unwrap_err().to_string(), format!("x: {message}"));
        }
    }
}
