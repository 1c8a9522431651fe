//! Instances of BtrPlace, a placement algorithm for VMs, as states.

use dfrsim_input::Decimal;
use dfrsim_input::state::{Constraint, ConstraintKind as K, VmState};
use dfrsim_input::{Faults, Input, Reader};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Instance {
    model: Model,
    #[serde(default)]
    constraints: Vec<Rule>,
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

/// A resource, names of nodes or VMs, or what is of no use here.
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

/// A constraint, of one VM or node where ours has several. Rules about places that BtrPlace has at the end only hold always,
/// but for those that have both forms here.
#[derive(Deserialize)]
#[serde(tag = "id", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Rule {
    Running {
        vm: u32,
    },
    Ready {
        vm: u32,
    },
    Sleeping {
        vm: u32,
    },
    Killed {
        vm: u32,
    },
    Online {
        node: u32,
    },
    Offline {
        node: u32,
    },
    Quarantine {
        node: u32,
    },
    Root {
        vm: u32,
    },
    Fence {
        vm: u32,
        nodes: Vec<u32>,
    },
    Ban {
        vm: u32,
        nodes: Vec<u32>,
    },
    Spread {
        vms: Vec<u32>,
        continuous: bool,
    },
    Lonely {
        vms: Vec<u32>,
        continuous: bool,
    },
    Gather {
        vms: Vec<u32>,
        continuous: bool,
    },
    Split {
        parts: Vec<Vec<u32>>,
        continuous: bool,
    },
    Among {
        vms: Vec<u32>,
        parts: Vec<Vec<u32>>,
        continuous: bool,
    },
    SplitAmong {
        v_parts: Vec<Vec<u32>>,
        p_parts: Vec<Vec<u32>>,
    },
    Seq {
        vms: Vec<u32>,
    },
    #[serde(alias = "Sync")]
    Sync {
        vms: Vec<u32>,
    },
    #[serde(alias = "Precedence")]
    Precedence {
        vm1: u32,
        vm2: u32,
    },
    #[serde(alias = "Serialize")]
    Serialize {
        vms: Vec<u32>,
    },
    NoDelay {
        vm: u32,
    },
    #[serde(alias = "Deadline")]
    Deadline {
        vm: u32,
        #[serde(deserialize_with = "from_now")]
        timestamp: Decimal,
    },
    MaxOnline {
        nodes: Vec<u32>,
        amount: u32,
    },
    Preserve {
        vm: u32,
        rc: String,
        amount: u32,
    },
    Overbook {
        node: u32,
        rc: String,
        ratio: Decimal,
    },
    RunningCapacity {
        nodes: Vec<u32>,
        amount: u32,
    },
    ResourceCapacity {
        nodes: Vec<u32>,
        rc: String,
        amount: u32,
    },
}

/// Reads a time from now on, as in `+00:05:00`; a time of day would depend on the clock.
fn from_now<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parts = text.strip_prefix('+').map(|time| time.split(':').map(str::parse::<u32>).collect::<Vec<_>>());
    match parts.as_deref() {
        Some([Ok(hours @ 0..=99), Ok(minutes @ 0..=59), Ok(seconds @ 0..=59)]) => {
            Ok(Decimal::of_parts(i64::from((hours * 60 + minutes) * 60 + seconds), 1))
        }
        _ => Err(D::Error::custom(format!("`{text}` is not a time from now on as in `+00:05:00`"))),
    }
}

/// The names of nodes and VMs, by their numbers.
struct Names {
    nodes: BTreeMap<u32, String>,
    vms: BTreeMap<u32, String>,
}

impl Names {
    fn of(model: &Model) -> Names {
        let mut names = Names { nodes: BTreeMap::new(), vms: BTreeMap::new() };
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
    fn nodes(&self, nodes: &[u32]) -> Vec<String> {
        nodes.iter().map(|node| self.node(*node)).collect()
    }
    fn vm(&self, vm: u32) -> String {
        self.vms.get(&vm).cloned().unwrap_or_else(|| format!("VM{vm}"))
    }
    fn vms(&self, vms: &[u32]) -> Vec<String> {
        vms.iter().map(|vm| self.vm(*vm)).collect()
    }
}

/// What a resource is called here.
fn resource(name: &str) -> String {
    match name {
        "uCpu" => "cpu",
        "mem" => "memory",
        name => name,
    }
    .to_owned()
}

/// Returns an instance of BtrPlace as a state of which each VM is a vjob, and any other input as it is. Constraints that say
/// what runs are no part of it: [`btrplace_states`] has them.
///
/// # Errors
/// The instance is broken, or has a constraint that is unknown here: everything that is wrong, each with its place.
pub fn btrplace_state(input: Input) -> Result<Input, Faults> {
    translated(input, Instance::state)
}

/// Returns the states that an instance of BtrPlace asks for, and any other input as it is.
///
/// # Errors
/// As for [`btrplace_state`].
pub fn btrplace_states(input: Input) -> Result<Input, Faults> {
    translated(input, Instance::states)
}

fn translated(input: Input, to: fn(&Instance) -> Value) -> Result<Input, Faults> {
    if input.root().value().get("model").is_none() {
        return Ok(input);
    }
    let mut reader = Reader::default();
    let instance: Option<Instance> = reader.parsed(&input.root());
    Input::json(input.file(), &to(&reader.finish(instance)?).to_string())
}

impl Instance {
    fn state(&self) -> Value {
        let names = Names::of(&self.model);
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
        let constraints = self.constraints.iter().filter_map(|rule| rule.constraint(&names));
        json!({
            "nodes": nodes.collect::<Vec<_>>(),
            "vms": vms.collect::<Vec<_>>(),
            "constraints": constraints.collect::<Vec<_>>(),
        })
    }

