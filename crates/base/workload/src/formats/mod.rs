//! Log formats. Each reads a file into the records of [`log`](crate::log).

pub mod batsim;
pub mod gwf;
pub mod pbs;
pub mod slurm;
pub mod slurm_conf;
pub mod swf;
pub mod table;
pub mod times;
