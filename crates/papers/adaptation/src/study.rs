//! The study: problems of each change, solved exactly and by the heuristic.

use crate::rows::{Row, name};
use crate::scenario::{Changes, Cost};
use crate::{claims, drawings, tables};
use dfrsim_adaptation::Adapter;
use dfrsim_adaptation::check::moving_cost;
use dfrsim_lab::fields::Scenario;
use dfrsim_lab::{
    Audit, Claim, Digester, Drawing, Failure, Input, InstanceId, KeyBuilder, Labels, Long, NamedTable,
    Prepared, RunContext, RunError, ShardUnit, Study,
};
use dfrsim_model::offline::{Adaptation, Mapping};
use dfrsim_model::{Seed, Yield};
use dfrsim_optimum::{Limits, Solved, Status, adapted_optimum};
use dfrsim_vector_packing::check::check_minimum_yield;
use dfrsim_vector_packing::instances::small_change;
use std::sync::OnceLock;

/// The adaptation study of a scenario.
pub struct AdaptationStudy {
    scenario: Scenario<Changes>,
    /// Changes with their numbers; moves are counted by bytes.
    problems: Vec<(u64, Adaptation)>,
}

/// A change: the problem for each cost.
pub struct Change([Problem; 2]);

struct Problem {
    problem: Adaptation,
    /// Best minimum yield without a move.
    unmoved: OnceLock<Option<Yield>>,
}

impl Problem {
    fn new(problem: &Adaptation, cost: Cost) -> Problem {
        Problem { problem: cost.apply_to(problem.clone()), unmoved: OnceLock::new() }
    }
    /// Checks a mapping and returns the cost of its moves.
    fn checked_cost(
        &self,
        who: &str,
        mapping: &Mapping,
        min_yield: Yield,
        budget: u64,
    ) -> Result<u64, Failure> {
        let moved = moving_cost(&self.problem.current, mapping, &self.problem.cost);
        match check_minimum_yield(&self.problem.instance, mapping, min_yield).first() {
            Some(fault) => Err(Failure::invalid(format!("{who}: {fault}"))),
            None if moved > u128::from(budget) => {
                Err(Failure::invalid(format!("{who} moves {moved}, and the budget is {budget}")))
            }
            None => Ok(moved as u64),
        }
    }
}

impl Study for AdaptationStudy {
    const NAME: &'static str = "adaptation";
    const TITLE: &'static str = "A better yield for a bounded amount of moving (dissertation, section 6.2)";
    const SEMANTICS: u32 = 4;
    const AUDIT: Audit = Audit::Always;
    const GRAIN: ShardUnit = ShardUnit::Instances;
    const RUNS: &'static str = "problems";

    type Fields = Changes;
    type Instance = Change;
    type Variant = (Cost, f64);
    type Rows = Long<Row>;

