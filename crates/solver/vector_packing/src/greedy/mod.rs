//! The greedy algorithms: tasks in some order, each on the best of the nodes that can hold it.
//!
//! A node can hold a task if the sums of fixed requirements and of constrained needs (needs times least yields) stay
//! within its capacities. The tasks of a parallel job are placed like jobs of their own (dissertation, section 4.5.1;
//! RR-6692, section 5.2), and nodes may differ: both studies have like nodes, for which everything here is theirs.
//!
//! Sources: dissertation, sections 4.2.2 and 4.4.1; RR-6692, section 3.3.

mod backtracking;
mod node_rule;
mod node_tree;
mod order;
mod placer;

pub use node_rule::{NodeRule, NodeRules};
pub use order::SortOrder;

pub(crate) use placer::mapping;

use crate::rigid::Rigid;
use crate::{Outcome, Solved};
use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Yield};
use placer::Placer;
use std::fmt;

/// A greedy algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Greedy {
    /// `GREEDY_Sx_Py`: one pass over the tasks.
    Pass(SortOrder, NodeRule),
    /// `GREEDY`: the best of the 49 passes, the first of equally good ones.
    Best,
    /// `GREEDYLIGHT`: the first of the passes of [`light`] that finds a mapping, or the best ([`Light`]).
    Light,
    /// `GR`, `SG`: RR-6692's greedy algorithms, jobs as they come or by decreasing memory.
    Rr {
        /// Whether tasks are sorted first.
        sorted: bool,
    },
    /// `GB`, `SGB`: the same with backtracking.
    Backtracking {
        /// Whether tasks are sorted first.
        sorted: bool,
    },
}

/// What `GREEDYLIGHT` makes of its passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Light {
    /// It takes the first that finds a mapping: so the dissertation says (section 4.4.1), and so its authors' simulator does.
    First,
    /// It takes the best of them, as `GREEDY` does of all. So the same section's figures have it: where both succeed `GREEDY`
    /// is better on a fifth of the instances only, by a fifth.
    #[default]
    Best,
}

/// Points of the greedy algorithms that the texts leave open, or describe in two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Readings {
    /// Of P1 to P6.
    pub rules: NodeRules,
    /// Of `GREEDYLIGHT`.
    pub light: Light,
}

/// The passes of `GREEDYLIGHT`: the eight that the dissertation found best for more than 15 % of the instances, by
/// their average distance from the bound, and the one that succeeds most often. (Its text, section 4.4.1, speaks of
/// ten and lists these nine.)
///
/// With the rules as printed, the averages are those of 20 samples of each of the dissertation's scenarios, from a seed
/// that no study uses, as the example `light_order` prints them: from 0.196 (`GREEDY_S3_P2`) to 0.399 (`GREEDY_S2_P1`) and
/// 0.526 (`GREEDY_S5_P4`). With the rules as simulated, it is the order of the simulator (flexsched,
/// `METAGREEDYLIGHT_scheduler`).
pub const fn light(readings: NodeRules) -> [(SortOrder, NodeRule); 9] {
    use NodeRule::{BestFitSum, LeastMaxNeed, LeastSumNeeds};
    use SortOrder::{MaxFull, MaxNeed, SumFull, SumNeeds, SumRigid};
    match readings {
        NodeRules::Printed => [
            (SumNeeds, LeastSumNeeds),
            (MaxNeed, LeastSumNeeds),
            (MaxFull, LeastSumNeeds),
            (SumRigid, LeastMaxNeed),
            (SumFull, LeastMaxNeed),
            (SumNeeds, LeastMaxNeed),
            (MaxFull, LeastMaxNeed),
            (MaxNeed, LeastMaxNeed),
            (SumRigid, BestFitSum),
        ],
        NodeRules::Simulated => [
            (SumNeeds, LeastMaxNeed),
            (MaxNeed, LeastMaxNeed),
            (SumRigid, LeastMaxNeed),
            (SumFull, LeastMaxNeed),
            (MaxFull, LeastMaxNeed),
            (MaxNeed, LeastSumNeeds),
            (SumNeeds, LeastSumNeeds),
            (MaxFull, LeastSumNeeds),
            (SumRigid, BestFitSum),
        ],
    }
}

impl Greedy {
    /// Every greedy algorithm, in the order of the texts.
    pub fn all() -> impl Iterator<Item = Greedy> {
        let passes = passes().map(|(order, rule)| Greedy::Pass(order, rule));
        let rr = [false, true].map(|sorted| Greedy::Rr { sorted });
        let backtracking = [false, true].map(|sorted| Greedy::Backtracking { sorted });
        passes.chain([Greedy::Best, Greedy::Light]).chain(rr).chain(backtracking)
    }

