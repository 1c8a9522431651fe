//! Tasks on nodes, and the repair of an incomplete packing.

use dfrsim_packing::filling::{BLOCK, CoarseBlock, coarse, excess, fits, reduce};

/// Node number of a task without a node.
pub(super) const NOWHERE: u32 = u32::MAX;

/// Price of a task without a node.
const UNPLACED: u64 = u64::MAX;

/// Weights of sizes: the scarcity of each dimension, that is total demand relative to total
/// capacity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights<const D: usize> {
    /// Scarcity in 1024ths.
    scarcity: [u64; D],
}

impl<const D: usize> Weights<D> {
    pub(super) fn new(demand: &[u128; D], capacity: &[u128; D]) -> Weights<D> {
        // Division of 64-bit numbers is much faster than that of 128-bit ones.
        let most = demand.iter().chain(capacity).max().map_or(0, |most| u128::BITS - most.leading_zeros());
        let rough = |amount: u128| (amount >> most.saturating_sub(54)) as u64;
        let scarcity = |d: usize| ((rough(demand[d]) << 10) / rough(capacity[d]).max(1)).min(1 << 10);
        Weights { scarcity: std::array::from_fn(scarcity) }
    }
    /// Returns the weighted sizes.
    pub(super) fn weighted(&self, size: &[u64; D]) -> [u64; D] {
        std::array::from_fn(|d| (size[d] >> 20) * self.scarcity[d])
    }
    /// Returns the weight of a task, the sum of its weighted sizes; below 2^47.
    pub(super) fn of(&self, size: &[u64; D]) -> u64 {
        self.weighted(size).iter().sum()
    }
}

/// Limits on the length of repairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Largest number of consecutive ejections without a new minimum of the weight that is unplaced.
    max_futile: usize,
    /// Steps left for all repairs together. A step is a block of amounts compared, or a task or node
    /// of a placement to be repaired; an ejection costs [`STEPS_OF_EJECTION`] and one step for each
    /// task of the node.
    steps_left: usize,
}

impl Patience {
    /// Creates the limits for an instance with this number of tasks and resources, given the work of
    /// VP_CPSUM on it: enough steps for about the same time again, for any size (measured by the
    /// example `eject` of `dfrsim-vector-packing`), multiplied by `times`.
    pub(super) fn new(tasks: usize, dimensions: usize, work: usize, times: u32) -> Patience {
        let max_futile = (4 + (tasks / 5).min(8 + tasks / 10)).min(70);
        // The more resources there are, the faster a step is in comparison with the work of VP_CPSUM
        // on an item.
        let left = work.saturating_mul(23 * (5 + dimensions.min(7))) / 100;
        Patience { max_futile, steps_left: left.saturating_mul(times as usize) }
    }
    /// Returns whether no step is left.
    pub(super) fn is_exhausted(self) -> bool {
        self.steps_left == 0
    }
    /// Adds steps for finding the first packing.
    pub(super) fn rescue(&mut self) {
        self.steps_left = self.steps_left.saturating_add(self.steps_left / 2).saturating_add(STEPS_OF_RESCUE);
    }
    /// Multiplies the limit on futile ejections by two; the total number of steps stays.
    pub(super) fn double(&mut self) {
        self.max_futile = self.max_futile.saturating_mul(2);
    }
    /// Takes steps from those left.
    pub(super) fn spend(&mut self, steps: usize) {
        self.steps_left = self.steps_left.saturating_sub(steps);
    }
}

/// Number of additional steps of a search that has no packing yet.
const STEPS_OF_RESCUE: usize = 200;

/// Cost of an ejection in steps, without its searches and the tasks of the node.
const STEPS_OF_EJECTION: usize = 6;

/// Tasks on nodes, some of them unplaced.
#[derive(Debug, Default)]
pub(super) struct Placement<const D: usize> {
    /// Size of each task.
    sizes: Vec<[u64; D]>,
    weights: Vec<u64>,
    node_of: Vec<u32>,
    /// Number of times that each task was ejected.
    ejections: Vec<u32>,
    /// Price of ejecting each task: its weight, plus its weight for every ejection so far;
    /// [`UNPLACED`] without a node.
    prices: Vec<u64>,
    /// Free capacity of each node.
    free: Vec<[u64; D]>,
    tasks_on: Vec<Vec<u32>>,
    /// Tasks without a node, by ascending weight.
    unplaced: Vec<u32>,
    /// Coarse free capacity of each node.
    coarse_free: Vec<CoarseBlock<D>>,
    /// Coarse free capacity that the node of each task would have without it; unused for a task
    /// without a node.
    coarse_free_without: Vec<CoarseBlock<D>>,
    /// Index in `coarse_free_without` at which the next search for a task to eject begins.
    next_block: usize,
}

