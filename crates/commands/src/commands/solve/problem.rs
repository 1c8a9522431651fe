//! Conversion of a cluster of VMs to a problem of packing and of adaptation.

use super::state::Loaded;
use super::switch::with_shared_cpu;
use crate::failure::Failure;
use dfrsim_context_switch::{Configuration, ConstraintKind, Place, VmId};
use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_state::Constraint;
use std::collections::BTreeMap;

/// The running and the waiting VMs, as jobs of the problem; all other VMs stay as they are.
pub(super) struct Problem {
    /// Adaptation problem, in which moving a VM costs its memory.
    pub(super) adaptation: Adaptation,
    /// VMs of each job: the identical VMs of a vjob.
    vms: Vec<Vec<VmId>>,
    /// Resources of the instance.
    resources: Vec<Dimension>,
}

/// A resource of the instance.
struct Dimension {
    name: String,
    /// True if it represents a constraint.
    is_rule: bool,
}

impl Dimension {
    /// Creates a resource of the nodes.
    fn of_nodes(name: &str) -> Dimension {
        Dimension { name: name.to_owned(), is_rule: false }
    }
}

/// Number of names that a message lists.
const MAX_NAMES: usize = 3;

/// Lists names of VMs or nodes, the first ones if there are many.
fn listed(names: &[&str]) -> String {
    let mut list: Vec<String> = names.iter().take(MAX_NAMES).map(|name| format!("`{name}`")).collect();
    if names.len() > MAX_NAMES {
        list.push(format!("{} more", names.len() - MAX_NAMES));
    }
    list.join(", ")
}

/// Resource that is not shared: each VM gets its full demand.
struct FixedResource {
    nodes: Vec<u32>,
    /// Demand of each VM, by its index.
    vms: Vec<u32>,
    /// Constraint that the resource represents.
    rule: Option<String>,
}

impl FixedResource {
    /// Creates a resource for a constraint. A node has as much of it as `limit` returns, or enough for
    /// all VMs if that is `None`.
    fn limited(
        rule: String,
        vms: Vec<u32>,
        nodes: usize,
        limit: impl Fn(usize) -> Option<u32>,
    ) -> FixedResource {
        let all = vms.iter().fold(0_u32, |sum, vm| sum.saturating_add(*vm));
        let nodes = (0..nodes).map(|node| limit(node).unwrap_or(all).min(all)).collect();
        FixedResource { nodes, vms, rule: Some(rule) }
    }
}

