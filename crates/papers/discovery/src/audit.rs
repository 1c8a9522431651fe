//! Independent checks of the CPU sharing of virtual machines in the discovery study.
//!
//! [`SharingAuditor`] receives every span without a change, and shares only the types of the model
//! with the code that produces them. It does not compute shares: it tests conditions that only
//! correct shares meet. In each span
//!
//! * machines have the needs of their traces, and use no more;
//! * no node gives more CPU than it has after the overhead of migrations. With weights, no node is
//!   idle while a machine on it needs more, and no machine gets more relative to its weight than one
//!   that needs more (weighted max-min fairness). With caps, each machine gets the lesser of its
//!   need and its cap, and caps add up to at most 100;
//! * weights of a node are equal or add up to 100 points;
//! * machines change nodes only by migrations, and the machines on a node and those migrating to it
//!   fit into its memory, where each occupies half of its reserved memory.
//!
//! At the end the yields are integrated independently and compared with the figures of the outcome.
//!
//! ```
//! use dfrsim_paper_discovery::audit::{Machine, SharingAuditor};
//! use dfrsim_model::vm::VmState;
//! use dfrsim_model::{NodeId, Share, SimTime};
//!
//! let percent = |percent| Share::from_ratio(percent, 100);
//! let machine = |need| Machine { memory: percent(25), needs: vec![(SimTime::ZERO, percent(need))] };
//! let vm = |weight, need, used| VmState {
//!     node: NodeId(0),
//!     destination: None,
//!     weight,
//!     need: percent(need),
//!     used: percent(used),
//! };
//! let faults = |used| {
//!     let mut auditor = SharingAuditor::new(1, true, vec![machine(40), machine(100)]);
//!     auditor.span(SimTime::ZERO, SimTime::from_secs(9), &[vm(70, 40, 40), vm(30, 100, used)]);
//!     auditor.finish(SimTime::from_secs(9), f64::from(used as u32) / 100.0, f64::from(used as u32) / 100.0)
//! };
//! assert!(faults(60).is_empty());
//! assert!(faults(59)[0].to_string().contains("node 0 is idle"));
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), sections 7.2 to 7.4.

use dfrsim_model::Violation;
use dfrsim_model::vm::VmState;
use dfrsim_model::{NodeId, Share, SimTime};

/// Maximum number of violations kept.
const SHOWN: usize = 20;

/// Tolerance for averages: yields are rounded down to units of 2^-20.
const TOLERANCE: f64 = 4e-6;

/// Known properties of a virtual machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Reserved memory.
    pub memory: Share,
    /// CPU need as a step function: (begin, value), from time 0 on.
    pub needs: Vec<(SimTime, Share)>,
}

/// Auditor of one simulation of virtual machines.
#[derive(Clone, Debug, Default)]
pub struct SharingAuditor {
    nodes: u32,
    work_conserving: bool,
    /// CPU overhead of a migration on both of its nodes.
    migration_cpu: Share,
    /// Part of the CPU of a machine that does not reach its program.
    lost_cpu: Share,
    machines: Vec<Machine>,
    /// Index of each machine's current step in its needs.
    steps: Vec<usize>,
    /// Last node of each machine, and the destination of its migration, if any.
    places: Vec<(NodeId, Option<NodeId>)>,
    now: SimTime,
    /// Integrals of the yields over seconds.
    yields: Vec<f64>,
    minimum: f64,
    faults: Vec<Violation>,
}

impl SharingAuditor {
    /// Creates an auditor for machines that share nodes by weights (work-conserving) or by caps.
    pub fn new(nodes: u32, work_conserving: bool, machines: Vec<Machine>) -> SharingAuditor {
        let (steps, yields) = (vec![0; machines.len()], vec![0.0; machines.len()]);
        SharingAuditor { nodes, work_conserving, machines, steps, yields, ..SharingAuditor::default() }
    }

