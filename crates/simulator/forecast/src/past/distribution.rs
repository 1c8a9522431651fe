//! Distributions of run times as fractions of the requested time.

use dfrsim_model::SimSpan;
use std::sync::Arc;

/// Run time of one job, as a fraction of the requested time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) ratio: f64,
    /// Hour of the submission.
    pub(super) hour: u64,
    /// True if the job still runs, so that its ratio is only known to be larger
    /// (right-censored).
    pub(super) is_censored: bool,
}

/// Run times of a group of jobs.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Ratios in ascending order with their probabilities, whose sum is at most 1.
    points: Vec<(f64, f64)>,
    /// Number of independent jobs.
    count: usize,
    /// Number of jobs that have ended.
    pub(super) ended: usize,
}

impl Group {
    /// Estimates the distribution by the method of Kaplan and Meier. The probability beyond the
    /// largest known ratio is not assigned.
    pub(super) fn new(mut samples: Vec<Sample>, count: usize, ended: usize) -> Group {
        // A job that still runs at the ratio at which another ended may run for longer.
        samples.sort_by(|a, b| a.ratio.total_cmp(&b.ratio).then(a.is_censored.cmp(&b.is_censored)));
        let (mut survival, all) = (1.0, samples.len());
        let mut points = Vec::<(f64, f64)>::new();
        for (before, sample) in samples.iter().enumerate().filter(|(_, sample)| !sample.is_censored) {
            let probability = survival / (all - before) as f64;
            survival -= probability;
            match points.last_mut() {
                Some((ratio, sum)) if *ratio == sample.ratio => *sum += probability,
                _ => points.push((sample.ratio, probability)),
            }
        }
        Group { points, count, ended }
    }
}

/// Distribution of the run time of a job.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// Ratios in ascending order, each with the probability of a ratio up to it. The last is 1.
    points: Arc<[(f64, f64)]>,
    /// Probability of the ratios that are excluded because the job has already run for longer.
    excluded: f64,
    /// Ratio that has elapsed, and the time to which all ratios are relative.
    elapsed: f64,
    reference: SimSpan,
}

impl Distribution {
    /// Mixes groups from specific to general, given with the weights of the more general ones:
    /// each gets the fraction `n / (n + weight)` of the remaining weight, and the last gets the
    /// rest. Without any job, all ratios up to 1 are equally likely.
    pub(super) fn mixed<'a>(groups: impl Iterator<Item = (&'a Group, f64)>) -> Distribution {
        let (mut left, mut points) = (1.0, Vec::<(f64, f64)>::new());
        let mut groups = groups.peekable();
        while let Some((group, wider)) = groups.next() {
            let count = group.count as f64;
            let weight = if groups.peek().is_none() { left } else { left * count / (count + wider) };
            for &(ratio, probability) in &group.points {
                points.push((ratio, weight * probability));
                left -= weight * probability;
            }
        }
        if points.is_empty() {
            points = (1..=EVEN).map(|at| (f64::from(at) / f64::from(EVEN), 1.0 / f64::from(EVEN))).collect();
        } else {
            // What no group knows is that the job runs for as long as requested.
            points.push((1.0, left.max(0.0)));
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut sum = 0.0;
        for (_, probability) in &mut points {
            sum += *probability;
            *probability = sum;
        }
        points.iter_mut().for_each(|(_, until)| *until /= sum);
        Distribution { points: points.into(), excluded: 0.0, elapsed: 0.0, reference: SimSpan::ZERO }
    }

    /// Returns the conditional distribution for a job that has run for this fraction of the
    /// reference time.
    pub(super) fn given(&self, elapsed: f64) -> Distribution {
        let over = self.points.partition_point(|(ratio, _)| *ratio <= elapsed);
        let excluded = if over == 0 { 0.0 } else { self.points[over - 1].1 };
        Distribution { points: Arc::clone(&self.points), excluded, elapsed, ..*self }
    }

    /// Returns the distribution with the time to which its ratios are relative.
    pub(super) fn scaled(self, reference: SimSpan) -> Distribution {
        Distribution { reference, ..self }
    }

    /// Returns the quantile of the run time at this probability, from 0 to 1; always longer
    /// than the elapsed time.
    #[must_use]
    pub fn quantile(&self, probability: f64) -> SimSpan {
        let left = 1.0 - self.excluded;
        let ratio = if left > NONE_LEFT {
            let at = self.excluded + probability * left;
            let place = self.points.partition_point(|(_, until)| *until < at);
            self.points[place.min(self.points.len() - 1)].0
        } else {
            // Nothing of the past is so long. The job may end at any time up to its request, or,
            // beyond it, up to twice the time that has elapsed.
            let most = if self.elapsed < 1.0 { 1.0 } else { 2.0 * self.elapsed };
            self.elapsed + probability * (most - self.elapsed)
        };
        let elapsed = self.reference.scaled(self.elapsed);
        self.reference.scaled(ratio).max(elapsed.saturating_add(LEAST))
    }
}

/// Number of equally likely ratios if no past job is known.
const EVEN: u32 = 20;

/// Remaining probability below which a distribution is treated as exhausted.
const NONE_LEFT: f64 = 1e-9;

/// Shortest remaining run time of a running job.
const LEAST: SimSpan = SimSpan::from_secs(1);

#[cfg(test)]
mod tests {
    use super::*;

    fn group(ratios: &[(f64, bool)], count: usize) -> Group {
        let sample = |&(ratio, is_censored): &(f64, bool)| Sample { ratio, hour: 0, is_censored };
        let ended = ratios.iter().filter(|(_, is_censored)| !is_censored).count();
        Group::new(ratios.iter().map(sample).collect(), count, ended)
    }

    /// One of four jobs still runs at 0.3. Its quarter is divided among the jobs that ran for longer.
    #[test]
    fn jobs_that_run_count_as_longer() {
        let group = group(&[(0.2, false), (0.3, true), (0.4, false), (0.8, false)], 4);
        assert_eq!(group.points, [(0.2, 0.25), (0.4, 0.375), (0.8, 0.375)]);
    }

    #[test]
    fn a_running_job_has_the_part_beyond_its_elapsed_time() {
        let all = group(&[(0.1, false), (0.2, false), (0.3, false), (0.4, false)], 4);
        let hundred = SimSpan::from_secs(100);
        let fresh = Distribution::mixed([(&all, 3.0)].into_iter()).given(0.0).scaled(hundred);
        let [low, middle, high] = [0.1, 0.5, 0.9].map(|level| fresh.quantile(level));
        assert_eq!([low, middle, high], [10, 20, 40].map(SimSpan::from_secs));
        let running = fresh.given(0.25).scaled(hundred);
        assert_eq!([0.1, 0.9].map(|level| running.quantile(level)), [30, 40].map(SimSpan::from_secs));
        // Nothing of the past is longer: any time up to the request.
        let long = fresh.given(0.6).scaled(hundred);
        assert_eq!([0.0, 0.5].map(|level| long.quantile(level)), [61, 80].map(SimSpan::from_secs));
    }

    /// One job of the user has a quarter of the weight: 1 / (1 + 3).
    #[test]
    fn narrow_groups_count_by_their_size() {
        let (user, all) = (group(&[(0.1, false)], 1), group(&[(0.9, false); 10], 10));
        let mixed = Distribution::mixed([(&user, 3.0), (&all, 3.0)].into_iter()).given(0.0);
        let mixed = mixed.scaled(SimSpan::from_secs(10));
        assert_eq!([0.24, 0.26].map(|level| mixed.quantile(level)), [1, 9].map(SimSpan::from_secs));
    }
}
