//! Off-line packing of jobs for the largest minimum yield.
//!
//! * [`instances`]: the random instances of both studies, each a function of study seed, scenario
//!   and sample.
//! * [`Algorithm`]: every algorithm under its published name; solves an instance with an
//!   [`Outcome`].
//! * [`greedy`], [`vector`]: the algorithm families of this crate. [`Offered`]: those of a program,
//!   to which other crates add theirs.
//! * [`minimum_yield`]: the exact minimum yield of a mapping.
//! * [`mod@file`]: instances and solutions as JSON.
//!
//! ```
//! use dfrsim_model::Seed;
//! use dfrsim_vector_packing::instances::InstanceSet;
//! use dfrsim_vector_packing::{Algorithm, Settings, minimum_yield};
//!
//! let seed = Seed::new(1);
//! let instance = InstanceSet::Dissertation.instance(seed, 4, 0).unwrap();
//! let outcome = "GREEDY".parse::<Algorithm>()?.solve(&instance, &Settings::new(seed));
//! let solved = outcome.solved().unwrap();
//! assert_eq!(minimum_yield(&instance, &solved.mapping), Some(solved.minimum_yield));
//! # Ok::<(), dfrsim_model::named::UnknownName>(())
//! ```
//!
//! Sources: the dissertation that introduced DFRS (Stillwell, 2010), chapter 4; RR-6692, sections 2
//! to 5.

pub mod check;
pub mod file;
pub mod greedy;
pub mod instances;

pub mod vector;

mod algorithm;
mod linear;
mod offered;
mod outcome;
mod rigid;
mod settings;

pub use algorithm::Algorithm;
pub use dfrsim_model::offline::Solved;
pub use offered::{Offered, OfferedAlgorithms, Packer, PackingProblem};
pub use outcome::Outcome;
pub use rigid::Rigid;
pub use settings::Settings;
pub use vector::{Claimed, ListOrder, Options as VectorOptions, Probes, minimum_yield};
