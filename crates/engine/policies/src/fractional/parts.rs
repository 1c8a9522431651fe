//! The orthogonal parts of a fractional policy, and its name (dissertation, section 5.2.4 and table 5.1).

use super::Extensions;
use dfrsim_model::SimSpan;
use std::fmt;

/// A fractional policy as its parts; those of the paper have neither a budget nor new labels nor [`Extensions`].
///
/// Its name is `[Greedy|GreedyP|GreedyPM|MCB][*][/per[/BUDGET=GB]|/stretch-per][/RELABEL]/OPT=(MIN|AVG|MAX)[/MFT=seconds|/MVT=seconds]`,
/// followed by those of its extensions: `[/PERIOD=seconds][/BELOW=percent][/SAFE=seconds][/SPREAD][/RETRY=seconds[/SWAP=factor]]`
/// `[/LAS=seconds][/AHEAD=seconds][/ESTIMATES]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// What happens when a job arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnSubmission {
    /// It waits for the tick.
    Nothing,
    /// It starts if its memory fits.
    Greedy,
    /// It starts, and jobs of low priority are paused for it.
    GreedyP,
    /// It starts, and jobs of low priority are moved or paused for it.
    GreedyPM,
    /// All jobs are mapped again.
    Mcb,
}

/// What happens at each tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Periodic {
    /// There are no ticks.
    Nothing,
    /// `/per`: all jobs are mapped again for the largest minimum yield.
    Mcb,
    /// `/stretch-per`: all jobs are mapped again for the smallest largest estimated stretch.
    McbStretch,
}

/// The rule for CPU that the mapping leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SecondPhase {
    /// `OPT=MIN`: the smallest yields rise together (max-min).
    Min,
    /// `OPT=AVG`: the average yield (under `/stretch-per`: the average inverse stretch) is maximised.
    Average,
    /// `OPT=MAX`, under `/stretch-per` only: the largest estimated stretches fall together.
    Max,
}

