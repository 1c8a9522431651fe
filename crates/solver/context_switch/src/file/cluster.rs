//! Clusters with their current configuration as JSON.

use crate::amount::Amount;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::constraints::Constraint;
use crate::inventory::{Node, Resource};
use crate::vjob::{Vjob, VjobId, Vm, VmId};
use dfrsim_input::Decimal;
use dfrsim_input::{Faults, Input, Reader};
use dfrsim_model::NodeId;
use dfrsim_model::named::UnknownName;
use dfrsim_state::{
    Amounts, Constraint as Named, ConstraintKind, State, UNITS, VmState, check_whole, json_lines,
};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Capacity of a node, or demand of a VM.
#[derive(Serialize)]
pub(super) struct AmountsEntry {
    cpu: Decimal,
    memory: u32,
    /// Amounts other than CPU and memory that are not 0.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    resources: BTreeMap<String, u32>,
}

impl AmountsEntry {
    fn new(cluster: &Cluster, amounts: Amount, resource: impl Fn(&Resource) -> i64) -> AmountsEntry {
        let resources = cluster.resources().iter().map(|it| (it.name.clone(), amount(resource(it))));
        AmountsEntry {
            cpu: Decimal::of_parts(amounts.cpu, cluster.cpu_parts()),
            memory: amount(amounts.memory),
            resources: resources.filter(|(_, amount)| *amount > 0).collect(),
        }
    }

    pub(super) fn of_vm(cluster: &Cluster, vm: VmId) -> AmountsEntry {
        AmountsEntry::new(cluster, cluster.vm(vm).demand, |resource| resource.vms[vm.index()])
    }
}

/// State and node of a VM.
#[derive(Serialize)]
pub(super) struct PlaceEntry<'a> {
    state: VmState,
    #[serde(skip_serializing_if = "Option::is_none")]
    node: Option<&'a str>,
}

impl PlaceEntry<'_> {
    pub(super) fn new(cluster: &Cluster, place: Place) -> PlaceEntry<'_> {
        PlaceEntry { state: place.state(), node: place.node().map(|node| cluster.node(node).name.as_str()) }
    }
}

#[derive(Serialize)]
pub(super) struct NodeEntry<'a> {
    name: &'a str,
    #[serde(flatten)]
    capacity: AmountsEntry,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
}

#[derive(Serialize)]
struct VjobEntry<'a> {
    name: &'a str,
    priority: i64,
    vms: Vec<VmEntry<'a>>,
}

#[derive(Serialize)]
struct VmEntry<'a> {
    name: &'a str,
    #[serde(flatten)]
    needs: AmountsEntry,
    #[serde(flatten)]
    place: PlaceEntry<'a>,
}

/// Lookup tables from names to nodes and VMs.
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
}

/// Replaces names in a constraint by numbers, or reports the unknown names as errors.
fn resolve_names(
    named: &Named,
    names: &Names<'_>,
    cluster: &Cluster,
    at: &dfrsim_input::Located<'_>,
    reader: &mut Reader,
) -> Option<Constraint> {
    let faults = RefCell::new(Vec::new());
    let unknown = |path: String, message: UnknownName| faults.borrow_mut().push((path, message.to_string()));
    let vm = |set, position, name: &String| {
        names.vms.get(name.as_str()).copied().unwrap_or_else(|| {
            let known = cluster.vms().iter().map(|vm| &vm.name);
            unknown(named.path_of_vm(set, position), UnknownName::new("VM", name, known));
            VmId(0)
        })
    };
    let node = |set, position, name: &String| {
        names.nodes.get(name.as_str()).copied().unwrap_or_else(|| {
            let known = cluster.nodes().iter().map(|node| &node.name);
            unknown(named.path_of_node(set, position), UnknownName::new("node", name, known));
            NodeId(0)
        })
    };
    let constraint = named.map(vm, node);
    let mut faults = faults.into_inner();
    if !named.resource.is_empty() && !cluster.has_resource(&named.resource) {
        let others = cluster.resources().iter().map(|it| it.name.as_str());
        let known = ["cpu", "memory"].into_iter().chain(others);
        faults
            .push(("resource".to_owned(), UnknownName::new("resource", &named.resource, known).to_string()));
    }
    let is_known = faults.is_empty();
    faults.into_iter().for_each(|(field, message)| reader.fault_below(at, &field, message));
    is_known.then_some(constraint)
}

