//! Parts of fractional policies that the paper does not have: for arrivals, ticks, shares and priorities.

use super::{Fractional, OnSubmission, Periodic, RemapLimit, SecondPhase};
use dfrsim_cluster::JobView;
use dfrsim_model::{SimSpan, VirtualTime, Yield};
use std::fmt;

/// The parts that the paper does not have, apart from `/BUDGET` and `/RELABEL`. Only `/ESTIMATES` reads what is known of run times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extensions {
    /// `/PERIOD=seconds`: the time between ticks, which overrides the options of the policy.
    pub period: Option<SimSpan>,
    /// `/BELOW=percent`: a tick maps all jobs again only if a job is on no node or a yield is below this percentage; only with
    /// [`Periodic::Mcb`].
    pub below_percent: Option<u32>,
    /// `/SAFE=seconds`: no job with less virtual time is paused or moved for another one outside of ticks; only with
    /// [`OnSubmission::GreedyP`] and [`OnSubmission::GreedyPM`], as the next three.
    pub safe: Option<SimSpan>,
    /// `/SPREAD`: a job is placed on enough nodes for its tasks to have their full CPU needs beside each other
    /// (one to a node if they need more than half of it), and room is made for that; only if that fails does memory alone count.
    pub spread: bool,
    /// `/RETRY=seconds`: jobs that wait, as they never ran, are tried as if they arrived, after those that do: at every event
    /// and, as long as one waits, this many seconds after the last one.
    pub retry: Option<SimSpan>,
    /// `/SWAP=factor`: so are paused jobs, by decreasing priority, if they displace only jobs whose priority times this factor is
    /// below their own; only with [`Extensions::retry`].
    pub swap: Option<u32>,
    /// `/LAS=seconds`: the yields of `OPT=MIN` rise in proportion to seconds / (virtual time + seconds), in favour of jobs with
    /// the least attained service.
    pub least_attained: Option<SimSpan>,
    /// `/AHEAD=seconds`: the priority of a job is (flow time + seconds) / virtual time, the least stretch that it can have if it
    /// makes no progress for that time. It replaces the rule of the options.
    pub ahead: Option<SimSpan>,
    /// `/ESTIMATES`: priorities, `/MVT`, `/SAFE` and `/LAS` use the estimated run time of a job, where there is one, in place of its
    /// virtual time. With exact estimates this shows what knowing run times would add.
    pub estimates: bool,
}

impl Extensions {
    /// No further parts.
    pub const NONE: Extensions = Extensions {
        period: None,
        below_percent: None,
        safe: None,
        spread: false,
        retry: None,
        swap: None,
        least_attained: None,
        ahead: None,
        estimates: false,
    };

