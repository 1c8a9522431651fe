//! A cluster with its current configuration.

use super::error::{Faults, FileError, alone, parse};
use super::{StateName, lines_of};
use crate::amount::Amount;
use crate::cluster::{Cluster, Node, Resource};
use crate::configuration::{Configuration, Place, State};
use crate::constraints::{Constraint, Translate};
use crate::decimal::Decimal;
use crate::vjob::{Vjob, VjobId, Vm, VmId};
use dfrsim_model::{Fault, NodeId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    nodes: Vec<NodeEntry>,
    vjobs: Vec<VjobEntry>,
    #[serde(default)]
    constraints: Vec<NamedConstraint>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeEntry {
    name: String,
    cpu: Decimal,
    memory: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    resources: BTreeMap<String, u32>,
    #[serde(default, skip_serializing_if = "NodeState::is_online")]
    state: NodeState,
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
    cpu: Decimal,
    memory: u32,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    resources: BTreeMap<String, u32>,
    state: StateName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    node: Option<String>,
}

/// Whether a node is on.
#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum NodeState {
    #[default]
    Online,
    Offline,
}

impl NodeState {
    fn is_online(&self) -> bool {
        *self == NodeState::Online
    }
}

/// A constraint by the names of its VMs and nodes.
type NamedConstraint = Constraint<String, String>;

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
}

/// From names to numbers; what is wrong is kept.
struct Reader<'a> {
    names: &'a Names<'a>,
    cluster: &'a Cluster,
    /// Where the constraint is.
    path: String,
    faults: &'a mut Faults,
}

impl Translate<String, String, VmId, NodeId> for Reader<'_> {
    fn vms(&mut self, field: &str, vms: &[String]) -> Vec<VmId> {
        let vm = |(at, name): (usize, &String)| self.names.vm(format!("{}.{field}[{at}]", self.path), name);
        let vms: Vec<_> = vms.iter().enumerate().map(vm).collect();
        vms.into_iter().filter_map(|vm| self.faults.right(vm)).collect()
    }
    fn nodes(&mut self, field: &str, nodes: &[String]) -> Vec<NodeId> {
        let node =
            |(at, name): (usize, &String)| self.names.node(format!("{}.{field}[{at}]", self.path), name);
        let nodes: Vec<_> = nodes.iter().enumerate().map(node).collect();
        nodes.into_iter().filter_map(|node| self.faults.right(node)).collect()
    }
    fn resource(&mut self, field: &str, name: &str) {
        if self.cluster.taken_of(name).is_none() {
            self.fault(field, format!("there is no resource `{name}`"));
        }
    }
    fn fault(&mut self, field: &str, message: String) {
        self.faults.add(format!("{}.{field}", self.path), message);
    }
}

/// From numbers to names.
struct Writer<'a>(&'a Cluster);

impl Translate<VmId, NodeId, String, String> for Writer<'_> {
    fn vms(&mut self, _: &str, vms: &[VmId]) -> Vec<String> {
        vms.iter().map(|vm| self.0.vm(*vm).name.clone()).collect()
    }
    fn nodes(&mut self, _: &str, nodes: &[NodeId]) -> Vec<String> {
        nodes.iter().map(|node| self.0.node(*node).name.clone()).collect()
    }
    fn resource(&mut self, _: &str, _: &str) {}
    fn fault(&mut self, _: &str, _: String) {}
}

/// The cluster and the current configuration that a text describes; `file` is its name in messages.
///
/// # Errors
/// The text is not JSON, or does not describe a cluster: all that is wrong, each with its place.
pub fn cluster_from_json(file: &str, text: &str) -> Result<(Cluster, Configuration), FileError> {
    let document: Document = parse(file, text)?;
    let parts = cpu_parts(&document);
    let amount = |cpu: Decimal, memory: u32| Amount::new(cpu.in_parts(parts), memory.into());
    let (mut vjobs, mut vms, mut states) = (Vec::new(), Vec::new(), Vec::new());
    for (index, vjob) in document.vjobs.iter().enumerate() {
        for (position, vm) in vjob.vms.iter().enumerate() {
            let demand = amount(vm.cpu, vm.memory);
            vms.push(Vm { name: vm.name.clone(), vjob: VjobId(index as u32), demand });
            states.push((format!("vjobs[{index}].vms[{position}]"), vm.state, vm.node.as_deref()));
        }
        vjobs.push(Vjob { name: vjob.name.clone(), priority: vjob.priority });
    }
    let nodes = document.nodes.iter();
    let nodes = nodes.map(|node| Node { name: node.name.clone(), capacity: amount(node.cpu, node.memory) });
    let cluster = Cluster::new(nodes.collect(), vjobs, vms).map_err(|error| alone(file, "", error))?;
    let mut faults = Faults::default();
    let resources = resources(&document, &mut faults);
    let off = cluster.node_ids().zip(&document.nodes).filter(|(_, node)| !node.state.is_online());
    let off: Vec<NodeId> = off.map(|(node, _)| node).collect();
    let cluster = cluster.with_cpu_parts(parts).with_nodes(resources, &off);
    let names = Names::of(&cluster);
    let places = states.iter().filter_map(|(path, state, node)| {
        let place = faults.right(names.place(path, *state, *node))?;
        if let Some(host) = place.host().filter(|host| off.contains(host)) {
            let (state, host) = (place.state().name(), &cluster.node(host).name);
            faults.add(
                format!("{path}.node"),
                format!("node `{host}` is offline, and no VM can be {state} there"),
            );
        }
        Some(place)
    });
    let configuration = Configuration::new(places.collect());
    let mut list = Vec::new();
    for (index, constraint) in document.constraints.iter().enumerate() {
        let path = format!("constraints[{index}]");
        let mut reader = Reader { names: &names, cluster: &cluster, path, faults: &mut faults };
        list.push(constraint.map(&mut reader));
    }
    contradictions(&cluster, &list, &mut faults);
    faults.none_in(file)?;
    Ok((cluster.with_constraints(list, &configuration), configuration))
}

