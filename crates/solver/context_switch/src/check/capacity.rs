//! Capacity of nodes for VMs, individually and in groups.

use super::document::{
    Constraint, Document, Kind, NodeRecord, PlaceRecord, Power, State, VmRecord, in_thousandths, in_units,
};
use super::fault::PlanViolation;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Limit on the amount of a resource that VMs take of a group of nodes.
struct Capacity<'a> {
    nodes: BTreeSet<&'a str>,
    resource: &'a str,
    /// Limit in thousandths of a unit for CPU, and in units for other resources.
    limit: u64,
    /// Constraint that sets the limit; `None` for the capacity of a node, and [`Kind::Overbook`] if
    /// such a constraint changes the capacity.
    constraint: Option<Kind>,
}

/// All limits of a plan.
pub(super) struct Capacities<'a> {
    plan: &'a Document,
    list: Vec<Capacity<'a>>,
    /// Indices of the limits of each node.
    of_node: FxHashMap<&'a str, Vec<usize>>,
}

/// Returns whether a node is on at the end and some VM may be there.
fn is_usable(plan: &Document, name: &str) -> bool {
    let has = |it: &Constraint| it.all_nodes().any(|node| node == name);
    let of = |kind: Kind| plan.constraints.iter().filter(move |it| it.kind == kind && has(it));
    let is_on = plan.nodes.iter().any(|node| node.name == name && node.state == Power::Online);
    let is_closed = |ban: &Constraint| {
        let named: BTreeSet<&String> = ban.all_vms().collect();
        named.len() == plan.vms.len()
    };
    (is_on || of(Kind::Online).next().is_some())
        && of(Kind::Offline).next().is_none()
        && !of(Kind::Ban).any(is_closed)
}

/// Pseudo-resource of which each running VM takes one.
const RUNNING: &str = "running VMs";

fn format_amount(resource: &str, amount: u64) -> String {
    if resource == "cpu" { (amount as f64 / 1e3).to_string() } else { amount.to_string() }
}

impl<'a> Capacities<'a> {
    pub(super) fn of(plan: &'a Document) -> Capacities<'a> {
        let own = plan.nodes.iter().flat_map(|node| node.resources.keys());
        let asked = plan.vms.iter().flat_map(|vm| vm.resources.keys());
        let mut resources: BTreeSet<&str> = own.chain(asked).map(String::as_str).collect();
        resources.extend(["cpu", "memory"]);
        let mut list = Vec::new();
        let mut nodes: Vec<&NodeRecord> = plan.nodes.iter().collect();
        nodes.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for node in nodes {
            for &resource in &resources {
                let has = node.has(resource);
                let is_for = |it: &&Constraint| {
                    it.kind == Kind::Overbook
                        && it.resource == resource
                        && it.all_nodes().any(|name| *name == node.name)
                };
                let ratios = plan.constraints.iter().filter(is_for);
                let least = ratios.map(in_thousandths).min();
                list.push(Capacity {
                    nodes: BTreeSet::from([node.name.as_str()]),
                    resource,
                    limit: least.map_or(has, |ratio| has * ratio / 1_000),
                    constraint: least.map(|_| Kind::Overbook),
                });
            }
        }
        let effective = |name: &str, resource: &str| {
            let own = |it: &&Capacity<'_>| it.resource == resource && it.nodes.contains(name);
            list.iter().find(own).map_or(0, |it| it.limit)
        };
        let mut spared = Vec::new();
        for constraint in plan.constraints.iter().filter(|it| it.kind == Kind::Spare) {
            let nodes: BTreeSet<&str> =
                constraint.all_nodes().map(String::as_str).filter(|name| is_usable(plan, name)).collect();
            let wanted =
                |resource: &&&str| constraint.resource.is_empty() || constraint.resource == **resource;
            for resource in resources.iter().filter(wanted) {
                let mut amounts: Vec<u64> = nodes.iter().map(|name| effective(name, resource)).collect();
                amounts.sort_unstable();
                let count = amounts.len().saturating_sub((in_thousandths(constraint) / 1_000) as usize);
                let limit = amounts[..count].iter().sum();
                let (nodes, constraint) = (nodes.clone(), Some(Kind::Spare));
                spared.push(Capacity { nodes, resource, limit, constraint });
            }
        }
        list.extend(spared);
        for constraint in &plan.constraints {
            let resource = match constraint.kind {
                Kind::RunningCapacity => RUNNING,
                Kind::ResourceCapacity => constraint.resource.as_str(),
                _ => continue,
            };
            let (nodes, limit) = (constraint.all_nodes().map(String::as_str).collect(), in_units(constraint));
            list.push(Capacity { nodes, resource, limit, constraint: Some(constraint.kind) });
        }
        let mut of_node = FxHashMap::<&str, Vec<usize>>::default();
        for (at, capacity) in list.iter().enumerate() {
            capacity.nodes.iter().for_each(|node| of_node.entry(node).or_default().push(at));
        }
        Capacities { plan, list, of_node }
    }

    /// Finds the limits that are exceeded while all VMs change from `before` to `after`, and by
    /// more than they were exceeded before. VMs that had begun to change were counted with both
    /// amounts before.
    pub(super) fn exceeded(
        &self,
        pool: usize,
        before: &[PlaceRecord],
        after: &[PlaceRecord],
        had_begun: impl Fn(usize) -> bool,
    ) -> Vec<PlanViolation> {
        let (mut had, mut taken) = (vec![0; self.list.len()], vec![0; self.list.len()]);
        for (number, (vm, (from, to))) in self.plan.vms.iter().zip(before.iter().zip(after)).enumerate() {
            let limits = |place: &PlaceRecord| place.host().map_or(&[][..], |host| &self.of_node[host]);
            let concerned: BTreeSet<usize> = limits(from).iter().chain(limits(to)).copied().collect();
            for at in concerned {
                let takes = |place: &PlaceRecord| self.list[at].takes(vm, place);
                // A change within the group of nodes takes the larger of both amounts.
                let both = takes(from).max(takes(to));
                had[at] += if had_begun(number) { both } else { takes(from) };
                taken[at] += both;
            }
        }
        let loads = self.list.iter().zip(had.into_iter().zip(taken));
        let exceeded = loads.filter(|(capacity, (had, taken))| *taken > capacity.limit && taken > had);
        exceeded.map(|(capacity, (_, taken))| capacity.fault(pool, taken)).collect()
    }
}

impl Capacity<'_> {
    /// Returns the amount that a VM takes in a place.
    fn takes(&self, vm: &VmRecord, place: &PlaceRecord) -> u64 {
        match self.resource {
            _ if !place.host().is_some_and(|host| self.nodes.contains(host)) => 0,
            RUNNING => (place.state == State::Running).into(),
            resource => vm.takes(resource, place),
        }
    }

    fn fault(&self, pool: usize, taken: u64) -> PlanViolation {
        let (limit, taken) = (format_amount(self.resource, self.limit), format_amount(self.resource, taken));
        if let Some(kind) = self.constraint.filter(|kind| *kind != Kind::Overbook) {
            return PlanViolation::of_limit(pool, kind, &limit, &taken);
        }
        let node = self.nodes.first().copied().unwrap_or_default();
        let unit = match self.resource {
            "cpu" => "units of CPU".to_owned(),
            "memory" => "MB".to_owned(),
            other => format!("of `{other}`"),
        };
        let text = format!("pool {pool}: node `{node}` has {limit} {unit}, but VMs take {taken}");
        PlanViolation { constraint: self.constraint, text }
    }
}
