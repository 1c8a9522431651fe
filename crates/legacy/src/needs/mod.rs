//! What it costs on-line policies to be told wrong CPU needs, and to find them while jobs run.
//!
//! Each cell is a policy on one trace, told the needs in one way; needs that are wrong are believed for ever, or found once
//! a job has run for some time. The table compares the largest and the mean bounded stretch with those of the same policy
//! on the same trace when it knows the needs.
//!
//! Source: the dissertation that introduced DFRS (Stillwell, 2010), section 7.2.2 for the estimates, and chapter 8, which
//! leaves larger studies of them to the future.

mod experiment;
mod file;
mod resolve;
mod scenario;
mod tables;

pub(crate) use resolve::read;
