//! Transition from one configuration to another: the moves, and a plan for them.

use super::state::Loaded;
use crate::failure::Failure;
use crate::output::{counted, table};
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{PlanFigures, plan_to_json};
use dfrsim_context_switch::{
    Cluster, Configuration, Durations, NodeSwitch, Place, Plan, Timetable, VmId, plan, timetable,
};
use dfrsim_lab::by_key;
use dfrsim_model::Yield;
use schemars::JsonSchema;
use serde::Serialize;

/// Plan as a document, and the times of its actions.
pub(super) struct Switch {
    pub(super) document: String,
    pub(super) pools: Plan,
    pub(super) timetable: Timetable,
    pub(super) figures: PlanFigures,
    /// Cluster with the CPU that VMs use during the plan.
    pub(super) cluster: Cluster,
}

/// VM that changes its node, or gets its first one.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Moved {
    pub(super) vm: String,
    /// The node before the move; `null` if the VM was on none.
    pub(super) from: Option<String>,
    pub(super) to: String,
    /// The memory of the VM in MB.
    pub(super) memory_mb: u64,
}

/// Returns the VMs that are on another node than before.
pub(super) fn moves(loaded: &Loaded<'_>, after: &Configuration) -> Vec<Moved> {
    let Loaded { cluster, before, .. } = loaded;
    let name = |place: Place| place.node().map(|node| cluster.node(node).name.clone());
    let vms = cluster.vms().iter().zip((0..).map(VmId));
    let moved = vms.filter_map(|(vm, id)| {
        let (from, to) = (before.place(id), after.place(id));
        let to = name(to).filter(|_| from != to)?;
        Some(Moved { vm: vm.name.clone(), from: name(from), to, memory_mb: vm.demand.memory.unsigned_abs() })
    });
    moved.collect()
}

/// Formats the moves as a table.
pub(super) fn moves_table(moves: &[Moved]) -> String {
    if moves.is_empty() {
        return "nothing to do\n".to_owned();
    }
    let line = |Moved { vm, from, to, memory_mb }: &Moved| {
        [vm.clone(), from.clone().unwrap_or_default(), to.clone(), memory_mb.to_string()]
    };
    table(["VM", "from", "to", "memory"], moves.iter().map(line))
}

impl Switch {
    /// Formats the plan in one line; returns `None` if it is empty.
    pub(super) fn summary(&self) -> Option<String> {
        (!self.timetable.pools.is_empty()).then(|| summary(&self.timetable))
    }

    /// Plans the context switch to a placement, whose VMs may share CPU.
    pub(super) fn to(loaded: &Loaded<'_>, after: &Configuration) -> Result<Switch, Failure> {
        Switch::new(with_shared_cpu(loaded, after), &loaded.before, after, None, &Durations::default())
    }

    /// Creates the context switch to a configuration, with the given plan or a new one, and checks
    /// it with the independent checker.
    pub(super) fn new(
        cluster: Cluster,
        before: &Configuration,
        after: &Configuration,
        found: Option<(Plan, PlanFigures)>,
        durations: &Durations,
    ) -> Result<Switch, Failure> {
        let (pools, figures) = match found {
            Some(found) => found,
            None => {
                let pools = plan(&cluster, before, after)
                    .map_err(|error| Failure::Result(format!("no plan was found: {error}")))?;
                let figures = PlanFigures { cost: pools.cost(&cluster), bound: None, proven: false };
                (pools, figures)
            }
        };
        let timetable = timetable(&cluster, &pools, after, durations);
        let document = plan_to_json(&cluster, before, after, &timetable, &figures);
        check_plan(&document)
            .map_err(|faults| Failure::Result(format!("the plan fails the independent check: {faults}")))?;
        Ok(Switch { document, pools, timetable, figures, cluster })
    }
}

/// Returns the cluster with the CPU that VMs use during the switch to a configuration. If each node
/// has enough CPU for its VMs, they use what they need; otherwise the smaller of their shares before
/// and after.
pub(super) fn with_shared_cpu(loaded: &Loaded<'_>, after: &Configuration) -> Cluster {
    let mut cluster = loaded.cluster.clone();
    let scaled = shared_yield(loaded, after);
    if scaled == Yield::ONE {
        return cluster;
    }
    let scaled = scaled.min(shared_yield(loaded, &loaded.before));
    for (vm, number) in loaded.state.vms.iter().zip(0..) {
        let need = cluster.vms()[number].demand.cpu.unsigned_abs();
        let part = u64::from(unscaled_yield(vm.least_yield, scaled).units());
        let cpu = (u128::from(need) * u128::from(part)) >> Yield::BITS;
        cluster
            .observe_cpu(VmId(number as u32), u32::try_from(cpu).expect("a fraction of a need of 32 bits"));
    }
    cluster
}

/// Converts a scaled yield to the fraction of its need that a VM gets: its least yield, plus the
/// scaled yield times the rest.
fn unscaled_yield(least: Yield, scaled: Yield) -> Yield {
    let (least, one) = (u64::from(least.units()), u64::from(Yield::ONE.units()));
    Yield::from_ratio(least + (one - least) * u64::from(scaled.units()) / one, one)
}

/// Computes the largest scaled yield at which no node exceeds its CPU.
fn shared_yield(loaded: &Loaded<'_>, configuration: &Configuration) -> Yield {
    let cluster = &loaded.cluster;
    let one = u128::from(Yield::ONE.units());
    // CPU of the VMs on each node at a scaled yield of 0, and the additional CPU at a yield of 1, in
    // units of the yield.
    let mut least = vec![0; cluster.nodes().len()];
    let mut more = least.clone();
    for (vm, (demand, place)) in loaded.state.vms.iter().zip(cluster.vms().iter().zip(configuration.places()))
    {
        if let Place::Running(node) = place {
            let (need, part) =
                (u128::from(demand.demand.cpu.unsigned_abs()), u128::from(vm.least_yield.units()));
            least[node.index()] += need * part;
            more[node.index()] += need * (one - part);
        }
    }
    let nodes = cluster.node_ids().zip(least.iter().zip(&more)).map(|(node, (least, more))| {
        let has = u128::from(cluster.capacity(node).cpu.unsigned_abs()) * one;
        if has >= least + more { one } else { has.saturating_sub(*least) * one / more.max(&1) }
    });
    let units = nodes.min().unwrap_or(one);
    Yield::try_from_units(units.min(one) as u32).unwrap_or(Yield::ONE)
}

/// Counts the actions of each kind, in the order of their first occurrence.
pub(super) fn count_actions(times: &Timetable) -> Vec<(&'static str, u32)> {
    let actions = times.pools.iter().flatten().map(|timed| timed.action.kind().name());
    let kinds = by_key(actions.chain(times.switches.iter().map(switch_name)), |kind| *kind);
    kinds.into_iter().map(|kind| (kind[0], kind.len() as u32)).collect()
}

/// Formats the counts of actions by kind and the duration of the plan: `2 suspends, 1 run; 2 pools,
/// 85 s`.
pub(super) fn summary(times: &Timetable) -> String {
    let actions: Vec<String> =
        count_actions(times).into_iter().map(|(kind, count)| counted(count as usize, noun(kind))).collect();
    format!("{}; {}, {} s", actions.join(", "), counted(times.pools.len(), "pool"), times.end())
}

pub(super) fn switch_name(switch: &NodeSwitch) -> &'static str {
    if switch.is_on { "boot" } else { "shutdown" }
}

/// Returns the noun for an action of a kind.
fn noun(kind: &'static str) -> &'static str {
    match kind {
        "migrate" => "migration",
        kind => kind,
    }
}
