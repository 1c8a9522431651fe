//! Pattern bound: an upper bound from the sets of tasks that fit on one node, tighter than LPBOUND
//! if nodes hold few tasks.

use crate::bound::lp_bound;
use crate::loads::Loads;
use crate::outcome::{Limits, Status};
use crate::program::{Program, Relation};
use crate::solver::Backend;
use crate::tasks::{LARGEST_TABLE, jobs_of_tasks};
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;

/// Number of tasks above which [`pattern_bound`] takes too long for most uses.
pub const MAX_PATTERN_TASKS: u64 = 64;

/// Rounds of [`pattern_bound`] at each yield; more rounds gain little.
pub const PATTERN_ROUNDS: u32 = 12;

/// Final distance between a refuted and an unrefuted yield, in units of 2^-20.
const PRECISION: u32 = 1 << 10;

/// Maximum number of partial sets that a search for the heaviest set examines.
const MAX_SETS: u32 = 300_000;

/// Minimum weight of sets that are kept for the next program, relative to the weight of a node.
const MIN_KEPT_WEIGHT: f64 = 0.8;

/// Weight of a node in fixed point.
const WHOLE: f64 = (1_u64 << 40) as f64;

/// Computes an upper bound on the minimum yield, at most [`lp_bound`] and at least the optimum: the
/// bound of the pattern linear program (Gilmore and Gomory 1961). Tasks have weights. If no set of
/// tasks that fits on a node weighs more than P, and all tasks together weigh more than N times P,
/// then N nodes cannot hold them (Farley 1990). The weights are the optimum of the dual program over
/// the sets found so far, to which the heaviest sets are added, for at most `rounds` rounds at each
/// yield. Proofs use integers and do not depend on the rounding of the solver. The yield is bisected
/// between `known`, the yield of some mapping, and LPBOUND. On heterogeneous nodes, or with too many
/// sets, the bound is LPBOUND. Returns `None` if LPBOUND does.
///
/// ```
/// use dfrsim_model::Yield;
/// use dfrsim_model::offline::{Instance, OfflineJob};
/// use dfrsim_optimum::{lp_bound, pattern_bound};
///
/// // Three tasks on two nodes: two of them share a node, at half their need.
/// let job = OfflineJob { tasks: 3, demand: [10].into(), least_yield: Yield::ZERO };
/// let instance = Instance { fixed: 0, fluid: 1, nodes: vec![[10].into(); 2], jobs: vec![job] };
/// assert_eq!(lp_bound(&instance), Some(Yield::from_ratio(2, 3)));
/// let bound = pattern_bound(&instance, Yield::ZERO, 100).unwrap();
/// assert!((0.5..0.502).contains(&bound.as_f64()));
/// ```
pub fn pattern_bound(instance: &Instance, known: Yield, rounds: u32) -> Option<Yield> {
    let highest = lp_bound(instance)?;
    let (mut open, mut bound) = (known.units(), highest.units());
    let Some(jobs) = jobs_of_tasks(instance, LARGEST_TABLE)
        .filter(|_| instance.is_homogeneous() && !instance.nodes.is_empty())
    else {
        return Some(highest);
    };
    let at = |units| Yield::try_from_units(units).expect("yields between two valid ones are valid");
    let mut known_sets = Vec::new();
    // Refuted yields lie above the bound.
    while bound.saturating_sub(open) > PRECISION {
        let middle = open + (bound - open) / 2;
        let tasks = Tasks::at(instance, &jobs, at(middle));
        if tasks.is_refuted(instance.nodes.len() as u64, rounds, &mut known_sets) {
            bound = middle - 1;
        } else {
            open = middle;
        }
    }
    Some(at(bound))
}