impl<const D: usize> Placement<D> {
    /// Returns the node of each task.
    pub(super) fn node_of(&self) -> &[u32] {
        &self.node_of
    }

    /// Starts from tasks of these sizes on these nodes. Overloaded nodes lose some of their tasks.
    pub(super) fn start(
        &mut self,
        sizes: impl Iterator<Item = [u64; D]>,
        capacities: &[[u64; D]],
        weights: &Weights<D>,
        node_of: &[u32],
    ) {
        self.sizes.clear();
        self.sizes.extend(sizes);
        self.weights.clear();
        self.weights.extend(self.sizes.iter().map(|size| weights.of(size)));
        self.node_of.clear();
        self.node_of.extend_from_slice(node_of);
        self.ejections.clear();
        self.ejections.resize(node_of.len(), 0);
        self.prices.clone_from(&self.weights);
        self.free.clear();
        self.free.extend_from_slice(capacities);
        self.tasks_on.resize_with(capacities.len(), Vec::new);
        self.tasks_on.iter_mut().for_each(Vec::clear);
        self.unplaced.clear();
        for (task, &node) in (0..).zip(node_of) {
            let tasks = if node == NOWHERE { &mut self.unplaced } else { &mut self.tasks_on[node as usize] };
            tasks.push(task);
        }
        for (blocks, count) in
            [(&mut self.coarse_free, capacities.len()), (&mut self.coarse_free_without, node_of.len())]
        {
            blocks.clear();
            blocks.resize(count.div_ceil(BLOCK), [[0; BLOCK]; D]);
        }
        self.next_block = 0;
        for node in 0..capacities.len() {
            self.remove_excess(node);
            self.refresh(node);
        }
        for &task in &self.unplaced {
            self.prices[task as usize] = UNPLACED;
        }
        let weights = &self.weights;
        self.unplaced.sort_unstable_by_key(|&task| (weights[task as usize], task));
    }

    /// Removes tasks from an overloaded node until the others fit: the lightest task without which
    /// they fit, or otherwise the lightest that uses an overloaded resource.
    fn remove_excess(&mut self, node: usize) {
        let Placement { sizes, weights, node_of, free, tasks_on, unplaced, .. } = self;
        let (tasks, capacity) = (&mut tasks_on[node], free[node]);
        let mut load = [0; D];
        for &task in &*tasks {
            for (load, size) in load.iter_mut().zip(&sizes[task as usize]) {
                *load += size;
            }
        }
        while !fits(&load, &capacity) {
            let without =
                |task: u32| -> [u64; D] { std::array::from_fn(|d| load[d] - sizes[task as usize][d]) };
            let helps = |task: u32| (0..D).any(|d| load[d] > capacity[d] && sizes[task as usize][d] > 0);
            let candidates = tasks.iter().enumerate().filter(|&(_, &task)| helps(task));
            let (place, _) = candidates
                .min_by_key(|&(_, &task)| (!fits(&without(task), &capacity), weights[task as usize], task))
                .expect("some task uses an overloaded resource");
            let task = tasks.swap_remove(place);
            load = without(task);
            node_of[task as usize] = NOWHERE;
            unplaced.push(task);
        }
        reduce(&mut free[node], &load, 1);
    }

    /// Tries to find nodes for all tasks without one, heaviest first; returns whether it succeeded.
    /// A task goes to the fullest node that can hold it, or else takes the place of another task,
    /// which is ejected.
    pub(super) fn repair(&mut self, patience: &mut Patience) -> bool {
        let weight_of = |weights: &[u64], tasks: &[u32]| -> u128 {
            tasks.iter().map(|&task| u128::from(weights[task as usize])).sum()
        };
        let mut weight = weight_of(&self.weights, &self.unplaced);
        let mut least = weight;
        let mut in_vain = 0;
        patience.spend(self.sizes.len() + self.free.len());
        while let Some(task) = self.unplaced.pop() {
            let size = self.sizes[task as usize];
            if let Some(node) = self.find_node(&size) {
                self.put(task, node);
                weight -= u128::from(self.weights[task as usize]);
                continue;
            }
            in_vain += 1;
            if weight < least {
                (least, in_vain) = (weight, 0);
            }
            if patience.steps_left == 0 || in_vain > patience.max_futile {
                return false;
            }
            let Some((ejected, blocks)) = self.cheapest_to_eject(&size) else { return false };
            let there = self.tasks_on[self.node_of[ejected as usize] as usize].len();
            let steps = STEPS_OF_EJECTION + there + blocks + self.coarse_free.len();
            patience.spend(steps);
            let node = self.eject(ejected);
            self.put(task, node);
            weight += u128::from(self.weights[ejected as usize]);
            weight -= u128::from(self.weights[task as usize]);
        }
        true
    }

