//! VMs and what they compute.

use super::{Setting, waiting};
use crate::action::Action;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::durations::Durations;
use crate::vjob::{VjobId, VmId};
use crate::workload::Task;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{SimSpan, SimTime};

/// What a VM computes.
#[derive(Clone, Debug)]
struct Work {
    task: Task,
    /// The VMs of its vjob, by name: `task.after` counts these.
    vms: Vec<VmId>,
    /// Microseconds left, on a processing unit of its own.
    left: f64,
    /// How fast it goes on: microseconds of work a microsecond.
    rate: f64,
    is_done: bool,
}

/// The state of all VMs.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// With what VMs need of the CPU now.
    cluster: Cluster,
    configuration: Configuration,
    work: Vec<Work>,
    /// Whether the application of each vjob was launched: all its VMs have run together.
    launched: Vec<bool>,
    now: SimTime,
}

impl Machine {
    pub(super) fn new(setting: &Setting) -> Machine {
        let mut cluster = setting.cluster.clone();
        let idle = Task { work: SimSpan::ZERO, after: Vec::new() };
        let none = Work { task: idle, vms: Vec::new(), left: 0.0, rate: 0.0, is_done: true };
        let mut work = vec![none; cluster.vms().len()];
        for (vjob, application) in cluster.vjob_ids().zip(&setting.applications) {
            for (&vm, task) in cluster.vms_of(vjob).iter().zip(&application.tasks) {
                let left = task.work.micros() as f64;
                let vms = cluster.vms_of(vjob).to_vec();
                work[vm.index()] = Work { task: task.clone(), vms, left, rate: 0.0, is_done: false };
            }
        }
        let launched = vec![false; cluster.vjobs().len()];
        for vm in cluster.by_name().to_vec() {
            cluster.observe_cpu(vm, 0);
        }
        let configuration = waiting(&cluster);
        Machine { cluster, configuration, work, launched, now: SimTime::ZERO }
    }

    pub(super) fn configuration(&self) -> &Configuration {
        &self.configuration
    }
    /// The cluster with what VMs need now.
    pub(super) fn observed(&self) -> &Cluster {
        &self.cluster
    }
    /// Puts a VM somewhere else.
    pub(super) fn set(&mut self, vm: VmId, place: Place) {
        self.configuration.set(vm, place);
    }
    /// Whether an application is done.
    pub(super) fn is_done(&self, vjob: VjobId) -> bool {
        self.cluster.vms_of(vjob).iter().all(|vm| self.work[vm.index()].is_done)
    }
    /// Whether all VMs are terminated.
    pub(super) fn is_over(&self) -> bool {
        self.configuration.places().iter().all(|place| *place == Place::Terminated)
    }
    /// Whether the VM would compute if it could.
    fn wants_cpu(&self, vm: VmId) -> bool {
        let work = &self.work[vm.index()];
        self.launched[self.cluster.vm(vm).vjob.index()]
            && !work.is_done
            && work.task.after.iter().all(|&before| self.work[work.vms[before].index()].is_done)
    }
    /// The amount that all VMs get of the CPU, less what switches slow them down: processing units.
    pub(super) fn computing(&self) -> f64 {
        self.work.iter().map(|work| work.rate).sum()
    }

    /// Lets time pass.
    pub(super) fn advance(&mut self, now: SimTime) {
        let span = now.since(self.now).micros() as f64;
        self.now = now;
        for work in self.work.iter_mut().filter(|work| work.rate > 0.0) {
            work.left = (work.left - span * work.rate).max(0.0);
        }
    }

    /// The task of a VM is done.
    pub(super) fn complete(&mut self, vm: VmId) {
        let work = &mut self.work[vm.index()];
        (work.left, work.is_done) = (0.0, true);
    }

    /// Finds out what VMs need and how fast they compute from now on, while these actions are under way, and when they
    /// will have finished.
    pub(super) fn refresh(
        &mut self,
        now: SimTime,
        queue: &mut EventQueue,
        durations: &Durations,
        under_way: impl Iterator<Item = Action>,
    ) {
        for vjob in self.cluster.vjob_ids() {
            let runs = |vm: &VmId| matches!(self.configuration.place(*vm), Place::Running(_));
            self.launched[vjob.index()] |= self.cluster.vms_of(vjob).iter().all(runs);
        }
        let mut slowdown = vec![1.0_f64; self.cluster.nodes().len()];
        let mut paused = vec![false; self.work.len()];
        for action in under_way {
            for node in [action.from().node(), action.to().node()].into_iter().flatten() {
                slowdown[node.index()] = slowdown[node.index()].max(durations.slowdown(action));
            }
            // A VM that is migrated goes on; one that is being suspended, held or stopped does not.
            paused[action.vm().index()] = !matches!(action.to(), Place::Running(_));
        }
        let mut busy = vec![0_u32; self.cluster.nodes().len()];
        let vms: Vec<VmId> = self.cluster.by_name().to_vec();
        for &vm in &vms {
            let wants = self.wants_cpu(vm);
            self.cluster.observe_cpu(vm, u32::from(wants));
            if let (true, false, Place::Running(node)) =
                (wants, paused[vm.index()], self.configuration.place(vm))
            {
                busy[node.index()] += 1;
            }
        }
        for &vm in &vms {
            let rate = match self.configuration.place(vm) {
                Place::Running(node) if !paused[vm.index()] && self.wants_cpu(vm) => {
                    let units = self.cluster.node(node).capacity.cpu as f64;
                    (units / f64::from(busy[node.index()])).min(1.0) / slowdown[node.index()]
                }
                _ => 0.0,
            };
            let work = &mut self.work[vm.index()];
            if rate == work.rate {
                continue;
            }
            work.rate = rate;
            if rate > 0.0 {
                let left = SimSpan::from_micros((work.left / rate).ceil() as u64);
                queue.schedule(
                    Slot(vm.0),
                    EventKey::new(now.saturating_add(left), Rank::Completion, u64::from(vm.0)),
                );
            } else {
                queue.cancel(Slot(vm.0));
            }
        }
    }
}
