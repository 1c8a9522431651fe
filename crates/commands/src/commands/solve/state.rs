//! Input of the state of a cluster.

use crate::failure::Failure;
use dfrsim_context_switch::file::{btrplace_state, cluster_of};
use dfrsim_context_switch::{Cluster, Configuration};
use dfrsim_input::{Input, Reader};
use dfrsim_state::State;
use std::path::{Path, PathBuf};

/// State with the cluster and the configuration that the planner derives from it.
pub(super) struct Loaded<'a> {
    pub(super) state: State<'a>,
    pub(super) cluster: Cluster,
    pub(super) before: Configuration,
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
        match Input::open(file).and_then(btrplace_state) {
            Ok(input) => inputs.push(input),
            Err(found) => faults.push(found.to_string()),
        }
    }
    if faults.is_empty() { Ok(inputs) } else { Err(Failure::input(faults.join("\n"))) }
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
