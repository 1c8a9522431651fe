//! The off-line problem by vector packing inside a search for the largest minimum yield (dissertation, sections 4.2.5
//! and 4.4.4; RR-6692, section 3.4).
//!
//! At a given scaled yield every task has a size: its fixed requirements, and its fluid needs times the unscaled yield
//! of its job. [`VectorPacking`] looks for the largest scaled yield at which one of the [`Algorithm`]s packs all tasks
//! onto the nodes.
//!
//! ```
//! use dfrsim_model::offline::{Instance, OfflineJob};
//! use dfrsim_model::{Share, Yield};
//! use dfrsim_vector_packing::vector::{Options, VectorPacking};
//!
//! // Memory and CPU: two jobs of six tenths of a node's memory, two of four tenths, all with full need, on two nodes.
//! let one = Share::ONE.units();
//! let job = |memory_tenths| OfflineJob {
//!     tasks: 2,
//!     demand: [one / 10 * memory_tenths, one].into(),
//!     least_yield: Yield::ZERO,
//! };
//! let instance =
//!     Instance { fixed: 1, fluid: 1, nodes: vec![[one; 2].into(); 2], jobs: vec![job(6), job(4)] };
//! let mut packing = VectorPacking::new("VP_CPSUM".parse()?, Options::default());
//! let solution = packing.solve(&instance)?.expect("one task of each job to a node");
//! assert_eq!(solution.minimum_yield, Yield::from_ratio(1, 2));
//! assert_eq!(solution.mapping[0], solution.mapping[1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Readings
//! * Of equal items the one with the larger sum of sizes comes first (the smaller one where the order is increasing),
//!   then the one of the job that is first in the instance.
//! * Permutation Pack and Choose Pack work with w = 2. Dimensions of an item and of a node are ranked by size and by
//!   free capacity, the lower dimension first where they are equal; on identical nodes the latter is the order of rising
//!   load. Best Fit takes the node with the least sum of free capacities, on identical nodes the one with the largest
//!   load, and of equal ones the first.
//! * With w = D there is one list, so that in two dimensions Choose Pack is First Fit with the same order.
//! * The search bisects at once, between 0 and the highest yield that the sums over all nodes allow ([`yield_bound`]), or
//!   tries both first ([`Probes`]).
//!   The result is the last packing that succeeded, with its exact minimum yield ([`minimum_yield`]), which may be a
//!   little more than the yield it was found at, or with that ([`Claimed`]).
//! * The degree of dominance (section 4.2.5): a First Fit or Best Fit packing that fails is tried again at the same yield
//!   with the items by decreasing sum of sizes weighted by the part of the failed fit tests that a dimension failed. For
//!   a task that fits nowhere the first packing goes on with the next.
//!
//! # Beyond the texts
//! [`Algorithm::EJECT`] mends what Permutation Pack leaves over by chains of ejections. On the dissertation's
//! instances its gap to the bound is about half of that of VP_CPSUM and it fails far less often (the scenario
//! `offline_eject.toml` prints both).
//!
//! # Other algorithms
//! [`search`] is the search alone, around anything that packs at a given yield;
//! [`OfflineJob::sizes_at`](dfrsim_model::offline::OfflineJob::sizes_at) says what a task then asks for. An algorithm that
//! needs more than this crate has (a linear program, as the one with the guarantee of
//! Chekuri and Khanna) is written with these two elsewhere.

mod algorithm;
mod best_fit;
mod demands;
mod dominance;
mod eject;
mod engine;
mod order;
mod scored;
mod yields;

pub use algorithm::Algorithm;
pub use dfrsim_packing::filling::ListOrder;
pub use yields::{Claimed, Probes, minimum_yield, minimum_yield_of, search, yield_bound};

use dfrsim_model::Yield;
use dfrsim_model::offline::{Instance, Solved};
use eject::Eject;
use engine::{Engine, Solve};

/// The options of [`VectorPacking`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How near to each other the last success and the last failure of the search are; zero counts as the smallest
    /// yield above it.
    pub precision: Yield,
    /// In which order nodes look through the lists of `VP_PP` and `VP_CP`; of no effect on other algorithms, and on
    /// `VP_CP` where there are two resources.
    pub lists: ListOrder,
    /// Which yields are tried; of no effect on [`Algorithm::EJECT`], which has a search of its own.
    pub probes: Probes,
    /// Which yield a packing has; of no effect on [`Algorithm::EJECT`], whose packings have their exact ones.
    pub claimed: Claimed,
    /// How many times as much as usual [`Algorithm::EJECT`] tries; of no effect on others.
    pub effort: u32,
}

impl Default for Options {
    /// A precision of 0.001, and what the dissertation's published numbers were made with but for exact yields.
    fn default() -> Options {
        Options {
            precision: Yield::from_ratio(1, 1000),
            lists: ListOrder::default(),
            probes: Probes::default(),
            claimed: Claimed::default(),
            effort: 1,
        }
    }
}

/// An instance with more resources than packings are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an instance with {dimensions} resources: vector packing supports 1 to {MAX_DIMENSIONS}")]
pub struct UnsupportedDimensions {
    /// How many resources there are.
    pub dimensions: usize,
}

/// The most resources (D) that an instance can have.
pub const MAX_DIMENSIONS: usize = 32;

/// Solves instances by one algorithm. Holds the memory that this takes, so that solving many instances allocates
/// little beside the mappings.
#[derive(Debug)]
pub struct VectorPacking {
    algorithm: Algorithm,
    options: Options,
    /// The engine of the last instance and the width it is made for.
    engine: Option<(usize, Box<dyn Solve>)>,
}

impl VectorPacking {
    /// Solves by this algorithm.
    #[must_use]
    pub fn new(algorithm: Algorithm, options: Options) -> VectorPacking {
        VectorPacking { algorithm, options, engine: None }
    }

    /// The packing with the largest minimum yield that the search finds; `None` if it finds none.
    ///
    /// # Errors
    /// If there is no resource at all or there are more than [`MAX_DIMENSIONS`].
    ///
    /// # Panics
    /// If a node or a job has not as many amounts as there are resources.
    pub fn solve(&mut self, instance: &Instance) -> Result<Option<Solved>, UnsupportedDimensions> {
        type MakeEngine = fn(Algorithm) -> Box<dyn Solve>;
        fn engine<const D: usize>(algorithm: Algorithm) -> Box<dyn Solve> {
            if algorithm == Algorithm::EJECT {
                Box::<Eject<D>>::default()
            } else {
                Box::<Engine<D>>::default()
            }
        }
        // Vectors have one of a few fixed widths, so that their loops have no end to be tested; what an instance has less
        // is filled with unused resources.
        const WIDTHS: [(usize, MakeEngine); 6] = [
            (2, engine::<2>),
            (4, engine::<4>),
            (6, engine::<6>),
            (8, engine::<8>),
            (16, engine::<16>),
            (MAX_DIMENSIONS, engine::<MAX_DIMENSIONS>),
        ];
        let dimensions = instance.dimensions();
        let fitting = WIDTHS.iter().find(|&&(width, _)| (1..=width).contains(&dimensions));
        let &(width, make) = fitting.ok_or(UnsupportedDimensions { dimensions })?;
        if self.engine.as_ref().is_none_or(|&(made_for, _)| made_for != width) {
            self.engine = Some((width, make(self.algorithm)));
        }
        let (_, engine) = self.engine.as_mut().expect("it was just made");
        Ok(engine.solve(self.algorithm, instance, self.options))
    }
}
