//! What the cells of a scenario are, and how they are computed.

use super::row::Row;
use super::scenario::{ClusterPart, PolicyName, SamplePart, Scenario};
use super::tables;
use crate::experiment::{Experiment, NamedTable};
use dfrsim_audit::plan::check_plan;
use dfrsim_context_switch::file::{PlanFigures, plan_to_json};
use dfrsim_context_switch::simulation::{Policy, Run, Setting, simulate};
use dfrsim_context_switch::workload::{Application, Benchmark, InitialState, Sample, SampleShape};
use dfrsim_context_switch::{
    Amount, Cluster, Configuration, Kind, Limits, Node, Plan, SuspendTo, Vjob, VjobId, Vm, cheapest,
    first_come_first_served, plan, select_running, timetable,
};
use dfrsim_model::{Seed, SimTime};
use rand::seq::IndexedRandom;
use std::time::Instant;

/// The VMs of a vjob on the cluster of section 5.2.
const VMS: u32 = 9;

/// A sample or a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    /// So many VMs, and which sample.
    Sample(u32, u32),
    /// Who decides, and which repetition.
    Simulation(PolicyName, u32),
}

const OWN: &str = "cells are of parts that the scenario has";

impl Experiment for Scenario {
    type Cell = Cell;
    type Row = Row;
    const STUDY: &'static str = "context-switch";
    const CELLS: &'static str = "samples and simulations";

    fn title(&self) -> &str {
        &self.title
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn to_toml(&self) -> String {
        Scenario::to_toml(self)
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = Vec::new();
        if let Some(part) = &self.samples {
            for &vms in &part.vms {
                cells.extend((0..part.samples).map(|number| Cell::Sample(vms, number)));
            }
        }
        if let Some(part) = &self.cluster {
            for &policy in &part.policies {
                cells.extend((0..part.repetitions).map(|number| Cell::Simulation(policy, number)));
            }
        }
        cells
    }

    fn determinants(&self, cell: &Cell) -> String {
        let Scenario { seed, steps, time_limit, durations, .. } = self;
        let search = format!("{seed} {steps} {time_limit:?}");
        match *cell {
            Cell::Sample(vms, number) => {
                let SamplePart { nodes, states, .. } = self.samples();
                format!("sample {search} {nodes} {states:?} {vms} {number}")
            }
            Cell::Simulation(policy, number) => {
                // Other policies and more repetitions change nothing.
                let part = ClusterPart { policies: Vec::new(), repetitions: 0, ..self.cluster().clone() };
                format!("simulation {search} {part:?} {durations:?} {policy} {number}")
            }
        }
    }

    fn weight(&self, cell: &Cell) -> u64 {
        match *cell {
            Cell::Sample(vms, _) => vms.into(),
            Cell::Simulation(PolicyName::Booking | PolicyName::FirstFit, _) => 10,
            Cell::Simulation(..) => 10_000,
        }
    }

    fn compute(&self, cell: &Cell) -> Result<Vec<Row>, String> {
        match *cell {
            Cell::Sample(vms, number) => self.sample(vms, number),
            Cell::Simulation(policy, number) => self.simulation(policy, number),
        }
    }

    fn tables(&self, rows: &[Row]) -> Vec<NamedTable> {
        tables::all(rows)
    }
}

impl Scenario {
    fn samples(&self) -> &SamplePart {
        self.samples.as_ref().expect(OWN)
    }
    fn cluster(&self) -> &ClusterPart {
        self.cluster.as_ref().expect(OWN)
    }

    fn limits(&self) -> Limits {
        let steps = if self.time_limit.is_some() { u64::MAX } else { self.steps };
        Limits { steps, time: self.time_limit }
    }

    /// Figure 10: the plan of first-fit decreasing beside the cheapest found.
    fn sample(&self, vms: u32, number: u32) -> Result<Vec<Row>, String> {
        let seed = Seed::new(self.seed).fork("samples").numbered(vms.into()).numbered(number.into());
        let part = self.samples();
        let states: Vec<InitialState> = part.states.iter().map(|state| state.0).collect();
        let Sample { cluster, current } = Sample::draw(SampleShape { nodes: part.nodes, vms }, &states, seed);
        let queue = first_come_first_served(&cluster);
        let first_fit = select_running(&cluster, &current, &queue, SuspendTo::Disk);
        let first_plan = plan(&cluster, &current, &first_fit).map_err(|error| error.to_string())?;
        self.check(&cluster, &current, &first_fit, &first_plan)?;
        let begin = Instant::now();
        let found = cheapest(&cluster, &current, &first_fit, &self.limits(), seed.fork("search"));
        let found = found.map_err(|error| error.to_string())?;
        let search_s = self.time_limit.map(|_| begin.elapsed().as_secs_f64());
        self.check(&cluster, &current, &found.configuration, &found.plan)?;
        let count = |of: fn(Kind) -> bool| {
            Some(found.plan.actions().filter(|action| of(action.kind())).count() as u64)
        };
        let row = Row {
            first_fit_cost: Some(first_plan.cost(&cluster)),
            cost: Some(found.cost),
            bound: Some(found.bound),
            proven: Some(u32::from(found.proven)),
            search_s,
            pools: Some(found.plan.pools().len() as u64),
            runs: count(|kind| matches!(kind, Kind::Run { .. })),
            migrations: count(|kind| matches!(kind, Kind::Migrate { .. })),
            suspends: count(|kind| matches!(kind, Kind::Suspend { .. })),
            local_resumes: count(|kind| matches!(kind, Kind::Resume { .. }) && !kind.is_remote()),
            remote_resumes: count(|kind| matches!(kind, Kind::Resume { .. }) && kind.is_remote()),
            ..Row::new("sample", "", number, vms)
        };
        Ok(vec![row])
    }

