//! Fields of scenarios.

use crate::algorithms::genetic::{GeneticParameters, GeneticRepair};
use crate::algorithms::{Algorithm, PaperSettings};
use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    Codec, Environment, LocatedFile, any_selected, boolean, choice, count, distinct_tables, file, flattened,
    fraction, list, name, named, number, one_or_many, optional, positive_fraction, seconds, selected, table,
    tables,
};
use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, SimSpan, Yield};
use dfrsim_optimum::{Backend, Limits, Relaxation};
use dfrsim_vector_packing::greedy::{self, Light, NodeRules};
use dfrsim_vector_packing::instances::{
    self, Amounts, DissertationScenario, InstanceSet, Memory, Requirements,
};
use dfrsim_vector_packing::{Claimed, ListOrder, Probes, Settings, VectorOptions};
use std::time::Duration;

fn every_algorithm(_: &Environment) -> Vec<(String, Algorithm)> {
    Algorithm::all().map(|each| (each.to_string(), each)).collect()
}

fn any_algorithms() -> Codec<Vec<Algorithm>> {
    any_selected("an algorithm", named("an algorithm"), every_algorithm)
}

fields! {
    /// Instances that are packed once, for the best minimum yield, each by every algorithm.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Packings {
        /// Algorithms to run (`dfrsim solve pack --list`).
        pub algorithms: Vec<Algorithm> = selected("an algorithm", named("an algorithm"), every_algorithm);
        /// True if `OPT`, the proven optimum, is added to the list.
        pub optimum: bool = boolean(), default false;
        /// True if slow algorithms run on all instances too.
        pub everything: bool = boolean(), default false;
        /// Parameters of algorithms that are not part of their names.
        pub packing: Packing = table();
        /// Algorithms that are too slow for all instances.
        pub slow: Vec<Slow> = tables();
        /// The second phase, which raises average yields and keeps mappings.
        pub second_phase: SecondPhase = table();
        /// Instances to pack.
        pub instances: Vec<InstanceGroup> =
            distinct_tables("name", "group of instances", |group: &InstanceGroup| &group.name).at_least_one();
    }
}

