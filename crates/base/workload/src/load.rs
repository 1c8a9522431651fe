//! The offered load of a workload, and scaling to a target load.

use crate::cut::HasSubmitTime;
use crate::log::MAX_SECONDS;
use dfrsim_model::{Job, SimSpan, SimTime};

/// Errors in computing the load of a workload or scaling it to a target.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// All jobs are submitted at one time, or there are none, so work per time is undefined.
    #[error("the load is undefined: all {jobs} jobs are submitted at one time")]
    NoSpan {
        /// Number of jobs.
        jobs: usize,
    },
    /// The jobs have no work, or the machine has no nodes.
    #[error("the load is undefined: the jobs have no work, or the machine has no nodes")]
    NoWork,
    /// The target load is not a positive number.
    #[error("expected a positive target load, found {0}")]
    BadTarget(f64),
    /// The load is not representable with submit times in whole microseconds up to second
    /// 16,000,000,000.
    #[error(
        "cannot scale to load {target}: with submit times in microseconds up to second 16,000,000,000, these jobs allow loads \
         from about {least:.2e} to {most:.2e}; a load is a part of the machine, 0.7 for 70 %"
    )]
    OutOfReach {
        /// Target load.
        target: f64,
        /// Approximate lowest load that can be reached.
        least: f64,
        /// Approximate highest load that can be reached.
        most: f64,
    },
}

/// Latest submit time that log readers accept, in seconds.
const MAX_SUBMIT_SECONDS: f64 = MAX_SECONDS as f64;

/// Largest relative error of the load that rounding to microseconds may cause.
const MAX_RELATIVE_ERROR: f64 = 1e-6;

/// Work and submission span of a workload, accumulated job by job.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OfferedWork {
    jobs: usize,
    /// First and last submit time.
    span: Option<(SimTime, SimTime)>,
    /// Total work in node-seconds.
    work: f64,
}

impl OfferedWork {
    /// Adds up the given jobs.
    pub fn of_jobs<'a>(jobs: impl IntoIterator<Item = &'a Job>) -> OfferedWork {
        let mut offered = OfferedWork::default();
        jobs.into_iter().for_each(|job| offered.add(job));
        offered
    }
    /// Adds the work and the submit time of a job.
    pub fn add(&mut self, job: &Job) {
        self.jobs += 1;
        let (first, last) = self.span.unwrap_or((job.submit, job.submit));
        self.span = Some((first.min(job.submit), last.max(job.submit)));
        self.work += job.work();
    }
    /// Returns the first and the last submit time; `None` without jobs.
    pub const fn span(&self) -> Option<(SimTime, SimTime)> {
        self.span
    }

    /// Returns the offered load: sum(tasks * CPU need * run time) / (nodes * time between first and
    /// last submission). At 1 the jobs need exactly the capacity of the machine.
    ///
    /// # Errors
    ///
    /// [`LoadError::NoSpan`]; [`LoadError::NoWork`] if there are no nodes.
    pub fn load(&self, nodes: u32) -> Result<f64, LoadError> {
        let span = self.span.map_or(SimSpan::ZERO, |(first, last)| last.since(first));
        if span.is_zero() {
            return Err(LoadError::NoSpan { jobs: self.jobs });
        }
        if nodes == 0 {
            return Err(LoadError::NoWork);
        }
        Ok(self.work / (f64::from(nodes) * span.as_secs_f64()))
    }

    /// Computes the factor for inter-arrival times that changes the offered load to `target`, within
    /// a relative error of 10⁻⁶, since times are rounded to microseconds.
    ///
    /// # Errors
    ///
    /// All of [`LoadError`].
    pub fn stretch_to(&self, nodes: u32, target: f64) -> Result<Stretch, LoadError> {
        if !(target > 0.0 && target.is_finite()) {
            return Err(LoadError::BadTarget(target));
        }
        let load = self.load(nodes)?;
        if load <= 0.0 {
            return Err(LoadError::NoWork);
        }
        let factor = load / target;
        let (first, last) = self.span.unwrap_or_default();
        let (begin, before) = (first.as_secs_f64(), last.since(first).as_secs_f64());
        // Infinite for a target so small that the factor overflows.
        let seconds = before * factor;
        let rounded = SimSpan::try_from_secs_f64(seconds).map(SimSpan::as_secs_f64);
        let is_precise =
            rounded.is_some_and(|rounded| (rounded - seconds).abs() <= MAX_RELATIVE_ERROR / 2.0 * seconds);
        if !is_precise || begin + seconds > MAX_SUBMIT_SECONDS {
            // Rounding to microseconds is precise enough for spans of at least one second.
            let (least, most) = (load * before / (MAX_SUBMIT_SECONDS - begin).max(1.0), load * before);
            return Err(LoadError::OutOfReach { target, least, most });
        }
        Ok(Stretch { first, factor })
    }
}

/// Multiplication of inter-arrival times by a constant factor, rounded to microseconds. The first
/// submission does not move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    first: SimTime,
    factor: f64,
}

impl Stretch {
    /// Returns the factor.
    pub const fn factor(&self) -> f64 {
        self.factor
    }
    /// Returns the scaled submit time. `submit` must not be before the first submission.
    pub fn submit(&self, submit: SimTime) -> SimTime {
        self.first.saturating_add(submit.since(self.first).scaled(self.factor))
    }
}

