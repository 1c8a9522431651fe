//! Snapshot of a state on the nodes of a site.

use super::read::{Job as StateJob, State};
use super::snapshot::{StateSnapshot, second};
use super::{Fault, Field};
use crate::snapshot::RunningJob;
use dfrsim_cluster::NodeRange;
use dfrsim_model::named::UnknownName;
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::platform::hosts;
use dfrsim_model::{Dependencies, Job, JobId, NodeId};
use rustc_hash::FxHashMap;

/// Nodes of a site by name, with the cores that running jobs have.
struct Nodes<'a> {
    classes: &'a NodeClasses,
    numbers: FxHashMap<&'a str, u32>,
    used: FxHashMap<u32, u32>,
}

impl State {
    /// Creates the snapshot of the state on the nodes of a site. `jobs` has the jobs of the
    /// state as the history describes jobs, by number, and `origin` is the Unix time of second
    /// 0 of the workload.
    ///
    /// # Errors
    /// A fault for each running job whose nodes are unknown or have no room, and for each job that the
    /// rules for lines of the history leave out.
    pub fn snapshot_of_site(
        &self,
        jobs: &FxHashMap<JobId, Job>,
        classes: &NodeClasses,
        origin: i64,
    ) -> Result<StateSnapshot, Vec<Fault>> {
        let numbers = (0..).zip(classes.hosts()).map(|(number, name)| (name.as_str(), number)).collect();
        let mut nodes = Nodes { classes, numbers, used: FxHashMap::default() };
        let (mut found, mut faults) = (StateSnapshot::default(), Vec::new());
        found.snapshot.at = second(self.at, origin);
        let mut order: Vec<&StateJob> = self.jobs.iter().collect();
        let number = |job: &StateJob| job.name.parse::<u64>().unwrap_or(u64::MAX);
        order.sort_by_key(|job| (job.submit, number(job), job.place));
        for state in order {
            if state.start.is_none() && state.is_held() {
                found.held.push(state.name.clone());
                continue;
            }
            let Some(job) = jobs.get(&JobId(number(state))) else {
                let message = "the rules for the lines of the history leave this job out";
                faults.push(fault(state, Field::Id, message));
                continue;
            };
            match state.start {
                Some(start) => match nodes.place(state, job) {
                    Ok(on) => found.snapshot.running.push(RunningJob {
                        job: job.clone(),
                        start: second(start, origin),
                        on,
                        devices: Vec::new(),
                    }),
                    Err(fault) => faults.push(fault),
                },
                None => {
                    found.waiting.push(state.clone());
                    found.snapshot.waiting.push(job.clone());
                }
            }
        }
        let present: Vec<JobId> = found.snapshot.jobs().map(|(job, _)| job.id).collect();
        for (state, job) in found.waiting.iter().zip(&found.snapshot.waiting) {
            let others = state.after.iter().filter_map(|name| name.parse().ok().map(JobId));
            let after: Vec<JobId> = others.filter(|other| present.contains(other)).collect();
            found.fulfilled += state.after.len() - after.len();
            if !after.is_empty() {
                found.snapshot.after.insert(job.id, Dependencies::hold(after, Vec::new()));
            }
        }
        if faults.is_empty() { Ok(found) } else { Err(faults) }
    }
}

fn fault(job: &StateJob, field: Field, message: &str) -> Fault {
    Fault { place: job.place, job: Some(job.name.clone()), message: format!("{field}: {message}") }
}

impl Nodes<'_> {
    /// Returns the nodes of a running job, and takes its cores there.
    fn place(&mut self, state: &StateJob, job: &Job) -> Result<Vec<NodeRange>, Fault> {
        // The last column of `squeue` has the nodes of a running job, and the reason of another one.
        let list = state.other(Field::NodeList).or(state.reason.as_deref()).unwrap_or("nothing");
        let expected = format!("expected the {} nodes on which it runs, found `{list}`", job.tasks);
        let names = hosts::expand(list).filter(|names| names.len() == job.tasks as usize);
        let names = names.ok_or_else(|| fault(state, Field::NodeList, &expected))?;
        let cores = state.processors.unwrap_or(0).div_ceil(job.tasks.max(1));
        let mut on = Vec::new();
        for name in &names {
            let Some(&number) = self.numbers.get(name.as_str()) else {
                let unknown = UnknownName::new("node", name, self.classes.hosts());
                return Err(fault(state, Field::NodeList, &unknown.to_string()));
            };
            let all = self.classes.cores_of(self.classes.class_of(number));
            let used = self.used.entry(number).or_default();
            if *used + cores > all {
                let message = format!(
                    "it runs with {cores} processors on node {name}, but the running jobs before it leave only {} of {all}",
                    all.saturating_sub(*used)
                );
                return Err(fault(state, Field::Processors, &message));
            }
            *used += cores;
            on.push(number);
        }
        on.sort_unstable();
        let mut ranges = Vec::new();
        for node in on {
            NodeRange { first: NodeId(node), nodes: 1, tasks: 1 }.push_onto(&mut ranges);
        }
        Ok(ranges)
    }
}
