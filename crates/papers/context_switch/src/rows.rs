//! Columns of rows, with a file for each type.

use dfrsim_context_switch::simulation::{Load, Run, StateInterval, Switch};
use dfrsim_context_switch::{Action, Cluster, Kind, Plan};
use dfrsim_lab::{Long, by_sorted_key, columns, row_types};
use dfrsim_model::{SimSpan, SimTime};
use std::collections::BTreeMap;

columns! {
    /// A plan for a random configuration.
    pub struct SampleRow of |(cluster, plan): (&Cluster, &Plan)| {
        /// Number of VMs.
        label pub vms: u32,
        /// Number of the configuration among those of this size, from 0.
        instance pub replication: u32,
        /// Policy that made the plan.
        variant pub policy: String,
        /// Cost of the plan.
        primary(less, "MB") pub cost_mb: u64 = plan.cost(cluster),
        /// Lower bound on the cost of plans to these states; for the optimiser only.
        fact("MB") pub bound_mb: Option<u64>,
        /// True if the plan is proven to be the cheapest; for the optimiser only.
        fact pub proven: Option<bool>,
        /// Duration of the search, if it had a time limit.
        metric(less, "s") pub search_s: Option<f64>,
        /// Number of pools of the plan.
        metric(less) pub pools: u64 = plan.pools().len() as u64,
        /// Number of VMs that are run.
        fact pub runs: u64 = count(plan, |it| it.kind() == Kind::Run),
        /// Number of VMs that are migrated.
        metric(less) pub migrations: u64 = count(plan, |it| it.kind() == Kind::Migrate),
        /// Number of VMs that are suspended.
        metric(less) pub suspends: u64 = count(plan, |it| it.kind() == Kind::Suspend),
        /// Number of VMs that are resumed on the node where they were suspended.
        fact pub local_resumes: u64 = count(plan, |it| it.kind() == Kind::Resume && !it.is_remote()),
        /// Number of VMs that are resumed on another node.
        metric(less) pub remote_resumes: u64 = count(plan, |it| it.kind() == Kind::Resume && it.is_remote()),
    }
}

columns! {
    /// Row of one simulation of vjobs under a policy.
    pub struct SimulationRow of |run: &Run| {
        /// Number of VMs.
        label pub vms: u32,
        /// Number of the replication, from 0.
        instance pub replication: u32,
        /// Policy that decides which vjobs run.
        variant pub policy: String,
        /// Time at which the last vjob terminated.
        primary(less, "s") pub duration_s: SimSpan = run.end.since(SimTime::ZERO),
        /// Number of context switches.
        metric(less) pub switches: usize = run.switches.len(),
    }
}

columns! {
    /// A context switch of a simulation. Actions are counted as planned.
    pub struct SwitchRow of |switch: &Switch| {
        /// Number of VMs.
        label pub vms: u32,
        /// Number of the replication, from 0.
        instance pub replication: u32,
        /// Policy that decides which vjobs run.
        variant pub policy: String,
        /// Time at which the switch began.
        fact("s") pub start_s: SimSpan = switch.begin.since(SimTime::ZERO),
        /// Duration of the switch.
        primary(less, "s") pub duration_s: SimSpan = switch.duration,
        /// Cost of the plan.
        metric(less, "MB") pub cost_mb: u64 = switch.cost,
        /// Number of pools of the plan.
        metric(less) pub pools: u64 = switch.pools,
        /// Number of VMs that were to be run.
        fact pub runs: u64 = switch.runs,
        /// Number of VMs that were to be stopped.
        fact pub stops: u64 = switch.stops,
        /// Number of VMs that were to be migrated, including migrations to a pivot.
        metric(less) pub migrations: u64 = switch.migrations,
        /// Number of VMs that were to be suspended, to a disk or to RAM.
        metric(less) pub suspends: u64 = switch.suspends,
        /// Number of VMs that were to be resumed on the node where they were suspended.
        fact pub local_resumes: u64 = switch.local_resumes,
        /// Number of VMs that were to be resumed on another node.
        metric(less) pub remote_resumes: u64 = switch.remote_resumes,
        /// Number of failed attempts at actions.
        metric(less) pub failed: u64 = switch.failed,
    }
}

columns! {
    /// An interval in which a vjob had one state.
    pub struct StayRow of |(cluster, stay): (&Cluster, &StateInterval)| {
        /// Number of VMs.
        label pub vms: u32,
        /// Number of the replication, from 0.
        instance pub replication: u32,
        /// Policy that decides which vjobs run.
        variant pub policy: String,
        /// Name of the vjob.
        fact pub vjob: String = cluster.vjobs()[stay.vjob.index()].name.clone(),
        /// State of the vjob; missing while its VMs have different states.
        fact pub state: Option<String> = stay.state.map(|state| state.name().to_owned()),
        /// Time at which the interval began.
        fact("s") pub start_s: SimSpan = stay.from.since(SimTime::ZERO),
        /// Length of the interval.
        fact("s") pub duration_s: SimSpan = stay.to.since(stay.from),
    }
}

