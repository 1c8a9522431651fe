//! Instances of both studies, each generated from (study seed, scenario, sample) alone.
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
//! Amounts are drawn as real numbers and finally rounded down to the fixed-point units of the model,
//! so that rounding never makes an instance harder.

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
    /// Sets of instances that studies use. The name is part of the path to the random streams of a
    /// set.
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

/// Interpretation of points on which the texts about instances are silent or inconsistent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InstanceInterpretation {
    /// Treatment of large requirements in the dissertation's instances.
    pub requirements: Requirements,
    /// Distribution of amounts in the dissertation's instances.
    pub amounts: Amounts,
    /// Memory slack of RR-6692's instances.
    pub memory: Memory,
}

/// Parameters shared by the samples of a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scenario {
    /// A scenario of the dissertation.
    Dissertation(DissertationScenario),
    /// A scenario of RR-6692.
    Rr6692(Rr6692Scenario),
}

impl InstanceSet {
    /// Returns the number of samples per scenario in the published study.
    #[must_use]
    pub const fn samples(self) -> u32 {
        match self {
            InstanceSet::Rr6692Small => 10,
            _ => 100,
        }
    }
    /// Returns the scenarios, which are numbered from 0 in this order.
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
    /// Returns the seed of one instance, from which all its random streams are forked.
    #[must_use]
    pub fn seed(self, study: Seed, scenario: u32, sample: u32) -> Seed {
        study.fork(self.name()).numbered(scenario.into()).numbered(sample.into())
    }
    /// Generates one instance; `None` if there is no such scenario. Sample numbers may exceed the
    /// published number of samples.
    #[must_use]
    pub fn instance(self, study: Seed, scenario: u32, sample: u32) -> Option<Instance> {
        let scenarios = self.scenarios();
        Some(scenarios.get(scenario as usize)?.instance(self.seed(study, scenario, sample)))
    }
}

impl Scenario {
    /// Generates the instance of this seed with the default interpretation.
    pub fn instance(&self, seed: Seed) -> Instance {
        self.instance_as(seed, InstanceInterpretation::default())
    }
    /// Generates the instance of this seed with a given interpretation of the texts.
    pub fn instance_as(&self, seed: Seed, readings: InstanceInterpretation) -> Instance {
        match self {
            Scenario::Dissertation(scenario) => {
                scenario.instance_as(seed, readings.requirements, readings.amounts)
            }
            Scenario::Rr6692(scenario) => scenario.instance_as(seed, readings.memory),
        }
    }
    /// Returns the number of nodes.
    pub const fn nodes(&self) -> u32 {
        match self {
            Scenario::Dissertation(scenario) => scenario.nodes,
            Scenario::Rr6692(scenario) => scenario.nodes,
        }
    }
    /// Returns the target fraction of fixed resources that stays free.
    pub const fn slack(&self) -> f64 {
        match self {
            Scenario::Dissertation(scenario) => scenario.slack,
            Scenario::Rr6692(scenario) => scenario.slack,
        }
    }
}

/// Returns the slacks of both studies, 0.1 to 0.9.
fn slacks() -> impl Iterator<Item = f64> + Clone {
    (1..10).map(|tenths| f64::from(tenths) / 10.0)
}

/// Creates this number of unit nodes with this number of resources.
fn unit_nodes(count: u32, dimensions: usize) -> Vec<Box<[u32]>> {
    vec![vec![Share::ONE.units(); dimensions].into(); count as usize]
}

/// Converts a fraction of a node to units, rounded down and saturated at 32 bits.
fn units(fraction: f64) -> u32 {
    (fraction * f64::from(Share::ONE.units())) as u32
}
