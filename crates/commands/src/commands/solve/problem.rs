//! Conversion of a cluster of VMs to a problem of packing and of adaptation.

use super::state::Loaded;
use super::switch::with_shared_cpu;
use crate::failure::Failure;
use dfrsim_adaptation::Rules;
use dfrsim_context_switch::{
    Cluster, Configuration, ConstraintKind, Place, PlacementRules, VmId, contradiction,
};
use dfrsim_model::offline::{Adaptation, Instance, Mapping, OfflineJob};
use dfrsim_model::{NodeId, NodeTasks, Yield};
use dfrsim_state::Constraint;
use dfrsim_vector_packing::minimum_yield;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The running and the waiting VMs, as jobs of the problem; all other VMs stay as they are.
pub(super) struct Problem {
    /// Adaptation problem, in which moving a VM costs its memory.
    pub(super) adaptation: Adaptation,
    /// Constraints that are neither resources nor groups of VMs on one node, without any task placed.
    pub(super) rules: Option<Box<dyn Rules>>,
    /// Cost of moves that every placement has: VMs that must share a node run on several, and only
    /// those on the node with most of them are placed at no cost.
    pub(super) unavoidable: u64,
    /// Nodes of VMs that share a node with others from now on, with the part of the moving cost of all
    /// that is saved there: task, node and part.
    pub(super) further_homes: Vec<(u32, u32, u64)>,
    /// True if the present placement keeps the rules and has all VMs that must share a node on one.
    pub(super) is_orderly: bool,
    /// Names of VMs that must share a node and are on several now.
    scattered: Vec<String>,
    /// VMs of each job: the identical VMs of a vjob, or the first of several VMs that must share a
    /// node.
    vms: Vec<Vec<VmId>>,
    /// Other VMs that share the node of a VM.
    mates: BTreeMap<VmId, Vec<VmId>>,
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

/// Properties that the VMs of a job share: the vjob, the demand, the least yield, and whether they stay
/// on their nodes; with the VM if it is a job of its own.
type GroupKey = (usize, Vec<u32>, u32, bool, Option<VmId>);

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

/// Describes a constraint by its kind and the names of its VMs and nodes.
pub(super) fn described(cluster: &Cluster, constraint: &Constraint<VmId, NodeId>) -> String {
    let vms = constraint.all_vms().map(|vm| cluster.vm(*vm).name.as_str()).collect::<Vec<_>>();
    let nodes = constraint.all_nodes().map(|node| cluster.node(*node).name.as_str()).collect::<Vec<_>>();
    let [vms, nodes] = [vms, nodes].map(|names| listed(&names));
    let soft = if constraint.weight.is_some() { "soft " } else { "" };
    let kind = format!("{soft}{}", constraint.kind);
    match (vms.is_empty(), nodes.is_empty()) {
        (_, true) => format!("{kind} of {vms}"),
        (true, false) => format!("{kind} of {nodes}"),
        (false, false) => format!("{kind} of {vms} and {nodes}"),
    }
}

/// Names constraints that cannot all hold, for a message, if some are found. The ban of drained nodes
/// is the last constraint.
pub(super) fn explain_contradiction(
    cluster: &Cluster,
    before: &Configuration,
    wanted: &Configuration,
    is_drained: bool,
) -> String {
    let Some(numbers) = contradiction(cluster, before, wanted) else { return String::new() };
    let list = cluster.constraints().list();
    let name = |&number: &usize| match list.len() - number {
        1 if is_drained => "the drain".to_owned(),
        _ => described(cluster, &list[number]),
    };
    match numbers.len() {
        0 => "; VMs lack resources even without constraints".to_owned(),
        1 => format!("; this cannot hold: {}", name(&numbers[0])),
        _ => {
            let names: Vec<String> = numbers.iter().map(name).collect();
            format!("; these cannot hold together: {}", names.join("; "))
        }
    }
}

/// Names constraints that cannot all hold even if each VM gets no more CPU than its least yield, for a
/// message, if some are found.
fn contradiction_at_least_yields(loaded: &Loaded<'_>) -> String {
    let mut cluster = loaded.cluster.clone();
    for (vm, number) in loaded.state.vms.iter().zip(0..) {
        let need = cluster.vms()[number].demand.cpu.unsigned_abs();
        let cpu = (u128::from(need) * u128::from(vm.least_yield.units())) >> Yield::BITS;
        cluster.observe_cpu(VmId(number as u32), u32::try_from(cpu).unwrap_or(u32::MAX));
    }
    let mut wanted = loaded.before.clone();
    for (vm, place) in (0..).map(VmId).zip(loaded.before.places()) {
        if *place == Place::Waiting && !cluster.nodes().is_empty() {
            wanted.set(vm, Place::Running(NodeId(0)));
        }
    }
    let found = explain_contradiction(&cluster, &loaded.before, &wanted, false);
    if found.contains("even without constraints") { String::new() } else { found }
}

/// Resource that is not shared: each VM gets its full demand.
struct FixedResource {
    nodes: Vec<u32>,
    /// Demand of each VM, by its index.
    vms: Vec<u32>,
    /// Constraint that the resource represents.
    rule: Option<String>,
    /// True if VMs that share a node need the largest of their amounts together, and not the sum.
    is_shared: bool,
}

/// Returns true if a constraint is a rule of the search: it is about places, and neither a resource
/// nor a group of VMs on one node.
fn is_filter(constraint: &Constraint<VmId, NodeId>) -> bool {
    let has_one_node = constraint.all_nodes().count() == 1;
    match constraint.kind {
        ConstraintKind::Split
        | ConstraintKind::Lonely
        | ConstraintKind::Among
        | ConstraintKind::SplitAmong
        | ConstraintKind::Spare
        | ConstraintKind::MaxOnline => true,
        ConstraintKind::RunningCapacity => !has_one_node,
        ConstraintKind::ResourceCapacity => !has_one_node && constraint.resource != "cpu",
        _ => false,
    }
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
        FixedResource { nodes, vms, rule: Some(rule), is_shared: false }
    }

