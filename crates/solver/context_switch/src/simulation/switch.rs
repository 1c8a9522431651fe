//! Execution of a plan.

use super::machine::Machine;
use super::record::Switch;
use super::{Setting, action_slot};
use crate::action::{Action, Kind};
use crate::cluster::Cluster;
use crate::contention::Load;
use crate::plan::Plan;
use crate::vjob::VmId;
use crate::waits::delays;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank};
use dfrsim_model::{Rng, SimSpan, SimTime};
use rand::RngExt;

/// A plan in execution.
#[derive(Clone, Debug)]
pub(super) struct Execution {
    plan: Plan,
    begin: SimTime,
    cost: u64,
    pool: usize,
    /// Time up to which the remaining work of actions has been updated.
    now: SimTime,
    /// Actions of the current pool that have not ended.
    pending: Vec<PendingAction>,
    /// True if an action failed for good, so that later pools may be infeasible.
    has_failed_action: bool,
    failed: u64,
}

#[derive(Clone, Copy, Debug)]
struct PendingAction {
    action: Action,
    has_begun: bool,
    tries: u32,
    /// Remaining time without contention, in microseconds.
    left: f64,
    /// Current slowdown factor due to contention.
    slowdown: f64,
}

impl Execution {
    pub(super) fn begin(now: SimTime, plan: Plan, cluster: &Cluster, queue: &mut EventQueue) -> Execution {
        let cost = plan.cost(cluster);
        let mut execution = Execution {
            plan,
            begin: now,
            cost,
            pool: 0,
            now,
            pending: Vec::new(),
            has_failed_action: false,
            failed: 0,
        };
        execution.start_pool(now, cluster, queue);
        execution
    }

    pub(super) const fn begin_time(&self) -> SimTime {
        self.begin
    }

    /// Returns the actions in progress.
    pub(super) fn under_way(&self) -> impl Iterator<Item = Action> + '_ {
        self.pending.iter().filter(|open| open.has_begun).map(|open| open.action)
    }

    fn start_pool(&mut self, now: SimTime, cluster: &Cluster, queue: &mut EventQueue) {
        let pool = &self.plan.pools()[self.pool];
        for (action, delay) in pool.iter().zip(delays(cluster, pool)) {
            schedule(cluster, queue, action.vm(), now + delay);
        }
        let open = |&action| PendingAction { action, has_begun: false, tries: 0, left: 0.0, slowdown: 1.0 };
        self.pending = pool.iter().map(open).collect();
    }

    /// Handles the start or the end of a VM's action. Returns true if the plan has ended.
    pub(super) fn handle_event(
        &mut self,
        now: SimTime,
        vm: VmId,
        setting: &Setting,
        machine: &mut Machine,
        queue: &mut EventQueue,
        failures: &mut Rng,
    ) -> bool {
        let cluster = &setting.cluster;
        let place = self.pending.iter().position(|open| open.action.vm() == vm);
        let place = place.expect("only VMs with a pending action have events");
        let open = &mut self.pending[place];
        if !open.has_begun {
            open.has_begun = true;
            open.start(now, setting, queue);
            return false;
        }
        if failures.random_bool(setting.failures) {
            self.failed += 1;
            open.tries += 1;
            if open.tries <= setting.retries {
                open.start(now, setting, queue);
                return false;
            }
            self.has_failed_action = true;
        } else {
            machine.set(vm, open.action.to());
        }
        self.pending.remove(place);
        if !self.pending.is_empty() {
            return false;
        }
        self.pool += 1;
        if self.has_failed_action || self.pool == self.plan.pools().len() {
            return true;
        }
        self.start_pool(now, cluster, queue);
        false
    }

    /// Advances the actions to a time.
    pub(super) fn advance(&mut self, now: SimTime) {
        let span = now.since(self.now).micros() as f64;
        self.now = now;
        for open in self.pending.iter_mut().filter(|open| open.has_begun) {
            open.left = (open.left - span / open.slowdown).max(0.0);
        }
    }

    /// Updates the slowdown of actions by contention, and reschedules their ends.
    pub(super) fn update_contention(&mut self, now: SimTime, setting: &Setting, queue: &mut EventQueue) {
        if !setting.durations.has_contention() {
            return;
        }
        let mut load = Load::idle(setting.cluster.nodes().len());
        self.under_way().for_each(|action| load.add(action));
        for open in self.pending.iter_mut().filter(|open| open.has_begun) {
            let slowdown = load.slowdown(&setting.durations, open.action);
            if slowdown != open.slowdown {
                open.slowdown = slowdown;
                let left = SimSpan::from_micros((open.left * slowdown).ceil() as u64);
                schedule(&setting.cluster, queue, open.action.vm(), now.saturating_add(left));
            }
        }
    }

    /// Returns the record of the switch that has ended.
    pub(super) fn record(&self, now: SimTime) -> Switch {
        let count = |kinds: &[Kind]| {
            self.plan.actions().filter(|action| kinds.contains(&action.kind())).count() as u64
        };
        let resumes = [Kind::Resume, Kind::Wake];
        let remote_resumes = {
            let remote = |action: &Action| resumes.contains(&action.kind()) && action.is_remote();
            self.plan.actions().filter(remote).count() as u64
        };
        Switch {
            begin: self.begin,
            duration: now.since(self.begin),
            cost: self.cost,
            pools: self.plan.pools().len() as u64,
            runs: count(&[Kind::Run]),
            stops: count(&[Kind::Stop]),
            migrations: count(&[Kind::Migrate]),
            suspends: count(&[Kind::Suspend, Kind::Doze]),
            local_resumes: count(&resumes) - remote_resumes,
            remote_resumes,
            failed: self.failed,
            was_aborted: self.has_failed_action,
        }
    }
}

impl PendingAction {
    /// Starts the action, initially without contention.
    fn start(&mut self, now: SimTime, setting: &Setting, queue: &mut EventQueue) {
        let span = setting.durations.of(&setting.cluster, self.action);
        (self.left, self.slowdown) = (span.micros() as f64, 1.0);
        schedule(&setting.cluster, queue, self.action.vm(), now + span);
    }
}

fn schedule(cluster: &Cluster, queue: &mut EventQueue, vm: VmId, at: SimTime) {
    queue.schedule(action_slot(cluster, vm), EventKey::new(at, Rank::PlatformChange, u64::from(vm.0)));
}
