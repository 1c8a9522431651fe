//! Follows every VM through the pools.

use super::document::{Action, Document, Place, RelationKind, State, Verb, Vm};
use super::fault::{PlanFault, PlanFaults};
use std::collections::BTreeMap;

/// What was seen of a plan in which nothing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanReport {
    /// How many pools it has.
    pub pools: usize,
    /// How many actions.
    pub actions: usize,
    /// How many suspends of VMs that run again in the end: cycles that no pivot broke.
    pub detours_by_disk: usize,
    /// How many migrations beyond the first of a VM: cycles that a pivot broke.
    pub detours_by_pivot: usize,
}

/// Checks a plan.
///
/// # Errors
/// Everything that is wrong with it.
pub fn check_plan(text: &str) -> Result<PlanReport, PlanFaults> {
    let document: Document = serde_json::from_str(text)
        .map_err(|error| PlanFaults(vec![PlanFault::Malformed(error.to_string())]))?;
    let mut check = Check::new(&document)?;
    for (pool, actions) in document.pools.iter().enumerate() {
        check.pool(pool, actions);
    }
    check.end();
    check.together(Verb::Suspend, "suspended");
    check.together(Verb::Resume, "resumed");
    check.cost();
    check.bound();
    if check.faults.is_empty() { Ok(check.report()) } else { Err(PlanFaults(check.faults)) }
}

struct Check<'a> {
    plan: &'a Document,
    nodes: BTreeMap<&'a str, usize>,
    vms: BTreeMap<&'a str, usize>,
    places: Vec<Place>,
    /// When the pools so far have ended.
    ended: Micros,
    faults: Vec<PlanFault>,
}

/// Microseconds, in which the file's seconds are exact.
type Micros = i64;

fn micros(seconds: f64) -> Micros {
    (seconds * 1e6).round() as Micros
}

/// Units of CPU, MB.
type Load = [u64; 2];
const UNITS: [&str; 2] = ["units of CPU", "MB"];

fn taken(vm: &Vm, place: &Place) -> Load {
    match place.state {
        State::Running => [vm.cpu.into(), vm.memory.into()],
        State::Dozing => [0, vm.memory.into()],
        State::Waiting | State::Sleeping | State::Terminated => [0, 0],
    }
}

