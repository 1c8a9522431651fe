//! Violations in a plan.

use dfrsim_state::ConstraintKind;
use std::fmt;

/// Violation in a plan, as a message. Pools are counted from 0; the number after the last pool is
/// the end of the plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct PlanViolation {
    /// Kind of the violated constraint, if it is one.
    pub constraint: Option<ConstraintKind>,
    /// Description of the violation, with its place.
    pub text: String,
}

impl PlanViolation {
    pub(super) fn new(text: String) -> PlanViolation {
        PlanViolation { constraint: None, text }
    }

    /// Creates the violation for a VM on a node that a constraint forbids.
    pub(super) fn of_place(pool: usize, vm: &str, node: &str, kind: ConstraintKind) -> PlanViolation {
        let text = format!("pool {pool}: `{vm}` on `{node}` violates a {kind}");
        PlanViolation { constraint: Some(kind), text }
    }

    /// Creates the violation for an exceeded limit of a constraint.
    pub(super) fn of_limit(pool: usize, kind: ConstraintKind, limit: &str, taken: &str) -> PlanViolation {
        let text = format!("pool {pool}: a {kind} of {limit} is exceeded: {taken}");
        PlanViolation { constraint: Some(kind), text }
    }
}

/// All violations in a plan; at least one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PlanViolations(pub Vec<PlanViolation>);

impl fmt::Display for PlanViolations {
    /// Writes one line per violation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}
