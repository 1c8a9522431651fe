//! The discovery study: CPU needs that are found while virtual machines run.
//!
//! Each cell is an approach on one workload of one seed; the independent auditor follows all of them. The tables give means
//! over the seeds with bootstrap confidence intervals, beside the two runs that are published.
//!
//! Source: the dissertation that introduced DFRS (Stillwell, 2010), chapter 7.

mod experiment;
mod file;
mod findings;
mod published;
mod resolve;
mod sample;
mod scenario;
mod tables;

pub(crate) use resolve::read;
