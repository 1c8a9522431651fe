//! Fractional policies as data, and their names, which the engine and the audit interpret.

mod extensions;
mod name;

pub use extensions::Extensions;

use crate::{SimSpan, named};

/// Parts of a fractional policy. The policies of the paper have neither a budget nor relabelling nor
/// [`Extensions`].
///
/// The name is
/// `[Greedy|GreedyP|GreedyPM|MCB][*][/per[/BUDGET=GB]|/stretch-per][/RELABEL]/OPT=(MIN|AVG|MAX)[/MFT=seconds|/MVT=seconds]`,
/// followed by the names of the extensions: `[/PERIOD=seconds][/BELOW=percent][/PAY=times][/SPREAD]`
/// `[/RETRY=seconds[/SWAP=factor]][/LAS=seconds][/AHEAD=seconds]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fractional {
    /// Reaction to the arrival of a job.
    pub on_submission: OnSubmission,
    /// `*`: true if waiting and paused jobs are tried when a job completes.
    pub opportunistic: bool,
    /// Reaction to each tick.
    pub periodic: Periodic,
    /// `/BUDGET`: maximum memory that a tick may move by migrations, in GB. Only with
    /// [`Periodic::Mcb`], since the search for a mapping within a budget compares yields, not
    /// stretches.
    pub budget_gb: Option<u32>,
    /// `/RELABEL`: true if the nodes of a new mapping are relabelled to move the least memory.
    pub relabel: bool,
    /// Rule for the CPU that the mapping leaves free.
    pub second_phase: SecondPhase,
    /// Restriction on the running jobs that MCB may move.
    pub remap_limit: RemapLimit,
    /// Extensions beyond the paper.
    pub extensions: Extensions,
}

named! {
    /// Reaction to the arrival of a job.
    #[derive(Default)]
    pub enum OnSubmission as "reaction to arrivals" {
        /// The job waits for the next tick.
        #[default]
        Nothing = "",
        /// The job starts if its memory fits.
        Greedy = "Greedy",
        /// The job starts, and jobs of low priority are paused if necessary.
        GreedyP = "GreedyP",
        /// The job starts, and jobs of low priority are migrated or paused if necessary.
        GreedyPM = "GreedyPM",
        /// All jobs are mapped again.
        Mcb = "MCB",
    }
}

/// Reaction to each tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Periodic {
    /// No ticks.
    #[default]
    Nothing,
    /// `/per`: all jobs are mapped again to maximise the minimum yield.
    Mcb,
    /// `/stretch-per`: all jobs are mapped again to minimise the maximum estimated stretch.
    McbStretch,
}

named! {
    /// Rule for the CPU that the mapping leaves free.
    #[derive(Default)]
    pub enum SecondPhase as "rule for shares" {
        /// `OPT=MIN`: the smallest yields rise together (max-min fairness).
        #[default]
        Min = "MIN",
        /// `OPT=AVG`: maximises the average yield (under `/stretch-per`: the average inverse
        /// stretch).
        Average = "AVG",
        /// `OPT=MAX`, under `/stretch-per` only: the largest estimated stretches fall together.
        Max = "MAX",
    }
}

/// Restriction on the running jobs that MCB may move; it may still drop them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RemapLimit {
    /// No restriction: all jobs may be moved.
    #[default]
    Unlimited,
    /// `MFT`: jobs with less flow time than this may not be moved.
    FlowTime(SimSpan),
    /// `MVT`: jobs with less virtual time than this may not be moved.
    VirtualTime(SimSpan),
}

impl Fractional {
    /// Returns whether the policy ever runs MCB.
    #[must_use]
    pub fn uses_mcb(self) -> bool {
        self.on_submission == OnSubmission::Mcb || self.periodic != Periodic::Nothing
    }

    /// Returns whether the policy can pause jobs. Then it pauses jobs before a maintenance window
    /// begins on their nodes.
    #[must_use]
    pub fn pauses(self) -> bool {
        self.uses_mcb() || matches!(self.on_submission, OnSubmission::GreedyP | OnSubmission::GreedyPM)
    }