    /// Sets the CPU overhead of a migration on both of its nodes.
    #[must_use]
    pub fn with_migration_cpu(mut self, migration_cpu: Share) -> SharingAuditor {
        self.migration_cpu = migration_cpu;
        self
    }

    /// Sets the part of the CPU of a machine that does not reach its program.
    #[must_use]
    pub fn with_lost_cpu(mut self, lost_cpu: Share) -> SharingAuditor {
        self.lost_cpu = lost_cpu;
        self
    }

    /// Checks the machines in a span.
    pub fn span(&mut self, from: SimTime, to: SimTime, vms: &[VmState]) {
        if from != self.now || to < from {
            self.report_gap(from);
        }
        self.now = to;
        if vms.len() != self.machines.len() {
            let (found, expected) = (vms.len(), self.machines.len());
            return self.push(format!("{from} s: found {found} machines, expected {expected}"));
        }
        for (vm, state) in vms.iter().enumerate() {
            self.check_machine(from, to, vm, state);
        }
        for node in (0..self.nodes).map(NodeId) {
            self.check_node(from, node, vms);
        }
        self.places = vms.iter().map(|vm| (vm.node, vm.destination)).collect();
        self.integrate(to.saturating_since(from).as_secs_f64(), vms);
    }

    fn push(&mut self, fault: String) {
        if self.faults.len() < SHOWN {
            self.faults.push(Violation(fault));
        }
    }
    /// Reports that no span follows the last one directly.
    fn report_gap(&mut self, next: SimTime) {
        self.push(format!("gap at {} s: expected a span up to {next} s", self.now));
    }

    fn check_machine(&mut self, from: SimTime, to: SimTime, vm: usize, state: &VmState) {
        let steps = &self.machines[vm].needs;
        let step = &mut self.steps[vm];
        while steps.get(*step + 1).is_some_and(|next| next.0 <= from) {
            *step += 1;
        }
        let changes_within = steps.get(*step + 1).is_some_and(|next| next.0 < to);
        let wrong_need = steps.get(*step).is_none_or(|now| now.1 != state.need);
        let moved = self
            .places
            .get(vm)
            .is_some_and(|&(node, destination)| state.node != node && destination != Some(state.node));
        let rules = [
            (changes_within, "its need changes within a span"),
            (wrong_need, "its need differs from its trace"),
            (state.used > state.need, "it uses more than it needs"),
            (state.weight == 0, "it has no weight"),
            (moved, "it is on another node without a migration"),
            (state.node.0 >= self.nodes, "its node does not exist"),
            (state.destination.is_some_and(|node| node.0 >= self.nodes), "its destination does not exist"),
        ];
        for (_, rule) in rules.into_iter().filter(|rule| rule.0) {
            self.push(format!("{from} s, machine {vm}: {rule}"));
        }
    }

    fn check_node(&mut self, at: SimTime, node: NodeId, vms: &[VmState]) {
        let one = u64::from(Share::ONE.units());
        let moving =
            |vm: &&VmState| vm.destination.is_some() && (vm.node == node || vm.destination == Some(node));
        let migrations = vms.iter().filter(moving).count() as u64;
        // CPU of the node after the overhead of migrations.
        let left = one.saturating_sub(migrations * u64::from(self.migration_cpu.units()));
        let here = || vms.iter().filter(move |vm| vm.node == node);
        let used: u64 = here().map(|vm| u64::from(vm.used.units())).sum();
        let weights: u64 = here().map(|vm| u64::from(vm.weight)).sum();
        let occupied: u64 = vms
            .iter()
            .zip(&self.machines)
            .filter(|(vm, _)| vm.node == node || vm.destination == Some(node))
            .map(|(_, machine)| u64::from(machine.memory.units()))
            .sum();
        let equal = here().zip(here().skip(1)).all(|(one, next)| one.weight == next.weight);
        let rules = [
            (used > left, "gives more CPU than it has"),
            (occupied > 2 * one, "lacks memory for its machines and those migrating to it"),
            (weights != 100 && !equal, "has weights that are neither equal nor 100 points"),
        ];
        let sharing: [(bool, &str); 2] = if self.work_conserving {
            // Rounding leaves less than a unit per machine that needs more.
            let wanting = here().filter(|vm| vm.used < vm.need).count() as u64;
            [
                (wanting > 0 && used + wanting < left, "is idle while a machine needs more"),
                (!is_fair(here), "gives a machine more for its weight than one that needs more"),
            ]
        } else {
            let cap = |vm: &VmState| left * u64::from(vm.weight) / 100;
            let wrong = |vm: &VmState| u64::from(vm.used.units()) != u64::from(vm.need.units()).min(cap(vm));
            [
                (here().any(wrong), "does not give a machine the lesser of its need and its cap"),
                (weights > 100, "has caps of more than 100 %"),
            ]
        };
        for (_, rule) in rules.into_iter().chain(sharing).filter(|rule| rule.0) {
            self.push(format!("{at} s: node {node} {rule}"));
        }
    }

