//! The Lublin-Feitelson model of the jobs of parallel machines, with the CPU needs and memory of the on-line study.
//!
//! [`generate`] makes jobs ([`jobs`] one at a time), [`to_log`] the same ones as a log, and [`arrivals`] is the bare model. What tasks need is
//! assumed: [`CpuNeeds`] and [`MemoryModel`] are the study's assumptions unless others are given.
//!
//! ```
//! use dfrsim_model::Seed;
//! use dfrsim_workload::lublin::{LublinParameters, generate};
//! let jobs = generate(&LublinParameters::default(), Seed::new(1).fork("workload").numbered(0));
//! assert_eq!(jobs.len(), 1_000);
//! assert!(jobs.iter().all(|job| (1..=128).contains(&job.tasks)));
//! ```
//!
//! Sources: Lublin and Feitelson, "The workload on parallel supercomputers: modeling the characteristics of rigid jobs",
//! JPDC 63(11), 2003, with the parameters of the authors' reference program; for needs and memory the
//! dissertation, section 5.3.2. Unlike the reference program this keeps time in floating point until a job is
//! emitted, takes its seed from the caller, and never makes a job larger than the machine.

mod arrivals;
mod assumption;
mod cpu_needs;
mod export;
mod fraction;
mod memory;
mod parameters;
mod shape;
mod workload;

pub use assumption::AssumptionError;
pub use cpu_needs::CpuNeeds;
pub use export::to_log;
pub use memory::{MemoryModel, MemoryMultiples, MemoryStream, UniformMemory};
pub use parameters::{Class, LublinParameters, Mode};
pub use workload::{Arrival, arrivals, generate, jobs, trace_seed};

use parameters::GammaParameters;
use rand_distr::Gamma;

/// The gamma distribution of parameters that are in this module.
fn gamma((shape, scale): GammaParameters) -> Gamma<f64> {
    Gamma::new(shape, scale).expect("the model's parameters are positive")
}
