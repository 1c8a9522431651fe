//! CPU that machines get over time.

use crate::engine::points::POINTS;
use crate::engine::sharing::{Competitor, Sharing};
use crate::engine::{Settings, Workload};
use dfrsim_model::vm::VmState;
use dfrsim_model::{NodeId, Share, SimSpan, VirtualTime, Yield};

/// Machines on their nodes with their current use, and the integrals of yield and use.
#[derive(Debug)]
pub(crate) struct Fluid {
    sharing: Sharing,
    /// CPU that a migration uses on both of its nodes.
    migration_cpu: Share,
    /// Part of the CPU of a machine that its program gets.
    delivered: Share,
    vms: Vec<VmState>,
    /// Machines of each node, by increasing number.
    vms_by_node: Vec<Vec<usize>>,
    /// Nodes where something changed since shares were computed.
    changed: Vec<bool>,
    yields: Vec<Yield>,
    minimum: Yield,
    /// Integrals of the yields, and of the minimum yield.
    work: Vec<VirtualTime>,
    minimum_work: VirtualTime,
    /// Integrals of the use since [`Fluid::reset_use`], in share units * microseconds, and of the
    /// use of all machines over all time.
    used: Vec<u128>,
    used_by_all: u128,
    competitors: Vec<Competitor>,
    shares: Vec<Share>,
}

impl Fluid {
    /// Creates the state with all machines on their first nodes with equal weights.
    pub(crate) fn new(workload: &Workload, settings: &Settings) -> Fluid {
        let Settings { sharing, migration_cpu, .. } = *settings;
        let count = workload.vms().len();
        let nodes = workload.nodes() as usize;
        let mut fluid = Fluid {
            sharing,
            migration_cpu,
            delivered: settings.delivered(),
            vms: Vec::with_capacity(count),
            vms_by_node: vec![Vec::new(); nodes],
            changed: vec![true; nodes],
            yields: vec![Yield::ONE; count],
            minimum: Yield::ONE,
            work: vec![VirtualTime::ZERO; count],
            minimum_work: VirtualTime::ZERO,
            used: vec![0; count],
            used_by_all: 0,
            competitors: Vec::new(),
            shares: Vec::new(),
        };
        for (number, vm) in workload.vms().iter().enumerate() {
            fluid.vms_by_node[vm.node.index()].push(number);
            let need = vm.needs.steps()[0].1;
            let state = VmState { node: vm.node, destination: None, weight: 1, need, used: Share::ZERO };
            fluid.vms.push(state);
        }
        for here in &fluid.vms_by_node {
            for &vm in here {
                // Caps on a node add up to at most 100 %; the absolute value of weights does not
                // matter.
                fluid.vms[vm].weight = POINTS / here.len() as u32;
            }
        }
        fluid
    }

    pub(crate) fn vms(&self) -> &[VmState] {
        &self.vms
    }
    pub(crate) fn nodes(&self) -> usize {
        self.vms_by_node.len()
    }
    /// Returns the machines of a node, by increasing number.
    pub(crate) fn vms_on(&self, node: usize) -> &[usize] {
        &self.vms_by_node[node]
    }
    pub(crate) fn set_need(&mut self, vm: usize, need: Share) {
        self.changed[self.vms[vm].node.index()] |= self.vms[vm].need != need;
        self.vms[vm].need = need;
    }
    pub(crate) fn set_weight(&mut self, vm: usize, weight: u32) {
        self.changed[self.vms[vm].node.index()] |= self.vms[vm].weight != weight;
        self.vms[vm].weight = weight;
    }
    /// Starts a migration.
    pub(crate) fn set_destination(&mut self, vm: usize, node: NodeId) {
        self.vms[vm].destination = Some(node);
        for end in [self.vms[vm].node, node] {
            self.changed[end.index()] |= self.migration_cpu > Share::ZERO;
        }
    }
    /// Ends all migrations in progress and returns their number.
    pub(crate) fn complete_migrations(&mut self) -> u64 {
        let mut arrived = 0;
        for (vm, state) in self.vms.iter_mut().enumerate() {
            let Some(node) = state.destination.take() else { continue };
            let (from, to) = (state.node.index(), node.index());
            self.vms_by_node[from].retain(|&other| other != vm);
            let place = self.vms_by_node[to].partition_point(|&other| other < vm);
            self.vms_by_node[to].insert(place, vm);
            self.changed[from] = true;
            self.changed[to] = true;
            state.node = node;
            arrived += 1;
        }
        arrived
    }

