//! What is computed of each instance.

use super::scenario::{Cost, Scenario};
use super::{file, tables};
use crate::column::columns;
use crate::experiment::{Experiment, NamedTable};
use dfrsim_adaptation::Adapter;
use dfrsim_audit::moving::moving_cost;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::offline::{Adaptation, Mapping};
use dfrsim_model::{Seed, Yield};
use dfrsim_offline::instances::small_change;
use dfrsim_optimum::{Limits, Placed, Status, adapted_optimum};

columns! {
    /// An instance with a budget.
    pub(crate) struct Row {
        /// The number of the change.
        pub(super) instance: u64,
        /// By what moves are counted.
        pub(super) cost: String,
        /// The budget, in percent of everything.
        pub(super) budget_percent: f64,
        /// The budget, in parts of a node's memory in [`Share`](dfrsim_model::Share) units, or in moves.
        pub(super) budget: u64,
        /// What the exact search came to.
        pub(super) status: String,
        /// The best minimum yield without a move; nothing if there is no mapping.
        pub(super) unmoved: Option<f64>,
        /// The best minimum yield within the budget; nothing if there is no mapping, or none was found in time.
        pub(super) optimum: Option<f64>,
        /// What the exact search moves.
        pub(super) optimum_moving: Option<u64>,
        /// The minimum yield that the heuristic reaches; nothing if it finds no mapping.
        pub(super) found: Option<f64>,
        /// What the heuristic moves.
        pub(super) found_moving: Option<u64>,
    }
}

impl Row {
    /// By how much of the optimum the heuristic misses it, from 0 to 1; nothing if the instance does not count: its optimum
    /// is not proven, is 0 or 1, or needs no move.
    pub(super) fn gap(&self) -> Option<f64> {
        let proven = self.optimum.filter(|_| self.status == name(Status::Optimal));
        let optimum = proven.filter(|&best| best > 0.0 && best < 1.0 && Some(best) != self.unmoved)?;
        Some(1.0 - self.found.unwrap_or(0.0) / optimum)
    }
}

/// What the exact search came to, in `rows.csv`.
fn name(status: Status) -> &'static str {
    match status {
        Status::Optimal => "optimal",
        Status::Feasible => "feasible",
        Status::Infeasible => "infeasible",
        Status::Unbounded => "unbounded",
        Status::TimedOut => "timed-out",
    }
}

impl Scenario {
    fn problem(&self, number: u64) -> Option<Adaptation> {
        small_change(Seed::new(self.seed), number)
    }
}

impl Experiment for Scenario {
    /// The number of a change.
    type Cell = u64;
    type Row = Row;
    const STUDY: &'static str = "adaptation";
    const CELLS: &'static str = "instances";

    fn title(&self) -> &str {
        &self.title
    }
    fn seed(&self) -> u64 {
        self.seed
    }
    fn to_toml(&self) -> String {
        toml::to_string(&file::file_of(self)).expect("a scenario can be written as TOML")
    }
    fn cells(&self) -> Vec<u64> {
        // Few changes have no first packing, and whatever they are, the search ends.
        let numbers = 0..self.instances.saturating_mul(100);
        numbers.filter(|&number| self.problem(number).is_some()).take(self.instances as usize).collect()
    }
    fn determinants(&self, &number: &u64) -> String {
        let Scenario { seed, costs, budgets, search_nodes, heuristic_steps, .. } = self;
        let costs: Vec<String> = costs.iter().map(Cost::to_string).collect();
        format!(
            "seed {seed}\nchange {number}\ncosts {costs:?}\nbudgets {budgets:?}\nsearch {search_nodes}\nsteps {heuristic_steps}\n"
        )
    }
    fn weight(&self, &number: &u64) -> u64 {
        self.problem(number).map_or(0, |problem| problem.instance.jobs.len() as u64)
    }
    fn compute(&self, &number: &u64) -> Result<Vec<Row>, String> {
        let Some(problem) = self.problem(number) else { return Ok(Vec::new()) };
        let of_cost = |&cost: &Cost| self.rows(number, cost, &cost.of(problem.clone()));
        let rows: Result<Vec<Vec<Row>>, String> = self.costs.iter().map(of_cost).collect();
        Ok(rows?.into_iter().flatten().collect())
    }
    fn tables(&self, rows: &[Row]) -> Vec<NamedTable> {
        tables::of(self, rows)
    }
}

impl Scenario {
    /// The rows of an instance under one cost, by rising budget.
    fn rows(&self, number: u64, cost: Cost, problem: &Adaptation) -> Result<Vec<Row>, String> {
        let limits = Limits { nodes: Some(self.search_nodes), ..Limits::default() };
        let mut adapter = Adapter::new().searching(self.heuristic_steps);
        let unmoved = adapted_optimum(problem, 0, &limits).best;
        let mut rows = Vec::new();
        let mut before = None;
        for &budget_percent in &self.budgets {
            let budget = (problem.total() as f64 * budget_percent / 100.0) as u64;
            let checked = |who: &str, mapping: &Mapping, min_yield: Yield| {
                let moving = moving_cost(&problem.current, mapping, &problem.cost);
                let faults = check_minimum_yield(&problem.instance, mapping, min_yield);
                match faults.first() {
                    Some(fault) => {
                        Err(format!("instance {number}, {cost}, {budget_percent} %, {who}: {fault}"))
                    }
                    None if moving > u128::from(budget) => Err(format!(
                        "instance {number}, {cost}, {budget_percent} %: {who} moves {moving} of {budget}"
                    )),
                    None => Ok(moving as u64),
                }
            };
            let exact = adapted_optimum(problem, budget, &limits);
            let found = adapter.adapt(problem, budget);
            let (best, reached) = (
                exact.best.as_ref().map(|placed| placed.min_yield),
                found.as_ref().map(|found| found.minimum_yield),
            );
            if exact.status != Status::TimedOut && reached > best {
                return Err(format!(
                    "instance {number}, {cost}, {budget_percent} %: {reached:?} is above {best:?}"
                ));
            }
            if reached < before {
                return Err(format!(
                    "instance {number}, {cost}, {budget_percent} %: the yield falls to {reached:?}"
                ));
            }
            before = reached;
            let moved =
                |Placed { mapping, min_yield }: &Placed| checked("the exact search", mapping, *min_yield);
            rows.push(Row {
                instance: number,
                cost: cost.to_string(),
                budget_percent,
                budget,
                status: name(exact.status).to_owned(),
                unmoved: unmoved.as_ref().map(|placed| placed.min_yield.as_f64()),
                optimum: best.map(Yield::as_f64),
                optimum_moving: exact.best.as_ref().map(moved).transpose()?,
                found: reached.map(Yield::as_f64),
                found_moving: (found.as_ref())
                    .map(|found| checked("the heuristic", &found.mapping, found.minimum_yield))
                    .transpose()?,
            });
        }
        Ok(rows)
    }
}
