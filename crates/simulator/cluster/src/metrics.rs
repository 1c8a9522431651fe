//! Metrics of a simulation, from their accumulation to the record in an events file: a new metric is added here,
//! in `dfrsim_model::event` if the events have it, in the audit, and in the rows of a study.

use crate::classes::ClassTotals;
use crate::downtime::{Downtime, PlatformSummary};
use crate::objectives::ObjectiveTotals;
use crate::sample::{Measure, Sample};
use crate::sketch::Sketch;
use crate::{
    BoundedStretch, ClassSummary, Distribution, JobRecord, Observer, Occurrence, PlatformChange,
    SummaryOptions, Weights,
};
use dfrsim_model::event::{self, PlatformFigures, Record};
use dfrsim_model::{SimSpan, SimTime};
use schemars::JsonSchema;
use serde::Serialize;

/// Collector of the metrics of a simulation.
///
/// Up to a million completed jobs are stored individually, 40 bytes each, and all figures are exact.
/// Beyond that, jobs that certainly do or do not count (warm-up and cool-down) are folded into
/// histograms, so that memory does not grow with the length of the log. Medians and other quantiles
/// are then too low by up to 0.1 %; everything else stays exact. Only the jobs submitted within the
/// cool-down before the latest submission are still stored individually.
#[derive(Clone, Debug)]
pub struct Metrics {
    options: SummaryOptions,
    samples: Vec<Sample>,
    /// Number of samples that are stored at most, and the number beyond which the next folding is
    /// tried.
    exact_up_to: usize,
    fold_beyond: usize,
    /// Totals of the samples that are no longer stored.
    folded: Option<Totals>,
    completed: usize,
    first_submit: Option<SimTime>,
    last_submit: SimTime,
    last_end: Option<SimTime>,
    /// Work done, in node-seconds.
    work: f64,
    killed: u64,
    rejected: u64,
    moves: MoveTotals,
    starts: StartTotals,
    downtime: Option<Box<Downtime>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct MoveTotals {
    preemptions: u64,
    migrations: u64,
    migrated_tasks: u64,
    paused_memory: f64,
    migrated_memory: f64,
}

/// Contiguity of placements at first starts: starts, and ranges of nodes in them.
#[derive(Clone, Copy, Debug, Default)]
struct StartTotals {
    count: u64,
    ranges: u64,
}

/// Totals over the jobs that count.
#[derive(Clone, Debug)]
struct Totals {
    jobs: usize,
    /// Histograms of the jobs that are not stored individually.
    measures: Vec<(Measure, Sketch)>,
    /// Totals for each tau.
    objectives: Vec<ObjectiveTotals>,
    classes: ClassTotals,
}

impl Totals {
    fn new(options: &SummaryOptions, has_sketches: bool) -> Totals {
        let measures =
            Measure::all(options).filter(|_| has_sketches).map(|measure| (measure, Sketch::default()));
        let objectives = options.taus.iter().map(|&tau| ObjectiveTotals::new(tau));
        Totals {
            jobs: 0,
            measures: measures.collect(),
            objectives: objectives.collect(),
            classes: ClassTotals::new(options.taus[0]),
        }
    }
    fn add(&mut self, sample: &Sample, weights: &Weights) {
        self.jobs += 1;
        for (measure, sketch) in &mut self.measures {
            sketch.add(measure.of(sample));
        }
        for totals in &mut self.objectives {
            totals.add(sample, weights);
        }
        self.classes.add(sample);
    }
}

impl Metrics {
    /// Creates a collector for a summary with these options.
    pub fn new(options: SummaryOptions) -> Metrics {
        Metrics {
            downtime: options.outages.then(Box::default),
            options,
            samples: Vec::new(),
            exact_up_to: 0,
            fold_beyond: 0,
            folded: None,
            completed: 0,
            first_submit: None,
            last_submit: SimTime::ZERO,
            last_end: None,
            work: 0.0,
            killed: 0,
            rejected: 0,
            moves: MoveTotals::default(),
            starts: StartTotals::default(),
        }
        .exact_up_to(1_000_000)
    }

    /// Sets the number of jobs that are stored individually; a million by default.
    #[must_use]
    pub fn exact_up_to(self, jobs: usize) -> Metrics {
        Metrics { exact_up_to: jobs, fold_beyond: jobs, ..self }
    }

    /// Returns the number of jobs that were rejected, or killed by the policy before their work was
    /// done.
    pub const fn rejected(&self) -> u64 {
        self.rejected
    }

