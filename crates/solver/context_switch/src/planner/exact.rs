//! The cheapest order of a few tasks.

use super::ledger::{frees, needs};
use super::order::go_together;
use super::{Planner, Task};
use crate::action::IllegalTransition;
use crate::amount::Amount;
use crate::cluster::Aim;
use crate::configuration::Configuration;
use crate::plan::{Plan, Step, owns};
use crate::waits::{delays, ready};
use dfrsim_model::{SimSpan, SimTime};

/// The most tasks: with `n` of them 3^n pools are examined.
const MOST_TASKS: usize = 10;

/// The cheapest plan in which each VM acts once.
pub(crate) struct Exact {
    pub(crate) cost: u64,
    pub(super) steps: Vec<Step>,
}

/// What a task does to nodes and budgets, and what must have been done before.
struct Effect {
    needs: Vec<(usize, Amount)>,
    frees: Vec<(usize, Amount)>,
    /// The tasks after whose pools it may begin: VMs that must not meet this one leave its node, or precede it.
    after: usize,
    /// The tasks that must not share a pool with it.
    not_beside: usize,
    own: u64,
    /// Whether it must be in the first pool.
    is_urgent: bool,
    pool: Pool,
}

/// What tasks are as a pool.
#[derive(Clone, Copy)]
struct Pool {
    actions: u64,
    price: u64,
    /// How long it takes; when at the latest it may begin, and at the earliest.
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

    /// When it begins at the latest if it must end by a time; `None` if it cannot.
    fn begins_by(self, end: SimTime) -> Option<SimTime> {
        let by_end = if end == SimTime::MAX { end } else { before(end, self.span)? };
        let latest = self.latest.min(by_end);
        (self.earliest <= latest).then_some(latest)
    }
}

/// What is to be done from a set of tasks on that are done.
#[derive(Clone, Copy)]
struct Rest {
    /// What is paid for waiting.
    cost: u64,
    /// When at the latest that begins.
    latest: SimTime,
    /// The next pool, and the place of the best way on from there.
    pool: usize,
    behind: usize,
}