    /// Runs the algorithm by the default readings. `seed` decides the random order only; `placements` bounds the attempts
    /// of backtracking.
    #[must_use]
    pub fn solve(self, instance: &Instance, seed: Seed, placements: u64) -> Outcome {
        self.solve_as(Readings::default(), instance, seed, placements)
    }

    /// The same by other readings of the dissertation; RR-6692's algorithms have one only.
    #[must_use]
    pub fn solve_as(self, readings: Readings, instance: &Instance, seed: Seed, placements: u64) -> Outcome {
        let rigid = Rigid::of(instance);
        let read = |(order, rule): (SortOrder, NodeRule)| (order, rule.read(readings.rules));
        match self {
            Greedy::Pass(order, rule) => best(instance, &rigid, seed, [read((order, rule))], Yield::ONE),
            Greedy::Best => best(instance, &rigid, seed, passes().map(read), Yield::ONE),
            Greedy::Light => {
                let enough = if readings.light == Light::First { Yield::ZERO } else { Yield::ONE };
                best(instance, &rigid, seed, light(readings.rules).map(read), enough)
            }
            Greedy::Rr { sorted } => {
                let pass = (rr_order(sorted), NodeRule::LeastSumNeeds);
                best(instance, &rigid, seed, [pass], Yield::ONE)
            }
            Greedy::Backtracking { sorted } => {
                let tasks = rr_order(sorted).tasks(instance, &rigid, seed);
                let nodes = backtracking::place(instance, &rigid, &tasks, placements);
                Outcome::of_mapping(instance, nodes.map(|nodes| mapping(instance, &tasks, &nodes)))
            }
        }
    }
}

/// The 49 passes, S1_P1 to S7_P7.
fn passes() -> impl Iterator<Item = (SortOrder, NodeRule)> {
    let rules = |order| NodeRule::OF_THE_DISSERTATION.map(|rule| (order, rule));
    SortOrder::OF_THE_DISSERTATION.into_iter().flat_map(rules)
}

const fn rr_order(sorted: bool) -> SortOrder {
    if sorted { SortOrder::MaxFixed } else { SortOrder::Given }
}

/// The best of some passes, the first of equally good ones; there are no more after one with a yield that is enough.
fn best(
    instance: &Instance,
    rigid: &Rigid,
    seed: Seed,
    passes: impl IntoIterator<Item = (SortOrder, NodeRule)>,
    enough: Yield,
) -> Outcome {
    let mut placer = Placer::new(instance, rigid);
    let mut best: Option<Solved> = None;
    // Passes of one order mostly are together.
    let mut sorted: Option<(SortOrder, Vec<u32>)> = None;
    for (order, rule) in passes {
        if sorted.as_ref().is_none_or(|sorted| sorted.0 != order) {
            sorted = Some((order, order.tasks(instance, rigid, seed)));
        }
        let Some((_, tasks)) = &sorted else { continue };
        let Some(minimum_yield) = placer.place(tasks, rule) else { continue };
        if best.as_ref().is_none_or(|best| minimum_yield > best.minimum_yield) {
            best = Some(Solved { mapping: mapping(instance, tasks, placer.nodes()), minimum_yield });
        }
        if minimum_yield >= enough {
            break;
        }
    }
    best.map_or(Outcome::Failed, Outcome::Solved)
}

impl fmt::Display for Greedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Greedy::Pass(order, rule) => {
                let x = SortOrder::OF_THE_DISSERTATION.iter().position(|&each| each == order);
                let y = NodeRule::OF_THE_DISSERTATION.iter().position(|&each| each == rule);
                match (x, y) {
                    (Some(x), Some(y)) => write!(f, "GREEDY_S{}_P{}", x + 1, y + 1),
                    _ => write!(f, "GREEDY_{order:?}_{rule:?}"),
                }
            }
            Greedy::Best => f.pad("GREEDY"),
            Greedy::Light => f.pad("GREEDYLIGHT"),
            Greedy::Rr { sorted: false } => f.pad("GR"),
            Greedy::Rr { sorted: true } => f.pad("SG"),
            Greedy::Backtracking { sorted: false } => f.pad("GB"),
            Greedy::Backtracking { sorted: true } => f.pad("SGB"),
        }
    }
}
