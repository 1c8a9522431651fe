//! Profile of MCB: the number of jobs that each call places and the time it takes, as at the end of
//! section 5.4 of the dissertation.

use clap::Args;
use dfrsim_cluster::{Options, SimulationError, simulate};
use dfrsim_lab::{Axis, Chart, Claim, Drawing, Join, Scale, Series, Verdict};
use dfrsim_model::SimSpan;
use dfrsim_policies::PolicyOptions;
use dfrsim_policies::fractional::{Fractional, FractionalScheduler, McbProbe};
use dfrsim_workload::lublin::{LublinParameters, generate, trace_seed};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Policy and traces of the Lublin model for which calls of MCB are profiled.
#[derive(Args, Clone, Debug)]
pub(super) struct CensusOptions {
    /// Policy to profile: a fractional one that uses MCB
    #[arg(long, value_name = "NAME", default_value = "MCB*/OPT=MIN", value_parser = fractional)]
    pub(super) policy: Fractional,
    /// Number of traces
    #[arg(long, value_name = "N", default_value = "100", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(super) replications: u32,
    /// Number of jobs in a trace
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) jobs: u32,
    /// Number of nodes of the cluster
    #[arg(long, value_name = "N", default_value = "128")]
    pub(super) nodes: NonZeroU32,
    /// Seed of the traces, which are those of a scenario with the same seed
    #[arg(long, value_name = "S", default_value = "1")]
    pub(super) seed: u64,
    /// Time without progress after a job is resumed or migrated
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    pub(super) penalty: SimSpan,
}

fn fractional(name: &str) -> Result<Fractional, String> {
    Fractional::parse(name).ok_or_else(|| {
        String::from("expected a fractional policy such as MCB*/OPT=MIN; `dfrsim policies` lists them")
    })
}

/// Calls of MCB by the number of jobs in the system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    by_jobs: BTreeMap<usize, Calls>,
}

/// Count and durations of a set of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    /// Number of calls.
    pub(super) count: u64,
    /// Total time of the calls.
    pub(super) time: Duration,
    /// Time of the longest call.
    pub(super) longest: Duration,
    /// Number of calls that took a millisecond or more.
    pub(super) slow: u64,
}

