//! Conversion of BtrPlace instances (BtrPlace places VMs under constraints) to states.

use dfrsim_input::Decimal;
use dfrsim_input::{Faults, Input, Located, Object, Reader};
use dfrsim_model::named::UnknownName;
use dfrsim_state::{Constraint, ConstraintKind as K, VmState};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A parsed instance.
struct Instance {
    model: Model,
    names: Names,
    /// Desired states of VMs, by VM number.
    states: Vec<(u32, VmState)>,
    constraints: Vec<Constraint>,
}

#[derive(Deserialize)]
struct Model {
    mapping: Mapping,
    #[serde(default)]
    views: Vec<View>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mapping {
    #[serde(rename = "readyVMs")]
    ready: Vec<u32>,
    online_nodes: BTreeMap<u32, Residents>,
    offline_nodes: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Residents {
    #[serde(rename = "runningVMs")]
    running: Vec<u32>,
    #[serde(rename = "sleepingVMs")]
    sleeping: Vec<u32>,
}

/// A view of the model: a resource, or the names of nodes or VMs; all others are ignored.
#[derive(Deserialize)]
#[serde(tag = "id", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum View {
    ShareableResource {
        rc_id: String,
        def_capacity: u32,
        def_consumption: u32,
        nodes: BTreeMap<String, u32>,
        vms: BTreeMap<String, u32>,
    },
    Ns {
        r#type: String,
        map: BTreeMap<String, u32>,
    },
    #[serde(other)]
    Other,
}

/// A field of a constraint; the variants that several constraints spell differently carry the name
/// of the field.
#[derive(Clone, Copy)]
enum Field {
    Vm(&'static str),
    Vms,
    VmSets(&'static str),
    Node,
    Nodes,
    NodeSets(&'static str),
    Continuous,
    Resource,
    Amount,
    Ratio,
    /// A time relative to the start, as in `+00:05:00`. Times of day are not supported, as they
    /// depend on the clock.
    Timestamp,
}

/// Names of the constraints that set the state of a VM.
const STATES: [(&str, VmState); 4] = [
    ("running", VmState::Running),
    ("ready", VmState::Waiting),
    ("sleeping", VmState::Sleeping),
    ("killed", VmState::Terminated),
];

use Field::{Amount, Continuous, Node, NodeSets, Nodes, Ratio, Resource, Timestamp, Vm, VmSets, Vms};

/// Placement constraints by name. BtrPlace states some of them for one VM or node where ours take
/// several. Constraints on hosts that BtrPlace checks only at the end hold at all times here, except
/// those that have both forms.
const RULES: [(&str, K, &[Field]); 23] = [
    ("online", K::Online, &[Node]),
    ("offline", K::Offline, &[Node]),
    ("quarantine", K::Quarantine, &[Node]),
    ("root", K::Root, &[Vm("vm")]),
    ("fence", K::Fence, &[Vm("vm"), Nodes]),
    ("ban", K::Ban, &[Vm("vm"), Nodes]),
    ("spread", K::Spread, &[Vms, Continuous]),
    ("lonely", K::Lonely, &[Vms, Continuous]),
    ("gather", K::Gather, &[Vms, Continuous]),
    ("split", K::Split, &[VmSets("parts"), Continuous]),
    ("among", K::Among, &[Vms, NodeSets("parts"), Continuous]),
    ("splitAmong", K::SplitAmong, &[VmSets("vParts"), NodeSets("pParts")]),
    ("seq", K::Precedence, &[Vms]),
    ("precedence", K::Precedence, &[Vm("vm1"), Vm("vm2")]),
    ("serialize", K::Serialise, &[Vms]),
    ("sync", K::Sync, &[Vms]),
    ("noDelay", K::NoDelay, &[Vm("vm")]),
    ("deadline", K::Deadline, &[Vm("vm"), Timestamp]),
    ("maxOnline", K::MaxOnline, &[Nodes, Amount]),
    ("preserve", K::Preserve, &[Vm("vm"), Resource, Amount]),
    ("overbook", K::Overbook, &[Node, Resource, Ratio]),
    ("runningCapacity", K::RunningCapacity, &[Nodes, Amount]),
    ("resourceCapacity", K::ResourceCapacity, &[Nodes, Resource, Amount]),
];

impl Field {
    const fn name(self) -> &'static str {
        match self {
            Vm(name) | VmSets(name) | NodeSets(name) => name,
            Vms => "vms",
            Node => "node",
            Nodes => "nodes",
            Continuous => "continuous",
            Resource => "rc",
            Amount => "amount",
            Ratio => "ratio",
            Timestamp => "timestamp",
        }
    }

    fn read(self, reader: &mut Reader, rule: &Object<'_>, names: &Names, to: &mut Constraint) -> Option<()> {
        let at = reader.field(rule, self.name())?;
        match self {
            Vm(_) => one_set(&mut to.vms).push(names.vm(number(reader, &at)?)),
            Vms => one_set(&mut to.vms).extend(numbers(reader, &at)?.into_iter().map(|vm| names.vm(vm))),
            VmSets(_) => to.vms = sets(reader, &at, |vm| names.vm(vm))?,
            Node => one_set(&mut to.nodes).push(names.node(number(reader, &at)?)),
            Nodes => {
                one_set(&mut to.nodes).extend(numbers(reader, &at)?.into_iter().map(|node| names.node(node)));
            }
            NodeSets(_) => to.nodes = sets(reader, &at, |node| names.node(node))?,
            Continuous => to.is_continuous = reader.boolean(&at)?,
            Resource => to.resource = resource(reader.text(&at)?),
            Amount => to.amount = Decimal::of_parts(number(reader, &at)?.into(), 1),
            Ratio => to.amount = reader.decimal(&at)?,
            Timestamp => {
                let time = at.text().and_then(parse_offset);
                to.amount = reader.expected(&at, time, || "a time from now on as in `+00:05:00`")?;
            }
        }
        Some(())
    }
}

fn one_set(sets: &mut Vec<Vec<String>>) -> &mut Vec<String> {
    if sets.is_empty() {
        sets.push(Vec::new());
    }
    &mut sets[0]
}

fn number(reader: &mut Reader, at: &Located<'_>) -> Option<u32> {
    reader.integer(at, 0..=u32::MAX)
}

fn numbers(reader: &mut Reader, at: &Located<'_>) -> Option<Vec<u32>> {
    let items = reader.list(at)?;
    reader.each(&items, number)
}

fn sets(reader: &mut Reader, at: &Located<'_>, name: impl Fn(u32) -> String) -> Option<Vec<Vec<String>>> {
    let items = reader.list(at)?;
    reader.each(&items, |reader, at| Some(numbers(reader, at)?.into_iter().map(&name).collect()))
}

fn parse_offset(text: &str) -> Option<Decimal> {
    let parts: Vec<Result<u32, _>> = text.strip_prefix('+')?.split(':').map(str::parse).collect();
    match parts[..] {
        [Ok(hours @ 0..=99), Ok(minutes @ 0..=59), Ok(seconds @ 0..=59)] => {
            Some(Decimal::of_parts(i64::from((hours * 60 + minutes) * 60 + seconds), 1))
        }
        _ => None,
    }
}

/// Names of nodes and VMs, by number.
#[derive(Default)]
struct Names {
    nodes: BTreeMap<u32, String>,
    vms: BTreeMap<u32, String>,
}

impl Names {
    fn of(model: &Model) -> Names {
        let mut names = Names::default();
        for view in &model.views {
            let View::Ns { r#type, map } = view else { continue };
            let of = if r#type == "node" { &mut names.nodes } else { &mut names.vms };
            of.extend(map.iter().map(|(name, number)| (*number, name.trim_start_matches('@').to_owned())));
        }
        names
    }

    fn node(&self, node: u32) -> String {
        self.nodes.get(&node).cloned().unwrap_or_else(|| format!("N{node}"))
    }
    fn vm(&self, vm: u32) -> String {
        self.vms.get(&vm).cloned().unwrap_or_else(|| format!("VM{vm}"))
    }
}

/// Maps the name of a BtrPlace resource to ours.
fn resource(name: &str) -> String {
    match name {
        "uCpu" => "cpu",
        "mem" => "memory",
        name => name,
    }
    .to_owned()
}

/// Converts an instance of BtrPlace to a state in which each VM is a vjob; returns any other input
/// unchanged. Constraints that set the states of VMs are not included: [`btrplace_states`] returns
/// them.
///
/// # Errors
/// The instance is malformed or has an unknown constraint. All errors are reported, each with its
/// location.
pub fn btrplace_state(input: Input) -> Result<Input, Faults> {
    convert(input, Instance::state)
}

/// Converts an instance of BtrPlace to the states that it asks for; returns any other input
/// unchanged.
///
/// # Errors
/// Those of [`btrplace_state`].
pub fn btrplace_states(input: Input) -> Result<Input, Faults> {
    convert(input, Instance::states)
}

fn convert(input: Input, to: fn(&Instance) -> Value) -> Result<Input, Faults> {
    if input.root().object().is_none_or(|root| root.get("model").is_none()) {
        return Ok(input);
    }
    let mut reader = Reader::default();
    let instance = Instance::read(&mut reader, &input.root());
    Input::json(input.file(), &to(&reader.finish(instance)?).to_string())
}

impl Instance {
    fn read(reader: &mut Reader, at: &Located<'_>) -> Option<Instance> {
        let object = reader.any_object(at)?;
        let model: Option<Model> = reader.field(&object, "model").and_then(|at| reader.parsed(&at));
        let names = model.as_ref().map(Names::of).unwrap_or_default();
        let (mut states, mut constraints) = (Vec::new(), Vec::new());
        reader.each_of(&object, "constraints", |reader, at| {
            let rule = reader.any_object(at)?;
            let id = reader.field(&rule, "id")?;
            let name = reader.text(&id)?;
            if let Some((_, state)) = STATES.iter().find(|(known, _)| *known == name) {
                let vm = reader.field(&rule, "vm")?;
                states.push((number(reader, &vm)?, *state));
                return Some(());
            }
            // Some names are capitalised in instances.
            let Some((_, kind, parts)) = RULES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(name))
            else {
                let known =
                    RULES.iter().map(|(known, ..)| known).chain(STATES.iter().map(|(known, _)| known));
                reader.fault(&id, UnknownName::new("constraint", name, known));
                return None;
            };
            let mut constraint = Constraint::new(*kind, Vec::new(), Vec::new());
            let read = parts.iter().map(|part| part.read(reader, &rule, &names, &mut constraint));
            read.collect::<Vec<_>>().into_iter().collect::<Option<Vec<()>>>()?;
            constraints.push(constraint);
            Some(())
        })?;
        Some(Instance { model: model?, names, states, constraints })
    }

    fn state(&self) -> Value {
        let names = &self.names;
        let Mapping { ready, online_nodes, offline_nodes } = &self.model.mapping;
        let on = online_nodes.keys().map(|node| (*node, "online"));
        let off = offline_nodes.iter().map(|node| (*node, "offline"));
        let nodes = on.chain(off).map(|(node, state)| {
            let mut entry = json!({"name": names.node(node), "state": state});
            self.add_amounts(&mut entry, |capacity, _, nodes, _| {
                nodes.get(&node.to_string()).copied().unwrap_or(capacity)
            });
            entry
        });
        let hosted = online_nodes.iter().flat_map(|(node, Residents { running, sleeping })| {
            let running = running.iter().map(|vm| (*vm, VmState::Running, Some(*node)));
            running.chain(sleeping.iter().map(|vm| (*vm, VmState::Sleeping, Some(*node))))
        });
        let ready = ready.iter().map(|vm| (*vm, VmState::Waiting, None));
        let vms = hosted.chain(ready).map(|(vm, state, node)| {
            let mut entry = json!({"name": names.vm(vm), "state": state});
            if let Some(node) = node {
                entry["node"] = names.node(node).into();
            }
            self.add_amounts(&mut entry, |_, need, _, vms| vms.get(&vm.to_string()).copied().unwrap_or(need));
            entry
        });
        json!({
            "nodes": nodes.collect::<Vec<_>>(),
            "vms": vms.collect::<Vec<_>>(),
            "constraints": self.constraints,
        })
    }

    /// Adds the amounts of all resources; CPU and memory are 0 if the instance has no view of them.
    fn add_amounts(
        &self,
        entry: &mut Value,
        amount: impl Fn(u32, u32, &BTreeMap<String, u32>, &BTreeMap<String, u32>) -> u32,
    ) {
        (entry["cpu"], entry["memory"]) = (0.into(), 0.into());
        let mut others = Map::new();
        for view in &self.model.views {
            let View::ShareableResource { rc_id, def_capacity, def_consumption, nodes, vms } = view else {
                continue;
            };
            let amount = amount(*def_capacity, *def_consumption, nodes, vms).into();
            match resource(rc_id) {
                name if name == "cpu" || name == "memory" => entry[name] = amount,
                name => drop(others.insert(name, amount)),
            }
        }
        entry["resources"] = others.into();
    }

    fn states(&self) -> Value {
        let states =
            self.states.iter().map(|(vm, state)| json!({"name": self.names.vm(*vm), "state": state}));
        json!({"vjobs": states.collect::<Vec<_>>()})
    }
}
