//! From one configuration to another: pools of actions, each feasible when its turn comes (section 4.1).

mod cycle;
mod early;
mod exact;
mod ledger;
mod order;
mod thresholds;

use crate::action::{Action, IllegalTransition};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::plan::{Plan, Step, cost_of};
use crate::timetable::late;
use crate::viability::{NotViable, OtherCluster};
use crate::vjob::{VjobId, VmId};
use dfrsim_model::SimTime;
pub(crate) use early::early;
use ledger::Ledger;
use rustc_hash::FxHashMap;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A configuration is that of another cluster.
    #[error(transparent)]
    Places(#[from] OtherCluster),
    /// A VM would change its state in a way that its life cycle does not have.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// The wanted configuration is not viable.
    #[error("the target configuration is not viable: {0}")]
    NotViable(#[from] NotViable),
    /// No plan was found in which actions have the order that precedence and serialisation ask for. There may be one if VMs
    /// move more than once.
    #[error(
        "no plan satisfies precedence, serialise, sync, no-delay and deadline: VM `{vm}` cannot act when it should"
    )]
    Order {
        /// A VM that is left, or late.
        vm: String,
    },
}

/// A cheap plan that leads from a configuration to a viable one: that of [`plan_early`] with pools chosen by cost.
///
/// A pool may have a threshold, and tasks that cost more wait for a later one; thresholds are searched for that make the plan
/// cheaper. Of up to ten tasks the cheapest order of all is found.
///
/// # Errors
/// The wanted configuration is not viable, or a VM cannot go to the wanted state.
pub fn plan(cluster: &Cluster, current: &Configuration, wanted: &Configuration) -> Result<Plan, PlanError> {
    check(cluster, current, wanted)?;
    Ok(Plan::of(Planner::new(cluster, current).best(wanted)?))
}

/// The plan that leads from a configuration to a viable one with each action as early as possible (section 4.1).
///
/// * The suspends of a vjob share a pool, and so do its resumes, so that its VMs go and come back together.
/// * Tasks, which are these groups and all other actions, join the first pool in which they fit beside the members that
///   joined before; they are asked by name, and what a pool frees counts from the next.
/// * A task of which a VM must act after another, or not beside it, waits for that too.
/// * When no action fits, migrations wait for each other in cycles. Each is broken at its smallest VM that a node
///   outside the
///   cycle, the pivot, can host for the time being, as early as that is possible; if there is none, the vjob of the cycle
///   that has least memory is suspended at the beginning, and resumed later.
///
/// No action enters a node that has not the room for it, or where a constraint forbids it, at any moment; `gather` and `among`
/// hold at the end. The current configuration need not be viable.
///
/// Without constraints on the order and the times of actions there always is such a plan: without pivots suspends empty every cycle, and then what
/// remains fits, since the wanted configuration does.
///
/// # Errors
/// The wanted configuration is not viable, or a VM cannot go to the wanted state, or constraints on the order and the times of
/// actions leave no way that is found.
pub fn plan_early(
    cluster: &Cluster,
    current: &Configuration,
    wanted: &Configuration,
) -> Result<Plan, PlanError> {
    check(cluster, current, wanted)?;
    Ok(Plan::of(Planner::new(cluster, current).steps(wanted)?))
}

fn check(cluster: &Cluster, current: &Configuration, wanted: &Configuration) -> Result<(), PlanError> {
    current.is_of(cluster)?;
    wanted.is_of(cluster)?;
    Ok(wanted.check(cluster)?)
}

/// Plans from one configuration to many others, with buffers that are kept.
#[derive(Clone, Debug)]
pub(crate) struct Planner<'a> {
    cluster: &'a Cluster,
    current: &'a Configuration,
    /// The free resources of the nodes in the current configuration.
    pub(crate) room: Vec<crate::Amount>,
    /// For each VM, its place in the order of names.
    rank: Vec<u32>,
    /// Whether some VM has a deadline.
    is_timed: bool,
    /// What the tasks of the first pools cost at most, see [`Planner::tune`]; later ones may cost anything.
    pub(crate) thresholds: Vec<u64>,
    /// The VMs that act after the first pool that costs anything.
    pub(crate) held: Vec<bool>,
    /// The vjobs that are suspended and resumed, since they are in cycles without a pivot.
    by_disk: Vec<bool>,
    /// The VMs that wait in cycles at the end unless a pivot is used before.
    in_cycles: Vec<bool>,
    ledger: Ledger,
    /// The actions by the tasks that they belong to.
    actions: Vec<Action>,
    /// What is still to be done, by the names of the first VMs.
    tasks: Vec<Task>,
    steps: Vec<Step>,
}