impl Problem {
    /// Builds the problem of a state. Constraints that limit single nodes or single VMs become
    /// resources of the problem; all others are checked on the result. VMs that must not be moved
    /// are kept on their nodes by a resource if `are_roots_fixed`, else by their cost.
    pub(super) fn of(loaded: &Loaded<'_>, are_roots_fixed: bool) -> Problem {
        let Loaded { state, cluster, before } = loaded;
        let ids: Vec<VmId> = (0..cluster.vms().len() as u32).map(VmId).collect();
        let is_in = |vm: VmId| matches!(before.place(vm), Place::Waiting | Place::Running(_));
        let roots = cluster.constraints().list().iter().filter(|it| it.kind == ConstraintKind::Root);
        let roots: Vec<VmId> = roots
            .flat_map(Constraint::all_vms)
            .copied()
            .filter(|&vm| before.place(vm).host().is_some())
            .collect();
        let fixed = fixed_resources(loaded, &|vm| is_in(vm) && (are_roots_fixed || !roots.contains(&vm)));
        let narrow = |amount: i64| u32::try_from(amount).expect("amounts of a cluster have 32 bits");
        let nodes = cluster.node_ids().map(|node| {
            let cpu = narrow(cluster.capacity(node).cpu.min(i64::from(u32::MAX)));
            fixed.iter().map(|column| column.nodes[node.index()]).chain([cpu]).collect()
        });
        let mut groups: BTreeMap<(usize, Vec<u32>, u32, bool), Vec<VmId>> = BTreeMap::new();
        for &id in ids.iter().filter(|&&id| is_in(id)) {
            let (vm, number) = (&state.vms[id.index()], id.index());
            let demand = fixed.iter().map(|column| column.vms[number]);
            let demand = demand.chain([narrow(cluster.vms()[number].demand.cpu)]).collect();
            let key = (vm.vjob, demand, vm.least_yield.units(), roots.contains(&id));
            groups.entry(key).or_default().push(id);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, vms)| vms[0]);
        let (mut jobs, mut cost, mut current) = (Vec::new(), Vec::new(), Vec::new());
        for ((_, demand, _, is_root), vms) in &groups {
            let first = vms[0].index();
            let demand = demand.clone().into();
            jobs.push(OfflineJob {
                tasks: vms.len() as u32,
                demand,
                least_yield: state.vms[first].least_yield,
            });
            let memory = cluster.vms()[first].demand.memory.unsigned_abs();
            cost.push(if *is_root { Adaptation::PINNED } else { memory });
            let mut on: BTreeMap<NodeId, u32> = BTreeMap::new();
            for node in vms.iter().filter_map(|vm| before.place(*vm).node()) {
                *on.entry(node).or_default() += 1;
            }
            current.push(on.into_iter().map(|(node, tasks)| NodeTasks { node, tasks }).collect());
        }
        let names = cluster.resources().iter().map(|resource| resource.name.as_str());
        let mut resources: Vec<Dimension> =
            ["memory"].into_iter().chain(names).map(Dimension::of_nodes).collect();
        let rules = fixed.iter().filter_map(|resource| resource.rule.clone());
        resources.extend(rules.map(|name| Dimension { name, is_rule: true }));
        resources.push(Dimension::of_nodes("CPU"));
        let instance = Instance { fixed: fixed.len(), fluid: 1, nodes: nodes.collect(), jobs };
        let vms = groups.into_iter().map(|(_, vms)| vms).collect();
        Problem { adaptation: Adaptation { instance, current, cost }, vms, resources }
    }

    /// Returns, for each resource, true if it is a resource of the nodes and false if it represents
    /// a constraint.
    pub(super) fn is_node_resource(&self) -> Vec<bool> {
        self.resources.iter().map(|resource| !resource.is_rule).collect()
    }

    /// Explains for a message why there is no placement, as far as it is known: by VMs that fit on
    /// no node.
    pub(super) fn explain_unfit(&self, loaded: &Loaded<'_>) -> String {
        let instance = &self.adaptation.instance;
        let mut reasons = String::new();
        for (job, vms) in instance.jobs.iter().zip(&self.vms) {
            let sizes: Vec<u64> = job.sizes_at(instance.fixed, Yield::ZERO).collect();
            let fits = |at: usize, node: &[u32]| sizes[at] <= u64::from(node[at]) << Yield::BITS;
            let all = 0..sizes.len();
            if instance.nodes.iter().any(|node| all.clone().all(|at| fits(at, node))) {
                continue;
            }
            let missing = all.filter(|&at| !instance.nodes.iter().any(|node| fits(at, node)));
            let missing: Vec<&str> = missing.map(|at| self.resources[at].name.as_str()).collect();
            let name = &loaded.cluster.vm(vms[0]).name;
            reasons += &match missing[..] {
                [] => format!("; VM `{name}` fits on no node: none has enough of all resources together"),
                _ => format!("; VM `{name}` fits on no node: none has enough {}", missing.join(", nor ")),
            };
        }
        reasons
    }

    /// Returns the overloaded nodes, each with the resource of which its VMs use more than it has, or
    /// with the constraint that is violated there and the VMs that violate it.
    pub(super) fn overloaded(&self, loaded: &Loaded<'_>) -> Vec<String> {
        let Adaptation { instance, current, .. } = &self.adaptation;
        let width = instance.dimensions();
        let mut taken = vec![0_u128; instance.nodes.len() * width];
        for (job, placement) in instance.jobs.iter().zip(current) {
            for part in placement {
                let row = &mut taken[part.node.index() * width..][..width];
                for (taken, size) in row.iter_mut().zip(job.sizes_at(instance.fixed, Yield::ZERO)) {
                    *taken += u128::from(size) * u128::from(part.tasks);
                }
            }
        }
        let nodes = loaded.state.nodes.iter().zip(&instance.nodes).zip(taken.chunks(width));
        let over = nodes.flat_map(|((node, has), taken)| {
            let of = has.iter().zip(taken).zip(&self.resources).enumerate();
            let of = of.filter(|(_, ((has, taken), _))| **taken > u128::from(**has) << Yield::BITS);
            of.map(|(at, (_, Dimension { name, is_rule }))| {
                let there = if *is_rule { self.users_on(loaded, &node.name, at) } else { String::new() };
                format!("{} ({name}{there})", node.name)
            })
        });
        over.collect()
    }

    /// Lists the VMs on a node that use a resource.
    fn users_on(&self, loaded: &Loaded<'_>, node: &str, resource: usize) -> String {
        let jobs = self.adaptation.instance.jobs.iter().zip(&self.vms);
        let vms = jobs.filter(|(job, _)| job.demand[resource] > 0).flat_map(|(_, vms)| vms);
        let is_there = |vm: &&VmId| {
            let place = loaded.before.place(**vm).node();
            place.is_some_and(|at| loaded.state.nodes[at.index()].name == node)
        };
        let names: Vec<&str> = vms.filter(is_there).map(|vm| loaded.cluster.vm(*vm).name.as_str()).collect();
        format!(": {}", listed(&names))
    }

    /// Converts a mapping to a configuration; of identical VMs as many as possible stay on their
    /// nodes.
    ///
    /// # Errors
    /// Returns an error if the configuration violates a constraint.
    pub(super) fn configuration(
        &self,
        loaded: &Loaded<'_>,
        mapping: &Mapping,
    ) -> Result<Configuration, Failure> {
        let mut after = loaded.before.clone();
        for (vms, parts) in self.vms.iter().zip(mapping) {
            let mut free: Vec<NodeId> =
                parts.iter().flat_map(|part| std::iter::repeat_n(part.node, part.tasks as usize)).collect();
            let mut others = Vec::new();
            for &vm in vms {
                let own = loaded.before.place(vm).node();
                match free.iter().position(|node| Some(*node) == own) {
                    Some(at) => drop(free.remove(at)),
                    None => others.push(vm),
                }
            }
            others.into_iter().zip(free).for_each(|(vm, node)| after.set(vm, Place::Running(node)));
        }
        let broken = |error| {
            Failure::Result(format!("no placement that satisfies all constraints was found: {error}"))
        };
        after.check(&with_shared_cpu(loaded, &after)).map_err(broken)?;
        Ok(after)
    }
}

