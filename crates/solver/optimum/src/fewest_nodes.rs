//! How many nodes can be turned off, and which.

use crate::amounts::{node_offers, taken};
use crate::bound::lp_bound;
use crate::exact::is_feasible;
use crate::outcome::{Attempt, Limits, Status};
use crate::patterns::{PATTERNS_UP_TO, is_refuted};
use crate::program::{Program, Relation};
use crate::solver::Backend;
use dfrsim_model::offline::{Instance, Solved};
use dfrsim_model::{NodeId, Rng, Seed, Yield};
use rand::RngExt as _;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Instant;

/// For each number of nodes at most this many choices are tried.
const CHOICES: usize = 64;

/// No more choices than this are listed; where there are more, some are drawn.
const ALL_CHOICES: usize = 10_000;

/// This many of them, the first ones, are tried again.
const TRIED_AGAIN: usize = 8;

/// The fewest nodes that keep a minimum yield (dissertation, section 4.4.7: "some nodes can be turned off").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FewestNodes {
    /// Which nodes are on, in rising order; the others are off.
    pub nodes: Vec<NodeId>,
    /// A mapping onto those.
    pub placed: Solved,
    /// Fewer cannot do; the same number if it is proven to be the fewest.
    pub at_least: usize,
}

/// The fewest nodes on which some mapping has at least this minimum yield, by exact searches as far as the limits, which are for
/// all of them together, allow. Nodes may differ: choices of them are tried as by [`fewest_nodes_by`]. `None` if all nodes
/// cannot, or if a limit came before any try succeeded.
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
            // All choices of equal nodes are the same.
            Attempt::Failed if is_homogeneous => None,
            Attempt::Failed | Attempt::TimedOut => {
                open.get_or_insert(chosen.nodes.len());
                None
            }
        }
    })?;
    let refuted = open.unwrap_or(found.nodes.len());
    Some(FewestNodes { at_least: found.at_least.max(if is_homogeneous { refuted } else { 0 }), ..found })
}

/// The fewest nodes on which a packing algorithm reaches this minimum yield. `pack` gets the instance with some of its nodes and
/// gives a mapping of at least that yield, if it finds one. All numbers are tried from the least that is not refuted, since the
/// success of a packing algorithm is not monotone; for each number several choices of nodes: those that offer most by the prices
/// of resources, where prices are how scarce these are, those of one resource, and others at random. `pack` also gets whether
/// it is asked for the second time: the first choices, if it finds no mapping for any, for which it may then try harder.
///
/// Nodes and jobs are passed to `pack` in an order of their own, so that the result does not depend on that of the instance but
/// for which of equal ones is meant.
pub fn fewest_nodes_by(
    instance: &Instance,
    min_yield: Yield,
    mut pack: impl FnMut(&Instance, bool) -> Option<Solved>,
) -> Option<FewestNodes> {
    if lp_bound(instance).is_none_or(|bound| bound < min_yield) {
        return None;
    }
    let sorted = Sorted::of(instance);
    let at_least = least_nodes(&sorted.instance, min_yield);
    (at_least..=instance.nodes.len()).find_map(|count| {
        let choices = choices(&sorted.instance, min_yield, count);
        let tries = choices.iter().map(|chosen| (chosen, false));
        let again = choices.iter().take(TRIED_AGAIN).map(|chosen| (chosen, true));
        tries.chain(again).find_map(|(chosen, is_again)| {
            let placed = pack(&sorted.with(chosen), is_again)?;
            Some(sorted.restored(chosen, placed, at_least))
        })
    })
}

/// An instance in an order of its own.
struct Sorted {
    instance: Instance,
    /// The numbers of the nodes and jobs in the other one.
    nodes: Vec<usize>,
    jobs: Vec<usize>,
}

impl Sorted {
    /// Large nodes first, large jobs first.
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

    /// The instance with some of the nodes.
    fn with(&self, chosen: &[usize]) -> Instance {
        let nodes = chosen.iter().map(|&node| self.instance.nodes[node].clone()).collect();
        Instance { nodes, ..self.instance.clone() }
    }

    /// A result in the numbers of the other instance.
    fn restored(&self, chosen: &[usize], placed: Solved, at_least: usize) -> FewestNodes {
        let number = |node: usize| NodeId(self.nodes[chosen[node]] as u32);
        let mut mapping = vec![Vec::new(); self.jobs.len()];
        for (&job, mut placement) in self.jobs.iter().zip(placed.mapping) {
            placement.iter_mut().for_each(|part| part.node = number(part.node.index()));
            placement.sort_unstable_by_key(|part| part.node);
            mapping[job] = placement;
        }
        let used: BTreeSet<NodeId> = mapping.iter().flatten().map(|part| part.node).collect();
        let nodes = used.into_iter().collect();
        FewestNodes { nodes, placed: Solved { mapping, ..placed }, at_least }
    }
}

