//! Names of the policies.

use dfrsim_model::named::UnknownName;
use std::fmt;
use std::str::FromStr;

/// Policy that runs jobs at full speed or not at all, and whose decisions can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FullSpeedPolicy {
    /// Ranked preemption by (flow time + 2,700 s) / virtual time^2.
    FlowOverWork,
    /// Ranked preemption by the estimated remaining time.
    Remaining,
    /// Ranked preemption by levels of the work done.
    Attained,
    /// Earliest deadline first with resident jobs; deadlines are submission + this number, of at least
    /// 1, * estimate.
    EarliestDue(u32),
    /// Gang scheduling.
    Gang,
}

/// Beginning of the name of [`FullSpeedPolicy::EarliestDue`].
const DUE: &str = "EDF/STRETCH=";

impl FullSpeedPolicy {
    /// All policies, with one of those by deadline.
    pub const ALL: [FullSpeedPolicy; 5] = [
        FullSpeedPolicy::FlowOverWork,
        FullSpeedPolicy::Remaining,
        FullSpeedPolicy::Attained,
        FullSpeedPolicy::EarliestDue(20),
        FullSpeedPolicy::Gang,
    ];
}

impl fmt::Display for FullSpeedPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FullSpeedPolicy::FlowOverWork => f.write_str("RANKED"),
            FullSpeedPolicy::Remaining => f.write_str("SRPT"),
            FullSpeedPolicy::Attained => f.write_str("LAS"),
            FullSpeedPolicy::EarliestDue(stretch) => write!(f, "{DUE}{stretch}"),
            FullSpeedPolicy::Gang => f.write_str("GANG"),
        }
    }
}

impl FromStr for FullSpeedPolicy {
    type Err = UnknownName;
    fn from_str(name: &str) -> Result<FullSpeedPolicy, UnknownName> {
        let by_due = || name.strip_prefix(DUE)?.parse().ok().filter(|it| *it > 0);
        let by_due = by_due().map(FullSpeedPolicy::EarliestDue);
        let mut all = FullSpeedPolicy::ALL.into_iter().chain(by_due);
        let known = FullSpeedPolicy::ALL.map(|it| it.to_string());
        all.find(|it| it.to_string() == name)
            .ok_or_else(|| UnknownName::new("policy at full speed", name, known))
    }
}