    fn integrate(&mut self, seconds: f64, vms: &[VmState]) {
        let mut minimum = 1.0_f64;
        for (vm, sum) in vms.iter().zip(&mut self.yields) {
            let got = vm.used.as_f64() * (1.0 - self.lost_cpu.as_f64());
            let part = if vm.need == Share::ZERO { 1.0 } else { got / vm.need.as_f64() };
            *sum += part * seconds;
            minimum = minimum.min(part);
        }
        self.minimum += minimum * seconds;
    }

    /// Ends the audit and returns the first violations. The arguments are the claimed average
    /// minimum yield and minimum average yield.
    #[must_use]
    pub fn finish(
        mut self,
        end: SimTime,
        average_minimum_yield: f64,
        minimum_average_yield: f64,
    ) -> Vec<Violation> {
        if self.now != end {
            self.report_gap(end);
        }
        let seconds = end.as_secs_f64();
        let least = self.yields.iter().copied().fold(seconds, f64::min);
        for (figure, claimed, found) in [
            ("average minimum yield", average_minimum_yield, self.minimum / seconds),
            ("minimum average yield", minimum_average_yield, least / seconds),
        ] {
            let off = (claimed - found).abs();
            if off.is_nan() || off > TOLERANCE {
                self.push(format!("{figure} is {found}, but {claimed} is claimed"));
            }
        }
        self.faults
    }
}

