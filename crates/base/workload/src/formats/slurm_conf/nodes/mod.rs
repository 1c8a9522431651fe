//! Nodes of `slurm.conf` and `gres.conf`, and the nodes of each partition.

mod gres;
mod gres_file;
mod node;
mod sets;
mod state;
mod topology;

use super::lines::{ConfLine, Location, values};
use super::names::{
    MAX_NODES, expand_hosts, feature_of_partition, feature_of_reservation, identifier, list_of_feature,
    listed,
};
use super::power_saving::{OtherNames, PartitionPower, PowerSaving, SavingNode};
use super::reservations::NodeReservation;
use super::{ConfError, ConfErrors, Note};
use dfrsim_model::platform::classes::SleepFields;
pub use gres::GpuPart;
use node::Node;
use rustc_hash::{FxHashMap, FxHashSet};
use sets::{NodeLists, PartitionNodes};
use state::NodeState;
use std::collections::BTreeMap;

/// A group of identical nodes that are consecutive in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeKind {
    /// Name of the first node.
    pub name: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Names of the nodes.
    pub hosts: Vec<String>,
    /// Processors per node that jobs can get.
    pub cores: u32,
    /// Memory per node in megabytes that jobs can get; `None` if it is not limited.
    pub memory_mb: Option<u64>,
    /// Generic resources per node: the total by name (`gpu`), and the units of each type
    /// (`gpu_a100`).
    pub resources: BTreeMap<String, u32>,
    /// Features, including `partition-NAME` of the partitions that have these nodes but not all
    /// others, and `reservation-NAME`.
    pub features: Vec<String>,
    /// Rule by which nodes without jobs sleep; `None` if they stay awake.
    pub sleep: Option<SleepFields>,
}

impl NodeKind {
    /// Returns whether nodes of both kinds are alike.
    fn is_like(&self, other: &NodeKind) -> bool {
        let of = |kind: &NodeKind| (kind.cores, kind.memory_mb, kind.sleep);
        of(self) == of(other) && self.resources == other.resources && self.features == other.features
    }
}

/// Number of nodes and processors of a partition, as `scontrol show partition` counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartitionSize {
    /// Name of the partition.
    pub name: String,
    /// Number of nodes, including those that take no jobs.
    pub nodes: usize,
    /// Number of processors of these nodes, including those that are kept for the system.
    pub cpus: u64,
    /// Number of nodes that take no jobs: they are down, drained, or do not exist yet.
    pub idle: usize,
}

/// The nodes of a site, and the nodes of each partition; `None` for a partition with all nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<(String, Node)>,
    partitions: PartitionNodes,
    /// Node sets with their nodes.
    sets: FxHashMap<String, Vec<String>>,
    /// Features of reservations with the names of their nodes.
    reserved: Vec<(String, FxHashSet<String>)>,
    /// Node parameters that are not simulated.
    pub(super) ignored: Vec<String>,
    /// Statements about nodes that differ from what the file says.
    notes: Vec<Note>,
    /// Nodes that what-if changes removed.
    pub(super) removed: FxHashSet<String>,
}

