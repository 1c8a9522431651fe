//! Vjobs on a cluster over time, by the control loop of section 3.1: observe, decide, plan, switch.
//!
//! Vjobs are submitted over time. A decision is made every period, and some time after a switch has ended. What
//! is decided happens pool by pool, in the time that the table of durations says; meanwhile VMs that compute on the nodes
//! concerned are slowed down. VMs that compute share the CPU of a node evenly if there is not enough of it.

mod easy;
mod machine;
mod policy;
mod record;
mod switch;
mod view;

pub use policy::Policy;
pub use record::{Load, Run, StateInterval, Switch};

use crate::cluster::Cluster;
use crate::configuration::{Configuration, Place};
use crate::durations::Durations;
use crate::plan::Plan;
use crate::planner::{plan, plan_early};
use crate::vjob::{VjobId, VmId};
use crate::workload::Application;
use dfrsim_model::event_queue::{EventKey, EventQueue, Rank, Slot};
use dfrsim_model::{Rng, Seed, SimSpan, SimTime};
use dfrsim_state::VmState;
use machine::Machine;
use record::Recorder;
use switch::Execution;
use view::View;

/// The setting of a simulation.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Nodes and VMs; what VMs need of the CPU is observed.
    pub cluster: Cluster,
    /// The application of each vjob: a task for each of its VMs, by their names.
    pub applications: Vec<Application>,
    /// When each vjob is submitted.
    pub submissions: Vec<SimTime>,
    /// The policy that decides which vjobs run.
    pub policy: Policy,
    /// Between decisions.
    pub period: SimSpan,
    /// Between the end of a switch and the next decision, at least.
    pub observation: SimSpan,
    /// The durations of actions.
    pub durations: Durations,
    /// How many of all actions fail, from 0 to 1: after its time the VM is where it was.
    pub failures: f64,
    /// How often a failed action is tried again at once. If that does not help, the rest of its plan is dropped, and the
    /// next decision plans again.
    pub retries: u32,
    /// The seed of failures and of the optimiser.
    pub seed: Seed,
    /// When the simulation ends even if vjobs are left.
    pub horizon: SimTime,
}

/// Called with each plan before it is executed: the cluster with what VMs need then, where they are and where they will
/// be, and the plan.
pub type Witness<'a> = dyn FnMut(&Cluster, &Configuration, &Configuration, &Plan) + 'a;

/// Simulates until all vjobs are terminated, or the horizon.
pub fn simulate(setting: &Setting, witness: &mut Witness<'_>) -> Run {
    Simulation::new(setting).run(witness)
}

struct Simulation<'a> {
    setting: &'a Setting,
    machine: Machine,
    queue: EventQueue,
    execution: Option<Execution>,
    recorder: Recorder,
    failures: Rng,
    /// How many decisions were made.
    decisions: u64,
    /// When each vjob was first to run.
    begun: Vec<Option<SimTime>>,
}

