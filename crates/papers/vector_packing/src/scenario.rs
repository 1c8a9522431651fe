//! The fields of scenarios.

use dfrsim_lab::fields;
use dfrsim_lab::fields::{
    Codec, Environment, LocatedFile, any_selected, boolean, choice, count, distinct_tables, file, flattened,
    fraction, list, name, named, number, one_or_many, optional, positive_fraction, seconds, selected, table,
    tables,
};
use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, SimSpan, Yield};
use dfrsim_optimum::{Backend, Limits, Relaxation};
use dfrsim_vector_packing::genetic::{GeneticParameters, GeneticRepair};
use dfrsim_vector_packing::greedy::{self, Light, NodeRules};
use dfrsim_vector_packing::instances::{
    self, Amounts, DissertationScenario, InstanceSet, Memory, Requirements,
};
use dfrsim_vector_packing::{Algorithm, Claimed, ListOrder, Probes, Settings, VectorOptions};
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
        /// The algorithms (`dfrsim solve pack --list`).
        pub algorithms: Vec<Algorithm> = selected("an algorithm", named("an algorithm"), every_algorithm);
        /// Whether `OPT`, the proven optimum, is added to the list.
        pub optimum: bool = boolean(), default false;
        /// Whether slow algorithms run on all instances too.
        pub everything: bool = boolean(), default false;
        /// Parameters of algorithms that their names do not give.
        pub packing: Packing = table();
        /// Algorithms that are too slow for all instances.
        pub slow: Vec<Slow> = tables();
        /// The second phase, which raises average yields and keeps mappings.
        pub second_phase: SecondPhase = table();
        /// The instances to pack.
        pub instances: Vec<InstanceGroup> =
            distinct_tables("name", "group of instances", |group: &InstanceGroup| &group.name).at_least_one();
    }
}

fields! {
    /// Parameters of algorithms that their names do not give.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Packing {
        /// The search of vector packing ends when success and failure are this close.
        pub precision: Yield = positive_fraction("a difference of yields"), default Yield::nearest(0.001);
        /// In which order nodes look through the lists of `VP_PP` and `VP_CP`: in the lexicographic order of the ranks of
        /// their dimensions, as the dissertation begins to describe it (4.2.5), or pair after pair, the lower number first,
        /// as its authors' simulator does.
        pub lists: ListOrder = choice([("by-rank", ListOrder::ByRank), ("by-pair", ListOrder::ByPair)]),
            default ListOrder::default();
        /// Which yields the search of vector packing tries: bisection at once, half of the range first, as RR-6692 (3.4) and
        /// the simulator have it; or the highest yield, then 0, then what bisection comes to, if 0 succeeds (`ends-first`)
        /// or whether or not it does (`ends-too`). Success is not monotone in the yield, so results differ.
        pub probes: Probes = choice([
                ("halving", Probes::Halving),
                ("ends-first", Probes::EndsFirst),
                ("ends-too", Probes::EndsToo),
            ]),
            default Probes::default();
        /// The minimum yield of a vector packing: the largest that its mapping allows, or, as in the simulator, the one that
        /// was tried.
        pub claimed: Claimed = choice([("exact", Claimed::Exact), ("probed", Claimed::Probed)]),
            default Claimed::default();
        /// How `GA` repairs a mapping: as the simulator does, or by moving the largest job of an overloaded node to the
        /// least loaded one that holds it.
        pub repair: GeneticRepair = choice([
                ("simulated", GeneticRepair::Simulated),
                ("least-loaded", GeneticRepair::LeastLoaded),
            ]),
            default GeneticRepair::default();
        /// How many chromosomes a generation of `GA` has; the dissertation tried up to 2,000 (4.4.3).
        pub population: usize = count("a number of chromosomes", 1, 1_000_000), default GeneticParameters::default().population;
        /// How many generations of `GA` follow the first; the dissertation tried 100 to 2,000.
        pub generations: u32 = count("a number of generations", 0, u32::MAX), default GeneticParameters::default().generations;
        /// The loads of P1 to P6: by the dissertation's formulas (4.2.2), or as its authors' simulator computes them: all
        /// sums over jobs, in one resource (P1, P3, P5) or in all (P2, P4, P6); and the order of the passes of
        /// `GREEDYLIGHT`.
        pub node_rules: NodeRules =
            choice([("printed", NodeRules::Printed), ("simulated", NodeRules::Simulated)]), default NodeRules::default();
        /// `GREEDYLIGHT` takes the best of its passes, which is what the dissertation's numbers fit (4.4.1), or the first that finds
        /// a mapping, as its text and its authors' simulator have it.
        pub light: Light = choice([("first", Light::First), ("best", Light::Best)]), default Light::default();
        /// The most attempts of `GB` and `SGB` to place a task.
        pub placements: u64 = count("a number of placements", 0, i64::MAX), default 500_000;
        /// The most nodes of the search tree of `OPT`; an instance that is not solved by then is `timed-out`.
        pub search_nodes: u64 = count("a number of nodes", 0, i64::MAX), default 100_000_000;
        /// The longest that an algorithm on linear programs, or `OPT`, may take; with it, results depend on the machine.
        pub time_limit_s: Option<SimSpan> = optional(seconds(..));
        /// The solver of linear programs (`"microlp"`).
        pub solver: Backend = named("a solver"), default Backend::default();
        /// The program that `RRND` and `RRNDNZ` round: for a yield known to be LPBOUND, or the printed one, twenty to sixty
        /// times slower.
        pub relaxation: Relaxation =
            choice([("printed", Relaxation::Printed), ("at-bound", Relaxation::AtBound)]), default Relaxation::default();
    }
    renamed { "time_limit" => "time_limit_s" }
}

