//! `dfrsim adapt`

mod answer;
mod switch;

use super::plan::summary;
use crate::failure::Failure;
use crate::output::{OutputFiles, Printing};
pub(super) use answer::Answered;
use answer::{Moved, Optimum, Tried};
use clap::{Args, ValueEnum};
use dfrsim_adaptation::{Adapted, Adapter};
use dfrsim_audit::moving::moving_cost;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::offline::Adaptation;
use dfrsim_model::{NodeTasks, Yield};
use dfrsim_offline::file::{NamedCluster, cluster_from_json, cluster_to_json, read};
use dfrsim_offline::minimum_yield;
use dfrsim_optimum::{Limits, adapted_optimum, lp_bound};
use std::path::PathBuf;
use std::time::Duration;
use switch::Switch;

/// With more tasks than this the heuristic takes hours.
const MOST_TASKS: u64 = 100_000;

/// Adapt a cluster to changed needs and new jobs: the best yields within a budget of moves
///
/// Looks for the placement with the largest minimum yield, the part of its CPU need that every task gets, among those that move
/// no more than the budget; new tasks are placed at no cost. Prints a line for each budget: the minimum yield, what is moved,
/// and in how many moves; then the moves of the last one. Every placement is checked independently. Exit code 1 means that no
/// placement was found.
#[derive(Args, Debug)]
#[command(after_help = "\
File:
  {\"nodes\": [{\"name\": \"N1\", \"cpu\": 8, \"memory\": 32768}, {\"name\": \"N2\", \"cpu\": 8, \"memory\": 32768}],
   \"jobs\": [{\"name\": \"web\", \"cpu\": 4, \"memory\": 8192, \"on\": [\"N1\", \"N2\"], \"least_yield\": 0.5},
            {\"name\": \"batch\", \"cpu\": 6, \"memory\": 4096, \"tasks\": 3, \"on\": [\"N1\"]},
            {\"name\": \"database\", \"cpu\": 2, \"memory\": 16384, \"on\": [\"N2\"], \"pinned\": true}]}
  CPU and memory are whole numbers of any unit, and those of a job are of one task. Tasks beyond those that are \"on\" nodes are
  new; those of a job that is pinned stay where they are, and least_yield is the part of its need that a task gets in any case.

Examples:
  dfrsim adapt scenarios/adapt/cluster.json --budget 25%
  dfrsim adapt scenarios/adapt/cluster.json --budget 0 10% 25% 50% all --exact 10
  dfrsim adapt scenarios/adapt/cluster.json --budget 2 --cost moves --out plan.json --cluster-out adapted.json
  dfrsim plan --check plan.json")]
pub(crate) struct Adapt {
    /// Nodes, jobs, and where the jobs' tasks are
    #[arg(value_name = "CLUSTER.json", value_hint = clap::ValueHint::FilePath)]
    cluster: PathBuf,
    /// How much may be moved: a percentage of the total (25%), an amount, or all
    #[arg(long, value_name = "BUDGET", num_args = 1.., required = true, value_parser = Budget::parse)]
    budget: Vec<Budget>,
    /// The cost of moves: the memory that is moved, or their number
    #[arg(long, value_enum, default_value_t = Cost::Memory)]
    cost: Cost,
    /// Search for the optimum too, for at most this time at each budget; meant for a dozen tasks
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    exact: Option<Duration>,
    /// Write the moves of the last budget as a plan, in an order in which no memory is overloaded, with times; `dfrsim plan
    /// --check` understands it
    #[arg(long, value_name = "PLAN.json", value_hint = clap::ValueHint::AnyPath)]
    out: Option<PathBuf>,
    /// Write the cluster as it is after the moves of the last budget
    #[arg(long, value_name = "CLUSTER.json", value_hint = clap::ValueHint::AnyPath)]
    cluster_out: Option<PathBuf>,
    #[command(flatten)]
    printing: Printing,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Cost {
    Memory,
    Moves,
}

/// What may be moved.
#[derive(Clone, Debug)]
enum Budget {
    Percent(f64),
    Amount(u64),
    All,
}

impl Budget {
    fn parse(text: &str) -> Result<Budget, String> {
        let wrong =
            || format!("expected a percentage of the total as in 25%, an amount, or all, found `{text}`");
        if text == "all" {
            return Ok(Budget::All);
        }
        let Some(percent) = text.strip_suffix('%') else {
            return text.parse().map(Budget::Amount).map_err(|_| wrong());
        };
        let percent: f64 = percent.parse().map_err(|_| wrong())?;
        if (0.0..=100.0).contains(&percent) { Ok(Budget::Percent(percent)) } else { Err(wrong()) }
    }

    /// As on the command line.
    fn name(&self) -> String {
        match self {
            Budget::Percent(percent) => format!("{percent}%"),
            Budget::Amount(amount) => amount.to_string(),
            Budget::All => "all".to_owned(),
        }
    }

    fn of(&self, all: u64) -> u64 {
        match self {
            Budget::Percent(percent) => (all as f64 * percent / 100.0) as u64,
            // No budget pays for what is pinned.
            Budget::Amount(amount) => (*amount).min(all),
            Budget::All => all,
        }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("expected seconds, found `{text}`"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("expected seconds, found `{text}`"))
}

impl Adapt {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let text = read(&self.cluster).map_err(Failure::input)?;
        let mut cluster =
            cluster_from_json(&self.cluster.display().to_string(), &text).map_err(Failure::input)?;
        let tasks: u64 = cluster.problem.instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
        if tasks > MOST_TASKS {
            return Err(Failure::input(format!(
                "{}: {tasks} tasks; `adapt` accepts at most {MOST_TASKS}",
                self.cluster.display()
            )));
        }
        if matches!(self.cost, Cost::Moves) {
            let movable = cluster.problem.cost.iter_mut().filter(|cost| **cost != Adaptation::PINNED);
            movable.for_each(|cost| *cost = 1);
        }
        let (mut answer, adapted) = self.answer(&cluster, tasks)?;
        let mut files = OutputFiles::default();
        if let Some(adapted) = &adapted {
            let moves = switch::moves(&cluster, &adapted.mapping);
            answer.moves = Some(moves.iter().map(|one| Moved::new(&cluster, one)).collect());
            if let Some(path) = &self.out {
                let Switch { document, timetable } = switch::plan(&cluster, adapted)?;
                answer.plan = (!timetable.pools.is_empty()).then(|| summary(&timetable));
                files.add_bytes(path, &document)?;
            }
            if let Some(path) = &self.cluster_out {
                files.add_bytes(path, cluster_to_json(&cluster, &adapted.mapping))?;
            }
        }
        self.printing.print(&answer)?;
        files.finish()?;
        match adapted {
            Some(_) => Ok(()),
            None => Err(Failure::Result("no placement was found".to_owned())),
        }
    }

    /// What comes of each budget, and what was found with the last one.
    fn answer(&self, cluster: &NamedCluster, tasks: u64) -> Result<(Answered, Option<Adapted>), Failure> {
        let problem = &cluster.problem;
        let placed: u64 = problem.current.iter().flatten().map(|part| u64::from(part.tasks)).sum();
        let all = movable(problem);
        let mut adapter = Adapter::new();
        let (mut last, mut tried) = (None, Vec::new());
        for budget in &self.budget {
            let allowed = budget.of(all);
            let optimum = self.exact.map(|time| {
                let limits = Limits { time: Some(time), ..Limits::default() };
                Optimum::of(&adapted_optimum(problem, allowed, &limits))
            });
            let found = adapter.adapt(problem, allowed);
            let moves = match &found {
                Some(found) => {
                    check(problem, found, allowed)?;
                    switch::moves(cluster, &found.mapping).iter().filter(|one| one.from.is_some()).count()
                }
                None => 0,
            };
            tried.push(Tried {
                budget: budget.name(),
                allowed,
                minimum_yield: found.as_ref().map(|found| found.minimum_yield.as_f64()),
                moved: found.as_ref().map(|found| found.moving),
                moves: found.as_ref().map(|_| moves),
                optimum,
            });
            last = found;
        }
        let answer = Answered {
            nodes: cluster.nodes.len(),
            jobs: cluster.jobs.len(),
            tasks,
            new_tasks: tasks - placed,
            minimum_yield_now: minimum_yield(&problem.instance, &problem.current).map(Yield::as_f64),
            budgets: tried,
            bound: lp_bound(&problem.instance).map(Yield::as_f64),
            moves: None,
            plan: None,
        };
        Ok((answer, last))
    }
}

/// The cost to move everything that may be moved.
fn movable(problem: &Adaptation) -> u64 {
    let jobs = problem.current.iter().zip(&problem.cost).filter(|(_, cost)| **cost != Adaptation::PINNED);
    let tasks = |current: &[NodeTasks]| current.iter().map(|part| u64::from(part.tasks)).sum::<u64>();
    jobs.map(|(current, cost)| cost.saturating_mul(tasks(current))).fold(0, u64::saturating_add)
}

/// The verdict of the independent checker on a placement.
fn check(problem: &Adaptation, found: &Adapted, budget: u64) -> Result<(), Failure> {
    let faults = check_minimum_yield(&problem.instance, &found.mapping, found.minimum_yield);
    if let Some(fault) = faults.first() {
        return Err(Failure::Result(format!("the placement is wrong: {fault}")));
    }
    let moving = moving_cost(&problem.current, &found.mapping, &problem.cost);
    if moving > u128::from(budget) || moving != u128::from(found.moving) {
        return Err(Failure::Result(format!("the placement is wrong: it moves {moving} of {budget}")));
    }
    Ok(())
}
