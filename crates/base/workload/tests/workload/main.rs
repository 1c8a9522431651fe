//! SWF, Batsim and the Lublin model against other programs, damaged files and real logs.

mod batsim;
mod lublin_statistics;
mod real_logs;
mod swf_faults;
