//! Use of the resources that a cluster has as a whole, such as licences.

use crate::{Observer, Occurrence};
use dfrsim_model::SimTime;
use dfrsim_model::event::UseOfResource;
use dfrsim_model::platform::classes::NodeClasses;
use dfrsim_model::platform::common::{CommonDemand, CommonResource};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

/// Collector of the use of licences and other resources of the whole cluster, other than power.
#[derive(Clone, Debug)]
pub struct CommonMetrics {
    /// Resources with their indices in the demands of jobs.
    resources: Vec<(usize, CommonResource)>,
    /// Units that each job requests, and true if it holds them.
    jobs: FxHashMap<u64, (Vec<u64>, bool)>,
    used: Vec<u64>,
    begin: Option<SimTime>,
    now: SimTime,
    /// Units in use times microseconds.
    sums: Vec<u128>,
    largest: Vec<u64>,
}

/// Use of a resource of the whole cluster, from the first submission to the last event.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CommonFigures {
    /// Name of the resource.
    pub name: String,
    /// Mean number of units in use over time.
    pub mean: f64,
    /// Largest number of units in use.
    pub largest: u64,
    /// Smallest and largest number of units that there are at any time.
    pub amounts: (u64, u64),
}

impl CommonMetrics {
    /// Creates a collector; `None` if the cluster has no such resource.
    pub fn new(classes: &NodeClasses) -> Option<CommonMetrics> {
        let all = classes.common().iter().enumerate();
        let held = all.filter(|(_, resource)| resource.demand != CommonDemand::Draw);
        let resources: Vec<(usize, CommonResource)> = held.map(|(at, it)| (at, it.clone())).collect();
        let count = resources.len();
        (count > 0).then(|| CommonMetrics {
            resources,
            jobs: FxHashMap::default(),
            used: vec![0; count],
            begin: None,
            now: SimTime::ZERO,
            sums: vec![0; count],
            largest: vec![0; count],
        })
    }

    /// Returns the figures of each resource up to the last event; none if no time has passed.
    pub fn figures(&self) -> Vec<CommonFigures> {
        let span = self.begin.map_or(0, |begin| self.now.since(begin).micros());
        let of = |(((_, resource), sum), largest): ((&(usize, CommonResource), &u128), &u64)| CommonFigures {
            name: resource.name.to_string(),
            mean: *sum as f64 / span as f64,
            largest: *largest,
            amounts: (resource.smallest_amount(), resource.largest_amount()),
        };
        let all = self.resources.iter().zip(&self.sums).zip(&self.largest);
        if span > 0 { all.map(of).collect() } else { Vec::new() }
    }

    /// Returns the use of each resource up to the last event, as the record of it has it.
    pub(crate) fn uses(&self) -> Vec<UseOfResource> {
        let of = |it: CommonFigures| UseOfResource { mean: it.mean, largest: it.largest };
        self.figures().into_iter().map(of).collect()
    }

    /// Adds the time that has passed since the last event.
    fn advance(&mut self, now: SimTime) {
        let span = now.saturating_since(self.now).micros();
        if self.begin.is_none() {
            self.begin = Some(now);
        } else if span > 0 {
            for ((sum, largest), used) in self.sums.iter_mut().zip(&mut self.largest).zip(&self.used) {
                *sum += u128::from(*used) * u128::from(span);
                *largest = (*largest).max(*used);
            }
        }
        self.now = self.now.max(now);
    }

    /// Lets a job hold its units, or releases them.
    fn set(&mut self, job: u64, holds: bool) {
        let Some((units, held)) = self.jobs.get_mut(&job) else { return };
        if std::mem::replace(held, holds) != holds {
            for (used, units) in self.used.iter_mut().zip(units) {
                *used = if holds { *used + *units } else { *used - *units };
            }
        }
    }
}

impl Observer for CommonMetrics {
    fn observe(&mut self, now: SimTime, job: u64, occurrence: Occurrence<'_>) {
        self.advance(now);
        match occurrence {
            Occurrence::Asked(demand, _) => {
                let units = |(at, _): &(usize, CommonResource)| demand.common.get(*at).copied().unwrap_or(0);
                let units: Vec<u64> = self.resources.iter().map(units).collect();
                if units.iter().any(|units| *units > 0) {
                    self.jobs.insert(job, (units, false));
                }
            }
            Occurrence::Started(..) | Occurrence::Resumed(..) => self.set(job, true),
            Occurrence::Paused(_) | Occurrence::Interrupted(..) => self.set(job, false),
            Occurrence::Rejected
            | Occurrence::Killed(_)
            | Occurrence::Lost(..)
            | Occurrence::Completed(_) => {
                self.set(job, false);
                self.jobs.remove(&job);
            }
            _ => {}
        }
    }
}
