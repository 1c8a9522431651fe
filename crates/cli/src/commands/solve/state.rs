//! The state of a cluster that a command reads, and what it writes.

use super::switch::Switch;
use crate::failure::Failure;
use crate::output::{OutputFiles, Places, notice};
use crate::picture_files::PictureFile;
use clap::Args;
use dfrsim_context_switch::file::{cluster_of, vm_state};
use dfrsim_context_switch::{Cluster, Configuration};
use dfrsim_input::state::State;
use dfrsim_input::{Input, Reader};
use dfrsim_plots::draw_plan;
use std::path::{Path, PathBuf};

/// What is written of a change.
#[derive(Args, Debug)]
pub(super) struct Written {
    /// Write the state afterwards: JSON, or with the ending .csv its VMs
    #[arg(long, value_name = "STATE")]
    state_out: Option<PathBuf>,
    /// Write the plan that leads there, with the times of all actions, which `dfrsim solve plan --check` checks
    #[arg(long, value_name = "PLAN.json")]
    plan_out: Option<PathBuf>,
    /// Draw the plan, nodes over time, and write its data with the extension .csv
    #[arg(long, value_name = "FILE.svg|FILE.png")]
    picture: Option<PathBuf>,
}

/// A state with what the planner knows of it.
pub(super) struct Loaded<'a> {
    pub(super) state: State<'a>,
    pub(super) cluster: Cluster,
    pub(super) before: Configuration,
}

/// Opens the files of a state.
pub(super) fn open(files: &[PathBuf]) -> Result<Vec<Input>, Failure> {
    if files.is_empty() {
        return Err(Failure::input("expected the files of a state: STATE.json, or NODES.csv VMS.csv"));
    }
    let mut faults = Vec::new();
    let mut inputs = Vec::new();
    for file in files {
        match Input::open(file) {
            Ok(input) => inputs.push(input),
            Err(found) => faults.push(found.to_string()),
        }
    }
    if faults.is_empty() { Ok(inputs) } else { Err(Failure::input(faults.join("\n"))) }
}

/// Reads a cluster of VMs from files that are open.
pub(super) fn load(inputs: &[Input]) -> Result<Loaded<'_>, Failure> {
    let mut reader = Reader::default();
    let state = State::read(&mut reader, inputs);
    let loaded = state.and_then(|state| {
        let (cluster, before) = cluster_of(&mut reader, &state)?;
        Some(Loaded { state, cluster, before })
    });
    reader.finish(loaded).map_err(Failure::input)
}

/// The files of a state among those of a command.
pub(super) fn places(files: &[PathBuf]) -> Places {
    files.iter().fold(Places::default(), |places, file| places.reads("STATE", file))
}

impl Written {
    /// Checks that no file of the command is written over; says whether a plan is wanted.
    pub(super) fn check(&self, places: Places) -> Result<(), Failure> {
        let places = places
            .writes("--state-out", self.state_out.as_deref())?
            .writes("--plan-out", self.plan_out.as_deref())?;
        match &self.picture {
            Some(path) => PictureFile::new(path)?.check("--picture", places),
            None => Ok(()),
        }
    }

    /// Whether anything is to be written that needs a plan.
    pub(super) fn wants_plan(&self) -> bool {
        self.plan_out.is_some() || self.picture.is_some()
    }

    /// Whether anything is to be written.
    pub(super) fn is_any(&self) -> bool {
        self.state_out.is_some() || self.wants_plan()
    }

    /// Prepares the files.
    pub(super) fn files(
        &self,
        loaded: &Loaded<'_>,
        after: &Configuration,
        switch: Option<&Switch>,
    ) -> Result<OutputFiles, Failure> {
        let mut files = OutputFiles::default();
        if let Some(path) = &self.state_out {
            let state = loaded.state.with_places(|vm| {
                let place = after.places()[vm];
                (vm_state(place), place.node().map(|node| node.index()))
            });
            files.add_bytes(path, if is_csv(path) { state.vms_to_csv() } else { state.to_json() })?;
        }
        if let Some((path, switch)) = self.plan_out.as_ref().zip(switch) {
            files.add_bytes(path, &switch.document)?;
        }
        if let Some((path, switch)) = self.picture.as_ref().zip(switch) {
            let picture = PictureFile::new(path)?;
            if switch.timetable.pools.is_empty() {
                notice!("{}: the plan is empty; no picture is written", path.display());
            } else {
                let figure = draw_plan(&switch.document)
                    .map_err(|error| Failure::Result(format!("no picture: {error}")))?;
                picture.write(&mut files, figure)?;
            }
        }
        Ok(files)
    }
}

/// Whether a file is CSV by its ending.
pub(super) fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}