/// Actions that share a pool: the suspends or the resumes of a vjob, or a single one.
#[derive(Clone, Copy, Debug)]
struct Task {
    /// Its part of the actions.
    first: usize,
    end: usize,
    /// The cost of its dearest action.
    price: u64,
}

impl Task {
    fn of<'a>(&self, actions: &'a [Action]) -> &'a [Action] {
        &actions[self.first..self.end]
    }
}

/// An attempt at a plan has failed.
enum Stuck {
    /// The next one knows more.
    Again,
    /// There is no other.
    For(VmId),
}

impl<'a> Planner<'a> {
    pub(crate) fn new(cluster: &'a Cluster, current: &'a Configuration) -> Planner<'a> {
        let mut rank = vec![0; cluster.vms().len()];
        for (position, vm) in (0..).zip(cluster.by_name()) {
            rank[vm.index()] = position;
        }
        let room = current.room(cluster);
        Planner {
            cluster,
            current,
            room,
            rank,
            is_timed: cluster.constraints().have_deadlines(),
            thresholds: Vec::new(),
            held: vec![false; cluster.vms().len()],
            by_disk: vec![false; cluster.vjobs().len()],
            in_cycles: vec![false; cluster.vms().len()],
            ledger: Ledger::default(),
            actions: Vec::new(),
            tasks: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The steps to a viable configuration under the present thresholds, by pools and names; pools are numbered without
    /// gaps.
    pub(crate) fn steps(&mut self, wanted: &Configuration) -> Result<&[Step], PlanError> {
        self.by_disk.fill(false);
        self.in_cycles.fill(false);
        loop {
            self.set_tasks(wanted)?;
            match self.attempt() {
                Ok(()) => break,
                Err(Stuck::Again) => {}
                Err(Stuck::For(vm)) => return Err(PlanError::Order { vm: self.cluster.vm(vm).name.clone() }),
            }
        }
        let rank = &self.rank;
        self.steps.sort_unstable_by_key(|step| (step.pool, rank[step.action.vm().index()]));
        match self.is_timed.then(|| late(self.cluster, &Plan::of(&self.steps))).flatten() {
            Some(vm) => Err(PlanError::Order { vm: self.cluster.vm(vm).name.clone() }),
            None => Ok(&self.steps),
        }
    }

    /// What is to be done, as tasks.
    fn set_tasks(&mut self, wanted: &Configuration) -> Result<(), IllegalTransition> {
        let (cluster, vjobs) = (self.cluster, self.cluster.vjobs().len());
        let constraints = cluster.constraints();
        // The rank of the first VM of each vjob that is suspended, and that is resumed: the keys of these tasks.
        let mut first = vec![[None; 2]; vjobs];
        let mut keyed: Vec<(u32, Action)> = Vec::with_capacity(cluster.vms().len());
        let mut add = |action: Action, rank: u32| {
            let Some(group) = action.kind().group() else { return keyed.push((3 * rank + 2, action)) };
            let first = &mut first[cluster.vm(action.vm()).vjob.index()][group];
            keyed.push((3 * *first.get_or_insert(rank) + group as u32, action));
        };
        for (rank, &vm) in (0..).zip(cluster.by_name()) {
            let (from, to) = (self.current.place(vm), wanted.place(vm));
            let mut actions = Action::all_between(cluster, vm, from, to)?;
            if let (Some(at), Place::Running(_), true) = (from.host(), to, self.goes_by_disk(vm)) {
                let disk = Place::Sleeping(at);
                actions = [Action::of(vm, from, disk), Action::of(vm, disk, to)];
            }
            actions.into_iter().flatten().for_each(|action| add(action, rank));
        }
        synchronise(cluster, &mut keyed);
        // What must be done first is asked first.
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
            self.tasks.push(Task { first, end: self.actions.len(), price });
        }
        Ok(())
    }

    fn vjob(&self, vm: VmId) -> VjobId {
        self.cluster.vm(vm).vjob
    }

    fn goes_by_disk(&self, vm: VmId) -> bool {
        self.by_disk[self.vjob(vm).index()]
    }

