//! The Lublin-Feitelson model of the jobs of parallel machines, with the CPU needs and memory of the
//! on-line study.
//!
//! [`generate`] creates all jobs, [`jobs`] one job at a time, and [`to_log`] the same jobs as a log;
//! [`arrivals`] is the model without CPU needs and memory. [`CpuNeeds`] and [`MemoryModel`] are
//! assumptions; their defaults are those of the study.
//!
//! ```
//! use dfrsim_model::Seed;
//! use dfrsim_workload::lublin::{LublinParameters, generate};
//! let jobs = generate(&LublinParameters::default(), Seed::new(1).fork("workload").numbered(0));
//! assert_eq!(jobs.len(), 1_000);
//! assert!(jobs.iter().all(|job| (1..=128).contains(&job.tasks)));
//! ```
//!
//! Sources: Lublin and Feitelson, "The workload on parallel supercomputers: modeling the
//! characteristics of rigid jobs", JPDC 63(11), 2003, with the parameters of the authors' reference
//! program; for CPU needs and memory the dissertation, section 5.3.2. Unlike the reference program,
//! this implementation keeps times in floating point until a job is emitted, gets its seed from the
//! caller, and never generates a job larger than the machine. For machines with other
//! than 128 nodes it has no parameters, only a range for the breakpoint of sizes, 1.5 to 3.5 below their
//! maximum. Here the published bounds of sizes are shifted by log2(nodes / 128), which keeps their
//! distances.

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

/// Creates a gamma distribution from one of the model's parameters.
fn gamma((shape, scale): GammaParameters) -> Gamma<f64> {
    Gamma::new(shape, scale).expect("the model's parameters are positive")
}
