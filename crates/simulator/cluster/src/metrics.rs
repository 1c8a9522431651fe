//! The metrics of a simulation.

use crate::classes::ClassTotals;
use crate::downtime::Downtime;
use crate::objectives::ObjectiveTotals;
use crate::sample::{Measure, Sample};
use crate::sketch::Sketch;
use crate::{
    Distribution, JobRecord, Observer, Occurrence, PlatformChange, Summary, SummaryOptions, Weights,
};
use dfrsim_model::SimTime;

/// Collects the figures of a simulation.
///
/// Up to a million completed jobs are kept one by one, 40 bytes each, and all figures are exact. Beyond, those of which it
/// is certain whether they are trimmed away go into histograms, so that memory does not grow with the length of the log:
/// medians and other quantiles are then too low by up to 0.1 %, everything else stays exact. Only the jobs
/// submitted within the cool-down before the latest submission are still kept.
#[derive(Clone, Debug)]
pub struct Metrics {
    options: SummaryOptions,
    samples: Vec<Sample>,
    /// How many samples are kept at most, and how many are before it is tried again to have fewer.
    exact_up_to: usize,
    fold_beyond: usize,
    /// The outcome of earlier samples.
    folded: Option<Folded>,
    completed: usize,
    first_submit: Option<SimTime>,
    last_submit: SimTime,
    last_end: Option<SimTime>,
    /// Work done, in node-seconds.
    work: f64,
    killed: u64,
    rejected: u64,
    moves: Moves,
    starts: Starts,
    downtime: Option<Box<Downtime>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Moves {
    preemptions: u64,
    migrations: u64,
    migrated_tasks: u64,
    paused_memory: f64,
    migrated_memory: f64,
}

/// Where jobs started.
#[derive(Clone, Copy, Debug, Default)]
struct Starts {
    count: u64,
    ranges: u64,
}

/// What jobs that count amount to.
#[derive(Clone, Debug)]
struct Folded {
    jobs: usize,
    /// Of jobs that are not kept one by one.
    measures: Vec<(Measure, Sketch)>,
    /// For each tau.
    objectives: Vec<ObjectiveTotals>,
    classes: ClassTotals,
}

impl Folded {
    fn new(options: &SummaryOptions, has_sketches: bool) -> Folded {
        let measures =
            Measure::all(options).filter(|_| has_sketches).map(|measure| (measure, Sketch::default()));
        let objectives = options.taus.iter().map(|&tau| ObjectiveTotals::new(tau));
        Folded {
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
    /// Collects what a summary with these options needs.
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
            moves: Moves::default(),
            starts: Starts::default(),
        }
        .exact_up_to(1_000_000)
    }

    /// Keeps this many jobs one by one instead of a million.
    #[must_use]
    pub fn exact_up_to(self, jobs: usize) -> Metrics {
        Metrics { exact_up_to: jobs, fold_beyond: jobs, ..self }
    }

    /// The figures of all that was seen; `None` if no job counts.
    pub fn summary(&self) -> Option<Summary> {
        let makespan = self.last_end?.since(self.first_submit?);
        let (all, distributions) = self.counted()?;
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
            bounded_stretch: all.objectives.iter().zip(bounded).map(|(all, &it)| all.beside(it)).collect(),
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

    /// What the jobs that count amount to, and the distributions of all measures of theirs.
    fn counted(&self) -> Option<(Folded, Vec<Distribution>)> {
        let samples = self.samples.iter().filter(|sample| self.is_warm(sample) && self.is_before_end(sample));
        let exact: Vec<&Sample> = samples.collect();
        let mut all = self.folded.clone().unwrap_or_else(|| Folded::new(&self.options, false));
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

    /// Whether the warm-up was over when a job arrived.
    fn is_warm(&self, sample: &Sample) -> bool {
        self.first_submit.is_some_and(|first| sample.submit >= first + self.options.warm_up)
    }
    /// Whether a job arrived before the cool-down, if there is no later submission than those seen; once it holds it
    /// holds for ever.
    fn is_before_end(&self, sample: &Sample) -> bool {
        sample.submit.saturating_add(self.options.cool_down) <= self.last_submit
    }

    fn complete(&mut self, record: &JobRecord) {
        let run_time = record.run_time.as_secs_f64();
        self.work += f64::from(record.tasks) * record.cpu_need.as_f64() * run_time;
        self.last_end = self.last_end.max(Some(record.end));
        self.killed += u64::from(record.killed);
        self.completed += 1;
        if let Some(downtime) = &mut self.downtime {
            downtime.completed(record.end);
        }
        self.samples.push(Sample::of(record));
        if self.samples.len() > self.fold_beyond {
            self.fold();
        }
    }

    /// Keeps only the samples that the cool-down may still take away.
    fn fold(&mut self) {
        let mut samples = std::mem::take(&mut self.samples);
        let mut folded = self.folded.take().unwrap_or_else(|| Folded::new(&self.options, true));
        samples.retain(|sample| {
            let certain = self.is_before_end(sample);
            if certain && self.is_warm(sample) {
                folded.add(sample, &self.options.weights);
            }
            !certain
        });
        // If the cool-down keeps many, looking at all of them again must pay.
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
                self.starts.ranges += on.ranges_of_nodes();
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