fields! {
    /// Parameters of algorithms that are not part of their names.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Packing {
        /// Precision of vector packing's search: it ends when a successful and a failed yield differ
        /// by no more than this.
        pub precision: Yield = positive_fraction("a difference of yields"), default Yield::nearest(0.001);
        /// Order in which nodes look through the lists of `VP_PP` and `VP_CP`: the lexicographic
        /// order of the ranks of their dimensions, as the dissertation begins to describe it
        /// (4.2.5), or pair after pair, the lower number first, as its authors' simulator does.
        pub lists: ListOrder = choice([("by-rank", ListOrder::ByRank), ("by-pair", ListOrder::ByPair)]),
            default ListOrder::default();
        /// Yields that vector packing's search tries: bisection from the start, with half of the
        /// range first (`halving`), as in RR-6692 (3.4) and the simulator; or the highest yield,
        /// then 0, followed by bisection only if 0 succeeds (`ends-first`) or in any case
        /// (`ends-too`). Success is not monotone in the yield, so results differ.
        pub probes: Probes = choice([
                ("halving", Probes::Halving),
                ("ends-first", Probes::EndsFirst),
                ("ends-too", Probes::EndsToo),
            ]),
            default Probes::default();
        /// Minimum yield reported for a vector packing: the largest that its mapping allows or, as
        /// in the simulator, the one that was tried.
        pub claimed: Claimed = choice([("exact", Claimed::Exact), ("probed", Claimed::Probed)]),
            default Claimed::default();
        /// Repair rule of `GA`: that of the simulator, or moving the largest job of an overloaded
        /// node to the least loaded node that can hold it.
        pub repair: GeneticRepair = choice([
                ("simulated", GeneticRepair::Simulated),
                ("least-loaded", GeneticRepair::LeastLoaded),
            ]),
            default GeneticRepair::default();
        /// Number of chromosomes in a generation of `GA`; the dissertation tried up to 2,000
        /// (4.4.3).
        pub population: usize = count("a number of chromosomes", 1, 1_000_000), default GeneticParameters::default().population;
        /// Number of generations of `GA` after the first; the dissertation tried 100 to 2,000.
        pub generations: u32 = count("a number of generations", 0, u32::MAX), default GeneticParameters::default().generations;
        /// Loads of P1 to P6: those of the dissertation's formulas (4.2.2), or those of its authors'
        /// simulator, which are sums over jobs, in one resource (P1, P3, P5) or in all (P2, P4, P6).
        /// It also determines the order of the passes of `GREEDYLIGHT`.
        pub node_rules: NodeRules =
            choice([("printed", NodeRules::Published), ("simulated", NodeRules::Simulated)]), default NodeRules::default();
        /// Result of `GREEDYLIGHT`: the best of its passes, which fits the dissertation's numbers
        /// (4.4.1), or the first that finds a mapping, as in its text and its authors' simulator.
        pub light: Light = choice([("first", Light::First), ("best", Light::Best)]), default Light::default();
        /// Largest number of attempts of `GB` and `SGB` to place a task.
        pub placements: u64 = count("a number of placements", 0, i64::MAX), default 500_000;
        /// Largest number of nodes of the search tree of `OPT`; an instance that is not solved by
        /// then is `timed-out`.
        pub search_nodes: u64 = count("a number of nodes", 0, i64::MAX), default 100_000_000;
        /// Time limit of an algorithm on linear programs, or of `OPT`. With it, results depend on
        /// the machine.
        pub time_limit_s: Option<SimSpan> = optional(seconds(..));
        /// The solver of linear programs (`"microlp"`).
        pub solver: Backend = named("a solver"), default Backend::default();
        /// Linear program that `RRND` and `RRNDNZ` round: the one for a yield known to be LPBOUND,
        /// or the printed one, which is 20 to 60 times slower.
        pub relaxation: Relaxation =
            choice([("printed", Relaxation::Published), ("at-bound", Relaxation::AtBound)]), default Relaxation::default();
    }
    renamed { "time_limit" => "time_limit_s" }
}

fields! {
    /// Algorithms that do not run on all instances.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Slow {
        /// Slow algorithms.
        pub algorithms: Vec<Algorithm> = any_algorithms();
        /// Number of replications of each scenario on which they run, starting with the first.
        pub replications: u32 = count("a number of replications", 0, u32::MAX), default 1;
        /// Largest number of tasks of instances on which they run.
        pub tasks: u32 = count("a number of tasks", 0, u32::MAX), default u32::MAX;
    }
    renamed { "samples" => "replications" }
}

fields! {
    /// The second phase, which raises average yields and keeps mappings.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SecondPhase {
        /// Algorithms whose packings go through the second phase.
        pub algorithms: Vec<Algorithm> = any_algorithms(), default Vec::new();
        /// Number of replications of each scenario, starting with the first, for which the largest
        /// average yield is computed even if this requires a linear program (with several fluid
        /// resources or parallel jobs).
        pub program_replications: u32 = count("a number of replications", 0, u32::MAX), default 1;
    }
    renamed { "program_samples" => "program_replications" }
}

fields! {
    /// Instances of one source.
    #[derive(Clone, Debug, PartialEq)]
    pub struct InstanceGroup {
        /// Name in rows and tables.
        pub name: String = name("a group of instances");
        /// Source of the instances.
        pub source: Source = flattened();
        /// Number of instances of each scenario. If absent, it is the published number for a set,
        /// and one for a grid or a file.
        pub replications: Option<u32> = optional(count("a number of replications", 1, u32::MAX));
        /// Treatment of requirements of the dissertation's instances that scaling raises above a
        /// node's capacity: they are cut to it, as in its authors' simulator, or kept, so that the
        /// instance has no solution. The text is silent.
        pub requirements: Requirements = choice([("cut", Requirements::Truncated), ("kept", Requirements::Kept)]),
            default Requirements::Truncated;
        /// Amounts of the dissertation's instances: those drawn from [0, 1] or, as in its authors'
        /// simulator, drawn again below 0.01 and rounded to three decimals.
        pub amounts: Amounts = choice([("drawn", Amounts::Drawn), ("simulated", Amounts::Simulated)]),
            default Amounts::Drawn;
        /// Memory slack of RR-6692's instances: requirements are scaled to it, as in its authors'
        /// generator, or drawn from a distribution with the mean that results from it.
        pub memory: Memory = choice([("scaled", Memory::Scaled), ("drawn", Memory::Drawn)]), default Memory::Scaled;
    }
    renamed { "samples" => "replications" }
}

