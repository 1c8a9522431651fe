//! The planner: from one configuration to another in pools of actions, each feasible when it starts
//! (section 4.1).

mod cycle;
mod exact;
mod plan_policy;
mod thresholds;

use crate::action::{Action, IllegalTransition, Kind};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::ledger::Ledger;
use crate::plan::{Plan, Step, cost_of};
use crate::timetable::missed_deadline;
use crate::viability::{NotViable, SizeMismatch};
use crate::vjob::{VjobId, VmId};
use dfrsim_model::SimTime;
pub(crate) use plan_policy::PlanPolicy;
use rustc_hash::FxHashMap;

/// Reasons for which there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A configuration has the wrong number of places.
    #[error(transparent)]
    Places(#[from] SizeMismatch),
    /// A VM would change its state in a way that its life cycle does not have.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// The target configuration is not viable.
    #[error("the target configuration is not viable: {0}")]
    NotViable(#[from] NotViable),
    /// No plan was found that satisfies the constraints on order and times. One may exist in which
    /// VMs move more than once.
    #[error(
        "no plan satisfies precedence, serialise, sync, no-delay and deadline: VM `{vm}` cannot act in the order or by the time that they require"
    )]
    Order {
        /// Name of a VM that cannot act, or acts too late.
        vm: String,
    },
}

/// Plans a low-cost transition to a viable configuration: like [`plan_early`], but with pools chosen
/// by cost.
///
/// A pool may have a threshold: tasks that cost more wait for a later pool. A local search finds
/// thresholds that make the plan cheaper. For up to ten tasks, the cheapest of all orders is found.
///
/// # Errors
/// The target configuration is not viable, or a VM cannot reach its target state.
pub fn plan(cluster: &Cluster, current: &Configuration, wanted: &Configuration) -> Result<Plan, PlanError> {
    check(cluster, current, wanted)?;
    Ok(Plan::of(Planner::new(cluster, current).best(wanted, &mut PlanPolicy::new(cluster))?))
}

/// Plans a transition to a viable configuration with each action in the earliest possible pool
/// (section 4.1).
///
/// * The suspends of a vjob share a pool, and so do its resumes, so that its VMs stop and restart
///   together.
/// * Tasks (these groups, and all other single actions) join the first pool in which they fit
///   alongside the tasks that joined before. Tasks are considered in the order of names. Resources
///   that a pool frees are available from the next pool on.
/// * A task also waits if one of its VMs must act after another VM, or not at the same time.
/// * If no action fits, migrations wait for each other in cycles. A cycle is broken at its smallest
///   VM that a node outside of the cycle, the pivot, can host temporarily, as early as possible. If
///   there is no pivot, the vjob of the cycle with the least memory is suspended at the beginning
///   and resumed later.
///
/// No action ever enters a node that lacks the resources for it or that a constraint forbids;
/// `gather` and `among` are satisfied at the end. The current configuration need not be viable.
///
/// Without constraints on the order and the times of actions such a plan always exists: suspends
/// empty every cycle without a pivot, and the remaining actions then fit, since the target
/// configuration is viable.
///
/// # Errors
/// The target configuration is not viable, a VM cannot reach its target state, or no plan was found
/// under the constraints on the order and the times of actions.
pub fn plan_early(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
) -> Result<Plan, PlanError> {
    check(cluster, current, wanted)?;
    Ok(Plan::of(Planner::new(cluster, current).steps(wanted, &PlanPolicy::new(cluster))?))
}

fn check(cluster: &Cluster, current: &Configuration, wanted: &Configuration) -> Result<(), PlanError> {
    current.check_size(cluster)?;
    wanted.check_size(cluster)?;
    Ok(wanted.check(cluster)?)
}

/// Plans transitions from one configuration to many others, with reusable buffers.
#[derive(Clone, Debug)]
pub(crate) struct Planner<'a> {
    cluster: &'a Cluster,
    current: &'a Configuration,
    /// Free resources of the nodes in the current configuration.
    pub(crate) free: Vec<crate::Amount>,
    /// Rank of each VM in the order of names.
    rank: Vec<u32>,
    /// True if any VM has a deadline.
    is_timed: bool,
    /// True for vjobs that are suspended and resumed to break a cycle without a pivot.
    via_disk: Vec<bool>,
    /// True for VMs that would end in a cycle unless a pivot is used earlier.
    in_cycles: Vec<bool>,
    ledger: Ledger,
    /// Actions, grouped by task.
    actions: Vec<Action>,
    /// Remaining tasks, sorted by the names of their first VMs.
    tasks: Vec<ActionGroup>,
    steps: Vec<Step>,
}

