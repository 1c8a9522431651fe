//! Output files of a command: the resulting state, the plan that leads to it, and its picture.

use super::reasons::Reasons;
use super::state::{Loaded, is_csv};
use super::switch::{Switch, switch_name};
use crate::failure::Failure;
use crate::output::{OutputFiles, notice};
use crate::picture_files::PictureFile;
use clap::Args;
use dfrsim_context_switch::{Configuration, Place, TimedAction};
use dfrsim_model::NodeId;
use dfrsim_plots::draw_plan;
use dfrsim_state::csv_lines;
use std::path::PathBuf;

/// Output files of a context switch.
#[derive(Args, Debug)]
pub(super) struct OutputArguments {
    /// Write the resulting state: JSON, or its VMs if the name ends in .csv
    #[arg(long, value_name = "STATE", value_hint = clap::ValueHint::AnyPath)]
    state_out: Option<PathBuf>,
    /// Write the plan that leads to the resulting state, with the times of all actions; `dfrsim
    /// solve plan --check` checks it. If the name ends in .csv, its actions with their reasons
    #[arg(long, value_name = "PLAN", value_hint = clap::ValueHint::AnyPath)]
    plan_out: Option<PathBuf>,
    /// Draw the plan, nodes over time, and write its data with the extension .csv
    #[arg(long, value_name = "FILE.svg|FILE.png", value_hint = clap::ValueHint::AnyPath)]
    picture: Option<PathBuf>,
}

impl OutputArguments {
    /// Checks the file name of the picture.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.picture.as_deref().map(PictureFile::new).transpose().map(drop)
    }

    /// Returns whether an output was requested that needs a plan.
    pub(super) fn needs_plan(&self) -> bool {
        self.plan_out.is_some() || self.picture.is_some()
    }

    /// Returns whether any output was requested.
    pub(super) fn is_any_requested(&self) -> bool {
        self.state_out.is_some() || self.needs_plan()
    }

    /// Prepares the requested files.
    pub(super) fn files(
        &self,
        loaded: &Loaded<'_>,
        after: &Configuration,
        switch: Option<(&Switch, &Reasons<'_>)>,
    ) -> Result<OutputFiles, Failure> {
        let mut files = OutputFiles::default();
        if let Some(path) = &self.state_out {
            let mut state = loaded.state.with_places(|vm| {
                let place = after.places()[vm];
                (place.state(), place.node().map(NodeId::index))
            });
            let on_at_end = loaded.cluster.on_at_end(after);
            let is_switched = !state.nodes.iter().map(|node| node.is_on).eq(on_at_end.iter().copied());
            if is_csv(path) && (is_switched || !state.further_constraints.is_empty()) {
                notice!(
                    "{}: CSV has the VMs only; to record the nodes that are switched on or off or drained, write the state to a .json file",
                    path.display()
                );
            }
            state.nodes.iter_mut().zip(on_at_end).for_each(|(node, is_on)| node.is_on = is_on);
            files.add_bytes(path, if is_csv(path) { state.vms_to_csv() } else { state.to_json() })?;
        }
        if let Some((path, (switch, reasons))) = self.plan_out.as_ref().zip(switch) {
            if is_csv(path) {
                files.add_bytes(path, actions_to_csv(switch, reasons))?;
            } else {
                files.add_bytes(path, &switch.document)?;
            }
        }
        if let Some((path, (switch, _))) = self.picture.as_ref().zip(switch) {
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

/// Formats the actions of a plan as CSV, with the goal or rule for which each is made. Switched nodes have
/// no VM.
fn actions_to_csv(switch: &Switch, reasons: &Reasons<'_>) -> String {
    let cluster = &switch.cluster;
    let node = |place: Place| place.node().map_or("", |node| &cluster.node(node).name).to_owned();
    let header = ["pool", "action", "vm", "from", "to", "cost_mb", "begin_s", "end_s", "reason"];
    let of_pool = |(number, pool): (usize, &Vec<TimedAction>)| {
        let record = |TimedAction { action, begin, end }: &TimedAction| {
            vec![
                number.to_string(),
                action.kind().name().to_owned(),
                cluster.vm(action.vm()).name.clone(),
                node(action.from()),
                node(action.to()),
                action.cost(cluster).to_string(),
                begin.as_secs_f64().to_string(),
                end.as_secs_f64().to_string(),
                reasons.of(action),
            ]
        };
        pool.iter().map(record).collect::<Vec<_>>()
    };
    let actions = (1..).zip(&switch.timetable.pools).flat_map(of_pool);
    let switches = switch.timetable.switches.iter().map(|it| {
        let name = cluster.node(it.node).name.clone();
        let (from, to) = if it.is_on { (String::new(), name) } else { (name, String::new()) };
        let [begin, end] = [it.begin, it.end].map(|at| at.as_secs_f64().to_string());
        let action = switch_name(it).to_owned();
        let reason = "a rule on the nodes that are on".to_owned();
        vec![String::new(), action, String::new(), from, to, "0".to_owned(), begin, end, reason]
    });
    csv_lines([header.map(str::to_owned).to_vec()].into_iter().chain(actions).chain(switches))
}