    /// Sets that VMs that share a node need the largest of their amounts together.
    fn shared(self) -> FixedResource {
        FixedResource { is_shared: true, ..self }
    }
}

impl Problem {
    /// Returns the minimum yield of the current placement; `None` if that is infeasible.
    pub(super) fn minimum_yield_now(&self) -> Option<f64> {
        let Adaptation { instance, current, .. } = &self.adaptation;
        minimum_yield(instance, current).filter(|_| self.unavoidable == 0).map(Yield::as_f64)
    }

    /// Builds the problem of a state. Constraints that limit single nodes or single VMs become
    /// resources of the problem, VMs that must share a node become one task, and all other constraints
    /// on places become rules of the search. VMs that must not be moved are kept on their nodes by a
    /// resource if `are_roots_fixed`, else by their cost. With `counts_moves` a move costs 1 for each
    /// VM, else its memory.
    pub(super) fn of(loaded: &Loaded<'_>, are_roots_fixed: bool, counts_moves: bool) -> Problem {
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
        let move_cost = |vm: VmId| match counts_moves {
            true => 1,
            false => cluster.vm(vm).demand.memory.unsigned_abs(),
        };
        let is_ruled = |vm: VmId| {
            let filters = cluster.constraints().list().iter().filter(|constraint| is_filter(constraint));
            filters.flat_map(Constraint::all_vms).any(|other| *other == vm)
        };
        let ruled: BTreeSet<VmId> = ids.iter().copied().filter(|&vm| is_ruled(vm)).collect();
        let mut groups: BTreeMap<GroupKey, Vec<VmId>> = BTreeMap::new();
        let mut mates: BTreeMap<VmId, Vec<VmId>> = BTreeMap::new();
        for &id in ids.iter().filter(|&&id| is_in(id)) {
            let others = cluster.constraints().vm(id).together.iter().copied().filter(|&vm| is_in(vm));
            let others: Vec<VmId> = others.collect();
            if others.iter().any(|&other| other < id) {
                continue;
            }
            let members = || others.iter().copied().chain([id]);
            let sum = |of: &dyn Fn(VmId) -> u32| members().map(of).fold(0_u32, u32::saturating_add);
            let demand = fixed.iter().map(|column| match column.is_shared {
                true => members().map(|vm| column.vms[vm.index()]).max().unwrap_or(0),
                false => sum(&|vm| column.vms[vm.index()]),
            });
            let cpu = sum(&|vm| narrow(cluster.vm(vm).demand.cpu));
            let demand = demand.chain([cpu]).collect();
            let least = members().map(|vm| state.vms[vm.index()].least_yield.units()).max().unwrap_or(0);
            let alone = (!others.is_empty() || ruled.contains(&id)).then_some(id);
            let is_root = members().any(|vm| roots.contains(&vm));
            let key = (state.vms[id.index()].vjob, demand, least, is_root, alone);
            groups.entry(key).or_default().push(id);
            if !others.is_empty() {
                mates.insert(id, others);
            }
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, vms)| vms[0]);
        let (mut jobs, mut cost, mut current) = (Vec::new(), Vec::new(), Vec::new());
        let (mut unavoidable, mut scattered, mut further_homes) = (0, Vec::new(), Vec::new());
        let mut task = 0;
        for ((_, demand, least, is_root, _), vms) in &groups {
            let least_yield = Yield::try_from_units(*least).expect("it is the yield of a VM");
            let demand = demand.clone().into();
            jobs.push(OfflineJob { tasks: vms.len() as u32, demand, least_yield });
            let first_task = task;
            task += vms.len() as u32;
            if let Some(others) = mates.get(&vms[0]) {
                // The home of all is the node on which most of them are, or that of a VM that stays.
                let mut on: BTreeMap<NodeId, u64> = BTreeMap::new();
                let members = || others.iter().copied().chain([vms[0]]);
                for vm in members() {
                    if let Some(node) = before.place(vm).node() {
                        let stays = if roots.contains(&vm) { u64::MAX / 2 } else { 0 };
                        let at = on.entry(node).or_default();
                        *at = at.saturating_add(move_cost(vm)).saturating_add(stays);
                    }
                }
                let home =
                    on.iter().max_by_key(|(node, cost)| (**cost, Reverse(**node))).map(|(node, _)| *node);
                let further = on.iter().filter(|(node, _)| Some(**node) != home);
                further_homes.extend(further.map(|(node, cost)| (first_task, node.0, *cost)));
                let (own, others): (Vec<VmId>, Vec<VmId>) = members()
                    .filter(|&vm| before.place(vm).node().is_some())
                    .partition(|&vm| before.place(vm).node() == home);
                if !others.is_empty() {
                    let names: Vec<&str> =
                        own.iter().chain(&others).map(|vm| cluster.vm(*vm).name.as_str()).collect();
                    scattered.push(listed(&names));
                }
                unavoidable += others.into_iter().map(move_cost).sum::<u64>();
                let own = own.into_iter().map(move_cost).sum();
                cost.push(if *is_root { Adaptation::PINNED } else { own });
                current.push(home.map(|node| NodeTasks { node, tasks: 1 }).into_iter().collect());
                continue;
            }
            cost.push(if *is_root { Adaptation::PINNED } else { move_cost(vms[0]) });
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
        let vms: Vec<Vec<VmId>> = groups.into_iter().map(|(_, vms)| vms).collect();
        let filters = cluster.constraints().list().iter().filter(|constraint| is_filter(constraint));
        // What a reserve leaves depends on constraints that are no filters.
        let limits = |it: &Constraint<VmId, NodeId>| match it.kind {
            ConstraintKind::Spare => cluster.limits_of_spare(it),
            _ => vec![it.clone()],
        };
        let filters: Vec<_> = filters.flat_map(limits).collect();
        let rules = (!filters.is_empty()).then(|| -> Box<dyn Rules> {
            let with_mates = |vm: &VmId| {
                let others = mates.get(vm).into_iter().flatten().copied();
                others.chain([*vm]).collect::<Vec<VmId>>()
            };
            let tasks = vms.iter().flatten().map(with_mates).collect();
            Box::new(PlacementRules::new(cluster, before, filters, tasks))
        });
        let adaptation = Adaptation { instance, current, cost };
        let keeps_rules = rules.clone().is_none_or(|mut rules| {
            let tasks = adaptation.current.iter().zip(&adaptation.instance.jobs).flat_map(|(on, job)| {
                let nodes =
                    on.iter().flat_map(|part| std::iter::repeat_n(Some(part.node.0), part.tasks as usize));
                nodes.chain(std::iter::repeat(None)).take(job.tasks as usize)
            });
            let places: Vec<Option<u32>> = tasks.collect();
            (0..).zip(places).all(|(task, node)| {
                let admits = node.is_none_or(|node| rules.admits(task, node, &[]));
                node.into_iter().for_each(|node| rules.add(task, node));
                admits
            })
        });
        let is_orderly = keeps_rules && scattered.is_empty();
        Problem {
            adaptation,
            rules,
            unavoidable,
            further_homes,
            is_orderly,
            scattered,
            vms,
            mates,
            resources,
        }
    }

