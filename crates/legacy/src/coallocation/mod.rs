//! The co-allocation study: collective requests beside simple ones.
//!
//! A cell is all test cases of one size on one grid at one level of use, the parameter study on one grid, or a week of
//! requests. Grids are the seeds of the study: confidence intervals are over them.
//!
//! Source: M. Cankar et al., *Co-Allocation with Collective Requests in Grid Systems*, section 4.

mod case;
mod experiment;
mod file;
mod findings;
mod published;
mod resolve;
mod row;
mod sample;
mod scenario;
mod tables;

pub(crate) use resolve::read;