    /// Finds the fullest node that can hold a size; of equal ones the first.
    fn find_node(&self, size: &[u64; D]) -> Option<usize> {
        let mut best: Option<(u64, usize)> = None;
        for (number, block) in self.coarse_free.iter().enumerate() {
            for lane in fitting_lanes(block, size) {
                let node = number * BLOCK + lane;
                let Some(free) = self.free.get(node) else { break };
                let candidate = (free.iter().sum(), node);
                if best.is_none_or(|best| candidate < best) && fits(size, free) {
                    best = Some(candidate);
                }
            }
        }
        best.map(|(_, node)| node)
    }

    /// Finds a task without which its node could hold a size: the cheapest to eject among enough
    /// candidates. The search continues where the last one ended. Also returns the number of blocks
    /// compared.
    fn cheapest_to_eject(&mut self, size: &[u64; D]) -> Option<(u32, usize)> {
        const ENOUGH: u32 = 24;
        let mut best: Option<(u64, usize)> = None;
        let (mut seen, mut looked) = (0, 0);
        let blocks = self.coarse_free_without.len();
        for number in (self.next_block..blocks).chain(0..self.next_block) {
            looked += 1;
            let lanes = fitting_lanes(&self.coarse_free_without[number], size);
            seen += lanes.0.count_ones();
            for lane in lanes {
                let task = number * BLOCK + lane;
                let Some(&price) = self.prices.get(task) else { break };
                if price == UNPLACED || best.is_some_and(|best| (price, task) > best) {
                    continue;
                }
                let (free, own) = (&self.free[self.node_of[task] as usize], &self.sizes[task]);
                if (0..D).all(|d| size[d] <= free[d] + own[d]) {
                    best = Some((price, task));
                }
            }
            if seen >= ENOUGH {
                self.next_block = (number + 1) % blocks;
                break;
            }
        }
        best.map(|(_, task)| (task as u32, looked))
    }

    fn put(&mut self, task: u32, node: usize) {
        reduce(&mut self.free[node], &self.sizes[task as usize], 1);
        self.node_of[task as usize] = node as u32;
        self.prices[task as usize] =
            self.weights[task as usize].saturating_mul(u64::from(self.ejections[task as usize]) + 1);
        self.tasks_on[node].push(task);
        self.refresh(node);
    }

    /// Removes a task from its node; returns the node.
    fn eject(&mut self, task: u32) -> usize {
        self.ejections[task as usize] += 1;
        self.prices[task as usize] = UNPLACED;
        let node = std::mem::replace(&mut self.node_of[task as usize], NOWHERE) as usize;
        for (free, size) in self.free[node].iter_mut().zip(&self.sizes[task as usize]) {
            *free += size;
        }
        self.tasks_on[node].retain(|&other| other != task);
        for rooms in &mut self.coarse_free_without[task as usize / BLOCK] {
            rooms[task as usize % BLOCK] = 0;
        }
        let rank = |task: u32| (self.weights[task as usize], task);
        let place = self.unplaced.partition_point(|&other| rank(other) < rank(task));
        self.unplaced.insert(place, task);
        node
    }

    /// Updates the coarse amounts of a node and its tasks.
    fn refresh(&mut self, node: usize) {
        for (d, &free) in self.free[node].iter().enumerate() {
            self.coarse_free[node / BLOCK][d][node % BLOCK] = coarse(free);
            for &task in &self.tasks_on[node] {
                let task = task as usize;
                self.coarse_free_without[task / BLOCK][d][task % BLOCK] = coarse(free + self.sizes[task][d]);
            }
        }
    }
}

/// Returns the lanes of a block whose coarse amounts may hold a size.
#[inline]
fn fitting_lanes<const D: usize>(block: &CoarseBlock<D>, size: &[u64; D]) -> Lanes {
    let excess = excess(block, &size.map(coarse), |amount, size| size.saturating_sub(amount));
    // One flag per byte; a multiplication gathers eight of them in its highest byte. This is faster
    // than a branch for each lane.
    let flags: [u8; BLOCK] = excess.map(|excess| u8::from(excess == 0));
    let (words, _) = flags.as_chunks();
    let bits = |word: &[u8; 8]| u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    Lanes(words.iter().rev().fold(0, |lanes, word| lanes << 8 | bits(word) as u32))
}

