//! Exact search for the cheapest order of a few tasks.

use super::{ActionGroup, Planner};
use crate::action::IllegalTransition;
use crate::amount::Amount;
use crate::cluster::Aim;
use crate::configuration::Configuration;
use crate::ledger::{frees, may_be_concurrent, needs};
use crate::plan::{Plan, Step, local_costs};
use crate::waits::{delays, nodes_ready_at};
use dfrsim_model::{SimSpan, SimTime};

/// Maximum number of tasks: for `n` tasks, 3^n combinations of completed tasks and next pool are
/// examined.
const MAX_TASKS: usize = 10;

/// The cheapest plan in which each VM acts at most once.
pub(crate) struct Exact {
    pub(crate) cost: u64,
    pub(super) steps: Vec<Step>,
}

/// Effects of a task on nodes and budgets, and its dependencies.
struct Effect {
    needs: Vec<(usize, Amount)>,
    frees: Vec<(usize, Amount)>,
    /// Bit set of tasks that must have ended in earlier pools: VMs with a separation constraint must
    /// leave the target node, or predecessors must act.
    after: usize,
    /// Bit set of tasks that must not share a pool with this one.
    conflicts: usize,
    local_cost: u64,
    /// True if the task must be in the first pool.
    is_urgent: bool,
    pool: Pool,
}

/// Aggregate of the tasks of a pool.
#[derive(Clone, Copy)]
struct Pool {
    actions: u64,
    price: u64,
    /// Duration of the pool, and the latest and earliest times at which it may start.
    span: SimSpan,
    latest: SimTime,
    earliest: SimTime,
}

impl Pool {
    const EMPTY: Pool =
        Pool { actions: 0, price: 0, span: SimSpan::ZERO, latest: SimTime::MAX, earliest: SimTime::ZERO };

    fn with(self, other: Pool) -> Pool {
        Pool {
            actions: self.actions + other.actions,
            price: self.price.max(other.price),
            span: self.span.max(other.span),
            latest: self.latest.min(other.latest),
            earliest: self.earliest.max(other.earliest),
        }
    }

    /// Returns the latest start if the pool must end by `end`; `None` if it cannot.
    fn latest_start(self, end: SimTime) -> Option<SimTime> {
        let by_end = if end == SimTime::MAX { end } else { minus(end, self.span)? };
        let latest = self.latest.min(by_end);
        (self.earliest <= latest).then_some(latest)
    }
}

/// Best completion of a plan from a set of completed tasks.
#[derive(Clone, Copy)]
struct Completion {
    /// Remaining waiting cost.
    cost: u64,
    /// Latest time at which the completion may start.
    latest: SimTime,
    /// Bit set of the next pool, and the index of the best completion after it.
    pool: usize,
    next: usize,
}

