//! In which order VMs act: precedence and serialisation.

use super::document::{Action, Constraint, Document, Verb};
use super::fault::PlanFault;

/// Actions in an order, or at one time, that a constraint forbids. The suspends and the resumes of a vjob go together
/// regardless of constraints.
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
        let ranked = actions
            .iter()
            .filter_map(|&(pool, action)| Some((pool, action, vms.iter().position(|vm| *vm == action.vm)?)));
        let ranked: Vec<(usize, &Action, usize)> = ranked.collect();
        for (at, &(first, one, one_rank)) in ranked.iter().enumerate() {
            for &(second, other, other_rank) in &ranked[at + 1..] {
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