/// A number of nodes below which no mapping has this yield: the optimum of the linear program that takes parts of nodes until they
/// offer what all tasks take, and where tasks are few the bound of patterns on a node that has the most of each resource.
fn least_nodes(instance: &Instance, min_yield: Yield) -> usize {
    let mut least = least_by_sums(instance, min_yield);
    let tasks: u64 = instance.jobs.iter().map(|job| u64::from(job.tasks)).sum();
    while tasks <= PATTERNS_UP_TO && least < instance.nodes.len() && is_refuted(instance, min_yield, least) {
        least += 1;
    }
    least
}

fn least_by_sums(instance: &Instance, min_yield: Yield) -> usize {
    let taken = taken(instance, min_yield);
    let mut program = Program::new();
    let on: Vec<_> = instance.nodes.iter().map(|_| program.real(-1.0, 0.0..=1.0)).collect();
    let mut least = 0;
    for (at, &taken) in taken.iter().enumerate().filter(|(_, taken)| **taken > 0) {
        let mut offers: Vec<u64> = instance.nodes.iter().map(|node| node_offers(node[at])).collect();
        // Exact for one resource at a time.
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

/// Choices of `count` nodes that together offer enough, no two of which differ only by equal nodes: all if they are few, those that offer
/// most for scarce resources first.
fn choices(instance: &Instance, scaled: Yield, count: usize) -> Vec<Vec<usize>> {
    let offers = Offers::of(instance, scaled);
    let mut choices = offers.all(count).unwrap_or_else(|| {
        let mut rng = Seed::new(count as u64).fork("nodes").rng();
        (0..CHOICES).map(|number| offers.most(count, number, &mut rng)).collect()
    });
    let mut known = BTreeSet::new();
    choices.retain(|chosen| {
        let kinds: Vec<&[u32]> = chosen.iter().map(|&node| &*instance.nodes[node]).collect();
        offers.are_enough(chosen) && known.insert(kinds)
    });
    choices.truncate(CHOICES);
    choices
}

/// What nodes offer of what tasks take.
struct Offers<'a> {
    instance: &'a Instance,
    taken: Vec<u128>,
    /// What one unit is of all that there is.
    parts: Vec<f64>,
    /// What is taken of all that there is.
    scarcity: Vec<f64>,
}

impl Offers<'_> {
    fn of(instance: &Instance, scaled: Yield) -> Offers<'_> {
        let taken = taken(instance, scaled);
        let all = |at: usize| instance.nodes.iter().map(|node| node_offers(node[at]) as f64).sum::<f64>();
        let parts: Vec<f64> = (0..taken.len()).map(|at| 1.0 / all(at).max(1.0)).collect();
        let scarcity = taken.iter().zip(&parts).map(|(&taken, part)| taken as f64 * part).collect();
        Offers { instance, taken, parts, scarcity }
    }

    /// What each node is worth at these prices of resources.
    fn values(&self, prices: &[f64]) -> Vec<f64> {
        let value = |node: &[u32]| {
            let worth = node.iter().zip(&self.parts).zip(prices);
            worth.map(|((&has, part), price)| node_offers(has) as f64 * part * price).sum()
        };
        self.instance.nodes.iter().map(|node| value(node)).collect()
    }

    /// All choices, one of those that differ by equal nodes only, those that are worth most by scarcity first; `None` if there are too
    /// many. Nodes are sorted, so that equal ones follow each other.
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
            choices = longer.take(ALL_CHOICES + 1).collect();
            if choices.len() > ALL_CHOICES {
                return None;
            }
        }
        let values = self.values(&self.scarcity);
        let value = |chosen: &[usize]| chosen.iter().map(|&node| values[node]).sum::<f64>();
        choices.sort_by(|a, b| value(b).total_cmp(&value(a)));
        Some(choices)
    }

    /// The nodes that are worth most: by scarcity, all resources alike, one resource, then by scarcity with some chance.
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

    fn are_enough(&self, nodes: &[usize]) -> bool {
        let offer = |node: usize, at: usize| u128::from(node_offers(self.instance.nodes[node][at]));
        let offered = |at: usize| nodes.iter().map(|&node| offer(node, at)).sum::<u128>();
        self.taken.iter().enumerate().all(|(at, &taken)| offered(at) >= taken)
    }
}
