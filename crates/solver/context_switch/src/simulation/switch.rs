//! A plan while it happens.

use super::machine::Machine;
use super::record::Switch;
use super::{Setting, action_slot};
use crate::action::{Action, Kind};
use crate::cluster::Cluster;
use crate::durations::Durations;
use crate::plan::Plan;
use crate::vjob::VmId;
use crate::waits::delays;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank};
use dfrsim_model::{NodeId, Rng, SimSpan, SimTime};
use rand::RngExt;

/// A plan that is being carried out.
#[derive(Clone, Debug)]
pub(super) struct Execution {
    plan: Plan,
    begin: SimTime,
    cost: u64,
    pool: usize,
    /// Until when what is left of actions is known.
    now: SimTime,
    /// The actions of the pool that have not ended, and their states.
    open: Vec<Open>,
    /// Whether an action was given up, so that later pools may not be feasible.
    is_broken: bool,
    failed: u64,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    action: Action,
    has_begun: bool,
    tries: u32,
    /// Microseconds that it still takes by itself.
    left: f64,
    /// How many times longer it takes now.
    slowdown: f64,
}

impl Execution {
    pub(super) fn begin(now: SimTime, plan: Plan, cluster: &Cluster, queue: &mut EventQueue) -> Execution {
        let cost = plan.cost(cluster);
        let mut execution =
            Execution { plan, begin: now, cost, pool: 0, now, open: Vec::new(), is_broken: false, failed: 0 };
        execution.open_pool(now, cluster, queue);
        execution
    }

    pub(super) const fn begin_time(&self) -> SimTime {
        self.begin
    }

    /// The actions that take place now.
    pub(super) fn under_way(&self) -> impl Iterator<Item = Action> + '_ {
        self.open.iter().filter(|open| open.has_begun).map(|open| open.action)
    }

    fn open_pool(&mut self, now: SimTime, cluster: &Cluster, queue: &mut EventQueue) {
        let pool = &self.plan.pools()[self.pool];
        for (action, delay) in pool.iter().zip(delays(cluster, pool)) {
            schedule(cluster, queue, action.vm(), now + delay);
        }
        let open = |&action| Open { action, has_begun: false, tries: 0, left: 0.0, slowdown: 1.0 };
        self.open = pool.iter().map(open).collect();
    }

    /// The action of a VM begins, or ends; whether it was the last.
    pub(super) fn event(
        &mut self,
        now: SimTime,
        vm: VmId,
        setting: &Setting,
        machine: &mut Machine,
        queue: &mut EventQueue,
        failures: &mut Rng,
    ) -> bool {
        let cluster = &setting.cluster;
        let place = self.open.iter().position(|open| open.action.vm() == vm);
        let place = place.expect("only VMs with an open action have events");
        let open = &mut self.open[place];
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
            self.is_broken = true;
        } else {
            machine.set(vm, open.action.to());
        }
        self.open.remove(place);
        if !self.open.is_empty() {
            return false;
        }
        self.pool += 1;
        if self.is_broken || self.pool == self.plan.pools().len() {
            return true;
        }
        self.open_pool(now, cluster, queue);
        false
    }

    /// Lets time pass.
    pub(super) fn advance(&mut self, now: SimTime) {
        let span = now.since(self.now).micros() as f64;
        self.now = now;
        for open in self.open.iter_mut().filter(|open| open.has_begun) {
            open.left = (open.left - span / open.slowdown).max(0.0);
        }
    }

    /// Finds out how much actions that are under way disturb each other from now on.
    pub(super) fn pace(&mut self, now: SimTime, setting: &Setting, queue: &mut EventQueue) {
        let Durations { contention, storage_contention, .. } = setting.durations;
        if contention == 0.0 && storage_contention == 0.0 {
            return;
        }
        let mut on_node = vec![0_u32; setting.cluster.nodes().len()];
        let mut with_images = 0_u32;
        for action in self.under_way().filter(|action| moves_memory(*action)) {
            nodes(action).for_each(|node| on_node[node.index()] += 1);
            with_images += u32::from(action.has_image());
        }
        for open in self.open.iter_mut().filter(|open| open.has_begun && moves_memory(open.action)) {
            let most = nodes(open.action).map(|node| on_node[node.index()]).max().unwrap_or(1);
            let images = if open.action.has_image() { with_images } else { 1 };
            let slowdown =
                1.0 + contention * f64::from(most - 1) + storage_contention * f64::from(images - 1);
            if slowdown != open.slowdown {
                open.slowdown = slowdown;
                let left = SimSpan::from_micros((open.left * slowdown).ceil() as u64);
                schedule(&setting.cluster, queue, open.action.vm(), now.saturating_add(left));
            }
        }
    }

    /// What is to be said of it when it has ended.
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
            was_dropped: self.is_broken,
        }
    }
}

impl Open {
    /// Begins to be carried out, undisturbed as yet.
    fn start(&mut self, now: SimTime, setting: &Setting, queue: &mut EventQueue) {
        let span = setting.durations.of(&setting.cluster, self.action);
        (self.left, self.slowdown) = (span.micros() as f64, 1.0);
        schedule(&setting.cluster, queue, self.action.vm(), now + span);
    }
}

/// The nodes of an action, once each.
fn nodes(action: Action) -> impl Iterator<Item = NodeId> {
    let (from, to) = (action.from().node(), action.to().node());
    from.into_iter().chain(to.filter(|_| from != to))
}

/// Whether an action takes bandwidth of its nodes (section 2.3).
fn moves_memory(action: Action) -> bool {
    action.has_image() || action.is_remote()
}

fn schedule(cluster: &Cluster, queue: &mut EventQueue, vm: VmId, at: SimTime) {
    queue.schedule(action_slot(cluster, vm), EventKey::new(at, Rank::PlatformChange, u64::from(vm.0)));
}