    /// Updates the shares and yields on nodes where something changed.
    pub(crate) fn update_shares(&mut self) {
        if !self.changed.contains(&true) {
            return;
        }
        for (node, here) in self.vms_by_node.iter().enumerate() {
            if !std::mem::take(&mut self.changed[node]) {
                continue;
            }
            let left = cpu_left_by_migrations(&self.vms, node, self.migration_cpu);
            let competitor =
                |&vm: &usize| Competitor { weight: self.vms[vm].weight, need: self.vms[vm].need };
            self.competitors.clear();
            self.competitors.extend(here.iter().map(competitor));
            self.sharing.share(&self.competitors, left, &mut self.shares);
            for (&vm, &share) in here.iter().zip(&self.shares) {
                let state = &mut self.vms[vm];
                state.used = share;
                self.yields[vm] = yield_of(share, self.delivered, state.need);
            }
        }
        self.minimum = self.yields.iter().copied().min().unwrap_or(Yield::ONE);
    }

    /// Advances time, with constant shares.
    pub(crate) fn advance(&mut self, span: SimSpan) {
        for ((state, &part), (work, used)) in
            self.vms.iter().zip(&self.yields).zip(self.work.iter_mut().zip(&mut self.used))
        {
            *work = work.advanced(span, part);
            let use_now = u128::from(state.used.units()) * u128::from(span.micros());
            *used += use_now;
            self.used_by_all += use_now;
        }
        self.minimum_work = self.minimum_work.advanced(span, self.minimum);
    }

    /// Resets the use, so that it is averaged from now on.
    pub(crate) fn reset_use(&mut self) {
        self.used.fill(0);
    }
    /// Returns the average use of a machine since the last reset, which was `span` ago; rounded
    /// down.
    pub(crate) fn average_use(&self, vm: usize, span: SimSpan) -> Share {
        // A 64-bit division suffices for up to four hours of a whole node, so for nearly all cases.
        let units = match u64::try_from(self.used[vm]) {
            Ok(used) => used / span.micros(),
            Err(_) => (self.used[vm] / u128::from(span.micros())) as u64,
        };
        Share::try_from_units(units as u32).expect("no machine uses more than a node")
    }

    /// Returns the integral of the minimum yield, those of each machine's yield, and the use of all
    /// machines in node-seconds.
    pub(crate) fn integrals(&self) -> (VirtualTime, &[VirtualTime], f64) {
        let all = self.used_by_all as f64 / (f64::from(Share::ONE.units()) * 1e6);
        (self.minimum_work, &self.work, all)
    }
}

/// Computes the CPU of a node that is not used by migrations from and to it.
fn cpu_left_by_migrations(vms: &[VmState], node: usize, migration_cpu: Share) -> Share {
    let ends = |vm: &&VmState| vm.destination.is_some_and(|to| to.index() == node || vm.node.index() == node);
    let taken = vms.iter().filter(ends).count() as u64 * u64::from(migration_cpu.units());
    let left = u64::from(Share::ONE.units()).saturating_sub(taken);
    Share::try_from_units(left as u32).expect("a part of a node")
}

/// Computes the yield: the fraction of the need of a machine that its program gets, rounded down.
fn yield_of(used: Share, delivered: Share, need: Share) -> Yield {
    if need == Share::ZERO {
        return Yield::ONE;
    }
    let (used, need) = (u64::from(used.units()), u64::from(need.units()));
    if delivered == Share::ONE {
        return Yield::from_ratio(used, need);
    }
    let whole = u64::from(Share::ONE.units());
    Yield::from_ratio(used * u64::from(delivered.units()), need * whole)
}
