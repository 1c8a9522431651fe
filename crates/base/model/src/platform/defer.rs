//! Deferral of jobs to times at which energy has less carbon dioxide.

use super::series::EnergySeries;
use crate::{Job, Seed, SimSpan};
use rand::RngExt as _;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Deferral of jobs: the most seconds by which jobs are deferred, and the fraction of jobs
/// that may be, as in `28800` or `28800:0.3`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Defer {
    slack: SimSpan,
    part: f64,
}

crate::parses!(
    Defer,
    "expected seconds above 0 such as 28800, or seconds and a fraction of the jobs such as 28800:0.3, found `{text}`",
    |text| {
        let (slack, part) = text.split_once(':').unwrap_or((text, "1"));
        let part = part.parse::<f64>().ok().filter(|part| *part > 0.0 && *part <= 1.0);
        let slack: Option<SimSpan> = slack.parse().ok().filter(|slack: &SimSpan| !slack.is_zero());
        slack.zip(part).map(|(slack, part)| Defer { slack, part })
    }
);

impl fmt::Display for Defer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.slack)?;
        if self.part < 1.0 { write!(f, ":{}", self.part) } else { Ok(()) }
    }
}

/// Counts of jobs that were held for a low carbon intensity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Deferred {
    /// Number of jobs that may be held.
    pub deferrable: usize,
    /// Number of jobs that were held.
    pub held: usize,
    /// Number of jobs whose estimates the series of intensities does not cover; they are not held.
    pub uncovered: usize,
    /// Time for which jobs were held, summed over them.
    #[serde(rename = "held_s")]
    pub total: SimSpan,
}

impl Deferred {
    /// Returns the mean time for which jobs were held, over those that were, in hours; 0 without any.
    pub fn mean_hours(&self) -> f64 {
        self.total.as_secs_f64() / 3600.0 / self.held.max(1) as f64
    }
}

impl fmt::Display for Deferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Deferred { deferrable, held, uncovered, total: _ } = self;
        let hours = self.mean_hours();
        write!(
            f,
            "deferred {held} of {deferrable} deferrable jobs, by {hours:.2} h in the mean; waits count from then"
        )?;
        if *uncovered > 0 {
            write!(f, " ({uncovered} are outside of the series of intensities)")?;
        }
        Ok(())
    }
}

impl Defer {
    /// Holds deferrable jobs until the time from which the mean carbon intensity during their estimates is
    /// the least, and sorts all jobs by that time. Jobs without an estimate are not deferred. Also
    /// returns the time for which each job is held, in the new order.
    pub fn apply(
        self,
        series: &EnergySeries,
        seed: Seed,
        estimate: impl Fn(&Job) -> Option<SimSpan>,
        jobs: impl Iterator<Item = Job>,
    ) -> (Vec<Job>, Vec<SimSpan>, Deferred) {
        let mut counts = Deferred::default();
        let held = jobs.map(|job| {
            let may = seed.fork("defer").numbered(job.id.0).rng().random_bool(self.part);
            let Some(length) = estimate(&job).filter(|_| may) else { return (job, SimSpan::ZERO) };
            counts.deferrable += 1;
            match series.greenest_start(job.submit, self.slack, length) {
                Some(submit) => {
                    let held = submit.since(job.submit);
                    counts.held += usize::from(!held.is_zero());
                    counts.total += held;
                    (Job { submit, ..job }, held)
                }
                None => {
                    counts.uncovered += 1;
                    (job, SimSpan::ZERO)
                }
            }
        });
        let mut jobs: Vec<(Job, SimSpan)> = held.collect();
        jobs.sort_by_key(|(job, _)| job.submit);
        let (jobs, held) = jobs.into_iter().unzip();
        (jobs, held, counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::series;
    use crate::{JobId, SimTime};

    #[test]
    fn jobs_are_held_until_the_greenest_time() {
        let series = series::parse("ci.csv", "from_s,g_per_kwh\n0,5\n10,3\n20,1\n30,4\n").unwrap();
        let job = |id, submit, run| Job {
            id: JobId(id),
            submit: SimTime::from_secs(submit),
            run_time: SimSpan::from_secs(run),
            ..Job::default()
        };
        let jobs = vec![job(1, 0, 10), job(2, 5, 5), job(3, 12, 9), job(4, 25, 50)];
        let defer: Defer = "12".parse().unwrap();
        let (found, held, counts) =
            defer.apply(&series, Seed::new(1), |job| Some(job.run_time), jobs.into_iter());
        let found: Vec<(u64, f64)> = found.iter().map(|job| (job.id.0, job.submit.as_secs_f64())).collect();
        // Job 1 may begin until 12 s, and job 2 until 17 s: both are best then, as they reach the 1 g from
        // 20 s on. The series does not cover job 4.
        assert_eq!(found, [(1, 12.0), (2, 17.0), (3, 20.0), (4, 25.0)]);
        assert_eq!(held, [12, 12, 8, 0].map(SimSpan::from_secs));
        assert_eq!(
            (defer.to_string(), "60:0.25".parse::<Defer>().unwrap().to_string()),
            ("12".into(), "60:0.25".into())
        );
        let text = "deferred 3 of 4 deferrable jobs, by 0.00 h in the mean; waits count from then (1 are outside of the series of intensities)";
        assert_eq!(counts.to_string(), text);
        for wrong in ["", "x", "10:0", "10:1.5", "10:", "-1", "10:nan", "0", "0:0.5"] {
            assert!(wrong.parse::<Defer>().is_err(), "{wrong}");
        }
    }
}
