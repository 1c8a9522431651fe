//! When VMs act.

use super::{NOT_OF_PLACES, Rule};
use dfrsim_model::{SimSpan, SimTime};

pub(super) const PRECEDENCE: Rule = Rule {
    lower: |it, to| {
        for (at, vm) in it.vms[0].iter().enumerate() {
            to.vm(*vm).before.extend(&it.vms[0][..at]);
        }
    },
    broken: NOT_OF_PLACES,
};

pub(super) const SERIALISE: Rule = Rule {
    lower: |it, to| {
        for vm in it.all_vms() {
            to.vm(*vm).in_turn.extend(it.all_vms().filter(|other| *other != vm));
        }
    },
    broken: NOT_OF_PLACES,
};

pub(super) const SYNC: Rule =
    Rule { lower: |it, to| to.join(&it.vms[0], |vm| &mut vm.in_sync), broken: NOT_OF_PLACES };

pub(super) const DEADLINE: Rule = Rule {
    lower: |it, to| {
        let end = SimTime::ZERO + SimSpan::from_micros(it.amount.in_parts(1_000).unsigned_abs() * 1_000);
        for vm in it.all_vms() {
            let deadline = &mut to.vm(*vm).deadline;
            *deadline = Some(deadline.map_or(end, |before| before.min(end)));
        }
    },
    broken: NOT_OF_PLACES,
};

pub(super) const NO_DELAY: Rule =
    Rule { lower: |it, to| it.all_vms().for_each(|vm| to.vm(*vm).is_urgent = true), broken: NOT_OF_PLACES };
