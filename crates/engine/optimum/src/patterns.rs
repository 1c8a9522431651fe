//! An upper bound that knows what fits on one node: tighter than LPBOUND where nodes hold few tasks.

use crate::bound::lp_bound;
use crate::loads::Loads;
use crate::tasks::jobs_of_tasks;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;

/// How near to each other a yield that is refuted and one that is not are at last.
const PRECISION: u32 = 1 << 10;

/// The most partial sets of tasks that a search for the heaviest one examines.
const MOST_SETS: u32 = 10_000;

/// An upper bound on the minimum yield, at most [`lp_bound`] and at least the optimum: the bound of the linear program of
/// patterns (Gilmore and Gomory 1961), whose dual is approached by multiplicative weights. Tasks have weights; if no set of tasks
/// that fits on a node weighs more than P, and all together weigh more than N times that, N nodes do not hold them. What the
/// heaviest set has becomes lighter, `steps` times at each yield. Between `known`, the yield of some mapping, and
/// LPBOUND it is bisected. Where nodes differ, or sets are too many, the bound is LPBOUND. None where that has none.
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
#[must_use]
pub fn pattern_bound(instance: &Instance, known: Yield, steps: u32) -> Option<Yield> {
    let highest = lp_bound(instance)?;
    let (mut open, mut bound) = (known.units(), highest.units());
    let Some(jobs) =
        jobs_of_tasks(instance).filter(|_| instance.is_homogeneous() && !instance.nodes.is_empty())
    else {
        return Some(highest);
    };
    let at = |units| Yield::try_from_units(units).expect("not above a yield");
    // Refuted yields are above the bound.
    while bound.saturating_sub(open) > PRECISION {
        let middle = open + (bound - open) / 2;
        if Tasks::at(instance, &jobs, at(middle)).is_refuted(instance.nodes.len() as u64, steps) {
            bound = middle - 1;
        } else {
            open = middle;
        }
    }
    Some(at(bound))
}

/// The tasks at a yield, and what they weigh.
struct Tasks {
    sizes: Vec<Vec<u64>>,
    free: Vec<u64>,
    weights: Vec<u64>,
    /// What a task takes of a node, resources counted by how scarce they are.
    volumes: Vec<f64>,
    /// The same of an empty node.
    room: f64,
}

/// The search for the heaviest set of tasks that fits on a node.
struct Search<'a> {
    tasks: &'a Tasks,
    /// By falling weight for their volume.
    order: Vec<usize>,
    chosen: Vec<usize>,
    best: u64,
    heaviest: Vec<usize>,
    sets: u32,
}

impl Tasks {
    fn at(instance: &Instance, jobs: &[usize], scaled: Yield) -> Tasks {
        let loads = Loads::new(instance, scaled);
        let sizes: Vec<Vec<u64>> = jobs.iter().map(|&job| loads.takes(job).to_vec()).collect();
        let free: Vec<u64> =
            instance.nodes[0].iter().map(|&amount| crate::amounts::node_offers(amount)).collect();
        let part = |size: &[u64], resource: usize| size[resource] as f64 / free[resource].max(1) as f64;
        let scarcity: Vec<f64> =
            (0..free.len()).map(|resource| sizes.iter().map(|size| part(size, resource)).sum()).collect();
        let volume =
            |size: &[u64]| scarcity.iter().enumerate().map(|(resource, by)| by * part(size, resource)).sum();
        let volumes = sizes.iter().map(|size| volume(size)).collect();
        let weights = vec![1 << 40; sizes.len()];
        Tasks { room: volume(&free), sizes, free, weights, volumes }
    }

    /// Whether it is proven that this number of nodes does not hold them.
    fn is_refuted(&mut self, nodes: u64, steps: u32) -> bool {
        for step in 0..steps {
            let Some((heaviest, most)) = self.heaviest() else { return false };
            let all: u64 = self.weights.iter().sum();
            if u128::from(all) > u128::from(most) * u128::from(nodes) {
                return true;
            }
            let finer = 3 + 4 * step / steps;
            heaviest.into_iter().for_each(|task| self.weights[task] -= self.weights[task] >> finer);
            if most < 1 << 30 {
                self.weights.iter_mut().for_each(|weight| *weight <<= 8);
            }
        }
        false
    }

    /// The heaviest set that fits on a node, and its weight; `None` if there are too many.
    fn heaviest(&self) -> Option<(Vec<usize>, u64)> {
        let mut order: Vec<usize> = (0..self.sizes.len()).collect();
        order.sort_by(|&a, &b| self.density(b).total_cmp(&self.density(a)).then(a.cmp(&b)));
        let mut search =
            Search { tasks: self, order, chosen: Vec::new(), best: 0, heaviest: Vec::new(), sets: 0 };
        search.extend(0, 0, self.room, &self.free);
        (search.sets < MOST_SETS).then_some((search.heaviest, search.best))
    }

    fn density(&self, task: usize) -> f64 {
        self.weights[task] as f64 / self.volumes[task].max(f64::MIN_POSITIVE)
    }
}

impl Search<'_> {
    fn extend(&mut self, from: usize, weight: u64, room: f64, free: &[u64]) {
        self.sets += 1;
        if weight > self.best {
            self.best = weight;
            self.heaviest.clone_from(&self.chosen);
        }
        for place in from..self.order.len() {
            let task = self.order[place];
            // Rounding must not hide a heavier set.
            let most = weight as f64 + self.tasks.density(task) * room.max(0.0);
            if self.sets >= MOST_SETS || most * (1.0 + 1e-9) < self.best as f64 {
                return;
            }
            let size = &self.tasks.sizes[task];
            if size.iter().zip(free).all(|(size, free)| size <= free) {
                let left: Vec<u64> = free.iter().zip(size).map(|(free, size)| free - size).collect();
                self.chosen.push(task);
                let room = room - self.tasks.volumes[task] + 1e-9;
                self.extend(place + 1, weight + self.tasks.weights[task], room, &left);
                self.chosen.pop();
            }
        }
    }
}