impl Calls {
    /// Returns the mean time of a call in microseconds; 0 if there are no calls.
    pub(super) fn mean_micros(&self) -> f64 {
        if self.count == 0 { 0.0 } else { micros(self.time) / self.count as f64 }
    }
    fn add(&mut self, other: Calls) {
        self.count += other.count;
        self.time += other.time;
        self.longest = self.longest.max(other.longest);
        self.slow += other.slow;
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Probe that times the packer alone: MCB from the ranked jobs to their nodes, without the preceding
/// ranking and the subsequent second phase.
#[derive(Debug)]
struct CallTimer {
    census: Rc<RefCell<Census>>,
    begin: Option<(usize, Instant)>,
}

impl McbProbe for CallTimer {
    fn begin(&mut self, jobs: usize) {
        self.begin = Some((jobs, Instant::now()));
    }
    fn end(&mut self) {
        let Some((jobs, begin)) = self.begin.take() else { return };
        let time = begin.elapsed();
        let call = Calls { count: 1, time, longest: time, slow: u64::from(time >= MILLISECOND) };
        self.census.borrow_mut().by_jobs.entry(jobs).or_default().add(call);
    }
}

const MILLISECOND: Duration = Duration::from_millis(1);
/// Fraction of the calls that may exceed the published time, since the machine runs other programs
/// too.
const TOLERATED_SLOW_FRACTION: f64 = 0.001;

/// Values that section 5.4 publishes for MCB\*: the calls, the percentage of calls for at most `FEW`
/// jobs, and the maximum number of jobs of a call.
const FEW: usize = 10;
const PUBLISHED_CALLS: u64 = 197_808;
const PUBLISHED_FEW_PERCENT: f64 = 67.25;
const PUBLISHED_MOST: usize = 102;

impl Census {
    /// Simulates the policy on each trace in turn and reports the number of finished traces to
    /// `progress`.
    ///
    /// # Errors
    /// Returns the errors of [`simulate`].
    pub(super) fn measure(
        options: &CensusOptions,
        mut progress: impl FnMut(u32),
    ) -> Result<Census, SimulationError> {
        let (nodes, jobs) = (options.nodes, options.jobs as usize);
        let parameters = LublinParameters { nodes, jobs, ..LublinParameters::default() };
        let nodes = nodes.get();
        let census = Rc::new(RefCell::new(Census::default()));
        let rules = Options { penalty: options.penalty, ..Options::default() };
        for trace in 0..options.replications {
            let jobs = generate(&parameters, trace_seed(options.seed, trace));
            let watch = Box::new(CallTimer { census: Rc::clone(&census), begin: None });
            let mut scheduler =
                FractionalScheduler::new(options.policy, nodes, PolicyOptions::default(), None)
                    .with_probe(watch);
            simulate(nodes, &rules, jobs, &mut scheduler, &mut ())?;
            progress(trace + 1);
        }
        let taken = census.borrow().clone();
        Ok(taken)
    }

    /// Returns the calls for `least` to `most` jobs, inclusive.
    pub(super) fn between(&self, least: usize, most: usize) -> Calls {
        let mut all = Calls::default();
        self.by_jobs.range(least..=most).for_each(|(_, calls)| all.add(*calls));
        all
    }

    /// Returns all calls.
    pub(super) fn all(&self) -> Calls {
        self.between(0, usize::MAX)
    }

    /// Returns the maximum number of jobs of a call.
    pub(super) fn most_jobs(&self) -> usize {
        self.by_jobs.last_key_value().map_or(0, |(jobs, _)| *jobs)
    }

    /// Returns the percentage of calls for at most `jobs` jobs.
    pub(super) fn percent_up_to(&self, jobs: usize) -> f64 {
        100.0 * self.between(0, jobs).count as f64 / self.all().count.max(1) as f64
    }

    /// Formats the profile as CSV, with a line for each number of jobs: calls, the percentage of
    /// calls for at most this many jobs, and times.
    pub(super) fn csv(&self) -> String {
        let mut text = String::from("jobs,calls,percent_up_to,mean_us,max_us,calls_from_1_ms\n");
        for (&jobs, calls) in &self.by_jobs {
            let (part, mean, longest) =
                (self.percent_up_to(jobs), calls.mean_micros(), micros(calls.longest));
            text += &format!("{jobs},{},{part:.4},{mean:.3},{longest:.3},{}\n", calls.count, calls.slow);
        }
        text
    }

    /// Builds the chart of the cumulative percentages of calls, and of their time, by number of
    /// jobs.
    pub(super) fn drawing(&self) -> Drawing {
        let whole = self.all();
        let mut sum = Calls::default();
        let (mut calls, mut times) = (Vec::new(), Vec::new());
        for (&jobs, each) in &self.by_jobs {
            sum.add(*each);
            calls.push((jobs as f64, 100.0 * sum.count as f64 / whole.count as f64));
            times.push((jobs as f64, 100.0 * micros(sum.time) / micros(whole.time).max(f64::MIN_POSITIVE)));
        }
        let series = |name: &str, points| Series { name: name.to_owned(), points, join: Join::Steps };
        let axis = |label: &str, scale| Axis { label: label.to_owned(), scale };
        let chart = Chart::lines(
            axis("jobs in the system", Scale::Automatic),
            axis("calls with at most this many, %", Scale::Linear),
            "share",
            vec![series("of the calls", calls), series("of their time", times)],
        );
        Drawing::new("mcb-census", "How many jobs MCB maps at a time", chart)
    }

    /// Checks the published claims about the calls against this profile.
    pub(super) fn claims(&self) -> Vec<Claim> {
        const SOURCE: &str = "dissertation, section 5.4";
        let (few, many) = (self.between(0, FEW), self.between(FEW + 1, usize::MAX));
        let (all, most) = (self.all(), self.most_jobs());
        let percent = self.percent_up_to(FEW);
        let claim = |text: &str, holds, detail| Claim::new(SOURCE, text, Verdict::from_bool(holds), detail);
        vec![
            claim(
                "About 200,000 calls, two thirds of them for 10 jobs or fewer, the others for up to about 100",
                (all.count as f64 / PUBLISHED_CALLS as f64 - 1.0).abs() <= 0.1
                    && (percent - PUBLISHED_FEW_PERCENT).abs() <= 5.0
                    && (most as f64 / PUBLISHED_MOST as f64 - 1.0).abs() <= 0.1,
                format!(
                    "{} calls, {percent:.2} %, at most {most} jobs; published: {PUBLISHED_CALLS}, {PUBLISHED_FEW_PERCENT} %, {PUBLISHED_MOST}",
                    all.count
                ),
            ),
            claim(
                "999 of 1,000 calls for 10 jobs or fewer take less than 1 ms",
                few.slow as f64 <= TOLERATED_SLOW_FRACTION * few.count as f64,
                format!("{} of {} take longer; {:.1} us on average", few.slow, few.count, few.mean_micros()),
            ),
            claim(
                "A call for more jobs takes 0.25 s on average and less than 4.5 s",
                many.mean_micros() <= 0.25e6 && many.longest < Duration::from_millis(4_500),
                format!("{:.1} us on average, {:.0} us at most", many.mean_micros(), micros(many.longest)),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(policy: &str) -> CensusOptions {
        let (policy, nodes) = (Fractional::parse(policy).unwrap(), NonZeroU32::new(128).unwrap());
        CensusOptions { policy, nodes, jobs: 200, replications: 2, seed: 1, penalty: SimSpan::ZERO }
    }

    /// MCB\* maps all jobs at each submission and completion, except if several coincide or the last
    /// job has left.
    #[test]
    fn every_event_is_counted_once() {
        let census = Census::measure(&options("MCB*/OPT=MIN"), |_| {}).unwrap();
        let calls = census.all().count;
        assert!((700..=798).contains(&calls), "{calls}");
        assert_eq!(census.between(0, 5).count + census.between(6, usize::MAX).count, calls);
        assert_eq!(census.csv().lines().count(), 1 + census.by_jobs.len());
        assert!((census.percent_up_to(census.most_jobs()) - 100.0).abs() < 1e-9);
        let none = Census::measure(&options("Greedy*/OPT=MIN"), |_| {}).unwrap();
        assert_eq!(none, Census::default());
    }
}
