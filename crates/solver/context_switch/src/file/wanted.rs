//! Desired configurations, or desired states alone, as JSON.

use super::cluster::Names;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use dfrsim_input::{Faults, Input, Reader};
use dfrsim_state::VmState;
use rustc_hash::FxHashMap;

/// Reads a configuration from a JSON text; `file` names the text in messages. VMs that the text does
/// not name stay in their places.
///
/// # Errors
/// The text is not JSON or does not describe a configuration of this cluster. All errors are
/// reported, each with its location.
pub fn configuration_from_json(
    file: &str,
    text: &str,
    cluster: &Cluster,
    current: &Configuration,
) -> Result<Configuration, Faults> {
    configuration_of(&Input::json(file, text)?, cluster, current)
}

/// Reads a configuration from the places of VMs in a state. All parts of the state are optional
/// except `vms` or `vjobs` with the names, states and nodes of VMs.
///
/// # Errors
/// The input does not describe a configuration of this cluster. All errors are reported, each with
/// its location.
pub fn configuration_of(
    input: &Input,
    cluster: &Cluster,
    current: &Configuration,
) -> Result<Configuration, Faults> {
    let mut reader = Reader::default();
    let names = Names::of(cluster);
    let mut configuration = current.clone();
    let mut named = vec![false; cluster.vms().len()];
    for at in vms(&mut reader, input) {
        let name = if at.is_csv() { "vm" } else { "name" };
        let known = [name, "state", "node", "cpu", "memory", "resources", "least_yield", "pinned"];
        let object = if at.is_csv() { reader.any_object(&at) } else { reader.object(&at, &known) };
        let Some(object) = object else { continue };
        let vm = reader.field(&object, name).and_then(|at| {
            let known = cluster.vms().iter().map(|vm| &vm.name);
            let vm = reader.one_of(&at, "VM", |name| names.vms.get(name).copied(), known)?;
            if std::mem::replace(&mut named[vm.index()], true) {
                reader.fault(&at, format!("VM `{}` is listed twice", cluster.vm(vm).name));
                return None;
            }
            Some(vm)
        });
        let state: Option<VmState> = reader.field(&object, "state").and_then(|at| reader.named(&at));
        let node = object.get("node").map(|at| {
            let known = cluster.nodes().iter().map(|node| &node.name);
            reader.one_of(&at, "node", |name| names.nodes.get(name).copied(), known)
        });
        let (Some(state), false) = (state, node == Some(None)) else { continue };
        let node = node.flatten();
        match Place::of(state, node) {
            None => reader.fault(&at, format!("a VM that is {state} needs a `node`")),
            Some(place) if place.node() != node => {
                reader.fault_below(&at, "node", format!("a VM that is {state} has no node"));
            }
            Some(place) => vm.into_iter().for_each(|vm| configuration.set(vm, place)),
        }
    }
    reader.finish(Some(configuration))
}

/// Returns the entries of all VMs in a file, those within vjobs included.
fn vms<'a>(reader: &mut Reader, input: &'a Input) -> Vec<dfrsim_input::Located<'a>> {
    let root = input.root();
    if input.columns().is_some() {
        return reader.list(&root).unwrap_or_default();
    }
    let known = ["vms", "vjobs", "nodes", "constraints", "reservations"];
    let Some(object) = reader.object(&root, &known) else { return Vec::new() };
    let mut vms = object.get("vms").and_then(|at| reader.list(&at)).unwrap_or_default();
    match object.get("vjobs") {
        Some(at) => {
            for at in reader.list(&at).unwrap_or_default() {
                let vjob = reader.any_object(&at);
                let of_vjob = vjob.and_then(|vjob| reader.field(&vjob, "vms"));
                vms.extend(of_vjob.and_then(|at| reader.list(&at)).unwrap_or_default());
            }
        }
        None if object.get("vms").is_none() => reader.fault(&root, "expected a field `vms` or `vjobs`"),
        None => {}
    }
    vms
}

/// Reads the states of vjobs from a JSON text; `file` names the text in messages. Vjobs that are not
/// named have `None`.
///
/// # Errors
/// The text is not JSON or does not describe states of this cluster. All errors are reported, each
/// with its location.
pub fn states_from_json(file: &str, text: &str, cluster: &Cluster) -> Result<Vec<Option<VmState>>, Faults> {
    states_of(&Input::json(file, text)?, cluster)
}

/// Reads states from an input as [`states_from_json`] does from a text.
///
/// # Errors
/// Those of [`states_from_json`].
pub fn states_of(input: &Input, cluster: &Cluster) -> Result<Vec<Option<VmState>>, Faults> {
    let mut reader = Reader::default();
    let names = cluster.vjobs().iter().zip(0..).map(|(vjob, number)| (vjob.name.as_str(), number));
    let numbers: FxHashMap<&str, usize> = names.collect();
    let mut states: Vec<Option<VmState>> = vec![None; cluster.vjobs().len()];
    let object = reader.object(&input.root(), &["vjobs"]);
    let list = object.and_then(|object| reader.field(&object, "vjobs")).and_then(|at| reader.list(&at));
    for at in list.unwrap_or_default() {
        let Some(object) = reader.object(&at, &["name", "state"]) else { continue };
        let state: Option<VmState> = reader.field(&object, "state").and_then(|at| reader.named(&at));
        let vjob = reader.field(&object, "name").and_then(|at| {
            let known = cluster.vjobs().iter().map(|vjob| &vjob.name);
            Some((reader.one_of(&at, "vjob", |name| numbers.get(name).copied(), known)?, at))
        });
        let Some((vjob, at)) = vjob else { continue };
        if states[vjob].replace(state.unwrap_or_default()).is_some() {
            reader.fault(&at, format!("vjob `{}` is listed twice", cluster.vjobs()[vjob].name));
        }
    }
    reader.finish(Some(states))
}