impl Planner<'_> {
    /// Finds the cheapest plan in which each VM acts at most once, if the number of tasks is small
    /// and such a plan exists.
    ///
    /// The cost consists of the local costs of all actions and, for each pool, the cost of its most
    /// expensive action times the number of later actions (once for the makespan). So the cheapest
    /// completion from a set of completed tasks does not depend on their order, which permits
    /// dynamic programming over sets. With deadlines, all Pareto-optimal completions by cost and
    /// latest start are kept.
    pub(crate) fn exact(&mut self, wanted: &Configuration) -> Result<Option<Exact>, IllegalTransition> {
        self.via_disk.fill(false);
        self.set_tasks(wanted)?;
        let is_possible = self.tasks.len() <= MAX_TASKS && self.acting_too_often().is_none();
        let exact = if is_possible { self.cheapest_order() } else { None };
        let cost = |exact: &Exact| Plan::of(&exact.steps).cost_from(self.cluster, self.current);
        Ok(exact.map(|exact| Exact {
            cost: if self.cluster.is_early() || self.cluster.durations().has_contention() {
                cost(&exact)
            } else {
                exact.cost
            },
            ..exact
        }))
    }

    fn cheapest_order(&self) -> Option<Exact> {
        let effects: Vec<Effect> = self.tasks.iter().map(|task| self.effect(task)).collect::<Option<_>>()?;
        // The program ignores boot times, which would shift the end times of the actions that wait
        // for nodes.
        if self.cluster.is_timed() && effects.iter().any(|effect| effect.pool.earliest > SimTime::ZERO) {
            return None;
        }
        let is_last_counted = self.cluster.aim() == Aim::Makespan;
        let all = (1 << effects.len()) - 1;
        let mut first = self.free.clone();
        first.extend(self.current.free_shared(self.cluster));
        let nodes = first.len();
        let room = free_after(first, &effects);
        // Aggregate of each set of tasks as a pool, by bit set.
        let mut pools = vec![Pool::EMPTY];
        for effect in &effects {
            pools.extend_from_within(..);
            let half = pools.len() / 2;
            pools[half..].iter_mut().for_each(|pool| *pool = pool.with(effect.pool));
        }
        // Pareto-optimal completions, and their range for each set of completed tasks.
        let mut ways = vec![Completion { cost: 0, latest: SimTime::MAX, pool: 0, next: 0 }];
        let mut from = vec![(0, 0); all + 1];
        from[all] = (0, 1);
        let mut best: Vec<Completion> = Vec::new();
        let mut needed = vec![Amount::NONE; nodes];
        for done in (0..all).rev() {
            let mut fits = |pool: usize| {
                needed.fill(Amount::NONE);
                let is_apart = |task: usize| effects[task].conflicts & pool == 0;
                members(pool).all(is_apart)
                    && members(pool).flat_map(|task| &effects[task].needs).all(|&(node, need)| {
                        needed[node] += need.positive();
                        // A request of 0 fits even an overloaded node.
                        let amount = Amount::new(
                            if need.cpu > 0 { needed[node].cpu } else { 0 },
                            if need.memory > 0 { needed[node].memory } else { 0 },
                        );
                        amount.fits(room[done * nodes + node])
                    })
            };
            let is_ready =
                |task: &usize| effects[*task].after & !done == 0 && (done == 0 || !effects[*task].is_urgent);
            let able: usize = members(all & !done)
                .filter(is_ready)
                .filter(|&task| fits(1 << task))
                .map(|task| 1 << task)
                .sum();
            let mut pool = able;
            while pool > 0 {
                let (first, end) = from[done | pool];
                for (behind, way) in (first..).zip(&ways[first..end]) {
                    let waiting = if is_last_counted { 1 } else { pools[all & !done & !pool].actions };
                    let cost = way.cost + pools[pool].price * waiting;
                    let Some(latest) = pools[pool].latest_start(way.latest) else { continue };
                    let is_better = |known: &Completion| cost < known.cost || latest > known.latest;
                    if best.iter().all(is_better) && fits(pool) {
                        best.retain(|known| known.cost < cost || known.latest > latest);
                        best.push(Completion { cost, latest, pool, next: behind });
                    }
                }
                pool = (pool - 1) & able;
            }
            from[done] = (ways.len(), ways.len() + best.len());
            ways.append(&mut best);
        }
        let own: u64 = if is_last_counted { 0 } else { effects.iter().map(|effect| effect.local_cost).sum() };
        let mut next = *ways[from[0].0..].iter().min_by_key(|rest| rest.cost)?;
        let cost = own + next.cost;
        let (mut steps, mut done, mut number) = (Vec::new(), 0, 0);
        while done != all {
            let pool = next.pool;
            let tasks = members(pool).map(|task| &self.tasks[task]);
            let actions = tasks.flat_map(|task| task.of(&self.actions)).copied();
            steps.extend(actions.map(|action| Step { pool: number, action }));
            (done, number) = (done | pool, number + 1);
            next = ways[next.next];
        }
        steps.sort_unstable_by_key(|step| (step.pool, self.rank[step.action.vm().index()]));
        Some(Exact { cost, steps })
    }

    /// Computes the effect of a task; `None` if a VM can never arrive, because a VM that it must not
    /// share a node with stays there.
    fn effect(&self, task: &ActionGroup) -> Option<Effect> {
        let (cluster, actions) = (self.cluster, task.of(&self.actions));
        // A VM that is suspended and then transferred acts twice.
        let acts = |vm: crate::VmId| {
            let own = move |task: &ActionGroup| {
                task.of(&self.actions).iter().copied().find(|action| action.vm() == vm)
            };
            self.tasks.iter().enumerate().filter_map(move |(at, task)| Some((at, own(task)?)))
        };
        let (mut after, mut not_beside) = (0, 0);
        for &action in actions {
            let constraints = cluster.constraints();
            // VMs without an action impose no order.
            let ordered = |others: &[crate::VmId]| {
                let tasks = others.iter().flat_map(|&other| acts(other));
                let bound = tasks.filter(|(_, other)| !may_be_concurrent(cluster, action, *other));
                bound.fold(0, |set, (at, _)| set | 1 << at)
            };
            // A transfer needs the suspend that writes its image.
            let makes = |task: &ActionGroup| {
                let mut actions = task.of(&self.actions).iter();
                actions.any(|other| other.vm() == action.vm() && other.to() == action.from())
            };
            after |= self.tasks.iter().position(makes).map_or(0, |at| 1 << at);
            after |= ordered(&constraints.vm(action.vm()).predecessors);
            not_beside |= ordered(&constraints.vm(action.vm()).in_turn);
            let Some(node) = action.to().host().filter(|node| action.from().host() != Some(*node)) else {
                continue;
            };
            let there = |vm: &&crate::VmId| self.current.place(**vm).host() == Some(node);
            for &other in constraints.vm(action.vm()).apart_always.iter().filter(there) {
                after |= 1 << acts(other).next()?.0;
            }
        }
        let costs: Vec<u64> = local_costs(cluster, actions).collect();
        let constraints = cluster.constraints();
        let (mut span, mut latest) = (SimSpan::ZERO, SimTime::MAX);
        for (action, delay) in actions.iter().zip(delays(cluster, actions)).filter(|_| self.is_timed) {
            let own = delay + cluster.durations().of(cluster, *action);
            span = span.max(own);
            if let Some(deadline) = constraints.vm(action.vm()).deadline {
                latest = latest.min(minus(deadline, own)?);
            }
        }
        let earliest = if self.is_timed || cluster.is_timed() {
            nodes_ready_at(cluster, actions, cluster.durations())
        } else {
            SimTime::ZERO
        };
        Some(Effect {
            needs: actions.iter().flat_map(|&action| needs(cluster, action)).collect(),
            frees: actions.iter().flat_map(|&action| frees(cluster, action)).collect(),
            after,
            conflicts: not_beside,
            local_cost: costs.iter().sum(),
            is_urgent: actions.iter().any(|action| constraints.vm(action.vm()).is_urgent),
            pool: Pool {
                actions: actions.len() as u64,
                price: cluster.waiting_cost(costs.into_iter().max().unwrap_or(0)),
                span,
                latest,
                earliest,
            },
        })
    }
}

fn minus(time: SimTime, span: SimSpan) -> Option<SimTime> {
    time.micros().checked_sub(span.micros()).map(SimTime::from_micros)
}

/// Computes the free resources of nodes and budgets after each set of tasks, set by set, starting
/// with the empty set.
fn free_after(first: Vec<Amount>, effects: &[Effect]) -> Vec<Amount> {
    let width = first.len();
    let mut rooms = first;
    for done in 1..1_usize << effects.len() {
        let last = done.ilog2() as usize;
        let without = (done & !(1 << last)) * width;
        rooms.extend_from_within(without..without + width);
        let room = &mut rooms[done * width..];
        effects[last].needs.iter().for_each(|&(node, need)| room[node] -= need.positive());
        effects[last].frees.iter().for_each(|&(node, freed)| room[node] += freed);
    }
    rooms
}

/// Returns the elements of a bit set.
fn members(set: usize) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let first = (rest > 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(first)
    })
}
