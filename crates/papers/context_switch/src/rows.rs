//! The columns of rows, a file for each type.

use dfrsim_context_switch::simulation::{Load, Run, StateInterval, Switch};
use dfrsim_context_switch::{Action, Cluster, Kind, Plan};
use dfrsim_lab::{Long, by_sorted_key, columns, row_types};
use dfrsim_model::{SimSpan, SimTime};
use std::collections::BTreeMap;

columns! {
    /// A plan for a random configuration.
    pub struct SampleRow of |(cluster, plan): (&Cluster, &Plan)| {
        /// The number of VMs.
        label pub vms: u32,
        /// Which of the configurations of this size, from 0.
        instance pub replication: u32,
        /// Whose plan it is.
        variant pub policy: String,
        /// The cost of the plan.
        primary(less, "MB") pub cost_mb: u64 = plan.cost(cluster),
        /// A cost that no plan to these states is below; of the optimiser.
        fact("MB") pub bound_mb: Option<u64>,
        /// Whether it is proven that no plan is cheaper; of the optimiser.
        fact pub proven: Option<bool>,
        /// How long the search took, where it had a limit of time.
        metric(less, "s") pub search_s: Option<f64>,
        /// The number of pools of the plan.
        metric(less) pub pools: u64 = plan.pools().len() as u64,
        /// The number of VMs that are run.
        fact pub runs: u64 = count(plan, |it| it.kind() == Kind::Run),
        /// The number of VMs that are migrated.
        metric(less) pub migrations: u64 = count(plan, |it| it.kind() == Kind::Migrate),
        /// The number of VMs that are suspended.
        metric(less) pub suspends: u64 = count(plan, |it| it.kind() == Kind::Suspend),
        /// The number of VMs that are resumed where they were suspended.
        fact pub local_resumes: u64 = count(plan, |it| it.kind() == Kind::Resume && !it.is_remote()),
        /// The number of VMs that are resumed elsewhere.
        metric(less) pub remote_resumes: u64 = count(plan, |it| it.kind() == Kind::Resume && it.is_remote()),
    }
}

columns! {
    /// A simulation.
    pub struct SimulationRow of |run: &Run| {
        /// The number of VMs.
        label pub vms: u32,
        /// The replication, from 0.
        instance pub replication: u32,
        /// The policy that decides which vjobs run.
        variant pub policy: String,
        /// When the last vjob was terminated.
        primary(less, "s") pub duration_s: SimSpan = run.end.since(SimTime::ZERO),
        /// The number of context switches.
        metric(less) pub switches: usize = run.switches.len(),
    }
}

columns! {
    /// A context switch of a simulation. Actions are counted as planned.
    pub struct SwitchRow of |switch: &Switch| {
        /// The number of VMs.
        label pub vms: u32,
        /// The replication, from 0.
        instance pub replication: u32,
        /// The policy that decides which vjobs run.
        variant pub policy: String,
        /// When it began.
        fact("s") pub start_s: SimSpan = switch.begin.since(SimTime::ZERO),
        /// How long it took.
        primary(less, "s") pub duration_s: SimSpan = switch.duration,
        /// The cost of the plan.
        metric(less, "MB") pub cost_mb: u64 = switch.cost,
        /// The number of pools of the plan.
        metric(less) pub pools: u64 = switch.pools,
        /// The number of VMs that were to be run.
        fact pub runs: u64 = switch.runs,
        /// The number of VMs that were to be stopped.
        fact pub stops: u64 = switch.stops,
        /// The number of VMs that were to be migrated, to a pivot too.
        metric(less) pub migrations: u64 = switch.migrations,
        /// The number of VMs that were to be suspended, to a disk or to RAM.
        metric(less) pub suspends: u64 = switch.suspends,
        /// The number of VMs that were to be resumed where they were suspended.
        fact pub local_resumes: u64 = switch.local_resumes,
        /// The number of VMs that were to be resumed elsewhere.
        metric(less) pub remote_resumes: u64 = switch.remote_resumes,
        /// The number of tries of actions that failed.
        metric(less) pub failed: u64 = switch.failed,
    }
}