/// Returns true if it is proven that no mapping onto any choice of this number of nodes has this
/// yield. Heterogeneous nodes are replaced by nodes with the maximum of every resource.
pub(crate) fn is_refuted(instance: &Instance, scaled: Yield, nodes: usize) -> bool {
    let Some(jobs) = jobs_of_tasks(instance, LARGEST_TABLE) else { return false };
    let most = |at: usize| instance.nodes.iter().map(|node| node[at]).max().unwrap_or(0);
    let largest = (0..instance.dimensions()).map(most).collect();
    let instance = Instance { nodes: vec![largest], ..instance.clone() };
    Tasks::at(&instance, &jobs, scaled).is_refuted(nodes as u64, PATTERN_ROUNDS, &mut Vec::new())
}

/// Sizes of tasks and nodes at a yield.
struct Tasks {
    sizes: Vec<Vec<u64>>,
    free: Vec<u64>,
    /// Volume of each task: its relative demands weighted by the scarcity of resources.
    volumes: Vec<f64>,
    /// Volume of an empty node.
    node_volume: f64,
}

/// A set of tasks, in ascending order.
type Set = Vec<usize>;

impl Tasks {
    fn at(instance: &Instance, jobs: &[usize], scaled: Yield) -> Tasks {
        let loads = Loads::new(instance, scaled);
        let sizes: Vec<Vec<u64>> = jobs.iter().map(|&job| loads.demand(job).to_vec()).collect();
        let free: Vec<u64> =
            instance.nodes[0].iter().map(|&amount| crate::amounts::node_capacity(amount)).collect();
        let part = |size: &[u64], resource: usize| size[resource] as f64 / free[resource].max(1) as f64;
        let scarcity: Vec<f64> =
            (0..free.len()).map(|resource| sizes.iter().map(|size| part(size, resource)).sum()).collect();
        let volume =
            |size: &[u64]| scarcity.iter().enumerate().map(|(resource, by)| by * part(size, resource)).sum();
        let volumes = sizes.iter().map(|size| volume(size)).collect();
        Tasks { node_volume: volume(&free), sizes, free, volumes }
    }

    /// Returns true if it is proven that this number of nodes cannot hold the tasks. `known`
    /// contains sets found at another yield and is replaced by those found here.
    fn is_refuted(&self, nodes: u64, rounds: u32, known: &mut Vec<Set>) -> bool {
        let mut sets: Vec<Set> = known.iter().filter(|set| self.fit(set)).cloned().collect();
        let count = self.sizes.len();
        let mut weights = vec![WHOLE as u64 / 4; count];
        for _ in 0..rounds {
            let mut added = self.greedy_sets(&weights);
            let all: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
            let weight = |set: &Set| set.iter().map(|&task| weights[task]).sum::<u64>();
            let most = added.iter().map(weight).max().unwrap_or(0);
            added.retain(|set| weight(set) as f64 > WHOLE * (1.0 + 1e-7) && !sets.contains(set));
            if added.is_empty() || all > u128::from(most) * u128::from(nodes) {
                let Some((heaviest, most)) = self.heaviest(&weights) else { break };
                if all > u128::from(most) * u128::from(nodes) {
                    *known = sets;
                    return true;
                }
                if sets.contains(&heaviest) && added.is_empty() {
                    break;
                }
                added.push(heaviest);
            }
            added.sort_unstable();
            added.dedup();
            sets.extend(added);
            match dual_weights(count, &sets) {
                // With few sets the optimum of the program is too large; if even that is small, the
                // yield cannot be refuted.
                Some(values) if values.iter().sum::<f64>() > nodes as f64 * (1.0 + 1e-9) => {
                    // Light sets would only enlarge the next program.
                    sets.retain(|set| set.iter().map(|&task| values[task]).sum::<f64>() > MIN_KEPT_WEIGHT);
                    weights = values.iter().map(|value| (value.max(0.0) * WHOLE) as u64).collect();
                }
                _ => break,
            }
        }
        *known = sets;
        false
    }

    fn fit(&self, set: &[usize]) -> bool {
        let taken = |resource: usize| set.iter().map(|&task| self.sizes[task][resource]).sum::<u64>();
        self.free.iter().enumerate().all(|(resource, &free)| taken(resource) <= free)
    }

    /// Returns the tasks by decreasing weight per volume.
    fn order(&self, weights: &[u64]) -> Vec<usize> {
        let density = |task: usize| self.density(weights, task);
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        order.sort_by(|&a, &b| density(b).total_cmp(&density(a)).then(a.cmp(&b)));
        order
    }

