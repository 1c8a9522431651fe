//! Tests SWF, Batsim and the Lublin model against other programs, damaged files and real logs.

mod accounts;
mod batsim;
mod faults;
mod feedback;
mod lublin_statistics;
mod pbs;
mod present;
mod real_logs;
mod resample;
mod slurm;
mod swf_faults;
mod tables;
