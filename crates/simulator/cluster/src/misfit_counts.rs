//! Count of the jobs that no node can hold.

use crate::{Observer, Occurrence};
use dfrsim_model::platform::classes::{Demand, Misfits, ResourceRequest, Sharing, UnequalNodes};
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use dfrsim_model::{Job, JobId, Share, SimTime, counted};
use std::collections::BTreeSet;

/// Observer that counts the submitted jobs that no node can hold.
#[derive(Debug)]
pub struct MisfitCounts<'a> {
    nodes: &'a UnequalNodes,
    counts: Misfits,
    /// Job that has just arrived, if it is not counted yet: its number, and what its tasks need.
    arrived: Job,
    is_counted: bool,
    /// Requests of a job that requests nothing beyond CPU and memory.
    plain: Demand,
    /// Number of rejected jobs, if amounts of the whole cluster repeat.
    rejected: u64,
    /// True if tasks use parts of units that are shared; otherwise they hold whole units.
    shares: bool,
    /// Number of jobs that need parts of units and hold whole ones.
    rounded: u64,
    /// Number of jobs with a feature in the log that no class has, and these features.
    unknown: u64,
    features: BTreeSet<String>,
}

impl<'a> MisfitCounts<'a> {
    /// Creates an observer of jobs on these nodes, whose tasks share units or hold whole ones.
    pub fn new(nodes: &'a UnequalNodes, shares: bool) -> MisfitCounts<'a> {
        MisfitCounts {
            nodes,
            counts: Misfits::default(),
            rejected: 0,
            arrived: Job::default(),
            is_counted: true,
            plain: Demand {
                resources: vec![ResourceRequest::default(); nodes.classes.resources().len()],
                ..Demand::default()
            },
            shares,
            rounded: 0,
            unknown: 0,
            features: BTreeSet::new(),
        }
    }

    /// Counts the job that has arrived, if there is one, by its requests; those of a plain job without
    /// them.
    fn count(&mut self, requested: Option<&Demand>) {
        if std::mem::replace(&mut self.is_counted, true) {
            return;
        }
        let demand = match requested {
            // Under a power cap their jobs run slower instead of waiting, but for the power of used units.
            Some(requested) if self.shares => {
                let held = |(resource, _): (&CommonResource, &u64)| match resource.demand {
                    CommonDemand::Draw => requested.fixed_power,
                    CommonDemand::Held { .. } => 0,
                };
                let common = self.nodes.classes.common().iter().zip(&requested.common).map(held).collect();
                &Demand { common, ..requested.clone() }
            }
            Some(requested) => requested,
            None => &self.plain,
        };
        let is_rounded = self.is_rounded(demand);
        self.counts.add(&self.nodes.classes, &self.arrived, demand);
        self.rounded += u64::from(is_rounded);
        self.note_features(self.arrived.id);
    }

    /// Notes the features that the log gives for a job and no class has. Partitions and reservations
    /// that no class has are those of all nodes.
    fn note_features(&mut self, job: JobId) {
        let classes = &self.nodes.classes;
        if self.nodes.demands.given.is_empty() {
            return;
        }
        let given = self.nodes.demands.given.get(&job).into_iter().flatten();
        let features = given.filter_map(|(name, _)| name.strip_prefix('@'));
        let features =
            features.filter(|name| !name.starts_with("partition-") && !name.starts_with("reservation-"));
        let is_known = |name: &str| classes.features().iter().any(|known| known == name);
        let unknown: Vec<&str> = features.filter(|names| !names.split('|').any(is_known)).collect();
        self.unknown += u64::from(!unknown.is_empty());
        self.features.extend(unknown.into_iter().map(str::to_owned));
    }

    /// Returns whether a task needs a part of a unit of which it holds a whole one.
    fn is_rounded(&self, demand: &Demand) -> bool {
        let resources = self.nodes.classes.resources().iter().zip(&demand.resources);
        let of_parts = resources.filter(|(_, asked)| asked.count > 0 && asked.need < Share::ONE);
        { of_parts }.any(|(resource, _)| match resource.sharing {
            Sharing::Rigid => true,
            Sharing::Shared => !self.shares,
            Sharing::Devices | Sharing::SharedDevices => false,
        })
    }

    /// Formats the counts, one line for each reason.
    pub fn lines(mut self) -> Vec<String> {
        self.count(None);
        let mut lines = self.counts.lines(&self.nodes.classes);
        let others = self.rejected.saturating_sub(self.counts.count());
        let noun = if self.counts.count() > 0 { "other job" } else { "job" };
        let jobs = counted(others as usize, noun);
        lines.extend((others > 0).then(|| {
            format!("{jobs}: rejected: amounts that repeat never suffice for as long as the jobs may run, or a site does not admit them")
        }));
        let jobs = counted(self.rounded as usize, "job");
        lines.extend((self.rounded > 0).then(|| {
            format!("{jobs}: parts of units count as whole ones; `devices` in the platform names the resource of which jobs hold parts")
        }));
        let known = self.nodes.classes.features();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let jobs = counted(self.unknown as usize, "job");
        let names = self.features.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        lines.extend((self.unknown > 0).then(|| {
            format!("{jobs}: the features {names} are not required, since no class has them; the classes have: {known}")
        }));
        lines
    }
}

impl Observer for MisfitCounts<'_> {
    fn observe(&mut self, _: SimTime, _: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Submitted(job, _) => {
                self.count(None);
                let Job { id, tasks, cpu_need, memory, .. } = *job;
                (self.arrived.id, self.arrived.tasks) = (id, tasks);
                (self.arrived.cpu_need, self.arrived.memory) = (cpu_need, memory);
                self.is_counted = false;
            }
            Occurrence::Asked(demand, _) => self.count(Some(demand)),
            Occurrence::Rejected if !self.shares => {
                let repeats = self.nodes.classes.common().iter().any(|it| it.period.is_some());
                self.rejected += u64::from(repeats);
            }
            _ => {}
        }
    }
}
