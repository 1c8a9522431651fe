//! Checks of the order and the times of actions.

use super::document::{ActionRecord, Document, Kind, StartTimes, Verb, in_thousandths, micros};
use super::fault::PlanViolation;

/// Finds actions in an order, or at the same time, that a constraint forbids. The suspends and the
/// resumes of a vjob are executed together regardless of constraints.
pub(super) fn faults(plan: &Document) -> Vec<PlanViolation> {
    let actions = plan.all_actions();
    let vjob = |name: &String| plan.vms.iter().find(|vm| vm.name == *name).map(|vm| &vm.vjob);
    let is_shared = |action: &ActionRecord| matches!(action.action, Verb::Suspend | Verb::Resume);
    let go_together = |one: &ActionRecord, other: &ActionRecord| {
        is_shared(one) && is_shared(other) && vjob(&one.vm) == vjob(&other.vm)
    };
    // True if two actions overlap in time; below, if the first of them begins earlier.
    let together = |first: usize, one: &ActionRecord, second: usize, other: &ActionRecord| match plan.actions
    {
        StartTimes::Pools => first == second,
        StartTimes::Asap => {
            micros(one.begin_s) < micros(other.end_s) && micros(other.begin_s) < micros(one.end_s)
        }
    };
    let is_before = |one: &ActionRecord, other: &ActionRecord| {
        plan.actions == StartTimes::Pools || micros(one.begin_s) < micros(other.begin_s)
    };
    let mut faults = Vec::new();
    for constraint in &plan.constraints {
        let kind = constraint.kind;
        let Some(vms) = constraint.vms.first() else { continue };
        let ranked = actions
            .iter()
            .filter_map(|&(pool, action)| Some((pool, action, vms.iter().position(|vm| *vm == action.vm)?)));
        let ranked: Vec<(usize, &ActionRecord, usize)> = ranked.collect();
        for &(pool, action, _) in &ranked {
            let is_late = match kind {
                Kind::NoDelay => pool > 0,
                Kind::Deadline => micros(action.end_s) as u64 > in_thousandths(constraint) * 1_000,
                _ => false,
            };
            if is_late {
                let node = action.to.as_deref().unwrap_or_default();
                faults.push(PlanViolation::of_place(pool, &action.vm, node, kind));
            }
        }
        for (at, &(first, one, one_rank)) in ranked.iter().enumerate() {
            for &(second, other, other_rank) in &ranked[at + 1..] {
                let is_wrong = match kind {
                    Kind::Sync => first != second,
                    _ if go_together(one, other) => false,
                    Kind::Precedence if together(first, one, second, other) => one_rank != other_rank,
                    Kind::Precedence if is_before(one, other) => one_rank > other_rank,
                    Kind::Precedence => one_rank < other_rank,
                    Kind::Serialise => together(first, one, second, other) && one_rank != other_rank,
                    _ => false,
                };
                if is_wrong {
                    let (vm, action, before) = (&other.vm, other.action.name(), &one.vm);
                    let text =
                        format!("pool {second}: the {action} of `{vm}` violates a {kind} with `{before}`");
                    faults.push(PlanViolation { constraint: Some(kind), text });
                }
            }
        }
    }
    faults
}
