//! The names of fractional policies, as far as the rules depend on them.

use dfrsim_model::SimSpan;
use std::fmt;

/// What happens when a job arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arrival {
    /// It waits for a tick.
    Waits,
    /// It starts where its memory is free.
    Greedy,
    /// Others are paused for it.
    Pauses,
    /// Others are moved or paused for it.
    Moves,
    /// All jobs are mapped again.
    Mcb,
    /// `EQUIPARTITION`: it starts where its memory is free, in the order of submission.
    InTurn,
}

/// A fractional policy whose rules can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FractionalPolicy {
    name: String,
    pub(super) arrival: Arrival,
    /// `*`
    pub(super) opportunistic: bool,
    /// Whether a tick moves only so much.
    pub(super) budget: bool,
    /// Without ticks there is none.
    pub(super) period: Option<SimSpan>,
    /// `/SAFE`: the least virtual time of a job that gives way.
    pub(super) safe: SimSpan,
    /// `/SPREAD`
    pub(super) spread: bool,
    /// `/RETRY`
    pub(super) retry: bool,
    /// `/SWAP`
    pub(super) swap: Option<u32>,
    /// `/AHEAD`
    pub(super) ahead: Option<SimSpan>,
    /// `/ESTIMATES`
    pub(super) estimates: bool,
    /// Whether it is one of the dissertation's with `OPT=MIN`, which share by weights of jobs.
    pub(super) knows_weights: bool,
}

impl FractionalPolicy {
    /// Whether it pauses jobs, so that none is on a node when an announced window begins there.
    pub(super) fn pauses(&self) -> bool {
        self.period.is_some() || !matches!(self.arrival, Arrival::Greedy | Arrival::InTurn)
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
    #[must_use]
    pub fn parse(name: &str, period: SimSpan) -> Option<FractionalPolicy> {
        let in_turn = FractionalPolicy {
            name: name.to_owned(),
            arrival: Arrival::InTurn,
            opportunistic: false,
            budget: false,
            period: None,
            safe: SimSpan::ZERO,
            spread: false,
            retry: false,
            swap: None,
            ahead: None,
            estimates: false,
            knows_weights: false,
        };
        if name == "EQUIPARTITION" {
            return Some(in_turn);
        }
        let mut parts = name.split('/').peekable();
        let base = parts.next()?;
        let (base, opportunistic) = base.strip_suffix('*').map_or((base, false), |base| (base, true));
        let arrival = match base {
            "" => Arrival::Waits,
            "Greedy" => Arrival::Greedy,
            "GreedyP" => Arrival::Pauses,
            "GreedyPM" => Arrival::Moves,
            "MCB" => Arrival::Mcb,
            _ => return None,
        };
        let is_periodic = parts.next_if(|part| matches!(*part, "per" | "stretch-per")).is_some();
        let is_count = |text: &str| text.parse::<u32>().is_ok_and(|number| number.to_string() == text);
        let budget = parts.next_if(|part| part.strip_prefix("BUDGET=").is_some_and(is_count)).is_some();
        let relabels = parts.next_if_eq(&"RELABEL").is_some();
        let phase = parts.next_if(|part| matches!(*part, "OPT=MIN" | "OPT=AVG" | "OPT=MAX"))?;
        let limits = |part: &&str| ["MFT=", "MVT="].iter().any(|limit| part.starts_with(limit));
        parts.next_if(limits);
        let is_extended = budget || relabels || parts.peek().is_some();
        let mut value =
            |key: &str| parts.next_if(|part| part.starts_with(key)).map(|part| &part[key.len()..]);
        let span = |text: Option<&str>| text.map(str::parse::<SimSpan>).transpose().ok();
        let own_period = span(value("PERIOD="))?;
        value("BELOW=");
        let safe = span(value("SAFE="))?;
        let spread = value("SPREAD").is_some();
        let retry = value("RETRY=").is_some();
        let swap = value("SWAP=").map(str::parse).transpose().ok()?;
        value("LAS=");
        let ahead = span(value("AHEAD="))?;
        let estimates = value("ESTIMATES").is_some();
        let is_complete = parts.next().is_none() && (opportunistic || is_periodic);
        is_complete.then(|| FractionalPolicy {
            arrival,
            opportunistic,
            budget,
            period: is_periodic.then_some(own_period.unwrap_or(period)),
            safe: safe.unwrap_or_default(),
            spread,
            retry,
            swap,
            ahead,
            estimates,
            knows_weights: phase == "OPT=MIN" && !is_extended,
            ..in_turn
        })
    }
}

impl fmt::Display for FractionalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
