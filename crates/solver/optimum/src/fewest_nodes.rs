//! Minimum number of nodes for a yield, so that the others can be turned off.

use crate::amounts::{node_capacity, total_demand};
use crate::bound::lp_bound;
use crate::exact::is_feasible;
use crate::outcome::{Attempt, Limits, Status};
use crate::patterns::{MAX_PATTERN_TASKS, is_refuted};
use crate::program::{Program, Relation};
use crate::solver::Backend;
use dfrsim_model::offline::{Instance, Solved};
use dfrsim_model::{NodeId, Rng, Seed, Yield};
use rand::RngExt as _;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Instant;

/// Maximum number of choices of nodes tried for each number of nodes.
const MAX_CHOICES: usize = 64;

/// Maximum number of choices that are enumerated; if there are more, some are sampled.
const MAX_ENUMERATED: usize = 10_000;

/// Number of choices, from the first on, that are tried a second time.
const RETRIED_CHOICES: usize = 8;

/// The fewest nodes that sustain a minimum yield (dissertation, section 4.4.7: "some nodes can be
/// turned off").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FewestNodes {
    /// Nodes that are on, in ascending order; the others are off.
    pub nodes: Vec<NodeId>,
    /// A mapping onto these nodes.
    pub placed: Solved,
    /// Lower bound on the number of nodes; equal to it if the result is proven optimal.
    pub lower_bound: usize,
}

/// Computes the fewest nodes on which some mapping has at least this minimum yield, by exact
/// searches within the limits, which apply to all of them together. On heterogeneous nodes, choices
/// of nodes are tried as in [`fewest_nodes_by`]. Returns `None` if all nodes together do not
/// suffice, or if a limit was reached before any search succeeded.
pub fn fewest_nodes(instance: &Instance, min_yield: Yield, limits: &Limits) -> Option<FewestNodes> {
    let start = Instant::now();
    let mut open = None;
    let is_homogeneous = instance.is_homogeneous();
    let found = fewest_nodes_by(instance, min_yield, |chosen, is_again| {
        if is_again {
            return None;
        }
        let time = limits.time.map(|time| time.saturating_sub(start.elapsed()));
        match is_feasible(chosen, min_yield, &Limits { time, ..*limits }) {
            Attempt::Found(placed) => Some(placed),
            // All choices of identical nodes are equivalent.
            Attempt::Failed if is_homogeneous => None,
            Attempt::Failed | Attempt::TimedOut => {
                open.get_or_insert(chosen.nodes.len());
                None
            }
        }
    })?;
    let refuted = open.unwrap_or(found.nodes.len());
    Some(FewestNodes {
        lower_bound: found.lower_bound.max(if is_homogeneous { refuted } else { 0 }),
        ..found
    })
}

/// Computes the fewest nodes on which a packing algorithm reaches this minimum yield. `pack` gets
/// the instance with some of its nodes and returns a mapping with at least that yield, if it finds
/// one. All numbers of nodes are tried in ascending order from the lower bound, since the success of
/// a packing algorithm is not monotone. Several choices are tried for each number: the nodes with
/// the largest total value at resource prices by scarcity, those with the most of one resource, and
/// random ones. If no choice succeeds, the first ones are tried a second time, for which `pack` gets
/// true and may increase its effort.
///
/// Nodes and jobs are passed to `pack` in a canonical order, so the result does not depend on the
/// order of the instance, except for the choice among identical nodes and jobs.
pub fn fewest_nodes_by(
    instance: &Instance,
    min_yield: Yield,
    mut pack: impl FnMut(&Instance, bool) -> Option<Solved>,
) -> Option<FewestNodes> {
    if lp_bound(instance).is_none_or(|bound| bound < min_yield) {
        return None;
    }
    let sorted = Sorted::of(instance);
    let at_least = lower_bound(&sorted.instance, min_yield);
    (at_least..=instance.nodes.len()).find_map(|count| {
        let choices = choices(&sorted.instance, min_yield, count);
        let tries = choices.iter().map(|chosen| (chosen, false));
        let again = choices.iter().take(RETRIED_CHOICES).map(|chosen| (chosen, true));
        tries.chain(again).find_map(|(chosen, is_again)| {
            let placed = pack(&sorted.with(chosen), is_again)?;
            Some(sorted.restore(chosen, placed, at_least))
        })
    })
}

/// An instance in canonical order.
struct Sorted {
    instance: Instance,
    /// Original indices of the nodes and jobs.
    nodes: Vec<usize>,
    jobs: Vec<usize>,
}