impl Planner<'_> {
    /// The cheapest plan in which each VM acts at most once, if there are few tasks and there is such a plan.
    ///
    /// Its cost is what the actions cost by themselves, and for each pool its dearest action times the number of actions
    /// behind it, or once where the end of the plan counts. So the cheapest way on from a set of tasks that are done does not depend on their order. With deadlines the ways on
    /// are kept that cost less than all that may begin as late.
    pub(crate) fn exact(&mut self, wanted: &Configuration) -> Result<Option<Exact>, IllegalTransition> {
        self.by_disk.fill(false);
        self.set_tasks(wanted)?;
        let exact = if self.tasks.len() <= MOST_TASKS { self.cheapest_order() } else { None };
        let cost = |exact: &Exact| Plan::of(&exact.steps).cost_from(self.cluster, self.current);
        Ok(exact.map(|exact| Exact {
            cost: if self.cluster.is_early() { cost(&exact) } else { exact.cost },
            ..exact
        }))
    }

    fn cheapest_order(&self) -> Option<Exact> {
        let effects: Vec<Effect> = self.tasks.iter().map(|task| self.effect(task)).collect::<Option<_>>()?;
        // What waits for nodes that are switched on ends at other times.
        if self.cluster.is_timed() && effects.iter().any(|effect| effect.pool.earliest > SimTime::ZERO) {
            return None;
        }
        let is_last_counted = self.cluster.aim() == Aim::Makespan;
        let all = (1 << effects.len()) - 1;
        let mut first = self.room.clone();
        first.extend(self.current.budget_room(self.cluster));
        let nodes = first.len();
        let room = rooms(first, &effects);
        // Each set of tasks as a pool.
        let mut pools = vec![Pool::EMPTY];
        for effect in &effects {
            pools.extend_from_within(..);
            let half = pools.len() / 2;
            pools[half..].iter_mut().for_each(|pool| *pool = pool.with(effect.pool));
        }
        // The best ways on, and for each set of tasks that are done which of them are from there.
        let mut ways = vec![Rest { cost: 0, latest: SimTime::MAX, pool: 0, behind: 0 }];
        let mut from = vec![(0, 0); all + 1];
        from[all] = (0, 1);
        let mut best: Vec<Rest> = Vec::new();
        let mut needed = vec![Amount::NONE; nodes];
        for done in (0..all).rev() {
            let mut fits = |pool: usize| {
                needed.fill(Amount::NONE);
                let is_apart = |task: usize| effects[task].not_beside & pool == 0;
                members(pool).all(is_apart)
                    && members(pool).flat_map(|task| &effects[task].needs).all(|&(node, need)| {
                        needed[node] += need.positive();
                        // A need of 0 fits even an overloaded node.
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
                    let Some(latest) = pools[pool].begins_by(way.latest) else { continue };
                    let is_better = |known: &Rest| cost < known.cost || latest > known.latest;
                    if best.iter().all(is_better) && fits(pool) {
                        best.retain(|known| known.cost < cost || known.latest > latest);
                        best.push(Rest { cost, latest, pool, behind });
                    }
                }
                pool = (pool - 1) & able;
            }
            from[done] = (ways.len(), ways.len() + best.len());
            ways.append(&mut best);
        }
        let own: u64 = if is_last_counted { 0 } else { effects.iter().map(|effect| effect.own).sum() };
        let mut next = *ways[from[0].0..].iter().min_by_key(|rest| rest.cost)?;
        let cost = own + next.cost;
        let (mut steps, mut done, mut number) = (Vec::new(), 0, 0);
        while done != all {
            let pool = next.pool;
            let tasks = members(pool).map(|task| &self.tasks[task]);
            let actions = tasks.flat_map(|task| task.of(&self.actions)).copied();
            steps.extend(actions.map(|action| Step { pool: number, action }));
            (done, number) = (done | pool, number + 1);
            next = ways[next.behind];
        }
        steps.sort_unstable_by_key(|step| (step.pool, self.rank[step.action.vm().index()]));
        Some(Exact { cost, steps })
    }

    /// None if a VM can never arrive, since one that it must not meet stays.
    fn effect(&self, task: &Task) -> Option<Effect> {
        let (cluster, actions) = (self.cluster, task.of(&self.actions));
        let acts = |vm: crate::VmId| {
            let own = |task: &Task| task.of(&self.actions).iter().find(|action| action.vm() == vm);
            self.tasks.iter().enumerate().find_map(|(at, task)| Some((at, *own(task)?)))
        };
        let (mut after, mut not_beside) = (0, 0);
        for &action in actions {
            let constraints = cluster.constraints();
            // VMs that do not act delay no other.
            let ordered = |others: &[crate::VmId]| {
                let tasks = others.iter().filter_map(|&other| acts(other));
                let bound = tasks.filter(|(_, other)| !go_together(cluster, action, *other));
                bound.fold(0, |set, (at, _)| set | 1 << at)
            };
            // What makes the image that is transferred.
            let makes = |task: &Task| {
                let mut actions = task.of(&self.actions).iter();
                actions.any(|other| other.vm() == action.vm() && other.to() == action.from())
            };
            after |= self.tasks.iter().position(makes).map_or(0, |at| 1 << at);
            after |= ordered(&constraints.vm(action.vm()).before);
            not_beside |= ordered(&constraints.vm(action.vm()).in_turn);
            let Some(node) = action.to().host().filter(|node| action.from().host() != Some(*node)) else {
                continue;
            };
            let there = |vm: &&crate::VmId| self.current.place(**vm).host() == Some(node);
            for &other in constraints.vm(action.vm()).never_meet.iter().filter(there) {
                after |= 1 << acts(other)?.0;
            }
        }
        let costs: Vec<u64> = owns(cluster, actions).collect();
        let constraints = cluster.constraints();
        let (mut span, mut latest) = (SimSpan::ZERO, SimTime::MAX);
        for (action, delay) in actions.iter().zip(delays(cluster, actions)).filter(|_| self.is_timed) {
            let own = delay + cluster.durations().of(cluster, *action);
            span = span.max(own);
            if let Some(deadline) = constraints.vm(action.vm()).deadline {
                latest = latest.min(before(deadline, own)?);
            }
        }
        let earliest = if self.is_timed || cluster.is_timed() {
            ready(cluster, actions, cluster.durations())
        } else {
            SimTime::ZERO
        };
        Some(Effect {
            needs: actions.iter().flat_map(|&action| needs(cluster, action)).collect(),
            frees: actions.iter().flat_map(|&action| frees(cluster, action)).collect(),
            after,
            not_beside,
            own: costs.iter().sum(),
            is_urgent: actions.iter().any(|action| constraints.vm(action.vm()).is_urgent),
            pool: Pool {
                actions: actions.len() as u64,
                price: cluster.price_of_waiting(costs.into_iter().max().unwrap_or(0)),
                span,
                latest,
                earliest,
            },
        })
    }
}

fn before(time: SimTime, span: SimSpan) -> Option<SimTime> {
    time.micros().checked_sub(span.micros()).map(SimTime::from_micros)
}

/// What nodes and budgets have left when each set of tasks is done, set by set, beginning with what they have when none is.
fn rooms(first: Vec<Amount>, effects: &[Effect]) -> Vec<Amount> {
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

/// The numbers of a set.
fn members(set: usize) -> impl Iterator<Item = usize> {
    let mut rest = set;
    std::iter::from_fn(move || {
        let first = (rest > 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(first)
    })
}