    /// Adds the amounts of all resources; CPU and memory of which the instance has no view are 0.
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
        let names = Names::of(&self.model);
        let states = self.constraints.iter().filter_map(|rule| {
            let (vm, state) = match rule {
                Rule::Running { vm } => (vm, VmState::Running),
                Rule::Ready { vm } => (vm, VmState::Waiting),
                Rule::Sleeping { vm } => (vm, VmState::Sleeping),
                Rule::Killed { vm } => (vm, VmState::Terminated),
                _ => return None,
            };
            Some(json!({"name": names.vm(*vm), "state": state}))
        });
        json!({"vjobs": states.collect::<Vec<_>>()})
    }
}

impl Rule {
    /// The constraint; `None` if the rule is about a state.
    fn constraint(&self, names: &Names) -> Option<Constraint> {
        let vms = |sets: &[Vec<u32>]| sets.iter().map(|set| names.vms(set)).collect::<Vec<_>>();
        let nodes = |groups: &[Vec<u32>]| groups.iter().map(|group| names.nodes(group)).collect::<Vec<_>>();
        let of = |kind, some: Vec<Vec<String>>, on: Vec<Vec<String>>| Constraint::new(kind, some, on);
        let of_vms = |kind, set: &Vec<u32>| of(kind, vec![names.vms(set)], Vec::new());
        let of_vm = |kind, vm: &u32| of(kind, vec![names.vms(&[*vm])], Vec::new());
        let of_nodes = |kind, group: &Vec<u32>| of(kind, Vec::new(), vec![names.nodes(group)]);
        let of_node = |kind, node: &u32| of(kind, Vec::new(), vec![names.nodes(&[*node])]);
        let whole = |amount: &u32| Decimal::of_parts((*amount).into(), 1);
        Some(match self {
            Rule::Running { .. } | Rule::Ready { .. } | Rule::Sleeping { .. } | Rule::Killed { .. } => {
                return None;
            }
            Rule::Online { node } => of_node(K::Online, node),
            Rule::Offline { node } => of_node(K::Offline, node),
            Rule::Quarantine { node } => of_node(K::Quarantine, node),
            Rule::Root { vm } => of_vm(K::Root, vm),
            Rule::NoDelay { vm } => of_vm(K::NoDelay, vm),
            Rule::Fence { vm, nodes } => of(K::Fence, vec![names.vms(&[*vm])], vec![names.nodes(nodes)]),
            Rule::Ban { vm, nodes } => of(K::Ban, vec![names.vms(&[*vm])], vec![names.nodes(nodes)]),
            Rule::Spread { vms, continuous } => of_vms(K::Spread, vms).continuous(*continuous),
            Rule::Lonely { vms, continuous } => of_vms(K::Lonely, vms).continuous(*continuous),
            Rule::Gather { vms, continuous } => of_vms(K::Gather, vms).continuous(*continuous),
            Rule::Split { parts, continuous } => of(K::Split, vms(parts), Vec::new()).continuous(*continuous),
            Rule::Among { vms, parts, continuous } => {
                of(K::Among, vec![names.vms(vms)], nodes(parts)).continuous(*continuous)
            }
            Rule::SplitAmong { v_parts, p_parts } => of(K::SplitAmong, vms(v_parts), nodes(p_parts)),
            Rule::Seq { vms } => of_vms(K::Precedence, vms),
            Rule::Precedence { vm1, vm2 } => of_vms(K::Precedence, &vec![*vm1, *vm2]),
            Rule::Serialize { vms } => of_vms(K::Serialise, vms),
            Rule::Sync { vms } => of_vms(K::Sync, vms),
            Rule::Deadline { vm, timestamp } => of_vm(K::Deadline, vm).with("", *timestamp),
            Rule::MaxOnline { nodes, amount } => of_nodes(K::MaxOnline, nodes).with("", whole(amount)),
            Rule::Preserve { vm, rc, amount } => of_vm(K::Preserve, vm).with(&resource(rc), whole(amount)),
            Rule::Overbook { node, rc, ratio } => of_node(K::Overbook, node).with(&resource(rc), *ratio),
            Rule::RunningCapacity { nodes, amount } => {
                of_nodes(K::RunningCapacity, nodes).with("", whole(amount))
            }
            Rule::ResourceCapacity { nodes, rc, amount } => {
                of_nodes(K::ResourceCapacity, nodes).with(&resource(rc), whole(amount))
            }
        })
    }
}
