//! Follows every VM through the pools.

use super::capacity::Capacities;
use super::document::{Action, Constraint, Document, Micros, Place, Starts, State, Verb, Vm, micros};
use super::fault::{PlanFault, PlanFaults};
use super::{arrival, order, switches};
use dfrsim_model::SortedMap;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

/// Figures of a plan without a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanReport {
    /// How many pools it has.
    pub pools: usize,
    /// How many actions.
    pub actions: usize,
    /// How many migrations beyond the first of a VM: cycles that a pivot broke.
    pub detours_by_pivot: usize,
    /// How many suspends of VMs that run again at the end: cycles that no pivot broke.
    pub detours_by_disk: usize,
}

/// Checks a plan.
///
/// # Errors
/// Everything that is wrong with it.
pub fn check_plan(text: &str) -> Result<PlanReport, PlanFaults> {
    let document: Document = serde_json::from_str(text)
        .map_err(|error| PlanFaults(vec![PlanFault::new(format!("not a plan: {error}"))]))?;
    let mut check = Check::new(&document)?;
    for (pool, actions) in document.pools.iter().enumerate() {
        check.pool(pool, actions);
    }
    if document.actions == Starts::Asap {
        check.moments();
    }
    check.end();
    check.faults.extend(order::faults(&document));
    check.faults.extend(switches::faults(&document));
    check.together(Verb::Suspend, "suspended");
    check.together(Verb::Resume, "resumed");
    check.cost();
    check.bound();
    if check.faults.is_empty() { Ok(check.report()) } else { Err(PlanFaults(check.faults)) }
}

struct Check<'a> {
    plan: &'a Document,
    vms: FxHashMap<&'a str, usize>,
    /// The constraints that each VM has to do with.
    concerned: Vec<Vec<&'a Constraint>>,
    places: Vec<Place>,
    capacities: Capacities<'a>,
    /// When the pools so far have ended.
    ended: Micros,
    faults: Vec<PlanFault>,
}