/// Builds the resources other than CPU, for the given VMs: memory, further resources of the nodes,
/// and those that represent constraints.
fn fixed_resources(loaded: &Loaded<'_>, is_in: &dyn Fn(VmId) -> bool) -> Vec<FixedResource> {
    let Loaded { state, cluster, before } = loaded;
    let (constraints, count) = (cluster.constraints(), cluster.nodes().len());
    let ids: Vec<VmId> = (0..cluster.vms().len() as u32).map(VmId).collect();
    let narrow = |amount: i64| amount.clamp(0, i64::from(u32::MAX)) as u32;
    let mut memory: Vec<i64> = cluster.node_ids().map(|node| cluster.capacity(node).memory).collect();
    for (vm, place) in cluster.vms().iter().zip(before.places()) {
        if let Place::Dozing(node) = place {
            memory[node.index()] -= vm.demand.memory;
        }
    }
    let memory = FixedResource {
        nodes: memory.into_iter().map(narrow).collect(),
        vms: cluster.vms().iter().map(|vm| narrow(vm.demand.memory)).collect(),
        rule: None,
    };
    let others = cluster.resources().iter().map(|resource| {
        let nodes = cluster.node_ids().zip(&resource.nodes);
        let has =
            |(node, &has): (NodeId, &i64)| constraints.node(node).effective_capacity(&resource.name, has);
        let vms = resource.vms.iter().map(|&amount| narrow(amount)).collect();
        FixedResource { nodes: nodes.map(has).map(narrow).collect(), vms, rule: None }
    });
    let mut fixed: Vec<FixedResource> = [memory].into_iter().chain(others).collect();
    // VMs that are allowed on the same set of nodes share one resource.
    let mut groups: BTreeMap<Vec<bool>, Vec<u32>> = BTreeMap::new();
    for &vm in ids.iter().filter(|&&vm| is_in(vm)) {
        let allowed: Vec<bool> = cluster.node_ids().map(|node| constraints.allows(vm, node)).collect();
        if allowed.contains(&false) {
            groups.entry(allowed).or_insert_with(|| vec![0; ids.len()])[vm.index()] = 1;
        }
    }
    fixed.extend(groups.into_iter().map(|(allowed, vms)| {
        let names: Vec<&str> =
            ids.iter().filter(|vm| vms[vm.index()] > 0).map(|vm| cluster.vm(*vm).name.as_str()).collect();
        let rule = format!("nodes allowed for {}", listed(&names));
        FixedResource::limited(rule, vms, count, |node| (!allowed[node]).then_some(0))
    }));
    let one_each = |vms: &[VmId]| ids.iter().map(|vm| u32::from(vms.contains(vm))).collect::<Vec<u32>>();
    for constraint in constraints.list() {
        let is_there = |node: usize| constraint.all_nodes().any(|at| at.index() == node);
        let limit = narrow(constraint.amount.in_parts(1));
        let has_one_node = constraint.all_nodes().count() == 1;
        let rule = || {
            let vms = constraint.all_vms().map(|vm| cluster.vm(*vm).name.as_str());
            let nodes = constraint.all_nodes().map(|node| cluster.node(*node).name.as_str());
            let names: Vec<&str> = vms.chain(nodes).collect();
            format!("{} of {}", constraint.kind, listed(&names))
        };
        fixed.extend(match constraint.kind {
            ConstraintKind::Spread => {
                Some(FixedResource::limited(rule(), one_each(&constraint.vms[0]), count, |_| Some(1)))
            }
            ConstraintKind::RunningCapacity if has_one_node => {
                Some(FixedResource::limited(rule(), one_each(&ids), count, |node| {
                    is_there(node).then_some(limit)
                }))
            }
            ConstraintKind::ResourceCapacity if has_one_node && constraint.resource != "cpu" => {
                let of_name = cluster.resources().iter().find(|it| it.name == constraint.resource);
                let amount = |vm: &VmId| match of_name {
                    Some(resource) => resource.vms[vm.index()],
                    None => cluster.vm(*vm).demand.memory,
                };
                let vms = ids.iter().map(|vm| narrow(amount(vm))).collect();
                Some(FixedResource::limited(rule(), vms, count, |node| is_there(node).then_some(limit)))
            }
            _ => None,
        });
    }
    debug_assert_eq!(state.vms.len(), ids.len());
    fixed
}