/// Computes the offered load of the jobs: see [`OfferedWork::load`].
///
/// # Errors
///
/// [`LoadError::NoSpan`]; [`LoadError::NoWork`] if there are no nodes.
pub fn offered_load(jobs: &[Job], nodes: u32) -> Result<f64, LoadError> {
    OfferedWork::of_jobs(jobs).load(nodes)
}

/// Scales the inter-arrival times so that the offered load becomes `target`, and returns the factor:
/// see [`OfferedWork::stretch_to`]. The first submission does not move.
///
/// # Errors
///
/// All of [`LoadError`]; the jobs are then unchanged.
pub fn scale_to_load(jobs: &mut [Job], nodes: u32, target: f64) -> Result<f64, LoadError> {
    let stretch = OfferedWork::of_jobs(&*jobs).stretch_to(nodes, target)?;
    jobs.iter_mut().for_each(|job| job.submit = stretch.submit(job.submit));
    Ok(stretch.factor)
}

/// Multiplies all inter-arrival times by `factor`, rounded to microseconds. The first submission
/// does not move.
pub fn stretch_arrivals<T: HasSubmitTime>(items: &mut [T], factor: f64) {
    if let Some(first) = items.iter_mut().map(|item| *item.submit_mut()).min() {
        let stretch = Stretch { first, factor };
        items.iter_mut().map(HasSubmitTime::submit_mut).for_each(|submit| *submit = stretch.submit(*submit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_model::{JobId, Share};
    use proptest::prelude::*;

    fn job(id: u64, submit: SimTime, tasks: u32, need: Share, seconds: u64) -> Job {
        let run_time = SimSpan::from_secs(seconds);
        Job { id: JobId(id), submit, tasks, cpu_need: need, run_time, ..Job::default() }
    }

    /// 4 tasks * 1.0 * 50 s + 2 * 0.5 * 100 s = 300 node-seconds on 2 nodes over 300 s: load 1/2.
    /// For load 1/4 the inter-arrival times must double.
    fn example() -> Vec<Job> {
        vec![
            job(1, SimTime::from_secs(100), 4, Share::ONE, 50),
            job(2, SimTime::from_secs(400), 2, Share::from_ratio(1, 2), 100),
        ]
    }

    #[test]
    fn load_is_work_by_node_time() {
        let mut jobs = example();
        assert_eq!(offered_load(&jobs, 2), Ok(0.5));
        assert_eq!(scale_to_load(&mut jobs, 2, 0.25), Ok(2.0));
        assert_eq!(jobs[0].submit, SimTime::from_secs(100));
        assert_eq!(jobs[1].submit, SimTime::from_secs(700));
    }

    #[test]
    fn what_cannot_be_scaled_is_refused_and_left_alone() {
        let mut jobs = example();
        assert_eq!(scale_to_load(&mut jobs, 2, 0.0), Err(LoadError::BadTarget(0.0)));
        assert!(matches!(scale_to_load(&mut jobs, 2, f64::NAN), Err(LoadError::BadTarget(_))));
        assert_eq!(scale_to_load(&mut jobs, 0, 0.5), Err(LoadError::NoWork));
        assert!(matches!(scale_to_load(&mut jobs, 2, 1e-12), Err(LoadError::OutOfReach { .. })));
        assert!(matches!(scale_to_load(&mut jobs, 2, 1e9), Err(LoadError::OutOfReach { .. })));
        for tiny in [1e-300, 1e-310, f64::MIN_POSITIVE, 5e-324] {
            let message = scale_to_load(&mut jobs, 2, tiny).unwrap_err().to_string();
            assert!(message.contains("loads from about 9.38e-9 to 1.50e2; "), "{message}");
        }
        assert!(scale_to_load(&mut jobs.clone(), 2, 9.4e-9).is_ok());
        assert_eq!(jobs, example());
        assert_eq!(scale_to_load(&mut jobs[..1], 2, 0.5), Err(LoadError::NoSpan { jobs: 1 }));
        assert_eq!(offered_load(&[], 2), Err(LoadError::NoSpan { jobs: 0 }));
        jobs.iter_mut().for_each(|job| job.run_time = SimSpan::ZERO);
        assert_eq!(scale_to_load(&mut jobs, 2, 0.5), Err(LoadError::NoWork));
    }

    proptest! {
        #[test]
        fn scaled_jobs_have_the_load_and_their_order(
            draws in prop::collection::vec((0_u64..1_000_000, 1_u32..100, 1_u32..=4, 1_u64..100_000), 2..50),
            target in 0.05_f64..2.0,
        ) {
            let mut jobs: Vec<Job> = (0..).zip(draws).map(|(id, (submit, tasks, quarters, seconds))| {
                job(id, SimTime::from_secs(submit), tasks, Share::from_ratio(quarters.into(), 4), seconds)
            }).collect();
            jobs.sort_by_key(|job| job.submit);
            prop_assume!(jobs[jobs.len() - 1].submit.since(jobs[0].submit) > SimSpan::from_secs(1000));
            match scale_to_load(&mut jobs, 128, target) {
                Ok(_) => {
                    let reached = offered_load(&jobs, 128).unwrap();
                    prop_assert!((reached / target - 1.0).abs() < MAX_RELATIVE_ERROR, "{reached} for {target}");
                    prop_assert!(jobs.is_sorted_by_key(|job| job.submit));
                }
                Err(error) => {
                    let short = matches!(error, LoadError::OutOfReach { most, .. } if most < target);
                    prop_assert!(short, "{error}");
                }
            }
        }
    }
}
