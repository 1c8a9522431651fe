//! What a command writes: the state afterwards, the plan that leads there, and its picture.

use super::state::{Loaded, is_csv};
use super::switch::Switch;
use crate::failure::Failure;
use crate::output::{OutputFiles, notice};
use crate::picture_files::PictureFile;
use clap::Args;
use dfrsim_context_switch::Configuration;
use dfrsim_model::NodeId;
use dfrsim_plots::draw_plan;
use std::path::PathBuf;

/// What is written of a change.
#[derive(Args, Debug)]
pub(super) struct Written {
    /// Write the state afterwards: JSON, or with the ending .csv its VMs
    #[arg(long, value_name = "STATE", value_hint = clap::ValueHint::AnyPath)]
    state_out: Option<PathBuf>,
    /// Write the plan that leads there, with the times of all actions, which `dfrsim solve plan --check` checks
    #[arg(long, value_name = "PLAN.json", value_hint = clap::ValueHint::AnyPath)]
    plan_out: Option<PathBuf>,
    /// Draw the plan, nodes over time, and write its data with the extension .csv
    #[arg(long, value_name = "FILE.svg|FILE.png", value_hint = clap::ValueHint::AnyPath)]
    picture: Option<PathBuf>,
}

impl Written {
    /// Checks the name of the picture.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.picture.as_deref().map(PictureFile::new).transpose().map(drop)
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
            let mut state = loaded.state.with_places(|vm| {
                let place = after.places()[vm];
                (place.state(), place.node().map(NodeId::index))
            });
            let on_at_end = loaded.cluster.on_at_end(after);
            if is_csv(path) && !state.nodes.iter().map(|node| node.is_on).eq(on_at_end.iter().copied()) {
                notice!(
                    "{}: only VMs; the nodes that are switched are in a state with the ending .json",
                    path.display()
                );
            }
            state.nodes.iter_mut().zip(on_at_end).for_each(|(node, is_on)| node.is_on = is_on);
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
                picture.write(&mut files, &figure)?;
            }
        }
        Ok(files)
    }
}
