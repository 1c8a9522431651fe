//! Soft rules of an answer: which of them hold, and what the others cost.

use super::problem::described;
use dfrsim_context_switch::{Cluster, Configuration, penalty, violations};
use schemars::JsonSchema;
use serde::Serialize;

/// Soft rules of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SoftRules {
    /// The number of soft rules.
    rules: usize,
    /// The number of soft rules that hold.
    kept: usize,
    /// The sum of the weights of all violations, in MB.
    penalty_mb: u64,
    /// The same sum before the answer.
    penalty_before_mb: u64,
    /// The rules that are violated.
    violated: Vec<ViolatedRule>,
    /// True if the searches ended before all parts of the violated rules were tried.
    is_cut_short: bool,
}

/// A soft rule that is violated.
#[derive(Debug, Serialize, JsonSchema)]
struct ViolatedRule {
    rule: String,
    weight_mb: u32,
    /// The number of violations, each of which costs the weight.
    violations: u64,
}

/// Number of violated rules that the text names.
const MOST_NAMED: usize = 5;

impl SoftRules {
    /// Describes the soft rules of a cluster; `None` if it has none.
    pub(super) fn of(
        cluster: &Cluster,
        (before, after): (&Configuration, &Configuration),
        is_cut_short: bool,
    ) -> Option<SoftRules> {
        let soft = cluster.soft();
        let violated = soft.iter().filter_map(|rule| {
            let violations = violations(cluster, rule, after);
            let weight_mb = rule.weight.unwrap_or(0);
            (violations > 0).then(|| ViolatedRule { rule: described(cluster, rule), weight_mb, violations })
        });
        let violated: Vec<ViolatedRule> = violated.collect();
        (!soft.is_empty()).then(|| SoftRules {
            rules: soft.len(),
            kept: soft.len() - violated.len(),
            penalty_mb: penalty(cluster, after),
            penalty_before_mb: penalty(cluster, before),
            violated,
            is_cut_short,
        })
    }

    /// Formats the rules in lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let SoftRules { rules, kept, penalty_mb, penalty_before_mb, violated, is_cut_short } = self;
        let mut lines = vec![format!(
            "soft rules: {kept} of {rules} hold; the violations weigh {penalty_mb} MB (before: {penalty_before_mb})"
        )];
        lines.extend(violated.iter().take(MOST_NAMED).map(|ViolatedRule { rule, weight_mb, violations }| {
            format!("  not kept: {rule}: {violations} x {weight_mb} MB")
        }));
        if violated.len() > MOST_NAMED {
            lines.push(format!("  not kept: {} more", violated.len() - MOST_NAMED));
        }
        if *is_cut_short {
            lines.push("  the search for soft rules was cut short: more of them may be possible".to_owned());
        }
        lines
    }
}
