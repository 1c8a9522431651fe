//! Options of a simulation besides nodes, jobs and policy.

use crate::{InitialState, ShareWeights};
use dfrsim_model::platform::Outages;
use dfrsim_model::platform::classes::UnequalNodes;
use dfrsim_model::{Clock, Job, JobTexts, Seed, Share, SimSpan, named};
use rand::RngExt as _;
use std::fmt;
use std::sync::Arc;

/// Information about run times that the scheduler has.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum EstimateModel {
    /// The actual run time.
    #[default]
    Exact,
    /// The time that the user requested (SWF field 9). Studies refuse it unless it is known for
    /// all jobs; elsewhere the run time replaces an unknown one.
    Requested,
    /// The time that the user requested; the actual run time if that is unknown.
    RequestedOrExact,
    /// The run time multiplied by a factor of at least 1.
    Factor(f64),
    /// The run time multiplied by a factor drawn uniformly from 1 to this (the *f-model* of Mu'alem
    /// and Feitelson 2001). Each job has a random stream of its own, so its estimate does not depend
    /// on other jobs.
    Random(f64),
    /// No information.
    None,
}

impl EstimateModel {
    /// Computes the estimate of a job, at least one microsecond. `seed` matters to
    /// [`EstimateModel::Random`] only.
    #[must_use]
    pub fn estimate(self, job: &Job, seed: Seed) -> Option<SimSpan> {
        match self {
            EstimateModel::Exact => Some(job.run_time),
            EstimateModel::Requested | EstimateModel::RequestedOrExact => {
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
    "unknown estimate model `{text}`; expected exact, requested, requested-or-exact, none, factor:F or random:F with F between 1 and 1000000",
    |text| {
        let factor = |digits: &str| digits.parse().ok().filter(|factor| (1.0..=1e6).contains(factor));
        match text.split_once(':') {
            None if text == "exact" => Some(EstimateModel::Exact),
            None if text == "requested" => Some(EstimateModel::Requested),
            None if text == "requested-or-exact" => Some(EstimateModel::RequestedOrExact),
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
            EstimateModel::RequestedOrExact => f.write_str("requested-or-exact"),
            EstimateModel::Factor(factor) => write!(f, "factor:{factor}"),
            EstimateModel::Random(most) => write!(f, "random:{most}"),
            EstimateModel::None => f.write_str("none"),
        }
    }
}

named! {
    /// Treatment of a job that would run longer than its estimate.
    #[derive(Default)]
    pub enum Overrun as "rule for overruns" {
        /// The job keeps running; in each scheduling pass, batch policies assume that it ends one
        /// second from now.
        #[default]
        Extend = "extend",
        /// The job is killed at its estimate: its run time is cut to the estimate.
        Kill = "kill",
    }
}

/// Information about CPU needs that the scheduler has.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum NeedModel {
    /// The actual need.
    #[default]
    Exact,
    /// The need multiplied by a positive factor, clamped to between one unit of [`Share`] and a
    /// whole node.
    Factor(f64),
    /// A whole node for every task.
    Whole,
}

impl NeedModel {
    /// Returns the need that the scheduler sees for an actual need.
    #[must_use]
    pub fn known(self, need: Share) -> Share {
        match self {
            NeedModel::Exact => need,
            NeedModel::Factor(factor) => {
                let units = (f64::from(need.units()) * factor).round();
                Share::try_from_units(units as u32).unwrap_or(Share::ONE).max(MIN_NEED)
            }
            NeedModel::Whole => Share::ONE,
        }
    }
}

/// Smallest need that schedulers are given or infer if needs are not exact.
pub(crate) const MIN_NEED: Share = Share::try_from_units(1).expect("a unit is a share");

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

/// Options of one simulation.
///
/// Later versions may have more fields: programs set the fields that they need and take the rest
/// from `..Options::default()`, which is exact in everything and without a penalty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Rescheduling penalty: time without progress after a resumption or a migration (dissertation,
    /// 5.3.1: 300 s, or 0).
    pub penalty: SimSpan,
    /// Information about run times that schedulers have.
    pub estimates: EstimateModel,
    /// Treatment of jobs that exceed their estimate.
    pub overrun: Overrun,
    /// Time for which a job keeps its nodes, at full speed, after its work is done.
    pub epilog: SimSpan,
    /// Seed of random estimates.
    pub seed: Seed,
    /// Information about CPU needs that schedulers have.
    pub needs: NeedModel,
    /// Time that a job must run before its need can be inferred from its use, if needs are not exact
    /// (dissertation, section 7.2.2: 60 s); `None` if the given needs are never corrected.
    pub discovery: Option<SimSpan>,
    /// Coarse clock by which jobs progress and complete; `None` for exact progress, to the
    /// microsecond.
    pub clock: Option<Clock>,
    /// Node outages and their effect on jobs; `None` if every node is always up.
    pub outages: Option<Arc<Outages>>,
    /// Node classes and the jobs' requirements on them; `None` if all nodes are equal. Requires
    /// exact CPU needs and no clock.
    pub unequal: Option<Arc<UnequalNodes>>,
    /// Weights of jobs in the shares of policies that use weights; `None` if all jobs weigh the
    /// same.
    pub weights: Option<Arc<ShareWeights>>,
    /// State from which the simulation begins; `None` for an idle cluster at time zero.
    pub beginning: Option<Arc<InitialState>>,
    /// Texts that describe the jobs in the workload, for policies that read them.
    pub texts: Option<Arc<JobTexts>>,
}

impl Options {
    /// Returns the longest time for which a job may have to wait for nodes that sleep, which estimates
    /// include.
    #[inline]
    pub(crate) fn longest_wake(&self) -> SimSpan {
        self.unequal.as_ref().map_or(SimSpan::ZERO, |unequal| unequal.classes.longest_wake())
    }
    /// Turns drains into failures, for policies whose jobs cannot stay on nodes that take no jobs.
    #[must_use]
    pub fn without_drains(mut self) -> Options {
        if let Some(outages) = self.outages.as_mut().filter(|outages| !outages.drains.is_empty()) {
            *outages = Arc::new(Outages::clone(outages).without_drains());
        }
        self
    }
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
        assert_eq!(known("factor:0.5", 0), MIN_NEED);
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
