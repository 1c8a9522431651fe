//! Fractional policies that can be checked.

use dfrsim_model::SimSpan;
use dfrsim_model::fractional::{Extensions, Fractional};
use std::fmt;

const EQUIPARTITION: &str = "EQUIPARTITION";

/// Fractional policy whose decisions can be checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FractionalPolicy {
    /// Parts of the policy; those of `EQUIPARTITION` are `*/OPT=MIN`, where a completion starts as
    /// many jobs as fit.
    pub(super) parts: Fractional,
    pub(super) is_equipartition: bool,
    /// Time between ticks.
    pub(super) period: SimSpan,
}

impl FractionalPolicy {
    /// Parses the name of a fractional policy, with this time between its ticks, which is above 0.
    /// Returns `None` if it is not a fractional policy.
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
        match name {
            EQUIPARTITION => Some(FractionalPolicy::equipartition(period)),
            _ => Fractional::parse(name).map(|parts| FractionalPolicy::new(parts, period)),
        }
    }

    /// Returns the policy with these parts; `period`, which is above 0, is the time between its
    /// ticks unless the parts specify it.
    pub fn new(parts: Fractional, period: SimSpan) -> FractionalPolicy {
        let period = parts.extensions.period.unwrap_or(period);
        FractionalPolicy { parts, is_equipartition: false, period }
    }

    /// Returns the policy `EQUIPARTITION`.
    pub fn equipartition(period: SimSpan) -> FractionalPolicy {
        let parts = Fractional { opportunistic: true, ..Fractional::default() };
        FractionalPolicy { parts, is_equipartition: true, period }
    }

    /// Returns the extensions beyond the paper.
    pub(super) fn extensions(&self) -> Extensions {
        self.parts.extensions
    }
}

impl fmt::Display for FractionalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_equipartition { f.write_str(EQUIPARTITION) } else { self.parts.fmt(f) }
    }
}