impl<'a> Check<'a> {
    fn new(plan: &'a Document) -> Result<Check<'a>, PlanFaults> {
        let nodes: FxHashMap<_, _> =
            plan.nodes.iter().zip(0..).map(|(node, at)| (node.name.as_str(), at)).collect();
        let vms: FxHashMap<_, _> = plan.vms.iter().zip(0..).map(|(vm, at)| (vm.name.as_str(), at)).collect();
        let mut faults = Vec::new();
        let fault = |name: &str, count, kind| {
            let text = format!("expected one of the {kind} to have the name `{name}`, found {count}");
            PlanFault::new(text)
        };
        let twice = plan.nodes.iter().enumerate().filter(|(at, node)| nodes[node.name.as_str()] != *at);
        faults.extend(twice.map(|(_, node)| fault(&node.name, 2, "nodes")));
        let twice = plan.vms.iter().enumerate().filter(|(at, vm)| vms[vm.name.as_str()] != *at);
        faults.extend(twice.map(|(_, vm)| fault(&vm.name, 2, "VMs")));
        let actions = || plan.pools.iter().flatten();
        let places = plan.vms.iter().flat_map(|vm| [vm.before.node.as_ref(), vm.after.node.as_ref()]);
        let ends = actions().flat_map(|action| [action.from.as_ref(), action.to.as_ref()]);
        let switched = plan.switches.iter().map(|switch| &switch.node);
        let named = plan.constraints.iter().flat_map(Constraint::all_nodes).chain(switched);
        let unknown = places.chain(ends).flatten().chain(named);
        let unknown = unknown.filter(|name| !nodes.contains_key(name.as_str()));
        faults.extend(unknown.map(|name| fault(name, 0, "nodes")));
        let named = plan.constraints.iter().flat_map(Constraint::all_vms);
        let unknown =
            actions().map(|action| &action.vm).chain(named).filter(|name| !vms.contains_key(name.as_str()));
        faults.extend(unknown.map(|name| fault(name, 0, "VMs")));
        if !faults.is_empty() {
            return Err(PlanFaults(faults));
        }
        let places = plan.vms.iter().map(|vm| vm.before.clone()).collect();
        let concerned = arrival::concerned(plan, &vms);
        Ok(Check { plan, vms, concerned, places, capacities: Capacities::of(plan), ended: 0, faults })
    }

    fn vm(&self, name: &str) -> usize {
        self.vms[name]
    }

    fn fault(&mut self, text: String) {
        self.faults.push(PlanFault::new(text));
    }

    fn two_actions(&mut self, pool: usize, action: &Action) {
        self.fault(format!("pool {pool}: `{}` has two actions", action.vm));
    }

    fn pool(&mut self, pool: usize, actions: &[Action]) {
        let mut after = self.places.clone();
        let mut acts = vec![false; after.len()];
        for action in actions {
            let vm = self.vm(&action.vm);
            if std::mem::replace(&mut acts[vm], true) {
                self.two_actions(pool, action);
                continue;
            }
            let found = &self.places[vm];
            match action.leads(found) {
                Some(place) => after[vm] = place,
                None => {
                    let nodes: Vec<&str> = action.from.iter().chain(&action.to).map(String::as_str).collect();
                    let (vm, verb, nodes) = (&action.vm, action.action.name(), nodes.join(", "));
                    let text = format!("pool {pool}: `{vm}` is {found}, where {verb} ({nodes}) cannot begin");
                    self.fault(text);
                }
            }
        }
        if self.plan.actions == Starts::Pools {
            self.moment(pool, &self.places.clone(), &after, |_| false);
        }
        self.times(pool, actions);
        self.places = after;
        self.alone(pool, actions);
    }

    /// Whether VMs may go from some places to others at once.
    fn moment(&mut self, pool: usize, before: &[Place], after: &[Place], had_begun: impl Fn(usize) -> bool) {
        self.faults.extend(self.capacities.exceeded(pool, before, after, had_begun));
        self.faults.extend(arrival::faults(self.plan, &self.vms, &self.concerned, pool, before, after));
    }

    /// What holds whenever an action begins, where they do at any time: a VM that acts is at both its ends until it has ended.
    fn moments(&mut self) {
        let plan = self.plan;
        let mut actions = plan.all_actions();
        actions.sort_by_key(|(_, action)| micros(action.begin_s));
        let mut before: Vec<Place> = plan.vms.iter().map(|vm| vm.before.clone()).collect();
        let mut after = before.clone();
        let mut ends: Vec<Option<Micros>> = vec![None; before.len()];
        for of_moment in actions.chunk_by(|a, b| micros(a.1.begin_s) == micros(b.1.begin_s)) {
            let now = micros(of_moment[0].1.begin_s);
            for vm in (0..ends.len()).filter(|&vm| ends[vm].is_some_and(|end| end <= now)).collect::<Vec<_>>()
            {
                (before[vm], ends[vm]) = (after[vm].clone(), None);
            }
            let had_begun: Vec<bool> = ends.iter().map(Option::is_some).collect();
            for &(pool, action) in of_moment {
                let vm = self.vm(&action.vm);
                match action.leads(&before[vm]).filter(|_| ends[vm].is_none()) {
                    Some(place) => (after[vm], ends[vm]) = (place, Some(micros(action.end_s))),
                    None => self.two_actions(pool, action),
                }
            }
            self.moment(of_moment[0].0, &before, &after, |vm| had_begun[vm]);
        }
    }

    /// Whether a pool begins when the one before has ended and its nodes are on, and the suspends and the resumes of a vjob follow each other.
    fn times(&mut self, pool: usize, actions: &[Action]) {
        let is_early = self.plan.actions == Starts::Asap;
        let ended = if is_early { 0 } else { self.ended };
        let start = ended.max(switches::booted(self.plan, if is_early { &[] } else { actions }));
        let mut ended = start;
        let mut followed = SortedMap::<(&str, Verb), (&str, Micros)>::default();
        for action in actions {
            let (begin, end) = (micros(action.begin_s), micros(action.end_s));
            let vjob = self.plan.vms[self.vm(&action.vm)].vjob.as_str();
            let in_turn = matches!(action.action, Verb::Suspend | Verb::Resume);
            let last = in_turn.then(|| followed.insert((vjob, action.action), (&action.vm, begin))).flatten();
            let is_right = match last {
                Some((vm, before)) => vm < action.vm.as_str() && begin == before + 1_000_000,
                None if is_early => begin >= switches::booted(self.plan, std::slice::from_ref(action)),
                None => begin == start,
            };
            if !is_right || end < begin {
                let (vm, verb) = (&action.vm, action.action.name());
                self.fault(format!("pool {pool}: the {verb} of `{vm}` begins or ends at the wrong time"));
            }
            ended = ended.max(end);
        }
        self.ended = ended;
    }

    /// Whether everything is in its place at the end, and what must hold there does.
    fn end(&mut self) {
        for (vm, found) in self.plan.vms.iter().zip(&self.places).filter(|(vm, found)| **found != vm.after) {
            let text = format!("at the end `{}` is {found}, but should be {}", vm.name, vm.after);
            self.faults.push(PlanFault::new(text));
        }
        // From `nowhere` every VM arrives, so that each broken constraint is seen.
        let nowhere = vec![Place { state: State::Waiting, node: None }; self.places.len()];
        self.moment(self.plan.pools.len(), &nowhere, &self.places.clone(), |_| false);
        self.faults.extend(arrival::faults_together(self.plan, &self.vms, &self.places));
    }

    /// Whether a vjob's actions of a kind share a pool.
    fn together(&mut self, kind: Verb, verb: &'static str) {
        let mut pools = SortedMap::<&str, usize>::default();
        for (second, actions) in self.plan.pools.iter().enumerate() {
            for action in actions.iter().filter(|action| action.action == kind) {
                let vjob = self.plan.vms[self.vms[action.vm.as_str()]].vjob.as_str();
                let first = *pools.or_insert_with(vjob, || second);
                if first != second {
                    self.fault(format!("`{vjob}` is {verb} in the pools {first} and {second}"));
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
                let (vm, other) = (&action.vm, &vms[other].name);
                return self.fault(format!(
                    "pool {pool}: `{vm}` is suspended during the switch, but `{other}` of the same vjob is not"
                ));
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
                    let (verb, vm, found) = (action.action.name(), &action.vm, action.cost);
                    self.fault(format!("the {verb} of `{vm}` costs {right}, not {found}"));
                }
                total += before + right;
                dearest = dearest.max(right);
            }
            before += dearest;
        }
        if total != self.plan.cost {
            self.fault(format!("the plan costs {total}, not {}", self.plan.cost));
        }
    }

    fn bound(&mut self) {
        let (cost, proven) = (self.plan.cost, self.plan.proven);
        // What is proven has a bound that says so.
        let bound = self.plan.bound.unwrap_or(0);
        if cost < bound || proven && (cost > bound || self.plan.bound.is_none()) {
            self.fault(format!("`proven` is {proven}, but the plan costs {cost} and the bound is {bound}"));
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
