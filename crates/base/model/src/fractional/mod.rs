//! Fractional policies as data, and their names: what the engine runs and the audit judges by a name.

mod extensions;
mod name;

pub use extensions::Extensions;

use crate::{SimSpan, named};

/// A fractional policy as its parts; those of the paper have neither a budget nor new labels nor [`Extensions`].
///
/// Its name is `[Greedy|GreedyP|GreedyPM|MCB][*][/per[/BUDGET=GB]|/stretch-per][/RELABEL]/OPT=(MIN|AVG|MAX)[/MFT=seconds|/MVT=seconds]`,
/// followed by those of its extensions: `[/PERIOD=seconds][/BELOW=percent][/PAY=times][/SPREAD]`
/// `[/RETRY=seconds[/SWAP=factor]][/LAS=seconds][/AHEAD=seconds]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fractional {
    /// What happens when a job arrives.
    pub on_submission: OnSubmission,
    /// `*`: whether waiting and paused jobs are tried when a job completes.
    pub opportunistic: bool,
    /// What happens at each tick.
    pub periodic: Periodic,
    /// `/BUDGET`: how much memory a tick may move by migrations, in GB; only with [`Periodic::Mcb`], since what keeps a budget
    /// is looked for by yields, not by stretches.
    pub budget_gb: Option<u32>,
    /// `/RELABEL`: whether nodes of a new mapping get the names with which the least memory moves.
    pub relabel: bool,
    /// The rule for CPU that the mapping leaves.
    pub second_phase: SecondPhase,
    /// Which running jobs MCB may not move.
    pub remap_limit: RemapLimit,
    /// Further parts that the paper does not have.
    pub extensions: Extensions,
}

named! {
    /// What happens when a job arrives.
    #[derive(Default)]
    pub enum OnSubmission as "reaction to arrivals" {
        /// It waits for the tick.
        #[default]
        Nothing = "",
        /// It starts if its memory fits.
        Greedy = "Greedy",
        /// It starts, and jobs of low priority are paused for it.
        GreedyP = "GreedyP",
        /// It starts, and jobs of low priority are moved or paused for it.
        GreedyPM = "GreedyPM",
        /// All jobs are mapped again.
        Mcb = "MCB",
    }
}

/// What happens at each tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Periodic {
    /// There are no ticks.
    #[default]
    Nothing,
    /// `/per`: all jobs are mapped again for the largest minimum yield.
    Mcb,
    /// `/stretch-per`: all jobs are mapped again for the smallest largest estimated stretch.
    McbStretch,
}

named! {
    /// The rule for CPU that the mapping leaves.
    #[derive(Default)]
    pub enum SecondPhase as "rule for shares" {
        /// `OPT=MIN`: the smallest yields rise together (max-min).
        #[default]
        Min = "MIN",
        /// `OPT=AVG`: the average yield (under `/stretch-per`: the average inverse stretch) is maximised.
        Average = "AVG",
        /// `OPT=MAX`, under `/stretch-per` only: the largest estimated stretches fall together.
        Max = "MAX",
    }
}

/// Which running jobs MCB may drop but not move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RemapLimit {
    /// None: all may be moved.
    #[default]
    Unlimited,
    /// `MFT`: those with less flow time than this.
    FlowTime(SimSpan),
    /// `MVT`: those with less virtual time than this.
    VirtualTime(SimSpan),
}

impl Fractional {
    /// Whether MCB is ever called.
    #[must_use]
    pub fn uses_mcb(self) -> bool {
        self.on_submission == OnSubmission::Mcb || self.periodic != Periodic::Nothing
    }

    /// Whether it ever pauses a job: then jobs leave nodes before a window begins.
    #[must_use]
    pub fn pauses(self) -> bool {
        self.uses_mcb() || matches!(self.on_submission, OnSubmission::GreedyP | OnSubmission::GreedyPM)
    }

    /// Whether no job can wait for ever by design, and each part has something to act on.
    fn makes_sense(self) -> bool {
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

    /// The 116 policies of table 5.1, in the order of the dissertation's appendix B.
    pub fn of_the_paper() -> impl Iterator<Item = Fractional> {
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
            .filter(|policy| policy.makes_sense())
    }

    /// The member of this family that is recommended (`POLICY.md` of the on-line study).
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
                ahead: span(2700),
            },
            ..Fractional::default()
        }
    }

    /// This policy with the parts that the paper does not have, an example of a budget for all, where they make sense.
    pub fn moving_less(self) -> impl Iterator<Item = Fractional> {
        let parts = [(Some(100), false), (None, true), (Some(100), true)];
        parts
            .map(|(budget_gb, relabel)| Fractional { budget_gb, relabel, ..self })
            .into_iter()
            .filter(|policy| policy.makes_sense())
    }
}
