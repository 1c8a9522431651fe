//! Checks that follow every VM through the pools.

use super::capacity::Capacities;
use super::document::{
    ActionRecord, Constraint, Document, Micros, PlaceRecord, StartTimes, State, Verb, VmRecord, micros,
};
use super::fault::{PlanViolation, PlanViolations};
use super::{arrival, moves, order, soft, switches};
use dfrsim_model::SortedMap;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

/// Figures of a plan without violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlanReport {
    /// Number of pools.
    pub pools: usize,
    /// Number of actions.
    pub actions: usize,
    /// Number of additional migrations of VMs: cycles broken with a pivot.
    pub detours_by_pivot: usize,
    /// Number of suspends of VMs that run again at the end: cycles broken by suspending to disk.
    pub detours_by_disk: usize,
}

/// Checks a plan.
///
/// # Errors
///
/// Returns all violations.
pub fn check_plan(text: &str) -> Result<PlanReport, PlanViolations> {
    let mut document: Document = serde_json::from_str(text)
        .map_err(|error| PlanViolations(vec![PlanViolation::new(format!("not a plan: {error}"))]))?;
    document.soft = document.constraints.extract_if(.., |it| it.weight.is_some()).collect();
    let mut check = Check::new(&document)?;
    for (pool, actions) in document.pools.iter().enumerate() {
        check.check_pool(pool, actions);
    }
    if document.actions == StartTimes::Asap {
        check.check_begins();
    }
    check.check_end();
    check.faults.extend(order::faults(&document));
    check.faults.extend(switches::faults(&document));
    check.faults.extend(moves::faults(&document));
    check.check_same_pool(Verb::Suspend, "suspended");
    check.check_same_pool(Verb::Resume, "resumed");
    check.check_cost();
    let penalty = soft::penalty(&document, &check.vms, &check.places);
    if penalty != document.penalty {
        check.fault(format!("violations of soft rules cost {penalty}, not {}", document.penalty));
    }
    check.check_bound();
    if check.faults.is_empty() { Ok(check.report()) } else { Err(PlanViolations(check.faults)) }
}

struct Check<'a> {
    plan: &'a Document,
    vms: FxHashMap<&'a str, usize>,
    /// Constraints that apply to each VM.
    concerned: Vec<Vec<&'a Constraint>>,
    places: Vec<PlaceRecord>,
    capacities: Capacities<'a>,
    /// End of the previous pools.
    ended: Micros,
    faults: Vec<PlanViolation>,
}