    /// Checks that no job can starve by design, and that each part has an effect.
    fn is_valid(self) -> bool {
        let Fractional { on_submission, opportunistic, periodic, second_phase, extensions, .. } = self;
        let is_positive = |span: Option<SimSpan>| span.is_none_or(|span| !span.is_zero());
        let makes_room = matches!(on_submission, OnSubmission::GreedyP | OnSubmission::GreedyPM);
        let Extensions { pay, spread, retry, .. } = extensions;
        let of_arrivals = pay.is_some() || spread || retry.is_some();
        let stretch = periodic == Periodic::McbStretch;
        let is_below = |percent| periodic == Periodic::Mcb && (1..=100).contains(&percent);
        (opportunistic || periodic != Periodic::Nothing)
            && (!opportunistic || on_submission != OnSubmission::Nothing)
            && (!stretch || on_submission == OnSubmission::Nothing)
            && (second_phase == SecondPhase::Average || stretch == (second_phase == SecondPhase::Max))
            && (self.uses_mcb() || self.remap_limit == RemapLimit::Unlimited && !self.relabel)
            && (periodic == Periodic::Mcb || self.budget_gb.is_none())
            && [extensions.period, extensions.retry, extensions.least_attained].into_iter().all(is_positive)
            && (extensions.period.is_none() || periodic != Periodic::Nothing)
            && extensions.below_percent.is_none_or(is_below)
            && (makes_room || !of_arrivals)
            && pay.is_none_or(|most| most > 0)
            && extensions.swap.is_none_or(|factor| factor > 0 && extensions.retry.is_some())
            && (extensions.least_attained.is_none() || second_phase == SecondPhase::Min)
    }

    /// Iterates over the 116 policies of table 5.1, in the order of the dissertation's appendix B.
    pub fn paper_policies() -> impl Iterator<Item = Fractional> {
        use OnSubmission::{Greedy, GreedyP, GreedyPM, Mcb, Nothing};
        let greedy = [Greedy, GreedyP, GreedyPM].into_iter().flat_map(|action| {
            [(action, true, Periodic::Nothing), (action, false, Periodic::Mcb), (action, true, Periodic::Mcb)]
        });
        let others = [
            (Mcb, true, Periodic::Nothing),
            (Mcb, false, Periodic::Mcb),
            (Mcb, true, Periodic::Mcb),
            (Nothing, false, Periodic::Mcb),
            (Nothing, false, Periodic::McbStretch),
        ];
        greedy
            .chain(others)
            .flat_map(|(on_submission, opportunistic, periodic)| {
                let best = if periodic == Periodic::McbStretch { SecondPhase::Max } else { SecondPhase::Min };
                let span = SimSpan::from_secs;
                let limits = [
                    RemapLimit::Unlimited,
                    RemapLimit::FlowTime(span(300)),
                    RemapLimit::FlowTime(span(600)),
                    RemapLimit::VirtualTime(span(300)),
                    RemapLimit::VirtualTime(span(600)),
                ];
                [SecondPhase::Average, best].into_iter().flat_map(move |second_phase| {
                    limits.map(|remap_limit| Fractional {
                        on_submission,
                        opportunistic,
                        periodic,
                        second_phase,
                        remap_limit,
                        ..Fractional::default()
                    })
                })
            })
            .filter(|policy| policy.is_valid())
    }

    /// Returns the recommended policy of this family (`POLICY.md` of the on-line study).
    pub fn recommended() -> Fractional {
        let span = |seconds| Some(SimSpan::from_secs(seconds));
        Fractional {
            on_submission: OnSubmission::GreedyPM,
            opportunistic: true,
            periodic: Periodic::Mcb,
            remap_limit: RemapLimit::VirtualTime(SimSpan::from_secs(2700)),
            extensions: Extensions {
                period: span(10_800),
                below_percent: Some(100),
                pay: Some(15),
                spread: true,
                retry: span(60),
                swap: Some(2),
                least_attained: span(1200),
                age_bonus: span(2700),
            },
            ..Fractional::default()
        }
    }

    /// Iterates over the valid variants of this policy with a budget of 100 GB, relabelling, or
    /// both.
    pub fn low_migration_variants(self) -> impl Iterator<Item = Fractional> {
        let parts = [(Some(100), false), (None, true), (Some(100), true)];
        parts
            .map(|(budget_gb, relabel)| Fractional { budget_gb, relabel, ..self })
            .into_iter()
            .filter(|policy| policy.is_valid())
    }
}
