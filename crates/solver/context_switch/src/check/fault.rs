//! The faults of a plan.

use dfrsim_state::ConstraintKind;
use std::fmt;

/// One thing that is wrong with a plan, in words. Pools are counted from 0; one beyond the last is the end of the plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct PlanFault {
    /// The kind of the constraint that is broken, if it is one.
    pub constraint: Option<ConstraintKind>,
    /// The fault, with its place.
    pub text: String,
}

impl PlanFault {
    pub(super) fn new(text: String) -> PlanFault {
        PlanFault { constraint: None, text }
    }

    /// A VM is where a constraint forbids it.
    pub(super) fn of_place(pool: usize, vm: &str, node: &str, kind: ConstraintKind) -> PlanFault {
        let text = format!("pool {pool}: `{vm}` on `{node}` breaks a {kind}");
        PlanFault { constraint: Some(kind), text }
    }

    /// More is taken of nodes, or more of them are on, than a constraint allows.
    pub(super) fn of_limit(pool: usize, kind: ConstraintKind, limit: &str, taken: &str) -> PlanFault {
        let text = format!("pool {pool}: a {kind} of {limit} is exceeded: {taken}");
        PlanFault { constraint: Some(kind), text }
    }
}

/// All that is wrong with a plan; at least one thing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PlanFaults(pub Vec<PlanFault>);

impl fmt::Display for PlanFaults {
    /// A line for each fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
