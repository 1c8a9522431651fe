//! What a simulation amounts to.

use crate::{ClassSummary, Distribution, JobRecord, LengthClass, Observer, Occurrence, SizeClass};
use dfrsim_model::{SimSpan, SimTime, stretch};

/// Collects the figures of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    samples: Vec<Sample>,
    first_submit: Option<SimTime>,
    last_submit: SimTime,
    last_end: Option<SimTime>,
    /// Work done, in node-seconds.
    work: f64,
    killed: u64,
    rejected: u64,
    moves: Moves,
}

#[derive(Clone, Copy, Debug, Default)]
struct Moves {
    pauses: u64,
    migrations: u64,
    migrated_tasks: u64,
    paused_memory: f64,
    migrated_memory: f64,
}

/// What is kept of a completed job.
#[derive(Clone, Copy, Debug)]
struct Sample {
    submit: SimTime,
    wait: SimSpan,
    turnaround: SimSpan,
    run_time: SimSpan,
    tasks: u32,
}

/// How to sum up.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryOptions {
    /// The number of nodes, for the utilisation.
    pub nodes: u32,
    /// The taus of the bounded stretch; the first one rules the classes. Not empty.
    pub taus: Vec<SimSpan>,
    /// Jobs submitted earlier than this after the first submission do not count in the distributions.
    pub warm_up: SimSpan,
    /// Jobs submitted later than this before the last submission do not count in the distributions.
    pub cool_down: SimSpan,
}

impl SummaryOptions {
    /// The field's convention of tau = 10 s, nothing trimmed.
    #[must_use]
    pub fn new(nodes: u32) -> SummaryOptions {
        SummaryOptions {
            nodes,
            taus: vec![SimSpan::from_secs(10)],
            warm_up: SimSpan::ZERO,
            cool_down: SimSpan::ZERO,
        }
    }
}

/// The figures of a simulation. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Completed jobs that count in the distributions.
    pub jobs: usize,
    /// Completed jobs that were trimmed away.
    pub trimmed: usize,
    /// Jobs that were killed at their estimate.
    pub killed: u64,
    /// Jobs that were turned away.
    pub rejected: u64,
    /// From the first submission to the last completion.
    pub makespan: SimSpan,
    /// Work done / (nodes * makespan).
    pub utilisation: f64,
    /// From submission to the first start.
    pub wait: Distribution,
    /// From submission to completion.
    pub turnaround: Distribution,
    /// Turnaround / run time.
    pub stretch: Distribution,
    /// The bounded stretch for each tau.
    pub bounded_stretch: Vec<(SimSpan, Distribution)>,
    /// The classes that have jobs, by size, then length.
    pub classes: Vec<ClassSummary>,
    /// How often a job was paused.
    pub pauses: u64,
    /// How often a job was migrated.
    pub migrations: u64,
    /// Tasks that changed node in migrations.
    pub migrated_tasks: u64,
    /// Memory written by pauses, in memories of one node.
    pub paused_memory: f64,
    /// Memory moved by migrations, in memories of one node.
    pub migrated_memory: f64,
}

impl Metrics {
    /// The figures of all that was seen; nothing if no job counts.
    #[must_use]
    pub fn summary(&self, options: &SummaryOptions) -> Option<Summary> {
        let first_submit = self.first_submit?;
        let begin = first_submit + options.warm_up;
        let counts = |sample: &&Sample| {
            sample.submit >= begin && sample.submit.saturating_add(options.cool_down) <= self.last_submit
        };
        let samples: Vec<&Sample> = self.samples.iter().filter(counts).collect();
        let mut values = Vec::with_capacity(samples.len());
        let mut distribution = |value: &dyn Fn(&Sample) -> f64| {
            values.clear();
            values.extend(samples.iter().map(|sample| value(sample)));
            Distribution::of(&mut values)
        };
        let makespan = self.last_end?.since(first_submit);
        Some(Summary {
            jobs: samples.len(),
            trimmed: self.samples.len() - samples.len(),
            killed: self.killed,
            rejected: self.rejected,
            makespan,
            utilisation: self.work / (f64::from(options.nodes) * makespan.as_secs_f64()),
            wait: distribution(&|sample| sample.wait.as_secs_f64())?,
            turnaround: distribution(&|sample| sample.turnaround.as_secs_f64())?,
            stretch: distribution(&|sample| stretch::stretch(sample.turnaround, sample.run_time))?,
            bounded_stretch: options
                .taus
                .iter()
                .map(|&tau| Some((tau, distribution(&|sample| sample.bounded_stretch(tau))?)))
                .collect::<Option<_>>()?,
            classes: class_summaries(&samples, options.taus[0]),
            pauses: self.moves.pauses,
            migrations: self.moves.migrations,
            migrated_tasks: self.moves.migrated_tasks,
            paused_memory: self.moves.paused_memory,
            migrated_memory: self.moves.migrated_memory,
        })
    }

    fn complete(&mut self, record: &JobRecord) {
        let run_time = record.run_time.as_secs_f64();
        self.work += f64::from(record.tasks) * record.need.as_f64() * run_time;
        self.last_end = self.last_end.max(Some(record.end));
        self.killed += u64::from(record.killed);
        self.samples.push(Sample {
            submit: record.submit,
            wait: record.wait(),
            turnaround: record.turnaround(),
            run_time: record.run_time,
            tasks: record.tasks,
        });
    }
}

impl Sample {
    fn bounded_stretch(&self, tau: SimSpan) -> f64 {
        stretch::bounded(self.turnaround, self.run_time, tau)
    }
}

impl Observer for Metrics {
    fn observe(&mut self, now: SimTime, _: u64, occurrence: Occurrence<'_>) {
        match occurrence {
            Occurrence::Submitted(_) => {
                self.first_submit.get_or_insert(now);
                self.last_submit = now;
            }
            Occurrence::Paused(memory) => {
                self.moves.pauses += 1;
                self.moves.paused_memory += memory;
            }
            Occurrence::Migrated(_, _, tasks, memory) => {
                self.moves.migrations += 1;
                self.moves.migrated_tasks += u64::from(tasks);
                self.moves.migrated_memory += memory;
            }
            Occurrence::Rejected => self.rejected += 1,
            Occurrence::Completed(record) => self.complete(record),
            Occurrence::Started(..) | Occurrence::Resumed(..) | Occurrence::YieldChanged(_) => {}
        }
    }
}

fn class_summaries(samples: &[&Sample], tau: SimSpan) -> Vec<ClassSummary> {
    let mut totals = [[(0_usize, 0.0_f64, 0.0_f64, 0.0_f64); LengthClass::ALL.len()]; SizeClass::ALL.len()];
    for sample in samples {
        let class =
            &mut totals[SizeClass::of(sample.tasks) as usize][LengthClass::of(sample.run_time) as usize];
        let bounded = sample.bounded_stretch(tau);
        class.0 += 1;
        class.1 += sample.wait.as_secs_f64();
        class.2 += bounded;
        class.3 = class.3.max(bounded);
    }
    let classes = SizeClass::ALL.into_iter().flat_map(|size| LengthClass::ALL.map(|length| (size, length)));
    classes
        .map(|(size, length)| (size, length, totals[size as usize][length as usize]))
        .filter(|(_, _, (jobs, ..))| *jobs > 0)
        .map(|(size, length, (jobs, wait, sum, max))| ClassSummary {
            size,
            length,
            jobs,
            mean_wait: wait / jobs as f64,
            mean_bounded_stretch: sum / jobs as f64,
            max_bounded_stretch: max,
        })
        .collect()
}