/// Reads the cluster and the current configuration from a JSON text; `file` names the text in
/// messages.
///
/// # Errors
/// The text is not JSON or does not describe a cluster. All errors are reported, each with its
/// location.
pub fn cluster_from_json(file: &str, text: &str) -> Result<(Cluster, Configuration), Faults> {
    let input = Input::json(file, text)?;
    let mut reader = Reader::default();
    let cluster = State::read(&mut reader, [&input]).and_then(|state| cluster_of(&mut reader, &state));
    reader.finish(cluster)
}

/// Builds the cluster and the current configuration from a state, or adds the errors to the reader.
pub fn cluster_of(reader: &mut Reader, state: &State<'_>) -> Option<(Cluster, Configuration)> {
    check_whole(reader, state);
    let is_clean = reader.is_clean();
    let constraints = state.read_constraints(reader)?;
    if !is_clean {
        return None;
    }
    let state = &apply_preserve(state, &constraints);
    let parts = cpu_parts(state, &constraints);
    let amount = |amounts: &Amounts| {
        Amount::new((amounts["cpu"] * parts as u64 / UNITS) as i64, (amounts["memory"] / UNITS) as i64)
    };
    let node =
        |node: &dfrsim_state::Node<'_>| Node { name: node.name.clone(), capacity: amount(&node.capacity) };
    let vjobs = state.vjobs.iter().map(|it| Vjob { name: it.name.clone(), priority: it.priority });
    let vm = |vm: &dfrsim_state::Vm<'_>| Vm {
        name: vm.name.clone(),
        vjob: VjobId(vm.vjob as u32),
        demand: amount(&vm.needs),
    };
    let (nodes, vms) = (state.nodes.iter().map(node).collect(), state.vms.iter().map(vm).collect());
    let cluster = Cluster::new(nodes, vjobs.collect(), vms);
    let cluster = cluster
        .map_err(|error| {
            reader.fault_of_file(state.nodes.first().map_or("cluster", |node| node.at.file()), error);
        })
        .ok()?;
    let off = cluster.node_ids().filter(|node| !state.nodes[node.index()].is_on).collect::<Vec<_>>();
    let cluster = cluster.with_cpu_parts(parts).with_nodes(resources(state), &off);
    let places = state.vms.iter().map(|vm| Place::of(vm.state, vm.node.map(|node| NodeId(node as u32))));
    let configuration = Configuration::new(places.collect::<Option<_>>().expect("states are checked"));
    let names = Names::of(&cluster);
    let mut list = Vec::new();
    let mut soft = Vec::new();
    for (constraint, at) in constraints.iter().zip(&state.constraints) {
        let to = if constraint.weight.is_some() { &mut soft } else { &mut list };
        to.extend(resolve_names(constraint, &names, &cluster, at, reader));
    }
    list.extend(overcommitted(state));
    let pinned = state.vms.iter().zip(0..).filter(|(vm, _)| vm.is_pinned).map(|(_, vm)| VmId(vm));
    let pinned: Vec<VmId> = pinned.collect();
    if !pinned.is_empty() {
        list.push(Constraint::new(ConstraintKind::Root, vec![pinned], Vec::new()));
    }
    report_contradictions(&constraints, state, reader);
    let cluster = cluster.with_soft(soft);
    reader.is_clean().then(|| (cluster.with_constraints(list, &configuration), configuration))
}

/// Returns the overcommit ratios of the nodes as constraints, one for each resource and ratio.
fn overcommitted(state: &State<'_>) -> Vec<Constraint> {
    let mut nodes: BTreeMap<(&String, Decimal), Vec<NodeId>> = BTreeMap::new();
    for (node, number) in state.nodes.iter().zip(0..) {
        for (resource, ratio) in &node.overcommit {
            nodes.entry((resource, *ratio)).or_default().push(NodeId(number));
        }
    }
    let ratio = |((resource, ratio), nodes): ((&String, Decimal), Vec<NodeId>)| {
        Constraint::new(ConstraintKind::Overbook, Vec::new(), vec![nodes]).with(resource, ratio)
    };
    nodes.into_iter().map(ratio).collect()
}

/// Returns the state with the demands of VMs raised to what `preserve` constraints guarantee them.
fn apply_preserve<'s, 'a>(state: &'s State<'a>, constraints: &[Named]) -> Cow<'s, State<'a>> {
    let mut state = Cow::Borrowed(state);
    let is_preserve = |it: &&Named| it.kind == ConstraintKind::Preserve;
    let kept: Vec<&Named> = constraints.iter().filter(is_preserve).collect();
    if kept.is_empty() {
        return state;
    }
    let names = state.vms.iter().zip(0..).map(|(vm, number)| (vm.name.clone(), number));
    let numbers: FxHashMap<String, usize> = names.collect();
    let vms = &mut state.to_mut().vms;
    for preserve in kept {
        let least = preserve.amount.in_parts(1_000) as u64 * (UNITS / 1_000);
        for vm in preserve.all_vms().filter_map(|name| numbers.get(name)) {
            let need = vms[*vm].needs.entry(preserve.resource.clone()).or_default();
            *need = least.max(*need);
        }
    }
    state
}