impl<'a> Check<'a> {
    fn new(plan: &'a Document) -> Result<Check<'a>, PlanViolations> {
        let nodes: FxHashMap<_, _> =
            plan.nodes.iter().zip(0..).map(|(node, at)| (node.name.as_str(), at)).collect();
        let vms: FxHashMap<_, _> = plan.vms.iter().zip(0..).map(|(vm, at)| (vm.name.as_str(), at)).collect();
        let mut faults = Vec::new();
        let fault = |name: &str, count, kind| {
            let text = format!("expected exactly one of the {kind} with the name `{name}`, found {count}");
            PlanViolation::new(text)
        };
        let twice = plan.nodes.iter().enumerate().filter(|(at, node)| nodes[node.name.as_str()] != *at);
        faults.extend(twice.map(|(_, node)| fault(&node.name, 2, "nodes")));
        let twice = plan.vms.iter().enumerate().filter(|(at, vm)| vms[vm.name.as_str()] != *at);
        faults.extend(twice.map(|(_, vm)| fault(&vm.name, 2, "VMs")));
        let actions = || plan.pools.iter().flatten();
        let places = plan.vms.iter().flat_map(|vm| [vm.before.node.as_ref(), vm.after.node.as_ref()]);
        let ends = actions().flat_map(|action| [action.from.as_ref(), action.to.as_ref()]);
        let switched = plan.switches.iter().map(|switch| &switch.node);
        let rules = || plan.constraints.iter().chain(&plan.soft);
        let named = rules().flat_map(Constraint::all_nodes).chain(switched);
        let unknown = places.chain(ends).flatten().chain(named);
        let unknown = unknown.filter(|name| !nodes.contains_key(name.as_str()));
        faults.extend(unknown.map(|name| fault(name, 0, "nodes")));
        let named = rules().flat_map(Constraint::all_vms);
        let unknown =
            actions().map(|action| &action.vm).chain(named).filter(|name| !vms.contains_key(name.as_str()));
        faults.extend(unknown.map(|name| fault(name, 0, "VMs")));
        if !faults.is_empty() {
            return Err(PlanViolations(faults));
        }
        let places = plan.vms.iter().map(|vm| vm.before.clone()).collect();
        let concerned = arrival::constraints_by_vm(plan, &vms);
        Ok(Check { plan, vms, concerned, places, capacities: Capacities::of(plan), ended: 0, faults })
    }

    fn vm(&self, name: &str) -> usize {
        self.vms[name]
    }

    fn fault(&mut self, text: String) {
        self.faults.push(PlanViolation::new(text));
    }

    fn two_actions(&mut self, pool: usize, action: &ActionRecord) {
        self.fault(format!("pool {pool}: `{}` has two actions", action.vm));
    }

    fn check_pool(&mut self, pool: usize, actions: &[ActionRecord]) {
        let mut after = self.places.clone();
        let mut acts = vec![false; after.len()];
        for action in actions {
            let vm = self.vm(&action.vm);
            if std::mem::replace(&mut acts[vm], true) {
                self.two_actions(pool, action);
                continue;
            }
            let found = &self.places[vm];
            match action.result_from(found) {
                Some(place) => after[vm] = place,
                None => {
                    let nodes: Vec<&str> = action.from.iter().chain(&action.to).map(String::as_str).collect();
                    let (vm, verb, nodes) = (&action.vm, action.action.name(), nodes.join(", "));
                    let text =
                        format!("pool {pool}: {verb} ({nodes}) of `{vm}` is illegal: the VM is {found}");
                    self.fault(text);
                }
            }
        }
        if self.plan.actions == StartTimes::Pools {
            self.check_change(pool, &self.places.clone(), &after, |_| false);
        }
        self.check_times(pool, actions);
        self.places = after;
        self.check_vjob_suspended(pool, actions);
    }

    /// Checks capacities and constraints while VMs change from `before` to `after` at the same time.
    fn check_change(
        &mut self,
        pool: usize,
        before: &[PlaceRecord],
        after: &[PlaceRecord],
        had_begun: impl Fn(usize) -> bool,
    ) {
        self.faults.extend(self.capacities.exceeded(pool, before, after, had_begun));
        self.faults.extend(arrival::faults(self.plan, &self.vms, &self.concerned, pool, before, after));
    }

    /// Checks the state at each start of an action, for plans whose actions begin at any time. A VM
    /// in an action counts at both ends of the action until it ends.
    fn check_begins(&mut self) {
        let plan = self.plan;
        let mut actions = plan.all_actions();
        actions.sort_by_key(|(_, action)| micros(action.begin_s));
        let mut before: Vec<PlaceRecord> = plan.vms.iter().map(|vm| vm.before.clone()).collect();
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
                match action.result_from(&before[vm]).filter(|_| ends[vm].is_none()) {
                    Some(place) => (after[vm], ends[vm]) = (place, Some(micros(action.end_s))),
                    None => self.two_actions(pool, action),
                }
            }
            self.check_change(of_moment[0].0, &before, &after, |vm| had_begun[vm]);
        }
    }

    /// Checks that a pool begins when the previous one has ended and its nodes are on, and that the
    /// suspends and the resumes of a vjob follow each other.
    fn check_times(&mut self, pool: usize, actions: &[ActionRecord]) {
        let is_early = self.plan.actions == StartTimes::Asap;
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

    /// Checks that every VM is in its final place, and that the constraints hold there.
    fn check_end(&mut self) {
        for (vm, found) in self.plan.vms.iter().zip(&self.places).filter(|(vm, found)| **found != vm.after) {
            let text = format!("at the end `{}` is {found}, but should be {}", vm.name, vm.after);
            self.faults.push(PlanViolation::new(text));
        }
        // VMs without a place arrive everywhere, so that each violated constraint is found.
        let nowhere = vec![PlaceRecord { state: State::Waiting, node: None }; self.places.len()];
        self.check_change(self.plan.pools.len(), &nowhere, &self.places.clone(), |_| false);
        self.faults.extend(arrival::faults_together(self.plan, &self.vms, &self.places));
    }

    /// Checks that the actions of a vjob of this kind share a pool.
    fn check_same_pool(&mut self, kind: Verb, verb: &'static str) {
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

    /// Checks that all VMs of a vjob that run before and after the plan are suspended if one of them
    /// is suspended on the way.
    fn check_vjob_suspended(&mut self, pool: usize, actions: &[ActionRecord]) {
        let vms = &self.plan.vms;
        let runs_again = |vm: &usize| vms[*vm].after.state == State::Running;
        for action in actions.iter().filter(|action| action.action == Verb::Suspend) {
            let vm = self.vm(&action.vm);
            let is_left = |other: &usize| {
                let hosts = [&vms[*other].before, &self.places[*other]].map(PlaceRecord::host);
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

    fn check_cost(&mut self) {
        let (mut before, mut total) = (0, 0);
        for pool in &self.plan.pools {
            let mut dearest = 0;
            for action in pool {
                let right = action.expected_cost(self.plan.vms[self.vm(&action.vm)].memory.into());
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

    fn check_bound(&mut self) {
        let (cost, proven) = (self.plan.cost, self.plan.proven);
        // A proven plan must state its bound.
        let bound = self.plan.bound.unwrap_or(0);
        if cost < bound || proven && (cost > bound || self.plan.bound.is_none()) {
            self.fault(format!(
                "`proven` is {proven}, but the plan costs {cost} and the lower bound is {bound}"
            ));
        }
    }

    fn report(&self) -> PlanReport {
        let count = |matching: &dyn Fn(&ActionRecord, &VmRecord) -> bool| {
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
