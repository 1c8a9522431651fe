//! The instances of both studies, each made from (study seed, scenario, sample) alone.
//!
//! ```
//! use dfrsim_model::Seed;
//! use dfrsim_vector_packing::instances::InstanceSet;
//!
//! let set = InstanceSet::Dissertation;
//! assert_eq!(set.scenarios().len() * set.samples() as usize, 72_900);
//! let instance = set.instance(Seed::new(1), 700, 42).unwrap();
//! assert_eq!(Some(instance), set.instance(Seed::new(1), 700, 42));
//! ```
//!
//! Drawn amounts are real numbers; they are rounded down to the fixed-point units of the model when the instance is
//! complete, so that rounding never makes an instance harder.

mod changed;
mod dissertation;
mod rr6692;
mod truncated;

pub use changed::{changed, small_change};
pub use dissertation::{Amounts, DissertationScenario, Requirements};
pub use rr6692::{Memory, Rr6692Scenario};

use dfrsim_model::offline::Instance;
use dfrsim_model::{Seed, Share};

dfrsim_model::named! {
    /// A set of instances, as a study uses it. Its name is part of the path to its random streams.
    pub enum InstanceSet as "instance set" {
        /// 64 nodes; 100, 200 or 500 jobs (dissertation, section 4.3).
        Dissertation = "dissertation",
        /// 4 nodes; 8, 10 or 12 jobs (dissertation, section 4.4.6).
        DissertationSmall = "dissertation-small",
        /// 4 nodes; 6, 8, 10 or 12 tasks (RR-6692, section 4.1).
        Rr6692Small = "rr6692-small",
        /// 64 nodes; 100, 250 or 500 tasks (RR-6692, section 4.1).
        Rr6692Large = "rr6692-large",
        /// The large set with parallel jobs (RR-6692, section 5.2).
        Rr6692Parallel = "rr6692-parallel",
    }
}

/// Points of their instances that the texts leave open, or describe in two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Readings {
    /// Of the dissertation's.
    pub requirements: Requirements,
    /// Of the dissertation's.
    pub amounts: Amounts,
    /// Of RR-6692's.
    pub memory: Memory,
}

/// What the samples of a scenario have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scenario {
    /// Of the dissertation.
    Dissertation(DissertationScenario),
    /// Of RR-6692.
    Rr6692(Rr6692Scenario),
}

impl InstanceSet {
    /// How many samples a scenario has in the published study.
    #[must_use]
    pub const fn samples(self) -> u32 {
        match self {
            InstanceSet::Rr6692Small => 10,
            _ => 100,
        }
    }
    /// The scenarios; an instance's scenario index counts them from 0.
    #[must_use]
    pub fn scenarios(self) -> Vec<Scenario> {
        match self {
            InstanceSet::Dissertation => DissertationScenario::grid(64, &[100, 200, 500]),
            InstanceSet::DissertationSmall => DissertationScenario::grid(4, &[8, 10, 12]),
            InstanceSet::Rr6692Small => Rr6692Scenario::grid(4, &[6, 8, 10, 12], false),
            InstanceSet::Rr6692Large => Rr6692Scenario::grid(64, &[100, 250, 500], false),
            InstanceSet::Rr6692Parallel => Rr6692Scenario::grid(64, &[100, 250, 500], true),
        }
    }
    /// The seed of one instance; everything random about the instance is forked from it.
    #[must_use]
    pub fn seed(self, study: Seed, scenario: u32, sample: u32) -> Seed {
        study.fork(self.name()).numbered(scenario.into()).numbered(sample.into())
    }
    /// One instance; `None` if there is no such scenario. Samples beyond the published number are as good as the
    /// others.
    #[must_use]
    pub fn instance(self, study: Seed, scenario: u32, sample: u32) -> Option<Instance> {
        let scenarios = self.scenarios();
        Some(scenarios.get(scenario as usize)?.instance(self.seed(study, scenario, sample)))
    }
}

impl Scenario {
    /// The instance of this seed.
    pub fn instance(&self, seed: Seed) -> Instance {
        self.instance_as(seed, Readings::default())
    }
    /// The instance of this seed by other readings of the texts.
    pub fn instance_as(&self, seed: Seed, readings: Readings) -> Instance {
        match self {
            Scenario::Dissertation(scenario) => {
                scenario.instance_as(seed, readings.requirements, readings.amounts)
            }
            Scenario::Rr6692(scenario) => scenario.instance_as(seed, readings.memory),
        }
    }
    /// How many nodes.
    pub const fn nodes(&self) -> u32 {
        match self {
            Scenario::Dissertation(scenario) => scenario.nodes,
            Scenario::Rr6692(scenario) => scenario.nodes,
        }
    }
    /// The free part of the fixed resources that the scenario aims at.
    pub const fn slack(&self) -> f64 {
        match self {
            Scenario::Dissertation(scenario) => scenario.slack,
            Scenario::Rr6692(scenario) => scenario.slack,
        }
    }
}

/// 0.1 to 0.9, the slacks of both studies.
fn slacks() -> impl Iterator<Item = f64> + Clone {
    (1..10).map(|tenths| f64::from(tenths) / 10.0)
}

/// That many ordinary nodes with this many resources.
fn ordinary_nodes(count: u32, dimensions: usize) -> Vec<Box<[u32]>> {
    vec![vec![Share::ONE.units(); dimensions].into(); count as usize]
}

/// A part of a node in whole units, rounded down; at most what 32 bits hold.
fn units(fraction: f64) -> u32 {
    (fraction * f64::from(Share::ONE.units())) as u32
}
