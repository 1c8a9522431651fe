//! What is wanted: a configuration, or states alone.

use super::StateName;
use super::cluster::Names;
use super::error::{Faults, FileError, parse};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, State};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigurationDocument {
    vms: Vec<VmEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VmEntry {
    name: String,
    state: StateName,
    node: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StatesDocument {
    vjobs: Vec<VjobEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VjobEntry {
    name: String,
    state: StateName,
}

/// The configuration that a text describes: VMs that it does not name stay where they are. `file` is its name in messages.
///
/// # Errors
/// The text is not JSON, or does not describe a configuration of this cluster: all that is wrong, each with its
/// place.
pub fn configuration_from_json(
    file: &str,
    text: &str,
    cluster: &Cluster,
    current: &Configuration,
) -> Result<Configuration, FileError> {
    let document: ConfigurationDocument = parse(file, text)?;
    let names = Names::of(cluster);
    let mut configuration = current.clone();
    let mut named = vec![false; cluster.vms().len()];
    let mut faults = Faults::default();
    for (index, VmEntry { name, state, node }) in document.vms.iter().enumerate() {
        let path = format!("vms[{index}]");
        let place = faults.right(names.place(&path, *state, node.as_deref()));
        let Some(vm) = faults.right(names.vm(format!("{path}.name"), name)) else { continue };
        if std::mem::replace(&mut named[vm.index()], true) {
            faults.add(format!("{path}.name"), format!("`{name}` is here twice"));
        }
        if let Some(place) = place {
            configuration.set(vm, place);
        }
    }
    faults.none_in(file)?;
    Ok(configuration)
}

/// The states that a text describes, for each vjob that it names. `file` is its name in messages.
///
/// # Errors
/// The text is not JSON, or does not describe states of this cluster: all that is wrong, each with its
/// place.
pub fn states_from_json(file: &str, text: &str, cluster: &Cluster) -> Result<Vec<Option<State>>, FileError> {
    let document: StatesDocument = parse(file, text)?;
    let mut states: Vec<Option<State>> = vec![None; cluster.vjobs().len()];
    let mut faults = Faults::default();
    for (index, VjobEntry { name, state }) in document.vjobs.iter().enumerate() {
        let path = format!("vjobs[{index}].name");
        match cluster.vjobs().iter().position(|vjob| vjob.name == *name) {
            None => faults.add(path, format!("there is no vjob `{name}`")),
            Some(vjob) => {
                if states[vjob].replace((*state).into()).is_some() {
                    faults.add(path, format!("`{name}` is here twice"));
                }
            }
        }
    }
    faults.none_in(file)?;
    Ok(states)
}
