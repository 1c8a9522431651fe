//! Constraints on the order and the times of actions.

use super::Rule;
use dfrsim_model::{SimSpan, SimTime};

pub(super) const PRECEDENCE: Rule = Rule::without_placement(|it, to| {
    for (at, vm) in it.vms[0].iter().enumerate() {
        to.vm(*vm).predecessors.extend(&it.vms[0][..at]);
    }
});

pub(super) const SERIALISE: Rule = Rule::without_placement(|it, to| {
    for vm in it.all_vms() {
        to.vm(*vm).in_turn.extend(it.all_vms().filter(|other| *other != vm));
    }
});

pub(super) const SYNC: Rule = Rule::without_placement(|it, to| to.join(&it.vms[0], |vm| &mut vm.in_sync));

pub(super) const DEADLINE: Rule = Rule::without_placement(|it, to| {
    let end = SimTime::ZERO + SimSpan::from_micros(it.amount.in_parts(1_000).unsigned_abs() * 1_000);
    for vm in it.all_vms() {
        let deadline = &mut to.vm(*vm).deadline;
        *deadline = Some(deadline.map_or(end, |before| before.min(end)));
    }
});

pub(super) const NO_DELAY: Rule =
    Rule::without_placement(|it, to| it.all_vms().for_each(|vm| to.vm(*vm).is_urgent = true));