    fn density(&self, weights: &[u64], task: usize) -> f64 {
        weights[task] as f64 / self.volumes[task].max(f64::MIN_POSITIVE)
    }

    /// Builds for each task a set that starts with it and is filled by decreasing weight per volume.
    fn greedy_sets(&self, weights: &[u64]) -> Vec<Set> {
        let order = self.order(weights);
        let set_of = |first: usize| {
            let mut free = self.free.clone();
            let mut set = Vec::new();
            for task in std::iter::once(first).chain(order.iter().copied().filter(|&task| task != first)) {
                let size = &self.sizes[task];
                if size.iter().zip(&free).all(|(size, free)| size <= free) {
                    free.iter_mut().zip(size).for_each(|(free, size)| *free -= size);
                    set.push(task);
                }
            }
            set.sort_unstable();
            set
        };
        (0..self.sizes.len()).map(set_of).collect()
    }

    /// Finds the heaviest set that fits on a node, and its weight; `None` if the search exceeds its
    /// limit.
    fn heaviest(&self, weights: &[u64]) -> Option<(Set, u64)> {
        let order = self.order(weights);
        let mut search = Search {
            tasks: self,
            weights,
            order,
            chosen: Vec::new(),
            free: vec![self.free.clone()],
            best: 0,
            heaviest: Vec::new(),
            sets: 0,
        };
        search.extend(0, 0, self.node_volume);
        let Search { mut heaviest, best, sets, .. } = search;
        heaviest.sort_unstable();
        (sets < MAX_SETS).then_some((heaviest, best))
    }
}

/// Computes the weights with the largest sum such that no set weighs more than 1; `None` if the
/// solver fails.
fn dual_weights(count: usize, sets: &[Set]) -> Option<Vec<f64>> {
    let mut program = Program::new();
    let weights: Vec<_> = (0..count).map(|_| program.real(1.0, 0.0..=1.0)).collect();
    for set in sets {
        program.constrain(set.iter().map(|&task| (weights[task], 1.0)), Relation::AtMost, 1.0);
    }
    let answer = Backend::default().solver().solve(&program, &Limits::default()).ok()?;
    (answer.status == Status::Optimal).then_some(answer.values)
}

/// Branch and bound for the heaviest set of tasks that fits on a node.
struct Search<'a> {
    tasks: &'a Tasks,
    weights: &'a [u64],
    /// Tasks by decreasing weight per volume.
    order: Vec<usize>,
    chosen: Set,
    /// Free amounts after each of the chosen tasks.
    free: Vec<Vec<u64>>,
    best: u64,
    heaviest: Set,
    sets: u32,
}

impl Search<'_> {
    fn extend(&mut self, from: usize, weight: u64, room: f64) {
        self.sets += 1;
        if weight > self.best {
            self.best = weight;
            self.heaviest.clone_from(&self.chosen);
        }
        let depth = self.chosen.len();
        if self.free.len() == depth + 1 {
            self.free.push(self.tasks.free.clone());
        }
        for place in from..self.order.len() {
            let task = self.order[place];
            // The margin keeps rounding errors from pruning a heavier set.
            let most = weight as f64 + self.tasks.density(self.weights, task) * room.max(0.0);
            if self.sets >= MAX_SETS || most * (1.0 + 1e-9) < self.best as f64 {
                return;
            }
            let size = &self.tasks.sizes[task];
            let (before, after) = self.free.split_at_mut(depth + 1);
            if self.weights[task] > 0 && size.iter().zip(&before[depth]).all(|(size, free)| size <= free) {
                let amounts = before[depth].iter().zip(size).map(|(free, size)| free - size);
                after[0].iter_mut().zip(amounts).for_each(|(after, left)| *after = left);
                self.chosen.push(task);
                let room = room - self.tasks.volumes[task] + 1e-9;
                self.extend(place + 1, weight + self.weights[task], room);
                self.chosen.pop();
            }
        }
    }
}