fields! {
    /// Algorithms that do not run on all instances.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Slow {
        /// The algorithms.
        pub algorithms: Vec<Algorithm> = any_algorithms();
        /// They run on this many replications of each scenario, the first ones.
        pub replications: u32 = count("a number of replications", 0, u32::MAX), default 1;
        /// They run on instances of at most this many tasks.
        pub tasks: u32 = count("a number of tasks", 0, u32::MAX), default u32::MAX;
    }
    renamed { "samples" => "replications" }
}

fields! {
    /// The second phase, which raises average yields, mappings kept.
    #[derive(Clone, Debug, PartialEq)]
    pub struct SecondPhase {
        /// The algorithms whose packings go through it.
        pub algorithms: Vec<Algorithm> = any_algorithms(), default Vec::new();
        /// With several fluid resources or parallel jobs the greatest average needs a linear program; it is solved for this
        /// many replications of each scenario, the first ones.
        pub program_replications: u32 = count("a number of replications", 0, u32::MAX), default 1;
    }
    renamed { "program_samples" => "program_replications" }
}

fields! {
    /// Instances of one source.
    #[derive(Clone, Debug, PartialEq)]
    pub struct InstanceGroup {
        /// Its name in rows and tables.
        pub name: String = name("a group of instances");
        /// Where the instances come from.
        pub source: Source = flattened();
        /// The number of instances of each scenario; if absent, as many as published of a set, and one of a grid or a file.
        pub replications: Option<u32> = optional(count("a number of replications", 1, u32::MAX));
        /// How to treat requirements of the dissertation's instances that scaling raises above a node's capacity: they
        /// are cut to it, as in its authors' simulator, or kept, so that the instance has no solution. The text is
        /// silent.
        pub requirements: Requirements = choice([("cut", Requirements::Cut), ("kept", Requirements::Kept)]),
            default Requirements::Cut;
        /// Which amounts the dissertation's instances have: those drawn from [0, 1], or as its authors' simulator has them,
        /// drawn again below 0.01 and rounded to three decimals.
        pub amounts: Amounts = choice([("drawn", Amounts::Drawn), ("simulated", Amounts::Simulated)]),
            default Amounts::Drawn;
        /// The memory slack of RR-6692's instances: requirements are scaled to it, as its authors' generator does, or drawn
        /// from a distribution with the mean that it gives.
        pub memory: Memory = choice([("scaled", Memory::Scaled), ("drawn", Memory::Drawn)]), default Memory::Scaled;
    }
    renamed { "samples" => "replications" }
}

fields! {
    /// Where instances come from.
    #[derive(Clone, Debug, PartialEq)]
    pub enum Source {
        /// A set of the texts, by its name: published tables are beside ours for these.
        Set(InstanceSet) as "set" = named("a set of instances");
        /// Instances like the dissertation's, for each combination of these parameters.
        Grid(Grid) as "grid" = table();
        /// Files of instances, each a scenario of its own: JSON, as `dfrsim offline instance` writes it.
        Files(Vec<LocatedFile>) as "files" = list(file()).nonempty();
    }
}

fields! {
    /// Scenarios like the dissertation's, for every combination of these parameters.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Grid {
        /// The number of nodes.
        pub nodes: u32 = count("a number of nodes", 1, 1_000_000);
        /// Numbers of jobs.
        pub jobs: Vec<u32> = one_or_many(count("a number of jobs", 1, 1_000_000));
        /// Numbers of resources; even.
        pub dimensions: Vec<u32> = one_or_many(count("a number of resources", 2, 32));
        /// Standard deviations.
        pub sigma: Vec<f64> = one_or_many(number("a deviation", 0.0..=1e6));
        /// Probabilities of a quality of service.
        pub rho: Vec<f64> = one_or_many(fraction("a probability"));
        /// Free parts of fixed resources.
        pub slack: Vec<f64> = one_or_many(fraction("a part that is free"));
        /// The sizes of nodes, used in turn, in units of an ordinary node; the slack is computed for ordinary nodes.
        pub node_sizes: Vec<f64> = one_or_many(number("a size", 0.01..=4.0)), default vec![1.0];
    }
    check |grid, at| {
        if grid.dimensions.iter().any(|dimensions| dimensions % 2 == 1) {
            at.fault("dimensions", "half of the resources are fixed: their number must be even");
        }
    }
}

