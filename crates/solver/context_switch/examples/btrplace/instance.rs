//! Instances of BtrPlace in its JSON format, and their conversion to states.

use crate::names::{Names, resource};
use crate::rules::{number, read_constraint, state_named};
use dfrsim_input::{Faults, Input, Located, Reader};
use dfrsim_state::{Constraint, VmState};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A parsed instance.
pub(crate) struct Instance {
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

/// A view of the model: a resource, or the names of nodes or VMs. All other views are ignored.
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

impl Model {
    /// Returns the names that the views give to nodes and VMs.
    fn names(&self) -> Names {
        let mut names = Names::default();
        for view in &self.views {
            let View::Ns { r#type, map } = view else { continue };
            let of = if r#type == "node" { &mut names.nodes } else { &mut names.vms };
            of.extend(map.iter().map(|(name, number)| (*number, name.trim_start_matches('@').to_owned())));
        }
        names
    }
}

impl Instance {
    /// Parses an instance.
    ///
    /// # Errors
    /// The instance is malformed or has an unknown constraint. All errors are reported, each with
    /// its location.
    pub(crate) fn parse(input: &Input) -> Result<Instance, Faults> {
        let mut reader = Reader::default();
        let instance = Instance::read(&mut reader, &input.root());
        reader.finish(instance)
    }

    fn read(reader: &mut Reader, at: &Located<'_>) -> Option<Instance> {
        let object = reader.any_object(at)?;
        let model: Option<Model> = reader.field(&object, "model").and_then(|at| reader.parsed(&at));
        let names = model.as_ref().map(Model::names).unwrap_or_default();
        let (mut states, mut constraints) = (Vec::new(), Vec::new());
        reader.each_of(&object, "constraints", |reader, at| {
            let rule = reader.any_object(at)?;
            let id = reader.field(&rule, "id")?;
            let name = reader.text(&id)?;
            if let Some(state) = state_named(name) {
                let vm = reader.field(&rule, "vm")?;
                states.push((number(reader, &vm)?, state));
                return Some(());
            }
            let constraint = read_constraint(reader, &rule, &id, name, &names)?;
            constraints.push(constraint);
            Some(())
        })?;
        Some(Instance { model: model?, names, states, constraints })
    }

    /// Converts the instance to a state in which each VM is a vjob. Constraints that set the states
    /// of VMs are not included: [`Instance::states`] has them.
    pub(crate) fn state(&self) -> Value {
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

    /// Returns the VM states that the instance requests.
    pub(crate) fn states(&self) -> Value {
        let states =
            self.states.iter().map(|(vm, state)| json!({"name": self.names.vm(*vm), "state": state}));
        json!({"vjobs": states.collect::<Vec<_>>()})
    }
}
