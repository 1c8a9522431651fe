//! What comes of each budget, and the moves of the last one.

use super::switch::Move;
use crate::output::{Answer, counted};
use dfrsim_offline::file::NamedCluster;
use dfrsim_optimum::{Outcome, Status};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write as _;

/// The result of each budget.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answered {
    pub(super) nodes: usize,
    pub(super) jobs: usize,
    pub(super) tasks: u64,
    /// Tasks that are on no node yet.
    pub(super) new_tasks: u64,
    /// The minimum yield of the current placement; `null` if it is not a placement.
    pub(super) minimum_yield_now: Option<f64>,
    pub(super) budgets: Vec<Tried>,
    /// A bound: no placement has a larger minimum yield.
    pub(super) bound: Option<f64>,
    /// The moves of the last budget; `null` if no placement was found.
    pub(super) moves: Option<Vec<Moved>>,
    /// With `--out`: the plan of these moves as text.
    pub(super) plan: Option<String>,
}

/// The result of a budget.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Tried {
    /// The budget as it was given: `25%`.
    pub(super) budget: String,
    /// The largest amount that may be moved, in the unit of the memory of jobs or in moves.
    pub(super) allowed: u64,
    /// The minimum yield; `null` if no placement was found.
    pub(super) minimum_yield: Option<f64>,
    /// The moved amount, in the unit of the budget.
    pub(super) moved: Option<u64>,
    /// Tasks that change their node.
    pub(super) moves: Option<usize>,
    /// With `--exact`: the result of the exact search.
    pub(super) optimum: Option<Optimum>,
}

/// The result of the exact search.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Optimum {
    status: Reached,
    minimum_yield: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Reached {
    /// The yield is the optimum.
    Optimal,
    /// The search reached its limit: the optimum is at least this yield.
    AtLeast,
    /// There is no placement.
    Infeasible,
    /// The search reached its limit before it found a placement.
    Unknown,
}

/// A task that changes its node, or gets its first one.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Moved {
    task: String,
    /// The node before the move; `null` for a new task.
    from: Option<String>,
    to: String,
    /// Its memory, in the unit of the memory of jobs.
    memory: u32,
}

impl Optimum {
    pub(super) fn of(outcome: &Outcome) -> Optimum {
        let status = match (outcome.status, &outcome.best) {
            (Status::Infeasible, _) => Reached::Infeasible,
            (Status::Optimal, Some(_)) => Reached::Optimal,
            (_, Some(_)) => Reached::AtLeast,
            (_, None) => Reached::Unknown,
        };
        Optimum { status, minimum_yield: outcome.best.as_ref().map(|best| best.min_yield.as_f64()) }
    }

    /// The text in the table.
    fn cell(&self) -> String {
        let value = self.minimum_yield.map(|value| format!("{value:.6}")).unwrap_or_default();
        match self.status {
            Reached::Optimal => value,
            Reached::AtLeast => format!("at least {value}"),
            Reached::Infeasible => "none".to_owned(),
            Reached::Unknown => "unknown".to_owned(),
        }
    }
}

impl Moved {
    pub(super) fn new(cluster: &NamedCluster, Move { job, task, from, to }: &Move) -> Moved {
        Moved {
            task: task.clone(),
            from: from.map(|node| cluster.nodes[node].clone()),
            to: cluster.nodes[*to].clone(),
            memory: cluster.problem.instance.jobs[*job].demand[0],
        }
    }
}

impl Answer for Answered {
    fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |line: String| writeln!(text, "{}", line.trim_end()).expect("a string takes any text");
        let Answered { nodes, jobs, tasks, new_tasks, .. } = self;
        let counts = [(*nodes, "node"), (*jobs, "job"), (*tasks as usize, "task")]
            .map(|(count, of)| counted(count, of));
        line(format!("{}, {new_tasks} of them new", counts.join(", ")));
        line(format!(
            "{:<8}  {:>9}  {:>14}  {:>6}  {:>9}",
            "budget", "min yield", "moved", "moves", "optimum"
        ));
        let shown =
            |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.6}"));
        line(format!("{:<8}  {:>9}", "now", shown(self.minimum_yield_now)));
        for tried in &self.budgets {
            let count = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
            let (moved, moves) = (count(tried.moved), count(tried.moves.map(|moves| moves as u64)));
            let optimum = tried.optimum.as_ref().map(Optimum::cell).unwrap_or_default();
            line(format!(
                "{:<8}  {:>9}  {moved:>14}  {moves:>6}  {optimum:>9}",
                tried.budget,
                shown(tried.minimum_yield)
            ));
        }
        if let Some(bound) = self.bound {
            line(format!("{:<8}  {bound:>9.6}", "bound"));
        }
        let Some(moves) = &self.moves else { return text };
        let width = moves.iter().map(|one| one.task.len()).max().unwrap_or(0);
        for Moved { task, from, to, memory } in moves {
            line(match from {
                Some(from) => format!("  move  {task:<width$}  {from} -> {to}  memory {memory}"),
                None => format!("  start {task:<width$}  {to}"),
            });
        }
        if moves.is_empty() {
            line("nothing to do".to_owned());
        }
        if let Some(plan) = &self.plan {
            line(format!("plan: {plan}"));
        }
        text
    }
}
