//! Fractional policies, and their names.

use dfrsim_model::{SimSpan, named};
use std::fmt;

named! {
    /// What happens when a job arrives.
    #[derive(Default)]
    pub(super) enum Arrival as "reaction to an arrival" {
        /// It waits for the tick.
        #[default]
        Waits = "",
        /// It starts if there is room.
        Greedy = "Greedy",
        /// It starts, and others are paused for it.
        Pauses = "GreedyP",
        /// It starts, and others move for it, or are paused.
        Moves = "GreedyPM",
        /// All jobs are mapped again.
        Mcb = "MCB",
    }
}

/// What happens at each tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ticks {
    /// There are none.
    #[default]
    None,
    /// All jobs are mapped again for the largest yield.
    Yield,
    /// All jobs are mapped again for the smallest stretch.
    Stretch,
}

named! {
    /// What becomes of the CPU that a mapping leaves.
    #[derive(Default)]
    pub(super) enum Phase as "phase" {
        #[default]
        Min = "MIN",
        Average = "AVG",
        Max = "MAX",
    }
}

/// Which running jobs MCB does not move, by their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pin {
    #[default]
    None,
    Flow(SimSpan),
    Virtual(SimSpan),
}

/// A fractional policy whose decisions can be checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FractionalPolicy {
    name: String,
    pub(super) is_equipartition: bool,
    pub(super) arrival: Arrival,
    /// `*`
    pub(super) opportunistic: bool,
    pub(super) ticks: Ticks,
    /// The time between ticks.
    pub(super) period: SimSpan,
    /// In GB.
    pub(super) budget: Option<u32>,
    pub(super) relabels: bool,
    pub(super) phase: Phase,
    pub(super) pin: Pin,
    /// In percent.
    pub(super) below: Option<u32>,
    /// The most penalties, as a multiple of the virtual time.
    pub(super) pay: Option<u32>,
    pub(super) spread: bool,
    pub(super) retry: Option<SimSpan>,
    pub(super) swap: Option<u32>,
    pub(super) las: Option<SimSpan>,
    pub(super) ahead: Option<SimSpan>,
}

impl FractionalPolicy {
    /// Whether it pauses jobs, so that none is on a node when an announced window begins there.
    pub(super) fn pauses(&self) -> bool {
        self.ticks != Ticks::None || !matches!(self.arrival, Arrival::Greedy | Arrival::Waits)
    }

    /// The policy of this name, with this time between its ticks, which is above 0; `None` if it is not a fractional policy.
    ///
    /// ```
    /// use dfrsim_audit::fractional::FractionalPolicy;
    /// use dfrsim_model::SimSpan;
    ///
    /// let parse = |name| FractionalPolicy::parse(name, SimSpan::from_secs(600));
    /// assert_eq!(parse("GreedyPM*/per/OPT=MIN/MVT=600").unwrap().to_string(), "GreedyPM*/per/OPT=MIN/MVT=600");
    /// assert!(parse("EQUIPARTITION").is_some() && parse("EASY").is_none() && parse("Greedy*").is_none());
    /// ```
    pub fn parse(name: &str, period: SimSpan) -> Option<FractionalPolicy> {
        let is_equipartition = name == "EQUIPARTITION";
        let mut parts = (if is_equipartition { "*/OPT=MIN" } else { name }).split('/').peekable();
        let base = parts.next()?;
        let (base, opportunistic) = base.strip_suffix('*').map_or((base, false), |base| (base, true));
        let arrival: Arrival = base.parse().ok()?;
        let ticks = match parts.next_if(|part| matches!(*part, "per" | "stretch-per")) {
            Some("per") => Ticks::Yield,
            Some(_) => Ticks::Stretch,
            None => Ticks::None,
        };
        let count = |text: Option<&str>| text.map(str::parse::<u32>).transpose().ok();
        let span = |text: Option<&str>| text.map(str::parse::<SimSpan>).transpose().ok();
        let mut value =
            |key: &str| parts.next_if(|part| part.starts_with(key)).map(|part| &part[key.len()..]);
        // The order of the initialisers is the order in which they read.
        let policy = FractionalPolicy {
            name: name.to_owned(),
            is_equipartition,
            arrival,
            opportunistic,
            ticks,
            budget: count(value("BUDGET="))?,
            relabels: value("RELABEL").is_some(),
            phase: value("OPT=")?.parse().ok()?,
            pin: match (span(value("MFT="))?, span(value("MVT="))?) {
                (Some(limit), None) => Pin::Flow(limit),
                (None, Some(limit)) => Pin::Virtual(limit),
                (None, None) => Pin::None,
                _ => return None,
            },
            period: span(value("PERIOD="))?.unwrap_or(period),
            below: count(value("BELOW="))?,
            pay: count(value("PAY="))?,
            spread: value("SPREAD").is_some(),
            retry: span(value("RETRY="))?,
            swap: count(value("SWAP="))?,
            las: span(value("LAS="))?,
            ahead: span(value("AHEAD="))?,
        };
        let reacts = arrival != Arrival::Waits || is_equipartition;
        let is_complete = parts.next().is_none() && (opportunistic && reacts || ticks != Ticks::None);
        is_complete.then_some(policy)
    }
}

impl fmt::Display for FractionalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
