//! Sets of nodes: those of `NodeSet` lines, and the nodes of partitions.

use super::super::lines::{ConfLine, Location, values};
use super::super::names::expand_hosts;
use super::super::{ConfError, Note, unknown};
use super::Node;
use rustc_hash::{FxHashMap, FxHashSet};

/// Set of nodes with a name (`NodeSet`).
#[derive(Debug)]
struct NamedSet {
    at: Location,
    nodes: Vec<String>,
    feature: Option<String>,
}

/// All sets by name, and the lists of partitions that refer to them.
#[derive(Debug, Default)]
pub(super) struct NodeLists {
    sets: FxHashMap<String, NamedSet>,
    /// Partitions with their locations and lists; `None` for all nodes.
    partitions: Vec<(String, Location, Option<Vec<String>>)>,
}

/// Nodes of the partitions; `None` for all nodes.
pub(super) type PartitionNodes = Vec<(String, Option<FxHashSet<String>>)>;

impl NodeLists {
    /// Adds the set of a `NodeSet` line.
    pub(super) fn add_set(&mut self, line: &ConfLine) -> Result<(), ConfError> {
        let ConfLine { at, pairs, .. } = line;
        let name = &pairs[0].1;
        let key = |key| values(pairs.iter(), key).next();
        let at_nodes = at.for_parameter(format!("NodeSet={name} Nodes"));
        let nodes = key("Nodes").map_or(Ok(Vec::new()), |list| expand_hosts(list, &at_nodes))?;
        let feature = key("Feature").or(key("Features")).map(str::to_owned);
        let at = at.for_parameter(format!("NodeSet={name}"));
        if nodes.is_empty() && feature.is_none() {
            return Err(at.error("expected Nodes or Feature"));
        }
        if self.sets.insert(name.clone(), NamedSet { at: at.clone(), nodes, feature }).is_some() {
            return Err(at.error(format!("node set {name} is defined twice")));
        }
        Ok(())
    }

    /// Adds a partition. Without a list it has no nodes.
    pub(super) fn add_partition(
        &mut self,
        name: &str,
        at: &Location,
        list: Option<&str>,
    ) -> Result<(), ConfError> {
        let at = at.for_parameter(format!("PartitionName={name} Nodes"));
        if self.partitions.iter().any(|(other, ..)| other == name) {
            let reason = format!("partition {name} is defined twice");
            return Err(at.for_parameter("PartitionName").error(reason));
        }
        let nodes = match list.map(str::trim) {
            Some(list) if list.eq_ignore_ascii_case("ALL") => None,
            None | Some("") => Some(Vec::new()),
            Some(list) => Some(expand_hosts(list, &at)?),
        };
        self.partitions.push((name.to_owned(), at, nodes));
        Ok(())
    }

    /// Returns the sets with the nodes that they name, or that have their feature.
    pub(super) fn sets_with_nodes(&self, nodes: &[(String, Node)]) -> FxHashMap<String, Vec<String>> {
        let members = |set: &NamedSet| {
            let has =
                |node: &Node| set.feature.as_ref().is_some_and(|feature| node.features.contains(feature));
            let of_feature = nodes.iter().filter(|(_, node)| has(node)).map(|(name, _)| name.clone());
            set.nodes.iter().cloned().chain(of_feature).collect()
        };
        self.sets.iter().map(|(name, set)| (name.clone(), members(set))).collect()
    }

    /// Replaces the sets by their nodes, and checks that all names exist. Statements about sets that
    /// no partition uses are added to `notes`.
    pub(super) fn resolve(
        self,
        nodes: &[(String, Node)],
        errors: &mut Vec<ConfError>,
        notes: &mut Vec<Note>,
    ) -> PartitionNodes {
        let known: FxHashSet<&str> = nodes.iter().map(|(name, _)| name.as_str()).collect();
        let mut by_feature: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
        for (name, node) in nodes {
            for feature in &node.features {
                by_feature.entry(feature).or_default().push(name);
            }
        }
        let check = |at: &Location, names: &mut dyn Iterator<Item = &String>, what, errors: &mut Vec<_>| {
            let absent: Vec<&String> = names.filter(|name| !known.contains(name.as_str())).collect();
            let Some(first) = absent.first() else { return };
            let sets = self.sets.keys().map(String::as_str);
            let reason = unknown(what, first, &mut nodes.iter().map(|(name, _)| name.as_str()).chain(sets));
            let more = if absent.len() > 1 {
                let names: Vec<&str> = absent[1..].iter().take(10).map(|name| name.as_str()).collect();
                let dots = if absent.len() > 11 { ", ..." } else { "" };
                format!("; {} more are unknown: {}{dots}", absent.len() - 1, names.join(", "))
            } else {
                String::new()
            };
            errors.push(at.error(format!("{reason}{more}")));
        };
        let mut used: FxHashSet<&str> = FxHashSet::default();
        let mut resolved = Vec::new();
        for (partition, at, list) in &self.partitions {
            let Some(list) = list else {
                resolved.push((partition.clone(), None));
                continue;
            };
            let mut members: FxHashSet<String> = FxHashSet::default();
            let (sets, single): (Vec<&String>, Vec<&String>) =
                list.iter().partition(|name| self.sets.contains_key(*name));
            check(at, &mut single.iter().copied(), "node or node set", errors);
            members.extend(single.into_iter().cloned());
            for name in sets {
                let set = &self.sets[name];
                members.extend(set.nodes.iter().cloned());
                let of_feature = set.feature.as_deref().and_then(|feature| by_feature.get(feature));
                members.extend(of_feature.into_iter().flatten().map(|name| (*name).to_owned()));
                if !used.insert(name) {
                    continue;
                }
                let of_nodes = set.at.for_parameter(format!("NodeSet={name} Nodes"));
                check(&of_nodes, &mut set.nodes.iter(), "node", errors);
                if let Some(feature) = set.feature.as_deref().filter(|_| of_feature.is_none()) {
                    let reason = unknown("feature", feature, &mut by_feature.keys().copied());
                    errors.push(set.at.for_parameter(format!("NodeSet={name} Feature")).error(reason));
                }
            }
            resolved.push((partition.clone(), Some(members)));
        }
        let mut unused: Vec<&str> =
            self.sets.keys().map(String::as_str).filter(|name| !used.contains(name)).collect();
        unused.sort_unstable();
        if !unused.is_empty() {
            notes.push(Note::noted(format!("node sets that no partition uses: {}", unused.join(", "))));
        }
        resolved
    }
}
