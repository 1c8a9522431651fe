//! Checks of nodes that are switched on and off.

use super::document::{ActionRecord, Document, Kind, Micros, NodeRecord, Power, Turn, in_units, micros};
use super::fault::PlanViolation;

/// Returns the time at which all nodes of some actions are on; 0 if none of them must be booted.
pub(super) fn booted(plan: &Document, actions: &[ActionRecord]) -> Micros {
    let needs = |node: &str| actions.iter().any(|action| is_end(action, node));
    let boots = plan.switches.iter().filter(|switch| switch.action == Turn::Boot && needs(&switch.node));
    boots.map(|switch| micros(switch.end_s)).max().unwrap_or(0)
}

/// Returns whether an action takes place on a node.
fn is_end(action: &ActionRecord, node: &str) -> bool {
    [&action.from, &action.to].into_iter().any(|end| end.as_deref() == Some(node))
}

/// Finds violations by switches, by actions on nodes that are off, and of limits on the number of
/// nodes that are on.
pub(super) fn faults(plan: &Document) -> Vec<PlanViolation> {
    let faults = plan.nodes.iter().filter_map(|node| fault(plan, node));
    let is_on = |node: &&NodeRecord| {
        let last = plan.switches.iter().rfind(|switch| switch.node == node.name);
        last.map_or(node.state == Power::Online, |switch| switch.action == Turn::Boot)
    };
    let limits = plan.constraints.iter().filter(|constraint| constraint.kind == Kind::MaxOnline);
    let too_many = limits.filter_map(|constraint| {
        let on =
            plan.nodes.iter().filter(is_on).filter(|node| constraint.all_nodes().any(|it| *it == node.name));
        let (on, limit) = (on.count() as u64, in_units(constraint));
        let (pool, kind) = (plan.pools.len(), constraint.kind);
        (on > limit).then(|| PlanViolation::of_limit(pool, kind, &limit.to_string(), &on.to_string()))
    });
    faults.chain(too_many).collect()
}

fn fault(plan: &Document, node: &NodeRecord) -> Option<PlanViolation> {
    let names = |kind| {
        let mut of_kind = plan.constraints.iter().filter(|constraint| constraint.kind == kind);
        of_kind.any(|constraint| constraint.all_nodes().any(|name| *name == node.name))
    };
    let mut wanted = match node.state {
        _ if names(Kind::Offline) => Power::Offline,
        _ if names(Kind::Online) => Power::Online,
        state => state,
    };
    let wrong = |what: &str| {
        let constraint = [Kind::Offline, Kind::Online, Kind::MaxOnline].into_iter().find(|&kind| names(kind));
        Some(PlanViolation { constraint, text: format!("node `{}` {what}", node.name) })
    };
    let switches: Vec<_> = plan.switches.iter().filter(|switch| switch.node == node.name).collect();
    let found: Vec<Turn> = switches.iter().map(|switch| switch.action).collect();
    // If too many nodes are on, it is not prescribed which ones are switched off.
    if found == [Turn::Shutdown] && names(Kind::MaxOnline) && !names(Kind::Online) {
        wanted = Power::Offline;
    }
    let expected = match (node.state, wanted) {
        (Power::Offline, Power::Online) => vec![Turn::Boot],
        (Power::Online, Power::Offline) => vec![Turn::Shutdown],
        _ => Vec::new(),
    };
    if found != expected {
        return wrong("is not switched exactly once as constraints require, or is switched without need");
    }
    if switches.iter().any(|switch| switch.begin_s < 0.0 || switch.end_s < switch.begin_s) {
        return wrong("is switched at an invalid time");
    }
    if found.is_empty() && node.state == Power::Online {
        return None;
    }
    let needs = |action: &&ActionRecord| is_end(action, &node.name);
    let mut needed = plan.pools.iter().flatten().filter(needs);
    let is_off = |action: &ActionRecord| match (switches.first(), node.state) {
        (Some(switch), Power::Offline) => micros(action.begin_s) < micros(switch.end_s),
        (Some(switch), Power::Online) => micros(action.end_s) > micros(switch.begin_s),
        (None, state) => state == Power::Offline,
    };
    if let Some(action) = needed.find(|action| is_off(action)) {
        return wrong(&format!("is off during the {} of `{}`", action.action.name(), action.vm));
    }
    let hosts = |state: Power, after: bool| {
        let place = |vm: &super::document::VmRecord| if after { vm.after.clone() } else { vm.before.clone() };
        state == Power::Offline && plan.vms.iter().any(|vm| place(vm).host() == Some(&node.name))
    };
    if hosts(node.state, false) || hosts(wanted, true) { wrong("hosts VMs and is off") } else { None }
}