/// Returns whether no machine gets more relative to its weight than one that needs more, up to a
/// unit of rounding.
fn is_fair<'a, I: Iterator<Item = &'a VmState>>(here: impl Fn() -> I) -> bool {
    let product = |used: u64, weight: u32| u128::from(used) * u128::from(weight);
    here().filter(|vm| vm.used < vm.need).all(|poor| {
        here().all(|rich| {
            product(rich.used.units().into(), poor.weight)
                <= product(u64::from(poor.used.units()) + 1, rich.weight)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(percent: u64) -> Share {
        Share::from_ratio(percent, 100)
    }

    fn vm(node: u32, weight: u32, need: u64, used: u64) -> VmState {
        let node = NodeId(node);
        VmState { node, destination: None, weight, need: percent(need), used: percent(used) }
    }

    /// Returns the violations of one span of 10 s on two nodes, with the correct figures.
    fn faults(work_conserving: bool, vms: &[VmState]) -> Vec<String> {
        let machine = |vm: &VmState| Machine { memory: percent(50), needs: vec![(SimTime::ZERO, vm.need)] };
        let least = vms.iter().map(|vm| vm.used.as_f64() / vm.need.as_f64()).fold(1.0, f64::min);
        let mut auditor = SharingAuditor::new(2, work_conserving, vms.iter().map(machine).collect());
        let end = SimTime::from_secs(10);
        auditor.span(SimTime::ZERO, end, vms);
        auditor.finish(end, least, least).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn each_broken_rule_is_seen() {
        assert!(faults(true, &[vm(0, 70, 100, 70), vm(0, 30, 50, 30), vm(1, 1, 20, 20)]).is_empty());
        assert!(faults(false, &[vm(0, 70, 100, 70), vm(0, 30, 20, 20)]).is_empty());
        for (work_conserving, vms, fault) in [
            (true, vec![vm(0, 70, 100, 71), vm(0, 30, 50, 30)], "0 s: node 0 gives more CPU than it has"),
            (
                true,
                vec![vm(0, 70, 100, 69), vm(0, 30, 50, 31)],
                "0 s: node 0 gives a machine more for its weight",
            ),
            (
                true,
                vec![vm(1, 70, 100, 60), vm(1, 30, 30, 30)],
                "0 s: node 1 is idle while a machine needs more",
            ),
            (true, vec![vm(0, 1, 20, 30)], "0 s, machine 0: it uses more than it needs"),
            (true, vec![vm(0, 0, 20, 20)], "0 s, machine 0: it has no weight"),
            (true, vec![vm(2, 1, 20, 20)], "0 s, machine 0: its node does not exist"),
            (true, vec![vm(0, 20, 20, 20), vm(0, 70, 20, 20)], "0 s: node 0 has weights that are neither"),
            (true, vec![vm(0, 20, 20, 20); 5], "0 s: node 0 lacks memory"),
            (
                false,
                vec![vm(0, 70, 100, 60)],
                "0 s: node 0 does not give a machine the lesser of its need and its cap",
            ),
            (false, vec![vm(0, 70, 10, 10); 2], "0 s: node 0 has caps of more than 100 %"),
        ] {
            let found = faults(work_conserving, &vms);
            assert!(found.iter().any(|found| found.starts_with(fault)), "{fault}: {found:?}");
        }
    }

    #[test]
    fn needs_moves_gaps_and_figures_are_followed() {
        let needs = vec![(SimTime::ZERO, percent(20)), (SimTime::from_secs(5), percent(40))];
        let machine = Machine { memory: percent(25), needs };
        let at = SimTime::from_secs;
        let faults = |spans: &[(u64, u64, VmState)], figure| {
            let mut auditor = SharingAuditor::new(2, true, vec![machine.clone()]);
            spans.iter().for_each(|&(from, to, vm)| auditor.span(at(from), at(to), &[vm]));
            let faults = auditor.finish(at(10), figure, figure);
            faults.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let (first, second) = (vm(0, 1, 20, 20), vm(0, 1, 40, 40));
        let away = VmState { destination: Some(NodeId(1)), ..first };
        assert!(faults(&[(0, 5, first), (5, 10, second)], 1.0).is_empty());
        assert!(faults(&[(0, 5, away), (5, 10, vm(1, 1, 40, 40))], 1.0).is_empty());
        for (spans, figure, fault) in [
            (vec![(0, 10, first)], 1.0, "0 s, machine 0: its need changes within a span"),
            (vec![(0, 5, first), (5, 10, first)], 1.0, "5 s, machine 0: its need differs from its trace"),
            (vec![(0, 5, first), (6, 10, second)], 0.9, "gap at 5 s: expected a span up to 6 s"),
            (vec![(0, 5, first)], 0.5, "gap at 5 s: expected a span up to 10 s"),
            (vec![(0, 5, first), (5, 10, vm(1, 1, 40, 40))], 1.0, "5 s, machine 0: it is on another node"),
            (vec![(0, 5, first), (5, 10, second)], 0.9, "average minimum yield is 1, but 0.9 is claimed"),
        ] {
            let found = faults(&spans, figure);
            assert!(found.iter().any(|found| found.starts_with(fault)), "{fault}: {found:?}");
        }
        let mut auditor = SharingAuditor::new(1, true, vec![machine]);
        auditor.span(at(0), at(1), &[]);
        assert_eq!(auditor.faults[0].to_string(), "0 s: found 0 machines, expected 1");
    }
}