/// Lanes of a block, in ascending order.
#[derive(Clone, Copy)]
struct Lanes(u32);

impl Iterator for Lanes {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let lane = self.0.trailing_zeros();
        self.0 &= self.0.wrapping_sub(1);
        (lane < BLOCK as u32).then_some(lane as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_packing::filling::CAPACITY;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn place(nodes: usize, tasks: &[([u64; 2], Option<usize>)]) -> Placement<2> {
        let mut placement = Placement::default();
        let node_of: Vec<u32> =
            tasks.iter().map(|&(_, node)| node.map_or(NOWHERE, |node| (node % nodes) as u32)).collect();
        let weights = Weights::new(&[3; 2], &[4; 2]);
        placement.start(tasks.iter().map(|&(size, _)| size), &vec![[CAPACITY; 2]; nodes], &weights, &node_of);
        placement
    }

    /// Computes the free capacity of a node from the tasks assigned to it.
    fn free_on(placement: &Placement<2>, node: usize) -> [u64; 2] {
        let there = (0..placement.sizes.len()).filter(|&task| placement.node_of[task] as usize == node);
        there.fold([CAPACITY; 2], |free, task| [0, 1].map(|d| free[d] - placement.sizes[task][d]))
    }

    fn plain_room_for(placement: &Placement<2>, size: &[u64; 2]) -> Option<usize> {
        let nodes = (0..placement.free.len()).map(|node| (free_on(placement, node), node));
        let with_room = nodes.filter(|(free, _)| size[0] <= free[0] && size[1] <= free[1]);
        with_room.min_by_key(|&(free, node)| (free[0] + free[1], node)).map(|(_, node)| node)
    }

    /// Returns the cheapest task in this many blocks, starting at a first one.
    fn plain_cheapest_to_eject(
        placement: &Placement<2>,
        size: &[u64; 2],
        (first, looked): (usize, usize),
    ) -> Option<u32> {
        let blocks = placement.coarse_free_without.len();
        let is_there = |task: &u32| (*task as usize / BLOCK + blocks - first) % blocks < looked;
        let candidates = (0..placement.sizes.len() as u32).filter(is_there).filter(|&task| {
            let (node, own) = (placement.node_of[task as usize], placement.sizes[task as usize]);
            node != NOWHERE && {
                let free = free_on(placement, node as usize);
                size[0] <= free[0] + own[0] && size[1] <= free[1] + own[1]
            }
        });
        candidates.min_by_key(|&task| {
            let ejections = u64::from(placement.ejections[task as usize]);
            (placement.weights[task as usize] * (ejections + 1), task)
        })
    }

    fn size() -> impl Strategy<Value = [u64; 2]> {
        prop_oneof![(1..=10u64).prop_map(|tenths| CAPACITY / 10 * tenths), 0..=CAPACITY].prop_flat_map(
            |first| (Just(first), 0..=CAPACITY).prop_map(|(first, second)| [first, second / 2]),
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: dfrsim_testing::cases(2000), failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn searches_find_what_plain_ones_do(
            nodes in 1usize..40,
            tasks in vec((size(), prop::option::of(0usize..40)), 1..60),
            steps in 0usize..40,
            sought in size(),
        ) {
            let mut placement = place(nodes, &tasks);
            for node in 0..nodes {
                prop_assert_eq!(placement.free[node], free_on(&placement, node));
            }
            let repaired = placement.repair(&mut Patience { max_futile: steps, steps_left: steps });
            prop_assert!(!repaired || placement.node_of.iter().all(|&node| node != NOWHERE));
            for node in 0..nodes {
                prop_assert_eq!(placement.free[node], free_on(&placement, node));
            }
            prop_assert_eq!(placement.find_node(&sought), plain_room_for(&placement, &sought));
            let (first, blocks) = (placement.next_block, placement.coarse_free_without.len());
            let found = placement.cheapest_to_eject(&sought);
            // A search that has not seen enough candidates scans all blocks, and the next one begins
            // at the same block.
            let looked = match (placement.next_block + blocks - first) % blocks {
                0 => blocks,
                some => some,
            };
            prop_assert!(found.is_none_or(|found| found.1 == looked));
            let plain = plain_cheapest_to_eject(&placement, &sought, (first, looked));
            prop_assert_eq!(found.map(|found| found.0), plain);
        }
    }
}
