//! In which order VMs act: precedence and serialisation.

use super::document::{Action, Constraint, Document, Verb};
use super::fault::PlanFault;

/// Actions in an order, or at one time, that a constraint forbids. The suspends and the resumes of a vjob go together whatever
/// constraints say.
pub(super) fn faults(plan: &Document) -> Vec<PlanFault> {
    let actions: Vec<(usize, &Action)> = plan
        .pools
        .iter()
        .enumerate()
        .flat_map(|(pool, actions)| actions.iter().map(move |action| (pool, action)))
        .collect();
    let vjob = |name: &String| plan.vms.iter().find(|vm| vm.name == *name).map(|vm| &vm.vjob);
    let is_shared = |action: &Action| matches!(action.action, Verb::Suspend | Verb::Resume);
    let go_together =
        |one: &Action, other: &Action| is_shared(one) && is_shared(other) && vjob(&one.vm) == vjob(&other.vm);
    let mut faults = Vec::new();
    for constraint in &plan.constraints {
        let (vms, name) = match constraint {
            Constraint::Precedence { vms } => (vms, "precedence"),
            Constraint::Serialise { vms } => (vms, "serialise"),
            _ => continue,
        };
        let rank = |action: &Action| vms.iter().position(|vm| *vm == action.vm);
        for (at, &(first, one)) in actions.iter().enumerate() {
            for &(second, other) in &actions[at + 1..] {
                let (Some(one_rank), Some(other_rank)) = (rank(one), rank(other)) else { continue };
                let is_wrong = match constraint {
                    Constraint::Precedence { .. } if first == second => one_rank != other_rank,
                    Constraint::Precedence { .. } => one_rank > other_rank,
                    _ => first == second && one_rank != other_rank,
                };
                if is_wrong && !go_together(one, other) {
                    let (vm, action, other) = (other.vm.clone(), other.action.name(), one.vm.clone());
                    faults.push(PlanFault::Order { pool: second, vm, action, constraint: name, other });
                }
            }
        }
    }
    faults
}
