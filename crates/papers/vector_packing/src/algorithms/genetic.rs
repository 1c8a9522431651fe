//! The genetic algorithm.

use dfrsim_model::offline::Instance;
use dfrsim_model::{Rng, Seed, Yield};
use dfrsim_vector_packing::greedy::{SortOrder, mapping};
use dfrsim_vector_packing::vector::minimum_yield_of;
use dfrsim_vector_packing::{Outcome, Rigid};
use rand::RngExt as _;

/// Rules by which `GA` repairs a chromosome. The dissertation's text (section 4.2.4) says that jobs
/// of overloaded nodes move to other less loaded ones, in an arbitrary order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GeneticRepair {
    /// The rule of the authors' simulator (flexsched, first commit of its public repository,
    /// `ga_compute_mapping.C`). For each resource, the smallest job whose removal ends the overload
    /// moves, or the largest job if there is none, to the first other node that can hold it. If
    /// there is no such node, the repair of all nodes ends.
    #[default]
    Simulated,
    /// The task with the largest sum of fixed requirements and constrained needs moves to the least
    /// loaded node that can hold it (by the sum of loads, relative to capacities on heterogeneous
    /// nodes). If there is no such node, the node stays overloaded.
    LeastLoaded,
}

/// Parameters of `GA`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeneticParameters {
    /// Number of chromosomes per generation; at least 1.
    pub population: usize,
    /// Number of generations after the first.
    pub generations: u32,
    /// Probability that two tasks of a new chromosome are swapped, in [0, 1].
    pub mutation: f64,
    /// Probability that two parents exchange their tails, in [0, 1]; otherwise they are copied.
    pub crossover: f64,
    /// Repair rule for overloaded nodes.
    pub repair: GeneticRepair,
}

impl Default for GeneticParameters {
    /// Returns the published parameters: 100 chromosomes, 2,000 generations, probabilities of 0.1
    /// and 0.25.
    fn default() -> GeneticParameters {
        let repair = GeneticRepair::default();
        GeneticParameters { population: 100, generations: 2_000, mutation: 0.1, crossover: 0.25, repair }
    }
}

/// Solves an instance with the genetic algorithm (dissertation, section 4.2.4).
///
/// A chromosome assigns a node to each task; the first generation is random. Parents are selected by
/// roulette wheel, with probabilities proportional to fitness. New chromosomes are repaired, and the
/// best chromosome of a generation replaces the worst of the next one. A feasible chromosome has the
/// fitness N (1 + yield), any other one the number of its nodes that are not overloaded. The search
/// ends early once every job has a yield of 1.
///
/// The repair considers the nodes in order ([`GeneticRepair`]).
pub fn solve(instance: &Instance, seed: Seed, parameters: &GeneticParameters) -> Outcome {
    if instance.nodes.is_empty() {
        return Outcome::of_mapping(instance, instance.jobs.is_empty().then(Vec::new));
    }
    let rigid = Rigid::of(instance);
    let tasks = SortOrder::Given.tasks(instance, &rigid, seed);
    let mut breeder = Evolution::new(instance, &rigid, &tasks, seed, parameters.repair);
    let best = breeder.evolve(parameters);
    let feasible = best.fitness >= breeder.fitness_of_nodes(instance.nodes.len());
    Outcome::of_mapping(instance, feasible.then(|| mapping(instance, &tasks, &best.nodes)))
}

/// A mapping of all tasks.
#[derive(Clone, Debug, Default)]
struct Chromosome {
    /// Node of each task.
    nodes: Vec<u32>,
    /// Exact fitness, in units of 2^-20.
    fitness: u64,
}

/// State of the evolution, which creates and evaluates chromosomes.
struct Evolution<'a> {
    instance: &'a Instance,
    rigid: &'a Rigid,
    /// Job of each task.
    tasks: &'a [u32],
    /// Total demand of a task over all resources, for each job.
    sizes: Vec<i64>,
    repair: GeneticRepair,
    rng: Rng,
    /// Loads of the nodes under the chromosome being evaluated, one row per node.
    loads: Vec<i64>,
}

