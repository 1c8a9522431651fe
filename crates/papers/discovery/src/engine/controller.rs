//! Phases of DYNAMIC and DYNAMIC+MIGRATION.

use crate::engine::allocator::Allocator;
use crate::engine::estimates::{Estimate, least_recent};
use crate::engine::fluid::Fluid;
use crate::engine::points::POINTS;
use crate::engine::{Approach, Settings, Workload};
use dfrsim_model::{NodeId, Share, SimTime};

/// Controller that sets weights and migrates machines (dissertation, section 7.2.2).
#[derive(Debug)]
pub(crate) struct Controller<'a> {
    settings: &'a Settings,
    may_migrate: bool,
    allocator: Allocator<'a>,
    estimates: Vec<Estimate>,
    phase: Phase,
    phase_end: SimTime,
    /// Start of the interval over which use is averaged.
    since: SimTime,
    /// Time of the next action.
    pub(crate) next_action: SimTime,
    /// Buffer for the machines of a node that left no slack; kept to avoid allocations.
    without_slack: Vec<usize>,
    pub(crate) migrations: u64,
    pub(crate) remappings: u64,
}

#[derive(Debug)]
enum Phase {
    /// The first discovery phase begins next.
    Start,
    /// These machines have nearly all of the CPU of their nodes.
    Discovery(Vec<usize>),
    /// Machines are being migrated, and get these weights on arrival.
    Migration(Vec<u32>),
    /// Machines have been migrated before the end of the allocation phase.
    Migrated,
    /// Machines run by their weights, which are adjusted to their use.
    Execution,
}

