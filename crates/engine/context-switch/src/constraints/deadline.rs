//! Some VMs have acted by a time.

use super::{Constraint, Lowering, Rule};
use dfrsim_model::{SimSpan, SimTime};

pub(super) const RULE: Rule = Rule { lower, broken: |_, _| None };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let end = SimTime::ZERO + SimSpan::from_micros(it.amount.in_parts(1_000).unsigned_abs() * 1_000);
    for vm in it.all_vms() {
        let deadline = &mut to.lowered.deadlines[vm.index()];
        *deadline = Some(deadline.map_or(end, |before| before.min(end)));
    }
}
