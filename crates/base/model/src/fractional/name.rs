//! Names and descriptions of fractional policies.

use super::{Fractional, OnSubmission, Periodic, RemapLimit, SecondPhase};
use std::fmt;

impl Fractional {
    /// Parses the name of a policy; `None` if it is invalid.
    pub fn parse(name: &str) -> Option<Fractional> {
        let (base, parts) = name.split_once('/')?;
        let (base, opportunistic) = base.strip_suffix('*').map_or((base, false), |base| (base, true));
        let on_submission = base.parse().ok()?;
        let mut policy = Fractional { on_submission, opportunistic, ..Fractional::default() };
        let more = &mut policy.extensions;
        for part in parts.split('/') {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            match key {
                "per" => policy.periodic = Periodic::Mcb,
                "stretch-per" => policy.periodic = Periodic::McbStretch,
                "BUDGET" => policy.budget_gb = Some(value.parse().ok()?),
                "RELABEL" => policy.relabel = true,
                "OPT" => policy.second_phase = value.parse().ok()?,
                "MFT" => policy.remap_limit = RemapLimit::FlowTime(value.parse().ok()?),
                "MVT" => policy.remap_limit = RemapLimit::VirtualTime(value.parse().ok()?),
                "PERIOD" => more.period = Some(value.parse().ok()?),
                "BELOW" => more.below_percent = Some(value.parse().ok()?),
                "PAY" => more.pay = Some(value.parse().ok()?),
                "SPREAD" => more.spread = true,
                "RETRY" => more.retry = Some(value.parse().ok()?),
                "SWAP" => more.swap = Some(value.parse().ok()?),
                "LAS" => more.least_attained = Some(value.parse().ok()?),
                "AHEAD" => more.age_bonus = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        // Comparing with the formatted policy rejects parts in another order, missing or redundant
        // parts, and other spellings of values.
        (policy.is_valid() && policy.to_string() == name).then_some(policy)
    }
}

impl Fractional {
    /// Returns the parts of the name after the reaction to arrivals, in their order: the key, the
    /// value if the part is present, and a description in which `{}` stands for the value.
    fn parts(&self) -> [(&'static str, Option<String>, &'static str); 14] {
        let flag = |is_set: bool| is_set.then(String::new);
        let limit = match self.remap_limit {
            RemapLimit::Unlimited => ("", None, ""),
            RemapLimit::FlowTime(span) => ("MFT=", text(Some(span)), "no move before {} s of flow time"),
            RemapLimit::VirtualTime(span) => {
                ("MVT=", text(Some(span)), "no move before {} s of virtual time")
            }
        };
        let shares = match self.second_phase {
            SecondPhase::Min => "max-min yields",
            SecondPhase::Average => "best average",
            SecondPhase::Max => "min-max stretch",
        };
        let (ticks, more) = (self.periodic, self.extensions);
        let below = "ticks only if a job has no node or a yield below {} %";
        let pay = "penalties of a job at most {} times its work, and none if waiting is cheaper";
        let swap = "paused ones displace jobs with less than 1/{} of their priority";
        [
            ("per", flag(ticks == Periodic::Mcb), "ticks map all jobs again"),
            (
                "stretch-per",
                flag(ticks == Periodic::McbStretch),
                "ticks map all jobs again by estimated stretch",
            ),
            ("BUDGET=", text(self.budget_gb), "a tick moves {} GB at most"),
            ("RELABEL", flag(self.relabel), "nodes relabelled to move little"),
            ("OPT=", text(Some(self.second_phase)), shares),
            limit,
            ("PERIOD=", text(more.period), "a tick every {} s"),
            ("BELOW=", text(more.below_percent), below),
            ("PAY=", text(more.pay), pay),
            ("SPREAD", flag(more.spread), "tasks of an arrival spread to full speed"),
            ("RETRY=", text(more.retry), "jobs that wait are tried again, every {} s at least"),
            ("SWAP=", text(more.swap), swap),
            ("LAS=", text(more.least_attained), "shares by {} s / (virtual time + {} s)"),
            ("AHEAD=", text(more.age_bonus), "priority (flow time + {} s) / virtual time"),
        ]
    }

    /// Returns a one-line description of the policy.
    #[must_use]
    pub fn description(self) -> String {
        let arrivals = match self.on_submission {
            OnSubmission::Nothing => "jobs wait for the tick",
            OnSubmission::Greedy => "a job starts where its memory fits",
            OnSubmission::GreedyP => "a job starts, low priorities pause for it",
            OnSubmission::GreedyPM => "a job starts, low priorities move or pause for it",
            OnSubmission::Mcb => "an arrival maps all jobs again",
        };
        let mut parts = vec![arrivals.to_owned()];
        parts.extend(self.opportunistic.then(|| "completions start waiting jobs".to_owned()));
        let others = self.parts().into_iter();
        parts.extend(others.filter_map(|(_, value, words)| Some(words.replace("{}", &value?))));
        parts.join("; ")
    }
}

impl fmt::Display for Fractional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.on_submission, if self.opportunistic { "*" } else { "" })?;
        let mut parts = self.parts().into_iter();
        parts.try_for_each(|(key, value, _)| value.map_or(Ok(()), |value| write!(f, "/{key}{value}")))
    }
}

fn text(value: Option<impl fmt::Display>) -> Option<String> {
    value.map(|value| value.to_string())
}