columns! {
    /// A time in which a vjob had one state.
    pub struct StayRow of |(cluster, stay): (&Cluster, &StateInterval)| {
        /// The number of VMs.
        label pub vms: u32,
        /// The replication, from 0.
        instance pub replication: u32,
        /// The policy that decides which vjobs run.
        variant pub policy: String,
        /// The vjob.
        fact pub vjob: String = cluster.vjobs()[stay.vjob.index()].name.clone(),
        /// The state; missing while its VMs are in several.
        fact pub state: Option<String> = stay.state.map(|state| state.name().to_owned()),
        /// When it began.
        fact("s") pub start_s: SimSpan = stay.from.since(SimTime::ZERO),
        /// How long it took.
        fact("s") pub duration_s: SimSpan = stay.to.since(stay.from),
    }
}

columns! {
    /// The use and the demand of VMs from some time on.
    pub struct LoadRow of |load: &Load| {
        /// The number of VMs.
        label pub vms: u32,
        /// The replication, from 0.
        instance pub replication: u32,
        /// The policy that decides which vjobs run.
        variant pub policy: String,
        /// The moment.
        fact("s") pub start_s: SimSpan = load.at.since(SimTime::ZERO),
        /// The memory of the VMs that run or doze.
        fact("MB") pub memory_mb: u64 = load.memory.unsigned_abs(),
        /// The processing units that the VMs that run demand.
        fact("units") pub demanded_cpu: u64 = load.demanded.unsigned_abs(),
        /// The processing units that they use.
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
    /// The places of the types of rows that runs begin with.
    pub(crate) const SAMPLE: usize = 0;
    pub(crate) const SIMULATION: usize = 1;
}

/// What something comes to for the switches of each simulation of the optimised policy.
pub(crate) fn of_runs<T>(rows: &Long<Row>, of: impl Fn(&[&SwitchRow]) -> Option<T>) -> Vec<T> {
    let own = rows.of::<SwitchRow>().filter(|row| row.policy == "optimised");
    by_sorted_key(own, |row| row.replication).values().filter_map(|own| of(own)).collect()
}

/// Both plans for a random configuration.
pub(crate) struct Pair<'a> {
    pub(crate) first_fit: &'a SampleRow,
    pub(crate) optimised: &'a SampleRow,
}

/// The configurations that have both plans, in the order of the rows.
pub(crate) fn pairs(rows: &Long<Row>) -> Vec<Pair<'_>> {
    let of = |policy| rows.of::<SampleRow>().filter(move |row: &&SampleRow| row.policy == policy);
    let firsts: BTreeMap<(u32, u32), &SampleRow> =
        of("first-fit").map(|row| ((row.vms, row.replication), row)).collect();
    let pair = |optimised: &'_ SampleRow| firsts.get(&(optimised.vms, optimised.replication)).copied();
    of("optimised").filter_map(|optimised| Some(Pair { first_fit: pair(optimised)?, optimised })).collect()
}

impl Pair<'_> {
    /// How much cheaper than the plan of first-fit decreasing a cost is; `None` if that is free.
    pub(crate) fn cheaper_percent(&self, cost_mb: u64) -> Option<f64> {
        let first_fit = Some(self.first_fit.cost_mb).filter(|cost| *cost > 0)?;
        Some(100.0 - 100.0 * cost_mb as f64 / first_fit as f64)
    }
}

/// How much cheaper than the plan of first-fit decreasing the optimised one is; `None` if that is free.
pub(crate) fn reduction_percent(pair: &Pair<'_>) -> Option<f64> {
    pair.cheaper_percent(pair.optimised.cost_mb)
}

/// How far the cost is above the bound.
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

    /// 60 instead of 80, where no plan is below 50: 25 % cheaper, and 20 % above the bound.
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