impl<'a> Check<'a> {
    fn new(plan: &'a Document) -> Result<Check<'a>, PlanFaults> {
        let nodes: BTreeMap<_, _> =
            plan.nodes.iter().zip(0..).map(|(node, at)| (node.name.as_str(), at)).collect();
        let vms: BTreeMap<_, _> = plan.vms.iter().zip(0..).map(|(vm, at)| (vm.name.as_str(), at)).collect();
        let mut faults = Vec::new();
        let fault = |name: &str, count, kind| PlanFault::Name { name: name.to_owned(), count, kind };
        let twice = plan.nodes.iter().enumerate().filter(|(at, node)| nodes[node.name.as_str()] != *at);
        faults.extend(twice.map(|(_, node)| fault(&node.name, 2, "nodes")));
        let twice = plan.vms.iter().enumerate().filter(|(at, vm)| vms[vm.name.as_str()] != *at);
        faults.extend(twice.map(|(_, vm)| fault(&vm.name, 2, "VMs")));
        let actions = || plan.pools.iter().flatten();
        let places = plan.vms.iter().flat_map(|vm| [vm.before.node.as_ref(), vm.after.node.as_ref()]);
        let ends = actions().flat_map(|action| [action.from.as_ref(), action.to.as_ref()]);
        let named = plan.relations.iter().flat_map(|relation| relation.nodes.iter().map(Some));
        let unknown =
            places.chain(ends).chain(named).flatten().filter(|name| !nodes.contains_key(name.as_str()));
        faults.extend(unknown.map(|name| fault(name, 0, "nodes")));
        let named = plan.relations.iter().flat_map(|relation| &relation.vms);
        let unknown =
            actions().map(|action| &action.vm).chain(named).filter(|name| !vms.contains_key(name.as_str()));
        faults.extend(unknown.map(|name| fault(name, 0, "VMs")));
        if !faults.is_empty() {
            return Err(PlanFaults(faults));
        }
        let places = plan.vms.iter().map(|vm| vm.before.clone()).collect();
        Ok(Check { plan, nodes, vms, places, ended: 0, faults })
    }

    fn vm(&self, name: &str) -> usize {
        self.vms[name]
    }

    fn pool(&mut self, pool: usize, actions: &[Action]) {
        let mut after = self.places.clone();
        let mut acts = vec![false; after.len()];
        for action in actions {
            let vm = self.vm(&action.vm);
            if std::mem::replace(&mut acts[vm], true) {
                self.faults.push(PlanFault::TwoActions { pool, vm: action.vm.clone() });
                continue;
            }
            let found = &self.places[vm];
            match action.leads(found) {
                Some(place) => after[vm] = place,
                None => {
                    let nodes: Vec<&str> = action.from.iter().chain(&action.to).map(String::as_str).collect();
                    self.faults.push(PlanFault::State {
                        pool,
                        vm: action.vm.clone(),
                        found: found.to_string(),
                        action: format!("{} ({})", action.action.name(), nodes.join(", ")),
                    });
                }
            }
        }
        self.loads(pool, &after);
        self.relations(pool, &after);
        self.times(pool, actions);
        self.places = after;
        self.alone(pool, actions);
    }

    /// What the nodes bear while all VMs go to where they are after a pool.
    fn loads(&mut self, pool: usize, after: &[Place]) {
        let mut before = vec![[0; 2]; self.plan.nodes.len()];
        let mut during = before.clone();
        for (vm, (from, to)) in self.plan.vms.iter().zip(self.places.iter().zip(after)) {
            let (had, has) = (taken(vm, from), taken(vm, to));
            let stays = from.host() == to.host();
            if let Some(node) = from.host() {
                let node = self.nodes[node];
                for resource in 0..2 {
                    before[node][resource] += had[resource];
                    during[node][resource] +=
                        if stays { had[resource].max(has[resource]) } else { had[resource] };
                }
            }
            if let Some(node) = to.host().filter(|_| !stays) {
                let node = self.nodes[node];
                for resource in 0..2 {
                    during[node][resource] += has[resource];
                }
            }
        }
        for (node, (before, during)) in self.plan.nodes.iter().zip(before.into_iter().zip(during)) {
            let capacity: Load = [node.cpu.into(), node.memory.into()];
            for (resource, unit) in UNITS.into_iter().enumerate() {
                let (has, taken) = (capacity[resource], during[resource]);
                if taken > has && taken > before[resource] {
                    self.faults.push(PlanFault::Overload { pool, node: node.name.clone(), unit, has, taken });
                }
            }
        }
    }

    /// Whether VMs may arrive where they do. Before the first pool and while they stay relations need not hold.
    fn relations(&mut self, pool: usize, after: &[Place]) {
        let arrives = |vm: usize| after[vm].host().filter(|host| self.places[vm].host() != Some(host));
        let mut faults = Vec::new();
        for relation in &self.plan.relations {
            let members: Vec<usize> = relation.vms.iter().map(|name| self.vm(name)).collect();
            for (&vm, node) in members.iter().filter_map(|vm| Some((vm, arrives(*vm)?))) {
                let is_listed = relation.nodes.iter().any(|listed| listed == node);
                let meets = || {
                    let there = |place: &Place| place.host() == Some(node);
                    let others = members.iter().filter(|other| **other != vm);
                    others.clone().any(|&other| there(&self.places[other]) || there(&after[other]))
                };
                let (name, is_broken) = match relation.kind {
                    RelationKind::Fence => ("fence", !is_listed),
                    RelationKind::Ban => ("ban", is_listed),
                    RelationKind::Spread => ("spread", meets()),
                    RelationKind::Gather => ("gather", false),
                };
                if is_broken {
                    let (vm, node) = (self.plan.vms[vm].name.clone(), node.to_owned());
                    faults.push(PlanFault::Relation { pool, vm, node, relation: name });
                }
            }
        }
        self.faults.append(&mut faults);
    }

    /// Whether a pool begins when the one before has ended, and the suspends and the resumes of a vjob follow each other.
    fn times(&mut self, pool: usize, actions: &[Action]) {
        let mut ended = self.ended;
        let mut followed = BTreeMap::<(&str, Verb), (&str, Micros)>::new();
        for action in actions {
            let (begin, end) = (micros(action.begin_s), micros(action.end_s));
            let vjob = self.plan.vms[self.vm(&action.vm)].vjob.as_str();
            let in_turn = matches!(action.action, Verb::Suspend | Verb::Resume);
            let last = in_turn.then(|| followed.insert((vjob, action.action), (&action.vm, begin))).flatten();
            let is_right = match last {
                Some((vm, before)) => vm < action.vm.as_str() && begin == before + 1_000_000,
                None => begin == self.ended,
            };
            if !is_right || end < begin {
                self.faults.push(PlanFault::Time {
                    pool,
                    vm: action.vm.clone(),
                    action: action.action.name(),
                });
            }
            ended = ended.max(end);
        }
        self.ended = ended;
    }

    /// Whether everything is in its place at the end, and what must hold there does.
    fn end(&mut self) {
        for (vm, found) in self.plan.vms.iter().zip(&self.places) {
            if *found != vm.after {
                let (found, wanted) = (found.to_string(), vm.after.to_string());
                self.faults.push(PlanFault::End { vm: vm.name.clone(), found, wanted });
            }
        }
        let pool = self.plan.pools.len();
        let mut loads = vec![[0; 2]; self.plan.nodes.len()];
        for (vm, place) in self.plan.vms.iter().zip(&self.places) {
            if let Some(node) = place.host() {
                let (load, more) = (&mut loads[self.nodes[node]], taken(vm, place));
                *load = [load[0] + more[0], load[1] + more[1]];
            }
        }
        for (node, load) in self.plan.nodes.iter().zip(loads) {
            let capacity: Load = [node.cpu.into(), node.memory.into()];
            for (resource, unit) in UNITS.into_iter().enumerate() {
                let (has, taken) = (capacity[resource], load[resource]);
                if taken > has {
                    self.faults.push(PlanFault::Overload { pool, node: node.name.clone(), unit, has, taken });
                }
            }
        }
        let nowhere = vec![Place { state: State::Waiting, node: None }; self.places.len()];
        let places = std::mem::replace(&mut self.places, nowhere);
        // From nowhere every VM arrives, so that whatever is broken is seen.
        self.relations(pool, &places);
        for relation in self.plan.relations.iter().filter(|relation| relation.kind == RelationKind::Gather) {
            let hosted =
                relation.vms.iter().filter_map(|name| Some((name, places[self.vms[name.as_str()]].host()?)));
            let hosted: Vec<_> = hosted.collect();
            if let Some((vm, node)) = hosted.iter().find(|(_, node)| *node != hosted[0].1) {
                let (vm, node) = ((*vm).clone(), (*node).to_owned());
                self.faults.push(PlanFault::Relation { pool, vm, node, relation: "gather" });
            }
        }
        self.places = places;
    }

    /// Whether a vjob's actions of a kind share a pool.
    fn together(&mut self, kind: Verb, verb: &'static str) {
        let mut pools = BTreeMap::<&str, usize>::new();
        for (second, actions) in self.plan.pools.iter().enumerate() {
            for action in actions.iter().filter(|action| action.action == kind) {
                let vjob = self.plan.vms[self.vms[action.vm.as_str()]].vjob.as_str();
                let first = *pools.entry(vjob).or_insert(second);
                if first != second {
                    self.faults.push(PlanFault::Apart { vjob: vjob.to_owned(), verb, first, second });
                }
            }
        }
    }

    /// Whether all VMs of a vjob that run before and after the plan sleep once one of them was suspended on the way.
    fn alone(&mut self, pool: usize, actions: &[Action]) {
        let vms = &self.plan.vms;
        let runs_again = |vm: &usize| vms[*vm].after.state == State::Running;
        for action in actions.iter().filter(|action| action.action == Verb::Suspend) {
            let vm = self.vm(&action.vm);
            let is_left = |other: &usize| {
                let hosts = [&vms[*other].before, &self.places[*other]].map(Place::host);
                vms[*other].vjob == vms[vm].vjob && hosts.iter().all(Option::is_some)
            };
            let left = (0..vms.len()).filter(runs_again).find(is_left).filter(|_| runs_again(&vm));
            if let Some(other) = left {
                let (vm, other) = (action.vm.clone(), vms[other].name.clone());
                self.faults.push(PlanFault::Alone { pool, vm, other });
                return;
            }
        }
    }

    fn cost(&mut self) {
        let (mut before, mut total) = (0, 0);
        for pool in &self.plan.pools {
            let mut dearest = 0;
            for action in pool {
                let right = action.right_cost(self.plan.vms[self.vm(&action.vm)].memory.into());
                if action.cost != right {
                    let what = format!("the {} of `{}`", action.action.name(), action.vm);
                    self.faults.push(PlanFault::Cost { what, found: action.cost, right });
                }
                total += before + right;
                dearest = dearest.max(right);
            }
            before += dearest;
        }
        if total != self.plan.cost {
            let what = "the plan".to_owned();
            self.faults.push(PlanFault::Cost { what, found: self.plan.cost, right: total });
        }
    }

    fn bound(&mut self) {
        let (cost, proven) = (self.plan.cost, self.plan.proven);
        let wrong = |bound: &u64| cost < *bound || proven && cost > *bound;
        if let Some(bound) = self.plan.bound.filter(wrong) {
            self.faults.push(PlanFault::Bound { cost, bound, proven });
        }
    }

    fn report(&self) -> PlanReport {
        let count = |matching: &dyn Fn(&Action, &Vm) -> bool| {
            let actions = self.plan.pools.iter().flatten();
            actions.filter(|action| matching(action, &self.plan.vms[self.vm(&action.vm)])).count()
        };
        PlanReport {
            pools: self.plan.pools.len(),
            actions: count(&|_, _| true),
            detours_by_disk: count(&|action, vm| {
                action.action == Verb::Suspend && vm.after.state == State::Running
            }),
            detours_by_pivot: count(&|action, vm| {
                action.action == Verb::Migrate && action.to != vm.after.node
            }),
        }
    }
}