impl Sorted {
    /// Sorts an instance: large nodes first, large jobs first.
    fn of(instance: &Instance) -> Sorted {
        let mut nodes: Vec<usize> = (0..instance.nodes.len()).collect();
        nodes.sort_by_key(|&node| Reverse(&instance.nodes[node]));
        let mut jobs: Vec<usize> = (0..instance.jobs.len()).collect();
        jobs.sort_by_key(|&job| {
            let job = &instance.jobs[job];
            Reverse((&job.demand, job.least_yield, job.tasks))
        });
        let sorted = Instance {
            nodes: nodes.iter().map(|&node| instance.nodes[node].clone()).collect(),
            jobs: jobs.iter().map(|&job| instance.jobs[job].clone()).collect(),
            ..*instance
        };
        Sorted { instance: sorted, nodes, jobs }
    }

    /// Returns the instance with only the chosen nodes.
    fn with(&self, chosen: &[usize]) -> Instance {
        let nodes = chosen.iter().map(|&node| self.instance.nodes[node].clone()).collect();
        Instance { nodes, ..self.instance.clone() }
    }

    /// Converts a result to the original indices.
    fn restore(&self, chosen: &[usize], placed: Solved, at_least: usize) -> FewestNodes {
        let number = |node: usize| NodeId(self.nodes[chosen[node]] as u32);
        let mut mapping = vec![Vec::new(); self.jobs.len()];
        for (&job, mut placement) in self.jobs.iter().zip(placed.mapping) {
            placement.iter_mut().for_each(|part| part.node = number(part.node.index()));
            placement.sort_unstable_by_key(|part| part.node);
            mapping[job] = placement;
        }
        let used: BTreeSet<NodeId> = mapping.iter().flatten().map(|part| part.node).collect();
        let nodes = used.into_iter().collect();
        FewestNodes { nodes, placed: Solved { mapping, ..placed }, lower_bound: at_least }
    }
}

/// Computes a lower bound on the number of nodes for this yield: the optimum of the linear program
/// that uses fractions of nodes to cover the total demand and, for few tasks, the pattern bound with
/// nodes that have the maximum of each resource.
fn lower_bound(instance: &Instance, min_yield: Yield) -> usize {
    let mut least = lower_bound_by_sums(instance, min_yield);
    let tasks: u64 = instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
    while tasks <= MAX_PATTERN_TASKS && least < instance.nodes.len() && is_refuted(instance, min_yield, least)
    {
        least += 1;
    }
    least
}

fn lower_bound_by_sums(instance: &Instance, min_yield: Yield) -> usize {
    let taken = total_demand(instance, min_yield);
    let mut program = Program::new();
    let on: Vec<_> = instance.nodes.iter().map(|_| program.real(-1.0, 0.0..=1.0)).collect();
    let mut least = 0;
    for (at, &taken) in taken.iter().enumerate().filter(|(_, taken)| **taken > 0) {
        let mut offers: Vec<u64> = instance.nodes.iter().map(|node| node_capacity(node[at])).collect();
        // Bound for each resource alone, in exact integers.
        let scale = taken as f64;
        let terms = on.iter().zip(&offers).map(|(&on, &offer)| (on, offer as f64 / scale));
        program.constrain(terms, Relation::AtLeast, 1.0);
        offers.sort_unstable_by_key(|&offer| Reverse(offer));
        let mut sum = 0;
        let enough = offers.iter().position(|&offer| {
            sum += u128::from(offer);
            sum >= taken
        });
        least = least.max(enough.map_or(offers.len(), |at| at + 1));
    }
    let answer = Backend::default().solver().solve(&program, &Limits::default()).ok();
    let optimum =
        answer.filter(|answer| answer.status == Status::Optimal).and_then(|answer| answer.objective);
    optimum
        .map_or(least, |objective| least.max((-objective - 1e-6).ceil() as usize))
        .min(instance.nodes.len())
}

/// Returns choices of `count` nodes with sufficient total capacity, without duplicates up to
/// identical nodes: all of them if there are few; those with the largest value at prices by scarcity
/// first.
fn choices(instance: &Instance, scaled: Yield, count: usize) -> Vec<Vec<usize>> {
    let offers = Offers::of(instance, scaled);
    let mut choices = offers.all(count).unwrap_or_else(|| {
        let mut rng = Seed::new(count as u64).fork("nodes").rng();
        (0..MAX_CHOICES).map(|number| offers.most(count, number, &mut rng)).collect()
    });
    let mut known = BTreeSet::new();
    choices.retain(|chosen| {
        let kinds: Vec<&[u32]> = chosen.iter().map(|&node| &*instance.nodes[node]).collect();
        offers.suffices(chosen) && known.insert(kinds)
    });
    choices.truncate(MAX_CHOICES);
    choices
}

