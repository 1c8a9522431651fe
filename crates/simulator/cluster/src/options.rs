//! What a simulation may vary besides nodes, jobs and policy.

use crate::ShareWeights;
use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::UnequalNodes;
use dfrsim_model::{Clock, Job, JobTexts, Seed, Share, SimSpan, named};
use rand::RngExt as _;
use std::fmt;
use std::sync::Arc;

/// What the scheduler knows of a job's run time.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum EstimateModel {
    /// The run time itself.
    #[default]
    Exact,
    /// The time that the user requested (field 9 of SWF); the run time where that is unknown.
    Requested,
    /// The run time times a factor of at least 1.
    Factor(f64),
    /// The run time times a factor drawn for each job uniformly from 1 to this (the *f-model* of Mu'alem and
    /// Feitelson 2001), from a stream of the job's own, so that no job's estimate depends on another job.
    Random(f64),
    /// The run time is unknown.
    None,
}

impl EstimateModel {
    /// The estimate of one job, at least one microsecond; `seed` matters to [`EstimateModel::Random`] only.
    #[must_use]
    pub fn estimate(self, job: &Job, seed: Seed) -> Option<SimSpan> {
        match self {
            EstimateModel::Exact => Some(job.run_time),
            EstimateModel::Requested => {
                Some(job.requested_time.filter(|span| !span.is_zero()).unwrap_or(job.run_time))
            }
            EstimateModel::Factor(factor) => Some(job.run_time.scaled(factor)),
            EstimateModel::Random(most) => {
                let mut rng = seed.fork("estimate").numbered(job.id.0).rng();
                Some(job.run_time.scaled(rng.random_range(1.0..=most)))
            }
            EstimateModel::None => None,
        }
    }
}

dfrsim_model::parses!(
    EstimateModel,
    "unknown estimate model `{text}`; expected exact, requested, none, factor:F or random:F with F between 1 and 1000000",
    |text| {
        let factor = |digits: &str| digits.parse().ok().filter(|factor| (1.0..=1e6).contains(factor));
        match text.split_once(':') {
            None if text == "exact" => Some(EstimateModel::Exact),
            None if text == "requested" => Some(EstimateModel::Requested),
            None if text == "none" => Some(EstimateModel::None),
            Some(("factor", digits)) => factor(digits).map(EstimateModel::Factor),
            Some(("random", digits)) => factor(digits).map(EstimateModel::Random),
            _ => None,
        }
    }
);

impl fmt::Display for EstimateModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EstimateModel::Exact => f.write_str("exact"),
            EstimateModel::Requested => f.write_str("requested"),
            EstimateModel::Factor(factor) => write!(f, "factor:{factor}"),
            EstimateModel::Random(most) => write!(f, "random:{most}"),
            EstimateModel::None => f.write_str("none"),
        }
    }
}

named! {
    /// What happens to a job that would run longer than its estimate.
    #[derive(Default)]
    pub enum Overrun as "rule for overruns" {
        /// It goes on; batch policies count it as ending one second from now, in each pass.
        #[default]
        Extend = "extend",
        /// It is killed at its estimate: its run time is cut to that.
        Kill = "kill",
    }
}

/// What the scheduler knows of a job's CPU need.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum NeedModel {
    /// The need itself.
    #[default]
    Exact,
    /// The need times a factor above 0, at most a whole node and at least a unit of [`Share`].
    Factor(f64),
    /// A whole node for every task.
    Whole,
}

impl NeedModel {
    /// The need that the scheduler gets for an actual need.
    #[must_use]
    pub fn known(self, need: Share) -> Share {
        match self {
            NeedModel::Exact => need,
            NeedModel::Factor(factor) => {
                let units = (f64::from(need.units()) * factor).round();
                Share::try_from_units(units as u32).unwrap_or(Share::ONE).max(LEAST_NEED)
            }
            NeedModel::Whole => Share::ONE,
        }
    }
}

