//! `dfrsim bound`

use crate::arguments::{WorkloadArguments, limit_threads};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{Answer, OutputFile, bar, counted, notice};
use clap::{Args, ValueEnum};
use dfrsim_bound::{
    MAX_SUBSET, clairvoyant_stretch, max_stretch_bound, max_stretch_bound_of_subsets,
    max_stretch_bound_with_penalties,
};
use dfrsim_model::{Job, SimSpan};
use dfrsim_workload::cut;
use indicatif::ParallelProgressIterator as _;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;

/// Compute the lower bound on the maximum bounded stretch
///
/// Theorem 1 of the dissertation: no schedule has a smaller maximum, even if it knows all jobs in
/// advance, ignores memory and moves tasks at no cost. `--clairvoyant` adds a lower bound that
/// respects memory and penalties, and the best schedule found that knows all run times and pays the
/// penalties: the optimum lies between the two. `--subsets` adds the larger bound of jobs that do not
/// all fit into memory, for small subsets of jobs.
#[derive(Args, Debug)]
#[command(after_help = "\
Example:
  dfrsim bound --workload HPC2N-2002-2.1-cln.swf.gz --nodes 120 --annotate hpc2n --cut week --out bounds.csv
  dfrsim bound --workload week.swf --nodes 128 --annotate lublin --clairvoyant --penalty 300
  dfrsim bound --workload week.swf --nodes 4 --annotate lublin --subsets 8")]
pub(crate) struct Bound {
    #[command(flatten)]
    workload: WorkloadArguments,
    /// Cut the log into segments and compute a bound for each
    #[arg(long, value_enum, default_value_t = Cut::None)]
    cut: Cut,
    /// Threshold tau of the bounded stretch
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    tau: SimSpan,
    /// Search for a schedule with a small maximum that knows all run times and runs jobs at full
    /// speed
    #[arg(long)]
    clairvoyant: bool,
    /// Time that a job of that schedule loses when it resumes or one of its tasks migrates
    #[arg(long, value_name = "SECONDS", default_value = "300", requires = "clairvoyant")]
    penalty: SimSpan,
    /// Solve which jobs fit into memory together, for subsets of up to so many jobs, from 2 to 12
    #[arg(long, value_name = "JOBS", value_parser = clap::value_parser!(u8).range(2..=MAX_SUBSET as i64))]
    subsets: Option<u8>,
    /// Number of threads; 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// File to write: segment, jobs, bound, with --subsets their bound, and with --clairvoyant the
    /// bound with penalties and the maximum reached; printed if no file is given
    #[arg(long, value_name = "FILE.csv", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
}

/// Lower bounds of all segments.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Bounds {
    /// The threshold tau of the bounded stretch, in seconds.
    tau_s: f64,
    /// The mean bound over the segments.
    mean_bound: f64,
    /// The largest bound of all segments.
    largest_bound: f64,
    /// The mean of reached / bound over the segments, with `--clairvoyant`.
    mean_reached: Option<f64>,
    segments: Vec<Segment>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Segment {
    /// The week of the log, from 0; 0 for a log that is not cut.
    segment: u64,
    jobs: usize,
    /// The lower bound on the maximum bounded stretch of any schedule.
    bound: f64,
    /// The lower bound from subsets of jobs that respects memory, with `--subsets`.
    #[serde(skip_serializing_if = "Option::is_none")]
    subset_bound: Option<f64>,
    /// The lower bound for schedules that respect memory and pay penalties, with `--clairvoyant`.
    penalty_bound: Option<f64>,
    /// The maximum of the best schedule found that knows all run times, with `--clairvoyant`.
    reached: Option<f64>,
}

impl Answer for Bounds {
    /// Formats the bounds as the CSV file of `--out`.
    fn text(&self) -> String {
        let mut text = String::from("segment,jobs,bound");
        let has_subsets = self.segments.iter().any(|segment| segment.subset_bound.is_some());
        text += if has_subsets { ",subset_bound" } else { "" };
        text += if self.mean_reached.is_some() { ",penalty_bound,reached\n" } else { "\n" };
        for Segment { segment, jobs, bound, subset_bound, penalty_bound, reached } in &self.segments {
            let both = penalty_bound.zip(*reached).map(|(least, reached)| format!(",{least},{reached}"));
            let of_subsets = subset_bound.map(|least| format!(",{least}")).unwrap_or_default();
            text += &format!("{segment},{jobs},{bound}{of_subsets}{}\n", both.unwrap_or_default());
        }
        text
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Cut {
    /// One segment, the whole log
    None,
    /// One segment for each week of submission, from second 0 of the log
    Week,
}

impl Bound {
    pub(crate) fn run(self, context: &Context<'_>) -> Result<(), Failure> {
        let (path, opened, nodes) = self.workload.open(None)?;
        let collected = opened.with_jobs(|jobs| jobs.collect::<Vec<Job>>());
        let (jobs, report) = collected.map_err(|error| self.workload.log.failure(&error))?;
        notice!("{}: {report}", path.display());
        if jobs.is_empty() {
            return Err(self.workload.log.no_jobs(&path));
        }
        let segments: Vec<(u64, Vec<Job>)> = match self.cut {
            Cut::None => vec![(0, jobs)],
            Cut::Week => cut::weeks(jobs),
        };
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(limit_threads(self.threads))
            .build()
            .map_err(Failure::input)?;
        let bar = bar(segments.len() as u64, "{bar:40} {pos}/{len} bounds, {per_sec:1}, {eta} left");
        let solve = |&(segment, ref jobs): &(u64, Vec<Job>)| -> Result<Segment, Failure> {
            let plain = max_stretch_bound(jobs, nodes, self.tau);
            let bound = plain.value;
            let of_subsets = |most: u8| {
                let proved = (bound, &plain.critical[..]);
                max_stretch_bound_of_subsets(jobs, nodes, self.tau, proved, most.into())
            };
            let subset_bound = self.subsets.map(of_subsets);
            let reached =
                || clairvoyant_stretch(jobs, nodes, self.penalty, self.tau, bound).map_err(Failure::input);
            let reached = self.clairvoyant.then(reached).transpose()?;
            let least = || max_stretch_bound_with_penalties(jobs, nodes, self.penalty, self.tau, bound);
            let penalty_bound = self.clairvoyant.then(least);
            Ok(Segment { segment, jobs: jobs.len(), bound, subset_bound, penalty_bound, reached })
        };
        let solved: Result<Vec<Segment>, Failure> =
            pool.install(|| segments.par_iter().progress_with(bar.clone()).map(solve).collect());
        bar.finish_and_clear();
        let segments = solved?;
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / segments.len() as f64;
        let largest_bound = segments.iter().map(|it| it.bound).fold(1.0, f64::max);
        let mean_bound = mean(&mut segments.iter().map(|it| it.bound));
        let mean_reached = self
            .clairvoyant
            .then(|| mean(&mut segments.iter().filter_map(|it| Some(it.reached? / it.bound))));
        let count = counted(segments.len(), "segment");
        let reached =
            mean_reached.map(|mean| format!(", reached {mean:.4} times the bound")).unwrap_or_default();
        let answer =
            Bounds { tau_s: self.tau.as_secs_f64(), mean_bound, largest_bound, mean_reached, segments };
        if let Some(path) = &self.out {
            OutputFile::write_text(path, &answer.text())?;
        }
        notice!("{count}, mean bound {mean_bound:.4}, largest {largest_bound:.4}{reached}");
        if self.out.is_none() || context.printing.is_json() { context.print(&answer) } else { Ok(()) }
    }
}
