//! The off-line problem by vector packing inside a search for the largest minimum yield
//! (dissertation, sections 4.2.5 and 4.4.4; RR-6692, section 3.4).
//!
//! At a given scaled yield every task has a size: its fixed requirements, and its fluid needs times
//! the unscaled yield of its job. [`VectorPacking`] searches the largest scaled yield at which one
//! of the [`Algorithm`]s packs all tasks onto the nodes.
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
//! # Interpretation of the texts
//! * Of equal items the one with the larger sum of sizes comes first (the smaller one if the order
//!   is increasing), then the one of the job that is first in the instance.
//! * Permutation Pack and Choose Pack work with w = 2. Dimensions of an item and of a node are
//!   ranked by size and by free capacity, the lower of equal dimensions first; on identical nodes
//!   the latter is the order of ascending load. Best Fit takes the node with the least sum of free
//!   capacities, on identical nodes the one with the largest load, and of equal ones the first.
//! * With w = D there is one list, so that in two dimensions Choose Pack is First Fit with the same
//!   order.
//! * The search bisects at once, between 0 and the highest yield that the sums over all nodes allow
//!   ([`yield_bound`]), or tries both ends first ([`Probes`]). The result is the last packing that
//!   succeeded, with its exact minimum yield ([`minimum_yield`]), which may be a little more than
//!   the yield at which it was found, or with that yield ([`Claimed`]).
//!
//! # Beyond the texts
//! [`Algorithm::EJECT`] places the tasks that Permutation Pack leaves over by ejection chains. On
//! the dissertation's instances its gap to the bound is about half of that of VP_CPSUM and it fails
//! far less often (the scenario `offline_eject.toml` prints both).
//!
//! # Other algorithms
//! [`search`] is the search alone, around anything that packs at a given yield;
//! [`OfflineJob::sizes_at`](dfrsim_model::offline::OfflineJob::sizes_at) returns the requirements of
//! a task at that yield. An algorithm that needs more than this crate provides (a linear program,
//! like the algorithm of Chekuri and Khanna with its approximation guarantee) is written elsewhere
//! with these two.

mod algorithm;
mod best_fit;
mod demands;
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
pub use engine::Reweighting;
use engine::{Engine, Solve};

/// Options of [`VectorPacking`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Largest distance between the last success and the last failure at which the search ends; zero
    /// counts as the smallest yield above it.
    pub precision: Yield,
    /// Order in which nodes scan the lists of `VP_PP` and `VP_CP`; no effect on other algorithms,
    /// nor on `VP_CP` with two resources.
    pub lists: ListOrder,
    /// Yields that are tried; no effect on [`Algorithm::EJECT`], which has a search of its own.
    pub probes: Probes,
    /// Yield reported for a packing; no effect on [`Algorithm::EJECT`], which reports exact ones.
    pub claimed: Claimed,
    /// Factor on the number of steps of [`Algorithm::EJECT`]; no effect on other algorithms.
    pub effort: u32,
}

impl Default for Options {
    /// Creates the options of the dissertation's published numbers, except that reported yields are
    /// exact. The precision is 0.001.
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

/// Error for an instance with an unsupported number of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an instance with {dimensions} resources: vector packing supports 1 to {MAX_DIMENSIONS}")]
pub struct UnsupportedDimensions {
    /// Number of resources of the instance.
    pub dimensions: usize,
}

/// Largest number of resources (D) that an instance can have.
pub const MAX_DIMENSIONS: usize = 32;

/// Solver of instances by one algorithm. Its memory is reused, so that solving many instances
/// allocates little except the mappings.
#[derive(Debug)]
pub struct VectorPacking {
    algorithm: Algorithm,
    options: Options,
    second_try: Option<Reweighting>,
    /// Engine of the last instance, with its vector width.
    engine: Option<(usize, Box<dyn Solve>)>,
}

impl VectorPacking {
    /// Creates a solver with this algorithm.
    #[must_use]
    pub fn new(algorithm: Algorithm, options: Options) -> VectorPacking {
        VectorPacking { algorithm, options, second_try: None, engine: None }
    }

    /// Tries packings that fail again at the same yield, with the items by decreasing weighted sum
    /// of sizes; of equal ones by decreasing sum, then in the order of the jobs.
    ///
    /// # Panics
    /// If the algorithm is not First Fit or Best Fit, which have a single list.
    #[must_use]
    pub fn with_second_try(self, reweighting: Reweighting) -> VectorPacking {
        assert!(self.algorithm.has_single_list(), "{} has several lists", self.algorithm);
        VectorPacking { second_try: Some(reweighting), ..self }
    }

    /// Solves an instance: returns the packing with the largest minimum yield that the search finds;
    /// `None` if it finds none.
    ///
    /// # Errors
    /// If there is no resource at all or there are more than [`MAX_DIMENSIONS`].
    ///
    /// # Panics
    /// If the number of amounts of a node or a job differs from the number of resources.
    pub fn solve(&mut self, instance: &Instance) -> Result<Option<Solved>, UnsupportedDimensions> {
        type MakeEngine = fn(Algorithm) -> Box<dyn Solve>;
        fn engine<const D: usize>(algorithm: Algorithm) -> Box<dyn Solve> {
            if algorithm == Algorithm::EJECT {
                Box::<Eject<D>>::default()
            } else {
                Box::<Engine<D>>::default()
            }
        }
        // Vectors have one of a few fixed widths, so that their loops have constant length;
        // instances with fewer resources are padded with unused ones.
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
        Ok(engine.solve(self.algorithm, instance, self.options, self.second_try))
    }
}
