//! A limit on the number of VMs on some nodes.

use super::{Budget, Constraint, Lowering, Rule, Taken, Viewed};

pub(super) const RULE: Rule = Rule { lower, broken };

fn lower(it: &Constraint, to: &mut Lowering<'_>) {
    let (limit, nodes) = (it.amount.in_parts(1), it.nodes[0].clone());
    to.lowered.share(Budget { limit, nodes, taken: Taken::One });
}

fn broken(it: &Constraint, viewed: &Viewed<'_>) -> Option<String> {
    let running = viewed.taken(&Taken::One, &it.nodes[0]);
    (running > it.amount.in_parts(1))
        .then(|| format!("{running} VMs run on these nodes, and {} may", it.amount))
}