/// The least number of parts of a unit of CPU of which all amounts are whole numbers.
fn cpu_parts(document: &Document) -> i64 {
    let nodes = document.nodes.iter().map(|node| node.cpu);
    let vms = document.vjobs.iter().flat_map(|vjob| vjob.vms.iter().map(|vm| vm.cpu));
    let limits = document.constraints.iter().filter_map(|constraint| match constraint {
        Constraint::ResourceCapacity(capacity) if capacity.resource == "cpu" => Some(capacity.limit),
        _ => None,
    });
    nodes.chain(vms).chain(limits).map(Decimal::parts).max().unwrap_or(1)
}

/// The resources beyond CPU and memory; a node that does not name one has none of it.
fn resources(document: &Document, faults: &mut Faults) -> Vec<Resource> {
    let vms = || document.vjobs.iter().flat_map(|vjob| &vjob.vms);
    let of_nodes = document.nodes.iter().flat_map(|node| node.resources.keys());
    let mut names: Vec<&String> = of_nodes.chain(vms().flat_map(|vm| vm.resources.keys())).collect();
    names.sort();
    names.dedup();
    if let Some(name) = names.iter().find(|name| matches!(name.as_str(), "cpu" | "memory")) {
        faults.add(
            "",
            format!("`{name}` is not a name for one of the `resources`: nodes and VMs have it beside these"),
        );
    }
    let resource = |name: &String| {
        let of = |amounts: &BTreeMap<String, u32>| amounts.get(name).map_or(0, |&amount| amount.into());
        let nodes = document.nodes.iter().map(|node| of(&node.resources)).collect();
        let vms = vms().map(|vm| of(&vm.resources)).collect();
        Resource { name: name.clone(), nodes, vms }
    };
    names.into_iter().map(resource).collect()
}

/// Nodes that are to be on and off.
fn contradictions(cluster: &Cluster, list: &[Constraint], faults: &mut Faults) {
    let on = |constraint: &Constraint| match constraint {
        Constraint::Online(online) => online.nodes.clone(),
        _ => Vec::new(),
    };
    let on: Vec<NodeId> = list.iter().flat_map(on).collect();
    for (index, constraint) in list.iter().enumerate() {
        let Constraint::Offline(offline) = constraint else { continue };
        for node in offline.nodes.iter().filter(|node| on.contains(node)) {
            let name = &cluster.node(*node).name;
            faults
                .add(format!("constraints[{index}].nodes"), format!("`{name}` is to be online and offline"));
        }
    }
}

pub(super) fn node_entries(cluster: &Cluster) -> impl Iterator<Item = NodeEntry> + '_ {
    cluster.nodes().iter().zip(cluster.node_ids()).map(|(node, id)| NodeEntry {
        name: node.name.clone(),
        cpu: Decimal::of_parts(node.capacity.cpu, cluster.cpu_parts()),
        memory: amount(node.capacity.memory),
        resources: resources_of(cluster, |resource| resource.nodes[id.index()]),
        state: if cluster.is_on(id) { NodeState::Online } else { NodeState::Offline },
    })
}

/// The capacity of a node, or the needs of a VM, in resources beyond CPU and memory, without those of which it is 0.
pub(super) fn resources_of(cluster: &Cluster, of: impl Fn(&Resource) -> i64) -> BTreeMap<String, u32> {
    let resources = cluster.resources().iter();
    resources.map(|it| (it.name.clone(), amount(of(it)))).filter(|(_, amount)| *amount > 0).collect()
}

pub(super) fn constraint_entries(cluster: &Cluster) -> impl Iterator<Item = NamedConstraint> + '_ {
    cluster.constraints().list().iter().map(move |constraint| constraint.map(&mut Writer(cluster)))
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
            let resources = resources_of(cluster, |resource| resource.vms[vm.index()]);
            let (place, vm) = (configuration.place(vm), cluster.vm(vm));
            VmEntry {
                name: vm.name.clone(),
                cpu: Decimal::of_parts(vm.demand.cpu, cluster.cpu_parts()),
                memory: amount(vm.demand.memory),
                resources,
                state: place.state().into(),
                node: place.node().map(|node| cluster.node(node).name.clone()),
            }
        });
        VjobEntry { name: vjob.name.clone(), priority: vjob.priority, vms: vms.collect() }
    });
    let (nodes, vjobs) = (lines_of(node_entries(cluster)), lines_of(vjobs));
    let constraints = lines_of(constraint_entries(cluster));
    format!("{{\n\"nodes\": {nodes},\n\"vjobs\": {vjobs},\n\"constraints\": {constraints}\n}}\n")
}
