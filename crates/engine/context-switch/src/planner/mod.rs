//! From one configuration to another: pools of actions, each feasible when its turn comes (section 4.1).

mod cycle;
mod ledger;

use crate::action::Kind;
use crate::action::{Action, IllegalTransition};
use crate::cluster::Cluster;
use crate::configuration::{Configuration, NotViable};
use crate::plan::{Plan, Step};
use ledger::Ledger;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A configuration is that of another cluster.
    #[error("a configuration has places for {places} VMs, and the cluster has {vms}")]
    Places {
        /// For how many VMs the configuration has a place.
        places: usize,
        /// How many there are.
        vms: usize,
    },
    /// A VM would change its state in a way that its life cycle does not have.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// The wanted configuration is not viable.
    #[error("the wanted configuration is not viable: {0}")]
    NotViable(#[from] NotViable),
}

/// The plan that leads from a configuration to a viable one.
///
/// * An action joins the first pool in which it fits beside the members that joined before; VMs are asked by name, and what a
///   pool frees counts from the next. Suspends and stops always fit, and are in the first pool.
/// * When nothing fits, migrations wait for each other in a cycle. It is broken at its smallest VM that a node outside the
///   cycle, the pivot, can host for the time being; if there is none, its smallest VM is suspended, and resumed later.
/// * The resumes of a vjob all happen in the pool of its last one, so that its VMs come back together.
///
/// No action enters a node that has not the room for it, or where a fence, a ban or a spread forbids it, at any moment; VMs
/// that are gathered are so in the end. The current configuration need not be viable.
///
/// There always is such a plan: without pivots suspends empty every cycle, and then what remains fits, since the wanted
/// configuration does.
///
/// # Errors
/// The wanted configuration is not viable, or a VM cannot go to the wanted state.
pub fn plan(cluster: &Cluster, current: &Configuration, wanted: &Configuration) -> Result<Plan, PlanError> {
    for configuration in [current, wanted] {
        let (places, vms) = (configuration.places().len(), cluster.vms().len());
        if places != vms {
            return Err(PlanError::Places { places, vms });
        }
    }
    wanted.check(cluster)?;
    Ok(Plan::of(Planner::new(cluster, current).steps(wanted)?))
}

/// Plans from one configuration to many others, with buffers that are kept.
#[derive(Clone, Debug)]
pub(crate) struct Planner<'a> {
    cluster: &'a Cluster,
    current: &'a Configuration,
    /// What is left of the nodes in the current configuration.
    room: Vec<crate::Amount>,
    /// For each VM, its place in the order of names.
    rank: Vec<u32>,
    ledger: Ledger,
    /// What is still to be done, by the names of the VMs.
    remaining: Vec<Action>,
    steps: Vec<Step>,
    /// For each vjob, the pool of its last resume.
    last_resume: Vec<Option<u32>>,
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
            ledger: Ledger::default(),
            remaining: Vec::new(),
            steps: Vec::new(),
            last_resume: Vec::new(),
        }
    }

    /// What the nodes have left in the current configuration.
    pub(crate) fn room(&self) -> &[crate::Amount] {
        &self.room
    }

    /// The steps to a viable configuration, by pools and names; pools are numbered without gaps.
    pub(crate) fn steps(&mut self, wanted: &Configuration) -> Result<&[Step], IllegalTransition> {
        let cluster = self.cluster;
        self.steps.clear();
        self.remaining.clear();
        for &vm in cluster.by_name() {
            let action = Action::between(cluster, vm, self.current.place(vm), wanted.place(vm))?;
            self.remaining.extend(action);
        }
        self.ledger.reset(self.current, &self.room);
        let mut pool = 0;
        while !self.remaining.is_empty() {
            let before = self.steps.len();
            let (ledger, steps) = (&mut self.ledger, &mut self.steps);
            self.remaining.retain(|&action| {
                let feasible = ledger.admits(cluster, action);
                if feasible {
                    ledger.begin(cluster, action);
                    steps.push(Step { pool, action });
                }
                !feasible
            });
            if self.steps.len() == before {
                let action = cycle::breaking(cluster, &mut self.ledger, &mut self.remaining);
                self.steps.push(Step { pool, action });
            }
            self.ledger.end_pool();
            pool += 1;
        }
        self.gather_resumes();
        Ok(&self.steps)
    }

    /// Moves the resumes of each vjob to the pool of its last one. Their resources stay free until then, and nothing waits
    /// for what a resume would free, since it frees nothing: every pool stays feasible.
    fn gather_resumes(&mut self) {
        let is_resume = |action: Action| matches!(action.kind(), Kind::Resume { .. });
        if self.steps.iter().any(|step| is_resume(step.action)) {
            self.last_resume.clear();
            self.last_resume.resize(self.cluster.vjobs().len(), None);
            for step in &self.steps {
                if is_resume(step.action) {
                    let vjob = self.cluster.vm(step.action.vm()).vjob;
                    let last = &mut self.last_resume[vjob.index()];
                    *last = (*last).max(Some(step.pool));
                }
            }
            for step in &mut self.steps {
                if is_resume(step.action) {
                    let vjob = self.cluster.vm(step.action.vm()).vjob;
                    step.pool = self.last_resume[vjob.index()].unwrap_or(step.pool);
                }
            }
        }
        let rank = &self.rank;
        self.steps.sort_unstable_by_key(|step| (step.pool, rank[step.action.vm().index()]));
        // Pools that lost all their actions are left out.
        let (mut before, mut number) = (None, 0);
        for step in &mut self.steps {
            number += u32::from(before.is_some_and(|before| before != step.pool));
            before = Some(step.pool);
            step.pool = number;
        }
    }

    /// What the plan to a viable configuration costs; the same as [`Plan::cost`] of it.
    pub(crate) fn cost(&mut self, wanted: &Configuration) -> Result<u64, IllegalTransition> {
        let cluster = self.cluster;
        let (mut cost, mut before, mut dearest, mut pool) = (0, 0, 0, 0);
        for step in self.steps(wanted)? {
            if step.pool != pool {
                (before, dearest, pool) = (before + dearest, 0, step.pool);
            }
            let own = step.action.cost(cluster);
            cost += before + own;
            dearest = own.max(dearest);
        }
        Ok(cost)
    }
}