/// Returns the smallest number of parts of a CPU unit in which all amounts are integers.
fn cpu_parts(state: &State<'_>, constraints: &[Named]) -> i64 {
    let amounts = state.nodes.iter().map(|node| &node.capacity).chain(state.vms.iter().map(|vm| &vm.needs));
    let amounts = amounts.map(|amounts| Decimal::of_parts((amounts["cpu"] / (UNITS / 1_000)) as i64, 1_000));
    let is_of_cpu = |it: &&Named| it.kind == ConstraintKind::ResourceCapacity && it.resource == "cpu";
    let limits = constraints.iter().filter(is_of_cpu).map(|it| it.amount);
    amounts.chain(limits).map(Decimal::parts).max().unwrap_or(1)
}

/// Returns the resources other than CPU and memory; a node that does not name a resource has none of
/// it.
fn resources(state: &State<'_>) -> Vec<Resource> {
    let names = state.resources.iter().filter(|name| !matches!(name.as_str(), "cpu" | "memory")).cloned();
    let resource = |name: String| {
        let of = |amounts: &Amounts| amounts.get(&name).map_or(0, |&amount| (amount / UNITS) as i64);
        let nodes = state.nodes.iter().map(|node| of(&node.capacity)).collect();
        let vms = state.vms.iter().map(|vm| of(&vm.needs)).collect();
        Resource { name, nodes, vms }
    };
    names.map(resource).collect()
}

/// Reports nodes that constraints require to be both online and offline.
fn report_contradictions(list: &[Named], state: &State<'_>, reader: &mut Reader) {
    let of = |kind| list.iter().zip(&state.constraints).filter(move |(it, _)| it.kind == kind);
    let on: Vec<&String> = of(ConstraintKind::Online).flat_map(|(it, _)| it.all_nodes()).collect();
    for (offline, at) in of(ConstraintKind::Offline) {
        for name in offline.all_nodes().filter(|name| on.contains(name)) {
            reader.fault_below(at, "nodes", format!("`{name}` cannot be both online and offline"));
        }
    }
}

pub(super) fn node_entries(cluster: &Cluster) -> impl Iterator<Item = NodeEntry<'_>> {
    cluster.nodes().iter().zip(cluster.node_ids()).map(|(node, id)| NodeEntry {
        name: &node.name,
        capacity: AmountsEntry::new(cluster, node.capacity, |resource| resource.nodes[id.index()]),
        state: (!cluster.is_on(id)).then_some("offline"),
    })
}

pub(super) fn constraint_entries(cluster: &Cluster) -> impl Iterator<Item = Named> + '_ {
    let vm = |_, _, vm: &VmId| cluster.vm(*vm).name.clone();
    let node = |_, _, node: &NodeId| cluster.node(*node).name.clone();
    let list = cluster.constraints().list().iter().chain(cluster.soft());
    list.map(move |constraint| constraint.map(vm, node))
}

/// Converts an amount to the 32 bits of files; amounts of a cluster always fit.
fn amount(amount: i64) -> u32 {
    u32::try_from(amount).expect("an amount of a cluster has 32 bits")
}

/// Formats a cluster and a configuration as JSON that [`cluster_from_json`] reads back, with a line
/// for each node and vjob.
pub fn cluster_to_json(cluster: &Cluster, configuration: &Configuration) -> String {
    let vjobs = cluster.vjobs().iter().zip(cluster.vjob_ids()).map(|(vjob, id)| {
        let vm = |&vm: &VmId| VmEntry {
            name: &cluster.vm(vm).name,
            needs: AmountsEntry::of_vm(cluster, vm),
            place: PlaceEntry::new(cluster, configuration.place(vm)),
        };
        let vms = cluster.vms_of(id).iter().map(vm).collect();
        VjobEntry { name: &vjob.name, priority: vjob.priority, vms }
    });
    let (nodes, vjobs) = (json_lines(node_entries(cluster)), json_lines(vjobs));
    let constraints = json_lines(constraint_entries(cluster));
    format!("{{\n\"nodes\": {nodes},\n\"vjobs\": {vjobs},\n\"constraints\": {constraints}\n}}\n")
}
