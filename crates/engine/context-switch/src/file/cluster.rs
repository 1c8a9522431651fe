//! A cluster with its current configuration.

use super::error::{Faults, FileError, alone, parse};
use super::{StateName, lines_of};
use crate::amount::Amount;
use crate::cluster::{Cluster, Node};
use crate::configuration::{Configuration, Place, State};
use crate::relations::{Relation, Relations};
use crate::vjob::{Vjob, VjobId, Vm, VmId};
use dfrsim_model::{Fault, NodeId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    nodes: Vec<NodeEntry>,
    vjobs: Vec<VjobEntry>,
    #[serde(default)]
    relations: Vec<RelationEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeEntry {
    name: String,
    cpu: u32,
    memory: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VjobEntry {
    name: String,
    #[serde(default)]
    priority: i64,
    vms: Vec<VmEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VmEntry {
    name: String,
    cpu: u32,
    memory: u32,
    state: StateName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<String>,
}

/// A relation by the names of its VMs and nodes.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RelationEntry {
    kind: RelationName,
    vms: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<String>>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RelationName {
    Spread,
    Gather,
    Fence,
    Ban,
}

/// Nodes and VMs by their names.
pub(super) struct Names<'a> {
    pub(super) nodes: FxHashMap<&'a str, NodeId>,
    pub(super) vms: FxHashMap<&'a str, VmId>,
}

impl<'a> Names<'a> {
    pub(super) fn of(cluster: &'a Cluster) -> Names<'a> {
        let nodes = cluster.nodes().iter().zip(0..).map(|(node, id)| (node.name.as_str(), NodeId(id)));
        let vms = cluster.vms().iter().zip(0..).map(|(vm, id)| (vm.name.as_str(), VmId(id)));
        Names { nodes: nodes.collect(), vms: vms.collect() }
    }

    /// The place in this state on the node with this name; `path` is that of the object.
    pub(super) fn place(&self, path: &str, state: StateName, node: Option<&str>) -> Result<Place, Fault> {
        let state = State::from(state);
        let node = node.map(|name| self.node(format!("{path}.node"), name)).transpose()?;
        match state.at(node) {
            None => Err(Fault::new(path, format!("a VM that is {} needs a `node`", state.name()))),
            Some(place) if place.node() != node => {
                Err(Fault::new(format!("{path}.node"), format!("a VM that is {} has no node", state.name())))
            }
            Some(place) => Ok(place),
        }
    }

    fn node(&self, path: String, name: &str) -> Result<NodeId, Fault> {
        let node = self.nodes.get(name).copied();
        node.ok_or_else(|| Fault::new(path, format!("there is no node `{name}`")))
    }

    pub(super) fn vm(&self, path: String, name: &str) -> Result<VmId, Fault> {
        let vm = self.vms.get(name).copied();
        vm.ok_or_else(|| Fault::new(path, format!("there is no VM `{name}`")))
    }

    /// The relation that an entry describes, without what is wrong with it.
    fn relation(&self, path: &str, entry: &RelationEntry, faults: &mut Faults) -> Relation {
        let vms = entry.vms.iter().enumerate();
        let vms = vms.filter_map(|(at, name)| faults.right(self.vm(format!("{path}.vms[{at}]"), name)));
        let vms = vms.collect();
        let named = entry.nodes.iter().flatten().enumerate();
        let nodes =
            named.filter_map(|(at, name)| faults.right(self.node(format!("{path}.nodes[{at}]"), name)));
        let nodes = nodes.collect();
        let of_vms_alone = matches!(entry.kind, RelationName::Spread | RelationName::Gather);
        if of_vms_alone && entry.nodes.is_some() {
            faults.add(format!("{path}.nodes"), "only a fence and a ban have nodes");
        }
        if !of_vms_alone && entry.nodes.is_none() {
            faults.add(path, "a fence and a ban need `nodes`");
        }
        match entry.kind {
            RelationName::Spread => Relation::Spread(vms),
            RelationName::Gather => Relation::Gather(vms),
            RelationName::Fence => Relation::Fence(vms, nodes),
            RelationName::Ban => Relation::Ban(vms, nodes),
        }
    }
}

/// The cluster and the current configuration that a text describes; `file` is its name in messages.
///
/// # Errors
/// The text is not JSON, or does not describe a cluster: all that is wrong, each with its place.
pub fn cluster_from_json(file: &str, text: &str) -> Result<(Cluster, Configuration), FileError> {
    let document: Document = parse(file, text)?;
    let nodes = document.nodes.into_iter();
    let nodes = nodes.map(|NodeEntry { name, cpu, memory }| Node {
        name,
        capacity: Amount::new(cpu.into(), memory.into()),
    });
    let (mut vjobs, mut vms, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for (index, vjob) in document.vjobs.into_iter().enumerate() {
        for (position, vm) in vjob.vms.into_iter().enumerate() {
            let demand = Amount::new(vm.cpu.into(), vm.memory.into());
            vms.push(Vm { name: vm.name, vjob: VjobId(index as u32), demand });
            states.push((format!("vjobs[{index}].vms[{position}]"), vm.state, vm.node));
        }
        vjobs.push(Vjob { name: vjob.name, priority: vjob.priority });
    }
    let cluster = Cluster::new(nodes.collect(), vjobs, vms).map_err(|error| alone(file, "", error))?;
    let mut faults = Faults::default();
    let names = Names::of(&cluster);
    let places = states.iter();
    let places =
        places.filter_map(|(path, state, node)| faults.right(names.place(path, *state, node.as_deref())));
    let places = places.collect();
    let relations = document.relations.iter().enumerate();
    let relations =
        relations.map(|(index, entry)| names.relation(&format!("relations[{index}]"), entry, &mut faults));
    let relations = relations.collect();
    faults.none_in(file)?;
    let relations = Relations::new(cluster.vms().len(), cluster.nodes().len(), relations);
    Ok((cluster.with_relations(relations), Configuration::new(places)))
}

pub(super) fn node_entries(cluster: &Cluster) -> impl Iterator<Item = NodeEntry> + '_ {
    cluster.nodes().iter().map(|node| NodeEntry {
        name: node.name.clone(),
        cpu: amount(node.capacity.cpu),
        memory: amount(node.capacity.memory),
    })
}

pub(super) fn relation_entries(cluster: &Cluster) -> impl Iterator<Item = RelationEntry> + '_ {
    let vms = |vms: &[VmId]| vms.iter().map(|vm| cluster.vm(*vm).name.clone()).collect();
    let nodes = |nodes: &[NodeId]| Some(nodes.iter().map(|node| cluster.node(*node).name.clone()).collect());
    cluster.relations().list().iter().map(move |relation| {
        let (kind, vms, nodes) = match relation {
            Relation::Spread(group) => (RelationName::Spread, vms(group), None),
            Relation::Gather(group) => (RelationName::Gather, vms(group), None),
            Relation::Fence(group, list) => (RelationName::Fence, vms(group), nodes(list)),
            Relation::Ban(group, list) => (RelationName::Ban, vms(group), nodes(list)),
        };
        RelationEntry { kind, vms, nodes }
    })
}

/// An amount as files have it; those of a cluster have at most 32 bits.
pub(super) fn amount(amount: i64) -> u32 {
    u32::try_from(amount).expect("an amount of a cluster has 32 bits")
}

/// A cluster and a configuration as a text that [`cluster_from_json`] reads back, with a line for each node and vjob.
#[must_use]
pub fn cluster_to_json(cluster: &Cluster, configuration: &Configuration) -> String {
    let vjobs = cluster.vjobs().iter().zip(cluster.vjob_ids()).map(|(vjob, id)| {
        let vms = cluster.vms_of(id).iter().map(|&vm| {
            let (place, vm) = (configuration.place(vm), cluster.vm(vm));
            VmEntry {
                name: vm.name.clone(),
                cpu: amount(vm.demand.cpu),
                memory: amount(vm.demand.memory),
                state: place.state().into(),
                node: place.node().map(|node| cluster.node(node).name.clone()),
            }
        });
        VjobEntry { name: vjob.name.clone(), priority: vjob.priority, vms: vms.collect() }
    });
    let (nodes, vjobs) = (lines_of(node_entries(cluster)), lines_of(vjobs));
    let relations = lines_of(relation_entries(cluster));
    format!("{{\n\"nodes\": {nodes},\n\"vjobs\": {vjobs},\n\"relations\": {relations}\n}}\n")
}