    /// Section 5.2: a simulation, its switches, stays and loads.
    fn simulation(&self, policy: PolicyName, number: u32) -> Result<Vec<Row>, String> {
        // The same vjobs under every policy.
        let seed = Seed::new(self.seed).fork("cluster").numbered(number.into());
        let setting = self.setting(policy, seed);
        let mut fault = Ok(());
        let run = simulate(&setting, &mut |cluster, before, after, plan| {
            if fault.is_ok() {
                fault = self.check(cluster, before, after, plan);
            }
        });
        fault?;
        if !run.is_complete {
            return Err(format!("{policy}, repetition {number}: vjobs are left at the horizon"));
        }
        Ok(rows(&setting, &run, policy, number))
    }

    fn setting(&self, policy: PolicyName, seed: Seed) -> Setting {
        let part = self.cluster();
        let mut rng = seed.fork("vms").rng();
        let capacity = Amount::new(part.cpu.into(), part.memory_mb.into());
        let nodes = (1..=part.nodes).map(|node| Node { name: format!("node{node:04}"), capacity });
        let vjobs = (1..=part.vjobs).map(|vjob| Vjob { name: format!("vjob{vjob}"), priority: 0 });
        let vms = (0..part.vjobs * VMS).map(|vm| {
            let memory = *part.vm_memory_mb.choose(&mut rng).expect("there is a size");
            let name = format!("vm{:03}-{}", vm / VMS + 1, vm % VMS + 1);
            Vm { name, vjob: VjobId(vm / VMS), demand: Amount::new(1, memory.into()) }
        });
        let cluster = Cluster::new(nodes.collect(), vjobs.collect(), vms.collect());
        let applications = (0..part.vjobs as usize).map(|vjob| {
            let mut rng = seed.fork("applications").numbered(vjob as u64).rng();
            Application::new(Benchmark::ALL[vjob % 4], VMS as usize, part.work, &mut rng)
        });
        Setting {
            cluster: cluster.expect("names are numbered and amounts are in range"),
            applications: applications.collect(),
            policy: match policy {
                PolicyName::Booking => Policy::Booking,
                PolicyName::FirstFit => Policy::FirstFit(SuspendTo::Disk),
                PolicyName::Optimised => Policy::Optimised(SuspendTo::Disk, self.limits()),
                PolicyName::Dozing => Policy::Optimised(SuspendTo::Memory, self.limits()),
            },
            period: part.period,
            observation: part.observation,
            durations: self.durations.clone(),
            failures: part.failures,
            retries: part.retries,
            seed: seed.fork("simulation"),
            horizon: SimTime::ZERO + part.horizon,
        }
    }

    /// What the independent checker says.
    fn check(
        &self,
        cluster: &Cluster,
        before: &Configuration,
        after: &Configuration,
        plan: &Plan,
    ) -> Result<(), String> {
        let pools = timetable(cluster, plan, &self.durations);
        let figures = PlanFigures { cost: plan.cost(cluster), bound: None, proven: false };
        let text = plan_to_json(cluster, before, after, &pools, &figures);
        check_plan(&text).map(drop).map_err(|faults| format!("a plan is wrong: {faults}"))
    }
}

/// The rows of a simulation.
fn rows(setting: &Setting, run: &Run, policy: PolicyName, number: u32) -> Vec<Row> {
    let vms = setting.cluster.vms().len() as u32;
    let row = |part: &str, at: SimTime| Row {
        at_s: Some(at.since(SimTime::ZERO)),
        ..Row::new(part, &policy.to_string(), number, vms)
    };
    let mut rows = vec![Row { duration_s: Some(run.end.since(SimTime::ZERO)), ..row("run", SimTime::ZERO) }];
    rows.extend(run.switches.iter().map(|switch| Row {
        duration_s: Some(switch.duration),
        cost: Some(switch.cost),
        pools: Some(switch.pools),
        runs: Some(switch.runs),
        stops: Some(switch.stops),
        migrations: Some(switch.migrations),
        suspends: Some(switch.suspends),
        local_resumes: Some(switch.local_resumes),
        remote_resumes: Some(switch.remote_resumes),
        failed: Some(switch.failed),
        ..row("switch", switch.begin)
    }));
    rows.extend(run.stays.iter().map(|stay| Row {
        duration_s: Some(stay.to.since(stay.from)),
        vjob: Some(setting.cluster.vjobs()[stay.vjob.index()].name.clone()),
        state: stay.state.map(|state| state.name().to_owned()),
        ..row("stay", stay.from)
    }));
    rows.extend(run.loads.iter().map(|load| Row {
        memory_mb: Some(load.memory.unsigned_abs()),
        demanded: Some(load.demanded.unsigned_abs()),
        used: Some(load.used),
        ..row("load", load.at)
    }));
    rows
}