/// Actions that share a pool: the suspends or the resumes of a vjob, or a single action.
#[derive(Clone, Copy, Debug)]
struct ActionGroup {
    /// Range of the task in [`Planner::actions`].
    first: usize,
    end: usize,
    /// Cost of the most expensive action.
    price: u64,
}

impl ActionGroup {
    fn of<'a>(&self, actions: &'a [Action]) -> &'a [Action] {
        &actions[self.first..self.end]
    }
}

/// Failures of an attempt to plan.
enum AttemptError {
    /// The attempt gained information; the next one may succeed.
    Retry,
    /// No further attempt can succeed, because of this VM.
    Unplannable(VmId),
}

impl<'a> Planner<'a> {
    pub(crate) fn new(cluster: &'a Cluster, current: &'a Configuration) -> Planner<'a> {
        let mut rank = vec![0; cluster.vms().len()];
        for (position, vm) in (0..).zip(cluster.by_name()) {
            rank[vm.index()] = position;
        }
        let free = current.free_resources(cluster);
        Planner {
            cluster,
            current,
            free,
            rank,
            is_timed: cluster.constraints().has_deadlines(),
            via_disk: vec![false; cluster.vjobs().len()],
            in_cycles: vec![false; cluster.vms().len()],
            ledger: Ledger::default(),
            actions: Vec::new(),
            tasks: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Computes the steps to a viable configuration under a policy, sorted by pool and name; pools
    /// are numbered without gaps.
    pub(crate) fn steps(
        &mut self,
        wanted: &Configuration,
        policy: &PlanPolicy,
    ) -> Result<&[Step], PlanError> {
        self.via_disk.fill(false);
        self.in_cycles.fill(false);
        loop {
            self.set_tasks(wanted)?;
            if let Some(vm) = self.acting_too_often() {
                return Err(PlanError::Order { vm: self.cluster.vm(vm).name.clone() });
            }
            match self.attempt(policy) {
                Ok(()) => break,
                Err(AttemptError::Retry) => {}
                Err(AttemptError::Unplannable(vm)) => {
                    return Err(PlanError::Order { vm: self.cluster.vm(vm).name.clone() });
                }
            }
        }
        let rank = &self.rank;
        self.steps.sort_unstable_by_key(|step| (step.pool, rank[step.action.vm().index()]));
        match self.is_timed.then(|| missed_deadline(self.cluster, &Plan::of(&self.steps))).flatten() {
            Some(vm) => Err(PlanError::Order { vm: self.cluster.vm(vm).name.clone() }),
            None => Ok(&self.steps),
        }
    }

    /// Computes the actions to a configuration and groups them into tasks.
    fn set_tasks(&mut self, wanted: &Configuration) -> Result<(), IllegalTransition> {
        let (cluster, vjobs) = (self.cluster, self.cluster.vjobs().len());
        let constraints = cluster.constraints();
        // Sort keys of the suspend and resume tasks: the rank of the first such VM of each vjob.
        let mut first = vec![[None; 2]; vjobs];
        let mut keyed: Vec<(u32, Action)> = Vec::with_capacity(cluster.vms().len());
        let mut add = |action: Action, rank: u32| {
            let Some(group) = action.kind().stagger_group() else {
                return keyed.push((3 * rank + 2, action));
            };
            let first = &mut first[cluster.vm(action.vm()).vjob.index()][group];
            keyed.push((3 * *first.get_or_insert(rank) + group as u32, action));
        };
        for (rank, &vm) in (0..).zip(cluster.by_name()) {
            let (from, to) = (self.current.place(vm), wanted.place(vm));
            let mut actions = Action::sequence_between(cluster, vm, from, to)?;
            if let (Some(at), Place::Running(_), true) = (from.host(), to, self.goes_via_disk(vm)) {
                let disk = Place::Sleeping(at);
                actions = [Action::of(vm, from, disk), Action::of(vm, disk, to)];
            }
            actions.into_iter().flatten().for_each(|action| add(action, rank));
        }
        synchronise(cluster, &mut keyed);
        // Urgent actions, then those with the earliest deadlines, are considered first.
        let first = |vm: VmId| {
            let of_vm = constraints.vm(vm);
            (!of_vm.is_urgent, of_vm.deadline.unwrap_or(SimTime::MAX))
        };
        if self.is_timed || keyed.iter().any(|(_, action)| constraints.vm(action.vm()).is_urgent) {
            let mut firsts = FxHashMap::default();
            for (key, action) in &keyed {
                let first = first(action.vm());
                firsts.entry(*key).and_modify(|it| *it = first.min(*it)).or_insert(first);
            }
            keyed.sort_by_key(|(key, _)| (firsts[key], *key));
        } else {
            keyed.sort_by_key(|(key, _)| *key);
        }
        self.actions.clear();
        self.tasks.clear();
        for task in keyed.chunk_by(|a, b| a.0 == b.0) {
            let first = self.actions.len();
            self.actions.extend(task.iter().map(|(_, action)| *action));
            let price = task.iter().map(|(_, action)| action.cost(cluster)).max().unwrap_or(0);
            self.tasks.push(ActionGroup { first, end: self.actions.len(), price });
        }
        Ok(())
    }

    /// Returns a VM that may act only once, but is suspended and then transferred.
    fn acting_too_often(&self) -> Option<VmId> {
        let has_two = |action: &&Action| {
            action.kind() == Kind::Transfer && self.current.place(action.vm()).host().is_some()
        };
        let vms = self.actions.iter().filter(has_two).map(|action| action.vm());
        vms.into_iter().find(|vm| self.cluster.constraints().vm(*vm).acts_once())
    }

    fn vjob(&self, vm: VmId) -> VjobId {
        self.cluster.vm(vm).vjob
    }

    fn goes_via_disk(&self, vm: VmId) -> bool {
        self.via_disk[self.vjob(vm).index()]
    }

    /// Assigns tasks to pools until none is left.
    fn attempt(&mut self, policy: &PlanPolicy) -> Result<(), AttemptError> {
        let cluster = self.cluster;
        self.ledger.reset(cluster, self.current, &self.free, &self.actions);
        self.steps.clear();
        let (mut pool, mut level) = (0, 0);
        let mut holds = policy.has_delays();
        while !self.tasks.is_empty() {
            let threshold = policy.threshold(level);
            level += 1;
            let before = self.steps.len();
            let (ledger, steps, actions) = (&mut self.ledger, &mut self.steps, &self.actions);
            let mut is_free = true;
            self.tasks.retain(|task| {
                let is_urgent =
                    task.of(actions).iter().any(|action| cluster.constraints().vm(action.vm()).is_urgent);
                let is_held =
                    || holds && task.of(actions).iter().any(|action| policy.is_delayed(action.vm()));
                let is_in_time = if is_urgent { pool == 0 } else { task.price <= threshold && !is_held() };
                let is_feasible = is_in_time && ledger.admits_all(cluster, task.of(actions));
                if is_feasible {
                    is_free &= task.price == 0;
                    for &action in task.of(actions) {
                        ledger.begin(cluster, action);
                        steps.push(Step { pool, action });
                    }
                }
                !is_feasible
            });
            let was_stuck = self.steps.len() == before;
            if was_stuck && (threshold < u64::MAX || holds) {
                holds &= threshold < u64::MAX;
                continue;
            }
            if was_stuck {
                self.break_cycles(pool)?;
            } else if self.in_cycles.contains(&true) && threshold == u64::MAX {
                self.use_pivots(pool, |planner, vm| planner.in_cycles[vm.index()]);
            }
            holds &= is_free;
            self.ledger.end_pool();
            pool += 1;
        }
        Ok(())
    }

    /// Breaks cycles when no action fits: by pivots, which are first tried in an earlier pool,
    /// otherwise by suspends to disk.
    fn break_cycles(&mut self, pool: u32) -> Result<(), AttemptError> {
        let cluster = self.cluster;
        let remaining: Vec<Action> = self.remaining();
        if pool > 0 && !self.in_cycles.contains(&true) {
            remaining.iter().for_each(|action| self.in_cycles[action.vm().index()] = true);
            return Err(AttemptError::Retry);
        }
        if self.use_pivots(pool, |_, _| true) {
            return Ok(());
        }
        let mut is_new = false;
        for cycle in cycle::cycles(cluster, &remaining, |_| true) {
            let vjobs = cycle.iter().map(|&index| self.vjob(remaining[index].vm()));
            is_new |= self.select_for_disk(vjobs.collect());
        }
        if !is_new {
            // VMs that wait for a shared budget or for other VMs to act are in no cycle of nodes.
            let moves = remaining
                .iter()
                .filter(|action| action.from().host().is_some() && action.to().host().is_some());
            let vjobs =
                moves.map(|action| self.vjob(action.vm())).filter(|vjob| !self.via_disk[vjob.index()]);
            if !self.select_for_disk(vjobs.collect()) {
                return Err(AttemptError::Unplannable(remaining[0].vm()));
            }
        }
        // The remaining cycles are different ones.
        self.in_cycles.fill(false);
        Err(AttemptError::Retry)
    }

    /// Selects the vjob with the least memory for suspend and resume. Returns true if it was not
    /// selected before.
    fn select_for_disk(&mut self, vjobs: Vec<VjobId>) -> bool {
        let cluster = self.cluster;
        let memory = |vjob: &VjobId| {
            let hosted = cluster.vms_of(*vjob).iter().filter(|vm| self.current.place(**vm).host().is_some());
            (hosted.map(|&vm| cluster.vm(vm).demand.memory).sum::<i64>(), *vjob)
        };
        let may_sleep =
            |vjob: &VjobId| !cluster.vms_of(*vjob).iter().any(|vm| cluster.constraints().vm(*vm).acts_once());
        let lightest = vjobs.into_iter().filter(may_sleep).min_by_key(memory);
        lightest.is_some_and(|vjob| !std::mem::replace(&mut self.via_disk[vjob.index()], true))
    }

    fn remaining(&self) -> Vec<Action> {
        self.tasks.iter().flat_map(|task| task.of(&self.actions)).copied().collect()
    }

    /// Moves VMs of cycles to pivots in this pool. Returns true if any was moved.
    fn use_pivots(&mut self, pool: u32, is_in_cycle: impl Fn(&Self, VmId) -> bool) -> bool {
        let remaining = self.remaining();
        let mut ledger = std::mem::take(&mut self.ledger);
        let waits = |action: Action| is_in_cycle(self, action.vm());
        let detours = cycle::break_by_pivots(self.cluster, &mut ledger, &remaining, waits);
        self.ledger = ledger;
        for detour in &detours {
            self.ledger.order.add_pending(detour.then);
            self.steps.push(Step { pool, action: detour.first });
            let direct = remaining[detour.index];
            let at = self.actions.iter().position(|&action| action == direct).expect("the action is pending");
            self.actions[at] = detour.then;
        }
        !detours.is_empty()
    }

    /// Computes the cost of the plan to a viable configuration under a policy, as
    /// [`Plan::cost_from`] does.
    pub(crate) fn cost(&mut self, wanted: &Configuration, policy: &PlanPolicy) -> Result<u64, PlanError> {
        let (cluster, current) = (self.cluster, self.current);
        let steps = self.steps(wanted, policy)?;
        if cluster.is_early() {
            return Ok(Plan::of(steps).cost_from(cluster, current));
        }
        let pools = steps.chunk_by(|a, b| a.pool == b.pool);
        Ok(cost_of(cluster, pools.map(|pool| pool.iter().map(|step| step.action))))
    }
}

/// Merges the tasks of VMs that must act in the same pool, by giving their actions a common key.
fn synchronise(cluster: &Cluster, keyed: &mut [(u32, Action)]) {
    for at in 0..keyed.len() {
        for other in &cluster.constraints().vm(keyed[at].1.vm()).in_sync {
            let key = keyed[at].0;
            let of_other =
                keyed.iter().find(|(other_key, action)| action.vm() == *other && *other_key != key);
            if let Some(&(of_other, _)) = of_other {
                let (kept, joined) = (key.min(of_other), key.max(of_other));
                keyed.iter_mut().filter(|(key, _)| *key == joined).for_each(|(key, _)| *key = kept);
            }
        }
    }
}