    /// Computes the summary of all jobs seen; `None` if no job counts.
    pub fn summary(&self) -> Option<Summary> {
        let makespan = self.last_end?.since(self.first_submit?);
        let (all, distributions) = self.totals()?;
        let (&[wait, turnaround, stretch], bounded) = distributions.split_first_chunk()?;
        Some(Summary {
            jobs: all.jobs,
            trimmed: self.completed - all.jobs,
            killed: self.killed,
            rejected: self.rejected,
            makespan,
            utilisation: self.work / (self.options.capacity() * makespan.as_secs_f64()),
            wait,
            turnaround,
            stretch,
            bounded_stretch: all
                .objectives
                .iter()
                .zip(bounded)
                .map(|(all, &it)| all.with_distribution(it))
                .collect(),
            weights: self.options.weights.clone(),
            classes: all.classes.summaries(),
            preemptions: self.moves.preemptions,
            migrations: self.moves.migrations,
            migrated_tasks: self.moves.migrated_tasks,
            paused_memory: self.moves.paused_memory,
            migrated_memory: self.moves.migrated_memory,
            ranges_per_start: (self.starts.count > 0)
                .then(|| self.starts.ranges as f64 / self.starts.count as f64),
            platform: self.downtime.as_ref().map(|it| it.summary(self.options.nodes, makespan, self.work)),
        })
    }

    /// Computes the totals of the jobs that count, and the distributions of all measures.
    fn totals(&self) -> Option<(Totals, Vec<Distribution>)> {
        let samples = self
            .samples
            .iter()
            .filter(|sample| self.is_after_warm_up(sample) && self.is_before_cool_down(sample));
        let exact: Vec<&Sample> = samples.collect();
        let mut all = self.folded.clone().unwrap_or_else(|| Totals::new(&self.options, false));
        exact.iter().for_each(|sample| all.add(sample, &self.options.weights));
        let distributions: Option<Vec<Distribution>> = if self.folded.is_some() {
            all.measures.iter().map(|(_, sketch)| sketch.distribution()).collect()
        } else {
            let values =
                |measure: Measure| exact.iter().map(|sample| measure.of(sample)).collect::<Vec<f64>>();
            Measure::all(&self.options).map(|measure| Distribution::of(&mut values(measure))).collect()
        };
        Some((all, distributions?))
    }

    /// Returns whether the job arrived after the warm-up.
    fn is_after_warm_up(&self, sample: &Sample) -> bool {
        self.first_submit.is_some_and(|first| sample.submit >= first + self.options.warm_up)
    }
    /// Returns whether the job arrived before the cool-down, according to the latest submission seen
    /// so far. Once true it stays true.
    fn is_before_cool_down(&self, sample: &Sample) -> bool {
        sample.submit.saturating_add(self.options.cool_down) <= self.last_submit
    }

    fn complete(&mut self, record: &JobRecord) {
        let run_time = record.run_time.as_secs_f64();
        self.work += f64::from(record.tasks) * record.cpu_need.as_f64() * run_time;
        self.last_end = self.last_end.max(Some(record.end));
        self.killed += u64::from(record.killed);
        self.completed += 1;
        if let Some(downtime) = &mut self.downtime {
            downtime.record_completion(record.end);
        }
        self.samples.push(Sample::of(record));
        if self.samples.len() > self.fold_beyond {
            self.fold();
        }
    }