impl<'a> Evolution<'a> {
    fn new(
        instance: &'a Instance,
        rigid: &'a Rigid,
        tasks: &'a [u32],
        seed: Seed,
        repair: GeneticRepair,
    ) -> Evolution<'a> {
        Evolution {
            instance,
            rigid,
            tasks,
            sizes: (0..instance.jobs.len()).map(|job| rigid.demand(job).iter().sum()).collect(),
            repair,
            rng: seed.fork("GA").rng(),
            loads: Vec::new(),
        }
    }

    /// Runs the evolution; returns the best chromosome of the last generation, which is the best of
    /// all.
    fn evolve(&mut self, parameters: &GeneticParameters) -> Chromosome {
        let population = parameters.population.max(1);
        let mut parents: Vec<Chromosome> = (0..population).map(|_| self.random()).collect();
        let mut children: Vec<Chromosome> = vec![Chromosome::default(); population];
        let perfect = self.fitness_of_nodes(2 * self.instance.nodes.len());
        let mut stakes = Vec::with_capacity(population);
        for _ in 0..parameters.generations {
            let best = fittest(&parents);
            if parents[best].fitness == perfect {
                break;
            }
            stakes.clear();
            stakes.extend(parents.iter().scan(0, |sum, parent| {
                *sum += parent.fitness;
                Some(*sum)
            }));
            for pair in children.chunks_mut(2) {
                let (mother, father) = (self.draw_parent(&stakes), self.draw_parent(&stakes));
                let cut = if self.rng.random_bool(parameters.crossover) {
                    self.rng.random_range(0..=self.tasks.len())
                } else {
                    self.tasks.len()
                };
                for (child, [head, tail]) in pair.iter_mut().zip([[mother, father], [father, mother]]) {
                    child.nodes.clone_from(&parents[head].nodes);
                    child.nodes[cut..].copy_from_slice(&parents[tail].nodes[cut..]);
                    child.fitness = parents[head].fitness;
                    let mutates = self.rng.random_bool(parameters.mutation);
                    if mutates {
                        self.swap(&mut child.nodes);
                    }
                    if mutates || cut < self.tasks.len() {
                        self.repair_and_evaluate(child);
                    }
                }
            }
            let worst = (0..population).min_by_key(|&index| children[index].fitness).unwrap_or(0);
            if children[worst].fitness < parents[best].fitness {
                children[worst].clone_from(&parents[best]);
            }
            std::mem::swap(&mut parents, &mut children);
        }
        let best = fittest(&parents);
        parents.swap_remove(best)
    }

    fn random(&mut self) -> Chromosome {
        let nodes = self.instance.nodes.len() as u32;
        let nodes = self.tasks.iter().map(|_| self.rng.random_range(0..nodes)).collect();
        let mut chromosome = Chromosome { nodes, fitness: 0 };
        self.repair_and_evaluate(&mut chromosome);
        chromosome
    }

    /// Draws a chromosome with a probability proportional to its fitness, given the running sums;
    /// uniformly if every fitness is 0.
    fn draw_parent(&mut self, stakes: &[u64]) -> usize {
        match stakes[stakes.len() - 1] {
            0 => self.rng.random_range(0..stakes.len()),
            total => {
                let ball = self.rng.random_range(0..total);
                stakes.partition_point(|&sum| sum <= ball)
            }
        }
    }

    /// Swaps a random task with a random one on another node, if there is any.
    fn swap(&mut self, nodes: &mut [u32]) {
        if nodes.is_empty() {
            return;
        }
        let one = self.rng.random_range(0..nodes.len());
        let elsewhere = |nodes: &[u32]| nodes.iter().filter(|&&node| node != nodes[one]).count();
        let others = elsewhere(nodes);
        if others > 0 {
            let nth = self.rng.random_range(0..others);
            let other = (0..nodes.len()).filter(|&task| nodes[task] != nodes[one]).nth(nth);
            nodes.swap(one, other.expect("the counted tasks exist"));
        }
    }

    fn repair_and_evaluate(&mut self, chromosome: &mut Chromosome) {
        let dimensions = self.instance.dimensions();
        self.loads.clear();
        self.loads.resize(self.instance.nodes.len() * dimensions, 0);
        for (&job, &node) in self.tasks.iter().zip(&chromosome.nodes) {
            self.load(job as usize, node as usize, 1);
        }
        match self.repair {
            GeneticRepair::Simulated => self.repair_as_simulated(&mut chromosome.nodes),
            GeneticRepair::LeastLoaded => self.repair_to_least_loaded(&mut chromosome.nodes),
        }
        let sound = (0..self.instance.nodes.len()).filter(|&node| !self.is_overloaded(node)).count();
        chromosome.fitness = self.fitness_of_nodes(sound);
        if sound == self.instance.nodes.len() {
            let tasks = self.tasks.iter().zip(&chromosome.nodes);
            let parts = tasks.map(|(&job, &node)| (job as usize, node as usize, 1));
            let minimum = minimum_yield_of(self.instance, parts).expect("no node is overloaded");
            chromosome.fitness += sound as u64 * u64::from(minimum.units());
        }
    }

    fn repair_as_simulated(&mut self, nodes: &mut [u32]) {
        for node in 0..self.instance.nodes.len() {
            for resource in 0..self.instance.dimensions() {
                loop {
                    let excess = self.row(node)[resource] - self.rigid.capacity(node)[resource];
                    let amount = |&task: &usize| self.rigid.demand(self.tasks[task] as usize)[resource];
                    let here = || (0..nodes.len()).filter(|&task| nodes[task] as usize == node);
                    if excess <= 0 {
                        break;
                    }
                    let enough = here().filter(|task| amount(task) >= excess).min_by_key(amount);
                    // Ties are broken by the lowest task.
                    let Some(task) = enough.or_else(|| here().rev().max_by_key(amount)) else { return };
                    let job = self.tasks[task] as usize;
                    let mut others = (0..self.instance.nodes.len()).filter(|&other| other != node);
                    let Some(to) = others.find(|&other| self.can_hold(other, job)) else { return };
                    self.load(job, node, -1);
                    self.load(job, to, 1);
                    nodes[task] = to as u32;
                }
            }
        }
    }

    fn repair_to_least_loaded(&mut self, nodes: &mut [u32]) {
        for node in 0..self.instance.nodes.len() {
            let mut overloaded = self.is_overloaded(node);
            while overloaded {
                let here = (0..self.tasks.len()).filter(|&task| nodes[task] as usize == node);
                // Ties are broken by the lowest task.
                let Some(task) = here.rev().max_by_key(|&task| self.sizes[self.tasks[task] as usize]) else {
                    break;
                };
                let job = self.tasks[task] as usize;
                let Some(to) = self.least_loaded(job, node) else { break };
                self.load(job, node, -1);
                self.load(job, to, 1);
                nodes[task] = to as u32;
                overloaded = self.is_overloaded(node);
            }
        }
    }

    /// Returns the fitness of this number of nodes without overload.
    fn fitness_of_nodes(&self, count: usize) -> u64 {
        count as u64 * u64::from(Yield::ONE.units())
    }

    fn load(&mut self, job: usize, node: usize, sign: i64) {
        let demand = self.rigid.demand(job);
        for (load, demand) in self.loads[node * demand.len()..].iter_mut().zip(demand) {
            *load += sign * demand;
        }
    }

    fn row(&self, node: usize) -> &[i64] {
        &self.loads[node * self.instance.dimensions()..][..self.instance.dimensions()]
    }

    fn is_overloaded(&self, node: usize) -> bool {
        self.row(node).iter().zip(self.rigid.capacity(node)).any(|(load, capacity)| load > capacity)
    }

    /// Checks that a node can hold an additional task of the job.
    fn can_hold(&self, node: usize, job: usize) -> bool {
        let amounts = self.row(node).iter().zip(self.rigid.demand(job)).zip(self.rigid.capacity(node));
        amounts.into_iter().all(|((load, demand), capacity)| load + demand <= *capacity)
    }

    /// Returns the least loaded node, other than `from`, that can hold a task of the job.
    fn least_loaded(&self, job: usize, from: usize) -> Option<usize> {
        let holds = |&node: &usize| node != from && self.can_hold(node, job);
        let load = |node: usize| -> i128 {
            let amounts = self.row(node).iter().zip(self.rigid.capacity(node));
            amounts.map(|(&load, &capacity)| i128::from(self.rigid.comparable_load(load, capacity))).sum()
        };
        (0..self.instance.nodes.len()).filter(holds).min_by_key(|&node| load(node))
    }
}