/// Capacities of nodes relative to the demand of tasks.
struct Offers<'a> {
    instance: &'a Instance,
    taken: Vec<u128>,
    /// Inverse of the total capacity of each resource.
    parts: Vec<f64>,
    /// Fraction of the total capacity that tasks need, for each resource.
    scarcity: Vec<f64>,
}

impl Offers<'_> {
    fn of(instance: &Instance, scaled: Yield) -> Offers<'_> {
        let taken = total_demand(instance, scaled);
        let all = |at: usize| instance.nodes.iter().map(|node| node_capacity(node[at]) as f64).sum::<f64>();
        let parts: Vec<f64> = (0..taken.len()).map(|at| 1.0 / all(at).max(1.0)).collect();
        let scarcity = taken.iter().zip(&parts).map(|(&taken, part)| taken as f64 * part).collect();
        Offers { instance, taken, parts, scarcity }
    }

    /// Computes the value of each node at these prices of resources.
    fn values(&self, prices: &[f64]) -> Vec<f64> {
        let value = |node: &[u32]| {
            let worth = node.iter().zip(&self.parts).zip(prices);
            worth.map(|((&has, part), price)| node_capacity(has) as f64 * part * price).sum()
        };
        self.instance.nodes.iter().map(|node| value(node)).collect()
    }

    /// Returns all choices up to identical nodes, by decreasing value at prices by scarcity; `None`
    /// if there are too many. Nodes are sorted, so that identical ones are adjacent.
    fn all(&self, count: usize) -> Option<Vec<Vec<usize>>> {
        let kinds: Vec<Range<usize>> =
            self.instance.nodes.chunk_by(|a, b| a == b).fold(Vec::new(), |mut kinds, alike| {
                let first = kinds.last().map_or(0, |kind: &Range<usize>| kind.end);
                kinds.push(first..first + alike.len());
                kinds
            });
        let mut choices = vec![Vec::new()];
        for (at, kind) in kinds.iter().enumerate() {
            let later: usize = kinds[at + 1..].iter().map(Range::len).sum();
            let longer = choices.iter().flat_map(|chosen: &Vec<usize>| {
                let left = count - chosen.len();
                let taken = left.saturating_sub(later)..=left.min(kind.len());
                taken.map(|taken| [&chosen[..], &Vec::from_iter(kind.clone().take(taken))].concat())
            });
            choices = longer.take(MAX_ENUMERATED + 1).collect();
            if choices.len() > MAX_ENUMERATED {
                return None;
            }
        }
        let values = self.values(&self.scarcity);
        let value = |chosen: &[usize]| chosen.iter().map(|&node| values[node]).sum::<f64>();
        choices.sort_by(|a, b| value(b).total_cmp(&value(a)));
        Some(choices)
    }

    /// Returns the nodes of largest value. The number of the try selects the prices: by scarcity,
    /// equal prices, a single resource, and then randomised scarcity.
    fn most(&self, count: usize, number: usize, rng: &mut Rng) -> Vec<usize> {
        let width = self.taken.len();
        let is_plain = number < 2 + width;
        let price = |at: usize| match number {
            0 => self.scarcity[at],
            1 => 1.0,
            _ if is_plain => f64::from(u8::from(at == number - 2)),
            _ => self.scarcity[at] * rng.random::<f64>().powi(2),
        };
        let prices: Vec<f64> = (0..width).map(price).collect();
        let chance = if is_plain { 0.0 } else { 0.3 * rng.random::<f64>() };
        let mut values = self.values(&prices);
        values.iter_mut().for_each(|value| *value *= 1.0 - chance * rng.random::<f64>());
        let mut nodes: Vec<usize> = (0..values.len()).collect();
        nodes.sort_by(|&a, &b| values[b].total_cmp(&values[a]).then(a.cmp(&b)));
        nodes.truncate(count);
        nodes.sort_unstable();
        nodes
    }

    fn suffices(&self, nodes: &[usize]) -> bool {
        let offer = |node: usize, at: usize| u128::from(node_capacity(self.instance.nodes[node][at]));
        let offered = |at: usize| nodes.iter().map(|&node| offer(node, at)).sum::<u128>();
        self.taken.iter().enumerate().all(|(at, &taken)| offered(at) >= taken)
    }
}
