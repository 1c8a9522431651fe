//! Workloads: logs of parallel machines, the Lublin-Feitelson model, and what turns them into jobs.

pub mod cut;
pub mod load;
pub mod lublin;
mod named;
pub mod prepare;
pub mod swf;
pub mod traces;

pub use named::UnknownName;
