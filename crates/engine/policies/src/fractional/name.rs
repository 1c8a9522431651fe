//! The names of fractional policies.

use super::{Extensions, Fractional, Periodic, RemapLimit, SecondPhase};
use std::fmt;

impl Fractional {
    /// The policy of this name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Fractional> {
        let (base, parts) = name.split_once('/')?;
        let (base, opportunistic) = base.strip_suffix('*').map_or((base, false), |base| (base, true));
        let mut policy = Fractional {
            on_submission: base.parse().ok()?,
            opportunistic,
            periodic: Periodic::Nothing,
            budget_gb: None,
            relabel: false,
            second_phase: SecondPhase::Min,
            remap_limit: RemapLimit::Unlimited,
            extensions: Extensions::NONE,
        };
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
                "AHEAD" => more.ahead = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        // Printing it back catches parts in another order, and those that are missing, left over or written in another way.
        (policy.makes_sense() && policy.to_string() == name).then_some(policy)
    }
}

impl fmt::Display for Fractional {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fractional { extensions: more, remap_limit, .. } = self;
        let (flow_time, virtual_time) = match remap_limit {
            RemapLimit::Unlimited => (None, None),
            RemapLimit::FlowTime(span) => (Some(span), None),
            RemapLimit::VirtualTime(span) => (None, Some(span)),
        };
        let periodic = match self.periodic {
            Periodic::Nothing => "",
            Periodic::Mcb => "/per",
            Periodic::McbStretch => "/stretch-per",
        };
        let opportunistic = if self.opportunistic { "*" } else { "" };
        write!(f, "{}{opportunistic}{periodic}", self.on_submission)?;
        let mut part = |key: &str, value: Option<&dyn fmt::Display>| {
            value.map_or(Ok(()), |value| write!(f, "/{key}{value}"))
        };
        let flag = |is_set: bool| is_set.then_some(&"" as &dyn fmt::Display);
        part("BUDGET=", of(&self.budget_gb))?;
        part("RELABEL", flag(self.relabel))?;
        part("OPT=", Some(&self.second_phase))?;
        part("MFT=", of(&flow_time))?;
        part("MVT=", of(&virtual_time))?;
        part("PERIOD=", of(&more.period))?;
        part("BELOW=", of(&more.below_percent))?;
        part("PAY=", of(&more.pay))?;
        part("SPREAD", flag(more.spread))?;
        part("RETRY=", of(&more.retry))?;
        part("SWAP=", of(&more.swap))?;
        part("LAS=", of(&more.least_attained))?;
        part("AHEAD=", of(&more.ahead))
    }
}

fn of<T: fmt::Display>(value: &Option<T>) -> Option<&dyn fmt::Display> {
    value.as_ref().map(|value| value as &dyn fmt::Display)
}
