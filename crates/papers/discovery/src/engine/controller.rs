//! The phases of DYNAMIC and DYNAMIC+MIGRATION.

use crate::engine::allocator::Allocator;
use crate::engine::estimates::{Estimate, least_recent};
use crate::engine::fluid::Fluid;
use crate::engine::points::POINTS;
use crate::engine::{Approach, Settings, Workload};
use dfrsim_model::{NodeId, Share, SimTime};

/// Sets weights and migrates machines (dissertation, section 7.2.2).
#[derive(Debug)]
pub(crate) struct Controller<'a> {
    settings: &'a Settings,
    migrates: bool,
    allocator: Allocator<'a>,
    estimates: Vec<Estimate>,
    phase: Phase,
    phase_end: SimTime,
    /// Since when the use is averaged.
    since: SimTime,
    /// When it acts next.
    pub(crate) next: SimTime,
    /// The machines of a node that left no slack; kept from call to call.
    others: Vec<usize>,
    pub(crate) migrations: u64,
    pub(crate) remappings: u64,
}

#[derive(Debug)]
enum Phase {
    /// The first discovery phase begins next.
    Start,
    /// These machines have nearly all of the CPU of their nodes.
    Discovery(Vec<usize>),
    /// Machines are being migrated, and get these weights then.
    Migration(Vec<u32>),
    /// They have been migrated before the end of the allocation phase.
    Migrated,
    /// Machines run by their weights, which follow their use.
    Execution,
}

impl<'a> Controller<'a> {
    /// `None` for Xen, which never changes weights or places.
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
            migrates,
            allocator: Allocator::new(workload, settings),
            estimates: vec![Estimate::UNKNOWN; workload.vms().len()],
            phase: Phase::Start,
            phase_end: SimTime::ZERO,
            since: SimTime::ZERO,
            next: SimTime::ZERO,
            others: Vec::new(),
            migrations: 0,
            remappings: 0,
        })
    }

    /// Does what is to be done at this moment.
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
                self.migrations += fluid.arrive();
                set_weights(fluid, &weights);
                (self.phase, self.next) = (Phase::Migrated, self.phase_end);
            }
            Phase::Migrated => self.begin_execution(now, now + self.settings.execution, fluid),
            Phase::Execution => {
                (0..fluid.nodes()).for_each(|node| self.follow_use(now, node, fluid));
                if now == self.phase_end {
                    self.begin_discovery(now, fluid);
                } else {
                    self.go_on(now, fluid);
                }
            }
        }
    }

    /// The least recently discovered machine of each node gets nearly all of the CPU.
    fn begin_discovery(&mut self, now: SimTime, fluid: &mut Fluid) {
        let chosen: Vec<usize> =
            (0..fluid.nodes()).filter_map(|node| least_recent(&self.estimates, fluid.on(node))).collect();
        let mut weights = vec![1; fluid.vms().len()];
        for &vm in &chosen {
            let others = fluid.on(fluid.vms()[vm].node.index()).len() as u32 - 1;
            weights[vm] = POINTS - others;
        }
        set_weights(fluid, &weights);
        self.measure_from(now, fluid);
        self.phase = Phase::Discovery(chosen);
        self.next = now + self.settings.discovery;
    }

    /// New weights and, if that promises enough, new nodes.
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
        self.next = now + self.settings.migration;
    }

    /// Nodes that promise a minimum yield above the threshold, if machines may be migrated.
    fn better_nodes(&mut self, here: &[NodeId]) -> Option<Vec<NodeId>> {
        if !self.migrates {
            return None;
        }
        let there = self.allocator.map(&self.estimates, here)?;
        let [before, after] =
            [here, &there].map(|nodes| self.allocator.minimum_yield(&self.estimates, nodes).as_f64());
        (after > before * (1.0 + self.settings.threshold)).then_some(there)
    }

    fn begin_execution(&mut self, now: SimTime, end: SimTime, fluid: &mut Fluid) {
        self.phase_end = end;
        self.go_on(now, fluid);
    }

    /// Executes until the use is examined again.
    fn go_on(&mut self, now: SimTime, fluid: &mut Fluid) {
        self.phase = Phase::Execution;
        self.measure_from(now, fluid);
        self.next = self.phase_end.min(now + self.settings.monitor);
    }

    /// Estimates follow the use; the points of those that use less than believed go to the others, equally (to all, if
    /// there are no others).
    fn follow_use(&mut self, now: SimTime, node: usize, fluid: &mut Fluid) {
        let span = now.since(self.since);
        let mut others = std::mem::take(&mut self.others);
        others.clear();
        let mut freed = 0;
        for at in 0..fluid.on(node).len() {
            let vm = fluid.on(node)[at];
            let weight = fluid.vms()[vm].weight;
            let entitled = Share::from_ratio(weight.into(), POINTS.into());
            let used = fluid.average_use(vm, span);
            if self.estimates[vm].observe(now, used, entitled, self.settings.lowering) {
                // Who used more than its points is entitled to no more of them.
                let kept = points_for(used).min(weight);
                freed += weight - kept;
                fluid.set_weight(vm, kept);
            } else {
                others.push(vm);
            }
        }
        if others.is_empty() {
            others.extend_from_slice(fluid.on(node));
        }
        let count = others.len() as u32;
        for (place, &vm) in (0..).zip(&others) {
            let more = freed / count + u32::from(place < freed % count);
            fluid.set_weight(vm, fluid.vms()[vm].weight + more);
        }
        self.others = others;
    }

    fn measure_from(&mut self, now: SimTime, fluid: &mut Fluid) {
        self.since = now;
        fluid.forget_use();
    }
}

/// The fewest points that entitle a machine to so much.
fn points_for(used: Share) -> u32 {
    let points = (u64::from(used.units()) * u64::from(POINTS)).div_ceil(u64::from(Share::ONE.units()));
    (points as u32).max(1)
}

fn set_weights(fluid: &mut Fluid, weights: &[u32]) {
    weights.iter().enumerate().for_each(|(vm, &weight)| fluid.set_weight(vm, weight));
}