impl Grid {
    /// Jobs change slowest, then resources, deviations, qualities of service, and slack fastest.
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
    /// How many scenarios it has; a scenario's number counts them from 0.
    #[must_use]
    pub fn scenario_count(&self) -> usize {
        match &self.source {
            Source::Set(_) | Source::Grid(_) => self.made().len(),
            Source::Files(files) => files.len(),
        }
    }
    /// Its scenarios, unless these are files.
    pub(crate) fn made(&self) -> Vec<instances::Scenario> {
        match &self.source {
            Source::Set(set) => set.scenarios(),
            Source::Grid(grid) => grid.scenarios(),
            Source::Files(_) => Vec::new(),
        }
    }
    /// An instance of one of them.
    pub(crate) fn instance(&self, scenario: &instances::Scenario, seed: Seed) -> Instance {
        let mut instance = scenario.instance_as(seed, self.readings());
        if let Source::Grid(grid) = &self.source {
            for (node, size) in instance.nodes.iter_mut().zip(grid.node_sizes.iter().cycle()) {
                node.iter_mut().for_each(|amount| *amount = (f64::from(*amount) * size) as u32);
            }
        }
        instance
    }
    /// Whether its instances are those of a set of the texts, or have some of the parameters of its scenarios.
    pub(crate) fn is_of(&self, set: InstanceSet) -> bool {
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
    /// How many instances each of its scenarios has.
    #[must_use]
    pub fn replications(&self) -> u32 {
        self.replications.unwrap_or(match self.source {
            Source::Set(set) => set.samples(),
            Source::Grid(_) | Source::Files(_) => 1,
        })
    }
    /// The seed of an instance. Instances of the sets of the texts are the same in every group.
    pub(crate) fn seed(&self, study: Seed, scenario: u32, replication: u32) -> Seed {
        match self.source {
            Source::Set(set) => set.seed(study, scenario, replication),
            Source::Grid(_) | Source::Files(_) => {
                study.fork(&self.name).numbered(scenario.into()).numbered(replication.into())
            }
        }
    }
    /// The readings of the texts that its instances are made by.
    fn readings(&self) -> instances::Readings {
        instances::Readings { requirements: self.requirements, amounts: self.amounts, memory: self.memory }
    }
}

impl Packing {
    /// The settings for an instance of this seed.
    pub(crate) fn settings(&self, instance: Seed) -> Settings {
        Settings {
            placements: self.placements,
            greedy: greedy::Readings { rules: self.node_rules, light: self.light },
            vector: VectorOptions {
                precision: self.precision,
                lists: self.lists,
                probes: self.probes,
                claimed: self.claimed,
                ..VectorOptions::default()
            },
            genetic: GeneticParameters {
                repair: self.repair,
                population: self.population,
                generations: self.generations,
                ..GeneticParameters::default()
            },
            solver: self.solver,
            relaxation: self.relaxation,
            limits: Limits {
                time: self.time_limit_s.map(|limit| Duration::from_micros(limit.micros())),
                nodes: Some(self.search_nodes),
                gap: 0.0,
            },
            ..Settings::new(instance.fork("algorithms"))
        }
    }
}

impl Packings {
    /// The algorithms, each once.
    #[must_use]
    pub fn algorithms(&self) -> Vec<Algorithm> {
        let mut algorithms = self.algorithms.clone();
        if self.optimum && !algorithms.contains(&Algorithm::Optimum) {
            algorithms.push(Algorithm::Optimum);
        }
        algorithms
    }
    /// Those of the algorithms whose packings go through the second phase.
    #[must_use]
    pub fn second_phase(&self) -> Vec<Algorithm> {
        let mut algorithms = self.algorithms();
        algorithms.retain(|algorithm| self.second_phase.algorithms.contains(algorithm));
        algorithms
    }
    /// On how many replications of a scenario an algorithm runs at most, and on how many tasks.
    pub(crate) fn limits(&self, algorithm: Algorithm) -> (u32, u32) {
        let own = self.slow.iter().filter(|slow| !self.everything && slow.algorithms.contains(&algorithm));
        own.fold((u32::MAX, u32::MAX), |(replications, tasks), slow| {
            (replications.min(slow.replications), tasks.min(slow.tasks))
        })
    }
}