columns! {
    /// Use and demand of VMs from a time on.
    pub struct LoadRow of |load: &Load| {
        /// Number of VMs.
        label pub vms: u32,
        /// Number of the replication, from 0.
        instance pub replication: u32,
        /// Policy that decides which vjobs run.
        variant pub policy: String,
        /// Time from which the values hold.
        fact("s") pub start_s: SimSpan = load.at.since(SimTime::ZERO),
        /// Memory of the VMs that run or are suspended to RAM.
        fact("MB") pub memory_mb: u64 = load.memory.unsigned_abs(),
        /// Processing units demanded by the running VMs.
        fact("units") pub demanded_cpu: u64 = load.demanded.unsigned_abs(),
        /// Processing units used by the running VMs.
        fact("units") pub used_cpu: f64 = load.used,
    }
}

row_types! {
    /// A row of one of the types.
    pub enum Row {
        Sample(SampleRow) = "sample",
        Simulation(SimulationRow) = "simulation",
        Switch(SwitchRow) = "switch",
        Stay(StayRow) = "stay",
        Load(LoadRow) = "load",
    }
}

fn count(plan: &Plan, is_one: impl Fn(&Action) -> bool) -> u64 {
    plan.actions().filter(is_one).count() as u64
}

impl Row {
    /// Indices of the types of rows with which runs begin.
    pub(crate) const SAMPLE: usize = 0;
    pub(crate) const SIMULATION: usize = 1;
}

/// Evaluates a function on the switches of each simulation of the optimised policy.
pub(crate) fn per_simulation<T>(rows: &Long<Row>, of: impl Fn(&[&SwitchRow]) -> Option<T>) -> Vec<T> {
    let own = rows.of::<SwitchRow>().filter(|row| row.policy == "optimised");
    by_sorted_key(own, |row| row.replication).values().filter_map(|own| of(own)).collect()
}

/// Both plans for a random configuration.
pub(crate) struct Pair<'a> {
    pub(crate) first_fit: &'a SampleRow,
    pub(crate) optimised: &'a SampleRow,
}

/// Returns the configurations that have both plans, in the order of the rows.
pub(crate) fn pairs(rows: &Long<Row>) -> Vec<Pair<'_>> {
    let of = |policy| rows.of::<SampleRow>().filter(move |row: &&SampleRow| row.policy == policy);
    let firsts: BTreeMap<(u32, u32), &SampleRow> =
        of("first-fit").map(|row| ((row.vms, row.replication), row)).collect();
    let pair = |optimised: &'_ SampleRow| firsts.get(&(optimised.vms, optimised.replication)).copied();
    of("optimised").filter_map(|optimised| Some(Pair { first_fit: pair(optimised)?, optimised })).collect()
}

impl Pair<'_> {
    /// Computes the saving of a cost relative to the plan of first-fit decreasing, in percent;
    /// `None` if that plan is free.
    pub(crate) fn cheaper_percent(&self, cost_mb: u64) -> Option<f64> {
        let first_fit = Some(self.first_fit.cost_mb).filter(|cost| *cost > 0)?;
        Some(100.0 - 100.0 * cost_mb as f64 / first_fit as f64)
    }
}

/// Computes the saving of the optimised plan relative to that of first-fit decreasing, in percent;
/// `None` if the latter is free.
pub(crate) fn reduction_percent(pair: &Pair<'_>) -> Option<f64> {
    pair.cheaper_percent(pair.optimised.cost_mb)
}

/// Computes the excess of the cost above the bound, in percent.
pub(crate) fn above_bound_percent(pair: &Pair<'_>) -> Option<f64> {
    let (cost, bound) = (pair.optimised.cost_mb, pair.optimised.bound_mb?);
    Some(if cost == bound { 0.0 } else { 100.0 * cost as f64 / bound as f64 - 100.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_lab::{AnyRow as _, Row as _};

    fn sample(cost_mb: u64, bound_mb: u64) -> SampleRow {
        SampleRow { cost_mb, bound_mb: Some(bound_mb), ..SampleRow::default() }
    }

    /// Checks that a cost of 60 instead of 80, with a lower bound of 50, is 25 % cheaper, and 20 %
    /// above the bound.
    #[test]
    fn plans_are_compared_with_first_fit_and_with_the_bound() {
        let pair = |first_fit: &SampleRow, optimised: &SampleRow| {
            let pair = Pair { first_fit, optimised };
            (reduction_percent(&pair), above_bound_percent(&pair))
        };
        assert_eq!(pair(&sample(80, 0), &sample(60, 50)), (Some(25.0), Some(20.0)));
        assert_eq!(pair(&sample(0, 0), &sample(0, 0)), (None, Some(0.0)));
    }

    #[test]
    fn types_have_their_places() {
        assert_eq!(Row::Sample(sample(1, 1)).row_type(), Row::SAMPLE);
        assert_eq!(Row::TYPES[Row::SIMULATION].name, "simulation");
    }
}
