//! Simulation of vjobs on a cluster, with the control loop of section 3.1: observe, decide, plan,
//! switch.
//!
//! Vjobs are submitted over time. A decision is made every period, but not until some time after the
//! last switch. Plans are executed pool by pool, with the durations of the table; meanwhile
//! computing VMs on the nodes involved are slowed down. Computing VMs share the CPU of a node evenly
//! if it is overloaded.

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

/// Settings of a simulation.
#[derive(Clone, Debug)]
pub struct Setting {
    /// Nodes and VMs. CPU demands of VMs are ignored, as they are observed during the simulation.
    pub cluster: Cluster,
    /// Application of each vjob, with one task for each of its VMs in the order of names.
    pub applications: Vec<Application>,
    /// Submission time of each vjob.
    pub submissions: Vec<SimTime>,
    /// Policy that decides which vjobs run.
    pub policy: Policy,
    /// Time between decisions.
    pub period: SimSpan,
    /// Minimum time between the end of a switch and the next decision.
    pub observation: SimSpan,
    /// Durations of actions.
    pub durations: Durations,
    /// Fraction of all actions that fail, from 0 to 1. A failed action takes its full time and
    /// leaves the VM in its place.
    pub failures: f64,
    /// Number of immediate retries of a failed action. If they fail too, the rest of the plan is
    /// aborted, and the next decision plans anew.
    pub retries: u32,
    /// Seed of failures and of the optimiser.
    pub seed: Seed,
    /// Time at which the simulation ends even if vjobs are left.
    pub horizon: SimTime,
}

/// Callback for each plan before its execution. It gets the cluster with the current demands, the
/// configurations before and after, and the plan.
pub type Witness<'a> = dyn FnMut(&Cluster, &Configuration, &Configuration, &Plan) + 'a;

/// Simulates until all vjobs are terminated or the horizon is reached.
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
    /// Number of decisions made.
    decisions: u64,
    /// Time at which each vjob was first scheduled to run.
    first_starts: Vec<Option<SimTime>>,
}

impl<'a> Simulation<'a> {
    fn new(setting: &'a Setting) -> Simulation<'a> {
        let machine = Machine::new(setting);
        let recorder = Recorder::new(machine.configuration());
        let mut queue = EventQueue::new();
        queue.schedule(decision_slot(&setting.cluster), EventKey::new(SimTime::ZERO, Rank::Tick, 0));
        let failures = setting.seed.fork("failures").rng();
        let first_starts = vec![None; setting.cluster.vjobs().len()];
        Simulation {
            setting,
            machine,
            queue,
            execution: None,
            recorder,
            failures,
            decisions: 0,
            first_starts,
        }
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
                self.handle_action(now, VmId(slot.0 - vms));
            } else {
                self.decide(now, witness);
            }
            if let Some(execution) = &mut self.execution {
                execution.update_contention(now, self.setting, &mut self.queue);
            }
            let under_way = self.execution.iter().flat_map(Execution::under_way);
            self.machine.refresh(now, &mut self.queue, &self.setting.durations, under_way);
            self.recorder.observe(now, &self.machine);
            if self.machine.is_over() {
                break;
            }
        }
        self.recorder.finish(now, &self.machine)
    }

    /// Handles the start or the end of an action.
    fn handle_action(&mut self, now: SimTime, vm: VmId) {
        let setting = self.setting;
        let Some(execution) = &mut self.execution else { return };
        if execution.handle_event(now, vm, setting, &mut self.machine, &mut self.queue, &mut self.failures) {
            self.recorder.switch(execution.record(now));
            let begin = execution.begin_time();
            self.execution = None;
            self.schedule_decision(now + setting.observation, begin);
        }
    }

    /// Schedules the next decision: one period after the last one, but not before `earliest`.
    fn schedule_decision(&mut self, earliest: SimTime, last: SimTime) {
        let at = earliest.max(last + self.setting.period);
        self.decisions += 1;
        let slot = decision_slot(&self.setting.cluster);
        self.queue.schedule(slot, EventKey::new(at, Rank::Tick, 0));
    }

    fn decide(&mut self, now: SimTime, witness: &mut Witness<'_>) {
        let cluster = &*self.setting.policy.counted_demands(self.machine.observed());
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
                self.first_starts[vjob.index()].get_or_insert(now);
            }
        }
        let plan = if self.setting.policy.chooses_by_cost() { plan } else { plan_early };
        let plan = plan(cluster, current, &wanted).expect("decisions of policies are viable and legal");
        if plan.pools().is_empty() {
            self.schedule_decision(now, now);
            return;
        }
        witness(cluster, current, &wanted, &plan);
        self.execution = Some(Execution::begin(now, plan, cluster, &mut self.queue));
    }

    /// Estimates the end of a vjob that runs undisturbed on dedicated processing units, from its
    /// first start or from now: the sum of the times to boot, to compute and to detect the end.
    fn expected_end(&self, vjob: VjobId, now: SimTime) -> SimTime {
        let setting = self.setting;
        let times = setting.applications.get(vjob.index()).map(Application::undisturbed).unwrap_or_default();
        let computes = times.iter().map(|(_, end)| *end).max().unwrap_or_default();
        let begin = self.first_starts[vjob.index()].unwrap_or(now);
        begin.saturating_add(setting.durations.run()).saturating_add(computes).saturating_add(setting.period)
    }

    /// Returns the queue: submitted vjobs that are not done. A vjob is done when its application has
    /// finished and all its VMs run, so that they can be stopped.
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

/// Returns the event slot of decisions: the last one, after the slots of the VMs' computations and
/// actions.
fn decision_slot(cluster: &Cluster) -> Slot {
    Slot(2 * cluster.vms().len() as u32)
}

/// Returns the event slot of a VM's actions.
fn action_slot(cluster: &Cluster, vm: VmId) -> Slot {
    Slot(cluster.vms().len() as u32 + vm.0)
}

/// Returns the initial configuration, in which all VMs wait.
fn all_waiting(cluster: &Cluster) -> Configuration {
    Configuration::new(vec![Place::Waiting; cluster.vms().len()])
}