/// Which running jobs MCB may drop but not move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RemapLimit {
    /// None: all may be moved.
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

    /// The policy of this name; `None` if there is none.
    #[must_use]
    pub fn parse(name: &str) -> Option<Fractional> {
        let mut parts = name.split('/').peekable();
        let base = parts.next()?;
        let (base, opportunistic) = base.strip_suffix('*').map_or((base, false), |base| (base, true));
        let on_submission = OnSubmission::ALL.into_iter().find(|action| action.name() == base)?;
        let periodic = match parts.peek() {
            Some(&"per") => Periodic::Mcb,
            Some(&"stretch-per") => Periodic::McbStretch,
            _ => Periodic::Nothing,
        };
        if periodic != Periodic::Nothing {
            parts.next();
        }
        let budget = parts.next_if(|part| part.starts_with("BUDGET="));
        let budget_gb = match budget.and_then(|part| part.strip_prefix("BUDGET=")) {
            Some(gigabytes) => Some(gigabytes.parse().ok()?),
            None => None,
        };
        let relabel = parts.next_if_eq(&"RELABEL").is_some();
        let second_phase = match parts.next()? {
            "OPT=MIN" => SecondPhase::Min,
            "OPT=AVG" => SecondPhase::Average,
            "OPT=MAX" => SecondPhase::Max,
            _ => return None,
        };
        let limit = parts.next_if(|part| part.starts_with("MFT=") || part.starts_with("MVT="));
        let remap_limit = match limit.and_then(|part| part.split_once('=')) {
            Some(("MFT", seconds)) => RemapLimit::FlowTime(seconds.parse().ok()?),
            Some((_, seconds)) => RemapLimit::VirtualTime(seconds.parse().ok()?),
            None => RemapLimit::Unlimited,
        };
        let extensions = Extensions::parse(parts)?;
        let policy = Fractional {
            on_submission,
            opportunistic,
            periodic,
            budget_gb,
            relabel,
            second_phase,
            remap_limit,
            extensions,
        };
        // Printing it back catches parts that are left over or written in another way.
        (policy.makes_sense() && policy.to_string() == name).then_some(policy)
    }

    /// Whether no job can wait for ever by design, and each part has something to act on.
    fn makes_sense(self) -> bool {
        let starts_waiting_jobs = self.opportunistic || self.periodic != Periodic::Nothing;
        let reacts = !self.opportunistic || self.on_submission != OnSubmission::Nothing;
        let stretch = self.periodic == Periodic::McbStretch;
        let alone = !stretch || self.on_submission == OnSubmission::Nothing;
        let phase = match self.second_phase {
            SecondPhase::Min => !stretch,
            SecondPhase::Max => stretch,
            SecondPhase::Average => true,
        };
        let limits = self.uses_mcb() || self.remap_limit == RemapLimit::Unlimited && !self.relabel;
        let bounded = self.periodic == Periodic::Mcb || self.budget_gb.is_none();
        let extended = self.extensions.make_sense_in(&self);
        starts_waiting_jobs && reacts && alone && phase && limits && bounded && extended
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
                        budget_gb: None,
                        relabel: false,
                        second_phase,
                        remap_limit,
                        extensions: Extensions::NONE,
                    })
                })
            })
            .filter(|policy| policy.makes_sense())
    }

    /// This policy with the parts that the paper does not have, an example of a budget for all, where they make sense.
    pub(crate) fn moving_less(self) -> impl Iterator<Item = Fractional> {
        let parts = [(Some(100), false), (None, true), (Some(100), true)];
        parts
            .map(|(budget_gb, relabel)| Fractional { budget_gb, relabel, ..self })
            .into_iter()
            .filter(|policy| policy.makes_sense())
    }

    /// A description of the policy, in one line.
    #[must_use]
    pub fn description(self) -> String {
        let mut parts = vec![
            match self.on_submission {
                OnSubmission::Nothing => "jobs wait for the tick",
                OnSubmission::Greedy => "a job starts where its memory fits",
                OnSubmission::GreedyP => "a job starts, low priorities pause for it",
                OnSubmission::GreedyPM => "a job starts, low priorities move or pause for it",
                OnSubmission::Mcb => "an arrival maps all jobs again",
            }
            .to_owned(),
        ];
        if self.opportunistic {
            parts.push("completions start waiting jobs".into());
        }
        parts.extend(match self.periodic {
            Periodic::Nothing => None,
            Periodic::Mcb => Some("ticks map all jobs again".into()),
            Periodic::McbStretch => Some("ticks map all jobs again by estimated stretch".into()),
        });
        parts.extend(self.budget_gb.map(|most| format!("a tick moves {most} GB at most")));
        if self.relabel {
            parts.push("nodes relabelled to move little".into());
        }
        parts.push(
            match self.second_phase {
                SecondPhase::Min => "max-min yields",
                SecondPhase::Average => "best average",
                SecondPhase::Max => "min-max stretch",
            }
            .into(),
        );
        parts.extend(match self.remap_limit {
            RemapLimit::Unlimited => None,
            RemapLimit::FlowTime(span) => Some(format!("no move before {span} s of flow time")),
            RemapLimit::VirtualTime(span) => Some(format!("no move before {span} s of virtual time")),
        });
        parts.extend(self.extensions.descriptions());
        parts.join("; ")
    }
}

impl OnSubmission {
    const ALL: [OnSubmission; 5] = [
        OnSubmission::Nothing,
        OnSubmission::Greedy,
        OnSubmission::GreedyP,
        OnSubmission::GreedyPM,
        OnSubmission::Mcb,
    ];

    fn name(self) -> &'static str {
        match self {
            OnSubmission::Nothing => "",
            OnSubmission::Greedy => "Greedy",
            OnSubmission::GreedyP => "GreedyP",
            OnSubmission::GreedyPM => "GreedyPM",
            OnSubmission::Mcb => "MCB",
        }
    }
}

impl fmt::Display for Fractional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.on_submission.name())?;
        f.write_str(if self.opportunistic { "*" } else { "" })?;
        f.write_str(match self.periodic {
            Periodic::Nothing => "",
            Periodic::Mcb => "/per",
            Periodic::McbStretch => "/stretch-per",
        })?;
        if let Some(most) = self.budget_gb {
            write!(f, "/BUDGET={most}")?;
        }
        f.write_str(if self.relabel { "/RELABEL" } else { "" })?;
        f.write_str(match self.second_phase {
            SecondPhase::Min => "/OPT=MIN",
            SecondPhase::Average => "/OPT=AVG",
            SecondPhase::Max => "/OPT=MAX",
        })?;
        match self.remap_limit {
            RemapLimit::Unlimited => {}
            RemapLimit::FlowTime(span) => write!(f, "/MFT={span}")?,
            RemapLimit::VirtualTime(span) => write!(f, "/MVT={span}")?,
        }
        self.extensions.fmt(f)
    }
}
