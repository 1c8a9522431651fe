//! Input of the state of a cluster.

use crate::failure::Failure;
use dfrsim_context_switch::file::cluster_of;
use dfrsim_context_switch::{Cluster, Configuration, Constraint};
use dfrsim_input::{Input, Reader};
use dfrsim_state::State;
use dfrsim_state::import::Exports;
use dfrsim_workload::recognise::{Expected, recognise};
use std::path::{Path, PathBuf};

/// State with the cluster and the configuration that the planner derives from it.
pub(super) struct Loaded<'a> {
    pub(super) state: State<'a>,
    pub(super) cluster: Cluster,
    pub(super) before: Configuration,
}

impl<'a> Loaded<'a> {
    /// Returns the state with further constraints.
    pub(super) fn with_rules(&self, further: &[Constraint]) -> Loaded<'a> {
        let list = [self.cluster.constraints().list(), further].concat();
        let cluster = self.cluster.clone().with_constraints(list, &self.before);
        Loaded { state: self.state.clone(), cluster, before: self.before.clone() }
    }
}

/// Opens the files of a state.
pub(super) fn open(files: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    if files.is_empty() {
        return Err(Failure::input(
            "expected the files of a state, such as STATE.json, or NODES.csv VMS.csv",
        ));
    }
    let mut faults = Vec::new();
    let mut inputs = Vec::new();
    for file in files {
        match open_file(file) {
            Ok(input) => inputs.push(input),
            Err(found) => faults.push(found),
        }
    }
    if faults.is_empty() { Ok(inputs) } else { Err(Failure::input(faults.join("\n"))) }
}

/// Opens a file of a state, or of the places or states that are wanted.
pub(super) fn open_file(file: &Path) -> Result<Input, String> {
    let kind = if file.is_file() { recognise(file).ok() } else { None };
    if let Some(message) = kind.and_then(|kind| kind.refusal_as(Expected::State)) {
        return Err(format!("{}: {message}", file.display()));
    }
    let input = Input::open(file).map_err(|faults| faults.to_string())?;
    if is_of_btrplace(&input) {
        let file = file.display();
        return Err(format!(
            "{file}: this is an instance of BtrPlace, which has to be converted: `cargo run --release \
             -p dfrsim-context-switch --example btrplace -- {file} STATE.json STATES.json`, then \
             `dfrsim solve plan STATE.json --states STATES.json`",
        ));
    }
    if Exports::is_export(&input) {
        let file = file.display();
        return Err(format!(
            "{file}: this is an export of another system, which has to be converted: `dfrsim solve import {file} \
             --state-out STATE.json`, with all exports of the cluster",
        ));
    }
    Ok(input)
}

/// Returns true if a file has the fields of BtrPlace's JSON.
fn is_of_btrplace(input: &Input) -> bool {
    let root = input.root().object();
    let model = root.and_then(|root| root.get("model")?.object());
    model.is_some_and(|model| model.get("mapping").is_some())
}

/// Reads a cluster of VMs from opened files.
pub(super) fn load(inputs: &[Input]) -> Result<Loaded<'_>, Failure> {
    let mut reader = Reader::default();
    let state = State::read(&mut reader, inputs);
    let loaded = state.and_then(|state| {
        let (cluster, before) = cluster_of(&mut reader, &state)?;
        Some(Loaded { state, cluster, before })
    });
    reader.finish(loaded).map_err(Failure::input)
}

/// Returns whether the name of a file has the extension `csv`.
pub(super) fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}
