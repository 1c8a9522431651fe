//! The CPU that machines get while time passes.

use crate::engine::Workload;
use crate::engine::points::POINTS;
use crate::engine::sharing::{Competitor, Sharing};
use dfrsim_model::vm::VmState;
use dfrsim_model::{NodeId, Share, SimSpan, VirtualTime, Yield};

/// The machines on their nodes with what they use, and the integrals of it.
#[derive(Debug)]
pub(crate) struct Fluid {
    sharing: Sharing,
    /// The amount that a migration takes of both of its nodes.
    migration_cpu: Share,
    vms: Vec<VmState>,
    /// The machines of each node, by rising numbers.
    on: Vec<Vec<usize>>,
    /// Nodes where something changed since shares were computed.
    changed: Vec<bool>,
    yields: Vec<Yield>,
    minimum: Yield,
    /// The integrals of the yields, and of the minimum yield.
    work: Vec<VirtualTime>,
    minimum_work: VirtualTime,
    /// The integrals of the use since [`Fluid::forget_use`], in share units * microseconds, and over all time.
    used: Vec<u128>,
    used_by_all: u128,
    competitors: Vec<Competitor>,
    shares: Vec<Share>,
}

impl Fluid {
    /// All machines at their first nodes with equal weights.
    pub(crate) fn new(workload: &Workload, sharing: Sharing, migration_cpu: Share) -> Fluid {
        let count = workload.vms().len();
        let nodes = workload.nodes() as usize;
        let mut fluid = Fluid {
            sharing,
            migration_cpu,
            vms: Vec::with_capacity(count),
            on: vec![Vec::new(); nodes],
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
            fluid.on[vm.node.index()].push(number);
            let need = vm.needs.steps()[0].1;
            let state = VmState { node: vm.node, destination: None, weight: 1, need, used: Share::ZERO };
            fluid.vms.push(state);
        }
        for here in &fluid.on {
            for &vm in here {
                // Caps of a node add up to 100 %; weights matter only relatively to each other.
                fluid.vms[vm].weight = POINTS / here.len() as u32;
            }
        }
        fluid
    }

    pub(crate) fn vms(&self) -> &[VmState] {
        &self.vms
    }
    pub(crate) fn nodes(&self) -> usize {
        self.on.len()
    }
    /// The machines of a node, by rising numbers.
    pub(crate) fn on(&self, node: usize) -> &[usize] {
        &self.on[node]
    }
    pub(crate) fn set_need(&mut self, vm: usize, need: Share) {
        self.changed[self.vms[vm].node.index()] |= self.vms[vm].need != need;
        self.vms[vm].need = need;
    }
    pub(crate) fn set_weight(&mut self, vm: usize, weight: u32) {
        self.changed[self.vms[vm].node.index()] |= self.vms[vm].weight != weight;
        self.vms[vm].weight = weight;
    }
    /// A migration begins.
    pub(crate) fn set_destination(&mut self, vm: usize, node: NodeId) {
        self.vms[vm].destination = Some(node);
        for end in [self.vms[vm].node, node] {
            self.changed[end.index()] |= self.migration_cpu > Share::ZERO;
        }
    }
    /// All migrations that have begun end; how many they are.
    pub(crate) fn arrive(&mut self) -> u64 {
        let mut arrived = 0;
        for (vm, state) in self.vms.iter_mut().enumerate() {
            let Some(node) = state.destination.take() else { continue };
            let (from, to) = (state.node.index(), node.index());
            self.on[from].retain(|&other| other != vm);
            let place = self.on[to].partition_point(|&other| other < vm);
            self.on[to].insert(place, vm);
            self.changed[from] = true;
            self.changed[to] = true;
            state.node = node;
            arrived += 1;
        }
        arrived
    }

    /// Computes what has changed.
    pub(crate) fn settle(&mut self) {
        if !self.changed.contains(&true) {
            return;
        }
        for (node, here) in self.on.iter().enumerate() {
            if !std::mem::take(&mut self.changed[node]) {
                continue;
            }
            let left = left_by_migrations(&self.vms, node, self.migration_cpu);
            let competitor =
                |&vm: &usize| Competitor { weight: self.vms[vm].weight, need: self.vms[vm].need };
            self.competitors.clear();
            self.competitors.extend(here.iter().map(competitor));
            self.sharing.share(&self.competitors, left, &mut self.shares);
            for (&vm, &share) in here.iter().zip(&self.shares) {
                let state = &mut self.vms[vm];
                state.used = share;
                self.yields[vm] = yield_of(share, state.need);
            }
        }
        self.minimum = self.yields.iter().copied().min().unwrap_or(Yield::ONE);
    }

    /// Time passes.
    pub(crate) fn pass(&mut self, span: SimSpan) {
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

    /// The use is averaged from now on.
    pub(crate) fn forget_use(&mut self) {
        self.used.fill(0);
    }
    /// The average use of a machine since that, which was `span` ago; rounded down.
    pub(crate) fn average_use(&self, vm: usize, span: SimSpan) -> Share {
        // Nearly always a 64-bit division suffices: up to four hours of a whole node.
        let units = match u64::try_from(self.used[vm]) {
            Ok(used) => used / span.micros(),
            Err(_) => (self.used[vm] / u128::from(span.micros())) as u64,
        };
        Share::try_from_units(units as u32).expect("no machine uses more than a node")
    }

    /// The integral of the minimum yield, those of each machine's yield, and the use of all in node-seconds.
    pub(crate) fn integrals(&self) -> (VirtualTime, &[VirtualTime], f64) {
        let all = self.used_by_all as f64 / (f64::from(Share::ONE.units()) * 1e6);
        (self.minimum_work, &self.work, all)
    }
}

/// What migrations from and to a node leave of its CPU.
fn left_by_migrations(vms: &[VmState], node: usize, migration_cpu: Share) -> Share {
    let ends = |vm: &&VmState| vm.destination.is_some_and(|to| to.index() == node || vm.node.index() == node);
    let taken = vms.iter().filter(ends).count() as u64 * u64::from(migration_cpu.units());
    let left = u64::from(Share::ONE.units()).saturating_sub(taken);
    Share::try_from_units(left as u32).expect("a part of a node")
}

/// The amount that a machine gets of its need, rounded down.
fn yield_of(used: Share, need: Share) -> Yield {
    if need == Share::ZERO {
        return Yield::ONE;
    }
    Yield::from_ratio(used.units().into(), need.units().into())
}