    /// Folds the samples into histograms, except those that the cool-down may still exclude.
    fn fold(&mut self) {
        let mut samples = std::mem::take(&mut self.samples);
        let mut folded = self.folded.take().unwrap_or_else(|| Totals::new(&self.options, true));
        samples.retain(|sample| {
            let certain = self.is_before_cool_down(sample);
            if certain && self.is_after_warm_up(sample) {
                folded.add(sample, &self.options.weights);
            }
            !certain
        });
        // If the cool-down keeps many samples, the next fold must remove enough to be worth the
        // scan.
        self.fold_beyond = self.exact_up_to.max(2 * samples.len());
        self.samples = samples;
        self.folded = Some(folded);
    }
}

impl Observer for Metrics {
    fn observe(&mut self, now: SimTime, _: u64, occurrence: Occurrence<'_>) {
        if let Some(downtime) = &mut self.downtime {
            downtime.observe(occurrence);
        }
        match occurrence {
            Occurrence::Submitted(..) => {
                if let Some(downtime) = self.downtime.as_mut().filter(|_| self.first_submit.is_none()) {
                    downtime.begin(now);
                }
                self.first_submit.get_or_insert(now);
                self.last_submit = now;
            }
            Occurrence::Started(on, _) => {
                self.starts.count += 1;
                self.starts.ranges += on.contiguous_ranges();
            }
            Occurrence::Paused(memory) => {
                self.moves.preemptions += 1;
                self.moves.paused_memory += memory;
            }
            Occurrence::Migrated(_, _, tasks, memory) => {
                self.moves.migrations += 1;
                self.moves.migrated_tasks += u64::from(tasks);
                self.moves.migrated_memory += memory;
            }
            Occurrence::Rejected | Occurrence::Killed(_) => self.rejected += 1,
            Occurrence::Completed(record) => self.complete(record),
            Occurrence::Linked(_)
            | Occurrence::Asked(..)
            | Occurrence::Bound(_)
            | Occurrence::Woken(_)
            | Occurrence::Resumed(..)
            | Occurrence::YieldChanged(_)
            | Occurrence::Interrupted(..)
            | Occurrence::Lost(..) => {}
        }
    }
    fn observe_platform(&mut self, now: SimTime, change: PlatformChange<'_>) {
        if let Some(downtime) = &mut self.downtime {
            downtime.observe_platform(now, change);
        }
    }
}

/// Summary of a simulation. Times are in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[non_exhaustive]
pub struct Summary {
    /// Completed jobs that count in the distributions.
    pub jobs: usize,
    /// Completed jobs that were excluded from the distributions (warm-up and cool-down).
    pub trimmed: usize,
    /// Jobs that were killed at their estimate.
    pub killed: u64,
    /// Jobs that were rejected, or killed by the policy before their work was done. No other figure
    /// counts them.
    pub rejected: u64,
    /// Time from the first submission to the last completion.
    #[serde(rename = "makespan_s")]
    pub makespan: SimSpan,
    /// Utilisation: work done / (nodes * makespan).
    pub utilisation: f64,
    /// Wait: time from submission to the first start.
    #[serde(rename = "wait_s")]
    pub wait: Distribution,
    /// Turnaround: time from submission to completion.
    #[serde(rename = "turnaround_s")]
    pub turnaround: Distribution,
    /// Stretch: turnaround / run time.
    pub stretch: Distribution,
    /// Bounded stretch for each tau.
    pub bounded_stretch: Vec<BoundedStretch>,
    /// Weights of the weighted stretch.
    #[serde(skip)]
    pub weights: Weights,
    /// Classes that have jobs, by size, then by run time.
    pub classes: Vec<ClassSummary>,
    /// Number of preemptions (pauses).
    pub preemptions: u64,
    /// Number of migrations of jobs.
    pub migrations: u64,
    /// Tasks that changed node in migrations.
    pub migrated_tasks: u64,
    /// Memory written by preemptions, in whole nodes' worth.
    #[serde(rename = "paused_memory_nodes")]
    pub paused_memory: f64,
    /// Memory moved by migrations, in whole nodes' worth.
    #[serde(rename = "migrated_memory_nodes")]
    pub migrated_memory: f64,
    /// Mean number of contiguous ranges of nodes on which a job starts: 1 if every placement is
    /// contiguous.
    pub ranges_per_start: Option<f64>,
    /// Effects of outages, if nodes go down or jobs may be requeued or lost.
    #[serde(rename = "outages", skip_serializing_if = "Option::is_none")]
    pub platform: Option<PlatformSummary>,
}

impl Summary {
    /// Creates the last record. Bounded stretch is that of the first tau, which must be the one in
    /// the first record.
    pub fn record(&self) -> Record<'static> {
        let BoundedStretch { distribution: bounded, weighted_mean, fairness, .. } = self.bounded_stretch[0];
        Record::Summary {
            completed: (self.jobs + self.trimmed) as u64,
            rejected: self.rejected,
            makespan_us: self.makespan.micros(),
            max_stretch: self.stretch.max,
            max_bounded_stretch: bounded.max,
            mean_bounded_stretch: bounded.mean,
            mean_turnaround_s: self.turnaround.mean,
            utilisation: self.utilisation,
            preemptions: self.preemptions,
            migrations: self.migrations,
            migrated_tasks: self.migrated_tasks,
            platform: self.platform.map(|it| PlatformFigures {
                interruptions: it.interruptions,
                lost: it.lost,
                lost_work_s: it.lost_work,
                availability: it.availability,
                goodput: it.goodput,
            }),
            objectives: Some(event::Objectives {
                median_bounded_stretch: bounded.median,
                p95_bounded_stretch: bounded.p95,
                p99_bounded_stretch: bounded.p99,
                weights: self.weights.rule,
                user_weights: self.weights.users.iter().map(|(&user, &weight)| (user, weight)).collect(),
                weighted_bounded_stretch: weighted_mean,
                fairness: fairness.map(|fairness| fairness.jain),
                max_user_bounded_stretch: fairness.map(|fairness| fairness.max_mean),
            }),
        }
    }
}