/// The smallest need that is given to schedulers or inferred by them where needs are not exact.
pub(crate) const LEAST_NEED: Share = Share::try_from_units(1).expect("a unit is a share");

dfrsim_model::parses!(
    NeedModel,
    "unknown CPU need model `{text}`; expected exact, whole or factor:F with F from 0.001 to 1000",
    |text| match text.split_once(':') {
        None if text == "exact" => Some(NeedModel::Exact),
        None if text == "whole" => Some(NeedModel::Whole),
        Some(("factor", digits)) => {
            let factor = digits.parse().ok().filter(|factor| (0.001..=1000.0).contains(factor));
            factor.map(NeedModel::Factor)
        }
        _ => None,
    }
);

impl fmt::Display for NeedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NeedModel::Exact => f.write_str("exact"),
            NeedModel::Factor(factor) => write!(f, "factor:{factor}"),
            NeedModel::Whole => f.write_str("whole"),
        }
    }
}

/// The options of one simulation.
///
/// Later versions may have more fields: programs write those that they mean and `..Options::default()`, which is exact in everything and
/// without a penalty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// How long a resumed or migrated job makes no progress (dissertation, 5.3.1: 300 s, or 0).
    pub penalty: SimSpan,
    /// What schedulers know of run times.
    pub estimates: EstimateModel,
    /// What happens to jobs that outlast their estimate.
    pub overrun: Overrun,
    /// How long a job keeps its nodes once its work is done, at full speed.
    pub epilog: SimSpan,
    /// The seed of random estimates.
    pub seed: Seed,
    /// What schedulers know of CPU needs.
    pub needs: NeedModel,
    /// How long a job must run before its need can be inferred from its use, where needs are not exact (dissertation,
    /// section 7.2.2: 60 s); `None` if the given needs are never corrected.
    pub discovery: Option<SimSpan>,
    /// A coarse clock by which jobs progress and complete; exact to the microsecond without one.
    pub clock: Option<Clock>,
    /// When nodes are down, and what that does to jobs; `None` if they never are.
    pub outages: Option<Arc<Outages>>,
    /// The classes of nodes, and what jobs ask of them; `None` if all nodes are equal. It needs exact CPU needs, and no clock.
    pub unequal: Option<Arc<UnequalNodes>>,
    /// How much jobs count in the shares of policies that know weights; `None` if all jobs count the same.
    pub weights: Option<Arc<ShareWeights>>,
    /// What the workload says of jobs in texts, for policies that read them.
    pub texts: Option<Arc<JobTexts>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn need_models_print_as_they_parse_and_give_shares() {
        let known = |text: &str, tenths| {
            let model: NeedModel = text.parse().unwrap();
            assert_eq!(model.to_string(), text);
            model.known(Share::from_ratio(tenths, 10))
        };
        assert_eq!(known("exact", 3), Share::from_ratio(3, 10));
        assert_eq!(known("factor:2", 3), Share::from_ratio(6, 10));
        assert_eq!(known("factor:2", 6), Share::ONE);
        assert_eq!(known("factor:0.5", 6), Share::from_ratio(3, 10));
        assert_eq!(known("factor:0.5", 0), LEAST_NEED);
        assert_eq!(known("whole", 1), Share::ONE);
        for text in ["", "Whole", "factor", "factor:0", "factor:nan", "factor:-1", "whole:1"] {
            assert!(text.parse::<NeedModel>().is_err(), "{text}");
        }
    }

    #[test]
    fn estimate_models_print_as_they_parse() {
        for text in ["exact", "requested", "none", "factor:2.5", "random:10"] {
            assert_eq!(text.parse::<EstimateModel>().unwrap().to_string(), text);
        }
        for text in ["", "Exact", "factor", "factor:0.5", "factor:nan", "random:x", "exact:1"] {
            assert!(text.parse::<EstimateModel>().is_err(), "{text}");
        }
    }
}