    fn rows_at_least(scenario: &Scenario<Changes>) -> u64 {
        u64::from(scenario.replications).saturating_mul(scenario.variants().len() as u64)
    }
    fn open(scenario: &Scenario<Changes>, _: &mut Vec<Input>) -> Result<AdaptationStudy, RunError> {
        let replications = scenario.replications as usize;
        // Few changes have no first packing. The bound guarantees that the search ends.
        let numbers = 0..100 * replications as u64;
        let problem = |number| Some((number, small_change(Seed::new(scenario.seed), number)?));
        let problems = numbers.filter_map(problem).take(replications).collect();
        Ok(AdaptationStudy { scenario: scenario.clone(), problems })
    }
    fn instances(&self) -> Vec<InstanceId> {
        let id = |(number, problem): &(u64, Adaptation)| {
            let jobs = problem.instance.jobs.len();
            let labels = vec![("jobs", jobs.to_string()), ("replication", number.to_string())];
            InstanceId { labels, weight: jobs as u64 }
        };
        self.problems.iter().map(id).collect()
    }
    fn variants(&self, _: usize) -> Vec<(Cost, f64)> {
        self.scenario.variants()
    }
    fn prepare(&self, at: usize) -> Result<Prepared<Change>, Failure> {
        let (number, problem) = &self.problems[at];
        let instance = Change([Cost::Bytes, Cost::Moves].map(|cost| Problem::new(problem, cost)));
        let mut digester = Digester::new();
        digester.integer(*number);
        digest(problem, &mut digester);
        Ok(Prepared { instance, digest: digester.digest() })
    }
    fn key(&self, (cost, budget_percent): &(Cost, f64), key: &mut KeyBuilder) {
        key.field("cost", cost)
            .field("budget_percent", budget_percent)
            .field("search_nodes", self.scenario.search_nodes)
            .field("heuristic_steps", self.scenario.heuristic_steps);
    }
    fn labels(&self, (cost, budget_percent): &(Cost, f64)) -> Labels {
        vec![("cost", cost.to_string()), ("budget_percent", budget_percent.to_string())]
    }
    fn run(
        &self,
        instance: &Change,
        &(cost, budget_percent): &(Cost, f64),
        _: RunContext<'_>,
    ) -> Result<Vec<Row>, Failure> {
        let own = &instance.0[cost as usize];
        let problem = &own.problem;
        let limits = Limits { nodes: Some(self.scenario.search_nodes), ..Limits::default() };
        let yield_of = |placed: &Solved| placed.minimum_yield;
        let unmoved =
            own.unmoved.get_or_init(|| adapted_optimum(problem, 0, &limits).best.as_ref().map(yield_of));
        let budget = (problem.total_migration_cost() as f64 * budget_percent / 100.0) as u64;
        let exact = adapted_optimum(problem, budget, &limits);
        let found = Adapter::new().searching(self.scenario.heuristic_steps).adapt(problem, budget);
        let best = exact.best.as_ref().map(yield_of);
        let reached = found.as_ref().map(|found| found.minimum_yield);
        if exact.status != Status::TimedOut && reached > best {
            let text =
                |found: Option<Yield>| found.map_or_else(|| "none".to_owned(), |found| found.to_string());
            let message = format!(
                "the yield of the heuristic, {}, is above the optimum, {}",
                text(reached),
                text(best)
            );
            return Err(Failure::invalid(message));
        }
        let optimum_moved = exact.best.as_ref().map(|placed| {
            own.checked_cost("the exact search", &placed.mapping, placed.minimum_yield, budget)
        });
        let found_moved = found
            .as_ref()
            .map(|found| own.checked_cost("the heuristic", &found.mapping, found.minimum_yield, budget));
        let mut row = Row {
            budget,
            exact_status: name(exact.status).to_owned(),
            unmoved: unmoved.map(Yield::as_f64),
            optimum: best.map(Yield::as_f64),
            optimum_moved: optimum_moved.transpose()?,
            found: reached.map(Yield::as_f64),
            found_moved: found_moved.transpose()?,
            ..Row::default()
        };
        row.gap_to_optimum = row.gap();
        Ok(vec![row])
    }
    fn tables(&self, rows: &Long<Row>) -> Vec<NamedTable> {
        tables::all(&self.scenario, rows)
    }
    fn claims(&self, rows: &Long<Row>) -> Vec<Claim> {
        claims::all(&self.scenario, rows)
    }
    fn drawings(scenario: &Scenario<Changes>, rows: &Long<Row>) -> Vec<Drawing> {
        drawings::all(scenario, rows)
    }
}

fn digest(problem: &Adaptation, digester: &mut Digester) {
    let Adaptation { instance, current, cost } = problem;
    let mut amounts = |amounts: &[u32]| {
        digester.integer(amounts.len() as u64);
        amounts.iter().for_each(|&amount| _ = digester.integer(amount));
    };
    instance.nodes.iter().for_each(|node| amounts(node));
    for (job, current) in instance.jobs.iter().zip(current) {
        amounts(&job.demand);
        amounts(&[job.tasks, job.least_yield.units()]);
        let places: Vec<u32> = current.iter().flat_map(|place| [place.node.0, place.tasks]).collect();
        amounts(&places);
    }
    cost.iter().for_each(|&cost| _ = digester.integer(cost));
}