    /// Computes the cost of the moves to a configuration.
    pub(super) fn moved(&self, loaded: &Loaded<'_>, after: &Configuration, counts_moves: bool) -> u64 {
        let places = loaded.before.places().iter().zip(after.places()).zip(loaded.cluster.vms());
        let moved = places.filter(|((from, to), _)| from.node().is_some() && from.node() != to.node());
        moved.map(|(_, vm)| if counts_moves { 1 } else { vm.demand.memory.unsigned_abs() }).sum()
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
        let mut reasons = contradiction_at_least_yields(loaded);
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

    /// Returns the overloaded nodes and VMs that should share a node, each node with the resource of
    /// which its VMs use more than it has, or with the constraint that is violated there and the VMs
    /// that violate it.
    pub(super) fn overloaded(&self, loaded: &Loaded<'_>) -> Vec<String> {
        let Adaptation { instance, current, .. } = &self.adaptation;
        let width = instance.dimensions();
        let mut taken = vec![0_u128; instance.nodes.len() * width];
        for ((job, placement), vms) in instance.jobs.iter().zip(current).zip(&self.vms) {
            let is_apart = |vm: &VmId, other: &VmId| loaded.before.place(*vm) != loaded.before.place(*other);
            let mates = self.mates.get(&vms[0]);
            if mates.is_some_and(|mates| mates.iter().any(|other| is_apart(&vms[0], other))) {
                continue;
            }
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
        let apart = self.scattered.iter().map(|names| format!("VMs that must share a node: {names}"));
        over.chain(apart).collect()
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
            for (vm, others) in vms.iter().filter_map(|vm| Some((vm, self.mates.get(vm)?))) {
                let place = after.place(*vm);
                others.iter().for_each(|&other| after.set(other, place));
            }
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
        is_shared: false,
    };
    let others = cluster.resources().iter().map(|resource| {
        let nodes = cluster.node_ids().zip(&resource.nodes);
        let has =
            |(node, &has): (NodeId, &i64)| constraints.node(node).effective_capacity(&resource.name, has);
        let vms = resource.vms.iter().map(|&amount| narrow(amount)).collect();
        FixedResource { nodes: nodes.map(has).map(narrow).collect(), vms, rule: None, is_shared: false }
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
        FixedResource::limited(rule, vms, count, |node| (!allowed[node]).then_some(0)).shared()
    }));
    let one_each = |vms: &[VmId]| ids.iter().map(|vm| u32::from(vms.contains(vm))).collect::<Vec<u32>>();
    for constraint in constraints.list() {
        let is_there = |node: usize| constraint.all_nodes().any(|at| at.index() == node);
        let limit = narrow(constraint.amount.in_parts(1));
        let has_one_node = constraint.all_nodes().count() == 1;
        let rule = || described(cluster, constraint);
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
