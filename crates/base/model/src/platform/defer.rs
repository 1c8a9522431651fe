//! Deferral of jobs to times at which energy has less carbon dioxide.

use super::series::EnergySeries;
use crate::{Job, Seed, SimSpan};
use rand::RngExt as _;
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
    "expected seconds such as 28800, or seconds and a fraction of the jobs such as 28800:0.3, found `{text}`",
    |text| {
        let (slack, part) = text.split_once(':').unwrap_or((text, "1"));
        let part = part.parse::<f64>().ok().filter(|part| *part > 0.0 && *part <= 1.0);
        slack.parse().ok().zip(part).map(|(slack, part)| Defer { slack, part })
    }
);

/// Jobs that were deferred.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deferred {
    /// Number of jobs that may be deferred, of those that are, and of those whose time the series does
    /// not cover.
    may: usize,
    are: usize,
    uncovered: usize,
    total: SimSpan,
}

impl fmt::Display for Deferred {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Deferred { may, are, uncovered, total } = self;
        let hours = total.as_secs_f64() / 3600.0 / (*are).max(1) as f64;
        write!(
            f,
            "deferred {are} of {may} deferrable jobs, by {hours:.2} h in the mean; waits count from then"
        )?;
        if *uncovered > 0 {
            write!(f, " ({uncovered} are outside of the series of intensities)")?;
        }
        Ok(())
    }
}

impl Defer {
    /// Holds deferrable jobs until the time from which the mean carbon intensity during their estimates is
    /// the least, and sorts all jobs by that time. Jobs without an estimate are not deferred.
    pub fn apply(
        self,
        series: &EnergySeries,
        seed: Seed,
        estimate: impl Fn(&Job) -> Option<SimSpan>,
        jobs: impl Iterator<Item = Job>,
    ) -> (Vec<Job>, Deferred) {
        let mut counts = Deferred::default();
        let held = jobs.map(|job| {
            let may = seed.fork("defer").numbered(job.id.0).rng().random_bool(self.part);
            let Some(length) = estimate(&job).filter(|_| may) else { return job };
            counts.may += 1;
            match series.greenest_start(job.submit, self.slack, length) {
                Some(submit) => {
                    counts.are += usize::from(submit > job.submit);
                    counts.total += submit.since(job.submit);
                    Job { submit, ..job }
                }
                None => {
                    counts.uncovered += 1;
                    job
                }
            }
        });
        let mut jobs: Vec<Job> = held.collect();
        jobs.sort_by_key(|job| job.submit);
        (jobs, counts)
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
        let (found, counts) = defer.apply(&series, Seed::new(1), |job| Some(job.run_time), jobs.into_iter());
        let found: Vec<(u64, f64)> = found.iter().map(|job| (job.id.0, job.submit.as_secs_f64())).collect();
        // Job 1 may begin until 12 s, and job 2 until 17 s: both are best then, as they reach the 1 g from
        // 20 s on. The series does not cover job 4.
        assert_eq!(found, [(1, 12.0), (2, 17.0), (3, 20.0), (4, 25.0)]);
        let text = "deferred 3 of 4 deferrable jobs, by 0.00 h in the mean; waits count from then (1 are outside of the series of intensities)";
        assert_eq!(counts.to_string(), text);
        for wrong in ["", "x", "10:0", "10:1.5", "10:", "-1", "10:nan"] {
            assert!(wrong.parse::<Defer>().is_err(), "{wrong}");
        }
    }
}