/// Parses the lines of nodes, node sets and partitions, and those of a `gres.conf`.
pub(super) fn read(lines: &[ConfLine], gres: &[ConfLine]) -> Result<Nodes, ConfErrors> {
    let (mut default, mut all, mut errors) = (Node::default(), Nodes::default(), Vec::new());
    let (mut lists, mut default_nodes, mut seen) = (NodeLists::default(), None, FxHashSet::default());
    for line in lines {
        let ConfLine { at, pairs, .. } = line;
        let list = &pairs[0].1;
        let is_default = list.eq_ignore_ascii_case("DEFAULT");
        if line.is_of("NodeName") {
            let node = Node::of_line(line, &default, &mut all.ignored, &mut errors);
            if is_default {
                default = node;
                continue;
            }
            match node.topology.processors() {
                Err(reason) => errors.push(at.error(reason)),
                Ok(processors) => all.notes.extend(processors.replaced.map(|cpus| {
                    let ConfLine { at, .. } = line;
                    let product = processors.all;
                    Note::changed(format!("line {}: NodeName={list}: CPUs={cpus} contradicts sockets, cores and threads; the nodes have {product} CPUs, as for slurmctld", at.line))
                })),
            }
            match expand_hosts(list, at) {
                Ok(names) if names.len() + all.nodes.len() > MAX_NODES => {
                    errors.push(at.error(format!("expected at most {MAX_NODES} nodes")));
                }
                Ok(names) => {
                    let twice = names.iter().find(|name| !seen.insert((*name).clone()));
                    errors.extend(twice.map(|name| at.error(format!("node {name} is defined twice"))));
                    all.nodes.extend(names.into_iter().map(|name| (name, node.clone())));
                }
                Err(error) => errors.push(error),
            }
        } else if line.is_of("NodeSet") {
            errors.extend(lists.add_set(line).err());
        } else if line.is_of("PartitionName") {
            let given = values(pairs.iter(), "Nodes").next().or(default_nodes);
            if is_default {
                default_nodes = given;
            } else {
                errors.extend(lists.add_partition(list, at, given).err());
            }
        }
    }
    all.take_down(lines, &mut errors);
    // Files without any node have priorities alone.
    if errors.is_empty() || !all.nodes.is_empty() {
        all.sets = lists.sets_with_nodes(&all.nodes);
        all.partitions = lists.resolve(&all.nodes, &mut errors, &mut all.notes);
    }
    let ignored = gres_file::add(gres, &mut all.nodes, &mut errors);
    all.ignored.extend(ignored);
    all.ignored.sort_unstable();
    ConfErrors::or(errors, all)
}

impl Nodes {
    /// Applies the `DownNodes` lines.
    fn take_down(&mut self, lines: &[ConfLine], errors: &mut Vec<ConfError>) {
        for ConfLine { at, pairs, .. } in lines.iter().filter(|line| line.is_of("DownNodes")) {
            let list = &pairs[0].1;
            let state = values(pairs.iter(), "State").next().unwrap_or("DOWN");
            let names = match (expand_hosts(list, at), NodeState::of(state)) {
                (Err(error), _) => {
                    errors.push(error);
                    continue;
                }
                (_, None) => {
                    errors.push(at.for_parameter("DownNodes State").unexpected(state, "DOWN, DRAIN or FAIL"));
                    continue;
                }
                (Ok(names), Some(state)) => (names, state),
            };
            let (mut names, state) = (FxHashSet::from_iter(names.0), names.1);
            for (name, node) in &mut self.nodes {
                if names.remove(name) {
                    node.state = state;
                }
            }
            if let Some(name) = names.iter().min() {
                let choices = &mut self.nodes.iter().map(|(name, _)| name.as_str());
                errors.push(at.error(super::unknown("node", name, choices)));
            }
        }
    }

    /// Determines which nodes sleep, by the power saving of the cluster and of the partitions.
    ///
    /// # Errors
    ///
    /// An exception names a node or a partition that does not exist.
    pub(super) fn save_power(
        &mut self,
        power: &PowerSaving,
        partitions: &[(String, PartitionPower)],
    ) -> Result<(), ConfError> {
        let place = |name: &str| partitions.iter().position(|(it, _)| it == name);
        let of_node = |node: &str| {
            let own =
                self.partitions.iter().filter(|(_, nodes)| nodes.as_ref().is_none_or(|it| it.contains(node)));
            own.filter_map(|(partition, _)| place(partition)).collect()
        };
        let node = |(name, node): &'_ (String, Node)| (self.is_usable(name, node), of_node(name));
        let found: Vec<(bool, Vec<usize>)> = self.nodes.iter().map(node).collect();
        let nodes = self.nodes.iter().zip(found).map(|((name, node), (is_usable, partitions))| {
            let is_cloud = node.state == NodeState::Cloud;
            SavingNode { name, is_usable, is_cloud, partitions, suspend: node.suspend }
        });
        let nodes: Vec<SavingNode<'_>> = nodes.collect();
        let others = OtherNames { removed: &self.removed, sets: &self.sets };
        let all = power.rules(&nodes, &others, partitions)?;
        self.nodes.iter_mut().zip(all.rules).for_each(|((_, node), rule)| node.sleep = rule);
        self.notes.extend(all.notes);
        Ok(())
    }