fields! {
    /// Source of instances.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Source {
        /// A set of the texts, by its name: results are compared with published tables.
        Set(InstanceSet) as "set" = named("a set of instances");
        /// Instances like those of the dissertation, for each combination of these parameters.
        Grid(Grid) as "grid" = table();
        /// Files of instances, each a scenario of its own: JSON, as written by `dfrsim offline
        /// instance`.
        Files(Vec<LocatedFile>) as "files" = list(file()).nonempty();
    }
}

fields! {
    /// Scenarios like those of the dissertation, for every combination of these parameters.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Grid {
        /// Number of nodes.
        pub nodes: u32 = count("a number of nodes", 1, 1_000_000);
        /// Numbers of jobs.
        pub jobs: Vec<u32> = one_or_many(count("a number of jobs", 1, 1_000_000));
        /// Numbers of resources, which must be even.
        pub dimensions: Vec<u32> = one_or_many(count("a number of resources", 2, 32));
        /// Standard deviations.
        pub sigma: Vec<f64> = one_or_many(number("a deviation", 0.0..=1e6));
        /// Probabilities of a quality of service.
        pub rho: Vec<f64> = one_or_many(fraction("a probability"));
        /// Free fractions of fixed resources.
        pub slack: Vec<f64> = one_or_many(fraction("a free fraction"));
        /// Sizes of nodes, used in turn, in units of an ordinary node; the slack is computed for
        /// ordinary nodes.
        pub node_sizes: Vec<f64> = one_or_many(number("a size", 0.01..=4.0)), default vec![1.0];
    }
    check |grid, at| {
        if grid.dimensions.iter().any(|dimensions| dimensions % 2 == 1) {
            at.fault("dimensions", "the number of resources must be even: half of them are fixed");
        }
    }
}

impl Grid {
    /// Returns all combinations. The number of jobs changes slowest, then resources, deviations and
    /// qualities of service; slack changes fastest.
    fn scenarios(&self) -> Vec<instances::Scenario> {
        let mut scenarios = Vec::new();
        for &jobs in &self.jobs {
            for &dimensions in &self.dimensions {
                for &sigma in &self.sigma {
                    for &rho in &self.rho {
                        scenarios.extend(self.slack.iter().map(|&slack| {
                            let nodes = self.nodes;
                            instances::Scenario::Dissertation(DissertationScenario {
                                nodes,
                                jobs,
                                dimensions,
                                sigma,
                                rho,
                                slack,
                            })
                        }));
                    }
                }
            }
        }
        scenarios
    }
}

