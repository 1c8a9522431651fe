//! The fewest nodes that keep a yield, and the jobs that are admitted with it.

use super::answer::{Admitted, Answered, Fewest};
use super::solve;
use crate::failure::Failure;
use dfrsim_audit::packing::check_minimum_yield;
use dfrsim_model::Yield;
use dfrsim_model::offline::Instance;
use dfrsim_offline::{Algorithm, Outcome, Settings, Solved};
use dfrsim_optimum::{Placed, fewest_nodes, fewest_nodes_by};
use std::time::{Duration, Instant};

/// The result of an algorithm on an instance, if it keeps the yield and the independent checker finds no fault.
fn packed(
    instance: &Instance,
    algorithm: Algorithm,
    settings: &Settings,
    wanted: Yield,
    limit: Option<Duration>,
) -> Result<Option<Placed>, Failure> {
    let Outcome::Solved(Solved { mapping, minimum_yield }) = solve(algorithm, instance, settings, limit)
    else {
        return Ok(None);
    };
    if let Some(fault) = check_minimum_yield(instance, &mapping, minimum_yield).first() {
        return Err(Failure::Result(format!("{algorithm}: the packing is wrong: {fault}")));
    }
    Ok((minimum_yield >= wanted).then_some(Placed { mapping, min_yield: minimum_yield }))
}

/// How many of the first nodes are enough for each algorithm, and a number below which none can do; whether one succeeds.
pub(super) fn fewest(
    instance: &Instance,
    algorithms: &[Algorithm],
    settings: &Settings,
    wanted: Yield,
    limit: Option<Duration>,
) -> Result<(Answered, bool), Failure> {
    let mut tried = Vec::new();
    for &algorithm in algorithms {
        let begin = Instant::now();
        let mut failure = None;
        let found = if algorithm == Algorithm::Optimum {
            fewest_nodes(instance, wanted, &settings.limits)
        } else {
            fewest_nodes_by(instance, wanted, |first| {
                match packed(first, algorithm, settings, wanted, limit) {
                    Ok(placed) => placed,
                    Err(fault) => {
                        failure.get_or_insert(fault);
                        None
                    }
                }
            })
        };
        if let Some(failure) = failure {
            return Err(failure);
        }
        tried.push(Fewest {
            algorithm: algorithm.to_string(),
            nodes: found.as_ref().map(|found| found.nodes),
            at_least: found.as_ref().map(|found| found.at_least),
            time_ms: begin.elapsed().as_secs_f64() * 1e3,
        });
    }
    let is_any = tried.iter().any(|fewest| fewest.nodes.is_some());
    Ok((Answered::FewestNodes { wanted: wanted.as_f64(), algorithms: tried }, is_any))
}

/// Which jobs are admitted, in the order of the file, if each is refused with which an algorithm does not keep the yield of
/// all (RR-6692, section 2.1).
pub(super) fn admitted(
    instance: &Instance,
    algorithms: &[Algorithm],
    settings: &Settings,
    wanted: Yield,
    limit: Option<Duration>,
) -> Result<Answered, Failure> {
    let mut tried = Vec::new();
    for &algorithm in algorithms {
        let mut admitted = Instance { jobs: Vec::new(), ..instance.clone() };
        let (mut refused, mut reached) = (Vec::new(), Yield::ONE);
        for (number, job) in instance.jobs.iter().enumerate() {
            admitted.jobs.push(job.clone());
            match packed(&admitted, algorithm, settings, wanted, limit)? {
                Some(placed) => reached = placed.min_yield,
                None => {
                    admitted.jobs.pop();
                    refused.push(number);
                }
            }
        }
        tried.push(Admitted {
            algorithm: algorithm.to_string(),
            admitted: admitted.jobs.len(),
            minimum_yield: reached.as_f64(),
            refused,
        });
    }
    Ok(Answered::Admission { wanted: wanted.as_f64(), algorithms: tried })
}