impl<'a> Simulation<'a> {
    fn new(setting: &'a Setting) -> Simulation<'a> {
        let machine = Machine::new(setting);
        let recorder = Recorder::new(machine.configuration());
        let mut queue = EventQueue::new();
        queue.schedule(decision_slot(&setting.cluster), EventKey::new(SimTime::ZERO, Rank::Tick, 0));
        let failures = setting.seed.fork("failures").rng();
        let begun = vec![None; setting.cluster.vjobs().len()];
        Simulation { setting, machine, queue, execution: None, recorder, failures, decisions: 0, begun }
    }

    fn run(mut self, witness: &mut Witness<'_>) -> Run {
        let vms = self.setting.cluster.vms().len() as u32;
        let mut now = SimTime::ZERO;
        while let Some((key, slot)) = self.queue.pop() {
            if key.time() > self.setting.horizon {
                break;
            }
            now = key.time();
            self.machine.advance(now);
            if let Some(execution) = &mut self.execution {
                execution.advance(now);
            }
            if slot.0 < vms {
                self.machine.complete(VmId(slot.0));
            } else if slot.0 < 2 * vms {
                self.act(now, VmId(slot.0 - vms));
            } else {
                self.decide(now, witness);
            }
            if let Some(execution) = &mut self.execution {
                execution.pace(now, self.setting, &mut self.queue);
            }
            let under_way = self.execution.iter().flat_map(Execution::under_way);
            self.machine.refresh(now, &mut self.queue, &self.setting.durations, under_way);
            self.recorder.watch(now, &self.machine);
            if self.machine.is_over() {
                break;
            }
        }
        self.recorder.finish(now, &self.machine)
    }

    /// An action begins or ends.
    fn act(&mut self, now: SimTime, vm: VmId) {
        let setting = self.setting;
        let Some(execution) = &mut self.execution else { return };
        if execution.event(now, vm, setting, &mut self.machine, &mut self.queue, &mut self.failures) {
            self.recorder.switch(execution.record(now));
            let begin = execution.begin_time();
            self.execution = None;
            self.next_decision(now + setting.observation, begin);
        }
    }

    /// The next decision: a period after the one before, but not before `earliest`.
    fn next_decision(&mut self, earliest: SimTime, last: SimTime) {
        let at = earliest.max(last + self.setting.period);
        self.decisions += 1;
        let slot = decision_slot(&self.setting.cluster);
        self.queue.schedule(slot, EventKey::new(at, Rank::Tick, 0));
    }

    fn decide(&mut self, now: SimTime, witness: &mut Witness<'_>) {
        let cluster = &*self.setting.policy.counted(self.machine.observed());
        let current = self.machine.configuration();
        let queue = self.queue_of_vjobs(now);
        let seed = self.setting.seed.fork("decisions").numbered(self.decisions);
        let expected_ends: Vec<SimTime> =
            cluster.vjob_ids().map(|vjob| self.expected_end(vjob, now)).collect();
        let view = View { cluster, current, queue: &queue, now, expected_ends: &expected_ends };
        let wanted = self.setting.policy.decide(&view, seed);
        for vjob in cluster.vjob_ids() {
            let runs = |vm: &VmId| matches!(wanted.place(*vm), Place::Running(_));
            if cluster.vms_of(vjob).iter().any(runs) {
                self.begun[vjob.index()].get_or_insert(now);
            }
        }
        let plan = if self.setting.policy.chooses_by_cost() { plan } else { plan_early };
        let plan = plan(cluster, current, &wanted).expect("what a policy decides is viable and legal");
        if plan.pools().is_empty() {
            self.next_decision(now, now);
            return;
        }
        witness(cluster, current, &wanted, &plan);
        self.execution = Some(Execution::begin(now, plan, cluster, &mut self.queue));
    }

    /// When a vjob would end if it ran undisturbed on units of its own from its beginning on, or from now on: it boots, computes
    /// and is seen to have ended.
    fn expected_end(&self, vjob: VjobId, now: SimTime) -> SimTime {
        let setting = self.setting;
        let times = setting.applications.get(vjob.index()).map(Application::undisturbed).unwrap_or_default();
        let computes = times.iter().map(|(_, end)| *end).max().unwrap_or_default();
        let begin = self.begun[vjob.index()].unwrap_or(now);
        begin.saturating_add(setting.durations.run()).saturating_add(computes).saturating_add(setting.period)
    }

    /// The vjobs that are submitted and want to run. A vjob is done when its application is and all its VMs run, so that they can be stopped.
    fn queue_of_vjobs(&self, now: SimTime) -> Vec<VjobId> {
        let cluster = &self.setting.cluster;
        let configuration = self.machine.configuration();
        let is_done = |vjob: &VjobId| {
            let states = cluster.vms_of(*vjob).iter().map(|vm| configuration.place(*vm).state());
            let ends = |state| matches!(state, VmState::Running | VmState::Terminated);
            self.machine.is_done(*vjob) && states.into_iter().all(ends)
        };
        let queue = crate::cluster::first_come_first_served(cluster);
        let is_submitted = |vjob: &VjobId| self.setting.submissions[vjob.index()] <= now;
        queue.into_iter().filter(is_submitted).filter(|vjob| !is_done(vjob)).collect()
    }
}

/// VMs have slots for their computations, then for their actions; the decisions have the last one.
fn decision_slot(cluster: &Cluster) -> Slot {
    Slot(2 * cluster.vms().len() as u32)
}

/// The slot of a VM's actions.
fn action_slot(cluster: &Cluster, vm: VmId) -> Slot {
    Slot(cluster.vms().len() as u32 + vm.0)
}

/// The initial configuration: all VMs wait.
fn waiting(cluster: &Cluster) -> Configuration {
    Configuration::new(vec![Place::Waiting; cluster.vms().len()])
}
