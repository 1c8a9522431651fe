//! What algorithms make of an instance.

use crate::commands::solve::switch::Moved;
use crate::output::{Answer, counted, table};
use schemars::JsonSchema;
use serde::Serialize;

/// What was asked of the algorithms.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "answer", rename_all = "kebab-case")]
pub(crate) enum Answered {
    /// The best minimum yield.
    Packings {
        /// LPBOUND: no packing has a larger minimum yield; `null` if the jobs ask for more than all nodes have.
        bound: Option<f64>,
        algorithms: Vec<Tried>,
        /// The VMs of a state that run elsewhere with the best packing; `null` for an instance.
        moves: Option<Vec<Moved>>,
    },
    /// With `--fewest-nodes`: the fewest nodes that keep a yield.
    FewestNodes {
        /// The minimum yield that is to be kept.
        wanted: f64,
        algorithms: Vec<Fewest>,
        /// The VMs of a state that run elsewhere with the fewest nodes; `null` for an instance.
        moves: Option<Vec<Moved>>,
    },
    /// With `--admit`: the jobs that are admitted.
    Admission {
        /// The minimum yield that is to be kept.
        wanted: f64,
        algorithms: Vec<Admitted>,
    },
    /// With `--check`: whether a packing is right.
    Checked {
        file: String,
        /// What the file claims.
        minimum_yield: f64,
        /// What is wrong; empty if it is right.
        faults: Vec<String>,
    },
    /// With `--list`: the names of all algorithms.
    Names { algorithms: Vec<String> },
}

/// The packing of an algorithm.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Tried {
    pub(super) algorithm: String,
    pub(super) outcome: Came,
    /// The smallest part of its need that a job gets.
    pub(super) minimum_yield: Option<f64>,
    /// After the second phase.
    pub(super) average_yield: Option<f64>,
    /// The part of the fluid resources that is used then.
    pub(super) utilisation: Option<f64>,
    /// Of a search for the optimum: no packing has a larger minimum yield; proven.
    pub(super) bound: Option<f64>,
    /// LPBOUND less the minimum yield.
    pub(super) below_bound: Option<f64>,
    pub(super) time_ms: f64,
}

#[derive(Clone, Copy, Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Came {
    Solved,
    /// No packing was found, whether or not there is one.
    #[default]
    Failed,
    /// It is proven that there is no packing.
    Infeasible,
    /// With the best packing known, if there is one.
    TimedOut,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Fewest {
    pub(super) algorithm: String,
    /// `null` if all nodes are not enough, or the time was not.
    pub(super) nodes: Option<usize>,
    /// Which nodes: their names, or for an instance their numbers.
    pub(super) on: Option<Vec<String>>,
    /// Fewer are not enough for any algorithm.
    pub(super) at_least: Option<usize>,
    /// Whether the limit of time came before an answer.
    pub(super) timed_out: bool,
    pub(super) time_ms: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Admitted {
    pub(super) algorithm: String,
    /// How many jobs.
    pub(super) admitted: usize,
    pub(super) minimum_yield: f64,
    /// The numbers of the other jobs, from 0.
    pub(super) refused: Vec<usize>,
}

impl Tried {
    /// As the table has it.
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

impl Answer for Answered {
    fn text(&self) -> String {
        match self {
            Answered::Packings { bound, algorithms, moves } => packings(*bound, algorithms, moves.as_deref()),
            Answered::FewestNodes { algorithms, moves, .. } => fewest(algorithms, moves.as_deref()),
            Answered::Admission { algorithms, .. } => algorithms.iter().map(admission).collect(),
            Answered::Checked { file, minimum_yield, faults } if faults.is_empty() => {
                format!("{file}: no fault, minimum yield {minimum_yield:.6}\n")
            }
            // The message has them.
            Answered::Checked { .. } => String::new(),
            Answered::Names { algorithms } => algorithms.iter().map(|name| format!("{name}\n")).collect(),
        }
    }
}

fn packings(bound: Option<f64>, algorithms: &[Tried], moves: Option<&[Moved]>) -> String {
    let mut text = match bound {
        Some(bound) => format!("LPBOUND {bound:.6}\n"),
        None => "LPBOUND: the jobs ask for more than all nodes have\n".to_owned(),
    };
    let heading = ["algorithm", "min yield", "average", "utilisation", "below bound", "time"];
    text += &table(heading, algorithms.iter().map(Tried::cells));
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
    // Instances have numbers only, and `--mapping-out` for them.
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