impl InstanceGroup {
    /// Returns the number of scenarios; they are numbered from 0.
    #[must_use]
    pub fn scenario_count(&self) -> usize {
        match &self.source {
            Source::Set(_) | Source::Grid(_) => self.generated_scenarios().len(),
            Source::Files(files) => files.len(),
        }
    }
    /// Returns the generated scenarios; none if the instances are files.
    pub(crate) fn generated_scenarios(&self) -> Vec<instances::Scenario> {
        match &self.source {
            Source::Set(set) => set.scenarios(),
            Source::Grid(grid) => grid.scenarios(),
            Source::Files(_) => Vec::new(),
        }
    }
    /// Generates an instance of a scenario.
    pub(crate) fn instance(&self, scenario: &instances::Scenario, seed: Seed) -> Instance {
        let mut instance = scenario.instance_as(seed, self.readings());
        if let Source::Grid(grid) = &self.source {
            for (node, size) in instance.nodes.iter_mut().zip(grid.node_sizes.iter().cycle()) {
                node.iter_mut().for_each(|amount| *amount = (f64::from(*amount) * size) as u32);
            }
        }
        instance
    }
    /// Checks that the instances are those of a set of the texts, or use a subset of its scenarios.
    pub(crate) fn is_subset_of(&self, set: InstanceSet) -> bool {
        match &self.source {
            Source::Set(own) => *own == set,
            Source::Grid(grid) => {
                let known = set.scenarios();
                grid.node_sizes.iter().all(|size| *size == 1.0)
                    && grid.scenarios().iter().all(|scenario| known.contains(scenario))
            }
            Source::Files(_) => false,
        }
    }
    /// Returns the number of instances of each scenario.
    #[must_use]
    pub fn replications(&self) -> u32 {
        self.replications.unwrap_or(match self.source {
            Source::Set(set) => set.samples(),
            Source::Grid(_) | Source::Files(_) => 1,
        })
    }
    /// Returns the seed of an instance. Instances of the sets of the texts are the same in every
    /// group.
    pub(crate) fn seed(&self, study: Seed, scenario: u32, replication: u32) -> Seed {
        match self.source {
            Source::Set(set) => set.seed(study, scenario, replication),
            Source::Grid(_) | Source::Files(_) => {
                study.fork(&self.name).numbered(scenario.into()).numbered(replication.into())
            }
        }
    }
    /// Returns the interpretations of the texts with which the instances are generated.
    fn readings(&self) -> instances::InstanceInterpretation {
        instances::InstanceInterpretation {
            requirements: self.requirements,
            amounts: self.amounts,
            memory: self.memory,
        }
    }
}

impl Packing {
    /// Builds the settings of algorithms for an instance with this seed.
    pub(crate) fn settings(&self, instance: Seed) -> PaperSettings {
        let shared = Settings {
            placements: self.placements,
            greedy: greedy::Interpretation { rules: self.node_rules, light: self.light },
            vector: VectorOptions {
                precision: self.precision,
                lists: self.lists,
                probes: self.probes,
                claimed: self.claimed,
                ..VectorOptions::default()
            },
            solver: self.solver,
            relaxation: self.relaxation,
            limits: Limits {
                time: self.time_limit_s.map(|limit| Duration::from_micros(limit.micros())),
                nodes: Some(self.search_nodes),
                gap: 0.0,
            },
            ..Settings::new(instance.fork("algorithms"))
        };
        PaperSettings { shared, genetic: self.genetic() }
    }

    /// Returns the parameters of `GA`.
    fn genetic(&self) -> GeneticParameters {
        GeneticParameters {
            repair: self.repair,
            population: self.population,
            generations: self.generations,
            ..GeneticParameters::default()
        }
    }
}

impl Packings {
    /// Returns the algorithms, each once.
    #[must_use]
    pub fn algorithms(&self) -> Vec<Algorithm> {
        let mut algorithms = self.algorithms.clone();
        if self.optimum && !algorithms.contains(&Algorithm::OPTIMUM) {
            algorithms.push(Algorithm::OPTIMUM);
        }
        algorithms
    }
    /// Returns the algorithms whose packings go through the second phase.
    #[must_use]
    pub fn second_phase(&self) -> Vec<Algorithm> {
        let mut algorithms = self.algorithms();
        algorithms.retain(|algorithm| self.second_phase.algorithms.contains(algorithm));
        algorithms
    }
    /// Returns the largest number of replications of a scenario, and of tasks, on which an algorithm
    /// runs.
    pub(crate) fn limits(&self, algorithm: Algorithm) -> (u32, u32) {
        let own = self.slow.iter().filter(|slow| !self.everything && slow.algorithms.contains(&algorithm));
        own.fold((u32::MAX, u32::MAX), |(replications, tasks), slow| {
            (replications.min(slow.replications), tasks.min(slow.tasks))
        })
    }
}