    /// Puts tasks into pools until none is left.
    fn attempt(&mut self) -> Result<(), Stuck> {
        let cluster = self.cluster;
        self.ledger.reset(cluster, self.current, &self.room, &self.actions);
        self.steps.clear();
        let (mut pool, mut level) = (0, 0);
        let mut holds = self.held.contains(&true);
        while !self.tasks.is_empty() {
            let threshold = self.thresholds.get(level).copied().unwrap_or(u64::MAX);
            level += 1;
            let before = self.steps.len();
            let (ledger, steps, actions) = (&mut self.ledger, &mut self.steps, &self.actions);
            let held = &self.held;
            let mut is_free = true;
            self.tasks.retain(|task| {
                let is_urgent =
                    task.of(actions).iter().any(|action| cluster.constraints().vm(action.vm()).is_urgent);
                let is_held = || holds && task.of(actions).iter().any(|action| held[action.vm().index()]);
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
                self.unstick(pool)?;
            } else if self.in_cycles.contains(&true) && threshold == u64::MAX {
                self.use_pivots(pool, |planner, vm| planner.in_cycles[vm.index()]);
            }
            holds &= is_free;
            self.ledger.end_pool();
            pool += 1;
        }
        Ok(())
    }

    /// Breaks cycles when no action fits: by pivots, for which an earlier pool is tried first, or else by disks.
    fn unstick(&mut self, pool: u32) -> Result<(), Stuck> {
        let cluster = self.cluster;
        let remaining: Vec<Action> = self.remaining();
        if pool > 0 && !self.in_cycles.contains(&true) {
            remaining.iter().for_each(|action| self.in_cycles[action.vm().index()] = true);
            return Err(Stuck::Again);
        }
        if self.use_pivots(pool, |_, _| true) {
            return Ok(());
        }
        let mut is_new = false;
        for cycle in cycle::cycles(cluster, &remaining, |_| true) {
            let vjobs = cycle.iter().map(|&index| self.vjob(remaining[index].vm()));
            is_new |= self.send_by_disk(vjobs.collect());
        }
        if !is_new {
            // Who waits for what several nodes share, or for others to act, is in no cycle of nodes.
            let moves = remaining
                .iter()
                .filter(|action| action.from().host().is_some() && action.to().host().is_some());
            let vjobs = moves.map(|action| self.vjob(action.vm())).filter(|vjob| !self.by_disk[vjob.index()]);
            if !self.send_by_disk(vjobs.collect()) {
                return Err(Stuck::For(remaining[0].vm()));
            }
        }
        // The cycles that are left are others.
        self.in_cycles.fill(false);
        Err(Stuck::Again)
    }

    /// Lets that of some vjobs be suspended and resumed that has least memory; whether it was not so before.
    fn send_by_disk(&mut self, vjobs: Vec<VjobId>) -> bool {
        let cluster = self.cluster;
        let memory = |vjob: &VjobId| {
            let hosted = cluster.vms_of(*vjob).iter().filter(|vm| self.current.place(**vm).host().is_some());
            (hosted.map(|&vm| cluster.vm(vm).demand.memory).sum::<i64>(), *vjob)
        };
        let may_sleep =
            |vjob: &VjobId| !cluster.vms_of(*vjob).iter().any(|vm| cluster.constraints().vm(*vm).acts_once());
        let lightest = vjobs.into_iter().filter(may_sleep).min_by_key(memory);
        lightest.is_some_and(|vjob| !std::mem::replace(&mut self.by_disk[vjob.index()], true))
    }

    fn remaining(&self) -> Vec<Action> {
        self.tasks.iter().flat_map(|task| task.of(&self.actions)).copied().collect()
    }

    /// Moves VMs of cycles to pivots in this pool; whether there was any.
    fn use_pivots(&mut self, pool: u32, is_in_cycle: impl Fn(&Self, VmId) -> bool) -> bool {
        let remaining = self.remaining();
        let mut ledger = std::mem::take(&mut self.ledger);
        let waits = |action: Action| is_in_cycle(self, action.vm());
        let detours = cycle::by_pivots(self.cluster, &mut ledger, &remaining, waits);
        self.ledger = ledger;
        for detour in &detours {
            self.ledger.order.expect(detour.then);
            self.steps.push(Step { pool, action: detour.first });
            let direct = remaining[detour.index];
            let at = self.actions.iter().position(|&action| action == direct).expect("it remains to be done");
            self.actions[at] = detour.then;
        }
        !detours.is_empty()
    }

    /// What the plan to a viable configuration costs under the present thresholds; the same as [`Plan::cost_from`] of it.
    pub(crate) fn cost(&mut self, wanted: &Configuration) -> Result<u64, PlanError> {
        let (cluster, current) = (self.cluster, self.current);
        let steps = self.steps(wanted)?;
        if cluster.is_early() {
            return Ok(Plan::of(steps).cost_from(cluster, current));
        }
        let pools = steps.chunk_by(|a, b| a.pool == b.pool);
        Ok(cost_of(cluster, pools.map(|pool| pool.iter().map(|step| step.action))))
    }
}

/// Gives the actions of VMs that act in one pool one key, which is that of their task.
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
