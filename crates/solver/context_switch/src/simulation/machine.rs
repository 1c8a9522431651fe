//! State of VMs and progress of their computations.

use super::{Setting, all_waiting};
use crate::action::Action;
use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::durations::Durations;
use crate::vjob::{VjobId, VmId};
use crate::workload::Task;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{SimSpan, SimTime};

/// Computation of a VM.
#[derive(Clone, Debug)]
struct Work {
    task: Task,
    /// VMs of the vjob, sorted by name; `task.after` indexes them.
    vms: Vec<VmId>,
    /// Remaining work, in microseconds on a dedicated processing unit.
    left: f64,
    /// Rate of progress, in microseconds of work per microsecond.
    rate: f64,
    is_done: bool,
}

/// State of all VMs.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// The cluster with the current CPU demands of VMs.
    cluster: Cluster,
    configuration: Configuration,
    work: Vec<Work>,
    /// True for vjobs whose application was launched, which happens once all its VMs run at the same
    /// time.
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
        let configuration = all_waiting(&cluster);
        Machine { cluster, configuration, work, launched, now: SimTime::ZERO }
    }

    pub(super) fn configuration(&self) -> &Configuration {
        &self.configuration
    }
    /// Returns the cluster with the current demands of VMs.
    pub(super) fn observed(&self) -> &Cluster {
        &self.cluster
    }
    /// Sets the place of a VM.
    pub(super) fn set(&mut self, vm: VmId, place: Place) {
        self.configuration.set(vm, place);
    }
    /// Returns true if the application of a vjob has finished.
    pub(super) fn is_done(&self, vjob: VjobId) -> bool {
        self.cluster.vms_of(vjob).iter().all(|vm| self.work[vm.index()].is_done)
    }
    /// Returns true if all VMs are terminated.
    pub(super) fn is_over(&self) -> bool {
        self.configuration.places().iter().all(|place| *place == Place::Terminated)
    }
    /// Returns true if the VM has work that it could do now.
    fn wants_cpu(&self, vm: VmId) -> bool {
        let work = &self.work[vm.index()];
        self.launched[self.cluster.vm(vm).vjob.index()]
            && !work.is_done
            && work.task.after.iter().all(|&before| self.work[work.vms[before].index()].is_done)
    }
    /// Returns the total CPU rate of all VMs after slowdowns by context switches, in processing
    /// units.
    pub(super) fn total_rate(&self) -> f64 {
        self.work.iter().map(|work| work.rate).sum()
    }

    /// Advances the computations to a time.
    pub(super) fn advance(&mut self, now: SimTime) {
        let span = now.since(self.now).micros() as f64;
        self.now = now;
        for work in self.work.iter_mut().filter(|work| work.rate > 0.0) {
            work.left = (work.left - span * work.rate).max(0.0);
        }
    }

    /// Marks the task of a VM as finished.
    pub(super) fn complete(&mut self, vm: VmId) {
        let work = &mut self.work[vm.index()];
        (work.left, work.is_done) = (0.0, true);
    }

    /// Updates the demands and the rates of VMs, given the actions in progress, and schedules the
    /// completions of their tasks.
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
            // A migrating VM keeps running; one that is being suspended or stopped does not.
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
