//! The study: plans and simulations of a scenario.

use crate::instance::{Instance, RandomConfiguration, Timeline, VMS_PER_VJOB};
use crate::rows::{LoadRow, Row, SampleRow, SimulationRow, StayRow, SwitchRow};
use crate::scenario::{ContextSwitches, Policy, Simulations};
use crate::{claims, drawings, tables};
use dfrsim_context_switch::check::check_plan;
use dfrsim_context_switch::file::{PlanFigures, plan_to_json};
use dfrsim_context_switch::simulation::{Run, simulate};
use dfrsim_context_switch::workload::Sample;
use dfrsim_context_switch::{Cluster, Configuration, Durations, Plan, plan_early, solve, timetable};
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{
    Audit, Claim, Drawing, Failure, Input, InstanceId, KeyBuilder, Labels, Long, NamedTable, Prepared,
    RunContext, RunError, Status, Study,
};
use std::time::Instant;

/// The context-switch study of a scenario.
pub struct ContextSwitchStudy {
    scenario: Scenario<ContextSwitches>,
    durations: Durations,
    instances: Vec<InstanceSpec>,
}

/// Position of an instance in the scenario.
#[derive(Clone, Copy)]
enum InstanceSpec {
    Sample { vms: u32, replication: u32 },
    Cluster { replication: u32 },
}

/// A policy, and the type of its first rows.
type Variant = (usize, Policy);

const OWN: &str = "instances are of parts that the scenario has";

impl Study for ContextSwitchStudy {
    const NAME: &'static str = "context-switch";
    const TITLE: &'static str = "Context switches of virtualised jobs (RR-6929)";
    const SEMANTICS: u32 = 3;
    const AUDIT: Audit = Audit::Always;
    const RUNS: &'static str = "plans and simulations";

    type Fields = ContextSwitches;
    type Instance = Instance;
    type Variant = Variant;
    type Rows = Long<Row>;

    /// Returns a lower bound on the bytes that the largest configuration occupies.
    fn memory(scenario: &Scenario<ContextSwitches>) -> u64 {
        const VM: u64 = 400;
        const NODE: u64 = 100;
        const VMS_OF_VJOB: u64 = 9;
        let of = |vms: u64, nodes: u32| VM * vms + NODE * u64::from(nodes);
        let samples =
            scenario.samples.iter().flat_map(|part| part.vms.iter().map(|&vms| of(vms.into(), part.nodes)));
        let cluster = scenario.cluster.iter().map(|part| of(VMS_OF_VJOB * u64::from(part.vjobs), part.nodes));
        samples.chain(cluster).max().unwrap_or(0)
    }
    fn rows_at_least(scenario: &Scenario<ContextSwitches>) -> u64 {
        let samples =
            scenario.samples.iter().map(|part| u64::from(part.replications) * part.vms.len() as u64);
        let cluster = scenario.cluster.iter().map(|part| u64::from(part.replications));
        samples.chain(cluster).fold(0, u64::saturating_add)
    }
    fn open(
        scenario: &Scenario<ContextSwitches>,
        _: &mut Vec<Input>,
    ) -> Result<ContextSwitchStudy, RunError> {
        let mut instances = Vec::new();
        if let Some(part) = &scenario.samples {
            for &vms in &part.vms {
                instances.extend(
                    (0..part.replications).map(|replication| InstanceSpec::Sample { vms, replication }),
                );
            }
        }
        if let Some(part) = &scenario.cluster {
            instances.extend((0..part.replications).map(|replication| InstanceSpec::Cluster { replication }));
        }
        let durations = scenario.durations.durations();
        Ok(ContextSwitchStudy { scenario: scenario.clone(), durations, instances })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |&id: &InstanceSpec| {
            let (vms, replication, weight) = match id {
                InstanceSpec::Sample { vms, replication } => (vms, replication, vms.into()),
                // A simulation consists of many decisions.
                InstanceSpec::Cluster { replication } => {
                    (self.vms(), replication, 1_000 * u64::from(self.vms()))
                }
            };
            let labels = vec![("vms", vms.to_string()), ("replication", replication.to_string())];
            InstanceId { labels, weight }
        };
        self.instances.iter().map(id).collect()
    }
    fn variants(&self, at: usize) -> Vec<Variant> {
        match self.instances[at] {
            InstanceSpec::Sample { .. } => {
                [Policy::FirstFit, Policy::Optimised].map(|it| (Row::SAMPLE, it)).into()
            }
            InstanceSpec::Cluster { .. } => {
                self.cluster().policies.iter().map(|&it| (Row::SIMULATION, it)).collect()
            }
        }
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Instance>, Failure> {
        let seed = self.scenario.seed;
        Ok(match self.instances[at] {
            InstanceSpec::Sample { vms, replication } => RandomConfiguration::prepare(
                seed,
                self.scenario.samples.as_ref().expect(OWN),
                vms,
                replication,
            ),
            InstanceSpec::Cluster { replication } => {
                Timeline::prepare(seed, &self.scenario, self.cluster(), replication)
            }
        })
    }
    fn key(&self, (_, policy): &Variant, key: &mut KeyBuilder) {
        // The seed affects the search and the failures.
        key.field("policy", policy).field("seed", self.scenario.seed);
        if policy.searches() {
            match self.scenario.time_limit_s {
                Some(limit) => key.field("time_limit_s", limit.as_secs_f64()),
                None => key.field("steps", self.scenario.steps),
            };
        }
    }
    fn labels(&self, (_, policy): &Variant) -> Labels {
        vec![("policy", policy.to_string())]
    }
    fn row_type(&self, (row_type, _): &Variant) -> usize {
        *row_type
    }
    fn run(
        &self,
        instance: &Instance,
        &(_, policy): &Variant,
        _: RunContext<'_>,
    ) -> Result<Vec<Row>, Failure> {
        match instance {
            Instance::Sample(random) => self.sample(random, policy),
            Instance::Cluster(timeline) => self.simulation(timeline, policy),
        }
    }
    fn tables(&self, rows: &Long<Row>) -> Vec<NamedTable> {
        tables::all(&self.scenario, rows)
    }
    fn claims(&self, rows: &Long<Row>) -> Vec<Claim> {
        claims::all(&self.scenario, rows)
    }
    fn drawings(scenario: &Scenario<ContextSwitches>, rows: &Long<Row>) -> Vec<Drawing> {
        drawings::all(scenario, rows)
    }
}

impl ContextSwitchStudy {
    fn cluster(&self) -> &Simulations {
        self.scenario.cluster.as_ref().expect(OWN)
    }
    /// Returns the number of VMs of a simulation.
    fn vms(&self) -> u32 {
        self.cluster().vjobs * VMS_PER_VJOB
    }