/// Returns the index of the fittest chromosome; ties are broken by the lowest index.
fn fittest(chromosomes: &[Chromosome]) -> usize {
    (0..chromosomes.len()).rev().max_by_key(|&index| chromosomes[index].fitness).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use dfrsim_vector_packing::instances::InstanceSet;
    use dfrsim_vector_packing::minimum_yield;

    /// Ten jobs with two resources on four nodes: after the repair of random chromosomes the fitness is that
    /// of the mapping.
    #[test]
    fn fitness_is_that_of_the_mapping() {
        [GeneticRepair::Simulated, GeneticRepair::LeastLoaded].into_iter().for_each(judged_rightly);
    }

    fn judged_rightly(repair: GeneticRepair) {
        let (mut feasible, mut infeasible) = (0, 0);
        for scenario in 0..50 {
            let instance = InstanceSet::DissertationSmall.instance(Seed::new(1), scenario, 0).unwrap();
            let rigid = Rigid::of(&instance);
            let tasks = SortOrder::Given.tasks(&instance, &rigid, Seed::new(1));
            let mut breeder = Evolution::new(&instance, &rigid, &tasks, Seed::new(1), repair);
            for _ in 0..20 {
                let chromosome = breeder.random();
                let mapping = mapping(&instance, &tasks, &chromosome.nodes);
                let expected = if let Some(minimum) = minimum_yield(&instance, &mapping) {
                    feasible += 1;
                    4 * (u64::from(Yield::ONE.units()) + u64::from(minimum.units()))
                } else {
                    infeasible += 1;
                    let fits = |node: &u32| {
                        let here = |job: usize| chromosome.nodes[job] == *node;
                        let sums = (0..instance.dimensions()).map(|resource| -> i64 {
                            (0..tasks.len())
                                .filter(|&job| here(job))
                                .map(|job| rigid.demand(job)[resource])
                                .sum()
                        });
                        sums.zip(rigid.capacity(*node as usize)).all(|(sum, capacity)| sum <= *capacity)
                    };
                    (0..4).filter(fits).count() as u64 * u64::from(Yield::ONE.units())
                };
                assert_eq!(chromosome.fitness, expected);
            }
        }
        assert!(feasible > 100 && infeasible > 20, "{feasible} feasible, {infeasible} not");
    }
}
