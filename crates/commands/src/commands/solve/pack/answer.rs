//! Results of algorithms for an instance.

use crate::commands::solve::switch::Moved;
use crate::output::{Answer, counted, table};
use schemars::JsonSchema;
use serde::Serialize;

/// Answer to the question that the options pose.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum PackAnswer {
    /// The packings with the best minimum yield that each algorithm found.
    Packings {
        /// LPBOUND, an upper bound on the minimum yield of any packing; `null` if the jobs request
        /// more than all nodes have.
        bound: Option<f64>,
        algorithms: Vec<PackingResult>,
        /// VMs of the state that must migrate for the best packing; `null` for an instance.
        moves: Option<Vec<Moved>>,
    },
    /// The minimum number of nodes for a yield, with `--fewest-nodes`.
    FewestNodes {
        /// The minimum yield that is required.
        wanted: f64,
        algorithms: Vec<Fewest>,
        /// VMs of the state that must migrate for the packing with the fewest nodes; `null`
        /// for an instance.
        moves: Option<Vec<Moved>>,
    },
    /// The jobs that are admitted, with `--admit`.
    Admission {
        /// The minimum yield that is required.
        wanted: f64,
        algorithms: Vec<Admitted>,
    },
    /// The verdict on a packing, with `--check`.
    Checked {
        file: String,
        /// The minimum yield that the file claims.
        minimum_yield: f64,
        /// The violations; empty if the packing is correct.
        faults: Vec<String>,
    },
    /// The names of all algorithms, with `--list`.
    Names { algorithms: Vec<String> },
}

/// Packing of an algorithm.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Tried")]
pub(crate) struct PackingResult {
    pub(super) algorithm: String,
    pub(super) outcome: Came,
    /// The minimum yield: the smallest fraction of its need that a job gets.
    pub(super) minimum_yield: Option<f64>,
    /// The average yield after the second phase.
    pub(super) average_yield: Option<f64>,
    /// The fraction of the fluid resources that is used after the second phase.
    pub(super) utilisation: Option<f64>,
    /// The proven upper bound on the minimum yield, from a search for the optimum.
    pub(super) bound: Option<f64>,
    /// The difference between LPBOUND and the minimum yield.
    pub(super) below_bound: Option<f64>,
    pub(super) time_ms: f64,
}

#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Came {
    Solved,
    /// No packing was found, but one may exist.
    #[default]
    Failed,
    /// The algorithm has proven that no packing exists.
    Infeasible,
    /// The time limit was reached; the best packing found so far is given, if there is one.
    TimedOut,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Fewest {
    pub(super) algorithm: String,
    /// The number of nodes; `null` if all nodes are not enough, or the time limit was reached.
    pub(super) nodes: Option<usize>,
    /// The nodes: their names, or for an instance their numbers.
    pub(super) on: Option<Vec<String>>,
    /// The proven lower bound on the number of nodes.
    pub(super) at_least: Option<usize>,
    /// True if the time limit was reached before there was an answer.
    pub(super) timed_out: bool,
    pub(super) time_ms: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Admitted {
    pub(super) algorithm: String,
    /// The number of admitted jobs.
    pub(super) admitted: usize,
    pub(super) minimum_yield: f64,
    /// The numbers of the refused jobs, from 0.
    pub(super) refused: Vec<usize>,
}

impl PackingResult {
    /// Formats the result as a row of the table.
    fn cells(&self) -> [String; 6] {
        let word = match self.outcome {
            Came::Solved => "",
            Came::Failed => "failed",
            Came::Infeasible => "infeasible",
            Came::TimedOut => "timed out",
        };
        let number = |value: Option<f64>, decimals| value.map(|value| format!("{value:.decimals$}"));
        [
            self.algorithm.clone(),
            match number(self.minimum_yield, 6) {
                Some(reached) if matches!(self.outcome, Came::TimedOut) => format!("at least {reached}"),
                reached => reached.unwrap_or_else(|| word.to_owned()),
            },
            number(self.average_yield, 4).unwrap_or_default(),
            self.utilisation.map(|used| format!("{:.2} %", 100.0 * used)).unwrap_or_default(),
            number(self.below_bound, 6).unwrap_or_default(),
            format!("{:.3} ms", self.time_ms),
        ]
    }
}

impl Answer for PackAnswer {
    fn text(&self) -> String {
        match self {
            PackAnswer::Packings { bound, algorithms, moves } => {
                packings(*bound, algorithms, moves.as_deref())
            }
            PackAnswer::FewestNodes { algorithms, moves, .. } => fewest(algorithms, moves.as_deref()),
            PackAnswer::Admission { algorithms, .. } => algorithms.iter().map(admission).collect(),
            PackAnswer::Checked { file, minimum_yield, faults } if faults.is_empty() => {
                format!("{file}: valid, minimum yield {minimum_yield:.6}\n")
            }
            // The violations are in the error message instead.
            PackAnswer::Checked { .. } => String::new(),
            PackAnswer::Names { algorithms } => algorithms.iter().map(|name| format!("{name}\n")).collect(),
        }
    }
}

fn packings(bound: Option<f64>, algorithms: &[PackingResult], moves: Option<&[Moved]>) -> String {
    let mut text = match bound {
        Some(bound) => format!("LPBOUND {bound:.6}\n"),
        None => "LPBOUND: the jobs request more than all nodes have\n".to_owned(),
    };
    let heading = ["algorithm", "min yield", "average", "utilisation", "below bound", "time"];
    text += &table(heading, algorithms.iter().map(PackingResult::cells));
    for (tried, bound) in algorithms.iter().filter_map(|tried| Some((tried, tried.bound?))) {
        if matches!(tried.outcome, Came::TimedOut) {
            text += &format!("{}: at most {bound:.6}\n", tried.algorithm);
        }
    }
    text + &moves.map(starts_and_moves).unwrap_or_default()
}

fn starts_and_moves(moves: &[Moved]) -> String {
    let starts = moves.iter().filter(|one| one.from.is_none()).count();
    format!("{}, {}\n", counted(starts, "start"), counted(moves.len() - starts, "move"))
}

fn fewest(algorithms: &[Fewest], moves: Option<&[Moved]>) -> String {
    let cells = |Fewest { algorithm, nodes, at_least, timed_out, time_ms, .. }: &Fewest| {
        let none = if *timed_out { "timed out" } else { "none" };
        let nodes = nodes.map_or_else(|| none.to_owned(), |nodes| nodes.to_string());
        let least = at_least.map(|nodes| nodes.to_string()).unwrap_or_default();
        [algorithm.clone(), nodes, least, format!("{time_ms:.3} ms")]
    };
    let mut text = table(["algorithm", "nodes", "at least", "time"], algorithms.iter().map(cells));
    // The nodes of an instance have numbers only, which `--mapping-out` writes.
    if let Some(moves) = moves {
        let best = algorithms.iter().filter(|one| one.nodes.is_some()).min_by_key(|one| one.nodes);
        let on = best.and_then(|one| one.on.as_deref()).unwrap_or_default();
        text += &format!("on: {}\n{}", on.join(", "), starts_and_moves(moves));
    }
    text
}

fn admission(Admitted { algorithm, admitted, minimum_yield, refused }: &Admitted) -> String {
    let refused: Vec<String> = refused.iter().map(usize::to_string).collect();
    let refused = if refused.is_empty() { "none".to_owned() } else { refused.join(", ") };
    format!("{algorithm}: {admitted} jobs admitted, minimum yield {minimum_yield:.6}; refused: {refused}\n")
}
