//! One instance of an on-line scenario under all of its settings.

use super::Simulations;
use crate::News;
use crate::audited::Audited;
use crate::instance::Instance;
use crate::key::{Determinants, Digest, Key, overrun_name};
use crate::row::{Cell, Figures, Row};
use crate::scenario::Simulation;
use crate::setting::Setting;
use dfrsim_audit::Faults;
use dfrsim_bound::max_stretch_bound;
use dfrsim_cluster::{Metrics, Options, Overrun, Summary, SummaryOptions, simulate};
use dfrsim_model::{Job, Seed, SimSpan};
use dfrsim_policies::PolicyOptions;
use rayon::prelude::*;
use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// An instance while its policies run.
pub(super) struct Case<'a> {
    all: &'a Simulations<'a>,
    instance: &'a Instance,
    nodes: u32,
    jobs: &'a [Job],
    digest: Digest,
    /// The bound for each tau, computed by whoever needs it first.
    bounds: Vec<OnceLock<f64>>,
    /// Rows that were not restored.
    computed: AtomicUsize,
}

impl<'a> Case<'a> {
    pub(super) fn new(all: &'a Simulations<'a>, instance: &'a Instance, jobs: &'a [Job]) -> Case<'a> {
        Case {
            all,
            instance,
            nodes: all.scenario.workloads[instance.workload].nodes.get(),
            jobs,
            digest: Digest::of_jobs(jobs),
            bounds: all.scenario.simulation.taus.iter().map(|_| OnceLock::new()).collect(),
            computed: AtomicUsize::new(0),
        }
    }

    /// Of the jobs.
    pub(super) fn digest(&self) -> Digest {
        self.digest
    }
    /// How many rows were computed, not restored.
    pub(super) fn computed(&self) -> usize {
        self.computed.load(Ordering::Relaxed)
    }
    /// Finds all bounds, side by side.
    pub(super) fn find_bounds(&self) {
        (0..self.bounds.len()).into_par_iter().for_each(|tau| _ = self.bound(tau));
    }

    fn options(&self, penalty: SimSpan) -> Options {
        let Simulation { estimates, overrun, .. } = self.all.scenario.simulation;
        let seed = Seed::new(self.all.scenario.seed).fork("simulation");
        Options { penalty, estimates, overrun, seed, ..Options::default() }
    }
    /// The setting with what policies are told of the workload's nodes.
    fn on_these_nodes(&self, setting: &Setting) -> Setting {
        let node_memory_gb = self.all.scenario.workloads[self.instance.workload].node_memory_gb;
        Setting { numbers: PolicyOptions { node_memory_gb, ..setting.numbers }, ..*setting }
    }
    fn key(&self, setting: &Setting, tau: SimSpan) -> Key {
        let Simulation { warm_up, cool_down, .. } = self.all.scenario.simulation;
        let options = &self.options(setting.penalty);
        let (jobs, nodes, setting) = (self.digest, self.nodes, self.on_these_nodes(setting));
        Determinants { jobs, nodes, setting, options, tau, warm_up, cool_down }.key()
    }
    fn cell(&self, setting: &Setting, tau: SimSpan, bound: f64) -> Cell {
        let Simulation { estimates, overrun, .. } = self.all.scenario.simulation;
        let label = setting.label();
        Cell {
            workload: self.all.scenario.workloads[self.instance.workload].name.clone(),
            instance: self.instance.name.clone(),
            load: self.instance.load,
            policy: label.policy,
            penalty_s: label.penalty,
            period_s: label.period,
            packing: label.packing,
            drop: label.drop,
            estimates: estimates.to_string(),
            overrun: overrun_name(overrun).to_owned(),
            tau_s: tau,
            nodes: self.nodes,
            jobs: self.jobs.len(),
            bound,
        }
    }

    /// The rows of a simulation, if earlier runs left all of them. Their names are the present scenario's.
    pub(super) fn restore(&self, setting: &Setting) -> Option<Vec<Row>> {
        let row = |&tau: &SimSpan| {
            let key = self.key(setting, tau);
            let Row { cell, outcome, .. } = self.all.earlier.get(&key)?;
            Some(Row { key, cell: self.cell(setting, tau, cell.bound), outcome: outcome.clone() })
        };
        self.all.scenario.simulation.taus.iter().map(row).collect()
    }

    /// The rows of a simulation; nothing if the sweep was stopped.
    pub(super) fn rows(&self, setting: &Setting, restored: Option<Vec<Row>>) -> Option<Vec<Row>> {
        let sweep = &self.all.sweep;
        let rows = match restored {
            Some(rows) => rows,
            None if sweep.is_over() => return None,
            None => {
                let rows = self.simulate(setting);
                self.computed.fetch_add(rows.len(), Ordering::Relaxed);
                rows
            }
        };
        sweep.keep(rows.iter().filter(|row| !sweep.is_kept(row.key)).map(Row::write))?;
        self.all.progress.finished(&News { finished: sweep.finish_one(), total: sweep.total(), rows: &rows });
        Some(rows)
    }

    fn simulate(&self, setting: &Setting) -> Vec<Row> {
        let taus = &self.all.scenario.simulation.taus;
        let begin = Instant::now();
        let summary = self
            .metrics(setting)
            .and_then(|metrics| metrics.summary().ok_or_else(|| "no job is left to count".to_owned()));
        add_time(&self.all.simulated, begin);
        let row = |(index, &tau): (usize, &SimSpan)| {
            let bound = self.bound(index);
            let figures =
                |summary: &Summary| Box::new(Figures::new(summary, &summary.bounded_stretch[index].1, bound));
            Row {
                key: self.key(setting, tau),
                cell: self.cell(setting, tau, bound),
                outcome: summary.as_ref().map(figures).map_err(String::clone),
            }
        };
        taus.iter().enumerate().map(row).collect()
    }

    /// What the simulation measured, or why it failed.
    fn metrics(&self, setting: &Setting) -> Result<Metrics, String> {
        let one_line = |message: String| message.replace(['\r', '\n'], " ");
        let faulty = |faults: &Faults| one_line(format!("audit: {faults}"));
        let mut scheduler = (self.all.scheduler)(&self.on_these_nodes(setting), self.nodes);
        let options = self.options(setting.penalty);
        let Simulation { taus, warm_up, cool_down, .. } = &self.all.scenario.simulation;
        let audited = || Audited::new(&setting.policy.to_string(), self.nodes, setting.penalty, taus[0]);
        let audited = self.all.audit.then(audited).transpose().map_err(|faults| faulty(&faults))?;
        let metrics = Metrics::new(SummaryOptions {
            nodes: self.nodes,
            taus: taus.clone(),
            warm_up: *warm_up,
            cool_down: *cool_down,
        });
        let mut watchers = (metrics, audited);
        simulate(self.nodes, &options, self.jobs.iter().cloned(), scheduler.as_mut(), &mut watchers)
            .map_err(|error| one_line(error.to_string()))?;
        let (metrics, audited) = watchers;
        if let Some(audited) = audited {
            audited.verdict().map_err(|faults| faulty(&faults))?;
        }
        Ok(metrics)
    }

    /// The bound for the tau of this place.
    fn bound(&self, tau: usize) -> f64 {
        *self.bounds[tau].get_or_init(|| {
            let begin = Instant::now();
            let jobs = as_run(self.jobs, &self.options(SimSpan::ZERO));
            let bound = max_stretch_bound(&jobs, self.nodes, self.all.scenario.simulation.taus[tau]).value;
            add_time(&self.all.bounded, begin);
            bound
        })
    }
}

/// The jobs with the run times that they really get: those that will be killed end at their estimates.
fn as_run<'a>(jobs: &'a [Job], options: &Options) -> Cow<'a, [Job]> {
    if options.overrun == Overrun::Extend {
        return Cow::Borrowed(jobs);
    }
    let cut = |job: &Job| {
        let estimate = options.estimates.estimate(job, options.seed).unwrap_or(SimSpan::MAX);
        Job { run_time: job.run_time.min(estimate), ..job.clone() }
    };
    Cow::Owned(jobs.iter().map(cut).collect())
}

fn add_time(total: &AtomicU64, begin: Instant) {
    total.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
}