    /// Reads all parts of a name that are left, in their order; `None` if one is none of these.
    pub(super) fn parse<'a>(
        mut parts: std::iter::Peekable<impl Iterator<Item = &'a str>>,
    ) -> Option<Extensions> {
        let mut value =
            |key: &str| parts.next_if(|part| part.starts_with(key)).map(|part| &part[key.len()..]);
        let span = |value: Option<&str>| value.map(str::parse::<SimSpan>).transpose().ok();
        let count = |value: Option<&str>| value.map(str::parse::<u32>).transpose().ok();
        let extensions = Extensions {
            period: span(value("PERIOD="))?,
            below_percent: count(value("BELOW="))?,
            safe: span(value("SAFE="))?,
            spread: value("SPREAD").is_some(),
            retry: span(value("RETRY="))?,
            swap: count(value("SWAP="))?,
            least_attained: span(value("LAS="))?,
            ahead: span(value("AHEAD="))?,
            estimates: value("ESTIMATES").is_some(),
        };
        parts.next().is_none().then_some(extensions)
    }

    /// Whether each part has something to act on beside the other parts of the policy.
    pub(super) fn make_sense_in(&self, policy: &Fractional) -> bool {
        let is_positive = |span: Option<SimSpan>| span.is_none_or(|span| !span.is_zero());
        let makes_room = matches!(policy.on_submission, OnSubmission::GreedyP | OnSubmission::GreedyPM);
        let of_arrivals = self.safe.is_some() || self.spread || self.retry.is_some();
        is_positive(self.period)
            && is_positive(self.safe)
            && is_positive(self.retry)
            && is_positive(self.least_attained)
            && (self.period.is_none() || policy.periodic != Periodic::Nothing)
            && self
                .below_percent
                .is_none_or(|percent| policy.periodic == Periodic::Mcb && (1..=100).contains(&percent))
            && (!of_arrivals || makes_room)
            && self.swap.is_none_or(|factor| factor > 0 && self.retry.is_some())
            && (self.least_attained.is_none() || policy.second_phase == SecondPhase::Min)
    }

    /// What the parts do, a few words each.
    pub(super) fn descriptions(&self) -> impl Iterator<Item = String> {
        let parts = [
            self.period.map(|span| format!("a tick every {span} s")),
            self.below_percent
                .map(|percent| format!("ticks only if a job has no node or a yield below {percent} %")),
            self.safe.map(|span| format!("no job gives way before {span} s of virtual time")),
            self.spread.then(|| "tasks of an arrival spread to full speed".to_owned()),
            self.retry.map(|span| format!("jobs that wait are tried again, every {span} s at least")),
            self.swap.map(|factor| {
                format!("paused ones displace jobs with less than 1/{factor} of their priority")
            }),
            self.least_attained.map(|span| format!("shares by {span} s / (virtual time + {span} s)")),
            self.ahead.map(|span| format!("priority (flow time + {span} s) / virtual time")),
            self.estimates.then(|| "estimated run times in place of virtual times".to_owned()),
        ];
        parts.into_iter().flatten()
    }

    /// How long a job is for priorities and limits: its virtual time, or under `/ESTIMATES` its estimated run time.
    pub(super) fn length(&self, job: JobView<'_>) -> VirtualTime {
        let estimate = job.estimate().filter(|_| self.estimates);
        estimate.map_or_else(|| job.virtual_time(), VirtualTime::of)
    }

    /// The weight of a job with this virtual time under `/LAS`, in units of 2^-31: seconds / (virtual time + seconds), rounded
    /// down, where the virtual time counts in whole microseconds; at least a unit. `None` without it.
    pub(super) fn weight(&self, virtual_time: VirtualTime) -> Option<u32> {
        let offset = u128::from(self.least_attained?.micros());
        let done = virtual_time.units() >> Yield::BITS;
        Some(u32::try_from((offset << 31) / (done + offset)).expect("at most 2^31").max(1))
    }
}

impl Fractional {
    /// The member of this family with the best results in development (`POLICY.md` of the on-line study).
    #[must_use]
    pub fn recommended() -> Fractional {
        let span = |seconds| Some(SimSpan::from_secs(seconds));
        Fractional {
            on_submission: OnSubmission::GreedyPM,
            opportunistic: true,
            periodic: Periodic::Mcb,
            budget_gb: None,
            relabel: false,
            second_phase: SecondPhase::Min,
            remap_limit: RemapLimit::VirtualTime(SimSpan::from_secs(2700)),
            extensions: Extensions {
                period: span(2700),
                below_percent: Some(30),
                safe: span(60),
                spread: true,
                retry: span(60),
                swap: Some(2),
                least_attained: span(300),
                ahead: span(2700),
                estimates: false,
            },
        }
    }
}

impl fmt::Display for Extensions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Extensions {
            period,
            below_percent,
            safe,
            spread,
            retry,
            swap,
            least_attained,
            ahead,
            estimates,
        } = self;
        let spans = |key, span: Option<SimSpan>| span.map(|span| format!("/{key}={span}"));
        let counts = |key, count: Option<u32>| count.map(|count| format!("/{key}={count}"));
        let parts = [
            spans("PERIOD", period),
            counts("BELOW", below_percent),
            spans("SAFE", safe),
            spread.then(|| "/SPREAD".to_owned()),
            spans("RETRY", retry),
            counts("SWAP", swap),
            spans("LAS", least_attained),
            spans("AHEAD", ahead),
            estimates.then(|| "/ESTIMATES".to_owned()),
        ];
        parts.into_iter().flatten().try_for_each(|part| f.write_str(&part))
    }
}
