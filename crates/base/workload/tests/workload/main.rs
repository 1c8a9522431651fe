//! SWF, Batsim and the Lublin model against other programs, damaged files and real logs.

mod batsim;
mod lublin_statistics;
mod real_logs;
mod slurm;
mod swf_faults;