    /// Computes a plan for a random configuration (figure 10).
    fn sample(&self, random: &RandomConfiguration, policy: Policy) -> Result<Vec<Row>, Failure> {
        let RandomConfiguration { sample: Sample { cluster, current }, first_fit, seed } = random;
        let (configuration, plan, found, search_s);
        if policy.searches() {
            let begin = Instant::now();
            let optimised = solve(cluster, current, first_fit, &self.scenario.limits(), seed.fork("search"))
                .map_err(|error| Failure::new(Status::Unsolved, error))?;
            search_s = self.scenario.time_limit_s.map(|_| begin.elapsed().as_secs_f64());
            found = Some((optimised.bound, optimised.proven));
            (configuration, plan) = (optimised.configuration, optimised.plan);
        } else {
            (configuration, found, search_s) = (first_fit.clone(), None, None);
            plan = plan_early(cluster, current, first_fit).map_err(Failure::failed)?;
        }
        self.check(cluster, current, &configuration, &plan)?;
        Ok(vec![Row::Sample(SampleRow {
            bound_mb: found.map(|(bound, _)| bound),
            proven: found.map(|(_, proven)| proven),
            search_s,
            ..SampleRow::of((cluster, &plan))
        })])
    }

    /// Runs a simulation and returns its rows: the simulation, its switches, stays and loads
    /// (section 5.2).
    fn simulation(&self, timeline: &Timeline, policy: Policy) -> Result<Vec<Row>, Failure> {
        let setting = timeline.setting(&self.scenario, self.cluster(), policy);
        let mut checked = Ok(());
        let run = simulate(&setting, &mut |cluster, before, after, plan| {
            if checked.is_ok() {
                checked = self.check(cluster, before, after, plan);
            }
        });
        checked?;
        if !run.is_complete {
            return Err(Failure::new(Status::Stalled, "vjobs are left at the horizon"));
        }
        Ok(rows(&timeline.cluster, &run))
    }

    /// Checks a plan with the independent checker.
    fn check(
        &self,
        cluster: &Cluster,
        before: &Configuration,
        after: &Configuration,
        plan: &Plan,
    ) -> Result<(), Failure> {
        let times = timetable(cluster, plan, after, &self.durations);
        let figures = PlanFigures { cost: plan.cost(cluster), bound: None, proven: false };
        let text = plan_to_json(cluster, before, after, &times, &figures);
        check_plan(&text).map(drop).map_err(|faults| Failure::invalid(format!("a plan is wrong: {faults}")))
    }
}

/// Builds the rows of a simulation.
fn rows(cluster: &Cluster, run: &Run) -> Vec<Row> {
    let switches = run.switches.iter().map(|switch| Row::Switch(SwitchRow::of(switch)));
    let stays = run.state_intervals.iter().map(|stay| Row::Stay(StayRow::of((cluster, stay))));
    let loads = run.loads.iter().map(|load| Row::Load(LoadRow::of(load)));
    let simulation = std::iter::once(Row::Simulation(SimulationRow::of(run)));
    simulation.chain(switches).chain(stays).chain(loads).collect()
}
