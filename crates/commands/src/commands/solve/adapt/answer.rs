//! Results of all budgets, and the moves of the last one.

use crate::commands::solve::soft::SoftRules;
use crate::commands::solve::switch::{Moved, moves_table};
use crate::output::{Answer, counted, table};
use dfrsim_optimum::{Outcome, Status};
use schemars::JsonSchema;
use serde::Serialize;

/// Results of all budgets.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdaptAnswer {
    pub(super) nodes: usize,
    pub(super) vjobs: usize,
    pub(super) vms: usize,
    /// The number of waiting VMs.
    pub(super) new_vms: usize,
    /// The minimum yield of the current placement; `null` if that is infeasible.
    pub(super) minimum_yield_now: Option<f64>,
    /// The nodes that are currently overloaded, each with the resource.
    pub(super) overloaded: Vec<String>,
    /// The number of nodes that are currently in use.
    pub(super) nodes_now: usize,
    pub(super) budgets: Vec<BudgetResult>,
    /// The upper bound on the minimum yield of any placement.
    pub(super) bound: Option<f64>,
    /// The moves of the last budget; `null` if no placement was found.
    pub(super) moves: Option<Vec<Moved>>,
    /// A summary of the plan for these moves, with `--plan-out` or `--picture`.
    pub(super) plan: Option<String>,
    /// The soft rules; `null` if there are none.
    pub(super) soft: Option<SoftRules>,
}

/// Result for a budget.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tried")]
pub(super) struct BudgetResult {
    /// The budget as it was given: `25%`.
    pub(super) budget: String,
    /// The maximum amount that may be moved: memory in MB, or a number of moves.
    pub(super) allowed: u64,
    /// The minimum yield; `null` if no placement was found.
    pub(super) minimum_yield: Option<f64>,
    /// The moved amount, in the unit of the budget.
    pub(super) moved: Option<u64>,
    /// The number of VMs that change their node.
    pub(super) moves: Option<usize>,
    /// The number of nodes in use afterwards.
    pub(super) nodes: Option<usize>,
    /// The sum of the price resource over the nodes in use, with `--node-price`.
    pub(super) node_price: Option<u64>,
    /// The largest fraction of a resource that is used on any node, at the yield that is kept, or
    /// else at the minimum yield.
    pub(super) peak: Option<f64>,
    /// The number of nodes of which any one may fail, as far as known: the other nodes have the
    /// capacity for its VMs without moving any other VM.
    pub(super) may_fail: Option<usize>,
    /// The result of the exact search, with `--exact`.
    pub(super) optimum: Option<Optimum>,
}

/// Result of the exact search.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Optimum {
    status: SearchStatus,
    minimum_yield: Option<f64>,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Reached")]
#[serde(rename_all = "kebab-case")]
enum SearchStatus {
    /// The yield is the optimum.
    Optimal,
    /// The search reached its limit: the optimum is at least this yield.
    AtLeast,
    /// There is no placement.
    Infeasible,
    /// The search reached its limit before it found a placement.
    Unknown,
}

impl Optimum {
    pub(super) fn of(outcome: &Outcome) -> Optimum {
        let status = match (outcome.status, &outcome.best) {
            (Status::Infeasible, _) => SearchStatus::Infeasible,
            (Status::Optimal, Some(_)) => SearchStatus::Optimal,
            (_, Some(_)) => SearchStatus::AtLeast,
            (_, None) => SearchStatus::Unknown,
        };
        Optimum { status, minimum_yield: outcome.best.as_ref().map(|best| best.minimum_yield.as_f64()) }
    }

    /// Formats the result for the table.
    fn cell(&self) -> String {
        let value = self.minimum_yield.map(|value| format!("{value:.6}")).unwrap_or_default();
        match self.status {
            SearchStatus::Optimal => value,
            SearchStatus::AtLeast => format!("at least {value}"),
            SearchStatus::Infeasible => "none".to_owned(),
            SearchStatus::Unknown => "unknown".to_owned(),
        }
    }
}

impl Answer for AdaptAnswer {
    fn text(&self) -> String {
        let counts = [(self.nodes, "node"), (self.vjobs, "vjob"), (self.vms, "VM")];
        let counts = counts.map(|(count, of)| counted(count, of)).join(", ");
        let shown =
            |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:.6}"));
        let count = |count: Option<u64>| count.map(|count| count.to_string()).unwrap_or_default();
        let mut now: [String; 9] = Default::default();
        (now[0], now[1], now[4]) =
            ("now".to_owned(), shown(self.minimum_yield_now), self.nodes_now.to_string());
        let tried = self.budgets.iter().map(|tried| {
            let [moves, nodes, may_fail] =
                [tried.moves, tried.nodes, tried.may_fail].map(|of| count(of.map(|count| count as u64)));
            let peak = tried.peak.map(|peak| format!("{:.2} %", 100.0 * peak)).unwrap_or_default();
            let optimum = tried.optimum.as_ref().map(Optimum::cell).unwrap_or_default();
            let [moved, price] = [tried.moved, tried.node_price].map(count);
            let best = shown(tried.minimum_yield);
            [tried.budget.clone(), best, moved, moves, nodes, price, peak, may_fail, optimum]
        });
        let lines = [now].into_iter().chain(tried);
        let mut text = format!("{counts}, {} of them new\n", self.new_vms);
        if !self.overloaded.is_empty() {
            text += &format!("overloaded now: {}\n", self.overloaded.join(", "));
        }
        let names =
            ["budget", "min yield", "moved", "moves", "nodes", "price", "peak", "may fail", "optimum"];
        text += &table(names, lines);
        if let Some(bound) = self.bound {
            text += &format!("bound {bound:.6}\n");
        }
        text += &self.moves.as_deref().map(moves_table).unwrap_or_default();
        self.plan.iter().for_each(|plan| text += &format!("plan: {plan}\n"));
        let soft = self.soft.iter().flat_map(SoftRules::lines);
        soft.for_each(|line| text += &format!("{line}\n"));
        text
    }
}