    /// Checks that there are nodes and partitions, without which Slurm does not start.
    ///
    /// # Errors
    ///
    /// No line with `NodeName`, or none with `PartitionName`.
    pub(super) fn check_existence(&self, file: &str) -> Result<(), ConfErrors> {
        let at = Location { file: file.into(), ..Default::default() };
        let missing = [("NodeName", self.nodes.is_empty()), ("PartitionName", self.partitions.is_empty())];
        let missing = missing.into_iter().filter(|(_, is_missing)| *is_missing);
        let errors = missing.map(|(name, _)| at.error(format!("expected lines with {name}, found none")));
        ConfErrors::or(errors.collect(), ())
    }

    /// Returns notes on nodes that take no jobs or differ from what the file says.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = self.notes.clone();
        let names = |is_it: &dyn Fn(&String, &Node) -> bool| -> Vec<&str> {
            self.nodes.iter().filter(|(name, node)| is_it(name, node)).map(|it| it.0.as_str()).collect()
        };
        let mut state = |note: fn(String) -> Note, text: &str, names: Vec<&str>| {
            if !names.is_empty() {
                notes.push(note(format!("{text}: {}", listed(&names))));
            }
        };
        state(
            Note::noted,
            "nodes that are down, drained or failing in the file take no jobs",
            names(&|_, node| matches!(node.state, NodeState::Down | NodeState::Drain | NodeState::Fail)),
        );
        state(
            Note::noted,
            "nodes of State=FUTURE do not exist yet and take no jobs",
            names(&|_, node| node.state == NodeState::Future),
        );
        state(
            Note::changed,
            "nodes of State=CLOUD count as up, without a delay for their start",
            names(&|_, node| node.state == NodeState::Cloud && node.sleep.is_none()),
        );
        state(
            Note::noted,
            "nodes of no partition take no jobs",
            names(&|name, node| node.state.takes_jobs() && !self.is_in_partition(name)),
        );
        state(
            Note::guessed,
            "nodes without RealMemory, on which memory is not limited",
            names(&|name, node| node.memory_mb().is_none() && self.is_usable(name, node)),
        );
        let resources = self.nodes.iter().filter(|(name, node)| self.is_usable(name, node));
        let mut seen = FxHashSet::default();
        for (name, node) in resources {
            for note in gres::resources(&node.gres, node.processors().for_jobs).notes {
                if seen.insert(note.text.clone()) {
                    notes.push(Note { text: format!("Gres of {name}: {note}"), ..note });
                }
            }
        }
        notes.extend(self.gpu_parts().1);
        notes
    }

    /// Counts the nodes and processors of each partition.
    pub(super) fn partition_sizes(&self) -> Vec<PartitionSize> {
        let size = |(partition, names): &(String, Option<FxHashSet<String>>)| {
            let own = self.nodes.iter().filter(|(name, _)| names.as_ref().is_none_or(|it| it.contains(name)));
            let mut size = PartitionSize { name: partition.clone(), nodes: 0, cpus: 0, idle: 0 };
            for (_, node) in own {
                size.nodes += 1;
                size.cpus += u64::from(node.processors().all);
                size.idle += usize::from(!node.state.takes_jobs());
            }
            size
        };
        self.partitions.iter().map(size).collect()
    }

    fn is_in_partition(&self, name: &str) -> bool {
        self.partitions.iter().any(|(_, nodes)| nodes.as_ref().is_none_or(|nodes| nodes.contains(name)))
    }

    /// Returns whether a node takes jobs of some partition.
    fn is_usable(&self, name: &str, node: &Node) -> bool {
        node.state.takes_jobs() && self.is_in_partition(name)
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
        let removed = self.removed.iter().map(String::as_str);
        let known: FxHashSet<&str> =
            self.nodes.iter().map(|(node, _)| node.as_str()).chain(removed).collect();
        for reserved in all {
            if let Some(name) = reserved.nodes.iter().filter(|name| !known.contains(name.as_str())).min() {
                let choices = &mut self.nodes.iter().map(|(node, _)| node.as_str());
                return Err(reserved.at.for_parameter("Nodes").error(super::unknown("node", name, choices)));
            }
            // Reservations of licences alone have no nodes.
            if reserved.nodes.is_empty() {
                continue;
            }
            let nodes = reserved.nodes.iter().cloned().collect();
            self.reserved.push((feature_of_reservation(&reserved.name), nodes));
        }
        Ok(())
    }

    /// Multiplies the cores of the nodes of partitions by the number of jobs that share a core there,
    /// given that number for each partition. Returns the partitions of which this holds; other
    /// partitions with the same nodes must share cores equally.
    pub(super) fn share_cores(&mut self, jobs: &[(String, u32)]) -> Vec<(String, u32)> {
        let of = |partition: &str| jobs.iter().find(|(name, _)| name == partition).map_or(1, |it| it.1);
        let partitions = &self.partitions;
        let jobs_on = |node: &str| -> Vec<u32> {
            let own =
                partitions.iter().filter(|(_, nodes)| nodes.as_ref().is_none_or(|it| it.contains(node)));
            own.map(|(partition, _)| of(partition)).collect()
        };
        let is_equal = |node: &str| jobs_on(node).windows(2).all(|pair| pair[0] == pair[1]);
        let shares = |(partition, names): &&(String, Option<FxHashSet<String>>)| {
            let own = |node: &str| names.as_ref().is_none_or(|it| it.contains(node));
            of(partition) > 1 && self.nodes.iter().all(|(node, _)| !own(node) || is_equal(node))
        };
        let sharing: Vec<(String, u32)> = partitions
            .iter()
            .filter(shares)
            .map(|(partition, _)| (partition.clone(), of(partition)))
            .collect();
        let is_shared = |node: &str| {
            let own =
                partitions.iter().filter(|(_, nodes)| nodes.as_ref().is_none_or(|it| it.contains(node)));
            own.filter_map(|(partition, _)| sharing.iter().find(|(name, _)| name == partition))
                .map(|it| it.1)
                .next()
        };
        let factors: Vec<Option<u32>> = self.nodes.iter().map(|(node, _)| is_shared(node)).collect();
        for ((_, node), jobs) in self.nodes.iter_mut().zip(factors) {
            node.jobs_per_core = jobs;
        }
        sharing
    }

    /// Iterates over the names of all nodes.
    pub(super) fn node_names(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().map(|(name, _)| name.as_str())
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
        let last = self.nodes.iter().rposition(|(name, node)| is_meant(name) && node.state.takes_jobs())?;
        let (name, node) = self.nodes[last].clone();
        if more < 0 {
            let gone = usize::try_from(-more).ok()?;
            let meant = self.nodes.iter().filter(|(name, node)| is_meant(name) && node.state.takes_jobs());
            let meant = meant.count();
            let mut kept = meant.checked_sub(gone).filter(|kept| *kept > 0)?;
            let mut removed = FxHashSet::default();
            self.nodes.retain(|(name, node)| {
                let is_meant = is_meant(name) && node.state.takes_jobs();
                let stays = !is_meant || kept > 0;
                kept -= usize::from(is_meant && stays);
                stays || !removed.insert(name.clone())
            });
            self.removed.extend(removed);
            return Some(());
        }
        let added = (1..=usize::try_from(more).ok().filter(|more| *more <= MAX_NODES)?)
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

    /// Returns the usable nodes (those of any partition that are up), lowest weight first, as jobs
    /// get the first free nodes.
    fn usable(&self) -> Vec<&(String, Node)> {
        let mut nodes: Vec<_> = self.nodes.iter().filter(|(name, node)| self.is_usable(name, node)).collect();
        nodes.sort_by_key(|(_, node)| node.weight.unwrap_or(1));
        nodes
    }

    /// Determines the parts of GPUs of the usable nodes.
    pub(super) fn gpu_parts(&self) -> gres::GpuParts {
        let usable = self.usable();
        let of = |node: &Node| gres::resources(&node.gres, node.processors().for_jobs).counts;
        let resources: Vec<_> = usable.iter().map(|(_, node)| of(node)).collect();
        gres::gpu_parts(&resources)
    }

    /// Groups the usable nodes by kind. With `asked`, other features are omitted. Memory counts only
    /// if `has_memory`.
    pub(super) fn kinds<'a>(&self, asked: Option<&'a FxHashSet<String>>, has_memory: bool) -> Vec<NodeKind> {
        let nodes = self.usable();
        let narrow: Vec<(&String, &FxHashSet<String>)> = self
            .partitions
            .iter()
            .filter_map(|(partition, names)| Some((partition, names.as_ref()?)))
            .filter(|(_, names)| nodes.iter().any(|(name, _)| !names.contains(name)))
            .collect();
        let list = |feature: &'a String| {
            let (list, is_excluded) = list_of_feature(feature)?;
            let names = expand_hosts(&list, &Location::default()).ok()?;
            Some((feature, FxHashSet::from_iter(names), is_excluded))
        };
        let lists: Vec<(&String, FxHashSet<String>, bool)> =
            asked.into_iter().flatten().filter_map(list).collect();
        let mut kinds: Vec<NodeKind> = Vec::new();
        for (name, node) in nodes {
            let of_partitions = narrow
                .iter()
                .filter(|(_, names)| names.contains(name))
                .map(|(partition, _)| feature_of_partition(partition));
            let features = node.features.iter().map(|name| identifier(name)).chain(of_partitions);
            let of_lists =
                lists.iter().filter(|(_, names, is_excluded)| names.contains(name) != *is_excluded);
            let features = features.chain(of_lists.map(|(feature, ..)| (*feature).clone()));
            let reserved = self.reserved.iter().filter(|(_, names)| names.contains(name));
            let reserved = reserved.map(|(feature, _)| feature.clone());
            let cores = node.processors().for_jobs.saturating_mul(node.jobs_per_core.unwrap_or(1));
            let kind = NodeKind {
                cores,
                memory_mb: node.memory_mb().filter(|_| has_memory),
                features: features
                    .filter(|name| asked.is_none_or(|asked| asked.contains(name)))
                    .chain(reserved)
                    .collect(),
                resources: gres::resources(&node.gres, cores).counts,
                nodes: 1,
                hosts: vec![name.clone()],
                name: identifier(name),
                sleep: node.sleep,
            };
            match kinds.last_mut().filter(|last| kind.is_like(last)) {
                Some(last) => {
                    last.nodes += 1;
                    last.hosts.extend(kind.hosts);
                }
                None => kinds.push(kind),
            }
        }
        kinds
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
            hosts: Vec::new(),
            cores,
            memory_mb: Some(48_000),
            resources: gpus.iter().map(|&(name, count)| (name.to_owned(), count)).collect(),
            features: features.iter().map(|&name| name.to_owned()).collect(),
            sleep: None,
        }
    }

    /// Returns the kinds without the names of their nodes.
    fn kinds(nodes: &Nodes, asked: Option<&FxHashSet<String>>) -> Vec<NodeKind> {
        let kinds = nodes.kinds(asked, true).into_iter();
        kinds.map(|kind| NodeKind { hosts: Vec::new(), ..kind }).collect()
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
        assert_eq!(kinds(&nodes, None), expected);
        assert_eq!(nodes.kinds(None, true)[0].hosts, ["n1", "n2"]);
        assert_eq!(nodes.ignored, [""; 0]);
        let lighter = read(&parse_lines(&TEXT.replace("Weight=5", "Weight=0"), "slurm.conf"), &[]).unwrap();
        assert_eq!(kinds(&lighter, None), [expected[2].clone(), expected[0].clone(), expected[1].clone()]);
        let asked = FxHashSet::from_iter(["CPU-N".to_owned()]);
        assert_eq!(
            kinds(&nodes, Some(&asked)),
            [of("n1", 4, 12, &[], &["CPU-N"]), of("g1", 2, 24, &gpus, &[])]
        );
    }

    #[test]
    fn partitions_grow_and_shrink() {
        let nodes = read(&parse_lines(TEXT, "slurm.conf"), &[]).unwrap();
        let changed = |of: &str, more| {
            let mut nodes = nodes.clone();
            nodes.change(of, more)?;
            Some(nodes.kinds(None, true).iter().map(|kind| kind.nodes).collect::<Vec<_>>())
        };
        assert_eq!(changed("debug", 3), Some(vec![5, 2, 2]));
        assert_eq!(changed("g1", 2), Some(vec![2, 2, 4]));
        assert_eq!(changed("normal", -3), Some(vec![2, 1]));
        assert_eq!((changed("debug", -2), changed("none", 1)), (None, None));
    }

    /// The forms in which sites configure shards: for each device, for all of them, or in `slurm.conf`
    /// alone.
    #[test]
    fn shards_are_read_in_all_forms() {
        let parts = |conf: &str, gres: &str| {
            let conf = format!("{conf}\nPartitionName=p Nodes=ALL\n");
            let nodes = read(&parse_lines(&conf, "slurm.conf"), &parse_lines(gres, "gres.conf")).unwrap();
            let parts = nodes.gpu_parts().0;
            parts.iter().map(|part| format!("{} {}", part.name, part.per_gpu)).collect::<Vec<_>>()
        };
        let of_four = "NodeName=g[1-2] Gres=gpu:4,shard:32";
        assert_eq!(parts(of_four, ""), ["shard 8"]);
        let for_all = "AutoDetect=nvml\nName=gpu Type=a100 File=/dev/nvidia[0-3]\nName=shard Count=32\n";
        assert_eq!(parts(of_four, for_all), ["shard 8"]);
        let each: String = (0..4).map(|at| format!("Name=shard Count=8 File=/dev/nvidia{at}\n")).collect();
        assert_eq!(parts(of_four, &format!("Name=gpu File=/dev/nvidia[0-3]\n{each}")), ["shard 8"]);
        let one = "Name=gpu Type=rtx File=/dev/nvidia0\nName=shard Count=2 File=/dev/nvidia0\n";
        assert_eq!(parts("NodeName=n1 Gres=gpu:1,shard:2", one), ["shard 2"]);
        assert_eq!(parts("NodeName=n1 Gres=gpu:rtx:2,mps:200", "Name=mps Count=200\n"), ["mps 100"]);
        assert_eq!(parts("NodeName=n1 Gres=gpu:3g.20gb:2,gpu:1g.5gb:7", ""), [""; 0]);
    }

    #[test]
    fn types_and_numbers_are_those_of_gres_conf_where_nodes_do_not_say_them() {
        let conf = parse_lines(
            "NodeName=g[1-3] Gres=gpu:4\nNodeName=h1 Gres=gpu:v100:2\nNodeName=k1 Gres=gpu\nPartitionName=p Nodes=ALL\n",
            "slurm.conf",
        );
        let gres = "\
AutoDetect=off
NodeName=g[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-3]
Name=gpu Type=k80 Count=3
";
        let nodes = read(&conf, &parse_lines(gres, "gres.conf")).unwrap();
        let found: Vec<_> =
            nodes.kinds(None, true).into_iter().map(|kind| (kind.nodes, kind.resources)).collect();
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
            "gres.conf: line 2: Count: expected a whole number, with K, M, G, T or P for powers of 1024, found `x`"
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