impl<'a> Controller<'a> {
    /// Creates the controller; `None` for Xen, which never changes weights or nodes.
    pub(crate) fn new(
        approach: Approach,
        workload: &'a Workload,
        settings: &'a Settings,
    ) -> Option<Controller<'a>> {
        let migrates = match approach {
            Approach::Xen => return None,
            Approach::Dynamic => false,
            Approach::DynamicMigration => true,
        };
        Some(Controller {
            settings,
            may_migrate: migrates,
            allocator: Allocator::new(workload, settings),
            estimates: vec![Estimate::UNKNOWN; workload.vms().len()],
            phase: Phase::Start,
            phase_end: SimTime::ZERO,
            since: SimTime::ZERO,
            next_action: SimTime::ZERO,
            without_slack: Vec::new(),
            migrations: 0,
            remappings: 0,
        })
    }

    /// Performs the action that is due now.
    pub(crate) fn act(&mut self, now: SimTime, fluid: &mut Fluid) {
        match std::mem::replace(&mut self.phase, Phase::Start) {
            Phase::Start => self.begin_discovery(now, fluid),
            Phase::Discovery(chosen) => {
                for vm in chosen {
                    let used = fluid.average_use(vm, now.since(self.since));
                    self.estimates[vm].discover(now, used);
                }
                self.begin_allocation(now, fluid);
            }
            Phase::Migration(weights) => {
                self.migrations += fluid.complete_migrations();
                set_weights(fluid, &weights);
                (self.phase, self.next_action) = (Phase::Migrated, self.phase_end);
            }
            Phase::Migrated => self.begin_execution(now, now + self.settings.execution, fluid),
            Phase::Execution => {
                (0..fluid.nodes()).for_each(|node| self.follow_use(now, node, fluid));
                if now == self.phase_end {
                    self.begin_discovery(now, fluid);
                } else {
                    self.continue_execution(now, fluid);
                }
            }
        }
    }

    /// Gives nearly all of the CPU of each node to its least recently discovered machine.
    fn begin_discovery(&mut self, now: SimTime, fluid: &mut Fluid) {
        let chosen: Vec<usize> =
            (0..fluid.nodes()).filter_map(|node| least_recent(&self.estimates, fluid.vms_on(node))).collect();
        let mut weights = vec![1; fluid.vms().len()];
        for &vm in &chosen {
            let others = fluid.vms_on(fluid.vms()[vm].node.index()).len() as u32 - 1;
            weights[vm] = POINTS - others;
        }
        set_weights(fluid, &weights);
        self.measure_from(now, fluid);
        self.phase = Phase::Discovery(chosen);
        self.next_action = now + self.settings.discovery;
    }

    /// Sets new weights and, if the gain exceeds the threshold, starts migrations to new nodes.
    fn begin_allocation(&mut self, now: SimTime, fluid: &mut Fluid) {
        let here: Vec<NodeId> = fluid.vms().iter().map(|vm| vm.node).collect();
        set_weights(fluid, &self.allocator.weights(&self.estimates, &here));
        let end = now + self.settings.allocation;
        let Some(there) = self.better_nodes(&here) else {
            self.begin_execution(now, end + self.settings.execution, fluid);
            return;
        };
        for (vm, (&from, &to)) in here.iter().zip(&there).enumerate() {
            if from != to {
                fluid.set_destination(vm, to);
            }
        }
        self.remappings += 1;
        self.phase = Phase::Migration(self.allocator.weights(&self.estimates, &there));
        self.phase_end = end;
        self.next_action = now + self.settings.migration;
    }

    /// Returns nodes with a minimum yield that exceeds the current one by the threshold, if machines
    /// may be migrated.
    fn better_nodes(&mut self, here: &[NodeId]) -> Option<Vec<NodeId>> {
        if !self.may_migrate {
            return None;
        }
        let there = self.allocator.map_with_mcb(&self.estimates, here)?;
        let [before, after] =
            [here, &there].map(|nodes| self.allocator.minimum_yield(&self.estimates, nodes).as_f64());
        (after > before * (1.0 + self.settings.threshold)).then_some(there)
    }

    fn begin_execution(&mut self, now: SimTime, end: SimTime, fluid: &mut Fluid) {
        self.phase_end = end;
        self.continue_execution(now, fluid);
    }

    /// Continues the execution phase until use is examined again.
    fn continue_execution(&mut self, now: SimTime, fluid: &mut Fluid) {
        self.phase = Phase::Execution;
        self.measure_from(now, fluid);
        self.next_action = self.phase_end.min(now + self.settings.monitor);
    }

    /// Updates the estimates from the use. Machines that use less than estimated lose points, which
    /// are divided equally among the others on the node (among all, if there are no others).
    fn follow_use(&mut self, now: SimTime, node: usize, fluid: &mut Fluid) {
        let span = now.since(self.since);
        let mut others = std::mem::take(&mut self.without_slack);
        others.clear();
        let mut freed = 0;
        for at in 0..fluid.vms_on(node).len() {
            let vm = fluid.vms_on(node)[at];
            let weight = fluid.vms()[vm].weight;
            let entitled = Share::from_ratio(weight.into(), POINTS.into());
            let used = fluid.average_use(vm, span);
            if self.estimates[vm].observe(now, used, entitled, self.settings.lowering) {
                // A machine that used more than its points keeps only its points.
                let kept = points_for(used).min(weight);
                freed += weight - kept;
                fluid.set_weight(vm, kept);
            } else {
                others.push(vm);
            }
        }
        if others.is_empty() {
            others.extend_from_slice(fluid.vms_on(node));
        }
        let count = others.len() as u32;
        for (place, &vm) in (0..).zip(&others) {
            let more = freed / count + u32::from(place < freed % count);
            fluid.set_weight(vm, fluid.vms()[vm].weight + more);
        }
        self.without_slack = others;
    }

    fn measure_from(&mut self, now: SimTime, fluid: &mut Fluid) {
        self.since = now;
        fluid.reset_use();
    }
}

/// Computes the smallest number of points that entitle a machine to this share.
fn points_for(used: Share) -> u32 {
    let points = (u64::from(used.units()) * u64::from(POINTS)).div_ceil(u64::from(Share::ONE.units()));
    (points as u32).max(1)
}

fn set_weights(fluid: &mut Fluid, weights: &[u32]) {
    weights.iter().enumerate().for_each(|(vm, &weight)| fluid.set_weight(vm, weight));
}
